"""Named sets of parameters, each of which has a chain of moduli that is made for its space."""

from __future__ import annotations

from typing import Final, NamedTuple

LOG2_P_FAIL: Final = -128
"""Base-2 logarithm of the probability that a value is wrong after a look-up or a decryption."""

STAGE_COUNT: Final = 3
"""Stages of SlotsToCoeffs, and the level that look-ups start from."""

LEVEL: Final = STAGE_COUNT + 1
"""Level of fresh ciphertexts and of look-ups' results, which leaves one for a selection."""


class ParameterSet(NamedTuple):
    """Claims of a named set."""

    name: str
    message_bits: int | None
    """Bits of an integer; None for sets of gates on bits."""
    space: int
    """Integers of the space: sums of bits are below it, too."""
    log2_p_fail: float = LOG2_P_FAIL
    """Base-2 logarithm of the probability that a value is wrong after a look-up or a decryption: at most that, for all
    keys but one in 2^40."""


SETS: Final = (
    ParameterSet("gate-128", None, 4),
    *(ParameterSet(f"integer-{bits}-128", bits, 2**bits) for bits in range(1, 9)),
)


def parameter_sets() -> list[ParameterSet]:
    """List the named sets of parameters, each with its claims.

    Examples
    --------
    >>> from everlevel import bulk
    >>> [one.name for one in bulk.parameter_sets()][:2]
    ['gate-128', 'integer-1-128']
    """
    return list(SETS)
