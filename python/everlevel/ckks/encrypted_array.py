"""Encrypted arrays of more values than a ciphertext has slots: blocks of rows, each a ciphertext."""

from __future__ import annotations

import operator
from typing import Any

from .._common.block_arrays import Axis, NumberArray
from . import _checks
from .ciphertext import Ciphertext

__all__ = ["EncryptedArray"]


class EncryptedArray(NumberArray):
    """An encrypted array of any size: blocks of rows along its first axis, each a `Ciphertext`.

    Made by `Engine.encrypt_many`, and by operations on such arrays. Operators, NumPy's functions of one or two operands
    and `map` act on each block, and cost as much as that many ciphertexts; sums, means and extrema go along axes;
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
    >>> values = np.linspace(0, 1, 3 * engine.slot_count // 2)
    >>> x = engine.encrypt_many(values, secret_key, bound=(0, 1))
    >>> x.shape, len(x.blocks)
    ((768,), 2)
    >>> y = 2 * x * x - 1
    >>> bool(np.abs(engine.decrypt(y, secret_key) - (2 * values**2 - 1)).max() < 1e-5)
    True
    >>> round(float(engine.decrypt(x.mean(), secret_key)), 3)
    0.5
    """

    __slots__ = ()

    _block = Ciphertext
    _blocks: tuple[Ciphertext, ...]
    _numbers = staticmethod(_checks.numbers)

    @property
    def level(self) -> int:
        """Multiplications left in every block.

        Examples
        --------
        >>> x = engine.encrypt_many([1.0, 2.0], secret_key, bound=2)
        >>> x.level, (x * x).level
        (5, 4)
        """
        return min(block.level for block in self._blocks)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Ends of where real values lie: see `Ciphertext.interval`.

        Examples
        --------
        >>> engine.encrypt_many([1.0, 2.0], secret_key, bound=(1, 2)).interval
        (1.0, 2.0)
        """
        found = [block.interval for block in self._blocks]
        known = [interval for interval in found if interval is not None]
        if len(known) < len(found):
            return None
        return min(low for low, _ in known), max(high for _, high in known)

    def bootstrap(self, *keys: Any, stage_count: int | None = None, level: int | None = None) -> EncryptedArray:
        """Raise the level of each block, four at a time: see `Engine.bootstrap_many`.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
        >>> x = deep.encrypt_many(np.ones(600), secret, level=0, bound=1)
        >>> x.bootstrap().level
        10
        """
        engine: Any = self._blocks[0]._engine
        return EncryptedArray(engine.bootstrap_many(list(self._blocks), *keys, stage_count=stage_count, level=level))

    def max(self, axis: Axis = None) -> Ciphertext | EncryptedArray:
        """Return the largest values along axes: see `Ciphertext.max`.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
        >>> x = deep.encrypt_many(np.linspace(-1, 0.5, 600), secret, bound=1)
        >>> float(deep.decrypt(x.max(), secret).round(1))
        0.5
        """
        result: Ciphertext | EncryptedArray = self._reduced("max", axis)
        return result

    def min(self, axis: Axis = None) -> Ciphertext | EncryptedArray:
        """Return the smallest values along axes: see `Ciphertext.min`.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
        >>> x = deep.encrypt_many(np.linspace(-1, 0.5, 600), secret, bound=1)
        >>> float(deep.decrypt(x.min(), secret).round(1))
        -1.0
        """
        result: Ciphertext | EncryptedArray = self._reduced("min", axis)
        return result

    def __abs__(self) -> EncryptedArray:
        return self._each("abs", operator.abs, self)

    def __rtruediv__(self, other: Any) -> EncryptedArray:
        return self._each("divide", operator.truediv, other, self)

    def __gt__(self, other: Any) -> EncryptedArray:
        return self._each("greater", operator.gt, self, other)

    def __lt__(self, other: Any) -> EncryptedArray:
        return self._each("less", operator.lt, self, other)

    # Values nearer than the gap are neither the one nor the other.
    __ge__ = __gt__
    __le__ = __lt__
