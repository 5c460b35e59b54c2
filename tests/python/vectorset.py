"""The full set of test vectors, which lies outside the repository: at KOMADORI_VECTORS, by default ../shared beside it."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

# File of the set -> rows that some test has compared; conftest prints it at the end.
compared: dict[str, int] = {}


def folder() -> Path:
    named = os.environ.get("KOMADORI_VECTORS") or "../shared"
    return (ROOT / named).resolve()


def path(name: str) -> Path:
    """A file such as vectors/moves.jsonl. Skips the test when the set is absent."""
    found = folder() / name
    if not found.exists():
        pytest.skip(f"{name} of the vectors is not there; KOMADORI_VECTORS names the folder of the full set")
    return found


def rows(name: str) -> Iterator[dict[str, Any]]:
    """Rows of a .jsonl or .jsonl.gz file."""
    found = path(name)
    opener = gzip.open if found.suffix == ".gz" else open
    with opener(found, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def count(name: str, n: int) -> None:
    """Says how many rows of a file have been compared; none is a failure."""
    assert n > 0, f"no row of {name} was compared"
    compared[name] = compared.get(name, 0) + n
