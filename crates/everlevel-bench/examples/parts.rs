//! Times of a bootstrap's parts: `cargo run --release -p everlevel-bench --example parts -- [set …]` (all sets without
//! an argument).
//!
//! One thread, minima of its CPU time (the machine may be shared): the blind rotation alone and as one of 64, for a bit
//! of the small secret too, and the key switch.

use std::sync::Arc;

use everlevel_bench::timing::Times;
use everlevel_binfhe::{Error, EvalKeys, Lut, SecretKey, sets};

fn main() -> Result<(), Error> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    for set in sets::ALL.iter().filter(|set| names.is_empty() || names.iter().any(|name| name == set.name)) {
        time(set)?;
    }
    Ok(())
}

/// Least milliseconds of some calls.
fn least<R>(repeats: usize, call: impl FnMut() -> R) -> f64 {
    1e3 * Times::of_calls(repeats, call).least
}

fn time(set: &sets::NamedSet) -> Result<(), Error> {
    let params = Arc::new(set.params()?);
    let secret = SecretKey::generate(Arc::clone(&params))?;
    let keys = EvalKeys::generate(&secret)?;
    let mut state = 1u32;
    let mut exponent = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> (31 - params.log_n)
    };
    let inputs: Vec<Vec<u32>> = (0..64).map(|_| (0..=params.lwe_dim).map(|_| exponent()).collect()).collect();
    let lut = Lut::sign(&params, 1 << 61);
    let luts = vec![&lut; 64];
    let key = keys.bootstrap_key();
    let one = least(31, || key.blind_rotate(&inputs[..1], &luts[..1], 1));
    let of_64 = least(7, || key.blind_rotate(&inputs, &luts, 1)) / 64.0;
    let big = key.blind_rotate(&inputs[..1], &luts[..1], 1).remove(0).remove(0);
    let key_switch = least(31, || keys.key_switch_lwe(&big));
    let a_bit = 1e3 / params.lwe_dim as f64;
    println!(
        "{:<18} rotation {one:>8.3} ms ({:.2} µs a bit), of 64 {of_64:>8.3} ms ({:.2} µs a bit); key switch {key_switch:.3} ms",
        set.name,
        one * a_bit,
        of_64 * a_bit,
    );
    Ok(())
}
