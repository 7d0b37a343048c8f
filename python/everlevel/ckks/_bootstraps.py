"""Bootstrapping."""

from __future__ import annotations

import warnings
from typing import Any, Literal

from .. import _native
from .._common import callers, checks
from ..errors import LevelWarning, OperandTypeError, ParameterError
from . import _checks, _operands
from ._auto import deepened
from ._bootstrap_keys import BootstrapKeys, NativeKeys, choose, first_lossy_level, require_bootstrap
from ._core import Core
from ._options import is_high
from ._shaping import slotwise
from .ciphertext import Ciphertext

Method = Literal["usual", "regular", "lossy", "sign", "precise"]


@slotwise()
def bootstrap(
    self: Core,
    ciphertext: Ciphertext,
    *keys: BootstrapKeys,
    stage_count: int | None = None,
    level: int | None = None,
    precision: Literal["standard", "high"] = "standard",
    progress: bool | None = None,
) -> Ciphertext:
    """Raise a ciphertext's level, so that computation can go on.

    Levels: from `stage_count` or higher to `max_level` (13, 17 or 20), in the faster order; from below, to
    `max_level` - `stage_count`. Either leaves as many levels until the next bootstrap.

    Parameters
    ----------
    ciphertext : Ciphertext
        Of two polynomials, with values of size up to about 1: whether they are can't be seen here. From level
        `stage_count` on, a real or imaginary part m comes out with an error of 2.5e-8·m³ (2^-25.3 at the ends of
        [-1, 1]), and noise. From below, the error is 6.3e-6·m³ for the message's largest polynomial coefficient m,
        which is the values' mean for a constant message and far smaller for a varied one: taking away a known mean
        before, and adding it after, costs nothing and gains precision.
    *keys : EvaluationKey, or keys
        Keys of the ciphertext's secret, in any order: a `RelinearizationKey`, a `ConjugationKey`, and a `BootstrapKey`,
        lossy or not; or in place of the latter a `RotationKey` and a `SmallBootstrapKey`, for a third of the memory and
        1.4 times the time. An `EvaluationKey` stands for all that aren't given beside it. Without one, keys that are
        left out are those that the engine uses (`use`).
    stage_count : int, optional
        With a small bootstrap key, the stages of SlotsToCoeffs, and so the levels that it takes: 3, 4 or 5 at full
        slots; if left out, 3, or the nearest that the slots allow. Other bootstrap keys have theirs from when they
        were made.
    level : int, optional
        The level of the result, where fewer levels are needed than a bootstrap gives: nothing is computed for the
        levels above it, and keys aren't read there. If left out, the highest.
    precision : {"standard", "high"}, default "standard"
        ``"high"`` bootstraps what a first bootstrap left out as well: errors 2^14 times smaller, down to what the
        engine's scales hold, for twice the time and one level more. For engines made with ``precision="high"``.
    progress : bool, optional
        Whether a bar is shown; as the engine says, if left out.

    Returns
    -------
    Ciphertext
        Of the same message up to the bootstrap's error, at level `max_level` - `stage_count` at least: 10, 9 or 8 for
        stage counts 3, 4 and 5, or 14 or 17 with ``use_bootstrap_to_14_levels`` or ``use_bootstrap_to_17_levels``; and
        at `max_level` from level `stage_count` or higher. There it is the lower level all the same with a bootstrap
        key of version 0.1, and for complex values in a quarter of the ring's slots or fewer, where that order is the
        faster one. Its `precision_bits` has the error's estimate.

    Raises
    ------
    OperandTypeError
        If a key is of another kind, or there are two for one place.
    MissingKeyError
        If the evaluation key lacks one that is needed, or the engine knows none.
    KeyMismatchError
        If a key is one of another secret.
    EngineMismatchError
        If a key is one of other parameters.
    LevelError
        If `level` is above the highest that this bootstrap ends at.
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
    >>> deep.bootstrap(exhausted, *keys, deep.create_bootstrap_key(secret), level=4).level
    4
    """
    x, native = _prepared(self, "bootstrap", ciphertext, keys, stage_count, level)
    method = "precise" if is_precise(self._context, "bootstrap", precision) else usual(self)
    real_only = None if method == "usual" else False
    return bootstrapped(self, "bootstrap", method, [x], native, real_only, level, progress)[0]


