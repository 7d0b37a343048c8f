"""Rotations, conjugation, and sums over slots. None of them spends bits."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..._common import checks, slot_moves, slot_shapes
from ..._common.limb_engine import nearest
from ..._common.operators import Axis
from ..._common.slot_moves import as_slots
from . import _operands
from ._arithmetic import multiply
from ._core import Core
from .ciphertext import Ciphertext


def rotate(self: Core, ciphertext: Ciphertext, delta: int) -> Ciphertext:
    """Rotate all slots, as ``numpy.roll(x, delta)`` does: ``+1`` moves slot 0 to slot 1, and the last to slot 0.

    All slots count in the result: `Ciphertext.roll` moves the values of a shape.

    Parameters
    ----------
    ciphertext : Ciphertext
        What to rotate.
    delta : int
        Amount in slots. It needs a key of its own, or those of powers of two, which ``rotations=True`` makes: then it
        takes one key switch for each binary digit of `delta` that is 1.

    Raises
    ------
    MissingKeyError
        If the engine knows no evaluation key for the ciphertext's secret, or that has none for the amount.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.25, 0.5, 0.75], secret_key)
    >>> engine.decrypt(engine.rotate(x, 1), secret_key)[1:4].round(6)
    array([0.25, 0.5 , 0.75])
    """
    operation = "rotate"
    x = as_slots(_operands.ciphertext(self, operation, "ciphertext", ciphertext))
    amount = nearest(-checks.integer(operation, "delta", delta), self.slot_count)
    native = self._context.rotate(x._native, amount, self._key(operation, x._native.secret_id))
    return Ciphertext(self, native, is_real=x.is_real)


def rotate_batch(self: Core, ciphertext: Ciphertext, deltas: Iterable[int]) -> list[Ciphertext]:
    """Rotate one ciphertext by many amounts, for less than one by one: what doesn't depend on the amount is shared.

    Parameters
    ----------
    ciphertext : Ciphertext
        What to rotate.
    deltas : iterable of int
        Amounts as in `rotate`, each of which but 0 needs a key of its own.

    Returns
    -------
    list of Ciphertext
        One for each amount.

    Raises
    ------
    MissingKeyError
        If the engine knows no evaluation key for the ciphertext's secret, or that has none for one of the amounts.

    Examples
    --------
    >>> x = limbs_engine.encrypt([0.25], limbs_secret_key)
    >>> moved = limbs_engine.rotate_batch(x, [1, 2])
    >>> limbs_engine.decrypt(moved[1], limbs_secret_key)[2].round(6)
    np.float64(0.25)
    """
    operation = "rotate_batch"
    x = as_slots(_operands.ciphertext(self, operation, "ciphertext", ciphertext))
    listed = checks.sequence(operation, "deltas", deltas)
    amounts = [nearest(-checks.integer(operation, "deltas", delta), self.slot_count) for delta in listed]
    natives = self._context.rotate_many(x._native, amounts, self._key(operation, x._native.secret_id))
    return [Ciphertext(self, native, is_real=x.is_real) for native in natives]


def conjugate(self: Core, ciphertext: Ciphertext) -> Ciphertext:
    """Conjugate all values.

    Raises
    ------
    MissingKeyError
        If the engine knows no evaluation key for the ciphertext's secret, or that has none for conjugation.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.5 + 0.25j], secret_key)
    >>> engine.decrypt(engine.conjugate(x), secret_key)[0].round(6)
    np.complex128(0.5-0.25j)
    """
    operation = "conjugate"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    native = self._context.conjugate(x._native, self._key(operation, x._native.secret_id))
    return Ciphertext(self, native, is_real=x.is_real, layout=x._layout)


def sum(  # noqa: A001 (NumPy's name)
    self: Core, ciphertext: Ciphertext, *, axis: Axis = None, keepdims: bool = False, progress: bool | None = None
) -> Ciphertext:
    """Add up values along axes, as ``numpy.sum`` does. It spends no bits, but for masks.

    Parameters
    ----------
    ciphertext : Ciphertext
        What to add up.
    axis : int or tuple of int, optional
        Axes of `Ciphertext.shape`; all, if left out.
    keepdims : bool, default False
        Keep the axes, with a length of 1; for shapes alone.
    progress : bool, optional
        Whether a bar is shown; as the engine says, if left out.

    Returns
    -------
    Ciphertext
        Of the shape that is left: () for all values, by log2(`slot_count`) key switches. An axis takes up to 2·log2 of
        its length, and a product with masks if others come before it. Where all slots count, so they do in the result,
        and the sum is in every one. The bound is that of the values as many times as are added up; where they are known
        to stay smaller, `Ciphertext.within` says so.

    Raises
    ------
    ParameterError
        If there is no such axis, or axes can't be kept.
    MissingKeyError
        If the engine knows no evaluation key for the ciphertext's secret, or that wasn't made with ``rotations=True``.
    NoiseError
        If the budget has no room for a sum of so many values of this bound.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.25, 0.5, 0.75], secret_key)
    >>> float(engine.decrypt(engine.sum(x), secret_key).round(6))
    1.5
    """
    return _along(self, "sum", ciphertext, axis, keepdims, progress)


def mean(
    self: Core, ciphertext: Ciphertext, *, axis: Axis = None, keepdims: bool = False, progress: bool | None = None
) -> Ciphertext:
    """Return the mean of values along axes, as ``numpy.mean`` does. Arguments and errors are as in `sum`.

    The division by the number of terms spends its bits: none of a power of two but its logarithm.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.25, 0.5, 0.75], secret_key)
    >>> float(engine.decrypt(engine.mean(x), secret_key).round(6))
    0.5
    """
    total = _along(self, "mean", ciphertext, axis, keepdims, progress)
    of_slots = ciphertext._layout.shape is None
    axes = (0,) if of_slots else slot_shapes.axes("mean", axis, ciphertext.ndim)
    return multiply(self, total, 1 / math.prod(ciphertext.shape[each] for each in axes))


def _along(self: Core, operation: str, ciphertext: Any, axis: Any, keepdims: Any, progress: bool | None) -> Ciphertext:
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)

    def of_slots(values: Ciphertext, axis: int | None) -> Ciphertext:
        if axis not in (None, 0, -1):
            raise checks.refusal(
                operation, "axis", axis, "all slots count, which are one axis; leave it out", (None, 0)
            )
        key = self._key(operation, values._native.secret_id)
        with self._reporting(operation, progress) as report:
            return Ciphertext(self, self._context.sum(values._native, key, report), is_real=values.is_real)

    return slot_moves.along(operation, x, axis, keepdims, of_slots)
