"""Drawings of boards as SVG text, without any other package and without fonts: characters are outlines, so that a drawing looks the same everywhere.

A theme says what things look like: ``"wood"`` (pieces on a board of wood, on any background), ``"dark"``, ``"paper"`` (a diagram as books print it), or
``"auto"``: wood, and dark where the page or the notebook around the drawing is dark. ``THEMES`` holds them; one of your own is made with
``dataclasses.replace(svg.THEMES["wood"], board="#fff")``.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypeAlias

from ._glyphs import EM, PIECES, TEXT
from .moves import Move
from .types import _check_range, _several

if TYPE_CHECKING:
    import numpy.typing as npt

    from .board import Board

__all__ = ["THEMES", "Arrow", "ArrowLike", "Coordinates", "Drawing", "Heat", "Theme", "board_svg"]

Coordinates: TypeAlias = Literal["kanji", "letters", "none"]
"""What ``coordinates`` may be."""
Heat: TypeAlias = "Mapping[int, float] | Sequence[float] | npt.NDArray[Any]"
"""Numbers of squares: by square, or an array of 81 or of shape (9, 9) with axis 0 the file."""


class Drawing(str):
    """SVG text that draws itself in notebooks."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str | None:
        """Of ``theme="auto"``: Jupyter shows SVG as an image, which does not know how dark the page is, and HTML as part of the page."""
        return str(self) if 'class="kmd-auto"' in self[:1000] else None


@dataclass(frozen=True)
class Arrow:
    """An arrow on a board.

    Attributes:
        move: A move, or two squares. A drop is a ring around its square, with the piece in it where the square is empty; so are two equal squares.
        color: None for the theme's.
        width: 1 for the usual width.
        label: A short text on it.
    """

    move: Move | tuple[SupportsIndex, SupportsIndex]
    color: str | None = None
    width: float = 1.0
    label: str = ""


ArrowLike: TypeAlias = "Arrow | Move | tuple[SupportsIndex, SupportsIndex] | tuple[SupportsIndex, SupportsIndex, str]"
"""What ``arrows`` may hold: an ``Arrow``, a move, or two squares, with a color or without."""


@dataclass(frozen=True)
class Theme:
    """Colors of a drawing, and whether pieces are drawn as pieces of wood (``flat`` False) or as bare characters."""

    flat: bool = False
    background: str = "none"
    board: str = "#e9c078"
    edge: str = "#b98a44"
    grid: str = "#5b3f16"
    text: str = "#5b3f16"
    stand: str = "#dcae66"
    koma: str = "#f7dfae"
    koma_edge: str = "#a6762f"
    koma_light: str = "#fff5db"
    shadow: str = "#3a2508"
    ink: str = "#1a130a"
    promoted: str = "#b4201a"
    turn: str = "#b4201a"
    last_to: str = "#e8842c"
    last_from: str = "#f1b168"
    check: str = "#e04a36"
    hot: str = "#d7301f"
    cold: str = "#1f6fb4"
    arrow: str = "#1d5fa6"
    on_arrow: str = "#ffffff"


_WOOD = Theme()
_DARK = replace(
    _WOOD, board="#6f5534", edge="#3f2f1b", grid="#1f160b", text="#e2cda6", stand="#5a4429", koma="#d9b981", koma_edge="#5d421c", koma_light="#ecd5a8",
    shadow="#000000", turn="#ff8a70", last_to="#c8702a", last_from="#98672f", hot="#ff5a3c", cold="#4aa3ff", arrow="#2f7fd6",
)  # fmt: skip
_PAPER = replace(
    _WOOD, flat=True, background="#ffffff", board="#ffffff", edge="none", grid="#222222", text="#333333", stand="none", koma="#ffffff", koma_edge="#222222",
    koma_light="none", ink="#111111", last_to="#f6c98a", last_from="#fbe6c8", check="#f5a79c", hot="#e4572e", cold="#3b82c4",
)  # fmt: skip
THEMES: Mapping[str, Theme] = {"wood": _WOOD, "dark": _DARK, "paper": _PAPER}
"""The themes by name."""
_COLORS = [name for name in asdict(_WOOD) if name != "flat"]
_AUTO = Theme(False, *(f"var(--kmd-{name})" for name in _COLORS))
# Dark is what the system says, unless the page around says otherwise: Jupyter, VS Code and mkdocs-material mark their pages.
_LIGHT_PAGES = ('[data-jp-theme-light="true"]', ".vscode-light", '[data-md-color-scheme="default"]', '[data-theme="light"]')
_DARK_PAGES = ('[data-jp-theme-light="false"]', ".vscode-dark", ".vscode-high-contrast", '[data-md-color-scheme="slate"]', '[data-theme="dark"]')


