"""Encrypted arrays of more values than slots, beside NumPy's."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everlevel
from everlevel import EncryptedArray, Engine, errors
from parties import INSECURE_LOG_N, Party

ROWS = 700
ELEMENTWISE: dict[str, Callable[[Any, Any], Any]] = {
    "a sum": lambda x, y: x + y,
    "a number": lambda x, y: 2 - x,
    "rows in the clear": lambda x, y: np.linspace(0, 1, ROWS)[:, None] * x,
    "one row": lambda x, y: x * [0.5, -1.0],
    "a function": lambda x, y: np.exp(x) - np.square(y),
    "powers": lambda x, y: (-x) ** 3 + y / 2,
    "rows of two": lambda x, y: (x - y)[300:],
    "columns": lambda x, y: (x - y)[3:, 1],
    "a deviation": lambda x, y: x - x.mean(0),
}
REDUCED: dict[str, Callable[[Any], Any]] = {
    "all": lambda x: x.sum() / 700,
    "columns": lambda x: x.mean(axis=0),
    "rows": lambda x: np.sum(x, axis=1),
    "both": lambda x: np.mean(x, axis=(0, 1)),
    "a row": lambda x: x[650],
    "the last one": lambda x: x[-1, 0],
}


@pytest.fixture(scope="module")
def tables(party: Party) -> tuple[Any, Any, Any, Any]:
    generator = np.random.default_rng(29)
    a, b = generator.uniform(-1, 1, (2, ROWS, 2))
    x, y = (party.engine.encrypt_many(values, party.secret_key, bound=(-1, 1)) for values in (a, b))
    party.engine.create_rotation_key(party.secret_key)
    return a, b, x, y


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_operations_on_blocks_are_those_on_arrays(party: Party, tables: Any, name: str) -> None:
    a, b, x, y = tables
    expected, found = ELEMENTWISE[name](a, b), ELEMENTWISE[name](x, y)
    sizes = found.shape, len(found), found.ndim, found.size
    assert sizes == (expected.shape, len(expected), expected.ndim, expected.size)
    np.testing.assert_allclose(party.engine.decrypt(found, party.secret_key), expected, atol=2e-5)
    assert np.abs(expected).max() <= found.bound + 1e-9


@pytest.mark.parametrize("name", REDUCED)
def test_reductions_of_blocks_are_those_of_arrays(party: Party, tables: Any, name: str) -> None:
    a, _, x, _ = tables
    expected, found = REDUCED[name](a), REDUCED[name](x)
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(party.engine.decrypt(found, party.secret_key), expected, atol=1e-5)


def test_vectors_of_full_blocks(party: Party) -> None:
    engine, values = party.engine, np.linspace(0, 1, 1100)
    x = engine.encrypt_many(values, party.secret_key, bound=(0, 1))
    assert ([len(block) for block in x.blocks], x.interval, x.level) == ([512, 512, 76], (0, 1), 5)
    assert repr(x).startswith("EncryptedArray(shape (1100,), 3 blocks of Ciphertext(")
    engine.create_rotation_key(party.secret_key)
    for found, expected in (
        (x.sum(), values.sum()),
        (x.mean(), 0.5),
        (x[500:600], values[500:600]),
        ((x - x.mean()) ** 2, (values - 0.5) ** 2),
        (x.within(0, 2).map(operator.mul, values), values**2),
        (EncryptedArray([block * 2 for block in x.blocks]), 2 * values),
        (x * np.array([3.0]), 3 * values),
    ):
        assert found.shape == np.shape(expected)
        np.testing.assert_allclose(engine.decrypt(found, party.secret_key), expected, atol=1e-4)


def test_extrema_comparisons_and_bootstraps() -> None:
    engine = Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N)
    key, values = engine.create_secret_key(), np.r_[np.linspace(-1, 0.5, 600), 0.75]
    engine.create_evaluation_key(key, bootstrap="lossy")
    x = engine.encrypt_many(values, key, level=3, bound=1)
    for found, expected in ((x.max(), 0.75), (x.min(), -1.0), (x.bootstrap(), values), (abs(x), np.abs(values))):
        np.testing.assert_allclose(engine.decrypt(found, key), expected, atol=0.15)
    above = engine.decrypt(x > 0.6, key)
    np.testing.assert_allclose(above, values > 0.6, atol=1e-4)


def test_what_does_not_fit_is_refused(party: Party, tables: Any) -> None:
    engine, key, x = party.engine, party.secret_key, tables[2]
    for values in (1.0, [], np.ones((2, 600)), np.ones((0, 3))):
        with pytest.raises(errors.MessageError, match=r"^encrypt_many: the message is of shape .*; reshape it"):
            engine.encrypt_many(values, key)
    other = engine.encrypt_many(np.ones((ROWS, 3)), key, bound=1)
    for call in (lambda: x + other, lambda: x * np.ones(7)[:, None], lambda: x - np.ones((2, ROWS, 2))):
        with pytest.raises(errors.MessageError, match=r"the shapes are|of shapes"):
            call()
    # Blocks that fill their slots take vectors of any length.
    long = engine.encrypt_many(np.ones(1100), key, bound=1)
    short: Any = [engine.encrypt(np.ones(size), key, bound=1) for size in (76, 512, 600)]
    for call in (
        *(lambda other=other: long + other for other in short),
        lambda: short[0] * long,
        lambda: long * engine.encode(np.ones(512)),
        lambda: x + engine.encrypt(np.ones((170, 3)), key, bound=1),
    ):
        with pytest.raises(errors.MessageError, match=r"the shapes are .* don't broadcast to the first"):
            call()
    np.testing.assert_allclose(engine.decrypt(long + engine.encrypt([2.0], key, bound=2), key), 3, atol=1e-4)
    for index in (slice(0, 9, 2), slice(5, 5), 700, -701, 0.5):
        with pytest.raises(errors.ParameterError, match=r"^getitem: index is"):
            x[index]
    with pytest.raises(errors.ParameterError, match="EncryptedArray: the blocks have shapes"):
        EncryptedArray([x.blocks[0], other.blocks[0]])
    with pytest.raises(errors.OperandTypeError, match=r"numpy\.median: there is no such operation"):
        np.median(x)
    with pytest.raises(errors.OperandTypeError):
        bool(x == x)
    assert everlevel.EncryptedArray is EncryptedArray
