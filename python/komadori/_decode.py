"""Records to training inputs and targets. The public names are in komadori.training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from . import _abi as abi
from . import _arrays, _native
from .errors import IllegalMoveError
from .moves import AperyMove, Move

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

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
        """Ply of PSV and HCPE3, 1 for HCPE and HCPE2, shape ``(n,)``."""
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
        records: Array of dtype ``HCPE``, ``HCPE2``, ``HCPE3`` or ``PSV``, such as rows of ``open``, or all that it opened; ``uint8`` of shape ``(n, 38)`` or
            ``(n, 40)``; or bytes with ``format``.
        labels: "full" (2187 classes) or "compact" (1496).
        label_dtype: ``int64`` (None), ``int32`` or ``uint16``.
        dtype: Of the planes: ``float32`` (None), ``float16`` or ``uint8``.
        features2: 57 planes, or 119 with dlshogi's entering-king planes.
        check: "legal" reports rows whose best move is not legal; "none" trusts well-formed moves. Special and malformed moves, and positions that cannot
            be read, are always reported.
        mirror: True to mirror the files of every row, or a bool array with one entry a row: position, move and label follow.
        value_scale: Scale of the evaluations; None for dlshogi's ``VALUE_SCALE``.
        result_convention: How results are stored: None for Apery's way in HCPE, YaneuraOu's in PSV, dlshogi's in HCPE2 and HCPE3, or "apery", "yaneuraou",
            "rsshogi", "dlshogi".
        outputs: Names of Batch's arrays to make; None for features1, features2, label, value, result, or for what ``out`` has.
        format: "hcpe", "hcpe2" or "psv", where the array does not tell.
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

    of = _arrays.rows(records, format, _arrays.RECORDS)
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
    # A row that could not be read from its game has neither.
    if isinstance(error, IllegalMoveError) and not (of.format == "hcpe3" and of.array.dtype.names and of.array["status"][row]):
        from .batch import sfens

        raw = of.array[row : row + 1].tobytes()
        code = int.from_bytes(raw[34:36], "little")
        error.sfen = sfens(raw[:32], format="packed_sfen" if of.format == "psv" else "hcp")[0]
        error.move = Move(code) if of.format == "psv" else AperyMove(code).to_move()
    return error
