"""Operations over many positions at once, on all cores.

``packed`` is always one of

* a structured array: ``training.HCPE``, ``HCPE2``, ``HCPE3``, ``PSV`` (records, whose position counts), ``batch.HCP`` or ``batch.PACKED_SFEN``;
* an opened file, see ``training.open``: all its rows;
* an array of ``uint8`` with shape ``(n, 32)``, ``(n, 38)`` or ``(n, 40)``; rows of 32 bytes are PackedSfen unless ``format="hcp"`` says otherwise,
  because the bytes do not tell;
* bytes, or a list of bytes objects, with ``format`` to say what they are where 32 bytes a row are not meant.

The answer is the same on any number of threads. A bad row raises the error of the lowest one, whose ``.row`` is set; with ``row_status``, an
``int32`` array with an entry a row, bad rows are zero-filled instead and reported there (0 is good, the other numbers are those of komadori.h).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from . import _abi as abi
from . import _arrays, _native

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    HCP: np.dtype[np.void]
    PACKED_SFEN: np.dtype[np.void]

__all__ = [
    "HCP",
    "PACKED_SFEN",
    "attack_counts",
    "convert",
    "from_sfens",
    "in_check",
    "keys",
    "legal_mask",
    "legal_moves",
    "mates_in_one",
    "moves_of_labels",
    "sfens",
]

_KINDS = ("packed_sfen", "hcp", *_arrays.RECORDS)
_BLOCK = 2048  # rows of ragged results at a time


def __getattr__(name: str) -> Any:
    if name in ("HCP", "PACKED_SFEN"):
        import numpy as np

        made = np.dtype([("hcp" if name == "HCP" else "sfen", np.uint8, (32,))])
        globals()[name] = made
        return made
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _rows(packed: Any, format: str | None) -> _arrays.Rows:
    return _arrays.rows(packed, format, _KINDS, "packed_sfen")


def _ragged(name: str, of: _arrays.Rows, dtype: Any, most: int, threads: int | None, row_status: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Calls a function with ragged results, block by block, and joins the blocks."""
    import numpy as np

    item = np.dtype(dtype).itemsize
    offsets = np.zeros(of.n + 1, np.int64)
    status = np.zeros(of.n, np.int32) if row_status is None else _arrays.output("row_status", row_status, (of.n,), np.int32)
    count = _arrays.thread_count(threads)
    room = np.empty(min(of.n, _BLOCK) * most, dtype)
    parts = []
    for start in range(0, of.n, _BLOCK):
        stop = min(of.n, start + _BLOCK)
        own = np.zeros(stop - start + 1, np.int64)
        _native.call_long(
            name,
            _native.reference(of.struct(start, stop, count)),
            _arrays.address(own),
            _arrays.address(room),
            room.nbytes // item,
            (_arrays.address(status) or 0) + 4 * start,
        )
        parts.append(room[: own[-1]].copy())
        offsets[start + 1 : stop + 1] = own[1:] + offsets[start]
    if row_status is None:
        bad = np.flatnonzero(status)
        if len(bad):
            own = np.zeros(2, np.int64)
            arguments = (_arrays.address(own), _arrays.address(room), room.nbytes // item)
            raise _arrays.row_error(name, of, lambda start, stop: arguments, int(bad[0]))
    return offsets, np.concatenate(parts) if parts else np.empty(0, dtype)


def legal_moves(
    packed: Any, threads: int | None = None, *, format: str | None = None, row_status: Any = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint16]]:
    """All legal moves of every position, optional non-promotions included.

    Args:
        packed: Positions, see the module.
        threads: Threads to use; None for as many as ``set_threads`` says.
        format: "packed_sfen", "hcp", "hcpe", "hcpe2", "hcpe3" or "psv", where the array does not tell.
        row_status: See the module.

    Returns:
        ``(offsets, moves)``: the moves of row i are ``moves[offsets[i]:offsets[i + 1]]``. Shapes ``(n + 1,)`` and ``(total,)``, dtypes ``int64`` and
        ``uint16``. New arrays.

    >>> from komadori import Board
    >>> offsets, moves = legal_moves(Board().to_packed_sfen())
    >>> offsets.tolist(), len(moves)
    ([0, 30], 30)
    """
    import numpy as np

    return _ragged("kmd_legal_moves_batch", _rows(packed, format), np.uint16, abi.KMD_MAX_LEGAL_MOVES, threads, row_status)


