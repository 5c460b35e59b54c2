"""Tables over all 65,536 move values and all labels, filled by one call of the library."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import NamedTuple

from . import _abi as abi
from . import _native

NONE = abi.KMD_NO_LABEL


class Tables(NamedTuple):
    """Memory that is only read: indexed by move value, label or compact label. NONE where there is nothing."""

    normal: memoryview
    flip_side: memoryview
    mirror_file: memoryview
    to_apery: memoryview
    from_apery: memoryview
    label: tuple[memoryview, memoryview]
    compact: tuple[memoryview, memoryview]
    usi: bytes
    full_to_compact: memoryview
    compact_to_full: memoryview
    mirror_label: memoryview
    mirror_compact: memoryview


@cache
def tables() -> Tables:
    """The tables; the first call fills them."""
    request = _native.struct(abi.kmd_move_tables)
    moves, full, compact = 1 << 16, abi.KMD_LABELS, abi.KMD_COMPACT_LABELS

    def codes(field: str, n: int) -> memoryview:
        """Room for a table of 16-bit numbers, which the library is told of."""
        array = (ctypes.c_uint16 * n)()
        setattr(request, field, ctypes.addressof(array))
        return memoryview(array).cast("B").cast("H").toreadonly()

    def by_turn(field: str) -> tuple[memoryview, memoryview]:
        black, white = (ctypes.c_uint16 * moves)(), (ctypes.c_uint16 * moves)()
        getattr(request, field)[:] = ctypes.addressof(black), ctypes.addressof(white)
        return memoryview(black).cast("B").cast("H").toreadonly(), memoryview(white).cast("B").cast("H").toreadonly()

    normal, usi = (ctypes.c_uint8 * moves)(), (ctypes.c_char * (8 * moves))()
    request.normal, request.usi = ctypes.addressof(normal), ctypes.addressof(usi)
    made = Tables(
        normal=memoryview(normal).cast("B").toreadonly(),
        flip_side=codes("flip_side", moves),
        mirror_file=codes("mirror_file", moves),
        to_apery=codes("to_apery", moves),
        from_apery=codes("from_apery", moves),
        label=by_turn("label"),
        compact=by_turn("compact"),
        usi=b"",
        full_to_compact=codes("full_to_compact", full),
        compact_to_full=codes("compact_to_full", compact),
        mirror_label=codes("mirror_label", full),
        mirror_compact=codes("mirror_compact", compact),
    )
    _native.call("kmd_fill_move_tables", _native.reference(request))
    return made._replace(usi=usi.raw)
