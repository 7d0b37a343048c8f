"""Encrypted random integers and truth values from public seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from everlevel import ntru, tfhe
from everlevel.errors import EngineMismatchError, OperandTypeError, ParameterError, SpaceError

SEED = 2**255 + 12345


@pytest.fixture(scope="module")
def party() -> tuple[tfhe.Engine, tfhe.SecretKey, tfhe.EvaluationKey]:
    engine = tfhe.Engine("insecure-integer-4-64", thread_count=1)
    secret_key = engine.create_secret_key()
    return engine, secret_key, engine.create_evaluation_key(secret_key)


def test_values_are_uniform(party: Any) -> None:
    engine, secret_key, key = party
    drawn = engine.random_uint((50, 40), key, width=8, seed=SEED)
    assert (drawn.shape, drawn.width) == ((50, 40), 8)
    found = np.bincount(engine.decrypt(drawn, secret_key).ravel(), minlength=256)
    # Pearson's statistic of 255 degrees of freedom, with 8 values for each of 256: exceeded by fewer keys than one in
    # 10^13 (Chernoff).
    assert ((found - 2000 / 256) ** 2).sum() / (2000 / 256) < 490
    flags = engine.decrypt(engine.random_bool(1000, key, seed=SEED), secret_key)
    assert flags.dtype == np.bool_
    # Seven deviations: one key in 3 * 10^11.
    assert 389 < flags.sum() < 611


@pytest.mark.parametrize("width", [8, 16, 32, 64, 128, 256])
def test_ranges_of_every_width(party: Any, width: int) -> None:
    engine, secret_key, key = party
    # The topmost bit of 40 values is never set once in 2^40 keys.
    for bits in (1, width - 1, width):
        values = engine.decrypt(engine.random_uint(40, key, width=width, seed=1, bits=bits), secret_key).tolist()
        assert 2 ** (bits - 1) <= max(values) < 2**bits
    signed = engine.random_int(40, key, width=width, seed=1)
    values = engine.decrypt(signed, secret_key).tolist()
    assert isinstance(signed, tfhe.IntArray)
    assert min(values) < 0 < max(values)
    assert min(engine.decrypt(engine.random_int(9, key, width=width, seed=1, bits=width - 1), secret_key)) >= 0


def test_equal_seeds_give_equal_values(party: Any, tmp_path: Path) -> None:
    engine, secret_key, key = party
    key.save(tmp_path / "key")
    other = tfhe.Engine("insecure-integer-4-64", thread_count=2)
    same = other.random_uint((2, 5), other.load(tmp_path / "key"), width=16, seed=SEED)
    values = engine.decrypt(engine.random_uint((2, 5), key, width=16, seed=SEED), secret_key)
    assert (engine.decrypt(engine.load_bytes(same.to_bytes()), secret_key) == values).all()
    longer = engine.decrypt(engine.random_uint(30, key, width=16, seed=SEED), secret_key)
    assert (longer[:10] == values.ravel()).all()
    assert len(set(longer.tolist())) > 20
    again = engine.decrypt(engine.random_uint(10, key, width=16, seed=SEED - 1), secret_key)
    assert (again != values.ravel()).any()
    # They are computed with, and have no values where there are none.
    x = engine.random_uint(3, key, width=8, seed=0)
    assert (engine.decrypt(x + x, secret_key) == 2 * engine.decrypt(x, secret_key)).all()
    assert engine.random_uint((0, 3), key, width=8, seed=0).shape == (0, 3)
    assert engine.random_bool((), key, seed=0).shape == ()


def test_what_is_refused(party: Any) -> None:
    engine, _, key = party
    for options in (
        {"width": 24},
        {"seed": -1},
        {"seed": 2**256},
        {"bits": 0},
        {"bits": 9},
        {"shape": -1},
        {"shape": (2**20, 2**20)},
    ):
        with pytest.raises(ParameterError, match=rf"^random_uint: {next(iter(options))} is"):
            engine.random_uint(**{"shape": 1, "key": key, "width": 8, "seed": 1} | options)
    for options in ({"seed": "x"}, {"seed": 1.0}, {"shape": 1.5}, {"key": None}, {"width": None}, {"bits": "8"}):
        with pytest.raises(OperandTypeError, match=rf"^random_int: {next(iter(options))} is"):
            engine.random_int(**{"shape": 1, "key": key, "width": 8, "seed": 1} | options)
    with pytest.raises(ParameterError, match=r"^random_int: bits is 8"):
        engine.random_int(1, key, width=8, seed=1, bits=8)
    with pytest.raises(EngineMismatchError):
        tfhe.Engine("integer-4-64", thread_count=1).random_bool(1, key, seed=1)
    bits = ntru.Engine("gate-64", insecure_log_n=9, thread_count=1)
    with pytest.raises(SpaceError):
        bits.random_bool(1, bits.create_evaluation_key(bits.create_secret_key()), seed=1)
