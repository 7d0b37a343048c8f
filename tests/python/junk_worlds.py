"""Objects of every scheme, and right arguments of their functions, for tests of wrong ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from everlevel import Engine, bfv, bulk, fit, ntru, tfhe
from everlevel.ckks import limbs


@dataclass(frozen=True)
class World:
    """Objects of a scheme, and arguments that its functions take, by name or by `function.name`."""

    objects: Mapping[str, Any]
    right: Mapping[str, Any]


ENGINES = {"from_file.slot_count": None, "seeded_keys": False, "auto_bootstrap": False}
ENGINES |= {"from_file.thread_count": 1, "from_file.bound": None, "range": "warn"}
ENGINES |= {"device": "cpu", "device_id": 0, "device_memory": None, "mode": "cpu", "max_bytes": None}
"""Arguments that all engines of files take."""


def packed(parameters: str, secret_key: Any) -> tfhe.Ciphertext:
    """Return an array that goes to a secret of bulk or of CKKS."""
    engine = tfhe.Engine(parameters, insecure_log_n=9)
    own = engine.create_secret_key()
    engine.create_packing_key(own, secret_key)
    return engine.encrypt([True, False] if engine.message_bits is None else [1, 2], own)


def ckks(folder: Path) -> World:
    engine = Engine(use_bootstrap=True, insecure_log_n=9)
    secret_key = engine.create_secret_key()
    key = engine.create_evaluation_key(secret_key, bootstrap="lossy", matrices=2)
    x = engine.encrypt([0.5, -0.25], secret_key, bound=1)
    x.save(folder / "ciphertext")
    return World(
        {
            "Engine": engine,
            "Ciphertext": x,
            "Plaintext": engine.encode([1.0]),
            "LightPlaintext": engine.encode_to_light_plaintext([1.0]),
            "PlainMatrix": engine.encode_to_plain_matrix(np.eye(2), level=2),
            "RotationKey": key.rotation_key,
            "SecretKey": secret_key,
            "EvaluationKey": key,
            "ChebyshevFit": fit(np.exp, 3),
            "SignPlan": engine.plan_sign(),
        },
        {
            "array": [0.5],
            "axis": None,
            "bootstrap": False,
            "bootstrap_key": key,
            "bound": 2.0,
            **dict.fromkeys(("slots", "keepdims", "expanded", "matrices", "one_hot"), False),
            **dict.fromkeys(("ciphertext", "ciphertext1", "ciphertext2"), x),
            "ciphertexts": [x, x],
            "coefficients": [0.0, 1.0, 0.5],
            "conjugation_key": key,
            **dict.fromkeys(("count", "shift", "period"), 2),
            "decode.plaintext": engine.encode([1.0]),
            "delta": 1,
            "deltas": [1],
            "diagonal_indices": [0],
            "encrypt.key": secret_key,
            "error": 2**-10,
            "evaluation_key": key,
            "for_program": None,
            "from_tfhe.ciphertext": packed("integer-2-64", secret_key),
            "from_tfhe.lut": [0.0, 0.5, -0.5, 1.0],
            **{"function": np.negative, "bounds": 1.0},
            "gap": 2**-3,
            "grid": 2**-4,
            "key": key,
            "keys": key,
            "left": x,
            "level": 2,
            "light_plaintext": engine.encode_to_light_plaintext([1.0]),
            "mapped": None,
            "matrix": np.eye(2),
            "max_power": 2,
            "method": "regular",
            "operation": "encrypt",
            "data": x.to_bytes(),
            "ddof": 0,
            "high": 0.5,
            "interval": (0.1, 1.0),
            "is_real": True,
            "load.path": folder / "ciphertext",
            "low": -0.5,
            "other": x,
            "from_file.path": folder / "ciphertext",
            **ENGINES,
            "path": folder / "out",
            "precision": "standard",
            "progress": None,
            "real_only": False,
            "release_budget": None,
            "relinearization_key": key,
            "relinearize": True,
            "relinearize.ciphertext": engine.multiply(x, x, relinearize=False),
            "right": x,
            "rotation_key": key,
            "rotations": False,
            "secret_key": secret_key,
            "shape": (2, 2),
            "size": "medium",
            "small_bootstrap_key": None,
            "stage_count": 3,
            "statistical_bits": None,
            "verify": False,
            "weights": [1.0, 2.0],
            "x": x,
        },
    )


def bfv_world(folder: Path) -> World:
    engine = bfv.Engine("n13", insecure_log_n=8)
    secret_key = engine.create_secret_key()
    key = engine.create_evaluation_key(secret_key, rotations=True)
    x = engine.encrypt([1, 2], secret_key)
    x.save(folder / "ciphertext")
    return World(
        {"Engine": engine, "Ciphertext": x, "SecretKey": secret_key, "EvaluationKey": key},
        {
            "key": secret_key,
            **{"axis": None, "shift": 1, "slots": False, "keepdims": False},
            "ciphertexts": [x],
            "left": x,
            "right": x,
            "ciphertext": x,
            "count": 1,
            "delta": 1,
            "evaluation_key": key,
            "data": x.to_bytes(),
            "load.path": folder / "ciphertext",
            "from_file.path": folder / "ciphertext",
            **ENGINES,
            "operation": "encrypt",
            "path": folder / "out",
            "progress": None,
            "public_key": engine.create_public_key(secret_key),
            "rotations": False,
            "secret_key": secret_key,
            "swap_rows": False,
            "values": [1],
        },
    )


def limbs_world(folder: Path) -> World:
    engine = limbs.Engine("n16", insecure_log_n=10)
    secret_key = engine.create_secret_key()
    key = engine.create_evaluation_key(secret_key, rotations=True)
    bootstrap_key = engine.create_bootstrap_key(secret_key)
    x = engine.encrypt([0.5], secret_key)
    x.save(folder / "ciphertext")
    levels = Engine(max_level=4, insecure_log_n=10)
    levels_secret_key = levels.create_secret_key()
    bridge = engine.create_bridge(secret_key, levels, levels_secret_key)
    return World(
        {
            "Engine": engine,
            "Ciphertext": x,
            "SecretKey": secret_key,
            "EvaluationKey": key,
            "BootstrapKey": bootstrap_key,
            "Bridge": bridge,
        },
        {
            "array": [0.5],
            "key": secret_key,
            **{"axis": None, "shift": 1, "slots": False, "keepdims": False},
            "left": x,
            "right": x,
            "bits": 3,
            "bootstrap_key": bootstrap_key,
            "bound": 2.0,
            "budget_bits": 100,
            "matrix": [[0.5]],
            "ciphertext": x,
            "coefficients": [0.0, 1.0, 0.5],
            "conjugation": False,
            "count": 1,
            "delta": 1,
            "deltas": [1],
            "evaluation_key": key,
            "from_levels.ciphertext": levels.encrypt([0.5], levels_secret_key, bound=1),
            "level": 1,
            "levels": levels,
            "levels_secret_key": levels_secret_key,
            **{"low": -0.5, "high": 0.5},
            "data": x.to_bytes(),
            "load.path": folder / "ciphertext",
            "from_file.path": folder / "ciphertext",
            **ENGINES,
            "operation": "encrypt",
            "path": folder / "out",
            "precision_bits": 20,
            "progress": None,
            "rotations": False,
            "secret_key": secret_key,
        },
    )


def tfhe_integers(folder: Path) -> World:
    engine = tfhe.Engine("integer-4-64", insecure_log_n=10)
    secret_key = engine.create_secret_key()
    key = engine.create_evaluation_key(secret_key)
    x = engine.encrypt([1, 2], secret_key, max_value=3)
    lookup_key = engine.create_lookup_key(secret_key)
    compression_key = engine.create_compression_key(secret_key)
    public_key = engine.create_public_key(secret_key)
    uints = engine.encrypt_uint(np.array([3, 4], np.uint8), secret_key)
    bools = engine.encrypt_bool([True, False], secret_key)
    slots = bulk.Engine("integer-4-128", insecure_log_n=10)
    slots_key = slots.create_secret_key()
    slots.create_evaluation_key(slots_key)
    ring_switch_key = engine.create_ring_switch_key(slots_key, secret_key)
    numbers = Engine(use_bootstrap=True, insecure_log_n=10)
    numbers_key = numbers.create_secret_key()
    numbers.create_evaluation_key(numbers_key, bootstrap="lossy")
    engine.create_ring_switch_key(numbers_key, secret_key)
    x.save(folder / "ciphertext")
    begins = ("checked_", "saturating_", "rotate_", "minimum", "maximum", "select")
    on_uints = [n for n in dir(engine) if n.startswith(begins)]
    return World(
        {
            "Engine": engine,
            "Ciphertext": x,
            "UintArray": uints,
            "IntArray": uints.astype(np.int8),
            "DecimalArray": engine.encrypt_decimal([1, -1], secret_key, width=8),
            "BoolArray": bools,
            "SecretKey": secret_key,
            "EvaluationKey": key,
            "LookupKey": lookup_key,
            "CompressionKey": compression_key,
            "RingSwitchKey": ring_switch_key,
            "PackingKey": engine.create_packing_key(secret_key, slots_key),
            "CompressedList": engine.compress(uints),
            "PublicKey": public_key,
        },
        {
            "a": x,
            "b": 1,
            **{f"{name}.a": uints for name in (*on_uints, "bitwise_count", "leading_zeros", "trailing_zeros")},
            **{f"{name}.b": uints for name in on_uints},
            **{"amount": 1, "axis": None, "ciphertext": x},
            "shift": 1,
            **dict.fromkeys(("from_secret_key", "to_secret_key"), slots_key),
            "from_bulk.ciphertext": slots.encrypt([1, 2], slots_key),
            **dict.fromkeys(
                ("from_ckks.ciphertext", "rounding_failure.ciphertext"),
                numbers.encrypt([0.5, -0.5], numbers_key, level=3, bound=1),
            ),
            "distance": 0.1,
            "index": 0,
            "condition": bools,
            "compressed": engine.compress(uints),
            "constant": 1,
            "count": 1,
            **{"dtype": np.uint16, "dot.other": uints},
            "encrypt_bool.values": [True],
            **{f"encrypt_{kind}.values": np.array([1], f"{kind}8") for kind in ("uint", "int")},
            "evaluation_key": key,
            "data": x.to_bytes(),
            "load.path": folder / "ciphertext",
            "from_file.path": folder / "ciphertext",
            **ENGINES,
            "in_bits": None,
            **{"keepdims": False, "key": public_key},
            **{f"random_{kind}.key": key for kind in ("uint", "int", "bool")},
            **{"seed": 5, "bits": 4},
            "lookup_key": lookup_key,
            "lut": lambda m, other=0: m,
            "luts": [lambda m: m],
            "max_value": 2,
            "operation": "encrypt",
            "other": None,
            "out_bits": None,
            "path": folder / "out",
            "progress": None,
            "public_key": public_key,
            "rerandomize": True,
            "secret_key": secret_key,
            "selector": x,
            "shape": (2,),
            "table": list(range(16)),
            "terms": [(1, x)],
            "values": [1],
            **{"width": 8, "places": 2},
        },
    )


def tfhe_bits(folder: Path, module: Any = tfhe) -> World:
    engine = module.Engine("gate-64", insecure_log_n=9)
    secret_key = engine.create_secret_key()
    key = engine.create_evaluation_key(secret_key)
    x = engine.encrypt([True, False], secret_key)
    x.save(folder / "ciphertext")
    right = tfhe_integers(folder).right | {"a": x, "b": x, "ciphertext": x, "selector": x, "values": [True]}
    right |= {"secret_key": secret_key, "evaluation_key": key, "data": x.to_bytes(), "load.path": folder / "ciphertext"}
    if module is tfhe:
        engine.create_compression_key(secret_key)
        right["compressed"] = engine.compress(x)
    right |= {"key": secret_key, "public_key": engine.create_public_key(secret_key)}
    right["from_file.path"] = right["load.path"]
    return World({"Engine": engine, "Ciphertext": x}, right)


def bulk_world(folder: Path, parameters: str) -> World:
    engine = bulk.Engine(parameters, insecure_log_n=9)
    secret_key = engine.create_secret_key()
    key = engine.create_evaluation_key(secret_key, rotations=True)
    is_bits = engine.message_bits is None
    x = engine.encrypt([True, False], secret_key) if is_bits else engine.encrypt([1, 2], secret_key, max_value=3)
    x.save(folder / "ciphertext")
    integers = None if is_bits else engine.encrypt_uint([1, 2], secret_key, width=8)
    arrays = {} if integers is None else {"UintArray": integers, "BoolArray": integers > 1}
    if not is_bits:
        arrays["IntArray"] = engine.encrypt_int([-1, 2], secret_key, width=8)
    return World(
        {"Engine": engine, "Ciphertext": x, "SecretKey": secret_key, "EvaluationKey": key, **arrays},
        {
            **dict.fromkeys(("a", "ciphertext", "other", "selector"), x),
            **{f"{name}.a": integers for name in ("minimum", "maximum", "rotate_left", "rotate_right")},
            **{"amount": 1, "dtype": np.uint16, "width": 8},
            **dict.fromkeys(("b", "mux.a", "select.a"), [True] if is_bits else 1),
            "select.selector": x if is_bits else engine.encrypt([0, 1], secret_key, max_value=1),
            "multiply.b": 2,
            **{"axis": None, "shift": 1, "keepdims": False, "rotations": False},
            "order": [1, 0],
            "constant": 0,
            "count": 1,
            "data": x.to_bytes(),
            "estimate_time.operation": "bootstrap",
            "estimate_time.dtype": None,
            "evaluation_key": key,
            "from_tfhe.ciphertext": packed("gate-64" if is_bits else "integer-2-64", secret_key),
            "key": secret_key,
            **dict.fromkeys(("load.path", "from_file.path"), folder / "ciphertext"),
            **ENGINES,
            "lut": (lambda *m: sum(m)),
            "luts": [lambda m: m],
            "max_value": None,
            "operation": "encrypt",
            "path": folder / "out",
            "progress": None,
            "secret_key": secret_key,
            "shape": (1, 2),
            "terms": [(1, x)],
            "values": [True] if is_bits else [1],
        },
    )


WORLDS: Mapping[str, Callable[[Path], World]] = {
    "ckks": ckks,
    "bfv": bfv_world,
    "bulk integers": lambda folder: bulk_world(folder, "integer-4-128"),
    "bulk bits": lambda folder: bulk_world(folder, "gate-128"),
    "limbs": limbs_world,
    "tfhe integers": tfhe_integers,
    "tfhe bits": tfhe_bits,
    "ntru bits": lambda folder: tfhe_bits(folder, ntru),
}
