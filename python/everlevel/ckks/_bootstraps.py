"""Bootstrapping."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from .. import _native
from .._auto import deepened
from .._common import checks as _checks
from .._common import progress as _progress
from ..errors import LevelWarning, OperandTypeError, ParameterError
from . import _options
from ._key_generation import KeysMixin
from ._options import DEFAULT_STAGE_COUNT
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import (
    BootstrapKey,
    ConjugationKey,
    LossyBootstrapKey,
    RelinearizationKey,
    RotationKey,
    SmallBootstrapKey,
)

_NativeRotations = _native.BootstrapKey | tuple[_native.RotationKey, _native.SmallBootstrapKey, int]
_NativeKeys = tuple[_native.RelinearizationKey, _native.ConjugationKey, _NativeRotations]


class BootstrapMixin(KeysMixin):
    """Raising the level of a ciphertext."""

    def bootstrap(
        self,
        ciphertext: Ciphertext,
        relinearization_key: RelinearizationKey | EvaluationKey | None = None,
        conjugation_key: ConjugationKey | EvaluationKey | None = None,
        bootstrap_key: BootstrapKey | RotationKey | SmallBootstrapKey | EvaluationKey | None = None,
        small_bootstrap_key: SmallBootstrapKey | EvaluationKey | None = None,
        stage_count: int | None = None,
        *,
        rotation_key: RotationKey | EvaluationKey | None = None,
        precision: Literal["standard", "high"] = "standard",
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
            Keys of the ciphertext's secret. A `LossyBootstrapKey` is a bootstrap key too. An `EvaluationKey` in the
            place of the first is enough; keys that are left out are those that the engine uses (`use`).
        rotation_key, small_bootstrap_key
            Two keys in place of `bootstrap_key`, by position or by name: a third of the memory, 1.4 times the time.
        stage_count : int, optional
            With a small bootstrap key, the stages of SlotsToCoeffs, and so the levels that it takes: 3, 4 or 5 at full
            slots, 3 if left out. Other bootstrap keys have theirs from when they were made.
        precision : {"standard", "high"}, default "standard"
            ``"high"`` bootstraps what a first bootstrap left out as well: errors 2^14 times smaller, down to what the
            engine's scales hold, for twice the time and one level more. For engines made with ``precision="high"``.
        progress : bool, optional
            Whether a bar is shown; as the engine says, if left out.

        Returns
        -------
        Ciphertext
            Of the same message up to the bootstrap's error, at level `max_level` - `stage_count`: 10, 9 or 8 for stage
            counts 3, 4 and 5, or 14 or 17 with ``use_bootstrap_to_14_levels`` or ``use_bootstrap_to_17_levels``. Its
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
            If the engine was made without ``use_bootstrap=True``, or the stage count doesn't go with the slots or with
            the key.

        References
        ----------
        Cheon, Han, Kim, Kim, Song, "Bootstrapping for approximate homomorphic encryption", eprint 2018/153;
        Bossuat, Troncoso-Pastoriza, Hubaux, "Bootstrapping for approximate homomorphic encryption with negligible
        failure-probability by using sparse-secret encapsulation", eprint 2022/024; Bae, Cheon, Cho, Kim, Kim,
        "META-BTS: Bootstrapping precision beyond the limit", eprint 2022/1167 (high precision).

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
        rotations = bootstrap_key, small_bootstrap_key, stage_count, rotation_key
        keys = self._bootstrap_keys("bootstrap", ciphertext, relinearization_key, conjugation_key, rotations)
        precise = self._is_precise("bootstrap", precision)
        with self._bootstrapping("bootstrap", progress) as report:
            native = self._context.bootstrap(ciphertext._native, keys, precise, report)
        return self._wrap(native, is_real=ciphertext.is_real)

    def lossy_bootstrap(
        self,
        ciphertext: Ciphertext,
        relinearization_key: RelinearizationKey | EvaluationKey | None = None,
        conjugation_key: ConjugationKey | EvaluationKey | None = None,
        lossy_bootstrap_key: LossyBootstrapKey | RotationKey | SmallBootstrapKey | EvaluationKey | None = None,
        small_bootstrap_key: SmallBootstrapKey | EvaluationKey | None = None,
        stage_count: int | None = None,
        *,
        rotation_key: RotationKey | EvaluationKey | None = None,
        real_only: bool | None = None,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Raise a ciphertext's level to the highest, at a lower precision for varied messages.

        The transform to coefficients comes first, on the lowest levels, so that the others are all left at the end.
        The sine's error is then that of the values themselves, whereas the regular order spreads it over coefficients.

        Levels: from `stage_count` or higher, to `max_level` (13, 17 or 20). Below `stage_count` it is a regular
        bootstrap with the same keys, to `max_level` - `stage_count`, and a `LevelWarning` says so.

        Cost: a regular bootstrap's, less what its last transform costs on higher levels; for real values, half of
        EvalMod less. Between two bootstraps of either order there are 13 - `stage_count` levels: choose this one where
        time is short, above all for real values, and 15 bits of precision do.

        Parameters
        ----------
        ciphertext : Ciphertext
            Of two polynomials, with values of size up to about 1: a real or imaginary part m comes out with an error
            of 6.3e-6·m³ (2^-17.3 at the ends of [-1, 1]), and noise. The result's `precision_bits` has the noise alone.
        relinearization_key, conjugation_key, lossy_bootstrap_key
            Keys of the ciphertext's secret, or an `EvaluationKey`, as in `bootstrap`.
        rotation_key, small_bootstrap_key, stage_count
            In place of `lossy_bootstrap_key`, as in `bootstrap`.
        real_only : bool, optional
            Whether the real parts are all that is kept; if left out, whether the ciphertext `is_real`. True drops the
            imaginary parts of a complex ciphertext, and False keeps those of a real one, which are noise.
        progress : bool, optional
            Whether a bar is shown; as the engine says, if left out.

        Returns
        -------
        Ciphertext

        Raises
        ------
        KeyMismatchError
            If the bootstrap key isn't a lossy one, or a key is one of another secret.
        OperandTypeError, EngineMismatchError, ParameterError
            As in `bootstrap`.

        Warns
        -----
        LevelWarning
            If the ciphertext's level is below `stage_count`.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> keys = deep.create_relinearization_key(secret), deep.create_conjugation_key(secret)
        >>> x = deep.encrypt([-1, 0.5, 1], secret, level=3)
        >>> refreshed = deep.lossy_bootstrap(x, *keys, deep.create_lossy_bootstrap_key(secret, stage_count=3))
        >>> refreshed.level
        13
        >>> bool(np.abs(deep.decrypt(refreshed, secret)[:3] - [-1, 0.5, 1]).max() < 2**-15)
        True
        """
        operation = "lossy_bootstrap"
        self._require_bootstrap(operation)
        ciphertext = self._relinearized(operation, ciphertext)
        rotations = lossy_bootstrap_key, small_bootstrap_key, stage_count, rotation_key
        keys = self._bootstrap_keys(operation, ciphertext, relinearization_key, conjugation_key, rotations)
        real = ciphertext.is_real if real_only is None else bool(real_only)
        self._warn_of_regular_order(operation, ciphertext.level, keys)
        with self._bootstrapping("lossy bootstrap", progress) as report:
            native = self._context.lossy_bootstrap(ciphertext._native, keys, real, report)
        return self._wrap(native, is_real=real or ciphertext.is_real)

    @deepened
    def sign_bootstrap(
        self,
        ciphertext: Ciphertext,
        relinearization_key: RelinearizationKey | EvaluationKey | None = None,
        conjugation_key: ConjugationKey | EvaluationKey | None = None,
        lossy_bootstrap_key: LossyBootstrapKey | RotationKey | SmallBootstrapKey | EvaluationKey | None = None,
        small_bootstrap_key: SmallBootstrapKey | EvaluationKey | None = None,
        stage_count: int | None = None,
        *,
        rotation_key: RotationKey | EvaluationKey | None = None,
        real_only: bool | None = None,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Raise the level of values ±1 to the highest, and clean them.

        Every part m comes out as sin(π·m/2): ±1 are its extrema, so that an error δ of the input leaves 1.24·δ². It is
        for the results of comparisons, and for bits. Zero stays zero; other values don't stay what they are.

        Levels: from `stage_count` or higher, to `max_level` (13, 17 or 20).

        Cost: that of `lossy_bootstrap`. Precision: about 3e-10 (2^-31) on average for clean ±1.

        Parameters
        ----------
        ciphertext : Ciphertext
            Of two polynomials, with real parts (and imaginary ones, if it has any) of -1, 0 or 1, nearly.
        relinearization_key, conjugation_key, lossy_bootstrap_key, real_only, progress
            As in `lossy_bootstrap`.
        rotation_key, small_bootstrap_key, stage_count
            In place of `lossy_bootstrap_key`, as in `bootstrap`.

        Returns
        -------
        Ciphertext

        Raises
        ------
        LevelError
            If the ciphertext's level is below `stage_count`: no other order does this.
        KeyMismatchError, OperandTypeError, EngineMismatchError, ParameterError
            As in `lossy_bootstrap`.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> keys = deep.create_relinearization_key(secret), deep.create_conjugation_key(secret)
        >>> x = deep.encrypt([-1.001, 0.999], secret, level=3)
        >>> refreshed = deep.sign_bootstrap(x, *keys, deep.create_lossy_bootstrap_key(secret, stage_count=3))
        >>> refreshed.level
        13
        >>> bool(np.abs(deep.decrypt(refreshed, secret)[:2] - [-1, 1]).max() < 1.3e-6)
        True
        """
        operation = "sign_bootstrap"
        self._require_bootstrap(operation)
        ciphertext = self._relinearized(operation, ciphertext)
        rotations = lossy_bootstrap_key, small_bootstrap_key, stage_count, rotation_key
        keys = self._bootstrap_keys(operation, ciphertext, relinearization_key, conjugation_key, rotations)
        real = ciphertext.is_real if real_only is None else bool(real_only)
        with self._bootstrapping("sign bootstrap", progress) as report:
            native = self._context.sign_bootstrap(ciphertext._native, keys, real, report)
        return self._wrap(native, is_real=real or ciphertext.is_real)

    def merge_bootstrap(
        self,
        ciphertext1: Ciphertext,
        ciphertext2: Ciphertext,
        relinearization_key: RelinearizationKey | EvaluationKey | None = None,
        conjugation_key: ConjugationKey | EvaluationKey | None = None,
        bootstrap_key: BootstrapKey | RotationKey | SmallBootstrapKey | EvaluationKey | None = None,
        small_bootstrap_key: SmallBootstrapKey | EvaluationKey | None = None,
        stage_count: int | None = None,
        *,
        rotation_key: RotationKey | EvaluationKey | None = None,
        progress: bool | None = None,
    ) -> tuple[Ciphertext, Ciphertext]:
        """Bootstrap two real ciphertexts in one regular bootstrap, as real and imaginary parts.

        Levels and precision: as of `bootstrap`. Cost: one bootstrap and a conjugation, for two ciphertexts.

        Parameters
        ----------
        ciphertext1, ciphertext2 : Ciphertext
            Of two polynomials each, both real (`is_real`), and of one secret; their levels may differ.
        relinearization_key, conjugation_key, bootstrap_key, rotation_key, small_bootstrap_key, stage_count, progress
            As in `bootstrap`.

        Returns
        -------
        tuple of two Ciphertexts

        Raises
        ------
        OperandTypeError
            If a ciphertext is complex, or a key is of the wrong kind.
        KeyMismatchError
            If the ciphertexts, or a key, are of different secrets.
        EngineMismatchError, ParameterError
            As in `bootstrap`.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> keys = deep.create_relinearization_key(secret), deep.create_conjugation_key(secret)
        >>> x, y = deep.encrypt([0.25], secret, level=0), deep.encrypt([-0.5], secret, level=0)
        >>> x, y = deep.merge_bootstrap(x, y, *keys, deep.create_bootstrap_key(secret))
        >>> x.level, y.level
        (10, 10)
        >>> deep.decrypt(y, secret)[:1].round(3)
        array([-0.5])
        """
        operation = "merge_bootstrap"
        pair = self._real_pair(operation, ciphertext1, ciphertext2)
        rotations = bootstrap_key, small_bootstrap_key, stage_count, rotation_key
        keys = self._bootstrap_keys(operation, pair[0], relinearization_key, conjugation_key, rotations)
        return self._merged("regular", pair, keys, progress)

    def lossy_merge_bootstrap(
        self,
        ciphertext1: Ciphertext,
        ciphertext2: Ciphertext,
        relinearization_key: RelinearizationKey | EvaluationKey | None = None,
        conjugation_key: ConjugationKey | EvaluationKey | None = None,
        lossy_bootstrap_key: LossyBootstrapKey | RotationKey | SmallBootstrapKey | EvaluationKey | None = None,
        small_bootstrap_key: SmallBootstrapKey | EvaluationKey | None = None,
        stage_count: int | None = None,
        *,
        rotation_key: RotationKey | EvaluationKey | None = None,
        progress: bool | None = None,
    ) -> tuple[Ciphertext, Ciphertext]:
        """Bootstrap two real ciphertexts in one lossy bootstrap.

        Levels, cost and precision are those of one complex `lossy_bootstrap`; the lower of the two levels counts, and
        below `stage_count` it is a `merge_bootstrap`, with a `LevelWarning`. Arguments, results and errors are as in
        `merge_bootstrap`; a key that isn't lossy raises `KeyMismatchError`.
        """
        operation = "lossy_merge_bootstrap"
        pair = self._real_pair(operation, ciphertext1, ciphertext2)
        rotations = lossy_bootstrap_key, small_bootstrap_key, stage_count, rotation_key
        keys = self._bootstrap_keys(operation, pair[0], relinearization_key, conjugation_key, rotations)
        self._warn_of_regular_order(operation, min(pair[0].level, pair[1].level), keys)
        return self._merged("lossy", pair, keys, progress)

    @deepened
    def sign_merge_bootstrap(
        self,
        ciphertext1: Ciphertext,
        ciphertext2: Ciphertext,
        relinearization_key: RelinearizationKey | EvaluationKey | None = None,
        conjugation_key: ConjugationKey | EvaluationKey | None = None,
        lossy_bootstrap_key: LossyBootstrapKey | RotationKey | SmallBootstrapKey | EvaluationKey | None = None,
        small_bootstrap_key: SmallBootstrapKey | EvaluationKey | None = None,
        stage_count: int | None = None,
        *,
        rotation_key: RotationKey | EvaluationKey | None = None,
        progress: bool | None = None,
    ) -> tuple[Ciphertext, Ciphertext]:
        """Bootstrap and clean the values ±1 of two real ciphertexts in one sign bootstrap.

        Levels, cost and precision are those of one complex `sign_bootstrap`; the lower of the two levels counts.
        Arguments, results and errors are as in `merge_bootstrap` and `sign_bootstrap`.
        """
        operation = "sign_merge_bootstrap"
        pair = self._real_pair(operation, ciphertext1, ciphertext2)
        rotations = lossy_bootstrap_key, small_bootstrap_key, stage_count, rotation_key
        keys = self._bootstrap_keys(operation, pair[0], relinearization_key, conjugation_key, rotations)
        return self._merged("sign", pair, keys, progress)

    def _merged(
        self, method: str, pair: tuple[Ciphertext, Ciphertext], keys: _NativeKeys, progress: bool | None
    ) -> tuple[Ciphertext, Ciphertext]:
        title = "merge bootstrap" if method == "regular" else f"{method} merge bootstrap"
        with self._bootstrapping(title, progress) as report:
            first, second = self._context.merge_bootstrap((pair[0]._native, pair[1]._native), method, keys, report)
        return self._wrap(first, is_real=True), self._wrap(second, is_real=True)

    def _bootstrap_keys(
        self,
        operation: str,
        ciphertext: Ciphertext,
        relinearization: Any,
        conjugation: Any,
        rotations: tuple[Any, Any, Any, Any],
    ) -> _NativeKeys:
        """Check the keys' classes, take from the registry those that are left out, and remember the general ones."""
        if isinstance(relinearization, EvaluationKey):
            conjugation = relinearization if conjugation is None else conjugation
            if all(rotations[i] is None for i in (0, 1, 3)):
                rotations = (relinearization, *rotations[1:])
        secret_id = ciphertext._native.secret_id
        relinearization = self._chosen(operation, secret_id, relinearization, RelinearizationKey)
        conjugation = self._chosen(operation, secret_id, conjugation, ConjugationKey)
        native = self._rotations(operation, secret_id, *rotations)
        self._registry.remember(relinearization)
        self._registry.remember(conjugation)
        return relinearization._native, conjugation._native, native

    def _is_precise(self, operation: str, precision: Any) -> bool:
        """Whether high precision is asked for; an error where the engine's scales can't hold it."""
        if not _options.is_high(operation, precision):
            return False
        if not self._context.has_high_precision:
            raise ParameterError(
                f"{operation}: precision is 'high' and the engine's is 'standard', whose scales hold 29 bits; make one "
                f"with Engine(use_bootstrap=True, precision='high')",
                option="precision",
                value="high",
                allowed="standard",
            )
        return True

    def _chosen(self, operation: str, secret_id: int, given: Any, kind: Any) -> Any:
        if given is None:
            return self._registry.find(operation, kind, secret_id)
        return _checks.instance(operation, kind.kind.replace(" ", "_"), given, kind)

    def _rotations(
        self, operation: str, secret_id: int, bootstrap: Any, small: Any, stage_count: Any, rotation: Any
    ) -> _NativeRotations:
        """Check a bootstrap key alone, or a rotation key, a small bootstrap key and a stage count."""
        match bootstrap:
            case RotationKey() if rotation is None:
                bootstrap, rotation = None, bootstrap
            case EvaluationKey() if small is not None and rotation is None:
                bootstrap, rotation = None, bootstrap
            case SmallBootstrapKey() if small is None:
                bootstrap, small = None, bootstrap
            case EvaluationKey() if bootstrap.has_small_bootstrap and small is None and rotation is None:
                bootstrap, small, rotation = None, bootstrap, bootstrap
            case None if small is None and rotation is None:
                if self._registry.get(BootstrapKey, secret_id) is None:
                    small = self._registry.get(SmallBootstrapKey, secret_id)
        if small is None and rotation is None:
            bootstrap = self._chosen(operation, secret_id, bootstrap, BootstrapKey)
            self._require_its_stage_count(operation, bootstrap, stage_count)
            native: _native.BootstrapKey = bootstrap._native
            return native
        if bootstrap is not None:
            raise OperandTypeError(
                f"{operation}: a bootstrap_key of type {type(bootstrap).__name__} was given beside a rotation key or a "
                f"small bootstrap key, and either is enough; pass rotation_key and small_bootstrap_key alone",
                argument="bootstrap_key",
                expected="None",
                actual=type(bootstrap).__name__,
            )
        rotation = self._chosen(operation, secret_id, rotation, RotationKey)
        small = self._chosen(operation, secret_id, small, SmallBootstrapKey)
        stages = self._stage_count(operation, DEFAULT_STAGE_COUNT if stage_count is None else stage_count)
        self._registry.remember(rotation)
        return rotation._native, small._native, stages

    def _require_its_stage_count(self, operation: str, key: BootstrapKey, stage_count: Any) -> None:
        if stage_count is None or _checks.integer(operation, "stage_count", stage_count) == key.stage_count:
            return
        raise ParameterError(
            f"{operation}: stage_count is {stage_count} and the key was made for {key.stage_count}; leave it out, or "
            f"make a small bootstrap key, which has the choice",
            option="stage_count",
            value=stage_count,
            allowed=key.stage_count,
        )

    @contextmanager
    def _bootstrapping(
        self, description: str, progress: bool | None, count: int = 1
    ) -> Iterator[_progress.Report | None]:
        """Show the progress of bootstraps, and count them once they are done."""
        with self._reporting(description, progress) as report:
            yield report
        self._counters.add(count)

    def _real_pair(self, operation: str, first: Any, second: Any) -> tuple[Ciphertext, Ciphertext]:
        """Check two ciphertexts that become the real and the imaginary parts of one."""
        self._require_bootstrap(operation)
        first, second = self._relinearized(operation, first), self._relinearized(operation, second)
        if not (first.is_real and second.is_real):
            values = ["real" if c.is_real else "complex" for c in (first, second)]
            raise OperandTypeError(
                f"{operation}: ciphertext1 is {values[0]} and ciphertext2 is {values[1]}, and two real ones are "
                f"needed; bootstrap complex ciphertexts one by one",
                argument="ciphertext2" if first.is_real else "ciphertext1",
                expected="real and real",
                actual=f"{values[0]} and {values[1]}",
            )
        return first, second

    def _warn_of_regular_order(self, operation: str, level: int, keys: _NativeKeys) -> None:
        """Say what comes instead where a level is too low for the lossy order."""
        first = _first_level(keys[2])
        if first is None or level >= first:
            return
        level_out = self.max_level - first
        warning = LevelWarning(
            f"{operation}: the ciphertext is at level {level} and the lossy order begins at level {first}; "
            f"this is a regular bootstrap, to level {level_out} and not {self.max_level}; to get there, bootstrap at "
            f"level {first} or higher",
            level=level,
            needed=first,
            level_out=level_out,
            usual_level_out=self.max_level,
        )
        warnings.warn(warning, stacklevel=_caller_depth())


def _first_level(rotations: _NativeRotations) -> int | None:
    """Return the level at which lossy orders begin; none for keys that have none."""
    if isinstance(rotations, tuple):
        return rotations[2]
    return rotations.stage_count if rotations.kind == "lossy" else None


def _caller_depth() -> int:
    """Count the frames from who asks up to the first outside of this package: where a warning belongs."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "everlevel":
        depth, frame = depth + 1, frame.f_back
    return depth
