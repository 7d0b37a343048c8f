"""Arrays of blocks of BFV and over limbs, beside NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import bfv, errors
from everlevel.ckks import limbs

T = 786_433


@pytest.fixture(scope="module", params=["bfv", "limbs"])
def party(request: pytest.FixtureRequest) -> Any:
    """Engine, secret key, whether values are integers, and the class of arrays."""
    integers = request.param == "bfv"
    engine: Any = bfv.Engine("n14", insecure_log_n=8) if integers else limbs.Engine("n14", insecure_log_n=8)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key, rotations=True)
    return engine, secret_key, integers, bfv.EncryptedArray if integers else limbs.EncryptedArray


def drawn(rng: np.random.Generator, shape: tuple[int, ...], party: Any) -> Any:
    return rng.integers(-50, 51, shape) if party[2] else rng.uniform(-1, 1, shape)


def assert_same(x: Any, values: Any, party: Any) -> None:
    engine, secret_key, integers, kind = party
    values = (np.asarray(values) + T // 2) % T - T // 2 if integers else np.asarray(values)
    assert x.shape == values.shape
    begin = 0
    for block in x.blocks if isinstance(x, kind) else [x]:
        part = values[begin : begin + len(block)] if isinstance(x, kind) else values
        begin += len(part) if isinstance(x, kind) else 0
        assert_claims(block, part, secret_key, varied=False)
    np.testing.assert_allclose(engine.decrypt(x, secret_key), values, atol=1e-4)


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "a sum": lambda x, y: x + y,
    "a difference": lambda x, y: 3 - x - y[:1],
    "a product": lambda x, y: x * y * 2,
    "a square": lambda x, y: x**2 - x,
    "NumPy's": lambda x, y: np.add(np.square(x), np.negative(x)),
    "a row in the clear": lambda x, y: x * y[:1],
    "all": lambda x, y: x.sum(),
    "rows": lambda x, y: np.sum(x, axis=0),
    "each row": lambda x, y: (x * y).sum(axis=-1),
    "a slice": lambda x, y: (x + 1)[2:-3],
    "a last row": lambda x, y: (x + y)[-1],
}


@pytest.mark.parametrize("shape", [(600,), (256,), (100, 5), (70, 2, 4)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_blocks_are_numpys_arrays(name: str, shape: tuple[int, ...], party: Any) -> None:
    rng = np.random.default_rng(len(name) + sum(shape))
    engine, secret_key, _, kind = party
    values, other = drawn(rng, shape, party), drawn(rng, shape, party)
    x = engine.encrypt_many(values, secret_key)
    assert isinstance(x, kind)
    assert_same(x, values, party)
    program = PROGRAMS[name]
    assert_same(program(x, other), program(values, other), party)
    if name in ("a sum", "a product"):
        assert_same(program(x, engine.encrypt_many(other, secret_key)), program(values, other), party)


def test_blocks_of_numbers_have_means_and_claims(party: Any) -> None:
    engine, secret_key, integers, _ = party
    values = np.arange(600).reshape(300, 2) % 7
    if integers:
        x = engine.encrypt_many(values, secret_key)
        with pytest.raises(errors.OperandTypeError, match=r"^numpy\.mean: there is no such operation"):
            np.mean(x)
        assert_same(x.map(lambda block, row: block * row, [[1, 2]]), values * [1, 2], party)
        return
    x = engine.encrypt_many(values / 7, secret_key)
    for axis in (None, 0, 1, (0, 1)):
        assert_same(np.mean(x, axis=axis), values.mean(axis=axis) / 7, party)
    assert (x.bound, (x + x).bound, (x + x).within(0, 1.5).bound) == (1.0, 2.0, 1.5)
    assert_same((x / 2).map(lambda block: block * block), (values / 14) ** 2, party)


def test_what_has_no_answer_is_refused(party: Any) -> None:
    engine, secret_key, _, kind = party
    x: Any = engine.encrypt_many(np.ones((300, 2), int), secret_key)
    refusals: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (
            lambda: engine.encrypt_many(5, secret_key),
            errors.MessageError,
            r"^encrypt_many: the message is of shape \(\)",
        ),
        (lambda: engine.encrypt_many(np.ones((2, 999), int), secret_key), errors.MessageError, "rows of 1 to"),
        (lambda: engine.encrypt_many(["x"], secret_key), errors.MessageTypeError, r"^encrypt_many: "),
        (lambda: engine.encrypt_many([1], "x"), errors.OperandTypeError, r"^encrypt: "),
        (lambda: kind([]), errors.ParameterError, "^EncryptedArray: the blocks have shapes"),
        (lambda: kind([1]), errors.OperandTypeError, "^EncryptedArray: blocks"),
        (lambda: x + np.ones((3, 2), int), errors.MessageError, "^add: the shapes are"),
        (lambda: x + engine.encrypt_many(np.ones((200, 2), int), secret_key), errors.MessageError, "^add: the arrays"),
        (lambda: x[::2], errors.ParameterError, "rows that follow each other"),
        (lambda: x[300], errors.ParameterError, "there are 300 rows"),
        (lambda: x.sum(axis=2), errors.ParameterError, "^sum: axis is 2"),
        (lambda: np.sort(x), errors.OperandTypeError, r"^numpy\.sort: there is no such operation"),
        (lambda: bool(x), errors.OperandTypeError, "^bool: "),
        (lambda: engine.decrypt(x, engine.create_secret_key()), errors.KeyMismatchError, "^decrypt: "),
    ]
    for call, error, said in refusals:
        with pytest.raises(error, match=said):
            call()
