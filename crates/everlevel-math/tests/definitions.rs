//! Small modules against their definitions. The library has no test build of its own: it would compile all kernels a
//! second time.

use everlevel_math::fft::Rows;
use everlevel_math::{DoubleDouble, GaloisMap, Modulus, Ntt, Real, Simd, lwe_rows, monomial, primes};

#[test]
fn is_prime_agrees_with_trial_division() {
    for n in 0..5000u64 {
        let slow = n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
        assert_eq!(primes::is_prime(n), slow, "{n}");
    }
    assert!(primes::is_prime((1 << 61) - 1));
    assert!(!primes::is_prime(3_215_031_751)); // strong pseudoprime to bases 2, 3, 5, 7
}

#[test]
fn primes_are_congruent_and_ordered() {
    let below: Vec<_> = primes::ntt_primes_below(48, 16).take(20).collect();
    assert!(below.windows(2).all(|w| w[0] > w[1]));
    assert!(below.iter().all(|q| q % (1 << 17) == 1 && *q < 1 << 48));
    let target = (1u64 << 40) as f64;
    let near: Vec<_> = primes::ntt_primes_near(target, 16).take(20).collect();
    assert!(near.windows(2).all(|w| (w[0] as f64 - target).abs() <= (w[1] as f64 - target).abs() + 1.0));
}

#[test]
fn reductions_are_remainders_at_every_edge() {
    for q in [3, 5, 257, 65_537, (1 << 31) - 1, 0xffff_fffa_0001, (1 << 48) - 59] {
        let m = Modulus::new(q).expect("a prime");
        let multiples = [0, 1, 2, u64::MAX / q / 2, u64::MAX / q - 1, u64::MAX / q].map(|k| k * q);
        let near = multiples.into_iter().flat_map(|x| (-2..=2).map(move |d: i64| x.wrapping_add_signed(d)));
        for x in near.chain([1 << 63, (1 << 63) - 1, u64::MAX]) {
            assert_eq!(m.reduce(x), x % q, "{x} modulo {q}");
            let signed = x as i64;
            assert_eq!(
                i128::from(m.reduce_i64(signed)),
                i128::from(signed).rem_euclid(q.into()),
                "{signed} modulo {q}"
            );
        }
    }
}

/// 2^100 times a number, exactly, for numbers whose parts are multiples of 2^-100.
fn fixed(x: DoubleDouble) -> i128 {
    let unit = 2f64.powi(100);
    (x.high() * unit) as i128 + (x.low() * unit) as i128
}

#[test]
fn operations_are_right_to_a_hundred_bits() {
    let (third, seventh) = (DoubleDouble::ONE / 3.0.into(), DoubleDouble::ONE / 7.0.into());
    let unit = 1i128 << 100;
    assert!((fixed(third) - unit / 3).abs() <= 1);
    assert!((fixed(seventh) - unit / 7).abs() <= 1);
    assert!((fixed(third * seventh) - unit / 21).abs() <= 2);
    assert!((fixed(third + seventh) - unit / 21 * 10).abs() <= 10);
    assert!((fixed(third - seventh) - unit / 21 * 4).abs() <= 10);
    let root = DoubleDouble::from(2.0).sqrt();
    assert!((root * root - 2.0.into()).to_f64().abs() < 2f64.powi(-102));
    assert_eq!(DoubleDouble::default().sqrt(), DoubleDouble::default());
    // A sum that cancels.
    assert_eq!((DoubleDouble::new(1.0, 2f64.powi(-90)) - DoubleDouble::ONE).to_f64(), 2f64.powi(-90));
}

#[test]
fn integers_round_trip() {
    for x in [0, 1, -1, (1 << 53) + 1, (1 << 90) + 12345, -(1 << 95) + 1, (1 << 105) - 1] {
        assert_eq!(DoubleDouble::from_integer(x).round_to_integer(), x);
    }
    for (x, rounded) in [(0.75, 1), (-2.75, -3), (1e15 + 0.25, 1_000_000_000_000_000)] {
        assert_eq!(DoubleDouble::from(x).round_to_integer(), rounded);
        assert_eq!(x.round_to_integer(), rounded);
    }
    assert_eq!(DoubleDouble::new(2f64.powi(80), 0.75).round_to_integer(), (1 << 80) + 1);
    assert_eq!(DoubleDouble::from(f64::INFINITY).round_to_integer(), i128::MAX);
}

