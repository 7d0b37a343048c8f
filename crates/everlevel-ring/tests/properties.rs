//! Identities of the ring's operations on random polynomials, over sets of primes of three sizes.

use std::sync::Arc;

use everlevel_math::primes::ntt_primes_below;
use everlevel_ring::packed::stride;
use everlevel_ring::{Basis, Coeff, Eval, NotCanonical, PackedPoly, Poly, PrimeSet, Ring, Symmetry};
use everlevel_testkit::oracle::{crt_centred, negacyclic_product, residue};
use everlevel_testkit::sample::Sampler;
use num_bigint::BigInt;
use proptest::prelude::*;

/// Primes 0–3 of 48 bits, 4 and 5 of 36, 6 of 24.
fn ring(log_n: u32) -> Ring {
    let primes: Vec<u64> = [(48, 4), (36, 2), (24, 1)]
        .into_iter()
        .flat_map(|(bits, count)| ntt_primes_below(bits, log_n).take(count).collect::<Vec<_>>())
        .collect();
    Ring::new(log_n, &primes).unwrap()
}

/// Any nonempty set of the seven primes.
fn any_set() -> impl Strategy<Value = PrimeSet> {
    (1u32..128).prop_map(|mask| PrimeSet::new((0..7).filter(|i| mask >> i & 1 == 1)))
}

/// Residues with 0, 1, q − 1 and q/2 among them.
fn random<R: Basis>(ring: &Ring, set: &PrimeSet, seed: u64) -> Poly<R> {
    let mut sampler = Sampler::new(seed);
    let mut poly = ring.zero(set);
    for (limb, &i) in poly.limbs_mut().iter_mut().zip(set.indices()) {
        limb.copy_from_slice(&sampler.limb(ring.n(), ring.modulus(i).q()));
    }
    poly
}

fn words<R: Basis>(poly: &Poly<R>) -> Vec<&[u64]> {
    poly.limbs().iter().map(|l| &l[..]).collect()
}

#[track_caller]
/// `a(X) + a(X^-1)`.
fn symmetric(ring: &Ring, a: &Poly<Eval>) -> Poly<Eval> {
    let mut sum = ring.automorphism(a, ring.conjugation_elt());
    ring.add_assign(&mut sum, a);
    sum
}

/// Polynomials of conjugate symmetry, packed by half.
fn halves(ring: &Ring, polys: &[Poly<Eval>]) -> Vec<PackedPoly> {
    let poly = |k: usize| Ok::<_, std::convert::Infallible>(polys[k].clone());
    PackedPoly::many(ring, polys[0].set(), Symmetry::Conjugate, polys.len(), poly)
        .unwrap_or_else(|never| match never {})
}

fn assert_same<R: Basis>(a: &Poly<R>, b: &Poly<R>) {
    assert_eq!(a.set(), b.set());
    assert!(words(a) == words(b), "polynomials differ");
}

/// The coefficients nearest to zero, by big integers.
fn integers(ring: &Ring, a: &Poly<Coeff>) -> Vec<BigInt> {
    let primes: Vec<u64> = a.set().indices().iter().map(|&i| ring.modulus(i).q()).collect();
    (0..ring.n()).map(|c| crt_centred(&a.limbs().iter().map(|l| l[c]).collect::<Vec<_>>(), &primes)).collect()
}

