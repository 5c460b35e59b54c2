"""Setups, handicaps and the texts of boards as a user sees them."""

from __future__ import annotations

import copy
import json
import pickle
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import komadori
import vectorset
from komadori import (
    Board,
    Color,
    Hand,
    Handicap,
    InvalidPositionError,
    InvalidValueError,
    Move,
    ParseError,
    Piece,
    PieceType,
    Problem,
    ProblemKind,
    Setup,
    SetupHand,
    Square,
)

ROOM = (31, 7, 7, 7, 3, 3, 7)
MEN = {1: 18, 2: 4, 3: 4, 4: 4, 5: 2, 6: 2, 7: 4, 8: 2}
ON_BOARD = [0, *range(1, 15), *range(17, 31)]

squares = st.integers(0, 80)
#: Anything that a diagram shows: several kings, too many men, dead ends, hands beyond a full set.
setups = st.builds(
    Setup.from_pieces,
    st.lists(st.one_of(st.just(0), st.sampled_from(ON_BOARD)), min_size=81, max_size=81),
    st.tuples(*(st.tuples(*(st.integers(0, n) for n in ROOM)) for _ in range(2))),
    st.integers(0, 1),
    st.integers(1, 2**31 - 1),
)


def test_handicaps_by_name_and_value() -> None:
    assert Board.handicap("平手") == Board() == Board.handicap(0) == Board.handicap(Handicap.EVEN)
    for handicap in Handicap:
        assert Handicap.from_name(handicap.name) is Handicap.from_name(handicap.english) is Handicap.from_name(handicap.japanese) is handicap
        assert pickle.loads(pickle.dumps(handicap)) is handicap
        if handicap not in (Handicap.EVEN, Handicap.OTHER):
            board = Board.handicap(handicap)
            assert board.turn == komadori.Color.WHITE
            assert board == Board.handicap(handicap.japanese.removesuffix("落ち"))
    assert Board.handicap("左七枚落ち").to_sfen() == "2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"


def test_what_is_no_handicap() -> None:
    for name in ("", "百枚落ち", "七枚落ち", "\ud800", "x" * 100_000):
        with pytest.raises(ParseError):
            Board.handicap(name)
    with pytest.raises(InvalidValueError):
        Board.handicap(Handicap.OTHER)
    for number in (17, -1, 2**40):
        with pytest.raises(InvalidValueError):
            Board.handicap(number)
    for wrong in (None, 1.5, b"lance"):
        with pytest.raises(TypeError):
            Board.handicap(wrong)  # type: ignore[arg-type]
        for ask in (Handicap.of, Setup.from_board):
            with pytest.raises(TypeError):
                ask(wrong)  # type: ignore[operator]
        with pytest.raises(TypeError):
            Handicap.from_name(wrong)  # type: ignore[arg-type]


def test_vectors_handicap_starts() -> None:
    n = 0
    for row in vectorset.rows("vectors/games.jsonl.gz"):
        handicap = Handicap.from_name(row["handicap"])
        assert handicap.japanese == row["handicap"]
        if handicap is not Handicap.OTHER:
            assert Board.handicap(handicap).to_sfen() == row["start"]
            n += 1
    vectorset.count("vectors/games.jsonl.gz (handicap starts)", n)


