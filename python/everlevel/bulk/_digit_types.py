"""Types of integers of many digits, and the parameters whose messages are digits."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ..errors import OperandTypeError, SpaceError
from ._core import Core

WIDTHS: Final = (8, 16, 32, 64)
BITS: Final = range(4, 7)
"""Bits of the integers of spaces that have room for two digits of 2 bits; more room is no use to these."""


def integer_type(operation: str, dtype: Any) -> np.dtype[Any]:
    """Check a dtype of integers."""
    try:
        found: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        found = np.dtype(object)
    if found.kind not in "iu":
        raise OperandTypeError(
            f"{operation}: the dtype is {dtype}, and uint8, uint16, uint32, uint64, int8, int16, int32 and int64 are "
            f"taken; choose one",
            argument="dtype",
            expected="uint8 to uint64 or int8 to int64",
            actual=str(dtype),
        )
    return found


def require_digits(self: Core, operation: str) -> None:
    """Refuse parameters whose messages are no digits of integers."""
    bits = self.message_bits
    if bits not in BITS:
        found = "bits" if bits is None else f"integers of {bits} bits"
        raise SpaceError(
            f"{operation}: the parameters {self._parameters} hold {found}, and integers of 8 to 64 bits are made "
            f"of integers of 4 to 6 bits; choose 'integer-4-128'",
            found=found,
            needed="integers of 4 to 6 bits",
        )