#[test]
fn roots_of_unity_are_on_the_circle_and_close_it() {
    let order = 1 << 18;
    for power in [1, 5, 12345, order / 2 + 1, order - 1] {
        let [cos, sin] = DoubleDouble::root_of_unity(power, order);
        let [near_cos, near_sin] = f64::root_of_unity(power, order);
        assert!((cos.to_f64() - near_cos).abs() < 1e-14 && (sin.to_f64() - near_sin).abs() < 1e-14, "{power}");
        assert!((cos * cos + sin * sin - DoubleDouble::ONE).to_f64().abs() < 2f64.powi(-98), "{power}");
        // Its square is the root of twice the power.
        let (square_cos, square_sin) = (cos * cos - sin * sin, cos * sin * 2.0.into());
        let [twice_cos, twice_sin] = DoubleDouble::root_of_unity(2 * power % order, order);
        let apart = (square_cos - twice_cos).to_f64().hypot((square_sin - twice_sin).to_f64());
        assert!(apart < 2f64.powi(-96), "{power}: {apart:e}");
    }
}

#[test]
fn both_domains_agree_for_every_small_element() {
    for log_n in [3, 4, 6] {
        let n = 1usize << log_n;
        let m = Modulus::new(primes::ntt_primes_below(40, log_n).next().expect("prime")).expect("modulus");
        let ntt = Ntt::new(log_n, m).expect("ntt");
        let a: Vec<u64> = (0..n as u64).map(|i| m.reduce(i * i * 12345 + 7 * i + 1)).collect();
        for g in (1..2 * n as u64).step_by(2) {
            let map = GaloisMap::new(log_n, g);
            let (mut coeff, mut eval, mut via_eval) = (vec![0; n], a.clone(), vec![0; n]);
            for (j, &x) in a.iter().enumerate() {
                let k = j * g as usize % (2 * n);
                coeff[k % n] = if k < n { x } else { m.neg(x) };
            }
            ntt.forward(&mut coeff);
            ntt.forward(&mut eval);
            map.apply_into(&mut via_eval, &eval);
            assert_eq!(coeff, via_eval, "n = {n}, g = {g}");
            for len in [8, n / 2, n].into_iter().filter(|&l| l >= 8) {
                for block in 0..n / len {
                    let s = map.source_block(block, len);
                    let mut out = vec![0; len];
                    map.apply_block_into(&mut out, &eval[s * len..(s + 1) * len], block);
                    assert_eq!(out, via_eval[block * len..(block + 1) * len]);
                }
            }
        }
    }
}

#[test]
fn odd_numbers_have_inverses() {
    for x in [1, 3, 5, 0x7fff_ffff, 0xffff_ffff, 0x1234_5677] {
        assert_eq!((monomial::inverse_mod_power_of_two(x, 1 << 32) as u32).wrapping_mul(x as u32), 1);
    }
}

#[test]
fn automorphisms_move_every_coefficient() {
    let n = 16i64;
    let a: Vec<i64> = (1..=n).collect();
    for g in (1..2 * n).step_by(2) {
        let mut out = vec![0; n as usize];
        monomial::automorphism(&mut out, &a, g as u64);
        for j in 0..n {
            let k = j * g % (2 * n);
            assert_eq!(out[(k % n) as usize], if k < n { j + 1 } else { -j - 1 }, "X^{g}, coefficient {j}");
        }
    }
}

