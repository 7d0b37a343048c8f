"""Random programs on arrays of several blocks, and on decimals, beside NumPy and Python's decimals."""

from __future__ import annotations

import operator
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Ciphertext, EncryptedArray, Engine, errors
from parties import INSECURE_LOG_N, Party, integer_party, keyed_party

STEPS = 6
PROGRAMS = 30


@pytest.fixture(scope="module")
def levels() -> Party:
    return keyed_party(Engine(max_level=8, insecure_log_n=INSECURE_LOG_N))


def check(party: Party, x: Any, values: Any, program: list[str]) -> None:
    """Compare an array with its values, and each block with what it claims of them."""
    assert x.shape == np.shape(values), program
    np.testing.assert_allclose(
        party.engine.decrypt(x, party.secret_key),
        values,
        atol=2.0**-9 * max(1, np.abs(values).max()),
        err_msg=str(program),
    )
    begin = 0
    for block in x.blocks if isinstance(x, EncryptedArray) else [x]:
        part = values[begin : begin + len(block)] if isinstance(x, EncryptedArray) else values
        begin += len(part) if isinstance(x, EncryptedArray) else 0
        if not np.isnan(block.precision_floor):
            assert_claims(block, part, party.secret_key, varied=False)


def step(rng: np.random.Generator, operands: list[tuple[Any, Any]]) -> tuple[str, Any, Any]:
    """Draw an operation, and do it to an array and to its values."""
    x, a = operands[rng.integers(len(operands))]
    alike = [(y, b) for y, b in operands if np.shape(b) == a.shape]
    y, b = alike[rng.integers(len(alike))]
    row, number = rng.uniform(-1, 1, a.shape[1:]), float(rng.choice([2, -1, 0.5, 0.3]))
    axis = int(rng.integers(-1, a.ndim))
    start, stop = sorted(int(place) for place in rng.choice(len(a) + 1, 2, replace=False))
    cubic = [0.25, 0.5, 0, -0.125]
    draws = {
        "add": lambda x, y: x + y,
        "subtract": lambda x, y: y - x,
        "multiply": lambda x, y: x * y,
        "a number": lambda x, y: number * x + number,
        "a row": lambda x, y: x * row,
        "the whole in the clear": lambda x, y: x + b,
        "a square": lambda x, y: np.square(x),
        "a deviation": lambda x, y: x - x.mean(axis=0),
        "a mean": lambda x, y: x.mean(axis=None if axis < 0 else axis),
        "a sum": lambda x, y: x.sum(axis=None if axis < 0 else axis) / len(a),
        "rows": lambda x, y: x[start:stop],
        "a claim": lambda x, y: x.within(100) if isinstance(x, EncryptedArray) else x,
        "a polynomial": lambda x, y: (
            x.map(lambda block: block._engine.evaluate_polynomial(block, cubic))
            if isinstance(x, EncryptedArray)
            else np.polynomial.polynomial.polyval(x, cubic)
        ),
    }
    name = str(rng.choice(list(draws)))
    return name, lambda: draws[name](x, y), draws[name](a, b)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_programs_of_blocks_are_numpys(levels: Party, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = [(1100,), (700, 2), (515, 2, 1)][seed % 3]
    operands: list[tuple[Any, Any]] = []
    for _ in range(2):
        values = rng.uniform(-1, 1, shape)
        operands.append((levels.engine.encrypt_many(values, levels.secret_key, bound=1), values))
    program: list[str] = []
    for _ in range(STEPS):
        name, encrypted, expected = step(rng, operands)
        if np.abs(expected).max() > 100:
            continue
        try:
            result = encrypted()
        except (errors.LevelError, errors.RangeError):
            continue
        program.append(name)
        if isinstance(result, EncryptedArray):
            operands.append((result, expected))
        else:
            assert isinstance(result, Ciphertext)
            check(levels, result, expected, program)
    for x, values in operands:
        check(levels, x, values, program)


@pytest.mark.parametrize("seed", range(6))
def test_programs_of_decimals_are_exact(seed: int) -> None:
    engine, key = integer_party()
    rng = np.random.default_rng(seed)
    values = [Decimal(int(each)) / 100 for each in rng.integers(-900, 900, 3)]
    x = engine.encrypt_decimal(values, key, places=2, width=32)
    for _ in range(4):
        other = [Decimal(int(each)) / 100 for each in rng.integers(-300, 300, 3)]
        name = str(rng.choice(["add", "sub", "mul", "round", "compare", "extreme"]))
        if name in ("add", "sub"):
            operate = operator.add if name == "add" else operator.sub
            x, values = operate(x, other), [operate(a, b) for a, b in zip(values, other, strict=True)]
        elif name == "mul" and max(map(abs, values)) < 1000:
            x, values = (
                (x * other).round(2),
                [(a * b).quantize(Decimal("0.01"), ROUND_HALF_EVEN) for a, b in zip(values, other, strict=True)],
            )
        elif name == "round":
            x = x.round(1).with_places(2)
            values = [a.quantize(Decimal("0.1"), ROUND_HALF_EVEN) for a in values]
        elif name == "compare":
            np.testing.assert_array_equal(
                engine.decrypt(x > other, key), [a > b for a, b in zip(values, other, strict=True)]
            )
        elif name == "extreme":
            assert engine.decrypt(x.max(), key).item() == max(values)
            assert engine.decrypt(x.sum(), key).item() == sum(values)
        assert engine.decrypt(x, key).tolist() == values, (name, other)
