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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everlevel
from everlevel import Engine, bfv, errors, fit, ntru, tfhe
from everlevel.ckks import limbs
from junk_worlds import WORLDS, World

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
    yield "softmax", everlevel.softmax, near | {"axis": None, "count": None}


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
