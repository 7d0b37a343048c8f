//! CKKS over limbs: `cargo run --release -p everlevel-bench --example limbs_ckks`.
//!
//! For each degree and number of limbs of a digit: bits of the key's modulus and of the ciphertext, bytes of one key,
//! and milliseconds on one thread (its CPU time) of a product with relinearisation, a rotation, and a product with a
//! vector in the clear, at the highest precision.

use std::error::Error;

use everlevel_bench::timing::Times;
use everlevel_ckks::Complex64;
use everlevel_ckks::limbs::{Context, Params, ParamsLiteral};
use everlevel_rand::{Seed, SeedSource};

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build()?;
    println!("| N | K, D | key, ciphertext bits | a key | product | rotation | plain product |");
    println!("|---|---|---|---|---|---|---|");
    for (log_n, limbs, digits) in [(15, 14, vec![1, 2, 4]), (16, 28, vec![2, 4, 8])] {
        for digit_limbs in digits {
            let literal =
                ParamsLiteral { log_n, log2_base: 60, limbs: limbs - digit_limbs, digit_limbs, precision_bits: 40 };
            let context = Context::new(Params::try_from(literal)?, SeedSource::insecure(Seed::from_bytes([9; 32])))?;
            pool.install(|| -> Result<(), Box<dyn Error + Send + Sync>> {
                let secret = context.secret_key()?;
                let keys = context.eval_keys(&secret, &[1], false)?;
                let values: Vec<Complex64> =
                    (0..context.params().slots()).map(|i| Complex64::cis(i as f64)).collect();
                let x = context.encrypt(&secret, &values, 1.01)?;
                let time = |f: &dyn Fn()| {
                    let times = Times::of_calls(7, f).scaled(1e3);
                    format!("{:.1} ms ({:.1})", times.median, times.least)
                };
                let product = time(&|| drop(context.multiply(&x, &x, &keys)));
                let rotation = time(&|| drop(context.rotate(&x, 1, &keys)));
                let plain = time(&|| drop(context.multiply_plain(&x, &values, 1.01, 40)));
                let nbytes = keys.nbytes() as f64 / 2e9;
                let bits = 60 * literal.limbs;
                println!(
                    "| 2^{log_n} | 60, {digit_limbs} | {}, {bits} | {nbytes:.3} GB | {product} | {rotation} | {plain} |",
                    60 * limbs
                );
                Ok(())
            })?;
        }
    }
    Ok(())
}
