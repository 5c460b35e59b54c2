"""Search: what is best here, how good is it, and why.

>>> from komadori import Board
>>> found = Searcher(hash_mib=1).search(Board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), depth=3)
>>> found.best_move, str(found.score)
(Move.from_usi('G*5b'), 'mate 1')
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from ctypes import byref, c_uint64
from dataclasses import dataclass
from typing import Any

from . import _abi as abi
from . import _native
from .board import Board
from .moves import Move
from .types import Eval


@dataclass(frozen=True, slots=True)
class Score:
    """The worth of a position for the side to move: centipawns, or plies to mate, never both.

    Attributes:
        cp: Centipawns; None for a mate.
        mate: Plies to mate, negative when the side to move is mated (0 when it is already, see ``is_lost``); None for centipawns.
    """

    cp: int | None = None
    mate: int | None = None

    def __post_init__(self) -> None:
        if (self.cp is None) == (self.mate is None):
            raise ValueError("a score is either centipawns or a mate")

    @property
    def is_mate(self) -> bool:
        """Whether it is a mate, either way."""
        return self.mate is not None

    @property
    def is_lost(self) -> bool:
        """Whether the side to move is mated, now or by force."""
        return self.mate is not None and self.mate <= 0

    def to_eval(self) -> Eval:
        """As a stored 16-bit evaluation: centipawns within ±32000, a mate beyond, ±(32767 - plies)."""
        if self.mate is None:
            assert self.cp is not None
            return Eval(max(-32000, min(32000, self.cp)))
        distance = max(32001, 32767 - abs(self.mate))
        return Eval(-distance if self.is_lost else distance)

    def _order(self) -> tuple[int, int]:
        if self.mate is None:
            assert self.cp is not None
            return (0, self.cp)
        return (-1, -self.mate) if self.is_lost else (1, -self.mate)

    def __lt__(self, other: Score) -> bool:
        return self._order() < other._order()

    def __str__(self) -> str:
        """USI: ``cp 35``, ``mate 5``, ``mate -4``."""
        return f"cp {self.cp}" if self.mate is None else f"mate {self.mate}"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found.

    Attributes:
        best_move: A legal move; Move.RESIGN when there is none.
        score: For the side to move.
        pv: Principal variation; begins with best_move and replays legally.
        nodes: Positions visited.
        depth: Iterations finished.
        selective_depth: Ply of the deepest node.
        elapsed: Seconds.
    """

    best_move: Move
    score: Score
    pv: tuple[Move, ...]
    nodes: int
    depth: int
    selective_depth: int
    elapsed: float


def _result(r: abi.kmd_result) -> SearchResult:
    score = Score(mate=r.score) if r.kind == abi.KMD_SCORE_MATE else Score(cp=r.score)
    pv = tuple(Move(v) for v in r.pv[: r.pv_length])
    return SearchResult(Move(r.best_move), score, pv, r.nodes, r.depth, r.selective_depth, r.elapsed_us / 1e6)


