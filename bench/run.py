"""Measures komadori and its peers in one run and prints one table.

    python bench/run.py [--rounds N] [--only WORD] [--seconds S]

Two programs do the native work: bench/komadori, built with Go, and bench/rsshogi, built with cargo when it is there. Their runs take turns, so
that a machine that slows down slows both, and the best of the rounds counts. Seconds are those of the processor, so that what else runs
on the machine matters little; with several threads they are the clock's. The Python part measures the packages komadori, rsshogi and cshogi
where they are installed. What is absent is left out and said so. One thread does everything unless the name says otherwise.

The column v1 is this library built for the oldest processors of the family (GOAMD64=v1), where the rest is built for newer ones.

No figure of this table is kept anywhere: ratios depend on the processor, figures on its load too.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import math
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import timeit
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "bench"

# The folders beside this file have names of packages, and are none.
sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != ROOT / "bench"]

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
MAX_MOVES = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1"
MIDGAME1 = "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1"
MATE = "7lk/9/7G1/9/9/9/9/9/4K4 b G 1"  # a gold dropped on 1b mates

# Name, SFEN, depth of perft.
POSITIONS = [
    ("startpos", START, 5),
    ("max_moves", MAX_MOVES, 3),
    ("opening", "lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b - 9", 5),
    ("midgame1", MIDGAME1, 4),
    ("midgame2", "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1", 3),
    ("movegen_fest", "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", 3),
]

# Row of the table, work of our program, of the peer's (None: it has none), SFEN. The best interface of each is asked: ours writes text into
# a buffer that is used again, the peer's gives a string.
NATIVE = [
    ("legal list, startpos", "list", "list", START),
    ("legal list, midgame1", "list", "list", MIDGAME1),
    ("legal list, max_moves", "list", "list", MAX_MOVES),
    ("legal list with pieces, startpos", "list32", "list32", START),
    ("legal list with pieces, midgame1", "list32", "list32", MIDGAME1),
    ("do + undo, startpos", "doundo", "doundo", START),
    ("do + undo, midgame1", "doundo", "doundo", MIDGAME1),
    ("do + undo with history, startpos", "game", "doundo", START),
    ("do + undo with history, midgame1", "game", "doundo", MIDGAME1),
    ("SFEN parse", "parse", "parse", MIDGAME1),
    ("SFEN write", "write", "write", MIDGAME1),
    ("PackedSfen encode", "packed-encode", "packed-encode", MIDGAME1),
    ("PackedSfen decode", "packed-decode", "packed-decode", MIDGAME1),
    ("HCP encode", "hcp-encode", "hcp-encode", MIDGAME1),
    ("HCP decode", "hcp-decode", "hcp-decode", MIDGAME1),
    ("mate in one, none", "mate1", "mate1", MIDGAME1),
    ("mate in one, found", "mate1", "mate1", MATE),
    ("labels of an array of moves", "label", None, MIDGAME1),
    ("search, nodes, startpos", "search", None, START),
    ("search, nodes, midgame1", "search", None, MIDGAME1),
]


def say(text: str) -> None:
    print(text, flush=True)


def left_out(what: str, why: str) -> None:
    say(f"left out: {what} ({why})")


# ------------------------------------------------------------------------------------------------------------------ Building


def processor() -> tuple[str, set[str]]:
    """Name and features of the processor, as far as the system tells."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine(), set()
    name = re.search(r"model name\s*:\s*(.+)", text)
    flags = re.search(r"flags\s*:\s*(.+)", text)
    return (name[1].strip() if name else platform.machine()), set(flags[1].split() if flags else [])


def run(command: list[str], **options: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}").splitlines()[-1]
        raise RuntimeError(last)
    return str(done.stdout)


def best_level(flags: set[str]) -> str:
    """GOAMD64 of the build that is compared, empty where the processor has no such levels."""
    return "v3" if {"avx2", "bmi1", "bmi2", "fma", "f16c", "movbe", "abm"} <= flags else ""


def build_ours(go: str, level: str) -> Path | None:
    environment = {**os.environ, "CGO_ENABLED": "0", **({"GOAMD64": level} if level else {})}
    binary = BUILD / f"bench-komadori{'-' + level if level else ''}"
    try:
        version = run([go, "version"]).removeprefix("go version ").strip()
        run([go, "build", "-trimpath", "-buildvcs=false", "-o", str(binary), "./bench/komadori"], cwd=ROOT, env=environment)
    except (OSError, RuntimeError) as error:
        left_out("komadori, native", str(error))
        return None
    say(f"komadori: {version}, {'GOAMD64=' + level if level else 'the default level of the processor'}")
    return binary


