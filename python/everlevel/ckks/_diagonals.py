"""Matrices in the clear as what the native module takes: entries row by row, or diagonals alone."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._common import checks
from ..errors import MessageError, OperandTypeError
from . import _checks

Matrix: TypeAlias = ArrayLike | Mapping[int, ArrayLike] | Any
"""An array, diagonals by their offsets, or a sparse matrix of SciPy."""

Entries = _checks.Entries | tuple[tuple[int, int], list[tuple[int, int]], _checks.Entries]
"""Entries row by row; or rows and columns, the block and the amount of each diagonal, and a row for each."""


def entries(operation: str, matrix: Any, slot_count: int, period: Any = None) -> tuple[Entries, bool]:
    """Return the entries of a matrix, for vectors that repeat after a period if there is one, and if they are real.

    Raises
    ------
    MessageError, MessageTypeError, OperandTypeError, ParameterError
        If it isn't a matrix of finite numbers, or the period is none.
    """
    if period is not None:
        return _of_period(operation, matrix, slot_count, period)
    if isinstance(matrix, Mapping):
        return _of_diagonals(operation, matrix, slot_count)
    if _is_sparse(matrix):
        return _of_sparse(operation, matrix, slot_count)
    return _checks.matrix(operation, matrix)


def _is_sparse(matrix: Any) -> bool:
    # Nobody has a sparse matrix who hasn't imported SciPy.
    scipy_sparse = sys.modules.get("scipy.sparse")
    return scipy_sparse is not None and bool(scipy_sparse.issparse(matrix))


def _of_diagonals(operation: str, diagonals: Mapping[Any, Any], slot_count: int) -> tuple[Entries, bool]:
    """Return the entries of diagonals by their offsets, in a matrix of as many rows and columns as slots."""
    if not diagonals:
        raise MessageError(
            f"{operation}: the matrix has no diagonals, and at least one is needed; pass {{0: vector}}, for instance",
            length=0,
            slot_count=slot_count,
        )
    found: dict[int, tuple[int, NDArray[Any]]] = {}
    for key, vector in diagonals.items():
        offset = checks.integer(operation, "an offset", key)
        amount = offset % slot_count
        if amount in found:
            raise MessageError(
                f"{operation}: {found[amount][0]} and {offset} are offsets of one diagonal, as there are {slot_count} "
                f"slots; pass the sum of both vectors at one of them",
                index=offset,
                slot_count=slot_count,
            )
        array = _checks.numbers(operation, vector)
        if array.shape != (slot_count,):
            raise MessageError(
                f"{operation}: the diagonal of offset {offset} has shape {array.shape}, and one entry for each of "
                f"{slot_count} slots is needed; fill it with zeros, or repeat it with numpy.tile",
                length=int(array.size),
                slot_count=slot_count,
            )
        found[amount] = offset, array
    values = _checks.matrix(operation, [found[amount][1] for amount in sorted(found)])
    return ((slot_count, slot_count), [(0, amount) for amount in sorted(found)], values[0]), values[1]


def _of_period(operation: str, matrix: Any, slot_count: int, period: Any) -> tuple[Entries, bool]:
    """Return the diagonals of a matrix modulo a period: row i takes x[j] from slot i + d, for any d of j - i."""
    length = checks.integer(operation, "period", period)
    if not 1 <= length <= slot_count or length & (length - 1):
        allowed = f"a power of two up to {slot_count}, the slots, is needed"
        raise checks.refusal(operation, "period", length, f"{allowed}; leave it out for any vector", (1, slot_count))
    if isinstance(matrix, Mapping):
        raise OperandTypeError(
            f"{operation}: the matrix is given by diagonals, which have their offsets, and period is for arrays and "
            f"sparse matrices; leave period out",
            argument="matrix",
            expected="array",
            actual=type(matrix).__name__,
        )
    if _is_sparse(matrix) and matrix.ndim == 2:
        # CSR adds up what is given twice for one place.
        summed = matrix.tocsr().tocoo()
        shape, row, column, data = matrix.shape, summed.row, summed.col, _checks.numbers(operation, summed.data)
    else:
        array, _ = _checks.matrix(operation, matrix)
        shape, (row, column) = array.shape, np.nonzero(array)
        data = array[row, column]
    rows, columns = shape
    if rows > slot_count or columns > length:
        raise MessageError(
            f"{operation}: the matrix has shape {rows} × {columns}, and of vectors that repeat after {length} slots "
            f"up to {length} columns and {slot_count} rows are taken; take a larger period, or leave it out",
            length=columns,
            slot_count=slot_count,
        )
    offset = (column.astype(np.int64) - row) % length
    amounts, place = np.unique(np.append(offset, 0 if not len(offset) else offset[0]), return_inverse=True)
    values = np.zeros((len(amounts), slot_count), dtype=complex if data.dtype.kind == "c" else float)
    values[place[:-1], row] = data
    checked, is_real = _checks.matrix(operation, values)
    return ((slot_count, slot_count), [(0, int(amount)) for amount in amounts], checked), is_real


def _of_sparse(operation: str, matrix: Any, slot_count: int) -> tuple[Entries, bool]:
    """Return the entries of a sparse matrix, by the diagonals of its blocks that have some."""
    if matrix.ndim != 2:
        return _checks.matrix(operation, matrix.toarray())
    # CSR adds up what is given twice for one place.
    summed = matrix.tocsr().tocoo()
    data = _checks.numbers(operation, summed.data)
    row, column = summed.row.astype(np.int64), summed.col.astype(np.int64)
    block_columns = -(-matrix.shape[1] // slot_count)
    block = row // slot_count * block_columns + column // slot_count
    keys, place = np.unique(block * slot_count + (column - row) % slot_count, return_inverse=True)
    values = np.zeros((len(keys), slot_count), dtype=complex if data.dtype.kind == "c" else float)
    values[place, row % slot_count] = data
    places = [divmod(int(key), slot_count) for key in keys]
    checked, is_real = _checks.matrix(operation, values)
    return ((matrix.shape[0], matrix.shape[1]), places, checked), is_real
