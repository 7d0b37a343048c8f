"""Powers of ciphertexts, with as few products one after another as there can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np

from ..errors import ParameterError
from . import checks

T = TypeVar("T")

_LARGEST: Final = 2**62


def exponent(value: Any, advice: str) -> int:
    """Check an exponent of ``**``."""
    if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim):
        needed = "one integer is needed; raise to each exponent by itself, or multiply by exponentials of logs"
        raise checks.wrong_type("power", "exponent", value, "int", needed)
    number = checks.integer("power", "exponent", value)
    if not 1 <= number <= _LARGEST:
        raise ParameterError(
            f"power: the exponent is {number}, and powers from 1 to {_LARGEST} are computed; {advice}",
            option="exponent",
            value=number,
            allowed=(1, _LARGEST),
        )
    return number


def depth(exponent: int) -> int:
    """Return how many products one after another a power takes: ceil(log2(exponent))."""
    return (exponent - 1).bit_length()


def power(base: T, exponent: int, multiply: Callable[[T, T], T]) -> T:
    """Compute a power by halves, of which each is a product of two: at most two products for each doubling.

    Examples
    --------
    >>> power(3, 5, lambda x, y: x * y)
    243
    """
    known = {1: base}

    def of(exponent: int) -> T:
        if exponent not in known:
            known[exponent] = multiply(of((exponent + 1) // 2), of(exponent // 2))
        return known[exponent]

    return of(exponent)
