"""Functions of encrypted values that have NumPy's names alone: fits on the values' interval, and polynomials."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Engine
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
