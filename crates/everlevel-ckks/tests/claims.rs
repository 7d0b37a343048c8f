//! The claims of each operation's result against those of its operands: the level, the level's canonical scale, and the
//! error estimate, from formulas that this file has for itself. Operands have claims that no operation's result has, so
//! that claims which an operation copied instead of stating them would be found.

use crate::common;

use crate::common::{Party, bootstrap_params, depth, log_n, uniform};
use everlevel_ckks::Basis;
use everlevel_ckks::{
    BootstrapKeySize, Bound, Ciphertext, Complex64, Entries, Form, Loading, Method, Params, ParamsLiteral, SlotType,
    Units, io, no_progress,
};

const LOG_N: u32 = 10;
/// The weight of the secret of [`depth`]: a quarter of the degree.
const WEIGHT: f64 = 256.0;

/// Standard deviation of a slot's real part, estimated from what a ciphertext shows.
fn error(ct: &Ciphertext) -> f64 {
    (-ct.precision_bits()).exp2() / 2f64.sqrt()
}

/// The standard deviation of a coefficient as that of a slot, at a level.
fn slot(party: &Party, coefficient: f64, level: usize) -> f64 {
    (party.ctx.slot_count() as f64).sqrt() * coefficient / party.ctx.scale_at(level).unwrap()
}

/// The rounding of two polynomials at a level.
fn rounding(party: &Party, level: usize) -> f64 {
    slot(party, ((WEIGHT + 1.0) / 12.0).sqrt(), level)
}

/// The rounding of three.
fn square_rounding(party: &Party, level: usize) -> f64 {
    slot(party, ((2.0 * WEIGHT * WEIGHT + WEIGHT + 1.0) / 12.0).sqrt(), level)
}

/// Root mean square of values that are spread evenly over a bound.
fn size(bound: f64) -> f64 {
    bound / 3f64.sqrt()
}

/// Real values.
fn real(count: usize, seed: u64) -> Vec<Complex64> {
    uniform(count, seed).into_iter().map(|z| z.re.into()).collect()
}

/// A fresh ciphertext times `factor`, which its claims tell.
fn operand(party: &Party, seed: u64, level: usize, factor: f64) -> Ciphertext {
    let plaintext = party.ctx.encode(&real(party.ctx.slot_count(), seed), level).unwrap();
    let plaintext = party.ctx.declare(plaintext, Bound::declared(1.0).unwrap().on_reals(true)).unwrap();
    let fresh = party.ctx.encrypt_with_secret(&plaintext, &party.secret).unwrap();
    party.ctx.multiply_scalar(&fresh, factor.into()).unwrap()
}

#[track_caller]
fn assert_claims(party: &Party, what: &str, ct: &Ciphertext, level: usize, bound: f64, expected: f64) {
    assert_eq!(ct.level(), level, "{what}: level");
    assert_eq!(Some(ct.scale()), party.ctx.scale_at(level), "{what}: scale");
    assert!((ct.bound().size() / bound - 1.0).abs() < 1e-9, "{what}: {:?}, expected {bound}", ct.bound());
    assert!(ct.bound().is_declared(), "{what}: {:?}", ct.bound());
    let found = error(ct);
    // The estimate is a sample's.
    assert!((found / expected - 1.0).abs() < 0.15, "{what}: error {found:e}, expected {expected:e}");
    let floor = (-ct.precision_floor()).exp2();
    assert!(floor > 4.0 * found && floor < 1e4 * found, "{what}: at most {floor:e}, typically {found:e}");
}

