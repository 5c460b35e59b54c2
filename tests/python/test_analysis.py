"""Scores with a side, analyses as they go on, tables, and searches of many positions."""

from __future__ import annotations

import copy
import gc
import html.parser
import math
import os
import pickle
import random
import re
import signal
import threading
import time
import xml.etree.ElementTree
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import selfplay
from komadori import Board, Color, HandleError, InvalidPositionError, InvalidValueError, Move, ParseError, Rules, batch, training
from komadori.search import Analysis, Bound, Clock, Info, Line, Score, ScorePlot, Searcher, SearchResult, analyse_batch, plot_scores

MIDDLE = "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1"
MATE = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"
MATED = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"


@pytest.fixture
def searcher() -> Searcher:
    return Searcher(hash_mb=1)


def replays(position: str, line: tuple[Move, ...]) -> Board:
    board = Board.from_position(position)
    for move in line:
        board.push(move)
    return board


# ---------------------------------------------------------------------------------------------------------------- Scores


def test_scores_have_a_side() -> None:
    black = Score(cp=150, view=Color.BLACK)
    assert black.pov(Color.BLACK) is black
    assert black.pov(Color.WHITE) == Score(cp=-150, view=Color.WHITE)
    assert black.pov(Color.WHITE).pov(Color.BLACK) == black
    assert Score(mate=-4, view=Color.WHITE).pov(Color.BLACK).mate == 4
    assert black == Score(cp=150) != Score(cp=150, view=Color.WHITE).flip_side()
    assert black != Score(cp=150, view=Color.WHITE)
    assert hash(black) == hash(Score(cp=150))
    assert black < Score(cp=151, view=Color.BLACK)
    for compare in (lambda: black < Score(cp=151, view=Color.WHITE), lambda: Score(cp=1).pov(Color.BLACK)):
        with pytest.raises(ValueError, match=r"side|whose"):
            compare()
    with pytest.raises(ValueError, match="won"):
        Score(cp=3, won=True)
    for wrong in ({"cp": "3"}, {"mate": 1.0}, {"cp": True}):
        with pytest.raises(TypeError, match="must be int"):
            Score(**wrong)  # type: ignore[arg-type]
    for number in (2**31, -(2**31), 10**400):
        with pytest.raises(InvalidValueError, match="want"):
            Score(cp=number)
    with pytest.raises(InvalidValueError):
        Score(cp=1, view=2)  # type: ignore[arg-type]
    given = Score(cp=np.int16(-3), view=1)  # type: ignore[arg-type]
    assert (type(given.cp), type(given.view), repr(given)) == (int, Color, "Score(cp=-3, view=Color.WHITE)")
    for score in (black, Score(mate=3), Score(mate=0, view=Color.WHITE, won=True)):
        assert eval(repr(score)) == score == pickle.loads(pickle.dumps(score))


def test_winning_rates() -> None:
    assert Score(cp=0).winning_rate() == 0.5
    assert Score(cp=600).winning_rate(600) == pytest.approx(1 / (1 + math.exp(-1)))
    assert Score(cp=300).winning_rate() == pytest.approx(1 / (1 + math.exp(-300 / training.VALUE_SCALE)))
    assert Score(cp=10**9).winning_rate() == 1.0
    assert Score(cp=-(10**9)).winning_rate() == pytest.approx(0)
    assert [Score(mate=n).winning_rate() for n in (1, 99, -1, 0)] == [1, 1, 0, 0]
    assert Score(mate=0, won=True).winning_rate() == 1
    with pytest.raises(ValueError, match="scale"):
        Score(cp=1).winning_rate(0)
    # One definition of the value: that of decoded records.
    board = Board()
    records = training.HCPE and np.zeros(1, training.HCPE)
    records["hcp"] = np.frombuffer(board.to_hcp(), np.uint8)
    records["eval"] = 321
    records["bestMove16"] = Move.from_usi("7g7f").to_apery().value
    assert training.decode(records).value[0] == pytest.approx(Score(cp=321).winning_rate())


