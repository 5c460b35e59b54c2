"""Labels, batches and training data over arrays."""

from __future__ import annotations

import os
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import komadori
from komadori import Board, Color, GameResult, IllegalMoveError, InvalidPositionError, InvalidValueError, Move, ParseError, batch, labels, training

GAME = "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f 2d3d 2b8h+ 7i8h 3a2b"


def game() -> Board:
    return Board.from_position(GAME)


def some(n: int = 18, format: str = "hcpe", result: GameResult = GameResult.BLACK_WIN) -> Any:
    """The first records of a game, again and again."""
    board = game()
    records = training.game_records(board, range(-90, 90, 10), result, format)
    return np.resize(records, n)


def same(a: training.Batch, b: training.Batch) -> bool:
    return (
        a.arrays.keys() == b.arrays.keys()
        and all(np.array_equal(array, b.arrays[name]) for name, array in a.arrays.items())
        and np.array_equal(a.bad_rows, b.bad_rows)
        and np.array_equal(a.bad_status, b.bad_status)
    )


# ---------------------------------------------------------------------------------------------------------------- Labels


def test_labels_of_worked_moves() -> None:
    moves = [Move.from_usi(t) for t in ("7g7f", "3c3d", "8h2b+", "P*5e", "G*5e", "R*5e")]
    found = labels.from_moves(moves, [0, 1, 0, 0, 0, 0])
    assert found.dtype == np.uint16
    assert (found // 81).tolist() == [0, 0, 12, 20, 26, 25]
    assert found.tolist() == [59, 59, *(12 * 81 + 10, 20 * 81 + 40, 26 * 81 + 40, 25 * 81 + 40)]
    assert labels.from_moves(moves[:2], [Color.BLACK, Color.WHITE], compact=True).tolist() == [53, 53]
    assert labels.from_moves(game().legal_moves(), Color.BLACK).shape == (len(game().legal_moves()),)
    assert labels.from_moves([], []).shape == (0,)
    assert labels.from_moves(np.array([7739], np.int64), np.array([0], np.int32)).tolist() == [59]


def test_label_tables() -> None:
    assert labels.FULL_TO_COMPACT.shape == (2187,)
    assert labels.COMPACT_TO_FULL.shape == (1496,)
    assert (labels.FULL_TO_COMPACT[labels.COMPACT_TO_FULL] == np.arange(1496)).all()
    assert (np.diff(labels.COMPACT_TO_FULL.astype(int)) > 0).all()
    every = np.arange(2187)
    assert (labels.mirror_file(labels.mirror_file(every)) == every).all()
    assert (labels.mirror_file(labels.mirror_file(np.arange(1496), compact=True), compact=True) == np.arange(1496)).all()
    assert labels.mirror_file([[59]]).shape == (1, 1)
    for table in (labels.FULL_TO_COMPACT, labels.COMPACT_TO_FULL):
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 1
    with pytest.raises(AttributeError):
        labels.NO_SUCH_NAME  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("row", [0, 1499, 1500, 4095, 99_999])
def test_a_move_without_label_names_its_row(row: int) -> None:
    moves = np.full(100_000, 7739, np.uint16)
    moves[row:] = Move.RESIGN.value
    with pytest.raises(InvalidValueError) as caught:
        labels.from_moves(moves, 0)
    assert caught.value.row == row
    assert f"row {row}" in str(caught.value)
    moves[row:] = Move.from_usi("P*1a").value
    assert len(labels.from_moves(moves, 0)) == len(moves)
    with pytest.raises(InvalidValueError) as caught:
        labels.from_moves(moves, 0, compact=True)
    assert caught.value.row == row


@pytest.mark.parametrize(("moves", "turns", "error", "words"), [
    ([7739], [0, 1], ValueError, "turns has shape"),
    ([[7739]], [[0]], ValueError, "moves has shape"),
    ([7739.0], [0], ValueError, "dtype"),
    (["7g7f"], [0], ValueError, "dtype"),
    ([7739], [2], InvalidValueError, "row 0"),
    ([7739], [-1], InvalidValueError, "row 0"),
    ([7739, 70000], [0, 0], InvalidValueError, "row 1"),
    ([7739], [0.5], ValueError, "dtype"),
])  # fmt: skip
def test_wrong_arrays_for_labels(moves: Any, turns: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        labels.from_moves(moves, turns)


@given(st.lists(st.tuples(st.integers(0, 65535), st.integers(0, 1)), max_size=40))
@settings(deadline=None)
def test_labels_row_by_row(rows: list[tuple[int, int]]) -> None:
    good = [(m, t) for m, t in rows if Move(m).is_normal]
    found = labels.from_moves([m for m, _ in good], [t for _, t in good])
    assert found.tolist() == [Move(m).label(t) for m, t in good]


@pytest.mark.parametrize("format", ["hcpe", "psv"])
def test_labels_of_records(format: str) -> None:
    rows = some(5000, format)
    full, compact = labels.from_records(rows)
    assert np.array_equal(full, training.decode(rows, outputs=["label"]).label)
    assert np.array_equal(compact, training.decode(rows, outputs=["label"], labels="compact").label)
    assert (full.dtype, compact.dtype) == (np.uint16, np.uint16)
    move = rows.dtype.names[2]
    rows[move][[7, 4000]] = 0xFFFF
    with pytest.raises(InvalidValueError) as caught:
        labels.from_records(rows, threads=2)
    assert caught.value.row == 7
    status = np.zeros(5000, np.int32)
    full, compact = labels.from_records(rows, row_status=status)
    assert np.flatnonzero(status).tolist() == [7, 4000]
    assert not full[[7, 4000]].any() and not compact[[7, 4000]].any()


# ----------------------------------------------------------------------------------------------------------------- Batch


def test_ragged_results_do_not_depend_on_blocks() -> None:
    rows = some(5000)
    offsets, moves = batch.legal_moves(rows)
    assert (offsets.dtype, moves.dtype, offsets.shape) == (np.int64, np.uint16, (5001,))
    board, listed = Board(), []
    for move in game().moves():
        listed.append(board.legal_moves().to_numpy().tolist())
        board.push(move)
    for i in (0, 1, 17, 18, 2047, 2048, 4999):
        assert moves[offsets[i] : offsets[i + 1]].tolist() == listed[i % 18]
    for threads in (1, 2, 3, 7):
        again = batch.legal_moves(rows, threads)
        assert all(np.array_equal(a, b) for a, b in zip(again, (offsets, moves), strict=True))
    assert batch.legal_moves(rows[:0])[0].tolist() == [0]
    assert batch.sfens(rows[:0]) == []


def test_masks_mark_the_labels_of_legal_moves() -> None:
    rows = some(100)
    offsets, moves = batch.legal_moves(rows)
    row = np.repeat(np.arange(100), np.diff(offsets))
    turns = training.decode(rows, outputs=["turn"]).turn
    for compact, width in ((False, 2187), (True, 1496)):
        expected = np.zeros((100, width), bool)
        expected[row, labels.from_moves(moves, turns[row], compact=compact)] = True
        assert np.array_equal(batch.legal_mask(rows, compact), expected)
        assert np.array_equal(batch.legal_mask(rows, compact, bits=True), np.packbits(expected, axis=1, bitorder="little"))
        room = np.ones((100, width), bool)
        assert batch.legal_mask(rows, compact, out=room).base is room or np.shares_memory(batch.legal_mask(rows, compact, out=room), room)
        assert np.array_equal(room, expected)


def test_facts() -> None:
    texts = ["4k4/9/4P4/9/9/9/9/9/4K4 b G 1", Board().to_sfen(), "4k4/9/9/9/4r4/9/9/9/4K4 b - 1"]
    packed = batch.from_sfens(texts)
    assert packed.dtype == batch.PACKED_SFEN
    assert batch.sfens(packed) == texts
    assert batch.keys(packed).tolist() == [Board(t).key for t in texts]
    assert batch.in_check(packed).tolist() == [False, False, True]
    assert [Move(int(m)) for m in batch.mates_in_one(packed)] == [Move.from_usi("G*5b"), Move.NONE, Move.NONE]
    hcp = batch.convert(packed, "hcp")
    assert hcp.dtype == batch.HCP
    assert hcp["hcp"][1].tobytes() == Board().to_hcp()
    assert batch.keys(hcp).tolist() == batch.keys(packed).tolist()
    assert batch.convert(hcp, "packed_sfen").tobytes() == packed.tobytes()
    flipped = batch.convert(packed, "packed_sfen", flip_side=True)
    assert batch.sfens(flipped) == [Board(t).flip_side().to_sfen() for t in texts]
    assert batch.sfens(batch.convert(packed, "hcp", mirror_file=True)) == [Board(t).mirror_file().to_sfen() for t in texts]


def test_moves_of_labels() -> None:
    rows = some(50)
    found = training.decode(rows, outputs=["label", "move"])
    assert np.array_equal(batch.moves_of_labels(rows, found.label), found.move)
    compact = training.decode(rows, outputs=["label"], labels="compact").label
    assert np.array_equal(batch.moves_of_labels(rows, compact, compact=True), found.move)
    wrong = np.array(found.label)
    wrong[7] = 0
    with pytest.raises(IllegalMoveError) as caught:
        batch.moves_of_labels(rows, wrong)
    assert caught.value.row == 7
    wrong[3] = 2187
    with pytest.raises(InvalidValueError) as caught2:
        batch.moves_of_labels(rows, wrong)
    assert caught2.value.row == 3


@pytest.mark.parametrize("call", [
    batch.legal_moves, batch.legal_mask, batch.keys, batch.in_check, batch.mates_in_one, batch.sfens,
    lambda p, **k: batch.convert(p, "hcp", **k), lambda p, **k: batch.moves_of_labels(p, [59] * len(p), **k),
])  # fmt: skip
def test_bad_rows_of_batches(call: Any) -> None:
    packed = batch.from_sfens([Board().to_sfen()] * 3000)
    packed["sfen"][[5, 2999]] = 0
    with pytest.raises((ParseError, InvalidPositionError)) as caught:
        call(packed)
    assert caught.value.row == 5
    assert "row 5" in str(caught.value)
    status = np.full(3000, 7, np.int32)
    found = call(packed, row_status=status)
    assert np.flatnonzero(status).tolist() == [5, 2999]
    if isinstance(found, tuple):
        assert np.diff(found[0])[[4, 5, 6]].tolist() == [30, 0, 30]
    elif isinstance(found, list):
        assert (found[5], found[6]) == ("", Board().to_sfen())
    else:
        assert not np.any(np.frombuffer(found[5].tobytes(), np.uint8))
    with pytest.raises(ValueError, match="row_status"):
        call(packed, row_status=np.zeros(3000, np.int64))
    with pytest.raises(ValueError, match="row_status"):
        call(packed, row_status=np.zeros(2999, np.int32))


def test_packed_positions_in_every_form() -> None:
    board = Board()
    raw = board.to_packed_sfen()
    for packed in (raw, bytearray(raw), memoryview(raw), [raw], np.frombuffer(raw, np.uint8), np.frombuffer(raw, np.uint8).reshape(1, 32)):
        assert batch.keys(packed).tolist() == [board.key]
    assert batch.keys(board.to_hcp(), format="hcp").tolist() == [board.key]
    assert batch.keys([]).tolist() == []
    rows = np.zeros((6, 64), np.uint8)
    rows[:, :32] = np.frombuffer(raw, np.uint8)
    assert batch.keys(rows[:, :32]).tolist() == [board.key] * 6  # every row with a gap behind it
    assert batch.keys(rows[::-2, :32]).tolist() == [board.key] * 3
    assert batch.keys(np.asfortranarray(rows[:, :32])).tolist() == [board.key] * 6
    assert batch.keys(some(6)[::2]).tolist() == batch.keys(some(6)).tolist()[::2]


@pytest.mark.parametrize(("packed", "error"), [
    ("text", TypeError), (3, TypeError), (None, TypeError), (b"x" * 33, ValueError), (np.zeros((2, 31), np.uint8), ValueError),
    (np.zeros((2, 32), np.int8), ValueError), (np.zeros((2, 2, 32), np.uint8), ValueError), (np.zeros(3, [("x", "u1", (38,))]), ValueError),
    ([b"x" * 32, b"x" * 31], ValueError),
])  # fmt: skip
def test_what_is_no_rows(packed: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        batch.keys(packed)


def test_wrong_options_of_batches() -> None:
    rows = some()
    for call in (
        lambda: batch.keys(rows, threads=0), lambda: batch.keys(rows, threads=-1), lambda: batch.keys(rows, format="psv"), lambda: batch.convert(rows, "kif"),
        lambda: batch.convert(rows, "psv", result_convention="x"), lambda: batch.from_sfens(["x"], format="hcpe"), lambda: batch.keys(rows, format="x"),
        lambda: batch.convert(Board().to_hcp(), "hcpe", format="hcp"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"."):
            call()
    for call in (lambda: batch.keys(rows, threads="2"), lambda: batch.keys(rows, threads=True), lambda: batch.from_sfens("startpos")):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ParseError) as caught:
        batch.from_sfens([Board().to_sfen()] * 3 + ["nonsense", ""])
    assert caught.value.row == 3


# ---------------------------------------------------------------------------------------------------------------- Decode


def test_decode_gives_what_the_board_gives() -> None:
    rows = some()
    found = training.decode(rows, outputs=["features1", "features2", "label", "value", "result", "move", "eval", "turn", "ply", "key"])
    assert (found.features1.shape, found.features1.dtype) == ((18, 62, 9, 9), np.float32)
    assert (found.features2.shape, found.features2.dtype) == ((18, 57, 9, 9), np.float32)
    assert (found.label.dtype, found.value.dtype, found.result.dtype) == (np.int64, np.float32, np.float32)
    assert len(found) == 18
    assert found.errors == []
    board = Board()
    for i, move in enumerate(game().moves()):
        assert found.label[i] == move.label(board.turn)
        assert found.move[i] == move.value
        assert found.turn[i] == board.turn
        assert found.key[i] == board.key
        assert found.eval[i] == -90 + 10 * i
        assert found.result[i] == float(board.turn == Color.BLACK)
        # Pieces of the side to move, from the board turned to it.
        seen = board if board.turn == Color.BLACK else board.flip_side()
        for kind in range(1, 15):
            assert set(np.flatnonzero(found.features1[i, kind - 1].reshape(-1))) == {sq for sq in range(81) if seen.piece_at(sq) == kind}
        assert bool(found.features2[i, 56].all()) == board.is_check()
        board.push(move)


@pytest.mark.parametrize("format", ["hcpe", "psv"])
@pytest.mark.parametrize("n", [0, 1, 4095])
def test_decode_is_the_same_on_any_number_of_threads(format: str, n: int) -> None:
    rows = some(n, format)
    places: list[list[int]] = [[], [0], [n - 1], list(range(n))] if n > 1 else [[]]
    for bad in places:
        rows = some(n, format)
        rows[rows.dtype.names[0]][bad] = 0xFF
        outputs = ["features1", "features2", "label", "value", "result", "move", "eval", "turn", "ply", "key"]
        whole = training.decode(rows, threads=1, outputs=outputs, on_error="report", dtype=np.uint8)
        assert whole.bad_rows.tolist() == bad
        assert not whole.features1[bad].any()
        for threads in (2, 3, 7, None):
            assert same(training.decode(rows, threads=threads, outputs=outputs, on_error="report", dtype=np.uint8), whole)


def test_bad_rows_are_reported_and_good_ones_delivered() -> None:
    rows = some(3000)
    rows["bestMove16"][1500] = Move.from_usi("5a5b").to_apery().value  # not legal
    rows["bestMove16"][1700] = Move.RESIGN.value
    rows["bestMove16"][1800] = 0xFFFF
    rows["hcp"][2999] = 0
    rows["gameResult"][2000] = 9
    room = training.decode(some(3000))
    for array in (room.label, room.value):
        array[:] = 99
    with pytest.raises(IllegalMoveError) as caught:
        training.decode(rows, out=room)
    assert (caught.value.row, str(caught.value.move)) == (1500, "5a5b")
    assert caught.value.sfen == batch.sfens(rows[1500:1501])[0]
    good = training.decode(some(3000))
    assert room.label[2998] == good.label[2998]
    assert room.label[1500] == 0
    found = training.decode(rows, on_error="report")
    assert found.bad_rows.tolist() == [1500, 1700, 1800, 2000, 2999]
    assert [type(e) for e in found.errors] == [IllegalMoveError, InvalidValueError, InvalidValueError, InvalidValueError, ParseError]
    assert [e.row for e in found.errors] == found.bad_rows.tolist()  # type: ignore[attr-defined]
    assert [type(e) for e in pickle.loads(pickle.dumps(found)).errors] == [type(e) for e in found.errors]
    # Trusted moves are not checked for legality; what cannot be a move is reported all the same.
    assert training.decode(rows, on_error="report", check="none").bad_rows.tolist() == [1700, 1800, 2000, 2999]


def test_out_is_filled_in_place() -> None:
    rows = some(100)
    fresh = training.decode(rows)
    room = {name: np.full_like(getattr(fresh, name), 7) for name in ("features1", "features2", "label", "value", "result")}
    found = training.decode(rows, out=room)
    assert same(found, fresh)
    for name, array in room.items():
        assert np.shares_memory(getattr(found, name), array)
    # A shorter batch uses the first rows.
    shorter = training.decode(rows[:30], out=found)
    assert shorter.features1.shape == (30, 62, 9, 9)
    assert np.shares_memory(shorter.features1, room["features1"])
    only = training.decode(rows, out={"label": np.zeros(100, np.int64)})
    assert list(only.arrays) == ["label"]
    with pytest.raises(AttributeError, match="not asked for"):
        _ = only.features1
    assert only.label.tolist() == fresh.label.tolist()


@pytest.mark.parametrize(("out", "error", "words"), [
    ({"label": np.zeros(99, np.int64)}, ValueError, "shape"),
    ({"label": np.zeros((100, 1), np.int64)}, ValueError, "shape"),
    ({"label": np.zeros(100, np.int32)}, ValueError, "dtype"),
    ({"label": np.zeros(200, np.int64)[::2]}, ValueError, "contiguous"),
    ({"label": np.broadcast_to(np.zeros(1, np.int64), (100,))}, ValueError, "contiguous|read-only"),
    ({"label": [0] * 100}, TypeError, "label"),
    ({"features1": np.zeros((100, 62, 81), np.float32)}, ValueError, "shape"),
    ({"features2": np.zeros((100, 57, 9, 9), np.float64)}, ValueError, "dtype"),
    ({"labels": np.zeros(100, np.int64)}, ValueError, "no output"),
    (np.zeros(100, np.int64), TypeError, "mapping"),
])  # fmt: skip
def test_wrong_arrays_for_out(out: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        training.decode(some(100), out=out)
    read_only = np.zeros(100, np.int64)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        training.decode(some(100), out={"label": read_only})


@pytest.mark.parametrize("options", [
    {"labels": "both"}, {"label_dtype": np.int8}, {"dtype": np.float64}, {"dtype": "bit"}, {"planes": "pieces,x"}, {"planes": ""}, {"planes": []},
    {"check": "all"}, {"mirror": [True]}, {"mirror": np.zeros(100, int)}, {"mirror": (0.5,)}, {"mirror": (1.5, 0), "first_row": 0}, {"mirror": (0.5, 0)},
    {"mirror": (0.5, -1), "first_row": 0}, {"mirror": (0.5, 0), "first_row": -1}, {"mirror": (0.5, 0), "rows": [1]},
    {"mirror": (float("nan"), 0), "first_row": 0}, {"value_scale": 0}, {"value_scale": float("nan")}, {"blend": 1.5}, {"blend": -0.1}, {"temperature": -1},
    {"temperature": float("nan")}, {"nnue": "x"}, {"nnue_dtype": np.int16}, {"policy_width": 0, "outputs": ["policy_labels"]},
    {"policy_width": 594, "outputs": ["policy_labels"]}, {"result_convention": "x"}, {"outputs": ["planes"]}, {"outputs": ["x"]},
    {"format": "psv"}, {"threads": 0}, {"on_error": "ignore"},
])  # fmt: skip
def test_wrong_options_of_decode(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        training.decode(some(100), **options)


@pytest.mark.parametrize("dtype", [np.uint16, np.int32, np.int64])
@pytest.mark.parametrize("space", ["full", "compact"])
def test_label_dtypes(dtype: Any, space: str) -> None:
    found = training.decode(some(), labels=space, label_dtype=dtype, outputs=["label"]).label
    assert found.dtype == dtype
    board = Board()
    for i, move in enumerate(game().moves()):
        assert found[i] == (move.label(board.turn) if space == "full" else move.compact_label(board.turn))
        board.push(move)


def test_records_in_every_form() -> None:
    rows = some(20)
    whole = training.decode(rows)
    assert same(training.decode(rows.tobytes(), format="hcpe"), whole)
    assert same(training.decode(np.frombuffer(rows.tobytes(), np.uint8).reshape(20, 38)), whole)
    assert same(training.decode(rows.view(np.recarray)), whole)
    assert same(training.decode(rows.astype(training.HCPE_RSSHOGI)), whole)
    assert same(training.decode(some(20, "psv").astype(training.PSV_RSSHOGI)), training.decode(some(20, "psv")))
    every_third = training.decode(rows[::3])
    assert every_third.label.tolist() == whole.label[::3].tolist()
    backwards = training.decode(rows[::-1])
    assert backwards.label.tolist() == whole.label[::-1].tolist()
    assert len(training.decode(rows[3])) == 1
    with pytest.raises(ValueError, match="format"):
        training.decode(rows.tobytes())
    with pytest.raises(ValueError, match="bytes"):
        training.decode(rows.tobytes()[:-1], format="hcpe")


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_mirrored_and_flipped_records(data: st.DataObject) -> None:
    """Decoding a mirrored record is mirroring the decoded one; a flipped record decodes to the same."""
    rows = some(18)
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=18, max_size=18)))
    outputs = ["features1", "features2", "label", "value", "result", "eval"]
    for space in ("full", "compact"):
        plain = training.decode(rows, outputs=outputs, labels=space)
        assert same(training.decode(training.flip_side(rows), outputs=outputs, labels=space), plain)
        mirrored = training.decode(rows, mirror=True, outputs=outputs, labels=space)
        assert same(training.decode(training.mirror_file(rows), outputs=outputs, labels=space), mirrored)
        assert np.array_equal(mirrored.features1, plain.features1[:, :, ::-1])
        assert np.array_equal(mirrored.label, labels.mirror_file(plain.label, compact=space == "compact"))
        mixed = training.decode(rows, mirror=chosen, outputs=outputs, labels=space)
        for name in outputs:
            picked = np.where(chosen.reshape(-1, *[1] * (getattr(plain, name).ndim - 1)), getattr(mirrored, name), getattr(plain, name))
            assert np.array_equal(getattr(mixed, name), picked)
    assert training.flip_side(training.flip_side(rows)).tobytes() == rows.tobytes()
    assert training.mirror_file(training.mirror_file(rows)).tobytes() == rows.tobytes()
    assert training.mirror_file(training.flip_side(rows)).tobytes() == training.flip_side(training.mirror_file(rows)).tobytes()


def test_values_follow_their_scale() -> None:
    rows = some()
    for scale in (None, 600.0):
        found = training.decode(rows, value_scale=scale, outputs=["value"]).value
        expected = 1 / (1 + np.exp(-rows["eval"].astype(float) / (scale or training.VALUE_SCALE)))
        assert np.allclose(found, expected, atol=2e-3 if scale else 1e-6)


@pytest.mark.parametrize("result", GameResult)
def test_results_by_every_convention(result: GameResult) -> None:
    black = {GameResult.BLACK_WIN: 1.0, GameResult.WHITE_WIN: 0.0, GameResult.DRAW: 0.5}[result]
    for format in ("hcpe", "psv"):
        for convention in (None, "apery", "yaneuraou", "rsshogi"):
            rows = training.game_records(game(), [0] * 18, result, format, result_convention=convention)
            found = training.decode(rows, result_convention=convention, outputs=["result"]).result
            assert found.tolist() == [black if i % 2 == 0 else 1 - black for i in range(18)]
    rows = training.game_records(game(), [0] * 18, result, "psv")
    assert rows["gamePly"].tolist() == list(range(1, 19))
    assert training.to_psv(training.to_hcpe(rows))["game_result"].tolist() == rows["game_result"].tolist()


def test_game_records_refuse() -> None:
    with pytest.raises(ValueError, match="one for each move"):
        training.game_records(game(), [0], 0)
    with pytest.raises(InvalidValueError) as caught:
        training.game_records(game(), [0] * 17 + [32768], 0)
    assert caught.value.row == 17
    with pytest.raises(ValueError, match="dtype"):
        training.game_records(game(), [0.5] * 18, 0)
    with pytest.raises(ValueError, match="format"):
        training.game_records(game(), [0] * 18, 0, "kif")
    with pytest.raises(ValueError, match="valid"):
        training.game_records(game(), [0] * 18, 3)
    passed = Board()
    passed.push_null()
    with pytest.raises(InvalidValueError):
        training.game_records(passed, [0], 0)
    assert len(training.game_records(Board(), [], 0)) == 0


# ----------------------------------------------------------------------------------------------------------------- Files


@pytest.mark.parametrize("format", ["hcpe", "psv"])
def test_files(tmp_path: Path, format: str) -> None:
    rows = some(500, format)
    path = tmp_path / f"games.{format}"
    training.write(path, rows)
    assert path.read_bytes() == rows.tobytes()
    read = training.open(path)
    assert (len(read), read.format, read.dtype, read.paths) == (500, format, training.dtype(format), (str(path),))
    assert read[:].tobytes() == rows.tobytes()
    assert not read[:].flags.writeable
    assert np.shares_memory(read[:], read[7:])
    assert read[3:9].tobytes() == rows[3:9].tobytes()
    assert same(training.decode(read), training.decode(rows))
    assert training.open(str(path), format)[:].tobytes() == rows.tobytes()
    training.write(path, [rows[:10], rows[20:30]])
    assert training.open(path)[:].tobytes() == rows[:10].tobytes() + rows[20:30].tobytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name]
    training.write(path, rows[:0])
    assert len(training.open(path)) == 0


def test_what_kind_of_file(tmp_path: Path) -> None:
    rows = some(19, "psv")  # 760 bytes are 20 HCPE records, too
    path = tmp_path / "games.bin"
    training.write(path, rows)
    with pytest.raises(ValueError, match="format"):
        training.open(path)
    assert training.open(path, "psv")[:].tobytes() == rows.tobytes()
    path.write_bytes(rows.tobytes()[:40])
    assert training.open(path).dtype == training.PSV
    path.write_bytes(b"x" * 38)
    assert training.open(path).dtype == training.HCPE
    path.write_bytes(b"x" * 39)
    with pytest.raises(ParseError):
        training.open(path)
    named = tmp_path / "games.hcpe"
    named.write_bytes(b"x" * 77)
    with pytest.raises(ParseError) as caught:
        training.open(named)
    assert caught.value.offset == 76
    with pytest.raises(FileNotFoundError):
        training.open(tmp_path / "missing.hcpe")
    with pytest.raises(ValueError, match="format"):
        training.open(named, "kif")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "games.hcpe"
    training.write(path, some(3))
    before = path.read_bytes()
    os.chmod(path, 0o640)

    def parts() -> Any:
        yield some(100)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        training.write(path, parts())
    with pytest.raises(ValueError, match="psv records after hcpe"):
        training.write(path, [some(3), some(3, "psv")])
    with pytest.raises(ValueError, match="dtype"):
        training.write(path, np.zeros(3, np.int64))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    training.write(path, some(4))
    assert os.stat(path).st_mode & 0o777 == 0o640
    with pytest.raises(FileNotFoundError):
        training.write(tmp_path / "no" / "games.hcpe", some(3))


def test_random_bytes_never_do_more_than_raise() -> None:
    choose = np.random.default_rng(3)
    for size, format in ((38, "hcpe"), (40, "psv")):
        noise = choose.integers(0, 256, (5000, size), dtype=np.uint8)
        found = training.decode(noise, on_error="report", format=format, outputs=["label", "result"])
        assert len(found.bad_rows) == len(found.bad_status)
        assert all(isinstance(e, komadori.KomadoriError) for e in found.errors[:50])
        good = np.frombuffer(some(2000, format).tobytes(), np.uint8).reshape(2000, size).copy()
        at = choose.integers(0, size, 2000)
        good[np.arange(2000), at] ^= choose.integers(1, 256, 2000, dtype=np.uint8)
        training.decode(good, on_error="report", format=format)
    for raw in choose.integers(0, 256, (500, 32), dtype=np.uint8):
        for read in (Board.from_hcp, Board.from_packed_sfen):
            try:
                read(raw).legal_moves()
            except komadori.KomadoriError:
                pass


def test_threads_setting() -> None:
    before = komadori.threads()
    try:
        komadori.set_threads(3)
        assert komadori.threads() == 3
        assert same(training.decode(some(200)), training.decode(some(200), threads=1))
    finally:
        komadori.set_threads(before)
    for wrong in (0, -1, 10**9):
        with pytest.raises(ValueError, match="threads"):
            komadori.set_threads(wrong)
    assert threading.active_count() >= 1


def test_only_regular_files_are_opened_and_replaced(tmp_path: Path) -> None:
    board = komadori.Board()
    board.push_usi("7g7f")
    records = training.game_records(board, [0], komadori.GameResult.DRAW)
    with pytest.raises(OSError):
        training.open(tmp_path, "hcpe")
    os.mkfifo(tmp_path / "pipe.hcpe")
    with pytest.raises(OSError):
        training.write(tmp_path / "pipe.hcpe", records)
    training.write(tmp_path / "target.hcpe", records)
    os.symlink("target.hcpe", tmp_path / "link.hcpe")
    training.write(tmp_path / "link.hcpe", np.repeat(records, 2))
    assert (tmp_path / "link.hcpe").is_symlink() and len(training.open(tmp_path / "target.hcpe")) == 2


def test_rows_that_numpy_holds_in_other_ways() -> None:
    board = komadori.Board()
    board.push_usi("7g7f")
    records = training.game_records(board, [7], komadori.GameResult.DRAW, format="psv")
    assert training.decode(records[:1][::-1]).label.tolist() == [59]
    swapped = records.astype(records.dtype.newbyteorder(">"))
    with pytest.raises(ValueError, match="big-endian"):
        training.decode(swapped)


def test_boards_have_the_planes_of_their_records() -> None:
    boards = [Board(), Board.from_position("startpos moves 7g7f"), Board("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1")]
    records = []
    for board in boards:
        played = board.copy()
        played.push(board.legal_moves()[0])
        records.append(training.game_records(played, [0] * played.history_length, 0, format="psv")[-1:])
    for planes, names in (("dlshogi", ("features1", "features2")), ("pieces", ("planes",)), (["hands", "check"], ("planes",))):
        for mirror in (None, True):
            found = training.decode_boards(boards, planes, dtype=np.uint8, mirror=mirror)
            want = training.decode(np.concatenate(records), planes=planes, dtype=np.uint8, mirror=mirror, outputs=names)
            for name in names:
                assert np.array_equal(found.arrays[name], want.arrays[name])
    assert training.decode_boards(Board(), "pieces").planes.shape == (1, 28, 9, 9)
    mated = Board("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1")
    assert mated.is_checkmate() and training.decode_boards(mated, "check").planes.all()
    assert len(training.decode_boards([], "pieces").planes) == 0
    with pytest.raises(TypeError):
        training.decode_boards(["startpos"])  # type: ignore[list-item]
    with pytest.raises(InvalidPositionError):
        training.decode_boards(Board("4k4/9/9/9/9/9/9/9/9 b - 1"))


def test_records_draw_themselves_wherever_they_come_from() -> None:
    board = Board.from_position("startpos moves 7g7f 3c3d")
    made = training.game_records(board, [30, -20], GameResult.BLACK_WIN)
    for records in (made, training.to_psv(made), training.flip_side(made), batch.convert(made, "hcpe2"), training.open(made)[:]):
        assert isinstance(records, training.Records) and "<table" in records._repr_html_()
    assert not isinstance(batch.convert(made, "hcp"), training.Records)
