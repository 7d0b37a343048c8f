"""Products of matrices in the clear with encrypted vectors."""

from __future__ import annotations

from ..._common.slot_moves import as_slots
from ...errors import OperandTypeError
from .. import _diagonals
from . import _operands
from ._core import Core
from .ciphertext import Ciphertext


def multiply_matrix(
    self: Core,
    matrix: _diagonals.Matrix,
    ciphertext: Ciphertext,
    *,
    precision_bits: int | None = None,
    progress: bool | None = None,
) -> Ciphertext:
    """Multiply an encrypted vector by a matrix, as ``matrix @ vector`` does, which is the operator for it too.

    By diagonals, with baby steps and giant steps: about 2·sqrt(d) rotations and d products for d diagonals, where a
    dense matrix of m rows and n columns has m + n - 1, and `slot_count` at most.

    Parameters
    ----------
    matrix : array_like of real or complex numbers, shape (m, n); mapping of offsets to vectors; or sparse matrix
        At most `slot_count` rows and columns. Slots of the vector from n on don't matter, and slots of the product from
        m on are zero. Diagonals are encoded on the way. Of a mapping, entry i of the vector of shape (`slot_count`,) at
        offset d is in row i and column i + d, modulo `slot_count`; of a sparse matrix of SciPy, the diagonals with
        entries are taken.
    ciphertext : Ciphertext
        The vector.
    precision_bits : int, optional
        Bits below the point that entries are rounded to, and that the product spends, from 1 to the engine's, which
        are taken if it is left out.
    progress : bool, optional
        Whether a bar is shown; as the engine says, if left out.

    Returns
    -------
    Ciphertext
        With `precision_bits` less of budget. All slots count.

    Raises
    ------
    MissingKeyError
        If the engine knows no evaluation key for the ciphertext's secret, or that has none for a rotation: those of
        ``rotations=True`` are enough, and keys for small amounts make it faster.
    NoiseError
        If the budget has no room for the product.
    ParameterError
        If there are more rows or columns than slots, or none.
    RangeError
        If an entry is too large for so many bits.
    MessageError, MessageTypeError
        If it isn't a matrix of finite numbers, or a diagonal hasn't `slot_count` of them.
    OperandTypeError
        If an offset is no integer, or the ciphertext has several dimensions.
    OutOfMemoryError
        If there is too little memory.

    References
    ----------
    Halevi, Shoup, "Algorithms in HElib", eprint 2014/106.

    Examples
    --------
    >>> x = limbs_engine.encrypt([1.0, 10.0], limbs_secret_key, bound=10)
    >>> y = limbs_engine.multiply_matrix([[1.0, 2.0], [3.0, 4.0]], x)
    >>> limbs_engine.decrypt(y, limbs_secret_key)[:2].round(3)
    array([21., 43.])
    """
    operation = "multiply_matrix"
    given = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    if len(given._layout.shape or ()) > 1:
        raise OperandTypeError(
            f"{operation}: the ciphertext is of shape {given.shape}, and a vector is needed; write matrix @ x for two "
            f"dimensions, or reshape it: x.reshape(-1)",
            argument="ciphertext",
            expected="a vector",
            actual=str(given.shape),
        )
    x = as_slots(given)
    entries, is_real = _diagonals.entries(operation, matrix, self.slot_count)
    bits = _operands.bits(self, operation, precision_bits)
    key = self._key(operation, x._native.secret_id)
    with self._reporting("product of a matrix", progress) as report:
        native = self._context.multiply_matrix(entries, x._native, bits, key, report)
    return Ciphertext(self, native, is_real=x.is_real and is_real)
