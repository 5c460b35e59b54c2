"""The mate solver (詰将棋): looks for a forced mate by the side to move, every check and every legal reply counted.

An answer is a proof: "mate" comes with a line that ends in checkmate, "no mate" only when every check can be answered; what a limit cuts short is
"unknown". A position that returns fails the attacker, who would lose by perpetual check. The attacker needs no king, so that problems as they are
printed can be given, with the rest of the men in the defender's hand (``Setup.give_box``) or not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from struct import Struct
from typing import TYPE_CHECKING, Any, Literal

from . import _abi as abi
from . import _native
from .board import Board, MoveList
from .moves import Move
from .types import _check_range

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["MateBatch", "MateProgress", "MateResult", "Status", "all_mates_in_one", "solve", "solve_batch"]

Status = Literal["mate", "no mate", "unknown"]
"""How a search for a mate ended."""

_STATUS: dict[int, Status] = {abi.KMD_MATE_FOUND: "mate", abi.KMD_MATE_NONE: "no mate", abi.KMD_MATE_UNKNOWN: "unknown"}


MAX_PLIES_SHOWN = 80  # of a line in a notebook


@dataclass(frozen=True)
class MateResult:
    """What a mate search found. True when there is a mate. Draws itself in notebooks: the board with the first move, and the line.

    Attributes:
        status: "mate", "no mate" or "unknown".
        moves: The mating line, the attacker's move first; empty without a mate.
        nodes: Positions looked at.
        proven: Whether it is known that no shorter mate exists.
        first_moves: With that option: all first moves that keep the length; empty when a limit came before they were known.
        elapsed: Seconds.
    """

    status: Status
    moves: tuple[Move, ...]
    nodes: int
    proven: bool = False
    first_moves: tuple[Move, ...] = ()
    elapsed: float = field(default=0.0, compare=False)
    _counted: int | None = field(default=None, repr=False)
    # The problem: a kmd_board_view, which is copied much sooner than a text is made, an SFEN, or a row of packed positions and their format.
    _problem: bytes | str | tuple[Any, str] | None = field(default=None, repr=False, compare=False)

    @property
    def best_move(self) -> Move | None:
        """The first move of the mate, or None."""
        return self.moves[0] if self.moves else None

    @property
    def length(self) -> int:
        """Plies of the line, with ``skip_futile`` as they are counted; 0 without a mate."""
        return len(self.moves) if self._counted is None else self._counted

    def __bool__(self) -> bool:
        return self.status == "mate"

    def board(self) -> Board:
        """A new board of the problem. InvalidValueError where the result does not know it, as one that was made by hand."""
        from .errors import InvalidValueError
        from .setup import Setup
        from .types import Hand

        problem = self._problem
        if problem is None:
            raise InvalidValueError("the result was made without its position")
        if isinstance(problem, bytes):
            view = abi.kmd_board_view.from_buffer_copy(problem)
            return Setup.from_pieces(view.pieces[: abi.KMD_SQUARES], [Hand(hand) for hand in view.hands], view.turn, view.ply).to_board()
        if isinstance(problem, str):
            return Board(problem)
        from . import batch

        return Board(batch.sfens(problem[0], format=problem[1])[0])

    def _repr_html_(self) -> str | None:
        from html import escape

        from ._results import BOARD_SIZE, CELL, line_cell, panel, words_of
        from .svg import Arrow

        if self._problem is None:
            return None
        board = self.board()
        others = [Arrow(move, width=0.6) for move in self.first_moves if move != self.best_move]
        arrows = others if self.best_move is None else [*others, Arrow(self.best_move)]
        head = f"{self.status} in {self.length}" if self else self.status
        head += f", {self.nodes:,} nodes"
        if self.elapsed >= 0.005:
            head += f" in {self.elapsed:.2f} s"
        if self and self.proven:
            head += "; no shorter mate exists"
        rows = [f"<tr><td {CELL}>{escape(head)}</td></tr>"]
        if self:
            rows.append(f"<tr>{line_cell(*words_of(board, self.moves, MAX_PLIES_SHOWN))}</tr>")
        if len(self.first_moves) > 1:
            firsts = " ".join(board.kif(move) for move in self.first_moves)
            rows.append(f"<tr><td {CELL}>first moves that keep the length: {escape(firsts)}</td></tr>")
        return panel(
            board.svg(theme="auto", arrows=arrows, size=BOARD_SIZE), f'<table style="border-collapse:collapse;margin:0"><tbody>{"".join(rows)}</tbody></table>'
        )


@dataclass(frozen=True)
class MateProgress:
    """How far a mate search is.

    Attributes:
        nodes: Positions looked at.
        plies: From the problem to the position at work.
        fill: How full the table is, 0 to 1.
        length: Plies of a mate that has been found and is being shortened; 0 before.
        elapsed: Seconds.
    """

    nodes: int
    plies: int
    fill: float
    length: int
    elapsed: float


def _limits(
    nodes: int | None, movetime_ms: int | None, depth: int | None, memory_mb: int, shortest: bool, first_moves: bool = False, skip_futile: bool = False
) -> abi.kmd_mate_limits:
    for name, value, most in (("nodes", nodes, _MOST_NODES), ("movetime_ms", movetime_ms, 2**40), ("depth", depth, 2**31 - 1)):
        if value is not None:
            _check_range(name, value, 1, most)
    _check_range("memory_mb", memory_mb, 1, abi.KMD_MAX_MATE_MB)
    flags = (abi.KMD_MATE_SHORTEST if shortest else 0) | (abi.KMD_MATE_FIRST_MOVES if first_moves else 0) | (abi.KMD_MATE_SKIP_FUTILE if skip_futile else 0)
    return _native.struct(abi.kmd_mate_limits, nodes=nodes or 0, movetime_ms=movetime_ms or 0, depth=depth or 0, memory_mb=memory_mb, flags=flags)


# A job takes longer to begin than most problems to be solved, so so many positions are looked at without one. The GIL is kept for about as long as Python
# lets a thread have it, a few milliseconds.
_QUICK_NODES = abi.KMD_MATE_QUICK_NODES
_MOST_MB = abi.KMD_MAX_MATE_MB
_MOST_NODES = 2**63 - 1


# Where what is read of a result lies: the length of the mate, how much of the line there is (and nodes and elapsed_us behind it), proven, the line.
_LENGTH, _PV_LENGTH, _PROVEN, _PV = (getattr(abi.kmd_result, name).offset for name in ("depth", "pv_length", "proven", "pv"))
_unpack = Struct(f"=i{_PV_LENGTH - _LENGTH - 4}xHQQ{_PROVEN - _PV_LENGTH - 18}x?{_PV - _PROVEN - 1}x3H").unpack_from


class _Room:
    """A place for the result of a call, used again by the next."""

    __slots__ = ("reference", "result", "values")

    def __init__(self) -> None:
        self.result = _native.struct(abi.kmd_result)
        self.reference = _native.reference(self.result)
        self.values = memoryview(self.result).cast("B").cast("H")


_rooms: list[_Room] = []
_hot = _native.hot
_new = object.__new__
_known_move = Move._interned.__getitem__
_FOUND, _NO_MATE = abi.KMD_MATE_FOUND, abi.KMD_MATE_NONE


def solve(
    board: Board,
    nodes: int | None = None,
    movetime_ms: int | None = None,
    memory_mb: int = 64,
    shortest: bool = False,
    *,
    depth: int | None = None,
    first_moves: bool = False,
    skip_futile: bool = False,
    progress: Callable[[MateProgress], None] | None = None,
) -> MateResult:
    """Looks for a forced mate by the side to move. Ctrl-C ends it with KeyboardInterrupt.

    Args:
        board: The position; the defender's king must be there.
        nodes: How many positions to look at, from 1; None for 1,000,000 when there is no time limit either, else for no limit.
        movetime_ms: How long to search, in milliseconds, from 1; None for no limit.
        memory_mb: Memory to use at most, in MiB; a problem takes what it needs.
        shortest: Go on until no shorter mate exists (``proven``); the line is then that of the longest resistance.
        depth: Longest mate in plies, from 1; None for no limit. "no mate" still means a mate of no length.
        first_moves: Find all first moves that keep the length of the shortest mate.
        skip_futile: Count the shortest mate as problems are counted, without futile interpositions (無駄合い): ``length`` may then be less than the moves
            of the line, which still ends in checkmate.
        progress: A function that is called some times a second; what it raises ends the search.

    Raises:
        InvalidPositionError: The defender has no king.
        ValueError: A limit is out of range.

    >>> from komadori import Board
    >>> solve(Board("4k4/9/4P4/9/9/9/9/9/9 b G 1")).moves
    (Move.from_usi('G*5b'),)
    """
    if not isinstance(board, Board):
        raise TypeError(f"board must be Board, not {type(board).__name__}")
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a function or None, not {type(progress).__name__}")
    problem = board._slot.view.tobytes()
    spent = 0.0
    if (
        movetime_ms is None
        and depth is None
        and progress is None
        and not first_moves
        and not skip_futile
        and type(memory_mb) is int
        and 0 < memory_mb <= _MOST_MB
    ):
        # The first look, written out as calls would cost as much as a mate in three. Lines too long for it, and what goes wrong, are left to the job.
        if nodes is None or (type(nodes) is int and _QUICK_NODES < nodes <= _MOST_NODES):
            quick = _QUICK_NODES
        else:
            quick = min(_check_range("nodes", nodes, 1, _MOST_NODES), _QUICK_NODES)
        room = _rooms.pop() if _rooms else _Room()
        kind = _hot.mate(board._slot.quick, quick, 1 if shortest else 0, room.reference)
        if kind >= 0:
            length, here, looked, elapsed, proven, first, second, third = _unpack(room.result, _LENGTH)
            moves: tuple[Move, ...]
            try:
                if length == 1:
                    moves = (_known_move(first),)
                elif length == 3:
                    moves = (_known_move(first), _known_move(second), _known_move(third))
                else:
                    moves = tuple(map(_known_move, room.values[_PV // 2 : _PV // 2 + length])) if length else ()
            except KeyError:
                moves = tuple(map(Move, room.values[_PV // 2 : _PV // 2 + length]))
            _rooms.append(room)
            if here == length and (quick == nodes or (kind == _FOUND and (proven or not shortest)) or kind == _NO_MATE):
                found: MateResult = _new(MateResult)
                of = found.__dict__
                of["status"] = _STATUS[kind]
                of["moves"] = moves
                of["nodes"] = looked
                of["proven"] = proven
                of["first_moves"] = ()
                of["elapsed"] = elapsed * 1e-6
                of["_problem"] = problem
                return found
            spent = elapsed * 1e-6
        else:
            _rooms.append(room)
    limits = _limits(nodes, movetime_ms, depth, memory_mb, shortest, first_moves, skip_futile)
    job = _native.Job("kmd_mate_start", board._handle, _native.reference(limits))
    try:
        while not job.wait():
            if progress is not None:
                now = job.poll()
                progress(MateProgress(now.nodes, now.selective_depth, now.hashfull / 1000, now.depth, now.elapsed_us / 1e6))
        line = MoveList(job.codes("kmd_mate_moves", abi.KMD_MAX_MATE_PLIES))
        firsts = MoveList(job.codes("kmd_mate_first_moves", abi.KMD_MAX_MATE_PLIES)) if first_moves else ()
        raw = job.finish()
        return MateResult(
            status=_STATUS[raw.kind],
            moves=tuple(line),
            nodes=raw.nodes,
            proven=raw.proven != 0,
            first_moves=tuple(firsts),
            elapsed=spent + raw.elapsed_us / 1e6,
            _counted=raw.depth if skip_futile else None,
            _problem=problem,
        )
    finally:
        job.end()


def all_mates_in_one(board: Board) -> MoveList:
    """All legal moves that mate at once; ``board.mate_in_one()`` gives one.

    >>> from komadori import Board
    >>> all_mates_in_one(Board("4k4/9/3PP4/9/9/9/9/9/9 b G 1"))
    <MoveList: G*5b>
    """
    if not isinstance(board, Board):
        raise TypeError(f"board must be Board, not {type(board).__name__}")
    return MoveList(_native.codes("kmd_board_mates_in_one", abi.KMD_MAX_LEGAL_MOVES, board._handle))


class MateBatch(Sequence[MateResult]):
    """What ``solve_batch`` found, as arrays with a row for each position and as results by index.

    Attributes:
        lengths: Plies to mate, 0 where no mate was found; shape ``(n,)``, dtype ``int32``.
        moves: First moves of mates, 16-bit, 0 where no mate was found; shape ``(n,)``, dtype ``uint16``.
        nodes: Positions looked at; shape ``(n,)``, dtype ``uint64``.
        is_mate: Whether a mate was found; shape ``(n,)``, dtype ``bool``. Where it is False, there may still be one unless ``is_no_mate``.
        is_no_mate: Whether it is proven that there is none; shape ``(n,)``, dtype ``bool``.
        proven: Whether no shorter mate exists; shape ``(n,)``, dtype ``bool``.
        offsets, lines: The moves of row i are ``lines[offsets[i]:offsets[i + 1]]``; shapes ``(n + 1,)`` and ``(total,)``, dtypes ``int64`` and ``uint16``.
        elapsed: Seconds for all.
    """

    def __init__(
        self, found: npt.NDArray[np.void], offsets: npt.NDArray[np.int64], lines: npt.NDArray[np.uint16], elapsed: float, positions: Any, format: str
    ) -> None:
        self.lengths = found["length"].copy()
        self.moves = found["best_move"].copy()
        self.nodes = found["nodes"].copy()
        self.is_mate = found["kind"] == abi.KMD_MATE_FOUND
        self.is_no_mate = found["kind"] == abi.KMD_MATE_NONE
        self.proven = found["proven"] != 0
        self.offsets = offsets
        self.lines = lines
        self.elapsed = elapsed
        self._positions = positions  # SFEN texts, or packed
        self._format = format
        self._row_status = found["status"].copy()

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, index: Any) -> Any:
        """The result of one position; a slice gives a list of them. InvalidValueError for a row that had no answer."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        from .errors import InvalidValueError

        at = range(len(self))[index]
        if self._row_status[at]:
            raise InvalidValueError(f"row {at} has no result (status {self._row_status[at]})", row=at)
        position = self._positions[at : at + 1]
        return MateResult(
            status="mate" if self.is_mate[at] else "no mate" if self.is_no_mate[at] else "unknown",
            moves=tuple(Move(int(m)) for m in self.lines[self.offsets[at] : self.offsets[at + 1]]),
            nodes=int(self.nodes[at]),
            proven=bool(self.proven[at]),
            _problem=position[0] if isinstance(position, list) else (position.copy(), self._format),
        )

    def __repr__(self) -> str:
        return f"MateBatch({len(self)} positions, {int(self.is_mate.sum())} mates, {int(self.is_no_mate.sum())} without, {self.elapsed:.1f} s)"


