"""Builds the sdist and, from it, a wheel for each system; checks them, runs them where that can be, and prints a table.

    python tools/wheels.py [-o dist] [--target NAME ...] [--twice] [--run NAME=COMMAND ...] [--tests] [--built]

    --target   one of the systems of build_backend/komadori_build.py; all of them without it
    --twice    builds everything again, in another folder, and compares the bytes
    --run      a Python of another system and what runs it here, such as 'linux-aarch64=qemu-aarch64 -L /arm /arm/usr/bin/python3.13' or
               'windows-x86_64=wine python.exe'; the wheel for this machine is always run, with this Python
    --built    checks and runs what is in OUT already
    --tests    runs tests of the boards, moves and arrays there, too, not only the doctor

Needs Go and the packages of tools/release.txt. The table is also written to OUT/WHEELS.md.
"""

from __future__ import annotations

import argparse
import base64
import csv
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

import lief

from header import ROOT, functions

sys.path.insert(0, str(ROOT / "build_backend"))

from komadori_build import TARGETS, Target, find_go, library_name, this_machine, version

LARGEST = 6_000_000
GLIBC, MACOS = (2, 17), (12, 0)
SYSTEM_DLLS = re.compile(r"(kernel32|ntdll|advapi32|ws2_32|bcrypt(primitives)?|winmm|ucrtbase|api-ms-win-crt-[a-z]+-l1-1-0)\.dll", re.I)
APPLE = ("/usr/lib/", "/System/Library/Frameworks/")
TESTS = ["test_board.py", "test_values.py", "test_batch.py", "test_rules.py", "test_setup.py", "test_permutation.py"]


class Wrong(Exception):
    """A wheel is not as it must be."""


def want(holds: object, message: str) -> None:
    if not holds:
        raise Wrong(message)


# -------------------------------------------------------------------------------------------------------------------- Building


def build(what: str, source: Path, out: Path, target: str = "") -> Path:
    """Builds an sdist or a wheel with the tools of this environment, and gives its path."""
    environment = {**os.environ, "KOMADORI_TARGET": target}
    environment.pop("KOMADORI_LEVELS", None)
    before = set(out.glob("*")) if out.is_dir() else set()
    command = [sys.executable, "-m", "build", f"--{what}", "--no-isolation", "--outdir", str(out), str(source)]
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{run.stdout}\nbuilding the {what} {target} failed")
    (made,) = set(out.glob("*")) - before
    return made


def unpack(sdist: Path, folder: Path) -> Path:
    with tarfile.open(sdist) as tar:
        if hasattr(tarfile, "data_filter"):
            tar.extractall(folder, filter="data")
        else:
            tar.extractall(folder)
    (inside,) = folder.iterdir()
    return inside


def build_all(out: Path, targets: list[Target]) -> tuple[Path, dict[str, Path]]:
    """The sdist of this tree, and from it the wheels, each from a folder of its own so that none sees another's."""
    sdist = build("sdist", ROOT, out)
    wheels = {}
    for target in targets:
        with tempfile.TemporaryDirectory() as folder:
            wheels[target.name] = build("wheel", unpack(sdist, Path(folder)), out, target.name)
        print(f"built {wheels[target.name].name}", flush=True)
    return sdist, wheels


# -------------------------------------------------------------------------------------------------------------------- Checking


def check_sdist(sdist: Path) -> str:
    """Everything that is committed is there, and nothing else but what building adds."""
    with tarfile.open(sdist) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        committed = {name for name in listed.stdout.split("\0") if name and not name.startswith(".") and (ROOT / name).is_file()}
        want(committed <= names, f"{sdist.name} lacks {sorted(committed - names)[:5]}: see MANIFEST.in")
        added = {n for n in names - committed if not re.match(r"vendor/|PKG-INFO$|setup\.cfg$|python/komadori\.egg-info/", n)}
        want(not added, f"{sdist.name} has what is not committed: {sorted(added)[:5]}")
    modules = sum(name.startswith("vendor/") and name.endswith("LICENSE") for name in names)
    return f"{len(names)} files, {modules} vendored modules with their licences"


