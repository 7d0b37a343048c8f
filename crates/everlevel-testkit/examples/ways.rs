//! A public call of each crate of a scheme, on a small ring: `scripts/ways.py` runs it under Valgrind's callgrind, and
//! counts the source files that the call enters. Callgrind looks at the call alone; keys are made before.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;

use everlevel_bfv as bfv;
use everlevel_binfhe::{self as tfhe, EvalKeys, Gate, SecretKey};
use everlevel_ckks::{BootstrapKeySize, Bootstrapper, Complex64, Context, ParamsLiteral, no_progress};

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

/// A call's name, and what makes its keys and calls it.
type Call = (&'static str, fn() -> Outcome);

const CALLS: &[Call] = &[("ckks-bootstrap", ckks_bootstrap), ("tfhe-gate", tfhe_gate), ("bfv-product", bfv_product)];

fn main() -> Outcome {
    let asked = std::env::args().nth(1);
    match CALLS.iter().find(|(name, _)| asked.as_deref() == Some(name)) {
        Some((_, call)) => call(),
        None => {
            CALLS.iter().for_each(|(name, _)| println!("{name}"));
            Ok(())
        }
    }
}

fn ckks_bootstrap() -> Outcome {
    let ctx = Context::new(ParamsLiteral::insecure_bootstrap(9).try_into()?, None, 1)?;
    let bootstrapper = Bootstrapper::new(&ctx)?;
    let secret = ctx.secret_key()?;
    let relinearization = ctx.relinearization_key(&secret, &no_progress)?;
    let conjugation = ctx.conjugation_key(&secret, &no_progress)?;
    let key = bootstrapper.bootstrap_key(&secret, 3, BootstrapKeySize::Medium, &no_progress)?;
    let plain = ctx.encode(&vec![Complex64::new(0.5, -0.25); ctx.slot_count()], 0)?;
    let exhausted = ctx.encrypt_with_secret(&plain, &secret)?;
    traced(|| bootstrapper.bootstrap(&exhausted, &relinearization, &conjugation, &key, &no_progress))?;
    Ok(())
}

fn tfhe_gate() -> Outcome {
    let ctx = tfhe::Context::insecure("gate-128", 9, 1)?;
    let secret = SecretKey::generate(Arc::clone(ctx.params()))?;
    let keys = EvalKeys::generate(&secret)?;
    let bits = secret.encrypt_bits(&[true, false])?;
    traced(|| ctx.gate(&keys, Gate::Nand, [&bits[..1], &bits[1..]], &no_progress))?;
    Ok(())
}

fn bfv_product() -> Outcome {
    // The smallest set: its keys take seconds.
    let ctx = bfv::Context::new(bfv::Params::try_from(bfv::named("n13")?.literal)?)?;
    let secret = ctx.secret_key()?;
    let keys = ctx.eval_keys(&secret, &[], false, &everlevel_ring::no_progress)?;
    let (x, y) = (ctx.encrypt(&secret, &[3, -1, 4])?, ctx.encrypt(&secret, &[1, 5, -9])?);
    traced(|| ctx.multiply(&x, &y, &keys))?;
    Ok(())
}

/// Runs `call`, on whatever thread, as the only part of the program that callgrind looks at.
fn traced<T>(call: impl FnOnce() -> T) -> T {
    /// `CALLGRIND_START_INSTRUMENTATION` and `CALLGRIND_STOP_INSTRUMENTATION` of `callgrind.h`.
    const START: usize = ((b'C' as usize) << 24) + ((b'T' as usize) << 16) + 4;
    const STOP: usize = START + 1;
    request(START);
    let result = black_box(call());
    request(STOP);
    result
}

/// A client request of Valgrind's, which every processor ignores.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
fn request(number: usize) {
    let arguments = [number, 0, 0, 0, 0, 0];
    // SAFETY: the rotations cancel, the exchange is of a register with itself, and no register but rdx is changed. The
    // request changes callgrind's own records alone.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") 0 => _,
            options(nostack),
        );
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn request(_: usize) {}
