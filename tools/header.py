"""Reads include/komadori.h: functions, structs, enums and the version. The header is the contract; generators start from here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "include" / "komadori.h"


@dataclass(frozen=True)
class Parameter:
    """A parameter or struct field: C type without the name, and array sizes."""

    type: str
    name: str
    array: tuple[str, ...] = ()

    @property
    def is_pointer(self) -> bool:
        return "*" in self.type or bool(self.array)


@dataclass(frozen=True)
class Function:
    returns: str
    name: str
    parameters: tuple[Parameter, ...]


def _text() -> str:
    return re.sub(r"/\*.*?\*/", " ", HEADER.read_text(encoding="utf-8"), flags=re.S)


def _declaration(text: str) -> Parameter:
    text = " ".join(text.split())
    arrays = tuple(re.findall(r"\[(\w+)\]", text))
    text = re.sub(r"\[\w+\]", "", text).strip()
    match = re.fullmatch(r"(.*?)(\w+)", text)
    assert match, text
    return Parameter(re.sub(r"\s*\*", " *", match[1]).strip(), match[2], arrays)


def functions() -> list[Function]:
    """Every exported function, in the header's order."""
    found = []
    for returns, name, arguments in re.findall(r"KMD_API\s+([\w\s\*]+?)\s*(kmd_\w+)\((.*?)\);", _text(), flags=re.S):
        parameters = [] if arguments.strip() == "void" else [_declaration(a) for a in arguments.split(",")]
        found.append(Function(returns.strip(), name, tuple(parameters)))
    return found


def structs() -> dict[str, list[Parameter]]:
    """Fields of every struct."""
    found = {}
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", _text(), flags=re.S):
        found[name] = [_declaration(f) for f in body.split(";") if f.strip()]
    return found


def typedefs() -> dict[str, str]:
    """Named integer types."""
    return {name: base for base, name in re.findall(r"typedef (u?int\d+_t) (\w+);", _text())}


def enums() -> dict[str, int]:
    """Every enumerator and integer macro with its value."""
    found: dict[str, int] = {}
    for body in re.findall(r"enum \{(.*?)\}", _text(), flags=re.S):
        for item in body.split(","):
            if item.strip():
                name, value = item.split("=")
                found[name.strip()] = int(value.strip(), 0)
    for name, value in re.findall(r"#define (KMD_\w+) (\d+)\b", _text()):
        found[name] = int(value)
    return found


def version() -> str:
    """major.minor.patch, from the header's macros."""
    e = enums()
    return ".".join(str(e[f"KMD_VERSION_{part}"]) for part in ("MAJOR", "MINOR", "PATCH"))