def _variables(theme: Theme) -> str:
    return ";".join(f"--kmd-{name}:{getattr(theme, name)}" for name in _COLORS)


def _auto_style() -> str:
    def under(pages: Iterable[str]) -> str:
        return ",".join(f"{page} .kmd-auto" for page in pages)

    light, dark = _variables(_WOOD), _variables(_DARK)
    return (
        f"<style>.kmd-auto{{{light}}}@media(prefers-color-scheme:dark){{.kmd-auto{{{dark}}}}}"
        f"{under(_LIGHT_PAGES)}{{{light}}}{under(_DARK_PAGES)}{{{dark}}}</style>"
    )


_LETTERS = ("", "P", "L", "N", "S", "B", "R", "G", "K", "+P", "+L", "+N", "+S", "+B", "+R")
_KANJI = tuple(PIECES)
_RANKS = {"kanji": "一二三四五六七八九", "letters": "abcdefghi"}
_HAND_ORDER = (6, 5, 7, 4, 3, 2, 1)  # R B G S N L P
_WIDTH, _HEIGHT = 44, 48  # of a square
_STAND, _GAP, _ROW = 74, 8, 48
_STAND_HEIGHT = 44 + 7 * _ROW
_SCALES = (0, 0.87, 0.89, 0.92, 0.95, 0.98, 0.98, 0.95, 1.0, 0.87, 0.89, 0.92, 0.95, 0.98, 0.98)  # real sets have smaller pawns, too
_KOMA = "M0-21.5L12.4-15.6 17.8 20.5H-17.8L-12.4-15.6z"  # the outline of a king around its center
_LIT = "M-16.4 19L-11.4-14.9 0-20.2"
DEFAULT_SIZE = 520
"""Width of a drawing in pixels, hands and coordinates included, when none is asked for."""


class _Canvas:
    """Collects the parts of a drawing, and what they refer to once."""

    def __init__(self, theme: Theme, letters: bool, auto: bool) -> None:
        self.theme, self.letters = theme, letters
        # Drawings of a page share names, so a name stands for the same thing in all of them.
        self.prefix = "kmd-auto" if auto else f"kmd{zlib.crc32(repr(theme).encode()):x}"
        self.defs: dict[str, str] = {}
        self.parts: list[str] = []

    def add(self, part: str) -> None:
        self.parts.append(part)

    def glyph(self, character: str) -> str:
        name = f"kmd-t{ord(character):x}"
        if name not in self.defs:
            self.defs[name] = f'<path id="{name}" d="{TEXT[character][1]}"/>'
        return name

    def words(self, kind: str, text: str, x: float, y: float, size: float, fill: str) -> str:
        """Text around a point, of the characters that there are outlines of."""
        scale, at = size / EM, -sum(TEXT[c][0] for c in text) / 2
        uses = []
        for c in text:
            uses.append(f'<use href="#{self.glyph(c)}"' + (f' x="{_number(at)}"' if at else "") + "/>")
            at += TEXT[c][0]
        return f'<g class="{kind}" data-text="{text}" fill="{fill}" transform="translate({_number(x)} {_number(y)})scale({scale:.3g})">{"".join(uses)}</g>'

    def piece(self, piece: int, turned: bool) -> str:
        """The name of a piece, drawn around the origin."""
        name = f"{self.prefix}-{'l' if self.letters else 'k'}{piece}{'r' if turned else ''}"
        if name not in self.defs:
            theme, kind = self.theme, piece & 15
            color = theme.promoted if kind >= 9 else theme.ink
            half = "rotate(180)" if turned else ""
            scale = _SCALES[kind]
            parts = []
            if not theme.flat or self.letters:
                sized = f' transform="{half}scale({scale:g})"'
                if not theme.flat:
                    parts.append(f'<path d="{_KOMA}" fill="{theme.shadow}" fill-opacity=".3" transform="translate(1.1 1.9){half}scale({scale:g})"/>')
                parts.append(f'<path class="outline" d="{_KOMA}" fill="{theme.koma}" stroke="{theme.koma_edge}" stroke-linejoin="round"{sized}/>')
                if not theme.flat:
                    lit = f"scale({scale:g})" + ("rotate(180)" if turned else "")
                    parts.append(f'<path d="{_LIT}" fill="none" stroke="{theme.koma_light}" stroke-width="1.3" transform="{lit}"/>')
            if self.letters:
                parts.append(self.words("face", _LETTERS[kind], 0, 4 if not turned else -4, 23 if kind < 9 else 18, color))
            else:
                character = "王" if piece == 24 else _KANJI[kind - 1]
                own = f"kmd-p{ord(character):x}"
                if own not in self.defs:
                    self.defs[own] = f'<path id="{own}" d="{PIECES[character]}"/>'
                size, drop = (37, 0) if theme.flat else (32.5 * scale, 2.2 * scale)
                parts.append(f'<use href="#{own}" fill="{color}" transform="{half}translate(0 {drop:.3g})scale({size / EM:.3g})"/>')
            self.defs[name] = f'<g id="{name}">{"".join(parts)}</g>'
        return name


