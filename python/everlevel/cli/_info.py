"""Show versions, the arithmetic kernels in use, and the parameter sets with their claims; or what would take memory.

Of every parameter set: the ring degree N, the slots, the levels, and for each kind of secret the largest log2(QP) that
any of its keys is given over, the cap that is accepted as 128-bit secure, and the classical security at that modulus by
two models, recomputed now: core-SVP of the direct primal attack, and the cheapest attack under MATZOV, by which the cap
is set. docs/notes/security.md says what these figures rest on.

With --plan, of the engine that the other options ask for: the memory of the engine, of each kind of key, of ciphertexts
and of bootstraps, held as long as the result lives and taken besides until the call is done; no key is made.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from .._common import security
from .._common.memory import MemoryEstimate
from .._common.sizes import format_bytes
from .._info import build_lines
from ..ckks._memory import KEYS
from ..ckks._options import BOOTSTRAP_SIZES
from ..ckks.engine import Engine
from ._options import add_engine_options, make_engine
from ._table import listing, table

_DEPTHS = (2, 7, 17, 36, 77)
"""The deepest set of every ring."""

_BOOTSTRAPS = ("use_bootstrap", "use_bootstrap_to_14_levels", "use_bootstrap_to_17_levels")

_MODELS = tuple(security.title(model) for model in (security.CORE_SVP, security.MATZOV))

_TITLES = ("engine", "N", "slots", "levels", "secret", "log2(QP)", "cap", *_MODELS)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--plan", action="store_true", help="tell the memory that keys and calls would take")
    add_engine_options(parser)
    plan = parser.add_argument_group("plan")
    plan.add_argument("--seeded-keys", action="store_true", help="keys that hold seeds: half the memory, slower use")


def run(options: argparse.Namespace) -> None:
    """Print it."""
    if options.plan:
        _print_plan(options)
        return
    rows = list(parameter_sets())
    if options.json:
        print(json.dumps({"build": build_lines(), "parameter_sets": rows}, indent=2))
        return
    print(listing(build_lines()), end="\n\n")
    print(table((_cells(row) for row in rows), _TITLES))
    print(
        "\nA set serves all depths up to its own; Engine(max_level=…, slot_count=…) takes the smallest ring that does."
    )


def _print_plan(options: argparse.Namespace) -> None:
    """Print what the engine, its keys and its calls take of memory."""
    engine = make_engine(options, seeded_keys=options.seeded_keys)
    plan = dict(memory_plan(engine))
    if options.json:
        rows = {name: {"held": estimate.held, "work": estimate.work} for name, estimate in plan.items()}
        print(json.dumps({"engine": repr(engine), "memory": rows}, indent=2))
        return
    print(engine, end="\n\n")
    titles = ("call", "result", "besides, until it is done")
    cells = (
        dict(zip(titles, (name, format_bytes(estimate.held), format_bytes(estimate.work)), strict=True))
        for name, estimate in plan.items()
    )
    print(table(cells, titles))


def memory_plan(engine: Engine) -> Iterator[tuple[str, MemoryEstimate]]:
    """Yield the calls of an engine that take memory, each with its estimate."""
    yield "Engine", engine.estimate_memory("Engine")
    for key in KEYS:
        yield key, engine.estimate_memory(key)
    yield "encrypt, highest level", engine.estimate_memory("encrypt")
    yield "encrypt, level 0", engine.estimate_memory("encrypt", level=0)
    if not engine._context.can_bootstrap:
        return
    small = "create_small_bootstrap_key"
    yield small, engine.estimate_memory(small)
    for stages in engine._context.stage_counts:
        for key in ("create_bootstrap_key", "create_lossy_bootstrap_key"):
            for size in BOOTSTRAP_SIZES:
                name = f"{key}, stage_count {stages}, {size}"
                yield name, engine.estimate_memory(key, stage_count=stages, size=size)
        for size in (*BOOTSTRAP_SIZES, "small"):
            name = f"bootstrap, stage_count {stages}, {size} key"
            yield name, engine.estimate_memory("bootstrap", stage_count=stages, size=size)


def parameter_sets() -> Iterator[dict[str, Any]]:
    """Yield a row for each parameter set and kind of secret, computed from the keys that an engine would make."""
    sets: list[dict[str, Any]] = [{"max_level": depth} for depth in _DEPTHS]
    sets += [{option: True} for option in _BOOTSTRAPS]
    for options in sets:
        engine = Engine(**options)
        for key, secret, log2_qp, cap, core_svp, bits in engine._context.claims():
            yield {
                "engine": f"Engine({', '.join(f'{name}={value}' for name, value in options.items())})",
                "log_n": engine.log_n,
                "slot_count": engine.slot_count,
                "max_level": engine.max_level,
                "secret": secret,
                "largest_key": key,
                "log2_qp": round(log2_qp, 1),
                "max_log2_qp": cap,
                "core_svp_bits": None if core_svp is None else round(core_svp, 1),
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
        # Sparse secrets are out of the direct attack's reach.
        _MODELS[0]: "-" if row["core_svp_bits"] is None else f"{row['core_svp_bits']:.1f}",
        _MODELS[1]: f"{row['security_bits']:.1f}",
    }
