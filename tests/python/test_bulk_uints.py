"""Integers of 8 to 64 bits over bulk's digits, against NumPy: operators, comparisons, choices, files and refusals."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everlevel
from everlevel import bulk, errors

ENGINE = bulk.Engine("integer-4-128", insecure_log_n=9, thread_count=1)
SECRET = ENGINE.create_secret_key()
KEY = ENGINE.create_evaluation_key(SECRET)
RNG = np.random.default_rng(32)

Pair = tuple[np.ndarray, np.ndarray]


def pair(width: int, size: int) -> Pair:
    """Return random integers, with all pairs of those at the ends in front."""
    dtype = np.dtype(f"uint{width}")
    top = 2**width - 1
    ends = np.array([0, 1, 2, 3, 4, top // 2, top // 2 + 1, top - 1, top], dtype)
    drawn = RNG.integers(0, top, (2, size - ends.size**2), dtype, endpoint=True)
    both = np.stack([np.repeat(ends, ends.size), np.tile(ends, ends.size)])
    found = np.concatenate([both, drawn], axis=1)
    return found[0], found[1]


def decrypted(x: Any) -> Any:
    return ENGINE.decrypt(x, SECRET)


def check(found: Any, expected: Any) -> None:
    values = decrypted(found)
    assert values.dtype == expected.dtype == found.dtype
    assert np.array_equal(values, expected)
    assert 2**-128 < found.failure_probability < 2**-80


OPERATORS: list[Callable[[Any, Any], Any]] = [
    *(operator.add, operator.sub, operator.and_, operator.or_, operator.xor),
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
]
LONG = [pytest.param(width, 2_000, marks=pytest.mark.slow) for width in (8, 16, 32, 64)]
"""Widths and numbers of elements, of which 512 fill a digit's ciphertext."""


@pytest.mark.parametrize(
    ("width", "size"), [(8, 700), (16, 200), (32, 200), pytest.param(64, 200, marks=pytest.mark.slow)]
)
def test_operators_are_numpys(width: int, size: int) -> None:
    """One ciphertext a digit, and an odd number of several, whose chains of carries go in halves."""
    a, b = pair(width, size)
    x, y = (ENGINE.encrypt_uint(values, SECRET) for values in (a, b))
    known = a.dtype.type(0x5A % 2**width)
    for call in OPERATORS:
        check(call(x, y), call(a, b))
        check(call(x, b), call(a, b))
        check(call(int(known), x), call(known, a))
    check(-x, -a)
    check(~x, ~a)


@pytest.mark.parametrize("width", [8, 32])
def test_pairs_of_ciphertexts_a_digit_are_numpys(width: int) -> None:
    a, b = (values.reshape(2, -1) for values in pair(width, 512))
    x, y = (ENGINE.encrypt_uint(values, ENGINE.create_public_key(SECRET)) for values in (a, b))
    check(x + y, a + b)
    check(x - y, a - b)
    check(x < y, a < b)
    check(ENGINE.minimum(x, y), np.minimum(a, b))
    check(ENGINE.maximum(b, x), np.maximum(b, a))


@pytest.mark.parametrize(("width", "size"), [(8, 700), (16, 200), (32, 200), *LONG])
def test_products_are_numpys(width: int, size: int) -> None:
    a, b = pair(width, size)
    x, y = (ENGINE.encrypt_uint(values, SECRET) for values in (a, b))
    check(x * y, a * b)
    check(x * 10, a * a.dtype.type(10))


