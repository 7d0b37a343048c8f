//! The table of *Revisiting Key Decomposition Techniques for FHE* (FHE.org 2024), cell by cell:
//! `cargo run --release -p everlevel-bench --example decompositions -- [log_n]…` (16 and 15).
//!
//! Key switches, automorphisms and CKKS products with relinearisation, by residues with the hybrid key switch, by
//! residues with KLSS', and over limbs in doubles and modulo three primes. Keys have as many bits as 128 bits of
//! security allow, those of the talk. A cell is the fastest choice of digits that leaves a ciphertext three quarters of
//! the key's bits: milliseconds of one thread (its CPU time, median of five), and the bits that are left. Lines
//! `name value` with a tab between them, seconds and bits, follow the table.

use std::error::Error;

use everlevel_bench::delayed::{DelayedRows, HalfProductCost};
use everlevel_bench::limbs::uniform_key;
use everlevel_bench::timing::Times;
use everlevel_math::primes::ntt_primes_below;
use everlevel_rand::Seed;
use everlevel_ring::base2k::Transform;
use everlevel_ring::{
    HalfProduct, LimbGadget, LimbRing, PackedPoly, PrimeSet, Representation, ResidueRows, Ring, RnsGadget,
};
use everlevel_rlwe::{Rlwe, SwitchingKey};

type Failure = Box<dyn Error + Send + Sync>;

/// log2 of the degree, and of the largest key modulus at 128 bits for dense ternary secrets.
const KEY_BITS: [(u32, u32); 3] = [(13, 216), (15, 865), (16, 1729)];
const OPERATIONS: [&str; 3] = ["switch", "automorphism", "product"];
/// Bytes of the largest key that is run.
const MOST_NBYTES: usize = 2_500_000_000;
const REPEATS: usize = 5;
/// Primes of a group that KLSS reduces to together, which are tried.
const GROUP_LENS: [usize; 4] = [2, 4, 6, 9];
/// An automorphism that moves all coefficients.
const GALOIS_ELT: u64 = 5;

/// Seconds of each operation with one choice of digits, and the bits that it leaves.
struct Choice {
    seconds: [f64; 3],
    bits: f64,
}

fn seed(index: u8) -> Seed {
    Seed::from_bytes([index; 32])
}

fn median(call: impl FnMut()) -> f64 {
    Times::of_calls(REPEATS, call).median
}

/// A key's operations on two ciphertexts, whose tensor product is given.
fn operations<R: HalfProduct>(
    ring: &R,
    key: &SwitchingKey<R>,
    [x, y]: [&Rlwe<R>; 2],
    (tensor, to): (impl Fn(&Rlwe<R>, &Rlwe<R>) -> R::Tensor, &R::Modulus),
) -> [f64; 3] {
    [
        median(|| drop(key.switch(ring, x))),
        median(|| drop(key.automorphism(ring, x, GALOIS_ELT))),
        median(|| drop(key.relinearize(ring, tensor(x, y), to))),
    ]
}

/// Over limbs.
fn over_limbs(log_n: u32, transform: Transform, log2_base: u32, key_bits: u32) -> Result<Vec<Choice>, Failure> {
    let limbs = (key_bits / log2_base) as usize;
    let ring = LimbRing::new(log_n, transform, log2_base, limbs)?;
    let mut choices = Vec::new();
    for digit_limbs in [1, 2, 3, 4, 5, 7, 8, 16, 22].into_iter().filter(|&digit_limbs| 4 * digit_limbs <= limbs) {
        let count = limbs - digit_limbs;
        let gadget = LimbGadget::new(count, digit_limbs);
        if ring.key_nbytes(&gadget) > MOST_NBYTES {
            continue;
        }
        let key = uniform_key(&ring, &gadget);
        let [x, y] = [2, 3].map(|i| {
            let [c0, c1] = [0, 1].map(|part| ring.uniform(&count, 1, &seed(i), part).remove(0));
            Rlwe { c0, c1 }
        });
        let tensor = |x: &Rlwe<LimbRing>, y: &Rlwe<LimbRing>| ring.tensor([&x.c0, &x.c1], [&y.c0, &y.c1], count, count);
        let seconds = operations(&ring, &key, [&x, &y], (tensor, &count));
        choices.push(Choice { seconds, bits: f64::from(log2_base) * count as f64 });
    }
    Ok(choices)
}

