"""komadori.torch: data sets, order, sharding, resuming, loaders. Run by `make test-torch`; skipped where PyTorch is absent."""

from __future__ import annotations

import io
import logging
import pickle
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from komadori import training

torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader  # noqa: E402

from komadori import torch as kt  # noqa: E402

METHODS = ("fork", "forkserver", "spawn")
SMALL: dict[str, Any] = {"outputs": ("label", "value", "row")}  # quick to decode


def row_lists(batches: Any) -> list[list[int]]:
    return [batch.row.tolist() for batch in batches]


def flat(lists: list[list[int]]) -> list[int]:
    return [row for rows in lists for row in rows]


# ------------------------------------------------------------------------------------------------------------------ Map-style


def test_rows_and_batches_are_those_of_decode(path: Path, records: np.ndarray) -> None:
    names = ("features1", "features2", "label", "value", "result")
    assert tuple(kt.HcpeDataset(path)[0]) == names
    data = kt.HcpeDataset(path, outputs=(*names, "row"))
    wanted = training.decode(records)
    assert len(data) == len(records)
    batch = next(iter(DataLoader(data, batch_size=100, shuffle=True)))
    assert isinstance(batch, kt.Tensors)
    rows = batch.row.numpy()
    assert len(set(rows.tolist())) == 100
    for name in names:
        assert np.array_equal(batch[name].numpy(), getattr(wanted, name)[rows]), name
        assert np.array_equal(data[-5][name].numpy(), getattr(wanted, name)[-5])
    with pytest.raises(IndexError):
        data[len(data)]
    with pytest.raises(AttributeError, match="ply was not asked for"):
        _ = batch.ply
    assert batch.to("cpu").label.equal(batch.label)


def test_samples_can_be_stacked_one_by_one(path: Path, records: np.ndarray) -> None:
    data = kt.HcpeDataset(path, **SMALL)
    together = torch.utils.data.default_collate([data[3], data[9]])
    assert together.row.tolist() == [3, 9]
    assert together.label.tolist() == training.decode(records[[3, 9]]).label.tolist()


@pytest.mark.parametrize("method", METHODS)
def test_data_sets_travel_to_workers(path: Path, method: str) -> None:
    data = kt.HcpeDataset(path, **SMALL)
    alone = [batch.label.tolist() for batch in DataLoader(data, batch_size=300)]
    assert [batch.label.tolist() for batch in DataLoader(data, batch_size=300, num_workers=2, multiprocessing_context=method)] == alone
    again = pickle.loads(pickle.dumps(data))
    assert again[7].label == data[7].label


