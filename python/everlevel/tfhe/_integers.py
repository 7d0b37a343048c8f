"""Integers of 1 to 8 bits: combinations without a bootstrap, and look-up tables by one.

What an element may hold at most is known without the key (`Ciphertext.max_value`), and a combination that might leave
the space is refused. Nothing wraps around.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .._common import checks, spaces
from ..errors import OperandTypeError, SpaceError, TableError
from . import _checks, _operands
from ._array import EncryptedArray, key_of
from ._core import Core
from ._gates import refresh
from .ciphertext import Ciphertext


def add(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``a + b`` without a bootstrap; one of the two may be in the clear.

    Raises
    ------
    SpaceError
        If the sum may leave the space, with the largest value of both.
    EngineMismatchError, KeyMismatchError, MissingKeyError, MessageError
        As for gates.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt([3, 6], secret_key, max_value=7)
    >>> engine.decrypt(engine.add(x, 2), secret_key)
    array([5, 8], dtype=uint8)
    """
    return _sum(self, "add", a, b, 1)


def subtract(self: Core, a: Any, b: Any) -> Ciphertext:
    """Compute ``a - b`` without a bootstrap, where no difference can be below zero: ``15 - b``.

    Differences of two ciphertexts could be; see `linear` with a constant, and `bootstrap` of two.

    Raises
    ------
    SpaceError
        If the difference may leave the space, with both values.
    EngineMismatchError, KeyMismatchError, MissingKeyError, MessageError
        As for gates.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt([3, 6], secret_key, max_value=7)
    >>> engine.decrypt(engine.subtract(7, x), secret_key)
    array([4, 1], dtype=uint8)
    """
    return _sum(self, "subtract", a, b, -1)


def multiply(self: Core, a: Any, b: Any) -> Ciphertext:
    """Multiply by integers in the clear, without a bootstrap. The noise grows with them.

    Raises
    ------
    SpaceError
        If a product may leave the space, with the largest value of both.
    OperandTypeError
        If both are ciphertexts: a product of two is a table, see `bootstrap`.
    EngineMismatchError, KeyMismatchError, MissingKeyError, MessageError
        As for gates.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt([3, 4], secret_key, max_value=4)
    >>> engine.decrypt(engine.multiply(x, 3), secret_key)
    array([ 9, 12], dtype=uint8)
    """
    spaces.require_integers(self, "multiply")
    _require_small(self, "multiply", a, b)
    if isinstance(b, Ciphertext):
        a, b = b, a
    if isinstance(b, Ciphertext):
        raise OperandTypeError(
            "multiply: both operands are ciphertexts, and one must be in the clear; "
            "use engine.bootstrap(a, b, lut=lambda x, y: x * y)",
            argument="b",
            expected="array of integers",
            actual="Ciphertext",
        )
    return _scale(self, "multiply", _operands.ciphertext(self, "multiply", "a", a), b, 0)


