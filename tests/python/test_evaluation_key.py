"""`EvaluationKey`: what it holds, where it is taken, files and pickles, and what is said where something is missing."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Engine, EvaluationKey, compat
from everlevel.errors import KeyMismatchError, LevelError, MissingKeyError, OperandTypeError, ParameterError
from parties import INSECURE_LOG_N, Party


@pytest.fixture(scope="module")
def whole(deep: Party) -> EvaluationKey:
    return deep.engine.create_evaluation_key(deep.secret_key, bootstrap="lossy")


def test_it_holds_what_was_asked_for(party: Party) -> None:
    engine, secret_key = party.engine, party.secret_key
    key = engine.create_evaluation_key(secret_key)
    assert key.bootstrap_key is None
    assert key.rotation_key is not None
    assert not key.fixed_rotation_keys
    key = engine.create_evaluation_key(secret_key, rotations=[3, -1, 3, 0, engine.slot_count - 1])
    assert list(key.fixed_rotation_keys) == [-1, 3]
    assert key.rotation_key is None
    assert "rotations -1 +3;" in repr(key)
    kinds = [part.kind for part in engine.create_evaluation_key(secret_key, rotations=False).keys]
    assert kinds == ["relinearization key", "conjugation key"]


def test_it_shares_the_keys_that_it_is_made_of(party: Party) -> None:
    key = EvaluationKey([party.conjugation_key, party.relinearization_key])
    assert key.relinearization_key is party.relinearization_key
    assert key.conjugation_key is party.conjugation_key
    assert key.nbytes == party.relinearization_key.nbytes + party.conjugation_key.nbytes
    assert repr(key).startswith("EvaluationKey(relinearization, conjugation; ")


def test_an_engine_with_bootstraps_gets_a_bootstrap_key(deep: Party) -> None:
    key = deep.engine.create_evaluation_key(deep.secret_key, stage_count=5, rotations=False)
    assert key.bootstrap_key is not None
    assert (key.bootstrap_key.kind, key.bootstrap_key.stage_count) == ("bootstrap key", 5)
    assert "bootstrap of stage_count 5" in repr(key)
    assert deep.engine.create_evaluation_key(deep.secret_key, bootstrap=False, rotations=False).bootstrap_key is None


def test_it_is_taken_wherever_single_keys_are(deep: Party, whole: EvaluationKey, rng: np.random.Generator) -> None:
    engine, secret = deep.engine, deep.secret_key
    values = rng.uniform(-1, 1, engine.slot_count)
    x = engine.encrypt(values, deep.public_key, level=3)
    signs = engine.encrypt(np.sign(values), deep.public_key, level=3)
    series = [0.25, 0.5, 0.125]
    expected: list[tuple[Any, Any]] = [
        (engine.multiply(x, x, whole), values**2),
        (engine.square(x, whole), values**2),
        (engine.relinearize(engine.multiply(x, x, relinearize=False), whole), values**2),
        (engine.make_power_basis(x, 2, whole)[1], values**2),
        (engine.make_chebyshev_basis(x, 2, whole)[1], 2 * values**2 - 1),
        (engine.evaluate_polynomial(x, series, whole), np.polynomial.polynomial.polyval(values, series)),
        (engine.evaluate_chebyshev_polynomial(x, series, whole), np.polynomial.chebyshev.chebval(values, series)),
        (engine.rotate(x, whole, 7), np.roll(values, 7)),
        (engine.rotate_batch(x, whole, [1, 2])[1], np.roll(values, 2)),
        (engine.conjugate(1j * x, whole), -1j * values),
        (engine.sum(x, whole), np.full(engine.slot_count, values.sum())),
        (engine.bootstrap(x, whole), values),
        (engine.bootstrap(x, whole, whole, whole), values),
        (engine.lossy_bootstrap(x, whole), values),
        (engine.sign_bootstrap(signs, whole), np.sign(values)),
        (engine.merge_bootstrap(-x, x, whole)[1], values),
        (engine.merge_bootstrap(-x, x, whole, method="lossy")[1], values),
        (engine.merge_bootstrap(x, signs, whole, method="sign")[1], np.sign(values)),
        (x.bootstrap(whole), values),
    ]
    for result, plain in expected:
        assert_claims(result, plain, secret)


def test_fixed_keys_come_first(party: Party) -> None:
    engine = party.engine
    both = engine.create_evaluation_key(party.secret_key, rotations=[1, 2])
    x = engine.encrypt([1.0, 2.0, 3.0], party.public_key, bound=3)
    for result, delta in zip(engine.rotate_batch(x, both, [1, 2]), (1, 2), strict=True):
        assert_claims(result, [0] * delta + [1, 2, 3], party.secret_key)
    with pytest.raises(MissingKeyError, match=r"rotate: .* no key for a rotation by 5; it has .*rotations \+1 \+2;"):
        engine.rotate(x, both, 5)


def test_products_with_matrices_take_the_fastest_key_for_their_level(
    party: Party, rng: np.random.Generator, tmp_path: Path
) -> None:
    engine, secret_key = party.engine, party.secret_key
    matrix, values = rng.uniform(-1, 1, (6, 6)), rng.uniform(-1, 1, 6)
    both = engine.create_evaluation_key(secret_key, matrices=2)
    alone = engine.create_evaluation_key(secret_key, rotations=False, matrices=2)
    assert "rotations by any amount, matrices up to level 2;" in repr(both)
    assert alone.rotation_key is None
    assert both.for_matrices("test", 3) is both.rotation_key
    for key in (both, alone):
        assert key.for_matrices("test", 2) is key.matrix_multiplication_key
        key.save(tmp_path / "key")
        loaded = engine.load(tmp_path / "key")
        assert isinstance(loaded, EvaluationKey)
        assert [part.kind for part in loaded.keys] == [part.kind for part in key.keys]
        assert loaded.matrix_multiplication_key is not None
        assert loaded.matrix_multiplication_key.level == 2
        for given in (key, loaded):
            low = engine.encrypt(values, party.public_key, level=2)
            assert_claims(engine.multiply_matrix(matrix, low, given), matrix @ values, secret_key)
    high = engine.encrypt(values, party.public_key, level=3)
    assert_claims(engine.multiply_matrix(matrix, high, both), matrix @ values, secret_key)
    encoded = engine.encode_to_plain_matrix(matrix, level=2)
    assert engine.multiply_matrix(encoded, high, alone).level == 1
    with pytest.raises(LevelError, match="multiply_matrix: the matrix multiplication key serves levels up to 2"):
        engine.multiply_matrix(matrix, high, alone)
    with pytest.raises(MissingKeyError, match=r"no matrix multiplication key; .*\(secret_key, matrices=True\)"):
        engine.multiply_matrix(matrix, low, EvaluationKey([party.relinearization_key]))
    assert engine.create_evaluation_key(secret_key, rotations=False, matrices=True).for_matrices("test", 5).level == 5


def test_the_engine_uses_it_from_then_on() -> None:
    engine = Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N)
    secret_key = engine.create_secret_key()
    x = engine.encrypt([0.5], secret_key, level=0)
    with pytest.raises(MissingKeyError, match="the engine knows no relinearization key"):
        x.bootstrap()
    key = engine.create_evaluation_key(secret_key)
    assert (x.bootstrap() * x.bootstrap()).rotate(3).level == 9
    engine.forget_keys()
    with pytest.raises(MissingKeyError):
        engine.bootstrap(x)
    engine.use(key)
    assert engine.bootstrap(x).level == 10
    with pytest.raises(OperandTypeError, match="use: a SecretKey was given"):
        engine.use(secret_key)  # type: ignore[arg-type]


@pytest.mark.parametrize("expanded", [False, True])
def test_one_file_has_all_of_it(deep: Party, whole: EvaluationKey, tmp_path: Path, expanded: bool) -> None:
    path = tmp_path / "evaluation.key"
    whole.save(path, expanded=expanded)
    x = deep.engine.encrypt([0.5, -0.25], deep.public_key, level=3)
    for options in ({}, {"mapped": True}, {"mapped": True, "verify": True}, {"mapped": False}):
        engine = Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N)
        key = engine.load(path, **options)  # type: ignore[arg-type]
        assert isinstance(key, EvaluationKey)
        assert [part.kind for part in key.keys] == [part.kind for part in whole.keys]
        assert key.is_seeded == (options.get("mapped", False) and not expanded)
        y = engine.load_bytes(x.to_bytes())
        assert (y * y).rotate(1).level == 2
        assert y.lossy_bootstrap().level == 13
    (tmp_path / "shorter").write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match=r"bytes"):
        deep.engine.load(tmp_path / "shorter")


def test_files_bytes_and_pickle(party: Party, tmp_path: Path) -> None:
    engine = party.engine
    key = engine.create_evaluation_key(party.secret_key, rotations=[2])
    key.save(tmp_path / "key")
    for copy in (
        engine.load(tmp_path / "key"),
        engine.load_bytes(key.to_bytes()),
        pickle.loads(pickle.dumps(key)),
    ):
        assert list(copy.fixed_rotation_keys) == [2]
        assert repr(copy).split(";")[0] == repr(key).split(";")[0]
    with pytest.raises(ValueError, match=r"holds an? evaluation_key"):
        compat.Engine(max_level=5, insecure_log_n=INSECURE_LOG_N).read_relinearization_key(tmp_path / "key")


MISSING: list[tuple[str, Callable[[Engine, Any, EvaluationKey], Any]]] = [
    ("rotation key", lambda engine, x, key: engine.rotate(x, key, 1)),
    ("rotation key", lambda engine, x, key: engine.sum(x, key)),
    ("conjugation key", lambda engine, x, key: engine.bootstrap(x, key)),
    ("bootstrap key", lambda engine, x, key: engine.bootstrap(x, key)),
    ("conjugation key", lambda engine, x, key: engine.conjugate(x, key)),
]


@pytest.mark.parametrize(("name", "call"), MISSING)
def test_what_is_missing_is_named_with_how_to_make_it(deep: Party, name: str, call: Any) -> None:
    key = EvaluationKey([deep.relinearization_key])
    x = deep.engine.encrypt([1.0], deep.public_key)
    if name == "bootstrap key":
        key = EvaluationKey([deep.relinearization_key, deep.conjugation_key])
    with pytest.raises(
        MissingKeyError, match=r"it has relinearization(, conjugation)?; make one with engine\.create"
    ) as info:
        call(deep.engine, x, key)
    assert info.value.key is not None
    assert name.split()[0] in info.value.key


def test_what_it_is_not_made_of(party: Party, deep: Party) -> None:
    other = party.engine.create_relinearization_key(party.engine.create_secret_key())
    with pytest.raises(ParameterError, match="there are two relinearization keys"):
        EvaluationKey([party.relinearization_key, party.relinearization_key])
    with pytest.raises(KeyMismatchError, match="different secrets"):
        EvaluationKey([other, party.conjugation_key])
    with pytest.raises(ParameterError, match="no keys"):
        EvaluationKey([])
    with pytest.raises(OperandTypeError, match="a PublicKey is among the keys"):
        EvaluationKey([party.public_key])  # type: ignore[list-item]
    with pytest.raises(ParameterError, match="use_bootstrap is False"):
        party.engine.create_evaluation_key(party.secret_key, bootstrap=True)
    with pytest.raises(ParameterError, match="bootstrap is 'lossi'"):
        deep.engine.create_evaluation_key(deep.secret_key, bootstrap="lossi")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="stage_count is 7"):
        deep.engine.create_evaluation_key(deep.secret_key, stage_count=7)
    with pytest.raises(LevelError, match="level 9 was asked for"):
        party.engine.create_evaluation_key(party.secret_key, matrices=9)
    with pytest.raises(OperandTypeError, match="matrices is 'all'"):
        party.engine.create_evaluation_key(party.secret_key, matrices="all")  # type: ignore[arg-type]
    with pytest.raises(OperandTypeError, match="rotations is of type int"):
        party.engine.create_evaluation_key(party.secret_key, rotations=5)  # type: ignore[arg-type]


def test_the_engines_keys_are_used_everywhere(party: Party, rng: np.random.Generator) -> None:
    engine, secret = party.engine, party.secret_key
    engine.create_evaluation_key(secret)
    a = rng.uniform(-1, 1, engine.slot_count)
    x: Any = engine.encrypt(a, secret, bound=1)
    three = sum(np.roll(a, -k) for k in range(3))
    for found in (engine.sum_range(x, count=3), engine.sum_range(x, 3), engine.sum_range(x, None, 3)):
        assert_claims(found, three, secret)
    for batch in (engine.rotate_batch(x, [1, -5, 0]), engine.rotate_batch(x, deltas=[1, -5, 0])):
        for found, delta in zip(batch, (1, -5, 0), strict=True):
            assert_claims(found, np.roll(a, delta), secret)
    assert_claims(engine.relinearize(engine.multiply(x, x, relinearize=False)), a * a, secret)
    assert_claims(engine.make_power_basis(x, 3)[2], a**3, secret)
    assert_claims(engine.make_chebyshev_basis(x, 2)[1], 2 * a * a - 1, secret)
    with pytest.raises(ParameterError, match=r"^sum_range: count is missing; "):
        engine.sum_range(x)
    with pytest.raises(ParameterError, match=r"^rotate_batch: deltas are missing"):
        engine.rotate_batch(x)


def test_keys_that_are_missing_are_named() -> None:
    engine: Any = Engine(max_level=2, insecure_log_n=INSECURE_LOG_N)
    secret_key = engine.create_secret_key()
    x = engine.encrypt(np.ones(4), secret_key, bound=1)
    for call in (
        lambda: engine.relinearize(engine.multiply(x, x, relinearize=False)),
        lambda: engine.make_power_basis(x, 2),
        lambda: engine.rotate_batch(x, [1]),
        lambda: engine.sum_range(x, count=2),
        lambda: engine.conjugate(x),
        lambda: np.eye(2) @ x,
        lambda: x @ x,
        x.var,
        x.cumsum,
    ):
        with pytest.raises(MissingKeyError, match=r"the engine knows no .*; make one with engine\.create_"):
            call()
    # Fixed keys for all of the amounts do.
    for delta in (1, 2):
        engine.create_fixed_rotation_key(secret_key, delta)
    for found, delta in zip(engine.rotate_batch(x, [1, 2]), (1, 2), strict=True):
        assert_claims(found, np.roll([1.0] * 4 + [0.0] * (engine.slot_count - 4), delta), secret_key)
    with pytest.raises(MissingKeyError):
        engine.rotate_batch(x, [1, 3])