def test_results_know_whose_score_it_is(searcher: Searcher) -> None:
    for position in ("startpos moves 7g7f", "startpos"):
        board = Board.from_position(position)
        found = searcher.search(board, depth=3)
        assert found.score.view == board.turn == found.lines[0].score.view
        assert found.score.pov(Color.BLACK).flip_side() == found.score.pov(Color.WHITE)
    lost = searcher.search(Board(MATED), depth=3)
    assert (lost.best_move, lost.score, lost.pv) == (Move.RESIGN, Score(mate=0), ())
    assert lost.score.pov(Color.BLACK).won


# -------------------------------------------------------------------------------------------------------------- Analyses


@pytest.mark.parametrize("position", ["startpos", f"sfen {MIDDLE}"])
@pytest.mark.parametrize("multipv", [1, 3, 593])
def test_analysis_gives_every_depth_with_all_lines(searcher: Searcher, position: str, multipv: int) -> None:
    board = Board.from_position(position)
    wanted = min(multipv, len(board.legal_moves()))
    analysis = searcher.analyse(board, depth=4, multipv=multipv)
    infos = list(analysis)
    assert [info.depth for info in infos] == [1, 2, 3, 4]
    for info in infos:
        assert len(info.lines) == wanted
        assert len({line.move for line in info.lines}) == wanted
        assert (info.best_move, info.score, info.pv) == (info.lines[0].move, info.lines[0].score, info.lines[0].pv)
        assert [line.score for line in info.lines] == sorted((line.score for line in info.lines), reverse=True)
        for line in info.lines:
            assert line.bound is Bound.EXACT
            replays(position, line.pv)
    assert [info.nodes for info in infos] == sorted(info.nodes for info in infos)
    result = analysis.result()
    assert isinstance(result, SearchResult) and not result.stopped
    assert result.lines == infos[-1].lines
    assert result == searcher_of_result(position, multipv)
    assert result is analysis.result()
    with pytest.raises(StopIteration):
        next(analysis)


def searcher_of_result(position: str, multipv: int) -> SearchResult:
    return Searcher(hash_mb=1).search(Board.from_position(position), depth=4, multipv=multipv)


def test_leaving_the_loop_ends_the_search(searcher: Searcher) -> None:
    board = Board()
    for info in searcher.analyse(board):
        if info.depth >= 3:
            break
    assert searcher.search(board, depth=2).depth == 2  # not busy
    with searcher.analyse(board, multipv=2) as analysis:
        assert next(analysis).depth == 1
        with pytest.raises(HandleError):
            searcher.search(board, depth=1)
    searcher.clear()
    analysis.close()
    with pytest.raises(HandleError):
        analysis.result()
    kept = searcher.analyse(board)
    del kept
    gc.collect()
    assert searcher.search(board, depth=1).depth == 1
    with pytest.raises(ZeroDivisionError):
        for _ in searcher.analyse(board):
            _ = 1 / 0
    assert searcher.search(board, depth=1).depth == 1


def test_stop_from_another_thread(searcher: Searcher) -> None:
    board = Board()
    searcher.stop()  # nothing runs

    def stop(over: threading.Event) -> None:
        # A stop before the search has begun is for nothing, so it is said again.
        while not over.wait(0.01):
            searcher.stop()

    for _ in range(20):
        over = threading.Event()
        stopping = threading.Thread(target=stop, args=(over,))
        stopping.start()
        try:
            found = searcher.search(board, infinite=True)
        finally:
            over.set()
            stopping.join()
        assert found.stopped
        assert board.is_legal(found.best_move)
    analysis = searcher.analyse(board)
    timer = threading.Timer(0.05, searcher.stop)
    timer.start()
    infos = list(analysis)
    timer.join()
    assert infos and analysis.result().stopped
    assert analysis.result().depth >= infos[-1].depth - 1


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="signals of Unix")
def test_interrupts(searcher: Searcher) -> None:
    board = Board()

    def interrupted(work: Any) -> None:
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            work()
        timer.join()

    def loop() -> None:
        for _ in searcher.analyse(board):
            pass

    interrupted(loop)
    assert searcher.search(board, depth=1).depth == 1
    interrupted(lambda: searcher.search(board, infinite=True))
    assert searcher.search(board, depth=1).depth == 1
    interrupted(lambda: analyse_batch([board] * 1000, nodes=10**6))
    interrupted(lambda: searcher.analyse(board).result())
    assert searcher.search(board, depth=1).depth == 1


