"""The library in one process for long: everything that is made is given back, and nothing hangs. Run by `make soak-process`.

    python tests/python/soak.py [--minutes 60] [--every 60]

Each round makes and drops boards in every way, pushes and pops, decodes, searches, solves mates, stops jobs midway, raises errors, runs threads, and
forks children, also one that Python does not see, which do the same. A line every so many seconds has the rounds done, resident memory, threads, open
files, and what the library holds; after a quarter of the time none of these may grow.
"""

from __future__ import annotations

import argparse
import ctypes
import faulthandler
import gc
import os
import pickle
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import komadori
from komadori import Board, GameResult, Move, _native, batch, mate, search, training
from komadori import _abi as abi

POSITION = "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b"
PROBLEM = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"


def boards() -> None:
    board = Board.from_position(POSITION)
    made = [board.copy(), board.flip_side(), board.mirror_file(), Board.from_hcp(board.to_hcp()), Board(board.to_sfen())]
    made.append(Board.from_packed_sfen(board.to_packed_sfen()))
    for one in made[:3]:
        one.close()
    for _ in range(50):
        if legal := board.legal_moves():
            board.push(random.choice(legal))
    while board.history_length:
        board.pop()
    assert board == Board() and pickle.loads(pickle.dumps(made[3])) == made[3]


def errors() -> None:
    board = Board()
    wrong: list[Callable[[], object]] = [lambda: board.push_usi("1a1b"), lambda: Board("what"), lambda: Board.from_hcp(b"x" * 32)]
    wrong += [lambda: Move.from_usi("x"), lambda: Board.from_position(POSITION + " 1a1b")]
    for bad in wrong:
        try:
            bad()
        except ValueError:
            continue
        raise AssertionError("an error is missing")


class Work:
    def __init__(self) -> None:
        self.rows = training.game_records(Board.from_position(POSITION), [0] * 8, GameResult.DRAW)
        self.many = np.tile(self.rows, 64)
        self.sum = training.decode(self.rows).features1.sum()
        self.searcher = search.Searcher(hash_mb=1)

    def decode(self) -> None:
        assert training.decode(self.rows).features1.sum() == self.sum
        assert len(training.decode(self.many, threads=2, outputs=["label", "key"]).label) == len(self.many)
        batch.legal_moves(self.rows)

    def searches(self) -> None:
        board = Board.from_position(POSITION)
        assert board.is_legal(self.searcher.search(board, nodes=300).best_move)
        fresh = search.Searcher(hash_mb=1)
        analysis = fresh.analyse(board)
        next(analysis)
        analysis.close()
        assert mate.solve(Board(PROBLEM)).moves[0].to_usi() == "G*5b"
        search.analyse_batch([board] * 4, depth=1)
        assert komadori.perft(Board(), 2) == 900

    def interrupt(self) -> None:
        """Ctrl-C in the middle of a search."""
        started = threading.Event()

        def send() -> None:
            started.wait()
            signal.raise_signal(signal.SIGINT)

        sender = threading.Thread(target=send)
        sender.start()
        try:
            self.searcher.search(Board(), infinite=True, on_progress=lambda _: started.set())
            raise AssertionError("a search was not interrupted")
        except KeyboardInterrupt:
            sender.join()

    def threads(self) -> None:
        threads = [threading.Thread(target=f) for f in (boards, self.decode, errors, boards)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def fork(self, how: Callable[[], int], worker: threading.Thread) -> None:
        """A child by os.fork while another thread is at work, or by a fork that Python does not see, which Python itself bears with one thread alone."""
        board = Board.from_position(POSITION)
        worker.start()
        if how is not os.fork:
            worker.join()
        pid = how()
        if pid == 0:
            status = 1
            try:
                signal.alarm(300)  # ends a child that hangs
                assert board.history_length == 8 and str(board.pop()) == "4a3b"
                boards()
                self.decode()
                self.searches()
                status = 0
            except BaseException:
                import traceback

                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        assert os.waitpid(pid, 0)[1] == 0
        worker.join()
        assert board.history_length == 8


def state() -> tuple[int, int, int, int, int]:
    """Resident KiB, threads, open files, KiB in use of the library's heap, and what is open of boards, searchers, books and files. No job may be."""
    gc.collect()
    for _ in range(3):
        _native.call_long("kmd_collect")
    used = _native.struct(abi.kmd_usage)
    _native.call("kmd_get_usage", _native.reference(used))
    assert used.jobs == 0, "a job was not ended"
    status = Path("/proc/self/status").read_text(encoding="ascii")
    words = {line.split(":")[0]: line.split()[1] for line in status.splitlines() if ":" in line and len(line.split()) > 1}
    opened = used.boards + used.searchers + used.books + used.files
    return int(words["VmRSS"]), int(words["Threads"]), len(os.listdir("/proc/self/fd")), used.heap_bytes >> 10, opened


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--every", type=float, default=60)
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that puts this into the background has it ignored
    work = Work()
    raw_fork = ctypes.PyDLL(None).fork
    begin = last = time.monotonic()
    rounds = 0
    settled: tuple[int, ...] | None = None
    while (now := time.monotonic()) < begin + 60 * arguments.minutes:
        faulthandler.dump_traceback_later(3600, exit=True)  # a round that hangs says where; a starved one may take long
        for _ in range(20):
            boards()
            errors()
            work.decode()
        work.searches()
        work.threads()
        work.interrupt()
        for how in (os.fork, raw_fork):
            work.fork(how, threading.Thread(target=work.decode))
        rounds += 1
        if now - last >= arguments.every:
            last = now
            found = state()
            words = f"{found[0]:8d} KiB {found[1]:3d} threads {found[2]:3d} files; the library {found[3]:7d} KiB {found[4]:3d} handles"
            print(f"{(now - begin) / 60:6.1f} min {rounds:6d} rounds {words}", flush=True)
            if settled is None and now - begin >= 15 * arguments.minutes:
                settled = found
            if settled is not None:
                assert found[0] < settled[0] * 1.05 + 16384, "memory grows"
                assert found[1] <= settled[1] + 8 and found[2] <= settled[2] + 2, "threads or files grow"
                assert found[3] <= settled[3] + 1024 and found[4] <= settled[4] + 8, "the library holds more and more"
    print(f"good: {rounds} rounds, {2 * rounds} children")


if __name__ == "__main__":
    main()
