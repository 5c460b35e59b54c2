"""Measures the reading of game records: 120-move games by the second of one processor, beside the peers that are installed.

    python bench/records.py [--rounds N] [--games N]

All read the same texts, which are made here of random games, with a time for each move. Libraries take turns, the best of the rounds counts, and
seconds are those of the processor, so that what else runs on the machine matters little; two threads are measured by the clock, beside one.
"one call" hands all texts to one call, the other rows one text to a call. A row whose moves differ from what was written is not counted.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != ROOT / "bench"]

import komadori  # noqa: E402
from komadori.kifu import parse_batch  # noqa: E402

Work = Callable[[list[str]], Any]


def random_games(n: int) -> list[komadori.Kifu]:
    """Random games of 120 moves."""
    source = random.Random(1)
    games: list[komadori.Kifu] = []
    while len(games) < n:
        board = komadori.Board()
        while board.history_length < 120 and (moves := board.legal_moves()):
            board.push(source.choice(moves))
        if board.history_length == 120:
            kifu = komadori.Kifu(board, headers={"先手": "Alpha", "後手": "Beta", "棋戦": "Event"})
            for node in kifu.main_line():
                node.time_ms = 1000 * source.randrange(60)
            kifu.last.add_ending(komadori.Ending.RESIGN)
            games.append(kifu)
    return games


def peers() -> dict[str, dict[str, tuple[Work, Callable[[Any], list[str]]]]]:
    """Of each format the libraries that read it: how, and the moves of what it gives."""
    found: dict[str, dict[str, tuple[Work, Callable[[Any], list[str]]]]] = {"kif": {}, "ki2": {}, "csa": {}, "jkf": {}, "usi": {}}

    def add(form: str, library: str, read: Callable[[str], Any], moves: Callable[[Any], list[str]]) -> None:
        found[form][f"{library} {importlib.metadata.version(library)}"] = (lambda texts: [read(text) for text in texts], moves)

    try:
        record = importlib.import_module("rsshogi.record").Record
    except ImportError:
        print("rsshogi is not installed")
    else:
        for form, name in {"kif": "from_kif_str", "ki2": "from_ki2_str", "csa": "from_csa_str", "jkf": "from_jkf_str", "usi": "from_usi_position"}.items():
            add(form, "rsshogi", getattr(record, name), lambda r: [m.move.to_usi() for m in r.moves])
    try:
        cshogi = importlib.import_module("cshogi")
        kif, csa = importlib.import_module("cshogi.KIF").Parser, importlib.import_module("cshogi.CSA").Parser
    except ImportError:
        print("cshogi is not installed")
    else:
        add("kif", "cshogi", kif.parse_str, lambda r: [cshogi.move_to_usi(m) for m in r.moves])
        add("csa", "cshogi", csa.parse_str, lambda r: [cshogi.move_to_usi(m) for m in r[0].moves])
    try:
        kif, csa = importlib.import_module("shogi.KIF").Parser, importlib.import_module("shogi.CSA").Parser
    except ImportError:
        print("python-shogi is not installed")
    else:
        add("kif", "python-shogi", kif.parse_str, lambda r: list(r[0]["moves"]))
        add("csa", "python-shogi", csa.parse_str, lambda r: list(r[0]["moves"]))
    return found


def seconds(work: Work, texts: list[str], clock: Callable[[], float]) -> float:
    start = clock()
    work(texts)
    return clock() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=2000, help="texts in one call of ours; peers get a twentieth of them")
    arguments = parser.parse_args()
    print(komadori.build_info())
    games = random_games(100)
    wanted = [[m.to_usi() for m in kifu.moves] for kifu in games]
    others = peers()
    print(f"{'':26}{'games/s':>12}{'to the best peer':>20}")
    for form in others:
        some = [getattr(kifu, f"to_{form}")() for kifu in games]
        many = [some[i % len(some)] for i in range(arguments.games)]
        few = some[: max(1, arguments.games // 20)]
        rows: dict[str, tuple[Work, list[str]]] = {
            "one call": (lambda texts, form=form: parse_batch(texts, form, threads=1), many),  # type: ignore[misc]
            "one at a time": (lambda texts, form=form: [komadori.read(text, form) for text in texts], many),  # type: ignore[misc]
            "  and its moves": (lambda texts, form=form: [list(komadori.read(text, form).moves) for text in texts], many),  # type: ignore[misc]
        }
        assert [[m.to_usi() for m in kifu.moves] for kifu in parse_batch(some, form)] == wanted
        for library, (work, moves) in others[form].items():
            try:
                right = [moves(one) for one in work(few)] == wanted[: len(few)]
            except Exception as error:
                print(f"{form:5}{library} fails: {error!r}"[:100])
                continue
            if right:
                rows[library] = (work, few)
            else:
                print(f"{form:5}{library} gives other moves")
        best = dict.fromkeys(rows, 1e9)
        for _ in range(arguments.rounds):
            for name, (work, texts) in rows.items():
                best[name] = min(best[name], seconds(work, texts, time.process_time) / len(texts))
        theirs = min((best[library] for library in others[form] if library in best), default=None)
        for name, one in best.items():
            ratio = f"{theirs / one:20.2f}" if theirs is not None and name in ("one call", "one at a time", "  and its moves") else ""
            print(f"{form:5}{name:21}{1 / one:12,.0f}{ratio}")
    for form in ("csa", "kif"):
        many = [getattr(games[i % len(games)], f"to_{form}")() for i in range(5 * arguments.games)]
        works: list[Work] = [lambda texts, form=form, n=n: parse_batch(texts, form, threads=n) for n in (1, 2)]  # type: ignore[misc]
        one, two = (min(seconds(work, many, time.perf_counter) for _ in range(arguments.rounds)) for work in works)
        print(f"{form}  two threads to one, by the clock {one / two:10.2f}")


if __name__ == "__main__":
    main()
