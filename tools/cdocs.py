"""Makes pages of include/komadori.h: a Markdown file for each of its sections, and an index of all names.

    python tools/cdocs.py FOLDER

The comments of the header are the reference; nothing is added to them. Fails when a name of the header is on no page, or a function has no comment.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from header import HEADER, enums, functions, structs, typedefs, version


@dataclass
class Entry:
    """Declarations that one comment is about."""

    comment: str
    code: str


@dataclass
class Section:
    title: str
    entries: list[Entry] = field(default_factory=list)

    @property
    def file(self) -> str:
        return re.sub(r"\W+", "-", self.title.lower()).strip("-") + ".md"


def prose(comment: str) -> str:
    """The text of a comment; indented parts are tables and programs, and stay as they are."""
    lines = [re.sub(r"^ ?\* ?", "", line.strip()) if n else line.strip() for n, line in enumerate(comment[2:-2].split("\n"))]
    text: list[str] = []
    is_code = in_list = False
    for line in "\n".join(lines).strip("\n ").split("\n"):
        if line.lstrip().startswith("- "):
            if not in_list and text and text[-1]:
                text.append("")
            in_list, line = True, line.lstrip() if line.startswith("  - ") else line
        elif not line.startswith("  "):
            in_list = False
        elif in_list:
            line = "  " + line.lstrip()
        indented = line.startswith("  ") and not in_list and bool(line.strip())
        if is_code and line.strip() and not indented:
            text += ["```", ""]
            is_code = False
        if indented and not is_code:
            text += ["", "```text"]
            is_code = True
        text.append(line[2:] if is_code else re.sub(r"\b(kmd_\w+(?:\(\))?|KMD_\w+(?:\.\.\.)?)", r"`\1`", line).replace("<", "&lt;") if line else "")
    if is_code:
        text.append("```")
    return "\n".join(text)


def read() -> tuple[str, list[Section]]:
    """What the header says first, and its sections."""
    text = HEADER.read_text(encoding="utf-8")
    introduction, rest = re.match(r"(/\*.*?\*/)(.*)", text, flags=re.S).groups()  # type: ignore[union-attr]
    rest = rest[rest.index("/* Raised when") : rest.rindex("#ifdef __cplusplus")]
    sections = [Section("Versions")]
    comment = code = ""

    def flush() -> None:
        nonlocal comment, code
        if code.strip():
            sections[-1].entries.append(Entry(comment, code.strip()))
        elif comment:  # it is about what follows it, too
            sections[-1].entries.append(Entry(comment, ""))
        comment = code = ""

    depth = 0
    for part in re.findall(r"/\*.*?\*/\n?|[^\n]*\n", rest, flags=re.S):
        title = re.match(r"/\* -{20,} ([A-Z][^\n*]*?) ?(\*/|\n)", part)
        if title:
            flush()
            sections.append(Section(title[1].strip()))
            if title[2] == "\n":
                comment = "/*" + part[part.index("\n") :]
            continue
        if part.startswith("/*") and depth == 0:
            flush()
            comment = part.strip()
        elif not part.startswith("#if") and not part.startswith("#e") and "define KMD_API" not in part:
            code += part
            depth += part.count("{") - part.count("}")
            if not part.strip() and depth == 0 and code.strip():
                flush()
    flush()
    return introduction, sections


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    introduction, sections = read()
    places: dict[str, str] = {}
    for section in sections:
        lines = [f"# {section.title}", ""]
        for entry in section.entries:
            bare = re.sub(r"/\*.*?\*/", "", entry.code, flags=re.S)
            names = re.findall(r"\b(kmd_\w+)\(", bare) or re.findall(r"\}\s*(kmd_\w+);", bare) or re.findall(r"typedef \w+ (kmd_\w+)", bare)
            if names:
                lines += [f"## {', '.join(dict.fromkeys(names))}", ""]
                lines += [f'<a id="{name}"></a>' for name in dict.fromkeys(names)] + [""]
            if entry.comment:
                lines += [prose(entry.comment), ""]
            if entry.code:
                lines += ["```c", entry.code.replace("KMD_API ", ""), "```", ""]
            for name in re.findall(r"\b(?:kmd|KMD)_\w+", bare):
                places.setdefault(name, f"{section.file}#{name}" if name in names else section.file)
        (folder / section.file).write_text("\n".join(lines), encoding="utf-8")
    wanted = {f.name for f in functions()} | set(structs()) | set(typedefs()) | set(enums())
    if lost := sorted(wanted - set(places) - {"KMD_VERSION_MAJOR", "KMD_VERSION_MINOR", "KMD_VERSION_PATCH"}):
        sys.exit(f"tools/cdocs.py: on no page: {', '.join(lost)}")
    index = [f"# komadori.h {version()}", "", prose(introduction), "", "## Pages", ""]
    index += [f"- [{s.title}]({s.file})" for s in sections]
    index += ["", "## Functions", ""] + [f"- [`{f.name}`]({places[f.name]})" for f in sorted(functions(), key=lambda f: f.name)]
    (folder / "index.md").write_text("\n".join(index) + "\n", encoding="utf-8")
    print(f"{folder}: {len(functions())} functions, {len(structs())} structs and {len(enums())} constants on {len(sections)} pages")


if __name__ == "__main__":
    main()
