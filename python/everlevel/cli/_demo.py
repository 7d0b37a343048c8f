"""Grow islands out of encrypted noise, through bootstraps, and draw them before and after.

Every slot is a cell of a map, +1 or -1 at random. In each generation a cell becomes the mean m of its neighbourhood,
sharpened by (3m - m³)/2: noise becomes islands, and islands grow. That takes three levels, so that a lossy bootstrap
comes after every third generation. The same is done in plain NumPy, and the largest difference is shown; nothing is
decrypted but for that, and for the last map.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ckks.ciphertext import Ciphertext
from ..ckks.engine import Engine
from ._options import add_threads, require_from

_LEVELS = 3
"""Levels of a generation."""
_SHOWN = 40, 144
"""Rows and columns of the map that fit onto a terminal."""

Map = NDArray[np.float64]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--generations", type=int, default=9, metavar="G", help="(default 9)")
    parser.add_argument("--seed", type=int, default=1, help="of the noise; keys are random")
    add_threads(parser)


def run(options: argparse.Namespace) -> None:
    """Run the demonstration."""
    require_from("demo", options, 0, "generations", "seed")
    start = time.perf_counter()
    engine = Engine(use_bootstrap=True, thread_count=options.threads, insecure_log_n=options.insecure_log_n)
    columns = 1 << (engine.slot_count.bit_length() // 2)
    print(engine, flush=True)
    secret_key = engine.create_secret_key()
    engine.create_relinearization_key(secret_key)
    engine.create_conjugation_key(secret_key)
    for delta in (1, -1, columns, -columns):
        engine.create_fixed_rotation_key(secret_key, delta)
    bootstrap_key = engine.create_lossy_bootstrap_key(secret_key, stage_count=3)
    print(f"{bootstrap_key}\nengine and keys: {time.perf_counter() - start:.1f} s\n")

    plain = np.random.default_rng(options.seed).choice([-1.0, 1.0], engine.slot_count)
    print(draw(plain, columns), "\n\n               level  seconds  largest error", sep="")
    x = engine.encrypt(plain, secret_key)
    for generation in range(1, options.generations + 1):
        if x.level < bootstrap_key.stage_count + _LEVELS:
            start = time.perf_counter()
            x = x.lossy_bootstrap(bootstrap_key)
            _tell(engine, secret_key, "bootstrap", x, plain, start)
        start = time.perf_counter()
        x, plain = grow(x, columns), grow(plain, columns)
        _tell(engine, secret_key, f"generation {generation}", x, plain, start)
    print("\n" + draw(engine.decrypt(x, secret_key).real, columns))


def grow(x: Any, columns: int) -> Any:
    """Compute one generation of a ciphertext or an array."""
    x = 2 * x + _roll(x, 1) + _roll(x, -1)
    x = 2 * x + _roll(x, columns) + _roll(x, -columns)
    # m·(3/2 - v²) with m = x/16 and v = m/√2: every factor is in the first product.
    m, v = x * (1 / 16), x * (1 / (16 * np.sqrt(2)))
    return m * (1.5 - v * v)


def draw(cells: Map, columns: int) -> str:
    """Draw the map's upper left part: four cells a character, land where they are positive."""
    land = (cells.reshape(-1, columns) > 0)[: _SHOWN[0], : _SHOWN[1]]
    quarters = land[::2, ::2] + 2 * land[::2, 1::2] + 4 * land[1::2, ::2] + 8 * land[1::2, 1::2]
    characters = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
    try:
        characters.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        characters = "  " + ".." + ".." + "::" + ".." + "::" + "::" + "##"
    return "\n".join("".join(characters[quarter] for quarter in row) for row in quarters)


def _roll(x: Any, delta: int) -> Any:
    return x.rotate(delta) if isinstance(x, Ciphertext) else np.roll(x, delta)


def _tell(engine: Engine, secret_key: Any, name: str, x: Ciphertext, plain: Map, start: float) -> None:
    seconds = time.perf_counter() - start
    error = float(np.abs(engine.decrypt(x, secret_key) - plain).max())
    print(f"{name:<14} {x.level:>5} {seconds:>8.2f}  2^{np.log2(error):.1f}", flush=True)
