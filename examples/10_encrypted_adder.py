"""A 32-bit adder of gates, on encrypted numbers.

Every number is 32 encrypted bits. A full adder takes two bits and a carry; 32 of them, one after the other, add two
numbers: 2 + 3 gates a bit, each with a bootstrap. Gates work on arrays, so that all pairs are added at once.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import NDArray

from everlevel import tfhe


def to_bits(numbers: NDArray[np.uint64], width: int) -> NDArray[np.bool_]:
    """Return an array of shape (width, ...), the lowest bit first."""
    places = np.arange(width, dtype=np.uint64).reshape(-1, *[1] * numbers.ndim)
    return (numbers >> places & 1).astype(bool)


def from_bits(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return the numbers of such an array."""
    places = np.arange(len(bits), dtype=np.uint64).reshape(-1, *[1] * (bits.ndim - 1))
    return (bits.astype(np.uint64) << places).sum(axis=0, dtype=np.uint64)


def add(engine: tfhe.Engine, a: tfhe.Ciphertext, b: tfhe.Ciphertext) -> tfhe.Ciphertext:
    """Add numbers modulo 2^width."""
    # Gates that don't depend on a carry are computed for all bits at once.
    differ, both = a ^ b, a & b
    sums, carry = [differ[0]], both[0]
    for i in range(1, len(a)):
        sums.append(differ[i] ^ carry)
        if i + 1 < len(a):
            carry = both[i] | (differ[i] & carry)
    return tfhe.stack(sums)


def main() -> None:
    """Add random numbers, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--parameters", default="gate-64", choices=["gate-64", "gate-128"])
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--threads", type=int, help="all, if left out")
    parser.add_argument("--insecure-log-n", type=int, help="a ring of 2^LOG_N without any security")
    options = parser.parse_args()

    engine = tfhe.Engine(options.parameters, thread_count=options.threads, insecure_log_n=options.insecure_log_n)
    print(engine)
    secret_key = engine.create_secret_key()
    print(engine.create_evaluation_key(secret_key))

    rng = np.random.default_rng(10)
    x, y = rng.integers(0, 2**options.width, (2, options.pairs), dtype=np.uint64)
    a, b = (engine.encrypt(to_bits(numbers, options.width), secret_key) for numbers in (x, y))
    start = time.perf_counter()
    total = add(engine, a, b)
    seconds = time.perf_counter() - start
    sums = from_bits(engine.decrypt(total, secret_key))
    for left, right, result in zip(x, y, sums, strict=True):
        print(f"{left:>12} + {right:>12} = {result:>12}")
    assert (sums == (x + y) % 2**options.width).all(), "an encrypted sum is wrong"
    gates = (5 * options.width - 5) * options.pairs
    print(f"{gates} gates in {seconds:.2f} s: {1e3 * seconds / gates:.2f} ms a gate")


if __name__ == "__main__":
    main()
