"""Training data: files of stored positions, and what networks are trained on.

``HCPE`` (38 bytes, Apery and dlshogi) and ``PSV`` (40 bytes, YaneuraOu's PackedSfenValue) are NumPy dtypes; a file is an array of such records.
``decode`` turns records into input planes, policy labels, values and results. The formats are described in docs/formats.md.

>>> import tempfile, os
>>> from komadori import Board, GameResult
>>> board = Board()
>>> move = board.push_usi("7g7f")
>>> records = game_records(board, [30], GameResult.BLACK_WIN)
>>> decode(records).label.tolist()
[59]
"""

from __future__ import annotations

import builtins
import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _abi as abi
from . import _arrays, _native
from .errors import IllegalMoveError, InvalidValueError, ParseError
from .moves import AperyMove, Move
from .types import GameResult

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .board import Board

    HCPE: np.dtype[np.void]
    HCPE_RSSHOGI: np.dtype[np.void]
    PSV: np.dtype[np.void]
    PSV_RSSHOGI: np.dtype[np.void]

__all__ = [
    "HCPE",
    "HCPE_RSSHOGI",
    "PSV",
    "PSV_RSSHOGI",
    "VALUE_SCALE",
    "Batch",
    "decode",
    "dtype",
    "flip_side",
    "game_records",
    "mirror_file",
    "open",
    "to_hcpe",
    "to_psv",
    "write",
]

VALUE_SCALE = 756.0864962951762
"""dlshogi's scale of evaluations: value = 1 / (1 + exp(-eval / VALUE_SCALE))."""

_FIELDS = {
    "HCPE": (("hcp", "u1", (32,)), ("eval", "<i2"), ("bestMove16", "<u2"), ("gameResult", "i1"), ("dummy", "u1")),
    "HCPE_RSSHOGI": (("hcp", "u1", (32,)), ("eval", "<i2"), ("bestMove16", "<u2"), ("gameResult", "u1"), ("dummy", "u1")),
    "PSV": (("sfen", "u1", (32,)), ("score", "<i2"), ("move", "<u2"), ("gamePly", "<u2"), ("game_result", "i1"), ("padding", "u1")),
    "PSV_RSSHOGI": (("sfen", "u1", (32,)), ("score", "<i2"), ("move", "<u2"), ("game_ply", "<u2"), ("game_result", "u1"), ("padding", "u1")),
}


def __getattr__(name: str) -> Any:
    if name in _FIELDS:
        import numpy as np

        made = np.dtype(list(_FIELDS[name]))
        globals()[name] = made
        return made
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def dtype(format: str) -> np.dtype[np.void]:
    """The dtype of a format: HCPE for "hcpe", PSV for "psv"."""
    made: np.dtype[np.void] = __getattr__(_arrays.choice("format", format, {"hcpe": "HCPE", "psv": "PSV"}))
    return made


# ----------------------------------------------------------------------------------------------------------------- Files


def open(path: str | os.PathLike[str], format: str | None = None) -> np.recarray[Any, np.dtype[np.void]]:
    """Opens a file of records.

    Args:
        path: File of HCPE or PSV records.
        format: "hcpe" or "psv"; None for what the name (.hcpe, .psv) says, else what the size says.

    Returns:
        Record array over a read-only memory map, shape ``(n,)``, dtype ``HCPE`` or ``PSV``. Rows are read when they are touched.

    Raises:
        OSError: The file cannot be read.
        ParseError: The size is no whole number of records; ``.offset`` is where the last whole one ends.
        ValueError: Neither name nor size tell the format: give ``format``.
    """
    import numpy as np

    if format is not None:
        _arrays.choice("format", format, {"hcpe": 1, "psv": 1})
    name = os.fspath(path)
    status = os.stat(name)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL, "no regular file, which alone can be mapped", name)
    builtins.open(name, "rb").close()  # a file that may not be read says so itself, an empty one too
    size = status.st_size
    known = {".hcpe": "hcpe", ".psv": "psv"}.get(Path(name).suffix.lower())
    fits = [kind for kind in ("hcpe", "psv") if size % _arrays.SIZES[kind] == 0]
    found = format or known or (fits[0] if len(fits) == 1 else None)
    if found is None:
        sizes = "38 bytes (hcpe) and of 40 bytes (psv)"
        if fits:
            raise ValueError(f"{name}: {size} bytes are a whole number of records of {sizes}: give format='hcpe' or format='psv'")
        raise ParseError(f"{name}: {size} bytes are no whole number of records, neither of {sizes}", offset=size)
    record = _arrays.SIZES[found]
    if size % record:
        whole = size - size % record
        raise ParseError(f"{name}: {size} bytes are no whole number of {found} records of {record} bytes: cut short after {whole}?", offset=whole)
    if size == 0:  # cannot be mapped
        return np.zeros(0, dtype(found)).view(np.recarray)
    return np.memmap(name, dtype(found), mode="r").view(np.recarray)


