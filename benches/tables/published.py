"""What others publish: figures of their machines, which aren't measured here and stand in no ratio."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """One figure, as it was published."""

    task: str
    figure: str
    machine: str
    source: str
    ours: str = ""
    """The row of ours that does the same, by its key, for a reader to compare; nothing, if there is none."""
    by: str = ""
    """Who publishes it, in a word, for the front pages."""


_ZAMA = "[tfhe-rs' benchmarks](https://docs.zama.org/tfhe-rs/get-started/benchmarks/cpu/cpu-programmable-bootstrapping)"
_9R45 = "two EPYC 9R45 (Zen 5)"
_DESILO = "DESILO's guide to its CKKS bootstraps, mean of 10"
_HALF = "Belorgey et al., *Revisiting Key Decomposition Techniques for FHE*, FHE.org 2024"

TABLE_OF_4_BITS = Published(
    "table of 4 bits, failure below 2^-128, one thread",
    "7.28 ms",
    _9R45,
    f"{_ZAMA}, 2026-08",
    "tfhe/integer-4-128/1",
    "Zama",
)
BOOTSTRAP = Published(
    "CKKS bootstrap, 32768 slots, medium keys, three stages, one thread",
    "30.5 s",
    "i7-10700K",
    _DESILO,
    "ckks/medium/3/1",
    "DESILO",
)
NTRU_GATE = Published(
    "NTRU bootstrap",
    "3.8 ms",
    "a CPU with AVX",
    "[Li et al., TCHES 2024(3)](https://doi.org/10.46586/tches.v2024.i3.418-451), abstract",
    "tfhe/ntru-gate-64/1",
    "Li et al.",
)
PUBLISHED = [
    TABLE_OF_4_BITS,
    Published("the same by its multi-bit set, on several threads", "4.57 ms", _9R45, f"{_ZAMA}, 2026-08"),
    Published("the first, on the machine before", "15.6 ms", "two EPYC 9R14 (Zen 4)", f"{_ZAMA}, before 2026-08"),
    BOOTSTRAP,
    Published("the same, large keys and five stages", "20.8 s", "i7-10700K", _DESILO, "ckks/large/5/1"),
    Published("the one before, on a GPU", "0.600 s", "GeForce RTX 5090", _DESILO),
    Published(
        "gate with half products, the 2016 library's set",
        "11.2 ms",
        "GCP n2-standard, AVX2",
        _HALF,
        "tfhe/insecure-tfhe-lib/1",
    ),
    Published("the same", "5.3 ms", "i7-1260P, AVX2", _HALF, "tfhe/insecure-tfhe-lib/1"),
    NTRU_GATE,
]
