"""Engines have one shape in every scheme, and a call goes a short way."""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import everlevel
from everlevel import BootstrapKey, bfv, bulk, ckks, compat, ntru, tfhe
from everlevel.ckks import limbs
from parties import Party

PACKAGE = Path(everlevel.__file__).parent
SCHEMES = [ckks, limbs, bfv, bulk, tfhe, ntru]
CLASSES = {"Ciphertext", "Engine", "EvaluationKey", "SecretKey"}
CALLS = {
    "create_evaluation_key": ["secret_key", "progress="],
    "create_secret_key": [],
    "decrypt": ["ciphertext", "secret_key"],
    "encrypt": [],
    "estimate_memory": ["operation", "count="],
    "forget_keys": [],
    "from_file": ["path", "thread_count=", "progress="],
    "load": ["path"],
    "load_bytes": ["data"],
    "use": ["keys"],
}
"""What every engine has, with the arguments that it has everywhere: those with a sign by name alone."""


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_has_one_shape(scheme: Any) -> None:
    assert set(scheme.__all__) >= CLASSES
    engine = scheme.Engine
    parameters = list(inspect.signature(engine).parameters.values())
    assert parameters[0].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in parameters[1:])
    assert {"thread_count", "progress", "insecure_log_n"} <= {parameter.name for parameter in parameters}
    for name, arguments in CALLS.items():
        taken = inspect.signature(getattr(engine, name)).parameters
        by_name = {p.name: p.kind is inspect.Parameter.KEYWORD_ONLY for p in taken.values()}
        for argument in arguments:
            assert by_name[argument.rstrip("=")] == argument.endswith("="), f"{name}({argument})"
    for name in ("security_bits", "thread_count"):
        assert isinstance(inspect.getattr_static(engine, name), property)
    for kind in CLASSES - {"Engine"}:
        assert {"save", "to_bytes", "nbytes"} <= set(dir(getattr(scheme, kind)))


def test_ckks_is_a_scheme_as_the_others_are() -> None:
    assert ckks.Engine is everlevel.Engine
    assert {name for name in ckks.__all__ if getattr(everlevel, name) is not getattr(ckks, name)} == set()


def public(of: type) -> set[str]:
    return {name for name in dir(of) if not name.startswith("_")}


def test_names_of_1x_are_the_compatible_engines_alone() -> None:
    more = public(compat.Engine) - public(everlevel.Engine)
    files = {f"{verb}_{kind}" for verb in ("read", "write", "serialize", "deserialize") for kind in compat.FILES}
    others = {
        "build_hash",
        "clone",
        "create_merge_bootstrap_key",
        "intt",
        "lossy_merge_bootstrap",
        "multiply_imaginary_integer",
        "ntt",
        "rescale",
        "roll",
        "roll_many",
        "sign_merge_bootstrap",
    }
    assert more == files | others
    assert not any(name in inspect.signature(everlevel.Engine.add).parameters for name in compat.ALIASES["add"])


def ways(call: Callable[[], Any]) -> Counter[str]:
    """Count the package's functions that a call enters, by file."""
    entered: Counter[str] = Counter()

    def enter(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and PACKAGE in path.parents:
            entered[path.relative_to(PACKAGE).as_posix()] += 1

    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(None)
    return entered


def test_a_sum_goes_a_short_way(party: Party) -> None:
    x = party.engine.encrypt([0.5], party.public_key)
    entered = ways(lambda: x + x)
    modules = ("ciphertext", "_claims", "_shaping", "_auto", "_arithmetic", "_core")
    assert set(entered) == {f"ckks/{module}.py" for module in modules}
    assert entered.total() <= 15


@pytest.fixture
def bootstraps(deep: Party, bootstrap_key: BootstrapKey) -> Iterator[list[Callable[[], Any]]]:
    engine, keys = deep.engine, (deep.relinearization_key, deep.conjugation_key, bootstrap_key)
    x = engine.encrypt([0.5], deep.public_key, level=0)
    engine.use(bootstrap_key)
    yield [lambda: engine.bootstrap(x, *keys), x.bootstrap]
    engine.forget_keys()
    engine.use(*keys[:2])


def test_a_bootstrap_asks_the_registry_once(bootstraps: list[Callable[[], Any]]) -> None:
    for bootstrap in bootstraps:
        entered = ways(bootstrap)
        assert entered["ckks/_registry.py"] == 1
        assert "compat.py" not in entered
        assert entered.total() <= 44


def test_help_names_every_method_by_subject() -> None:
    names = public(everlevel.Engine)
    assert len(names) <= 81
    text = str(everlevel.Engine.__doc__)
    properties = {name for name in names if isinstance(getattr(everlevel.Engine, name), property)}
    families = {name for name in names if name.startswith("create_") or name.endswith("_of_slots")}
    assert {name for name in names - properties - families if f"`{name}`" not in text} == set()
