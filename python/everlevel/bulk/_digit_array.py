"""Arrays whose elements have one or several digits, each of which is a vector: base of integers and truth values."""

from __future__ import annotations

from math import log2
from typing import Any, ClassVar, Final, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._common.integer_operators import BitOperators
from .._common.numpy_calls import NumpyCalls
from .._common.opaque import Encrypted, is_clear, not_comparable
from .._common.shaped import Shape, Shaped
from .._common.storable import OfEngine
from ..errors import OperandTypeError
from ._core import Core
from ._sets import LEVEL
from .ciphertext import Ciphertext

NUMPY: Final = NumpyCalls(
    advice="use its operators and the engine's methods, or decrypt it first",
    methods={np.reshape: "reshape", np.sum: "sum", np.min: "min", np.max: "max"},
    attributes={np.shape: "shape", np.ndim: "ndim", np.size: "size"},
    of_ufuncs={(np.add, "reduce"): "sum", (np.minimum, "reduce"): "min", (np.maximum, "reduce"): "max"},
    next_steps={"where": "call engine.select(condition, x, y)"},
)
"""NumPy's functions on these arrays."""


class DigitArray(BitOperators, Shaped, Encrypted, OfEngine):
    """Base of `IntegerArray` and `BoolArray`: digits, least significant first, each a `Ciphertext` of the shape."""

    __slots__ = ("_digits", "_error_count")

    kind = "array of encrypted digits"

    _instead_of_numpy = NUMPY.advice
    _advice: ClassVar[str] = NUMPY.advice

    _engine: Core

    def __init__(self, engine: Any, digits: tuple[Ciphertext, ...], error_count: int) -> None:
        super().__init__(engine)
        self._digits = digits
        self._error_count = error_count
        """Errors that are to be within their bounds, for each element, so that it is right."""

    @staticmethod
    def _is_operand(value: Any) -> bool:
        return isinstance(value, (Ciphertext, DigitArray)) or is_clear(value)

    @staticmethod
    def _comparable(operation: str, value: Any) -> Any:
        if not DigitArray._is_operand(value):
            raise not_comparable(operation, value)
        return value

    @property
    def shape(self) -> Shape:
        """Sizes of the array's dimensions.

        Examples
        --------
        >>> bulk_engine.encrypt_uint([[1, 2, 3]], bulk_secret_key, width=8).shape
        (1, 3)
        """
        return self._digits[0].shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the decrypted array.

        Examples
        --------
        >>> x = bulk_engine.encrypt_uint([1, 2], bulk_secret_key, width=16)
        >>> x.dtype, (x > 1).dtype
        (dtype('uint16'), dtype('bool'))
        """
        raise NotImplementedError

    def _decrypted(self, digits: list[NDArray[np.uint64]]) -> NDArray[Any]:
        """Return the elements of decrypted digits."""
        raise NotImplementedError

    def _stored(self) -> tuple[_native.Ciphertext, dict[str, str]]:
        context = self._engine._context.ckks
        level = min(digit._native.level for digit in self._digits)
        # What is brought to the lowest level is as good, but for a rounding.
        error = max(digit._error for digit in self._digits) + lowering_error(self._engine)
        native = context.stack([context.level_down(digit._native, level) for digit in self._digits])
        return native, {
            "shape": ",".join(map(str, self.shape)),
            "dtype": self.dtype.name,
            "error": error.hex(),
            "bootstrap_count": str(self._error_count),
        }

    @property
    def nbytes(self) -> int:
        """Bytes in memory.

        Examples
        --------
        >>> x = bulk_engine.encrypt_uint([1, 2], bulk_secret_key, width=8)
        >>> x.nbytes == 4 * bulk_engine.estimate_memory("encrypt", count=2).held
        True
        """
        return sum(digit.nbytes for digit in self._digits)

    @property
    def failure_probability(self) -> float:
        """Upper bound of the probability that any element decrypts to a wrong value: see `Ciphertext`.

        That is the sum over elements, and over all encryptions, bootstraps and products that led to any of their
        digits. What led to both operands of an operation counts twice.

        Examples
        --------
        >>> x = bulk_engine.encrypt_uint([1, 2], bulk_secret_key, width=8)
        >>> x.failure_probability == 8 * 2.0**-128
        True
        """
        return float(self.size * self._error_count * 2.0**self._engine.max_log2_p_fail)

    def _shown_failure(self) -> str:
        return f"p_fail 2^{log2(self.failure_probability):.0f}"

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return NUMPY.operator(DigitArray, ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return NUMPY.function(function, args, kwargs)

    def __getitem__(self, index: Any) -> NoReturn:
        raise OperandTypeError(
            f"index: the elements of an array of bulk lie in slots, and {index!r} doesn't take them out; "
            f"compute on all and index what is decrypted, or encrypt parts",
            argument="index",
        )

    def reshape(self, *shape: Any) -> Self:
        """Return the same elements in another shape, as ``numpy.reshape`` does.

        Raises
        ------
        MessageError
            If there are more or fewer elements in it.

        Examples
        --------
        >>> bulk_engine.encrypt_uint(np.arange(6), bulk_secret_key, width=8).reshape(2, 3).shape
        (2, 3)
        """
        return self._with(tuple(digit.reshape(*shape) for digit in self._digits))

    def _with(self, digits: tuple[Ciphertext, ...]) -> Self:
        """Return an array of digits that are as surely right."""
        return type(self)(self._engine, digits, self._error_count)


def lowering_error(engine: Core) -> float:
    """Return the error of what is brought to a lower level."""
    space = engine._context.set.space
    return engine._context.ckks.error_after_choice(space, LEVEL, 0.0, (0.0, 0.0), 0)
