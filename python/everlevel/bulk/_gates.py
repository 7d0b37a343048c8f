"""Gates on arrays of bits.

A gate of two inputs is one look-up of a sum, for all elements at once; negation is free, and `mux` is a product.

All take ciphertexts of one shape, or booleans in the clear for one of the operands, which cost as much. All raise the
same errors:

* `SpaceError` if the parameters hold integers;
* `EngineMismatchError`, `KeyMismatchError` if an operand belongs to other parameters or another secret;
* `MissingKeyError` if the engine knows no evaluation key for the secret;
* `MessageError` if shapes differ or values in the clear aren't booleans.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from .._common import spaces
from . import _operands
from ._core import Core
from ._integers import combined, looked_up, selected
from .ciphertext import Ciphertext

_TABLES: Final = {
    "and_": (1, [0, 0, 1]),
    "or_": (1, [0, 1, 1]),
    "xor": (1, [0, 1, 0]),
    "nand": (1, [1, 1, 0]),
    "nor": (1, [1, 0, 0]),
    "xnor": (1, [1, 0, 1]),
    "andny": (-1, [0, 0, 1]),
    "orny": (-1, [0, 1, 1]),
}
"""The sign of `a` beside `b`, and the table of their sum, of one more where it is a difference."""


def and_(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``a AND b``, also written ``a & b``.

    Examples
    --------
    >>> engine, secret_key = bulk_gates, bulk_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.and_(a, b), secret_key)
    array([ True, False, False, False])
    """
    return _gate(self, "and_", a, b)


def or_(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``a OR b``, also written ``a | b``.

    Examples
    --------
    >>> engine, secret_key = bulk_gates, bulk_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.or_(a, b), secret_key)
    array([ True,  True,  True, False])
    """
    return _gate(self, "or_", a, b)


def xor(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``a XOR b``, also written ``a ^ b``.

    Examples
    --------
    >>> engine, secret_key = bulk_gates, bulk_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.xor(a, b), secret_key)
    array([False,  True,  True, False])
    """
    return _gate(self, "xor", a, b)


def nand(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``NOT (a AND b)``.

    Examples
    --------
    >>> engine, secret_key = bulk_gates, bulk_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.nand(a, b), secret_key)
    array([False,  True,  True,  True])
    """
    return _gate(self, "nand", a, b)


def nor(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``NOT (a OR b)``.

    Examples
    --------
    >>> engine, secret_key = bulk_gates, bulk_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.nor(a, b), secret_key)
    array([False, False, False,  True])
    """
    return _gate(self, "nor", a, b)


def xnor(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``NOT (a XOR b)``: whether the two are equal.

    Examples
    --------
    >>> engine, secret_key = bulk_gates, bulk_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.xnor(a, b), secret_key)
    array([ True, False, False,  True])
    """
    return _gate(self, "xnor", a, b)


def andny(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``(NOT a) AND b``.

    Examples
    --------
    >>> engine, secret_key = bulk_gates, bulk_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.andny(a, b), secret_key)
    array([False, False,  True, False])
    """
    return _gate(self, "andny", a, b)


def andyn(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``a AND (NOT b)``.

    Examples
    --------
    >>> engine, secret_key = bulk_gates, bulk_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.andyn(a, b), secret_key)
    array([False,  True, False, False])
    """
    return _gate(self, "andny", b, a, "andyn")


def orny(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``(NOT a) OR b``.

    Examples
    --------
    >>> engine, secret_key = bulk_gates, bulk_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.orny(a, b), secret_key)
    array([ True, False,  True,  True])
    """
    return _gate(self, "orny", a, b)


def oryn(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``a OR (NOT b)``.

    Examples
    --------
    >>> engine, secret_key = bulk_gates, bulk_gates_key
    >>> a = engine.encrypt([True, True, False, False], secret_key)
    >>> b = engine.encrypt([True, False, True, False], secret_key)
    >>> engine.decrypt(engine.oryn(a, b), secret_key)
    array([ True,  True, False,  True])
    """
    return _gate(self, "orny", b, a, "oryn")


def not_(self: Core, a: Ciphertext) -> Ciphertext:
    """Compute ``NOT a``, also written ``~a``, without a bootstrap: the noise is the operand's.

    Examples
    --------
    >>> engine, secret_key = bulk_gates, bulk_gates_key
    >>> engine.decrypt(engine.not_(engine.encrypt([True, False], secret_key)), secret_key)
    array([False,  True])
    """
    spaces.require_bits(self, "not_")
    x = _operands.ciphertext(self, "not_", "a", a)
    return combined(self, "not_", x.shape, [(-1, x)], 1)


def mux(self: Core, selector: Any, a: Any, b: Any) -> Ciphertext:
    """Choose `a` where `selector` is set and `b` elsewhere, as ``numpy.where`` does: see `select`, without a bootstrap.

    Parameters
    ----------
    selector : Ciphertext
        Bits.
    a, b : Ciphertext or array_like of bool
        Of the selector's shape.

    Returns
    -------
    Ciphertext
        Of this shape.

    Examples
    --------
    >>> from everlevel import bulk
    >>> engine = bulk.Engine(insecure_log_n=10)
    >>> secret_key = engine.create_secret_key()
    >>> evaluation_key = engine.create_evaluation_key(secret_key)
    >>> bits = engine.encrypt([True, False], secret_key)
    >>> engine.decrypt(engine.mux(bits, [True, True], False), secret_key)
    array([ True, False])
    """
    spaces.require_bits(self, "mux")
    return selected(self, "mux", selector, a, b)


def _gate(self: Core, name: str, a: Any, b: Any, operation: str | None = None) -> Ciphertext:
    called = name if operation is None else operation
    spaces.require_bits(self, called)
    shape, (x, y) = _operands.operands(self, called, "a, b", a, b)
    sign, table = _TABLES[name]
    index = combined(self, called, shape, [(sign, x), (1, y)], 0 if sign > 0 else 1)
    return looked_up(self, called, index, [np.asarray(table, np.int64)[: index.max_value + 1]])[0]