#[test]
fn every_operation_states_level_scale_bound_and_error_of_its_result() {
    let party = depth(LOG_N, 6);
    let ctx = &party.ctx;
    let slots = ctx.slot_count();
    let key = &party.relinearization;
    let rotations = party.rotation_key();
    let fixed = ctx.fixed_rotation_key(&party.secret, 3, 6).unwrap();
    let (at, low) = (5, 3);
    let (a, b) = (operand(&party, 1, at, 3.0), operand(&party, 2, low, 2.0));
    let (ea, eb) = (error(&a), error(&b));
    let round = |level| rounding(&party, level);
    let fresh = 3.2f64.hypot((1.0f64 / 12.0).sqrt());
    assert_claims(&party, "encrypt_with_secret, multiply_scalar", &a, at, 3.0, 3.0 * slot(&party, fresh, at));
    let down = ea.hypot(round(low));

    let values = real(slots, 3);
    let largest = values.iter().map(|z| z.norm()).fold(0.0, f64::max);
    let plaintext = ctx.encode(&values, low).unwrap();
    let array = real(slots, 4);
    let array_largest = array.iter().map(|z| z.norm()).fold(0.0, f64::max);
    let c = Complex64::new(0.3, -0.4);
    let product = ctx.multiply_without_key(&a, &b).unwrap();
    let operands = (down * size(2.0)).hypot(eb * size(3.0));
    let product_error = operands.hypot(square_rounding(&party, low - 1));
    let encoding = |level| slot(&party, (1.0f64 / 12.0).sqrt(), level) * size(3.0);
    let plain = |error: f64, level| (error * size(1.0)).hypot(round(level - 1)).hypot(encoding(level));
    let table = [
        ("level_down", ctx.level_down(&a, low).unwrap(), low, 3.0, down),
        ("add", ctx.add(&a, &b).unwrap(), low, 5.0, down.hypot(eb)),
        ("add to itself", ctx.add(&a, &a).unwrap(), at, 6.0, 2.0 * ea),
        ("subtract", ctx.subtract(&b, &a).unwrap(), low, 5.0, down.hypot(eb)),
        ("negate", ctx.negate(&a).unwrap(), at, 3.0, ea),
        ("add_plain", ctx.add_plain(&a, &plaintext).unwrap(), low, 3.0 + largest, down),
        ("add_array", ctx.add_array(&a, &array).unwrap(), at, 3.0 + array_largest, ea),
        ("add_scalar", ctx.add_scalar(&a, c).unwrap(), at, 3.5, ea),
        ("multiply_scalar", ctx.multiply_scalar(&a, c).unwrap(), at - 1, 1.5, (ea * c.norm()).hypot(round(at - 1))),
        ("multiply_scalar by i", ctx.multiply_scalar(&a, Complex64::i() * 2.0).unwrap(), at, 6.0, ea * 2.0),
        ("multiply_plain", ctx.multiply_plain(&a, &plaintext).unwrap(), low - 1, 3.0 * largest, plain(down, low)),
        ("multiply_array", ctx.multiply_array(&a, &array).unwrap(), at - 1, 3.0 * array_largest, plain(ea, at)),
        ("multiply", ctx.multiply(&a, &b, key).unwrap(), low - 1, 6.0, operands.hypot(round(low - 1))),
        ("multiply_without_key", product.clone(), low - 1, 6.0, product_error),
        ("relinearize", ctx.relinearize(&product, key).unwrap(), low - 1, 6.0, product_error.hypot(round(low - 1))),
        ("square", ctx.square(&a, Some(key)).unwrap(), at - 1, 9.0, (2.0 * size(3.0) * ea).hypot(round(at - 1))),
        ("conjugate", ctx.conjugate(&a, &party.conjugation).unwrap(), at, 3.0, ea.hypot(round(at))),
        ("rotate", ctx.rotate(&a, &rotations, 3).unwrap(), at, 3.0, ea.hypot(round(at)).hypot(round(at))),
        ("rotate_many", ctx.rotate_many(&a, &rotations, &[4]).unwrap().remove(0), at, 3.0, ea.hypot(round(at))),
        ("rotate_fixed", ctx.rotate_fixed(&a, &fixed).unwrap(), at, 3.0, ea.hypot(round(at))),
        (
            "evaluate_polynomial",
            ctx.evaluate_polynomial(&a, Basis::Power, &[0.1, 0.0, 0.25], key).unwrap(),
            at - 2,
            0.1 + 0.25 * 9.0,
            (0.5 * size(3.0) * ea).hypot(round(at - 2)).hypot(round(at - 2) * 0.25 * 3.0),
        ),
        (
            "basis_element",
            ctx.basis_element(&ctx.assume_bound(&b, Bound::declared(1.0).unwrap()).unwrap(), Basis::Chebyshev, 2, key)
                .unwrap(),
            low - 1,
            1.0,
            (4.0 * size(1.0) * eb).hypot(round(low - 1) * 3.0),
        ),
    ];
    for (what, ct, level, bound, error) in &table {
        assert_claims(&party, what, ct, *level, *bound, *error);
    }
    // What is assumed of one operand is assumed of the result.
    let assumed = ctx.encrypt_with_secret(&ctx.encode(&real(slots, 9), at).unwrap(), &party.secret).unwrap();
    assert_eq!(assumed.bound(), Bound::ASSUMED);
    for result in [ctx.add(&a, &assumed).unwrap(), ctx.multiply(&assumed, &a, key).unwrap()] {
        assert!(!result.bound().is_declared());
    }

    // A row of the matrix has norm √2, and its two diagonals are one step apart: no binary digit of a baby step, or
    // one.
    let entries: Vec<f64> =
        (0..slots * slots).map(|i| f64::from((i % slots + slots - i / slots) % slots < 2)).collect();
    let matrix = ctx.encode_matrix(Entries::Real(&entries), (slots, slots), low, None).unwrap();
    let units = Units::from(a.clone());
    let image = ctx.multiply_matrix(&matrix, &units, &rotations).unwrap();
    let [least, most] =
        [0.0, 1.0].map(|switches: f64| (down.hypot(round(low) * switches.sqrt()) * 2f64.sqrt()).hypot(round(low - 1)));
    let found = error(image.first());
    assert_eq!(image.first().level(), low - 1);
    assert_eq!(Some(image.first().scale()), ctx.scale_at(low - 1));
    assert!(found > least * 0.85 && found < most * 1.15, "{least:e} {found:e} {most:e}");
    assert!((image.bound().size() - 6.0).abs() < 1e-9, "{:?}", image.bound());

    // Stacked vectors have the largest error of all, in every unit; files keep it.
    let other = operand(&party, 5, at, 7.0);
    let stacked = Units::stack(&[&units, &Units::from(other.clone())]).unwrap();
    for unit in stacked.all() {
        assert_claims(&party, "stack", unit, at, 7.0, error(&other));
    }
    let bytes = ctx.to_container(&stacked, Form::Seeded).unwrap().to_bytes();
    let container = io::Container::from_bytes(bytes).unwrap();
    let back: Units<Ciphertext> = ctx.from_container(&container, Loading::default()).unwrap();
    for unit in back.all() {
        assert_claims(&party, "files", unit, at, 7.0, error(&other));
    }
}

