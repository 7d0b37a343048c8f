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
            At any level (all are brought to 0 first), of two polynomials, with values of size up to about 1: whether
            they are can't be seen here. The error grows with the cube of the message's largest polynomial coefficient
            m, which is the values' mean for a constant message and far smaller for a varied one: about 6.3e-6·m³.
            Taking away a known mean before, and adding it after, costs nothing and gains precision.
        relinearization_key, conjugation_key, bootstrap_key
            Keys of the ciphertext's secret.
        progress : bool, optional
            Whether a bar is shown; as the engine says, if left out.

        Returns
        -------
        Ciphertext
            Of the same message up to the bootstrap's error, at level 10, 9 or 8 for stage counts 3, 4 and 5. Its
            `precision_bits` has the error's estimate.

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
