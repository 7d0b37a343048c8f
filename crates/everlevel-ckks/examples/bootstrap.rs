//! One bootstrap at N = 2^16, timed stage by stage.
//!
//! `cargo run --release -p everlevel-ckks --example bootstrap -- [stage_count] [medium|large] [threads] [expanded|seeded] [slots]`

use std::time::Instant;

use everlevel_ckks::{
    BootstrapKeySize, BootstrapKeys, Complex64, Context, Options, Params, ParamsLiteral, no_progress,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let stage_count = args.first().map_or(Ok(3), |a| a.parse())?;
    let size =
        if args.get(1).is_some_and(|a| a == "medium") { BootstrapKeySize::Medium } else { BootstrapKeySize::Large };
    let threads = args.get(2).map_or(Ok(1), |a| a.parse())?;

    let seeded_keys = args.get(3).is_some_and(|a| a == "seeded");

    let slot_count = args.get(4).map(|a| a.parse()).transpose()?;
    let options = Options { thread_count: threads, seeded_keys, slot_count };
    let ctx = Context::with_options(Params::try_from(ParamsLiteral::bootstrap())?, options)?;
    let start = Instant::now();
    let secret = ctx.secret_key()?;
    let public = ctx.public_key(&secret)?;
    let relinearization = ctx.relinearization_key(&secret, &no_progress)?;
    let conjugation = ctx.conjugation_key(&secret, &no_progress)?;
    let key = ctx.bootstrap_key(&secret, stage_count, size, &no_progress)?;
    println!("keys: {:.2} s, {:.2} GB", start.elapsed().as_secs_f64(), key.nbytes() as f64 / 1e9);

    let message: Vec<Complex64> =
        (0..ctx.slot_count()).map(|i| Complex64::new((i as f64 * 0.37).sin(), (i as f64 * 0.73).cos())).collect();
    let ciphertext = ctx.encrypt(&ctx.encode(&message, 0)?, &public)?;
    let keys = BootstrapKeys { relinearization: &relinearization, conjugation: &conjugation, bootstrap: &key };
    for _ in 0..5 {
        let start = Instant::now();
        let (mut last, mut stages) = (start, Vec::new());
        let out = ctx.bootstrap_observed(&ciphertext, keys, &no_progress, &mut |stage, _, _| {
            stages.push(format!("{stage:?} {:.3}", last.elapsed().as_secs_f64()));
            last = Instant::now();
        })?;
        let seconds = start.elapsed().as_secs_f64();
        let back = ctx.decode(&ctx.decrypt(&out, &secret)?)?;
        let bits = back.iter().zip(&message).map(|(a, b)| -(a - b).norm().log2()).sum::<f64>() / message.len() as f64;
        println!("{seconds:.3} s to level {}, mean {bits:.2} bits ({})", out.level(), stages.join(", "));
    }
    Ok(())
}
