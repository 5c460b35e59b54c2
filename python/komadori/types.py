"""The small values of the game: colors, squares, pieces, hands, sets of squares, results.

Numbers are those of docs/conventions.md, the same as in C and Go. All values are immutable, hashable, comparable and picklable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import EnumMeta
from operator import index
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex

from ._named import Named
from .errors import InvalidValueError, ParseError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_LETTERS = "?PLNSBRGK"
_GBR = (0, 1, 2, 3, 4, 6, 7, 5, 8, 9, 10, 11, 12, 13, 14, 15)
_FROM_GBR = (0, 1, 2, 3, 4, 7, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15)


class _Numbers(EnumMeta):
    """What makes Number strict: an enum of numbers by itself takes True and 1.0 for 1, because they are equal."""

    def __call__(cls, value: Any, *more: Any, **named: Any) -> Any:
        if type(value) is not int and not more and (isinstance(value, bool) or not hasattr(value, "__index__")):
            raise TypeError(f"{cls.__name__} must be int, not {type(value).__name__}")
        return super().__call__(value, *more, **named)


class Number(Named, metaclass=_Numbers):
    """Base of the numbers with names: InvalidValueError for numbers that are none of them, TypeError for what is no integer, bool among them."""

    @classmethod
    def _missing_(cls, value: object) -> Any:
        raise InvalidValueError(f"{value!r} is not a valid {cls.__name__}")


class Color(Number):
    """A side. Black (先手) moves first in an even game."""

    BLACK = 0
    WHITE = 1

    @property
    def opposite(self) -> Color:
        """The other side."""
        return Color(1 - self)

    def flip_side(self) -> Color:
        """The other side: the color's part in flipping a position."""
        return Color(1 - self)


class File(Number):
    """A file (筋), 0..8 for files 1..9."""

    NONE = -1
    FILE_1 = 0
    FILE_2 = 1
    FILE_3 = 2
    FILE_4 = 3
    FILE_5 = 4
    FILE_6 = 5
    FILE_7 = 6
    FILE_8 = 7
    FILE_9 = 8

    def mirror_file(self) -> File:
        """Files 1 and 9, 2 and 8, and so on exchanged; NONE stays."""
        return self if self == File.NONE else File(8 - self)


class Rank(Number):
    """A rank (段), 0..8 for ranks a..i (一..九)."""

    NONE = -1
    RANK_A = 0
    RANK_B = 1
    RANK_C = 2
    RANK_D = 3
    RANK_E = 4
    RANK_F = 5
    RANK_G = 6
    RANK_H = 7
    RANK_I = 8

    def is_in_promotion_zone(self, color: int) -> bool:
        """Whether it is one of a side's three far ranks."""
        return 0 <= self <= 2 if Color(color) == Color.BLACK else self >= 6

    def flip_side(self) -> Rank:
        """Turned by 180 degrees; NONE stays."""
        return self if self == Rank.NONE else Rank(8 - self)


class PieceType(Number):
    """A kind of piece without color. GOLD_LIKE is a class used in tables and never stands on a board."""

    NONE = 0
    PAWN = 1
    LANCE = 2
    KNIGHT = 3
    SILVER = 4
    BISHOP = 5
    ROOK = 6
    GOLD = 7
    KING = 8
    PRO_PAWN = 9
    PRO_LANCE = 10
    PRO_KNIGHT = 11
    PRO_SILVER = 12
    HORSE = 13
    DRAGON = 14
    GOLD_LIKE = 15

    @property
    def is_promotable(self) -> bool:
        """Whether the kind can promote: pawn to rook."""
        return 1 <= self <= 6

    @property
    def is_promoted(self) -> bool:
        """Whether it is a promoted kind; GOLD_LIKE is not."""
        return 9 <= self <= 14

    @property
    def is_unpromotable(self) -> bool:
        """Gold and everything numbered above it."""
        return self >= 7

    def promote(self) -> PieceType:
        """The promoted kind, or itself when it cannot promote."""
        return PieceType(self + 8) if self.is_promotable else self

    def demote(self) -> PieceType:
        """The unpromoted kind of a promoted one, else itself."""
        return PieceType(self - 8) if self.is_promoted else self

    @property
    def gbr(self) -> int:
        """Number in the order with gold before bishop and rook (P L N S G B R K)."""
        return _GBR[self]

    @classmethod
    def from_gbr(cls, number: int) -> PieceType:
        """Inverse of gbr."""
        _check_range("piece type", number, 0, 15)
        return cls(_FROM_GBR[number])

    def to_usi(self) -> str:
        """Upper-case letter, with + when promoted."""
        if self in (PieceType.NONE, PieceType.GOLD_LIKE):
            raise InvalidValueError(f"{self!r} has no letter")
        return ("+" if self.is_promoted else "") + _LETTERS[self.demote()]

    @classmethod
    def from_usi(cls, text: str) -> PieceType:
        """Inverse of to_usi."""
        return Piece.from_usi(text.upper() if isinstance(text, str) else text).type