fn product(ring: &Ring, set: &PrimeSet) -> BigInt {
    set.indices().iter().map(|&i| BigInt::from(ring.modulus(i).q())).product()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 5))]

    #[test]
    fn transforms_invert_each_other(log_n in 4u32..=10, set in any_set(), seed: u64) {
        let ring = ring(log_n);
        let a: Poly<Coeff> = random(&ring, &set, seed);
        assert_same(&ring.to_coeff(ring.to_eval(a.clone())), &a);
        let b: Poly<Eval> = random(&ring, &set, seed);
        assert_same(&ring.to_eval(ring.to_coeff(b.clone())), &b);
    }

    #[test]
    fn products_are_negacyclic_convolutions(log_n in 4u32..=7, set in any_set(), seed: u64) {
        let ring = ring(log_n);
        let a: Poly<Coeff> = random(&ring, &set, seed);
        let b: Poly<Coeff> = random(&ring, &set, seed ^ 1);
        let mut c = ring.to_eval(a.clone());
        ring.mul_assign(&mut c, &ring.to_eval(b.clone()));
        let c = ring.to_coeff(c);
        for &i in set.indices() {
            prop_assert_eq!(c.limb(i), &negacyclic_product(a.limb(i), b.limb(i), ring.modulus(i).q())[..]);
        }
    }

    #[test]
    fn automorphisms_compose_by_multiplying_their_elements(log_n in 4u32..=10, set in any_set(), g in 0u64..4096, h in 0u64..4096) {
        let ring = ring(log_n);
        let two_n = 2 * ring.n() as u64;
        let (g, h) = ((2 * g + 1) % two_n, (2 * h + 1) % two_n);
        let a: Poly<Eval> = random(&ring, &set, g ^ h);
        let both = ring.automorphism(&ring.automorphism(&a, g), h);
        assert_same(&both, &ring.automorphism(&a, g * h % two_n));
        assert_same(&ring.automorphism(&a, 1), &a);
        // A ring homomorphism.
        let b: Poly<Eval> = random(&ring, &set, g.wrapping_add(h));
        let mut product = a.clone();
        ring.mul_assign(&mut product, &b);
        let mut images = ring.automorphism(&a, g);
        ring.mul_assign(&mut images, &ring.automorphism(&b, g));
        assert_same(&ring.automorphism(&product, g), &images);
        let mut sum = b.clone();
        ring.automorphism_add_assign(&mut sum, &a, g);
        let mut expected = b;
        ring.add_assign(&mut expected, &ring.automorphism(&a, g));
        assert_same(&sum, &expected);
    }

    #[test]
    fn rotation_elements_form_a_cyclic_group(log_n in 4u32..=10, amount in -5000i64..5000, other in -5000i64..5000) {
        let ring = ring(log_n);
        let (two_n, order) = (2 * ring.n() as u64, ring.n() as i64 / 2);
        let elt = ring.rotation_elt(amount);
        prop_assert_eq!(elt * ring.rotation_elt(other) % two_n, ring.rotation_elt(amount + other));
        prop_assert_eq!(elt, ring.rotation_elt(amount + order));
        prop_assert_eq!(elt % 4, 1);
        prop_assert_eq!(ring.conjugation_elt() % 4, 3);
    }

    #[test]
    fn packing_keeps_every_bit(log_n in 4u32..=10, set in any_set(), seed: u64) {
        let ring = ring(log_n);
        let a: Poly<Eval> = random(&ring, &set, seed);
        let packed = PackedPoly::new(&a);
        assert_same(&packed.unpack(&ring), &a);
        prop_assert_eq!(packed.set(), &set);
        prop_assert!(packed.nbytes() >= 6 * ring.n() * set.len());
    }

    #[test]
    fn sums_of_products_in_tiles_are_those_term_by_term(
        log_n in 4u32..=12, set in any_set(), sizes in prop::collection::vec(0usize..70, 0..4),
        is_symmetric: bool, seed: u64,
    ) {
        let ring = ring(log_n);
        let operand = |k: u64| random::<Eval>(&ring, &set, seed.wrapping_add(k));
        // Sums share ciphertexts, as giant steps share baby steps.
        let cts: Vec<[Poly<Eval>; 2]> = (0..5).map(|k| [operand(2 * k), operand(2 * k + 1)]).collect();
        let plains = match is_symmetric {
            true => halves(&ring, &(10..13).map(|k| symmetric(&ring, &operand(k))).collect::<Vec<_>>()),
            false => (10..13).map(|k| PackedPoly::new(&operand(k))).collect(),
        };
        let terms = |size: &usize| (0..*size).map(|k| (cts[k % 5].each_ref(), &plains[k % 3])).collect::<Vec<_>>();
        let sums = ring.inner_products_packed(&set, &sizes.iter().map(terms).collect::<Vec<_>>());
        prop_assert_eq!(sums.len(), sizes.len());
        for (sum, size) in sums.iter().zip(&sizes) {
            for part in 0..2 {
                let mut expected = ring.zero(&set);
                for (x, y) in terms(size) {
                    ring.mul_add_assign(&mut expected, x[part], &y.unpack(&ring));
                }
                assert_same(&sum[part], &expected);
            }
        }
    }

    #[test]
    fn conjugate_symmetry_is_held_by_half(log_n in 4u32..=11, set in any_set(), place: u32, seed: u64) {
        let ring = ring(log_n);
        let a = symmetric(&ring, &random(&ring, &set, seed));
        let half = halves(&ring, std::slice::from_ref(&a)).remove(0);
        prop_assert_eq!((half.held(), half.symmetry()), (ring.n() / 2, Symmetry::Conjugate));
        assert_same(&half.unpack(&ring), &a);
        assert_same(&half.unpack_canonical(&ring).expect("residues of a polynomial"), &a);
        let least = PrimeSet::new(set.indices().iter().copied().take(1));
        assert_same(&half.restricted(&least).unpack(&ring), &a.clone().restricted(&least));
        let (k, at) = (place as usize % set.len(), place as usize / set.len() % half.held());
        let modulus = ring.modulus(set.indices()[k]).q();
        let mut bytes = half.bytes().to_vec();
        bytes[k * stride(half.held()) + 6 * at..][..6].copy_from_slice(&modulus.to_le_bytes()[..6]);
        let damaged = PackedPoly::shared(&set, (ring.n(), Symmetry::Conjugate), Arc::new(bytes), 0);
        let found = NotCanonical { index: k * half.held() + at, value: modulus, modulus };
        prop_assert_eq!(damaged.first_not_canonical(&ring), Some(found));
        prop_assert_eq!(damaged.unpack_canonical(&ring).err(), Some(found));
        assert_same(&half.into_owned().unpack(&ring), &a);
    }

    #[test]
    fn residues_that_are_not_canonical_are_found(log_n in 4u32..=11, set in any_set(), place: u32, seed: u64) {
        let ring = ring(log_n);
        let a: Poly<Eval> = random(&ring, &set, seed);
        let packed = PackedPoly::new(&a);
        prop_assert_eq!(packed.first_not_canonical(&ring), None);
        assert_same(&packed.unpack_canonical(&ring).expect("residues of a polynomial"), &a);
        let (k, at) = (place as usize % set.len(), place as usize / set.len() % ring.n());
        let index = set.indices()[k];
        let modulus = ring.modulus(index).q();
        let mut bytes = packed.bytes().to_vec();
        bytes[k * stride(ring.n()) + 6 * at..][..6].copy_from_slice(&modulus.to_le_bytes()[..6]);
        let damaged = PackedPoly::shared(&set, (ring.n(), Symmetry::None), Arc::new(bytes), 0);
        let found = NotCanonical { index: k * ring.n() + at, value: modulus, modulus };
        prop_assert_eq!(damaged.first_not_canonical(&ring), Some(found));
        prop_assert_eq!(damaged.unpack_canonical(&ring).err(), Some(found));
    }

    #[test]
    fn restriction_keeps_the_limbs_of_the_subset(set in any_set(), mask: u32, seed: u64) {
        let ring = ring(5);
        let a: Poly<Eval> = random(&ring, &set, seed);
        let subset = PrimeSet::new(set.indices().iter().copied().filter(|i| mask >> i & 1 == 1));
        let copied = a.restricted(&subset);
        prop_assert!(subset.indices().iter().all(|&i| copied.limb(i) == a.limb(i)));
        prop_assert_eq!(copied.limbs().len(), subset.len());
    }

    #[test]
    fn sums_differences_and_negations_agree(set in any_set(), seed: u64) {
        let ring = ring(6);
        let a: Poly<Eval> = random(&ring, &set, seed);
        // The second operand may have more primes.
        let b: Poly<Eval> = random(&ring, &ring.all_primes(), !seed);
        let mut difference = a.clone();
        ring.sub_assign(&mut difference, &b);
        let mut negated = b.restricted(&set);
        ring.neg_assign(&mut negated);
        let mut sum = a.clone();
        ring.add_assign(&mut sum, &negated);
        assert_same(&difference, &sum);
        ring.add_assign(&mut difference, &b);
        assert_same(&difference, &a);
    }

    /// `Σ_k digit_k·T_k = a` with `T_k` 1 modulo digit `k`'s primes and 0 modulo the others', for any cut of the set.
    #[test]
    fn extended_digits_recompose(set in any_set(), cut in prop::collection::vec(0usize..3, 7), special in 0usize..7, seed: u64) {
        let ring = ring(5);
        let digits: Vec<PrimeSet> = (0..3).map(|k| PrimeSet::new((0..7).filter(|&i| cut[i] == k))).collect();
        let special = PrimeSet::new([special]);
        let a: Poly<Eval> = random(&ring, &set, seed);
        let ups = ring.mod_up(&[&a], &digits, &special).remove(0);
        let expected: Vec<usize> = (0..3).filter(|&k| !digits[k].intersection(&set).is_empty()).collect();
        prop_assert_eq!(ups.iter().map(|(k, _)| *k).collect::<Vec<_>>(), expected);
        let mut sum: Poly<Eval> = ring.zero(&set);
        for (k, up) in &ups {
            prop_assert_eq!(up.set(), &set.union(&special));
            ring.each_limb(&mut sum, |m, l, i| {
                if digits[*k].contains(i) {
                    m.add_assign(l, up.limb(i));
                }
            });
        }
        assert_same(&sum, &a);
    }

    /// Division undoes multiplication exactly, whatever the sets.
    #[test]
    fn dividing_a_multiple_is_exact(set in any_set(), extra in any_set(), seed: u64) {
        let ring = ring(5);
        let extra = extra.difference(&set);
        let all = set.union(&extra);
        let a: Poly<Eval> = random(&ring, &set, seed);
        let up = ring.rescale(a.clone(), &all);
        assert_same(&ring.rescale(up, &set), &a);
    }

    /// One division by `D₁·D₂` and two divisions differ by the double rounding: at most one.
    #[test]
    fn dividing_twice_is_dividing_once_within_one(set in any_set(), cut: u32, seed: u64) {
        prop_assume!(set.len() >= 3);
        let ring = ring(5);
        let last = *set.indices().last().unwrap();
        let middle = set.difference(&PrimeSet::new([last]));
        let few = PrimeSet::new(middle.indices().iter().copied().enumerate().filter(|(k, _)| *k == 0 || cut >> k & 1 == 1).map(|(_, i)| i));
        let a: Poly<Eval> = random(&ring, &set, seed);
        let once = ring.rescale(a.clone(), &few);
        let mut difference = ring.rescale(ring.rescale(a, &middle), &few);
        ring.sub_assign(&mut difference, &once);
        for x in integers(&ring, &ring.to_coeff(difference)) {
            prop_assert!(x.magnitude() <= BigInt::from(1).magnitude(), "{x}");
        }
    }

    #[test]
    fn integers_survive_their_residues(set in any_set(), coeffs in prop::collection::vec(-(1i128 << 120)..(1i128 << 120), 16)) {
        let ring = ring(4);
        let poly = ring.from_i128(&set, &coeffs);
        for (c, &x) in coeffs.iter().enumerate() {
            for &i in set.indices() {
                prop_assert_eq!(poly.limb(i)[c], residue(&BigInt::from(x), ring.modulus(i).q()));
            }
        }
        if ring.log2(&set) < 124.0 {
            let half: BigInt = product(&ring, &set) / 2;
            for (x, back) in integers(&ring, &poly).iter().zip(ring.to_i128(&poly)) {
                prop_assert_eq!(x, &BigInt::from(back));
                prop_assert!(x.magnitude() <= half.magnitude());
            }
        }
    }

    #[test]
    fn lifting_keeps_the_integer_nearest_to_zero(from in 0usize..7, set in any_set(), seed: u64) {
        let ring = ring(4);
        let a: Poly<Coeff> = random(&ring, &PrimeSet::new([from]), seed);
        let lifted = ring.lift(&a, &set);
        for (c, x) in integers(&ring, &a).iter().enumerate() {
            for &i in set.indices() {
                prop_assert_eq!(lifted.limb(i)[c], residue(x, ring.modulus(i).q()));
            }
        }
    }
}

