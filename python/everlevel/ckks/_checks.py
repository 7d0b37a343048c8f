"""Checks of values in the clear, and their conversion to what the native module takes.

Everything here runs before any work is done and changes nothing. Messages become C-contiguous ``complex128`` arrays of
whole units of ``slot_count`` values, zero-padded, with a note of whether they were real.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .._common.checks import integer, number, unmasked
from ..errors import DivisionByZeroError, LevelError, MessageError, MessageTypeError, ParameterError

ComplexArray = NDArray[np.complex128]
Entries = NDArray[np.float64] | NDArray[np.complex128]

_NUMERIC_KINDS: Final = "biufc"
_NUMBERS: Final = "numbers (bool, integer, float or complex)"


def message(operation: str, values: Any, slot_count: int) -> tuple[ComplexArray, bool]:
    """Turn a message into padded complex slots, and say whether it is real.

    Parameters
    ----------
    operation : str
        Name for error messages.
    values : array_like
        One-dimensional, at least one number.
    slot_count : int
        Slots of a unit.

    Returns
    -------
    slots : ndarray of complex128, shape (n,)
        The numbers, without the zeros that follow them in the last unit.
    is_real : bool
        Whether the input's dtype was real.
    """
    array = numbers(operation, values)
    if array.ndim != 1:
        raise MessageError(
            f"{operation}: the message has {array.ndim} dimensions, of shape {array.shape}, and slots have one; "
            f"pass numpy.ravel(message)",
            slot_count=slot_count,
        )
    return _flat(operation, array, slot_count), array.dtype.kind != "c"


def array(operation: str, values: Any, slot_count: int) -> tuple[ComplexArray, bool, tuple[int, ...]]:
    """Turn an array of any shape into its values in NumPy's order; say whether it is real, and its shape."""
    found = numbers(operation, values)
    if found.ndim != 1 and found.size > slot_count:
        raise MessageError(
            f"{operation}: the message has {found.size} values, of shape {found.shape}, and a unit has {slot_count} "
            f"slots; pass parts of it, or numpy.ravel(message) for several units",
            length=found.size,
            slot_count=slot_count,
        )
    return _flat(operation, found.ravel(), slot_count), found.dtype.kind != "c", found.shape


def matrix(operation: str, values: Any) -> tuple[Entries, bool]:
    """Turn a matrix into contiguous entries, and say whether they are real."""
    array = numbers(operation, values)
    if array.ndim != 2:
        raise MessageError(
            f"{operation}: the matrix has {array.ndim} dimensions, of shape {array.shape}, and 2 are needed; "
            f"reshape it to (rows, columns)",
        )
    is_real = array.dtype.kind != "c"
    with np.errstate(over="ignore"):
        entries: Entries
        if is_real:
            entries = np.ascontiguousarray(array, dtype=np.float64)
        else:
            entries = np.ascontiguousarray(array, dtype=np.complex128)
    if not np.isfinite(entries).all():
        _require_finite(operation, array.ravel())
    return entries, is_real


def coefficients(operation: str, values: Any) -> tuple[ComplexArray, bool]:
    """Check a polynomial's coefficients, constant term first."""
    array = numbers(operation, values)
    if array.ndim != 1 or array.size == 0:
        raise MessageError(
            f"{operation}: the coefficients have shape {array.shape} and a polynomial has one row of at least one; "
            f"pass them with the constant term first",
            length=int(array.size),
        )
    _require_finite(operation, array)
    return np.ascontiguousarray(array, dtype=np.complex128), array.dtype.kind != "c"


def scalar(operation: str, value: Any) -> complex:
    """Turn a Python or NumPy number into a finite ``complex``."""
    try:
        number = complex(value)
    except OverflowError:
        number = complex("inf")
    if not np.isfinite(number):
        raise MessageError(
            f"{operation}: the scalar is {number}, and a ciphertext is combined with finite numbers only; "
            f"check where it comes from",
            value=value,
        )
    return number


def inverse(operation: str, divisor: Any) -> complex | Entries:
    """Return the inverse of a number, or of each element of an array."""
    if is_scalar(divisor):
        number = scalar(operation, divisor)
        values: NDArray[Any] = np.asarray(number if number.imag else number.real)
    else:
        values = numbers(operation, divisor)
        _require_finite(operation, values.ravel())
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        inverses = 1 / values
    unusable = ~np.isfinite(inverses)
    if unusable.any():
        place = int(np.argmax(unusable))
        where = "" if values.ndim == 0 else f" at index {place}"
        raise DivisionByZeroError(
            f"{operation}: the divisor{where} is {values.ravel()[place]}, whose inverse is no finite number; "
            f"leave it out",
            index=None if values.ndim == 0 else place,
        )
    return inverses if inverses.ndim else inverses.item()


def is_scalar(value: Any) -> bool:
    """Whether a value is a single number, of Python's or NumPy's."""
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in _NUMERIC_KINDS
    return isinstance(value, (bool, int, float, complex, np.number, np.bool_))


