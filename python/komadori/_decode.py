"""Records to training inputs and targets. The public names are in komadori.training."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from . import _abi as abi
from . import _arrays, _native
from .errors import IllegalMoveError, ParseError
from .moves import AperyMove, Move
from .types import _several

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_NUMBERS = {"value": "f4", "result": "f4", "ending": "u1", "move": "u2", "eval": "i2", "turn": "u1", "ply": "u2", "key": "u8"}
_OUTPUTS = ("features1", "features2", "planes", "label", "mask", "policy", "policy_labels", "policy_weights", "nnue", *_NUMBERS)
_NNUE = {"halfkp": (abi.KMD_NNUE_HALFKP, 38), "halfka": (abi.KMD_NNUE_HALFKA, 40), "halfka_hm1": (abi.KMD_NNUE_HALFKA_HM1, 40)}
_FLAT = {"dlshogi": 57, "dlshogi119": 119}
_AT_ONCE = 1024  # rows that are one call: not too long for Ctrl-C to wait


class Batch:
    """Training inputs and targets of ``n`` records. Rows that are bad are zero. An output that was not asked for is an AttributeError.

    Attributes:
        arrays: The outputs by name.
        bad_rows: Rows that could not be used, ascending, ``int64``.
        bad_status: What was wrong with each of them: numbers of komadori.h, ``int32``.
    """

    __slots__ = ("_explain", "_n", "_plan", "arrays", "bad_rows", "bad_status")

    def __init__(
        self,
        arrays: dict[str, npt.NDArray[Any]],
        bad_rows: npt.NDArray[np.int64],
        bad_status: npt.NDArray[np.int32],
        n: int,
        explain: Callable[[int], Exception],
        plan: _Plan | None = None,
    ) -> None:
        self.arrays = arrays
        self.bad_rows = bad_rows
        self.bad_status = bad_status
        self._n = n
        self._explain = explain
        self._plan = plan

    def _output(self, name: str) -> npt.NDArray[Any]:
        try:
            return self.arrays[name]
        except KeyError:
            raise AttributeError(f"{name} was not asked for: this batch has {', '.join(self.arrays)}") from None

    @property
    def features1(self) -> npt.NDArray[Any]:
        """dlshogi's piece planes, shape ``(n, 62, 9, 9)``, axis 2 is the file; as bits ``(n, 628)``."""
        return self._output("features1")

    @property
    def features2(self) -> npt.NDArray[Any]:
        """dlshogi's planes of hands and check, shape ``(n, 57, 9, 9)`` or ``(n, 119, 9, 9)``; as bits, one a plane, ``(n, 8)`` or ``(n, 15)``."""
        return self._output("features2")

    @property
    def planes(self) -> npt.NDArray[Any]:
        """The planes chosen, k of them, shape ``(n, k, 9, 9)``, axis 2 is the file; as bits ``(n, (81 * k + 7) // 8)``."""
        return self._output("planes")

    @property
    def mask(self) -> npt.NDArray[Any]:
        """Which labels legal moves have, shape ``(n, 2187)`` or ``(n, 1496)``, ``bool``; as bits ``(n, 274)`` or ``(n, 187)``, ``uint8``."""
        return self._output("mask")

    @property
    def policy(self) -> npt.NDArray[np.float32]:
        """Target of a policy head: a share for each label, shape ``(n, 2187)`` or ``(n, 1496)``. Rows of HCPE3 without candidates are all 0."""
        return self._output("policy")

    @property
    def policy_labels(self) -> npt.NDArray[np.int32]:
        """The same, sparse: labels, filled up with -1, shape ``(n, policy_width)``."""
        return self._output("policy_labels")

    @property
    def policy_weights(self) -> npt.NDArray[np.float32]:
        """The shares of ``policy_labels``, filled up with 0, shape ``(n, policy_width)``."""
        return self._output("policy_weights")

    @property
    def nnue(self) -> npt.NDArray[Any]:
        """NNUE indices in ascending order, shape ``(n, 2, 38)`` or ``(n, 2, 40)``: those of the side to move, then those of the other side."""
        return self._output("nnue")

    @property
    def label(self) -> npt.NDArray[Any]:
        """Policy label of the best move, shape ``(n,)``; ``int64`` unless told otherwise."""
        return self._output("label")

    @property
    def value(self) -> npt.NDArray[np.float32]:
        """Winning probability for the side to move by the evaluation, or a blend of it and the result; 0..1, shape ``(n,)``."""
        return self._output("value")

    @property
    def result(self) -> npt.NDArray[np.float32]:
        """1, 0.5 or 0 for the side to move, shape ``(n,)``."""
        return self._output("result")

    @property
    def ending(self) -> npt.NDArray[np.uint8]:
        """How the game ended, where the result byte tells: bit 2 repetition, 3 declaration, 4 limit of moves. Shape ``(n,)``."""
        return self._output("ending")

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
    planes: str | Sequence[str] | None = "dlshogi",
    dtype: Any = None,
    labels: str = "full",
    label_dtype: Any = None,
    mirror: Any = None,
    first_row: int | None = None,
    rows: npt.ArrayLike | range | None = None,
    check: str = "legal",
    value_scale: float | None = None,
    blend: float = 0.0,
    result_convention: str | None = None,
    mask_bits: bool = False,
    temperature: float = 1.0,
    policy_width: int | None = None,
    nnue: str = "halfkp",
    nnue_dtype: Any = None,
    nnue_pad: bool = False,
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
        planes: "dlshogi" for its 62 + 57 planes (``features1`` and ``features2``), "dlshogi119" for 62 + 119 with the entering-king planes, None for no
            planes; or names of planes for a stack of one's own (``planes``), such as "pieces" (28 planes seen by the side to move), "board" (the same 28 as
            Black sees them) or ["pieces", "attacked", "hands", "check"]; see docs/formats.md#planes-by-name.
        dtype: Of planes: ``float32`` (None), ``float16``, ``uint8``, or "bits": ``np.unpackbits(..., bitorder="little")`` makes planes of them.
        labels: "full" (2187 classes) or "compact" (1496): numbering of labels, masks and policies.
        label_dtype: ``int64`` (None), ``int32`` or ``uint16``.
        mirror: True to mirror the files of every row, a bool array with one entry a row, or ``(p, seed)`` to mirror a share p of all records, chosen by the
            seed and the record's number alone: the same whatever the batches, threads and workers. All outputs follow.
        first_row: For ``(p, seed)``, number of the first record; the others follow.
        rows: Or the number of each record. Rows of ``open`` know their numbers.
        check: "legal" reports rows whose best move (or, where a policy is asked for, a candidate) is not legal; "none" trusts well-formed moves. Special and
            malformed moves, and positions that cannot be read, are always reported.
        value_scale: Scale of the evaluations; None for dlshogi's ``VALUE_SCALE``.
        blend: Share of the result in ``value``, 0..1.
        result_convention: How results are stored: None for Apery's way in HCPE, YaneuraOu's in PSV, dlshogi's in HCPE2 and HCPE3, or "apery", "yaneuraou",
            "rsshogi", "dlshogi".
        mask_bits: Masks as bits.
        temperature: Of policies: 1 for the shares of visits, 0 for all on the most visited candidate, else visits to the power of 1/temperature.
        policy_width: Entries a row of the sparse policy; None for as many as the row with the most candidates has. A row with more is bad.
        nnue: "halfkp", "halfka" or "halfka_hm1". A missing man has the index of piece 0, as in YaneuraOu; with ``nnue_pad`` it has none, and -1 fills the end.
        nnue_dtype: ``int32`` (None) or ``int64``.
        outputs: Names of Batch's arrays to make; None for the planes and label, value, result, or for what ``out`` has. Others are "mask", "policy",
            "policy_labels", "policy_weights", "nnue", "ending", "move", "eval", "turn", "ply", "key".
        format: "hcpe", "hcpe2" or "psv", where the array does not tell.
        threads: Threads to use; None for as many as ``set_threads`` says. The answer is the same on any number.
        out: Arrays to fill, by name, or an earlier Batch: of the right dtype, C-contiguous, writable, with n rows or more, none sharing memory with another or
            with the records. Tensors of the processor are fine, pinned ones too.
        on_error: "raise" raises the error of the lowest bad row, after the good ones have been delivered; "report" lists bad rows in the Batch.

    Returns:
        A Batch; its arrays are new, or views of the first n rows of those in ``out``.

    Raises:
        ParseError, InvalidPositionError, InvalidValueError, IllegalMoveError: A row is bad; ``.row`` tells which.
        ValueError: An argument or array is of the wrong kind.
    """
    import numpy as np

    if hasattr(records, "_all_rows"):
        records = records._all_rows()
    of = _arrays.rows(records, format, _arrays.RECORDS)
    if planes is not None and not isinstance(planes, str):
        planes = tuple(_several("planes", planes, "names"))
    if isinstance(outputs, str):
        raise TypeError(f"outputs must be a sequence of names such as [{outputs!r}], not one")
    names = tuple(_several("outputs", outputs, "names")) if outputs is not None else None
    key: tuple[Any, ...] = (planes, dtype, labels, label_dtype, check, value_scale, blend, result_convention, mask_bits, temperature, policy_width)
    key += (nnue, nnue_dtype, nnue_pad, names)
    plan = out._plan if isinstance(out, Batch) else None
    if plan is None or not plan.serves(key, of, out):
        plan = _Plan(key, of, out)
    else:
        plan.keep_apart(of)
    if on_error != "raise" and on_error != "report":
        raise ValueError(f"on_error is {on_error!r}, want 'raise' or 'report'")
    if of.n <= _AT_ONCE and (mirror is None or mirror is True or mirror is False):
        return plan.at_once(of, 1 if mirror else 0, _arrays.thread_count(threads), on_error)
    own: dict[str, Any] = {}
    arrays = _mirror(mirror, of.n, own, first_row, rows, getattr(records, "rows", None))
    rowwise = zip(("mirror", "row_numbers"), arrays, (1, 8), strict=True)
    pointers = [(name, _arrays.address(array) or 0, size) for name, array, size in rowwise if array is not None]
    start_row = own.pop("first_row", 0)

    def arguments(start: int, stop: int) -> tuple[Any, ...]:
        request = plan.request(start)
        for name, value in own.items():
            setattr(request, name, value)
        for name, base, size in pointers:
            setattr(request, name, base + size * start)
        request.first_row = start_row + start
        return (_native.reference(request),)

    status = np.zeros(of.n, np.int32)
    _arrays.over_rows("kmd_decode_batch", of, arguments, threads, status)
    bad = status.nonzero()[0]

    return plan.batch(of, bad, status[bad], on_error)


class _Plan:
    """Options of decode that have been checked, and arrays to fill. A Batch keeps its plan, so that filling it again costs less."""

    def __init__(self, key: tuple[Any, ...], of: _arrays.Rows, out: Batch | Mapping[str, Any] | None) -> None:
        import numpy as np

        planes, dtype, labels, label_dtype, check, value_scale, blend, result_convention, mask_bits, temperature, policy_width = key[:11]
        nnue, nnue_dtype, nnue_pad, names = key[11:]
        n = of.n
        label_type = _dtype("label_dtype", np.int64 if label_dtype is None else label_dtype)
        if label_type not in (np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.uint16)):
            raise ValueError(f"label_dtype is {label_type}, want int64, int32 or uint16")
        index_type = _dtype("nnue_dtype", np.int32 if nnue_dtype is None else nnue_dtype)
        if index_type not in (np.dtype(np.int64), np.dtype(np.int32)):
            raise ValueError(f"nnue_dtype is {index_type}, want int32 or int64")
        bits = isinstance(dtype, str) and dtype == "bits"
        if isinstance(dtype, str) and not bits and dtype not in ("float32", "float16", "uint8"):
            raise ValueError(f"dtype is {dtype!r}, want float32, float16, uint8 or 'bits'")
        element = _dtype("dtype", np.uint8 if bits else np.float32 if dtype is None else dtype)
        elements = {np.dtype(np.float32): abi.KMD_FLOAT32, np.dtype(np.float16): abi.KMD_FLOAT16, np.dtype(np.uint8): abi.KMD_UINT8}
        if element not in elements:
            raise ValueError(f"dtype is {element}, want float32, float16, uint8 or 'bits'")
        if value_scale is not None and (isinstance(value_scale, bool) or not hasattr(value_scale, "__float__")):
            raise TypeError(f"value_scale must be a number or None, not {type(value_scale).__name__}")
        if value_scale is not None and not 0 < value_scale < float("inf"):
            raise ValueError(f"value_scale is {value_scale}, want a positive number")
        classes = _arrays.choice("labels", labels, {"full": abi.KMD_LABELS, "compact": abi.KMD_COMPACT_LABELS})
        numbering, active = _arrays.choice("nnue", nnue, _NNUE)
        dlshogi = planes is None or (isinstance(planes, str) and planes in _FLAT)
        flat = _FLAT[planes] if dlshogi and planes is not None else 57
        self._stack = None if dlshogi else plane_numbers(planes)  # alive as long as its address is used

        given: dict[str, Any] = {}
        if isinstance(out, Batch):
            given = dict(out.arrays)
        elif out is not None:
            if not isinstance(out, Mapping):
                raise TypeError(f"out must be a Batch or a mapping of arrays, not {type(out).__name__}")
            given = dict(out)
        inputs = () if planes is None else ("features1", "features2") if dlshogi else ("planes",)
        wanted = list(dict.fromkeys(names)) if names is not None else list(given) if given else [*inputs, "label", "value", "result"]
        for name in (*wanted, *given):
            if name not in _OUTPUTS:
                raise ValueError(f"no output {name!r}, want some of {', '.join(_OUTPUTS)}")
        if "planes" in wanted and dlshogi:
            raise ValueError("the output 'planes' needs names of planes: planes='pieces', for example")
        width = 0
        if "policy_labels" in wanted or "policy_weights" in wanted:
            room = [np.shape(given[name])[1] for name in ("policy_labels", "policy_weights") if name in given and len(np.shape(given[name])) == 2]
            width = _policy_width(policy_width, of, room)
        count = 0 if self._stack is None else len(self._stack)
        kinds: dict[str, tuple[tuple[int, ...], Any]] = {
            "features1": ((n, 628) if bits else (n, 62, 9, 9), element),
            "features2": ((n, (flat + 7) // 8) if bits else (n, flat, 9, 9), element),
            "planes": ((n, (81 * count + 7) // 8) if bits else (n, count, 9, 9), element),
            "label": ((n,), label_type),
            "mask": ((n, (classes + 7) // 8), np.dtype(np.uint8)) if mask_bits else ((n, classes), np.dtype(np.bool_)),
            "policy": ((n, classes), np.dtype(np.float32)),
            "policy_labels": ((n, width), np.dtype(np.int32)),
            "policy_weights": ((n, width), np.dtype(np.float32)),
            "nnue": ((n, 2, active), index_type),
        }
        kinds |= {name: ((n,), np.dtype(code)) for name, code in _NUMBERS.items()}
        made: dict[str, npt.NDArray[Any]] = {}
        for name in wanted:
            shape, kind = kinds[name]
            made[name] = _arrays.output(f"out[{name!r}]", given[name], shape, kind) if name in given else np.empty(shape, kind)
        self.key, self.n, self.made, self._kinds = key, n, made, kinds
        self._known = tuple(made.items())
        self._first: Any = None  # what at_once keeps
        # Where rows of outputs begin, by the name that the struct has for them.
        fields = {"mask": "mask_bits" if mask_bits else "mask", "nnue": "nnue_indices"}
        self._places = [(fields.get(name, name), _arrays.address(array) or 0, array[:1].nbytes) for name, array in made.items()]
        self._spans = sorted((base, base + size * n, f"out[{name!r}]") for (_, base, size), name in zip(self._places, made, strict=True) if n and size)
        self._settings = {
            "features2_planes": flat,
            "labels": abi.KMD_LABELS_FULL if labels == "full" else abi.KMD_LABELS_COMPACT,
            "label_bytes": label_type.itemsize,
            "check": _arrays.choice("check", check, {"legal": abi.KMD_CHECK_LEGAL, "none": abi.KMD_CHECK_NONE}),
            "convention": _arrays.choice("result_convention", result_convention, _arrays.CONVENTIONS),
            "element": abi.KMD_BITS if bits else elements[element],
            "value_scale": 0.0 if value_scale is None else float(value_scale),
            "blend": _between("blend", blend, 0.0, 1.0),
            "temperature": _between("temperature", temperature, 0.0, sys.float_info.max),
            "policy_width": width,
            "nnue": numbering,
            "nnue_bytes": index_type.itemsize,
            "nnue_pad": int(bool(nnue_pad)),
            "stack": _arrays.address(self._stack),
            "stack_count": count,
        }
        for (_, end, one), (start, _, other) in pairwise(self._spans):
            if start < end:
                raise ValueError(f"{one} and {other} share memory")
        self.keep_apart(of)

    def serves(self, key: tuple[Any, ...], of: _arrays.Rows, out: Any) -> bool:
        """Whether the plan does for a call: the same options, as many rows, and the arrays still those that it knows."""
        return (
            self.n == of.n
            and self.key == key
            and len(out.arrays) == len(self._known)
            and all(name == other and array is known for (name, array), (other, known) in zip(out.arrays.items(), self._known, strict=True))
        )

    def at_once(self, of: _arrays.Rows, mirror_all: int, threads: int, on_error: str) -> Batch:
        """Fills the arrays in one call. What it needs is made once and kept: the arrays push all that Python uses out of the caches,
        so that each step of a batch filled again and again is dear."""
        import numpy as np

        if self._first is None:
            self._first = self.request(0)
            self._status = np.zeros(self.n, np.int32)
            self._arguments = (_native.reference(of.struct(0, 0, 0)), _native.reference(self._first), _arrays.address(self._status))
            self._rows = self._arguments[0]._obj
        rows = self._rows
        rows.format, rows.data, rows.stride, rows.n, rows.threads = _arrays.FORMATS[of.format], of.address, of.stride, of.n, threads
        if of.candidates is not None:
            rows.candidates, rows.candidate_count = _arrays.address(of.candidates), len(of.candidates)
        self._first.mirror_all = mirror_all
        _native.call_long("kmd_decode_batch", *self._arguments)
        if of.candidates is not None:
            rows.candidates, rows.candidate_count = None, 0
        bad = self._status.nonzero()[0]
        return self.batch(of, bad, self._status[bad], on_error)

    def batch(self, of: _arrays.Rows, bad: npt.NDArray[np.int64], status: npt.NDArray[np.int32], on_error: str) -> Batch:
        """The filled arrays, or the error of the lowest bad row."""

        def explain(row: int) -> Exception:
            return self.explain(of, row)

        if len(bad) and on_error == "raise":
            raise explain(int(bad[0]))
        return Batch(dict(self.made), bad, status, of.n, explain, self)

    def request(self, start: int) -> abi.kmd_decode:
        """What the library is asked for from a row on."""
        made = _native.struct(abi.kmd_decode, **self._settings)
        for field, base, size in self._places:
            setattr(made, field, base + size * start)
        return made

    def keep_apart(self, of: _arrays.Rows) -> None:
        """Refuses records that share memory with an output."""
        low, high = of.address, of.address + (of.n - 1) * of.stride + _arrays.SIZES[of.format]
        for start, end, name in self._spans:
            if start < high and low < end and of.n:
                raise ValueError(f"{name} and records share memory")

    def explain(self, of: _arrays.Rows, row: int) -> Exception:
        """The error of a bad row."""
        import numpy as np

        scratch = {name: np.zeros((1, *self._kinds[name][0][1:]), self._kinds[name][1]) for name in self.made}
        request = self.request(0)
        for (field, _, _), array in zip(self._places, scratch.values(), strict=True):
            setattr(request, field, _arrays.address(array))
        return _with_context(_arrays.row_error("kmd_decode_batch", of, lambda start, stop: (_native.reference(request),), row), of, row)


def _between(name: str, value: float, low: float, high: float) -> float:
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    if not low <= value <= high:
        raise ValueError(f"{name} is {value}, want {low:g}..{high:g}" if high < 1e9 else f"{name} is {value}, want {low:g} or more")
    return float(value)


def _dtype(name: str, of: Any) -> np.dtype[Any]:
    import numpy as np

    try:
        made: np.dtype[Any] = np.dtype(of)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
    return made


def plane_numbers(names: Any) -> npt.NDArray[np.uint16]:
    """Numbers of planes by name: names or their beginnings, in one text or several."""
    import numpy as np

    if isinstance(names, str):
        names = [names]
    words = list(_several("planes", names, "names"))
    if not all(isinstance(word, str) for word in words):
        raise TypeError("planes must be names")
    text = _native.encode(",".join(words))
    found = np.zeros(abi.KMD_MAX_STACK, np.uint16)
    try:
        count = _native.count("kmd_planes_parse", *text, _arrays.address(found), len(found))
    except ParseError as error:
        raise ValueError(f"planes: {error}") from None
    if not count:
        raise ValueError("planes names no plane")
    return found[:count].copy()


def _policy_width(width: int | None, of: _arrays.Rows, room: list[int]) -> int:
    import numpy as np

    if width is None and room:
        width = room[0]
    if width is None:
        many = of.format == "hcpe3" and of.n
        return max(1, int(np.ascontiguousarray(of.array).view(_hcpe3()).reshape(-1)["candidateNum"].max())) if many else 1
    if isinstance(width, bool) or not hasattr(width, "__index__"):
        raise TypeError(f"policy_width must be int or None, not {type(width).__name__}")
    if not 1 <= width <= abi.KMD_HCPE3_MAX_CANDIDATES:
        raise ValueError(f"policy_width is {width}, want 1..{abi.KMD_HCPE3_MAX_CANDIDATES}")
    return int(width)


def _hcpe3() -> np.dtype[np.void]:
    """The dtype of rows of HCPE3."""
    from ._records import HCPE3

    return HCPE3


def _mirror(
    mirror: Any, n: int, settings: dict[str, Any], first_row: int | None, rows: Any, known: Any
) -> tuple[npt.NDArray[np.bool_] | None, npt.NDArray[np.uint64] | None]:
    """Puts the choice of mirrored rows into the settings; gives the array of choices, or that of row numbers, where there is one."""
    import numpy as np

    if mirror is None or isinstance(mirror, (bool, np.bool_)):
        settings["mirror_all"] = int(bool(mirror))
        return None, None
    if not isinstance(mirror, tuple):
        mirrored = np.asarray(mirror)
        if mirrored.dtype != np.bool_ or mirrored.shape != (n,):
            raise ValueError(f"mirror has dtype {mirrored.dtype} and shape {mirrored.shape}, want bool and ({n},), or (p, seed)")
        return np.ascontiguousarray(mirrored), None
    if len(mirror) != 2:
        raise ValueError(f"mirror is {mirror!r}, want (p, seed)")
    settings["mirror_share"], settings["mirror_seed"] = _between("p of mirror", mirror[0], 0.0, 1.0), row_number("seed of mirror", mirror[1])
    if first_row is not None:
        settings["first_row"] = row_number("first_row", first_row)
        return None, None
    chosen = known if rows is None else rows
    if chosen is None:
        raise ValueError("mirror=(p, seed) goes by the numbers of the records in all the data, which these do not know: give first_row= or rows=")
    if isinstance(chosen, range) and chosen.step == 1 and len(chosen) == n:
        settings["first_row"] = chosen.start
        return None, None
    return None, _arrays.integers("rows", np.asarray(chosen), np.uint64, n)


def row_number(name: str, value: Any) -> int:
    """A number of 64 bits."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be int, not {type(value).__name__}")
    if not 0 <= value < 1 << 64:
        raise ValueError(f"{name} is {value}, want 0..2**64 - 1")
    return int(value)


