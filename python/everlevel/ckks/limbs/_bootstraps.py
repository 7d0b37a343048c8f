"""Bootstraps: budgets that come back."""

from __future__ import annotations

from ..._common.storable import own
from . import _operands
from ._core import Core
from .ciphertext import Ciphertext
from .keys import BootstrapKey


def bootstrap(
    self: Core,
    ciphertext: Ciphertext,
    bootstrap_key: BootstrapKey | None = None,
    *,
    progress: bool | None = None,
) -> Ciphertext:
    """Give a ciphertext a large budget again: 297 bits with ``"n16"``, whatever its own is.

    Parameters
    ----------
    ciphertext : Ciphertext
        Values of whatever `bound`. A budget of 12 bits is enough for a bound of 1, and each doubling of the bound takes
        one more, and gives one more back.
    bootstrap_key : BootstrapKey, optional
        The engine's for the ciphertext's secret, if left out.
    progress : bool, optional
        Whether a bar is shown; as the engine says, if left out.

    Returns
    -------
    Ciphertext
        The same values. `Ciphertext.precision_bits` tells their errors, which grow with the bound: about 21 bits below
        it for vectors whose coefficients are as uneven as can be, such as constant ones, and more for others.

    Raises
    ------
    MissingKeyError
        If no key is given, and the engine knows none for the ciphertext's secret.
    NoiseError
        If the ciphertext's budget is too small.
    OutOfMemoryError
        If there is too little memory; `estimate_memory` tells how much is needed.
    EngineMismatchError, KeyMismatchError
        If ciphertext and key don't belong together.

    References
    ----------
    Cheon, Han, Kim, Kim, Song, "Bootstrapping for Approximate Homomorphic Encryption", eprint 2018/153; sparse secrets
    by Bossuat, Troncoso-Pastoriza, Hubaux, eprint 2022/024.

    Examples
    --------
    >>> from everlevel.ckks import limbs
    >>> engine = limbs.Engine("n16", insecure_log_n=8)
    >>> secret_key = engine.create_secret_key()
    >>> bootstrap_key = engine.create_bootstrap_key(secret_key)
    >>> x = engine.lower(engine.encrypt([0.5, -0.25], secret_key), 12)
    >>> y = engine.bootstrap(x)
    >>> y.budget_bits
    297
    >>> engine.decrypt(y, secret_key).round(4)
    array([ 0.5 , -0.25])
    """
    operation = "bootstrap"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    if bootstrap_key is None:
        key = self._bootstrap_key(operation, x._native.secret_id)
    else:
        key = own(self, operation, "bootstrap_key", bootstrap_key, BootstrapKey)._native
    with self._reporting("bootstrap", progress) as report:
        return Ciphertext(self, self._context.bootstrap(x._native, key, report), is_real=x.is_real, layout=x._layout)
