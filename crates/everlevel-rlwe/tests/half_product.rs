//! The half external product against schoolbook arithmetic, and the keys built on it.

use crate::common::{assert_same, difference, half_product, integers, ring, secret, seed, uniform};
use everlevel_rand::Domain;
use everlevel_ring::{Eval, Poly, PrimeSet, Ring};
use everlevel_rlwe::{Gadget, Randomness, Rlwe, SecretKey, SwitchingKey, encryptor};
use everlevel_rlwe::{key_switch_std_dev, rounding_std_dev};
use everlevel_testkit::oracle::{mul_mod, negacyclic_product};
use num_bigint::BigInt;

fn gadgets(ring: &Ring, set: &PrimeSet) -> Vec<Gadget> {
    let (one, two) = (PrimeSet::new([4]), PrimeSet::new([4, 5]));
    vec![
        Gadget::consecutive(ring, set, &one, 0.0),
        Gadget::consecutive(ring, set, &two, 5.0),
        Gadget::balanced(ring, set, &two, -1e-6),
        Gadget { digits: vec![PrimeSet::new([1, 3]), PrimeSet::new([0]), PrimeSet::new([2])], special: two.clone() },
        Gadget::whole(set, &two),
    ]
}

/// `P·c·s` by the schoolbook, modulo every prime of a set, plus `Σ_k digit_k·e_k` with the key's own errors.
fn expected_phase(ring: &Ring, c: &Poly<Eval>, from: &SecretKey, gadget: &Gadget, key_seed: u64) -> Poly<Eval> {
    let full = c.set().union(&gadget.special);
    let coeffs = ring.to_coeff(c.clone());
    let mut sum = ring.zero::<everlevel_ring::Coeff>(&full);
    ring.each_limb(&mut sum, |m, limb, i| {
        if c.set().contains(i) {
            let s: Vec<u64> = from.coeffs().iter().map(|&x| m.reduce_i64(x.into())).collect();
            let p = ring.product_mod(&gadget.special, i);
            for (o, x) in limb.iter_mut().zip(negacyclic_product(coeffs.limb(i), &s, m.q())) {
                *o = mul_mod(x, p, m.q());
            }
        }
    });
    let mut sum = ring.to_eval(sum);
    let (rows, digits): (Vec<_>, Vec<_>) = gadget.digits_over(ring, c.set()).into_iter().unzip();
    for (k, digit) in ring.mod_up(&[c], &digits, &gadget.special).remove(0) {
        for row in &rows[k] {
            let randomness = Randomness::from(&seed(key_seed));
            let errors = encryptor(ring, from.eval());
            let error = errors.error(&gadget.full_set(), Domain::KeyNoise, &randomness, *row as u64);
            ring.mul_add_assign(&mut sum, &digit, &error);
        }
    }
    sum
}

#[test]
fn the_phase_is_p_times_the_product_plus_the_digits_times_the_keys_errors_exactly() {
    let ring = ring(7, 6);
    let top = PrimeSet::new([0, 1, 2, 3]);
    let (from, to) = (secret(&ring, 1, 40), secret(&ring, 2, 64));
    for (index, gadget) in gadgets(&ring, &top).into_iter().enumerate() {
        let key = SwitchingKey::generate(&ring, (from.eval(), to.eval()), gadget.clone(), &seed(7), true);
        // At the key's own level and at lower ones, some of whose digits are cut short, joined or gone.
        for set in [[0, 1, 2, 3].to_vec(), vec![0, 1, 2], vec![0, 2], vec![1]] {
            let set = PrimeSet::new(set);
            assert!(key.serves(&set));
            let c = uniform(&ring, &set, index as u64);
            let out = half_product(&ring, &key, &c);
            assert_same(&out.phase(&ring, &to), &expected_phase(&ring, &c, &from, &gadget, 7));
        }
        assert!(!key.serves(&PrimeSet::new([0, 6])) && !key.serves(&gadget.full_set()));
    }
}

#[test]
fn the_keys_share_of_the_noise_is_bounded_by_digits_times_errors() {
    let ring = ring(7, 6);
    let set = PrimeSet::new([0, 1, 2, 3]);
    let (from, to) = (secret(&ring, 1, 40), secret(&ring, 2, 64));
    for gadget in gadgets(&ring, &set).into_iter().filter(|g| g.digits.len() > 1) {
        let key = SwitchingKey::generate(&ring, (from.eval(), to.eval()), gadget.clone(), &seed(8), true);
        let c = uniform(&ring, &set, 3);
        let mut noise = half_product(&ring, &key, &c).phase(&ring, &to);
        let mut message = c;
        ring.mul_assign(&mut message, from.eval());
        ring.sub_assign(&mut noise, &ring.rescale(message, &gadget.full_set()));
        // |e| ≤ 29 for the table of σ = 3.2, |digit| ≤ D/2.
        let product = |d: &PrimeSet| d.indices().iter().map(|&i| BigInt::from(ring.modulus(i).q())).product::<BigInt>();
        let bound: BigInt = gadget.digits.iter().map(product).sum::<BigInt>() * 29 * ring.n() / 2;
        let worst = integers(&ring, &ring.to_coeff(noise)).into_iter().map(|x| x.magnitude().clone()).max().unwrap();
        assert!(worst <= *bound.magnitude() && worst > bound.magnitude() / 1000u32, "{worst} against {bound}");
    }
}

