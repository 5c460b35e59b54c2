"""Colors, pieces, squares, hands, sets of squares, moves: what they are, that they cannot change, and what they refuse."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import komadori
from komadori import (
    AperyMove,
    AperyMove32,
    Bitboard,
    Color,
    EnteringKingRule,
    Eval,
    GameEnd,
    GameResult,
    Hand,
    HandPiece,
    InvalidValueError,
    Move,
    Move32,
    ParseError,
    Piece,
    PieceType,
    RepetitionState,
    Square,
    batch,
    labels,
)
from komadori.search import Score

SQUARES = [Square(n) for n in range(81)]

VALUES: list[Any] = [
    *Color,
    *PieceType,
    *HandPiece,
    *GameResult,
    *GameEnd,
    *RepetitionState,
    *EnteringKingRule,
    *SQUARES,
    Square.NONE,
    *(Piece(n) for n in range(32) if n != 16),
    Hand(),
    Hand.from_counts((18, 4, 4, 4, 2, 2, 4)),
    Bitboard(),
    Bitboard([0, 40, 80]),
    Eval(-32768),
    Eval(12),
    Move.from_usi("7g7f"),
    Move.from_usi("P*5e"),
    Move.RESIGN,
    Move(65535),
    Move32(0x11E3B),
    AperyMove(7739),
    AperyMove32(0x11E3B),
    Score(cp=12),
    Score(mate=-3),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_copy_pickle_compare_and_hash(value: Any) -> None:
    for again in (copy.copy(value), copy.deepcopy(value), *(pickle.loads(pickle.dumps(value, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1))):
        assert again == value
        assert type(again) is type(value)
        assert hash(again) == hash(value)
    assert value in {value}
    assert value != object()


@pytest.mark.parametrize("value", [v for v in VALUES if not isinstance(v, Score)], ids=repr)
def test_values_print_as_code_that_rebuilds_them(value: Any) -> None:
    if isinstance(value, (Color, PieceType, HandPiece, GameResult, GameEnd, RepetitionState, EnteringKingRule)):
        assert getattr(type(value), value.name) is value
    else:
        assert eval(repr(value), vars(komadori)) == value


@pytest.mark.parametrize("value", [Hand(), Bitboard([3]), Move.NULL, Move32(1), AperyMove(1), AperyMove32(1), Score(cp=1)], ids=repr)
def test_values_do_not_change(value: Any) -> None:
    for name in ("value", "cp", "other"):
        with pytest.raises(AttributeError):
            setattr(value, name, 3)


def test_numbers_are_those_of_the_conventions() -> None:
    assert [t.name for t in PieceType] == (
        "NONE PAWN LANCE KNIGHT SILVER BISHOP ROOK GOLD KING PRO_PAWN PRO_LANCE PRO_KNIGHT PRO_SILVER HORSE DRAGON GOLD_LIKE".split()
    )
    assert [int(t) for t in PieceType] == list(range(16))
    assert [int(p) for p in HandPiece] == list(range(7))
    assert [p.type for p in HandPiece] == [PieceType(n) for n in range(1, 8)]
    assert (Square.from_usi("1a"), Square.from_usi("1i"), Square.from_usi("5e"), Square.from_usi("7g"), Square.from_usi("9i")) == (0, 8, 40, 60, 80)
    assert int(Square.NONE) == 81
    assert [int(r) for r in RepetitionState] == [0, 1, 2, 3, 4, 5]
    assert [(e.name, int(e)) for e in EnteringKingRule] == [
        ("NONE", 0), ("CSA24", 1), ("CSA24_HANDICAP", 2), ("CSA27", 3), ("CSA27_HANDICAP", 4), ("TRY", 5),
    ]  # fmt: skip
    assert {int(e) for e in GameEnd} == {*range(15), 16, 17, 20, 21}
    assert Move.from_usi("7g7f").value == 7739
    assert Move.from_usi("P*1a").value == 16512
    assert [m.value for m in (Move.NONE, Move.NULL, Move.RESIGN, Move.WIN, Move.END)] == [0, 129, 258, 387, 516]
    assert [AperyMove.from_usi(f"{letter}*1a").value >> 7 for letter in "PLNSBRG"] == list(range(81, 88))
    assert Hand.from_counts((0, 0, 0, 0, 0, 0, 4)).value == 0x40000000
    assert Hand.from_counts((18, 0, 0, 0, 0, 2, 0)).value == 0x02000012
    assert Bitboard(SQUARES).words == (2**63 - 1, 2**18 - 1)
    assert komadori.Board("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1").key == komadori.Board().key


@pytest.mark.parametrize("kind", [t for t in PieceType])
def test_promotion_keeps_to_the_six_pairs(kind: PieceType) -> None:
    assert kind.is_promotable == (1 <= kind <= 6)
    assert kind.is_promoted == (9 <= kind <= 14)
    assert kind.is_unpromotable == (kind >= 7)
    assert kind.promote() == (kind + 8 if 1 <= kind <= 6 else kind)
    assert kind.demote() == (kind - 8 if 9 <= kind <= 14 else kind)


def test_second_numberings() -> None:
    assert [PieceType.GOLD.gbr, PieceType.BISHOP.gbr, PieceType.ROOK.gbr] == [5, 6, 7]
    assert all(PieceType.from_gbr(t.gbr) is t for t in PieceType)
    pieces = [Piece(n) for n in (*range(15), *range(17, 31))]
    assert all(Piece.from_signed(p.signed) == p for p in pieces)
    assert all(Piece.from_flagged(p.flagged) == p for p in pieces)
    assert Piece.from_usi("+r").signed == -14
    assert all(Square.from_row_major(sq.row_major) == sq for sq in SQUARES)
    assert Square.from_usi("7g").row_major == 56
    hand = Hand.from_counts((1, 2, 3, 4, 0, 1, 2))
    assert hand.counts_gbr == (1, 2, 3, 4, 2, 0, 1)
    assert Hand.from_counts_gbr(hand.counts_gbr) == hand
    assert [RepetitionState.from_cshogi(n).name for n in range(6)] == ["NONE", "DRAW", "WIN", "LOSE", "SUPERIOR", "INFERIOR"]
    assert all(RepetitionState.from_cshogi(r.cshogi) is r for r in RepetitionState)


def test_moves_are_turned_in_arrays_as_one_by_one() -> None:
    every = np.arange(65536)
    for turn, one in ((batch.flip_moves, Move.flip_side), (batch.mirror_moves, Move.mirror_file)):
        turned = turn(every)
        assert turned.dtype == np.uint16
        assert turned.tolist() == [one(Move(value)).value for value in range(65536)]
        assert turn(every.reshape(2, -1, 4).astype(np.uint16)).shape == (2, 8192, 4)
        assert (turn(turned) == every).all()
        assert turn([Move.from_usi("7g7f")]).tolist() == [one(Move.from_usi("7g7f")).value]
        assert turn([]).tolist() == []
        for wrong, row in (([0, 65536], 1), ([3, 4, -1], 2)):
            with pytest.raises(InvalidValueError) as caught:
                turn(np.array(wrong))
            assert caught.value.row == row
        with pytest.raises(ValueError, match="dtype"):
            turn(np.zeros(3))


def test_ends_and_results() -> None:
    assert GameEnd.WHITE_WIN_BY_TRY_RULE.result is GameResult.WHITE_WIN
    assert GameEnd.BLACK_WIN_BY_ILLEGAL_MOVE.result is GameResult.BLACK_WIN
    assert [e.name for e in GameEnd if e.result is None] == ["ERROR", "INVALID", "PAUSED"]
    assert {e for e in GameEnd if e.result is GameResult.DRAW} == {e for e in GameEnd if e.name.startswith("DRAW")}
    assert [EnteringKingRule.from_name(t) for t in ("none", "CSARule24H", "Cs27Point", "Point27Handicap", "TryRule")] == [0, 2, 3, 4, 5]


def test_none_stays_none_and_turning_twice_is_nothing() -> None:
    assert Square.NONE.flip_side() == Square.NONE.mirror_file() == Square.NONE
    assert (Square.NONE.file, Square.NONE.rank) == (-1, -1)
    for sq in SQUARES:
        assert sq.flip_side() == 80 - sq
        assert sq.flip_side().flip_side() == sq.mirror_file().mirror_file() == sq
        assert (sq.mirror_file().file, sq.mirror_file().rank) == (8 - sq.file, sq.rank)
    for piece in (Piece(n) for n in range(32) if n != 16):
        assert piece.flip_side().flip_side() == piece
    assert Piece(0).flip_side() == 0
    assert all(r.flip_side().flip_side() is r for r in RepetitionState)
    assert Eval(-32768).flip_side() == 32767


@pytest.mark.parametrize("build", [
    lambda: Color(2), lambda: PieceType(16), lambda: GameEnd(15), lambda: RepetitionState(6), lambda: EnteringKingRule(-1),
], ids=str)  # fmt: skip
def test_enums_refuse_other_numbers(build: Any) -> None:
    with pytest.raises(InvalidValueError, match="not a valid"):
        build()


@pytest.mark.parametrize("build", [
    lambda: Square(82), lambda: Square(-1), lambda: Piece(16), lambda: Piece(32), lambda: Piece(-1), lambda: Hand(1 << 5), lambda: Hand(19),
    lambda: Hand(5 << 8), lambda: Hand(2**32), lambda: Hand(-1), lambda: Hand.from_counts((19, 0, 0, 0, 0, 0, 0)),
    lambda: Hand.from_counts((18,) + (0,) * 6).add(PieceType.PAWN), lambda: Hand().sub(PieceType.GOLD), lambda: Hand().add(PieceType.HORSE),
    lambda: Hand().add(PieceType.KING), lambda: Hand().add(PieceType.NONE), lambda: Hand().count(PieceType.KING), lambda: Bitboard([81]),
    lambda: Bitboard.from_words(1 << 63, 0), lambda: Bitboard.from_value(1 << 81), lambda: Move(65536), lambda: Move(-1), lambda: Move32(2**32),
    lambda: AperyMove(-1), lambda: AperyMove32(-1), lambda: Eval(32768), lambda: Move.make(3, 3), lambda: Move.make(3, 81),
    lambda: Move.drop(8, 3), lambda: Move.drop(1, 81), lambda: Piece.from_signed(15), lambda: Piece.from_flagged(0x25), lambda: PieceType.from_gbr(16),
    lambda: Square.from_row_major(81), lambda: Move(65535).label(0), lambda: Move.RESIGN.label(0), lambda: Move(65535).to_apery(),
    lambda: AperyMove(65535).to_move(), lambda: Move.from_usi("P*1a").compact_label(0), lambda: AperyMove32(0x1E3B).to_move32(0),
    lambda: Move32.from_move(Move.from_usi("7g7f"), 15), lambda: Move32.from_move(Move.NULL, 1),
])  # fmt: skip
def test_numbers_outside_their_range(build: Any) -> None:
    with pytest.raises(InvalidValueError):
        build()


@pytest.mark.parametrize("build", [
    lambda: Square("7g"), lambda: Square(1.0), lambda: Square(True), lambda: Piece("P"), lambda: Hand("P"), lambda: Hand(None), lambda: Move("7g7f"),
    lambda: Move(1.5), lambda: Move(None), lambda: Move(Move(1)), lambda: Move32("x"), lambda: Move.from_usi(7739), lambda: Move.from_usi(b"7g7f"),
    lambda: Square.from_usi(3), lambda: Piece.from_usi(3), lambda: Bitboard(["1a"]), lambda: Eval("1"), lambda: Color(None), lambda: GameEnd("DRAW"),
    lambda: RepetitionState(1.5), lambda: EnteringKingRule.from_name(None), lambda: Eval.saturate(float("nan")), lambda: Eval.saturate(float("inf")),
    lambda: Hand().add(1, True), lambda: Hand().sub(1, 1.0), lambda: Hand().is_superior_or_equal(None), lambda: Hand.from_counts([1.0] * 7),
    lambda: Bitboard() | 3, lambda: Bitboard() & {3}, lambda: 3 ^ Bitboard(), lambda: Bitboard() - None, lambda: Bitboard() <= 3, lambda: Bitboard() < 3,
    lambda: Move32.from_move(7739), lambda: Move.from_usi("7g7f").label(None),
])  # fmt: skip
def test_wrong_types(build: Any) -> None:
    with pytest.raises(TypeError):
        build()


@pytest.mark.parametrize("text", [
    "", "7g", "7g7", "7g7g", "7g7f++", "7g7f ", " 7g7f", "1a1j", "P*1a+", "K*5e", "p*5e", "7G7F", "+P*5e", "0g7f", "歩", "\ud800", "7g7f\0", "x" * 10**6,
])  # fmt: skip
def test_text_that_is_no_move(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        Move.from_usi(text)
    assert caught.value.offset is not None
    assert len(str(caught.value)) < 300


def test_numpy_integers_are_integers() -> None:
    for kind in (np.uint8, np.int16, np.int64, np.uint64):
        assert Square(kind(60)) == 60
        assert Piece(kind(30)) == 30
        assert Move(kind(100)) is Move(100)
        assert Hand(kind(3)).count(PieceType.PAWN) == 3
        assert kind(60) in Bitboard([60])
        full = (18, 4, 4, 4, 2, 2, 4)
        assert Hand.from_counts(np.array(full, kind)).counts == full
        assert Hand.from_counts_gbr(np.array((18, 4, 4, 4, 4, 2, 2), kind)).counts == full
        assert Hand().add(kind(7), kind(2)).sub(kind(7), kind(1)).count(PieceType.GOLD) == 1
        assert Bitboard.from_value(kind(5)).to_numpy().sum() == 2
        assert type(Bitboard.from_value(kind(5)).value) is int
        assert Bitboard.from_words(kind(1), kind(3)) == Bitboard([0, 63, 64])
        assert Color(kind(1)) is Color.WHITE
        assert Eval.saturate(kind(100)) == 100


def test_numbers_too_long_to_be_written_down() -> None:
    for kind in (Square, Piece, Hand, Eval, Move, Move32, AperyMove, AperyMove32, Bitboard.from_value, komadori.Ki2Notation):
        for value in (10**5000, -(10**5000)):
            with pytest.raises(InvalidValueError, match="bits"):
                kind(value)


def test_moves_are_interned() -> None:
    assert Move(7739) is Move.from_usi("7g7f")
    assert pickle.loads(pickle.dumps(Move(7739))) is Move(7739)
    assert copy.deepcopy([Move(7739)])[0] is Move(7739)
    assert Move32(0x11E3B) is Move32(0x11E3B)
    assert AperyMove(7739) is Move(7739).to_apery()


def test_equal_numbers_of_other_kinds_are_not_equal() -> None:
    kinds = [Move(129), Move32(129), AperyMove(129), AperyMove32(129), 129]
    assert [[a == b for b in kinds] for a in kinds] == [[i == j for j in range(5)] for i in range(5)]
    assert sorted([Move(5), Move(3)]) == [Move(3), Move(5)]
    with pytest.raises(TypeError):
        sorted([Move(5), AperyMove(3)])  # type: ignore[type-var]
    assert Move(5) <= Move(5)
    assert Move(6) > Move(5)


@given(st.integers(0, 65535))
@settings(max_examples=300)
def test_any_move_value(value: int) -> None:
    move = Move(value)
    assert move.flip_side().flip_side() is move
    assert move.mirror_file().mirror_file() is move
    assert move.flip_side().mirror_file() is move.mirror_file().flip_side()
    assert eval(repr(move), vars(komadori)) is move
    if move.is_normal:
        assert Move.from_usi(move.to_usi()) is move
        assert move.to_apery().to_move() is move
        assert move.to_apery().flip_side() is move.flip_side().to_apery()
        made = Move.drop(move.dropped_type, move.to_square) if move.is_drop else Move.make(move.from_square, move.to_square, move.is_promotion)
        assert made is move
        label = move.label(Color.BLACK)
        assert move.flip_side().label(Color.WHITE) == label
        assert move.mirror_file().label(Color.BLACK) == labels.mirror_file([label])[0]
    else:
        assert move.flip_side() is move
        assert move.to_usi() in (("none", "null", "resign", "win", "end") if move.is_special else ("invalid",))


def test_tables_equal_the_library_for_all_values() -> None:
    """What Python looks up, and what the library says when it is asked for one move at a time."""
    from komadori import _native

    library = _native.library().quick
    for value in range(0, 65536, 7):
        move = Move(value)
        assert move.is_normal == bool(library.kmd_move_is_normal(value))
        assert move.flip_side().value == library.kmd_move_flip_side(value)
        assert move.mirror_file().value == library.kmd_move_mirror_file(value)
        assert move.to_usi() == _native.text("kmd_move_to_usi", value)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=300)
def test_any_32_bit_move(value: int) -> None:
    from komadori import _native

    library = _native.library().quick
    move = Move32(value)
    assert move.flip_side().value == library.kmd_move32_flip_side(value)
    assert move.mirror_file().value == library.kmd_move32_mirror_file(value)
    assert AperyMove32(value).flip_side().flip_side() == AperyMove32(value)


def test_32_bit_worked_values() -> None:
    move = Move32.from_move(Move.from_usi("7g7f"), Piece.from_usi("P"))
    assert (move.value, move.flip_side().value, move.mirror_file().value) == (0x11E3B, 0x110A15, 0x10C17)
    assert AperyMove32(0x11E3B).to_move32(Color.BLACK) is move
    assert (move.piece_after, move.has_piece_info, move.to_usi()) == (1, True, "7g7f")
    assert not Move32(7739).has_piece_info


hands = st.tuples(*(st.integers(0, n) for n in (18, 4, 4, 4, 2, 2, 4))).map(Hand.from_counts)


@given(hands, hands)
def test_hands_compare_kind_by_kind(a: Hand, b: Hand) -> None:
    assert a.is_superior_or_equal(b) == all(x >= y for x, y in zip(a.counts, b.counts, strict=True))
    assert Hand(a.value) == a
    assert len(a) == sum(a.counts)
    for kind in HandPiece:
        if a.count(kind.type):
            assert a.sub(kind.type).add(kind.type) == a


sets = st.sets(st.integers(0, 80))


@given(sets, sets)
def test_bitboards_are_sets(a: set[int], b: set[int]) -> None:
    x, y = Bitboard(a), Bitboard(b)
    assert set(x) == a
    assert [*x] == sorted(a)
    assert set(x | y) == a | b
    assert set(x & y) == a & b
    assert set(x ^ y) == a ^ b
    assert set(x - y) == a - b
    assert set(~x) == set(range(81)) - a
    assert ((x <= y), (x < y), (x >= y), (x > y)) == ((a <= b), (a < b), (a >= b), (a > b))
    assert len(x) == len(a)
    assert Bitboard.from_words(*x.words) == x
    assert set(x.flip_side()) == {80 - sq for sq in a}
    assert x.mirror_file().mirror_file() == x


def test_scores_are_ordered() -> None:
    order = [Score(mate=0), Score(mate=-1), Score(mate=-9), Score(cp=-32000), Score(cp=0), Score(cp=500), Score(mate=9), Score(mate=1)]
    assert sorted(reversed(order)) == order
    assert Score(mate=3).to_eval().is_special
    assert Score(cp=99999).to_eval() == 32000
    assert Score(mate=3).flip_side() == Score(mate=-3)
    given = Score(mate=0).flip_side()  # a mate that stands on the board, seen by who gave it
    assert (given.mate, given.won, given.to_eval()) == (0, True, 32767)
    assert given.flip_side() == Score(mate=0) < Score(mate=-1) < Score(mate=1) < given != Score(mate=0)
    assert eval(repr(given)) == given
    assert (str(Score(cp=-5)), str(Score(mate=3))) == ("cp -5", "mate 3")
    for wrong in ({}, {"cp": 1, "mate": 1}):
        with pytest.raises(ValueError, match="either"):
            Score(**wrong)


def test_errors_pickle() -> None:
    error = komadori.IllegalMoveError("message", move=Move(7739), sfen="sfen", row=3)
    again = pickle.loads(pickle.dumps(error))
    assert (again.args, again.move, again.sfen, again.row) == (error.args, error.move, error.sfen, error.row)
    for kind in (komadori.ParseError, komadori.InvalidPositionError, komadori.InvalidValueError, komadori.HandleError, komadori.InternalError):
        assert str(pickle.loads(pickle.dumps(kind("message")))) == "message"
        assert issubclass(kind, komadori.KomadoriError)
    for kind in (komadori.ParseError, komadori.InvalidPositionError, komadori.InvalidValueError, komadori.IllegalMoveError):
        assert issubclass(kind, ValueError)


def test_files_and_ranks_are_values() -> None:
    for raw in range(81):
        square = komadori.Square(raw)
        assert isinstance(square.file, komadori.File) and isinstance(square.rank, komadori.Rank)
        assert komadori.Square.make(square.file, square.rank) == square
        assert square.mirror_file().file == square.file.mirror_file() and square.flip_side().rank == square.rank.flip_side()
        assert square.rank.is_in_promotion_zone(0) == square.flip_side().rank.is_in_promotion_zone(1) == (raw % 9 <= 2)
    assert komadori.Square.NONE.file == komadori.File.NONE and komadori.Square.NONE.rank == komadori.Rank.NONE
    assert komadori.Square.make(komadori.File.NONE, 3) == komadori.Square.NONE
    with pytest.raises(ValueError):
        komadori.Square.make(9, 0)


def test_numbers_with_names_print_them() -> None:
    assert (str(Color.BLACK), f"{Color.WHITE}", f"{Color.WHITE:>6}", f"{Color.WHITE:02d}") == ("BLACK", "WHITE", " WHITE", "01")
    assert [str(one) for one in (komadori.ProblemKind.NO_KING, komadori.Ending.RESIGN, komadori.GameResult.DRAW)] == ["NO_KING", "RESIGN", "DRAW"]
    assert json.dumps([Color.WHITE]) == "[1]"
