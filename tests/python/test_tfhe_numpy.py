"""NumPy's functions on encrypted arrays, and comparisons with what isn't known."""

from __future__ import annotations

import array
import contextlib
import operator
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import tfhe
from everlevel.errors import MessageError, OperandTypeError

X = np.array([[3, 200, 7], [0, 200, 9]], dtype=np.uint8)
Y = np.array([2, 5, 7], dtype=np.uint8)


@pytest.fixture(scope="module")
def engine() -> tfhe.Engine:
    return tfhe.Engine("integer-4-64", insecure_log_n=10, thread_count=2)


@pytest.fixture(scope="module")
def secret_key(engine: tfhe.Engine) -> tfhe.SecretKey:
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    return secret_key


@pytest.fixture(scope="module")
def bit() -> tfhe.Ciphertext:
    gates = tfhe.Engine("gate-64", insecure_log_n=9, thread_count=1)
    key = gates.create_secret_key()
    gates.create_evaluation_key(key)
    return gates.encrypt(True, key)


@pytest.mark.parametrize(
    "function",
    [
        np.add,
        np.subtract,
        np.multiply,
        np.floor_divide,
        np.remainder,
        np.bitwise_and,
        np.bitwise_or,
        np.bitwise_xor,
        np.equal,
        np.not_equal,
        np.less,
        np.less_equal,
        np.greater,
        np.greater_equal,
    ],
)
def test_functions_of_two_are_operators(function: Any, engine: tfhe.Engine, secret_key: tfhe.SecretKey) -> None:
    a, b = engine.encrypt_uint(X, secret_key), engine.encrypt_uint(Y, secret_key)
    for left, right in [(a, b), (a, Y), (X, b)]:
        assert_claims(function(left, right), function(X, Y), secret_key)


def test_functions_of_one_are_operators_and_methods(engine: tfhe.Engine, secret_key: tfhe.SecretKey) -> None:
    a = engine.encrypt_uint(X, secret_key)
    for function in (np.negative, np.invert):
        assert_claims(function(a), function(X), secret_key)
    assert_claims(np.sum(a), X.sum(dtype=np.uint8), secret_key)
    for function in (np.min, np.max, np.argmin, np.argmax):
        assert_claims(function(a, axis=1), function(X, axis=1), secret_key)
    large = a > 6
    for function in (np.any, np.all):
        assert_claims(function(large, axis=0), function(X > 6, axis=0), secret_key)
    assert (np.shape(a), np.ndim(a), np.size(a)) == (X.shape, X.ndim, X.size)
    assert_claims(np.reshape(a, (3, 2)), X.reshape(3, 2), secret_key)
    for found, expected in zip(np.divmod(a, Y), np.divmod(X, Y), strict=True):
        assert_claims(found, expected, secret_key)
    for values in (a << 1, np.left_shift(a, 1)):
        assert_claims(values, X << np.uint8(1), secret_key)


def test_functions_beside_operators(engine: tfhe.Engine, secret_key: tfhe.SecretKey) -> None:
    a, b = engine.encrypt_uint(X, secret_key), engine.encrypt_uint(Y, secret_key)
    for function in (np.minimum, np.maximum):
        for left, right in [(a, b), (a, Y), (X, b)]:
            assert_claims(function(left, right), function(X, Y), secret_key)
    for condition, left, right in [(a > b, a, b), (a > b, X, b), (X > Y, a, Y), (a > b, X, Y)]:
        assert_claims(np.where(condition, left, right), np.where(X > Y, X, Y), secret_key)
    for low, high in [(4, 100), (None, 100), (4, None), (100, 4)]:
        assert_claims(np.clip(a, low, high), np.clip(X, low, high), secret_key)
    assert_claims(np.square(a), np.square(X), secret_key)
    assert_claims(np.ravel(a), np.ravel(X), secret_key)
    for axis in (0, 1, -1):
        assert_claims(np.stack([a, a[::-1]], axis=axis), np.stack([X, X[::-1]], axis=axis), secret_key)
    assert_claims(np.concatenate([a, a[:, :1]], axis=1), np.concatenate([X, X[:, :1]], axis=1), secret_key)
    cube, clear = np.stack([a, a, a[::-1]]), np.stack([X, X, X[::-1]])
    for axes in (None, (1, 2, 0), (-1, 0, 1)):
        assert_claims(np.transpose(cube, axes), np.transpose(clear, axes), secret_key)
    for axes in [(0, 0, 1), (0, 1), (0, 1, 5), "xyz"]:
        with pytest.raises(MessageError, match=r"transpose: axes .* shape \(3, 2, 3\)"):
            np.transpose(cube, axes)
    with pytest.raises(OperandTypeError, match=r"numpy\.square: where"):
        np.square(a, where=X > 4)
    assert_claims(np.stack([a, X]), np.stack([X, X]), secret_key)


