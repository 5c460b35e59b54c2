"""Games turned into records."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sized
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .. import _arrays, _files, library, training
from ..errors import InvalidValueError, KomadoriError, ParseError
from ..types import GameResult
from ._spill import Progress, in_threads

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..board import Board
    from ..rules import Rules

StrPath = str | os.PathLike[str]

_LOST, _WON, _DRAWN = ("resign", "rep_lose", "timeout"), ("win", "rep_win"), ("rep_draw", "draw")
_RESULTS = {"black": GameResult.BLACK_WIN, "white": GameResult.WHITE_WIN, "draw": GameResult.DRAW}


@dataclass
class RecordsReport:
    """What ``records`` wrote.

    Attributes:
        games: Games written. ``rows`` are their positions.
        without_result: Games left out because nothing says who won.
        bad: Games left out because something is wrong with their lines: number of the line, from 1, and error; the first thousand of them.
    """

    games: int = 0
    rows: int = 0
    without_result: int = 0
    bad: list[tuple[int, Exception]] = field(default_factory=list)


def records(
    source: StrPath | Iterable[str],
    path: StrPath,
    *,
    format: str | None = None,
    nodes: int | None = None,
    rules: Rules | None = None,
    without_result: str = "skip",
    on_error: str = "raise",
    threads: int | None = None,
    progress: Progress = None,
) -> RecordsReport:
    """Writes the positions of games as records, each with the move that was played.

    Args:
        source: A file of lines, or lines. Each is a game as USI writes it, ``startpos moves 7g7f 3c3d ...`` or ``sfen ... moves ...``, with or without the word
            position before it and one of resign, win, timeout, draw, rep_draw, rep_win, rep_lose after it, which speak of the side to move at the end. After
            a tab may follow who won, "black", "white" or "draw", and after another the evaluations before each move, for the side to move. Empty lines and
            those that begin with # are passed over.
        path: File to write.
        format: "hcpe", "hcpe2", "hcpe3" or "psv"; None for what its name says.
        nodes: Evaluate every position with a search of so many nodes, where the line has no evaluations; None stores 0.
        rules: Who has won where the line does not say it, as ``Board.outcome`` asks; None for the default rules.
        without_result: What to do with games that have not ended: "skip" leaves them out, "draw" stores a draw, "raise" is an error.
        on_error: "raise", and nothing is written, or "skip" for lines that are wrong.
        threads: Games replayed and searched at a time; None for as many as ``set_threads`` says. The records are the same.
        progress: Called with lines done and their total.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     records(["startpos moves 7g7f 3c3d resign", "startpos moves 2g2f\\tblack\\t35"], folder + "/games.hcpe")
    ...     training.open(folder + "/games.hcpe")[:]["gameResult"].tolist()
    RecordsReport(games=2, rows=3, without_result=0, bad=[])
    [2, 2, 1]
    """
    _arrays.choice("without_result", without_result, dict.fromkeys(("skip", "draw", "raise")))
    _arrays.choice("on_error", on_error, dict.fromkeys(("raise", "skip")))
    if nodes is not None and nodes < 1:
        raise ValueError(f"nodes is {nodes}, want 1 or more")
    told = format or _files.named_format(path)
    if told is None:
        raise ValueError(f"{os.fspath(path)} does not tell its format: give format= ('hcpe', 'hcpe2', 'hcpe3' or 'psv')")
    stored = "psv" if told == "psv" else "hcpe" if told == "hcpe" else "hcpe2"
    total = _lines_of(source) if progress is not None else 0
    report = RecordsReport()

    def game(item: tuple[int, str]) -> tuple[int, npt.NDArray[np.void] | Exception | None]:
        number, line = item
        try:
            return number, _game(line, stored, nodes, rules, without_result)
        except (KomadoriError, ValueError) as error:
            error.args = (f"line {number}: {error}", *error.args[1:])
            return number, error

    count = library.threads() if threads is None else threads
    with training.Writer(path, told) as file, closing(in_threads(game, _numbered(source), count)) as games:
        for number, made in games:
            if isinstance(made, Exception):
                if on_error == "raise":
                    raise made
                report.bad += [(number, made)] if len(report.bad) < 1000 else []
            elif made is None:
                report.without_result += 1
            else:
                if len(made):
                    file.write(made)
                report.games += 1
            if progress is not None:
                progress(number, total)
        report.rows = file.rows
    return report


def _numbered(source: StrPath | Iterable[str]) -> Iterator[tuple[int, str]]:
    """Lines that hold games, with their numbers."""
    if isinstance(source, (str, os.PathLike)):
        with open(source, encoding="utf-8-sig", errors="replace") as file:
            yield from _numbered(file)
        return
    for number, line in enumerate(source, 1):
        text = line.strip("\r\n ")
        if text and not text.startswith("#"):
            yield number, text


def _lines_of(source: StrPath | Iterable[str]) -> int:
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            return sum(part.count(b"\n") for part in iter(lambda: file.read(1 << 20), b"")) + 1
    return len(source) if isinstance(source, Sized) else 0


def _game(line: str, format: str, nodes: int | None, rules: Rules | None, without_result: str) -> npt.NDArray[np.void] | None:
    from ..board import Board

    position, *more = line.split("\t")
    words = position.split()
    ending = words.pop() if words and words[-1] in (*_LOST, *_WON, *_DRAWN) else None
    board = Board.from_position(" ".join(words))
    result = _result(board, ending, more[0].strip().lower() if more else "", rules)
    if result is None:
        if without_result == "skip":
            return None
        if without_result == "raise":
            raise InvalidValueError("nothing says who won")
        result = GameResult.DRAW
    return training.game_records(board, _evals(board, more[1].split() if len(more) > 1 else [], nodes), result, format)


def _result(board: Board, ending: str | None, told: str, rules: Rules | None) -> GameResult | None:
    if told:
        if told not in _RESULTS:
            raise ParseError(f"result {told!r}, want black, white or draw")
        return _RESULTS[told]
    if ending in _DRAWN:
        return GameResult.DRAW
    if ending is not None:
        black = (ending in _WON) == (board.turn == 0)
        return GameResult.BLACK_WIN if black else GameResult.WHITE_WIN
    outcome = board.outcome(rules)
    return None if outcome is None else outcome.result


def _evals(board: Board, told: list[str], nodes: int | None) -> list[int]:
    n = board.history_length
    if told:
        try:
            found = [int(word) for word in told]
        except ValueError:
            raise ParseError(f"evaluations {' '.join(told[:5])!r}, want ints") from None
        if len(found) != n:
            raise InvalidValueError(f"{len(found)} evaluations of {n} moves")
        return found
    if nodes is None:
        return [0] * n
    from ..search import Searcher

    searcher, replay = Searcher(hash_mb=8), board.copy()
    moves = board.moves()
    for _ in moves:
        replay.pop()
    found = []
    for move in moves:
        found.append(int(searcher.search(replay, nodes=nodes).score.to_eval()))
        replay.push(move)
    return found
