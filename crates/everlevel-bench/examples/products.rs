//! Half products beside full ones:
//! `cargo run --release -p everlevel-bench --example products -- [--samples COUNT] [--json FILE] [set …]`.
//!
//! For each set, with as many digits for the body as for a mask (full) and as it is named (half): transforms and
//! products of one step of a blind rotation, bytes of the key, milliseconds of a rotation on one thread (its CPU time,
//! full and half in turn), the noise of `COUNT` rotations (10,000) beside its formula, and the failure probability. It
//! ends with an error where the variance of 10,000 rotations is more than 5 % off its formula; the transforms' part of
//! that is an upper bound, of which half is enough. Lines `set/transforms seconds` with a tab between them follow the
//! table: of one rotation.

#[path = "../../everlevel-binfhe/tests/common/rotations.rs"]
mod rotations;

use std::error::Error;

use everlevel_bench::timing::{Clock, Times};
use everlevel_binfhe::{EvalKeys, Gadget, Lut, ParamsLiteral, SecretKey, noise, sets};
use everlevel_testkit::noise::Measured;
use serde::Serialize;

/// Keys that the samples of a noise are from.
const KEYS: u64 = 20;
/// Single rotations that are timed, and passes over the key for [`BATCH`] of them.
const REPEATS: (usize, usize) = (61, 7);
const BATCH: usize = 64;

#[derive(Serialize)]
struct Row {
    /// The named set.
    set: String,
    /// `full` or `half`.
    products: &'static str,
    mask: Gadget,
    body: Gadget,
    bits_per_step: usize,
    transforms: usize,
    multiplications: usize,
    key_megabytes: f64,
    least_milliseconds: f64,
    median_milliseconds: f64,
    batch_milliseconds: f64,
    samples: usize,
    log2_deviation: f64,
    log2_deviation_formula: f64,
    variance_ratio: f64,
    /// The transforms' part of the formula.
    transforms_ratio: f64,
    log2_p_fail: f64,
}

impl Row {
    fn is_as_predicted(&self) -> bool {
        self.samples < 10_000 || (0.95 * (1.0 - 0.5 * self.transforms_ratio)..1.05).contains(&self.variance_ratio)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut samples, mut path, mut names) = (10_000, None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--samples" => samples = arguments.next().ok_or("--samples needs a number")?.parse()?,
            "--json" => path = Some(arguments.next().ok_or("--json needs a file")?),
            _ => names.push(argument),
        }
    }
    if names.is_empty() {
        names = ["insecure-tfhe-lib", "gate-64", "gate-128", "integer-4-128", "integer-5-128"].map(String::from).into();
    }
    let mut rows = Vec::new();
    println!("{TITLES}\n|{}", "---|".repeat(TITLES.matches('|').count() - 1));
    for name in &names {
        for row in compare(name, samples)? {
            print(&row);
            rows.push(row);
        }
    }
    println!();
    for Row { set, transforms, least_milliseconds, .. } in &rows {
        println!("{set}/{transforms}\t{}", 1e-3 * least_milliseconds);
    }
    if let Some(path) = path {
        std::fs::write(path, serde_json::to_string_pretty(&rows)? + "\n")?;
    }
    match rows.iter().find(|row| !row.is_as_predicted()) {
        None => Ok(()),
        Some(row) => Err(format!("{}: the variance is {:.3} of its formula", row.set, row.variance_ratio).into()),
    }
}

/// The titles of the columns that [`print`] fills.
const TITLES: &str = "| set | products | digits of mask, body | bits a step | transforms | multiplications | key, MB | one, ms (median) | \
                      each of 64, ms | noise | formula | variance by formula | samples | failure |";

