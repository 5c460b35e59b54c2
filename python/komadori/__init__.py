"""Komadori: shogi for people who train and study engines.

Boards and moves are here; ``labels``, ``training``, ``batch``, ``search`` and ``mate`` are modules. Importing the package loads neither
the library nor NumPy; the first call that needs them does.

>>> import komadori
>>> board = komadori.Board()
>>> len(board.legal_moves())
30
"""

from . import batch, labels, mate, search, training
from ._abi import VERSION as __version__
from .board import Board, LegalMoves, perft
from .errors import (
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
    GameEnd,
    GameResult,
    Hand,
    HandPiece,
    Piece,
    PieceType,
    RepetitionState,
    Square,
)

__all__ = [
    "AperyMove",
    "AperyMove32",
    "Bitboard",
    "Board",
    "Color",
    "EnteringKingRule",
    "Eval",
    "GameEnd",
    "GameResult",
    "Hand",
    "HandPiece",
    "HandleError",
    "IllegalMoveError",
    "InternalError",
    "InvalidPositionError",
    "InvalidValueError",
    "KomadoriError",
    "LegalMoves",
    "Move",
    "Move32",
    "ParseError",
    "Piece",
    "PieceType",
    "Problem",
    "ProblemKind",
    "RepetitionState",
    "Square",
    "__version__",
    "batch",
    "build_info",
    "labels",
    "mate",
    "perft",
    "search",
    "set_threads",
    "threads",
    "training",
]
