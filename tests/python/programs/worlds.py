"""The worlds that programs run in, small engines of every kind with their keys; and which program has which number.

None of these rings is secure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import bits, bootstraps, circuits, functions, integers, over_limbs, words
from .bootstraps import AutomaticEngine, BootstrapEngine
from .clear import UnfitError
from .clear_bits import BitEngine
from .clear_engine import ClearEngine
from .drawing import Rules, in_world
from .integers import IntegerEngine
from .over_limbs import BridgeModel, LimbsEngine
from .program import Program, World

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
    return {
        "engine": ClearEngine(names["engine"], names["room"]),
        "room": names["room"],
        "everlevel": functions.MODEL,
    }


def _world(name: str, options: str, share: float) -> World:
    setup = f"engine = everlevel.Engine({options})\n{_KEYS}"
    return World(name, "levels", setup, _levels, lambda: circuits.RULES, share)


_BOOTSTRAP_KEYS = """
bootstrap_key = engine.create_bootstrap_key(secret_key, stage_count=3)
lossy_bootstrap_key = engine.create_lossy_bootstrap_key(secret_key, stage_count=3)
small_bootstrap_key = engine.create_small_bootstrap_key(secret_key)
evaluation_key = engine.create_evaluation_key(secret_key, bootstrap="lossy", stage_count=3, matrices=True)
"""


def _bootstrapped(model: type[ClearEngine]) -> Any:
    return lambda names: {**_levels(names), "engine": model(names["engine"], names["room"])}


def _deep(name: str, options: str, share: float, model: type[ClearEngine] = BootstrapEngine) -> World:
    keys = _KEYS.replace(", bootstrap=False", ", bootstrap='lossy', stage_count=3")
    setup = f"engine = everlevel.Engine({options})\n{keys}{_BOOTSTRAP_KEYS}"
    return World(name, "levels", setup, _bootstrapped(model), lambda: bootstraps.RULES, share, (3, 8))


_LIMBS_KEYS = """
limbs_secret_key = limbs_engine.create_secret_key()
limbs_public_key = limbs_engine.create_public_key(limbs_secret_key)
limbs_evaluation_key = limbs_engine.create_evaluation_key(limbs_secret_key, rotations=True)
"""


_LIMBS_BOOTSTRAP_KEY = "limbs_bootstrap_key = limbs_engine.create_bootstrap_key(limbs_secret_key)\n"


def _limbs(name: str, options: str, share: float, more_keys: str = "") -> World:
    setup = f"limbs_engine = limbs.Engine({options})\n{_LIMBS_KEYS}{more_keys}"
    model = {"limbs_engine": LimbsEngine}
    return World(
        name, "limbs", setup, lambda names: {k: v(names[k]) for k, v in model.items()}, lambda: over_limbs.RULES, share
    )


def _bridged(names: Mapping[str, Any]) -> dict[str, Any]:
    model = {**_levels(names), "limbs_engine": LimbsEngine(names["limbs_engine"])}
    return {**model, "bridge": BridgeModel(model["engine"], model["limbs_engine"])}


def _bridge(name: str, levels_options: str, limbs_options: str, share: float) -> World:
    setup = (
        f"engine = everlevel.Engine({levels_options})\n{_KEYS}limbs_engine = limbs.Engine({limbs_options})\n"
        f"{_LIMBS_KEYS}bridge = limbs_engine.create_bridge(limbs_secret_key, engine, secret_key)\n"
    )
    return World(name, "limbs", setup, _bridged, lambda: over_limbs.BRIDGES, share)


def _bfv(name: str, options: str, share: float) -> World:
    setup = f"""engine = bfv.Engine({options})
secret_key = engine.create_secret_key()
public_key = engine.create_public_key(secret_key)
evaluation_key = engine.create_evaluation_key(secret_key, rotations=True)
"""
    model = IntegerEngine
    return World(name, "bfv", setup, lambda names: {"engine": model(names["engine"])}, lambda: integers.RULES, share)


def _bits(scheme: str, name: str, log_n: int, rules: Rules, share: float) -> World:
    setup = f"""engine = {scheme}.Engine({name!r}, insecure_log_n={log_n})
secret_key = engine.create_secret_key()
public_key = engine.create_public_key(secret_key)
evaluation_key = engine.create_evaluation_key(secret_key)
"""
    if rules is bits.LOOKUPS:
        setup += "lookup_key = engine.create_lookup_key(secret_key)\n"
        setup += "compression_key = engine.create_compression_key(secret_key)\n"

    def model(names: Mapping[str, Any]) -> dict[str, Any]:
        joins = {"stack": _joined(np.stack), "concatenate": _joined(np.concatenate)}
        return {"engine": BitEngine(names["engine"]), "tfhe": SimpleNamespace(**joins)}

    whats = {
        id(bits.GATES): "bits",
        id(bits.TABLES): "tables",
        id(words.WIDE): "wide integers",
        id(bits.LOOKUPS): "large tables",
    }
    what = whats[id(rules)]
    return World(f"{scheme}, {name}, {what}", scheme, setup, model, lambda: rules, share)


def _joined(join: Any) -> Any:
    def joined(parts: list[Any]) -> Any:
        try:
            return replace(parts[0], values=join([p.values for p in parts]), top=max(p.top for p in parts))
        except ValueError:
            raise UnfitError("shapes differ") from None

    return joined


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
    _deep("automatic bootstraps", "auto_bootstrap=True, slot_count=128, insecure_log_n=9", 1.5, AutomaticEngine),
    _limbs("limbs of 40 bits", "'n14', insecure_log_n=9", 7),
    _limbs("limbs of 30 bits", "'n13', insecure_log_n=9", 3),
    _limbs("limbs with bootstraps", "'n16', insecure_log_n=8", 1.5, _LIMBS_BOOTSTRAP_KEY),
    _limbs("limbs of 50 bits", "'n15', precision_bits=50, insecure_log_n=9", 2),
    _bridge("bridges", "max_level=4, insecure_log_n=9", "'n15', insecure_log_n=9", 4),
    _bfv("bfv, 20 bits", "'n13', insecure_log_n=9", 5),
    _bfv("bfv, 40 bits", "'n14', plain_modulus=1099510054913, insecure_log_n=9", 2),
    _bits("tfhe", "gate-64", 8, bits.GATES, 2),
    _bits("tfhe", "gate-128", 9, bits.GATES, 1),
    _bits("tfhe", "integer-4-64", 10, bits.TABLES, 2),
    _bits("tfhe", "integer-2-128", 9, bits.TABLES, 1),
    _bits("tfhe", "integer-4-128", 10, words.WIDE, 6),
    _bits("tfhe", "integer-4-128", 10, bits.LOOKUPS, 1),
    _bits("ntru", "gate-64", 9, bits.GATES, 1.5),
    _bits("ntru", "integer-3-64", 10, bits.TABLES, 1.5),
    _bits("ntru", "integer-4-64", 10, words.WIDE, 2),
]


def program(seed: int, index: int, only: str | None = None) -> Program:
    """Draw number `index` under `seed`: of all worlds, or of one front's, or of one."""
    rng = np.random.default_rng([seed, index])
    worlds = [w for w in WORLDS if only is None or only in (w.front, w.name)]
    shares = np.array([w.share for w in worlds])
    return in_world(worlds[int(rng.choice(len(worlds), p=shares / shares.sum()))], rng, seed, index)
