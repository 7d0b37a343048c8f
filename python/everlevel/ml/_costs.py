"""Estimates of how long steps take: counts of transforms and products, times what each took on one machine.

They choose between layouts, and are shown as estimates: other machines are faster or slower, and so are several
threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ._layout import Turns
from ._program import Polynomial

MACHINE: Final = "one core of an AMD EPYC (Zen 5)"
"""Where the factors below were measured."""

_TRANSFORM: Final = 9.0e-11
"""Seconds of a transform of one limb, divided by N·log2 N, and all that is done beside it in a key switch."""
_PRODUCT: Final = 2.0e-9
"""Seconds of a diagonal's product with one limb of both polynomials, divided by N."""
_PASS: Final = 8.0e-10
"""Seconds of one pass over a limb of both polynomials, as of a sum or a product with an integer, divided by N."""
_CALL: Final = 2.0e-5
"""Seconds of a call."""

_LIMB_BITS: Final = 48
_LEVEL_BITS: Final = 40
_HEADROOM_BITS: Final = 5
_GIANT_PRICE: Final = 2


@dataclass(frozen=True)
class Costs:
    """Times of operations on a ring.

    Attributes
    ----------
    log_n : int
    max_level : int
        Level that keys are made for: it decides on their special primes.
    """

    log_n: int
    max_level: int

    @property
    def _special(self) -> int:
        """Special primes of a key: as many as make key switches cheapest."""
        counts = range(2, max(3, self.max_level + 2))
        return min(counts, key=lambda count: self._transforms(self.max_level, count))

    @staticmethod
    def _transforms(level: int, special: int) -> int:
        limbs = level + 1
        per_digit = max(1, (_LIMB_BITS * special - _HEADROOM_BITS) // _LEVEL_BITS)
        return (-(-limbs // per_digit) + 2) * (limbs + special)

    def _of(self, seconds: float, limbs: int) -> float:
        return seconds * limbs * 2.0**self.log_n

    def switch(self, level: int) -> float:
        """Seconds of a key switch: a rotation, or the end of a product of ciphertexts."""
        transforms = self._transforms(level, self._special)
        return self._of(_TRANSFORM * self.log_n, transforms) + _CALL

    def rescaling(self, level: int) -> float:
        """Seconds of a product with a number or a plaintext."""
        return self._of(_TRANSFORM * self.log_n, 3 * (level + 1)) + _CALL

    def rows(self, level: int, turns: Turns, slot_count: int) -> float:
        """Seconds of a map of rows."""
        folds = len(turns.folds) * self.switch(level - 1)
        if turns.diagonals == 1:
            return self.rescaling(level) + folds
        babies = rotations_of(turns.diagonals, slot_count)
        products = self._of(_PRODUCT, turns.diagonals * (level + 1))
        return babies * self.switch(level) + products + self.rescaling(level) + folds

    def features(self, level: int, weight_count: int, output_count: int) -> float:
        """Seconds of a map of features."""
        each = self._of(_PASS, 2 * (level + 1)) + 2 * _CALL
        return weight_count * each + output_count * self.rescaling(level)

    def polynomial(self, level: int, step: Polynomial) -> float:
        """Seconds of a polynomial of one unit."""
        return sum(self.switch(level - k) + self.rescaling(level - k) for k in products_of(step.degree))


def rotations_of(diagonals: int, slot_count: int) -> int:
    """Return the key switches of a product by baby steps and giant steps."""
    counts = [1 << k for k in range((slot_count.bit_length() - 1) // 2 + 1)]
    babies = min(counts, key=lambda count: count + _GIANT_PRICE * -(-diagonals // count))
    return babies - 1 + -(-diagonals // babies) - 1


def products_of(degree: int) -> list[int]:
    """Return the products of ciphertexts of a polynomial, each as the levels that are consumed before it."""
    depth = degree.bit_length()
    babies = 1 << -(-depth // 2)
    elements = [(k - 1).bit_length() - 1 for k in range(2, min(babies, degree) + 1)]
    powers = list(range(babies.bit_length() - 1, depth - 1))
    joints = [depth - 1] * max(0, -(-(degree + 1) // babies) - 1)
    return elements + powers + joints
