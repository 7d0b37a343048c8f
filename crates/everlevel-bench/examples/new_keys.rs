//! The table of ePrint 2023/979 by the clock: for messages of 1 to 11 bits that fail with 2^-14, the classic set of the
//! authors' artifact beside those with shared secrets and a key-switch chain, and with a key switch by transforms:
//! `cargo run --release -p everlevel-bench --example new_keys -- [bits | repeated:bits]…` (1 to 9, and repeated:10 and
//! repeated:11).
//!
//! Key switches are as the artifact has them, and everything runs on the same kernels: one thread, minima of its CPU
//! time, in turns; from 9 bits on, whose keys don't fit into memory together, one set after another. Beside the ratios
//! of times stand those of operations as the artifact counts them, and beside those of keys, whose switches here have
//! words of 32 bits, those with words of 64 bits everywhere. Sets of 9 bits compute on messages of 8, whose tables and
//! keys are the same; their failures are those of 9.
//!
//! `repeated:bits` is a rotation alone, whose steps read a part of a key, of random words, again and again: the keys of
//! 10 and 11 bits have up to 105 GB. Nothing is decrypted; what it takes is the time of a rotation that waits for its
//! key as a real one does. At 11 bits, whose degree of 2^17 transforms don't have, the accumulator has two parts of
//! 2^16 instead (an extended table), and the key half of its size. Lines `name value` with a tab between them follow:
//! seconds, bytes of keys in memory, and words of 64 bits.

use std::sync::Arc;

use everlevel_bench::new_keys::{literal, log2_p_fail};
use everlevel_bench::timing::{Clock, Times};
use everlevel_binfhe::{Ciphertext, Error, EvalKeys, Params, SecretKey};
use everlevel_math::fft::{Digits, ExternalProduct, Fft};
use everlevel_rand::{Domain, Seed};
use everlevel_ring::{TorusWord, WordBuffer};
use everlevel_testkit::artifact::{self, Set};

/// Bytes of the part of a key that is read again and again: many times a last-level cache.
const PART_NBYTES: usize = 1 << 30;
/// log2 of the largest degree of transforms.
const MOST_LOG_N: u32 = 16;

struct Line {
    set: Set,
    keys: EvalKeys,
    inputs: Vec<Ciphertext>,
    table: Vec<u64>,
    times: Measured,
}

/// Milliseconds and bytes of a set.
#[derive(Clone, Copy)]
struct Measured {
    alone: f64,
    each: f64,
    switch: f64,
    log2_p_fail: f64,
    bootstrap_nbytes: usize,
    switch_nbytes: usize,
}

impl Line {
    fn new(set: Set) -> Result<Self, Error> {
        let secret = SecretKey::generate(Arc::new(Params::try_from(literal(&set))?))?;
        let keys = EvalKeys::generate(&secret)?;
        let count = if set.bits < 6 { 64 } else { 8 };
        let max = keys.max_integer()?;
        let messages: Vec<u64> = (0..count).map(|i| (i * 5) & max).collect();
        let (inputs, table) = (secret.encrypt_integers(&messages, max)?, (0..=max).rev().collect::<Vec<u64>>());
        let found = secret.decrypt_integers(&keys.table(&inputs, &table)?)?;
        assert!(found.iter().zip(&messages).all(|(found, m)| found + m == max), "a wrong answer");
        let [alone, each, switch] = [f64::INFINITY; 3];
        let (bootstrap_nbytes, switch_nbytes) = (keys.bootstrap_key().nbytes(), keys.key_switch_nbytes());
        let log2_p_fail = log2_p_fail(&set, keys.params());
        let times = Measured { alone, each, switch, log2_p_fail, bootstrap_nbytes, switch_nbytes };
        Ok(Self { set, keys, inputs, table, times })
    }

    /// Milliseconds of one more round, if they are fewer.
    fn time(&mut self) {
        let (keys, inputs) = (&self.keys, &self.inputs);
        let least = |repeats, call: &mut dyn FnMut()| Times::of_calls(repeats, call).least * 1e3;
        let times = &mut self.times;
        times.alone = times.alone.min(least(3, &mut || drop(keys.table(&inputs[..1], &self.table))));
        let each = least(1, &mut || drop(keys.table(inputs, &self.table))) / inputs.len() as f64;
        times.each = times.each.min(each);
        times.switch = times.switch.min(least(5, &mut || drop(keys.exponents(inputs[0].lwe(), 0))));
    }
}

impl Measured {
    fn nbytes(&self) -> f64 {
        (self.bootstrap_nbytes + self.switch_nbytes) as f64
    }

    fn print(&self, set: &Set, (classic_set, classic): (&Set, &Self)) {
        println!(
            "| {} | {} | {} | {:.3} | {:.3} | {:.3} | 2^{:.1} | {:.1} + {:.1} | {:.2}, {:.2} | {:.2} | {:.2} | {:.2} |",
            set.bits,
            kind(set),
            set.lwe_dim,
            self.alone,
            self.each,
            self.switch,
            self.log2_p_fail,
            self.bootstrap_nbytes as f64 / 1e6,
            self.switch_nbytes as f64 / 1e6,
            classic.alone / self.alone,
            classic.each / self.each,
            classic_set.cost() / set.cost(),
            classic.nbytes() / self.nbytes(),
            classic_set.key_words() as f64 / set.key_words() as f64,
        );
    }
}

fn kind(set: &Set) -> String {
    format!("{:?}", set.kind).to_lowercase()
}

