"""One row of CKKS bootstraps, in a process of its own: ``python -m seeds.bootstraps OPTIONS``, as JSON, prints the row.

Times are medians of several bootstraps after the process' first, whose time stands by itself: the processor's time on
one thread, and that of the clock on the wall on more, with the same keys. Errors are means over a part of all slots,
real or imaginary:

* of signs, drawn at random; of alternating ones, which are the hardest message for the modular reduction; and of the
  documents' own message, ``[-1, 1]`` and zeros, over its two slots;
* of values uniform in [-1, 1], as bits of the mean and of the worst slot, but for sign bootstraps, which change them.

Where a row is of complex values, messages have such values in both parts.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from typing import Any

import apart
import numpy as np

from everlevel import Engine
from everlevel._bench import Row
from everlevel._bench.ckks import bits
from everlevel._bench.rows import peak_gigabytes, timed
from everlevel.ckks import Ciphertext

CALLS = {
    "regular": "bootstrap",
    "sparse": "bootstrap",
    "14 levels": "bootstrap",
    "lossy": "lossy_bootstrap",
    "lossy real": "lossy_bootstrap",
    "sign": "sign_bootstrap",
    "sign real": "sign_bootstrap",
}
"""The engine's method, by the table."""


def measure_apart(options: Row) -> Row:
    """Measure a row in a process of its own; a failure is a missing row."""
    call = ["-m", "seeds.bootstraps", json.dumps(options)]
    options = options | {"load": round(os.getloadavg()[0], 1)}
    done = apart.python(*call)
    if done.returncode == 0:
        return options | dict(json.loads(done.stdout))
    reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return options | {"missing": reason}


def measure(
    *,
    kind: str,
    slot_count: int,
    size: str,
    stage_count: int,
    threads: list[int],
    repetitions: int,
    insecure_log_n: int | None,
) -> Row:
    """Measure one row in this process."""
    chain: dict[str, Any] = {"use_bootstrap_to_14_levels": True} if kind == "14 levels" else {"use_bootstrap": True}
    if slot_count:
        chain["slot_count"] = slot_count
    engine = Engine(thread_count=threads[0], insecure_log_n=insecure_log_n, **chain)
    secret_key = engine.create_secret_key()
    keys, key_seconds = timed(make_keys, engine, secret_key, kind, size, stage_count)
    of_stages = {"stage_count": stage_count} if size == "small" else {}
    level_in = stage_count if CALLS[kind] != "bootstrap" else 0
    messages = messages_of(kind, engine.slot_count)
    bound = max(float(np.abs(message).max()) for message in messages.values())

    def refreshed(worker: Engine, message: np.ndarray) -> tuple[Ciphertext, float]:
        ciphertext = worker.encrypt(message, secret_key, level_in, bound=bound)
        clock = time.process_time if worker.thread_count == 1 else time.perf_counter
        start = clock()
        result = getattr(worker, CALLS[kind])(ciphertext, *keys, **of_stages)
        return result, clock() - start

    def median(worker: Engine) -> float:
        return statistics.median(refreshed(worker, messages["random"])[1] for _ in range(repetitions))

    row: Row = {"first_seconds": refreshed(engine, messages["random"])[1]}
    seconds = {str(engine.thread_count): median(engine)}
    for name, message in messages.items():
        result, _ = refreshed(engine, message)
        slots = slice(2 if name == "guide" else None)
        error = errors_of(engine.decrypt(result, secret_key)[slots], message[slots])
        if name == "uniform":
            row |= {"mean_bits": bits(error.mean()), "worst_bits": bits(error.max())}
        else:
            row[f"{name}_error"] = float(error.mean())
        row["level_out"] = result.level
    # Of one engine: those of other numbers of threads have tables of their own.
    row["peak_gigabytes"] = peak_gigabytes()
    for count in threads[1:]:
        worker = Engine(thread_count=count, insecure_log_n=insecure_log_n, **chain)
        worker.prepare_bootstrap(keys[-1], stage_count=of_stages.get("stage_count"))
        seconds[str(count)] = median(worker)
    return row | {
        "seconds": seconds,
        "level_in": level_in,
        "key_gigabytes": sum(key.nbytes for key in keys) / 1e9,
        "key_seconds": key_seconds,
    }


def make_keys(engine: Engine, secret_key: Any, kind: str, size: str, stage_count: int) -> list[Any]:
    """Make all keys that a bootstrap takes."""
    keys: list[Any] = [engine.create_relinearization_key(secret_key), engine.create_conjugation_key(secret_key)]
    if size == "small":
        return [*keys, engine.create_rotation_key(secret_key), engine.create_small_bootstrap_key(secret_key)]
    lossy = CALLS[kind] != "bootstrap"
    create = engine.create_lossy_bootstrap_key if lossy else engine.create_bootstrap_key
    return [*keys, create(secret_key, stage_count=stage_count, size=size)]


def messages_of(kind: str, slot_count: int) -> dict[str, np.ndarray]:
    """Messages that fill all slots, by name, with values in both parts but for rows of real ones."""
    rng = np.random.default_rng(1)
    both = not kind.endswith("real")

    def parts(draw: Any) -> np.ndarray:
        real = np.asarray(draw(), dtype=float)
        return real + 1j * np.asarray(draw(), dtype=float) if both else real

    of_guide = np.zeros(slot_count)
    of_guide[:2] = -1, 1
    messages = {
        "random": parts(lambda: rng.choice([-1.0, 1.0], slot_count)),
        "alternating": parts(lambda: np.tile([1.0, -1.0], slot_count // 2)),
        "guide": parts(lambda: of_guide),
    }
    if not kind.startswith("sign"):
        messages["uniform"] = parts(lambda: rng.uniform(-1, 1, slot_count))
    return messages


def errors_of(found: np.ndarray, message: np.ndarray) -> np.ndarray:
    """Return the errors of all parts of all slots."""
    difference = np.asarray(found) - message
    parts = [difference.real, difference.imag] if np.iscomplexobj(message) else [difference.real]
    errors: np.ndarray = np.abs(np.concatenate(parts))
    return errors


if __name__ == "__main__":
    print(json.dumps(measure(**json.loads(sys.argv[1]))))
