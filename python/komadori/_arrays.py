"""What the modules that take arrays share: checking arguments, rows of packed positions and records, and calls in slices.

NumPy is imported inside the functions, so that importing the package does not import it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _abi as abi
from . import _native
from .errors import InvalidValueError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FORMATS = {
    "hcp": abi.KMD_FORMAT_HCP,
    "packed_sfen": abi.KMD_FORMAT_PACKED_SFEN,
    "hcpe": abi.KMD_FORMAT_HCPE,
    "psv": abi.KMD_FORMAT_PSV,
    "hcpe2": abi.KMD_FORMAT_HCPE2,
    "hcpe3": abi.KMD_FORMAT_HCPE3,
    "board": abi.KMD_FORMAT_BOARD,
}
SIZES = {"hcp": 32, "packed_sfen": 32, "hcpe": 38, "psv": 40, "hcpe2": 38, "hcpe3": abi.KMD_HCPE3_ROW_SIZE, "board": 96}
RECORDS = ("hcpe", "hcpe2", "hcpe3", "psv")
CONVENTIONS = {
    None: 0,
    "apery": abi.KMD_RESULT_APERY,
    "yaneuraou": abi.KMD_RESULT_YANEURAOU,
    "rsshogi": abi.KMD_RESULT_RSSHOGI,
    "dlshogi": abi.KMD_RESULT_DLSHOGI,
}

# Offsets of the fields in a record. HCPE2 has those of HCPE; the result's name tells them apart.
_LAYOUTS = {"hcpe": (0, 32, 34, 36, 37), "psv": (0, 32, 34, 36, 38, 39), "hcpe3": (0, 32, 34, 36, 37, 38, 40, 42, 44)}

# What conversions count of rows that lose something; fields lost_... of kmd_conversion.
LOSSES = ("plies", "endings", "candidates", "untrained", "opponents", "extras")

# A slice of a long call takes about this long, so that Ctrl-C is answered soon.
_SLICE_SECONDS = 0.02


def choice(name: str, value: Any, choices: Any) -> Any:
    """The meaning of an option given by name."""
    try:
        return choices[value]
    except (KeyError, TypeError):
        raise ValueError(f"{name} is {value!r}, want one of {', '.join(map(repr, choices))}") from None


def thread_count(threads: int | None) -> int:
    """The argument ``threads`` as the library wants it."""
    if threads is None:
        return 0
    if isinstance(threads, bool) or not hasattr(threads, "__index__"):
        raise TypeError(f"threads must be int or None, not {type(threads).__name__}")
    if not 1 <= threads <= 1024:
        raise ValueError(f"threads is {threads}, want 1..1024 or None")
    return int(threads)


def address(array: npt.NDArray[Any] | None) -> int | None:
    """Where an array's data lies."""
    return None if array is None else int(array.ctypes.data)


def integers(name: str, values: Any, dtype: type[np.unsignedinteger[Any]], n: int | None = None) -> npt.NDArray[Any]:
    """A one-dimensional contiguous array of unsigned integers; moves, colors and squares count as their numbers.

    InvalidValueError names the row of a number outside the type's range.
    """
    import numpy as np

    if isinstance(values, (list, tuple)):
        values = [getattr(v, "value", v) for v in values]
    elif hasattr(values, "to_numpy"):
        values = values.to_numpy()
    array = np.asarray(values)
    if array.size == 0 and array.ndim == 1:
        array = array.astype(dtype)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} has dtype {array.dtype}, want {np.dtype(dtype).name}")
    if array.ndim == 0 and n is not None:
        array = np.full(n, array)
    if array.ndim != 1 or (n is not None and len(array) != n):
        raise ValueError(f"{name} has shape {array.shape}, want ({'n' if n is None else n},)")
    if array.dtype != dtype:
        bad = np.flatnonzero((array < 0) | (array > np.iinfo(dtype).max))
        if len(bad):
            row = int(bad[0])
            raise InvalidValueError(f"{name} holds {array[row]}, want 0..{np.iinfo(dtype).max} (row {row})", row=row)
    return np.ascontiguousarray(array, dtype)


