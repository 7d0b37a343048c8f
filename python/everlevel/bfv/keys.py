"""BFV's keys. All are immutable, and safe to share between threads."""

from __future__ import annotations

from .._common import limb_engine

__all__ = ["EvaluationKey", "PublicKey", "SecretKey"]


class SecretKey(limb_engine.SecretKey):
    """The key that encrypts and decrypts. Its memory is overwritten when the last reference goes.

    It is never pickled, copied or printed: a secret that travels, travels on purpose, by `save`.

    Examples
    --------
    >>> key = bfv_engine.create_secret_key()
    >>> bfv_engine.decrypt(bfv_engine.encrypt([3, -4], key), key)
    array([ 3, -4])
    """

    __slots__ = ()


class PublicKey(limb_engine.PublicKey):
    """Encrypts, and can't decrypt. Its ciphertexts have some more noise than those of the secret key: see `repr`.

    Examples
    --------
    >>> key = bfv_engine.create_public_key(bfv_secret_key)
    >>> bfv_engine.decrypt(bfv_engine.encrypt([3, -4], key), bfv_secret_key)
    array([ 3, -4])
    """

    __slots__ = ()


class EvaluationKey(limb_engine.EvaluationKey):
    """Keys for products, and for each rotation that was asked for. They tell nothing of the secret.

    Files hold seeds and bodies, which are smaller than the key in memory and made ready when they are read.

    Examples
    --------
    >>> bfv_engine.create_evaluation_key(bfv_secret_key, rotations=[1])
    EvaluationKey(n13, products, 1 rotation; ... kB)
    """

    __slots__ = ()

    _inversion = "swap of rows"

    @property
    def has_swap_rows(self) -> bool:
        """Whether rows can be swapped, and so all slots be added up.

        Examples
        --------
        >>> bfv_engine.create_evaluation_key(bfv_secret_key, swap_rows=True).has_swap_rows
        True
        """
        return self._native.has_inversion
