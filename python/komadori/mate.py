"""Mate problems (詰将棋): does the side to move mate by checking on every move?

>>> from komadori import Board
>>> solve(Board("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1")).pv
(Move.from_usi('G*5b'),)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from . import _abi as abi
from . import _native
from .board import Board
from .moves import Move


class MateStatus(IntEnum):
    """Answer to a mate problem. MATE and NO_MATE are proofs."""

    UNKNOWN = abi.KMD_MATE_UNKNOWN  # a limit came first
    MATE = abi.KMD_MATE_FOUND
    NO_MATE = abi.KMD_MATE_NONE


@dataclass(frozen=True, slots=True)
class MateResult:
    """What a mate search found.

    Attributes:
        status: The answer.
        pv: For MATE the complete line to checkmate, both sides' moves; else empty.
        nodes: Positions visited.
        elapsed: Seconds.
    """

    status: MateStatus
    pv: tuple[Move, ...]
    nodes: int
    elapsed: float

    @property
    def is_mate(self) -> bool:
        """Whether a mate was found."""
        return self.status == MateStatus.MATE

    @property
    def best_move(self) -> Move | None:
        """First move of the mate, or None."""
        return self.pv[0] if self.pv else None


def solve(board: Board, *, depth: int | None = None, nodes: int = 1_000_000) -> MateResult:
    """Looks for a forced mate by the side to move, whose own king may be missing. Ctrl-C stops it.

    Every reply counts, interpositions that only delay too, so the line need not be the shortest.

    Args:
        board: The position; its history plays no part.
        depth: Longest line in plies, from 1; None for any.
        nodes: Positions to look at, from 1.

    Raises:
        ValueError: A limit below 1.
        InvalidPositionError: The side not to move has no king.
    """
    if not isinstance(board, Board):
        raise TypeError(f"board must be Board, not {type(board).__name__}")
    for name, value, most in (("depth", depth, 2**31 - 1), ("nodes", nodes, 2**63 - 1)):
        if value is not None and not 1 <= value <= most:
            raise ValueError(f"{name} {value}, want 1..{most}")
    r = _native.run("kmd_mate_start", board._handle, depth or 0, nodes)
    return MateResult(MateStatus(r.kind), tuple(Move(v) for v in r.pv[: r.pv_length]), r.nodes, r.elapsed_us / 1e6)