@slotwise()
def lossy_bootstrap(
    self: Core,
    ciphertext: Ciphertext,
    *keys: BootstrapKeys,
    stage_count: int | None = None,
    level: int | None = None,
    real_only: bool | None = None,
    progress: bool | None = None,
) -> Ciphertext:
    """Raise a ciphertext's level to the highest, with a warning where that can't be.

    It is `bootstrap` in the order in which the transform to coefficients comes first, on the lowest levels, so that
    the others are all left at the end.

    Levels: from `stage_count` or higher, to `max_level` (13, 17 or 20). Below `stage_count` it is a bootstrap in the
    other order with the same keys, to `max_level` - `stage_count`, and a `LevelWarning` says so.

    Parameters
    ----------
    ciphertext : Ciphertext
        Of two polynomials, with values of size up to about 1, as in `bootstrap`.
    *keys, stage_count, level
        As in `bootstrap`.
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
        If the bootstrap key is one of version 0.1 that isn't lossy, or a key is one of another secret.
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
    x, native = _prepared(self, "lossy_bootstrap", ciphertext, keys, stage_count, level)
    if level is None:
        _warn_of_regular_order("lossy_bootstrap", x.level, native, self.max_level)
    return bootstrapped(self, "lossy bootstrap", "lossy", [x], native, real_only, level, progress)[0]


@slotwise(keeps_zeros=False)
@deepened
def sign_bootstrap(
    self: Core,
    ciphertext: Ciphertext,
    *keys: BootstrapKeys,
    stage_count: int | None = None,
    level: int | None = None,
    real_only: bool | None = None,
    progress: bool | None = None,
) -> Ciphertext:
    """Raise the level of values ±1 to the highest, and clean them.

    Every part m comes out as sin(π·m/2): ±1 are its extrema, so that an error δ of the input leaves 1.24·δ². It is
    for the results of comparisons, and for bits. Zero stays zero; other values don't stay what they are.

    Levels: from `stage_count` or higher, to `max_level` (13, 17 or 20).

    Cost: that of `bootstrap` from that level. Precision: about 1.4e-10 (2^-32.7) on average for clean ±1.

    Parameters
    ----------
    ciphertext : Ciphertext
        Of two polynomials, with real parts (and imaginary ones, if it has any) of -1, 0 or 1, nearly.
    *keys, stage_count, level, real_only, progress
        As in `lossy_bootstrap`.

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
    >>> x = deep.encrypt([-1.001, 0.999], secret, level=3, bound=1.25)
    >>> refreshed = deep.sign_bootstrap(x, *keys, deep.create_lossy_bootstrap_key(secret, stage_count=3))
    >>> refreshed.level
    13
    >>> bool(np.abs(deep.decrypt(refreshed, secret)[:2] - [-1, 1]).max() < 1.3e-6)
    True
    """
    x, native = _prepared(self, "sign_bootstrap", ciphertext, keys, stage_count, level)
    return bootstrapped(self, "sign bootstrap", "sign", [x], native, real_only, level, progress)[0]


def merge_bootstrap(
    self: Core,
    ciphertext1: Ciphertext,
    ciphertext2: Ciphertext,
    *keys: BootstrapKeys,
    stage_count: int | None = None,
    level: int | None = None,
    method: Literal["regular", "lossy", "sign"] = "regular",
    progress: bool | None = None,
) -> tuple[Ciphertext, Ciphertext]:
    """Bootstrap two real ciphertexts in one bootstrap, as real and imaginary parts.

    Levels, precision and cost: as of one complex bootstrap of the method, at the lower of the two levels.

    Parameters
    ----------
    ciphertext1, ciphertext2 : Ciphertext
        Of two polynomials each, both real (`is_real`), and of one secret; their levels may differ.
    *keys, stage_count, level, progress
        As in `bootstrap`.
    method : {"regular", "lossy", "sign"}, default "regular"
        Which bootstrap: `bootstrap`, `lossy_bootstrap` or `sign_bootstrap`.

    Returns
    -------
    tuple of two Ciphertexts

    Raises
    ------
    OperandTypeError
        If a ciphertext is complex, or a key is of the wrong kind.
    KeyMismatchError
        If the ciphertexts, or a key, are of different secrets.
    EngineMismatchError, ParameterError, LevelError
        As in the bootstrap of the method.

    Warns
    -----
    LevelWarning
        As `lossy_bootstrap`.

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
    options: dict[str, Any] = {"stage_count": stage_count, "level": level, "progress": progress}
    checks.one_of("merge_bootstrap", "method", method, ("regular", "lossy", "sign"))
    if method == "sign":
        return sign_merge_bootstrap(self, ciphertext1, ciphertext2, *keys, **options)
    if method == "lossy":
        return lossy_merge_bootstrap(self, ciphertext1, ciphertext2, *keys, **options)
    return _merge(self, ciphertext1, ciphertext2, keys, stage_count, level, progress)


