"""Files of records: opened as one sequence of rows, written in one piece, converted. The public names are in komadori.training."""

from __future__ import annotations

import builtins
import errno
import mmap
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, overload

from . import _abi as abi
from . import _arrays, _native
from ._replacing import Replacement
from .errors import ParseError
from .types import _several

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ._explain import Explanation
    from ._records import Records

    StrPath = str | os.PathLike[str]

_SUFFIXES = {".hcpe": "hcpe", ".hcpe2": "hcpe2", ".hcpe3": "hcpe3", ".psv": "psv"}
_WINDOW = 32 << 20  # bytes of an HCPE3 file that are indexed at a time: more than the longest game
_PAGES = 64 << 20  # bytes of mapped files that may stay resident without need
_BLOCK = 1 << 16  # rows of a block
_WHICH = {"targets": abi.KMD_HCPE3_TARGETS, "all": 0, "dlshogi": abi.KMD_HCPE3_TARGETS | abi.KMD_HCPE3_SKIP_REPETITIONS}


# ---------------------------------------------------------------------------------------------------------------- Memory


class _Memory:
    """Bytes of a mapped file or of an array, read-only."""

    def __init__(self, data: npt.NDArray[np.uint8], map: mmap.mmap | None = None, name: str | None = None) -> None:
        self.data = data
        self.address = _arrays.address(data) or 0
        self.name = name
        self.resident = _PAGES
        self._map = map
        self._touched = 0

    @classmethod
    def of_file(cls, name: str) -> _Memory:
        import numpy as np

        status = os.stat(name)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL, "no regular file, which alone can be mapped", name)
        with builtins.open(name, "rb") as file:  # a file that may not be read says so itself, an empty one too
            if status.st_size == 0:  # cannot be mapped
                return cls(np.zeros(0, np.uint8), None, name)
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return cls(np.frombuffer(mapped, np.uint8), mapped, name)

    def touch(self, size: int) -> None:
        """Notes that about so many bytes have been read here and there; drops what is resident when it becomes much."""
        self._touched += size
        if self._touched > self.resident:
            self.drop(0, len(self.data))

    def drop(self, start: int, stop: int) -> None:
        """Lets the system take the pages of a range out of this process; they are read again when they are needed."""
        self._touched = 0
        if sys.platform != "win32" and self._map is not None and hasattr(mmap, "MADV_DONTNEED"):
            start -= start % mmap.PAGESIZE
            if stop > start:
                self._map.madvise(mmap.MADV_DONTNEED, start, stop - start)


class _Fixed:
    """A file of records that all have the same size."""

    def __init__(self, memory: _Memory, format: str) -> None:
        from ._records import OF_FORMAT

        self.memory, self.format = memory, format
        self.rows: npt.NDArray[np.void] = memory.data.view(OF_FORMAT[format])
        self.n = len(self.rows)

    def view(self, start: int, stop: int) -> Records:
        from ._records import Records

        return Records.of(self.rows[start:stop])

    def take(self, numbers: npt.NDArray[np.int64]) -> Records:
        import numpy as np

        from ._records import Records

        made = np.empty(len(numbers), self.rows.dtype)
        of = _arrays.Rows(self.rows, self.format, self.memory.address, self.rows.itemsize, self.n)
        gather(of, numbers, made)
        self.memory.touch(len(numbers) * mmap.PAGESIZE)
        return Records.of(made)

    def drop(self, start: int, stop: int) -> None:
        self.memory.drop(start * self.rows.itemsize, stop * self.rows.itemsize)


class _Array:
    """Records in memory."""

    def __init__(self, of: _arrays.Rows) -> None:
        from ._records import OF_FORMAT, Records

        self.format, self.n = of.format, of.n
        array = of.array if of.array.dtype.names else of.array.reshape(-1).view(OF_FORMAT[of.format])
        self.rows = Records.of(array.astype(OF_FORMAT[of.format], copy=False), candidates=of.candidates)
        self.rows = Records.of(self.rows.view(), candidates=of.candidates)
        self.rows.flags.writeable = False

    def view(self, start: int, stop: int) -> Records:
        found: Records = self.rows[start:stop]
        return found

    def take(self, numbers: npt.NDArray[np.int64]) -> Records:
        found: Records = self.rows[numbers]
        return found

    def drop(self, start: int, stop: int) -> None:
        """Nothing can be dropped."""


