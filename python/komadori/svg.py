"""Boards as SVG pictures.

The picture stands alone: no style sheet, script or font file. It is drawn from what a board is, so it needs no call of the library.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from .types import Color, Hand, HandPiece, Piece, PieceType, Square

if TYPE_CHECKING:
    from .board import Board
    from .moves import Move

__all__ = ["board", "diagram"]

KANJI = ("", "歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "杏", "圭", "全", "馬", "龍", "")
RANKS = "一二三四五六七八九"
NUMERALS = ("", "", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二", "十三", "十四", "十五", "十六", "十七", "十八")

_CELL = 44
_LEFT = 62  # room for a hand on either side
_TOP = 30
_WIDTH = 2 * _LEFT + 9 * _CELL + 22
_HEIGHT = 2 * _TOP + 9 * _CELL
_FONT = "font-family=\"'Noto Serif CJK JP','Noto Serif JP','Yu Mincho','Hiragino Mincho ProN','MS Mincho',serif\""

# A piece around its middle: pentagon with the point up.
_SHAPE = "M0,-19 L11,-14 L15.5,18 L-15.5,18 L-11,-14 Z"
# Drops of these come first in a hand, as in diagrams.
_HAND_ORDER = (HandPiece.ROOK, HandPiece.BISHOP, HandPiece.GOLD, HandPiece.SILVER, HandPiece.KNIGHT, HandPiece.LANCE, HandPiece.PAWN)


def _middle(square: int, turned: bool) -> tuple[float, float]:
    file, rank = divmod(int(square), 9)
    column = file if turned else 8 - file
    row = 8 - rank if turned else rank
    return _LEFT + (column + 0.5) * _CELL, _TOP + (row + 0.5) * _CELL


def _piece(x: float, y: float, piece: Piece, turned: bool, letters: bool) -> str:
    kind = piece.type
    upside_down = (piece.color == Color.WHITE) != turned
    text = kind.to_usi() if letters else KANJI[kind]
    if kind == PieceType.KING and piece.color == Color.WHITE and not letters:
        text = "王"
    ink = "#b3261e" if kind.is_promoted else "#1d1b16"
    rotate = " rotate(180)" if upside_down else ""
    size = 17 if len(text) > 1 else 21
    return (
        f'<g transform="translate({x:g},{y:g}){rotate}"><path d="{_SHAPE}" fill="#f6d999" stroke="#7a5a24" stroke-width="1"/>'
        f'<text y="2" font-size="{size}" text-anchor="middle" dominant-baseline="central" fill="{ink}" {_FONT}>{text}</text></g>'
    )


def _hand(hand: Hand, color: Color, turned: bool, to_move: bool, letters: bool) -> list[str]:
    near = (color == Color.BLACK) != turned  # on the right, at the bottom
    x = _LEFT + 9 * _CELL + 22 + _LEFT / 2 if near else _LEFT / 2
    sign = 1 if near else -1
    y = _TOP + (9 * _CELL - 14 if near else 14)
    mark = "☗" if color == Color.BLACK else "☖"
    fill = "#b3261e" if to_move else "#1d1b16"
    parts = [f'<text x="{x:g}" y="{y:g}" font-size="20" text-anchor="middle" dominant-baseline="central" fill="{fill}">{mark}</text>']
    held = [(kind, hand.count(kind.type)) for kind in _HAND_ORDER if hand.count(kind.type)]
    for n, (kind, count) in enumerate(held, 1):
        at = y - sign * n * 40
        parts.append(_piece(x - (7 if count > 1 else 0), at, Piece.from_parts(color, kind.type), turned, letters))
        if count > 1:
            number = str(count) if letters else NUMERALS[count]
            size = 15 if len(number) == 1 or letters else 11
            parts.append(
                f'<text x="{x + 20:g}" y="{at:g}" font-size="{size}" text-anchor="middle" dominant-baseline="central" {_FONT}>{number}</text>'
            )
    return parts


def _arrow(start: int | HandPiece, end: int, color: str, turned: bool) -> str:
    x2, y2 = _middle(end, turned)
    x1, y1 = _middle(start, turned)
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1.0
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    bx, by = x2 - 13 * ux, y2 - 13 * uy
    return (
        f'<g opacity="0.75"><line x1="{x1:.1f}" y1="{y1:.1f}" x2="{bx:.1f}" y2="{by:.1f}" stroke="{color}" stroke-width="6" stroke-linecap="round"/>'
        f'<path d="M{x2:.1f},{y2:.1f} L{bx - 9 * uy:.1f},{by + 9 * ux:.1f} L{bx + 9 * uy:.1f},{by - 9 * ux:.1f} Z" fill="{color}"/></g>'
    )


def diagram(
    pieces: Mapping[int, int],
    hands: tuple[Hand, Hand],
    *,
    turn: Color | None = None,
    orientation: Color = Color.BLACK,
    last_move: Move | None = None,
    arrows: Iterable[tuple[int, int] | tuple[int, int, str]] = (),
    fill: Mapping[int, str] | None = None,
    letters: bool = False,
    size: int | None = None,
    title: str = "",
) -> str:
    """Draws a position given as numbers.

    Args:
        pieces: Piece by square; squares that are missing are empty.
        hands: What Black and White hold.
        turn: Side to move, whose mark is coloured.
        orientation: The side at the bottom.
        last_move: Move whose squares are tinted.
        arrows: Pairs of squares, or triples with a CSS colour.
        fill: CSS colour by square.
        letters: Letters (P, +R) and Arabic numbers instead of Japanese.
        size: Width in pixels; without it the picture takes its natural width of 480.
        title: Text for screen readers and tooltips.

    Returns:
        An ``<svg>`` element.
    """
    turned = orientation == Color.WHITE
    width = size or _WIDTH
    height = width * _HEIGHT / _WIDTH
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {_WIDTH} {_HEIGHT}">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fffdf7"/>',
    ]
    if title:
        out.insert(1, f"<title>{_escape(title)}</title>")
    out.append(f'<rect x="{_LEFT}" y="{_TOP}" width="{9 * _CELL}" height="{9 * _CELL}" fill="#e8b95b"/>')
    tints = dict(fill or {})
    if last_move is not None and last_move.is_normal:
        tints.setdefault(last_move.to_square, "#f7e07a")
        if not last_move.is_drop:
            tints.setdefault(last_move.from_square, "#efcf75")
    for square, css in tints.items():
        x, y = _middle(Square(square), turned)
        out.append(f'<rect x="{x - _CELL / 2:g}" y="{y - _CELL / 2:g}" width="{_CELL}" height="{_CELL}" fill="{_escape(css)}"/>')
    lines = "".join(
        f"M{_LEFT + n * _CELL},{_TOP} V{_TOP + 9 * _CELL} M{_LEFT},{_TOP + n * _CELL} H{_LEFT + 9 * _CELL} " for n in range(10)
    )
    out.append(f'<path d="{lines.strip()}" stroke="#5b4317" stroke-width="1" fill="none"/>')
    for column in (3, 6):
        for row in (3, 6):
            out.append(f'<circle cx="{_LEFT + column * _CELL}" cy="{_TOP + row * _CELL}" r="3" fill="#5b4317"/>')
    for n in range(9):
        x, y = _middle(9 * n + n, turned)
        rank = "abcdefghi"[n] if letters else RANKS[n]
        out.append(f'<text x="{x:g}" y="{_TOP - 10}" font-size="13" text-anchor="middle">{n + 1}</text>')
        out.append(
            f'<text x="{_LEFT + 9 * _CELL + 11}" y="{y:g}" font-size="13" text-anchor="middle" dominant-baseline="central" {_FONT}>{rank}</text>'
        )
    for square, code in pieces.items():
        if code:
            out.append(_piece(*_middle(square, turned), Piece(code), turned, letters))
    for color in Color:
        out += _hand(hands[color], color, turned, turn == color, letters)
    for arrow in arrows:
        start, end = Square(arrow[0]), Square(arrow[1])
        out.append(_arrow(start, end, _escape(arrow[2]) if len(arrow) == 3 else "#1f6f43", turned))
    out.append("</svg>")
    return "\n".join(out)


def board(
    position: Board,
    *,
    orientation: Color = Color.BLACK,
    last_move: Move | None = None,
    arrows: Iterable[tuple[int, int] | tuple[int, int, str]] = (),
    fill: Mapping[int, str] | None = None,
    letters: bool = False,
    size: int | None = None,
) -> str:
    """Draws a board; the last move of its history is tinted unless another one is given. Arguments are those of ``diagram``."""
    return diagram(
        {square: position.piece_at(square) for square in range(81)},
        (position.hand(Color.BLACK), position.hand(Color.WHITE)),
        turn=position.turn,
        orientation=orientation,
        last_move=last_move if last_move is not None else position.last_move,
        arrows=arrows,
        fill=fill,
        letters=letters,
        size=size,
        title=position.to_sfen(),
    )


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
