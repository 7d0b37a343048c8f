"""Show versions, the arithmetic kernels in use, and the parameter sets with their claims.

Of every parameter set: the ring degree N, the slots, the levels, and for each kind of secret the largest log2(QP) that
any of its keys is given over, the cap that is accepted as 128-bit secure, and the classical security at that modulus:
the cheapest primal attack under MATZOV, recomputed now. docs/notes/security.md says what these figures rest on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from .._info import build_lines
from ..ckks.engine import Engine
from ._table import listing, table

_DEPTHS = (2, 7, 17, 36, 77)
"""The deepest set of every ring."""

_BOOTSTRAPS = ("use_bootstrap", "use_bootstrap_to_14_levels", "use_bootstrap_to_17_levels")

_TITLES = ("engine", "N", "slots", "levels", "secret", "log2(QP)", "cap", "security, bits")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> None:
    """Print it."""
    rows = list(parameter_sets())
    if options.json:
        print(json.dumps({"build": build_lines(), "parameter_sets": rows}, indent=2))
        return
    print(listing(build_lines()), end="\n\n")
    print(table((_cells(row) for row in rows), _TITLES))
    print(
        "\nA set serves all depths up to its own; Engine(max_level=…, slot_count=…) takes the smallest ring that does."
    )


def parameter_sets() -> Iterator[dict[str, Any]]:
    """Yield a row for each parameter set and kind of secret, computed from the keys that an engine would make."""
    sets: list[dict[str, Any]] = [{"max_level": depth} for depth in _DEPTHS]
    sets += [{option: True} for option in _BOOTSTRAPS]
    for options in sets:
        engine = Engine(**options)
        for key, secret, log2_qp, cap, bits in engine._context.claims():
            yield {
                "engine": f"Engine({', '.join(f'{name}={value}' for name, value in options.items())})",
                "log_n": engine.log_n,
                "slot_count": engine.slot_count,
                "max_level": engine.max_level,
                "secret": secret,
                "largest_key": key,
                "log2_qp": round(log2_qp, 1),
                "max_log2_qp": cap,
                "security_bits": None if bits is None else round(bits, 1),
            }


def _cells(row: dict[str, Any]) -> dict[str, str]:
    return {
        "engine": row["engine"],
        "N": f"2^{row['log_n']}",
        "slots": str(row["slot_count"]),
        "levels": f"0..{row['max_level']}",
        "secret": row["secret"],
        "log2(QP)": f"{row['log2_qp']:.1f}",
        "cap": f"{row['max_log2_qp']:.0f}",
        "security, bits": f"{row['security_bits']:.1f}",
    }
