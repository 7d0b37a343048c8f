"""Operands of other libraries, on either side of an operator: pandas' Series and tables, and PyTorch's tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from everlevel import Engine, bfv, errors, tfhe
from parties import INSECURE_LOG_N, keyed_party

Maker = Callable[[Any], Any]


def _pandas() -> Maker:
    pandas = pytest.importorskip("pandas")
    return lambda values: pandas.Series(values) if np.ndim(values) == 1 else pandas.DataFrame(values)


def _torch() -> Maker:
    torch: Any = pytest.importorskip("torch")
    return lambda values: torch.from_numpy(np.array(values))


@pytest.fixture(params=[_pandas, _torch], ids=["pandas", "torch"])
def make(request: pytest.FixtureRequest) -> Maker:
    return request.param()  # type: ignore[no-any-return]


OPERATORS = (operator.add, operator.sub, operator.mul)


def test_operands_of_ckks(make: Maker) -> None:
    party = keyed_party(Engine(max_level=2, insecure_log_n=INSECURE_LOG_N))
    a, b = np.array([1.0, 2.0, 3.0]), np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    for values, x in ((a, party.engine.encrypt(make(a), party.secret_key, bound=3)), (b, None)):
        x = party.engine.encrypt(make(values), party.secret_key, bound=6) if x is None else x
        assert x.shape == values.shape
        other = values[::-1].copy()
        for operate in OPERATORS:
            for found, expected in (
                (operate(x, make(other)), operate(values, other)),
                (operate(make(other), x), operate(other, values)),
            ):
                np.testing.assert_allclose(party.engine.decrypt(found, party.secret_key), expected, atol=1e-5)


def test_operands_of_exact_schemes(make: Maker) -> None:
    integers, a, b = bfv.Engine("n13", insecure_log_n=9), np.array([1, 2, 3]), np.array([5, 4, 3])
    key = integers.create_secret_key()
    integers.create_evaluation_key(key)
    words = tfhe.Engine("insecure-integer-4-64")
    words_key = words.create_secret_key()
    words.create_evaluation_key(words_key)
    narrow, other = a.astype(np.uint8), b.astype(np.uint8)
    x, y = integers.encrypt(a, key), words.encrypt_uint(narrow, words_key)
    for operate in OPERATORS:
        for found, expected in ((operate(x, make(b)), operate(a, b)), (operate(make(b), x), operate(b, a))):
            np.testing.assert_array_equal(integers.decrypt(found, key)[:3], expected)
        for found, expected in (
            (operate(y, make(other)), operate(narrow, other)),
            (operate(make(other), y), operate(other, narrow)),
        ):
            np.testing.assert_array_equal(words.decrypt(found, words_key), expected)


def test_products_that_pandas_begins_say_how_to_write_them() -> None:
    series = pytest.importorskip("pandas").Series([1.0, 2.0, 3.0])
    party = keyed_party(Engine(max_level=2, insecure_log_n=INSECURE_LOG_N))
    x = party.engine.encrypt([1.0, 2.0, 3.0], party.secret_key, bound=3)
    with pytest.raises(errors.OperandTypeError, match=r"series\.to_numpy\(\) @ x for pandas' series @ x"):
        series @ x
    for product in (series.to_numpy() @ x, x @ series):
        assert float(party.engine.decrypt(product, party.secret_key)) == pytest.approx(14, abs=1e-5)
