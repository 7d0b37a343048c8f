//! Bootstraps with expanded and with seeded keys in turns, in one process at N = 2^16: CPU time of one thread.
//!
//! `cargo run --release -p everlevel-bench --example key_forms -- [rounds] [medium|large]`
//!
//! For each form its bytes of keys and of plaintexts, and the least and the median of `rounds` bootstraps after a first
//! one: from level 0 to 10, and from the stage count to the highest level.

use everlevel_bench::timing::{Clock, Times};
use everlevel_ckks::{
    BootstrapKeySize, BootstrapKeys, BootstrapKind, Bootstrapper, Cipher, Complex64, Context, Error, Method, Options,
    Params, ParamsLiteral, SlotType, no_progress,
};

const FORMS: [(&str, bool, Cipher); 3] =
    [("expanded", false, Cipher::ChaCha20), ("seeded", true, Cipher::ChaCha20), ("seeded, AES", true, Cipher::Aes128)];
const STAGE_COUNT: usize = 3;

/// The seconds of a bootstrap by a method from a level.
type Bootstrap = Box<dyn Fn(Method, usize) -> Result<f64, Error>>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rounds: usize = args.first().map_or(Ok(5), |a| a.parse())?;
    let size =
        if args.get(1).is_some_and(|a| a == "large") { BootstrapKeySize::Large } else { BootstrapKeySize::Medium };
    let mut forms = Vec::new();
    for (name, seeded_keys, mask_cipher) in FORMS {
        let options = Options { thread_count: 1, seeded_keys, mask_cipher, ..Options::default() };
        forms.push((name, form(options, size)?));
    }
    for (order, method, level) in [("0 to 10", Method::Regular, 0), ("3 to 13", Method::Usual, STAGE_COUNT)] {
        let mut seconds = vec![Vec::new(); forms.len()];
        for round in 0..=rounds {
            for ((_, bootstrap), seconds) in forms.iter().zip(&mut seconds) {
                let taken = bootstrap(method, level)?;
                if round > 0 {
                    seconds.push(taken);
                }
            }
        }
        let times: Vec<Times> = seconds.into_iter().map(Times::of).collect();
        for ((name, _), time) in forms.iter().zip(&times) {
            println!(
                "{order}, {name}: least {:.3} s ({:.3} of expanded), median {:.3} s ({:.3})",
                time.least,
                time.least / times[0].least,
                time.median,
                time.median / times[0].median
            );
        }
    }
    Ok(())
}

fn form(options: Options, size: BootstrapKeySize) -> Result<Bootstrap, Error> {
    let ctx = Context::with_options(Params::try_from(ParamsLiteral::bootstrap())?, options)?;
    let bootstrapper = Bootstrapper::new(&ctx)?;
    let secret = ctx.secret_key()?;
    let relinearization = ctx.relinearization_key(&secret, &no_progress)?;
    let conjugation = ctx.conjugation_key(&secret, &no_progress)?;
    let key = bootstrapper.bootstrap_key_of(BootstrapKind::Both, &secret, STAGE_COUNT, size, &no_progress)?;
    println!("{options:?}: key {:.3} GB", key.nbytes() as f64 / 1e9);
    let message: Vec<Complex64> = (0..ctx.slot_count()).map(|i| Complex64::cis(i as f64)).collect();
    Ok(Box::new(move |method, level| {
        let ct = ctx.encrypt_with_secret(&ctx.encode(&message, level)?, &secret)?;
        let keys =
            BootstrapKeys { relinearization: &relinearization, conjugation: &conjugation, bootstrap: (&key).into() };
        let bootstrap = || bootstrapper.bootstrap_many(method, &[&ct], keys, SlotType::Complex, &no_progress);
        let (seconds, out) = Clock::Process.time(bootstrap);
        out.map(|_| seconds)
    }))
}