/// An operand with the error of a product by `factor`, and values of size one.
fn noisy(party: &Party, seed: u64, level: usize, factor: f64) -> Ciphertext {
    let ct = operand(party, seed, level, factor);
    party.ctx.assume_bound(&ct, Bound::declared(1.0).unwrap()).unwrap()
}

#[test]
fn bootstraps_add_their_error_to_that_of_their_input() {
    let party = Party::of(common::context(bootstrap_params(log_n()), None, 2));
    let ctx = &party.ctx;
    let key = party.lossy_key(3);
    let keys = party.keys(&key);
    let run = |method, parts| {
        let of = |factor: f64| {
            let input = noisy(&party, 1, 6, factor);
            let out =
                party.bootstrapper().bootstrap_many(method, &[&input], keys, parts, &no_progress).unwrap().remove(0);
            assert_eq!(Some(out.scale()), ctx.scale_at(out.level()), "{method:?}");
            (out.level(), error(&input), error(&out))
        };
        // Errors of 2^20 and 2^21 times a fresh one are no smaller than a bootstrap's; values are of no matter here.
        let ((level, small, first), (other_level, large, second)) = (of(1e6), of(2e6));
        assert_eq!(level, other_level);
        (level, [small, large], [first, second])
    };
    for (method, parts, level) in [
        (Method::Regular, SlotType::Complex, 10),
        (Method::Regular, SlotType::Real, 10),
        (Method::Lossy, SlotType::Complex, 13),
        (Method::Lossy, SlotType::Real, 13),
    ] {
        let (out, [small, large], [first, second]) = run(method, parts);
        assert_eq!(out, level, "{method:?}");
        // Real results have half of the error's square.
        let share = if parts == SlotType::Real { 0.5f64.sqrt() } else { 1.0 };
        assert!(first > 0.9 * share * small && second > 0.9 * share * large, "{method:?} {parts:?}");
        let ratio = second / first;
        assert!(ratio > 1.2 && ratio < 2.2, "{method:?} {parts:?}: {first:e}, {second:e}");
    }
    // Signs square what comes in.
    let (out, [small, large], [first, second]) = run(Method::Sign, SlotType::Real);
    assert_eq!(out, 13);
    assert!((second / first / (large / small).powi(2) - 1.0).abs() < 0.35, "{first:e}, {second:e}");

    let [a, b] = [1, 2].map(|seed| noisy(&party, seed, 6, 1e6));
    for (method, level) in [(Method::Regular, 10), (Method::Lossy, 13)] {
        for out in party.bootstrapper().merge_bootstrap(method, &a, &b, keys, &no_progress).unwrap() {
            assert_eq!((out.level(), Some(out.scale())), (level, ctx.scale_at(level)));
            let both = error(&a).hypot(error(&b)) * 0.5f64.sqrt();
            assert!(error(&out) > 0.9 * both, "{method:?}: both operands' errors");
            assert_eq!(out.bound(), a.bound().on_reals(true));
        }
    }
}

