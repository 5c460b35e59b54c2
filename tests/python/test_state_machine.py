"""Boards under any sequence of operations, beside a slow and obvious reference: the same positions, moves, checks, repetitions and errors after every step."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import slow_shogi
from komadori import Board, Color, IllegalMoveError, Move, RepetitionState
from slow_shogi import Position

STARTS = [
    slow_shogi.START,
    "4k4/9/9/9/9/9/9/9/4K4 b RBGSNLPrbgsnlp 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    "9/9/9/9/9/5k3/9/5PPPP/5G1GK w 2P2p 5",  # drops of pawns that mate
    "7nk/9/7G1/9/9/9/9/9/K8 b P 1",  # P*1b would mate
    "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
]


class BoardMachine(RuleBasedStateMachine):
    board: Board
    line: list[Position]
    moves: list[str | None]

    @initialize(start=st.sampled_from(STARTS))
    def begin(self, start: str) -> None:
        self.board, self.line, self.moves = Board(start), [Position.from_sfen(start)], []
        self.legal: set[str] | None = None

    @property
    def now(self) -> Position:
        return self.line[-1]

    def legal_now(self) -> list[str]:
        if self.legal is None:
            self.legal = self.now.legal()
        return sorted(self.legal)

    def changed(self) -> None:
        self.legal = None

    @rule(choice=st.integers(0, 2**16))
    def push(self, choice: int) -> None:
        legal = self.legal_now()
        if not legal:
            assert len(self.board.legal_moves()) == 0
            return
        move = legal[choice % len(legal)]
        if choice % 2:
            self.board.push_usi(move)
        else:
            self.board.push(Move.from_usi(move))
        self.line.append(self.now.played(move))
        self.moves.append(move)
        self.changed()

    @rule(value=st.integers(0, 65535))
    def push_anything(self, value: int) -> None:
        """Of all values those are taken that are legal, and the others change nothing."""
        move = Move(value)
        text = move.to_usi() if move.is_normal else ""
        assert self.board.is_legal(move) == (text in self.legal_now())
        if text not in self.legal_now():
            with pytest.raises(IllegalMoveError):
                self.board.push(move)

    @rule(times=st.integers(1, 3))
    def pop(self, times: int) -> None:
        for _ in range(times):
            if not self.moves:
                with pytest.raises((IndexError, IllegalMoveError)):
                    self.board.pop()
                return
            taken, move = self.board.pop(), self.moves.pop()
            assert taken == (Move.NULL if move is None else Move.from_usi(move))
            self.line.pop()
            self.changed()

    @rule()
    def pass_(self) -> None:
        if self.now.in_check(self.now.black):
            with pytest.raises(IllegalMoveError):
                self.board.push_null()
            return
        self.board.push_null()
        after = Position(dict(self.now.board), self.now.hands, not self.now.black, self.now.ply + 1)
        self.line.append(after)
        self.moves.append(None)
        self.changed()

    @precondition(lambda self: len(self.moves) > 0)
    @rule()
    def go_back_and_forth(self) -> None:
        """Both sides move a piece there and back, so that positions return."""
        for _ in range(4):
            legal = self.legal_now()
            back = None
            if len(self.moves) >= 2 and (last := self.moves[-2]) and "*" not in last and "+" not in last:
                back = last[2:4] + last[0:2]
            quiet = [m for m in legal if "*" not in m and "+" not in m]
            if not quiet:
                return
            move = back if back in quiet else quiet[0]
            self.board.push_usi(move)
            self.line.append(self.now.played(move))
            self.moves.append(move)
            self.changed()

    @rule(which=st.sampled_from(["copy", "position", "sfen", "turned", "mirrored", "hcp"]))
    def make_another(self, which: str) -> None:
        """Boards made of this one show what it shows."""
        board = self.board
        if which == "copy":
            other = board.copy()
            assert other == board and other.moves() == board.moves()
            if self.moves:
                other.pop()
                assert board.history_length == len(self.moves)
            self.board = board.copy()
        elif which == "position":
            self.board = Board.from_position(board.to_position())
        elif which == "sfen":
            assert Board(board.to_sfen()).key == board.key
        elif which == "turned":
            assert board.flip_side().flip_side().to_sfen() == board.to_sfen()
            assert {m.flip_side().to_usi() for m in board.flip_side().legal_moves()} == set(self.legal_now())
        elif which == "mirrored":
            assert {m.mirror_file().to_usi() for m in board.mirror_file().legal_moves()} == set(self.legal_now())
        elif sum(p.upper() == "K" for p in self.now.board.values()) == 2:
            assert Board.from_hcp(board.to_hcp()).key == board.key

    @invariant()
    def same(self) -> None:
        board, now = self.board, self.now
        assert board.to_sfen() == now.to_sfen()
        assert board.turn == (Color.BLACK if now.black else Color.WHITE) and board.ply == now.ply
        assert board.history_length == len(self.moves) == len(board.moves())
        assert board.is_check() == now.in_check(now.black)
        assert sorted(m.to_usi() for m in board.legal_moves()) == self.legal_now()
        assert board.is_checkmate() == (board.is_check() and not self.legal_now())

    @invariant()
    def same_repetition(self) -> None:
        """The fourth occurrence since the last pass: a draw, unless one side gave check all the way."""
        since = len(self.line) - 1
        while since > 0 and self.moves[since - 1] is not None:
            since -= 1
        shown = [" ".join(p.to_sfen().split()[:3]) for p in self.line[since:]]
        times = shown.count(shown[-1])
        assert self.board.is_repetition(4) == (times >= 4)
        state = self.board.repetition_state()
        if times < 4:
            assert state not in (RepetitionState.DRAW, RepetitionState.WIN, RepetitionState.LOSE)
            return
        # Between the first of the last four occurrences and now: who stood in check each time it was their turn?
        first = [i for i, text in enumerate(shown) if text == shown[-1]][-4]
        span = self.line[since + first + 1 :]
        checked = {side: all(p.in_check(side) for p in span if p.black == side) for side in (True, False)}
        mine, theirs = checked[self.now.black], checked[not self.now.black]
        want = RepetitionState.WIN if mine and not theirs else RepetitionState.LOSE if theirs and not mine else RepetitionState.DRAW
        assert state == want


# More with KOMADORI_EXAMPLES: a long run is not part of `make test`.
BoardMachine.TestCase.settings = settings(
    max_examples=int(os.environ.get("KOMADORI_EXAMPLES", "6")),
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize="KOMADORI_EXAMPLES" not in os.environ,
)
TestBoards = BoardMachine.TestCase
