"""Encrypted decimals beside Python's: exact sums and products, roundings, files, and what is refused."""

from __future__ import annotations

import operator
import pickle
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import tfhe
from everlevel.errors import (
    HeaderError,
    MessageError,
    MessageTypeError,
    OperandTypeError,
    ParameterError,
    WidthError,
)
from parties import IntegerParty, integer_party

PRICES = np.array([Decimal(text) for text in ("19.99", "-0.05", "100", "0", "-320.01", "5.25")], dtype=object)
OTHERS = np.array([Decimal(text) for text in ("0.01", "7.5", "-100.00", "0.5", "3", "-5.25")], dtype=object)


@pytest.fixture(scope="module")
def party() -> IntegerParty:
    return integer_party()


@pytest.fixture(scope="module")
def pair(party: IntegerParty) -> tuple[Any, Any]:
    engine, secret_key = party
    return tuple(engine.encrypt_decimal(values, secret_key, width=32) for values in (PRICES, OTHERS))  # type: ignore[return-value]


def test_arithmetic_is_pythons(pair: tuple[Any, Any], party: IntegerParty) -> None:
    a, b = pair
    for function in (operator.add, operator.sub, operator.mul):
        expected = function(PRICES, OTHERS)
        for left, right in [(a, b), (a, OTHERS), (PRICES, b)]:
            found = function(left, right)
            assert type(found) is tfhe.DecimalArray
            assert_claims(found, expected, party[1])
    product = a * b
    assert (product.places, product.width) == (4, 64)
    assert str(party[0].decrypt(product, party[1])[0]) == "0.1999"
    for function in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
        for left, right in [(a, b), (a, OTHERS), (a, "5.25"), (a, 3)]:
            clear = OTHERS if right is b or right is OTHERS else Decimal(right)
            assert_claims(function(left, right), function(PRICES, clear), party[1])
    assert_claims(-a, -PRICES, party[1])
    assert_claims(abs(a), abs(PRICES), party[1])
    assert_claims("1.50" + a, PRICES + Decimal("1.5"), party[1])
    assert_claims(3 - a, 3 - PRICES, party[1])
    assert_claims(a * "1.19", PRICES * Decimal("1.19"), party[1])
    assert_claims(a * Decimal("1e2"), PRICES * 100, party[1])
    assert_claims((a > 5) * a, np.where(PRICES > 5, PRICES, 0), party[1])


@pytest.mark.parametrize("places", [0, 1, 2, 3])
def test_rounding_is_the_banks(places: int, party: IntegerParty) -> None:
    engine, secret_key = party
    values = np.array(
        [Decimal(n) / 1000 for n in (0, 5, 15, 25, 500, 1500, 2500, -5, -15, -25, -500, -1500, 1499, -1501, 9995)]
    )
    x = engine.encrypt_decimal(values, secret_key, places=3, width=16)
    found = round(x, places)
    assert (found.places, found.width) == (places, 16)
    right = [value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN) for value in values]
    assert_claims(found, np.array(right, dtype=object), secret_key)


def test_amounts_of_money(party: IntegerParty) -> None:
    engine, secret_key = party
    prices = engine.encrypt_decimal(["19.99", "5.25", "0.99"], secret_key, width=32)
    counts = engine.encrypt_decimal([3, 1, 12], secret_key, places=0, width=32)
    net = (prices * counts).sum()
    gross = round(net * "1.19", 2)
    assert str(engine.decrypt(net, secret_key)) == "77.10"
    assert str(engine.decrypt(gross, secret_key)) == "91.75"
    assert (gross.width, net.with_width(32).width) == (128, 32)
    for dtype in (np.int32, np.uint32, np.uint8):
        whole = np.array([3, 1, 12], dtype=dtype)
        integers = (engine.encrypt_int if whole.dtype.kind == "i" else engine.encrypt_uint)(whole, secret_key)
        for product in (prices * integers, integers * prices):
            assert str(engine.decrypt(product.sum(), secret_key)) == "77.10"
    with pytest.raises(WidthError, match=r"the decimals have 32 bits and the integers 64; .*with_width\(64\)"):
        prices * engine.encrypt_int([1], secret_key, width=64)


