"""Vectors of complex numbers in the clear, as exact as their real numbers are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .double_double import DoubleDouble


class Vector:
    """Complex numbers, as real and imaginary parts of a kind that has ``+ - *`` and slices."""

    __slots__ = ("im", "re")

    def __init__(self, re: Any, im: Any) -> None:
        self.re, self.im = re, im

    @classmethod
    def of(cls, values: Any, kind: Any = DoubleDouble) -> Vector:
        array = np.asarray(values)
        if array.dtype.kind in "iub" and array.dtype.itemsize == 8:
            # Integers beyond 2^53 are no doubles: what is encrypted is the nearest one.
            array = array.astype(float)
        return cls(kind.of(np.real(array).astype(float)), kind.of(np.imag(array).astype(float)))

    @property
    def kind(self) -> Any:
        return type(self.re)

    def __len__(self) -> int:
        return len(self.re.high)

    def __add__(self, other: Vector) -> Vector:
        return Vector(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Vector) -> Vector:
        return Vector(self.re - other.re, self.im - other.im)

    def __neg__(self) -> Vector:
        return Vector(-self.re, -self.im)

    def __mul__(self, other: Vector) -> Vector:
        return Vector(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def __getitem__(self, index: Any) -> Vector:
        return Vector(self.re[index], self.im[index])

    def conjugate(self) -> Vector:
        return Vector(self.re, -self.im)

    def inverse(self) -> Vector:
        scale = (self.re * self.re + self.im * self.im).inverse()
        return Vector(self.re * scale, -(self.im * scale))

    def doubles(self) -> Any:
        return self.re.high + 1j * self.im.high

    def errors(self, values: Any) -> Any:
        """Return the differences of doubles from these numbers."""
        return -self.re.less(np.real(values)) - 1j * self.im.less(np.imag(values))

    def size(self) -> float:
        """Return the largest absolute value."""
        return float(np.abs(self.doubles()).max())

    def roll(self, delta: int, unit: int) -> Vector:
        """Rotate each unit in itself."""
        places = np.arange(len(self)).reshape(-1, unit)
        return self[np.roll(places, delta, axis=1).ravel()]

    def constant(self, number: Any) -> Vector:
        return Vector.of(np.full(len(self), number), self.kind)

    @staticmethod
    def join(parts: list[Vector]) -> Vector:
        kind = parts[0].kind
        return Vector(kind.join([p.re for p in parts]), kind.join([p.im for p in parts]))


def padded(values: Any, unit: int, kind: Any, *, repeat: bool = False) -> Vector:
    """Fill values up with zeros to whole units."""
    array = np.asarray(values)
    length = -(-len(array) // unit) * unit
    filled = np.zeros(length, dtype=complex if array.dtype.kind == "c" else float)
    filled[: len(array)] = array
    return Vector.of(filled, kind)


def total(terms: list[Vector]) -> Vector:
    """Add up vectors, in pairs."""
    while len(terms) > 1:
        terms = [a + b for a, b in zip(terms[::2], terms[1::2], strict=False)] + (terms[-1:] if len(terms) % 2 else [])
    return terms[0]


def power_series(x: Vector, coefficients: Any) -> Vector:
    """Evaluate Σ c_k x^k by Horner's rule."""
    result = x.constant(coefficients[-1])
    for c in coefficients[-2::-1]:
        result = result * x + x.constant(c)
    return result


def chebyshev_series(x: Vector, coefficients: Any) -> Vector:
    """Evaluate Σ c_k T_k(x) by Clenshaw's recurrence."""
    first, second, double = x.constant(0), x.constant(0), x + x
    for c in coefficients[:0:-1]:
        first, second = double * first - second + x.constant(c), first
    return x * first - second + x.constant(coefficients[0])


def power(x: Vector, exponent: int) -> Vector:
    return power_series(x, [0] * exponent + [1])


def matrix_product(matrix: Any, x: Vector) -> Vector:
    """Multiply a matrix of doubles by a vector whose entries beyond the columns don't matter."""
    columns = [x[np.full(len(matrix), j)] * Vector.of(matrix[:, j], x.kind) for j in range(matrix.shape[1])]
    return total(columns)


def mapped(function: Callable[[Any], Any], x: Vector) -> Vector:
    """Apply a function of doubles to real and imaginary parts each."""
    return Vector(x.kind.of(function(x.re.high)), x.kind.of(function(x.im.high)))
