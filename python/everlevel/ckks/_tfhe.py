"""Ciphertexts of TFHE as real numbers of CKKS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from .._common import checks, slot_shapes
from ..errors import MessageError, NoiseError, TableError
from . import _checks
from ._bootstrap_keys import choose_of_secret, require_bootstrap
from ._core import Core
from .ciphertext import Ciphertext

if TYPE_CHECKING:
    from .. import tfhe

_MOST_DEVIATION: Final = 2.0**-6
"""Largest standard deviation of TFHE's errors, in units of the distance between integers: a 32nd of half of that."""


def from_tfhe(self: Core, ciphertext: tfhe.Ciphertext, *, lut: Any = None) -> Ciphertext:
    """Take bits or integers of TFHE as real numbers, from a table of them.

    Elements are packed into slots, by the key of `everlevel.tfhe.Engine.create_packing_key`, and a bootstrap gives each
    the number that the table has for it, with an error that the result's claims have. Levels left: `max_level` less 2
    for bits, and 1 more for each bit of integers after the first.

    Parameters
    ----------
    ciphertext : everlevel.tfhe.Ciphertext
        An array of any shape but (), of as many elements as there are slots; or of one axis and any length.
    lut : callable or array_like of float, optional
        Numbers from -1 to 1: a function, called with every value that an element may have; or the table, with one for
        each integer of the parameters of `ciphertext`. If left out, integers `m` of b bits become ``2 * m / (2**b - 1)
        - 1``, which `everlevel.tfhe.Engine.from_ckks` takes back, and bits -1 and 1.

    Returns
    -------
    Ciphertext
        Real, of the same shape, within 1. Slots behind the elements hold any number from -1 to 1.

    Raises
    ------
    MissingKeyError
        If the engine of `ciphertext` has no packing key from its secret to one of this engine's, or this engine no keys
        of a lossy bootstrap.
    ParameterError
        If this engine's parameters have no bootstrap.
    TableError
        If the table has another length, or numbers beyond 1.
    NoiseError
        If the elements' errors are too large, as those of long sums may be: bootstrap them first.
    MessageError
        If there are no elements, or the shape is ().
    OperandTypeError
        If `ciphertext` is no such array, or `lut` neither a function nor an array of real numbers.

    References
    ----------
    Alexandru, Kim and Polyakov, *General functional bootstrapping using CKKS* (2024/1623), for tables of numbers.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=11)
    >>> secret = deep.create_secret_key()
    >>> keys = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> key = tfhe_engine.create_packing_key(tfhe_secret_key, secret)
    >>> x = tfhe_engine.encrypt([3, 5, 15], tfhe_secret_key)
    >>> y = deep.from_tfhe(x, lut=lambda m: m / 15)
    >>> deep.decrypt(y, secret).round(2)
    array([0.2 , 0.33, 1.  ])
    """
    from ..tfhe import Ciphertext as TfheCiphertext

    operation = "from_tfhe"
    x = checks.instance(operation, "ciphertext", ciphertext, TfheCiphertext)
    require_bootstrap(self._context, operation)
    if not x.size or x.shape == () or (x.size > self.slot_count and x.ndim > 1):
        raise MessageError(
            f"{operation}: the array has the shape {x.shape}, and one of 1 to {self.slot_count} elements, or of one "
            f"axis, is needed; reshape it",
            length=x.size,
            slot_count=self.slot_count,
        )
    other: Any = x._engine
    bits = other.message_bits or 1
    numbers = _numbers(operation, lut, x.max_value, bits)
    key = other._packing_key(operation, x._native.secret_id, self._registry.secrets)
    keys = choose_of_secret(self, operation, key.target_id, [])
    std_dev, _ = other._context.packed_claims(key, x._native, bits)
    if std_dev > _MOST_DEVIATION:
        raise NoiseError(
            f"{operation}: the standard deviation of errors may be {std_dev:.3g} of the distance between integers, and "
            f"{_MOST_DEVIATION:.3g} at most is accepted; bootstrap the ciphertext first"
        )
    # What no element is becomes the nearest one's.
    table = np.pad(numbers, (0, 2**bits - numbers.size), "edge").tolist()
    with self._reporting(operation) as report:
        native = other._context.give_to_ckks(key, x._native, (self._context, keys, bits), table, report)
    layout = slot_shapes.of_message(operation, x.shape, self.slot_count, False)
    if layout.shape is not None:
        layout = slot_shapes.layout(layout.shape, self.slot_count, is_clean=False)
    return self._wrap(native, is_real=True, layout=layout)


def _numbers(operation: str, lut: Any, max_value: int, bits: int) -> NDArray[np.float64]:
    """Return the numbers of a table for the values that an element may have."""
    values = np.arange(max_value + 1)
    if lut is None:
        return np.asarray(2.0 * values / (2**bits - 1) - 1, np.float64)
    given = [lut(int(m)) for m in values] if callable(lut) else lut
    found = np.asarray(_checks.numbers(operation, given))
    needed = (max_value + 1,) if callable(lut) else (2**bits,)
    if found.shape != needed:
        raise TableError(
            f"{operation}: the table has the shape {found.shape}, and {needed} is needed",
            found=found.shape,
            needed=needed,
        )
    found = found[: max_value + 1]
    if np.iscomplexobj(found) or not (np.abs(found) <= 1).all():
        raise TableError(
            f"{operation}: the table has entries that are no real numbers from -1 to 1; divide them, and multiply the "
            f"result",
            found=str(found),
            needed="-1 to 1",
        )
    return np.asarray(found, np.float64)
