"""Claims that were false: bounds and errors of complex signs, short vectors, complex series, matrices and edges."""

from __future__ import annotations

import pickle
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import everlevel
from claims import assert_claims
from everlevel import BootstrapKey, Engine
from everlevel.ckks import limbs
from everlevel.errors import RangeError, RangeWarning, ScaleError
from parties import INSECURE_LOG_N, Party, keyed_party, new_party

LEVELS = 8


@pytest.fixture(scope="module")
def wide() -> Party:
    """Eight levels, whose engine knows its keys."""
    return keyed_party(Engine(max_level=LEVELS, insecure_log_n=INSECURE_LOG_N))


# Complex signs.


@pytest.mark.filterwarnings("error")
def test_signs_of_both_parts_are_as_large_as_the_root_of_two(deep: Party, bootstrap_key: BootstrapKey) -> None:
    engine = deep.engine
    lossy = engine.create_lossy_bootstrap_key(deep.secret_key, stage_count=3)
    keys = (deep.relinearization_key, deep.conjugation_key, lossy)
    signs = np.resize([1 + 1j, 1 - 1j, -1 + 1j, -1 - 1j], engine.slot_count)
    x = engine.encrypt(signs, deep.secret_key, level=5, bound=np.sqrt(2))
    out = engine.sign_bootstrap(x, *keys)
    assert out.bound == pytest.approx(np.sqrt(2))
    assert_claims(out, signs, deep.secret_key)
    with pytest.raises(RangeError, match="707"):
        500 * engine.level_down(out, 0)
    # A sign of a number that is none is larger than the number: half becomes 0.7.
    half = engine.encrypt(np.full(engine.slot_count, 0.5), deep.secret_key, level=5, bound=0.5)
    for part in engine.merge_bootstrap(half, half, *keys, method="sign"):
        assert part.bound == 1
        assert_claims(part, np.sqrt(0.5), deep.secret_key, varied=False)


# Rotations.


@pytest.mark.parametrize(("log_n", "delta"), [(10, 3), (11, 6), (12, -509)])
def test_a_rotation_by_the_samples_length_is_no_identity(log_n: int, delta: int) -> None:
    # A bootstrap's errors don't cancel in the difference of two slots, and the sample's do where it isn't moved.
    party = new_party(Engine(use_bootstrap=True, insecure_log_n=log_n))
    engine, values = party.engine, np.random.default_rng(1).uniform(-1, 1, 1 << (log_n - 1))
    engine.create_evaluation_key(party.secret_key, rotations=[delta])
    x = engine.bootstrap(engine.encrypt(values, party.secret_key, level=0))
    assert_claims(x - x.rotate(delta), values - np.roll(values, delta), party.secret_key)


# Short vectors, and intervals without 0.


def test_a_fit_that_explodes_at_zero_is_refused_for_short_vectors_alone(wide: Party) -> None:
    engine, key = wide.engine, wide.secret_key
    log = everlevel.fit(np.log, 63, (1, 2))
    with pytest.raises(RangeError, match=r"slots|as large as"):
        log(engine.encrypt([1.2, 1.5, 1.9], key, bound=2, slots=True))
    full = np.random.default_rng(1).uniform(1, 2, engine.slot_count)
    y = log(engine.encrypt(full, key, bound=2))
    assert y.bound_kind == "claimed"
    assert_claims(y, np.log(full), key)


def test_parts_that_explode_at_padding_are_refused_with_the_next_step() -> None:
    party = new_party(Engine(max_level=6, insecure_log_n=INSECURE_LOG_N))
    engine = party.engine
    engine.create_evaluation_key(party.secret_key)
    # A small value of large parts: T_32(9) has 2^132.
    far = everlevel.fit(lambda t: 1 / (t - 3.9), 31, (4, 4.5))
    with pytest.raises(RangeError, match=rf"encrypt as many values as there are slots, {engine.slot_count}"):
        far(engine.encrypt([4.2], party.secret_key, bound=4.5, slots=True))


