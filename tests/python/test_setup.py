"""Setups and handicaps as a user sees them."""

from __future__ import annotations

import pickle

import pytest

import komadori
import vectorset
from komadori import Board, Handicap, InvalidValueError, ParseError


def test_handicaps_by_name_and_value() -> None:
    assert Board.handicap("平手") == Board() == Board.handicap(0) == Board.handicap(Handicap.EVEN)
    for handicap in Handicap:
        assert Handicap.from_name(handicap.name) is Handicap.from_name(handicap.english) is Handicap.from_name(handicap.japanese) is handicap
        assert pickle.loads(pickle.dumps(handicap)) is handicap
        if handicap not in (Handicap.EVEN, Handicap.OTHER):
            board = Board.handicap(handicap)
            assert board.turn == komadori.Color.WHITE
            assert board == Board.handicap(handicap.japanese.removesuffix("落ち"))
    assert Board.handicap("左七枚落ち").to_sfen() == "2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"


def test_what_is_no_handicap() -> None:
    for name in ("", "百枚落ち", "七枚落ち", "\ud800", "x" * 100_000):
        with pytest.raises(ParseError):
            Board.handicap(name)
    with pytest.raises(InvalidValueError):
        Board.handicap(Handicap.OTHER)
    for number in (17, -1, 2**40):
        with pytest.raises(ValueError):
            Board.handicap(number)
    for wrong in (None, 1.5, b"lance"):
        with pytest.raises((TypeError, ValueError)):
            Board.handicap(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            Handicap.from_name(wrong)  # type: ignore[arg-type]


def test_vectors_handicap_starts() -> None:
    n = 0
    for row in vectorset.rows("vectors/games.jsonl.gz"):
        handicap = Handicap.from_name(row["handicap"])
        assert handicap.japanese == row["handicap"]
        if handicap is not Handicap.OTHER:
            assert Board.handicap(handicap).to_sfen() == row["start"]
            n += 1
    vectorset.count("vectors/games.jsonl.gz (handicap starts)", n)
