"""Base of all arrays of ciphertexts: shapes, elements, joins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeVar, cast

import numpy as np

from .. import _native
from .._common.checks import instance, missing_key, sequence, unfit
from .._common.integer_operators import BitOperators
from .._common.opaque import PANDAS_PRIORITY, Refusing, is_clear, not_comparable
from .._common.shaped import Shape, Shaped
from .._common.storable import OfEngine
from ..errors import EverlevelError, KeyMismatchError, MessageError, OperandTypeError
from . import _checks
from ._core import Core
from ._numpy import NUMPY

NativeT = TypeVar("NativeT", bound=_native.TfheCiphertext | _native.TfheUintArray | _native.TfheBoolArray)


Axis = int | tuple[int, ...] | None
"""Axes of a reduction; None for all."""


class EncryptedArray(BitOperators, Shaped, OfEngine, Refusing, Generic[NativeT]):
    """An array of ciphertexts of one secret, of any shape: ``x[i] = y`` changes it, and nothing else does."""

    __slots__ = ("_native", "_shape")

    _advice = NUMPY.advice
    _next_steps: ClassVar[Mapping[str, str]] = {"divide": "use // for quotients that are rounded down"}

    __pandas_priority__: ClassVar[int] = PANDAS_PRIORITY

    # NumPy leaves `array & ciphertext` to this class, instead of trying it element by element.

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return NUMPY.operator(EncryptedArray, ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return NUMPY.function(function, args, kwargs)

    def __init__(self, engine: Any, native: NativeT, shape: Shape) -> None:
        super().__init__(engine)
        self._native = native
        self._shape = shape

    def _like(self, native: NativeT, shape: Shape) -> Self:
        """Return an array that is like this one but for its elements."""
        return type(self)(self._engine, native, shape)

    def _stored(self) -> tuple[NativeT, dict[str, str]]:
        return self._native, {"shape": ",".join(map(str, self._shape))}

    @property
    def nbytes(self) -> int:
        """Bytes in memory.

        Examples
        --------
        >>> x = tfhe_engine.encrypt([1, 2], tfhe_secret_key)
        >>> x.nbytes == 2 * x[0].nbytes
        True
        """
        return self._native.nbytes

    @property
    def failure_probability(self) -> float:
        """Upper bound of the probability that any element decrypts to a wrong value.

        That is the probability that any bootstrap failed which led to an element, in the whole circuit, each counted
        once, or that the decryption does. It is an estimate from above where more than 63 bootstraps did; 1 where the
        history isn't known, as of arrays from files of earlier versions; and 0 where a number can't hold it. If
        decryptions are told to others, see to it that it is far below 2^-64: take sets of 2^-128.

        Examples
        --------
        >>> tfhe_engine.encrypt([1, 2], tfhe_secret_key).failure_probability < 2**-60
        True
        """
        engine: Core = self._engine
        return self._native.failure_probability(engine._context)

    def _shown_failure(self) -> str:
        return _checks.shown_failure(self.failure_probability)

    @property
    def log2_p_fail(self) -> float:
        """Base-2 logarithm of the probability that a bootstrap of the noisiest element fails, by the noise formulas.

        Operations that would be above `Engine.max_log2_p_fail` raise `NoiseError`.

        Examples
        --------
        >>> x = tfhe_engine.encrypt([1, 2], tfhe_secret_key, max_value=3)
        >>> (x + x).log2_p_fail < tfhe_engine.max_log2_p_fail
        True
        """
        engine: Core = self._engine
        return engine._context.log2_p_fail(self._native.variance_torus)

    # An element's value isn't known here, so the equality of two can't be told, and neither can its truth.
    def __bool__(self) -> bool:
        raise OperandTypeError(
            "bool: a ciphertext is neither true nor false, since its value isn't known here; "
            "use mux or select to choose between encrypted values, or decrypt it first",
            argument="ciphertext",
            expected="bool",
            actual=type(self).__name__,
        )

    # NumPy's functions would make an array of objects, and do to it what has nothing to do with the values.
    def __array__(self, *args: object, **kwargs: object) -> NoReturn:
        actual = type(self).__name__
        raise NUMPY.refusal("array", f"a {actual} is encrypted and doesn't turn into a NumPy array", actual)

    @staticmethod
    def _is_operand(value: Any) -> bool:
        return is_operand(value)

    @staticmethod
    def _comparable(operation: str, value: Any) -> Any:
        return comparable(operation, value)

    # Elements.

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Self:
        if isinstance(index, EncryptedArray):
            found: Self = self._engine._taken_at(self, index)
            return found
        try:
            return self._take(_checks.places(self._shape)[index])
        except EverlevelError:
            raise
        except (ValueError, TypeError) as error:
            raise _no_index(index, error) from None

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, EncryptedArray):
            self._native = self._engine._assigned_where(self, index, value)._native
            return
        new = self._engine._operand_like("setitem", "value", value, self)
        places = _checks.places(self._shape)
        try:
            target = places[index].shape
        except EverlevelError:
            raise
        except (ValueError, TypeError) as error:
            raise _no_index(index, error) from None
        try:
            places[index] = _checks.places(new.shape) + self.size
        except ValueError:
            raise MessageError(
                f"setitem: {new.size} elements of shape {new.shape} don't go to places of shape {target}; "
                f"reshape them, or choose others",
                length=new.size,
            ) from None
        self._native = cast(NativeT, type(self._native).join([self._native, new._native]).take(places.ravel().tolist()))

    def copy(self) -> Self:
        """Return another array of the same elements, which assignments to this one don't change.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt_uint(np.arange(6, dtype=np.uint8).reshape(2, 3), secret_key)
        >>> x.copy().shape
        (2, 3)
        """
        return self._like(self._native, self._shape)

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()

    def __pos__(self) -> Self:
        return self.copy()

    def reshape(self, *shape: Any) -> Self:
        """Return the same elements in another shape, as ``numpy.reshape`` does.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt_uint(np.arange(6, dtype=np.uint8).reshape(2, 3), secret_key)
        >>> x.reshape(3, 2).shape
        (3, 2)
        """
        try:
            return self._take(_checks.places(self._shape).reshape(*shape))
        except (ValueError, TypeError):
            raise MessageError(
                f"reshape: {self.size} elements of shape {self._shape} can't take the shape {shape}; "
                f"choose one of as many elements",
                length=self.size,
            ) from None

    @property
    def T(self) -> Self:  # noqa: N802 (NumPy's name)
        """The array with its dimensions reversed.

        Examples
        --------
        >>> x = tfhe_engine.encrypt([[1, 2], [3, 0]], tfhe_secret_key)
        >>> tfhe_engine.decrypt(x.T, tfhe_secret_key)
        array([[1, 3],
               [2, 0]], dtype=uint8)
        """
        return self._take(_checks.places(self._shape).T)

    def transpose(self, *axes: Any) -> Self:
        """Return the array with its dimensions in another order, reversed if none is given, as NumPy does.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt_uint(np.arange(6, dtype=np.uint8).reshape(2, 3), secret_key)
        >>> x.transpose().shape
        (3, 2)
        """
        try:
            return self._take(_checks.places(self._shape).transpose(*axes))
        except (ValueError, TypeError):
            raise MessageError(
                f"transpose: axes {axes!r} aren't those of an array of shape {self._shape}; "
                f"name each of its {self.ndim} dimensions once, or leave them out"
            ) from None

    def ravel(self) -> Self:
        """Return the elements in one dimension, in NumPy's order.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt_uint(np.arange(6, dtype=np.uint8).reshape(2, 3), secret_key)
        >>> x.ravel().shape
        (6,)
        """
        return self.reshape(-1)

    def roll(self, shift: int | tuple[int, ...], axis: Axis = None) -> Self:
        """Move elements along axes, and the last ones to the first places, as ``numpy.roll`` does, at no cost.

        Examples
        --------
        >>> x = tfhe_engine.encrypt([1, 2, 3], tfhe_secret_key)
        >>> tfhe_engine.decrypt(x.roll(1), tfhe_secret_key)
        array([3, 1, 2], dtype=uint8)
        """
        moved: Self = placed("roll", self, lambda places: np.roll(places, shift, axis))
        return moved

    def _take(self, places: Any) -> Self:
        places = np.asarray(places)
        flat = places.reshape(-1)
        in_order = flat.size == self.size and bool((flat == np.arange(self.size)).all())
        native = self._native if in_order else cast(NativeT, self._native.take(flat.tolist()))
        return self._like(native, tuple(places.shape))

    def _broadcast(self, shape: Shape) -> Self:
        return self if shape == self._shape else self._take(np.broadcast_to(_checks.places(self._shape), shape))


ArrayT = TypeVar("ArrayT", bound=EncryptedArray[Any])


def _no_index(index: Any, error: Exception) -> OperandTypeError:
    return OperandTypeError(
        f"index: {index!r} is none ({error}); use integers, slices, or arrays of them, as NumPy does",
        argument="index",
        expected="index",
        actual=type(index).__name__,
    )


def stack(ciphertexts: Sequence[ArrayT], axis: int = 0) -> ArrayT:
    """Join arrays of one shape along a new axis, as ``numpy.stack`` does.

    Parameters
    ----------
    ciphertexts : sequence of Ciphertext, UintArray, IntArray or BoolArray
        All of one kind and of one secret; integers of one width. Some may be in the clear.
    axis : int, default 0
        Place of the new axis.

    Raises
    ------
    MessageError
        If there are none, or shapes differ.
    KeyMismatchError, WidthError
        If they belong to different secrets, or have different widths.

    Examples
    --------
    >>> from everlevel import tfhe
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> tfhe.stack([x, x + 1]).shape
    (2, 2)
    """
    found: ArrayT = joined("stack", ciphertexts, lambda places: np.stack(places, axis), f" along axis {axis!r}")
    return found


def concatenate(ciphertexts: Sequence[ArrayT], axis: int | None = 0) -> ArrayT:
    """Join arrays along an axis that they have, as ``numpy.concatenate`` does.

    Parameters
    ----------
    ciphertexts : sequence of Ciphertext, UintArray, IntArray or BoolArray
        All of one kind and of one secret; integers of one width. Some may be in the clear.
    axis : int, optional, default 0
        The axis; None joins what all hold in NumPy's order.

    Raises
    ------
    MessageError
        If there are none, or shapes don't go together.
    KeyMismatchError, WidthError
        If they belong to different secrets, or have different widths.

    Examples
    --------
    >>> from everlevel import tfhe
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(tfhe.concatenate([x, x + 1]), secret_key)
    array([200,   5, 201,   6], dtype=uint8)
    """
    found: ArrayT = joined(
        "concatenate", ciphertexts, lambda places: np.concatenate(places, axis), f" along axis {axis!r}"
    )
    return found


def joined(operation: str, ciphertexts: Any, join: Callable[[list[Any]], Any], along: str = "") -> Any:
    """Join arrays, of which some may be in the clear, as a function joins their places."""
    given = sequence(operation, "ciphertexts", ciphertexts)
    if not given:
        raise MessageError(f"{operation}: there are no ciphertexts, and one at least is needed; pass some", length=0)
    first = next((part for part in given if isinstance(part, EncryptedArray)), None)
    if first is None:
        first = instance(operation, "ciphertexts", given[0], EncryptedArray)
    parts = [first._engine._operand_like(operation, "ciphertexts", part, first) for part in given]
    starts = np.cumsum([0] + [part.size for part in parts])
    places: list[Any] = [_checks.places(part.shape) + start for part, start in zip(parts, starts[:-1], strict=True)]
    try:
        found = join(places)
    except (ValueError, TypeError, OverflowError):
        shapes = ", ".join(str(part.shape) for part in parts)
        raise MessageError(
            f"{operation}: arrays of shapes {shapes} don't go together{along}; reshape them first"
        ) from None
    native = type(first._native).join([part._native for part in parts])
    return first._like(native, (len(native),))._take(found)


def placed(operation: str, x: Any, function: Callable[[Any], Any]) -> Any:
    """Do with an array's elements what a function of NumPy does with their places."""
    array = instance(operation, "a", x, EncryptedArray)
    try:
        found = function(_checks.places(array.shape))
    except EverlevelError:
        raise
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise unfit(operation, error) from None
    return [array._take(part) for part in found] if isinstance(found, (list, tuple)) else array._take(found)


