//! Chains of two primes a level: errors far below a double's, seen by taking away the exact result before decrypting.

use crate::common;

use crate::common::{Party, round_trip, zip};
use everlevel_ckks::{
    Basis, Bound, Ciphertext, Complex64, Entries, Error, Options, Params, ParamsLiteral, Precision, Units,
};

const LOG_N: u32 = 10;
const LEVELS: usize = 3;

fn party() -> Party {
    Party::new(ParamsLiteral { precision: Precision::Double, ..ParamsLiteral::insecure_depth(LOG_N, LEVELS) })
}

/// Multiples of 2^-12 of size below 1: products of four are doubles.
fn short(count: usize, seed: u64) -> Vec<Complex64> {
    let coarse = |x: f64| (x * 2048.0).round() / 2048.0;
    common::uniform(count, seed).into_iter().map(|z| Complex64::new(coarse(z.re), coarse(z.im)) * 0.5).collect()
}

fn encrypt(p: &Party, values: &[Complex64], level: usize) -> Ciphertext {
    let plaintext = p.ctx.declare(p.ctx.encode(values, level).unwrap(), Bound::declared(1.0).unwrap()).unwrap();
    p.ctx.encrypt(&plaintext, &p.public).unwrap()
}

/// The rest of a ciphertext without the exact values: its errors, which are so small that doubles have all of them.
fn rest(p: &Party, ct: &Ciphertext, exact: &[Complex64]) -> Ciphertext {
    let negated: Vec<Complex64> = exact.iter().map(|z| -z).collect();
    let rest = p.ctx.add_array(ct, &negated).unwrap();
    p.ctx.assume_bound(&rest, Bound::declared(2f64.powi(-40)).unwrap()).unwrap()
}

/// The errors of a ciphertext's slots.
fn errors(p: &Party, ct: &Ciphertext, exact: &[Complex64]) -> Vec<Complex64> {
    p.decrypt(&rest(p, ct, exact))
}

/// Both figures of precision hold, and are at least `least`.
fn assert_precise(p: &Party, ct: &Ciphertext, exact: &[Complex64], least: f64, what: &str) {
    let all = errors(p, ct, exact);
    let rms = (all.iter().map(|z| z.norm_sqr()).sum::<f64>() / all.len() as f64).sqrt();
    let worst = all.iter().map(|z| z.norm()).fold(0.0, f64::max);
    let [bits, floor] = [-rms.log2(), -worst.log2()];
    assert!(bits >= least, "{what}: {bits} bits measured");
    let rest = rest(p, ct, exact);
    let [typical, promised] = [rest.precision_bits(), rest.precision_floor()];
    assert!((bits - typical).abs() < 3.0, "{what}: {bits} bits measured, {typical} printed");
    assert!(floor >= promised, "{what}: {floor} bits measured, {promised} promised");
    // A decryption's values are doubles, of a size up to the bound.
    assert!(ct.precision_bits() < typical && ct.precision_floor() <= 53.0 - ct.bound().size().log2(), "{what}");
}

