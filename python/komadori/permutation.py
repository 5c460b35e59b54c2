"""A random order of any number of things without a table of them.

``Permutation(n, seed)`` is a bijection of ``0..n-1`` computed where it is asked for: a Feistel network over two halves of mixed radix, walked on while it
leaves the range (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002). The same ``n`` and seed give the same order on every machine and in every
version: it is a contract, since training runs are resumed by it.

>>> order = Permutation(5, seed=1)
>>> order(range(5)).tolist(), order.inverse(order(range(5))).tolist()
([2, 3, 0, 1, 4], [0, 1, 2, 3, 4])
"""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Permutation", "mixed"]

_MASK = (1 << 64) - 1
_ROUNDS, _ROUNDS_OF_FEW = 6, 24  # few things have few rounds' worth of different functions
_GOLDEN = 0x9E3779B97F4A7C15
_MIX1, _MIX2 = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_BLOCK = 1 << 14  # indices at a time: the steps stay in the cache


def mixed(*numbers: int) -> int:
    """64 bits that depend on every bit of every number given, and on their order: a seed made from a seed and what it is for.

    SplitMix64's finalizer (Steele, Lea and Flood, 2014), chained.
    """
    state = 0
    for number in numbers:
        while True:
            state = (state ^ (number & _MASK)) + _GOLDEN & _MASK
            state = (state ^ state >> 30) * _MIX1 & _MASK
            state = (state ^ state >> 27) * _MIX2 & _MASK
            state ^= state >> 31
            number >>= 64
            if number in (0, -1):
                break
    return state


class Permutation:
    """A bijection of ``0..n-1``.

    Args:
        n: How many things, up to 2^62.
        seed: Any int; another seed gives another order.
    """

    __slots__ = ("_keys", "_left", "_right", "n", "seed")

    def __init__(self, n: int, seed: int) -> None:
        if not 0 <= n <= 1 << 62:
            raise ValueError(f"n is {n}, want 0..2^62")
        self.n = n
        self.seed = seed
        # The smallest rectangle of about equal sides that holds n cells: walking on is needed for less than one in sqrt(n).
        self._right = max(1, isqrt(n - 1) + 1 if n else 1)
        self._left = max(1, -(-n // self._right))
        self._keys = [mixed(seed, n, number) for number in range(_ROUNDS if n > 1 << 12 else _ROUNDS_OF_FEW)]

    def __call__(self, indices: Any) -> npt.NDArray[np.int64]:
        """What stands at the given places of the order: ints of ``0..n-1`` of any number. A new array of the same shape, dtype ``int64``."""
        return self._blocks(indices, False)

    def inverse(self, things: Any) -> npt.NDArray[np.int64]:
        """At which places of the order the given things stand."""
        return self._blocks(things, True)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"Permutation({self.n}, seed={self.seed})"

    def _blocks(self, indices: Any, back: bool) -> npt.NDArray[np.int64]:
        import numpy as np

        if isinstance(indices, range):
            indices = np.arange(indices.start, indices.stop, indices.step, dtype=np.int64)
        given = np.asarray(indices)
        if given.dtype.kind not in "iu" and given.size:
            raise ValueError(f"indices have dtype {given.dtype}, want ints")
        if given.size and (given.min() < 0 or given.max() >= self.n):
            raise IndexError(f"indices reach from {given.min()} to {given.max()}, want 0..{self.n - 1}")
        flat = given.reshape(-1).astype(np.uint64)
        for start in range(0, len(flat), _BLOCK):
            block = self._once(flat[start : start + _BLOCK], back)
            outside = np.flatnonzero(block >= self.n)
            while len(outside):
                walked = self._once(block[outside], back)
                block[outside] = walked
                outside = outside[walked >= self.n]
            flat[start : start + _BLOCK] = block
        return flat.reshape(given.shape).view(np.int64)

    def _once(self, x: npt.NDArray[np.uint64], back: bool) -> npt.NDArray[np.uint64]:
        import numpy as np

        left = x // np.uint64(self._right)
        right = x - left * np.uint64(self._right)
        for number in reversed(range(len(self._keys))) if back else range(len(self._keys)):
            # Rounds change the two halves by turns; each adds a number that the other half and the key decide.
            half, other, size = (left, right, self._left) if number % 2 == 0 else (right, left, self._right)
            added = _drawn(other, self._keys[number], size)
            if back:
                half += np.uint64(size)
                half -= added
            else:
                half += added
            np.minimum(half, half - np.uint64(size), out=half)  # back into 0..size-1: below 0 is above everything
        left *= np.uint64(self._right)
        left += right
        return left


def _drawn(x: npt.NDArray[np.uint64], key: int, size: int) -> npt.NDArray[np.uint64]:
    """A number below ``size`` (at most 2^32) for every x (below 2^32)."""
    import numpy as np

    h = x + np.uint64(key)
    h *= np.uint64(_MIX1)
    h ^= h >> np.uint64(32)
    h *= np.uint64(_MIX2)
    h >>= np.uint64(32)
    h *= np.uint64(size)
    h >>= np.uint64(32)
    return h
