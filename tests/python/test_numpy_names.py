"""Functions of encrypted values that have NumPy's names alone: fits on the values' interval, and polynomials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Engine, bfv, tfhe
from parties import INSECURE_LOG_N, Party, keyed_party


@pytest.fixture(scope="module")
def shallow() -> Party:
    return keyed_party(Engine(max_level=8, insecure_log_n=INSECURE_LOG_N))


@pytest.mark.parametrize(
    ("name", "interval"),
    [
        *((name, (-1.0, 1.0)) for name in ("arctan", "arcsinh", "cosh", "exp2", "expm1", "sinc", "sinh", "tan")),
        *((name, (0.5, 1.0)) for name in ("log2", "log10", "log1p", "cbrt")),
    ],
)
def test_functions_under_numpys_names_alone(shallow: Party, name: str, interval: tuple[float, float]) -> None:
    values = np.linspace(*interval, 40).reshape(5, 8)
    x = shallow.engine.encrypt(values, shallow.secret_key, bound=interval)
    function = getattr(np, name)
    y, expected = function(x), function(values)
    assert y.shape == (5, 8)
    assert np.abs(shallow.engine.decrypt(y, shallow.secret_key) - expected).max() <= 2.0**-15 * np.ptp(expected)


def test_polynomials_under_numpys_name(shallow: Party) -> None:
    values = np.linspace(-1, 1, 7)
    x: Any = shallow.engine.encrypt(values, shallow.secret_key, bound=1)
    for coefficients in ([0.5], [1, -2], np.array([0.25, 0, -1, 2])):
        y = np.polyval(coefficients, x)
        assert y.shape == (7,)
        assert_claims(y, np.polyval(coefficients, values), shallow.secret_key, varied=False)


SHAPED: dict[str, Callable[[Any], Any]] = {
    "cumsum": np.cumsum,
    "cumsum along rows": lambda x: np.cumsum(x, axis=-1),
    "cumsum along columns": lambda x: np.cumsum(x, axis=0),
    "prod along rows": lambda x: np.prod(x, axis=-1),
    "prod along columns": lambda x: np.prod(x, axis=0),
    "prod": np.prod,
    "inner": lambda x: np.inner(x, x),
    "inner with an array": lambda x: np.inner(np.ones((2, 5)), x),
    "vdot": lambda x: np.vdot(x, x),
    "all pairs": lambda x: np.subtract.outer(x[0], x[:, 1]),
    "all pairs with an array": lambda x: np.multiply.outer([1.0, 2.0], x),
    "a reduction": np.add.reduce,
    "einsum": lambda x: np.einsum("ij,j->i", x, np.arange(5)),
    "a lower triangle": np.tril,
    "an upper triangle": np.triu,
    "a border": lambda x: np.pad(x, 1, constant_values=0.5),
    "a row less": lambda x: np.delete(x, 1, axis=0),
    "a value more": lambda x: np.append(x, [1.0, 2.0]),
    "a column more": lambda x: np.insert(x, 2, 0.5, axis=1),
    "a turn": np.rot90,
    "blocks": lambda x: np.kron(x, [[1.0, -1.0]]),
}


@pytest.mark.parametrize("name", SHAPED)
@pytest.mark.parametrize("shape", [(3, 5), (2, 5), (4, 5)])
def test_functions_of_arrays(shallow: Party, shape: tuple[int, ...], name: str) -> None:
    values = np.random.default_rng(len(name)).uniform(-1, 1, shape)
    x = shallow.engine.encrypt(values, shallow.secret_key, bound=1)
    found, expected = SHAPED[name](x), SHAPED[name](values)
    assert found.shape == np.shape(expected)
    assert_claims(found, expected, shallow.secret_key, varied=False, error=1e-4)


def test_all_pairs_of_other_schemes() -> None:
    a, b = np.array([1, 2, 3], np.uint8), np.array([10, 20], np.uint8)
    for engine in (tfhe.Engine("insecure-integer-4-64"), bfv.Engine("n13", insecure_log_n=8)):
        secret_key: Any = engine.create_secret_key()
        engine.create_evaluation_key(secret_key, **({} if isinstance(engine, tfhe.Engine) else {"rotations": True}))
        scheme: Any = engine
        encrypt = scheme.encrypt_uint if isinstance(engine, tfhe.Engine) else scheme.encrypt
        x, y = encrypt(a, secret_key), encrypt(b, secret_key)
        for found, expected in ((np.add.outer(x, y), np.add.outer(a, b)), (np.add.outer(b, x), np.add.outer(b, a))):
            assert np.array_equal(scheme.decrypt(found, secret_key), expected)
