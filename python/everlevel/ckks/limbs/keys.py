"""Keys of CKKS over limbs. All are immutable, and safe to share between threads."""

from __future__ import annotations

from ... import _native
from ..._common import limb_engine, set_keys
from ..._common.sizes import format_bytes

__all__ = ["BootstrapKey", "EvaluationKey", "PublicKey", "SecretKey"]


class SecretKey(limb_engine.SecretKey):
    """The key that encrypts and decrypts. Its memory is overwritten when the last reference goes.

    It is never pickled, copied or printed: a secret that travels, travels on purpose, by `save`.

    Examples
    --------
    >>> key = limbs_engine.create_secret_key()
    >>> limbs_engine.decrypt(limbs_engine.encrypt([0.5], key), key).round(3)
    array([0.5])
    """

    __slots__ = ()


class PublicKey(limb_engine.PublicKey):
    """Encrypts, and can't decrypt. Its ciphertexts have some more noise than those of the secret key: see `repr`.

    Examples
    --------
    >>> key = limbs_engine.create_public_key(limbs_secret_key)
    >>> limbs_engine.decrypt(limbs_engine.encrypt([0.5], key), limbs_secret_key).round(3)
    array([0.5])
    """

    __slots__ = ()


class EvaluationKey(limb_engine.EvaluationKey):
    """Keys for products, and for each rotation that was asked for. They tell nothing of the secret.

    One key serves every budget. Files hold seeds and bodies, which are smaller than the key in memory and made ready
    when they are read.

    Examples
    --------
    >>> limbs_engine.create_evaluation_key(limbs_secret_key, rotations=[1])
    EvaluationKey(n14, products, 1 rotation; ... MB)
    """

    __slots__ = ()

    _inversion = "conjugation"

    @property
    def has_conjugation(self) -> bool:
        """Whether there is a key for `Engine.conjugate`.

        Examples
        --------
        >>> limbs_engine.create_evaluation_key(limbs_secret_key, conjugation=True).has_conjugation
        True
        """
        return self._native.has_inversion


class BootstrapKey(set_keys.Key):
    """The keys of bootstraps, products and rotations among them. It tells nothing of the secret.

    Its rotations are for the stages of a bootstrap alone: operators use an `EvaluationKey`.

    Examples
    --------
    >>> from everlevel.ckks import limbs
    >>> engine = limbs.Engine("n16", insecure_log_n=8)
    >>> engine.create_bootstrap_key(engine.create_secret_key())
    BootstrapKey(n16; ... MB)
    """

    __slots__ = ()

    kind = "bootstrap key"

    _native: _native.LimbsBootstrapKey

    @property
    def is_seeded(self) -> bool:
        """Whether the key holds the seeds of its uniform halves, and makes both ready at each use.

        Examples
        --------
        >>> from everlevel.ckks import limbs
        >>> engine = limbs.Engine("n16", insecure_log_n=8, seeded_keys=True)
        >>> engine.create_bootstrap_key(engine.create_secret_key()).is_seeded
        True
        """
        return self._native.is_seeded

    def __repr__(self) -> str:
        size = f"{format_bytes(self.nbytes)}{', seeded' if self.is_seeded else ''}"
        return f"BootstrapKey({self._engine.parameters}; {size})"
