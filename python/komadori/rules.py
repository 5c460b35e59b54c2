"""Rules: what ends a game besides mate, who may declare, and how a game has ended.

docs/conventions.md, section Rules, has every decision and the sources of the profiles.

>>> from komadori import Board, Rules
>>> board = Board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")
>>> board.push_usi("G*5b")
Move.from_usi('G*5b')
>>> outcome = board.outcome(Rules.JSA)
>>> outcome.winner, outcome.reason
(<Color.BLACK: 0>, <TerminalReason.CHECKMATE: 7>)
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, ClassVar

from . import _abi as abi
from . import _native
from .errors import InvalidValueError, reading
from .moves import Move
from .setup import Handicap
from .types import Color, EnteringKingRule, GameEnd, GameResult, Number, _check_range

__all__ = ["Declaration", "Declare", "Outcome", "Rules", "TerminalOutcome", "TerminalReason", "TerminalStatus", "Verdict"]


class Verdict(Number):
    """What declaring (入玉宣言) would bring to the side to move."""

    NONE = 0  # nothing to declare; who declares all the same loses the game
    WIN = 1
    DRAW = 2  # under the rules of 24 points


class Declare(Number):
    """What the side to move is taken to do with a right to declare: it may always play on instead."""

    NEVER = 0  # it plays on: only what has happened ends the game
    TO_WIN = 1  # it declares, or tries, when that wins
    TO_DRAW = 2  # and also when a declaration gives a draw


class TerminalOutcome(Number):
    """How a game stands for the side to move."""

    NONE = 0
    WIN = 1
    DRAW = 2
    LOSS = 3

    def flip_side(self) -> TerminalOutcome:
        """How it stands for the other side."""
        return TerminalOutcome((0, 3, 2, 1)[self])


class TerminalReason(Number):
    """Why a game has ended."""

    NONE = 0
    DECLARATION_WIN = 1  # 入玉宣言勝ち
    REPETITION = 2  # 千日手
    PERPETUAL_CHECK = 3  # 連続王手の千日手: the checking side has lost
    IMPASSE = 4  # 持将棋
    MOVE_LIMIT = 5
    TRY_RULE = 6
    CHECKMATE = 7
    NO_LEGAL_MOVES = 8  # not in check and without a move: lost, too


@dataclass(frozen=True)
class TerminalStatus:
    """A game as the side to move sees it."""

    outcome: TerminalOutcome = TerminalOutcome.NONE
    reason: TerminalReason = TerminalReason.NONE

    @property
    def is_terminal(self) -> bool:
        """Whether the game has ended."""
        return self.outcome != TerminalOutcome.NONE


@dataclass(frozen=True)
class Outcome:
    """How a game has ended.

    Attributes:
        winner: Who won; None for a draw.
        reason: Why.
        result: Who won, as stored by training records.
        end: How it ended, as stored by game records. A perpetual check is an illegal move of the side that gave it.
    """

    winner: Color | None
    reason: TerminalReason
    result: GameResult
    end: GameEnd


@dataclass(frozen=True)
class Declaration:
    """Whether the side to move may declare (入玉宣言), and what it counts.

    Attributes:
        rule: The rule asked for.
        verdict: What declaring would bring.
        points: Points in the camp, the three far ranks, and in hand: bishops and rooks 5, others 1, the king 0.
        required: Points for a win; 0 under NONE and TRY, where they do not matter.
        pieces_in_camp: Pieces in the camp, the king not counted. Ten are needed.
        king_in_camp: Whether the king stands there.
        in_check: Whether the side to move stands in check, and so may not declare.
        move: Of a win Move.WIN, or the king's move under TRY; else None.
    """

    rule: EnteringKingRule
    verdict: Verdict
    points: int
    required: int
    pieces_in_camp: int
    king_in_camp: bool
    in_check: bool
    move: Move | None


_FIELDS = ("repetition", "entering_king", "move_limit", "limit_waits", "handicap")


class _Profile:
    """A profile, read from the library when it is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rules: Rules | None = None

    def __get__(self, instance: object, owner: type[Rules]) -> Rules:
        if self._rules is None:
            self._rules = Rules.profile(self._name)  # whichever class was asked first
        return self._rules


