"""Sorted values: Batcher's bitonic network of maxima and minima, all pairs of a stage at once.

A stage has a partner for each slot, at a distance of a power of two, and a sign: the slot takes the maximum of both
where the sign is 1, and the minimum where it is -1, which is ``-max(-x, -y)``. So each stage is one `Engine.maximum`,
and its signs go into the masks that bring partners together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._common import checks
from .._common.slot_shapes import SLOTS
from . import _checks
from ._bootstrap_keys import require_bootstrap
from ._elementary import real
from ._layouts import counted
from ._numpy import NUMPY
from ._shaping import in_slots, known, of_shape, require_vector
from .ciphertext import Ciphertext

__all__ = ["median", "sort", "top_k"]

Array = NDArray[np.float64]
Stage = tuple[int, Array]
"""The distance of partners, and the sign of each slot."""

MARGIN: Final = 1 + 2.0**-10
"""By how much the noise of all stages may put values beyond their bound."""


def sort(x: Ciphertext, *, count: int | None = None) -> Ciphertext:
    """Sort the first slots in rising order, as ``numpy.sort`` does.

    In each stage of the network, values that differ by less than the engine's gap, a share of twice the bound, may come
    nearer to one another, each by at most half of the gap; all others change their places alone. Equal values stay what
    they are.

    Parameters
    ----------
    x : Ciphertext
        Real, of one unit and two polynomials.
    count : int, optional
        The slots that count, from the first on: best up to 64. All values of x, if left out.

    Returns
    -------
    Ciphertext
        As many values as count; three levels below the highest. Cost: for 2^k values
        k(k + 1)/2 stages, 21 for 64, each an `Engine.maximum` with a bootstrap before it.

    Raises
    ------
    ParameterError
        If `count` isn't 1 to `slot_count`, or the engine has no bootstraps.
    UnitCountError, OperandTypeError, LevelError, MissingKeyError, KeyMismatchError
        If x has several units, is complex or at level 0, or as in `Engine.maximum`; or if the engine knows no rotation
        key.

    References
    ----------
    Batcher, "Sorting networks and their applications", AFIPS 1968.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([0.5, -1.0, 0.75], secret, bound=1)
    >>> deep.decrypt(everlevel.sort(x), secret).round(2)
    array([-1.  ,  0.5 ,  0.75])
    """
    require_vector("sort", checks.instance("sort", "x", x, Ciphertext))
    value, width = _checked("sort", x, count)
    return of_shape(_network(value, width, width, rising=True, weights=np.ones(width)), (width,))


@NUMPY.implements(np.sort)
def _numpy_sort(a: Ciphertext) -> Ciphertext:
    return sort(a)


def top_k(x: Ciphertext, k: int, *, count: int | None = None) -> Ciphertext:
    """Find the k largest values of the first slots, in falling order.

    Parameters
    ----------
    x, count
        As in `sort`; best up to 256 slots.
    k : int
        1 to `count`.

    Returns
    -------
    Ciphertext
        k values; all else is as in `sort`. Cost: for k = 2^a of 2^b
        values, a(a + 1)/2 + (b - a)(a + 1) stages: 8 for 1 of 256, 26 for 8 of them.

    Raises
    ------
    ParameterError
        If k isn't 1 to `count`; otherwise as in `sort`.
    UnitCountError, OperandTypeError, LevelError, MissingKeyError, KeyMismatchError
        As in `sort`.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([0.5, -1.0, 0.75, 0.0], secret, bound=1)
    >>> deep.decrypt(everlevel.top_k(x, 2), secret).round(2)
    array([0.75, 0.5 ])
    """
    value, width = _checked("top_k", x, count)
    kept = checks.integer_between("top_k", "k", k, 1, width, "choose from these, or a larger count")
    return of_shape(_network(value, width, kept, rising=False, weights=np.ones(kept)), (kept,))


@NUMPY.implements(np.quantile)
def _quantile(a: Ciphertext, q: ArrayLike) -> Ciphertext:
    """Compute quantiles of a vector, between the two nearest of the sorted values."""
    shares = _checks.numbers("quantile", q)
    if shares.dtype.kind == "c" or not np.all((shares >= 0) & (shares <= 1)):
        raise checks.refusal(
            "quantile", "q", q, "shares from 0 to 1 are needed; numpy.percentile takes them in percent"
        )
    values = sort(a)
    places = np.minimum(np.ravel(shares) * (len(values) - 1), len(values) - 1)
    # Of each unit vector, what is at a place between two.
    weights = np.maximum(1 - np.abs(places[:, None] - np.arange(len(values))), 0)
    found = cast(Ciphertext, NUMPY.functions[np.matmul](weights, values))
    return found[: len(places)].reshape(shares.shape) if shares.ndim else found[0]


@NUMPY.implements(np.percentile)
def _percentile(a: Ciphertext, q: ArrayLike) -> Ciphertext:
    return _quantile(a, _checks.numbers("percentile", q) / 100)


@NUMPY.implements(np.median)
def _numpy_median(a: Ciphertext) -> Ciphertext:
    return median(a)


def median(x: Ciphertext, *, count: int | None = None) -> Ciphertext:
    """Compute the median of the first slots, as ``numpy.median`` does.

    Parameters
    ----------
    x, count
        As in `sort`; best up to 256 slots.

    Returns
    -------
    Ciphertext
        Of shape (): the middle one of the sorted values, or the mean of both. All else is as in `sort`.

    Raises
    ------
    ParameterError, UnitCountError, OperandTypeError, LevelError, MissingKeyError, KeyMismatchError
        As in `sort`.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([0.5, -1.0, 0.75], secret, bound=1)
    >>> float(deep.decrypt(everlevel.median(x), secret).round(2))
    0.5
    """
    value, width = _checked("median", x, count)
    weights = np.zeros(width)
    weights[(width - 1) // 2] += 0.5
    weights[width // 2] += 0.5
    total: Ciphertext = _network(value, width, width, rising=True, weights=weights).sum()
    result = known(total, value.bound * MARGIN)
    return result if x._layout == SLOTS else of_shape(result, ())


def stages(width: int, kept: int) -> Iterator[Stage]:
    """Return the stages that bring the largest values of a power of two, in falling order, to the first places.

    Blocks are sorted in falling and rising order by turns; the maxima of two such blocks are their largest values, of
    which a block's last stages make a sorted one again.
    """
    places = np.arange(width)

    def merged(size: int, turn: int) -> Iterator[Stage]:
        distance = size // 2
        while distance:
            yield distance, np.where((places & distance == 0) == (places & turn == 0), 1.0, -1.0)
            distance //= 2

    size = 2
    while size <= kept:
        yield from merged(size, size)
        size *= 2
    distance = kept
    while distance < width:
        yield distance, np.ones(width)
        yield from merged(kept, 2 * distance)
        distance *= 2


def _checked(operation: str, x: Any, count: Any) -> tuple[Ciphertext, int]:
    value, width = counted(operation, x, count)
    require_bootstrap(cast(Any, real(operation, value)._engine)._context, operation)
    return value, width


def _network(x: Ciphertext, count: int, kept: int, *, rising: bool, weights: Array) -> Ciphertext:
    """Run the network on the first slots, and multiply the first sorted values by weights."""
    engine, slots, bound = cast(Any, x._engine), x.slot_count, x.bound or 1.0
    width, blocks = 1 << (count - 1).bit_length(), 1 << (kept - 1).bit_length()
    turned = -1.0 if rising else 1.0
    # What slots hold times `signs` are values in [-1, 1], where bootstraps err least; the padding sorts behind them.
    signs, padding = np.zeros(slots), np.zeros(slots)
    signs[:count], padding[count:width] = 1 / bound, -turned
    for distance, of_stage in stages(width, blocks):
        after = np.zeros(slots)
        after[:width] = turned * of_stage
        low, high = np.zeros(slots), np.zeros(slots)
        is_low = np.arange(width) & distance == 0
        low[:width], high[:width] = is_low, ~is_low
        back, forth = engine.rotate_batch(x, deltas=[-distance, distance])
        partner = back * (low * after * np.roll(signs, -distance)) + forth * (high * after * np.roll(signs, distance))
        own = x * (after * signs)
        if padding.any():
            own = own + after * padding
            partner = partner + after * (low * np.roll(padding, -distance) + high * np.roll(padding, distance))
            padding = np.zeros(slots)
        operands = known(own, MARGIN), known(partner, MARGIN)
        x = known(engine.maximum(*operands, gap=2 * MARGIN * engine.gap, bound=2 * MARGIN), MARGIN)
        signs = after
    return known(x * in_slots(signs[: len(weights)] * weights * bound, slots), bound * MARGIN * np.abs(weights).max())
