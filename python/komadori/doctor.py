"""``python -m komadori doctor``: what is installed, how it runs here, and what to do about what is wrong or missing.

Everything is really tried: the library is loaded, a fork is made, moves are counted, records are decoded. Needs no extra.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any

from . import _abi, _install, _native

# Leaves of the start position, and of one with 593 legal moves.
_START, _START_DEPTH, _START_LEAVES = None, 4, 719_731
_MANY, _MANY_MOVES = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", 593

_EXTRAS = {"cli": ("typer", "rich"), "torch": ("torch",), "arrow": ("pyarrow",)}

_FORK = """
import os, sys
import komadori
board = komadori.Board()
board.push_usi("7g7f")
komadori.perft(board, 2)
child = os.fork()
if child == 0:
    board.pop()
    os._exit(0 if komadori.perft(board, 3) == 25470 else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@dataclass(frozen=True)
class Finding:
    """One line of the report. What is ``missing`` is no fault: something optional is not there, and ``advice`` brings it."""

    topic: str
    text: str
    state: str = "ok"  # ok, missing or wrong
    advice: str = ""


def examine() -> Iterator[Finding]:
    """The findings, in the order of the report. Never raises: what fails is a finding."""
    yield from _guarded("komadori", _package)
    yield from _guarded("python", _python)
    yield from _guarded("processor", _processor)
    found = list(_guarded("library", _library))
    yield from found
    if all(f.state != "wrong" for f in found):
        yield from _guarded("perft", _perft)
        yield from _guarded("fork", _fork)
        yield from _guarded("numpy", _numpy)
    yield from _guarded("extras", _extras)


def _guarded(topic: str, examination: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    try:
        yield from examination()
    except Exception as error:
        yield Finding(topic, f"{type(error).__name__}: {error}", "wrong", f"{_install.anew()}; if that does not help, report this output")


def _package() -> Iterator[Finding]:
    folder = os.path.dirname(os.path.realpath(__file__))
    yield Finding("komadori", f"{_abi.VERSION}, interface {_abi.KMD_ABI_VERSION}, {folder}")
    try:
        found = metadata.distribution("komadori")
        wheel = found.read_text("WHEEL")
    except metadata.PackageNotFoundError:
        wheel = None
    if wheel is None:
        yield Finding("installed", "no: run from a source tree")
        return
    tags = [line.removeprefix("Tag: ") for line in wheel.splitlines() if line.startswith("Tag: ")]
    url = json.loads(found.read_text("direct_url.json") or "{}")
    how = "editable, from " + url["url"] if url.get("dir_info", {}).get("editable") else "from " + url["url"] if url else "from an index"
    yield Finding("installed", f"by {(found.read_text('INSTALLER') or 'an unknown installer').strip()}, {how}; wheel {', '.join(tags)}")
    if found.version != _abi.VERSION:
        advice = "another copy of komadori comes first in sys.path; remove one of the two"
        yield Finding("installed", f"the metadata say {found.version} and the modules {_abi.VERSION}", "wrong", advice)


def _python() -> Iterator[Finding]:
    enabled = getattr(sys, "_is_gil_enabled", None)
    gil = "" if enabled is None or not sysconfig.get_config_var("Py_GIL_DISABLED") else ", free-threaded with the GIL on" if enabled() else ", free-threaded"
    yield Finding("python", f"{platform.python_implementation()} {platform.python_version()}{gil}, {sys.executable}")
    if sys.platform == "win32":  # platform would ask the management service of Windows, which can take seconds
        name = ".".join(str(n) for n in sys.getwindowsversion()[:3])
        yield Finding("system", f"Windows {name}, {sysconfig.get_platform()}")
        return
    libc = " ".join(platform.libc_ver()).strip()
    yield Finding("system", f"{platform.system()} {platform.release()} {platform.machine()}{', ' + libc if libc else ''}")


def _processor() -> Iterator[Finding]:
    name = os.environ.get("PROCESSOR_IDENTIFIER", "unknown") if sys.platform == "win32" else platform.processor() or platform.machine()
    if sys.platform == "linux":
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), name)
    lacks = _native.lacks_for_v3()
    level = "" if lacks is None else "; has all of x86-64-v3" if not lacks else f"; lacks {', '.join(sorted(lacks))} of x86-64-v3"
    yield Finding("processor", f"{name}, {os.cpu_count() or 'an unknown number of'} logical{level}")


