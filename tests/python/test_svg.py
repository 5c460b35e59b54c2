"""Drawings: what is where, not which bytes."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori import Board, Move, Piece, Setup, Square
from test_setup import setups

NAMESPACE = "{http://www.w3.org/2000/svg}"
KANJI = "・歩香桂銀角飛金玉と杏圭全馬龍"
LETTERS = ("", "P", "L", "N", "S", "B", "R", "G", "K", "+P", "+L", "+N", "+S", "+B", "+R")


class Drawing:
    """An SVG text taken apart."""

    def __init__(self, svg: str) -> None:
        self.root = ElementTree.fromstring(svg)
        assert self.root.tag == NAMESPACE + "svg"
        _, _, self.width, self.height = map(int, self.root.attrib["viewBox"].split())

    def all(self, kind: str) -> list[ElementTree.Element]:
        return [element for element in self.root.iter() if element.get("class") == kind]

    def texts(self, kind: str) -> list[str]:
        return [element.text or "" for element in self.all(kind)]

    def square(self, x: float, y: float, flipped: bool = False) -> Square:
        """The square at a place: the board is 360 wide and begins at (64, 34)."""
        column, row = int(x - 64) // 40, int(y - 34) // 40
        return Square(9 * column + 8 - row) if flipped else Square(9 * (8 - column) + row)


def pieces_of(drawing: Drawing, flipped: bool, letters: bool) -> dict[int, int]:
    """What stands where, read off the drawing."""
    found = {}
    outlines = drawing.all("outline")
    for k, text in enumerate(drawing.all("piece")):
        word = text.text or ""
        turned = "rotate(180" in ((outlines[k] if letters else text).get("transform") or "")
        kind = LETTERS.index(word) if letters else KANJI.index(word.replace("王", "玉"))
        found[int(drawing.square(float(text.attrib["x"]), float(text.attrib["y"]) - 8, flipped))] = kind + 16 * (turned != flipped)
    return found


@given(setups, st.booleans(), st.booleans(), st.sampled_from(["kanji", "letters", "none"]))
@settings(max_examples=60, deadline=None)
def test_everything_is_drawn_where_it_stands(setup: Setup, flipped: bool, letters: bool, coordinates: Any) -> None:
    svg = setup.svg(flipped=flipped, letters=letters, coordinates=coordinates)
    assert svg == setup.copy().svg(flipped=flipped, letters=letters, coordinates=coordinates)
    drawing = Drawing(svg)
    assert pieces_of(drawing, flipped, letters) == {square: piece for square, piece in enumerate(setup.pieces()) if piece}
    names = LETTERS if letters else KANJI
    for color, group in enumerate(drawing.all("hand")):
        words = [text.text or "" for text in group.iter(NAMESPACE + "text")]
        want = ["☗☖"[color]]
        for kind in (6, 5, 7, 4, 3, 2, 1):
            n = setup.hands[color][kind]
            want += [names[kind], *([str(n)] if n > 1 else [])] if n else []
        assert words == (want if len(want) > 1 else [*want, "–" if letters else "なし"])
        xs = {float(text.attrib["x"]) for text in group.iter(NAMESPACE + "text")}
        ys = [float(text.attrib["y"]) for text in group.iter(NAMESPACE + "text")]
        below = (color == 0) != flipped
        assert xs == ({466.0} if below else {24.0})  # beside the board, not over it
        assert ys == sorted(ys)
        assert ys[0] - 18 >= 0 and ys[-1] <= drawing.height  # nothing is cut off
        assert all(b - a >= 15 for a, b in itertools.pairwise(ys))  # nothing overlaps
    files, ranks = drawing.texts("file"), drawing.texts("rank")
    if coordinates == "none":
        assert files == ranks == []
    else:
        row = "一二三四五六七八九" if coordinates == "kanji" else "abcdefghi"
        assert "".join(files) == ("123456789" if flipped else "987654321")
        assert "".join(ranks) == (row[::-1] if flipped else row)
    # The sides look alike: the same setup turned, drawn from the other side, has the same pieces in the same places.
    other = Drawing(setup.flip_side().svg(flipped=not flipped, letters=letters, coordinates=coordinates))
    places = [sorted((t.attrib["x"], t.attrib["y"], t.get("transform", "")) for t in d.all("piece")) for d in (drawing, other)]
    assert places[0] == places[1]


def test_marks() -> None:
    board = Board()
    for move in ("7g7f", "3c3d", "8h2b+", "3a2b"):
        board.push_usi(move)
    fill = {"#efbd5c": "2b", "#f4d593": "3a"}
    for flipped in (False, True):
        drawing = Drawing(board.svg(flipped=flipped))
        marks = {e.attrib["fill"]: drawing.square(float(e.attrib["x"]), float(e.attrib["y"]), flipped).to_usi() for e in drawing.all("square")}
        assert marks == fill
    assert Drawing(board.svg(last_move=False)).all("square") == []
    # A given color goes before the mark of the last move.
    colored = Drawing(board.svg(fills={Square.from_usi("2b"): "red", 40: "#00f"}))
    assert [e.attrib["fill"] for e in colored.all("square")] == ["red", "#00f", "#f4d593"]
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
        green = "#1b6e4b"
        assert ends == [("7g", "7f", green), ("2b", "8h", green), ("5e", "6e", "#123456")]
        rings = [drawing.square(float(r.attrib["cx"]), float(r.attrib["cy"]), flipped).to_usi() for r in drawing.all("ring")]
        assert rings == ["5e", "1h"]
    assert "-0 " not in board.svg(arrows=given)


def test_text_from_outside_is_escaped() -> None:
    evil = '"><script>&'
    for svg in (Board().svg(fills={1: evil}), Board().svg(arrows=[(1, 2, evil)]), Board().svg(arrows=[(1, 1, evil)])):
        assert "<script" not in svg
        assert evil in [e.get("fill") for e in Drawing(svg).root.iter()] + [e.get("stroke") for e in Drawing(svg).root.iter()]


@pytest.mark.parametrize(
    "wrong",
    [
        {"fills": {81: "red"}}, {"fills": {-1: "red"}}, {"arrows": [(0, 81)]}, {"arrows": [(81, 0)]}, {"arrows": [(1, 2, "red", 4)]}, {"arrows": [(1,)]},
        {"arrows": [Move.from_usi("resign")]}, {"size": 0}, {"size": -5}, {"coordinates": "roman"},
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
    assert Piece(24) and "王" in Board().svg() and "玉" in Board().svg()