/// Everything that takes a buffer from the pool and promises to overwrite it, in one list of results.
fn every_operation(ring: &Ring) -> Vec<Vec<u64>> {
    let (set, all) = (PrimeSet::new([0, 1, 4]), ring.all_primes());
    let digits = [PrimeSet::new([0, 4]), PrimeSet::new([1])];
    let a: Poly<Eval> = random(ring, &set, 1);
    let small: Vec<i64> = (0..ring.n() as i64).map(|i| i * i - 1000).collect();
    let wide: Vec<i128> = small.iter().map(|&x| i128::from(x) << 70).collect();
    let one: Poly<Coeff> = random(ring, &PrimeSet::new([2]), 3);
    let mut results: Vec<Poly<Eval>> =
        ring.mod_up(&[&a], &digits, &PrimeSet::new([2, 6])).remove(0).into_iter().map(|(_, p)| p).collect();
    results.push(ring.rescale(a.clone(), &PrimeSet::new([0, 5, 6])));
    results.push(ring.rescale(a.clone(), &all));
    results.push(ring.automorphism(&a, 5));
    results.push(PackedPoly::new(&a).unpack(ring));
    results.push(a.restricted(&PrimeSet::new([1])));
    results.push(ring.zero(&all));
    results.push(ring.to_eval(ring.from_i64(&all, &small)));
    results.push(ring.to_eval(ring.from_i128(&all, &wide)));
    results.push(ring.to_eval(ring.lift(&one, &all)));
    results.push(a);
    results.iter().flat_map(|p| p.limbs().iter().map(|l| l.to_vec())).collect()
}

