"""Encrypted arrays of more integers than a unit has slots: blocks of rows, each a ciphertext."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from .._common.arrays import integer_array
from .._common.block_arrays import BlockArray
from .ciphertext import Ciphertext

__all__ = ["EncryptedArray"]


class EncryptedArray(BlockArray):
    """An encrypted array of any size: blocks of rows along its first axis, each a `Ciphertext`.

    Made by `Engine.encrypt_many`, and by operations on such arrays. Operators, NumPy's functions of one or two operands
    and `map` act on each block, and cost as much as that many ciphertexts; sums go along axes; `Engine.decrypt` gives
    the whole array.

    Parameters
    ----------
    blocks : iterable of Ciphertext
        In their order, with the same shapes but for the first axis. Files have them one by one: `Ciphertext.save`.

    Raises
    ------
    OperandTypeError
        If something else is among them.
    ParameterError
        If there are none, or their shapes don't go together.

    Examples
    --------
    >>> table = np.arange(3000).reshape(1500, 2)
    >>> x = bfv_engine.encrypt_many(table, bfv_secret_key)
    >>> x.shape, len(x.blocks)
    ((1500, 2), 3)
    >>> error = bfv_engine.decrypt((x * 2 - table).sum(axis=0), bfv_secret_key) - table.sum(axis=0)
    >>> error % bfv_engine.plain_modulus
    array([0, 0])
    """

    __slots__ = ()

    _block = Ciphertext
    _blocks: tuple[Ciphertext, ...]

    @staticmethod
    def _numbers(operation: str, values: Any) -> NDArray[Any]:
        return integer_array(operation, values, "integers", "int")
