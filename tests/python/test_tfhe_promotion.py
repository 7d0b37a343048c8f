"""Operands in the clear whose dtype isn't the encrypted one's: NumPy's result, or a refusal."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from everlevel import tfhe
from everlevel.errors import MessageTypeError, WidthError

X = np.array([200, 5], dtype=np.uint8)

WRAPPING = [operator.add, operator.sub, operator.mul, operator.lshift, operator.pow]
SETTLED = [
    operator.floordiv,
    operator.mod,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.rshift,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    np.minimum,
    np.maximum,
]
"""Operations whose value doesn't depend on the width that they are done in."""
NO_INTEGER_BEFORE = {operator.pow: "an exponent", operator.lshift: "an amount", operator.rshift: "an amount"}


@pytest.fixture(scope="module")
def engine() -> tfhe.Engine:
    return tfhe.Engine("integer-4-64", insecure_log_n=10, thread_count=2)


@pytest.fixture(scope="module")
def secret_key(engine: tfhe.Engine) -> tfhe.SecretKey:
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    return secret_key


def of(engine: tfhe.Engine, function: Callable[..., Any]) -> Callable[..., Any]:
    return {np.minimum: engine.minimum, np.maximum: engine.maximum}.get(function, function)


def same(engine: tfhe.Engine, found: Any, secret_key: tfhe.SecretKey, expected: Any) -> None:
    values = engine.decrypt(found, secret_key)
    assert values.dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize("function", [*WRAPPING, *SETTLED], ids=lambda function: function.__name__)
def test_unsigned_dtypes_promote_as_numpys(function: Any, engine: tfhe.Engine, secret_key: tfhe.SecretKey) -> None:
    a = engine.encrypt_uint(X, secret_key)
    for value in (np.uint16(3), np.array([2, 3], dtype=np.uint16), np.uint8(3), 3):
        if function is operator.pow and np.ndim(value):
            continue  # Powers have one exponent.
        same(engine, of(engine, function)(a, value), secret_key, function(X, value))
    wide = engine.encrypt_uint(X.astype(np.uint16), secret_key)
    same(engine, of(engine, function)(wide, np.uint8(3)), secret_key, function(X.astype(np.uint16), np.uint8(3)))
    if function is not operator.pow:
        for value in (np.uint16(300), np.array([1000, 40], dtype=np.uint16)):
            small = engine.encrypt_uint(X % 7, secret_key) + np.uint8(1)
            same(engine, of(engine, function)(value, small), secret_key, function(value, X % 7 + np.uint8(1)))
    if function not in NO_INTEGER_BEFORE:
        # Values that the encrypted width doesn't hold.
        same(engine, of(engine, function)(a, np.uint16(300)), secret_key, function(X, np.uint16(300)))


@pytest.mark.parametrize("value", [np.int64(3), np.array([3, 2]), [3, 2], np.int8(3)], ids=repr)
def test_signed_dtypes_are_taken_where_the_value_is_the_same(
    value: Any, engine: tfhe.Engine, secret_key: tfhe.SecretKey
) -> None:
    a = engine.encrypt_uint(X, secret_key)
    for function in SETTLED:
        found = engine.decrypt(of(engine, function)(a, value), secret_key)
        np.testing.assert_array_equal(found, function(X, value))
    exponent = np.asarray(value).reshape(-1)[0]
    for refused in WRAPPING:
        with pytest.raises(MessageTypeError, match=r"have dtype int(8|64).*numpy\.uint8\), or to a wider") as caught:
            refused(a, exponent if refused is operator.pow else value)
        assert caught.value.dtype in ("int8", "int64")
    for refused in (operator.add, operator.sub, operator.mul):
        with pytest.raises(MessageTypeError, match="have dtype int"):
            refused(value, a)
    # The checked forms tell where a result wrapped around.
    total, overflow = engine.checked_add(a, value)
    assert (total.dtype, bool(engine.decrypt(overflow, secret_key).any())) == (np.uint8, False)


def test_pythons_integers_take_the_encrypted_width(engine: tfhe.Engine, secret_key: tfhe.SecretKey) -> None:
    a = engine.encrypt_uint(X, secret_key)
    for function in (operator.add, operator.sub, operator.mul):
        same(engine, function(a, 100), secret_key, function(X, 100))
        same(engine, function(100, a), secret_key, function(100, X))


def test_assignments_make_new_arrays(engine: tfhe.Engine, secret_key: tfhe.SecretKey) -> None:
    a = b = engine.encrypt_uint(X, secret_key)
    a += np.uint16(100)
    same(engine, a, secret_key, X + np.uint16(100))
    same(engine, b, secret_key, X)


def test_selections_promote(engine: tfhe.Engine, secret_key: tfhe.SecretKey) -> None:
    a = engine.encrypt_uint(X, secret_key)
    large, wide = a > 100, np.array([1000, 2000], dtype=np.uint16)
    same(engine, engine.select(large, a, wide), secret_key, np.where(X > 100, X, wide))
    same(engine, engine.select(large, X, wide), secret_key, np.where(X > 100, X, wide))
    same(engine, engine.select(large, wide, X), secret_key, np.where(X > 100, wide, X))
    with pytest.raises(WidthError, match="8 and 16 bits"):
        engine.select(large, a, engine.encrypt_uint(wide, secret_key))


@pytest.mark.parametrize("function", [operator.lshift, operator.rshift], ids=lambda function: function.__name__)
@pytest.mark.parametrize(("left", "right"), [(np.uint8, np.uint8), (np.uint32, np.uint8), (np.uint8, np.uint16)])
def test_encrypted_amounts_are_numpys(
    function: Any, left: Any, right: Any, engine: tfhe.Engine, secret_key: tfhe.SecretKey
) -> None:
    bits = 8 * np.dtype(left).itemsize
    amounts = np.array([0, bits - 1, bits, 2 * bits, 200], dtype=right)
    x = np.array([200, 255, 1, 77, 200], dtype=left)
    a, by = engine.encrypt_uint(x, secret_key), engine.encrypt_uint(amounts, secret_key)
    for value in (a, x):
        same(engine, function(value, by), secret_key, function(x, amounts))
