"""Opening books (定跡): YaneuraOu's DB2016 and Apery's. docs/usi.md has what is read of them."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _abi as abi
from . import _native
from ._results import Score
from .errors import HandleError
from .moves import Move

if TYPE_CHECKING:
    from .board import Board

__all__ = ["Book", "BookMove"]


@dataclass(frozen=True)
class BookMove:
    """What a book says of one move.

    Attributes:
        move: A legal move.
        reply: The answer that is expected, legal after it; Move.NONE where the book names none.
        score: For the side to move, or None where the book has none.
        depth: Depth of the search behind the score; 0 where the book does not say.
        count: How often the move was played, or its weight; 0 where the book does not say.
    """

    move: Move
    reply: Move
    score: Score | None
    depth: int
    count: int


class Book:
    """An opening book. Any thread may ask it. In a forked child, and where it is unpickled, it is opened again by its path.

    Large books of DB2016 whose positions are in order are searched on disk and take no memory; others are read once, see docs/usi.md.

    Args:
        path: A file: Apery's where its name ends in ``.bin``, else DB2016.
        ignore_ply: Take a position at any move number, that of the board first, else the lowest.
        flip: Look also for the position turned around, with the sides exchanged.

    Raises:
        OSError: The file cannot be read.
        ParseError: It does not follow its grammar; ``.offset`` tells where.
    """

    def __init__(self, path: str | os.PathLike[str], *, ignore_ply: bool = True, flip: bool = True) -> None:
        self._path = str(Path(path).absolute())
        self._settings = {"ignore_ply": bool(ignore_ply), "flip": bool(flip)}
        self._closed = False
        self._handle: Any = None
        self._level = -1
        self._open()

    @property
    def path(self) -> str:
        """Where the book lies."""
        return self._path

    def _open(self) -> Any:
        if self._closed:
            raise HandleError("the book is closed")
        _native.library()
        if self._handle is None or self._level != _native.level():
            handle = _native.size64()
            options = int(self._settings["ignore_ply"]), int(self._settings["flip"])
            _native.call_long("kmd_book_open", *_native.encode(self._path), *options, _native.reference(handle))
            self._handle = handle
            self._level = _native.level()
        return self._handle

    def lookup(self, board: Board) -> tuple[BookMove, ...]:
        """The moves that the book has for a board's position, in its order; empty when it does not know the position. ParseError for a line that
        cannot be read."""
        from .board import Board

        if not isinstance(board, Board):
            raise TypeError(f"board must be Board, not {type(board).__name__}")
        room = (abi.kmd_book_move * abi.KMD_MAX_LEGAL_MOVES)()
        n = _native.count("kmd_book_lookup", self._open(), board._handle, room, len(room))
        turn = board.turn
        return tuple(
            BookMove(Move(m.move), Move(m.reply), None if m.score == abi.KMD_NO_SCORE else Score(cp=m.score, view=turn), m.depth, m.count) for m in room[:n]
        )

    def choose(self, board: Board, seed: int | None = None) -> BookMove | None:
        """One of the position's moves, with the probability of its count; where no move has a count, all are equal. None when the book has none.

        Args:
            seed: The same seed chooses the same move; None leaves it to chance.
        """
        moves = self.lookup(board)
        if not moves:
            return None
        weights = [move.count for move in moves] if any(move.count for move in moves) else None
        return random.Random(seed).choices(moves, weights)[0]

    @property
    def positions(self) -> int | None:
        """The number of positions; None for a book that is searched on disk, where they are not counted."""
        found = _native.size64()
        _native.call("kmd_book_size", self._open(), _native.reference(found))
        return None if found.value >= 2**63 else found.value

    def close(self) -> None:
        """Closes the file. Every later question is a HandleError; closing twice is fine."""
        self._closed = True
        handle, self._handle = self._handle, None
        if handle is not None and self._level == _native.level():
            _native.close("kmd_book_close", handle)

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # half-made, or the interpreter is ending
            pass

    def __enter__(self) -> Book:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return (_book, (self._path, self._settings))

    def __repr__(self) -> str:
        return f"Book({self._path!r})"


def _book(path: str, settings: dict[str, bool]) -> Book:
    return Book(path, **settings)