@pytest.mark.filterwarnings("error")
def test_small_padding_is_no_reason_to_refuse(wide: Party) -> None:
    engine, key = wide.engine, wide.secret_key
    log = everlevel.fit(np.log, 15, (1, 2))
    values = np.array([1.2, 1.5, 1.9])
    short = log(engine.encrypt(values, key, bound=2, slots=True))
    # The library's zeros are beyond the fit's bound, and the claims are those of every slot.
    everywhere = np.r_[log(values), np.full(engine.slot_count - 3, log(0.0))]
    found = assert_claims(short, everywhere, wide.secret_key)
    np.testing.assert_allclose(found[:3], np.log(values), atol=1e-5)
    # Nothing is left of padding in sums of all slots.
    full = engine.encrypt(values, key, bound=2, slots=True).sum()
    assert log(engine.assume_bound(full * 0.25, 2)).bound < 1


@pytest.mark.parametrize("how", ["add", "rotate", "mask", "matrix", "product", "file", "pickle", "plain"])
def test_padding_is_known_after_every_operation(wide: Party, how: str, tmp_path: object) -> None:
    engine, key = wide.engine, wide.secret_key
    slots = engine.slot_count
    values = np.array([1.2, 1.5, 1.9])
    x, full = engine.encrypt(values, key, bound=2, slots=True), engine.encrypt(np.full(slots, 1.5), key, bound=2)
    made = {
        "add": lambda: x + x * 0.25 - x * 0.25,
        "rotate": lambda: x.rotate(5),
        "mask": lambda: full * np.array([1.0, 1.0]),
        "matrix": lambda: np.ones((3, 4)) * 0.25 @ full,
        "product": lambda: engine.assume_bound(full * x * (2 / 3), 2),
        "file": lambda: _through_file(engine, x, tmp_path),
        "pickle": lambda: pickle.loads(pickle.dumps(x)),
        "plain": lambda: engine.encrypt(engine.encode(values, bound=2, slots=True), key),
    }[how]()
    made = engine.assume_bound(made, 2)
    log = everlevel.fit(np.log, 15, (1, 2))
    assert log(made).bound == pytest.approx(abs(log(0.0)), rel=1e-3)
    # A number moves the padding into the interval.
    assert log(engine.assume_bound(made + 1.5, 2)).bound < 1


def _through_file(engine: Engine, x: everlevel.Ciphertext, folder: object) -> everlevel.Ciphertext:
    path = f"{folder}/x"
    x.save(path)
    return engine.load(path)  # type: ignore[return-value]


def test_values_outside_of_a_fits_interval_are_warned_of(wide: Party) -> None:
    engine, key = wide.engine, wide.secret_key
    inverse = everlevel.fit(lambda t: 1 / t, 15, (1, 2))
    y = inverse(engine.encrypt(np.full(engine.slot_count, -2.0), key, bound=2))
    assert y.bound_kind == "claimed"
    assert "claimed" in repr(y)
    with pytest.warns(RangeWarning, match="bound"):
        engine.decrypt(y, key)
    with pytest.warns(
        RangeWarning, match=r"as large as 4, .* is \[1.0, 2.0\], which is taken as a claim: .*within\(1, 2"
    ):
        y = inverse(engine.encrypt([1.25], key, bound=4))
    assert y.bound_kind == "claimed"
    assert_claims(y, inverse([1.25]), key, varied=False)
    strict = keyed_party(Engine(max_level=5, range="error", insecure_log_n=INSECURE_LOG_N))
    with pytest.raises(RangeError, match=r"as large as 4, and the fit's interval is \[1.0, 2.0\]; .*within\(1, 2\)"):
        inverse(strict.engine.encrypt([1.25], strict.secret_key, bound=4))
    # The reason is the one that holds: values below the interval aren't too large for it.
    with pytest.raises(RangeError, match=r"lie from -0.5 to 0.5, and the fit's interval \[1.0, 2.0\] has none of them"):
        inverse(engine.encrypt([0.5], key, bound=0.5))


def test_values_outside_of_a_claimed_interval_are_warned_of(wide: Party) -> None:
    x = wide.engine.encrypt([0.5, -0.75, 0.25], wide.secret_key, bound=1)
    assert x.within(-0.8, 0.6).interval == (-0.8, 0.6)
    assert_claims(x.within(-0.8, 0.6), [0.5, -0.75, 0.25], wide.secret_key, varied=False)
    with pytest.warns(RangeWarning, match=r"a value is -0.75, and the ciphertext's values lie from 0 to 0.9"):
        wide.engine.decrypt(x.within(0, 0.9), wide.secret_key)


