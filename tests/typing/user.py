"""What users write, for type checkers: `make test-typing` runs mypy --strict and pyright on it, against the installed package."""

from __future__ import annotations

from typing import assert_type

import numpy as np
import numpy.typing as npt

import komadori
from komadori import Board, Color, Move, Square, labels, mate, search, training

board = Board()
assert_type(board.turn, Color)
assert_type(board.push_usi("7g7f"), Move)
assert_type(board.pop(), Move)
assert_type(board.to_sfen(), str)
assert_type(board.flip_side(), Board)
assert_type(Move.from_usi("7g7f").to_usi(), str)
assert_type(Square.from_usi("3e").rank, komadori.Rank)
assert_type([move.to_usi() for move in board.legal_moves()], list[str])
assert_type(komadori.perft(board, 2), int)
assert_type(labels.from_moves(np.zeros(3, np.uint16), Color.BLACK), npt.NDArray[np.uint16])

with search.Searcher(threads=1, hash_mb=16) as searcher:
    found = searcher.search(board, depth=1)
    assert_type(found.best_move, Move)
    assert_type(found.pv, tuple[Move, ...])
    for info in searcher.analyse(board, depth=2):
        assert_type(info.depth, int)

solved = mate.solve(Board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"))
assert_type(training.decode(b"", format="hcpe").features1 is None, bool)

mapping: dict[Move, int] = {move: 1 for move in board.legal_moves()}
colors: list[Color] = sorted(Color)
array: npt.NDArray[np.int64] = np.array([Color.WHITE, Color.BLACK], np.int64)  # enums are array values

board.push(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
