"""Bulk: look-ups, gates and sums of many integers against NumPy, files, and refusals."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everlevel
from everlevel import Engine, bulk, errors

ENGINE = bulk.Engine("integer-4-128", insecure_log_n=10, thread_count=2)
SECRET = ENGINE.create_secret_key()
KEY = ENGINE.create_evaluation_key(SECRET)
GATES = bulk.Engine("gate-128", insecure_log_n=10, thread_count=2)
GATES_SECRET = GATES.create_secret_key()
GATES.create_evaluation_key(GATES_SECRET)
RNG = np.random.default_rng(32)


def encrypted(values: Any, max_value: int | None = None) -> bulk.Ciphertext:
    return ENGINE.encrypt(values, SECRET, max_value=max_value)


def decrypted(x: bulk.Ciphertext) -> Any:
    return ENGINE.decrypt(x, SECRET)


@pytest.mark.parametrize("shape", [(), (5,), (512,), (25, 41), (3, 700)])
def test_tables_of_any_shape_are_numpys(shape: tuple[int, ...]) -> None:
    values = RNG.integers(0, 16, shape)
    x = encrypted(values)
    table = RNG.integers(0, 16, 16)
    y = ENGINE.bootstrap(x, lut=table)
    assert (y.shape, y.max_value, y.size) == (shape, table.max(), values.size)
    assert np.array_equal(decrypted(y), table[values])
    assert decrypted(y).dtype == np.uint8


@pytest.mark.parametrize("bits", range(1, 9))
def test_chains_of_adversarial_tables_are_exact(bits: int) -> None:
    engine = bulk.Engine(f"integer-{bits}-128", insecure_log_n=10)
    secret = engine.create_secret_key()
    engine.create_evaluation_key(secret)
    top = 2**bits - 1
    values = RNG.integers(0, top + 1, 1300)
    x = engine.encrypt(values, engine.create_public_key(secret))
    alternating = np.arange(top + 1) % 2 * top
    for table in (RNG.permutation(top + 1), (np.arange(top + 1) * 7 + 3) % (top + 1), alternating):
        x, alternate = engine.bootstrap_many(x, [table, alternating])
        values, expected = table[values], alternating[values]
        assert np.array_equal(engine.decrypt(alternate, secret), expected)
        assert np.array_equal(engine.decrypt(x, secret), values)
    assert x.failure_probability == 1300 * 4 * 2.0**-128


@pytest.mark.parametrize("name", ["and_", "or_", "xor", "nand", "nor", "xnor", "andny", "andyn", "orny", "oryn"])
def test_gates_are_numpys(name: str) -> None:
    expected: dict[str, Callable[[Any, Any], Any]] = {
        "and_": lambda a, b: a & b,
        "or_": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
        "nand": lambda a, b: ~(a & b),
        "nor": lambda a, b: ~(a | b),
        "xnor": lambda a, b: a == b,
        "andny": lambda a, b: ~a & b,
        "andyn": lambda a, b: a & ~b,
        "orny": lambda a, b: ~a | b,
        "oryn": lambda a, b: a | ~b,
    }
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    x, y = GATES.encrypt(a, GATES_SECRET), GATES.encrypt(b, GATES_SECRET)
    gate = getattr(GATES, name)
    for left, right in [(x, y), (x, b), (a, y), (x, True), (False, y)]:
        ours = expected[name](*(np.broadcast_to(v, 4) for v in (a if left is x else left, b if right is y else right)))
        assert np.array_equal(GATES.decrypt(gate(left, right), GATES_SECRET), ours), (name, left, right)


def test_bits_are_negated_chosen_and_refreshed() -> None:
    s, a, b = (RNG.integers(0, 2, (2, 9)).astype(bool) for _ in range(3))
    selector, x, y = (GATES.encrypt(v, GATES_SECRET) for v in (s, a, b))
    assert np.array_equal(GATES.decrypt(~x, GATES_SECRET), ~a)
    assert np.array_equal(GATES.decrypt(GATES.bootstrap(~~x), GATES_SECRET), a)
    chosen = GATES.mux(selector, x, y)
    assert chosen.max_value == 1
    assert np.array_equal(GATES.decrypt(chosen ^ x, GATES_SECRET), np.where(s, a, b) ^ a)
    assert np.array_equal(GATES.decrypt(GATES.mux(selector, True, b), GATES_SECRET), s | b)
    assert repr(x).startswith("Ciphertext(shape (2, 9), bits, p_fail 2^-12")


def test_selections_are_numpys_where() -> None:
    bits, a, b = RNG.integers(0, 2, 700), RNG.integers(0, 16, 700), RNG.integers(0, 16, 700)
    s, x, y = encrypted(bits, 1), encrypted(a), encrypted(b)
    chosen = ENGINE.select(s, x, y)
    assert chosen.max_value == 15
    assert np.array_equal(decrypted(chosen), np.where(bits, a, b))
    assert np.array_equal(decrypted(ENGINE.select(s, 7, b)), np.where(bits, 7, b))
    # What was selected is at a lower level than the rest.
    low = ENGINE.select(s, 3, 0)
    assert (low.max_value, low._native.level, s._native.level) == (3, 3, 4)
    assert np.array_equal(decrypted(low + 2 * s), 5 * bits)
    assert (low + 2 * s)._error > low._error + 2 * s._error
    assert np.array_equal(decrypted(ENGINE.bootstrap(chosen, lut=lambda m: m ^ 5)), np.where(bits, a, b) ^ 5)
    assert np.array_equal(decrypted(ENGINE.select(s, chosen, x)), np.where(bits, np.where(bits, a, b), a))
    # A selector that was selected, beside values in the clear.
    both = ENGINE.bootstrap(ENGINE.select(ENGINE.select(s, s, 0), x, 7), lut=lambda m: m)
    assert np.array_equal(decrypted(both), np.where(bits, a, 7))
    again = ENGINE.load_bytes(chosen.to_bytes())
    assert np.array_equal(decrypted(again), np.where(bits, a, b))
    with pytest.raises(errors.SpaceError, match="0 and 1 are needed"):
        ENGINE.select(x, x, y)


def test_sums_stay_in_the_space_or_are_refused() -> None:
    a, b = RNG.integers(0, 6, 700), RNG.integers(0, 4, 700)
    x, y = encrypted(a, 5), encrypted(b, 3)
    assert np.array_equal(decrypted(x + y), a + b)
    assert np.array_equal(decrypted(15 - x), 15 - a)
    assert np.array_equal(decrypted(2 * x + y + 2), 2 * a + b + 2)
    assert np.array_equal(decrypted(x + b + 7 * (b == 0)), a + b + 7 * (b == 0))
    assert np.array_equal(decrypted((15 - b) - x), 15 - b - a)
    assert np.array_equal(decrypted(ENGINE.linear([(2, x), (-1, y)], 3)), 2 * a - b + 3)
    # Slots without a value stay in the space, too: they go through the table.
    assert np.array_equal(decrypted(ENGINE.bootstrap((15 - b) - x, lut=lambda m: m // 2)), (15 - b - a) // 2)
    for refused in (lambda: x + x + x + y, lambda: x - y, lambda: 4 * x, lambda: x - 1, lambda: x + 11):
        with pytest.raises(errors.SpaceError, match="space of 0 to 15"):
            refused()


def test_operators_that_there_are_none_of_say_what_to_do() -> None:
    x = encrypted([1, 2])
    for call in (lambda: x // 2, lambda: 7 % x, lambda: x < 3, lambda: x / x, lambda: abs(x), lambda: 2**x):
        with pytest.raises(errors.OperandTypeError, match=r"a Ciphertext has no such operator.*engine\.bootstrap\(x, "):
            call()
    with pytest.raises(errors.OperandTypeError, match=r"^int: a Ciphertext is encrypted, .*; decrypt it first"):
        int(x)


def test_powers_are_tables() -> None:
    values = np.array([[0, 1, 2, 3]])
    x = encrypted(values, 3)
    for exponent in (0, 1, 2):
        assert np.array_equal(decrypted(x**exponent), values**exponent)
    with pytest.raises(
        errors.SpaceError, match=r"^power: elements up to 3 have powers of 3 up to 27, and the space ends at 15"
    ):
        x**3


def test_tables_of_two() -> None:
    a, b = RNG.integers(0, 4, 600), RNG.integers(0, 4, 600)
    x, y = encrypted(a, 3), encrypted(b, 3)
    assert np.array_equal(decrypted(ENGINE.bootstrap(x, y, lut=lambda m, n: m * n)), a * b)
    table = RNG.integers(0, 16, (4, 4))
    assert np.array_equal(decrypted(ENGINE.bootstrap(x, y, lut=table)), table[a, b])
    with pytest.raises(errors.SpaceError, match=r"pairs of 0\.\.3 and 0\.\.15 are 64"):
        ENGINE.bootstrap(x, encrypted(b), lut=max)
    with pytest.raises(errors.TableError, match="no table"):
        ENGINE.bootstrap(x, y)


def test_files_hold_arrays_and_keys(tmp_path: Path) -> None:
    values = RNG.integers(0, 8, (3, 7))
    x = encrypted(values, 7) + 1
    x.save(tmp_path / "x")
    SECRET.save(tmp_path / "secret")
    KEY.save(tmp_path / "key")
    ENGINE.create_public_key(SECRET).save(tmp_path / "public")
    engine, found = everlevel.open(tmp_path / "x", thread_count=1)
    assert (found.shape, found.max_value, repr(found)) == (x.shape, 8, repr(x))
    secret = engine.load(tmp_path / "secret")
    assert repr(engine.load(tmp_path / "public")) == repr(ENGINE.create_public_key(SECRET))
    with pytest.raises(errors.MissingKeyError, match="create_evaluation_key"):
        engine.bootstrap(found)
    engine.load(tmp_path / "key")
    y = engine.bootstrap(found, lut=lambda m: 15 - m)
    assert np.array_equal(engine.decrypt(y, secret), 14 - values)
    again = pickle.loads(pickle.dumps(y))
    assert np.array_equal(again._engine.decrypt(again, secret), 14 - values)


def test_files_of_others_are_refused(tmp_path: Path) -> None:
    encrypted([1, 2]).save(tmp_path / "x")
    with pytest.raises(errors.FileParametersError, match=r"bulk\.Engine"):
        Engine(use_bootstrap=True, insecure_log_n=10).load(tmp_path / "x")
    with pytest.raises(errors.FileParametersError, match="integer-4-128"):
        GATES.load(tmp_path / "x")
    # Both have spaces of four, and one chain.
    with pytest.raises(errors.UnsupportedKindError, match="integer-2-128"):
        bulk.Engine("integer-2-128", insecure_log_n=10).load_bytes(GATES.encrypt([True], GATES_SECRET).to_bytes())
    ckks = Engine(use_bootstrap=True, insecure_log_n=10)
    ckks.encrypt([0.5], ckks.create_secret_key()).save(tmp_path / "y")
    with pytest.raises(errors.FileParametersError, match="open it with Engine"):
        ENGINE.load(tmp_path / "y")


@pytest.mark.parametrize(
    "notes",
    [
        {"shape": "3"},
        {"shape": "600", "max_value": "3", "error": (0.1).hex(), "bootstrap_count": "0"},
        {"shape": "2", "max_value": "16", "error": (0.1).hex(), "bootstrap_count": "0"},
        {"shape": "2", "max_value": "3", "error": "nan", "bootstrap_count": "0"},
        {"shape": "2", "max_value": "3", "error": (0.5).hex(), "bootstrap_count": "0"},
        {"shape": "2", "max_value": "3", "error": (0.1).hex(), "bootstrap_count": "-1"},
    ],
)
def test_notes_that_no_array_has_are_refused(notes: dict[str, str]) -> None:
    data = ENGINE._context.serialize(encrypted([1, 2])._native, notes)
    with pytest.raises(errors.HeaderError, match="not written by Everlevel"):
        ENGINE.load_bytes(data)


NAN = float("nan")


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (errors.MessageError, lambda x: encrypted([0, 16])),
        (errors.MessageError, lambda x: encrypted([-1])),
        (errors.MessageError, lambda x: encrypted([4], 3)),
        (errors.MessageError, lambda x: encrypted(np.zeros(0, int))),
        (errors.MessageTypeError, lambda x: encrypted([0.5])),
        (errors.MessageTypeError, lambda x: encrypted([NAN])),
        (errors.MessageTypeError, lambda x: encrypted([True])),
        (errors.ParameterError, lambda x: encrypted([1], 16)),
        (errors.TableError, lambda x: ENGINE.bootstrap(x, lut=[0] * 15)),
        (errors.TableError, lambda x: ENGINE.bootstrap(x, lut=[0] * 15 + [16])),
        (errors.TableError, lambda x: ENGINE.bootstrap(x, lut=lambda m: m - 1)),
        (errors.TableError, lambda x: ENGINE.bootstrap_many(x, [])),
        (errors.OperandTypeError, lambda x: ENGINE.bootstrap(x, lut=np.full(16, NAN))),
        (errors.OperandTypeError, lambda x: ENGINE.bootstrap(x, lut=lambda m: m / 2)),
        (errors.OperandTypeError, lambda x: x[0]),
        (errors.OperandTypeError, lambda x: x * x),
        (errors.OperandTypeError, lambda x: bool(x)),
        (errors.OperandTypeError, lambda x: x == x),
        (errors.OperandTypeError, lambda x: ENGINE.add([1], [2])),
        (errors.MessageTypeError, lambda x: x + 0.5),
        (errors.MessageError, lambda x: x + encrypted([1], 1)),
        (errors.MessageError, lambda x: x + np.arange(5)),
        (errors.MessageError, lambda x: x.reshape(3)),
        (errors.MessageError, lambda x: ENGINE.linear([])),
        (errors.SpaceError, lambda x: x & x),
        (errors.SpaceError, lambda x: GATES.linear([(1, x)])),
        (errors.EngineMismatchError, lambda x: GATES.bootstrap(x)),
        (errors.EngineMismatchError, lambda x: GATES.decrypt(x, GATES_SECRET)),
        (errors.EngineMismatchError, lambda x: ENGINE.decrypt(x, GATES_SECRET)),
        (errors.KeyMismatchError, lambda x: ENGINE.decrypt(x, ENGINE.create_secret_key())),
        (errors.KeyMismatchError, lambda x: x + ENGINE.encrypt([0] * 4, ENGINE.create_secret_key())),
        (errors.MissingKeyError, lambda x: ENGINE.bootstrap(ENGINE.encrypt([0], ENGINE.create_secret_key()))),
        (errors.ParameterError, lambda x: bulk.Engine("integer-9-128")),
        (errors.ParameterError, lambda x: bulk.Engine(insecure_log_n=16)),
        (errors.OperandTypeError, lambda x: bulk.Engine(4)),  # type: ignore[arg-type]
    ],
)
def test_what_has_no_answer_is_refused(kind: type[Exception], call: Callable[[bulk.Ciphertext], Any]) -> None:
    x = encrypted([0, 5, 10, 15])
    with pytest.raises(kind):
        call(x)
    assert decrypted(x).tolist() == [0, 5, 10, 15]


def test_errors_add_up_until_they_are_refused() -> None:
    fifth = bulk.Engine("integer-5-128", insecure_log_n=10)
    secret = fifth.create_secret_key()
    fifth.create_evaluation_key(secret)
    one = fifth.bootstrap(fifth.encrypt([1, 0, 1], secret, max_value=1), lut=lambda m: m)
    total = fifth.linear([(1, one)] * 31)
    assert total._error == pytest.approx(31 * one._error)
    assert fifth.decrypt(fifth.bootstrap(total, lut=lambda m: m % 2), secret).tolist() == [1, 0, 1]
    noisy = bulk.Ciphertext(fifth, one._native, (3,), max_value=1, error=0.06, bootstrap_count=1)
    with pytest.raises(errors.NoiseError, match="bootstrap the operands first"):
        fifth.bootstrap(noisy, lut=lambda m: 31 * m)
    with pytest.raises(errors.NoiseError):
        fifth.linear([(1, noisy)] * 10)
