"""What crossing the boundary costs: calls from C and C++ beside an empty export of cgo, and how soon Python is ready.

    python bench/boundary.py

Builds what it needs with the machine's Go and C compiler. The figures are the best of many short rounds in which the kinds take turns.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "build_backend"))

from komadori_build import find_cc, find_go  # noqa: E402

HERE = ROOT / "bench" / "boundary"

IMPORT = """
import sys, time
begin, started = time.perf_counter(), time.process_time()
import komadori
imported, used = time.perf_counter(), time.process_time() - started
assert "numpy" not in sys.modules
komadori.Board().legal_moves()
first = time.perf_counter()
print(1000 * (imported - begin), 1000 * (first - imported), 1000 * used)
"""

CHILD = """
import os, time
import komadori
board = komadori.Board()
board.legal_moves()
for _ in range(30):
    read, write = os.pipe()
    if (pid := os.fork()) == 0:
        begin = time.perf_counter()
        board.push_usi("7g7f")
        os.write(write, str(1000 * (time.perf_counter() - begin)).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    print(os.read(read, 100).decode())
    os.close(read), os.close(write)
"""


# A package is installed with its modules compiled; so they are here, from the second run on.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout


def build(go: str, cc: list[str], package: str, output: str, *link: str) -> None:
    """A shared library of a Go package."""
    environment = {**ENVIRONMENT, "CGO_ENABLED": "1", "CC": shlex.join(cc)}
    subprocess.run([go, "build", "-buildmode=c-shared", *link, "-o", output, package], cwd=ROOT, check=True, env=environment)


def calls() -> dict[tuple[str, str], float]:
    """Nanoseconds by language and kind."""
    go, cc = find_go(), find_cc()
    if go is None or cc is None:
        sys.exit("Go or a C compiler is missing; see README.md")
    cxx = ["g++" if word == "gcc" else "c++" if word in ("cc", "c++") else word for word in cc]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        exports = f'-s -w -extldflags "-Wl,--version-script={ROOT / "capi" / "exports.map"}"'
        build(go, cc, "./capi", f"{folder}/libkomadori.so", "-ldflags", exports)
        build(go, cc, "./bench/boundary/empty", f"{folder}/libempty.so")
        with_library = [f"-I{ROOT / 'include'}", f"-L{folder}", "-lkomadori", f"-Wl,-rpath,{folder}", "-pthread"]
        run(*cc, "-O2", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-o", f"{folder}/calls", str(HERE / "calls.c"), *with_library, "-lempty")
        run(*cxx, "-O2", "-std=c++17", "-o", f"{folder}/calls++", str(HERE / "calls.cpp"), *with_library)
        for program in ("calls", "calls++"):
            for line in run(f"{folder}/{program}").splitlines():
                language, kind, nanoseconds = line.split("\t")
                found[language, kind] = float(nanoseconds)
    return found


def main() -> None:
    found = calls()
    empty = found["C", "empty cgo export"]
    print(f"{'':6} {'call':32} {'ns':>8} {'over an empty export':>22}")
    for (language, kind), nanoseconds in found.items():
        print(f"{language:6} {kind:32} {nanoseconds:8.1f} {nanoseconds - empty:22.1f}" if language == "C" else f"{language:6} {kind:32} {nanoseconds:8.1f}")
    run(sys.executable, "-c", IMPORT)
    starts = [[float(n) for n in run(sys.executable, "-c", IMPORT).split()] for _ in range(15)]
    children = sorted(float(n) for n in run(sys.executable, "-W", "ignore", "-c", CHILD).split())
    print()
    for name, figures, target in (
        ("import komadori, without NumPy and library", sorted(s[0] for s in starts), 40),
        ("the same, in processor time", sorted(s[2] for s in starts), 40),
        ("first call after it, a board and its moves", sorted(s[1] for s in starts), 15),
        ("a forked child's first call", children, 25),
    ):
        print(f"Python {name:44} median {figures[len(figures) // 2]:6.1f} ms, best {figures[0]:5.1f}, worst {figures[-1]:6.1f}; target {target}")
    worst = max(found["C", kind] - empty for kind in ("kmd_square_flip_side", "kmd_threads"))
    print(f"C      a trivial function over an empty export {worst:.1f} ns; target 60")


if __name__ == "__main__":
    main()
