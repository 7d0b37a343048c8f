"""Where the largest and the smallest value are."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from . import _arithmetic, _bootstraps, _comparison, _extrema, _matrices, _polynomials, _sign_plan, _slots
from ._core import Core
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import RotationKey

_CLEANING: Final = (0.0, 0.0, 3.0, -2.0)
"""3h² - 2h³ keeps 0 and 1, and makes 3ε² of a distance ε to either."""

Keys = EvaluationKey | RotationKey


def argmax_of_slots(
    self: Core,
    x: Ciphertext,
    evaluation_key: EvaluationKey | None = None,
    *,
    count: int | None = None,
    one_hot: bool = False,
    gap: float = 2**-6,
    error: float = 2**-20,
    bound: float = 2.0,
    progress: bool | None = None,
) -> Ciphertext:
    """Compute the index of the largest of the first `count` values, if it exceeds the others by `gap` or more.

    Few values, of which about `count`² fit the slots, are compared all at once, each with each, and a value is the
    largest if it wins every comparison. More of them take the tree of `max_of_slots`, and one comparison with what
    comes out. Cost: that of one `sign`, and of a lossy bootstrap before it; or of that `max_of_slots`, and one
    `sign` of half the gap.

    Parameters
    ----------
    x : Ciphertext
        Real, of two polynomials. Of several units, each has its own index.
    evaluation_key : EvaluationKey, optional
        With a lossy or a small bootstrap key, and with rotations by any amount (`rotations=True`; `matrices=True`
        makes it faster); the keys that the engine uses, if left out.
    count : int, optional
        1 to `slot_count`; all values, if left out.
    one_hot : bool, default False
        Give 1 in the slot of the largest value and 0 in the others, in the place of the index.
    gap, error, bound
        As in `compare`: of differences. `gap` is at least `bound`/4096, and `bound`/2048 with a tree. A tree
        compares the values beyond `count`, too: their differences must be within `bound` as well.
    progress : bool, optional
        Whether bars are shown; as the engine says, if left out.

    Returns
    -------
    Ciphertext
        The index in every slot, or the vector of one 1. The latter is right to 3·(`count`·`error`/2)², or with a
        tree to 3·(`error`/2)², beside the noise of its level; the index to `count`²/2 times that, and rounds to
        the right one. Within the gap, several slots may have parts of the 1, and the index is of no use. Levels:
        at most 4 below the highest with a tree, and else log2(`count`) + 4 or less.

    Raises
    ------
    OperandTypeError, MissingKeyError, KeyMismatchError, ParameterError
        As in `max_of_slots`.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([0.1, -0.4, 0.8, 0.7], secret)
    >>> index = deep.argmax_of_slots(x, key, count=4)
    >>> round(float(deep.decrypt(index, secret)[0]))
    2
    >>> deep.decrypt(deep.argmin_of_slots(x, key, count=4, one_hot=True), secret)[:4].round(3) + 0
    array([0., 1., 0., 0.])
    """
    return _argument(self, "max", x, evaluation_key, count, one_hot, (gap, error, bound), progress)


def argmin_of_slots(
    self: Core,
    x: Ciphertext,
    evaluation_key: EvaluationKey | None = None,
    *,
    count: int | None = None,
    one_hot: bool = False,
    gap: float = 2**-6,
    error: float = 2**-20,
    bound: float = 2.0,
    progress: bool | None = None,
) -> Ciphertext:
    """Compute the index of the smallest of the first `count` values. All else is as in `argmax_of_slots`."""
    return _argument(self, "min", x, evaluation_key, count, one_hot, (gap, error, bound), progress)


def _argument(
    self: Core, which: str, value: Any, key: Any, count: Any, one_hot: bool, precision: Any, progress: bool | None
) -> Ciphertext:
    operation = f"arg{which}_of_slots"
    width, x = _extrema.check_width(self.slot_count, operation, count), _comparison.real(operation, value)
    _comparison.sign_stages(self, operation, x, key)
    gap, error, bound = _comparison.check_precision(operation, *precision)
    keys: Keys = self._registry.find(operation, RotationKey, x._native.secret_id) if key is None else key
    # Differences are divided by their bound, with the sign under which the largest is looked for.
    factor = (1 if which == "max" else -1) / bound
    if width == 1:
        found = _with_levels(self, x, 1, key, progress) * 0 + 1
    elif _blocks(width) * width <= self.slot_count:
        found = _wins(self, operation, x, key, keys, width, factor, (gap / bound, error, 1.0), progress)
    else:
        extremum = _extrema.extremum_of_slots(self, f"{which}_of_slots", x, key, width, (gap, error, bound), progress)
        found = _at(self, operation, x, extremum, key, keys, width, factor, (gap / bound, error), progress)
    if width > 1:
        found = _polynomials.evaluate_polynomial(self, found, _CLEANING, key)
    places = found * _in_all_units(self.slot_count, found, np.ones(width) if one_hot else np.arange(float(width)))
    return places if one_hot else _slots.sum(self, places, keys, 1)


def _wins(
    self: Core,
    operation: str,
    x: Ciphertext,
    key: Any,
    keys: Keys,
    width: int,
    factor: float,
    precision: Any,
    progress: bool | None,
) -> Ciphertext:
    """Compute 1 where a value exceeds all others, 0 where one exceeds it: the product of all its comparisons.

    Slot k·width + i compares the value i with the one k + 1 places on.
    """
    places, pairs = np.arange(width), (width - 1) * width
    matrix = np.zeros((pairs, width))
    for k in range(1, width):
        rows = (k - 1) * width + places
        matrix[rows, places] = factor
        matrix[rows, (places + k) % width] = -factor
    x = _low_or_high_enough(self, operation, x, key, precision, progress)
    difference = _matrices.multiply_matrix(self, matrix, x, keys)
    (difference,) = _extrema.raised(self, operation, (difference,), key, precision, progress)
    sign = _comparison.compute_sign(self, operation, difference, key, precision, progress)
    # (1 + sign)/2, and 1 beyond the pairs.
    half = _in_all_units(self.slot_count, sign, np.full(pairs, 0.5))
    wins = sign * half + (1 - half)
    step = width
    while step < _blocks(width) * width:
        wins = _extrema.times(self, operation, wins, _slots.rotate(self, wins, keys, -step), key)
        step *= 2
    return wins


def _at(
    self: Core,
    operation: str,
    x: Ciphertext,
    extremum: Ciphertext,
    key: Any,
    keys: Keys,
    width: int,
    factor: float,
    precision: tuple[float, float],
    progress: bool | None,
) -> Ciphertext:
    """Compute 1 where a value is less than half the gap away from the extremum, 0 where it is further."""
    gap, error = precision
    if width < self.slot_count:
        # From slot 0 to all others.
        extremum = _with_levels(self, extremum, 2, key, progress)
        extremum = _slots.sum(self, extremum * _in_all_units(self.slot_count, extremum, np.ones(1)), keys, 1)
    x, extremum = (_with_levels(self, operand, 1, key, progress) for operand in (x, extremum))
    inside = _in_all_units(self.slot_count, x, np.ones(width))
    difference = (x - extremum) * (factor * inside) + gap / 2 * inside
    of_half = (gap / 2, error, 1.0)
    (difference,) = _extrema.raised(self, operation, (difference,), key, of_half, progress)
    return _comparison.indicator(self, operation, difference, key, of_half, progress)


def _low_or_high_enough(
    self: Core, operation: str, x: Ciphertext, key: Any, precision: Any, progress: bool | None
) -> Ciphertext:
    """Choose the level of a product with a matrix: so that a sign can follow, or else the least for a bootstrap."""
    x, stages = _with_levels(self, x, 1, key, progress), _comparison.sign_stages(self, operation, x, key)
    after = x.level - 1
    if after >= stages + min(_sign_plan.DEPTHS):
        rounds = [
            _comparison.make_plan(self, operation, precision, level, stages).bootstrap_count
            for level in (after, self.max_level)
        ]
        if rounds[0] == rounds[1]:
            return x
    return _arithmetic.level_down(self, x, min(x.level, stages + 1))


def _with_levels(self: Core, x: Ciphertext, needed: int, key: Any, progress: bool | None) -> Ciphertext:
    return x if x.level >= needed else _bootstraps.bootstrap(self, x, key, progress=progress)


def _in_all_units(slot_count: int, ciphertext: Ciphertext, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fill values up to the slots with zeros, for each unit of a ciphertext."""
    return np.tile(np.pad(values, (0, slot_count - len(values))), len(ciphertext))


def _blocks(width: int) -> int:
    """Return the power of two from width - 1 up: blocks of comparisons, with those that fill up their product."""
    return 1 << max(0, width - 2).bit_length()