def solve_batch(
    positions: Any,
    nodes: int | None = None,
    movetime_ms: int | None = None,
    memory_mb: int = 64,
    shortest: bool = False,
    *,
    depth: int | None = None,
    threads: int | None = None,
    format: str | None = None,
    progress: bool | Callable[[int, int], None] = False,
    row_status: Any = None,
) -> MateBatch:
    """Looks for a mate in many positions, one on each core at a time: by ``nodes`` or ``depth`` the answers do not depend on the number of threads, nor
    on the other positions. Ctrl-C ends it with KeyboardInterrupt.

    The distance to mate is a label of its own: ``solve_batch(records, nodes=2000, shortest=True).lengths``.

    Args:
        positions: SFEN texts, boards, or what functions of ``batch`` take: records, packed positions, an opened file.
        nodes, movetime_ms, depth, shortest: Limits of each search, as of ``solve``.
        memory_mb: Memory of each thread at most, in MiB.
        threads: Positions at a time; None for as many as ``set_threads`` says.
        format: What packed positions are, where the array does not tell; ValueError with boards and texts.
        progress: True for a progress bar (needs rich), or a function of the rows that are done and of all rows, called some times a second; what it
            raises ends the searches.
        row_status: An ``int32`` array for the status of each row (0 is good): bad rows then raise nothing.

    Raises:
        ParseError, InvalidPositionError: The lowest bad row, whose number is ``.row``.

    >>> found = solve_batch(["4k4/9/4P4/9/9/9/9/9/9 b G 1", "4k4/9/9/9/9/9/9/9/9 b P 1"], nodes=1000)
    >>> found.lengths.tolist(), [result.status for result in found]
    ([1, 0], ['mate', 'no mate'])
    """
    import numpy as np

    from . import _arrays, batch
    from ._search_batch import _progress, _row_error, texts_of

    limits = _limits(nodes, movetime_ms, depth, memory_mb, shortest)
    if isinstance(positions, (Board, str)):
        raise TypeError("positions must be several boards or texts, or packed: a single one is for solve")
    texts, positions, format, unread = texts_of(positions, format, threads, row_status is not None)
    rows = batch._rows(positions, format, "positions")
    out = None if row_status is None else _arrays.output("row_status", row_status, (rows.n,), np.int32)
    found = np.zeros(rows.n, np.dtype(abi.kmd_mate_found))
    with _progress(progress, rows.n) as moved:
        job = _native.Job("kmd_mate_batch_start", _native.reference(rows.struct(0, rows.n, _arrays.thread_count(threads))), _native.reference(limits))
        try:
            done = False
            while not done:
                done = job.wait()
                moved(int(job.poll().rows), rows.n)
            if rows.n:
                job.call("kmd_mate_batch_found", 0, rows.n, _arrays.address(found))
            offsets = np.zeros(rows.n + 1, np.int64)
            lines = np.zeros(max(1, int(found["length"].sum())), np.uint16)
            job.call("kmd_mate_batch_moves", _arrays.address(offsets), _arrays.address(lines), len(lines))
            elapsed = job.finish().elapsed_us / 1e6
        finally:
            job.end()
    if unread is not None:
        found["status"][unread != 0] = unread[unread != 0]
    bad = np.flatnonzero(found["status"])
    if out is not None:
        out[:] = found["status"]
    elif len(bad):
        raise _row_error(rows, int(bad[0]), int(found["status"][bad[0]]), "the side not to move has no king to mate")
    return MateBatch(found, offsets, lines[: offsets[-1]], elapsed, texts or rows.array, rows.format)
