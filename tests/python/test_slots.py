"""Rotations follow numpy.roll."""

from __future__ import annotations

import numpy as np
import pytest

from conftest import Party
from everlevel import Engine, RotationKey, errors

TOLERANCE = 1e-3


@pytest.fixture
def message(party: Party, rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(-1, 1, party.engine.slot_count)


@pytest.mark.parametrize("delta", [0, 1, -1, 2, 5, -7, 100, 255, 256, -256, 511, 512, 513, -1000])
def test_rotate_is_numpy_roll(party: Party, rotation_key: RotationKey, message: np.ndarray, delta: int) -> None:
    a = party.engine.encrypt(message, party.public_key)
    result = party.engine.rotate(a, rotation_key, delta)
    assert result.level == a.level
    np.testing.assert_allclose(party.engine.decrypt(result, party.secret_key), np.roll(message, delta), atol=TOLERANCE)


@pytest.mark.parametrize("delta", [1, -1, 37])
def test_fixed_keys(party: Party, message: np.ndarray, delta: int) -> None:
    engine = party.engine
    key = engine.create_fixed_rotation_key(party.secret_key, delta)
    assert key.delta == delta
    a = engine.encrypt(message, party.public_key)
    for result in (engine.rotate(a, key), engine.rotate(a, key, delta), a.rotate(delta)):
        np.testing.assert_allclose(engine.decrypt(result, party.secret_key), np.roll(message, delta), atol=TOLERANCE)
    with pytest.raises(errors.ParameterError, match=f"is for {delta}"):
        engine.rotate(a, key, delta + 1)


@pytest.mark.parametrize("delta", [513, -511, 1 - 512 * 10**20])
def test_amounts_are_those_of_the_shortest_way_round(party: Party, message: np.ndarray, delta: int) -> None:
    key = party.engine.create_fixed_rotation_key(party.secret_key, delta)
    assert key.delta == 1
    a = party.engine.encrypt(message, party.public_key)
    for result in (party.engine.rotate(a, key, delta), a.rotate(delta)):
        np.testing.assert_allclose(party.engine.decrypt(result, party.secret_key), np.roll(message, 1), atol=TOLERANCE)


def test_batches(party: Party, rotation_key: RotationKey, message: np.ndarray) -> None:
    engine, deltas = party.engine, [1, -1, 8, 0, 11]
    a = engine.encrypt(message, party.public_key)
    fixed = [engine.create_fixed_rotation_key(party.secret_key, delta) for delta in deltas]
    for results in (engine.rotate_batch(a, rotation_key, deltas), engine.rotate_batch(a, fixed)):
        assert len(results) == len(deltas)
        for delta, result in zip(deltas, results, strict=True):
            np.testing.assert_allclose(
                engine.decrypt(result, party.secret_key), np.roll(message, delta), atol=TOLERANCE
            )
    assert engine.rotate_batch(a, []) == []
    with pytest.raises(errors.ParameterError, match="deltas are missing"):
        engine.rotate_batch(a, rotation_key)
    with pytest.raises(errors.ParameterError, match="have their own"):
        engine.rotate_batch(a, fixed, deltas)


def test_conjugate(party: Party, rng: np.random.Generator) -> None:
    message = rng.uniform(-1, 1, 8) + 1j * rng.uniform(-1, 1, 8)
    a = party.engine.encrypt(message, party.public_key, bound=1.5)
    for result in (party.engine.conjugate(a, party.conjugation_key), a.conjugate()):
        np.testing.assert_allclose(party.engine.decrypt(result, party.secret_key)[:8], message.conj(), atol=TOLERANCE)


def test_sum_and_roll(party: Party, rotation_key: RotationKey, message: np.ndarray) -> None:
    a = party.engine.encrypt(message, party.public_key)
    total = party.engine.decrypt(party.engine.sum(a, rotation_key), party.secret_key)
    np.testing.assert_allclose(total, message.sum(), atol=10 * TOLERANCE)
    rolled = party.engine.decrypt(party.engine.roll(a, rotation_key, -3), party.secret_key)
    np.testing.assert_allclose(rolled, np.roll(message, -3), atol=TOLERANCE)


def test_operators_take_keys_that_serve_the_level() -> None:
    engine = Engine(max_level=3, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    a = engine.encrypt([1.0, 2.0], secret_key, bound=2)
    engine.create_fixed_rotation_key(secret_key, 1, level=1)
    with pytest.raises(errors.MissingKeyError, match="no rotation key"):
        a.rotate(1)
    assert engine.level_down(a, 1).rotate(1).level == 1
    engine.create_fixed_rotation_key(secret_key, 1)
    np.testing.assert_allclose(engine.decrypt(a.rotate(1), secret_key)[:3], [0, 1, 2], atol=TOLERANCE)
