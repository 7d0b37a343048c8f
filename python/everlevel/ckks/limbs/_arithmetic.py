"""Sums, products and rescaling, slot by slot."""

from __future__ import annotations

from typing import Any

from ..._common import checks
from ..._common.limb_engine import operands
from .. import _checks
from . import _operands
from ._core import Core
from .ciphertext import Ciphertext


def add(self: Core, left: Any, right: Any) -> Ciphertext:
    """Add two vectors, slot by slot: the operator ``+``. It spends no bits.

    Parameters
    ----------
    left, right : Ciphertext, number, or array_like of numbers
        One at least is a ciphertext. A single number is added to every slot, a vector to the first ones. Of two
        ciphertexts, the result has the smaller budget.

    Raises
    ------
    OperandTypeError
        If none of them is a ciphertext.
    MessageTypeError, MessageError
        If a vector in the clear isn't one of numbers, is too long, or holds NaN or infinity.
    KeyMismatchError
        If they belong to different secrets.
    NoiseError
        If the budget has no room for sums of these bounds.
    EngineMismatchError
        If one is of other parameters.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.5, 0.25], secret_key)
    >>> engine.decrypt(engine.add(x, [10, 20]), secret_key)[:2].round(6)
    array([10.5 , 20.25])
    """
    x, other = operands(self, "add", left, right, Ciphertext)
    return _sum(self, "add", x, other, negative=False)


def subtract(self: Core, left: Any, right: Any) -> Ciphertext:
    """Subtract two vectors, slot by slot: the operator ``-``. Arguments and errors are as in `add`.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.5, 0.25], secret_key)
    >>> engine.decrypt(engine.subtract(1, x), secret_key)[:2].round(3)
    array([0.5 , 0.75])
    """
    operation = "subtract"
    x, other = operands(self, operation, left, right, Ciphertext)
    if isinstance(other, Ciphertext):
        native = self._context.subtract(x._native, other._native)
        return Ciphertext(self, native, is_real=x.is_real and other.is_real)
    if x is left:
        return _sum(self, operation, x, other, negative=True)
    return _sum(self, operation, negate(self, x), other, negative=False)


def negate(self: Core, ciphertext: Ciphertext) -> Ciphertext:
    """Negate a vector, slot by slot: the operator ``-``. It spends no bits.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.5, 0.25], secret_key)
    >>> engine.decrypt(engine.negate(x), secret_key)[:2].round(3)
    array([-0.5 , -0.25])
    """
    x = _operands.ciphertext(self, "negate", "ciphertext", ciphertext)
    return Ciphertext(self, self._context.negate(x._native), is_real=x.is_real)


def multiply(self: Core, left: Any, right: Any, *, precision_bits: int | None = None) -> Ciphertext:
    """Multiply two vectors, slot by slot: the operator ``*``.

    Parameters
    ----------
    left, right : Ciphertext, number, or array_like of numbers
        One at least is a ciphertext. A product of two uses the engine's evaluation key. Slots that a vector in the
        clear lacks become 0.
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
    >>> engine.decrypt(y, secret_key)[:2].round(2)
    array([0.25, 0.16])
    """
    operation = "multiply"
    x, other = operands(self, operation, left, right, Ciphertext)
    bits = _operands.bits(self, operation, precision_bits)
    if isinstance(other, Ciphertext):
        key = self._key(operation, x._native.secret_id)
        native = self._context.multiply(x._native, other._native, bits, key)
        return Ciphertext(self, native, is_real=x.is_real and other.is_real)
    if _checks.is_scalar(other):
        number = _checks.scalar(operation, other)
        native = self._context.multiply_constant(x._native, number, bits)
        return Ciphertext(self, native, is_real=x.is_real and number.imag == 0)
    slots, is_real = _operands.vector(self, operation, other)
    native = self._context.multiply_plain(x._native, slots, _operands.largest(slots), bits)
    return Ciphertext(self, native, is_real=x.is_real and is_real)


def square(self: Core, ciphertext: Ciphertext, *, precision_bits: int | None = None) -> Ciphertext:
    """Square a vector, slot by slot. Arguments and errors are as in `multiply`; it takes less time.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.5, 0.3], secret_key)
    >>> engine.decrypt(engine.square(x), secret_key)[:2].round(3)
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
    >>> engine.decrypt(y, secret_key)[:2]
    array([0.0625 , 0.03125])
    """
    operation = "rescale"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    number = checks.integer_between(operation, "bits", bits, 0, 2**31, "choose one of these")
    return Ciphertext(self, self._context.rescale(x._native, number), is_real=x.is_real)


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
    return Ciphertext(self, self._context.lower(x._native, number), is_real=x.is_real)


def _sum(self: Core, operation: str, x: Ciphertext, other: Any, *, negative: bool) -> Ciphertext:
    """Add a ciphertext and another one, or numbers in the clear, or their negatives."""
    if isinstance(other, Ciphertext):
        native = self._context.add(x._native, other._native)
        return Ciphertext(self, native, is_real=x.is_real and other.is_real)
    if _checks.is_scalar(other):
        number = _checks.scalar(operation, other)
        native = self._context.add_constant(x._native, -number if negative else number)
        return Ciphertext(self, native, is_real=x.is_real and number.imag == 0)
    slots, is_real = _operands.vector(self, operation, other)
    native = self._context.add_plain(x._native, -slots if negative else slots, _operands.largest(slots))
    return Ciphertext(self, native, is_real=x.is_real and is_real)
