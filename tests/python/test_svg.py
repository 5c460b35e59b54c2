"""Drawings: what is where, not which bytes."""

from __future__ import annotations

import dataclasses
import itertools
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori import Board, Move, Piece, Setup, Square, svg
from komadori._glyphs import PIECES
from komadori.svg import THEMES, Arrow
from test_setup import setups

NAMESPACE = "{http://www.w3.org/2000/svg}"
WIDTH, HEIGHT = 44, 48  # of a square


class Drawing:
    """An SVG text taken apart."""

    def __init__(self, svg: str) -> None:
        self.root = ElementTree.fromstring(svg)
        assert self.root.tag == NAMESPACE + "svg"
        _, _, self.width, self.height = map(int, self.root.attrib["viewBox"].split())
        margin = (self.height - 9 * HEIGHT) // 2
        self.left, self.top = (self.width - 9 * WIDTH) // 2, margin
        self.names = {element.attrib["id"]: element for element in self.root.iter() if "id" in element.attrib}
        used = [element.attrib["href"] for element in self.root.iter(NAMESPACE + "use")]
        assert len(self.names) == len([e for e in self.root.iter() if "id" in e.attrib])
        assert {name[1:] for name in used} == set(self.names), "what is used is there, and nothing else"

    def all(self, kind: str) -> list[ElementTree.Element]:
        return [element for element in self.root.iter() if element.get("class") == kind]

    def texts(self, kind: str) -> list[str]:
        return [element.attrib["data-text"] for element in self.all(kind)]

    def square(self, x: float, y: float, flipped: bool = False) -> Square:
        column, row = int(x - self.left) // WIDTH, int(y - self.top) // HEIGHT
        assert 0 <= column < 9 and 0 <= row < 9
        return Square(9 * column + 8 - row) if flipped else Square(9 * (8 - column) + row)

    def piece(self, use: ElementTree.Element) -> tuple[int, bool, str]:
        """Number, whether it is turned, and how it is drawn, of a piece that is used; what it is drawn from is looked at, too."""
        name = use.attrib["href"][1:].split("-")[-1]
        style, number, turned = name[0], int(name[1:].rstrip("r")), name.endswith("r")
        drawn = self.names[use.attrib["href"][1:]]
        if style == "k":
            glyph = next(e for e in drawn if e.get("href", "").startswith("#kmd-p"))
            word = chr(int(glyph.attrib["href"][6:], 16))
            assert word == ("王" if number == 24 else "・歩香桂銀角飛金玉と杏圭全馬龍"[number & 15])
            assert ("rotate(180)" in glyph.attrib["transform"]) == turned
            assert self.names[glyph.attrib["href"][1:]].attrib["d"] == PIECES[word]
        else:
            (face,) = (e for e in drawn if e.get("class") == "face")
            assert face.attrib["data-text"] == ("", *"PLNSBRGK", "+P", "+L", "+N", "+S", "+B", "+R")[number & 15]
            (outline,) = (e for e in drawn if e.get("class") == "outline")
            assert ("rotate(180)" in outline.attrib["transform"]) == turned
        return number, turned, style


