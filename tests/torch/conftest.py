"""Files of records for the tests of komadori.torch, which skip where PyTorch is absent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from komadori import Board, GameResult, training

GAMES = Path(__file__).resolve().parents[2] / "examples" / "data" / "alphazero_elmo.tsv"


def game_records() -> np.ndarray:
    """1,884 HCPE records of real games, with evaluations that tell them apart."""
    parts = []
    for line in GAMES.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "id\t")):
            *_, winner, _ending, moves = line.split("\t")
            board = Board.from_position("startpos moves " + moves)
            result = {"black": GameResult.BLACK_WIN, "white": GameResult.WHITE_WIN, "draw": GameResult.DRAW}[winner]
            parts.append(training.game_records(board, np.arange(board.history_length), result))
    return np.concatenate(parts)


@pytest.fixture(scope="session")
def records() -> np.ndarray:
    return game_records()


@pytest.fixture(scope="session")
def path(records: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("torch") / "games.hcpe"
    training.write(made, records)
    return made
