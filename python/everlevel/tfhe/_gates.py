"""Gates on arrays of bits."""

from __future__ import annotations

from typing import Any

from ._core import EngineCore
from .ciphertext import Ciphertext


class GatesMixin(EngineCore):
    """Every gate of two inputs costs one bootstrap for each element; negation is free, and `mux` costs two.

    All take ciphertexts, or booleans in the clear for one of the operands, which cost as much; shapes are broadcast.
    Operands that share too much of their noise, as two results of `mux` may, are bootstrapped once more before.
    All raise the same errors:

    * `SpaceError` if the parameters hold integers;
    * `EngineMismatchError`, `KeyMismatchError` if an operand belongs to other parameters or another secret;
    * `MissingKeyError` if the engine knows no evaluation key for the secret;
    * `MessageError` if shapes don't go together or values in the clear aren't booleans;
    * `NoiseError` if the operands' noise is too large.
    """

    def and_(self, a: Any, b: Any) -> Ciphertext:
        """Compute ``a AND b``, also written ``a & b``."""
        return self._gate("and", a, b)

    def or_(self, a: Any, b: Any) -> Ciphertext:
        """Compute ``a OR b``, also written ``a | b``."""
        return self._gate("or", a, b)

    def xor(self, a: Any, b: Any) -> Ciphertext:
        """Compute ``a XOR b``, also written ``a ^ b``."""
        return self._gate("xor", a, b)

    def nand(self, a: Any, b: Any) -> Ciphertext:
        """Compute ``NOT (a AND b)``."""
        return self._gate("nand", a, b)

    def nor(self, a: Any, b: Any) -> Ciphertext:
        """Compute ``NOT (a OR b)``."""
        return self._gate("nor", a, b)

    def xnor(self, a: Any, b: Any) -> Ciphertext:
        """Compute ``NOT (a XOR b)``: whether the two are equal."""
        return self._gate("xnor", a, b)

    def andny(self, a: Any, b: Any) -> Ciphertext:
        """Compute ``(NOT a) AND b``."""
        return self._gate("andny", a, b)

    def andyn(self, a: Any, b: Any) -> Ciphertext:
        """Compute ``a AND (NOT b)``."""
        return self._gate("andyn", a, b)

    def orny(self, a: Any, b: Any) -> Ciphertext:
        """Compute ``(NOT a) OR b``."""
        return self._gate("orny", a, b)

    def oryn(self, a: Any, b: Any) -> Ciphertext:
        """Compute ``a OR (NOT b)``."""
        return self._gate("oryn", a, b)

    def not_(self, a: Ciphertext) -> Ciphertext:
        """Compute ``NOT a``, also written ``~a``, without a bootstrap: the noise is the operand's."""
        self._require_bits("not_")
        a = self._ciphertext("not_", "a", a)
        return self._wrap(self._context.negate(self._key("not_", a), a._native), a.shape)

    def mux(self, selector: Any, a: Any, b: Any) -> Ciphertext:
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
        self._require_bits("mux")
        shape, (s, x, y) = self._operands("mux", "selector, a, b", selector, a, b)
        key = self._key("mux", s, x, y)
        with self._reporting("mux") as report:
            return self._wrap(self._context.mux(key, s._native, x._native, y._native, report), shape)

    def _gate(self, name: str, a: Any, b: Any) -> Ciphertext:
        operation = f"{name}_" if name in ("and", "or") else name
        self._require_bits(operation)
        shape, (x, y) = self._operands(operation, "a, b", a, b)
        key = self._key(operation, x, y)
        with self._reporting(operation) as report:
            return self._wrap(self._context.gate(name, key, x._native, y._native, report), shape)

    def _refresh(self, operation: str, a: Ciphertext) -> Ciphertext:
        """Bootstrap bits: the gate AND with a true bit in the clear, which has no noise."""
        key = self._key(operation, a)
        true = self._constant(operation, True, a._native.secret_id)._broadcast(a.shape)
        with self._reporting(operation) as report:
            return self._wrap(self._context.gate("and", key, a._native, true._native, report), a.shape)
