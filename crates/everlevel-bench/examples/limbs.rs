//! Key switches over limbs, beside residues of the same total modulus:
//! `cargo run --release -p everlevel-bench --example limbs -- [log_n]…` (15 and 16).
//!
//! For each degree, transform and number of limbs of a digit: bits of the key's modulus and of the ciphertext, bytes of
//! the prepared key, and milliseconds of a key switch on one thread (its CPU time) in its parts: digits with their
//! transforms, products, and inverse transforms with carries. For residues: the key switch with one to eight special
//! primes of 48 bits, hybrid and by KLSS. A second table has the parts of a product of ciphertexts before its
//! relinearisation, least times.
//!
//! `-- --operations [log_n]…` prints another table: residues with one, two, four and eight special primes beside limbs
//! of one to eight to a digit, modulo three primes; for each a key switch, an automorphism, each of eight automorphisms
//! that share their digits, and a product with its relinearisation, of residues with its rescaling by one prime. Calls
//! of all rows are taken in turns, and each row is median (least).

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;

use everlevel_bench::delayed::{DelayedRows, HalfProductCost};
use everlevel_bench::limbs::uniform_key;
use everlevel_bench::timing::{Clock, Times};
use everlevel_math::primes::ntt_primes_below;
use everlevel_rand::Seed;
use everlevel_ring::base2k::Transform;
use everlevel_ring::{
    HalfProduct, LimbGadget, LimbRing, PackedPoly, PrimeSet, Representation, ResidueRows, Ring, RnsGadget,
};
use everlevel_rlwe::{Rlwe, SwitchingKey};

/// log2 of the largest key moduli at 128 bits for dense ternary secrets.
const KEY_BITS: [(u32, u32); 3] = [(14, 430), (15, 865), (16, 1729)];

fn seed(index: u8) -> Seed {
    Seed::from_bytes([index; 32])
}

fn print(name: &str, key_bits: f64, bits: f64, nbytes: usize, parts: &[Times]) {
    let total: f64 = parts.iter().map(|t| t.median).sum();
    let least: f64 = parts.iter().map(|t| t.least).sum();
    let each: Vec<String> = parts.iter().map(|t| format!("{:.1}", 1e3 * t.median)).collect();
    println!(
        "| {name} | {key_bits:.0} | {bits:.0} | {:.3} GB | {:.1} ms ({:.1}) | {} |",
        nbytes as f64 / 1e9,
        1e3 * total,
        1e3 * least,
        each.join(" + ")
    );
}

fn limbs(
    log_n: u32,
    transform: Transform,
    log2_base: u32,
    key_bits: u32,
    digit_limbs: usize,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let limbs = (key_bits / log2_base) as usize;
    let gadget = LimbGadget::new(limbs - digit_limbs, digit_limbs);
    let ring = LimbRing::new(log_n, transform, log2_base, limbs)?;
    let nbytes = ring.key_nbytes(&gadget);
    if nbytes > 3_500_000_000 {
        println!(
            "| {transform:?}, K = {log2_base}, D = {digit_limbs} | | | {:.2} GB | not run | |",
            nbytes as f64 / 1e9
        );
        return Ok(());
    }
    let key = uniform_key(&ring, &gadget);
    let count = limbs - digit_limbs;
    let [c0, c1] = [0, 1].map(|i| ring.uniform(&count, 1, &seed(2), i).remove(0));
    let repeats = 7;
    let digits = ring.digits(&gadget, &[&c1]);
    let of_digits = Times::of_calls(repeats, || ring.digits(&gadget, &[&c1]));
    let of_products = Times::of_calls(repeats, || ring.multiply(&[&digits[0]], key.rows()));
    let of_both = Times::of_calls(repeats, || key.switch_digits(&ring, &c0, &digits[0]));
    let of_carries = Times { least: of_both.least - of_products.least, median: of_both.median - of_products.median };
    let name = format!("{transform:?}, K = {log2_base}, D = {digit_limbs}");
    let bits = |count: usize| f64::from(log2_base) * count as f64;
    print(&name, bits(limbs), bits(count), nbytes, &[of_digits, of_products, of_carries]);
    Ok(())
}

