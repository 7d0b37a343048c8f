"""Vectors longer than the slots: several units in one object."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

from claims import assert_claims
from everlevel import BootstrapKey, Ciphertext, Engine, RotationKey, compat, errors
from parties import Party, new_party, of_1x

SLOTS = 512
LENGTH = 2 * SLOTS + 5


@pytest.fixture
def x(rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(-1, 1, LENGTH)


@pytest.fixture
def a(party: Party, x: np.ndarray) -> Ciphertext:
    return party.engine.encrypt(x, party.public_key)


def padded(values: np.ndarray) -> np.ndarray:
    return np.pad(values, (0, -len(values) % SLOTS))


def test_long_vectors_fill_units(party: Party, x: np.ndarray, a: Ciphertext) -> None:
    assert (len(a), a.unit_count, a.shape, a.ndim, a.size) == (3, 3, (3, SLOTS), 2, 3 * SLOTS)
    assert a.slot_count == SLOTS
    assert "slots 3×512" in repr(a)
    assert a.nbytes == 3 * a.units()[0].nbytes
    assert_claims(a, padded(x), party.secret_key)
    assert_claims(party.engine.encrypt(x, party.secret_key), padded(x), party.secret_key)
    plaintext = party.engine.encode(x + 1j)
    assert len(plaintext) == 3
    assert "slots 3×512" in repr(plaintext)
    np.testing.assert_allclose(party.engine.decode(plaintext)[:LENGTH], x + 1j, rtol=0, atol=2.0**-30)
    assert len(party.engine.decrypt_to_plaintext(a, party.secret_key)) == 3
    one = party.engine.encrypt(np.ones(SLOTS), party.public_key)
    assert (len(one), one.unit_count, one.shape) == (SLOTS, 1, (SLOTS,))


def test_arithmetic_is_that_of_each_unit(party: Party, x: np.ndarray, a: Ciphertext, rng: np.random.Generator) -> None:
    engine, p = party.engine, padded(x)
    y = rng.uniform(-1, 1, LENGTH)
    b, q = engine.encrypt(y, party.public_key), padded(y)
    for result, expected in (
        (a + b, p + q),
        (a - b, p - q),
        (a * b, p * q),
        (-a, -p),
        (2 * a + 1.5, 2 * p + 1.5),
        (0.5 * a, 0.5 * p),
        (a * y, p * q),
        (y - a, q - p),
        (a + engine.encode(y), p + q),
        (engine.encode(y) * a, p * q),
        (a**3, p**3),
        (engine.square(a, party.relinearization_key), p**2),
        (engine.relinearize(engine.multiply(a, b, relinearize=False), party.relinearization_key), p * q),
        (engine.level_down(a, 2), p),
        (engine.weighted_sum([a, b], [2.0, 0.5]), 2 * p + 0.5 * q),
        (engine.evaluate_polynomial(a, [1.0, 0.0, 2.0], party.relinearization_key), 1 + 2 * p**2),
        (engine.make_power_basis(a, 3, party.relinearization_key)[1], p**2),
        (engine.make_chebyshev_basis(a, 3, party.relinearization_key)[2], 4 * p**3 - 3 * p),
    ):
        assert len(result) == 3
        assert_claims(result, expected, party.secret_key)


def test_rotations_stay_inside_units(party: Party, rotation_key: RotationKey, x: np.ndarray, a: Ciphertext) -> None:
    engine, rows = party.engine, padded(x).reshape(3, SLOTS)
    fixed = engine.create_fixed_rotation_key(party.secret_key, -3)
    for result, delta in (
        (engine.rotate(a, rotation_key, 5), 5),
        (engine.rotate(a, fixed), -3),
        (a.rotate(-3), -3),
        (engine.rotate_batch(a, rotation_key, [1, 8])[1], 8),
        (engine.rotate_batch(a, [fixed])[0], -3),
    ):
        assert_claims(result, np.roll(rows, delta, axis=1).ravel(), party.secret_key)
    z = engine.encrypt(x * 1j, party.public_key)
    assert_claims(engine.conjugate(z, party.conjugation_key), -1j * padded(x), party.secret_key)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, -2])
def test_sums_are_those_of_rows_and_columns(
    party: Party, rotation_key: RotationKey, x: np.ndarray, a: Ciphertext, axis: int | None
) -> None:
    rows = padded(x).reshape(3, SLOTS)
    expected = np.broadcast_to(rows.sum(axis=axis, keepdims=True), (3 if axis in (1, -1) else 1, SLOTS))
    result = party.engine.sum(a, rotation_key, axis)
    assert_claims(result, expected.ravel(), party.secret_key)


def test_sums_over_units_need_no_key(party: Party, x: np.ndarray, a: Ciphertext) -> None:
    expected = padded(x).reshape(3, SLOTS).sum(axis=0)
    for result in (party.engine.sum(a, 0), party.engine.sum(a, axis=0)):
        assert result.unit_count == 1
        assert_claims(result, expected, party.secret_key)
    with pytest.raises(errors.ParameterError, match="axis is 2"):
        party.engine.sum(a, 2)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 100, 511, 512])
def test_sums_over_ranges(party: Party, rotation_key: RotationKey, x: np.ndarray, a: Ciphertext, count: int) -> None:
    rows = padded(x).reshape(3, SLOTS)
    expected = sum(np.roll(rows, -k, axis=1) for k in range(count))
    result = party.engine.sum_range(a, rotation_key, count)
    assert result.level == a.level
    assert_claims(result, np.ravel(expected), party.secret_key)


def test_units_are_stacked_and_taken_apart(party: Party, x: np.ndarray, a: Ciphertext) -> None:
    engine = party.engine
    first, second, third = a.units()
    low = engine.level_down(second, 1)
    both = engine.vstack([first, low])
    assert (len(both), both.level) == (2, 1)
    assert_claims(both, x[: 2 * SLOTS], party.secret_key)
    assert_claims(engine.vstack([both, third]), padded(x), party.secret_key)
    assert not engine.vstack([first, 1j * second]).is_real
    assert_claims(engine.vstack([a]), padded(x), party.secret_key)
    three = engine.multiply(first, first, relinearize=False)
    assert engine.vstack([three, three]).polynomial_count == 3


def test_stacks_that_do_not_fit(party: Party, a: Ciphertext) -> None:
    engine, stranger = party.engine, new_party(party.engine)
    with pytest.raises(errors.ParameterError, match="vstack: there are no ciphertexts"):
        engine.vstack([])
    with pytest.raises(errors.CiphertextFormError, match="relinearize it first"):
        engine.vstack([a, engine.multiply(a, a, relinearize=False)])
    with pytest.raises(errors.KeyMismatchError, match="vstack"):
        engine.vstack([a, engine.encrypt([1.0], stranger.public_key)])
    other = new_party(Engine(max_level=3, insecure_log_n=10))
    with pytest.raises(errors.EngineMismatchError, match="vstack"):
        engine.vstack([engine.level_down(a, 3), other.engine.encrypt([1.0], other.public_key)])
    with pytest.raises(errors.OperandTypeError, match="vstack"):
        engine.vstack([a, [1.0]])  # type: ignore[list-item]


def test_unit_counts_must_agree(party: Party, a: Ciphertext) -> None:
    engine = party.engine
    b = engine.encrypt(np.ones(SLOTS + 1), party.public_key)
    one = engine.encode([1.0])
    for call, left, right in (
        (lambda: a + b, 3, 2),
        (lambda: b - a, 2, 3),
        (lambda: a * b, 3, 2),
        (lambda: engine.multiply(a, b), 3, 2),
        (lambda: a + one, 3, 1),
        (lambda: a * one, 3, 1),
        (lambda: a * [1.0, 2.0], 3, 1),
        (lambda: [1.0] - a, 3, 1),
        (lambda: a + np.ones(4 * SLOTS), 3, 4),
    ):
        with pytest.raises(errors.UnitCountError, match=f"{left} units and the other has {right};") as caught:
            call()
        assert (caught.value.left, caught.value.right) == (left, right)
    assert a.level == 5


def test_files_and_pickles_keep_units(party: Party, x: np.ndarray, a: Ciphertext, tmp_path: Path) -> None:
    engine = party.engine
    a.save(tmp_path / "a")
    for back in (
        engine.load(tmp_path / "a"),
        engine.load_bytes(a.to_bytes()),
        pickle.loads(pickle.dumps(a)),
        copy.deepcopy(a),
    ):
        assert isinstance(back, Ciphertext)
        assert (len(back), back.level, back.bound) == (3, a.level, a.bound)
        assert back.precision_bits == pytest.approx(a.precision_bits, abs=1e-6)
        assert back.precision_floor == a.precision_floor
        np.testing.assert_array_equal(engine.decrypt(back, party.secret_key), engine.decrypt(a, party.secret_key))
    plaintext = engine.encode(x, level=2)
    again = engine.load_bytes(plaintext.to_bytes())
    assert len(again) == 3
    np.testing.assert_array_equal(engine.decode(again), engine.decode(plaintext))


def test_every_unit_is_bootstrapped(deep: Party, bootstrap_key: BootstrapKey, x: np.ndarray) -> None:
    engine = deep.engine
    a = engine.encrypt(x, deep.public_key, level=0)
    steps: list[tuple[int, int]] = []
    keys = deep.relinearization_key, deep.conjugation_key, bootstrap_key
    natives = tuple(key._native for key in keys)
    (native,) = engine._context.bootstrap(
        [a._native], "regular", natives, False, None, lambda *step: steps.append(step)
    )
    assert native.unit_count == 3
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert steps[-1][0] == steps[-1][1]
    refreshed = engine.bootstrap(a, *keys)
    assert (len(refreshed), refreshed.level) == (3, 10)
    assert_claims(refreshed, x, deep.secret_key)
    merged = engine.merge_bootstrap(a, -a, *keys)
    for part, sign in zip(merged, (1, -1), strict=True):
        assert_claims(part, sign * x, deep.secret_key)
    with pytest.raises(errors.UnitCountError):
        engine.merge_bootstrap(a, a.units()[0], *keys)


def test_out_takes_the_result(party: Party) -> None:
    engine = of_1x(party)
    a, b = engine.encrypt([1.0, 2.0], party.public_key, bound=2), engine.encrypt([1j], party.public_key, level=2)
    kept, out = engine.clone(a), engine.clone(a)
    assert engine.add(out, b, out) is out
    assert (out.level, out.is_real, kept.level, kept.is_real) == (2, False, 5, True)
    assert_claims(out, [1 + 1j, 2], party.secret_key)
    assert_claims(kept, [1, 2], party.secret_key)
    assert engine.subtract(10.0, a, out=a) is a
    assert_claims(a, [9, 8], party.secret_key, rest=10)
    before = kept.to_bytes()
    with pytest.raises(errors.OperandTypeError, match="out is of type list"):
        engine.add(a, b, [])
    with pytest.raises(errors.MessageError):
        engine.add(kept, [np.nan], kept)
    assert kept.to_bytes() == before


def test_plaintexts_move_without_keys(party: Party, x: np.ndarray) -> None:
    engine = party.engine
    rows = padded(x).reshape(3, SLOTS)
    plaintext, old = engine.encode(x), of_1x(party)
    for result, expected in (
        (engine.rotate(plaintext, 3), np.roll(rows, 3, axis=1).ravel()),
        (old.clone(plaintext), rows.ravel()),
    ):
        assert result.level == 5
        np.testing.assert_allclose(engine.decode(result), expected, rtol=0, atol=2.0**-30)
    conjugated = engine.conjugate(engine.encode(1j * x))
    np.testing.assert_allclose(engine.decode(conjugated)[:LENGTH], -1j * x, rtol=0, atol=2.0**-30)
    low = engine.level_down(plaintext, 2)
    assert (low.level, old.rescale(plaintext).level) == (2, 4)
    np.testing.assert_allclose(engine.decode(low), rows.ravel(), rtol=0, atol=2.0**-30)
    with pytest.raises(errors.LevelError, match=r"the plaintext is at level 2; choose .* or encode it at a higher one"):
        engine.level_down(low, 3)
    with pytest.raises(errors.LevelError, match="plaintext is at level 0"):
        old.rescale(engine.encode([1.0], level=0))


def test_engines_that_bootstrap_by_themselves_know_units_and_out() -> None:
    engine = compat.Engine(use_bootstrap=True, auto_bootstrap=True, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    keys = engine.create_evaluation_key(secret_key, rotations=True)
    x = np.linspace(-1, 1, SLOTS + 1)
    long, short = (engine.encrypt(values, secret_key, level=0) for values in (x, x[:SLOTS]))
    assert_claims(long * long, x**2, secret_key)
    assert_claims(short * 0.5, 0.5 * x[:SLOTS], secret_key)
    product = engine.multiply_matrix(np.eye(3), engine.level_down(short, 0), keys)
    assert_claims(product, [*x[:3], 0], secret_key)
    # What `short` was bootstrapped to isn't what it is now.
    engine.add(short, 0.25, out=short)
    assert_claims(short * 0.5, 0.5 * (x[:SLOTS] + 0.25), secret_key)
