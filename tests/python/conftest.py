"""Prints which rows of the vectors the tests have compared."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

import hypothesis
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import vectorset

# A machine may be busy with other things.
hypothesis.settings.register_profile("komadori", deadline=None)
hypothesis.settings.load_profile("komadori")

# A shell that starts the tests in the background has them ignore interrupts, which some of them wait for.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if vectorset.compared:
        terminalreporter.section("rows of the vectors compared")
        for name, n in sorted(vectorset.compared.items()):
            terminalreporter.write_line(f"vectors: {name} {n} rows")


@pytest.fixture(autouse=True, scope="session")
def _numbers_print_alike(doctest_namespace: dict[str, Any]) -> None:
    import komadori

    doctest_namespace.update(komadori=komadori, Color=komadori.Color, Move=komadori.Move)