def test_an_empty_setup_and_its_parts() -> None:
    setup = Setup()
    assert setup.to_sfen() == "9/9/9/9/9/9/9/9/9 b - 1"
    assert (setup.turn, setup.ply, setup.pieces()) == (Color.BLACK, 1, bytes(81))
    setup[Square.from_usi("5e")] = Piece.from_usi("+r")
    setup[0] = 1
    setup.hands[0][PieceType.ROOK] = 3
    setup.hands[1].set((31, 0, 0, 0, 0, 0, 7))
    setup.turn, setup.ply = 1, 9  # type: ignore[assignment]
    assert setup.turn is Color.WHITE
    assert setup.to_sfen() == "8P/9/9/9/4+r4/9/9/9/9 w 3R7g31p 9"
    assert setup.to_sfen(ply=False) == "8P/9/9/9/4+r4/9/9/9/9 w 3R7g31p"
    assert (setup[40], type(setup[40]), setup[1]) == (Piece(30), Piece, Piece(0))
    assert setup.hands[1].counts == (31, 0, 0, 0, 0, 0, 7)
    assert (len(setup.hands[1]), list(setup.hands[1]), setup.hands[1][1]) == (38, [PieceType.PAWN, PieceType.GOLD], 31)
    assert repr(setup.hands[1]) == "<SetupHand: 7G 31P>"
    setup.hands[0].set(Hand.from_counts((1, 0, 0, 0, 0, 0, 0)))
    assert setup.hands[0] == Hand.from_counts((1, 0, 0, 0, 0, 0, 0))
    setup.hands[1].clear()
    assert repr(setup.hands[1]) == "<SetupHand: nothing>"
    setup.move(40, 41)
    setup.move(0, 41)  # takes the dragon
    setup.swap(41, 80)
    assert setup.to_sfen() == "9/9/9/9/9/9/9/9/P8 w P 9"
    assert setup.take(80) == Piece(1)
    assert setup.take(80).is_empty
    setup[3] = 5
    del setup[3]
    assert setup.pieces() == bytes(81)
    setup.clear()
    assert setup == Setup()


def test_what_a_setup_refuses() -> None:
    setup = Setup("4k4/9/9/9/9/9/9/9/4K4 b RGrg 5")
    before = setup.copy()
    wrong: list[Any] = [
        lambda: setup[81], lambda: setup[-1], lambda: setup.__setitem__(81, 1), lambda: setup.__setitem__(0, 15), lambda: setup.__setitem__(0, 31),
        lambda: setup.__setitem__(0, 16), lambda: setup.__setitem__(0, 32), lambda: setup.__setitem__(0, -1), lambda: setup.__delitem__(81),
        lambda: setup.take(81), lambda: setup.move(0, 1), lambda: setup.move(36, 81), lambda: setup.swap(0, 81), lambda: setup.give_box(2),
        lambda: setattr(setup, "turn", 2), lambda: setattr(setup, "ply", 0), lambda: setattr(setup, "ply", 2**31),
        lambda: setup.hands[0].__setitem__(PieceType.ROOK, 4), lambda: setup.hands[0].__setitem__(PieceType.PAWN, -1),
        lambda: setup.hands[0][PieceType.KING], lambda: setup.hands[0][0], lambda: setup.hands[0].set((1, 2)), lambda: setup.hands[0].set((32,) * 7),
        lambda: Setup.from_pieces([0] * 80), lambda: Setup.from_pieces([31] * 81), lambda: Setup.from_pieces([0] * 81, [(0,) * 7]),
        lambda: Setup("nonsense"), lambda: Setup(""), lambda: Setup("9/9/9/9/9/9/9/9/9 b 4R 1"), lambda: Setup.from_csa(""), lambda: Setup.from_bod("x"),
        lambda: Setup.handicap("x"), lambda: Setup.handicap(Handicap.OTHER),
    ]  # fmt: skip
    for make in wrong:
        with pytest.raises(ValueError):
            make()
        assert setup == before
    for mistyped in (lambda: Setup(5), lambda: setup["5e"], lambda: setup.__setitem__(0, "K"), lambda: setup.__setitem__(0.5, 1), lambda: Setup.from_csa(b"+"),
                     lambda: setattr(setup, "ply", "x"), lambda: Board.from_setup("startpos"), lambda: setup.hands[0].__setitem__(1, 1.0)):  # fmt: skip
        with pytest.raises(TypeError):
            mistyped()  # type: ignore[no-untyped-call]
        assert setup == before
    with pytest.raises(TypeError):
        hash(setup)


