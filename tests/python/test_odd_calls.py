"""Odd calls of NumPy's on encrypted arrays: each gives what NumPy gives, or is refused with a next step."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from everlevel import Engine, bfv, errors, tfhe
from everlevel.ckks import limbs
from parties import INSECURE_LOG_N

TABLE = np.arange(20).reshape(4, 5) % 7 + 1
ROW = np.array([1, 2, 3])

AXES = [-1, (), (0, 1), (1, -2), (1, 1), True, 1.0, [0], np.int8(1), 2]
ON_THE_LEFT = {
    each: getattr(operator, each) for each in ("floordiv", "mod", "truediv", "lshift", "rshift", "and_", "xor")
}
ON_THE_RIGHT = {each: getattr(operator, each) for each in ("floordiv", "mod", "pow", "lshift", "or_")}
ALONE = {each: getattr(operator, each) for each in ("pos", "neg", "abs", "invert")}

Call = Callable[[Any, Any], Any]
CALLS: dict[str, Call] = {
    **{f"sum along {axis!r}": lambda x, v, axis=axis: np.sum(x, axis=axis) for axis in AXES},
    "keepdims": lambda x, v: np.sum(x, axis=-1, keepdims=True),
    "where=": lambda x, v: np.sum(x, where=np.ones((4, 5), dtype=bool)),
    "dtype=": lambda x, v: np.sum(x, dtype=np.float64),
    "initial=": lambda x, v: np.sum(x, initial=5),
    "out=": lambda x, v: np.sum(x, out=np.zeros(())),
    "out= of an operator": lambda x, v: np.add(v, 1, out=np.zeros(3)),
    "where= of an operator": lambda x, v: np.add(v, 1, where=np.array([True, False, True])),
    "mean": lambda x, v: np.mean(x[[0, 0]], axis=(0,)),
    "rows backwards": lambda x, v: x[::-2],
    "columns backwards": lambda x, v: x[:, ::-1],
    "new axes": lambda x, v: x[None, ..., None],
    "places": lambda x, v: x[[0, 0, 2]],
    "mask": lambda x, v: x[TABLE % 2 == 0],
    "mask of rows": lambda x, v: x[np.array([True, False, True, False])],
    "no such place": lambda x, v: x[10],
    "no place": lambda x, v: x[0.5],
    "nothing": lambda x, v: x[0:0],
    "true": lambda x, v: x[True],
    "one": lambda x, v: x[-1, -1],
    "column in the clear": lambda x, v: v + np.array([[1], [2]], dtype=np.uint8),
    "column first": lambda x, v: np.array([[9], [8]], dtype=np.uint8) - v,
    "row first": lambda x, v: np.subtract(np.array([9, 9, 9], dtype=np.uint8), v),
    "no values": lambda x, v: v + np.zeros((0, 3), dtype=np.uint8),
    "no values first": lambda x, v: np.zeros(0, dtype=np.uint8) * v,
    "scalar first": lambda x, v: np.uint8(2) * v,
    "array of no dimensions": lambda x, v: np.array(2, dtype=np.uint8) * v,
    "number first": lambda x, v: np.add(1, v),
    "outer": lambda x, v: np.multiply.outer(v, v),
    "accumulate": lambda x, v: np.add.accumulate(v),
    "reduce": lambda x, v: np.add.reduce(x, axis=None),
    "at": lambda x, v: np.add.at(v, [0], 1),
    "inverse": lambda x, v: np.divide([1, 1, 1], v),
    "by zero": lambda x, v: v / 0,
    **{f"{name} by 2": lambda x, v, f=f: f(v, np.uint8(2)) for name, f in ON_THE_LEFT.items()},
    **{f"{name} of 2": lambda x, v, f=f: f(2, v) for name, f in ON_THE_RIGHT.items()},
    **{name: lambda x, v, f=f: f(v) for name, f in ALONE.items()},
    "divmod": lambda x, v: divmod(v, 2),
    "power of 0": lambda x, v: v**0,
    "power of -1": lambda x, v: v**-1,
    "power of itself": lambda x, v: v**v,
    "matmul": lambda x, v: v @ v,
    "matmul of a number": lambda x, v: 3 @ v,
    "matmul by a number": lambda x, v: v @ 3,
    "dot": lambda x, v: np.dot(np.ones(3, dtype=np.uint8), v),
    "cross": lambda x, v: np.cross(v, v),
    "roll of two axes": lambda x, v: np.roll(x, (1, 2), axis=(0, 1)),
    "roll of a method": lambda x, v: np.roll(v, 1) if isinstance(v, np.ndarray) else v.roll(1),
    "roll far": lambda x, v: np.roll(v, 10**20),
    "roll of no axis": lambda x, v: np.roll(x, 1, axis=-3),
    "flip": lambda x, v: np.flip(x, axis=1),
    "order": lambda x, v: np.reshape(x, (5, 4), order="F"),
    "reshape": lambda x, v: x.reshape(3, 7),
    "transpose": lambda x, v: np.transpose(x, (1, 0)),
    "T": lambda x, v: x.T,
    "concatenate": lambda x, v: np.concatenate([np.ones(2, dtype=np.uint8), v]),
    "stack": lambda x, v: np.stack([v, v], axis=1),
    "append": lambda x, v: np.append(v, np.uint8(1)),
    "choice": lambda x, v: np.where([True, False, True], v, np.uint8(0)),
    "choice second": lambda x, v: np.where([True, False, True], np.uint8(0), v),
    "like": lambda x, v: np.zeros_like(v),
    "pad": lambda x, v: np.pad(v, 1),
    "tile": lambda x, v: np.tile(v, (2, 2)),
    "repeat": lambda x, v: np.repeat(v, 2),
    "cumsum": lambda x, v: np.cumsum(v),
    "is nan": lambda x, v: np.isnan(v),
    "equal arrays": lambda x, v: np.array_equal(v, v),
    "float": lambda x, v: float(v[0]),
    "int": lambda x, v: int(v[0]),
    "complex": lambda x, v: complex(v[0]),
    "list": lambda x, v: list(v),
    "sum of Python": lambda x, v: sum(v),
    "sorted": lambda x, v: sorted(v),
    "text": lambda x, v: v + "a",
    "nan": lambda x, v: v + float("nan"),
    "objects": lambda x, v: v + np.array([1, 2, "a"], dtype=object),
    "dates": lambda x, v: v + np.array(["2020-01-01"] * 3, dtype="M8[D]"),
    "masked": lambda x, v: v + np.ma.array([1, 2, 3], mask=[0, 1, 0]),
    "into an array": lambda x, v: np.ones(3).__iadd__(v),
    "arrays of arrays": lambda x, v: np.array([v, v]),
    "less": lambda x, v: v < 2,
    "greater, second": lambda x, v: v < 2,
    "greater array": lambda x, v: np.ones(3, dtype=np.uint8) > v,
    "vectorize": lambda x, v: np.vectorize(lambda t: t + 1)(v),
    "along": lambda x, v: np.apply_along_axis(np.sum, 0, x),
    "broadcast": lambda x, v: np.broadcast_to(v, (2, 3)),
    "split": lambda x, v: np.split(x, 2),
    "expand": lambda x, v: np.expand_dims(v, (0, 2)),
    "take": lambda x, v: np.take(v, [0, 2]),
    "wrap": lambda x, v: np.take(v, [5], mode="wrap"),
}


@pytest.fixture(scope="module", params=["ckks", "limbs", "bfv", "tfhe"])
def party(request: pytest.FixtureRequest) -> Any:
    """A scheme's engine, its secret key, and a table and a row, encrypted and in the clear."""
    engine: Any = {
        "ckks": lambda: Engine(max_level=8, insecure_log_n=INSECURE_LOG_N),
        "limbs": lambda: limbs.Engine("n14", insecure_log_n=9),
        "bfv": lambda: bfv.Engine("n14", insecure_log_n=9),
        "tfhe": lambda: tfhe.Engine("integer-4-64", insecure_log_n=10),
    }[request.param]()
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key, **({} if request.param == "tfhe" else {"rotations": True}))
    dtype = {"bfv": np.int64, "tfhe": np.uint8}.get(request.param, np.float64)
    clear = TABLE.astype(dtype), ROW.astype(dtype)
    if request.param == "tfhe":
        return engine, secret_key, clear, tuple(engine.encrypt_uint(each, secret_key) for each in clear)
    bound = {} if request.param == "bfv" else {"bound": 8}
    return engine, secret_key, clear, tuple(engine.encrypt(each, secret_key, **bound) for each in clear)


def outcome(call: Call, operands: Any) -> Any:
    """Return a result, or the exception; NumPy warns of what is empty, divided by 0 or left out."""
    with warnings.catch_warnings(record=True) as found:
        try:
            return call(*operands)
        except Exception as error:
            return error
        finally:
            assert all(issubclass(warning.category, RuntimeWarning | UserWarning) for warning in found)


@pytest.mark.parametrize("name", CALLS)
def test_odd_calls_are_numpys_or_refused(party: Any, name: str) -> None:
    engine, secret_key, clear, encrypted = party
    expected = outcome(CALLS[name], [each.copy() for each in clear])
    found = outcome(CALLS[name], encrypted)
    if isinstance(found, errors.EverlevelError):
        assert "; " in str(found), "a refusal has a next step"
        return
    if isinstance(found, IndexError):
        assert str(found) == str(expected), "an index is refused in NumPy's words"
        return
    for each in (found, expected):
        if isinstance(each, Exception):
            raise each
    several = isinstance(expected, (list, tuple))
    for got, right in zip(*((found, expected) if several else ([found], [expected])), strict=True):
        values = engine.decrypt(got, secret_key)
        assert values.shape == np.shape(right)
        np.testing.assert_allclose(values, np.asarray(right), atol=1e-3)
