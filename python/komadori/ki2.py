"""The words of a move in KI2 as a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from . import _abi as abi
from . import _native
from .errors import IllegalMoveError, InvalidValueError, reading
from .moves import Move
from .types import Color, PieceType, Square, _shown

if TYPE_CHECKING:
    from .board import Board


class Ki2Notation:
    """The words of a move in KI2, such as ``▲５八金右``, in 32 bits (docs/formats.md has the layout).

    Two values are equal exactly when they are displayed alike. Which move one is depends on the position, and with 同 on the move before.
    Immutable and hashable.

    Args:
        value: A raw value. InvalidValueError for what cannot be the words of a move.

    >>> from komadori import Board, Move
    >>> board = Board()
    >>> words = Ki2Notation.of(board, Move.from_usi("4i5h"))
    >>> str(words), words.value, str(words.mirror_file()), words.resolve(board)
    ('▲５八金右', 44720, '▲５八金左', Move.from_usi('4i5h'))
    """

    __slots__ = ("value",)
    value: int
    _valid: ClassVar[set[int]] = set()  # values that have been checked

    def __init__(self, value: int) -> None:
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"Ki2Notation needs an int, not {type(value).__name__}")
        number = int(value.__index__())
        if number not in self._valid:
            if not 0 <= number < 1 << 32 or _native.plain("kmd_ki2_is_valid", number) != 1:
                raise InvalidValueError(f"Ki2Notation value {_shown(number)} cannot be the words of a move")
            self._valid.add(number)
        object.__setattr__(self, "value", number)

    @classmethod
    def from_text(cls, text: str) -> Ki2Notation:
        """Reads text with the mark of the side, in all spellings of KI2. ParseError."""
        if not isinstance(text, str):
            raise TypeError(f"text must be str, not {type(text).__name__}")
        with reading("text", text):
            return cls(_native.unsigned32("kmd_ki2_from_text", *_native.encode(text)))

    @classmethod
    def of(cls, board: Board, move: Move, previous: int | None = None) -> Ki2Notation:
        """The words of a legal move. IllegalMoveError.

        Args:
            board: The position.
            move: A legal move there.
            previous: Where the move before went, for 同; ``Square.NONE`` when there was none. None asks the board's history.
        """
        _native.check_board(board)
        if not isinstance(move, Move):
            raise TypeError(f"move must be Move, not {type(move).__name__}")
        try:
            return cls(_native.unsigned32("kmd_board_ki2", board._handle, _previous(previous), move.value))
        except IllegalMoveError as error:
            error.move, error.sfen = move, board.to_sfen()
            raise

    def resolve(self, board: Board, previous: int | None = None) -> Move:
        """The one legal move that is written exactly so; ``Board.parse_ki2`` is more lenient.

        IllegalMoveError when no legal move is, AmbiguousMoveError when several are. ``previous`` as in ``of``.
        """
        _native.check_board(board)
        try:
            return Move(_native.unsigned16("kmd_board_resolve_ki2", board._handle, _previous(previous), self.value))
        except IllegalMoveError as error:
            error.sfen = board.to_sfen()
            raise

    @property
    def color(self) -> Color:
        """The side that moves."""
        return Color(self.value & 1)

    @property
    def is_same(self) -> bool:
        """Whether it says 同."""
        return self.value & 2 != 0

    @property
    def to_square(self) -> Square:
        """The target that it names; none with 同."""
        return Square.NONE if self.is_same else Square((self.value >> 2 & 127) - 1)

    @property
    def piece_type(self) -> PieceType:
        """The kind that is shown, before a promotion."""
        return PieceType(self.value >> 9 & 15)

    def flip_side(self) -> Ki2Notation:
        """The words of the same move on the board turned by 180 degrees with the sides exchanged."""
        return Ki2Notation(_native.plain("kmd_ki2_flip_side", self.value))

    def mirror_file(self) -> Ki2Notation:
        """The words of the same move on the board with its files mirrored: 右 and 左 are exchanged."""
        return Ki2Notation(_native.plain("kmd_ki2_mirror_file", self.value))

    def __str__(self) -> str:
        return _native.text("kmd_ki2_to_text", self.value)

    def __repr__(self) -> str:
        return f"Ki2Notation.from_text({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ki2Notation) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)

    def __int__(self) -> int:
        return self.value

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("Ki2Notation is immutable")

    def __reduce__(self) -> tuple[Any, ...]:
        return (Ki2Notation, (self.value,))


def _previous(square: int | None) -> int:
    return abi.KMD_PREVIOUS_OF_HISTORY if square is None else Square(square)
