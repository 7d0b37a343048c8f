"""Encrypted random integers and truth values from a public seed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final

from .. import _native
from .._common import checks
from .._common.shaped import Shape
from .._common.storable import own
from . import _uint_operations
from ._core import Core
from .bool_array import BoolArray
from .int_array import IntArray
from .keys import EvaluationKey
from .uint_array import UintArray

_SEED_BYTES: Final = 32
_MOST_VALUES: Final = 2**32


def random_uint(
    self: Core, shape: int | Iterable[int], key: EvaluationKey, *, width: int, seed: int, bits: int | None = None
) -> UintArray:
    """Make an array of encrypted random integers that nobody knows who lacks the secret key.

    Whoever has the evaluation key makes the same integers from the same seed: a public one, drawn for this call alone.
    Over all seeds they are uniform and independent, for every key. It takes one bootstrap a digit.

    Parameters
    ----------
    shape : int or tuple of int
        Shape of the array.
    key : EvaluationKey
        Key of the secret that the integers are encrypted under.
    width : int
        Bits of an integer: 8, 16, 32, 64, 128 or 256.
    seed : int
        Public seed, from 0 to ``2**256 - 1``. Equal seeds give equal integers, of which a longer array has more; other
        widths, numbers of bits and truth values have streams of their own.
    bits : int, optional
        Integers are below ``2**bits``: `width`, if left out.

    Raises
    ------
    SpaceError
        If the parameters hold bits, or integers of fewer than 4 bits.
    ParameterError
        If there is no such width, seed or number of bits, or too many values are asked for.
    EngineMismatchError
        If the key is one of other parameters.

    Notes
    -----
    As long as no integer is told to anybody, that they can't be told from others follows from the LWE problem, on which
    encryption rests. What is told of them rests on learning with rounding for the same secret.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> dice = engine.random_uint(3, engine.create_evaluation_key(secret_key), width=8, seed=2026, bits=3)
    >>> dice
    UintArray(shape (3,), uint8, p_fail 2^-...)
    >>> bool((engine.decrypt(dice, secret_key) < 8).all())
    True
    """
    return UintArray(*_integers(self, "random_uint", shape, key, (width, seed, bits), signed=False))


def random_int(
    self: Core, shape: int | Iterable[int], key: EvaluationKey, *, width: int, seed: int, bits: int | None = None
) -> IntArray:
    """Make an array of encrypted random signed integers: see `random_uint`.

    Parameters
    ----------
    shape, key, width, seed
        As for `random_uint`.
    bits : int, optional
        Integers are from 0 to ``2**bits - 1``, for at most ``width - 1`` bits; of the whole range, if left out.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> engine.random_int(3, engine.create_evaluation_key(secret_key), width=8, seed=2026)
    IntArray(shape (3,), int8, p_fail 2^-...)
    """
    return IntArray(*_integers(self, "random_int", shape, key, (width, seed, bits), signed=True))


def random_bool(self: Core, shape: int | Iterable[int], key: EvaluationKey, *, seed: int) -> BoolArray:
    """Make an array of encrypted random truth values, by one bootstrap each: see `random_uint`.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> engine.random_bool(3, engine.create_evaluation_key(secret_key), seed=2026)
    BoolArray(shape (3,), p_fail 2^-...)
    """
    operation = "random_bool"
    native_key, sizes, data = _arguments(self, operation, shape, key, seed)
    with self._reporting(operation) as report:
        native = _native.TfheBoolArray.random(data, math.prod(sizes), (self._context, native_key, report))
    return BoolArray(self, native, sizes)


def _integers(
    self: Core, operation: str, shape: Any, key: Any, options: tuple[Any, Any, Any], *, signed: bool
) -> tuple[Core, _native.TfheUintArray, Shape]:
    width, seed, bits = options
    native_key, sizes, data = _arguments(self, operation, shape, key, seed)
    width = _uint_operations.require_width(operation, width)
    most = width - 1 if signed else width
    if bits is None:
        bits = width
    else:
        bits = checks.integer_between(operation, "bits", bits, 1, most, "choose as many, or a larger width")
    with self._reporting(operation) as report:
        call = (self._context, native_key, report)
        native = _native.TfheUintArray.random(width, bits, data, math.prod(sizes), call)
    return self, native, sizes


def _arguments(
    self: Core, operation: str, shape: Any, key: Any, seed: Any
) -> tuple[_native.TfheEvaluationKey, Shape, bytes]:
    """Check what integers and truth values have in common."""
    _uint_operations.require_digits(self, operation)
    native_key = own(self, operation, "key", key, EvaluationKey)._native
    parts = list(shape) if isinstance(shape, (tuple, list)) else [shape]
    next_step = "make fewer at once, from a seed for each call"
    sizes = tuple(checks.integer_between(operation, "shape", size, 0, _MOST_VALUES, next_step) for size in parts)
    if math.prod(sizes) > _MOST_VALUES:
        raise checks.refusal(operation, "shape", sizes, f"{_MOST_VALUES} values are the most; {next_step}")
    value = checks.integer_between(operation, "seed", seed, 0, 2 ** (8 * _SEED_BYTES) - 1, "reduce it")
    return native_key, sizes, value.to_bytes(_SEED_BYTES, "little")
