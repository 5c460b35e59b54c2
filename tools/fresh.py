"""Checks that generated files are what their generators write: runs all of them in a copy of the tree and compares.

tools/genglyphs.py is left out, as it needs fonts.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from header import ROOT

sys.path.insert(0, str(ROOT / "build_backend"))

from komadori_build import find_go


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.split("\0") if name and (ROOT / name).is_file()]
    with tempfile.TemporaryDirectory() as place:
        for name in names:
            (Path(place) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, Path(place) / name)
        for command in ([find_go() or "go", "generate", "./..."], [sys.executable, "tools/genabi.py"], [sys.executable, "tools/gencapi.py"]):
            subprocess.run(command, cwd=place, check=True)
        stale = [name for name in names if (ROOT / name).read_bytes() != (Path(place) / name).read_bytes()]
    print(f"generated files: {', '.join(stale) + ' not fresh, run make generate' if stale else 'fresh'}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
