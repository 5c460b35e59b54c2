"""Rules: repetition, declarations, profiles, and how games end."""

from __future__ import annotations

import copy
import dataclasses
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import komadori
import vectorset
from komadori import (
    Board,
    Color,
    Declare,
    EnteringKingRule,
    GameEnd,
    GameResult,
    Handicap,
    InvalidPositionError,
    InvalidValueError,
    Move,
    Outcome,
    ParseError,
    RepetitionState,
    Rules,
    TerminalOutcome,
    TerminalReason,
    TerminalStatus,
    Verdict,
)
from test_vectors import open_board

ENTERED = "K+P+P+P+P+P+P+P+P/+P+P7/9/9/9/9/9/9/k8 b 2RB3P 1"  # 28 points: a win under the rule of 27 points, a draw under that of 24
MATED = ("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b")
PERPETUAL = ("8k/9/7R1/9/9/9/9/9/K8 b - 1", "2c1c" + " 1a2a 1c2c 2a1a 2c1c" * 3)
TRY = Rules(entering_king=EnteringKingRule.TRY)
STATES = {f"rep_{name}": state for name, state in zip(("none", "win", "lose", "draw", "sup", "inf"), RepetitionState, strict=True)}


def play(board: Board | str, text: str) -> Board:
    board = Board(board) if isinstance(board, str) else board
    for word in text.split():
        board.push_usi(word)
    return board


# -------------------------------------------------------------------------------------------------------------- Repetition


def test_repetitions() -> None:
    n = 0
    for row in vectorset.rows("vectors/repetitions.jsonl"):
        board = Board(row["start"])
        turned, mirrored = board.flip_side(), board.mirror_file()
        for i, word in enumerate(row["usi"].split()):
            move = board.push_usi(word)
            turned.push(move.flip_side())
            mirrored.push(move.mirror_file())
            state = STATES[row["rsshogi"][i]]
            assert board.repetition_state() is turned.repetition_state() is mirrored.repetition_state() is state, (row["start"], i)
            times = row["occurrence"][i]
            assert board.is_repetition(times)
            assert not board.is_repetition(times + 1)
            assert board.is_check() == row["in_check"][i]
            if "cshogi_first_return" in row:
                assert board.search_repetition(2**31 - 1) is STATES[row["cshogi_first_return"][i]]
            outcome = board.outcome(Rules(repetition=4))
            if state in (RepetitionState.DRAW, RepetitionState.WIN, RepetitionState.LOSE):
                assert outcome is not None
                assert outcome.winner == {RepetitionState.DRAW: None, RepetitionState.WIN: board.turn}.get(state, board.turn.opposite)
                assert outcome.reason == (TerminalReason.REPETITION if state is RepetitionState.DRAW else TerminalReason.PERPETUAL_CHECK)
            else:
                assert outcome is None or outcome.reason in (TerminalReason.CHECKMATE, TerminalReason.NO_LEGAL_MOVES)
        copied = board.copy()
        board.pop()
        board.push_usi(row["usi"].split()[-1])
        assert copied.repetition_state() is board.repetition_state() is STATES[row["rsshogi"][-1]]
        assert pickle.loads(pickle.dumps(board)).repetition_state() is board.repetition_state()
        n += 1
    vectorset.count("vectors/repetitions.jsonl", n)


def test_a_pass_breaks_the_line_of_returns() -> None:
    board = play(Board(), "2h3h 8b7b 3h2h 7b8b")
    assert board.is_repetition(2)
    board.push_null()
    board.push_null()
    assert not board.is_repetition(2)
    play(board, "2h3h 8b7b 3h2h 7b8b")
    assert board.is_repetition(2)
    assert not board.is_repetition(3)


