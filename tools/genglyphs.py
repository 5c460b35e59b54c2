"""Writes python/komadori/_glyphs.py, the outlines of the characters that drawings are made of, from two free fonts.

python tools/genglyphs.py FOLDER

FOLDER holds the fonts as `npm pack @fontsource/yuji-syuku@5.3.0` and `npm pack @fontsource/kaisei-tokumin@5.3.0` give them, each unpacked into a folder of
its name: FOLDER/yuji-syuku/package/files/*.woff2. Needs fonttools and brotli. Both fonts are under the SIL Open Font License 1.1, see licenses/.
"""

from __future__ import annotations

import math
import sys
from functools import cache
from pathlib import Path
from typing import Any

from fontTools.pens.basePen import BasePen
from fontTools.pens.boundsPen import BoundsPen
from fontTools.ttLib import TTFont

TARGET = Path(__file__).resolve().parents[1] / "python" / "komadori" / "_glyphs.py"
EM = 240  # units of an em in the drawings: an eighth of a pixel where a character is 30 pixels high
TOLERANCE = 0.7  # of an outline, in those units
STEPS = 8  # a curve is looked at in so many places
Point = tuple[float, float]
PIECES = "歩香桂銀角飛金玉と杏圭全馬龍王"  # by number of the kind, then the king of White
TEXT = "0123456789abcdefghi+-–LNSBRGPK一二三四五六七八九"


@cache
def characters(folder: Path, name: str, weight: int) -> dict[int, TTFont]:
    """The file of each character: a font comes in many files of some characters."""
    found: dict[int, TTFont] = {}
    for file in sorted((folder / name / "package" / "files").glob(f"{name}-*-{weight}-normal.woff2")):
        font = TTFont(file, lazy=True)
        for code in font.getBestCmap():
            found.setdefault(code, font)
    if not found:
        raise SystemExit(f"no files of {name} in {folder}")
    return found


class Pen(BasePen):  # type: ignore[misc]
    """Takes an outline as polygons that are nowhere farther from it than what can be seen, and writes them as SVG path data in whole numbers."""

    def __init__(self, glyphs: Any, scale: float, dx: float, dy: float) -> None:
        super().__init__(glyphs)
        self.scale, self.dx, self.dy = scale, dx, dy
        self.contours: list[list[Point]] = []

    def place(self, point: Point) -> Point:
        return (point[0] + self.dx) * self.scale, -(point[1] + self.dy) * self.scale

    def _moveTo(self, point: Point) -> None:
        self.contours.append([self.place(point)])

    def _lineTo(self, point: Point) -> None:
        self.contours[-1].append(self.place(point))

    def _curveToOne(self, one: Point, two: Point, point: Point) -> None:
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = self.contours[-1][-1], self.place(one), self.place(two), self.place(point)
        for k in range(1, STEPS + 1):
            t, u = k / STEPS, 1 - k / STEPS
            x = u**3 * x0 + 3 * u * u * t * x1 + 3 * u * t * t * x2 + t**3 * x3
            y = u**3 * y0 + 3 * u * u * t * y1 + 3 * u * t * t * y2 + t**3 * y3
            self.contours[-1].append((x, y))

    def path(self) -> str:
        """Path data, each point relative to the last one."""
        parts = []
        x0 = y0 = 0
        for contour in self.contours:
            points = [(round(x), round(y)) for x, y in simplified(contour)]
            command = "m"
            start = points[0]
            for x, y in points if points[-1] != start else points[:-1]:
                dx, dy = x - x0, y - y0
                if (dx, dy) == (0, 0) and command != "m":
                    continue
                name = command if command == "m" else "h" if dy == 0 else "v" if dx == 0 else "l"
                numbers = f"{dx}" if name == "h" else f"{dy}" if name == "v" else f"{dx}{'' if dy < 0 else ' '}{dy}"
                parts.append(("" if name == command and name != "m" else name) + ("" if name != command or name == "m" or numbers[0] == "-" else " ") + numbers)
                command = "l" if name == "m" else name  # what follows m without a command is a line
                x0, y0 = x, y
            parts.append("z")
            x0, y0 = start
        return "".join(parts)


def simplified(points: list[Point]) -> list[Point]:
    """The points that are needed to stay within TOLERANCE of all (Douglas and Peucker, 1973)."""
    if len(points) < 3:
        return points
    (x0, y0), (x1, y1) = points[0], points[-1]
    length = math.hypot(x1 - x0, y1 - y0)

    def distance(point: Point) -> float:
        if length == 0:
            return math.hypot(point[0] - x0, point[1] - y0)
        return abs((x1 - x0) * (point[1] - y0) - (y1 - y0) * (point[0] - x0)) / length

    farthest = max(range(1, len(points) - 1), key=lambda k: distance(points[k]))
    if distance(points[farthest]) <= TOLERANCE:
        return [points[0], points[-1]]
    return simplified(points[: farthest + 1])[:-1] + simplified(points[farthest:])


def outline(folder: Path, name: str, weight: int, character: str, centered: bool) -> tuple[int, str]:
    """Advance and path of a character: around the center of its ink, or from its place on the line with the middle of a capital letter at 0."""
    font = characters(folder, name, weight)[ord(character)]
    glyphs, glyph = font.getGlyphSet(), font.getBestCmap()[ord(character)]
    bounds = BoundsPen(glyphs)
    glyphs[glyph].draw(bounds)
    x0, y0, x1, y1 = bounds.bounds
    scale = EM / font["head"].unitsPerEm
    ideograph = ord(character) >= 0x3000
    dx, dy = (-(x0 + x1) / 2, -(y0 + y1) / 2) if centered else (0, -(y0 + y1) / 2 if ideograph else -font["OS/2"].sCapHeight / 2)
    pen = Pen(glyphs, scale, dx, dy)
    glyphs[glyph].draw(pen)
    return round(glyphs[glyph].width * scale), pen.path()


def main() -> None:
    folder = Path(sys.argv[1])
    lines = [
        '"""Outlines of characters, so that drawings look the same everywhere. Code generated by tools/genglyphs.py, do not edit.',
        "",
        "PIECES are from Yuji Syuku, Copyright 2021 The Yuji Project Authors; TEXT from Kaisei Tokumin, Copyright 2020 The Kaisei Project Authors.",
        "Both are under the SIL Open Font License 1.1: licenses/ of the repository and of the wheel holds it.",
        '"""',
        "",
        f"EM = {EM}",
        "",
        "# By character: path data around the center.",
        "PIECES = {",
        *(f'    "{c}": "{outline(folder, "yuji-syuku", 400, c, True)[1]}",' for c in PIECES),
        "}",
        "",
        "# By character: advance, and path data with the middle of a capital letter at 0.",
        "TEXT = {",
    ]
    for c in TEXT:
        advance, path = outline(folder, "kaisei-tokumin", 800 if c in "LNSBRGPK+" else 500, c, False)
        lines.append(f'    "{c}": ({advance}, "{path}"),')
    lines.append("}")
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
