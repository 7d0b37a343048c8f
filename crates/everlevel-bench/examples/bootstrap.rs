//! One bootstrap at N = 2^16, timed stage by stage.
//!
//! `cargo run --release -p everlevel-bench --example bootstrap -- [stage_count] [medium|large|small] [threads]
//! [expanded|seeded|aes] [slots] [regular|lossy|real|sign] [many] [level: 10, 14 or 17]`

use std::time::Instant;

use everlevel_ckks::{
    BootstrapKeyRef, BootstrapKeySize, BootstrapKeys, BootstrapKind, Bootstrapper, Cipher, Complex64, Context, Method,
    Options, Params, ParamsLiteral, PreparedKey, SlotType, no_progress,
};

fn gigabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e9
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let stage_count = args.first().map_or(Ok(3), |a| a.parse())?;
    let size = args.get(1).map_or("large", |a| a);
    let threads = args.get(2).map_or(Ok(1), |a| a.parse())?;

    let (seeded_keys, mask_cipher) = match args.get(3).map_or("expanded", |a| a) {
        "seeded" => (true, Cipher::ChaCha20),
        "aes" => (true, Cipher::Aes128),
        _ => (false, Cipher::default()),
    };

    let slot_count = args.get(4).filter(|a| *a != "all").map(|a| a.parse()).transpose()?;
    let literal = match args.get(7).map_or(Ok(10), |a| a.parse())? {
        10 => ParamsLiteral::bootstrap(),
        level => ParamsLiteral::bootstrap_to(level),
    };
    let options = Options { thread_count: threads, seeded_keys, mask_cipher, slot_count, ..Options::default() };
    let ctx = Context::with_options(Params::try_from(literal)?, options)?;
    let bootstrapper = Bootstrapper::new(&ctx)?;
    let start = Instant::now();
    let secret = ctx.secret_key()?;
    let public = ctx.public_key(&secret)?;
    let relinearization = ctx.relinearization_key(&secret, &no_progress)?;
    let conjugation = ctx.conjugation_key(&secret, &no_progress)?;
    let regular = args.get(5).is_none_or(|a| a == "regular");
    let kind = if regular { BootstrapKind::Regular } else { BootstrapKind::Lossy };
    println!("general keys: {:.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let (small, rotation, full);
    let (bootstrap, prepared, nbytes): (BootstrapKeyRef, _, _) = match size {
        "small" => {
            small = bootstrapper.small_bootstrap_key(&secret, &no_progress)?;
            rotation = ctx.rotation_key(&secret, &no_progress)?;
            println!(
                "small key {:.3} GB, rotation key {:.3} GB",
                gigabytes(small.nbytes()),
                gigabytes(rotation.nbytes())
            );
            let both = small.nbytes() + rotation.nbytes();
            let bootstrap = BootstrapKeyRef::Small { key: &small, rotation: &rotation, stage_count };
            (bootstrap, PreparedKey::Small(&small, stage_count), both)
        }
        _ => {
            let size = if size == "medium" { BootstrapKeySize::Medium } else { BootstrapKeySize::Large };
            full = bootstrapper.bootstrap_key_of(kind, &secret, stage_count, size, &no_progress)?;
            ((&full).into(), PreparedKey::Full(&full), full.nbytes())
        }
    };
    println!("bootstrap keys: {:.2} s, {:.3} GB", start.elapsed().as_secs_f64(), gigabytes(nbytes));
    let start = Instant::now();
    bootstrapper.prepare(prepared, &no_progress)?;
    println!("plaintexts and memory: {:.2} s", start.elapsed().as_secs_f64());

    let method = args.get(5).map_or("regular", |a| a);
    let many: usize = args.get(6).map_or(Ok(1), |a| a.parse())?;
    let (method, slot_type) = match method {
        "lossy" => (Method::Lossy, SlotType::Complex),
        "real" => (Method::Lossy, SlotType::Real),
        "sign" => (Method::Sign, SlotType::Complex),
        _ => (Method::Regular, SlotType::Complex),
    };
    let wave = |i: usize| Complex64::new((i as f64 * 0.37).sin(), (i as f64 * 0.73).cos());
    let message: Vec<Complex64> = (0..ctx.slot_count())
        .map(|i| match (method, slot_type) {
            (Method::Sign, _) => Complex64::new(wave(i).re.signum(), wave(i).im.signum()),
            (_, SlotType::Real) => Complex64::new(wave(i).re, 0.0),
            _ => wave(i),
        })
        .collect();
    let level = if method == Method::Regular { 0 } else { stage_count };
    let ciphertext = ctx.encrypt(&ctx.encode(&message, level)?, &public)?;
    let keys = BootstrapKeys { relinearization: &relinearization, conjugation: &conjugation, bootstrap };
    for _ in 0..5 {
        let start = Instant::now();
        let (mut last, mut stages) = (start, Vec::new());
        let out = if method == Method::Regular && many == 1 {
            bootstrapper.bootstrap_observed(&ciphertext, keys, &no_progress, &mut |stage, _, _| {
                stages.push(format!("{stage:?} {:.3}", last.elapsed().as_secs_f64()));
                last = Instant::now();
            })?
        } else {
            let all = bootstrapper.bootstrap_many(method, &vec![&ciphertext; many], keys, slot_type, &no_progress)?;
            all[0].clone()
        };
        let seconds = start.elapsed().as_secs_f64() / many as f64;
        let back = ctx.decode(&ctx.decrypt(&out, &secret)?)?;
        let bits = back.iter().zip(&message).map(|(a, b)| -(a - b).norm().log2()).sum::<f64>() / message.len() as f64;
        println!("{seconds:.3} s each to level {}, mean {bits:.2} bits ({})", out.level(), stages.join(", "));
    }
    println!("plaintexts: {:.3} GB", gigabytes(bootstrapper.table_nbytes()));
    Ok(())
}
