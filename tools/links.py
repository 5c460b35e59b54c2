"""Checks the links of the documents: files and headings that they point to exist, and so do the targets of make and the commands that they name.

Addresses of the web are only read, not visited: a check must not depend on other people's machines.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

from header import ROOT

LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)")


def documents() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = listed.stdout.split("\0") if listed.returncode == 0 else []
    found = [ROOT / name for name in names if name and (ROOT / name).is_file()]
    return found or [p for p in ROOT.rglob("*.md") if not {".venv", "vendor"} & set(p.parts)]


def prose(text: str) -> str:
    """The text without its code."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M))


def anchors(path: Path) -> set[str]:
    """Names of the headings, made as GitHub makes them, and explicit ones."""
    text = path.read_text(encoding="utf-8")
    found: dict[str, int] = {}
    for heading in re.findall(r"^#+\s+(.*?)\s*#*$", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M), re.M):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
    return {name if not n else f"{name}-{n}" for name, most in found.items() for n in range(most + 1)} | set(re.findall(r'(?:id|name)="([^"]+)"', text))


def check(path: Path, make: set[str]) -> list[str]:
    text = path.read_text(encoding="utf-8")
    bad = []
    for target in LINK.findall(prose(text)):
        if re.match(r"(https?://|mailto:)", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / unquote(name)).resolve() if name else path
        if not file.exists():
            bad.append(f"{target}: there is no such file")
        elif not file.is_relative_to(ROOT):
            bad.append(f"{target}: lies outside the repository")
        elif anchor and file.suffix == ".md" and unquote(anchor) not in anchors(file):
            bad.append(f"{target}: {file.name} has no such heading")
    if path.name != "CHANGELOG.md":  # what it tells of may be gone
        code = "\n".join([*re.findall(r"^```.*?^```", text, re.S | re.M), *re.findall(r"^`[^`\n]+|(?<=[^`])`[^`\n]+", text, re.M)])
        bad += [f"`make {name}`: there is no such target" for name in re.findall(r"^`?make ([a-z][\w-]*)", code, re.M) if name not in make]
    return [f"{path.relative_to(ROOT)}: {problem}" for problem in bad]


def main() -> int:
    make = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    found = documents()
    bad = [problem for path in found for problem in check(path, make)]
    print("\n".join([*bad, f"links of {len(found)} documents: {len(bad)} dead"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
