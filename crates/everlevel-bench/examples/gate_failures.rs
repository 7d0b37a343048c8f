//! Gates of random kinds on what gates gave, counted, with those that came out wrong: `cargo run --release -p
//! everlevel-bench --example gate_failures -- ntru-gate-64 1000000`.
//!
//! The bits of each round go into the next, each with another one. A set of real parameters should have no failure:
//! this is a trial of the code, at full size, not of the probability.

use std::sync::Arc;
use std::time::Instant;

use everlevel_binfhe::{Error, EvalKeys, Gate, SecretKey, sets};
use everlevel_testkit::sample::Sampler;

/// Gates of a round.
const BITS: usize = 512;

/// Gates between lines of progress.
const PROGRESS: usize = 50_000;

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "ntru-gate-64".into());
    let gates = arguments.next().map_or(1_000_000, |count| count.parse().expect("a number of gates"));
    let params = Arc::new(sets::find(&name)?.params()?);
    let secret = SecretKey::generate(params)?;
    let keys = EvalKeys::generate(&secret)?;
    let mut sampler = Sampler::new(1);
    let mut values: Vec<bool> = (0..BITS).map(|_| sampler.word() & 1 == 1).collect();
    let mut bits = secret.encrypt_bits(&values)?;
    let (mut done, mut wrong, start) = (0, 0, Instant::now());
    while done < gates {
        let kinds: Vec<Gate> = (0..BITS).map(|_| Gate::ALL[sampler.word() as usize % Gate::ALL.len()]).collect();
        let by = 1 + sampler.word() as usize % (BITS - 1);
        let mut others = bits.clone();
        others.rotate_left(by);
        let expected = (0..BITS).map(|i| kinds[i].of(values[i], values[(i + by) % BITS]));
        let expected: Vec<bool> = expected.collect();
        bits = keys.gates(&kinds, &bits, &others)?;
        values = secret.decrypt_bits(&bits)?;
        wrong += values.iter().zip(&expected).filter(|(got, expected)| got != expected).count();
        done += BITS;
        if done % PROGRESS < BITS || done >= gates {
            println!("{name}: {done} gates, {wrong} wrong, {:.0} s", start.elapsed().as_secs_f64());
        }
    }
    Ok(())
}