def legal_mask(
    packed: Any,
    compact: bool = False,
    threads: int | None = None,
    *,
    bits: bool = False,
    format: str | None = None,
    row_status: Any = None,
    out: Any = None,
) -> npt.NDArray[Any]:
    """Which policy labels legal moves have.

    Args:
        packed: Positions, see the module.
        compact: Use the 1496 compact labels instead of all 2187.
        threads: Threads to use; None for as many as ``set_threads`` says.
        bits: Give a bit per label, least significant first, instead of a bool.
        format: See ``legal_moves``.
        row_status: See the module.
        out: Array to fill, of the shape and dtype of the result.

    Returns:
        Shape ``(n, 2187)`` or ``(n, 1496)``, dtype ``bool``; with ``bits`` ``(n, 274)`` or ``(n, 187)``, dtype ``uint8``.
    """
    import numpy as np

    of = _rows(packed, format)
    labels = abi.KMD_COMPACT_LABELS if compact else abi.KMD_LABELS
    width = (labels + 7) // 8 if bits else labels
    dtype: Any = np.uint8 if bits else np.bool_
    masks = np.empty((of.n, width), dtype) if out is None else _arrays.output("out", out, (of.n, width), dtype)
    base = _arrays.address(masks) or 0
    _arrays.over_rows("kmd_legal_masks_batch", of, lambda start, stop: (int(bool(compact)), int(bool(bits)), base + width * start), threads, row_status)
    return masks


def _facts(packed: Any, which: int, dtype: Any, threads: int | None, format: str | None, row_status: Any) -> npt.NDArray[Any]:
    import numpy as np

    of = _rows(packed, format)
    found = np.zeros(of.n, dtype)
    base, item = _arrays.address(found) or 0, found.itemsize

    def arguments(start: int, stop: int) -> tuple[Any, ...]:
        return tuple(base + item * start if n == which else None for n in range(3))

    _arrays.over_rows("kmd_facts_batch", of, arguments, threads, row_status)
    return found


def keys(packed: Any, threads: int | None = None, *, format: str | None = None, row_status: Any = None) -> npt.NDArray[np.uint64]:
    """64-bit keys of board, hands and side to move, ``Board.key``. Shape ``(n,)``, dtype ``uint64``."""
    import numpy as np

    return _facts(packed, 0, np.uint64, threads, format, row_status)


def in_check(packed: Any, threads: int | None = None, *, format: str | None = None, row_status: Any = None) -> npt.NDArray[np.bool_]:
    """Whether the side to move stands in check. Shape ``(n,)``, dtype ``bool``."""
    import numpy as np

    return _facts(packed, 1, np.bool_, threads, format, row_status)


def mates_in_one(packed: Any, threads: int | None = None, *, format: str | None = None, row_status: Any = None) -> npt.NDArray[np.uint16]:
    """A move that mates at once, 0 where there is none. Shape ``(n,)``, dtype ``uint16``."""
    import numpy as np

    return _facts(packed, 2, np.uint16, threads, format, row_status)


