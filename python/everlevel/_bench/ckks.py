"""CKKS bootstraps: key size x stage count x threads, and beside every time its precision, levels, keys and memory.

Of several repetitions the median time counts. Messages:

* *uniform*: all slots uniform in the complex square of the parts ±1; the table shows -log2 of the mean and of the
  largest error;
* *0 to 1*: all slots uniform between 0 and 1, as counts, images and other data of one sign are; the same figures, which
  are lower, since the polynomial that encodes them has a large constant coefficient;
* *±1*: alternating in all slots, the hardest message for the modular reduction; the table shows the mean error.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
from collections.abc import Iterator
from itertools import product

import numpy as np

from ..ckks.engine import Engine
from ..ckks.keys import BootstrapKey, ConjugationKey, RelinearizationKey
from .rows import Row, Table, peak_gigabytes, timed

COLUMNS: dict[str, tuple[str, str]] = {
    "size": ("key size", "s"),
    "stage_count": ("stages", "d"),
    "threads": ("threads", "d"),
    "keys_held": ("keys held", "s"),
    "bootstrap_seconds": ("bootstrap, s", ".2f"),
    "mean_bits": ("uniform: mean, bits", ".1f"),
    "worst_bits": ("uniform: worst, bits", ".1f"),
    "one_sign_mean_bits": ("0 to 1: mean, bits", ".1f"),
    "one_sign_worst_bits": ("0 to 1: worst, bits", ".1f"),
    "plus_minus_one_error": ("±1 error", ".1e"),
    "level_out": ("level out", "d"),
    "expanded_gigabytes": ("expanded, GB", ".2f"),
    "seeded_gigabytes": ("seeded, GB", ".2f"),
    "key_seconds": ("keys, s", ".1f"),
    "peak_gigabytes": ("peak, GB", ".2f"),
}


def choices(options: argparse.Namespace) -> Iterator[Row]:
    """Yield the rows that a command line asks for."""
    held = ["expanded", "seeded"] if options.seeded else ["expanded"]
    for size, stage_count, threads, keys_held in product(options.sizes, options.stage_counts, options.threads, held):
        yield {
            "size": size,
            "stage_count": stage_count,
            "threads": threads,
            "keys_held": keys_held,
            "repetitions": options.repetitions,
            "insecure_log_n": options.insecure_log_n,
        }


def measure(
    *, size: str, stage_count: int, threads: int, keys_held: str, repetitions: int, insecure_log_n: int | None
) -> Row:
    """Measure one row in this process."""
    engine = Engine(
        thread_count=threads,
        use_bootstrap=True,
        seeded_keys=keys_held == "seeded",
        insecure_log_n=insecure_log_n,
    )
    secret_key = engine.create_secret_key()
    public_key = engine.create_public_key(secret_key)

    def make_keys() -> tuple[RelinearizationKey, ConjugationKey, BootstrapKey]:
        return (
            engine.create_relinearization_key(secret_key),
            engine.create_conjugation_key(secret_key),
            engine.create_bootstrap_key(secret_key, stage_count=stage_count, size=size),
        )

    keys, key_seconds = timed(make_keys)
    seconds, errors = [], {}
    messages = messages_of(engine.slot_count)
    for name in [*["uniform"] * repetitions, "one sign", "signs"]:
        message = messages[name]
        ciphertext = engine.encrypt(message, public_key, level=0, bound=float(np.abs(message).max()))
        refreshed, elapsed = timed(engine.bootstrap, ciphertext, *keys)
        seconds.append(elapsed)
        errors[name] = np.abs(engine.decrypt(refreshed, secret_key) - message)
    return {
        "bootstrap_seconds": statistics.median(seconds),
        "all_bootstrap_seconds": seconds,
        "mean_bits": bits(errors["uniform"].mean()),
        "worst_bits": bits(errors["uniform"].max()),
        "one_sign_mean_bits": bits(errors["one sign"].mean()),
        "one_sign_worst_bits": bits(errors["one sign"].max()),
        "plus_minus_one_error": float(errors["signs"].mean()),
        "level_out": refreshed.level,
        **key_gigabytes(keys[2], keys_held == "seeded"),
        "key_seconds": key_seconds,
        "peak_gigabytes": peak_gigabytes(),
        **({} if insecure_log_n else {"fingerprint": fingerprint_of(engine)}),
    }


def fingerprint(_: str) -> str:
    """Tell today's parameters of the engine that is measured from all others."""
    return fingerprint_of(Engine(use_bootstrap=True))


def fingerprint_of(engine: Engine) -> str:
    """Tell an engine's parameters from all others: the ring, the secrets and the modulus of each kind of key."""
    moduli = [(key, secret, f"{log2_qp:.3f}") for key, secret, log2_qp, *_ in engine._context.claims()]
    return hashlib.sha256(f"{engine._context.params} {moduli}".encode()).hexdigest()[:16]


def messages_of(slot_count: int) -> dict[str, np.ndarray]:
    """Messages that fill all slots, by name."""
    rng = np.random.default_rng(1)
    return {
        "uniform": rng.uniform(-1, 1, slot_count) + 1j * rng.uniform(-1, 1, slot_count),
        "one sign": rng.uniform(0, 1, slot_count),
        "signs": np.tile([1.0, -1.0], slot_count // 2),
    }


def bits(error: float) -> float:
    """Count the bits of precision that an error leaves."""
    return float(-np.log2(error))


def key_gigabytes(bootstrap_key: BootstrapKey, seeded: bool) -> Row:
    """Size of the bootstrap key in both forms, whichever is held."""
    # A seeded key in memory is the bodies; the masks that it leaves out are as large.
    return {
        "expanded_gigabytes": bootstrap_key.nbytes * (2 if seeded else 1) / 1e9,
        "seeded_gigabytes": bootstrap_key.serialized_nbytes / 1e9,
    }


def note(insecure_log_n: int | None) -> str:
    """Say what all rows have in common."""
    ring = "2^16, 32768 slots" if insecure_log_n is None else f"2^{insecure_log_n}, INSECURE"
    return f"CKKS bootstraps, N = {ring}, from level 0."


TABLE = Table("ckks", COLUMNS, choices, measure, fingerprint, note)
