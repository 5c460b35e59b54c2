"""Measures the tools that rewrite files against what bounds them: copying the same bytes from file to file, and converting rows in memory.

    python bench/tools.py [--rows N] [--rounds N] [--folder DIR] [--loader]

Copying reads and writes blocks of 4 MiB and ends, like the tools, when everything is on disk (fsync). Every run is a process of its own, which tells its time
without start-up, by the clock and by the processors, and its largest resident memory. Runs take turns and the best of the rounds counts. --loader measures
komadori.torch's loaders too.
"""

from __future__ import annotations

import argparse
import importlib
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# The folders beside this file have names of packages, and are none.
sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != ROOT / "bench"]

MIB = 1 << 20


def copy(source: Path, out: Path) -> None:
    with open(source, "rb") as old, open(out.with_suffix(".hcpe"), "wb") as new:
        room = memoryview(bytearray(4 * MIB))
        while count := old.readinto(room):
            new.write(room[:count])
        new.flush()
        os.fsync(new.fileno())


def shuffle(source: Path, out: Path) -> None:
    from komadori import tools

    tools.shuffle(source, out.with_suffix(".hcpe"))


def shuffle_small(source: Path, out: Path) -> None:
    from komadori import tools

    tools.shuffle(source, out.with_suffix(".hcpe"), memory=256 * MIB)


def convert(source: Path, out: Path) -> None:
    from komadori import training

    training.convert(source, out.with_suffix(".psv"))


def in_memory(source: Path, out: Path) -> None:
    """Decoding and encoding alone: no file is written, results go where the last ones were."""
    from komadori import batch, training

    for block in training.open(source).blocks(1 << 16):
        batch.convert(block, "psv")


def check(source: Path, out: Path) -> None:
    from komadori import tools

    assert tools.check(source).bad == 0


def stats(source: Path, out: Path) -> None:
    from komadori import tools

    tools.stats(source)


def split(source: Path, out: Path) -> None:
    from komadori import tools

    tools.split(source, [(out.with_suffix(".a.hcpe"), 9), (out.with_suffix(".b.hcpe"), 1)], by="position")


def dedupe(source: Path, out: Path) -> None:
    from komadori import tools

    tools.dedupe(source, out.with_suffix(".hcpe"), memory=256 * MIB)


def loader_thread(source: Path, out: Path) -> None:
    from komadori.torch import loader

    for _ in loader(source, 4096):
        pass


def loader_workers(source: Path, out: Path) -> None:
    from komadori.torch import loader

    for _ in loader(source, 4096, num_workers=os.cpu_count() or 1):
        pass


def loader_bits(source: Path, out: Path) -> None:
    from komadori.torch import loader

    for _ in loader(source, 4096, dtype="bits"):
        pass


WORK: dict[str, tuple[Callable[[Path, Path], None], str]] = {
    "copy": (copy, ""),
    "shuffle": (shuffle, "copy"),
    "shuffle, 256 MiB": (shuffle_small, "copy"),
    "convert in memory": (in_memory, ""),
    "convert": (convert, "convert in memory"),
    "split by position": (split, "copy"),
    "dedupe, 256 MiB": (dedupe, "copy"),
    "check": (check, ""),
    "stats": (stats, ""),
}
LOADERS: dict[str, tuple[Callable[[Path, Path], None], str]] = {
    "loader, a thread": (loader_thread, ""),
    "loader, workers": (loader_workers, "loader, a thread"),
    "loader, a thread, bits": (loader_bits, "loader, a thread"),
}


def make(path: Path, rows: int) -> None:
    """Records of real games, many times."""
    import numpy as np

    from komadori import Board, GameResult, training

    parts = []
    for line in (ROOT / "examples" / "data" / "alphazero_elmo.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "id\t")):
            board = Board.from_position("startpos moves " + line.split("\t")[-1])
            parts.append(training.game_records(board, np.arange(board.history_length), GameResult.BLACK_WIN))
    games = np.concatenate(parts)
    with training.Writer(path) as file:
        for start in range(0, rows, len(games)):
            games["eval"] = np.arange(start, start + len(games)) % 4001 - 2000
            file.write(games[: rows - start])


def resident() -> int:
    """Bytes of this process that are its own: pages of mapped files are the system's to keep or to take."""
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def child(name: str, source: Path, out: Path) -> None:
    """One run: prints its seconds and its largest memory."""
    largest, ended = 0, threading.Event()

    def watch() -> None:
        nonlocal largest
        while not ended.wait(0.01):
            largest = max(largest, resident())

    work = (WORK | LOADERS)[name][0]
    importlib.import_module("komadori.torch" if name in LOADERS else "komadori.tools")
    importlib.import_module("numpy")
    watcher = threading.Thread(target=watch)
    watcher.start()
    begin, spent = time.perf_counter(), time.process_time()
    work(source, out)
    seconds, spent = time.perf_counter() - begin, time.process_time() - spent
    ended.set()
    watcher.join()
    print(seconds, spent, largest)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the file, 38 bytes each")
    parser.add_argument("--rounds", type=int, default=3, help="how often the runs take turns")
    parser.add_argument("--folder", type=Path, default=None, help="where files are written; else the system's folder for temporary ones")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--loader", action="store_true", help="measure komadori.torch too")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child[0], Path(options.child[1]), Path(options.child[2]))
        return 0

    from komadori import build_info

    print(f"{build_info()}; {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}", flush=True)
    work: dict[str, Any] = {name: of for name, of in (WORK | (LOADERS if options.loader else {})).items() if options.only in name}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        source = Path(folder) / "source.hcpe"
        make(source, options.rows)
        best: dict[str, float] = {}
        processor: dict[str, float] = {}
        memory: dict[str, int] = {}
        for _ in range(options.rounds):
            for name in work:
                command = [sys.executable, __file__, "--child", name, str(source), str(Path(folder) / "out")]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    print(f"left out: {name} ({(done.stderr.strip() or '?').splitlines()[-1]})")
                    continue
                seconds, spent, largest = done.stdout.split()
                best[name] = min(best.get(name, float("inf")), float(seconds))
                processor[name] = min(processor.get(name, float("inf")), float(spent))
                memory[name] = max(memory.get(name, 0), int(largest))
    print(f"\n{options.rows:,} rows, {options.rows * 38 / 1e6:,.0f} MB\n")
    print(f"| {'':<24} | {'seconds':>8} | {'processor':>9} | {'M rows/s':>8} | {'MB/s':>7} | {'memory, MiB':>11} | ratio to |")
    print("| " + " | ".join("-" * width for width in (24, 8, 9, 8, 7, 11, 8)) + " |")
    for name, seconds in best.items():
        to = work[name][1]
        ratio = f"{best[to] / seconds:.2f} {to}" if to in best else ""
        rate = options.rows / seconds / 1e6
        print(f"| {name:<24} | {seconds:>8.2f} | {processor[name]:>9.2f} | {rate:>8.2f} | {rate * 38:>7.0f} | {memory[name] / MIB:>11.0f} | {ratio} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
