"""Moves in the four layouts in use. Each is its own type, so that equal numbers of different meaning are never mixed up.

A Move has no color and no board: which moves are legal is asked of a Board. All values are immutable and interned: the same value is the same object.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar, cast

from . import _native
from ._tables import NONE, tables
from .errors import InvalidValueError, reading
from .types import Color, Piece, PieceType, Square, _check_range, _shown

_SQUARES = [Square(min(n, 81)) for n in range(128)]  # by seven bits of a move

_T = TypeVar("_T", bound="_Interned")
_Found = TypeVar("_Found")


class _Interned:
    """A number with a meaning; equal values are one object."""

    __slots__ = ("value",)
    value: int
    _LIMIT: ClassVar[int]
    _interned: ClassVar[dict[int, Any]]

    def __new__(cls: type[_T], value: int) -> _T:
        found = cls._interned.get(value) if type(value) is int else None
        if found is not None:
            return cast(_T, found)
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"{cls.__name__} needs an int, not {type(value).__name__}")
        number = int(value.__index__())
        if not 0 <= number < cls._LIMIT:
            raise InvalidValueError(f"{cls.__name__} value {_shown(number)}, want 0..{cls._LIMIT - 1}")
        if number in cls._interned:
            return cast(_T, cls._interned[number])
        made = object.__new__(cls)
        object.__setattr__(made, "value", number)
        if len(cls._interned) < 1 << 17:
            return cast(_T, cls._interned.setdefault(number, made))
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, type(self)) and self.value == other.value)

    def __hash__(self) -> int:
        return self.value

    # The order is that of the numbers; values of different kinds have none.

    def __lt__(self: _T, other: _T) -> bool:
        return self.value < other.value if type(self) is type(other) else NotImplemented

    def __le__(self: _T, other: _T) -> bool:
        return self.value <= other.value if type(self) is type(other) else NotImplemented

    def __gt__(self: _T, other: _T) -> bool:
        return self.value > other.value if type(self) is type(other) else NotImplemented

    def __ge__(self: _T, other: _T) -> bool:
        return self.value >= other.value if type(self) is type(other) else NotImplemented

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.value,))

    def __int__(self) -> int:
        return self.value

    def to_usi(self) -> str:
        raise NotImplementedError

    def __str__(self) -> str:
        return self.to_usi()

    def _repr_html_(self) -> str | None:
        from . import _html

        usi = self.to_usi()
        return None if usi == "invalid" else _html.of_move(Move.from_usi(usi))


class Move(_Interned):
    """A 16-bit move: to (bits 0-6), from or dropped PieceType (7-13), drop (14), promote (15).

    Any 16-bit value is accepted; ``is_normal`` tells whether it can be a move of the game. Values with from = to are special:
    Move.NONE, NULL, RESIGN, WIN, END.

    What a move is asked for often is looked up in the tables once and then kept with it.

    >>> Move.from_usi("7g7f").value
    7739
    >>> Move.from_usi("7g7f").flip_side()
    Move.from_usi('3c3d')
    >>> Move.from_usi("7g7f").label(Color.BLACK)
    59
    """

    __slots__ = ("_compact", "_flipped", "_labels", "_mirrored", "_usi")
    _LIMIT = 1 << 16
    _interned: ClassVar[dict[int, Move]] = {}
    _flipped: Move
    _mirrored: Move
    _labels: dict[int, int]  # by the side that moves, for those that have one
    _compact: dict[int, int]
    _usi: str

    NONE: ClassVar[Move]
    NULL: ClassVar[Move]
    RESIGN: ClassVar[Move]
    WIN: ClassVar[Move]
    END: ClassVar[Move]

    @classmethod
    def from_usi(cls, text: str) -> Move:
        """Reads USI: 7g7f, 8h2b+, P*5e, or none, null, 0000, resign, win, end. ParseError otherwise."""
        found = _from_usi.get(text)
        if found is not None:
            return found
        if not isinstance(text, str):
            raise TypeError(f"move must be str, not {type(text).__name__}")
        move = cls(_parse(text))
        _from_usi[text] = move
        return move

    @classmethod
    def make(cls, origin: int, to: int, promote: bool = False) -> Move:
        """A board move between two squares."""
        origin, to = (Square(_check_range(name, square, 0, 81)) for name, square in (("origin", origin), ("to", to)))
        if origin == to or origin.is_none or to.is_none:
            raise InvalidValueError(f"from {int(origin)} to {int(to)}, want two squares of 0..80")
        return cls(to | origin << 7 | (0x8000 if promote else 0))

    @classmethod
    def drop(cls, piece_type: int, to: int) -> Move:
        """A drop of a kind, pawn to gold."""
        kind, to = PieceType(piece_type), Square(_check_range("to", to, 0, 81))
        if not 1 <= kind <= 7 or to.is_none:
            raise InvalidValueError(f"drop of {kind!r} on {int(to)}, want a kind of 1..7 and a square of 0..80")
        return cls(to | kind << 7 | 0x4000)

    def to_usi(self) -> str:
        """USI text; the word of a special move; "invalid" for what is no move."""
        try:
            return self._usi
        except AttributeError:
            text = tables().usi[8 * self.value : 8 * self.value + 8].rstrip(b"\0").decode("ascii")
            return self._keep("_usi", text)

    @property
    def is_normal(self) -> bool:
        """Whether the value can be a move of the game."""
        return bool(tables().normal[self.value])

    @property
    def is_special(self) -> bool:
        """Whether it is NONE, NULL, RESIGN, WIN or END."""
        return self.value in (0, 129, 258, 387, 516)

    @property
    def is_drop(self) -> bool:
        """Whether the drop bit is set."""
        return bool(self.value & 0x4000)

    @property
    def is_promotion(self) -> bool:
        """Whether the promotion bit is set."""
        return bool(self.value & 0x8000)

    @property
    def to_square(self) -> Square:
        """Target of a normal move."""
        return _SQUARES[self.value & 127]

    @property
    def from_square(self) -> Square:
        """Origin of a board move; none for a drop."""
        return _SQUARES[81 if self.value & 0x4000 else self.value >> 7 & 127]

    @property
    def dropped_type(self) -> PieceType:
        """Kind of a drop; NONE for a board move."""
        return PieceType(self.value >> 7 & 15) if self.is_drop and self.is_normal else PieceType.NONE

    def flip_side(self) -> Move:
        """Both squares turned by 180 degrees; other than normal values stay."""
        try:
            return self._flipped
        except AttributeError:
            return self._keep("_flipped", Move(tables().flip_side[self.value]))

    def mirror_file(self) -> Move:
        """Files mirrored; other than normal values stay."""
        try:
            return self._mirrored
        except AttributeError:
            return self._keep("_mirrored", Move(tables().mirror_file[self.value]))

    def label(self, turn: int) -> int:
        """Policy label 0..2186 for the side that moves. InvalidValueError when the value is no move."""
        try:
            return self._labels[turn]
        except (AttributeError, LookupError, TypeError):
            return self._labelled("_labels", tables().label, turn)

    def compact_label(self, turn: int) -> int:
        """Label 0..1495 among those that can occur. InvalidValueError without one."""
        try:
            return self._compact[turn]
        except (AttributeError, LookupError, TypeError):
            return self._labelled("_compact", tables().compact, turn)

    def _labelled(self, name: str, by_turn: tuple[memoryview, memoryview], turn: int) -> int:
        side = Color(turn)
        labels = self._keep(name, {color: by_turn[color][self.value] for color in Color if by_turn[color][self.value] != NONE})
        if side not in labels:
            raise InvalidValueError(f"{self!r} has no such label")
        return labels[side]

    def _keep(self, name: str, found: _Found) -> _Found:
        object.__setattr__(self, name, found)
        return found

    def to_apery(self) -> AperyMove:
        """In Apery's layout. InvalidValueError for what is no move."""
        apery = tables().to_apery[self.value]
        if apery == NONE:
            raise InvalidValueError(f"{self!r} is no move")
        return AperyMove(apery)

    def __repr__(self) -> str:
        return f"Move.from_usi({self.to_usi()!r})" if self.is_normal or self.is_special else f"Move({self.value})"


