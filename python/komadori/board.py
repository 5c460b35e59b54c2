"""Boards: positions with their history."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, overload

from . import _abi as abi
from . import _native
from .errors import IllegalMoveError, InvalidValueError, Problem, reading
from .moves import AperyMove32, Move, Move32
from .types import Bitboard, Color, Hand, MoveKind, Piece, PieceType, RepetitionState, Square, Style, _check_range, _several

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .rules import Declaration, Outcome, Rules, TerminalStatus
    from .setup import Setup
    from .svg import ArrowLike, Coordinates, Drawing, Heat, Theme

_Found = TypeVar("_Found")
_Kind = TypeVar("_Kind", bound="Board")

_hot, _free_slots = _native.hot, _native.free_slots
_SQUARES = [Square(n) for n in range(82)]
_SIDES = {0: 0, 1: 1}
_PIECES = [Piece(n) if n != 16 else Piece(0) for n in range(32)]
_hands: dict[int, Hand] = {0: Hand()}  # those met so far: at most some 50,000 exist


_moves = _native.Table(Move)
_known, _rooms = _moves.known, _moves.rooms
_array: Any = None  # numpy.ndarray and the type of its elements, once an array has been asked for
_uint16: Any = None
_new = object.__new__


class MoveList(Sequence[Move]):
    """Moves of a position at one moment. A sequence; ``in`` asks by value.

    >>> from komadori import Board, Move
    >>> moves = Board().legal_moves()
    >>> len(moves), Move.from_usi("7g7f") in moves
    (30, True)
    """

    __slots__ = ("_codes", "_made")

    def __init__(self, codes: bytes) -> None:
        self._codes = codes  # two bytes a move
        self._made: list[Move] | None = None  # when they are asked for

    def _list(self) -> list[Move]:
        if self._made is None:
            self._made = _moves.pick(self._codes)
        return self._made

    def _values(self) -> memoryview:
        return memoryview(self._codes).cast("H")

    def __len__(self) -> int:
        return len(self._codes) >> 1

    def __iter__(self) -> Iterator[Move]:
        if self._made is None:
            self._made = _moves.pick(self._codes)
        return iter(self._made)

    def __contains__(self, move: object) -> bool:
        if not isinstance(move, Move):
            return False
        code = move.value.to_bytes(2, sys.byteorder)
        at = self._codes.find(code)
        while at > 0 and at & 1:  # the halves of two moves
            at = self._codes.find(code, at + 1)
        return at >= 0

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> MoveList: ...
    def __getitem__(self, index: int | slice) -> Move | MoveList:
        if isinstance(index, slice):
            return MoveList(self._values()[index].tobytes())
        return self._list()[index]

    def to_numpy(self) -> npt.NDArray[np.uint16]:
        """The 16-bit values, dtype uint16. A new array."""
        global _array, _uint16
        if _array is None:
            import numpy

            _array, _uint16 = numpy.ndarray, numpy.dtype(numpy.uint16)
        array: npt.NDArray[np.uint16] = _array(len(self._codes) >> 1, _uint16, bytearray(self._codes))
        return array

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MoveList) and self._codes == other._codes

    def __hash__(self) -> int:
        return hash(self._codes)

    def __repr__(self) -> str:
        return f"<MoveList: {' '.join(m.to_usi() for m in self)}>"

    def _repr_html_(self) -> str:
        from . import _html

        return _html.of_moves(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return (MoveList, (self._codes,))


class Board(_native.Published):
    """A position with its history.

    Positions without a king, and with the side not to move standing in check, are accepted and listed by ``problems()``;
    docs/conventions.md says what is refused. One thread at a time may use a board; another one gets HandleError.

    Args:
        sfen: SFEN, or None for the even game (平手). ParseError, InvalidPositionError.

    Attributes:
        turn (Color): Side to move.
        ply (int): Counts from 1.
        key (int): 64-bit key of board, hands and side to move; fixed for ever.
        history_length (int): Number of moves played on this board.

    They are read-only, and read from memory of the library: no call is made.

    >>> board = Board()
    >>> board.push_usi("7g7f")
    Move.from_usi('7g7f')
    >>> board.to_sfen()
    'lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2'
    >>> board.turn, board.ply
    (<Color.WHITE: 1>, 2)
    >>> board.pop()
    Move.from_usi('7g7f')
    """

    __slots__ = ("_slot",)
    _slot: _native.Slot

    def __new__(cls, *arguments: Any, **named: Any) -> Board:
        return _take(cls, False)

    def __init__(self, sfen: str | None = None) -> None:
        slot = self._slot
        if slot.is_used:
            raise TypeError("a board is made once; set_sfen sets it anew")
        slot.is_used = True
        self.set_sfen("startpos" if sfen is None else sfen)

    @property
    def _handle(self) -> Any:
        return self._slot.handle

    def __setattr__(self, name: str, value: Any) -> None:
        if hasattr(_native.Published, name):
            raise AttributeError(f"{name} of a board is not set but follows from its moves")
        super().__setattr__(name, value)

    # ---------------------------------------------------------------------------------------------------- Making

    @classmethod
    def from_position(cls, text: str) -> Board:
        """Reads a position line of USI: ``startpos`` or SFEN, and moves, with or without the word position.

        ParseError and IllegalMoveError name the number of the offending move.
        """
        if not isinstance(text, str):
            raise TypeError(f"position must be str, not {type(text).__name__}")
        board = _take(cls, True)
        with reading("position", text):
            # Nobody else knows the board yet, so other threads may run while a long text is read.
            (_native.call_long if len(text) > 1 << 14 else _native.call)("kmd_board_set_position", board._handle, *_native.encode(text))
        return board

    @classmethod
    def from_hcp(cls, data: Any) -> Board:
        """Reads 32 bytes of Apery's Huffman code; the ply is 1. ParseError, InvalidPositionError."""
        board = _take(cls, True)
        board.set_hcp(data)
        return board

    @classmethod
    def from_packed_sfen(cls, data: Any) -> Board:
        """Reads 32 bytes of YaneuraOu's PackedSfen; the ply is 1. ParseError, InvalidPositionError."""
        board = _take(cls, True)
        board.set_packed_sfen(data)
        return board

    @classmethod
    def from_setup(cls, setup: Setup) -> Board:
        """From a setup. InvalidPositionError, whose ``problems`` are all that there are."""
        from .setup import Setup

        if not isinstance(setup, Setup):
            raise TypeError(f"setup must be Setup, not {type(setup).__name__}")
        board = _take(cls, True)
        _native.call("kmd_board_set_setup", board._handle, _native.reference(setup._struct()))
        return board

    @classmethod
    def from_csa(cls, text: str) -> Board:
        """Reads the position lines of CSA, alone or at the head of a record; its moves are not read. ParseError, InvalidPositionError."""
        from .setup import Setup

        return cls.from_setup(Setup.from_csa(text))

    @classmethod
    def from_bod(cls, text: str) -> Board:
        """Reads the diagram (BOD, 盤面図) or the header 手合割 of KIF, alone or at the head of a record; its moves are not read.

        ParseError, InvalidPositionError.
        """
        from .setup import Setup

        return cls.from_setup(Setup.from_bod(text))

    @classmethod
    def parse(cls, text: str) -> Board:
        """Reads a position that was pasted from somewhere, whose format it finds out: SFEN, a position line of USI (``startpos moves 7g7f``, ``sfen ...``),
        a diagram (BOD, 盤面図), position lines of CSA, or a game record (KIF, KI2, CSA, JKF), of which it is the end of the main line, with its history.

        ParseError, InvalidPositionError.

        >>> Board.parse("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 12").ply
        12
        """
        from .kifu import read

        if not isinstance(text, str):
            raise TypeError(f"text must be str, not {type(text).__name__}")
        if "\n" not in text:
            text += "\n"  # a text, whatever it ends like
        return read(text).board_at(-1)

    @classmethod
    def handicap(cls, handicap: str | int) -> Board:
        """The start of a game by handicap (手合割): a name in Japanese or English, or a Handicap. White moves first in all but the even game.

        ParseError for a name that is none, InvalidValueError for Handicap.OTHER, which has no start of its own.

        >>> Board.handicap("二枚落ち").to_sfen()
        'lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1'
        """
        from .setup import Setup

        return cls.from_setup(Setup.handicap(handicap))

    def copy(self) -> Board:
        """A copy with its own history."""
        board = _take(Board, True)
        if _hot.set_board(board._slot.quick, self._slot.quick) < 0:
            _native.call("kmd_board_set_board", board._handle, self._handle)
        return board

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Board:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return (Board.from_position, (self.to_position(),))

    def flip_side(self) -> Board:
        """A new board, turned by 180 degrees with the sides exchanged. It keeps the ply and has no history."""
        board = _take(Board, True)
        if _hot.set_flipped(board._slot.quick, self._slot.quick) < 0:
            _native.call("kmd_board_set_flipped", board._handle, self._handle)
        return board

    def mirror_file(self) -> Board:
        """A new board with files 1 and 9, 2 and 8, and so on exchanged. It keeps the ply and has no history."""
        board = _take(Board, True)
        if _hot.set_mirrored(board._slot.quick, self._slot.quick) < 0:
            _native.call("kmd_board_set_mirrored", board._handle, self._handle)
        return board

    def set_sfen(self, sfen: str) -> None:
        """Sets this board to an SFEN and forgets its history. On an error it is unchanged. ParseError, InvalidPositionError."""
        if type(sfen) is str:
            try:
                raw = sfen.encode()
            except UnicodeEncodeError:
                raw = b""
            if _hot.set_sfen(self._slot.quick, raw, len(raw)) >= 0:
                return
        if not isinstance(sfen, str):
            raise TypeError(f"sfen must be str, not {type(sfen).__name__}")
        with reading("sfen", sfen):
            _native.call("kmd_board_set_sfen", self._handle, *_native.encode(sfen))

    def set_hcp(self, data: Any) -> None:
        """Sets this board to 32 bytes of Apery's Huffman code, ply 1, and forgets its history. On an error it is unchanged."""
        if _hot.set_hcp(self._slot.quick, raw := _packed(data)) < 0:
            _native.call("kmd_board_set_hcp", self._handle, raw)

    def set_packed_sfen(self, data: Any) -> None:
        """Sets this board to 32 bytes of YaneuraOu's PackedSfen, ply 1, and forgets its history. On an error it is unchanged."""
        if _hot.set_packed_sfen(self._slot.quick, raw := _packed(data)) < 0:
            _native.call("kmd_board_set_packed_sfen", self._handle, raw)

    def close(self) -> None:
        """Gives the board's memory back. Every later use is a HandleError; closing twice is fine."""
        slot = self._slot
        kind: Any = type(self)
        _set_slot(self, _CLOSED)
        object.__setattr__(self, "__class__", _closed_class(kind))
        _native.close_board(slot.handle)

    def __del__(self) -> None:
        # Nobody can use this board any more, so the next one may have its slot as it is.
        try:
            slot = self._slot
            _set_slot(self, _CLOSED)
            if len(_free_slots) < _native.MOST_FREE_SLOTS:
                _free_slots.append(slot)
            else:
                _native.close_board(slot.handle)
        except Exception:  # half-made, or the interpreter is ending
            pass

    def __enter__(self) -> Board:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # ----------------------------------------------------------------------------------------------------- State

    def is_check(self) -> bool:
        """Whether the side to move stands in check."""
        return self._in_check

    def hand(self, color: int) -> Hand:
        """What a side holds."""
        value = self._hands[_side(color)]
        return _hands[value] if value in _hands else _hands.setdefault(value, Hand(value))

    @property
    def hands(self) -> tuple[Hand, Hand]:
        """What Black and White hold."""
        return self.hand(Color.BLACK), self.hand(Color.WHITE)

    def king_square(self, color: int) -> Square:
        """Where a king stands; none without one."""
        return _SQUARES[self._kings[_side(color)]]

    def piece_at(self, square: int) -> Piece:
        """The piece on a square; empty when there is none."""
        if type(square) is not Square:
            square = _check_range("square", square, 0, 80)
        try:
            return _PIECES[self._slot.squares[square]]
        except IndexError:
            raise InvalidValueError("square 81, want 0..80") from None

    __getitem__ = piece_at

    def __iter__(self) -> Iterator[Piece]:
        """The 81 pieces by square, as they are now."""
        return iter([_PIECES[p] for p in self.pieces()])

    def pieces(self) -> bytes:
        """Piece numbers by square, 81 bytes."""
        return self._slot.squares.tobytes()

    def to_numpy(self, order: str = "file_major") -> npt.NDArray[np.uint8]:
        """Piece numbers as a 9 x 9 array, dtype uint8: [file, rank], or with order="row_major" [rank, 8 - file] as boards are printed. A new array."""
        import numpy

        by_file = numpy.frombuffer(self.pieces(), dtype=numpy.uint8).reshape(9, 9)
        if order == "file_major":
            return by_file.copy()
        if order == "row_major":
            return numpy.ascontiguousarray(by_file[::-1].T)
        raise ValueError(f"order {order!r}, want 'file_major' or 'row_major'")

    def to_sfen(self, *, ply: bool = True) -> str:
        """SFEN with or without the ply."""
        if not ply:
            return _native.text("kmd_board_to_text", self._handle, abi.KMD_TEXT_SFEN_WITHOUT_PLY)
        slot = self._slot
        try:
            out = slot.to_sfen
        except AttributeError:
            slot.make_room()
            out = slot.to_sfen
        if _hot.sfen(slot.quick, out) >= 0:
            return slot.sfen.value.decode()
        return _native.text("kmd_board_to_sfen", self._handle)

    def to_csa(self) -> str:
        """Position lines of CSA: P1 to P9, P+, P- and the side to move. They do not hold the ply."""
        return _native.text("kmd_board_to_text", self._handle, abi.KMD_TEXT_CSA)

    def to_bod(self) -> str:
        """The diagram of KIF files (BOD, 盤面図)."""
        return _native.text("kmd_board_to_text", self._handle, abi.KMD_TEXT_BOD)

    def setup(self) -> Setup:
        """The position, to be changed at will."""
        from .setup import Setup

        struct = _native.struct(abi.kmd_setup)
        _native.call("kmd_board_get_setup", self._handle, _native.reference(struct))
        return Setup()._take(struct)

    def to_position(self) -> str:
        """Position line of USI with the moves."""
        return _native.text("kmd_board_to_position", self._handle)

    def to_hcp(self) -> bytes:
        """32 bytes, Apery's Huffman code. InvalidPositionError without both kings."""
        slot = self._slot
        try:
            out = slot.to_packed
        except AttributeError:
            slot.make_room()
            out = slot.to_packed
        if _hot.to_hcp(slot.quick, out) == 0:
            return slot.packed.raw
        return _native.raw("kmd_board_to_hcp", 32, self._handle)

    def to_packed_sfen(self) -> bytes:
        """32 bytes, YaneuraOu's PackedSfen. InvalidPositionError without both kings."""
        slot = self._slot
        try:
            out = slot.to_packed
        except AttributeError:
            slot.make_room()
            out = slot.to_packed
        if _hot.to_packed_sfen(slot.quick, out) == 0:
            return slot.packed.raw
        return _native.raw("kmd_board_to_packed_sfen", 32, self._handle)

    def problems(self) -> list[Problem]:
        """What is odd about the position: missing kings, the side not to move in check."""
        return _native.problems(self._handle)

    # ----------------------------------------------------------------------------------------------------- Moves

    def legal_moves(self) -> MoveList:
        """All legal moves, optional non-promotions included, as they are now."""
        try:
            room = _rooms.pop()
        except IndexError:
            room = _moves.new_room()
        n = _hot.list(self._slot.quick, room.to_request)
        if n >= 0:
            codes = room.codes = room.moves[: n + n]
        else:  # whatever went wrong, the declared call says it: a closed board, or a fork that Python did not see
            codes = _native.codes("kmd_board_legal_moves", abi.KMD_MAX_LEGAL_MOVES, self._handle)
        _rooms.append(room)
        moves = _new(MoveList)  # and its two attributes: a call of __init__ would cost as much again
        moves._codes, moves._made = codes, None
        return moves

    def is_legal(self, move: Move) -> bool:
        """Whether a move is in the complete legal set."""
        if not isinstance(move, Move):
            raise TypeError(f"move must be Move, not {type(move).__name__}")
        legal = _hot.is_legal(self._slot.quick, move.value)
        if legal < 0:
            legal = _native.number("kmd_board_is_legal", self._handle, move.value)
        return legal != 0

    def push(self, move: Move | Move32) -> None:
        """Plays a legal move. IllegalMoveError otherwise, and the board is unchanged.

        A Move32 must carry the piece that will stand on the target, or none.
        """
        if type(move) is Move:
            if _hot.push(self._slot.quick, move.value) < 0:
                self._ask(_native.call, "kmd_board_push", move, move.value)
        elif isinstance(move, Move32):
            self._ask(_native.call, "kmd_board_push32", move, move.value)
        else:
            raise TypeError(f"move must be Move or Move32, not {type(move).__name__}")

    def _ask(self, call: Callable[..., _Found], name: str, move: Move | Move32 | None, *arguments: Any) -> _Found:
        """Calls the library about a move; the error of one that is refused tells which and where."""
        try:
            return call(name, self._handle, *arguments)
        except IllegalMoveError as error:
            error.move, error.sfen = move, self.to_sfen()
            raise

    def push_usi(self, text: str) -> Move:
        """Plays a move given as USI text and returns it. ParseError, IllegalMoveError."""
        move = Move.from_usi(text)
        self.push(move)
        return move

    def push_null(self) -> None:
        """Passes. IllegalMoveError in check."""
        self._ask(_native.call, "kmd_board_push_null", Move.NULL)

    def pop(self) -> Move:
        """Takes the last move back and returns it. IndexError without one."""
        value = _hot.pop(self._slot.quick)
        try:
            return _known[value]
        except KeyError:
            if value < 0:
                value = self._pop_slowly()
            return _moves[value]

    def _pop_slowly(self) -> int:
        try:
            return _native.unsigned16("kmd_board_pop", self._handle)
        except IllegalMoveError:
            raise IndexError("no move to take back") from None

    def peek(self) -> Move:
        """The last move. IndexError without one."""
        last = self.last_move
        if last is None:
            raise IndexError("no move has been played")
        return last

    def moves(self) -> list[Move]:
        """The moves played on this board, oldest first."""
        return _moves.pick(_native.codes("kmd_board_moves", self.history_length, self._handle))

    def move32(self, move: Move) -> Move32:
        """A legal move with the piece after it. IllegalMoveError."""
        return Move32(self._ask(_native.unsigned32, "kmd_board_complete_move32", move, _move(move).value))

    def complete_move32(self, move: Move32) -> Move32:
        """Verifies a Move32 for play and fills in a piece that is not set. IllegalMoveError."""
        if not isinstance(move, Move32):
            raise TypeError(f"move must be Move32, not {type(move).__name__}")
        return Move32(self._ask(_native.unsigned32, "kmd_board_complete_move32", move, move.value))

    def apery_move32(self, move: Move) -> AperyMove32:
        """A legal move in Apery's 32-bit layout. IllegalMoveError."""
        return AperyMove32(self._ask(_native.unsigned32, "kmd_board_apery32", move, _move(move).value))

    def move_of_label(self, label: int, compact: bool = False) -> Move:
        """The legal move that has a label. IllegalMoveError when there is none, InvalidValueError outside the labels."""
        label = _check_range("label", label, 0, (abi.KMD_COMPACT_LABELS if compact else abi.KMD_LABELS) - 1)
        return _moves[self._ask(_native.unsigned16, "kmd_board_move_of_label", None, label, int(bool(compact)))]

    def gives_check(self, move: Move) -> bool:
        """Whether a legal move gives check. IllegalMoveError."""
        return bool(self._ask(_native.number, "kmd_board_gives_check", move, _move(move).value))

    def is_checkmate(self) -> bool:
        """Whether the side to move stands in check without a legal move."""
        mated = _hot.is_checkmate(self._slot.quick)
        if mated < 0:
            mated = _native.number("kmd_board_is_checkmate", self._handle)
        return mated != 0

    def mate_in_one(self) -> Move | None:
        """A move that mates at once, or None."""
        value = _hot.mate_in_one(self._slot.quick)
        if value < 0:
            value = _native.unsigned16("kmd_board_mate_in_one", self._handle)
        return _moves[value] if value else None

    # ------------------------------------------------------------------------------------------------- Moves by kind

    def pseudo_legal_moves(self) -> MoveList:
        """The legal moves, moves that leave or put the own king in check, and pawn drops that mate (打ち歩詰め): a superset of legal_moves()."""
        return self._generate(abi.KMD_MOVES_PSEUDO_LEGAL)

    def search_moves(self) -> MoveList:
        """The legal moves without non-promotions that are almost never better.

        Left out are those of a pawn, bishop or rook that could promote, and of a lance onto its second rank from the far edge. A lance
        keeps both choices on its third rank, knights and silvers keep both everywhere.

        >>> board = Board("4k4/9/9/P8/9/9/9/9/4K4 b - 1")
        >>> [m.to_usi() for m in board.legal_moves() if m not in board.search_moves()]
        ['9d9c']
        """
        return self._generate(abi.KMD_MOVES_SEARCH)

    def captures(self) -> MoveList:
        """The legal moves that take a piece, promoting or not."""
        return self._generate(abi.KMD_MOVES_CAPTURES)

    def quiets(self) -> MoveList:
        """The legal moves that take nothing: drops and promotions onto empty squares are among them."""
        return self._generate(abi.KMD_MOVES_QUIETS)

    def evasions(self) -> MoveList:
        """All legal moves when the side to move stands in check, none otherwise."""
        return self._generate(abi.KMD_MOVES_EVASIONS)

    def checks(self) -> MoveList:
        """The legal moves after which the other side stands in check."""
        return self._generate(abi.KMD_MOVES_CHECKS)

    def recaptures(self, square: int) -> MoveList:
        """The legal moves that take the piece on a square."""
        return self._generate(abi.KMD_MOVES_RECAPTURES, Square(square))

    def drops(self) -> MoveList:
        """The legal drops."""
        return self._generate(abi.KMD_MOVES_DROPS)

    def tactical_moves(self) -> MoveList:
        """The legal moves that take or promote, what a quiescence search looks at."""
        return self._generate(abi.KMD_MOVES_TACTICAL)

    def iter_moves(self, kind: int = MoveKind.ALL, square: int | None = None) -> Iterator[Move]:
        """The moves of a kind one by one, made in three stages: what takes, other moves on the board, drops.

        A loop that ends early saves the stages it does not reach. It may play moves on the board if it takes them back before it goes on.

        Args:
            kind: A MoveKind.
            square: Of MoveKind.RECAPTURES, which it must have; no other kind may have one.
        """
        kind = MoveKind(kind)
        if (square is None) == (kind is MoveKind.RECAPTURES):
            raise TypeError(f"square is {'wanted' if square is None else 'not wanted'} for {kind.name}")
        return self._stages(kind, 81 if square is None else _check_range("square", square, 0, 80))

    def _stages(self, kind: int, square: int) -> Iterator[Move]:
        for stage in range(abi.KMD_MOVE_STAGES):
            yield from _moves.pick(self._codes(kind, square, stage))

    def _generate(self, kind: int, square: int = 81) -> MoveList:
        return MoveList(self._codes(kind, square, abi.KMD_ALL_STAGES))

    def _codes(self, kind: int, square: int, stage: int) -> bytes:
        try:
            room = _rooms.pop()
        except IndexError:
            room = _moves.new_room()
        n = _hot.generate(self._slot.quick, kind, square, stage, room.to_moves)
        if n >= 0:
            codes: bytes = room.moves[: 2 * n]
        elif stage == abi.KMD_ALL_STAGES:
            codes = _native.codes("kmd_board_generate", abi.KMD_MAX_LEGAL_MOVES, self._handle, kind, square)
        else:
            codes = _native.codes("kmd_board_generate_stage", abi.KMD_MAX_LEGAL_MOVES, self._handle, kind, square, stage)
        _rooms.append(room)
        return codes

    @property
    def last_move(self) -> Move | None:
        """The last move of the history, Move.NULL after a pass, None at the start."""
        return _moves[self._last_move] if self.history_length else None

    # -------------------------------------------------------------------------------------------- Attacks, exchanges, keys

    def attackers_to(self, square: int, color: int) -> Bitboard:
        """A side's pieces that attack a square."""
        return self._set("kmd_board_attackers_to", _square(square), _color(color))

    def attacks_by(self, square: int) -> Bitboard:
        """The squares that the piece on a square attacks, own pieces on them included; none when it is empty."""
        return self._set("kmd_board_attacks_by", _square(square))

    def attacked_by(self, color: int) -> Bitboard:
        """The squares that any of a side's pieces attacks."""
        return self._set("kmd_board_attacked_by", _color(color))

    def is_attacked(self, square: int, color: int) -> bool:
        """Whether any of a side's pieces attacks a square."""
        return bool(_native.number("kmd_board_is_attacked", self._handle, _square(square), _color(color)))

    def checkers(self) -> Bitboard:
        """Pieces that give check to the side to move."""
        return self._set("kmd_board_checkers")

    def blockers(self, color: int | None = None) -> Bitboard:
        """Pieces of either side that alone stand between a side's king and an enemy slider; None for the side to move."""
        return self._set("kmd_board_blockers", self.turn if color is None else _color(color))

    def pinned(self, color: int | None = None) -> Bitboard:
        """A side's pieces that alone stand between its king and an enemy slider; None for the side to move."""
        return self._set("kmd_board_pinned", self.turn if color is None else _color(color))

    def discoverers(self) -> Bitboard:
        """Pieces of the side to move that alone stand between one of its sliders and the enemy king: leaving the line gives check."""
        return self._set("kmd_board_discoverers")

    def check_squares(self, piece_type: int) -> Bitboard:
        """Squares on which a piece of a kind of the side to move attacks the enemy king, pieces standing as they do.

        Where a drop gives check, and a move that does not vacate a line. None for a king.
        """
        return self._set("kmd_board_check_squares", PieceType(piece_type))

    def _set(self, name: str, *arguments: int) -> Bitboard:
        low, high = _native.two_words(name, self._handle, *arguments)
        return Bitboard.from_value(low | high << 63)

    def attack_counts(self, *, xray: bool = False, by_kind: bool = False, order: str = "file_major") -> npt.NDArray[np.uint8]:
        """How many pieces attack each square.

        Args:
            xray: Count a slider also where own pieces stand in its way that all attack the square along the same line: those that can
                take there one after the other.
            by_kind: Count every kind of piece for itself.
            order: Of the squares, as in ``to_numpy``: "file_major" is [file, rank], "row_major" [rank, 8 - file].

        Returns:
            Shape ``(2, 9, 9)``, [color, square axes], dtype uint8; with ``by_kind`` ``(2, 15, 9, 9)``, [color, PieceType, square axes],
            where kind 0 is all together. A new array.

        >>> board = Board("4k4/9/9/9/9/4P4/9/4L4/4K4 b - 1")
        >>> [int(board.attack_counts(xray=xray)[Color.BLACK, 4, 4]) for xray in (False, True)]
        [1, 2]
        """
        name, shape = ("kmd_board_attack_counts_by_kind", (2, 15)) if by_kind else ("kmd_board_attack_counts", (2,))
        return self._counts(name, shape, order, int(bool(xray)))

    def mobility(self, *, order: str = "file_major") -> npt.NDArray[np.uint8]:
        """How many squares the piece on each square attacks that hold no piece of its own side; 0 where none stands. Pins play no part.

        Returns:
            Shape ``(9, 9)``, axes as in ``attack_counts``, dtype uint8. A new array.
        """
        return self._counts("kmd_board_mobility", (), order)

    def _counts(self, name: str, shape: tuple[int, ...], order: str, *arguments: int) -> npt.NDArray[np.uint8]:
        import numpy

        if order not in ("file_major", "row_major"):
            raise ValueError(f"order {order!r}, want 'file_major' or 'row_major'")
        size = 81
        for n in shape:
            size *= n
        by_file = numpy.frombuffer(_native.raw(name, size, self._handle, *arguments), dtype=numpy.uint8).reshape(*shape, 9, 9)
        if order == "file_major":
            return by_file.copy()
        return numpy.ascontiguousarray(by_file[..., ::-1, :].swapaxes(-1, -2))

    def see(self, move: Move) -> int:
        """Static exchange evaluation: what a legal move wins on its target when both sides go on taking there and stop when it pays.

        In centipawns of the mover. A taken piece counts on the board and in hand, so a pawn is 200; docs/conventions.md has the values
        and rules. IllegalMoveError.

        >>> Board("4k4/9/9/4g4/4p4/4R4/9/9/4K4 b - 1").see(Move.from_usi("5f5e"))
        -1800
        """
        return self._ask(_native.number, "kmd_board_see", move, _move(move).value)

    @property
    def board_key(self) -> int:
        """64-bit key of the pieces on the board; fixed for ever."""
        return _native.keys(self._handle)[1]

    @property
    def hand_key(self) -> int:
        """64-bit key of both hands; fixed for ever."""
        return _native.keys(self._handle)[2]

    @property
    def pawn_key(self) -> int:
        """64-bit key of the unpromoted pawns on the board; fixed for ever."""
        return _native.unsigned64("kmd_board_pawn_key", self._handle)

    @property
    def material_key(self) -> int:
        """64-bit key of how many men of each kind are on the board, and of both hands; fixed for ever."""
        return _native.unsigned64("kmd_board_material_key", self._handle)

    @property
    def key128(self) -> int:
        """128-bit key of board, hands and side to move, ``key`` being its lower half; fixed for ever."""
        low, high = _native.two_words("kmd_board_key128", self._handle)
        return high << 64 | low

    # ----------------------------------------------------------------------------------------------------- Rules

    def repetition_state(self) -> RepetitionState:
        """Verdict of the game rule (千日手), seen by the side to move: draw, win, lose from the fourth occurrence on.

        Before it superior or inferior, when the nearest return of the board is one with less or more in hand; those two end no game.
        """
        return RepetitionState(_native.number("kmd_board_repetition", self._handle))

    def search_repetition(self, max_ply: int) -> RepetitionState:
        """Verdict of the nearest return within max_ply plies, superior and inferior included, as searches use it."""
        max_ply = _check_range("max_ply", max_ply, 0, 2**31 - 1)
        return RepetitionState(_native.number("kmd_board_search_repetition", self._handle, max_ply))

    def is_repetition(self, count: int = 4) -> bool:
        """Whether the position stands for at least the count-th time, this one included."""
        return bool(_native.number("kmd_board_is_repetition", self._handle, _check_range("count", count, 1, 2**31 - 1)))

    def declaration(self, rule: int | str) -> Declaration:
        """Whether the side to move may declare (入玉宣言) under a rule, an EnteringKingRule or its name, and what it counts.

        InvalidPositionError without both kings, InvalidValueError and ParseError for what is no rule.

        >>> report = Board("K+P+P+P+P+P+P+P+P/+P+P7/9/9/9/9/9/9/k8 b 2RB3P 1").declaration("CSA27")
        >>> report.verdict, report.points, report.required, report.move
        (<Verdict.WIN: 1>, 28, 28, Move.from_usi('win'))
        """
        from . import rules

        return rules.declaration(self._handle, rule)

    def outcome(self, rules: Rules | None = None, declare: int = 1) -> Outcome | None:
        """How the game has ended under the given rules; None while it goes on.

        What comes first holds: the side to move has no legal move and has lost, in check or not (so a mate with the last allowed move wins); a
        king has tried; the position has stood as often as ends a game, a draw or the loss of the side that gave check all the way; the
        move limit is reached; the side to move may declare, and does.

        Args:
            rules: None for ``Rules()``: fourfold repetition and nothing else.
            declare: A Declare: what the side to move is taken to do with a right to declare. Declare.TO_WIN (1) says the game is over when it
                can win so; Declare.NEVER (0) asks only for what has happened.
        """
        from . import rules as module

        return module.outcome(self._handle, rules, declare)

    def terminal_status(self, rules: Rules | None = None, declare: int = 1) -> TerminalStatus:
        """The same as ``outcome``, as the side to move sees it."""
        from . import rules as module

        return module.terminal_status(self._handle, rules, declare)

    def is_game_over(self, rules: Rules | None = None, declare: int = 1) -> bool:
        """Whether ``outcome`` has something to say."""
        from . import rules as module

        return bool(module.ask_outcome(self._handle, rules, declare).reason)

    # ------------------------------------------------------------------------------------------------- Words for a move

    def usi(self, move: Move) -> str:
        """A legal move in USI, such as ``7g7f``. IllegalMoveError."""
        return self._words_of(move, Style.USI)

    def csa(self, move: Move) -> str:
        """A legal move in CSA with its sign, such as ``+7776FU``. IllegalMoveError."""
        return self._words_of(move, Style.CSA)

    def kif(self, move: Move) -> str:
        """A legal move in KIF, such as ``７六歩(77)``; 同 by the board's history. IllegalMoveError.

        >>> board = Board.from_position("startpos moves 7g7f 3c3d 8h2b+")
        >>> board.kif(Move.from_usi("3a2b")), board.ki2(Move.from_usi("3a2b")), board.western(Move.from_usi("3a2b"))
        ('同　銀(31)', '△同　銀', 'Sx2b')
        """
        return self._words_of(move, Style.KIF)

    def ki2(self, move: Move) -> str:
        """A legal move in KI2 with the mark of the side, such as ``▲５八金右``; 同 by the board's history. IllegalMoveError."""
        return self._words_of(move, Style.KI2)

    def western(self, move: Move) -> str:
        """A legal move in Western notation, such as ``P-7f``. IllegalMoveError."""
        return self._words_of(move, Style.WESTERN)

    def format_moves(self, moves: Iterable[Move], style: int) -> list[str]:
        """Words of legal moves in a style, in one call. IllegalMoveError, whose ``row`` tells which.

        >>> from komadori import Style
        >>> board = Board()
        >>> board.format_moves(board.legal_moves(), Style.KI2)[:3]
        ['▲４八玉', '▲５八玉', '▲６八玉']
        """
        listed = [_move(move) for move in _several("moves", moves, "moves")]
        try:
            return _native.words(self._handle, Style(style), [move.value for move in listed])
        except IllegalMoveError as error:
            error.sfen = self.to_sfen()
            error.move = listed[error.row] if error.row is not None else None
            raise

    def parse_usi(self, text: str) -> Move:
        """The legal move that USI text means. ParseError for other text, IllegalMoveError when the move is not legal."""
        return self._parse_words(text, Style.USI)

    def parse_csa(self, text: str) -> Move:
        """The legal move that CSA text means; the sign may be missing. ParseError, IllegalMoveError."""
        return self._parse_words(text, Style.CSA)

    def parse_kif(self, text: str) -> Move:
        """The legal move that the words of a KIF line mean, in any spelling that files use. ParseError, IllegalMoveError.

        A time behind the move is not part of its words. AmbiguousMoveError where no origin is given and several moves fit.
        """
        return self._parse_words(text, Style.KIF)

    def parse_ki2(self, text: str) -> Move:
        """The legal move that words of KI2 mean. ParseError, IllegalMoveError, AmbiguousMoveError.

        More words than needed, and others than would be written, are read where they leave one legal move.

        >>> board = Board()
        >>> board.parse_ki2("☗5八金上右")
        Move.from_usi('4i5h')
        """
        return self._parse_words(text, Style.KI2)

    def parse_western(self, text: str) -> Move:
        """The legal move that Western notation means, with ranks as letters or digits. ParseError, IllegalMoveError, AmbiguousMoveError."""
        return self._parse_words(text, Style.WESTERN)

    def _words_of(self, move: Move, style: Style) -> str:
        return self._ask(_native.text, "kmd_board_format_move", move, style, _move(move).value)

    def _parse_words(self, text: str, style: Style) -> Move:
        if not isinstance(text, str):
            raise TypeError(f"text must be str, not {type(text).__name__}")
        with reading("text", text):
            return _moves[self._ask(_native.unsigned16, "kmd_board_parse_move", None, style, *_native.encode(text))]

    # --------------------------------------------------------------------------------------------------- Display

    def svg(
        self,
        *,
        flipped: bool = False,
        theme: str | Theme = "wood",
        fills: Mapping[int, str] | None = None,
        heat: Heat | None = None,
        texts: Mapping[int, str] | None = None,
        arrows: Iterable[ArrowLike] = (),
        last_move: bool = True,
        check: bool = False,
        hands: bool = True,
        coordinates: Coordinates = "kanji",
        letters: bool = False,
        size: int | None = None,
    ) -> Drawing:
        """The board as an SVG drawing, which draws itself in notebooks.

        Args:
            flipped: Whether White sits below.
            theme: ``"wood"``, ``"dark"``, ``"paper"`` (a diagram in print), ``"auto"`` (wood, and dark in dark pages), or a ``svg.Theme``.
            fills: Colors of squares, such as ``{40: "#ffcccc"}``.
            heat: Numbers of squares as colors: ``{square: number}``, or an array of 81 or (9, 9), such as ``attack_counts()[0]``; positive ones
                hot, negative ones cold, the largest of all in full color.
            texts: Short texts in the corners of squares.
            arrows: Moves, pairs of squares, pairs with a color, or ``svg.Arrow`` with width and label:
                ``[move, (60, 59), (20, 29, "#1565c0"), svg.Arrow(move, label="34 %")]``. A drop is a ring.
            last_move: Whether to mark the squares of the last move.
            check: Whether to mark the king of the side to move when it stands in check.
            hands: Whether to draw hands and the side to move.
            coordinates: Ranks in ``"kanji"`` or ``"letters"``, or ``"none"`` for neither ranks nor files.
            letters: Pieces as P, +R and so on in outlines that point forward, instead of characters.
            size: Width in pixels with hands; None for 520.

        Returns:
            An ``<svg>`` element; the same for the same position and arguments. No fonts are needed to show it.

        Raises:
            ValueError: A square that is none, a number that is not finite, an unknown style, a size below 1, or a color with characters that no drawing
                can hold.
        """
        from .svg import board_svg

        last = self.moves()[-1:] if last_move and self.history_length else []
        mark = (int(last[0].from_square), int(last[0].to_square)) if last and last[0].is_normal else None
        king = int(self.king_square(self.turn)) if check and self.is_check() else None
        return board_svg(
            self.pieces(),
            (self.hand(0).counts, self.hand(1).counts) if hands else None,
            self.turn,
            last_move=mark,
            check=king,
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

    def __str__(self) -> str:
        """The board as text for people, White's pieces with v before them; the same in Go and C. Setup.from_plain reads it."""
        return _native.text("kmd_board_to_text", self._handle, abi.KMD_TEXT_PLAIN)

    def __repr__(self) -> str:
        return f"Board({self.to_sfen()!r})"

    def __eq__(self, other: object) -> bool:
        """Same board, hands, side to move and ply; the history does not count."""
        if not isinstance(other, Board):
            return NotImplemented
        if (self.key, self.ply, self.turn) != (other.key, other.ply, other.turn):
            return False
        return self._slot.squares == other._slot.squares and list(self._hands) == list(other._hands)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]


