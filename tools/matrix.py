"""Runs the tests of Python with one wheel on many Pythons and versions of NumPy, and prints a table.

    python tools/matrix.py [--wheel FILE] [--python PATH ...] [--numpy VERSION ...] [--whole] [--download]

Pythons are those of pyenv and those that uv finds (PATH, its own); KOMADORI_PYTHONS, a list of paths, names others beside them, and --download lets uv fetch
what is missing of WANTED. --python runs the named ones alone. Each gets NumPy 1.26 and 2.x, where both have wheels for it. What depends on Python and NumPy
is tested: TELLING; --whole runs all tests of Python, some minutes a row. Needs uv.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from header import ROOT

WANTED = ["3.10", "3.11", "3.12", "3.13", "3.13t", "3.14", "3.14t"]
TELLING = ["board", "values", "batch", "rules", "setup", "training", "permutation", "outputs", "words", "package"]
UV = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
FACTS = "import sys, sysconfig; print('%d.%d.%d' % sys.version_info[:3], 't' if sysconfig.get_config_var('Py_GIL_DISABLED') else '', sep='')"


def pythons(named: list[str], download: bool, alone: bool = False) -> dict[str, str]:
    """Interpreters by version: the named ones and, where they are not ``alone``, one for each of WANTED that they leave out."""
    found: dict[str, str] = {}

    def add(path: str) -> None:
        facts = subprocess.run([path, "-c", FACTS], capture_output=True, text=True, check=False)
        version = facts.stdout.strip()
        if facts.returncode != 0:
            print(f"{path} does not run", file=sys.stderr)
        elif minor(version) in WANTED and minor(version) not in map(minor, found):
            found[version] = path

    for path in named:
        add(path)
    if alone:
        return found
    # Its versions are out of uv's sight unless they are chosen by `pyenv global`.
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for path in sorted(pyenv.glob("3.*/bin/python"), key=lambda p: numbers(p.parts[-3]), reverse=True):
        if minor(path.parts[-3]) in WANTED:
            add(str(path))
    for version in WANTED:
        if version in map(minor, found):
            continue
        seen = subprocess.run([UV, "python", "find", "--no-project", "--system", version], capture_output=True, text=True, check=False)
        if seen.returncode != 0 and download:
            subprocess.run([UV, "python", "install", version], check=True)
            seen = subprocess.run([UV, "python", "find", "--no-project", version], capture_output=True, text=True, check=True)
        if seen.returncode == 0:
            add(seen.stdout.strip())
    return dict(sorted(found.items(), key=lambda item: (numbers(item[0]), item[0].endswith("t"))))


def numbers(version: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", version)]


def minor(version: str) -> str:
    """3.13t of 3.13.5t."""
    return ".".join(str(n) for n in numbers(version)[:2]) + ("t" if version.endswith("t") else "")


def numpys(version: str) -> list[str]:
    """What of NumPy to try: 1.26 has wheels up to Python 3.12."""
    return ["1.26.*", "2.*"] if numbers(version)[1] <= 12 else ["2.*"]


def tests(folder: Path) -> Path:
    """The tests alone, in a folder of their own, so that the installed package is what they import."""
    for name in ("tests", "examples", "tools", "build_backend", "docs", "include", "licenses"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.o"))
    for name in ("pyproject.toml", "README.md", "go.mod", "Makefile", "CHANGELOG.md", "setup.py"):
        shutil.copy(ROOT / name, folder)
    return folder / "tests/python"


def run(python: str, numpy: str, wheel: Path, folder: Path, whole: bool, free_threaded: bool) -> tuple[str, str, float]:
    """The version of NumPy that was installed, what pytest said, and the seconds."""
    with tempfile.TemporaryDirectory() as place:
        environment = {**os.environ, "VIRTUAL_ENV": place, "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("PYTHONPATH", None)
        subprocess.run([UV, "venv", "--quiet", "--clear", "--python", python, place], check=True)
        inside = Path(place, "Scripts" if os.name == "nt" else "bin", "python")
        extra = "" if free_threaded else "[cli]"  # what typer needs has no wheels for free-threaded builds
        packages = [f"komadori{extra} @ {wheel.resolve().as_uri()}", f"numpy=={numpy}", "pytest", "hypothesis", "setuptools>=77"]
        # Newer versions of hypothesis are in Rust and have no wheels for free-threaded builds before 3.14; older ones do.
        install = [UV, "pip", "install", "--quiet", "--only-binary", "numpy", "--only-binary", "hypothesis", *packages]
        installed = subprocess.run(install, env=environment, capture_output=True, text=True, check=False)
        if installed.returncode != 0:
            return numpy, "not installed: " + " ".join(installed.stderr.split())[:200], 0.0
        version = subprocess.run([inside, "-c", "import numpy; print(numpy.__version__)"], capture_output=True, text=True, check=True).stdout.strip()
        start = time.perf_counter()
        pytest = [inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(["."] if whole else [f"test_{name}.py" for name in TELLING])]
        done = subprocess.run(pytest, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        said = (done.stdout.strip().splitlines() or ["nothing"])[-1].strip("= ")
        if done.returncode != 0:
            print(done.stdout[-6000:], done.stderr[-2000:], file=sys.stderr)
        return version, re.sub(r" in [\d.]+s.*", "", said), time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the tests of Python on many Pythons and versions of NumPy.")
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--python", action="append")
    parser.add_argument("--numpy", action="append")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--download", action="store_true")
    asked = parser.parse_args()
    found = pythons(asked.python or os.environ.get("KOMADORI_PYTHONS", "").split(), asked.download, alone=bool(asked.python))
    failures = 0
    print("| Python | NumPy | tests | seconds |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as place:
        wheel = asked.wheel
        if wheel is None:
            subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", place, str(ROOT)], check=True)
            wheel = next(Path(place).glob("*.whl"))
        folder = tests(Path(place, "tree"))
        for version, python in found.items():
            for numpy in asked.numpy or numpys(version):
                numpy_version, said, seconds = run(python, numpy, wheel, folder, asked.whole, version.endswith("t"))
                failures += not re.search(r"\d+ passed", said) or "failed" in said or "error" in said
                print(f"| {version} | {numpy_version} | {said} | {seconds:.0f} |", flush=True)
    if missing := [w for w in WANTED if w not in map(minor, found)]:
        print(f"\nNot on this machine: {', '.join(missing)}.")
    return 1 if failures or not found else 0


if __name__ == "__main__":
    sys.exit(main())