def test_intervals_know_what_operands_have_in_common(wide: Party) -> None:
    engine, key = wide.engine, wide.secret_key
    engine.create_rotation_key(key)
    a, b = np.random.default_rng(3).uniform(-1, 3, (2, engine.slot_count))
    x, y = (engine.encrypt(values, key, bound=3).within(-1, 3) for values in (a, b))
    table = [
        (x - x, 0 * a, 0, 0),
        (x * x, a * a, 0, 9),
        (0.25 * x + 0.75 * y, 0.25 * a + 0.75 * b, -1, 3),
        ((x + y) - y.rotate(3).rotate(-3), a, -1, 3),
        (x.mean(), np.full_like(a, a.mean()), -1, 3),
        (x - x.mean(), a - a.mean(), -4, 4),
        ((x - x.mean()).mean(), 0 * a, 0, 0),
        (x * y - x * y, 0 * a, -24, 24),
        (engine.evaluate_polynomial(x, [0, 1, -0.5]), a - a * a / 2, -1.5, 0.5),
        (x * (2 - x), a * (2 - a), -3, 4),
    ]
    for found, values, low, high in table:
        assert_claims(found, values, key, varied=False)
        least, most = found.interval or (0, 0)
        assert max(low - least, most - high) <= 0.01, (found.interval, low, high)
    product = x * y
    assert (product - product).bound == 0
    back = pickle.loads(pickle.dumps(x))
    assert (back.interval, (back - back).bound, (back - x).interval) == ((-1, 3), 0, (-4, 4))


def test_padding_outside_of_a_fits_interval_has_the_noise_of_large_elements(wide: Party) -> None:
    # A function that is nearly of degree 1, whose fit has small coefficients beyond: T_8 of the padding, 70 here,
    # multiplies the roundings of a part all the same.
    def nearly_linear(t: Any) -> Any:
        return 0.1 * np.expm1(t) - t

    engine, key = wide.engine, wide.secret_key
    line = everlevel.fit(nearly_linear, 15, (0.09, 1.0))
    y = line(engine.encrypt([1.0], key, bound=1, slots=True))
    found = engine.decrypt(y, key)
    assert np.abs(found[1:]).max() > 2**-27, "large elements had no noise"
    assert_claims(y, [nearly_linear(1.0)], key)


def test_a_bound_within_the_interval_needs_no_claim(wide: Party) -> None:
    sigmoid = everlevel.fit(lambda t: 1 / (1 + np.exp(-t)), 15, (-8, 8))
    y = sigmoid(wide.engine.encrypt([1.0, 2.0], wide.secret_key, bound=8))
    assert y.bound_kind == "declared"


# Chebyshev series of complex values.


def test_chebyshev_series_of_complex_values_have_the_bound_of_a_disc(wide: Party) -> None:
    engine, key = wide.engine, wide.secret_key
    x = engine.encrypt(np.full(engine.slot_count, 1j), key, bound=1)
    series = [0.0] * 15 + [500.0]
    y = engine.evaluate_chebyshev_polynomial(x, series)
    true = np.polynomial.chebyshev.chebval(1j, series)
    assert abs(true) > 1.3e8
    assert_claims(y, true, key)
    real = engine.evaluate_chebyshev_polynomial(engine.encrypt([1.0], key, bound=1), series)
    assert real.bound == 500
    # Real values that became complex ones have a disc's bound, too, also from files of vectors that say so.
    turned = engine.evaluate_chebyshev_polynomial(1j * engine.encrypt([1.0], key, bound=1), series)
    assert turned.bound > 1.3e8


def test_limbs_know_complex_values_too() -> None:
    engine = limbs.Engine(insecure_log_n=10)
    key = engine.create_secret_key()
    engine.create_evaluation_key(key)
    x = engine.encrypt(np.full(8, 1j), key)
    series = [0.0] * 7 + [100.0]
    y = engine.evaluate_chebyshev_polynomial(x, series)
    true = abs(np.polynomial.chebyshev.chebval(1j, series))
    assert y.bound >= true > 2e4
    # Values that aren't in [-1, 1] in spite of their bound.
    bent = engine.evaluate_chebyshev_polynomial(engine.encrypt([1.0], key), series)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        engine.decrypt(bent, key)