#[test]
fn every_operation_keeps_the_bits_that_it_prints() {
    let p = party();
    let n = p.ctx.slot_count();
    let (x, y) = (short(n, 1), short(n, 2));
    let (a, b) = (encrypt(&p, &x, LEVELS), encrypt(&p, &y, LEVELS));
    assert_precise(&p, &a, &x, 60.0, "fresh");
    let xy = zip(&x, &y, |x, y| x * y);
    let product = p.ctx.multiply(&a, &b, &p.relinearization).unwrap();
    assert_precise(&p, &product, &xy, 60.0, "product");
    assert_precise(&p, &p.ctx.multiply_without_key(&a, &b).unwrap(), &xy, 55.0, "product of three polynomials");
    let plaintext = p.ctx.encode(&y, LEVELS).unwrap();
    assert_precise(&p, &p.ctx.multiply_plain(&a, &plaintext).unwrap(), &xy, 60.0, "plaintext product");
    let lower = p.ctx.level_down_plain(&plaintext, 1).unwrap();
    assert_precise(&p, &p.ctx.multiply_plain(&a, &lower).unwrap(), &xy, 60.0, "lower plaintext product");
    assert_precise(&p, &p.ctx.add_plain(&a, &plaintext).unwrap(), &zip(&x, &y, |x, y| x + y), 60.0, "plaintext sum");
    let light = p.ctx.expand(&p.ctx.encode_light(&y, LEVELS).unwrap(), 2).unwrap();
    assert_precise(&p, &p.ctx.multiply_plain(&a, &light).unwrap(), &xy, 60.0, "light product");
    for level in 0..LEVELS {
        assert_precise(&p, &p.ctx.level_down(&a, level).unwrap(), &x, 60.0, "level_down");
    }
    let c = Complex64::new(0.171875, -0.3125);
    let scaled: Vec<Complex64> = x.iter().map(|x| x * c).collect();
    assert_precise(&p, &p.ctx.multiply_scalar(&a, c).unwrap(), &scaled, 60.0, "scalar product");
    let shifted: Vec<Complex64> = x.iter().map(|x| x + c).collect();
    assert_precise(&p, &p.ctx.add_scalar(&a, c).unwrap(), &shifted, 60.0, "scalar sum");
    let deep = p.ctx.multiply(&product, &p.ctx.level_down(&b, 1).unwrap(), &p.relinearization).unwrap();
    assert_eq!(deep.level(), 0);
    assert_precise(&p, &deep, &zip(&xy, &y, |x, y| x * y), 60.0, "product at level 0");

    let rotated = p.ctx.rotate(&a, &p.rotation_key(), 3).unwrap();
    let mut turned = x.clone();
    turned.rotate_right(3);
    assert_precise(&p, &rotated, &turned, 60.0, "rotation");
    let conjugated: Vec<Complex64> = x.iter().map(|z| z.conj()).collect();
    assert_precise(&p, &p.ctx.conjugate(&a, &p.conjugation).unwrap(), &conjugated, 60.0, "conjugate");
}

#[test]
fn polynomials_are_as_precise_as_they_say() {
    let p = party();
    let x: Vec<Complex64> = short(p.ctx.slot_count(), 3).iter().map(|z| Complex64::new(z.re, 0.0)).collect();
    let a = encrypt(&p, &x, LEVELS);
    let coefficients = [0.25, -0.5, 0.125, 0.375];
    let values = |at: &dyn Fn(Complex64) -> [Complex64; 4]| {
        let value = |x: &Complex64| at(*x).iter().zip(coefficients).map(|(power, c)| power * c).sum();
        x.iter().map(value).collect::<Vec<Complex64>>()
    };
    let power = p.ctx.evaluate_polynomial(&a, Basis::Power, &coefficients, &p.relinearization).unwrap();
    assert_precise(&p, &power, &values(&|x| [1.0.into(), x, x * x, x * x * x]), 58.0, "power basis");
    let chebyshev = p.ctx.evaluate_polynomial(&a, Basis::Chebyshev, &coefficients, &p.relinearization).unwrap();
    let exact = values(&|x| [1.0.into(), x, x * x * 2.0 - 1.0, x * x * x * 4.0 - x * 3.0]);
    let worst = errors(&p, &chebyshev, &exact).iter().map(|z| z.norm()).fold(0.0, f64::max);
    assert!(chebyshev.precision_floor() > 45.0 && -worst.log2() >= chebyshev.precision_floor(), "{worst:e}");
}

#[test]
fn matrices_of_every_kind_keep_the_bits() {
    let p = party();
    let n = p.ctx.slot_count();
    let x = short(n, 4);
    let entries = short(9 * n, 5);
    let rows = |row: usize| (0..n).map(|j| entries[row * n + j] * x[j]).sum::<Complex64>();
    let exact: Vec<Complex64> = (0..n).map(|i| if i < 9 { rows(i) } else { Complex64::default() }).collect();
    let a = Units::from(encrypt(&p, &x, LEVELS));
    let key = p.rotation_key();
    let dimensions = (9, n);
    let matrix = p.ctx.encode_matrix(Entries::Complex(&entries), dimensions, LEVELS, None).unwrap();
    let light = p.ctx.encode_light_matrix(Entries::Complex(&entries), dimensions, LEVELS, None).unwrap();
    let (light, _) = round_trip(&p.ctx, &light);
    let results = [
        p.ctx.multiply_matrix(&matrix, &a, &key).unwrap(),
        p.ctx.multiply_light_matrix(&light, &a, &key).unwrap(),
        p.ctx.multiply_matrix(&p.ctx.level_down_matrix(&matrix, 1).unwrap(), &a, &key).unwrap(),
    ];
    for result in results {
        let all = errors(&p, result.first(), &exact);
        let worst = all.iter().map(|z| z.norm()).fold(0.0, f64::max);
        let promised = rest(&p, result.first(), &exact).precision_floor();
        assert!(promised > 45.0 && -worst.log2() >= promised && worst < 2f64.powi(-52), "{worst:e} {promised}");
    }
}

