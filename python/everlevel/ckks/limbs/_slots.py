"""Rotations, conjugation, and sums over slots. None of them spends bits."""

from __future__ import annotations

from collections.abc import Iterable

from ..._common import checks
from ..._common.limb_engine import nearest
from . import _operands
from ._core import Core
from .ciphertext import Ciphertext


def rotate(self: Core, ciphertext: Ciphertext, delta: int) -> Ciphertext:
    """Rotate all slots, as ``numpy.roll(x, delta)`` does: ``+1`` moves slot 0 to slot 1, and the last to slot 0.

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
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
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
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
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
    return Ciphertext(self, native, is_real=x.is_real)


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
        If the budget has no room for a sum of so many values of this bound.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.25, 0.5, 0.75], secret_key)
    >>> engine.decrypt(engine.sum(x), secret_key)[:2].round(6)
    array([1.5, 1.5])
    """
    operation = "sum"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    key = self._key(operation, x._native.secret_id)
    with self._reporting("sum", progress) as report:
        return Ciphertext(self, self._context.sum(x._native, key, report), is_real=x.is_real)