def write(path: str | os.PathLike[str], records: Any) -> None:
    """Writes records to a file. They go to a temporary name in the same folder, which is renamed when everything is on disk: the file is the old
    one or the new one, never half.

    Args:
        path: File to write.
        records: Array of dtype ``HCPE`` or ``PSV``, or an iterable of such arrays.

    Raises:
        OSError: The file cannot be written; what was there before is untouched.
        ValueError: The records are of another dtype, or of two.
    """
    import numpy as np

    name = os.path.realpath(os.fspath(path))  # through symbolic links: the link stays, its target is replaced
    if os.path.exists(name) and not os.path.isfile(name):
        raise OSError(errno.EISDIR if os.path.isdir(name) else errno.EINVAL, "no regular file, which alone can be replaced", name)
    parts = [records] if isinstance(records, np.ndarray) else records
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(name), prefix=f".{os.path.basename(name)}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            format = None
            for part in parts:
                of = _arrays.rows(part, None, ("hcpe", "psv"))
                if format not in (None, of.format):
                    raise ValueError(f"{of.format} records after {format} ones")
                format = of.format
                for start, stop in _arrays.slices(of.n):
                    file.write(np.ascontiguousarray(of.array[start:stop]).view(np.uint8).data)
            file.flush()
            os.fsync(file.fileno())
        try:
            mode = os.stat(name).st_mode & 0o777
        except OSError:
            mask = os.umask(0)
            os.umask(mask)
            mode = 0o666 & ~mask
        os.chmod(temporary, mode)
        os.replace(temporary, name)
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:
            pass
        raise


# --------------------------------------------------------------------------------------------------------------- Records


def game_records(
    board: Board, evals: Iterable[int], result: GameResult | int, format: str = "hcpe", result_convention: str | None = None
) -> npt.NDArray[np.void]:
    """Records of a game: one for every move of the board's history, oldest first.

    Args:
        board: The board at the end of the game, with its history.
        evals: Evaluation before each move, centipawns for the side to move, within 16 bits.
        result: Who won.
        format: "hcpe" or "psv".
        result_convention: How to store the result: None for the format's own, "apery", "yaneuraou" or "rsshogi".

    Returns:
        Shape ``(moves,)``, dtype ``HCPE`` or ``PSV``. A new array.

    Raises:
        InvalidValueError: There was a pass, or an evaluation is out of range. InvalidPositionError: A king is missing.
    """
    import numpy as np

    number = _arrays.FORMATS[_arrays.choice("format", format, {"hcpe": "hcpe", "psv": "psv"})]
    convention = _arrays.choice("result_convention", result_convention, _arrays.CONVENTIONS)
    values = np.asarray(list(evals) if not isinstance(evals, np.ndarray) else evals)
    n = board.history_length
    if values.shape != (n,):
        raise ValueError(f"evals has shape {values.shape}, want ({n},): one for each move")
    if n and values.dtype.kind not in "iu":
        raise ValueError(f"evals has dtype {values.dtype}, want int16")
    bad = np.flatnonzero((values < -32768) | (values > 32767))
    if len(bad):
        row = int(bad[0])
        raise InvalidValueError(f"evaluation {values[row]}, want -32768..32767 (row {row})", row=row)
    stored = np.ascontiguousarray(values, np.int16)
    made = np.zeros(n, dtype(format))
    _native.count(
        "kmd_board_records",
        board._handle,
        number,
        convention,
        _arrays.address(stored) if n else None,
        int(GameResult(result)),
        _arrays.address(made) if n else None,
        n,
    )
    return made


def flip_side(records: Any, *, result_convention: str | None = None, format: str | None = None, threads: int | None = None) -> npt.NDArray[np.void]:
    """The same records with the board turned by 180 degrees and the sides exchanged; moves and results follow. A new array."""
    return _again(records, True, False, result_convention, format, threads)


