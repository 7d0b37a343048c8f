"""Measured times of look-ups, which estimates and the choice of circuits stand on."""

from __future__ import annotations

from typing import Final, NamedTuple


class Times(NamedTuple):
    """Times on one core of an AMD EPYC (Zen 4) at N = 2^16, the least of three."""

    pair: float
    """Seconds of a look-up of two units."""
    single: float
    """Seconds of a look-up of one unit."""
    further: float
    """Seconds of a further table of two units."""
    of_tfhe: float
    """Seconds of a value by TFHE's set of the same name, each of 64."""


TIMES: Final = {
    "gate-128": Times(1.45, 1.11, 0.02, 1.85e-3),
    "integer-1-128": Times(1.24, 0.94, 0.02, 1.84e-3),
    "integer-2-128": Times(1.45, 1.07, 0.03, 2.82e-3),
    "integer-3-128": Times(1.61, 1.23, 0.08, 3.20e-3),
    "integer-4-128": Times(1.85, 1.34, 0.15, 4.10e-3),
    "integer-5-128": Times(2.35, 1.53, 0.18, 12.1e-3),
    "integer-6-128": Times(2.76, 1.86, 0.39, 23.5e-3),
    "integer-7-128": Times(4.20, 2.99, 0.76, 61.7e-3),
    "integer-8-128": Times(5.34, 3.59, 1.21, 125e-3),
}
