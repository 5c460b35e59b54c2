"""Boards as a user meets them."""

from __future__ import annotations

import copy
import gc
import pickle
import random
import xml.dom.minidom
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import komadori
from komadori import Board, Color, Hand, HandleError, IllegalMoveError, InvalidPositionError, Move, Move32, ParseError, Piece, PieceType, ProblemKind, Square

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"


def played(seed: int, plies: int) -> Board:
    """A game of random moves."""
    choose, board = random.Random(seed), Board()
    for _ in range(plies):
        moves = board.legal_moves()
        if not moves:
            break
        board.push(choose.choice(moves))
    return board


def test_the_start() -> None:
    board = Board()
    assert board.to_sfen() == START
    assert (board.turn, board.ply, board.history_length, board.is_check()) == (Color.BLACK, 1, 0, False)
    assert board.hands == (Hand(), Hand())
    assert (board.king_square(Color.BLACK).to_usi(), board.king_square(Color.WHITE).to_usi()) == ("5i", "5a")
    assert board[Square.from_usi("7g")] == Piece.from_usi("P")
    assert board[Square.from_usi("2b")] == Piece.from_usi("b")
    assert board.piece_at(40).is_empty
    assert board.problems() == []
    assert repr(board) == f"Board({START!r})"
    assert eval(repr(board), vars(komadori)) == board


def test_legal_moves_are_a_sequence() -> None:
    board = Board()
    moves = board.legal_moves()
    assert len(moves) == 30
    assert bool(moves)
    assert Move.from_usi("7g7f") in moves
    assert Move.from_usi("7g7e") not in moves
    assert "7g7f" not in moves
    assert 7739 not in moves
    assert list(moves) == [moves[i] for i in range(30)]
    assert moves[-1] is list(moves)[-1]
    assert list(moves[3:5]) == list(moves)[3:5]
    assert moves.index(moves[4]) == 4
    assert list(moves[::-2]) == list(moves)[::-2]
    assert hash(moves) == hash(board.legal_moves())
    assert moves == board.legal_moves()
    assert moves[:5] != moves
    assert list(reversed(moves)) == list(moves)[::-1]
    with pytest.raises(IndexError):
        moves[30]
    for position in (START, "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1"):
        listed = Board(position).legal_moves()
        values = {m.value for m in listed}
        assert {v for v in range(65536) if Move(v) in listed} == values  # also those that are halves of two moves
    array = moves.to_numpy()
    assert array.dtype == np.uint16
    assert array.tolist() == [m.value for m in moves]
    array[0] = 0  # its own memory
    assert moves.to_numpy()[0] != 0
    board.push_usi("7g7f")
    assert len(moves) == 30  # those of the moment
    assert len(Board("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1").legal_moves()) == 593


def test_push_and_pop() -> None:
    board = Board()
    key = board.key
    move = board.push_usi("7g7f")
    assert move is Move.from_usi("7g7f")
    assert (board.turn, board.ply, board.history_length) == (Color.WHITE, 2, 1)
    assert board.peek() is move
    board.push(Move32.from_move(Move.from_usi("3c3d"), Piece.from_usi("p")))
    assert [m.to_usi() for m in board.moves()] == ["7g7f", "3c3d"]
    assert board.to_position().endswith("moves 7g7f 3c3d")
    assert board.pop().to_usi() == "3c3d"
    assert board.pop() is move
    assert board.key == key
    for empty in (board.pop, board.peek):
        with pytest.raises(IndexError):
            empty()


def test_captures_go_to_the_hand() -> None:
    board = Board.from_position("startpos moves 7g7f 3c3d 8h2b+ 3a2b")
    assert board.hand(Color.BLACK).count(PieceType.BISHOP) == 1
    assert board.hand(Color.WHITE).count(PieceType.BISHOP) == 1
    assert board.hands[0] == Hand.from_counts((0, 0, 0, 0, 1, 0, 0))


@pytest.mark.parametrize(
    "move", [Move.from_usi("7g7e"), Move.from_usi("P*5e"), Move.NULL, Move.NONE, Move.RESIGN, Move(65535), Move32(7739 | 17 << 16), Move32(2**32 - 1)]
)
def test_illegal_moves_change_nothing(move: Any) -> None:
    board = Board()
    with pytest.raises(IllegalMoveError) as caught:
        board.push(move)
    assert caught.value.move is move
    assert caught.value.sfen == START
    assert board.to_sfen() == START
    assert board.history_length == 0
    with pytest.raises(IllegalMoveError):
        board.push_usi("2b8h+")


def test_every_16_bit_value_is_legal_just_when_it_is_listed() -> None:
    board = Board("4k4/2P6/9/9/4R4/9/9/9/4K4 b Pp 1")
    legal = {m.value for m in board.legal_moves()}
    assert {v for v in range(65536) if board.is_legal(Move(v))} == legal


