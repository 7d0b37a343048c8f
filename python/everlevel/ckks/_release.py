"""Decryptions that may be given away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .._common import checks
from ..errors import ParameterError
from . import _operands
from ._core import Core
from ._shaping import masked
from .ciphertext import Ciphertext
from .keys import SecretKey

ERROR_MODEL: Final = "heuristic"
"""Bounds of errors add up what is proven of each operation, on noise whose tails are normal, as formulas assume."""


@dataclass(frozen=True, eq=False)
class Release:
    """Decrypted values that may be given away: made by `Engine.release`.

    NumPy takes it for its `values`.

    Attributes
    ----------
    values : ndarray of float64 or complex128
        Of the shape that `Engine.decrypt` gives. Real if the message was.
    error_model : str
        ``"heuristic"``: the ciphertext's errors are bounded on the assumption that noise has normal tails.
    log2_failure : float or None
        log2 of the probability that a value on a grid is wrong, at most.
    statistical_bits : float or None
        Bits that flooded values were asked for; the distance to exact results is 2^(-bits/2) / 6.9 at most.
    precision_bits : float or None
        -log2 of a flooded value's root-mean-square error.
    remaining : int
        Releases that are left in the key's budget.
    """

    values: NDArray[Any]
    error_model: str
    log2_failure: float | None
    statistical_bits: float | None
    precision_bits: float | None
    remaining: int

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        how = f"failure 2^{self.log2_failure:.0f}" if self.log2_failure is not None else None
        if how is None:
            how = f"{self.statistical_bits:g} statistical bits, precision {self.precision_bits:.1f} bits"
        return (
            f"Release({self.values.size} values, {how}, {self.error_model} error model, {self.remaining} releases left)"
        )


def release(
    self: Core,
    ciphertext: Ciphertext,
    secret_key: SecretKey,
    *,
    grid: float | None = None,
    statistical_bits: float | None = None,
) -> Release:
    """Decrypt to values that may be given away to whoever knows the ciphertext and its computation.

    `decrypt` gives the values with their noise, which tells the secret to whoever knows the computation. Here the noise
    is rounded away, or flooded. The promise is for programs that the key's owner fixed, for honest evaluators and
    encryptors, and for one key object without copies: SECURITY.md says what it is and what it isn't.

    Parameters
    ----------
    ciphertext : Ciphertext
        With a declared bound, on which the bound of its errors rests.
    secret_key : SecretKey
        Its budget counts one release for each unit.
    grid : float, optional
        Distance of neighbouring values, which are all multiples of it: 1 for counts and classes, 0.01 for cents. Values
        are rounded to it, and tell nothing but themselves; wrong ones have a probability of 2^-64 at most.
    statistical_bits : float, optional
        8 to 128, for values on no grid: noise is added to them whose standard deviation is the ciphertext's errors'
        times sqrt(12 * budget) * 2^(bits/2) * sqrt(slot_count).

    Returns
    -------
    Release

    Raises
    ------
    ReleaseError
        If the bound is assumed, errors may reach half of the grid's step, values aren't on the grid, flooding leaves
        less than 2 bits of the largest values, or the budget is spent. A refusal takes nothing from the budget, but
        for values that aren't on the grid.
    ParameterError
        If neither or both of `grid` and `statistical_bits` are given, or one is out of range.
    KeyMismatchError
        If the ciphertext is one of another secret.

    References
    ----------
    Li, Micciancio, "On the security of homomorphic encryption on approximate numbers", eprint 2020/1533; Li,
    Micciancio, Schultz, Sorrell, "Securing approximate homomorphic encryption using differential privacy", eprint
    2022/816.

    Examples
    --------
    >>> votes = engine.encrypt([1.0, 0.0, 1.0], public_key, bound=1)
    >>> engine.release(votes + votes, secret_key, grid=1).values[:3]
    array([2., 0., 2.])
    >>> engine.release(votes, secret_key, statistical_bits=16).precision_bits > 2
    True
    """
    operation = "release"
    x = masked(_operands.ciphertext(operation, ciphertext))
    secret = _operands.secret_key(operation, secret_key)
    if (grid is None) == (statistical_bits is None):
        given = "neither" if grid is None else "both"
        raise ParameterError(
            f"{operation}: {given} of grid and statistical_bits are given, and one is needed: grid=1 for counts, or "
            f"statistical_bits=40 for other values",
            option="grid",
            value=grid,
        )
    bits = failure = precision = None
    if grid is not None:
        step = _number(operation, "grid", grid)
        slots, failure = self._context.release_on_grid(x._native, secret._native, step)
    else:
        bits = _number(operation, "statistical_bits", statistical_bits)
        slots, precision = self._context.release_flooded(x._native, secret._native, bits)
    values = x._layout.values(np.ascontiguousarray(slots.real) if x.is_real else slots)
    remaining = secret._native.release_budget - secret._native.released
    return Release(values, ERROR_MODEL, failure, bits, precision, remaining)


def _number(operation: str, option: str, value: Any) -> float:
    """Check that an option is a finite number; the core knows its range."""
    found = checks.number(value)
    if not np.isfinite(found):
        needed = "a finite number is needed; choose grid=1 for counts, or statistical_bits=40 for other values"
        raise checks.refusal(operation, option, value, needed)
    return found
