//! The suite of `everlevel-testkit` on every backend of this CPU, and the identities of the ring on random inputs.

use everlevel_math::{Modulus, Ntt, PastCaches, Simd, packed, primes};
use everlevel_testkit::{base2k, convert, elementwise, layout, ntt, oracle, sample::Sampler};
use proptest::prelude::*;

fn on_every_backend(f: impl Fn(Simd)) {
    Simd::available().into_iter().for_each(f);
}

/// Primes at both ends of the range of sizes.
fn sizes() -> impl Iterator<Item = u64> {
    let edge = |bits: u32| primes::ntt_primes_below(bits, 3).next().expect("prime");
    [18, 20, 25, 31, 32, 33, 40, 44, 47, 48].into_iter().map(edge).chain([3, (1 << 47) + 5, 65537])
}

#[test]
fn forward_is_evaluation() {
    on_every_backend(|simd| {
        for log_n in 3..=9 {
            for bits in [18, 33, 48] {
                ntt::forward_is_evaluation(simd, log_n, bits);
            }
        }
    });
}

#[test]
fn transforms_match_the_portable_backend() {
    on_every_backend(|simd| {
        for log_n in 4..=17 {
            let sizes: &[u32] = if log_n > 13 { &[21, 48] } else { &[18, 20, 30, 32, 33, 40, 47, 48] };
            for &bits in sizes {
                ntt::matches_portable(simd, log_n, bits);
            }
        }
    });
}

#[test]
fn elementwise_kernels_match_one_word_arithmetic() {
    on_every_backend(|simd| {
        for q in sizes().filter(|&q| primes::is_prime(q)) {
            for n in [0, 1, 7, 8, 19, 64, 1000] {
                elementwise::arithmetic(simd, q, n);
                elementwise::tensor(simd, q, n);
                elementwise::reduce_signed(simd, q, n);
            }
        }
    });
}

#[test]
fn inner_products_match_one_word_arithmetic() {
    on_every_backend(|simd| {
        for q in sizes().filter(|&q| primes::is_prime(q)) {
            for (n, terms) in [(1, 1), (8, 2), (32, 64), (75, 3), (40, 64), (256, 7)] {
                elementwise::inner_product(simd, q, n, terms, false);
                elementwise::inner_product(simd, q, n, terms, true);
            }
        }
    });
}

#[test]
fn sliding_sums_match_one_word_arithmetic() {
    on_every_backend(|simd| {
        for q in sizes().filter(|&q| primes::is_prime(q)) {
            for (n, terms) in [(1, 1), (8, 2), (24, 64), (16, 64), (16, 7), (128, 7), (72, 3)] {
                elementwise::sliding_sums(simd, q, n, terms, false);
                elementwise::sliding_sums(simd, q, n, terms, true);
            }
        }
    });
}

/// Copies past the caches, to places that begin a line and to others, are copies, and touch nothing else.
#[test]
fn copies_past_the_caches_are_copies() {
    on_every_backend(|simd| {
        for n in [0, 1, 8, 64, 100] {
            let a: Vec<u64> = (0..n as u64).collect();
            let mut out = vec![!0; n + 16];
            let line = out.as_ptr().align_offset(64);
            for at in [line, line + 1] {
                out.fill(!0);
                let past = PastCaches::new(simd);
                // SAFETY: nobody looks at the words before the copies have ended.
                unsafe { past.copy(&mut out[at..at + n], &a) };
                drop(past);
                assert_eq!(out[at..at + n], a, "{n} words at {at}");
                assert!(out[..at].iter().chain(&out[at + n..]).all(|&x| x == !0), "{n} words at {at}");
            }
        }
    });
}

#[test]
fn packing_and_automorphisms() {
    on_every_backend(|simd| {
        for n in [0, 1, 8, 13, 64, 1000] {
            layout::pack_round_trip(simd, n);
        }
        for log_n in [3, 5, 8, 12] {
            for g in [1, 3, 5, 25, 77, (2 << log_n) - 1] {
                layout::automorphism(simd, log_n, g % (2 << log_n));
            }
        }
    });
}

#[test]
fn carries_of_limbs_match_big_integers() {
    on_every_backend(|simd| {
        for log2_base in [2, 3, 10, 28, 29, 37, 51, 52, 53, 60, 62] {
            base2k::steps_on_words(simd, log2_base, 200);
            base2k::steps_times_words(simd, log2_base, 200);
            base2k::steps_on_residues(simd, log2_base, 2, 43);
            base2k::steps_on_residues(simd, log2_base, 3, 43);
        }
        for (n, terms) in [(256, 1), (512, 7), (1024, 0)] {
            base2k::inner_products_of_transforms(simd, n, terms);
        }
    });
}

#[test]
fn basis_conversion_matches_big_integers() {
    on_every_backend(|simd| {
        for (bits, from, to, n) in
            [(48, 1, 2, 100), (48, 3, 4, 1000), (40, 8, 3, 256), (22, 5, 5, 513), (48, 60, 2, 128)]
        {
            convert::conversion(simd, bits, from, to, n);
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    #[test]
    fn transform_turns_negacyclic_products_into_pointwise_ones(seed: u64, log_n in 4u32..8, bits in 18u32..=48) {
        let n = 1usize << log_n;
        let q = primes::ntt_primes_below(bits, log_n).next().expect("prime");
        let mut sampler = Sampler::new(seed);
        let (a, b) = (sampler.limb(n, q), sampler.limb(n, q));
        let product = oracle::negacyclic_product(&a, &b, q);
        for simd in Simd::available() {
            let m = Modulus::with_simd(q, simd).expect("prime");
            let ntt = Ntt::new(log_n, m).expect("plan");
            let (mut x, mut y) = (a.clone(), b.clone());
            ntt.forward(&mut x);
            ntt.forward(&mut y);
            m.mul_assign(&mut x, &y);
            ntt.inverse(&mut x);
            prop_assert_eq!(&x, &product);
        }
    }

    #[test]
    fn inverse_undoes_forward(seed: u64, log_n in 3u32..12, bits in 18u32..=48) {
        let q = primes::ntt_primes_below(bits, log_n).next().expect("prime");
        let a = Sampler::new(seed).limb(1 << log_n, q);
        for simd in Simd::available() {
            let ntt = Ntt::new(log_n, Modulus::with_simd(q, simd).expect("prime")).expect("plan");
            let mut b = a.clone();
            ntt.forward(&mut b);
            ntt.inverse(&mut b);
            prop_assert_eq!(&a, &b);
        }
    }

    #[test]
    fn conversion_round_trips(values in proptest::collection::vec(any::<i64>(), 1..200)) {
        for simd in Simd::available() {
            convert::round_trip(simd, &values);
        }
    }

    #[test]
    fn unpack_undoes_pack(a in proptest::collection::vec(0u64..1 << 48, 0..200)) {
        for simd in Simd::available() {
            let (mut bytes, mut back) = (vec![0; packed::byte_len(a.len())], vec![0; a.len()]);
            packed::pack_with(simd, &mut bytes, &a);
            packed::unpack_with(simd, &mut back, &bytes);
            prop_assert_eq!(&a, &back);
        }
    }
}