# Products with matrices.


def test_the_rounding_of_a_matrix_is_an_error(wide: Party) -> None:
    engine, key = wide.engine, wide.secret_key
    x = engine.encrypt([2.0**37], key, level=3, bound=2.0**38)
    y = np.array([[0.1]]) @ x
    found = assert_claims(y, [0.1 * 2.0**37], key)
    assert abs(found[0] - 0.1 * 2.0**37) <= 2 * 2**-y.precision_bits
    assert 2**-y.precision_floor > 1e-3
    salaries = np.random.default_rng(2).uniform(2e4, 2e5, 256)
    mean = np.full((1, 256), 1 / 256) @ engine.encrypt(salaries, key, bound=2e5)
    found = assert_claims(mean, [salaries.mean()], key)
    assert abs(found[0] - salaries.mean()) <= 2 * 2**-mean.precision_bits


def test_releases_of_rounded_matrices_are_refused(wide: Party) -> None:
    engine, key = wide.engine, wide.secret_key
    number = 39868359220
    x = engine.encrypt([number], key, level=3, bound=2.0**36)
    with pytest.raises(everlevel.errors.ReleaseError, match="grid"):
        engine.release(np.array([[0.2]]) @ x, key, grid=1)


# Bounds at the edge of a level's room.


@pytest.mark.parametrize("level", [0, 1, 3])
def test_values_and_their_errors_fit_the_level(wide: Party, level: int) -> None:
    engine, key = wide.engine, wide.secret_key
    room = engine._context.room_at(level)
    assert room is not None
    refused = 0
    for share in np.r_[1 - np.exp2(-np.arange(10.0, 45.0)), 1.0]:
        bound = float(room * share)
        try:
            x = engine.encrypt(np.full(engine.slot_count, bound), key, level=level, bound=bound)
        except (RangeError, ScaleError):
            refused += 1
            continue
        assert_claims(x, bound, key, varied=False)
    assert 0 < refused < 36


# Warnings, and bounds of one part.


def test_every_context_of_warnings_is_warned(wide: Party) -> None:
    engine, key = wide.engine, wide.secret_key
    y = engine.assume_bound(engine.encrypt([0.9], key, bound=1), 0.5)
    for _ in range(8):
        with pytest.warns(RangeWarning, match="bound is 0.5"):
            engine.decrypt(y, key)


def test_a_merge_keeps_the_bound_that_one_part_declares(deep: Party, bootstrap_key: BootstrapKey) -> None:
    engine, keys = deep.engine, (deep.relinearization_key, deep.conjugation_key, bootstrap_key)
    values = np.random.default_rng(4).uniform(-1.3, 1.3, engine.slot_count)
    declared = engine.encrypt(values, deep.secret_key, level=0, bound=1.3)
    assumed = engine.encrypt(np.full(engine.slot_count, 0.5), deep.secret_key, level=0)
    real, imaginary = engine.merge_bootstrap(declared, assumed, *keys)
    assert (real.bound, real.bound_kind, imaginary.bound, imaginary.bound_kind) == (1.3, "declared", 1, "assumed")
    assert_claims(real, values, deep.secret_key)


def test_quotients_count_the_rounding_of_the_inverse() -> None:
    party = new_party(Engine(max_level=4, insecure_log_n=INSECURE_LOG_N, precision="double"))
    values = np.random.default_rng(3).uniform(-10, 10, 64) // 1
    x = party.engine.encrypt(values * 500, party.secret_key, bound=5000)
    for divisor in (3.0, 7.0, 500.0, 1000.0):
        y = x / divisor
        assert_claims(y, values * 500 / divisor, party.secret_key)


def test_every_division_of_a_polynomial_multiplies_roundings() -> None:
    # T_4 and T_2 at -7.7 multiply the roundings of a quotient, by 27,000 and 116; doubles have no part in it at level 0
    # of double precision.
    engine = Engine(max_level=4, precision="double", insecure_log_n=9)
    key = engine.create_secret_key()
    engine.create_relinearization_key(key)
    sine = everlevel.fit(np.sin, 7, (0.001, 0.0013))
    y = sine(engine.encrypt([0.001], key, bound=0.001, slots=True))
    padding = np.asarray(engine.decrypt(y, key))[1:]
    assert np.ptp(padding.real) > 2**-53, "large elements had no noise"
    assert np.ptp(padding.real) <= 2 * 2**-y.precision_floor


