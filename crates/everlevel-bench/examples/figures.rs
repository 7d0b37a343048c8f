//! The times that a change must not lengthen, one a line: `name<TAB>seconds`, for turns with another checkout's
//! (`benches/turns.py`).
//!
//! `cargo run --release -p everlevel-bench --example figures -- [kernels] [tfhe] [ntru] [limbs] [ckks]`: all
//! without an argument. Times of one thread's processor, medians; CKKS's bootstrap has real parameters, and takes 9 GB.

use std::error::Error;
use std::sync::Arc;

use everlevel_bench::Aligned;
use everlevel_bench::limbs::uniform_key;
use everlevel_bench::timing::{Clock, Times};
use everlevel_binfhe::{EvalKeys, Gate, SecretKey, sets};
use everlevel_ckks::{
    BootstrapKeyRef, BootstrapKeySize, BootstrapKeys, Bootstrapper, Complex64, Context, Method, Options, Params,
    ParamsLiteral, SlotType, limbs as over_limbs, no_progress,
};
use everlevel_math::fft::{Digits, ExternalProduct, Fft};
use everlevel_math::{Modulus, Ntt, primes};
use everlevel_rand::Seed;
use everlevel_ring::Representation;
use everlevel_rlwe::Rlwe;
use everlevel_testkit::sample::Sampler;

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

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
    if wants("ntru") {
        ntru()?;
    }
    if wants("limbs") {
        limbs()?;
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
        let params = Arc::new(sets::find(name)?.params()?);
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

fn ntru() -> Outcome {
    let params = Arc::new(sets::find("ntru-gate-64")?.params()?);
    let secret = SecretKey::generate(params)?;
    let (seconds, keys) = Clock::Thread.time(|| EvalKeys::generate(&secret));
    let keys = keys?;
    figure("ntru gate-64 keys", seconds);
    let a = secret.encrypt_bits(&[true; 64])?;
    figure("ntru gate-64 alone", Times::of_calls(31, || keys.gates(&[Gate::Nand], &a[..1], &a[..1])).median);
    let batch = Times::of_calls(9, || keys.gates(&[Gate::Nand], &a, &a)).median;
    figure("ntru gate-64 in batches of 64", batch / 64.0);
    assert_eq!(secret.decrypt_bits(&keys.gates(&[Gate::Nand], &a, &a)?)?, [false; 64]);
    Ok(())
}

fn limbs() -> Outcome {
    let set = over_limbs::SETS.iter().find(|set| set.name == "n15").ok_or("no set n15")?;
    let context = over_limbs::Context::new(over_limbs::Params::try_from(set.literal)?)?;
    let shape = context.params().shape();
    let ring = shape.ring()?;
    let key = uniform_key(&ring, &shape.gadget());
    let secret = context.secret_key()?;
    let keys = context.eval_keys(&secret, &[1], false, &no_progress)?;
    let values: Vec<Complex64> = (0..context.params().slots()).map(|i| 0.99 * Complex64::cis(i as f64)).collect();
    let (x, y) = (context.encrypt(&secret, &values, 1.0)?, context.encrypt(&secret, &values, 1.0)?);
    let [c0, c1] = [0, 1].map(|i| ring.uniform(&x.limbs(), 1, &Seed::from_bytes([2; 32]), i).remove(0));
    let ct = Rlwe { c0, c1 };
    figure("limbs n15 key switch", Times::of_calls(9, || key.switch(&ring, &ct)).median);
    figure("limbs n15 product", Times::of_calls(9, || context.multiply(&x, &y, &keys)).median);
    figure("limbs n15 square", Times::of_calls(9, || context.square(&x, &keys)).median);
    figure("limbs n15 rotation", Times::of_calls(9, || context.rotate(&x, 1, &keys)).median);
    Ok(())
}

fn ckks() -> Outcome {
    let options = Options { thread_count: 1, ..Options::default() };
    let ctx = Context::with_options(Params::try_from(ParamsLiteral::bootstrap())?, options)?;
    let bootstrapper = Bootstrapper::new(&ctx)?;
    let secret = ctx.secret_key()?;
    let (seconds, keys) = Clock::Process.time(|| {
        let relinearization = ctx.relinearization_key(&secret, &no_progress)?;
        let conjugation = ctx.conjugation_key(&secret, &no_progress)?;
        let bootstrap = bootstrapper.bootstrap_key(&secret, 3, BootstrapKeySize::Large, &no_progress)?;
        Ok::<_, everlevel_ckks::Error>((relinearization, conjugation, bootstrap))
    });
    let (relinearization, conjugation, bootstrap) = keys?;
    figure("ckks keys of a bootstrap", seconds);
    let message: Vec<Complex64> =
        (0..ctx.slot_count()).map(|i| Complex64::new((i as f64 * 0.37).sin(), (i as f64 * 0.73).cos())).collect();
    let a = ctx.encrypt_with_secret(&ctx.encode(&message, 0)?, &secret)?;
    let bootstrap = BootstrapKeyRef::from(&bootstrap);
    let keys = BootstrapKeys { relinearization: &relinearization, conjugation: &conjugation, bootstrap };
    let refresh = || bootstrapper.bootstrap_many(Method::Regular, &[&a], keys, SlotType::Complex, &no_progress);
    // The first builds the tables.
    let out = refresh()?.remove(0);
    let times = (0..3).map(|_| Clock::Process.time(refresh).0).collect();
    figure("ckks bootstrap", Times::of(times).median);
    let back = ctx.decode(&ctx.decrypt(&out, &secret)?)?;
    let worst = back.iter().zip(&message).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(worst < 1e-4, "a wrong answer: {worst}");
    Ok(())
}