def test_passing() -> None:
    board = Board()
    key = board.key
    board.push_null()
    assert (board.turn, board.peek()) == (Color.WHITE, Move.NULL)
    assert board.pop() is Move.NULL
    assert board.key == key
    with pytest.raises(IllegalMoveError):
        Board("4k4/9/9/9/4r4/9/9/9/4K4 b - 1").push_null()


def test_equality_copies_and_pickles() -> None:
    board = Board.from_position("startpos moves 7g7f 3c3d")
    for again in (board.copy(), copy.copy(board), copy.deepcopy(board), pickle.loads(pickle.dumps(board))):
        assert again is not board
        assert again == board
        assert again.moves() == board.moves()
        assert again.pop().to_usi() == "3c3d"
        assert again != board
        assert board.history_length == 2
    assert Board() == Board(START)
    assert Board() != Board(START.replace(" b ", " w "))
    assert Board() != START
    with pytest.raises(TypeError):
        hash(board)


def test_pickling_a_game_with_a_pass() -> None:
    board = Board()
    board.push_null()
    board.push_usi("3c3d")
    again = pickle.loads(pickle.dumps(board))
    assert again.moves() == board.moves()
    assert again == board


def test_closed_boards() -> None:
    board = Board()
    other = board.copy()
    board.close()
    board.close()
    uses: list[Any] = [
        lambda: board.turn, lambda: board.key, lambda: board.ply, lambda: board.hands, board.is_check, board.legal_moves, board.to_sfen, board.copy,
        lambda: board.push_usi("7g7f"), lambda: board[0], board.pop, board.pieces, board.moves, lambda: board == other, lambda: other == board,
        lambda: komadori.perft(board, 1), lambda: komadori.search.Searcher(hash_mb=1).search(board, depth=1), lambda: komadori.mate.solve(board),
        lambda: pickle.dumps(board), board.flip_side, board.is_checkmate, board.mate_in_one, lambda: str(board), board.svg,
        lambda: board.is_legal(Move(7739)), board.checkers, board.problems, board.repetition_state,
    ]  # fmt: skip
    # The slot is used again: the old board must not see the new one.
    fresh = [Board() for _ in range(3)]
    for use in uses:
        with pytest.raises(HandleError):
            use()
    assert "closed" in repr(board)
    with Board() as inner:
        inner.push_usi("7g7f")
    with pytest.raises(HandleError):
        _ = inner.turn
    assert len(fresh) == 3


def test_boards_are_given_back() -> None:
    first = Board()._handle.value & 0xFFFFFF
    for _ in range(3000):
        Board.from_position("startpos moves 7g7f").legal_moves()
    gc.collect()
    assert abs((Board()._handle.value & 0xFFFFFF) - first) < 100


def test_a_board_does_not_see_the_one_that_had_its_slot() -> None:
    first = Board()
    first.push_usi("7g7f")
    slot = first._handle.value
    del first
    assert Board()._handle.value == slot
    for make in (Board, lambda: Board(START), lambda: Board.from_hcp(Board().to_hcp()), lambda: Board.from_packed_sfen(Board().to_packed_sfen())):
        board = make()
        assert (board.history_length, board.ply, board.turn, board.moves()) == (0, 1, Color.BLACK, [])
        assert board.to_sfen() == START
        assert board == Board()
        board.push_usi("7g7f")
    del board
    # A failure while a board is made gives the slot back; one that is closed is never given on.
    board = Board()
    slot = board._handle.value
    del board
    with pytest.raises(ParseError):
        Board("x")
    board = Board()
    assert board._handle.value == slot
    board.close()
    boards = [Board() for _ in range(100)]
    assert all(board._handle.value != slot for board in boards)


def test_what_a_board_is_follows_from_its_moves() -> None:
    board = Board()
    for name, value in (("turn", Color.WHITE), ("ply", 7), ("key", 1), ("history_length", 3), ("_in_check", True), ("other", 1)):
        with pytest.raises(AttributeError):
            setattr(board, name, value)
    assert (board.turn, board.ply, board.history_length) == (Color.BLACK, 1, 0)
    assert type(board.turn) is Color
    assert type(board.is_check()) is bool
    assert board.key == Board().key


class Named(Board):
    """What users may do with the class."""

    def __init__(self, name: str, sfen: str | None = None) -> None:
        super().__init__(sfen)
        self.name = name


def test_subclasses() -> None:
    board = Named("mine", START)
    board.push_usi("7g7f")
    assert (board.name, board.ply) == ("mine", 2)
    assert isinstance(Named.from_hcp(Board().to_hcp()), Named)
    board.close()
    board.close()
    assert isinstance(board, Named)
    assert board.name == "mine"
    for use in (lambda: board.ply, lambda: board.to_sfen(), lambda: board[0]):
        with pytest.raises(HandleError):
            use()


