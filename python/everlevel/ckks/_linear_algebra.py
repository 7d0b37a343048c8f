"""Products of encrypted matrices; inverses and least squares by iteration. They use the engine's keys."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._common import checks
from .._common.opaque import Opaque
from .._common.slot_shapes import SLOTS
from ..errors import MessageError
from . import _checks
from ._elementary import Interval, claimed, real
from ._fit import checked_interval
from ._layouts import of_one_unit
from ._numpy import NUMPY
from ._shaping import has_axes, known, lying, masked, of_shape, repeated, scattered
from .ciphertext import Ciphertext

__all__ = ["inverse", "least_squares", "matmul"]

Array = NDArray[Any]
Places = NDArray[np.intp]

_LEAST_ROOM: Final = 512
"""Products of elements that are made at once, unless an operand or the result has more elements."""
_MANY_MOVES: Final = 512
"""Amounts to move by in one product with a matrix, of which two products may have fewer."""
_FEW: Final = 64
"""Diagonals that a product with a matrix in the clear takes at once, before rows are brought to its width."""
_SHARE: Final = 2.0**-17
"""Share of the first residual that an iteration leaves."""
_MARGIN: Final = 1 + 2.0**-10
"""By how much noise may put values beyond the ends that follow from an interval."""


@NUMPY.implements(np.matmul)
def matmul(x: Ciphertext | ArrayLike, y: Ciphertext | ArrayLike) -> Ciphertext:
    """Multiply matrices and vectors, as ``numpy.matmul`` and ``x @ y`` do.

    Parameters
    ----------
    x, y : Ciphertext or array_like
        Of shapes (m, k) and (k, n), or vectors of k values; at least one of them encrypted.

    Returns
    -------
    Ciphertext
        Of shape (m, n), or (m,) or (n,) beside a vector. Of two ciphertexts by products of repeated rows and columns,
        one for each 512 of the m·k·n products of elements, or for as many as an operand or the result has: levels
        consumed: 2, or 3 for tall ones. Where that are several, and the square of the largest side fits, by diagonals,
        with as many products as that side has elements, and 3 rotations for each: levels consumed: 3, and 1 more if n
        is less than that. Beside a matrix in the clear: 1, and up to 3 where n isn't k and m is large. Two vectors, and
        a matrix in the clear beside a vector, are as in `dot`.

    Raises
    ------
    MessageError
        If the shapes don't go together, or the result has more values than there are slots.
    OperandTypeError
        If neither is encrypted, or an operand has more than two dimensions.
    UnitCountError, LevelError, MissingKeyError
        If a ciphertext has several units or too few levels, or the engine knows no rotation key, or no relinearization
        key where both are encrypted.

    References
    ----------
    Jiang, Kim, Lauter, Song, "Secure Outsourced Matrix Computation and Application to Neural Networks", eprint
    2018/1041: the diagonals.

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt([[1.0, 2.0], [3.0, 4.0]], secret_key, bound=4)
    >>> y = engine.encrypt([[0.5, 1.0, 0.0], [1.0, 0.0, 2.0]], secret_key, bound=2)
    >>> engine.decrypt(x @ y, secret_key).round(3) + 0
    array([[2.5, 1. , 4. ],
           [5.5, 3. , 8. ]])
    >>> engine.decrypt(everlevel.matmul(x, [1.0, -1.0]), secret_key).round(3)
    array([-1., -1.])
    """
    if not (has_axes(x) or has_axes(y)):
        return cast(Ciphertext, NUMPY.functions[np.dot](x, y))
    return multiplied("matmul", x, y)


def inverse(x: Ciphertext, *, interval: Interval | None = None, hermitian: bool = False) -> Ciphertext:
    """Compute the inverse of a matrix, by iteration.

    Parameters
    ----------
    x : Ciphertext
        Real, of shape (n, n): up to 8 × 8, for the stated errors.
    interval : tuple of two floats
        Where the singular values lie, above 0: a claim of the caller's. It is public. The number of steps grows with
        the logarithm of the ratio of its ends, which is squared unless the matrix is `hermitian`.
    hermitian : bool, default False
        Whether the matrix is symmetric with positive eigenvalues, such as a covariance: a claim of the caller's.

    Returns
    -------
    Ciphertext
        With an error of 2^-17/a in the spectral norm for an interval (a, b), beside the noise. Levels consumed, where
        n ≤ 8: 9 for b/a = 2, 11 for 4 and 15 for 20 if it is hermitian, else 13, 17 and 27.

    Raises
    ------
    ParameterError
        If the interval isn't given, or begins below 0.
    MessageError
        If the matrix isn't square.
    OperandTypeError, LevelError, MissingKeyError
        If it is complex; or as in `matmul`.

    References
    ----------
    Schulz, "Iterative Berechnung der reziproken Matrix", ZAMM 13, 1933, with each step's residual as the square of the
    one before.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(max_level=12, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret)
    >>> x = deep.encrypt([[2.0, 0.5], [0.5, 1.0]], secret, bound=2)
    >>> deep.decrypt(everlevel.inverse(x, interval=(0.75, 2.25), hermitian=True), secret).round(3)
    array([[ 0.571, -0.286],
           [-0.286,  1.143]])
    """
    operation = "inverse"
    low, high = _singular_values(operation, interval)
    matrix = real(operation, of_one_unit(operation, x))
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise MessageError(
            f"{operation}: the ciphertext is of shape {matrix.shape}, and a square matrix is needed; call "
            f"everlevel.least_squares(x, y, interval=(a, b)) for others"
        )
    if not checks.flag(operation, "hermitian", hermitian):
        return _solved(operation, matrix, None, (low, high), 1.0)
    factor, ratio, one = 2 / (low + high), (high - low) / (high + low), np.eye(len(matrix))
    matrix = masked(matrix)
    residual = _lying(one - factor * matrix, ratio)
    # The first factor beside the unit matrix costs no product.
    return _iterated(operation, 2 * factor * one - factor**2 * matrix, residual, ratio, 1 / low, done=1)


def least_squares(x: Ciphertext, y: Ciphertext | ArrayLike, *, interval: Interval | None = None) -> Ciphertext:
    """Compute the weights w for which the sum of the squares of ``x @ w - y`` is least, by iteration.

    Parameters
    ----------
    x : Ciphertext
        Real, of shape (m, k), m ≥ k: a row for each of m observations.
    y : Ciphertext or array_like
        Real, of shape (m,), or (m, n) for n regressions at once.
    interval : tuple of two floats
        Where the singular values of x lie, above 0: a claim of the caller's. It is public. ``numpy.linalg.svd`` of
        typical data tells them; they grow as the square root of m.

    Returns
    -------
    Ciphertext
        Of shape (k,) or (k, n). Levels consumed: as of `inverse` with singular values; errors are as there, times the
        length of y.

    Raises
    ------
    ParameterError
        If the interval isn't given, or begins below 0.
    MessageError, OperandTypeError, LevelError, MissingKeyError
        As in `matmul`.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(max_level=16, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret)
    >>> x = deep.encrypt([[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]], secret, bound=1)
    >>> y = deep.encrypt([0.0, 0.5, 1.0], secret, bound=1)
    >>> deep.decrypt(everlevel.least_squares(x, y, interval=(1.25, 2)), secret).round(3)
    array([0.5, 0.5])
    """
    operation = "least_squares"
    low, high = _singular_values(operation, interval)
    matrix = real(operation, of_one_unit(operation, x))
    values = y if isinstance(y, Ciphertext) else _checks.numbers(operation, y)
    if matrix.ndim != 2 or values.ndim not in (1, 2) or values.shape[0] != matrix.shape[0]:
        raise _unfit(operation, matrix.shape, values.shape)
    size = values.bound if isinstance(values, Ciphertext) else float(np.abs(values).max())
    return _solved(operation, matrix, values, (low, high), size * math.sqrt(len(matrix)))


def _solved(operation: str, x: Ciphertext, y: Any, interval: Interval, length: float) -> Ciphertext:
    """Solve the normal equations of a matrix whose singular values are known, for right sides of a length at most."""
    low, high = interval
    factor, ratio = 2 / (low**2 + high**2), (high**2 - low**2) / (high**2 + low**2)
    # Both factors are of a norm near 1.
    scaled, one = math.sqrt(factor) * x, np.eye(x.shape[1])
    residual = one - _lying(multiplied(operation, scaled, scaled, transposed=True), 1 + ratio)
    start = factor * x.transpose() if y is None else multiplied(operation, factor * x, y, transposed=True)
    return _iterated(operation, start, residual, ratio, length / low)


def _iterated(
    operation: str, start: Ciphertext, residual: Ciphertext, ratio: float, size: float, *, done: int = 0
) -> Ciphertext:
    """Multiply by the inverse of 1 - R, which is … (1 + R⁴)(1 + R²)(1 + R).

    Parameters
    ----------
    residual : Ciphertext
        R, whose spectral norm is at most `ratio`, below 1.
    size : float
        Largest norm of a column of the exact result.
    done : int
        Factors that the start has already.
    """
    steps = max(done, math.ceil(math.log2(math.log(_SHARE) / math.log(ratio))))
    result, one = _lying(start, (1 + ratio) * size), np.eye(len(residual))
    for step in range(done, steps):
        left = ratio ** (2**step)
        if step:
            residual = _lying(multiplied(operation, residual, residual), left)
        result = _lying(multiplied(operation, one + residual, result), (1 + left) ** 2 * size)
    return result


def _lying(x: Ciphertext, size: float) -> Ciphertext:
    """Claim a bound of a product of matrices that follows from their norms, of all slots.

    Behind the values, `_by_copies` leaves sums of some of their terms. These are products of a part of a row and of a
    part of a column, which aren't longer than the whole.
    """
    return claimed(x._with(SLOTS), size * _MARGIN)._with(x._layout)


def multiplied(operation: str, x: Any, y: Any, *, transposed: bool = False) -> Ciphertext:
    """Multiply two operands, one of them an encrypted matrix, or the transpose of the first by the second."""
    left, right = (value if isinstance(value, Ciphertext) else _clear(operation, value) for value in (x, y))
    if not {left.ndim, right.ndim} <= {1, 2} or left.shape[0 if transposed else -1] != right.shape[0]:
        raise _unfit(operation, left.shape, right.shape)
    first, second = (np.arange(value.size).reshape(value.shape) for value in (left, right))
    # A vector is a row before a matrix, and a column after it.
    first, second = np.atleast_2d(first.T if transposed else first), second.reshape(len(second), -1)
    shape = (*first.shape[: left.ndim - 1], *right.shape[1:])
    slots = next(value for value in (left, right) if isinstance(value, Ciphertext)).slot_count
    if math.prod(shape) > slots:
        raise MessageError(
            f"{operation}: the shapes are {left.shape} and {right.shape}, which make {math.prod(shape)} values, and "
            f"there are {slots} slots; multiply blocks of them",
            slot_count=slots,
        )
    if not isinstance(left, Ciphertext):
        result = _times_clear(cast(Ciphertext, right), second, left.ravel()[first], before=True)
    elif not isinstance(right, Ciphertext):
        result = _times_clear(left, first, right.ravel()[second], before=False)
    else:
        result = _of_two(left, first, right, second)
    return of_shape(result, shape, is_clean=result._layout.is_clean)


def _of_two(x: Ciphertext, left: Places, y: Ciphertext, right: Places) -> Ciphertext:
    """Multiply two matrices, whose elements are at these places of two ciphertexts."""
    ends, size = _ends_of_products(x, y), x.bound * y.bound
    slots = [of_one_unit("matmul", value)._with(SLOTS) for value in (x, y)]
    (m, terms), n = left.shape, right.shape[1]
    # Whatever the ring, so that dry runs on smaller ones do the same.
    room = min(x.slot_count, max(_LEAST_ROOM, 1 << (max(left.size, right.size, m * n) - 1).bit_length()))
    if max(m, terms, n) ** 2 <= room < m * terms * n:
        result = _by_diagonals(slots[0], left, slots[1], right)
    else:
        count = room // (m * n)
        parts = [
            _by_copies(slots[0], left[:, at : at + count], slots[1], right[at : at + count])
            for at in range(0, terms, count)
        ]
        result = sum(parts[1:], start=parts[0])
    return lying(known(result, terms * size), ends, terms)


def _by_copies(x: Ciphertext, left: Places, y: Ciphertext, right: Places) -> Ciphertext:
    """Multiply two matrices by one product of k blocks, which are added up.

    Each column of block l is column l of x, and each row is row l of y. Levels consumed: 2, or 3 where columns come to
    their blocks by few amounts, and to their places in these by few others.
    """
    (m, k), n = left.shape, right.shape[1]
    block, row = np.indices((k, m))
    sources, ends = left.T.ravel(), ((block * m + row) * n).ravel()
    between = (block * m * n + row).ravel()
    direct, first, second = (len(np.unique(a - b)) for a, b in ((ends, sources), (between, sources), (ends, between)))
    if direct > _MANY_MOVES and 2 * (first + second) < direct:
        x, sources = scattered(x, between, sources), between
    columns = repeated(scattered(x, ends, sources), 1, n)
    block, column = np.indices((k, n))
    rows = repeated(scattered(y, (block * m * n + column).ravel(), right.ravel()), n, m)
    return of_shape(columns * rows, (k, m, n)).sum(axis=0)


def _by_diagonals(x: Ciphertext, left: Places, y: Ciphertext, right: Places) -> Ciphertext:
    """Multiply two matrices by as many products as the largest side s has elements, each of s² slots.

    Row i of x is turned left by i, and column j of y up by j; the products of both, turned on by 0, 1, …, s - 1, are
    added up. Levels consumed: 3, and 1 for rows that are longer than those of the result.
    """
    (m, k), n, slots = left.shape, right.shape[1], x.slot_count
    side = max(m, k, n)
    # Two copies below one another need no masks to turn.
    is_doubled = 2 * side**2 <= slots
    row, column = np.indices((side * (1 + is_doubled), side))
    turned, places = (row + column) % side, row * side + column
    held = (row < m) & (turned < k)
    first = scattered(x, places[held], left[row[held], turned[held]])
    held = (turned < k) & (column < n)
    second = scattered(y, places[held], right[turned[held], column[held]])
    engine, total = cast(Any, x._engine), cast(Any, None)
    for a, b in zip(_turns(first, 1, side, False), _turns(second, side, side, is_doubled), strict=True):
        product = engine.multiply(a, b, relinearize=False)
        total = product if total is None else total + product
    result = cast(Ciphertext, engine.relinearize(total))
    if n == side:
        return result
    row, column = np.indices((m, n))
    return scattered(result, (row * n + column).ravel(), (row * side + column).ravel())


def _turns(x: Ciphertext, run: int, side: int, is_doubled: bool) -> Iterator[Ciphertext]:
    """Turn a matrix of `side` rows and columns by 0, 1, …: its rows to the left, for a run of 1, or its columns up."""
    period, places = run * side, np.arange(x.slot_count)
    yield x
    kept, wrapped = x, x if is_doubled else x.rotate(period)
    for step in range(1, side):
        kept = kept.rotate(-run)
        if is_doubled:
            yield kept
            continue
        wrapped = wrapped.rotate(-run)
        is_kept = places % period < period - step * run
        yield kept * (is_kept & (places < side**2)) + wrapped * (~is_kept & (places < side**2))


def _times_clear(x: Ciphertext, places: Places, matrix: Array, *, before: bool) -> Ciphertext:
    """Multiply by a matrix in the clear, before an encrypted one or after it."""
    x = of_one_unit("matmul", x)._with(SLOTS)
    if before:
        (m, k), n = matrix.shape, places.shape[1]
        row, inner, column = np.indices((m, k, n))
        return _weighted(x, row * n + column, places[inner, column], matrix[row, inner])
    (m, k), n = places.shape, matrix.shape[1]
    side = max(k, n)
    if k == n or m * side <= _FEW:
        row, inner, column = np.indices((m, k, n))
        return _weighted(x, row * n + column, places[row, inner], matrix[inner, column])
    # Rows of one width have few diagonals: about two for each column, and one for each row before and after.
    square = np.pad(matrix, [(0, side - k), (0, side - n)])
    wide = np.arange(m * side).reshape(m, side)
    if not np.array_equal(places, wide[:, :k]):
        x = scattered(x, wide[:, :k].ravel(), places.ravel())
    row, inner, column = np.indices((m, side, side))
    x = _weighted(x, wide[row, column], wide[row, inner], square[inner, column])
    return x if n == side else scattered(x, np.arange(m * n), wide[:, :n].ravel())


def _weighted(x: Ciphertext, targets: Places, sources: Places, weights: Array) -> Ciphertext:
    """Add up slots times weights, each into its place. All other slots are 0. Levels consumed: 1."""
    targets, sources, weights = targets.ravel(), sources.ravel(), weights.ravel()
    offsets = sources - targets
    order = np.argsort(offsets, kind="stable")
    diagonals = {}
    for at in np.split(order, np.flatnonzero(np.diff(offsets[order])) + 1):
        diagonal = np.zeros(x.slot_count, weights.dtype)
        diagonal[targets[at]] = weights[at]
        diagonals[int(offsets[at[0]])] = diagonal
    return cast(Ciphertext, cast(Any, x._engine).multiply_matrix(diagonals, x))


def _ends_of_products(x: Ciphertext, y: Ciphertext) -> Interval | None:
    """Return where products of values, and zeros, lie; None for complex ones."""
    if x.interval is None or y.interval is None:
        return None
    products = [a * b for a in x.interval for b in y.interval]
    return min(0.0, *products), max(0.0, *products)


def _clear(operation: str, value: Any) -> Array:
    if isinstance(value, Opaque):
        raise checks.wrong_type(operation, "operand", value, "Ciphertext or array", "pass the array itself")
    return _checks.numbers(operation, value)


def _singular_values(operation: str, interval: Any) -> Interval:
    """Return where singular values lie, which has to be said."""
    needed = (
        "singular values above 0 are needed, of which the iteration is made; say where they lie, such as "
        f"everlevel.{operation}(…, interval=(0.5, 2))"
    )
    if interval is None:
        raise checks.refusal(operation, "interval", None, needed, "(a, b) with 0 < a < b")
    low, high = checked_interval(operation, interval)
    if low <= 0:
        raise checks.refusal(operation, "interval", interval, needed, "(a, b) with 0 < a < b")
    return low, high


def _unfit(operation: str, left: tuple[int, ...], right: tuple[int, ...]) -> MessageError:
    return MessageError(
        f"{operation}: the shapes are {left} and {right}, and matrices of shapes (m, k) and (k, n) are needed, or a "
        f"vector of k values for one of them; transpose one, such as by x.T"
    )
