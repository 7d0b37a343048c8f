"""Rotations follow numpy.roll."""

from __future__ import annotations

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Engine, EvaluationKey, RotationKey, errors
from everlevel._common.slot_shapes import SLOTS
from everlevel.ckks._slots import twice_parts
from parties import Party


@pytest.fixture
def message(party: Party, rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(-1, 1, party.engine.slot_count)


@pytest.mark.parametrize("delta", [0, 1, -1, 2, 5, -7, 100, 255, 256, -256, 511, 512, 513, -1000])
def test_rotate_is_numpy_roll(party: Party, rotation_key: RotationKey, message: np.ndarray, delta: int) -> None:
    a = party.engine.encrypt(message, party.public_key)
    result = party.engine.rotate(a, rotation_key, delta)
    assert result.level == a.level
    assert_claims(result, np.roll(message, delta), party.secret_key)


@pytest.mark.parametrize("turn", [1, 1j, 0.6 - 0.8j, 1e-9j, 0])
def test_parts_of_slots_are_real(party: Party, message: np.ndarray, turn: complex) -> None:
    values = message[::-1] * turn + 0.25 * message * (turn != 0)
    a = party.engine.encrypt(values, party.public_key, bound=1.25)
    parts = twice_parts(party.engine, a, EvaluationKey([party.conjugation_key]))
    for part, expected in zip(parts, (2 * values.real, 2 * values.imag), strict=True):
        assert part.is_real
        assert part.level == a.level
        assert_claims(part, expected, party.secret_key)


@pytest.mark.parametrize("delta", [1, -1, 37])
def test_fixed_keys(party: Party, message: np.ndarray, delta: int) -> None:
    engine = party.engine
    key = engine.create_fixed_rotation_key(party.secret_key, delta)
    assert key.delta == delta
    a = engine.encrypt(message, party.public_key)
    for result in (engine.rotate(a, key), engine.rotate(a, key, delta), a.rotate(delta)):
        assert_claims(result, np.roll(message, delta), party.secret_key)
    with pytest.raises(errors.ParameterError, match=f"is for {delta}"):
        engine.rotate(a, key, delta + 1)


@pytest.mark.parametrize("delta", [513, -511, 1 - 512 * 10**20])
def test_amounts_are_those_of_the_shortest_way_round(party: Party, message: np.ndarray, delta: int) -> None:
    key = party.engine.create_fixed_rotation_key(party.secret_key, delta)
    assert key.delta == 1
    a = party.engine.encrypt(message, party.public_key)
    for result in (party.engine.rotate(a, key, delta), a.rotate(delta)):
        assert_claims(result, np.roll(message, 1), party.secret_key)


def test_batches(party: Party, rotation_key: RotationKey, message: np.ndarray) -> None:
    engine, deltas = party.engine, [1, -1, 8, 0, 11]
    a = engine.encrypt(message, party.public_key)
    fixed = [engine.create_fixed_rotation_key(party.secret_key, delta) for delta in deltas]
    for results in (engine.rotate_batch(a, rotation_key, deltas), engine.rotate_batch(a, fixed)):
        assert len(results) == len(deltas)
        for delta, result in zip(deltas, results, strict=True):
            assert_claims(result, np.roll(message, delta), party.secret_key)
    assert engine.rotate_batch(a, []) == []
    with pytest.raises(errors.ParameterError, match="deltas are missing"):
        engine.rotate_batch(a, rotation_key)
    with pytest.raises(errors.ParameterError, match="have their own"):
        engine.rotate_batch(a, fixed, deltas)


def test_conjugate(party: Party, rng: np.random.Generator) -> None:
    message = rng.uniform(-1, 1, 8) + 1j * rng.uniform(-1, 1, 8)
    a = party.engine.encrypt(message, party.public_key, bound=1.5)
    for result in (party.engine.conjugate(a, party.conjugation_key), a.conjugate()):
        assert_claims(result, message.conj(), party.secret_key)


def test_sum(party: Party, rotation_key: RotationKey, message: np.ndarray) -> None:
    a = party.engine.encrypt(message, party.public_key)
    assert_claims(party.engine.sum(a, rotation_key), message.sum(), party.secret_key)


def test_keys_that_are_left_out_are_the_engines(message: np.ndarray) -> None:
    engine = Engine(max_level=2, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    a = engine.encrypt(message, secret_key)
    for operation, call in (
        ("sum", lambda: engine.sum(a)),
        ("sum", a.sum),
        ("mean", a.mean),
        ("sum_range", lambda: engine.sum_range(a, None, 3)),
        ("rotate", lambda: engine.rotate(a, delta=1)),
    ):
        with pytest.raises(errors.MissingKeyError, match=f"{operation}: the engine knows no rotation key"):
            call()
    with pytest.raises(errors.OperandTypeError, match="rotate: the key is of type NoneType"):
        engine.rotate(a, None)  # type: ignore[call-overload]
    engine.create_fixed_rotation_key(secret_key, -1)
    with pytest.raises(errors.MissingKeyError, match=r"^sum_range: .* rotation by -2, .* keys for \[-1\]; .*=\[-2\]"):
        engine.sum_range(a, None, 4)
    # Fixed keys for all the amounts of a sum do as well.
    for power in range(9):
        engine.create_fixed_rotation_key(secret_key, -(2**power))
    for has_all in (False, True):
        for total in (engine.sum(a), a.sum(), a.sum(1), a.sum(axis=-1)):
            assert_claims(total, message.sum(), secret_key)
        three = sum(np.roll(message, -k) for k in range(3))
        assert_claims(engine.sum_range(a, None, 3), three, secret_key)
        if not has_all:
            engine.create_rotation_key(secret_key)
    assert_claims(engine.rotate(a, delta=5), np.roll(message, 5), secret_key)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, -2])