#[test]
fn galois_keys_map_phases_by_their_automorphism() {
    let ring = ring(8, 5);
    let two_n = 2 * ring.n() as u64;
    let set = PrimeSet::new([0, 1, 2]);
    let gadget = Gadget::balanced(&ring, &set, &PrimeSet::new([3, 4]), 5.0);
    let s = secret(&ring, 3, 64);
    let bound = 6.5
        * gadget.digits.iter().fold(rounding_std_dev(64), |sum, d| {
            sum.hypot(key_switch_std_dev(ring.n(), 1, ring.log2(d), ring.log2(&gadget.special)))
        });
    let conjugation = ring.conjugation_elt();
    let elements = [
        ring.rotation_elt(1),
        ring.rotation_elt(-1),
        ring.rotation_elt(37),
        ring.rotation_elt(64),
        conjugation,
        conjugation * ring.rotation_elt(5) % two_n,
        3,
        ring.n() as u64 + 1,
    ];
    for (index, elt) in elements.into_iter().enumerate() {
        let key = SwitchingKey::generate_galois(&ring, &s, elt, gadget.clone(), &seed(60 + index as u64), true);
        let ct = Rlwe { c0: uniform(&ring, &set, 10), c1: uniform(&ring, &set, 11) };
        let moved = key.automorphism(&ring, &ct, elt);
        let expected = ring.automorphism(&ct.phase(&ring, &s), elt);
        let worst =
            difference(&ring, &moved.phase(&ring, &s), &expected).into_iter().fold(0.0f64, |w, x| w.max(x.abs()));
        assert!(worst > 0.0 && worst < bound, "element {elt}: {worst} against {bound}");
        // And for no other element.
        let wrong = ring.automorphism(&ct.phase(&ring, &s), elt * 5 % two_n);
        let worst = difference(&ring, &moved.phase(&ring, &s), &wrong).into_iter().fold(0.0f64, |w, x| w.max(x.abs()));
        assert!(worst > 2f64.powi(80), "element {elt}");
    }
}

#[test]
fn seeded_and_expanded_keys_give_the_same_bits() {
    let ring = ring(8, 6);
    let set = PrimeSet::new([0, 1, 2, 3]);
    let (from, to) = (secret(&ring, 1, 64), secret(&ring, 2, 64));
    let c = uniform(&ring, &set, 5);
    let same = |a: &Rlwe, b: &Rlwe| {
        assert_same(&a.c0, &b.c0);
        assert_same(&a.c1, &b.c1);
    };
    for gadget in gadgets(&ring, &set) {
        let make =
            |expanded| SwitchingKey::generate(&ring, (from.eval(), to.eval()), gadget.clone(), &seed(9), expanded);
        let (seeded, expanded) = (make(false), make(true));
        assert!(!seeded.is_expanded() && expanded.is_expanded());
        assert_eq!(seeded.seeded_nbytes(), expanded.seeded_nbytes());
        assert_eq!(expanded.nbytes(), 2 * seeded.nbytes());
        let expected = half_product(&ring, &expanded, &c);
        same(&half_product(&ring, &seeded, &c), &expected);
        let held = seeded.expanded(&ring).expect("the masks were not held");
        assert!(held.is_expanded() && expanded.expanded(&ring).is_none());
        assert_eq!(held.nbytes(), expanded.nbytes());
        same(&half_product(&ring, &held, &c), &expected);
        // Another seed is another key.
        let other = SwitchingKey::generate(&ring, (from.eval(), to.eval()), gadget.clone(), &seed(10), false);
        assert!(half_product(&ring, &other, &c).c1.limbs()[0][..] != expected.c1.limbs()[0][..]);
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let ring = ring(10, 6);
            let set = PrimeSet::new([0, 1, 2, 3]);
            let s = secret(&ring, 1, 256);
            let gadget = Gadget::balanced(&ring, &set, &PrimeSet::new([4, 5]), 5.0);
            let key = SwitchingKey::generate_galois(&ring, &s, 5, gadget, &seed(1), false);
            let ct = Rlwe::encrypt_zero(&ring, &set, &s, &seed(2));
            let out = half_product(&ring, &key, &ct.c1).rescale(&ring, &set);
            [out.c0, out.c1].map(|p| p.limbs().iter().map(|l| l.to_vec()).collect::<Vec<_>>())
        })
    };
    let expected = on(1);
    assert!(on(4) == expected && on(3) == expected);
}

#[test]
fn secrets_have_their_weight_and_tell_nothing_when_printed() {
    let ring = ring(8, 2);
    for weight in [1, 32, 256] {
        let s = SecretKey::sample(&ring, &seed(1), 0, Some(weight)).unwrap();
        assert_eq!(s.weight(), weight);
        assert!(s.coeffs().iter().all(|c| (-1..=1).contains(c)));
        let wide: Vec<i64> = s.coeffs().iter().map(|&c| c.into()).collect();
        assert_same(s.eval(), &ring.to_eval(ring.from_i64(&ring.all_primes(), &wide)));
        assert_eq!(format!("{s:?}"), format!("SecretKey {{ id: {:?}, .. }}", s.id()));
    }
    assert!(SecretKey::sample(&ring, &seed(1), 0, Some(257)).is_err());
    let (a, b) =
        (SecretKey::sample(&ring, &seed(1), 0, None).unwrap(), SecretKey::sample(&ring, &seed(1), 1, None).unwrap());
    assert!(a.id() != b.id() && a.coeffs() != b.coeffs());
}
