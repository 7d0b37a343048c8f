"""Maps of rows as rotations and products: moves from one placement to another.

With features in places t of the input and outputs in places s of the results, a weight is a term of the diagonal of
offset ``t - s``. Places repeat, by the periods P of the input and Q of the results: where P ≤ Q, offsets count modulo
P. Where P > Q, a sum's terms are spread over P/Q copies of the results, so that offsets count modulo Q, and the copies
are added up by rotations by Q, 2Q, …, P/2: halves are folded onto each other until one is left. A feature in several
places gives each of its terms a choice of offsets, and as few as a greedy cover finds are taken.

Results may have more lanes than the input. Seen with the input's lanes, their places are then apart, with places for
other units' rows between them: each unit has the same products, and units are merged by rotations into these places.

Method: Halevi, Shoup, "Algorithms in HElib", eprint 2014/106; Juvekar, Vaikuntanathan, Chandrakasan, "GAZELLE",
USENIX Security 2018, section 4 (hybrid products); Lee et al., "Low-complexity deep convolutional neural networks on
fully homomorphic encryption using multiplexed parallel convolutions", ICML 2022 (places of images).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ._layout import Placement, Places
from ._weights import Array, Terms


@dataclass(frozen=True)
class Turns:
    """Rotations of a map of rows, in places of the input.

    Attributes
    ----------
    places : tuple of int
        Amounts to the left by which the input is rotated, in order: one for each diagonal that isn't zero.
    folds : tuple of int
        Amounts to the left by which sums are added up afterwards.
    lanes : int
        Slots of a place.
    merges : tuple of int
        Amounts to the right by which each second unit is rotated, before it is added to the one before it.
    """

    places: tuple[int, ...]
    folds: tuple[int, ...]
    lanes: int = 1
    merges: tuple[int, ...] = ()

    @property
    def merged(self) -> int:
        """Units whose results become one."""
        return 1 << len(self.merges)

    @property
    def is_slotwise(self) -> bool:
        """Whether the only diagonal is the first one, so that a product with a vector is enough."""
        return self.places == (0,)


@dataclass(frozen=True, eq=False)
class _Sources:
    """Places of a placement's features: the first of each, and those that it may be read at in its stead.

    Attributes
    ----------
    first : ndarray, shape (features,)
    pattern : ndarray, shape (features,)
        Which row of `steps` a feature has.
    steps : ndarray, shape (patterns, choices)
        From the first place to each place of a feature; fewer ones are filled up with 0.
    """

    first: Places
    pattern: Places
    steps: Places

    @classmethod
    def of(cls, placement: Placement) -> _Sources:
        """Find the places of features."""
        places = _places(placement)
        steps, pattern = np.unique(places - places[:, :1], axis=0, return_inverse=True)
        return cls(places[:, 0].astype(np.int32), pattern.ravel().astype(np.int32), steps)


def _places(placement: Placement) -> Places:
    """Return all places of each feature, of shape (features, choices); fewer ones are filled up with the first."""
    place = np.flatnonzero(placement.features >= 0)
    place = place[np.argsort(placement.features[place], kind="stable")]
    counts = np.bincount(placement.features[place], minlength=placement.count)
    starts = np.cumsum(counts) - counts
    choice = np.arange(int(counts.max()))
    return np.asarray(place[starts[:, None] + np.where(choice < counts[:, None], choice, 0)])


@dataclass(frozen=True, eq=False)
class _Kinds:
    """Kinds of a map's terms: those of one kind have the same offsets to choose from.

    Attributes
    ----------
    row, column, values : ndarray
        Of weights that aren't zero.
    sources : _Sources
        Of the inputs.
    results : ndarray, shape (outputs, copies)
        Places of each output.
    modulus : int
        Of offsets: the smaller period. A term's kind is its pattern times this, plus the offset of the first place.
    """

    row: Places
    column: Places
    values: Array
    sources: _Sources
    results: Places
    modulus: int

    @classmethod
    def of(cls, found: Terms, before: Placement, after: Placement) -> _Kinds:
        """Bring terms of weights to their places."""
        return cls(*found, _Sources.of(before), _places(after), min(before.period, after.period))

    def copies(self) -> Iterator[tuple[Places | slice, Places, Places]]:
        """Yield, for each copy of the results, the terms that it has, their places, and their kinds."""
        for copy, places in enumerate(self.results.T.astype(np.int32)):
            has = places != self.results[:, 0] if copy else np.ones(len(places), dtype=bool)
            each = slice(None) if has.all() else np.flatnonzero(has[self.row])
            place, column = places[self.row[each]], self.column[each]
            kind = (self.sources.first[column] - place) & (self.modulus - 1)
            if len(self.sources.steps) > 1:
                kind += self.sources.pattern[column] * self.modulus
            yield each, place, kind

    def offsets(self, kinds: Places) -> Places:
        """Return the offsets of kinds, of shape (kinds, choices)."""
        pattern, first = np.divmod(kinds, self.modulus)
        return np.asarray((first[:, None] + self.sources.steps[pattern]) % self.modulus)

    def cover(self) -> Places:
        """Return few offsets of which every term has one: the one of the most terms first."""
        count = len(self.sources.steps) * self.modulus
        sizes = sum((np.bincount(kind, minlength=count) for *_, kind in self.copies()), np.zeros(count, dtype=int))
        present = np.flatnonzero(sizes)
        kinds, sizes = self.offsets(present), sizes[present]
        if kinds.shape[1] == 1:
            return np.asarray(kinds[:, 0])
        chosen = []
        while len(kinds):
            counts = np.bincount(kinds.ravel(), np.repeat(sizes, kinds.shape[1]), minlength=self.modulus)
            best = kinds[int((counts[kinds] == counts.max()).any(1).argmax())]
            offset = int(best[counts[best].argmax()])
            chosen.append(offset)
            left = (kinds != offset).all(1)
            kinds, sizes = kinds[left], sizes[left]
        return np.array(chosen, dtype=np.int64)


def folds(before: Placement, after: Placement) -> tuple[int, ...]:
    """Return the amounts to the left by which copies of results are added up."""
    own = after.apart(before.lanes)
    return tuple(own.period << k for k in range((before.period // own.period).bit_length() - 1))


def merges(before: Placement, after: Placement) -> tuple[int, ...]:
    """Return the amounts to the right by which each second unit's results are rotated, and added to another's."""
    return tuple(1 << k for k in range((after.lanes // before.lanes).bit_length() - 1))


def turns(found: Terms, before: Placement, after: Placement) -> Turns:
    """Return the rotations of a map, for its weights that aren't zero."""
    chosen = np.sort(_Kinds.of(found, before, after.apart(before.lanes)).cover())
    return Turns(tuple(map(int, chosen)) or (0,), folds(before, after), before.lanes, merges(before, after))