#[test]
fn a_precise_bootstrap_adds_less_than_a_regular_one() {
    let precise = ParamsLiteral::high_precision();
    let literal = ParamsLiteral {
        max_level: precise.max_level,
        precision: precise.precision,
        ..ParamsLiteral::insecure_bootstrap(log_n())
    };
    let party = Party::of(common::context(Params::try_from(literal).unwrap(), None, 2));
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let input = operand(&party, 1, 2, 2.0);
    let bootstrap = |method| {
        party
            .bootstrapper()
            .bootstrap_many(method, &[&input], party.keys(&key), SlotType::Complex, &no_progress)
            .unwrap()
            .remove(0)
    };
    let [regular, twice] = [Method::Regular, Method::Precise].map(bootstrap);
    assert_eq!((regular.level(), twice.level()), (8, 7));
    assert_eq!(Some(twice.scale()), party.ctx.scale_at(7));
    assert!(error(&twice) > error(&input) && error(&twice) < error(&regular) / 100.0);
}

/// Numbers are encoded as integers, and small ones of large values are rounded by more than noise.
#[test]
fn the_rounding_of_numbers_and_coefficients_is_an_error() {
    let party = depth(LOG_N, 4);
    let ctx = &party.ctx;
    let values: Vec<Complex64> = real(ctx.slot_count(), 1).iter().map(|z| z * 1e9).collect();
    let plaintext = ctx.declare(ctx.encode(&values, 4).unwrap(), Bound::declared(1e9).unwrap()).unwrap();
    let x = ctx.encrypt_with_secret(&plaintext, &party.secret).unwrap();
    for c in [1e-4, 3e-9, 1e-13] {
        let product = ctx.multiply_scalar(&x, c.into()).unwrap();
        let expected: Vec<Complex64> = values.iter().map(|z| z * c).collect();
        let p = common::precision(&party.decrypt(&product), &expected);
        assert!(p.worst_bits >= product.precision_floor(), "{c}: {p:?}, floor {}", product.precision_floor());
    }
    let small = ctx.multiply_scalar(&x, 9e-7.into()).unwrap();
    let power = [vec![0.0; 7], vec![1e-21]].concat();
    let y = ctx.evaluate_polynomial(&small, Basis::Power, &power, &party.relinearization).unwrap();
    assert!(y.precision_bits().is_nan() || y.precision_bits() < 0.0, "{}", y.precision_bits());
}

