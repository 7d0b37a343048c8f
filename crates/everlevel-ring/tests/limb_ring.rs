//! Elements of the torus over limbs, and their products, against big integers.

use std::convert::Infallible;

use everlevel_rand::Seed;
use everlevel_ring::base2k::{Operands, Transform, TurnedSum, coefficients};
use everlevel_ring::{Coeff, HalfProduct, LimbGadget, LimbRing, Limbs, PrimeSet, Representation, Ring};
use everlevel_testkit::base2k::{value, wrapped};
use everlevel_testkit::sample::Sampler;
use num_bigint::BigInt;

/// The integer of each coefficient in units of the last limb.
fn integers(a: &Limbs, log2_base: u32) -> Vec<BigInt> {
    (0..a.limb(0).len()).map(|i| value(&a.views(), log2_base, i)).collect()
}

/// `a·b` in `Z[X]/(X^n + 1)`.
fn big_product(a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
    let n = a.len();
    let mut c = vec![BigInt::ZERO; n];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            let p = x * y;
            c[(i + j) % n] += if i + j < n { p } else { -p };
        }
    }
    c
}

/// The largest distance of a result from an exact value with `places` limbs, modulo 1, in units of the last limb.
fn distance(found: &Limbs, exact: &[BigInt], places: usize, log2_base: u32) -> f64 {
    let bits = (places - found.count()) as u32 * log2_base;
    let modulus = places as u32 * log2_base;
    let each = integers(found, log2_base).into_iter().zip(exact).map(|(found, exact)| {
        let distance = wrapped(&((found << bits) - exact), modulus) >> bits.saturating_sub(20);
        let distance: i64 = distance.try_into().expect("a few units");
        distance.unsigned_abs() as f64 / f64::from(1 << bits.min(20))
    });
    each.fold(0.0, f64::max)
}

#[test]
fn products_of_elements_are_those_of_real_numbers_modulo_one() {
    let limbs = 3usize;
    for (log_n, transform, log2_base) in
        [(4, Transform::ThreePrimes, 60), (4, Transform::TwoPrimes, 40), (8, Transform::Doubles, 15)]
    {
        let ring = LimbRing::new(log_n, transform, log2_base, 8).expect("ring");
        let uniform = |index: u64| ring.uniform(&limbs, 1, &Seed::from_bytes([9; 32]), index).remove(0);
        let (a, b) = ([uniform(0), uniform(1)], [uniform(2), uniform(3)]);
        let [x, y] = [&a, &b].map(|pair| pair.each_ref().map(|part| integers(part, log2_base)));
        let plus = |x: Vec<BigInt>, y: Vec<BigInt>| -> Vec<BigInt> { x.iter().zip(&y).map(|(x, y)| x + y).collect() };
        let parts = |x: &[Vec<BigInt>; 2], y: &[Vec<BigInt>; 2]| {
            let [x0y0, x0y1, x1y0, x1y1] =
                [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j): (usize, usize)| big_product(&x[i], &y[j]));
            [x0y0, plus(x0y1, x1y0), x1y1]
        };
        for (above, kept) in [(1, limbs), (1, 2), (1, 5), (2, 2), (3, 3), (3, 4)] {
            for (b, y, what) in [(&b, &y, "product"), (&a, &x, "square")] {
                let found = ring.carried_tensor(ring.tensor(a.each_ref(), b.each_ref(), above, kept));
                for (found, exact) in found.iter().zip(parts(&x, y)) {
                    let exact: Vec<BigInt> = exact.iter().map(|x| x << (above as u32 * log2_base)).collect();
                    let distance = distance(found, &exact, 2 * limbs, log2_base);
                    assert!(distance < 0.51, "{transform:?}, {what}, {above} above, to {kept} limbs: {distance} units");
                }
            }
        }
        // With rows of whatever elements: d1 + d2·mask and d0 + d2·body, whether transforms are added or limbs.
        let gadget = LimbGadget::new(limbs, 1);
        let masks = Seed::from_bytes([8; 32]);
        let part = |at: usize| ring.uniform(&gadget.limbs, 1, &masks, at as u64).remove(0);
        let Ok(rows) = ring.rows(&gadget, &masks, true, |row| Ok::<_, Infallible>([2 * row, 2 * row + 1].map(part)));
        let tensor = || ring.tensor(a.each_ref(), b.each_ref(), 1, limbs);
        let [d0, mut d1, d2] = ring.carried_tensor(tensor());
        let sum = ring.multiply(&[&ring.digits(&gadget, &[&d2])[0]], &rows).remove(0);
        let [body, mask] = ring.finish_onto(vec![sum], &[&d0]).remove(0);
        ring.add_assign(&mut d1, &mask);
        let together = ring.relinearize(vec![tensor()], &gadget, &rows, &limbs).remove(0);
        for (found, exact) in together.iter().zip(&[body, d1]) {
            let distance = distance(found, &integers(exact, log2_base), limbs, log2_base);
            assert!(distance <= 1.0, "{transform:?}: {distance} units");
        }
    }
}

