"""Sums and products, slot by slot."""

from __future__ import annotations

from typing import Any

from . import _operands
from ._core import Core
from .ciphertext import Ciphertext


def add(self: Core, left: Any, right: Any) -> Ciphertext:
    """Add two vectors, slot by slot: the operator ``+``.

    Parameters
    ----------
    left, right : Ciphertext, int, or array_like of int
        One at least is a ciphertext. Shapes broadcast as NumPy's do, where ciphertexts are repeated by rotations, and
        numbers and arrays in the clear at no cost. Where all slots count, a single integer is added to every slot, and
        a vector to the first ones; it fills as many units as the ciphertext has.

    Raises
    ------
    OperandTypeError
        If none of them is a ciphertext.
    MessageError
        If integers in the clear are out of range, or shapes don't broadcast.
    UnitCountError
        If one of two vectors fills more units than the other.
    KeyMismatchError
        If they belong to different secrets.
    NoiseError
        If the budget is used up.
    EngineMismatchError
        If one is of other parameters.

    Warns
    -----
    DeprecationWarning
        If two vectors have lengths that don't broadcast: zeros follow both, as in version 0.1.

    Examples
    --------
    >>> engine, secret_key = bfv_engine, bfv_secret_key
    >>> x = engine.encrypt([1, 2], secret_key)
    >>> engine.decrypt(engine.add(x, [10, 20]), secret_key)
    array([11, 22])
    >>> engine.decrypt(engine.add(x, [[10], [20]]), secret_key)
    array([[11, 12],
           [21, 22]])
    """
    x, other, layout = _operands.operands(self, "add", left, right)
    if isinstance(other, Ciphertext):
        return Ciphertext(self, self._context.add(x._native, other._native), layout)
    return Ciphertext(self, self._context.add_plain(x._native, other), layout)


def subtract(self: Core, left: Any, right: Any) -> Ciphertext:
    """Subtract two vectors, slot by slot: the operator ``-``. Arguments and errors are as in `add`.

    Examples
    --------
    >>> engine, secret_key = bfv_engine, bfv_secret_key
    >>> x = engine.encrypt([3, 4], secret_key)
    >>> engine.decrypt(engine.subtract(10, x), secret_key)
    array([7, 6])
    """
    x, other, layout = _operands.operands(self, "subtract", left, right)
    if isinstance(other, Ciphertext):
        return Ciphertext(self, self._context.subtract(x._native, other._native), layout)
    if isinstance(left, Ciphertext):
        return Ciphertext(self, self._context.add_plain(x._native, -other), layout)
    return Ciphertext(self, self._context.add_plain(self._context.negate(x._native), other), layout)


def negate(self: Core, ciphertext: Ciphertext) -> Ciphertext:
    """Negate a vector, slot by slot: the operator ``-``.

    Examples
    --------
    >>> engine, secret_key = bfv_engine, bfv_secret_key
    >>> x = engine.encrypt([3, 4], secret_key)
    >>> engine.decrypt(engine.negate(x), secret_key)
    array([-3, -4])
    """
    x = _operands.ciphertext(self, "negate", "ciphertext", ciphertext)
    return Ciphertext(self, self._context.negate(x._native), x._layout)


def multiply(self: Core, left: Any, right: Any) -> Ciphertext:
    """Multiply two vectors, slot by slot: the operator ``*``.

    A product of two ciphertexts uses the engine's evaluation key, and takes the most budget: `depth` such products can
    be done one after another. Arguments are as in `add`; where all slots count, those that a vector in the clear lacks
    become 0.

    Raises
    ------
    MissingKeyError
        If the engine knows no evaluation key for the ciphertexts' secret.
    NoiseError
        If the budget is used up, with both budgets in bits.
    OperandTypeError, MessageError, UnitCountError, KeyMismatchError, EngineMismatchError
        As in `add`.

    Examples
    --------
    >>> engine, secret_key = bfv_engine, bfv_secret_key
    >>> x = engine.encrypt([3, 4], secret_key)
    >>> engine.decrypt(engine.multiply(x, x), secret_key)
    array([ 9, 16])
    """
    operation = "multiply"
    x, other, layout = _operands.operands(self, operation, left, right, is_product=True)
    if isinstance(other, Ciphertext):
        key = self._key(operation, x._native.secret_id)
        return Ciphertext(self, self._context.multiply(x._native, other._native, key), layout)
    return Ciphertext(self, self._context.multiply_plain(x._native, other), layout)
