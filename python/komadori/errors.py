"""What can go wrong, as exceptions.

Arguments of a wrong Python type are plain ``TypeError``; wrong shapes, dtypes or options are ``ValueError``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple


class ProblemKind(IntEnum):
    """What can be wrong or odd about a position. Boards accept NO_KING and OPPONENT_IN_CHECK."""

    NO_KING = 1
    TWO_KINGS = 2
    DOUBLE_PAWN = 3
    INVALID_HAND_COUNT = 4
    INVALID_PLACEMENT = 5
    TOO_MANY_PIECES = 6
    OPPONENT_IN_CHECK = 7
    INVALID_TURN = 8
    INVALID_PLY = 9


class Problem(NamedTuple):
    """One thing wrong or odd about a position."""

    kind: int
    color: int
    square: int
    piece_type: int

    def __str__(self) -> str:
        return ProblemKind(self.kind).name


class KomadoriError(Exception):
    """Base of everything that komadori raises on its own account.

    Attributes:
        row: Row of the batch, or None.
    """

    row: int | None

    def __init__(self, message: str, *, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.args[0], self.__dict__))


def _rebuild(cls: type[KomadoriError], message: str, state: dict[str, Any]) -> KomadoriError:
    error = cls(message)
    error.__dict__.update(state)
    return error


class ParseError(KomadoriError, ValueError):
    """Text or bytes do not follow their grammar.

    Attributes:
        offset: Byte offset of the offence in the input, or None.
    """

    def __init__(self, message: str, *, offset: int | None = None, row: int | None = None) -> None:
        super().__init__(message, row=row)
        self.offset = offset


class InvalidPositionError(KomadoriError, ValueError):
    """A position that breaks rules, or lacks what the operation needs.

    Attributes:
        problems: What is wrong, all at once.
    """

    def __init__(self, message: str, *, problems: list[Problem] | None = None, row: int | None = None) -> None:
        super().__init__(message, row=row)
        self.problems = problems or []


class InvalidValueError(KomadoriError, ValueError):
    """A number outside its range."""


class IllegalMoveError(KomadoriError, ValueError):
    """A well-formed move that is not legal in its position; nothing was changed.

    Attributes:
        move: The move, where it is known.
        sfen: The position, where it is known.
    """

    def __init__(self, message: str, *, move: Any = None, sfen: str | None = None, row: int | None = None) -> None:
        super().__init__(message, row=row)
        self.move = move
        self.sfen = sfen


class HandleError(KomadoriError, RuntimeError):
    """The object is closed, or another thread is using it."""


class InternalError(KomadoriError, RuntimeError):
    """A bug in komadori; please report it."""