@slotwise()
def _merge(
    self: Core,
    ciphertext1: Ciphertext,
    ciphertext2: Ciphertext,
    keys: tuple[BootstrapKeys, ...],
    stage_count: int | None,
    level: int | None,
    progress: bool | None,
) -> tuple[Ciphertext, Ciphertext]:
    return _merged(self, usual(self), "merge_bootstrap", (ciphertext1, ciphertext2), keys, stage_count, level, progress)


@slotwise()
def lossy_merge_bootstrap(
    self: Core,
    ciphertext1: Ciphertext,
    ciphertext2: Ciphertext,
    *keys: BootstrapKeys,
    stage_count: int | None = None,
    level: int | None = None,
    progress: bool | None = None,
) -> tuple[Ciphertext, Ciphertext]:
    """Bootstrap two real ciphertexts in one lossy bootstrap: ``merge_bootstrap(…, method="lossy")``.

    Levels, cost and precision are those of one complex `lossy_bootstrap`; the lower of the two levels counts, and
    below `stage_count` it is a `merge_bootstrap` in the other order, with a `LevelWarning`. Arguments, results and
    errors are as in `merge_bootstrap` and `lossy_bootstrap`.
    """
    return _merged(
        self, "lossy", "lossy_merge_bootstrap", (ciphertext1, ciphertext2), keys, stage_count, level, progress
    )


@slotwise(keeps_zeros=False)
@deepened
def sign_merge_bootstrap(
    self: Core,
    ciphertext1: Ciphertext,
    ciphertext2: Ciphertext,
    *keys: BootstrapKeys,
    stage_count: int | None = None,
    level: int | None = None,
    progress: bool | None = None,
) -> tuple[Ciphertext, Ciphertext]:
    """Clean the values ±1 of two real ciphertexts in one sign bootstrap: ``merge_bootstrap(…, method="sign")``.

    Levels, cost and precision are those of one complex `sign_bootstrap`; the lower of the two levels counts.
    Arguments, results and errors are as in `merge_bootstrap` and `sign_bootstrap`.
    """
    return _merged(self, "sign", "sign_merge_bootstrap", (ciphertext1, ciphertext2), keys, stage_count, level, progress)


def bootstrapped(
    self: Core,
    description: str,
    method: Method,
    ciphertexts: list[Ciphertext],
    keys: NativeKeys,
    real_only: bool | None,
    level: int | None,
    progress: bool | None,
) -> list[Ciphertext]:
    """Bootstrap ciphertexts by a method, to a level or to the highest, four at a time, and count them.

    Their real parts alone if that is asked for; if nothing is said of it, those of the ciphertexts that are real.
    """
    if real_only is None and len({c.is_real for c in ciphertexts}) > 1:
        alike = {
            is_real: iter(
                bootstrapped(
                    self,
                    description,
                    method,
                    [c for c in ciphertexts if c.is_real == is_real],
                    keys,
                    is_real,
                    level,
                    progress,
                )
            )
            for is_real in (True, False)
        }
        return [next(alike[c.is_real]) for c in ciphertexts]
    real = ciphertexts[0].is_real if real_only is None else checks.truth(description, "real_only", real_only)
    with self._reporting(description, progress) as report:
        natives = self._context.bootstrap([c._native for c in ciphertexts], method, keys, real, level, report)
    self._counters.add(len(ciphertexts))
    return [self._wrap(native, is_real=real or c.is_real) for native, c in zip(natives, ciphertexts, strict=True)]