class HandPiece(Number):
    """The kinds that can be in hand, in the order P L N S B R G."""

    PAWN = 0
    LANCE = 1
    KNIGHT = 2
    SILVER = 3
    BISHOP = 4
    ROOK = 5
    GOLD = 6

    @property
    def type(self) -> PieceType:
        """The kind."""
        return PieceType(self + 1)


class GameResult(Number):
    """Who won."""

    BLACK_WIN = 0
    WHITE_WIN = 1
    DRAW = 2

    def flip_side(self) -> GameResult:
        """The result after the sides are exchanged."""
        return self if self == GameResult.DRAW else GameResult(1 - self)


class GameEnd(Number):
    """How a game ended, in the codes that rsshogi stores."""

    BLACK_WIN = 0
    WHITE_WIN = 1
    DRAW_BY_REPETITION = 2
    ERROR = 3
    BLACK_WIN_BY_DECLARATION = 4
    WHITE_WIN_BY_DECLARATION = 5
    DRAW_BY_MAX_PLIES = 6
    INVALID = 7
    BLACK_WIN_BY_FORFEIT = 8
    WHITE_WIN_BY_FORFEIT = 9
    DRAW_BY_IMPASSE = 10
    PAUSED = 11
    BLACK_WIN_BY_ILLEGAL_MOVE = 12
    WHITE_WIN_BY_ILLEGAL_MOVE = 13
    DRAW_BY_ADJUDICATION = 14
    BLACK_WIN_BY_TIMEOUT = 16
    WHITE_WIN_BY_TIMEOUT = 17
    BLACK_WIN_BY_TRY_RULE = 20
    WHITE_WIN_BY_TRY_RULE = 21

    @property
    def result(self) -> GameResult | None:
        """Who won; None when the game has no result (error, invalid, paused)."""
        if self.name.startswith("DRAW"):
            return GameResult.DRAW
        if self in (GameEnd.ERROR, GameEnd.INVALID, GameEnd.PAUSED):
            return None
        return GameResult(self & 1)


class Style(Number):
    """A way to write one move; docs/formats.md says what is written and what is read beyond that."""

    USI = 1  # 7g7f, 8h2b+, B*5e
    CSA = 2  # +7776FU, -0055KA
    KIF = 3  # ７六歩(77), 同　銀(31), ５五角打
    KI2 = 4  # ▲７六歩, △同　銀, ▲５八金右
    WESTERN = 5  # P-7f, Bx2b+, B*5e, G6i-5h


class MoveKind(Number):
    """Sets of moves of the side to move; docs/conventions.md defines them. CAPTURES and QUIETS together are ALL and share no move."""

    ALL = 0
    PSEUDO_LEGAL = 1
    SEARCH = 2
    CAPTURES = 3
    QUIETS = 4
    EVASIONS = 5
    CHECKS = 6
    RECAPTURES = 7
    DROPS = 8
    TACTICAL = 9


class RepetitionState(Number):
    """Verdict on a returning position, seen by the side to move."""

    NONE = 0
    WIN = 1
    LOSE = 2
    DRAW = 3
    SUPERIOR = 4
    INFERIOR = 5

    @classmethod
    def from_cshogi(cls, number: int) -> RepetitionState:
        """Reads the order none, draw, win, lose, superior, inferior of cshogi and dlshogi."""
        _check_range("repetition state", number, 0, 5)
        return cls((0, 3, 1, 2, 4, 5)[number])

    @property
    def cshogi(self) -> int:
        """The number in cshogi's order."""
        return (0, 2, 3, 1, 4, 5)[self]

    def flip_side(self) -> RepetitionState:
        """The verdict seen from the other side."""
        return RepetitionState((0, 2, 1, 3, 5, 4)[self])


