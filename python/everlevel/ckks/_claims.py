"""Public claims of a ciphertext: level, scale, bound, interval and precision."""

from __future__ import annotations

import math
from typing import Any

from .._common.slot_shapes import SLOTS
from .._native import Ciphertext as NativeCiphertext
from ._methods import NumpyMethods


class Claims(NumpyMethods):
    """Base of ciphertexts, with what is claimed of their values."""

    __slots__ = ()

    _engine: Any
    _native: NativeCiphertext
    _is_real: bool
    _ends: tuple[float, float] | None

    @property
    def level(self) -> int:
        """Multiplications left before a bootstrap is needed.

        Examples
        --------
        >>> x = engine.encrypt([0.5], secret_key, bound=1)
        >>> x.level, (x * x).level
        (5, 4)
        """
        return self._native.level

    @property
    def scale(self) -> float:
        """Factor between a slot's value and what is stored for it.

        Examples
        --------
        >>> engine.encrypt([0.5], secret_key, bound=1).scale > 2.0**30
        True
        """
        return float(2.0**self._native.log2_scale)

    @property
    def slot_count(self) -> int:
        """Slots of a unit.

        Examples
        --------
        >>> engine.encrypt([0.5], secret_key, bound=1).slot_count
        512
        """
        return self._native.slot_count

    @property
    def polynomial_count(self) -> int:
        """2, or 3 after a multiplication without a key: see `Engine.relinearize`.

        Examples
        --------
        >>> x = engine.encrypt([0.5], secret_key, bound=1)
        >>> engine.multiply(x, x, relinearize=False).polynomial_count, (x * x).polynomial_count
        (3, 2)
        """
        return self._native.polynomial_count

    @property
    def nbytes(self) -> int:
        """Bytes in memory.

        Examples
        --------
        >>> x = engine.encrypt([0.5], secret_key, bound=1)
        >>> x.nbytes > engine.level_down(x, 1).nbytes
        True
        """
        return self._native.nbytes

    @property
    def precision_bits(self) -> float:
        """Estimate of -log2 of a slot's root-mean-square error, for varied values of mean 0 within the bound.

        It is made of the noise formulas and of public random values alone, and NaN where it says nothing. Other values
        may have larger errors after a bootstrap, above all those of one sign, such as images, and constant ones: see
        `precision_floor`. Errors are those of decrypted values, which are doubles.

        Examples
        --------
        >>> x = engine.encrypt([0.5, -0.5], secret_key, bound=1)
        >>> x.precision_bits > 20
        True
        """
        return self._native.precision_bits

    @property
    def precision_floor(self) -> float:
        """-log2 of the largest error of a slot, for any values within the bound; NaN where no such error is known.

        Errors are those of decrypted values, which are doubles.

        Examples
        --------
        >>> x = engine.encrypt([0.5], secret_key, bound=1)
        >>> error = abs(float(engine.decrypt(x, secret_key)[0]) - 0.5)
        >>> error < 2.0**-x.precision_floor
        True
        """
        return self._native.precision_floor

    @property
    def bound(self) -> float:
        """Largest size that a slot may have, by what was declared or is assumed of all that it was made from.

        Examples
        --------
        >>> x = engine.encrypt([1.0, 2.0], secret_key, bound=2)
        >>> x.bound, (x * x).bound, (x + 1).bound
        (2.0, 4.0, 3.0)
        """
        return self._native.bound

    @property
    def interval(self) -> tuple[float, float] | None:
        """Ends of where real values lie, by what was declared or claimed of all that they were made from; else None.

        It says more than the bound: squares are at least 0, means and weighted means lie where their terms do, and what
        operands have in common cancels.

        Examples
        --------
        >>> x = engine.encrypt([0.25, 0.75], public_key, bound=1)
        >>> (x * x).interval, (x - x).interval, (1 - x).interval
        ((0.0, 1.0), (0.0, 0.0), (0.0, 2.0))
        """
        if not self._is_real:
            return None
        low, high = self._native.interval if self._layout == SLOTS else self._native.interval_of_values
        if self._ends is not None and max(low, self._ends[0]) <= min(high, self._ends[1]):
            low, high = max(low, self._ends[0]), min(high, self._ends[1])
        # No end is shown as -0.0.
        return low + 0.0, high + 0.0

    @property
    def bound_kind(self) -> str:
        """Weakest of the words that the bound stands on.

        "declared" by whoever encrypted, "claimed" by who computed (an interval of a fit, `Engine.assume_bound`), or
        "assumed", where nothing was said of a message.

        Examples
        --------
        >>> engine.encrypt([0.5], secret_key, bound=1).bound_kind, engine.encrypt([0.5], secret_key).bound_kind
        ('declared', 'assumed')
        """
        return self._native.bound_kind

    @property
    def is_bound_declared(self) -> bool:
        """Whether the bound follows from declared and claimed ones alone; else 1 was assumed of a message.

        Examples
        --------
        >>> engine.encrypt([0.5], secret_key, bound=1).is_bound_declared
        True
        >>> engine.encrypt([0.5], secret_key).is_bound_declared
        False
        """
        return self._native.is_bound_declared

    @property
    def is_real(self) -> bool:
        """Whether decryption gives float64 (else complex128).

        Examples
        --------
        >>> x = engine.encrypt([0.5], secret_key, bound=1)
        >>> x.is_real, (1j * x).is_real
        (True, False)
        """
        return self._is_real

    def __repr__(self) -> str:
        parts = [
            f"level {self.level}/{self._engine.max_level}",
            f"scale 2^{self._native.log2_scale:.2f}",
            f"slots {self.unit_count}×{self.slot_count}" if self.unit_count > 1 else f"slots {self.slot_count}",
            *([] if self._layout.shape is None else [f"shape {self.shape}"]),
            f"bound {self.bound:.4g}{'' if self.bound_kind == 'declared' else f' {self.bound_kind}'}",
            f"precision {self._precision()}",
        ]
        if self.polynomial_count != 2:
            parts.append(f"{self.polynomial_count} polynomials")
        if self._native.place != "cpu":
            parts.append(self._native.place)
        return f"Ciphertext({', '.join(parts)})"

    def _precision(self) -> str:
        bits, floor = self.precision_bits, self.precision_floor
        if math.isinf(floor):
            return "exact"
        least = "unknown" if math.isnan(floor) else f"at least {floor:.1f} bits"
        typical = "unknown" if math.isnan(bits) else f"{bits:.1f}"
        return f"{least} (varied values of mean 0: {typical})"
