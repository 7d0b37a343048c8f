"""Integers of 8 to 64 bits against NumPy's, with a set without security; what is refused; and a real set."""

from __future__ import annotations

import operator
import pickle
import threading
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claims import assert_claims
from concurrency import ctrl_c_at_the_first_step
from everlevel import tfhe
from everlevel.cli import main
from everlevel.errors import (
    ChecksumError,
    DivisionByZeroError,
    EngineMismatchError,
    FileParametersError,
    KeyMismatchError,
    MessageError,
    MessageTypeError,
    MissingKeyError,
    OperandTypeError,
    ParameterError,
    SpaceError,
    TruncatedFileError,
    WidthError,
)

DTYPES = [np.uint8, np.uint16, np.uint32, np.uint64]
Party = tuple[tfhe.Engine, tfhe.SecretKey]


def make(parameters: str = "insecure-integer-4-64", **options: Any) -> Party:
    if not parameters.startswith("insecure"):
        options = {"insecure_log_n": 10, **options}
    engine = tfhe.Engine(parameters, **{"thread_count": 2, **options})
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    return engine, secret_key


@pytest.fixture(scope="module")
def party() -> Party:
    return make()


def draw(rng: np.random.Generator, dtype: Any, shape: Any) -> Any:
    """Values among which there are the edges."""
    top = np.iinfo(dtype).max
    values = rng.integers(0, top, shape, dtype=dtype, endpoint=True)
    edges = rng.choice(np.array([0, 1, top, top - 1, top // 2 + 1], dtype=dtype), shape)
    return np.where(rng.random(shape) < 0.4, edges, values)


BINARY = [operator.add, operator.sub, operator.and_, operator.or_, operator.xor]
COMPARE = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


@pytest.mark.parametrize("dtype", DTYPES)
def test_operators_are_numpys(dtype: Any, party: Party, rng: np.random.Generator) -> None:
    engine, secret_key = party
    # One column against rows: broadcast.
    x, y = draw(rng, dtype, (3, 1)), draw(rng, dtype, 2)
    x[0] = y[0]
    a, b = engine.encrypt_uint(x, secret_key), engine.encrypt_uint(y, secret_key)
    assert (a.shape, a.dtype, a.width) == ((3, 1), dtype, 8 * np.dtype(dtype).itemsize)
    with np.errstate(over="ignore"):
        for function in [*BINARY, *COMPARE]:
            for left, right in [(a, b), (a, y), (x, b)]:
                found = engine.decrypt(function(left, right), secret_key)
                expected = function(x, y)
                assert found.dtype == expected.dtype
                np.testing.assert_array_equal(found, expected)
        for found, expected in [
            (-a, -x),
            (~a, ~x),
            (engine.minimum(a, b), np.minimum(x, y)),
            (engine.maximum(x, b), np.maximum(x, y)),
            (a + 3, x + dtype(3)),
            (7 - b, dtype(7) - y),
            (a.T, x.T),
        ]:
            assert_claims(found, expected, secret_key)


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_are_numpys(dtype: Any, party: Party, rng: np.random.Generator) -> None:
    engine, secret_key = party
    x, y = draw(rng, dtype, 2), draw(rng, dtype, 2)
    a = engine.encrypt_uint(x, secret_key)
    for left, right in [(a, engine.encrypt_uint(y, secret_key)), (a, y), (y, a)]:
        assert_claims(left * right, x * y, secret_key)
    assert_claims(10 * a, dtype(10) * x, secret_key)


@pytest.mark.parametrize("dtype", DTYPES)
def test_quotients_are_numpys(dtype: Any, party: Party, rng: np.random.Generator) -> None:
    engine, secret_key = party
    # One column against a row: broadcast.
    x, y = draw(rng, dtype, (2, 1)), np.maximum(draw(rng, dtype, 2) >> dtype(rng.integers(8)), dtype(1))
    if dtype == np.uint64:
        x, y = x[:1], y[:1]
    a, b = engine.encrypt_uint(x, secret_key), engine.encrypt_uint(y, secret_key)
    for left, right in [(a, b), (a, y)]:
        for found, expected in zip(divmod(left, right), divmod(x, y), strict=True):
            assert found.dtype == dtype
            assert_claims(found, expected, secret_key)
    for divisor in (1, 8, 10, 97):
        assert_claims(a // divisor, x // dtype(divisor), secret_key)
        assert_claims(a % divisor, x % dtype(divisor), secret_key)


def test_quotients_in_both_orders(party: Party, rng: np.random.Generator) -> None:
    engine, secret_key = party
    x, y = draw(rng, np.uint8, (2, 1)), np.maximum(draw(rng, np.uint8, 3), np.uint8(1))
    a, b = engine.encrypt_uint(x, secret_key), engine.encrypt_uint(y, secret_key)
    for left, right in [(a, b), (a, y), (x, b)]:
        for function in (operator.floordiv, operator.mod):
            assert_claims(function(left, right), function(x, y), secret_key)
        for found, expected in zip(divmod(left, right), divmod(x, y), strict=True):
            assert_claims(found, expected, secret_key)
    assert_claims(100 // b, np.uint8(100) // y, secret_key)
    assert_claims(divmod(100, b)[1], np.uint8(100) % y, secret_key)


def test_division_by_zero(party: Party) -> None:
    engine, secret_key = party
    x, y = np.array([[7, 200], [0, 9]], dtype=np.uint8), np.array([0, 3], dtype=np.uint8)
    a, b = engine.encrypt_uint(x, secret_key), engine.encrypt_uint(y, secret_key)
    quotient, remainder = divmod(a, b)
    assert_claims(quotient, [[255, 66], [255, 3]], secret_key)
    assert_claims(remainder, [[7, 2], [0, 0]], secret_key)
    for divisor in (b, y):
        for function, found in [(engine.checked_floor_divide, quotient), (engine.checked_remainder, remainder)]:
            result, by_zero = function(a, divisor)
            np.testing.assert_array_equal(engine.decrypt(result, secret_key), engine.decrypt(found, secret_key))
            assert_claims(by_zero, [[True, False]] * 2, secret_key)
    # Zeros that everybody can see, and zeros that nobody can.
    for zero in (b - b, b ^ b):
        assert_claims(a // zero, np.full((2, 2), 255), secret_key)
        assert_claims(a % zero, x, secret_key)
    for function in (operator.floordiv, operator.mod, divmod):
        for divisor, place in [(0, None), (np.uint8(0), None), ([3, 0], 1), (np.array([[1, 2], [0, 0]]), (1, 0))]:
            with pytest.raises(DivisionByZeroError, match="is 0; leave it out") as caught:
                function(a, divisor)
            assert caught.value.index == (() if place is None else place)
            assert isinstance(caught.value, ZeroDivisionError)
        for refused in (0.0, 2.5, "a", -1, 256):
            with pytest.raises((MessageError, TypeError)):
                function(a, refused)
    with pytest.raises(MessageError, match="-1, and 0 to 255"):
        a // -1
    with pytest.raises(TypeError):
        a / 2  # type: ignore[operator]


@settings(max_examples=settings().max_examples // 8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=st.lists(st.tuples(st.integers(0, 255), st.integers(0, 255)), min_size=1, max_size=12))
def test_overflow_is_told(pairs: list[tuple[int, int]], party: Party) -> None:
    engine, secret_key = party
    x, y = np.array(pairs, dtype=object).T
    a, b = (engine.encrypt_uint(v.astype(np.uint8), secret_key) for v in (x, y))
    for function, exact in [
        (engine.checked_add, x + y),
        (engine.checked_subtract, x - y),
        (engine.checked_multiply, x * y),
    ]:
        result, overflow = function(a, b)
        assert_claims(result, (exact % 256).astype(np.uint8), secret_key)
        assert_claims(overflow, (exact < 0) | (exact > 255), secret_key)


@pytest.mark.parametrize("dtype", DTYPES)
def test_shifts_are_numpys(dtype: Any, party: Party, rng: np.random.Generator) -> None:
    engine, secret_key = party
    bits = 8 * np.dtype(dtype).itemsize
    x, by = draw(rng, dtype, 3), rng.integers(0, bits, 3, dtype=np.uint8)
    a, amounts = engine.encrypt_uint(x, secret_key), engine.encrypt_uint(by, secret_key)
    by = by.astype(dtype)

    def rotated(by: Any) -> Any:
        return np.where(by == 0, x, x << by | x >> (bits - by) % bits).astype(dtype)

    for found, expected in [
        (a << 3, x << dtype(3)),
        (a >> 5, x >> dtype(5)),
        (a << by, x << by),
        (a >> by[[0, 1, 0]], x >> by[[0, 1, 0]]),
        (a << amounts, x << by),
        (a >> amounts, x >> by),
        (engine.rotate_left(a, amounts), rotated(by)),
        (engine.rotate_left(a, by + dtype(bits)), rotated(by)),
        (engine.rotate_right(a, dtype(bits) - by), rotated(by)),
        (engine.rotate_left(x, amounts), rotated(by)),
        (x << amounts, x << by),
        (x[0] >> amounts, x[0] >> by),
    ]:
        assert_claims(found, expected, secret_key)
    with pytest.raises(MessageTypeError, match="no width"):
        1 << amounts
    for refused in (lambda: engine.rotate_left(a > 1, amounts), lambda: engine.rotate_left(a > 1, 1)):
        with pytest.raises(OperandTypeError, match="a is of type BoolArray"):
            refused()
    for amount in (bits, -1, 2**40, 2**64):
        with pytest.raises(MessageError, match=f"{amount}, and 0 to {bits - 1}"):
            a << amount


def test_one_of_many(party: Party, rng: np.random.Generator) -> None:
    engine, secret_key = party
    x = rng.integers(0, 12, (3, 5), dtype=np.uint16)
    a = engine.encrypt_uint(x, secret_key)
    for axis in (None, 0, 1, -1):
        for name in ("min", "max", "argmin", "argmax", "sum"):
            found = engine.decrypt(getattr(a, name)(axis=axis), secret_key)
            np.testing.assert_array_equal(found, getattr(x, name)(axis=axis), err_msg=f"{name}, axis {axis}")
            assert found.dtype == (np.uint8 if name.startswith("arg") else np.uint16)
        b = engine.encrypt_bool(x > 8, secret_key)
        for name in ("any", "all"):
            found = engine.decrypt(getattr(b, name)(axis=axis), secret_key)
            np.testing.assert_array_equal(found, getattr(x > 8, name)(axis=axis))
    assert int(engine.decrypt(a[0, 0].max(), secret_key)) == x[0, 0]
    for axis in (2, "a"):
        for name in ("max", "sum", "argmin"):
            with pytest.raises(MessageError, match=f"{name}: axis"):
                getattr(a, name)(axis=axis)
        for name in ("any", "all"):
            with pytest.raises(MessageError, match=f"{name}: axis"):
                getattr(a > 8, name)(axis=axis)


def test_truth_values(party: Party) -> None:
    engine, secret_key = party
    x = np.array([3, 50, 200, 7], dtype=np.uint8)
    a = engine.encrypt_uint(x, secret_key)
    few, many = a < 10, a > 100
    p, q = x < 10, x > 100
    for found, expected in [
        (few | many, p | q),
        (few & [True, True, False, False], p & [True, True, False, False]),
        (True ^ few, ~p),
        (~many, ~q),
        (few == many, p == q),
        (few != many, p != q),
        (np.array([True, False, True, True]) == few, p == [True, False, True, True]),
        (engine.select(many, a - 100, a), np.where(q, x - 100, x)),
        (engine.select(few, np.uint8(1), np.uint8(2)), np.where(p, 1, 2)),
        (engine.select([True, False, True, False], a, 9), np.where([True, False, True, False], x, 9)),
        (engine.select(few[0], a, 0), x),
        (few.astype(np.uint16).sum(), p.sum()),
        (a[few.shape[0] - 1 :], x[3:]),
    ]:
        assert_claims(found, expected, secret_key)
    assert few.dtype == np.bool_
    assert repr(few).startswith("BoolArray(shape (4,), p_fail 2^-")
    joined = tfhe.concatenate([few, many])
    assert_claims(joined, [*p, *q], secret_key)


def test_widths(party: Party) -> None:
    engine, secret_key = party
    x = np.array([[300, 7]], dtype=np.uint16)
    a = engine.encrypt_uint(x, secret_key)
    assert repr(a).startswith("UintArray(shape (1, 2), uint16, p_fail 2^-")
    for dtype in DTYPES:
        found = engine.decrypt(a.astype(dtype), secret_key)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, x.astype(dtype))
    assert_claims(tfhe.stack([a, a + 1]), np.stack([x, x + 1]), secret_key)
    other = engine.encrypt_uint([1, 2], secret_key, width=32)
    for refused in (lambda: a + other, lambda: a < other, lambda: engine.select(a > a, a, other)):
        with pytest.raises(WidthError, match=r"16 and 32 bits.*astype") as caught:
            refused()
        assert (caught.value.left, caught.value.right) == (16, 32)
    with pytest.raises(WidthError, match=r"^concatenate: .* 16 and 32 bits; .*x\.astype\(numpy\.uint32\)"):
        tfhe.concatenate([a, other.reshape(1, 2)])
    for dtype in (np.float16, "float", "nonsense"):
        with pytest.raises(OperandTypeError, match="uint8"):
            a.astype(dtype)


def test_large_integers_of_python(party: Party) -> None:
    """NumPy makes floating-point numbers of some lists of them."""
    engine, secret_key = party
    values = [2**63, 2**64 - 1, 1]
    a = engine.encrypt_uint(values, secret_key, width=64)
    assert_claims(a, np.array(values, dtype=np.uint64), secret_key)
    assert_claims(a ^ values, [0, 0, 0], secret_key)


def test_what_is_no_operand(party: Party) -> None:
    engine, secret_key = party
    a = engine.encrypt_uint(np.array([1, 2], dtype=np.uint8), secret_key)
    for value, shown in [
        (256, "the value is 256, and 0 to 255"),
        (-1, "-1, and 0 to 255"),
        ([0, 300], "index 1 is 300"),
        (2**64, f"the value is {2**64}, and 0 to 255"),
        ([2**63, -1], f"index 0 is {2**63}"),
    ]:
        with pytest.raises(MessageError, match=shown):
            a + value
        with pytest.raises(MessageError, match=shown):
            engine.encrypt_uint(value, secret_key, width=8)
    with pytest.raises(MessageTypeError, match="no width"):
        engine.rotate_left(7, a)
    for value in (0.5, np.array([1.0, 2.0]), True, ["a"]):
        with pytest.raises(MessageTypeError, match="dtype"):
            a * value
    with pytest.raises(MessageError, match="don't go together"):
        a * [1, 2, 3]
    for value in (7, [1, 2], np.array([1, 2])):
        with pytest.raises(MessageTypeError, match="pass width=8"):
            engine.encrypt_uint(value, secret_key)
    with pytest.raises(ParameterError, match="8, 16, 32, 64, 128, 256 are taken"):
        engine.encrypt_uint(7, secret_key, width=24)
    with pytest.raises(OperandTypeError):
        engine.encrypt_uint(7, secret_key, width="8")  # type: ignore[arg-type]
    with pytest.raises(MessageTypeError, match="bool"):
        engine.encrypt_bool([1, 0], secret_key)
    small = engine.encrypt([1, 2], secret_key)
    for refused in (lambda: a + small, lambda: a & small, lambda: small * (a > 1), lambda: a << small):
        with pytest.raises(OperandTypeError):
            refused()
    with pytest.raises(OperandTypeError, match=r"numpy\.where"):
        engine.select([True], [1], [2])
    for a_or_b in (small, a > 1):
        with pytest.raises(OperandTypeError, match="select: b is of type"):
            engine.select(a > 1, a, a_or_b)
    with pytest.raises(OperandTypeError, match="UintArray is encrypted"):
        engine.encrypt_uint([a[0], a[1]], secret_key, width=8)
    with pytest.raises(MessageTypeError, match="no width"):
        engine.select(a > 1, 1, 2)
    with pytest.raises(OperandTypeError, match="none of the operands"):
        engine.minimum(1, 2)
    with pytest.raises(OperandTypeError, match="neither true nor false"):
        bool(a == a)


def test_other_keys_and_parameters(party: Party) -> None:
    engine, secret_key = party
    a = engine.encrypt_uint(np.uint8(7), secret_key)
    other = engine.create_secret_key()
    b = engine.encrypt_uint(np.uint8(7), other)
    with pytest.raises(MissingKeyError):
        b + 1
    with pytest.raises(KeyMismatchError):
        a + b
    with pytest.raises(KeyMismatchError, match=r"^decrypt: "):
        engine.decrypt(a, other)
    elsewhere, key = make("integer-5-64")
    c = elsewhere.encrypt_uint(np.uint8(7), key)
    for refused in (lambda: a + c, lambda: engine.decrypt(c, secret_key), lambda: engine.minimum(a, c)):
        with pytest.raises(EngineMismatchError):
            refused()
    for parameters, found in [("gate-64", "bits"), ("integer-3-64", "integers of 3 bits")]:
        engine, secret_key = make(parameters)
        for refused in (
            lambda engine=engine, key=secret_key: engine.encrypt_uint(np.uint8(1), key),
            lambda engine=engine, key=secret_key: engine.encrypt_bool(True, key),
        ):
            with pytest.raises(SpaceError, match="4 bits or more") as caught:
                refused()
            assert caught.value.found == found


def test_files_and_pickles(party: Party, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine, secret_key = party
    x = np.array([[1, 2**31], [3, 4]], dtype=np.uint32)
    a = engine.encrypt_uint(x, secret_key) + 1
    flags = a > 3
    for obj, name in [(a, "uints"), (flags, "bools")]:
        obj.save(tmp_path / name)
        for again in (engine.load(tmp_path / name), pickle.loads(pickle.dumps(obj))):
            assert type(again) is type(obj)
            assert (again.shape, again.dtype, again.log2_p_fail) == (obj.shape, obj.dtype, obj.log2_p_fail)
            np.testing.assert_array_equal(engine.decrypt(again, secret_key), engine.decrypt(obj, secret_key))
    assert main(["inspect", str(tmp_path / "uints"), str(tmp_path / "bools")]) == 0
    out = capsys.readouterr().out
    for line in ("tfhe uint array", "width bits", "32", "(2,2)", "tfhe bool array"):
        assert line in out
    with pytest.raises(FileParametersError):
        make("integer-5-64")[0].load(tmp_path / "uints")
    whole = (tmp_path / "uints").read_bytes()
    (tmp_path / "uints").write_bytes(whole[:-100])
    with pytest.raises(TruncatedFileError):
        engine.load(tmp_path / "uints")
    (tmp_path / "uints").write_bytes(whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:])
    with pytest.raises(ChecksumError):
        engine.load(tmp_path / "uints")


def test_long_arrays_are_cut_into_slices() -> None:
    engine, secret_key = make(thread_count=1)
    x = np.arange(150, dtype=np.uint8)
    a = engine.encrypt_uint(x, secret_key)
    assert_claims(a * a[::-1], x * x[::-1], secret_key)
    total, overflow = engine.checked_add(a, x)
    assert_claims(total, x + x, secret_key)
    assert_claims(overflow, x > 127, secret_key)


def test_threads_share_an_array(party: Party) -> None:
    engine, secret_key = party
    a = engine.encrypt_uint(np.array([200, 3], dtype=np.uint8), secret_key)
    sums: list[Any] = [None] * 4

    def add(i: int) -> None:
        sums[i] = engine.decrypt(a + i, secret_key)

    threads = [threading.Thread(target=add, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(4):
        np.testing.assert_array_equal(sums[i], np.array([200 + i, 3 + i]) % 256)


def test_progress_counts_bootstraps(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, party: Party
) -> None:
    monkeypatch.setenv("EVERLEVEL_PROGRESS", "1")
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("everlevel._common.progress.DELAY_SECONDS", 0)
    engine, secret_key = make(progress=True)
    a = engine.encrypt_uint(np.arange(50, dtype=np.uint8), secret_key)
    capsys.readouterr()
    a * a
    # What is drawn on the way depends on the time; the end is drawn always.
    last = capsys.readouterr().err.split("\r")[-3]
    assert last.startswith("multiply: 100%")
    assert f" {26 * 50}/{26 * 50} " in last


LONG_CALLS = ["a * a", "a // a", "a % 1000", "a.max()", "a.argmin()", "a.sum()"]


@pytest.mark.parametrize("expression", LONG_CALLS)
def test_long_calls_are_stopped(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, secret_key = make(thread_count=1)
    x = np.arange(1_000, dtype=np.uint32)
    a = engine.encrypt_uint(x, secret_key)
    with ctrl_c_at_the_first_step(monkeypatch):
        eval(expression, {"a": a})
    # And while bootstraps are only counted.
    with monkeypatch.context() as patch:
        patch.setattr("everlevel._common.progress.reporting", lambda *_: nullcontext(stop))
        with pytest.raises(StoppedError):
            eval(expression, {"a": a})
    assert_claims(a, x, secret_key)


class StoppedError(Exception):
    pass


def stop(done: int, total: int) -> None:
    assert done == 0
    # Not before the end: the calls take more by far.
    if total > 500:
        raise StoppedError


@pytest.mark.full_size
def test_a_real_set() -> None:
    engine = tfhe.Engine("integer-4-128")
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    x, y = np.array([0xDEADBEEF, 5], dtype=np.uint32), np.array([0x01234567, 2**32 - 9], dtype=np.uint32)
    a, b = engine.encrypt_uint(x, secret_key), engine.encrypt_uint(y, secret_key)
    larger = engine.maximum(a, b)
    for found, expected in [
        (a + b, x + y),
        (a * b, x * y),
        (a[:1] // b[:1], x[:1] // y[:1]),
        (larger % 1000, np.maximum(x, y) % 1000),
        (larger - engine.minimum(a, b), np.maximum(x, y) - np.minimum(x, y)),
        (larger << (b & 7), np.maximum(x, y) << (y & 7)),
        (engine.select(a > b, larger, b), np.maximum(x, y)),
        (larger.sum(), np.maximum(x, y).sum(dtype=np.uint32)),
        (a.argmax(), x.argmax()),
    ]:
        assert found.log2_p_fail < engine.max_log2_p_fail
        assert_claims(found, expected, secret_key)
