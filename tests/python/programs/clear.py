"""What ciphertexts hold, in the clear: values, and what may be claimed of them; and other things to compare with.

What is documented to be approximate (signs and what is made of them) has a *slack*: how
far from the stated value a slot may lie besides its noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .complex_vector import Vector, chebyshev_series, power


@dataclass(frozen=True, eq=False)
class Clear:
    """What a ciphertext encrypts, and what may be claimed of it.

    Attributes
    ----------
    length : int
        Slots that the program filled; those after them are what operations made of the library's zeros.
    truthful : bool
        Whether all that the program claimed of values is so: bounds, declared and assumed, and intervals.
    structured : bool
        Whether a value that it was made of is constant, sparse, of one sign or the like.
    slack : float
        Of approximate operations, see above.
    """

    engine: Any
    values: Vector
    level: int
    bound: float
    real: bool
    length: int
    declared: bool = True
    truthful: bool = True
    structured: bool = False
    polynomials: int = 2
    slack: Any = 0.0

    is_operand = True

    def to_bytes(self) -> Clear:
        """Return what the model's engine reads."""
        return self

    def holds(self) -> bool:
        """Whether the level's modulus holds values of the bound."""
        return self.bound < self.engine.room(self.level)

    @property
    def unit_count(self) -> int:
        return len(self.values) // self.engine.slot_count

    def with_(self, values: Vector, **changes: Any) -> Clear:
        return replace(self, values=values, **changes)

    def size(self) -> float:
        return self.values.size()

    # Operators, as of everlevel.Ciphertext.

    def __add__(self, other: Any) -> Clear:
        return self.engine.add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Clear:
        return self.engine.subtract(self, other)

    def __rsub__(self, other: Any) -> Clear:
        return self.engine.subtract(other, self)

    def __mul__(self, other: Any) -> Clear:
        return self.engine.multiply(self, other, True)

    __rmul__ = __mul__
    __array_ufunc__ = None

    def __truediv__(self, divisor: Any) -> Clear:
        inverse = Vector.of(np.atleast_1d(divisor), self.values.kind).inverse()
        if np.isscalar(divisor):
            factor = inverse[np.zeros(len(self.values), dtype=int)]
            is_whole = whole(complex(inverse.doubles()[0]))
        else:
            missing = self.engine.slot_count * -(-len(inverse) // self.engine.slot_count) - len(inverse)
            factor = Vector.join(
                [inverse, inverse[np.zeros(missing, dtype=int)] - inverse[np.zeros(missing, dtype=int)]]
            )
            is_whole = False
            if len(factor) != len(self.values):
                raise UnfitError("units differ")
        real = self.real and bool(np.isrealobj(divisor))
        result = self.with_(self.values * factor, bound=self.bound * factor.size(), real=real)
        return result.lowered(0 if is_whole else 1)

    def __rtruediv__(self, other: Any) -> Refused:
        return Refused("a division by what is encrypted")

    def __rmatmul__(self, matrix: Any) -> Clear:
        return self.engine.multiply_matrix(matrix, self)

    def __neg__(self) -> Clear:
        return self.with_(-self.values)

    def __pos__(self) -> Clear:
        return self

    def __pow__(self, exponent: int) -> Clear:
        result = self.with_(power(self.values, exponent), bound=self.bound**exponent)
        return result.lowered((exponent - 1).bit_length() * self.engine.of_product)

    def __matmul__(self, other: Any) -> Clear:
        return self.engine.dot(self, other)

    def __abs__(self) -> Clear:
        return self.engine.abs(self)

    def __gt__(self, other: Any) -> Clear:
        return self.engine.greater(self, other)

    def __lt__(self, other: Any) -> Clear:
        return self.engine.greater(other, self)

    __ge__ = __gt__
    __le__ = __lt__

    def __copy__(self) -> Clear:
        return self

    def __deepcopy__(self, memo: Any) -> Clear:
        return self

    def __len__(self) -> int:
        return self.engine.slot_count if self.unit_count == 1 else self.unit_count

    def lowered(self, levels: int) -> Clear:
        if levels > self.level and self.engine.automatic:
            return replace(self, level=max(self.engine.max_level - self.engine.stages - levels, 0))
        if levels > self.level:
            raise UnfitError("no level is left")
        return replace(self, level=self.level - levels)

    def rotate(self, delta: int) -> Clear:
        return self.engine.rotate(self, delta=delta)

    def conjugate(self) -> Clear:
        return self.engine.conjugate(self)

    def bootstrap(self) -> Clear:
        return self.engine.bootstrap(self)

    def lossy_bootstrap(self) -> Clear:
        return self.engine.lossy_bootstrap(self)

    def sign_bootstrap(self) -> Clear:
        return self.engine.sign_bootstrap(self)

    def sum(self, axis: int | None = None) -> Clear:
        return self.engine.sum(self, axis=axis)

    def mean(self, axis: int | None = None) -> Clear:
        return self.engine.mean(self, axis=axis)

    def within(self, low: float, high: float | None = None) -> Clear:
        claimed = self.engine.assume_bound(self, max(abs(low), abs(low if high is None else high)))
        if high is None:
            return claimed
        values, room = self.values.doubles().real, 1e-9 * claimed.bound
        is_so = bool((values >= low - room).all() and (values <= high + room).all())
        return replace(claimed, truthful=claimed.truthful and is_so)

    def dot(self, other: Any) -> Clear:
        return self.engine.dot(self, other)

    def cumsum(self, *, count: int | None = None) -> Clear:
        return self.engine.cumsum(self, count=count)

    def var(self, axis: int | None = None, *, ddof: int = 0) -> Clear:
        return self.engine.var(self, axis, ddof=ddof)

    def clip(self, low: float, high: float) -> Clear:
        return self.engine.clip(self, low, high)

    def units(self) -> list[Clear]:
        n = self.engine.slot_count
        whole = [self.values[i * n : (i + 1) * n] for i in range(len(self.values) // n)]
        return [self.with_(v, length=min(max(self.length - i * n, 1), n)) for i, v in enumerate(whole)]


class UnfitError(Exception):
    """A line that the model has no answer to, such as one without levels: it isn't drawn."""


@dataclass(frozen=True)
class Encoded:
    """A plaintext, or a light one."""

    engine: Any
    values: Vector
    level: int
    real: bool
    length: int
    bound: float | None = None
    is_operand = True

    def size(self) -> float:
        return self.values.size()

    def to_bytes(self) -> Clear:
        """Return what the model's engine reads."""
        return self

    def holds(self) -> bool:
        return max(self.size(), self.bound or 0) < self.engine.room(self.level)


@dataclass(frozen=True)
class Matrix:
    """An encoded matrix: the entries on the diagonals that were taken."""

    entries: Any
    level: int
    is_operand = True

    def size(self) -> float:
        return float(np.abs(self.entries).max())

    def to_bytes(self) -> Clear:
        """Return what the model's engine reads."""
        return self

    def holds(self) -> bool:
        return True


@dataclass(frozen=True)
class OnGrid:
    """What a release on a grid must give, and whether values lie on it."""

    source: Clear
    step: float


@dataclass(frozen=True)
class Flooded:
    """What a flooded release is near to."""

    source: Clear


@dataclass(frozen=True)
class Refused:
    """What must raise a typed error."""

    why: str


@dataclass(frozen=True)
class Equal:
    """What must be this very value, or near to it."""

    value: Any
    tolerance: float = 0.0


class Fit:
    """A fit of the library, whose polynomial is evaluated here."""

    def __init__(self, fit: Any, function: Any) -> None:
        self.fit, self.function = fit, function

    def __call__(self, x: Any, key: Any = None) -> Any:
        if not isinstance(x, Clear):
            return Equal(self._polynomial(Vector.of(np.asarray(x))).doubles(), 1e-9)
        a, b = self.fit.interval
        inside = x.values[: x.length]
        numbers = inside.doubles()
        slack = 1e-9 * max(abs(a), abs(b))
        within = bool(
            np.all((numbers.real >= a - slack) & (numbers.real <= b + slack) & (np.abs(numbers.imag) <= slack))
        )
        bound = float(np.abs(self.fit.coefficients).sum())
        real = x.real and np.isrealobj(self.fit.coefficients)
        result = x.with_(
            self._polynomial(x.values), bound=bound, real=real, truthful=x.truthful and within, structured=True
        )
        return result.lowered(self.fit.levels)

    def _polynomial(self, x: Vector) -> Vector:
        a, b = (x.constant(end) for end in self.fit.interval)
        scale = (b - a).inverse()
        return chebyshev_series((x + x - a - b) * scale, self.fit.coefficients)


@dataclass(frozen=True)
class Decrypted:
    """What a decryption is near to, with noise, so that nothing more is computed of it.

    How near is compared for every ciphertext.
    """

    source: Clear

    def check(self, run: Any, result: Any) -> None:
        if isinstance(result, float):
            return
        is_array = isinstance(result, np.ndarray)
        units = len(result) // self.source.engine.slot_count if is_array else result.unit_count
        if units != self.source.unit_count:
            run.found("wrong", f"{units} units")


@dataclass(frozen=True)
class CheckedFit:
    """What a fit says of its own error, beside the function on a dense grid."""

    function: Any
    degree: int
    interval: tuple[float, float]

    def check(self, run: Any, fit: Any) -> None:
        a, b = self.interval
        with np.errstate(all="ignore"):
            points = np.concatenate([np.linspace(a, b, 50 * (fit.degree + 1) + 2000), [0.0] if a < 0 < b else [a]])
            values = np.asarray(self.function(points))
        if not np.isfinite(values).all():
            run.found("fit", f"{fit!r} of a function that isn't finite on [{a}, {b}]")
            return
        polynomial = Fit(fit, self.function)._polynomial(Vector.of(points)).doubles()
        error = float(np.abs(polynomial - values).max())
        if error > 1.2 * fit.max_error + 1e-13 * np.abs(values).max():
            run.found("fit", f"the distance is {error:.4g}, and {fit.max_error:.4g} is said")


def off_grid(x: Clear, step: float) -> float:
    """Return how far values are from the multiples of a step, in steps."""
    scaled = x.values * x.values.constant(step).inverse()
    rest = [part - x.values.kind.of(np.rint(part.high)) for part in (scaled.re, scaled.im)]
    farthest = max(float(np.abs(part.high).max()) for part in rest)
    # The inverse of a step that is no power of two is rounded.
    return farthest if farthest > 1e-25 * max(1.0, x.size() / step) else 0.0


def whole(number: complex) -> bool:
    return float(number.real).is_integer() and float(number.imag).is_integer()
