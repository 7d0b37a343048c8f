"""Maps of rows as rotations and products: moves from one placement to another.

With features in places t of the input and outputs in places s of the results, a weight is a term of the diagonal of
offset ``t - s``. Places repeat, by the periods P of the input and Q of the results: where P ≤ Q, offsets count modulo
P. Where P > Q, a sum's terms are spread over P/Q copies of the results, so that offsets count modulo Q, and the copies
are added up by rotations by Q, 2Q, …, P/2: halves are folded onto each other until one is left. A feature in several
places gives each of its terms a choice of offsets, and as few as a greedy cover finds are taken.

Method: Halevi, Shoup, "Algorithms in HElib", eprint 2014/106; Juvekar, Vaikuntanathan, Chandrakasan, "GAZELLE",
USENIX Security 2018, section 4 (hybrid products); Lee et al., "Low-complexity deep convolutional neural networks on
fully homomorphic encryption using multiplexed parallel convolutions", ICML 2022 (places of images).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._layout import Placement, Places
from ._network import Array


@dataclass(frozen=True)
class Turns:
    """Rotations of a map of rows, in places.

    Attributes
    ----------
    places : tuple of int
        Amounts to the left by which the input is rotated, in order: one for each diagonal that isn't zero.
    folds : tuple of int
        Amounts to the left by which sums are added up afterwards.
    """

    places: tuple[int, ...]
    folds: tuple[int, ...]

    @property
    def is_slotwise(self) -> bool:
        """Whether the only diagonal is the first one, so that a product with a vector is enough."""
        return self.places == (0,)


@dataclass(frozen=True, eq=False)
class _Terms:
    """Terms of all sums: a place of the results, an output and a feature for each, and offsets to choose from.

    Attributes
    ----------
    place, output, feature : ndarray, shape (terms,)
    sources : ndarray, shape (terms, choices)
        Places of the feature.
    offsets : ndarray, shape (terms, choices)
        Of each source, modulo the smaller period.
    """

    place: Places
    output: Places
    feature: Places
    sources: Places
    offsets: Places

    @classmethod
    def of(cls, weights: Array, before: Placement, after: Placement) -> _Terms:
        """Find the terms of weights that aren't zero, output by output."""
        place = np.flatnonzero(after.features >= 0)
        place = place[np.argsort(after.features[place], kind="stable")]
        row, column = np.nonzero(weights)
        counts = np.bincount(row, minlength=len(weights))
        lengths = counts[after.features[place]]
        ends = np.cumsum(lengths)
        starts = (np.cumsum(counts) - counts)[after.features[place]]
        within = np.arange(int(lengths.sum())) - np.repeat(ends - lengths, lengths)
        feature = column[np.repeat(starts, lengths) + within]
        places = np.repeat(place, lengths)
        sources = _sources(before)[feature]
        offsets = (sources - places[:, None]) % min(before.period, after.period)
        return cls(places, after.features[places], feature, sources, offsets)


def _sources(placement: Placement) -> Places:
    """Return all places of each feature, of shape (features, choices); fewer ones are filled up with the first."""
    place = np.flatnonzero(placement.features >= 0)
    place = place[np.argsort(placement.features[place], kind="stable")]
    counts = np.bincount(placement.features[place], minlength=placement.count)
    starts = np.cumsum(counts) - counts
    choice = np.arange(int(counts.max()))
    return np.asarray(place[starts[:, None] + np.where(choice < counts[:, None], choice, 0)])


def _cover(offsets: Places, modulus: int) -> Places:
    """Return few offsets of which every term has one: the one of the most terms first."""
    if offsets.shape[1] == 1:
        return np.flatnonzero(np.bincount(offsets[:, 0], minlength=modulus))
    # Terms of one set of choices are one kind: sets are told apart by sums of random numbers.
    marks = np.random.default_rng(0).integers(0, 2**62, modulus)
    ordered = np.sort(offsets, axis=1)
    is_new = np.pad(np.diff(ordered, axis=1) != 0, ((0, 0), (1, 0)), constant_values=True)
    _, first, sizes = np.unique((marks[ordered] * is_new).sum(1), return_index=True, return_counts=True)
    order = np.argsort(first)
    kinds, sizes = ordered[first[order]], sizes[order]
    chosen = []
    while len(kinds):
        counts = np.bincount(kinds.ravel(), np.repeat(sizes, kinds.shape[1]), minlength=modulus)
        best = kinds[int((counts[kinds] == counts.max()).any(1).argmax())]
        offset = int(best[counts[best].argmax()])
        chosen.append(offset)
        left = (kinds != offset).all(1)
        kinds, sizes = kinds[left], sizes[left]
    return np.array(chosen, dtype=np.int64)


def folds(before: Placement, after: Placement) -> tuple[int, ...]:
    """Return the amounts to the left by which copies of results are added up."""
    return tuple(after.period << k for k in range((before.period // after.period).bit_length() - 1))


def turns(weights: Array, before: Placement, after: Placement) -> Turns:
    """Return the rotations of a map."""
    terms = _Terms.of(weights, before, after)
    chosen = np.sort(_cover(terms.offsets, min(before.period, after.period)))
    return Turns(tuple(map(int, chosen)) or (0,), folds(before, after))


def diagonals(weights: Array, before: Placement, after: Placement) -> dict[int, Array]:
    """Return the diagonals of a map that aren't zero, by their offsets: numbers for the places of the longer period."""
    terms = _Terms.of(weights, before, after)
    modulus, length = min(before.period, after.period), max(before.period, after.period)
    chosen = _cover(terms.offsets, modulus)
    if not len(chosen):
        return {0: np.zeros(length)}
    rank = np.full(modulus, len(chosen))
    rank[chosen] = np.arange(len(chosen))
    choice = rank[terms.offsets].argmin(1)
    each = np.arange(len(choice))
    offset, source = terms.offsets[each, choice], terms.sources[each, choice]
    # The copy of the results in which the source is at the offset.
    copy = (source - terms.place - offset) % before.period // modulus if length > after.period else 0
    values = np.zeros((len(chosen), length))
    values[rank[offset], terms.place + copy * after.period] = weights[terms.output, terms.feature]
    return {int(chosen[k]): values[k] for k in np.argsort(chosen)}
