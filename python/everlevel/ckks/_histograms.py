"""Histograms of encrypted values: comparisons with the edges between bins, as many at once as slots allow."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._common import checks
from . import _checks
from ._bootstrap_keys import require_bootstrap
from ._choices import greater
from ._elementary import Interval, real, spread
from ._fit import checked_interval
from ._layouts import counted, placed, tiled
from ._numpy import NUMPY
from ._shaping import in_slots, known, of_shape
from .ciphertext import Ciphertext

__all__ = ["histogram"]

Array = NDArray[np.float64]


def histogram(
    x: Ciphertext,
    bins: int | ArrayLike = 10,
    range: Interval | None = None,  # noqa: A002 (NumPy's name)
    *,
    count: int | None = None,
) -> tuple[Ciphertext, Array]:
    """Count the values in each bin, as ``numpy.histogram`` does.

    A value that is nearer to an edge than the engine's gap, a share of the bound of the difference, counts as parts in
    the bins on both sides. Values on an edge are such ones, but for edges that values can't be beyond by their bound.

    Parameters
    ----------
    x : Ciphertext
        Real, of one unit and two polynomials.
    bins : int or array_like, default 10
        A number of bins of one width, or the edges of all bins, in rising order.
    range : tuple of two floats, optional
        The first and the last edge, where `bins` is a number; those of the values' interval, if left out.
        Values beyond don't count.
    count : int, optional
        The slots that count, from the first on: those of all values, if left out.

    Returns
    -------
    counts : Ciphertext
        Of as many values as there are bins. Two levels below the highest, with an error of at most 2^-19 of
        `count`, beside the noise of bootstraps. Cost: an `Engine.compare` for each slot_count // count edges that
        values may be on both sides of. It begins with a multiplication, but for all slots.
    edges : ndarray of float64
        Of the bins, one more than there are bins.

    Raises
    ------
    ParameterError
        If the bins are none, more than there are slots, or not in order; if the range is none, or `count` isn't 1 to
        `slot_count`; or if the engine has no bootstraps.
    UnitCountError, OperandTypeError, LevelError, MissingKeyError, KeyMismatchError
        If x has several units, is complex or at level 0, or as in `Engine.compare`; or if the engine knows no rotation
        key.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([0.2, -0.7, 0.3, 0.8], secret, bound=1)
    >>> counts, edges = everlevel.histogram(x, [-1, 0, 0.5, 1])
    >>> deep.decrypt(counts, secret).round(3)
    array([1., 2., 1.])
    """
    operation = "histogram"
    value, width = counted(operation, x, count)
    value = real(operation, value)
    engine = cast(Any, value._engine)
    require_bootstrap(engine._context, operation)
    edges = _edges(operation, value, bins, range)
    bin_count = len(edges) - 1
    # Values are above edges below their interval, and below those above it.
    low, high = cast(Interval, value.interval)
    constant = np.where(edges <= low, float(width), 0.0)
    total: Any = in_slots(constant[:-1] - constant[1:], value.slot_count)
    inner = np.flatnonzero((low < edges) & (edges < high))
    per = value.slot_count // width
    copies = tiled(value, width, min(per, max(1, len(inner))))
    for start in np.arange(0, len(inner), per):
        at = inner[start : start + per]
        above = greater(copies, in_slots(np.repeat(edges[at], width), value.slot_count))
        tallies = known(engine.sum_range(above, count=width), width)
        # What is above edge i is in bin i or after it, and not in bin i - 1.
        total = _with(total, tallies, {int(i): (k * width, 1.0) for k, i in enumerate(at) if i < bin_count})
        total = _with(total, tallies, {int(i) - 1: (k * width, -1.0) for k, i in enumerate(at) if i > 0})
    if not isinstance(total, Ciphertext):
        total = value * 0 + total
    return of_shape(known(total, width), (bin_count,)), edges


@NUMPY.implements(np.histogram)
def _numpy_histogram(a: Any, bins: Any = 10, range: Any = None) -> tuple[Ciphertext, Array]:  # noqa: A002
    return histogram(a, bins, range)


def _with(total: Any, tallies: Ciphertext, sources: dict[int, tuple[int, float]]) -> Any:
    """Add numbers of values to bins."""
    return total if not sources else placed(tallies, sources) + total


def _edges(operation: str, x: Ciphertext, bins: Any, ends: Any) -> Array:
    """Return the edges of bins in the clear."""
    if checks.is_integer(bins):
        low, high = spread(x) if ends is None else checked_interval(operation, ends)
        edges = np.linspace(low, high, int(bins) + 1) if 0 < bins <= x.slot_count else np.empty(0)
    else:
        slots, is_real = _checks.message(operation, bins, x.slot_count)
        edges = slots.real[: len(bins)] if is_real else np.empty(0)
    if not 2 <= len(edges) <= x.slot_count + 1 or np.any(np.diff(edges) <= 0):
        needed = (
            f"1 to {x.slot_count} bins are counted, whose edges are real and in rising order; give their number, or "
            "one edge more than there are bins"
        )
        raise checks.refusal(operation, "bins", bins, needed, (1, x.slot_count))
    return np.asarray(edges, dtype=np.float64)
