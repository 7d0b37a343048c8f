"""Polynomials deeper than a bootstrap's levels, beside NumPy's."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import chebyshev, polynomial

import everlevel
from claims import assert_claims
from everlevel import Engine, EvaluationKey
from everlevel.errors import LevelError, MissingKeyError, OperandTypeError
from parties import INSECURE_LOG_N, Party, keyed_party, new_party


@pytest.fixture(scope="module")
def auto() -> Party:
    return keyed_party(Engine(auto_bootstrap=True, insecure_log_n=INSECURE_LOG_N), rotations=False)


FUNCTIONS: list[tuple[Any, int, float, int]] = [
    (lambda x: np.tanh(100 * x), 1500, 2**-16, 3),
    (np.abs, 4095, 2**-17, 4),
    (lambda x: np.cos(500 * x), 1100, 2**-13, 3),
    (lambda x: np.exp(500j * x), 1100, 2**-13, 4),
]


@pytest.mark.parametrize(("f", "degree", "error", "bootstraps"), FUNCTIONS)
@pytest.mark.parametrize("level", [0, 5])
def test_deep_fits_are_numpys(auto: Party, f: Any, degree: int, error: float, bootstraps: int, level: int) -> None:
    engine, values = auto.engine, np.random.default_rng(1).uniform(-1, 1, 512)
    fit = everlevel.fit(f, degree)
    before = engine.bootstrap_count
    y = fit(engine.encrypt(values, auto.public_key, level=level))
    assert engine.bootstrap_count - before == bootstraps
    # One level for each halving.
    assert y.level == 10 - (fit.degree.bit_length() - 10)
    assert y.is_real == np.isrealobj(fit.coefficients)
    assert_claims(y, fit(values), auto.secret_key, error=error)


def test_what_needs_no_bootstrap_has_none(auto: Party) -> None:
    engine, values = auto.engine, np.random.default_rng(1).uniform(-1, 1, 512)
    fit = everlevel.fit(np.abs, 4094)
    before = engine.bootstrap_count
    y = fit(engine.encrypt(values, auto.public_key))
    assert (engine.bootstrap_count, y.level) == (before, 1)
    # The value that is nearest to the kink has most of the error: which typical values don't.
    assert_claims(y, fit(values), auto.secret_key, varied=False, error=2**-18)


@pytest.mark.parametrize("level", [0, 1, 10])
def test_other_intervals_and_long_vectors(auto: Party, level: int) -> None:
    engine, values = auto.engine, np.random.default_rng(1).uniform(-0.6, 0.9, 700)
    for degree in (1023, 1024):
        fit = everlevel.fit(lambda x: np.tanh(30 * x), degree, (-0.7, 1.0))
        y = fit(engine.encrypt(values, auto.public_key, level=level))
        assert len(y) == 2
        assert_claims(y, fit(values), auto.secret_key, error=2**-15)


def test_powers_within_the_unit_circle(auto: Party, rng: np.random.Generator) -> None:
    engine, key = auto.engine, auto.relinearization_key
    coefficients = np.zeros(1101)
    coefficients[[0, 3, 500, 1023, 1024, 1100]] = 0.25, -0.5, 3.0, 1.0, -1.0, 0.5
    real, angles = rng.uniform(-1, 1, 512), rng.uniform(0, 2 * np.pi, 512)
    for values in (real, 0.99 * np.sqrt(np.abs(real)) * np.exp(1j * angles)):
        x = engine.encrypt(values, auto.public_key, level=4)
        y = engine.evaluate_polynomial(x, coefficients, key)
        assert y.is_real == np.isrealobj(values)
        # Powers of a real value are large in a few slots, by which typical errors differ.
        assert_claims(y, polynomial.polyval(values, coefficients), auto.secret_key, error=2**-11, varied=not y.is_real)
    # A complex polynomial of a real x: the parts share the powers.
    x = engine.encrypt(real, auto.public_key, level=4)
    y = engine.evaluate_polynomial(x, coefficients + 1j * np.eye(1, 1101)[0], key)
    assert not y.is_real
    assert_claims(y, polynomial.polyval(real, coefficients) + 1j, auto.secret_key, error=2**-11, varied=False)


def test_one_element_of_the_basis_takes_no_pieces(auto: Party) -> None:
    engine, values = (
        auto.engine,
        np.random.default_rng(1).uniform(-0.9, 0.9, 512),
    )  # at the ends T_1024 is a million times as steep as x
    series = np.zeros(1025)
    series[[0, -1]] = 0.5, 0.25
    before = engine.bootstrap_count
    y = engine.evaluate_chebyshev_polynomial(engine.encrypt(values, auto.public_key, level=10), series)
    assert (engine.bootstrap_count - before, y.level) == (2, 9)
    assert_claims(y, chebyshev.chebval(values, series), auto.secret_key, error=2**-10)


def test_it_is_told(auto: Party, caplog: pytest.LogCaptureFixture) -> None:
    x = auto.engine.encrypt([0.5], auto.public_key, level=0)
    with caplog.at_level(logging.INFO, logger="everlevel"):
        auto.engine.evaluate_chebyshev_polynomial(x, np.ones(1025) / 1025)
    message = caplog.records[-1].getMessage()
    assert message.startswith("evaluate_chebyshev_polynomial: 11 levels, of which a bootstrap gives 10: pieces of ")
    assert "degree below 1024, " in message


@pytest.mark.parametrize("bootstrap", ["regular", "small"])
def test_a_key_that_is_given_bootstraps_too(deep: Party, bootstrap: Any) -> None:
    engine, values = deep.engine, np.random.default_rng(1).uniform(-1, 1, 512)
    key = engine.create_evaluation_key(deep.secret_key, bootstrap=bootstrap)
    engine.forget_keys()
    for degree, level in ((1500, 10), (30, 8)):
        fit = everlevel.fit(lambda x: np.cos(20 * x), degree)
        x = engine.encrypt(values, deep.public_key, level=3)
        with pytest.raises(LevelError):
            engine.evaluate_chebyshev_polynomial(x, fit, key)
        y = engine.evaluate_chebyshev_polynomial(x, fit, bootstrap_key=key)
        assert y.level == (9 if degree == 1500 else 8), level
        assert_claims(y, fit(values), deep.secret_key, error=2**-16)


def test_what_is_too_deep_even_so_is_refused(auto: Party, deep: Party) -> None:
    x = auto.engine.encrypt([0.5], auto.public_key, level=2)
    series = np.zeros(2**20 + 1)
    series[-1] = 1
    before = auto.engine.bootstrap_count
    with pytest.raises(LevelError, match=r"takes 21 levels, and in pieces 20 are there, .* below 2\^20") as info:
        auto.engine.evaluate_chebyshev_polynomial(x, series)
    assert info.value.max_level == 20
    assert auto.engine.bootstrap_count == before
    y = deep.engine.encrypt([0.5], deep.public_key, level=2)
    without = EvaluationKey([deep.relinearization_key])
    with pytest.raises(MissingKeyError, match="no bootstrap key"):
        deep.engine.evaluate_polynomial(y, np.ones(9), bootstrap_key=without)
    with pytest.raises(OperandTypeError, match="bootstrap_key is of type RelinearizationKey"):
        deep.engine.evaluate_polynomial(
            y,
            np.ones(9),
            deep.relinearization_key,
            bootstrap_key=deep.relinearization_key,  # type: ignore[arg-type]
        )


@pytest.mark.full_size
@pytest.mark.slow
def test_a_corner_at_full_size() -> None:
    party = new_party(Engine(auto_bootstrap=True))
    engine = party.engine
    engine.create_evaluation_key(party.secret_key, bootstrap="small")
    values, fit = np.linspace(-1, 1, engine.slot_count), everlevel.fit(np.abs, 4095)
    y = fit(engine.encrypt(values, party.public_key, level=0))
    assert (engine.bootstrap_count, y.level) == (4, 8)
    assert_claims(y, fit(values), party.secret_key, error=2**-15)