#[test]
fn recycled_limbs_leak_nothing_into_results() {
    for log_n in [4, 8] {
        let expected = every_operation(&ring(log_n));
        let ring = ring(log_n);
        for garbage in [u64::MAX, (1 << 48) - 1, 1] {
            // More limbs than the operations need at once, all dirty when they go back to the pool.
            let mut dirty: Vec<_> = (0..256).map(|_| ring.scratch_limb()).collect();
            dirty.iter_mut().for_each(|limb| limb.fill(garbage));
            drop(dirty);
            assert!(every_operation(&ring) == expected, "log_n = {log_n}, garbage = {garbage:#x}");
        }
    }
}

#[test]
fn a_limb_has_one_owner() {
    let ring = ring(4);
    // An interpreter gets through fewer.
    let count = if cfg!(miri) { 100 } else { 40_000 };
    let mut limbs: Vec<_> = (0..count).map(|_| ring.scratch_limb()).collect();
    for (i, limb) in limbs.iter_mut().enumerate() {
        limb.fill(i as u64);
    }
    assert!(limbs.iter().enumerate().all(|(i, limb)| limb.iter().all(|&x| x == i as u64)));
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| every_operation(&ring(11)))
    };
    let expected = on(1);
    for threads in [2, 3, 7] {
        assert!(on(threads) == expected, "{threads} threads");
    }
}

#[test]
fn bad_prime_tables_are_refused() {
    let q = ntt_primes_below(48, 5).next().unwrap();
    assert!(matches!(Ring::new(5, &[q, q]), Err(everlevel_ring::Error::RepeatedPrime { q: found }) if found == q));
    for bad in [0, 1, 4, 65539, (1 << 48) + 1, u64::MAX] {
        let error = Ring::new(5, &[q, bad]).unwrap_err().to_string();
        assert!(error.contains(&bad.to_string()), "{error}");
    }
}
