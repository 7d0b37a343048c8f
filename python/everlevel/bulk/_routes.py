"""Permutations of slots by three that move slots along rows, along columns, and along rows again.

Slots as a grid have rows, between which a permutation moves as many slots into each as out of each. By König's theorem
the moves have colours, as many as there are columns, so that no two of one colour begin or end in one row: a slot goes
to the column of its colour, then to its row, then to its column (Clos, "A study of non-blocking switching networks",
1953). Colours are halved by Euler's circuits, since the columns are a power of two.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


def in_three(sources: Places, columns: int) -> list[Places]:
    """Split a permutation, of the source of each slot, into three that are applied one after the other.

    The first and the last stay in rows of so many slots, and that in the middle in columns; the columns are a power of
    two, and divide the slots.
    """
    targets = np.arange(len(sources))
    colours = _colours(sources // columns, targets // columns, columns)
    # Where each slot is after the first step, and after the second.
    first, second = sources // columns * columns + colours, targets // columns * columns + colours
    steps = [np.empty_like(sources) for _ in range(3)]
    steps[0][first], steps[1][second], steps[2][targets] = sources, first, second
    return steps


def _colours(left: Places, right: Places, degree: int) -> Places:
    """Colour edges between two sets, each of whose ends has as many as there are colours, a power of two."""
    colours = np.zeros(len(left), np.int64)
    while degree > 1:
        degree //= 2
        colours = 2 * colours + _halves(_partners(left, colours, degree), _partners(right, colours, degree))
    return colours


def _partners(ends: Places, colours: Places, half: int) -> list[int]:
    """Pair edges that have an end and a colour in common: of those in order, each first half with the second."""
    order = np.lexsort((colours, ends)).reshape(-1, 2, half)
    partners = np.empty(len(ends), np.int64)
    partners[order], partners[order[:, ::-1]] = order[:, ::-1], order
    return partners.tolist()


def _halves(left: list[int], right: list[int]) -> Places:
    """Give partners on either side 0 and 1, along circuits that pass from one side to the other."""
    halves = [-1] * len(left)
    for start in range(len(left)):
        edge = start
        while halves[edge] < 0:
            halves[edge] = 0
            other = right[edge]
            halves[other] = 1
            edge = left[other]
    return np.array(halves, np.int64)