fn print(row: &Row) {
    let digits = |gadget: Gadget| format!("{} × {}", gadget.digits, gadget.log2_base);
    println!(
        "| `{}` | {} | {}, {} | {} | {} | {} | {:.1} | {:.3} ({:.3}) | {:.3} | 2^{:.3} | 2^{:.3} | {:.3} | {} | 2^{:.1} |",
        row.set,
        row.products,
        digits(row.mask),
        digits(row.body),
        row.bits_per_step,
        row.transforms,
        row.multiplications,
        row.key_megabytes,
        row.least_milliseconds,
        row.median_milliseconds,
        row.batch_milliseconds,
        row.log2_deviation,
        row.log2_deviation_formula,
        row.variance_ratio,
        row.samples,
        row.log2_p_fail,
    );
}

/// A set's forms: with full products, and with half ones. The 2016 library's has two of these.
fn forms(name: &str) -> Result<Vec<ParamsLiteral>, Box<dyn Error>> {
    let literal = |name| sets::find(name).map(|set| set.literal().tfhe().expect("a set of TFHE's"));
    let half = literal(name)?;
    if name == "insecure-tfhe-lib" {
        return Ok(vec![literal("insecure-tfhe-lib-full")?, literal("insecure-tfhe-lib-seven")?, half]);
    }
    // A form for comparison alone: any failure probability is accepted.
    let full = ParamsLiteral { body_gadget: half.mask_gadget, max_log2_p_fail: 0.0, ..half.clone() };
    Ok(vec![full, half])
}

fn compare(name: &str, samples: u64) -> Result<Vec<Row>, Box<dyn Error>> {
    let forms = forms(name)?;
    let keys: Vec<(SecretKey, EvalKeys)> = forms.iter().map(|form| rotations::fixed_keys(form.clone(), 0)).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let singles = pool.install(|| time(&keys, 1, REPEATS.0));
    let batches = pool.install(|| time(&keys, BATCH, REPEATS.1));
    let row = |i: usize| {
        let (form, params) = (&forms[i], keys[i].1.params());
        let errors = rotations::rotation_errors_of_keys(&forms[i], KEYS, samples.div_ceil(KEYS));
        let (measured, formula) =
            (errors.iter().copied().collect::<Measured>().mean_square(), params.mean_noise().blind_rotation);
        Row {
            set: name.into(),
            products: if form.mask_gadget == form.body_gadget { "full" } else { "half" },
            mask: form.mask_gadget,
            body: form.body_gadget,
            bits_per_step: form.bits_per_step,
            transforms: params.transforms(),
            multiplications: form.rows() * (form.rank + 1) * form.ggsws() / form.steps(),
            key_megabytes: keys[i].1.bootstrap_key().nbytes() as f64 / 1e6,
            least_milliseconds: singles[i].least,
            median_milliseconds: singles[i].median,
            batch_milliseconds: batches[i].median,
            samples: errors.len(),
            log2_deviation: 0.5 * measured.log2(),
            log2_deviation_formula: 0.5 * formula.log2(),
            variance_ratio: measured / formula,
            transforms_ratio: params.lwe_dim as f64 * noise::transforms(form) / formula,
            log2_p_fail: params.log2_p_fail(params.squared_norm),
        }
    };
    Ok((0..forms.len()).map(row).collect())
}

/// Milliseconds of one of `count` rotations with each key, the keys in turn.
fn time(keys: &[(SecretKey, EvalKeys)], count: usize, repeats: usize) -> Vec<Times> {
    let mut times = vec![Vec::new(); keys.len()];
    for repeat in 0..=repeats {
        for ((_, keys), times) in keys.iter().zip(&mut times) {
            let input = |i| keys.exponents(&rotations::uniform(keys.params().ciphertext_dim(), i), 0);
            let inputs: Vec<Vec<u32>> = (0..count as u64).map(input).collect();
            let lut = Lut::sign(keys.params(), 1 << 61);
            let luts = vec![&lut; count];
            let (seconds, _) = Clock::Thread.time(|| keys.bootstrap_key().blind_rotate(&inputs, &luts, 1));
            // The first is for what is not in memory yet.
            if repeat > 0 {
                times.push(1e3 * seconds / count as f64);
            }
        }
    }
    times.into_iter().map(Times::of).collect()
}
