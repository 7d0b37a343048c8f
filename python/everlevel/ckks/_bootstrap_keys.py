"""The keys of a bootstrap: which of those that were given, or that the engine knows, and whether they go together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from .. import _native
from .._common import checks
from ..errors import OperandTypeError, ParameterError
from ._core import Core
from ._options import default_stage_count
from ._registry import KeyRegistry
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import BootstrapKey, ConjugationKey, RelinearizationKey, RotationKey, SmallBootstrapKey

KeyT = TypeVar("KeyT", RelinearizationKey, ConjugationKey, RotationKey, BootstrapKey, SmallBootstrapKey)

NativeRotations = _native.BootstrapKey | tuple[_native.RotationKey, _native.SmallBootstrapKey, int]
NativeKeys = tuple[_native.RelinearizationKey, _native.ConjugationKey, NativeRotations]


def require_bootstrap(context: _native.Context, operation: str) -> None:
    """Refuse parameters without room for a bootstrap."""
    if not context.can_bootstrap:
        raise ParameterError(
            f"{operation}: use_bootstrap is False and True is needed; make the engine, and all of its keys, "
            f"with Engine(use_bootstrap=True)",
            option="use_bootstrap",
            value=False,
            allowed=True,
        )


def check_stage_count(context: _native.Context, operation: str, value: Any) -> int:
    """Check that transforms of the parameters' slots can have so many stages; None stands for the usual number."""
    if value is None:
        return default_stage_count(context)
    stages, allowed = checks.integer(operation, "stage_count", value), tuple(context.stage_counts)
    if stages not in allowed:
        raise ParameterError(
            f"{operation}: stage_count is {stages}, and {', '.join(map(str, allowed))} can be with "
            f"{context.slot_count} slots; choose one of these",
            option="stage_count",
            value=stages,
            allowed=allowed,
        )
    return stages


class GivenKeys(NamedTuple):
    """What a call was given, unchecked; None for what was left out."""

    relinearization: Any
    conjugation: Any
    bootstrap: Any
    small: Any
    stage_count: Any
    rotation: Any


def choose(engine: Core, operation: str, ciphertext: Ciphertext, given: GivenKeys) -> NativeKeys:
    """Check the keys' classes, take from the registry those that are left out, and remember the general ones."""
    relinearization, conjugation, bootstrap, small, stage_count, rotation = given
    if isinstance(relinearization, EvaluationKey):
        conjugation = relinearization if conjugation is None else conjugation
        if bootstrap is None and small is None and rotation is None:
            bootstrap = relinearization
    choice = _Choice(engine._registry, operation, ciphertext._native.secret_id)
    relinearization = choice.of(RelinearizationKey, relinearization)
    conjugation = choice.of(ConjugationKey, conjugation)
    rotations = _rotations(engine._context, choice, bootstrap, small, stage_count, rotation)
    engine._registry.remember(relinearization)
    engine._registry.remember(conjugation)
    return relinearization._native, conjugation._native, rotations


def chosen_of(engine: Core, operation: str, ciphertext: Ciphertext, evaluation_key: EvaluationKey | None) -> NativeKeys:
    """Choose the keys of one evaluation key, or those that the engine uses if there is none."""
    return choose(engine, operation, ciphertext, GivenKeys(evaluation_key, None, None, None, None, None))


def first_lossy_level(keys: NativeKeys) -> int | None:
    """Return the level at which lossy orders begin; none for keys that have none."""
    rotations = keys[2]
    if isinstance(rotations, tuple):
        return rotations[2]
    return rotations.stage_count if rotations.kind == "lossy" else None


@dataclass(frozen=True)
class _Choice:
    """Keys of one secret, for one operation."""

    registry: KeyRegistry
    operation: str
    secret_id: int

    def of(self, kind: type[KeyT], given: Any) -> KeyT:
        """Return the key of a kind that was given, or that the engine knows."""
        if given is None:
            return self.registry.find(self.operation, kind, self.secret_id)
        return checks.instance(self.operation, kind.kind.replace(" ", "_"), given, kind)


def _rotations(
    context: _native.Context, choice: _Choice, bootstrap: Any, small: Any, stage_count: Any, rotation: Any
) -> NativeRotations:
    """Check a bootstrap key alone, or a rotation key, a small bootstrap key and a stage count."""
    operation = choice.operation
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
            if choice.registry.get(BootstrapKey, choice.secret_id) is None:
                small = choice.registry.get(SmallBootstrapKey, choice.secret_id)
    if small is None and rotation is None:
        key = choice.of(BootstrapKey, bootstrap)
        if stage_count is not None and checks.integer(operation, "stage_count", stage_count) != key.stage_count:
            raise ParameterError(
                f"{operation}: stage_count is {stage_count} and the key was made for {key.stage_count}; leave it out, "
                f"or make a small bootstrap key, which has the choice",
                option="stage_count",
                value=stage_count,
                allowed=key.stage_count,
            )
        return key._native
    if bootstrap is not None:
        raise OperandTypeError(
            f"{operation}: a bootstrap_key of type {type(bootstrap).__name__} was given beside a rotation key or a "
            f"small bootstrap key, and either is enough; pass rotation_key and small_bootstrap_key alone",
            argument="bootstrap_key",
            expected="None",
            actual=type(bootstrap).__name__,
        )
    rotation, small = choice.of(RotationKey, rotation), choice.of(SmallBootstrapKey, small)
    stages = check_stage_count(context, operation, stage_count)
    choice.registry.remember(rotation)
    return rotation._native, small._native, stages
