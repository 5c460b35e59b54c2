"""The USI engine as programs start it: ``komadori usi`` as a process, ``serve`` on descriptors, and a client that others wrote."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from komadori import Board, Move, usi

PACKAGE = Path(usi.__file__).resolve().parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PACKAGE)}
COMMAND = [sys.executable, "-m", "komadori", "usi"]


class Engine:
    """An engine as a process."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
        )

    def say(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(line + "\n" for line in lines))
        self.process.stdin.flush()

    def until(self, word: str) -> list[str]:
        assert self.process.stdout is not None
        seen = []
        for line in self.process.stdout:
            seen.append(line.rstrip("\n"))
            if line.startswith(word):
                return seen
        raise AssertionError(f"the engine ended before {word}: {seen}")


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine()
    yield made
    made.process.kill()
    made.process.communicate()


def test_a_game_of_two_moves(engine: Engine) -> None:
    engine.say("usi")
    introduction = engine.until("usiok")
    assert introduction[0].startswith("id name Komadori 0.")
    assert any(line.startswith("option name USI_Hash type spin") for line in introduction)
    engine.say("setoption name USI_Hash value 2", "isready")
    engine.until("readyok")
    board = Board()
    for _ in range(2):
        engine.say("usinewgame", board.to_position(), "go nodes 2000")
        lines = engine.until("bestmove")
        board.push(Move.from_usi(lines[-1].split()[1]))
        assert any(" score cp " in line for line in lines)
    engine.say("go infinite", "isready")
    engine.until("readyok")
    engine.say("stop")
    engine.until("bestmove")
    engine.say("quit")
    assert engine.process.wait(60) == 0


def test_arguments_are_commands() -> None:
    for arguments in (["bench", "2"], ["position startpos", "go depth 3"], ["perft", "3"]):
        done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, env=ENVIRONMENT, timeout=120, stdin=subprocess.DEVNULL, check=False)
        assert done.returncode == 0, done.stderr
        assert ("bestmove" in done.stdout) == ("go depth 3" in arguments)
        assert ("nodes 25470" in done.stdout) == ("perft" in arguments)
    engine = Engine("setoption name MultiPV value 2", "position startpos", "-")
    engine.say("go depth 2")
    assert sum(" multipv 2 " in line for line in engine.until("bestmove")) == 2
    _, errors = engine.process.communicate(timeout=60)  # the end of the input
    assert engine.process.returncode == 0, errors


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_interrupts_and_broken_pipes(engine: Engine) -> None:
    engine.say("usi", "go infinite")
    engine.until("info depth 3")
    engine.process.send_signal(signal.SIGINT)
    assert engine.process.wait(60) == 130

    deaf = Engine()
    deaf.say("go infinite")
    deaf.until("info depth 2")
    assert deaf.process.stdout is not None
    deaf.process.stdout.close()
    assert deaf.process.wait(60) == 1


def test_serve_on_descriptors() -> None:
    (source, commands), (answers, target) = os.pipe(), os.pipe()
    os.write(commands, b"go depth 1\nquit\nrest")
    usi.serve(source, target, ["usi", "position startpos moves 7g7f"])
    said = os.read(answers, 1 << 16).decode()
    assert "usiok\n" in said and said.splitlines()[-1].startswith("bestmove ")

    thread = threading.Thread(target=usi.serve, args=(source, target))
    thread.start()
    os.write(commands, b"quit\n")
    thread.join(60)
    assert not thread.is_alive()
    usi.serve(None, target, ["go depth 1"])
    for descriptor in (source, commands, answers, target):
        os.close(descriptor)
    with pytest.raises(OSError):
        usi.serve(source, target)
    with pytest.raises(ValueError, match="one line"):
        usi.serve(None, 1, ["a\nb"])
    with pytest.raises(TypeError):
        usi.serve(None, 1, [1])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        usi.serve(None, 1, "quit")


@pytest.mark.skipif(os.name == "nt", reason="a shell closes the descriptors")
def test_closed_descriptors() -> None:
    """Of a process without standard input the engine reads nothing, whatever has got its number; without output it does not begin."""
    for closed, status, said in (("<&-", 0, ""), (">&-", 1, "no standard output")):
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {closed}', "sh", *COMMAND], capture_output=True, text=True, input="", env=ENVIRONMENT, timeout=120, check=False
        )
        assert done.returncode == status and done.stdout == "" and said in done.stderr, done


def test_help_names_the_engine() -> None:
    pytest.importorskip("typer")
    done = subprocess.run([sys.executable, "-m", "komadori", "--help"], capture_output=True, text=True, env=ENVIRONMENT, timeout=120, check=False)
    assert "usi" in done.stdout
    done = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, env=ENVIRONMENT, timeout=120, check=False)
    assert done.returncode == 0 and "standard input" in done.stdout