def test_deviations_of_constants_add_up_with_their_signs() -> None:
    # A negative number and a change of level are each off by a part of themselves: 4e-13 both, which don't cancel.
    engine = Engine(max_level=3, slot_count=64, insecure_log_n=10)
    key = engine.create_secret_key()
    values = np.random.default_rng(1).integers(-3574, 3575, (64, 2)) @ [1, 1j]
    x = engine.encrypt(values, key, bound=5056.0)
    for lowered, expected in (
        (engine.level_down(x / -1.2, 1), values / -1.2),
        (engine.level_down(x * 0.7j, 1), values * 0.7j),
        (engine.level_down(x, 1), values),
        (x / -1.2 - engine.level_down(x, 1), values / -1.2 - values),
    ):
        errors = np.abs(engine.decrypt(lowered, key) - expected)
        typical = np.sqrt(np.mean(errors**2)) * 2**lowered.precision_bits
        assert 0.4 < typical < 1.6, typical


def test_the_rounding_of_a_fits_map_is_an_error() -> None:
    # (x - a)·2/(b - a) by two doubles of the size of 11,000, whose difference is 1.
    engine = Engine(max_level=4, precision="double", insecure_log_n=9)
    key = engine.create_secret_key()
    engine.create_relinearization_key(key)
    line = everlevel.fit(np.sin, 1, (-2277.2, -2276.8))
    y = line(engine.encrypt(np.full(engine.slot_count, -2277.0), key, bound=2277))
    low, high = (Fraction(end) for end in line.interval)
    exact = Fraction(line.coefficients[0]) + Fraction(line.coefficients[1]) * (2 * -2277 - low - high) / (high - low)
    error = float(np.abs(engine.decrypt(y, key) - float(exact)).max())
    assert 2**-46 < error <= 2**-y.precision_floor


@pytest.mark.parametrize("gap", [2**-4, 2**-6])
def test_products_with_a_sign_count_what_they_lose_within_the_gap(gap: float) -> None:
    engine = Engine(use_bootstrap=True, insecure_log_n=9)
    key = engine.create_secret_key()
    engine.create_evaluation_key(key, bootstrap="lossy")
    values = np.linspace(-2 * gap, 2 * gap, engine.slot_count)
    x = engine.encrypt(values, key, bound=1)
    for y, expected in (
        (engine.abs(x, gap=gap), np.abs(values)),
        (engine.relu(x, gap=gap), np.maximum(values, 0)),
        (engine.maximum(x, -gap / 8, gap=gap), np.maximum(values, -gap / 8)),
        (engine.minimum(x, x * 0.5, gap=gap), np.minimum(values, values / 2)),
    ):
        error = np.abs(engine.decrypt(y, key) - expected).max()
        # Within the gap values are wrong by a part of it, and the floor is not much larger.
        assert gap / 64 < error <= 2**-y.precision_floor < 16 * error
        # Spread over the bound, few values are.
        assert y.precision_bits > y.precision_floor + 2


def test_padding_that_meets_a_longer_plaintext_keeps_its_bound() -> None:
    engine = Engine(max_level=4, insecure_log_n=9)
    key = engine.create_secret_key()
    engine.create_evaluation_key(key)
    x = engine.assume_bound(engine.encrypt([0.1], key), 0.4)
    # The padding's zeros are outside of the interval: a line through the logarithm is -2.09 there.
    y = everlevel.fit(np.log, 1, (0.05, 1.0))(x)
    plain = np.random.default_rng(1).uniform(0.05, 1.0, engine.slot_count)
    for z in (y * plain, y + 10 * plain):
        assert np.abs(engine.decrypt(z, key)).max() <= z.bound + 2**-z.precision_floor


def test_a_factors_rounding_and_its_scales_never_undo_each_other() -> None:
    engine = Engine(max_level=8, insecure_log_n=9)
    key = engine.create_secret_key()
    values = np.random.default_rng(1).uniform(-8671000, 8671000, engine.slot_count)
    x = engine.encrypt(values, key, 7, bound=8671000)
    for number in (-1 / 0.01453, 1 / 0.01453, -1 / 0.02, 1 / 0.07):
        assert_claims(x * number, values * number, key)


