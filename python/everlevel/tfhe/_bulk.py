"""Ciphertexts of bulk and of CKKS as those of TFHE, and the keys of both ways."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .._common import checks, slot_shapes
from ..errors import OperandTypeError, TableError
from . import _checks, _operands
from ._core import Core
from .ciphertext import Ciphertext
from .keys import PackingKey, RingSwitchKey, SecretKey

if TYPE_CHECKING:
    import everlevel

    from .. import bulk


def create_ring_switch_key(
    self: Core, from_secret_key: bulk.SecretKey | everlevel.SecretKey, secret_key: SecretKey
) -> RingSwitchKey:
    """Make the key of `from_bulk` or of `from_ckks`, from such a secret to one of this engine.

    The engine remembers the first from every secret. The key encrypts that secret under this one, with the parameters'
    errors: whoever finds this secret finds both.
    ``docs/notes/ways.md`` has what the security rests on.

    Parameters
    ----------
    from_secret_key : everlevel.bulk.SecretKey or everlevel.SecretKey
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
    operation = "create_ring_switch_key"
    context, source = _other_secret(operation, "from_secret_key", from_secret_key)
    secret = _operands.secret_key(self, operation, secret_key)
    return remembered(self, self._context.ring_switch_key(context, source, secret._native))


def _other_secret(operation: str, name: str, key: Any) -> tuple[_native.Context, _native.SecretKey]:
    """Return the native context and the secret of bulk's key or of CKKS'."""
    from ..bulk import SecretKey as BulkSecretKey
    from ..ckks.keys import SecretKey as CkksSecretKey

    if isinstance(key, CkksSecretKey):
        return key._context, key._native
    bulk_key: Any = checks.instance(operation, name, key, BulkSecretKey)
    return bulk_key._engine._context.ckks, bulk_key._native


def create_packing_key(
    self: Core, secret_key: SecretKey, to_secret_key: bulk.SecretKey | everlevel.SecretKey
) -> PackingKey:
    """Make the key of bulk's `from_tfhe`, from a secret of this engine to such a secret.

    The engine remembers the first from every secret to every other. The key encrypts this secret under the other one
    and under itself: whoever finds the other secret finds both. ``docs/notes/ways.md`` has what the security rests on.

    Parameters
    ----------
    secret_key : SecretKey
        Secret of the ciphertexts that are taken.
    to_secret_key : everlevel.bulk.SecretKey or everlevel.SecretKey
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
    >>> tfhe_engine.create_packing_key(tfhe_secret_key, bulk_secret_key)
    PackingKey(integer-4-64, ... kB)
    """
    operation = "create_packing_key"
    secret = _operands.secret_key(self, operation, secret_key)
    context, target = _other_secret(operation, "to_secret_key", to_secret_key)
    return remembered_packing(self, self._context.packing_key(secret._native, context, target))


def remembered_packing(self: Core, native: _native.TfhePackingKey) -> PackingKey:
    """Return the key, which the engine remembers if it is the first one from its secret to the other."""
    with self._lock:
        self._packing_keys.setdefault((native.secret_id, native.target_id), native)
    return PackingKey(self, native)


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
    key = _ring_switch_key(self, operation, x._native.secret_id)
    integers = leaving(operation, x)
    with self._reporting(operation) as report:
        native = self._context.take_from_bulk(key, integers, places.ravel(), report)
    return Ciphertext(self, native, places.shape)


