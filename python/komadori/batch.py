"""Operations over many positions at once, on all cores.

``packed`` is always one of

* a structured array: ``training.HCPE``, ``HCPE2``, ``HCPE3``, ``PSV`` (records, whose position counts), ``batch.HCP``, ``batch.PACKED_SFEN``
  or ``batch.BOARD`` (pieces, hands and side to move as plain numbers, see ``from_boards``; these alone may lack kings);
* an opened file, see ``training.open``: all its rows;
* an array of ``uint8`` with shape ``(n, 32)``, ``(n, 38)``, ``(n, 40)`` or ``(n, 96)``; rows of 32 bytes are PackedSfen unless ``format="hcp"`` says otherwise,
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
from ._tables import tables
from .types import _several

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .types import EnteringKingRule

    BOARD: np.dtype[np.void]
    HCP: np.dtype[np.void]
    PACKED_SFEN: np.dtype[np.void]

__all__ = [
    "BOARD",
    "HCP",
    "PACKED_SFEN",
    "attack_counts",
    "boards",
    "convert",
    "declarations",
    "facts",
    "flip_moves",
    "from_boards",
    "from_sfens",
    "in_check",
    "keys",
    "labels_of_moves",
    "legal_mask",
    "legal_moves",
    "mates_in_one",
    "mirror_moves",
    "moves_of_labels",
    "play",
    "sfens",
    "turns",
]

_POSITIONS = {"packed_sfen": "PACKED_SFEN", "hcp": "HCP", "board": "BOARD"}
_KINDS = (*_POSITIONS, *_arrays.RECORDS)
_BLOCK = 2048  # rows of ragged results at a time


def __getattr__(name: str) -> Any:
    if name in ("HCP", "PACKED_SFEN", "BOARD"):
        import numpy as np

        if name == "BOARD":
            made = np.dtype([("pieces", np.uint8, (81,)), ("hands", np.uint8, (2, 7)), ("turn", np.uint8)])
        else:
            made = np.dtype([("hcp" if name == "HCP" else "sfen", np.uint8, (32,))])
        globals()[name] = made
        return made
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _rows(packed: Any, format: str | None, name: str = "packed") -> _arrays.Rows:
    return _arrays.rows(packed, format, _KINDS, "packed_sfen", name=name)


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


_FACTS = {"key": "u8", "turn": "u1", "in_check": "?", "legal_count": "u2", "mate_in_one": "u2", "verdict": "u1", "points": "u1"}


def facts(
    packed: Any,
    outputs: Iterable[str],
    threads: int | None = None,
    *,
    rule: EnteringKingRule | int = 3,
    format: str | None = None,
    row_status: Any = None,
) -> dict[str, npt.NDArray[Any]]:
    """Several things about every position, which is read once.

    Args:
        packed: Positions, see the module.
        outputs: Some of "key" (``uint64``, ``Board.key``), "turn" (``uint8``, side to move), "in_check" (``bool``), "legal_count" (``uint16``, number of legal
            moves), "mate_in_one" (``uint16``, a move that mates at once, 0 without), and of a declaration by the side to move "verdict" (``uint8``, a
            ``rules.Verdict``) and "points" (``uint8``, in camp and hand).
        threads: Threads to use; None for as many as ``set_threads`` says.
        rule: Of verdict and points, an ``EnteringKingRule``; CSA27 unless told otherwise.
        format: See ``legal_moves``.
        row_status: See the module.

    Returns:
        Arrays of shape ``(n,)`` by name.

    >>> from komadori import Board
    >>> facts(Board().to_packed_sfen(), ["in_check", "legal_count"])
    {'in_check': array([False]), 'legal_count': array([30], dtype=uint16)}
    """
    import numpy as np

    from .types import EnteringKingRule as Rule

    of = _rows(packed, format)
    names = [outputs] if isinstance(outputs, str) else _several("outputs", outputs, "names")
    found = {name: np.zeros(of.n, _arrays.choice("outputs", name, _FACTS)) for name in dict.fromkeys(names)}
    bases = {name: (_arrays.address(array) or 0, array.itemsize) for name, array in found.items()}
    number = int(Rule(rule))

    def arguments(start: int, stop: int) -> tuple[Any, ...]:
        places = {name: base + item * start for name, (base, item) in bases.items()}
        return (_native.reference(_native.struct(abi.kmd_facts, rule=number, **places)),)

    _arrays.over_rows("kmd_facts_batch", of, arguments, threads, row_status)
    return found


def keys(packed: Any, threads: int | None = None, *, format: str | None = None, row_status: Any = None) -> npt.NDArray[np.uint64]:
    """64-bit keys of board, hands and side to move, ``Board.key``. Shape ``(n,)``, dtype ``uint64``."""
    return facts(packed, ["key"], threads, format=format, row_status=row_status)["key"]


def turns(packed: Any, threads: int | None = None, *, format: str | None = None, row_status: Any = None) -> npt.NDArray[np.uint8]:
    """Side to move. Shape ``(n,)``, dtype ``uint8``."""
    return facts(packed, ["turn"], threads, format=format, row_status=row_status)["turn"]


def in_check(packed: Any, threads: int | None = None, *, format: str | None = None, row_status: Any = None) -> npt.NDArray[np.bool_]:
    """Whether the side to move stands in check. Shape ``(n,)``, dtype ``bool``."""
    return facts(packed, ["in_check"], threads, format=format, row_status=row_status)["in_check"]


def mates_in_one(packed: Any, threads: int | None = None, *, format: str | None = None, row_status: Any = None) -> npt.NDArray[np.uint16]:
    """A move that mates at once, 0 where there is none. Shape ``(n,)``, dtype ``uint16``."""
    return facts(packed, ["mate_in_one"], threads, format=format, row_status=row_status)["mate_in_one"]


def declarations(
    packed: Any, rule: EnteringKingRule | int = 3, threads: int | None = None, *, format: str | None = None, row_status: Any = None
) -> npt.NDArray[np.uint8]:
    """What declaring would bring to the side to move under a rule, CSA27 unless told otherwise: a ``rules.Verdict``. Shape ``(n,)``, dtype ``uint8``."""
    return facts(packed, ["verdict"], threads, rule=rule, format=format, row_status=row_status)["verdict"]


def play(
    packed: Any, moves: Any, to: str | None = None, threads: int | None = None, *, format: str | None = None, row_status: Any = None
) -> npt.NDArray[np.void]:
    """Every position after a move.

    Args:
        packed: Positions, see the module.
        moves: A 16-bit move a row, or a sequence of Move.
        to: "packed_sfen", "hcp" or "board"; None for the form of the rows, of records for that of their positions.
        threads: Threads to use; None for as many as ``set_threads`` says.
        format: See ``legal_moves``.
        row_status: See the module.

    Returns:
        Structured array of dtype ``PACKED_SFEN``, ``HCP`` or ``BOARD``, shape ``(n,)``. A ply is not kept.

    Raises:
        IllegalMoveError: A move is not legal; ``.row`` tells which.

    >>> from komadori import Board, Move
    >>> sfens(play(Board().to_packed_sfen(), [Move.from_usi("7g7f")]))
    ['lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 1']
    """
    import numpy as np

    of = _rows(packed, format)
    form = to if to is not None else {"psv": "packed_sfen", "packed_sfen": "packed_sfen", "board": "board"}.get(of.format, "hcp")
    number = _arrays.choice("to", form, {name: _arrays.FORMATS[name] for name in _POSITIONS})
    codes = _arrays.integers("moves", moves, np.uint16, of.n)
    made = np.zeros(of.n, __getattr__(_POSITIONS[form]))
    from_base, to_base, size = _arrays.address(codes) or 0, _arrays.address(made) or 0, made.itemsize
    _arrays.over_rows("kmd_play_batch", of, lambda start, stop: (from_base + 2 * start, number, to_base + size * start), threads, row_status)
    return made


def boards(
    packed: Any, *, order: str = "file_major", format: str | None = None, threads: int | None = None, row_status: Any = None
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Positions as plain numbers.

    Args:
        packed: Positions, see the module.
        order: Of the squares: "file_major" (1a, 1b, ... 9i, the order of ``Square``) or "row_major" (9a, 8a, ... 1i, as a board is printed).
        format: See ``legal_moves``.
        threads: Threads to use; None for as many as ``set_threads`` says.
        row_status: See the module.

    Returns:
        ``(pieces, hands, turns)``: ``Piece`` numbers, shape ``(n, 81)``; counts in the hands of Black and White in the order P L N S B R G, shape
        ``(n, 2, 7)``; side to move, shape ``(n,)``; all ``uint8``.
    """
    made = convert(packed, "board", format=format, threads=threads, row_status=row_status)
    return made["pieces"][:, _squares(order)], made["hands"], made["turn"]


