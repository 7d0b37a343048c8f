"""Sizes of encrypted arrays."""

from __future__ import annotations

from math import prod

from ..errors import OperandTypeError

Shape = tuple[int, ...]


class Shaped:
    """Base of arrays that know their shape."""

    __slots__ = ()

    _shape: Shape

    @property
    def shape(self) -> Shape:
        """Sizes of the array's dimensions.

        Examples
        --------
        >>> tfhe_engine.encrypt([[1, 2, 3]], tfhe_secret_key).shape
        (1, 3)
        """
        return self._shape

    @property
    def ndim(self) -> int:
        """Number of dimensions.

        Examples
        --------
        >>> engine.encrypt([[1.0, 2.0, 3.0]], secret_key, bound=3).ndim
        2
        """
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements.

        Examples
        --------
        >>> engine.encrypt([[1.0, 2.0, 3.0]], secret_key, bound=3).size
        3
        """
        return prod(self.shape)

    def __len__(self) -> int:
        """Return the length of the first dimension: of a vector, the number of its elements."""
        if not self.shape:
            raise OperandTypeError(
                "len: a single value has no length; decrypt it to a number, or reshape it to (1,)",
                argument="ciphertext",
                expected="at least one dimension",
                actual="()",
            )
        return self.shape[0]
