"""A DataLoader with four forked workers over many epochs: no hang, no growth. Run by `make soak`.

    python tests/torch/soak.py [--epochs 20] [--rows 100000] [--workers 4] [--method fork]

Memory is the proportional share (PSS) of this process and of every worker after each epoch: what they share is counted once. Workers are persistent, and the
parent uses the library in a thread all the while. Fails when an epoch takes longer than --limit seconds, loses or repeats a row, or when the memory after
the last epochs is more than 5 % and 16 MiB above that after the fourth.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import torch

import conftest
import komadori
from komadori import Board, search, training
from komadori.torch import loader

MIB = 1 << 20


def share(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.Error:
        return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--method", default="fork", choices=("fork", "forkserver", "spawn"))
    parser.add_argument("--limit", type=float, default=600, help="seconds an epoch may take")
    options = parser.parse_args()
    print(f"torch {torch.__version__}, {komadori.build_info()}; {options.workers} workers by {options.method}, {options.rows:,} rows an epoch")
    stop = threading.Event()

    def keep_searching() -> None:
        searcher = search.Searcher(hash_mb=4)
        while not stop.wait(0.05):
            searcher.search(Board(), nodes=2000)

    thread = threading.Thread(target=keep_searching)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.hcpe"
        training.write(path, np.resize(conftest.game_records(), options.rows))
        names = ("features1", "features2", "label", "value", "result", "row")
        workers = {"num_workers": options.workers, "multiprocessing_context": options.method, "timeout": options.limit}
        batches = loader(path, options.batch, mirror=0.5, outputs=names, **workers)
        thread.start()
        memory = []
        try:
            for epoch in range(options.epochs):
                faulthandler.dump_traceback_later(options.limit, exit=True)
                begin = time.perf_counter()
                seen = np.zeros(options.rows, np.int32)
                for batch in batches:
                    seen[batch.row.numpy()] += 1
                seconds = time.perf_counter() - begin
                faulthandler.cancel_dump_traceback_later()
                if (seen != 1).any():
                    print(f"epoch {epoch + 1}: {int((seen == 0).sum())} rows lost, {int((seen > 1).sum())} repeated")
                    return 1
                own = psutil.Process()
                shares = [share(worker) for worker in own.children(recursive=True)]
                memory.append(share(own) + sum(shares))
                print(
                    f"epoch {epoch + 1:>3}: {options.rows / seconds:>9,.0f} rows/s, memory {memory[-1] / MIB:,.0f} MiB "
                    f"(parent {share(own) / MIB:,.0f}, workers {' '.join(f'{m / MIB:,.0f}' for m in shares)})",
                    flush=True,
                )
        finally:
            stop.set()
            thread.join()
    first, last = memory[min(3, len(memory) - 1)], min(memory[-3:])
    grown = last - first
    print(f"growth from epoch 4 to the last: {grown / MIB:+.1f} MiB of {first / MIB:,.0f}")
    failed = int(grown > first * 0.05 + 16 * MIB)
    print(f"soak: {1 - failed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(main() if os.name == "posix" else 0)