#[test]
fn products_with_integers_are_exact() {
    let (log2_base, limbs) = (60, 3usize);
    let ring = LimbRing::new(4, Transform::ThreePrimes, log2_base, 8).expect("ring");
    let a = ring.uniform(&limbs, 1, &Seed::from_bytes([9; 32]), 0).remove(0);
    let x = integers(&a, log2_base);
    let small: Vec<i64> = (0..16).map(|i| (i * i * i - 900) << 40).collect();
    for (word, kept) in [(786_433, 3), (-(1 << 61), 2), (3, 1), (1, 4)] {
        let exact: Vec<BigInt> = x.iter().map(|x| x * word).collect();
        let (places, exact) =
            if kept > limbs { (kept, exact.into_iter().map(|x| x << log2_base).collect()) } else { (limbs, exact) };
        assert!(distance(&ring.times_word(&a, word, kept), &exact, places, log2_base) < 0.51, "times {word}");
        for above in 1..=2 {
            let number: Vec<BigInt> = x.iter().map(|x| x * word).collect();
            let found = ring.times_word_above(&a, word, above);
            assert_eq!(distance(&found, &number, limbs + above, log2_base), 0.0, "times {word}");
        }
    }
    let exact = big_product(&x, &small.iter().map(|&x| BigInt::from(x)).collect::<Vec<_>>());
    assert_eq!(distance(&ring.times_small(&a, &small), &exact, limbs, log2_base), 0.0);
}

#[test]
fn sums_of_products_with_polynomials_in_the_clear_are_exact() {
    // The last row is too large for one sum modulo the primes, and for one reduction.
    for (transform, log2_base, log2_word) in
        [(Transform::ThreePrimes, 60, 40), (Transform::ThreePrimes, 62, 61), (Transform::TwoPrimes, 35, 30)]
    {
        let (limbs, terms) = (3usize, 70usize);
        let ring = LimbRing::new(4, transform, log2_base, 8).expect("ring");
        let seed = Seed::from_bytes([10; 32]);
        let x: Vec<Limbs> = (0..terms).map(|i| ring.uniform(&limbs, 1, &seed, i as u64).remove(0)).collect();
        let onto = ring.uniform(&limbs, 1, &seed, 99).remove(0);
        let word = |i: usize, k: usize| (1i64 << log2_word) - 1 - 2 * ((i * 16 + k) as i64 % 2) * (1 << log2_word);
        let y: Vec<Vec<i64>> = (0..terms).map(|i| (0..16).map(|k| word(i, k)).collect()).collect();
        let clear: Vec<_> = y.iter().map(|y| ring.clear_poly(y)).collect();
        let operands: Vec<_> = x.iter().map(|x| ring.operand(x)).collect();
        let row = |f: &dyn Fn(usize) -> bool| (0..terms).map(|i| f(i).then_some(&clear[i])).collect::<Vec<_>>();
        let rows = [row(&|i| i == 3), row(&|i| i % 3 == 0), row(&|_| false), row(&|_| true)];
        let sums = ring.clear_sums(&operands.iter().collect::<Vec<_>>(), &rows);
        for (at, (sum, row)) in sums.into_iter().zip(&rows).enumerate() {
            let onto = (at % 2 == 1).then_some(&onto);
            let mut exact = onto.map_or_else(|| vec![BigInt::from(0); 16], |onto| integers(onto, log2_base));
            for (i, _) in row.iter().enumerate().filter(|(_, some)| some.is_some()) {
                let y: Vec<BigInt> = y[i].iter().map(|&y| y.into()).collect();
                exact.iter_mut().zip(big_product(&integers(&x[i], log2_base), &y)).for_each(|(sum, z)| *sum += z);
            }
            assert_eq!(distance(&ring.finish_clear(sum, onto), &exact, limbs, log2_base), 0.0, "row {at}");
        }
    }
}