_from_usi: dict[str, Move] = {}


def _parse(text: str) -> int:
    with reading("move", text):
        return _native.unsigned16("kmd_move_from_usi", *_native.encode(text))


class AperyMove(_Interned):
    """A 16-bit move in Apery's layout: to (0-6), from or 80 + dropped PieceType (7-13), promote (14)."""

    __slots__ = ()
    _LIMIT = 1 << 16
    _interned: ClassVar[dict[int, AperyMove]] = {}

    @property
    def is_normal(self) -> bool:
        """Whether the value can be a move of the game."""
        move = tables().from_apery[self.value]
        return move != NONE and bool(tables().normal[move])

    def to_move(self) -> Move:
        """As a Move. InvalidValueError for what is no move."""
        move = tables().from_apery[self.value]
        if move == NONE:
            raise InvalidValueError(f"AperyMove({self.value}) is no move")
        return Move(move)

    @classmethod
    def from_usi(cls, text: str) -> AperyMove:
        """Reads USI text."""
        return Move.from_usi(text).to_apery()

    def to_usi(self) -> str:
        """USI text; "invalid" for what is no move."""
        move = tables().from_apery[self.value]
        return "invalid" if move == NONE else Move(move).to_usi()

    def flip_side(self) -> AperyMove:
        """Both squares turned by 180 degrees; other than normal values stay."""
        return self.to_move().flip_side().to_apery() if self.is_normal else self

    def mirror_file(self) -> AperyMove:
        """Files mirrored; other than normal values stay."""
        return self.to_move().mirror_file().to_apery() if self.is_normal else self

    def __repr__(self) -> str:
        return f"AperyMove({self.value})"