#[test]
fn monomials_multiply_as_they_should() {
    let n = 32;
    let a: Vec<u32> = (0..n as u32).map(|i| (i + 1).wrapping_mul(0x9e37_79b9)).collect();
    let wide: Vec<u64> = a.iter().map(|&x| u64::from(x) << 32).collect();
    for exponent in 0..2 * n {
        let mut expected = vec![0u32; n];
        for (j, &x) in a.iter().enumerate() {
            let k = (j + exponent) % (2 * n);
            expected[k % n] = if k < n { x } else { x.wrapping_neg() };
        }
        let (mut out, mut out_wide) = (vec![0; n], vec![0; n]);
        monomial::rotate(&mut out, &a, exponent);
        assert_eq!(out, expected, "X^{exponent}");
        monomial::rotate_sub(&mut out_wide, &wide, exponent);
        for ((&o, &e), &x) in out_wide.iter().zip(&expected).zip(&wide) {
            assert_eq!(o, (u64::from(e) << 32).wrapping_sub(x), "X^{exponent}");
        }
        let (doubles, mut out_doubles) = (a.iter().map(|&x| f64::from(x)).collect::<Vec<_>>(), vec![0.0; n]);
        monomial::rotate_sub(&mut out_doubles, &doubles, exponent);
        for ((&o, &e), &x) in out_doubles.iter().zip(&expected).zip(&a) {
            // The double is the difference itself, the word that modulo 2^32.
            assert_eq!((o as i64) as u32, e.wrapping_sub(x));
        }
        let other: Vec<u64> = wide.iter().rev().copied().collect();
        let mut less = vec![0; n];
        monomial::rotate_minus(&mut less, &wide, exponent, &other);
        assert!((0..n).all(|j| less[j].wrapping_add(other[j]) == out_wide[j].wrapping_add(wide[j])));
    }
}

#[test]
fn sums_of_lwe_rows_are_the_definition() {
    let word = |i: usize| (i as u32 + 1).wrapping_mul(0x9e37_79b9).rotate_left(i as u32 % 32);
    for (sums, count, len) in [(1, 5, 38), (3, 16, 64), (2, 27, 7)] {
        let rows: Vec<u32> = (0..count * len).map(word).collect();
        let digits: Vec<u32> = (0..sums * count).map(|i| (word(i + 77) % 5).wrapping_sub(2)).collect();
        let start: Vec<u32> = (0..sums * len).map(|i| word(i + 5)).collect();
        let mut expected = start.clone();
        for (i, out) in expected.iter_mut().enumerate() {
            for row in 0..count {
                *out = out.wrapping_add(digits[i / len * count + row].wrapping_mul(rows[row * len + i % len]));
            }
        }
        let mut out = start.clone();
        lwe_rows::add_products(&mut out, &digits, &rows, len);
        assert_eq!(out, expected, "{sums} sums of {count} rows of {len}");
    }
}

/// Against the definition: multiply by `X^(−r)`, extract the constant coefficient.
#[test]
fn every_shape_of_rows_gives_the_definition_on_every_backend() {
    let word = |i: usize| (i as u32 + 1).wrapping_mul(0x9e37_79b9).rotate_left(i as u32 % 32);
    for (ring, masks, count) in [(2, 3, 4), (16, 3, 2), (32, 5, 19), (64, 2, 8), (128, 2, 2), (512, 2, 3), (2048, 1, 9)]
    {
        let dim = ring * masks;
        let row = |i: usize| -> Vec<u32> { (0..dim + ring).map(|j| word(i * 1000 + j)).collect() };
        let digits: Vec<i32> = (0..count * ring).map(|i| (word(i + 77) % 9) as i32 - 4).collect();
        let mut expected = vec![0u32; dim + 1];
        for (i, digits) in digits.chunks_exact(ring).enumerate() {
            let row = row(i);
            for (r, &d) in digits.iter().enumerate() {
                // Coefficient c of X^(−r)·A.
                let shifted =
                    |a: &[u32], c: usize| if c + r < ring { a[c + r] } else { a[c + r - ring].wrapping_neg() };
                for (p, a) in row[..dim].chunks_exact(ring).enumerate() {
                    for m in 0..ring {
                        let extracted = if m == 0 { shifted(a, 0) } else { shifted(a, ring - m).wrapping_neg() };
                        let out = &mut expected[p * ring + m];
                        *out = out.wrapping_add((d as u32).wrapping_mul(extracted));
                    }
                }
                expected[dim] = expected[dim].wrapping_add((d as u32).wrapping_mul(row[dim + r]));
            }
        }
        for simd in Simd::available() {
            let mut rows = Rows::new(simd, ring, masks, count);
            rows.set(|i, out| out.copy_from_slice(&row(i)));
            let mut out = vec![7; dim + 1];
            rows.multiply(&mut out, &digits.iter().map(|&d| d as u32).collect::<Vec<_>>());
            assert_eq!(out, expected, "R = {ring}, {}", simd.name());
        }
    }
}
