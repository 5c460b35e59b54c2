"""Numbers with names."""

from __future__ import annotations

from enum import IntEnum


class Named(IntEnum):
    """Base of numbers with names: as text they are their names, where Pythons of different age give the number or class and name."""

    def __str__(self) -> str:
        return self.name

    def __format__(self, form: str) -> str:
        """As a number where the format is one of numbers, else as text."""
        return format(int(self), form) if form and form[-1] in "bcdoxXneEfFgG%" else format(self.name, form)
