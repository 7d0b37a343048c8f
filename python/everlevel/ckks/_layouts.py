"""Layouts of encrypted vectors: slots that are repeated, or brought to other places, by rotations and masks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._common import checks, slot_shapes
from ..errors import MessageError
from . import _checks, _extrema
from ._elementary import product
from ._numpy import NUMPY
from ._shaping import as_slots, gathered, in_slots, of_shape, repeated
from .ciphertext import Ciphertext

__all__ = ["outer"]

Array = NDArray[np.float64]


@NUMPY.implements(np.outer)
def outer(x: Ciphertext | ArrayLike, y: Ciphertext | ArrayLike, *, shape: tuple[int, int] | None = None) -> Ciphertext:
    """Compute the products of each value of a vector with each of another, as ``numpy.outer`` does.

    Parameters
    ----------
    x, y : Ciphertext or array_like
        Vectors of which at least one is encrypted; ciphertexts of one unit.
    shape : tuple of two int, optional
        How many slots count of each, from the first on: m of x, and n of y. All values, if left out. Their product is
        at most `slot_count`.

    Returns
    -------
    Ciphertext
        ``x[i] * y[j]``, of shape (m, n). Levels consumed: 2. Rotations: m, of x, and up to
        2·log2(m·n).

    Raises
    ------
    ParameterError
        If the shape isn't that of a matrix of at most `slot_count` elements.
    OperandTypeError
        If neither is encrypted.
    MessageError
        If an array in the clear has another length, or all products are more than `slot_count`.
    UnitCountError, LevelError, MissingKeyError
        If a ciphertext has several units or too few levels, or the engine knows no rotation key, or no relinearization
        key where both are encrypted.

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt([1.0, 2.0], secret_key, bound=2)
    >>> y = engine.encrypt([1.0, 3.0, 5.0], secret_key, bound=5)
    >>> engine.decrypt(everlevel.outer(x, y), secret_key).round(3)
    array([[ 1.,  3.,  5.],
           [ 2.,  6., 10.]])
    """
    operation = "outer"
    encrypted = next((value for value in (x, y) if isinstance(value, Ciphertext)), None)
    if encrypted is None:
        raise checks.none_encrypted(operation, "x, y", x, y)
    given = tuple(value.size if isinstance(value, Ciphertext) else np.size(value) for value in (x, y))
    if shape is None and math.prod(given) > encrypted.slot_count:
        raise MessageError(
            f"{operation}: the vectors have {given[0]} and {given[1]} values, which make {math.prod(given)}, and there "
            f"are {encrypted.slot_count} slots; take parts of them",
            length=math.prod(given),
            slot_count=encrypted.slot_count,
        )
    rows, columns = _sizes(operation, given if shape is None else shape, encrypted.slot_count)
    left: Any
    if isinstance(x, Ciphertext):
        first = one_unit(operation, x)
        spread = placed(first, {i * columns: (i, 1.0) for i in range(rows)})
        left = repeated(spread, 1, columns)
    else:
        left = in_slots(np.repeat(_vector(operation, x, rows, encrypted.slot_count), columns), encrypted.slot_count)
    if not isinstance(y, Ciphertext):
        tiles = np.tile(_vector(operation, y, columns, encrypted.slot_count), rows)
        result = product(operation, left, in_slots(tiles, encrypted.slot_count))
    else:
        result = product(operation, tiled(one_unit(operation, y), columns, rows), left)
    return of_shape(result, (rows, columns))


def tiled(x: Ciphertext, width: int, copies: int) -> Ciphertext:
    """Repeat the first slots one after another; those after them are 0. Levels consumed: 1, and 0 for all slots."""
    return repeated(x * in_slots(np.ones(width), x.slot_count) if width < x.slot_count else x, width, copies)


def placed(x: Ciphertext, sources: Mapping[int, tuple[int, float]]) -> Ciphertext:
    """Bring slots to other places: for each of these, which it is, and the factor it comes with. All others are 0.

    Levels consumed: 1.
    """
    masks: dict[int, Array] = {}
    for place, (source, factor) in sources.items():
        masks.setdefault((place - source) % x.slot_count, np.zeros(x.slot_count))[place] = factor
    return gathered(x, masks)


def one_unit(operation: str, value: Any) -> Ciphertext:
    """Check that an operand is a ciphertext of one unit, and let all of its slots count."""
    return as_slots(of_one_unit(operation, value))


def of_one_unit(operation: str, value: Any) -> Ciphertext:
    """Check that an operand is a ciphertext of one unit."""
    x = checks.instance(operation, "x", value, Ciphertext)
    slot_shapes.require_one_unit(operation, x)
    return x


def counted(operation: str, value: Any, count: Any) -> tuple[Ciphertext, int]:
    """Return all slots of a ciphertext of one unit, and how many of them count: its values, if nothing is said."""
    x = one_unit(operation, value)
    return x, _extrema.check_width(x.slot_count, operation, value.size if count is None else count)


def _sizes(operation: str, shape: Any, slot_count: int) -> tuple[int, int]:
    """Check the shape of a matrix that fits into the slots."""
    sizes = [checks.integer(operation, "shape", size) for size in checks.sequence(operation, "shape", shape)]
    if len(sizes) != 2 or min(sizes) < 1 or sizes[0] * sizes[1] > slot_count:
        needed = f"two sizes are needed whose product is at most {slot_count}; take parts of the vectors"
        raise checks.refusal(operation, "shape", shape, needed, slot_count)
    return sizes[0], sizes[1]


def _vector(operation: str, values: Any, length: int, slot_count: int) -> NDArray[Any]:
    """Check a vector in the clear, whose length is said."""
    slots, is_real = _checks.message(operation, values, slot_count)
    count = np.asarray(values).shape[0]
    if count != length:
        raise MessageError(
            f"{operation}: an array has {count} values, and shape says {length}; give as many as the shape says",
            length=count,
        )
    return slots[:length].real if is_real else slots[:length]
