"""What errors say: what was found, what was expected and where, in the words of Python."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import komadori
from komadori import Board, Color, Kifu, Move, Searcher, Setup, batch, labels, mate, search, svg, training, view
from komadori.kifu import parse_batch, read_games
from komadori.viewer import Viewer

BOARD = Board()
KIFU = komadori.read("V2.2\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n", "csa")
PACKED = batch.from_sfens([BOARD.to_sfen()] * 2)
RECORDS = KIFU.to_records("hcpe", evals=[0, 0])
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


class Wrong:
    """What no argument takes."""


# Functions and calls that are right, but for the argument that the test makes wrong.
CALLS: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (Board, {"sfen": None}),
    *((getattr(Board, name), {"text": "x"}) for name in ("from_bod", "from_csa", "from_position", "parse")),
    *((getattr(Board, name), {"data": BOARD.to_hcp()}) for name in ("from_hcp", "from_packed_sfen")),
    (Board.from_setup, {"setup": Setup()}),
    (Board.handicap, {"handicap": 1}),
    *((getattr(BOARD, name), {"text": "x"}) for name in ("parse_csa", "parse_ki2", "parse_kif", "parse_usi", "parse_western", "push_usi")),
    *(
        (getattr(BOARD, name), {"move": Move.from_usi("7g7f")})
        for name in ("push", "csa", "ki2", "kif", "usi", "western", "see", "gives_check", "is_legal", "move32", "apery_move32")
    ),
    (BOARD.complete_move32, {"move": BOARD.move32(Move.from_usi("7g7f"))}),
    (BOARD.attackers_to, {"square": 3, "color": 0}),
    (BOARD.is_attacked, {"square": 3, "color": 0}),
    *((getattr(BOARD, name), {"color": 0}) for name in ("attacked_by", "blockers", "pinned", "hand", "king_square")),
    *((getattr(BOARD, name), {"square": 0}) for name in ("attacks_by", "piece_at", "recaptures")),
    (BOARD.check_squares, {"piece_type": 1}),
    (BOARD.attack_counts, {"order": "file_major"}),
    (BOARD.to_numpy, {"order": "file_major"}),
    (BOARD.mobility, {"order": "file_major"}),
    (BOARD.declaration, {"rule": "CSA27"}),
    (BOARD.format_moves, {"moves": [], "style": 1}),
    (BOARD.is_repetition, {"count": 4}),
    (BOARD.search_repetition, {"max_ply": 4}),
    (BOARD.iter_moves, {"kind": 0}),
    (BOARD.move_of_label, {"label": 5}),
    *((getattr(BOARD, name), {"rules": None, "declare": 1}) for name in ("outcome", "is_game_over", "terminal_status")),
    (BOARD.set_hcp, {"data": BOARD.to_hcp()}),
    (BOARD.set_packed_sfen, {"data": BOARD.to_packed_sfen()}),
    (BOARD.set_sfen, {"sfen": "x"}),
    (BOARD.svg, {"theme": "wood", "fills": None, "heat": None, "texts": None, "arrows": (), "coordinates": "kanji", "size": None}),
    (Setup().svg, {"theme": "wood", "fills": None, "heat": None, "texts": None, "arrows": (), "coordinates": "kanji", "size": None}),
    (Setup, {"sfen": None}),
    (Setup.from_sfen, {"sfen": "x"}),
    *((getattr(Setup, name), {"text": "x"}) for name in ("from_bod", "from_csa", "from_plain")),
    (Setup.from_pieces, {"pieces": [0] * 81, "hands": (), "turn": 0, "ply": 1}),
    (Setup.from_board, {"board": BOARD}),
    (Setup().give_box, {"color": 0}),
    (Setup().move, {"origin": 0, "to": 1}),
    (Setup().swap, {"a": 0, "b": 1}),
    (Setup().take, {"square": 0}),
    (Setup.handicap, {"handicap": 1}),
    (Move.from_usi, {"text": "7g7f"}),
    (Move.drop, {"piece_type": 1, "to": 1}),
    (Move.make, {"origin": 1, "to": 2}),
    (Move.from_usi("7g7f").label, {"turn": 0}),
    (Move.from_usi("7g7f").compact_label, {"turn": 0}),
    (komadori.perft, {"board": BOARD, "depth": 1}),
    (komadori.set_threads, {"n": 1}),
    (komadori.read, {"source": "x", "format": None, "encoding": None}),
    (read_games, {"source": "x", "format": None, "encoding": None}),
    (komadori.read_all, {"paths": [], "format": None, "encoding": None, "threads": None}),
    (parse_batch, {"texts": [], "format": None, "encoding": None, "threads": None}),
    (Kifu, {"start": None, "headers": None}),
    (KIFU.add, {"move": "7g7f", "comment": "", "time_ms": None}),
    (KIFU.root.add, {"move": "7g7f", "comment": "", "time_ms": None}),
    (KIFU.root.add_ending, {"ending": 1, "result": None, "words": "", "comment": ""}),
    (KIFU.root.add_line, {"moves": []}),
    (KIFU.board_at, {"ply": 0}),
    (KIFU.node_at, {"ply": 0}),
    (KIFU.losses, {"format": "kif", "version": "2.2"}),
    (KIFU.to_csa, {"version": "2.2"}),
    (KIFU.to_records, {"format": "hcpe", "evals": [0, 0], "result_convention": None}),
    (KIFU.write, {"path": "x.kif", "format": None, "encoding": "utf-8", "version": "2.2"}),
    (KIFU.merge, {"other": KIFU}),
    (batch.attack_counts, {"packed": PACKED, "threads": None, "format": None, "row_status": None, "out": None}),
    (batch.boards, {"packed": PACKED, "order": "file_major", "format": None, "threads": None, "row_status": None}),
    (batch.convert, {"packed": PACKED, "to": "hcp", "result_convention": None, "to_result_convention": None, "format": None, "lost": None}),
    (batch.declarations, {"packed": PACKED, "rule": 3}),
    (batch.facts, {"packed": PACKED, "outputs": ["key"], "rule": 3}),
    (batch.flip_moves, {"moves": [0]}),
    (batch.mirror_moves, {"moves": [0]}),
    (batch.from_boards, {"pieces": np.zeros((1, 81), np.uint8), "hands": np.zeros((1, 2, 7), np.uint8), "turns": [0], "order": "file_major"}),
    (batch.from_sfens, {"texts": [], "threads": None, "format": "hcp", "row_status": None}),
    *(
        (getattr(batch, name), {"packed": PACKED, "threads": None, "format": None, "row_status": None})
        for name in ("in_check", "keys", "legal_mask", "legal_moves", "mates_in_one", "sfens", "turns")
    ),
    (batch.labels_of_moves, {"packed": PACKED, "moves": [0, 0], "threads": None, "format": None}),
    (batch.moves_of_labels, {"packed": PACKED, "labels": [0, 0], "threads": None, "format": None}),
    (batch.play, {"packed": PACKED, "moves": [0, 0], "to": None, "threads": None, "format": None}),
    (labels.from_moves, {"moves": [1], "turns": [0], "threads": None}),
    (labels.from_records, {"records": RECORDS, "threads": None, "format": None, "row_status": None}),
    (labels.mirror_file, {"labels": [0]}),
    (mate.all_mates_in_one, {"board": BOARD}),
    (mate.solve, {"board": BOARD, "nodes": 10, "movetime_ms": None, "memory_mb": 64, "depth": None, "progress": None}),
    (
        mate.solve_batch,
        {
            "positions": PACKED,
            "nodes": 10,
            "movetime_ms": None,
            "memory_mb": 64,
            "depth": None,
            "threads": None,
            "format": None,
            "progress": False,
            "row_status": None,
        },
    ),
    (
        search.analyse_batch,
        {
            "positions": PACKED,
            "nodes": 10,
            "depth": None,
            "movetime_ms": None,
            "multipv": 1,
            "threads": None,
            "hash_mb": None,
            "rules": None,
            "format": None,
            "progress": False,
            "row_status": None,
        },
    ),
    (search.plot_scores, {"found": [], "color": Color.BLACK}),
    (Searcher, {"threads": 1, "hash_mb": 64, "rules": None, "minimum_ms": 0, "delay_ms": 0, "hard_delay_ms": 0, "slow_mover": 100}),
    *(
        (call, {"board": BOARD, "depth": None, "nodes": 10, "movetime_ms": None, "multipv": 1, "moves": None, "clock": None})
        for call in (Searcher().search, Searcher().analyse)
    ),
    (Searcher().search, {"board": BOARD, "nodes": 10, "on_progress": None}),
    (
        svg.board_svg,
        {
            "pieces": [0] * 81,
            "hands": None,
            "turn": None,
            "last_move": None,
            "check": None,
            "fills": None,
            "heat": None,
            "texts": None,
            "arrows": (),
            "theme": "wood",
            "size": None,
            "label": "x",
            "also": (),
        },
    ),
    (training.open, {"source": b"", "format": "hcpe", "positions": "targets"}),
    (
        training.decode,
        {name: parameter.default for name, parameter in inspect.signature(training.decode).parameters.items() if parameter.annotation != "bool"}
        | {"records": RECORDS},
    ),
    (training.decode_boards, {"boards": [BOARD], "planes": "dlshogi", "dtype": None, "mirror": None, "threads": None}),
    (training.dtype, {"format": "hcpe"}),
    (training.flip_side, {"records": RECORDS, "result_convention": None, "format": None, "threads": None}),
    (training.mirror_file, {"records": RECORDS, "result_convention": None, "format": None, "threads": None}),
    (training.game_records, {"board": BOARD, "evals": [], "result": 1, "format": "hcpe", "result_convention": None}),
    (training.mirrored_rows, {"mirror": (0.5, 1), "rows": range(3)}),
    (training.to_hcpe, {"records": RECORDS, "result_convention": None, "threads": None}),
    (training.to_psv, {"records": RECORDS, "to_result_convention": None, "threads": None}),
    (training.write, {"path": "x.hcpe", "records": RECORDS, "format": None}),
    (
        training.convert,
        {
            "source": b"",
            "path": "x.hcpe",
            "format": None,
            "from_format": "hcpe",
            "result_convention": None,
            "to_result_convention": None,
            "positions": "targets",
            "on_error": "raise",
            "threads": None,
            "progress": None,
        },
    ),
    (training.to_csr, {"indices": np.zeros((1, 2), np.int32)}),
    (view.moves, {"board": BOARD, "logits": np.zeros(2187), "scores": None, "temperature": 1.0, "only": None}),
    (view.moves, {"board": BOARD, "policy": np.zeros(2187)}),
    (Viewer, {"game": KIFU, "scores": None, "title": None, "ply": 0, "words": 3, "blunder": 0.2, "height": 580}),
    (Viewer(KIFU).save, {"path": "x.html"}),
]

# What an argument is called where its name says less.
CALLED = {
    "n": "threads",
    "text": "position|move",
    "kind": "MoveKind",
    "turn": "Color",
    "result": "GameResult",
    "rule": "EnteringKingRule",
    "words": "Style",
}
UNUSED = {"first_row", "rows", "policy_width"}  # of decode, looked at where they have a meaning


@pytest.mark.parametrize("call", range(len(CALLS)), ids=[call.__qualname__ for call, _ in CALLS])
def test_an_argument_of_a_wrong_type_is_named(call: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    function, arguments = CALLS[call]
    for name in arguments:
        if function is training.decode and name in UNUSED:
            continue
        with pytest.raises((TypeError, ValueError)) as caught:
            function(**{**arguments, name: Wrong()})
        said = str(caught.value)
        assert "unexpected keyword" not in said
        assert re.search(rf"\b({name}|{name.replace('_', '')}|{CALLED.get(name, name)})\b", said, re.I), f"{name}: {said}"
        assert not list(tmp_path.iterdir()), "nothing is written"


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: mate.solve_batch([BOARD, 5]), "positions[1] must be Board, not int"),
        (lambda: search.analyse_batch([5], nodes=10), "positions[0] must be Board, str or bytes, not int"),
        (lambda: training.decode_boards([BOARD, "x"]), "boards[1] must be Board, not str"),
        (lambda: parse_batch(["x", 5], "csa"), "texts[1] must be str or bytes, not int"),
        (lambda: batch.from_sfens([SHORT, 5]), "texts[1] must be str, not int"),
        (lambda: Board.svg(BOARD, arrows=[5]), "arrows must hold moves, pairs of squares or Arrow, not int"),
    ],
)
def test_an_item_of_a_wrong_type_is_numbered(use: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        use()
    assert str(caught.value) == message
