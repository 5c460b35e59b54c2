"""The mate solver (詰将棋): looks for a forced mate by the side to move, every check and every legal reply counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from . import _abi as abi
from . import _native
from .moves import Move
from .types import _check_range

if TYPE_CHECKING:
    from .board import Board

__all__ = ["MateResult", "MateStatus", "solve"]


class MateStatus(IntEnum):
    """What a mate search found. MATE and NO_MATE are proofs; UNKNOWN means that a limit was reached first."""

    UNKNOWN = abi.KMD_MATE_UNKNOWN
    MATE = abi.KMD_MATE_FOUND
    NO_MATE = abi.KMD_MATE_NONE


@dataclass(frozen=True)
class MateResult:
    """What a mate search found. True when there is a mate.

    Attributes:
        status: MATE, NO_MATE or UNKNOWN.
        moves: The mating line, the attacker's move first; empty without a mate.
        nodes: Positions looked at.
        elapsed: Seconds.
    """

    status: MateStatus
    moves: tuple[Move, ...]
    nodes: int
    elapsed: float = field(default=0.0, compare=False)

    @property
    def best_move(self) -> Move | None:
        """The first move of the mate, or None."""
        return self.moves[0] if self.moves else None

    @property
    def length(self) -> int:
        """Plies of the line; 0 without a mate."""
        return len(self.moves)

    def __bool__(self) -> bool:
        return self.status == MateStatus.MATE


def solve(board: Board, nodes: int = 1_000_000, depth: int | None = None) -> MateResult:
    """Looks for a forced mate by the side to move. Ctrl-C ends it with KeyboardInterrupt.

    Args:
        board: The position; the defender's king must be there.
        nodes: How many positions to look at, from 1.
        depth: Longest line in plies, from 1; None for no limit.

    Raises:
        InvalidPositionError: The defender has no king.
        ValueError: A limit is out of range.

    >>> from komadori import Board
    >>> solve(Board("4k4/9/4P4/9/9/9/9/9/9 b G 1")).moves
    (Move.from_usi('G*5b'),)
    """
    from .board import Board

    if not isinstance(board, Board):
        raise TypeError(f"board must be Board, not {type(board).__name__}")
    nodes = _check_range("nodes", nodes, 1, 2**63 - 1)
    longest = 0 if depth is None else _check_range("depth", depth, 1, 2**31 - 1)
    raw = _native.run("kmd_mate_start", board._handle, longest, nodes)
    return MateResult(
        status=MateStatus(raw.kind),
        moves=tuple(Move(value) for value in raw.pv[: raw.pv_length]) if raw.kind == abi.KMD_MATE_FOUND else (),
        nodes=raw.nodes,
        elapsed=raw.elapsed_us / 1e6,
    )
