"""Blocks NumPy's array protocols and comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn

import numpy as np

from ..errors import OperandTypeError

PANDAS_PRIORITY: Final = 5000
"""Number by which pandas leaves `series * x` to the class of x: its Series, Index and DataFrame have 2000 to 4000."""


class Opaque:
    """Base of encrypted and encoded vectors, for which operators are defined, and NumPy's functions are not."""

    __slots__ = ()

    _form: ClassVar[str] = "encrypted"
    _instead_of_numpy: ClassVar[str]
    """Advice in place of a call of a NumPy function."""

    # NumPy then leaves `array * ciphertext` to the class, instead of trying it element by element.
    __array_ufunc__: ClassVar[Any] = None

    __pandas_priority__: ClassVar[int] = PANDAS_PRIORITY

    # NumPy's functions would make an array of objects, and do to it what has nothing to do with the values. Type
    # checkers would take what has this method for an array, and `array * ciphertext` for one, too.
    if not TYPE_CHECKING:

        def __array__(self, *args: object, **kwargs: object) -> NoReturn:
            raise OperandTypeError(
                f"array: a {type(self).__name__} is {self._form} and doesn't turn into a NumPy array; "
                f"{self._instead_of_numpy}",
                argument="array",
                expected="array in the clear",
                actual=type(self).__name__,
            )


def is_clear(value: Any) -> bool:
    """Whether an operand is a number or an array in the clear: NumPy's, a list, or what turns into such an array."""
    is_known = isinstance(value, (bool, int, float, complex, list, tuple, np.generic, np.ndarray))
    return is_known or (hasattr(value, "__array__") and not isinstance(value, Opaque))


class Encrypted(Opaque):
    """Base of encrypted vectors. Their values aren't known here, so neither their truth nor their equality can be told.

    Python would say that every object is true, and that two objects are unequal.
    """

    __slots__ = ()

    _how_to_compare: ClassVar[str] = "decrypt both"

    def __bool__(self) -> bool:
        raise OperandTypeError(
            "bool: a ciphertext is neither true nor false, since its value isn't known here; "
            "decrypt it first, or test `ciphertext is None`",
            argument="ciphertext",
            expected="bool",
            actual=type(self).__name__,
        )

    # Objects are told apart by `is`.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> NoReturn:
        self._refuse_comparison("equal", other)

    def __ne__(self, other: object) -> NoReturn:
        self._refuse_comparison("not_equal", other)

    def _refuse_comparison(self, operation: str, other: object) -> NoReturn:
        raise OperandTypeError(
            f"{operation}: a Ciphertext isn't compared with a {type(other).__name__} by == or !=, since its values "
            f"aren't known here; {self._how_to_compare}, or use `is` to tell objects apart",
            argument="other",
            expected="values in the clear",
            actual=type(other).__name__,
        )
