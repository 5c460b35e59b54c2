"""What can go wrong.

    KomadoriError
    ├── ParseError(ValueError)            .text  .offset  .row
    ├── InvalidPositionError(ValueError)  .problems  .row
    ├── InvalidValueError(ValueError)     .row
    ├── IllegalMoveError(ValueError)      .move  .sfen  .row
    │   └── AmbiguousMoveError            words that fit several legal moves
    ├── HandleError(RuntimeError)         closed, or in use by another thread
    └── InternalError(RuntimeError)       a bug in komadori, please report

Arguments of a wrong Python type are TypeError; arrays of a wrong shape or dtype are ValueError. Files raise OSError.
``row`` is the row of a batch, None where there is no batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from ._named import Named

if TYPE_CHECKING:
    from .kifu import Kifu
    from .moves import Move, Move32
    from .types import Color, PieceType, Square

__all__ = [
    "AmbiguousMoveError",
    "HandleError",
    "IllegalMoveError",
    "InternalError",
    "InvalidPositionError",
    "InvalidValueError",
    "KomadoriError",
    "ParseError",
    "Problem",
    "ProblemKind",
]


class ProblemKind(Named):
    """What can be wrong, or odd, about a position."""

    NO_KING = 1  # accepted by boards
    TWO_KINGS = 2
    DOUBLE_PAWN = 3
    INVALID_HAND_COUNT = 4
    INVALID_PLACEMENT = 5
    TOO_MANY_PIECES = 6
    OPPONENT_IN_CHECK = 7  # accepted by boards
    INVALID_TURN = 8
    INVALID_PLY = 9

    @property
    def is_accepted(self) -> bool:
        """Whether boards have positions with this problem."""
        return self in (ProblemKind.NO_KING, ProblemKind.OPPONENT_IN_CHECK)


class Problem(NamedTuple):
    """One thing wrong or odd about a position.

    ``color`` is the side it concerns. ``square`` is where, ``Square.NONE`` when nowhere in particular; ``piece_type`` what,
    ``PieceType.NONE`` when nothing in particular.
    """

    kind: ProblemKind
    color: Color
    square: Square
    piece_type: PieceType

    @classmethod
    def from_numbers(cls, kind: int, color: int, square: int, piece_type: int) -> Problem:
        """From the numbers of komadori.h."""
        from .types import Color, PieceType, Square

        return cls(ProblemKind(kind), Color(color & 1), Square(square), PieceType(piece_type))

    def __str__(self) -> str:
        from .types import PieceType, Square

        words = [self.kind.name.lower().replace("_", " ")]
        if self.kind not in (ProblemKind.TOO_MANY_PIECES, ProblemKind.INVALID_TURN, ProblemKind.INVALID_PLY):  # which are no one side's
            words.append(f"({self.color.name.lower()})")
        if self.piece_type not in (PieceType.NONE, PieceType.KING):
            words.append(self.piece_type.name.lower().replace("_", " "))
        if self.square != Square.NONE:
            words.append(f"on {self.square}")
        return " ".join(words)


class KomadoriError(Exception):
    """Base of the errors of this package."""


class ParseError(KomadoriError, ValueError):
    """Text or bytes do not follow their grammar.

    ``text`` is the input where it was text, ``offset`` the byte at which reading stopped, both None where unknown. Of game records there are also
    ``line`` and ``column`` (from 1, in characters) and ``kifu``, what was read before; else they are None. ``games`` are the games before that one.
    """

    line: int | None = None
    column: int | None = None
    kifu: Kifu | None = None
    games: Sequence[Kifu] = ()

    def __init__(self, message: str, *, text: str | None = None, offset: int | None = None, row: int | None = None) -> None:
        super().__init__(message)
        self.text = text
        self.offset = offset
        self.row = row


@contextmanager
def reading(name: str, text: str) -> Iterator[None]:
    """Tells an error which argument could not be read, and a ParseError its text."""
    try:
        yield
    except (ParseError, IllegalMoveError) as error:
        message = str(error)
        shown = name if text[:40] in message else f"{name} {text[:40] + '...' * (len(text) > 40)!r}"
        error.args = (f"{shown}: {message}",)
        if isinstance(error, ParseError):
            error.text = text
        raise


class InvalidPositionError(KomadoriError, ValueError):
    """A position breaks rules, or lacks what the operation needs, such as a king. ``problems`` lists everything that is wrong."""

    def __init__(self, message: str, *, problems: Iterable[Problem] = (), row: int | None = None) -> None:
        super().__init__(message)
        self.problems: tuple[Problem, ...] = tuple(problems)
        self.row = row


class InvalidValueError(KomadoriError, ValueError):
    """A number lies outside its range."""

    def __init__(self, message: str, *, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row


class IllegalMoveError(KomadoriError, ValueError):
    """A move is well formed and not legal in its position. The board is unchanged.

    Of game records there are also ``line``, ``column``, ``kifu`` and ``games``, as in ParseError.
    """

    line: int | None = None
    column: int | None = None
    kifu: Kifu | None = None
    games: Sequence[Kifu] = ()

    def __init__(self, message: str, *, move: Move | Move32 | None = None, sfen: str | None = None, row: int | None = None) -> None:
        super().__init__(message)
        self.move = move
        self.sfen = sfen
        self.row = row


class AmbiguousMoveError(IllegalMoveError):
    """The words of a move fit more than one legal move."""


class HandleError(KomadoriError, RuntimeError):
    """An object is closed, in use by another thread, or was lost in a fork."""


class CancelledError(KomadoriError, RuntimeError):
    """The work was stopped before it was done, because the interpreter is ending."""


class InternalError(KomadoriError, RuntimeError):
    """A bug in komadori. Please report it with the message."""
