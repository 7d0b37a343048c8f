"""Measure how often bootstraps of TFHE's and NTRU's sets fail, down to 2^-128, by importance splitting.

What is measured is the phase before the rotation, for one key of real size: real errors, digits and roundings, and
inputs with the largest noise that the set accepts. A population of inputs climbs from level to level of the error, and
the probability is the product of the parts that come to the next level; independent runs, and the number of rotations
whose errors were measured, give the interval of two standard errors. Inputs that came to the end are bootstrapped with
the real key: every one fails. The notes on TFHE have the method.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from typing import Any

from .. import _native
from .._bench import machine
from .._common.progress import reporting
from .._common.threads import threads

SETS = ("gate-64", "gate-128", "integer-4-64", "integer-4-128", "ntru-gate-64", "ntru-gate-128", "ntru-integer-4-64")
"""The sets that are measured if none is named."""

_COLUMNS: dict[str, tuple[str, str]] = {
    "operation": ("operation", "s"),
    "claimed_log2_p_fail": ("claimed, log2", ".1f"),
    "log2_p_fail": ("measured, log2", ".2f"),
    "log2_low": ("from", ".2f"),
    "log2_high": ("to", ".2f"),
    "levels": ("levels", "d"),
    "rotation_ratio": ("rotations' variance over formula", ".3f"),
    "failures": ("real failures", "d"),
    "seconds": ("seconds", ".0f"),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("sets", nargs="*", default=SETS, metavar="SET", help=f"(default: {' '.join(SETS)})")
    parser.add_argument("--particles", type=_natural, default=2048, metavar="N", help="inputs of a run (default 2048)")
    parser.add_argument("--runs", type=_natural, default=16, metavar="R", help="independent runs (default 16)")
    parser.add_argument("--seed", type=_natural, default=1, metavar="S", help="of the key and the runs (default 1)")
    parser.add_argument("--threads", type=int, metavar="T", help="all cores, if left out")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> None:
    """Measure one set after the other, and print each when it is done."""
    thread_count = threads(options.threads)
    # Names that there aren't are refused before any work.
    contexts = {
        name: _native.TfheContext(parameters=name, thread_count=thread_count, insecure_log_n=None)
        for name in options.sets
    }
    about = machine() | {"threads": thread_count, **{name: getattr(options, name) for name in _EFFORT}}
    if options.json:
        rows = [_measure(name, context, options) for name, context in contexts.items()]
        print(json.dumps({"machine": about, "failures": rows}, indent=2))
        return
    widths = [max(map(len, contexts)), *(max(len(title), 9) for title, _ in _COLUMNS.values())]

    def line(first: str, rest: Iterable[str]) -> str:
        cells = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
        return "  ".join((first.ljust(widths[0]), *cells))

    print(", ".join(f"{name} {value}" for name, value in about.items()))
    print(line("set", (title for title, _ in _COLUMNS.values())), flush=True)
    for name, context in contexts.items():
        row = _measure(name, context, options)
        print(line(name, (format(row[key], form) for key, (_, form) in _COLUMNS.items())), flush=True)


_EFFORT = ("particles", "runs", "seed")


def _measure(name: str, context: _native.TfheContext, options: argparse.Namespace) -> dict[str, Any]:
    """Return a set's row."""
    start = time.perf_counter()
    with reporting(f"failures of {name}", None) as report:
        found = context.measure_failure(options.particles, options.runs, options.seed, report)
    operation = "gate of two MUX" if context.message_bits is None else f"{context.message_bits}-bit table"
    return {"parameters": name, "operation": operation, **found, "seconds": time.perf_counter() - start}


def _natural(text: str) -> int:
    """Read a number from 0 on that a word holds."""
    value = int(text)
    if not 0 <= value < 1 << 64:
        raise argparse.ArgumentTypeError(f"{text} is not from 0 to 2^64 - 1")
    return value
