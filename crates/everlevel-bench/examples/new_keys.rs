//! The table of ePrint 2023/979 by the clock: for messages of 1 to 8 bits that fail with 2^-14, the classic set of the
//! authors' artifact beside those with shared secrets and a key-switch chain, and with a key switch by transforms:
//! `cargo run --release -p everlevel-bench --example new_keys -- [bits …]`.
//!
//! Key switches are as the artifact has them, and everything runs on the same kernels: one thread, minima of its CPU
//! time, in turns. Beside the ratios of times stand those of operations as the artifact counts them, and beside those
//! of keys, whose switches here have words of 32 bits, those with words of 64 bits everywhere.

use std::sync::Arc;

use everlevel_bench::new_keys::literal;
use everlevel_bench::timing::Times;
use everlevel_binfhe::{Ciphertext, Error, EvalKeys, Params, SecretKey};
use everlevel_testkit::artifact::{self, Kind, Set};

struct Line {
    kind: Kind,
    cost: f64,
    words: usize,
    keys: EvalKeys,
    inputs: Vec<Ciphertext>,
    table: Vec<u64>,
    alone: f64,
    each: f64,
    switch: f64,
}

impl Line {
    fn new(set: &Set) -> Result<Self, Error> {
        let secret = SecretKey::generate(Arc::new(Params::try_from(literal(set))?))?;
        let keys = EvalKeys::generate(&secret)?;
        let count = if set.bits < 6 { 64 } else { 8 };
        let max = (1 << set.bits) - 1;
        let messages: Vec<u64> = (0..count).map(|i| (i * 5) & max).collect();
        let (inputs, table) = (secret.encrypt_integers(&messages, max)?, (0..=max).rev().collect::<Vec<u64>>());
        let found = secret.decrypt_integers(&keys.table(&inputs, &table)?)?;
        assert!(found.iter().zip(&messages).all(|(found, m)| found + m == max), "a wrong answer");
        let [alone, each, switch] = [f64::INFINITY; 3];
        Ok(Self { kind: set.kind, cost: set.cost(), words: set.key_words(), keys, inputs, table, alone, each, switch })
    }

    /// Milliseconds of one more round, if they are fewer.
    fn time(&mut self) {
        let (keys, inputs) = (&self.keys, &self.inputs);
        let least = |repeats, call: &mut dyn FnMut()| Times::of_calls(repeats, call).least * 1e3;
        self.alone = self.alone.min(least(3, &mut || drop(keys.table(&inputs[..1], &self.table))));
        let each = least(1, &mut || drop(keys.table(inputs, &self.table))) / inputs.len() as f64;
        self.each = self.each.min(each);
        self.switch = self.switch.min(least(5, &mut || drop(keys.exponents(inputs[0].lwe(), 0))));
    }

    fn print(&self, bits: u32, classic: &Self) {
        let params = self.keys.params();
        println!(
            "| {bits} | {} | {} | {:.3} | {:.3} | {:.3} | 2^{:.1} | {:.1} + {:.1} | {:.2}, {:.2} | {:.2} | {:.2} | {:.2} |",
            format!("{:?}", self.kind).to_lowercase(),
            params.lwe_dim,
            self.alone,
            self.each,
            self.switch,
            params.log2_p_fail(params.squared_norm),
            self.keys.bootstrap_key().nbytes() as f64 / 1e6,
            self.keys.key_switch_nbytes() as f64 / 1e6,
            classic.alone / self.alone,
            classic.each / self.each,
            classic.cost / self.cost,
            classic.keys.nbytes() as f64 / self.keys.nbytes() as f64,
            classic.words as f64 / self.words as f64,
        );
    }
}

fn main() -> Result<(), Error> {
    let asked: Vec<u32> = std::env::args().skip(1).map(|text| text.parse().expect("a number of bits")).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    println!(
        "| bits | set | n | alone, ms | each, ms | key switch, ms | failure | keys, MB | time ÷ alone, each | \
         operations ÷ | keys ÷ | keys of words of 64 bits ÷ |"
    );
    println!("|{}", "---|".repeat(12));
    for bits in (1..=8).filter(|bits| asked.is_empty() || asked.contains(bits)) {
        let sets = artifact::sets().into_iter().filter(|set| set.bits == bits);
        let mut lines = sets.map(|set| Line::new(&set)).collect::<Result<Vec<_>, _>>()?;
        pool.install(|| (0..if bits < 6 { 9 } else { 4 }).for_each(|_| lines.iter_mut().for_each(Line::time)));
        lines.iter().for_each(|line| line.print(bits, &lines[0]));
    }
    Ok(())
}
