"""Keeps forks and imports apart: what another thread is importing at the moment of a fork stays locked in the child for ever, as CPython frees only
the lock over all imports there. Whoever asked for such a module in the child would wait without end, and most of this package is imported when it is
first asked for.
"""

from __future__ import annotations

import _imp
import sys
import threading
import time
from collections.abc import Iterator
from importlib import _bootstrap
from typing import Any

# The locks of modules that are being imported, by name, as weak references. They have no public name.
_locks: dict[str, Any] = getattr(_bootstrap, "_module_locks", {})

_PACKAGES = ("komadori", "numpy")

# No import of these takes so long, and a thread that it waits for may itself be waiting for the fork.
_PATIENCE = 5.0


def _underway() -> Iterator[str]:
    """Modules of `_PACKAGES` that other threads are importing."""
    for name, reference in list(_locks.items()):
        owner = getattr(reference(), "owner", None)
        if owner not in (None, threading.get_ident()) and name.partition(".")[0] in _PACKAGES:
            yield name


def settle() -> None:
    """Before a fork: lets other threads end their imports."""
    until = time.monotonic() + _PATIENCE
    while any(_underway()) and time.monotonic() < until:
        time.sleep(0.0005)


def forget() -> None:
    """In the child: what began after all, between `settle` and the fork, is begun anew when it is asked for."""
    _imp.acquire_lock()
    try:
        for name in _underway():
            del _locks[name]
            if getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False):
                del sys.modules[name]
    finally:
        _imp.release_lock()
