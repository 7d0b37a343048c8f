"""Gates on arrays of bits.

Every gate of two inputs costs one bootstrap for each element; negation is free, and `mux` costs two.

All take ciphertexts, or booleans in the clear for one of the operands, which cost as much; shapes are broadcast.
Operands that share too much of their noise, as two results of `mux` may, are bootstrapped once more before.
All raise the same errors:

* `SpaceError` if the parameters hold integers;
* `EngineMismatchError`, `KeyMismatchError` if an operand belongs to other parameters or another secret;
* `MissingKeyError` if the engine knows no evaluation key for the secret;
* `MessageError` if shapes don't go together or values in the clear aren't booleans;
* `NoiseError` if the operands' noise is too large.
"""

from __future__ import annotations

from typing import Any

from .._common import spaces
from . import _operands
from ._array import key_of
from ._core import Core
from .ciphertext import Ciphertext


def and_(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``a AND b``, also written ``a & b``.

    Examples
    --------
    >>> engine, secret_key = tfhe_gates, tfhe_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.and_(a, b), secret_key)
    array([ True, False, False, False])
    """
    return gate(self, "and", a, b)


def or_(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``a OR b``, also written ``a | b``.

    Examples
    --------
    >>> engine, secret_key = tfhe_gates, tfhe_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.or_(a, b), secret_key)
    array([ True,  True,  True, False])
    """
    return gate(self, "or", a, b)


def xor(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``a XOR b``, also written ``a ^ b``.

    Examples
    --------
    >>> engine, secret_key = tfhe_gates, tfhe_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.xor(a, b), secret_key)
    array([False,  True,  True, False])
    """
    return gate(self, "xor", a, b)


def nand(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``NOT (a AND b)``.

    Examples
    --------
    >>> engine, secret_key = tfhe_gates, tfhe_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.nand(a, b), secret_key)
    array([False,  True,  True,  True])
    """
    return gate(self, "nand", a, b)


def nor(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``NOT (a OR b)``.

    Examples
    --------
    >>> engine, secret_key = tfhe_gates, tfhe_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.nor(a, b), secret_key)
    array([False, False, False,  True])
    """
    return gate(self, "nor", a, b)


def xnor(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``NOT (a XOR b)``: whether the two are equal.

    Examples
    --------
    >>> engine, secret_key = tfhe_gates, tfhe_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.xnor(a, b), secret_key)
    array([ True, False, False,  True])
    """
    return gate(self, "xnor", a, b)


def andny(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``(NOT a) AND b``.

    Examples
    --------
    >>> engine, secret_key = tfhe_gates, tfhe_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.andny(a, b), secret_key)
    array([False, False,  True, False])
    """
    return gate(self, "andny", a, b)


def andyn(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``a AND (NOT b)``.

    Examples
    --------
    >>> engine, secret_key = tfhe_gates, tfhe_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.andyn(a, b), secret_key)
    array([False,  True, False, False])
    """
    return gate(self, "andyn", a, b)


def orny(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``(NOT a) OR b``.

    Examples
    --------
    >>> engine, secret_key = tfhe_gates, tfhe_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.orny(a, b), secret_key)
    array([ True, False,  True,  True])
    """
    return gate(self, "orny", a, b)


def oryn(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``a OR (NOT b)``.

    Examples
    --------
    >>> engine, secret_key = tfhe_gates, tfhe_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.oryn(a, b), secret_key)
    array([ True,  True, False,  True])
    """
    return gate(self, "oryn", a, b)


def not_(self: Core, a: Ciphertext) -> Ciphertext:
    """Compute ``NOT a``, also written ``~a``, without a bootstrap: the noise is the operand's.

    Examples
    --------
    >>> engine, secret_key = tfhe_gates, tfhe_gates_key
    >>> engine.decrypt(engine.not_(engine.encrypt([True, False], secret_key)), secret_key)
    array([False,  True])
    """
    spaces.require_bits(self, "not_")
    a = _operands.ciphertext(self, "not_", "a", a)
    return Ciphertext(self, self._context.negate(key_of(self, "not_", a), a._native), a.shape)


def mux(self: Core, selector: Any, a: Any, b: Any) -> Ciphertext:
    """Choose `a` where `selector` is set and `b` elsewhere, as ``numpy.where`` does, for two bootstraps.

    Parameters
    ----------
    selector, a, b : Ciphertext or array_like of bool
        One of them at least is encrypted.

    Returns
    -------
    Ciphertext
        Of the shape that the operands are broadcast to.

    Examples
    --------
    >>> bits = tfhe_gates.encrypt(np.array([True, False]), tfhe_gates_key)
    >>> tfhe_gates.decrypt(tfhe_gates.mux(bits, [True, True], False), tfhe_gates_key)
    array([ True, False])
    """
    spaces.require_bits(self, "mux")
    shape, (s, x, y) = _operands.operands(self, "mux", "selector, a, b", selector, a, b)
    key = key_of(self, "mux", s, x, y)
    with self._reporting("mux") as report:
        return Ciphertext(self, self._context.mux(key, s._native, x._native, y._native, report), shape)


def gate(self: Core, name: str, a: Any, b: Any) -> Ciphertext:
    operation = f"{name}_" if name in ("and", "or") else name
    spaces.require_bits(self, operation)
    shape, (x, y) = _operands.operands(self, operation, "a, b", a, b)
    key = key_of(self, operation, x, y)
    with self._reporting(operation) as report:
        return Ciphertext(self, self._context.gate(name, key, x._native, y._native, report), shape)


def refresh(self: Core, operation: str, a: Ciphertext) -> Ciphertext:
    """Bootstrap bits: the gate AND with a true bit in the clear, which has no noise."""
    key = key_of(self, operation, a)
    true = _operands.constant(self, operation, True, a._native.secret_id)._broadcast(a.shape)
    with self._reporting(operation) as report:
        return Ciphertext(self, self._context.gate("and", key, a._native, true._native, report), a.shape)
