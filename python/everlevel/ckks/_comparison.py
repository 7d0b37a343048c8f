"""Signs and comparisons, to a stated precision.

All take real ciphertexts, and an evaluation key with a lossy or a small bootstrap key (that which the engine uses, if
left out). `gap` is the least size of a value (or a difference) whose sign must come out right to `error`, and `bound`
the largest size that occurs; `plan_sign` tells what they cost. Within the gap, signs lie between 0 and the right one,
so that minima, maxima and rectified values are right to gap/2, and absolute values to gap, **everywhere**.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._common import callers, checks
from ..errors import OperandTypeError, ParameterError, RangeError, RangeWarning
from . import _arithmetic, _checks, _operands, _sign_plan
from ._arithmetic import Operand
from ._auto import deepened
from ._bootstrap_keys import NativeKeys, check_stage_count, chosen_of, require_bootstrap
from ._core import Core
from ._shaping import combining, slotwise
from ._sign_plan import SignPlan
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import BootstrapKey, LossyBootstrapKey
from .plaintext import Plaintext

Precision = tuple[float, float, float]
"""Gap, error and bound."""

_USUAL_BOUNDS: Final = (1.0, 2.0)
"""Bounds of signs and of differences where none is given."""

_MARGIN: Final = 2.0**-40
"""Share of a bound that roundings of its sums stay below."""


def plan_sign(
    self: Core,
    *,
    gap: float = 2**-6,
    error: float = 2**-20,
    bound: float = 1.0,
    level: int | None = None,
    stage_count: int | None = None,
) -> SignPlan:
    """Plan a sign without computing it: polynomials, levels, bootstraps, and a bound of the error.

    Parameters
    ----------
    gap : float
        Least size of the values that count, at least `bound`/4096.
    error : float
        Largest distance to ±1 outside of the gap, at least 2^-26.
    bound : float
        Largest size of the values. Beyond 1, the first polynomial is of degree 3 or 7. Operations that find larger
        values declared take these as theirs, up to 4096 gaps; beyond them, a bound that is given is a claim, and a
        `RangeWarning` says so.
    level : int, optional
        The ciphertext's level; the highest, if left out.
    stage_count : int, optional
        Of the bootstrap key; 3, or the nearest that the slots allow, if left out.

    Returns
    -------
    SignPlan
        Call it with numbers to see what a noiseless engine would make of them.

    Raises
    ------
    ParameterError
        If gap, error or bound are out of range, or the level leaves none for polynomials.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> deep.plan_sign(gap=2**-7)
    SignPlan(0.0078 ≤ |x| ≤ 1: error 7e-07 (2^-20.5); degrees 31 31; 1 sign bootstraps; levels 10)
    >>> deep.plan_sign(gap=2**-7)(np.array([0.01, -0.5])).round(5)
    array([ 1., -1.])
    """
    start = _checks.level("plan_sign", level, self.max_level)
    stages = check_stage_count(self._context, "plan_sign", stage_count)
    checked = check_precision("plan_sign", gap, error, bound)
    return _sign_plan.plan(checked, start - stages, self.max_level - stages)


@slotwise(keeps_zeros=False, needs_zeros=True)
@deepened
def sign(
    self: Core,
    x: Ciphertext,
    evaluation_key: EvaluationKey | None = None,
    *,
    gap: float = 2**-6,
    error: float = 2**-20,
    bound: float = 1.0,
    progress: bool | None = None,
) -> Ciphertext:
    """Compute the sign of every value: ±1 up to `error` where values are of size `gap` to `bound`.

    Values within the gap come out between 0 and their sign; beyond the bound anything comes out.

    Polynomials amplify, and sign bootstraps end their rounds (`plan_sign`). Cost: one sign bootstrap for each
    round; from the highest level, one down to a gap of 2^-7 and two down to 2^-12. Levels: the result is at the
    highest. A ciphertext with fewer than 2 levels above `stage_count` is bootstrapped first.

    Parameters
    ----------
    x : Ciphertext
        Real, of two polynomials.
    evaluation_key : EvaluationKey, optional
        With a lossy or a small bootstrap key; the keys that the engine uses, if left out.
    gap, error, bound
        As in `plan_sign`.
    progress : bool, optional
        Whether bars are shown; as the engine says, if left out.

    Raises
    ------
    OperandTypeError
        If the ciphertext is complex.
    MissingKeyError, KeyMismatchError
        If a key is missing, or the bootstrap key is a regular one.
    ParameterError
        As in `plan_sign`.

    References
    ----------
    Lee, Lee, Lee, No, "Minimax approximation of sign function by composite polynomial for homomorphic
    comparison", eprint 2020/834; Cheon, Kim, Kim, eprint 2019/1234.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy", rotations=False)
    >>> x = deep.encrypt([-0.7, 0.1, 0.02], secret)
    >>> deep.decrypt(deep.sign(x, key), secret)[:3].round(4)
    array([-1.,  1.,  1.])
    """
    return of_sign(self, "sign", x, evaluation_key, (gap, error, bound), progress)


@combining("any")
@deepened
def compare(
    self: Core,
    left: Operand,
    right: Operand,
    evaluation_key: EvaluationKey | None = None,
    *,
    gap: float = 2**-6,
    error: float = 2**-20,
    bound: float = 2.0,
    progress: bool | None = None,
) -> Ciphertext:
    """Compute 1 where `left` > `right` and 0 where it is less, up to `error`/2; 1/2 where they are equal.

    Levels: the result is one below the highest. Cost: that of `sign`.

    Parameters
    ----------
    left, right : Ciphertext, Plaintext, array_like or number
        Real; at least one of them a ciphertext.
    evaluation_key, progress
        As in `sign`.
    gap, error, bound
        As in `sign`, of the difference: 2 bounds that of values in [-1, 1], and 1 that of values in [0, 1], which
        costs less.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([0.5, -0.5], secret, bound=1)
    >>> deep.decrypt(deep.compare(x, 0.25), secret).round(3) + 0
    array([1., 0.])
    """
    # left > right is right < left.
    operation = "compare" if isinstance(left, Ciphertext) else "compare_less"
    return of_difference(self, operation, left, right, evaluation_key, (gap, error, bound), progress)


def of_sign(
    self: Core, operation: str, value: Any, key: Any, precision: tuple[Any, Any, Any], progress: bool | None
) -> Ciphertext:
    """Compute a sign, or what is made of it and its argument."""
    x, checked = real(operation, value), check_precision(operation, *precision)
    keys = sign_keys(self, operation, x, key)
    try:
        return run(self, operation, progress, checked, _native.of_sign, operation, x._native, keys)
    except RangeError as refusal:
        x = _claimed(self, operation, x, checked[2], refusal)
    return run(self, operation, progress, checked, _native.of_sign, operation, x._native, keys)


def of_difference(
    self: Core, circuit: str, left: Any, right: Any, key: Any, precision: tuple[Any, Any, Any], progress: bool | None
) -> Ciphertext:
    """Compute a comparison or an extremum, whose circuit takes the ciphertext first."""
    operation = circuit.removesuffix("_less")
    checked = check_precision(operation, *precision)
    left, right = _arithmetic.order(self, operation, left, right, raised=True)
    x, other = real(operation, left), _real_operand(self, operation, right)
    keys = sign_keys(self, operation, x, key)
    try:
        return run(self, operation, progress, checked, _native.of_difference, circuit, (x._native, other), keys)
    except RangeError as refusal:
        if operation != "compare":
            raise
        difference = _claimed(self, operation, _arithmetic.subtract(self, left, right), checked[2], refusal)
    return run(self, operation, progress, checked, _native.of_difference, circuit, (difference._native, 0.0), keys)


def _claimed(self: Core, operation: str, x: Ciphertext, bound: float, refusal: RangeError) -> Ciphertext:
    """Take a bound that isn't the usual one as the caller's claim, where values are declared to be too large for it."""
    if refusal.room != bound or refusal.bound is None or bound in _USUAL_BOUNDS or self._context.refuses_assumed:
        raise refusal
    warning = RangeWarning(
        f"{operation}: values may be as large as {refusal.bound:.6g}, and bound is {bound:g}, which is taken as a "
        f"claim: the result is wrong where one is larger; claim it where it is known, x.within({bound:g})",
        bound=refusal.bound,
        room=bound,
        level=x.level,
    )
    callers.warn_once("sign", warning)
    return x.within(bound)


def run(
    self: Core,
    operation: str,
    progress: bool | None,
    precision: Precision,
    circuit: Callable[..., tuple[_native.Ciphertext, int]],
    *arguments: Any,
) -> Ciphertext:
    """Run a circuit that has a real result, and count its bootstraps.

    Where values are declared to be larger than the precision's bound, theirs takes its place.
    """
    gap, error, bound = precision
    with self._reporting(operation, progress) as report:
        try:
            native, bootstraps = circuit(self._context, *arguments, precision, report)
        except RangeError as refusal:
            # What is found before any work. Other refusals name another room.
            if refusal.bound is None or refusal.room != bound:
                raise
            wider = gap, error, refusal.bound * (1 + _MARGIN)
            try:
                native, bootstraps = circuit(self._context, *arguments, wider, report)
            except ParameterError:
                raise refusal from None
    self._counters.add(bootstraps)
    return self._wrap(native, is_real=True)


def real(operation: str, value: Any) -> Ciphertext:
    """Check that an operand is a real ciphertext of two polynomials."""
    ciphertext = _operands.relinearized(operation, value)
    if not ciphertext.is_real:
        raise _complex(operation, "the ciphertext is")
    return ciphertext


def _real_operand(
    self: Core, operation: str, value: Any
) -> _native.Ciphertext | _native.Plaintext | float | NDArray[np.float64]:
    """Check that an operand of any kind is real."""
    if isinstance(value, Ciphertext):
        return real(operation, value)._native
    operand: _native.Plaintext | float | NDArray[np.float64]
    if isinstance(value, Plaintext):
        operand, is_real = value._native, value.is_real
    elif _checks.is_scalar(value):
        number = _checks.scalar(operation, value)
        operand, is_real = number.real, number.imag == 0
    else:
        values, is_real = _checks.message(operation, value, self.slot_count)
        operand = np.ascontiguousarray(values.real)
    if not is_real:
        raise _complex(operation, "an operand is")
    return operand


def _complex(operation: str, what: str) -> OperandTypeError:
    return OperandTypeError(
        f"{operation}: {what} complex, and signs are those of real values; take its real part, "
        f"0.5 * (x + x.conjugate()), or encrypt a real message",
        argument="x",
        expected="real",
        actual="complex",
    )


def sign_keys(self: Core, operation: str, x: Ciphertext, key: Any) -> NativeKeys:
    """Choose the keys of sign bootstraps: with a bootstrap key that has both orders, or a small one."""
    require_bootstrap(self._context, operation)
    if key is not None:
        key = checks.instance(operation, "evaluation_key", key, EvaluationKey)
        if not key.has_small_bootstrap and key.part(operation, BootstrapKey)._native.kind == "regular":
            key.part(operation, LossyBootstrapKey)
    return chosen_of(self, operation, x, key)


def check_precision(operation: str, gap: Any, error: Any, bound: Any) -> Precision:
    """Check that a precision is made of numbers. Which of them are offered is known in the core."""
    sizes = checks.number(gap), checks.number(error), checks.number(bound)
    for name, value, size in zip(("gap", "error", "bound"), (gap, error, bound), sizes, strict=True):
        if np.isnan(size):
            raise checks.refusal(operation, name, value, "a number is needed; leave it out for the usual one")
    return sizes
