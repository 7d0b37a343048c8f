"""Integers of a space: combinations without a bootstrap, and look-up tables by one for all elements.

What an element may hold at most is known without the key (`Ciphertext.max_value`), and a combination that might leave
the space is refused. Nothing wraps around.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .._common import spaces
from .._common.checks import sequence
from .._common.shaped import Shape
from ..errors import NoiseError, OperandTypeError, SpaceError, TableError
from ..tfhe import _checks
from . import _operands
from ._core import Core
from ._operands import Operand
from ._sets import LEVEL
from .ciphertext import Ciphertext


class HasMaxValue(Protocol):
    """Arrays of integers, whose largest value is known."""

    @property
    def max_value(self) -> int: ...


def add(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``a + b`` without a bootstrap; one of the two may be in the clear.

    Raises
    ------
    SpaceError
        If the sum may leave the space, with the largest value of both; or the parameters hold bits.
    MessageError
        If shapes differ, or values in the clear are out of range.
    OperandTypeError, EngineMismatchError, KeyMismatchError
        If neither is a ciphertext, or one belongs to other parameters or another secret.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt([3, 6], secret_key, max_value=7)
    >>> engine.decrypt(engine.add(x, 2), secret_key)
    array([5, 8], dtype=uint8)
    """
    return _sum(self, "add", a, b, 1)


