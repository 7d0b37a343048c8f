"""The model of CKKS: its public names, computing in the clear, with levels and bounds as the documentation has them.

Keys are accepted and ignored.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from .clear import Clear, Decrypted, Encoded, Equal, Fit, Flooded, Matrix, OnGrid, UnfitError, whole
from .complex_vector import Vector, chebyshev_series, matrix_product, padded, power_series, total
from .double_double import DoubleDouble

FIXED_AMOUNT = 5
"""Of the fixed rotation keys that worlds have."""


class ClearEngine:
    """The model of `everlevel.Engine`, for the numbers of an engine of the library."""

    name, secret, automatic = "engine", "secret_key", False
    of_product = 1
    """What a product of two takes of the level."""

    def __init__(self, engine: Any, room: Any, stages: int = 3, kind: Any = DoubleDouble) -> None:
        self.slot_count, self.max_level = engine.slot_count, engine.max_level
        self.stages, self.kind = stages, kind
        self._room = room

    def room(self, level: int) -> float:
        return float(self._room(level))

    # Messages.

    def encode(
        self, array: Any, level: int | None = None, *, bound: float | None = None, slots: bool = True
    ) -> Encoded:
        """Encode with all slots: programs have no shapes, which `test_shapes` compares with NumPy's."""
        values = padded(array, self.slot_count, self.kind)
        top = self.max_level if level is None else level
        return Encoded(self, values, top, bool(np.isrealobj(np.asarray(array))), len(array), bound)

    encode_to_light_plaintext = encode

    def encrypt(
        self, array: Any, key: Any = None, level: int | None = None, *, bound: Any = None, slots: bool = True
    ) -> Clear:
        text = array if isinstance(array, Encoded) else self.encode(array, level, bound=bound)
        bound = text.bound if bound is None else bound
        declared, size = bound is not None, text.values.size()
        bound = 1.0 if bound is None else float(bound)
        if declared and size > bound:
            raise UnfitError("a value exceeds its bound")
        return Clear(
            self,
            text.values,
            text.level if level is None else level,
            bound,
            text.real,
            text.length,
            declared,
            truthful=size <= bound * (1 + 1e-9),
            structured=_is_structured(text, bound),
        )

    def decode(self, plaintext: Encoded) -> Equal:
        return Equal(plaintext.values.doubles(), 2.0**-20 * max(1, plaintext.values.size()))

    def decrypt(self, x: Clear, secret_key: Any = None) -> Decrypted:
        return Decrypted(x)

    def decrypt_to_plaintext(self, x: Clear, secret_key: Any = None) -> Decrypted:
        return Decrypted(x)

    def assume_bound(self, x: Clear, bound: float) -> Clear:
        return replace(x, bound=bound, declared=True, truthful=x.truthful and x.size() <= bound * (1 + 1e-9))

    def check_range(self, x: Clear, secret_key: Any, bound: float = 1.0) -> Decrypted:
        if x.size() > bound:
            raise UnfitError("a value is larger")
        return Decrypted(x)

    def release(self, x: Clear, secret_key: Any, *, grid: Any = None, statistical_bits: Any = None) -> Any:
        return Flooded(x) if grid is None else OnGrid(x, grid)

    # Arithmetic.

    def _pair(self, left: Any, right: Any) -> tuple[Clear, Vector, float, bool, int, bool | None]:
        """Return a ciphertext, and the other operand's values, bound, reality, level, and whether it is whole."""
        x, other = (left, right) if isinstance(left, Clear) else (right, left)
        n = len(x.values)
        if isinstance(other, (Clear, Encoded)):
            if len(other.values) != n:
                raise UnfitError("units differ")
            bound = other.bound if isinstance(other, Clear) else other.values.size()
            return x, other.values, float(bound or 0.0), other.real, min(x.level, other.level), None
        if np.ndim(other) == 0:
            number = complex(other)
            return x, x.values.constant(other), abs(number), number.imag == 0, x.level, whole(number)
        values = padded(other, self.slot_count, self.kind)
        if len(values) != n:
            raise UnfitError("units differ")
        return x, values, values.size(), bool(np.isrealobj(np.asarray(other))), x.level, False

    def add(self, left: Any, right: Any) -> Clear:
        return self._sum(left, right, 1)

    def subtract(self, left: Any, right: Any) -> Clear:
        return self._sum(left, right, -1)

    def _sum(self, left: Any, right: Any, sign: int) -> Clear:
        x, values, bound, real, level, _ = self._pair(left, right)
        first, second = (x.values, values) if x is left else (values, x.values)
        result = first + second if sign > 0 else first - second
        return self._merged(x, right if x is left else left, result, x.bound + bound, real, level)

    def _merged(self, x: Clear, other: Any, values: Vector, bound: float, real: bool, level: int) -> Clear:
        second = other if isinstance(other, Clear) else x
        if isinstance(other, (Clear, Encoded)):
            filled = other.length
        else:
            filled = np.size(other) if np.ndim(other) else len(values)
        return replace(
            x,
            values=values,
            bound=bound,
            real=x.real and real,
            level=level,
            length=max(x.length, filled),
            declared=x.declared and second.declared,
            truthful=x.truthful and second.truthful,
            structured=x.structured or second.structured or not isinstance(other, Clear),
            polynomials=max(x.polynomials, second.polynomials),
            slack=x.slack + second.slack,
        )

    def negate(self, x: Clear) -> Clear:
        return -x

    def multiply(self, left: Any, right: Any, relinearization_key: Any = None, *, relinearize: bool = True) -> Clear:
        x, values, bound, real, level, is_whole = self._pair(left, right)
        other = right if x is left else left
        result = self._merged(x, other, x.values * values, x.bound * bound, real, level)
        if isinstance(other, Clear):
            if 3 in (x.polynomials, other.polynomials):
                raise UnfitError("not relinearised")
            result = replace(result, polynomials=2 if relinearize else 3)
        result = replace(result, length=max(x.length, getattr(other, "length", 0)))
        return result.lowered(0 if is_whole else 1)

    def square(self, x: Clear, relinearization_key: Any = None, *, relinearize: bool = True) -> Clear:
        return self.multiply(x, x, relinearization_key, relinearize=relinearize)

    def relinearize(self, x: Clear, key: Any = None) -> Clear:
        return replace(x, polynomials=2)

    def rescale(self, x: Any) -> Any:
        return self.level_down(x, x.level - 1)

    def level_down(self, x: Any, level: int) -> Any:
        if not 0 <= level <= x.level:
            raise UnfitError("no such level")
        return replace(x, level=level)

    def clone(self, x: Any) -> Any:
        return x

    load = load_bytes = clone

    def change_level(self, x: Any, level: int) -> Any:
        return replace(x, level=level)

    def vstack(self, parts: list[Clear]) -> Clear:
        first = parts[0]
        if len({p.polynomials for p in parts}) > 1:
            raise UnfitError("some are relinearised")
        values = Vector.join([p.values for p in parts])
        return replace(
            first,
            values=values,
            level=min(p.level for p in parts),
            bound=max(p.bound for p in parts),
            real=all(p.real for p in parts),
            declared=all(p.declared for p in parts),
            truthful=all(p.truthful for p in parts),
            structured=True,
            length=len(values),
            slack=max(p.slack for p in parts),
        )

    def weighted_sum(self, parts: list[Clear], weights: Any) -> Clear:
        terms = [
            p * (w if isinstance(w, Encoded) else np.asarray(w).item()) for p, w in zip(parts, weights, strict=True)
        ]
        result = terms[0]
        for term in terms[1:]:
            result = result + term
        return result

    # Slots.

    def _two(self, x: Clear) -> Clear:
        if x.polynomials != 2:
            raise UnfitError("not relinearised")
        return x

    def rotate(self, x: Any, key: Any = None, delta: int | None = None) -> Any:
        amount = key if isinstance(key, int) else delta
        if isinstance(x, Encoded):
            return replace(x, values=x.values.roll(int(amount or 0), self.slot_count), length=len(x.values))
        self._two(x)
        if amount is None:
            amount = FIXED_AMOUNT
        return x.with_(x.values.roll(amount, self.slot_count), length=len(x.values))

    def rotate_batch(self, x: Clear, keys: Any = None, deltas: Any = None) -> list[Clear]:
        deltas = keys if deltas is None and isinstance(keys, list) and isinstance(keys[0], int) else deltas
        return [self.rotate(x, None, delta) for delta in ([FIXED_AMOUNT] if deltas is None else deltas)]

    def conjugate(self, x: Any, key: Any = None) -> Any:
        if isinstance(x, Clear):
            self._two(x)
        return replace(x, values=x.values.conjugate())

    def sum(self, x: Clear, key: Any = None, axis: int | None = None) -> Clear:
        axis = key if isinstance(key, int) else axis
        units = [u.values for u in x.units()]
        factor = 1
        if axis in (None, 0, -2):
            factor *= len(units)
            units = [total(units)]
        if axis in (None, 1, -1):
            self._two(x)
            factor *= self.slot_count
            units = [total([u[i : i + 1] for i in range(len(u))])[np.zeros(len(u), dtype=int)] for u in units]
        values = Vector.join(units)
        return x.with_(values, bound=x.bound * factor, length=len(values), structured=True)

    def mean(self, x: Clear, key: Any = None, axis: int | None = None) -> Clear:
        axis = key if isinstance(key, int) else axis
        result = self.sum(x, None, axis)
        terms = (x.unit_count if axis in (None, 0, -2) else 1) * (self.slot_count if axis in (None, 1, -1) else 1)
        return result / terms if terms > 1 else result

    def sum_range(self, x: Clear, key: Any = None, count: int | None = None) -> Clear:
        self._two(x)
        count = key if count is None else count
        values = total([x.values.roll(-i, self.slot_count) for i in range(count)])
        return x.with_(values, bound=x.bound * count, length=len(x.values), structured=True)

    def dot(self, x: Any, y: Any) -> Clear:
        vector, other = (x, y) if isinstance(x, Clear) else (y, x)
        result: Clear = (vector * other).sum()
        if isinstance(other, Clear):
            return result
        return replace(result, bound=min(result.bound, vector.bound * float(np.abs(other).sum())))

    def cumsum(self, x: Clear, *, count: int | None = None) -> Clear:
        if x.unit_count > 1:
            raise UnfitError("several units")
        width, stride, places = count or self.slot_count, 1, np.arange(self.slot_count)
        while stride < width:
            deltas = [k * stride for k in range(1, 8) if k * stride < width]
            terms = [x.rotate(delta) * (places >= delta).astype(float) for delta in deltas]
            for term in terms:
                x = x + term
            stride *= 8
        return x

    def var(self, x: Clear, axis: int | None = None, *, ddof: int = 0) -> Clear:
        if not self._two(x).real:
            raise UnfitError("not real")
        units = x.unit_count if axis in (None, 0, -2) else 1
        terms = units * (self.slot_count if axis in (None, 1, -1) else 1)
        if ddof >= terms:
            raise UnfitError("nothing is left")
        mean = x.mean(axis)
        if mean.unit_count < x.unit_count:
            mean = self.vstack([mean] * x.unit_count)
        centred = x - mean
        squares: Clear = (centred * centred).sum(axis) * (1 / (terms - ddof))
        return replace(squares, bound=x.bound**2 * terms / (terms - ddof))

    # Matrices.

    def encode_to_plain_matrix(self, matrix: Any, level: Any = None, diagonal_indices: Any = None) -> Matrix:
        entries = np.asarray(matrix)
        if diagonal_indices is not None:
            rows, columns = np.indices(entries.shape)
            kept = np.isin((columns - rows) % self.slot_count, [d % self.slot_count for d in diagonal_indices])
            entries = np.where(kept, entries, 0)
        return Matrix(entries, self.max_level if level is None else level)

    encode_to_light_plain_matrix = encode_to_plain_matrix

    def multiply_matrix(self, matrix: Any, x: Clear, key: Any = None) -> Clear:
        self._two(x)
        entries = np.asarray(matrix.entries if isinstance(matrix, Matrix) else matrix)
        level = min(x.level, matrix.level if isinstance(matrix, Matrix) else x.level)
        n, columns = self.slot_count, entries.shape[1]
        needed = -(-columns // n)
        if x.unit_count % needed:
            raise UnfitError("units differ")
        # Integers beyond 2^53 are no doubles.
        entries = entries.astype(complex if np.iscomplexobj(entries) else float)
        products = []
        for i in range(x.unit_count // needed):
            part = matrix_product(entries, x.values[i * needed * n : (i + 1) * needed * n])
            missing = -len(part) % n
            products += [part, part[np.zeros(missing, dtype=int)] - part[np.zeros(missing, dtype=int)]]
        values = Vector.join(products)
        row = float(np.abs(entries).sum(axis=1).max())
        real = x.real and bool(np.isrealobj(entries))
        result = x.with_(values, bound=x.bound * row, real=real, level=level, length=len(values), structured=True)
        return result.lowered(1)

    # Polynomials.

    def make_power_basis(self, x: Clear, count: int, key: Any) -> list[Clear]:
        return [self._two(x) ** k for k in range(1, count + 1)]

    def make_chebyshev_basis(self, x: Clear, count: int, key: Any) -> list[Clear]:
        return [self._series(x, [0] * k + [1], chebyshev=True) for k in range(1, count + 1)]

    def evaluate_polynomial(self, x: Clear, coefficients: Any, key: Any = None, *, bootstrap_key: Any = None) -> Clear:
        if isinstance(coefficients, Fit):
            return coefficients(x)
        return self._series(x, np.asarray(coefficients), chebyshev=False)

    def evaluate_chebyshev_polynomial(
        self, x: Clear, coefficients: Any, key: Any = None, *, bootstrap_key: Any = None
    ) -> Clear:
        if isinstance(coefficients, Fit):
            return coefficients(x)
        return self._series(x, np.asarray(coefficients), chebyshev=True)

    def _series(self, x: Clear, coefficients: Any, *, chebyshev: bool) -> Clear:
        self._two(x)
        c = np.asarray(coefficients)
        nonzero = np.flatnonzero(c)
        degree = int(nonzero[-1]) if len(nonzero) else 0
        values = (chebyshev_series if chebyshev else power_series)(x.values, c)
        sizes = np.abs(c).astype(float)
        # |T_k| is at most 1 on [-1, 1], and (b + √(1 + b²))^k on a disc of radius b.
        disc = x.bound + math.hypot(1, x.bound) if chebyshev else x.bound
        growth = 1.0 if chebyshev and x.real and x.bound <= 1 else disc
        with np.errstate(over="ignore"):
            bound = float(sum(s * growth**k for k, s in enumerate(sizes) if s))
        result = x.with_(values, bound=bound, real=x.real and bool(np.isrealobj(c)), structured=True, length=x.length)
        return result.lowered(degree.bit_length())


def _is_structured(text: Encoded, bound: float) -> bool:
    """Whether values are unlike those that estimates are made for: evenly spread over the bound, in every slot."""
    values = text.values.doubles()
    rms, mean = math.sqrt(np.mean(np.abs(values) ** 2)), abs(np.mean(values))
    return text.length < len(values) or not (0.45 * bound < rms < 0.75 * bound) or mean > 0.3 * rms
