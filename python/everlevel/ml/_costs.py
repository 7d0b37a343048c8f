"""Estimates of how long steps take: counts of transforms and products, times what each took on one machine.

They choose between layouts, the same ones on every machine. What is shown are these times by a factor that is measured
(`_machine`); several threads are faster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .. import _native
from ._layout import Layout
from ._moves import Turns
from ._program import Counts, Polynomial, Step
from ._schedule import FAST
from ._weights import terms

MACHINE: Final = "one core of an AMD EPYC (Zen 4)"
"""Where the factors below were measured."""

_TRANSFORM: Final = 1.7e-10
"""Seconds of a transform of one limb in a product of ciphertexts, divided by N·log2 N, and of all beside it."""
_MOVE: Final = 2.2e-10
"""Seconds, divided alike, of a transform in a rotation or a rescaling, beside which there are more passes."""
LARGE_LOG_N: Final = 15
"""Rings from which on a ciphertext and a key are larger than a core's cache."""
_PRODUCT: Final = 1.5e-9
"""Seconds of a diagonal's product with one limb of both polynomials, divided by N."""
_PASS: Final = 8.0e-10
"""Seconds of one pass over a limb, as of a sum or a product with an integer, divided by N."""
_ENCODING: Final = 5.0e-8
"""Seconds of encoding a diagonal before its transforms, divided by N."""
_CALL: Final = 2.0e-5
"""Seconds of a call of the engine, whatever it computes."""

_BOOTSTRAP: Final = 2.9
"""Seconds of a bootstrap from level 0 to 13 at N = 2^16."""
_BOOTSTRAP_LEVELS: Final = 15
"""Levels that it takes itself."""

_LIMB_BITS: Final = 48
_LEVEL_BITS: Final = 40
_HEADROOM_BITS: Final = 5
_CAPS: Final = {13: 214, 14: 430, 15: 868, 16: 1747, 17: 3523}
"""Bits of a key's modulus that leave 128 bits of security, by log2 N: they limit the special primes."""


