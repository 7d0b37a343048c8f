//! Saves the keys of a bootstrap at N = 2^16, and maps them in a second process, which bootstraps with them.
//!
//! `cargo run --release -p everlevel-bench --example mapped_keys -- FOLDER [seeded|expanded] [threads]`

use std::path::{Path, PathBuf};
use std::time::Instant;

use everlevel_ckks::io::{Access, Container};
use everlevel_ckks::{
    BootstrapKey, BootstrapKeySize, Bootstrapper, Ciphertext, Complex64, ConjugationKey, Context, Form, Loading,
    Params, ParamsLiteral, RelinearizationKey, Stored, no_progress,
};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Runs `f` and says how long it took.
fn timed<T, E>(what: &str, f: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let start = Instant::now();
    let result = f()?;
    println!("{what}: {:.1} ms", 1e3 * start.elapsed().as_secs_f64());
    Ok(result)
}

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let folder = PathBuf::from(args.first().ok_or("give a folder to write to")?);
    let form = if args.get(1).is_some_and(|a| a == "expanded") { Form::Expanded } else { Form::Seeded };
    let threads = args.get(2).map_or(Ok(1), |a| a.parse())?;
    let ctx = Context::new(Params::try_from(ParamsLiteral::bootstrap())?, None, threads)?;
    let bootstrapper = Bootstrapper::new(&ctx)?;
    if args.get(3).is_some_and(|a| a == "second") {
        return second(&bootstrapper, &folder);
    }

    let secret = ctx.secret_key()?;
    save(&ctx, &ctx.relinearization_key(&secret, &no_progress)?, &folder.join("relinearization.key"), form)?;
    save(&ctx, &ctx.conjugation_key(&secret, &no_progress)?, &folder.join("conjugation.key"), form)?;
    let key = bootstrapper.bootstrap_key(&secret, 3, BootstrapKeySize::Medium, &no_progress)?;
    save(&ctx, &key, &folder.join("bootstrap.key"), form)?;
    drop(key);
    let message: Vec<Complex64> = (0..ctx.slot_count()).map(|i| Complex64::new((i as f64 * 0.37).sin(), 0.0)).collect();
    let exhausted = ctx.encrypt_with_secret(&ctx.encode(&message, 0)?, &secret)?;
    save(&ctx, &exhausted, &folder.join("exhausted.ct"), form)?;

    let status = std::process::Command::new(std::env::current_exe()?).args(&args[..]).args(["second"]).status();
    let status = if args.len() == 3 { status? } else { return Err("give the number of threads".into()) };
    if !status.success() {
        return Err("the second process failed".into());
    }
    let refreshed: Ciphertext = load(&ctx, &folder.join("refreshed.ct"))?;
    let back = ctx.decode(&ctx.decrypt(&refreshed, &secret)?)?;
    let bits = back.iter().zip(&message).map(|(a, b)| -(a - b).norm().log2()).sum::<f64>() / message.len() as f64;
    println!("the second process's bootstrap: level {}, mean {bits:.2} bits", refreshed.level());
    Ok(())
}

fn second(bootstrapper: &Bootstrapper, folder: &Path) -> Outcome<()> {
    let ctx = bootstrapper.context();
    println!("second process");
    let relinearization: RelinearizationKey = load(ctx, &folder.join("relinearization.key"))?;
    let conjugation: ConjugationKey = load(ctx, &folder.join("conjugation.key"))?;
    let key: BootstrapKey = load(ctx, &folder.join("bootstrap.key"))?;
    let exhausted: Ciphertext = load(ctx, &folder.join("exhausted.ct"))?;
    let mut refreshed = None;
    for run in ["first", "second", "third"] {
        let bootstrap = || bootstrapper.bootstrap(&exhausted, &relinearization, &conjugation, &key, &no_progress);
        refreshed = Some(timed(&format!("{run} bootstrap"), bootstrap)?);
    }
    let container = Container::open(&folder.join("bootstrap.key"), Access::Map)?;
    timed("every byte verified", || container.verify())?;
    save(ctx, &refreshed.ok_or("no run")?, &folder.join("refreshed.ct"), Form::Seeded)
}

fn save<T: Stored>(ctx: &Context, object: &T, path: &Path, form: Form) -> Outcome<()> {
    let size = timed(&format!("save {}", path.display()), || -> Outcome<u64> {
        Ok(ctx.to_container(object, form)?.write(path)?)
    })?;
    println!("  {:.3} GB", size as f64 / 1e9);
    Ok(())
}

fn load<T: Stored>(ctx: &Context, path: &Path) -> Outcome<T> {
    let name = path.display();
    let container = timed(&format!("open {name}"), || Container::open(path, Access::Auto))?;
    timed(&format!("  use {name}, mapped {}", container.is_mapped()), || {
        Ok(ctx.from_container(&container, Loading::default())?)
    })
}
