"""Blocks NumPy's array protocols and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


def not_comparable(operation: str, value: Any) -> OperandTypeError:
    """Say that an encrypted array isn't compared with what is no operand: Python would say that two objects are two."""
    actual = type(value).__name__
    return OperandTypeError(
        f"{operation}: an encrypted array isn't compared with a value of type {actual}; "
        f"pass a number, a list or a NumPy array, or use `is` to tell objects apart",
        argument="other",
        expected="number, list, NumPy array or encrypted array",
        actual=actual,
    )


def unchanging(next_step: str) -> OperandTypeError:
    """Say that a ciphertext has no assignments."""
    return OperandTypeError(
        f"setitem: a ciphertext doesn't change, since threads and results share it; make another one: {next_step}",
        argument="ciphertext",
        expected="another ciphertext",
        actual="assignment",
    )


def _refused(name: str) -> Callable[..., Any]:
    """Make an operator that refuses values in the clear and those of its class; all else is left to the other one."""

    def operator(self: Any, *others: Any) -> Any:
        kinds = [type(other).__name__ for other in others]
        if not all(type(other) is type(self) if isinstance(other, Refusing) else is_clear(other) for other in others):
            return NotImplemented
        beside = f" beside {' and '.join(kinds)}" if kinds else ""
        raise OperandTypeError(
            f"{name}: a {type(self).__name__} has no such operator{beside}; {self._next_steps.get(name, self._advice)}",
            argument="operand",
            expected="another operator",
            actual=", ".join((type(self).__name__, *kinds)),
        )

    operator.__name__ = name
    return _marked(operator)


def _unconverted(name: str) -> Callable[..., Any]:
    """Make a conversion that is refused."""

    def conversion(self: Any) -> NoReturn:
        raise OperandTypeError(
            f"{name}: a {type(self).__name__} is encrypted, and its value isn't known here; decrypt it first",
            argument="ciphertext",
            expected="number in the clear",
            actual=type(self).__name__,
        )

    conversion.__name__ = name
    return _marked(conversion)


def _marked(function: Any) -> Callable[..., Any]:
    """Mark a method as one that always raises."""
    function.always_raises = True
    marked: Callable[..., Any] = function
    return marked


def is_done(method: Any) -> bool:
    """Whether there is a method, which doesn't just refuse."""
    return method is not None and not hasattr(method, "always_raises")


class Refusing:
    """Base of what is encrypted: its operators and conversions are those of its class, and others are refused."""

    __slots__ = ()

    _advice: ClassVar[str] = "use its other operators and the engine's methods, or decrypt it first"
    _next_steps: ClassVar[Mapping[str, str]] = {}
    """Next steps of refusals, by the names of operators, in the place of the advice."""

    if not TYPE_CHECKING:
        __add__ = __radd__ = _refused("add")
        __sub__ = __rsub__ = _refused("subtract")
        __mul__ = __rmul__ = _refused("multiply")
        __truediv__ = __rtruediv__ = _refused("divide")
        __floordiv__ = __rfloordiv__ = _refused("floor_divide")
        __mod__ = __rmod__ = _refused("remainder")
        __divmod__ = __rdivmod__ = _refused("divmod")
        __pow__ = __rpow__ = _refused("power")
        __matmul__ = __rmatmul__ = _refused("matmul")
        __lshift__ = __rlshift__ = _refused("left_shift")
        __rshift__ = __rrshift__ = _refused("right_shift")
        __and__ = __rand__ = _refused("and")
        __or__ = __ror__ = _refused("or")
        __xor__ = __rxor__ = _refused("xor")
        __lt__ = __gt__ = _refused("less")
        __le__ = __ge__ = _refused("less_equal")
        __neg__ = _refused("negative")
        __pos__ = _refused("positive")
        __abs__ = _refused("absolute")
        __invert__ = _refused("invert")
        __float__ = _unconverted("float")
        __int__ = _unconverted("int")
        __complex__ = _unconverted("complex")


class Encrypted(Opaque, Refusing):
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
