//! Times gates and tables: `cargo run --release -p everlevel-tfhe --example gates -- [set …]` (all sets without an argument).
//!
//! One thread; medians of single calls and of a batch of 64. Failure probability and security stand beside each time.

use std::sync::Arc;
use std::time::Instant;

use everlevel_tfhe::{Ciphertext, Error, EvalKeys, Gate, NamedSet, SecretKey, Space, sets};

fn main() -> Result<(), Error> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    for set in sets::ALL.iter().filter(|set| names.is_empty() || names.iter().any(|name| name == set.name)) {
        let (secret, keys) = make_keys(set)?;
        pool.install(|| time(set, &secret, &keys))?;
    }
    Ok(())
}

fn make_keys(set: &NamedSet) -> Result<(SecretKey, EvalKeys), Error> {
    let params = Arc::new(set.params()?);
    let secret = SecretKey::generate(params)?;
    let keys = EvalKeys::generate(&secret)?;
    Ok((secret, keys))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn time(set: &NamedSet, secret: &SecretKey, keys: &EvalKeys) -> Result<(), Error> {
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
    let repeats = if params.n() > 4096 { 3 } else { 25 };
    let mut single = Vec::new();
    let mut out = Vec::new();
    for _ in 0..repeats {
        let start = Instant::now();
        out = run(&a[..1])?;
        single.push(start.elapsed().as_secs_f64());
    }
    let right = match params.space {
        Space::Bit => secret.decrypt_bits(&out)? == [false],
        Space::Integer { .. } => secret.decrypt_integers(&out)? == [0],
    };
    assert!(right, "{}: a wrong answer", set.name);
    let size = if params.n() > 4096 { 4 } else { 64 };
    let batch = (0..repeats.min(5)).map(|_| {
        let start = Instant::now();
        run(&a[..size]).map(|_| start.elapsed().as_secs_f64() / size as f64)
    });
    let batch = median(batch.collect::<Result<_, _>>()?);
    let single = median(single);
    let switch = median(
        (0..25)
            .map(|_| {
                let start = Instant::now();
                std::hint::black_box(keys.exponents(a[0].lwe(), 0));
                start.elapsed().as_secs_f64()
            })
            .collect(),
    );
    println!(
        "{:<20} one {:>8.3} ms, batch of {size} {:>8.3} ms each ({:.2}), input {:>6.3} ms, {} transforms, p_fail 2^{:.0}, {:.0} bits, keys {:.1} + {:.1} MB",
        set.name,
        1e3 * single,
        1e3 * batch,
        batch / single,
        1e3 * switch,
        params.transforms(),
        params.log2_p_fail(params.norm2),
        set.security_bits,
        keys.bootstrap_key().nbytes() as f64 / 1e6,
        keys.key_switch_key().nbytes() as f64 / 1e6,
    );
    Ok(())
}
