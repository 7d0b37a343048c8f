"""Evaluation keys for the levels that are used: cut to them, or made for them; files, pickles, pools, and refusals."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Engine, EvaluationKey, cluster
from everlevel.errors import FormatError, LevelError, OperandTypeError, ParameterError
from parties import INSECURE_LOG_N, Party, new_party

LEVEL = 2
MAKERS = ("create_relinearization_key", "create_conjugation_key", "create_rotation_key")


@pytest.fixture(scope="module", params=[False, True], ids=["expanded", "seeded"])
def levels(request: pytest.FixtureRequest) -> Party:
    return new_party(Engine(max_level=5, insecure_log_n=INSECURE_LOG_N, seeded_keys=request.param))


@pytest.fixture(scope="module")
def full(levels: Party) -> EvaluationKey:
    return levels.engine.create_evaluation_key(levels.secret_key, matrices=True)


def results(engine: Engine, x: Any, key: EvaluationKey) -> list[bytes]:
    """Return what each key of an evaluation key gives."""
    matrix = np.arange(16.0).reshape(4, 4) / 16
    computed = [
        engine.square(x, key),
        engine.evaluate_chebyshev_polynomial(x, [0.5, 0.25, 0.125], key),
        engine.conjugate(x, key),
        engine.rotate(x, key, 5),
        engine.multiply_matrix(matrix, x, key),
    ]
    return [y.to_bytes() for y in computed]


def test_cut_keys_give_the_same_bits(levels: Party, full: EvaluationKey) -> None:
    engine = levels.engine
    x = engine.encrypt([0.5, -0.25, 1j], levels.public_key, level=LEVEL)
    expected = results(engine, x, full)
    cut = full.at_level(LEVEL)
    assert results(engine, x, cut) == expected
    assert {key.level for key in cut.keys} == {LEVEL}
    assert cut.is_seeded == full.is_seeded
    assert cut.serialized_nbytes < full.serialized_nbytes
    # Cut again, it is the key that is cut once; at its own level, it is itself.
    assert cut.at_level(1).to_bytes() == full.at_level(1).to_bytes()
    assert cut.at_level(LEVEL) is cut
    assert full.at_level(5) is full
    for key in full.keys:
        assert key.at_level(5) is key
    # Keys of lower levels stay.
    low = EvaluationKey([full.keys[0].at_level(1), *full.keys[1:]])
    assert low.at_level(3).keys[0] is low.keys[0]


def test_keys_are_made_for_a_level(levels: Party) -> None:
    engine = levels.engine
    for maker in MAKERS:
        make = getattr(engine, maker)
        whole, low = make(levels.secret_key), make(levels.secret_key, LEVEL)
        assert (whole.level, low.level) == (5, LEVEL)
        assert low.serialized_nbytes < whole.serialized_nbytes
        assert make(levels.secret_key, level=5).nbytes == whole.nbytes
        assert engine.estimate_memory(maker, level=LEVEL).held == low.nbytes
    key = engine.create_evaluation_key(levels.secret_key, rotations=[1, -3], matrices=True, level=LEVEL)
    assert {part.level for part in key.keys} == {LEVEL}
    x = engine.encrypt([0.5, -0.25], levels.public_key, level=LEVEL)
    assert_claims(engine.square(x, key), [0.25, 0.0625], levels.secret_key)
    assert_claims(engine.rotate(x, key, 1), [0, 0.5, -0.25], levels.secret_key)
    other = engine.create_evaluation_key(levels.secret_key, matrices=1, level=LEVEL)
    assert other.matrix_multiplication_key is not None
    assert other.matrix_multiplication_key.level == 1
    engine.forget_keys()


def test_operators_take_the_key_for_the_highest_level(levels: Party) -> None:
    engine = levels.engine
    engine.forget_keys()
    low = engine.create_relinearization_key(levels.secret_key, LEVEL)
    x = engine.encrypt([0.5], levels.public_key, level=4)
    with pytest.raises(LevelError, match=rf"serves levels up to {LEVEL}, and the ciphertext is at level 4") as caught:
        x * x
    assert (caught.value.level, caught.value.served) == (4, LEVEL)
    assert_claims(x * engine.encrypt([0.25], levels.public_key, level=LEVEL), [0.125], levels.secret_key)
    engine.create_relinearization_key(levels.secret_key, 4)
    engine.use(low)
    with pytest.raises(LevelError):
        x * x
    engine.create_relinearization_key(levels.secret_key)
    assert_claims(x * x, [0.25], levels.secret_key)
    engine.forget_keys()


def test_keys_are_refused_above_their_levels(levels: Party, full: EvaluationKey) -> None:
    engine, cut = levels.engine, full.at_level(LEVEL)
    x = engine.encrypt([0.5], levels.public_key, level=4)
    three = engine.multiply(x, x, relinearize=False)
    calls: list[tuple[str, Callable[[], Any]]] = [
        ("multiply: the relinearization key", lambda: engine.multiply(x, x, cut)),
        ("relinearize: the relinearization key", lambda: engine.relinearize(three, cut)),
        ("the relinearization key", lambda: engine.evaluate_polynomial(x, [0.5, 0.25, 0.5], cut)),
        ("the relinearization key", lambda: engine.make_power_basis(x, 2, cut)),
        ("conjugate: the conjugation key", lambda: engine.conjugate(x, cut)),
        ("rotate: the rotation key", lambda: engine.rotate(x, cut, 1)),
        ("rotate_batch: the rotation key", lambda: engine.rotate_batch(x, cut, [1, 2])),
        ("multiply_matrix: the rotation key", lambda: engine.multiply_matrix(np.eye(4), x, cut)),
    ]
    for words, call in calls:
        with pytest.raises(LevelError, match=words) as caught:
            call()
        assert caught.value.level in (3, 4)
        assert caught.value.served == LEVEL
    fixed = engine.create_fixed_rotation_key(levels.secret_key, 1, LEVEL)
    with pytest.raises(LevelError, match="rotate: the fixed rotation key serves levels up to 2"):
        engine.rotate(x, fixed)


@pytest.mark.parametrize("level", [-1, 6, 10**30])
def test_levels_that_there_are_not_are_refused(levels: Party, full: EvaluationKey, level: int) -> None:
    engine, secret_key = levels.engine, levels.secret_key
    makers: list[Callable[[], Any]] = [partial(getattr(engine, maker), secret_key, level) for maker in MAKERS]
    makers += [partial(key.at_level, level) for key in full.keys]
    makers.append(lambda: engine.create_evaluation_key(secret_key, level=level))
    makers.append(partial(full.at_level, level))
    for call in makers:
        with pytest.raises(LevelError, match="choose one of these") as caught:
            call()
        assert caught.value.level == level
    with pytest.raises(LevelError, match="serves levels 0 to 2"):
        full.at_level(2).at_level(3)


@pytest.mark.parametrize("level", ["2", 2.5, None, [2]])
def test_levels_are_integers(full: EvaluationKey, level: Any) -> None:
    calls = [full.at_level, *(key.at_level for key in full.keys)]
    for call in calls:
        with pytest.raises((OperandTypeError, ParameterError)):
            call(level)
    int_like: Any = np.int64(2)
    assert full.at_level(int_like).keys[0].level == 2


def test_files_and_pickles_tell_the_level(levels: Party, full: EvaluationKey, tmp_path: Path) -> None:
    engine = levels.engine
    made: list[Any] = [engine.create_rotation_key(levels.secret_key, LEVEL), full.at_level(4).at_level(LEVEL)]
    for key in [*made, *full.at_level(LEVEL).keys, full.at_level(LEVEL)]:
        for expanded in (False, True):
            key.save(tmp_path / "key", expanded=expanded)
            for mapped in (False, True):
                loaded: Any = engine.load(tmp_path / "key", mapped=mapped, verify=True)
                assert loaded.to_bytes() == key.to_bytes()
                assert repr(loaded).split(";")[0].split(", ")[0] == repr(key).split(";")[0].split(", ")[0]
        pickled: Any = pickle.loads(pickle.dumps(key))
        assert pickled.to_bytes() == key.to_bytes()
    assert engine.load(tmp_path / "key").keys[0].level == LEVEL  # type: ignore[attr-defined]
    engine.forget_keys()
    with pytest.raises(FormatError):
        Engine(max_level=3, insecure_log_n=INSECURE_LOG_N).load(tmp_path / "key")


def test_representations_tell_levels(levels: Party, full: EvaluationKey) -> None:
    assert repr(full.keys[0].at_level(1)).startswith("RelinearizationKey(level 1, ")
    words = "relinearization up to level 1, conjugation up to level 1, rotations by any amount up to level 1, matrices"
    assert repr(full.at_level(1)).startswith(f"EvaluationKey({words} up to level 1; ")
    assert repr(full).startswith("EvaluationKey(relinearization, conjugation, rotations by any amount, matrices")
    engine = levels.engine
    fixed = [engine.create_fixed_rotation_key(levels.secret_key, delta, level) for delta, level in ((1, 1), (2, 3))]
    assert repr(EvaluationKey(fixed)).startswith("EvaluationKey(rotations +1 +2 up to levels 1 to 3; ")
    engine.forget_keys()


def test_bootstraps_take_whole_keys(deep: Party) -> None:
    engine, secret_key = deep.engine, deep.secret_key
    bootstrap_key = engine.create_bootstrap_key(secret_key)
    x = engine.encrypt([0.5], deep.public_key, level=0)
    level = engine.max_level - 1
    low = deep.relinearization_key.at_level(level), engine.create_conjugation_key(secret_key, level)
    pairs: list[list[Any]] = [[low[0], deep.conjugation_key], [deep.relinearization_key, low[1]]]
    for keys in pairs:
        with pytest.raises(LevelError, match="bootstraps take one for levels up to") as caught:
            engine.bootstrap(x, *keys, bootstrap_key)
        assert (caught.value.served, caught.value.max_level) == (level, engine.max_level)
    whole = EvaluationKey([deep.relinearization_key, deep.conjugation_key, bootstrap_key])
    assert whole.at_level(engine.max_level) is whole
    with pytest.raises(LevelError, match="at_level: level 2 was asked for, and a bootstrap key serves") as caught:
        whole.at_level(LEVEL)
    assert (caught.value.level, caught.value.served) == (LEVEL, engine.max_level)
    small = engine.create_small_bootstrap_key(secret_key)
    assert small.at_level(engine.max_level) is small
    for wrong in (LEVEL, -1, engine.max_level + 1):
        with pytest.raises(LevelError, match="a small bootstrap key serves bootstraps to every level"):
            small.at_level(wrong)
    with pytest.raises(ParameterError, match="pass bootstrap=False for keys without"):
        engine.create_evaluation_key(secret_key, level=LEVEL)
    key = engine.create_evaluation_key(secret_key, level=LEVEL, bootstrap=False, rotations=False)
    y = engine.encrypt([0.5], deep.public_key, level=LEVEL)
    assert_claims(engine.square(y, key), [0.25], secret_key)
    engine.forget_keys()
    engine.use(deep.relinearization_key, deep.conjugation_key)


def square(x: Any) -> Any:
    return x * x


def test_pools_take_cut_keys(tmp_path: Path) -> None:
    party = new_party(Engine(max_level=3, insecure_log_n=INSECURE_LOG_N))
    EvaluationKey([party.relinearization_key]).at_level(1).save(tmp_path / "eval.key")
    xs = [party.engine.encrypt([k / 4], party.secret_key, level=1) for k in range(3)]
    with cluster.connect(keys=tmp_path / "eval.key", engine=party.engine, workers=1) as pool:
        for k, y in enumerate(pool.map(square, xs)):
            assert_claims(y, [(k / 4) ** 2], party.secret_key)
        with pytest.raises(LevelError, match="serves levels up to 1"):
            list(pool.map(square, [party.engine.encrypt([0.5], party.secret_key)]))