@dataclass(frozen=True)
class Costs:
    """Times of operations on a ring.

    Attributes
    ----------
    log_n : int
    product_level : int or None
        Level that the keys of products of ciphertexts, and of conjugations, are made for: it decides on their special
        primes. None where there are no products.
    """

    log_n: int
    product_level: int | None

    def _special(self, level: int) -> int:
        """Return the special primes of a key for a level: as many as make key switches cheapest, within the cap."""
        modulus = _LIMB_BITS + 2 + _LEVEL_BITS * level
        room = (_CAPS.get(self.log_n, 2**20) - modulus) // _LIMB_BITS
        counts = range(1, max(min(room, level + 1), 1) + 1)
        able = [count for count in counts if count > 1] or [1]
        return min(able, key=lambda count: sum(self._transforms(level, count)))

    @staticmethod
    def _transforms(level: int, special: int) -> tuple[int, int]:
        """Count the transforms of a key switch: those of all digits, and of the product."""
        limbs, digits, bits = level + 1, 0, 0
        for limb in range(limbs):
            size = _LIMB_BITS if limb == 0 else _LEVEL_BITS + 2 * (limb == 1)
            if bits == 0 or bits + size > _LIMB_BITS * special - _HEADROOM_BITS:
                digits, bits = digits + 1, 0
            bits += size
        return digits * (limbs + special), 2 * (limbs + special)

    def _of(self, seconds: float, limbs: float) -> float:
        return seconds * limbs * 2.0**self.log_n

    def _moved(self, transforms: int) -> float:
        return self._of(_MOVE * self.log_n, transforms) + 2 * _CALL

    def switch(self, level: int) -> float:
        """Seconds of a conjugation."""
        return self._moved(self._switched(level))

    def product(self, level: int) -> float:
        """Seconds of a product of ciphertexts, with its relinearization and its rescaling."""
        transforms = self._switched(level) + 2 * (level + 1)
        return self._of(_TRANSFORM * self.log_n, transforms) + 2 * _CALL

    def _switched(self, level: int) -> int:
        """Count the transforms of a key switch by a key for the highest level of products."""
        made_for = level if self.product_level is None else self.product_level
        return sum(self._transforms(level, self._special(made_for)))

    def rotations(self, level: int, count: int, digit_count: int) -> float:
        """Seconds of rotations by keys of a level, of the digits of so many ciphertexts."""
        digits, product = self._transforms(level, self._special(level))
        return self._moved(digits) * digit_count + self._moved(product) * count

    def rescaling(self, level: int) -> float:
        """Seconds of a product with a number or a plaintext."""
        return self._moved(2 * (level + 1))

    def rows(self, level: int, turns: Turns, layout: Layout, kind: str = "packed", units: int = 1) -> float:
        """Seconds of a map of some units of rows, of diagonals that are held packed, light or made anew."""
        counts = Rotations.after(turns, units)
        after = self.rotations(level - 1, counts, counts)
        if turns.is_slotwise:
            return units * self.rescaling(level) + after
        # Diagonals are transformed once for all units.
        products = len(turns.places) * (units * self._of(_PRODUCT, level + 1) + self.anew(level, kind))
        own = Rotations.of(turns, layout)
        rotations = self.rotations(level, own.count, own.digit_count)
        return units * (rotations + self.rescaling(level)) + products + after

    def sketch(self, level: int, step: Step, parts: int = 1) -> float:
        """Seconds of a step whose places in slots aren't known: maps have a diagonal for each weight of a sum."""
        if isinstance(step, Polynomial):
            return self.polynomial(level, step, parts)
        count = len(terms(step.weights)[2]) / len(step.bias)
        rotations = self.rotations(level, round(2 * count**0.5), 2)
        return rotations + self._of(_PRODUCT, level + 1) * count + self.rescaling(level)

    def anew(self, level: int, kind: str) -> float:
        """Seconds of a diagonal's product beyond a packed one's, where it is transformed, or encoded, at each use."""
        transforms = self._of(_MOVE * self.log_n, level + 1)
        return {"packed": 0.0, "light": transforms, "anew": transforms + self._of(_ENCODING, 1)}[kind]

    def bootstrap(self, level: int, to: int, stage_count: int, parts: int = 1) -> float:
        """Seconds of a bootstrap to a level, of real values or of both parts."""
        whole = _BOOTSTRAP * 2.0 ** (self.log_n - 16) * (to + _BOOTSTRAP_LEVELS) / (13 + _BOOTSTRAP_LEVELS)
        return whole * (FAST[parts] if level >= stage_count else 1.0)

    def features(self, level: int, weight_count: int, output_count: int) -> float:
        """Seconds of a map of features."""
        each = self._of(_PASS, 2 * (level + 1)) + 2 * _CALL
        return weight_count * each + output_count * self.rescaling(level)

    def polynomial(self, level: int, step: Polynomial, parts: int = 1) -> float:
        """Seconds of a polynomial of one unit: products of ciphertexts, and terms, which are summed at low levels.

        Both parts are taken apart by a conjugation.
        """
        if step.is_square:
            each = self.product(level)
        else:
            each = sum(self._steps(level - below, counts) for below, counts in enumerate(step.counts))
        return parts * each + (parts - 1) * self.switch(level)

    def _steps(self, level: int, counts: Counts) -> float:
        """Seconds of a polynomial's steps on operands at a level."""
        passes = 3 * (counts.products - counts.switches) + 2 * counts.multiples
        moved = counts.switches * self.product(level) + counts.rescalings * self.rescaling(level)
        return moved + self._of(_PASS, passes * (level + 1))


@dataclass(frozen=True)
class Rotations:
    """Rotations to the left of a product with a map's diagonals, as the engine splits them.

    Attributes
    ----------
    babies : tuple of int
        Baby steps: each by a key of its own, or, chained, by powers of two, from the step without its highest one.
    giants : tuple of int
        Distances between giant steps, one after the other; they may be equal.
    is_chained : bool
    """

    babies: tuple[int, ...]
    giants: tuple[int, ...]
    is_chained: bool

    @classmethod
    def of(cls, turns: Turns, layout: Layout) -> Rotations:
        """Return the rotations of a map's diagonals in a layout."""
        amounts = [place * turns.lanes for place in turns.places]
        babies, giants = _native.rotations_of_diagonals(amounts, layout.slot_count)
        return cls(tuple(babies), tuple(giants), layout.is_chained)

    @staticmethod
    def after(turns: Turns, units: int) -> int:
        """Return the key switches after the products of some units: merges and folds."""
        left = units // turns.merged
        return units - left + left * len(turns.folds)

    @property
    def _chain(self) -> set[int]:
        """Baby steps, and those on the way to them."""
        found = set(self.babies)
        for baby in self.babies:
            while self.is_chained and (baby := _before(baby)):
                found.add(baby)
        return found

    @property
    def count(self) -> int:
        """Key switches."""
        return len(self._chain) + len(self.giants)

    @property
    def digit_count(self) -> int:
        """Ciphertexts whose digits are taken: steps from one ciphertext share them."""
        return len({_before(step) if self.is_chained else 0 for step in self._chain}) + len(self.giants)

    @property
    def amounts(self) -> set[int]:
        """Amounts that there is a key for."""
        babies = {step - _before(step) for step in self._chain} if self.is_chained else self._chain
        return {*babies, *self.giants}


def _before(step: int) -> int:
    """Return a baby step without its highest power of two."""
    return step ^ (1 << step.bit_length() - 1)