def board_svg(
    pieces: Sequence[int],
    hands: tuple[Sequence[int], Sequence[int]] | None,
    turn: int | None,
    *,
    last_move: tuple[int, int] | None = None,
    check: int | None = None,
    fills: Mapping[int, str] | None = None,
    heat: Heat | None = None,
    texts: Mapping[int, str] | None = None,
    arrows: Iterable[ArrowLike] = (),
    flipped: bool = False,
    theme: str | Theme = "wood",
    coordinates: Coordinates = "kanji",
    letters: bool = False,
    size: int | None = None,
    label: str = "shogi board",
    also: Iterable[int] = (),
) -> Drawing:
    """Draws a board with both hands.

    Args:
        pieces: Piece numbers by square, 81 or more entries.
        hands: Counts in the order P L N S B R G of Black and White; None for a board without hands.
        turn: Side to move, 0 Black, which is marked beside the board; None for neither.
        last_move: From and to square to mark; from 81 for a drop.
        check: Square of a king that stands in check, to mark.
        fills: Colors of squares, which go before the other marks.
        heat: Numbers of squares, shown as colors: positive ones hot, negative ones cold, the largest of all in full color.
        texts: Short texts in the corners of squares.
        arrows: See ``Arrow``.
        flipped: Whether White sits below.
        theme: ``"wood"``, ``"dark"``, ``"paper"``, ``"auto"``, or a Theme.
        coordinates: Ranks in ``"kanji"`` or ``"letters"``, or ``"none"`` for neither ranks nor files.
        letters: Pieces as P, +R and so on in outlines that point forward, instead of characters.
        size: Width in pixels with hands; None for 520. Without them the squares are as large.
        label: What the drawing is called by programs that read pages aloud.
        also: Pieces whose outlines the drawing is to hold for programs that change it, too.

    Returns:
        A complete ``<svg>`` element, the same for the same arguments.

    Raises:
        ValueError: A square or piece that is none, a number that is not finite, an unknown style, a size below 1, or a color with characters that no
            drawing can hold.
    """
    if coordinates not in ("kanji", "letters", "none"):
        raise ValueError(f"coordinates {coordinates!r}, want 'kanji', 'letters' or 'none'")
    look = _theme(theme)
    if len(_several("pieces", pieces, "numbers")) < 81:
        raise ValueError(f"{len(pieces)} pieces, want 81")
    if hands is not None:
        _several("hands", hands, "hands")
    if not isinstance(label, str):
        raise TypeError(f"label must be str, not {type(label).__name__}")
    if turn is not None:
        _check_range("turn", turn, 0, 1)
    arrows, also = _several("arrows", arrows, "moves or arrows"), _several("also", also, "pieces")
    margin = 10 if coordinates == "none" else 24
    width, height = 9 * _WIDTH + 2 * margin, 9 * _HEIGHT + 2 * margin
    left, top = margin, margin
    whole = width + 2 * (_STAND + _GAP)
    size = DEFAULT_SIZE if size is None else _check_range("size", size, 1, 2**31 - 1)
    if hands is not None:
        left += _STAND + _GAP
        shown = size
    else:
        shown = max(round(size * width / whole), 1)
    all_width = whole if hands is not None else width

    def square_of(square: SupportsIndex) -> int:
        return _check_range("square", square, 0, 80)

    def corner(square: int) -> tuple[int, int]:
        file, rank = square // 9, square % 9
        column, row = (file, 8 - rank) if flipped else (8 - file, rank)
        return left + column * _WIDTH, top + row * _HEIGHT

    def middle(square: int) -> tuple[int, int]:
        x, y = corner(square)
        return x + _WIDTH // 2, y + _HEIGHT // 2

    auto = theme == "auto"
    canvas = _Canvas(look, letters, auto)
    if look.background != "none":
        canvas.add(f'<rect width="{all_width}" height="{height}" fill="{look.background}"/>')
    x0 = left - margin
    canvas.add(f'<rect x="{x0 + 0.5}" y=".5" width="{width - 1}" height="{height - 1}" rx="3" fill="{look.board}" stroke="{look.edge}"/>')
    if not look.flat:
        canvas.add(_grain(x0, width, height, look.edge))

    canvas.add('<g class="marks">')
    # Marks below the pieces: a given color goes before those of check and last move, and heat lies over them.
    marked = {square_of(square): _paint(color) for square, color in _mapping("fills", fills).items()}
    if check is not None:
        marked.setdefault(_check_range("check", check, 0, 80), look.check)
    if last_move is not None:
        _several("last_move", last_move, "squares")
        marked.setdefault(square_of(last_move[1]), look.last_to)
        if last_move[0] != 81:
            marked.setdefault(square_of(last_move[0]), look.last_from)
    for square, color in marked.items():
        x, y = corner(square)
        canvas.add(f'<rect class="square" x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" fill="{color}"/>')
    shares = _shares(heat)
    for square, share in shares.items():
        x, y = corner(square)
        color = look.hot if share > 0 else look.cold
        opacity = f"{0.08 + 0.8 * abs(share):.2f}"
        canvas.add(f'<rect class="heat" x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" fill="{color}" fill-opacity="{opacity}"/>')

    canvas.add("</g>")
    wide, high = 9 * _WIDTH, 9 * _HEIGHT
    lines = "".join(f"M{left + k * _WIDTH} {top}v{high}" for k in range(1, 9)) + "".join(f"M{left} {top + k * _HEIGHT}h{wide}" for k in range(1, 9))
    canvas.add(f'<path d="{lines}" stroke="{look.grid}" fill="none"/>')
    canvas.add(f'<rect x="{left}" y="{top}" width="{wide}" height="{high}" stroke="{look.grid}" stroke-width="2" fill="none"/>')
    for fx, fy in ((3, 3), (3, 6), (6, 3), (6, 6)):
        canvas.add(f'<circle class="star" cx="{left + fx * _WIDTH}" cy="{top + fy * _HEIGHT}" r="2.8" fill="{look.grid}"/>')
    if coordinates != "none":
        files = "123456789" if flipped else "987654321"
        ranks = _RANKS[coordinates][::-1] if flipped else _RANKS[coordinates]
        uses = [canvas.words("file", file, left + (k + 0.5) * _WIDTH, 12.5, 15, look.text) for k, file in enumerate(files)]
        canvas.add(f'<g class="files">{"".join(uses)}</g>')
        uses = [canvas.words("rank", rank, left + wide + 12.5, top + (k + 0.5) * _HEIGHT, 14, look.text) for k, rank in enumerate(ranks)]
        canvas.add(f'<g class="ranks">{"".join(uses)}</g>')
    faded = ' opacity=".82"' if shares and not look.flat else ""
    canvas.add('<g class="men">')
    for square in range(81):
        if pieces[square]:
            piece = _piece(pieces[square])
            x, y = middle(square)
            canvas.add(f'<use class="piece" href="#{canvas.piece(piece, (piece > 16) != flipped)}" x="{x}" y="{y}"{faded}/>')
    canvas.add("</g>")
    for place, text in _mapping("texts", texts).items():
        x, y = corner(square_of(place))
        canvas.add(_label("text", text, x + _WIDTH - 2, y + _HEIGHT - 4, look.text if look.flat or auto else look.ink, "end"))
    if hands is not None:
        places = _stands(left - margin, width, height)
        if not look.flat:
            for x, y in places:
                at = f'x="{x + 0.5}" y="{y + 0.5}" width="{_STAND - 1}" height="{_STAND_HEIGHT - 1}" rx="3"'
                canvas.add(f'<rect {at} fill="{look.stand}" stroke="{look.edge}"/>')
        canvas.add('<g class="stands">')
        for side, counts in enumerate(hands):
            below = (side == 0) != flipped
            canvas.add(_hand(canvas, side, counts, side == turn, below, *places[below]))
        canvas.add("</g>")
    canvas.add('<g class="over">')
    labels = []
    for given in arrows:
        origin, to, arrow, kind = _ends(given)
        target = square_of(to)
        start = middle(target if origin is None else square_of(origin))
        color = look.arrow if arrow.color is None else _paint(arrow.color)
        if kind and turn is not None and not pieces[target]:
            ghost = kind + 16 * turn
            x, y = middle(target)
            canvas.add(f'<use class="ghost" href="#{canvas.piece(ghost, (turn == 1) != flipped)}" x="{x}" y="{y}" opacity=".65"/>')
        part, (mx, my) = _arrow(start, middle(target), color, arrow.width)
        canvas.add(part)
        if arrow.label:
            labels.append(_pill(arrow.label, mx, my, color, look.on_arrow))
    parts = "".join(canvas.parts + labels) + "</g>"
    for kind in also:
        for turned in (False, True):
            canvas.piece(kind, turned)
    mark, style = (' class="kmd-auto"', _auto_style()) if auto else ("", "")
    named = _paint(label, "label")
    return Drawing(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {all_width} {height}" width="{shown}" height="{_number(shown * height / all_width)}" '
        f'style="max-width:100%;height:auto"{mark} role="img" aria-label="{named}">{style}<defs>{"".join(canvas.defs.values())}</defs>{parts}</svg>'
    )


