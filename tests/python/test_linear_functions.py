"""NumPy's linear functions, moments and quantiles of encrypted arrays, against NumPy; and next steps of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Engine, errors
from parties import INSECURE_LOG_N, Party, keyed_party

A = np.random.default_rng(31).uniform(-1, 1, (4, 5))
KERNEL = [0.25, 0.5, 0.125]
CALLS: dict[str, Callable[[Any], Any]] = {
    "convolve": lambda x: np.convolve(x.ravel(), KERNEL),
    "convolve with it": lambda x: np.convolve(KERNEL, x.ravel(), "valid"),
    "correlate": lambda x: np.correlate(x.ravel(), KERNEL, "same"),
    "diff": lambda x: np.diff(x),
    "diff of diffs": lambda x: np.diff(x, n=2, axis=0),
    "diff after a number": lambda x: np.diff(x.ravel(), prepend=0.75),
    "diff before others": lambda x: np.diff(x, axis=0, append=A[:2]),
    "ediff1d": lambda x: np.ediff1d(x),
    "ediff1d between numbers": lambda x: np.ediff1d(x, to_begin=0.25, to_end=[0.5, -0.5]),
    "ediff1d of numbers, ending with it": lambda x: np.ediff1d(KERNEL, x.ravel()),
    "gradient": lambda x: np.gradient(x.ravel(), 0.5),
    "trace": lambda x: np.trace(x),
    "fft": lambda x: np.fft.fft(x),
    "ifft": lambda x: np.fft.ifft(x.ravel(), 8),
    "of a slice": lambda x: np.diff(x[1:, 2]),
    "average": lambda x: np.average(x),
    "average along an axis": lambda x: np.average(x, 1, [1.0, 2, 3, 4, 5]),
    "average by weights": lambda x: np.average(x, weights=np.abs(A), axis=0, keepdims=True),
    "cov": lambda x: np.cov(x),
    "cov of columns": lambda x: np.cov(x, rowvar=False, bias=True),
    "cov of complex ones": lambda x: np.cov(x[:2] + 1j * x[2:]),
    "cov of one": lambda x: np.cov(x[0]),
    "prod": lambda x: np.prod(x[0]),
    "prod of one": lambda x: np.prod(x[0, :1]),
}


@pytest.fixture(scope="module")
def levels() -> Party:
    return keyed_party(Engine(max_level=7, insecure_log_n=INSECURE_LOG_N))


@pytest.mark.parametrize("name", CALLS)
def test_functions_are_numpys(name: str, levels: Party) -> None:
    found, expected = CALLS[name](levels.engine.encrypt(A, levels.secret_key, bound=1)), CALLS[name](A)
    assert found.shape == np.shape(expected)
    assert_claims(found, expected, levels.secret_key, varied=False, error=1e-4)


def test_quantiles() -> None:
    lossy = keyed_party(Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N), bootstrap="lossy")
    values = np.random.default_rng(3).permutation(np.linspace(-1, 1, 7))
    x = lossy.engine.encrypt(values, lossy.secret_key, bound=1)
    for found, expected in (
        (np.quantile(x, 0.25), np.quantile(values, 0.25)),
        (np.percentile(x, [0, 40, 100]), np.percentile(values, [0, 40, 100])),
    ):
        assert found.shape == np.shape(expected)
        np.testing.assert_allclose(lossy.engine.decrypt(found, lossy.secret_key), expected, atol=2.0**-14)
    for wrong in (1.5, -0.1, 1j):
        with pytest.raises(errors.ParameterError, match=r"^quantile: q is .*shares from 0 to 1"):
            np.quantile(x, wrong)


def test_what_is_refused_names_the_next_step(levels: Party) -> None:
    x: Any = levels.engine.encrypt(A, levels.secret_key, bound=1)
    for call, words in (
        (lambda: np.einsum("ij,ij->i", x, x), r"einsum: .*x @ y"),
        (lambda: np.tensordot(x, x), r"tensordot: .*x @ y"),
        (lambda: np.corrcoef(x), r"corrcoef: .*numpy\.cov"),
        (lambda: np.ptp(x), r"ptp: .*x\.max\(\) - x\.min\(\)"),
        (lambda: np.interp(x, [0, 1], [0, 1]), r"interp: .*everlevel\.fit"),
        (lambda: np.digitize(x, [0.5]), r"digitize: .*x\[:, None\] > edges"),
        (lambda: np.convolve(x[0], x[0]), r"convolve: one of its arguments is to be encrypted"),
        (lambda: np.gradient(KERNEL, x[0, :3]), r"gradient: it isn't linear in its argument 1, which is encrypted"),
        (lambda: np.correlate(KERNEL, 1j * x[0]), r"correlate: it isn't linear in its argument 1"),
        (lambda: np.cov(x, x), r"cov: y isn't for what is encrypted"),
        (lambda: np.diff(x, axis=7), r"diff: the arguments don't fit"),
        (lambda: x.__setitem__(3, 0.0), r"setitem: a ciphertext doesn't change, .*numpy\.where"),
    ):
        with pytest.raises(errors.OperandTypeError, match=words):
            call()
    for wrong, words in (
        (lambda: np.average(x, weights=[1.0, 2.0]), r"average: the weights are of shape \(2,\)"),
        (lambda: np.average(x, weights=np.zeros((4, 5))), r"average: the weights add up to 0"),
        (lambda: np.convolve(x.ravel(), np.ones(512)), r"convolve: 20 values come to 531, and 1 to 512 fit"),
    ):
        with pytest.raises(errors.MessageError, match=words):
            wrong()
