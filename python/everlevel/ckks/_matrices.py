"""Light plaintexts, plain matrices, and products of matrices with encrypted vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from .. import _native
from .._common import checks
from . import _checks, _diagonals, _operands
from ._auto import deepened
from ._core import Core
from ._messages import message
from ._shaping import as_slots, require_vector
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import FixedRotationKey, MatrixMultiplicationKey, RotationKey
from .matrix import LightPlainMatrix, PlainMatrix
from .plaintext import LightPlaintext

LightT = TypeVar("LightT", LightPlaintext, LightPlainMatrix)


def encode_to_light_plaintext(
    self: Core, array: ArrayLike, level: int | None = None, *, slots: bool = False
) -> LightPlaintext:
    """Encode a message without its primes: smaller than a `Plaintext`, and slower at each use.

    Parameters
    ----------
    array, slots
        As in `encode`.
    level : int, optional
        Highest level of its uses; the engine's, if left out.

    Returns
    -------
    LightPlaintext
        Of 16 bytes for each slot, whatever the level.

    Raises
    ------
    MessageError, MessageTypeError, LevelError, ScaleError
        As in `encode`.

    Examples
    --------
    >>> weights = engine.encode_to_light_plaintext([0.5, 2.0])
    >>> x = engine.encrypt([1.0, 1.0], public_key)
    >>> engine.decrypt(x * weights, secret_key)[:2].round(3)
    array([0.5, 2. ])
    """
    operation = "encode_to_light_plaintext"
    values, is_real, layout = message(self, operation, array, slots)
    native = _native.encode_light(self._context, values, _checks.level(operation, level, self.max_level))
    return LightPlaintext(self._context, native.on_reals(is_real), is_real=is_real, layout=layout)


def change_level(self: Core, light_plaintext: LightT, level: int) -> LightT:
    """Return the same light plaintext, or light plain matrix, for uses at another level, lower or higher.

    It loses nothing: its coefficients are rounded at each use.

    Raises
    ------
    LevelError
        If `level` isn't one of the engine's.
    ScaleError
        If the values are too large for it.

    Examples
    --------
    >>> weights = engine.encode_to_light_plaintext([0.5, 2.0], level=1)
    >>> engine.change_level(weights, 4).level
    4
    """
    operation = "change_level"
    target = _checks.level(operation, checks.integer(operation, "level", level), self.max_level)
    if isinstance(light_plaintext, LightPlainMatrix):
        matrix = _native.change_matrix_level(self._context, light_plaintext._native, target)
        return LightPlainMatrix(self._context, matrix, is_real=light_plaintext.is_real)
    light = checks.instance(operation, "light_plaintext", light_plaintext, LightPlaintext)
    native = _native.change_level(self._context, light._native, target)
    return LightPlaintext(self._context, native, is_real=light.is_real, layout=light._layout)


def encode_to_plain_matrix(
    self: Core,
    matrix: _diagonals.Matrix,
    level: int | None = None,
    diagonal_indices: Sequence[int] | None = None,
    *,
    period: int | None = None,
) -> PlainMatrix:
    """Encode a matrix for products with encrypted vectors.

    Parameters
    ----------
    matrix : array_like of real or complex numbers, shape (m, n); mapping of offsets to vectors; or sparse matrix
        Cut into blocks of `slot_count` rows and columns, the last of which are filled up with zeros: slots of the
        vector from n on don't matter, and slots of the product from m on are zero. More columns than slots take a
        vector of several units, and more rows make a product of several.
        Of a mapping, the vector of shape (`slot_count`,) at offset d is a diagonal: its entry i is in row i and column
        i + d, modulo `slot_count`, of a matrix of `slot_count` rows and columns. Of a sparse matrix of SciPy, the
        diagonals with entries are taken. Neither takes the memory of an array of m × n.
    level : int, optional
        Level of the ciphertexts that it will be multiplied with, from 1 up; the engine's highest, if left out.
        Lower ones make smaller matrices and faster products.
    diagonal_indices : sequence of int, optional
        The diagonals to take, as differences of column and row modulo `slot_count`: entries elsewhere are left
        out. If it is left out itself, every diagonal is taken that isn't zero.
    period : int, optional
        For vectors that repeat in the slots, ``numpy.tile(x, slot_count // period)``: the slots after which they do, a
        power of two that is at least n. Diagonals count modulo the period, so that there are `period` of them at most,
        where m + n - 1 are taken of a vector that doesn't repeat; the matrix counts as one of `slot_count` rows and
        columns. **Whether a vector repeats can't be seen**: of another one the product isn't that of the matrix.

    Returns
    -------
    PlainMatrix

    Raises
    ------
    MessageError, MessageTypeError
        If it isn't a matrix of finite numbers, or a diagonal hasn't `slot_count` of them.
    OperandTypeError
        If an offset is no integer.
    ParameterError
        If it has no rows or columns, the level is 0, or the period is no power of two up to the slots.
    ScaleError
        If its entries are too large for the level.

    Examples
    --------
    >>> matrix = engine.encode_to_plain_matrix([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], level=2)
    >>> matrix.shape, matrix.diagonal_count
    ((3, 2), 4)
    >>> ones = np.ones(engine.slot_count)
    >>> engine.encode_to_plain_matrix({0: -ones, 1: ones}).diagonal_count  # differences of neighbours, all round
    2
    >>> gallery = np.ones((64, 8))
    >>> [engine.encode_to_plain_matrix(gallery, period=period).diagonal_count for period in (None, 8)]
    [71, 8]
    """
    operation = "encode_to_plain_matrix"
    entries, is_real, target, diagonals = _matrix_arguments(self, operation, matrix, level, diagonal_indices, period)
    native = _native.encode_matrix(self._context, entries, target, diagonals)
    return PlainMatrix(self._context, native, is_real=is_real)


def encode_to_light_plain_matrix(
    self: Core,
    matrix: _diagonals.Matrix,
    level: int | None = None,
    diagonal_indices: Sequence[int] | None = None,
    *,
    period: int | None = None,
) -> LightPlainMatrix:
    """Encode a matrix without its primes: smaller than a `PlainMatrix`, and slower at each product.

    Parameters, errors and products are those of `encode_to_plain_matrix`; `change_level` takes it to any level.

    Examples
    --------
    >>> matrix = engine.encode_to_light_plain_matrix([[1.0, 2.0], [3.0, 4.0]], level=2)
    >>> x = engine.encrypt([1.0, 10.0], public_key, bound=10)
    >>> engine.decrypt(engine.multiply_matrix(matrix, x, rotation_key), secret_key)[:2].round(3)
    array([21., 43.])
    """
    operation = "encode_to_light_plain_matrix"
    entries, is_real, target, diagonals = _matrix_arguments(self, operation, matrix, level, diagonal_indices, period)
    native = _native.encode_light_matrix(self._context, entries, target, diagonals)
    return LightPlainMatrix(self._context, native, is_real=is_real)


@deepened
def multiply_matrix(
    self: Core,
    matrix: PlainMatrix | LightPlainMatrix | _diagonals.Matrix,
    ciphertext: Ciphertext,
    key: RotationKey | MatrixMultiplicationKey | EvaluationKey | None = None,
) -> Ciphertext:
    """Multiply an encrypted vector by a matrix, as ``matrix @ vector`` does, which is the operator for it too.

    By diagonals, with baby steps and giant steps: about 2·sqrt(d) rotations and d products for d diagonals, where a
    dense matrix of m rows and n columns has m + n - 1, and `slot_count` at most. In a larger one each block of
    `slot_count` rows and columns has its own; a column of blocks shares its baby steps, a row its giant steps.

    Parameters
    ----------
    matrix : PlainMatrix, LightPlainMatrix, array_like of shape (m, n), mapping of offsets to vectors, or sparse matrix
        Filled up with zeros: see `encode_to_plain_matrix`. What isn't encoded is encoded on the way, diagonal by
        diagonal, which saves memory; encode it before where it is used again. The operator of SciPy's sparse matrices
        doesn't come here: call this function with them.
    ciphertext : Ciphertext
        Of two polynomials, and as many units as n columns fill: ceil(n/`slot_count`). Several times as many are as
        many vectors, one after the other, and so are their products.
    key : RotationKey, MatrixMultiplicationKey or EvaluationKey, optional
        A `MatrixMultiplicationKey` shares what all baby steps have in common. An evaluation key's is used where it
        serves the level, and else its rotation key; of one that has neither, the fixed rotation keys, of which
        `PlainMatrix.rotations` says which are needed. The engine's keys, if left out.

    Returns
    -------
    Ciphertext
        At the lower of the two levels, less 1; of ceil(m/`slot_count`) units for each vector. Levels consumed: 1.

    Raises
    ------
    LevelError
        If the ciphertext is at level 0, or the key is for lower levels.
    OperandTypeError
        If the key is of another kind.
    MissingKeyError
        If no key is given, and the engine knows none.
    UnitCountError
        If the vector's units aren't as many as the columns fill, nor several times as many.
    MessageError, MessageTypeError, ParameterError, ScaleError
        As in `encode_to_plain_matrix`.
    EngineMismatchError, KeyMismatchError
        If matrix, ciphertext or key don't belong together.

    References
    ----------
    Halevi, Shoup, "Algorithms in HElib", eprint 2014/106.

    Examples
    --------
    >>> x = engine.encrypt([1.0, 10.0], public_key, bound=10)
    >>> y = engine.multiply_matrix([[1.0, 2.0], [3.0, 4.0]], x, rotation_key)
    >>> engine.decrypt(y, secret_key)[:2].round(3)
    array([21., 43.])
    """
    operation = "multiply_matrix"
    vector = _operands.relinearized(operation, ciphertext)
    require_vector(operation, vector)
    vector = as_slots(vector)
    if not isinstance(key, (RotationKey, MatrixMultiplicationKey, EvaluationKey, type(None))):
        needed = ("RotationKey", "MatrixMultiplicationKey", "EvaluationKey")
        raise _operands.wrong_key(operation, "key", key, needed, "create_matrix_multiplication_key")
    found: RotationKey | MatrixMultiplicationKey | list[FixedRotationKey]
    if isinstance(key, EvaluationKey):
        level = matrix.level if isinstance(matrix, (PlainMatrix, LightPlainMatrix)) else vector.level
        found = key.for_matrices(operation, min(level, vector.level))
    elif key is None:
        found = self._registry.find_matrix_key(operation, vector._native.secret_id, vector.level)
    else:
        found = key
    native_key: _native.RotationKey | _native.MatrixMultiplicationKey | list[_native.FixedRotationKey]
    if isinstance(found, list):
        native_key = [fixed._native for fixed in found]
    else:
        self._registry.remember(found)
        native_key = found._native
    if isinstance(matrix, (PlainMatrix, LightPlainMatrix)):
        native = _native.multiply_matrix(self._context, matrix._native, vector._native, native_key)
        return self._wrap(native, is_real=vector.is_real and matrix.is_real)
    entries, is_real = _diagonals.entries(operation, matrix, self.slot_count)
    native = _native.multiply_matrix(self._context, entries, vector._native, native_key)
    return self._wrap(native, is_real=vector.is_real and is_real)


def _matrix_arguments(
    self: Core, operation: str, matrix: Any, level: Any, diagonal_indices: Any, period: Any
) -> tuple[_diagonals.Entries, bool, int, list[int] | None]:
    entries, is_real = _diagonals.entries(operation, matrix, self.slot_count, period)
    diagonals = None
    if diagonal_indices is not None:
        listed = checks.sequence(operation, "diagonal_indices", diagonal_indices)
        indices = [checks.integer(operation, "diagonal_indices", index) for index in listed]
        diagonals = [index % self.slot_count for index in indices]
    return entries, is_real, _checks.level(operation, level, self.max_level), diagonals
