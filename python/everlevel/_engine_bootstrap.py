"""Bootstrapping."""

from __future__ import annotations

from . import _checks
from ._engine_keys import KeysMixin
from .ciphertext import Ciphertext
from .keys import BootstrapKey, ConjugationKey, RelinearizationKey


class BootstrapMixin(KeysMixin):
    """Raising the level of a ciphertext."""

    def bootstrap(
        self,
        ciphertext: Ciphertext,
        relinearization_key: RelinearizationKey,
        conjugation_key: ConjugationKey,
        bootstrap_key: BootstrapKey,
        *,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Raise a ciphertext's level, so that computation can go on.

        Parameters
        ----------
        ciphertext : Ciphertext
            At any level, of two polynomials. Its values, real and imaginary parts alike, must lie in [-1, 1]:
            whether they do can't be seen here, and beyond it the result is wrong.
        relinearization_key, conjugation_key, bootstrap_key
            Keys of the ciphertext's secret.
        progress : bool, optional
            Whether a bar is shown; as the engine says, if left out.

        Returns
        -------
        Ciphertext
            With the same values, up to the bootstrap's error.

        Raises
        ------
        OperandTypeError
            If a key is of the wrong kind.
        KeyMismatchError
            If a key is one of another secret.
        EngineMismatchError
            If a key is one of other parameters.
        ParameterError
            If the engine was made without ``use_bootstrap=True``.

        References
        ----------
        Cheon, Han, Kim, Kim, Song, "Bootstrapping for approximate homomorphic encryption", eprint 2018/153;
        Bossuat, Troncoso-Pastoriza, Hubaux, "Bootstrapping for approximate homomorphic encryption with negligible
        failure-probability by using sparse-secret encapsulation", eprint 2022/024.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> keys = deep.create_relinearization_key(secret), deep.create_conjugation_key(secret)
        >>> exhausted = deep.encrypt([-1, 0, 1], secret, level=0)
        >>> refreshed = deep.bootstrap(exhausted, *keys, deep.create_bootstrap_key(secret, stage_count=3))
        >>> refreshed.level > 0
        True
        >>> bool(np.abs(deep.decrypt(refreshed, secret)[:3] - [-1, 0, 1]).max() < 1e-3)
        True
        """
        self._require_bootstrap("bootstrap")
        ciphertext = self._relinearized("bootstrap", ciphertext)
        relinearization = _checks.instance("bootstrap", "relinearization_key", relinearization_key, RelinearizationKey)
        conjugation = _checks.instance("bootstrap", "conjugation_key", conjugation_key, ConjugationKey)
        bootstrap = _checks.instance("bootstrap", "bootstrap_key", bootstrap_key, BootstrapKey)
        self._registry.remember(relinearization)
        self._registry.remember(conjugation)
        with self._reporting("bootstrap", progress) as report:
            native = self._context.bootstrap(
                ciphertext._native, relinearization._native, conjugation._native, bootstrap._native, report
            )
        return self._wrap(native, is_real=ciphertext.is_real)
