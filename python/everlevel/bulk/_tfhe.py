"""Ciphertexts of TFHE as those of bulk."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._common import checks, spaces
from ..errors import MessageError, NoiseError, SpaceError
from ._core import Core
from ._integers import table_of
from ._sets import LEVEL
from .ciphertext import Ciphertext

if TYPE_CHECKING:
    from .. import tfhe


def from_tfhe(self: Core, ciphertext: tfhe.Ciphertext, *, lut: Any = None) -> Ciphertext:
    """Take an array of TFHE as an array of this engine, and look every element up in a table, exactly.

    Elements are packed into slots, by the key of `everlevel.tfhe.Engine.create_packing_key`, and a bootstrap for up to
    `bootstrap_size` of them leaves them with fresh noise. Where errors of TFHE are too large for the table at once, a
    bootstrap or two of the identity come first.

    Parameters
    ----------
    ciphertext : everlevel.tfhe.Ciphertext
        Bits or integers, in an array of any shape. Integers may have fewer bits than this engine's, or more with a
        `max_value` that fits.
    lut : callable or array_like of int, optional
        A table as for `bootstrap`; the identity, if left out.

    Returns
    -------
    Ciphertext
        Of the same shape. Its `failure_probability` has that of `ciphertext` in it.

    Raises
    ------
    MissingKeyError
        If the engine of `ciphertext` has no packing key from its secret to one whose evaluation key this engine has.
    SpaceError
        If elements may be larger than this engine's integers, or a table was given for bits.
    TableError
        As for `bootstrap`.
    NoiseError
        If the elements' errors are too large, as those of long sums may be: bootstrap them first.
    MessageError
        If there are no elements.
    OperandTypeError
        If `ciphertext` is no such array.

    References
    ----------
    Chen, Dai, Kim and Song, *Efficient homomorphic conversion between (ring) LWE ciphertexts* (2020/015), for packing;
    Gentry, Halevi, Peikert and Smart, *Ring switching in BGV-style homomorphic encryption* (2012/240), reversed.

    Examples
    --------
    >>> key = tfhe_engine.create_packing_key(tfhe_secret_key, bulk_secret_key)
    >>> x = tfhe_engine.encrypt([[3, 1], [4, 1]], tfhe_secret_key)
    >>> y = bulk_engine.from_tfhe(x, lut=lambda m: 15 - m)
    >>> bulk_engine.decrypt(y, bulk_secret_key)
    array([[12, 14],
           [11, 14]], dtype=uint8)
    """
    from ..tfhe import Ciphertext as TfheCiphertext

    operation = "from_tfhe"
    x = checks.instance(operation, "ciphertext", ciphertext, TfheCiphertext)
    if lut is not None:
        spaces.require_integers(self, operation)
    if not x.size:
        raise MessageError(f"{operation}: the array has no elements; pass one at least", length=0)
    if x.max_value > self.max_value:
        raise SpaceError(
            f"{operation}: elements may be as large as {x.max_value}, and the space ends at {self.max_value}; "
            f"look them up in smaller ones, or choose parameters of more bits",
            found=x.max_value,
            needed=self.max_value,
        )
    other: Any = x._engine
    key = other._packing_key(operation, x._native.secret_id, self._keys)
    keys = self._key(operation, key.target_id)
    table = np.arange(x.max_value + 1) if lut is None else table_of(self, operation, x, lut)
    space = self._context.set.space
    # Integers of fewer bits are further apart.
    bits = min(other.message_bits or 1, space.bit_length() - 1)
    std_dev, failure = other._context.packed_claims(key, x._native, bits)
    tables, error = _rounds(self, operation, table, bits, std_dev)
    context = self._context.ckks
    with self._reporting(operation) as report:
        target = context, keys.all, (bits, space), LEVEL
        (native,) = other._context.give_to_bulk(key, x._native, target, [tables[0]], report)
        for entries in tables[1:]:
            ((native,),) = context.look_up([(native, [entries])], (space, LEVEL), keys.all, report)
    before = math.ceil(failure * 2.0**-self.max_log2_p_fail)
    return Ciphertext(
        self, native, x.shape, max_value=int(table.max()), error=error, bootstrap_count=before + len(tables)
    )


def _rounds(
    self: Core, operation: str, table: NDArray[np.int64], bits: int, std_dev: float
) -> tuple[list[list[int]], float]:
    """Return the tables of bootstraps one after another, of which the last is `table`, and the error after all.

    The first one is of integers of so many bits on the torus, of errors of a standard deviation; others are of the
    engine's. Those before the last are the identity, which takes larger errors than tables do that set neighbours far
    apart.
    """
    context, space = self._context.ckks, self._context.set.space
    _, limit = context.integer_errors(space, LEVEL, False)
    identity = np.arange(table.size)

    def sized(entries: NDArray[np.int64], size: int) -> list[int]:
        found: list[int] = np.pad(entries, (0, size - entries.size), "edge").tolist()
        return found

    def first(entries: NDArray[np.int64]) -> float:
        return context.error_after_torus((2**bits, space), LEVEL, sized(entries, 2**bits), std_dev)

    if (error := first(table)) <= limit:
        return [sized(table, 2**bits)], error
    tables, before = [sized(identity, 2**bits)], first(identity)
    while (error := context.error_after(space, LEVEL, sized(table, space), (before, before))) > limit:
        tables.append(sized(identity, space))
        cleaned = context.error_after(space, LEVEL, tables[-1], (before, before))
        if not cleaned < before:
            raise NoiseError(
                f"{operation}: errors may be as large as {before:.3g} of the distance between integers, and "
                f"{limit:.3g} at most holds; bootstrap the ciphertext first, or choose a set of TFHE of more bits"
            )
        before = cleaned
    return [*tables, sized(table, space)], error
