//! How moduli are cut into digits.

use crate::common;

use everlevel_ring::{PrimeSet, Ring};
use everlevel_rlwe::Gadget;
use proptest::prelude::*;

const PRIMES: usize = 24;

fn ring() -> Ring {
    common::ring(4, PRIMES)
}

fn bits(ring: &Ring, digits: &[PrimeSet]) -> Vec<f64> {
    digits.iter().map(|d| ring.log2(d)).collect()
}

/// A nonempty set of primes of three sizes, and one to four special primes outside it.
fn sets() -> impl Strategy<Value = (PrimeSet, PrimeSet)> {
    (1u32..1 << 20, 0u32..8, 1usize..=4).prop_map(|(large, small, special)| {
        let set = PrimeSet::new(
            (0..20).filter(|i| large >> i & 1 == 1).chain((0..3).filter(|i| small >> i & 1 == 1).map(|i| PRIMES + i)),
        );
        (set, PrimeSet::new(20..20 + special))
    })
}

fn assert_partition(gadget: &Gadget, set: &PrimeSet, special: &PrimeSet) {
    assert!(gadget.digits.iter().all(|d| !d.is_empty()), "no digit is empty");
    assert_eq!(gadget.digits.iter().map(PrimeSet::len).sum::<usize>(), set.len(), "digits are disjoint");
    assert_eq!(&gadget.ciphertext_set(), set, "digits cover the set");
    assert_eq!(&gadget.full_set(), &set.union(special));
    assert_eq!(&gadget.special, special);
}

proptest! {
    #![proptest_config(ProptestConfig::default())]

    #[test]
    fn consecutive_digits_partition_in_order_and_keep_the_limit((set, special) in sets(), headroom in 0.0f64..40.0) {
        let ring = ring();
        let gadget = Gadget::consecutive(&ring, &set, &special, headroom);
        assert_partition(&gadget, &set, &special);
        let limit = ring.log2(&special) - headroom;
        for (d, b) in gadget.digits.iter().zip(bits(&ring, &gadget.digits)) {
            prop_assert!(b <= limit || d.len() == 1, "a digit above the limit is one prime");
        }
        for pair in gadget.digits.windows(2) {
            let (last, first) = (pair[0].indices().last().unwrap(), pair[1].indices()[0]);
            prop_assert!(*last < first);
            prop_assert!(ring.log2(&pair[0]) + ring.modulus(first).log2() > limit, "a digit is as full as it can be");
        }
    }

    #[test]
    fn balanced_digits_partition_keep_the_limit_and_are_few_and_even((set, special) in sets(), headroom in 0.0f64..40.0) {
        let ring = ring();
        let gadget = Gadget::balanced(&ring, &set, &special, headroom);
        assert_partition(&gadget, &set, &special);
        let limit = ring.log2(&special) - headroom;
        let largest_prime = set.indices().iter().map(|&i| ring.modulus(i).log2()).fold(0.0, f64::max);
        let sizes = bits(&ring, &gadget.digits);
        let (most, least) = (sizes.iter().copied().fold(0.0, f64::max), sizes.iter().copied().fold(f64::INFINITY, f64::min));
        if largest_prime <= limit {
            prop_assert!(most <= limit, "{most} bits against {limit}");
        } else {
            prop_assert_eq!(gadget.digits.len(), set.len(), "where a prime alone exceeds the limit, every prime is a digit");
        }
        prop_assert!(gadget.digits.len() as f64 >= (ring.log2(&set) / limit).min(set.len() as f64));
        prop_assert!(most - least <= largest_prime + 1e-9, "digits differ by at most a prime");
        let consecutive = Gadget::consecutive(&ring, &set, &special, headroom);
        if largest_prime <= limit {
            prop_assert!(gadget.digits.len() <= consecutive.digits.len() + 1);
        }
    }
    #[test]
    fn exchanges_leave_as_few_digits_as_the_limit_allows((set, special) in sets(), headroom in 0.0f64..40.0) {
        let ring = ring();
        let gadget = Gadget::fewest(&ring, &set, &special, headroom);
        assert_partition(&gadget, &set, &special);
        let limit = ring.log2(&special) - headroom;
        let balanced = Gadget::balanced(&ring, &set, &special, headroom);
        prop_assert!(gadget.digits.len() <= balanced.digits.len());
        if gadget.digits.len() == balanced.digits.len() {
            prop_assert_eq!(&gadget, &balanced);
        } else {
            prop_assert!(bits(&ring, &gadget.digits).iter().all(|&b| b <= limit + 1e-9));
        }
        let apart = PrimeSet::new(set.indices().iter().copied().skip(1).step_by(2));
        let cut = Gadget::fewest_apart(&ring, &set, &special, headroom, &apart);
        assert_partition(&cut, &set, &special);
        prop_assert!(cut.digits.len() <= gadget.digits.len());
        prop_assert!(cut == gadget || cut.digits[0] == apart, "apart, or as without");
    }

    #[test]
    fn digits_over_fewer_primes_are_joined_up_to_the_largest((set, special) in sets(), kept in any::<u32>()) {
        let ring = ring();
        let gadget = Gadget::balanced(&ring, &set, &special, 1.0);
        let largest = bits(&ring, &gadget.digits).into_iter().fold(0.0, f64::max);
        let left = PrimeSet::new(set.indices().iter().copied().filter(|i| kept >> i & 1 == 1));
        let digits = gadget.digits_over(&ring, &left);
        let mut rows: Vec<usize> = digits.iter().flat_map(|(rows, _)| rows.clone()).collect();
        rows.sort_unstable();
        let expected = (0..gadget.digits.len()).filter(|&row| !gadget.digits[row].intersection(&left).is_empty());
        prop_assert_eq!(rows, expected.collect::<Vec<_>>());
        for (rows, primes) in &digits {
            let all = rows.iter().fold(PrimeSet::new([]), |all, &row| all.union(&gadget.digits[row]));
            prop_assert_eq!(primes, &all.intersection(&left));
            prop_assert!(ring.log2(primes) <= largest);
        }
        for (k, (_, a)) in digits.iter().enumerate() {
            prop_assert!(digits[..k].iter().all(|(_, b)| ring.log2(a) + ring.log2(b) > largest), "as few as can be");
        }
    }
}

#[test]
fn limits_are_met_to_the_bit() {
    let ring = ring();
    let set = PrimeSet::new(0..6);
    // Two primes of 48 bits a digit need two special primes and no headroom (the special ones are a little smaller).
    let special = PrimeSet::new([20, 21]);
    assert_eq!(Gadget::balanced(&ring, &set, &special, -0.001).digits.len(), 3);
    assert_eq!(Gadget::balanced(&ring, &set, &special, 0.001).digits.len(), 6);
    assert_eq!(Gadget::consecutive(&ring, &set, &special, -0.001).digits.len(), 3);
    assert_eq!(Gadget::consecutive(&ring, &set, &special, 0.001).digits.len(), 6);
    let whole = Gadget::whole(&set, &special);
    assert_partition(&whole, &set, &special);
    assert_eq!(whole.digits, [set]);
}