/// `Σ σ_k(x_k) + Σ d_k·key_k` in one pass is each of them by itself, whether all fit one sum modulo the primes or not.
#[test]
fn sums_of_automorphisms_and_of_half_products_are_those_of_each() {
    let (log_n, limbs, elements) = (8, 3usize, [1u64, 5, 25, 511, 1]);
    let cases = [
        (Transform::ThreePrimes, 60, 40),
        // Where clear sums, or products with keys, are too large for one sum.
        (Transform::ThreePrimes, 62, 61),
        (Transform::TwoPrimes, 40, 40),
        (Transform::TwoPrimes, 42, 20),
    ];
    for (transform, log2_base, log2_word) in cases {
        let ring = LimbRing::new(log_n, transform, log2_base, 8).expect("ring");
        let seed = Seed::from_bytes([11; 32]);
        let uniform = |limbs: usize, index: usize| ring.uniform(&limbs, 1, &seed, index as u64).remove(0);
        let x: Vec<Limbs> = (0..elements.len()).map(|i| uniform(limbs, i)).collect();
        let words: Vec<i64> = (0..1 << log_n).map(|k| (1i64 << log2_word) - 1 - (k % 2) * (2 << log2_word)).collect();
        let clear = ring.clear_poly(&words);
        let turned = |x: &[Limbs]| {
            let mut sum = TurnedSum::default();
            for (x, element) in x.iter().zip(elements) {
                let of_x = ring.clear_sums(&[&ring.operand(x)], &[vec![Some(&clear)]]).remove(0);
                sum.add(&ring, of_x, element);
            }
            sum
        };
        let of_each = |x: &[Limbs]| {
            let mut sum = ring.zero(limbs);
            for (x, element) in x.iter().zip(elements) {
                ring.add_assign(&mut sum, &ring.automorphism(&ring.times_small(x, &words), element));
            }
            sum
        };
        let expected = of_each(&x);
        assert_eq!(distance(&turned(&x).finish(&ring, limbs), &integers(&expected, log2_base), limbs, log2_base), 0.0);
        assert_eq!(TurnedSum::default().finish(&ring, 2).limb(1), ring.zero(2).limb(1));

        let gadget = LimbGadget::new(limbs, 2);
        let keys: Vec<_> = (0..elements.len() as u64)
            .map(|k| {
                let part = |at: usize| uniform(gadget.limbs, 100 * (k as usize + 1) + at);
                let Ok(rows) =
                    ring.rows(&gadget, &seed, true, |row| Ok::<_, Infallible>([2 * row, 2 * row + 1].map(part)));
                rows
            })
            .collect();
        let digits = ring.digits(&gadget, &x.iter().collect::<Vec<_>>());
        let together =
            ring.finish_sum(&digits, &keys.iter().collect::<Vec<_>>(), [turned(&x), TurnedSum::default()], limbs);
        let mut each = [expected, ring.zero(limbs)];
        for (digits, key) in digits.iter().zip(&keys) {
            let [body, mask] = ring.finish_onto(ring.multiply(&[digits], key), &[&ring.zero(limbs)]).remove(0);
            each.iter_mut().zip([body, mask]).for_each(|(sum, part)| ring.add_assign(sum, &part));
        }
        // Each product is rounded by itself.
        for (found, exact) in together.iter().zip(&each) {
            let distance = distance(found, &integers(exact, log2_base), limbs, log2_base);
            assert!(distance <= elements.len() as f64, "{transform:?}, {log2_base} bits: {distance} units");
        }
    }
}

#[test]
fn one_coefficient_is_added_as_a_whole_element_is() {
    let ring = LimbRing::new(4, Transform::ThreePrimes, 60, 8).expect("ring");
    for (index, word, down) in [(0, 3, 0), (8, -(1 << 61), 17), (15, 1 << 40, 90), (1, 12345, 177), (2, -1, 500)] {
        let mut words = vec![0; 16];
        words[index] = word;
        let mut placed = ring.zero(3);
        coefficients::shift_into(ring.base(), &mut placed.views_mut(), &[&words], -down);
        for mut a in [ring.zero(3), ring.uniform(&3, 1, &Seed::from_bytes([9; 32]), 7).remove(0)] {
            let mut sum = a.clone();
            ring.add_assign(&mut sum, &placed);
            ring.add_to_coefficient(&mut a, index, word, down);
            assert_eq!(a.views(), sum.views(), "{word}·2^−{down}");
        }
    }
}