def _stands(board_x: int, board_width: int, height: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where the stands of the side above and of the side below begin."""
    return (0, 0), (board_x + board_width + _GAP, height - _STAND_HEIGHT)


def viewer_board(board: Board, flipped: bool) -> tuple[Drawing, dict[str, Any]]:
    """The board of a game viewer, and what its program has to know to draw other positions there."""
    hands = (board.hand(0).counts, board.hand(1).counts)
    pieces = [*range(1, 15), *range(17, 31)]
    drawn = board_svg(board.pieces(), hands, board.turn, flipped=flipped, theme="auto", size=580, also=pieces)
    digits = "".join(f'<path id="kmd-t{ord(c):x}" d="{TEXT[c][1]}"/>' for c in "0123456789" if f'"kmd-t{ord(c):x}"' not in drawn)
    margin = 24
    left = margin + _STAND + _GAP
    above, below = _stands(left - margin, 9 * _WIDTH + 2 * margin, 9 * _HEIGHT + 2 * margin)
    geometry = {
        "left": left,
        "top": margin,
        "width": _WIDTH,
        "height": _HEIGHT,
        "stand": _STAND,
        "row": _ROW,
        "above": above,
        "below": below,
        "koma": _KOMA,
        "prefix": "kmd-auto",
        "em": EM,
        "advance": {c: TEXT[c][0] for c in "0123456789一二三四五六七八九"},
    }
    return Drawing(drawn.replace("<defs>", f"<defs>{digits}", 1)), geometry


def _theme(theme: str | Theme) -> Theme:
    if isinstance(theme, Theme):
        return Theme(bool(theme.flat), *(_paint(getattr(theme, name)) for name in _COLORS))
    if theme == "auto":
        return _AUTO
    found = THEMES.get(theme) if isinstance(theme, str) else None
    if found is None:
        raise ValueError(f"theme {theme!r}, want {', '.join(map(repr, THEMES))}, 'auto' or a Theme")
    return found


def _mapping(name: str, given: Mapping[int, str] | None) -> Mapping[int, str]:
    if not isinstance(given, Mapping | None):
        raise TypeError(f"{name} must be a mapping of squares to text, not {type(given).__name__}")
    return given or {}


def _shares(heat: Heat | None) -> dict[int, float]:
    """By square, the numbers as shares of the largest."""
    if heat is None:
        return {}
    if isinstance(heat, Mapping):
        numbers = {_check_range("square", square, 0, 80): float(number) for square, number in heat.items()}
    else:
        import numpy as np

        array = np.asarray(heat)
        if array.shape not in ((81,), (9, 9)) or array.dtype.kind not in "biuf":
            raise ValueError(f"heat has shape {array.shape} and dtype {array.dtype}, want 81 numbers or (9, 9)")
        numbers = dict(enumerate(array.astype(float).ravel().tolist()))
    if not all(math.isfinite(number) for number in numbers.values()):
        raise ValueError("heat with numbers that are not finite")
    largest = max(map(abs, numbers.values()), default=0.0)
    return {square: number / largest for square, number in numbers.items() if largest and abs(number) / largest >= 0.005}


def _number(number: float) -> str:
    """A number of a drawing. Zero is written without a sign, so that the same drawing has the same text."""
    return f"{round(number, 1) + 0.0:g}"


def _piece(piece: int) -> int:
    if not 0 < piece < 31 or not 0 < piece & 15 < 15:
        raise ValueError(f"piece {piece}, want 1..14 or 17..30")
    return piece


def _paint(text: str, what: str = "color") -> str:
    """A color, or other words, as the value of an attribute."""
    if not isinstance(text, str):
        raise TypeError(f"a {what} must be str, not {type(text).__name__}")
    if not text.isprintable():
        raise ValueError(f"{what} {text[:60]!r}, want printable text")
    return escape(text)


def _ends(arrow: ArrowLike) -> tuple[SupportsIndex | None, SupportsIndex, Arrow, int]:
    """Origin (None for a drop), target, the arrow, and the kind that is dropped or 0."""
    if not isinstance(arrow, Arrow):
        if isinstance(arrow, Move):
            arrow = Arrow(arrow)
        elif not hasattr(arrow, "__len__"):
            raise TypeError(f"arrows must hold moves, pairs of squares or Arrow, not {type(arrow).__name__}")
        elif len(arrow) == 3:
            arrow = Arrow(arrow[:2], arrow[2])
        else:
            arrow = Arrow(arrow)
    if not isinstance(arrow.width, int | float) or not 0 < arrow.width <= 10:
        raise ValueError(f"width {arrow.width!r} of an arrow, want a number above 0, at most 10")
    move = arrow.move
    if isinstance(move, Move):
        if not move.is_normal:
            raise ValueError(f"{move!r} is no arrow")
        return (None, move.to_square, arrow, int(move.dropped_type)) if move.is_drop else (move.from_square, move.to_square, arrow, 0)
    if isinstance(move, str) or not hasattr(move, "__len__"):
        raise TypeError(f"an arrow must have a Move or two squares, not {type(move).__name__}")
    if len(move) != 2:
        raise ValueError(f"an arrow of {len(move)} parts, want two squares or two squares and a color")
    return move[0], move[1], arrow, 0


def _arrow(origin: tuple[int, int], to: tuple[int, int], color: str, width: float) -> tuple[str, tuple[float, float]]:
    """An arrow between two centers of squares, or a ring when they are the same; and where its label goes."""
    (x1, y1), (x2, y2) = origin, to
    length = math.hypot(x2 - x1, y2 - y1)
    if length == 0:
        ring = f'<circle class="ring" cx="{x2}" cy="{y2}" r="19.5" fill="none" stroke="{color}" stroke-width="{3.6 * width:.3g}" stroke-opacity=".85"/>'
        return ring, (x2, y2 + _HEIGHT / 2 - 7)
    ux, uy = (x2 - x1) / length, (y2 - y1) / length

    def point(along: float, aside: float) -> str:
        return f"{_number(x1 + along * ux - aside * uy)} {_number(y1 + along * uy + aside * ux)}"

    half, head = 3.2 * width, 6.0 + 4.2 * width
    tail, tip = 9, length - 2
    neck = tip - 1.5 * head
    outline = (point(tail, half), point(neck, half), point(neck, head), point(tip, 0), point(neck, -head), point(neck, -half), point(tail, -half))
    drawn = f'<path class="arrow" d="M{"L".join(outline)}Z" fill="{color}" fill-opacity=".82" stroke="#fff" stroke-opacity=".55"/>'
    at = min(neck - 6, length / 2) if length > 60 else neck - 2
    return drawn, (x1 + at * ux, y1 + at * uy)


def _label(kind: str, text: str, x: float, y: float, color: str, anchor: str) -> str:
    named = _paint(text, "text")
    return (
        f'<text class="{kind}" x="{_number(x)}" y="{_number(y)}" font-family="Helvetica,Arial,sans-serif" font-size="11" font-weight="bold" '
        f'text-anchor="{anchor}" fill="{color}">{named}</text>'
    )


def _pill(text: str, x: float, y: float, color: str, ink: str) -> str:
    """A short text on a colored ground."""
    width = 8 + 6.6 * len(text)
    at = f'x="{_number(x - width / 2)}" y="{_number(y - 8)}" width="{_number(width)}" height="16" rx="8"'
    ground = f'<rect {at} fill="{color}" stroke="#fff" stroke-opacity=".7"/>'
    return ground + _label("label", text, x, y + 4, ink, "middle")


def _grain(x: int, width: int, height: int, color: str) -> str:
    """Some year rings along the board."""
    rings = []
    for k in range(1, 14):
        at = x + 6 + (width - 12) * k / 14 + 5 * math.sin(2.4 * k)
        bend = 7 * math.sin(1.7 * k + 1)
        rings.append(f"M{_number(at)} 1C{_number(at + bend)} {height // 3} {_number(at - bend)} {2 * height // 3} {_number(at + bend / 2)} {height - 1}")
    return f'<path class="grain" d="{"".join(rings)}" fill="none" stroke="{color}" stroke-opacity=".22"/>'


def _hand(canvas: _Canvas, side: int, counts: Sequence[int], moves: bool, below: bool, x: int, y: int) -> str:
    """The stand of a side with what it holds: at the lower right for the side below, at the upper left for the side above. Numbers stand upright."""
    look = canvas.theme
    parts = []
    cx = x + _STAND / 2
    if moves:
        parts.append(f'<rect class="turn" x="{_number(cx - 19)}" y="{y + 6}" width="38" height="32" rx="6" fill="{look.turn}"/>')
    fill, line = ("#111", "#fff") if side == 0 else ("#fff", "#111")
    parts.append(f'<path class="side" d="{_KOMA}" transform="translate({_number(cx)} {y + 22})scale(.55)" fill="{fill}" stroke="{line}" stroke-width="2.4"/>')
    row = y + 44 + _ROW // 2 - 2
    for kind in _HAND_ORDER:
        n = counts[kind - 1]
        if not n:
            continue
        at = x + (25 if n > 1 else _STAND // 2)
        parts.append(f'<use class="held" href="#{canvas.piece(kind + 16 * side, not below)}" x="{at}" y="{row}"/>')
        if n > 1:
            parts.append(canvas.words("count", str(n), x + 57, row + 3, 20 if n < 10 else 18, look.text))
        row += _ROW
    return f'<g class="hand">{"".join(parts)}</g>'
