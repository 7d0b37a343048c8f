"""From an encrypted age to an encrypted price, by look-up tables.

A ticket office learns neither its customers' ages nor what they pay. Ages are encrypted as integers of 6 bits, so that
everybody above 63 counts as 63. One table makes a band of an age; others make of a band the price in whole euros, and
whether a companion travels free.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from everlevel import tfhe

BANDS = ["infant", "child", "youth", "adult", "senior"]
FROM_AGE = [0, 4, 13, 26, 60]
PRICES = [0, 9, 18, 36, 27]
OLDEST = 63


def band(age: int) -> int:
    """Return the last band that begins at this age or before."""
    return int(np.searchsorted(FROM_AGE, age, side="right")) - 1


def main() -> None:
    """Price some customers, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--customers", type=int, default=8)
    parser.add_argument("--threads", type=int, help="all, if left out")
    parser.add_argument("--insecure-log-n", type=int, help="a ring of 2^LOG_N without any security")
    options = parser.parse_args()

    engine = tfhe.Engine("integer-6-64", thread_count=options.threads, insecure_log_n=options.insecure_log_n)
    print(engine)
    secret_key = engine.create_secret_key()
    print(engine.create_evaluation_key(secret_key))

    ages = np.random.default_rng(11).integers(0, 95, options.customers)
    encrypted = engine.encrypt(np.minimum(ages, OLDEST), secret_key)

    start = time.perf_counter()
    bands = engine.bootstrap(encrypted, lut=band)
    prices = engine.bootstrap(bands, lut=PRICES + [0] * (engine.max_value + 1 - len(PRICES)))
    companions = engine.bootstrap(bands, lut=lambda number: number == 0)
    seconds = time.perf_counter() - start

    rows = [engine.decrypt(column, secret_key) for column in (bands, prices, companions)]
    print("\nage  band    price, €  companion free")
    for age, *(number, price, free) in zip(ages, *rows, strict=True):
        print(f"{age:>3}  {BANDS[number]:<6}  {price:>8}  {'yes' if free else 'no'}")
        assert number == band(min(age, OLDEST)), "an encrypted band is wrong"
        assert price == PRICES[number], "an encrypted price is wrong"
    print(f"\n{3 * len(ages)} bootstraps in {seconds:.2f} s: {1e3 * seconds / (3 * len(ages)):.1f} ms each")


if __name__ == "__main__":
    main()
