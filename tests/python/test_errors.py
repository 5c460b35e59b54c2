"""What errors say: what was found, what was expected and where, in the words of Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import komadori
from komadori import Board, Move, batch, training
from komadori.kifu import parse_batch

SHORT = "lnsgkgsnl/9/9/9 b - 1"


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: Board("abc"), "sfen 'abc': 1 of 4 fields, want board, side to move, hands and ply (offset 3)"),
        (lambda: Board(SHORT), f"sfen '{SHORT}': the board ends at rank 4 after 9 squares, want 9 ranks of 9 (offset 15)"),
        (lambda: Board.from_position("startpos moves 7g7f 7g7f"), "position 'startpos moves 7g7f 7g7f': move 2: \"7g7f\" is not legal there (offset 20)"),
        (lambda: Move.from_usi("7g"), 'move: "7g" has 2 bytes, want USI such as 7g7f, 8h2b+ or P*5e (offset 0)'),
        (lambda: Board().push_usi("7g7e"), "7g7e (0x1e3a) is not legal here"),
        (lambda: Board().parse_kif("７六金"), "text '７六金': no legal move of G to 7f fits"),
        (lambda: Board.handicap("abc"), 'handicap: "abc" is no handicap, want a name such as 二枚落ち or two-piece (offset 0)'),
        (lambda: komadori.read("V2.2\nhello"), 'line 2, column 1: "hello" is no line of a CSA record (offset 5)'),
        (lambda: batch.from_sfens([Board().to_sfen(), SHORT]), "the board ends at rank 4 after 9 squares, want 9 ranks of 9 (row 1, offset 15)"),
        (lambda: training.decode(np.zeros((3, 38), np.uint8), format="hcpe"), "both kings on square 0 (row 0, offset 0)"),
        (
            lambda: training.decode_boards([Board()], planes="checks"),
            'planes: no plane "checks", want names such as pieces, attacks.own, hands.opponent.gold.1, check (offset 0)',
        ),
    ],
)
def test_messages_are_in_words_of_python(use: Callable[[], Any], message: str) -> None:
    with pytest.raises(komadori.KomadoriError if "planes" not in message else ValueError) as caught:
        use()
    assert str(caught.value) == message


def test_errors_of_records_name_the_file_or_the_row(tmp_path: Path) -> None:
    path = tmp_path / "x.csa"
    path.write_text("V2.2\nPI\n+\n+7776FU\n-3334XX\n")
    with pytest.raises(komadori.ParseError) as caught:
        komadori.read(path)
    assert str(caught.value) == f'{path}: line 5, column 6: CSA move "-3334XX": "XX", want a kind such as FU (offset 23)'
    found = parse_batch(["V2.2\nPI\n+\n+7776FU\n", path.read_text()], "csa")
    assert [(row, error.row) for row, error in found.errors.items()] == [(1, 1)]  # type: ignore[attr-defined]
