"""Ciphertexts of bulk as those of TFHE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .._common import checks, slot_shapes
from . import _operands
from ._core import Core
from .ciphertext import Ciphertext
from .keys import RingSwitchKey, SecretKey

if TYPE_CHECKING:
    from .. import bulk


def create_ring_switch_key(self: Core, from_secret_key: bulk.SecretKey, secret_key: SecretKey) -> RingSwitchKey:
    """Make the key of `from_bulk` from a secret of bulk to one of this engine. The engine remembers the first of both.

    It encrypts bulk's secret under this one, with the parameters' errors: whoever finds this secret finds bulk's.
    ``docs/notes/ways.md`` has what the security rests on.

    Parameters
    ----------
    from_secret_key : everlevel.bulk.SecretKey
        Secret of the ciphertexts that are taken.
    secret_key : SecretKey
        Secret of the results.

    Raises
    ------
    ParameterError
        If the parameters take none: sets whose errors are too wide, and those below 128 bits whose ciphertexts are
        under the small secret.
    OperandTypeError, EngineMismatchError
        If one is no such key, or `secret_key` one of other parameters.

    Examples
    --------
    >>> tfhe_engine.create_ring_switch_key(bulk_secret_key, tfhe_secret_key)
    RingSwitchKey(integer-4-64, ... kB)
    """
    from ..bulk import SecretKey as BulkSecretKey

    operation = "create_ring_switch_key"
    source = checks.instance(operation, "from_secret_key", from_secret_key, BulkSecretKey)
    secret = _operands.secret_key(self, operation, secret_key)
    context = source._engine._context.ckks
    return remembered(self, self._context.ring_switch_key(context, source._native, secret._native))


def remembered(self: Core, native: _native.TfheRingSwitchKey) -> RingSwitchKey:
    """Return the key, which the engine remembers if it is the first one from its secret of bulk."""
    with self._lock:
        self._ring_switch_keys.setdefault(native.source_id, native)
    return RingSwitchKey(self, native)


def from_bulk(self: Core, ciphertext: bulk.Ciphertext, *, index: Any = None) -> Ciphertext:
    """Take an array of bulk, or some of its elements, as an array of this engine, exactly and without a bootstrap.

    Elements leave the slots that they were looked up in by the ten thousand, and are indexed, compared and combined
    here one by one. It takes bulk's evaluation key, of ``ciphertext``'s engine, and the key of
    `create_ring_switch_key`; the noise is that of a bootstrap's output or less. Bits for gates come of bits for gates,
    and of integers of at most 1; integers of integers of as many bits, or of more with a `max_value` that fits.

    Parameters
    ----------
    ciphertext : everlevel.bulk.Ciphertext
        Bits or integers.
    index : index of NumPy's arrays, optional
        Elements that are wanted, as in ``x[index]``; all, if left out. An element takes as much memory as any
        ciphertext of this engine.

    Returns
    -------
    Ciphertext
        Of the shape of ``x[index]``. Its `failure_probability` has that of `ciphertext` in it.

    Raises
    ------
    MissingKeyError
        If this engine knows no ring switch key from the ciphertext's secret, or its own engine no evaluation key.
    SpaceError
        If elements may be larger than this engine's integers, or there are more bits in these than in bulk's.
    NoiseError
        If the elements' errors leave no room: look them up first.
    OperandTypeError
        If `ciphertext` is no array of bulk, or the index none of such an array.

    References
    ----------
    Gentry, Halevi, Peikert and Smart, *Ring switching in BGV-style homomorphic encryption* (2012/240).

    Examples
    --------
    >>> key = tfhe_engine.create_ring_switch_key(bulk_secret_key, tfhe_secret_key)
    >>> x = bulk_engine.encrypt([[3, 1], [4, 1]], bulk_secret_key, max_value=7)
    >>> y = tfhe_engine.from_bulk(x)
    >>> tfhe_engine.decrypt(y[0] + y[1], tfhe_secret_key)
    array([7, 2], dtype=uint8)
    >>> tfhe_engine.decrypt(tfhe_engine.from_bulk(x, index=(1, 0)), tfhe_secret_key)
    array(4, dtype=uint8)
    """
    from ..bulk import Ciphertext as BulkCiphertext
    from ..bulk._operands import leaving

    operation = "from_bulk"
    x = checks.instance(operation, "ciphertext", ciphertext, BulkCiphertext)
    every = np.arange(x.size, dtype=np.uint64).reshape(x.shape)
    places = every if index is None else np.asarray(slot_shapes.called(operation, lambda: every[index]))
    key = self._ring_switch_keys.get(x._native.secret_id)
    if key is None:
        raise checks.missing_key(operation, "ring switch key", "from_secret_key, secret_key")
    integers = leaving(operation, x)
    with self._reporting(operation) as report:
        native = self._context.take_from_bulk(key, integers, places.ravel(), report)
    return Ciphertext(self, native, places.shape)
