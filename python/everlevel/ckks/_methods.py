"""Methods that ciphertexts have as NumPy's arrays have them: each calls the function that stands for NumPy's."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, Self, TypeVar

import numpy as np

from .._common.slot_shapes import InSlots
from ._numpy import NUMPY

CiphertextT = TypeVar("CiphertextT", bound="NumpyMethods")
Axis = int | tuple[int, ...] | None
"""An axis, several, or all."""


class NumpyMethods(InSlots):
    """Base of ciphertexts. Sums, comparisons and moves of values take the keys that the engine uses."""

    __slots__ = ()

    def sum(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Add up values along axes: see `Engine.sum`. Levels consumed: 0 or 1.

        Parameters
        ----------
        axis : int or tuple of int, optional
            As in `Engine.sum`.
        keepdims : bool, default False
            Keep the axes, with a length of 1.

        Raises
        ------
        MissingKeyError
            If slots are added up, and the engine knows no rotation key.

        Examples
        --------
        >>> a = engine.encrypt([[1.0, 2.0], [3.0, 4.0]], public_key, bound=4)
        >>> float(engine.decrypt(a.sum(), secret_key).round(3))
        10.0
        >>> engine.decrypt(a.sum(axis=0), secret_key).round(3)
        array([4., 6.])
        """
        return called(np.sum, self, axis, keepdims=keepdims)

    def mean(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Return the mean of values along axes: see `Engine.mean`. Levels consumed: 1 or 2.

        Raises
        ------
        MissingKeyError
            If it is one of slots, and the engine knows no rotation key.

        Examples
        --------
        >>> a = engine.encrypt([1.0, 2.0, 6.0], public_key, bound=6)
        >>> float(engine.decrypt(a.mean(), secret_key).round(3))
        3.0
        """
        return called(np.mean, self, axis, keepdims=keepdims)

    def var(self, axis: Axis = None, *, ddof: int = 0, keepdims: bool = False) -> Self:
        """Return the variance along axes: see `everlevel.var`.

        Examples
        --------
        >>> a = engine.encrypt([1.0, 3.0], public_key, bound=3)
        >>> float(engine.decrypt(a.var(), secret_key).round(3))
        1.0
        """
        return called(np.var, self, axis, ddof=ddof, keepdims=keepdims)

    def std(
        self,
        axis: Axis = None,
        *,
        ddof: int = 0,
        interval: tuple[float, float] | None = None,
        keepdims: bool = False,
    ) -> Self:
        """Return the standard deviation, which lies in an interval: see `everlevel.std`.

        Examples
        --------
        >>> deep = Engine(max_level=8, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret)
        >>> x = deep.encrypt([1.0, 3.0], secret, bound=3)
        >>> float(deep.decrypt(x.std(interval=(0.5, 1.5)), secret).round(3))
        1.0
        """
        return called(np.std, self, axis, ddof=ddof, interval=interval, keepdims=keepdims)

    def max(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Return the largest values along axes, as ``numpy.max`` does, with an error of up to the engine's gap.

        Parameters
        ----------
        axis : int or tuple of int, optional
            Axes of the shape; all, if left out. Of a vector that fills the slots, all values.
        keepdims : bool, default False
            Keep the axes, with a length of 1.

        Returns
        -------
        Ciphertext
            Each of ceil(log2(n)) maxima of n values errs by half of a gap at most, a share of twice the bound
            (`Engine.gap`). Levels: one or two below the highest. Cost: that of `Engine.maximum` for each.

        Raises
        ------
        ParameterError
            If there is no such axis, or the engine has no bootstraps.
        UnitCountError, OperandTypeError, MissingKeyError, KeyMismatchError
            If there are several units, or as in `Engine.maximum`; or if the engine knows no rotation key.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
        >>> x = deep.encrypt([[0.5, -0.25], [-1.0, 0.75]], secret, bound=1)
        >>> deep.decrypt(x.max(axis=0), secret).round(2), float(deep.decrypt(x.min(), secret).round(2))
        (array([0.5 , 0.75]), -1.0)
        """
        return called(np.max, self, axis, keepdims=keepdims)

    def min(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Return the smallest values along axes. All else is as in `max`.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
        >>> x = deep.encrypt([0.5, -0.25, 0.75], secret, bound=1)
        >>> float(deep.decrypt(x.min(), secret).round(2))
        -0.25
        """
        return called(np.min, self, axis, keepdims=keepdims)

    def argmax(self, axis: int | None = None, *, keepdims: bool = False) -> Self:
        """Return the index of the largest value, if it exceeds the others by the gap.

        The gap is the engine's share of twice the bound, and the index a number that rounds to it.

        Parameters
        ----------
        axis : int, optional
            Axis to look along; all values in NumPy's order, if left out: levels, cost and errors are then those of
            `Engine.argmax_of_slots`. Along one of several axes, the engine's gap is at least 2^-10; cost: that of
            `max`, and one `Engine.compare`.
        keepdims : bool, default False
            Keep the axes, with a length of 1.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
        >>> x = deep.encrypt([0.1, -0.4, 0.8, 0.7], secret, bound=1)
        >>> round(float(deep.decrypt(x.argmax(), secret)))
        2
        >>> deep.decrypt(x.reshape(2, 2).argmax(axis=0), secret).round(3)
        array([1., 1.])
        """
        return called(np.argmax, self, axis, keepdims=keepdims)

    def argmin(self, axis: int | None = None, *, keepdims: bool = False) -> Self:
        """Return the index of the smallest value. All else is as in `argmax`.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
        >>> x = deep.encrypt([0.1, -0.4, 0.8], secret, bound=1)
        >>> round(float(deep.decrypt(x.argmin(), secret)))
        1
        """
        return called(np.argmin, self, axis, keepdims=keepdims)

    def __getitem__(self, index: Any) -> Self:
        """Return the values of an index, as NumPy has it: integers, slices, arrays in the clear.

        Values that move by one amount, such as ``x[3:7]``, cost a rotation; ``x[:7]`` costs nothing. What lies behind
        them is masked when a result asks for it. Others, such as ``x[::2]``, and single ones, take a level.

        Examples
        --------
        >>> a = engine.encrypt([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], public_key, bound=6)
        >>> engine.decrypt(a[1], secret_key).round(3), float(engine.decrypt(a[0, 2], secret_key).round(3))
        (array([4., 5., 6.]), 3.0)
        """
        return called(operator.getitem, self, index)

    def __iter__(self) -> Iterator[Self]:
        return (self[place] for place in range(len(self)))

    def reshape(self, *shape: Any) -> Self:
        """Return the same values in another shape, at no cost. One length may be -1.

        Examples
        --------
        >>> a = engine.encrypt([1.0, 2.0, 3.0, 4.0], public_key, bound=4)
        >>> a.reshape(2, -1).shape, a.reshape((4, 1)).shape
        ((2, 2), (4, 1))
        """
        return called(np.reshape, self, shape[0] if len(shape) == 1 else shape)

    def ravel(self) -> Self:
        """Return the values as a vector, at no cost.

        Examples
        --------
        >>> engine.encrypt([[1.0, 2.0], [3.0, 4.0]], public_key, bound=4).ravel().shape
        (4,)
        """
        return called(np.ravel, self)

    def transpose(self, *axes: int) -> Self:
        """Exchange axes, as ``numpy.transpose`` does. Levels consumed: 1.

        Examples
        --------
        >>> a = engine.encrypt([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], public_key, bound=6)
        >>> engine.decrypt(a.transpose(), secret_key).round(3)
        array([[1., 4.],
               [2., 5.],
               [3., 6.]])
        """
        return called(np.transpose, self, axes or None)

    @property
    def T(self) -> Self:  # noqa: N802 (NumPy's name)
        """The transpose.

        Examples
        --------
        >>> a = engine.encrypt([[1.0, 2.0], [3.0, 4.0]], public_key, bound=4)
        >>> engine.decrypt(a.T, secret_key).round(3)
        array([[1., 3.],
               [2., 4.]])
        """
        return self.transpose()

    def roll(self, shift: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None) -> Self:
        """Move values along axes, and the last ones to the first places, as ``numpy.roll`` does.

        `rotate` does it with all slots. Levels consumed: 0 for a vector of up to half of the slots, with zeros behind
        it, or of all of them; else 1.

        Examples
        --------
        >>> a = engine.encrypt([1.0, 2.0, 3.0], public_key, bound=3)
        >>> engine.decrypt(a.roll(1), secret_key).round(3)
        array([3., 1., 2.])
        """
        return called(np.roll, self, shift, axis)

    def clip(self, low: float | None = None, high: float | None = None) -> Self:
        """Limit values to an interval: see `everlevel.clip`.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
        >>> x = deep.encrypt([-1.5, 0.25], secret, bound=2)
        >>> deep.decrypt(x.clip(0, 1), secret).round(2) + 0
        array([0.  , 0.25])
        """
        return called(np.clip, self, low, high)

    def cumsum(self, *, count: int | None = None) -> Self:
        """Return the sums up to every value: see `everlevel.cumsum`.

        Examples
        --------
        >>> a = engine.encrypt([1.0, 2.0, 3.0], public_key, bound=3)
        >>> engine.decrypt(a.cumsum(), secret_key).round(3)
        array([1., 3., 6.])
        """
        return called(np.cumsum, self, count=count)

    def dot(self, other: Any) -> Self:
        """Return the sum of the products of slots, or a product with a matrix: see `everlevel.dot`.

        Examples
        --------
        >>> a = engine.encrypt([1.0, 2.0, 3.0], public_key, bound=3)
        >>> float(engine.decrypt(a.dot([0.5, 0.25, 1.0]), secret_key).round(3))
        4.0
        """
        return called(np.dot, self, other)


def called(function: Any, x: CiphertextT, *args: Any, **kwargs: Any) -> CiphertextT:
    """Call the function that stands for one of NumPy's."""
    result: CiphertextT = NUMPY.functions[function](x, *args, **kwargs)
    return result
