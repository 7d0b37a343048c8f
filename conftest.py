"""Fixtures of every Python test: the names that docstrings' examples share, small engines, seeded generators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from everlevel import BootstrapKey, Engine, RotationKey, bfv, bulk, tfhe
from everlevel.ckks import limbs
from parties import INSECURE_LOG_N, Party, new_party

# "steady" has the same cases every time, however slow the machine is; "new" has ten times as many that no run has seen
# before, and prints what repeats a failure.
settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "new", settings.get_profile("steady"), derandomize=False, database=None, max_examples=1000, print_blob=True
)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def _example_names() -> dict[str, Any]:
    engine = Engine(max_level=5, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    deep_engine = Engine(use_bootstrap=True, insecure_log_n=10)
    deep_secret_key = deep_engine.create_secret_key()
    tfhe_engine = tfhe.Engine("integer-4-64", insecure_log_n=10)
    tfhe_secret_key = tfhe_engine.create_secret_key()
    tfhe_evaluation_key = tfhe_engine.create_evaluation_key(tfhe_secret_key)
    tfhe_gates = tfhe.Engine("gate-64", insecure_log_n=9)
    tfhe_gates_key = tfhe_gates.create_secret_key()
    tfhe_gates.create_evaluation_key(tfhe_gates_key)
    bfv_engine = bfv.Engine("n13", insecure_log_n=10)
    bfv_secret_key = bfv_engine.create_secret_key()
    bfv_evaluation_key = bfv_engine.create_evaluation_key(bfv_secret_key, rotations=True)
    limbs_engine = limbs.Engine("n14", insecure_log_n=10)
    limbs_secret_key = limbs_engine.create_secret_key()
    limbs_engine.create_evaluation_key(limbs_secret_key, rotations=True)
    bulk_engine = bulk.Engine("integer-4-128", insecure_log_n=10)
    bulk_secret_key = bulk_engine.create_secret_key()
    bulk_engine.create_evaluation_key(bulk_secret_key, rotations=True)
    bulk_gates = bulk.Engine("gate-128", insecure_log_n=10)
    bulk_gates_key = bulk_gates.create_secret_key()
    bulk_gates.create_evaluation_key(bulk_gates_key)
    return {
        "deep_engine": deep_engine,
        "deep_secret_key": deep_secret_key,
        "deep_evaluation_key": deep_engine.create_evaluation_key(deep_secret_key, bootstrap="lossy"),
        "bulk_gates": bulk_gates,
        "bulk_gates_key": bulk_gates_key,
        "bulk_engine": bulk_engine,
        "bulk_secret_key": bulk_secret_key,
        "bfv_engine": bfv_engine,
        "bfv_secret_key": bfv_secret_key,
        "bfv_evaluation_key": bfv_evaluation_key,
        "limbs_engine": limbs_engine,
        "limbs_secret_key": limbs_secret_key,
        "tfhe_engine": tfhe_engine,
        "tfhe_secret_key": tfhe_secret_key,
        "tfhe_evaluation_key": tfhe_evaluation_key,
        "tfhe_gates": tfhe_gates,
        "tfhe_gates_key": tfhe_gates_key,
        "np": np,
        "Engine": Engine,
        "engine": engine,
        "secret_key": secret_key,
        "public_key": engine.create_public_key(secret_key),
        "relinearization_key": engine.create_relinearization_key(secret_key),
        "conjugation_key": engine.create_conjugation_key(secret_key),
        "evaluation_key": engine.create_evaluation_key(secret_key),
        "rotation_key": engine.create_rotation_key(secret_key),
    }


@pytest.fixture(autouse=True)
def _doctest_names(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> None:
    if isinstance(request.node, pytest.DoctestItem):
        doctest_namespace.update(request.getfixturevalue("_example_names"))


@pytest.fixture(scope="session")
def party() -> Party:
    """Levels 0 to 5, no bootstrap."""
    return new_party(Engine(max_level=5, insecure_log_n=INSECURE_LOG_N))


@pytest.fixture(scope="session")
def rotation_key(party: Party) -> RotationKey:
    return party.engine.create_rotation_key(party.secret_key)


@pytest.fixture(scope="session")
def deep() -> Party:
    """With room for a bootstrap."""
    return new_party(Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N))


@pytest.fixture(scope="session")
def bootstrap_key(deep: Party) -> BootstrapKey:
    return deep.engine.create_bootstrap_key(deep.secret_key, stage_count=3)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261121)


@pytest.fixture(scope="session")
def running_ray() -> Iterator[None]:
    """Ray on the loopback address, for all tests of pools: it takes seconds to start."""
    ray = pytest.importorskip("ray")
    from everlevel.cluster import _ray

    _ray.start_here(8)
    yield
    ray.shutdown()
