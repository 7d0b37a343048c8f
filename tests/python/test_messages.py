"""Encoding and encryption, there and back."""

from __future__ import annotations

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Engine, errors
from parties import Party


def test_real_stays_real_and_is_padded(party: Party) -> None:
    ciphertext = party.engine.encrypt([1, 2, 3], party.public_key, bound=3)
    values = assert_claims(ciphertext, [1, 2, 3], party.secret_key)
    assert values.dtype == np.float64
    assert values.shape == (party.engine.slot_count,)


def test_complex_stays_complex(party: Party, rng: np.random.Generator) -> None:
    message = rng.uniform(-1, 1, party.engine.slot_count) + 1j * rng.uniform(-1, 1, party.engine.slot_count)
    ciphertext = party.engine.encrypt(message, party.public_key, bound=1.5)
    assert assert_claims(ciphertext, message, party.secret_key).dtype == np.complex128


@pytest.mark.parametrize("level", range(6))
@pytest.mark.parametrize("with_secret", [False, True])
def test_every_level_and_key(party: Party, level: int, with_secret: bool) -> None:
    key = party.secret_key if with_secret else party.public_key
    ciphertext = party.engine.encrypt([0.5, -0.25], key, level=level)
    assert ciphertext.level == level
    assert_claims(ciphertext, [0.5, -0.25], party.secret_key)


def test_the_default_level_is_the_highest(party: Party) -> None:
    assert party.engine.encrypt([1], party.public_key).level == party.engine.max_level == 5


def test_plaintexts(party: Party) -> None:
    engine = party.engine
    plaintext = engine.encode([1.5, 2.5], level=3, bound=2.5)
    assert (plaintext.level, plaintext.slot_count) == (3, engine.slot_count)
    assert repr(plaintext).startswith("Plaintext(level 3, scale 2^")
    np.testing.assert_allclose(engine.decode(plaintext)[:2], [1.5, 2.5], rtol=0, atol=2.0**-30)
    ciphertext = engine.encrypt(plaintext, party.public_key)
    assert ciphertext.level == 3
    assert engine.encrypt(plaintext, party.public_key, level=2).level == 2
    decrypted = engine.decrypt_to_plaintext(ciphertext, party.secret_key)
    np.testing.assert_allclose(engine.decode(decrypted)[:2], [1.5, 2.5], rtol=0, atol=2.0**-ciphertext.precision_floor)
    with pytest.raises(errors.LevelError, match="plaintext is at level 3"):
        engine.encrypt(plaintext, party.public_key, level=4)


@pytest.mark.parametrize("slot_count", [1, 8, 256])
def test_fewer_slots(slot_count: int, rng: np.random.Generator) -> None:
    engine = Engine(max_level=2, slot_count=slot_count, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    message = rng.uniform(-1, 1, slot_count)
    assert engine.slot_count == slot_count
    ciphertext = engine.encrypt(message, secret_key)
    assert ciphertext.slot_count == slot_count
    # One slot's error is no rms.
    assert_claims(ciphertext, message, secret_key, varied=slot_count > 8)


def test_estimated_precision_is_about_right(party: Party, rng: np.random.Generator) -> None:
    message = rng.uniform(-1, 1, party.engine.slot_count)
    ciphertext = party.engine.encrypt(message, party.public_key)
    error = party.engine.decrypt(ciphertext, party.secret_key) - message
    measured = -np.log2(np.sqrt(np.mean(error**2)))
    assert abs(ciphertext.precision_bits - measured) < 2


def test_two_encryptions_differ(party: Party) -> None:
    engine = party.engine
    one, other = (engine.decrypt(engine.encrypt([1.0], party.public_key), party.secret_key) for _ in range(2))
    assert (one != other).any()