def test_arrays_are_as_others(pair: tuple[Any, Any], party: IntegerParty, tmp_path: Path) -> None:
    engine, secret_key = party
    a, b = pair
    public_key = engine.create_public_key(secret_key)
    a.save(tmp_path / "decimals")
    for found in (
        a.copy(),
        engine.load(tmp_path / "decimals"),
        pickle.loads(pickle.dumps(a)),
        engine.rerandomize(a, public_key),
    ):
        assert repr(found).startswith("DecimalArray(shape (6,), int32 with 2 places, p_fail 2^-")
        assert_claims(found, PRICES, secret_key)
    for function in (np.minimum, np.maximum):
        assert_claims(function(a, b), function(PRICES, OTHERS), secret_key)
        assert_claims(function(a, OTHERS), function(PRICES, OTHERS), secret_key)
    assert_claims(np.where(a > b, a, b), np.where(PRICES > OTHERS, PRICES, OTHERS), secret_key)
    assert_claims(np.where(PRICES > OTHERS, a, "0.5"), np.where(PRICES > OTHERS, PRICES, Decimal("0.5")), secret_key)
    x, table = a.reshape(2, 3), PRICES.reshape(2, 3)
    for name in ("sum", "min", "max"):
        for axis in (None, 0, (0, 1)):
            assert_claims(
                getattr(x, name)(axis, keepdims=True), getattr(np, name)(table, axis, keepdims=True), secret_key
            )
    assert_claims(np.sort(x), np.sort(table), secret_key)
    in_order = x.copy()
    in_order.sort(0)
    assert_claims(in_order, np.sort(table, axis=0), secret_key)
    assert_claims(np.cumsum(x, axis=1), np.cumsum(table, axis=1), secret_key)
    assert_claims(x.argmax(1), [2, 2], secret_key)
    assert_claims(x.argmin(1), [1, 1], secret_key)
    assert_claims(np.concatenate([a, b]), np.concatenate([PRICES, OTHERS]), secret_key)
    changed, expected = a.copy(), PRICES.copy()
    changed[1:3], changed[changed < 0] = b[:2], "0.01"
    expected[1:3] = OTHERS[:2]
    expected[expected < 0] = Decimal("0.01")
    assert_claims(changed, expected, secret_key)
    place = engine.encrypt_uint(np.array([4, 0], np.uint8), secret_key)
    assert_claims(a[place], PRICES[[4, 0]], secret_key)
    assert_claims(a.units, [int(price * 100) for price in PRICES], secret_key)
    assert_claims(a.with_places(4), PRICES, secret_key)


def test_what_is_refused(pair: tuple[Any, Any], party: IntegerParty) -> None:
    engine, secret_key = party
    a, _ = pair
    for value in (0.5, True, None, "x", "nan", Decimal("inf"), [1, 0.5], np.float64(1)):
        with pytest.raises(MessageTypeError, match=r"^encrypt_decimal: .* is no decimal; pass decimal\.Decimal"):
            engine.encrypt_decimal(value, secret_key)
    with pytest.raises(MessageError, match="the value at index 1 has 3 places, and 2 are taken"):
        operator.add(a, ["0.1", "0.123", 0, 0, 0, 0])
    with pytest.raises(
        MessageError, match=r"the value 25000000\.00 is none that 32 bits hold, which are -21474836\.48 to 21474836\.47"
    ):
        engine.encrypt_decimal("25000000", secret_key, width=32)
    for value in ("1e999999999", "1e-999999999"):
        with pytest.raises(MessageError, match="none that 256 bits hold"):
            engine.encrypt_decimal(value, secret_key)
    for options in ({"places": -1}, {"places": 39}, {"width": 24}):
        with pytest.raises(ParameterError, match=r"encrypt_decimal: (places|width)"):
            engine.encrypt_decimal(1, secret_key, **options)
    coarse = engine.encrypt_decimal(1, secret_key, places=1, width=32)
    with pytest.raises(MessageError, match=r"add: the operands have 2 and 1 places; convert one, .*with_places\(2\)"):
        a + coarse
    with pytest.raises(WidthError):
        a + engine.encrypt_decimal(1, secret_key, width=64)
    for other in (a.units, a > 3, engine.encrypt(3, secret_key)):
        with pytest.raises(OperandTypeError, match="DecimalArray is needed"):
            a + other
    for call in (
        lambda: a / 2,
        lambda: a // 2,
        lambda: a + 0.5,
        lambda: a == 0.5,
        lambda: a == {},
        lambda: np.dot(a, a),
    ):
        with pytest.raises((TypeError, MessageTypeError)):
            call()
    wide = engine.encrypt_decimal(1, secret_key, width=256)
    with pytest.raises(WidthError, match=r"multiply: the factors have 256 bits, and 128 .*with_width\(128\)"):
        wide * 2
    for places in (3, -1):
        with pytest.raises(ParameterError, match="round: places"):
            a.round(places)
    with pytest.raises(ParameterError, match="with_places: places"):
        a.with_places(1)
    for text in ("x", "100", "-1", ""):
        with pytest.raises(HeaderError, match="header's places"):
            engine._wrap_stored(a._native, {"shape": "6", "places": text})
