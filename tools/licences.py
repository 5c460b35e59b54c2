"""Checks that the licence of everything that is linked or packed is in licenses/, word for word. `python tools/licences.py` lists what there is."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

from header import ROOT

sys.path.insert(0, str(ROOT / "build_backend"))

from komadori_build import find_go

FOLDER = ROOT / "licenses"


def sources() -> dict[str, Path]:
    """Files of licenses/ and the licences that they are copies of: those of Go, of the linked modules, and of zig where it is installed."""
    go = find_go() or "go"
    root = Path(subprocess.run([go, "env", "GOROOT"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip())
    found = {"go.txt": root / "LICENSE"}
    listing = subprocess.run([go, "list", "-deps", "-json=Module", "./capi"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    decoder, at = json.JSONDecoder(), 0
    while at < len(listing.rstrip()):
        package, at = decoder.raw_decode(listing, at + len(listing[at:]) - len(listing[at:].lstrip()))
        module = package.get("Module")
        if module and not module.get("Main"):
            name = f"{module['Path'].replace('/', '-')}.txt"
            found[name] = next(Path(module["Dir"]).glob("LICEN[SC]E*"), Path(module["Dir"]) / "LICENSE")
    zig = importlib.util.find_spec("ziglang")
    if zig and zig.origin:
        found["zig.txt"] = Path(zig.origin).parent / "LICENSE"
        found["mingw-w64.txt"] = Path(zig.origin).parent / "lib/libc/mingw/COPYING"
    return found


def main() -> int:
    wrong = 0
    named = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name, source in sorted(sources().items()):
        same = (FOLDER / name).is_file() and source.is_file() and (FOLDER / name).read_bytes() == source.read_bytes()
        state = "as it is there" if same else "MISSING" if not (FOLDER / name).is_file() else "DIFFERS"
        if same and name not in named:
            state, same = "NOT IN licenses/README.md", False
        print(f"licenses/{name}: {state} ({source.parent.name}/{source.name})")
        wrong += not same
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