/// The tensor product of two ciphertexts over limbs: the transforms of its operands, and sums of products limb by limb,
/// which a transform over `Y = 2^-K` would replace.
fn tensor(log_n: u32, transform: Transform, log2_base: u32, count: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
    let ring = LimbRing::new(log_n, transform, log2_base, count + 1)?;
    let module = ring.module();
    let [a0, a1, b0, b1] = [0, 1, 2, 3].map(|i| ring.uniform(&count, 1, &seed(5), i).remove(0));
    let mut out = module.scratch(count * module.width());
    let forward = || {
        for part in [&a0, &a1, &b0, &b1] {
            module.forward(&mut out.iter_mut().map(|words| &mut words[..]).collect::<Vec<_>>(), &part.views());
        }
    };
    let transforms = Times::of_calls(7, forward);
    let whole = Times::of_calls(7, || ring.tensor([&a0, &a1], [&b0, &b1], count, count));
    let sums = whole.least - transforms.least;
    println!(
        "| {transform:?}, K = {log2_base} | {count} | {:.1} ms | {:.1} ms | {:.0} % |",
        1e3 * transforms.least,
        1e3 * sums,
        100.0 * sums / whole.least
    );
    Ok(())
}

/// A key of uniform rows, whose digits have as many primes as there are special ones.
fn residue_key(ring: &Ring, set: &PrimeSet, special_set: &PrimeSet) -> SwitchingKey {
    // All primes have nearly the same size: without this bit, digits of primes above the special ones had one less.
    let gadget = RnsGadget::consecutive(ring, set, special_set, -1.0);
    assert_eq!(gadget.digits[0].len(), special_set.len());
    let full = gadget.full_set();
    let uniform = |row: u64| PackedPoly::new(&ring.uniform_poly(&full, &seed(3), row));
    let digits = gadget.digits.len() as u64;
    let rows = ResidueRows::new(seed(3), (0..digits).map(uniform).collect(), Some((0..digits).map(uniform).collect()));
    SwitchingKey::from_rows(gadget, rows)
}

fn residues(log_n: u32, key_bits: u32, special: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
    let count = (key_bits / 48) as usize;
    // As many auxiliary primes as others, of which few are taken.
    let primes: Vec<u64> = ntt_primes_below(48, log_n).take(2 * count).collect();
    let ring = Ring::new(log_n, &primes)?;
    let (set, special_set) = (PrimeSet::new(0..count - special), PrimeSet::new(count - special..count));
    let key = residue_key(&ring, &set, &special_set);
    let (gadget, full) = (key.gadget().clone(), key.gadget().full_set());
    let c1 = ring.uniform_poly(&set, &seed(4), 0);
    let ct = Rlwe { c0: ring.uniform_poly(&set, &seed(4), 1), c1: c1.clone() };
    let time = Times::of_calls(5, || key.switch(&ring, &ct));
    let (bits, key_bits) = (ring.log2(&set), ring.log2(&full));
    print(&format!("residues, hybrid, {special} special"), key_bits, bits, key.nbytes(), &[time]);
    let (auxiliary, group_lens) = (PrimeSet::new(count..2 * count), [2, 3, 4, 6, 9]);
    let best = DelayedRows::best_plan(&ring, &gadget, &auxiliary).map(|(_, groups)| groups.len());
    for group_len in group_lens {
        let Some((taken, groups)) = DelayedRows::plan(&ring, &gadget, &auxiliary, group_len) else { continue };
        let mark = if best == Some(groups.len()) { ", the cheapest by count" } else { "" };
        let shape = format!("{} groups, {} auxiliary{mark}", groups.len(), taken.len());
        let cost = HalfProductCost::of_delayed(&ring, &gadget, &taken, &groups);
        if cost.nbytes > 2_500_000_000 {
            continue;
        }
        let rows = DelayedRows::prepare(&ring, key.rows(), taken, groups);
        let time = Times::of_calls(5, || {
            let sums = rows.multiply(&ring, &rows.digits(&ring, &gadget, &c1), &full);
            ring.rescale_many(sums.into(), &set)
        });
        print(&format!("residues, KLSS, {special} special, {shape}"), key_bits, bits, rows.nbytes(), &[time]);
    }
    Ok(())
}