def from_boards(pieces: Any, hands: Any, turns: Any, *, order: str = "file_major") -> npt.NDArray[np.void]:
    """Positions from plain numbers, as rows that all functions here take and ``convert`` packs. They are looked at when they are used.

    Args:
        pieces: ``Piece`` numbers, shape ``(n, 81)`` or ``(n, 9, 9)``.
        hands: Counts in the order P L N S B R G, shape ``(n, 2, 7)``.
        turns: Side to move, shape ``(n,)`` or one for all.
        order: Of the squares, see ``boards``.

    Returns:
        Structured array of dtype ``BOARD``, shape ``(n,)``.

    >>> from komadori import Board
    >>> pieces, hands, turns = boards(Board().to_packed_sfen())
    >>> convert(from_boards(pieces, hands, turns), "packed_sfen").tobytes() == Board().to_packed_sfen()
    True
    """
    import numpy as np

    given = np.asarray(pieces)
    if given.ndim == 3 and given.shape[1:] == (9, 9):
        given = given.reshape(-1, 81)
    if given.ndim != 2 or given.shape[1] != 81:
        raise ValueError(f"pieces have shape {given.shape}, want (n, 81) or (n, 9, 9)")
    n = len(given)
    held = np.asarray(hands)
    if held.shape != (n, 2, 7):
        raise ValueError(f"hands have shape {held.shape}, want ({n}, 2, 7)")
    made = np.zeros(n, __getattr__("BOARD"))
    made["pieces"][:, _squares(order)] = _arrays.integers("pieces", given.reshape(-1), np.uint8).reshape(n, 81)
    made["hands"] = _arrays.integers("hands", held.reshape(-1), np.uint8).reshape(n, 2, 7)
    made["turn"] = _arrays.integers("turns", turns, np.uint8, n)
    return made


