"""Search as Python sees it."""

from __future__ import annotations

import pickle
import sys
import time
from pathlib import Path

import pytest

from komadori import Board, HandleError, Move, Rules, perft, search
from komadori.search import Bound, Score, Searcher

MATE_IN_THREE = "7nl/5kP2/3p1g1sp/9/9/9/9/9/9 b RS2b3g2s3n3l15p 1"


def replays(board: Board, line: tuple[Move, ...]) -> Board:
    again = board.copy()
    for move in line:
        again.push(move)
    return again


@pytest.mark.parametrize("limits", [{"depth": 4}, {"nodes": 3000}, {"movetime_ms": 50}, {"depth": 30, "nodes": 2000}])
def test_limits(limits: dict[str, int]) -> None:
    board = Board.from_position("startpos moves 7g7f 3c3d")
    before = board.to_position()
    with Searcher(hash_mb=1) as searcher:
        found = searcher.search(board, **limits)
    assert board.to_position() == before
    assert board.is_legal(found.best_move)
    assert found.pv[0] is found.best_move
    replays(board, found.pv)
    assert found.elapsed > 0
    if "movetime_ms" not in limits:  # which a busy machine may take away before the first node
        assert found.nodes > 0
        assert found.depth >= 1
    assert not found.score.is_mate
    if "nodes" in limits:
        assert found.nodes <= limits["nodes"]
    if limits == {"depth": 4}:
        assert found.depth == 4


def test_a_search_needs_a_limit() -> None:
    searcher = Searcher(hash_mb=1)
    with pytest.raises(ValueError, match="limit"):
        searcher.search(Board())
    for wrong in ({"depth": 0}, {"depth": -1}, {"nodes": 0}, {"movetime_ms": 0}, {"depth": 2**40}, {"nodes": 2**70}):
        with pytest.raises(ValueError, match="want"):
            searcher.search(Board(), **wrong)
    for kind in ({"depth": "3"}, {"depth": 1.5}, {"nodes": True}):
        with pytest.raises(TypeError):
            searcher.search(Board(), **kind)
    for size in (0, -1, 65537):
        with pytest.raises(ValueError, match="hash_mb"):
            Searcher(hash_mb=size)
    with pytest.raises(TypeError):
        Searcher(hash_mb="1")  # type: ignore[arg-type]


def test_the_same_search_gives_the_same_result() -> None:
    board = Board.from_position("startpos moves 7g7f 3c3d 2g2f")
    searcher = Searcher(hash_mb=1)
    first = searcher.search(board, nodes=5000)
    assert Searcher(hash_mb=1).search(board, nodes=5000) == first
    searcher.clear()
    assert searcher.search(board, nodes=5000) == first


def test_scores_that_a_limit_kept_from_another_look_are_bounds() -> None:
    board = Board("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1")
    seen = set()
    with Searcher(hash_mb=1) as searcher:
        for nodes in range(1000, 60000, 500):
            searcher.clear()
            found = searcher.search(board, nodes=nodes)
            assert found.bound is found.lines[0].bound
            mark = {Bound.EXACT: " ", Bound.LOWER: "≥", Bound.UPPER: "≤"}[found.bound]
            assert f"{mark} {found.score} " in str(found)
            assert f", {f'{mark} {found.score}'.strip()}, depth " in repr(found)
            again = search.analyse_batch([board], nodes=nodes, hash_mb=1)[0]
            assert again.lines == found.lines
            if found.bound is not Bound.EXACT and found.bound not in seen:
                assert f">{mark} {found.score.cp:+}<" in found._repr_html_()
                assert f"{mark} {found.score.cp:+}" in search.analyse_batch([board, board], nodes=nodes, hash_mb=1)._repr_html_()
            seen.add(found.bound)
            if {Bound.EXACT, Bound.LOWER} <= seen:
                break
    assert {Bound.EXACT, Bound.LOWER} <= seen


def test_mates_are_no_centipawns() -> None:
    found = Searcher(hash_mb=1).search(Board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), depth=3)
    assert found.score == Score(mate=1)
    assert found.best_move is Move.from_usi("G*5b")
    mated = Board("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1")
    assert mated.is_checkmate()
    lost = Searcher(hash_mb=1).search(mated, depth=3)
    assert lost.best_move is Move.RESIGN
    assert lost.score.is_mate
    assert lost.score < Score(cp=-32000)
    assert lost.pv == ()


def test_progress_and_exceptions_from_it() -> None:
    seen: list[search.Info] = []

    class Enough(Exception):
        pass

    def progress(result: search.Info) -> None:
        seen.append(result)
        if len(seen) == 3:
            raise Enough

    searcher, board = Searcher(hash_mb=1), Board()
    with pytest.raises(Enough):
        searcher.search(board, infinite=True, on_progress=progress)
    assert all(board.is_legal(r.best_move) for r in seen)
    for result in seen:
        replays(board, result.pv)
    assert searcher.search(board, depth=2).depth == 2


def test_parts_that_are_left_out_change_the_search() -> None:
    board = Board("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1")
    found = {
        name: Searcher(hash_mb=1, **{name: value}).search(board, depth=4).nodes
        for name, value in {"table": True, "all_moves": True, "quiescence": False, "repetition": False}.items()
    }
    found["no table"] = Searcher(hash_mb=1, table=False).search(board, depth=4).nodes
    assert len({found["table"], found["all_moves"], found["quiescence"], found["no table"]}) == 4


def test_closing_and_pickling() -> None:
    searcher = Searcher(2, 4, rules=Rules.CSA, quiescence=False, repetition=False)
    again = pickle.loads(pickle.dumps(searcher))
    assert again.__reduce__() == searcher.__reduce__()
    assert again.__reduce__()[1][:3] == (2, 4, Rules.CSA)
    assert repr(again) == "Searcher(threads=2, hash_mb=4)"
    assert repr(Searcher()) == "Searcher(threads=1, hash_mb=64)"
    searcher.search(Board(), depth=1)
    searcher.close()
    searcher.close()
    with pytest.raises(HandleError):
        searcher.search(Board(), depth=1)
    with pytest.raises(HandleError):
        searcher.clear()
    assert again.search(Board(), depth=1).depth == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems are not asked")
def test_a_table_that_memory_does_not_hold_is_refused() -> None:
    """Linux promises nearly all of its memory, and ends who uses more than there is; the searcher is only opened here, which takes nothing."""
    told = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    total, available = (int(told[name].split()[0]) >> 10 for name in ("MemTotal", "MemAvailable"))
    wanted = total - 280  # what Linux would promise
    if not max(256, available + 100) < wanted <= 65536:
        pytest.skip("too little of the memory is in use, or tables are smaller than it")
    with pytest.raises(MemoryError):
        Searcher(hash_mb=wanted).clear()
    Searcher(hash_mb=1).clear()


def test_a_time_limit_is_kept() -> None:
    began = time.monotonic()
    found = Searcher(hash_mb=1).search(Board(), movetime_ms=100)
    assert Board().is_legal(found.best_move)  # also where a busy machine took the time away before the first node
    assert time.monotonic() - began < 60  # not forever


def test_perft() -> None:
    board = Board()
    assert [perft(board, d) for d in range(4)] == [1, 30, 900, 25470]
    assert board == Board()