/// Automorphisms of one ciphertext that share their digits.
const HOISTED: u64 = 8;

/// A row's calls, which are a key switch, an automorphism, several of one ciphertext, and a product.
struct Operations {
    name: String,
    bits: [f64; 2],
    nbytes: usize,
    calls: [Box<dyn Fn()>; 4],
}

/// A call with a key.
type Run<R> = Box<dyn Fn(&R, &SwitchingKey<R>, &Rlwe<R>)>;

/// The calls of a key: uniform ones, which take the time of ones that encrypt something.
fn operations<R: HalfProduct + 'static>(
    ring: Arc<R>,
    key: Arc<SwitchingKey<R>>,
    ct: Rlwe<R>,
    product: impl Fn(&R, &SwitchingKey<R>, &Rlwe<R>) + 'static,
) -> [Box<dyn Fn()>; 4] {
    let ct = Arc::new(ct);
    let call = |run: Run<R>| -> Box<dyn Fn()> {
        let (ring, key, ct) = (Arc::clone(&ring), Arc::clone(&key), Arc::clone(&ct));
        Box::new(move || run(&ring, &key, &ct))
    };
    [
        call(Box::new(|ring, key, ct| drop(black_box(key.switch(ring, ct))))),
        call(Box::new(|ring, key, ct| drop(black_box(key.automorphism(ring, ct, 5))))),
        call(Box::new(|ring, key, ct| {
            let moves: Vec<(u64, &SwitchingKey<R>)> = (0..HOISTED).map(|i| (4 * i + 5, key)).collect();
            drop(black_box(SwitchingKey::automorphisms(ring, ct, &moves)));
        })),
        call(Box::new(product)),
    ]
}

/// The rows of limbs, of so many to a digit.
fn limb_operations(log_n: u32, key_bits: u32, digit_limbs: usize) -> Result<Operations, Box<dyn Error + Send + Sync>> {
    let log2_base = key_bits / key_bits.div_ceil(60);
    let limbs = (key_bits / log2_base) as usize;
    let (count, gadget) = (limbs - digit_limbs, LimbGadget::new(limbs - digit_limbs, digit_limbs));
    let ring = Arc::new(LimbRing::new(log_n, Transform::ThreePrimes, log2_base, limbs)?);
    let key = Arc::new(uniform_key(&ring, &gadget));
    let [c0, c1] = [0, 1].map(|i| ring.uniform(&count, 1, &seed(2), i).remove(0));
    let [d0, d1] = [2, 3].map(|i| ring.uniform(&count, 1, &seed(2), i).remove(0));
    let product = move |ring: &LimbRing, key: &SwitchingKey<LimbRing>, ct: &Rlwe<LimbRing>| {
        let tensor = ring.tensor([&ct.c0, &ct.c1], [&d0, &d1], count, count);
        drop(black_box(key.relinearize(ring, tensor, &count)));
    };
    Ok(Operations {
        name: format!("limbs, D = {digit_limbs}"),
        bits: [limbs, count].map(|count| f64::from(log2_base) * count as f64),
        nbytes: ring.key_nbytes(&gadget),
        calls: operations(ring, key, Rlwe { c0, c1 }, product),
    })
}

/// The rows of residues, with so many special primes.
fn residue_operations(log_n: u32, key_bits: u32, special: usize) -> Result<Operations, Box<dyn Error + Send + Sync>> {
    let count = (key_bits / 48) as usize;
    let ring = Arc::new(Ring::new(log_n, &ntt_primes_below(48, log_n).take(count).collect::<Vec<_>>())?);
    let (set, special_set) = (PrimeSet::new(0..count - special), PrimeSet::new(count - special..count));
    let key = Arc::new(residue_key(&ring, &set, &special_set));
    let [c0, c1, d0, d1] = [0, 1, 2, 3].map(|i| ring.uniform_poly(&set, &seed(4), i));
    let below = PrimeSet::new(0..count - special - 1);
    let product = move |ring: &Ring, key: &SwitchingKey, ct: &Rlwe| {
        let tensor = ring.tensor([&ct.c0, &ct.c1], [&d0, &d1], 1);
        drop(black_box(key.relinearize(ring, tensor, &below)));
    };
    Ok(Operations {
        name: format!("residues, {special} special"),
        bits: [ring.log2(&key.gadget().full_set()), ring.log2(&set)],
        nbytes: key.nbytes(),
        calls: operations(ring, key, Rlwe { c0, c1 }, product),
    })
}

