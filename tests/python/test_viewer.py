"""The game viewer: its data against the record, and in a browser where there is one."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import komadori
from komadori import Board, Color, Kifu, Score, Style
from komadori.kifu import Ending
from komadori.viewer import Viewer

LINE = "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f"


def data(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


def game() -> Kifu:
    kifu = Kifu(Board.from_position(LINE), headers={"先手": "<A>", "後手": "B", "棋戦": "T & T"})
    kifu.node_at(3).comment = "</script><script>alert(1)</script> {{board}} \u2028"
    kifu.node_at(2).add("6g6f", comment="other").add_line(["8c8d", "6f6e"])
    kifu.node_at(2).add("1g1f")
    kifu.variations[0].add("4c4d")
    kifu.node_at(1).time_ms = 61_000
    kifu.last.add_ending(Ending.RESIGN)
    return kifu


def test_the_page_has_the_whole_tree() -> None:
    kifu = game()
    page = Viewer(kifu).html
    found = data(page)
    nodes = found["nodes"]
    assert len(nodes) == 1 + sum(1 for _ in kifu.nodes())
    assert nodes[0][0] == -1 and all(0 <= parent < number for number, (parent, *_) in enumerate(nodes) if number)
    tree: dict[int, list[int]] = {}
    for number, (parent, *_) in enumerate(nodes):
        tree.setdefault(parent, []).append(number)

    def compare(node: Any, number: int, board: Board) -> None:
        _, usi, words, wrong, comment, time, *_ = nodes[number]
        if node.move is not None:
            assert usi == node.move.to_usi() and words == "☗☖"[board.turn] + board.kif(node.move) and not wrong
            board = board.copy()
            board.push(node.move)
        elif node.ending is not None:
            assert (usi, words) == ("", "投了")
        assert (comment, time) == (node.comment, node.time_ms)
        children = tree.get(number, [])
        assert len(children) == len(node.children)
        for child, own in zip(node.children, children, strict=True):  # in the order of the record
            compare(child, own, board)

    compare(kifu.root, 0, Board())
    assert found["start"] == kifu.start and "T &amp; T" in page and "&lt;A&gt;" in page
    assert page.count("</script>") == 2, "no text ends the data"
    assert 'src="' not in page and 'href="http' not in page and "url(" not in page, "nothing is loaded"
    assert kifu._repr_html_().startswith("<iframe srcdoc=")
    assert html.unescape(kifu._repr_html_().split('"')[1]) == page


def test_a_record_that_was_read_and_got_other_headers() -> None:
    kifu = komadori.read("position " + LINE)
    kifu.headers["先手"] = "somebody"
    assert "<b>somebody</b>" in Viewer(kifu).html and len(kifu) == 12 and kifu.start == Board().to_sfen()


def test_positions_and_orientation() -> None:
    kifu = game()
    shown = data(Viewer(kifu, ply=-1, flipped=True).html)
    assert shown["flipped"] and shown["nodes"][shown["at"]][1] == "8e8f"
    assert data(Viewer(kifu, ply=2).html)["nodes"][data(Viewer(kifu, ply=2).html)["at"]][1] == "3c3d"
    with pytest.raises(IndexError):
        Viewer(kifu, ply=13)
    assert data(Viewer(Board("4k4/9/9/9/9/9/9/9/4K4 w - 7")).html)["start"] == "4k4/9/9/9/9/9/9/9/4K4 w - 7"


def test_styles() -> None:
    for style, words in {Style.KIF: "☗７六歩(77)", Style.KI2: "☗７六歩", Style.CSA: "☗7776FU", Style.USI: "☗7g7f", Style.WESTERN: "☗P-7f"}.items():
        assert data(Viewer(Board.from_position(LINE), words=style).html)["nodes"][1][2] == words


def test_scores() -> None:
    board = Board.from_position(LINE)
    boards = [Board.from_position(" ".join(LINE.split()[: 2 + n]) if n else "startpos") for n in range(13)]
    scores = [Score(cp=100 if n % 2 == 0 else -100, view=Color(n % 2)) for n in range(13)]
    nodes = data(Viewer(board, scores).html)["nodes"]
    assert {node[6] for node in nodes} == {"+100"} and len({node[7] for node in nodes}) == 1 and nodes[0][7] > 500
    some = data(Viewer(board, {3: Score(mate=3, view=Color.WHITE)}).html)["nodes"]
    assert [node[7] for node in some[:5]] == [None, None, None, 0, None]
    with komadori.Searcher(hash_mb=1) as searcher:
        info = searcher.search(boards[4], depth=2)
    one = data(Viewer(board, {4: info}).html)["nodes"][4]
    assert one[8] == info.best_move.to_usi() and "☗" + boards[4].kif(info.best_move) in one[4]
    for wrong, error in (([None] * 14, ValueError), ({13: None}, ValueError), ({1: Score(cp=3)}, ValueError)):
        with pytest.raises(error):
            Viewer(board, wrong)  # type: ignore[arg-type]


def test_scores_of_comments() -> None:
    kifu = Kifu()
    kifu.add("7g7f", comment="* -50 -8384FU +2726FU")
    kifu.add("3c3d")
    nodes = data(Viewer(kifu).html)["nodes"]
    assert [(node[6], node[8]) for node in nodes] == [("", ""), ("-50", "8c8d"), ("", "")]
    assert nodes[1][7] < 500
    given = data(Viewer(kifu, {2: Score(cp=9, view=Color.BLACK)}).html)["nodes"]
    assert [node[6] for node in given] == ["", "", "+9"]


def test_moves_against_the_rules_are_shown() -> None:
    kifu = Kifu()
    node = kifu.root.add("7g7f").add("3c3d").add("8h2b+").add("8b2b", illegal=True)
    node.add("2g2f", illegal=True)
    nodes = data(Viewer(kifu).html)["nodes"]
    assert [(usi, wrong) for _, usi, _, wrong, *_ in nodes[1:5]] == [("7g7f", 0), ("3c3d", 0), ("8h2b+", 0), ("8b2b", int(node.is_illegal))]


def test_what_is_no_game() -> None:
    for wrong, error in (
        ({"game": "startpos"}, TypeError),
        ({"blunder": 0}, ValueError),
        ({"blunder": float("nan")}, ValueError),
        ({"height": 5}, ValueError),
        ({"scores": [1]}, TypeError),
        ({"scores": {0: 1}}, TypeError),
    ):
        with pytest.raises(error):
            Viewer(**{"game": Board(), **wrong})  # type: ignore[arg-type]


def test_a_long_game_is_small(tmp_path: Path) -> None:
    board = Board()
    for k in range(300):
        moves = board.legal_moves()
        if not moves:
            break
        board.push(moves[(7 * k + 3) % len(moves)])
    scores = [Score(cp=10 * k, view=Color(k % 2)) for k in range(board.history_length + 1)]
    kifu = Kifu(board)
    for node in kifu.main_line():
        node.comment = "A comment of some words 一言。"
    Viewer(kifu, scores).save(tmp_path / "game.html")
    assert (tmp_path / "game.html").stat().st_size < 300_000
    assert len(Viewer(kifu, scores)._repr_html_().encode()) < 300_000


PROGRAM = """<script>
window.addEventListener("load", function go() {
  if (!document.querySelector(".at")) { setTimeout(go, 20); return; }
  const out = [], press = (key, target) => (target || document.body).dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  const state = () => [...document.querySelectorAll("#board .men use, #board .stands > use")]
    .map(u => [u.getAttribute("href"), +u.getAttribute("x"), +u.getAttribute("y")]).sort().join("|");
  const note = what => out.push([what, document.querySelector(".at")?.dataset.id, document.getElementById("now").textContent, state()]);
  note("first"); press("End"); note("end"); press("Home"); note("home"); press("ArrowRight"); note("one");
  press("ArrowRight"); press("ArrowRight"); press("ArrowDown"); note("variation"); press("End"); note("its end"); press("f"); note("turned");
  document.querySelector('.row[data-id="2"]').click(); press("f"); note("clicked");
  document.querySelector('.v[data-id="' + LAST + '"]').click(); note("whole");
  document.body.textContent = "RESULT" + JSON.stringify(out) + "RESULT";
});
</script>"""


def test_in_a_browser(tmp_path: Path) -> None:
    """The positions that the page draws are those that the library draws."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no chromium")
    kifu = game()
    lines = (Path(__file__).parents[2] / "examples" / "data" / "alphazero_elmo.tsv").read_text(encoding="utf-8").splitlines()
    whole = kifu.root.add_line(next(line for line in lines if line.startswith("az-")).split("\t")[5].split())
    last = max(number for number, node in enumerate(data(Viewer(kifu).html)["nodes"]) if node[1] == "G*9a")
    path = tmp_path / "game.html"
    path.write_text(Viewer(kifu).html.replace("</body>", PROGRAM.replace("LAST", str(last)) + "</body>"), encoding="utf-8")
    run = subprocess.run(
        [browser, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=3000", "--dump-dom",
         path.as_uri()],
        capture_output=True, text=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    found = re.search(r"RESULT(.*)RESULT", html.unescape(run.stdout), re.S)
    if found is None:
        pytest.skip(f"the browser does not run here: {run.stderr[-300:]}")
    steps = {what: (number, now, men) for what, number, now, men in json.loads(found[1])}

    def men(board: Board, flipped: bool = False) -> str:
        drawn = board.svg(theme="auto", flipped=flipped)
        uses = re.findall(r'<use class="(?:piece|held)" href="([^"]+)" x="([\d.]+)" y="([\d.]+)"/>', drawn)
        return "|".join(sorted(f"{name},{x},{y}" for name, x, y in uses))

    variation = kifu.node_at(2).children[1]
    ends = {
        "first": kifu.board_at(0), "end": kifu.board_at(12), "home": kifu.board_at(0), "one": kifu.board_at(1), "variation": variation.board(),
        "its end": variation.line[-1].board(), "clicked": kifu.board_at(2),
        "whole": whole.board(),
    }  # fmt: skip
    for what, board in ends.items():
        assert steps[what][2] == men(board), what
    assert steps["turned"][2] == men(variation.line[-1].board(), True)
    assert steps["variation"][1] == "3 / 5" and steps["end"][1] == "13 / 13" and steps["clicked"][:2] == ("2", "2 / 5")
