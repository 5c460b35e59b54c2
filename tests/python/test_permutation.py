"""The order without a table: a bijection, pinned, and random enough."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori.permutation import Permutation, mixed


@given(n=st.integers(1, 3000), seed=st.integers(-(1 << 70), 1 << 70))
def test_it_is_a_bijection(n: int, seed: int) -> None:
    order = Permutation(n, seed)
    found = order(range(n))
    assert np.array_equal(np.sort(found), np.arange(n))
    assert np.array_equal(order.inverse(found), np.arange(n))


@given(n=st.integers(1 << 20, 1 << 62), seed=st.integers(0, 1 << 64), data=st.data())
def test_large_ones_have_inverses(n: int, seed: int, data: st.DataObject) -> None:
    places = np.array([0, n - 1, data.draw(st.integers(0, n - 1))])
    found = Permutation(n, seed)(places)
    assert ((found >= 0) & (found < n)).all()
    assert np.array_equal(Permutation(n, seed).inverse(found), places)


def test_the_order_is_a_contract() -> None:
    # Training runs are resumed by it: these numbers never change.
    assert Permutation(10, 1)(range(10)).tolist() == [9, 8, 7, 3, 2, 1, 4, 6, 0, 5]
    assert Permutation(10**9, 2026)([0, 1, 2, 999_999_999]).tolist() == [620654415, 523901487, 940393296, 658994085]
    assert mixed(1, 2, 3) == 15020427595393229491


def test_blocks_and_shapes_make_no_difference() -> None:
    order = Permutation(100_000, 3)
    whole = order(range(100_000))
    assert np.array_equal(order(np.arange(100_000).reshape(10, -1)).ravel(), whole)
    assert np.array_equal(order(np.arange(5, 50, dtype=np.uint8)), whole[5:50])
    assert order([]).shape == (0,) and len(Permutation(0, 1)(range(0))) == 0
    assert order(7) == whole[7]


def test_every_order_of_few_is_about_as_likely() -> None:
    counts = Counter(tuple(Permutation(4, seed)(range(4)).tolist()) for seed in range(24 * 200))
    assert len(counts) == 24
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 60  # chi-squared with 23 degrees of freedom: 1 in 30,000 is above


def test_neighbors_part() -> None:
    found = Permutation(1_000_000, 7)(range(100_000))
    assert abs(np.corrcoef(found[:-1], found[1:])[0, 1]) < 0.02
    cells = np.histogram(found, 100, (0, 1_000_000))[0]
    assert ((cells - 1000) ** 2 / 1000).sum() < 180  # 99 degrees of freedom


def test_wrong_arguments() -> None:
    with pytest.raises(IndexError, match=r"want 0\.\.9"):
        Permutation(10, 1)([10])
    with pytest.raises(IndexError):
        Permutation(10, 1).inverse([-1])
    with pytest.raises(ValueError, match="want ints"):
        Permutation(10, 1)([0.5])
    with pytest.raises(ValueError, match="n is -1"):
        Permutation(-1, 1)