class _Closed:
    """What a board turns into when it is closed: memory that may be another board's is not looked at any more."""

    __slots__ = ()

    def close(self) -> None:
        """Closed already."""

    def __del__(self) -> None:
        """Nothing to give back."""

    def __repr__(self) -> str:
        return "<closed Board>"


for _name in ("turn", "ply", "key", "history_length", "_last_move", "_in_check", "_kings", "_hands"):
    setattr(_Closed, _name, property(lambda _: _native.closed("board")))


def _take(kind: type[_Kind], is_used: bool) -> _Kind:
    """A board of a class over a free slot. It is whatever the last one there was, and is going to be set to something: by __init__, or by the caller."""
    try:
        slot = _free_slots.pop()
    except IndexError:
        slot = _native.Slot(_native.new_board("kmd_board_new"))
    slot.is_used = is_used
    # The object lies over what the library publishes of the slot; the memory is never unmapped.
    board = kind.from_address(slot.address)
    _set_slot(board, slot)
    return board


_CLOSED: Any = _native.ClosedSlot()
_set_slot: Any = Board.__dict__["_slot"].__set__


@cache
def _closed_class(kind: type) -> type:
    """The class of closed boards of a class."""
    return type(kind.__name__, (_Closed, kind), {"__slots__": (), "__module__": kind.__module__})


