"""Sizes of encrypted arrays."""

from __future__ import annotations

from math import prod

Shape = tuple[int, ...]


class Shaped:
    """Base of arrays that know their shape."""

    __slots__ = ()

    _shape: Shape

    @property
    def shape(self) -> Shape:
        """Sizes of the array's dimensions."""
        return self._shape

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self._shape)
