"""Komadori: shogi for people who train and study engines.

Boards and moves are here; ``labels``, ``training``, ``batch``, ``search`` and ``mate`` are modules. Importing the package loads neither
the library nor NumPy; the first call that needs them does. The modules, too, are imported when they are first asked for.

>>> import komadori
>>> board = komadori.Board()
>>> len(board.legal_moves())
30
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._abi import VERSION as __version__
from .board import Board, MoveList, perft
from .errors import (
    AmbiguousMoveError,
    CancelledError,
    HandleError,
    IllegalMoveError,
    InternalError,
    InvalidPositionError,
    InvalidValueError,
    KomadoriError,
    ParseError,
    Problem,
    ProblemKind,
)
from .library import build_info, set_threads, threads
from .moves import AperyMove, AperyMove32, Move, Move32
from .types import (
    Bitboard,
    Color,
    EnteringKingRule,
    Eval,
    File,
    GameEnd,
    GameResult,
    Hand,
    HandPiece,
    MoveKind,
    Piece,
    PieceType,
    Rank,
    RepetitionState,
    Square,
    Style,
)

if TYPE_CHECKING:
    from . import batch, book, kifu, labels, mate, permutation, rules, search, svg, training, usi, view, viewer
    from .ki2 import Ki2Notation
    from .kifu import Ending, Kifu, KifuNode, read, read_all
    from .rules import Declaration, Declare, Outcome, Rules, TerminalOutcome, TerminalReason, TerminalStatus, Verdict
    from .search import Score, Searcher
    from .setup import Handicap, Setup, SetupHand

__all__ = [
    "AmbiguousMoveError",
    "AperyMove",
    "AperyMove32",
    "Bitboard",
    "Board",
    "CancelledError",
    "Color",
    "Declaration",
    "Declare",
    "Ending",
    "EnteringKingRule",
    "Eval",
    "File",
    "GameEnd",
    "GameResult",
    "Hand",
    "HandPiece",
    "Handicap",
    "HandleError",
    "IllegalMoveError",
    "InternalError",
    "InvalidPositionError",
    "InvalidValueError",
    "Ki2Notation",
    "Kifu",
    "KifuNode",
    "KomadoriError",
    "Move",
    "Move32",
    "MoveKind",
    "MoveList",
    "Outcome",
    "ParseError",
    "Piece",
    "PieceType",
    "Problem",
    "ProblemKind",
    "Rank",
    "RepetitionState",
    "Rules",
    "Score",
    "Searcher",
    "Setup",
    "SetupHand",
    "Square",
    "Style",
    "TerminalOutcome",
    "TerminalReason",
    "TerminalStatus",
    "Verdict",
    "__version__",
    "batch",
    "book",
    "build_info",
    "kifu",
    "labels",
    "mate",
    "perft",
    "permutation",
    "read",
    "read_all",
    "rules",
    "search",
    "set_threads",
    "svg",
    "threads",
    "training",
    "usi",
    "view",
    "viewer",
]

# Modules that are imported when they are first asked for, and names in such modules.
_MODULES = ("batch", "book", "kifu", "labels", "mate", "permutation", "rules", "search", "svg", "training", "usi", "view", "viewer")
_EXTRAS = ("torch",)  # those that need more than NumPy: not listed, so that looking at the names of the package imports none of them
_NAMES = {
    "Ki2Notation": "ki2",
    **dict.fromkeys(("Ending", "Kifu", "KifuNode", "read", "read_all"), "kifu"),
    **dict.fromkeys(("Handicap", "Setup", "SetupHand"), "setup"),
    **dict.fromkeys(("Declaration", "Declare", "Outcome", "Rules", "TerminalOutcome", "TerminalReason", "TerminalStatus", "Verdict"), "rules"),
    **dict.fromkeys(("Score", "Searcher"), "search"),
}


def __getattr__(name: str) -> Any:
    if name in _MODULES or name in _EXTRAS:
        return import_module(f".{name}", __name__)
    if name in _NAMES:
        return globals().setdefault(name, getattr(import_module(f".{_NAMES[name]}", __name__), name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_NAMES})