def _square(square: int) -> Square:
    return square if type(square) is Square else Square(square)


def _color(color: int) -> Color:
    return color if type(color) is Color else Color(color)


def _side(color: Any) -> int:
    """A color as an index."""
    try:
        return _SIDES[color]
    except (KeyError, TypeError):
        return Color(color)


def _move(move: Any) -> Move:
    if isinstance(move, Move):
        return move
    raise TypeError(f"move must be Move, not {type(move).__name__}")


def _packed(data: Any) -> bytes:
    """32 bytes: bytes, an array of uint8, or anything else with a buffer."""
    if type(data) is not bytes:
        try:
            data = memoryview(data).tobytes()
        except TypeError:
            raise TypeError(f"data must be bytes of a packed position, not {type(data).__name__}") from None
    if len(data) != 32:
        raise ValueError(f"data has {len(data)} bytes, a packed position has 32")
    raw: bytes = data
    return raw


def perft(board: Board, depth: int) -> int:
    """Counts the positions after depth (0..64) legal moves. Ctrl-C stops it.

    >>> perft(Board(), 3)
    25470
    """
    if not isinstance(board, Board):
        raise TypeError(f"board must be Board, not {type(board).__name__}")
    return int(_native.run("kmd_perft_start", board._handle, _check_range("depth", depth, 0, 64)).nodes)
