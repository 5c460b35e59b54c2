"""Files looked at: what they hold, what is wrong with them, whether another loader reads the same."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _abi as abi
from .. import training
from .._files import is_memory
from ._spill import BLOCK, MEMORY, Buckets, Progress, bucket_count, in_buckets, ordered, shares

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..training import Explanation, TrainingData

StrPath = str | os.PathLike[str]

_KINDS = {
    abi.KMD_ERR_PARSE: "position cannot be read",
    abi.KMD_ERR_INVALID_POSITION: "position breaks rules",
    abi.KMD_ERR_INVALID_VALUE: "number out of range",
    abi.KMD_ERR_ILLEGAL_MOVE: "illegal move",
}
_QUANTILES = (1, 5, 25, 50, 75, 95, 99)


def _opened(source: Any, format: str | None) -> list[TrainingData]:
    """What ``training.open`` takes; of several files each alone, as they may have different formats."""
    is_one = isinstance(source, (str, training.TrainingData)) or is_memory(source)
    several = source if isinstance(source, Iterable) and not is_one else [source]
    return [training.open(one, format) for one in several]


# ------------------------------------------------------------------------------------------------------------------------- Info


class FileInfo(NamedTuple):
    """What ``info`` tells of a file.

    Attributes:
        path: The file, None for memory.
        format: "hcpe", "hcpe2", "hcpe3" or "psv".
        bytes: Its size.
        rows: Records, or positions of HCPE3 with a training target.
    """

    path: str | None
    format: str
    bytes: int
    rows: int


def info(source: Any, *, format: str | None = None) -> list[FileInfo]:
    """Format, size and rows of files. They may have different formats. Records are not looked at.

    >>> from komadori import Board, GameResult
    >>> info(training.game_records(Board.from_position("startpos moves 7g7f 3c3d"), [30, -20], GameResult.BLACK_WIN))
    [FileInfo(path=None, format='hcpe', bytes=76, rows=2)]
    """
    found = []
    for data in _opened(source, format):
        for path, rows in zip(data.paths or (None,), data.file_rows, strict=True):
            found.append(FileInfo(path, data.format, os.path.getsize(path) if path else rows * data.dtype.itemsize, rows))
    return found


# ------------------------------------------------------------------------------------------------------------------------- Stats


@dataclass(eq=False)
class Stats:
    """What ``stats`` counts. Evaluations, plies and results are those of rows that can be used, as they are stored.

    Attributes:
        rows: All rows. ``broken`` of them cannot be used: counts by what is wrong. ``illegal_moves`` have a legal position, and a move that is not legal in it.
        black_wins, white_wins, draws: Results.
        side_to_move_wins: Rows whose side to move won.
        black_to_move: Rows with Black to move.
        evals: Evaluations by value from -32768 to 32767, side to move's view: an array of 65536 counts.
        plies: Rows by ply, an array of 65536 counts; all at 1 where the format stores none.
        positions: Different positions among the rows that can be used, by their 64-bit keys; None when they were not counted.
    """

    evals: npt.NDArray[np.int64] = field(repr=False)
    plies: npt.NDArray[np.int64] = field(repr=False)
    rows: int = 0
    broken: dict[str, int] = field(default_factory=dict)
    illegal_moves: int = 0
    black_wins: int = 0
    white_wins: int = 0
    draws: int = 0
    side_to_move_wins: int = 0
    black_to_move: int = 0
    positions: int | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stats):
            return NotImplemented
        import numpy as np

        counts = [f.name for f in fields(self) if f.name not in ("evals", "plies")]
        same = all(getattr(self, name) == getattr(other, name) for name in counts)
        return same and np.array_equal(self.evals, other.evals) and np.array_equal(self.plies, other.plies)

    @property
    def usable(self) -> int:
        """Rows that can be used."""
        return self.rows - self.illegal_moves - sum(self.broken.values())

    @property
    def duplicates(self) -> int | None:
        """Rows beyond the first of every position; None when they were not counted."""
        return None if self.positions is None else self.usable - self.positions

    def quantiles(self, of: str, percents: Sequence[float] = _QUANTILES) -> list[int]:
        """Quantiles of "evals" or "plies": the smallest values that so many percent of the rows do not exceed. Empty without rows."""
        import numpy as np

        counts = {"evals": self.evals, "plies": self.plies}[of]
        total = int(counts.sum())
        if not total:
            return []
        reached = np.cumsum(counts)
        base = -32768 if of == "evals" else 0
        return [base + int(np.searchsorted(reached, max(1, -(-total * percent // 100)))) for percent in percents]

    def mean(self, of: str) -> float:
        """Mean of "evals" or "plies"; 0 without rows."""
        import numpy as np

        counts, values = (self.evals, np.arange(-32768, 32768)) if of == "evals" else (self.plies, np.arange(65536))
        return float((counts * values).sum() / max(1, counts.sum()))

    def deviation(self, of: str) -> float:
        """Standard deviation of "evals" or "plies"; 0 without rows."""
        import numpy as np

        counts, values = (self.evals, np.arange(-32768, 32768)) if of == "evals" else (self.plies, np.arange(65536))
        return float(np.sqrt((counts * (values - self.mean(of)) ** 2).sum() / max(1, counts.sum())))

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON; histograms as ``{value: count}``."""
        import numpy as np

        histograms = {
            "evals": {int(at) - 32768: int(self.evals[at]) for at in np.flatnonzero(self.evals)},
            "plies": {int(at): int(self.plies[at]) for at in np.flatnonzero(self.plies)},
        }
        plain = ("rows", "usable", "broken", "illegal_moves", "positions", "duplicates")
        results = ("black_wins", "white_wins", "draws", "side_to_move_wins", "black_to_move")
        return {name: getattr(self, name) for name in (*plain, *results)} | histograms


