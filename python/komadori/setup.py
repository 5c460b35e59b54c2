"""Setups: positions as they are put up on a board, and the starts of handicap games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex

from . import _abi as abi
from . import _native
from .errors import InvalidValueError, Problem, reading
from .types import Color, Hand, Number, Piece, PieceType, _check_range, _several

if TYPE_CHECKING:
    from .board import Board
    from .svg import ArrowLike, Coordinates, Drawing, Heat, Theme

_ROOM = (31, 7, 7, 7, 3, 3, 7)  # how many of a kind a hand has room for, P L N S B R G


class Handicap(Number):
    """What White gives: its men that are taken off before an even game begins (手合割).

    White (上手) moves first in all but the even game. Left and right are White's own: its left lance stands on 1a.

    >>> Handicap.from_name("二枚落ち"), Handicap.from_name("2-piece").japanese
    (<Handicap.TWO_PIECE: 6>, '二枚落ち')
    """

    EVEN = 0
    LANCE = 1
    RIGHT_LANCE = 2
    BISHOP = 3
    ROOK = 4
    ROOK_LANCE = 5
    TWO_PIECE = 6
    THREE_PIECE = 7
    FOUR_PIECE = 8
    FIVE_PIECE = 9
    LEFT_FIVE_PIECE = 10
    SIX_PIECE = 11
    LEFT_SEVEN_PIECE = 12
    RIGHT_SEVEN_PIECE = 13
    EIGHT_PIECE = 14
    TEN_PIECE = 15
    OTHER = 16  # any other start

    @classmethod
    def from_name(cls, name: str) -> Handicap:
        """Reads a name: Japanese with or without 落ち, English ("two-piece", "2 pieces", "RIGHT_LANCE"), presets of JKF files. ParseError.

        Case, blanks and hyphens do not matter.
        """
        if not isinstance(name, str):
            raise TypeError(f"a handicap's name must be str, not {type(name).__name__}")
        with reading("handicap", name):
            return cls(_native.number("kmd_handicap_from_name", *_native.encode(name)))

    @classmethod
    def of(cls, position: Setup | Board) -> Handicap:
        """Whose start a position is by board, hands and side to move, whatever the ply; OTHER for all others.

        >>> from komadori import Board
        >>> Handicap.of(Board())
        <Handicap.EVEN: 0>
        """
        setup = position if isinstance(position, Setup) else Setup.from_board(position)
        return cls(_native.number("kmd_setup_to_handicap", _native.reference(setup._struct())))

    @property
    def english(self) -> str:
        """The name in English, such as two-piece."""
        return _native.text("kmd_handicap_name", int(self), 0)

    @property
    def japanese(self) -> str:
        """The name in the header 手合割 of KIF files, such as 二枚落ち."""
        return _native.text("kmd_handicap_name", int(self), 1)


class SetupHand:
    """One side's hand in a setup: counts by kind that can be changed. There is room for more than exist, which is a problem then.

    Args:
        hand: A hand, or seven counts in the order P L N S B R G.

    >>> hand = Setup().hands[Color.BLACK]
    >>> hand[PieceType.GOLD] = 2
    >>> hand[PieceType.PAWN] += 1
    >>> hand
    <SetupHand: 2G P>
    """

    __slots__ = ("_counts",)

    def __init__(self, hand: Hand | SetupHand | Iterable[int] = (0,) * 7) -> None:
        self._counts = bytearray(7)
        self.set(hand)

    @property
    def counts(self) -> tuple[int, ...]:
        """Seven counts in the order P L N S B R G."""
        return tuple(self._counts)

    def set(self, hand: Hand | SetupHand | Iterable[int]) -> None:
        """Takes over a hand, or seven counts in the order P L N S B R G."""
        counts = list(hand.counts if isinstance(hand, Hand | SetupHand) else hand)
        if len(counts) != 7:
            raise ValueError(f"{len(counts)} counts, want 7 in the order P L N S B R G")
        self._counts[:] = bytes(_check_range(f"count of {PieceType(k + 1).name}", n, 0, _ROOM[k]) for k, n in enumerate(counts))

    def clear(self) -> None:
        """Empties the hand."""
        self._counts[:] = bytes(7)

    def __getitem__(self, piece_type: int) -> int:
        return self._counts[_check_range("kind in hand", piece_type, 1, 7) - 1]

    def __setitem__(self, piece_type: int, n: int) -> None:
        kind = _check_range("kind in hand", piece_type, 1, 7)
        self._counts[kind - 1] = _check_range(f"count of {PieceType(kind).name}", n, 0, _ROOM[kind - 1])

    def __len__(self) -> int:
        """Number of pieces."""
        return sum(self._counts)

    def __iter__(self) -> Iterator[PieceType]:
        """The kinds of which there are some."""
        return (PieceType(k + 1) for k, n in enumerate(self._counts) if n)

    def __eq__(self, other: object) -> bool:
        return self.counts == other.counts if isinstance(other, SetupHand | Hand) else NotImplemented

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return (SetupHand, (self.counts,))

    def __repr__(self) -> str:
        held = [f"{self[k] if self[k] > 1 else ''}{PieceType(k).to_usi()}" for k in (6, 5, 7, 4, 3, 2, 1) if self[k]]
        return f"<SetupHand: {' '.join(held) or 'nothing'}>"


class Setup:
    """A board, two hands, a side to move and a ply that can be changed at will: anything that a diagram shows, legal or not.

    Index it by square. ``problems()`` lists what is wrong or odd, all of it; ``to_board()`` makes a Board of what breaks no rule. Men that are neither on
    the board nor in a hand are in the box (駒箱).

    Args:
        sfen: SFEN of any setup, or None for an empty board with Black to move. ParseError.

    A mate problem (詰将棋), where the defender holds all that is not shown:

    >>> from komadori import Square
    >>> setup = Setup()
    >>> setup[Square.from_usi("5a")] = Piece.from_usi("k")
    >>> setup[Square.from_usi("5c")] = Piece.from_usi("P")
    >>> setup.hands[Color.BLACK][PieceType.GOLD] = 1
    >>> setup.give_box(Color.WHITE)
    >>> setup.to_sfen()
    '4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1'
    >>> [str(problem) for problem in setup.problems()], setup.is_position()
    (['no king (black)'], True)
    >>> setup.to_board().mate_in_one()
    Move.from_usi('G*5b')
    """

    __slots__ = ("_hands", "_pieces", "_ply", "_turn")

    def __init__(self, sfen: str | None = None) -> None:
        self._pieces = bytearray(81)
        self._hands = (SetupHand(), SetupHand())
        self._turn, self._ply = Color.BLACK, 1
        if sfen is not None:
            self._read(abi.KMD_TEXT_SFEN, sfen)

    # ---------------------------------------------------------------------------------------------------- Making

    @classmethod
    def from_sfen(cls, sfen: str) -> Setup:
        """Reads SFEN with or without the ply, of more men than exist too: a hand has room for 31 pawns, 3 bishops and rooks, 7 of the others. ParseError."""
        return cls()._read(abi.KMD_TEXT_SFEN, sfen)

    @classmethod
    def from_csa(cls, text: str) -> Setup:
        """Reads the position lines of CSA, alone or at the head of a record, of which nothing behind the side to move is looked at. ParseError."""
        return cls()._read(abi.KMD_TEXT_CSA, text)

    @classmethod
    def from_bod(cls, text: str) -> Setup:
        """Reads the diagram (盤面図) or the header 手合割 of KIF, alone or at the head of a record, of which no move is looked at. ParseError."""
        return cls()._read(abi.KMD_TEXT_BOD, text)

    @classmethod
    def from_plain(cls, text: str) -> Setup:
        """Reads what ``str()`` of a setup or board gives. ParseError."""
        return cls()._read(abi.KMD_TEXT_PLAIN, text)

    @classmethod
    def from_board(cls, board: Board) -> Setup:
        """The position of a board, without its history."""
        _native.check_board(board)
        return board.setup()

    @classmethod
    def from_pieces(cls, pieces: Iterable[int], hands: Iterable[Hand | SetupHand | Iterable[int]] = (), turn: int = 0, ply: int = 1) -> Setup:
        """From 81 pieces by square, the hands of Black and White (Hand, or counts in the order P L N S B R G), the side to move and the ply."""
        setup = cls()
        numbers = [_piece(p) for p in _several("pieces", pieces, "numbers")]
        if len(numbers) != 81:
            raise ValueError(f"{len(numbers)} pieces, want 81")
        setup._pieces[:] = bytes(numbers)
        given = list(_several("hands", hands, "hands"))
        if len(given) not in (0, 2):
            raise ValueError(f"{len(given)} hands, want those of Black and White")
        for own, hand in zip(setup._hands, given, strict=False):
            own.set(hand)
        setup.turn, setup.ply = Color(turn), ply
        return setup

    @classmethod
    def handicap(cls, handicap: str | int) -> Setup:
        """The start of a game by handicap: a name in Japanese or English, or a Handicap. ParseError, InvalidValueError for Handicap.OTHER.

        >>> Setup.handicap("six-piece").to_sfen()
        '2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'
        """
        value = Handicap.from_name(handicap) if isinstance(handicap, str) else Handicap(handicap)
        struct = _native.struct(abi.kmd_setup)
        _native.call("kmd_setup_handicap", int(value), _native.reference(struct))
        return cls()._take(struct)

    def copy(self) -> Setup:
        """A copy that is changed on its own."""
        return Setup()._take(self._struct())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Setup:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return (Setup, (self.to_sfen(),))

    def flip_side(self) -> Setup:
        """A new setup, turned by 180 degrees with the sides exchanged. It keeps the ply."""
        return self._derive("kmd_setup_flip_side")

    def mirror_file(self) -> Setup:
        """A new setup with files 1 and 9, 2 and 8, and so on exchanged. It keeps the ply."""
        return self._derive("kmd_setup_mirror_file")

    # --------------------------------------------------------------------------------------------------- Editing

    @property
    def turn(self) -> Color:
        """Side to move."""
        return self._turn

    @turn.setter
    def turn(self, color: int) -> None:
        self._turn = Color(color)

    @property
    def ply(self) -> int:
        """Counts from 1."""
        return self._ply

    @ply.setter
    def ply(self, ply: int) -> None:
        self._ply = _check_range("ply", ply, 1, 2**31 - 1)

    @property
    def hands(self) -> tuple[SetupHand, SetupHand]:
        """What Black and White hold, to be looked at and changed."""
        return self._hands

    def __getitem__(self, square: SupportsIndex) -> Piece:
        """The piece on a square; empty when there is none."""
        return Piece(self._pieces[_square(square)])

    def __iter__(self) -> Iterator[Piece]:
        """The 81 pieces by square, as they are now."""
        return iter([Piece(p) for p in self._pieces])

    def __setitem__(self, square: SupportsIndex, piece: int) -> None:
        """Puts a piece on a square in place of what stands there; an empty piece takes it away."""
        self._pieces[_square(square)] = _piece(piece)

    def __delitem__(self, square: SupportsIndex) -> None:
        """Empties a square."""
        self._pieces[_square(square)] = 0

    def take(self, square: SupportsIndex) -> Piece:
        """Empties a square and gives what stood there."""
        piece = self[square]
        del self[square]
        return piece

    def move(self, origin: SupportsIndex, to: SupportsIndex) -> None:
        """Puts what stands on one square on another, in place of what stands there. No rule is asked. InvalidValueError when nothing stands there."""
        source, target = _square(origin, "origin"), _square(to, "to")
        if not self._pieces[source]:
            raise InvalidValueError(f"nothing stands on square {source}")
        piece, self._pieces[source] = self._pieces[source], 0
        self._pieces[target] = piece

    def swap(self, a: SupportsIndex, b: SupportsIndex) -> None:
        """Exchanges what stands on two squares."""
        a, b = _square(a, "a"), _square(b, "b")
        self._pieces[a], self._pieces[b] = self._pieces[b], self._pieces[a]

    def clear(self) -> None:
        """Puts all men into the box: an empty board with Black to move, ply 1."""
        self._pieces[:] = bytes(81)
        for hand in self._hands:
            hand.clear()
        self._turn, self._ply = Color.BLACK, 1

    def box(self) -> dict[PieceType, int]:
        """The men of a full set that are neither on the board nor in a hand, by kind, kings among them. Kinds that are used up are left out."""
        counts = _native.raw("kmd_setup_box", 8, _native.reference(self._struct()))
        return {PieceType(k + 1): n for k, n in enumerate(counts) if n}

    def give_box(self, color: int) -> None:
        """Puts all men of the box but kings into a side's hand."""
        struct = self._struct()
        _native.call("kmd_setup_give_box", _native.reference(struct), int(Color(color)))
        self._take(struct)

    # --------------------------------------------------------------------------------------------------- Asking

    def pieces(self) -> bytes:
        """Piece numbers by square, 81 bytes."""
        return bytes(self._pieces)

    def problems(self) -> list[Problem]:
        """Everything that is wrong or odd, first by color and square, then by kind."""
        return _native.setup_problems(self._struct())

    def is_position(self) -> bool:
        """Whether ``to_board()`` accepts it: missing kings, and the side not to move in check, are fine."""
        return all(problem.kind.is_accepted for problem in self.problems())

    def to_board(self) -> Board:
        """A board. InvalidPositionError, whose ``problems`` are all that there are."""
        from .board import Board

        return Board.from_setup(self)

    def to_sfen(self, *, ply: bool = True) -> str:
        """SFEN with or without the ply."""
        return self._write(abi.KMD_TEXT_SFEN if ply else abi.KMD_TEXT_SFEN_WITHOUT_PLY)

    def to_csa(self) -> str:
        """Position lines of CSA: P1 to P9, P+, P- and the side to move. They do not hold the ply."""
        return self._write(abi.KMD_TEXT_CSA)

    def to_bod(self) -> str:
        """The diagram of KIF files (BOD, 盤面図)."""
        return self._write(abi.KMD_TEXT_BOD)

    def __str__(self) -> str:
        """The setup as text for people, White's pieces with v before them. ``from_plain`` reads it."""
        return self._write(abi.KMD_TEXT_PLAIN)

    def svg(
        self,
        *,
        flipped: bool = False,
        theme: str | Theme = "wood",
        fills: Mapping[int, str] | None = None,
        heat: Heat | None = None,
        texts: Mapping[int, str] | None = None,
        arrows: Iterable[ArrowLike] = (),
        hands: bool = True,
        coordinates: Coordinates = "kanji",
        letters: bool = False,
        size: int | None = None,
    ) -> Drawing:
        """The setup as an SVG drawing. Board.svg describes the arguments."""
        from .svg import board_svg

        return board_svg(
            self._pieces,
            (self._hands[0].counts, self._hands[1].counts) if hands else None,
            self._turn,
            fills=fills,
            heat=heat,
            texts=texts,
            arrows=arrows,
            flipped=flipped,
            theme=theme,
            coordinates=coordinates,
            letters=letters,
            size=size,
            label=f"shogi board {self.to_sfen()}",
        )

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return str(self.svg(theme="auto"))

    def __repr__(self) -> str:
        return f"Setup({self.to_sfen()!r})"

    def __eq__(self, other: object) -> bool:
        """Same board, hands, side to move and ply."""
        if not isinstance(other, Setup):
            return NotImplemented
        return (self._pieces, self._hands, self._turn, self._ply) == (other._pieces, other._hands, other._turn, other._ply)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    # -------------------------------------------------------------------------------------------------- Library

    def _struct(self) -> abi.kmd_setup:
        """The setup as the library takes it."""
        struct = _native.struct(abi.kmd_setup, turn=int(self._turn), ply=self._ply)
        struct.board[:] = self._pieces
        struct.hands[0][:], struct.hands[1][:] = self._hands[0]._counts, self._hands[1]._counts
        return struct

    def _take(self, struct: abi.kmd_setup) -> Setup:
        """Takes over what the library gives."""
        self._pieces[:] = struct.board
        for hand, counts in zip(self._hands, struct.hands, strict=True):
            hand._counts[:] = counts
        self._turn, self._ply = Color(struct.turn), struct.ply
        return self

    def _derive(self, name: str) -> Setup:
        struct = self._struct()
        _native.call(name, _native.reference(struct), _native.reference(struct))
        return Setup()._take(struct)

    def _read(self, form: int, text: str) -> Setup:
        name = "sfen" if form == abi.KMD_TEXT_SFEN else "text"
        if not isinstance(text, str):
            raise TypeError(f"{name} must be str, not {type(text).__name__}")
        struct = _native.struct(abi.kmd_setup)
        with reading(name, text):
            _native.call("kmd_setup_from_text", form, *_native.encode(text), _native.reference(struct))
        return self._take(struct)

    def _write(self, form: int) -> str:
        return _native.text("kmd_setup_to_text", _native.reference(self._struct()), form)


def _square(square: SupportsIndex, name: str = "square") -> int:
    return _check_range(name, square, 0, 80)


def _piece(piece: int) -> int:
    """A piece that can stand on a board, or 0."""
    number = int(Piece(piece))
    if number & 15 == 15:
        raise InvalidValueError(f"piece {number} is a class of tables, want 1..14 or 17..30, or 0 for an empty square")
    return number
