//! Signs, maxima and a deep polynomial of encrypted vectors, with the bootstraps that they need, beside plain numbers.
//!
//! `cargo run --release -p everlevel-ckks --example circuits -- [log_n] [threads]`
//!
//! At the full size, log_n = 16, which is the default, parameters have 128-bit security. Smaller rings, from 10 on,
//! compute the same in less time and are insecure.

use std::error::Error;
use std::f64::consts::PI;
use std::time::Instant;

use everlevel_ckks::circuits::Circuits;
use everlevel_ckks::circuits::deep::Imaginary;
use everlevel_ckks::circuits::extrema::Extremum;
use everlevel_ckks::circuits::refresh::RefreshOperand;
use everlevel_ckks::circuits::sign::SignPrecision;
use everlevel_ckks::{
    Basis, BootstrapKeySize, BootstrapKeys, BootstrapKind, Bootstrapper, Ciphertext, Complex64, Context, Params,
    ParamsLiteral, PublicKey, SecretKey, Units, no_progress,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A context with what encrypts and decrypts.
struct Party {
    ctx: Context,
    secret: SecretKey,
    public: PublicKey,
}

impl Party {
    fn encrypt(&self, values: &[f64], level: usize) -> Outcome<Ciphertext> {
        let message: Vec<Complex64> = values.iter().map(|v| Complex64::new(*v, 0.0)).collect();
        Ok(self.ctx.encrypt(&self.ctx.encode(&message, level)?, &self.public)?)
    }

    /// The real parts of the first unit.
    fn decrypt(&self, x: &Units<Ciphertext>) -> Outcome<Vec<f64>> {
        let slots = self.ctx.decode(&self.ctx.decrypt(x.first(), &self.secret)?)?;
        Ok(slots.iter().map(|z| z.re).collect())
    }

    /// Prints the largest error of those slots that count, and refuses one that is larger than claimed.
    fn check(&self, what: &str, x: &Units<Ciphertext>, plain: &[f64], counts: &[bool], claim: f64) -> Outcome<()> {
        let found = self.decrypt(x)?;
        let errors =
            found.iter().zip(plain).zip(counts).filter(|(_, counts)| **counts).map(|((a, b), _)| (a - b).abs());
        let worst = errors.fold(0.0, f64::max);
        println!(
            "{what}: largest error 2^{:.1}, claimed 2^{:.1}; level {}",
            worst.log2(),
            claim.log2(),
            x.first().level()
        );
        if worst <= claim { Ok(()) } else { Err(format!("{what}: {worst:e} is more than {claim:e}").into()) }
    }
}

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let log_n: u32 = args.first().map_or(Ok(16), |a| a.parse())?;
    let threads: usize = args.get(1).map_or(Ok(1), |a| a.parse())?;
    let literal = match log_n {
        16 => ParamsLiteral::bootstrap(),
        _ => {
            println!("log_n = {log_n}: an INSECURE ring, for a look at the circuits");
            ParamsLiteral::insecure_bootstrap(log_n)
        }
    };
    let ctx = Context::new(Params::try_from(literal)?, None, threads)?;
    let bootstrapper = Bootstrapper::new(&ctx)?;
    let start = Instant::now();
    let secret = ctx.secret_key()?;
    let public = ctx.public_key(&secret)?;
    let relinearization = ctx.relinearization_key(&secret, &no_progress)?;
    let conjugation = ctx.conjugation_key(&secret, &no_progress)?;
    let bootstrap =
        bootstrapper.bootstrap_key_of(BootstrapKind::Lossy, &secret, 3, BootstrapKeySize::Medium, &no_progress)?;
    println!("keys in {:.1} s, of {} slots", start.elapsed().as_secs_f64(), ctx.slot_count());
    let keys =
        BootstrapKeys { relinearization: &relinearization, conjugation: &conjugation, bootstrap: (&bootstrap).into() };
    let party = Party { ctx: ctx.clone(), secret, public };
    let circuits = Circuits::new(&bootstrapper, keys);
    compare(&party, &circuits)?;
    compute_deep(&party, &circuits)
}

