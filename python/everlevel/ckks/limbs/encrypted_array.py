"""Encrypted arrays of more values than there are slots, over limbs: blocks of rows, each a ciphertext."""

from __future__ import annotations

from ..._common.block_arrays import NumberArray
from .. import _checks
from .ciphertext import Ciphertext

__all__ = ["EncryptedArray"]


class EncryptedArray(NumberArray):
    """An encrypted array of any size: blocks of rows along its first axis, each a `Ciphertext`.

    Made by `Engine.encrypt_many`, and by operations on such arrays. Operators, NumPy's functions of one or two operands
    and `map` act on each block, and cost as much as that many ciphertexts; sums and means go along axes;
    `Engine.decrypt` gives the whole array.

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
    >>> values = np.linspace(0, 1, 3 * limbs_engine.slot_count // 2)
    >>> x = limbs_engine.encrypt_many(values, limbs_secret_key)
    >>> x.shape, len(x.blocks)
    ((768,), 2)
    >>> float(limbs_engine.decrypt((x * x).mean(), limbs_secret_key).round(3))
    0.334
    """

    __slots__ = ()

    _block = Ciphertext
    _blocks: tuple[Ciphertext, ...]
    _numbers = staticmethod(_checks.numbers)
