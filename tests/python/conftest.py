"""A small engine of every kind, with its keys. None of these rings is secure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from everlevel import (
    BootstrapKey,
    ConjugationKey,
    Engine,
    PublicKey,
    RelinearizationKey,
    RotationKey,
    SecretKey,
    compat,
)

INSECURE_LOG_N = 10


@dataclass(frozen=True)
class Party:
    """An engine and one secret's keys."""

    engine: Engine
    secret_key: SecretKey
    public_key: PublicKey
    relinearization_key: RelinearizationKey
    conjugation_key: ConjugationKey


def new_party(engine: Engine) -> Party:
    secret_key = engine.create_secret_key()
    return Party(
        engine,
        secret_key,
        engine.create_public_key(secret_key),
        engine.create_relinearization_key(secret_key),
        engine.create_conjugation_key(secret_key),
    )


def of_1x(party: Party) -> compat.Engine:
    """Make an engine with the names of 1.x, of a party's parameters."""
    engine = party.engine
    if engine._context.can_bootstrap:
        return compat.Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N)
    return compat.Engine(max_level=engine.max_level, insecure_log_n=INSECURE_LOG_N)


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
