"""Tables of moves, and what values look like in notebooks."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori import AperyMove, Board, GameResult, IllegalMoveError, Move, Score, labels, search, training, view
from test_svg import Drawing, heats

LOGITS = np.random.default_rng(5).normal(size=2187) * 2


def positions() -> list[Board]:
    return [
        Board(),
        Board.from_position("startpos moves 7g7f 3c3d 8h2b+ 3a2b"),
        Board("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"),
    ]


@pytest.mark.parametrize("board", positions(), ids=range(3))
def test_a_policy_is_the_softmax_over_the_legal_moves(board: Board) -> None:
    table = view.moves(board, LOGITS)
    assert {row.move for row in table} == set(board.legal_moves())
    weights = {move: math.exp(LOGITS[move.label(board.turn)]) for move in board.legal_moves()}
    for row in table:
        assert row.policy == pytest.approx(weights[row.move] / sum(weights.values()))
        assert row.logit == LOGITS[row.label] and row.label == row.move.label(board.turn) and row.compact_label == row.move.compact_label(board.turn)
        assert row.words == "☗☖"[board.turn] + board.kif(row.move)
        assert table.row(row.move) == row
    shares = [row.policy for row in table]
    assert shares == sorted(shares, reverse=True) and sum(shares) == pytest.approx(1) and table.mass == 1
    assert table.entropy == pytest.approx(-sum(p * math.log2(p) for p in shares))
    # The same numbers in the compact space, by move, and in other shapes.
    compact = LOGITS[labels.COMPACT_TO_FULL]
    by_move = {move: LOGITS[move.label(board.turn)] for move in board.legal_moves()}
    for same in (compact, by_move, LOGITS.reshape(27, 9, 9), LOGITS.astype(np.float32)[None], LOGITS.tolist()):
        assert [(row.move, pytest.approx(row.policy, rel=1e-5)) for row in table] == [(row.move, row.policy) for row in view.moves(board, same)]
    # The board turned has the same policy on the turned moves; a network that saw it mirrored is read back.
    turned = view.moves(board.flip_side(), LOGITS)
    assert [(row.move.flip_side(), row.policy) for row in turned] == [(row.move, pytest.approx(row.policy)) for row in table]
    mirrored = view.moves(board.mirror_file(), LOGITS)
    assert {row.move.mirror_file(): row.policy for row in mirrored} == {row.move: pytest.approx(row.policy) for row in view.moves(board, LOGITS, mirrored=True)}
    assert view.moves(board, LOGITS, temperature=100)[0].policy < table[0].policy < view.moves(board, LOGITS, temperature=0.1)[0].policy
    assert str(table).count("\n") == len(table) + 1


def test_probabilities_are_shown_as_they_are() -> None:
    board = Board()
    policy = np.full(2187, 1 / 2187)
    table = view.moves(board, policy=policy)
    assert {row.policy for row in table} == {1 / 2187} and table.mass == pytest.approx(30 / 2187)
    assert "1.4 % of the policy" in table._repr_html_() and "1.4 % of the policy" in str(table)
    some = view.moves(board, policy={Move.from_usi("2g2f"): 0.7, Move.from_usi("7g7f"): 0.3})
    assert str(some[0]) == "☗２六歩(27) 2g2f: label 14, compact 13, policy 70.0%"
    assert [(row.move.to_usi(), row.policy) for row in some[:3]] == [("2g2f", 0.7), ("7g7f", 0.3), (some[2].move.to_usi(), None)]


def test_scores() -> None:
    board = Board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")
    with search.Searcher(hash_mb=1) as searcher:
        found = searcher.search(board, depth=3, multipv=4)
    table = view.moves(board, scores=found)
    assert [(row.move, row.score) for row in table[:4]] == [(line.move, line.score) for line in found.lines]
    assert table[4].score is None and "mate 1" in str(table) and "mate 1" in table._repr_html_()
    one = view.moves(board, scores={Move.from_usi("G*5b"): Score(cp=7), Move.from_usi("5i5h"): 12.5})
    assert [row.move.to_usi() for row in one[:2]] == ["5i5h", "G*5b"]
    assert one.svg(top=5).count('class="ring"') + one.svg(top=5).count('class="arrow"') == 2, "no arrow for moves of which nothing is known"
    assert one.to_numpy()["score"][:2].tolist() == [12.5, 7.0]
    with search.Searcher(hash_mb=1) as searcher:
        single = searcher.search(board, depth=2)
    assert view.moves(board, scores=single)[0].score == single.score


def test_a_table_is_drawn() -> None:
    board = Board()
    table = view.moves(board, LOGITS)
    drawing = Drawing(table.svg(top=3))
    assert len(drawing.all("arrow")) == 3 and drawing.all("label")[-1].text == f"{100 * table[0].policy:.0f} %"
    heat = heats(table.svg())
    targets: dict[int, float] = {}
    for row in table:
        targets[int(row.move.to_square)] = targets.get(int(row.move.to_square), 0) + row.policy
    assert table.heat() == pytest.approx(targets)
    assert max(heat, key=lambda square: heat[square][1]) == max(targets, key=lambda square: targets[square])
    assert not Drawing(table.svg(heat=False)).all("heat")
    ElementTree.fromstring(table._repr_html_().replace("<br>", "<br/>"))
    assert "… 10 more" in table._repr_html_()
    assert view.moves(board, only=[Move.from_usi("7g7f")])[0].words == "☗７六歩(77)"
    assert len(view.moves(Board("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"))._repr_html_()) > 1000
    array = table.to_numpy()
    assert array["move"].tolist() == [row.move.value for row in table] and np.isnan(array["score"]).all()
    assert array["policy"].sum() == pytest.approx(1)


def test_plots() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = view.moves(Board(), LOGITS).plot(top=7)
    assert [text.get_text() for text in axes.get_yticklabels()] == [row.move.to_usi() for row in view.moves(Board(), LOGITS)[:7]]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"logits": np.zeros(2186)}, ValueError), ({"logits": np.full(2187, np.nan)}, ValueError), ({"logits": LOGITS, "policy": LOGITS}, ValueError),
        ({"logits": LOGITS, "temperature": 0}, ValueError), ({"logits": LOGITS, "temperature": float("nan")}, ValueError), ({"logits": "text"}, ValueError),
        ({"scores": {Move.from_usi("1a1b"): 1}}, IllegalMoveError), ({"policy": {Move.from_usi("1a1b"): 1}}, IllegalMoveError),
        ({"only": [Move.from_usi("1a1b")]}, IllegalMoveError), ({"logits": {"7g7f": 1}}, TypeError), ({"only": ["7g7f"]}, TypeError),
    ],
)  # fmt: skip
def test_what_is_no_table(wrong: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        view.moves(Board(), **wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        view.moves("startpos")  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        view.moves(Board()).row(Move.from_usi("1a1b"))


@given(st.integers(0, 2**16 - 1))
@settings(max_examples=200, deadline=None)
def test_every_move_can_be_looked_at(value: int) -> None:
    for move in (Move(value), AperyMove(value)):
        html = move._repr_html_()
        if html is None:
            assert move.to_usi() == "invalid"
        elif "<svg" in html:
            drawing = Drawing(html[html.index("<svg") : html.index("</svg>") + 6])
            assert len(drawing.all("arrow")) + len(drawing.all("ring")) == 1
            assert f'<td style="text-align:left">{move.to_usi()}</td>' in html


def test_move_lists() -> None:
    html = Board().legal_moves()._repr_html_()
    assert "<b>30 moves</b>" in html and all(f"<code>{move.to_usi()}</code>" in html for move in Board().legal_moves())
    drawing = Drawing(html[html.index("<svg") : html.index("</svg>") + 6])
    assert sum(int(e.text or "") for e in drawing.all("text")) == 30
    assert "0 moves" in Board().legal_moves()[:0]._repr_html_()


@pytest.mark.parametrize("format", ["hcpe", "hcpe2", "psv"])
def test_records(format: str) -> None:
    board = Board.from_position("startpos moves " + "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f")
    records = training.game_records(board, range(12), GameResult.BLACK_WIN, format=format)
    data = training.open(records)
    for html in (data._repr_html_(), data[:]._repr_html_()):
        assert html.count("<svg") == 3 and "7g7f" in html and "☖３四歩(33)" in html and "won" in html and "lost" in html
        assert "8e8f" not in html, "only the first rows"
    assert "… 2 more rows" in data[:]._repr_html_()
    assert data[3:5]._repr_html_().count("<svg") == 2 and "<td" in data[11:]._repr_html_()
    assert "0 records" in data[:0]._repr_html_()
    broken = records.copy()
    broken[records.dtype.names[0]][1] = 0xFF
    shown = training.open(broken)[:]._repr_html_()
    assert "ParseError" in shown or "InvalidPositionError" in shown
