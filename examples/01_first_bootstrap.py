"""From nothing to a bootstrapped computation.

Encrypts 32768 numbers, uses up all levels of their ciphertext, gets them back by a bootstrap, and computes on:
x ← (3x - x³)/2, again and again, which moves every number towards -1 or 1. Beside every step stands its error against
the same computation in NumPy.

The ring is secure, its keys take 4 GB and the whole less than a minute. ``--insecure-log-n 12`` looks at the same on a
small ring **without security**.
"""

from __future__ import annotations

import argparse

import numpy as np

from everlevel import Engine


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--insecure-log-n", type=int, help="a ring of 2^LOG_N without any security")
    options = parser.parse_args()

    # 1. Parameters. An engine holds no secrets; everybody who computes has one of the same parameters.
    engine = Engine(use_bootstrap=True, insecure_log_n=options.insecure_log_n)
    print(engine)

    # 2. Keys. The secret key decrypts; the others are public. Products need the relinearization key, bootstraps it, the
    #    conjugation key and the bootstrap key. The engine remembers the first two, so that operators find them.
    secret_key = engine.create_secret_key()
    public_key = engine.create_public_key(secret_key)
    engine.create_relinearization_key(secret_key)
    engine.create_conjugation_key(secret_key)
    bootstrap_key = engine.create_bootstrap_key(secret_key, stage_count=3)
    print(bootstrap_key)

    # 3. A message: as many numbers as there are slots. Level 2 is enough for one step.
    values = np.random.default_rng(1).uniform(-1, 1, engine.slot_count)
    x = engine.encrypt(values, public_key, level=2, bound=1)
    print(x, end="\n\n")

    # 4. The computation. A step takes two levels: x/2 and x² are side by side on the first.
    print("                level   largest error")
    for step in range(1, options.steps + 1):
        if x.level < 2:
            x = x.bootstrap(bootstrap_key)
            error = np.abs(engine.decrypt(x, secret_key) - values).max()
            print(f"bootstrap       {x.level:>5}   2^{np.log2(error):.1f}")
        half = 0.5 * x
        # The operations' bounds add and multiply; that the values stay within [-1, 1] is known to us alone.
        x = engine.assume_bound(3 * half - half * (x * x), 1)
        values = 0.5 * (3 * values - values**3)
        error = np.abs(engine.decrypt(x, secret_key) - values).max()
        print(f"step {step:<10} {x.level:>5}   2^{np.log2(error):.1f}")
    assert error < 2**-12, "the encrypted computation went astray"

    # 5. The result.
    result = engine.decrypt(x, secret_key)
    print(f"\nshare of slots within 0.01 of ±1: {np.mean(np.abs(np.abs(result) - 1) < 0.01):.1%}")


if __name__ == "__main__":
    main()
