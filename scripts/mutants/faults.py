"""Faults of decrypted values, each as large as a test should notice."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claims import claimed_errors

Values = NDArray[Any]
Fault = Callable[[Any, Values, np.random.Generator], "Values | None"]
"""The ciphertext, its values and random numbers to the wrong values, or None where the fault isn't one of them."""


def _is_approximate(ciphertext: Any) -> bool:
    return hasattr(ciphertext, "precision_bits")


def noise(ciphertext: Any, values: Values, rng: np.random.Generator) -> Values | None:
    """Noise of four times the typical error."""
    typical = claimed_errors(ciphertext)[0] if _is_approximate(ciphertext) else 0.0
    if not 0 < typical < math.inf:
        return None
    if not np.iscomplexobj(values):
        return values + rng.normal(0, 4 * typical, values.shape)
    return values + rng.normal(0, 4 * typical / math.sqrt(2), (*values.shape, 2)) @ [1, 1j]


def slot(ciphertext: Any, values: Values, rng: np.random.Generator) -> Values | None:
    """One slot that is off by twice the floor."""
    worst = claimed_errors(ciphertext)[1] if _is_approximate(ciphertext) else 0.0
    if not 0 < worst < math.inf:
        return None
    wrong = np.array(values)
    wrong.flat[rng.integers(wrong.size)] += 2 * worst * rng.choice([-1, 1])
    return wrong


def scale(ciphertext: Any, values: Values, rng: np.random.Generator) -> Values | None:
    """Values of a rescale by a power of two, where the prime is another number, by twice the floor or more."""
    if not hasattr(ciphertext, "scale"):
        return None
    wrong = values * (ciphertext.scale / 2.0 ** round(math.log2(ciphertext.scale)))
    return wrong if np.abs(wrong - values).max() > 2 * claimed_errors(ciphertext)[1] else None


def values_in_1000() -> Fault:
    """Begin to count decrypted values."""
    owed = 1.0

    def value(ciphertext: Any, values: Values, rng: np.random.Generator) -> Values | None:
        """One wrong value of an exact scheme in a thousand decrypted ones, the first of them in the first array."""
        nonlocal owed
        if _is_approximate(ciphertext):
            return None
        owed += values.size / 1000
        count = min(int(owed), values.size)
        owed -= count
        flips = np.zeros(values.size, values.dtype)
        flips[rng.choice(values.size, count, replace=False)] = 1
        return values ^ flips.reshape(values.shape) if count else None

    return value


def key(ciphertext: Any, values: Values, rng: np.random.Generator) -> Values | None:
    """Values that are moved by one place: those of another rotation's key."""
    moved = np.roll(values, 1)
    if not _is_approximate(ciphertext):
        return None if np.array_equal(moved, values) else moved
    return moved if np.abs(moved - values).max() > 2 * claimed_errors(ciphertext)[1] else None


FAULTS: dict[str, Callable[[], Fault]] = {
    "noise": lambda: noise,
    "slot": lambda: slot,
    "scale": lambda: scale,
    "value": values_in_1000,
    "key": lambda: key,
}
"""What makes a fault for each test."""