def mirrored_rows(mirror: tuple[float, int], rows: npt.ArrayLike | range) -> npt.NDArray[np.bool_]:
    """Which records ``decode`` mirrors.

    Args:
        mirror: ``(p, seed)``, as in ``decode``.
        rows: Numbers of records.

    Returns:
        Shape ``(n,)``, dtype ``bool``.

    >>> mirrored_rows((0.5, 42), range(8)).tolist()
    [False, True, True, True, False, True, True, True]
    """
    import numpy as np

    if not isinstance(mirror, tuple) or len(mirror) != 2:
        raise TypeError(f"mirror must be (p, seed), not {type(mirror).__name__}")
    numbers = _arrays.integers("rows", np.asarray(rows), np.uint64)
    share, seed = _between("p of mirror", mirror[0], 0.0, 1.0), row_number("seed of mirror", mirror[1])
    found = np.zeros(len(numbers), np.bool_)
    _native.call_long("kmd_mirrored_batch", share, seed, _arrays.address(numbers), len(numbers), _arrays.address(found))
    return found


def to_csr(indices: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """NNUE indices without filling, one after the other: the form that ``torch.nn.EmbeddingBag`` takes.

    Args:
        indices: ``Batch.nnue``, or one side of it; -1 is left out. The last axis is that of one position and side.

    Returns:
        ``(offsets, flat)``: row i, in the order of the other axes, is ``flat[offsets[i]:offsets[i + 1]]``.

    >>> [array.tolist() for array in to_csr([[[3, 5, -1], [4, -1, -1]]])]
    [[0, 2, 3], [3, 5, 4]]
    """
    import numpy as np

    array = np.asarray(indices)
    if array.dtype.kind not in "iu" or array.ndim < 1:
        raise ValueError(f"indices have dtype {array.dtype} and shape {array.shape}, want integers with an axis of indices")
    used = array >= 0
    offsets = np.zeros(int(np.prod(array.shape[:-1])) + 1, np.int64)
    np.cumsum(used.sum(-1).reshape(-1), out=offsets[1:])
    return offsets, array[used]


def _with_context(error: Exception, of: _arrays.Rows, row: int) -> Exception:
    """An illegal move with the move and the position it is illegal in."""
    # A row that could not be read from its game has neither.
    if isinstance(error, IllegalMoveError) and not (of.format == "hcpe3" and of.array.dtype.names and of.array["status"][row]):
        from .batch import sfens

        raw = of.array[row : row + 1].tobytes()
        code = int.from_bytes(raw[34:36], "little")
        error.sfen = sfens(raw[:32], format="packed_sfen" if of.format == "psv" else "hcp")[0]
        if "candidate" not in str(error):
            error.move = Move(code) if of.format == "psv" else AperyMove(code).to_move()
    return error
