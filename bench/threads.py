"""Compares searches of USI engines to the same depth with one thread and with several: time on the wall, and nodes.

    python bench/threads.py [--threads N] [--hash MIB] --positions FILE [--every N] ENGINE=DEPTH...

FILE has a JSON object with "sfen" a line; every N-th is taken, but for those where a mate is found. Every search begins with a table that has been
cleared. The depth is the same for all positions: one chosen for each by what a single thread reaches in so many nodes would be one that it was quick
to reach. A ratio of time means something only on a machine that has as many processors free.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import geometric_mean

from engine import Engine, finds_mate, read_positions


def measure(engine: Engine, sfen: str, depth: int) -> tuple[float, int] | None:
    """Seconds and nodes; None where a mate may have ended the search early."""
    engine.clear()
    before = time.perf_counter()
    lines = engine.search(sfen, f"depth {depth}")
    seconds = time.perf_counter() - before
    told = [line.split() for line in lines if " depth " in line and " nodes " in line]
    if finds_mate(lines) or not told or max(int(words[words.index("depth") + 1]) for words in told) < depth:
        return None
    return seconds, int(told[-1][told[-1].index("nodes") + 1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--hash", type=int, default=128)
    parser.add_argument("--positions", type=Path, required=True)
    parser.add_argument("--every", type=int, default=50)
    parser.add_argument("engines", nargs="+", metavar="ENGINE=DEPTH")
    arguments = parser.parse_args()
    positions = read_positions(arguments.positions, arguments.every)
    for name in arguments.engines:
        path, _, depth = name.rpartition("=")
        if not path or not depth.isdecimal():
            parser.error(f"{name!r} is not ENGINE=DEPTH")
        one, many = (Engine(path, threads, arguments.hash) for threads in (1, arguments.threads))
        pairs = []
        for sfen in positions:
            alone = measure(one, sfen, int(depth))
            together = measure(many, sfen, int(depth))
            if alone and together:
                pairs.append((*alone, *together))
        one.quit()
        many.quit()
        if not pairs:
            print(f"{name}  no position of {len(positions)} without a mate")
            continue
        seconds, nodes, seconds_many, nodes_many = zip(*pairs, strict=True)
        ratio = geometric_mean(b / a for a, b in zip(seconds, seconds_many, strict=True))
        more = geometric_mean(b / a for a, b in zip(nodes, nodes_many, strict=True))
        print(
            f"{name}  {len(pairs)} positions of {sum(seconds) / len(pairs):.2f} s  {arguments.threads} threads:",
            f"time {sum(seconds_many) / sum(seconds):.3f} in all, {ratio:.3f} in geometric mean  nodes {more:.3f}  nodes a second {more / ratio:.3f}",
        )


if __name__ == "__main__":
    main()
