"""Bulk: rolls, permutations and sums of arrays against NumPy, their claims, times, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from everlevel import bulk, errors
from everlevel.bulk._moves import grid
from everlevel.bulk._routes import in_three

ENGINE = bulk.Engine("integer-4-128", insecure_log_n=10, thread_count=2)
SECRET = ENGINE.create_secret_key()
ENGINE.create_evaluation_key(SECRET, rotations=True)
RNG = np.random.default_rng(33)


def encrypted(values: Any, max_value: int | None = None) -> bulk.Ciphertext:
    return ENGINE.encrypt(values, SECRET, max_value=max_value)


def decrypted(x: bulk.Ciphertext) -> Any:
    return ENGINE.decrypt(x, SECRET)


@pytest.mark.parametrize("shape", [(), (1,), (5,), (512,), (513,), (1024,), (25, 41), (3, 700), (2, 3, 4)])
def test_rolls_are_numpys(shape: tuple[int, ...]) -> None:
    values = RNG.integers(0, 16, shape)
    x = encrypted(values)
    for shift, axis in [(1, None), (-3, None), (700, None), (0, None), *((2, a) for a in range(len(shape)))]:
        y = x.roll(shift, axis)
        assert (y.shape, y.max_value) == (shape, 15)
        assert np.array_equal(decrypted(y), np.roll(values, shift, axis)), (shift, axis)
    if len(shape) > 1:
        assert np.array_equal(decrypted(x.roll((1, 2), (0, 1))), np.roll(values, (1, 2), (0, 1)))


def test_values_that_fill_the_slots_are_rotated_alone() -> None:
    values = RNG.integers(0, 16, 512)
    x = encrypted(values)
    turned, moved = x.roll(5), x.roll(256).roll(-3).roll(11)
    assert (turned._native.level, moved._native.level, moved._bootstrap_count) == (4, 4, 3)
    assert x._error < turned._error < moved._error
    assert np.array_equal(decrypted(moved), np.roll(values, 264))
    assert x.roll(0)._error == x._error


def test_products_in_a_row_are_looked_up_between() -> None:
    values = RNG.integers(0, 16, 700)
    x = encrypted(values)
    once = x.roll(1)
    twice = once.roll(1, 0).roll(-5)
    assert (once._native.level, twice._native.level) == (3, 3)
    assert np.array_equal(decrypted(twice), np.roll(values, -3))
    # Two look-ups and three moves.
    assert (once._bootstrap_count, twice._bootstrap_count) == (1, 5)
    assert twice.failure_probability == 700 * 6 * 2.0**-128
    assert np.array_equal(decrypted(ENGINE.bootstrap(twice, lut=lambda m: 15 - m)), 15 - np.roll(values, -3))
    s = encrypted(RNG.integers(0, 2, 700) * 0 + 1, 1)
    assert np.array_equal(decrypted(ENGINE.select(s, once, x)), np.roll(values, 1))


@pytest.mark.parametrize("shape", [(7,), (512,), (6, 5), (40, 40)])
def test_permutations_are_numpys_take(shape: tuple[int, ...]) -> None:
    values = RNG.integers(0, 16, shape)
    x, size = encrypted(values), values.size
    for order in (RNG.permutation(size), np.arange(size)[::-1], np.arange(size).reshape(shape).T):
        y = x.permute(order)
        assert np.array_equal(decrypted(y), np.take(values, order))
        assert np.array_equal(decrypted(ENGINE.bootstrap(y, lut=lambda m: m ^ 5)), np.take(values, order) ^ 5)
    order = RNG.permutation(shape[-1])
    assert np.array_equal(decrypted(x.permute(order, axis=-1)), np.take(values, order, -1))


@pytest.mark.parametrize(("size", "columns"), [(4, 2), (8, 4), (12, 4), (96, 16), (1536, 32)])
def test_permutations_are_three_along_rows_and_columns(size: int, columns: int) -> None:
    places = np.arange(size)
    for _ in range(5):
        sources = RNG.permutation(size)
        first, second, third = in_three(sources, columns)
        assert np.array_equal(first[second][third], sources)
        assert np.array_equal(first // columns, places // columns)
        assert np.array_equal(second % columns, places % columns)
        assert np.array_equal(third // columns, places // columns)


def test_many_distances_take_two_look_ups() -> None:
    values = RNG.integers(0, 16, 900)
    order = RNG.permutation(900)
    y = encrypted(values).permute(order)
    columns, most = grid(2, 512)
    assert (columns, most) == (16, 2 * 2 * 31 + 4 * 32)
    # Three moves, and a look-up before each but the first.
    assert (y._bootstrap_count, y._native.level) == (5, 3)
    assert np.array_equal(decrypted(y), values[order])


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((15,), None),
        ((15,), 0),
        ((3, 5), None),
        ((3, 5), (0, 1)),
        ((2, 3, 4), 1),
        ((2, 3, 4), (0, 2)),
        ((2, 3, 4), ()),
        ((70, 7), 1),
        ((7, 70), 0),
        ((300, 3), 1),
        ((3, 300), 0),
        ((5, 512), 0),
        ((100, 11), 1),
        ((4, 200, 3), (0, 2)),
        ((1, 900), 0),
    ],
)
def test_sums_are_numpys(shape: tuple[int, ...], axis: Any) -> None:
    values = RNG.integers(0, 2, shape)
    x = encrypted(values, 1)
    y = x.sum(axis)
    expected = values.sum(axis=axis)
    assert (y.shape, y.max_value) == (expected.shape, values.size // max(expected.size, 1))
    assert np.array_equal(decrypted(y), expected)
    kept = x.sum(axis, keepdims=True)
    assert np.array_equal(decrypted(kept), values.sum(axis=axis, keepdims=True))
    parity = ENGINE.bootstrap(y, lut=lambda m: m % 2)
    assert np.array_equal(decrypted(parity), expected % 2)


def test_sums_of_what_tables_made() -> None:
    values = RNG.integers(0, 16, (5, 100))
    is_large = ENGINE.bootstrap(encrypted(values), lut=lambda m: m > 8)
    count = ENGINE.sum(is_large, axis=0)
    assert np.array_equal(decrypted(count), (values > 8).sum(axis=0))
    assert count._error > 5 * is_large._error
    assert count.failure_probability > is_large.failure_probability


def test_sums_beyond_the_space_say_what_to_do() -> None:
    x = encrypted(np.ones((4, 8), int), 3)
    with pytest.raises(
        errors.SpaceError, match=r"sums of 8 .* may be 24, .* add up to 5 of them.*bootstrap_many"
    ) as info:
        x.sum(axis=1)
    assert (info.value.found, info.value.needed) == (24, 15)
    halves = x.reshape(4, 2, 4).sum(axis=2)
    low, high = ENGINE.bootstrap_many(halves, [lambda m: m % 4, lambda m: m // 4])
    low_sum, high_sum = low.sum(axis=1), high.sum(axis=1)
    assert np.array_equal(decrypted(low_sum).astype(int) + 4 * decrypted(high_sum), np.full(4, 8))


@pytest.mark.parametrize("bits", [2, 3, 5, 6, 7, 8])
def test_other_sets_move_and_sum(bits: int) -> None:
    engine = bulk.Engine(f"integer-{bits}-128", insecure_log_n=9)
    secret = engine.create_secret_key()
    engine.create_evaluation_key(secret, rotations=True)
    top = 2**bits - 1
    values, flags = RNG.integers(0, top + 1, 300), RNG.integers(0, 2, (top, 5))
    x = engine.encrypt(values, engine.create_public_key(secret))
    assert np.array_equal(engine.decrypt(x.roll(7), secret), np.roll(values, 7))
    total = engine.encrypt(flags, secret, max_value=1).sum(axis=0)
    assert np.array_equal(engine.decrypt(engine.bootstrap(total), secret), flags.sum(axis=0))
    order = RNG.permutation(300)
    assert np.array_equal(engine.decrypt(engine.bootstrap(x.permute(order)), secret), values[order])


def test_bits_move() -> None:
    gates = bulk.Engine("gate-128", insecure_log_n=9)
    secret = gates.create_secret_key()
    gates.create_evaluation_key(secret, rotations=True)
    bits = RNG.integers(0, 2, 300).astype(bool)
    x = gates.encrypt(bits, secret)
    assert np.array_equal(gates.decrypt(x ^ x.roll(1), secret), bits ^ np.roll(bits, 1))
    with pytest.raises(errors.SpaceError, match="sum: the parameters gate-128 hold bits"):
        x.sum()


def test_errors_are_within_their_claims() -> None:
    values = RNG.integers(0, 16, 512)
    for x in (encrypted(values), ENGINE.bootstrap(encrypted(values), lut=lambda m: m)):
        context = ENGINE._context.ckks
        for y, expected in [(x.roll(1), np.roll(values, 1)), (x.permute(np.arange(512)[::-1]), values[::-1])]:
            found = context.decode(context.decrypt(y._native, SECRET._native)).real
            error = np.abs((found + 1) * 8 - 0.5 - expected).max()
            assert 0 < error < y._error < 2**-6


def test_keys_with_rotations_take_the_place_of_others(tmp_path: Path) -> None:
    engine = bulk.Engine("integer-1-128", insecure_log_n=9)
    secret = engine.create_secret_key()
    plain = engine.create_evaluation_key(secret)
    x = engine.encrypt([0, 1, 1], secret)
    with pytest.raises(errors.MissingKeyError, match=r"create_evaluation_key\(secret_key, rotations=True\)"):
        x.roll(1)
    key = engine.create_evaluation_key(secret, rotations=True)
    assert "rotations" in repr(key)
    assert "rotations" not in repr(plain)
    assert key.nbytes > plain.nbytes
    assert engine.decrypt(x.roll(1), secret).tolist() == [1, 0, 1]
    # One without takes nothing away.
    engine.create_evaluation_key(secret)
    x.roll(1)
    for each, name in ((plain, "plain"), (key, "key")):
        each.save(tmp_path / name)
    secret.save(tmp_path / "secret")
    other = bulk.Engine("integer-1-128", insecure_log_n=9)
    other.load(tmp_path / "plain")
    other.load(tmp_path / "key")
    owner: Any = other.load(tmp_path / "secret")
    assert other.decrypt(other.load_bytes(x.to_bytes()).roll(1), owner).tolist() == [1, 0, 1]


def test_noise_that_moves_would_make_too_large_is_refused() -> None:
    one = encrypted(np.ones(512, int), 1)
    noisy = bulk.Ciphertext(ENGINE, one._native, (512,), max_value=1, error=0.5 - 1e-9, bootstrap_count=1)
    with pytest.raises(errors.NoiseError, match="bootstrap the operands first"):
        noisy.roll(1)
    with pytest.raises(errors.NoiseError):
        noisy.reshape(256, 2).sum(axis=1)


def test_times_say_which_scheme_is_faster() -> None:
    few, many = ENGINE.estimate_time("bootstrap", 1), ENGINE.estimate_time("bootstrap", (100, 1000))
    assert few.tfhe_seconds is not None
    assert many.tfhe_seconds is not None
    assert "use everlevel.tfhe" in str(few)
    assert few.seconds > few.tfhe_seconds
    assert many.advice == ""
    assert many.seconds < many.tfhe_seconds
    assert many.seconds == pytest.approx(98 * few.seconds, rel=0.4)
    for operation in ("select", "roll", "permute"):
        estimate = ENGINE.estimate_time(operation, [900])
        assert estimate.tfhe_seconds is None
        assert 0 < estimate.seconds < 10
    with pytest.raises(errors.ParameterError, match="'bootstrap', 'select', 'roll' and 'permute' are offered"):
        ENGINE.estimate_time("sort", 3)
    for shape in (0, (3, 0), -1, 2**49, (-1, -1)):
        with pytest.raises(errors.MessageError, match="1 to 2\\^48 elements are needed"):
            ENGINE.estimate_time("roll", shape)


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (errors.OperandTypeError, lambda x: x.roll(1, 2)),
        (errors.OperandTypeError, lambda x: x.roll((1, 2), 0.5)),
        (errors.MessageError, lambda x: x.permute([0, 1, 2])),
        (errors.MessageError, lambda x: x.permute([0, 1, 2, 2, 4, 5])),
        (errors.MessageError, lambda x: x.permute([0, 1, 2, 3, 4, 6])),
        (errors.MessageError, lambda x: x.permute([0, -1], axis=0)),
        (errors.MessageError, lambda x: x.permute([[0, 1, 2]], axis=1)),
        (errors.MessageError, lambda x: x.permute([])),
        (errors.MessageTypeError, lambda x: x.permute([0.0, 1, 2, 3, 4, 5])),
        (errors.ParameterError, lambda x: x.permute([0, 1], axis=2)),
        (errors.OperandTypeError, lambda x: x.permute([0, 1], axis=True)),
        (errors.ParameterError, lambda x: x.sum(axis=2)),
        (errors.ParameterError, lambda x: x.sum(axis=(0, 0))),
        (errors.OperandTypeError, lambda x: x.sum(keepdims=1)),
        (errors.OperandTypeError, lambda x: ENGINE.roll([1, 2], 1)),  # type: ignore[arg-type]
        (errors.OperandTypeError, lambda x: ENGINE.sum(3)),  # type: ignore[arg-type]
        (errors.MissingKeyError, lambda x: ENGINE.encrypt([0, 1], ENGINE.create_secret_key()).roll(1)),
        (errors.MissingKeyError, lambda x: ENGINE.encrypt([0, 1], ENGINE.create_secret_key(), max_value=1).sum()),
        (errors.OperandTypeError, lambda x: ENGINE.create_evaluation_key(SECRET, rotations=[1])),  # type: ignore[arg-type]
    ],
)
def test_what_has_no_answer_is_refused(kind: type[Exception], call: Callable[[bulk.Ciphertext], Any]) -> None:
    x = encrypted([[0, 5, 2], [3, 0, 1]], 5)
    with pytest.raises(kind):
        call(x)
    assert decrypted(x).tolist() == [[0, 5, 2], [3, 0, 1]]


def test_indices_name_what_there_is_in_their_place() -> None:
    with pytest.raises(errors.OperandTypeError, match=r"x\.roll\(shift\) or x\.permute\(order\)"):
        encrypted([1, 2, 3])[0]


def test_numpys_names_are_methods() -> None:
    values = RNG.integers(0, 2, (3, 4))
    x: Any = encrypted(values, 1)
    for function in (
        np.sum,
        lambda x: np.sum(x, axis=0),
        np.add.reduce,
        lambda x: np.roll(x, 2, axis=1),
        np.transpose,
        lambda x: x.T,
        np.flip,
        np.rot90,
        np.ravel,
        lambda x: np.reshape(x, (2, 6)),
        lambda x: np.expand_dims(x, 1),
        lambda x: np.arange(4) + x,
        lambda x: np.add(x, [1, 2, 3, 4]),
        lambda x: np.multiply(2, x),
        lambda x: np.subtract(15, x),
    ):
        found, expected = function(x), function(values)
        assert found.shape == np.shape(expected)
        assert np.array_equal(decrypted(found), expected)
    assert (np.shape(x), np.ndim(x), np.size(x)) == ((3, 4), 2, 12)
    for call, words in (
        (lambda: np.where(x, x, 0), r"^numpy\.where: .*engine\.select\(bits, x, y\)"),
        (lambda: np.mean(x), r"^numpy\.mean: .*divide what is decrypted"),
        (lambda: np.sum(x, dtype=int), r"^numpy\.sum: got an unexpected"),
        (lambda: np.exp(x), r"^numpy\.exp: there is no such operation"),
        (lambda: np.multiply.reduce(x), r"^numpy\.multiply: reduce isn't for"),
        (lambda: np.transpose(x, (0, 5)), r"^transpose: the arguments don't fit"),
    ):
        with pytest.raises(errors.OperandTypeError, match=words):
            call()
