"""Builds the Go library into the package. What can be declared is in pyproject.toml."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "build_backend"))

from komadori_build import asked_target, build_library, check_setuptools, vendor_modules, version  # noqa: E402

check_setuptools()

from setuptools.command.bdist_wheel import bdist_wheel  # noqa: E402


class BuildWithLibrary(build_py):
    """Adds the library to the modules; an editable install gets it beside the sources."""

    def run(self) -> None:
        package = ROOT / "python" / "komadori" if self.editable_mode else Path(self.build_lib) / "komadori"
        if not self.editable_mode:
            shutil.rmtree(package, ignore_errors=True)  # of an older build: its modules may be gone from the sources
        super().run()
        build_library(package / "_lib")


class PlatformWheel(bdist_wheel):
    """One wheel a platform for every Python 3: the library is reached through ctypes."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        target = asked_target()
        return "py3", "none", target.tag if target else super().get_tag()[2]


class SdistWithModules(sdist):
    """Adds the Go modules, so that an sdist builds without a network."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        vendor_modules(Path(base_dir) / "vendor")


class WithLibrary(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(
    version=version(),
    cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel, "sdist": SdistWithModules},
    distclass=WithLibrary,
)
