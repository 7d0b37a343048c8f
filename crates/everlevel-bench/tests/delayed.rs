//! Half products with auxiliary primes are those without, to the bit.

use everlevel_bench::delayed::{DelayedRows, HalfProductCost};
use everlevel_math::primes::ntt_primes_below;
use everlevel_rand::Seed;
use everlevel_ring::{HalfProduct, PrimeSet, Ring};
use everlevel_rlwe::{Gadget, SecretKey, SwitchingKey};

fn seed(index: u8) -> Seed {
    Seed::from_bytes([index; 32])
}

#[test]
fn sums_modulo_auxiliary_primes_are_the_usual_ones() {
    // Primes 0 to 3 of ciphertexts, 4 and 5 special, the rest auxiliary.
    let primes: Vec<u64> = ntt_primes_below(48, 7).take(14).collect();
    let ring = Ring::new(7, &primes).unwrap();
    let secret = |index: u64, weight| SecretKey::sample(&ring, &seed(1), index, Some(weight)).unwrap();
    let (set, auxiliary) = (PrimeSet::new(0..4), PrimeSet::new(6..14));
    let (from, to) = (secret(1, 40), secret(2, 64));
    for special in [PrimeSet::new([4]), PrimeSet::new([4, 5])] {
        let gadget = Gadget::consecutive(&ring, &set, &special, 0.0);
        let key = SwitchingKey::generate(&ring, (from.eval(), to.eval()), gadget.clone(), &seed(7), true);
        for group_len in 1..=gadget.full_set().len() {
            let (taken, groups) = DelayedRows::plan(&ring, &gadget, &auxiliary, group_len).expect("primes enough");
            assert!(groups.iter().all(|group| group.len() <= group_len));
            let cost = HalfProductCost::of_delayed(&ring, &gadget, &taken, &groups);
            let rows = DelayedRows::prepare(&ring, key.rows(), taken, groups);
            assert_eq!(rows.nbytes(), cost.nbytes);
            for of in [vec![0, 1, 2, 3], vec![0, 2], vec![1]] {
                let of = PrimeSet::new(of);
                let c = ring.uniform_poly(&of, &seed(2), group_len as u64);
                let expected = ring.multiply(&[&ring.digits(&gadget, &[&c])[0]], key.rows()).remove(0);
                let found = rows.multiply(&ring, &rows.digits(&ring, &gadget, &c), &of.union(&special));
                for (expected, found) in expected.iter().zip(&found) {
                    assert_eq!(expected.set(), found.set());
                    expected.limbs().iter().zip(found.limbs()).for_each(|(a, b)| assert!(a[..] == b[..]));
                }
            }
        }
        // One prime fewer than the first plan needs.
        assert!(DelayedRows::plan(&ring, &gadget, &PrimeSet::new([6, 7]), 4).is_none());
    }
}