/// The sign of a vector, and the maximum of two.
fn compare(party: &Party, circuits: &Circuits) -> Outcome<()> {
    let slots = party.ctx.slot_count();
    let [a, b] = [0.37, 0.73].map(|step| (0..slots).map(|i| (step * i as f64).sin()).collect::<Vec<_>>());
    let x: Units<_> = party.encrypt(&a, party.ctx.max_level())?.into();
    let y: Units<_> = party.encrypt(&b, party.ctx.max_level())?.into();

    let precision = SignPrecision { gap: 1.0 / 128.0, ..SignPrecision::OF_VALUES };
    let plan = circuits.plan_sign(precision, party.ctx.max_level())?;
    println!("sign by {} bootstrap(s) and polynomials of {:?} levels", plan.bootstrap_count(), plan.levels());
    let start = Instant::now();
    let sign = circuits.sign(&x, precision, &no_progress)?;
    println!("{:.1} s", start.elapsed().as_secs_f64());
    let signs: Vec<f64> = a.iter().map(|a| a.signum()).collect();
    let outside: Vec<bool> = a.iter().map(|a| a.abs() >= precision.gap).collect();
    party.check("sign outside of the gap", &sign, &signs, &outside, precision.error)?;

    let precision = SignPrecision::OF_DIFFERENCES;
    let start = Instant::now();
    let largest = circuits.extremum(Extremum::Max, &x, &y, precision, &no_progress)?;
    println!("{:.1} s", start.elapsed().as_secs_f64());
    let maxima: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a.max(*b)).collect();
    let everywhere = vec![true; slots];
    // Bootstraps of operands have an error of their own, of 2^-16.
    party.check("maximum everywhere", &largest, &maxima, &everywhere, precision.gap / 2.0 + 1.0 / 32768.0)?;
    let apart: Vec<bool> = a.iter().zip(&b).map(|(a, b)| (a - b).abs() >= precision.gap).collect();
    party.check("maximum of values that differ", &largest, &maxima, &apart, 1.0 / 32768.0)
}

/// A polynomial of degree 1500 and fifty products, from a ciphertext that has two levels left.
fn compute_deep(party: &Party, circuits: &Circuits) -> Outcome<()> {
    let slots = party.ctx.slot_count();
    let everywhere = vec![true; slots];
    let mut plain: Vec<f64> = (0..slots).map(|i| 2.0 * i as f64 / (slots - 1) as f64 - 1.0).collect();
    let x: Units<_> = party.encrypt(&plain, 2)?.into();

    // A soft step, of no level more than its degree asks for.
    let series = interpolated(|x| 0.5 + 0.4 * (100.0 * x).tanh(), 1501);
    let (start, before) = (Instant::now(), circuits.bootstrap_count());
    let values = circuits.evaluate_polynomials(&x, Imaginary::Noise, Basis::Chebyshev, &[&series], &no_progress)?;
    let mut y = values[0].clone();
    plain.iter_mut().for_each(|x| *x = value_at(&series, *x));
    let count = || circuits.bootstrap_count() - before;
    println!("degree 1500: {} bootstraps, {:.1} s", count(), start.elapsed().as_secs_f64());
    party.check("polynomial", &y, &plain, &everywhere, 1.0 / 32768.0)?;

    // y ← 2.5·y·(1 − y) settles to 0.6, at two levels a time.
    let real = |c: f64| Complex64::new(c, 0.0);
    let start = Instant::now();
    for _ in 0..25 {
        let lacking = [RefreshOperand { ciphertext: &y, is_real: true, is_remembered: false }];
        if let Some((_, fresh)) = circuits.refresh("multiply", &lacking, 2, &no_progress)?.pop() {
            y = fresh;
        }
        y = y.try_map(|y| {
            let rest = party.ctx.add_scalar(&party.ctx.negate(y)?, real(1.0))?;
            party.ctx.multiply_scalar(&party.ctx.multiply(y, &rest, circuits.keys().relinearization)?, real(2.5))
        })?;
        plain.iter_mut().for_each(|y| *y = 2.5 * *y * (1.0 - *y));
    }
    println!("fifty products: {} bootstraps so far, {:.1} s", count(), start.elapsed().as_secs_f64());
    party.check("products", &y, &plain, &everywhere, 1.0 / 32768.0)
}

/// The Chebyshev series of a function through as many points.
fn interpolated(f: impl Fn(f64) -> f64, count: usize) -> Vec<f64> {
    let angle = |i: usize| PI * (i as f64 + 0.5) / count as f64;
    let values: Vec<f64> = (0..count).map(|i| f(angle(i).cos())).collect();
    let coefficient = |k: usize| {
        let sum: f64 = values.iter().enumerate().map(|(i, v)| v * (k as f64 * angle(i)).cos()).sum();
        sum * if k == 0 { 1.0 } else { 2.0 } / count as f64
    };
    (0..count).map(coefficient).collect()
}

/// A Chebyshev series at a number, by Clenshaw's recurrence.
fn value_at(series: &[f64], x: f64) -> f64 {
    let (b1, b2) = series[1..].iter().rev().fold((0.0, 0.0), |(b1, b2), c| (c + 2.0 * x * b1 - b2, b1));
    series[0] + x * b1 - b2
}
