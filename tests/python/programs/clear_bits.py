"""The model of TFHE and NTRU: arrays of bits, of small integers, and of integers of 8 to 64 bits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .clear import UnfitError

BITS, SMALL, UINT, INT, BOOL = "Ciphertext of bits", "Ciphertext of integers", "UintArray", "IntArray", "BoolArray"
WORDS = (UINT, INT)


@dataclass(frozen=True, eq=False)
class Array:
    """What an encrypted array holds.

    Attributes
    ----------
    top : int
        Of small integers, the largest that an element may have; of words, 2**width - 1; else 1.
    """

    engine: Any
    kind: str
    values: Any
    top: int = 1
    is_operand = True
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        # NumPy makes a number of an array without dimensions.
        exact = np.asarray(self.values, dtype=bool if self.kind in (BITS, BOOL) else object)
        object.__setattr__(self, "values", exact)

    def size(self) -> float:
        return 0.0

    def holds(self) -> bool:
        return self.kind != SMALL or self.top <= self.engine.top

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.values.shape)

    @property
    def width(self) -> int:
        return self.top.bit_length()

    @property
    def range(self) -> tuple[int, int]:
        return (-(self.top + 1) // 2, self.top // 2) if self.kind == INT else (0, self.top)

    @property
    def dtype(self) -> str:
        return f"{'int' if self.kind == INT else 'uint'}{self.width}"

    def check(self, run: Any, x: Any) -> None:
        got = run.library["engine"].decrypt(x, run.library["secret_key"])
        if got.shape != self.shape or x.shape != self.shape:
            run.found("wrong", f"shape {got.shape}, and {self.shape} is right")
        elif np.any(got.astype(object) != self.values.astype(object)):
            run.found("wrong", f"{got.tolist()}, and {self.values.tolist()} is right")
        if self.kind in WORDS and got.dtype != np.dtype(self.dtype):
            run.found("wrong", f"dtype {got.dtype} of {self.width} bits")
        if self.kind == SMALL and x.max_value < int(self.values.max()):
            run.found("bound", f"max_value is {x.max_value}, of a value {self.values.max()}")
        # Of all elements and all that led to them: far below what a run of the generator would notice.
        if not x.failure_probability <= 1e-9:
            run.report.counts["failure probability unknown"] += 1

    # What every array has.

    def __getitem__(self, index: Any) -> Array:
        if isinstance(index, Array):
            padded = np.concatenate([self.values, 0 * self.values[:1]])
            return replace(self, values=np.asarray(padded[self._places(index)]))
        return replace(self, values=np.asarray(self.values[index]))

    def _places(self, index: Array) -> Any:
        """Places in the first dimension, and the one behind the last for places that there aren't."""
        count = len(self)
        place = np.vectorize(lambda i: (i + count if i < 0 else i) if -count <= i < count else count, otypes=[int])
        return place(index.values)

    def __setitem__(self, index: Any, value: Any) -> None:
        at = index.values if isinstance(index, Array) else index
        if isinstance(index, Array) and index.kind in WORDS:
            at = slice(int(self._places(index)), int(self._places(index)) + 1)
        new = value.values if isinstance(value, Array) else np.asarray(value, dtype=object)
        new = new if self.kind in (BITS, BOOL) else np.vectorize(int, otypes=[object])(new)
        try:
            # An array without dimensions would be an element itself.
            self.values[at] = new if np.ndim(new) else np.asarray(new)[()]
        except (ValueError, IndexError):
            raise UnfitError("no such places") from None
        high = value.top if isinstance(value, Array) else int(np.max(new))
        object.__setattr__(self, "top", max(self.top, high if self.kind == SMALL else 0))

    def copy(self) -> Array:
        return replace(self, values=self.values.copy())

    def __pos__(self) -> Array:
        return self.copy()

    def ravel(self) -> Array:
        return replace(self, values=self.values.ravel())

    def transpose(self) -> Array:
        return self.T

    def __len__(self) -> int:
        return len(self.values)

    def reshape(self, *shape: Any) -> Array:
        return replace(self, values=self.values.reshape(*shape))

    @property
    def T(self) -> Array:  # noqa: N802
        return replace(self, values=self.values.T)

    # Operators.

    def _with(self, other: Any, function: Any, kind: str | None = None) -> Array:
        return self.engine.combined(self, other, function, kind)

    def __and__(self, other: Any) -> Array:
        return self._with(other, lambda a, b: a & b)

    def __or__(self, other: Any) -> Array:
        return self._with(other, lambda a, b: a | b)

    def __xor__(self, other: Any) -> Array:
        return self._with(other, lambda a, b: a ^ b)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Array:
        return replace(self, values=self.top - self.values if self.kind == UINT else ~self.values)

    def __mul__(self, other: Any) -> Array:
        if self.kind != BOOL:
            return self._with(other, lambda a, b: a * b)
        if isinstance(other, Array) and other.kind in WORDS:
            return other * self
        if isinstance(other, (bool, Array)):
            return self & other
        return self.astype(np.asarray(other).dtype) * other

    __rmul__ = __mul__

    def __eq__(self, other: Any) -> Array:  # type: ignore[override]
        return self._with(other, lambda a, b: a == b, BOOL if self.kind in WORDS else self.kind)

    def __ne__(self, other: Any) -> Array:  # type: ignore[override]
        return self._with(other, lambda a, b: a != b, BOOL if self.kind in WORDS else self.kind)

    def __add__(self, other: Any) -> Array:
        return self._with(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Array:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Array:
        return self._with(other, lambda a, b: b - a)

    def __floordiv__(self, other: Any) -> Array:
        return self._with(other, self._quotient)

    def __rfloordiv__(self, other: Any) -> Array:
        return self._with(other, lambda a, b: self._quotient(b, a))

    def __mod__(self, other: Any) -> Array:
        return self._with(other, self._remainder)

    def __rmod__(self, other: Any) -> Array:
        return self._with(other, lambda a, b: self._remainder(b, a))

    def __divmod__(self, other: Any) -> tuple[Array, Array]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Array, Array]:
        return other // self, other % self

    def _quotient(self, a: Any, b: Any) -> Any:
        by_zero = np.where(a < 0, 0, -1) if self.kind == INT else self.top
        return np.where(b == 0, by_zero, a // np.where(b == 0, 1, b))

    def _remainder(self, a: Any, b: Any) -> Any:
        return np.where(b == 0, a, a % np.where(b == 0, 1, b))

    def __pow__(self, exponent: Any) -> Array:
        if isinstance(exponent, Array):
            exponent = exponent.values
        return self._with(exponent, lambda a, b: np.vectorize(pow, otypes=[object])(a, b, self.top + 1))

    def __rpow__(self, base: Any) -> Array:
        x = self.engine.array(INT if np.asarray(base).dtype.kind == "i" else UINT, base, self.top)
        return x**self

    def __abs__(self) -> Array:
        return self._with(0, lambda a, b: np.abs(a))

    def __neg__(self) -> Array:
        return self._with(0, lambda a, b: b - a)

    def _shifted(self, a: Any, b: Any, sign: int) -> Any:
        """Amounts below zero are large ones."""
        amount = np.where((b >= 0) & (b < self.width), b, self.width)
        return np.asarray(a << amount if sign > 0 else a >> amount)

    def __lshift__(self, amount: Any) -> Array:
        return self._with(amount, lambda a, b: self._shifted(a, b, 1))

    def __rshift__(self, amount: Any) -> Array:
        return self._with(amount, lambda a, b: self._shifted(a, b, -1))

    def __rlshift__(self, other: Any) -> Array:
        return self._with(other, lambda a, b: self._shifted(b, a, 1))

    def __rrshift__(self, other: Any) -> Array:
        return self._with(other, lambda a, b: self._shifted(b, a, -1))

    def __lt__(self, other: Any) -> Array:
        return self._with(other, lambda a, b: a < b, BOOL)

    def __le__(self, other: Any) -> Array:
        return self._with(other, lambda a, b: a <= b, BOOL)

    def __gt__(self, other: Any) -> Array:
        return self._with(other, lambda a, b: a > b, BOOL)

    def __ge__(self, other: Any) -> Array:
        return self._with(other, lambda a, b: a >= b, BOOL)

    # One of many.

    def _reduced(self, function: Any, axis: Any, top: int | None = None, **options: Any) -> Array:
        values = np.asarray(function(self.values, axis=axis, **options), dtype=self.values.dtype)
        return self.engine.array(self.kind, values, self.top if top is None else top)

    def sum(self, axis: Any = None, keepdims: bool = False) -> Array:
        count = self.values.size if axis is None else self.shape[axis]
        if self.kind == BOOL:
            return self.astype(np.uint8)._reduced(np.sum, axis, keepdims=keepdims)
        return self._reduced(np.sum, axis, self.top if self.kind in WORDS else self.top * count, keepdims=keepdims)

    def prod(self, axis: Any = None, keepdims: bool = False) -> Array:
        return self._reduced(np.prod, axis, keepdims=keepdims)

    def cumsum(self, axis: Any = None) -> Array:
        return self._reduced(np.cumsum, axis)

    def mean(self, axis: Any = None, keepdims: bool = False) -> Array:
        count = self.values.size if axis is None else self.shape[axis]
        return self._reduced(lambda values, **options: np.sum(values, **options) // count, axis, keepdims=keepdims)

    def sort(self, axis: Any) -> None:
        flat = np.sort(self.values, axis).reshape(self.shape)
        object.__setattr__(self, "values", flat)

    def __matmul__(self, other: Any) -> Array:
        return self.engine.array(self.kind, np.asarray(self.values @ other.astype(object)), self.top)

    def __rmatmul__(self, other: Any) -> Array:
        return self.engine.array(self.kind, np.asarray(other.astype(object) @ self.values), self.top)

    def dot(self, other: Any) -> Array:
        return self * other if np.ndim(other) == 0 else self @ other

    def min(self, axis: Any = None, keepdims: bool = False) -> Array:
        return self._reduced(np.min, axis, keepdims=keepdims)

    def max(self, axis: Any = None, keepdims: bool = False) -> Array:
        return self._reduced(np.max, axis, keepdims=keepdims)

    def argmin(self, axis: Any = None, keepdims: bool = False) -> Array:
        return self.engine.array(UINT, np.asarray(np.argmin(self.values, axis=axis, keepdims=keepdims)), 255)

    def argmax(self, axis: Any = None, keepdims: bool = False) -> Array:
        return self.engine.array(UINT, np.asarray(np.argmax(self.values, axis=axis, keepdims=keepdims)), 255)

    def any(self, axis: Any = None, keepdims: bool = False) -> Array:
        return self._reduced(np.any, axis, keepdims=keepdims)

    def all(self, axis: Any = None, keepdims: bool = False) -> Array:
        return self._reduced(np.all, axis, keepdims=keepdims)

    def astype(self, dtype: Any) -> Array:
        kind = INT if np.dtype(dtype).kind == "i" else UINT
        return self.engine.array(kind, self.values.astype(object) * 1, 2 ** (8 * np.dtype(dtype).itemsize) - 1)


class BitEngine:
    """The model of `tfhe.Engine` and `ntru.Engine`."""

    def __init__(self, engine: Any) -> None:
        self.bits = engine.message_bits
        self.top = 1 if self.bits is None else engine.max_value

    def array(self, kind: str, values: Any, top: int) -> Array:
        numbers = np.asarray(values)
        if kind in (BITS, BOOL):
            return Array(self, kind, numbers.astype(bool), 1)
        numbers = np.vectorize(int, otypes=[object])(numbers) if numbers.size else numbers
        if kind == INT:
            numbers = (numbers + (top + 1) // 2 & top) - (top + 1) // 2
        return Array(self, kind, np.asarray(numbers & top if kind == UINT else numbers, dtype=object), top)

    def combined(self, x: Array, other: Any, function: Any, kind: str | None) -> Array:
        if isinstance(other, Array) and other.kind == BOOL and x.kind in WORDS:
            other = replace(other.astype(x.dtype), engine=x.engine)
        if isinstance(other, Array) and (other.kind != x.kind or (x.kind in WORDS and other.top != x.top)):
            raise UnfitError("two kinds")
        second = other.values if isinstance(other, Array) else np.asarray(other)
        if x.kind in (*WORDS, SMALL):
            second = np.vectorize(int, otypes=[object])(second)
        try:
            values = function(x.values, second)
        except ValueError:
            raise UnfitError("shapes differ") from None
        if x.kind != SMALL or kind is not None:
            return self.array(kind or x.kind, values, x.top)
        high = other.top if isinstance(other, Array) else int(np.max(second))
        low = 0 if isinstance(other, Array) else int(np.min(second))
        reach = [int(function(a, b)) for a in (0, x.top) for b in (low, high)]
        if min(reach) < 0:
            raise UnfitError("below zero")
        return self.array(SMALL, values, max(reach))

    # Bits.

    def encrypt(self, values: Any, key: Any, *, max_value: int | None = None) -> Array:
        if self.bits is None:
            return self.array(BITS, np.asarray(values), 1)
        return self.array(SMALL, np.asarray(values), self.top if max_value is None else max_value)

    def rerandomize(self, x: Array, public_key: Any) -> Array:
        return replace(x)

    def compress(self, x: Array, *, rerandomize: bool = True) -> Array:
        return replace(x)

    def decompress(self, x: Array) -> Array:
        return replace(x)

    def decrypt(self, x: Array, secret_key: Any) -> Any:
        if x.kind in (BITS, BOOL):
            return x.values
        return x.values.astype(np.uint8 if x.kind == SMALL else x.dtype)

    def _gate(self, a: Any, b: Any, function: Any) -> Array:
        x, other = (a, b) if isinstance(a, Array) else (b, a)
        return self.combined(x, other, function if x is a else lambda p, q: function(q, p), None)

    def and_(self, a: Any, b: Any) -> Array:
        return self._gate(a, b, lambda p, q: p & q)

    def or_(self, a: Any, b: Any) -> Array:
        return self._gate(a, b, lambda p, q: p | q)

    def xor(self, a: Any, b: Any) -> Array:
        return self._gate(a, b, lambda p, q: p ^ q)

    def nand(self, a: Any, b: Any) -> Array:
        return ~self.and_(a, b)

    def nor(self, a: Any, b: Any) -> Array:
        return ~self.or_(a, b)

    def xnor(self, a: Any, b: Any) -> Array:
        return ~self.xor(a, b)

    def andny(self, a: Any, b: Any) -> Array:
        return self._gate(a, b, lambda p, q: ~p & q)

    def andyn(self, a: Any, b: Any) -> Array:
        return self._gate(a, b, lambda p, q: p & ~q)

    def orny(self, a: Any, b: Any) -> Array:
        return self._gate(a, b, lambda p, q: ~p | q)

    def oryn(self, a: Any, b: Any) -> Array:
        return self._gate(a, b, lambda p, q: p | ~q)

    def not_(self, a: Array) -> Array:
        return ~a

    def mux(self, selector: Any, a: Any, b: Any) -> Array:
        parts = [np.asarray(v.values if isinstance(v, Array) else v) for v in (selector, a, b)]
        try:
            return self.array(BITS, np.where(*parts), 1)
        except ValueError:
            raise UnfitError("shapes differ") from None

    # Small integers.

    def add(self, a: Any, b: Any) -> Array:
        return self._gate(a, b, lambda p, q: p + q)

    def subtract(self, a: Any, b: Any) -> Array:
        return self._gate(a, b, lambda p, q: p - q)

    def multiply(self, a: Any, b: Any) -> Array:
        return self._gate(a, b, lambda p, q: p * q)

    def linear(self, terms: Any, constant: int = 0) -> Array:
        reaches = [f * x.top for f, x in terms]
        if constant + sum(min(r, 0) for r in reaches) < 0:
            raise UnfitError("below zero")
        try:
            values = constant + sum(f * x.values for f, x in terms)
        except ValueError:
            raise UnfitError("shapes differ") from None
        return self.array(SMALL, values, constant + sum(max(r, 0) for r in reaches))

    def bootstrap(self, x: Array, other: Array | None = None, *, lut: Any = None) -> Array:
        if x.kind == BITS:
            return x
        if x.top > self.top:
            raise UnfitError("beyond the space")
        if other is None:
            entries = [lut(m) for m in range(x.top + 1)] if callable(lut) else lut or list(range(x.top + 1))
            return self.array(SMALL, np.vectorize(lambda m: entries[m], otypes=[object])(x.values), max(entries))
        if (x.top + 1) * (other.top + 1) > self.top + 1:
            raise UnfitError("too many pairs")
        try:
            values = np.vectorize(lut, otypes=[object])(x.values, other.values)
        except ValueError:
            raise UnfitError("shapes differ") from None
        return self.array(SMALL, values, max(lut(a, b) for a in range(x.top + 1) for b in range(other.top + 1)))

    def bootstrap_many(self, x: Array, luts: Any) -> list[Array]:
        return [self.bootstrap(x, lut=lut) for lut in luts]

    def lookup(self, x: Array, table: Any, *, in_bits: int | None = None, out_bits: int | None = None) -> Array:
        has = self.bits if x.kind == SMALL else x.width
        bits = in_bits or has
        if x.top >= 2**bits and x.kind == SMALL:
            raise UnfitError("behind the table")
        entries = [table(i) for i in range(2**bits)] if callable(table) else list(table)
        values = np.vectorize(lambda i: int(entries[i % 2**bits]), otypes=[object])(x.values)
        wide = x.kind == UINT if out_bits is None else out_bits in (8, 16, 32, 64)
        return self.array(UINT, values, 2 ** (out_bits or has) - 1) if wide else self.array(SMALL, values, max(entries))

    # Integers of 8 to 64 bits.

    def encrypt_uint(self, values: Any, key: Any, *, width: int | None = None) -> Array:
        array = np.asarray(values)
        return self.array(UINT, array, 2 ** (width or 8 * array.dtype.itemsize) - 1)

    def encrypt_int(self, values: Any, key: Any, *, width: int | None = None) -> Array:
        array = np.asarray(values)
        return self.array(INT, array, 2 ** (width or 8 * array.dtype.itemsize) - 1)

    def bitwise_count(self, x: Array) -> Array:
        return self.array(UINT, np.vectorize(lambda v: abs(v).bit_count(), otypes=[object])(x.values), 255)

    def leading_zeros(self, x: Array) -> Array:
        zeros = np.vectorize(lambda v: x.width - (v & x.top).bit_length(), otypes=[object])
        return self.array(UINT, zeros(x.values), 255)

    def trailing_zeros(self, x: Array) -> Array:
        zeros = np.vectorize(lambda v: (v & -v).bit_length() - 1 if v else x.width, otypes=[object])
        return self.array(UINT, zeros(x.values), 255)

    def encrypt_bool(self, values: Any, key: Any) -> Array:
        return self.array(BOOL, np.asarray(values), 1)

    def minimum(self, a: Any, b: Any) -> Array:
        return self._gate(a, b, np.minimum)

    def maximum(self, a: Any, b: Any) -> Array:
        return self._gate(a, b, np.maximum)

    def _checked(self, a: Any, b: Any, function: Any) -> tuple[Array, Array]:
        x, other = (a, b) if isinstance(a, Array) else (b, a)
        both = (lambda p, q: function(p, q)) if x is a else (lambda p, q: function(q, p))
        low, high = x.range
        beyond = self.combined(x, other, lambda p, q: (both(p, q) > high) | (both(p, q) < low), BOOL)
        return self.combined(x, other, both, None), beyond

    def checked_add(self, a: Any, b: Any) -> Any:
        return self._checked(a, b, lambda p, q: p + q)

    def checked_subtract(self, a: Any, b: Any) -> Any:
        return self._checked(a, b, lambda p, q: p - q)

    def checked_multiply(self, a: Any, b: Any) -> Any:
        return self._checked(a, b, lambda p, q: p * q)

    def _saturating(self, a: Any, b: Any, function: Any) -> Array:
        low, high = (a if isinstance(a, Array) else b).range
        return self._gate(a, b, lambda p, q: np.clip(function(p, q), low, high))

    def saturating_add(self, a: Any, b: Any) -> Array:
        return self._saturating(a, b, lambda p, q: p + q)

    def saturating_subtract(self, a: Any, b: Any) -> Array:
        return self._saturating(a, b, lambda p, q: p - q)

    def saturating_multiply(self, a: Any, b: Any) -> Array:
        return self._saturating(a, b, lambda p, q: p * q)

    def _by_zero(self, a: Any, b: Any) -> Array:
        x, other = (a, b) if isinstance(a, Array) else (b, a)
        return self.combined(
            x, other, (lambda p, q: (q + 0 * p) == 0) if x is a else (lambda p, q: (p + 0 * q) == 0), BOOL
        )

    def checked_floor_divide(self, a: Any, b: Any) -> Any:
        return a // b, self._by_zero(a, b)

    def checked_remainder(self, a: Any, b: Any) -> Any:
        return a % b, self._by_zero(a, b)

    def rotate_left(self, a: Any, amount: Any) -> Array:
        return self._rotated(a, amount, 1)

    def rotate_right(self, a: Any, amount: Any) -> Array:
        return self._rotated(a, amount, -1)

    def _rotated(self, a: Array, amount: Any, sign: int) -> Array:
        w = a.width
        return self.combined(a, amount, lambda p, q: (p << (sign * q % w)) | ((p & a.top) >> (-sign * q % w)), None)

    def select(self, condition: Any, a: Any, b: Any) -> Array:
        x = next(v for v in (a, b) if isinstance(v, Array))
        parts = [v.values if isinstance(v, Array) else np.asarray(v) for v in (condition, a, b)]
        try:
            return self.array(x.kind, np.where(parts[0].astype(bool), parts[1], parts[2]), x.top)
        except ValueError:
            raise UnfitError("shapes differ") from None

    def load(self, x: Array) -> Array:
        return x