# Errors that are larger than values.


@pytest.mark.filterwarnings("error")
def test_errors_beyond_a_fits_interval_count_with_the_slopes_there(wide: Party) -> None:
    # The rounding of a product with 4e9 is a hundred times as large as the interval.
    engine, key = wide.engine, wide.secret_key
    x = engine.encrypt(np.zeros(engine.slot_count), key, bound=4e9)
    rounded = engine.assume_bound(np.ones((1, 1)) @ x, 1e-4)
    y = everlevel.fit(np.exp, 22, (-1e-4, 1e-4))(rounded)
    engine.decrypt(y, key)
    assert not y.precision_floor > 0


# Errors that are products of errors.


@pytest.mark.filterwarnings("error")
def test_squares_of_values_below_their_errors_are_not_warned_of() -> None:
    # Values that are rounded to 10 bits are errors alone, whose square has tails of its own.
    engine, parts = limbs.Engine("n13", insecure_log_n=9), []
    for _ in range(4):
        key = engine.create_secret_key()
        engine.create_evaluation_key(key)
        for _ in range(24):
            x = engine.encrypt(np.full(engine.slot_count, 3e-07), key, bound=3.112e-07)
            square = engine.multiply(x, x, precision_bits=10)
            parts.append(np.mean(np.abs(engine.decrypt(square, key)) ** 2) * 4**square.precision_bits)
    # A slot's error is a rounding times the secret's slot, of exponential distributions: its square alone lifts one of
    # these means above 16 once in 10^4 runs, and the mean of all once in 10^20.
    assert np.mean(parts) < 16


def test_products_of_three_polynomials_count_the_square_of_the_secret() -> None:
    # One of three roundings is multiplied by the square of a secret's slot, which has an exponential distribution: 24
    # standard deviations of the real part, as floors count of other noise, are exceeded by one slot in a million.
    engine = Engine(max_level=1, insecure_log_n=11)
    zeros, sizes = np.zeros(engine.slot_count, complex), []
    for _ in range(60):
        key = engine.create_secret_key()
        x = engine.encrypt(zeros, key, bound=0)
        for _ in range(4):
            product = engine.multiply(engine.encrypt(zeros, key, bound=0), x, relinearize=False)
            assert product.polynomial_count == 3
            sizes.append(np.abs(engine.decrypt(product, key)) * 2**product.precision_bits)
    deviations, each = 2**0.5 * np.concatenate(sizes), 2 ** (product.precision_bits - product.precision_floor)
    # P(xy > k) for x of an exponential distribution and y² of another; the mean square of x² is 2.
    steps = np.arange(1, 4_000_000) * 1e-5
    beyond = [1e-5 * np.exp(-steps - (k / steps) ** 2).sum() for k in (5, 8, 24)]
    # Eight standard deviations of either: the four products of a key have the secret in common.
    assert np.isclose(np.mean(deviations > 5), beyond[0], rtol=0.2)
    assert np.isclose(np.mean(deviations > 8), beyond[1], rtol=0.5)
    assert beyond[2] > 5e-7
    assert 2**0.5 * each > 76


@pytest.mark.parametrize("bits", [57, 55, 50, 40])
def test_a_square_of_errors_over_limbs_is_counted_with_its_moments(bits: int) -> None:
    engine = limbs.Engine("n14", insecure_log_n=9)
    excess = []
    for _ in range(16):
        key = engine.create_secret_key()
        engine.create_evaluation_key(key)
        values = np.random.default_rng(1).uniform(-2, 2, (engine.slot_count, 2)) @ [1, 1j]
        # Values far below what a product's operands are rounded to.
        small, expected = engine.rescale(engine.encrypt(values, key, bound=3), bits), (values * 2.0**-bits) ** 2
        square = small * small
        error = np.sqrt(np.mean(np.abs(engine.decrypt(square, key) - expected) ** 2))
        excess.append(np.log2(error) + square.precision_bits)
    # Fourth moments spread over keys by a sixth of a bit.
    assert abs(np.mean(excess)) < 0.5
