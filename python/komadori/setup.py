"""Setups: positions as they are put up on a board, and the starts of handicap games."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from . import _abi as abi
from . import _native


class Handicap(IntEnum):
    """What White gives: its men that are taken off before an even game begins (手合割).

    White (上手) moves first in all but the even game. Left and right are White's own: its left lance stands on 1a.

    >>> Handicap.from_name("二枚落ち"), Handicap.from_name("2-piece").japanese
    (<Handicap.TWO_PIECE: 6>, '二枚落ち')
    """

    EVEN = 0
    LANCE = 1
    RIGHT_LANCE = 2
    BISHOP = 3
    ROOK = 4
    ROOK_LANCE = 5
    TWO_PIECE = 6
    THREE_PIECE = 7
    FOUR_PIECE = 8
    FIVE_PIECE = 9
    LEFT_FIVE_PIECE = 10
    SIX_PIECE = 11
    LEFT_SEVEN_PIECE = 12
    RIGHT_SEVEN_PIECE = 13
    EIGHT_PIECE = 14
    TEN_PIECE = 15
    OTHER = 16  # any other start

    @classmethod
    def from_name(cls, name: str) -> Handicap:
        """Reads a name: Japanese with or without 落ち, English ("two-piece", "2 pieces", "RIGHT_LANCE"), presets of JKF files. ParseError.

        Case, blanks and hyphens do not matter.
        """
        if not isinstance(name, str):
            raise TypeError(f"a handicap's name must be str, not {type(name).__name__}")
        return cls(_native.number("kmd_handicap_from_name", *_native.encode(name)))

    @property
    def english(self) -> str:
        """The name in English, such as two-piece."""
        return _native.text("kmd_handicap_name", int(self), 0)

    @property
    def japanese(self) -> str:
        """The name in the header 手合割 of KIF files, such as 二枚落ち."""
        return _native.text("kmd_handicap_name", int(self), 1)


def handicap_struct(handicap: str | int) -> Any:
    """The numbers of a handicap's start, by name or value."""
    value = Handicap.from_name(handicap) if isinstance(handicap, str) else Handicap(handicap)
    setup = _native.struct(abi.kmd_setup)
    _native.call("kmd_setup_handicap", int(value), _native.reference(setup))
    return setup
