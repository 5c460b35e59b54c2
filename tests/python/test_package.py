"""The package as such: generated files, types, style, examples in docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import komadori
from komadori import _abi, _install, _native

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "python" / "komadori"
MODULES = sorted(m.name for m in pkgutil.iter_modules(komadori.__path__))


def test_the_abi_is_fresh() -> None:
    if not SOURCES.exists():
        pytest.skip("an installed package is tested, apart from its sources")
    done = subprocess.run([sys.executable, "tools/genabi.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_structs_and_numbers_are_the_headers() -> None:
    assert _abi.KMD_ERR_INTERNAL == -13
    assert _abi.KMD_MAX_LEGAL_MOVES == 1024
    library = _native.library()
    assert library.quick.kmd_version() == _abi.KMD_VERSION_MAJOR * 10**6 + _abi.KMD_VERSION_MINOR * 10**3 + _abi.KMD_VERSION_PATCH
    # Structs say their own size, and the library refuses any other: each is used by some call of the tests.
    for name in ("kmd_error", "kmd_setup", "kmd_board_view", "kmd_result", "kmd_rows", "kmd_decode", "kmd_search_limits"):
        assert getattr(_abi, name)._fields_[0][0] == "size"


def test_the_version_is_written_once() -> None:
    assert komadori.__version__ == _abi.VERSION
    assert f"komadori {komadori.__version__}" in komadori.build_info()
    try:
        assert metadata.version("komadori") == komadori.__version__
    except metadata.PackageNotFoundError:
        pass  # run from the source tree


def test_all_names_of_the_public_interface() -> None:
    for name in komadori.__all__:
        assert getattr(komadori, name) is not None
    for module in ("labels", "training", "batch", "search", "mate", "rules"):
        found = getattr(komadori, module)
        for name in found.__all__:
            assert getattr(found, name) is not None


def test_public_modules_do_not_speak_of_ctypes() -> None:
    for path in Path(komadori.__file__).parent.glob("*.py"):
        if not path.name.startswith("_") or path.name == "__init__.py":
            assert "ctypes" not in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    try:
        module = importlib.import_module(f"komadori.{name}")
    except ImportError as error:
        if "pip install" in str(error):
            pytest.skip(str(error))
        raise
    found = doctest.testmod(module, extraglobs={"Color": komadori.Color, "Move": komadori.Move, "Board": komadori.Board})
    assert found.failed == 0


def test_extras_that_are_missing_say_what_to_install() -> None:
    program = "import sys; sys.modules['torch'] = None\nimport komadori\nkomadori.torch"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert _install.extra("torch") in done.stderr.splitlines()[-1]


def test_everything_public_is_documented() -> None:
    for name in komadori.__all__:
        thing = getattr(komadori, name)
        if name.startswith("__"):
            continue
        assert thing.__doc__, name
        if isinstance(thing, type):
            for attribute, value in vars(thing).items():
                plain = value.fget if isinstance(value, property) else value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
                if not attribute.startswith("_") and callable(plain) and not isinstance(plain, type):
                    assert plain.__doc__, f"{name}.{attribute}"


@pytest.mark.parametrize("command", [["mypy", "--strict", "python/komadori"], ["ruff", "check", "python", "build_backend", "tests/python", "tools"]])
def test_types_and_style(command: list[str]) -> None:
    if importlib.util.find_spec(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_users_see_types(tmp_path: Path) -> None:
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nimport komadori\n"
        "board = komadori.Board()\nreveal_type(board.legal_moves())\nreveal_type(board.turn)\nreveal_type(board.push_usi('7g7f'))\n"
        "reveal_type(komadori.labels.from_moves(np.zeros(3, np.uint16), 0))\nreveal_type(komadori.training.decode(b'').label)\n"
        "reveal_type(komadori.search.Searcher().search(board, depth=1).pv)\nboard.push(3)\n",
        encoding="utf-8",
    )
    environment = {"MYPYPATH": str(SOURCES.parent), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(program)], capture_output=True, text=True, env=environment, check=False
    )
    assert "komadori.board.MoveList" in done.stdout
    assert "komadori.types.Color" in done.stdout
    assert re.search(r"tuple\[komadori.moves.Move, ?\.\.\.\]", done.stdout)
    assert done.stdout.count("error:") == 1, done.stdout
    assert 'Argument 1 to "push"' in done.stdout