/// Prints the table of operations, in groups that memory has room for.
fn compare(log_n: u32, key_bits: u32) -> Result<(), Box<dyn Error + Send + Sync>> {
    println!(
        "| N = 2^{log_n} | key, ciphertext bits | a key | key switch | automorphism | each of {HOISTED} | product |"
    );
    println!("|---|---|---|---|---|---|---|");
    let of_residues = [1, 2, 4, 8].map(|special| residue_operations(log_n, key_bits, special));
    let of_limbs = (1..=8).map(|digit_limbs| limb_operations(log_n, key_bits, digit_limbs));
    let rows: Vec<Operations> = of_residues.into_iter().chain(of_limbs).collect::<Result<_, _>>()?;
    let mut times = vec![[(); 4].map(|()| Vec::new()); rows.len()];
    // The first round brings into memory what is not there yet.
    for round in 0..=5 {
        for (row, times) in rows.iter().zip(&mut times) {
            for ((call, times), share) in row.calls.iter().zip(times).zip([1, 1, HOISTED, 1]) {
                let (seconds, ()) = Clock::Thread.time(call);
                if round > 0 {
                    times.push(1e3 * seconds / share as f64);
                }
            }
        }
    }
    for (Operations { name, bits: [key, ciphertext], nbytes, .. }, times) in rows.iter().zip(times) {
        let times = times.map(Times::of).map(|t| format!("{:.1} ({:.1})", t.median, t.least));
        let size = *nbytes as f64 / 1e9;
        println!("| {name} | {key:.0}, {ciphertext:.0} | {size:.2} GB | {} |", times.join(" | "));
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_compared = arguments.first().is_some_and(|first| first == "--operations");
    arguments.drain(..usize::from(is_compared));
    let mut degrees: Vec<u32> = arguments.iter().map(|x| x.parse()).collect::<Result<_, _>>()?;
    if degrees.is_empty() {
        degrees = vec![15, 16];
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build()?;
    for log_n in degrees {
        let (_, key_bits) = KEY_BITS.into_iter().find(|(n, _)| *n == log_n).ok_or("log_n is 14, 15 or 16")?;
        if is_compared {
            pool.install(|| compare(log_n, key_bits))?;
            continue;
        }
        println!("\nN = 2^{log_n}\n\n| | key bits | ciphertext bits | key | key switch, median (least) | parts |");
        println!("|---|---|---|---|---|---|");
        pool.install(|| -> Result<(), Box<dyn Error + Send + Sync>> {
            // The largest base with which the key has nearly all of its bits.
            let log2_base = key_bits / key_bits.div_ceil(60);
            for digit_limbs in [1, 2, 3, 4, 8] {
                limbs(log_n, Transform::ThreePrimes, log2_base, key_bits, digit_limbs)?;
            }
            for digit_limbs in [4, 8] {
                limbs(log_n, Transform::TwoPrimes, 36, key_bits, digit_limbs)?;
            }
            for digit_limbs in [8, 16] {
                limbs(log_n, Transform::Doubles, 19, key_bits, digit_limbs)?;
            }
            for special in [1, 2, 4, 8] {
                residues(log_n, key_bits, special)?;
            }
            println!("\nN = 2^{log_n}\n\n| a product of ciphertexts | limbs | transforms of both | sums of products | share |");
            println!("|---|---|---|---|---|");
            for digit_limbs in [1, 4] {
                let count = (key_bits / log2_base) as usize - digit_limbs;
                tensor(log_n, Transform::ThreePrimes, log2_base, count)?;
            }
            tensor(log_n, Transform::Doubles, 19, (key_bits / 19) as usize - 8)
        })?;
    }
    Ok(())
}