def attack_counts(
    packed: Any,
    xray: bool = False,
    by_kind: bool = False,
    threads: int | None = None,
    *,
    format: str | None = None,
    row_status: Any = None,
    out: Any = None,
) -> npt.NDArray[np.uint8]:
    """How many pieces attack each square, as ``Board.attack_counts`` says it.

    Args:
        packed: Positions, see the module.
        xray: Count sliders also where own pieces stand in their way that all attack the square along the same line.
        by_kind: Count every kind of piece for itself; kind 0 is all together.
        threads: Threads to use; None for as many as ``set_threads`` says.
        format: See ``legal_moves``.
        row_status: See the module.
        out: Array to fill, of the shape and dtype of the result.

    Returns:
        Shape ``(n, 2, 9, 9)``: row, color, file, rank; with ``by_kind`` ``(n, 2, 15, 9, 9)``: row, color, PieceType, file, rank. dtype ``uint8``.
    """
    import numpy as np

    of = _rows(packed, format)
    shape = (of.n, 2, 15, 9, 9) if by_kind else (of.n, 2, 9, 9)
    width = 81 * (30 if by_kind else 2)
    counts = np.empty(shape, np.uint8) if out is None else _arrays.output("out", out, shape, np.uint8)
    base = _arrays.address(counts) or 0
    _arrays.over_rows("kmd_attack_counts_batch", of, lambda start, stop: (int(bool(xray)), int(bool(by_kind)), base + width * start), threads, row_status)
    return counts


def moves_of_labels(
    packed: Any, labels: Any, compact: bool = False, threads: int | None = None, *, format: str | None = None, row_status: Any = None
) -> npt.NDArray[np.uint16]:
    """The legal move of every position that has a policy label.

    Args:
        packed: Positions, see the module.
        labels: A label a row, any integer dtype.
        compact: They are compact labels.
        threads: Threads to use; None for as many as ``set_threads`` says.
        format: See ``legal_moves``.
        row_status: See the module.

    Returns:
        16-bit moves, shape ``(n,)``, dtype ``uint16``.

    Raises:
        IllegalMoveError: No legal move of a row has its label. InvalidValueError: A number is no label.
    """
    import numpy as np

    of = _rows(packed, format)
    wanted = _arrays.integers("labels", labels, np.uint16, of.n)
    moves = np.zeros(of.n, np.uint16)
    from_base, to_base = _arrays.address(wanted) or 0, _arrays.address(moves) or 0
    _arrays.over_rows(
        "kmd_moves_of_labels_batch",
        of,
        lambda start, stop: (from_base + 2 * start, int(bool(compact)), to_base + 2 * start),
        threads,
        row_status,
    )
    return moves


def sfens(packed: Any, threads: int | None = None, *, format: str | None = None, row_status: Any = None) -> list[str]:
    """SFEN of every position, a list of ``n`` texts; those of bad rows are empty where ``row_status`` is given."""
    import numpy as np

    # 81 squares and their promotions, 8 separators, side, hands of at most 40 men, ply: never as long as this.
    offsets, text = _ragged("kmd_sfens_batch", _rows(packed, format), np.uint8, 256, threads, row_status)
    joined, at = text.tobytes().decode("ascii"), offsets.tolist()
    return [joined[start:stop] for start, stop in pairwise(at)]


def from_sfens(texts: Iterable[str], threads: int | None = None, *, format: str = "packed_sfen", row_status: Any = None) -> npt.NDArray[np.void]:
    """Packs positions given as SFEN.

    Args:
        texts: SFEN texts; both kings must be there.
        threads: Threads to use; None for as many as ``set_threads`` says.
        format: "packed_sfen" or "hcp".
        row_status: See the module.

    Returns:
        Structured array, shape ``(n,)``, dtype ``batch.PACKED_SFEN`` or ``batch.HCP``.
    """
    import numpy as np

    number = _arrays.choice("format", format, {name: _arrays.FORMATS[name] for name in ("packed_sfen", "hcp")})
    if isinstance(texts, (str, bytes)):
        raise TypeError("texts must be several str, not one")
    raw = [text.encode("utf-8", "surrogatepass") for text in texts]
    offsets = np.zeros(len(raw) + 1, np.int64)
    np.cumsum([len(text) for text in raw], out=offsets[1:])
    packed = np.zeros(len(raw), __getattr__("HCP" if format == "hcp" else "PACKED_SFEN"))
    status = np.zeros(len(raw), np.int32) if row_status is None else _arrays.output("row_status", row_status, (len(raw),), np.int32)
    joined = np.frombuffer(b"".join(raw) or b"\0", np.uint8)
    count = _arrays.thread_count(threads)
    base, out, at = _arrays.address(offsets) or 0, _arrays.address(packed) or 0, _arrays.address(status) or 0

    def encode(start: int, stop: int, row_status: int | None) -> None:
        text = _arrays.address(joined)
        _native.call_long("kmd_encode_batch", text, base + 8 * start, stop - start, number, count, out + 32 * start, row_status)

    for start, stop in _arrays.slices(len(raw)):
        encode(start, stop, at + 4 * start)
    if row_status is None and status.any():
        row = int(np.flatnonzero(status)[0])
        try:
            encode(row, row + 1, None)
        except Exception as error:
            raise _arrays.shifted(error, row) from None
    return packed


