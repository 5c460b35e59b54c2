"""The mate solver as Python sees it."""

from __future__ import annotations

import pickle
import time
from typing import Any

import numpy as np
import pytest

import vectorset
from komadori import Board, Color, InvalidPositionError, InvalidValueError, Move, ParseError, Setup, batch, mate

ONE = "4k4/9/4P4/9/9/9/9/9/9 b G 1"
NONE = "4k4/9/9/9/9/9/9/9/9 b P 1"
OPEN = "9/9/9/4k4/9/9/9/9/4K4 b R4N 1"  # no mate, after some 100,000 positions
HARD = "4k4/9/9/9/9/9/9/9/4K4 b B4S18P 1"  # takes longer than any test waits


def is_mating_line(board: Board, line: tuple[Move, ...]) -> bool:
    again = board.copy()
    for i, move in enumerate(line):
        again.push(move)
        if i % 2 == 0 and not again.is_check():
            return False
    return len(line) % 2 == 1 and again.is_checkmate()


def test_answers() -> None:
    found = mate.solve(Board(ONE))
    assert found
    assert (found.status, found.length, found.best_move, found.proven) == ("mate", 1, Move.from_usi("G*5b"), True)
    none = mate.solve(Board())
    assert not none
    assert (none.status, none.moves, none.best_move, none.length, none.first_moves) == ("no mate", (), None, 0, ())
    unknown = mate.solve(Board(OPEN), nodes=100)
    assert (unknown.status, unknown.nodes) == ("unknown", 100)
    assert pickle.loads(pickle.dumps(found)) == found


def test_long_searches_are_jobs() -> None:
    """What the first look does not solve is solved by the second."""
    board = Board("9/9/9/9/4k4/9/9/9/4K4 b R2B4L18P 1")
    found = mate.solve(board, nodes=2_000_000)
    assert found.status == "mate"
    assert is_mating_line(board, found.moves)
    assert mate.solve(board, nodes=2_000_000, movetime_ms=60_000).moves == found.moves
    for nodes in (3000, 30_000):
        unknown = mate.solve(Board(HARD), nodes=nodes)
        assert (unknown.status, unknown.nodes) == ("unknown", nodes)


def test_shortest_and_first_moves() -> None:
    n = 0
    for row in vectorset.rows("vectors/mates.jsonl"):
        if row["result"] != "mate" or row["length"] > 5:
            continue
        try:
            board = Board(row["sfen"])
        except InvalidPositionError:
            continue
        n += 1
        found = mate.solve(board, shortest=True)
        assert (found.status, found.length, found.proven) == ("mate", row["length"], True), row
        assert is_mating_line(board, found.moves)
        if n % 7 == 0:
            found = mate.solve(board, first_moves=True)
            assert sorted(move.to_usi() for move in found.first_moves) == sorted(row["first_moves"])
    vectorset.count("vectors/mates.jsonl", n)


def test_results_draw_themselves() -> None:
    board = Board("7nl/5kP2/3p1g1sp/9/9/9/9/9/9 b RS2b3g2s3n3l15p 7")
    mates = Board("4k4/9/3PPP3/9/9/9/9/9/9 b G 5")
    for result, position in (
        (mate.solve(mates), mates),
        (mate.solve(mates, first_moves=True), mates),
        (mate.solve(board), board),
        (mate.solve_batch([mates, board])[0], mates),
        (mate.solve_batch([mates.to_sfen()])[0], mates),
        (mate.solve_batch(batch.from_sfens([mates.to_sfen()], format="board"), format="board")[0], mates),
    ):
        for one in (result, pickle.loads(pickle.dumps(result))):
            assert one.board().to_sfen(ply=False) == position.to_sfen(ply=False)
        drawn = result._repr_html_()
        assert drawn is not None and drawn.count("<svg") == 1
        if position is board:
            assert "no mate, " in drawn and 'class="ring"' not in drawn
        else:
            assert "mate in 1, " in drawn and "no shorter mate exists" in drawn and "金打" in drawn and "<code" in drawn
            assert drawn.count('class="ring"') == max(len(result.first_moves), 1)
    # The board may go on: the result keeps its problem.
    result = mate.solve(mates)
    mates.push(result.moves[0])
    assert result.board().ply == 5 and result == mate.solve(result.board())
    by_hand = mate.MateResult("mate", result.moves, 3)
    assert by_hand._repr_html_() is None
    with pytest.raises(InvalidValueError):
        by_hand.board()


def test_depth_is_a_limit() -> None:
    board = Board("9/9/9/9/4k4/9/9/9/4K4 b R2B4L18P 1")
    assert mate.solve(board, depth=3).status == "unknown"
    assert mate.solve(Board(), depth=3).status == "no mate"


def test_all_mates_in_one() -> None:
    board = Board("4k4/9/3PPP3/9/9/9/9/9/9 b G 1")
    assert [move.to_usi() for move in mate.all_mates_in_one(board)] == ["G*5b"]
    for row in vectorset.rows("vectors/positions.jsonl.gz"):
        try:
            board = Board(row["sfen"])
        except InvalidPositionError:
            continue
        assert sorted(move.to_usi() for move in mate.all_mates_in_one(board)) == sorted(row["mate_in_one"])


