"""Encrypted places, exponents, and results that end at the least or the largest integer."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import tfhe
from everlevel.errors import MessageError, MessageTypeError, OperandTypeError
from parties import IntegerParty, integer_party


@pytest.fixture(scope="module")
def party() -> IntegerParty:
    return integer_party()


def encrypted(party: IntegerParty, values: Any) -> Any:
    engine, secret_key = party
    array = np.asarray(values)
    encrypt = {"u": engine.encrypt_uint, "i": engine.encrypt_int, "b": engine.encrypt_bool}[array.dtype.kind]
    return encrypt(array, secret_key)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_elements_at_encrypted_places(count: int, party: IntegerParty, rng: np.random.Generator) -> None:
    x = rng.integers(-(2**15), 2**15, count, dtype=np.int16)
    padded = np.concatenate([x, np.zeros(256 - count, np.int16)])
    a = encrypted(party, x)
    places = np.array([*range(count), count, count + 1, 2 * count + 3, 128, 255], dtype=np.uint8)
    assert_claims(a[encrypted(party, places)], padded[places], party[1])
    for place in (0, count - 1, count, 200):
        found = a[encrypted(party, np.uint8(place))]
        assert (found.shape, type(found)) == ((), tfhe.IntArray)
        assert_claims(found, padded[place], party[1])
        changed, expected = a.copy(), x.copy()
        changed[encrypted(party, np.uint8(place))] = 7
        expected[place : place + 1] = 7
        assert_claims(changed, expected, party[1])
    signed = np.array([-1, -count, 0, count - 1, -count - 1, count, -128, 127], dtype=np.int8)
    right = [x[place] if -count <= place < count else 0 for place in signed]
    assert_claims(a[encrypted(party, signed)], right, party[1])


def test_rows_at_encrypted_places(party: IntegerParty, rng: np.random.Generator) -> None:
    x = rng.integers(0, 256, (5, 2, 3), dtype=np.uint8)
    a, places = encrypted(party, x), np.array([[4, 0], [2, 2]], dtype=np.uint16)
    assert_claims(a[encrypted(party, places)], x[places], party[1])
    assert_claims((a > 99)[encrypted(party, places)], (x > 99)[places], party[1])
    a[encrypted(party, np.int8(-2))] = x[0] + 1
    x[-2] = x[0] + 1
    assert_claims(a, x, party[1])
    # More elements than the width of the place has numbers.
    long = np.arange(300, dtype=np.uint16)
    assert_claims(encrypted(party, long)[encrypted(party, np.array([255, 3], np.uint8))], [255, 3], party[1])
    wide = party[0].encrypt_int([2**200, -5], party[1], width=256)
    assert_claims(wide[party[0].encrypt_uint([1, 0, 2**127], party[1], width=128)], [-5, 2**200, 0], party[1])


def test_places_that_are_refused(party: IntegerParty) -> None:
    engine, secret_key = party
    a = encrypted(party, np.array([1, 2], np.uint8))
    with pytest.raises(OperandTypeError, match="index: the index is an encrypted BoolArray of a UintArray"):
        a[a > 1]
    with pytest.raises(OperandTypeError, match="an encrypted UintArray of a Ciphertext"):
        engine.encrypt([1, 2], secret_key)[a]
    with pytest.raises(MessageError, match="no elements in its first dimension"):
        a[0][a]
    with pytest.raises(MessageError, match="take one encrypted place"):
        a[a] = 3
    with pytest.raises(MessageError, match="take one encrypted place"):
        a[a[0]] = [3, 4]
    assert_claims(a, [1, 2], secret_key)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_results_end_at_the_ends(dtype: Any, party: IntegerParty, rng: np.random.Generator) -> None:
    engine, secret_key = party
    info = np.iinfo(dtype)
    edges = np.array([info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, info.max // 2 + 1], dtype=dtype)
    x, y = (
        np.concatenate([edge.ravel(), rng.integers(info.min, info.max, 60, dtype, True)])
        for edge in np.meshgrid(edges, edges)
    )
    a, b = encrypted(party, x), encrypted(party, y)
    for call, function in [
        (engine.saturating_add, operator.add),
        (engine.saturating_subtract, operator.sub),
        (engine.saturating_multiply, operator.mul),
    ]:
        expected = np.clip(function(x.astype(object), y.astype(object)), info.min, info.max)
        assert_claims(call(a, b), expected, secret_key)
        assert_claims(call(x[-60:], b[-60:]), expected[-60:], secret_key)
        assert_claims(call(a[-60:], y[-60:]), expected[-60:], secret_key)


def test_wide_results_end_at_the_ends(party: IntegerParty) -> None:
    engine, secret_key = party
    top = 2**127 - 1
    a = engine.encrypt_int([top, -top, 5], secret_key, width=128)
    assert_claims(engine.saturating_add(a, a), [top, -top - 1, 10], secret_key)
    assert_claims(engine.saturating_multiply(a[2:], a[:1]), [top], secret_key)
    unsigned = engine.encrypt_uint([2**256 - 1, 3], secret_key, width=256)
    assert_claims(engine.saturating_subtract(unsigned[::-1], unsigned), [0, 2**256 - 4], secret_key)
    wide = engine.encrypt_int([2**200, -(2**200), -(2**255)], secret_key, width=256)
    assert_claims(
        engine.saturating_multiply(wide, [-(2**55), -(2**55), 1]), [-(2**255), 2**255 - 1, -(2**255)], secret_key
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_encrypted_exponents(dtype: Any, party: IntegerParty, rng: np.random.Generator) -> None:
    info = np.iinfo(dtype)
    x = np.concatenate([[0, 1, info.max, 3], rng.integers(info.min, info.max, 8, dtype, True)]).astype(dtype)
    y = np.array([0, 255, 2, 7, 0, 1, 2, 3, 5, 17, 128, 200], dtype=np.uint8)
    expected = [pow(int(p), int(q), 2**info.bits) for p, q in zip(x, y, strict=True)]
    right = np.array(expected, dtype=np.uint64).astype(dtype)
    a, b = encrypted(party, x), encrypted(party, y)
    assert_claims(a**b, right, party[1])
    assert_claims(np.power(a, b), right, party[1])
    assert_claims(x**b, right, party[1])
    with pytest.raises(MessageTypeError, match="power: the base is in the clear"):
        3**b
    with pytest.raises(OperandTypeError, match="power"):
        a ** encrypted(party, np.int8(3))