@given(setups, st.booleans(), st.booleans(), st.sampled_from(["kanji", "letters", "none"]), st.sampled_from(["wood", "dark", "paper", "auto"]))
@settings(max_examples=60, deadline=None)
def test_everything_is_drawn_where_it_stands(setup: Setup, flipped: bool, letters: bool, coordinates: Any, theme: str) -> None:
    svg = setup.svg(flipped=flipped, letters=letters, coordinates=coordinates, theme=theme)
    assert svg == setup.copy().svg(flipped=flipped, letters=letters, coordinates=coordinates, theme=theme)
    drawing = Drawing(svg)
    found = {}
    for use in drawing.all("piece"):
        number, turned, style = drawing.piece(use)
        found[int(drawing.square(float(use.attrib["x"]), float(use.attrib["y"]), flipped))] = number
        assert turned == ((number > 16) != flipped) and style == ("l" if letters else "k")
    assert found == {square: piece for square, piece in enumerate(setup.pieces()) if piece}
    for color, group in enumerate(drawing.all("hand")):
        below = (color == 0) != flipped
        held = [e for e in group.iter() if e.get("class") == "held"]
        counts = {float(e.attrib["transform"][10:].split(")")[0].split()[1]): e.attrib["data-text"] for e in group.iter() if e.get("class") == "count"}
        want = [(kind, setup.hands[color][kind]) for kind in (6, 5, 7, 4, 3, 2, 1) if setup.hands[color][kind]]
        rows = [float(e.attrib["y"]) for e in held]
        assert [drawing.piece(e) for e in held] == [(kind + 16 * color, not below, "l" if letters else "k") for kind, _ in want]
        assert [counts.get(row + 3, "1") for row in rows] == [str(n) for _, n in want]  # a number stands beside its piece
        assert len(counts) == sum(n > 1 for _, n in want)
        assert all(0 < float(e.attrib["x"]) < 74 if not below else drawing.width - 74 < float(e.attrib["x"]) < drawing.width for e in held)
        assert rows == sorted(rows) and all(b - a >= 40 for a, b in itertools.pairwise(rows))  # nothing overlaps
        assert all(20 <= row <= drawing.height - 20 for row in rows)  # nothing is cut off
        assert len([e for e in group.iter() if e.get("class") == "turn"]) == (color == setup.turn)
    files, ranks = drawing.texts("file"), drawing.texts("rank")
    if coordinates == "none":
        assert files == ranks == []
    else:
        row = "一二三四五六七八九" if coordinates == "kanji" else "abcdefghi"
        assert "".join(files) == ("123456789" if flipped else "987654321")
        assert "".join(ranks) == (row[::-1] if flipped else row)
    # The sides look alike: the same setup turned, drawn from the other side, has the same pieces in the same places.
    other = Drawing(setup.flip_side().svg(flipped=not flipped, letters=letters, coordinates=coordinates, theme=theme))
    places = [sorted((t.attrib["x"], t.attrib["y"], d.piece(t)[1]) for t in d.all("piece")) for d in (drawing, other)]
    assert places[0] == places[1]


def test_marks() -> None:
    board = Board()
    for move in ("7g7f", "3c3d", "8h2b+", "3a2b"):
        board.push_usi(move)
    fill = {THEMES["wood"].last_to: "2b", THEMES["wood"].last_from: "3a"}
    for flipped in (False, True):
        drawing = Drawing(board.svg(flipped=flipped))
        marks = {e.attrib["fill"]: drawing.square(float(e.attrib["x"]), float(e.attrib["y"]), flipped).to_usi() for e in drawing.all("square")}
        assert marks == fill
    assert Drawing(board.svg(last_move=False)).all("square") == []
    # A given color goes before the mark of the last move.
    colored = Drawing(board.svg(fills={Square.from_usi("2b"): "red", 40: "#00f"}))
    assert [e.attrib["fill"] for e in colored.all("square")] == ["red", "#00f", THEMES["wood"].last_from]
    # A drop marks its square alone, a pass nothing.
    board.push_usi("B*5e")
    assert len(Drawing(board.svg()).all("square")) == 1
    board.push_null()
    assert Drawing(board.svg()).all("square") == []


def test_check_is_marked_when_asked_for() -> None:
    board = Board("4k4/9/4R4/9/9/9/9/9/4K4 w - 1")
    drawing = Drawing(board.svg(check=True))
    assert [drawing.square(float(e.attrib["x"]), float(e.attrib["y"])).to_usi() for e in drawing.all("square")] == ["5a"]
    assert Drawing(board.svg()).all("square") == []
    assert Drawing(Board().svg(check=True)).all("square") == []


def points(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (point.split() for point in path[1:-1].split("L"))]


def test_arrows_point_at_their_targets() -> None:
    board = Board()
    given: list[Any] = [Move.from_usi("7g7f"), (Square.from_usi("2b"), Square.from_usi("8h")), (40, 49, "#123456"), Move.from_usi("P*5e"), (7, 7)]
    for flipped in (False, True):
        drawing = Drawing(board.svg(arrows=given, flipped=flipped))
        ends = []
        for arrow in drawing.all("arrow"):
            outline = points(arrow.attrib["d"])
            tail = [(a + b) / 2 for a, b in zip(outline[0], outline[-1], strict=True)]
            ends.append((drawing.square(*tail, flipped).to_usi(), drawing.square(*outline[3], flipped).to_usi(), arrow.attrib["fill"]))
        usual = THEMES["wood"].arrow
        assert ends == [("7g", "7f", usual), ("2b", "8h", usual), ("5e", "6e", "#123456")]
        rings = [drawing.square(float(r.attrib["cx"]), float(r.attrib["cy"]), flipped).to_usi() for r in drawing.all("ring")]
        assert rings == ["5e", "1h"]
        (ghost,) = drawing.all("ghost")  # what is dropped
        assert drawing.piece(ghost)[:2] == (1, flipped)
        assert drawing.square(float(ghost.attrib["x"]), float(ghost.attrib["y"]), flipped).to_usi() == "5e"
    # Nothing is dropped onto a piece, and White's piece is White's.
    assert Drawing(board.svg(arrows=[Move.from_usi("P*5g")])).all("ghost") == []
    white = Drawing(Setup("4k4/9/9/9/9/9/9/9/4K4 w g 1").svg(arrows=[Move.from_usi("G*5b")]))
    assert white.piece(white.all("ghost")[0])[:2] == (23, True)
    assert "-0 " not in board.svg(arrows=given)


