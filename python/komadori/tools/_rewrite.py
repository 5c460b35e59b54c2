"""Files written anew: shuffled, split, without duplicates, sampled."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _arrays, _files, training
from .._replacing import Replacement
from ..permutation import Permutation, mixed
from ._spill import BLOCK, MEMORY, Buckets, Progress, bucket_count, fixed, in_buckets, in_threads, ordered, packed_words, plain, position_hashes, shares

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

StrPath = str | os.PathLike[str]

_GAMES = 1024  # games copied between two calls of progress
_IN_ONE_GO = 1 << 22  # rows of a sample whose numbers are kept in memory


def _beside(path: StrPath) -> Path:
    """The folder of a file that is to be written."""
    return Path(os.path.realpath(os.fspath(path))).parent


def _write(path: StrPath, format: str, blocks: Iterable[npt.NDArray[Any]]) -> int:
    """Writes blocks of records of a format, of which HCPE and HCPE2 have the same bytes but for the result, to a file. Gives their number."""
    with training.Writer(path, format) as file:
        for block in blocks:
            file.write(block)
    return file.rows


def shuffle(
    source: Any,
    path: StrPath,
    *,
    format: str | None = None,
    seed: int = 0,
    memory: int = MEMORY,
    temporary: StrPath | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> int:
    """Writes all rows in a random order; of HCPE3 all games, each as it is.

    Rows are dealt to buckets at random, and each bucket is then put in a random order, so that every order is equally likely (Rao 1961, Sandelius 1962).
    Games are copied in a random order (``komadori.permutation``) from where they lie: that takes no memory, and from a slow disk much time.

    Args:
        source: What ``training.open`` takes.
        path: File to write.
        format: Of the source, where its name does not tell.
        seed: Another seed, another order. Seed and rows decide it, memory and threads do not.
        memory: Bytes to use. Data beyond it waits in a temporary file as large as the data.
        temporary: Folder of that file; None for that of ``path``.
        threads: Threads to use; None for as many as ``set_threads`` says.
        progress: Called with rows done and their total; every row counts twice. With games and their number for HCPE3.

    Returns:
        How many rows, or games, there were.

    >>> import tempfile
    >>> from komadori import Board, GameResult
    >>> game = training.game_records(Board.from_position("startpos moves 7g7f 3c3d 2g2f 8c8d"), [30, -20, 25, -25], GameResult.BLACK_WIN)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shuffle(game, folder + "/shuffled.hcpe", seed=1), sorted(training.open(folder + "/shuffled.hcpe")[:]["eval"].tolist())
    (4, [-25, -20, 25, 30])
    """
    import numpy as np

    data = training.open(source, format, positions="all")
    if data.format == "hcpe3":
        return _shuffle_games(data, path, seed, progress)
    n, count = len(data), bucket_count(len(data))
    folder = _beside(path) if temporary is None else temporary
    row = np.dtype((np.void, data.dtype.itemsize))
    threads, room = shares(memory, threads, n, 3 * row.itemsize)

    def dealt(item: tuple[int, Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        number, block = item
        keys = np.random.PCG64(mixed(seed, 6, number)).random_raw(len(block))
        order, starts = ordered(in_buckets(keys, count), count)
        return plain(block).take(order), starts

    def mixed_up(bucket: int) -> npt.NDArray[Any]:
        rows = buckets.take(bucket)
        places = max(1, len(rows) - 1).bit_length()
        # Random numbers whose lower bits are the row: sorting them sorts the rows.
        keys = np.random.PCG64(mixed(seed, 7, bucket)).random_raw(len(rows))
        keys >>= np.uint64(places)
        keys <<= np.uint64(places)
        keys |= np.arange(len(rows), dtype=np.uint64)
        keys.sort()
        keys &= np.uint64((1 << places) - 1)
        return rows.take(keys.view(np.int64)).view(data.dtype)

    done = 0
    with closing(Buckets(row, count, room, folder)) as buckets, training.Writer(path, data.format) as file:
        with closing(in_threads(dealt, enumerate(data.blocks(BLOCK)), threads)) as blocks:
            for rows, starts in blocks:
                buckets.add(rows, starts)
                done += len(rows)
                if progress is not None:
                    progress(done, 2 * n)
        with closing(in_threads(mixed_up, range(count), threads)) as parts:
            for part in parts:
                file.write(part)
                done += len(part)
                if progress is not None:
                    progress(done, 2 * n)
    return n


def _shuffle_games(data: training.TrainingData, path: StrPath, seed: int, progress: Progress) -> int:
    n = data.games
    order = Permutation(n, mixed(seed, 10))
    with Replacement(path) as file:
        for start in range(0, n, _GAMES):
            stop = min(n, start + _GAMES)
            for game in order(range(start, stop)).tolist():
                file.write(data.game_bytes(game))
            if progress is not None:
                progress(stop, n)
    return n


# ------------------------------------------------------------------------------------------------------------------------ Split


@dataclass(frozen=True)
class SplitReport:
    """What ``split`` wrote.

    Attributes:
        rows: Rows read.
        written: Rows of every file.
        games: Games found, where the split was by game; else 0.
    """

    rows: int
    written: dict[str, int]
    games: int


def split(
    source: Any,
    parts: Sequence[tuple[StrPath, float]],
    *,
    by: str = "game",
    format: str | None = None,
    seed: int = 0,
    progress: Progress = None,
) -> SplitReport:
    """Divides rows among files at random, those that belong together into one file.

    Args:
        source: What ``training.open`` takes; of HCPE3 all positions are taken.
        parts: Files to write and their weights: ``[("train.hcpe", 9), ("test.hcpe", 1)]`` gives the second about a tenth.
        by: What stays together. "game": rows of a game, see below; "position": rows of the same position, wherever they stand, so that nothing that is tested
            has been trained on; "row": nothing.
        format: Of the source, where its name does not tell.
        seed: Another seed, another division.
        progress: Called with rows done and their total.

    A game ends where the ply does not rise, in PSV and HCPE3. HCPE and HCPE2 store no ply: there it ends where a row's position is not the one after the
    move of the row before. Files that have been shuffled have no games any more, and files of which rows were left out have more.

    >>> import tempfile
    >>> import numpy as np
    >>> from komadori import Board, GameResult
    >>> game = training.game_records(Board.from_position("startpos moves 7g7f 3c3d 2g2f 8c8d"), [30, -20, 25, -25], GameResult.BLACK_WIN)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = split(np.concatenate([game, game[:2]]), [(folder + "/a.hcpe", 1), (folder + "/b.hcpe", 1)])
    >>> report.rows, report.games
    (6, 2)
    """
    import numpy as np

    _arrays.choice("by", by, dict.fromkeys(("game", "position", "row")))
    weights = np.array([weight for _, weight in parts], np.float64)
    if not len(parts) or not np.isfinite(weights).all() or (weights < 0).any() or weights.sum() <= 0:
        raise ValueError(f"weights are {weights.tolist()}, want positive numbers")
    names = [os.path.realpath(os.fspath(path)) for path, _ in parts]
    if len(set(names)) < len(names):
        raise ValueError("two parts have the same file")
    ends = np.cumsum(weights) / weights.sum()
    ends[-1] = 1
    data = training.open(source, format, positions="all")
    games = done = 0
    with ExitStack() as stack:
        files = [stack.enter_context(training.Writer(path, data.format)) for path, _ in parts]
        before = None
        for block in data.blocks():
            if by == "position":
                hashes = position_hashes(block, seed)
            elif by == "row":
                hashes = _hashes(np.arange(done, done + len(block), dtype=np.uint64), seed)
            else:
                numbers = np.cumsum(_game_starts(block, before), dtype=np.int64) + games
                games = int(numbers[-1]) if len(numbers) else games
                hashes = _hashes(numbers.astype(np.uint64), seed)
                before = block[-1:]
            which = np.searchsorted(ends, (hashes >> np.uint64(11)).astype(np.float64) / 2.0**53, "right")
            for number, file in enumerate(files):
                chosen = block[which == number]
                if len(chosen):
                    file.write(chosen)
            done += len(block)
            if progress is not None:
                progress(done, len(data))
    return SplitReport(len(data), {os.fspath(path): file.rows for (path, _), file in zip(parts, files, strict=True)}, games)


def _hashes(numbers: npt.NDArray[np.uint64], seed: int) -> npt.NDArray[np.uint64]:
    import numpy as np

    found = numbers + np.uint64(mixed(seed, 8))
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        found ^= found >> np.uint64(shift)
        found *= np.uint64(factor)
    found ^= found >> np.uint64(31)
    return found


def _game_starts(block: Any, before: Any) -> npt.NDArray[np.bool_]:
    """Which rows begin a game; ``before`` is the row before the block, None when there is none."""
    import numpy as np

    joined = block if before is None else np.concatenate([before, block])
    names = joined.dtype.names or ()
    if ply := next((name for name in ("gamePly", "game_ply", "ply") if name in names), None):
        follows = joined[ply][1:].astype(np.int32) > joined[ply][:-1]
    else:
        follows = _continue(joined)
    starts = np.ones(len(joined), np.bool_)
    starts[1:] = ~follows
    return starts if before is None else starts[1:]


def _continue(rows: Any) -> npt.NDArray[np.bool_]:
    """Whether each row but the first has the position that follows from the row before and its move: rows that one game of HCPE3 would hold."""
    import numpy as np

    from .. import batch

    status = np.zeros(len(rows), np.int32)
    made = batch.convert(rows, "hcpe3", row_status=status)
    good = np.flatnonzero(status == 0)
    starts = np.ones(len(rows), np.bool_)
    starts[good] = False
    starts[good[np.concatenate([[0], _files.games_of(made[good])[:-1]])[: len(good)]]] = True
    return ~starts[1:]


# ----------------------------------------------------------------------------------------------------------------------- Dedupe


@dataclass
class DedupeReport:
    """What ``dedupe`` did.

    Attributes:
        rows: Rows read.
        written: Rows written.
        repeated: Positions that occurred more than once.
        results_differ: Those of them whose results were not all the same.
        moves_differ: Those of them whose moves were not all the same.
    """

    rows: int = 0
    written: int = 0
    repeated: int = 0
    results_differ: int = 0
    moves_differ: int = 0


def dedupe(
    source: Any,
    path: StrPath,
    *,
    keep: str = "first",
    by: str = "position",
    format: str | None = None,
    memory: int = MEMORY,
    temporary: StrPath | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> DedupeReport:
    """Writes one row for every position, in the order in which the positions occur first.

    Args:
        source: What ``training.open`` takes; not HCPE3.
        path: File to write.
        keep: "first" keeps the first row as it is. "average" gives it the mean evaluation (rounded to the nearest, halves to even), the mean result (a win
            counts 1, a draw 1/2; stored is the nearest of the three: above 3/4 a win, below 1/4 a loss) and the move that occurs most often, of several the
            first.
        by: "position", or "move" for position and move together. Positions are the same where their 32 bytes are.
        format: Of the source, where its name does not tell.
        memory, temporary, threads: As for ``shuffle``.
        progress: Called with rows done and their total; every row counts three times.

    >>> import tempfile
    >>> import numpy as np
    >>> from komadori import Board, GameResult
    >>> game = training.game_records(Board.from_position("startpos moves 7g7f 3c3d 2g2f 8c8d"), [30, -20, 25, -25], GameResult.BLACK_WIN)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dedupe(np.concatenate([game, game[:2]]), folder + "/once.hcpe")
    DedupeReport(rows=6, written=4, repeated=2, results_differ=0, moves_differ=0)
    """
    import numpy as np

    _arrays.choice("keep", keep, dict.fromkeys(("first", "average")))
    _arrays.choice("by", by, dict.fromkeys(("position", "move")))
    data = training.open(source, format)
    fixed(data, "dedupe")
    n, count = len(data), bucket_count(len(data))
    folder = _beside(path) if temporary is None else temporary
    numbered = np.dtype([("row", np.int64), ("record", data.dtype)])
    threads, room = shares(memory, threads, n, 8 * numbered.itemsize)
    report = DedupeReport(rows=n)
    steps = 3 * n

    def by_position(item: tuple[int, Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        number, block = item
        order, starts = ordered(in_buckets(position_hashes(block), count), count)
        rows = np.empty(len(block), numbered)
        rows["row"] = np.arange(number * BLOCK, number * BLOCK + len(block))
        rows["record"] = np.asarray(block)
        return rows.view(np.dtype((np.void, numbered.itemsize))).take(order).view(numbered), starts

    def once(bucket: int) -> tuple[npt.NDArray[Any], DedupeReport]:
        return _once(found.take(bucket), keep == "average", by == "move")

    def by_row(kept: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        order, starts = ordered((kept["row"] // -(-n // count)).astype(np.uint32), count)
        return kept.take(order), starts

    def in_order(bucket: int) -> npt.NDArray[Any]:
        kept = unique.take(bucket)
        return kept["record"].take(np.argsort(kept["row"], kind="stable"))

    done = 0

    def step(rows: int) -> None:
        nonlocal done
        done += rows
        if progress is not None:
            progress(done, steps)

    # Half the room for the rows by position, half for those that are kept.
    with closing(Buckets(numbered, count, room // 2, folder)) as found, closing(Buckets(numbered, count, room // 2, folder)) as unique:
        with closing(in_threads(by_position, enumerate(data.blocks(BLOCK)), threads)) as blocks:
            for rows, starts in blocks:
                found.add(rows, starts)
                step(len(rows))
        with closing(in_threads(once, range(count), threads)) as parts:
            for kept, own in parts:
                unique.add(*by_row(kept))
                report.repeated += own.repeated
                report.results_differ += own.results_differ
                report.moves_differ += own.moves_differ
                step(own.rows)
        with training.Writer(path, data.format) as file, closing(in_threads(in_order, range(count), threads)) as lasts:
            for number, records in enumerate(lasts):
                file.write(records)
                step(n // count + (number < n % count))
            report.written = file.rows
    return report


def _once(rows: npt.NDArray[Any], average: bool, by_move: bool) -> tuple[npt.NDArray[Any], DedupeReport]:
    """The rows of a bucket, each position once; they come in the order of the file."""
    import numpy as np

    report = DedupeReport(rows=len(rows))
    if not len(rows):
        return rows, report
    records = rows["record"]
    names = records.dtype.names or ()
    moves, results, evals = records[names[2]], records[names[3] if names[0] == "hcp" else names[4]], records[names[1]]
    words = packed_words(records)
    columns = [words[:, column] for column in range(4)] + ([moves.astype(np.uint64)] if by_move else [])
    order = np.lexsort(columns[::-1])  # stable: within a group the first row of the file is first
    new = np.zeros(len(rows), np.bool_)
    new[0] = True
    for column in columns:
        ordered_column = column[order]
        new[1:] |= ordered_column[1:] != ordered_column[:-1]
    starts = np.flatnonzero(new)
    sizes = np.diff(np.append(starts, len(rows)))
    kept = rows[order[starts]]
    several = sizes > 1
    report.repeated = int(several.sum())
    for what, values in (("results_differ", results), ("moves_differ", moves)):
        of = values[order]
        setattr(report, what, int((np.maximum.reduceat(of, starts) != np.minimum.reduceat(of, starts)).sum()))
    if average and report.repeated:
        made = kept["record"]
        evaluations = np.add.reduceat(evals[order].astype(np.int64), starts)
        made[names[1]] = np.where(several, np.rint(evaluations / sizes), made[names[1]]).astype(np.int16)
        # The most frequent move of a group, of several the one that came first.
        groups = np.repeat(np.arange(len(starts)), sizes)
        by_group = np.lexsort([moves[order], groups])
        first = np.ones(len(rows), np.bool_)
        first[1:] = (groups[by_group][1:] != groups[by_group][:-1]) | (moves[order][by_group][1:] != moves[order][by_group][:-1])
        runs = np.flatnonzero(first)
        counts = np.diff(np.append(runs, len(rows)))
        best = np.lexsort([by_group[runs], -counts, groups[by_group[runs]]])
        chosen = best[np.concatenate(([True], groups[by_group[runs[best]]][1:] != groups[by_group[runs[best]]][:-1]))]
        made[names[2]] = moves[order][by_group[runs[chosen]]]
        _average_results(made, results[order], starts, sizes)
        kept["record"] = made
    return kept, report


def _average_results(made: npt.NDArray[Any], results: npt.NDArray[Any], starts: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> None:
    """Gives records the mean of the results of their groups."""
    import numpy as np

    names = made.dtype.names or ()
    if names[0] == "sfen":  # +1, 0, -1 for the side to move
        mean = np.add.reduceat(results.astype(np.int64), starts) / sizes
        made[names[4]] = np.where(sizes > 1, np.where(mean > 0.5, 1, np.where(mean < -0.5, -1, 0)), made[names[4]])
        return
    who = results & 3  # 0 draw, 1 Black won, 2 White won
    mean = np.add.reduceat((who == 1).astype(np.int64) - (who == 2), starts) / sizes
    winner = np.where(mean > 0.5, 1, np.where(mean < -0.5, 2, 0)).astype(results.dtype)
    # How the game of the first row ended is said of it alone.
    same = (made[names[3]] & 3) == winner
    made[names[3]] = np.where((sizes > 1) & ~same, winner, made[names[3]])


# ----------------------------------------------------------------------------------------------------------------------- Sample


def sample(
    source: Any,
    path: StrPath,
    *,
    rows: int | None = None,
    fraction: float | None = None,
    format: str | None = None,
    seed: int = 0,
    progress: Progress = None,
) -> int:
    """Writes some rows, every choice of them equally likely, in the order of the source. Only they are read.

    Args:
        source: What ``training.open`` takes; of HCPE3 all positions are taken, each as a game of its own where its neighbors are not.
        path: File to write.
        rows: How many; or
        fraction: what part of all, 0..1, rounded to the nearest number of rows.
        format: Of the source, where its name does not tell.
        seed: Another seed, another choice.
        progress: Called with rows gone past and their total.

    Returns:
        How many rows were written.

    >>> import tempfile
    >>> from komadori import Board, GameResult
    >>> game = training.game_records(Board.from_position("startpos moves 7g7f 3c3d 2g2f 8c8d"), [30, -20, 25, -25], GameResult.BLACK_WIN)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sample(game, folder + "/some.hcpe", fraction=0.5)
    2
    """
    if (rows is None) == (fraction is None):
        raise ValueError("give rows or fraction")
    data = training.open(source, format, positions="all")
    n = len(data)
    if fraction is not None:
        if not 0 <= fraction <= 1:
            raise ValueError(f"fraction is {fraction}, want 0..1")
        rows = round(n * fraction)
    assert rows is not None
    if not 0 <= rows <= n:
        raise ValueError(f"{rows} rows of {n:,}")
    return _write(path, data.format, _chosen(data, Permutation(n, mixed(seed, 9)), rows, progress))


def _chosen(data: Any, order: Permutation, rows: int, progress: Progress) -> Iterator[Any]:
    import numpy as np

    n = len(data)
    few = np.sort(order(range(rows))) if rows <= _IN_ONE_GO else None
    for start in range(0, n, BLOCK):
        stop = min(n, start + BLOCK)
        if few is not None:
            chosen = few[np.searchsorted(few, start) : np.searchsorted(few, stop)]
        else:
            chosen = np.arange(start, stop)
            chosen = chosen[order.inverse(chosen) < rows]
        if len(chosen):
            yield data[chosen]
        if progress is not None:
            progress(stop, n)
