"""Positions as arrays: boards of plain numbers, facts, moves played, labels and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vectorset
from komadori import Board, Color, EnteringKingRule, IllegalMoveError, InvalidPositionError, InvalidValueError, Move, batch, training
from test_files import FORMATS, some

NO_KING = "4k4/9/4P4/9/9/9/9/9/9 b G 1"


@pytest.mark.parametrize("format", FORMATS)
def test_boards_are_what_boards_hold(format: str) -> None:
    rows = some(50, format, 1)
    pieces, hands, turns = batch.boards(rows)
    assert (pieces.shape, hands.shape, turns.shape) == ((50, 81), (50, 2, 7), (50,))
    assert {pieces.dtype, hands.dtype, turns.dtype} == {np.dtype(np.uint8)}
    seen, _, _ = batch.boards(rows, order="row_major")
    for i, sfen in enumerate(batch.sfens(rows)):
        board = Board(sfen)
        assert pieces[i].tolist() == [int(board.piece_at(sq)) for sq in range(81)]
        assert hands[i].tolist() == [list(board.hand(Color(c)).counts) for c in (0, 1)]
        assert turns[i] == board.turn
        assert seen[i].reshape(9, 9).tolist() == [[pieces[i][9 * file + rank] for file in range(8, -1, -1)] for rank in range(9)]
    made = batch.from_boards(pieces, hands, turns)
    assert made.dtype == batch.BOARD
    assert made.tobytes() == batch.from_boards(seen.reshape(50, 9, 9), hands, turns, order="row_major").tobytes()
    for form in ("hcp", "packed_sfen"):
        assert batch.convert(made, form).tobytes() == batch.convert(rows, form).tobytes()
    # Every function says the same of them.
    for call in (batch.keys, batch.turns, batch.in_check, batch.mates_in_one, batch.legal_mask, batch.declarations):
        assert np.array_equal(call(made), call(rows))
    assert all(np.array_equal(a, b) for a, b in zip(batch.legal_moves(made), batch.legal_moves(rows), strict=True))
    assert np.array_equal(batch.keys(np.frombuffer(made.tobytes(), np.uint8).reshape(50, 96)), batch.keys(rows))
    assert [sfen.rsplit(" ", 1)[0] for sfen in batch.sfens(made)] == [sfen.rsplit(" ", 1)[0] for sfen in batch.sfens(rows)]


def test_boards_may_lack_kings() -> None:
    made = batch.from_sfens([NO_KING, Board().to_sfen()], format="board")
    assert made.dtype == batch.BOARD
    assert batch.sfens(made) == [NO_KING, Board().to_sfen()]
    assert batch.keys(made).tolist() == [Board(NO_KING).key, Board().key]
    assert len(batch.legal_moves(made)[1]) == len(Board(NO_KING).legal_moves()) + 30
    status = np.zeros(2, np.int32)
    batch.convert(made, "hcp", row_status=status)
    assert status.tolist() == [-3, 0]
    with pytest.raises(InvalidPositionError):
        batch.declarations(made)


def test_what_is_no_board() -> None:
    pieces, hands, turns = batch.boards(Board().to_packed_sfen())
    for wrong, error in (
        (lambda: batch.from_boards(pieces[:, :80], hands, turns), ValueError), (lambda: batch.from_boards(pieces, hands[0], turns), ValueError),
        (lambda: batch.from_boards(pieces, hands, [0, 1]), ValueError), (lambda: batch.from_boards(pieces * 1.0, hands, turns), ValueError),
        (lambda: batch.from_boards(pieces.astype(int) - 1, hands, turns), InvalidValueError), (lambda: batch.boards(pieces, order="x"), ValueError),
        (lambda: batch.from_boards(pieces, hands, turns, order="x"), ValueError),
    ):  # fmt: skip
        with pytest.raises(error):
            wrong()
    for at, value, error in ((40, 15, InvalidValueError), (40, 16, InvalidValueError), (40, 8, InvalidPositionError), (9, 1, InvalidPositionError)):
        bad = pieces.copy()
        bad[0, at] = value
        with pytest.raises(error) as caught:
            batch.keys(batch.from_boards(np.concatenate([pieces, bad]), np.concatenate([hands, hands]), 0))
        assert caught.value.row == 1
    with pytest.raises(InvalidValueError):
        batch.keys(batch.from_boards(pieces, hands, 2))


def test_facts_come_together() -> None:
    rows = some(400, "psv", 2)
    names = ["key", "turn", "in_check", "legal_count", "mate_in_one", "verdict", "points"]
    found = batch.facts(rows, names, rule=EnteringKingRule.CSA24)
    assert list(found) == names
    for i, sfen in enumerate(batch.sfens(rows)):
        if i % 7 == 0:
            board = Board(sfen)
            declared = board.declaration(EnteringKingRule.CSA24)
            assert (found["key"][i], found["turn"][i], found["in_check"][i]) == (board.key, board.turn, board.is_check())
            assert found["legal_count"][i] == len(board.legal_moves())
            assert (found["mate_in_one"][i] != 0) == (board.mate_in_one() is not None)
            assert (found["verdict"][i], found["points"][i]) == (declared.verdict, declared.points)
    for threads in (1, 3):
        again = batch.facts(rows, names, threads, rule=1)
        assert all(np.array_equal(again[name], found[name]) for name in names)
    with pytest.raises(ValueError):
        batch.facts(rows, ["nothing"])
    with pytest.raises(ValueError):
        batch.facts(rows, ["verdict"], rule=6)


def test_declarations_are_those_of_the_vectors() -> None:
    rows = [row for row in vectorset.rows("vectors/positions.jsonl.gz") if row.get("declaration") and row["hcp"] and not row["valid"]]
    packed = batch.from_sfens([row["sfen"] for row in rows])
    for rule in EnteringKingRule:
        found = batch.facts(packed, ["verdict", "points"], rule=rule)
        for i, row in enumerate(rows):
            declared = Board(row["sfen"]).declaration(rule)
            assert (found["verdict"][i], found["points"][i]) == (declared.verdict, declared.points)
    vectorset.count("vectors/positions.jsonl.gz", len(rows))


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_moves_are_played(data: st.DataObject) -> None:
    rows = some(40, data.draw(st.sampled_from(FORMATS)), data.draw(st.integers(0, 5)))
    offsets, legal = batch.legal_moves(rows)
    counts = np.diff(offsets)
    keep = counts > 0
    rows, counts, offsets = rows[keep], counts[keep], offsets[:-1][keep]
    choice = np.array([data.draw(st.integers(0, int(n) - 1)) for n in counts])
    moves = legal[offsets + choice]
    to = data.draw(st.sampled_from([None, "hcp", "packed_sfen", "board"]))
    after = batch.play(rows, moves, to)
    sfens = batch.sfens(rows)
    for i in range(0, len(rows), 7):
        board = Board(sfens[i])
        board.push(Move(int(moves[i])))
        assert batch.keys(after[i : i + 1])[0] == board.key
    # Labels of moves, and back.
    for compact in (False, True):
        labelled = batch.labels_of_moves(rows, moves, compact)
        assert np.array_equal(batch.moves_of_labels(rows, labelled, compact), moves)


def test_moves_that_are_not_legal() -> None:
    rows = training.game_records(Board.from_position("startpos moves 7g7f 3c3d 2g2f"), [0, 0, 0], 0)
    with pytest.raises(IllegalMoveError) as caught:
        batch.play(rows, [Move.from_usi("7g7f"), Move.from_usi("7g7f"), Move.RESIGN])
    assert caught.value.row == 1
    status = np.zeros(3, np.int32)
    after = batch.play(rows, [Move.from_usi("7g7f"), Move.from_usi("7g7f"), Move.RESIGN], row_status=status)
    assert status.tolist() == [0, -2, -2]
    assert not np.any(after["hcp"][1:])
    for wrong in (lambda: batch.play(rows, [7739]), lambda: batch.play(rows, [7739] * 3, "psv"), lambda: batch.play(rows, [0.5] * 3)):
        with pytest.raises(ValueError):
            wrong()