def test_powers_wrap_around(engine: tfhe.Engine, secret_key: tfhe.SecretKey) -> None:
    a = engine.encrypt_uint(X, secret_key)
    for exponent in (0, 1, 2, 5, np.uint8(6)):
        for found in (a**exponent, np.power(a, exponent)):
            assert_claims(found, X ** np.uint8(exponent), secret_key)
    with pytest.raises(MessageError, match="power: the value is -1"):
        a**-1
    with pytest.raises(MessageError, match="a single integer is needed"):
        a ** [1, 2, 3]


def test_other_functions_are_refused(engine: tfhe.Engine, secret_key: tfhe.SecretKey, bit: tfhe.Ciphertext) -> None:
    a = engine.encrypt_uint(X, secret_key)
    for refused in [
        lambda: np.true_divide(a, 2),
        lambda: np.sqrt(a),
        lambda: np.subtract.reduce(a),
        lambda: np.add(X, a, out=X.copy()),
        lambda: np.floor_divide(bit, bit),
        lambda: np.diff(a),
        lambda: np.sum(a, initial=3),
        lambda: np.min(bit),
        lambda: np.asarray(a),
    ]:
        with pytest.raises(OperandTypeError, match=r"^(numpy\.\w+|array): .*; use ") as caught:
            refused()
        assert caught.value.actual


UNKNOWN: list[Any] = [
    Fraction(3), Decimal(3), range(3), memoryview(b"abc"), array.array("B", [3]), "3", b"3", {3}, None, object()
]  # fmt: skip


@pytest.mark.parametrize("value", UNKNOWN, ids=lambda value: type(value).__name__)
def test_equality_with_what_is_not_known_is_refused(
    value: Any, engine: tfhe.Engine, secret_key: tfhe.SecretKey, bit: tfhe.Ciphertext
) -> None:
    encrypted = [bit, engine.encrypt(3, secret_key), engine.encrypt_uint(3, secret_key, width=8)]
    encrypted.append(encrypted[-1] == 3)
    for x in encrypted:
        for compare in (operator.eq, operator.ne):
            for left, right in [(x, value), (value, x)]:
                with pytest.raises(OperandTypeError, match=rf"equal: an .* of type {type(value).__name__}; pass "):
                    compare(left, right)


def test_the_documented_functions_are_those_that_work(engine: tfhe.Engine, secret_key: tfhe.SecretKey) -> None:
    """Every function that NumPy lets other arrays answer for, tried; the page's table lists those that work."""
    page = (Path(__file__).parents[2] / "docs/tfhe.md").read_text(encoding="utf-8")
    table = page.split("| NumPy's | of |\n|---|---|\n")[1].split("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
    documented: dict[str, set[str]] = {"integers": set(), "truth values": set()}
    for functions, kinds in rows:
        for kind in kinds.split(", "):
            documented[kind] |= set(re.findall(r"`(\w+)`", functions))

    a = engine.encrypt_uint(Y[:1], secret_key)
    for kind, x in (("integers", a), ("truth values", a > 2)):
        working, cube = set(), x.reshape(1, 1, 1)
        several: tuple[Any, ...] = ((x,), (x, x), (x, 1), (x, (1, 1)), ([x, x],), (x, x, x), (a > 2, x, x))
        several += ((x, np.array([0])), (x, []), (x, 0, 0), (cube,), (cube, 1))
        for name in dir(np):
            function = getattr(np, name)
            if not isinstance(function, np.ufunc) and not hasattr(function, "_implementation"):
                continue
            for arguments in several:
                # An argument after a ufunc's operands is the array for its result.
                if isinstance(function, np.ufunc) and len(arguments) > function.nargs - function.nout:
                    continue
                # NumPy's own errors, of arguments that are nobody's, are refusals as well.
                with contextlib.suppress(TypeError, ValueError, AttributeError, ZeroDivisionError):
                    function(*arguments)
                    # Some stand under several names.
                    working.add(OTHER_NAMES.get(name, name))
        assert working == documented[kind], kind


OTHER_NAMES = {
    "abs": "absolute",
    "mod": "remainder",
    "pow": "power",
    "amin": "min",
    "amax": "max",
    "concat": "concatenate",
    "permute_dims": "transpose",
    "bitwise_not": "invert",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
}