class EnteringKingRule(Number):
    """When a player may declare a win (入玉宣言)."""

    NONE = 0
    CSA24 = 1
    CSA24_HANDICAP = 2
    CSA27 = 3
    CSA27_HANDICAP = 4
    TRY = 5

    @classmethod
    def from_name(cls, text: str) -> EnteringKingRule:
        """Reads the names of this library, of YaneuraOu's option and of rsshogi, in any case."""
        if not isinstance(text, str):
            raise TypeError(f"a rule's name must be str, not {type(text).__name__}")
        for rule, names in _RULE_NAMES.items():
            if text.lower() in names:
                return cls(rule)
        raise ParseError(f"entering-king rule {text[:60]!r}, want one of {', '.join(r.name for r in cls)}", text=text, offset=0)


_RULE_NAMES = {
    0: ("none", "noenteringking"),
    1: ("csa24", "cs24point", "csarule24", "point24"),
    2: ("csa24_handicap", "cs24pointhandicap", "csarule24h", "point24handicap"),
    3: ("csa27", "cs27point", "csarule27", "point27"),
    4: ("csa27_handicap", "cs27pointhandicap", "csarule27h", "point27handicap"),
    5: ("try", "tryrule"),
}


def _check_range(what: str, value: Any, low: int, high: int) -> int:
    """The value as an int; NumPy's integers are integers too."""
    if type(value) is not int:
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"{what} must be int, not {type(value).__name__}")
        value = index(value)
    if not low <= value <= high:
        raise InvalidValueError(f"{what} {_shown(value)}, want {low}..{high}")
    return int(value)


def _several(name: str, values: Any, of: str) -> Any:
    """Values that can be gone through, which a text is not meant to be."""
    if isinstance(values, str) or not (hasattr(values, "__iter__") or hasattr(values, "__getitem__")):
        raise TypeError(f"{name} must be several {of}, not {type(values).__name__}")
    return values


def _shown(value: int) -> str:
    """A number for a message; Python refuses to write down those of thousands of digits."""
    return str(value) if value.bit_length() <= 128 else f"of {value.bit_length()} bits"


