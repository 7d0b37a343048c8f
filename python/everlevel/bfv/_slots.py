"""Rotations, sums over slots and units, and stacks of units."""

from __future__ import annotations

from collections.abc import Sequence

from .._common import checks, slot_moves, units
from .._common.limb_engine import nearest
from .._common.operators import Axis
from .._common.slot_moves import as_slots
from . import _operands
from ._core import Core
from .ciphertext import Ciphertext


def rotate(self: Core, ciphertext: Ciphertext, delta: int) -> Ciphertext:
    """Rotate both rows of slots, each as ``numpy.roll(row, delta)`` does: ``+1`` moves slot 0 to slot 1.

    The slots of a unit are two rows of ``slot_count // 2``, the first row first. All of them count in the result:
    `Ciphertext.roll` moves the values of a shape.

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
    NoiseError
        If the budget is used up.

    Examples
    --------
    >>> engine, secret_key = bfv_engine, bfv_secret_key
    >>> x = engine.encrypt([1, 2, 3], secret_key)
    >>> engine.decrypt(engine.rotate(x, 1), secret_key)[:5]
    array([0, 1, 2, 3, 0])
    """
    operation = "rotate"
    x = as_slots(_operands.ciphertext(self, operation, "ciphertext", ciphertext))
    amount = -checks.integer(operation, "delta", delta)
    key = self._key(operation, x._native.secret_id)
    return Ciphertext(self, self._context.rotate(x._native, nearest(amount, self.slot_count // 2), key))


def swap_rows(self: Core, ciphertext: Ciphertext) -> Ciphertext:
    """Swap the two rows of the slots of each unit. All slots count in the result.

    Raises
    ------
    MissingKeyError
        If the engine knows no evaluation key for the ciphertext's secret, or that has none for the swap.
    NoiseError
        If the budget is used up.

    Examples
    --------
    >>> engine, secret_key = bfv_engine, bfv_secret_key
    >>> x = engine.encrypt([1, 2, 3], secret_key)
    >>> engine.decrypt(engine.swap_rows(x), secret_key)[engine.slot_count // 2 :][:4]
    array([1, 2, 3, 0])
    """
    operation = "swap_rows"
    x = as_slots(_operands.ciphertext(self, operation, "ciphertext", ciphertext))
    return Ciphertext(self, self._context.swap_rows(x._native, self._key(operation, x._native.secret_id)))


def sum(  # noqa: A001 (NumPy's name)
    self: Core, ciphertext: Ciphertext, *, axis: Axis = None, keepdims: bool = False, progress: bool | None = None
) -> Ciphertext:
    """Add up values along axes, as ``numpy.sum`` does.

    Parameters
    ----------
    ciphertext : Ciphertext
        What to add up.
    axis : int or tuple of int, optional
        Axes of `Ciphertext.shape`; all, if left out. Where all slots count, 0: the units, slot by slot, to one unit,
        which needs no key. 1: the slots of each unit, by log2(`slot_count`) key switches each. None: both, to one unit.
    keepdims : bool, default False
        Keep the axes, with a length of 1; for shapes alone.
    progress : bool, optional
        Whether a bar is shown; as the engine says, if left out.

    Returns
    -------
    Ciphertext
        Of the shape that is left: () for all values, by log2(`slot_count`) key switches. An axis takes up to 2·log2 of
        its length, and a product with masks if others come before it, or if the values are in both rows of slots. Where
        all slots count, so they do in the result, and a sum over slots is in every slot of its unit.

    Raises
    ------
    ParameterError
        If there is no such axis, or axes can't be kept.
    MissingKeyError
        If slots are added up and the engine knows no evaluation key for the ciphertext's secret, or one that wasn't
        made with ``rotations=True``.
    NoiseError
        If the budget is used up.

    Examples
    --------
    >>> engine, secret_key = bfv_engine, bfv_secret_key
    >>> x = engine.encrypt([[1, 2, 3], [4, 5, 6]], secret_key)
    >>> engine.decrypt(engine.sum(x), secret_key), engine.decrypt(engine.sum(x, axis=1), secret_key)
    (array(21), array([ 6, 15]))
    """
    operation = "sum"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)

    def of_slots(values: Ciphertext, axis: int | None = None) -> Ciphertext:
        key = self._key(operation, values._native.secret_id) if axis in units.OVER_SLOTS else None
        total = self._context.sum_of_units(values._native) if axis in units.OVER_UNITS else values._native
        if key is not None:
            with self._reporting(operation, progress) as report:
                total = self._context.sum(total, key, report)
        return Ciphertext(self, total)

    return slot_moves.along(operation, x, axis, keepdims, of_slots)


def vstack(self: Core, ciphertexts: Sequence[Ciphertext]) -> Ciphertext:
    """Make one ciphertext of the units of several, in their order. `Ciphertext.units` takes them apart again.

    All slots count in the result.

    Parameters
    ----------
    ciphertexts : sequence of Ciphertext
        At least one; of one secret.

    Returns
    -------
    Ciphertext
        With the smallest of their budgets.

    Raises
    ------
    ParameterError
        If there are none.
    EngineMismatchError, KeyMismatchError
        If they are of other parameters, or of different secrets.

    Examples
    --------
    >>> engine, secret_key = bfv_engine, bfv_secret_key
    >>> both = engine.vstack([engine.encrypt([1], secret_key), engine.encrypt([2], secret_key)])
    >>> both.shape, engine.decrypt(both, secret_key)[:: engine.slot_count]
    ((2, 1024), array([1, 2]))
    """
    listed = checks.sequence("vstack", "ciphertexts", ciphertexts)
    parts = units.stacked([as_slots(_operands.ciphertext(self, "vstack", "ciphertexts", part)) for part in listed])
    return Ciphertext(self, self._context.vstack([part._native for part in parts]))