def merged(
    self: Core,
    description: str,
    method: Method,
    pairs: list[tuple[Ciphertext, Ciphertext]],
    keys: NativeKeys,
    level: int | None,
    progress: bool | None,
) -> list[tuple[Ciphertext, Ciphertext]]:
    """Bootstrap real ciphertexts as the two parts of one, four pairs at a time, and count the bootstraps."""
    with self._reporting(description, progress) as report:
        natives = self._context.merge_bootstraps(
            [(a._native, b._native) for a, b in pairs], method, keys, level, report
        )
    self._counters.add(len(pairs))
    return [(self._wrap(a, is_real=True), self._wrap(b, is_real=True)) for a, b in natives]


def usual(self: Core) -> Method:
    """Return the method of `bootstrap`: the faster order, unless the engine has one order alone."""
    return "regular" if self._has_one_order else "usual"


def is_precise(context: _native.Context, operation: str, precision: Any) -> bool:
    """Whether high precision is asked for; an error where the engine's scales can't hold it."""
    if not is_high(operation, precision):
        return False
    if context.precision != "high":
        raise ParameterError(
            f"{operation}: precision is 'high' and the engine's is 'standard', whose scales hold 29 bits; make one "
            f"with Engine(use_bootstrap=True, precision='high')",
            option="precision",
            value="high",
            allowed="standard",
        )
    return True


def _prepared(
    self: Core,
    operation: str,
    ciphertext: Any,
    keys: tuple[BootstrapKeys, ...],
    stage_count: int | None,
    level: int | None,
) -> tuple[Ciphertext, NativeKeys]:
    """Check a ciphertext, the keys of its bootstrap, and the level of its result."""
    require_bootstrap(self._context, operation)
    if level is not None:
        _checks.level(operation, level, self.max_level)
    x = _operands.relinearized(operation, ciphertext)
    return x, choose(self, operation, x, keys, stage_count)


def _merged(
    self: Core,
    method: Method,
    operation: str,
    ciphertexts: tuple[Any, Any],
    keys: tuple[BootstrapKeys, ...],
    stage_count: int | None,
    level: int | None,
    progress: bool | None,
) -> tuple[Ciphertext, Ciphertext]:
    """Bootstrap two ciphertexts as the real and the imaginary parts of one."""
    require_bootstrap(self._context, operation)
    first, second = (_operands.relinearized(operation, ciphertext) for ciphertext in ciphertexts)
    if not (first.is_real and second.is_real):
        values = ["real" if c.is_real else "complex" for c in (first, second)]
        raise OperandTypeError(
            f"{operation}: ciphertext1 is {values[0]} and ciphertext2 is {values[1]}, and two real ones are "
            f"needed; bootstrap complex ciphertexts one by one",
            argument="ciphertext2" if first.is_real else "ciphertext1",
            expected="real and real",
            actual=f"{values[0]} and {values[1]}",
        )
    native = choose(self, operation, first, keys, stage_count)
    if level is not None:
        _checks.level(operation, level, self.max_level)
    if method == "lossy" and level is None:
        _warn_of_regular_order(operation, min(first.level, second.level), native, self.max_level)
    return merged(self, operation.replace("_", " "), method, [(first, second)], native, level, progress)[0]


def _warn_of_regular_order(operation: str, level: int, keys: NativeKeys, max_level: int) -> None:
    """Say what comes instead where a level is too low for the lossy order."""
    first = first_lossy_level(keys)
    if first is None or level >= first:
        return
    level_out = max_level - first
    warning = LevelWarning(
        f"{operation}: the ciphertext is at level {level} and the lossy order begins at level {first}; "
        f"this is a regular bootstrap, to level {level_out} and not {max_level}; to get there, bootstrap at "
        f"level {first} or higher",
        level=level,
        needed=first,
        level_out=level_out,
        usual_level_out=max_level,
    )
    warnings.warn(warning, stacklevel=callers.depth())
