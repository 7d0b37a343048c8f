"""Names that the docstrings' examples share: those that `Engine`'s own examples make."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from everlevel import Engine, bfv, tfhe
from everlevel.ckks import limbs

# The same cases every time, however slow the machine is.
settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


@pytest.fixture(scope="session")
def _example_names() -> dict[str, Any]:
    engine = Engine(max_level=5, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    tfhe_engine = tfhe.Engine("integer-4-64", insecure_log_n=10)
    tfhe_secret_key = tfhe_engine.create_secret_key()
    tfhe_engine.create_evaluation_key(tfhe_secret_key)
    tfhe_gates = tfhe.Engine("gate-64", insecure_log_n=9)
    tfhe_gates_key = tfhe_gates.create_secret_key()
    tfhe_gates.create_evaluation_key(tfhe_gates_key)
    bfv_engine = bfv.Engine("n13", insecure_log_n=10)
    bfv_secret_key = bfv_engine.create_secret_key()
    bfv_engine.create_evaluation_key(bfv_secret_key, rotations=True)
    limbs_engine = limbs.Engine("n14", insecure_log_n=10)
    limbs_secret_key = limbs_engine.create_secret_key()
    limbs_engine.create_evaluation_key(limbs_secret_key, rotations=True)
    return {
        "bfv_engine": bfv_engine,
        "bfv_secret_key": bfv_secret_key,
        "limbs_engine": limbs_engine,
        "limbs_secret_key": limbs_secret_key,
        "tfhe_engine": tfhe_engine,
        "tfhe_secret_key": tfhe_secret_key,
        "tfhe_gates": tfhe_gates,
        "tfhe_gates_key": tfhe_gates_key,
        "np": np,
        "Engine": Engine,
        "engine": engine,
        "secret_key": secret_key,
        "public_key": engine.create_public_key(secret_key),
        "relinearization_key": engine.create_relinearization_key(secret_key),
        "conjugation_key": engine.create_conjugation_key(secret_key),
        "rotation_key": engine.create_rotation_key(secret_key),
    }


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace: dict[str, Any], _example_names: dict[str, Any]) -> None:
    doctest_namespace.update(_example_names)
