"""Rows put into buckets, with as much memory as one allows; what is more waits in a temporary file."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from .. import library

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..training import TrainingData

Progress = Callable[[int, int], None] | None

BLOCK = 1 << 17  # rows read at a time
BUCKET = 1 << 18  # rows of a bucket, about: these decide the order that is written, memory does not
_MOST_BUCKETS = 1 << 12
MEMORY = 1 << 30  # bytes, unless told otherwise
_ITSELF = 64 << 20  # bytes of Python, NumPy and this library
_LEAST = 16 << 20  # bytes of buckets that are kept in memory at least

T = TypeVar("T")
R = TypeVar("R")


class Buckets:
    """Rows by bucket, in the order in which they were added.

    Args:
        dtype: Of the rows.
        count: Number of buckets.
        room: Bytes that may be kept in memory; the rest goes to a file without a name in ``folder``, which the system removes whatever happens.
        folder: Where that file is.
    """

    def __init__(self, dtype: np.dtype[Any], count: int, room: int, folder: str | os.PathLike[str]) -> None:
        self.dtype, self.count = dtype, count
        self._room = room
        self._folder = folder
        self._file: Any = None
        self._reading = threading.Lock()
        self._blocks: list[tuple[npt.NDArray[Any], npt.NDArray[np.int64]]] = []  # rows ordered by bucket, and where each bucket begins
        self._kept = 0
        self._extents: list[list[tuple[int, int]]] = [[] for _ in range(count)]  # bytes of the file: where, how many

    def add(self, rows: npt.NDArray[Any], starts: npt.NDArray[np.int64]) -> None:
        """Adds rows that are ordered by bucket already; those of bucket b are ``rows[starts[b]:starts[b + 1]]``. The array is kept."""
        self._blocks.append((rows, starts))
        self._kept += rows.nbytes
        if self._kept > self._room:
            self._spill()

    def _spill(self) -> None:
        import numpy as np

        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=self._folder, buffering=0)
        at = self._file.seek(0, os.SEEK_END)
        for bucket in range(self.count):
            parts = [rows[starts[bucket] : starts[bucket + 1]] for rows, starts in self._blocks]
            joined = np.concatenate(parts) if len(parts) > 1 else parts[0]
            if len(joined):
                left = joined.view(np.uint8).data
                try:
                    while left:
                        left = left[self._file.write(left) :]
                except OSError as error:
                    error.filename = os.fspath(self._folder)
                    raise
                self._extents[bucket].append((at, joined.nbytes))
                at += joined.nbytes
        self._blocks.clear()
        self._kept = 0

    def take(self, bucket: int) -> npt.NDArray[Any]:
        """The rows of a bucket, a new array. Several threads may take at once, when everything has been added."""
        import numpy as np

        parts = [rows[starts[bucket] : starts[bucket + 1]] for rows, starts in self._blocks]
        stored = sum(size for _, size in self._extents[bucket])
        made = np.empty(stored // self.dtype.itemsize + sum(map(len, parts)), self.dtype)
        raw, at = made.view(np.uint8).data, 0
        for offset, size in self._extents[bucket]:
            end = at + size
            while at < end:
                if sys.platform == "win32":
                    with self._reading:
                        self._file.seek(offset)
                        got = self._file.readinto(raw[at:end])
                else:
                    got = os.preadv(self._file.fileno(), [raw[at:end]], offset)
                if not got:
                    raise OSError(f"a temporary file in {os.fspath(self._folder)} became shorter")
                at, offset = at + got, offset + got
        row = at // self.dtype.itemsize
        for part in parts:
            made[row : row + len(part)] = part
            row += len(part)
        return made

    def close(self) -> None:
        """Gives everything back."""
        self._blocks.clear()
        if self._file is not None:
            self._file.close()


def ordered(buckets: npt.NDArray[np.uint16 | np.uint32], count: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """The order that brings rows together by bucket, those of one as they were, and where each bucket begins."""
    import numpy as np

    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(buckets, minlength=count), out=starts[1:])
    return np.argsort(buckets.astype(np.uint16) if count <= 1 << 16 else buckets, kind="stable"), starts


def in_buckets(keys: npt.NDArray[np.uint64], count: int) -> npt.NDArray[np.uint32]:
    """The bucket of random 64-bit keys: their upper half, scaled."""
    import numpy as np

    found: npt.NDArray[np.uint32] = ((keys >> np.uint64(32)) * np.uint64(count) >> np.uint64(32)).astype(np.uint32)
    return found


def bucket_count(rows: int) -> int:
    """As many buckets as so many rows need."""
    return max(1, min(_MOST_BUCKETS, -(-rows // BUCKET)))


def shares(memory: int, threads: int | None, rows: int, bytes_a_row: int) -> tuple[int, int]:
    """How many threads may work on a bucket each, a row of which takes so many bytes meanwhile, and the bytes that are left to keep buckets in."""
    wanted = library.threads() if threads is None else threads
    each = min(rows, max(BUCKET, rows // _MOST_BUCKETS)) * bytes_a_row
    left = memory - _ITSELF
    count = max(1, min(wanted, left // 2 // max(1, each)))
    return count, max(_LEAST, left - count * each)


def position_hashes(rows: npt.NDArray[Any], seed: int = 0) -> npt.NDArray[np.uint64]:
    """64 bits of the 32 bytes that a record's position takes: equal bytes, equal bits."""
    import numpy as np

    from ..permutation import mixed

    words = packed_words(rows)
    found = np.full(len(rows), np.uint64(mixed(seed, 5)))
    for column in range(4):
        found ^= words[:, column]
        found *= np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(29)
        found *= np.uint64(0xBF58476D1CE4E5B9)
        found ^= found >> np.uint64(32)
    return found


def packed_words(rows: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """The packed positions of records, shape ``(n, 4)``. A new array."""
    import numpy as np

    first = rows.dtype.names[0] if rows.dtype.names else None
    return np.ascontiguousarray(rows[first]).view(np.uint64).reshape(-1, 4)


def in_threads(function: Callable[[T], R], items: Iterable[T], count: int) -> Generator[R, None, None]:
    """``map`` on threads, results in order, no more of them ahead than there are threads."""
    if count == 1:
        yield from map(function, items)
        return
    source = iter(items)
    pool = ThreadPoolExecutor(count, "komadori-tools")
    try:
        waiting: list[Future[R]] = [pool.submit(function, item) for item in islice(source, count)]
        while waiting:
            done = waiting.pop(0).result()
            waiting += [pool.submit(function, item) for item in islice(source, 1)]
            yield done
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def fixed(data: TrainingData, what: str) -> None:
    """Refuses data whose records are games of different lengths."""
    if data.format == "hcpe3":
        raise ValueError(f"{what} needs records that all have the same size, hcpe3 holds games: convert it to hcpe or psv first")


def plain(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The bytes of records, one void a row: NumPy moves those quicker than structures."""
    import numpy as np

    return np.ascontiguousarray(np.asarray(rows)).view(np.dtype((np.void, rows.dtype.itemsize)))
