"""Signed integers: edges of every operation, promotion, casts, files and refusals; and integers of 128 and 256 bits."""

from __future__ import annotations

import operator
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import tfhe
from everlevel.errors import (
    DivisionByZeroError,
    MessageError,
    MessageTypeError,
    OperandTypeError,
    ParameterError,
    WidthError,
)
from parties import IntegerParty, integer_party

EDGES = np.array([-128, -127, -100, -17, -16, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 16, 17, 100, 126, 127], np.int8)


@pytest.fixture(scope="module")
def party() -> IntegerParty:
    return integer_party()


@pytest.fixture(scope="module")
def four_bits() -> IntegerParty:
    """Digits of 4 bits."""
    return integer_party(tfhe.Engine("integer-8-64", insecure_log_n=13, thread_count=2))


def test_every_pair_of_edges(party: IntegerParty) -> None:
    engine, secret_key = party
    x, y = EDGES[:, None], EDGES[None, EDGES != 0]
    a, b = engine.encrypt_int(x, secret_key), engine.encrypt_int(y, secret_key)
    with np.errstate(over="ignore", divide="ignore"):
        for left, right in [(a, b), (a, y), (x, b)]:
            for found, expected in zip(divmod(left, right), divmod(x, y), strict=True):
                assert found.dtype == np.int8
                assert_claims(found, expected, secret_key)
        assert_claims(a // b, x // y, secret_key)
        assert_claims(a % b, x % y, secret_key)
        assert_claims(a < b, x < y, secret_key)
        assert_claims(a * b, x * y, secret_key)
    for function, exact in [
        (engine.checked_add, x.astype(int) + y),
        (engine.checked_subtract, x.astype(int) - y),
        (engine.checked_multiply, x.astype(int) * y),
    ]:
        result, overflow = function(a, b)
        assert_claims(result, exact.astype(np.int8), secret_key)
        assert_claims(overflow, (exact < -128) | (exact > 127), secret_key)


@pytest.mark.parametrize("divisor", [1, 2, 3, 4, 5, 10, 12, 60, 64, 97, 127, -1, -2, -3, -10, -64, -97, -128])
def test_divisors_in_the_clear(divisor: int, party: IntegerParty) -> None:
    engine, secret_key = party
    x = np.arange(-128, 128).astype(np.int8)
    a = engine.encrypt_int(x, secret_key)
    with np.errstate(over="ignore"):
        for found, expected in zip(divmod(a, divisor), divmod(x, np.int8(divisor)), strict=True):
            assert_claims(found, expected, secret_key)


def test_digits_of_four_bits(four_bits: IntegerParty) -> None:
    engine, secret_key = four_bits
    x, y = EDGES[:, None], np.array([-128, -7, 3, 100], dtype=np.int8)
    a, b = engine.encrypt_int(x, secret_key), engine.encrypt_int(y, secret_key)
    with np.errstate(over="ignore"):
        for left, right in [(a[::4], b), (a, y)]:
            for found, expected in zip(divmod(left, right), divmod(x[::4] if right is b else x, y), strict=True):
                assert_claims(found, expected, secret_key)
    for found, expected in [
        (a >> 3, x >> 3),
        (a >> 4, x >> 4),
        (a >> engine.encrypt_uint(np.uint8(5), secret_key), x.astype(np.int16) >> 5),
        (abs(a), abs(x)),
        (a.max(), x.max()),
        (a.astype(np.int32), x.astype(np.int32)),
        (np.bitwise_count(a), np.bitwise_count(x)),
    ]:
        assert_claims(found, expected, secret_key)


def test_division_by_zero(party: IntegerParty) -> None:
    engine, secret_key = party
    a = engine.encrypt_int(EDGES, secret_key)
    zero = engine.encrypt_int(np.zeros(EDGES.shape, dtype=np.int8), secret_key)
    quotient = np.where(EDGES < 0, 0, -1)
    for divisor in (zero, np.zeros(EDGES.shape, dtype=np.int8)):
        for function, expected in [(engine.checked_floor_divide, quotient), (engine.checked_remainder, EDGES)]:
            result, by_zero = function(a, divisor)
            assert_claims(result, expected, secret_key)
            assert_claims(by_zero, np.ones(EDGES.shape, dtype=bool), secret_key)
    with pytest.raises(DivisionByZeroError):
        a // 0


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_shifts_by_every_amount(dtype: Any, party: IntegerParty, rng: np.random.Generator) -> None:
    engine, secret_key = party
    bits = 8 * np.dtype(dtype).itemsize
    x = np.array([np.iinfo(dtype).min, rng.integers(0, 127), rng.integers(-128, 0)], dtype)
    a, amounts = engine.encrypt_int(x[:, None], secret_key), np.arange(bits).astype(dtype)
    by = engine.encrypt_int(amounts, secret_key)
    for amount in (amounts, by):
        assert_claims(a >> amount, x[:, None] >> amounts, secret_key)
        assert_claims(a << amount, x[:, None] << amounts, secret_key)
    # Unsigned amounts of the width or more, and those below zero, which count as such.
    for far in (engine.encrypt_uint(np.uint8(200), secret_key), engine.encrypt_int(np.int8(-1), secret_key)):
        assert_claims(a >> far, np.where(x < 0, -1, 0)[:, None], secret_key)
    unsigned = x.astype(f"uint{bits}")
    left = (unsigned << np.uint8(3)) | (unsigned >> np.uint8(bits - 3))
    assert_claims(engine.rotate_left(a, 3), left.astype(dtype)[:, None], secret_key)


def test_one_of_many(party: IntegerParty, rng: np.random.Generator) -> None:
    engine, secret_key = party
    x = rng.integers(-5, 5, (3, 6)).astype(np.int16)
    a = engine.encrypt_int(x, secret_key)
    for axis in (None, 0, 1):
        for name in ("sum", "min", "max", "argmin", "argmax"):
            found = engine.decrypt(getattr(a, name)(axis), secret_key)
            np.testing.assert_array_equal(found, getattr(x, name)(axis), err_msg=name)
            assert found.dtype == (np.uint8 if name.startswith("arg") else np.int16)


ALL_TYPES = [np.dtype(f"{kind}int{width}") for kind in ("u", "") for width in (8, 16, 32, 64)]


@pytest.mark.parametrize("source", ALL_TYPES, ids=str)
def test_casts_are_numpys(source: Any, party: IntegerParty) -> None:
    engine, secret_key = party
    info = np.iinfo(source)
    x = np.array([info.min, info.max, 0, 1, info.max // 3, info.min // 3], dtype=source)
    a = engine.encrypt_int(x, secret_key) if source.kind == "i" else engine.encrypt_uint(x, secret_key)
    for target in [*ALL_TYPES, np.dtype(bool)]:
        found = a.astype(target)
        kind = {"i": tfhe.IntArray, "u": tfhe.UintArray, "b": tfhe.BoolArray}[target.kind]
        assert type(found) is kind
        assert engine.decrypt(found, secret_key).dtype == target
        assert_claims(found, x.astype(target), secret_key)
    for wide in (128, 256):
        assert_claims(a.astype(f"int{wide}"), x.astype(object), secret_key)
        assert_claims(a.astype(f"uint{wide}"), x.astype(object) % 2**wide, secret_key)
    flags = engine.encrypt_bool([True, False], secret_key)
    assert_claims(flags.astype(np.int16), [1, 0], secret_key)


def test_what_is_in_the_clear_promotes_as_numpys(party: IntegerParty) -> None:
    engine, secret_key = party
    x = np.array([-100, 100], dtype=np.int8)
    a = engine.encrypt_int(x, secret_key)
    operations = [operator.add, operator.sub, operator.mul, operator.floordiv, operator.and_, np.minimum, operator.lt]
    values: list[Any] = [3, -3, np.int8(7), np.uint8(200), np.int16(-300), np.array([5, 500]), [3, -4], np.uint32(9)]
    with np.errstate(over="ignore"):
        for function in operations:
            for value in values:
                for left, right in [((a, value), (x, value)), ((value, a), (value, x))]:
                    found, expected = function(*left), function(*right)
                    assert engine.decrypt(found, secret_key).dtype == expected.dtype, (function, value)
                    assert_claims(found, expected, secret_key)
        assert_claims(a << np.int16(3), x << np.int16(3), secret_key)
        assert_claims(a ** np.int16(2), x ** np.int16(2), secret_key)
    for refused in (np.uint64(1), np.array([1], dtype=np.uint64)):
        with pytest.raises(MessageTypeError, match=r"^add: .* uint64, of which NumPy makes float64 beside int8; "):
            a + refused
    for value in (128, -129):
        with pytest.raises(MessageError, match=f"the value is {value}, and -128 to 127 are taken"):
            a + value
    chosen = engine.select(a > 0, a, np.int16(-1000))
    assert_claims(chosen, np.where(x > 0, x, np.int16(-1000)), secret_key)
    assert_claims(np.clip(a, -5, 5), np.clip(x, -5, 5), secret_key)


def test_kinds_are_not_mixed(party: IntegerParty) -> None:
    engine, secret_key = party
    a, b = engine.encrypt_int(np.int8(-3), secret_key), engine.encrypt_uint(np.uint8(3), secret_key)
    for function in (operator.add, operator.floordiv, operator.lt, divmod, engine.minimum, engine.checked_add):
        for left, right in [(a, b), (b, a)]:
            with pytest.raises(OperandTypeError, match=r"beside .*both signed or both unsigned; .*astype"):
                function(left, right)
    with pytest.raises(OperandTypeError, match="both signed or both unsigned"):
        engine.select(a > 0, a, b)
    with pytest.raises(OperandTypeError):
        tfhe.stack([a, b])
    assert_claims(abs(b), 3, secret_key)
    wider = engine.encrypt_int(np.int16(-3), secret_key)
    with pytest.raises(WidthError, match=r"8 and 16 bits; convert one: x\.astype\(numpy\.int16\)"):
        a + wider


def test_what_is_refused(party: IntegerParty) -> None:
    engine, secret_key = party
    for values in (np.array([1], dtype=np.uint8), [1, 2], 3):
        with pytest.raises(MessageTypeError, match=r"which says no width of IntArrays; pass width=8"):
            engine.encrypt_int(values, secret_key)
    with pytest.raises(ParameterError, match="8, 16, 32, 64, 128, 256 are taken"):
        engine.encrypt_int(3, secret_key, width=24)
    for value in (2**63, -(2**63) - 1):
        with pytest.raises(MessageError, match=f"the value is {value}, and "):
            engine.encrypt_int(value, secret_key, width=64)
    for value in (0.5, True, "3", None):
        with pytest.raises((MessageTypeError, OperandTypeError)):
            engine.encrypt_int(value, secret_key, width=8)
    a = engine.encrypt_int(np.int8(-3), secret_key)
    for dtype in (np.float64, "float", "int512", "nonsense", None, 3):
        with pytest.raises(OperandTypeError, match=r"^astype: "):
            a.astype(dtype)  # type: ignore[arg-type]


def test_files_and_pickles(party: IntegerParty, tmp_path: Path) -> None:
    engine, secret_key = party
    x = np.array([[-1, 2**31 - 1], [-(2**31), 4]], dtype=np.int32)
    fresh = engine.encrypt_int(x, secret_key)
    for a, expected in [(fresh, x), (fresh ^ 1, x ^ 1), (fresh.astype("int128"), x.astype(object))]:
        a.save(tmp_path / "integers")
        for again in (engine.load(tmp_path / "integers"), pickle.loads(pickle.dumps(a))):
            assert type(again) is tfhe.IntArray
            assert (again.shape, again.dtype, again.width) == (a.shape, a.dtype, a.width)
            assert_claims(again, expected, secret_key)


WIDE = [-(2**127), 2**127 - 1, -1, 0, 1, -(2**64), 2**64 + 5, 10**30, -(10**30) - 7]


@pytest.mark.parametrize("width", [128, 256])
def test_wide_integers_are_pythons(width: int, party: IntegerParty) -> None:
    engine, secret_key = party
    scale = 2 ** (width - 128)
    x = np.array([scale * value + (value % 7 if scale > 1 else 0) for value in WIDE], dtype=object)
    y = x[::-1] | 1
    # Unsigned and signed.
    for signed in (False, True):
        low = -(2 ** (width - 1)) if signed else 0
        wrapped = lambda v, low=low: (v - low) % 2**width + low  # noqa: E731
        p, q = wrapped(x), wrapped(y)
        encrypt = engine.encrypt_int if signed else engine.encrypt_uint
        a, b = encrypt(p, secret_key, width=width), encrypt(list(q), secret_key, width=width)
        assert repr(a).startswith(f"{'Int' if signed else 'Uint'}Array(shape (9,), {'' if signed else 'u'}int{width}, ")
        assert (a.width, a.dtype) == (width, object)
        for found, expected in [
            (a, p),
            (a + b, wrapped(p + q)),
            (a - b, wrapped(p - q)),
            (-a, wrapped(-p)),
            (a + 2**100, wrapped(p + 2**100)),
            (a < b, p < q),
            (a == p, np.ones(9, dtype=bool)),
            (engine.maximum(a, b), np.maximum(p, q)),
            (a >> 70, p >> 70),
            (a << 70, wrapped(p << 70)),
            (a ^ b, p ^ q),
            (a // 10, p // 10),
            (a % 10, p % 10),
            (a[:1] * b[:1], wrapped(p[:1] * q[:1])),
            (a[3:5].max(), max(p[3:5])),
            (a.sum(), wrapped(sum(p))),
            (a.astype(np.uint64), p % 2**64),
        ]:
            assert_claims(found, expected, secret_key)
        for value in (2**width, low - 1):
            with pytest.raises(MessageError, match=f"the value is {value}, and "):
                a + value


@pytest.mark.slow
@pytest.mark.parametrize("width", [128, 256])
def test_quotients_of_wide_integers(width: int, party: IntegerParty) -> None:
    engine, secret_key = party
    x, y = [-(2 ** (width - 1)) + 12345, 2 ** (width - 2) - 1], [3**40, -(7**30)]
    a, b = (engine.encrypt_int(values, secret_key, width=width) for values in (x, y))
    p, q = (np.array(values, dtype=object) for values in (x, y))
    for found, expected in zip(divmod(a, b), (p // q, p % q), strict=True):
        assert_claims(found, expected, secret_key)
    assert_claims(a // (3**70), p // 3**70, secret_key)


def test_counts_of_bits(party: IntegerParty, rng: np.random.Generator) -> None:
    engine, secret_key = party
    for width in (8, 16, 64, 256):
        x = [0, 1, 2**width - 1, 2 ** (width - 1), 12, *(int(v) for v in rng.integers(0, 255, 5))]
        a = engine.encrypt_uint(x, secret_key, width=width)
        leading = [width - value.bit_length() for value in x]
        trailing = [width if value == 0 else (value & -value).bit_length() - 1 for value in x]
        for found, expected in [
            (np.bitwise_count(a), [value.bit_count() for value in x]),
            (engine.leading_zeros(a), leading),
            (engine.trailing_zeros(a), trailing),
        ]:
            assert found.dtype == (np.uint16 if width == 256 else np.uint8)
            assert_claims(found, expected, secret_key)
    signed = engine.encrypt_int(EDGES, secret_key)
    assert_claims(engine.leading_zeros(signed), [0 if v < 0 else 8 - int(v).bit_length() for v in EDGES], secret_key)


def test_choices_between_truth_values(party: IntegerParty) -> None:
    engine, secret_key = party
    values = np.array([(c, a, b) for c in (0, 1) for a in (0, 1) for b in (0, 1)], dtype=bool).T
    c, a, b = (engine.encrypt_bool(v, secret_key) for v in values)
    expected = np.where(*values)
    for found in (
        engine.select(c, a, b),
        engine.select(c, values[1], b),
        engine.select(values[0], a, values[2]),
        np.where(c, values[1], values[2]),
    ):
        assert type(found) is tfhe.BoolArray
        assert_claims(found, expected, secret_key)
    with pytest.raises(OperandTypeError):
        engine.select(c, a, engine.encrypt_uint(np.uint8(3), secret_key))
    with pytest.raises(MessageTypeError):
        engine.select(c, a, 3)
