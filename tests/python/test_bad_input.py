"""Mistakes: each its own error, with both values and the next step, before any work is done."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import BootstrapKey, Ciphertext, Engine, EvaluationKey, _native, compat, errors
from parties import Party, new_party, of_1x


@pytest.fixture(scope="module")
def stranger(party: Party) -> Party:
    """Another secret in the same engine."""
    return new_party(party.engine)


@pytest.fixture(scope="module")
def foreigner() -> Party:
    """Another engine, of other parameters."""
    return new_party(Engine(max_level=3, insecure_log_n=10))


@pytest.fixture
def a(party: Party) -> Ciphertext:
    return party.engine.encrypt([1.0, 2.0], party.public_key, bound=2)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ([], errors.MessageError),
        ([1.0, np.nan], errors.MessageError),
        ([np.inf], errors.MessageError),
        (["1"], errors.MessageTypeError),
        ([None], errors.MessageTypeError),
        (np.ones((2, 2, 300)), errors.MessageError),
    ],
)
def test_messages(party: Party, a: Ciphertext, message: Any, kind: type) -> None:
    for call in (
        lambda: party.engine.encrypt(message, party.public_key),
        lambda: party.engine.encode(message),
        lambda: party.engine.add(a, message),
        lambda: party.engine.subtract(message, a),
        lambda: party.engine.multiply(a, message),
    ):
        with pytest.raises(kind, match=";"):
            call()


@pytest.mark.parametrize("level", [-1, 6])
def test_levels_out_of_range(party: Party, a: Ciphertext, level: int) -> None:
    for call in (
        lambda: party.engine.encrypt([1], party.public_key, level=level),
        lambda: party.engine.encode([1], level=level),
        lambda: party.engine.level_down(a, level),
        lambda: party.engine.create_fixed_rotation_key(party.secret_key, 1, level),
        lambda: of_1x(party).create_relinearization_key(party.secret_key, level),
    ):
        with pytest.raises(errors.LevelError, match=str(level)):
            call()


def test_level_0_takes_no_product(party: Party) -> None:
    engine = party.engine
    low = engine.encrypt([1.0], party.public_key, level=0)
    for call in (
        lambda: low * low,
        lambda: engine.multiply(low, low),
        lambda: engine.square(low, party.relinearization_key),
        lambda: 1.5 * low,
        lambda: low * [1.0],
        lambda: low * engine.encode([1.0]),
        lambda: of_1x(party).rescale(low),
        lambda: engine.evaluate_polynomial(low, [1.0, 2.0, 3.0], party.relinearization_key),
        lambda: engine.make_power_basis(low, 2, party.relinearization_key),
    ):
        with pytest.raises(errors.LevelError, match="level") as caught:
            call()
        assert caught.value.level == 0
        assert caught.value.needed is not None
        assert caught.value.needed >= 1
    assert_claims(3 * low + low, [4], party.secret_key)


def test_too_deep_a_polynomial_says_so_at_once(party: Party) -> None:
    shallow = party.engine.encrypt([0.5], party.public_key, level=2)
    with pytest.raises(errors.LevelError):
        party.engine.evaluate_polynomial(shallow, np.ones(20), party.relinearization_key)


def test_secrets_do_not_mix(party: Party, stranger: Party, a: Ciphertext) -> None:
    engine = party.engine
    other = engine.encrypt([1.0], stranger.public_key)
    for call in (
        lambda: a + other,
        lambda: a - other,
        lambda: engine.multiply(a, other),
        lambda: engine.multiply(a, a, stranger.relinearization_key),
        lambda: engine.conjugate(a, stranger.conjugation_key),
        lambda: engine.rotate(a, engine.create_fixed_rotation_key(stranger.secret_key, 1)),
        lambda: engine.decrypt(a, stranger.secret_key),
    ):
        with pytest.raises(errors.KeyMismatchError, match=";"):
            call()


def test_engines_do_not_mix(party: Party, foreigner: Party, a: Ciphertext) -> None:
    engine = party.engine
    other = foreigner.engine.encrypt([1.0], foreigner.public_key)
    for call in (
        lambda: a + other,
        lambda: engine.multiply(other, a),
        lambda: engine.negate(other),
        lambda: engine.encrypt([1.0], foreigner.public_key),
        lambda: engine.encrypt([1.0], foreigner.secret_key),
        lambda: engine.create_public_key(foreigner.secret_key),
        lambda: engine.multiply(a, a, foreigner.relinearization_key),
        lambda: engine.decrypt(a, foreigner.secret_key),
        lambda: engine.decode(foreigner.engine.encode([1.0])),
        lambda: a + foreigner.engine.encode([1.0]),
    ):
        with pytest.raises((errors.EngineMismatchError, errors.KeyMismatchError), match=";"):
            call()


def test_missing_keys_are_named() -> None:
    engine = Engine(max_level=2, insecure_log_n=10)
    a = engine.encrypt([1.0], engine.create_secret_key())
    for call, key in (
        (lambda: a * a, "relinearization key"),
        (lambda: a**2, "relinearization key"),
        (lambda: a.rotate(1), "rotation key"),
        (lambda: a.conjugate(), "conjugation key"),
    ):
        with pytest.raises(errors.MissingKeyError, match=f"no {key} .*; make one with engine.create_") as caught:
            call()
        assert caught.value.key == key


def test_keys_given_once_are_known_to_operators() -> None:
    engine = Engine(max_level=2, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    key = engine.create_relinearization_key(secret_key)
    a = engine.encrypt([1.0], secret_key)
    engine.forget_keys()
    with pytest.raises(errors.MissingKeyError):
        a * a
    engine.square(a, key)
    assert (a * a).level == 1


def test_wrong_kinds_of_arguments(party: Party, a: Ciphertext) -> None:
    engine: Any = party.engine
    for call in (
        lambda: engine.encrypt([1.0], party.relinearization_key),
        lambda: engine.encrypt([1.0]),
        lambda: engine.decrypt(a, party.public_key),
        lambda: engine.decrypt([1.0], party.secret_key),
        lambda: engine.multiply(a, a, party.conjugation_key),
        lambda: engine.add([1.0], [2.0]),
        lambda: engine.rotate(a, party.relinearization_key, 1),
        lambda: engine.rotate(a, engine.create_rotation_key(party.secret_key), 1.5),
        lambda: engine.conjugate(a, 1),
        lambda: engine.level_down(a, "1"),
        lambda: engine.create_public_key(party.public_key),
        lambda: a + object(),
        lambda: a ** "2",
        lambda: bool(a),
    ):
        with pytest.raises(TypeError):
            call()


def test_bad_factors(a: Ciphertext) -> None:
    with pytest.raises(errors.ScaleError, match=r"2\^"):
        a * 10**60
    with pytest.raises(errors.MessageError, match="finite"):
        a * float("nan")
    with pytest.raises(errors.MessageError, match="finite"):
        a + float("inf")
    with pytest.raises(errors.ParameterError, match="exponent"):
        a**0


def test_scales_that_overflow(party: Party) -> None:
    with pytest.raises(errors.ScaleError, match=r"2\^") as caught:
        party.engine.encrypt([1e200], party.public_key)
    assert caught.value.log2_left > caught.value.log2_right
    low = party.engine.encrypt([1.0], party.public_key, level=0)
    with pytest.raises(errors.ScaleError):
        low * 2**60


def test_three_polynomials_are_relinearized_first(party: Party, a: Ciphertext) -> None:
    engine = party.engine
    product = engine.multiply(a, a, relinearize=False)
    for call in (
        lambda: engine.rotate(product, engine.create_rotation_key(party.secret_key), 1),
        lambda: engine.multiply(product, a, party.relinearization_key),
        lambda: engine.square(product),
        lambda: engine.conjugate(product, party.conjugation_key),
    ):
        with pytest.raises(errors.CiphertextFormError, match="3 polynomials and 2") as caught:
            call()
        assert caught.value.polynomial_count == 3


def test_bootstrap_without_its_parameters(party: Party, deep: Party, bootstrap_key: BootstrapKey) -> None:
    a = party.engine.encrypt([1.0], party.public_key, level=0)
    with pytest.raises(errors.ParameterError, match="use_bootstrap=True"):
        party.engine.create_bootstrap_key(party.secret_key)
    with pytest.raises(errors.ParameterError, match="use_bootstrap=True"):
        a.bootstrap(bootstrap_key)


def test_bootstrap_with_wrong_keys(deep: Party, bootstrap_key: BootstrapKey, party: Party) -> None:
    engine: Any = deep.engine
    a = engine.encrypt([1.0], deep.public_key, level=0)
    keys = deep.relinearization_key, deep.conjugation_key
    stranger = new_party(engine)
    with pytest.raises(errors.MissingKeyError, match="knows no bootstrap key"):
        stranger.engine.bootstrap(engine.encrypt([1.0], stranger.public_key, level=0), *keys)
    with pytest.raises(errors.OperandTypeError, match="of type SecretKey is among the keys"):
        engine.bootstrap(a, *keys, deep.secret_key)
    with pytest.raises(errors.OperandTypeError, match="check the order"):
        engine.bootstrap(bootstrap_key, *keys, a)
    with pytest.raises(errors.KeyMismatchError):
        engine.bootstrap(engine.encrypt([1.0], stranger.public_key, level=0), *keys, bootstrap_key)
    with pytest.raises(errors.KeyMismatchError):
        engine.bootstrap(a, stranger.relinearization_key, deep.conjugation_key, bootstrap_key)
    with pytest.raises(errors.EngineMismatchError):
        engine.bootstrap(party.engine.encrypt([1.0], party.public_key), *keys, bootstrap_key)
    assert a.level == 0


@pytest.mark.parametrize("stage_count", [0, 6, 7, -1])
def test_stage_counts(deep: Party, stage_count: int) -> None:
    with pytest.raises(errors.ParameterError, match="stage_count") as caught:
        deep.engine.create_bootstrap_key(deep.secret_key, stage_count=stage_count)
    assert caught.value.value == stage_count


@pytest.mark.parametrize("size", ["small", "huge", None, 3])
def test_bootstrap_key_sizes(deep: Party, size: Any) -> None:
    with pytest.raises(errors.ParameterError, match="'medium' and 'large' are offered"):
        deep.engine.create_bootstrap_key(deep.secret_key, size=size)


def test_secrets_do_not_leak(party: Party) -> None:
    for expose in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(errors.SecretExposureError, match="neither pickled nor copied"):
            expose(party.secret_key)
    assert repr(party.secret_key) == str(party.secret_key) == "SecretKey(hidden)"


def test_masked_values_are_no_numbers(party: Party, a: Ciphertext) -> None:
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    for call in (
        lambda: party.engine.encrypt(masked, party.public_key),
        lambda: a * masked,
        lambda: party.engine.evaluate_polynomial(a, masked, party.relinearization_key),
    ):
        with pytest.raises(errors.MessageError, match=r"index 1 is masked.*filled") as caught:
            call()
        assert caught.value.index == 1
    whole = party.engine.encrypt(np.ma.array([1.0, 2.0]), party.public_key, bound=2)
    assert_claims(whole, [1, 2], party.secret_key)


def test_powers_that_cannot_be(party: Party, a: Ciphertext) -> None:
    for exponent, needed in ((2**5 + 1, 6), (2**62, 62)):
        with pytest.raises(errors.LevelError, match=f"^power: needs level ≥ {needed}, ciphertext is at level 5 of 5"):
            a**exponent
    assert (party.engine.assume_bound(a, 1) ** 32).level == 0
    for exponent in (2**62 + 1, 10**400):
        with pytest.raises(errors.ParameterError, match=r"^power: the exponent is \d+, and powers from 1 to"):
            a**exponent


@pytest.mark.parametrize("value", [None, 3, object(), np.ones(2), np.array([], dtype="M8[D]")])
def test_arguments_of_any_other_type(party: Party, a: Ciphertext, value: Any) -> None:
    engine: Any = party.engine
    for call in (
        lambda: engine.vstack(value),
        lambda: engine.weighted_sum(value, [1.0, 2.0]),
        lambda: EvaluationKey(value),
        lambda: engine.sum(a, axis=value if value is not None else "both"),
        lambda: compat.Engine(mode=value if value is not None else "both"),
        lambda: Engine(precision=value),
        lambda: engine.load_bytes(value),
    ):
        with pytest.raises(errors.EverlevelError, match=";"):
            call()


def test_a_panic_is_an_error_of_ours() -> None:
    with pytest.raises(errors.InternalError, match="internal fault: provoked; please report it"):
        _native.provoke_panic()
