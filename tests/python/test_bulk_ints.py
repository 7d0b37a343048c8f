"""Quotients, signed integers and reductions over bulk's digits, against NumPy, and estimates of their times."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from everlevel import bulk, errors

ENGINE = bulk.Engine("integer-4-128", insecure_log_n=9, thread_count=1)
SECRET = ENGINE.create_secret_key()
KEY = ENGINE.create_evaluation_key(SECRET, rotations=True)
RNG = np.random.default_rng(33)

SLOW = [pytest.param(dtype, 2_000, marks=pytest.mark.slow) for dtype in ("uint16", "int16", "int32", "int64")]


def encrypted(values: Any) -> Any:
    return (ENGINE.encrypt_int if values.dtype.kind == "i" else ENGINE.encrypt_uint)(values, SECRET)


def pair(dtype: str, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return random integers of all lengths, with all pairs of those at the ends in front."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    ends = np.array(sorted({low, low + 1, -1 if low else 2, 0, 1, 3, high - 1, high}), dtype)
    count = size - ends.size**2
    drawn = RNG.integers(low, high, (2, count), dtype, endpoint=True) >> RNG.integers(0, np.iinfo(dtype).bits, count)
    both = np.stack([np.repeat(ends, ends.size), np.tile(ends, ends.size)])
    found = np.concatenate([both, drawn.astype(dtype)], axis=1)
    return found[0], found[1]


def check(found: Any, expected: Any) -> None:
    values = ENGINE.decrypt(found, SECRET)
    assert values.dtype == expected.dtype == found.dtype
    assert np.array_equal(values, expected)
    assert 2**-128 < found.failure_probability < 2**-80


def divided(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return NumPy's quotients and remainders, and ours of divisors of zero."""
    with np.errstate(all="ignore"):
        quotient, remainder = np.divmod(a, np.where(b == 0, 1, b).astype(b.dtype))
    by_zero = np.where(a < 0, 0, -1).astype(a.dtype) if a.dtype.kind == "i" else np.full_like(a, ~np.zeros_like(a[0]))
    return np.where(b == 0, by_zero, quotient), np.where(b == 0, a, remainder)


@pytest.mark.parametrize(("dtype", "size"), [("uint8", 200), ("int8", 200), *SLOW])
def test_quotients_and_remainders_are_numpys(dtype: str, size: int) -> None:
    a, b = pair(dtype, size)
    x, y = encrypted(a), encrypted(b)
    quotient, remainder = divided(a, b)
    found = divmod(x, y)
    check(found[0], quotient)
    check(found[1], remainder)