class Searcher:
    """An alpha-beta engine with its transposition table. With limits of nodes or depth it is deterministic from a fresh table on.

    In a child made by fork it goes on with an empty table of the same size.

    Args:
        hash_mib: Size of the transposition table in MiB, 1..65536.
        quiescence: Whether leaves are searched on through exchanges.
        table: Whether anything is remembered between nodes.
        repetition: Whether a returning position is known as one. These three exist to show what the parts are good for.
    """

    __slots__ = ("__weakref__", "_closer", "_handle", "_level", "_options")

    def __init__(self, hash_mib: int = 16, *, quiescence: bool = True, table: bool = True, repetition: bool = True) -> None:
        if not isinstance(hash_mib, int) or isinstance(hash_mib, bool):
            raise TypeError(f"hash_mib must be int, not {type(hash_mib).__name__}")
        if not 1 <= hash_mib <= 65536:
            raise ValueError(f"hash_mib {hash_mib}, want 1..65536")
        self._options = {"hash_mib": hash_mib, "quiescence": bool(quiescence), "table": bool(table), "repetition": bool(repetition)}
        self._handle: c_uint64 | None = None
        self._closer: Any = None
        self._level = -1
        self._open()

    def _open(self) -> c_uint64:
        """The handle, made anew after a fork."""
        if self._level == _native.level() and self._handle is not None:
            return self._handle
        if self._level >= 0 and self._handle is None:
            _native.closed("searcher")
        options = abi.kmd_search_options()
        options.size, options.hash_mib = ctypes.sizeof(options), self._options["hash_mib"]
        for name, switch in (("quiescence", abi.KMD_SEARCH_NO_QUIESCENCE), ("table", abi.KMD_SEARCH_NO_TABLE), ("repetition", abi.KMD_SEARCH_NO_REPETITION)):
            if not self._options[name]:
                options.switches |= switch
        handle = c_uint64()
        _native.call("kmd_searcher_new", byref(options), byref(handle))
        if self._closer is not None:
            self._closer.detach()
        self._handle, self._level = handle, _native.level()
        self._closer = weakref.finalize(self, _close, handle, self._level)
        return handle

    def search(
        self,
        board: Board,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        movetime_ms: int | None = None,
        on_info: Callable[[SearchResult], object] | None = None,
    ) -> SearchResult:
        """Searches a position with its history until the first limit is reached. Ctrl-C stops it within a tenth of a second.

        Args:
            board: Has both kings; may be used on by other threads meanwhile.
            depth: Iterations, from 1.
            nodes: Positions visited, from 1; never exceeded.
            movetime_ms: Milliseconds, from 1.
            on_info: Called now and then, in this thread, with what is found so far.

        Raises:
            ValueError: No limit is given, or one is below 1.
            InvalidPositionError: A king is missing.
            HandleError: Another thread searches with this searcher.
        """
        limits = abi.kmd_search_limits()
        limits.size = ctypes.sizeof(limits)
        if depth is None and nodes is None and movetime_ms is None:
            raise ValueError("a search needs a limit: depth, nodes or movetime_ms")
        for name, value, most in (("depth", depth, 2**31 - 1), ("nodes", nodes, 2**63 - 1), ("movetime_ms", movetime_ms, 2**40)):
            if value is None:
                continue
            if not hasattr(value, "__index__") or isinstance(value, bool):
                raise TypeError(f"{name} must be int, not {type(value).__name__}")
            if not 1 <= value <= most:
                raise ValueError(f"{name} {value}, want 1..{most}")
            setattr(limits, name, value)
        if not isinstance(board, Board):
            raise TypeError(f"board must be Board, not {type(board).__name__}")
        poll = None
        if on_info is not None:
            seen = -1

            def poll(r: abi.kmd_result) -> None:
                nonlocal seen
                if r.depth > seen and r.pv_length:
                    seen = r.depth
                    on_info(_result(r))

        return _result(_native.run("kmd_search_start", self._open(), board._handle, byref(limits), poll=poll))

    def clear(self) -> None:
        """Forgets everything learnt, as if newly made."""
        _native.call("kmd_searcher_clear", self._open())

    def close(self) -> None:
        """Gives the table's memory back. Every later use is a HandleError; closing twice is fine."""
        self._handle = None
        if self._closer is not None:
            self._closer()

    def __enter__(self) -> Searcher:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return (_searcher, (self._options,))

    def __repr__(self) -> str:
        return f"Searcher({', '.join(f'{name}={value}' for name, value in self._options.items())})"


def _searcher(options: dict[str, Any]) -> Searcher:
    return Searcher(**options)


def _close(handle: c_uint64, level: int) -> None:
    """Closes a searcher in the process that made it."""
    if level == _native.level() and _native.is_loaded():
        _native.library().slow.kmd_searcher_close(handle)