def stats(
    source: Any,
    *,
    format: str | None = None,
    result_convention: str | None = None,
    duplicates: bool = True,
    memory: int = MEMORY,
    temporary: StrPath | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Stats:
    """Counts everything in one pass.

    Args:
        source: What ``training.open`` takes; several files may have different formats.
        format, result_convention: As for ``training.decode``.
        duplicates: Count different positions too: 8 bytes a row, in memory or in a temporary file.
        memory: Bytes to use for that.
        temporary: Folder of that file; None for the system's.
        threads: Threads to use; None for as many as ``set_threads`` says.
        progress: Called with rows done and their total.

    >>> from komadori import Board, GameResult
    >>> found = stats(training.game_records(Board.from_position("startpos moves 7g7f 3c3d"), [30, -20], GameResult.BLACK_WIN))
    >>> found.rows, found.black_wins, found.side_to_move_wins, found.duplicates, found.mean("evals")
    (2, 2, 1, 0, 5.0)
    """
    import tempfile

    import numpy as np

    opened = _opened(source, format)
    if not opened:
        raise ValueError("no file to open")
    n = sum(len(data) for data in opened)
    count = bucket_count(n)
    found = Stats(np.zeros(65536, np.int64), np.zeros(65536, np.int64), n)
    outputs = ("label", "result", "eval", "turn", "ply", *(("key",) if duplicates else ()))
    done = 0
    _, room = shares(memory, 1, n, 24)
    with closing(Buckets(np.dtype(np.uint64), count, room, tempfile.gettempdir() if temporary is None else temporary)) as buckets:
        for block in (block for data in opened for block in data.blocks(BLOCK)):
            batch = training.decode(block, outputs=outputs, result_convention=result_convention, threads=threads, on_error="report")
            good = np.ones(len(block), np.bool_)
            good[batch.bad_rows] = False
            for status, times in zip(*np.unique(batch.bad_status, return_counts=True), strict=True):
                if status == abi.KMD_ERR_ILLEGAL_MOVE:
                    found.illegal_moves += int(times)
                else:
                    kind = _KINDS.get(int(status), f"error {status}")
                    found.broken[kind] = found.broken.get(kind, 0) + int(times)
            won, black = batch.result[good], batch.turn[good] == 0
            found.draws += int((won == 0.5).sum())
            found.side_to_move_wins += int((won == 1).sum())
            found.black_wins += int((black & (won == 1)).sum() + (~black & (won == 0)).sum())
            found.white_wins += int((black & (won == 0)).sum() + (~black & (won == 1)).sum())
            found.black_to_move += int(black.sum())
            found.evals += np.bincount(batch.eval[good].astype(np.int64) + 32768, minlength=65536)
            found.plies += np.bincount(batch.ply[good], minlength=65536)
            if duplicates:
                keys = batch.key[good]
                order, starts = ordered(in_buckets(keys, count), count)
                buckets.add(keys[order], starts)
            done += len(block)
            if progress is not None:
                progress(done, n)
        if duplicates:
            found.positions = sum(len(np.unique(buckets.take(bucket))) for bucket in range(count))
    return found


# ------------------------------------------------------------------------------------------------------------------------- Check


class Bad(NamedTuple):
    """A row that cannot be used.

    Attributes:
        row: Its number among all rows. ``path`` and ``file_row`` say where it lies; of HCPE3, where rows do not count, ``row`` is the number of the game and
            ``file_row`` the byte at which it begins.
        error: What is wrong.
    """

    row: int
    path: str | None
    file_row: int
    error: Exception


@dataclass
class CheckReport:
    """What ``check`` found.

    Attributes:
        rows: Rows looked at.
        bad: How many of them, or of the games of HCPE3, cannot be used.
        listed: The first of them.
    """

    rows: int = 0
    bad: int = 0
    listed: list[Bad] = field(default_factory=list)


def check(
    source: Any,
    *,
    format: str | None = None,
    result_convention: str | None = None,
    legal: bool = True,
    limit: int = 1000,
    threads: int | None = None,
    progress: Progress = None,
) -> CheckReport:
    """Looks at every row: position, move, result; of HCPE3 at every game whole.

    Args:
        source: What ``training.open`` takes.
        format, result_convention: As for ``training.decode``.
        legal: Ask that moves are legal, not only well formed.
        limit: How many bad rows to list.
        threads: Threads to use; None for as many as ``set_threads`` says.
        progress: Called with rows done and their total.

    >>> from komadori import Board, GameResult
    >>> records = training.game_records(Board.from_position("startpos moves 7g7f 3c3d"), [30, -20], GameResult.BLACK_WIN)
    >>> records["bestMove16"][1] = 2
    >>> [(bad.row, type(bad.error).__name__) for bad in check(records).listed]
    [(1, 'IllegalMoveError')]
    """
    data = training.open(source, format)
    report = CheckReport(len(data))
    if data.format == "hcpe3":
        bad_games = data.bad_games(legal)
        report.bad = len(bad_games)
        report.listed = [Bad(game, None if len(data.paths) != 1 else data.paths[0], offset, error) for game, offset, error in bad_games[:limit]]
        if progress is not None:
            progress(len(data), len(data))
        return report
    done = 0
    options: dict[str, Any] = {"outputs": ("label", "result"), "check": "legal" if legal else "none", "result_convention": result_convention}
    for block in data.blocks(BLOCK):
        batch = training.decode(block, **options, threads=threads, on_error="report")
        report.bad += len(batch.bad_rows)
        for row in batch.bad_rows[: limit - len(report.listed)].tolist():
            one = training.decode(block[row : row + 1], **options, on_error="report")
            report.listed.append(Bad(done + row, *data.place(done + row), one.errors[0]))
        done += len(block)
        if progress is not None:
            progress(done, len(data))
    return report


# ------------------------------------------------------------------------------------------------------------------------- Verify


@dataclass
class Compared:
    """How an array of another loader compares with this library's.

    Attributes:
        name: Of the output, a name of ``training.decode``.
        different: Rows that are not equal. ``first`` is the first of them, -1 where there is none.
        largest: The largest difference of two numbers.
    """

    name: str
    different: int = 0
    first: int = -1
    largest: float = 0.0


@dataclass
class VerifyReport:
    """What ``verify`` found.

    Attributes:
        rows: Rows compared.
        compared: One for every array.
        bad_rows: Rows that this library refuses, the first thousand of them; they are not compared.
        seconds: What decoding them took here.
        other_seconds: What it took there, as far as it was told.
    """

    rows: int
    compared: list[Compared]
    bad_rows: list[int]
    seconds: float
    other_seconds: float | None

    @property
    def equal(self) -> bool:
        """Whether every row compared is the same."""
        return not any(one.different for one in self.compared)

    @property
    def ratio(self) -> float | None:
        """How many times as quick this library was; None when it was not told how long the other took."""
        return None if self.other_seconds is None else self.other_seconds / max(self.seconds, 1e-9)


_ALIASES = {
    "features1": ("features1", "x1", "input1"),
    "features2": ("features2", "x2", "input2"),
    "planes": ("planes",),
    "label": ("label", "labels", "move_label", "move_labels", "t1"),
    "mask": ("mask", "masks", "legal_mask"),
    "policy": ("policy", "probability"),
    "nnue": ("nnue",),
    "ending": ("ending",),
    "value": ("value", "values"),
    "result": ("result", "results", "t2"),
    "move": ("move", "moves"),
    "eval": ("eval", "evals", "score"),
    "turn": ("turn", "turns"),
    "ply": ("ply", "plies"),
    "key": ("key", "keys"),
}


def verify(
    source: Any,
    arrays: StrPath | Mapping[str, Any],
    *,
    name: str | None = None,
    start: int = 0,
    seconds: float | None = None,
    tolerance: float = 1e-6,
    format: str | None = None,
    threads: int | None = 1,
    progress: Progress = None,
    **options: Any,
) -> VerifyReport:
    """Compares arrays that another loader made of the same records with this library's, row by row.

    Args:
        source: What ``training.open`` takes.
        arrays: A .npz file with arrays named as the outputs of ``training.decode`` (or "move_label", "x1", ...), a .npy file of
            one of them, or a mapping. The first axis is the row; the others only need to have as many elements as here. A .npz may have a number "seconds".
        name: Which output a .npy file is; None for what its name begins with.
        start: Record that the arrays' first row is.
        seconds: How long the other loader took.
        tolerance: How far numbers with fractions may lie apart; other numbers must be equal.
        format: Of the source, where its name does not tell.
        threads: Threads to decode with. 1 is fair to a loader that uses one.
        progress: Called with rows done and their total.
        options: Other arguments of ``training.decode``.

    >>> from komadori import Board, GameResult
    >>> records = training.game_records(Board.from_position("startpos moves 7g7f 3c3d"), [30, -20], GameResult.BLACK_WIN)
    >>> report = verify(records, {"label": [59, 60], "result": [1, 0]})
    >>> [(one.name, one.different, one.first) for one in report.compared]
    [('label', 1, 1), ('result', 0, -1)]
    """
    import numpy as np

    data = training.open(source, format)
    found = _arrays_of(arrays, name)
    if "seconds" in found:
        seconds = float(found.pop("seconds")) if seconds is None else seconds
    theirs: dict[str, npt.NDArray[Any]] = {}
    for given, array in found.items():
        ours = next((output for output, aliases in _ALIASES.items() if given.lower() in aliases), None)
        if ours is None:
            raise ValueError(f"array {given!r} is no output of decode, want some of {', '.join(_ALIASES)}")
        if array.ndim == 0:
            raise ValueError(f"array {given!r} is one number, want a row for every record")
        theirs[ours] = array
    if not theirs:
        raise ValueError("no array to compare with")
    rows = {len(array) for array in theirs.values()}
    if len(rows) > 1:
        raise ValueError(f"the arrays have {', '.join(map(str, sorted(rows)))} rows, want the same number each")
    n = rows.pop()
    if not 0 <= start <= len(data) - n:
        raise ValueError(f"the arrays have {n:,} rows from record {start:,} on, the data has {len(data):,} records")
    compared = {output: Compared(output) for output in theirs}
    bad_rows: list[int] = []
    took, step, out = 0.0, 4096, None
    for first in range(0, n, step):
        stop = min(n, first + step)
        block = data[start + first : start + stop]
        began = time.perf_counter()
        batch = training.decode(block, **options, outputs=tuple(theirs), threads=threads, on_error="report", out=out)
        took += time.perf_counter() - began
        if first == 0:
            out = batch  # its arrays are filled again
            if stop - first == step:  # warm now, as a loop is
                began = time.perf_counter()
                training.decode(block, **options, outputs=tuple(theirs), threads=threads, on_error="report", out=out)
                took = time.perf_counter() - began
        good = np.ones(stop - first, np.bool_)
        good[batch.bad_rows] = False
        bad_rows += (start + first + batch.bad_rows[: 1000 - len(bad_rows)]).tolist()
        for output, array in theirs.items():
            _compare(compared[output], batch.arrays[output], array[first:stop], good, first, tolerance)
        if progress is not None:
            progress(stop, n)
    return VerifyReport(n, list(compared.values()), bad_rows, took, seconds)


def _arrays_of(arrays: StrPath | Mapping[str, Any], name: str | None) -> dict[str, npt.NDArray[Any]]:
    import numpy as np

    if isinstance(arrays, Mapping):
        return {key: np.asarray(value) for key, value in arrays.items()}
    path = os.fspath(arrays)
    try:
        loaded = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path} is neither a .npy nor a .npz file that can be read: {error}") from None
    if isinstance(loaded, np.ndarray):
        stem = os.path.basename(path).removesuffix(".npy")
        told = name or next((output for output, aliases in _ALIASES.items() if stem.lower().startswith(aliases)), None)
        if told is None:
            raise ValueError(f"{path} does not tell which output it is: give name= ({', '.join(_ALIASES)})")
        return {told: loaded}
    with loaded:
        return {key: loaded[key] for key in loaded.files}