def convert(
    packed: Any,
    to: str,
    *,
    flip_side: bool = False,
    mirror_file: bool = False,
    result_convention: str | None = None,
    to_result_convention: str | None = None,
    format: str | None = None,
    threads: int | None = None,
    row_status: Any = None,
    lost: dict[str, int] | None = None,
) -> npt.NDArray[np.void]:
    """Rows in another form: positions to positions, records to records or to positions alone.

    Args:
        packed: Positions or records, see the module.
        to: "packed_sfen", "hcp", "hcpe", "hcpe2", "hcpe3" or "psv".
        flip_side: Turn boards by 180 degrees and exchange the sides; moves and absolute results follow.
        mirror_file: Mirror the files; moves follow.
        result_convention: How results are stored: None for the format's own, "apery", "yaneuraou", "rsshogi" or "dlshogi".
        to_result_convention: The same of what is made.
        format: See ``legal_moves``.
        threads: Threads to use; None for as many as ``set_threads`` says.
        row_status: See the module.
        lost: A dict to which is added how many rows lost what: see ``training.ConversionReport``.

    Returns:
        Structured array of the format's dtype, shape ``(n,)``. HCPE and HCPE2 store no ply: PSV made from them has 0. HCPE3 made from another format has one
        candidate a row, the best move with one visit.
    """
    import numpy as np

    from . import training

    of = _rows(packed, format)
    dtypes = {"packed_sfen": "PACKED_SFEN", "hcp": "HCP"}
    number = _arrays.choice("to", to, _arrays.FORMATS)
    made = np.zeros(of.n, __getattr__(dtypes[to]) if to in dtypes else training.dtype(to))
    base, size = _arrays.address(made) or 0, made.itemsize
    settings = {
        "format": number,
        "flip": int(bool(flip_side)),
        "mirror": int(bool(mirror_file)),
        "convention": _arrays.choice("result_convention", result_convention, _arrays.CONVENTIONS),
        "new_convention": _arrays.choice("to_result_convention", to_result_convention, _arrays.CONVENTIONS),
    }
    candidates, own = None, of.format != "hcpe3"
    if to == "hcpe3":
        candidates = np.zeros(of.n if own or of.candidates is None else len(of.candidates), training.CANDIDATE)
    candidates_base = _arrays.address(candidates) or 0
    starts: list[int] = []

    def arguments(start: int, stop: int) -> tuple[Any, ...]:
        # Made from another format, candidates lie beside their rows.
        at = candidates_base + 4 * start if own else candidates_base
        starts.append(start)
        request = _native.struct(abi.kmd_conversion, **settings, out=base + size * start, candidates=at)
        requests.append(request)
        return (_native.reference(request),)

    requests: list[abi.kmd_conversion] = []
    _arrays.over_rows("kmd_convert_batch", of, arguments, threads, row_status)
    if lost is not None:
        for name in _arrays.LOSSES:
            lost[name] = lost.get(name, 0) + sum(getattr(request, f"lost_{name}") for request in requests)
    if to != "hcpe3":
        return made
    if own:
        for start, stop in pairwise([*starts, of.n]):
            part = made[start:stop]
            part["first"][part["candidateNum"] > 0] += start
    from ._records import Records

    return Records.of(made, candidates=candidates)