def test_setups_are_values_that_change() -> None:
    setup = Setup("4k4/9/9/9/9/9/9/9/4K4 b RGrg 5")
    for other in (setup.copy(), copy.copy(setup), copy.deepcopy(setup), pickle.loads(pickle.dumps(setup)), eval(repr(setup))):
        assert other == setup
        other[0] = 1
        assert other != setup
        other[0] = 0
        other.hands[1][PieceType.PAWN] = 1
        assert other != setup
    assert setup != "4k4/9/9/9/9/9/9/9/4K4 b RGrg 5"
    odd = Setup("kkk6/9/9/9/9/9/9/9/RRR6 w 31P 7")
    assert pickle.loads(pickle.dumps(odd)) == odd


def test_hands_of_setups_are_values_that_change() -> None:
    hand = Setup("9/9/9/9/9/9/9/9/9 b R2G31P 1").hands[0]
    for other in (SetupHand(hand), SetupHand(hand.counts), copy.copy(hand), copy.deepcopy(hand), *(pickle.loads(pickle.dumps(hand, p)) for p in range(6))):
        assert other == hand
        other[PieceType.PAWN] -= 1  # which is not that of the setup
        assert other != hand
    assert hand.counts == (31, 0, 0, 0, 0, 1, 2)
    real = Board("9/9/9/9/9/9/9/9/9 b R2G 1").hand(0)
    assert SetupHand(real) == real
    assert real == SetupHand(real)
    assert real != SetupHand()


def test_boards_and_setups() -> None:
    board = Board()
    for move in ("7g7f", "3c3d", "8h2b+"):
        board.push_usi(move)
    setup = board.setup()
    assert setup == Setup.from_board(board) == Setup(board.to_sfen())
    assert setup.to_board() == board == Board.from_setup(setup)
    assert setup.to_board().history_length == 0
    setup[0] = 0
    assert setup != board.setup()
    for text in (str(board), board.to_csa(), board.to_bod(), board.to_sfen(ply=False)):
        assert text in (str(board.setup()), board.setup().to_csa(), board.setup().to_bod(), board.setup().to_sfen(ply=False))
    assert Board.from_csa(board.to_csa()).to_sfen(ply=False) == board.to_sfen(ply=False)
    assert Board.from_bod(board.to_bod()) == board
    assert Setup.from_plain(str(board)) == board.setup()
    assert Handicap.of(board) is Handicap.of(Setup()) is Handicap.OTHER
    assert Handicap.of(Board.handicap("飛香落ち")) is Handicap.ROOK_LANCE


def test_pieces_are_iterated_by_square() -> None:
    board = Board()
    assert [int(piece) for piece in board] == list(board.pieces())
    assert list(board.setup()) == list(board)


def test_errors_have_all_problems_and_the_text() -> None:
    text = "PPPPPPPPP/PPPPPPPPP/9/9/9/9/9/9/9 b - 1"
    want = Setup(text).problems()
    assert len(want) == 20
    board = Board()
    for read in (Board, Board.from_position, board.set_sfen, lambda text: Setup(text).to_board(), lambda text: Board.from_bod(Setup(text).to_bod())):
        with pytest.raises(InvalidPositionError) as refused:
            read(text)
        assert list(refused.value.problems) == want
    for read in (Board, Board.from_position, board.set_sfen, Setup, Setup.from_csa, Setup.from_bod, Setup.from_plain, Board.from_csa, Handicap.from_name,
                 komadori.Rules.profile, komadori.EnteringKingRule.from_name, komadori.Ki2Notation.from_text, Move.from_usi, Square.from_usi,
                 Piece.from_usi):  # fmt: skip
        for junk in ("", "junk", "\ud800", "\n" * 300, "x" * 100_000):
            if junk.strip() or read not in (Setup.from_csa, Board.from_csa):
                with pytest.raises(ParseError) as unreadable:
                    read(junk)
                assert unreadable.value.text == junk
                assert len(str(unreadable.value)) < 512
                assert unreadable.value.offset is not None