def test_problems_with_all_men() -> None:
    """The defender holds what is not on the board, and may put it between."""
    setup = Setup("7lk/9/9/9/9/9/9/9/9 b R 1")
    few = mate.solve(setup.to_board())
    setup.give_box(Color.WHITE)
    many = mate.solve(setup.to_board())
    assert few.length <= many.length or not many
    for found, board in ((few, Board("7lk/9/9/9/9/9/9/9/9 b R 1")), (many, setup.to_board())):
        assert not found or is_mating_line(board, found.moves)


@pytest.mark.parametrize(("options", "error"), [
    ({"nodes": 0}, ValueError), ({"nodes": -1}, ValueError), ({"depth": 0}, ValueError), ({"depth": "3"}, TypeError), ({"nodes": "3"}, TypeError),
    ({"movetime_ms": 0}, ValueError), ({"memory_mb": 0}, ValueError), ({"memory_mb": 65537}, ValueError), ({"memory_mb": "1"}, TypeError),
    ({"memory_mb": 2.5}, TypeError), ({"progress": 1}, TypeError),
])  # fmt: skip
def test_wrong_options(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        mate.solve(Board(), **options)
    with pytest.raises(error):
        mate.solve_batch([Board()], **options)


def test_wrong_boards() -> None:
    for solve in (lambda: mate.solve(Board("9/9/9/9/9/9/9/9/4K4 b G 1")), lambda: mate.solve_batch(["9/9/9/9/9/9/9/9/4K4 b G 1"])):
        with pytest.raises(InvalidPositionError, match="the side not to move has no king to mate"):
            solve()
    with pytest.raises(TypeError):
        mate.solve(ONE)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        mate.all_mates_in_one(ONE)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        mate.solve_batch(ONE)
    with pytest.raises(TypeError):
        mate.solve_batch(Board(ONE))


class Enough(Exception):
    pass


def test_progress_ends_a_search() -> None:
    told: list[mate.MateProgress] = []

    def look(progress: mate.MateProgress) -> None:
        told.append(progress)
        if progress.nodes:
            raise Enough

    with pytest.raises(Enough):
        mate.solve(Board(HARD), nodes=10**12, memory_mb=4, progress=look)
    assert told[-1].nodes > 0
    assert 0 <= told[-1].fill <= 1


def test_what_cannot_be_called_is_refused_at_once() -> None:
    for progress in (5, "print"):
        with pytest.raises(TypeError, match="progress must be a function or None"):
            mate.solve(Board(HARD), nodes=10**12, progress=progress)  # type: ignore[arg-type]


def test_a_time_limit_is_kept() -> None:
    began = time.monotonic()
    found = mate.solve(Board(HARD), movetime_ms=100, memory_mb=4)
    assert found.status == "unknown"
    assert time.monotonic() - began < 60  # not forever


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_batches(threads: int) -> None:
    texts = [ONE, NONE, OPEN, Board().to_sfen()] * 9
    found = mate.solve_batch(texts, nodes=200, memory_mb=1, threads=threads)
    assert len(found) == 36
    assert found.lengths.tolist() == [1, 0, 0, 0] * 9
    assert found.is_mate.tolist() == [True, False, False, False] * 9
    assert found.is_no_mate.tolist() == [False, True, False, True] * 9
    assert found.proven.tolist() == [True, False, False, False] * 9
    assert [Move(int(m)) for m in found.moves[:2]] == [Move.from_usi("G*5b"), Move.NONE]
    assert (found.lengths.dtype, found.moves.dtype, found.nodes.dtype) == (np.int32, np.uint16, np.uint64)
    for i, result in enumerate(found[:4]):
        alone = mate.solve(Board(texts[i]), nodes=200)
        assert (result.status, result.moves, result.nodes) == (alone.status, alone.moves, alone.nodes)


def test_batches_of_every_kind() -> None:
    board = Board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")
    packed = batch.from_sfens([board.to_sfen()] * 3)
    for positions in (packed, [board] * 3, [board.to_sfen()] * 3, batch.from_sfens([ONE] * 3, format="board")):
        assert mate.solve_batch(positions, nodes=100).lengths.tolist() == [1, 1, 1]
    empty = mate.solve_batch([], nodes=100)
    assert (len(empty), empty.lines.tolist()) == (0, [])


def test_bad_rows() -> None:
    texts = [ONE, "nonsense", "9/9/9/9/9/9/9/9/4K4 b G 1"]
    with pytest.raises(ParseError) as caught:
        mate.solve_batch(texts)
    assert caught.value.row == 1
    with pytest.raises(InvalidPositionError) as missing:
        mate.solve_batch([texts[0], texts[2]])
    assert missing.value.row == 1
    status = np.zeros(3, np.int32)
    found = mate.solve_batch(texts, row_status=status)
    assert (status != 0).tolist() == [False, True, True]
    assert found.lengths.tolist() == [1, 0, 0]
    assert found[0].status == "mate"
    with pytest.raises(ValueError):
        found[1]


def test_batches_are_stopped() -> None:
    def look(done: int, total: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        mate.solve_batch([HARD] * 50, nodes=10**12, memory_mb=1, progress=look)


def test_futile_interpositions_are_not_counted() -> None:
    board = Board("k8/2S6/K8/9/9/9/9/9/8R b r2b4g3s4n4l18p 1")
    assert mate.solve(board, shortest=True).length == 15
    found = mate.solve(board, skip_futile=True, first_moves=True)
    assert (found.length, found.proven, found.best_move) == (1, True, Move.from_usi("1i1a"))
    assert len(found.moves) > 1 and is_mating_line(board, found.moves)
    assert pickle.loads(pickle.dumps(found)) == found
