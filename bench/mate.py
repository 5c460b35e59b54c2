"""Measures the mate solver and cshogi's DfPn on the same problems in one run, by length, and prints a table.

    python bench/mate.py [--data DIR] [--rounds N] [--nodes N] [--limit N]

DIR (else the environment variable KOMADORI_VECTORS) has games/positions/mate-N.sfen, a problem a line, and data/mates.tsv with lines of length
and problem. Boards are made beforehand. Each side takes a whole set in turns, and the best of the rounds counts, in seconds of the processor; two threads
against one are measured by the clock. Our side gives the verified line of every mate, cshogi the answer and its first move; "with the line" is cshogi
when it is asked for the line too.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# The folders beside this file have names of packages, and are none.
sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != ROOT / "bench"]

Side = Callable[[], int]  # searches a whole set and gives how many were solved


def read(folder: Path) -> dict[tuple[str, int], list[str]]:
    """Problems by set and length."""
    sets: dict[tuple[str, int], list[str]] = {}
    for path in sorted(folder.glob("games/positions/mate-*.sfen")):
        length = int(path.stem.rpartition("-")[2])
        sets["problems", length] = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    table = folder / "data" / "mates.tsv"
    if table.exists():
        for line in table.read_text(encoding="utf-8").splitlines():
            first, _, rest = line.partition("\t")
            if first.isdecimal() and rest:
                sets.setdefault(("games", int(first)), []).append(rest.split("\t")[0])
    return dict(sorted(sets.items(), key=lambda item: (item[0][0] != "problems", item[0][1])))


def ours(sfens: list[str], nodes: int) -> Side:
    from komadori import Board, mate

    boards = [Board(sfen) for sfen in sfens]
    return lambda: sum(mate.solve(board, nodes=nodes).status == "mate" for board in boards)


def ours_batch(sfens: list[str], nodes: int, threads: int) -> Side:
    from komadori import batch, mate

    rows = batch.from_sfens(sfens, format="board")
    return lambda: int(mate.solve_batch(rows, nodes=nodes, threads=threads, format="board").is_mate.sum())


def theirs(cshogi: Any, sfens: list[str], nodes: int, line: bool) -> Side:
    boards = [cshogi.Board(sfen) for sfen in sfens]
    dfpn = cshogi.DfPn(depth=31, nodes=nodes, draw_ply=32767)
    more = dfpn.get_pv if line else dfpn.get_move

    def run() -> int:
        solved = 0
        for board in boards:
            if dfpn.search(board):
                more(board)
                solved += 1
        return solved

    return run


def best(sides: dict[str, Side], rounds: int, clock: Callable[[], float], least: float = 0.02) -> dict[str, tuple[float, int]]:
    """Seconds for a whole set and how many were solved, by side. Short sets are searched several times a round."""
    found: dict[str, tuple[float, int]] = {}
    for _ in range(rounds):
        for name, side in sides.items():
            times, begin = 0, clock()
            while True:
                solved = side()
                times += 1
                spent = clock() - begin
                if spent >= least:
                    break
            old = found.get(name)
            found[name] = (min(spent / times, old[0]) if old else spent / times, solved)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("KOMADORI_VECTORS"), help="folder of the problems; else KOMADORI_VECTORS")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=1_000_000, help="positions to look at, of each search")
    parser.add_argument("--limit", type=int, default=200, help="problems of each set")
    options = parser.parse_args()
    if options.data is None:
        parser.error("no --data, and KOMADORI_VECTORS is not set")
    sets = read(Path(options.data))
    if not sets:
        parser.error(f"no problems in {options.data}")
    try:
        cshogi = importlib.import_module("cshogi")
    except ImportError as error:
        cshogi = None
        print(f"left out: cshogi ({error})", flush=True)

    print("problems a second     | ours    | solved  | batch   | cshogi  | with the line | solved  | ours/cshogi | 2 threads/1")
    print("----------------------|---------|---------|---------|---------|---------------|---------|-------------|------------")
    for (kind, length), all_of_them in sets.items():
        sfens = all_of_them[: options.limit]
        sides = {"ours": ours(sfens, options.nodes), "batch": ours_batch(sfens, options.nodes, 1)}
        if cshogi is not None:
            sides["cshogi"] = theirs(cshogi, sfens, options.nodes, False)
            sides["line"] = theirs(cshogi, sfens, options.nodes, True)
        found = best(sides, options.rounds, time.process_time)
        many = sfens * max(1, int(0.3 / found["batch"][0]))  # some tenths of a second
        pair = best({"1": ours_batch(many, options.nodes, 1), "2": ours_batch(many, options.nodes, 2)}, options.rounds, time.perf_counter, 0)

        def rate(name: str, found: dict[str, tuple[float, int]] = found, n: int = len(sfens)) -> str:
            return f"{n / found[name][0]:,.0f}" if name in found else "-"

        def solved(name: str, found: dict[str, tuple[float, int]] = found, n: int = len(sfens)) -> str:
            return f"{found[name][1]}/{n}" if name in found else "-"

        ratio = f"{found['cshogi'][0] / found['ours'][0]:.2f}" if "cshogi" in found else "-"
        what = f"{kind}, {length} plies"
        print(
            f"{what:21} | {rate('ours'):>7} | {solved('ours'):7} | {rate('batch'):>7} | {rate('cshogi'):>7} | {rate('line'):>13} | "
            f"{solved('cshogi'):7} | {ratio:>11} | {pair['1'][0] / pair['2'][0]:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