#[test]
fn rings_refuse_bases_whose_products_would_be_wrong() {
    let error = LimbRing::new(16, Transform::TwoPrimes, 38, 47).expect_err("beyond the bound").to_string();
    let expected = "base2k: sums of 47 products of 38-bit limbs at n = 65536 need a base of at most 37 bits with this \
                    transform; take a smaller base, or one of more primes";
    assert_eq!(error, expected);
    assert_eq!(
        LimbRing::new(12, Transform::ThreePrimes, 63, 2).unwrap_err().to_string(),
        "base2k: limbs have 2 to 62 bits, not 63"
    );
    assert!(
        LimbRing::new(7, Transform::Doubles, 10, 1).is_err() && LimbRing::new(18, Transform::TwoPrimes, 10, 1).is_err()
    );
    let ring = LimbRing::new(8, Transform::Doubles, 19, 4).expect("right for uniform rows");
    assert!(ring.require_base(4, Operands::Chosen).is_err());
}

#[test]
fn prefixes_are_rounded_elements() {
    let ring = LimbRing::new(8, Transform::TwoPrimes, 33, 6).expect("ring");
    let element = ring.uniform(&5, 1, &Seed::from_bytes([7; 32]), 3);
    let short = ring.uniform(&2, 1, &Seed::from_bytes([7; 32]), 3);
    let half: BigInt = BigInt::from(1) << (3 * 33 - 1);
    let mut element: Limbs = element[0].clone();
    let all: Vec<BigInt> = (0..256).map(|i| value(&element.views(), 33, i)).collect();
    element.truncate(2);
    assert!((0..2).all(|j| element.limb(j) == short[0].limb(j)), "a corner of a larger key");
    for (i, exact) in all.iter().enumerate() {
        let distance: BigInt = (value(&element.views(), 33, i) << (3 * 33)) - exact;
        let limit: BigInt = &half + &half / 100;
        assert!(distance.magnitude() <= limit.magnitude());
    }
}

/// Elements modulo a product of primes are the same numbers as limbs, to the precision of either.
#[test]
fn residues_become_limbs_and_limbs_residues() {
    let (log_n, mut sampler) = (5, Sampler::new(9));
    let primes: Vec<u64> = everlevel_math::primes::ntt_primes_below(45, log_n).take(6).collect();
    let ring = Ring::new(log_n, &primes).expect("ring");
    for (transform, log2_base) in [(Transform::TwoPrimes, 30u32), (Transform::ThreePrimes, 62)] {
        let limb_ring = LimbRing::new(log_n, transform, log2_base, 12).expect("ring of limbs");
        for (count, limbs) in [(6usize, 10usize), (5, 3), (1, 4), (3, 1)] {
            let set = PrimeSet::new(0..count);
            let modulus: BigInt = primes[..count].iter().map(|&q| BigInt::from(q)).product();
            let mut a = ring.zero::<Coeff>(&set);
            a.limbs_mut().iter_mut().for_each(|limb| limb.iter_mut().for_each(|x| *x = sampler.word() % (1 << 44)));
            // x modulo Q, by Chinese remainders.
            let exact = |i: usize| -> BigInt {
                let term = |k: usize| {
                    let (q, rest) = (BigInt::from(primes[k]), &modulus / primes[k]);
                    let inverse = (&rest % &q).modpow(&(&q - 2u32), &q);
                    BigInt::from(a.limbs()[k][i]) * inverse % &q * rest
                };
                (0..count).map(term).sum::<BigInt>() % &modulus
            };
            let found = limb_ring.of_residues(&ring, &a, limbs);
            let bits = limbs as u32 * log2_base;
            for i in 0..ring.n() {
                // In units of 1/(Q·2^(bits + 2)).
                let distance = (value(&found.views(), log2_base, i) * &modulus - (exact(i) << bits)) << 2u32;
                let whole = &modulus << (bits + 2);
                let distance = ((distance % &whole) + &whole) % &whole;
                let near = distance.clone().min(&whole - &distance);
                assert!(near <= &modulus * 3, "K = {log2_base}, {count} primes to {limbs} limbs");
            }
            // And back, where no bits were lost.
            if bits as usize > 45 * count + 3 {
                let back = limb_ring.to_residues(&ring, &set, &found);
                assert!(back.limbs().iter().zip(a.limbs()).all(|(x, y)| x[..] == y[..]), "{count} primes");
            } else {
                let back = limb_ring.to_residues(&ring, &set, &found);
                let again = limb_ring.of_residues(&ring, &back, limbs);
                for i in 0..ring.n() {
                    let distance = value(&found.views(), log2_base, i) - value(&again.views(), log2_base, i);
                    assert!(wrapped(&distance, bits).magnitude() <= &2u32.into(), "{distance}");
                }
            }
        }
    }
}
