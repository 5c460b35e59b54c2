"""komadori.tools: files shuffled, split, deduplicated, sampled, counted, checked, compared, exported; and what happens when it goes wrong in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vectorset
from komadori import Board, GameResult, search, tools, training
from komadori.tools import _arrow, _rewrite, _spill

GAMES = vectorset.ROOT / "examples" / "data" / "alphazero_elmo.tsv"


def games(format: str) -> list[np.ndarray]:
    """Records of ten games, one array a game; evaluations are made up and differ."""
    parts = []
    for line in GAMES.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "id\t")):
            *_, winner, _ending, moves = line.split("\t")
            board = Board.from_position("startpos moves " + moves)
            result = {"black": GameResult.BLACK_WIN, "white": GameResult.WHITE_WIN, "draw": GameResult.DRAW}[winner]
            parts.append(training.game_records(board, np.arange(board.history_length) * 7 % 2001 - 1000, result, format))
    return parts


@pytest.fixture(scope="module")
def hcpe() -> np.ndarray:
    return np.concatenate(games("hcpe"))


@pytest.fixture(scope="module")
def psv() -> np.ndarray:
    return np.concatenate(games("psv"))


def rows_of(path: Path) -> list[bytes]:
    return [row.tobytes() for row in np.asarray(training.open(path)[:])]


@pytest.fixture(params=["one bucket", "many buckets, in memory", "many buckets, on disk"])
def buckets(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Small sizes, so that few rows do what billions do."""
    if request.param != "one bucket":
        monkeypatch.setattr(_spill, "BUCKET", 100)
        monkeypatch.setattr(_rewrite, "BLOCK", 333)
        monkeypatch.setattr(_spill, "_MOST_BUCKETS", 1000)
    if request.param.endswith("disk"):
        monkeypatch.setattr(_spill, "_LEAST", 5000)
    return str(request.param)


# ---------------------------------------------------------------------------------------------------------------------- Shuffle


def test_shuffling_keeps_every_row(buckets: str, hcpe: np.ndarray, psv: np.ndarray, tmp_path: Path) -> None:
    for name, records in (("x.hcpe", hcpe), ("x.psv", psv)):
        path = tmp_path / name
        assert tools.shuffle(records, path, memory=1) == len(records)
        found = rows_of(path)
        assert Counter(found) == Counter(row.tobytes() for row in records)
        assert found != [row.tobytes() for row in records]


