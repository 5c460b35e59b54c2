"""The command ``komadori``: files of training data looked at, checked and written anew. Needs typer and rich: ``pip install 'komadori[cli]'``.

Every command is a thin layer over a function of ``komadori.tools`` with the same name and the same options.

Exit codes: 0 done; 1 ``check`` found bad rows or ``verify`` differences; 2 wrong arguments, or a package is missing; 3 the data is bad or cut short; 4 a file
cannot be read or written, or the disk is full; 130 interrupted. With any but 0 and 1, files that would have been written are as they were.
"""

from __future__ import annotations

import errno
import functools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, ParamSpec, TypeVar

from . import __version__, _install, tools
from .errors import KomadoriError
from .rules import Rules

try:
    import typer
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.table import Table
except ImportError as error:
    raise ImportError(f"the command needs typer and rich ({error}): {_install.extra('cli')}") from error

app = typer.Typer(
    name="komadori",
    help="Looks at, checks and rewrites files of shogi training data: HCPE, HCPE2, HCPE3 and PSV. Solves mate problems, and is a USI engine.",
    epilog="Exit codes: 0 done, 1 check or verify found something, 2 wrong arguments, 3 bad data, 4 a file cannot be read or written, 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

FOUND, USAGE, BAD_DATA, FILES, INTERRUPTED = 1, 2, 3, 4, 130

P = ParamSpec("P")
R = TypeVar("R")


# --------------------------------------------------------------------------------------------------------------------- Options


def _bytes(text: str | int) -> int:
    """512M, 2G, 1.5GiB or a plain number."""
    if isinstance(text, int):
        return text
    word = text.strip().upper().removesuffix("B").removesuffix("I")
    sizes = {"K": 10, "M": 20, "G": 30, "T": 40}
    try:
        number = float(word[:-1]) * (1 << sizes[word[-1]]) if word[-1:] in sizes else float(word)
        if not 0 < number < 2**63:
            raise ValueError
    except (ValueError, OverflowError):
        raise typer.BadParameter(f"{text!r} is no size: 512M, 2G, ...") from None
    return int(number)


def _part(text: str) -> tuple[str, float]:
    """FILE=WEIGHT."""
    path, _, weight = text.rpartition("=")
    try:
        if path:
            return path, float(weight)
    except ValueError:
        pass
    raise typer.BadParameter(f"{text!r}, want FILE=WEIGHT, such as train.hcpe=0.9")


Files = Annotated[list[Path], typer.Argument(help="Files of records, of one format.", show_default=False)]
FilesOfAll = Annotated[list[Path], typer.Argument(help="Files of records, also of several formats.", show_default=False)]
Out = Annotated[Path, typer.Option("--out", "-o", help="File to write. An old one stays until the new one is whole.", show_default=False)]
Format = Annotated[str | None, typer.Option("--format", "-f", help="hcpe, hcpe2, hcpe3 or psv, where names do not tell.", show_default=False)]
Convention = Annotated[
    str | None, typer.Option("--results", help="How results are stored: apery, yaneuraou, rsshogi or dlshogi; else the format's way.", show_default=False)
]
Threads = Annotated[int | None, typer.Option("--threads", "-t", help="Threads to use; else one for each processor.", show_default=False, min=1, max=1024)]
Memory = Annotated[Any, typer.Option("--memory", "-m", help="Memory to use, such as 512M or 4G.", parser=_bytes, metavar="SIZE")]
Temporary = Annotated[Path | None, typer.Option("--temporary", help="Folder for what memory does not hold; else that of the output.", show_default=False)]
Seed = Annotated[int, typer.Option("--seed", "-s", help="Another seed, another choice.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"komadori {__version__}")
        raise typer.Exit


@app.callback()
def _main(version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False) -> None:
    pass


# ---------------------------------------------------------------------------------------------------------------------- Output


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """Who reads our output has seen enough: that is no error."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise typer.Exit(0)


def _stdout() -> Console:
    console = _Output(highlight=False)
    if not console.is_terminal:
        console.width = 160
    return console


def _fail(message: str, code: int) -> typer.Exit:
    """The exit after an error: one line, whatever the message has."""
    print("komadori: " + " ".join(str(message).split()), file=sys.stderr)
    return typer.Exit(code)


def _command(function: Callable[P, R]) -> Callable[P, R]:
    """A command whose errors are one line and an exit code."""

    @functools.wraps(function)
    def guarded(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            return function(*arguments, **options)
        except BrokenPipeError:  # JSON, which no console prints
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            raise typer.Exit(0) from None
        except KeyboardInterrupt:
            raise _fail("interrupted; files are as they were", INTERRUPTED) from None
        except ImportError as error:
            if "pip install" not in str(error):
                raise
            raise _fail(str(error), USAGE) from None
        except KomadoriError as error:
            raise _fail(str(error), BAD_DATA) from None
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            full = " (files are as they were)" if where and error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO) else ""
            raise _fail(f"{where}{error.strerror or error}{full}", FILES) from None
        except MemoryError:
            raise _fail("not enough memory: give less with --memory", FILES) from None
        except ValueError as error:
            raise _fail(str(error), USAGE) from None

    return app.command(name=function.__name__.removesuffix("_"))(guarded)


@contextmanager
def _bar(what: str, quiet: bool, unit: str = "rows") -> Iterator[Callable[[int, int], None]]:
    """A progress bar on the terminal, and the callback that moves it."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    began = time.perf_counter()
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task(what, total=None, rate="")

        def moved(done: int, total: int) -> None:
            rate = done / max(time.perf_counter() - began, 1e-9)
            bar.update(task, completed=done, total=total, rate=f"{_short(rate)} {unit}/s")

        yield moved


def _short(number: float) -> str:
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.3g}"


def _print_json(what: Any) -> None:
    print(json.dumps(what, ensure_ascii=False))


def _percent(part: int, of: int) -> str:
    return f"{part:,} ({part / of:.1%})" if of else f"{part:,}"


def _paths(files: list[Path]) -> Any:
    return files if len(files) > 1 else files[0]


# --------------------------------------------------------------------------------------------------------------------- Looking


@_command
def info(files: FilesOfAll, format: Format = None, json: Json = False) -> None:
    """Format, size and number of rows of every file. Files may have different formats."""
    found = tools.info([*files], format=format)
    if json:
        _print_json([row._asdict() for row in found])
        return
    table = Table("file", "format", "bytes", "rows")
    for column in table.columns[2:]:
        column.justify = "right"
    for row in found:
        table.add_row(escape(str(row.path)), row.format, f"{row.bytes:,}", f"{row.rows:,}")
    if len(found) > 1:
        table.add_section()
        table.add_row("all", "", f"{sum(row.bytes for row in found):,}", f"{sum(row.rows for row in found):,}")
    _stdout().print(table)


@_command
def stats(
    files: FilesOfAll,
    format: Format = None,
    results: Convention = None,
    duplicates: Annotated[bool, typer.Option(help="Count different positions: 8 bytes of memory or disk a row.")] = True,
    memory: Memory = "1G",
    temporary: Temporary = None,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Counts in one table: results, evaluations, plies, duplicates, illegal best moves, broken rows."""
    with _bar("stats", quiet) as progress:
        found = tools.stats(
            _paths(files),
            format=format,
            result_convention=results,
            duplicates=duplicates,
            memory=_bytes(memory),
            temporary=temporary,
            threads=threads,
            progress=progress,
        )
    if json:
        _print_json(found.to_dict())
        return
    table = Table("", "rows", title=f"{len(files)} files" if len(files) > 1 else escape(str(files[0])), title_justify="left")
    n = found.usable
    table.add_row("rows", f"{found.rows:,}")
    table.add_row("usable", _percent(n, found.rows))
    table.add_row("illegal best move", _percent(found.illegal_moves, found.rows))
    for what, times in sorted(found.broken.items()):
        table.add_row(what, _percent(times, found.rows))
    if not found.broken:
        table.add_row("broken", "0")
    if found.positions is not None and found.duplicates is not None:
        table.add_row("different positions", _percent(found.positions, n))
        table.add_row("duplicates", _percent(found.duplicates, n))
    table.add_section()
    for what, times in (("Black won", found.black_wins), ("White won", found.white_wins), ("draw", found.draws)):
        table.add_row(what, _percent(times, n))
    table.add_row("side to move won", _percent(found.side_to_move_wins, n))
    table.add_row("Black to move", _percent(found.black_to_move, n))
    for what, of in (("evaluation", "evals"), ("ply", "plies")) if found.plies[1] < n else (("evaluation", "evals"),):
        table.add_section()
        table.add_row(f"{what}: mean, deviation", f"{found.mean(of):.1f}, {found.deviation(of):.1f}")
        low = found.quantiles(of, (0, 1, 5, 25, 50, 75, 95, 99, 100))
        table.add_row(f"{what}: least, 1, 5, 25, 50, 75, 95, 99 %, most", " ".join(map(str, low)))
    _stdout().print(table)


@_command
def check(
    files: Files,
    format: Format = None,
    results: Convention = None,
    legal: Annotated[bool, typer.Option(help="Ask that moves are legal, not only well formed.")] = True,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Bad rows to list.", min=0)] = 20,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Looks at every row. Exit code 1 when any is bad."""
    with _bar("check", quiet) as progress:
        found = tools.check(_paths(files), format=format, result_convention=results, legal=legal, limit=limit, threads=threads, progress=progress)
    if json:
        listed = [{"row": bad.row, "path": bad.path, "file_row": bad.file_row, "error": str(bad.error)} for bad in found.listed]
        _print_json({"rows": found.rows, "bad": found.bad, "listed": listed})
    else:
        console = _stdout()
        for bad in found.listed:
            console.print(f"{bad.path or 'row'} {bad.file_row}: {bad.error}", markup=False, soft_wrap=True)
        if found.bad > len(found.listed):
            console.print(f"... and {found.bad - len(found.listed):,} more")
        console.print(f"{found.rows:,} rows, {found.bad:,} bad")
    if found.bad:
        raise typer.Exit(FOUND)


@_command
def verify(
    files: Files,
    arrays: Annotated[Path, typer.Option("--arrays", "-a", help="A .npz or .npy file that another loader's arrays were saved to.", show_default=False)],
    name: Annotated[str | None, typer.Option("--name", help="Which output a .npy file is; else what its name begins with.", show_default=False)] = None,
    start: Annotated[int, typer.Option("--start", help="Record that the first row of the arrays is.", min=0)] = 0,
    seconds: Annotated[float | None, typer.Option("--seconds", help="How long the other loader took; else 'seconds' of the .npz.", show_default=False)] = None,
    tolerance: Annotated[float, typer.Option("--tolerance", help="How far values and results may lie apart.", min=0)] = 1e-6,
    labels: Annotated[str, typer.Option("--labels", help="full or compact.")] = "full",
    planes: Annotated[str, typer.Option("--planes", help="dlshogi, dlshogi119, or names of planes.")] = "dlshogi",
    mirror: Annotated[bool, typer.Option("--mirror", help="Every row mirrored.")] = False,
    format: Format = None,
    results: Convention = None,
    threads: Annotated[int, typer.Option("--threads", "-t", help="Threads to decode with.", min=1, max=1024)] = 1,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compares arrays of another loader with this library's, row by row, and the speed of both. Exit code 1 when any row differs."""
    with _bar("verify", quiet) as progress:
        options: dict[str, Any] = {"labels": labels, "planes": planes, "mirror": mirror or None, "result_convention": results}
        found = tools.verify(
            _paths(files), arrays, name=name, start=start, seconds=seconds, tolerance=tolerance, format=format, threads=threads, progress=progress, **options
        )
    rate = found.rows / max(found.seconds, 1e-9)
    if json:
        compared = [{"name": one.name, "different": one.different, "first": one.first, "largest": one.largest} for one in found.compared]
        _print_json(
            {
                "rows": found.rows,
                "equal": found.equal,
                "compared": compared,
                "bad_rows": found.bad_rows,
                "seconds": found.seconds,
                "other_seconds": found.other_seconds,
                "ratio": found.ratio,
            }
        )
    else:
        table = Table("array", "rows", "different", "first", "largest difference")
        for one in found.compared:
            table.add_row(one.name, f"{found.rows:,}", f"{one.different:,}", str(one.first) if one.different else "", f"{one.largest:.3g}")
        console = _stdout()
        console.print(table)
        if found.bad_rows:
            console.print(f"rows that cannot be used, left out: {' '.join(map(str, found.bad_rows[:20]))}{' ...' if len(found.bad_rows) > 20 else ''}")
        console.print(f"here {found.seconds:.3f} s, {rate:,.0f} rows/s on {threads} thread{'s' if threads > 1 else ''}")
        if found.ratio is not None and found.other_seconds is not None:
            console.print(f"there {found.other_seconds:.3f} s, {found.rows / max(found.other_seconds, 1e-9):,.0f} rows/s: ratio {found.ratio:.2f}")
    if not found.equal:
        raise typer.Exit(FOUND)


@_command
def head(
    files: Files,
    rows: Annotated[int, typer.Option("--rows", "-n", help="How many.", min=0)] = 3,
    start: Annotated[int, typer.Option("--start", help="The first row; from the end when negative.")] = 0,
    format: Format = None,
    results: Convention = None,
    json: Json = False,
) -> None:
    """Rows with their boards."""
    found = tools.head(_paths(files), rows, start=start, format=format, result_convention=results)
    console = _stdout()
    listed = []
    for row in found:
        facts: dict[str, Any] = {
            "row": row.row,
            "path": row.path,
            "file_row": row.file_row,
            "sfen": row.board.to_sfen() if row.board is not None else None,
            "move": row.move.to_usi() if row.move is not None else None,
            "label": row.label,
            "eval": row.eval,
            "value": row.value,
            "result": row.result,
            "ply": row.ply,
            "error": str(row.error) if row.error is not None else None,
        }
        if row.candidates:
            facts["candidates"] = [[move.to_usi(), visits] for move, visits, _ in row.candidates]
        listed.append(facts)
        if not json:
            console.print(f"[bold]row {row.row:,}[/bold] {escape(f'{row.path} {row.file_row:,}' if row.path else '')}", soft_wrap=True)
            if row.board is not None:
                console.print(str(row.board), markup=False, soft_wrap=True)
            told = [name for name in ("move", "label", "eval", "value", "result", "ply") if facts[name] is not None]
            console.print(", ".join(f"{name} {facts[name]:.4g}" if name == "value" else f"{name} {facts[name]}" for name in told), markup=False, soft_wrap=True)
            if row.candidates:
                shown = " ".join(f"{move.to_usi()} {share:.1%}" for move, _, share in row.candidates[:8])
                console.print(f"visits {shown}", markup=False, soft_wrap=True)
            if row.error is not None:
                console.print(f"bad: {row.error}", markup=False, soft_wrap=True)
            console.print()
    if json:
        _print_json(listed)


# --------------------------------------------------------------------------------------------------------------------- Writing


@_command
def convert(
    files: Files,
    out: Out,
    to: Annotated[str | None, typer.Option("--to", help="hcpe, hcpe2, hcpe3 or psv; else what the name of the output says.", show_default=False)] = None,
    format: Format = None,
    results: Convention = None,
    to_results: Annotated[str | None, typer.Option("--to-results", help="How to store results.", show_default=False)] = None,
    positions: Annotated[str, typer.Option("--positions", help="Of hcpe3: targets, all or dlshogi.")] = "targets",
    append: Annotated[bool, typer.Option("--append", help="Keep what the output holds, and write after it.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out rows that cannot be converted, and say how many.")] = False,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Writes rows in another format, and says what it cannot hold."""
    with _bar("convert", quiet) as progress:
        found = tools.convert(
            _paths(files),
            out,
            to,
            from_format=format,
            result_convention=results,
            to_result_convention=to_results,
            positions=positions,
            append=append,
            on_error="skip" if skip_bad else "raise",
            threads=threads,
            progress=progress,
        )
    if json:
        _print_json({"rows": found.rows, "written": found.written, "bad": found.bad, "bad_rows": found.bad_rows, "lost": found.lost})
        return
    console = _stdout()
    console.print(f"{found.written:,} of {found.rows:,} rows written to {out}", markup=False, soft_wrap=True)
    for what, times in found.lost.items():
        if times:
            console.print(f"lost: {what} of {times:,} rows")
    if found.bad:
        console.print(f"left out: {found.bad:,} bad rows: {' '.join(map(str, found.bad_rows[:20]))}{' ...' if found.bad > 20 else ''}", soft_wrap=True)


@_command
def records(
    games: Annotated[Path, typer.Argument(help="A file with a game a line, as USI writes it: startpos moves 7g7f 3c3d ... resign", show_default=False)],
    out: Out,
    to: Annotated[str | None, typer.Option("--to", help="hcpe, hcpe2, hcpe3 or psv; else what the name of the output says.", show_default=False)] = None,
    nodes: Annotated[int | None, typer.Option("--nodes", help="Evaluate positions with a search of so many nodes; else 0.", show_default=False, min=1)] = None,
    rules: Annotated[str, typer.Option("--rules", help="Who has won where a line does not say it: jsa, csa, floodgate or dlshogi.")] = "jsa",
    without_result: Annotated[str, typer.Option("--without-result", help="Games that have not ended: skip, draw or raise.")] = "skip",
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out lines that are wrong, and say which.")] = False,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Writes the positions of games as records, with the moves played. After tabs a line may go on with who won and with evaluations."""
    profiles = {"jsa": Rules.JSA, "csa": Rules.CSA, "floodgate": Rules.FLOODGATE, "dlshogi": Rules.DLSHOGI}
    if rules not in profiles:
        raise ValueError(f"rules is {rules!r}, want one of {', '.join(map(repr, profiles))}")
    with _bar("records", quiet, "lines") as progress:
        found = tools.records(
            games,
            out,
            format=to,
            nodes=nodes,
            rules=profiles[rules],
            without_result=without_result,
            on_error="skip" if skip_bad else "raise",
            threads=threads,
            progress=progress,
        )
    bad = [[number, str(error)] for number, error in found.bad]
    if json:
        _print_json({"games": found.games, "rows": found.rows, "without_result": found.without_result, "bad": bad})
        return
    console = _stdout()
    console.print(f"{found.rows:,} rows of {found.games:,} games written to {out}", markup=False, soft_wrap=True)
    if found.without_result:
        console.print(f"left out: {found.without_result:,} games without result")
    for _, message in bad[:20]:
        console.print(f"left out: {message}", markup=False, soft_wrap=True)


@_command
def shuffle(
    files: Files,
    out: Out,
    format: Format = None,
    seed: Seed = 0,
    memory: Memory = "1G",
    temporary: Temporary = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Writes all rows of all files in a random order. Data larger than the memory waits in a temporary file."""
    with _bar("shuffle", quiet) as progress:
        rows = tools.shuffle(_paths(files), out, format=format, seed=seed, memory=_bytes(memory), temporary=temporary, threads=threads, progress=progress)
    _stdout().print(f"{rows:,} rows written to {out}", markup=False, soft_wrap=True)


@_command
def split(
    files: Files,
    part: Annotated[list[Any], typer.Option("--part", "-p", help="A file to write and its weight; once for every part.", parser=_part, metavar="FILE=WEIGHT")],
    by: Annotated[str, typer.Option("--by", help="What stays together: game, position or row.")] = "game",
    format: Format = None,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Divides rows among files: -p train.hcpe=9 -p test.hcpe=1."""
    with _bar("split", quiet) as progress:
        found = tools.split(_paths(files), part, by=by, format=format, seed=seed, progress=progress)
    if json:
        _print_json({"rows": found.rows, "written": found.written, "games": found.games})
        return
    table = Table("file", "rows")
    table.columns[1].justify = "right"
    for path, rows in found.written.items():
        table.add_row(escape(path), _percent(rows, found.rows))
    console = _stdout()
    console.print(table)
    if by == "game":
        console.print(f"{found.games:,} games, {found.rows / max(1, found.games):.1f} rows each")


@_command
def dedupe(
    files: Files,
    out: Out,
    keep: Annotated[str, typer.Option("--keep", help="first, or average: mean evaluation and result, most frequent move.")] = "first",
    by: Annotated[str, typer.Option("--by", help="What is the same: position, or move for position and move together.")] = "position",
    format: Format = None,
    memory: Memory = "1G",
    temporary: Temporary = None,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Writes every position once, in the order of their first rows."""
    with _bar("dedupe", quiet) as progress:
        found = tools.dedupe(
            _paths(files), out, keep=keep, by=by, format=format, memory=_bytes(memory), temporary=temporary, threads=threads, progress=progress
        )
    if json:
        _print_json(vars(found))
        return
    console = _stdout()
    console.print(f"{found.written:,} of {found.rows:,} rows written to {out}", markup=False, soft_wrap=True)
    console.print(
        f"{found.repeated:,} positions occurred more than once, {found.moves_differ:,} with different moves, {found.results_differ:,} with different results"
    )


@_command
def sample(
    files: Files,
    out: Out,
    rows: Annotated[int | None, typer.Option("--rows", "-n", help="How many; or", min=0, show_default=False)] = None,
    fraction: Annotated[float | None, typer.Option("--fraction", help="what part of all, 0..1.", show_default=False)] = None,
    format: Format = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Writes some rows, drawn at random, in the order of the files."""
    with _bar("sample", quiet) as progress:
        written = tools.sample(_paths(files), out, rows=rows, fraction=fraction, format=format, seed=seed, progress=progress)
    _stdout().print(f"{written:,} rows written to {out}", markup=False, soft_wrap=True)


@_command
def export(
    files: Files,
    out: Out,
    kind: Annotated[str | None, typer.Option("--kind", help="parquet or arrow; else what the name of the output says.", show_default=False)] = None,
    decoded: Annotated[bool, typer.Option("--decoded", help="Add columns of what the fields mean: SFEN, USI, label, value, ...")] = False,
    compression: Annotated[str, typer.Option("--compression", help="zstd, lz4 or none.")] = "zstd",
    format: Format = None,
    results: Convention = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Writes a Parquet or Arrow file."""
    with _bar("export", quiet) as progress:
        written = tools.export(
            _paths(files),
            out,
            kind=kind,
            decoded=decoded,
            format=format,
            result_convention=results,
            compression=None if compression == "none" else compression,
            threads=threads,
            progress=progress,
        )
    _stdout().print(f"{written:,} rows written to {out}", markup=False, soft_wrap=True)


# ----------------------------------------------------------------------------------------------------------------------- Mates


def _problems(files: list[Path]) -> Iterator[tuple[str, str]]:
    """Problems of files with their places: SFENs, a line each, alone or as the last column of a table; # begins a comment."""
    for path in files:
        with open(path, encoding="utf-8-sig", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                text = line.partition("#")[0].strip()
                if text:
                    yield text.rpartition("\t")[2].strip().removeprefix("sfen "), f"{path}:{number}"


def _moves(moves: Any) -> str:
    return " ".join(move.to_usi() for move in moves)


@_command
def mate(
    problem: Annotated[list[str], typer.Argument(help="A position as SFEN or as USI has it, or files with a problem on each line.", show_default=False)],
    nodes: Annotated[
        int | None, typer.Option("--nodes", "-n", help="Positions to look at, for each problem; else 1,000,000.", show_default=False, min=1)
    ] = None,
    movetime: Annotated[int | None, typer.Option("--movetime", help="Milliseconds for each problem.", show_default=False, min=1)] = None,
    depth: Annotated[int | None, typer.Option("--depth", "-d", help="Longest mate in plies.", show_default=False, min=1)] = None,
    memory: Memory = "64M",
    shortest: Annotated[bool, typer.Option("--shortest", help="The shortest mate against the longest resistance.")] = False,
    first_moves: Annotated[bool, typer.Option("--first-moves", help="All first moves that keep the length (of one position).")] = False,
    skip_futile: Annotated[bool, typer.Option("--skip-futile", help="Count without futile interpositions (of one position).")] = False,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Mate problems (詰将棋): the answer for a position, or for each of the problems of files.

    A line of a file is an SFEN, alone or as the last column of a table with tabs; # begins a comment.
    """
    from .board import Board
    from .mate import solve, solve_batch

    megabytes = max(1, _bytes(memory) >> 20)
    if not any(os.path.exists(word) for word in problem):
        text = " ".join(problem).removeprefix("sfen ")
        try:
            board = Board.from_position(text)
        except KomadoriError as error:
            if len(text.split()) == 1:
                raise _fail(f"{text}: neither a file nor a position", BAD_DATA) from None
            raise _fail(str(error), BAD_DATA) from None
        with _bar("mate", quiet, "nodes") as moved:
            result = solve(
                board,
                nodes,
                movetime,
                megabytes,
                shortest,
                depth=depth,
                first_moves=first_moves,
                skip_futile=skip_futile,
                progress=lambda now: moved(now.nodes, nodes or (0 if movetime else 1_000_000)),
            )
        _print_mates([(text, "", result)], json, first_moves)
        return
    if first_moves or skip_futile:
        raise typer.BadParameter("--first-moves and --skip-futile are for one position")
    absent = " ".join(word for word in problem if not os.path.exists(word))
    if absent:
        with suppress(KomadoriError):  # a file that is missing: opening it says so
            Board.from_position(absent.removeprefix("sfen "))
            raise typer.BadParameter(f"{absent} is a position, and a file stands beside it: give one position, or files of problems")
    rows = list(_problems([Path(word) for word in problem]))
    places = [place for _, place in rows]
    texts = [text for text, _ in rows]
    with _bar("mate", quiet, "problems") as moved:
        try:
            found = solve_batch(texts, nodes, movetime, megabytes, shortest, depth=depth, threads=threads, progress=moved)
        except KomadoriError as error:
            row = getattr(error, "row", None)
            raise _fail(f"{places[row]}: {error}" if row is not None else str(error), BAD_DATA) from None
    _print_mates(zip(texts, places, found, strict=True), json, False)
    if not json:
        solved, none = int(found.is_mate.sum()), int(found.is_no_mate.sum())
        _stdout().print(
            f"{len(found):,} problems: {solved:,} mates, {none:,} without, {len(found) - solved - none:,} unknown; {found.elapsed:.1f} s", markup=False
        )


def _print_mates(rows: Any, json: bool, first_moves: bool) -> None:
    console = _stdout()
    for text, place, found in rows:
        if json:
            what = {"sfen": text, "status": found.status, "length": found.length, "moves": [move.to_usi() for move in found.moves], "proven": found.proven}
            if first_moves:
                what["first_moves"] = [move.to_usi() for move in found.first_moves]
            _print_json({**({"place": place} if place else {}), **what, "nodes": found.nodes})
            continue
        answer = f"mate in {found.length}: {_moves(found.moves)}" if found else found.status
        console.print(f"{place}: {answer}" if place else f"{answer} ({found.nodes:,} nodes, {found.elapsed:.3f} s)", markup=False, soft_wrap=True)
        if first_moves and found.first_moves:
            console.print(f"first moves: {_moves(found.first_moves)}", markup=False, soft_wrap=True)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def doctor(context: typer.Context) -> None:
    """Looks at this installation, tries it, and says what to do about what is wrong or missing; [b]--json[/b] for programs."""
    from .doctor import main

    raise typer.Exit(main(context.args))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def usi(context: typer.Context) -> None:
    """A shogi engine for programs that speak USI, on standard input and output.

    Arguments are commands that come first, such as [b]bench[/b] or [b]"position startpos" "go depth 8"[/b]; standard input is then read only if the last is -.
    """
    from .usi import main

    raise typer.Exit(main(context.args))


def run() -> int:
    """Runs the command with the arguments of the process; gives its exit code."""
    code = 0
    try:
        app()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else USAGE
    try:
        sys.stdout.flush()
    except OSError as error:  # what was printed did not arrive
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
        told = code != 0 or isinstance(error, BrokenPipeError)
        return code if told else _fail(error.strerror or str(error), FILES).exit_code
    return code