@dataclass(frozen=True)
class Rules:
    """What players agree on besides how pieces move. ``dataclasses.replace`` makes rules of others.

    Args:
        repetition: Occurrences of a position that end the game (千日手), at least 2; 0: none does.
        entering_king: When the side to move may declare (入玉宣言): an EnteringKingRule, or its name.
        move_limit: Moves, counted from ply 1, after which an undecided game is a draw; 0: none.
        limit_waits: Whether the limit waits while the side that made the last allowed move goes on giving check.
        handicap: How games begin (手合割), a Handicap or its name. How they end does not depend on it: a handicap game is declared under one
            of the handicap forms of entering_king, which has to be asked for.

    Raises:
        InvalidValueError: A number that no rules have.
        ParseError: A name that is none.

    Profiles: ``Rules.JSA`` (professional games), ``Rules.CSA`` (World Computer Shogi Championship), ``Rules.FLOODGATE`` (the game
    server) and ``Rules.DLSHOGI`` (self-play for dlshogi's training).

    >>> Rules(move_limit=256, entering_king="CSA27") == Rules.FLOODGATE
    True
    """

    repetition: int = 4
    entering_king: EnteringKingRule = EnteringKingRule.NONE
    move_limit: int = 0
    limit_waits: bool = False
    handicap: Handicap = Handicap.EVEN

    _struct: ClassVar[bytes]  # of the instance, but no field of it
    JSA: ClassVar[Rules]
    CSA: ClassVar[Rules]
    FLOODGATE: ClassVar[Rules]
    DLSHOGI: ClassVar[Rules]

    def __post_init__(self) -> None:
        put = functools.partial(object.__setattr__, self)
        put("repetition", _check_range("repetition", self.repetition, 0, 2**31 - 1))
        if self.repetition == 1:
            raise InvalidValueError("repetition 1, want 0 or at least 2")
        put("entering_king", _rule(self.entering_king))
        put("move_limit", _check_range("move_limit", self.move_limit, 0, 2**31 - 1))
        if not isinstance(self.limit_waits, bool):
            raise TypeError(f"limit_waits must be bool, not {type(self.limit_waits).__name__}")
        handicap: Any = self.handicap
        if isinstance(handicap, str):
            put("handicap", Handicap.from_name(handicap))
        else:
            put("handicap", Handicap(_check_range("handicap", handicap, 0, Handicap.OTHER)))
        # What the library reads, made once: a game asks after every move.
        put("_struct", bytes(_native.struct(abi.kmd_rules, **{name: int(getattr(self, name)) for name in _FIELDS})))

    def __getstate__(self) -> dict[str, Any]:
        # What the library reads is its own version's.
        return {name: value for name, value in vars(self).items() if name != "_struct"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.__post_init__()

    @classmethod
    def profile(cls, name: str) -> Rules:
        """The rules of a profile by name, in any case: JSA, CSA, FLOODGATE, DLSHOGI. ParseError for others."""
        if not isinstance(name, str):
            raise TypeError(f"a profile's name must be str, not {type(name).__name__}")
        r = _native.struct(abi.kmd_rules)
        with reading("profile", name):
            _native.call("kmd_rules_profile", *_native.encode(name), _native.reference(r))
        return cls(r.repetition, EnteringKingRule(r.entering_king), r.move_limit, bool(r.limit_waits), Handicap(r.handicap))


for _name in ("JSA", "CSA", "FLOODGATE", "DLSHOGI"):
    setattr(Rules, _name, _Profile(_name))


def _rule(rule: Any) -> EnteringKingRule:
    """A rule by value or name."""
    if isinstance(rule, str):
        return EnteringKingRule.from_name(rule)
    return EnteringKingRule(_check_range("entering-king rule", rule, 0, EnteringKingRule.TRY))


_PLAIN = Rules()


def declaration(handle: Any, rule: Any) -> Declaration:
    """The report of a rule for the side to move of a board."""
    d = _native.struct(abi.kmd_declaration)
    rule = _rule(rule)
    _native.call("kmd_board_declaration", handle, int(rule), _native.reference(d))
    return Declaration(
        rule=rule,
        verdict=Verdict(d.verdict),
        points=d.points,
        required=d.required,
        pieces_in_camp=d.pieces_in_camp,
        king_in_camp=bool(d.king_in_camp),
        in_check=bool(d.in_check),
        move=Move(d.move) if d.move else None,
    )


def ask_outcome(handle: Any, rules: Rules | None, declare: Any) -> Any:
    """What the library says of the game on a board; None for rules are plain ones."""
    rules = _PLAIN if rules is None else rules
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be Rules, not {type(rules).__name__}")
    o = _native.struct(abi.kmd_outcome)
    declare = _check_range("declare", declare, 0, Declare.TO_DRAW)
    _native.call("kmd_board_outcome", handle, _native.pointer(rules._struct), declare, _native.reference(o))
    return o


def outcome(handle: Any, rules: Rules | None, declare: Any) -> Outcome | None:
    """How the game on a board has ended, None while it goes on."""
    o = ask_outcome(handle, rules, declare)
    if o.reason == abi.KMD_REASON_NONE:
        return None
    result = GameResult(o.result)
    return Outcome(None if result == GameResult.DRAW else Color(result), TerminalReason(o.reason), result, GameEnd(o.end))


def terminal_status(handle: Any, rules: Rules | None, declare: Any) -> TerminalStatus:
    """The game on a board as the side to move sees it."""
    o = ask_outcome(handle, rules, declare)
    return TerminalStatus(TerminalOutcome(o.terminal), TerminalReason(o.reason))
