"""Files of records: opening, choosing rows, writing, converting, HCPE3."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vectorset
from komadori import AperyMove, Board, GameResult, IllegalMoveError, InvalidValueError, Move, ParseError, batch, training

GAME = "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f 2d3d 2b8h+ 7i8h 3a2b"
FORMATS = ("hcpe", "hcpe2", "hcpe3", "psv")


def some(n: int = 18, format: str = "hcpe", seed: int = 0) -> Any:
    """The records of random games."""
    choose = np.random.default_rng(seed)
    parts: list[Any] = []
    while not parts or sum(map(len, parts)) < n:
        board = Board()
        for _ in range(int(choose.integers(1, 60))):
            moves = board.legal_moves()
            if not moves:
                break
            board.push(moves[int(choose.integers(len(moves)))])
        evals = choose.integers(-32768, 32768, board.history_length)
        parts.append(training.game_records(board, evals, int(choose.integers(3)), "psv" if format == "hcpe3" else format))
    records = np.concatenate(parts)[:n]
    if format != "hcpe3":
        return records
    return with_candidates(batch.convert(records, "hcpe3"), seed)


def with_candidates(records: Any, seed: int) -> Any:
    """Rows of HCPE3 with several candidates, or none, each."""
    choose = np.random.default_rng(seed)
    offsets, moves = batch.legal_moves(records)
    candidates = []
    for i, row in enumerate(records):
        own = moves[offsets[i] : offsets[i + 1]]
        count = int(choose.integers(0, min(6, len(own) + 1)))
        row["candidateNum"], row["first"] = count, len(candidates)
        for move in choose.permutation(own)[:count]:
            candidates.append((Move(int(move)).to_apery().value, int(choose.integers(1, 1000))))
    records.candidates = np.array(candidates, training.CANDIDATE)
    return records


def plain(records: Any) -> list[Any]:
    """What the rows say, candidates in place of where they are."""
    if records.dtype != training.HCPE3:
        return [row.tobytes() for row in records]
    return [(row.tobytes()[:44], records.candidates[row["first"] :][: row["candidateNum"]].tobytes()) for row in records]


# ----------------------------------------------------------------------------------------------------------------- Opening


@pytest.mark.parametrize("format", FORMATS)
def test_rows_are_chosen_like_those_of_an_array(tmp_path: Path, format: str) -> None:
    whole = some(120, format)
    names = [tmp_path / f"{i}.{format}" for i in range(3)]
    for name, part in zip(names, (whole[:50], whole[50:51], whole[51:]), strict=True):
        training.write(name, part)
    for source in (names, whole):
        data = training.open(source, positions="all")
        assert (len(data), data.format, data.dtype) == (120, format, training.dtype(format))
        expected = plain(whole)
        if format == "hcpe3" and source is names:  # a game that is cut in two begins anew: rows get other plies
            expected = plain(data[:])
            assert [(a[:38], b) for a, b in expected] == [(a[:38], b) for a, b in plain(whole)]
        for key in (slice(None), slice(3, 9), slice(45, 60), slice(None, None, 7), slice(None, None, -1), slice(119, 20, -3), slice(7, 7), slice(-5, None)):
            got = data[key]
            assert plain(got) == expected[key]
            assert list(got.rows) == list(range(120)[key])
        for numbers in ([5], [119, 0, 60, 60, 3], [], [-1, -120], np.array([4, 50, 51]), np.array([7, 8], np.uint8)):
            got = data[numbers]
            assert plain(got) == [expected[n] for n in numbers]
            assert got.rows.tolist() == [n % 120 for n in numbers]
        chosen = np.arange(120) % 11 == 3
        assert plain(data[chosen]) == [row for row, keep in zip(expected, chosen, strict=True) if keep]
        assert data[17].tobytes()[:40] == data[17:18].tobytes()[:40]
        assert isinstance(data[17], np.void)
        for wrong in (120, -121, [0, 120]):
            with pytest.raises(IndexError):
                data[wrong]
        for wrong in ("eval", 1.5, [0.5], None, np.zeros((2, 2), int)):
            with pytest.raises(TypeError):
                data[wrong]
        with pytest.raises(IndexError):
            data[np.zeros(119, bool)]
        assert sum(1 for _ in data) == 120
        assert np.array_equal(training.decode(data, outputs=["key"]).key, training.decode(whole, outputs=["key"]).key)
        for size in (1, 7, 120, 500):
            blocks = list(data.blocks(size))
            assert [row for block in blocks for row in plain(block)] == expected
            assert {len(block) for block in blocks[:-1]} <= {size}
        assert [row for block in data.blocks(10, 15, 77) for row in plain(block)] == expected[15:77]
        with pytest.raises(ValueError, match="blocks"):
            next(data.blocks(0))
    assert training.open(names, positions="all").place(51) == (str(names[2]), 0)
    assert training.open(names, positions="all").file_rows == (50, 1, 69)


@pytest.mark.parametrize("format", FORMATS)
def test_opened_data_is_pickled(tmp_path: Path, format: str) -> None:
    whole = some(60, format)
    path = tmp_path / f"x.{format}"
    training.write(path, whole)
    data = training.open([path, path], positions="all")
    again = pickle.loads(pickle.dumps(data))
    assert plain(again[:]) == plain(data[:])
    assert (again.paths, repr(again)) == (data.paths, repr(data))
    in_memory = training.open(whole)
    assert plain(pickle.loads(pickle.dumps(in_memory))[:]) == plain(whole)
    choice = data[5:100:9]
    copied = pickle.loads(pickle.dumps(choice))
    assert plain(copied) == plain(choice)
    assert list(copied.rows) == list(choice.rows)
    training.write(path, whole[:30])
    with pytest.raises(OSError, match="bytes"):
        pickle.loads(pickle.dumps(data))


def test_rows_remember_their_numbers() -> None:
    data = training.open(some(100))
    rows = data[10:90:2]
    assert list(rows.rows) == list(range(10, 90, 2))
    assert list(rows[5:9].rows) == [20, 22, 24, 26]
    assert list(rows[::-1][:2].rows) == [88, 86]
    assert rows[[3, -1]].rows.tolist() == [16, 88]
    assert rows[rows["eval"] > 0].rows.tolist() == [int(r) for r, e in zip(rows.rows, rows["eval"], strict=True) if e > 0]
    assert type(rows["eval"]) is np.ndarray
    assert rows.copy().rows is None or list(rows.copy().rows) == list(rows.rows)
    joined = np.concatenate([rows[:2], data[:1]])
    assert joined.rows.tolist() == [10, 12, 0]
    assert np.concatenate([rows[:2], some(1)]).rows is None


def test_what_opens(tmp_path: Path) -> None:
    rows = some(19, "psv")
    path = tmp_path / "games.psv"
    training.write(path, rows)
    raw = path.read_bytes()
    for source in (raw, bytearray(raw), memoryview(raw), np.frombuffer(raw, np.uint8), np.memmap(path, np.uint8, "r")):
        assert training.open(source, "psv")[:].tobytes() == raw
        with pytest.raises(ValueError, match="format"):
            training.open(source)
    assert training.open(np.frombuffer(raw, np.uint8).reshape(-1, 40))[:].tobytes() == raw
    assert training.open(rows).format == "psv"
    data = training.open(rows)
    assert training.open(data) is data
    assert np.asarray(data).tobytes() == raw
    for source, format in (([], None), ([path, tmp_path / "x.hcpe"], None), (path, "kif"), (path, "hcp")):
        (tmp_path / "x.hcpe").write_bytes(b"")
        with pytest.raises(ValueError):
            training.open(source, format)
    with pytest.raises(ValueError, match="positions"):
        training.open(path, positions="some")
    for wrong in (3, None):
        with pytest.raises(TypeError):
            training.open(wrong)  # type: ignore[arg-type]
    empty = training.open(tmp_path / "x.hcpe")
    assert (len(empty), len(empty[:]), list(empty.blocks())) == (0, 0, [])
    assert training.decode(empty).label.shape == (0,)
    # A result byte that only HCPE2 has is a bad row of HCPE.
    flagged = some(3, "hcpe2")
    flagged["result"] |= 16
    (tmp_path / "y.hcpe").write_bytes(flagged.tobytes())
    assert training.decode(training.open(tmp_path / "y.hcpe"), on_error="report").bad_rows.tolist() == [0, 1, 2]
    assert training.decode(training.open(tmp_path / "y.hcpe", "hcpe2")).label.shape == (3,)
    with pytest.raises(ParseError):
        training.open(tmp_path / "y.hcpe", "hcpe3")


def test_memory_does_not_grow(tmp_path: Path) -> None:
    path = tmp_path / "many.hcpe"
    with training.Writer(path) as file:
        for _ in range(40):
            file.write(np.resize(some(500), 100_000))

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() >> 20

    data = training.open(path)
    assert len(data) == 4_000_000
    for block in data.blocks():
        total = int(block["eval"].sum())
    before = resident()
    for block in data.blocks():
        total += int(block["eval"].sum())
    choose = np.random.default_rng(1)
    for _ in range(40):
        data[choose.integers(0, len(data), 20_000)]
    assert resident() - before < 100, "of 145 MB"


def test_a_row_is_explained(tmp_path: Path) -> None:
    rows = some(30, "hcpe3", 5)
    path = tmp_path / "games.hcpe3"
    training.write(path, rows)
    data = training.open([path, path], positions="all")
    number = 30 + int(np.argmax(rows["candidateNum"]))
    shown = data.explain(number)
    assert (shown.row, shown.path, shown.file_row, shown.error) == (number, str(path), number - 30, None)
    decoded = training.decode(data[number : number + 1])
    assert shown.board is not None and shown.move is not None
    assert (shown.label, shown.value, shown.result) == (decoded.label[0], decoded.value[0], decoded.result[0])
    assert shown.label == shown.move.label(shown.board.turn)
    assert shown.compact_label == shown.move.compact_label(shown.board.turn)
    assert len(shown.candidates) == rows["candidateNum"][number - 30]
    assert sum(share for _, _, share in shown.candidates) == pytest.approx(1)
    assert all(move in shown.board.legal_moves() for move, _, _ in shown.candidates)
    assert set(shown.planes) == set(training.plane_names()[:119])
    for i, plane in enumerate(np.concatenate([decoded.features1[0], decoded.features2[0]])):
        assert np.array_equal(shown.planes[training.plane_names()[i]], plane)
    own_king = shown.board.king_square(shown.board.turn)
    own_king = own_king if shown.turn == 0 else 80 - own_king
    assert np.flatnonzero(shown.planes["pieces.own.king"]).tolist() == [own_king]
    for text in (repr(shown), shown._repr_html_()):
        assert shown.move.to_usi() in text and shown.board.to_sfen(ply=False) in text and "pieces.own.king" in text
    assert "<svg" in shown._repr_html_()
    assert data.explain(-1).row == 59
    damaged = np.array(data[:5])
    damaged[damaged.dtype.names[0]][3] = 255
    bad = training.open(damaged).explain(3)
    assert bad.error is not None and bad.error.row == 3 and "(row 3," in str(bad.error)  # type: ignore[attr-defined]
    with pytest.raises(IndexError):
        data.explain(60)
    mirrored = data.explain(number, mirror=True)
    assert mirrored.move == shown.move.mirror_file() and mirrored.board is not None
    assert mirrored.board.to_sfen().split()[:3] == shown.board.mirror_file().to_sfen().split()[:3]
    # The ply is that of the row where there is one, and is not shown where there is none.
    stored = some(2, "psv")
    stored["gamePly"] = 65535, 0
    last = training.open(stored).explain(0)
    assert last.ply == 65535 and last.board is not None and last.board.ply == 65535 and "ply: 65535" in repr(last)
    none = training.open(some(1))
    for text in (repr(none.explain(0)), none.explain(0)._repr_html_()):
        assert "ply" not in text and none.explain(0).board.to_sfen(ply=False) in text and " 1\n" not in text  # type: ignore[union-attr]
    assert training.open(stored).explain(1).error is None
    # What is wrong with a row is shown, not raised.
    broken = some(3)
    broken["bestMove16"][1] = Move.from_usi("1a9h").to_apery().value
    broken["hcp"][2] = 0xFF
    bad = training.open(broken)
    assert isinstance(bad.explain(1).error, IllegalMoveError) and bad.explain(1).board is not None
    assert isinstance(bad.explain(2).error, ParseError) and bad.explain(2).board is None
    for row in (1, 2):
        assert "Error" in repr(bad.explain(row)) and "Error" in bad.explain(row)._repr_html_()


# ----------------------------------------------------------------------------------------------------------------- Writing


@pytest.mark.parametrize("format", FORMATS)
def test_a_writer_appends(tmp_path: Path, format: str) -> None:
    rows = some(70, format)
    path = tmp_path / f"x.{format}"
    with training.Writer(path) as file:
        assert file.format is None
        for at in range(0, 40, 9):
            file.write(rows[at : min(at + 9, 40)])
        assert not path.exists()
        assert (file.rows, file.format) == (40, format)
    with training.Writer(path, append=True) as file:
        file.write(rows[40:])
    data = training.open(path, positions="all")
    assert [r if isinstance(r, bytes) else (r[0][:38], r[1]) for r in plain(data[:])] == [r if isinstance(r, bytes) else (r[0][:38], r[1]) for r in plain(rows)]
    before = path.read_bytes()
    for failing in (lambda w: w.write(rows[:3].tobytes()[:-1], format="psv"), lambda w: w.write(np.zeros(3, int)), lambda w: 1 / 0):
        with pytest.raises((ValueError, ZeroDivisionError)), training.Writer(path, append=True) as file:
            file.write(rows[:10])
            failing(file)
        assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    file = training.Writer(path)
    file.write(rows[:5])
    file.abort()
    file.close()
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match="finished"):
        file.write(rows)
    file = training.Writer(path)
    file.close()
    assert len(training.open(path)) == 0


def test_records_go_where_their_name_says(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"hcpe records into a file named x\.psv"):
        training.write(tmp_path / "x.psv", some(3))
    training.write(tmp_path / "x.psv", some(3), "psv")
    assert training.open(tmp_path / "x.psv")[:].tobytes() == training.to_psv(some(3)).tobytes()
    training.write(tmp_path / "x.bin", some(3))
    assert training.open(tmp_path / "x.bin").format == "hcpe"
    with pytest.raises(ValueError, match="after"):
        training.write(tmp_path / "y.bin", [some(3), some(3, "psv")])
    with pytest.raises(ValueError, match="format"):
        training.Writer(tmp_path / "x", "kif")
    # Appending to what is cut short is refused.
    (tmp_path / "z.hcpe").write_bytes(b"x" * 39)
    with pytest.raises(ParseError):
        training.Writer(tmp_path / "z.hcpe", append=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.bin", "x.psv", "z.hcpe"]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.hcpe"
    training.write(path, some(3))
    before = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, limits[1]))
    try:
        with pytest.raises(OSError):
            training.write(path, np.resize(some(100), 5000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["x.hcpe"]


# --------------------------------------------------------------------------------------------------------------- Converting


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_every_pair_of_formats(data: st.DataObject) -> None:
    """There and back: what both formats can say comes back, and what is lost is counted."""
    before, after = data.draw(st.sampled_from(FORMATS)), data.draw(st.sampled_from(FORMATS))
    n, seed = data.draw(st.integers(0, 60)), data.draw(st.integers(0, 50))
    rows = some(n, before, seed)
    if before in ("hcpe2", "hcpe3"):
        rows["result"] |= np.random.default_rng(seed).choice([0, 4, 8, 16], len(rows)).astype(np.uint8)
    if before == "hcpe3":
        rows["opponent"] = seed % 3
    lost: dict[str, int] = {}
    there = batch.convert(rows, after, lost=lost)
    outputs = ["label", "value", "result", "move", "eval", "turn", "key", "ply"]
    a, b = training.decode(rows, outputs=outputs), training.decode(there, outputs=outputs)
    for name in outputs[:-1]:
        assert np.array_equal(a.arrays[name], b.arrays[name])
    if after in ("psv", "hcpe3") and before in ("psv", "hcpe3"):
        assert np.array_equal(a.ply, b.ply)
    back = batch.convert(there, before)
    if before == after:
        assert plain(back) == plain(rows)
        assert not any(lost.values())
    same = np.ones(n, bool)
    result = {"hcpe": "gameResult", "hcpe2": "result", "hcpe3": "result", "psv": "game_result"}[before]
    endings = rows[result] > 2 if before in ("hcpe2", "hcpe3") else np.zeros(n, bool)
    assert lost["endings"] == (endings.sum() if after in ("hcpe", "psv") else 0)
    same &= ~endings if after in ("hcpe", "psv") else True
    if before == "hcpe3" and after != "hcpe3":
        count, first = rows["candidateNum"], np.zeros(n, np.uint16)
        first[count > 0] = rows.candidates["move16"][rows["first"][count > 0]]
        assert lost["untrained"] == (count == 0).sum()
        assert lost["candidates"] == ((count > 1) | (count == 1) & (first != rows["bestMove16"])).sum()
        assert lost["opponents"] == (n if seed % 3 else 0)
    elif after != before:
        # But for plies, the old rows come back.
        ply = {"psv": "gamePly", "hcpe3": "ply"}.get(before)
        if ply and after in ("hcpe", "hcpe2"):
            assert lost["plies"] == n
            back[ply] = rows[ply]
        assert [x for x, keep in zip(plain(back), same, strict=True) if keep] == [x for x, keep in zip(plain(rows), same, strict=True) if keep]


@pytest.mark.parametrize("before", FORMATS)
@pytest.mark.parametrize("after", FORMATS)
def test_files_are_converted(tmp_path: Path, before: str, after: str) -> None:
    rows = some(150, before, 9)
    source, target = tmp_path / f"a.{before}", tmp_path / f"b.{after}"
    training.write(source, rows)
    seen: list[tuple[int, int]] = []
    opened = training.open(source, positions="all")
    report = training.convert(source, target, positions="all", progress=lambda done, total: seen.append((done, total)))
    assert (report.rows, report.written, report.bad, report.bad_rows) == (150, 150, 0, [])
    assert seen[-1] == (150, 150)
    got = training.open(target, positions="all")
    keys = training.decode(opened, outputs=["key", "label", "result"])
    for name, array in training.decode(got, outputs=["key", "label", "result"]).arrays.items():
        assert np.array_equal(array, keys.arrays[name])
    if before == after:
        assert target.read_bytes() == source.read_bytes()
        assert repr(report) == "<ConversionReport: 150 of 150 rows written; lost: nothing>"
    if before == "hcpe3" and after != "hcpe3":
        assert report.lost["candidates"] > 0 and "candidates of" in repr(report)
    # The choice of moves to train on, and files one after the other.
    training.convert([source, source], target, append=True)
    assert len(training.open(target, positions="all")) == 150 + 2 * len(training.open(source))


def test_conversion_of_bad_rows(tmp_path: Path) -> None:
    rows = np.resize(some(500), 70_000)
    rows["hcp"][[5, 66_000]] = 0
    rows["bestMove16"][66_001] = 0xFFFF
    path, target = tmp_path / "a.hcpe", tmp_path / "b.psv"
    path.write_bytes(rows.tobytes())
    with pytest.raises(ParseError) as caught:
        training.convert(path, target)
    assert caught.value.row == 5
    rows["hcp"][5] = rows["hcp"][4]
    path.write_bytes(rows.tobytes())
    with pytest.raises(ParseError) as caught:
        training.convert(path, target)
    assert caught.value.row == 66_000 and "row 66000" in str(caught.value)
    assert not target.exists()
    report = training.convert(path, target, on_error="skip")
    assert (report.rows, report.written, report.bad, report.bad_rows) == (70_000, 69_998, 2, [66_000, 66_001])
    good = np.delete(rows, [66_000, 66_001])
    assert training.open(target)[:].tobytes() == training.to_psv(good).tobytes()
    for options in ({"on_error": "ignore"}, {"format": "kif"}, {"from_format": "kif"}, {"result_convention": "x"}, {"threads": 0}):
        with pytest.raises(ValueError):
            training.convert(path, target, **options)
    with pytest.raises(ValueError, match="format"):
        training.convert(path, tmp_path / "no_suffix")


def test_conventions_are_followed(tmp_path: Path) -> None:
    rows = some(40, "hcpe2", 3)
    rows["result"][:5] = [1 | 8, 2 | 8, 16, 4, 0]
    training.write(tmp_path / "a.hcpe2", rows)
    training.convert(tmp_path / "a.hcpe2", tmp_path / "b.psv", to_result_convention="rsshogi")
    stored = training.open(tmp_path / "b.psv")[:]["game_result"]
    assert stored[:5].tolist() == [4, 5, 6, 2, 2]
    report = training.convert(tmp_path / "b.psv", tmp_path / "c.hcpe2", result_convention="rsshogi")
    assert training.open(tmp_path / "c.hcpe2")[:]["result"][:5].tolist() == [9, 10, 16, 4, 4]
    assert report.lost["endings"] == 0
    with pytest.raises(InvalidValueError):
        training.convert(tmp_path / "b.psv", tmp_path / "d.hcpe")


# ------------------------------------------------------------------------------------------------------------------ HCPE3


def test_broken_games_are_reported(tmp_path: Path) -> None:
    rows = some(200, "hcpe3", 4)
    path = tmp_path / "x.hcpe3"
    training.write(path, rows)
    raw = path.read_bytes()
    starts = [*np.flatnonzero(rows["ply"] == 1).tolist(), 200]
    assert training.open(path).bad_games() == []
    # Cut short anywhere, or a count beyond the limits: the place is told.
    for cut in (1, 3, 7, len(raw) - 20):
        with pytest.raises(ParseError) as caught:
            training.open(raw[:-cut], "hcpe3")
        assert caught.value.offset == len(raw) - cut
        assert "whole games end at" in str(caught.value)
    with pytest.raises(ParseError) as caught:
        training.open(raw[:32] + b"\xff\xff" + raw[34:], "hcpe3")
    assert caught.value.offset == 32
    # The first move of the second game becomes illegal: its own row is there, those after it are bad.
    at = raw.index(bytes(rows["hcp"][starts[1]]), 36) + 36
    broken = training.open(raw[:at] + bytes([79, 0]) + raw[at + 2 :], "hcpe3", positions="all")
    found = broken.bad_games()
    assert [(game, type(error)) for game, _, error in found] == [(1, IllegalMoveError)]
    assert found[0][1] == at - 36
    decoded = training.decode(broken, on_error="report")
    assert decoded.bad_rows.tolist() == list(range(starts[1], starts[2]))
    assert all(isinstance(error, IllegalMoveError) for error in decoded.errors)
    assert np.array_equal(np.delete(decoded.label, decoded.bad_rows), np.delete(training.decode(rows).label, decoded.bad_rows))
    if starts[2] - starts[1] > 1:
        assert broken[starts[1] + 1 : starts[1] + 2]["status"].tolist() == [-2]
        assert "IllegalMoveError" in repr(broken.explain(starts[1] + 1))
    with pytest.raises(IllegalMoveError):
        training.decode(broken)


def test_random_damage_of_games() -> None:
    rows = some(150, "hcpe3", 6)
    whole = training.open(rows)
    with pytest.raises(ValueError, match="format"):
        training.open(b"", None)
    with tempfile.TemporaryDirectory() as folder:
        training.write(folder + "/x.hcpe3", whole)
        raw = Path(folder, "x.hcpe3").read_bytes()
    choose = np.random.default_rng(8)
    opened = 0
    for _ in range(300):
        damaged = bytearray(raw)
        for at in choose.integers(0, len(raw), int(choose.integers(1, 5))):
            damaged[at] = choose.integers(256)
        if choose.integers(4) == 0:
            del damaged[choose.integers(len(raw)) :]
        try:
            data = training.open(bytes(damaged), "hcpe3", positions=("all", "targets", "dlshogi")[choose.integers(3)])
        except ParseError as error:
            assert error.offset is not None
            continue
        opened += 1
        found = training.decode(data, on_error="report", outputs=["label", "key"])
        assert len(found.errors) == len(found.bad_rows)
        data.bad_games()
    assert opened > 30


def test_dlshogi_leaves_out_repetitions() -> None:
    words = ["4i4h", "4a4b", "4h4i", "4b4a", "7g7f", "3c3d"]
    board = Board.from_position("startpos moves " + " ".join(words))
    records = batch.convert(training.game_records(board, range(6), GameResult.DRAW, "psv"), "hcpe3")
    with tempfile.TemporaryDirectory() as folder:
        training.write(folder + "/x.hcpe3", records)
        assert training.open(folder + "/x.hcpe3")[:]["eval"].tolist() == [0, 1, 2, 3, 4, 5]
        assert training.open(folder + "/x.hcpe3", positions="dlshogi")[:]["eval"].tolist() == [0, 1, 2, 4, 5]


def test_candidates_stay_with_their_rows() -> None:
    rows = some(80, "hcpe3", 7)
    expected = plain(rows)
    order = np.random.default_rng(0).permutation(80)
    assert plain(rows[order]) == [expected[i] for i in order]
    assert plain(np.concatenate([rows[40:], rows[:40]])) == [(a[:44], b) for a, b in expected[40:] + expected[:40]]
    assert plain(rows[10:20].compact()) == expected[10:20]
    assert len(rows[10:20].compact().candidates) == rows["candidateNum"][10:20].sum()
    for turned in (training.flip_side, training.mirror_file):
        once = turned(rows)
        assert plain(turned(once)) == expected
        for i in (0, 33):
            own = once.candidates[once["first"][i] :][: once["candidateNum"][i]]
            legal = batch.legal_moves(once[i : i + 1])[1]
            assert all(AperyMove(int(c["move16"])).to_move().value in legal for c in own)
    bare = np.array(rows)  # without its candidates
    with pytest.raises(InvalidValueError):
        batch.convert(bare[bare["candidateNum"] > 0], "hcpe3")


def test_real_records_as_every_format(tmp_path: Path) -> None:
    source = vectorset.path("games/real.psv")
    data = training.open(source)
    for format in FORMATS:
        target = tmp_path / f"x.{format}"
        report = training.convert(data, target)
        assert report.written == len(data)
        assert report.lost["plies"] == (len(data) if format in ("hcpe", "hcpe2") else 0)
        again = training.open(target)
        assert np.array_equal(training.decode(again, outputs=["key"]).key, training.decode(data, outputs=["key"]).key)
    training.convert(tmp_path / "x.hcpe3", tmp_path / "y.psv")
    assert (tmp_path / "y.psv").read_bytes() == source.read_bytes()
    assert (tmp_path / "x.hcpe").read_bytes() == vectorset.path("games/real.hcpe").read_bytes()
    assert os.path.getsize(tmp_path / "x.hcpe3") < 0.35 * os.path.getsize(source)
    vectorset.count("games/real.psv", len(data))
    vectorset.count("games/real.hcpe", len(data))
