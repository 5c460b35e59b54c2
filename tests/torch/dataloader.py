"""A PyTorch DataLoader over a training file, with workers by fork, forkserver and spawn. Run by `make test-torch`.

The parent uses the library before any worker starts, keeps searching in a thread while they work, and the answers of all workers are compared with its own.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

import komadori
from komadori import Board, GameResult, search, training

GAMES = Path(__file__).resolve().parents[2] / "examples" / "data" / "alphazero_elmo.tsv"
BATCH = 64


class Batches(Dataset):  # type: ignore[type-arg]
    """Batches of a file, decoded where they are asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.length = (len(training.open(path)) + BATCH - 1) // BATCH
        self.board = Board()  # made before the fork, used on in the workers
        self.board.push_usi("7g7f")

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> tuple[torch.Tensor, ...]:
        assert self.board.moves()[0].to_usi() == "7g7f" and len(self.board.legal_moves()) == 30
        rows = np.asarray(training.open(self.path)[BATCH * index : BATCH * (index + 1)])
        batch = training.decode(rows, threads=1)
        return tuple(torch.from_numpy(getattr(batch, name)) for name in ("features1", "features2", "label", "value", "result"))


def make_file(folder: Path) -> Path:
    parts = []
    for line in GAMES.read_text(encoding="utf-8").splitlines():
        if line.startswith("az-"):
            *_, winner, _ending, moves = line.split("\t")
            board = Board.from_position("startpos moves " + moves)
            result = GameResult.BLACK_WIN if winner == "black" else GameResult.WHITE_WIN
            parts.append(training.game_records(board, [0] * board.history_length, result, format="hcpe"))
    path = folder / "games.hcpe"
    training.write(path, np.concatenate(parts))
    return path


def digest(loader: DataLoader) -> list[float]:  # type: ignore[type-arg]
    return [float(sum(t.double().sum() for t in batch)) for batch in loader]


def main() -> int:
    print(f"torch {torch.__version__}, {komadori.build_info()}")
    with tempfile.TemporaryDirectory() as folder:
        data = Batches(make_file(Path(folder)))
        expected = digest(DataLoader(data, batch_size=None))
        stop = threading.Event()

        def keep_searching() -> None:
            searcher = search.Searcher(hash_mb=4)
            while not stop.is_set():
                searcher.search(Board(), nodes=2000)

        thread = threading.Thread(target=keep_searching)
        thread.start()
        try:
            for method in ("fork", "forkserver", "spawn"):
                for epoch in range(3 if method == "fork" else 1):
                    start = time.perf_counter()
                    got = digest(DataLoader(data, batch_size=None, num_workers=4, multiprocessing_context=method))
                    if got != expected:
                        print(f"{method}: batches differ from the parent's")
                        return 1
                    seconds = time.perf_counter() - start
                    print(f"{method:<10} epoch {epoch + 1}: {len(got)} batches from 4 workers equal the parent's, {seconds:.1f} s", flush=True)
        finally:
            stop.set()
            thread.join()
    print("dataloader: 3 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
