"""The USI engine, for programs that play or analyse through it: ``komadori usi``, and ``serve`` for other file descriptors.

docs/usi.md has its commands and options.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from . import _native
from .errors import CancelledError
from .types import _check_range

__all__ = ["main", "serve"]


def serve(input: int | None = 0, output: int = 1, commands: Iterable[str] = ()) -> None:
    """Runs the engine until ``quit`` or the end of the input. Ctrl-C ends it with KeyboardInterrupt.

    Args:
        input: File descriptor to read commands from; None for none.
        output: File descriptor to answer on. What Python itself has yet to write there is not waited for.
        commands: Commands that come first, a line each.

    Raises:
        OSError: Reading or writing failed.
    """
    if isinstance(commands, str):
        raise TypeError("commands must be several, each a str, not one str")
    lines = list(commands)
    for line in lines:
        if not isinstance(line, str):
            raise TypeError(f"a command must be str, not {type(line).__name__}")
        if "\n" in line or "\r" in line:
            raise ValueError(f"a command is one line: {line!r}")
    source = -1 if input is None else _check_range("input", input, 0, 2**31 - 1)
    _native.run("kmd_usi_start", source, _check_range("output", output, 0, 2**31 - 1), *_native.encode("\n".join(lines)))


def main(arguments: Sequence[str]) -> int:
    """The command ``komadori usi``: an engine on standard input and output. Gives the exit code.

    Arguments are commands that come first, one each where any has a blank, else all of them the words of one; standard input is then read only if the
    last is ``-``.
    """
    words = list(arguments)
    reads = not words or words[-1] == "-"
    if words and reads:
        words.pop()
    commands = words if any(" " in word for word in words) else [" ".join(words)] if words else []
    # Where a process has no standard input or output, their numbers may be those of files that something else has opened.
    if sys.stdout is None:
        print("komadori usi: there is no standard output", file=sys.stderr)
        return 1
    try:
        serve(0 if reads and sys.stdin is not None else None, 1, commands)
    except OSError as error:
        print(f"komadori usi: {error.strerror or error}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, CancelledError):
        return 130
    return 0
