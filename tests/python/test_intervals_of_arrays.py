"""Intervals of an array's values through sums along axes, moves and repetitions: sound, and narrow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Ciphertext, Engine
from parties import INSECURE_LOG_N, Party, keyed_party


@pytest.fixture(scope="module")
def party() -> Party:
    return keyed_party(Engine(max_level=12, insecure_log_n=INSECURE_LOG_N))


def lies(x: Ciphertext, low: float, high: float) -> None:
    assert x.interval is not None
    np.testing.assert_allclose(x.interval, (low, high), rtol=1e-9, atol=1e-9)


def test_moves_keep_intervals_and_sums_multiply_them(party: Party) -> None:
    values = np.linspace(1, 2, 20).reshape(4, 5)
    x = party.engine.encrypt(values, party.secret_key, bound=(1, 2))
    for moved in (
        *(x.T, x[::-1], x[1:3], x[:, 0], x[[0, 0, 3]], x[2, 3], x.roll(1), x.roll(1, axis=1), x.reshape(2, 10)),
        *(x.T[1:4].T, x.mean(), x.mean(axis=0), x.mean(axis=1, keepdims=True), x.ravel().roll(3)[2:5]),
    ):
        lies(moved, 1, 2)
    for total, count in ((x.sum(axis=0), 4), (x.sum(axis=1), 5), (x.sum(axis=1, keepdims=True), 5), (x.sum(), 20)):
        lies(total, count, 2 * count)
    # What is made of values that rotations left among others begins with the interval of all slots.
    total = x.sum(axis=0)
    assert (total - total).interval == (0.0, 0.0)
    low, high = (-x.sum(axis=0)).interval or (0.0, 0.0)
    assert low <= -8
    assert high >= -4


@pytest.mark.parametrize("shape", [(4, 5), (30, 4), (2, 3, 4), (1, 6), (6, 1)])
def test_shares_of_sums_need_no_interval(party: Party, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(len(shape)).uniform(1, 2, shape)
    x = party.engine.encrypt(values, party.secret_key, bound=(1, 2))
    for axis in (*range(len(shape)), tuple(range(1, len(shape)))):
        share = x / x.sum(axis=axis, keepdims=True)
        expected = values / values.sum(axis=axis, keepdims=True)
        got = party.engine.decrypt(share, party.secret_key)
        assert share.shape == shape
        np.testing.assert_allclose(got, expected, atol=1e-4)
        rest = party.engine.decrypt(share, party.secret_key, slots=True)[values.size :]
        assert not share._layout.is_clean or np.abs(rest).max(initial=0) < 1e-4


@pytest.mark.parametrize("seed", range(25))
def test_no_value_leaves_its_interval(party: Party, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(int(size) for size in rng.integers(1, 6, rng.integers(1, 4)))
    ends = np.sort(rng.uniform(-2, 2, 2))
    corners: Any = rng.choice(ends, shape) if seed % 3 else rng.uniform(*ends, shape)
    x, a = party.engine.encrypt(corners, party.secret_key, bound=(float(ends[0]), float(ends[1]))), corners
    for _ in range(5):
        axis = int(rng.integers(a.ndim)) if a.ndim else None
        shift, step, keeps = int(rng.integers(-5, 6)), int(rng.choice([-1, 1, 2])), bool(rng.integers(2))
        factor = float(rng.choice([-1, 0.5, 2]))
        functions: list[Any] = [
            lambda u, axis=axis, keeps=keeps: np.sum(u, axis=axis, keepdims=keeps),
            lambda u, axis=axis, keeps=keeps: np.mean(u, axis=axis, keepdims=keeps),
            lambda u, axis=axis, shift=shift: np.roll(u, shift, axis),
            lambda u, step=step: u[..., ::step] if np.ndim(u) else u,
            lambda u: u[-1] if np.ndim(u) else u,
            np.transpose,
            lambda u, factor=factor: factor * u + 0.25,
            lambda u, axis=axis: u - np.mean(u, axis=axis, keepdims=True),
        ]
        function = functions[int(rng.integers(len(functions)))]
        if x.level < 3:
            break
        x, a = function(x), np.asarray(function(a))
        # Values within claims, and the padding, where it is said to be zero.
        assert_claims(x, a, party.secret_key, varied=False)
        assert x.interval is not None
        assert x.interval[0] - 1e-6 <= a.min() <= a.max() <= x.interval[1] + 1e-6
