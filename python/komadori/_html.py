"""What notebooks show for values that are no boards: small pieces of HTML that look well on light and dark pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._records import Records
    from .board import MoveList
    from .moves import Move

ROWS_SHOWN = 10
BOARDS_SHOWN = 3
_BLUE = "rgba(45,120,200,.35)"


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def bar(share: float, text: str) -> Html:
    """A number with a bar behind it."""
    percent = f"{100 * min(max(share, 0.0), 1.0):.1f}%"
    return Html(f'<div style="min-width:6em;padding:0 4px;background:linear-gradient({_BLUE},{_BLUE}) no-repeat left/{percent} 100%">{escape(text)}</div>')


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str = "", left: Iterable[int] = ()) -> Html:
    """A table; columns of ``left`` are of words, the others of numbers."""
    words = set(left)

    def cell(tag: str, k: int, text: str) -> str:
        style = f"text-align:{'left' if k in words else 'right'};padding:2px 8px;white-space:nowrap;vertical-align:top"
        return f'<{tag} style="{style}">{text if isinstance(text, Html) else escape(text)}</{tag}>'

    head = "".join(cell("th", k, text) for k, text in enumerate(heads))
    body = "".join(f"<tr>{''.join(cell('td', k, text) for k, text in enumerate(row))}</tr>" for row in rows)
    named = f"<caption>{escape(caption)}</caption>" if caption else ""
    return Html(f'<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">{named}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>')


def beside(*parts: str) -> Html:
    """Parts beside each other, below each other where there is no room."""
    return Html('<div style="display:flex;flex-wrap:wrap;gap:12px;align-items:flex-start">' + "".join(f"<div>{part}</div>" for part in parts) + "</div>")


def of_move(move: Move, name: str = "Move") -> str:
    """A move on an empty board, with its numbers."""
    from .labels import NONE
    from .svg import board_svg
    from .types import Color

    if not move.is_normal:
        return f"<code>{escape(repr(move))}</code>"
    drawn = board_svg(bytes(81), None, 0, arrows=[move], theme="auto", size=330, label=f"move {move.to_usi()}")
    lines = [("USI", move.to_usi()), ("value", f"{move.value} = {move.value:#06x}")]
    for color in Color:
        for what, number in (("label", _label(move.label, color)), ("compact label", _label(move.compact_label, color))):
            if number is not None and number != NONE:
                lines.append((f"{what}, {color.name.title()}", str(number)))
    rows = "".join(f'<tr><th style="text-align:left;padding:1px 8px">{escape(a)}</th><td style="text-align:left">{escape(b)}</td></tr>' for a, b in lines)
    return beside(drawn, f"<table>{rows}</table>")


def _label(ask: Any, color: int) -> int | None:
    from .errors import InvalidValueError

    try:
        return int(ask(color))
    except InvalidValueError:
        return None


def of_moves(moves: MoveList) -> str:
    """How many moves end where, and all of them in USI."""
    from .svg import board_svg

    targets: dict[int, int] = {}
    for move in moves:
        targets[int(move.to_square)] = targets.get(int(move.to_square), 0) + 1
    texts = {square: str(n) for square, n in targets.items()}
    drawn = board_svg(bytes(81), None, None, heat=targets, texts=texts, theme="auto", size=330, label="targets of moves")
    words = " ".join(f"<code>{move.to_usi()}</code>" for move in moves)
    return beside(drawn, f'<div style="max-width:42em"><b>{len(moves)} moves</b><br>{words}</div>')


def of_records(records: Records, caption: str) -> str:
    """The first rows of an array of records: some boards, and a table."""
    from ._explain import Explanation

    shown = [_explained(Explanation, records, row) for row in range(min(len(records), ROWS_SHOWN))]
    boards = [one._svg(theme="auto", size=300) for one in shown[:BOARDS_SHOWN] if one.board is not None]
    rows = []
    for one in shown:
        if one.error is not None or one.board is None or one.move is None or one.result is None or one.value is None:
            rows.append([f"{one.row:,}", f"{type(one.error).__name__}: {one.error}"])
            continue
        rows.append(
            [
                f"{one.row:,}",
                one.words,
                one.move.to_usi(),
                str(one.label),
                f"{one.eval:+}",
                bar(one.value, f"{one.value:.3f}"),
                {1.0: "won", 0.5: "draw", 0.0: "lost"}[one.result],
                str(one.ply) if one._has_ply else "",
                Html(f'<code style="white-space:nowrap">{escape(one.board.to_sfen(ply=False))}</code>'),
            ]
        )
    heads = ("row", "move", "USI", "label", "eval", "value", "result", "ply", "position")
    more = f"<p>… {len(records) - len(shown):,} more rows</p>" if len(records) > len(shown) else ""
    return beside(*boards) + table(heads, rows, caption=caption, left=(1, 2, 6, 8)) + more


def _explained(kind: Any, records: Records, row: int) -> Any:
    numbers = records.rows
    number = row if numbers is None else int(numbers[row])
    return kind(records[row : row + 1], number, None, number, {})