def test_every_problem_at_once() -> None:
    setup = Setup("P3k4/4R4/P8/9/9/9/9/3RR4/3KK4 b 3r 1")
    kinds = [problem.kind for problem in setup.problems()]
    assert kinds == [
        ProblemKind.TWO_KINGS, ProblemKind.INVALID_PLACEMENT, ProblemKind.DOUBLE_PAWN, ProblemKind.INVALID_HAND_COUNT, ProblemKind.TOO_MANY_PIECES,
        ProblemKind.OPPONENT_IN_CHECK,
    ]  # fmt: skip
    assert not setup.is_position()
    with pytest.raises(InvalidPositionError) as caught:
        setup.to_board()
    assert caught.value.problems == tuple(setup.problems())
    words = [str(problem) for problem in setup.problems()]
    assert words[0].startswith("two kings (black) on ")
    assert words[3:5] == ["invalid hand count (white) rook", "too many pieces rook"]
    # A library's error has room for sixteen problems; a setup lists them all.
    full = Setup.from_pieces([1] * 81, [(0,) * 7, (0,) * 7])
    assert len(full.problems()) > 70
    for make in (full.to_board, lambda: Board.from_setup(full), lambda: Board.from_bod(full.to_bod())):
        with pytest.raises(InvalidPositionError) as caught:
            make()
        assert caught.value.problems == tuple(full.problems())


def test_the_box() -> None:
    assert Setup().box() == {PieceType(kind): n for kind, n in MEN.items()}
    assert Board().setup().box() == {}
    setup = Setup("7nl/5+B1k1/6ppp/9/9/9/9/9/9 b RG 1")
    setup.give_box(Color.WHITE)
    assert setup.to_sfen() == "7nl/5+B1k1/6ppp/9/9/9/9/9/9 b RGrb3g4s3n3l15p 1"
    assert setup.box() == {PieceType.KING: 1}
    assert setup.to_board().mate_in_one() is not None


def ply_less(setup: Setup) -> Setup:
    other = setup.copy()
    other.ply = 1
    return other


@given(setups)
@settings(max_examples=150, deadline=None)
def test_texts_read_back(setup: Setup) -> None:
    for turned in (setup, setup.flip_side(), setup.mirror_file()):
        assert Setup(turned.to_sfen()) == Setup.from_bod(turned.to_bod()) == Setup.from_plain(str(turned)) == turned
        assert Setup.from_sfen(turned.to_sfen(ply=False)) == Setup.from_csa(turned.to_csa()) == ply_less(turned)


def turned_problems(setup: Setup, square: Any, color: Any) -> Counter[Problem]:
    """Problems as they are after a turn. Which of two kings or of two pawns of a file is the second depends on the order of squares: left out."""
    out: Counter[Problem] = Counter()
    for kind, owner, where, what in setup.problems():
        where = square(where)
        if kind == ProblemKind.TWO_KINGS:
            where = Square.NONE
        if kind == ProblemKind.DOUBLE_PAWN:
            where = Square(9 * where.file)
        out[Problem(kind, owner if kind == ProblemKind.TOO_MANY_PIECES else color(owner), where, what)] += 1
    return out


@given(setups, squares, squares, st.sampled_from(ON_BOARD), st.integers(0, 1))
@settings(max_examples=150, deadline=None)
def test_flip_and_mirror_commute(setup: Setup, a: int, b: int, piece: int, color: int) -> None:
    flipped, mirrored = setup.flip_side(), setup.mirror_file()
    assert flipped.flip_side() == mirrored.mirror_file() == setup
    assert flipped.mirror_file() == mirrored.flip_side()
    assert setup.box() == flipped.box() == mirrored.box()
    assert setup.is_position() == flipped.is_position() == mirrored.is_position()
    assert turned_problems(setup, Square.flip_side, Color.flip_side) == turned_problems(flipped, Square, Color)
    assert turned_problems(setup, Square.mirror_file, Color) == turned_problems(mirrored, Square, Color)
    assert [Piece(p).flip_side() for p in reversed(setup.pieces())] == list(map(Piece, flipped.pieces()))
    assert (setup.hands, setup.turn.opposite, setup.ply) == (flipped.hands[::-1], flipped.turn, flipped.ply)
    if setup.is_position():
        board = setup.to_board()
        assert board.flip_side().setup() == flipped
        assert board.mirror_file().setup() == mirrored
    # The same editing before and after.
    for edit in ("put", "swap", "take", "give_box"):
        edited, turned = setup.copy(), setup.flip_side()
        if edit == "put":
            edited[a], turned[80 - a] = piece, Piece(piece).flip_side()
        elif edit == "swap":
            edited.swap(a, b)
            turned.swap(80 - a, 80 - b)
        elif edit == "take":
            assert edited.take(a).flip_side() == turned.take(80 - a)
        else:
            edited.give_box(color)
            turned.give_box(1 - color)
        assert edited.flip_side() == turned