def is_vector(values: Any) -> bool:
    """Whether a list or an array has one dimension, of numbers."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError):
        return False
    return array.ndim == 1 and array.dtype.kind in _NUMERIC_KINDS


def level(operation: str, value: Any, max_level: int) -> int:
    """Check a level against the engine's highest, which is also what None stands for."""
    if value is None:
        return max_level
    number = integer(operation, "level", value)
    if not 0 <= number <= max_level:
        raise LevelError(
            f"{operation}: level {number} was asked for and this engine has levels 0 to {max_level}; "
            f"choose one of these, or make an engine with a higher max_level",
            level=number,
            max_level=max_level,
        )
    return number


def level_of_key(operation: str, value: Any, name: str, served: int) -> int:
    """Check a level that a key is cut to against the highest one that it serves."""
    number = integer(operation, "level", value)
    if not 0 <= number <= served:
        raise LevelError(
            f"{operation}: level {number} was asked for, and the {name} serves levels 0 to {served}; choose one of "
            f"these, or make a key for that level from the secret key",
            level=number,
            served=served,
        )
    return number


def require_level(operation: str, level: int, needed: int, max_level: int, kind: str = "ciphertext") -> None:
    """Refuse operands below a level."""
    if level < needed:
        raise LevelError(
            f"{operation}: needs level ≥ {needed}, {kind} is at level {level} of {max_level}; bootstrap it first",
            level=level,
            needed=needed,
            max_level=max_level,
        )


def amount(operation: str, delta: Any, slot_count: int, name: str = "delta") -> int:
    """Reduce a rotation to the shortest way round: (-slot_count/2, slot_count/2]."""
    reduced = integer(operation, name, delta) % slot_count
    return reduced - slot_count if reduced > slot_count // 2 else reduced


def numbers(operation: str, values: Any) -> NDArray[Any]:
    """Turn a message, or a matrix, into an array of numbers, of any shape."""
    unmasked(operation, values)
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise MessageTypeError(
            f"{operation}: the message doesn't form an array ({error}); pass a flat sequence of {_NUMBERS}",
            dtype=type(values).__name__,
        ) from None
    if array.dtype.kind not in _NUMERIC_KINDS:
        raise MessageTypeError(
            f"{operation}: the message has dtype {array.dtype} and slots hold {_NUMBERS}; "
            f"convert it with numpy.asarray(message, dtype=float)",
            dtype=str(array.dtype),
        )
    return array


def _flat(operation: str, values: NDArray[Any], slot_count: int) -> ComplexArray:
    """Return the numbers of a message as what slots hold."""
    if values.size == 0:
        raise MessageError(
            f"{operation}: the message is empty, and a unit has {slot_count} slots; pass at least one value",
            length=0,
            slot_count=slot_count,
        )
    _require_finite(operation, values)
    return np.array(values, dtype=np.complex128)


def _require_finite(operation: str, array: NDArray[Any]) -> None:
    with np.errstate(over="ignore"):
        # What is finite in a wider dtype may not be so in the one that the slots have.
        finite = np.isfinite(array.astype(np.complex128, copy=False))
    if not finite.all():
        index = int(np.argmin(finite))
        raise MessageError(
            f"{operation}: the value at index {index} is {array[index]}, and slots hold finite numbers; "
            f"replace it, for instance with numpy.nan_to_num",
            index=index,
            value=array[index].item(),
        )


Declared = float | tuple[float, float]
"""Declaration of values: their largest size, or the ends of where real ones lie."""


def bound(operation: str, value: Any, default: Declared | None) -> Declared | None:
    """Return what is declared of values, or the default where nothing is."""
    return default if value is None else declared(operation, value)


def declared(operation: str, value: Any) -> Declared:
    """Return a size as a float, or an interval as two of them."""
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return ends(operation, *value)
    return declared_bound(operation, value)


def require_real(operation: str, bound: Declared | None, is_real: bool) -> None:
    """Refuse an interval of a complex message."""
    if isinstance(bound, tuple) and not is_real:
        raise MessageTypeError(
            f"{operation}: bound is {bound}, where real values lie, and the message is complex; pass one number, the "
            f"largest size of a value",
            dtype="complex128",
        )


def declared_bound(operation: str, value: Any) -> float:
    """Return a declared bound as a float."""
    size = number(value)
    if not 0 <= size < np.inf:
        raise ParameterError(
            f"{operation}: bound is {value!r}; it must be a finite number, at least 0: the largest size of a value",
            option="bound",
            value=value,
        )
    return size


def ends(operation: str, low: Any, high: Any) -> tuple[float, float]:
    """Return the ends of an interval as floats."""
    found = number(low), number(high)
    if not (np.isfinite(found).all() and found[0] <= found[1]):
        raise ParameterError(
            f"{operation}: the values are said to lie from {low!r} to {high!r}, and two finite numbers are needed, the "
            f"smaller first; pass one number for a bound of sizes",
            option="low, high",
            value=(low, high),
            allowed="(a, b) with a <= b",
        )
    return found
