"""Facts about the library, and its threads."""

from __future__ import annotations

from . import _native
from .types import _check_range


def build_info() -> str:
    """Version, Go version, system, processor and the processor level of the loaded library."""
    return _native.text("kmd_build_info")


def threads() -> int:
    """How many threads functions use that are not told: at first the number of processors."""
    return _native.number("kmd_threads")


def set_threads(n: int) -> None:
    """Sets how many threads functions use that are not told, 1..1024. Environment variables of Go have no effect after the start."""
    _native.call("kmd_set_threads", _check_range("threads", n, 1, 1024))