/// The doubles that values are, and scales, are in the floor: of large values they are most of the error.
#[test]
fn the_floor_holds_for_values_as_large_as_the_room() {
    let party = depth(LOG_N, 6);
    let ctx = &party.ctx;
    let key = &party.relinearization;
    let slots = ctx.slot_count();
    for (log2_bound, level) in [(10, 6), (22, 6), (30, 6), (40, 6), (47, 6), (8, 0)] {
        let bound = f64::exp2(f64::from(log2_bound));
        for (values, what) in [
            (real(slots, 1), "uniform"),
            (uniform(slots, 2).iter().map(|z| z / 2f64.sqrt()).collect(), "complex"),
            (real(slots, 3).iter().map(|z| (z.re.signum() / 3.0).into()).collect(), "signs"),
            (vec![Complex64::new(1.0 / 3.0, 0.0); slots], "constant"),
            (vec![(1.0f64 / 3.0).into()], "one slot"),
        ] {
            let scaled = |by: f64| -> Vec<Complex64> {
                let mut all: Vec<Complex64> = values.iter().map(|z| z * by).collect();
                all.resize(slots, Complex64::default());
                all
            };
            let large = scaled(bound);
            let check = |name: &str, ct: &Ciphertext, exact: &[Complex64]| {
                let p = common::precision(&party.decrypt(ct), exact);
                let floor = ct.precision_floor();
                assert!(p.worst_bits >= floor, "{name}, {what} up to 2^{log2_bound}: {p:?}, floor {floor}");
                // Where noise is below doubles, they come out as they were; and the error of one slot alone may be as
                // small as chance has it.
                let is_seen = log2_bound <= 22 && what != "one slot";
                assert!(!is_seen || p.worst_bits < floor + 9.0, "{name}, {what} up to 2^{log2_bound}: {p:?}, {floor}");
                assert!(floor <= 53.0 - ct.bound().size().log2(), "{floor}");
            };
            let plaintext = ctx.encode(&large, level).unwrap();
            let declared = ctx.declare(plaintext.clone(), Bound::declared(bound).unwrap()).unwrap();
            let x = ctx.encrypt_with_secret(&declared, &party.secret).unwrap();
            check("fresh", &x, &large);
            if level == 0 {
                continue;
            }
            check("lowered", &ctx.level_down(&x, level - 2).unwrap(), &large);
            check("twice", &ctx.add_plain(&x, &plaintext).unwrap(), &scaled(2.0 * bound));
            let c = bound / 3.0;
            let shifted: Vec<Complex64> = large.iter().map(|z| z + c).collect();
            check("shifted", &ctx.add_scalar(&x, c.into()).unwrap(), &shifted);
            // The square of the root, down to level 1.
            let root =
                ctx.declare(ctx.encode(&scaled(bound.sqrt()), level).unwrap(), Bound::declared(bound.sqrt()).unwrap());
            let root = ctx.encrypt_with_secret(&root.unwrap(), &party.secret).unwrap();
            let squares: Vec<Complex64> = scaled(bound.sqrt()).iter().map(|z| z * z).collect();
            check("square", &ctx.multiply(&root, &root, key).unwrap(), &squares);
        }
    }
}

/// Exact values are so up to the rounding of what was added, and decryption says no more.
#[test]
fn nothing_but_zero_is_exact() {
    let party = depth(LOG_N, 2);
    let ctx = &party.ctx;
    let x = party.encrypt(&real(ctx.slot_count(), 1), 2);
    let zero = ctx.multiply_scalar(&x, 0.0.into()).unwrap();
    assert!(zero.precision_floor().is_infinite() && party.decrypt(&zero).iter().all(|z| z.norm() == 0.0));
    let values = real(ctx.slot_count(), 2);
    for (sum, exact) in [
        (ctx.add_scalar(&zero, 0.3.into()).unwrap(), vec![Complex64::new(0.3, 0.0); ctx.slot_count()]),
        (ctx.add_array(&zero, &values).unwrap(), values),
    ] {
        let p = common::precision(&party.decrypt(&sum), &exact);
        assert!(sum.precision_floor() < 45.0 && p.worst_bits >= sum.precision_floor(), "{p:?}, {sum:?}");
        assert!(sum.precision_bits().is_finite() && sum.precision_bits() >= sum.precision_floor());
    }
}

/// A decryption has few primes; as a plaintext it is as good as any.
#[test]
fn decryptions_are_plaintexts() {
    let party = depth(LOG_N, 4);
    let ctx = &party.ctx;
    let values = real(ctx.slot_count(), 1);
    let x = party.encrypt(&values, 4);
    let decrypted = ctx.decrypt(&x, &party.secret).unwrap();
    let again = ctx.encrypt_with_secret(&decrypted, &party.secret).unwrap();
    common::assert_close("encrypted", &party.decrypt(&again), &values, 25.0);
    common::assert_close("encrypted", &party.decrypt(&ctx.encrypt(&decrypted, &party.public).unwrap()), &values, 25.0);
    let twice: Vec<Complex64> = values.iter().map(|z| z * 2.0).collect();
    common::assert_close("added", &party.decrypt(&ctx.add_plain(&x, &decrypted).unwrap()), &twice, 25.0);
    let squares: Vec<Complex64> = values.iter().map(|z| z * z).collect();
    common::assert_close("multiplied", &party.decrypt(&ctx.multiply_plain(&x, &decrypted).unwrap()), &squares, 25.0);
}
