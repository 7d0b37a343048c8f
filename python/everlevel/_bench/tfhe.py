"""Gates and tables of TFHE and NTRU: set of parameters x threads, and beside every time its failure and security.

A row of a set of bits times NAND gates, one of integers tables of random entries: one element at a time, which a single
thread computes, and arrays of 64. Every answer is compared; a wrong one makes the row fail.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from .. import ntru, tfhe
from .._common import security
from ..errors import EverlevelError
from .rows import Row, Table, timed

COLUMNS: dict[str, tuple[str, str]] = {
    "parameters": ("parameter set", "s"),
    "operation": ("gate or table", "s"),
    "threads": ("threads", "d"),
    "one_milliseconds": ("one, ms", ".2f"),
    "least_milliseconds": ("at least, ms", ".2f"),
    "batch_milliseconds": ("each of 64, ms", ".2f"),
    "log2_p_fail": ("log2 p_fail", ".1f"),
    "core_svp_bits": (security.title(security.CORE_SVP), ".1f"),
    "security_bits": (security.title(security.MATZOV), ".1f"),
    "bootstrap_megabytes": ("bootstrap key, MB", ".1f"),
    "key_switch_megabytes": ("key switch, MB", ".1f"),
    "key_seconds": ("keys, s", ".2f"),
    "right_answers": ("right answers", "d"),
}

BATCH = 64


def choices(options: argparse.Namespace) -> Iterator[Row]:
    """Yield the rows that a command line asks for."""
    for name, threads in product(options.sets, options.threads):
        yield {"parameters": name, "threads": threads, "gates": options.gates, "insecure_log_n": options.insecure_log_n}


def measure(*, parameters: str, threads: int, gates: int, insecure_log_n: int | None) -> Row:
    """Measure one row in this process."""
    engine = make_engine(parameters, thread_count=threads, insecure_log_n=insecure_log_n)
    secret_key = engine.create_secret_key()
    evaluation_key, key_seconds = timed(engine.create_evaluation_key, secret_key)
    rng = np.random.default_rng(1)
    table = rng.integers(0, engine.max_value + 1, engine.max_value + 1)
    messages = rng.integers(0, engine.max_value + 1, (2, BATCH))
    bits = engine.message_bits is None
    x, y = (engine.encrypt(message.astype(bool) if bits else message, secret_key) for message in messages)
    expected = ~(messages[0] & messages[1]) & 1 if bits else table[messages[0]]

    right = 0

    def milliseconds(elements: slice) -> float:
        """Time one call, and compare what it gives."""
        nonlocal right
        a, b = x[elements], y[elements]
        out, seconds = timed(lambda: engine.nand(a, b) if bits else engine.bootstrap(a, lut=table))
        wrong = int((engine.decrypt(out, secret_key) != expected[elements]).sum())
        if wrong:
            raise EverlevelError(f"{parameters}: {wrong} of {out.size} answers are wrong")
        right += out.size
        return 1e3 * seconds

    milliseconds(slice(0, 1))  # the first call finds nothing in the caches
    one = [milliseconds(slice(i % BATCH, i % BATCH + 1)) for i in range(gates)]
    batches = [milliseconds(slice(None)) / BATCH for _ in range(max(1, gates // 8))]
    return {
        "operation": "gate" if bits else f"{engine.message_bits}-bit table",
        "one_milliseconds": statistics.median(one),
        "least_milliseconds": min(one),
        "batch_milliseconds": statistics.median(batches),
        **claims(engine, insecure_log_n),
        "bootstrap_megabytes": evaluation_key.bootstrap_nbytes / 1e6,
        "key_switch_megabytes": evaluation_key.key_switch_nbytes / 1e6,
        "key_seconds": key_seconds,
        "right_answers": right,
        **({} if insecure_log_n else {"fingerprint": fingerprint_of(engine)}),
    }


def make_engine(parameters: str, **options: Any) -> tfhe.Engine:
    """Make the engine of a set by the name that tables have: those of NTRU begin with it."""
    kind = ntru.Engine if parameters.startswith("ntru-") else tfhe.Engine
    return kind(parameters.removeprefix("ntru-"), **options)


def fingerprint(parameters: str) -> str | None:
    """Tell today's parameters of a set from all others."""
    try:
        return fingerprint_of(make_engine(parameters))
    except EverlevelError:
        return None


def fingerprint_of(engine: tfhe.Engine) -> str:
    """Tell an engine's parameters from all others."""
    return f"{engine._context.fingerprints[0]:016x}"


def claims(engine: tfhe.Engine, insecure_log_n: int | None) -> Row:
    """Return what is claimed of the set: nothing on a ring without security."""
    if insecure_log_n is not None:
        return {"core_svp_bits": 0.0, "security_bits": 0.0}
    sets = ntru.parameter_sets() if isinstance(engine, ntru.Engine) else tfhe.parameter_sets()
    found: Any = next(known for known in sets if known.name == engine.parameters)
    return {
        "log2_p_fail": found.log2_p_fail,
        "core_svp_bits": found.core_svp_bits,
        "security_bits": found.security_bits,
    }


def note(insecure_log_n: int | None) -> str:
    """Say what all rows have in common."""
    ring = "" if insecure_log_n is None else f", N = 2^{insecure_log_n}, INSECURE"
    return (
        f"Gates and tables of TFHE and NTRU{ring}; one: median and minimum, by one thread; each of 64: by all threads."
    )


TABLE = Table("tfhe", COLUMNS, choices, measure, fingerprint, note)