@pytest.mark.parametrize(
    "text", ["", "x", START + " 1", START.replace("9/9/9", "9/9"), START.replace("9/9/9", "54/9/9"), "9/9/9/9/9/9/9/9/9 b 0P 1", "\0", "歩" * 10, "\ud800"]
)
def test_text_that_is_no_position(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        Board(text)
    assert caught.value.offset is not None
    board = Board()
    with pytest.raises(ParseError):
        board.set_sfen(text)
    assert board.to_sfen() == START


def test_lenient_text() -> None:
    for text in ("startpos", f"sfen {START}", START[:-2], START[:-1] + "0", f"  {START}\n"):
        assert Board(text).to_sfen() == START
    board = Board()
    board.set_sfen("4k4/9/9/9/9/9/9/9/4K4 w Gg 7")
    assert (board.turn, board.ply, board.history_length) == (Color.WHITE, 7, 0)


def test_positions_that_break_rules() -> None:
    with pytest.raises(InvalidPositionError) as caught:
        Board("P3k4/9/9/4P4/4P4/9/9/9/4K4 b - 1")
    assert {p.kind for p in caught.value.problems} == {ProblemKind.DOUBLE_PAWN, ProblemKind.INVALID_PLACEMENT}
    problem = next(p for p in caught.value.problems if p.kind == ProblemKind.INVALID_PLACEMENT)
    assert problem.square == Square.from_usi("9a")
    assert problem.color is Color.BLACK
    assert "9a" in str(problem)


def test_positions_that_are_not_a_games() -> None:
    tsume = Board("4k4/9/4P4/9/9/9/9/9/9 b G 1")
    assert [p.kind for p in tsume.problems()] == [ProblemKind.NO_KING]
    assert tsume.king_square(Color.BLACK).is_none
    assert tsume.mate_in_one() is Move.from_usi("G*5b")
    for needs_kings in (tsume.to_hcp, tsume.to_packed_sfen, lambda: komadori.search.Searcher(hash_mb=1).search(tsume, depth=1)):
        with pytest.raises(InvalidPositionError):
            needs_kings()
    odd = Board("4k4/4R4/9/9/9/9/9/9/4K4 b - 1")
    assert [p.kind for p in odd.problems()] == [ProblemKind.OPPONENT_IN_CHECK]
    assert all(m.to_square != odd.king_square(Color.WHITE) for m in odd.legal_moves())


def test_making_from_pieces() -> None:
    start = Board()
    assert komadori.Setup.from_pieces(start.pieces(), start.hands, start.turn, start.ply).to_board() == start
    with pytest.raises(ValueError, match="81"):
        komadori.Setup.from_pieces([0] * 80)


@pytest.mark.parametrize("use", [
    lambda b: Board(3), lambda b: Board(b"x"), lambda b: Board.from_position(None), lambda b: b.push("7g7f"), lambda b: b.push(7739),
    lambda b: b.is_legal("7g7f"), lambda b: b.is_legal(7739), lambda b: b.push_usi(7), lambda b: Board.from_hcp("x" * 32), lambda b: Board.from_hcp(None),
    lambda b: Board.from_packed_sfen(3), lambda b: komadori.perft(b, "3"), lambda b: komadori.perft("x", 3), lambda b: b.set_sfen(3),
    lambda b: b.is_repetition("4"), lambda b: b.search_repetition(None), lambda b: b.move_of_label("3"), lambda b: b["7g"],
    lambda b: b.complete_move32(Move(1)),
    lambda b: komadori.mate.solve("x"), lambda b: komadori.search.Searcher(hash_mb=1).search("x", depth=1),
])  # fmt: skip
def test_wrong_types(use: Any) -> None:
    with pytest.raises(TypeError):
        use(Board())


@pytest.mark.parametrize("use", [
    lambda b: b[81], lambda b: b[-1], lambda b: b.king_square(2), lambda b: b.hand(-1), lambda b: komadori.perft(b, 65), lambda b: komadori.perft(b, -1),
    lambda b: b.move_of_label(2187), lambda b: b.move_of_label(-1), lambda b: b.move_of_label(1496, compact=True), lambda b: b.is_repetition(0),
    lambda b: b.search_repetition(-1), lambda b: b.attackers_to(82, 0), lambda b: b.to_numpy("x"), lambda b: Board.from_hcp(b"x"),
    lambda b: Board.from_packed_sfen(bytes(33)),
])  # fmt: skip
def test_values_out_of_range(use: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        use(Board())


def test_packed_forms_take_any_buffer() -> None:
    board = Board()
    for raw in (board.to_hcp(), bytearray(board.to_hcp()), memoryview(board.to_hcp()), np.frombuffer(board.to_hcp(), np.uint8)):
        assert Board.from_hcp(raw) == board
    assert board.to_hcp().hex() == "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c"
    assert board.to_packed_sfen().hex() == "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c"
    with pytest.raises(ParseError):
        Board.from_hcp(bytes(32))


@given(st.integers(0, 10**6), st.integers(0, 150))
@settings(max_examples=40, deadline=None)
def test_random_games(seed: int, plies: int) -> None:
    board = played(seed, plies)
    assert Board(board.to_sfen()) == board
    assert Board.from_position(board.to_position()).moves() == board.moves()
    flipped, mirrored = board.flip_side(), board.mirror_file()
    assert flipped.flip_side() == board
    assert mirrored.mirror_file() == board
    assert flipped.mirror_file() == mirrored.flip_side()
    assert (flipped.turn, flipped.ply, flipped.history_length) == (board.turn.opposite, board.ply, 0)
    assert {m.flip_side() for m in board.legal_moves()} == set(flipped.legal_moves())
    assert {m.mirror_file() for m in board.legal_moves()} == set(mirrored.legal_moves())
    assert flipped.is_check() == mirrored.is_check() == board.is_check()
    assert board.is_check() == bool(board.checkers())
    assert Board.from_hcp(board.to_hcp()).key == board.key
    assert Board.from_packed_sfen(board.to_packed_sfen()).pieces() == board.pieces()
    for move in board.legal_moves():
        label, compact = move.label(board.turn), move.compact_label(board.turn)
        assert board.move_of_label(label) is move
        assert board.move_of_label(compact, compact=True) is move
        assert board.gives_check(move) == _check_after(board, move)
    keys = []
    while board.history_length:
        keys.append(board.key)
        board.pop()
    assert board == Board()
    assert board.key == Board().key


def _check_after(board: Board, move: Move) -> bool:
    board.push(move)
    check = board.is_check()
    board.pop()
    return check


def test_numpy_views() -> None:
    board = Board()
    by_file = board.to_numpy()
    assert by_file.shape == (9, 9)
    assert by_file[6, 6] == board[Square.from_usi("7g")]
    by_row = board.to_numpy("row_major")
    assert by_row.reshape(-1)[Square.from_usi("2h").row_major] == Piece.from_usi("R")


def test_repetition() -> None:
    board = Board()
    for n in range(3):
        assert not board.is_repetition()
        for text in ("2h3h", "8b7b", "3h2h", "7b8b"):
            board.push_usi(text)
        assert board.is_repetition(n + 2)
    assert board.is_repetition()
    assert board.repetition_state() is komadori.RepetitionState.DRAW
    assert board.search_repetition(8) is komadori.RepetitionState.DRAW


def test_sets_of_squares() -> None:
    board = Board("4k4/9/9/4r4/9/9/4G4/9/4K4 b - 1")
    assert [sq.to_usi() for sq in board.pinned()] == ["5g"]
    assert [sq.to_usi() for sq in board.attackers_to(Square.from_usi("5g"), Color.WHITE)] == ["5d"]
    assert not board.checkers()


def test_text_and_pictures() -> None:
    board = Board.from_position("startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e")
    text = str(board)
    assert text.count("\n") >= 11
    assert "ply 6" in text
    for picture in (board._repr_svg_(), board.svg(flipped=True, fills={40: "#ff0000"}, arrows=[(60, 59)], size=300)):
        document = xml.dom.minidom.parseString(picture)
        assert document.documentElement.tagName == "svg"
        pieces = [node.getAttribute("href") for node in document.getElementsByTagName("use") if node.getAttribute("class") == "piece"]
        assert len(pieces) == 39  # and a bishop in hand
    assert "#ff0000" in picture


def test_boards_without_kings_may_have_more_moves_than_any_game() -> None:
    for sfen, count in (("R8/2K1S1SS1/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", 599), ("R8/4S1SS1/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", None)):
        board = komadori.Board(sfen)
        moves = board.legal_moves()
        assert len(moves) == komadori.perft(board, 1) == len(moves.to_numpy())
        assert count is None or len(moves) == count
        assert all(board.is_legal(move) for move in moves)


def test_a_board_is_made_once() -> None:
    board = komadori.Board()
    with pytest.raises(TypeError):
        board.__init__()  # type: ignore[misc]


def test_drawings_take_squares_and_escape_colors() -> None:
    board = komadori.Board()
    assert "<script" not in board.svg(fills={1: '"><script>'})
    for wrong in ({"fills": {99: "red"}}, {"fills": {-5: "red"}}, {"arrows": [(99, 1)]}):
        with pytest.raises(ValueError, match="square"):
            board.svg(**wrong)  # type: ignore[arg-type]