def _squares(order: str) -> Any:
    """Square numbers in an order."""
    import numpy as np

    squares = np.arange(81)
    return _arrays.choice("order", order, {"file_major": squares, "row_major": 9 * (8 - squares % 9) + squares // 9})


def flip_moves(moves: Any) -> npt.NDArray[np.uint16]:
    """Moves with both squares turned by 180 degrees: Move.flip_side over an array.

    Args:
        moves: 16-bit moves of any shape, dtype ``uint16`` or another integer dtype; or a sequence of Move.

    Returns:
        Moves of the same shape, dtype ``uint16``. Values that are no moves of the game stay. A new array.

    Raises:
        InvalidValueError: A number has more than 16 bits; ``.row`` is its index in the flattened array.

    >>> from komadori import Board
    >>> board = Board()
    >>> set(flip_moves(board.legal_moves()).tolist()) == {m.value for m in board.flip_side().legal_moves()}
    True
    """
    return _turned("flip_side", moves)


def mirror_moves(moves: Any) -> npt.NDArray[np.uint16]:
    """Moves with files 1 and 9, 2 and 8, and so on exchanged: Move.mirror_file over an array. Arguments and result are those of ``flip_moves``."""
    return _turned("mirror_file", moves)


def _turned(name: str, moves: Any) -> npt.NDArray[np.uint16]:
    import numpy as np

    shape = moves.shape if isinstance(moves, np.ndarray) else None
    codes = _arrays.integers("moves", moves if shape is None else moves.reshape(-1), np.uint16)
    table = np.frombuffer(getattr(tables(), name), np.uint16)
    turned: npt.NDArray[np.uint16] = table.take(codes)
    return turned if shape is None else turned.reshape(shape)


def labels_of_moves(packed: Any, moves: Any, compact: bool = False, threads: int | None = None, *, format: str | None = None) -> npt.NDArray[np.uint16]:
    """The policy label of a move in every position: ``labels.from_moves`` with the sides to move of the positions. Whether moves are legal is not asked.

    Args:
        packed: Positions, see the module.
        moves: A 16-bit move a row, or a sequence of Move.
        compact: Give compact labels.
        threads: Threads to use; None for as many as ``set_threads`` says.
        format: See ``legal_moves``.

    Returns:
        Shape ``(n,)``, dtype ``uint16``.

    Raises:
        InvalidValueError: A move has no label.
    """
    from .labels import from_moves

    return from_moves(moves, turns(packed, threads, format=format), compact, threads=threads)


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
        texts: SFEN texts; but for "board", both kings must be there.
        threads: Threads to use; None for as many as ``set_threads`` says.
        format: "packed_sfen", "hcp" or "board", which alone holds positions without kings.
        row_status: See the module.

    Returns:
        Structured array, shape ``(n,)``, dtype ``batch.PACKED_SFEN``, ``batch.HCP`` or ``batch.BOARD``.
    """
    import numpy as np

    number = _arrays.choice("format", format, {name: _arrays.FORMATS[name] for name in _POSITIONS})
    if isinstance(texts, (str, bytes)):
        raise TypeError("texts must be several str, not one")
    raw: list[bytes] = []
    for text in _several("texts", texts, "str"):
        if not isinstance(text, str):
            raise TypeError(f"texts[{len(raw)}] must be str, not {type(text).__name__}")
        raw.append(text.encode("utf-8", "surrogatepass"))
    offsets = np.zeros(len(raw) + 1, np.int64)
    np.cumsum([len(text) for text in raw], out=offsets[1:])
    packed = np.zeros(len(raw), __getattr__(_POSITIONS[format]))
    size = packed.itemsize
    status = np.zeros(len(raw), np.int32) if row_status is None else _arrays.output("row_status", row_status, (len(raw),), np.int32)
    joined = np.frombuffer(b"".join(raw) or b"\0", np.uint8)
    count = _arrays.thread_count(threads)
    base, out, at = _arrays.address(offsets) or 0, _arrays.address(packed) or 0, _arrays.address(status) or 0

    def encode(start: int, stop: int, row_status: int | None) -> None:
        text = _arrays.address(joined)
        _native.call_long("kmd_encode_batch", text, base + 8 * start, stop - start, number, count, out + size * start, row_status)

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
        to: "packed_sfen", "hcp", "board", "hcpe", "hcpe2", "hcpe3" or "psv".
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
    if lost is not None and not isinstance(lost, dict):
        raise TypeError(f"lost must be a dict or None, not {type(lost).__name__}")
    number = _arrays.choice("to", to, _arrays.FORMATS)
    made = np.zeros(of.n, __getattr__(_POSITIONS[to]) if to in _POSITIONS else training.dtype(to))
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
    if to in _POSITIONS:
        return made
    from ._records import Records

    if to != "hcpe3":
        return Records.of(made)
    if own:
        for start, stop in pairwise([*starts, of.n]):
            part = made[start:stop]
            part["first"][part["candidateNum"] > 0] += start
    return Records.of(made, candidates=candidates)
