"""The command komadori: what it prints, its exit codes, its errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import komadori
from komadori import _install, tools, training
from test_tools import damaged_copy, games

pytest.importorskip("typer")

from typer.testing import CliRunner

from komadori import cli


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "games.hcpe"
    training.write(made, np.concatenate(games("hcpe")))
    return made


def run(*words: object, code: int = 0) -> str:
    done = CliRunner().invoke(cli.app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done.output


def test_every_function_has_its_command() -> None:
    # The others: test_usi.py, test_packaging.py and below.
    commands = {command.name or command.callback.__name__ for command in cli.app.registered_commands} - {"usi", "doctor", "mate"}
    assert commands == {"info", "stats", "check", "verify", "convert", "shuffle", "split", "dedupe", "sample", "head", "export", "records"}
    assert all(callable(getattr(tools, name)) for name in commands)
    text = run("--help")
    assert all(name in text for name in commands)
    for name in commands:
        assert "Usage" in run(name, "--help")


MATE, NONE = "4k4/9/4P4/9/9/9/9/9/9 b G 1", "4k4/9/9/9/9/9/9/9/9 b P 1"


def test_mate_of_a_position() -> None:
    assert run("mate", MATE).startswith("mate in 1: G*5b (")
    assert run("mate", *MATE.split()).startswith("mate in 1: G*5b (")
    assert run("mate", f"sfen {NONE}").startswith("no mate (")
    assert "first moves: G*5b" in run("mate", MATE, "--first-moves")
    found = json.loads(run("mate", MATE, "--json", "--shortest", "--depth", 1))
    assert {**found, "nodes": 0} == {"sfen": MATE, "status": "mate", "length": 1, "moves": ["G*5b"], "proven": True, "nodes": 0}
    assert "unknown" in run("mate", "9/9/9/4k4/9/9/9/9/4K4 b R4N 1", "--nodes", 10, "--memory", "1M")
    assert "no king" in run("mate", "9/9/9/9/9/9/9/9/4K4 b G 1", code=cli.BAD_DATA)
    assert "problems.sfen: neither a file nor a position" in run("mate", "problems.sfen", code=cli.BAD_DATA)
    assert "offset" in run("mate", f"{MATE} x y z", code=cli.BAD_DATA)
    assert run("mate", f"position sfen {NONE} moves").startswith("no mate (")
    assert run("mate", "startpos", "moves", "7g7f").startswith("no mate (")
    run("mate", MATE, "--nodes", 0, code=cli.USAGE)


def test_mates_of_files(tmp_path: Path) -> None:
    first, second = tmp_path / "a.sfen", tmp_path / "b.tsv"
    first.write_text(f"# problems\n{MATE}\n\nsfen {NONE} # nothing to check with\n")
    second.write_text(f"1\t{MATE}\n")
    for words in ((first, MATE), (MATE, first)):
        assert "one position, or files" in " ".join(run("mate", *words, code=cli.USAGE).replace("\u2502", " ").split())
    lines = run("mate", first, second).splitlines()
    assert lines[:3] == [f"{first}:2: mate in 1: G*5b", f"{first}:4: no mate", f"{second}:1: mate in 1: G*5b"]
    assert lines[3].startswith("3 problems: 2 mates, 1 without, 0 unknown")
    found = [json.loads(line) for line in run("mate", first, "--json", "-t", 1).splitlines()]
    assert [row["status"] for row in found] == ["mate", "no mate"]
    assert found[1]["place"] == f"{first}:4"
    second.write_text(f"{MATE}\nnonsense\n")
    assert f"{second}:2" in run("mate", second, code=cli.BAD_DATA)
    run("mate", first, tmp_path / "absent", code=cli.FILES)
    run("mate", first, "--first-moves", code=cli.USAGE)
    first.write_text("")
    assert run("mate", first).startswith("0 problems")


def test_version() -> None:
    assert run("--version") == f"komadori {komadori.__version__}\n"
    for command in ([sys.executable, "-m", "komadori", "--version"],):
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == f"komadori {komadori.__version__}\n"


def test_info_and_stats(path: Path, tmp_path: Path) -> None:
    training.write(tmp_path / "b.psv", np.concatenate(games("psv")))
    text = run("info", path, tmp_path / "b.psv")
    assert "71,592" in text and "75,360" in text and "3,768" in text
    assert json.loads(run("info", path, "--json"))[0] == {"path": str(path), "format": "hcpe", "bytes": 71592, "rows": 1884}
    text = run("stats", path)
    assert "1,884" in text and "duplicates" in text and "illegal best move" in text and "Black won" in text and "ply" not in text
    assert "ply" in run("stats", tmp_path / "b.psv", "--no-duplicates")
    found = json.loads(run("stats", path, "--json", "-m", "64M", "-t", 2))
    assert found["rows"] == found["usable"] == 1884 and found["positions"] == tools.stats(path).positions


def test_check_tells_rows_and_exit_code(path: Path) -> None:
    assert run("check", path) == "1,884 rows, 0 bad\n"
    damaged, wanted = damaged_copy(np.asarray(training.open(path)[:]))
    training.write(path, damaged)
    text = run("check", path, code=1)
    assert text.count(str(path)) == 5 and "1,884 rows, 5 bad" in text
    found = json.loads(run("check", path, "--json", "--limit", 2, code=1))
    assert found["bad"] == 5 and [bad["row"] for bad in found["listed"]] == sorted(wanted)[:2]
    assert "and 3 more" in run("check", path, "-n", 2, code=1)
    assert "3 bad" in run("check", path, "--no-legal", code=1)


def test_verify_tells_rows_ratio_and_exit_code(path: Path, tmp_path: Path) -> None:
    batch = training.decode(training.open(path)[:100])
    np.savez(tmp_path / "a.npz", **batch.arrays, seconds=2.0)
    text = run("verify", path, "-a", tmp_path / "a.npz")
    assert "ratio" in text and "features1" in text and "there 2.000 s" in text
    np.savez(tmp_path / "a.npz", label=batch.label + (np.arange(100) == 42))
    text = run("verify", path, "-a", tmp_path / "a.npz", code=1)
    assert "42" in text and "ratio" not in text
    found = json.loads(run("verify", path, "-a", tmp_path / "a.npz", "--json", code=1))
    assert not found["equal"] and found["compared"][0]["first"] == 42


def test_head_draws_boards(path: Path) -> None:
    text = run("head", path, "-n", 2, "--start", 10)
    assert text.count("row 1") == 2 and "９ ８ ７" in text and "move " in text and "label" in text
    rows = json.loads(run("head", path, "--json", "--start", "-1"))
    assert len(rows) == 1 and rows[0]["row"] == 1883 and rows[0]["error"] is None
    damaged, _ = damaged_copy(np.asarray(training.open(path)[:]))
    training.write(path, damaged)
    assert "bad: " in run("head", path, "-n", 1, "--start", 5)


def test_rewriting(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.psv"
    assert "lost: " not in run("convert", path, "-o", out)
    assert json.loads(run("convert", out, "-o", tmp_path / "back.hcpe", "--json"))["lost"]["plies"] == 0
    assert (tmp_path / "back.hcpe").read_bytes() == path.read_bytes()
    assert "1,884 rows written" in run("shuffle", path, "-o", tmp_path / "s.hcpe", "-s", 3, "-m", "200M")
    assert "games, " in run("split", path, "-p", f"{tmp_path}/a.hcpe=3", "-p", f"{tmp_path}/b.hcpe=1")
    assert json.loads(run("dedupe", path, "-o", tmp_path / "d.hcpe", "--json"))["rows"] == 1884
    assert "positions occurred more than once" in run("dedupe", path, "-o", tmp_path / "d.hcpe", "--keep", "average")
    assert "100 rows written" in run("sample", path, "-o", tmp_path / "m.hcpe", "-n", 100)
    pytest.importorskip("pyarrow")
    assert "1,884 rows written" in run("export", path, "-o", tmp_path / "x.parquet", "--decoded")
    training.write(path, damaged_copy(np.asarray(training.open(path)[:]))[0])
    text = run("convert", path, "-o", out, "--skip-bad")
    assert "left out: 2 bad rows: 5 1000" in text


def test_records_of_games(tmp_path: Path) -> None:
    games = tmp_path / "games.usi"
    games.write_text("position startpos moves 7g7f 3c3d resign\nstartpos moves 7g7f 7g7f\nstartpos moves 2g2f\n", encoding="utf-8")
    assert run("records", games, "-o", tmp_path / "x.hcpe", code=3).startswith("komadori: line 2: ")
    text = run("records", games, "-o", tmp_path / "x.hcpe", "--skip-bad", "--nodes", 50)
    assert "2 rows of 1 games" in text and "1 games without result" in text and "line 2" in text
    found = json.loads(run("records", games, "-o", tmp_path / "x.psv", "--skip-bad", "--without-result", "draw", "--json"))
    assert (found["games"], found["rows"], found["bad"][0][0]) == (2, 3, 2)
    run("records", games, "-o", tmp_path / "x.psv", "--rules", "mine", code=2)


@pytest.mark.parametrize(
    ("words", "code", "wanted"),
    [
        (["info", "{folder}/gone.hcpe"], 4, "gone.hcpe: No such file or directory"),
        (["info", "{folder}"], 4, "no regular file"),
        (["stats", "{path}", "-f", "csa"], 2, "format is 'csa'"),
        (["stats", "{path}", "-f", "psv"], 3, "no whole number of psv records"),
        (["convert", "{path}", "-o", "{folder}/x.txt"], 2, "does not tell its format"),
        (["convert", "{path}", "-o", "{folder}/gone/x.psv"], 4, "gone/x.psv: No such file"),
        (["convert", "{damaged}", "-o", "{folder}/x.psv"], 3, "row 5"),
        (["sample", "{path}", "-o", "{folder}/x.hcpe"], 2, "give rows or fraction"),
        (["split", "{path}", "-p", "{folder}/x.hcpe=0"], 2, "weights"),
        (["verify", "{path}", "-a", "{path}"], 2, "neither a .npy nor a .npz"),
        (["export", "{path}", "-o", "{folder}/x.csv"], 2, "does not tell its kind"),
        (["shuffle", "{path}", "-o", "{folder}/x.hcpe", "--temporary", "{folder}/gone"], 0, "rows written"),
    ],
)
def test_errors_are_one_line_and_a_code(words: list[str], code: int, wanted: str, path: Path, tmp_path: Path) -> None:
    if words[0] == "export":
        pytest.importorskip("pyarrow")
    damaged = tmp_path / "damaged.hcpe"
    training.write(damaged, damaged_copy(np.asarray(training.open(path)[:]))[0])
    text = run(*(word.format(path=path, folder=tmp_path, damaged=damaged) for word in words), code=code)
    assert wanted in text and (code == 0 or (text.startswith("komadori: ") and text.count("\n") == 1))


@pytest.mark.parametrize("words", [["no"], ["shuffle", "x.hcpe"], ["shuffle", "x.hcpe", "-o", "y.hcpe", "-m", "lots"], ["split", "x.hcpe", "-p", "a.hcpe"]])
def test_wrong_arguments(words: list[str]) -> None:
    run(*words, code=2)


def test_a_reader_that_goes_away_is_no_error(path: Path) -> None:
    command = f'"{sys.executable}" -m komadori head "{path}" -n 500 | head -n 1; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == "" and done.stdout.startswith("row 0")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_cannot_be_written_is_an_error(path: Path, unbuffered: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    for words in (["info"], ["info", "--json"], ["head"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([sys.executable, "-m", "komadori", *words, str(path)], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 4 and done.stderr == "komadori: No space left on device\n"


def test_sizes() -> None:
    assert [cli._bytes(text) for text in ("512M", "2g", "1.5GiB", "100", "1kb")] == [512 << 20, 2 << 30, 3 << 29, 100, 1024]


def test_without_typer_it_says_what_to_install() -> None:
    program = "import sys; sys.modules['typer'] = None; sys.argv = ['komadori']; from komadori.__main__ import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and _install.extra("cli") in done.stderr and done.stderr.count("\n") == 1


def test_importing_the_package_imports_little() -> None:
    program = "import sys, komadori, komadori.tools; print(sorted({'numpy', 'typer', 'rich', 'torch', 'pyarrow'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_progress_is_shown_on_a_terminal(path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console

    shown: list[Any] = []
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(cli, "Console", lambda **options: shown.append(options) or Console(force_terminal=True, width=120, **options))
    with cli._bar("shuffle", False) as moved:
        moved(500, 1000)
    text = capsys.readouterr().err
    assert "50%" in text and "rows/s" in text and "shuffle" in text
