"""Evaluation keys as a whole, and what follows from the engine's having one: bootstraps of its own accord."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal

import numpy as np

from .. import _native
from .._common import checks
from ..errors import OperandTypeError
from . import _checks, _operands
from . import _key_generation as make
from ._bootstrap_keys import require_bootstrap
from ._core import Core
from ._registry import AnyKey
from ._rehearsal import DryRun
from .evaluation_key import _KINDS, EvaluationKey
from .keys import SecretKey

_BOOTSTRAPS: Final = (True, False, "regular", "lossy", "small")


def create_evaluation_key(
    self: Core,
    secret_key: SecretKey,
    *,
    bootstrap: bool | Literal["regular", "lossy", "small"] | None = None,
    stage_count: int | None = None,
    size: str = "medium",
    rotations: bool | Iterable[int] = True,
    matrices: bool | int = False,
    level: int | None = None,
    for_program: DryRun | bool | None = None,
    progress: bool | None = None,
) -> EvaluationKey:
    """Make all that an evaluator needs: one key that is accepted wherever an evaluation key is.

    The engine uses it for operators, as `use` says.

    Parameters
    ----------
    secret_key : SecretKey
        Secret of the ciphertexts.
    bootstrap : {True, False, "regular", "lossy", "small"}, optional
        The bootstrap key in it: ``"regular"`` or True, and ``"lossy"``, for every bootstrap and for comparisons,
        ``"small"`` for these in a third of the memory and 1.4 times the time, False for none. If left out, True where
        the engine has bootstraps.
    stage_count, size
        Of the bootstrap key: see `create_bootstrap_key`. A small one has neither.
    rotations : bool or iterable of int, default True
        True for rotations by any amount; amounts, for a fixed rotation key each, which is faster and smaller where
        they are few; False for none.
    matrices : bool or int, default False
        True for the key of fast products with matrices, at every level; an integer, for one up to that level of the
        products' operands, which is smaller. Without it, products take the rotations by any amount.
    level : int, optional
        Highest level of the ciphertexts that the keys are for; the engine's, if left out. Lower ones make smaller,
        faster keys, which serve no bootstrap: pass ``bootstrap=False`` as well where the engine has bootstraps.
    for_program : DryRun or bool, optional
        What `dry_run` told of a program, or True for the one that the engine was made for (`Engine.for_program`): its
        keys alone are made, whatever `bootstrap`, `rotations` and `matrices` are.
    progress : bool, optional
        Whether bars are shown; as the engine says, if left out.

    Raises
    ------
    ParameterError
        If the engine has no bootstraps and one was asked for, or an option isn't among those that there are.
    LevelError
        If `matrices` or `level` isn't one of the engine's levels.

    Examples
    --------
    >>> engine.create_evaluation_key(secret_key)
    EvaluationKey(relinearization, conjugation, rotations by any amount; ... MB)
    >>> engine.create_evaluation_key(secret_key, rotations=False, matrices=2)
    EvaluationKey(relinearization, conjugation, matrices up to level 2; ... MB)
    >>> engine.create_evaluation_key(secret_key, rotations=[4], level=1)
    EvaluationKey(relinearization up to level 1, conjugation up to level 1, rotations +4 up to level 1; ... kB)
    """
    operation = "create_evaluation_key"
    program = _program(self, operation, for_program)
    if program is not None:
        rotations, matrices, bootstrap = program.rotations, program.matrices, program.bootstraps > 0
    variant = _variant(self._context, operation, bootstrap)
    top = _checks.level(operation, level, self.max_level)
    if variant is not None and top < self.max_level:
        needed = (
            f"bootstraps take keys for levels up to {self.max_level}; leave it out, or pass bootstrap=False for keys "
            f"without"
        )
        raise checks.refusal(operation, "level", top, needed, self.max_level)
    secret = _operands.secret_key(operation, secret_key)
    deltas = None if isinstance(rotations, bool) else _deltas(self.slot_count, operation, rotations)
    matrix_level = (
        top
        if isinstance(matrices, bool)
        else _checks.level(operation, checks.integer(operation, "matrices", matrices), self.max_level)
    )
    if variant == "small" and rotations is not True:
        needed = (
            "a small bootstrap key needs rotations by any amount; pass rotations=True, and fixed rotation keys beside"
        )
        raise checks.refusal(operation, "rotations", rotations, needed, True)
    if variant is not None:
        make.check_bootstrap_key(self._context, operation, stage_count, size)
    keys: list[AnyKey] = []
    # There is no evaluation key without a key.
    if program is None or program.relinearizes or not (program.conjugates or rotations or matrices):
        keys.append(make.create_relinearization_key(self, secret, top, progress=progress))
    if program is None or program.conjugates:
        keys.append(make.create_conjugation_key(self, secret, top, progress=progress))
    if deltas is not None:
        keys += [make.create_fixed_rotation_key(self, secret, delta, top) for delta in deltas]
    elif rotations:
        keys.append(make.create_rotation_key(self, secret, top, progress=progress))
    if matrices is not False:
        keys.append(make.create_matrix_multiplication_key(self, secret, matrix_level, progress=progress))
    if variant == "small":
        keys.append(make.create_small_bootstrap_key(self, secret, progress=progress))
    elif variant is not None:
        create = make.create_lossy_bootstrap_key if variant == "lossy" else make.create_bootstrap_key
        keys.append(create(self, secret, stage_count, size, progress=progress))
    evaluation_key = EvaluationKey(keys)
    use(self, evaluation_key)
    return evaluation_key


def use(self: Core, *keys: EvaluationKey | AnyKey) -> None:
    """Use keys for operators, methods of ciphertexts and calls that leave keys out, from now on.

    A key takes the place of one of its kind and secret that the engine knew. `load` and `create_evaluation_key` do
    this by themselves; `forget_keys` undoes it. The engine holds the keys' memory until then.

    Examples
    --------
    >>> engine.use(relinearization_key)
    """
    singles: list[AnyKey] = []
    for key in keys:
        if isinstance(key, EvaluationKey):
            singles += key.keys
        elif isinstance(key, _KINDS):
            singles.append(key)
        else:
            raise OperandTypeError(
                f"use: a {type(key).__name__} was given, and evaluation keys are used; "
                f"make one with engine.create_evaluation_key(secret_key)",
                argument="keys",
                expected="EvaluationKey",
                actual=type(key).__name__,
            )
    for single in singles:
        self._registry.use(single)


def forget_keys(self: Core) -> None:
    """Forget the keys that operators use, so that their memory is free once nobody else holds them.

    Examples
    --------
    >>> other = Engine(max_level=1, insecure_log_n=10)
    >>> key = other.create_evaluation_key(other.create_secret_key())
    >>> other.forget_keys()
    """
    self._registry.forget()


def _program(self: Core, operation: str, value: Any) -> DryRun | None:
    """Return what is known of a program that keys are made for."""
    if value is None or isinstance(value, DryRun):
        return value
    if checks.flag(operation, "for_program", value):
        known: DryRun | None = self._program
        if known is None:
            needed = "the engine was made for none; pass what engine.dry_run returned, or call Engine.for_program"
            raise checks.refusal(operation, "for_program", value, needed, DryRun.__name__)
        return known
    return None


def _variant(context: _native.Context, operation: str, bootstrap: Any) -> str | None:
    if bootstrap is None:
        return "regular" if context.can_bootstrap else None
    # 1 and 0 stand for True and False.
    if not (isinstance(bootstrap, (bool, int, str, np.bool_)) and bootstrap in _BOOTSTRAPS):
        needed = "True, False, 'regular', 'lossy' and 'small' are offered; check its spelling"
        raise checks.refusal(operation, "bootstrap", bootstrap, needed, _BOOTSTRAPS)
    if not bootstrap:
        return None
    require_bootstrap(context, operation)
    return bootstrap if isinstance(bootstrap, str) else "regular"


def _deltas(slot_count: int, operation: str, rotations: Any) -> list[int]:
    """Check amounts, and reduce them: each once, without 0."""
    try:
        amounts = list(rotations)
    except TypeError:
        needed = "a bool or amounts in slots are needed; pass True for any amount, or a list such as [1, -1]"
        raise checks.wrong_type(operation, "rotations", rotations, "bool or iterable of int", needed) from None
    reduced = (_checks.amount(operation, amount, slot_count, "rotations") for amount in amounts)
    return sorted({delta for delta in reduced if delta})
