"""The library as Python sees it against the right answers of public libraries."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

import komadori
import vectorset
from komadori import AperyMove, AperyMove32, Board, Color, IllegalMoveError, Move, Move32, batch, labels, training


def open_board(sfen: str) -> Board | None:
    """The board, or None where a piece stands on a square that it can never leave: such boards are refused here, where some peers play on."""
    try:
        return Board(sfen)
    except komadori.InvalidPositionError as error:
        assert {p.kind for p in error.problems} == {komadori.ProblemKind.INVALID_PLACEMENT}, sfen
        return None


def test_moves() -> None:
    n = 0
    for row in vectorset.rows("vectors/moves.jsonl"):
        move = Move.from_usi(row["usi"])
        assert move.value == row["move"]
        assert move.to_usi() == row["usi"]
        assert move.to_apery().value == row["apery"]
        assert AperyMove(row["apery"]).to_move() is move
        assert AperyMove(row["apery"]).to_usi() == row["usi"]
        assert move.flip_side().to_usi() == row["flip_side"]
        assert move.mirror_file().to_usi() == row["mirror_file"]
        for turn, side in ((Color.BLACK, "black"), (Color.WHITE, "white")):
            assert move.label(turn) == row[f"label_{side}"]
            if row[f"compact_{side}"] is None:
                with pytest.raises(komadori.InvalidValueError):
                    move.compact_label(turn)
            else:
                assert move.compact_label(turn) == row[f"compact_{side}"]
        n += 1
    vectorset.count("vectors/moves.jsonl", n)


def test_moves_as_arrays() -> None:
    rows = list(vectorset.rows("vectors/moves.jsonl"))
    moves = np.array([row["move"] for row in rows], np.uint16)
    for turn, side in enumerate(("black", "white")):
        assert labels.from_moves(moves, turn).tolist() == [row[f"label_{side}"] for row in rows]
        possible = [i for i, row in enumerate(rows) if row[f"compact_{side}"] is not None]
        compact = labels.from_moves(moves[possible], np.full(len(possible), turn, np.uint8), compact=True)
        assert compact.tolist() == [rows[i][f"compact_{side}"] for i in possible]
    vectorset.count("vectors/moves.jsonl", len(rows))


def test_move_labels() -> None:
    rows = list(vectorset.rows("vectors/move_labels.jsonl"))
    assert [row["label"] for row in rows] == list(range(labels.COUNT))
    for row in rows:
        compact = int(labels.FULL_TO_COMPACT[row["label"]])
        assert (compact != labels.NONE) == row["valid"]
        if row["valid"]:
            assert compact == row["compact"]
            assert labels.COMPACT_TO_FULL[compact] == row["label"]
    vectorset.count("vectors/move_labels.jsonl", len(rows))


def test_moves_raw() -> None:
    n = 0
    for row in vectorset.rows("vectors/moves_raw.jsonl"):
        if row["kind"] == "all_u16":
            bits = bytearray(8192)
            for value in range(65536):
                bits[value >> 3] |= Move(value).is_normal << (value & 7)
            assert sum(byte.bit_count() for byte in bits) == row["normal_count"]
            assert hashlib.sha1(bits).hexdigest() == row["bitmap_sha1"]
        elif row["kind"] == "special":
            move = getattr(Move, row["name"].removeprefix("MOVE_"))
            assert (move.value, move.to_usi(), move.is_normal) == (row["raw"], row["usi"], False)
            assert move.flip_side() is move
            assert move.mirror_file() is move
            assert Move.from_usi(row["usi"]) is move
            assert Move32(row["raw32"]).to_move() is move
        elif row["kind"] == "raw":
            move = Move(row["raw"])
            assert move.is_normal == row["normal"]
            if row["normal"]:
                assert move.to_usi() == row["usi"]
        elif row["raw"] >> 15:
            # Bit 15 is zero in this layout: such a value is no move here, though the peer lets it pass.
            assert not AperyMove(row["raw"]).is_normal
            with pytest.raises(komadori.InvalidValueError):
                AperyMove(row["raw"]).to_move()
        else:
            apery = AperyMove(row["raw"])
            assert apery.is_normal == row["normal"]
            if row["normal"]:
                assert (apery.to_move().value, apery.to_usi()) == (row["move"], row["usi"])
        n += 1
    vectorset.count("vectors/moves_raw.jsonl", n)


def test_hands() -> None:
    n = 0
    for row in vectorset.rows("vectors/hands.jsonl"):
        a, b = komadori.Hand.from_counts(row["a"]), komadori.Hand.from_counts(row["b"])
        assert (a.value, b.value) == (row["a_u32"], row["b_u32"])
        assert (a.is_superior_or_equal(b), b.is_superior_or_equal(a)) == (row["a_ge_b"], row["b_ge_a"])
        assert list(a.counts) == row["a"]
        n += 1
    vectorset.count("vectors/hands.jsonl", n)


def assert_legal(row: dict[str, Any], board: Board, moves: list[Move]) -> None:
    texts = sorted(m.to_usi() for m in moves)
    if komadori.ProblemKind.OPPONENT_IN_CHECK in {p.kind for p in board.problems()}:
        # The king that stands in check cannot be taken: such moves, which the set's peers list, are none here.
        king = board.king_square(board.turn.opposite).to_usi()
        assert texts == [text for text in row["legal"].split() if text[2:4] != king]
        return
    assert len(moves) == row["count"]
    assert hashlib.sha1(" ".join(texts).encode()).hexdigest() == row["legal_sha1"]


def test_positions() -> None:
    n = 0
    for row in vectorset.rows("vectors/positions.jsonl.gz"):
        board = open_board(row["sfen"])
        assert (board is None) == ("INVALID_PLACEMENT" in row["valid"])
        if board is None:
            continue
        with board:
            assert board.to_sfen() == row["sfen"]
            moves = board.legal_moves()
            assert_legal(row, board, list(moves))
            assert board.is_check() == row["in_check"]
            assert len(board.checkers()) == row["checkers"]
            assert board.is_checkmate() == (row["in_check"] and row["count"] == 0)
            mate = board.mate_in_one()
            assert (mate is not None) == bool(row["mate_in_one"])
            assert mate is None or mate.to_usi() in row["mate_in_one"]
            assert board.flip_side().to_sfen() == row["sfen_flipped"]
            assert board.mirror_file().to_sfen() == row["sfen_mirrored"]
            if row["hcp"]:
                assert board.to_hcp().hex() == row["hcp"]
                assert board.to_packed_sfen().hex() == row["packed_sfen"]
                assert Board.from_hcp(bytes.fromhex(row["hcp"])).key == board.key
                assert Board.from_packed_sfen(bytes.fromhex(row["packed_sfen"])).key == board.key
            else:
                with pytest.raises(komadori.InvalidPositionError):
                    board.to_hcp()
        n += 1
    vectorset.count("vectors/positions.jsonl.gz", n)


def test_positions_as_arrays() -> None:
    rows = [row for row in vectorset.rows("vectors/positions.jsonl.gz") if row["hcp"] and not row["valid"]]
    for name in ("hcp", "packed_sfen"):
        packed = np.array([list(bytes.fromhex(row[name])) for row in rows], np.uint8)
        offsets, moves = batch.legal_moves(packed, format=name)
        for i, row in enumerate(rows):
            assert_legal(row, Board(row["sfen"]), [Move(int(m)) for m in moves[offsets[i] : offsets[i + 1]]])
        assert batch.in_check(packed, format=name).tolist() == [row["in_check"] for row in rows]
        assert [m != 0 for m in batch.mates_in_one(packed, format=name)] == [bool(row["mate_in_one"]) for row in rows]
        counted = batch.attack_counts(packed, xray=True, by_kind=True, format=name)
        assert np.array_equal(batch.attack_counts(packed, xray=True, format=name), counted[:, :, 0])
        for i in range(0, len(rows), 8):
            assert np.array_equal(counted[i], Board(rows[i]["sfen"]).attack_counts(xray=True, by_kind=True))
        # A packed position has no ply.
        assert batch.sfens(packed, format=name) == [" ".join([*row["sfen"].split()[:3], "1"]) for row in rows]
        assert batch.from_sfens([row["sfen"] for row in rows], format=name).tobytes() == packed.tobytes()
    vectorset.count("vectors/positions.jsonl.gz", len(rows))


def test_move32() -> None:
    n = 0
    for row in vectorset.rows("vectors/move32.jsonl"):
        board = open_board(row["sfen"])
        if board is None:
            continue
        with board:
            if row["prev"]:
                board.push_usi(row["prev"])
            move = Move.from_usi(row["usi"])
            full = board.move32(move)
            assert full.value == row["move32"]
            assert full is Move32(row["move32"])
            assert full.to_move() is move
            assert int(full.piece_after) == row["piece_after"]
            assert full.flip_side().value == row["flip_side"]
            assert full.mirror_file().value == row["mirror_file"]
            apery = board.apery_move32(move)
            assert apery.value == row["apery32"]
            assert apery is AperyMove32(row["apery32"])
            assert int(apery.piece_type_before) == row["piece_type_before"]
            assert int(apery.captured) == row["captured_piece_type"]
            assert apery.to_move32(board.turn) is full
            board.push(full)
            assert board.pop() is move
        n += 1
    vectorset.count("vectors/move32.jsonl", n)


def test_move32_reject() -> None:
    n = 0
    for row in vectorset.rows("vectors/move32_reject.jsonl"):
        board = open_board(row["sfen"])
        if board is None:
            continue
        with board:
            before, move = board.key, Move32(row["value"])
            # Bits above the piece are unused: a value that sets them (null in the set) is refused here.
            if row["reject"] is False:
                assert board.complete_move32(move).has_piece_info
                board.push(move)
                assert board.key != before
            else:
                with pytest.raises(IllegalMoveError) as caught:
                    board.push(move)
                assert caught.value.move is move
                assert caught.value.sfen == row["sfen"]
                assert board.key == before
                assert board.to_sfen() == row["sfen"]
        n += 1
    vectorset.count("vectors/move32_reject.jsonl", n)


def _with_right_piece(board: Board, move: Move) -> Move32:
    """The move with the piece that it would leave on its target, were it legal."""
    if move.is_drop:
        return Move32.from_move(move, komadori.Piece.from_parts(board.turn, move.dropped_type))
    piece = board.piece_at(move.from_square)
    piece = piece.promote() if move.is_promotion else piece
    return Move32.from_move(move, piece)


def test_illegal_moves() -> None:
    n = 0
    for row in vectorset.rows("vectors/illegal_moves.jsonl"):
        board = open_board(row["sfen"])
        if board is None:
            continue
        with board:
            move = Move.from_usi(row["usi"])
            assert not board.is_legal(move)
            assert move not in board.legal_moves()
            before = board.to_sfen()
            for form in (move, _with_right_piece(board, move)):
                with pytest.raises(IllegalMoveError) as caught:
                    board.push(form)
                assert (caught.value.move, caught.value.sfen) == (form, before)
                assert board.to_sfen() == before
                assert board.history_length == 0
        n += 1
    vectorset.count("vectors/illegal_moves.jsonl", n)


def _planes(row: dict[str, Any], name: str, planes: int) -> np.ndarray[Any, Any]:
    flat = np.zeros((planes, 81), np.float32)
    flat[row[name]] = 1
    return flat.reshape(planes, 9, 9)


def _records_of(sfens: list[str], moves: list[Move] | None = None) -> np.ndarray[Any, Any]:
    records = np.zeros(len(sfens), training.HCPE)
    records["hcp"] = batch.from_sfens(sfens, format="hcp")["hcp"]
    for i, sfen in enumerate(sfens):
        move = moves[i] if moves else next(iter(Board(sfen).legal_moves()), None)
        records["bestMove16"][i] = move.to_apery().value if move else Move.from_usi("1a1b").to_apery().value
    return records


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.uint8])
def test_features(dtype: Any) -> None:
    rows = list(vectorset.rows("vectors/features.jsonl"))
    found = training.decode(_records_of([row["sfen"] for row in rows]), check="none", dtype=dtype)
    assert found.features1.dtype == dtype
    for i, row in enumerate(rows):
        expected = np.zeros(62 * 81)
        expected[row["features1"]] = 1
        assert np.array_equal(found.features1[i].reshape(-1), expected)
        assert np.array_equal(found.features2[i], _planes(row, "features2_planes", 57))
        for usi, full, compact, mirrored in row["labels"]:
            move, turn = Move.from_usi(usi), Board(row["sfen"]).turn
            assert (move.label(turn), move.compact_label(turn), move.mirror_file().label(turn)) == (full, compact, mirrored)
            assert labels.mirror_file([full]).tolist() == [mirrored]
    vectorset.count("vectors/features.jsonl", len(rows))


def test_features119() -> None:
    rows = list(vectorset.rows("vectors/features119.jsonl"))
    found = training.decode(_records_of([row["sfen"] for row in rows]), check="none", planes="dlshogi119", outputs=["features2"])
    assert list(found.arrays) == ["features2"]
    for i, row in enumerate(rows):
        assert np.array_equal(found.features2[i], _planes(row, "features2_planes", 119))
    vectorset.count("vectors/features119.jsonl", len(rows))


# Ends that are no result: the game was not finished, or its end is not known.
NO_RESULT = ("ERROR", "INVALID", "PAUSED", None)


def test_training() -> None:
    rows = list(vectorset.rows("vectors/training.jsonl"))
    hcpe = training.open(vectorset.path("vectors/training.hcpe"))[:]
    psv = training.open(vectorset.path("vectors/training.psv"))[:]
    assert hcpe.tobytes().hex() == "".join(row["hcpe"] for row in rows)
    for records, convention in ((hcpe, None), (psv, "rsshogi")):
        outputs = ["label", "value", "result", "move", "eval", "turn", "ply", "key"]
        found = training.decode(records, result_convention=convention, outputs=outputs, on_error="report")
        bad = set(found.bad_rows.tolist())
        for i, row in enumerate(rows):
            board = Board(row["sfen"])
            # The second file's convention can also write ends that are no result.
            no_result = records is psv and row["result"] in NO_RESULT
            assert (i in bad) == no_result, row
            if i in bad:
                continue
            assert found.move[i] == row["move_u16"]
            assert found.turn[i] == row["turn"]
            assert found.eval[i] == row["score"]
            assert found.ply[i] == (row["game_ply"] if records is psv else 1)
            assert found.key[i] == board.key
            assert found.label[i] == Move(row["move_u16"]).label(board.turn)
            assert found.result[i] == (0.5 if row["winner"] == 2 else float(row["winner"] == row["turn"]))
            assert found.value[i] == pytest.approx(1 / (1 + np.exp(-row["score"] / training.VALUE_SCALE)), abs=2e-6)
    # YaneuraOu's convention, from HCPE and from rsshogi's bytes.
    wanted = [row["psv_result_byte_yaneuraou"] for row in rows]
    assert training.to_psv(hcpe)["game_result"].view(np.uint8).tolist() == wanted
    known = [i for i, row in enumerate(rows) if row["result"] not in NO_RESULT]
    again = batch.convert(psv[known], "psv", result_convention="rsshogi")
    assert again["game_result"].view(np.uint8).tolist() == [wanted[i] for i in known]
    assert training.to_hcpe(again).tobytes() == hcpe[known].tobytes()
    vectorset.count("vectors/training.jsonl", len(rows))


def test_floodgate() -> None:
    rows = list(vectorset.rows("data/floodgate.jsonl"))
    records = training.open(vectorset.path("data/floodgate.hcpe"))
    found = training.decode(records, outputs=["label", "result", "move", "eval"])
    assert batch.sfens(records) == [row["sfen"] for row in rows]
    for i, row in enumerate(rows):
        assert Move(int(found.move[i])).to_usi() == row["bestmove"]
        assert found.eval[i] == row["eval"]
        black = row["sfen"].split()[1] == "b"
        assert found.result[i] == {"black_win": float(black), "white_win": float(not black), "draw": 0.5}[row["result"]]
    vectorset.count("data/floodgate.jsonl", len(rows))


def test_perft() -> None:
    n = 0
    for row in vectorset.rows("vectors/perft.jsonl"):
        with Board(row["sfen"]) as board:
            for depth, nodes in enumerate(row["perft"], 1):
                if nodes < 200_000:
                    assert komadori.perft(board, depth) == nodes
                    n += 1
    vectorset.count("vectors/perft.jsonl", n)


def test_mates_of_length_one() -> None:
    n = 0
    for row in vectorset.rows("vectors/mates.jsonl"):
        if row["result"] == "mate" and row["length"] == 1:
            board = open_board(row["sfen"])
            if board is None:
                continue
            with board:
                found = komadori.mate.solve(board)
                assert found
                assert found.length == 1
                assert found.moves[0].to_usi() in row["first_moves"]
                one = board.mate_in_one()
                assert one is not None
                assert one.to_usi() in row["first_moves"]
                board.push(found.moves[0])
                assert board.is_checkmate()
            n += 1
    vectorset.count("vectors/mates.jsonl", n)


def _refused(row: dict[str, Any]) -> bool:
    """Whether the library refuses a bad input, with an error of its own."""
    kind, text = row["kind"], row.get("text")
    if row.get("text_rule"):
        text = "9/" * 5000 + " b - 1"
    raw = bytes.fromhex(row["hex"]) if row.get("hex") is not None else b""
    try:
        if kind == "sfen":
            board = Board(text)
            if row.get("issue"):
                assert row["issue"] in [p.kind.name for p in board.problems()], row
        elif kind == "usi_move":
            Move.from_usi(text)
        elif kind == "usi_position":
            Board.from_position(text)
        elif kind == "hcp":
            Board.from_hcp(raw)
        elif kind == "packed_sfen":
            Board.from_packed_sfen(raw)
        else:
            training.decode(raw, format=kind, outputs=["label", "result"])
    except ValueError as error:
        if row["level"] != "decode" or len(raw) in (32, 38, 40):
            assert isinstance(error, komadori.KomadoriError), (row, error)
        return True
    return False


def test_bad_input() -> None:
    n = 0
    kinds = {"sfen", "usi_move", "usi_position", "hcp", "packed_sfen", "psv", "hcpe"}
    for row in vectorset.rows("vectors/bad_input.jsonl"):
        if row["kind"] not in kinds:
            continue
        refused = _refused(row)
        # 0000 is UCI's word for a pass: two of the three peers read it, and so does this library.
        if row["must_reject"] is not None and row.get("text") != "0000":
            assert refused == row["must_reject"], row
        n += 1
    vectorset.count("vectors/bad_input.jsonl", n)