def _compare(found: Compared, ours: npt.NDArray[Any], theirs: npt.NDArray[Any], good: npt.NDArray[np.bool_], start: int, tolerance: float) -> None:
    import numpy as np

    n = len(ours)
    if theirs[:1].size != ours[:1].size:
        raise ValueError(f"{found.name} has {theirs[:1].size} numbers a row, here it has {ours[:1].size} (shape {ours.shape[1:]})")
    a, b = ours.reshape(n, -1), np.ascontiguousarray(theirs).reshape(n, -1)
    if found.name in ("value", "result") or (a.dtype.kind == "f" and b.dtype.kind == "f" and found.name not in ("features1", "features2")):
        difference = np.abs(a.astype(np.float64) - b.astype(np.float64))
        differs = ~(difference <= tolerance)
    else:
        differs = a != b
        difference = np.abs(a.astype(np.float64) - b.astype(np.float64)) if differs.any() else np.zeros((n, 1))
    wrong = np.flatnonzero(differs.any(axis=1) & good)
    if len(wrong):
        found.first = found.first if found.different else start + int(wrong[0])
        found.different += len(wrong)
    if good.any():
        found.largest = max(found.largest, float(np.nan_to_num(difference[good], nan=np.inf).max(initial=0.0)))


# -------------------------------------------------------------------------------------------------------------------------- Head


def head(source: Any, rows: int = 10, *, start: int = 0, format: str | None = None, **options: Any) -> list[Explanation]:
    """Some rows explained: board, move, labels, evaluation, result, or what is wrong with them.

    Args:
        source: What ``training.open`` takes.
        rows: How many; fewer where the data ends.
        start: The first; from the end when negative.
        format: Of the source, where its name does not tell.
        options: Other arguments of ``training.decode``.

    >>> from komadori import Board, GameResult
    >>> [row.move for row in head(training.game_records(Board.from_position("startpos moves 7g7f 3c3d"), [30, -20], GameResult.BLACK_WIN))]
    [Move.from_usi('7g7f'), Move.from_usi('3c3d')]
    """
    data: TrainingData = training.open(source, format)
    whole = range(len(data))[start:]
    return [data.explain(row, **options) for row in whole[: max(0, rows)]]
