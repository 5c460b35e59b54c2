"""Scores as a curve, drawn without other packages; ``komadori.search`` has the names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ._results import Info, Score
from .types import Color, _check_range, _several

_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 14, 14, 34  # margins
_LINE, _SWING = "#2f7fd6", "#d7301f"  # seen on light and on dark
_INK = "#808080"  # of grid and text where the page has no say
SWING = 0.2
"""A game turned where the winning rate changes so much with one move, or more."""


class ScorePlot:
    """Scores as a curve of winning rates of one side. Made by ``plot_scores``; draws itself in notebooks, in the page's own color of text.

    Attributes:
        color: The side whose winning rate is drawn.
        numbers: Of the points, from left to right: depths, plies, or 1, 2, 3...
        rates: Winning rates, 0..1; None where there is no score.
        x_label: What the numbers are: ``"depth"``, ``"move"`` or ``"position"``.
        swings: Indices of the points where a game turned: the rate is at least ``search.SWING`` away from that before.
    """

    def __init__(self, color: Color, numbers: Sequence[int], rates: Sequence[float | None], titles: Sequence[str], x_label: str) -> None:
        self.color = color
        self.numbers = list(numbers)
        self.rates = list(rates)
        self.x_label = x_label
        self._titles = list(titles)
        self.swings = [
            i
            for i in range(1, len(self.rates))
            if x_label != "depth" and (a := self.rates[i - 1]) is not None and (b := self.rates[i]) is not None and abs(b - a) >= SWING
        ]

    def svg(self, width: int = 640, height: int = 220, *, ink: str = _INK) -> str:
        """The curve as an ``<svg>`` element.

        Args:
            width, height: In pixels, from 160 and 100.
            ink: The color of grid and text, as SVG names colors; ``"currentColor"`` in a page takes the page's.
        """
        from .svg import _paint

        _check_range("width", width, 160, 2**31 - 1)
        _check_range("height", height, 100, 2**31 - 1)
        w, h = width - _LEFT - _RIGHT, height - _TOP - _BOTTOM
        first, last = (min(self.numbers), max(self.numbers)) if self.numbers else (0, 1)
        span = max(last - first, 1)

        def x(number: float) -> str:
            return f"{_LEFT + w * ((number - first) / span if last > first else 0.5):.1f}"

        def y(rate: float) -> str:
            return f"{_TOP + h * (1 - rate):.1f}"

        ink = _paint(ink, "ink")
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" style="max-width:100%;height:auto" role="img" '
            f'aria-label="winning rate of {self.color.name.title()}" font-family="\'Helvetica Neue\',Arial,sans-serif" font-size="11">'
        ]
        for percent in (0, 25, 50, 75, 100):
            strong = ' stroke-opacity=".7"' if percent in (0, 50, 100) else ' stroke-opacity=".3"'
            height_of = y(percent / 100)
            parts.append(f'<path d="M{_LEFT} {height_of}h{w}" stroke="{ink}"{strong} fill="none"/>')
            parts.append(f'<text x="{_LEFT - 6}" y="{float(height_of) + 4:.1f}" text-anchor="end" fill="{ink}">{percent}</text>')
        for tick in _ticks(first, last, w // 48) if self.numbers else ():
            parts.append(f'<path d="M{x(tick)} {_TOP + h}v4" stroke="{ink}"/>')
            parts.append(f'<text x="{x(tick)}" y="{_TOP + h + 16}" text-anchor="middle" fill="{ink}">{tick}</text>')
        parts.append(f'<text x="{_LEFT + w / 2:g}" y="{height - 4}" text-anchor="middle" fill="{ink}">{self.x_label}</text>')
        name = f"{'☗☖'[self.color]} wins, %"
        parts.append(f'<text transform="translate(11 {_TOP + h / 2:g}) rotate(-90)" text-anchor="middle" fill="{ink}">{name}</text>')
        for run in self._runs():
            line = "L".join(f"{x(self.numbers[i])} {y(rate)}" for i, rate in run)
            left, right = x(self.numbers[run[0][0]]), x(self.numbers[run[-1][0]])
            parts.append(f'<path d="M{left} {y(0)}L{line}L{right} {y(0)}Z" fill="{_LINE}" fill-opacity=".16"/>')
            parts.append(f'<path class="curve" d="M{line}" fill="none" stroke="{_LINE}" stroke-width="2" stroke-linejoin="round"/>')
        turned = set(self.swings)
        small = 3 if len(self.numbers) <= w // 8 else 1.5
        for i, rate in enumerate(self.rates):
            if rate is not None:
                paint, size = (_SWING, 4.0) if i in turned else (_LINE, small)
                at = f'cx="{x(self.numbers[i])}" cy="{y(rate)}" r="{size:g}"'
                parts.append(f'<circle class="point" {at} fill="{paint}"><title>{escape(self._titles[i])}</title></circle>')
        parts.append("</svg>")
        return "".join(parts)

    def _runs(self) -> list[list[tuple[int, float]]]:
        """Neighbours that have a score."""
        runs: list[list[tuple[int, float]]] = []
        for i, rate in enumerate(self.rates):
            if rate is not None:
                if i == 0 or self.rates[i - 1] is None:
                    runs.append([])
                runs[-1].append((i, rate))
        return runs

    def _repr_html_(self) -> str:
        return self.svg(ink="currentColor")

    def matplotlib(self, ax: Any = None) -> Any:
        """Draws the same curve with matplotlib, which must be installed.

        Args:
            ax: Axes to draw into; None for new ones.

        Returns:
            The axes.
        """
        try:
            from matplotlib import pyplot  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            raise ImportError("this needs matplotlib: pip install matplotlib") from None
        if ax is None:
            ax = pyplot.subplots(figsize=(8, 3))[1]
        ax.axhline(50, color="0.7", linewidth=1)
        ax.plot(self.numbers, [math.nan if rate is None else 100 * rate for rate in self.rates], marker="o", markersize=3)
        ax.set_ylim(0, 100)
        ax.set_xlabel(self.x_label)
        ax.set_ylabel(f"{self.color.name.title()} wins (%)")
        return ax

    def __repr__(self) -> str:
        return f"ScorePlot({len(self.rates)} points by {self.x_label}, {self.color.name.title()})"


def _ticks(first: int, last: int, most: int) -> list[int]:
    """Round numbers from first to last, not more than most."""
    step = next(step for power in range(10) for step in (10**power, 2 * 10**power, 5 * 10**power) if (last - first) // step < max(most, 1))
    return list(range(-(-first // step) * step, last + 1, step))


def plot_scores(found: Iterable[Info | Score | None], color: Color = Color.BLACK, *, scale: float | None = None) -> ScorePlot:
    """Scores as a curve of winning rates of one side: those of an analysis by depth, those of a game by move.

    Infos of one position are drawn by depth, infos of positions whose plies grow by ply, everything else by its number from 1. Give an analysis, a
    ``BatchAnalysis``, or a list of infos, results or scores; None, and a row of a batch without result, is a gap.

    Args:
        found: What is drawn.
        color: The side whose winning rate is drawn.
        scale: See ``Score.winning_rate``.

    >>> from komadori import Color
    >>> plot = plot_scores([Score(cp=0, view=Color.BLACK), Score(cp=120, view=Color.WHITE), Score(mate=3, view=Color.BLACK)])
    >>> [round(rate, 2) for rate in plot.rates], plot
    ([0.5, 0.46, 1.0], ScorePlot(3 points by position, Black))
    """
    from ._search_batch import BatchAnalysis

    color = Color(color)
    items = found.results() if isinstance(found, BatchAnalysis) else list(_several("found", found, "infos or scores"))
    for item in items:
        if item is not None and not isinstance(item, (Info, Score)):
            raise TypeError(f"found must hold Info, SearchResult, Score or None, not {type(item).__name__}")
    numbers, label = list(range(1, len(items) + 1)), "position"
    infos = [item for item in items if isinstance(item, Info)]
    if infos and len(infos) == len(items):
        depths, plies = [info.depth for info in infos], [_ply(info.position) for info in infos]
        if len(infos) > 1 and len({info.position for info in infos}) == 1 and depths == sorted(set(depths)):
            numbers, label = depths, "depth"
        elif plies == sorted(set(plies)):
            numbers, label = plies, "move"
    rates: list[float | None] = []
    titles = []
    for number, item in zip(numbers, items, strict=True):
        if item is None:
            rates.append(None)
            titles.append("")
            continue
        score = (item if isinstance(item, Score) else item.score).pov(color)
        rates.append(score.winning_rate(scale))
        best = f", best {item.best_move.to_usi()}" if isinstance(item, Info) else ""
        titles.append(f"{label} {number}: {score}, {100 * score.winning_rate(scale):.1f} %{best}")
    return ScorePlot(color, numbers, rates, titles, label)


def _ply(position: str) -> int:
    """The number of the next move of a position line, from 1."""
    start, _, moves = position.partition(" moves ")
    words = start.split()
    return (int(words[-1]) if words[:1] == ["sfen"] and words[-1].isdigit() else 1) + len(moves.split())
