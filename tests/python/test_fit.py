"""`everlevel.fit`, against NumPy, and its evaluation on ciphertexts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import chebyshev

import everlevel
from claims import assert_claims
from everlevel.errors import FitError, LevelError, ParameterError
from parties import Party

FUNCTIONS: list[tuple[Any, int, tuple[float, float], int]] = [
    # function, degree, interval, levels
    (np.exp, 7, (-1, 1), 3),
    (np.sin, 15, (-1, 1), 4),
    (np.cos, 14, (-1, 1), 4),
    (np.sqrt, 15, (0.5, 1.5), 4),  # 2/(b - a) = 2: no level for the interval
    (lambda x: 1 / (1 + np.exp(-x)), 15, (-8, 8), 5),
    (lambda x: np.exp(1j * x), 7, (-1, 1), 3),
    (lambda x: 3 * x + 1, 1, (2, 5), 2),
]


@pytest.mark.parametrize(("f", "degree", "interval", "levels"), FUNCTIONS)
def test_a_fit_is_numpy_s_and_evaluates(party: Party, f: Any, degree: int, interval: Any, levels: int) -> None:
    fitted = everlevel.fit(f, degree, interval)
    a, b = interval
    if not np.iscomplexobj(f(np.ones(1))):
        oracle = chebyshev.Chebyshev.interpolate(f, degree, domain=[a, b])
        np.testing.assert_allclose(fitted.coefficients, oracle.coef, atol=1e-12)
    points = np.linspace(a, b, party.engine.slot_count)
    assert 0 <= np.abs(fitted(points) - f(points)).max() <= fitted.max_error * (1 + 1e-9) + 1e-14
    assert (fitted.levels, fitted.interval) == (levels, (a, b))
    x = party.engine.encrypt(points, party.public_key, bound=max(abs(a), abs(b)))
    for result in (
        fitted(x),
        fitted(x, party.relinearization_key),
        party.engine.evaluate_polynomial(x, fitted, party.relinearization_key),
        party.engine.evaluate_chebyshev_polynomial(x, fitted),
    ):
        assert result.level == x.level - levels
        assert_claims(result, fitted(points), party.secret_key)


def test_parity_is_detected_and_made_exact() -> None:
    odd, even, neither = (everlevel.fit(f, 15) for f in (np.tanh, np.cosh, np.exp))
    assert (odd.parity, even.parity, neither.parity) == ("odd", "even", None)
    assert not odd.coefficients[::2].any()
    assert not even.coefficients[1::2].any()
    assert everlevel.fit(np.cos, 15).degree == 14
    assert everlevel.fit(np.sin, 15, (-1, 2)).parity is None


def test_scalar_functions_will_do() -> None:
    fitted = everlevel.fit(lambda x: math.erf(x) if x > -2 else 0.0, 7)
    np.testing.assert_allclose(fitted([0.5]), math.erf(0.5), atol=fitted.max_error)
    assert everlevel.fit(lambda _: 2, 3).coefficients.tolist() == pytest.approx([2, 0, 0, 0])


def test_the_least_degree_for_an_error() -> None:
    fitted = everlevel.fit(np.exp, max_error=1e-6)
    assert fitted.degree == 7
    assert everlevel.fit(np.exp, 3).max_error > 1e-6 >= fitted.max_error
    with pytest.raises(FitError, match="degree 4095 has an error of"):
        everlevel.fit(np.sign, max_error=1e-3)


def test_complex_numbers_keep_their_imaginary_parts() -> None:
    fitted = everlevel.fit(np.exp, 15)
    points = np.array([0.5j, -0.25 + 0.5j])
    np.testing.assert_allclose(fitted(points), np.exp(points), atol=1e-6)
    assert fitted(0.5j) == pytest.approx(np.exp(0.5j), abs=1e-6)
    assert fitted(np.float32(0.5)).dtype == np.float64


@pytest.mark.parametrize(
    ("f", "degree", "interval", "pole"),
    [
        (lambda t: 1 / t, 7, (-1, 1), 0),
        (lambda t: 1 / float(t), 31, (-1, 1), 0),
        (lambda t: 1 / (t - 0.1234567) ** 2, 15, (-1, 1), 0.1234567),
        (lambda t: abs(t - 0.3) ** -0.5, 7, (0, 2), 0.3),
        (np.tan, 63, (0, 3), np.pi / 2),
    ],
)
def test_poles_are_refused(f: Any, degree: int, interval: tuple[float, float], pole: float) -> None:
    with pytest.raises(FitError, match="grows without end near x = ") as info:
        everlevel.fit(f, degree, interval)
    assert info.value.x == pytest.approx(pole, abs=1e-5)
    with pytest.raises(FitError, match="grows without end near x = "):
        everlevel.fit(f, max_error=1e-3, interval=interval)


def test_what_is_large_and_finite_is_fitted() -> None:
    for f, interval in ((lambda t: 1 / (t * t + 1e-10), (-1, 1)), (lambda t: 1 / t, (1e-3, 1)), (np.exp, (-20, 20))):
        assert everlevel.fit(f, 7, interval).max_error > 100
    assert everlevel.fit(lambda t: 0 * t, 7).max_error == 0


def test_a_fit_that_is_further_off_than_zero_is_refused() -> None:
    with pytest.raises(FitError, match=r"degree 7 has an error of 2\.\d and"):
        everlevel.fit(lambda t: np.sin(100 * t), 7)
    assert everlevel.fit(lambda t: np.sin(100 * t), max_error=1e-3).degree == 127


def test_it_reads_well() -> None:
    assert repr(everlevel.fit(np.tanh, 7)).startswith("ChebyshevFit(degree 7, odd, interval [-1, 1], max error ")
    assert repr(everlevel.fit(np.tanh, 7)).endswith("), 3 levels)")


def test_what_cannot_be_fitted() -> None:
    with pytest.raises(FitError, match=r"the function is nan at x = -0\.\d+, and finite") as info:
        everlevel.fit(np.log, 7)
    assert info.value.x is not None
    assert info.value.x < 0
    assert np.isnan(info.value.value)
    with pytest.raises(FitError, match="is inf at"):
        everlevel.fit(lambda x: np.where(x > 0.5, np.inf, x), 7)
    with pytest.raises(FitError, match="a number for each x"):
        everlevel.fit(lambda x: "no", 7)
    for interval in ((1, -1), (0, 0), (0, np.inf), 5, "ab"):
        with pytest.raises(ParameterError, match="interval is"):
            everlevel.fit(np.exp, 7, interval)  # type: ignore[arg-type]
    for degree in (0, 2**12):
        with pytest.raises(ParameterError, match="degree is"):
            everlevel.fit(np.exp, degree)
    with pytest.raises(ParameterError, match="one of the two"):
        everlevel.fit(np.exp)


def test_missing_levels_are_said_before_any_work(party: Party) -> None:
    x = party.engine.encrypt([0.5], party.public_key, level=4)
    with pytest.raises(LevelError, match="needs level ≥ 5, ciphertext is at level 4") as info:
        everlevel.fit(np.exp, 15, (-8, 8))(x)
    assert (info.value.needed, info.value.level) == (5, 4)
