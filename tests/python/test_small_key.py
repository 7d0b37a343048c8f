"""Small bootstrap keys, and the deeper levels, from Python: on a small ring, and once at full size."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from claims import assert_claims
from everlevel import BootstrapKey, Engine, RotationKey, SmallBootstrapKey, errors
from parties import INSECURE_LOG_N, Party, new_party, of_1x

# Scripts for the 1.x interface, whose import line alone is another one.
SETUP = """
from everlevel import Engine

engine = Engine(use_bootstrap=True)
secret_key = engine.create_secret_key()
public_key = engine.create_public_key(secret_key)
relinearization_key = engine.create_relinearization_key(secret_key)
conjugation_key = engine.create_conjugation_key(secret_key)
rotation_key = engine.create_rotation_key(secret_key)
small_bootstrap_key = engine.create_small_bootstrap_key(secret_key)

message = [-1, 0, 1]
ciphertext = engine.encrypt(message, public_key, level=0)
"""
REGULAR = """
bootstrapped = engine.bootstrap(
    ciphertext,
    relinearization_key,
    conjugation_key,
    rotation_key,
    small_bootstrap_key,
)
"""
STAGE_COUNT_5 = """
bootstrapped_stage_count_5 = engine.bootstrap(
    ciphertext,
    relinearization_key,
    conjugation_key,
    rotation_key,
    small_bootstrap_key,
    stage_count=5,
)
"""
LOSSY = (REGULAR + STAGE_COUNT_5).replace("engine.bootstrap", "engine.lossy_bootstrap")
SPARSE = """
message = [-1, 0, 1, 0] * (engine.slot_count // 4)
ciphertext = engine.encrypt(message, public_key, level=0)
""" + STAGE_COUNT_5.replace("_stage_count_5", "").replace("stage_count=5", "stage_count=1")

Keys = tuple[RotationKey, SmallBootstrapKey]


@pytest.fixture(scope="module")
def keys(deep: Party) -> Keys:
    return deep.engine.create_rotation_key(deep.secret_key), deep.engine.create_small_bootstrap_key(deep.secret_key)


@pytest.fixture
def general(deep: Party) -> tuple[Any, Any]:
    return deep.relinearization_key, deep.conjugation_key


def run(script: str, options: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(script.replace("Engine(use_bootstrap=True)", f"Engine({options})"), names)
    return names


def assert_holds(names: dict[str, Any], name: str, level: int) -> None:
    assert names[name].level == level
    assert_claims(names[name], names["message"], names["secret_key"], varied=False)


# Scripts of 1.x.


def check_scripts(ring: str) -> None:
    names = run(SETUP, f"use_bootstrap=True{ring}")
    exec(REGULAR + STAGE_COUNT_5, names)
    assert_holds(names, "bootstrapped", 10)
    assert_holds(names, "bootstrapped_stage_count_5", 8)
    # At level 0, where the script encrypts, this is the regular order.
    with pytest.warns(errors.LevelWarning):
        exec(LOSSY, names)
    assert_holds(names, "bootstrapped", 10)
    names["ciphertext"] = names["engine"].encrypt(names["message"], names["public_key"], level=5)
    exec(LOSSY, names)
    assert_holds(names, "bootstrapped", 13)
    assert_holds(names, "bootstrapped_stage_count_5", 13)
    names = run(SETUP, f"use_bootstrap_to_14_levels=True{ring}")
    exec(REGULAR, names)
    assert_holds(names, "bootstrapped", 14)


def test_scripts_of_1x() -> None:
    ring = f", insecure_log_n={INSECURE_LOG_N}"
    check_scripts(ring)
    for slots, log_n in ((32, INSECURE_LOG_N), (1024, 12)):
        options = f"slot_count={slots}, use_bootstrap=True, insecure_log_n={log_n}"
        assert_holds(run(SETUP + SPARSE, options), "bootstrapped", 12)


@pytest.mark.full_size
@pytest.mark.slow
def test_scripts_of_1x_at_full_size() -> None:
    check_scripts("")
    names = run(SETUP + SPARSE, "slot_count=1024, use_bootstrap=True")
    assert_holds(names, "bootstrapped", 12)
    names = run(SETUP, "use_bootstrap=True")
    assert names["small_bootstrap_key"].nbytes + names["rotation_key"].nbytes <= 1.5e9


# The key.


def test_the_key_says_what_it_is(deep: Party, keys: Keys) -> None:
    small = keys[1]
    assert repr(small).startswith("SmallBootstrapKey(any stage_count, ")
    assert small.nbytes > small.serialized_nbytes > 0
    assert not small.is_seeded
    assert small.nbytes < deep.engine.create_bootstrap_key(deep.secret_key).nbytes


@pytest.mark.parametrize("stage_count", [2, 3, 4, 5])
def test_every_stage_count(deep: Party, keys: Keys, general: Any, rng: np.random.Generator, stage_count: int) -> None:
    values = rng.uniform(-1, 1, deep.engine.slot_count)
    for level_in, name, level_out in ((0, "bootstrap", 13 - stage_count), (stage_count, "lossy_bootstrap", 13)):
        a = deep.engine.encrypt(values, deep.public_key, level=level_in)
        out = getattr(deep.engine, name)(a, *general, *keys, stage_count=stage_count)
        assert out.level == level_out
        assert_claims(out, values, deep.secret_key)
        by_name = getattr(a, name)(keys[1], stage_count=stage_count)
        assert by_name.level == level_out
    signs = np.sign(values)
    a = deep.engine.encrypt(signs, deep.public_key, level=5)
    out = deep.engine.sign_bootstrap(a, *general, *keys, stage_count=stage_count)
    assert_claims(out, signs, deep.secret_key)


@pytest.mark.parametrize("method", ["regular", "lossy", "sign"])
def test_merged(
    deep: Party, keys: Keys, general: Any, rng: np.random.Generator, method: Literal["regular", "lossy", "sign"]
) -> None:
    messages = rng.uniform(-1, 1, (2, deep.engine.slot_count))
    if method == "sign":
        messages = np.sign(messages)
    a, b = (deep.engine.encrypt(message, deep.public_key, level=4) for message in messages)
    outs = deep.engine.merge_bootstrap(a, b, *general, *keys, stage_count=4, method=method)
    for out, message in zip(outs, messages, strict=True):
        assert out.level == 13
        assert_claims(out, message, deep.secret_key)


def test_keys_in_any_order_and_by_the_names_of_1x(deep: Party, keys: Keys, general: Any) -> None:
    a, engine = deep.engine.encrypt([0.5], deep.public_key, level=0), of_1x(deep)
    by_name: Any = {"rotation_key": keys[0], "small_bootstrap_key": keys[1]}
    all_by_name: Any = by_name | {"relinearization_key": general[0], "conjugation_key": general[1]}
    for out in (
        deep.engine.bootstrap(a, keys[1], general[1], keys[0], general[0], stage_count=5),
        engine.bootstrap(a, *general, **by_name, stage_count=5),
        engine.bootstrap(a, *general, *keys, 5),
        engine.bootstrap(ciphertext=a, **all_by_name, stage_count=5),
    ):
        assert out.level == 8
        assert abs(deep.engine.decrypt(out, deep.secret_key)[0] - 0.5) < 1e-5


def test_below_its_level_a_lossy_bootstrap_is_regular_and_says_so(deep: Party, keys: Keys, general: Any) -> None:
    a = deep.engine.encrypt([0.5], deep.public_key, level=3)
    with pytest.warns(errors.LevelWarning, match=r"at level 3 and the lossy order begins at level 4") as caught:
        out = deep.engine.lossy_bootstrap(a, *general, *keys, stage_count=4)
    assert out.level == caught[0].message.level_out == 9  # type: ignore[union-attr]
    with pytest.raises(errors.LevelError):
        deep.engine.sign_bootstrap(a, *general, *keys, stage_count=4)


# Files.


def test_files_and_pickles(deep: Party, keys: Keys, general: Any, tmp_path: Path) -> None:
    engine, small = deep.engine, keys[1]
    path = tmp_path / "small.key"
    small.save(path)
    small.save(tmp_path / "expanded.key", expanded=True)
    others = [
        engine.load(path),
        engine.load(path, mapped=True),
        engine.load(tmp_path / "expanded.key", mapped=True),
        engine.load_bytes(small.to_bytes()),
        pickle.loads(pickle.dumps(small)),
    ]
    a = engine.encrypt([0.5, -0.25], deep.public_key, level=0)
    for other in others:
        assert type(other) is SmallBootstrapKey
        out = engine.bootstrap(a, *general, keys[0], other)
        assert_claims(out, [0.5, -0.25], deep.secret_key)
    assert copy.copy(small) is small
    with pytest.raises(errors.FileKindError):
        of_1x(deep).read_bootstrap_key(path)
    with pytest.raises(errors.FileKindError):
        of_1x(deep).deserialize_small_bootstrap_key(keys[0].to_bytes())
    with pytest.raises(errors.FormatError):
        Engine(use_bootstrap_to_14_levels=True, insecure_log_n=INSECURE_LOG_N).load(path)


def test_seeded_engines_make_seeded_keys() -> None:
    engine = Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N, seeded_keys=True)
    party = new_party(engine)
    small = engine.create_small_bootstrap_key(party.secret_key)
    assert small.is_seeded
    rotation_key = engine.create_rotation_key(party.secret_key)
    a = engine.encrypt([0.5], party.public_key, level=0)
    out = engine.bootstrap(a, party.relinearization_key, party.conjugation_key, rotation_key, small, stage_count=4)
    assert_claims(out, [0.5], party.secret_key)


# Wrong keys and stage counts.


def test_wrong_keys(deep: Party, party: Party, keys: Keys, general: Any, bootstrap_key: BootstrapKey) -> None:
    engine = deep.engine
    a = engine.encrypt([0.5], deep.public_key, level=0)
    rotation, small = keys
    bootstrap: Any = engine.bootstrap
    for arguments, words in (
        ((rotation, bootstrap_key), "a BootstrapKey and a RotationKey"),
        ((bootstrap_key, small), "a BootstrapKey and a SmallBootstrapKey"),
        ((rotation, engine.create_rotation_key(deep.secret_key)), "two rotation keys"),
        ((deep.secret_key,), "type SecretKey is among the keys"),
        ((*keys, 3), "type int is among the keys.* such as stage_count=3"),
    ):
        with pytest.raises(errors.OperandTypeError, match=f"^bootstrap: .*({words})"):
            bootstrap(a, *general, *arguments)
    for stages in (0, 6, 7, -1):
        with pytest.raises(errors.ParameterError, match=f"^bootstrap: stage_count is {stages}, and 1, 2, 3, 4, 5 "):
            bootstrap(a, *general, *keys, stage_count=stages)
    with pytest.raises(errors.OperandTypeError, match="stage_count"):
        bootstrap(a, *general, *keys, stage_count=3.0)
    with pytest.raises(errors.ParameterError, match=r"stage_count is 4 and the key was made for 3") as caught:
        bootstrap(a, *general, bootstrap_key, stage_count=4)
    assert (caught.value.option, caught.value.allowed) == ("stage_count", 3)
    assert bootstrap(a, *general, bootstrap_key, stage_count=3).level == 10

    stranger = new_party(engine)
    for wrong in (
        (engine.create_rotation_key(stranger.secret_key), small),
        (rotation, engine.create_small_bootstrap_key(stranger.secret_key)),
    ):
        with pytest.raises(errors.KeyMismatchError):
            bootstrap(a, *general, *wrong)
    sparse = Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N, slot_count=16)
    with pytest.raises(errors.ParameterError, match="slot_count"):
        bootstrap(a, *general, rotation, sparse.create_small_bootstrap_key(deep.secret_key))
    with pytest.raises(errors.ParameterError, match=r"^create_small_bootstrap_key: use_bootstrap is False"):
        party.engine.create_small_bootstrap_key(party.secret_key)
    with pytest.raises(errors.ParameterError, match="create_small_bootstrap_key"):
        engine.create_bootstrap_key(deep.secret_key, size="small")


# Keys that the engine knows.


def test_keys_that_are_left_out() -> None:
    engine = Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N)
    secret_key = engine.create_secret_key()
    general = engine.create_relinearization_key(secret_key), engine.create_conjugation_key(secret_key)
    small = engine.create_small_bootstrap_key(secret_key)
    a = engine.encrypt([0.5], secret_key, level=0)
    bootstrap: Any = engine.bootstrap
    with pytest.raises(errors.MissingKeyError, match="rotation key"):
        bootstrap(a, *general, small)
    rotation_key = engine.create_rotation_key(secret_key)
    with pytest.raises(errors.MissingKeyError, match="small bootstrap key"):
        bootstrap(a, *general, rotation_key)
    assert bootstrap(a, *general, small).level == 10
    with pytest.raises(errors.MissingKeyError, match="no bootstrap key"):
        bootstrap(a)
    engine.use(small)
    assert bootstrap(a).level == bootstrap(a, *general).level == a.bootstrap().level == 10
    assert a.bootstrap(stage_count=5).level == 8


def test_evaluation_keys_hold_small_keys(tmp_path: Path) -> None:
    engine = Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N)
    secret_key = engine.create_secret_key()
    evaluation_key = engine.create_evaluation_key(secret_key, bootstrap="small")
    assert evaluation_key.bootstrap_key is None
    assert type(evaluation_key.small_bootstrap_key) is SmallBootstrapKey
    assert "rotations by any amount, small bootstrap; " in repr(evaluation_key)
    engine.forget_keys()
    a = engine.encrypt([0.5, -0.5], secret_key, level=4)
    evaluation_key.save(tmp_path / "all.key")
    for key in (evaluation_key, Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N).load(tmp_path / "all.key")):
        keys: Any = key
        assert engine.bootstrap(a, keys, stage_count=5).level == 8
        assert engine.lossy_bootstrap(a, keys, stage_count=4).level == 13
        assert engine.merge_bootstrap(a, a, keys)[1].level == 13
        # Each in its own place.
        assert engine.bootstrap(a, keys, keys, keys, keys).level == 13
    with pytest.raises(errors.ParameterError, match="rotations by any amount"):
        engine.create_evaluation_key(secret_key, bootstrap="small", rotations=[1])


def test_automatic_bootstraps_with_small_keys(rng: np.random.Generator) -> None:
    engine = Engine(auto_bootstrap=True, insecure_log_n=INSECURE_LOG_N)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key, bootstrap="small")
    values = rng.uniform(-1, 1, engine.slot_count)
    x = engine.encrypt(values, secret_key, level=0)
    product = x * x
    assert (engine.bootstrap_count, product.level) == (1, 9)
    assert_claims(product, values**2, secret_key)


# Deeper levels.


@pytest.mark.parametrize("levels", [14, 17])
def test_deeper_engines(levels: int, rng: np.random.Generator) -> None:
    options: Any = {f"use_bootstrap_to_{levels}_levels": True, "insecure_log_n": INSECURE_LOG_N}
    engine = Engine(**options)
    assert engine.max_level == levels + 3
    assert f"bootstrap to level {levels}" in repr(engine)
    party = new_party(Engine(use_bootstrap=True, **options))
    assert party.engine.max_level == engine.max_level
    rotation_key = engine.create_rotation_key(party.secret_key)
    values = rng.uniform(-1, 1, engine.slot_count)
    a = engine.encrypt(values, party.public_key, level=0)
    general = party.relinearization_key, party.conjugation_key
    small, full = engine.create_small_bootstrap_key(party.secret_key), engine.create_bootstrap_key(party.secret_key)
    for keys in ((rotation_key, small), (full,)):
        out = engine.bootstrap(a, *general, *keys)
        assert out.level == levels
        assert_claims(out, values, party.secret_key)
    with pytest.raises(errors.ParameterError, match="stage_count is 4, and 1, 2, 3 can be"):
        engine.create_bootstrap_key(party.secret_key, 4)
    again = pickle.loads(pickle.dumps(engine))
    assert again.max_level == engine.max_level


def test_one_depth_at_a_time() -> None:
    with pytest.raises(errors.ParameterError, match="one of them can be"):
        Engine(use_bootstrap_to_14_levels=True, use_bootstrap_to_17_levels=True)