fn sets(bits: u32) -> Vec<Set> {
    artifact::sets().into_iter().filter(|set| set.bits == bits).collect()
}

/// Times of a message's three sets.
fn measure(bits: u32) -> Result<Vec<(Set, Measured)>, Error> {
    let rounds = if bits < 6 { 9 } else { 4 };
    let timed = |lines: &mut [Line], rounds| (0..rounds).for_each(|_| lines.iter_mut().for_each(Line::time));
    if bits < 9 {
        let mut lines = sets(bits).into_iter().map(Line::new).collect::<Result<Vec<_>, _>>()?;
        timed(&mut lines, rounds);
        return Ok(lines.into_iter().map(|line| (line.set, line.times)).collect());
    }
    let one = |set| {
        let mut line = Line::new(set)?;
        timed(std::slice::from_mut(&mut line), 1);
        Ok((line.set, line.times))
    };
    sets(bits).into_iter().map(one).collect()
}

/// Seconds of a rotation over a part of a key that is read again and again, and the part's bytes.
fn repeated(set: &Set) -> (f64, usize) {
    let n = 1usize << set.log_n.min(MOST_LOG_N);
    let fft = Fft::new(n).expect("a degree that transforms have");
    let gadget = Digits { log2_base: set.digits.0, levels: set.digits.1 };
    let product = ExternalProduct::new::<u64>(fft, &vec![gadget; set.rank + 1], u64::log2_key_unit(n));
    let len = product.matrix_len();
    let count = (PART_NBYTES / (8 * len)).clamp(2, set.lwe_dim);
    let mut key: WordBuffer<f64> = WordBuffer::zeroed(count * len);
    let mut stream = Seed::from_bytes([7; 32]).stream(Domain::Test, 0);
    let mut words = vec![0u64; len];
    for matrix in key.chunks_exact_mut(len) {
        stream.fill_u64(&mut words);
        // Of the size of transforms of torus words.
        matrix.iter_mut().zip(&words).for_each(|(out, &x)| *out = x as i64 as f64 * (n as f64).sqrt());
    }
    let (parts, part_len) = (1 << (set.log_n - set.log_n.min(MOST_LOG_N)), product.columns() * n);
    let mut acc = vec![0u64; parts * part_len];
    stream.fill_u64(&mut acc);
    let mut exponents = vec![0u64; set.lwe_dim];
    stream.fill_u64(&mut exponents);
    let mut scratch: WordBuffer<f64> = WordBuffer::zeroed(product.scratch_len());
    let matrix = |step: usize| &key[step % count * len..][..len];
    let (seconds, ()) = Clock::Thread.time(|| {
        for (step, exponent) in exponents.iter().enumerate() {
            let exponent = *exponent as usize % (2 * n);
            for part in acc.chunks_exact_mut(part_len) {
                product.rotate_add([(part, exponent)], matrix(step), &mut scratch, matrix(step + 1));
            }
        }
    });
    (seconds, 8 * count * len)
}

fn main() -> Result<(), Error> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let number = |text: &str| text.parse::<u32>().expect("a number of bits");
    let (parts, whole): (Vec<&str>, Vec<&str>) =
        asked.iter().map(String::as_str).partition(|text| text.starts_with("repeated:"));
    let parts: Vec<u32> = parts.iter().map(|text| number(text.trim_start_matches("repeated:"))).collect();
    let whole: Vec<u32> = whole.into_iter().map(number).collect();
    let (whole, parts) = if asked.is_empty() { ((1..10).collect(), vec![10, 11]) } else { (whole, parts) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    println!(
        "| bits | set | n | alone, ms | each, ms | key switch, ms | failure | keys, MB | time ÷ alone, each | \
         operations ÷ | keys ÷ | keys of words of 64 bits ÷ |"
    );
    println!("|{}", "---|".repeat(12));
    let mut figures = Vec::new();
    for bits in whole {
        let lines = pool.install(|| measure(bits))?;
        for (set, times) in &lines {
            times.print(set, (&lines[0].0, &lines[0].1));
            let name = format!("{bits}/{}", kind(set));
            figures.push((format!("{name}/alone"), 1e-3 * times.alone));
            figures.push((format!("{name}/each"), 1e-3 * times.each));
            figures.push((format!("{name}/nbytes"), times.nbytes()));
            figures.push((format!("{name}/words"), set.key_words() as f64));
        }
    }
    if !parts.is_empty() {
        println!(
            "\n| bits | set | n | a rotation over a repeated part of its key, s | the part, GB | keys of words of 64 bits, GB | time ÷ | keys ÷ |"
        );
        println!("|{}", "---|".repeat(8));
    }
    for bits in parts {
        let sets = sets(bits);
        let mut classic = f64::NAN;
        for set in &sets {
            let (seconds, part) = pool.install(|| repeated(set));
            classic = if classic.is_nan() { seconds } else { classic };
            println!(
                "| {bits} | {} | {} | {seconds:.3} | {:.2} | {:.2} | {:.2} | {:.2} |",
                kind(set),
                set.lwe_dim,
                part as f64 / 1e9,
                8.0 * set.key_words() as f64 / 1e9,
                classic / seconds,
                sets[0].key_words() as f64 / set.key_words() as f64,
            );
            let name = format!("{bits}/{}", kind(set));
            figures.push((format!("{name}/rotation"), seconds));
            figures.push((format!("{name}/words"), set.key_words() as f64));
        }
    }
    println!();
    figures.iter().for_each(|(name, value)| println!("{name}\t{value}"));
    Ok(())
}
