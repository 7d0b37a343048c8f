"""Options that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..ckks.engine import Engine
from ..errors import ParameterError


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
        max_level=options.max_level,
        slot_count=options.slot_count,
        use_bootstrap=options.bootstrap,
        use_bootstrap_to_14_levels=options.bootstrap_to == 14,
        use_bootstrap_to_17_levels=options.bootstrap_to == 17,
        thread_count=options.threads,
        seeded_keys=seeded_keys,
        insecure_log_n=options.insecure_log_n,
    )


def require_from(command: str, options: argparse.Namespace, least: int, *names: str) -> None:
    """Refuse numbers below the least that makes sense."""
    for name in names:
        value = getattr(options, name)
        if value < least:
            raise ParameterError(
                f"{command}: --{name} is {value}, and numbers from {least} up are taken; choose one of these",
                option=name,
                value=value,
            )


def engine_of(command: str, options: argparse.Namespace, path: Path) -> Engine:
    """Make the engine that a secret key's file is for, and refuse options that ask for other parameters."""
    engine = Engine.from_file(path, slot_count=options.slot_count, thread_count=options.threads)
    to = engine.max_level - 3 if engine._context.can_bootstrap else None
    for name, asked, there in (
        ("--max-level", options.max_level, engine.max_level),
        ("--bootstrap", options.bootstrap or None, to is not None),
        ("--bootstrap-to", options.bootstrap_to, to),
        ("--insecure-log-n", options.insecure_log_n, engine.log_n if engine._context.insecure else None),
    ):
        if asked is not None and asked != there:
            given = name if asked is True else f"{name} {asked}"
            raise ParameterError(
                f"{command}: {given} was given, and the secret key is one of {engine!r}; leave {name} out, or make "
                f"a new secret, without --secret",
                option=name,
                value=asked,
                allowed=there,
            )
    return engine
