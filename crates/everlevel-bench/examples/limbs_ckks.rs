//! CKKS over limbs: `cargo run --release -p everlevel-bench --example limbs_ckks -- [set]…` (n15 and n16).
//!
//! For each set: bits of the key's modulus and of the ciphertext, bytes of one key, and milliseconds on one thread (its
//! CPU time), median and least, at the highest budget and at half of it: a key switch, a product with relinearisation,
//! a square, a rotation, each of eight rotations that share their transforms, a rescaling by 23 bits, and a product
//! with a vector in the clear.

use std::error::Error;

use everlevel_bench::limbs::uniform_key;
use everlevel_bench::timing::Times;
use everlevel_ckks::Complex64;
use everlevel_ckks::limbs::{Context, Params, SETS};
use everlevel_rand::Seed;
use everlevel_ring::{Representation, no_progress};
use everlevel_rlwe::Rlwe;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build()?;
    println!(
        "| set | key bits, a key | bits | key switch | product | square | rotation | one of 8 | rescaling | plain product |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let is_asked = |name: &str| if names.is_empty() { name > "n14" } else { names.iter().any(|asked| asked == name) };
    for set in SETS.iter().filter(|set| is_asked(set.name)) {
        let context = Context::new(Params::try_from(set.literal)?)?;
        pool.install(|| -> Result<(), Box<dyn Error + Send + Sync>> {
            let shape = context.params().shape();
            let ring = shape.ring()?;
            let key = uniform_key(&ring, &shape.gadget());
            let secret = context.secret_key()?;
            let amounts: Vec<i64> = (1..=8).collect();
            let keys = context.eval_keys(&secret, &amounts, false, &no_progress)?;
            let values: Vec<Complex64> =
                (0..context.params().slots()).map(|i| Complex64::cis(i as f64) * (1.0 - 1e-9)).collect();
            let (x, y) = (context.encrypt(&secret, &values, 1.0)?, context.encrypt(&secret, &values, 1.0)?);
            for budget in [x.budget_bits(), x.budget_bits() / 2] {
                let (x, y) = (context.lower(&x, budget)?, context.lower(&y, budget)?);
                let time = |share: f64, f: &dyn Fn()| {
                    let times = Times::of_calls(7, f).scaled(1e3 * share);
                    format!("{:.1} ms ({:.1})", times.median, times.least)
                };
                let [c0, c1] = [0, 1].map(|i| ring.uniform(&x.limbs(), 1, &Seed::from_bytes([2; 32]), i).remove(0));
                let ct = Rlwe { c0, c1 };
                let switch = time(1.0, &|| drop(key.switch(&ring, &ct)));
                let product = time(1.0, &|| drop(context.multiply(&x, &y, &keys)));
                let square = time(1.0, &|| drop(context.square(&x, &keys)));
                let rotation = time(1.0, &|| drop(context.rotate(&x, 1, &keys)));
                let shared = time(0.125, &|| drop(context.rotate_many(&x, &amounts, &keys)));
                let rescaling = time(1.0, &|| drop(context.rescale(&x, 23)));
                let plain = time(1.0, &|| drop(context.multiply_plain(&x, &values, 1.0, 40)));
                println!(
                    "| {} | {}, {:.3} GB | {} | {switch} | {product} | {square} | {rotation} | {shared} | {rescaling} | {plain} |",
                    set.name,
                    set.key_bits,
                    set.key_nbytes as f64 / 1e9,
                    x.limbs() * set.literal.log2_base as usize,
                );
            }
            Ok(())
        })?;
    }
    Ok(())
}