#[test]
fn objects_come_back_from_files() {
    let p = party();
    let x = short(p.ctx.slot_count(), 6);
    let ct = encrypt(&p, &x, 2);
    let (back, _) = round_trip(&p.ctx, &ct);
    assert_eq!(p.decrypt(&back), p.decrypt(&ct));
    assert_precise(&p, &back, &x, 60.0, "from a file");
    let light = p.ctx.encode_light(&x, LEVELS).unwrap();
    let (read, _) = round_trip(&p.ctx, &Units::from(light.clone()));
    assert_eq!(light.nbytes(), 16 * 2 * p.ctx.slot_count());
    assert_eq!(p.ctx.decode(&p.ctx.expand(read.first(), 1).unwrap()).unwrap(), x);
    let literal = p.ctx.params().literal();
    assert_eq!(ParamsLiteral::from_json(&literal.to_json()).unwrap(), *literal);
    assert!(
        ParamsLiteral::from_json(&literal.to_json().replace("double_precision", "high_precision")).unwrap().precision
            == Precision::High
    );
    let both = literal.to_json().replace("\"double", "\"high_precision\":true,\"double");
    assert!(ParamsLiteral::from_json(&both).is_err());
}

#[test]
fn values_have_room_for_fifteen_bits() {
    let p = party();
    for level in 0..=LEVELS {
        let room = p.ctx.room_at(level).unwrap();
        assert!((room.log2() - 15.0).abs() < 0.01, "{room}");
        let large = p.ctx.encode(&vec![Complex64::new(32000.0, 0.0); p.ctx.slot_count()], level).unwrap();
        let decrypted = p.decrypt(&p.ctx.encrypt(&large, &p.public).unwrap());
        assert!(decrypted.iter().all(|z| (z.re - 32000.0).abs() < 1e-10));
        let refused = p.ctx.encode(&[Complex64::new(33000.0, 0.0); 512], level);
        assert!(matches!(refused, Err(Error::ScaleOverflow { .. })), "{refused:?}");
    }
}

#[test]
fn ten_bits_are_left_of_a_release_of_sixty_four() {
    let literal = ParamsLiteral::double_precision(2).unwrap();
    let options = Options { thread_count: 2, ..Options::default() };
    let p = Party::of(common::context_with(Params::try_from(literal).unwrap(), options));
    let x = short(p.ctx.slot_count(), 7);
    let mut cases = vec![(encrypt(&p, &x, 2), x)];
    for products in 0..2 {
        let (ct, exact) = &cases[products];
        let square = p.ctx.multiply(ct, ct, &p.relinearization).unwrap();
        cases.push((square, exact.iter().map(|x| x * x).collect()));
    }
    let Party { ctx, secret: mut key, .. } = p;
    for (budget, least) in [(1, 15.0), (1024, 10.0)] {
        for (products, (ct, exact)) in cases.iter().enumerate() {
            key = key.with_release_budget(budget);
            let released = ctx.release_flooded(ct, &key, 64.0).unwrap();
            let squares = zip(&released.values, exact, |a, b| a - b).iter().map(|z| z.norm_sqr()).sum::<f64>();
            let measured = -(squares / exact.len() as f64).sqrt().log2();
            let printed = released.precision_bits.unwrap();
            println!("{products} products, budget {budget}: {printed:.1} bits printed, {measured:.1} measured");
            assert!(printed >= least, "{products} products, budget {budget}: {printed} bits");
            assert!((measured - printed).abs() < 0.2, "{measured} bits measured, {printed} printed");
        }
    }
    for (ct, exact) in &cases {
        key = key.with_release_budget(1);
        assert_eq!(ctx.release_on_grid(ct, &key, 2f64.powi(-48)).unwrap().values, *exact);
    }
}
