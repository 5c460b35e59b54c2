"""The alpha-beta search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import total_ordering
from typing import TYPE_CHECKING, Any

from . import _abi as abi
from . import _native
from .errors import HandleError
from .moves import Move
from .types import Eval, _check_range

if TYPE_CHECKING:
    from .board import Board

__all__ = ["Score", "SearchResult", "Searcher"]


@total_ordering
@dataclass(frozen=True, eq=True)
class Score:
    """A score for the side to move: centipawns, or a forced mate. Exactly one of the two is set.

    Scores are ordered: every mate is above all centipawns, a quicker one above a slower one; being mated is below.

    Attributes:
        cp: Centipawns, or None.
        mate: Plies to mate, or None: positive when the side to move mates, negative (0 when it is mated already) when it is mated.
    """

    cp: int | None = None
    mate: int | None = None

    def __post_init__(self) -> None:
        if (self.cp is None) == (self.mate is None):
            raise ValueError("a score is either centipawns or a mate")

    @property
    def is_mate(self) -> bool:
        """Whether it is a forced mate, of either side."""
        return self.mate is not None

    def _rank(self) -> tuple[int, int]:
        if self.mate is None:
            return 1, self.cp or 0
        return (2, -self.mate) if self.mate > 0 else (0, -self.mate)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Score):
            return NotImplemented
        return self._rank() < other._rank()

    def flip_side(self) -> Score:
        """The score seen from the other side. A mate that stands on the board already cannot be turned: InvalidValueError."""
        from .errors import InvalidValueError

        if self.mate == 0:
            raise InvalidValueError("mate 0 has no other side")
        return Score(cp=None if self.cp is None else -self.cp, mate=None if self.mate is None else -self.mate)

    def to_eval(self) -> Eval:
        """As a stored 16-bit evaluation: centipawns are cut to ±32000, mates are special: 32767 minus the plies, or the negative."""
        if self.mate is None:
            return Eval(max(-32000, min(32000, self.cp or 0)))
        plies = min(abs(self.mate), 766)
        return Eval(32767 - plies if self.mate > 0 else plies - 32767)

    def __str__(self) -> str:
        return f"cp {self.cp}" if self.mate is None else f"mate {self.mate}"


@dataclass(frozen=True)
class SearchResult:
    """What a search found.

    Attributes:
        best_move: A legal move; Move.RESIGN when there is none.
        score: For the side to move.
        pv: The line that is expected, best move first; it replays legally.
        nodes: Positions looked at.
        depth: Completed depth in plies.
        selective_depth: Deepest ply looked at.
        elapsed: Seconds.
    """

    best_move: Move
    score: Score
    pv: tuple[Move, ...]
    nodes: int
    depth: int
    selective_depth: int = field(default=0, compare=False)
    elapsed: float = field(default=0.0, compare=False)


def _result(raw: abi.kmd_result) -> SearchResult:
    mate = raw.kind == abi.KMD_SCORE_MATE
    return SearchResult(
        best_move=Move(raw.best_move),
        score=Score(mate=raw.score) if mate else Score(cp=raw.score),
        pv=tuple(Move(value) for value in raw.pv[: raw.pv_length]),
        nodes=raw.nodes,
        depth=raw.depth,
        selective_depth=raw.selective_depth,
        elapsed=raw.elapsed_us / 1e6,
    )


class Searcher:
    """An alpha-beta engine with its transposition table. The table is kept from search to search; ``clear`` forgets it.

    One thread at a time may use a searcher. In a forked child it is made anew from its settings, with an empty table; it pickles as its settings.

    Args:
        hash_mb: Size of the transposition table in MiB, 1..65536.
        quiescence: False looks at no captures beyond the nominal depth: to see what they are good for.
        table: False searches without transposition table.
        repetition: False knows nothing of repetition (千日手).

    >>> from komadori import Board
    >>> with Searcher(hash_mb=1) as searcher:
    ...     result = searcher.search(Board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), depth=3)
    >>> result.best_move, str(result.score)
    (Move.from_usi('G*5b'), 'mate 1')
    """

    def __init__(self, hash_mb: int = 16, *, quiescence: bool = True, table: bool = True, repetition: bool = True) -> None:
        self._hash_mb = _check_range("hash_mb", hash_mb, 1, 65536)
        self._switches = (
            (0 if quiescence else abi.KMD_SEARCH_NO_QUIESCENCE)
            | (0 if table else abi.KMD_SEARCH_NO_TABLE)
            | (0 if repetition else abi.KMD_SEARCH_NO_REPETITION)
        )
        self._closed = False
        self._handle: Any = None
        self._level = -1

    def _open(self) -> Any:
        """The handle, made at first use and again in a forked child."""
        if self._closed:
            raise HandleError("the searcher is closed")
        _native.library()
        if self._handle is None or self._level != _native.level():
            options = _native.struct(abi.kmd_search_options, hash_mb=self._hash_mb, switches=self._switches)
            self._handle = _native.new_board("kmd_searcher_new", _native.reference(options))
            self._level = _native.level()
        return self._handle

    def search(
        self,
        board: Board,
        depth: int | None = None,
        nodes: int | None = None,
        movetime_ms: int | None = None,
        *,
        infinite: bool = False,
        on_progress: Callable[[SearchResult], None] | None = None,
    ) -> SearchResult:
        """Searches a position with its history. The search ends at the first limit that is reached; Ctrl-C ends it with KeyboardInterrupt.

        With one searcher freshly made or cleared, the same board and only ``depth`` or ``nodes`` as limits, the result is the same every time.

        Args:
            board: The position; both kings must be there. It may be used on by others meanwhile.
            depth: Deepest iteration in plies, from 1.
            nodes: Positions to look at, from 1.
            movetime_ms: Time in milliseconds, from 1.
            infinite: Search without limit, until Ctrl-C or until ``on_progress`` raises.
            on_progress: Called some 50 times a second with the best line so far.

        Raises:
            ValueError: No limit is given, or one is out of range.
            InvalidPositionError: A king is missing.
            HandleError: The searcher is closed or searching in another thread.
        """
        from .board import Board

        if not isinstance(board, Board):
            raise TypeError(f"board must be Board, not {type(board).__name__}")
        limits = {"depth": depth, "nodes": nodes, "movetime_ms": movetime_ms}
        for name, value in limits.items():
            if value is not None:
                _check_range(name, value, 1, 2**31 - 1 if name == "depth" else 2**63 - 1)
        if all(value is None for value in limits.values()) and not infinite:
            raise ValueError("a search needs a limit: depth, nodes, movetime_ms, or infinite=True")
        wanted = _native.struct(abi.kmd_search_limits, depth=depth or 0, nodes=nodes or 0, movetime_ms=movetime_ms or 0, infinite=int(bool(infinite)))
        handle = self._open()

        def poll(raw: abi.kmd_result) -> None:
            if on_progress is not None and raw.pv_length:
                on_progress(_result(raw))

        raw = _native.run("kmd_search_start", handle, board._handle, _native.reference(wanted), poll=poll if on_progress else None)
        return _result(raw)

    def clear(self) -> None:
        """Forgets everything learnt, so that the next search is as from a new searcher."""
        _native.call("kmd_searcher_clear", self._open())

    def close(self) -> None:
        """Gives the table back. Every later search is a HandleError; closing twice is fine."""
        self._closed = True
        handle, self._handle = self._handle, None
        if handle is not None and self._level == _native.level():
            _native.close("kmd_searcher_close", handle)

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # half-made, or the interpreter is ending
            pass

    def __enter__(self) -> Searcher:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _settings(self) -> tuple[int, bool, bool, bool]:
        off = self._switches
        return (
            self._hash_mb,
            not off & abi.KMD_SEARCH_NO_QUIESCENCE,
            not off & abi.KMD_SEARCH_NO_TABLE,
            not off & abi.KMD_SEARCH_NO_REPETITION,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return (_searcher, self._settings())

    def __repr__(self) -> str:
        return f"Searcher(hash_mb={self._hash_mb})"


def _searcher(hash_mb: int, quiescence: bool, table: bool, repetition: bool) -> Searcher:
    return Searcher(hash_mb, quiescence=quiescence, table=table, repetition=repetition)
