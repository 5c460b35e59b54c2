"""Scores, lines and what else a search tells; ``komadori.search`` has the names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import total_ordering
from html import escape
from typing import TYPE_CHECKING, Any

from . import _abi as abi
from ._named import Named
from .moves import Move
from .types import Color, Eval, _check_range

if TYPE_CHECKING:
    from .board import Board

MAX_PLIES_SHOWN = 16  # of a line in a table
MAX_ARROWS = 5  # on the board beside it
BOARD_SIZE = 320  # its width in pixels
MAX_NUMBER = 2**31 - 1  # of a score, of either sign


@total_ordering
@dataclass(frozen=True, eq=False)
class Score:
    """The worth of a position for one side: centipawns, or a forced mate. Exactly one of the two is set.

    Scores of one side are ordered: every mate is above all centipawns, a quicker one above a slower one; being mated is below.

    Attributes:
        cp: Centipawns, or None; 32 bits, as the number of plies.
        mate: Plies to mate, or None: positive when the side mates, negative or 0 when it is mated. 0 is a mate that stands on the board: lost, but
            for a score turned around, see ``won``.
        view: The side whose score it is; that of a search is the side to move. None in scores made without.
        won: Of a mate that stands on the board, seen by the side that gave it.

    >>> Score(cp=120, view=Color.BLACK).pov(Color.WHITE).cp
    -120
    >>> str(Score(mate=5)), Score(mate=5) > Score(cp=3000)
    ('mate 5', True)
    """

    cp: int | None = None
    mate: int | None = None
    view: Color | None = None
    won: bool = False

    def __post_init__(self) -> None:
        if (self.cp is None) == (self.mate is None):
            raise ValueError("a score is either centipawns or a mate")
        if self.won and self.mate != 0:
            raise ValueError("won is for mates that stand on the board")
        for name in ("cp", "mate"):
            value = getattr(self, name)
            if value is not None and not (type(value) is int and -MAX_NUMBER <= value <= MAX_NUMBER):
                object.__setattr__(self, name, _check_range(name, value, -MAX_NUMBER, MAX_NUMBER))
        if self.view is not None and type(self.view) is not Color:
            object.__setattr__(self, "view", Color(self.view))

    @property
    def is_mate(self) -> bool:
        """Whether it is a forced mate, of either side."""
        return self.mate is not None

    def _rank(self) -> tuple[int, int]:
        if self.mate is None:
            return 1, self.cp or 0
        return (2, -self.mate) if self.mate > 0 or self.won else (0, -self.mate)

    def __eq__(self, other: object) -> bool:
        """The same score. One without a side equals that of either."""
        if not isinstance(other, Score):
            return NotImplemented
        return self._rank() == other._rank() and (self.view == other.view or self.view is None or other.view is None)

    def __hash__(self) -> int:
        return hash(self._rank())

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Score):
            return NotImplemented
        if self.view is not None and other.view is not None and self.view != other.view:
            raise ValueError("scores of different sides have no order: take them from one side with pov()")
        return self._rank() < other._rank()

    def flip_side(self) -> Score:
        """The score seen from the other side."""
        view = None if self.view is None else Color(1 - self.view)
        if self.mate is None:
            return Score(cp=-(self.cp or 0), view=view)
        return Score(mate=-self.mate, view=view, won=self.mate == 0 and not self.won)

    def pov(self, color: Color) -> Score:
        """The score seen from a side (point of view). ValueError when the score does not know whose it is."""
        if self.view is None:
            raise ValueError("the score does not know whose it is: make it with view=")
        return self if self.view == Color(color) else self.flip_side()

    def winning_rate(self, scale: float | None = None) -> float:
        """The probability of winning, 0..1: ``1 / (1 + exp(-cp / scale))``; 1 and 0 for mates.

        Args:
            scale: Centipawns that turn even chances into 73 %; None for dlshogi's, ``training.VALUE_SCALE``.
        """
        if self.mate is not None:
            return 1.0 if self.mate > 0 or self.won else 0.0
        if scale is None:
            from .training import VALUE_SCALE

            scale = VALUE_SCALE
        if not scale > 0:
            raise ValueError(f"scale is {scale}, want more than 0")
        x = (self.cp or 0) / scale
        return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))

    def to_eval(self) -> Eval:
        """As a stored 16-bit evaluation: centipawns are cut to ±32000, mates are special: 32767 minus the plies, or the negative."""
        if self.mate is None:
            return Eval(max(-32000, min(32000, self.cp or 0)))
        plies = min(abs(self.mate), 766)
        return Eval(32767 - plies if self.mate > 0 or self.won else plies - 32767)

    def __str__(self) -> str:
        return f"cp {self.cp}" if self.mate is None else f"mate {self.mate}"

    def __repr__(self) -> str:
        what = f"cp={self.cp}" if self.mate is None else f"mate={self.mate}"
        view = "" if self.view is None else f", view=Color.{self.view.name}"
        return f"Score({what}{view}{', won=True' if self.won else ''})"


class Bound(Named):
    """Whether a score is exact, or the search knows only that it is at least (LOWER) or at most (UPPER) that: a limit came before it looked again."""

    EXACT = abi.KMD_BOUND_EXACT
    LOWER = abi.KMD_BOUND_LOWER
    UPPER = abi.KMD_BOUND_UPPER


@dataclass(frozen=True)
class Line:
    """One of the best lines.

    Attributes:
        score: For the side to move.
        pv: The moves, which replay legally; the first is the move that the score is of.
        bound: Whether the score is exact.
    """

    score: Score
    pv: tuple[Move, ...]
    bound: Bound = Bound.EXACT

    @property
    def move(self) -> Move:
        """The first move; Move.NONE of a line without moves."""
        return self.pv[0] if self.pv else Move.NONE

    @property
    def _sign(self) -> str:
        """What is shown before the score."""
        return {Bound.LOWER: "≥ ", Bound.UPPER: "≤ "}.get(self.bound, "")

    @property
    def _shown(self) -> str:
        """The score as tables in notebooks show it."""
        return self._sign + (f"{self.score.cp:+}" if self.score.cp is not None else str(self.score))


@dataclass(frozen=True, eq=False, repr=False)
class Info:
    """What a search knows after an iteration. Draws itself in notebooks: the board with the first moves of its lines, and a table of the lines.

    Attributes:
        best_move: The first move of the best line.
        score: Of the best line, for the side to move.
        pv: The best line, which replays legally.
        lines: All lines that were asked for, best first.
        depth: Completed depth in plies; 0 of a search that ended before that, whose scores are those of a first look.
        nodes: Positions looked at.
        selective_depth: Deepest ply looked at.
        elapsed: Seconds.
        hashfull: How full the transposition table is, in permille.
        position: The position as a position line of USI.

    Equal are those with the same moves, scores, depth and nodes, whatever time they took.
    """

    best_move: Move
    score: Score
    pv: tuple[Move, ...]
    nodes: int
    depth: int
    selective_depth: int = 0
    elapsed: float = 0.0
    lines: tuple[Line, ...] = ()
    hashfull: int = 0
    position: str = "startpos"

    def _what_counts(self) -> tuple[Any, ...]:
        return self.best_move, self.score, self.pv, self.nodes, self.depth, self.lines

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Info):
            return NotImplemented
        return self._what_counts() == other._what_counts()

    def __hash__(self) -> int:
        return hash(self._what_counts())

    @property
    def bound(self) -> Bound:
        """Whether the score is exact; that of the best line."""
        return self.lines[0].bound if self.lines else Bound.EXACT

    @property
    def ponder(self) -> Move:
        """The reply that is expected, or Move.NONE."""
        return self.pv[1] if len(self.pv) > 1 else Move.NONE

    @property
    def nps(self) -> float:
        """Nodes per second."""
        return self.nodes / max(self.elapsed, 1e-6)

    def board(self) -> Board:
        """A new board of the position, with its history."""
        from .board import Board

        return Board.from_position(self.position)

    def _head(self) -> str:
        head = f"depth {self.depth}/{max(self.selective_depth, self.depth)}, {self.nodes:,} nodes"
        return head if self.elapsed == 0 or self.nodes == 0 else f"{head} in {self.elapsed:.2f} s ({self.nps:,.0f}/s)"

    def __str__(self) -> str:
        """The lines in USI, one a line of text."""
        lines = self.lines or (Line(self.score, self.pv),)
        texts = [
            f"{i:3}. {line._sign + str(line.score):>9}  {' '.join(m.to_usi() for m in line.pv) or self.best_move.to_usi()}" for i, line in enumerate(lines, 1)
        ]
        return "\n".join([self._head(), *texts])

    def __repr__(self) -> str:
        sign = self.lines[0]._sign if self.lines else ""
        more = f", {len(self.lines)} lines" if len(self.lines) > 1 else ""
        return f"{type(self).__name__}({self.best_move.to_usi()}, {sign}{self.score}, depth {self.depth}, {self.nodes:,} nodes{more})"

    def _repr_html_(self) -> str:
        from .svg import Arrow

        board = self.board()
        lines = self.lines or (Line(self.score, self.pv),)
        numbers: dict[Any, list[int]] = {}  # of the lines by their arrows, which moves with and without promotion share
        for i, line in enumerate(lines[:MAX_ARROWS], 1):
            if line.move.is_normal:
                numbers.setdefault((line.move.is_drop or line.move.from_square, line.move.to_square), []).append(i)
        arrows = [
            Arrow(lines[of[0] - 1].move, width=0.9 if of[0] == 1 else 0.6, label=",".join(map(str, of)) if len(lines) > 1 else "")
            for of in reversed(numbers.values())  # the best on top
        ]
        return panel(board.svg(theme="auto", arrows=arrows, size=BOARD_SIZE), self._table(board, lines))

    def _table(self, board: Board, lines: Sequence[Line]) -> str:
        mark = "☗☖"[board.turn]
        rows = []
        for i, line in enumerate(lines, 1):
            rate = 100 * line.score.winning_rate()
            words, usi = words_of(board, line.pv, MAX_PLIES_SHOWN) if line.pv else ([self.best_move.to_usi()], self.best_move.to_usi())
            # A bar as long as the winning rate, seen on light and on dark.
            bar = f"background:linear-gradient(90deg,rgba(47,127,214,.35) {rate:.1f}%,rgba(128,128,128,.15) {rate:.1f}%)"
            rows.append(
                f"<tr><td {CELL}>{i}</td><td {CELL}>{escape(line._shown)}</td>"
                f'<td {CELL}><div style="min-width:4.5em;padding:0 4px;border-radius:3px;{bar}">{rate:.1f} %</div></td>'
                f"{line_cell(words, usi)}</tr>"
            )
        heads = "".join(f"<th {CELL}>{name}</th>" for name in ("", f"score of {mark}", "wins", "line"))
        caption = f'<caption style="text-align:left;caption-side:top;padding:3px 10px">{escape(self._head())}</caption>'
        return f'<table style="border-collapse:collapse;margin:0">{caption}<thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


CELL = 'style="text-align:left;vertical-align:top;padding:3px 10px;white-space:nowrap"'


def panel(drawing: object, text: str) -> str:
    """A board and a table beside it, which is as wide as the page has room and breaks its lines."""
    return (
        f'<div style="display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start"><div>{drawing}</div>'
        f'<div style="flex:1 1 24em;min-width:0;overflow-x:auto">{text}</div></div>'
    )


def line_cell(words: Sequence[str], usi: str) -> str:
    """The cell of a line, which may be broken between moves, not within one."""
    spans = " ".join(f'<span style="white-space:nowrap">{escape(word)}</span>' for word in words)
    return f'<td style="text-align:left;vertical-align:top;padding:3px 10px">{spans}<br><code style="font-size:85%;opacity:.75">{escape(usi)}</code></td>'


def words_of(board: Board, pv: Sequence[Move], most: int) -> tuple[list[str], str]:
    """The beginning of a line in KIF words and in USI."""
    board, words = board.copy(), []
    for move in pv[:most]:
        words.append("☗☖"[board.turn] + board.kif(move))
        board.push(move)
    more = ["…"] if len(pv) > most else []
    return words + more, " ".join([*(move.to_usi() for move in pv[:most]), *more])


@dataclass(frozen=True, eq=False, repr=False)
class SearchResult(Info):
    """What a search found. Draws itself in notebooks as an Info does.

    Attributes:
        best_move: A legal move; Move.RESIGN when there is none, Move.WIN when declaring wins, Move.NONE when only moves that are not legal were to be searched.
        stopped: Whether ``stop`` ended it, or the iterator of the analysis was left.
    """

    stopped: bool = False


def make_score(kind: int, number: int, view: Color) -> Score:
    return Score(mate=number, view=view) if kind == abi.KMD_SCORE_MATE else Score(cp=number, view=view)


def moves_of(raw: abi.kmd_result | abi.kmd_info | abi.kmd_found) -> tuple[Move, ...]:
    return tuple(Move(value) for value in raw.pv[: raw.pv_length])


def line_of(raw: abi.kmd_info, view: Color) -> Line:
    return Line(make_score(raw.kind, raw.score, view), moves_of(raw), Bound(raw.bound))