def test_arrows_with_width_and_label() -> None:
    move = Move.from_usi("7g7f")
    thin, thick = (Drawing(Board().svg(arrows=[Arrow(move, width=width, label="34 %", color="#123")])) for width in (0.5, 2))
    assert [e.text for e in thick.all("label")] == ["34 %"]
    spans = []
    for drawing in (thin, thick):
        (arrow,) = drawing.all("arrow")
        assert arrow.attrib["fill"] == "#123"
        xs = [x for x, _ in points(arrow.attrib["d"])]
        spans.append(max(xs) - min(xs))
    assert spans[1] > 1.5 * spans[0]
    assert [e.text for e in Drawing(Board().svg(arrows=[Arrow((40, 40), label="x")])).all("label")] == ["x"]


def heats(svg: str) -> dict[int, tuple[str, float]]:
    drawing = Drawing(svg)
    return {int(drawing.square(float(e.attrib["x"]), float(e.attrib["y"]))): (e.attrib["fill"], float(e.attrib["fill-opacity"])) for e in drawing.all("heat")}


def test_heat() -> None:
    hot, cold = THEMES["wood"].hot, THEMES["wood"].cold
    assert heats(Board().svg(heat={0: 2.0, 40: -1.0, 80: 0.0})) == {0: (hot, 0.88), 40: (cold, 0.48)}
    counts = Board().attack_counts()[0]
    found = heats(Board().svg(heat=counts))
    assert set(found) == {square for square in range(81) if counts[square // 9, square % 9]}
    assert found == heats(Board().svg(heat=counts.ravel())) == heats(Board().svg(heat=counts.ravel().tolist()))
    order = sorted(found, key=lambda square: found[square][1])
    assert [int(counts.ravel()[square]) for square in order] == sorted(int(n) for n in counts.ravel() if n)
    assert heats(Board().svg(heat=[0] * 81)) == heats(Board().svg()) == {}
    # Squares of the drawing are those of the array from the other side, too.
    drawing = Drawing(Board().svg(heat={5: 1}, flipped=True))
    (one,) = drawing.all("heat")
    assert drawing.square(float(one.attrib["x"]), float(one.attrib["y"]), True) == 5


def test_texts_lie_in_their_squares() -> None:
    drawing = Drawing(Board().svg(texts={0: "12", 40: "<&>"}))
    assert {int(drawing.square(float(e.attrib["x"]), float(e.attrib["y"]))): e.text for e in drawing.all("text")} == {0: "12", 40: "<&>"}


def test_themes() -> None:
    for name, theme in THEMES.items():
        assert theme.ink in Board().svg(theme=name)
        assert Board().svg(theme=name) == Board().svg(theme=theme)
    own = dataclasses.replace(THEMES["paper"], board='red"<')
    assert 'fill="red&quot;&lt;"' in Board().svg(theme=own)
    names = [{e.attrib["id"] for e in Drawing(Board().svg(theme=theme)).root.iter() if "-k" in e.get("id", "")} for theme in ("wood", "dark", own)]
    assert not names[0] & names[1] and not names[0] & names[2], "a name means the same in all drawings of a page"
    auto = Board().svg(theme="auto")
    assert "prefers-color-scheme:dark" in auto and 'class="kmd-auto"' in auto
    assert not re.search(r'(fill|stroke)="#(?!fff|111)', auto), "each color follows the page"
    for field in dataclasses.fields(svg.Theme):
        assert field.name == "flat" or f"--kmd-{field.name}:" in auto
    for wrong in ("wod", None, 3):
        with pytest.raises(ValueError, match="theme"):
            Board().svg(theme=wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Board().svg(theme=dataclasses.replace(own, ink=3))  # type: ignore[arg-type]


def test_without_hands() -> None:
    whole, alone = Drawing(Board().svg()), Drawing(Board().svg(hands=False))
    assert alone.all("hand") == [] and len(whole.all("hand")) == 2
    scales = [float(d.root.attrib["width"]) / d.width for d in (whole, alone)]
    assert scales[0] == pytest.approx(scales[1], rel=0.01)  # the squares are as large
    assert len(alone.all("piece")) == 40


def test_text_from_outside_is_escaped() -> None:
    evil = '"><script>&'
    for label in (Arrow((1, 2), label=evil), Arrow((1, 1), label=evil)):
        assert evil in [e.text for e in Drawing(Board().svg(arrows=[label])).all("label")]
    for drawn in (Board().svg(fills={1: evil}), Board().svg(arrows=[(1, 2, evil)]), Board().svg(arrows=[(1, 1, evil)])):
        assert "<script" not in drawn
        assert evil in [e.get("fill") for e in Drawing(drawn).root.iter()] + [e.get("stroke") for e in Drawing(drawn).root.iter()]


@pytest.mark.parametrize(
    "wrong",
    [
        {"fills": {81: "red"}}, {"fills": {-1: "red"}}, {"arrows": [(0, 81)]}, {"arrows": [(81, 0)]}, {"arrows": [(1, 2, "red", 4)]}, {"arrows": [(1,)]},
        {"arrows": [Move.from_usi("resign")]}, {"size": 0}, {"size": -5}, {"coordinates": "roman"},
        {"heat": {81: 1}}, {"heat": {0: float("nan")}}, {"heat": [1] * 80}, {"heat": [[1] * 9] * 8}, {"heat": {0: float("inf")}}, {"texts": {81: "x"}},
        {"heat": ["x"] * 81}, {"arrows": [Arrow((1, 2), width=0)]}, {"arrows": [Arrow((1, 2), width=float("nan"))]}, {"arrows": [Arrow((1, 2, 3))]},
        {"arrows": [Arrow((1, 2), width="1")]}, {"texts": {1: "\0"}},
    ],
)  # fmt: skip
def test_what_cannot_be_drawn(wrong: dict[str, Any]) -> None:
    for drawn in (Board(), Setup()):
        with pytest.raises(ValueError):
            drawn.svg(**wrong)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"size": float("inf")}, TypeError), ({"size": "300"}, TypeError), ({"fills": [(1, "red")]}, TypeError), ({"fills": {1: None}}, TypeError),
        ({"texts": ["x"]}, TypeError),
        ({"fills": {"1a": "red"}}, TypeError), ({"arrows": [("1a", "1b")]}, TypeError), ({"arrows": [(1, 2, 3)]}, TypeError), ({"arrows": [7]}, TypeError),
        ({"fills": {1: "\0"}}, ValueError), ({"fills": {1: "\ud800"}}, ValueError), ({"arrows": [(1, 2, "\x1b")]}, ValueError),
        ({"size": 10**5000}, ValueError),
    ],
)  # fmt: skip
def test_drawings_are_well_formed_or_refused(wrong: dict[str, Any], error: type[Exception]) -> None:
    for drawn in (Board(), Setup()):
        with pytest.raises(error):
            drawn.svg(**wrong)


def test_pieces_that_are_none_are_not_drawn() -> None:
    from komadori.svg import board_svg

    with pytest.raises(ValueError, match="80 pieces"):
        board_svg([0] * 80, ((0,) * 7, (0,) * 7), 0)
    for piece in (15, 16, 31, 32, -1):
        with pytest.raises(ValueError, match="piece"):
            board_svg([piece] + [0] * 80, ((0,) * 7, (0,) * 7), 0)


def test_size_and_notebooks() -> None:
    assert Drawing(Board().svg(size=300)).root.attrib["width"] == "300"
    assert Board()._repr_svg_() == Board().svg()
    assert Setup("startpos")._repr_svg_() == Board().svg()
    assert Board().svg()._repr_svg_() == str(Board().svg())
    # What follows the page is part of it, not an image in it.
    assert Board()._repr_html_() == Setup("startpos")._repr_html_() == Board().svg(theme="auto")._repr_html_() == str(Board().svg(theme="auto"))
    assert Board().svg()._repr_html_() is None
    kings = [p for d in [Drawing(Board().svg())] for p, *_ in map(d.piece, d.all("piece")) if p in (8, 24)]
    assert sorted(kings) == [Piece(8), Piece(24)]
