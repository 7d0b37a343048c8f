"""The worlds that programs run in: small engines of every kind, with their keys. None of these rings is secure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import bootstraps, levels
from .bootstraps import AutomaticEngine, BootstrapEngine
from .clear import ClearEngine
from .program import World

_KEYS = """
secret_key = engine.create_secret_key(release_budget=2**20)
public_key = engine.create_public_key(secret_key)
relinearization_key = engine.create_relinearization_key(secret_key)
conjugation_key = engine.create_conjugation_key(secret_key)
rotation_key = engine.create_rotation_key(secret_key)
fixed_rotation_key = engine.create_fixed_rotation_key(secret_key, 5)
matrix_multiplication_key = engine.create_matrix_multiplication_key(secret_key)
evaluation_key = engine.create_evaluation_key(secret_key, bootstrap=False, matrices=True)
"""


def _levels(names: Mapping[str, Any]) -> dict[str, Any]:
    return {"engine": ClearEngine(names["engine"], names["room"]), "room": names["room"]}


def _world(name: str, options: str, share: float) -> World:
    setup = f"engine = everlevel.Engine({options})\n{_KEYS}"
    return World(name, "levels", setup, _levels, lambda: levels.RULES, share)


_BOOTSTRAP_KEYS = """
bootstrap_key = engine.create_bootstrap_key(secret_key, stage_count=3)
lossy_bootstrap_key = engine.create_lossy_bootstrap_key(secret_key, stage_count=3)
small_bootstrap_key = engine.create_small_bootstrap_key(secret_key)
evaluation_key = engine.create_evaluation_key(secret_key, bootstrap="lossy", stage_count=3, matrices=True)
"""


def _bootstrapped(model: type[ClearEngine]) -> Any:
    return lambda names: {"engine": model(names["engine"], names["room"]), "room": names["room"]}


def _deep(name: str, options: str, share: float, model: type[ClearEngine] = BootstrapEngine) -> World:
    keys = _KEYS.replace(", bootstrap=False", ", bootstrap='lossy', stage_count=3")
    setup = f"engine = everlevel.Engine({options})\n{keys}{_BOOTSTRAP_KEYS}"
    return World(name, "levels", setup, _bootstrapped(model), lambda: bootstraps.RULES, share, (3, 8))


WORLDS = [
    _world("levels", "max_level=8, insecure_log_n=9", 30),
    _world("levels, sixteen slots", "max_level=8, slot_count=16, insecure_log_n=9", 10),
    _world("levels, 64 slots, few levels", "max_level=3, slot_count=64, insecure_log_n=10", 8),
    _world("levels, seeded keys", "max_level=6, seeded_keys=True, insecure_log_n=9", 4),
    _world("levels, double precision", "max_level=4, precision='double', insecure_log_n=9", 6),
    _world("levels, refusing", "max_level=5, range='error', bound=2.0, insecure_log_n=9", 4),
    _deep("bootstraps", "use_bootstrap=True, insecure_log_n=9", 7),
    _deep("bootstraps, 64 slots", "use_bootstrap=True, slot_count=64, insecure_log_n=9", 3),
    _deep("bootstraps of high precision", "precision='high', insecure_log_n=9", 1.5),
    _deep("bootstraps to 14 levels", "use_bootstrap_to_14_levels=True, insecure_log_n=9", 1),
    _deep("automatic bootstraps", "auto_bootstrap=True, insecure_log_n=9", 1.5, AutomaticEngine),
]
