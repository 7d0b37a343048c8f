"""Encrypted vectors of real or complex numbers, over limbs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..._common import slot_moves, slot_shapes
from ..._common.opaque import is_clear
from ..._common.operators import Axis, Vector
from ..._common.slot_shapes import SLOTS, Layout
from ..._native import LimbsCiphertext as NativeCiphertext
from ...errors import MessageError
from .. import _checks

__all__ = ["Ciphertext"]


class Ciphertext(Vector):
    """An encrypted vector of real or complex numbers, one for each slot.

    Made by `Engine.encrypt`, and by every operation on ciphertexts. It is immutable: an operation gives a new one, and
    any number of threads may share it. One operand of an operator may be in the clear: a number, or an array. Products
    use the evaluation key that the engine has made, or was given, for the ciphertext's secret.

    It remembers the `shape` of what was encrypted, as NumPy's arrays do: `len`, sums and means are those of the values
    that are there, and shapes broadcast; ``matrix @ a`` has a value, or a row, for each row. Rotations,
    `Engine.multiply_matrix` and vectors of `slot_count` values work on all slots, and give the slots' shape, with zeros
    after the values.

    ============================  ===================================================
    expression                    bits of budget that it spends
    ============================  ===================================================
    ``a + b``, ``a - b``, ``-a``  0; the result has the smaller budget
    ``a + 3``, ``7 - a``          0
    ``3 * a``, ``a * 0.75``       those of the number below the point: 0, 2
    ``a * 0.1``, ``a * [1, 2]``   `Engine.precision_bits`
    ``a / 2``, ``a / [1, 3]``     those of the product with the inverse
    ``a * b``                     `Engine.precision_bits`
    ``[[1, 2], [3, 4]] @ a``      `Engine.precision_bits`
    ============================  ===================================================

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([0.5, -0.4], secret_key)
    >>> x
    Ciphertext(512 slots, shape (2,), 6 limbs, budget 319 bits, scale 2^40, bound 1, precision ... bits)
    >>> engine.decrypt(x * x + 1, secret_key).round(3), float(engine.decrypt(x.mean(), secret_key).round(3))
    (array([1.25, 1.16]), 0.05)
    """

    __slots__ = ("is_real",)

    _next_steps: ClassVar[Mapping[str, str]] = {
        "divide": "divide by numbers and arrays in the clear",
        "matmul": "write it as (x * y).sum(axis=-1), or matrix @ x for a matrix in the clear",
        **dict.fromkeys(
            ("floor_divide", "remainder", "divmod", "less", "less_equal", "absolute"),
            "ciphertexts of everlevel.Engine have functions and comparisons: see Engine.create_bridge",
        ),
    }

    is_real: bool
    """Whether decryption gives float64 (else complex128)."""

    _native: NativeCiphertext

    def __init__(self, engine: Any, native: NativeCiphertext, *, is_real: bool, layout: Layout = SLOTS) -> None:
        super().__init__(engine, native, layout)
        self.is_real = is_real

    def _with(self, layout: Layout) -> Ciphertext:
        if layout is self._layout:
            return self
        return Ciphertext(self._engine, self._native, is_real=self.is_real, layout=layout)

    def _at_most(self, times: float, other: Ciphertext) -> Ciphertext:
        size = times * other.bound
        return self._claimed(size) if size < self.bound else self

    def _claimed(self, size: float) -> Ciphertext:
        native = self._engine._context.assume_bound(self._native, size)
        return Ciphertext(self._engine, native, is_real=self.is_real, layout=self._layout)

    @property
    def unit_count(self) -> int:
        """Number of units, which is 1: vectors over limbs have at most `slot_count` values.

        Examples
        --------
        >>> limbs_engine.encrypt([0.5], limbs_secret_key).unit_count
        1
        """
        return 1

    def mean(self, axis: Axis = None, *, keepdims: bool = False) -> Ciphertext:
        """Return the mean of values along axes: see `Engine.mean`.

        Examples
        --------
        >>> engine, secret_key = limbs_engine, limbs_secret_key
        >>> x = engine.encrypt([[0.5, 0.25], [1.0, 0.5]], secret_key)
        >>> engine.decrypt(x.mean(axis=0), secret_key).round(3)
        array([0.75 , 0.375])
        """
        mean: Ciphertext = self._engine.mean(self, axis=axis, keepdims=keepdims)
        return mean

    def within(self, low: float, high: float | None = None) -> Ciphertext:
        """Claim where the values lie, in place of the bound that operations carried.

        Bounds of sums hold for the worst values: a sum of n has n times theirs, and products of such sums soon need
        more than the budget. The claim is the caller's: nothing checks it but `Engine.decrypt`, which warns of
        values beyond it.

        Parameters
        ----------
        low, high : float
            ``within(b)`` claims sizes of at most b, and ``within(a, b)`` values from a to b, of which the larger size
            is the bound. It is public: choose it by what the values can be.

        Returns
        -------
        Ciphertext
            The same values. Where something else than zeros may be behind them, as after sums along axes, a mask takes
            it off, which spends `Engine.precision_bits` of the budget.

        Raises
        ------
        ParameterError
            If an end is no finite number, the ends are in the wrong order, or a size is negative.
        NoiseError
            If the budget has no room for the bound.

        Examples
        --------
        >>> engine, secret_key = limbs_engine, limbs_secret_key
        >>> x = engine.encrypt([0.5, 0.25, 0.125], secret_key)
        >>> x.sum().bound, x.sum().within(0, 1).bound
        (3.0, 1.0)
        """
        claimed = _checks.declared_bound("within", low) if high is None else _checks.ends("within", low, high)
        size = max(map(abs, claimed)) if isinstance(claimed, tuple) else claimed
        # What is behind the values is to stay within the bound as well.
        return slot_moves.masked(self)._claimed(size)

    def __truediv__(self, divisor: Any) -> Ciphertext:
        if not is_clear(divisor):
            return super().__truediv__(divisor)  # type: ignore[misc,no-any-return]
        quotient: Ciphertext = self._engine.multiply(self, _checks.inverse("divide", divisor))
        return quotient

    def __rmatmul__(self, matrix: Any) -> Ciphertext:
        if not isinstance(matrix, (list, tuple, np.ndarray, Mapping)):
            return super().__rmatmul__(matrix)  # type: ignore[misc,no-any-return]
        if len(self._layout.shape or ()) > 1 and not isinstance(matrix, Mapping):
            return self._of_columns(matrix)
        product: Ciphertext = self._engine.multiply_matrix(matrix, self)
        layout = slot_shapes.of_product(matrix, self._layout, self.slot_count)
        return product if layout is None else product._with(layout)

    def _of_columns(self, matrix: Any) -> Ciphertext:
        """Multiply a matrix in the clear with an encrypted one, whose rows are one after the other."""
        entries, _ = _checks.matrix("matmul", matrix)
        rows, width = len(entries), self.shape[-1]
        if self.ndim > 2 or entries.shape[1] != len(self) or rows * width > self.slot_count:
            raise MessageError(
                f"matmul: the shapes are {entries.shape} and {self.shape}, and (m, k) and (k, n) are needed, with m·n "
                f"of at most {self.slot_count} slots; reshape one, or take parts",
                slot_count=self.slot_count,
            )
        product: Ciphertext = self._engine.multiply_matrix(np.kron(entries, np.eye(width)), self.reshape(-1))
        return product._with(slot_shapes.layout((rows, width), self.slot_count))

    def _stored(self) -> tuple[NativeCiphertext, dict[str, str]]:
        return self._native, {**({"real": "true"} if self.is_real else {}), **self._layout.notes()}

    @property
    def budget_bits(self) -> int:
        """Bits that products and rescalings may spend: values are below ``2**(budget_bits - 2)``.

        Examples
        --------
        >>> x = limbs_engine.encrypt([0.5], limbs_secret_key)
        >>> x.budget_bits, (x * x).budget_bits
        (319, 279)
        """
        return self._native.budget_bits

    @property
    def bound(self) -> float:
        """Bound of the values' sizes: that of the encryption, carried on by operations.

        Examples
        --------
        >>> x = limbs_engine.encrypt([1.0, 2.0], limbs_secret_key, bound=2)
        >>> x.bound, (x * x).bound
        (2.0, 4.0)
        """
        return self._native.bound

    @property
    def limbs(self) -> int:
        """Limbs of either polynomial. Fewer make operations faster.

        Examples
        --------
        >>> x = limbs_engine.encrypt([0.5], limbs_secret_key)
        >>> x.limbs, limbs_engine.lower(x, 100).limbs
        (6, 3)
        """
        return self._native.limbs

    @property
    def precision_bits(self) -> float:
        """Bits below the point that are right: -log2 of the root mean square of a slot's error, by the noise formulas.

        They hold for values of the size of `bound`; the errors of smaller ones are smaller.

        Examples
        --------
        >>> x = limbs_engine.encrypt([0.5], limbs_secret_key)
        >>> x.precision_bits > (x * x).precision_bits > 30
        True
        """
        return -self._native.log2_error

    def __repr__(self) -> str:
        shape = "" if self._layout.shape is None else f"shape {self.shape}, "
        return (
            f"Ciphertext({self._engine.slot_count} slots, {shape}{self.limbs} limbs, budget {self.budget_bits} bits, "
            f"scale 2^{self._engine.precision_bits}, bound {self.bound:.3g}, precision {self.precision_bits:.1f} bits)"
        )
