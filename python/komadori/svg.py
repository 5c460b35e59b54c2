"""Drawings of boards as SVG text, without any other package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

_KANJI = ("", "歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "杏", "圭", "全", "馬", "龍")
_RANKS = "一二三四五六七八九"
_CELL, _LEFT, _TOP = 40, 64, 34
_FONT = "'Noto Serif CJK JP','Hiragino Mincho ProN','Yu Mincho','MS Mincho',serif"


def board_svg(
    pieces: Sequence[int],
    hands: tuple[Sequence[int], Sequence[int]],
    turn: int,
    *,
    last_move: tuple[int, int] | None = None,
    fills: Mapping[int, str] | None = None,
    arrows: Iterable[tuple[int, int]] = (),
    flipped: bool = False,
    size: int | None = None,
) -> str:
    """Draws a board with both hands.

    Args:
        pieces: Piece numbers by square, 81 or more entries.
        hands: Counts in the order P L N S B R G of Black and White.
        turn: Side to move, 0 Black.
        last_move: From and to square to mark; from 81 for a drop.
        fills: Colors of squares.
        arrows: Pairs of squares.
        flipped: Whether White sits below.
        size: Width in pixels; None for the natural one.

    Returns:
        A complete ``<svg>`` element.
    """
    width, height = 2 * _LEFT + 9 * _CELL, _TOP + 9 * _CELL + 14
    marked = {square: escape(str(color)) for square, color in (fills or {}).items()}
    arrows = list(arrows)
    for square in [*marked, *(end for arrow in arrows for end in arrow)]:
        if not 0 <= square <= 80:
            raise ValueError(f"square {square}, want 0..80")
    if last_move is not None:
        marked.setdefault(last_move[1], "#f4c978")
        if last_move[0] <= 80:
            marked.setdefault(last_move[0], "#f9e3b4")

    def corner(square: int) -> tuple[int, int]:
        file, rank = square // 9, square % 9
        column, row = (file, 8 - rank) if flipped else (8 - file, rank)
        return _LEFT + column * _CELL, _TOP + row * _CELL

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{int(size or width)}" role="img" aria-label="shogi board" '
        f'font-family="{_FONT}">',
        f'<rect width="{width}" height="{height}" fill="#fffdf7"/>',
        f'<rect x="{_LEFT}" y="{_TOP}" width="{9 * _CELL}" height="{9 * _CELL}" fill="#fbe7bd"/>',
    ]
    for square, color in marked.items():
        x, y = corner(square)
        parts.append(f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="{color}"/>')
    lines = "".join(f"M{_LEFT + k * _CELL} {_TOP}v{9 * _CELL}M{_LEFT} {_TOP + k * _CELL}h{9 * _CELL}" for k in range(10))
    parts.append(f'<path d="{lines}" stroke="#6b4f1d" fill="none"/>')
    for fx, fy in ((3, 3), (3, 6), (6, 3), (6, 6)):
        parts.append(f'<circle cx="{_LEFT + fx * _CELL}" cy="{_TOP + fy * _CELL}" r="3" fill="#6b4f1d"/>')
    for k in range(9):
        file = k + 1 if flipped else 9 - k
        rank = 8 - k if flipped else k
        parts.append(f'<text x="{_LEFT + k * _CELL + _CELL // 2}" y="{_TOP - 8}" font-size="14" text-anchor="middle">{file}</text>')
        parts.append(f'<text x="{_LEFT + 9 * _CELL + 5}" y="{_TOP + k * _CELL + 25}" font-size="14">{_RANKS[rank]}</text>')
    for square in range(81):
        piece = pieces[square]
        if piece == 0:
            continue
        x, y = corner(square)
        cx, cy = x + _CELL // 2, y + _CELL // 2
        turned = (piece >= 16) != flipped
        color = "#b3261e" if 9 <= piece & 15 <= 14 else "#1d1b16"
        kanji = "王" if piece == 24 else _KANJI[piece & 15]
        rotate = f' transform="rotate(180 {cx} {cy})"' if turned else ""
        parts.append(f'<text x="{cx}" y="{cy + 10}" font-size="29" text-anchor="middle" fill="{color}"{rotate}>{kanji}</text>')
    for origin, to in arrows:
        (x1, y1), (x2, y2) = corner(origin), corner(to)
        half = _CELL // 2
        parts.append(
            f'<line x1="{x1 + half}" y1="{y1 + half}" x2="{x2 + half}" y2="{y2 + half}" '
            f'stroke="#1b6e4b" stroke-width="5" stroke-opacity=".7" stroke-linecap="round"/>'
            f'<circle cx="{x2 + half}" cy="{y2 + half}" r="8" fill="#1b6e4b" fill-opacity=".7"/>'
        )
    for color_index, counts in enumerate(hands):
        below = (color_index == 0) != flipped
        x = _LEFT + 9 * _CELL + 42 if below else 20
        mark = "☗" if color_index == 0 else "☖"
        held = [(f"{_KANJI[kind + 1]}", n) for kind, n in sorted(enumerate(counts), key=lambda item: -(0, 1, 2, 3, 5, 6, 4)[item[0]]) if n]
        weight = ' font-weight="bold" fill="#b3261e"' if color_index == turn else ""
        words = [f'<text x="{x}" y="{_TOP + 14}" font-size="18" text-anchor="middle"{weight}>{mark}</text>']
        y = _TOP + 42
        for word, n in held:
            words.append(f'<text x="{x}" y="{y}" font-size="20" text-anchor="middle">{word}</text>')
            if n > 1:
                words.append(f'<text x="{x}" y="{y + 16}" font-size="13" text-anchor="middle">{n}</text>')
            y += 38 if n > 1 else 26
        if not held:
            words.append(f'<text x="{x}" y="{y}" font-size="13" text-anchor="middle" fill="#6b6353">なし</text>')
        center = f"{x} {_TOP + 9 * _CELL // 2}"
        parts.append(f'<g transform="rotate(180 {center})">{"".join(words)}</g>' if not below else f"<g>{''.join(words)}</g>")
    parts.append("</svg>")
    return "".join(parts)
