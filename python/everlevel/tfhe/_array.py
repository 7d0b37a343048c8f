"""Base of all arrays of ciphertexts: shapes, elements, joins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log2
from typing import Any, Generic, NoReturn, Self, TypeVar, cast

import numpy as np

from .. import _native
from .._common.checks import instance, sequence
from .._common.storable import OfEngine, own
from ..errors import EverlevelError, KeyMismatchError, MessageError, MissingKeyError, OperandTypeError
from . import _checks
from ._checks import Shape
from ._core import Core
from ._numpy import NUMPY

NativeT = TypeVar("NativeT", bound=_native.TfheCiphertext | _native.TfheUintArray | _native.TfheBoolArray)


class EncryptedArray(OfEngine, Generic[NativeT]):
    """An array of ciphertexts of one secret, of any shape. It is immutable."""

    __slots__ = ("_native", "_shape")

    # NumPy leaves `array & ciphertext` to this class, instead of trying it element by element.

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return NUMPY.operator(EncryptedArray, ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return NUMPY.function(function, args, kwargs)

    def __init__(self, engine: Any, native: NativeT, shape: Shape) -> None:
        super().__init__(engine)
        self._native = native
        self._shape = shape

    def _stored(self) -> tuple[NativeT, dict[str, str]]:
        return self._native, {"shape": ",".join(map(str, self._shape))}

    @property
    def shape(self) -> Shape:
        """Sizes of the array's dimensions."""
        return self._shape

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return len(self._native)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self._native.nbytes

    @property
    def failure_probability(self) -> float:
        """Upper bound of the probability that any element decrypts to a wrong value.

        That is the probability that any bootstrap failed which led to an element, in the whole circuit, each counted
        once, or that the decryption does. It is an estimate from above where more than 63 bootstraps did; 1 where the
        history isn't known, as of arrays from files of earlier versions; and 0 where a number can't hold it. If
        decryptions are told to others, see to it that it is far below 2^-64: take sets of 2^-128.
        """
        engine: Core = self._engine
        return self._native.failure_probability(engine._context)

    def _shown_failure(self) -> str:
        probability = self.failure_probability
        return "p_fail unknown" if probability >= 1 else f"p_fail 2^{log2(max(probability, 2.0**-1000)):.0f}"

    @property
    def log2_p_fail(self) -> float:
        """Base-2 logarithm of the probability that a bootstrap of the noisiest element fails, by the noise formulas.

        Operations that would be above `Engine.max_log2_p_fail` raise `NoiseError`.
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

    # Bit by bit. Each kind has its own operation of these names.

    def _bitwise(self, name: str, other: Any) -> Self:
        raise NotImplementedError

    def __and__(self, other: Any) -> Self:
        return self._bitwise("and", other) if is_operand(other) else NotImplemented

    __rand__ = __and__

    def __or__(self, other: Any) -> Self:
        return self._bitwise("or", other) if is_operand(other) else NotImplemented

    __ror__ = __or__

    def __xor__(self, other: Any) -> Self:
        return self._bitwise("xor", other) if is_operand(other) else NotImplemented

    __rxor__ = __xor__

    # Elements.

    def __len__(self) -> int:
        if not self._shape:
            raise OperandTypeError(
                "len: the ciphertext is a single element and has no length; use its size, or reshape it to (1,)",
                argument="ciphertext",
            )
        return self._shape[0]

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Self:
        try:
            return self._take(_checks.places(self._shape)[index])
        except EverlevelError:
            raise
        except (ValueError, TypeError) as error:
            raise OperandTypeError(
                f"index: {index!r} is none ({error}); use integers, slices, or arrays of them, as NumPy does",
                argument="index",
                expected="index",
                actual=type(index).__name__,
            ) from None

    def reshape(self, *shape: Any) -> Self:
        """Return the same elements in another shape, as ``numpy.reshape`` does."""
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
        """The array with its dimensions reversed."""
        return self._take(_checks.places(self._shape).T)

    def _take(self, places: Any) -> Self:
        places = np.asarray(places)
        if places.size == 0:
            raise MessageError(
                f"index: no element of the array of shape {self._shape} is chosen, and ciphertexts have one at least; "
                f"check the index",
                length=0,
            )
        flat = places.reshape(-1)
        in_order = flat.size == self.size and bool((flat == np.arange(self.size)).all())
        native = self._native if in_order else cast(NativeT, self._native.take(flat.tolist()))
        return type(self)(self._engine, native, tuple(places.shape))

    def _broadcast(self, shape: Shape) -> Self:
        return self if shape == self._shape else self._take(np.broadcast_to(_checks.places(self._shape), shape))


ArrayT = TypeVar("ArrayT", bound=EncryptedArray[Any])


def stack(ciphertexts: Sequence[ArrayT], axis: int = 0) -> ArrayT:
    """Join arrays of one shape along a new axis, as ``numpy.stack`` does.

    Parameters
    ----------
    ciphertexts : sequence of Ciphertext, UintArray, IntArray or BoolArray
        All of one kind and of one secret; integers of one width.
    axis : int, default 0
        Place of the new axis.

    Raises
    ------
    MessageError
        If there are none, or shapes differ.
    KeyMismatchError, WidthError
        If they belong to different secrets, or have different widths.
    """
    return _join("stack", ciphertexts, axis)


def concatenate(ciphertexts: Sequence[ArrayT], axis: int = 0) -> ArrayT:
    """Join arrays along an axis that they have, as ``numpy.concatenate`` does.

    Parameters
    ----------
    ciphertexts : sequence of Ciphertext, UintArray, IntArray or BoolArray
        All of one kind and of one secret; integers of one width.
    axis : int, default 0
        The axis.

    Raises
    ------
    MessageError
        If there are none, or shapes don't go together.
    KeyMismatchError, WidthError
        If they belong to different secrets, or have different widths.
    """
    return _join("concatenate", ciphertexts, axis)


def _join(operation: str, ciphertexts: Sequence[ArrayT], axis: int) -> ArrayT:
    parts = sequence(operation, "ciphertexts", ciphertexts)
    if not parts:
        raise MessageError(f"{operation}: there are no ciphertexts, and one at least is needed; pass some", length=0)
    kind = type(instance(operation, "ciphertexts", parts[0], EncryptedArray))
    engine = parts[0]._engine
    for part in parts:
        own(engine, operation, "ciphertexts", part, kind)
    same_secret(operation, *parts)
    starts = np.cumsum([0] + [part.size for part in parts])
    places = [_checks.places(part.shape) + start for part, start in zip(parts, starts[:-1], strict=True)]
    try:
        joined = np.stack(places, axis) if operation == "stack" else np.concatenate(places, axis)
    except (ValueError, TypeError, OverflowError):
        shapes = ", ".join(str(part.shape) for part in parts)
        raise MessageError(
            f"{operation}: arrays of shapes {shapes} don't go together along axis {axis!r}; reshape them first"
        ) from None
    native = type(parts[0]._native).join([part._native for part in parts])
    return cast(ArrayT, kind(engine, native, (len(native),))._take(joined))


def is_operand(value: Any) -> bool:
    """Whether the engine judges a value; what other libraries define is left to them."""
    return isinstance(value, (EncryptedArray, bool, int, float, complex, list, tuple, np.generic, np.ndarray))


def comparable(operation: str, value: Any) -> Any:
    """Refuse what an encrypted array isn't compared with: Python would say that two objects are two."""
    if not is_operand(value):
        actual = type(value).__name__
        raise OperandTypeError(
            f"{operation}: an encrypted array isn't compared with a value of type {actual}; "
            f"pass a number, a list or a NumPy array, or use `is` to tell objects apart",
            argument="other",
            expected="number, list, NumPy array or encrypted array",
            actual=actual,
        )
    return value


def key_of(engine: Core, operation: str, *operands: EncryptedArray[Any]) -> _native.TfheEvaluationKey:
    """Return the evaluation key of the operands' secret, which must be one."""
    key = engine._keys.get(same_secret(operation, *operands))
    if key is None:
        raise MissingKeyError(
            f"{operation}: the engine knows no evaluation key for this ciphertext's secret; "
            f"make one with engine.create_evaluation_key(secret_key), or pass one to engine.use",
            key="evaluation key",
        )
    return key


def same_secret(operation: str, *operands: EncryptedArray[Any]) -> int:
    """Return the id of the operands' secret, which must be one."""
    ids: list[int] = [operand._native.secret_id for operand in operands]
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