class Move32(_Interned):
    """A Move with the piece as it stands after the move in bits 16-20; 0 there means that it is not set."""

    __slots__ = ()
    _LIMIT = 1 << 32
    _interned: ClassVar[dict[int, Move32]] = {}

    @classmethod
    def from_move(cls, move: Move, piece_after: int = 0) -> Move32:
        """Joins a move with the piece after it, or leaves that unset."""
        if not isinstance(move, Move):
            raise TypeError(f"move must be Move, not {type(move).__name__}")
        if piece_after and not (move.is_normal and piece_after & 15 not in (0, 15)):
            raise InvalidValueError(f"{move!r} with piece {int(piece_after)}")
        return cls(move.value | Piece(piece_after) << 16)

    def to_move(self) -> Move:
        """The lower half."""
        return Move(self.value & 0xFFFF)

    @property
    def piece_after(self) -> Piece:
        """The piece on the target after the move; empty when unset."""
        return Piece(self.value >> 16 & 31)

    @property
    def has_piece_info(self) -> bool:
        """Whether the piece is set."""
        return self.value >> 16 & 31 != 0

    @property
    def is_normal(self) -> bool:
        """Whether it is a normal move whose piece is unset or can stand on a board, with nothing above bit 20."""
        return self.value >> 21 == 0 and self.to_move().is_normal and (not self.has_piece_info or self.value >> 16 & 15 not in (0, 15))

    def flip_side(self) -> Move32:
        """Both squares turned and the piece given to the other side; other than normal values stay."""
        return Move32.from_move(self.to_move().flip_side(), self.piece_after.flip_side()) if self.is_normal else self

    def mirror_file(self) -> Move32:
        """Files mirrored; other than normal values stay."""
        return Move32(self.to_move().mirror_file().value | self.value & ~0xFFFF) if self.is_normal else self

    def to_usi(self) -> str:
        """USI text of the move."""
        return self.to_move().to_usi()

    def __repr__(self) -> str:
        return f"Move32({self.value:#x})"


class AperyMove32(_Interned):
    """An AperyMove with the PieceType before the move in bits 16-19 (0 = drop) and the captured one in bits 20-23: cshogi's move integer."""

    __slots__ = ()
    _LIMIT = 1 << 32
    _interned: ClassVar[dict[int, AperyMove32]] = {}

    def to_apery(self) -> AperyMove:
        """The lower half."""
        return AperyMove(self.value & 0xFFFF)

    def to_move(self) -> Move:
        """As a Move. InvalidValueError for what is no move."""
        return self.to_apery().to_move()

    @property
    def piece_type_before(self) -> PieceType:
        """The kind that moves; NONE for a drop."""
        return PieceType(self.value >> 16 & 15)

    @property
    def captured(self) -> PieceType:
        """The captured kind or NONE."""
        return PieceType(self.value >> 20 & 15)

    def to_move32(self, turn: int) -> Move32:
        """As a Move32, which needs the side that moves. InvalidValueError when the parts do not fit."""
        return Move32(_native.unsigned32("kmd_move32_from_apery32", self.value, Color(turn)))

    def flip_side(self) -> AperyMove32:
        """Both squares turned by 180 degrees; other than normal values stay."""
        return AperyMove32(self.value & ~0xFFFF | self.to_apery().flip_side().value)

    def mirror_file(self) -> AperyMove32:
        """Files mirrored; other than normal values stay."""
        return AperyMove32(self.value & ~0xFFFF | self.to_apery().mirror_file().value)

    def to_usi(self) -> str:
        """USI text of the move."""
        return self.to_apery().to_usi()

    def __repr__(self) -> str:
        return f"AperyMove32({self.value:#x})"


Move.NONE, Move.NULL, Move.RESIGN, Move.WIN, Move.END = (Move(129 * k) for k in range(5))