@pytest.mark.parametrize(
    ("dtype", "divisors"),
    [
        *(("uint8", (10,)), ("int8", (-3,))),
        pytest.param("uint16", (1, 8, 10, 96, 641), marks=pytest.mark.slow),
        pytest.param("int16", (1, 8, 10, -3, -8, 641), marks=pytest.mark.slow),
    ],
)
def test_divisors_in_the_clear_are_numpys(dtype: str, divisors: tuple[int, ...]) -> None:
    a, _ = pair(dtype, 200)
    x = encrypted(a)
    for divisor in divisors:
        quotient, remainder = np.divmod(a, a.dtype.type(divisor))
        check(x // divisor, quotient)
        check(x % divisor, remainder)
    with np.errstate(all="ignore"):
        check(x * divisors[0], a * a.dtype.type(divisors[0]))


def test_divisors_of_many_values_in_the_clear_are_numpys() -> None:
    a, b = pair("uint8", 200)
    b[b == 0] = 7
    x = encrypted(a)
    check(x // b, a // b)
    check(b % (x | 1), b % (a | 1))


SIGNED: list[Callable[[Any, Any], Any]] = [
    *(operator.add, operator.sub, operator.mul, operator.and_, operator.or_, operator.xor),
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
]


@pytest.mark.parametrize(("dtype", "size"), [("int8", 200), *SLOW[1:]])
def test_signed_operators_are_numpys(dtype: str, size: int) -> None:
    a, b = pair(dtype, size)
    x, y = encrypted(a), encrypted(b)
    with np.errstate(all="ignore"):
        for call in SIGNED:
            check(call(x, y), call(a, b))
        check(x - b, a - b)
        check(5 - x, 5 - a)
        check(x < -5, a < -5)
        check(x < 0, a < 0)
        check(-x, -a)
        check(~x, ~a)
        check(abs(x), abs(a))
        check(ENGINE.minimum(x, y), np.minimum(a, b))
        check(ENGINE.maximum(-3, y), np.maximum(a.dtype.type(-3), b))
        check(ENGINE.select(x < y, x, -7), np.where(a < b, a, a.dtype.type(-7)))
        for amount in (0, 1, 4, 7):
            check(x << amount, a << a.dtype.type(amount))
            check(x >> amount, a >> a.dtype.type(amount))


def test_signed_integers_change_their_types() -> None:
    a, amounts = pair("int8", 200)
    x, by = encrypted(a), encrypted(amounts % 8)
    for dtype in ("int16", "int64", "uint8", "uint16", "int8"):
        check(x.astype(dtype), a.astype(dtype))
    check(x.astype(np.int16).astype(np.int8), a)
    check(encrypted(a.view(np.uint8)).astype(np.int16), a.view(np.uint8).astype(np.int16))
    check(x >> by, a >> amounts % 8)
    check(x >> by.astype(np.uint8), (a >> amounts % 8).astype(np.int16))


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [
        ("int8", (5, 60)),
        *(pytest.param(dtype, (7, 150), marks=pytest.mark.slow) for dtype in ("uint8", "int8")),
        *(pytest.param(dtype, (3, 4, 37), marks=pytest.mark.slow) for dtype in ("uint8", "int16")),
    ],
)
def test_reductions_are_numpys(dtype: str, shape: tuple[int, ...]) -> None:
    """In one ciphertext a digit, and in several."""
    a = RNG.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    x = encrypted(a)
    check(x.sum(-1), a.sum(-1, dtype))
    check(x.max(0, keepdims=True), a.max(0, keepdims=True))
    check(np.min(x, axis=0), np.min(a, axis=0))
    if len(shape) > 2 or shape[0] > 5:
        check(x.sum(0), a.sum(0, dtype))
        wide = np.result_type(dtype, np.int16 if dtype.startswith("i") else np.uint16)
        check(x.sum(dtype=wide), a.sum(dtype=wide))


def test_files_and_pickles_hold_signed_integers(tmp_path: Path) -> None:
    a, _ = pair("int16", 300)
    x = encrypted(a)
    x.save(tmp_path / "integers")
    for read in (ENGINE.load(tmp_path / "integers"), pickle.loads(pickle.dumps(x))):
        assert isinstance(read, bulk.IntArray)
        check(read, a)
    assert repr(x) == "IntArray(shape (300,), int16, p_fail 2^-117)"


def test_times_of_integers_are_estimated_and_tfhe_is_for_few() -> None:
    times = {name: ENGINE.estimate_time(name, 512, np.uint32) for name in ("and", "add", "less", "multiply", "divmod")}
    assert times["add"].seconds < 1.3 * times["and"].seconds < times["multiply"].seconds < times["divmod"].seconds
    assert ENGINE.estimate_time("less", 512, np.int32).seconds < 1.3 * times["less"].seconds
    few, many = (ENGINE.estimate_time("add", size, np.uint16) for size in (1, 500_000))
    assert "everlevel.tfhe" in few.advice
    assert many.advice == ""
    with pytest.raises(errors.SpaceError, match="4 to 6 bits"):
        bulk.Engine("integer-3-128", insecure_log_n=9).estimate_time("add", 3, np.uint8)
