"""Products of encrypted 64-bit integers: workload "Zn" of the public FHE benchmark suite, by its stages and files.

    python benches/suite/zn.py run toy --folder zn

runs all stages, each in a process of its own, as the suite's harness does, checks the products, and writes times and
sizes to `measurements/SIZE/results.json`. A stage alone is

    python benches/suite/zn.py server_encrypted_compute toy --folder zn

Folders and files are the suite's (github.com/fhe-benchmarking/Zn-multiplication): `datasets/SIZE` has `lhs.txt`,
`rhs.txt` and `expected.txt`, `io/SIZE` what client and server send each other. The sizes are toy (10 products),
small (1000), medium (100,000) and large (10,000,000).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from stages import Files, Stage, main

from everlevel import tfhe

SIZES: Final = {"toy": 10, "small": 1000, "medium": 100_000, "large": 10_000_000}
SET: Final = "integer-4-128"
"""Parameters: a table fails with less than 2^-128."""
STAGES: Final[dict[str, Stage]] = {}


def engine_of(files: Files) -> tfhe.Engine:
    """Make the engine of a stage."""
    return tfhe.Engine(files.options["set"], progress=False)


def stage(function: Stage) -> Stage:
    """Let a function be a stage, by its name."""
    STAGES[function.__name__] = function
    return function


@stage
def generate_dataset(files: Files) -> None:
    """Draw operands, and their products modulo 2^64."""
    files.data.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng()
    left, right = rng.integers(0, 2**64 - 1, (2, SIZES[files.size]), dtype=np.uint64, endpoint=True)
    for name, values in (("lhs", left), ("rhs", right), ("expected", left * right)):
        np.savetxt(files.data / f"{name}.txt", values, fmt="%u")


@stage
def client_key_generation(files: Files) -> None:
    """Make the secret key, the key that computes, and that of results in lists."""
    engine = engine_of(files)
    secret_key = engine.create_secret_key()
    secret_key.save(files.path("secret_key", "secret.key"))
    engine.create_evaluation_key(secret_key).save(files.path("public_keys", "evaluation.key"))
    engine.create_compression_key(secret_key).save(files.path("public_keys", "compression.key"))


@stage
def client_encode_encrypt_input(files: Files) -> None:
    """Encrypt the operands, by the secret key."""
    engine = engine_of(files)
    secret_key: Any = engine.load(files.path("secret_key", "secret.key"))
    for name in ("lhs", "rhs"):
        values = np.loadtxt(files.data / f"{name}.txt", dtype=np.uint64, ndmin=1)
        engine.encrypt_uint(values, secret_key).save(files.path("ciphertexts_upload", name))


@stage
def server_encrypted_compute(files: Files) -> None:
    """Multiply, without the secret key, and put the products into a list."""
    engine = engine_of(files)
    for name in ("evaluation.key", "compression.key"):
        engine.load(files.path("public_keys", name))
    # Ciphertexts in memory have 8 to 16 kB for each two bits.
    left, right = (engine.load(files.path("ciphertexts_upload", name), max_bytes=2**62) for name in ("lhs", "rhs"))
    products: Any = left * right  # type: ignore[operator]
    engine.compress(products).save(files.path("ciphertexts_download", "products"))


@stage
def client_decrypt_decode(files: Files) -> None:
    """Decrypt the products."""
    engine = engine_of(files)
    secret_key: Any = engine.load(files.path("secret_key", "secret.key"))
    products: Any = engine.load(files.path("ciphertexts_download", "products"))
    np.savetxt(files.path("cleartext_output", "out.txt"), engine.decrypt(products, secret_key), fmt="%u")


@stage
def check(files: Files) -> None:
    """Compare the products with the right ones, as integers."""
    expected, found = ((files.data / "expected.txt").read_text(), files.path("cleartext_output", "out.txt").read_text())
    if [int(word) for word in expected.split()] != [int(word) for word in found.split()]:
        raise SystemExit("the products are wrong")


if __name__ == "__main__":
    main(__file__, __doc__ or "", STAGES, SIZES, set=(SET, "parameters of integers"))