def is_operand(value: Any) -> bool:
    """Whether the engine judges a value; what other libraries define is left to them."""
    return isinstance(value, (EncryptedArray, str, bytes)) or is_clear(value)


def comparable(operation: str, value: Any) -> Any:
    """Refuse what an encrypted array isn't compared with: Python would say that two objects are two."""
    if not is_operand(value) or isinstance(value, (str, bytes)):
        raise not_comparable(operation, value)
    return value


def key_of(engine: Core, operation: str, *operands: EncryptedArray[Any]) -> _native.TfheEvaluationKey:
    """Return the evaluation key of the operands' secret, which must be one; any, where no operand has elements."""
    secret_id = same_secret(operation, *operands)
    key = engine._keys.get(secret_id)
    if key is None and not any(operand.size for operand in operands):
        key = next(iter(engine._keys.values()), None)
    if key is None:
        raise missing_key(operation, "evaluation key")
    return key


def same_secret(operation: str, *operands: EncryptedArray[Any]) -> int:
    """Return the id of the operands' secret, which must be one. Arrays without elements have none."""
    ids: list[int] = [operand._native.secret_id for operand in operands if operand.size] or [0]
    if any(other != ids[0] for other in ids):
        other = next(other for other in ids if other != ids[0])
        raise KeyMismatchError(
            f"{operation}: the operands belong to keys {ids[0]:#018x} and {other:#018x}; "
            f"use ciphertexts made with one secret key",
            key="ciphertext",
            expected=ids[0],
            actual=other,
        )
    return ids[0]