def diagonals(entries: Terms, before: Placement, results: Placement) -> dict[int, Array]:
    """Return the diagonals of a map that aren't zero, by their offsets: numbers for the places of the longer period.

    Both are in places of the input.
    """
    after = results.apart(before.lanes)
    found = _Kinds.of(entries, before, after)
    modulus, length = found.modulus, max(before.period, after.period)
    chosen = found.cover()
    if not len(chosen):
        return {0: np.zeros(length)}
    rank = np.full(modulus, len(chosen))
    rank[chosen] = np.arange(len(chosen))
    values = np.zeros((len(chosen), length))
    for each, place, kind in found.copies():
        # The choice that came first in the cover, for each kind at once.
        kinds, which = np.unique(kind, return_inverse=True)
        offsets = found.offsets(kinds)
        choice = rank[offsets].argmin(1)
        one = np.arange(len(kinds))
        offset = offsets[one, choice][which]
        step = found.sources.steps[kinds // modulus, choice][which]
        if length > after.period:
            # The copy of the results in which the source is at the offset.
            source = found.sources.first[found.column[each]] + step
            place = place + (source - place - offset) % before.period // modulus * after.period
        values[rank[offset], place] = found.values[each]
    return {int(chosen[k]): values[k] for k in np.argsort(chosen)}
