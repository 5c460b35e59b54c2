"""A game to play through: one HTML page that needs nothing else, with variations, comments, times and a graph of evaluations.

``komadori.Kifu`` draws itself with it in notebooks; ``Viewer`` is for more: scores of a search, another start, a file to keep.

>>> from komadori import Board
>>> page = Viewer(Board.from_position("startpos moves 7g7f 3c3d"), title="A game").html
>>> page.startswith("<!DOCTYPE html>"), "☗７六歩(77)" in page
(True, True)
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ._html import Html
from .board import Board
from .errors import KomadoriError
from .moves import Move
from .svg import viewer_board
from .types import Color, Style, _check_range

if TYPE_CHECKING:
    from .kifu import Kifu, KifuNode
    from .search import Info, Score

__all__ = ["Viewer"]

#: Scores of the positions of the main line: by the number of moves before them, or one for each from the start on. None where there is none.
Scores: TypeAlias = "Mapping[int, Info | Score | None] | Sequence[Info | Score | None]"

HEIGHT = 580
_ENDINGS = {
    "RESIGN": "投了", "PAUSED": "中断", "REPETITION": "千日手", "IMPASSE": "持将棋", "MATE": "詰み", "NO_MATE": "不詰", "TIME_UP": "切れ負け",
    "ILLEGAL_MOVE": "反則負け", "ILLEGAL_BEFORE": "反則勝ち", "DECLARATION": "入玉勝ち", "FORFEIT_LOSS": "不戦敗", "FORFEIT_WIN": "不戦勝",
    "MAX_MOVES": "最大手数", "DRAW_DECLARED": "引き分け", "TAKE_BACK": "待った",
}  # fmt: skip
_PLAYERS = (("先手", "下手"), ("後手", "上手"))


class Viewer:
    """A game as a page that can be played through, by mouse or keys: arrows left and right, Home, End, up and down for variations, f turns the board.

    It draws itself in notebooks, in a frame of its own, and follows their light or dark theme.

    Args:
        game: A Kifu, or a Board, whose history is shown.
        scores: Scores of the positions of the main line, such as ``search.analyse_batch`` of its boards gives: one for each position from the start
            on, or by the number of moves. Infos show their best move and line, too. None for what engines say in comments of the record, ``Kifu.analyses``.
        title: None for what the headers say.
        flipped: Whether White sits below.
        ply: Which position of the main line is shown first; negative numbers count from the end.
        words: How moves are written, a Style.
        blunder: Loss of winning rate, 0..1, from which a move is marked in the graph.
        scale: See ``Score.winning_rate``.
        height: Of the frame in notebooks, in pixels, at most.

    Attributes:
        html: The page.

    Raises:
        ValueError: More scores than positions, or a number out of range.
    """

    def __init__(
        self,
        game: Kifu | Board,
        scores: Scores | None = None,
        *,
        title: str | None = None,
        flipped: bool = False,
        ply: int = 0,
        words: int = Style.KIF,
        blunder: float = 0.2,
        scale: float | None = None,
        height: int = HEIGHT,
    ) -> None:
        from .kifu import Kifu, check_text

        if isinstance(game, Board):
            game = Kifu(game)
        if not isinstance(game, Kifu):
            raise TypeError(f"game must be Kifu or Board, not {type(game).__name__}")
        if title is not None and not isinstance(title, str):
            raise TypeError(f"title must be str or None, not {type(title).__name__}")
        check_text("title", title or "")
        if isinstance(blunder, bool) or not hasattr(blunder, "__float__"):
            raise TypeError(f"blunder must be a number, not {type(blunder).__name__}")
        if not 0 < blunder <= 1:
            raise ValueError(f"blunder {blunder!r}, want a number above 0, at most 1")
        self.height = _check_range("height", height, 100, 10000)
        plies = len(game)
        if isinstance(ply, bool) or not hasattr(ply, "__index__"):
            raise TypeError(f"ply must be int, not {type(ply).__name__}")
        at = range(plies + 1)[ply]
        rows, main = _rows(game, Style(words), _by_ply(scores, plies), scale)
        head = dict(game.headers)
        players = [next((head.pop(key) for key in keys if key in head), "") for keys in _PLAYERS]
        if title is None:
            title = head.get("棋戦") or head.get("表題") or " – ".join(name for name in players if name) or "Game"
        svg, geometry = viewer_board(game.board_at(at), flipped)
        data = {
            "start": game.start,
            "flipped": bool(flipped),
            "at": main[at],
            "scored": any(row[6] for row in rows),
            "blunder": round(1000 * blunder),
            "geometry": geometry,
            "nodes": rows,
        }
        table = "".join(f"<tr><td>{escape(key)}</td><td>{escape(value)}</td></tr>" for key, value in head.items())
        parts = {
            "title": escape(title),
            "board": svg,
            "players": " ".join(f"<span>{mark} <b>{escape(name)}</b></span>" for mark, name in zip("☗☖", players, strict=True) if name),
            "headers": f"<details><summary>headers</summary><table>{table}</table></details>" if head else "",
            # Nothing in the data can end the element that it stands in.
            "data": json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
        }
        self._words = f"<Viewer: {title}, {plies} moves>"
        self.html: str = re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _template())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"path must be str or a path, not {type(path).__name__}")
        Path(path).write_text(self.html, encoding="utf-8")

    def __repr__(self) -> str:
        return self._words

    def _repr_html_(self) -> str:
        framed = escape(self.html)
        return Html(f'<iframe srcdoc="{framed}" style="width:100%;max-width:1110px;height:{self.height}px;border:0" title="game" allow="fullscreen"></iframe>')


@cache
def _template() -> str:
    return (Path(__file__).parent / "_viewer.html").read_text(encoding="utf-8")


def _by_ply(scores: Scores | None, plies: int) -> dict[int, Any] | None:
    """Scores by the number of moves before them."""
    if scores is None:
        return None
    if isinstance(scores, Mapping):
        return {_check_range("ply of a score", ply, 0, plies): score for ply, score in scores.items()}
    if not hasattr(scores, "__len__") or isinstance(scores, str):
        raise TypeError(f"scores must be a sequence or a mapping of scores, not {type(scores).__name__}")
    if len(scores) > plies + 1:
        raise ValueError(f"{len(scores)} scores, want at most {plies + 1}: one for each position")
    found = {}
    for ply in range(len(scores)):
        try:
            found[ply] = scores[ply]
        except KomadoriError:  # a position that has no result, of a batch
            continue
    return found


def _rows(game: Kifu, style: Style, scores: dict[int, Any] | None, scale: float | None) -> tuple[list[list[Any]], list[int]]:
    """Rows of the tree for the page: parent, USI, words, whether something is wrong, comment, milliseconds, score, Black's winning rate, best move.

    And the numbers of the rows of the main line, without its ending.
    """
    rows: list[list[Any]] = []
    main: list[int] = []
    said = {id(one.node): one for one in game.analyses if one.rank == 1} if scores is None else {}
    waiting: list[tuple[KifuNode, int, Board | None, bool]] = [(game.root, -1, game.board_at(0), True)]
    while waiting:
        node, parent, board, is_main = waiting.pop()
        words, usi, wrong = "", "", 0
        if node.move is not None:
            usi = node.move.to_usi()
            words, board, wrong = _played(node, node.move, board, style)
        elif node.ending is not None:
            words = node.words or _ENDINGS.get(node.ending.name, node.ending.name.lower())
        if is_main and node.ending is None:
            main.append(len(rows))
        comment = node.comment
        score, rate, best, line = _scored(scores.get(len(main) - 1) if scores is not None and is_main and node.ending is None else None, board, style, scale)
        if (analysis := said.get(id(node))) is not None and board is not None:
            score, rate, *_ = _scored(analysis.score, board, style, scale)
            if analysis.start is node and analysis.pv:
                best = analysis.pv[0].to_usi()
        if line:
            comment = f"{line}\n{comment}" if comment else line
        if node.bookmarks:
            comment = "\n".join([*(f"🔖 {name}" for name in node.bookmarks), *([comment] if comment else [])])
        number = len(rows)
        rows.append([parent, usi, words, wrong, comment, node.time_ms, score, rate, best])
        children = node.children
        for k in range(len(children) - 1, 0, -1):
            waiting.append((children[k], number, None if board is None else board.copy(), False))
        if children:
            waiting.append((children[0], number, board, is_main))
    return rows, main


def _played(node: KifuNode, move: Move, board: Board | None, style: Style) -> tuple[str, Board | None, int]:
    """Words of a move, the board after it (None where no board can show it), and whether something is wrong with it."""
    if board is not None and board.is_legal(move):
        words = "☗☖"[board.turn] + _word(board, move, style)
        board.push(move)
        return words, board, 0
    try:
        return move.to_usi(), node.board(), 1
    except KomadoriError:
        return move.to_usi(), None, 1


def _word(board: Board, move: Move, style: Style) -> str:
    words = board.format_moves([move], style)[0]
    return words.lstrip("▲△+-") if style in (Style.KI2, Style.CSA) else words


def _scored(found: Any, board: Board | None, style: Style, scale: float | None) -> tuple[str, int | None, str, str]:
    """Text of a score, Black's winning rate in permille, the best move in USI, and a line as words."""
    from .search import Info, Score

    if found is not None and not isinstance(found, (Info, Score)):
        raise TypeError(f"scores must hold Info, Score or None, not {type(found).__name__}")
    if found is None or board is None:
        return "", None, "", ""
    score: Score = found.score if isinstance(found, Info) else found
    best = line = ""
    if isinstance(found, Info):
        if found.best_move.is_normal:
            best = found.best_move.to_usi()
        words, replay = [], board.copy()
        for move in found.pv[:12]:
            if not replay.is_legal(move):
                break
            words.append("☗☖"[replay.turn] + _word(replay, move, style))
            replay.push(move)
        line = f"{score} {' '.join(words)}" if words else ""
    black = score if score.view is None else score.pov(Color.BLACK)
    if score.view is None and board.turn == Color.WHITE:
        raise ValueError(f"{score!r} does not know whose it is: make it with view=")
    text = f"{black.cp:+}" if black.cp is not None else str(black)
    rate = black.winning_rate(scale)
    return text, round(1000 * rate) if math.isfinite(rate) else None, best, line
