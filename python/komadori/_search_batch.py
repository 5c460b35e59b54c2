"""Searches of many positions; ``komadori.search`` has the names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from . import _abi as abi
from . import _install, _native
from ._limits import make_limits, make_options
from ._results import Bound, Line, SearchResult, make_score
from ._score_plot import ScorePlot, plot_scores
from .moves import Move
from .types import Color, _check_range

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .rules import Rules


MAX_ROWS_SHOWN = 400  # in a notebook; longer than any game but a few


class BatchAnalysis(Sequence[SearchResult]):
    """What ``analyse_batch`` found, as arrays with a row for each position and as results by index.

    Attributes:
        moves: Best moves, 16-bit, shape ``(n,)``, dtype ``uint16``.
        evals: Scores as stored evaluations, side to move's view, see ``Score.to_eval``; shape ``(n,)``, dtype ``int16``.
        is_mate: Whether the score is a mate; shape ``(n,)``, dtype ``bool``.
        nodes: Shape ``(n,)``, dtype ``uint64``.
        depth: Shape ``(n,)``, dtype ``int32``.
        found: All lines as the library gives them, shape ``(n, multipv)``: fields status, kind (0 where there are fewer lines), score, bound, depth,
            nodes, best_move, pv_length and pv, whose first 24 moves are kept.
        elapsed: Seconds for all.
    """

    def __init__(self, found: npt.NDArray[np.void], positions: Sequence[str] | npt.NDArray[Any], format: str, elapsed: float) -> None:
        import numpy as np

        first = found[:, 0]
        self.found = found
        self.moves = first["best_move"].copy()
        self.nodes = first["nodes"].copy()
        self.depth = first["depth"].copy()
        self.is_mate = first["kind"] == abi.KMD_SCORE_MATE
        score = first["score"].astype(np.int64)
        plies = np.minimum(np.abs(score), 766)
        mates = np.where(score > 0, 32767 - plies, plies - 32767)
        self.evals = np.where(self.is_mate, mates, np.clip(score, -32000, 32000)).astype(np.int16)
        self.elapsed = elapsed
        self._positions = positions  # SFEN texts, or packed
        self._format = format

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, index: Any) -> Any:
        """The result of one position; a slice gives a list of them. InvalidValueError for a row that had no answer."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        from .board import Board
        from .errors import InvalidValueError

        at = range(len(self))[index]
        raw = self.found[at]
        if raw[0]["status"] != 0:
            raise InvalidValueError(f"row {at} has no result (status {raw[0]['status']})", row=at)
        board = Board(self._sfen(at))
        lines = tuple(
            Line(
                make_score(int(line["kind"]), int(line["score"]), board.turn),
                tuple(Move(int(m)) for m in line["pv"][: line["pv_length"]]),
                Bound(int(line["bound"])),
            )
            for line in raw
            if line["kind"]
        )
        return SearchResult(
            best_move=Move(int(raw[0]["best_move"])),
            score=lines[0].score,
            pv=lines[0].pv,
            nodes=int(raw[0]["nodes"]),
            depth=int(raw[0]["depth"]),
            lines=lines,
            position=f"sfen {board.to_sfen()}",
        )

    def _sfen(self, row: int) -> str:
        from . import batch

        position = self._positions[row]
        return position if isinstance(position, str) else batch.sfens(self._positions[row : row + 1], format=self._format)[0]

    def results(self) -> list[SearchResult | None]:
        """The results of all positions, None of a row that had no answer."""
        return [None if status else self[i] for i, status in enumerate(self.found[:, 0]["status"].tolist())]

    def plot(self, color: Color = Color.BLACK, *, scale: float | None = None) -> ScorePlot:
        """The winning rates of one side, position by position; see ``plot_scores``. For the positions of a game."""
        return plot_scores(self.results(), color, scale=scale)

    def _repr_html_(self) -> str:
        """The first rows in numbers, and their curve."""
        cell = 'style="text-align:left;padding:3px 10px"'
        rows = []
        shown = self.results() if len(self) <= MAX_ROWS_SHOWN else [None if self.found[i, 0]["status"] else self[i] for i in range(MAX_ROWS_SHOWN)]
        for i, result in enumerate(shown):
            values: list[str]
            if result is None:
                values = ["no result", "", "", "", ""]
            else:
                board, move = result.board(), result.best_move
                word = "☗☖"[board.turn] + board.kif(move) if move.is_normal else move.to_usi()
                values = [word, result.lines[0]._shown, f"{100 * result.score.winning_rate():.1f} %", str(result.depth), f"{result.nodes:,}"]
            rows.append(f"<tr><td {cell}>{i}</td>{''.join(f'<td {cell}>{escape(value)}</td>' for value in values)}</tr>")
        more = len(self) - len(shown)
        if more:
            rows.append(f'<tr><td {cell}>…</td><td {cell} colspan="5">{more:,} more</td></tr>')
        heads = "".join(f"<th {cell}>{name}</th>" for name in ("row", "best move", "score", "wins", "depth", "nodes"))
        curve = plot_scores(shown)._repr_html_() if 1 < len(self) <= MAX_ROWS_SHOWN else ""
        caption = f'<caption style="text-align:left;caption-side:top;padding:3px 10px">{escape(repr(self))}</caption>'
        table = f'<table style="border-collapse:collapse;margin:0">{caption}<thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
        scroll = ' style="max-height:26em;overflow-y:auto"'
        return f"<div>{curve}<div{scroll}>{table}</div></div>"

    def __repr__(self) -> str:
        return f"BatchAnalysis({len(self)} positions, {int(self.nodes.sum()):,} nodes, {self.elapsed:.1f} s)"


