"""Every operation on integers of 8 to 64 bits against NumPy's by the thousand: on a set without security, and every
circuit of bootstraps on a real one, which takes some 2.5 million."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

from claims import assert_claims
from everlevel import tfhe

VALUES: Final = 2_000
"""Values of each operation and width on the set without security, and of 8 and 16 bits on a real one."""
FEW_VALUES: Final = 50
"""Values of 32 and 64 bits on a real set."""
TIMEOUT: Final = 4 * 3600
"""Seconds that a test with a real set may take: that of 16-bit quotients does hundreds of thousands of bootstraps."""

DTYPES: Final = (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64)

Party = tuple[tfhe.Engine, tfhe.SecretKey]
Operation = Callable[..., Any]

CHEAP: Final[dict[str, Operation]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "negative": lambda x, y: -x,
    "invert": lambda x, y: ~x,
    "left shift": lambda x, y: x << 3,
    "right shift": lambda x, y: x >> 5,
    "right shift of a digit": lambda x, y: x >> 4,
    "right shift of a bit": lambda x, y: x >> 1,
    "absolute": lambda x, y: abs(x),
    "bitwise_count": lambda x, y: np.bitwise_count(x),
    "select": lambda x, y: np.where(x > y, x, y),
}
DEAR: Final[dict[str, Operation]] = {
    "multiply": operator.mul,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "divmod": divmod,
    "floor_divide by 10": lambda x, y: x // 10,
    "remainder by 10": lambda x, y: x % 10,
    "left shift by others": lambda x, y: x << (y & 7),
    "right shift by others": lambda x, y: x >> (y & 7),
}
FUNCTIONS: Final = CHEAP | DEAR


def make(parameters: str, **options: Any) -> Party:
    engine = tfhe.Engine(parameters, **options)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    return engine, secret_key


@pytest.fixture(scope="module")
def quick() -> Party:
    return make("insecure-integer-4-64")


@pytest.fixture(scope="module")
def real() -> Party:
    return make("integer-4-64")


def draw(rng: np.random.Generator, dtype: Any, count: int) -> Any:
    """Values of all magnitudes, and the edges."""
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max, count, dtype=dtype, endpoint=True)
    values >>= rng.integers(0, info.bits, count).astype(dtype)
    edges = np.array([0, 1, info.max, info.max - 1, info.max // 2 + 1, info.min, info.min + 1], dtype=dtype)
    return np.where(rng.random(count) < 0.2, rng.choice(edges, count), values)


def corners(dtype: Any) -> list[tuple[int, int]]:
    """Pairs of the range's ends, of what is next to them and to 0, and of powers of two with products at the ends."""
    info = np.iinfo(dtype)
    edges = {info.min, info.min + 1, -1, 0, 1, info.max}
    pairs = [(x, y) for x in edges for y in edges]
    for total in range(info.bits - 2, info.bits + 2):
        exponents = [(i, total - i) for i in range(info.bits) if 0 <= total - i < info.bits]
        pairs += [(s << i, t << j) for i, j in exponents for s in (1, -1) for t in (1, -1)]
    return [(x, y) for x, y in pairs if all(info.min <= value <= info.max for value in (x, y))]