def mirror_file(records: Any, *, result_convention: str | None = None, format: str | None = None, threads: int | None = None) -> npt.NDArray[np.void]:
    """The same records with files 1 and 9, 2 and 8, and so on exchanged; moves follow. A new array."""
    return _again(records, False, True, result_convention, format, threads)


def _again(records: Any, flip: bool, mirror: bool, convention: str | None, format: str | None, threads: int | None) -> npt.NDArray[np.void]:
    from .batch import convert

    of = _arrays.rows(records, format, ("hcpe", "psv"))
    return convert(
        of.array,
        of.format,
        flip_side=flip,
        mirror_file=mirror,
        result_convention=convention,
        to_result_convention=convention,
        format=of.format,
        threads=threads,
    )


def to_hcpe(records: Any, *, result_convention: str | None = None, threads: int | None = None) -> npt.NDArray[np.void]:
    """PSV records as HCPE. The ply is lost. ``result_convention`` says how the PSV results are stored (None: YaneuraOu's way). A new array."""
    from .batch import convert

    return convert(records, "hcpe", result_convention=result_convention, threads=threads)


def to_psv(records: Any, *, to_result_convention: str | None = None, threads: int | None = None) -> npt.NDArray[np.void]:
    """HCPE records as PSV, with ply 0: HCPE stores none. ``to_result_convention`` says how to store results (None: YaneuraOu's way). A new array."""
    from .batch import convert

    return convert(records, "psv", to_result_convention=to_result_convention, threads=threads)


# ---------------------------------------------------------------------------------------------------------------- Decode

_DEFAULT_OUTPUTS = ("features1", "features2", "label", "value", "result")
_PLAIN_OUTPUTS = {"value": "f4", "result": "f4", "move": "u2", "eval": "i2", "turn": "u1", "ply": "u2", "key": "u8"}
_OUTPUTS = ("features1", "features2", "label", *_PLAIN_OUTPUTS)
_PLANES1 = 62


class Batch:
    """Training inputs and targets of ``n`` records. Rows that are bad are zero. An output that was not asked for is an AttributeError.

    Attributes:
        arrays: The outputs by name.
        bad_rows: Rows that could not be used, ascending, ``int64``.
        bad_status: What was wrong with each of them: numbers of komadori.h, ``int32``.
    """

    __slots__ = ("_explain", "_n", "arrays", "bad_rows", "bad_status")

    def __init__(
        self,
        arrays: dict[str, npt.NDArray[Any]],
        bad_rows: npt.NDArray[np.int64],
        bad_status: npt.NDArray[np.int32],
        n: int,
        explain: Callable[[int], Exception],
    ) -> None:
        self.arrays = arrays
        self.bad_rows = bad_rows
        self.bad_status = bad_status
        self._n = n
        self._explain = explain

    def _output(self, name: str) -> npt.NDArray[Any]:
        try:
            return self.arrays[name]
        except KeyError:
            raise AttributeError(f"{name} was not asked for: this batch has {', '.join(self.arrays)}") from None

    @property
    def features1(self) -> npt.NDArray[Any]:
        """dlshogi's piece planes, shape ``(n, 62, 9, 9)``, axis 2 is the file; ``float32`` unless told otherwise."""
        return self._output("features1")

    @property
    def features2(self) -> npt.NDArray[Any]:
        """dlshogi's planes of hands and check, shape ``(n, 57, 9, 9)`` or ``(n, 119, 9, 9)``; ``float32`` unless told otherwise."""
        return self._output("features2")

    @property
    def label(self) -> npt.NDArray[Any]:
        """Policy label of the best move, shape ``(n,)``; ``int64`` unless told otherwise."""
        return self._output("label")

    @property
    def value(self) -> npt.NDArray[np.float32]:
        """Winning probability by the evaluation for the side to move, 0..1, shape ``(n,)``."""
        return self._output("value")

    @property
    def result(self) -> npt.NDArray[np.float32]:
        """1, 0.5 or 0 for the side to move, shape ``(n,)``."""
        return self._output("result")

    @property
    def move(self) -> npt.NDArray[np.uint16]:
        """Best move, shape ``(n,)``."""
        return self._output("move")

    @property
    def eval(self) -> npt.NDArray[np.int16]:
        """Stored evaluation, side to move, shape ``(n,)``."""
        return self._output("eval")

    @property
    def turn(self) -> npt.NDArray[np.uint8]:
        """Side to move, shape ``(n,)``."""
        return self._output("turn")

    @property
    def ply(self) -> npt.NDArray[np.uint16]:
        """Ply of a PSV record, 1 for HCPE, shape ``(n,)``."""
        return self._output("ply")

    @property
    def key(self) -> npt.NDArray[np.uint64]:
        """``Board.key``, shape ``(n,)``."""
        return self._output("key")

    @property
    def errors(self) -> list[Exception]:
        """The error of every bad row, with its ``.row``. Made when asked for, from the records as they are then."""
        return [self._explain(int(row)) for row in self.bad_rows]

    def __len__(self) -> int:
        return self._n

    def __repr__(self) -> str:
        bad = f", {len(self.bad_rows)} bad rows" if len(self.bad_rows) else ""
        return f"<Batch of {self._n} rows: {', '.join(self.arrays)}{bad}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Batch, (self.arrays, self.bad_rows, self.bad_status, self._n, _Known(self.errors)))


