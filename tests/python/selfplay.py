"""Many games of the engine against itself with a few nodes a move: no illegal move, no line that does not replay, no memory lost. Run by `make test-selfplay`.

    python tests/python/selfplay.py [--games 10000] [--by library] [--by engine]

By the library, searchers of this process play, with one and two threads, one and three lines and under several rules; by the engine, a process `komadori usi`
answers USI. Openings and a move now and then are drawn at random. Each move is checked against the legal moves, and every line of every answer is replayed;
where cshogi is installed, it judges every game once more. Memory is what is resident in the process that searches: after the last game it may be --grace MiB
above what it was after a quarter of the games; open files and threads must be about as many as then.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import komadori
from komadori import Board, Move, Rules, Searcher

MIB = 1 << 20
PROC = Path("/proc")


class Process:
    """What the system says of a process."""

    def __init__(self, number: int) -> None:
        self.folder = PROC / str(number)

    def state(self) -> tuple[int, int, int] | None:
        """Resident bytes, threads and open files; None where the system does not tell."""
        if not self.folder.is_dir():
            return None
        fields = dict(line.split(":", 1) for line in (self.folder / "status").read_text().splitlines() if ":" in line)
        return int(fields["VmRSS"].split()[0]) << 10, int(fields["Threads"]), len(os.listdir(self.folder / "fd"))


class Library:
    """Searchers of this process."""

    RULES = (Rules(move_limit=320, entering_king="CSA27"), Rules(move_limit=320, entering_king="CSA24"), Rules(move_limit=320, entering_king="TRY"))

    def __init__(self) -> None:
        self.searchers = [Searcher(1 + n % 2, 1, rules=rules) for n, rules in enumerate(self.RULES * 2)]
        self.process = Process(os.getpid())
        self.game = 0

    def begin(self) -> Rules:
        self.game += 1
        return self.RULES[self.game % 3]

    def move(self, board: Board, dice: random.Random) -> Move:
        searcher = self.searchers[self.game % len(self.searchers)]
        nodes = dice.randrange(20, 80)
        if dice.random() < 0.05:  # as a notebook does: infos as they come, then enough
            with searcher.analyse(board, nodes=1000, multipv=2) as analysis:
                for info in analysis:
                    for line in info.lines:
                        replay(board, line.pv)
                    if info.depth >= 2:
                        analysis.stop()
                return analysis.result().best_move
        found = searcher.search(board, nodes=nodes, multipv=3 if dice.random() < 0.25 else 1)
        assert found.nodes <= nodes
        for line in found.lines:
            replay(board, line.pv)
        if found.pv:
            assert found.pv[0] == found.best_move
        return found.best_move

    def close(self) -> None:
        for searcher in self.searchers:
            searcher.close()


class Engine:
    """A USI engine in a process of its own."""

    def __init__(self) -> None:
        path = {**os.environ, "PYTHONPATH": str(Path(komadori.__file__).resolve().parents[1])}  # the package under test
        self.channel = subprocess.Popen([sys.executable, "-m", "komadori", "usi"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=path)
        self.process = Process(self.channel.pid)
        self.say(
            "usi", "setoption name USI_Hash value 1", "setoption name MaxMovesToDraw value 320", "setoption name EnteringKingRule value CSARule27", "isready"
        )
        self.until("readyok", [])

    def say(self, *lines: str) -> None:
        assert self.channel.stdin is not None
        self.channel.stdin.write("".join(line + "\n" for line in lines))
        self.channel.stdin.flush()

    def until(self, word: str, lines: list[str]) -> str:
        assert self.channel.stdout is not None
        for line in self.channel.stdout:
            if line.startswith(word):
                return line
            lines.append(line)
        raise AssertionError("the engine has ended")

    def begin(self) -> Rules:
        self.say("usinewgame")
        return Library.RULES[0]

    def move(self, board: Board, dice: random.Random) -> Move:
        self.say(board.to_position(), f"go nodes {dice.randrange(20, 80)}")
        said: list[str] = []
        best = self.until("bestmove", said).split()
        for line in said:
            if " pv " in line:
                replay(board, [Move.from_usi(word) for word in line.split(" pv ")[1].split()])
        if len(best) > 2:
            replay(board, [Move.from_usi(best[1]), Move.from_usi(best[3])])
        return Move.from_usi(best[1])

    def close(self) -> None:
        self.say("quit")
        self.channel.wait(60)
        assert self.channel.returncode == 0


def replay(board: Board, line: list[Move] | tuple[Move, ...]) -> None:
    board = board.copy()
    for move in line:
        board.push(move)


def play(player: Library | Engine, dice: random.Random) -> tuple[list[Move], str]:
    """A game, and how it ended."""
    rules, board = player.begin(), Board()
    moves: list[Move] = []
    while True:
        outcome = board.outcome(rules, declare=0)
        if outcome is not None:
            return moves, outcome.reason.name
        best = player.move(board, dice)
        if best is Move.WIN:
            assert board.declaration(rules.entering_king).verdict == 1
            return moves, "DECLARATION_WIN"
        legal = list(board.legal_moves())
        assert best in legal, f"{best} in {board.to_position()}"
        if len(moves) < 12 or dice.random() < 0.1:
            best = dice.choice(legal)
        board.push(best)
        moves.append(best)


def judge(moves: list[Move]) -> None:
    """Another library's word."""
    from cshogi import Board as Other

    board = Other()
    for move in moves:
        text = move.to_usi()
        assert board.is_legal(board.move_from_usi(text)), (text, board.sfen())
        board.push_usi(text)


def run(player: Library | Engine, games: int, grace: float, seed: int) -> bool:
    dice, name = random.Random(seed), type(player).__name__.lower()
    try:
        import cshogi
    except ImportError:
        judged = "no other library"
    else:
        judged = f"cshogi {cshogi.__version__}" if hasattr(cshogi, "__version__") else "cshogi"
    print(f"by the {name}: {games:,} games, judged by {judged}", flush=True)
    ends: dict[str, int] = {}
    plies, began, early = 0, time.monotonic(), None
    for n in range(1, games + 1):
        moves, end = play(player, dice)
        if judged.startswith("cshogi"):
            judge(moves)
        ends[end] = ends.get(end, 0) + 1
        plies += len(moves)
        if n == max(games // 4, 1):
            early = player.process.state()
        if n % max(games // 10, 1) == 0 or n == games:
            state = player.process.state()
            told = "memory is not told here" if state is None else f"{state[0] / MIB:7.1f} MiB, {state[1]} threads, {state[2]} files"
            print(f"{n:7,} games {plies:9,} moves {time.monotonic() - began:7.1f} s   {told}", flush=True)
    print("ended by", ", ".join(f"{reason} {count}" for reason, count in sorted(ends.items(), key=lambda item: -item[1])))
    late = player.process.state()
    if early is None or late is None:
        return True
    # Threads of the Go runtime come and go a little with the load, and it opens two files of its own when it first needs them.
    good = late[0] <= early[0] + grace * MIB and late[1] <= early[1] + 4 and late[2] <= early[2] + 2
    print(f"memory {(late[0] - early[0]) / MIB:+.1f} MiB since the first quarter: {'good' if good else 'BAD'}")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--by", choices=("library", "engine"), action="append")
    parser.add_argument("--grace", type=float, default=16, help="MiB that memory may grow after the first quarter")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    good = True
    for by in options.by or ["library", "engine"]:
        player: Library | Engine = Library() if by == "library" else Engine()
        good &= run(player, options.games, options.grace, options.seed)
        player.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