def assert_numpys(
    function: Operation,
    dtype: Any,
    party: Party,
    rng: np.random.Generator,
    count: int,
    parts: tuple[int, ...] = (0, 1, 2),
) -> None:
    """Both operands encrypted for half of the values, and one in the clear for a quarter each."""
    engine, secret_key = party
    x, y = draw(rng, dtype, count), draw(rng, dtype, count)
    if function in (operator.floordiv, operator.mod, divmod):
        y[y == 0] = 3
    encrypt = engine.encrypt_int if np.dtype(dtype).kind == "i" else engine.encrypt_uint
    a, b = encrypt(x, secret_key), encrypt(y, secret_key)
    with np.errstate(over="ignore", divide="ignore"):
        half, quarters = slice(0, count // 2), (slice(count // 2, 3 * count // 4), slice(3 * count // 4, count))
        all_parts = [(a, b, half), (a, y, quarters[0]), (x, b, quarters[1])]
        for left, right, at in (all_parts[part] for part in parts):
            found, expected = function(left[at], right[at]), function(x[at], y[at])
            if not isinstance(found, tuple):
                found, expected = (found,), (expected,)
            for one, values in zip(found, expected, strict=True):
                if left is x and isinstance(one, np.ndarray):
                    continue  # of the left operand alone
                assert one.dtype == values.dtype
                assert_claims(one, values, secret_key)


def named(operations: dict[str, Operation]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("function", operations.values(), ids=operations)


def of(dtypes: tuple[Any, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("dtype", dtypes, ids=[np.dtype(dtype).name for dtype in dtypes])


QUICK: Final = {name: function for name, function in FUNCTIONS.items() if name not in ("floor_divide", "remainder")}


@of(DTYPES[:2])
@named(QUICK)
def test_operations(function: Operation, dtype: Any, quick: Party, rng: np.random.Generator) -> None:
    assert_numpys(function, dtype, quick, rng, VALUES)


@pytest.mark.slow
@of(DTYPES)
@named(FUNCTIONS)
def test_operations_of_all_widths(function: Operation, dtype: Any, quick: Party, rng: np.random.Generator) -> None:
    assert_numpys(function, dtype, quick, rng, VALUES)


CIRCUITS: Final = {
    "bit by bit": ["and", "or", "xor"],
    "equality": ["equal", "not_equal"],
    "order": ["less", "less_equal", "greater", "greater_equal"],
    "choice": ["minimum", "maximum", "select"],
}
"""Operations with as many bootstraps, whose inputs have the same noise: `test_one_circuit`. A real set takes them
as one. The others are circuits of their own."""
PARTS: Final = ("floor_divide", "remainder")
"""Parts of `divmod` by encrypted divisors, bit by bit of the ciphertexts: `test_parts`. A real set takes them alone by
divisors in the clear."""
OWN: Final = [name for name in FUNCTIONS if not any(name in names for names in CIRCUITS.values())]
REAL: Final = CIRCUITS | {name: [name] for name in OWN}
SIGNLESS: Final = [
    "add",
    "subtract",
    "negative",
    "invert",
    "multiply",
    "left shift",
    "left shift by others",
    "bit by bit",
    "equality",
]
"""Circuits that are the same for signed integers: `test_signs_make_no_difference`. A real set takes unsigned ones."""


def operands(dtype: Any, party: Party, rng: np.random.Generator, count: int = 12) -> list[tuple[Any, Any]]:
    """Both encrypted, and each in the clear."""
    engine, secret_key = party
    x, y = draw(rng, dtype, count), draw(rng, dtype, count)
    y[y == 0] = 3
    encrypt = engine.encrypt_int if np.dtype(dtype).kind == "i" else engine.encrypt_uint
    a, b = encrypt(x, secret_key), encrypt(y, secret_key)
    return [(a, b), (a, y), (x, b)]


def bootstraps(party: Party) -> int:
    """The bootstraps that were done so far."""
    return sum(key.bootstrap_count for key in party[0]._keys.values())


@of(DTYPES[:4])
@pytest.mark.parametrize("name", CIRCUITS)
def test_one_circuit(name: str, dtype: Any, quick: Party, rng: np.random.Generator) -> None:
    for left, right in operands(dtype, quick, rng):
        found = set()
        for function in CIRCUITS[name]:
            before = bootstraps(quick)
            result = FUNCTIONS[function](left, right)
            found.add((bootstraps(quick) - before, result.log2_p_fail))
        assert len(found) == 1


@of(DTYPES[:4])
@pytest.mark.parametrize("name", PARTS)
def test_parts(name: str, dtype: Any, quick: Party, rng: np.random.Generator) -> None:
    both, _, divisors = operands(dtype, quick, rng)
    for left, right in (both, divisors):
        whole = divmod(left, right)[PARTS.index(name)]
        assert pickle.dumps(FUNCTIONS[name](left, right)) == pickle.dumps(whole)


@of((np.int8, np.int16))
@pytest.mark.parametrize("name", [name for circuit in SIGNLESS for name in REAL[circuit]])
def test_signs_make_no_difference(name: str, dtype: Any, quick: Party, rng: np.random.Generator) -> None:
    unsigned = np.dtype(dtype).name.replace("int", "uint")
    for left, right in operands(dtype, quick, rng):
        found = FUNCTIONS[name](left, right)
        same = FUNCTIONS[name](
            *(x.view(unsigned) if isinstance(x, np.ndarray) else x.astype(unsigned) for x in (left, right))
        )
        if not isinstance(found, np.ndarray):
            assert pickle.dumps(found if found.dtype == bool else found.astype(unsigned)) == pickle.dumps(same)


@pytest.mark.slow
@pytest.mark.timeout(TIMEOUT)
@of(DTYPES)
@pytest.mark.parametrize("name", REAL)
def test_circuits_with_a_real_set(name: str, dtype: Any, real: Party, rng: np.random.Generator) -> None:
    if name in SIGNLESS and np.dtype(dtype).kind == "i":
        pytest.skip("unsigned integers have the same circuit")
    count = VALUES if np.dtype(dtype).itemsize <= 2 else FEW_VALUES
    each = -(-count // len(REAL[name]))
    for function in REAL[name]:
        assert_numpys(FUNCTIONS[function], dtype, real, rng, each, parts=(1,) if name in PARTS else (0, 1, 2))


@pytest.mark.slow
@pytest.mark.timeout(TIMEOUT)
@pytest.mark.parametrize("signed", [False, True], ids=["unsigned", "signed"])
@pytest.mark.parametrize("width", [128, 256])
def test_products_and_quotients_of_wide_integers_with_a_real_set(width: int, signed: bool, real: Party) -> None:
    engine, secret_key = real
    top, least = 2 ** (width - signed), -(2 ** (width - 1)) if signed else 0
    x, y = [top - 12345, top // 3 + 77], [3**40 + 2, 7**30]
    if signed:
        x, y = [-x[0], x[1]], [y[0], -y[1]]
    encrypt = engine.encrypt_int if signed else engine.encrypt_uint
    a, b = (encrypt(values, secret_key, width=width) for values in (x, y))
    p, q = (np.array(values, dtype=object) for values in (x, y))
    assert_claims(a * b, (p * q - least) % 2**width + least, secret_key)
    for found, expected in zip(divmod(a, b), (p // q, p % q), strict=True):
        assert_claims(found, expected, secret_key)


def rows(x: Any, length: int = 4) -> Any:
    return x.reshape(-1, length)


OF_ROWS: Final[dict[str, Operation]] = {
    "sum": lambda x, y: np.sum(rows(x), 1, x.dtype),
    "prod": lambda x, y: np.prod(rows(x), 1, x.dtype),
    "cumsum": lambda x, y: np.cumsum(rows(x), 1, x.dtype),
    "min": lambda x, y: np.min(rows(x), axis=1, keepdims=True),
    "argmax": lambda x, y: np.argmax(rows(x), axis=1),
    "sort": lambda x, y: np.sort(rows(x, 8)),
    "dot": lambda x, y: rows(x)[:50] @ rows(y)[:10].T,
    "products with truth values": lambda x, y: (x > y) * x,
    "count": lambda x, y: np.count_nonzero(rows(x, 8), axis=1),
    "clip": lambda x, y: np.clip(x, y[0], 100),
}
"""Operations of rows of values, whose results have NumPy's type or that of places and counts."""


@pytest.mark.slow
@of(DTYPES)
@named(OF_ROWS)
def test_operations_of_rows(function: Operation, dtype: Any, quick: Party, rng: np.random.Generator) -> None:
    engine, secret_key = quick
    x, y = draw(rng, dtype, VALUES), draw(rng, dtype, VALUES)
    encrypt = engine.encrypt_int if np.dtype(dtype).kind == "i" else engine.encrypt_uint
    with np.errstate(over="ignore"):
        expected = function(x, y)
    assert_claims(function(encrypt(x, secret_key), encrypt(y, secret_key)), expected, secret_key)


@pytest.mark.slow
@of(DTYPES)
@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
def test_results_that_end_at_the_ends(name: str, dtype: Any, quick: Party, rng: np.random.Generator) -> None:
    engine, secret_key = quick
    info = np.iinfo(dtype)
    x, y = draw(rng, dtype, VALUES), draw(rng, dtype, VALUES)
    encrypt = engine.encrypt_int if np.dtype(dtype).kind == "i" else engine.encrypt_uint
    edges = corners(dtype)
    x[: len(edges)], y[: len(edges)] = np.array(edges, dtype=dtype).T
    a, b = encrypt(x, secret_key), encrypt(y, secret_key)
    exact = getattr(np, name)(x.astype(object), y.astype(object))
    assert_claims(getattr(engine, f"saturating_{name}")(a, b), np.clip(exact, info.min, info.max), secret_key)
    with np.errstate(over="ignore"):
        wrapped = getattr(np, name)(x, y)
    found, overflow = getattr(engine, f"checked_{name}")(a, b)
    assert_claims(found, wrapped, secret_key)
    assert_claims(overflow, wrapped.astype(object) != exact, secret_key)