def check_wheel(path: Path, target: Target) -> str:
    """Contents, metadata and libraries of a wheel; gives what the table says of it."""
    want(path.name == f"komadori-{version()}-py3-none-{target.tag}.whl", f"its name is {path.name}")
    want(path.stat().st_size < LARGEST, f"has {path.stat().st_size} bytes, want less than {LARGEST}")
    with zipfile.ZipFile(path) as wheel:
        files = {name: wheel.read(name) for name in wheel.namelist()}
    info = f"komadori-{version()}.dist-info/"
    for name, digest, _ in csv.reader(io.StringIO(files[f"{info}RECORD"].decode())):
        found = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        want(name.endswith("RECORD") or digest == found, f"RECORD is wrong about {name}")
    sources = [p for p in (ROOT / "python/komadori").rglob("*") if p.is_file() and not {"__pycache__", "_lib"} & set(p.parts)]
    modules = {p.relative_to(ROOT / "python").as_posix() for p in sources}
    libraries = {f"komadori/_lib/{library_name(level if n else '', target.suffix)}" for n, level in enumerate(target.levels)}
    inside = {name for name in files if not name.startswith(info)}
    want(inside == modules | libraries, f"differs from the sources in {sorted(inside ^ (modules | libraries))[:5]}")
    for licence in ("LICENSE", *(f"licenses/{p.name}" for p in (ROOT / "licenses").iterdir())):
        want(files.get(f"{info}licenses/{licence}") == (ROOT / licence).read_bytes(), f"lacks the licence {licence}")
    tags = sorted(line[5:] for line in files[f"{info}WHEEL"].decode().splitlines() if line.startswith("Tag: "))
    want(tags == sorted(f"py3-none-{part}" for part in target.tag.split(".")), f"has the tags {tags}")
    facts = {check_library(files[name], target) for name in libraries}
    want(len(facts) == 1, f"libraries differ: {facts}")
    return facts.pop()


def check_library(content: bytes, target: Target) -> str:
    """Exports are the header's functions, and nothing but the system is needed, in a version that is old enough."""
    lief.logging.disable()
    wanted = {f.name for f in functions()}
    binary = lief.parse(content)
    if target.goos == "linux":
        want(isinstance(binary, lief.ELF.Binary), "is no ELF library")
        exported = {str(s.name) for s in binary.exported_symbols}
        needed = [tuple(int(n) for n in str(a.name)[6:].split(".")) for v in binary.symbols_version_requirement for a in v.get_auxiliary_symbols()]
        want(max(needed) <= GLIBC, f"needs glibc {max(needed)}")
        want(set(binary.libraries) <= {"libc.so.6", "libpthread.so.0"}, f"needs {binary.libraries}")
        if target.goarch == "arm64":
            want(all(s.alignment >= 1 << 16 for s in binary.segments if s.type == lief.ELF.Segment.TYPE.LOAD), "does not load where pages have 64 KiB")
        fact = f"glibc {'.'.join(str(n) for n in max(needed))}"
    elif target.goos == "windows":
        want(isinstance(binary, lief.PE.Binary), "is no PE library")
        exported = {str(e.name) for e in binary.get_export().entries}
        imported = [str(i.name) for i in binary.imports]
        want(all(SYSTEM_DLLS.fullmatch(name) for name in imported), f"needs {imported}")
        fact = "Windows 10 (UCRT)"
    else:
        want(isinstance(binary, lief.MachO.Binary), "is no Mach-O library")
        exported = {str(s.name).removeprefix("_") for s in binary.exported_symbols}
        own = [str(lib.name) for lib in binary.libraries if not str(lib.name).startswith(APPLE)]
        want(own == [library_name("", target.suffix)] or not own, f"needs {own}")
        want(tuple(binary.build_version.minos[:2]) <= MACOS, f"needs macOS {binary.build_version.minos}")
        want(target.goarch != "arm64" or signed(content, binary), "is not signed, or not as it is")
        fact = f"macOS {MACOS[0]}" + (", signed ad hoc" if target.goarch == "arm64" else "")
    if target.goos != "linux":  # no list of exports reaches the linker there; what cgo exports besides stays apart, as names belong to their library
        exported = {name for name in exported if name.startswith("kmd_")}
    want(exported == wanted, f"exports {sorted(exported ^ wanted)[:8]} against the header")
    return fact


