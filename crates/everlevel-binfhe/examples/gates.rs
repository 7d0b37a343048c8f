//! Times gates and tables: `cargo run --release -p everlevel-binfhe --example gates -- [set …]` (all sets without an
//! argument).
//!
//! One thread, minima and medians of its CPU time (the machine may be shared), of single calls and of batches of 64.
//! Failure probability and security stand beside each time.

mod timing;

use std::sync::Arc;

use everlevel_binfhe::{Ciphertext, Error, EvalKeys, Gate, SecretKey, Space, sets};
use timing::{cpu_seconds, least_and_median};

fn main() -> Result<(), Error> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    for set in sets::ALL.iter().filter(|set| names.is_empty() || names.iter().any(|name| name == set.name)) {
        let (secret, keys) = make_keys(set)?;
        pool.install(|| time(set, &secret, &keys))?;
    }
    Ok(())
}

fn make_keys(set: &sets::NamedSet) -> Result<(SecretKey, EvalKeys), Error> {
    let params = Arc::new(set.params()?);
    let secret = SecretKey::generate(params)?;
    let keys = EvalKeys::generate(&secret)?;
    Ok((secret, keys))
}

/// Least and median milliseconds of some calls.
fn measure<R>(repeats: usize, mut call: impl FnMut() -> Result<R, Error>) -> Result<(f64, f64, R), Error> {
    let mut last = call()?;
    let mut times = Vec::new();
    for _ in 0..repeats {
        let start = cpu_seconds(libc::CLOCK_THREAD_CPUTIME_ID);
        last = call()?;
        times.push(1e3 * (cpu_seconds(libc::CLOCK_THREAD_CPUTIME_ID) - start));
    }
    let (least, median) = least_and_median(times);
    Ok((least, median, last))
}

fn time(set: &sets::NamedSet, secret: &SecretKey, keys: &EvalKeys) -> Result<(), Error> {
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
    let (least, median, out) = measure(repeats, || run(&a[..1]))?;
    let right = match params.space {
        Space::Bit => secret.decrypt_bits(&out)? == [false],
        Space::Integer { .. } => secret.decrypt_integers(&out)? == [0],
    };
    assert!(right, "{}: a wrong answer", set.name);
    let size = if params.table_len() > 8192 { 4 } else { 64 };
    let (batch, batch_median, _) = measure(repeats.min(7), || run(&a[..size]))?;
    let each = size as f64;
    let (input, ..) = measure(25, || Ok(keys.exponents(a[0].lwe(), 0)))?;
    println!(
        "{:<18} one {least:>8.3} ({median:.3}) ms, batch of {size} {:>8.3} ({:.3}) ms each: {:.2}; input {input:.3} ms, {} transforms, \
         p_fail 2^{:.0}, {:.0} bits, keys {:.1} + {:.1} MB",
        set.name,
        batch / each,
        batch_median / each,
        batch / each / least,
        params.transforms(),
        params.log2_p_fail(params.squared_norm),
        set.security_bits,
        keys.bootstrap_key().nbytes() as f64 / 1e6,
        keys.key_switch_key().nbytes() as f64 / 1e6,
    );
    Ok(())
}
