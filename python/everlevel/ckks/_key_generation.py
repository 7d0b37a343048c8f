"""Key generation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .. import _native
from .._common import checks
from .._common.progress import Report
from ..errors import ParameterError
from . import _checks, _device, _operands
from ._bootstrap_keys import check_stage_count, require_bootstrap
from ._core import Core
from ._options import BOOTSTRAP_SIZES, default_stage_count
from ._prepare import prepare_new
from .keys import (
    BootstrapKey,
    ConjugationKey,
    FixedRotationKey,
    LossyBootstrapKey,
    MatrixMultiplicationKey,
    PublicKey,
    RelinearizationKey,
    RotationKey,
    SecretKey,
    SmallBootstrapKey,
)

KeyT = TypeVar("KeyT", RelinearizationKey, ConjugationKey, RotationKey)
BootstrapKeyT = TypeVar("BootstrapKeyT", bound=BootstrapKey)


def create_secret_key(self: Core, *, release_budget: int | None = None) -> SecretKey:
    """Draw a new secret from the operating system's randomness.

    Parameters
    ----------
    release_budget : int, optional
        Decryptions that `release` gives away with this key, 1024 if left out. Flooding noise grows with its square
        root.

    Returns
    -------
    SecretKey
        Uniform ternary, or of fixed weight, as the engine's parameters say.

    Examples
    --------
    >>> engine.create_secret_key()
    SecretKey(hidden)
    """
    operation = "create_secret_key"
    budget = None if release_budget is None else checks.integer(operation, "release_budget", release_budget)
    if budget is not None and not 1 <= budget < 2**63:
        raise ParameterError(
            f"{operation}: release_budget is {budget}; it must be at least 1, and below 2^63",
            option="release_budget",
            value=budget,
            allowed=(1, 2**63 - 1),
        )
    return SecretKey(self._context, self._context.secret_key(budget), self.max_level)


def create_public_key(self: Core, secret_key: SecretKey) -> PublicKey:
    """Make a key that encrypts for a secret.

    Parameters
    ----------
    secret_key : SecretKey
        Who decrypts.

    Raises
    ------
    EngineMismatchError
        If the secret key is one of other parameters.

    Examples
    --------
    >>> x = engine.encrypt([0.5], engine.create_public_key(secret_key), bound=1)
    >>> engine.decrypt(x, secret_key).round(3)
    array([0.5])
    """
    secret = _operands.secret_key("create_public_key", secret_key)
    return PublicKey(self._context, self._context.public_key(secret._native), self.max_level)


def create_relinearization_key(
    self: Core, secret_key: SecretKey, level: int | None = None, *, progress: bool | None = None
) -> RelinearizationKey:
    """Make the key that products of two ciphertexts need. The engine remembers the first one of every secret.

    Parameters
    ----------
    secret_key : SecretKey
        Secret of the ciphertexts.
    level : int, optional
        Highest level of the products' operands; the engine's, if left out, and then bootstraps' as well. Lower ones
        make smaller, faster keys.
    progress : bool, optional
        Whether a bar is shown; as the engine says, if left out.

    Raises
    ------
    LevelError
        If `level` isn't one of the engine's.

    Examples
    --------
    >>> engine.create_relinearization_key(secret_key)
    RelinearizationKey(level 5, ... kB)
    >>> engine.create_relinearization_key(secret_key, level=1)
    RelinearizationKey(level 1, ... kB)
    """
    context = self._context
    return _remembered(self, RelinearizationKey, context.relinearization_key, secret_key, level, progress)


def create_conjugation_key(
    self: Core, secret_key: SecretKey, level: int | None = None, *, progress: bool | None = None
) -> ConjugationKey:
    """Make the key of complex conjugation. The engine remembers the first one of every secret.

    Parameters
    ----------
    secret_key, level, progress
        As for `create_relinearization_key`, which says what is raised as well.

    Examples
    --------
    >>> engine.create_conjugation_key(secret_key)
    ConjugationKey(level 5, ... kB)
    """
    return _remembered(self, ConjugationKey, self._context.conjugation_key, secret_key, level, progress)


def create_rotation_key(
    self: Core, secret_key: SecretKey, level: int | None = None, *, progress: bool | None = None
) -> RotationKey:
    """Make a key that rotates by any amount, holding one key for each power of two.

    A rotation by an amount with k non-zero digits costs k key switches: where few amounts are used often, fixed
    rotation keys are faster. The engine remembers the first one of every secret.

    Parameters
    ----------
    secret_key, level, progress
        As for `create_relinearization_key`, which says what is raised as well.

    Examples
    --------
    >>> x = engine.encrypt([1.0, 2.0], public_key, bound=2)
    >>> engine.decrypt(engine.rotate(x, engine.create_rotation_key(secret_key), 1), secret_key)[:3].round(3) + 0
    array([0., 1., 2.])
    """
    return _remembered(self, RotationKey, self._context.rotation_key, secret_key, level, progress)


def create_fixed_rotation_key(
    self: Core, secret_key: SecretKey, delta: int, level: int | None = None
) -> FixedRotationKey:
    """Make a key that rotates by one amount. The engine remembers the first one of every secret and amount.

    Parameters
    ----------
    secret_key : SecretKey
        Secret of the ciphertexts.
    delta : int
        Amount in slots, with the sign of ``numpy.roll``: ``+1`` moves slot 0 to slot 1. The key has it as the
        shortest way round, which is the same rotation.
    level : int, optional
        Highest level of the ciphertexts; the engine's, if left out. Lower ones make smaller, faster keys.

    Examples
    --------
    >>> engine.create_fixed_rotation_key(secret_key, -3).delta
    -3
    """
    operation = "create_fixed_rotation_key"
    delta = _checks.amount(operation, delta, self.slot_count)
    top, secret = _checks.level(operation, level, self.max_level), _operands.secret_key(operation, secret_key)
    _device.require_room(self._context, operation, level=top)
    key = FixedRotationKey(self._context, self._context.fixed_rotation_key(secret._native, delta, top))
    _device.hold(self._context, key._native)
    self._registry.remember(key)
    return key


def create_matrix_multiplication_key(
    self: Core, secret_key: SecretKey, level: int | None = None, *, progress: bool | None = None
) -> MatrixMultiplicationKey:
    """Make the key of fast products with matrices. The engine remembers the first one of every secret.

    It has a rotation for each of about sqrt(slot_count) baby steps, and the powers of two of a `RotationKey`.

    Parameters
    ----------
    secret_key : SecretKey
        Secret of the ciphertexts.
    level : int, optional
        Highest level of the products' operands; the engine's, if left out. Lower ones make a smaller, faster key.
    progress : bool, optional
        Whether a bar is shown; as the engine says, if left out.

    Raises
    ------
    LevelError
        If `level` isn't one of the engine's.

    Examples
    --------
    >>> engine.create_matrix_multiplication_key(secret_key, level=1).level
    1
    """
    operation = "create_matrix_multiplication_key"
    top, secret = _checks.level(operation, level, self.max_level), _operands.secret_key(operation, secret_key)
    _device.require_room(self._context, operation, level=top)
    with self._reporting("matrix multiplication key", progress) as report:
        native = _native.matrix_multiplication_key(self._context, secret._native, top, report)
    _device.hold(self._context, native)
    key = MatrixMultiplicationKey(self._context, native)
    self._registry.remember(key)
    return key


def create_bootstrap_key(
    self: Core,
    secret_key: SecretKey,
    stage_count: int | None = None,
    size: str = "medium",
    *,
    progress: bool | None = None,
) -> BootstrapKey:
    """Make the key of every bootstrap: `Engine.bootstrap`, `Engine.sign_bootstrap` and their merged forms.

    Parameters
    ----------
    secret_key : SecretKey
        Secret of the ciphertexts.
    stage_count : int, optional
        Stages of each linear transform: 3, 4 or 5 at full slots, fewer for fewer slots, and one up to 1024. Each more
        leaves one level less and makes a medium key smaller; at full slots four and five are faster than three. If left
        out, 3, or the nearest that the slots allow.
    size : {"medium", "large"}, default "medium"
        A large key has more keys of rotations, for fewer transforms: with five stages bootstraps took 0.90 to 0.94 of
        the time, with three and four as long as with a medium one.
    progress : bool, optional
        Whether a bar is shown; as the engine says, if left out.

    Raises
    ------
    ParameterError
        If the engine was made without ``use_bootstrap=True``, or has no such stage count or size.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> deep.create_bootstrap_key(deep.create_secret_key(), stage_count=3)
    BootstrapKey(stage_count 3, medium, ... MB)
    """
    return make_bootstrap_key(self, "create_bootstrap_key", BootstrapKey, secret_key, stage_count, size, progress)


def create_lossy_bootstrap_key(
    self: Core,
    secret_key: SecretKey,
    stage_count: int | None = None,
    size: str = "medium",
    *,
    progress: bool | None = None,
) -> LossyBootstrapKey:
    """Make the key of `Engine.lossy_bootstrap`, `Engine.sign_bootstrap` and their merged forms.

    A `BootstrapKey` serves them too. With few slots (a quarter of the ring's or less), a bootstrap from below level
    `stage_count` takes longer with this one.

    Parameters
    ----------
    secret_key, size, progress
        As for `create_bootstrap_key`.
    stage_count : int, optional
        Stages of each linear transform, as in `create_bootstrap_key`. It is the level at which a lossy or sign
        bootstrap begins; they end at the engine's highest level whatever it is.

    Raises
    ------
    ParameterError
        If the engine was made without ``use_bootstrap=True``, or has no such stage count or size.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> deep.create_lossy_bootstrap_key(deep.create_secret_key(), stage_count=5)
    LossyBootstrapKey(stage_count 5, medium, ... MB)
    """
    operation = "create_lossy_bootstrap_key"
    return make_bootstrap_key(self, operation, LossyBootstrapKey, secret_key, stage_count, size, progress)


def create_small_bootstrap_key(self: Core, secret_key: SecretKey, *, progress: bool | None = None) -> SmallBootstrapKey:
    """Make the key that bootstraps together with a rotation key, in place of a bootstrap key.

    One key serves `bootstrap`, `lossy_bootstrap`, `sign_bootstrap` and their merged forms with every stage count,
    which is chosen at the call. With the rotation key it takes a third of a `BootstrapKey`'s memory (1.3 GB at
    N = 2^16), and a bootstrap takes about 1.4 times as long, at the same precision.

    Parameters
    ----------
    secret_key : SecretKey
        Secret of the ciphertexts, and of the rotation key.
    progress : bool, optional
        Whether a bar is shown; as the engine says, if left out.

    Raises
    ------
    ParameterError
        If the engine was made without ``use_bootstrap=True``.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> small_bootstrap_key = deep.create_small_bootstrap_key(secret)
    >>> small_bootstrap_key
    SmallBootstrapKey(any stage_count, ... MB)
    >>> keys = deep.create_relinearization_key(secret), deep.create_conjugation_key(secret)
    >>> exhausted = deep.encrypt([-1, 0, 1], secret, level=0)
    >>> rotation_key = deep.create_rotation_key(secret)
    >>> deep.bootstrap(exhausted, *keys, rotation_key, small_bootstrap_key, stage_count=4).level
    9
    """
    operation = "create_small_bootstrap_key"
    secret = _operands.secret_key(operation, secret_key)
    require_bootstrap(self._context, operation)
    _device.require_room(self._context, operation, stage_count=default_stage_count(self._context))
    with self._reporting("small bootstrap key", progress) as report:
        native = self._context.small_bootstrap_key(secret._native, report)
    _device.hold(self._context, native)
    key = SmallBootstrapKey(self._context, native, self.max_level)
    prepare_new(self, key, progress)
    return key


def check_bootstrap_key(context: _native.Context, operation: str, stage_count: Any, size: Any) -> tuple[int, bool]:
    """Check what a bootstrap key is made for: its stages, and whether it is large."""
    require_bootstrap(context, operation)
    stages = check_stage_count(context, operation, stage_count)
    is_small = isinstance(size, str) and size == "small"
    hint = "use create_small_bootstrap_key" if is_small else "check its spelling"
    return stages, checks.one_of(operation, "size", size, BOOTSTRAP_SIZES, hint) == "large"


def _remembered(
    self: Core,
    kind: type[KeyT],
    make: Callable[[_native.SecretKey, int, Report | None], Any],
    secret_key: Any,
    level: Any,
    progress: bool | None,
) -> KeyT:
    """Make a key for levels up to one, for operators as well."""
    name = kind.kind
    operation = f"create_{name.replace(' ', '_')}"
    top, secret = _checks.level(operation, level, self.max_level), _operands.secret_key(operation, secret_key)
    _device.require_room(self._context, operation, level=top)
    with self._reporting(name, progress) as report:
        key = kind(self._context, make(secret._native, top, report))
    _device.hold(self._context, key._native)
    self._registry.remember(key)
    return key


def make_bootstrap_key(
    self: Core,
    operation: str,
    kind: type[BootstrapKeyT],
    secret_key: Any,
    stage_count: Any,
    size: Any,
    progress: bool | None,
) -> BootstrapKeyT:
    """Make a bootstrap key, lossy or not."""
    secret = _operands.secret_key(operation, secret_key)
    stages, large = check_bootstrap_key(self._context, operation, stage_count, size)
    orders = "lossy" if kind is LossyBootstrapKey else "regular" if self._has_one_order else "both"
    _device.require_room(self._context, operation, stage_count=stages, large=large)
    with self._reporting(kind.kind, progress) as report:
        native = self._context.bootstrap_key(secret._native, orders, stages, large, report)
    _device.hold(self._context, native)
    key = kind(self._context, native, self.max_level)
    prepare_new(self, key, progress)
    return key