def linear(self: Core, terms: Sequence[tuple[int, Ciphertext]], constant: int = 0) -> Ciphertext:
    """Compute ``constant + factor₁·x₁ + factor₂·x₂ + …`` at once, without a bootstrap.

    Variances of the noise add with the squares of the factors. Where terms share an error, as copies of an element
    do, their factors add up first: ``x + x`` is noisier than ``x + y``, and as noisy as ``2 * x``.

    Parameters
    ----------
    terms : sequence of (int, Ciphertext)
        Factors, which may be negative, and what they multiply.
    constant : int, default 0
        What is added.

    Returns
    -------
    Ciphertext
        Of the shape that the terms are broadcast to.

    Raises
    ------
    SpaceError
        If the result may leave the space, below or above, with both values.
    EngineMismatchError, KeyMismatchError, MissingKeyError, MessageError
        As for gates.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x, y = engine.encrypt(np.array([5, 2]), secret_key, max_value=7)
    >>> int(engine.decrypt(engine.linear([(1, x), (-1, y)], constant=7), secret_key))
    10
    """
    operation = "linear"
    spaces.require_integers(self, operation)
    terms = spaces.terms_of(operation, terms)
    factors = [_checks.integer(operation, factor) for factor, _ in terms]
    shift = _checks.integer(operation, constant)
    shape, parts = _operands.operands(
        self, operation, ", ".join(f"x{i}" for i in range(len(terms))), *(x for _, x in terms)
    )
    key = key_of(self, operation, *parts)
    reaches = [factor * part.max_value for factor, part in zip(factors, parts, strict=True)]
    _require_room(
        self.max_value, operation, shift + sum(r for r in reaches if r < 0), shift + sum(r for r in reaches if r > 0)
    )
    natives = [(factor, part._native) for factor, part in zip(factors, parts, strict=True)]
    return Ciphertext(self, self._context.combine(key, natives, shift), shape)


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
        If the noise is too large already, with both probabilities.
    OperandTypeError
        If `lut` is neither a function nor an array of integers, or gives no integers.
    EngineMismatchError, KeyMismatchError, MissingKeyError, MessageError
        As for gates.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt(np.array([0, 1, 2, 3]), secret_key, max_value=3)
    >>> engine.decrypt(engine.bootstrap(x, lut=lambda m: m * m), secret_key)
    array([0, 1, 4, 9], dtype=uint8)
    >>> engine.decrypt(engine.bootstrap(x, x[::-1], lut=max), secret_key)
    array([3, 2, 2, 3], dtype=uint8)
    """
    operation = "bootstrap"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    if self.message_bits is None and other is None and lut is None:
        return refresh(self, operation, x)
    spaces.require_integers(self, operation)
    if other is not None:
        return _bootstrap_pairs(self, x, other, lut)
    return _tables(self, operation, x, [_table(self, operation, x, (lambda m: m) if lut is None else lut)])[0]


def bootstrap_many(self: Core, ciphertext: Ciphertext, luts: Sequence[Any]) -> list[Ciphertext]:
    """Look every element up in several tables, by as few rotations as there is room for.

    One rotation serves several tables if all their entries for ``0`` to ``ciphertext.max_value`` fit the space side
    by side: of integers of 4 bits two tables of values up to 7, or four of values up to 3. So it pays to know how
    large values are. Otherwise there are more rotations; the answers are the same.

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
    SpaceError, NoiseError, OperandTypeError, EngineMismatchError, KeyMismatchError, MissingKeyError
        As for `bootstrap`.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt([0, 1, 2, 3], secret_key, max_value=3)
    >>> squares, halves = engine.bootstrap_many(x, luts=[lambda m: m * m, lambda m: m // 2])
    >>> engine.decrypt(squares, secret_key), engine.decrypt(halves, secret_key)
    (array([0, 1, 4, 9], dtype=uint8), array([0, 0, 1, 1], dtype=uint8))
    """
    operation = "bootstrap_many"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    spaces.require_integers(self, operation)
    if callable(luts) or not isinstance(luts, Iterable) or getattr(luts, "ndim", 1) == 0:
        needed = "a sequence of tables is needed; pass [lut], or use bootstrap"
        raise checks.wrong_type(operation, "luts", luts, "sequence of callable or array of integers", needed)
    return _tables(self, operation, x, [_table(self, operation, x, lut) for lut in luts])


def _bootstrap_pairs(self: Core, a: Ciphertext, b: Any, lut: Any) -> Ciphertext:
    operation = "bootstrap"
    if lut is None:
        raise OperandTypeError(
            "bootstrap: two ciphertexts were given and no table; pass lut=lambda x, y: ...",
            argument="lut",
            expected="callable or array of integers",
            actual="NoneType",
        )
    shape, (x, y) = _operands.operands(self, operation, "ciphertext, other", a, b)
    high, radix = x.max_value + 1, y.max_value + 1
    if high * radix > self.max_value + 1:
        raise SpaceError(
            f"{operation}: {high} times {radix} pairs of values are possible, and the parameters have room for "
            f"{self.max_value + 1}; give a smaller max_value to encrypt, or choose parameters of more bits",
            found=high * radix - 1,
            needed=self.max_value,
        )
    entries = _checks.table(operation, lut, (high, radix), self.max_value).reshape(-1)
    key = key_of(self, operation, x, y)
    pairs = Ciphertext(self, self._context.combine(key, [(radix, x._native), (1, y._native)], 0), shape)
    return _tables(self, operation, pairs, [_full(self.max_value, entries)])[0]


def _table(self: Core, operation: str, x: Ciphertext, lut: Any) -> list[int]:
    size = x.max_value + 1 if callable(lut) else self.max_value + 1
    return _full(self.max_value, _checks.table(operation, lut, (size,), self.max_value))


def _full(max_value: int, entries: Any) -> list[int]:
    """Fill a table up with zeros: values that don't occur."""
    return [*entries.tolist(), *[0] * (max_value + 1 - entries.size)]


def _tables(self: Core, operation: str, x: Ciphertext, tables: list[list[int]]) -> list[Ciphertext]:
    if not tables:
        raise TableError(f"{operation}: there are no tables, and one at least is needed; pass some", found=0)
    key = key_of(self, operation, x)
    many = operation == "bootstrap_many"
    with self._reporting("bootstraps") as report:
        return [Ciphertext(self, n, x.shape) for n in self._context.tables(key, x._native, tables, many, report)]


def _sum(self: Core, operation: str, a: Any, b: Any, sign: int) -> Ciphertext:
    spaces.require_integers(self, operation)
    _require_small(self, operation, a, b)
    if isinstance(a, Ciphertext) and isinstance(b, Ciphertext):
        shape, (x, y) = _operands.operands(self, operation, "a, b", a, b)
        key = key_of(self, operation, x, y)
        low, high = (0, x.max_value + y.max_value) if sign > 0 else (-y.max_value, x.max_value)
        _require_room(self.max_value, operation, low, high)
        return Ciphertext(self, self._context.combine(key, [(1, x._native), (sign, y._native)], 0), shape)
    if isinstance(a, Ciphertext):
        constants = _checks.integers(operation, b)
        return _scale(self, operation, _operands.ciphertext(self, operation, "a", a), 1, sign * constants)
    return _scale(self, operation, _operands.ciphertext(self, operation, "b", b), sign, _checks.integers(operation, a))


def _scale(self: Core, operation: str, x: Ciphertext, factors: Any, constants: Any) -> Ciphertext:
    """``factors·x + constants``, both in the clear."""
    f, c = _checks.integers(operation, factors), _checks.integers(operation, constants)
    shape = _checks.broadcast_shape(operation, x.shape, f.shape, c.shape)
    x, f, c = x._broadcast(shape), np.broadcast_to(f, shape), np.broadcast_to(c, shape)
    key = key_of(self, operation, x)
    reach = f * x.max_value
    low, high = (c + np.minimum(reach, 0)).min(initial=0), (c + np.maximum(reach, 0)).max(initial=0)
    _require_room(self.max_value, operation, int(low), int(high))
    native = self._context.scale(key, x._native, _checks.flat(f, np.int64), _checks.flat(c, np.int64))
    return Ciphertext(self, native, shape)


def _require_small(self: Core, operation: str, a: Any, b: Any) -> None:
    """Refuse what is encrypted and no small integers: arrays of 8 to 64 bits have operators."""
    for name, value in (("a", a), ("b", b)):
        if isinstance(value, EncryptedArray):
            _operands.ciphertext(self, operation, name, value)


def _require_room(max_value: int, operation: str, low: int, high: int) -> None:
    if low < 0:
        raise SpaceError(
            f"{operation}: the result may be as low as {low}, and the space begins at 0; "
            f"add a constant at once with engine.linear, or use a table of two",
            found=low,
            needed=0,
        )
    if high > max_value:
        raise SpaceError(
            f"{operation}: the result may be as large as {high}, and the space ends at {max_value}; "
            f"give a smaller max_value to encrypt, reduce an operand by a table, or choose more bits",
            found=high,
            needed=max_value,
        )
