//! Products and rotations of BFV: `cargo run --release -p everlevel-bench --example bfv -- [set]…` (all).
//!
//! For each set: slots, depth, bits of the ciphertext and of the key, bytes of a key, and milliseconds on one thread
//! (its CPU time) of a product with relinearisation, a square, a rotation, and a product with integers.

use std::error::Error;

use everlevel_bench::timing::Times;
use everlevel_bfv::{Context, Params, SETS};
use everlevel_ring::no_progress;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build()?;
    println!("| set | slots | depth | ciphertext, key bits | key | product | square | rotation | plain product |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for set in SETS.iter().filter(|set| names.is_empty() || names.iter().any(|name| name == set.name)) {
        let context = Context::new(Params::try_from(set.literal)?)?;
        pool.install(|| -> Result<(), Box<dyn Error + Send + Sync>> {
            let secret = context.secret_key()?;
            let keys = context.eval_keys(&secret, &[1], false, &no_progress)?;
            let values: Vec<i64> = (0..context.params().n() as i64).map(|i| i * i % 65_537).collect();
            let (x, y) = (context.encrypt(&secret, &values)?, context.encrypt(&secret, &values)?);
            let time = |f: &dyn Fn()| {
                let times = Times::of_calls(7, f).scaled(1e3);
                format!("{:.1} ms ({:.1})", times.median, times.least)
            };
            let product = time(&|| drop(context.multiply(&x, &y, &keys)));
            let square = time(&|| drop(context.multiply(&x, &x, &keys)));
            let rotation = time(&|| drop(context.rotate(&x, 1, &keys)));
            let plain = time(&|| drop(context.multiply_plain(&x, &values)));
            println!(
                "| {} | {} | {} | {}, {} | {:.3} GB | {product} | {square} | {rotation} | {plain} |",
                set.name,
                values.len(),
                set.depth,
                set.literal.log2_base as usize * set.literal.limbs,
                set.key_bits,
                set.key_nbytes as f64 / 1e9
            );
            Ok(())
        })?;
    }
    Ok(())
}
