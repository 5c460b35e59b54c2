"""What decode can make besides dlshogi's planes, and seeded mirroring: for every format and every output."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vectorset
from komadori import AperyMove, Board, Color, IllegalMoveError, InvalidValueError, Move, batch, labels, training
from test_files import FORMATS, some

EVERY = ["features1", "features2", "planes", "label", "mask", "policy", "policy_labels", "policy_weights", "nnue", "value", "result", "ending", "move", "eval"]
EVERY += ["turn", "ply", "key"]
STACK = ["pieces", "attacked", "hands.own.gold", "check", "checkers", "pinned", "occupied", "one"]


def every(rows: Any, **options: Any) -> training.Batch:
    """All outputs."""
    return training.decode(rows, outputs=EVERY, **{"planes": STACK, **options})


def same(a: training.Batch, b: training.Batch) -> None:
    assert a.arrays.keys() == b.arrays.keys()
    for name, array in a.arrays.items():
        assert np.array_equal(array, b.arrays[name]), name


def mirrored_labels(array: Any, compact: bool) -> Any:
    """An array over labels after mirroring."""
    order = labels.mirror_file(np.arange(array.shape[1]), compact)
    made = np.empty_like(array)
    made[:, order] = array
    return made


def mirrored_nnue(indices: Any, kind: str) -> Any:
    """Indices after mirroring, sorted, by the definition of the numbering."""
    size = 1548 if kind == "halfkp" else 1710
    king, piece = indices // size, indices % size
    square = (piece - 90) % 81
    other = np.where(piece >= 90, piece + 9 * (8 - square // 9) + square % 9 - square, piece)
    if kind == "halfka_hm1":  # the board is mirrored anyway, but for a king on the middle file
        other = np.where(king // 9 == 4, other, piece)
    else:
        king = 9 * (8 - king // 9) + king % 9
    return np.sort(king * size + other, axis=-1)


# ----------------------------------------------------------------------------------------------------------------- Mirror


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("space", ["full", "compact"])
@pytest.mark.parametrize("kind", ["halfkp", "halfka", "halfka_hm1"])
def test_decoding_mirrored_is_mirroring_decoded(format: str, space: str, kind: str) -> None:
    rows = some(60, format, 2)
    options = {"labels": space, "nnue": kind}
    plain, mirrored = every(rows, **options), every(rows, mirror=True, **options)
    same(every(training.mirror_file(rows), **options), mirrored)
    compact = space == "compact"
    for name in ("features1", "features2", "planes"):
        assert np.array_equal(mirrored.arrays[name], plain.arrays[name][:, :, ::-1])
    assert np.array_equal(mirrored.label, labels.mirror_file(plain.label, compact))
    assert np.array_equal(mirrored.mask, mirrored_labels(plain.mask, compact))
    assert np.array_equal(mirrored.policy, mirrored_labels(plain.policy, compact))
    flat = np.where(plain.policy_labels >= 0, labels.mirror_file(np.maximum(plain.policy_labels, 0), compact).astype(np.int32), -1)
    assert np.array_equal(mirrored.policy_labels, flat)
    assert np.array_equal(mirrored.nnue, mirrored_nnue(plain.nnue, kind))
    assert [Move(int(m)).mirror_file().value for m in plain.move] == mirrored.move.tolist()
    for name in ("value", "result", "ending", "eval", "turn", "ply", "policy_weights"):
        assert np.array_equal(mirrored.arrays[name], plain.arrays[name])
    # Flipped, a network sees the same.
    flipped = every(training.flip_side(rows), **options)
    for name in set(EVERY) - {"move", "turn", "key"}:
        assert np.array_equal(flipped.arrays[name], plain.arrays[name]), name


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_seeded_mirror_goes_by_numbers_alone(data: st.DataObject) -> None:
    """However rows are cut, ordered and shared out, a record is mirrored or not by its number."""
    format = data.draw(st.sampled_from(FORMATS))
    share, seed = data.draw(st.sampled_from([0.0, 0.25, 0.5, 1.0])), data.draw(st.integers(0, 2**64 - 1))
    opened = training.open(some(80, format, 3))
    outputs = ["features1", "label", "key", "move"]
    whole = training.decode(opened, mirror=(share, seed), outputs=outputs)
    which = training.mirrored_rows((share, seed), range(80))
    same(whole, training.decode(opened[:], mirror=which, outputs=outputs))
    numbers = np.array(data.draw(st.lists(st.integers(0, 79), max_size=30)), np.int64)
    start, stop, step = *sorted([data.draw(st.integers(0, 80)), data.draw(st.integers(0, 80))]), data.draw(st.sampled_from([1, 2, -1]))
    for rows, chosen in ((opened[numbers], numbers), (opened[start:stop:step], np.arange(80)[start:stop:step])):
        for threads in (1, 3):
            part = training.decode(rows, mirror=(share, seed), outputs=outputs, threads=threads)
            for name in outputs:
                assert np.array_equal(part.arrays[name], whole.arrays[name][chosen])
        bare = np.asarray(rows)
        again = training.decode(bare, mirror=(share, seed), rows=chosen, outputs=outputs)
        assert np.array_equal(again.key, whole.key[chosen])
        copied = pickle.loads(pickle.dumps(rows))
        assert np.array_equal(training.decode(copied, mirror=(share, seed), outputs=["key"]).key, whole.key[chosen])
    part = training.decode(np.asarray(opened[start:stop]), mirror=(share, seed), first_row=start, outputs=outputs)
    assert np.array_equal(part.key, whole.key[start:stop])


def test_seeded_mirror_is_pinned() -> None:
    found = training.mirrored_rows((0.5, 42), range(64))
    assert sum(1 << i for i in range(64) if found[i]) == 0xBA3AD46765B762EE
    assert training.mirrored_rows((0.3, 1), np.arange(100_000)).mean() == pytest.approx(0.3, abs=0.01)
    far = training.mirrored_rows((0.5, 7), [2**64 - 1, 2**63])
    assert far.dtype == bool
    for share, seed, rows in ((2, 0, [1]), (0.5, -1, [1]), (0.5, 1, [-1]), (0.5, 2**64, [1])):
        with pytest.raises(ValueError):
            training.mirrored_rows((share, seed), rows)
    many = np.resize(some(500), 20_000)
    data = training.open(many)
    whole = training.decode(data, mirror=(0.5, 1), outputs=["key"])  # over more than one slice of a call
    which = training.mirrored_rows((0.5, 1), range(20_000))
    assert np.array_equal(whole.key, training.decode(many, mirror=which, outputs=["key"]).key)
    shown = [data.explain(row, mirror=(0.5, 1)) for row in range(20)]
    assert [x.mirrored for x in shown] == which[:20].tolist()
    for row, x in enumerate(shown):
        assert x.board is not None and x.board.key == whole.key[row]


# ----------------------------------------------------------------------------------------------------------------- Planes


@pytest.mark.parametrize("format", FORMATS)
def test_bits_are_the_planes(format: str) -> None:
    rows = some(40, format, 4)
    for planes, flat in (("dlshogi", 57), ("dlshogi119", 119)):
        wide = training.decode(rows, planes=planes, dtype=np.uint8)
        bits = training.decode(rows, planes=planes, dtype="bits")
        assert (bits.features1.shape, bits.features2.shape) == ((40, 628), (40, (flat + 7) // 8))
        assert np.array_equal(np.unpackbits(bits.features1, axis=1, bitorder="little")[:, : 62 * 81].reshape(40, 62, 9, 9), wide.features1)
        unpacked = np.unpackbits(bits.features2, axis=1, bitorder="little")[:, :flat]
        assert np.array_equal(np.broadcast_to(unpacked[:, :, None, None], (40, flat, 9, 9)), wide.features2)
        for dtype in (np.float32, np.float16):
            assert np.array_equal(training.decode(rows, planes=planes, dtype=dtype).features1, wide.features1)
    for planes in ("pieces", STACK, "check"):
        wide = training.decode(rows, planes=planes, dtype=np.uint8)
        count = wide.planes.shape[1]
        bits = training.decode(rows, planes=planes, dtype="bits")
        assert bits.planes.shape == (40, (81 * count + 7) // 8)
        assert np.array_equal(np.unpackbits(bits.planes, axis=1, bitorder="little")[:, : 81 * count].reshape(40, count, 9, 9), wide.planes)


def test_planes_of_ones_own() -> None:
    rows = some(60, "psv", 5)
    dlshogi = training.decode(rows, planes="dlshogi119", outputs=["features1", "features2", "turn"])
    everything = np.concatenate([dlshogi.features1, dlshogi.features2], axis=1)
    names = training.plane_names()
    assert len(names) == len(set(names)) == 216
    by_name = training.decode(rows, planes=list(names[:181])).planes
    assert np.array_equal(by_name, everything)
    found = training.decode(rows, planes="pieces")
    assert list(found.arrays) == ["planes", "label", "value", "result"]
    assert (found.planes.shape, found.planes.dtype) == ((60, 28, 9, 9), np.float32)
    absolute = training.decode(rows, planes="board").planes
    other = training.decode(rows, planes=["occupied", "white", "one", "checkers"]).planes
    for i, sfen in enumerate(batch.sfens(rows)):
        board = Board(sfen)
        pieces = np.array([int(board.piece_at(sq)) for sq in range(81)]).reshape(9, 9)
        for kind in range(1, 15):
            assert np.array_equal(absolute[i, kind - 1], pieces == kind)
            assert np.array_equal(absolute[i, 14 + kind - 1], pieces == kind + 16)
        own = absolute[i, :14] if board.turn == Color.BLACK else absolute[i, 14:, ::-1, ::-1]
        assert np.array_equal(found.planes[i, :14], own)
        assert np.array_equal(other[i, 0], found.planes[i, :14].any(0))
        assert np.array_equal(other[i, 1], found.planes[i, 14:].any(0))
        assert (other[i, 2].all(), other[i, 3].all()) == (board.turn == Color.WHITE, True)
        assert other[i, 4].sum() == len(board.checkers())
    assert training.decode(rows, planes=None).arrays.keys() == {"label", "value", "result"}
    with pytest.raises(ValueError, match="no plane"):
        training.decode(rows, planes="piece")
    with pytest.raises(TypeError):
        training.decode(rows, planes=[3])  # type: ignore[list-item]


def test_planes_are_as_the_vectors_have_them() -> None:
    rows = list(vectorset.rows("vectors/features.jsonl"))
    packed = np.zeros(len(rows), training.HCPE)
    packed["hcp"] = batch.from_sfens([row["sfen"] for row in rows], format="hcp")["hcp"]
    packed["bestMove16"] = Move.from_usi("1a1b").to_apery().value
    bits = training.decode(packed, check="none", dtype="bits")
    for i, row in enumerate(rows):
        assert np.flatnonzero(np.unpackbits(bits.features1[i], bitorder="little")).tolist() == row["features1"]
        assert np.flatnonzero(np.unpackbits(bits.features2[i], bitorder="little")).tolist() == row["features2_planes"]
    vectorset.count("vectors/features.jsonl", len(rows))


# ------------------------------------------------------------------------------------------------------------------- NNUE


def nnue_of(board: Board, kind: str, side: Color) -> list[int]:
    """The indices of a board by the definition, without the library's tables."""
    hands = ((1, 20), (39, 44), (49, 54), (59, 64), (79, 82), (85, 88), (69, 74))  # P L N S B R G
    squares = {1: 90, 2: 252, 3: 414, 4: 576, 7: 738, 9: 738, 10: 738, 11: 738, 12: 738, 5: 900, 13: 1062, 6: 1224, 14: 1386, 8: 1548}
    size = 1548 if kind == "halfkp" else 1710
    turn = (lambda sq: 80 - sq) if side else (lambda sq: sq)
    king = turn(int(board.king_square(side)))
    mirror = (lambda sq: 9 * (8 - sq // 9) + sq % 9) if kind == "halfka_hm1" and king >= 45 else (lambda sq: sq)
    found = []
    for color in (0, 1):
        for hand, count in zip(hands, board.hand(color).counts, strict=True):
            found += [hand[color != side] + k for k in range(count)]
    for sq in range(81):
        piece = int(board.piece_at(sq))
        if piece and not (kind == "halfkp" and piece & 15 == 8):
            found.append(squares[piece & 15] + 81 * ((piece >> 4) != side) + mirror(turn(sq)))
    found += [0] * ((38 if kind == "halfkp" else 40) - len(found))
    return sorted(size * mirror(king) + p for p in found)


@pytest.mark.parametrize("kind", ["halfkp", "halfka", "halfka_hm1"])
def test_nnue_indices(kind: str) -> None:
    rows = some(60, "hcpe", 6)
    few = np.zeros(2, training.HCPE)  # with missing men
    few["hcp"] = batch.from_sfens(["4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "8k/9/9/9/9/9/9/9/K2r5 w 3p 1"], format="hcp")["hcp"]
    few["bestMove16"] = [Move.from_usi("G*5b").to_apery().value, Move.from_usi("1a1b").to_apery().value]
    rows = np.concatenate([rows, few])
    found = training.decode(rows, planes=None, outputs=["nnue"], nnue=kind)
    active, dimension = {"halfkp": (38, 125388), "halfka": (40, 138510), "halfka_hm1": (40, 76950)}[kind]
    assert (found.nnue.shape, found.nnue.dtype) == ((62, 2, active), np.int32)
    assert found.nnue.min() >= 0 and found.nnue.max() < dimension
    for i, sfen in enumerate(batch.sfens(rows)):
        board = Board(sfen)
        assert found.nnue[i, 0].tolist() == nnue_of(board, kind, board.turn)
        assert found.nnue[i, 1].tolist() == nnue_of(board, kind, board.turn.opposite)
    assert np.array_equal(training.decode(rows, outputs=["nnue"], nnue=kind, nnue_dtype=np.int64).nnue, found.nnue)
    padded = training.decode(rows, outputs=["nnue"], nnue=kind, nnue_pad=True).nnue
    assert np.array_equal(padded[:60], found.nnue[:60])
    missing = (padded == -1).sum(-1)
    assert missing[60:].tolist() == [[36, 36], [34, 34]]
    offsets, flat = training.to_csr(padded)
    assert offsets.shape == (125,)
    for i, (start, stop) in enumerate(pairwise(offsets)):
        row = padded.reshape(-1, active)[i]
        assert flat[start:stop].tolist() == row[row >= 0].tolist()
    with pytest.raises(ValueError):
        training.to_csr([0.5])


# ---------------------------------------------------------------------------------------------------- Masks and policies


@pytest.mark.parametrize("format", FORMATS)
def test_masks_in_the_same_call(format: str) -> None:
    rows = some(50, format, 7)
    for space in ("full", "compact"):
        compact = space == "compact"
        found = training.decode(rows, labels=space, outputs=["mask", "label"])
        assert found.mask.dtype == np.bool_
        assert np.array_equal(found.mask, batch.legal_mask(rows, compact))
        assert found.mask[np.arange(50), found.label].all()
        bits = training.decode(rows, labels=space, outputs=["mask"], mask_bits=True).mask
        assert np.array_equal(bits, batch.legal_mask(rows, compact, bits=True))


@pytest.mark.parametrize("temperature", [0, 0.5, 1, 2.5])
def test_policies_of_visits(temperature: float) -> None:
    rows = some(60, "hcpe3", 8)
    found = training.decode(rows, temperature=temperature, outputs=["policy", "policy_labels", "policy_weights", "mask"])
    width = int(rows["candidateNum"].max())
    assert (found.policy.dtype, found.policy_labels.shape, found.policy_weights.shape) == (np.float32, (60, width), (60, width))
    turns = training.decode(rows, outputs=["turn"]).turn
    for i, row in enumerate(rows):
        own = rows.candidates[row["first"] :][: row["candidateNum"]]
        visits = own["visits"].astype(float)
        if temperature == 0:
            shares = np.arange(len(own)) == (np.argmax(visits) if len(own) else 0)
        else:
            shares = visits ** (1 / temperature)
            shares /= shares.sum() or 1
        expected = np.zeros(2187)
        for candidate, share in zip(own, shares, strict=True):
            expected[AperyMove(int(candidate["move16"])).to_move().label(Color(turns[i]))] += share
        assert np.allclose(found.policy[i], expected, atol=1e-6)
        assert found.policy[i].sum() == pytest.approx(float(len(own) > 0), abs=1e-5)
        assert not (found.policy[i][~found.mask[i]]).any()
        again = np.zeros(2187)
        used = found.policy_labels[i] >= 0
        np.add.at(again, found.policy_labels[i][used], found.policy_weights[i][used])
        assert np.allclose(again, expected, atol=1e-6)
        assert used.sum() == len(own) and not found.policy_weights[i][~used].any()


def test_policies_of_other_formats_are_the_best_move() -> None:
    for format in ("hcpe", "hcpe2", "psv"):
        found = training.decode(some(20, format), outputs=["policy", "policy_labels", "policy_weights", "label"])
        assert np.array_equal(found.policy.argmax(1), found.label) and (found.policy.sum(1) == 1).all()
        assert found.policy_labels[:, 0].tolist() == found.label.tolist()
        assert found.policy_weights.tolist() == [[1.0]] * 20
    rows = some(60, "hcpe3", 8)
    narrow = training.decode(rows, outputs=["policy_labels"], policy_width=2, on_error="report")
    assert narrow.bad_rows.tolist() == np.flatnonzero(rows["candidateNum"] > 2).tolist()
    rows.candidates["move16"][rows["first"][np.argmax(rows["candidateNum"])]] = Move.from_usi("1a9h").to_apery().value
    bad = training.decode(rows, outputs=["policy"], on_error="report")
    assert bad.bad_rows.tolist() == [int(np.argmax(rows["candidateNum"]))]
    assert isinstance(bad.errors[0], IllegalMoveError) and "candidate 1a9h" in str(bad.errors[0]) and bad.errors[0].sfen
    with pytest.raises(InvalidValueError):
        training.decode(np.asarray(rows), outputs=["policy"])  # rows without their candidates


def test_value_is_blended_with_the_result() -> None:
    rows = some(50, "hcpe", 1)
    plain = training.decode(rows, outputs=["value", "result"])
    for blend in (0, 0.25, 1):
        mixed = training.decode(rows, outputs=["value"], blend=blend).value
        assert np.allclose(mixed, (1 - blend) * plain.value + blend * plain.result, atol=1e-6)
    flagged = some(3, "hcpe2")
    flagged["result"] = [1 | 8, 4, 2]
    assert training.decode(flagged, outputs=["ending"]).ending.tolist() == [8, 4, 0]
    psv = some(3, "psv")
    psv["game_result"] = [4, 6, 0]
    assert training.decode(psv, outputs=["ending"], result_convention="rsshogi").ending.tolist() == [8, 16, 0]


# -------------------------------------------------------------------------------------------------------------------- Out


@pytest.mark.parametrize("format", FORMATS)
def test_any_number_of_threads_fills_the_same(format: str) -> None:
    rows = some(300, format, 9)
    rows[rows.dtype.names[0]][[3, 299]] = 0xFF
    whole = every(rows, threads=1, on_error="report")
    assert whole.bad_rows.tolist() == [3, 299]
    for name in EVERY:
        assert not whole.arrays[name][[3, 299]].any()
    room = {name: np.full((310, *array.shape[1:]), 1, array.dtype) for name, array in whole.arrays.items()}
    for threads in (1, 2, 5, None):
        again = training.decode(rows, planes=STACK, out=room, threads=threads, on_error="report")
        same(again, whole)
        for name, array in again.arrays.items():
            assert np.shares_memory(array, room[name])
            assert (room[name][300:] == 1).all()


def test_outputs_that_share_memory_are_refused() -> None:
    rows = some(20)
    room = np.zeros(60, np.float32)
    for pair in ((room[:20], room[19:39]), (room[:20], room[:20]), (room[10:30], room[:20])):
        with pytest.raises(ValueError, match="share memory"):
            training.decode(rows, out={"value": pair[0], "result": pair[1]})
    training.decode(rows, out={"value": room[:20], "result": room[20:40]})
    raw = np.zeros(20 * 38 + 80, np.uint8)
    raw[: 20 * 38] = np.frombuffer(rows.tobytes(), np.uint8)
    with pytest.raises(ValueError, match="records"):
        training.decode(raw[: 20 * 38].reshape(20, 38), out={"turn": raw[740:760]})
    training.decode(raw[: 20 * 38].reshape(20, 38), out={"turn": raw[760:780]})


class Tensor:
    """Something that offers its memory in one of the ways tensors do."""

    def __init__(self, array: Any, way: str) -> None:
        self.array = array
        if way == "interface":
            self.__array_interface__ = array.__array_interface__
        elif way == "dlpack":
            self.__dlpack__ = array.__dlpack__
            self.__dlpack_device__ = array.__dlpack_device__


def test_memory_of_other_libraries_is_filled() -> None:
    rows = some(20)
    expected = training.decode(rows).label
    for way in ("interface", "dlpack"):
        array = np.zeros(20, np.int64)
        try:
            found = training.decode(rows, out={"label": Tensor(array, way)})
        except (ValueError, TypeError) as error:  # older NumPy gives arrays of DLPack that cannot be written, and newer ones look at the type
            assert way == "dlpack", error
            continue
        assert np.array_equal(array, expected) and np.shares_memory(found.label, array)
    with pytest.raises(TypeError):
        training.decode(rows, out={"label": object()})


def test_one_name_is_no_sequence_of_outputs() -> None:
    with pytest.raises(TypeError, match=r"outputs must be a sequence of names such as \['label'\]"):
        training.decode(np.zeros(0, training.HCPE), outputs="label")