def build_peer() -> Path | None:
    cargo = shutil.which("cargo")
    if cargo is None:
        left_out("rsshogi crate", "no cargo")
        return None
    environment = {"RUSTFLAGS": "-C target-cpu=native", **os.environ}
    folder = ROOT / "bench" / "rsshogi"
    say("rsshogi crate: building, some minutes the first time ...")
    try:
        rust = run([cargo, "--version"])
        run([cargo, "build", "--release", "--quiet", "--target-dir", str(BUILD / "rust")], cwd=folder, env=environment)
    except (OSError, RuntimeError) as error:
        left_out("rsshogi crate", str(error))
        return None
    version = re.search(r'rsshogi = \{ version = "=([^"]+)"', (folder / "Cargo.toml").read_text(encoding="utf-8"))
    say(f"rsshogi crate: {version[1] if version else '?'}, {rust.strip()}, {environment['RUSTFLAGS']}")
    return BUILD / "rust" / "release" / "bench-rsshogi"


def make_records(go: str) -> Path | None:
    """HCPE records of real games, made by the Go example."""
    try:
        run([go, "run", "./examples/main_job", "-nodes", "50", "-out", str(BUILD)], cwd=ROOT, env={**os.environ, "CGO_ENABLED": "0"})
    except (OSError, RuntimeError) as error:
        left_out("HCPE to planes", str(error))
        return None
    return BUILD / "games.hcpe"


# ----------------------------------------------------------------------------------------------------------------- Measuring


class Runner:
    """A piece of work of one library: run() gives how much was done in how many seconds."""

    def __init__(self, name: str, do: Callable[[int], tuple[int, float]], seconds: float, rounds: int = 0) -> None:
        self.name, self.do, self.rounds, self.best = name, do, rounds, 0.0
        if rounds:
            return
        # As many rounds as take about the seconds asked for.
        self.rounds = 1
        while (took := do(self.rounds)[1]) < seconds / 4:
            self.rounds *= 16 if took < seconds / 64 else 4
        self.rounds = max(1, round(self.rounds * seconds / took))

    def run(self) -> None:
        count, took = self.do(self.rounds)
        self.best = max(self.best, count / took)


def native(binary: Path, work: str, depth: int, sfen: str) -> Callable[[int], tuple[int, float]]:
    def do(rounds: int) -> tuple[int, float]:
        count, took = run([str(binary), work, str(rounds), str(depth), sfen]).split()[:2]
        return int(count), float(took)

    return do


def allocations(binary: Path, work: str, depth: int, sfen: str) -> float:
    """Allocations of one piece of work of our program, of which some come from its set-up."""
    rounds = 1 if work.startswith("perft") else 10_000
    count, _, allocated = run([str(binary), work, str(rounds), str(depth), sfen]).split()
    return int(allocated) / int(count)


def start_up(binary: Path) -> float:
    """Milliseconds in which our packages build their tables when a program starts."""
    traces = [
        subprocess.run([str(binary), "list", "1", "0", START], env={**os.environ, "GODEBUG": "inittrace=1"}, capture_output=True, text=True, check=True).stderr
        for _ in range(7)
    ]
    return min(sum(float(ms) for ms in re.findall(r"^init komadori/\S+ @\S+ ms, (\S+) ms", text, re.M)) for text in traces)


def code(statement: str, names: dict[str, Any], per_loop: int = 1, clock: Callable[[], float] = time.process_time) -> Callable[[int], tuple[int, float]]:
    timer = timeit.Timer(statement, globals=names, timer=clock)
    return lambda rounds: (rounds * per_loop, timer.timeit(rounds))


Row = tuple[str, list[Runner]]


def measure(rows: list[Row], rounds: int) -> None:
    for _, runners in rows:
        for _ in range(rounds):
            for runner in runners:
                runner.run()


def figure(rate: float) -> str:
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if rate >= size:
            return f"{rate / size:.3g} {unit}"
    return f"{rate:.3g}"