# A client by others, with a Python of its own where this one lacks it: KOMADORI_CSHOGI names an interpreter that has cshogi.
CLIENT = r"""
import sys
from cshogi import Board
from cshogi.usi import Engine
from cshogi.usi.Engine import InfoListener, MultiPVListener

engine = Engine(sys.argv[1])
assert engine.name.startswith("Komadori"), engine.name
options = [line for line in engine.usi() if line.startswith("option")]
assert len(options) == 17, options
engine.setoption("USI_Hash", 4)
engine.isready()
engine.usinewgame()
board, moves = Board(), []
listener = InfoListener()
for ply in range(30):
    engine.position(moves=moves)
    best, ponder = engine.go(nodes=500, listener=listener.listen())
    assert board.is_legal(board.move_from_usi(best)), (moves, best)
    if listener.info is not None:
        assert listener.pv[0] == best and isinstance(listener.score, int)
        assert listener.info["depth"] >= 1 and listener.info["nodes"] <= 500
    moves.append(best)
    board.push_usi(best)
engine.position(sfen="sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1")
assert engine.go_mate(byoyomi=1000) == "G*5b"
engine.position()
assert engine.go(byoyomi=50, btime=0, wtime=0)[0] != "resign"
engine.setoption("MultiPV", 3)
several = MultiPVListener()
engine.go(nodes=2000, listener=several.listen())
lines = several.info
assert [line["multipv"] for line in lines] == [1, 2, 3], lines
assert len({line["pv"][0] for line in lines}) == 3
engine.quit()
print("good")
"""


# Another, which ponders early: "go ponder" without times, and "ponderhit" with them. KOMADORI_SHOGIARENA names an interpreter that has shogiarena.
ARENA = r"""
import asyncio
import sys

from rsshogi.core import Board
from shogiarena.engine import PonderHitTimings, UsiThinkRequest, create_engine_from_mapping

START = "startpos"


async def main() -> None:
    config = {"name": "komadori", "engine_path": sys.argv[1], "engine_args": sys.argv[2:], "options": {"USI_Hash": "4", "MultiPV": "2"}}
    async with await create_engine_from_mapping(config, timeout=60) as engine:
        assert len(engine.get_usi_options()) == 17
        board, moves = Board(), []
        for _ in range(20):
            result = await engine.think(sfen=START, moves=moves, request=UsiThinkRequest(nodes=500), timeout=60)
            assert result.get_last_pv(1).pv[0] == result.bestmove
            assert result.get_last_pv(2) is None or result.get_last_pv(2).pv[0] != result.bestmove
            board.apply_move(result.bestmove)
            moves.append(result.bestmove)
        mate = await engine.think_mate(sfen="4k4/9/4P4/9/9/9/9/9/4K4 b G 1", node_limit=10_000, timeout=60)
        assert mate.is_mate and [move.to_usi() for move in mate.moves] == ["G*5b"]
        clock = UsiThinkRequest(btime=1000, wtime=1000, byoyomi=100)
        for early in (False, True):
            handle = await engine.start_ponder(sfen=START, moves=moves, request=clock, should_enable_early_ponder=early)
            assert handle.requires_timings == early
            await asyncio.sleep(0.05)
            found = await asyncio.wait_for(handle.hit(timings=PonderHitTimings(btime=1000, wtime=1000, byoyomi=100) if early else None), 60)
            assert found.bestmove is not None
        handle = await engine.start_ponder(sfen=START, moves=moves, request=clock)
        await engine.stop(60)
        infos = []
        analysis = await engine.analyze(sfen=START, moves=moves, request=UsiThinkRequest(is_infinite=True), info_handler=infos.append)
        while len(infos) < 8:
            await asyncio.sleep(0.01)
        await analysis.stop()
    print("good")


asyncio.run(main())
"""


def program(folder: Path) -> str:
    path = folder / "engine"
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{PACKAGE}" exec "{sys.executable}" -m komadori usi\n', encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(("module", "variable", "client"), [("cshogi.usi", "KOMADORI_CSHOGI", CLIENT), ("shogiarena.engine", "KOMADORI_SHOGIARENA", ARENA)])
def test_clients_by_others(module: str, variable: str, client: str, tmp_path: Path) -> None:
    python = os.environ.get(variable, sys.executable)
    if subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode != 0:
        pytest.skip(f"no {module}; {variable} names a Python that has it")
    done = subprocess.run([python, "-c", client, program(tmp_path)], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.strip() == "good", done.stderr
