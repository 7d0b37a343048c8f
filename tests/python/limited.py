"""A program that makes and uses keys in as much address space as it is given, for `test_memory`.

It prints a line for each call: ``ok``, or the name of what it raised; and at last ``end``.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from claims import assert_claims
from everlevel import Engine, tfhe


def main(address_space: int, options: dict[str, Any], tfhe_options: dict[str, Any]) -> None:
    """Run all calls that can be run after those that failed."""
    resource.setrlimit(resource.RLIMIT_AS, (address_space, resource.getrlimit(resource.RLIMIT_AS)[1]))
    made: dict[str, Any] = {}

    def call(name: str, make: Callable[[], Any]) -> None:
        try:
            made[name] = make()
        except KeyError as missing:  # what an earlier call should have made
            print(f"{name}: without {missing}", flush=True)
        except MemoryError as error:
            print(f"{name}: {type(error).__name__} {error}", flush=True)
        else:
            print(f"{name}: ok", flush=True)

    call("Engine", lambda: Engine(thread_count=2, **options))
    call("secret_key", lambda: made["Engine"].create_secret_key())
    for key in ("public", "relinearization", "conjugation", "rotation", "small_bootstrap", "bootstrap"):
        name = f"{key}_key"
        call(name, lambda name=name: getattr(made["Engine"], f"create_{name}")(made["secret_key"]))
    values = np.linspace(-1, 1, 100)
    call("encrypt", lambda: made["Engine"].encrypt(values, made["public_key"], level=0))
    call("encrypt_many", lambda: made["Engine"].encrypt(np.zeros(2**20), made["secret_key"]))
    call("square", lambda: made["Engine"].encrypt(values, made["secret_key"], level=2) ** 2)
    call("bootstrap", lambda: made["Engine"].bootstrap(made["encrypt"], made["bootstrap_key"]))
    small = ("rotation_key", "small_bootstrap_key")
    call("small_bootstrap", lambda: made["Engine"].bootstrap(made["encrypt"], *(made[name] for name in small)))
    for name in ("bootstrap", "small_bootstrap"):
        if name in made:
            assert_claims(made[name], values, made["secret_key"], varied=False)

    call("tfhe", lambda: tfhe.Engine(thread_count=2, **tfhe_options))
    call("tfhe_secret_key", lambda: made["tfhe"].create_secret_key())
    call("tfhe_evaluation_key", lambda: made["tfhe"].create_evaluation_key(made["tfhe_secret_key"]))
    call("tfhe_encrypt", lambda: made["tfhe"].encrypt(np.ones(1000, bool), made["tfhe_secret_key"]))
    call("tfhe_encrypt_many", lambda: made["tfhe"].encrypt(np.ones(1_000_000, bool), made["tfhe_secret_key"]))
    call("tfhe_gate", lambda: (made["tfhe_encrypt"][:4], made["tfhe_evaluation_key"])[0] & made["tfhe_encrypt"][:4])
    # Until there is no more: the last call that fails is refused, too.
    kept: list[Any] = []

    def fill() -> None:
        while len(kept) < 1000:
            kept.append(made["Engine"].encrypt(values, made["secret_key"]))

    call("fill", fill)
    print("end", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), json.loads(sys.argv[2]), json.loads(sys.argv[3]))