def table(title: str, rows: list[Row], peers: Sequence[str]) -> None:
    if not rows:
        return
    say(f"\n{title}, a second\n")
    header = ["", "komadori", *(cell for peer in peers for cell in (peer, "ratio"))]
    lines = []
    for name, runners in rows:
        by_name = {r.name: r.best for r in runners}
        ours = by_name.get("komadori", math.nan)
        line = [name, figure(ours)]
        for peer in peers:
            line += [figure(by_name[peer]), f"{ours / by_name[peer]:.2f}"] if peer in by_name else ["-", "-"]
        lines.append(line)
    widths = [max(len(line[i]) for line in [header, *lines]) for i in range(len(header))]
    for line in [header, ["-" * width for width in widths], *lines]:
        cells = [line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        say("| " + " | ".join(cells) + " |")


# ------------------------------------------------------------------------------------------------------------- Native tables


def native_rows(ours: Path, oldest: Path | None, peer: Path | None, seconds: float, wanted: Callable[[str], bool]) -> list[Row]:
    rows: list[Row] = []
    for name, sfen, depth in POSITIONS:
        for kind, work in (("counted", "perft"), ("listed", "perft-list")):
            title = f"perft {name} d{depth}, leaves {kind}"
            if not wanted(title):
                continue
            runners = [Runner("komadori", native(ours, work, depth, sfen), seconds)]
            if peer:
                runners.append(Runner("rsshogi", native(peer, "perft", depth, sfen), seconds))
                counts = [r.do(1)[0] for r in runners]
                if counts[0] != counts[1]:
                    raise SystemExit(f"{title}: the libraries count {counts}")
            if oldest:
                runners.append(Runner("v1", native(oldest, work, depth, sfen), seconds))
            rows.append((title, runners))
    for title, work, other, sfen in NATIVE:
        if not wanted(title):
            continue
        # Rounds of a search are its nodes: another number of them would be another search.
        runners = [Runner("komadori", native(ours, work, 0, sfen), seconds, 300_000 if work == "search" else 0)]
        if peer and other:
            runners.append(Runner("rsshogi", native(peer, other, 0, sfen), seconds))
        if oldest and work != "search":
            runners.append(Runner("v1", native(oldest, work, 0, sfen), seconds))
        rows.append((title, runners))
    return rows


def say_costs(ours: Path, wanted: Callable[[str], bool]) -> None:
    works = [(f"perft {name}", "perft", depth, sfen) for name, sfen, depth in POSITIONS]
    works += [(title, work, 0, sfen) for title, work, _, sfen in NATIVE if work != "search"]
    costly = [title for title, *work in works if wanted(title) and allocations(ours, *work) > 0.01]
    say(f"\nallocations: {', '.join(costly) or 'none in any row'}; tables are built in {start_up(ours):.2f} ms when a program starts")


# -------------------------------------------------------------------------------------------------------------------- Python


def package(name: str) -> Any:
    """An installed package that works here, or None with a line that says why."""
    try:
        module = importlib.import_module(name)
        if name == "komadori":
            module.Board()  # loads the library
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            version = getattr(module, "__version__", "?")
    except Exception as error:  # whatever a half-installed package raises
        left_out(f"{name}, Python", str(error).splitlines()[0] if str(error) else type(error).__name__)
        return None
    say(f"{name}, Python: {version}")
    return module


def komadori_names(komadori: Any) -> dict[str, Any]:
    board, move = komadori.Board(MIDGAME1), komadori.Move.from_usi("7g7f")
    names = {"k": komadori, "Board": komadori.Board, "Move": komadori.Move, "board": board, "move": move, "sfen": MIDGAME1, "square": komadori.Square(40)}
    return {**names, "hcp": board.to_hcp(), "psfen": board.to_packed_sfen(), "target": komadori.Board(), "legal": board.legal_moves()[0]}


def rsshogi_names(rsshogi: Any) -> dict[str, Any]:
    core = importlib.import_module("rsshogi.core")
    policy = importlib.import_module("rsshogi.policy")
    board = core.Board(MIDGAME1)
    names = {"core": core, "Board": core.Board, "Move": core.Move, "board": board, "move": core.Move.from_usi("7g7f"), "sfen": MIDGAME1}
    names |= {"black": core.Color.BLACK, "policy": policy, "square": core.Square(40)}
    return {**names, "hcp": board.to_hcp(), "psfen": board.to_packed_sfen(), "target": core.Board(), "legal": board.legal_moves()[0]}


def cshogi_names(cshogi: Any) -> dict[str, Any]:
    np = importlib.import_module("numpy")
    board = cshogi.Board(MIDGAME1)
    hcp, psfen = np.empty(1, cshogi.HuffmanCodedPos), np.empty(1, cshogi.PackedSfen)
    board.to_hcp(hcp)
    board.to_psfen(psfen)
    names = {"cshogi": cshogi, "Board": cshogi.Board, "board": board, "sfen": MIDGAME1, "hcp": hcp, "psfen": psfen, "target": cshogi.Board()}
    return {**names, "move": next(iter(board.legal_moves)), "legal": next(iter(board.legal_moves))}


# Row, and the statement of each library that does the same.
PYTHON: list[tuple[str, str, str | None, str | None]] = [
    ("legal moves, listed", "list(board.legal_moves())", "list(board.legal_moves())", "list(board.legal_moves)"),
    ("legal moves, not looked at", "board.legal_moves()", "board.legal_moves()", "board.legal_moves"),
    # Nothing of the peer's gives an array, so that its list has to do.
    ("legal moves as an array", "board.legal_moves().to_numpy()", "board.legal_moves()", None),
    ("is_legal", "board.is_legal(legal)", "board.is_legal_move(legal)", "board.is_legal(legal)"),
    ("move from USI", "Move.from_usi('7g7f')", "Move.from_usi('7g7f')", None),
    ("move to USI", "move.to_usi()", "move.to_usi()", "cshogi.move_to_usi(move)"),
    ("move flip_side", "move.flip_side()", "move.flip_side()", None),
    ("move mirror_file", "move.mirror_file()", "move.mirror_file()", None),
    ("label", "move.label(0)", "policy.move_label(move, black)", None),
    ("compact label", "move.compact_label(0)", "policy.compact_move_label(move, black)", None),
    ("turn", "board.turn", "board.turn", "board.turn"),
    ("ply", "board.ply", "board.game_ply", "board.move_number"),
    ("key", "board.key", "board.zobrist_hash", "board.zobrist_hash()"),
    ("piece on a square", "board.piece_at(square)", "board.piece_on(square)", "board.piece(40)"),
    ("in check", "board.is_check()", "board.is_in_check()", "board.is_check()"),
    ("board from SFEN", "Board(sfen)", "Board(sfen)", "Board(sfen)"),
    ("board set to SFEN", "board.set_sfen(sfen)", "board.set_sfen(sfen)", "board.set_sfen(sfen)"),
    ("board to SFEN", "board.to_sfen()", "board.to_sfen()", "board.sfen()"),
    ("board to PackedSfen", "board.to_packed_sfen()", "board.to_packed_sfen()", "board.to_psfen(psfen)"),
    ("board from PackedSfen", "Board.from_packed_sfen(psfen)", "target.set_packed_sfen(psfen)", "target.set_psfen(psfen)"),
    ("board set to PackedSfen", "target.set_packed_sfen(psfen)", "target.set_packed_sfen(psfen)", "target.set_psfen(psfen)"),
    ("board to HCP", "board.to_hcp()", "board.to_hcp()", "board.to_hcp(hcp)"),
    ("board from HCP", "Board.from_hcp(hcp)", "target.set_hcp(hcp)", "target.set_hcp(hcp)"),
    ("board set to HCP", "target.set_hcp(hcp)", "target.set_hcp(hcp)", "target.set_hcp(hcp)"),
    ("board copied", "board.copy()", "board.copy()", "board.copy()"),
    ("push + pop", "board.push(legal); board.pop()", "board.push_move(legal); board.pop()", "board.push(legal); board.pop()"),
    ("mate in one", "board.mate_in_one()", "board.solve_mate_in_one()", "board.mate_move_in_1ply()"),
]


# Rows of arrays of a million moves.
ARRAYS = [
    ("labels of 1M moves", "labels.from_moves(moves, turns, threads=1)"),
    ("compact labels of 1M moves", "labels.from_moves(moves, turns, compact=True, threads=1)"),
    ("flip_side of 1M moves", "batch.flip_moves(moves)"),
    ("mirror_file of 1M moves", "batch.mirror_moves(moves)"),
    ("mirror_file of 1M labels", "labels.mirror_file(found)"),
]


def python_rows(names: dict[str, dict[str, Any]], seconds: float, wanted: Callable[[str], bool]) -> list[Row]:
    rows: list[Row] = []
    for title, *statements in PYTHON:
        if not wanted(title):
            continue
        runners = []
        for library, statement in zip(("komadori", "rsshogi", "cshogi"), statements, strict=True):
            if statement is None or library not in names:
                continue
            try:
                exec(statement, dict(names[library]))
            except Exception as error:
                left_out(f"{title}, {library}", f"{type(error).__name__}: {error}")
                continue
            runners.append(Runner(library, code(statement, names[library]), seconds))
        if any(r.name == "komadori" for r in runners):
            rows.append((title, runners))
    return rows


def array_rows(modules: dict[str, Any], ours: Path | None, records: Path | None, seconds: float, wanted: Callable[[str], bool]) -> list[Row]:
    """Arrays: labels, and HCPE to planes against the loop that people write with cshogi."""
    rows: list[Row] = []
    komadori, cshogi = modules.get("komadori"), modules.get("cshogi")
    try:
        np = importlib.import_module("numpy")
    except ImportError as error:
        left_out("arrays of Python", str(error))
        komadori = cshogi = None
    if komadori:
        board = komadori.Board(MIDGAME1)
        moves = np.resize(board.legal_moves().to_numpy(), 1 << 20)
        names = {"labels": komadori.labels, "batch": komadori.batch, "moves": moves, "turns": np.full(1 << 20, board.turn, np.uint8)}
        names["found"] = komadori.labels.from_moves(moves, names["turns"])
        for title, statement in ARRAYS:
            if wanted(title):
                rows.append((title, [Runner("komadori", code(statement, names, 1 << 20), seconds)]))
    if records is None:
        return rows

    title = "labels of records, full and compact"
    source = np.fromfile(records, np.dtype((np.void, 38))) if komadori or cshogi else None
    if komadori and wanted(title):
        names = {"labels": komadori.labels, "records": np.resize(source, 1 << 20).view(komadori.training.HCPE)}
        rows.append((title, [Runner("komadori", code("labels.from_records(records, threads=1)", names, 1 << 20), seconds)]))
    title = "legal masks of HCPE, as bits"
    if komadori and wanted(title):
        names = {"batch": komadori.batch, "records": np.resize(source, 4096).view(komadori.training.HCPE)}
        names["out"] = komadori.batch.legal_mask(names["records"], bits=True)
        rows.append((title, [Runner("komadori", code("batch.legal_mask(records, threads=1, bits=True, out=out)", names, 4096), seconds)]))
        # What decoding and listing take together, for comparison.
        names = {"batch": komadori.batch, "records": names["records"]}
        rows.append((title + ": decoding and listing alone", [Runner("komadori", code("batch.legal_moves(records, 1)", names, 4096), seconds)]))
    threads = os.cpu_count() or 1
    for size in (256, 4096):
        peers = [r for make in (dlshogi_loader, planes_loop) if wanted("HCPE to planes") and (r := make(np, cshogi, np.resize(source, size), seconds))]
        for count in sorted({1, threads}):
            ending = f"{size} rows, {count} thread{'s' if count > 1 else ''}"
            title = f"HCPE to planes, native, {ending}"
            if ours and size == 256 and wanted(title):
                rows.append((title, [Runner("komadori", native(ours, "planes", count, str(records)), seconds), *peers]))
            for kind in ("float32", "float16", "uint8", "bits"):
                title = f"HCPE to planes, {kind}, {ending}"
                if komadori and wanted(title):
                    training = komadori.training
                    names = {"decode": training.decode, "records": np.resize(source, size).view(training.HCPE), "threads": count, "kind": kind}
                    names["batch"] = training.decode(names["records"], dtype=kind)
                    clock = time.process_time if count == 1 else time.perf_counter
                    ours_in_python = Runner("komadori", code("decode(records, dtype=kind, out=batch, threads=threads)", names, size, clock), seconds)
                    # The same buffers cleared: what writing so much takes at least.
                    cleared = Runner("memset", code("for a in arrays: a.fill(0)", {"arrays": list(names["batch"].arrays.values())}, size), seconds)
                    rows.append((title, [ours_in_python, *([cleared] if count == 1 else []), *peers]))
    return rows


def dlshogi_loader(np: Any, cshogi: Any, source: Any, seconds: float) -> Runner | None:
    """What dlshogi's training loop calls, where its extension module has been built and is on the path."""
    try:
        loader = importlib.import_module("dlshogi.cppshogi").hcpe_decode_with_value
        n = len(source)
        rows = source.view(np.dtype([("hcp", "u1", 32), ("eval", "i2"), ("bestMove16", "u2"), ("gameResult", "u1"), ("dummy", "u1")]))
        arrays = [np.empty((n, 62, 9, 9), np.float32), np.empty((n, 57, 9, 9), np.float32), np.empty(n, np.int64)]
        arrays += [np.empty((n, 1), np.float32), np.empty((n, 1), np.float32)]
        loader(rows, *arrays)
    except Exception as error:
        left_out("HCPE to planes, dlshogi's loader", f"{type(error).__name__}: {error}")
        return None
    return Runner("dlshogi", code("loader(rows, *arrays)", {"loader": loader, "rows": rows, "arrays": arrays}, n), seconds)


def planes_loop(np: Any, cshogi: Any, source: Any, seconds: float) -> Runner | None:
    """The loop that people write with cshogi: float32 planes, label, value and result into arrays that are used again."""
    if cshogi is None:
        return None
    dlshogi = importlib.import_module("cshogi.dlshogi")
    rows_in = source.view(cshogi.HuffmanCodedPosAndEval)
    f1 = np.empty((len(rows_in), dlshogi.FEATURES1_NUM, 9, 9), np.float32)
    f2 = np.empty((len(rows_in), dlshogi.FEATURES2_NUM, 9, 9), np.float32)
    label, value, result = np.empty(len(rows_in), np.int64), np.empty(len(rows_in), np.float32), np.empty(len(rows_in), np.float32)
    board = cshogi.Board()

    def loop(rounds: int) -> tuple[int, float]:
        begin = time.process_time()
        for _ in range(rounds):
            for i, row in enumerate(rows_in):
                board.set_hcp(row["hcp"])
                dlshogi.make_input_features(board, f1[i], f2[i])
                label[i] = dlshogi.make_move_label(int(row["bestMove16"]), board.turn)
                value[i] = 1 / (1 + math.exp(-0.0013226 * int(row["eval"])))
                won = int(row["gameResult"])
                result[i] = 0.5 if won == 0 else float(won - 1 == board.turn)
        return rounds * len(rows_in), time.process_time() - begin

    try:
        loop(1)
        return Runner("cshogi", loop, seconds)
    except Exception as error:
        left_out("HCPE to planes, cshogi", f"{type(error).__name__}: {error}")
        return None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="how often the libraries take turns")
    parser.add_argument("--seconds", type=float, default=0.1, help="length of one run of one library")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    options = parser.parse_args()

    def wanted(title: str) -> bool:
        return options.only.lower() in title.lower()

    name, flags = processor()
    say(f"processor: {name}, {os.cpu_count()} logical; {platform.platform()}; Python {platform.python_version()}")
    if hasattr(os, "getloadavg"):
        say(f"load: {os.getloadavg()[0]:.1f} over the last minute, before this run")
    go = os.environ.get("GO") or shutil.which("go") or "go"
    BUILD.mkdir(parents=True, exist_ok=True)
    level = best_level(flags)
    ours = build_ours(go, level)
    oldest = build_ours(go, "v1") if level else None
    peer = build_peer()
    records = make_records(go) if wanted("HCPE to planes") else None
    modules = {name: module for name in ("komadori", "rsshogi", "cshogi") if (module := package(name)) is not None}
    say("measuring ...")

    if ours:
        rows = native_rows(ours, oldest, peer, options.seconds, wanted)
        measure(rows, options.rounds)
        table("Native programs, one thread", rows, [name for name, there in (("rsshogi", peer), ("v1", oldest)) if there])
        if rows:
            say_costs(ours, wanted)
    peers = [p for p in ("rsshogi", "cshogi") if p in modules]
    rows = array_rows(modules, ours, records, options.seconds, wanted)
    measure(rows, options.rounds)
    there = {runner.name for _, runners in rows for runner in runners}
    table("Arrays", rows, [p for p in ("memset", "dlshogi", "cshogi") if p in there])
    if "komadori" in modules:
        makers = {"komadori": komadori_names, "rsshogi": rsshogi_names, "cshogi": cshogi_names}
        names = {}
        for library, module in modules.items():
            try:
                names[library] = makers[library](module)
            except Exception as error:
                left_out(f"{library}, Python operations", f"{type(error).__name__}: {error}")
        if "komadori" in names:
            # Short runs that take turns often: on a busy machine some of them are left alone.
            rows = python_rows(names, options.seconds / 20, wanted)
            measure(rows, options.rounds * 10)
            table("Python, operations", rows, peers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
