"""Tables over all 65,536 move values and all labels, filled by one call of the library."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, NamedTuple

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
    request = abi.kmd_move_tables()
    request.size = ctypes.sizeof(request)
    moves, full, compact = 1 << 16, abi.KMD_LABELS, abi.KMD_COMPACT_LABELS

    def room(kind: Any, n: int) -> Any:
        return (kind * n)()

    memory = {name: room(ctypes.c_uint16, moves) for name in ("flip_side", "mirror_file", "to_apery", "from_apery")}
    memory |= {name: room(ctypes.c_uint16, n) for name, n in (("full_to_compact", full), ("compact_to_full", compact), ("mirror_label", full), ("mirror_compact", compact))}
    memory["normal"], memory["usi"] = room(ctypes.c_uint8, moves), room(ctypes.c_char, 8 * moves)
    by_turn = {name: (room(ctypes.c_uint16, moves), room(ctypes.c_uint16, moves)) for name in ("label", "compact")}
    for name, array in memory.items():
        setattr(request, name, ctypes.addressof(array))
    for name, pair in by_turn.items():
        for turn, array in enumerate(pair):
            getattr(request, name)[turn] = ctypes.addressof(array)
    _native.call("kmd_fill_move_tables", ctypes.byref(request))

    def view(array: Any, code: str = "H") -> memoryview:
        return memoryview(array).cast("B").cast(code).toreadonly()

    return Tables(
        normal=view(memory["normal"], "B"),
        usi=bytes(memory["usi"]),
        **{name: view(memory[name]) for name in ("flip_side", "mirror_file", "to_apery", "from_apery", "full_to_compact", "compact_to_full", "mirror_label", "mirror_compact")},
        **{name: (view(pair[0]), view(pair[1])) for name, pair in by_turn.items()},  # type: ignore[arg-type]
    )
