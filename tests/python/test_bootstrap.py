"""A bootstrap from Python: small and insecure for every stage count, and once at full size."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import BootstrapKey, Engine, EvaluationKey
from everlevel.errors import EngineMismatchError, LevelError, MissingKeyError, OperandTypeError, ParameterError
from parties import Party, of_1x

LEVELS_OUT = {3: 10, 4: 9, 5: 8}
STRUCTURED = [1.0], [1.0, -1.0], [0.875, 0.25, -1.0, 0.5, -0.125, 1.0, -0.625, 0.0]


def uniform_square(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.uniform(-1, 1, count) + 1j * rng.uniform(-1, 1, count)


@pytest.mark.parametrize("stage_count", [3, 4, 5])
@pytest.mark.parametrize("size", ["medium", "large"])
def test_small_ring(deep: Party, rng: np.random.Generator, stage_count: int, size: str) -> None:
    engine = deep.engine
    key = engine.create_bootstrap_key(deep.secret_key, stage_count=stage_count, size=size)
    assert (key.stage_count, key.size) == (stage_count, size)
    message = uniform_square(rng, engine.slot_count)
    a = engine.encrypt(message, deep.public_key, level=0, bound=1.5)
    refreshed = engine.bootstrap(a, deep.relinearization_key, deep.conjugation_key, key)
    assert refreshed.level >= LEVELS_OUT[stage_count]
    assert refreshed.slot_count == engine.slot_count
    assert_claims(refreshed, message, deep.secret_key)
    assert a.level == 0


# Bits of the mean error: 17.28 and 18.28 are measured.
@pytest.mark.parametrize(
    ("message", "bits"),
    [([1.0], 16.3), ([-1.0], 16.3), ([1.0, -1.0], 17.3)],
    ids=["ones", "minus ones", "alternating"],
)
def test_constant_messages(deep: Party, bootstrap_key: object, message: list[float], bits: float) -> None:
    # A constant message is one large coefficient: the hardest for the approximation of the modular reduction.
    engine = deep.engine
    values = np.tile(message, engine.slot_count // len(message))
    a = engine.encrypt(values, deep.public_key, level=0)
    refreshed = a.bootstrap(bootstrap_key)  # type: ignore[arg-type]
    found = assert_claims(refreshed, values, deep.secret_key, varied=False)
    assert -np.log2(np.abs(found - values).mean()) >= bits


def test_any_level_may_go_in_and_computation_goes_on(deep: Party, bootstrap_key: object) -> None:
    engine, values = deep.engine, np.linspace(-1, 1, deep.engine.slot_count)
    for level in (0, 1, 4):
        a = engine.encrypt(values, deep.public_key, level=level).bootstrap(bootstrap_key)  # type: ignore[arg-type]
        expected, cubes = values, 0
        # Each multiplies errors near ±1 by four: after more of them, few slots have most of the error.
        while a.level >= 3 and cubes < 3:
            a = engine.assume_bound(1.5 * (a * a * a) - 0.5 * a, 1)
            expected, cubes = 1.5 * expected**3 - 0.5 * expected, cubes + 1
        assert cubes >= 2
        a = engine.level_down(a, 0).bootstrap(bootstrap_key)  # type: ignore[arg-type]
        assert a.is_real
        assert assert_claims(a, expected, deep.secret_key).dtype == np.float64


@pytest.mark.parametrize("stage_count", [3, 4, 5])
def test_with_levels_left_it_ends_at_the_highest(deep: Party, rng: np.random.Generator, stage_count: int) -> None:
    engine, general = deep.engine, (deep.relinearization_key, deep.conjugation_key)
    key = engine.create_bootstrap_key(deep.secret_key, stage_count=stage_count)
    messages = [uniform_square(rng, engine.slot_count), *(np.tile(m, engine.slot_count // len(m)) for m in STRUCTURED)]
    for message in messages:
        for level in (stage_count, stage_count + 2):
            a = engine.encrypt(message, deep.public_key, level=level, bound=1.5)
            refreshed = engine.bootstrap(a, *general, key)
            assert (refreshed.level, refreshed.is_real) == (engine.max_level, a.is_real)
            found = assert_claims(refreshed, message, deep.secret_key, varied=False)
            errors = np.abs(found - message)
            assert -np.log2(errors.mean()) >= 24.5
            assert -np.log2(errors.max()) >= 22.5
    low = engine.encrypt(messages[0], deep.public_key, level=stage_count - 1, bound=1.5)
    assert engine.bootstrap(low, *general, key).level == LEVELS_OUT[stage_count]
    pairs = zip(messages, (0, stage_count, stage_count + 2, 2), strict=True)
    many = [engine.encrypt(m, deep.public_key, level=level, bound=1.5) for m, level in pairs]
    each = [engine.bootstrap(m, *general, key) for m in many]
    for one, alone in zip(engine.bootstrap_many(many, *general, key), each, strict=True):
        assert (one.level, one.is_real) == (alone.level, alone.is_real)
        np.testing.assert_array_equal(engine.decrypt(one, deep.secret_key), engine.decrypt(alone, deep.secret_key))


def test_it_ends_at_the_level_that_is_asked_for(deep: Party, rng: np.random.Generator) -> None:
    engine, general = deep.engine, (deep.relinearization_key, deep.conjugation_key)
    key = engine.create_bootstrap_key(deep.secret_key)
    message = uniform_square(rng, engine.slot_count)
    for level, out in [(0, 1), (0, 7), (3, 1), (3, 7), (5, 12)]:
        a = engine.encrypt(message, deep.public_key, level=level, bound=1.5)
        refreshed = engine.bootstrap(a, *general, key, level=out)
        assert refreshed.level == out
        assert_claims(refreshed, message, deep.secret_key)
        assert a.bootstrap(*general, key, level=out).level == out
        (many,) = engine.bootstrap_many([a], *general, key, level=out)
        np.testing.assert_array_equal(engine.decrypt(many, deep.secret_key), engine.decrypt(refreshed, deep.secret_key))
    low = engine.encrypt(message, deep.public_key, level=2, bound=1.5)
    with pytest.raises(LevelError, match=r"level 11 is outside 0\.\.=10"):
        engine.bootstrap(low, *general, key, level=11)
    with pytest.raises(LevelError, match="level 14 was asked for and this engine has levels 0 to 13"):
        engine.bootstrap(low, *general, key, level=14)
    real = engine.encrypt(message.real, deep.public_key, level=2)
    with pytest.raises(LevelError, match=r"merge_bootstrap: level 11 is outside 0\.\.=10"):
        engine.merge_bootstrap(real, real, *general, key, level=11)
    refreshed = engine.lossy_bootstrap(low, *general, key, level=4)
    assert refreshed.level == 4


@pytest.mark.parametrize("method", ["regular", "lossy"])
def test_real_ones_share_bootstraps_in_pairs(deep: Party, rng: np.random.Generator, method: Any) -> None:
    engine = deep.engine
    keys = deep.relinearization_key, deep.conjugation_key, engine.create_bootstrap_key(deep.secret_key)
    messages = [rng.uniform(-1, 1, n) for n in (engine.slot_count, 3, 2 * engine.slot_count, engine.slot_count, 5)]
    messages[4] = messages[4] + 0.5j
    many = [engine.encrypt(m, deep.public_key, level=4, bound=1.5) for m in messages]
    before = engine.bootstrap_count
    results = engine.bootstrap_many(many, *keys, method=method, real_only=True)
    # Two and one, the long vector, and the complex one, whose real part is kept.
    assert engine.bootstrap_count - before == 1 + 3
    for message, result in zip(messages, results, strict=True):
        assert (result.level, result.is_real) == (engine.max_level, True)
        padded = np.zeros(result.unit_count * engine.slot_count)
        padded[: len(message)] = message.real
        assert_claims(result, padded, deep.secret_key, varied=False)
    first, second = engine.merge_bootstrap(many[0], many[1], *keys)
    for one, alone in zip(results[:2], (first, second), strict=True):
        np.testing.assert_array_equal(engine.decrypt(one, deep.secret_key), engine.decrypt(alone, deep.secret_key))


def test_names_of_1x_have_one_level(deep: Party) -> None:
    engine = of_1x(deep)
    general = deep.relinearization_key, deep.conjugation_key
    old = engine.create_bootstrap_key(deep.secret_key, stage_count=3)
    usual = deep.engine.create_bootstrap_key(deep.secret_key, stage_count=3)
    assert old.nbytes < usual.nbytes
    a = engine.encrypt([0.5, -0.25], deep.public_key, level=5)
    for key in (old, usual):
        for out in (
            engine.bootstrap(a, *general, key),
            engine.bootstrap_many([a], *general, key)[0],
            engine.merge_bootstrap(a, a, *general, key)[1],
            a.bootstrap(old),
        ):
            assert out.level == 10
    # A key of one order has one level under today's names, too.
    assert deep.engine.bootstrap(a, *general, old).level == 10
    assert (
        deep.engine.load_bytes(old.to_bytes()).kind == deep.engine.load_bytes(usual.to_bytes()).kind == "bootstrap key"
    )


def test_parallel_engines_agree(rng: np.random.Generator) -> None:
    engine = Engine(thread_count=2, use_bootstrap=True, insecure_log_n=10)
    assert engine.thread_count == 2
    secret_key = engine.create_secret_key()
    engine.create_relinearization_key(secret_key)
    engine.create_conjugation_key(secret_key)
    message = uniform_square(rng, engine.slot_count)
    a = engine.encrypt(message, secret_key, level=0, bound=1.5).bootstrap(engine.create_bootstrap_key(secret_key))
    assert_claims(a, message, secret_key)


def test_seeded_keys_are_half_as_large_and_compute_the_same(
    deep: Party, bootstrap_key: BootstrapKey, rng: np.random.Generator
) -> None:
    engine = Engine(use_bootstrap=True, insecure_log_n=10, seeded_keys=True)
    assert engine.seeded_keys
    assert "seeded keys" in repr(engine)
    secret_key = engine.create_secret_key()
    keys = (
        engine.create_relinearization_key(secret_key),
        engine.create_conjugation_key(secret_key),
        engine.create_bootstrap_key(secret_key),
    )
    expanded_keys = (deep.relinearization_key, deep.conjugation_key, bootstrap_key)
    for seeded, expanded in zip(keys, expanded_keys, strict=True):
        assert (seeded.is_seeded, expanded.is_seeded) == (True, False)
        assert seeded.serialized_nbytes == expanded.serialized_nbytes
        assert seeded.nbytes <= seeded.serialized_nbytes < 0.51 * expanded.nbytes
        assert repr(seeded).endswith("B, seeded)")
        assert "seeded" not in repr(expanded)
    engine.create_fixed_rotation_key(secret_key, 3)

    message = uniform_square(rng, engine.slot_count)
    refreshed = engine.bootstrap(engine.encrypt(message, secret_key, level=0, bound=1.5), *keys)
    assert_claims(refreshed, message, secret_key)
    assert_claims(refreshed.rotate(3), np.roll(message, 3), secret_key)


def test_masks_of_seeded_keys_may_be_of_aes(deep: Party, rng: np.random.Generator, tmp_path: Path) -> None:
    engine = Engine(use_bootstrap=True, insecure_log_n=10, seeded_keys="aes")
    assert engine.seeded_keys is True
    assert "seeded keys by AES" in repr(engine)
    secret_key = engine.create_secret_key()
    key = engine.create_evaluation_key(secret_key)
    message = uniform_square(rng, engine.slot_count)
    a = engine.encrypt(message, secret_key, level=3, bound=1.5)
    refreshed = a.bootstrap()
    assert_claims(refreshed, message, secret_key, varied=False)
    # Keys in files say it, and serve every engine.
    key.save(tmp_path / "keys")
    other = Engine(use_bootstrap=True, insecure_log_n=10)
    loaded = other.load(tmp_path / "keys")
    again = other.bootstrap(other.load_bytes(a.to_bytes()), loaded)
    secret_there = other.load_bytes(secret_key.to_bytes())
    np.testing.assert_array_equal(other.decrypt(again, secret_there), engine.decrypt(refreshed, secret_key))
    assert "by AES" in repr(pickle.loads(pickle.dumps(engine)))
    assert "by AES" in repr(Engine.from_file(tmp_path / "keys", seeded_keys="aes"))
    with pytest.raises(ParameterError, match="seeded_keys is 'des'"):
        Engine(seeded_keys="des")  # type: ignore[arg-type]


@pytest.mark.full_size
def test_full_size(rng: np.random.Generator) -> None:
    engine = Engine(use_bootstrap=True)
    assert (engine.log_n, engine.slot_count) == (16, 32768)
    assert engine.security_bits >= 128
    secret_key = engine.create_secret_key()
    public_key = engine.create_public_key(secret_key)
    relinearization_key = engine.create_relinearization_key(secret_key)
    conjugation_key = engine.create_conjugation_key(secret_key)
    bootstrap_key = engine.create_bootstrap_key(secret_key, stage_count=3)
    assert bootstrap_key.nbytes <= 4.5e9

    message = uniform_square(rng, engine.slot_count)
    a = engine.encrypt(message, public_key, level=0, bound=1.5)
    refreshed = engine.bootstrap(a, relinearization_key, conjugation_key, bootstrap_key)
    assert refreshed.level >= 10
    error = np.abs(engine.decrypt(refreshed, secret_key) - message)
    print(f"mean {-np.log2(error.mean()):.2f} bits, worst {-np.log2(error.max()):.2f} bits")
    assert -np.log2(error.mean()) >= 23.6  # 24.6 and 22.1 are the README's
    assert -np.log2(error.max()) >= 21

    ones = engine.encrypt(np.tile([1.0, -1.0], 16384), public_key, level=0)
    refreshed = engine.bootstrap(ones, relinearization_key, conjugation_key, bootstrap_key)
    bits = -np.log2(np.abs(engine.decrypt(refreshed, secret_key) - np.tile([1.0, -1.0], 16384)).mean())
    print(f"±1: mean {bits:.2f} bits")
    assert bits >= 17.3  # 18.3 is the README's


def test_prepared_keys(tmp_path: Path) -> None:
    engine = Engine(use_bootstrap=True, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    general = engine.create_relinearization_key(secret_key), engine.create_conjugation_key(secret_key)
    small, rotation_key = engine.create_small_bootstrap_key(secret_key), engine.create_rotation_key(secret_key)
    key = engine.create_bootstrap_key(secret_key, stage_count=4)
    for prepared in (key, small, EvaluationKey([*general, rotation_key, small]), key):
        engine.prepare_bootstrap(prepared)
    engine.prepare_bootstrap(small, stage_count=5)
    a = engine.encrypt([0.5], secret_key, level=0)
    expected = np.zeros(engine.slot_count)
    expected[0] = 0.5
    assert_claims(a.bootstrap(*general, key), expected, secret_key)
    key.save(tmp_path / "key")
    for mapped in (True, False):
        engine.prepare_bootstrap(engine.load(tmp_path / "key", mapped=mapped))

    with pytest.raises(MissingKeyError, match="bootstrap key"):
        engine.prepare_bootstrap(EvaluationKey(general))
    for other in (3, rotation_key):
        with pytest.raises(OperandTypeError, match="bootstrap key is needed"):
            engine.prepare_bootstrap(other)
    with pytest.raises(ParameterError, match="stage_count is 3 and the key was made for 4"):
        engine.prepare_bootstrap(key, stage_count=3)
    with pytest.raises(ParameterError, match="use_bootstrap is False"):
        Engine(max_level=3, insecure_log_n=10).prepare_bootstrap(key)
    with pytest.raises(EngineMismatchError):
        Engine(use_bootstrap=True, insecure_log_n=11).prepare_bootstrap(key)
