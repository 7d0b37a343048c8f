//! The times that a change must not lengthen, one a line: `name<TAB>seconds`, for turns with another checkout's
//! (`benches/turns.py`).
//!
//! `cargo run --release -p everlevel-bench --example figures -- [kernels] [tfhe] [ckks]`: all three without an
//! argument. Times of one thread's processor, medians; CKKS's are those of real parameters, which take 9 GB.

use std::error::Error;
use std::sync::Arc;

use everlevel_bench::Aligned;
use everlevel_bench::timing::{Clock, Times};
use everlevel_ckks::{
    BootstrapKeyRef, BootstrapKeySize, BootstrapKeys, Complex64, Context, Method, Options, Params, ParamsLiteral,
    Parts, no_progress,
};
use everlevel_math::fft::{Digits, ExternalProduct, Fft};
use everlevel_math::{Modulus, Ntt, primes};
use everlevel_testkit::sample::Sampler;
use everlevel_tfhe::{EvalKeys, Gadget, Gate, KeySwitch, SecretKey, sets};

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let wants = |group: &str| asked.is_empty() || asked.iter().any(|name| name == group);
    // Before anything starts the global pool.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()?;
    if wants("kernels") {
        kernels()?;
    }
    if wants("tfhe") {
        tfhe()?;
    }
    if wants("ckks") {
        ckks()?;
    }
    Ok(())
}

fn figure(name: &str, seconds: f64) {
    println!("{name}\t{seconds:.9}");
}

/// Median seconds of a call, from 40 runs of about 5 ms each.
fn kernel(name: &str, mut call: impl FnMut()) {
    let once = Times::of_calls(9, &mut call).median.max(1e-9);
    let calls = (5e-3 / once).ceil() as usize;
    let run = || (0..calls).for_each(|_| call());
    figure(name, Times::of_calls(40, run).median / calls as f64);
}

fn kernels() -> Outcome {
    let q = primes::ntt_primes_below(48, 16).next().ok_or("no prime")?;
    let ntt = Ntt::new(16, Modulus::new(q)?)?;
    let mut limb = Aligned::new(&Sampler::new(1).limb(1 << 16, q));
    kernel("kernel ntt-65536 forward", || ntt.forward(limb.get_mut()));
    kernel("kernel ntt-65536 inverse", || ntt.inverse(limb.get_mut()));

    let n = 1024;
    let fft = Fft::new(n)?;
    let mut sampler = Sampler::new(1);
    let words: Vec<u64> = (0..n).map(|_| sampler.word()).collect();
    let halves: Vec<u32> = words.iter().map(|&x| (x >> 32) as u32).collect();
    let digits = Digits { log2_base: 7, levels: 1 };
    let (mut x32, mut x64) = (Aligned::new(&halves), Aligned::new(&words));
    let mut out = Aligned::new(&vec![0.0; n]);
    kernel("kernel fft-1024 forward u32", || fft.forward_digits(out.get_mut(), x32.get(), digits));
    kernel("kernel fft-1024 forward u64", || fft.forward_digits(out.get_mut(), x64.get(), digits));
    // The inverse leaves its input larger, and the time doesn't depend on it: zeros stay finite.
    let mut out = Aligned::new(&vec![0.0; n]);
    kernel("kernel fft-1024 inverse u32", || fft.inverse_add(x32.get_mut(), out.get_mut()));
    kernel("kernel fft-1024 inverse u64", || fft.inverse_add(x64.get_mut(), out.get_mut()));

    let gadgets = [Digits { log2_base: 7, levels: 3 }, Digits { log2_base: 7, levels: 2 }];
    let product = ExternalProduct::new::<u64>(fft, &gadgets, 0);
    let key = Aligned::new(&vec![0.5; product.matrix_len()]);
    let mut scratch = Aligned::new(&vec![0.0; product.scratch_len()]);
    let mut acc = Aligned::new(&[&words[..], &words[..]].concat());
    kernel("kernel external-product-1024", || {
        product.rotate_add([(acc.get_mut(), 77)], key.get(), scratch.get_mut(), &[]);
    });
    Ok(())
}

fn tfhe() -> Outcome {
    for name in ["gate-64", "integer-4-128"] {
        let mut literal = sets::find(name)?.literal();
        if name == "gate-64" && std::env::var_os("OWN_SETS").is_none() {
            // The numbers that the set has in the newer build; integer-4-128's are the same.
            literal.lwe_log2_std_dev = -13.15;
            literal.key_switch = KeySwitch { gadget: Gadget::new(1, 10), ring: 32 };
        }
        let params = Arc::new(everlevel_tfhe::Params::try_from(literal)?);
        let secret = SecretKey::generate(Arc::clone(&params))?;
        let (seconds, keys) = Clock::Thread.time(|| EvalKeys::generate(&secret));
        let keys = keys?;
        figure(&format!("tfhe {name} keys"), seconds);
        if name == "gate-64" {
            let a = secret.encrypt_bits(&[true; 64])?;
            figure("tfhe gate-64 alone", Times::of_calls(31, || keys.gates(&[Gate::Nand], &a[..1], &a[..1])).median);
            let batch = Times::of_calls(7, || keys.gates(&[Gate::Nand], &a, &a)).median;
            figure("tfhe gate-64 in batches of 64", batch / 64.0);
            assert_eq!(secret.decrypt_bits(&keys.gates(&[Gate::Nand], &a, &a)?)?, [false; 64]);
        } else {
            let a = secret.encrypt_integers(&[15], 15)?;
            let table: Vec<u64> = (0..16).rev().collect();
            figure("tfhe integer-4-128 table", Times::of_calls(15, || keys.table(&a, &table)).median);
            assert_eq!(secret.decrypt_integers(&keys.table(&a, &table)?)?, [0]);
        }
    }
    Ok(())
}

fn ckks() -> Outcome {
    let options = Options { thread_count: 1, ..Options::default() };
    let ctx = Context::with_options(Params::try_from(ParamsLiteral::bootstrap())?, options)?;
    let secret = ctx.secret_key()?;
    let (seconds, keys) = Clock::Process.time(|| {
        let relinearization = ctx.relinearization_key(&secret, &no_progress)?;
        let conjugation = ctx.conjugation_key(&secret, &no_progress)?;
        let bootstrap = ctx.bootstrap_key(&secret, 3, BootstrapKeySize::Large, &no_progress)?;
        Ok::<_, everlevel_ckks::Error>((relinearization, conjugation, bootstrap))
    });
    let (relinearization, conjugation, bootstrap) = keys?;
    figure("ckks keys of a bootstrap", seconds);
    let message: Vec<Complex64> =
        (0..ctx.slot_count()).map(|i| Complex64::new((i as f64 * 0.37).sin(), (i as f64 * 0.73).cos())).collect();
    let a = ctx.encrypt_with_secret(&ctx.encode(&message, 0)?, &secret)?;
    let bootstrap = BootstrapKeyRef::from(&bootstrap);
    let keys = BootstrapKeys { relinearization: &relinearization, conjugation: &conjugation, bootstrap };
    let refresh = || ctx.bootstrap_many(Method::Regular, &[&a], keys, Parts::Complex, &no_progress);
    // The first builds the tables.
    let out = refresh()?.remove(0);
    let times = (0..3).map(|_| Clock::Process.time(refresh).0).collect();
    figure("ckks bootstrap", Times::of(times).median);
    let back = ctx.decode(&ctx.decrypt(&out, &secret)?)?;
    let worst = back.iter().zip(&message).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(worst < 1e-4, "a wrong answer: {worst}");
    Ok(())
}
