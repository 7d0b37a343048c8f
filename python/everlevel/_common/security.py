"""Security in words: the bits that the cheapest attack costs, each count under the model that it is made by."""

from __future__ import annotations

CORE_SVP = "core-SVP"
"""``0.292·β`` for the block size of the direct attack: the stricter count, but of secrets that are better guessed."""
MATZOV = "MATZOV"
"""Gates of the cheapest attack, the model by which claims are made."""


def in_words(core_svp_bits: float, matzov_bits: float) -> str:
    """Return both counts, the lower one first."""
    counts = sorted([(core_svp_bits, CORE_SVP), (matzov_bits, MATZOV)])
    return "security " + ", ".join(f"{int(bits)} bits {model}" for bits, model in counts)


def title(model: str) -> str:
    """Return a column's title."""
    return f"{model}, bits"