def test_rows_and_seed_alone_decide_the_order(buckets: str, hcpe: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    training.write(tmp_path / "a.hcpe", hcpe[:700])
    training.write(tmp_path / "b.hcpe", hcpe[700:])
    calls: list[tuple[int, int]] = []

    def order(seed: int = 1, source: Any = hcpe, **options: Any) -> bytes:
        tools.shuffle(source, tmp_path / "s.hcpe", seed=seed, **options)
        return (tmp_path / "s.hcpe").read_bytes()

    first = order(threads=1, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (2 * len(hcpe), 2 * len(hcpe)) and calls == sorted(calls)
    assert order(threads=3) == first == order(source=[tmp_path / "a.hcpe", tmp_path / "b.hcpe"])
    assert order(seed=2) != first
    for least in (1 << 10, 1 << 16):
        monkeypatch.setattr(_spill, "_LEAST", least)
        assert order(memory=1) == first


def test_shuffled_rows_lie_anywhere(buckets: str, hcpe: np.ndarray, tmp_path: Path) -> None:
    numbered = np.tile(hcpe, 3)
    numbered["hcp"][:, :8] = np.arange(len(numbered), dtype=np.int64).view(np.uint8).reshape(-1, 8)
    tools.shuffle(numbered, tmp_path / "s.hcpe", seed=3)
    places = np.ascontiguousarray(training.open(tmp_path / "s.hcpe")[:]["hcp"][:, :8]).view(np.int64).ravel()
    assert sorted(places.tolist()) == list(range(len(numbered)))
    assert abs(np.corrcoef(places, np.arange(len(places)))[0, 1]) < 0.05
    assert abs(np.corrcoef(places[1:], places[:-1])[0, 1]) < 0.05


def test_a_file_may_be_shuffled_in_its_place(hcpe: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "x.hcpe"
    training.write(path, hcpe)
    tools.shuffle(path, path)
    assert Counter(rows_of(path)) == Counter(row.tobytes() for row in hcpe)


def test_games_are_shuffled_whole(hcpe: np.ndarray, tmp_path: Path) -> None:
    originals = games("hcpe")
    paths = [tmp_path / "x.hcpe3", tmp_path / "y.hcpe3"]
    training.write(paths[0], np.concatenate(originals[:7]), "hcpe3")
    training.write(paths[1], np.concatenate(originals[7:]), "hcpe3")
    out = tmp_path / "s.hcpe3"
    assert tools.shuffle(paths, out, seed=1) == 10
    shuffled = training.open(out, positions="all")
    assert out.stat().st_size == sum(path.stat().st_size for path in paths) and shuffled.games == 10
    begins = np.flatnonzero(shuffled[:]["ply"] == 1)
    found = [part["hcp"].tobytes() for part in np.split(np.asarray(shuffled[:]), begins[1:])]
    wanted = [game["hcp"].tobytes() for game in originals]
    assert sorted(found) == sorted(wanted) and found != wanted
    first = out.read_bytes()
    tools.shuffle(paths, out, seed=1)
    assert out.read_bytes() == first
    tools.shuffle(paths, out, seed=2)
    assert out.read_bytes() != first


def test_games_cannot_be_deduplicated_by_rows(hcpe: np.ndarray, tmp_path: Path) -> None:
    training.write(tmp_path / "x.hcpe3", hcpe, "hcpe3")
    with pytest.raises(ValueError, match="hcpe3 holds games"):
        tools.dedupe(tmp_path / "x.hcpe3", tmp_path / "y.hcpe3")
    assert not (tmp_path / "y.hcpe3").exists()


# ---------------------------------------------------------------------------------------------------------------------- Records


def lines() -> list[str]:
    """The ten games as lines with results, and evaluations as ``games`` has them."""
    made = []
    for line in GAMES.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "id\t")):
            *_, winner, _ending, moves = line.split("\t")
            evals = " ".join(str(number * 7 % 2001 - 1000) for number in range(len(moves.split())))
            made.append(f"position startpos moves {moves}\t{winner}\t{evals}")
    return made


@pytest.mark.parametrize("format", ["hcpe", "hcpe2", "psv", "hcpe3"])
def test_records_of_games_with_evaluations(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{format}"
    calls: list[tuple[int, int]] = []
    report = tools.records(lines(), path, threads=3, progress=lambda done, total: calls.append((done, total)))
    assert (report.games, report.rows, report.without_result, report.bad) == (10, 1884, 0, [])
    assert calls[-1] == (10, 10)
    if format != "hcpe3":
        assert path.read_bytes() == np.concatenate(games(format)).tobytes()
    else:
        assert np.array_equal(training.open(path)[:]["hcp"], np.concatenate(games("hcpe"))["hcp"])
    file = tmp_path / "games.tsv"
    file.write_text("\ufeff# games\n\n" + "\r\n".join(lines()), encoding="utf-8", newline="")
    assert tools.records(file, tmp_path / f"y.{format}").rows == 1884
    assert (tmp_path / f"y.{format}").read_bytes() == path.read_bytes()


def test_who_won(tmp_path: Path) -> None:
    path = tmp_path / "x.hcpe"
    mate = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b"
    repeated = "startpos moves " + " ".join(["2h3h", "8b7b", "3h2h", "7b8b"] * 3)
    found = {
        "startpos moves 7g7f resign": 1,  # White's turn
        "startpos moves 7g7f 3c3d resign": 2,
        "startpos moves 7g7f win": 2,
        "startpos moves 7g7f rep_draw": 0,
        "startpos moves 7g7f resign\twhite": 2,  # what is told counts
        mate: 1,
        repeated: 0,
    }
    for line, winner in found.items():
        assert tools.records([line], path).games == 1
        assert set(training.open(path)[:]["gameResult"].tolist()) == {winner}, line
    assert tools.records(["startpos moves 7g7f"], path).without_result == 1
    assert tools.records(["startpos moves 7g7f"], path, without_result="draw").rows == 1
    with pytest.raises(ValueError, match="line 1: nothing says who won"):
        tools.records(["startpos moves 7g7f"], path, without_result="raise")


def test_evaluations_of_a_search(tmp_path: Path) -> None:
    path = tmp_path / "x.hcpe"
    few = [line.split("\t")[0] + "\tblack" for line in lines()[:3]]
    short = [" ".join(line.split("\t")[0].split()[:13]) + "\tblack" for line in few]
    tools.records(short, path, nodes=100, threads=1)
    first = path.read_bytes()
    evals = training.open(path)[:]["eval"].tolist()
    assert len(evals) == 30 and len(set(evals)) > 10
    tools.records(short, path, nodes=100, threads=3)
    assert path.read_bytes() == first
    searcher = search.Searcher(hash_mb=8)
    assert evals[0] == int(searcher.search(Board(), nodes=100).score.to_eval())


def test_lines_that_are_wrong(tmp_path: Path) -> None:
    path = tmp_path / "x.hcpe"
    path.write_bytes(b"precious")
    good = "startpos moves 7g7f resign"
    for wrong, match in (
        ("startpos moves 7g7f 7g7f", "line 2: .*move"),
        ("nonsense", "line 2"),
        ("startpos moves 7g7f\tme", "line 2: result 'me'"),
        ("startpos moves 7g7f\tblack\t1 2", "line 2: 2 evaluations of 1 moves"),
        ("startpos moves 7g7f\tblack\tx", "line 2: evaluations"),
        ("startpos moves 7g7f\tblack\t99999", "line 2: evaluation 99999"),
    ):
        with pytest.raises(ValueError, match=match):
            tools.records([good, wrong], path)
        assert path.read_bytes() == b"precious"
    report = tools.records([good, "nonsense", good], path, on_error="skip")
    assert report.games == 2 and [number for number, _ in report.bad] == [2]
    for options in ({"nodes": 0}, {"without_result": "win"}, {"on_error": "drop"}):
        with pytest.raises(ValueError):
            tools.records([good], path, **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="does not tell its format"):
        tools.records([good], tmp_path / "x.bin")


# ------------------------------------------------------------------------------------------------------------------------ Split


@pytest.mark.parametrize("format", ["hcpe", "hcpe2", "psv", "hcpe3"])
def test_games_stay_whole(format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    originals = games("hcpe" if format == "hcpe3" else format)
    source = tmp_path / f"all.{format}"
    training.write(source, np.concatenate(originals), format)
    parts = [tmp_path / f"{name}.{format}" for name in "ab"]
    report = tools.split(source, [(parts[0], 2), (parts[1], 1)], seed=4)
    assert report.games == 10 and report.rows == sum(map(len, originals)) == sum(report.written.values())
    assert min(report.written.values()) > 0
    positions = [np.asarray(training.open(part, positions="all")[:]["sfen" if format == "psv" else "hcp"]) for part in parts]
    at = [0, 0]
    for game in originals:  # each in one of the parts, from beginning to end
        stored = game[game.dtype.names[0]]
        which = next(i for i in (0, 1) if np.array_equal(positions[i][at[i] : at[i] + len(game)], stored))
        at[which] += len(game)
    assert at == [len(part) for part in positions]


def test_games_in_blocks_are_the_same_games(hcpe: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [(tmp_path / "a.hcpe", 1), (tmp_path / "b.hcpe", 1)]
    whole = tools.split(hcpe, parts)
    stored = [path.read_bytes() for path, _ in parts]
    blocks = training.TrainingData.blocks
    monkeypatch.setattr(training.TrainingData, "blocks", lambda self, rows=97, *a: blocks(self, 97, *a))
    assert tools.split(hcpe, parts) == whole
    assert [path.read_bytes() for path, _ in parts] == stored


def test_a_broken_row_ends_a_game(hcpe: np.ndarray, tmp_path: Path) -> None:
    damaged = hcpe.copy()
    damaged["hcp"][50] = 255
    assert tools.split(damaged, [(tmp_path / "a.hcpe", 1)]).games == 12  # what was before, the row itself, what comes after


def test_a_position_is_in_one_part_alone(psv: np.ndarray, tmp_path: Path) -> None:
    doubled = np.concatenate([psv, psv[::-1], psv[::3]])
    parts = [(tmp_path / name, weight) for name, weight in (("a.psv", 8.0), ("b.psv", 1.0), ("c.psv", 1.0))]
    report = tools.split(doubled, parts, by="position", seed=1)
    found = [set(rows["sfen"].tobytes() for rows in training.open(path)[:]) for path, _ in parts]
    assert not (found[0] & found[1] or found[0] & found[2] or found[1] & found[2])
    assert sum(report.written.values()) == len(doubled)
    shares = [rows / len(doubled) for rows in report.written.values()]
    assert abs(shares[0] - 0.8) < 0.05 and abs(shares[1] - 0.1) < 0.04
    assert tools.split(doubled, parts, by="position", seed=2) != report


def test_rows_are_divided_by_weight(hcpe: np.ndarray, tmp_path: Path) -> None:
    many = np.tile(hcpe, 20)
    report = tools.split(many, [(tmp_path / "a.hcpe", 0.25), (tmp_path / "b.hcpe", 0.75), (tmp_path / "none.hcpe", 0)], by="row")
    shares = [rows / len(many) for rows in report.written.values()]
    assert abs(shares[0] - 0.25) < 0.01 and shares[2] == 0
    assert sum(report.written.values()) == len(many)
    for wrong, match in (([], "weights"), ([("a", -1)], "weights"), ([("a", 0)], "weights"), ([("a.hcpe", 1), ("./a.hcpe", 1)], "same file")):
        with pytest.raises(ValueError, match=match):
            tools.split(hcpe, wrong)
    with pytest.raises(ValueError, match="by is"):
        tools.split(hcpe, [("a", 1)], by="file")


# ----------------------------------------------------------------------------------------------------------------------- Dedupe


def reference(records: np.ndarray, average: bool, by_move: bool) -> list[bytes]:
    """What dedupe should write, row by row in plain Python."""
    packed, score, move, result = (records.dtype.names[i] for i in ((0, 1, 2, 3) if "hcp" in records.dtype.names else (0, 1, 2, 4)))
    groups: dict[Any, list[int]] = defaultdict(list)
    for row, record in enumerate(records):
        groups[(record[packed].tobytes(), int(record[move]) if by_move else 0)].append(row)
    made = []
    for rows in groups.values():  # in the order of their first rows
        kept = records[rows[:1]].copy()
        if average and len(rows) > 1:
            kept[score] = round(sum(int(records[row][score]) for row in rows) / len(rows))
            counts = Counter(int(records[row][move]) for row in rows)
            kept[move] = max(counts, key=lambda m: counts[m])  # the first of the most frequent
            if packed == "sfen":
                points = sum(int(records[row][result]) for row in rows) / len(rows)
                kept[result] = 1 if points > 0.5 else -1 if points < -0.5 else 0
            else:
                points = sum({1: 1, 2: 0}.get(int(records[row][result]), 0.5) for row in rows) / len(rows)
                kept[result] = 1 if points > 0.75 else 2 if points < 0.25 else 0
        made.append(kept.tobytes())
    return made


@pytest.mark.parametrize("keep", ["first", "average"])
@pytest.mark.parametrize("by", ["position", "move"])
def test_each_position_once(buckets: str, keep: str, by: str, hcpe: np.ndarray, psv: np.ndarray, tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    for name, records in (("x.hcpe", hcpe), ("x.psv", psv)):
        several = records[random.integers(0, 900, 2500)].copy()
        names = several.dtype.names
        several[names[1]] = random.integers(-3000, 3000, len(several))
        several[names[2]] ^= random.integers(0, 3, len(several)).astype(np.uint16)
        several[names[3] if name.endswith("hcpe") else names[4]] = random.integers(0, 3, len(several)) - (0 if name.endswith("hcpe") else 1)
        report = tools.dedupe(several, tmp_path / name, keep=keep, by=by, memory=1, threads=2)
        wanted = reference(several, keep == "average", by == "move")
        assert rows_of(tmp_path / name) == wanted
        assert (report.rows, report.written) == (2500, len(wanted))
        groups = Counter((row[names[0]].tobytes(), int(row[names[2]]) if by == "move" else 0) for row in several)
        assert report.repeated == sum(times > 1 for times in groups.values())
        assert report.moves_differ == (0 if by == "move" else report.moves_differ) and report.results_differ > 0


def test_dedupe_of_nothing_and_of_copies(hcpe: np.ndarray, tmp_path: Path) -> None:
    assert tools.dedupe(hcpe[:0], tmp_path / "x.hcpe").written == 0
    report = tools.dedupe(np.tile(hcpe[:300], 3), tmp_path / "x.hcpe", keep="average")
    once = tools.dedupe(hcpe[:300], tmp_path / "y.hcpe")
    assert report.written == once.written and report.repeated == once.written
    with pytest.raises(ValueError, match="keep is"):
        tools.dedupe(hcpe, tmp_path / "x.hcpe", keep="last")


# ----------------------------------------------------------------------------------------------------------------------- Sample


def test_samples(hcpe: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = [row.tobytes() for row in hcpe]
    monkeypatch.setattr(_rewrite, "BLOCK", 100)
    assert tools.sample(hcpe, tmp_path / "s.hcpe", rows=200, seed=1) == 200
    few = rows_of(tmp_path / "s.hcpe")
    places = [everything.index(row) for row in few]
    assert len(few) == 200 and not Counter(few) - Counter(everything)
    monkeypatch.setattr(_rewrite, "_IN_ONE_GO", 0)  # as for samples whose row numbers memory does not hold
    assert tools.sample(hcpe, tmp_path / "t.hcpe", rows=200, seed=1) == 200
    assert rows_of(tmp_path / "t.hcpe") == few
    assert 600 < np.mean(places) < 1300
    assert tools.sample(hcpe, tmp_path / "s.hcpe", fraction=0.5) == 942
    assert tools.sample(hcpe, tmp_path / "s.hcpe", fraction=1) == 1884 and rows_of(tmp_path / "s.hcpe") == everything
    assert tools.sample(hcpe, tmp_path / "s.hcpe", rows=0) == 0
    for wrong in ({}, {"rows": 1, "fraction": 0.5}, {"rows": 2000}, {"fraction": 1.5}, {"rows": -1}):
        with pytest.raises(ValueError):
            tools.sample(hcpe, tmp_path / "s.hcpe", **wrong)  # type: ignore[arg-type]


# --------------------------------------------------------------------------------------------------------------- Stats and check


def damaged_copy(records: np.ndarray) -> tuple[np.ndarray, dict[int, str]]:
    damaged = records.copy()
    names = damaged.dtype.names
    damaged[names[0]][[5, 1000]] = 255
    damaged[names[2]][77] = 3 + (3 << 7)  # from a square to itself
    damaged[names[2]][[88, 1883]] = damaged[names[2]][[12, 12]]  # moves of another position
    return damaged, {5: "ParseError", 77: "InvalidValueError", 88: "IllegalMoveError", 1000: "ParseError", 1883: "IllegalMoveError"}


@pytest.mark.parametrize("format", ["hcpe", "psv"])
def test_bad_rows_are_found_where_they_are(format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged, wanted = damaged_copy(np.concatenate(games(format)))
    paths = [tmp_path / f"a.{format}", tmp_path / f"b.{format}"]
    training.write(paths[0], damaged[:900])
    training.write(paths[1], damaged[900:])
    monkeypatch.setattr("komadori.tools._check.BLOCK", 256)
    report = tools.check(paths)
    assert {bad.row: type(bad.error).__name__ for bad in report.listed} == wanted
    assert (report.rows, report.bad) == (1884, 5)
    assert [(Path(bad.path or "").name, bad.file_row) for bad in report.listed][-2:] == [(f"b.{format}", 100), (f"b.{format}", 983)]
    assert len(tools.check(paths, limit=2).listed) == 2 and tools.check(paths, limit=0).bad == 5
    assert tools.check(paths, legal=False).bad == 3
    found = tools.stats(paths, threads=2)
    assert (found.rows, found.usable, found.illegal_moves, sum(found.broken.values())) == (1884, 1879, 2, 3)


def test_check_looks_at_whole_games_of_hcpe3(hcpe: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "x.hcpe3"
    training.write(path, hcpe, "hcpe3")
    assert tools.check(path).bad == 0
    raw = bytearray(path.read_bytes())
    raw[36 : 36 + 2] = b"\xff\xff"  # the first move of the first game
    path.write_bytes(raw)
    report = tools.check(path)
    assert report.bad == 1 and report.listed[0].row == 0 and report.listed[0].path == str(path)


@pytest.mark.parametrize("format", ["hcpe", "psv"])
def test_stats_are_those_of_boards(format: str, buckets: str) -> None:
    records = np.concatenate(games(format))
    records = np.concatenate([records, records[:50]])
    names = records.dtype.names
    boards = [Board.from_hcp(row[names[0]].tobytes()) if format == "hcpe" else Board.from_packed_sfen(row[names[0]].tobytes()) for row in records]
    found = tools.stats(records, memory=1)
    assert found.rows == found.usable == len(records) and not found.broken and not found.illegal_moves
    assert found.positions == len({board.key for board in boards})
    assert found.duplicates == len(records) - found.positions
    assert found.black_to_move == sum(board.turn == 0 for board in boards)
    black = white = 0
    for board, row in zip(boards, records, strict=True):
        if format == "hcpe":
            black, white = black + (row["gameResult"] == 1), white + (row["gameResult"] == 2)
        else:
            black += row["game_result"] == (1 if board.turn == 0 else -1)
            white += row["game_result"] == (-1 if board.turn == 0 else 1)
    assert (found.black_wins, found.white_wins, found.draws) == (black, white, len(records) - black - white)
    evals = records[names[1]].astype(np.int64)
    assert found.mean("evals") == pytest.approx(evals.mean()) and found.deviation("evals") == pytest.approx(evals.std())
    assert found.quantiles("evals", (0, 50, 100)) == [evals.min(), np.sort(evals)[(len(evals) + 1) // 2 - 1], evals.max()]
    if format == "psv":
        assert found.mean("plies") == pytest.approx(records["gamePly"].mean())
    assert tools.stats(records, duplicates=False).duplicates is None
    assert found == tools.stats(records)
    assert found != tools.stats(records, duplicates=False)
    assert found != tools.stats(records[1:])
    assert found != "stats"
    plain = found.to_dict()
    assert sum(plain["evals"].values()) == len(records) and plain["positions"] == found.positions


def test_stats_of_several_formats(hcpe: np.ndarray, psv: np.ndarray, tmp_path: Path) -> None:
    training.write(tmp_path / "a.hcpe", hcpe)
    training.write(tmp_path / "b.psv", psv[:500])
    steps: list[tuple[int, int]] = []
    both = tools.stats([tmp_path / "a.hcpe", tmp_path / "b.psv"], progress=lambda done, total: steps.append((done, total)))
    first, second = tools.stats(hcpe), tools.stats(psv[:500])
    for name in ("rows", "usable", "black_wins", "white_wins", "draws", "side_to_move_wins", "black_to_move"):
        assert getattr(both, name) == getattr(first, name) + getattr(second, name), name
    assert np.array_equal(both.evals, first.evals + second.evals) and np.array_equal(both.plies, first.plies + second.plies)
    assert both.positions == first.positions  # the rows of one are among those of the other
    assert steps[-1] == (both.rows, both.rows) and steps == sorted(steps)
    assert tools.stats(path for path in tmp_path.iterdir()).to_dict() == both.to_dict()
    assert [row.format for row in tools.info(path for path in sorted(tmp_path.iterdir()))] == ["hcpe", "psv"]
    with pytest.raises(ValueError, match="no file to open"):
        tools.stats([])


def test_stats_of_nothing(hcpe: np.ndarray) -> None:
    found = tools.stats(hcpe[:0])
    assert (found.rows, found.usable, found.positions, found.mean("evals"), found.quantiles("plies")) == (0, 0, 0, 0.0, [])


def test_info(hcpe: np.ndarray, psv: np.ndarray, tmp_path: Path) -> None:
    training.write(tmp_path / "a.hcpe", hcpe)
    training.write(tmp_path / "b.psv", psv[:5])
    training.write(tmp_path / "c.hcpe3", hcpe, "hcpe3")
    found = tools.info([tmp_path / name for name in ("a.hcpe", "b.psv", "c.hcpe3")])
    assert [(row.format, row.rows) for row in found] == [("hcpe", 1884), ("psv", 5), ("hcpe3", 1884)]
    assert found[1].bytes == 200


def test_files_of_the_set(tmp_path: Path) -> None:
    for name, rows in (("data/floodgate.hcpe", 2000), ("games/real.hcpe", 4161), ("games/real.psv", 4161)):
        path = vectorset.path(name)
        assert tools.info(path)[0].rows == rows
        report = tools.check(path)
        assert (report.rows, report.bad) == (rows, 0)
        vectorset.compared[name] = vectorset.compared.get(name, 0) + rows
    hcpe, psv = tools.stats(vectorset.path("games/real.hcpe")), tools.stats(vectorset.path("games/real.psv"))
    assert (hcpe.positions, hcpe.black_wins, hcpe.draws) == (psv.positions, psv.black_wins, psv.draws)


# ----------------------------------------------------------------------------------------------------------------------- Verify


def test_verify_finds_what_differs(hcpe: np.ndarray, tmp_path: Path) -> None:
    batch = training.decode(hcpe)
    arrays = {name: array.copy() for name, array in batch.arrays.items()}
    np.savez(tmp_path / "same.npz", seconds=0.5, **arrays)
    report = tools.verify(hcpe, tmp_path / "same.npz")
    assert report.equal and report.rows == 1884 and len(report.compared) == 5
    assert report.ratio == pytest.approx(0.5 / report.seconds)
    arrays["label"][[3, 9]] += 1
    arrays["features1"][1000, 5, 2, 2] = 0.5
    arrays["value"] += 1e-8
    arrays["result"][7] = np.nan
    report = tools.verify(hcpe, {"move_label": arrays.pop("label"), **arrays}, seconds=1.0)
    found = {one.name: (one.different, one.first) for one in report.compared}
    assert found == {"label": (2, 3), "features1": (1, 1000), "features2": (0, -1), "value": (0, -1), "result": (1, 7)}
    assert not report.equal
    assert next(one.largest for one in report.compared if one.name == "result") == np.inf


def test_verify_of_single_arrays_and_parts(hcpe: np.ndarray, tmp_path: Path) -> None:
    labels = training.decode(hcpe, labels="compact").label.astype(np.int32).reshape(-1, 1)
    np.save(tmp_path / "labels_compact.npy", labels[100:300])
    assert tools.verify(hcpe, tmp_path / "labels_compact.npy", start=100, labels="compact").equal
    assert not tools.verify(hcpe, tmp_path / "labels_compact.npy", start=99, labels="compact").equal
    assert tools.verify(hcpe, tmp_path / "labels_compact.npy", start=100, labels="compact").ratio is None
    damaged = hcpe.copy()
    damaged["hcp"][120] = 255
    report = tools.verify(damaged, tmp_path / "labels_compact.npy", start=100, labels="compact")
    assert report.equal and report.bad_rows == [120]
    np.save(tmp_path / "x.npy", labels)
    (tmp_path / "bad.npz").write_bytes(b"PK nothing")
    for wrong, match in (
        (tmp_path / "x.npy", "does not tell which"),
        (tmp_path / "bad.npz", "neither"),
        ({"plane": labels}, "no output of decode"),
        ({"label": labels, "value": labels[:5]}, "same number"),
        ({"features1": labels}, "numbers a row"),
        ({"label": np.zeros(5000)}, "the data has"),
        ({}, "no array"),
        ({"label": np.float32(1)}, "one number"),
    ):
        with pytest.raises(ValueError, match=match):
            tools.verify(hcpe, wrong)


# ----------------------------------------------------------------------------------------------------------------------- Export


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize("format", ["hcpe", "psv"])
def test_tables_hold_every_byte(suffix: str, format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_arrow, "_ROWS", 500)
    records = np.concatenate(games(format))
    path = tmp_path / f"x.{suffix}"
    assert tools.export(records, path) == 1884
    assert np.array_equal(tools.from_arrow(path), records)
    assert tools.export(records, path, decoded=True, compression=None) == 1884
    assert np.array_equal(tools.from_arrow(path), records)


def test_tables_in_memory(hcpe: np.ndarray, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    table = tools.to_arrow(hcpe, decoded=True)
    assert np.array_equal(tools.from_arrow(table), hcpe)
    assert np.array_equal(tools.from_arrow(table.slice(100, 50)), hcpe[100:150])
    assert np.array_equal(tools.from_arrow(table.take(list(range(1883, 0, -5)))), hcpe[1883:0:-5])
    assert len(tools.from_arrow(table.slice(0, 0))) == 0
    training.write(tmp_path / "x.hcpe3", hcpe, "hcpe3")
    games = tools.to_arrow(tmp_path / "x.hcpe3")
    assert games["candidates"][7].as_py() == [{"move16": int(hcpe["bestMove16"][7]), "visits": 1}]
    for wrong in (games, pa.table({"x": [1]})):
        with pytest.raises(ValueError, match="does not hold records"):
            tools.from_arrow(wrong)


def test_decoded_columns(hcpe: np.ndarray, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    damaged, wanted = damaged_copy(hcpe)
    tools.export(damaged, tmp_path / "x.parquet", decoded=True)
    table = pq.read_table(tmp_path / "x.parquet").to_pylist()
    batch = training.decode(damaged, on_error="report", outputs=("label", "value", "result", "turn", "move"))
    assert [row for row, columns in enumerate(table) if columns["bad"]] == sorted(wanted)
    for row, columns in enumerate(table):
        if row in wanted:
            assert columns["label"] is None and columns["usi"] is None
        else:
            assert columns["label"] == batch.label[row] and columns["value"] == pytest.approx(batch.value[row]) and columns["result"] == batch.result[row]
    board = Board(table[40]["sfen_text"])
    assert board.to_hcp() == table[40]["hcp"] and board.parse_usi(table[40]["usi"]).value == batch.move[40]
    assert table[5]["sfen_text"] is None and table[88]["sfen_text"] is not None


# --------------------------------------------------------------------------------------------------- What goes wrong in the middle

REWRITES = {
    "convert": ["convert", "{source}", "-o", "{out}.psv"],
    "shuffle": ["shuffle", "{source}", "-o", "{out}.hcpe", "-m", "1M"],
    "dedupe": ["dedupe", "{distinct}", "-o", "{out}.hcpe", "--keep", "average"],
    "sample": ["sample", "{source}", "-o", "{out}.hcpe", "--fraction", "0.9"],
    "split": ["split", "{source}", "-p", "{out}.hcpe=9", "-p", "{out}2.hcpe=1", "--by", "row"],
    "export": ["export", "{distinct}", "-o", "{out}.arrow", "--compression", "none"],
}


@pytest.fixture(scope="module")
def large(hcpe: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """376,800 rows, 14 MB; and beside it distinct.hcpe, as many different positions, which nothing decodes."""
    path = tmp_path_factory.mktemp("large") / "large.hcpe"
    rows = np.tile(hcpe, 200)
    training.write(path, rows)
    rows["hcp"][:, :8] = np.arange(len(rows), dtype=np.int64).view(np.uint8).reshape(-1, 8)
    training.write(path.with_name("distinct.hcpe"), rows)
    return path


def started(words: list[str], source: Path, out: Path, limit: int | None = None) -> subprocess.Popen[str]:
    distinct = source.with_name("distinct.hcpe")
    command = [word.format(source=source, distinct=distinct if distinct.exists() else source, out=out) for word in words]

    def before() -> None:
        import resource

        signal.signal(signal.SIGINT, signal.default_int_handler)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.Popen([sys.executable, "-m", "komadori", *command, "-q"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=before)


def has_open(pid: int, folder: Path) -> bool:
    """Whether a process has a file of a folder open, one without a name too."""
    for entry in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            if os.readlink(entry).startswith(f"{folder}/"):
                return True
        except OSError:
            pass
    return False


def outputs(words: list[str], out: Path) -> list[Path]:
    return [Path(word.format(source="", out=out).split("=")[0]) for word in words if word.startswith("{out}")]


@pytest.mark.parametrize("name", REWRITES)
def test_a_full_disk_is_one_line_and_loses_nothing(name: str, large: Path, tmp_path: Path) -> None:
    pytest.importorskip("typer")
    if name == "export":
        pytest.importorskip("pyarrow")
    words, out = REWRITES[name], tmp_path / "out"
    for path in outputs(words, out):
        path.write_bytes(b"precious")
    run = started(words, large, out, limit=3 << 20)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 4, errors
    assert errors.startswith("komadori: ") and errors.count("\n") == 1 and "too large" in errors and "as they were" in errors
    assert sorted(tmp_path.iterdir()) == sorted(outputs(words, out))
    assert all(path.read_bytes() == b"precious" for path in outputs(words, out))


@pytest.mark.parametrize("name", REWRITES)
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_stopped_in_the_middle_leaves_the_old_file_or_the_new_one(name: str, how: signal.Signals, large: Path, tmp_path: Path) -> None:
    pytest.importorskip("typer")
    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc")
    if name == "export":
        pytest.importorskip("pyarrow")
    words, out = REWRITES[name], tmp_path / "out"
    run = started(words, large, out)
    run.communicate(timeout=120)
    assert run.returncode == 0
    whole = {path: path.read_bytes() for path in outputs(words, out)}
    seen = Counter()
    for delay in (0, 0.02, 0.1):
        for path in whole:
            path.write_bytes(b"precious")
        run = started(words, large, out)
        while run.poll() is None and not has_open(run.pid, tmp_path):
            time.sleep(0.005)
        time.sleep(delay)
        run.send_signal(how)
        _, errors = run.communicate(timeout=120)
        # -SIGINT: everything was done, and the interpreter that ends had already let go of the signal.
        assert run.returncode in (0, -how, 130 if how == signal.SIGINT else 0), errors
        if run.returncode == 130:
            assert errors == "komadori: interrupted; files are as they were\n"
        for path, new in whole.items():
            found = path.read_bytes()
            assert found in (b"precious", new)
            seen["old" if found == b"precious" else "new"] += 1
        assert sorted(tmp_path.iterdir()) == sorted(whole)
    assert seen["old"]


@pytest.mark.parametrize("name", REWRITES)
def test_cut_short_input_is_one_line(name: str, hcpe: np.ndarray, tmp_path: Path) -> None:
    pytest.importorskip("typer")
    (tmp_path / "in").mkdir()
    source = tmp_path / "in" / "cut.hcpe"
    source.write_bytes(hcpe.tobytes()[:-5])
    run = started(REWRITES[name], source, tmp_path / "out")
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 3
    assert errors.count("\n") == 1 and "cut short after 71554" in errors
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_temporary_files_go_where_they_are_told(large: Path, tmp_path: Path) -> None:
    with pytest.raises(OSError):
        tools.shuffle(np.zeros(1 << 20, training.HCPE), tmp_path / "x.hcpe", memory=1, temporary=tmp_path / "nowhere")
    assert not list(tmp_path.iterdir())


def test_an_unfinished_file_has_no_name_or_a_hidden_one(hcpe: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.hcpe"
    with training.Writer(path) as file:
        file.write(hcpe)
        assert not path.exists()
    assert path.stat().st_mode & 0o777 == 0o666 & ~current_mask()
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    path.chmod(0o600)
    with training.Writer(path) as file:
        file.write(hcpe[:5])
        assert [p.name.startswith(".x.hcpe.") for p in tmp_path.iterdir()].count(True) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["x.hcpe"]
    assert path.stat().st_mode & 0o777 == 0o600 and path.stat().st_size == 190


def current_mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# ------------------------------------------------------------------------------------------------------------------------- Docs


def test_examples_in_docs_and_docstrings(hcpe: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import doctest
    import importlib

    for name in ("_check", "_rewrite", "_games", "_arrow", "_spill"):
        assert not doctest.testmod(importlib.import_module(f"komadori.tools.{name}")).failed
    monkeypatch.chdir(tmp_path)
    training.write("games.hcpe", hcpe)
    text = (vectorset.ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    programs = [part.split("```")[0] for part in text.split("```python\n")[1:]]
    assert len(programs) == 2
    names: dict[str, Any] = {}
    exec(compile(programs[0], "tools.md", "exec"), names)
    assert names["found"].usable == 1884 and tools.info("shuffled.hcpe")[0].rows == 2 * 1884
    pytest.importorskip("torch")
    exec(compile(programs[1], "tools.md", "exec"), names)
    assert names["batch"].features1.shape[1:] == (62, 9, 9)


def test_lines_of_games_that_are_no_text(tmp_path: Path) -> None:
    games = tmp_path / "games.usi"
    games.write_bytes(b"startpos moves 7g7f resign\n\xff\xfe\nstartpos moves 2g2\xff resign\nstartpos moves 2g2f resign\n")
    report = tools.records(games, tmp_path / "x.hcpe", nodes=1, on_error="skip")
    assert report.games == 2 and [number for number, _ in report.bad] == [2, 3]
    with pytest.raises(ValueError, match=r"^line 2: "):
        tools.records(games, tmp_path / "x.hcpe", nodes=1)