def output(name: str, array: Any, shape: tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
    """A caller's array to be filled: as many rows as wanted or more, of the right type, contiguous, writable.

    Returns the rows to fill, as a view.
    """
    import numpy as np

    if isinstance(array, np.ndarray) and array.dtype == dtype and array.shape == shape and array.flags.c_contiguous and array.flags.writeable:
        return array
    wanted = f"{name} must be a writable C-contiguous array of {np.dtype(dtype).name} with shape {shape}"
    if not isinstance(array, np.ndarray):
        if not any(hasattr(array, way) for way in ("__array__", "__array_interface__", "__dlpack__")) or isinstance(array, np.generic):
            raise TypeError(f"{wanted}, not {type(array).__name__}")
        # A tensor: shares its memory.
        try:
            array = np.asarray(array) if hasattr(array, "__array__") or hasattr(array, "__array_interface__") else np.from_dlpack(array)
        except AttributeError as error:  # NumPy 1.26 looks for DLPack at the type
            raise TypeError(f"{wanted}, not {type(array).__name__}: {error}") from error
    if array.dtype != np.dtype(dtype):
        raise ValueError(f"{wanted}, this one has dtype {array.dtype}")
    if array.ndim != len(shape) or array.shape[1:] != shape[1:] or array.shape[0] < shape[0]:
        raise ValueError(f"{wanted} or more rows, this one has shape {array.shape}")
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError(f"{wanted}, this one is {'read-only' if array.flags.c_contiguous else 'not contiguous'}")
    rows: npt.NDArray[Any] = array[: shape[0]]
    return rows


class Rows(NamedTuple):
    """Packed positions or records in memory."""

    array: Any  # keeps the memory alive
    format: str
    address: int
    stride: int
    n: int
    candidates: Any = None  # those of rows of HCPE3

    def struct(self, start: int, stop: int, threads: int) -> abi.kmd_rows:
        """The rows from start to stop as the library wants them."""
        return _native.struct(
            abi.kmd_rows,
            format=FORMATS[self.format],
            data=self.address + start * self.stride,
            stride=self.stride,
            n=stop - start,
            threads=threads,
            candidates=address(self.candidates),
            candidate_count=0 if self.candidates is None else len(self.candidates),
        )


@functools.lru_cache(maxsize=64)
def _format_of(dtype: np.dtype[Any]) -> str | None:
    """The format that the fields of a structured dtype tell."""
    names = dtype.names or ()
    first = dtype.fields[names[0]][0] if dtype.fields and names else None
    if dtype.itemsize == SIZES["board"] and names == ("pieces", "hands", "turn"):
        return "board"
    if first is None or first.itemsize != 32:
        return None
    if any(of[0].base.byteorder == ">" for of in dtype.fields.values()):  # type: ignore[union-attr]
        raise ValueError("records have big-endian fields, want little-endian ones as files have them")
    offsets = tuple(dtype.fields[name][1] for name in names)  # type: ignore[index]
    for name, layout in _LAYOUTS.items():
        if dtype.itemsize == SIZES[name] and offsets == layout:
            return "hcpe2" if name == "hcpe" and names[3] == "result" else name
    if dtype.itemsize == 32:
        return "hcp" if names[0] == "hcp" else "packed_sfen"
    return None


def rows(packed: Any, format: str | None, kinds: Sequence[str], default: str | None = None, *, name: str = "records") -> Rows:
    """Rows from a structured array, an array of bytes with shape (n, size), bytes, or opened files, whose rows are all read."""
    import numpy as np

    if format is not None and format not in kinds:
        raise ValueError(f"format is {format!r}, want one of {', '.join(map(repr, kinds))}")
    if hasattr(packed, "_all_rows"):
        packed = packed._all_rows()
    candidates = getattr(packed, "candidates", None)
    if isinstance(packed, (bytes, bytearray, memoryview)):
        packed = np.frombuffer(packed, np.uint8)
        named = format or default
        if named is None:
            fits = [kind for kind in kinds if len(packed) % SIZES[kind] == 0 and kind != "hcpe3"]
            raise ValueError(f"bytes do not tell their format: give format= ({' or '.join(map(repr, fits or kinds))})")
        if len(packed) % SIZES[named]:
            raise ValueError(f"{len(packed)} bytes are no whole number of {named} rows of {SIZES[named]} bytes")
        packed = packed.reshape(-1, SIZES[named])
    elif isinstance(packed, (list, tuple)) and all(isinstance(row, (bytes, bytearray)) for row in packed):
        sizes = {len(row) for row in packed}
        if len(sizes) > 1:
            raise ValueError(f"rows of {len(sizes)} different lengths")
        packed = np.frombuffer(b"".join(packed), np.uint8).reshape(len(packed), sizes.pop() if sizes else SIZES[format or default or kinds[0]])
    elif not isinstance(packed, np.ndarray):
        if not hasattr(packed, "__array__"):
            raise TypeError(f"{name} must be an array or bytes, not {type(packed).__name__}")
        packed = np.asarray(packed)
    array: npt.NDArray[Any] = packed
    if array.dtype.names:
        told = _format_of(array.dtype)
        if told is None:
            known = "komadori.training.HCPE, HCPE2, HCPE3 or PSV, or komadori.batch.HCP, PACKED_SFEN or BOARD"
            raise ValueError(f"dtype {array.dtype} is of no known layout, want {known}")
        if array.ndim == 0:
            array = array.reshape(1)
        if array.ndim != 1:
            raise ValueError(f"records have shape {array.shape}, want (n,)")
    else:
        if array.dtype != np.uint8:
            raise ValueError(f"rows have dtype {array.dtype}, want uint8 or a record dtype")
        if array.ndim == 1:
            array = array.reshape(1, -1)
        if array.ndim != 2:
            raise ValueError(f"rows have shape {array.shape}, want (n, size)")
        fits = [kind for kind in kinds if SIZES[kind] == array.shape[1]]
        if not fits:
            raise ValueError(f"rows have {array.shape[1]} bytes, want {' or '.join(str(SIZES[k]) for k in kinds)}")
        told = format or (fits[0] if len(fits) == 1 or fits == ["hcpe", "hcpe2"] else default)
        if told is None:
            raise ValueError(f"rows of {array.shape[1]} bytes do not tell their format: give format= ({' or '.join(map(repr, fits))})")
        if SIZES[told] != array.shape[1]:
            raise ValueError(f"rows have {array.shape[1]} bytes, {told} has {SIZES[told]}")
        if array.strides[1] != 1 and len(array):
            array = np.ascontiguousarray(array)
    if format is not None and told != format:
        if SIZES[told] != SIZES[format]:
            raise ValueError(f"the rows are {told}, format says {format}")
        if {told, format} == {"hcpe", "hcpe2"}:
            told = format
    if told not in kinds:
        raise ValueError(f"the rows are {told}, want {' or '.join(kinds)}")
    size = SIZES[told]
    if len(array) > 1 and array.strides[0] < size:  # backwards, or one row repeated
        array = np.ascontiguousarray(array)
    return Rows(array, told, address(array) or 0, int(array.strides[0]) if len(array) > 1 else size, len(array), candidates if told == "hcpe3" else None)


def slices(n: int) -> Iterator[tuple[int, int]]:
    """Ranges that cover n rows, each of about 20 ms of work: between two of them Python notices Ctrl-C."""
    start, size = 0, 1024
    while start < n:
        stop = min(n, start + size)
        began = perf_counter()
        yield start, stop
        took = perf_counter() - began
        if took < _SLICE_SECONDS / 2:
            size *= 2
        elif took > 2 * _SLICE_SECONDS:
            size = max(64, size // 2)
        start = stop


Arguments = Callable[[int, int], tuple[Any, ...]]


def over_rows(name: str, of: Rows, arguments: Arguments, threads: int | None, row_status: Any) -> None:
    """Calls a function over all rows, in slices.

    ``arguments(start, stop)`` gives those between the rows and the statuses. Without ``row_status`` the lowest bad row raises.
    """
    import numpy as np

    count = thread_count(threads)
    status = np.zeros(of.n, np.int32) if row_status is None else output("row_status", row_status, (of.n,), np.int32)
    base = address(status) or 0
    for start, stop in slices(of.n):
        _native.call_long(name, _native.reference(of.struct(start, stop, count)), *arguments(start, stop), base + 4 * start)
    if row_status is None:
        bad = np.flatnonzero(status)
        if len(bad):
            raise row_error(name, of, arguments, int(bad[0]))


def row_error(name: str, of: Rows, arguments: Arguments, row: int) -> Exception:
    """The error of one bad row: the call for that row alone."""
    try:
        _native.call_long(name, _native.reference(of.struct(row, row + 1, 1)), *arguments(row, row + 1), None)
    except Exception as error:
        return shifted(error, row)
    raise AssertionError(f"{name} refuses row {row} and accepts it")


def shifted(error: Exception, start: int) -> Exception:
    """An error of a call that began at row ``start`` of what the user gave."""
    row = getattr(error, "row", None)
    if row is not None:
        error.args = (re.sub(rf"\brow {row}\b", f"row {row + start}", str(error.args[0])), *error.args[1:])
        error.row = row + start  # type: ignore[attr-defined]
    return error