/// By residues: with the hybrid key switch, and with KLSS'.
fn by_residues(log_n: u32, key_bits: u32) -> Result<[Vec<Choice>; 2], Failure> {
    let count = (key_bits / 48) as usize;
    // As many auxiliary primes as others, of which few are taken.
    let primes: Vec<u64> = ntt_primes_below(48, log_n).take(2 * count).collect();
    let ring = Ring::new(log_n, &primes)?;
    let (mut hybrid, mut delayed) = (Vec::new(), Vec::new());
    for special in [1, 2, 3, 4, 6, 8].into_iter().filter(|&special| 4 * special <= count) {
        let (set, special_set) = (PrimeSet::new(0..count - special), PrimeSet::new(count - special..count));
        let gadget = RnsGadget::consecutive(&ring, &set, &special_set, 0.0);
        let full = gadget.full_set();
        let uniform = |row: u64| PackedPoly::new(&ring.uniform_poly(&full, &seed(4), row));
        let digits = gadget.digits.len() as u64;
        let polys = || (0..digits).map(uniform).collect();
        let key: SwitchingKey =
            SwitchingKey::from_rows(gadget.clone(), ResidueRows::new(seed(4), polys(), Some(polys())));
        let [x, y] = [5, 6].map(|i| {
            let [c0, c1] = [0, 1].map(|part| ring.uniform_poly(&set, &seed(i), part));
            Rlwe { c0, c1 }
        });
        let tensor = |x: &Rlwe<Ring>, y: &Rlwe<Ring>| ring.tensor([&x.c0, &x.c1], [&y.c0, &y.c1], 1);
        let bits = ring.log2(&set);
        hybrid.push(Choice { seconds: operations(&ring, &key, [&x, &y], (tensor, &set)), bits });
        let auxiliary = PrimeSet::new(count..2 * count);
        let mut before = 0;
        for group_len in GROUP_LENS {
            let Some((taken, groups)) = DelayedRows::plan(&ring, &gadget, &auxiliary, group_len) else { continue };
            if std::mem::replace(&mut before, groups.len()) == groups.len() {
                continue;
            }
            if HalfProductCost::of_delayed(&ring, &gadget, &taken, &groups).nbytes > MOST_NBYTES {
                continue;
            }
            let rows = DelayedRows::prepare(&ring, key.rows(), taken, groups);
            let half_product = |poly: &_| {
                let sums = rows.multiply(&ring, &rows.digits(&ring, &gadget, poly), &full);
                let mut parts = ring.rescale_many(sums.into(), &set).into_iter();
                [(); 2].map(|()| parts.next().expect("two parts"))
            };
            let switched = || {
                let [mut c0, c1] = half_product(&x.c1);
                ring.add_assign(&mut c0, &x.c0);
                [c0, c1]
            };
            let seconds = [
                median(|| drop(switched())),
                median(|| drop(switched().map(|part| ring.automorphism(&part, GALOIS_ELT)))),
                median(|| {
                    let [d0, d1, d2] = tensor(&x, &y);
                    let [mut c0, mut c1] = half_product(&d2);
                    ring.add_assign(&mut c0, &d0);
                    ring.add_assign(&mut c1, &d1);
                    drop([c0, c1]);
                }),
            ];
            delayed.push(Choice { seconds, bits });
        }
    }
    Ok([hybrid, delayed])
}

fn main() -> Result<(), Failure> {
    let mut degrees: Vec<u32> = std::env::args().skip(1).map(|x| x.parse()).collect::<Result<_, _>>()?;
    if degrees.is_empty() {
        degrees = vec![16, 15];
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build()?;
    println!("| | N | bits of a key | key switch, ms; bits | automorphism | CKKS product |\n|---|---|---|---|---|---|");
    let mut figures = Vec::new();
    for log_n in degrees {
        let (_, key_bits) = KEY_BITS.into_iter().find(|(n, _)| *n == log_n).ok_or("log_n is 13, 15 or 16")?;
        let wide = key_bits / key_bits.div_ceil(60);
        let rows = pool.install(|| -> Result<_, Failure> {
            let [hybrid, delayed] = by_residues(log_n, key_bits)?;
            Ok([
                ("residues, hybrid", "hybrid", hybrid),
                ("residues, KLSS", "klss", delayed),
                ("limbs, doubles, K = 19", "doubles", over_limbs(log_n, Transform::Doubles, 19, key_bits)?),
                ("limbs, three primes", "primes", over_limbs(log_n, Transform::ThreePrimes, wide, key_bits)?),
            ])
        })?;
        for (name, short, choices) in rows {
            let cell = |(i, operation): (usize, &&str)| {
                let best = choices.iter().min_by(|a, b| a.seconds[i].total_cmp(&b.seconds[i]));
                best.map_or("–".into(), |best| {
                    let name = format!("{short}/{operation}/{log_n}");
                    figures.push((name.clone(), best.seconds[i]));
                    figures.push((name + "/bits", best.bits));
                    format!("{:.1}; {:.0}", 1e3 * best.seconds[i], best.bits)
                })
            };
            let cells: Vec<String> = OPERATIONS.iter().enumerate().map(cell).collect();
            println!("| {name} | 2^{log_n} | {key_bits} | {} |", cells.join(" | "));
        }
    }
    println!();
    figures.iter().for_each(|(name, value)| println!("{name}\t{value}"));
    Ok(())
}