@pytest.mark.parametrize(("workers", "given", "wanted"), [(0, None, None), (2, None, 1), (2, 2, 2)])
def test_workers_decode_on_one_thread(path: Path, workers: int, given: int | None, wanted: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    decode = training.decode

    def checked(records: Any, **options: Any) -> Any:
        assert len(records) == 0 or options["threads"] == wanted
        return decode(records, **options)

    monkeypatch.setattr(training, "decode", checked)
    row_lists(kt.loader(path, 300, num_workers=workers, multiprocessing_context="fork" if workers else None, threads=given, **SMALL))


def test_arguments_are_checked_at_once(path: Path) -> None:
    with pytest.raises(ValueError, match="no output 'plane'"):
        kt.HcpeDataset(path, outputs=("plane",))
    with pytest.raises(ValueError, match="probability"):
        kt.HcpeDataset(path, mirror=2)
    with pytest.raises(ValueError, match="on_error"):
        kt.HcpeDataset(path, on_error="report")
    with pytest.raises(ValueError, match="batch_size"):
        kt.HcpeBatches(path, 0)
    with pytest.raises(ValueError, match="both rank and world_size"):
        kt.HcpeBatches(path, 4, rank=0)
    with pytest.raises(ValueError, match="0 <= rank < world_size"):
        kt.HcpeBatches(path, 4, rank=2, world_size=2)
    with pytest.raises(OSError):
        kt.HcpeDataset(path.with_name("nothing.hcpe"))


def test_bad_rows(records: np.ndarray) -> None:
    damaged = records.copy()
    damaged["hcp"][[20, 33]] = 255
    with pytest.raises(ValueError, match="record 20 of the data") as caught:
        row_lists(kt.HcpeBatches(damaged, 16, shuffle=False, **SMALL))
    assert caught.value.row == 20  # type: ignore[attr-defined]
    kept = flat(row_lists(kt.HcpeBatches(damaged, 16, on_error="drop", **SMALL)))
    assert sorted(kept) == [row for row in range(len(records)) if row not in (20, 33)]
    data = kt.HcpeDataset(damaged, on_error="drop", **SMALL)
    assert len(data.__getitems__([19, 20, 21])[0].label) == 2
    with pytest.raises(IndexError, match="row 20 is bad"):
        data[20]


def test_mirrored_rows_depend_on_seed_epoch_and_row_alone(path: Path, records: np.ndarray) -> None:
    plain, mirrored = training.decode(records, outputs=("label",)).label, training.decode(records, outputs=("label",), mirror=True).label
    assert (plain != mirrored).mean() > 0.9

    def labels(epoch: int, **options: Any) -> np.ndarray:
        batches = kt.HcpeBatches(path, 77, outputs=("label", "row"), mirror=0.3, **options)
        batches.set_epoch(epoch)
        found = np.zeros(len(records), np.int64)
        for batch in batches:
            found[batch.row.numpy()] = batch.label.numpy()
        return found

    first = labels(0)
    assert ((first == plain) | (first == mirrored)).all()
    share = (first != plain)[plain != mirrored].mean()
    assert 0.25 < share < 0.35
    assert np.array_equal(first, labels(0, shuffle=False))
    assert not np.array_equal(first, labels(1)) and not np.array_equal(first, labels(0, seed=1))
    assert np.array_equal(labels(0, seed=9), labels(0, seed=9, threads=1))
    assert np.array_equal(kt.HcpeDataset(path, mirror=True, outputs=("label",)).__getitems__(range(len(records)))[0].label.numpy(), mirrored)


def test_everything_that_decode_makes(path: Path, records: np.ndarray, tmp_path: Path) -> None:
    outputs = ("planes", "label", "mask", "nnue", "key", "ply")
    options: dict[str, Any] = {"outputs": outputs, "planes": ["pieces", "hands"], "nnue": "halfka", "labels": "compact"}
    wanted = training.decode(records, **options)
    batch = next(iter(kt.loader(path, 500, shuffle=False, num_workers=1, **options)))
    assert tuple(batch) == outputs
    for name in outputs:
        assert np.array_equal(batch[name].numpy(), getattr(wanted, name)[:500]), name
    games = tmp_path / "games.hcpe3"
    training.write(games, records, "hcpe3")
    for width in ({}, {"policy_width": 4}):
        policy = next(iter(kt.loader(games, 300, shuffle=False, outputs=("policy_labels", "policy_weights", "policy"), **width)))
        assert policy.policy_labels.shape == (300, width.get("policy_width", 1))
        assert torch.equal(policy.policy.argmax(1), policy.policy_labels[:, 0].long())


def test_memory_is_used_again_when_nobody_holds_it(path: Path, records: np.ndarray) -> None:
    wanted = training.decode(records, outputs=("features1",)).features1
    batches = kt.loader(path, 100, shuffle=False, outputs=("features1", "row"), prefetch_factor=0)
    held, addresses = [], []
    for number, batch in enumerate(batches):
        addresses.append(batch.features1.data_ptr())
        if number % 3 == 0:
            held.append((batch.features1[10:20, 3], batch.row[10:20]))  # a view keeps all of it
    assert len(set(addresses)) < len(addresses)
    assert len({one.untyped_storage().data_ptr() for one, _ in held}) == len(held)
    for features, rows in held:
        assert np.array_equal(features.numpy(), wanted[rows.numpy(), 3])
    ahead = list(kt.loader(path, 100, shuffle=False, outputs=("features1",)))
    assert np.array_equal(torch.cat([batch.features1 for batch in ahead]).numpy(), wanted)


@pytest.mark.parametrize("planes", ["dlshogi", "dlshogi119", "pieces"])
def test_bits_become_planes_where_they_are(path: Path, planes: str) -> None:
    outputs = (*(("planes",) if planes == "pieces" else ("features1", "features2")), "mask", "label")
    options: dict[str, Any] = {"outputs": outputs, "planes": planes, "shuffle": False}
    plain = next(iter(kt.loader(path, 200, **options)))
    bits = next(iter(kt.loader(path, 200, dtype="bits", mask_bits=True, **options)))
    assert sum(tensor.numel() * tensor.element_size() for tensor in bits.values()) * 7 < sum(tensor.numel() for tensor in plain.values()) + 20_000
    made = bits.unpack()
    for name in outputs:
        assert made[name].dtype == plain[name].dtype and torch.equal(made[name], plain[name]), name
    assert made.unpack().label is made.label


def test_several_files_are_one(path: Path, records: np.ndarray, tmp_path: Path) -> None:
    pieces = [tmp_path / f"{number}.hcpe" for number in range(4)]
    for piece, part in zip(pieces, np.array_split(records, [3, 700, 701]), strict=True):
        training.write(piece, part)
    options: dict[str, Any] = {"seed": 8, "mirror": 0.5, "outputs": ("features1", "label", "row")}
    for one, other in zip(kt.loader(path, 130, **options), kt.loader(pieces, 130, num_workers=2, **options), strict=True):
        assert all(torch.equal(one[name], other[name]) for name in one)


# ------------------------------------------------------------------------------------------------------------- Order and shards


def test_an_epoch_is_every_row_once_in_an_order_of_its_own(path: Path, records: np.ndarray) -> None:
    batches = kt.loader(path, 100, seed=5, **SMALL)
    first, second = row_lists(batches), row_lists(batches)
    assert len(first) == len(batches) == 19
    everything = list(range(len(records)))
    assert sorted(flat(first)) == everything == sorted(flat(second))
    assert first != second and flat(first) != everything
    assert row_lists(kt.loader(path, 100, seed=5, **SMALL)) == first
    assert row_lists(kt.loader(path, 100, seed=6, **SMALL)) != first
    batches.set_epoch(0)
    assert row_lists(batches) == first
    assert flat(row_lists(kt.loader(path, 100, shuffle=False, **SMALL))) == everything
    whole = kt.loader(path, 100, seed=5, drop_last=True, **SMALL)
    assert row_lists(whole) == first[:-1] and len(whole) == 18


@pytest.mark.parametrize("block", [2, 7, 64, 1000, 5000])
def test_shuffling_in_blocks(path: Path, records: np.ndarray, block: int) -> None:
    batches = kt.HcpeBatches(path, 128, shuffle=block, seed=1, **SMALL)
    first = flat(row_lists(batches))
    assert sorted(first) == list(range(len(records)))
    assert first != sorted(first)
    batches.set_epoch(1)
    assert flat(row_lists(batches)) != first
    # The rows of the first group come from few stretches of the file.
    if block == 7:
        group = sorted(first[: 7 * kt._BLOCKS_TOGETHER])
        assert sum(b - a > 1 for a, b in pairwise(group)) <= kt._BLOCKS_TOGETHER + 1


@pytest.mark.parametrize("rows", [0, 1, 5, 7, 8, 9, 15, 16, 17, 31, 33, 100])
@pytest.mark.parametrize("world_size", [1, 2, 3, 8])
@pytest.mark.parametrize("batch_size", [1, 2, 5])
def test_ranks_and_workers_share_without_overlap_and_without_loss(records: np.ndarray, rows: int, world_size: int, batch_size: int) -> None:
    data = records[:rows]
    sets = [kt.HcpeBatches(data, batch_size, rank=rank, world_size=world_size, seed=3, **SMALL) for rank in range(world_size)]
    shares = [row_lists(one) for one in sets]
    assert sorted(row for share in shares for row in flat(share)) == list(range(rows))
    assert [len(one) for one in sets] == [len(share) for share in shares]
    assert all(1 <= len(batch) <= batch_size for share in shares for batch in share)
    if batch_size > 1 and rows >= world_size:
        assert len({len(share) for share in shares}) == 1
    sets = [kt.HcpeBatches(data, batch_size, rank=rank, world_size=world_size, seed=3, drop_last=True, **SMALL) for rank in range(world_size)]
    shares = [row_lists(one) for one in sets]
    assert [len(share) for share in shares] == [rows // (batch_size * world_size)] * world_size == [len(one) for one in sets]
    seen = [row for share in shares for row in flat(share)]
    assert len(set(seen)) == len(seen) == len(shares[0]) * batch_size * world_size


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("workers", [1, 3])
def test_the_number_of_workers_changes_nothing(path: Path, method: str, workers: int) -> None:
    options: dict[str, Any] = {"seed": 2, "mirror": 0.5, "outputs": ("features1", "label", "row")}
    alone, shared = kt.loader(path, 150, **options), kt.loader(path, 150, num_workers=workers, multiprocessing_context=method, **options)
    for _ in range(2):  # the second epoch meets persistent workers
        for one, other in zip(alone, shared, strict=True):
            for name in one:
                assert torch.equal(one[name], other[name])
    by_hand = kt.HcpeBatches(path, 150, **options)
    by_hand.set_epoch(1)
    alone.set_epoch(1)
    plain = DataLoader(by_hand, batch_size=None, num_workers=workers, multiprocessing_context=method, persistent_workers=True)
    assert row_lists(plain) == row_lists(alone)
    by_hand.set_epoch(2)
    assert row_lists(plain) == row_lists(alone)


def test_ranks_from_the_environment(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "3")
    found = kt.HcpeBatches(path, 10, **SMALL)
    assert (found.rank, found.world_size) == (1, 3)
    given = kt.HcpeBatches(path, 10, rank=1, world_size=3, **SMALL)
    assert row_lists(found) == row_lists(given)


def test_ranks_of_a_process_group(path: Path, tmp_path: Path) -> None:
    if not torch.distributed.is_available():
        pytest.skip("this PyTorch has no torch.distributed")
    torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/group", rank=0, world_size=1)
    try:
        found = kt.HcpeBatches(path, 10, **SMALL)
        assert (found.rank, found.world_size) == (0, 1)
    finally:
        torch.distributed.destroy_process_group()


# -------------------------------------------------------------------------------------------------------------------- Resuming


@pytest.mark.parametrize(("before", "after"), [(0, 0), (0, 2), (2, 0), (2, 3)])
@pytest.mark.parametrize("taken", [0, 1, 7, 19])
def test_a_loop_goes_on_where_it_stood(path: Path, before: int, after: int, taken: int) -> None:
    options: dict[str, Any] = {"seed": 4, "mirror": 0.5, **SMALL}
    whole = kt.loader(path, 100, **options)
    epochs = [[(b.row.tolist(), b.label.tolist()) for b in whole] for _ in range(3)]
    broken = kt.loader(path, 100, num_workers=before, **options)
    broken.set_epoch(1)
    iterator = iter(broken)
    got = [(b.row.tolist(), b.label.tolist()) for b in islice(iterator, taken)]
    stored = io.BytesIO()
    torch.save(broken.state_dict(), stored)
    del iterator
    stored.seek(0)
    resumed = kt.loader(path, 100, num_workers=after, **options)
    resumed.load_state_dict(torch.load(stored))
    assert resumed.epoch == 1
    resumed.set_epoch(1)  # as a loop over epochs does: it stays where the state was taken
    got += [(b.row.tolist(), b.label.tolist()) for b in resumed]
    assert got == epochs[1]
    assert [(b.row.tolist(), b.label.tolist()) for b in resumed] == epochs[2]


def test_a_finished_epoch_resumes_as_the_next(path: Path) -> None:
    batches = kt.loader(path, 100, **SMALL)
    row_lists(batches)
    state = batches.state_dict()
    assert (state["epoch"], state["step"]) == (1, 0)
    again = kt.loader(path, 100, **SMALL)
    again.load_state_dict(state)
    assert row_lists(again) == row_lists(batches)


def test_resuming_with_another_batch_size_and_world_size(path: Path, records: np.ndarray) -> None:
    ranks = [kt.loader(path, 30, rank=rank, world_size=4, prefetch_factor=0, **SMALL) for rank in range(4)]
    seen = []
    for rank in ranks:
        iterator = iter(rank)
        seen += [row for _ in range(5) for row in next(iterator).row.tolist()]
    states = [rank.state_dict() for rank in ranks]
    assert states[0] == states[3]
    fewer = [kt.loader(path, 64, rank=rank, world_size=2, **SMALL) for rank in range(2)]
    for one in fewer:
        one.load_state_dict(states[0])
        seen += flat(row_lists(one))
    assert sorted(seen) == list(range(len(records)))


def test_a_state_of_other_data_is_refused(path: Path, records: np.ndarray) -> None:
    state = kt.loader(path, 100, seed=1, **SMALL).state_dict()
    with pytest.raises(ValueError, match="seed=1, this is seed=2"):
        kt.loader(path, 100, seed=2, **SMALL).load_state_dict(state)
    with pytest.raises(ValueError, match="rows=1884"):
        kt.loader(records[:9], 100, seed=1, **SMALL).load_state_dict(state)
    with pytest.raises(ValueError, match="version"):
        kt.loader(path, 100, **SMALL).load_state_dict({})


@pytest.mark.parametrize("workers", [0, 3])
def test_torchdata_resumes_it(path: Path, workers: int) -> None:
    stateful = pytest.importorskip("torchdata.stateful_dataloader")
    wanted = row_lists(kt.loader(path, 100, **SMALL))
    loader = stateful.StatefulDataLoader(kt.HcpeBatches(path, 100, **SMALL), batch_size=None, num_workers=workers)
    iterator = iter(loader)
    got = [next(iterator).row.tolist() for _ in range(8)]
    state = loader.state_dict()
    del iterator
    again = stateful.StatefulDataLoader(kt.HcpeBatches(path, 100, **SMALL), batch_size=None, num_workers=workers)
    again.load_state_dict(state)
    assert got + row_lists(again) == wanted


def test_leaving_a_loop_early_begins_the_next_epoch(path: Path) -> None:
    whole = kt.loader(path, 100, **SMALL)
    epochs = [row_lists(whole) for _ in range(2)]
    for workers in (0, 2):
        batches = kt.loader(path, 100, num_workers=workers, **SMALL)
        for batch in batches:
            assert batch.row.tolist() == epochs[0][0]
            break
        assert row_lists(batches) == epochs[1]


@pytest.mark.parametrize("workers", [0, 2])
def test_errors_reach_the_loop(records: np.ndarray, workers: int) -> None:
    damaged = records.copy()
    damaged["hcp"][700] = 255
    with pytest.raises(ValueError, match="record 700"):
        row_lists(kt.loader(damaged, 100, num_workers=workers, **SMALL))


# ------------------------------------------------------------------------------------------------------------ dlshogi's loader


def test_the_loader_in_place_of_dlshogis(path: Path, records: np.ndarray, caplog: pytest.LogCaptureFixture) -> None:
    wanted = training.decode(records)
    plain = kt.HcpeDataLoader(str(path), 256, torch.device("cpu"))
    assert len(plain) == 7
    for number, batch in enumerate(plain):
        features1, features2, move, result, value = batch
        rows = slice(256 * number, 256 * (number + 1))
        assert np.array_equal(features1.numpy(), wanted.features1[rows]) and np.array_equal(features2.numpy(), wanted.features2[rows])
        assert move.dtype == torch.int64 and np.array_equal(move.numpy(), wanted.label[rows])
        assert result.shape == value.shape == (256, 1)
        assert np.array_equal(result.numpy()[:, 0], wanted.result[rows]) and np.array_equal(value.numpy()[:, 0], wanted.value[rows])
    assert number == 6  # the rest fills no batch

    with caplog.at_level(logging.WARNING):
        data = kt.HcpeDataLoader.load_files([str(path), str(path) + ".gone"])
    assert len(data) == len(records) and "gone not found" in caplog.text
    np.random.seed(1)
    shuffled = kt.HcpeDataLoader(data, 100, "cpu", shuffle=True)
    np.random.seed(1)
    same = kt.HcpeDataLoader(data, 100, "cpu", shuffle=True)
    first, second, third = ([batch[2].tolist() for batch in loader] for loader in (shuffled, shuffled, same))
    assert first != second and first == third
    assert sorted(flat(first)) != sorted(wanted.label[:1800].tolist())  # the rows of all the file
    sample, another = shuffled.sample(), shuffled.sample()
    assert sample[0].shape == (100, 62, 9, 9) and not torch.equal(sample[0], another[0])
    with pytest.raises(ValueError, match="2000 different rows"):
        kt.HcpeDataLoader(data, 2000, "cpu").sample()
    iterator = iter(shuffled)
    next(iterator)
    assert len(list(iter(shuffled))) == len(shuffled)  # begun again before it ended


# ------------------------------------------------------------------------------------------------------------------------ Bits


@pytest.mark.parametrize("shape", [(62, 9, 9), (57,), (3,), (8,), (2187,)])
def test_unpacking_bits(shape: tuple[int, ...]) -> None:
    bits = np.random.default_rng(1).random((5, *shape)) < 0.5
    packed = np.packbits(bits.reshape(5, -1), axis=1, bitorder="little")
    for dtype in (torch.float32, torch.float16, torch.uint8, torch.bool):
        found = kt.unpack_bits(torch.from_numpy(packed), shape, dtype)
        assert found.dtype == dtype and found.shape == (5, *shape)
        assert np.array_equal(found.numpy().astype(bool), bits)
    with pytest.raises(ValueError, match="packed has"):
        kt.unpack_bits(torch.from_numpy(packed), (*shape, 9), torch.float32)


def test_examples_in_docstrings() -> None:
    import doctest

    done = doctest.testmod(kt)
    assert done.attempted and not done.failed
