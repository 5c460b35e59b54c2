"""Records as arrays: the dtypes of the formats, and arrays that know which rows of a file they hold.

This module needs NumPy; others import it inside functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

HCPE = np.dtype([("hcp", "u1", (32,)), ("eval", "<i2"), ("bestMove16", "<u2"), ("gameResult", "i1"), ("dummy", "u1")])
HCPE_RSSHOGI = np.dtype([("hcp", "u1", (32,)), ("eval", "<i2"), ("bestMove16", "<u2"), ("gameResult", "u1"), ("dummy", "u1")])
HCPE2 = np.dtype([("hcp", "u1", (32,)), ("eval", "<i2"), ("bestMove16", "<u2"), ("result", "u1"), ("dummy", "u1")])
HCPE3 = np.dtype(
    [
        ("hcp", "u1", (32,)),
        ("eval", "<i2"),
        ("bestMove16", "<u2"),
        ("result", "u1"),
        ("opponent", "u1"),
        ("ply", "<u2"),
        ("candidateNum", "<u2"),
        ("status", "<i2"),
        ("first", "<u4"),
    ]
)
PSV = np.dtype([("sfen", "u1", (32,)), ("score", "<i2"), ("move", "<u2"), ("gamePly", "<u2"), ("game_result", "i1"), ("padding", "u1")])
PSV_RSSHOGI = np.dtype([("sfen", "u1", (32,)), ("score", "<i2"), ("move", "<u2"), ("game_ply", "<u2"), ("game_result", "u1"), ("padding", "u1")])
CANDIDATE = np.dtype([("move16", "<u2"), ("visits", "<u2")])

OF_FORMAT = {"hcpe": HCPE, "hcpe2": HCPE2, "hcpe3": HCPE3, "psv": PSV}

Numbers = range | npt.NDArray[np.int64]


class Records(np.ndarray[Any, np.dtype[np.void]]):
    """An array of records that remembers where its rows came from.

    It is an array like others; a slice or choice of rows remembers too, and so does a pickled copy. Fields are plain arrays.

    Attributes:
        rows: Number of each row among all that ``training.open`` opened: a range or an ``int64`` array; None where it is not known.
        candidates: For HCPE3, the moves and visits that ``first`` and ``candidateNum`` of the rows point to, dtype ``training.CANDIDATE``; else None.
    """

    rows: Numbers | None
    candidates: npt.NDArray[np.void] | None

    @classmethod
    def of(cls, array: npt.NDArray[np.void], rows: Numbers | None = None, candidates: npt.NDArray[np.void] | None = None) -> Records:
        """A view of an array of records."""
        made = array.view(cls)
        made.rows, made.candidates = rows, candidates
        return made

    def __array_finalize__(self, source: Any) -> None:
        self.rows = None
        self.candidates = getattr(source, "candidates", None)

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        if not isinstance(found, Records):
            return found
        if found.dtype != self.dtype or found.ndim != 1:
            return found.view(np.ndarray)
        if self.rows is not None and self.ndim == 1:
            found.rows = choose(self.rows, key)
        return found

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if function is np.concatenate and not options and len(arguments) == 1:
            parts = list(arguments[0])
            if all(isinstance(part, np.ndarray) and part.dtype == self.dtype and part.ndim == 1 for part in parts):
                return concatenate(parts)
        return super().__array_function__(function, types, arguments, options)

    def _repr_html_(self) -> str | None:
        from . import _html

        if self.ndim != 1 or (self.dtype.names or ())[:1] not in (("hcp",), ("sfen",)):
            return None
        return _html.of_records(self, f"{len(self):,} records")

    def compact(self) -> Records:
        """A copy that keeps no more candidates than its rows have; without candidates a plain copy."""
        copied = Records.of(np.array(self, subok=False), self.rows)
        if self.candidates is None:
            return copied
        counts = copied["candidateNum"].astype(np.int64)
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        starts = ends - counts
        # Candidate k of the copy is candidate first + (k - start) of its row.
        chosen = np.repeat(copied["first"].astype(np.int64) - starts, counts) + np.arange(total)
        copied.candidates = self.candidates[chosen]
        copied["first"] = np.where(counts > 0, starts, 0)
        return copied

    def __reduce__(self) -> Any:
        kept = self.compact() if self.candidates is not None else self
        return (_restored, (np.array(kept, subok=False), kept.rows, kept.candidates))


def _restored(array: npt.NDArray[np.void], rows: Numbers | None, candidates: npt.NDArray[np.void] | None) -> Records:
    return Records.of(array, rows, candidates)


def choose(rows: Numbers, key: Any) -> Numbers | None:
    """The numbers of rows that an index chooses."""
    if isinstance(key, tuple):
        if len(key) != 1:
            return None
        key = key[0]
    if key is Ellipsis:
        return rows
    if isinstance(rows, np.ndarray):
        chosen: npt.NDArray[np.int64] = rows[key]
        return chosen
    if isinstance(key, slice):
        return rows[key]
    index = np.asarray(key)
    if index.dtype == np.bool_:
        index = np.flatnonzero(index)
    if index.size == 0:
        return np.zeros(0, np.int64)
    index = index.astype(np.int64)
    return rows.start + rows.step * np.where(index < 0, index + len(rows), index)


def concatenate(parts: Sequence[npt.NDArray[np.void]]) -> Records:
    """One array of the records of several of the same dtype, with their numbers and candidates."""
    joined = np.concatenate([np.asarray(part) for part in parts])
    numbers = [getattr(part, "rows", None) for part in parts]
    rows = None if any(n is None for n in numbers) else np.concatenate([np.asarray(n, np.int64) for n in numbers])
    if joined.dtype != HCPE3:
        return Records.of(joined, rows)
    small = [part.compact() if isinstance(part, Records) else Records.of(part) for part in parts]
    candidates = [part.candidates if part.candidates is not None else np.zeros(0, CANDIDATE) for part in small]
    start = at = 0
    for part, own in zip(small, candidates, strict=True):
        view = joined[start : start + len(part)]
        view["first"] = np.where(part["candidateNum"] > 0, part["first"] + np.uint32(at), 0)
        start, at = start + len(part), at + len(own)
    return Records.of(joined, rows, np.concatenate(candidates))
