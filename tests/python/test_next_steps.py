"""Refusals name the call that was made, what is wrong with which argument, and a next step that works."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everlevel
from claims import assert_claims
from everlevel import Engine, bfv, errors, fit
from everlevel.ckks import limbs
from parties import INSECURE_LOG_N, Party, keyed_party

NAN = float("nan")


@pytest.fixture(scope="module")
def lossy() -> Party:
    return keyed_party(Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N), bootstrap="lossy")


@pytest.fixture(scope="module")
def of_limbs() -> tuple[limbs.Engine, Any]:
    engine = limbs.Engine("n14", insecure_log_n=9)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key, rotations=True)
    return engine, secret_key


@pytest.fixture(params=["ckks", "limbs", "bfv"])
def encrypted(request: pytest.FixtureRequest) -> list[Any]:
    """Two ciphertexts of a scheme."""
    module = {"ckks": everlevel, "limbs": limbs, "bfv": bfv}[request.param]
    options: dict[str, Any] = {"max_level": 1} if module is everlevel else {"parameters": "n13"}
    engine = module.Engine(**options, insecure_log_n=9)
    secret_key = engine.create_secret_key()
    return [engine.encrypt([value], secret_key) for value in (1, 0)]


def test_ciphertexts_have_neither_truth_nor_equality(encrypted: list[Any]) -> None:
    a, b = encrypted
    with pytest.raises(errors.OperandTypeError, match=r"^bool: .*; decrypt it first"):
        bool(a)
    for other in (a, b, None, 1, [1], np.ones(2)):
        for compare in (lambda x, y: x == y, lambda x, y: y != x):
            with pytest.raises(errors.OperandTypeError, match=r"equal: a Ciphertext isn't compared .* decrypt both"):
                compare(a, other)
    with pytest.raises(errors.OperandTypeError, match="equal: "):
        _ = a in [b]
    assert a in [a, b]  # which Python finds by identity


def test_ciphertexts_are_found_in_sets_by_identity(party: Party) -> None:
    x, y = (party.engine.encrypt([value], party.public_key, bound=1) for value in (0.5, 0.5))
    names = {x: "x", y: "y"}
    assert (names[x], names[y], len({x, y, x})) == ("x", "y", 2)
    assert copy.copy(x) not in names
    assert pickle.loads(pickle.dumps(x)) not in names


def test_signs_take_the_bounds_that_values_have(lossy: Party) -> None:
    engine, values = lossy.engine, [3.0, -3.0, 0.5]
    x = engine.encrypt(values, lossy.public_key, bound=3)
    assert_claims(engine.relu(x), np.maximum(values, 0), lossy.secret_key, error=1e-2)
    assert_claims(engine.maximum(x, -x), np.abs(values), lossy.secret_key, error=1e-2)
    wide = engine.encrypt(values, lossy.public_key, bound=200)
    for operation, least in ((engine.sign, 200), (engine.relu, 200), (engine.abs, 200), (engine.max_of_slots, 400)):
        name = operation.__name__
        with pytest.raises(
            errors.RangeError,
            match=rf"^{name}: .* as large as {least}, and bound is .; pass {name}\(…, bound={least}\)",
        ):
            operation(wide, gap=2**-6)
    other = engine.encrypt(values, lossy.public_key, bound=200)
    for operation in (engine.compare, engine.maximum, engine.minimum):
        with pytest.raises(errors.RangeError, match=rf"^{operation.__name__}: .* as large as 400, and bound is 2; "):
            operation(wide, other)


def test_a_bound_of_signs_that_is_given_is_a_claim(lossy: Party) -> None:
    engine, values = lossy.engine, np.array([3.0, -3.0, 0.5])
    x, y = (engine.encrypt(each, lossy.public_key, bound=200) for each in (values, values[::-1]))
    with pytest.warns(errors.RangeWarning, match=r"^compare: .* as large as 400, and bound is 8, .* x\.within\(8\)"):
        larger = engine.compare(x, y, bound=8)
    assert_claims(larger, values > values[::-1], lossy.secret_key, varied=False, slack=[0, 1, 0], error=1e-2)
    with pytest.warns(
        errors.RangeWarning, match=r"^sign: .* as large as 200, and bound is 4, which is taken as a claim"
    ):
        signs = engine.sign(x, bound=4)
    assert_claims(signs, np.sign(values), lossy.secret_key, varied=False, error=1e-2)


def test_conjugate_takes_the_engines_key_or_names_the_one_that_is_missing() -> None:
    engine: Any = Engine(max_level=1, insecure_log_n=9)
    secret_key = engine.create_secret_key()
    x = engine.encrypt([1j], secret_key, bound=1)
    with pytest.raises(errors.MissingKeyError, match=r"^conjugate: .*create_conjugation_key\(secret_key\)"):
        engine.conjugate(x)
    with pytest.raises(errors.MissingKeyError, match=r"^multiply_matrix: .*create_rotation_key\(secret_key\)"):
        engine.multiply_matrix(np.eye(2), x)
    engine.create_conjugation_key(secret_key)
    engine.create_rotation_key(secret_key)
    assert_claims(engine.conjugate(x), [-1j], secret_key)
    assert_claims(engine.multiply_matrix(np.eye(2), x), [1j], secret_key)


def test_rotate_batch_names_itself_and_what_helps(of_limbs: tuple[limbs.Engine, Any]) -> None:
    engine, secret_key = of_limbs
    x = engine.encrypt([0.5], secret_key)
    with pytest.raises(errors.MissingKeyError, match=r"^rotate_batch: .* one by 3 .*rotations=\[3\]\), or call rotate"):
        engine.rotate_batch(x, [1, 2, 3])
    assert_claims(engine.rotate(x, 3), [0, 0, 0, 0.5], secret_key)


@pytest.mark.parametrize("bound", [NAN, float("inf"), -1, "1", None, [1.0], 1j, 2**2000])
def test_a_bound_is_called_one(party: Party, of_limbs: tuple[limbs.Engine, Any], bound: Any) -> None:
    x = party.engine.encrypt([0.5], party.public_key, bound=1)
    calls: list[Callable[[], Any]] = [
        lambda: party.engine.assume_bound(x, bound),
        lambda: party.engine.check_range(x, party.secret_key, bound),
        lambda: of_limbs[0].encrypt([0.5], of_limbs[1], bound=bound),
    ]
    if bound is not None:
        calls += [lambda: Engine(bound=bound), lambda: party.engine.encrypt([0.5], party.public_key, bound=bound)]
    for call in calls:
        with pytest.raises(errors.ParameterError, match=r"^\w+: bound is ") as caught:
            call()
        assert caught.value.option == "bound"


def test_arguments_of_other_types_are_named(lossy: Party, tmp_path: Path) -> None:
    engine: Any = lossy.engine
    x = engine.encrypt([0.5], lossy.public_key, bound=1)
    x.save(tmp_path / "x")
    calls: dict[str, Callable[[], Any]] = {
        "plan_sign: gap is None": lambda: engine.plan_sign(gap=None),
        "plan_sign: bound is [1]": lambda: engine.plan_sign(bound=[1]),
        "plan_sign: stage_count is 'x' of type str": lambda: engine.plan_sign(stage_count="x"),
        "plan_sign: stage_count is -1": lambda: engine.plan_sign(stage_count=-1),
        "plan_sign: 0 levels are left": lambda: Engine(max_level=1, insecure_log_n=9).plan_sign(),
        "compare: bound is '2'": lambda: engine.compare(x, x, bound="2"),
        "estimate_memory: shape is of type int": lambda: engine.estimate_memory("encrypt", shape=3),
        "estimate_memory: shape is (1, 2, 3)": lambda: engine.estimate_memory("encrypt", shape=(1, 2, 3)),
        "estimate_memory: operation is array": lambda: engine.estimate_memory(np.ones(2)),
        "estimate_memory: size is array": lambda: engine.estimate_memory("encrypt", size=np.ones(2)),
        "create_evaluation_key: bootstrap is array": lambda: engine.create_evaluation_key(
            lossy.secret_key, bootstrap=np.ones(2)
        ),
        "create_evaluation_key: rotations is 'a'": lambda: engine.create_evaluation_key(
            lossy.secret_key, rotations="ab"
        ),
        "bootstrap_many: ciphertexts is of type int": lambda: engine.bootstrap_many(3),
        "bootstrap_many: method is array": lambda: engine.bootstrap_many([x], method=np.ones(2)),
        "load: verify is 1 of type int, and True or False": lambda: engine.load(tmp_path / "x", verify=1),
        "load: mapped is 'x'": lambda: engine.load(tmp_path / "x", mapped="x"),
        "fit: f is 'exp' of type str, and a function": lambda: fit("exp", 3),  # type: ignore[arg-type]
        "fit: max_error is 'x'": lambda: fit(np.exp, max_error="x"),  # type: ignore[arg-type]
        "release: grid is '1'": lambda: engine.release(x, lossy.secret_key, grid="1"),
    }
    for words, call in calls.items():
        with pytest.raises(errors.EverlevelError, match=";") as caught:
            call()
        assert str(caught.value).startswith(words), str(caught.value)


def test_what_python_takes_for_true_is_taken(lossy: Party) -> None:
    engine: Any = lossy.engine
    key = engine.create_evaluation_key(lossy.secret_key, bootstrap=0, rotations=[1])
    assert key.bootstrap_key is None
    assert Engine(use_bootstrap=np.True_, insecure_log_n=9).max_level == 13  # type: ignore[arg-type]
    x = engine.encrypt([0.5], lossy.public_key, bound=1)
    assert x.lossy_bootstrap(real_only=1).is_real