def _library() -> Iterator[Finding]:
    from . import build_info, threads

    path = _native.path()
    source = "KOMADORI_LIBRARY" if os.environ.get("KOMADORI_LIBRARY") else "the package"
    yield Finding("library", f"{path}, {os.path.getsize(path) / 1e6:.1f} MB, of {source}")
    start = time.perf_counter()
    info = build_info()
    yield Finding("build", f"{info}; loaded in {1000 * (time.perf_counter() - start):.1f} ms; {threads()} threads by default")
    if _native.lacks_for_v3() == set() and "v3" not in info and source == "the package":
        yield Finding("build", "the build for x86-64-v3 is not there: counting moves is up to a third slower", "missing", "build with KOMADORI_LEVELS=v1,v3")


def _perft() -> Iterator[Finding]:
    from . import Board, perft

    start = time.perf_counter()
    leaves = perft(Board(), _START_DEPTH)
    seconds = time.perf_counter() - start
    many = len(Board(_MANY).legal_moves())
    right = (leaves, many) == (_START_LEAVES, _MANY_MOVES)
    want = "" if right else f"; want {_START_LEAVES:,} and {_MANY_MOVES}"
    advice = "" if right else "the library is broken on this machine: please report this output"
    text = f"{leaves:,} leaves at depth {_START_DEPTH}, {leaves / seconds / 1e6:.0f} million a second; {many} moves where there are {_MANY_MOVES}{want}"
    yield Finding("perft", text, "ok" if right else "wrong", advice)


def _fork() -> Iterator[Finding]:
    if not hasattr(os, "fork"):
        yield Finding("fork", "this system has none: workers are spawned")
        return
    copy = "memory (memfd)" if hasattr(os, "memfd_create") else "a temporary file"
    source = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))}
    command = [sys.executable, "-W", "ignore", "-c", _FORK]
    try:
        run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
        failure = "" if run.returncode == 0 else (run.stderr.strip().splitlines() or [f"exit code {run.returncode}"])[-1]
    except subprocess.TimeoutExpired:
        failure = "the child hung"
    if failure:
        yield Finding("fork", f"a forked child failed: {failure}", "wrong", "use multiprocessing's method 'spawn' or 'forkserver', and report this output")
    else:
        yield Finding("fork", f"a forked child loads a private copy through {copy} and goes on with the board of its parent: tried")


def _numpy() -> Iterator[Finding]:
    try:
        import numpy
    except ImportError as error:
        yield Finding("numpy", f"{error}: boards, moves, search and mates work, arrays do not", "wrong", "pip install 'numpy>=1.26'")
        return
    from . import AperyMove, Board, training

    # A record of HCPE: position, evaluation, move, result (Black wins), padding.
    record = Board().to_hcp() + bytes(2) + AperyMove.from_usi("7g7f").value.to_bytes(2, "little") + bytes([1, 0])
    batch = training.decode(record, format="hcpe")
    right = batch.features1.shape == (1, 62, 9, 9) and batch.label.tolist() == [59] and float(batch.features1.sum()) > 0
    advice = "" if right else "please report this output"
    yield Finding("numpy", f"{numpy.__version__}; a record decoded to label {batch.label.tolist()}", "ok" if right else "wrong", advice)


def _extras() -> Iterator[Finding]:
    for extra, names in _EXTRAS.items():
        found, lacking = [], []
        for name in names:
            try:
                found.append(f"{name} {metadata.version(name)}")
            except metadata.PackageNotFoundError:
                lacking.append(name)
        if lacking:
            yield Finding(extra, f"{', '.join([*found, *(f'no {name}' for name in lacking)])}", "missing", _install.extra(extra))
        else:
            yield Finding(extra, ", ".join(found))


def main(arguments: list[str] | None = None) -> int:
    """Prints the report; gives 0, or 1 when something is wrong."""
    parser = argparse.ArgumentParser("komadori doctor", description="Looks at this installation, tries it, and says what to do about what is wrong.")
    parser.add_argument("--json", action="store_true", help="the findings as JSON, for programs")
    asked = parser.parse_args(arguments)
    findings = []
    for finding in examine():
        findings.append(finding)
        if not asked.json:
            mark = {"ok": " ", "missing": "-", "wrong": "!"}[finding.state]
            print(f"{mark} {finding.topic:<10} {finding.text}" + (f"\n  {'':<10} {finding.advice}" if finding.advice else ""), flush=True)
    wrong = sum(f.state == "wrong" for f in findings)
    if asked.json:
        report: dict[str, Any] = {"ok": not wrong, "findings": [asdict(f) for f in findings]}
        print(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        print(f"\n{wrong} wrong" if wrong else "\nall is well")
    return 1 if wrong else 0