def test_only_some_moves(searcher: Searcher) -> None:
    board = Board()
    only = [Move.from_usi("1g1f"), Move.from_usi("9g9f"), Move.from_usi("1g1f")]
    found = searcher.search(board, depth=3, multipv=5, moves=only)
    assert {line.move for line in found.lines} == set(only)
    assert searcher.search(board, depth=3, moves=[Move.from_usi("1a1b")]).best_move is Move.NONE
    with pytest.raises(ValueError, match="empty"):
        searcher.search(board, depth=1, moves=[])
    with pytest.raises(TypeError):
        searcher.search(board, depth=1, moves=["7g7f"])  # type: ignore[list-item]


def test_clock_and_pondering(searcher: Searcher) -> None:
    board = Board()
    found = searcher.search(board, clock=Clock(byoyomi_ms=30))
    assert board.is_legal(found.best_move)
    analysis = searcher.analyse(board, clock=Clock(black_ms=100, white_ms=100, black_increment_ms=10), ponder=True)
    time.sleep(0.2)
    assert not analysis._job.wait(0)
    analysis.ponderhit()
    assert not analysis.result().stopped
    with pytest.raises(ValueError, match="want"):
        Clock(byoyomi_ms=-1)
    with pytest.raises(TypeError):
        searcher.search(board, clock=1000)  # type: ignore[arg-type]


def test_wrong_arguments(searcher: Searcher) -> None:
    board = Board()
    for wrong in ({"multipv": 0}, {"multipv": 594}, {"depth": 0}, {"nodes": -1}):
        with pytest.raises(ValueError, match="want"):
            searcher.analyse(board, **wrong)
    with pytest.raises(TypeError):
        searcher.analyse("startpos")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="on_progress"):
        searcher.search(board, depth=1, on_progress=3)  # type: ignore[arg-type]
    with pytest.raises(InvalidPositionError):
        searcher.analyse(Board("4k4/9/9/9/9/9/9/9/9 b G 1"), depth=1)
    for threads in (0, 513):
        with pytest.raises(ValueError, match="threads"):
            Searcher(threads)
    with pytest.raises(TypeError):
        Searcher(rules="CSA")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="ink"):
        plot_scores([]).svg(ink=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="ink"):
        plot_scores([]).svg(ink="\0")
    assert type(Clock(black_ms=np.int64(3)).black_ms) is int
    assert searcher.search(board, depth=1).depth == 1


def test_threads_and_rules() -> None:
    with Searcher(threads=3, hash_mb=2, rules=Rules.CSA) as several:
        for _ in range(10):
            found = several.search(Board(MIDDLE), nodes=4000, multipv=2)
            assert found.nodes <= 4000
            for line in found.lines:
                replays(f"sfen {MIDDLE}", line.pv)


def test_declarations() -> None:
    board = Board("1K7/+P+P+P+P+P+P+P+P+P/1+R+B6/9/9/9/9/9/4k4 b RB4G4S4N4L9P 1")
    with Searcher(hash_mb=1, rules=Rules.CSA) as knows:
        found = knows.search(board, depth=2)
        assert (found.best_move, found.pv, found.lines, found.score.is_mate) == (Move.WIN, (), (Line(found.score, ()),), False)
        assert found.score > Score(cp=20_000)
        assert list(knows.analyse(board, depth=2)) == []
        assert "win" in found._repr_html_() and "win" in str(found)
        assert analyse_batch([board], depth=1, rules=Rules.CSA).moves.tolist() == [Move.WIN.value]
    assert board.is_legal(Searcher(hash_mb=1).search(board, depth=2).best_move)


