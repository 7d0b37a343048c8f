"""Encoded matrices."""

from __future__ import annotations

from typing import TypeVar, final

from .. import _native
from .._common.sizes import format_bytes
from ._storable import Encoded

__all__ = ["LightPlainMatrix", "PlainMatrix"]

NativeT = TypeVar("NativeT", _native.PlainMatrix, _native.LightPlainMatrix)


class _Matrix(Encoded[NativeT]):
    """Base of both kinds of matrix."""

    __slots__ = ()

    @property
    def level(self) -> int:
        """Highest level of a ciphertext that it is multiplied with; higher ones are brought down to it.

        Examples
        --------
        >>> engine.encode_to_plain_matrix(np.eye(3), level=2).level
        2
        """
        return self._native.level

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, as they were given.

        Examples
        --------
        >>> engine.encode_to_plain_matrix(np.ones((2, 3)), level=2).shape
        (2, 3)
        """
        return self._native.shape

    @property
    def diagonal_count(self) -> int:
        """Diagonals held: the cost of a product grows with it.

        Examples
        --------
        >>> engine.encode_to_plain_matrix(np.eye(3), level=2).diagonal_count
        1
        """
        return self._native.diagonal_count

    @property
    def rotations(self) -> tuple[int, ...]:
        """Amounts of the rotations of its products, by a fixed rotation key for each, with the sign of ``numpy.roll``.

        ``engine.create_evaluation_key(secret_key, rotations=matrix.rotations)`` makes exactly these keys.

        Examples
        --------
        >>> engine.encode_to_plain_matrix(np.ones((3, 3)), level=2).rotations
        (-1, -2, 2)
        """
        slots = self._context.slot_count
        return tuple(-left if 2 * left <= slots else slots - left for left in self._native.rotations)

    @property
    def is_real(self) -> bool:
        """Whether the entries are real.

        Examples
        --------
        >>> engine.encode_to_plain_matrix(1j * np.eye(3), level=2).is_real
        False
        """
        return self._is_real

    def __repr__(self) -> str:
        rows, columns = self.shape
        size = format_bytes(self.nbytes)
        return f"{type(self).__name__}({rows}×{columns}, {self.diagonal_count} diagonals, level {self.level}, {size})"


@final
class PlainMatrix(_Matrix[_native.PlainMatrix]):
    """A matrix, encoded at a level, for products with encrypted vectors: see `Engine.multiply_matrix`.

    Made by `Engine.encode_to_plain_matrix`. It takes six bytes for each diagonal, each of the ring's coefficients and
    each prime of its level, or three where its entries are real: a dense matrix of 8192 rows at level 1 takes 0.8 GB.
    Immutable.

    Examples
    --------
    >>> matrix = engine.encode_to_plain_matrix([[1.0, 2.0], [3.0, 4.0]], level=2)
    >>> x = engine.encrypt([1.0, 10.0], secret_key, bound=10)
    >>> engine.decrypt(matrix @ x, secret_key)[:2].round(3)
    array([21., 43.])
    """

    __slots__ = ()

    kind = "plain matrix"


@final
class LightPlainMatrix(_Matrix[_native.LightPlainMatrix]):
    """A matrix, encoded up to its scale and primes: eight bytes for each diagonal and coefficient, whatever the level.

    Made by `Engine.encode_to_light_plain_matrix`. Each product transforms its diagonals anew; the result is that of a
    `PlainMatrix`, bit for bit. With real entries, it takes half of the memory. Immutable.

    Examples
    --------
    >>> matrix = engine.encode_to_light_plain_matrix([[1.0, 2.0], [3.0, 4.0]], level=2)
    >>> x = engine.encrypt([1.0, 10.0], secret_key, bound=10)
    >>> engine.decrypt(matrix @ x, secret_key)[:2].round(3)
    array([21., 43.])
    """

    __slots__ = ()

    kind = "light plain matrix"