def signed(content: bytes, binary: lief.MachO.Binary) -> bool:
    """Whether every page has the hash that the code directory of the signature says; macOS on arm64 ends a process otherwise."""
    if not binary.has_code_signature:
        return False
    at = binary.code_signature.data_offset
    blob = content[at:]

    def word(offset: int) -> int:
        return int.from_bytes(blob[offset : offset + 4], "big")

    directory = next((word(16 + 8 * i) for i in range(word(8)) if word(word(16 + 8 * i)) == 0xFADE0C02), None)
    if word(0) != 0xFADE0CC0 or directory is None:
        return False
    hashes, count, limit = word(directory + 16), word(directory + 28), word(directory + 32)
    size, kind, page = blob[directory + 36], blob[directory + 37], 1 << blob[directory + 39]
    if (size, kind, limit) != (32, 2, at) or count != -(-limit // page):
        return False
    return all(
        hashlib.sha256(content[n * page : min((n + 1) * page, limit)]).digest() == blob[directory + hashes + 32 * n : directory + hashes + 32 * (n + 1)]
        for n in range(count)
    )


def auditwheel(path: Path) -> str:
    """What auditwheel says of a wheel for Linux."""
    text = " ".join(subprocess.run([sys.executable, "-m", "auditwheel", "show", str(path)], capture_output=True, text=True, check=True).stdout.split())
    found = re.search(r'consistent with the following platform tag: "(\w+)"', text)
    want(found and found[1].startswith("manylinux_2_17_"), f"auditwheel: {text}")
    assert found
    return found[1]


# --------------------------------------------------------------------------------------------------------------------- Running


def run_here(wheel: Path, tests: bool) -> str:
    """Installs into an empty virtual environment and runs, with no Go and no C compiler to be found."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = Path(folder, "Scripts" if os.name == "nt" else "bin", "python")
        environment = {**os.environ, "PATH": str(python.parent), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        for name in ("PYTHONPATH", "CC", "KOMADORI_GO", "KOMADORI_CC", "KOMADORI_LIBRARY"):
            environment.pop(name, None)
        start = time.perf_counter()
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--only-binary=:all:", str(wheel)], env=environment, check=True)
        seconds = time.perf_counter() - start
        packages = ["pytest", "hypothesis"] if tests else []
        if packages:
            subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], env=environment, check=True)
        return f"installed in {seconds:.1f} s; {trial([str(python)], None, environment, tests)}"


def run_foreign(wheel: Path, target: Target, command: list[str], tests: bool) -> str:
    """Unpacks the wheel and what it needs for a Python of another system, and runs it."""
    asked = subprocess.run([*command, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True, check=False)
    want(asked.returncode == 0, f"{shlex.join(command)} does not run: {asked.stderr[-300:]}")
    with tempfile.TemporaryDirectory() as folder:
        platforms = [part for part in (*target.tag.split("."), target.tag.replace("2_17", "2_28").partition(".")[0]) for part in ("--platform", part)]
        packages = ["numpy", *(["pytest", "hypothesis", "colorama"] if tests else [])]
        options = ["--quiet", "--only-binary=:all:", "--python-version", asked.stdout.strip(), *platforms, "--target", folder]
        subprocess.run([sys.executable, "-m", "pip", "install", *options, str(wheel), *packages], check=True)
        return trial(command, Path(folder), dict(os.environ), tests)


def trial(command: list[str], packages: Path | None, environment: dict[str, str], tests: bool) -> str:
    """Runs the doctor, and tests."""
    with tempfile.TemporaryDirectory() as folder:
        for path in (ROOT / "tests/python").glob("*.py") if tests else []:  # they import each other
            shutil.copy(path, folder)
        wrapper = None
        if packages and len(command) > 1 and "qemu" in command[0]:  # so that Python's subprocesses of itself run, too
            wrapper = Path(folder, "python")
            wrapper.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
            wrapper.chmod(0o755)
        (Path(folder) / "run.py").write_text(
            "import os, runpy, sys\n"
            f"packages, wrapper = {str(packages) if packages else ''!r}, {str(wrapper) if wrapper else ''!r}\n"
            "if packages:\n    sys.path.insert(0, packages)\n    os.environ['PYTHONPATH'] = packages\n"
            "if wrapper:\n    sys.executable = wrapper\n"
            "if os.environ.get('KOMADORI_NO_NUMPY'):\n    sys.modules['numpy'] = None\n"
            "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)\n",
            encoding="utf-8",
        )
        environment = {**environment, "KOMADORI_VECTORS": str(Path(folder) / "none"), "PYTHONIOENCODING": "utf-8"}

        def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
            return subprocess.run([*command, "run.py", *arguments], cwd=folder, env=environment, capture_output=True, check=False)

        untried = ""
        done = run("komadori", "doctor", "--json")
        if packages and not done.stdout.strip().startswith(b"{"):  # ended in the middle, as when an emulator lacks a function that NumPy needs
            environment["KOMADORI_NO_NUMPY"] = "1"
            done = run("komadori", "doctor", "--json")
            untried, tests = "; NumPy does not start under this emulator: arrays not tried", False
        try:
            report = json.loads(done.stdout)
        except ValueError:
            raise Wrong(f"doctor: {(done.stdout + done.stderr)[-1500:].decode(errors='replace')}") from None
        bad = {f["topic"]: f["text"] for f in report["findings"] if f["state"] == "wrong"}
        if "fork" in bad and wrapper:  # qemu-user hangs or fails by an assertion of its own when a process of many threads forks
            untried += "; qemu cannot fork: fork not tried"
            del bad["fork"]
        if untried.startswith("; NumPy"):
            del bad["numpy"]
        want(not bad, f"doctor: {bad}")
        said = {f["topic"]: f["text"] for f in report["findings"]}
        build = said["build"].partition(";")[0].partition(", ")[2]
        result = f"doctor well on {said['python'].partition(',')[0]}, {build}; {said['perft'].partition(', ')[0]}{untried}"
        if tests:
            done = run("pytest", "-q", "-p", "no:cacheprovider", *TESTS)
            text = done.stdout.decode(errors="replace")
            want(done.returncode == 0, f"tests:\n{text[-4000:]}{done.stderr[-1000:].decode(errors='replace')}")
            result += "; tests: " + text.strip().splitlines()[-1].strip("= ").partition(" in ")[0]
        return result


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds, checks and runs the sdist and the wheels.")
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--target", action="append", choices=list(TARGETS))
    parser.add_argument("--twice", action="store_true")
    parser.add_argument("--run", action="append", default=shlex.split(os.environ.get("KOMADORI_FOREIGN", "")))
    parser.add_argument("--tests", action="store_true")
    parser.add_argument("--built", action="store_true")
    asked = parser.parse_args()
    targets = [TARGETS[name] for name in asked.target or TARGETS]
    commands = {name: shlex.split(command) for name, _, command in (run.partition("=") for run in asked.run)}
    if asked.built:
        sdist = asked.out.resolve() / f"komadori-{version()}.tar.gz"
        wheels = {t.name: asked.out.resolve() / f"komadori-{version()}-py3-none-{t.tag}.whl" for t in targets}
    else:
        shutil.rmtree(asked.out, ignore_errors=True)
        sdist, wheels = build_all(asked.out.resolve(), targets)
    made_with = "built before"
    if not asked.built:
        commands_of_tools = ([find_go() or "go", "version"], [sys.executable, "-m", "ziglang", "version"])
        go, zig = (subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() for command in commands_of_tools)
        made_with = f"built with {go[2]} and zig {zig[0]}"
    lines = [f"# komadori {version()}, {made_with}", "", "| file | MB | needs | run |", "|---|---|---|---|"]
    failures = 0
    for target in [None, *targets]:
        path = wheels[target.name] if target else sdist
        try:
            if target is None:
                needs, ran = check_sdist(sdist), "all wheels here are built from it"
            else:
                needs = check_wheel(path, target)
                if target.goos == "linux":
                    needs += f", auditwheel says {auditwheel(path)}"
                if target.name in commands:
                    ran = run_foreign(path, target, commands[target.name], asked.tests)
                elif target == this_machine() and "musl" not in str(sysconfig.get_config_var("SOABI")):
                    ran = run_here(path, asked.tests)
                else:
                    ran = "built, not run"
        except Wrong as error:
            failures += 1
            needs, ran = "**WRONG**", str(error)
        lines.append(f"| {path.name} | {path.stat().st_size / 1e6:.2f} | {needs} | {ran} |")
        print(lines[-1], flush=True)
    if asked.twice:
        with tempfile.TemporaryDirectory() as folder:
            again, others = build_all(Path(folder), targets)
            different = [a.name for a, b in ((sdist, again), *((wheels[n], others[n]) for n in wheels)) if a.read_bytes() != b.read_bytes()]
        failures += bool(different)
        lines += ["", f"Built twice: {'DIFFERENT ' + ', '.join(different) if different else 'equal bytes'}."]
    print("\n".join(["", *lines]))
    (asked.out / "WHEELS.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
