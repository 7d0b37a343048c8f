"""Vectors longer than a ciphertext's slots, as arrays of shape (units, slot_count): their axes, and stacks of them."""

from __future__ import annotations

from typing import Any, Final, TypeVar

import numpy as np

from ..errors import ParameterError
from . import checks

T = TypeVar("T")

OVER_UNITS: Final = (None, 0, -2)
OVER_SLOTS: Final = (None, 1, -1)
"""The axes that stand for units and for slots; None for both."""


def axis(operation: str, value: Any) -> int | None:
    """Check an axis."""
    if value is None or (isinstance(value, (int, np.integer)) and value in (0, 1, -1, -2)):
        return None if value is None else int(value)
    raise checks.refusal(
        operation, "axis", value, "0 (units), 1 (slots) and None (both) are taken; choose one of these", (None, 0, 1)
    )


def stacked(parts: list[T]) -> list[T]:
    """Check that there are ciphertexts to stack."""
    if not parts:
        raise ParameterError(
            "vstack: there are no ciphertexts, and one at least is needed; pass some",
            option="number of ciphertexts",
            value=0,
        )
    return parts
