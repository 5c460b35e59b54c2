"""Moves by kind, attacks and exchanges against their definitions, told a second time in plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import komadori
import vectorset
from komadori import Bitboard, Board, Color, IllegalMoveError, InvalidValueError, Move, Move32, MoveKind, PieceType, Square

BUSY = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1"
START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"

CROSS, STRAIGHT = [(1, 1), (1, -1), (-1, 1), (-1, -1)], [(0, 1), (0, -1), (1, 0), (-1, 0)]
GOLD = [(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (0, -1)]
STEPS = {1: [(0, 1)], 3: [(-1, 2), (1, 2)], 4: [*CROSS, (0, 1)], 7: GOLD, 8: CROSS + STRAIGHT, 9: GOLD, 10: GOLD, 11: GOLD, 12: GOLD, 13: STRAIGHT, 14: CROSS}
RAYS = {2: [(0, 1)], 5: CROSS, 6: STRAIGHT, 13: CROSS, 14: STRAIGHT}
WORTH = [0, 200, 600, 640, 900, 1600, 2000, 1100, 40000, 650, 850, 870, 1000, 1750, 2150]
ALONE = [0, 100, 300, 320, 450, 800, 1000, 550, 20000, 550, 550, 550, 550, 950, 1150]


def reach(pieces: bytes | bytearray, start: int) -> Iterator[int]:
    """The squares that the piece on a square attacks, walked one by one."""
    piece = pieces[start]
    ahead = 1 if piece & 16 else -1
    for moves, once in ((STEPS, True), (RAYS, False)):
        for df, dr in moves.get(piece & 15, ()):
            file, rank = start // 9 + df, start % 9 + ahead * dr
            while 0 <= file < 9 and 0 <= rank < 9:
                yield 9 * file + rank
                if once or pieces[9 * file + rank]:
                    break
                file, rank = file + df, rank + ahead * dr


def attackers(pieces: bytes | bytearray, square: int, color: int) -> list[int]:
    return [at for at, p in enumerate(pieces) if p and p >> 4 == color and square in reach(pieces, at)]


def hiding(pieces: bytes, king: int, color: int) -> list[int]:
    """Pieces whose removal lets a slider that did not attack the king attack it."""
    if king == 81:
        return []
    now, found = set(attackers(pieces, king, 1 - color)), []
    for sq, p in enumerate(pieces):
        if p and sq != king:
            without = bytearray(pieces)
            without[sq] = 0
            if set(attackers(without, king, 1 - color)) - now:
                found.append(sq)
    return found


def exchange(pieces: bytearray, to: int, color: int) -> int:
    """What a side wins by taking on a square with its least valuable pieces, each of several tried."""
    takers = attackers(pieces, to, color)
    least = min((pieces[at] & 15 for at in takers), key=WORTH.__getitem__, default=0)
    best = 0
    for at in takers:
        if pieces[at] & 15 == least:
            after = bytearray(pieces)
            after[to], after[at] = pieces[at], 0
            if least == PieceType.KING and attackers(after, to, 1 - color):
                return 0
            best = max(best, WORTH[pieces[to] & 15] - exchange(after, to, 1 - color))
    return best


def see(board: Board, move: Move) -> int:
    pieces, to = bytearray(board.pieces()), move.to_square
    gain = WORTH[pieces[to] & 15]
    if move.is_drop:
        pieces[to] = move.dropped_type + 16 * board.turn
    else:
        kind = pieces[move.from_square] & 15
        gain += ALONE[kind + 8] - ALONE[kind] if move.is_promotion else 0
        pieces[to], pieces[move.from_square] = pieces[move.from_square] + 8 * move.is_promotion, 0
    return gain - exchange(pieces, to, 1 - board.turn)


def belongs(board: Board, kind: MoveKind, move: Move, square: int = 81) -> bool:
    """The definition of a kind, asked of a legal move."""
    takes = not board.piece_at(move.to_square).is_empty
    if kind is MoveKind.SEARCH and not move.is_drop and not move.is_promotion:
        far = [s.rank if board.turn == 0 else 8 - s.rank for s in (move.from_square, move.to_square)]
        piece = board.piece_at(move.from_square).type
        if piece is PieceType.LANCE:
            return far[1] >= 2
        return min(far) > 2 or piece not in (PieceType.PAWN, PieceType.BISHOP, PieceType.ROOK)
    if kind is MoveKind.CHECKS:
        board.push(move)
        check = board.is_check()
        board.pop()
        return check
    return {
        MoveKind.CAPTURES: takes, MoveKind.QUIETS: not takes, MoveKind.EVASIONS: board.is_check(), MoveKind.DROPS: move.is_drop,
        MoveKind.TACTICAL: takes or move.is_promotion, MoveKind.RECAPTURES: takes and move.to_square == square,
    }.get(kind, True)  # fmt: skip


LISTS = {
    MoveKind.ALL: Board.legal_moves, MoveKind.PSEUDO_LEGAL: Board.pseudo_legal_moves, MoveKind.SEARCH: Board.search_moves,
    MoveKind.CAPTURES: Board.captures, MoveKind.QUIETS: Board.quiets, MoveKind.EVASIONS: Board.evasions, MoveKind.CHECKS: Board.checks,
    MoveKind.DROPS: Board.drops, MoveKind.TACTICAL: Board.tactical_moves,
}  # fmt: skip


def values(moves: Any) -> list[int]:
    return sorted(m.value for m in moves)


def assert_kinds(board: Board) -> None:
    legal = list(board.legal_moves())
    for kind, listed in LISTS.items():
        got = values(listed(board))
        assert got == values(board.iter_moves(kind)), kind
        if kind is MoveKind.PSEUDO_LEGAL:
            assert set(got) >= set(values(legal))
        else:
            assert got == values(m for m in legal if belongs(board, kind, m)), (kind, board)
    for square in {m.to_square for m in legal[:: max(1, len(legal) // 5)]}:
        assert values(board.recaptures(square)) == values(m for m in legal if belongs(board, MoveKind.RECAPTURES, m, square))
        assert values(board.recaptures(square)) == values(board.iter_moves(MoveKind.RECAPTURES, square))


def assert_attacks(board: Board) -> None:
    pieces = board.pieces()
    counts, mobility = np.zeros((2, 15, 81), np.uint8), np.zeros(81, np.uint8)
    joined = np.zeros((2, 81), np.uint8)
    attacked: list[set[int]] = [set(), set()]
    for sq, piece in enumerate(pieces):
        squares = set(reach(pieces, sq)) if piece else set()
        assert set(board.attacks_by(sq)) == squares
        for to in squares:
            counts[piece >> 4, [0, piece & 15], to] += 1
            mobility[sq] += not pieces[to] or pieces[to] >> 4 != piece >> 4
        if piece:
            attacked[piece >> 4] |= squares
    for color in Color:
        king = board.king_square(color)
        assert set(board.attacked_by(color)) == attacked[color]
        assert list(board.blockers(color)) == hiding(pieces, king, color)
        assert list(board.pinned(color)) == [sq for sq in hiding(pieces, king, color) if pieces[sq] >> 4 == color]
        for sq in range(0, 81, 7):
            assert list(board.attackers_to(sq, color)) == attackers(pieces, sq, color)
            assert board.is_attacked(sq, color) == (sq in attacked[color])
        for sq in range(81):
            left = bytearray(pieces)
            while found := attackers(left, sq, color):
                joined[color, sq] += len(found)
                for at in found:
                    left[at] = 0
    king = board.king_square(board.turn)
    assert list(board.checkers()) == ([] if king == 81 else attackers(pieces, king, 1 - board.turn))
    enemy = board.king_square(1 - board.turn)
    assert list(board.discoverers()) == [sq for sq in hiding(pieces, enemy, 1 - board.turn) if pieces[sq] >> 4 == board.turn]
    for kind in range(1, 15):
        wanted = []
        for sq in range(81 if enemy < 81 and kind != PieceType.KING else 0):
            put = bytearray(pieces)
            put[sq] = kind + 16 * board.turn
            if sq != enemy and enemy in reach(put, sq):
                wanted.append(sq)
        assert list(board.check_squares(kind)) == wanted, kind
    assert np.array_equal(board.attack_counts(by_kind=True), counts.reshape(2, 15, 9, 9))
    assert np.array_equal(board.attack_counts(), counts[:, 0].reshape(2, 9, 9))
    assert np.array_equal(board.attack_counts(xray=True), joined.reshape(2, 9, 9))
    assert np.array_equal(board.attack_counts(xray=True, by_kind=True).sum(1), 2 * joined.reshape(2, 9, 9))
    assert np.array_equal(board.mobility(), mobility.reshape(9, 9))


def test_kinds_of_every_position() -> None:
    n = 0
    for row in vectorset.rows("vectors/positions.jsonl.gz"):
        if "INVALID_PLACEMENT" in row["valid"]:
            n += 1  # refused
            continue
        with Board(row["sfen"]) as board:
            if n % 4 == 0:  # the library itself is compared on all of them
                assert_kinds(board)
            pseudo, legal = board.pseudo_legal_moves(), board.legal_moves()
            for text in row["uchifuzume"]:
                assert Move.from_usi(text) in pseudo
                assert Move.from_usi(text) not in legal
            mates = []
            for move in board.checks():
                board.push(move)
                if board.is_checkmate():
                    mates.append(move.to_usi())
                board.pop()
            assert sorted(mates) == sorted(row["mate_in_one"])
            assert sorted(sq.to_usi() for sq in board.pinned()) == sorted(row["pinned"])
            assert len(board.checkers()) == row["checkers"]
            assert bool(board.evasions()) == (row["in_check"] and row["count"] > 0)
        n += 1
    vectorset.count("vectors/positions.jsonl.gz", n)


def test_attacks_of_a_sample_of_positions() -> None:
    n = 0
    for i, row in enumerate(vectorset.rows("vectors/positions.jsonl.gz")):
        if i % 40 or "INVALID_PLACEMENT" in row["valid"]:
            continue
        with Board(row["sfen"]) as board:
            assert_attacks(board)
            for move in [*board.captures(), *list(board.drops())[::10], *list(board.quiets())[::10]]:
                assert board.see(move) == see(board, move), (move, board)
        n += 1
    vectorset.count("vectors/positions.jsonl.gz", n)


@pytest.mark.parametrize("name", ["legal-moves", "legal-checks"])
def test_listed_moves(name: str) -> None:
    n = 0
    for row in vectorset.rows(f"games/positions/{name}.jsonl"):
        with Board(row["sfen"]) as board:
            listed = board.checks() if name == "legal-checks" else board.legal_moves()
            assert sorted(m.to_usi() for m in listed) == sorted(row["moves"].split())
            left = {m.to_usi() for m in listed if m not in board.search_moves()}
            assert left == set(row["left_out_by_nshogi"].split())
        n += 1
    vectorset.count(f"games/positions/{name}.jsonl", n)


def test_illegal_moves_are_of_no_kind() -> None:
    n = 0
    for row in vectorset.rows("vectors/illegal_moves.jsonl"):
        try:
            board = Board(row["sfen"])
        except komadori.InvalidPositionError:
            continue
        move = Move.from_usi(row["usi"])
        for kind, listed in LISTS.items():
            assert kind is MoveKind.PSEUDO_LEGAL or move not in listed(board)
        with pytest.raises(IllegalMoveError):
            board.see(move)
        n += 1
    vectorset.count("vectors/illegal_moves.jsonl", n)


def test_random_games() -> None:
    """Without the vectors, too: walks from two positions, and what turns and mirrors with the board."""
    choose = random.Random(4)
    for sfen in (START, BUSY, "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"):
        board = Board(sfen)
        for ply in range(24):
            legal = list(board.legal_moves())
            if not legal:
                break
            if ply % 3 == 0:
                assert_kinds(board)
                assert_attacks(board)
            flipped, mirrored = board.flip_side(), board.mirror_file()
            for move in legal[:: max(1, len(legal) // 8)]:
                assert board.see(move) == flipped.see(move.flip_side()) == mirrored.see(move.mirror_file()) == see(board, move)
            assert values(board.checks()) == values(m.flip_side() for m in flipped.checks()) == values(m.mirror_file() for m in mirrored.checks())
            counts = board.attack_counts(xray=True)
            assert np.array_equal(flipped.attack_counts(xray=True), counts[::-1, ::-1, ::-1])
            assert np.array_equal(mirrored.attack_counts(xray=True), counts[:, ::-1])
            assert np.array_equal(mirrored.mobility(), board.mobility()[::-1])
            for color in Color:
                assert flipped.blockers(color.opposite) == board.blockers(color).flip_side()
                assert mirrored.attacked_by(color) == board.attacked_by(color).mirror_file()
            assert mirrored.check_squares(PieceType.ROOK) == board.check_squares(PieceType.ROOK).mirror_file()
            board.push(choose.choice(list(board.tactical_moves()) if ply % 2 and board.tactical_moves() else legal))


def test_counts_in_both_orders() -> None:
    board = Board("4k4/9/9/9/9/4P4/9/4L4/4K4 b - 1")
    by_file, by_row = board.attack_counts(xray=True), board.attack_counts(xray=True, order="row_major")
    assert (by_file.shape, by_file.dtype, by_row.shape) == ((2, 9, 9), np.uint8, (2, 9, 9))
    assert by_row.flags.c_contiguous
    assert by_file.flags.writeable
    for sq in map(Square, range(81)):
        assert by_file[0, sq.file, sq.rank] == by_row[0, sq.rank, 8 - sq.file]
    assert by_file[0, 4, 4] == 2
    assert board.attack_counts(by_kind=True)[0, PieceType.LANCE].sum() == 2
    assert board.mobility()[4, 8] == board.mobility(order="row_major")[8, 4] == 4
    for call in (board.attack_counts, board.mobility):
        with pytest.raises(ValueError, match="file_major"):
            call(order="x")


def test_a_loop_over_moves_may_end_early_and_play() -> None:
    board = Board(BUSY)
    before = board.to_position()
    seen = []
    for move in board.iter_moves():
        board.push(move)
        board.pop()
        seen.append(move)
    assert board.to_position() == before
    assert values(seen) == values(board.legal_moves())
    takes = [not board.piece_at(m.to_square).is_empty for m in seen]
    assert takes == sorted(takes, reverse=True)
    assert [m.is_drop for m in seen] == sorted(m.is_drop for m in seen)
    assert next(board.iter_moves(MoveKind.DROPS)).is_drop
    moves = board.iter_moves()
    next(moves)
    board.close()
    with pytest.raises(komadori.HandleError):
        list(moves)


def test_last_move_and_keys() -> None:
    board = Board()
    assert board.last_move is None
    with pytest.raises(IndexError):
        board.peek()
    start = (board.key, board.board_key, board.hand_key, board.pawn_key, board.material_key, board.key128)
    assert start == (
        0xAF0687BCEF290CAE, 0xAF0687BCEF290CAE, 0, 0x73382BA48C1859A3, 0x770FF7D774C8224A, 0xD44AF54FEE560E2CAF0687BCEF290CAE,
    )  # fmt: skip
    move = board.push_usi("2h3h")
    assert board.last_move is board.peek() is move
    assert (board.pawn_key, board.material_key, board.hand_key) == (*start[3:5], 0)
    assert board.key128 & (2**64 - 1) == board.key != start[0]
    board.push_null()
    assert board.last_move is board.peek() is Move.NULL
    board.pop()
    assert board.last_move is move
    board.pop()
    assert board.last_move is None
    assert board.key128 == start[5]
    assert Board.from_position("startpos moves 7g7f 3c3d").last_move == Move.from_usi("3c3d")
    board.close()
    with pytest.raises(komadori.HandleError):
        _ = board.last_move
    with pytest.raises(komadori.HandleError):
        _ = board.key128


def test_exchanges_in_small() -> None:
    for sfen, move, value in [
        ("4k4/9/9/9/4p4/4R4/9/9/4K4 b - 1", "5f5e", 200),
        ("4k4/9/9/4g4/4p4/4R4/9/9/4K4 b - 1", "5f5e", 200 - 2000),
        ("4k4/9/9/P8/9/9/9/9/4K4 b - 1", "9d9c+", 450),
        ("4k4/9/9/9/9/9/9/9/4K4 b G 1", "G*5e", 0),
    ]:
        assert Board(sfen).see(Move.from_usi(move)) == value


WRONG = [
    (lambda b: b.recaptures(81), InvalidValueError), (lambda b: b.recaptures(-1), InvalidValueError), (lambda b: b.recaptures("5e"), TypeError),
    (lambda b: b.iter_moves(10), ValueError), (lambda b: b.iter_moves(-1), ValueError), (lambda b: b.iter_moves(MoveKind.RECAPTURES), TypeError),
    (lambda b: b.iter_moves(MoveKind.RECAPTURES, 81), InvalidValueError), (lambda b: b.iter_moves(MoveKind.ALL, 3), TypeError),
    (lambda b: b.attackers_to(81, 0), InvalidValueError), (lambda b: b.attackers_to(0, 2), ValueError), (lambda b: b.attackers_to("5e", 0), TypeError),
    (lambda b: b.attacks_by(81), InvalidValueError), (lambda b: b.attacks_by(300), InvalidValueError), (lambda b: b.attacked_by(2), ValueError),
    (lambda b: b.is_attacked(81, 0), InvalidValueError), (lambda b: b.is_attacked(0, -1), ValueError), (lambda b: b.blockers(2), ValueError),
    (lambda b: b.pinned(7), ValueError), (lambda b: b.check_squares(0), InvalidValueError), (lambda b: b.check_squares(15), InvalidValueError),
    (lambda b: b.check_squares(16), ValueError), (lambda b: b.see(7), TypeError), (lambda b: b.see(Move.RESIGN), IllegalMoveError),
    (lambda b: b.see(Move.from_usi("5i5a")), IllegalMoveError), (lambda b: b.attackers_to(0, None), TypeError), (lambda b: b.pinned(2), InvalidValueError),
    (lambda b: b.check_squares("P"), TypeError), (lambda b: b.check_squares(16), InvalidValueError), (lambda b: b.iter_moves(None), TypeError),
    (lambda b: b.iter_moves(10), InvalidValueError), (lambda b: b.hand("black"), TypeError), (lambda b: b.king_square(2), InvalidValueError),
]  # fmt: skip


@pytest.mark.parametrize(("use", "error"), WRONG)
def test_wrong_arguments(use: Any, error: type[Exception]) -> None:
    board = Board()
    with pytest.raises(error):
        use(board)
    assert board == Board()


def test_errors_tell_the_move_and_the_position() -> None:
    board, move = Board(), Move.from_usi("5i5a")
    for ask in (board.push, board.see, board.gives_check, board.apery_move32, board.move32, board.ki2):
        with pytest.raises(IllegalMoveError) as caught:
            ask(move)
        assert (caught.value.move, caught.value.sfen) == (move, board.to_sfen())
    full = Move32(0x11E3B | 1 << 20)
    for ask32 in (board.push, board.complete_move32):
        with pytest.raises(IllegalMoveError) as caught:
            ask32(full)
        assert (caught.value.move, caught.value.sfen) == (full, board.to_sfen())
    with pytest.raises(IllegalMoveError) as caught:
        board.move_of_label(0)
    assert (caught.value.move, caught.value.sfen) == (None, board.to_sfen())
    board.set_sfen("4k4/9/9/9/4r4/9/9/9/4K4 b - 1")
    with pytest.raises(IllegalMoveError) as caught:
        board.push_null()
    assert (caught.value.move, caught.value.sfen) == (Move.NULL, board.to_sfen())


def test_sets_are_planes() -> None:
    for squares in ([], [0], [80], [0, 40, 62, 63, 80], range(81)):
        plane = Bitboard(squares).to_numpy()
        assert (plane.shape, plane.dtype, plane.flags.writeable) == ((9, 9), np.bool_, True)
        assert np.flatnonzero(plane).tolist() == list(squares)
        by_row = Bitboard(squares).to_numpy(order="row_major")
        assert sorted(Square.from_row_major(i) for i in np.flatnonzero(by_row)) == list(squares)
    with pytest.raises(ValueError, match="row_major"):
        Bitboard().to_numpy("x")


def test_sets_are_sets() -> None:
    board = Board()
    assert isinstance(board.blockers(), Bitboard)
    assert len(board.attacked_by(Color.BLACK)) == len(board.attacked_by(Color.WHITE).flip_side())
    assert board.blockers() == board.blockers(Color.BLACK)