class _Known:
    """Errors that have been explained."""

    def __init__(self, errors: list[Exception]) -> None:
        self._by_row = {getattr(error, "row", None): error for error in errors}

    def __call__(self, row: int) -> Exception:
        return self._by_row[row]


def decode(
    records: Any,
    *,
    labels: str = "full",
    label_dtype: Any = None,
    dtype: Any = None,
    features2: int = 57,
    check: str = "legal",
    mirror: Any = None,
    value_scale: float | None = None,
    result_convention: str | None = None,
    outputs: Iterable[str] | None = None,
    format: str | None = None,
    threads: int | None = None,
    out: Batch | Mapping[str, Any] | None = None,
    on_error: str = "raise",
) -> Batch:
    """Turn records into training inputs and targets.

    Args:
        records: Array of dtype ``HCPE`` or ``PSV`` (also a slice of ``open``), ``uint8`` of shape ``(n, 38)`` or ``(n, 40)``, or bytes with ``format``.
        labels: "full" (2187 classes) or "compact" (1496).
        label_dtype: ``int64`` (None), ``int32`` or ``uint16``.
        dtype: Of the planes: ``float32`` (None), ``float16`` or ``uint8``.
        features2: 57 planes, or 119 with dlshogi's entering-king planes.
        check: "legal" reports rows whose best move is not legal; "none" trusts well-formed moves. Special and malformed moves, and positions that cannot
            be read, are always reported.
        mirror: True to mirror the files of every row, or a bool array with one entry a row: position, move and label follow.
        value_scale: Scale of the evaluations; None for dlshogi's ``VALUE_SCALE``.
        result_convention: How results are stored: None for Apery's way in HCPE and YaneuraOu's in PSV, or "apery", "yaneuraou", "rsshogi".
        outputs: Names of Batch's arrays to make; None for features1, features2, label, value, result, or for what ``out`` has.
        format: "hcpe" or "psv", where the array does not tell.
        threads: Threads to use; None for as many as ``set_threads`` says. The answer is the same on any number.
        out: Arrays to fill, by name, or an earlier Batch: of the right dtype, C-contiguous, writable, with n rows or more. Tensors that NumPy can see
            are fine.
        on_error: "raise" raises the error of the lowest bad row, after the good ones have been delivered; "report" lists bad rows in the Batch.

    Returns:
        A Batch; its arrays are new, or views of the first n rows of those in ``out``.

    Raises:
        ParseError, InvalidPositionError, InvalidValueError, IllegalMoveError: A row is bad; ``.row`` tells which.
        ValueError: An argument or array is of the wrong kind.
    """
    import numpy as np

    of = _arrays.rows(records, format, ("hcpe", "psv"))
    n = of.n
    label_type = np.dtype(np.int64 if label_dtype is None else label_dtype)
    if label_type not in (np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.uint16)):
        raise ValueError(f"label_dtype is {label_type}, want int64, int32 or uint16")
    element = np.dtype(np.float32 if dtype is None else dtype)
    elements = {np.dtype(np.float32): abi.KMD_FLOAT32, np.dtype(np.float16): abi.KMD_FLOAT16, np.dtype(np.uint8): abi.KMD_UINT8}
    if element not in elements:
        raise ValueError(f"dtype is {element}, want float32, float16 or uint8")
    if features2 not in (57, 119):
        raise ValueError(f"features2 is {features2!r}, want 57 or 119")
    if value_scale is not None and not 0 < value_scale < float("inf"):
        raise ValueError(f"value_scale is {value_scale}, want a positive number")
    if on_error not in ("raise", "report"):
        raise ValueError(f"on_error is {on_error!r}, want 'raise' or 'report'")
    given: dict[str, Any] = {}
    if isinstance(out, Batch):
        given = dict(out.arrays)
    elif out is not None:
        if not isinstance(out, Mapping):
            raise TypeError(f"out must be a Batch or a mapping of arrays, not {type(out).__name__}")
        given = dict(out)
    wanted = list(outputs) if outputs is not None else list(given) if given else list(_DEFAULT_OUTPUTS)
    for name in (*wanted, *given):
        if name not in _OUTPUTS:
            raise ValueError(f"no output {name!r}, want some of {', '.join(_OUTPUTS)}")
    kinds: dict[str, tuple[tuple[int, ...], Any]] = {
        "features1": ((n, _PLANES1, 9, 9), element),
        "features2": ((n, features2, 9, 9), element),
        "label": ((n,), label_type),
    }
    kinds |= {name: ((n,), np.dtype(code)) for name, code in _PLAIN_OUTPUTS.items()}
    made: dict[str, npt.NDArray[Any]] = {}
    for name in wanted:
        shape, kind = kinds[name]
        made[name] = _arrays.output(f"out[{name!r}]", given[name], shape, kind) if name in given else np.empty(shape, kind)
    mirrored = None
    if mirror is not None and not isinstance(mirror, (bool, np.bool_)):
        mirrored = np.asarray(mirror)
        if mirrored.dtype != np.bool_ or mirrored.shape != (n,):
            raise ValueError(f"mirror has dtype {mirrored.dtype} and shape {mirrored.shape}, want bool and ({n},)")
        mirrored = np.ascontiguousarray(mirrored)
    settings = {
        "features2_planes": features2,
        "labels": _arrays.choice("labels", labels, {"full": abi.KMD_LABELS_FULL, "compact": abi.KMD_LABELS_COMPACT}),
        "label_bytes": label_type.itemsize,
        "check": _arrays.choice("check", check, {"legal": abi.KMD_CHECK_LEGAL, "none": abi.KMD_CHECK_NONE}),
        "convention": _arrays.choice("result_convention", result_convention, _arrays.CONVENTIONS),
        "element": elements[element],
        "mirror_all": int(mirrored is None and bool(mirror)),
        "value_scale": 0.0 if value_scale is None else float(value_scale),
    }
    bases = {name: (_arrays.address(array) or 0, array[:1].nbytes) for name, array in made.items()}
    mirror_base = _arrays.address(mirrored)

    def arguments(start: int, stop: int) -> tuple[Any, ...]:
        pointers: dict[str, Any] = {name: base + size * start for name, (base, size) in bases.items()}
        if mirror_base is not None:
            pointers["mirror"] = mirror_base + start
        return (_native.reference(_native.struct(abi.kmd_decode, **settings, **pointers)),)

    def explain(row: int) -> Exception:
        scratch = {name: np.zeros((1, *kinds[name][0][1:]), kinds[name][1]) for name in made}
        pointers = {name: _arrays.address(array) for name, array in scratch.items()}
        request = _native.struct(abi.kmd_decode, **settings, **pointers)
        return _with_context(_arrays.row_error("kmd_decode_batch", of, lambda start, stop: (_native.reference(request),), row), of, row)

    status = np.zeros(n, np.int32)
    _arrays.over_rows("kmd_decode_batch", of, arguments, threads, status)
    bad = np.flatnonzero(status)
    if len(bad) and on_error == "raise":
        raise explain(int(bad[0]))
    return Batch(made, bad, status[bad], n, explain)


def _with_context(error: Exception, of: _arrays.Rows, row: int) -> Exception:
    """An illegal move with the move and the position it is illegal in."""
    if isinstance(error, IllegalMoveError):
        from .batch import sfens

        raw = bytes(of.array[row : row + 1].tobytes())
        code = int.from_bytes(raw[34:36], "little")
        error.sfen = sfens(raw, format=of.format)[0]
        error.move = AperyMove(code).to_move() if of.format == "hcpe" else Move(code)
    return error
