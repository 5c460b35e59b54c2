"""Looking at positions: tables of legal moves with labels, policy and scores, which draw themselves in notebooks, and game viewers.

>>> from komadori import Board, view
>>> table = view.moves(Board(), logits=[0.0] * 2187)
>>> len(table), round(table[0].policy, 4)
(30, 0.0333)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from ._html import Html, bar, beside, table
from .board import Board
from .moves import Move
from .svg import Arrow, Drawing
from .types import Style, _check_range, _several

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .search import Info, Score

__all__ = ["MoveRow", "MoveTable", "moves"]

#: One number of a policy head for each class, or by move.
Numbers: TypeAlias = "npt.ArrayLike | Mapping[Move, float]"
ROWS_SHOWN = 20
ARROWS = 5


@dataclass(frozen=True)
class MoveRow:
    """A move of a table.

    Attributes:
        move: The move.
        words: In KIF with the mark of the side, such as ``☗７六歩(77)``.
        label: Policy label 0..2186.
        compact_label: Label 0..1495.
        logit: Of the network, or None.
        policy: Probability, or None.
        score: What was given for it, or None.
    """

    move: Move
    words: str
    label: int
    compact_label: int
    logit: float | None = None
    policy: float | None = None
    score: Score | float | None = None

    def __str__(self) -> str:
        told = [f"{self.words} {self.move}: label {self.label}, compact {self.compact_label}"]
        if self.logit is not None:
            told.append(f"logit {self.logit:.3f}")
        if self.policy is not None:
            told.append(f"policy {self.policy:.1%}")
        if self.score is not None:
            told.append(f"score {self.score}")
        return ", ".join(told)


class MoveTable(Sequence[MoveRow]):
    """Legal moves of a position with what is known about them, best first. A sequence of rows; it draws itself in notebooks.

    Attributes:
        board: A copy of the board.
        mass: Share of the given probabilities that lies on the moves of the table; 1 for logits.
    """

    def __init__(self, board: Board, rows: Sequence[MoveRow], mass: float | None) -> None:
        self.board, self._rows, self.mass = board, list(rows), mass

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> MoveRow: ...
    @overload
    def __getitem__(self, index: slice) -> MoveTable: ...
    def __getitem__(self, index: int | slice) -> MoveRow | MoveTable:
        if isinstance(index, slice):
            return MoveTable(self.board, self._rows[index], self.mass)
        return self._rows[index]

    def row(self, move: Move) -> MoveRow:
        """The row of a move. KeyError when it is not in the table."""
        for row in self._rows:
            if row.move == move:
                return row
        raise KeyError(move)

    @property
    def entropy(self) -> float | None:
        """Of the policy over the moves of the table, in bits; None without policy."""
        from math import log2

        shares = [row.policy for row in self._rows if row.policy]
        total = sum(shares)
        return -sum(p / total * log2(p / total) for p in shares) if total else None

    def heat(self) -> dict[int, float]:
        """Policy by target square; without policy the number of moves."""
        found: dict[int, float] = {}
        for row in self._rows:
            square = int(row.move.to_square)
            found[square] = found.get(square, 0.0) + (1.0 if row.policy is None else row.policy)
        return found

    def svg(self, top: int = ARROWS, *, heat: bool = True, **options: Any) -> Drawing:
        """The board with the best moves as arrows, wide as their policy, over a heat map of the policy by target square.

        Args:
            top: How many arrows.
            heat: Whether to draw the heat map.
            options: Those of ``Board.svg``.
        """
        best = self._rows[: _check_range("top", top, 0, 593)]
        largest = max((row.policy or 0.0 for row in best), default=0.0)
        arrows = []
        known = [row for row in best if row.policy is not None or row.score is not None]
        for row in reversed(known or best):  # the best lies on top
            label, width = "", 1.0
            if row.policy is not None:
                label = f"{100 * row.policy:.0f} %" if row.policy >= 0.01 else ""
                width = 0.4 + 0.9 * (row.policy / largest if largest else 1.0)
            elif row.score is not None:
                label = _short(row.score)
            arrows.append(Arrow(row.move, None, width, label))
        if heat and largest:
            options.setdefault("heat", self.heat())
        return self.board.svg(arrows=[*options.pop("arrows", ()), *arrows], **options)

    def plot(self, top: int = ROWS_SHOWN, ax: Any = None) -> Any:
        """Bars of the policy, or of the scores without policy. Needs matplotlib.

        Args:
            top: How many moves.
            ax: Axes of matplotlib to draw into; None for new ones.

        Returns:
            The axes.
        """
        from ._plots import axes

        rows = self._rows[:top]
        values = [row.policy if row.policy is not None else _number(row.score) for row in rows]
        ax = axes(ax, (6, 0.6 + 0.26 * len(rows)))
        ax.barh(range(len(rows)), [value or 0.0 for value in values], color="#2d78c8")
        ax.set_yticks(range(len(rows)), [row.move.to_usi() for row in rows])
        ax.invert_yaxis()
        ax.set_xlabel("policy" if any(row.policy is not None for row in rows) else "score")
        return ax

    def to_numpy(self) -> npt.NDArray[np.void]:
        """As a structured array: move (uint16), label, compact_label (uint16), logit, policy, score (float64, NaN where there is none)."""
        import numpy as np

        kind = [("move", "u2"), ("label", "u2"), ("compact_label", "u2"), ("logit", "f8"), ("policy", "f8"), ("score", "f8")]
        nan = float("nan")
        rows = []
        for row in self._rows:
            score = _number(row.score)
            numbers = [nan if x is None else x for x in (row.logit, row.policy, score)]
            rows.append((row.move.value, row.label, row.compact_label, *numbers))
        return np.array(rows, kind)

    def _columns(self) -> tuple[list[str], bool, bool, bool]:
        logit = any(row.logit is not None for row in self._rows)
        policy = any(row.policy is not None for row in self._rows)
        score = any(row.score is not None for row in self._rows)
        heads = ["", "move", "USI", "label", "compact", *(["logit"] if logit else []), *(["policy"] if policy else []), *(["score"] if score else [])]
        return heads, logit, policy, score

    def _cells(self, number: int, row: MoveRow, html: bool) -> list[str]:
        _, logit, policy, score = self._columns()
        cells: list[str] = [str(number), row.words, row.move.to_usi(), str(row.label), str(row.compact_label)]
        if logit:
            cells.append("" if row.logit is None else f"{row.logit:.3f}")
        if policy:
            share = row.policy or 0.0
            text = "" if row.policy is None else f"{100 * share:.2f} %"
            cells.append(bar(share, text) if html else text)
        if score:
            cells.append("" if row.score is None else _short(row.score))
        return cells

    def _caption(self) -> str:
        parts = [f"{len(self)} moves of {'☗☖'[self.board.turn]}"]
        if self.mass is not None and self.mass < 0.9995:
            parts.append(f"{100 * self.mass:.1f} % of the policy is on them")
        if self.entropy is not None:
            parts.append(f"entropy {self.entropy:.2f} bits")
        return ", ".join(parts)

    def __str__(self) -> str:
        lines = [self._caption(), " ".join(f"{head:>9}" for head in self._columns()[0] if head not in ("", "move"))]
        for number, row in enumerate(self._rows, 1):
            cells = self._cells(number, row, False)
            lines.append(" ".join(f"{cell:>9}" for cell in cells[2:]) + f"  {cells[1]}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        best = ", ".join(row.move.to_usi() for row in self._rows[:3])
        return f"<MoveTable: {len(self)} moves, {best}{', …' if len(self) > 3 else ''}>"

    def _repr_html_(self) -> str:
        shown = self._rows[:ROWS_SHOWN]
        rows = [self._cells(number, row, True) for number, row in enumerate(shown, 1)]
        more = Html(f"<p>… {len(self) - len(shown)} more</p>") if len(self) > len(shown) else ""
        return beside(self.svg(theme="auto"), table(self._columns()[0], rows, caption=self._caption(), left=(1, 2)) + more)


def _short(score: Score | float) -> str:
    if isinstance(score, int | float):
        return f"{score:+g}"
    return f"{score.cp:+}" if score.cp is not None else str(score)


def _number(score: Score | float | None) -> float | None:
    """A score as a number: mates as evaluations that are larger than all others."""
    if score is None or isinstance(score, int | float):
        return score
    return float(score.to_eval())


def moves(
    board: Board,
    logits: Numbers | None = None,
    *,
    policy: Numbers | None = None,
    scores: Info | Mapping[Move, Any] | None = None,
    mirrored: bool = False,
    temperature: float = 1.0,
    only: Iterable[Move] | None = None,
) -> MoveTable:
    """The legal moves of a position with their labels, and what a network or a search says of them.

    Labels are seen by the side to move, so a network that is fed with planes of this library needs nothing turned.

    Args:
        board: The position.
        logits: Output of a policy head, 2187 or 1496 numbers (any shape, also a tensor of PyTorch on the CPU), or by move. The policy is their softmax
            over the legal moves.
        policy: Probabilities instead: 2187 or 1496 numbers, or by move. They are shown as they are; ``MoveTable.mass`` tells what lies on legal moves.
        scores: What a search found, or anything by move: a Score or a number.
        mirrored: Whether the network saw the board with files mirrored.
        temperature: Of the softmax; above 1 flatter.
        only: Only these moves.

    Returns:
        A table, by policy, else by score, else in the order of ``legal_moves``.

    Raises:
        ValueError: Numbers of another size or not finite, logits and policy together, a temperature that is not above 0.
        IllegalMoveError: A move of ``only``, or one that numbers are given for, is not legal.

    >>> board = Board()
    >>> best = moves(board, {Move.from_usi("7g7f"): 2.0, Move.from_usi("2g2f"): 1.0})[0]
    >>> best.move.to_usi(), best.label, best.words
    ('7g7f', 59, '☗７六歩(77)')
    """
    import math

    if not isinstance(board, Board):
        raise TypeError(f"board must be Board, not {type(board).__name__}")
    if logits is not None and policy is not None:
        raise ValueError("logits and policy are both given, want one")
    if isinstance(temperature, bool) or not hasattr(temperature, "__float__"):
        raise TypeError(f"temperature must be a number, not {type(temperature).__name__}")
    if not temperature > 0 or not math.isfinite(temperature):
        raise ValueError(f"temperature {temperature!r}, want a number above 0")
    board = board.copy()
    legal = list(board.legal_moves()) if only is None else list(_several("only", only, "moves"))
    words = board.format_moves(legal, Style.KIF)
    mark = "☗☖"[board.turn]
    found = _by_move(board, legal, logits if logits is not None else policy, "logits" if logits is not None else "policy", mirrored)
    shares: dict[Move, float] = {}
    mass: float | None = None
    if logits is not None and found:
        top = max(found.values())
        raised = {move: math.exp((x - top) / temperature) for move, x in found.items()}
        total = sum(raised.values())
        shares, mass = {move: x / total for move, x in raised.items()}, 1.0
    elif policy is not None:
        shares, mass = found, sum(found.values())
    scored = _scored(board, scores)
    rows = []
    for move, word in zip(legal, words, strict=True):
        logit = found.get(move) if logits is not None else None
        labels = move.label(board.turn), move.compact_label(board.turn)
        rows.append(MoveRow(move, mark + word, *labels, logit, shares.get(move), scored.get(move)))
    if shares:
        rows.sort(key=lambda row: -(row.policy or 0.0))
    elif scored:
        place = {move: k for k, move in enumerate(scored)}  # of equal ones the first that was given
        rows.sort(key=lambda row: (-x if (x := _number(row.score)) is not None else math.inf, place.get(row.move, 0)))
    return MoveTable(board, rows, mass)


def _by_move(board: Board, legal: Sequence[Move], numbers: Numbers | None, name: str, mirrored: bool) -> dict[Move, float]:
    import numpy as np

    from . import labels

    if numbers is None:
        return {}
    if isinstance(numbers, Mapping):
        board.format_moves(numbers, Style.USI)  # IllegalMoveError
        found = {move: float(x) for move, x in numbers.items()}
    else:
        detached: Any = numbers
        if hasattr(detached, "detach"):
            detached = detached.detach().cpu().float()
        try:
            array = np.asarray(detached, np.float64).ravel()
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from None
        if array.size not in (labels.COUNT, labels.COMPACT_COUNT):
            raise ValueError(f"{name} has {array.size} numbers, want {labels.COUNT} or {labels.COMPACT_COUNT}")
        compact = array.size == labels.COMPACT_COUNT
        found = {}
        for move in legal:
            seen = move.mirror_file() if mirrored else move
            found[move] = float(array[seen.compact_label(board.turn) if compact else seen.label(board.turn)])
    if not all(np.isfinite(list(found.values()))):
        raise ValueError(f"{name} of legal moves that are not finite")
    return found


def _scored(board: Board, scores: Info | Mapping[Move, Any] | None) -> dict[Move, Any]:
    from .search import Info

    if scores is None:
        return {}
    if isinstance(scores, Info):
        found: dict[Move, Any] = {line.move: line.score for line in scores.lines if line.pv}
        if not found and scores.pv:
            found = {scores.pv[0]: scores.score}
        scores = found
    if not isinstance(scores, Mapping):
        raise TypeError(f"scores must be an Info, a SearchResult or a mapping of moves, not {type(scores).__name__}")
    board.format_moves(scores, Style.USI)
    return dict(scores)
