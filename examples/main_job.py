"""The main job: a training file in, correct labels and planes out, and a board to look at and ask.

    python examples/main_job.py [--out DIR] [FILE.hcpe | FILE.psv | ...]

Without a file it makes its own: the ten games of examples/data are replayed, every position gets an evaluation from a short search, and an HCPE
and a PSV file are written. Then, as with any file: read, turn into arrays, turn and mirror every row and check that all of it agrees,
and at last look at one position closely.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import komadori
from komadori import Board, GameResult, labels, mate, search, training

if TYPE_CHECKING:
    import numpy.typing as npt

    from komadori.training import TrainingData

GAMES = Path(__file__).resolve().parent / "data" / "alphazero_elmo.tsv"
NODES = 500  # of the search that evaluates a position
CHUNK = 4096  # rows decoded at a time: the planes of a row are 38 kB

console = Console(soft_wrap=True)


def bar() -> Progress:
    return Progress(
        TextColumn("  {task.description:<28}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn(), console=console
    )


def read_games(path: Path = GAMES) -> list[tuple[str, str, list[str]]]:
    """Id, winner and moves of every game."""
    games = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#") and not line.startswith("id\t"):
            name, _black, _white, result, _ending, moves = line.split("\t")
            games.append((name, result, moves.split()))
    return games


def make_files(folder: Path, nodes: int = NODES) -> list[Path]:
    """Replays the games and writes their positions as HCPE and as PSV."""
    games = read_games()
    total = sum(len(moves) for _, _, moves in games)
    searcher = search.Searcher(hash_mb=16)
    hcpe, psv = [], []
    start, done = time.perf_counter(), 0
    with bar() as progress:
        task = progress.add_task(f"evaluating ({nodes} nodes each)", total=total, rate="")
        for _, winner, moves in games:
            board, evals = Board(), []
            for usi in moves:
                evals.append(int(searcher.search(board, nodes=nodes).score.to_eval()))
                board.push_usi(usi)
                done += 1
                progress.update(task, advance=1, rate=f"{done / (time.perf_counter() - start):.0f}/s")
            result = {"black": GameResult.BLACK_WIN, "white": GameResult.WHITE_WIN, "draw": GameResult.DRAW}[winner]
            hcpe.append(training.game_records(board, evals, result, format="hcpe"))
            psv.append(training.game_records(board, evals, result, format="psv"))
    paths = [folder / "games.hcpe", folder / "games.psv"]
    for path, parts in zip(paths, (hcpe, psv), strict=True):
        training.write(path, np.concatenate(parts))
        console.print(f"  wrote {path} ({path.stat().st_size:,} bytes)")
    return paths


def check_chunk(records: npt.NDArray[np.void]) -> tuple[int, int, dict[str, npt.NDArray[np.generic]]]:
    """Decodes rows, turned and mirrored too, and checks what must agree. Gives good rows, bad rows and the small arrays."""
    batch = training.decode(records, labels="full", on_error="report")
    good = np.ones(len(records), dtype=bool)
    good[[e.row for e in batch.errors]] = False
    records = records[good]
    batch = training.decode(records, labels="full")
    compact = training.decode(records, labels="compact")
    turned = training.decode(training.flip_side(records), labels="full")
    mirrored = training.decode(training.mirror_file(records), labels="full")

    def same(what: str, a: npt.NDArray[np.generic], b: npt.NDArray[np.generic]) -> None:
        if not np.array_equal(a, b):
            raise SystemExit(f"{what}: {int((a != b).any(axis=tuple(range(1, a.ndim))).sum())} rows differ")

    # All inputs and targets are the mover's view, so turning the board changes none of them; the winner's color follows the turn.
    for name in ("features1", "features2", "label", "value", "result"):
        same(f"flip_side: {name}", getattr(batch, name), getattr(turned, name))
    # Mirroring reverses the files of every plane, mirrors the label, and leaves the rest.
    same("mirror_file: features1", batch.features1[:, :, ::-1, :], mirrored.features1)
    same("mirror_file: features2", batch.features2, mirrored.features2)
    same("mirror_file: label", labels.mirror_file(batch.label.astype(np.uint16)), mirrored.label.astype(np.uint16))
    same("mirror_file: value", batch.value, mirrored.value)
    same("compact label", labels.FULL_TO_COMPACT[batch.label], compact.label.astype(np.uint16))
    # Both are their own inverse.
    same("flip_side twice", records, training.flip_side(training.flip_side(records)))
    same("mirror_file twice", records, training.mirror_file(training.mirror_file(records)))
    small = {"label": batch.label, "value": batch.value, "result": batch.result}
    return len(records), int((~good).sum()), small


def check_file(path: Path) -> TrainingData:
    """Runs the main job on a file and reports on it."""
    records = training.open(path)
    good = bad = 0
    columns: dict[str, list[npt.NDArray[np.generic]]] = {"label": [], "value": [], "result": []}
    first = training.decode(records[: min(1024, len(records))], on_error="report")  # warm, and for the shapes below
    begin = time.perf_counter()
    training.decode(records[: min(1024, len(records))], on_error="report", out=first)
    rate = min(1024, len(records)) / max(time.perf_counter() - begin, 1e-9)
    with bar() as progress:
        task = progress.add_task(f"checking {path.name}", total=len(records), rate="")
        for block in records.blocks(CHUNK):
            n, m, small = check_chunk(block)
            good, bad = good + n, bad + m
            for name, column in small.items():
                columns[name].append(column)
            progress.update(task, advance=n + m)
    label, value, result = (np.concatenate(columns[name]) for name in ("label", "value", "result"))
    table = Table(title=f"{path.name}: {len(records):,} records", title_justify="left", show_header=False)
    table.add_row("good rows, bad rows", f"{good:,}, {bad:,}")
    table.add_row("features1, features2", f"{first.features1.shape[1:]}, {first.features2.shape[1:]} {first.features1.dtype} a row")
    table.add_row("labels", f"{len(np.unique(label)):,} of 2,187 occur, {label.dtype}")
    table.add_row("value, result (mean)", f"{value.mean():.3f}, {result.mean():.3f}, side to move's view" if good else "no good row")
    table.add_row("flip_side, mirror_file", "every row agrees")
    table.add_row("decoded into reused arrays", f"{rate:,.0f} rows/s on {komadori.threads()} threads")
    console.print(table)
    return records


def look(board: Board, folder: Path) -> None:
    """One position closely: drawn, its moves listed, searched and mate-checked."""
    drawing = folder / "position.svg"
    drawing.write_text(board.svg(), encoding="utf-8")
    moves = board.legal_moves()
    table = Table(title=f"ply {board.ply}, drawn in {drawing}", title_justify="left", show_header=False)
    table.add_row("SFEN", board.to_sfen())
    table.add_row("legal moves", f"{len(moves)}: {' '.join(m.to_usi() for m in moves[:12])}{' ...' if len(moves) > 12 else ''}")
    found = search.Searcher(hash_mb=32).search(board, nodes=100_000)
    bound = {search.Bound.LOWER: "at least ", search.Bound.UPPER: "at most "}.get(found.bound, "")
    table.add_row("search", f"{found.best_move} {bound}{found.score}, depth {found.depth}, {found.nodes:,} nodes: {' '.join(m.to_usi() for m in found.pv[:8])}")
    solved = mate.solve(board, nodes=100_000)
    table.add_row("mate", f"{solved.status}{': ' + ' '.join(m.to_usi() for m in solved.moves) if solved.moves else ''} ({solved.nodes:,} nodes)")
    console.print(table)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, help="a file of HCPE, HCPE2, HCPE3 or PSV")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for what is written")
    parser.add_argument("--nodes", type=int, default=NODES, help="nodes of the search that evaluates a position")
    options = parser.parse_args(arguments)
    console.print(f"[bold]{komadori.build_info()}[/bold]", highlight=False)
    options.out.mkdir(parents=True, exist_ok=True)
    if options.file is not None:
        if not options.file.is_file():
            console.print(f"[red]{options.file} is no file[/red]")
            return 2
        paths = [options.file]
    else:
        paths = make_files(options.out, options.nodes)
    for path in paths:
        try:
            records = check_file(path)
        except komadori.KomadoriError as error:
            console.print(f"[red]{error}[/red]", highlight=False)
            return 1
    row = records.explain(min(len(records) - 1, len(records) * 2 // 5))
    console.print(repr(row), highlight=False)
    if row.board is not None:
        look(row.board, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
