"""Every public function, method and operator, found by reflection, with arguments that make no sense.

One argument at a time is junk, and the others are right. Whatever is refused inside of the package is refused by an
error of its own, which names the operation. Python's own words on what it found there are a fault, such as "'NoneType'
object has no attribute"; so are words on a None that stands for an argument that was left out. What Python refuses
before the package is called is Python's affair: operators that a class doesn't have, and keys of its own containers.
"""

from __future__ import annotations

import functools
import inspect
import operator
import re
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everlevel
from everlevel import Engine, bfv, errors, fit, ntru, tfhe
from everlevel.ckks import limbs


@dataclass(frozen=True)
class World:
    """Objects of a scheme, and arguments that its functions take, by name or by `function.name`."""

    objects: Mapping[str, Any]
    right: Mapping[str, Any]


_OMITTED = {
    # What errors are made with.
    "EvaluationKey.part",
    "EvaluationKey.rotation",
    "EvaluationKey.for_matrices",
    # The world's keys.
    "Engine.forget_keys",
}


_USERS = {"f", "function", "lut", "luts", "table"}
"""Functions of the user's, whose errors are the user's."""

_TRUTHS = {"progress", "real_only"}
"""Whatever is true or false is taken."""

_ENGINES = {"from_file.slot_count": None, "seeded_keys": False, "auto_bootstrap": False}
_ENGINES |= {"from_file.thread_count": 1, "from_file.bound": None, "range": "warn"}
_ENGINES |= {"device": "cpu", "device_id": 0, "device_memory": None, "mode": "cpu", "max_bytes": None}
"""Arguments that all engines of files take."""


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
            **dict.fromkeys(("count", "shift"), 2),
            "decode.plaintext": engine.encode([1.0]),
            "delta": 1,
            "deltas": [1],
            "diagonal_indices": [0],
            "encrypt.key": secret_key,
            "error": 2**-10,
            "evaluation_key": key,
            "for_program": None,
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
            "load.path": folder / "ciphertext",
            "low": -0.5,
            "other": x,
            "from_file.path": folder / "ciphertext",
            **_ENGINES,
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
            "axis": None,
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
            **_ENGINES,
            "operation": "encrypt",
            "path": folder / "out",
            "progress": None,
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
            "data": x.to_bytes(),
            "load.path": folder / "ciphertext",
            "from_file.path": folder / "ciphertext",
            **_ENGINES,
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
    public_key = engine.create_public_key(secret_key)
    uints = engine.encrypt_uint(np.array([3, 4], np.uint8), secret_key)
    bools = engine.encrypt_bool([True, False], secret_key)
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
            "PublicKey": public_key,
        },
        {
            "a": x,
            "b": 1,
            **{f"{name}.a": uints for name in (*on_uints, "bitwise_count", "leading_zeros", "trailing_zeros")},
            **{f"{name}.b": uints for name in on_uints},
            **{"amount": 1, "axis": None, "ciphertext": x},
            "condition": bools,
            "constant": 1,
            "count": 1,
            **{"dtype": np.uint16, "dot.other": uints},
            "encrypt_bool.values": [True],
            **{f"encrypt_{kind}.values": np.array([1], f"{kind}8") for kind in ("uint", "int")},
            "evaluation_key": key,
            "data": x.to_bytes(),
            "load.path": folder / "ciphertext",
            "from_file.path": folder / "ciphertext",
            **_ENGINES,
            "in_bits": None,
            **{"keepdims": False, "key": public_key},
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
    right |= {"key": secret_key, "public_key": engine.create_public_key(secret_key)}
    right["from_file.path"] = right["load.path"]
    return World({"Engine": engine, "Ciphertext": x}, right)


WORLDS: Mapping[str, Callable[[Path], World]] = {
    "ckks": ckks,
    "bfv": bfv_world,
    "limbs": limbs_world,
    "tfhe integers": tfhe_integers,
    "tfhe bits": tfhe_bits,
    "ntru bits": lambda folder: tfhe_bits(folder, ntru),
}


@pytest.fixture(scope="module")
def strangers() -> list[Any]:
    """Ciphertexts and keys of other schemes, and of other parameters."""
    level_engine = Engine(max_level=1, insecure_log_n=9)
    secret = level_engine.create_secret_key()
    found: list[Any] = [secret, level_engine.encrypt([1.0], secret, bound=1), level_engine]
    for engine, values in ((bfv.Engine("n13", insecure_log_n=9), [1]), (limbs.Engine("n13", insecure_log_n=9), [1.0])):
        key = engine.create_secret_key()
        found += [key, engine.encrypt(values, key)]
    gates = tfhe.Engine("gate-64", insecure_log_n=8)
    key = gates.create_secret_key()
    return [*found, key, gates.encrypt([True], key)]


JUNK: tuple[Any, ...] = (
    None,
    True,
    "x",
    b"x",
    -1,
    0,
    3,
    2**70,
    -(2**70),
    2**2000,
    1.5,
    float("nan"),
    float("-inf"),
    1e300,
    1j,
    [],
    (),
    {},
    ["x"],
    [None],
    [2**2000],
    [[1, 2], [3]],
    {"x": 1},
    object(),
    object,
    print,
    slice(None),
    np.ones((2, 2)),
    np.array([], dtype=object),
    np.array(["x"]),
    np.array([None]),
    np.array(5, dtype="M8[D]"),
    np.float16("nan"),
)


def faults_of(call: Callable[[], Any], said: str, *, is_left_out: bool = False) -> Iterator[str]:
    """Yield what is wrong with how a call refuses; one that refuses nothing has no fault here."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            call()
    except errors.EverlevelError as error:
        if isinstance(error, errors.InternalError):
            yield f"{said}: internal: {error}"
        elif not re.match(r"\S.*?(: | = )\S", str(error)):
            yield f"{said}: names no operation: {error}"
        elif is_left_out and "NoneType" in str(error):
            yield f"{said}: of nothing that was given: {error}"
    except IndexError as error:
        # NumPy's words on an index, which are about what was given.
        if not said.startswith("getitem("):
            yield f"{said}: IndexError: {error}"
    except Exception as error:  # the fault that is looked for
        if is_inside(error):
            yield f"{said}: {type(error).__name__}: {error}"


def is_inside(error: BaseException) -> bool:
    """Whether a frame of the package raised an error, or passed it on."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(frame.f_globals.get("__name__", "").startswith("everlevel") for frame, _ in frames)


def described(value: Any) -> str:
    return f"{type(value).__name__} {str(value)[:40]}"


def methods_of(value: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in dir(type(value)):
        if not name.startswith("_") and callable(getattr(value, name)):
            yield name, getattr(value, name)


def arguments_for(world: World, of: Any, name: str, method: Callable[..., Any]) -> dict[str, Any]:
    """Return right arguments, or say that there are none for a parameter."""
    right: dict[str, Any] = {}
    for parameter in inspect.signature(method).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        key = parameter.name
        for known in (f"{name}.{key}", key):
            if known in world.right:
                right[key] = world.right[known]
                break
        else:
            pytest.fail(f"{of}.{name}: which {key} is right?")
    return right


@pytest.mark.parametrize("kind", WORLDS)
def test_methods(kind: str, strangers: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where files of odd names go
    world, faults, calls = WORLDS[kind](tmp_path), [], 0
    for of, value in world.objects.items():
        for name, method in methods_of(value):
            if f"{of}.{name}" in _OMITTED:
                continue
            right = arguments_for(world, of, name, method)
            signature = inspect.signature(method).parameters
            variadic = [p for p in signature.values() if p.kind is p.VAR_POSITIONAL]
            for junk in (*JUNK, *strangers):
                calls += len(right) + len(variadic)
                for parameter in right:
                    if parameter in _TRUTHS and not isinstance(junk, (str, np.ndarray)):
                        continue  # which is true or false, and so the whole call is made
                    said = f"{of}.{name}({parameter}={described(junk)})"
                    omitted = junk is None and signature[parameter].default is None
                    if parameter in _USERS and callable(junk):
                        continue
                    call = functools.partial(method, **right | {parameter: junk})
                    faults += faults_of(call, said, is_left_out=omitted)
                for parameter in variadic:
                    said = f"{of}.{name}(*{parameter.name}={described(junk)})"
                    first = [right[p.name] for p in signature.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
                    faults += faults_of(functools.partial(method, *first, junk), said)
    assert not faults, f"{len(faults)} of {calls} calls:\n" + "\n".join(faults)
    assert calls > 100


BINARY = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.matmul),
    *(operator.pow, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, divmod),
    *(
        operator.eq,
        operator.ne,
        operator.lt,
        operator.le,
        operator.gt,
        operator.ge,
        operator.getitem,
        operator.contains,
    ),
)
UNARY = (bool, len, iter, float, int, complex, operator.index, operator.neg, operator.invert, abs, hash, np.sin, list)


@pytest.mark.parametrize("kind", WORLDS)
def test_operators(kind: str, strangers: list[Any], tmp_path: Path) -> None:
    world, faults = WORLDS[kind](tmp_path), []
    for of, value in world.objects.items():
        if of in ("Engine", "SecretKey", "SignPlan", "ChebyshevFit", "Bridge"):
            continue
        for operation in UNARY:
            faults += faults_of(lambda: operation(value), f"{operation.__name__}({of})")  # noqa: B023
        for junk in (*JUNK, *strangers, value):
            for operation in BINARY:
                for pair in ((value, junk), (junk, value)):
                    said = f"{operation.__name__}({of if pair[0] is value else described(junk)}, …{described(junk)})"
                    faults += faults_of(lambda: operation(*pair), said)  # noqa: B023
    assert not faults, f"{len(faults)}:\n" + "\n".join(faults)


def functions() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """Engines, and functions of modules, with right arguments."""
    small = tfhe.Engine("gate-64", insecure_log_n=8)
    key = small.create_secret_key()
    x = small.encrypt([True], key)
    yield "fit", fit, {"f": np.exp, "degree": 3, "interval": (-1, 1), "max_error": None}
    yield "fit", fit, {"f": np.exp, "degree": None, "interval": (-1, 1), "max_error": 1e-3}
    for module in (tfhe, ntru):
        for name in ("stack", "concatenate"):
            yield name, getattr(module, name), {"ciphertexts": [x], "axis": 0}
    for module in (bfv, limbs, tfhe, ntru):
        options = {"parameters": "n13" if module in (bfv, limbs) else "gate-64", "thread_count": 1, "insecure_log_n": 9}
        options |= {
            bfv: {"plain_modulus": None, "seeded_keys": False},
            limbs: {"precision_bits": None, "seeded_keys": False},
        }.get(module, {})
        yield f"{module.__name__}.Engine", module.Engine, options
    options = dict.fromkeys(("use_bootstrap", "auto_bootstrap", "seeded_keys"), False)
    options |= {"use_bootstrap_to_14_levels": False, "use_bootstrap_to_17_levels": False, "bound": 1.0, "mode": "cpu"}
    options |= {"max_level": 1, "slot_count": 8, "thread_count": 1, "precision": "standard", "range": "warn"}
    options |= {"gap": 2**-6}
    yield "Engine", Engine, options | {"insecure_log_n": 9, "device_id": 0, "device_memory": None}


def of_ciphertexts() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """Functions of CKKS ciphertexts, with right arguments."""
    engine = Engine(use_bootstrap=True, insecure_log_n=9)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key, bootstrap="lossy")
    x = engine.encrypt(np.linspace(0.5, 1, engine.slot_count), secret_key, bound=1)
    near, right = {"x": x, "interval": (0.5, 1)}, {"left": x, "right": 0.75}
    for name in ("exp", "log", "sqrt", "rsqrt", "reciprocal", "sigmoid", "tanh", "sin", "cos"):
        yield name, getattr(everlevel, name), near
    yield "divide", everlevel.divide, {"dividend": x, "divisor": x, "interval": (0.5, 1)}
    yield "maximum", everlevel.maximum, right
    yield "minimum", everlevel.minimum, right
    yield "sign", everlevel.sign, {"x": x}
    yield "absolute", everlevel.absolute, {"x": x}
    yield "clip", everlevel.clip, {"x": x, "low": 0.6, "high": 0.8}
    yield "where", everlevel.where, {"condition": x, "x": x, "y": 0.5}
    yield "dot", everlevel.dot, {"x": x, "y": [0.5, 1.0]}
    yield "cumsum", everlevel.cumsum, {"x": x, "count": 2}
    yield "var", everlevel.var, {"x": x, "axis": None, "ddof": 0, "keepdims": False}
    yield "std", everlevel.std, near | {"axis": None, "ddof": 0, "keepdims": False}
    yield "norm", everlevel.norm, {"x": x, "interval": (10, 20), "axis": None, "keepdims": False}
    yield "softmax", everlevel.softmax, near | {"count": None}


def test_functions(strangers: list[Any]) -> None:
    faults, known = [], {"progress"}
    for name, function, right in (*functions(), *of_ciphertexts()):
        for parameter in inspect.signature(function).parameters.values():
            varies = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            assert varies or parameter.name in right.keys() | known, f"{name}: which {parameter.name} is right?"
        for parameter in right:
            for junk in (*JUNK, *strangers):
                if parameter in _USERS and callable(junk):
                    continue
                said = f"{name}({parameter}={described(junk)})"
                faults += faults_of(lambda: function(**right | {parameter: junk}), said)  # noqa: B023
    for junk in (*JUNK, *strangers):
        faults += faults_of(lambda: everlevel.EvaluationKey(junk), f"EvaluationKey({described(junk)})")  # noqa: B023
    assert not faults, f"{len(faults)}:\n" + "\n".join(faults)
