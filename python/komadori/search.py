"""The alpha-beta search: the best move of a position, how good it is and why; live, with several lines, and of many positions at once."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from . import _abi as abi
from . import _native
from ._limits import Clock, Limits, check_rules, make_limits, make_options
from ._results import Bound, Info, Line, Score, SearchResult, line_of, make_score, moves_of
from ._score_plot import SWING, ScorePlot, plot_scores
from ._search_batch import BatchAnalysis, analyse_batch
from .errors import HandleError
from .moves import Move
from .types import _check_range

if TYPE_CHECKING:
    from .board import Board
    from .rules import Rules

__all__ = [
    "SWING",
    "Analysis",
    "BatchAnalysis",
    "Bound",
    "Clock",
    "Info",
    "Line",
    "Score",
    "ScorePlot",
    "SearchResult",
    "Searcher",
    "analyse_batch",
    "plot_scores",
]

DEFAULT_HASH_MB = 64


class Searcher:
    """An alpha-beta engine with its transposition table. The table is kept from search to search; ``clear`` forgets it.

    One thread at a time may search with a searcher; any may ``stop`` it. In a forked child it is made anew from its settings, with an empty table; it
    pickles as its settings.

    Args:
        threads: Threads that search together, 1..512. Results on several threads differ from time to time.
        hash_mb: Size of the transposition table in MiB, 1..65536, of which the largest power of two is used. MemoryError at the first search where the
            machine has less than that to give.
        rules: Rules whose declarations (入玉宣言) and move limit the search knows of; None for none. Repetition (千日手) counts always.
        all_moves: Look also at non-promotions that are almost never better: of pawns, bishops and rooks, and of lances on the second rank. Those that
            a search is asked about (``moves``) are looked at always, and all where ``multipv`` is more than the other moves.
        quiescence: False looks at no captures beyond the nominal depth: to see what they are good for.
        table: False searches without transposition table.
        repetition: False knows nothing of repetition.
        minimum_ms, delay_ms, hard_delay_ms, slow_mover: How limits of a ``Clock`` are spent: think at least so long, if the clock allows it; end so much
            earlier, for the way of a move to whoever keeps the time; the same where the flag would fall; percent of the usual share, 1..1000.

    >>> from komadori import Board
    >>> with Searcher(hash_mb=1) as searcher:
    ...     result = searcher.search(Board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), depth=3)
    >>> result.best_move, str(result.score)
    (Move.from_usi('G*5b'), 'mate 1')
    """

    def __init__(
        self,
        threads: int = 1,
        hash_mb: int = DEFAULT_HASH_MB,
        *,
        rules: Rules | None = None,
        all_moves: bool = False,
        quiescence: bool = True,
        table: bool = True,
        repetition: bool = True,
        minimum_ms: int = 0,
        delay_ms: int = 0,
        hard_delay_ms: int = 0,
        slow_mover: int = 100,
    ) -> None:
        self._threads = _check_range("threads", threads, 1, abi.KMD_MAX_SEARCH_THREADS)
        self._hash_mb = _check_range("hash_mb", hash_mb, 1, abi.KMD_MAX_HASH_MB)
        self._rules = check_rules(rules)
        self._switches = (
            (0 if quiescence else abi.KMD_SEARCH_NO_QUIESCENCE)
            | (0 if table else abi.KMD_SEARCH_NO_TABLE)
            | (0 if repetition else abi.KMD_SEARCH_NO_REPETITION)
            | (abi.KMD_SEARCH_ALL_MOVES if all_moves else 0)
        )
        times = {"minimum_ms": minimum_ms, "delay_ms": delay_ms, "hard_delay_ms": hard_delay_ms}
        self._times = {name: _check_range(name, value, 0, 10**9) for name, value in times.items()}
        self._times["slow_mover"] = _check_range("slow_mover", slow_mover, 1, 1000)
        self._closed = False
        self._handle: Any = None
        self._level = -1
        self._running: weakref.ref[Analysis] | None = None

    def _open(self) -> Any:
        """The handle, made at first use and again in a forked child."""
        if self._closed:
            raise HandleError("the searcher is closed")
        _native.library()
        if self._handle is None or self._level != _native.level():
            options, kept = make_options(self._threads, self._hash_mb, self._switches, self._rules, **self._times)
            self._handle = _native.new_board("kmd_searcher_new", _native.reference(options))
            self._level = _native.level()
            del kept
        return self._handle

    def search(
        self,
        board: Board,
        depth: int | None = None,
        nodes: int | None = None,
        movetime_ms: int | None = None,
        multipv: int = 1,
        *,
        moves: Iterable[Move] | None = None,
        clock: Clock | None = None,
        infinite: bool = False,
        on_progress: Callable[[Info], None] | None = None,
    ) -> SearchResult:
        """Searches a position with its history. The search ends at the first limit that is reached, or by ``stop``; Ctrl-C ends it with KeyboardInterrupt.

        With one thread, a searcher freshly made or cleared, the same board and only ``depth`` or ``nodes`` as limits, the result is the same every time.

        Args:
            board: The position; both kings must be there. It may be used on by others meanwhile.
            depth: Deepest iteration in plies, from 1.
            nodes: Positions to look at, from 1, by all threads together; never exceeded.
            movetime_ms: Time in milliseconds, from 1.
            multipv: How many best lines to find, 1..593.
            moves: Only these moves are looked at.
            clock: What the players have left: the search chooses its time.
            infinite: Search without limit, until ``stop`` or Ctrl-C, or until ``on_progress`` raises.
            on_progress: Called after iterations, on the calling thread, at most some 50 times a second, with the lines so far.

        Raises:
            ValueError: No limit is given, or one is out of range.
            InvalidPositionError: A king is missing.
            HandleError: The searcher is closed or searching in another thread.
        """
        limits = make_limits(depth, nodes, movetime_ms, multipv, moves, clock, infinite=infinite)
        if on_progress is not None and not callable(on_progress):
            raise TypeError(f"on_progress must be a function or None, not {type(on_progress).__name__}")
        with Analysis(self, board, limits, keep=False) as analysis:
            if on_progress is None:
                return analysis.result()
            while not analysis._job.wait():
                found = analysis._take()
                if found:
                    on_progress(found[-1])
            return analysis.result()

    def analyse(
        self,
        board: Board,
        depth: int | None = None,
        nodes: int | None = None,
        movetime_ms: int | None = None,
        multipv: int = 1,
        *,
        moves: Iterable[Move] | None = None,
        clock: Clock | None = None,
        ponder: bool = False,
    ) -> Analysis:
        """Searches in the background and gives what it finds as it finds it, an Info for each depth; without any limit until it is left.

        ``for info in searcher.analyse(board, multipv=3): ...`` ends the search when the loop is left. See ``search`` for arguments and errors.

        Args:
            ponder: Search without regard to time until ``Analysis.ponderhit``.

        >>> from komadori import Board
        >>> [info.depth for info in Searcher(hash_mb=1).analyse(Board(), depth=3)]
        [1, 2, 3]
        """
        endless = all(limit is None for limit in (depth, nodes, movetime_ms, clock)) and not ponder
        return Analysis(self, board, make_limits(depth, nodes, movetime_ms, multipv, moves, clock, infinite=endless, ponder=ponder))

    def stop(self) -> None:
        """Ends the search that runs, if any, from any thread: it returns what it has found by then."""
        running = None if self._running is None else self._running()
        if running is not None:
            running.stop()

    def clear(self) -> None:
        """Forgets everything learnt, so that the next search is as from a new searcher. HandleError while it searches."""
        _native.call("kmd_searcher_clear", self._open())

    def close(self) -> None:
        """Ends the search that runs, as ``stop`` does, and gives the table back. Every later search is a HandleError; closing twice is fine."""
        self._closed = True
        self.stop()
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

    def __reduce__(self) -> tuple[Any, ...]:
        return (_searcher, (self._threads, self._hash_mb, self._rules, self._switches, self._times))

    def __repr__(self) -> str:
        return f"Searcher(threads={self._threads}, hash_mb={self._hash_mb})"


def _searcher(threads: int, hash_mb: int, rules: Rules | None, switches: int, times: dict[str, Any]) -> Searcher:
    made = Searcher(threads, hash_mb, rules=rules, **times)
    made._switches = switches
    return made


class Analysis(Iterator[Info]):
    """A search in the background: iterate over what it finds, depth by depth, or ``show`` it. Made by ``Searcher.analyse``.

    Leaving the ``with`` block, ``close``, or dropping the object stops the search. Ctrl-C in the loop raises KeyboardInterrupt there. An analysis draws
    itself in notebooks as the newest of its infos, with the winning rates of all.

    Attributes:
        infos: What the iterator has given so far.
    """

    def __init__(self, searcher: Searcher, board: Board, limits: Limits, *, keep: bool = True) -> None:
        from .board import Board

        self._closed = False
        self._job: Any = None
        if not isinstance(board, Board):
            raise TypeError(f"board must be Board, not {type(board).__name__}")
        self._searcher = searcher
        self._position = board.to_position()
        self._turn = board.turn
        self._expected = min(limits.struct.multipv, max(_count(board, limits), 1))
        self._lines: list[abi.kmd_info] = []  # of the iteration that is coming in
        self._found: list[Info] = []  # not given yet
        self.infos: list[Info] = []
        self._keep = keep  # whether somebody may still ask for infos once the search has ended
        self._room = (abi.kmd_info * 32)()
        self._result: SearchResult | None = None
        self._stopped = False
        self._lock = threading.Lock()  # held where the job is finished, or asked by another thread
        self._job = _native.Job("kmd_search_start", searcher._open(), board._handle, _native.reference(limits.struct))
        searcher._running = weakref.ref(self)  # no more: an analysis that is dropped ends

    def __iter__(self) -> Analysis:
        return self

    def __next__(self) -> Info:
        while not self._found:
            if self._closed or self._result is not None:
                raise StopIteration
            done = self._job.wait()
            self._found += self._take()
            if done and not self._found:
                if self._lines:  # fewer lines than expected
                    self._found.append(self._info())
                else:
                    self._finish()
        self.infos.append(self._found.pop(0))
        return self.infos[-1]

    def _take(self) -> list[Info]:
        """What has come in since the last time, as whole iterations."""
        found = []
        while True:
            count = _native.size()
            self._job.call("kmd_search_infos", self._room, len(self._room), _native.reference(count))
            for raw in self._room[: count.value]:
                copied = abi.kmd_info.from_buffer_copy(raw)
                if self._lines and raw.multipv == 1 and (raw.depth != self._lines[0].depth or len(self._lines) > 1):
                    found.append(self._info())
                self._lines = [line for line in self._lines if line.multipv < raw.multipv] + [copied]
                if raw.multipv == self._expected and raw.bound == abi.KMD_BOUND_EXACT:
                    found.append(self._info())
            if count.value < len(self._room):
                return found

    def _info(self) -> Info:
        raw, self._lines = self._lines, []
        return self._make_info(raw)

    def _make_info(self, raw: Sequence[abi.kmd_info]) -> Info:
        lines = tuple(line_of(line, self._turn) for line in raw)
        last = raw[-1]
        return Info(
            best_move=lines[0].move,
            score=lines[0].score,
            pv=lines[0].pv,
            nodes=last.nodes,
            depth=last.depth,
            selective_depth=max(line.selective_depth for line in raw),
            elapsed=last.elapsed_us / 1e6,
            lines=lines,
            hashfull=last.hashfull,
            position=self._position,
        )

    def _finish(self) -> None:
        """Takes the result of the job, which is done, unless another thread has."""
        with self._lock:
            if self._result is None:
                self._take_result()

    def _take_result(self) -> None:
        if self._keep:
            self._found += self._take()
            if self._lines:
                self._found.append(self._info())
        raw_lines = (abi.kmd_info * max(self._expected, 1))()
        count = _native.size()
        self._job.call("kmd_search_lines", raw_lines, len(raw_lines), _native.reference(count))
        raw = self._job.finish(stopped_is_fine=self._stopped)
        lines = tuple(line_of(line, self._turn) for line in raw_lines[: count.value])
        self._result = SearchResult(
            best_move=Move(raw.best_move),
            score=make_score(raw.kind, raw.score, self._turn),
            pv=moves_of(raw),
            nodes=raw.nodes,
            depth=raw.depth,
            selective_depth=raw.selective_depth,
            elapsed=raw.elapsed_us / 1e6,
            lines=lines,
            hashfull=raw.hashfull,
            position=self._position,
            stopped=self._stopped,
        )
        self._leave()

    def result(self) -> SearchResult:
        """Waits for the end of the search and gives its result, to any thread. HandleError after ``close``."""
        while self._result is None:
            try:
                done = self._job.wait()
            except HandleError:
                with self._lock:
                    if self._result is None:
                        raise
                break  # another thread has it
            if done:
                self._finish()
        return self._result

    def latest(self) -> Info | None:
        """The newest state of all lines, from any thread, without taking it from the iterator; None before the first depth. HandleError after ``close``."""
        raw_lines = (abi.kmd_info * self._expected)()
        count = _native.size()
        with self._lock:
            if self._result is not None:
                return self._result
            self._job.call("kmd_search_lines", raw_lines, len(raw_lines), _native.reference(count))
        return self._make_info(raw_lines[: count.value]) if count.value else None

    def show(self) -> SearchResult:
        """Shows what is found as it is found, and gives the result: in a notebook as one table that changes, else as printed text. Ctrl-C, or the notebook's
        button to interrupt, ends the search and gives what it has found.

        ``Searcher().analyse(board, multipv=3).show()``
        """
        update = _display()
        shown: Info | None = None
        last = 0.0
        try:
            for info in self:
                if not self._found and time.monotonic() - last >= SHOW_EVERY:
                    update(self)
                    shown, last = info, time.monotonic()
        except KeyboardInterrupt:
            self.stop()
        except BaseException:  # where it cannot be shown, nobody has a name for the search to end it by
            self.stop()
            raise
        result = self.result()
        if result != shown:
            update(self)
        return result

    def _newest(self) -> Info | None:
        return self._result or (self.infos[-1] if self.infos else None)

    def __repr__(self) -> str:
        newest = self._newest()
        state = "closed" if self._closed and self._result is None else "running" if self._result is None else "done"
        return f"Analysis({state}{'' if newest is None else f', {newest!r}'})"

    def __str__(self) -> str:
        """The newest info as text."""
        return str(self._newest() or "nothing found yet")

    def _repr_html_(self) -> str:
        newest = self._newest()
        if newest is None:
            return "<p>nothing found yet</p>"
        curve = plot_scores(self.infos, self._turn)._repr_html_() if len(self.infos) > 1 else ""
        return f"<div>{newest._repr_html_()}{curve}</div>"

    def stop(self) -> None:
        """Ends the search, from any thread; the iterator gives what is left and ends, and ``result`` is there."""
        self._stopped = True
        self._job.cancel()

    def ponderhit(self) -> None:
        """The opponent has made the move that is pondered upon: limits of time begin to count."""
        self._job.call("kmd_search_ponderhit")

    def close(self) -> None:
        """Stops the search and waits until it has stopped. Closing twice is fine."""
        self._closed = True
        if self._job is not None:
            self._job.end()
            self._leave()

    def _leave(self) -> None:
        running = self._searcher._running
        if running is not None and running() in (self, None):
            self._searcher._running = None

    def __enter__(self) -> Analysis:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("an analysis is a search that runs, and cannot be copied or pickled: its result() and infos can")

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # half-made, or the interpreter is ending
            pass


SHOW_EVERY = 0.15
"""Seconds between two changes of what ``Analysis.show`` shows."""


def _display() -> Callable[[Analysis], object]:
    """What shows an analysis: a display of the notebook that is changed each time, or print."""
    try:
        from IPython import get_ipython  # type: ignore[import-not-found,unused-ignore]
        from IPython.display import display  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return print
    if getattr(get_ipython(), "kernel", None) is None:  # a terminal
        return print
    handle: Any = None

    def update(analysis: Analysis) -> None:
        nonlocal handle
        if handle is None:
            handle = display(analysis, display_id=True)  # type: ignore[no-untyped-call,unused-ignore]
        else:
            handle.update(analysis)

    return update


def _count(board: Board, limits: Limits) -> int:
    """How many moves are looked at: there are no more lines than that."""
    if limits.struct.multipv == 1:
        return 1
    if limits.moves is None:
        return len(board.legal_moves())
    return sum(board.is_legal(Move(value)) for value in limits.moves)
