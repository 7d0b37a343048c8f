"""Bounds of values: declared or assumed, carried by every operation, refused or warned of where the modulus ends."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import everlevel
from claims import assert_claims
from everlevel import Engine
from everlevel.errors import MessageTypeError, OperandTypeError, ParameterError, RangeError, RangeWarning
from parties import INSECURE_LOG_N, Party


def test_the_modulus_of_level_0_ends_at_512(party: Party) -> None:
    engine, key = party.engine, party.secret_key
    x = engine.encrypt(np.full(engine.slot_count, 30.0), key, level=1, bound=30)
    with pytest.raises(RangeError, match=r"as large as 900, and .* less than 512; .*x\.within\(bound\)") as error:
        x * x
    assert (error.value.bound, round(error.value.room or 0), error.value.level) == (900, 512, 0)
    y = engine.encrypt([300.0], key, level=0, bound=300)
    with pytest.raises(RangeError, match=r"add: .* 600"):
        y + y
    with pytest.raises(RangeError, match="level_down"):
        engine.level_down(engine.encrypt([1000.0], key, level=3, bound=1000), 0)
    assert (y + 200).bound == 500


def test_what_is_assumed_is_warned_of_once_a_line(party: Party) -> None:
    engine, key = party.engine, party.secret_key
    x = engine.encrypt([0.5], key, level=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            x * 400 + x * 200
        x * 400 + x * 300
    assert [(w.category, w.filename) for w in caught] == [(RangeWarning, __file__)] * 2
    strict = Engine(max_level=2, range="error", insecure_log_n=INSECURE_LOG_N)
    x = strict.encrypt([0.5], strict.create_secret_key(), level=0)
    with pytest.raises(RangeError, match="600"):
        x * 400 + x * 200


def test_encryption_refuses_what_exceeds_a_declared_bound(party: Party) -> None:
    engine = party.engine
    values = np.zeros(engine.slot_count + 5)
    values[engine.slot_count + 2] = -41
    with pytest.raises(
        RangeError, match=f"value {engine.slot_count + 2} has size 41, .* 30; declare bound=41"
    ) as error:
        engine.encrypt(values, party.public_key, bound=30)
    assert error.value.size == pytest.approx(41)
    with pytest.warns(RangeWarning, match=r"size 41, and size 1 is assumed .* bound=41"):
        x = engine.encrypt(values, party.public_key)
    assert (x.bound, x.is_bound_declared) == (1, False)
    for wrong in (-1, float("nan"), float("inf"), 1j, "1"):
        with pytest.raises((ParameterError, everlevel.errors.EverlevelError)):
            engine.encrypt([0.5], party.public_key, bound=wrong)  # type: ignore[arg-type]
    with pytest.raises(RangeError, match="encrypt: values may be as large as 1000"):
        engine.encrypt([0.5], party.public_key, level=0, bound=1000)


def test_products_of_undeclared_values_are_found_at_decryption(party: Party) -> None:
    engine, key = party.engine, party.secret_key
    with pytest.warns(RangeWarning, match="size 30, and size 1 is assumed"):
        x = engine.encrypt(np.full(engine.slot_count, 30.0), key, level=1)
    y = x * x
    with pytest.warns(RangeWarning, match="decrypt: a value has size 124"):
        engine.decrypt(y, key)


def test_bounds_go_with_their_values(party: Party, rotation_key: object) -> None:
    engine, key = party.engine, party.secret_key
    a = engine.encrypt([2.0, -1.0], key, bound=2)
    b = engine.encrypt(engine.encode([3.0], bound=3), key)
    table = {
        5: a + b,
        6: a * b,
        4: a * a,
        1: a * 0.5,
        8: a * 4j,
        2: -a,
        2.5: a + np.array([0.5]),
        7: a * np.array([1.0, -3.5]),
        10: np.diag(np.full(2, 5.0)) @ a,
        2.0 + 1e-9: a.rotate(1) + 1e-9,
        0.1 + 2: engine.evaluate_polynomial(a, [0.1, 1.0], party.relinearization_key),
        3: engine.evaluate_chebyshev_polynomial(a * 0.5, [1.0, 0.0, 2.0], party.relinearization_key),
    }
    for bound, result in table.items():
        assert result.bound == pytest.approx(bound)
        assert result.is_bound_declared
    assert not (a + engine.encrypt([0.5], key)).is_bound_declared
    assert engine.assume_bound(a * b, 2.5).bound == 2.5
    assert "bound 6, precision at least " in repr(a * b)
    assert "bound 1 assumed" in repr(engine.encrypt([0.5], key))


def test_bounds_are_kept_in_files_and_pickles(party: Party) -> None:
    a = party.engine.encrypt([2.0], party.secret_key, bound=7)
    for back in (
        pickle.loads(pickle.dumps(a)),
        party.engine.load_bytes(a.to_bytes()),
    ):
        assert (back.bound, back.is_bound_declared) == (7, True)
    engine = Engine(max_level=2, bound=100, range="error", insecure_log_n=INSECURE_LOG_N)
    again = pickle.loads(pickle.dumps(engine))
    key = again.create_secret_key()
    assert again.encrypt([50.0], key).bound == 100
    assert again.encrypt([50.0], key, bound=60).bound == 60


def test_intervals_are_declared(party: Party) -> None:
    engine, key = party.engine, party.secret_key
    x = engine.encrypt([34.0, 71.0, 5.0], key, bound=(0, 130))
    assert (x.interval, x.bound, x.bound_kind, (130 - x).interval) == ((0, 130), 130, "declared", (0, 130))
    assert_claims(x, [34, 71, 5], key, varied=False)
    for back in (pickle.loads(pickle.dumps(x)), engine.load_bytes(x.to_bytes())):
        assert (back.interval, back.bound_kind) == ((0, 130), "declared")
    long = engine.encrypt(np.linspace(1, 2, 700), key, bound=[1, 2])
    assert long.interval == (0, 2)  # where all slots count, zeros follow
    assert engine.encrypt(engine.encode([1.5], bound=(1, 2)), key).interval == (1, 2)
    assert engine.encrypt(engine.encode([1.5]), key, bound=(1, 2)).interval == (1, 2)
    assert Engine(max_level=1, bound=(-1, 3), insecure_log_n=INSECURE_LOG_N)._bound == (-1, 3)
    for values, index, value in (([0.5, -2.0], 1, "-2"), ([131.0, 1.0], 0, "131")):
        with pytest.raises(RangeError, match=rf"value {index} is {value}, and the declared interval is from 0 to 130"):
            engine.encrypt(values, key, bound=(0, 130))
    # Zeros at the end of a message are values of it, and those after it are none.
    with pytest.raises(RangeError, match=r"value 1 is 0, and the declared interval is from 1 to 2; .*bound=\(0, 2\)"):
        engine.encrypt([1.5, 0.0], key, bound=(1, 2))
    with pytest.raises(RangeError, match=r"value 511 is 0, and the declared"):
        engine.encrypt(np.r_[np.ones(511), 0], key, bound=(1, 2))
    with pytest.raises(RangeError, match=r"value 600 is 3, and the declared"):
        engine.encrypt(np.r_[np.ones(600), 3], key, bound=(-4, 2))
    for junk in ((2, 1), (0, np.nan), (0, np.inf), ("a", 1)):
        with pytest.raises(ParameterError, match=r"^encrypt: the values are said to lie from"):
            engine.encrypt([1.0], key, bound=junk)  # type: ignore[arg-type]
    with pytest.raises(MessageTypeError, match=r"^encrypt: bound is \(0.0, 1.0\), where real values lie, and the"):
        engine.encrypt([0.5j], key, bound=(0, 1))


def test_a_false_interval_in_a_file_is_warned_of(party: Party) -> None:
    engine, key = party.engine, party.secret_key
    x = engine.load_bytes(engine.encrypt([0.5, -0.75], key, bound=1).within(0, 0.9).to_bytes())
    assert x.interval == (0, 0.9)
    with pytest.warns(RangeWarning, match=r"a value is -0.75, and the ciphertext's values lie from 0 to 0.9"):
        engine.decrypt(x, key)


def test_functions_are_fitted_on_intervals(party: Party) -> None:
    engine, key = party.engine, party.secret_key
    values = np.linspace(1, 2, 9)
    x = engine.encrypt(values, key, bound=(1, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cases = [(np.log(x), np.log(values)), (1 / x, 1 / values), (2 * values / x, np.full(9, 2.0))]
        cases += [(np.sqrt(x - 0.5), np.sqrt(values - 0.5)), (np.exp(x - x), np.ones(9))]
    for found, expected in cases:
        np.testing.assert_allclose(engine.decrypt(found, key), expected, atol=2**-14)
    for found, (low, high) in ((np.exp(x), (np.e, np.e**2)), (x.mean(), (1, 2)), (x.sum(), (9, 18)), (1 / x, (0.5, 1))):
        assert found.interval is not None
        assert low - 0.2 < found.interval[0] <= low + 1e-4, found
        assert high - 1e-4 < found.interval[1] < high + 0.2, found
    with pytest.raises(ParameterError, match=r"log: values may lie anywhere in \[-1, 0\] by their bound"):
        np.log(x - 2)
    with pytest.raises(OperandTypeError, match=r"divide: the divisor is encrypted.*bound=\(a, b\)"):
        1 / (x - 1.5)


def test_bootstraps_pass_declared_bounds_on(deep: Party, bootstrap_key: everlevel.BootstrapKey) -> None:
    engine, key = deep.engine, deep.secret_key
    keys = deep.relinearization_key, deep.conjugation_key, bootstrap_key
    x = engine.encrypt([1.0, -2.0], key, level=1, bound=2)
    assert engine.bootstrap(x, *keys).bound == 2
    assumed = engine.encrypt([0.5], key, level=1) * 3
    fresh = engine.bootstrap(assumed, *keys)
    assert (fresh.bound, fresh.is_bound_declared) == (1, False)
    with pytest.warns(RangeWarning, match="divide before, and multiply after"):
        engine.bootstrap(engine.encrypt([1.0], key, level=0, bound=50), *keys)
    with pytest.raises(RangeError, match=r"bootstrap: .* 300"):
        engine.bootstrap(engine.encrypt([1.0], key, level=0, bound=300), *keys)
    first, second = engine.merge_bootstrap(x, engine.encrypt([0.5], key, bound=0.5), *keys)
    assert (first.bound, second.bound) == (2, 0.5)


@pytest.mark.parametrize(("level", "bound", "reached"), [(1, 300, 10), (4, 1e6, 13), (3, 150, 13)])
def test_bootstraps_of_large_values_scale_them(
    deep: Party, bootstrap_key: everlevel.BootstrapKey, level: int, bound: float, reached: int
) -> None:
    engine, key = deep.engine, deep.secret_key
    keys = deep.relinearization_key, deep.conjugation_key, bootstrap_key
    values = np.r_[bound, -bound, np.linspace(-1, 1, 9) * bound]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = engine.encrypt(values, key, level=level, bound=bound)
        fresh = engine.bootstrap(x, *keys)
        pair = engine.merge_bootstrap(x, engine.encrypt(values / 2, key, level=level, bound=bound), *keys)
        both = engine.bootstrap_many([x, x], *keys)
    for found, expected in [(fresh, values), (pair[1], values / 2), *((each, values) for each in both)]:
        assert (found.level, found.bound, found.bound_kind) == (reached, bound, "declared")
        assert_claims(found, expected, key, varied=False)
        # The accurate range is that of a thousandth of the bound.
        assert np.abs(engine.decrypt(found, key) - expected).max() < bound / 900
    assert (fresh - x).bound == 0


def test_the_floor_is_a_constant_messages_precision(deep: Party, bootstrap_key: everlevel.BootstrapKey) -> None:
    engine, key = deep.engine, deep.secret_key
    keys = deep.relinearization_key, deep.conjugation_key, bootstrap_key
    for bound, floor in ((1, 17.3), (10, 7.3)):
        x = engine.bootstrap(engine.encrypt(np.full(engine.slot_count, float(bound)), key, level=0, bound=bound), *keys)
        found = assert_claims(x, bound, key, varied=False)
        assert x.precision_floor == pytest.approx(floor, abs=0.2)
        assert -np.log2(np.abs(found - bound).max()) < x.precision_floor + 0.5


def test_data_of_one_sign_are_between_both_figures(deep: Party, bootstrap_key: everlevel.BootstrapKey) -> None:
    engine, key = deep.engine, deep.secret_key
    keys = deep.relinearization_key, deep.conjugation_key, bootstrap_key
    values = np.random.default_rng(1).uniform(0, 1, engine.slot_count)
    x = engine.bootstrap(engine.encrypt(values, key, level=0, bound=1), *keys)
    found = assert_claims(x, values, key, varied=False)
    assert -np.log2(np.abs(found - values).max()) < x.precision_bits - 3
    assert f"precision at least {x.precision_floor:.1f} bits (varied values of mean 0: " in repr(x)


def test_only_zero_is_exact(party: Party) -> None:
    engine, key = party.engine, party.secret_key
    zero = 0 * engine.encrypt([0.5, 0.25], key, slots=True)
    assert "precision exact" in repr(zero)
    for result, plain in ((zero + 0.3, 0.3), (zero + np.full(engine.slot_count, 0.3), 0.3)):
        assert_claims(result, plain, key)
        assert 30 < result.precision_floor <= result.precision_bits < 50


def test_fits_state_the_range_of_their_values(party: Party) -> None:
    engine, key = party.engine, party.secret_key
    fit = everlevel.fit(np.sqrt, 7, (1.0, 9.0))
    y = fit(engine.encrypt([4.0, 9.0], key, bound=9))
    assert y.is_bound_declared
    assert 3 <= y.bound < 4
    assert_claims(y, fit([4.0, 9.0]), key)
    with pytest.warns(RangeWarning, match="as large as 10"):
        assert fit(engine.encrypt([4.0], key, bound=10)).bound_kind == "claimed"


def test_an_estimate_that_says_nothing_is_unknown(deep: Party, bootstrap_key: everlevel.BootstrapKey) -> None:
    """Where the sampled values diverge and the real ones don't, there is no negative number of bits."""
    engine, key = deep.engine, deep.secret_key

    def iterated(x: everlevel.Ciphertext) -> everlevel.Ciphertext:
        while x.level > 1:
            x = 3.7 * (x * (1 - x))
            assert np.isnan(x.precision_bits) or x.precision_bits > 0
        return x

    x = engine.encrypt(np.linspace(0.1, 0.9, engine.slot_count), key)
    with pytest.warns(RangeWarning, match="may be as large as"):
        x = iterated(x)
    assert "unknown" in repr(x)


def test_an_extremum_is_no_larger_than_its_operands(deep: Party) -> None:
    engine = deep.engine
    key = engine.create_evaluation_key(deep.secret_key, bootstrap="lossy", rotations=[-1, -2])
    x, y = (engine.encrypt([0.5, -0.25, 0.75, 0.0], deep.secret_key, bound=bound) for bound in (1, 0.75))
    for result in (engine.minimum(x, y, key), engine.maximum(y, 1.0, key), engine.minimum(0.5, x, key)):
        assert (result.bound, result.is_bound_declared) == (1, True)
    assert engine.max_of_slots(x, key, count=4).bound == 1
