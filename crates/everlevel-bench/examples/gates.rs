//! Times gates and tables: `cargo run --release -p everlevel-bench --example gates -- [set …]` (all sets without an
//! argument). `SET:1` and `SET:2` stand for the set with steps of so many bits.
//!
//! One thread, minima and medians of its CPU time (the machine may be shared), of single calls and of batches of 64.
//! Failure probability and security stand beside each time.

use std::sync::Arc;

use everlevel_bench::timing::Times;
use everlevel_binfhe::{Ciphertext, Error, EvalKeys, Gate, Params, ParamsLiteral, SecretKey, Space, sets};

fn main() -> Result<(), Error> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    println!(
        "| set | alone, ms (median) | a batch | each, ms (median) | each to alone | input, ms | transforms | failure | \
         security, bits | keys, MB |"
    );
    println!("|{}", "---|".repeat(10));
    for set in sets::ALL {
        if names.is_empty() || names.iter().any(|name| name == set.name) {
            let (secret, keys) = make_keys(set.params()?)?;
            pool.install(|| time(set.name, set.security_bits, &secret, &keys))?;
        }
        for bits_per_step in [1, 2] {
            let name = format!("{}:{bits_per_step}", set.name);
            if names.contains(&name) {
                let (secret, keys) = make_keys(in_steps(set, bits_per_step)?)?;
                pool.install(|| time(&name, set.security_bits, &secret, &keys))?;
            }
        }
    }
    Ok(())
}

/// The set's parameters with steps of so many bits, however often they fail.
fn in_steps(set: &sets::NamedSet, bits_per_step: usize) -> Result<Params, Error> {
    let literal = set.literal().tfhe().expect("a set of TFHE's");
    Params::try_from(ParamsLiteral { bits_per_step, max_log2_p_fail: 0.0, ..literal })
}

fn make_keys(params: Params) -> Result<(SecretKey, EvalKeys), Error> {
    let params = Arc::new(params);
    let secret = SecretKey::generate(params)?;
    let keys = EvalKeys::generate(&secret)?;
    Ok((secret, keys))
}

fn time(name: &str, security_bits: f64, secret: &SecretKey, keys: &EvalKeys) -> Result<(), Error> {
    let params = keys.params();
    let (a, table) = match params.space {
        Space::Bit => (secret.encrypt_bits(&[true; 64])?, Vec::new()),
        Space::Integer { bits } => {
            let max = (1 << bits) - 1;
            (secret.encrypt_integers(&[max; 64], max)?, (0..=max).rev().collect())
        }
    };
    let run = |a: &[Ciphertext]| match params.space {
        Space::Bit => keys.gates(&[Gate::Nand], a, a),
        Space::Integer { .. } => keys.table(a, &table),
    };
    let repeats = if params.table_len() > 8192 { 3 } else { 31 };
    let out = run(&a[..1])?;
    let right = match params.space {
        Space::Bit => secret.decrypt_bits(&out)? == [false],
        Space::Integer { .. } => secret.decrypt_integers(&out)? == [0],
    };
    assert!(right, "{name}: a wrong answer");
    let one = Times::of_calls(repeats, || run(&a[..1])).scaled(1e3);
    let size = if params.table_len() > 8192 { 4 } else { 64 };
    let each = Times::of_calls(repeats.min(7), || run(&a[..size])).scaled(1e3 / size as f64);
    let input = Times::of_calls(25, || keys.exponents(a[0].lwe(), 0)).scaled(1e3);
    println!(
        "| `{name}` | {:.3} ({:.3}) | {size} | {:.3} ({:.3}) | {:.2} | {:.3} | {} | 2^{:.0} | {:.0} | {:.1} + {:.1} |",
        one.least,
        one.median,
        each.least,
        each.median,
        each.least / one.least,
        input.least,
        params.transforms(),
        params.log2_p_fail(params.squared_norm),
        security_bits,
        keys.bootstrap_key().nbytes() as f64 / 1e6,
        keys.key_switch_nbytes() as f64 / 1e6,
    );
    Ok(())
}