def analyse_batch(
    positions: Any,
    depth: int | None = None,
    nodes: int | None = None,
    movetime_ms: int | None = None,
    multipv: int = 1,
    *,
    threads: int | None = None,
    hash_mb: int | None = None,
    rules: Rules | None = None,
    format: str | None = None,
    progress: bool | Callable[[int, int], None] = False,
    row_status: Any = None,
) -> BatchAnalysis:
    """Searches many positions, one on each core at a time, each as a new searcher would: by ``depth`` or ``nodes`` the answers do not depend on the
    number of threads, nor on the other positions. Ctrl-C ends it with KeyboardInterrupt.

    The evaluations of training records are made anew with ``records["eval"] = analyse_batch(records, nodes=10_000).evals`` (of PSV: ``"score"``).

    Args:
        positions: Boards, whose moves so far do not count here, SFEN texts, or what functions of ``batch`` take: records, packed positions, an opened
            file.
        depth, nodes, movetime_ms: Limits of each search; one is wanted.
        multipv: Best lines of each position.
        threads: Positions at a time; None for as many as ``set_threads`` says.
        hash_mb: Size of each of the ``threads`` transposition tables in MiB; None for as much as ``nodes`` fill, at most 64, and 16 without that
            limit. Clearing a large table takes longer than a small search.
        rules: As of ``Searcher``.
        format: What packed positions are, where the array does not tell; ValueError with boards and texts.
        progress: True for a progress bar (needs rich), or a function of the rows that are done and of all rows, called some times a second; what it
            raises ends the searches.
        row_status: An ``int32`` array for the status of each row (0 is good): bad rows then raise nothing.

    Raises:
        ParseError, InvalidPositionError: The lowest bad row, whose number is ``.row``.

    >>> from komadori import Board
    >>> found = analyse_batch([Board(), Board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")], depth=2, hash_mb=1)
    >>> found[1].best_move, found.is_mate.tolist()
    (Move.from_usi('G*5b'), [False, True])
    """
    import numpy as np

    from . import _arrays, batch
    from .board import Board

    limits = make_limits(depth, nodes, movetime_ms, multipv, None, None)
    if hash_mb is None:
        hash_mb = 16 if nodes is None else min(64, max(1, nodes // 16384))
    _check_range("hash_mb", hash_mb, 1, abi.KMD_MAX_HASH_MB)
    if isinstance(positions, (Board, str)):
        raise TypeError("positions must be several boards or texts, or packed: a single one is for Searcher.search")
    texts, positions, format, unread = texts_of(positions, format, threads, row_status is not None)
    rows = batch._rows(positions, format, "positions")
    status = None if row_status is None else _arrays.output("row_status", row_status, (rows.n,), np.int32)
    found = np.zeros((rows.n, multipv), np.dtype(abi.kmd_found))
    options, kept = make_options(1, hash_mb, 0, rules)
    with _progress(progress, rows.n) as moved:
        job = _native.Job(
            "kmd_search_batch_start",
            _native.reference(rows.struct(0, rows.n, _arrays.thread_count(threads))),
            _native.reference(options),
            _native.reference(limits.struct),
        )
        del kept
        try:
            done = False
            while not done:
                done = job.wait()
                moved(int(job.poll().rows), rows.n)
            if rows.n:
                job.call("kmd_search_batch_found", 0, found.size, _arrays.address(found))
            elapsed = job.finish().elapsed_us / 1e6
        finally:
            job.end()
    if unread is not None:
        found["status"][unread != 0] = unread[unread != 0, None]
    bad = np.flatnonzero(found[:, 0]["status"])
    if status is not None:
        status[:] = found[:, 0]["status"]
    elif len(bad):
        raise _row_error(rows, int(bad[0]), int(found[bad[0], 0]["status"]))

    return BatchAnalysis(found, texts or rows.array, rows.format, elapsed)


def texts_of(positions: Any, format: str | None, threads: int | None, lenient: bool) -> tuple[list[str], Any, str | None, npt.NDArray[np.int32] | None]:
    """Takes boards and SFEN texts for what functions of ``batch`` take.

    Returns:
        The texts, none where positions are packed already; positions and their format; where lenient, the status of each text: one that is no position
        becomes a row that is none, and its own error says more.
    """
    import numpy as np

    from . import batch
    from .board import Board

    if not isinstance(positions, (list, tuple)) or not positions:
        return [], positions, format, None
    kind = next((of for of in (Board, str, (bytes, bytearray)) if isinstance(positions[0], of)), None)
    for row, one in enumerate(positions):
        if kind is None or not isinstance(one, kind):
            wanted = "Board, str or bytes" if kind is None else "bytes" if isinstance(kind, tuple) else kind.__name__
            raise TypeError(f"positions[{row}] must be {wanted}, not {type(one).__name__}")
    if kind is Board:
        positions = [board.to_sfen() for board in positions]
    elif kind is not str:
        return [], positions, format, None
    if format is not None:
        raise ValueError(f"format is {format!r}, but positions are {'boards' if kind is Board else 'texts'}: it is for packed ones")
    status = np.zeros(len(positions), np.int32) if lenient else None
    return list(positions), batch.from_sfens(positions, threads, format="board", row_status=status), "board", status


def _row_error(rows: Any, row: int, status: int, missing: str = "a king is missing") -> Exception:
    """Why a row could not be searched; ``missing`` says what a position lacks that is one."""
    from . import batch
    from ._arrays import shifted
    from .errors import InvalidPositionError

    try:
        batch.keys(rows.array[row : row + 1], format=rows.format)
    except Exception as error:
        return shifted(error, row)
    return InvalidPositionError(f"row {row} cannot be searched (status {status}): {missing}", row=row)


class _progress:
    """What a search of many positions tells of its progress: nothing, a bar, or a function's calls."""

    def __init__(self, wanted: bool | Callable[[int, int], None], total: int) -> None:
        if not isinstance(wanted, bool) and not callable(wanted):
            raise TypeError(f"progress must be bool or a function, not {type(wanted).__name__}")
        self._wanted = wanted
        self._total = total
        self._bar: Any = None

    def __enter__(self) -> Callable[[int, int], None]:
        if callable(self._wanted):
            return self._wanted
        if not self._wanted:
            return lambda done, total: None
        try:
            from rich import progress
        except ImportError:
            raise ImportError(f"a progress bar needs rich: {_install.extra('cli')}, or give progress= a function") from None
        self._bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TimeElapsedColumn(),
            progress.TimeRemainingColumn(),
        )
        task = self._bar.add_task("positions", total=self._total)
        self._bar.start()
        return lambda done, total: self._bar.update(task, completed=done)

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()
