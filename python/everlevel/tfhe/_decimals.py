"""Encryption of decimals."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._common import checks
from .._common.arrays import place_of
from ..errors import MessageError
from . import _checks, _uints
from ._core import Core
from ._decimal_numbers import MOST_PLACES, decimals_of, units_of
from ._uint_operations import WIDTHS
from .decimal_array import DecimalArray
from .int_array import IntArray
from .keys import PublicKey, SecretKey


def encrypt_decimal(
    self: Core, values: Any, key: PublicKey | SecretKey, *, places: int = 2, width: int = 64
) -> DecimalArray:
    """Encrypt an array of decimals, such as amounts of money, of any shape, exactly.

    Parameters
    ----------
    values : array_like of decimal.Decimal, str or int
        Those with more places are refused, and so are floats, which most decimals are none of.
    key : PublicKey or SecretKey
        Who decrypts.
    places : int, default 2
        Digits behind the point, 0 to 38. They are public.
    width : int, default 64
        Bits of the number of units: 8, 16, 32, 64, 128 or 256. With two places, 64 bits hold amounts up to 9·10^16.

    Raises
    ------
    SpaceError
        If the parameters hold bits, or integers of fewer than 4 bits.
    MessageTypeError
        If a value is no decimal.
    MessageError
        If a value has more places, or is one that the width doesn't hold.
    ParameterError
        If there is no such width, or no such number of places.
    EngineMismatchError
        If the key is one of other parameters.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> prices = engine.encrypt_decimal(["19.99", "0.05"], secret_key, width=16)
    >>> prices
    DecimalArray(shape (2,), int16 with 2 places, p_fail 2^-...)
    >>> engine.decrypt(prices + 1, secret_key).tolist()
    [Decimal('20.99'), Decimal('1.05')]
    """
    operation = "encrypt_decimal"
    places = checks.integer_between(operation, "places", places, 0, MOST_PLACES, "choose fewer")
    units = units_of(operation, values, places)
    bits = checks.integer(operation, "width", width)
    low, high = _checks.range_of(bits, signed=True) if bits in WIDTHS else (0, 0)
    bad = (units < low) | (units > high)
    if bits in WIDTHS and bad.any():
        index = place_of(units.shape, bad)
        value, least, most = (decimals_of(np.asarray(number), places) for number in (units[index], low, high))
        raise MessageError(
            f"{operation}: the value {value} is none that {bits} bits hold, which are {least} to {most}; "
            f"choose a larger width",
            index=index,
            value=value,
        )
    integers = _uints.encrypt_integers(self, operation, IntArray, units, key, bits)
    return DecimalArray(self, integers._native, integers.shape, places)
