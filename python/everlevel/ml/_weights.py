"""Weights of affine maps: arrays, and sparse matrices of SciPy where nearly all of a large one are zeros.

A convolution of images has as many rows as its results have numbers, and each has entries for one window alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError

Array: TypeAlias = NDArray[np.float64]
Weights: TypeAlias = Any
"""An array of shape (outputs, inputs), or a ``scipy.sparse.csr_array``."""

Terms: TypeAlias = tuple[NDArray[Any], NDArray[Any], Array]
"""Row, column and value of entries."""

_LARGE: Final = 2**20
"""Entries from which a matrix is sparse, if few of them aren't zero."""
_SPARSE: Final = 0.125
"""Largest share of them: a sparse matrix takes half as much again for each."""


def scipy_sparse(what: str) -> Any:
    """Return the module ``scipy.sparse``, which a network's convolutions need, and models of scikit-learn don't.

    Raises
    ------
    ModelError
        If it is missing.
    """
    try:
        import scipy.sparse
    except ImportError as error:
        raise ModelError(
            f"everlevel.ml: {what} need the package scipy, and it can't be imported ({error}); pip install "
            f"'everlevel[ml]'",
            place=what,
            found="no package scipy",
        ) from error
    return scipy.sparse


def is_sparse(weights: Weights) -> bool:
    """Whether weights are a sparse matrix."""
    return not isinstance(weights, np.ndarray)


def compact(weights: Any) -> Weights:
    """Return a sparse matrix as an array, unless it is large and nearly empty."""
    size = weights.shape[0] * weights.shape[1]
    return weights if size > _LARGE and weights.nnz < _SPARSE * size else weights.toarray()


def csr(data: Array, indices: NDArray[Any], starts: NDArray[Any], shape: tuple[int, int]) -> Any:
    """Return the sparse matrix of rows one after the other, which has ``len(starts) - 1`` of them."""
    return scipy_sparse("sparse weights").csr_array((data, indices, starts), shape=shape)


def of_terms(row: NDArray[Any], column: NDArray[Any], values: Array, shape: tuple[int, int]) -> Any:
    """Return the sparse matrix of entries, which are added up where they are at one place."""
    found = scipy_sparse("sparse weights").coo_array((values, (row, column)), shape=shape).tocsr()
    found.eliminate_zeros()
    return found


def values_of(weights: Weights) -> Array:
    """Return all entries that may not be zero."""
    found: Array = weights.data if is_sparse(weights) else weights
    return found


def changed(weights: Weights, function: Callable[[Array], Array]) -> Weights:
    """Apply a function to entries, which leaves zeros as they are."""
    if not is_sparse(weights):
        return function(weights)
    return csr(function(weights.data), weights.indices, weights.indptr, weights.shape)


def scaled(weights: Weights, rows: Array | float = 1.0, columns: Array | float = 1.0) -> Weights:
    """Multiply rows and columns by numbers."""
    if not is_sparse(weights):
        return weights * np.reshape(rows, (-1, 1)) * columns
    each = np.repeat(np.broadcast_to(rows, weights.shape[:1]), np.diff(weights.indptr))
    data = weights.data * each * np.broadcast_to(columns, weights.shape[1:])[weights.indices]
    return csr(data, weights.indices, weights.indptr, weights.shape)


def row_sums(weights: Weights) -> Array:
    """Return the sum of each row."""
    return np.asarray(weights @ np.ones(weights.shape[1]))


def norms(weights: Weights) -> Array:
    """Return the Euclidean length of each row."""
    return np.sqrt(row_sums(changed(weights, np.square)))


def terms(weights: Weights) -> Terms:
    """Return row, column and value of entries that aren't zero, row by row."""
    if not is_sparse(weights):
        row, column = np.nonzero(weights)
        return row.astype(np.int32), column.astype(np.int32), weights[row, column]
    row = np.repeat(np.arange(weights.shape[0], dtype=np.int32), np.diff(weights.indptr))
    kept = slice(None) if weights.data.all() else np.flatnonzero(weights.data)
    return row[kept], weights.indices[kept], weights.data[kept]


def pattern(weights: Weights) -> bytes:
    """Return a digest of where weights aren't zero."""
    hasher = hashlib.blake2b(repr(weights.shape).encode(), digest_size=16)
    if is_sparse(weights):
        hasher.update(weights.indptr.tobytes())
        hasher.update(weights.indices.tobytes())
    hasher.update(np.packbits(values_of(weights) != 0).tobytes())
    return hasher.digest()


def split(weights: Weights, sizes: Sequence[int]) -> list[Weights]:
    """Return the parts of so many columns each, one after the other."""
    if len(sizes) == 1:
        return [weights]
    ends = np.cumsum(sizes)
    return [weights[:, end - size : end] for size, end in zip(sizes, ends, strict=True)]


def dense(weights: Weights) -> Array:
    """Return weights as an array."""
    found: Array = weights.toarray() if is_sparse(weights) else weights
    return found