def from_ckks(self: Core, ciphertext: everlevel.Ciphertext, *, lut: Any = None, index: Any = None) -> Ciphertext:
    """Round real numbers of CKKS to integers of this engine, and look these up, by a bootstrap for each.

    With integers of b bits, a number x of -1 to 1 becomes the integer nearest to ``(x + 1) / 2 * (2**b - 1)``; for
    gates, the truth value of ``x > 0``. Numbers **near a threshold**, halfway between two integers or around zero,
    may become either neighbour: what is looked up is right for one of the two, and no claim of exactness is made there.
    The closer a number is to an integer, the surer is the result: at one, it is wrong with the probability of a
    bootstrap. `rounding_failure` tells the probability for a distance from thresholds.

    Parameters
    ----------
    ciphertext : everlevel.Ciphertext
        Real, of two polynomials and of a declared bound of at most 1, at a level from the stage count of its
        bootstrap key, three, on. Its engine knows a lossy bootstrap key.
    lut : callable or array_like of int, optional
        Table of the integers; these themselves, if left out. None for gates.
    index : index of NumPy's arrays, optional
        Elements that are wanted, as in ``x[index]``; all, if left out.

    Returns
    -------
    Ciphertext
        Of the shape of ``x[index]``, with the noise of a bootstrap's output.

    Raises
    ------
    MissingKeyError
        If this engine lacks a ring switch key or an evaluation key, or the other one keys of a bootstrap.
    LevelError
        If the level is too low.
    RangeError
        If the bound is above 1.
    NoiseError
        If the numbers' errors are too large beside the distance of two integers.
    TableError
        If the table has another length, or entries outside of the space; with parameters for gates, if there is one.
    OperandTypeError
        If `ciphertext` is none of real numbers, or the index none of such an array.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> keys = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> key = tfhe_engine.create_ring_switch_key(secret, tfhe_secret_key)
    >>> x = deep.encrypt([-1, -0.2, 0.6, 1], secret, level=3, bound=1)
    >>> tfhe_engine.decrypt(tfhe_engine.from_ckks(x), tfhe_secret_key)
    array([ 0,  6, 12, 15], dtype=uint8)
    >>> tfhe_engine.decrypt(tfhe_engine.from_ckks(x, lut=lambda m: m > 7), tfhe_secret_key)
    array([0, 0, 1, 1], dtype=uint8)
    """
    operation = "from_ckks"
    x = _real(operation, ciphertext)
    bits = self.message_bits
    table = None
    if bits is not None:
        table = _checks.table(operation, (lambda m: m) if lut is None else lut, [2**bits], self.max_value)
    elif lut is not None:
        raise TableError(f"{operation}: parameters for gates have no tables; leave `lut` out", found=lut, needed=None)
    ring_switch_key, numbers = _numbers(self, operation, x)
    every = x._layout.values(np.arange(x.unit_count * x.slot_count, dtype=np.uint64))
    places = every if index is None else np.asarray(slot_shapes.called(operation, lambda: every[index]))
    key = self._key(operation, ring_switch_key.secret_id)
    with self._reporting(operation) as report:
        native = self._context.take_from_ckks(ring_switch_key, numbers, places.ravel(), None)
        if table is None:
            return Ciphertext(self, self._context.signs(key, native, report), places.shape)
        (found,) = self._context.tables(key, native, [table.tolist()], False, report)
        return Ciphertext(self, found, places.shape)


def rounding_failure(self: Core, ciphertext: everlevel.Ciphertext, distance: float) -> float:
    """Bound the probability that `from_ckks` takes a number for one on the other side of a threshold.

    Thresholds are halfway between the numbers of two integers, and 0 for gates. A number that is nearer to one than
    claimed errors may become either neighbour, and the bound is 1.

    Parameters
    ----------
    ciphertext : everlevel.Ciphertext
        As for `from_ckks`.
    distance : float
        From the number to the nearest threshold, in units of the numbers: integers of b bits are ``2 / (2**b - 1)``
        apart.

    Returns
    -------
    float
        For each number. Results have the `failure_probability` of numbers at integers.

    Raises
    ------
    ParameterError
        If the distance is below 0, or not finite.
    MissingKeyError, OperandTypeError
        As in `from_ckks`.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> keys = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> key = tfhe_engine.create_ring_switch_key(secret, tfhe_secret_key)
    >>> x = deep.encrypt([-1, -0.2, 0.6, 1], secret, level=3, bound=1)
    >>> tfhe_engine.rounding_failure(x, 0.05) < 2**-30, tfhe_engine.rounding_failure(x, 0.0)
    (True, 1.0)
    """
    operation = "rounding_failure"
    x = _real(operation, ciphertext)
    apart = checks.number(distance)
    if not 0 <= apart < math.inf:
        raise checks.refusal(operation, "distance", distance, "a finite number from 0 on is needed", "0 to 2")
    key, numbers = _numbers(self, operation, x)
    return self._context.misrounding(key, numbers, apart * (2 ** numbers[3] - 1) / 2)


def _real(operation: str, ciphertext: everlevel.Ciphertext) -> everlevel.Ciphertext:
    """Check that a ciphertext is one of real numbers and two polynomials."""
    from ..ckks import _operands as ckks_operands

    x = ckks_operands.relinearized(operation, ciphertext)
    if not x.is_real:
        raise OperandTypeError(
            f"{operation}: the ciphertext is complex, and real numbers are needed; take its real part",
            argument="ciphertext",
            expected="real",
            actual="complex",
        )
    return x


def _numbers(
    self: Core, operation: str, x: everlevel.Ciphertext
) -> tuple[_native.TfheRingSwitchKey, tuple[_native.Context, _native.Ciphertext, Any, int]]:
    """Return the key from a ciphertext's secret, and what goes: context, ciphertext, keys, and bits of integers."""
    from ..ckks._bootstrap_keys import choose, require_bootstrap

    other: Any = x._engine
    require_bootstrap(other._context, operation)
    key = _ring_switch_key(self, operation, x._native.secret_id)
    return key, (other._context, x._native, choose(other, operation, x, []), self.message_bits or 1)


def _ring_switch_key(self: Core, operation: str, secret_id: int) -> _native.TfheRingSwitchKey:
    """Return the key from a secret."""
    key = self._ring_switch_keys.get(secret_id)
    if key is None:
        raise checks.missing_key(operation, "ring switch key", "from_secret_key, secret_key")
    return key