@pytest.mark.parametrize(("width", "size"), [(8, 200), (32, 200), *LONG[1:]])
def test_shifts_are_numpys(width: int, size: int) -> None:
    a, amounts = pair(width, size)
    amounts = amounts % a.dtype.type(width + 2)
    x, by = (ENGINE.encrypt_uint(values, SECRET) for values in (a, amounts))
    for amount in sorted({0, 1, 2, 3, width // 2 + 1, width - 1}):
        check(x << amount, a << a.dtype.type(amount))
        check(x >> amount, a >> a.dtype.type(amount))
        turned = a << a.dtype.type(amount) | a >> a.dtype.type((width - amount) % width)
        check(ENGINE.rotate_left(x, amount), turned)
        check(ENGINE.rotate_right(ENGINE.rotate_left(x, amount), amount), a)
    # By amounts of the width and more nothing is left.
    whole = np.where(amounts < width, amounts, 0).astype(a.dtype)
    for shifted, expected in ((x << by, a << whole), (x >> amounts, a >> whole)):
        check(shifted, np.where(amounts < width, expected, 0).astype(a.dtype))


@pytest.mark.parametrize(("width", "size"), [(16, 300), *LONG])
def test_choices_and_truth_values_are_numpys(width: int, size: int) -> None:
    a, b = pair(width, size)
    x, y = (ENGINE.encrypt_uint(values, SECRET) for values in (a, b))
    is_less, is_odd = x < y, (x & 1) == 1
    less, odd = a < b, a % 2 == 1
    check(ENGINE.select(is_less, x, y), np.where(less, a, b))
    check(ENGINE.select(is_less, 7, y), np.where(less, a.dtype.type(7), b))
    check(ENGINE.select(less, x, y), np.where(less, a, b))
    check(ENGINE.select(is_less, a, b), np.where(less, a, b))
    check(
        ENGINE.select(ENGINE.encrypt(less.astype(int), SECRET, max_value=1), x, 0), np.where(less, a, a.dtype.type(0))
    )
    check(is_less & is_odd, less & odd)
    check(is_less | odd, less | odd)
    check(is_less ^ is_odd, less ^ odd)
    check(~is_less, ~less)
    check(is_less == is_odd, less == odd)
    check(is_less != True, less != True)  # noqa: E712 (arrays)


def test_widths_change_without_a_bootstrap() -> None:
    a, _ = pair(32, 200)
    x = ENGINE.encrypt_uint(a, SECRET)
    for dtype in ("uint8", "uint16", "uint32", "uint64"):
        check(x.astype(dtype), a.astype(dtype))
    check(x.astype(np.uint64) << 20, a.astype(np.uint64) << np.uint64(20))


def test_long_chains_of_operations_stay_exact() -> None:
    """Digits that chains of sums, choices and shifts leave are bootstrapped or stay within the bounds."""
    a, b = pair(16, 200)
    x, y = (ENGINE.encrypt_uint(values, SECRET) for values in (a, b))
    for _ in range(6):
        x, a = x + y, a + b
        y, b = ENGINE.maximum(y, x), np.maximum(b, a)
        x, a = ENGINE.select(x > y, y, x) - (y << 1), np.where(a > b, b, a) - (b << np.uint16(1))
    check(x, a)
    check(y, b)


@pytest.mark.parametrize("bits", [5, pytest.param(6, marks=pytest.mark.slow)])
def test_two_digits_fit_spaces_of_more_bits_at_once(bits: int) -> None:
    engine = bulk.Engine(f"integer-{bits}-128", insecure_log_n=9, thread_count=1)
    secret = engine.create_secret_key()
    engine.create_evaluation_key(secret)
    for width, size in ((8, 200), (64, 200)) if bits == 5 else ((8, 700), (16, 200), (64, 200)):
        a, b = pair(width, size)
        x, y = (engine.encrypt_uint(values, secret) for values in (a, b))
        further = (operator.mul, operator.floordiv) if (width, bits) == (8, 6) else ()
        for call in (*OPERATORS, *further):
            known = np.maximum(b, 1) if call is operator.floordiv else b
            other = engine.maximum(y, 1) if call is operator.floordiv else y
            assert np.array_equal(engine.decrypt(call(x, other), secret), call(a, known))
        # Errors of digits that products have left grow, and these go one by one.
        chosen, expected = engine.select(x < y, x, y) + engine.maximum(x, y), np.minimum(a, b) + np.maximum(a, b)
        assert np.array_equal(engine.decrypt(chosen, secret), expected)
        signed = x.astype(f"int{width}") - y.astype(f"int{width}")
        assert np.array_equal(engine.decrypt(signed < 0, secret), (a - b).view(f"int{width}") < 0)


def test_files_and_pickles_hold_integers_and_truth_values(tmp_path: Path) -> None:
    a, b = pair(16, 300)
    x = ENGINE.encrypt_uint(a.reshape(3, 100), SECRET)
    chosen = ENGINE.minimum(x, 500)
    for written, expected in ((x, a), (chosen, np.minimum(a, np.uint16(500))), (x > 500, a > 500)):
        path = tmp_path / "array"
        written.save(path)
        for read in (ENGINE.load(path), pickle.loads(pickle.dumps(written)), everlevel.open(path).object):
            assert (type(read), read.shape, read.dtype) == (type(written), (3, 100), written.dtype)
            check(read, expected.reshape(3, 100))
    x.save(tmp_path / "integers")
    loaded: Any = ENGINE.load(tmp_path / "integers")
    check(loaded + b.reshape(3, 100), (a + b).reshape(3, 100))


def test_arrays_say_what_they_are() -> None:
    x = ENGINE.encrypt_uint(np.zeros((2, 3), np.uint32), SECRET)
    assert repr(x) == "UintArray(shape (2, 3), uint32, p_fail 2^-121)"
    assert repr(x == 0).startswith("BoolArray(shape (2, 3), p_fail 2^-")
    assert (x.width, x.size, x.ndim, len(x), x.reshape(6).shape) == (32, 6, 2, 2, (6,))
    assert np.shape(x) == (2, 3)
    check(np.add(x, 1), np.ones((2, 3), np.uint32))


X = ENGINE.encrypt_uint(np.array([1, 2, 3], np.uint16), SECRET)
STRANGER = ENGINE.create_secret_key()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: X + 70_000, errors.MessageError, "70000"),
        (lambda: X + -1, errors.MessageError, "-1"),
        (lambda: X + np.array([1, 2]), errors.MessageTypeError, r"numpy.asarray\(values, dtype=numpy.uint16\)"),
        (lambda: X + list(range(3)), errors.MessageTypeError, "int64"),
        (lambda: X + np.uint32(1), errors.MessageTypeError, "uint32"),
        (lambda: X + 1.5, errors.MessageTypeError, "float"),
        (lambda: X + np.zeros(4, np.uint16), errors.MessageError, r"\(4,\)"),
        (lambda: X + np.zeros((2, 3), np.uint16), errors.MessageError, "reshape"),
        (lambda: X + X.astype(np.uint8), errors.WidthError, r"astype\(numpy.uint16\)"),
        (lambda: X + ENGINE.encrypt_uint([1, 2], SECRET, width=16), errors.MessageError, "shapes"),
        (lambda: X + ENGINE.encrypt_uint([1, 2, 3], STRANGER, width=16), errors.KeyMismatchError, "secret"),
        (lambda: X + ENGINE.encrypt([1, 2, 3], SECRET), errors.OperandTypeError, "UintArray"),
        (lambda: X + (X > 1), errors.OperandTypeError, "BoolArray"),
        (lambda: X & (X > 1), errors.OperandTypeError, "BoolArray"),
        (lambda: (X > 1) & 1, errors.MessageTypeError, "booleans"),
        (lambda: X / 3, errors.OperandTypeError, "//"),
        (lambda: X // 0, errors.DivisionByZeroError, "leave it out"),
        (lambda: divmod(X, np.array([1, 0, 2], np.uint16)), errors.DivisionByZeroError, "index 1"),
        (lambda: X + X.astype(np.int16), errors.OperandTypeError, "IntArray"),
        (lambda: X.astype(np.int16) + np.array([1, 2, 3], np.uint16), errors.MessageTypeError, "numpy.int16"),
        (lambda: X.astype(np.int16) + 40_000, errors.MessageError, "40000"),
        (lambda: X.sum(axis=1), errors.MessageError, "axis"),
        (lambda: X.sum(), errors.MissingKeyError, "rotations=True"),
        (lambda: ENGINE.encrypt_int([1, 2], SECRET), errors.MessageTypeError, "numpy.int32"),
        (lambda: ENGINE.encrypt_int([128], SECRET, width=8), errors.MessageError, "128"),
        (lambda: ENGINE.estimate_time("add", 3, float), errors.OperandTypeError, "int64"),
        (lambda: ENGINE.estimate_time("bootstrap", 3, np.uint8), errors.ParameterError, "bootstrap"),
        (lambda: X**2, errors.OperandTypeError, "x \\* x"),
        (lambda: X << 16, errors.MessageError, "15"),
        (lambda: X[0], errors.OperandTypeError, "slots"),
        (lambda: bool(X), errors.OperandTypeError, "decrypt"),
        (lambda: X == "one", errors.OperandTypeError, "str"),
        (lambda: np.asarray(X), errors.OperandTypeError, "decrypt"),
        (lambda: np.prod(X), errors.OperandTypeError, "prod"),
        (lambda: X.astype(np.float64), errors.OperandTypeError, "uint64"),
        (lambda: ENGINE.minimum(3, 4), errors.OperandTypeError, "NumPy"),
        (lambda: ENGINE.select(X, X, X), errors.OperandTypeError, "BoolArray"),
        (lambda: ENGINE.select(X > 1, 3, 4), errors.MessageTypeError, "numpy.uint32"),
        (lambda: ENGINE.encrypt_uint([1, 2], SECRET), errors.MessageTypeError, "width"),
        (lambda: ENGINE.encrypt_uint([1, 2], SECRET, width=12), errors.ParameterError, "8, 16, 32 and 64"),
        (lambda: ENGINE.encrypt_uint([300], SECRET, width=8), errors.MessageError, "300"),
        (lambda: ENGINE.encrypt_uint([], SECRET, width=8), errors.MessageError, "empty"),
        (lambda: ENGINE.encrypt_uint([0.5], SECRET, width=8), errors.MessageTypeError, "float"),
        (lambda: ENGINE.encrypt_uint([1], KEY, width=8), errors.OperandTypeError, "EvaluationKey"),
        (lambda: ENGINE.decrypt(X, STRANGER), errors.KeyMismatchError, "secret"),
    ],
)
def test_what_is_wrong_is_refused_with_both_values(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("parameters", ["gate-128", "integer-3-128"])
def test_other_spaces_have_no_integers_of_many_digits(parameters: str) -> None:
    engine = bulk.Engine(parameters, insecure_log_n=9)
    with pytest.raises(errors.SpaceError, match="4 to 6 bits"):
        engine.encrypt_uint([1], engine.create_secret_key(), width=8)


def test_keys_are_asked_for() -> None:
    x = ENGINE.encrypt_uint([1, 2], STRANGER, width=8)
    with pytest.raises(errors.MissingKeyError, match="create_evaluation_key"):
        x + x
