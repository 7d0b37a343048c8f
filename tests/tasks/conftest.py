"""One engine of a small ring for all tasks, with the keys of one secret. It is not secure."""

from __future__ import annotations

import numpy as np
import pytest

from everlevel import Engine
from parties import INSECURE_LOG_N, Party, keyed_party


@pytest.fixture(scope="session")
def owner() -> Party:
    """Whoever encrypts: an engine that bootstraps by itself, and the keys of a secret."""
    engine = Engine(auto_bootstrap=True, insecure_log_n=INSECURE_LOG_N, progress=False)
    return keyed_party(engine, bootstrap="lossy")


@pytest.fixture
def rng() -> np.random.Generator:
    """Data of a task: the same ones every time."""
    return np.random.default_rng(0)
