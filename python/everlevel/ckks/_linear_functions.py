"""NumPy's linear functions of encrypted arrays, by the matrices that NumPy makes of unit vectors; and moments.

Numbers in the clear beside them, such as ``prepend=`` of ``numpy.diff``, are what the function makes of zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from .._common import checks, slot_shapes
from .._common.slot_shapes import SLOTS
from ..errors import MessageError
from . import _checks
from ._layouts import of_one_unit
from ._linear_algebra import multiplied
from ._numpy import NUMPY
from ._shaping import of_shape
from ._statistics import cumsum
from .ciphertext import Ciphertext

_LINEAR: Final = (
    *(np.convolve, np.correlate, np.diff, np.ediff1d, np.gradient, np.trace, np.fft.fft, np.fft.ifft),
    *(np.append, np.cross, np.delete, np.einsum, np.insert, np.kron, np.pad, np.rot90, np.tensordot, np.tril, np.triu),
)
_MOST: Final = 2**24
"""Entries of a matrix that is made for this."""


def _linear(function: Any) -> Callable[..., Ciphertext]:
    """Make the function of encrypted arrays that stands for a linear one of NumPy's."""
    name = f"numpy.{function.__name__}"

    def call(*args: Any, **kwargs: Any) -> Ciphertext:
        encrypted = [i for i, value in enumerate(args) if isinstance(value, Ciphertext)]
        if len(encrypted) != 1 or any(isinstance(value, Ciphertext) for value in kwargs.values()):
            raise NUMPY.refusal(name, "one of its arguments is to be encrypted, by place", "Ciphertext")
        place = encrypted[0]
        x = of_one_unit(name, args[place])

        def column(unit: NDArray[Any]) -> NDArray[Any]:
            return np.asarray(function(*args[:place], unit.reshape(x.shape), *args[place + 1 :], **kwargs))

        with np.errstate(all="ignore"):
            try:
                first = column(np.zeros(x.size))
            except (ValueError, TypeError, IndexError) as error:
                raise checks.unfit(name, error) from None
            if not 0 < first.size <= x.slot_count or first.size * x.size > _MOST:
                raise MessageError(
                    f"{name}: {x.size} values come to {first.size}, and 1 to {x.slot_count} fit, by a matrix of up to "
                    f"{_MOST} entries; take parts of them",
                    length=first.size,
                    slot_count=x.slot_count,
                )
            matrix = np.stack([(column(unit) - first).ravel() for unit in np.eye(x.size)], axis=1)
            probe = np.linspace(0.5, 1.5, x.size) ** (2 if x.is_real else 2 + 1j)
            is_linear = np.allclose(matrix @ probe + first.ravel(), column(probe).ravel())
        if not is_linear:
            raise NUMPY.refusal(name, f"it isn't linear in its argument {place}, which is encrypted", "Ciphertext")
        result = cast(Any, x._engine).multiply_matrix(matrix, x._with(SLOTS))
        result = of_shape(result, first.shape) if first.ndim else cast(Ciphertext, result[:1].reshape(()))
        return result + first if first.any() else result

    return call


for _function in _LINEAR:
    NUMPY.implements(_function)(_linear(_function))


@NUMPY.implements(np.cumsum)
def _cumsum(a: Ciphertext, axis: int | None = None, *, count: int | None = None) -> Ciphertext:
    """Compute sums up to each value, of all or along an axis."""
    return cumsum(a, count=count) if axis is None or a.ndim < 2 else _linear(np.cumsum)(a, axis)


@NUMPY.implements(np.average)
def _average(a: Ciphertext, axis: Any = None, weights: Any = None, *, keepdims: bool = False) -> Ciphertext:
    """Compute the weighted mean along axes, by weights in the clear."""
    if weights is None:
        return a.mean(axis, keepdims=keepdims)
    shares = _checks.numbers("average", weights)
    if shares.shape != a.shape:
        axes = slot_shapes.axes("average", axis, a.ndim)
        if len(axes) != 1 or shares.shape != (a.shape[axes[0]],):
            raise MessageError(
                f"average: the weights are of shape {shares.shape} and the values of {a.shape}; give one for each "
                f"value, or for each place along one axis"
            )
        shares = shares.reshape([-1 if each == axes[0] else 1 for each in range(a.ndim)])
    total = np.broadcast_to(shares, a.shape).sum(axis, keepdims=True)
    if not np.all(total):
        raise MessageError("average: the weights add up to 0; give others")
    return cast(Ciphertext, (a * (shares / total)).sum(axis, keepdims=keepdims))


@NUMPY.implements(np.cov)
def _covariance(
    m: Ciphertext, y: None = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None
) -> Ciphertext:
    """Compute the covariances of variables, one in each row, or in each column where `rowvar` is False."""
    lost = ddof if ddof is not None else int(not bias)
    if y is not None:
        raise NUMPY.refusal("numpy.cov", "y isn't for what is encrypted; stack x and y", type(y).__name__)
    if m.ndim < 2:
        return m.var(ddof=lost)
    along = 1 if rowvar else 0
    centred = m - m.mean(axis=along, keepdims=True)
    others = centred if m.is_real else centred.conjugate()
    # Tall tables are multiplied where they lie.
    products = centred @ others.transpose() if rowvar else multiplied("cov", centred, others, transposed=True)
    return products * (1 / (m.shape[along] - lost))


@NUMPY.implements(np.prod)
def _prod(a: Ciphertext, axis: int | tuple[int, ...] | None = None) -> Ciphertext:
    """Multiply values along axes, halves by halves."""
    x: Any = of_one_unit("prod", a)
    axes = slot_shapes.axes("prod", axis, x.ndim)
    rest = tuple(size for place, size in enumerate(x.shape) if place not in axes)
    values = np.moveaxis(x, axes, range(len(axes))).reshape(-1, *rest) if rest else x.ravel()
    padded = 1 << (len(values) - 1).bit_length()
    if padded > len(values):
        values = np.concatenate([values, np.ones((padded - len(values), *rest))])
    while padded > 1:
        padded //= 2
        values = values[:padded] * values[padded : 2 * padded]
    return cast(Ciphertext, values[0])
