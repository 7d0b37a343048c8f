"""Signs and comparisons, to a stated precision.

All take real ciphertexts, and an evaluation key with a lossy or a small bootstrap key (that which the engine uses, if
left out). `gap` is the least size of a value (or a difference) whose sign must come out right to `error`, and `bound`
the largest size that occurs; `plan_sign` tells what they cost. Within the gap, signs lie between 0 and the right one,
so that minima, maxima and rectified values are right to gap/2, and absolute values to gap, **everywhere**.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import isclose
from typing import Any

import numpy as np

from .. import _native
from .._common import checks
from .._common.sizes import at_least
from ..errors import KeyMismatchError, OperandTypeError, ParameterError, RangeError
from . import _arithmetic, _checks, _operands, _sign_plan
from ._arithmetic import Operand
from ._bootstrap_keys import check_stage_count, chosen_of, require_bootstrap
from ._core import Core
from ._options import default_stage_count
from ._sign_plan import SignPlan
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import BootstrapKey, LossyBootstrapKey, SmallBootstrapKey

_SMALLEST_GAP = 2.0**-12
"""Of the bound: below, the noise of a polynomial is no longer small beside what it makes of the gap."""
_SMALLEST_ERROR = 2.0**-26


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
        Largest size of the values. Beyond 1, the first polynomial is of degree 3 or 7.
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
    return make_plan(self, "plan_sign", (gap, error, bound), start, stages)


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
    return compute_sign(self, "sign", x, evaluation_key, (gap, error, bound), progress)


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
    """
    operation = "compare"
    precision = check_precision(operation, gap, error, bound)
    difference, _ = difference_of(self, left, right, precision[2])
    return indicator(self, operation, difference, evaluation_key, precision, progress)


def compute_sign(
    self: Core, operation: str, value: Any, key: Any, precision: tuple[float, float, float], progress: bool | None
) -> Ciphertext:
    x = real(operation, value)
    sign_stages(self, operation, x, key)
    checked = check_precision(operation, *precision)
    keys = chosen_of(self, operation, x, key)
    with named_after(operation, checked[2]), self._reporting("sign", progress) as report:
        native, bootstraps = _native.sign(self._context, x._native, keys, checked, report)
    self._counters.add(bootstraps)
    return self._wrap(native, is_real=True)


def indicator(self: Core, operation: str, x: Any, key: Any, precision: Any, progress: bool | None) -> Ciphertext:
    """Compute 1 for positive values, 0 for negative ones."""
    sign = compute_sign(self, operation, x, key, precision, progress)
    return _arithmetic.add(self, _arithmetic.multiply(self, sign, 0.5), 0.5)


@contextmanager
def named_after(operation: str, bound: float) -> Iterator[None]:
    """Let a sign be refused by the name of who asked for one, and values that are too large by its own `bound`."""
    try:
        yield
    except ParameterError as refused:
        refused.args = (str(refused).replace("sign: ", f"{operation}: ", 1),)
        raise
    except RangeError as refused:
        if refused.bound is None or not isclose(refused.room or 0.0, bound, rel_tol=1e-6):
            raise
        raise RangeError(
            f"{operation}: values may be as large as {refused.bound:.6g}, and bound is {bound:.6g}; "
            f"pass {operation}(…, bound={at_least(refused.bound)}), or claim that they are smaller: "
            f"engine.assume_bound(x, {bound:g})",
            bound=refused.bound,
            room=bound,
            level=refused.level,
        ) from None


def make_plan(self: Core, operation: str, precision: tuple[float, float, float], level: int, stages: int) -> SignPlan:
    gap, error, bound = check_precision(operation, *precision)
    with named_after(operation, bound):
        return _sign_plan.plan(gap, bound, error, level - stages, self.max_level - stages)


def real(operation: str, value: Any) -> Ciphertext:
    ciphertext = _operands.relinearized(operation, value)
    if not ciphertext.is_real:
        raise OperandTypeError(
            f"{operation}: the ciphertext is complex, and signs are those of real values; take its real part, "
            f"0.5 * (x + x.conjugate()), or encrypt a real message",
            argument="x",
            expected="real",
            actual="complex",
        )
    return ciphertext


def sign_stages(self: Core, operation: str, x: Ciphertext, key: Any) -> int:
    """Return the stages of the key for sign bootstraps: a lossy one, or a small one."""
    require_bootstrap(self._context, operation)
    if key is not None:
        key = checks.instance(operation, "evaluation_key", key, EvaluationKey)
        small, part = key.has_small_bootstrap, key.part
        return default_stage_count(self._context) if small else part(operation, LossyBootstrapKey).stage_count
    secret_id = x._native.secret_id
    found = self._registry.get(BootstrapKey, secret_id)
    if found is None and self._registry.get(SmallBootstrapKey, secret_id) is not None:
        return default_stage_count(self._context)
    found = self._registry.find(operation, BootstrapKey, secret_id)
    if isinstance(found, LossyBootstrapKey):
        return found.stage_count
    raise KeyMismatchError(
        f"{operation}: the engine uses a regular bootstrap key, and a lossy one is needed for sign bootstraps; "
        f"make one with engine.create_evaluation_key(secret_key, bootstrap='lossy')",
        key="bootstrap key",
        expected="lossy",
        actual="regular",
    )


def difference_of(self: Core, left: Any, right: Any, bound: float) -> tuple[Ciphertext, float]:
    """Subtract two operands whose difference is claimed to be within a bound, if their own bounds are.

    The second value is the sum of their bounds.
    """
    difference = _arithmetic.subtract(self, left, right)
    if any(isinstance(x, Ciphertext) and x.bound > bound for x in (left, right)):
        return difference, difference.bound
    within = self._context.within(difference._native, float(bound))
    return self._wrap(within, is_real=difference.is_real), difference.bound


def check_precision(operation: str, gap: Any, error: Any, bound: Any) -> tuple[float, float, float]:
    sizes = checks.number(gap), checks.number(error), checks.number(bound)
    for name, value, size, low, high in (
        ("bound", bound, sizes[2], 0.0, np.inf),
        ("gap", gap, sizes[0], _SMALLEST_GAP * sizes[2], sizes[2]),
        ("error", error, sizes[1], _SMALLEST_ERROR, 0.5),
    ):
        if not (low <= size < high and size > 0):
            raise ParameterError(
                f"{operation}: {name} is {value!r}, and at least {low:g} and less than {high:g} is offered; "
                f"choose it so, or scale the values",
                option=name,
                value=value,
                allowed=(low, high),
            )
    return sizes
