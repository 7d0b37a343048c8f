"""Options that several commands share."""

from __future__ import annotations

import argparse
import json

from .. import _native
from .._common.threads import threads
from ..ckks.engine import Engine


def add_threads(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add ``--threads`` and ``--insecure-log-n``."""
    parser.add_argument("--threads", type=int, metavar="T", help="all cores, if left out")
    parser.add_argument(
        "--insecure-log-n", type=int, metavar="LOG_N", help="a ring of 2^LOG_N without any security, to try things out"
    )


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Add what chooses an engine's parameters."""
    engine = parser.add_argument_group("parameters")
    engine.add_argument("--bootstrap", action="store_true", help="N = 2^16 with room for bootstraps, and their key")
    engine.add_argument(
        "--bootstrap-to",
        type=int,
        choices=(14, 17),
        metavar="LEVEL",
        help="the same with bootstraps that end at level 14 or 17, instead of 10",
    )
    engine.add_argument("--max-level", type=int, metavar="L", help="levels, without --bootstrap (default 7)")
    engine.add_argument("--slot-count", type=int, metavar="K", help="values in a ciphertext, a power of two")
    add_threads(engine)


def make_engine(options: argparse.Namespace, *, seeded_keys: bool = False) -> Engine:
    """Make the engine that the options ask for."""
    return Engine(
        "parallel",
        max_level=options.max_level,
        slot_count=options.slot_count,
        use_bootstrap=options.bootstrap,
        use_bootstrap_to_14_levels=options.bootstrap_to == 14,
        use_bootstrap_to_17_levels=options.bootstrap_to == 17,
        thread_count=options.threads,
        seeded_keys=seeded_keys,
        insecure_log_n=options.insecure_log_n,
    )


def engine_of(params: str, slot_count: int | None, thread_count: int | None) -> Engine:
    """Make an engine of the parameters that a file names; of full slots, if no number is given."""
    slots = slot_count or 1 << (json.loads(params)["log_n"] - 1)
    context = _native.Context.from_params(params, slots, (threads("parallel", thread_count), False, False))
    engine = Engine.__new__(Engine)
    engine._fill(context, "parallel", None, False)
    return engine
