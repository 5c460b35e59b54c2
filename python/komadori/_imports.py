"""What another thread was importing at the moment of a fork would stay locked in the child for ever, as CPython frees only the lock over all imports there:
whoever asked for such a module would wait without end. Most of this package is imported when it is first asked for, so that would be seen.
"""

from __future__ import annotations

import _imp
import sys
import threading
from importlib import _bootstrap
from typing import Any

# Modules that are being imported, with their locks as weak references, and what threads wait for. They have no public names.
_locks: dict[str, Any] = getattr(_bootstrap, "_module_locks", {})
_waiting: Any = getattr(_bootstrap, "_blocking_on", {})


def forget() -> None:
    """In a child: what threads of the parent were importing is begun anew when it is asked for."""
    me = threading.get_ident()
    _imp.acquire_lock()
    try:
        _waiting.clear()  # this thread forks, so it does not wait
        for name, reference in list(_locks.items()):
            if getattr(reference(), "owner", None) in (None, me):
                continue
            del _locks[name]
            if getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False):
                del sys.modules[name]
    finally:
        _imp.release_lock()
