"""Look-ups of encrypted values of 4 to 16 bits in large public tables, by circuit bootstraps and CMux trees."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from .. import _native
from .._common import checks
from .._common.storable import own
from . import _checks, _operands, _uint_operations
from ._array import EncryptedArray, key_of
from ._core import Core
from .ciphertext import Ciphertext
from .keys import LookupKey, SecretKey
from .uint_array import UintArray

_MOST_BITS: Final = 16
_WIDTHS: Final = (8, 16, 32, 64)


def create_lookup_key(self: Core, secret_key: SecretKey, *, progress: bool | None = None) -> LookupKey:
    """Make the key of `lookup` for a secret, beside its evaluation key. The engine remembers the first of every secret.

    It holds a bootstrapping key of less noise, and has about twice the size of the evaluation key's.

    Parameters
    ----------
    secret_key : SecretKey
        Secret of the ciphertexts.
    progress : bool, optional
        Whether a bar is shown; as the engine says, if left out.

    Raises
    ------
    SpaceError
        If the parameters hold bits, or integers of fewer than 4 bits.
    ParameterError
        If nothing is claimed of look-ups with the parameters: NTRU's, those with experimental secrets, those whose
        tables fail with more than 2^-64, and those whose messages have no room for the noise.
    EngineMismatchError
        If the secret key is one of other parameters.

    Examples
    --------
    >>> from everlevel import tfhe
    >>> engine = tfhe.Engine("integer-4-128", insecure_log_n=10)
    >>> engine.create_lookup_key(engine.create_secret_key())
    LookupKey(integer-4-128, ...)
    """
    operation = "create_lookup_key"
    secret = _operands.secret_key(self, operation, secret_key)
    _uint_operations.require_digits(self, operation)
    with self._reporting("look-up key", progress) as report:
        native = self._context.lookup_key(secret._native, report)
    return remembered(self, native)


def remembered(self: Core, native: _native.TfheLookupKey) -> LookupKey:
    """Return the look-up key, which the engine remembers if it is the first one of its secret."""
    with self._lock:
        self._lookup_keys.setdefault(native.secret_id, native)
    return LookupKey(self, native)


def lookup(
    self: Core,
    ciphertext: Ciphertext | UintArray,
    table: Any,
    *,
    in_bits: int | None = None,
    out_bits: int | None = None,
) -> Any:
    """Look every element up in a public table of up to 65,536 entries.

    Two bits of an index take one rotation with a key of its own, which gives GGSW ciphertexts of them (a circuit
    bootstrap); these select from the table. So the time grows with the bits, and hardly with the table: tables of the
    few values of one message are faster by `bootstrap`.

    Parameters
    ----------
    ciphertext : Ciphertext or UintArray
        Encrypted indices, with parameters of integers of 4 bits or more.
    table : callable or array_like of int
        One entry for each index, ``2**in_bits`` of them; or a function, which is called with every index.
    in_bits : int, optional
        Bits of an index, up to 16: those that the elements have, if left out. Of integers of 8 to 64 bits the lower
        ones select, and those above don't count.
    out_bits : int, optional
        Bits of an entry. Up to the bits of a message the result is a `Ciphertext`; with 8, 16, 32 or 64 it is a
        `UintArray` of that width (of parameters whose messages have 8 bits, if the indices are one). As the
        elements have, if left out.

    Returns
    -------
    Ciphertext or UintArray
        Of the shape of the indices.

    Raises
    ------
    SpaceError
        If the parameters hold bits, or integers of fewer than 4 bits.
    ParameterError
        If `in_bits` or `out_bits` isn't one that there is.
    TableError
        If the table has another length, or an entry of more bits; with both values.
    OperandTypeError
        If `ciphertext` is neither, or `table` is neither a function nor an array of integers, or gives no integers.
    MissingKeyError
        If the engine knows no evaluation key, or no look-up key, for the secret.
    MessageError
        If an element may be behind the table.
    NoiseError
        If the noise is too large already, with both probabilities.
    EngineMismatchError
        If the ciphertext is of other parameters.

    References
    ----------
    Chillotti, Gama, Georgieva and Izabachène, *TFHE* (2018/421), vertical packing; Wang and others, *Circuit
    Bootstrapping: Faster and Smaller* (2024/323); Wang, Ha, Shen and others (2024/1318).

    Examples
    --------
    >>> from everlevel import tfhe
    >>> engine = tfhe.Engine("integer-4-128", insecure_log_n=10)
    >>> secret_key = engine.create_secret_key()
    >>> evaluation_key, lookup_key = engine.create_evaluation_key(secret_key), engine.create_lookup_key(secret_key)
    >>> x = engine.encrypt_uint(np.array([3, 200], np.uint8), secret_key)
    >>> squares = engine.lookup(x, np.arange(256) ** 2, out_bits=16)
    >>> engine.decrypt(squares, secret_key)
    array([    9, 40000], dtype=uint16)
    """
    operation = "lookup"
    if not isinstance(ciphertext, EncryptedArray):
        needed = "a Ciphertext or a UintArray is needed; use NumPy for what is in the clear"
        raise checks.wrong_type(operation, "ciphertext", ciphertext, "Ciphertext or UintArray", needed)
    kind: type[Any] = UintArray if isinstance(ciphertext, UintArray) else Ciphertext
    x: Ciphertext | UintArray = own(self, operation, "ciphertext", ciphertext, kind)
    _uint_operations.require_digits(self, operation)
    message_bits = self.message_bits or 0
    has = x.width if isinstance(x, UintArray) else message_bits
    index_bits = _bits(operation, "in_bits", has if in_bits is None else in_bits, min(has, _MOST_BITS))
    entry_bits, is_uint = _entry_bits(operation, isinstance(x, UintArray), has, message_bits, out_bits)
    entries = _checks.table(operation, table, (2**index_bits,), 2**entry_bits - 1, np.uint64)
    key = key_of(self, operation, x)
    lookup_key = self._lookup_keys.get(key.secret_id)
    if lookup_key is None:
        raise checks.missing_key(operation, "look-up key")
    with self._reporting("look-ups") as report:
        call = key, lookup_key, report
        if is_uint:
            return UintArray(
                self, self._context.lookup_uints(x._native, index_bits, entries, entry_bits, call), x.shape
            )
        return Ciphertext(self, self._context.lookup_messages(x._native, index_bits, entries, call), x.shape)


def _bits(operation: str, option: str, value: Any, most: int) -> int:
    bits = checks.integer(operation, option, value)
    if not 1 <= bits <= most:
        raise checks.refusal(
            operation, option, bits, f"1 to {most} is taken; give in_bits for the lower bits of an index", (1, most)
        )
    return bits


def _entry_bits(operation: str, of_uints: bool, has: int, message_bits: int, out_bits: int | None) -> tuple[int, bool]:
    """Return the bits of an entry, and whether results are integers of 8 to 64 bits."""
    if out_bits is None:
        return has, of_uints
    bits = checks.integer(operation, "out_bits", out_bits)
    if bits in _WIDTHS and (of_uints or bits > message_bits):
        return bits, True
    if not 1 <= bits <= message_bits:
        needed = f"1 to {message_bits}, 8, 16, 32 or 64 is taken; round it up to one"
        raise checks.refusal(operation, "out_bits", bits, needed, (*range(1, message_bits + 1), *_WIDTHS))
    return bits, False
