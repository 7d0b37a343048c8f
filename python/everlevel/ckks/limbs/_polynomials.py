"""Polynomials with real coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import MessageTypeError
from .. import _checks
from . import _operands
from ._arithmetic import subtract
from ._core import Core
from .ciphertext import Ciphertext


def evaluate_polynomial(
    self: Core, ciphertext: Ciphertext, coefficients: ArrayLike, *, progress: bool | None = None
) -> Ciphertext:
    """Evaluate Σ c_k x^k. It spends `precision_bits` for each of ceil(log2(degree + 1)) products one after another.

    Beyond a degree of about 10 the powers' sizes differ so much that precision suffers: use
    `evaluate_chebyshev_polynomial`.

    Parameters
    ----------
    ciphertext : Ciphertext
        x.
    coefficients : array_like of real numbers, shape (degree + 1,)
        c_0, c_1, …: the constant term first.
    progress : bool, optional
        Whether a bar is shown; as the engine says, if left out.

    Raises
    ------
    NoiseError
        If the budget is used up, with both budgets in bits.
    RangeError
        If coefficients are too large.
    MissingKeyError
        If the engine knows no evaluation key for the ciphertext's secret.
    MessageError, MessageTypeError
        If there are no coefficients, one is NaN or infinite, or they aren't real.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.5, 2.0], secret_key, bound=2)
    >>> engine.decrypt(engine.evaluate_polynomial(x, [1, 0, 3]), secret_key).round(3)
    array([ 1.75, 13.  ])
    """
    return _evaluate(self, "evaluate_polynomial", False, ciphertext, coefficients, progress)


def evaluate_chebyshev_polynomial(
    self: Core, ciphertext: Ciphertext, coefficients: ArrayLike, *, progress: bool | None = None
) -> Ciphertext:
    """Evaluate Σ c_k T_k(x), for real x in [-1, 1]. Arguments and errors are as in `evaluate_polynomial`.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.5, -1.0], secret_key)
    >>> series = np.polynomial.chebyshev.chebinterpolate(np.exp, 7)
    >>> y = engine.evaluate_chebyshev_polynomial(x, series)
    >>> bool(np.allclose(engine.decrypt(y, secret_key), np.exp([0.5, -1.0]), atol=1e-5))
    True
    """
    return _evaluate(self, "evaluate_chebyshev_polynomial", True, ciphertext, coefficients, progress)


def _evaluate(
    self: Core, operation: str, is_chebyshev: bool, ciphertext: Any, coefficients: Any, progress: bool | None
) -> Ciphertext:
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    series, is_real = _checks.coefficients(operation, coefficients)
    if not is_real:
        raise MessageTypeError(
            f"{operation}: the coefficients have dtype {series.dtype}, and real ones are needed; evaluate the real and "
            f"the imaginary parts, and add them: p + 1j * q",
            dtype=str(series.dtype),
        )
    key = self._key(operation, x._native.secret_id)
    numbers = np.ascontiguousarray(series.real)
    with self._reporting("polynomial", progress) as report:
        native = self._context.evaluate_polynomial(x._native, (is_chebyshev, x.is_real), numbers, key, report)
    result, layout = Ciphertext(self, native, is_real=x.is_real), x._layout
    of_zero = numbers[0] if not is_chebyshev else np.polynomial.chebyshev.chebval(0.0, numbers)
    if of_zero == 0 or layout.is_single or not layout.is_clean or layout.shape is None:
        return result._with(layout)
    # The polynomial's value at 0 is taken off the zeros after the values.
    rest = np.zeros(self.slot_count)
    rest[layout.size :] = of_zero
    return subtract(self, result, rest)._with(layout)
