"""Bulk at real parameters: chains of look-ups of 65,536 integers without a wrong one."""

from __future__ import annotations

import numpy as np
import pytest

from everlevel import bulk


@pytest.mark.slow
@pytest.mark.full_size
@pytest.mark.parametrize(
    ("name", "rounds"),
    [("integer-4-128", 26), ("integer-5-128", 6), ("integer-2-128", 6), ("integer-7-128", 2), ("integer-8-128", 6)],
)
def test_long_chains_of_whole_ciphertexts_are_exact(name: str, rounds: int) -> None:
    engine = bulk.Engine(name)
    secret = engine.create_secret_key()
    engine.create_evaluation_key(secret)
    rng = np.random.default_rng(65536)
    size, count = engine.max_value + 1, engine.bootstrap_size
    values = rng.integers(0, size, count)
    x = engine.encrypt(values, engine.create_public_key(secret))
    alternating = np.arange(size) % 2 * (size - 1)
    for _ in range(rounds):
        tables = [rng.permutation(size), alternating, *rng.integers(0, size, (8, size))]
        found = engine.bootstrap_many(x, tables)
        for y, table in zip(found, tables, strict=True):
            assert np.array_equal(engine.decrypt(y, secret), table[values])
        x, values = found[0], tables[0][values]
