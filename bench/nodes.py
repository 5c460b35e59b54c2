"""Measures how many positions USI engines visit in a second, in turns on the same positions, and prints a table and ratios to the first engine.

    python bench/nodes.py [--nodes N] [--rounds N] [--positions FILE] [--every N] ENGINE ENGINE...

ENGINE is a program. FILE has positions of its own, a JSON object with "sfen" a line; every N-th is taken, but for those
where a mate is found. Each round starts every engine anew, as where its memory lies changes its speed. Engines search with one thread, a table of 64 MiB that
has been cleared, and a limit of nodes, which are taken as visited. Figures are millions of nodes a second of the processor. Linux only.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from pathlib import Path

from engine import Engine, finds_mate, read_positions

POSITIONS = {
    "startpos": "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "opening": "lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b - 9",
    "midgame1": "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
    "fest": "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "fight": "l3bg2l/1rg1k4/p1nps1n+Pp/2p6/4p1s2/2PB5/P2P1PNRP/1SG2G3/LN1K2S1L w 3P4p 1",
}


def seconds_of(engine: Engine) -> float:
    """What it has taken of the processor so far."""
    return time.clock_gettime(~engine.process.pid << 3 | 2)  # what clock_getcpuclockid gives


def measure(engine: Engine, sfen: str, nodes: int) -> float:
    """Seconds of the processor; NaN where a mate may have ended the search early."""
    engine.clear()
    before = seconds_of(engine)
    lines = engine.search(sfen, f"nodes {nodes}")
    return math.nan if finds_mate(lines) else seconds_of(engine) - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--positions", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("engines", nargs="+", metavar="ENGINE")
    arguments = parser.parse_args()
    positions = POSITIONS
    if arguments.positions:
        positions = {str(n): sfen for n, sfen in enumerate(read_positions(arguments.positions, arguments.every))}
    seconds = {(name, path): 0.0 for name in positions for path in arguments.engines}
    for _ in range(arguments.rounds):
        engines = {path: Engine(path) for path in arguments.engines}
        for name, sfen in positions.items():
            for path, engine in engines.items():
                seconds[name, path] += measure(engine, sfen, arguments.nodes)
        for engine in engines.values():
            engine.quit()
    names = [name for name in positions if not any(math.isnan(seconds[name, path]) for path in arguments.engines)]
    millions = arguments.nodes * arguments.rounds / 1e6
    for path in arguments.engines:
        rates = [f"{name} {millions / seconds[name, path]:.3f}" for name in names] if len(names) < 10 else [f"{len(names)} positions"]
        rate = statistics.geometric_mean(millions / seconds[name, path] for name in names)
        ratio = statistics.geometric_mean(seconds[name, arguments.engines[0]] / seconds[name, path] for name in names)
        print(path, *rates, f"mean {rate:.3f}", f"ratio {ratio:.3f}", sep="  ")


if __name__ == "__main__":
    main()