class _Games:
    """A file of HCPE3: an index of its games, and the rows that they have."""

    def __init__(self, memory: _Memory, positions: str, index: tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]] | None = None) -> None:
        self.memory, self.which = memory, _WHICH[positions]
        self.offsets, self.ends = index if index is not None else self._index()
        self.n = int(self.ends[-1]) if len(self.ends) else 0

    def _index(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
        import numpy as np

        kind = np.dtype([("offset", np.uint64), ("length", np.uint32), ("moves", np.uint16), ("targets", np.uint16)])
        room = np.zeros(1 << 16, kind)
        found: list[npt.NDArray[Any]] = []
        at, size = 0, len(self.memory.data)
        count, used = _native.size(), _native.size()
        while at < size:
            length = min(size - at, _WINDOW)
            arguments = (self.memory.address + at, length, at, int(at + length == size), _arrays.address(room), len(room))
            try:
                _native.call_long("kmd_hcpe3_index", *arguments, _native.reference(count), _native.reference(used))
            except ParseError as error:
                games = sum(map(len, found)) + count.value
                whole = at + used.value
                raise ParseError(f"{self.memory.name or 'HCPE3'}: {error}; {games} whole games end at {whole}", offset=error.offset) from None
            found.append(room[: count.value].copy())
            self.memory.drop(at, at + used.value)
            at += used.value
        index = np.concatenate(found) if found else room[:0]
        offsets = index["offset"].copy()
        counts = index["targets" if self.which else "moves"]
        if self.which & abi.KMD_HCPE3_SKIP_REPETITIONS:
            counts = self._counts(offsets)
        return offsets, np.cumsum(counts, dtype=np.int64)

    def file(self, threads: int = 0) -> Any:
        """The file as the library wants it."""
        return _native.struct(abi.kmd_hcpe3_file, which=self.which, data=self.memory.address, length=len(self.memory.data), threads=threads)

    def _counts(self, offsets: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint16]:
        import numpy as np

        counts, status = np.zeros(len(offsets), np.uint16), np.zeros(len(offsets), np.int32)
        self._each_game(offsets, abi.KMD_CHECK_NONE, counts, status)
        return counts

    def _each_game(self, offsets: npt.NDArray[np.uint64], check: int, counts: npt.NDArray[np.uint16] | None, status: npt.NDArray[np.int32]) -> None:
        file, at, to, out = self.file(), _arrays.address(offsets) or 0, _arrays.address(status) or 0, _arrays.address(counts)
        for start, stop in _arrays.slices(len(offsets)):
            place = None if out is None else out + 2 * start
            _native.call_long("kmd_hcpe3_check_batch", _native.reference(file), at + 8 * start, stop - start, check, place, to + 4 * start)
            self.memory.touch(int(offsets[stop - 1] - offsets[start]))

    def game(self, number: int) -> bytes:
        """A game as the file has it."""
        end = self.offsets[number + 1] if number + 1 < len(self.offsets) else len(self.memory.data)
        found = self.memory.data[int(self.offsets[number]) : int(end)].tobytes()
        self.memory.touch(len(found) + 2 * mmap.PAGESIZE)
        return found

    def bad_games(self, legal: bool) -> list[tuple[int, int, Exception]]:
        """Number, offset and error of every game that has something wrong."""
        import numpy as np

        status = np.zeros(len(self.offsets), np.int32)
        check = abi.KMD_CHECK_LEGAL if legal else abi.KMD_CHECK_NONE
        self._each_game(self.offsets, check, None, status)
        bad = []
        for game in np.flatnonzero(status).tolist():
            one = self.offsets[game : game + 1].copy()
            try:
                _native.call_long("kmd_hcpe3_check_batch", _native.reference(self.file()), _arrays.address(one), 1, check, None, None)
            except Exception as error:
                bad.append((game, int(one[0]), _arrays.shifted(error, game)))
        return bad

    def view(self, start: int, stop: int) -> Records:
        import numpy as np

        return self._read(np.arange(start, stop, dtype=np.int64))

    def take(self, numbers: npt.NDArray[np.int64]) -> Records:
        import numpy as np

        if len(numbers) < 2 or bool((np.diff(numbers) >= 0).all()):
            return self._read(numbers)
        # Rows of one game are read in one go when they follow each other.
        order = np.argsort(numbers, kind="stable")
        back = np.empty(len(order), np.int64)
        back[order] = np.arange(len(order))
        read: Records = self._read(numbers[order])[back]
        return read

    def _read(self, numbers: npt.NDArray[np.int64]) -> Records:
        import numpy as np

        from ._records import CANDIDATE, HCPE3, Records

        n = len(numbers)
        games = np.searchsorted(self.ends, numbers, "right")
        places = (numbers - np.where(games > 0, self.ends[games - 1], 0)).astype(np.uint16)
        offsets = self.offsets[games]
        rows, at, status = np.zeros(n, HCPE3), np.zeros(n, np.int64), np.zeros(n, np.int32)
        file = _native.reference(self.file())
        bases = [(_arrays.address(array) or 0, array.itemsize) for array in (offsets, places, rows, at, status)]
        for start, stop in _arrays.slices(n):
            of_games, of_places, to_rows, to_at, to_status = (base + size * start for base, size in bases)
            _native.call_long("kmd_hcpe3_rows_batch", file, of_games, of_places, stop - start, to_rows, to_at, to_status)
        candidates = np.zeros(int(rows["candidateNum"].sum(dtype=np.int64)), CANDIDATE)
        count = _native.size()
        _native.call_long(
            "kmd_hcpe3_candidates",
            file,
            _arrays.address(at),
            n,
            _arrays.address(rows),
            0,
            _arrays.address(candidates),
            len(candidates),
            _native.reference(count),
        )
        self.memory.touch(int(np.count_nonzero(np.diff(games)) + 1) * 4 * mmap.PAGESIZE)
        return Records.of(rows, candidates=candidates)

    def drop(self, start: int, stop: int) -> None:
        import numpy as np

        if stop > start:
            first, last = np.searchsorted(self.ends, [start, stop - 1], "right")
            end = self.offsets[last + 1] if last + 1 < len(self.offsets) else len(self.memory.data)
            self.memory.drop(int(self.offsets[first]), int(end))


def gather(of: _arrays.Rows, numbers: npt.NDArray[np.int64], out: npt.NDArray[np.void]) -> None:
    """Copies rows by number."""
    base, to = _arrays.address(numbers) or 0, _arrays.address(out) or 0
    rows = _native.reference(of.struct(0, of.n, 0))
    for start, stop in _arrays.slices(len(numbers)):
        _native.call_long("kmd_gather_batch", rows, base + 8 * start, stop - start, to + out.itemsize * start)


# ----------------------------------------------------------------------------------------------------------------- Opening


class TrainingData:
    """Rows of one or more files of records, or of memory, as one sequence. Made by ``open``.

    Rows are read when they are asked for; a file of any size takes the same memory, but for the index of HCPE3, 16 bytes a game. An object may be pickled, and
    used in forked workers: files are opened again by their names.

    >>> from komadori import Board, GameResult, training
    >>> board = Board.from_position("startpos moves 7g7f 3c3d")
    >>> data = training.open(training.game_records(board, [30, -20], GameResult.BLACK_WIN))
    >>> data
    <TrainingData: 2 hcpe records in memory>
    >>> data[1:]["eval"].tolist(), data[[1, 0, 1]].rows.tolist()
    ([-20], [1, 0, 1])
    """

    def __init__(self, parts: Sequence[_Fixed | _Array | _Games], format: str, paths: Sequence[str], options: dict[str, Any]) -> None:
        import numpy as np

        self._parts = list(parts)
        self._format = format
        self._paths = tuple(paths)
        self._options = options
        self.resident = options.get("resident", _PAGES)
        self._starts = np.cumsum([0, *(part.n for part in parts)], dtype=np.int64)

    @property
    def format(self) -> str:
        """ "hcpe", "hcpe2", "hcpe3" or "psv"."""
        return self._format

    @property
    def dtype(self) -> np.dtype[np.void]:
        """That of the rows: ``training.HCPE`` and so on."""
        from ._records import OF_FORMAT

        return OF_FORMAT[self._format]

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, none for memory."""
        return self._paths

    @property
    def resident(self) -> int:
        """Bytes of mapped files that may stay in this process while rows are chosen here and there, 64 MiB unless set. They are in the system's cache
        anyway; with more of them rows are found several times as quickly.
        """
        return int(self._options["resident"])

    @resident.setter
    def resident(self, size: int) -> None:
        self._options = {**self._options, "resident": int(size)}
        for part in self._parts:
            if not isinstance(part, _Array):
                part.memory.resident = int(size)

    @property
    def file_rows(self) -> tuple[int, ...]:
        """How many rows each file has."""
        return tuple(part.n for part in self._parts)

    def __len__(self) -> int:
        return int(self._starts[-1])

    @overload
    def __getitem__(self, key: int | np.integer[Any]) -> np.void: ...
    @overload
    def __getitem__(self, key: slice | Sequence[int] | npt.NDArray[Any]) -> Records: ...
    def __getitem__(self, key: Any) -> Any:
        """A row, or an array of rows: a slice, or row numbers, or a bool array with an entry a row. A slice of one file of equal records shares its memory."""
        import numpy as np

        if isinstance(key, slice):
            rows = range(len(self))[key]
            found = self._view(rows.start, rows.stop) if rows.step == 1 else self._take(np.arange(rows.start, rows.stop, rows.step, dtype=np.int64))
            found.rows = rows
            return found
        index = np.asarray(key)
        if index.ndim == 1 and index.size == 0 and not isinstance(key, np.ndarray):
            index = index.astype(np.int64)
        if index.dtype == np.bool_ and index.ndim == 1:
            if len(index) != len(self):
                raise IndexError(f"a choice of {len(index)} rows among {len(self)}")
            index = np.flatnonzero(index)
        if index.dtype.kind not in "iu" or index.ndim > 1:
            raise TypeError(f"rows are chosen by a number, a slice, numbers or bools, not {type(key).__name__}" + (f" of {index.dtype}" if index.ndim else ""))
        numbers = index.astype(np.int64).reshape(-1)
        numbers = np.where(numbers < 0, numbers + len(self), numbers)
        outside = np.flatnonzero((numbers < 0) | (numbers >= len(self)))
        if len(outside):
            raise IndexError(f"row {index.reshape(-1)[outside[0]]}, there are {len(self)}")
        found = self._take(numbers)
        found.rows = numbers
        return found if index.ndim else found[0]

    def _view(self, start: int, stop: int) -> Records:
        from ._records import Records, concatenate

        views = []
        for first, part in zip(self._starts.tolist(), self._parts, strict=False):
            low, high = max(start, first), min(stop, first + part.n)
            if low < high:
                views.append(part.view(low - first, high - first))
        if len(views) == 1:
            return views[0]
        if not views:
            import numpy as np

            return Records.of(np.zeros(0, self.dtype))
        return concatenate(views)

    def _take(self, numbers: npt.NDArray[np.int64]) -> Records:
        import numpy as np

        from ._records import concatenate

        if len(self._parts) == 1:
            return self._parts[0].take(numbers)
        which = np.searchsorted(self._starts, numbers, "right") - 1
        found, places = [], []
        for i in np.unique(which).tolist():
            own = np.flatnonzero(which == i)
            found.append(self._parts[i].take(numbers[own] - self._starts[i]))
            places.append(own)
        if not found:
            return self._view(0, 0)
        back = np.empty(len(numbers), np.int64)
        back[np.concatenate(places)] = np.arange(len(numbers))
        taken: Records = concatenate(found)[back]
        return taken

    def _all_rows(self) -> Records:
        found: Records = self[:]
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        import numpy as np

        return np.array(self._all_rows(), dtype, copy=bool(copy), subok=False) if copy else np.asarray(self._all_rows(), dtype)

    def __iter__(self) -> Iterator[np.void]:
        for block in self.blocks():
            yield from block

    def blocks(self, rows: int = _BLOCK, start: int = 0, stop: int | None = None) -> Iterator[Records]:
        """All rows in order, so many at a time, the last time fewer. What has been gone past does not stay in memory."""
        if rows < 1:
            raise ValueError(f"blocks of {rows} rows, want 1 or more")
        whole = range(len(self))[start:stop]
        dropped = whole.start
        for first in whole[::rows]:
            last = min(first + rows, whole.stop)
            yield self[first:last]
            if last - dropped >= _BLOCK or last == whole.stop:
                self._drop(dropped, last)
                dropped = last

    def _drop(self, start: int, stop: int) -> None:
        for first, part in zip(self._starts.tolist(), self._parts, strict=False):
            low, high = max(start, first), min(stop, first + part.n)
            if low < high:
                part.drop(low - first, high - first)

    def place(self, row: int) -> tuple[str | None, int]:
        """File of a row, None for memory, and its number there."""
        import numpy as np

        number = range(len(self))[row]
        part = int(np.searchsorted(self._starts, number, "right")) - 1
        return self._paths[part] if self._paths else None, number - int(self._starts[part])

    def explain(self, row: int, **options: Any) -> Explanation:
        """What a row holds: board, move, label, value and planes by name, or what is wrong with it. ``options`` are those of ``decode``."""
        from ._explain import Explanation

        number = range(len(self))[row]
        path, own = self.place(number)
        return Explanation(self[number : number + 1], number, path, own, options)

    @property
    def games(self) -> int:
        """HCPE3: how many games there are; else 0."""
        return sum(len(part.offsets) for part in self._parts if isinstance(part, _Games))

    def game_bytes(self, game: int) -> bytes:
        """HCPE3: a game as its file has it."""
        number = range(self.games)[game]
        for part in self._parts:
            if isinstance(part, _Games):
                if number < len(part.offsets):
                    return part.game(number)
                number -= len(part.offsets)
        raise AssertionError("a game of no file")

    def bad_games(self, legal: bool = True) -> list[tuple[int, int, Exception]]:
        """HCPE3: replays every game. Number, offset in its file and error of those that have something wrong; ``legal`` asks it of candidates too."""
        found, games = [], 0
        for part in self._parts:
            if isinstance(part, _Games):
                found += [(games + game, offset, error) for game, offset, error in part.bad_games(legal)]
                games += len(part.offsets)
        return found

    def __repr__(self) -> str:
        where = "memory" if not self._paths else self._paths[0] if len(self._paths) == 1 else f"{len(self._paths)} files"
        what = "positions" if self._format == "hcpe3" else "records"
        return f"<TrainingData: {len(self):,} {self._format} {what} in {where}>"

    def _repr_html_(self) -> str:
        from html import escape

        from ._html import ROWS_SHOWN, of_records

        right = "style='text-align:right'"
        files = "".join(f"<tr><td>{escape(path)}</td><td {right}>{n:,}</td></tr>" for path, n in zip(self._paths, self.file_rows, strict=False))
        listed = f"<table><tr><th>file</th><th>rows</th></tr>{files}</table>" if len(self._paths) > 1 else ""
        return f"<p>{escape(repr(self)[1:-1])}</p>{listed}" + (of_records(self[:ROWS_SHOWN], "the first rows") if len(self) else "")

    def __reduce__(self) -> Any:
        if not self._paths:
            return (open, (self._all_rows(),))
        files = [part for part in self._parts if not isinstance(part, _Array)]
        known = [(part.memory.data.size, (part.offsets, part.ends) if isinstance(part, _Games) else None) for part in files]
        return (_opened_again, (self._paths, self._format, self._options, known))


def _opened_again(paths: Sequence[str], format: str, options: dict[str, Any], known: Sequence[tuple[int, Any]]) -> TrainingData:
    parts: list[_Fixed | _Array | _Games] = []
    for name, (size, index) in zip(paths, known, strict=True):
        memory = _Memory.of_file(name)
        if len(memory.data) != size:
            raise OSError(errno.ESTALE, f"the file has {len(memory.data)} bytes, it had {size} when it was opened first", name)
        parts.append(_Fixed(memory, format) if index is None else _Games(memory, options["positions"], index))
    return TrainingData(parts, format, paths, options)


def open(
    source: StrPath | Iterable[StrPath] | bytes | bytearray | memoryview | npt.NDArray[Any] | TrainingData,
    format: str | None = None,
    *,
    positions: str = "targets",
) -> TrainingData:
    """Opens files of records, or records in memory.

    Args:
        source: A file, several files of one format, bytes, or an array: of records, or of ``uint8`` with a row a record or, for HCPE3, flat (a memory map
            of a file, for example). Files are mapped, not read.
        format: "hcpe", "hcpe2", "hcpe3" or "psv"; None for what the name says (.hcpe, .hcpe2, .hcpe3, .psv), else what the size says. A file that is
            named .hcpe and holds HCPE2 or HCPE3 needs it said.
        positions: HCPE3 only, which moves of the games are rows: "targets" those with candidates, "all", or "dlshogi" those of "targets" that do not lead to a
            repetition, as dlshogi's trainer reads them (this replays all games when they are opened).

    Returns:
        A ``TrainingData``: its length is the number of rows, slices and choices of rows are arrays of dtype ``HCPE``, ``HCPE2``, ``HCPE3`` or ``PSV``.

    Raises:
        OSError: A file cannot be read.
        ParseError: A size is no whole number of records, or a game of HCPE3 is cut short or breaks the format's limits; ``.offset`` tells where.
        ValueError: Neither name nor size tell the format, or the files are of two formats: give ``format``.
    """
    if format is not None:
        _arrays.choice("format", format, dict.fromkeys(_arrays.RECORDS))
    options = {"positions": positions}
    _arrays.choice("positions", positions, _WHICH)
    if isinstance(source, TrainingData):
        return source
    if is_memory(source):
        part = _of_memory(source, format, positions)
        return TrainingData([part], "hcpe3" if isinstance(part, _Games) else part.format, (), options)
    given: list[Any] = [source] if isinstance(source, (str, os.PathLike)) else list(_several("source", source, "paths, a path or records"))
    if not given:
        raise ValueError("no file to open")
    names = [_path("source", path) for path in given]
    memories = [_Memory.of_file(name) for name in names]
    formats = [format or _format_of(memory) for memory in memories]
    for name, other in zip(names, formats, strict=True):
        if other != formats[0]:
            raise ValueError(f"{names[0]} is {formats[0]} and {name} {other}: files opened together have one format; give format= where a name misleads")
    return TrainingData([_part(memory, formats[0], positions) for memory in memories], formats[0], names, options)


def is_memory(source: Any) -> bool:
    """Whether a source is records themselves, not files of them."""
    return isinstance(source, (bytes, bytearray, memoryview)) or hasattr(source, "__array_interface__") or hasattr(source, "__array__")


def _path(name: str, path: Any) -> Any:
    """A path as the name of a file."""
    try:
        return os.fspath(path)
    except TypeError:
        raise TypeError(f"{name} must be str or a path, not {type(path).__name__}") from None


def named_format(path: StrPath) -> str | None:
    """The format that the name of a file tells."""
    return _SUFFIXES.get(Path(_path("path", path)).suffix.lower())


def _format_of(memory: _Memory) -> str:
    """The format that the name or the size of a file tells."""
    name, size = memory.name or "", len(memory.data)
    known = named_format(name)
    if known:
        return known
    fits = [kind for kind in ("hcpe", "psv") if size % _arrays.SIZES[kind] == 0]
    if len(fits) == 1:
        return fits[0]
    sizes = "38 bytes (hcpe, hcpe2) and of 40 bytes (psv)"
    if fits:
        raise ValueError(f"{name}: {size} bytes are a whole number of records of {sizes}: give format='hcpe', 'hcpe2', 'hcpe3' or 'psv'")
    raise ParseError(f"{name}: {size} bytes are no whole number of records, neither of {sizes}; a file of hcpe3 needs format='hcpe3'", offset=size)


def _part(memory: _Memory, format: str, positions: str) -> _Fixed | _Games:
    if format == "hcpe3":
        return _Games(memory, positions)
    record, size = _arrays.SIZES[format], len(memory.data)
    if size % record:
        whole = size - size % record
        raise ParseError(
            f"{memory.name or 'the data'}: {size} bytes are no whole number of {format} records of {record} bytes: "
            f"cut short after {whole}, or of another format?",
            offset=whole,
        )
    return _Fixed(memory, format)


def _of_memory(source: Any, format: str | None, positions: str) -> _Fixed | _Array | _Games:
    import numpy as np

    raw = isinstance(source, (bytes, bytearray, memoryview))
    if not raw:
        source = source if isinstance(source, np.ndarray) else np.asarray(source)
        raw = source.dtype == np.uint8 and source.ndim == 1
    if raw:
        data = np.frombuffer(source, np.uint8) if not isinstance(source, np.ndarray) else np.ascontiguousarray(source)
        if format is None:
            raise ValueError("bytes do not tell their format: give format= ('hcpe', 'hcpe2', 'hcpe3' or 'psv')")
        return _part(_Memory(data), format, positions)
    return _Array(_arrays.rows(source, format, _arrays.RECORDS))


# ----------------------------------------------------------------------------------------------------------------- Writing


class Writer:
    """Writes records to a file, a part at a time. They go to a temporary name in the same folder, which is renamed when everything is on disk: the file is
    the old one or the new one, never half.

    Use it as a context manager: what is left with an exception leaves the old file untouched.

    Args:
        path: File to write.
        format: "hcpe", "hcpe2", "hcpe3" or "psv": records of other formats are converted. None for the format of the first records, which all others must have
            too, and which the name (.hcpe, .hcpe2, .hcpe3, .psv) must not contradict.
        append: Keep what the file holds and write after it. The old content is copied first, so that this too is done whole or not at all.
        result_convention: How results of records written are stored: None for their format's own, see ``decode``.
        to_result_convention: How to store them in the file.

    Attributes:
        rows: Rows written so far.
        report: What conversions lost, a ConversionReport.

    >>> import tempfile
    >>> from komadori import Board, GameResult, training
    >>> board = Board.from_position("startpos moves 7g7f 3c3d")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Writer(folder + "/games.psv") as file:
    ...         file.write(training.game_records(board, [30, -20], GameResult.BLACK_WIN, "psv"))
    ...     training.open(folder + "/games.psv")[:]["score"].tolist()
    [30, -20]
    """

    def __init__(
        self,
        path: StrPath,
        format: str | None = None,
        *,
        append: bool = False,
        result_convention: str | None = None,
        to_result_convention: str | None = None,
        threads: int | None = None,
    ) -> None:
        self._path = os.path.realpath(_path("path", path))  # through symbolic links: the link stays, its target is replaced
        if format is not None:
            _arrays.choice("format", format, dict.fromkeys(_arrays.RECORDS))
        for name, convention in (("result_convention", result_convention), ("to_result_convention", to_result_convention)):
            _arrays.choice(name, convention, _arrays.CONVENTIONS)
        _arrays.thread_count(threads)
        self._conventions = (result_convention, to_result_convention)
        self._threads = threads
        self._told = format is not None
        self._format = format
        self.rows = 0
        self.report = ConversionReport()
        self._rest: Records | None = None  # rows of an HCPE3 game that may go on
        if append and self._format is None:
            self._format = named_format(self._path)
            self._told = self._format is not None
        self._target = Replacement(self._path)
        self._file: Any = self._target.file
        try:
            if append and os.path.exists(self._path):
                self._keep()
        except BaseException:
            self.abort()
            raise

    @property
    def format(self) -> str | None:
        """Format of the file; None before the first records where it was not told."""
        return self._format

    def _keep(self) -> None:
        """Begins with what the file holds."""
        if os.path.getsize(self._path):
            old = open(self._path, self._format)  # whole records, whole games
            self._format = old.format
        with builtins.open(self._path, "rb") as old_file:
            while part := old_file.read(1 << 22):
                self._file.write(part)

    def write(self, records: Any, format: str | None = None) -> None:
        """Writes records: an array, bytes with ``format``, or opened data, whose blocks are written one by one.

        Raises:
            OSError: The file cannot be written.
            ValueError: The records are of another format than those before, where none was told.
        """
        if self._file is None:
            raise ValueError("the file is finished")
        if isinstance(records, TrainingData):
            for block in records.blocks():
                self.write(block)
            return
        of = _arrays.rows(records, format, _arrays.RECORDS)
        if self._format is None:
            named = named_format(self._path)
            if named not in (None, of.format):
                file = os.path.basename(self._path)
                raise ValueError(f"{of.format} records into a file named {file}: give format={of.format!r} or, to convert them, format={named!r}")
            self._format = of.format
        if not self._told and of.format != self._format:
            raise ValueError(f"{of.format} records after {self._format} ones: give format= to convert them")
        if of.format != self._format or any(self._conventions):
            self._write_converted(of)
        elif self._format == "hcpe3":
            self._write_games(with_candidates(of))
        else:
            self._write_plain(of)
        self.rows += of.n
        self._target.push()

    def _write_plain(self, of: _arrays.Rows) -> None:
        import numpy as np

        for start, stop in _arrays.slices(of.n):
            self._file.write(np.ascontiguousarray(of.array[start:stop]).view(np.uint8).data)

    def _write_converted(self, of: _arrays.Rows) -> None:
        from .batch import convert

        assert self._format is not None
        before, after = self._conventions
        lost: dict[str, int] = {}
        made = convert(
            with_candidates(of),
            self._format,
            result_convention=before,
            to_result_convention=after,
            format=of.format,
            threads=self._threads,
            lost=lost,
        )
        self.report._add(lost)
        if self._format == "hcpe3":
            self._write_games(made)
        else:
            self._write_plain(_arrays.rows(made, self._format, _arrays.RECORDS))

    def _write_games(self, rows: Any, last: bool = False) -> None:
        """Writes whole games and keeps the rows of the last one, which may go on."""
        from ._records import concatenate

        if self._rest is not None and len(self._rest):
            rows = concatenate([self._rest, rows])
        packed, used, lost = _packed(rows, last, self._threads)
        self._file.write(packed.data)
        self.report._add({"plies": lost})
        self._rest = rows[used:].compact()

    def close(self) -> None:
        """Finishes: everything on disk, and the file takes its name. Without effect after that."""
        if self._file is None:
            return
        try:
            if self._rest is not None:
                rest, self._rest = self._rest, None
                self._write_games(rest, last=True)
            self._target.commit()
        except BaseException:
            self.abort()
            raise
        self._file = None

    def abort(self) -> None:
        """Gives up: the old file stays as it is."""
        self._file = None
        self._target.abort()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.close()
        elif self._file is not None:
            self._file = None
            self._target.__exit__(kind, error, trace)


def _packed(rows: Any, last: bool, threads: int | None) -> tuple[npt.NDArray[np.uint8], int, int]:
    """Rows of HCPE3 as games of the file format, the number of rows that they hold, and how many will be read with another ply."""
    import numpy as np

    of = _arrays.rows(rows, "hcpe3", ("hcpe3",))
    room = np.empty(of.n * 42 + 4 * int(np.asarray(of.array["candidateNum"]).sum(dtype=np.int64)), np.uint8)
    needed, used, lost = _native.size(), _native.size(), _native.size64()
    outs = (_native.reference(needed), _native.reference(used), _native.reference(lost))
    count = _arrays.thread_count(threads)
    _native.call_long("kmd_hcpe3_pack", _native.reference(of.struct(0, of.n, count)), int(last), _arrays.address(room), len(room), *outs, None)
    return room[: needed.value], int(used.value), int(lost.value)


def games_of(rows: Any) -> npt.NDArray[np.int64]:
    """Where the games end that rows of HCPE3 make: each goes on as long as a row's position follows from the row before and its move."""
    return _Games(_Memory(_packed(rows, True, None)[0]), "all").ends


def with_candidates(of: _arrays.Rows) -> Any:
    """Rows as an array that has its candidates."""
    if of.format != "hcpe3":
        return of.array
    from ._records import HCPE3, Records

    return Records.of(of.array if of.array.dtype.names else of.array.reshape(-1).view(HCPE3), candidates=of.candidates)


def write(path: StrPath, records: Any, format: str | None = None) -> None:
    """Writes records to a file, which is the old one or the new one, never half; see ``Writer``.

    Args:
        path: File to write.
        records: Array of records, opened data, or an iterable of such.
        format: Format of the file; None for that of the records.

    Raises:
        OSError: The file cannot be written; what was there before is untouched.
        ValueError: The records are of another dtype, or of two.
    """
    import numpy as np

    with Writer(path, format) as file:
        for part in [records] if isinstance(records, (np.ndarray, TrainingData)) else _several("records", records, "arrays of records"):
            file.write(part)


# --------------------------------------------------------------------------------------------------------------- Converting


class ConversionReport:
    """What a conversion did, and what it lost: counts of rows.

    Attributes:
        rows: Rows read.
        written: Rows written.
        bad_rows: Numbers of the rows that could not be converted and were left out, the first thousand of them.
        bad: How many there were.
        lost: Rows by what the new format does not say of them: "plies" the ply; "endings" how the game ended (repetition, declaration, ...);
            "candidates" moves and visits of candidates, but for the best move; "untrained" that the move is no training target;
            "opponents" that one side was another engine; "extras" an unused last byte that is not 0.
    """

    def __init__(self) -> None:
        self.rows = self.written = self.bad = 0
        self.bad_rows: list[int] = []
        self.lost: dict[str, int] = dict.fromkeys(_arrays.LOSSES, 0)

    def _add(self, lost: dict[str, int]) -> None:
        for name, n in lost.items():
            self.lost[name] += n

    def __repr__(self) -> str:
        lost = ", ".join(f"{name} of {n:,}" for name, n in self.lost.items() if n)
        bad = f", {self.bad:,} bad rows left out" if self.bad else ""
        return f"<ConversionReport: {self.written:,} of {self.rows:,} rows written{bad}; lost: {lost or 'nothing'}>"


def convert(
    source: Any,
    path: StrPath,
    format: str | None = None,
    *,
    from_format: str | None = None,
    result_convention: str | None = None,
    to_result_convention: str | None = None,
    positions: str = "targets",
    append: bool = False,
    on_error: str = "raise",
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ConversionReport:
    """Converts files of records into one of another format, a block at a time on all cores.

    Args:
        source: What ``open`` takes.
        path: File to write; the old one stays until the new one is whole.
        format: "hcpe", "hcpe2", "hcpe3" or "psv"; None for what the name says.
        from_format: Format of the source, where its name does not tell.
        result_convention: How results are stored in the source: None for its format's own, "apery", "yaneuraou", "rsshogi" or "dlshogi".
        to_result_convention: How to store them.
        positions: Of HCPE3: see ``open``. Converting HCPE3 to HCPE3, "all" keeps everything.
        append: Write after what the file holds.
        on_error: "raise" raises the error of the first bad row, and nothing is written; "skip" leaves bad rows out and reports them.
        threads: Threads to use; None for as many as ``set_threads`` says.
        progress: Called with the rows done and their total, now and then.

    Returns:
        A ConversionReport: it tells what the new format does not hold.

    Raises:
        OSError: A file cannot be read or written. ValueError: No format is told.
        ParseError, InvalidPositionError, InvalidValueError: A row is bad; ``.row`` tells which.

    >>> import tempfile
    >>> from komadori import Board, GameResult, training
    >>> board = Board.from_position("startpos moves 7g7f 3c3d")
    >>> records = training.game_records(board, [30, -20], GameResult.BLACK_WIN, "psv")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     convert(records, folder + "/games.hcpe")
    <ConversionReport: 2 of 2 rows written; lost: plies of 2>
    """
    import numpy as np

    if from_format is not None:
        _arrays.choice("from_format", from_format, dict.fromkeys(_arrays.RECORDS))
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a function or None, not {type(progress).__name__}")
    data = open(source, from_format, positions=positions)
    target = format or named_format(path)
    if target is None:
        raise ValueError(f"{os.fspath(path)} does not tell its format: give format= ('hcpe', 'hcpe2', 'hcpe3' or 'psv')")
    _arrays.choice("format", target, dict.fromkeys(_arrays.RECORDS))
    if on_error not in ("raise", "skip"):
        raise ValueError(f"on_error is {on_error!r}, want 'raise' or 'skip'")
    total, done = len(data), 0
    # Without a convention told, records of the file's own format would be copied unseen.
    before, after = result_convention or _CONVENTION[data.format], to_result_convention or _CONVENTION[target]
    with Writer(path, target, append=append, result_convention=before, to_result_convention=after, threads=threads) as file:
        for block in data.blocks():
            try:
                file.write(block)
            except ValueError as error:
                if getattr(error, "row", None) is None:
                    raise
                if on_error == "raise":
                    raise _arrays.shifted(error, done) from None
                status = np.zeros(len(block), np.int32)
                _arrays_convert_status(block, target, before, after, threads, status)
                good = status == 0
                bad = np.flatnonzero(~good)
                file.report.bad += len(bad)
                file.report.bad_rows += [done + row for row in bad[: 1000 - len(file.report.bad_rows)].tolist()]
                file.write(block[good])
            done += len(block)
            if progress is not None:
                progress(done, total)
    file.report.rows, file.report.written = total, file.rows
    return file.report


_CONVENTION = {"hcpe": "apery", "hcpe2": "dlshogi", "hcpe3": "dlshogi", "psv": "yaneuraou"}


def _arrays_convert_status(block: Records, target: str, before: str | None, after: str | None, threads: int | None, status: npt.NDArray[np.int32]) -> None:
    """Which rows of a block cannot be converted."""
    from .batch import convert as convert_rows

    convert_rows(block, target, result_convention=before, to_result_convention=after, threads=threads, row_status=status)
