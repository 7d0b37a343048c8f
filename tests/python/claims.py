"""Decrypted values beside what their ciphertexts claim of them: the one place that tests' tolerances come from."""

from __future__ import annotations

from typing import Any

import numpy as np

TYPICAL_FACTOR = 2.0
"""Largest root mean square of the slots' errors, in typical errors that a ciphertext claims."""

FLOOR_OVER_LIMBS = 16.0
"""Largest error of a slot over limbs, where no floor is claimed, in typical errors."""


def assert_claims(
    ciphertext: Any,
    expected: Any,
    secret_key: Any,
    *,
    rest: complex = 0,
    varied: bool = True,
    slack: Any = 0.0,
    error: float = np.inf,
) -> Any:
    """Decrypt, check the values by the ciphertext's own claims, and return them.

    An exact scheme's values are equal to the expected ones. Approximate ones are within the bound, each is within the
    floor, and all have the typical error.

    Parameters
    ----------
    ciphertext, secret_key
        A vector or array of any scheme, and its owner's key.
    expected : array_like
        A number that every slot holds, or values of the first slots.
    rest : complex
        The number that the other slots hold: the library's padding is 0, and computed with.
    varied : bool
        Whether the values are what the typical error is claimed of, varied ones of mean 0 within the bound. Others are
        as near as the floor says.
    slack : float or array_like
        Distance of an approximation, such as a sign's, from the expected values, which is no error of a ciphertext.
    error : float
        Largest error of a slot that the test asks for, where less is claimed than is so.
    """
    # Of a CKKS ciphertext that remembers a shape, the slots after its values are looked at as well, if they are known.
    layout = getattr(ciphertext, "_layout", None)
    slots = {} if layout is None else {"slots": True}
    found = ciphertext._engine.decrypt(ciphertext, secret_key, **slots)
    values = np.asarray(expected)
    if layout is not None and layout.shape is not None:
        found, values = (
            found if layout.is_clean else found[: layout.size],
            values.ravel() if values.ndim > 1 else values,
        )
    if values.ndim == 0:
        values = np.full(found.shape, values)
    elif len(values) < len(found) and (layout is not None or not hasattr(ciphertext, "shape")):
        values = np.concatenate([values, np.full(len(found) - len(values), rest)])
    if not hasattr(ciphertext, "precision_bits"):
        np.testing.assert_array_equal(found, values)
        return found
    errors, (typical, worst) = np.maximum(np.abs(found - values) - slack, 0), claimed_errors(ciphertext)
    worst = min(worst, error)
    room = 1e-9 * getattr(ciphertext, "bound", 0)
    assert np.abs(values).max() <= ciphertext.bound + room, "a value exceeds the bound"
    low, high = getattr(ciphertext, "interval", None) or (-np.inf, np.inf)
    inside = values if layout is None or layout.shape is None else values[: layout.size]
    assert np.maximum(low - inside.real, inside.real - high).max() <= room, "a value is outside of the interval"
    assert worst < np.inf or varied, "nothing is claimed of these values"
    at, rms = int(np.argmax(errors)), np.sqrt(np.mean(errors**2))
    assert errors[at] <= worst, f"slot {at} is {found[at]}, and {values[at]} ± {worst:.3g} is right"
    assert rms <= TYPICAL_FACTOR * typical or not varied, f"typical errors are {rms:.3g}, and {typical:.3g} is claimed"
    return found


def claimed_errors(ciphertext: Any) -> tuple[float, float]:
    """Root mean square of the slots' errors, and the largest of them, that a ciphertext claims; infinite if unknown."""
    typical = 2.0**-ciphertext.precision_bits
    worst = 2.0**-ciphertext.precision_floor if hasattr(ciphertext, "precision_floor") else FLOOR_OVER_LIMBS * typical
    return float(np.nan_to_num(typical, nan=np.inf)), float(np.nan_to_num(worst, nan=np.inf))
