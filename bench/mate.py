"""Measures the mate solver and cshogi's DfPn on the same problems in one run, by length, and prints a table.

    python bench/mate.py [--data DIR] [--rounds N] [--nodes N] [--limit N] [--lengths N,N]

DIR (else the environment variable KOMADORI_VECTORS) has games/positions/mate-N.sfen, a problem a line, and data/mates.tsv with lines of length
and problem. "text" makes each board from its SFEN and solves it; "board" solves boards made beforehand; "rows" is solve_batch on one thread, of 2,000 rows.
Each side takes a whole set in turns, and the best of the rounds counts, in seconds of the processor; two threads against one are measured by the clock and
need an idle machine. Our side gives the line of every mate, cshogi the answer and its first move.
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


def ours(sfens: list[str], nodes: int, text: bool) -> Side:
    from komadori import Board, mate

    boards = [Board(sfen) for sfen in sfens]
    if text:
        return lambda: sum(mate.solve(Board(sfen), nodes=nodes).status == "mate" for sfen in sfens)
    return lambda: sum(mate.solve(board, nodes=nodes).status == "mate" for board in boards)


def ours_batch(sfens: list[str], nodes: int, threads: int) -> Side:
    from komadori import batch, mate

    rows = batch.from_sfens(sfens, format="board")
    return lambda: int(mate.solve_batch(rows, nodes=nodes, threads=threads, format="board").is_mate.sum())


def theirs(cshogi: Any, sfens: list[str], nodes: int, text: bool) -> Side:
    boards = [cshogi.Board(sfen) for sfen in sfens]
    dfpn = cshogi.DfPn(depth=31, nodes=nodes, draw_ply=32767)

    def run() -> int:
        solved = 0
        for board in map(cshogi.Board, sfens) if text else boards:
            if dfpn.search(board):
                dfpn.get_move(board)
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
    parser.add_argument("--lengths", type=lambda text: {int(word) for word in text.split(",")}, help="only problems of these plies, as 1,3,5")
    options = parser.parse_args()
    if options.data is None:
        parser.error("no --data, and KOMADORI_VECTORS is not set")
    sets = {key: problems for key, problems in read(Path(options.data)).items() if not options.lengths or key[1] in options.lengths}
    if not sets:
        parser.error(f"no problems in {options.data}")
    try:
        cshogi = importlib.import_module("cshogi")
    except ImportError as error:
        cshogi = None
        print(f"left out: cshogi ({error})", flush=True)

    names = ("text", "cshogi", "ratio", "board", "cshogi", "ratio", "rows", "solved", "cshogi", "2 threads/1")
    print(" | ".join([f"{'problems a second':18}", *(f"{name:>9}" for name in names)]), flush=True)
    for (kind, length), all_of_them in sets.items():
        sfens = all_of_them[: options.limit]
        n = len(sfens)
        copies = max(1, 2000 // n)
        sides = {"rows": ours_batch(sfens * copies, options.nodes, 1)}
        for how in ("text", "board"):
            sides[how] = ours(sfens, options.nodes, how == "text")
            if cshogi is not None:
                sides[f"cshogi {how}"] = theirs(cshogi, sfens, options.nodes, how == "text")
        found = best(sides, options.rounds, time.process_time)
        many = sfens * max(1, int(0.5 * copies / found["rows"][0]))  # half a second
        pair = best({"1": ours_batch(many, options.nodes, 1), "2": ours_batch(many, options.nodes, 2)}, options.rounds, time.perf_counter, 0)
        cells = []
        for how in ("text", "board"):
            cells.append(f"{n / found[how][0]:,.0f}")
            peer = found.get(f"cshogi {how}")
            cells += [f"{n / peer[0]:,.0f}", f"{peer[0] / found[how][0]:.2f}"] if peer else ["-", "-"]
        cells += [f"{n * copies / found['rows'][0]:,.0f}", f"{found['board'][1]}/{n}", f"{found['cshogi board'][1]}/{n}" if cshogi else "-"]
        cells.append(f"{pair['1'][0] / pair['2'][0]:.2f}")
        print(" | ".join([f"{kind + ', ' + str(length):18}", *(f"{cell:>9}" for cell in cells)]), flush=True)


if __name__ == "__main__":
    main()
