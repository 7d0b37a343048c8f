"""Lossy, sign and merged bootstraps from Python: on a small ring, and once at full size."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from claims import assert_claims
from everlevel import BootstrapKey, Ciphertext, ConjugationKey, Engine, LossyBootstrapKey, RelinearizationKey, errors
from parties import INSECURE_LOG_N, Party, new_party, of_1x

LEVELS = 13
REGULAR_LEVELS_OUT = {3: 10, 4: 9, 5: 8}

Keys = tuple[RelinearizationKey, ConjugationKey, LossyBootstrapKey]

# Scripts for the 1.x interface, whose import line alone is another one.
SETUP = """
from everlevel import Engine

engine = Engine(use_bootstrap=True)
secret_key = engine.create_secret_key()
public_key = engine.create_public_key(secret_key)
relinearization_key = engine.create_relinearization_key(secret_key)
conjugation_key = engine.create_conjugation_key(secret_key)
lossy_bootstrap_key = engine.create_lossy_bootstrap_key(
    secret_key, stage_count=3
)
"""
LOSSY = """
message = [-1, 0, 1]
ciphertext = engine.encrypt(message, public_key, level=3)
bootstrapped = engine.lossy_bootstrap(
    ciphertext, relinearization_key, conjugation_key, lossy_bootstrap_key
)
"""
SIGN = """
message = [-1, 1]
ciphertext = engine.encrypt(message, public_key, level=3)
bootstrapped = engine.sign_bootstrap(
    ciphertext, relinearization_key, conjugation_key, lossy_bootstrap_key
)
"""
LOSSY_FROM_LEVEL_0 = LOSSY.replace("level=3", "level=0")


@pytest.fixture(scope="module")
def lossy_key(deep: Party) -> LossyBootstrapKey:
    return deep.engine.create_lossy_bootstrap_key(deep.secret_key)


@pytest.fixture
def keys(deep: Party, lossy_key: LossyBootstrapKey) -> Keys:
    return deep.relinearization_key, deep.conjugation_key, lossy_key


def uniform(rng: np.random.Generator, party: Party) -> np.ndarray:
    return rng.uniform(-1, 1, party.engine.slot_count)


def encrypt(party: Party, values: Any, level: int = 3, bound: float | None = None) -> Ciphertext:
    return party.engine.encrypt(values, party.public_key, level=level, bound=bound)


# Scripts of 1.x.


def run(*parts: str, small: bool = False) -> dict[str, Any]:
    names: dict[str, Any] = {}
    ring = f"use_bootstrap=True, insecure_log_n={INSECURE_LOG_N}" if small else "use_bootstrap=True"
    for part in parts:
        exec(part.replace("use_bootstrap=True", ring), names)
    return names


def check_lossy(names: dict[str, Any]) -> None:
    assert names["bootstrapped"].level == LEVELS
    assert_claims(names["bootstrapped"], names["message"], names["secret_key"])


def check_sign(names: dict[str, Any]) -> None:
    assert names["bootstrapped"].level == LEVELS
    # Padding is no sign.
    assert_claims(names["bootstrapped"], names["message"], names["secret_key"], varied=False)


def check_level_0(names: dict[str, Any]) -> None:
    assert names["bootstrapped"].level == REGULAR_LEVELS_OUT[3]
    assert_claims(names["bootstrapped"], names["message"], names["secret_key"])


def test_scripts_of_1x() -> None:
    check_lossy(run(SETUP, LOSSY, small=True))
    check_sign(run(SETUP, SIGN, small=True))
    with pytest.warns(errors.LevelWarning):
        check_level_0(run(SETUP, LOSSY_FROM_LEVEL_0, small=True))


@pytest.mark.full_size
@pytest.mark.slow
def test_scripts_of_1x_at_full_size() -> None:
    names = run(SETUP)
    assert names["engine"].log_n == 16
    assert names["engine"].security_bits >= 128
    for snippet, check in ((LOSSY, check_lossy), (SIGN, check_sign)):
        exec(snippet, names)
        check(names)
    with pytest.warns(errors.LevelWarning):
        exec(LOSSY_FROM_LEVEL_0, names)
    check_level_0(names)


# Keys.


@pytest.mark.parametrize("size", ["medium", "large"])
@pytest.mark.parametrize("stage_count", [3, 4, 5])
def test_keys(deep: Party, rng: np.random.Generator, stage_count: int, size: str) -> None:
    key = deep.engine.create_lossy_bootstrap_key(deep.secret_key, stage_count, size)
    assert (key.stage_count, key.size) == (stage_count, size)
    assert repr(key).startswith(f"LossyBootstrapKey(stage_count {stage_count}, {size}, ")
    assert key.nbytes > key.serialized_nbytes > 0
    message = uniform(rng, deep)
    out = encrypt(deep, message, stage_count).lossy_bootstrap(key)
    assert out.level == LEVELS
    assert_claims(out, message, deep.secret_key)


def test_a_lossy_key_is_a_bootstrap_key(deep: Party, keys: Keys, rng: np.random.Generator) -> None:
    assert isinstance(keys[2], BootstrapKey)
    message = uniform(rng, deep)
    for level, level_out in ((5, LEVELS), (2, REGULAR_LEVELS_OUT[3])):
        a = encrypt(deep, message, level=level)
        for out in (deep.engine.bootstrap(a, *keys), a.bootstrap(keys[2])):
            assert out.level == level_out
            assert_claims(out, message, deep.secret_key)


def test_merge_keys_are_bootstrap_keys(deep: Party, rng: np.random.Generator) -> None:
    key = of_1x(deep).create_merge_bootstrap_key(deep.secret_key, stage_count=5)
    assert type(key) is BootstrapKey
    message = uniform(rng, deep)
    assert_claims(encrypt(deep, message).bootstrap(key), message, deep.secret_key)


@pytest.mark.parametrize("name", ["create_lossy_bootstrap_key", "create_bootstrap_key"])
def test_options_of_keys_are_checked(deep: Party, party: Party, name: str) -> None:
    create = getattr(deep.engine, name)
    with pytest.raises(errors.ParameterError, match=f"^{name}: stage_count is 6, and 1, 2, 3, 4, 5 can be") as caught:
        create(deep.secret_key, 6)
    assert (caught.value.option, caught.value.value) == ("stage_count", 6)
    with pytest.raises(errors.ParameterError, match=f"^{name}: size is 'small'"):
        create(deep.secret_key, size="small")
    with pytest.raises(errors.ParameterError, match=f"^{name}: use_bootstrap is False"):
        getattr(party.engine, name)(party.secret_key)
    with pytest.raises(errors.OperandTypeError):
        create(deep.public_key)


# Real and imaginary parts.


def test_the_wrapper_says_which_parts_there_are(deep: Party, keys: Keys, rng: np.random.Generator) -> None:
    engine = deep.engine
    message = uniform(rng, deep) + 1j * uniform(rng, deep)
    for bootstrap, values in ((engine.lossy_bootstrap, message), (engine.sign_bootstrap, np.sign(message.real) * 1j)):
        real, whole = encrypt(deep, values.imag), encrypt(deep, values, bound=np.abs(values).max())
        assert bootstrap(real, *keys).is_real
        assert_claims(bootstrap(real, *keys), values.imag, deep.secret_key)
        assert_claims(bootstrap(real, *keys, real_only=False), values.imag, deep.secret_key)
        out = bootstrap(whole, *keys)
        assert not out.is_real
        # Real parts that are 0 are no signs.
        assert_claims(out, values, deep.secret_key, varied=bool(values.real.any()))


@pytest.mark.parametrize("level", [0, 3])
def test_real_only_drops_imaginary_parts(deep: Party, keys: Keys, rng: np.random.Generator, level: int) -> None:
    message = uniform(rng, deep) + 1j * uniform(rng, deep)
    # At level 0 it is a regular one.
    with pytest.warns(errors.LevelWarning, match="begins at level 3") if level == 0 else nullcontext():
        out = deep.engine.lossy_bootstrap(encrypt(deep, message, level, bound=1.5), *keys, real_only=True)
    assert out.is_real
    assert_claims(out, message.real, deep.secret_key)
    # The imaginary parts aren't hidden; they are gone.
    assert_claims(out * out, message.real**2, deep.secret_key)


def test_sign_real_only(deep: Party, keys: Keys) -> None:
    out = encrypt(deep, [1 - 1j, -1 + 1j], bound=1.5).sign_bootstrap(keys[2], real_only=True)
    assert_claims(out * out, [1.0, 1.0], deep.secret_key, varied=False)
    assert_claims(out, [1.0, -1.0], deep.secret_key, varied=False)


def test_sign_squares_errors(deep: Party, keys: Keys, rng: np.random.Generator) -> None:
    signs = np.sign(uniform(rng, deep))
    out = encrypt(deep, signs * (1 + 2**-8), level=6, bound=1.25).sign_bootstrap(keys[2])
    error = np.abs(deep.engine.decrypt(out, deep.secret_key) - signs)
    assert error.mean() == pytest.approx(np.pi**2 / 8 * 2**-16, rel=0.01)


# Merged bootstraps.


def merging(party: Party, kind: str) -> Any:
    """Return the merged bootstrap of a method, by its name of 1.x."""
    method = kind.partition("merge")[0][:-1] or "regular"
    return functools.partial(party.engine.merge_bootstrap, method=cast(Any, method))


@pytest.mark.parametrize("kind", ["merge_bootstrap", "lossy_merge_bootstrap", "sign_merge_bootstrap"])
def test_merged(deep: Party, keys: Keys, rng: np.random.Generator, kind: str) -> None:
    merge = merging(deep, kind)
    messages = [uniform(rng, deep), uniform(rng, deep)]
    if kind == "sign_merge_bootstrap":
        messages = [np.sign(message) for message in messages]
    outs = merge(encrypt(deep, messages[0], level=3), encrypt(deep, messages[1], level=5), *keys)
    assert isinstance(outs, tuple)
    for out, message in zip(outs, messages, strict=True):
        assert out.is_real
        assert out.level == LEVELS
        assert_claims(out, message, deep.secret_key)


def test_a_regular_key_merges(deep: Party, bootstrap_key: BootstrapKey) -> None:
    regular = deep.relinearization_key, deep.conjugation_key, bootstrap_key
    a, b = encrypt(deep, [0.5], level=0), encrypt(deep, [-0.25], level=2)
    for out, message in zip(deep.engine.merge_bootstrap(a, b, *regular), ([0.5], [-0.25]), strict=True):
        assert_claims(out, message, deep.secret_key)


@pytest.mark.parametrize("kind", ["merge_bootstrap", "lossy_merge_bootstrap", "sign_merge_bootstrap"])
def test_complex_ciphertexts_are_not_merged(deep: Party, party: Party, keys: Keys, kind: str) -> None:
    merge = merging(deep, kind)
    real, whole = encrypt(deep, [1.0]), encrypt(deep, [1j])
    for pair, words, culprit in (
        ((real, whole), ["real", "complex"], "ciphertext2"),
        ((whole, real), ["complex", "real"], "ciphertext1"),
        ((whole, whole), ["complex", "complex"], "ciphertext1"),
    ):
        sentence = f"^{kind}: ciphertext1 is {words[0]} and ciphertext2 is {words[1]}, and two real ones are needed; "
        with pytest.raises(errors.OperandTypeError, match=sentence) as caught:
            merge(*pair, *keys)
        assert (caught.value.argument, caught.value.actual) == (culprit, " and ".join(words))
    product = deep.engine.multiply(real, real, relinearize=False)
    with pytest.raises(errors.CiphertextFormError):
        merge(real, product, *keys)
    stranger = new_party(deep.engine)
    with pytest.raises(errors.KeyMismatchError):
        merge(real, encrypt(stranger, [1.0]), *keys)
    with pytest.raises(errors.ParameterError, match="use_bootstrap"):
        merging(party, kind)(real, real, *keys)


# Levels.


@pytest.mark.parametrize("level", [0, 2])
def test_below_its_level_a_lossy_bootstrap_is_regular_and_says_so(deep: Party, keys: Keys, level: int) -> None:
    a = encrypt(deep, [0.5], level)
    sentence = (
        rf"^lossy_bootstrap: the ciphertext is at level {level} and the lossy order begins at level 3; "
        r"this is a regular bootstrap, to level 10 and not 13"
    )
    calls: list[Callable[[], Ciphertext]] = [
        lambda: deep.engine.lossy_bootstrap(a, *keys),
        lambda: a.lossy_bootstrap(keys[2]),
    ]
    for call in calls:
        with pytest.warns(errors.LevelWarning, match=sentence) as caught:
            out = call()
        warning = caught[0].message
        assert isinstance(warning, errors.LevelWarning)
        assert (warning.level, warning.needed, warning.level_out, warning.usual_level_out) == (level, 3, 10, 13)
        assert caught[0].filename == __file__
        assert out.level == warning.level_out
        assert_claims(out, [0.5], deep.secret_key)


def test_merged_ciphertexts_below_the_level(deep: Party, keys: Keys) -> None:
    a, b = encrypt(deep, [0.5], 1), encrypt(deep, [0.25], 7)
    with pytest.warns(errors.LevelWarning, match=r"^lossy_merge_bootstrap: the ciphertext is at level 1"):
        outs = deep.engine.merge_bootstrap(a, b, *keys, method="lossy")
    for out, message in zip(outs, ([0.5], [0.25]), strict=True):
        assert out.level == REGULAR_LEVELS_OUT[3]
        assert_claims(out, message, deep.secret_key)


def test_no_warning_at_its_level(deep: Party, keys: Keys) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        deep.engine.lossy_bootstrap(encrypt(deep, [1.0]), *keys)
        a = encrypt(deep, [0.5], level=0)
        deep.engine.bootstrap(a, *keys)
        with pytest.raises(errors.LevelWarning):
            deep.engine.lossy_bootstrap(a, *keys)


def test_signs_need_their_level(deep: Party, keys: Keys) -> None:
    low = encrypt(deep, [1.0], level=2)
    for call in (
        lambda: deep.engine.sign_bootstrap(low, *keys),
        lambda: deep.engine.merge_bootstrap(low, encrypt(deep, [1.0]), *keys, method="sign"),
    ):
        with pytest.raises(errors.LevelError, match="level") as caught:
            call()
        assert (caught.value.level, caught.value.needed) == (2, 3)


# Wrong keys.


def test_wrong_kinds_of_keys(deep: Party, keys: Keys) -> None:
    engine, a = deep.engine, encrypt(deep, [1.0])
    regular: Any = (*keys[:2], of_1x(deep).create_bootstrap_key(deep.secret_key))
    for name, operands in (
        ("lossy_bootstrap", (a,)),
        ("sign_bootstrap", (a,)),
        ("lossy_merge_bootstrap", (a, a)),
        ("sign_merge_bootstrap", (a, a)),
    ):
        bootstrap: Any = merging(deep, name) if "merge" in name else getattr(engine, name)
        sentence = rf"^{name}: .* for regular bootstraps, .*engine\.create_lossy_bootstrap_key"
        with pytest.raises(errors.KeyMismatchError, match=sentence) as caught:
            bootstrap(*operands, *regular)
        error = caught.value
        assert (error.key, error.expected, error.actual) == ("bootstrap key", "lossy", "regular")
        with pytest.raises(errors.OperandTypeError, match="two relinearization keys"):
            bootstrap(*operands, *keys, deep.engine.create_relinearization_key(deep.secret_key))
        with pytest.raises(errors.OperandTypeError, match="type SecretKey is among the keys"):
            bootstrap(*operands, *keys[:2], deep.secret_key)
    # A regular key below the level: the kind is wrong, and no warning hides it.
    low: Any = encrypt(deep, [1.0], level=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(errors.KeyMismatchError):
            low.lossy_bootstrap(regular[2])


def test_keys_of_another_secret(deep: Party, keys: Keys) -> None:
    stranger = new_party(deep.engine)
    foreign = deep.engine.create_lossy_bootstrap_key(stranger.secret_key)
    with pytest.raises(errors.KeyMismatchError, match="bootstrap key"):
        deep.engine.lossy_bootstrap(encrypt(deep, [1.0]), *keys[:2], foreign)
    with pytest.raises(errors.KeyMismatchError):
        deep.engine.sign_bootstrap(encrypt(stranger, [1.0]), *keys)


def test_methods_of_ciphertexts_need_the_engines_keys(lossy_key: LossyBootstrapKey) -> None:
    engine = Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N)
    a = engine.encrypt([1.0], engine.create_secret_key(), level=3)
    for call in (a.lossy_bootstrap, a.sign_bootstrap):
        with pytest.raises(errors.MissingKeyError, match=f"^{call.__name__}: .*relinearization"):
            call(lossy_key)


@pytest.mark.parametrize(
    ("slot_count", "stage_count"), [(1, 1), (2, 1), (32, 1), (32, 2), (128, 1), (128, 2), (128, 3)]
)
def test_sparse_bootstraps_follow_the_snippet_of_the_seeds(slot_count: int, stage_count: int) -> None:
    engine = Engine(slot_count=slot_count, use_bootstrap=True, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    public_key = engine.create_public_key(secret_key)
    relinearization_key = engine.create_relinearization_key(secret_key)
    conjugation_key = engine.create_conjugation_key(secret_key)
    bootstrap_key = engine.create_bootstrap_key(secret_key, stage_count=stage_count)
    message = ([-1, 0, 1, 0] * slot_count)[:slot_count]
    ciphertext = engine.encrypt(message, public_key, level=0)
    bootstrapped = engine.bootstrap(ciphertext, relinearization_key, conjugation_key, bootstrap_key)
    assert bootstrapped.level == 13 - stage_count
    assert_claims(bootstrapped, message, secret_key, varied=False)


@pytest.mark.parametrize(("slot_count", "stage_count"), [(1, 1), (2, 1), (4, 2), (8, 3), (512, 3)])
def test_a_stage_count_that_is_left_out_is_3_or_the_nearest(slot_count: int, stage_count: int) -> None:
    engine = Engine(slot_count=slot_count, use_bootstrap=True, auto_bootstrap=True, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    assert engine.create_lossy_bootstrap_key(secret_key).stage_count == stage_count
    key = engine.create_evaluation_key(secret_key)
    assert key.bootstrap_key.stage_count == stage_count
    values = np.linspace(-1, 1, slot_count)
    a = engine.encrypt(values, secret_key, level=0)
    small = engine.create_small_bootstrap_key(secret_key), engine.create_rotation_key(secret_key)
    for refreshed in (a.bootstrap(), engine.bootstrap(a, *small)):
        assert refreshed.level == 13 - stage_count
        assert_claims(refreshed, values, secret_key, varied=slot_count == 512)
    engine.forget_keys()
    engine.use(engine.create_evaluation_key(secret_key, bootstrap="small"))
    assert (a * a).level == 13 - stage_count - 1
    assert engine.plan_sign().levels == engine.plan_sign(stage_count=stage_count).levels


def test_lossy_keys_come_back_from_files_as_lossy_keys(tmp_path: Path) -> None:
    engine = Engine(use_bootstrap=True, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    key = engine.create_lossy_bootstrap_key(secret_key, stage_count=3)
    path = tmp_path / "lossy.key"
    key.save(path)
    assert type(engine.load(path)) is LossyBootstrapKey