_FILES = [File(sq // 9) for sq in range(81)] + [File.NONE]
_RANKS = [Rank(sq % 9) for sq in range(81)] + [Rank.NONE]


class Square(int):
    """One of the 81 squares, 9*file + rank: 1a (1一) = 0, 9i (9九) = 80. 81 is none. An int, so that it indexes arrays."""

    __slots__ = ()

    NONE: ClassVar[Square]

    def __new__(cls, value: int) -> Square:
        return int.__new__(cls, _check_range("square", value, 0, 81))

    @classmethod
    def from_usi(cls, text: str) -> Square:
        """Reads two characters such as 7g."""
        if not isinstance(text, str):
            raise TypeError(f"square must be str, not {type(text).__name__}")
        if len(text) != 2 or text[0] not in "123456789" or text[1] not in "abcdefghi":
            raise ParseError(f"square {text[:60]!r}, want a file 1..9 and a rank a..i", text=text, offset=0)
        return cls(9 * (ord(text[0]) - ord("1")) + ord(text[1]) - ord("a"))

    @classmethod
    def from_row_major(cls, index: int) -> Square:
        """Reads the index 9*rank + (8 - file) that row-major boards use."""
        _check_range("row-major index", index, 0, 80)
        return cls(9 * (8 - index % 9) + index // 9)

    @property
    def is_none(self) -> bool:
        """Whether it is no square of the board."""
        return self == 81

    @property
    def file(self) -> File:
        """The file, 0..8 for files 1..9; File.NONE for none."""
        return _FILES[self]

    @property
    def rank(self) -> Rank:
        """The rank, 0..8 for ranks a..i; Rank.NONE for none."""
        return _RANKS[self]

    @classmethod
    def make(cls, file: int, rank: int) -> Square:
        """Joins a file and a rank, 0..8 each; NONE when either is."""
        file, rank = File(file), Rank(rank)
        return cls(81) if File.NONE == file or Rank.NONE == rank else cls(9 * file + rank)

    @property
    def row_major(self) -> int:
        """9*rank + (8 - file), 7g = 56; 81 for none."""
        return 81 if self == 81 else 9 * self.rank + 8 - self.file

    def flip_side(self) -> Square:
        """Turned by 180 degrees; none stays."""
        return self if self == 81 else Square(80 - self)

    def mirror_file(self) -> Square:
        """Files 1 and 9, 2 and 8, and so on exchanged; none stays."""
        return self if self == 81 else Square(9 * (8 - self.file) + self.rank)

    def to_usi(self) -> str:
        """Two characters such as 7g; "none" for none."""
        return "none" if self == 81 else f"{self.file + 1}{'abcdefghi'[self.rank]}"

    def __repr__(self) -> str:
        return "Square(81)" if self == 81 else f"Square.from_usi({self.to_usi()!r})"

    __str__ = to_usi

    def __reduce__(self) -> tuple[Any, ...]:
        return (Square, (int(self),))


Square.NONE = Square(81)


class Piece(int):
    """A kind with its color: type + 16 for White; 0 is an empty square. An int, so that it indexes arrays."""

    __slots__ = ()

    def __new__(cls, value: int) -> Piece:
        value = _check_range("piece", value, 0, 31)
        if value == 16:
            raise InvalidValueError("piece 16 does not exist, want 0..15 or 17..31")
        return int.__new__(cls, value)

    @classmethod
    def from_parts(cls, color: int, piece_type: int) -> Piece:
        """Joins color and kind; empty for NONE."""
        kind = PieceType(piece_type)
        return cls(kind + 16 * Color(color) if kind else 0)

    @classmethod
    def from_usi(cls, text: str) -> Piece:
        """Reads the SFEN form: P, +r, k."""
        if not isinstance(text, str):
            raise TypeError(f"piece must be str, not {type(text).__name__}")
        letter = text[1:] if text.startswith("+") else text
        if len(letter) == 1 and letter.isascii() and letter != "?" and letter.upper() in _LETTERS:
            kind = PieceType(_LETTERS.index(letter.upper()))
            if not text.startswith("+") or kind.is_promotable:
                kind = kind.promote() if text.startswith("+") else kind
                return cls.from_parts(int(letter.islower()), kind)
        raise ParseError(f"piece {text[:60]!r}, want a letter of PLNSBRGK, with + before it when promoted", text=text, offset=0)

    @property
    def color(self) -> Color:
        """The owner; BLACK for an empty square."""
        return Color(self >> 4)

    @property
    def type(self) -> PieceType:
        """The kind."""
        return PieceType(self & 15)

    @property
    def is_empty(self) -> bool:
        """Whether it is no piece."""
        return self == 0

    def promote(self) -> Piece:
        """Promotes the kind and keeps the color."""
        return Piece(self & 16 | self.type.promote())

    def demote(self) -> Piece:
        """Takes the promotion off and keeps the color."""
        return Piece(self & 16 | self.type.demote())

    def flip_side(self) -> Piece:
        """Gives the piece to the other side; empty stays."""
        return Piece(self ^ 16) if self else self

    @property
    def signed(self) -> int:
        """Signed code of row-major boards: + Black, - White, kinds in the order with gold before bishop and rook."""
        return -self.type.gbr if self >> 4 else self.type.gbr

    @classmethod
    def from_signed(cls, number: int) -> Piece:
        """Inverse of signed."""
        _check_range("signed piece", number, -14, 14)
        return cls.from_parts(int(number < 0), PieceType.from_gbr(abs(number)))

    @property
    def flagged(self) -> int:
        """Byte with separate flags: bits 0-3 unpromoted kind in GBR order, bit 4 White, bit 5 promoted; 0 empty."""
        return self.type.demote().gbr | self & 16 | (32 if self.type.is_promoted else 0)

    @classmethod
    def from_flagged(cls, byte: int) -> Piece:
        """Inverse of flagged."""
        _check_range("flagged piece", byte, 0, 63)
        if byte == 0:
            return cls(0)
        kind = byte & 15
        if not 1 <= kind <= 8 or (byte & 32 and kind in (5, 8)):
            raise InvalidValueError(f"byte 0x{byte:02x} is no piece")
        found = PieceType.from_gbr(kind)
        return cls.from_parts(byte >> 4 & 1, found.promote() if byte & 32 else found)

    def to_usi(self) -> str:
        """SFEN form: upper case for Black, lower case for White."""
        text = self.type.to_usi()
        return text.lower() if self >> 4 else text

    def __repr__(self) -> str:
        return f"Piece({int(self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Piece, (int(self),))


_SHIFT = (0, 8, 12, 16, 20, 24, 28)
_MASK = (31, 7, 7, 7, 3, 3, 7)
_MEN = (18, 4, 4, 4, 2, 2, 4)
_BORROW = 1 << 5 | 1 << 11 | 1 << 15 | 1 << 19 | 1 << 22 | 1 << 26 | 1 << 31


class Hand:
    """What a side holds, packed in 32 bits (docs/conventions.md). Immutable."""

    __slots__ = ("value",)
    value: int

    def __init__(self, value: int = 0) -> None:
        value = _check_range("hand", value, 0, 2**32 - 1)
        object.__setattr__(self, "value", value)
        if sum(n << s for n, s in zip(self.counts, _SHIFT, strict=True)) != value:
            raise InvalidValueError(f"hand 0x{value:08x} sets bits outside the counts")
        for kind, n in enumerate(self.counts):
            if n > _MEN[kind]:
                raise InvalidValueError(f"hand holds {n} of {HandPiece(kind).name}, want 0..{_MEN[kind]}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("Hand is immutable")

    @classmethod
    def from_counts(cls, counts: Iterable[int]) -> Hand:
        """From seven counts in the order P L N S B R G."""
        numbers = list(counts)
        if len(numbers) != 7:
            raise ValueError(f"{len(numbers)} counts, want 7 in the order P L N S B R G")
        checked = [_check_range(f"count of {HandPiece(kind).name}", n, 0, _MEN[kind]) for kind, n in enumerate(numbers)]
        return cls(sum(n << s for n, s in zip(checked, _SHIFT, strict=True)))

    @classmethod
    def from_counts_gbr(cls, counts: Iterable[int]) -> Hand:
        """From seven counts in the order P L N S G B R."""
        p, lance, n, s, g, b, r = counts
        return cls.from_counts((p, lance, n, s, b, r, g))

    @property
    def counts(self) -> tuple[int, ...]:
        """Seven counts in the order P L N S B R G."""
        return tuple(self.value >> s & m for s, m in zip(_SHIFT, _MASK, strict=True))

    @property
    def counts_gbr(self) -> tuple[int, ...]:
        """Seven counts in the order P L N S G B R."""
        p, lance, n, s, b, r, g = self.counts
        return (p, lance, n, s, g, b, r)

    def count(self, piece_type: int) -> int:
        """Number of pieces of a kind; InvalidValueError for kinds that cannot be in hand."""
        piece_type = _check_range("kind in hand", piece_type, 1, 7)
        return self.counts[piece_type - 1]

    def add(self, piece_type: int, n: int = 1) -> Hand:
        """The hand with n more of an unpromoted kind: demote a captured piece first."""
        piece_type, n = _check_range("kind in hand", piece_type, 1, 7), _check_range("number of pieces", n, -18, 18)
        have = self.count(piece_type)
        _check_range(f"count of {PieceType(piece_type).name}", have + n, 0, _MEN[piece_type - 1])
        return Hand(self.value + (n << _SHIFT[piece_type - 1]))

    def sub(self, piece_type: int, n: int = 1) -> Hand:
        """The hand with n fewer of a kind."""
        return self.add(piece_type, -_check_range("number of pieces", n, -18, 18))

    def is_superior_or_equal(self, other: Hand) -> bool:
        """Whether there is at least as much of every kind as in the other hand."""
        if not isinstance(other, Hand):
            raise TypeError(f"hand must be Hand, not {type(other).__name__}")
        return (self.value - other.value) & _BORROW == 0

    def __len__(self) -> int:
        return sum(self.counts)

    def __bool__(self) -> bool:
        return self.value != 0

    def __eq__(self, other: object) -> bool:
        return self.value == other.value if isinstance(other, Hand) else NotImplemented

    def __hash__(self) -> int:
        return hash((Hand, self.value))

    def __repr__(self) -> str:
        return f"Hand.from_counts({self.counts})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Hand, (self.value,))


_ALL = (1 << 81) - 1


class Bitboard:
    """A set of squares, with the operators of sets. Immutable."""

    __slots__ = ("value",)
    value: int

    def __init__(self, squares: Iterable[int] = ()) -> None:
        bits = 0
        for sq in squares:
            bits |= 1 << _check_range("square", sq, 0, 80)
        object.__setattr__(self, "value", bits)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("Bitboard is immutable")

    @classmethod
    def from_value(cls, bits: int) -> Bitboard:
        """From an int whose bit n is square n."""
        made = cls.__new__(cls)
        object.__setattr__(made, "value", _check_range("bitboard", bits, 0, _ALL))
        return made

    @classmethod
    def from_words(cls, low: int, high: int) -> Bitboard:
        """From two words: squares 0..62 and 63..80."""
        return cls.from_value(_check_range("low word", low, 0, 2**63 - 1) | _check_range("high word", high, 0, 2**18 - 1) << 63)

    @property
    def words(self) -> tuple[int, int]:
        """Two words: squares 0..62 and 63..80."""
        return self.value & (2**63 - 1), self.value >> 63

    def __contains__(self, square: object) -> bool:
        if not isinstance(square, SupportsIndex):
            return False
        number = square.__index__()
        return 0 <= number <= 80 and bool(self.value >> number & 1)

    def __iter__(self) -> Iterator[Square]:
        bits = self.value
        while bits:
            low = bits & -bits
            yield Square(low.bit_length() - 1)
            bits ^= low

    def __len__(self) -> int:
        return self.value.bit_count()

    def __bool__(self) -> bool:
        return self.value != 0

    def __or__(self, other: Bitboard) -> Bitboard:
        return Bitboard.from_value(self.value | other.value) if isinstance(other, Bitboard) else NotImplemented

    def __and__(self, other: Bitboard) -> Bitboard:
        return Bitboard.from_value(self.value & other.value) if isinstance(other, Bitboard) else NotImplemented

    def __xor__(self, other: Bitboard) -> Bitboard:
        return Bitboard.from_value(self.value ^ other.value) if isinstance(other, Bitboard) else NotImplemented

    def __sub__(self, other: Bitboard) -> Bitboard:
        return Bitboard.from_value(self.value & ~other.value) if isinstance(other, Bitboard) else NotImplemented

    def __invert__(self) -> Bitboard:
        return Bitboard.from_value(_ALL ^ self.value)

    def __le__(self, other: Bitboard) -> bool:
        return self.value & ~other.value == 0 if isinstance(other, Bitboard) else NotImplemented

    def __lt__(self, other: Bitboard) -> bool:
        return self <= other and self.value != other.value if isinstance(other, Bitboard) else NotImplemented

    def to_numpy(self, order: str = "file_major") -> npt.NDArray[np.bool_]:
        """A 9 x 9 plane, dtype bool: [file, rank], or with order="row_major" [rank, 8 - file] as boards are printed. A new array."""
        import numpy

        bits = numpy.frombuffer(self.value.to_bytes(11, "little"), dtype=numpy.uint8)
        by_file: npt.NDArray[np.bool_] = numpy.unpackbits(bits, count=81, bitorder="little").reshape(9, 9).astype(numpy.bool_)
        if order == "file_major":
            return by_file
        if order == "row_major":
            return numpy.ascontiguousarray(by_file[::-1].T)
        raise ValueError(f"order {order!r}, want 'file_major' or 'row_major'")

    def flip_side(self) -> Bitboard:
        """Turned by 180 degrees."""
        return Bitboard(80 - sq for sq in self)

    def mirror_file(self) -> Bitboard:
        """Files 1 and 9, 2 and 8, and so on exchanged."""
        return Bitboard(sq.mirror_file() for sq in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bitboard) and self.value == other.value

    def __hash__(self) -> int:
        return hash((Bitboard, self.value))

    def __repr__(self) -> str:
        return f"Bitboard([{', '.join(str(int(sq)) for sq in self)}])"

    def __str__(self) -> str:
        return "\n".join("".join("*" if 9 * f + r in self else "." for f in range(8, -1, -1)) for r in range(9))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Bitboard.from_value, (self.value,))


class Eval(int):
    """A stored 16-bit evaluation, side to move's view: centipawns within ±32000, special (engines' mate scores) beyond."""

    __slots__ = ()

    def __new__(cls, value: int) -> Eval:
        return int.__new__(cls, _check_range("evaluation", value, -32768, 32767))

    @classmethod
    def saturate(cls, value: int) -> Eval:
        """The nearest 16-bit evaluation."""
        return cls(max(-32768, min(32767, index(value))))

    @property
    def is_cp(self) -> bool:
        """Whether it is in centipawns."""
        return -32000 <= self <= 32000

    @property
    def is_special(self) -> bool:
        """Whether it lies beyond ±32000."""
        return not self.is_cp

    def flip_side(self) -> Eval:
        """Seen from the other side."""
        return Eval.saturate(-self)

    def __repr__(self) -> str:
        return f"Eval({int(self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Eval, (int(self),))
