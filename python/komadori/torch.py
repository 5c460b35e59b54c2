"""Training data as PyTorch data sets and loaders. Needs torch: ``pip install 'komadori[torch]'``.

``loader`` is the recipe most programs want: every row of some files once an epoch, in a random order over all of them, decoded to tensors, divided among
the ranks of a distributed run, and a ``state_dict`` to go on in the middle of an epoch::

    from komadori.torch import loader

    batches = loader(["a.hcpe", "b.hcpe"], batch_size=1024, seed=1, mirror=0.5)
    for epoch in range(10):
        batches.set_epoch(epoch)
        for batch in batches:
            policy, value = model(batch.features1.to(device), batch.features2.to(device))

Its parts can be used alone: ``HcpeDataset`` is map-style, ``HcpeBatches`` iterable, ``HcpeDataLoader`` stands in for dlshogi's loader of that name, and
``unpack_bits`` widens packed planes on the device. The rules of order, sharding and resuming are described in docs/tools.md.

The order is that of ``komadori.permutation``: row number i of an epoch is computed, so nothing of the size of the data is read or kept. Records are read
where a batch needs them, through the memory maps of ``training.open``.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _install, training
from .permutation import Permutation, mixed

try:
    import torch
    from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info
    from torch.utils.data._utils.collate import default_collate_fn_map
except ImportError as error:
    raise ImportError(f"komadori.torch needs PyTorch ({error}): {_install.extra('torch')}") from error

if TYPE_CHECKING:
    import numpy.typing as npt
    from torch import Tensor

__all__ = ["HcpeBatches", "HcpeDataLoader", "HcpeDataset", "Loader", "PsvBatches", "PsvDataset", "Tensors", "loader", "unpack_bits"]

_BLOCKS_TOGETHER = 64  # blocks of shuffle=<rows> whose rows are mixed with each other

# Bytes of mapped files that may stay in a process, an eighth of the machine's memory: a random order reads all over the files.
_RESIDENT = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 8 if hasattr(os, "sysconf") else 1 << 30

Source = Any  # a path, several paths, training data, an array of records


class Tensors(dict[str, Any]):
    """A batch: tensors by name, which are attributes too. The first axis is the row.

    >>> Tensors(label=torch.zeros(3)).label.shape
    torch.Size([3])
    """

    def __getattr__(self, name: str) -> Tensor:
        try:
            return self[name]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(f"{name} was not asked for: this batch has {', '.join(self)}") from None

    def to(self, device: Any, non_blocking: bool = False) -> Tensors:
        """The same batch on a device."""
        return Tensors({name: tensor.to(device, non_blocking=non_blocking) for name, tensor in self.items()})

    def unpack(self, dtype: torch.dtype = torch.float32) -> Tensors:
        """The same batch with planes that came as bits (``dtype="bits"``) as numbers, made on the device where they are. Masks of bits become bools."""
        made = Tensors(self)
        for name, tensor in self.items():
            if tensor.dtype != torch.uint8 or tensor.ndim != 2:
                continue
            size = tensor.shape[1]
            if name in ("features1", "planes"):
                made[name] = unpack_bits(tensor, (8 * size // 81, 9, 9), dtype)
            elif name == "features2":
                made[name] = unpack_bits(tensor, (57 if size == 8 else 119, 9, 9), dtype)
            elif name == "mask":
                made[name] = unpack_bits(tensor, (2187 if size == 274 else 1496,), torch.bool)
        return made


# ------------------------------------------------------------------------------------------------------------------ Decoding


class _Decoder:
    """Rows of training data to tensors."""

    def __init__(
        self,
        source: Source,
        format: str | None,
        outputs: Iterable[str] | None,
        mirror: float | bool | None,
        seed: int,
        threads: int | None,
        on_error: str,
        options: dict[str, Any],
    ) -> None:
        if on_error not in ("raise", "drop"):
            raise ValueError(f"on_error is {on_error!r}, want 'raise' or 'drop'")
        if mirror is not None and not 0 <= mirror <= 1:
            raise ValueError(f"mirror is {mirror}, want a probability")
        self.data = training.open(source, format)
        self.data.resident = max(self.data.resident, _RESIDENT)
        self.mirror = float(mirror or 0)
        self.seed = seed
        self.threads = threads
        self.on_error = on_error
        self.pin = False  # batches of this process go into page-locked memory
        self.pool = _Pool()
        self.options = options | {"outputs": None if outputs is None else [name for name in outputs if name != "row"]}
        # An argument that is wrong is wrong here. The width of sparse policies is known where policy_width says it.
        made = training.decode(self.data[:0], **self.options).arrays
        self.names = tuple(made if outputs is None else outputs)
        self.kinds = {name: (array.shape[1:], _TORCH[array.dtype.name]) for name, array in made.items() if 0 not in array.shape[1:]}

    def decode(self, rows: npt.NDArray[np.int64], epoch: int) -> Tensors:
        """The records of the given numbers, in that order."""
        first = int(rows[0]) if len(rows) else 0
        together = bool((rows == np.arange(first, first + len(rows))).all())
        records = self.data[first : first + len(rows)] if together else self.data[rows]
        mirror = None if self.mirror == 0 else (self.mirror, mixed(self.seed, epoch, 1))
        worker = get_worker_info()
        threads = self.threads if self.threads is not None or worker is None else 1
        make = _shared if worker is not None else _pinned if self.pin else self.pool.take
        tensors = {name: make((len(rows), *shape), kind) for name, (shape, kind) in self.kinds.items()}
        options = self.options | {"outputs": [name for name in self.names if name != "row"]}
        out = {name: tensor.numpy() for name, tensor in tensors.items()}
        batch = training.decode(records, **options, mirror=mirror, rows=rows, threads=threads, out=out, on_error="report")
        tensors |= {name: torch.from_numpy(array) for name, array in batch.arrays.items() if name not in tensors}
        if "row" in self.names:
            tensors["row"] = torch.from_numpy(rows.copy())
        if len(batch.bad_rows):
            if self.on_error == "raise":
                error = batch.errors[0]
                row = int(rows[batch.bad_rows[0]])
                error.row = row  # type: ignore[attr-defined]
                error.args = (f"{error.args[0]} of a batch, record {row} of the data", *error.args[1:])
                raise error
            good = np.ones(len(rows), np.bool_)
            good[batch.bad_rows] = False
            kept = torch.from_numpy(good)
            tensors = {name: tensor[kept] for name, tensor in tensors.items()}
        return Tensors({name: tensors[name] for name in self.names})


_TORCH = {
    "float32": torch.float32,
    "float16": torch.float16,
    "uint8": torch.uint8,
    "bool": torch.bool,
    "int16": torch.int16,
    "int32": torch.int32,
    "int64": torch.int64,
} | {name: getattr(torch, name) for name in ("uint16", "uint32", "uint64") if hasattr(torch, name)}


class _Pool:
    """Memory of batches that nobody holds any more, to be filled again: the system's work for fresh memory can take longer than decoding into it."""

    _MOST = 8  # pieces of a size that wait here

    def __init__(self) -> None:
        self._free: dict[int, deque[npt.NDArray[np.uint8]]] = {}

    def take(self, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        """A tensor of any content. Its memory comes back when the last tensor that shares it is gone."""
        size = int(np.prod(shape)) * torch.empty(0, dtype=dtype).element_size()
        if size < _WORTH_KEEPING:
            return torch.empty(shape, dtype=dtype)
        waiting = self._free.setdefault(size, deque())
        try:
            memory = waiting.pop()
        except IndexError:
            memory = np.empty(size, np.uint8)
        lent = memory[:]  # the object that tensors of this memory keep alive
        weakref.finalize(lent, _give_back, waiting, memory).atexit = False
        return torch.from_numpy(lent).view(dtype).view(shape)

    def __reduce__(self) -> Any:
        return (_Pool, ())


_WORTH_KEEPING = 1 << 16  # bytes


def _give_back(waiting: deque[npt.NDArray[np.uint8]], memory: npt.NDArray[np.uint8]) -> None:
    if len(waiting) < _Pool._MOST:
        waiting.append(memory)


def _pinned(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """A tensor in page-locked memory, which torch keeps and lends again."""
    return torch.empty(shape, dtype=dtype, pin_memory=True)


def _shared(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """A tensor in memory that the process of the training loop shares: a worker's batch is written once and never copied."""
    like = torch.empty(0, dtype=dtype)
    count = int(np.prod(shape))
    storage = torch.UntypedStorage._new_shared(max(1, count * like.element_size()))
    return like.new(storage)[:count].view(shape)


# ---------------------------------------------------------------------------------------------------------------------- Order


class _Order:
    """In which order the rows of an epoch come: a function of the epoch and the seed alone."""

    def __init__(self, n: int, seed: int, epoch: int, shuffle: bool | int) -> None:
        self.n = n
        self.shuffle = shuffle
        self.block = 0
        if shuffle is True:
            self.rows = Permutation(n, mixed(seed, epoch, 0))
        elif shuffle:
            self.block = int(shuffle)
            self.blocks = Permutation(n // self.block, mixed(seed, epoch, 0))
            self.turn = mixed(seed, epoch, 2) % max(1, n)  # blocks begin elsewhere in every epoch, and so does the piece that is no whole block
            self.group = self.block * _BLOCKS_TOGETHER
            self.seed = mixed(seed, epoch, 3)

    def __call__(self, start: int, stop: int) -> npt.NDArray[np.int64]:
        """The rows at places start to stop of the epoch."""
        if self.shuffle is True:
            return self.rows(range(start, stop))
        if not self.shuffle:
            return np.arange(start, stop, dtype=np.int64)
        parts = []
        while start < stop:
            # Groups of whole blocks, the last of which may be of fewer; then the rest of the rows.
            blocks = len(self.blocks) * self.block
            group, inside = divmod(start, self.group) if start < blocks else (-1, start - blocks)
            first = group * self.group if group >= 0 else blocks
            size = min(self.group, blocks - first) if group >= 0 else self.n - blocks
            count = min(stop - start, size - inside)
            places = Permutation(size, mixed(self.seed, group))(range(inside, inside + count)) + first
            if group >= 0:
                which, at = np.divmod(places, self.block)
                places = self.blocks(which) * self.block + at
            parts.append((places + self.turn) % self.n)
            start += count
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)


class _Plan:
    """How places start..n of an epoch are divided into steps, and each step among the ranks.

    A full step is world_size * batch_size places, and each rank takes its slice. The places that are left make one more step that is divided evenly; where
    they are fewer than the ranks, the last two steps are divided evenly instead, so that no rank's batch is empty and all have equally many.
    """

    def __init__(self, start: int, n: int, batch_size: int, world_size: int, drop_last: bool) -> None:
        size = batch_size * world_size
        full, rest = divmod(max(0, n - start), size)
        self.start, self.size = start, size
        self.ends: list[int] = []  # of the steps after the full ones
        if rest and not drop_last:
            if rest < world_size and full and batch_size > 1:
                full -= 1
                self.ends.append(start + full * size + (size + rest + 1) // 2)
            self.ends.append(n)
        self.full = full
        self.world_size = world_size

    def __len__(self) -> int:
        return self.full + len(self.ends)

    def step(self, number: int) -> tuple[int, int]:
        """Places of a step, all ranks together."""
        if number < self.full:
            return self.start + number * self.size, self.start + (number + 1) * self.size
        after = number - self.full
        return (self.ends[after - 1] if after else self.start + self.full * self.size), self.ends[after]

    def slice(self, number: int, rank: int) -> tuple[int, int]:
        """Places of a rank's batch."""
        start, stop = self.step(number)
        n = stop - start
        return start + n * rank // self.world_size, start + n * (rank + 1) // self.world_size


class _Place(NamedTuple):
    """Where in the data a loop stands: at ``step`` of the plan that begins at place ``start`` of an epoch."""

    epoch: int = 0
    start: int = 0
    step: int = 0


class _SharedPlace:
    """A place that workers see too, persistent ones included."""

    def __init__(self) -> None:
        self.tensor = torch.zeros(3, dtype=torch.int64).share_memory_()

    def get(self) -> _Place:
        return _Place(*map(int, self.tensor))

    def set(self, place: _Place) -> None:
        self.tensor[:] = torch.tensor(place)


def _rank(rank: int | None, world_size: int | None) -> tuple[int, int]:
    """The rank of this process: as given, as torch.distributed says, as torchrun's environment says, or the only one."""
    if (rank is None) != (world_size is None):
        raise ValueError("give both rank and world_size, or neither")
    if rank is None or world_size is None:
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            rank, world_size = torch.distributed.get_rank(), torch.distributed.get_world_size()
        else:
            rank, world_size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    if not 0 <= rank < world_size:
        raise ValueError(f"rank is {rank} and world_size {world_size}, want 0 <= rank < world_size")
    return rank, world_size


# ------------------------------------------------------------------------------------------------------------------- Data sets


class HcpeDataset(Dataset):
    """Map-style data set: ``len``, one row by number, and the rows of a batch in one call. For samplers of one's own.

    A plain ``DataLoader(HcpeDataset(path), batch_size=256, shuffle=True)`` gives whole batches as ``Tensors``: PyTorch asks for the rows of a batch
    together (``__getitems__``), which is one call of ``training.decode``.

    Args:
        source: A path, several paths, what ``training.open`` gives, or an array of records.
        format: As for ``training.open``.
        outputs: Names of the tensors, as for ``training.decode``, and "row" for the number of the record. None for the planes and label, value, result.
        mirror: Probability that a row's files are mirrored. Which rows are is decided by seed, epoch and row number.
        seed: Of mirroring.
        threads: Threads that decode; None for 1 in a worker of a DataLoader, else as many as ``set_threads`` says.
        on_error: "raise" raises the error of a bad row, its ``.row`` the number of the record; "drop" leaves bad rows out, so batches may be smaller.
        options: Other arguments of ``training.decode``.

    The data set is pickled by its paths; files are opened again where it arrives.
    """

    def __init__(
        self,
        source: Source,
        *,
        format: str | None = None,
        outputs: Iterable[str] | None = None,
        mirror: float | bool | None = None,
        seed: int = 0,
        threads: int | None = None,
        on_error: str = "raise",
        **options: Any,
    ) -> None:
        self._decoder = _Decoder(source, format, outputs, mirror, seed, threads, on_error, options)
        self._place = _SharedPlace()

    @property
    def data(self) -> Any:
        """The records."""
        return self._decoder.data

    def set_epoch(self, epoch: int) -> None:
        """Other rows are mirrored in another epoch. Workers notice it at their next batch."""
        self._place.set(_Place(epoch))

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, row: int) -> Tensors:
        n = len(self)
        if not -n <= row < n:
            raise IndexError(f"row {row} of {n}")
        batch = self._decoder.decode(np.array([row % n], np.int64), self._place.get().epoch)
        if not len(next(iter(batch.values()))):
            raise IndexError(f"row {row} is bad, and bad rows are dropped: a batch is needed for that")
        return Tensors({name: tensor[0] for name, tensor in batch.items()})

    def __getitems__(self, rows: Sequence[int]) -> _Whole:
        return _Whole([self._decoder.decode(np.asarray(rows, np.int64), self._place.get().epoch)])


class _Whole(list[Tensors]):
    """What a DataLoader gets for the rows of a batch: one finished batch instead of samples to be stacked."""


def _collate(batch: Any, *, collate_fn_map: Any = None) -> Tensors:
    if isinstance(batch, _Whole):
        return batch[0]
    return Tensors({name: torch.stack([sample[name] for sample in batch]) for name in batch[0]})


default_collate_fn_map[Tensors] = _collate  # torch's own way to teach default_collate a type


class HcpeBatches(IterableDataset):
    """Iterable data set of whole batches: an epoch in a global random order, divided among ranks and workers without overlap and without loss.

    Give it to a ``DataLoader`` with ``batch_size=None``, and call ``set_epoch`` before every epoch: without it, workers give the same epoch again. Batch
    number b of a rank is made by worker b modulo their number, and a DataLoader takes them by turns: the batches and their order are the same with any number
    of workers.

    Args:
        source, format, outputs, mirror, threads, on_error, options: As for ``HcpeDataset``.
        batch_size: Rows of a batch, on each rank.
        shuffle: True for a random order of all rows; False for the order of the files; a number of rows for an order that reads that many neighbors together
            and mixes 64 such blocks at a time, for files that are much larger than memory.
        seed: Of order and mirroring. All ranks need the same one.
        drop_last: Leave out the rows that fill no batch on all ranks. False delivers every row once; all ranks still have equally many batches (unless
            batch_size is 1 or there are fewer rows than ranks).
        rank, world_size: Which part of how many this is; None asks torch.distributed, then torchrun's environment variables.
    """

    def __init__(
        self,
        source: Source,
        batch_size: int,
        *,
        format: str | None = None,
        shuffle: bool | int = True,
        seed: int = 0,
        drop_last: bool = False,
        rank: int | None = None,
        world_size: int | None = None,
        outputs: Iterable[str] | None = None,
        mirror: float | bool | None = None,
        threads: int | None = None,
        on_error: str = "raise",
        **options: Any,
    ) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}, want 1 or more")
        if shuffle < 0:
            raise ValueError(f"shuffle is {shuffle}, want True, False or a number of rows")
        self._decoder = _Decoder(source, format, outputs, mirror, seed, threads, on_error, options)
        self.batch_size = batch_size
        self.shuffle: bool | int = bool(shuffle) if shuffle in (0, 1) else int(shuffle)
        self.seed = seed
        self.drop_last = drop_last
        self.rank, self.world_size = _rank(rank, world_size)
        self._place = _SharedPlace()  # where the next iteration begins
        self._at = _Place()  # where the present one stands, in this process
        self._loaded: _Place | None = None  # the place of a state that no iteration has begun at

    @property
    def data(self) -> Any:
        """The records."""
        return self._decoder.data

    @property
    def epoch(self) -> int:
        """The epoch of the next iteration."""
        return self._place.get().epoch

    def set_epoch(self, epoch: int) -> None:
        """The epoch of the next iteration: another order, other mirrored rows. Reaches the workers of a DataLoader, persistent ones too.

        It begins at its beginning, or, right after ``load_state_dict`` with a state of that epoch, where the state was taken.
        """
        if self._loaded is None or self._loaded.epoch != epoch:
            self._begin(_Place(epoch))

    def _begin(self, place: _Place) -> None:
        self._place.set(place)
        self._at, self._loaded = place, None

    def __len__(self) -> int:
        """Batches of a whole epoch on this rank."""
        plan = self._plan(0)
        return plan.full + sum(1 for _ in self._steps(plan, plan.full, 1))

    def _plan(self, start: int) -> _Plan:
        return _Plan(start, len(self.data), self.batch_size, self.world_size, self.drop_last)

    def _steps(self, plan: _Plan, first: int, every: int) -> Iterator[tuple[int, int, int]]:
        for number in range(first, len(plan), every):
            start, stop = plan.slice(number, self.rank)
            if start < stop:
                yield number, start, stop

    def __iter__(self) -> Iterator[Tensors]:
        info = get_worker_info()
        workers, worker = (1, 0) if info is None else (info.num_workers, info.id)
        own = self._loaded if info is not None else None  # a state that this worker saved names its own next step
        place = own or self._place.get()
        self._loaded = None
        order = _Order(len(self.data), self.seed, place.epoch, self.shuffle)
        plan = self._plan(place.start)
        first = place.step if own else worker
        self._at = place._replace(step=first)
        for number, start, stop in self._steps(plan, first, workers):
            batch = self._decoder.decode(order(start, stop), place.epoch)
            self._at = place._replace(step=number + workers)
            yield batch
        self._at = _Place(place.epoch + 1)
        if info is None:
            self._place.set(self._at)

    def state_dict(self) -> dict[str, int]:
        """Where the iteration of this process stands: with it ``load_state_dict`` goes on with the next batch.

        In the process of the training loop, without workers, or with torchdata's StatefulDataLoader, which asks every worker. A plain DataLoader reads ahead:
        there ``loader`` counts what the training loop has got.
        """
        return _state(self, self._at)

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        """The next iteration goes on where the state was taken. Batch size and world size may have changed: it begins after the rows that all ranks had got."""
        if get_worker_info() is None:
            self._begin(_loaded(self, state))
        self._loaded = self._at = _loaded(self, state, whole=False)


def _state(of: HcpeBatches, place: _Place) -> dict[str, int]:
    return {
        "version": 1,
        "rows": len(of.data),
        "seed": of.seed,
        "shuffle": int(of.shuffle),
        "batch_size": of.batch_size,
        "world_size": of.world_size,
        **place._asdict(),
    }


def _loaded(of: HcpeBatches, state: Mapping[str, int], whole: bool = True) -> _Place:
    """The place of a state; ``whole`` is that of a plan which begins there, at step 0."""
    if state.get("version") != 1:
        raise ValueError(f"a state of version {state.get('version')}, want 1")
    for name, now in (("rows", len(of.data)), ("seed", of.seed), ("shuffle", int(of.shuffle))):
        if state[name] != now:
            raise ValueError(f"the state was taken with {name}={state[name]}, this is {name}={now}: its order is another")
    place = _Place(state["epoch"], state["start"], state["step"])
    if whole or (state["batch_size"], state["world_size"]) != (of.batch_size, of.world_size):
        plan = _Plan(place.start, len(of.data), state["batch_size"], state["world_size"], of.drop_last)
        reached = plan.step(place.step)[0] if place.step < len(plan) else len(of.data)
        place = _Place(place.epoch, reached, 0)
    return place


PsvDataset = HcpeDataset
"""The same class: the data says what its records are."""

PsvBatches = HcpeBatches
"""The same class: the data says what its records are."""


# --------------------------------------------------------------------------------------------------------------------- Loaders


class Loader:
    """Batches for a training loop; made by ``loader``. Iterate once an epoch.

    Every iteration gives the next epoch, also after one that was left early, unless ``load_state_dict`` or ``set_epoch`` said where to begin.

    Attributes:
        dataset: The HcpeBatches behind it.
    """

    def __init__(self, dataset: HcpeBatches, ahead: int, device: Any, pin_memory: bool, options: dict[str, Any]) -> None:
        self.dataset = dataset
        self._ahead, self._device, self._pin = ahead, device, pin_memory
        self._loader = DataLoader(dataset, batch_size=None, pin_memory=pin_memory, **options) if options["num_workers"] else None
        dataset._decoder.pin = pin_memory and not options["num_workers"]
        self._next = _Place()  # the next batch that the training loop has not got
        self._begun = self._loaded = False  # whether an iteration has begun there, and whether a state put it there

    def __len__(self) -> int:
        """Batches of a whole epoch on this rank."""
        return len(self.dataset)

    @property
    def epoch(self) -> int:
        """The epoch of the running iteration, or of the next one."""
        return self._next.epoch

    def set_epoch(self, epoch: int) -> None:
        """The next iteration gives this epoch, from its beginning; or, right after ``load_state_dict`` with a state of that epoch, from where it was taken."""
        if not (self._loaded and self._next.epoch == epoch):
            self._next, self._begun, self._loaded = _Place(epoch), False, False

    def state_dict(self) -> dict[str, int]:
        """Where the training loop stands: after the batch it got last, whatever workers have read ahead. Plain ints, for ``torch.save`` or JSON."""
        return _state(self.dataset, self._next)

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        """The next iteration goes on after the last batch that had been got when the state was taken; then epochs follow as ever."""
        self._next, self._begun, self._loaded = _loaded(self.dataset, state), False, True

    def __iter__(self) -> Iterator[Tensors]:
        if self._begun:  # and left early
            self._next = _Place(self._next.epoch + 1)
        self._begun, self._loaded = True, False
        place = self._next
        self.dataset._begin(place)
        if self._loader is not None:
            source = iter(self._loader)
        elif self._ahead:
            source = _read_ahead(iter(self.dataset), self._ahead, self._pinned)
        else:
            source = map(self._pinned, self.dataset)
        plan = self.dataset._plan(place.start)
        for number, _, _ in self.dataset._steps(plan, 0, 1):
            batch = next(source)
            self._next = place._replace(step=number + 1)
            yield batch if self._device is None else batch.to(self._device, non_blocking=True)
        for _ in source:  # the workers find their ends
            raise AssertionError("a batch more than the plan has")
        self._next, self._begun = _Place(place.epoch + 1), False

    def _pinned(self, batch: Tensors) -> Tensors:
        return Tensors({name: tensor.pin_memory() for name, tensor in batch.items()}) if self._pin else batch


def loader(
    source: Source,
    batch_size: int,
    *,
    shuffle: bool | int = True,
    seed: int = 0,
    drop_last: bool = False,
    num_workers: int = 0,
    prefetch_factor: int = 2,
    pin_memory: bool | None = None,
    persistent_workers: bool = True,
    multiprocessing_context: Any = None,
    timeout: float = 0,
    device: Any = None,
    rank: int | None = None,
    world_size: int | None = None,
    **options: Any,
) -> Loader:
    """A ready loader of training data.

    Args:
        source, batch_size, shuffle, seed, drop_last, rank, world_size, options: As for ``HcpeBatches``.
        num_workers: Processes that decode. 0, the quickest on most machines, decodes in a thread of this process on all cores: nothing is copied between
            processes, and the library does not hold Python's lock while it works.
        prefetch_factor: Batches read ahead, by each worker or by the thread; 0 with no workers decodes where a batch is asked for.
        pin_memory: False leaves batches out of page-locked memory where there is a CUDA device; without one they always are.
        persistent_workers, multiprocessing_context, timeout: As for ``torch.utils.data.DataLoader``. "fork", "forkserver" and "spawn" all work.
        device: Where to move batches to; None leaves them on the processor.

    Returns:
        A ``Loader``. Every epoch it gives ``len(loader)`` ``Tensors``.
    """
    pin = torch.cuda.is_available() and pin_memory is not False
    dataset = HcpeBatches(source, batch_size, shuffle=shuffle, seed=seed, drop_last=drop_last, rank=rank, world_size=world_size, **options)
    workers: dict[str, Any] = {"num_workers": num_workers}
    if num_workers:
        workers |= {
            "prefetch_factor": max(1, prefetch_factor),
            "persistent_workers": persistent_workers,
            "multiprocessing_context": multiprocessing_context,
            "timeout": timeout,
        }
    return Loader(dataset, prefetch_factor, device, pin, workers)


_END = object()


def _read_ahead(source: Iterator[Tensors], depth: int, finish: Callable[[Tensors], Any]) -> Iterator[Any]:
    """The items of an iterator, made by a thread that keeps at most ``depth`` of them ready."""
    ready: queue.Queue[Any] = queue.Queue(depth)
    stop = threading.Event()

    def put(item: Any) -> bool:
        while not stop.is_set():
            try:
                ready.put(item, timeout=0.1)
                return True
            except queue.Full:
                pass
        return False

    def work() -> None:
        try:
            for item in source:
                if not put(finish(item)):
                    return
            put(_END)
        except BaseException as error:
            put(error)

    thread = threading.Thread(target=work, name="komadori-read-ahead", daemon=True)
    thread.start()
    try:
        while (item := ready.get()) is not _END:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        thread.join()


class HcpeDataLoader:
    """In the place of dlshogi's data loader of HCPE files: the same arguments, ``sample()`` and batches.

    Args:
        files: A path, a list of paths, or what ``load_files`` gave.
        batch_size: Rows of a batch. Rows at the end of an epoch that fill none are left out, as there.
        device: A torch device or its name.
        shuffle: A new random order of all rows in every epoch. The data is neither read whole nor moved.
        seed: Of order and samples; None draws one from NumPy's global generator, which ``np.random.seed`` sets.
        options: Other arguments of ``training.decode``, and ``mirror`` as for ``HcpeDataset``.

    An iteration, and ``sample()``, give ``(features1, features2, move, result, value)`` on the device: float32 ``(n, 62, 9, 9)`` and ``(n, 57, 9, 9)``,
    int64 ``(n,)``, float32 ``(n, 1)`` twice. The next batch is decoded by a thread meanwhile.
    """

    def __init__(self, files: Source, batch_size: int, device: Any, shuffle: bool = False, *, seed: int | None = None, **options: Any) -> None:
        self.device = torch.device(device)
        self.batch_size = batch_size
        self.shuffle = shuffle
        seed = int(np.random.randint(1 << 62)) if seed is None else seed
        outputs = ("features1", "features2", "label", "result", "value")
        self._batches = HcpeBatches(files, batch_size, shuffle=shuffle, seed=seed, drop_last=True, rank=0, world_size=1, outputs=outputs, **options)
        self._batches._decoder.pin = self.device.type == "cuda"
        self._epoch = self._samples = 0
        self._running: Iterator[tuple[Tensor, ...]] | None = None

    @staticmethod
    def load_files(files: Iterable[str | os.PathLike[str]]) -> Any:
        """Opens files as one; names that do not exist are left out with a warning of ``logging``."""
        found = []
        for path in files:
            if os.path.exists(path):
                logging.info(os.fspath(path))
                found.append(path)
            else:
                logging.warning("%s not found, skipping", os.fspath(path))
        return training.open(found)

    @property
    def data(self) -> Any:
        """The records."""
        return self._batches.data

    def __len__(self) -> int:
        """Batches of an epoch."""
        return len(self._batches)

    def sample(self) -> tuple[Tensor, ...]:
        """A batch of different rows, drawn at random."""
        if self.batch_size > len(self.data):
            raise ValueError(f"a sample of {self.batch_size} different rows, of {len(self.data)}")
        self._samples += 1
        rows = Permutation(len(self.data), mixed(self._batches.seed, self._samples, 4))(range(self.batch_size))
        return self._finished(self._batches._decoder.decode(rows, self._epoch))

    def __iter__(self) -> HcpeDataLoader:
        if isinstance(self._running, Iterator) and hasattr(self._running, "close"):
            self._running.close()
        self._batches.set_epoch(self._epoch)
        self._epoch += 1
        self._running = _read_ahead(iter(self._batches), 1, self._finished)
        return self

    def __next__(self) -> tuple[Tensor, ...]:
        if self._running is None:
            iter(self)
            assert self._running is not None
        return next(self._running)

    def _finished(self, batch: Tensors) -> tuple[Tensor, ...]:
        tensors = (batch.features1, batch.features2, batch.label, batch.result.view(-1, 1), batch.value.view(-1, 1))
        return tuple(tensor.to(self.device) for tensor in tensors)


# ------------------------------------------------------------------------------------------------------------------------ Bits


def unpack_bits(packed: Tensor, shape: Sequence[int], dtype: torch.dtype = torch.float32) -> Tensor:
    """Bits to numbers, on the device where they are.

    Args:
        packed: ``uint8``, shape ``(n, bytes)``; the lowest bit of a byte comes first.
        shape: Shape of a row of the result, such as ``(62, 9, 9)`` for features1. Where ``packed`` has no more than a bit for each plane, as features2 has, all
            of a plane is that bit.
        dtype: Of the result.

    Returns:
        Zeros and ones, shape ``(n, *shape)``. A new tensor; planes of one bit are a view that repeats it.

    >>> unpack_bits(torch.tensor([[0b101]], dtype=torch.uint8), (3,)).tolist()
    [[1.0, 0.0, 1.0]]
    """
    count = int(np.prod(shape))
    if packed.dtype == torch.uint8 and packed.ndim == 2 and len(shape) == 3 and packed.shape[1] == (shape[0] + 7) // 8:
        return unpack_bits(packed, shape[:1], dtype)[:, :, None, None].expand(len(packed), *shape)
    if packed.dtype != torch.uint8 or packed.ndim != 2 or packed.shape[1] != (count + 7) // 8:
        raise ValueError(f"packed has dtype {packed.dtype} and shape {tuple(packed.shape)}, want torch.uint8 and (n, {(count + 7) // 8})")
    places = torch.arange(8, dtype=torch.uint8, device=packed.device)
    bits = (packed.unsqueeze(-1) >> places) & 1
    return bits.view(len(packed), -1)[:, :count].to(dtype).view(len(packed), *shape)
