"""Compressed lists of results."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._common.opaque import Encrypted
from .._common.shaped import Shape, Shaped
from .._common.sizes import format_bytes
from .._common.storable import OfEngine
from . import _checks, _decimal_numbers

__all__ = ["CompressedList"]


class Operations(Protocol):
    """Interface of the engine behind a list."""

    _context: _native.TfheContext

    @property
    def message_bits(self) -> int | None: ...


class CompressedList(Shaped, Encrypted, OfEngine):
    """An array of encrypted values as its results travel: of a few bytes each, and for nothing but that.

    Made by `Engine.compress` of an array of any kind and shape. Whoever has the secret key decrypts it as it is, by
    `Engine.decrypt`; `Engine.decompress` gives an array to compute with again, by a bootstrap of each ciphertext.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> compression_key = engine.create_compression_key(secret_key)
    >>> x = engine.encrypt_uint(np.arange(100, dtype=np.uint32), secret_key)
    >>> results = engine.compress(x + 1)
    >>> results
    CompressedList(UintArray, shape (100,), uint32, ... kB for ... MB, p_fail 2^-...)
    >>> engine.decrypt(results, secret_key)[-1]
    np.uint32(100)
    """

    __slots__ = ("_native", "_notes", "_places", "_shape")

    _engine: Operations
    _instead_of_numpy = "decompress or decrypt it first"

    kind = "compressed list"

    def __init__(self, engine: Any, native: _native.TfheCompressedList, notes: dict[str, str], shape: Shape) -> None:
        super().__init__(engine)
        self._native = native
        self._notes = notes
        self._shape = shape
        is_decimal = native.width is not None and "places" in notes
        self._places = _decimal_numbers.read_places(notes["places"]) if is_decimal else None

    def _stored(self) -> tuple[_native.TfheCompressedList, dict[str, str]]:
        return self._native, self._notes

    @property
    def nbytes(self) -> int:
        """Bytes of the list.

        Examples
        --------
        >>> key = tfhe_engine.create_compression_key(tfhe_secret_key)
        >>> x = tfhe_engine.encrypt(np.ones(1000, int), tfhe_secret_key)
        >>> tfhe_engine.compress(x).nbytes < x.nbytes / 100
        True
        """
        return self._native.nbytes

    @property
    def expanded_nbytes(self) -> int:
        """Bytes of the array that `Engine.decompress` gives.

        Examples
        --------
        >>> key = tfhe_engine.create_compression_key(tfhe_secret_key)
        >>> x = tfhe_engine.encrypt([1, 2], tfhe_secret_key)
        >>> tfhe_engine.compress(x).expanded_nbytes == x.nbytes
        True
        """
        return self._native.expanded_nbytes(self._engine._context)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the decrypted array: that of objects, of decimals and from 128 bits on.

        Examples
        --------
        >>> key = tfhe_engine.create_compression_key(tfhe_secret_key)
        >>> tfhe_engine.compress(tfhe_engine.encrypt([1, 2], tfhe_secret_key)).dtype
        dtype('uint8')
        """
        width = self._native.width
        if width is not None:
            return np.dtype(object if self._places is not None or width > 64 else self._integer_type)
        return np.dtype(np.bool_ if self._native.holds_bools or self._engine.message_bits is None else np.uint8)

    @property
    def failure_probability(self) -> float:
        """Upper bound of the probability that any element decrypts to a wrong value: the array's, and of the list.

        The bootstraps that led to all elements are kept together, so that each element of a decompressed array has
        those of the list behind it.

        Examples
        --------
        >>> key = tfhe_engine.create_compression_key(tfhe_secret_key)
        >>> tfhe_engine.compress(tfhe_engine.encrypt([1, 2], tfhe_secret_key)).failure_probability < 2**-60
        True
        """
        return self._native.failure_probability(self._engine._context)

    @property
    def _is_signed(self) -> bool:
        return self._notes.get("signed") == "yes"

    @property
    def _integer_type(self) -> str:
        return f"{'int' if self._is_signed else 'uint'}{self._native.width}"

    def _values(self, secret_key: _native.TfheSecretKey) -> NDArray[Any]:
        """Return what the list decrypts to."""
        words = self._native.decrypt(secret_key)
        width, places = self._native.width, self._places
        if width is None:
            return words.astype(self.dtype).reshape(self._shape)
        integers = _checks.integers_of_words(words, width, signed=self._is_signed).reshape(self._shape)
        return integers if places is None else _decimal_numbers.decimals_of(integers, places)

    def __repr__(self) -> str:
        elements = f"shape {self._shape}"
        if self._native.width is not None:
            kind = "IntArray" if self._is_signed else "UintArray"
            elements += f", {self._integer_type}"
            if self._places is not None:
                kind = "DecimalArray"
                elements += f" with {self._places} places"
        else:
            kind = "BoolArray" if self._native.holds_bools else "Ciphertext"
        failure = _checks.shown_failure(self.failure_probability)
        sizes = f"{format_bytes(self.nbytes)} for {format_bytes(self.expanded_nbytes)}"
        return f"CompressedList({kind}, {elements}, {sizes}, {failure})"
