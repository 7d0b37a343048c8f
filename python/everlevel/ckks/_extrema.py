"""Minima, maxima, and other products with a sign.

They are right everywhere: where a sign is uncertain, the factor that it is multiplied with is small.
"""

from __future__ import annotations

from typing import Any

from .. import _native
from .._common import checks
from . import _comparison, _slots
from ._arithmetic import Operand
from ._auto import deepened
from ._core import Core
from ._shaping import combining, on_slots, slotwise
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey


@combining("same")
@deepened
def maximum(
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
    """Compute the larger value, slot by slot, with an error of at most `gap`/2.

    Where the values differ by `gap` or more it is at most `bound`·`error`/2, beside that of bootstraps. The result's
    `precision_floor` counts what is lost within the gap, and its `precision_bits` how rare that is among differences
    that are spread over the bound. Arguments are those of `compare`. Levels consumed: 1, and none of what is above
    the highest but one. Operands whose levels would need a further round are bootstrapped first, both at once if they
    can be.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x, y = deep.encrypt([0.5, -0.5], secret, bound=1), deep.encrypt([0.0, 0.25], secret, bound=1)
    >>> deep.decrypt(deep.maximum(x, y), secret).round(2)
    array([0.5 , 0.25])
    """
    return _comparison.of_difference(self, "maximum", left, right, evaluation_key, (gap, error, bound), progress)


@combining("same")
@deepened
def minimum(
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
    """Compute the smaller value, slot by slot. All else is as in `maximum`.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([0.5, -0.5], secret, bound=1)
    >>> deep.decrypt(deep.minimum(x, 0.25), secret).round(2)
    array([ 0.25, -0.5 ])
    """
    return _comparison.of_difference(self, "minimum", left, right, evaluation_key, (gap, error, bound), progress)


@slotwise(needs_zeros=True)
@deepened
def relu(
    self: Core,
    x: Ciphertext,
    evaluation_key: EvaluationKey | None = None,
    *,
    gap: float = 2**-6,
    error: float = 2**-20,
    bound: float = 1.0,
    progress: bool | None = None,
) -> Ciphertext:
    """Compute max(x, 0), with an error of at most `gap`/2. Arguments are those of `sign`; levels consumed: 1.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([0.5, -0.5], secret, bound=1)
    >>> deep.decrypt(deep.relu(x), secret).round(2) + 0
    array([0.5, 0. ])
    """
    return _comparison.of_sign(self, "relu", x, evaluation_key, (gap, error, bound), progress)


@slotwise(needs_zeros=True)
@deepened
def abs(  # noqa: A001 (NumPy's name)
    self: Core,
    x: Ciphertext,
    evaluation_key: EvaluationKey | None = None,
    *,
    gap: float = 2**-6,
    error: float = 2**-20,
    bound: float = 1.0,
    progress: bool | None = None,
) -> Ciphertext:
    """Compute the absolute value, with an error of at most `gap`. All else is as in `relu`.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([0.5, -0.25], secret, bound=1)
    >>> deep.decrypt(deep.abs(x), secret).round(2)
    array([0.5 , 0.25])
    """
    return _comparison.of_sign(self, "abs", x, evaluation_key, (gap, error, bound), progress)


@on_slots
@deepened
def max_of_slots(
    self: Core,
    x: Ciphertext,
    evaluation_key: EvaluationKey | None = None,
    *,
    count: int | None = None,
    gap: float = 2**-6,
    error: float = 2**-20,
    bound: float = 2.0,
    progress: bool | None = None,
) -> Ciphertext:
    """Put the largest of the first `count` values into slot 0, by a tree of ceil(log2(count)) maxima.

    If `count` is left out, all values count, and every slot gets the result; else the other slots hold maxima of
    other values. The error is at most that of `maximum` for each row of the tree. Levels consumed: 1 for
    each row, and bootstraps in between as in `maximum`.

    Parameters
    ----------
    x, evaluation_key, gap, error, bound, progress
        As in `maximum`; the key has rotations by powers of two (`rotations=True`) or by those that `count` needs.
    count : int, optional
        1 to `slot_count`. The values beyond are compared, too: their differences must be within `bound` as well.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([0.5, -0.25, 0.75, 0.0], secret, bound=1)
    >>> float(deep.decrypt(deep.max_of_slots(x, count=4), secret)[0].round(2))
    0.75
    """
    return _extremum_of_slots(self, "max_of_slots", x, evaluation_key, count, (gap, error, bound), progress)


@on_slots
@deepened
def min_of_slots(
    self: Core,
    x: Ciphertext,
    evaluation_key: EvaluationKey | None = None,
    *,
    count: int | None = None,
    gap: float = 2**-6,
    error: float = 2**-20,
    bound: float = 2.0,
    progress: bool | None = None,
) -> Ciphertext:
    """Put the smallest of the first `count` values into slot 0. All else is as in `max_of_slots`.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([0.5, -0.25, 0.75, 0.0], secret, bound=1)
    >>> float(deep.decrypt(deep.min_of_slots(x, count=4), secret)[0].round(2))
    -0.25
    """
    return _extremum_of_slots(self, "min_of_slots", x, evaluation_key, count, (gap, error, bound), progress)


def _extremum_of_slots(
    self: Core, operation: str, value: Any, key: Any, count: Any, precision: tuple[Any, Any, Any], progress: bool | None
) -> Ciphertext:
    x, checked = _comparison.real(operation, value), _comparison.check_precision(operation, *precision)
    search = check_width(self.slot_count, operation, count), operation.startswith("max")
    keys = _comparison.sign_keys(self, operation, x, key)
    rotations = _slots.rotations(self, operation, x, key, search[0])
    arguments = x._native, (keys, rotations), search
    return _comparison.run(self, operation, progress, checked, _native.extremum_of_slots, *arguments)


def check_width(slot_count: int, operation: str, count: Any) -> int:
    """Check how many slots count."""
    if count is None:
        return slot_count
    return checks.integer_between(operation, "count", count, 1, slot_count, "leave it out for all slots")