# ---------------------------------------------------------------------------------------------------------------- Tables


class Cells(html.parser.HTMLParser):
    """The texts of a table's cells, and a check that tags are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "tr" in self.open:
            self.rows[-1][-1] += data


def test_tables(searcher: Searcher) -> None:
    found = searcher.search(Board.from_position("startpos moves 7g7f"), depth=4, multipv=3)
    rows = Cells(found._repr_html_()).rows
    assert rows[0] == ["", "score of ☖", "wins", "line"]
    assert len(rows) == 4
    for row, line in zip(rows[1:], found.lines, strict=True):
        assert line.score.cp is not None
        assert row[1] == f"{line.score.cp:+}"
        assert row[2] == f"{100 * line.score.winning_rate():.1f} %"
        assert row[3].startswith("☖")
        assert row[3].endswith(" ".join(move.to_usi() for move in line.pv))
    first = Board.from_position("startpos moves 7g7f")
    assert f"☖{first.kif(found.best_move)}" in rows[1][3]
    # Of a longer line the beginning.
    long = [Move.from_usi(m) for m in ["2h3h", "8b7b", "3h2h", "7b8b"] * 5]
    drawn = Info(long[0], Score(cp=0), tuple(long), 1, 1)._repr_html_()
    assert drawn.count("2h3h") == 4 and drawn.count("…") == 2
    text = str(found).splitlines()
    assert len(text) == 4 and text[1].split()[:3] == ["1.", "cp", str(found.score.cp)]

    mate = searcher.search(Board(MATE), depth=3)
    assert Cells(mate._repr_html_()).rows[1][1:] == ["mate 1", "100.0 %", "☗５二金打G*5b"]
    lost = searcher.search(Board(MATED), depth=3)
    assert Cells(lost._repr_html_()).rows[1][3] == "resignresign"
    assert "resign" in str(lost)
    low = Info(Move.from_usi("7g7f"), Score(cp=1), (Move.from_usi("7g7f"),), 1, 1, lines=(Line(Score(cp=1), (Move.from_usi("7g7f"),), Bound.LOWER),))
    assert Cells(low._repr_html_()).rows[1][1] == "≥ +1"


def test_arrows_are_shared() -> None:
    both = (Move.from_usi("8h2b+"), Move.from_usi("2g2f"), Move.from_usi("8h2b"))
    board = "startpos moves 7g7f 3c3d"
    found = Info(both[0], Score(cp=3), both[:1], 1, 1, lines=tuple(Line(Score(cp=3), (move,)) for move in both), position=board)
    drawn = found._repr_html_().split("<table")[0]
    assert drawn.count('class="arrow"') == 2
    drops = (Move.from_usi("G*5b"), Move.from_usi("G*5a"))
    held = "sfen 3k5/9/4P4/9/9/9/9/9/4K4 b G 1"
    found = Info(drops[0], Score(cp=3), drops[:1], 1, 1, lines=tuple(Line(Score(cp=3), (move,)) for move in drops), position=held)
    assert found._repr_html_().split("<table")[0].count('class="ring"') == 2


def test_results_are_values(searcher: Searcher) -> None:
    found = searcher.search(Board(), nodes=3000, multipv=2)
    again = pickle.loads(pickle.dumps(found))
    assert again == found and hash(again) == hash(found)
    assert (again.elapsed, again.position, again.stopped) == (found.elapsed, found.position, False)
    assert found.nps > 0
    assert found.ponder is found.pv[1]


# ------------------------------------------------------------------------------------------------------- Many positions


def boards() -> list[Board]:
    made = [Board(), Board(MIDDLE), Board(MATE), Board(MATED)]
    for n in range(12):
        board = Board()
        for k in range(n):
            moves = board.legal_moves()
            board.push(moves[(5 * n + 3 * k) % len(moves)])
        made.append(Board(board.to_sfen()))
    return made


@pytest.mark.parametrize("multipv", [1, 3])
def test_batches_are_single_searches(multipv: int) -> None:
    given = boards()
    found = analyse_batch(given, nodes=1500, multipv=multipv, hash_mb=1)
    assert len(found) == len(given) and found.found.shape == (len(given), multipv)
    for threads in (1, 2, 5):
        again = analyse_batch(given, nodes=1500, multipv=multipv, hash_mb=1, threads=threads)
        assert np.array_equal(again.found, found.found)
    for i, board in enumerate(given):
        alone = Searcher(hash_mb=1).search(board, nodes=1500, multipv=multipv)
        one = found[i]
        assert (one.best_move, one.score, one.nodes, one.depth) == (alone.best_move, alone.score, alone.nodes, alone.depth)
        assert one.score.view == board.turn
        assert [(line.score, line.pv[:24]) for line in alone.lines] == [(line.score, line.pv) for line in one.lines if line.pv or alone.lines]
        assert found.moves[i] == alone.best_move.value
        assert found.evals[i] == alone.score.to_eval()
        assert found.is_mate[i] == alone.score.is_mate
        assert Cells(one._repr_html_()).rows
    assert found[-1] == found[len(found) - 1] and len(found[2:5]) == 3
    assert int(found.nodes.sum()) > 0 and "positions" in repr(found)
    with pytest.raises(IndexError):
        found[len(found)]


def test_batches_of_records_and_packed_positions() -> None:
    given = boards()[:3]
    packed = batch.from_sfens([board.to_sfen() for board in given])
    want = analyse_batch(given, depth=2)
    for positions, format in (
        (packed, None),
        (b"".join(board.to_hcp() for board in given), "hcp"),
        ([board.to_packed_sfen() for board in given], None),
        (batch.convert(packed, "board"), None),
    ):
        assert np.array_equal(analyse_batch(positions, depth=2, format=format).found, want.found)
    for unpacked in (given, [board.to_sfen() for board in given]):
        with pytest.raises(ValueError, match=r"format is 'hcp', but positions are (boards|texts)"):
            analyse_batch(unpacked, depth=2, format="hcp")
    records = np.zeros(3, training.HCPE)
    for record, board in zip(records, given, strict=True):
        record["hcp"] = np.frombuffer(board.to_hcp(), np.uint8)
    records["eval"] = analyse_batch(records, depth=2).evals
    assert records["eval"].tolist() == want.evals.tolist()
    assert len(analyse_batch([], depth=1)) == len(analyse_batch(packed[:0], depth=1)) == 0
    with pytest.raises(TypeError):
        analyse_batch(Board(), depth=1)
    with pytest.raises(ValueError, match="limit"):
        analyse_batch(given)


def test_batches_of_texts() -> None:
    given = [board.to_sfen() for board in boards()[:3]]
    want = analyse_batch([Board(sfen) for sfen in given], depth=2)
    found = analyse_batch(given, depth=2)
    assert np.array_equal(found.found, want.found) and found[1].board().to_sfen() == given[1]
    for positions in ([given[0], "nonsense", "4k4/9/9/9/9/9/9/9/9 b P 1"], [Board(), Board("9/9/9/9/9/9/9/9/9 b - 1"), Board("4k4/9/9/9/9/9/9/9/9 b P 1")]):
        with pytest.raises((ParseError, InvalidPositionError)) as caught:
            analyse_batch(positions, depth=1)
        assert caught.value.row == 1
        status = np.zeros(3, np.int32)
        assert [result is None for result in analyse_batch(positions, depth=1, row_status=status).results()] == [False, True, True]
        assert (status != 0).tolist() == [False, True, True]
    for wrong in (given[0], [given[0], Board()]):
        with pytest.raises(TypeError):
            analyse_batch(wrong, depth=1)


def test_batches_are_pickled() -> None:
    given = boards()[:2]
    for positions in (given, batch.from_sfens([board.to_sfen() for board in given])):
        found = analyse_batch(positions, depth=2)
        again = pickle.loads(pickle.dumps(found))
        assert again.results() == found.results() and np.array_equal(again.found, found.found)


def test_bad_rows_of_batches() -> None:
    packed = batch.from_sfens([board.to_sfen() for board in boards()[:4]]).copy()
    packed["sfen"][1] = 255
    with pytest.raises((ParseError, InvalidPositionError)) as caught:
        analyse_batch(packed, depth=1)
    assert caught.value.row == 1
    status = np.zeros(4, np.int32)
    found = analyse_batch(packed, depth=1, row_status=status)
    assert (status != 0).tolist() == [False, True, False, False]
    assert found[0].best_move.is_normal
    with pytest.raises(InvalidValueError) as nothing:
        found[1]
    assert nothing.value.row == 1
    without = batch.convert(packed[:1].repeat(2), "board").copy()
    without["pieces"][1][without["pieces"][1] == 8] = 0  # Black's king
    with pytest.raises(InvalidPositionError) as king:
        analyse_batch(without, depth=1)
    assert king.value.row == 1


def test_progress_of_batches(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[tuple[int, int]] = []
    analyse_batch([Board()] * 40, nodes=20_000, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (40, 40)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)

    def enough(done: int, total: int) -> None:
        if done >= 3:
            raise ZeroDivisionError

    began = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        analyse_batch([Board()] * 100_000, nodes=20_000, progress=enough)
    assert time.monotonic() - began < 60  # not to the end
    pytest.importorskip("rich")
    analyse_batch([Board()] * 5, nodes=2000, progress=True)
    assert "positions" in capsys.readouterr().out
    with pytest.raises(TypeError):
        analyse_batch([Board()], depth=1, progress="yes")  # type: ignore[arg-type]


def test_what_a_terminal_shows() -> None:
    with Searcher(hash_mb=1) as searcher:
        analysis = searcher.analyse(Board(), depth=3, multipv=2)
        first = next(analysis)
        assert re.fullmatch(r"Info\((\w+), cp -?\d+, depth 1, \d+ nodes, 2 lines\)", repr(first))
        assert repr(analysis) == f"Analysis(running, {first!r})"
        result = analysis.result()
        assert repr(result).startswith(f"SearchResult({result.best_move.to_usi()}, {result.score}, depth 3, ")
        assert repr(analysis) == f"Analysis(done, {result!r})"
        endless = searcher.analyse(Board())
        assert repr(endless) == "Analysis(running)"
        endless.close()
        assert repr(endless) == "Analysis(closed)"


def test_plots(searcher: Searcher) -> None:
    def points(plot: ScorePlot) -> list[tuple[float, float]]:
        root = xml.etree.ElementTree.fromstring(plot.svg(400, 200))
        circles = [element for element in root.iter() if element.tag.endswith("circle")]
        return [(float(element.attrib["cx"]), float(element.attrib["cy"])) for element in circles]

    analysis = searcher.analyse(Board.from_position("startpos moves 7g7f"), depth=4)
    infos = list(analysis)
    plot = plot_scores(infos)
    assert (plot.x_label, plot.numbers) == ("depth", [1, 2, 3, 4])
    assert plot.rates == [pytest.approx(1 - info.score.winning_rate()) for info in infos]  # Black's, where White is to move
    assert plot.swings == []
    assert plot._repr_html_().count("currentColor") > 5 and "currentColor" not in plot.svg()
    # Heights are winning rates, and what is right of another point is later.
    scores = [Score(cp=0, view=Color.BLACK), None, Score(mate=3, view=Color.WHITE), Score(mate=2, view=Color.WHITE), Score(mate=5, view=Color.BLACK)]
    plot = plot_scores(scores)
    assert (plot.x_label, plot.numbers, plot.rates, plot.swings) == ("position", [1, 2, 3, 4, 5], [0.5, None, 0, 0, 1], [4])
    assert plot_scores(scores, Color.WHITE).rates == [0.5, None, 1, 1, 0]
    drawn = points(plot)
    assert [y for _, y in drawn] == [14 + 152 / 2, 14 + 152, 14 + 152, 14]
    assert [x for x, _ in drawn] == sorted(x for x, _ in drawn)
    assert plot.svg().count('class="curve"') == 2  # a gap between
    # A game by its moves.
    game = [Board.from_position("startpos moves " + " ".join(["7g7f", "3c3d", "2g2f", "8c8d"][:n])) for n in range(1, 5)]
    plot = plot_scores([searcher.search(board, depth=2) for board in game])
    assert (plot.x_label, plot.numbers) == ("move", [2, 3, 4, 5])
    found = analyse_batch(game, depth=2)
    assert found.plot(Color.WHITE).rates == [pytest.approx(r.score.pov(Color.WHITE).winning_rate()) for r in found]
    assert found.plot().numbers == [2, 3, 4, 5]  # of boards, the plies are known
    assert points(plot_scores([])) == [] and "0 points" in repr(plot_scores([]))
    unplaced = Info(Move.NONE, Score(cp=3, view=Color.BLACK), (), 0, 1, position="")
    assert plot_scores([unplaced]).rates == [pytest.approx(0.5, abs=0.01)]
    assert len(points(plot_scores([Score(cp=3, view=Color.BLACK)]))) == 1
    many = plot_scores([Score(cp=i % 7, view=Color.BLACK) for i in range(2000)])
    assert len(points(many)) == 2000 and many.svg().count("<text") < 20
    for width, height in ((159, 200), (400, 99)):
        with pytest.raises(ValueError, match="want"):
            plot.svg(width, height)
    with pytest.raises(TypeError):
        plot_scores([1, 2])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="whose"):
        plot_scores([Score(cp=1)])


def test_plots_by_matplotlib() -> None:
    plot = plot_scores([Score(cp=50, view=Color.WHITE), None], Color.WHITE, scale=600)
    try:
        import matplotlib
    except ImportError:
        with pytest.raises(ImportError, match="pip install matplotlib"):
            plot.matplotlib()
        return
    matplotlib.use("Agg")
    axes = plot.matplotlib()
    assert axes.get_lines()[-1].get_ydata()[0] == pytest.approx(100 * Score(cp=50).winning_rate(600))
    assert plot.matplotlib(axes) is axes


def test_what_an_analysis_has_so_far(searcher: Searcher, capsys: pytest.CaptureFixture[str]) -> None:
    board = Board()
    analysis = searcher.analyse(board, depth=5, multipv=2)
    assert str(analysis) == "nothing found yet" and "nothing" in analysis._repr_html_()
    first = next(analysis)
    assert analysis.infos == [first]
    result = analysis.result()
    rest = list(analysis)  # what was found meanwhile is not lost
    assert [info.depth for info in [first, *rest]] == [1, 2, 3, 4, 5] and analysis.infos == [first, *rest]
    assert analysis.latest() is result
    drawn = analysis._repr_html_()
    assert result._repr_html_() in drawn and 'class="curve"' in drawn and str(analysis) == str(result)

    with searcher.analyse(board, multipv=3) as endless:
        next(endless)
        latest = endless.latest()
        assert latest is not None and len(latest.lines) == 3
        for line in latest.lines:
            replays("startpos", line.pv)
    with pytest.raises(HandleError):
        endless.latest()

    shown = searcher.analyse(board, depth=4).show()
    assert shown.depth == 4
    printed = capsys.readouterr().out
    assert printed.splitlines()[-1] == str(shown).splitlines()[-1] and printed.count("depth 4/") == 1
    assert searcher.analyse(Board(MATED), depth=3).show().best_move is Move.RESIGN


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_an_interrupt_ends_a_show_with_its_result(searcher: Searcher) -> None:
    analysis = searcher.analyse(Board())
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    found = analysis.show()
    timer.join()
    assert found.stopped and Board().is_legal(found.best_move)


def test_a_show_that_fails_ends_its_search(searcher: Searcher, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(analysis: Analysis) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("komadori.search._display", lambda: broken)
    analysis = searcher.analyse(Board())
    with pytest.raises(BrokenPipeError):
        analysis.show()
    assert analysis.result().stopped and searcher.search(Board(), depth=1).depth == 1


def test_how_a_clock_is_spent() -> None:
    for name, low, high in (("minimum_ms", -1, 10**9 + 1), ("delay_ms", -1, 10**9 + 1), ("hard_delay_ms", -1, 10**9 + 1), ("slow_mover", 0, 1001)):
        for wrong in (low, high):
            with pytest.raises(ValueError, match=name):
                Searcher(hash_mb=1, **{name: wrong})
    made = Searcher(hash_mb=1, minimum_ms=80, slow_mover=1)
    for searcher in (made, pickle.loads(pickle.dumps(made))):
        assert searcher.search(Board(), clock=Clock(black_ms=1000, white_ms=1)).elapsed >= 0.07  # a share alone would be half a millisecond


@pytest.mark.parametrize("player", [selfplay.Library, selfplay.Engine])
def test_selfplay(player: type[selfplay.Library | selfplay.Engine]) -> None:
    """Whole games, every move and line of which is legal; `make test-selfplay` plays ten thousand and looks at memory."""
    made = player()
    dice = random.Random(5)
    ends = {selfplay.play(made, dice)[1] for _ in range(12)}
    made.close()
    assert "CHECKMATE" in ends


def test_analyses_are_made_by_searchers() -> None:
    assert isinstance(Searcher(hash_mb=1).analyse(Board(), depth=1), Analysis)


def test_analyses_are_not_copied(searcher: Searcher) -> None:
    """The end of a copy would be the end of the search."""
    analysis = searcher.analyse(Board(), depth=2)
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied"):
            copied(analysis)
    gc.collect()
    assert analysis.result().depth == 2


def test_closing_a_searcher_ends_its_search(searcher: Searcher) -> None:
    with searcher:
        analysis = searcher.analyse(Board())
        next(analysis)
    result = analysis.result()
    assert result.stopped and result.depth >= 1


def test_many_threads_may_ask(searcher: Searcher) -> None:
    """All that wait get the one result; a state that is asked for while it is taken is no error."""

    def states(analysis: Analysis) -> None:
        while not isinstance(analysis.latest(), SearchResult):
            pass

    for _ in range(20):
        analysis = searcher.analyse(Board(), depth=4)
        with ThreadPoolExecutor(4) as pool:
            waiting = [pool.submit(analysis.result) for _ in range(3)]
            watching = pool.submit(states, analysis)
            assert all(future.result() is waiting[0].result() for future in waiting)
            watching.result()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_analyses_stay_with_their_process(searcher: Searcher) -> None:
    """In a forked child they are errors, not analyses that have come to an end."""
    analysis = searcher.analyse(Board())
    next(analysis)
    child = os.fork()
    if child == 0:
        errors = 0
        for ask in (lambda: list(analysis), analysis.result, analysis.latest, analysis.ponderhit):
            try:
                ask()
            except HandleError:
                errors += 1
        analysis.stop()
        searcher.stop()
        os._exit(errors)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
    analysis.stop()
    assert analysis.result().stopped
