"""A USI engine to be measured."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path


class Engine:
    def __init__(self, path: str, threads: int = 1, hash_mb: int = 64) -> None:
        program = Path(path).resolve()
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=program.parent)
        self.ask("usi", "usiok")
        options = {"USI_Hash": hash_mb, "Threads": threads, "USI_OwnBook": "false", "BookFile": "no_book"}
        self.ask("\n".join(f"setoption name {name} value {value}" for name, value in options.items()) + "\nisready", "readyok")

    def ask(self, command: str, answer: str) -> list[str]:
        """The lines before the answer."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.startswith(answer):
                return lines
            lines.append(line)
        raise SystemExit(f"{self.process.args!r} ended before {answer}")

    def clear(self) -> None:
        self.ask("usinewgame\nisready", "readyok")

    def search(self, sfen: str, limit: str) -> list[str]:
        """What the engine tells of a search with such a limit, "depth 9"."""
        return self.ask(f"position sfen {sfen}\ngo {limit}", "bestmove")

    def quit(self) -> None:
        self.process.communicate("quit\n")


def finds_mate(lines: list[str]) -> bool:
    return any(" score mate " in line for line in lines)


def read_positions(path: Path, every: int) -> list[str]:
    """The SFENs of a file with a JSON object a line, every so many."""
    return [json.loads(line)["sfen"] for line in path.read_text().splitlines()[::every]]
