"""Rotations, and sums over slots."""

from __future__ import annotations

from .._common import checks
from .._common.limb_engine import nearest
from . import _operands
from ._core import Core
from .ciphertext import Ciphertext


def rotate(self: Core, ciphertext: Ciphertext, delta: int) -> Ciphertext:
    """Rotate both rows of slots, each as ``numpy.roll(row, delta)`` does: ``+1`` moves slot 0 to slot 1.

    Slots are two rows of ``slot_count // 2``, the first row first.

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
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    amount = -checks.integer(operation, "delta", delta)
    key = self._key(operation, x._native.secret_id)
    return Ciphertext(self, self._context.rotate(x._native, nearest(amount, self.slot_count // 2), key))


def swap_rows(self: Core, ciphertext: Ciphertext) -> Ciphertext:
    """Swap the two rows of slots.

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
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    return Ciphertext(self, self._context.swap_rows(x._native, self._key(operation, x._native.secret_id)))


def sum(  # noqa: A001 (NumPy's name)
    self: Core, ciphertext: Ciphertext, *, progress: bool | None = None
) -> Ciphertext:
    """Add up all slots. The sum is in every slot of the result.

    Parameters
    ----------
    ciphertext : Ciphertext
        What to add up, by log2(`slot_count`) key switches.
    progress : bool, optional
        Whether a bar is shown; as the engine says, if left out.

    Raises
    ------
    MissingKeyError
        If the engine knows no evaluation key for the ciphertext's secret, or that wasn't made with ``rotations=True``.
    NoiseError
        If the budget is used up.

    Examples
    --------
    >>> engine, secret_key = bfv_engine, bfv_secret_key
    >>> x = engine.encrypt([1, 2, 3], secret_key)
    >>> engine.decrypt(engine.sum(x), secret_key)[:3]
    array([6, 6, 6])
    """
    operation = "sum"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    key = self._key(operation, x._native.secret_id)
    with self._reporting("sum", progress) as report:
        return Ciphertext(self, self._context.sum(x._native, key, report))