def test_vectors_texts_and_turns() -> None:
    n = 0
    for row in vectorset.rows("vectors/positions.jsonl.gz"):
        given = Setup(row["sfen"])
        setup = ply_less(given)
        csa = row["csa"].replace("*  ", " * ")
        bod = row["bod"].rstrip("\n")
        assert given.to_csa() == csa
        assert setup.to_bod() == bod
        assert Setup.from_csa(row["csa"]) == Setup.from_csa(csa) == Setup.from_bod(bod) == setup
        if "bod_rsshogi" in row:
            assert Setup.from_bod(row["bod_rsshogi"]) == setup
        assert given.flip_side().to_sfen() == row["sfen_flipped"]
        assert given.mirror_file().to_sfen() == row["sfen_mirrored"]
        assert Setup.from_plain(str(given)) == given
        if given.is_position():  # a few have pieces that can never move again
            board = Board(row["sfen"])
            assert (board.setup(), str(board), board.to_csa(), board.to_bod()) == (given, str(given), csa, given.to_bod())
            assert board.flip_side().to_sfen() == row["sfen_flipped"]
            assert board.mirror_file().to_sfen() == row["sfen_mirrored"]
        n += 1
    vectorset.count("vectors/positions.jsonl.gz (board texts)", n)


def test_vectors_starts_of_records() -> None:
    """The start of every real record, read from the whole file."""
    n = 0
    for line in vectorset.path("games/index.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["format"] not in ("csa", "kif", "ki2"):
            continue
        raw = vectorset.path(f"games/{row['file']}").read_bytes()
        text = raw.decode({"ascii": "ascii", "cp932": "cp932"}.get(row["encoding"], "utf-8"))
        read = Setup.from_csa if row["format"] == "csa" else Setup.from_bod
        if row["format"] != "csa" and "手合割" not in text and "|一" not in text:
            with pytest.raises(ParseError):  # neither header nor diagram: an even game, which is for the reader of records to say
                read(text)
        elif row["initial_sfen"] is None:
            assert Handicap.of(read(text)) is Handicap.LEFT_SEVEN_PIECE
        else:
            assert ply_less(read(text)) == Setup(row["initial_sfen"]), row["file"]
        n += 1
    vectorset.count("games/index.jsonl (starts)", n)


def test_vectors_bad_boards() -> None:
    """Diagrams and position lines that no board may come from; all other rows are bad in their moves, which are not read here."""
    bad = {
        "CSA: empty text", "CSA: rank line too short", "CSA: unknown piece in a rank line", "CSA: rank 0", "CSA: handicap line with an unknown piece",
        "CSA: handicap line takes a man from an empty square", "CSA: king in hand", "CSA: piece line cut short", "CSA: nineteenth pawn",
        "KIF: unknown handicap name", "KIF: empty text", "KIF: not a game record", "KIF: rank of eight squares in the diagram", "KIF: diagram cut short",
        "KIF: unknown man in hand", "KIF: nineteen pawns in hand", "KIF: unknown man in the diagram",
    }  # fmt: skip
    n = 0
    for row in vectorset.rows("vectors/bad_input.jsonl"):
        if row["kind"] not in ("csa", "kif"):
            continue
        read = Board.from_csa if row["kind"] == "csa" else Board.from_bod
        if row["reason"] in bad:
            with pytest.raises((ParseError, InvalidPositionError)):
                read(row["text"])
        else:
            assert isinstance(read(row["text"]), Board)
        n += 1
    vectorset.count("vectors/bad_input.jsonl (board texts)", n)
