"""The keys of a bootstrap: which of those that were given, or that the engine knows, and whether they go together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

from .. import _native
from .._common import checks
from ..errors import OperandTypeError, ParameterError
from ._core import Core
from ._options import default_stage_count
from ._registry import AnyKey, missing
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import BootstrapKey, ConjugationKey, RelinearizationKey, RotationKey, SmallBootstrapKey

KeyT = TypeVar("KeyT", RelinearizationKey, ConjugationKey, RotationKey, BootstrapKey, SmallBootstrapKey)

BootstrapKeys = (
    RelinearizationKey | ConjugationKey | BootstrapKey | RotationKey | SmallBootstrapKey | EvaluationKey | None
)
"""Keys of a bootstrap, each known by its class; None for what is left out."""

_KINDS: Final = (RelinearizationKey, ConjugationKey, BootstrapKey, RotationKey, SmallBootstrapKey, EvaluationKey)

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
        needed = f"{', '.join(map(str, allowed))} can be with {context.slot_count} slots; choose one of these"
        raise checks.refusal(operation, "stage_count", stages, needed, allowed)
    return stages


def choose(
    engine: Core, operation: str, ciphertext: Ciphertext, keys: Iterable[BootstrapKeys], stage_count: int | None = None
) -> NativeKeys:
    """Choose the keys of a bootstrap: those that were given, in any order, and the engine's for what was left out.

    An evaluation key stands for all that isn't given beside it. The engine remembers the general ones.
    """
    return choose_of_secret(engine, operation, ciphertext._native.secret_id, keys, stage_count)


def choose_of_secret(
    engine: Core, operation: str, secret_id: int, keys: Iterable[BootstrapKeys], stage_count: int | None = None
) -> NativeKeys:
    """Choose as `choose` does, for a secret."""
    given, bundle = _by_class(operation, keys)
    known = engine._registry.of_secret(secret_id)

    def key_of(kind: type[KeyT]) -> KeyT:
        key: KeyT | None = given.get(kind)
        if key is None:
            key = known.get(kind) if bundle is None else bundle.part(operation, kind)
        if key is None:
            raise missing(operation, kind)
        return key

    relinearization, conjugation = key_of(RelinearizationKey), key_of(ConjugationKey)
    general: list[AnyKey] = [relinearization, conjugation]
    rotations: NativeRotations
    if _takes_pair(operation, given, bundle, known):
        rotation, small = key_of(RotationKey), key_of(SmallBootstrapKey)
        rotations = rotation._native, small._native, check_stage_count(engine._context, operation, stage_count)
        general.append(rotation)
    else:
        rotations = of_stages(operation, key_of(BootstrapKey), stage_count)._native
    new = [key for key in general if type(key) not in known]
    if new:
        engine._registry.remember(*new)
    return relinearization._native, conjugation._native, rotations


def chosen_of(engine: Core, operation: str, ciphertext: Ciphertext, evaluation_key: EvaluationKey | None) -> NativeKeys:
    """Choose the keys of one evaluation key, or those that the engine uses if there is none."""
    return choose(engine, operation, ciphertext, [evaluation_key])


def first_lossy_level(keys: NativeKeys) -> int | None:
    """Return the level at which lossy orders begin; none for keys that have none."""
    rotations = keys[2]
    if isinstance(rotations, tuple):
        return rotations[2]
    return None if rotations.kind == "regular" else rotations.stage_count


def _by_class(operation: str, keys: Iterable[Any]) -> tuple[dict[type, Any], EvaluationKey | None]:
    """Check that there is one key of a class at most, and set the evaluation key apart."""
    given: dict[type, Any] = {}
    for key in keys:
        kind = BootstrapKey if isinstance(key, BootstrapKey) else type(key)
        if key is None:
            continue
        if kind not in _KINDS:
            raise OperandTypeError(
                f"{operation}: an object of type {type(key).__name__} is among the keys, and keys of a bootstrap are "
                f"needed; pass an EvaluationKey alone, and options by their names, such as stage_count=3",
                argument="keys",
                expected=" or ".join(kind.__name__ for kind in _KINDS),
                actual=type(key).__name__,
            )
        if given.setdefault(kind, key) is not key:
            raise OperandTypeError(
                f"{operation}: two {kind.kind}s were given, and one is enough; leave one of them out",
                argument="keys",
                expected=kind.__name__,
                actual=f"two {kind.__name__}s",
            )
    return given, given.pop(EvaluationKey, None)


def _takes_pair(
    operation: str, given: Mapping[type, Any], bundle: EvaluationKey | None, known: Mapping[Any, Any]
) -> bool:
    """Whether a rotation key and a small bootstrap key are used, in the place of a bootstrap key."""
    pair = [kind.__name__ for kind in (RotationKey, SmallBootstrapKey) if kind in given]
    if pair and BootstrapKey in given:
        raise OperandTypeError(
            f"{operation}: a BootstrapKey and a {pair[0]} were given, and a BootstrapKey alone, or a RotationKey and "
            f"a SmallBootstrapKey, is enough; leave one of them out",
            argument="keys",
            expected="BootstrapKey alone",
            actual=f"BootstrapKey and {pair[0]}",
        )
    if pair or BootstrapKey in given:
        return bool(pair)
    return (BootstrapKey not in known and SmallBootstrapKey in known) if bundle is None else bundle.has_small_bootstrap


def of_stages(operation: str, key: BootstrapKey, stage_count: Any) -> BootstrapKey:
    """Check that a bootstrap key is of the stage count that was asked for, if any."""
    if stage_count is not None and checks.integer(operation, "stage_count", stage_count) != key.stage_count:
        raise ParameterError(
            f"{operation}: stage_count is {stage_count} and the key was made for {key.stage_count}; leave it out, "
            f"or make a small bootstrap key, which has the choice",
            option="stage_count",
            value=stage_count,
            allowed=key.stage_count,
        )
    return key
