"""Options and limits of searches as the library reads them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _abi as abi
from . import _native
from .moves import Move
from .types import _check_range, _several

if TYPE_CHECKING:
    from .rules import Rules


@dataclass(frozen=True)
class Clock:
    """The time that the players have left, in milliseconds; the search chooses how much of it to use.

    Attributes:
        black_ms, white_ms: What remains.
        black_increment_ms, white_increment_ms: Added after each move.
        byoyomi_ms: For each move, once nothing remains (秒読み).
    """

    black_ms: int = 0
    white_ms: int = 0
    black_increment_ms: int = 0
    white_increment_ms: int = 0
    byoyomi_ms: int = 0

    def __post_init__(self) -> None:
        for name in ("black_ms", "white_ms", "black_increment_ms", "white_increment_ms", "byoyomi_ms"):
            object.__setattr__(self, name, _check_range(name, getattr(self, name), 0, 2**40))


def check_rules(rules: Rules | None) -> Rules | None:
    from .rules import Rules

    if rules is not None and not isinstance(rules, Rules):
        raise TypeError(f"rules must be Rules or None, not {type(rules).__name__}")
    return rules


def make_options(threads: int, hash_mb: int, switches: int, rules: Rules | None, **times: int) -> tuple[abi.kmd_search_options, Any]:
    """The options as the library reads them, and what has to live as long as they do."""
    check_rules(rules)
    kept = None if rules is None else abi.kmd_rules.from_buffer_copy(rules._struct)
    address = None if kept is None else _native.address(kept)
    return _native.struct(abi.kmd_search_options, hash_mb=hash_mb, threads=threads, switches=switches, rules=address, **times), kept


class Limits:
    """Limits as the library reads them, and the moves that they point to."""

    def __init__(self, struct: abi.kmd_search_limits, moves: Any) -> None:
        self.struct = struct
        self.moves = moves


def make_limits(
    depth: int | None,
    nodes: int | None,
    movetime_ms: int | None,
    multipv: int,
    moves: Iterable[Move] | None,
    clock: Clock | None,
    *,
    infinite: bool = False,
    ponder: bool = False,
) -> Limits:
    limits = {"depth": depth, "nodes": nodes, "movetime_ms": movetime_ms}
    for name, value in limits.items():
        if value is not None:
            _check_range(name, value, 1, {"depth": 2**31 - 1, "nodes": 2**63 - 1, "movetime_ms": 2**40}[name])
    _check_range("multipv", multipv, 1, abi.KMD_MAX_MULTIPV)
    if clock is not None and not isinstance(clock, Clock):
        raise TypeError(f"clock must be Clock or None, not {type(clock).__name__}")
    if all(value is None for value in limits.values()) and clock is None and not infinite and not ponder:
        raise ValueError("a search needs a limit: depth, nodes, movetime_ms, clock, or infinite=True")
    wanted = _native.struct(
        abi.kmd_search_limits,
        depth=depth or 0,
        nodes=nodes or 0,
        movetime_ms=movetime_ms or 0,
        multipv=multipv,
        infinite=int(bool(infinite)),
        ponder=int(bool(ponder)),
    )
    if clock is not None:
        wanted.clock = 1
        wanted.remaining_ms[:] = (clock.black_ms, clock.white_ms)
        wanted.increment_ms[:] = (clock.black_increment_ms, clock.white_increment_ms)
        wanted.byoyomi_ms = clock.byoyomi_ms
    only = None
    if moves is not None:
        chosen = list(_several("moves", moves, "moves"))
        for move in chosen:
            if not isinstance(move, Move):
                raise TypeError(f"moves must hold Move, not {type(move).__name__}")
        if not chosen:
            raise ValueError("moves is empty: give the moves to look at, or None for all")
        only = _native.numbers16([move.value for move in dict.fromkeys(chosen)])
        wanted.search_moves, wanted.search_move_count = _native.address(only), len(only)
    return Limits(wanted, only)