def test_other_hands_do_not_hide_a_repetition() -> None:
    board = Board("k8/9/9/9/9/4R4/9/9/K8 w p 1")
    for i in range(3):
        play(board, "P*5e 5f5e 9a9b 5e5g 9b9a 5g5f")
        assert board.repetition_state() is (RepetitionState.INFERIOR if i < 3 else RepetitionState.DRAW)
        play(board, "9a9b P*8b 9b8b 9i9h 8b9a 9h9i")
        assert board.repetition_state() is (RepetitionState.SUPERIOR if i < 2 else RepetitionState.DRAW)
        assert board.is_repetition(i + 2)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_knows_the_history() -> None:
    board = play(Board(), "2h3h 8b7b 3h2h 7b8b " * 2 + "2h3h 8b7b 3h2h")
    child = os.fork()
    if child == 0:
        ok = not board.is_game_over(Rules.JSA) and board.search_repetition(16) is RepetitionState.DRAW
        board.push_usi("7b8b")
        outcome = board.outcome(Rules.JSA)
        os._exit(0 if ok and outcome is not None and outcome.reason is TerminalReason.REPETITION else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not board.is_game_over(Rules.JSA)


# ------------------------------------------------------------------------------------------------------------- Declaration


def test_declarations() -> None:
    """Every rule in every position of the set."""
    n = 0
    names = {name: EnteringKingRule.from_name("CSA" + name) for name in ("24", "24_handicap", "27", "27_handicap")}
    verdicts = {"none": Verdict.NONE, "lose": Verdict.NONE, "draw": Verdict.DRAW, "win": Verdict.WIN}
    for row in vectorset.rows("vectors/positions.jsonl.gz"):
        board = open_board(row["sfen"])
        if board is None:
            continue
        want = row.get("declaration")
        if want is None:
            with pytest.raises(InvalidPositionError):
                board.declaration(EnteringKingRule.CSA27)
            n += 1
            continue
        for name, rule in names.items():
            d, w = board.declaration(rule), want[name]
            assert (d.verdict is Verdict.WIN, not d.in_check, d.king_in_camp, d.points, d.required) == (
                w["can"],
                w["not_in_check"],
                w["king_in_camp"],
                w["points"],
                w["required"],
            ), row["sfen"]
            assert d.pieces_in_camp + d.king_in_camp == w["pieces_in_camp"]
            assert d.pieces_in_camp == want["own_pieces_in_camp_without_king"]
            assert d.rule is rule
            assert d.move == (Move.WIN if w["can"] else None)
            over = board.outcome(Rules(entering_king=rule), Declare.TO_DRAW)
            if board.legal_moves():
                assert (over is None) == (d.verdict is Verdict.NONE)
        for name in ("24", "27"):
            verdict = board.declaration(names[name]).verdict
            assert verdict is verdicts[want["cshogi"][name]]
            # tsshogi calls it a draw under the rule of 27 points when only points are wanting.
            if row["full_set"] and (name, want["tsshogi"][name]) != ("27", "draw"):
                assert verdict is verdicts[want["tsshogi"][name]]
        d = board.declaration(EnteringKingRule.TRY)
        assert (d.verdict is Verdict.WIN) == want["try"]["can"], row["sfen"]
        assert (d.move is None) == (not want["try"]["can"])
        if d.move is not None:
            assert (d.move.from_square, d.move.to_square) == (want["try"]["king_square"], want["try"]["try_square"])
            board.push(d.move)
            tried = board.outcome(Rules(entering_king=EnteringKingRule.TRY))
            assert tried is not None
            assert tried.winner == board.turn.opposite
        n += 1
    vectorset.count("vectors/positions.jsonl.gz", n)


def test_a_declaration_is_a_value() -> None:
    d = Board(ENTERED).declaration("csarule27")
    assert d == Board(ENTERED).declaration(3) == pickle.loads(pickle.dumps(d)) == copy.deepcopy(d)
    assert len({d, copy.copy(d)}) == 1
    assert (d.verdict, d.points, d.required, d.pieces_in_camp, d.king_in_camp, d.in_check, d.move) == (Verdict.WIN, 28, 28, 10, True, False, Move.WIN)
    with pytest.raises(dataclasses.FrozenInstanceError):
        d.points = 31  # type: ignore[misc]


# ----------------------------------------------------------------------------------------------------------------- Outcomes


@pytest.mark.parametrize(
    ("name", "board", "rules", "declare", "winner", "reason", "end"),
    [
        ("checkmate", lambda: play(*MATED), Rules(), 1, Color.BLACK, "CHECKMATE", "BLACK_WIN"),
        ("no move", lambda: Board("k8/1R7/1G7/9/9/9/9/9/K8 w - 1"), Rules(), 1, Color.BLACK, "NO_LEGAL_MOVES", "BLACK_WIN"),
        ("repetition", lambda: play(Board(), "2h3h 8b7b 3h2h 7b8b " * 3), Rules(), 1, None, "REPETITION", "DRAW_BY_REPETITION"),
        ("second time", lambda: play(Board(), "2h3h 8b7b 3h2h 7b8b"), Rules(2), 1, None, "REPETITION", "DRAW_BY_REPETITION"),
        ("perpetual check", lambda: play(*PERPETUAL), Rules(), 1, Color.WHITE, "PERPETUAL_CHECK", "WHITE_WIN_BY_ILLEGAL_MOVE"),
        ("move limit", lambda: play(Board(), "7g7f 3c3d"), Rules(move_limit=2), 1, None, "MOVE_LIMIT", "DRAW_BY_MAX_PLIES"),
        ("mate with the last move", lambda: play(*MATED), Rules(move_limit=1), 1, Color.BLACK, "CHECKMATE", "BLACK_WIN"),
        ("declaration", lambda: Board(ENTERED), Rules(0, EnteringKingRule.CSA27), 1, Color.BLACK, "DECLARATION_WIN", "BLACK_WIN_BY_DECLARATION"),
        ("impasse", lambda: Board(ENTERED), Rules(0, EnteringKingRule.CSA24), 2, None, "IMPASSE", "DRAW_BY_IMPASSE"),
        ("a try is open", lambda: Board("9/4K4/9/9/9/9/9/9/k8 b - 1"), TRY, 1, Color.BLACK, "TRY_RULE", "BLACK_WIN_BY_TRY_RULE"),
        ("tried", lambda: play(Board("K8/9/9/9/9/9/9/4k4/9 w - 1"), "5h5i"), TRY, 0, Color.WHITE, "TRY_RULE", "WHITE_WIN_BY_TRY_RULE"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_outcomes(name: str, board: Callable[[], Board], rules: Rules, declare: int, winner: Color | None, reason: str, end: str) -> None:
    b = board()
    o = b.outcome(rules, declare)
    result = GameResult.DRAW if winner is None else GameResult(winner)
    assert o == Outcome(winner, TerminalReason[reason], result, GameEnd[end]), name
    assert o.end.result is result
    assert b.is_game_over(rules, declare)
    status = b.terminal_status(rules, declare)
    assert status.is_terminal
    assert status.reason is o.reason
    assert status.outcome is (TerminalOutcome.DRAW if winner is None else TerminalOutcome.WIN if winner == b.turn else TerminalOutcome.LOSS)
    assert pickle.loads(pickle.dumps(o)) == o
    for turned in (b.flip_side(), b.mirror_file()):
        if reason in ("CHECKMATE", "NO_LEGAL_MOVES"):  # the rest needs the history
            other = turned.outcome(rules, declare)
            assert other is not None
            assert other.reason is o.reason


def test_a_game_goes_on() -> None:
    for rules in (None, Rules(), Rules.JSA, Rules.CSA, Rules.FLOODGATE, Rules.DLSHOGI):
        for declare in Declare:
            board = Board()
            assert board.outcome(rules, declare) is None
            assert not board.is_game_over(rules, declare)
            assert board.terminal_status(rules, declare) == TerminalStatus() == TerminalStatus(TerminalOutcome.NONE, TerminalReason.NONE)
            assert not board.terminal_status(rules, declare).is_terminal
    for rules, declare in ((Rules.CSA, Declare.NEVER), (Rules.JSA, Declare.TO_WIN), (Rules(), Declare.TO_DRAW), (None, Declare.TO_DRAW)):
        assert Board(ENTERED).outcome(rules, declare) is None
    assert not Board("9/4K4/9/9/9/9/9/9/k8 b - 1").is_game_over(TRY, Declare.NEVER)


def test_boards_without_kings_have_outcomes() -> None:
    board = play(Board("4k4/9/4P4/9/9/9/9/9/9 b G 1"), "G*5b")
    for rules in (Rules.JSA, Rules(entering_king=EnteringKingRule.TRY)):
        assert board.outcome(rules, Declare.TO_DRAW) == Outcome(Color.BLACK, TerminalReason.CHECKMATE, GameResult.BLACK_WIN, GameEnd.BLACK_WIN)
    for rule in EnteringKingRule:
        with pytest.raises(InvalidPositionError) as caught:
            board.declaration(rule)
        assert "king" in str(caught.value)


def test_the_numbers_of_the_seed() -> None:
    assert [(o.name, int(o)) for o in TerminalOutcome] == [("NONE", 0), ("WIN", 1), ("DRAW", 2), ("LOSS", 3)]
    assert [r.name for r in TerminalReason][:7] == ["NONE", "DECLARATION_WIN", "REPETITION", "PERPETUAL_CHECK", "IMPASSE", "MOVE_LIMIT", "TRY_RULE"]
    assert list(map(int, TerminalReason)) == list(range(9))
    assert [o.flip_side() for o in TerminalOutcome] == [TerminalOutcome.NONE, TerminalOutcome.LOSS, TerminalOutcome.DRAW, TerminalOutcome.WIN]
    assert list(map(int, Verdict)) == list(map(int, Declare)) == [0, 1, 2]


# ----------------------------------------------------------------------------------------------------------------- Profiles


def test_profiles() -> None:
    assert Rules.JSA == Rules(4, EnteringKingRule.CSA24, 500, True)
    assert Rules.CSA == Rules(4, EnteringKingRule.CSA27, 320)
    assert Rules.FLOODGATE == Rules(4, EnteringKingRule.CSA27, 256)
    assert Rules.DLSHOGI == Rules(2, EnteringKingRule.CSA27, 320)
    for name in ("JSA", "CSA", "FLOODGATE", "DLSHOGI"):
        assert Rules.profile(name) == Rules.profile(name.lower()) == getattr(Rules, name)
        assert getattr(Rules, name).handicap is Handicap.EVEN
        assert getattr(Rules, name) is getattr(Rules, name)
    for bad in ("", "FIDE", "JSA "):
        with pytest.raises(ParseError):
            Rules.profile(bad)
    with pytest.raises(TypeError):
        Rules.profile(3)  # type: ignore[arg-type]


def test_rules_are_values() -> None:
    mine = dataclasses.replace(Rules.JSA, move_limit=256, handicap=Handicap.TWO_PIECE, entering_king=EnteringKingRule.CSA24_HANDICAP)
    assert mine == Rules(4, EnteringKingRule.CSA24_HANDICAP, 256, True, Handicap.TWO_PIECE)
    assert mine == Rules(entering_king="CSARule24H", move_limit=256, limit_waits=True, handicap="二枚落ち")  # type: ignore[arg-type]
    assert mine != Rules.JSA
    assert len({mine, copy.copy(mine), copy.deepcopy(mine), *(pickle.loads(pickle.dumps(mine, p)) for p in range(6))}) == 1
    assert Board.handicap(mine.handicap).outcome(pickle.loads(pickle.dumps(mine))) is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        mine.repetition = 3  # type: ignore[misc]
    assert "_struct" not in mine.__getstate__()  # it is that of one version of the library


def test_profiles_do_not_depend_on_who_asks_first() -> None:
    code = "from komadori import Rules\nclass Mine(Rules): pass\nassert Mine.JSA == Rules.JSA == Rules.profile('JSA'), (Mine.JSA, Rules.JSA)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "bad",
    [
        {"repetition": 1}, {"repetition": -1}, {"repetition": 2**31}, {"move_limit": -1}, {"move_limit": 2**31}, {"entering_king": 6},
        {"entering_king": -1}, {"handicap": 17}, {"handicap": -1},
    ],
    ids=str,
)  # fmt: skip
def test_rules_that_do_not_exist(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidValueError):
        Rules(**bad)
    with pytest.raises(InvalidValueError):
        dataclasses.replace(Rules.JSA, **bad)


@pytest.mark.parametrize(
    "bad",
    [
        {"repetition": "4"},
        {"repetition": 4.0},
        {"repetition": None},
        {"repetition": True},
        {"move_limit": None},
        {"limit_waits": 1},
        {"entering_king": None},
        {"handicap": 1.5},
    ],
    ids=str,
)
def test_rules_of_wrong_types(bad: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Rules(**bad)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda b: b.declaration(6), InvalidValueError), (lambda b: b.declaration(-1), InvalidValueError), (lambda b: b.declaration("x"), ParseError),
        (lambda b: b.declaration(None), TypeError), (lambda b: b.declaration(2.0), TypeError), (lambda b: b.outcome("JSA"), TypeError),
        (lambda b: b.outcome(4), TypeError), (lambda b: b.outcome(Rules(), 3), InvalidValueError), (lambda b: b.outcome(Rules(), -1), InvalidValueError),
        (lambda b: b.outcome(Rules(), None), TypeError), (lambda b: b.outcome(Rules(), True), TypeError), (lambda b: b.is_game_over(3), TypeError),
        (lambda b: b.terminal_status(Rules(), "1"), TypeError), (lambda b: Rules(entering_king="x"), ParseError), (lambda b: Rules(handicap="x"), ParseError),
    ],
)  # fmt: skip
def test_bad_arguments(call: Callable[[Board], Any], error: type[Exception]) -> None:
    board = Board()
    with pytest.raises(error):
        call(board)
    assert board == Board()


def test_a_closed_board_has_no_outcome() -> None:
    board = Board()
    board.close()
    for call in (lambda: board.outcome(), lambda: board.declaration(1), board.is_game_over, board.terminal_status):
        with pytest.raises(komadori.HandleError):
            call()