def subtract(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``a - b`` without a bootstrap, where no difference can be below zero: ``15 - b``.

    Differences of two ciphertexts could be; see `linear` with a constant, and `bootstrap` of two. Errors are as in
    `add`.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt([3, 6], secret_key, max_value=7)
    >>> engine.decrypt(engine.subtract(7, x), secret_key)
    array([4, 1], dtype=uint8)
    """
    return _sum(self, "subtract", a, b, -1)


def multiply(self: Core, a: Any, b: Any) -> Ciphertext:
    """Multiply by an integer in the clear, without a bootstrap. The noise grows with it.

    Raises
    ------
    OperandTypeError
        If both are ciphertexts: a product of two is a table, see `bootstrap`.
    MessageError
        If the factor isn't a single integer of the space.
    SpaceError, EngineMismatchError
        As in `add`.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt([3, 4], secret_key, max_value=4)
    >>> engine.decrypt(engine.multiply(x, 3), secret_key)
    array([ 9, 12], dtype=uint8)
    """
    operation = "multiply"
    spaces.require_integers(self, operation)
    x, other = (a, b) if isinstance(a, Ciphertext) else (b, a)
    if isinstance(other, Ciphertext):
        raise OperandTypeError(
            "multiply: both operands are ciphertexts, and one must be in the clear; "
            "use engine.bootstrap(a, b, lut=lambda x, y: x * y)",
            argument="b",
            expected="integer",
            actual="Ciphertext",
        )
    return linear(self, [(_checks.integer(operation, other, 0), x)])


def linear(self: Core, terms: Sequence[tuple[int, Ciphertext]], constant: int = 0) -> Ciphertext:
    """Compute ``constant + factor₁·x₁ + factor₂·x₂ + …`` at once, without a bootstrap.

    Parameters
    ----------
    terms : sequence of (int, Ciphertext)
        Factors, which may be negative, and what they multiply: of one shape.
    constant : int, default 0
        What is added.

    Raises
    ------
    SpaceError
        If the result may leave the space, below or above, with both values; or the parameters hold bits.
    NoiseError
        If the errors of all terms together may be too large.
    MessageError
        If there are no terms, or shapes differ.
    OperandTypeError, EngineMismatchError, KeyMismatchError
        As in `add`.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x, y = (engine.encrypt([m], secret_key, max_value=7) for m in (5, 2))
    >>> engine.decrypt(engine.linear([(1, x), (-1, y)], constant=7), secret_key)
    array([10], dtype=uint8)
    """
    operation = "linear"
    spaces.require_integers(self, operation)
    pairs = spaces.terms_of(operation, terms)
    factors = [_checks.integer(operation, factor) for factor, _ in pairs]
    shift = _checks.integer(operation, constant)
    names = ", ".join(f"x{i}" for i in range(len(pairs)))
    shape, parts = _operands.operands(self, operation, names, *(x for _, x in pairs))
    return combined(self, operation, shape, list(zip(factors, parts, strict=True)), shift)


def _sum(self: Core, operation: str, a: Any, b: Any, sign: int) -> Ciphertext:
    spaces.require_integers(self, operation)
    shape, (x, y) = _operands.operands(self, operation, "a, b", a, b)
    return combined(self, operation, shape, [(1, x), (sign, y)], 0)


def combined(self: Core, operation: str, shape: Shape, terms: list[tuple[int, Operand]], constant: int) -> Ciphertext:
    """Add multiples of operands, in the clear or not, of parameters of bits as well."""
    encrypted = [(factor, x) for factor, x in terms if isinstance(x, Ciphertext)]
    constants: NDArray[np.int64] = np.full(1, constant, np.int64)
    for factor, values in terms:
        if not isinstance(values, Ciphertext):
            constants = np.asarray(constants + factor * values)
    reaches = [factor * x.max_value for factor, x in encrypted]
    low = int(constants.min()) + sum(reach for reach in reaches if reach < 0)
    high = int(constants.max()) + sum(reach for reach in reaches if reach > 0)
    largest = self._context.set.space - 1
    if low < 0 or high > largest:
        found, side = (low, "below") if low < 0 else (high, "above")
        raise SpaceError(
            f"{operation}: the result may be {found}, {side} the space of 0 to {largest}; "
            f"bootstrap to smaller values first, give max_value when encrypting, or choose parameters of more bits",
            found=found,
            needed=0 if low < 0 else largest,
        )
    # Operands are brought to the lowest of their levels, with a rounding.
    level = min(x._native.level for _, x in encrypted)
    rounding = 0.0 if level == LEVEL else _error_of_choice(self, 0.0, (0.0, 0.0), 0)
    added = [x._error + (rounding if x._native.level > level else 0.0) for _, x in encrypted]
    error = sum(abs(factor) * each for (factor, _), each in zip(encrypted, added, strict=True))
    require_small_error(operation, error)
    native = self._context.ckks.combine_integers(
        self._context.set.space, [(factor, x._native) for factor, x in encrypted], _per_slot(self, shape, constants)
    )
    # Errors of all terms are to be within their bounds.
    count = sum(x._bootstrap_count + 1 for _, x in encrypted) - 1
    return Ciphertext(self, native, shape, max_value=high, error=error, bootstrap_count=count)


_HALF = 0.5
"""Error from which values are read wrongly."""


def _per_slot(self: Core, shape: Shape, constants: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one constant, or those of all slots: where there is no value, one that values have."""
    if constants.size == 1:
        return constants.reshape(1)
    values = np.broadcast_to(constants, shape).reshape(-1)
    slots = self._context.ckks.slot_count
    padding = -values.size % slots
    return np.concatenate([values, np.full(padding, values.min(), np.int64)])


def require_small_error(operation: str, error: float) -> None:
    """Refuse results that might be read wrongly."""
    if error >= _HALF:
        raise _too_noisy(operation, error, _HALF)


def _too_noisy(operation: str, error: float, most: float) -> NoiseError:
    return NoiseError(
        f"{operation}: errors may be as large as {error:.3g} of the distance between integers, and {most:.3g} at most "
        f"holds; bootstrap the operands first, or add fewer",
    )


def bootstrap(self: Core, ciphertext: Ciphertext, other: Ciphertext | None = None, *, lut: Any = None) -> Ciphertext:
    """Look every element up in a table, and leave it with fresh noise; with two arrays, every pair.

    Parameters
    ----------
    ciphertext : Ciphertext
        Integers; or bits, whose noise is refreshed.
    other : Ciphertext, optional
        The second argument of a table of two. With it, ``(ciphertext.max_value + 1) * (other.max_value + 1)``
        must be at most the space's size.
    lut : callable or array_like of int, optional
        A function, called with every value that an element may have; or the table: one entry for each integer of
        the space, or of shape ``(ciphertext.max_value + 1, other.max_value + 1)``. The identity, if left out.

    Returns
    -------
    Ciphertext
        Its `max_value` is the table's largest entry.

    Raises
    ------
    TableError
        If the table has another shape, or an entry that doesn't fit the space; with both values.
    SpaceError
        If pairs don't fit the space, or tables were given for bits.
    NoiseError
        If the errors of the operands are too large.
    OperandTypeError
        If `lut` is neither a function nor an array of integers, or gives no integers.
    MissingKeyError
        If the engine knows no evaluation key for the secret.
    MessageError, EngineMismatchError, KeyMismatchError
        As in `add`.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt([0, 1, 2, 3], secret_key, max_value=3)
    >>> engine.decrypt(engine.bootstrap(x, lut=lambda m: m * m), secret_key)
    array([0, 1, 4, 9], dtype=uint8)
    >>> y = engine.encrypt([3, 0, 2, 1], secret_key, max_value=3)
    >>> engine.decrypt(engine.bootstrap(x, y, lut=max), secret_key)
    array([3, 1, 2, 3], dtype=uint8)
    """
    operation = "bootstrap"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    if self.message_bits is None and other is None and lut is None:
        return looked_up(self, operation, x, [np.arange(2)])[0]
    spaces.require_integers(self, operation)
    if other is None:
        return looked_up(self, operation, x, [table_of(self, operation, x, (lambda m: m) if lut is None else lut)])[0]
    y = _operands.ciphertext(self, operation, "other", other)
    sizes = x.max_value + 1, y.max_value + 1
    space = self._context.set.space
    if sizes[0] * sizes[1] > space:
        raise SpaceError(
            f"{operation}: pairs of 0..{x.max_value} and 0..{y.max_value} are {sizes[0] * sizes[1]}, and the space has "
            f"{space} integers; give smaller max_value when encrypting, or choose parameters of more bits",
            found=sizes[0] * sizes[1],
            needed=space,
        )
    if lut is None:
        raise TableError(f"{operation}: there are two arrays and no table; pass lut", found=None, needed=sizes)
    table = _checks.table(operation, lut, sizes, self.max_value).reshape(-1)
    shape, _ = _operands.operands(self, operation, "ciphertext, other", x, y)
    return looked_up(self, operation, combined(self, operation, shape, [(sizes[1], x), (1, y)], 0), [table])[0]


def bootstrap_many(self: Core, ciphertext: Ciphertext, luts: Sequence[Any]) -> list[Ciphertext]:
    """Look every element up in several tables, by one bootstrap for all of them.

    Parameters
    ----------
    ciphertext : Ciphertext
        Integers.
    luts : sequence of callable or array_like of int
        As for `bootstrap`.

    Returns
    -------
    list of Ciphertext
        One for each table.

    Raises
    ------
    TableError
        As for `bootstrap`, and if there are none.
    SpaceError, NoiseError, OperandTypeError, EngineMismatchError, MissingKeyError
        As for `bootstrap`.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt([0, 1, 2, 3], secret_key, max_value=3)
    >>> squares, halves = engine.bootstrap_many(x, luts=[lambda m: m * m, lambda m: m // 2])
    >>> engine.decrypt(squares, secret_key), engine.decrypt(halves, secret_key)
    (array([0, 1, 4, 9], dtype=uint8), array([0, 0, 1, 1], dtype=uint8))
    """
    operation = "bootstrap_many"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    spaces.require_integers(self, operation)
    tables = [table_of(self, operation, x, lut) for lut in sequence(operation, "luts", luts)]
    if not tables:
        raise TableError(f"{operation}: there are no tables; pass at least one", found=0, needed=1)
    return looked_up(self, operation, x, tables)


def table_of(self: Core, operation: str, x: HasMaxValue, lut: Any) -> NDArray[np.int64]:
    """Return a table's entries for the values that an element may have."""
    size = x.max_value + 1 if callable(lut) else self._context.set.space
    table: NDArray[np.int64] = _checks.table(operation, lut, [size], self.max_value)
    return table[: x.max_value + 1]


def looked_up(self: Core, operation: str, x: Ciphertext, tables: list[NDArray[np.int64]]) -> list[Ciphertext]:
    """Look elements up in tables with an entry for each value that one may have."""
    return looked_up_each(self, operation, [(x, tables)])[0]


def looked_up_each(
    self: Core, operation: str, jobs: list[tuple[Ciphertext, list[NDArray[np.int64]]]]
) -> list[list[Ciphertext]]:
    """Look up arrays of one secret, each in tables of its own."""
    key = self._key(operation, jobs[0][0]._native.secret_id)
    context, space = self._context.ckks, self._context.set.space
    # A space that all values are in has shorter tables. Errors beside others count as many times as it is smaller: two
    # times at most.
    needed = [2 ** max(1, int(tables[0].size - 1).bit_length()) for _, tables in jobs]
    sizes = [max(size, max(needed) // 2) for size in needed]
    beside = max(x._error * (space // size) for (x, _), size in zip(jobs, sizes, strict=True))
    # Entries that nobody asks for are as near to others as can be.
    full = [
        [np.pad(table, (0, size - table.size), "edge").tolist() for table in tables]
        for (_, tables), size in zip(jobs, sizes, strict=True)
    ]
    _, limit = context.integer_errors(space, LEVEL, False)
    errors = [
        [context.error_after(space, LEVEL, table, (x._error, beside)) for table in tables]
        for (x, _), tables in zip(jobs, full, strict=True)
    ]
    for (x, _), each in zip(jobs, errors, strict=True):
        if max(each) > limit:
            raise _too_noisy(operation, x._error, limit)
    natives = [(x._native, tables) for (x, _), tables in zip(jobs, full, strict=True)]
    with self._reporting(operation) as report:
        found = context.look_up(natives, (space, LEVEL), key.all, report)
    return [
        [
            Ciphertext(
                self,
                native,
                x.shape,
                max_value=int(table.max()),
                error=error,
                bootstrap_count=x._bootstrap_count + 1,
            )
            for native, table, error in zip(results, tables, each, strict=True)
        ]
        for (x, tables), results, each in zip(jobs, found, errors, strict=True)
    ]


def selected(self: Core, operation: str, selector: Any, a: Any, b: Any) -> Ciphertext:
    """Choose by bits, of parameters of bits or of integers."""
    given = _operands.ciphertext(self, operation, "selector", selector)
    if given.max_value > 1:
        raise SpaceError(
            f"{operation}: the selector may be {given.max_value}, and 0 and 1 are needed; "
            f"bootstrap it to whether a condition holds",
            found=given.max_value,
            needed=1,
        )
    key = self._key(operation, given._native.secret_id)
    shape, operands = _operands.operands(self, operation, "selector, a, b", given, a, b)
    # Values in the clear are encrypted at the selector's level.
    s = ready(self, operation, operands[0], given)
    x, y = (ready(self, operation, part, s) for part in operands[1:])
    error = _error_of_choice(self, s._error, (x._error, y._error), max(x.max_value, y.max_value))
    require_small_error(operation, error)
    space, options = self._context.set.space, (x._native, y._native)
    native = self._context.ckks.choose_integers(space, s._native, options, key.all[0])
    count = s._bootstrap_count + x._bootstrap_count + y._bootstrap_count
    most = max(x.max_value, y.max_value)
    return Ciphertext(self, native, shape, max_value=most, error=error, bootstrap_count=count)


def ready(self: Core, operation: str, operand: Operand, like: Ciphertext) -> Ciphertext:
    """Return an operand of a product: encrypted, and at the level of fresh ones."""
    if not isinstance(operand, Ciphertext):
        # No error, and nothing of what it is added to.
        found = combined(self, operation, like.shape, [(0, like), (1, operand)], 0)
        return Ciphertext(self, found._native, like.shape, max_value=found.max_value, error=0.0, bootstrap_count=0)
    if operand._native.level == LEVEL:
        return operand
    return looked_up(self, operation, operand, [np.arange(operand.max_value + 1)])[0]


def _error_of_choice(self: Core, selector: float, options: tuple[float, float], most: int) -> float:
    return self._context.ckks.error_after_choice(self._context.set.space, LEVEL, selector, options, most)