def test_means(party: Party, rotation_key: RotationKey, rng: np.random.Generator, axis: int | None) -> None:
    engine = party.engine
    rows = rng.uniform(-3, 3, (3, engine.slot_count))
    a = engine.encrypt(rows.ravel(), party.public_key, bound=3)
    expected = np.broadcast_to(rows.mean(axis=axis, keepdims=True), (3 if axis in (1, -1) else 1, engine.slot_count))
    for result in (engine.mean(a, rotation_key, axis), a.mean(axis)):
        assert result.level == a.level - 1
        assert (result.bound, result.is_bound_declared) == (pytest.approx(3, rel=1e-6), True)
        assert_claims(result, expected.ravel(), party.secret_key)
    with pytest.raises(errors.ParameterError, match="mean: axis is 2"):
        engine.mean(a, axis=2)


def test_means_take_a_level_where_they_divide(party: Party, rotation_key: RotationKey) -> None:
    a = party.engine.encrypt([1.0, 2.0], party.public_key, level=0, bound=2)
    assert_claims(party.engine.mean(a._with(SLOTS), axis=0), [1, 2], party.secret_key)
    with pytest.raises(errors.LevelError, match="mean: needs level ≥ 1"):
        a.mean()
    deep = Engine(use_bootstrap=True, auto_bootstrap=True, insecure_log_n=10)
    secret_key = deep.create_secret_key()
    deep.create_evaluation_key(secret_key)
    b = deep.encrypt(np.full(deep.slot_count, 0.25), secret_key, level=0)
    assert_claims(b.mean(), 0.25, secret_key, varied=False)
    assert deep.bootstrap_count == 1


def test_operators_take_keys_that_serve_the_level() -> None:
    engine = Engine(max_level=3, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    a = engine.encrypt([1.0, 2.0], secret_key, bound=2)
    engine.create_fixed_rotation_key(secret_key, 1, level=1)
    with pytest.raises(errors.MissingKeyError, match="no rotation key"):
        a.rotate(1)
    assert engine.level_down(a, 1).rotate(1).level == 1
    engine.create_fixed_rotation_key(secret_key, 1)
    assert_claims(a.rotate(1), [0, 1, 2], secret_key)
