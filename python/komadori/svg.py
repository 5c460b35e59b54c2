"""Drawings of boards as SVG text, without any other package."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Literal, SupportsIndex, TypeAlias

from .moves import Move
from .types import _check_range

#: An arrow: a move, or two squares, or two squares and a color. A drop, and an arrow whose squares are the same, is a ring around its square.
Arrow: TypeAlias = "Move | tuple[SupportsIndex, SupportsIndex] | tuple[SupportsIndex, SupportsIndex, str]"
Coordinates: TypeAlias = Literal["kanji", "letters", "none"]

_KANJI = ("", "歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "杏", "圭", "全", "馬", "龍")
_LETTERS = ("", "P", "L", "N", "S", "B", "R", "G", "K", "+P", "+L", "+N", "+S", "+B", "+R")
_RANKS = {"kanji": "一二三四五六七八九", "letters": "abcdefghi"}
_HAND_ORDER = (6, 5, 7, 4, 3, 2, 1)  # R B G S N L P
_CELL, _LEFT, _TOP = 40, 64, 34
_SIDE = 9 * _CELL
_SERIF = "'Noto Serif CJK JP','Hiragino Mincho ProN','Yu Mincho','MS Mincho',serif"
_SANS = "'Helvetica Neue',Arial,sans-serif"
_INK, _RED, _GREY, _WOOD = "#1d1b16", "#b3261e", "#6b6353", "#6b4f1d"
_ARROW, _TO, _FROM, _CHECK = "#1b6e4b", "#efbd5c", "#f4d593", "#f2a091"
_KOMA = "M0 -16L11 -11L14 15H-14L-11 -11Z"  # the outline of a piece around its center


def board_svg(
    pieces: Sequence[int],
    hands: tuple[Sequence[int], Sequence[int]],
    turn: int,
    *,
    last_move: tuple[int, int] | None = None,
    check: int | None = None,
    fills: Mapping[int, str] | None = None,
    arrows: Iterable[Arrow] = (),
    flipped: bool = False,
    coordinates: Coordinates = "kanji",
    letters: bool = False,
    size: int | None = None,
) -> str:
    """Draws a board with both hands.

    Args:
        pieces: Piece numbers by square, 81 or more entries.
        hands: Counts in the order P L N S B R G of Black and White.
        turn: Side to move, 0 Black; its mark beside the board is red.
        last_move: From and to square to mark; from 81 for a drop.
        check: Square of a king that stands in check, to mark.
        fills: Colors of squares, which go before the other marks.
        arrows: Moves, pairs of squares, or pairs with a color.
        flipped: Whether White sits below.
        coordinates: Ranks in ``"kanji"`` or ``"letters"``, or ``"none"`` for neither ranks nor files.
        letters: Pieces as P, +R and so on in outlines that point forward, instead of characters.
        size: Width in pixels; None for the natural one.

    Returns:
        A complete ``<svg>`` element, the same for the same arguments.

    Raises:
        ValueError: A square or piece that is none, an unknown style, a size below 1, or a color with characters that no drawing can hold.
    """
    if coordinates not in ("kanji", "letters", "none"):
        raise ValueError(f"coordinates {coordinates!r}, want 'kanji', 'letters' or 'none'")
    width, height = 2 * _LEFT + _SIDE, _TOP + _SIDE + 14
    if size is None:
        size = width
    size = _check_range("size", size, 1, 2**31 - 1)
    if len(pieces) < 81:
        raise ValueError(f"{len(pieces)} pieces, want 81")
    if not isinstance(fills, Mapping | None):
        raise TypeError(f"fills must be a mapping of squares to colors, not {type(fills).__name__}")

    def square_of(square: SupportsIndex) -> int:
        return _check_range("square", square, 0, 80)

    def corner(square: int) -> tuple[int, int]:
        file, rank = square // 9, square % 9
        column, row = (file, 8 - rank) if flipped else (8 - file, rank)
        return _LEFT + column * _CELL, _TOP + row * _CELL

    def middle(square: int) -> tuple[int, int]:
        x, y = corner(square)
        return x + _CELL // 2, y + _CELL // 2

    marked = {square_of(square): _paint(color) for square, color in (fills or {}).items()}
    if check is not None:
        marked.setdefault(square_of(check), _CHECK)
    if last_move is not None:
        marked.setdefault(square_of(last_move[1]), _TO)
        if last_move[0] != 81:
            marked.setdefault(square_of(last_move[0]), _FROM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{size}" role="img" aria-label="shogi board" '
        f'font-family="{_SANS if letters else _SERIF}">',
        f'<rect width="{width}" height="{height}" fill="#fffdf7"/>',
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}" fill="#fbe7bd"/>',
    ]
    for square, color in marked.items():
        x, y = corner(square)
        parts.append(f'<rect class="square" x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="{color}"/>')
    lines = "".join(f"M{_LEFT + k * _CELL} {_TOP}v{_SIDE}M{_LEFT} {_TOP + k * _CELL}h{_SIDE}" for k in range(10))
    parts.append(f'<path d="{lines}" stroke="{_WOOD}" fill="none"/>')
    for fx, fy in ((3, 3), (3, 6), (6, 3), (6, 6)):
        parts.append(f'<circle class="star" cx="{_LEFT + fx * _CELL}" cy="{_TOP + fy * _CELL}" r="3" fill="{_WOOD}"/>')
    if coordinates != "none":
        for k in range(9):
            file = k + 1 if flipped else 9 - k
            rank = 8 - k if flipped else k
            parts.append(f'<text class="file" x="{_LEFT + k * _CELL + _CELL // 2}" y="{_TOP - 8}" font-size="14" text-anchor="middle">{file}</text>')
            name = _RANKS[coordinates][rank]
            parts.append(f'<text class="rank" x="{_LEFT + _SIDE + 11}" y="{_TOP + k * _CELL + 25}" font-size="14" text-anchor="middle">{name}</text>')
    for square in range(81):
        if pieces[square]:
            parts.append(_piece(pieces[square], *middle(square), flipped, letters))
    for arrow in arrows:
        origin, to, color = _ends(arrow)
        target = square_of(to)
        parts.append(_arrow(middle(target if origin is None else square_of(origin)), middle(target), color))
    for side, counts in enumerate(hands):
        parts.append(_hand(side, counts, side == turn, (side == 0) != flipped, letters))
    parts.append("</svg>")
    return "".join(parts)


def _piece(piece: int, cx: int, cy: int, flipped: bool, letters: bool) -> str:
    """A piece, turned around when it is that of the side above."""
    if not 0 < piece < 31 or not 0 < piece & 15 < 15:
        raise ValueError(f"piece {piece}, want 1..14 or 17..30")
    kind, turned = piece & 15, (piece > 16) != flipped
    color = _RED if 9 <= kind <= 14 else _INK
    if letters:
        turn = " rotate(180)" if turned else ""
        size, drop = (18, 8) if kind < 9 else (15, 7)
        text = f'<text class="piece" x="{cx}" y="{cy + drop}" font-size="{size}" font-weight="bold" text-anchor="middle" fill="{color}">{_LETTERS[kind]}</text>'
        return f'<path class="outline" d="{_KOMA}" transform="translate({cx} {cy}){turn}" fill="#fff6df" stroke="{_WOOD}"/>{text}'
    rotate = f' transform="rotate(180 {cx} {cy})"' if turned else ""
    word = "王" if piece == 24 else _KANJI[kind]
    return f'<text class="piece" x="{cx}" y="{cy + 10}" font-size="29" text-anchor="middle" fill="{color}"{rotate}>{word}</text>'


def _paint(color: str) -> str:
    """A color as the value of an attribute."""
    if not isinstance(color, str):
        raise TypeError(f"a color must be str, not {type(color).__name__}")
    if not color.isprintable():
        raise ValueError(f"color {color[:60]!r}, want printable text")
    return escape(color)


def _ends(arrow: Arrow) -> tuple[SupportsIndex | None, SupportsIndex, str]:
    """Origin (None for a drop), target and color."""
    if isinstance(arrow, Move):
        if not arrow.is_normal:
            raise ValueError(f"{arrow!r} is no arrow")
        return None if arrow.is_drop else arrow.from_square, arrow.to_square, _ARROW
    if len(arrow) == 3:
        return arrow
    if len(arrow) == 2:
        return (*arrow, _ARROW)
    raise ValueError(f"an arrow of {len(arrow)} parts, want two squares or two squares and a color")


def _arrow(origin: tuple[int, int], to: tuple[int, int], color: str) -> str:
    """An arrow between two centers of squares, or a ring when they are the same."""
    color = _paint(color)
    (x1, y1), (x2, y2) = origin, to
    length = math.hypot(x2 - x1, y2 - y1)
    if length == 0:
        return f'<circle class="ring" cx="{x2}" cy="{y2}" r="17" fill="none" stroke="{color}" stroke-width="4" stroke-opacity=".7"/>'
    ux, uy = (x2 - x1) / length, (y2 - y1) / length

    def point(along: float, aside: float) -> str:
        # Zero is written without a sign, so that the same drawing has the same text.
        return f"{round(x1 + along * ux - aside * uy, 1) + 0.0:g} {round(y1 + along * uy + aside * ux, 1) + 0.0:g}"

    tip, neck = length - 3, length - 19
    outline = (point(8, 2.5), point(neck, 2.5), point(neck, 8.5), point(tip, 0), point(neck, -8.5), point(neck, -2.5), point(8, -2.5))
    return f'<path class="arrow" d="M{"L".join(outline)}Z" fill="{color}" fill-opacity=".7"/>'


def _hand(side: int, counts: Sequence[int], moves: bool, below: bool, letters: bool) -> str:
    """What a side holds: at the lower right for the side below, at the upper left for the side above. Upright, so that numbers can be read."""
    x = _LEFT + _SIDE + 42 if below else 24
    held = [(kind, counts[kind - 1]) for kind in _HAND_ORDER if counts[kind - 1]]
    y = _TOP + 16
    if below:
        y = _TOP + _SIDE - 8 - (sum(44 if n > 1 else 27 for _, n in held) or 27)
    color = f'font-weight="bold" fill="{_RED}"' if moves else f'fill="{_INK}"'
    parts = [f'<text class="side" x="{x}" y="{y}" font-size="18" text-anchor="middle" {color}>{"☗☖"[side]}</text>']
    y += 28
    for kind, n in held:
        name, font = (_LETTERS[kind], 18) if letters else (_KANJI[kind], 22)
        parts.append(f'<text class="held" x="{x}" y="{y}" font-size="{font}" text-anchor="middle" fill="{_INK}">{name}</text>')
        if n > 1:
            parts.append(f'<text class="count" x="{x}" y="{y + 17}" font-size="15" text-anchor="middle" fill="{_INK}">{n}</text>')
        y += 44 if n > 1 else 27
    if not held:
        parts.append(f'<text class="held" x="{x}" y="{y}" font-size="13" text-anchor="middle" fill="{_GREY}">{"–" if letters else "なし"}</text>')
    return f'<g class="hand">{"".join(parts)}</g>'
