"""What all plots need of matplotlib."""

from __future__ import annotations

from typing import Any


def axes(ax: Any, size: tuple[float, float]) -> Any:
    """The given axes, or new ones of a size in inches. ImportError without matplotlib."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return pyplot.subplots(figsize=size)[1]
