"""Policy labels: classes of moves for networks.

A full label is ``81 * direction + target``, 0..2186, seen by the side that moves; a compact label numbers the 1496 of them that can
occur. The 27 directions are described in docs/formats.md#policy-labels.

``FULL_TO_COMPACT`` (shape (2187,), uint16, ``NONE`` where there is none) and ``COMPACT_TO_FULL`` (shape (1496,), uint16) go between the
two spaces; they are read-only arrays, made when first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _abi as abi
from . import _arrays, _native
from .errors import InvalidValueError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    FULL_TO_COMPACT: npt.NDArray[np.uint16]
    COMPACT_TO_FULL: npt.NDArray[np.uint16]

__all__ = ["COMPACT_COUNT", "COMPACT_TO_FULL", "COUNT", "FULL_TO_COMPACT", "NONE", "from_moves", "from_records", "mirror_file"]

COUNT = abi.KMD_LABELS
"""Number of full labels."""
COMPACT_COUNT = abi.KMD_COMPACT_LABELS
"""Number of compact labels."""
NONE = abi.KMD_NO_LABEL
"""Stands in the tables where there is no label."""

_tables: dict[str, npt.NDArray[np.uint16]] = {}


def _table(name: str) -> npt.NDArray[np.uint16]:
    """One of the library's tables."""
    if not _tables:
        import numpy as np

        sizes = {"full_to_compact": COUNT, "compact_to_full": COMPACT_COUNT, "mirror_label": COUNT, "mirror_compact": COMPACT_COUNT}
        made = {key: np.zeros(size, np.uint16) for key, size in sizes.items()}
        wanted = _native.struct(abi.kmd_move_tables, **{key: _arrays.address(table) for key, table in made.items()})
        _native.call("kmd_fill_move_tables", _native.reference(wanted))
        for table in made.values():
            table.flags.writeable = False
        _tables.update(made)
    return _tables[name]


def __getattr__(name: str) -> Any:
    if name in ("FULL_TO_COMPACT", "COMPACT_TO_FULL"):
        return _table(name.lower())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def from_moves(moves: npt.ArrayLike | Any, turns: npt.ArrayLike | Any, compact: bool = False, *, threads: int | None = None) -> npt.NDArray[np.uint16]:
    """Classify moves for a policy head.

    Args:
        moves: 16-bit moves, shape ``(n,)``, dtype ``uint16``; or a sequence of Move.
        turns: Side to move of each row, shape ``(n,)``, dtype ``uint8``, 0 is Black; or one side for all rows.
        compact: Use the 1496 classes that can occur instead of all 2187.
        threads: Threads to use; None for as many as ``set_threads`` says.

    Returns:
        Class of each move in ``0..2186``, or ``0..1495``; shape ``(n,)``, dtype ``uint16``. A new array.

    Raises:
        InvalidValueError: A row has no class: it is no move, or with ``compact`` one that cannot occur; ``.row`` tells which.
        ValueError: The shapes differ.

    >>> from komadori import Color, Move
    >>> from_moves([Move.from_usi("7g7f").value], [Color.BLACK]).tolist()
    [59]
    """
    import numpy as np

    codes = _arrays.integers("moves", moves, np.uint16)
    sides = _arrays.integers("turns", turns, np.uint8, len(codes))
    labels = np.empty(len(codes), np.uint16)
    count = _arrays.thread_count(threads)
    base_codes, base_sides, base_labels = _arrays.address(codes) or 0, _arrays.address(sides) or 0, _arrays.address(labels) or 0
    for start, stop in _arrays.slices(len(codes)):
        try:
            _native.call_long(
                "kmd_labels_batch", base_codes + 2 * start, base_sides + start, stop - start, int(bool(compact)), count, base_labels + 2 * start, None
            )
        except Exception as error:
            raise _arrays.shifted(error, start) from None
    return labels


def from_records(
    records: Any, *, threads: int | None = None, format: str | None = None, row_status: Any = None
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint16]]:
    """Full and compact labels of the best moves of records, without looking at their positions: many times faster than ``training.decode``.

    Args:
        records: What ``training.decode`` takes.
        threads: Threads to use; None for as many as ``set_threads`` says.
        format: "hcpe", "hcpe2" or "psv", where the array does not tell.
        row_status: An ``int32`` array with an entry a row: bad rows are reported there, see ``komadori.batch``, and their labels are 0.

    Returns:
        ``(full, compact)``, shape ``(n,)`` each, dtype ``uint16``. New arrays.

    Raises:
        InvalidValueError: A best move is special or malformed, or such that no piece moves so; ``.row`` tells which.

    >>> from komadori import Board, training
    >>> [array.tolist() for array in from_records(training.game_records(Board.from_position("startpos moves 7g7f 3c3d"), [0, 0], 0))]
    [[59, 59], [53, 53]]
    """
    import numpy as np

    of = _arrays.rows(records, format, _arrays.RECORDS)
    full, compact = np.empty(of.n, np.uint16), np.empty(of.n, np.uint16)
    to_full, to_compact = _arrays.address(full) or 0, _arrays.address(compact) or 0
    _arrays.over_rows("kmd_record_labels_batch", of, lambda start, stop: (to_full + 2 * start, to_compact + 2 * start), threads, row_status)
    return full, compact


def mirror_file(labels: npt.ArrayLike, compact: bool = False) -> npt.NDArray[np.uint16]:
    """Labels of the moves with files mirrored.

    Args:
        labels: Labels of any shape and integer dtype.
        compact: They are compact labels.

    Returns:
        Labels of the same shape, dtype ``uint16``. A new array.

    Raises:
        InvalidValueError: A number is no label; ``.row`` is its index in the flattened array.
    """
    import numpy as np

    array = np.asarray(labels)
    flat = _arrays.integers("labels", array.reshape(-1), np.uint16)
    table = _table("mirror_compact" if compact else "mirror_label")
    if len(flat) and flat.max() >= len(table):
        row = int(np.argmax(flat >= len(table)))
        raise InvalidValueError(f"label {flat[row]}, want 0..{len(table) - 1} (row {row})", row=row)
    mirrored: npt.NDArray[np.uint16] = table.take(flat).reshape(array.shape)
    return mirrored
