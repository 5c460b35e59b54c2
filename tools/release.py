"""The release checklist, gone through by the machine: prints what holds and what does not.

    python tools/release.py [--tag] [--built]

    --tag      also asks that the version has a dated section in CHANGELOG.md and is not tagged yet; without it, that Unreleased says something
    --built    takes the sdist and the wheels of dist/ as they are, instead of building them (twice)
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from header import ROOT, enums, functions

sys.path.insert(0, str(ROOT / "build_backend"))

from komadori_build import BuildError, find_cc, find_go, go_floor, version

DIST = ROOT / "dist"


class Failed(Exception):
    """A point of the list does not hold; the text says why."""


def want(holds: object, why: str) -> None:
    if not holds:
        raise Failed(why)


def run(*command: str, environment: dict[str, str] | None = None, cwd: Path = ROOT) -> str:
    done = subprocess.run(command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    want(done.returncode == 0, f"{' '.join(command)[:120]}:\n{done.stdout[-3000:]}")
    return done.stdout


def tree_is_clean() -> str:
    """What is released is what is committed."""
    changed = run("git", "status", "--porcelain")
    want(not changed, f"uncommitted: {changed.split()[1::2][:5]}")
    return run("git", "log", "-1", "--format=%h %s").strip()


def version_is_one() -> str:
    """The header's version is that of modules and documents, and nobody writes it down again."""
    v = version()
    want(re.fullmatch(r"\d+\.\d+\.\d+", v), f"{v!r} is no version")
    want(f'VERSION: Final = "{v}"' in (ROOT / "python/komadori/_abi.py").read_text(encoding="utf-8"), "python/komadori/_abi.py is not fresh")
    places = ("pyproject.toml", "setup.py", "Makefile", "README.md", "python/komadori/__init__.py")
    again = [name for name in places if re.search(rf"(?<![\d.]){re.escape(v)}(?![\d.])", (ROOT / name).read_text(encoding="utf-8"))]
    want(not again, f"{v} is also written in {again}")
    return f"{v}, interface {enums()['KMD_ABI_VERSION']}, {len(functions())} functions"


def changelog(tag: bool) -> str:
    """Keep a Changelog: sections newest first, known headings, and something to say."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## \[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?$", text, re.M)
    want(sections and sections[0] == ("Unreleased", ""), "the first section is not [Unreleased]")
    want(all(date for _, date in sections[1:]), "a version has no date: ## [1.2.3] - 2026-12-31")
    numbers = [tuple(int(n) for n in name.split(".")) for name, _ in sections[1:]]
    want(numbers == sorted(numbers, reverse=True), "versions are not in order, newest first")
    headings = set(re.findall(r"^### (.*)$", text, re.M))
    want(headings <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}, f"unknown headings: {headings}")
    unreleased = text.partition("## [Unreleased]")[2].partition("\n## [")[0]
    if tag:
        want(len(sections) > 1 and sections[1][0] == version(), f"the newest section is not that of {version()}")
        want(not re.search(r"^- ", unreleased, re.M), "Unreleased still has entries")
        want(f"v{version()}" not in run("git", "tag").split(), f"v{version()} is tagged already: raise the version in include/komadori.h")
        return f"{sections[1][0]} of {sections[1][1]}"
    want(re.search(r"^- ", unreleased, re.M), "Unreleased says nothing")
    return f"{len(re.findall('^- ', unreleased, re.M))} entries under Unreleased"


def wheels(built: bool) -> str:
    """Sdist and wheels: contents, tags, sizes, exports, floors; built twice with equal bytes."""
    options = ["--built"] if built else ["--twice"]
    said = run(sys.executable, "tools/wheels.py", "-o", str(DIST), *options)
    want("equal bytes" in said or built, said)
    sizes = [p.stat().st_size for p in DIST.glob("*.whl")]
    return f"{len(sizes)} wheels, largest {max(sizes) / 1e6:.2f} MB{'' if built else ', twice the same'}"


def metadata() -> str:
    """What an index asks of metadata and README."""
    files = [str(p) for p in [*DIST.glob("*.whl"), *DIST.glob("*.tar.gz")]]
    run(sys.executable, "-m", "twine", "check", "--strict", *files)
    return f"{len(files)} files"


def sdist_offline() -> str:
    """The sdist becomes a wheel without a network, given Go, a C compiler and setuptools."""
    go, cc = find_go(), find_cc()
    want(go and cc, "no Go or no C compiler")
    with tempfile.TemporaryDirectory() as place:
        environment = {**os.environ, "GOPROXY": "off", "GOMODCACHE": str(Path(place, "modules")), "PIP_NO_INDEX": "1", "KOMADORI_LEVELS": "v1"}
        start = time.perf_counter()
        run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", place, str(next(DIST.glob("*.tar.gz"))), environment=environment)
        return f"{next(Path(place).glob('*.whl')).name} in {time.perf_counter() - start:.0f} s"


def bare_machine() -> str:
    """The sdist installs where neither Go nor a C compiler is on PATH; PyPI gives them."""
    with tempfile.TemporaryDirectory() as place:
        run(sys.executable, "-m", "venv", place)
        python = Path(place, "Scripts" if os.name == "nt" else "bin", "python")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("KOMADORI_", "PYTHONPATH", "CC"))}
        environment |= {"PATH": str(python.parent), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        start = time.perf_counter()
        run(str(python), "-m", "pip", "install", "--quiet", str(next(DIST.glob("*.tar.gz"))), environment=environment, cwd=Path(place))
        seconds = time.perf_counter() - start
        run(str(python), "-m", "komadori", "doctor", environment=environment, cwd=Path(place))
        return f"installed in {seconds:.0f} s, doctor well"


def main() -> int:
    parser = argparse.ArgumentParser(description="Goes through the release checklist.")
    parser.add_argument("--tag", action="store_true")
    parser.add_argument("--built", action="store_true")
    asked = parser.parse_args()
    points: list[tuple[str, Callable[[], str]]] = [
        ("the tree is clean", tree_is_clean),
        ("the version is written once", version_is_one),
        ("CHANGELOG.md", lambda: changelog(asked.tag)),
        ("make check", lambda: f"{len(run('make', '--no-print-directory', 'check').splitlines())} lines, nothing found"),
        ("make test-typing", lambda: run("make", "--no-print-directory", "test-typing").strip().splitlines()[-1]),
        ("make wheels", lambda: wheels(asked.built)),
        ("metadata", metadata),
        ("the sdist builds offline", sdist_offline),
        ("the sdist installs on a bare machine", bare_machine),
        ("make test", lambda: run("make", "--no-print-directory", "test").strip().splitlines()[-1]),
    ]
    failures = 0
    print(f"Go {'.'.join(str(n) for n in go_floor())} or newer, Python {sys.version.split()[0]}")
    for name, point in points:
        try:
            print(f"ok     {name}: {point()}", flush=True)
        except (Failed, BuildError, StopIteration, ValueError) as error:
            failures += 1
            print(f"FAILED {name}: {error}", flush=True)
    print(f"{len(points) - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
