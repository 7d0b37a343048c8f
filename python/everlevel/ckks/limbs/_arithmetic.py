"""Sums, products and rescaling, slot by slot."""

from __future__ import annotations

from typing import Any

from ..._common import checks
from . import _operands
from ._core import Core
from .ciphertext import Ciphertext


def add(self: Core, left: Any, right: Any) -> Ciphertext:
    """Add two vectors, slot by slot: the operator ``+``. It spends no bits.

    Parameters
    ----------
    left, right : Ciphertext, number, or array_like of numbers
        One at least is a ciphertext. Shapes broadcast as NumPy's do, where ciphertexts are repeated by rotations, and
        numbers and arrays in the clear at no cost. Where all slots count, a single number is added to every slot, a
        vector to the first ones. Of two ciphertexts, the result has the smaller budget.

    Raises
    ------
    OperandTypeError
        If none of them is a ciphertext.
    MessageTypeError, MessageError
        If an array in the clear isn't one of numbers, is too large, or holds NaN or infinity; or if shapes don't
        broadcast.
    KeyMismatchError
        If they belong to different secrets.
    NoiseError
        If the budget has no room for sums of these bounds.
    EngineMismatchError
        If one is of other parameters.

    Warns
    -----
    DeprecationWarning
        If two vectors have lengths that don't broadcast: zeros follow both, as in version 0.1.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.5, 0.25], secret_key)
    >>> engine.decrypt(engine.add(x, [10, 20]), secret_key).round(6)
    array([10.5 , 20.25])
    """
    return _sum(self, "add", left, right, 1)


def subtract(self: Core, left: Any, right: Any) -> Ciphertext:
    """Subtract two vectors, slot by slot: the operator ``-``. Arguments and errors are as in `add`.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.5, 0.25], secret_key)
    >>> engine.decrypt(engine.subtract(1, x), secret_key).round(3)
    array([0.5 , 0.75])
    """
    if isinstance(left, Ciphertext):
        return _sum(self, "subtract", left, right, -1)
    return _sum(self, "subtract", left, negate(self, right) if isinstance(right, Ciphertext) else right, 1)


def negate(self: Core, ciphertext: Ciphertext) -> Ciphertext:
    """Negate a vector, slot by slot: the operator ``-``. It spends no bits.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.5, 0.25], secret_key)
    >>> engine.decrypt(engine.negate(x), secret_key).round(3)
    array([-0.5 , -0.25])
    """
    x = _operands.ciphertext(self, "negate", "ciphertext", ciphertext)
    return Ciphertext(self, self._context.negate(x._native), is_real=x.is_real, layout=x._layout)


def multiply(self: Core, left: Any, right: Any, *, precision_bits: int | None = None) -> Ciphertext:
    """Multiply two vectors, slot by slot: the operator ``*``.

    Parameters
    ----------
    left, right : Ciphertext, number, or array_like of numbers
        One at least is a ciphertext, and shapes are as in `add`. A product of two uses the engine's evaluation key.
        Where all slots count, those that a vector in the clear lacks become 0.
    precision_bits : int, optional
        Bits below the point that the operands are rounded to, and that the product spends: any number up to the
        engine's, which stands here if it is left out. A number in the clear spends fewer if it has fewer, as 3 or 0.75.

    Raises
    ------
    MissingKeyError
        If the engine knows no evaluation key for the ciphertexts' secret.
    NoiseError
        If the budget is used up, with both budgets in bits.
    RangeError
        If values in the clear are too large for so many bits.
    ParameterError
        If there can't be so many bits.
    OperandTypeError, MessageError, KeyMismatchError, EngineMismatchError
        As in `add`.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.5, 0.4], secret_key)
    >>> y = engine.multiply(x, x, precision_bits=23)
    >>> x.budget_bits - y.budget_bits
    23
    >>> engine.decrypt(y, secret_key).round(2)
    array([0.25, 0.16])
    """
    operation = "multiply"
    bits = _operands.bits(self, operation, precision_bits)
    x, other, is_real, layout = _operands.operands(self, operation, left, right, is_product=True)
    if isinstance(other, Ciphertext):
        key = self._key(operation, x._native.secret_id)
        native = self._context.multiply(x._native, other._native, bits, key)
    elif isinstance(other, complex):
        native = self._context.multiply_constant(x._native, other, bits)
    else:
        native = self._context.multiply_plain(x._native, other, _operands.largest(other), bits)
    return Ciphertext(self, native, is_real=x.is_real and is_real, layout=layout)


def square(self: Core, ciphertext: Ciphertext, *, precision_bits: int | None = None) -> Ciphertext:
    """Square a vector, slot by slot. Arguments and errors are as in `multiply`; it takes less time.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.5, 0.3], secret_key)
    >>> engine.decrypt(engine.square(x), secret_key).round(3)
    array([0.25, 0.09])
    """
    return multiply(self, ciphertext, ciphertext, precision_bits=precision_bits)


def rescale(self: Core, ciphertext: Ciphertext, bits: int) -> Ciphertext:
    """Divide all values by ``2**bits``, exactly: it spends as many bits, which may be any number.

    Parameters
    ----------
    ciphertext : Ciphertext
        What to divide. The result's bound is smaller by the same factor.
    bits : int
        At least 0.

    Raises
    ------
    NoiseError
        If the budget is smaller.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.5, 0.25], secret_key)
    >>> y = engine.rescale(x, 3)
    >>> x.budget_bits - y.budget_bits, y.bound
    (3, 0.125)
    >>> engine.decrypt(y, secret_key)
    array([0.0625 , 0.03125])
    """
    operation = "rescale"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    number = checks.integer_between(operation, "bits", bits, 0, 2**31, "choose one of these")
    return Ciphertext(self, self._context.rescale(x._native, number), is_real=x.is_real, layout=x._layout)


def lower(self: Core, ciphertext: Ciphertext, budget_bits: int) -> Ciphertext:
    """Give up budget, so that what follows is faster. Values stay as they are.

    Parameters
    ----------
    ciphertext : Ciphertext
        Values whose budget is larger.
    budget_bits : int
        The result's budget.

    Raises
    ------
    ParameterError
        If the ciphertext has fewer.
    NoiseError
        If the values need more.

    Examples
    --------
    >>> x = limbs_engine.encrypt([0.5], limbs_secret_key)
    >>> limbs_engine.lower(x, 100).limbs < x.limbs
    True
    """
    operation = "lower"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    number = checks.integer_between(operation, "budget_bits", budget_bits, 0, x.budget_bits, "choose one of these")
    return Ciphertext(self, self._context.lower(x._native, number), is_real=x.is_real, layout=x._layout)


def _sum(self: Core, operation: str, left: Any, right: Any, sign: int) -> Ciphertext:
    """Add two operands, or subtract the second one from the first."""
    x, other, is_real, layout = _operands.operands(self, operation, left, right)
    if isinstance(other, Ciphertext):
        native = (self._context.add if sign > 0 else self._context.subtract)(x._native, other._native)
    elif isinstance(other, complex):
        native = self._context.add_constant(x._native, sign * other)
    else:
        native = self._context.add_plain(x._native, sign * other, _operands.largest(other))
    return Ciphertext(self, native, is_real=x.is_real and is_real, layout=layout)
