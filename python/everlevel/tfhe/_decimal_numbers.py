"""Decimals in the clear as integers of units: taken exactly, or refused."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .._common import checks
from .._common.checks import unmasked
from ..errors import HeaderError, MessageError, MessageTypeError

MOST_PLACES: Final = 38
"""Largest number of places."""

_MOST_ZEROS: Final = 100
"""Zeros behind a decimal's digits, which 256 bits are far from holding."""


def units_of(operation: str, values: Any, places: int) -> NDArray[Any]:
    """Return the units that decimals in the clear are, as Python's integers."""
    numbers = _numbers(operation, values)
    units = np.zeros(numbers.shape, dtype=object)
    for index, (number, exponent) in np.ndenumerate(numbers):
        shift = exponent + places
        if shift < 0 and number % 10**-shift:
            at: Any = index[0] if len(index) == 1 else index
            raise MessageError(
                f"{operation}: the value{f' at index {at}' if index else ''} has {-exponent} places, and {places} are "
                f"taken; round it first, or choose more places",
                index=at,
            )
        units[index] = number // 10**-shift if shift < 0 else number * 10**shift
    return units


def factors_of(operation: str, values: Any) -> tuple[NDArray[Any], int]:
    """Return decimals in the clear as integers of units, and the fewest places that all of these have."""
    numbers = _numbers(operation, values)
    places = max((-exponent for _, exponent in numbers.flat), default=0)
    places = checks.integer_between(operation, "places of the factor", max(places, 0), 0, MOST_PLACES, "round it first")
    return units_of(operation, values, places), places


def decimals_of(units: NDArray[Any], places: int) -> NDArray[Any]:
    """Return the decimals that integers of units are."""
    found = np.zeros(units.shape, dtype=object)
    for index, value in np.ndenumerate(units):
        number = int(value)
        found[index] = Decimal((int(number < 0), tuple(map(int, str(abs(number)))), -places))
    return found


def read_places(text: str) -> int:
    """Read a number of places from a file's notes."""
    if not re.fullmatch("[0-9]{1,2}", text) or int(text) > 2 * MOST_PLACES:
        raise HeaderError(
            f"read: the header's places are {text!r}, and 0 to {2 * MOST_PLACES} are needed; "
            f"it was not written by Everlevel",
            part="places",
            found=text,
            expected=2 * MOST_PLACES,
        )
    return int(text)


def _numbers(operation: str, values: Any) -> NDArray[Any]:
    """Return decimals as pairs of an integer and an exponent of ten."""
    unmasked(operation, values)
    try:
        array = np.asarray(values, dtype=object)
    except ValueError as error:
        raise MessageTypeError(
            f"{operation}: the values don't form an array ({error}); pass decimals", dtype=type(values).__name__
        ) from None
    numbers = np.zeros(array.shape, dtype=object)
    for index, value in np.ndenumerate(array):
        numbers[index] = _number(operation, value)
    return numbers


def _number(operation: str, value: Any) -> tuple[int, int]:
    if checks.is_integer(value):
        return int(value), 0
    found = value
    if isinstance(value, str):
        try:
            found = Decimal(value)
        except InvalidOperation:
            found = None
    if not isinstance(found, Decimal) or not found.is_finite():
        raise MessageTypeError(
            f"{operation}: the value {value!r} of type {type(value).__name__} is no decimal; "
            f"pass decimal.Decimal, strings such as '19.99', or integers",
            dtype=type(value).__name__,
        )
    sign, digits, exponent = found.as_tuple()
    number = int("".join(map(str, digits)))
    while number and number % 10 == 0:
        number, exponent = number // 10, int(exponent) + 1
    if number == 0:
        return 0, 0
    if not -_MOST_ZEROS <= int(exponent) <= _MOST_ZEROS:
        raise MessageError(f"{operation}: the value {value} is none that 256 bits hold; choose units of another size")
    return (-number if sign else number), int(exponent)
