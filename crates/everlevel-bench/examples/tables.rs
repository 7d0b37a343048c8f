//! Look-ups of integers in a chain made for them, beside the general one: keys, CPU time of one thread, and errors.
//!
//! `cargo run --release -p everlevel-bench --example tables -- [log2 of the space] [made|general|both] [rounds] [large]`
//!
//! For two full ciphertexts at N = 2^16: the chain, the keys by their purpose, `rounds` rounds of one table and of
//! eleven of the same input in each chain by turns, and the largest error beside what is claimed.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use everlevel_bench::timing::Clock;
use everlevel_ckks::circuits::Circuits;
use everlevel_ckks::circuits::table::{Space, TableNoise};
use everlevel_ckks::{
    BootstrapKey, BootstrapKeySize, BootstrapKeys, BootstrapKind, Bootstrapper, Ciphertext, ConjugationKey, Context,
    Error, Options, Params, ParamsLiteral, RelinearizationKey, SecretKey, Units, no_progress,
};

/// Level of operands and results.
const LEVEL: usize = 4;

/// A chain with keys, and integers.
struct Setup {
    name: &'static str,
    space: Space,
    ctx: Context,
    bootstrapper: Bootstrapper,
    secret: SecretKey,
    relinearization: RelinearizationKey,
    conjugation: ConjugationKey,
    key: BootstrapKey,
    values: Vec<u64>,
    x: Units<Ciphertext>,
    seconds: [Vec<f64>; 2],
    /// Seconds of each step of the last look-up.
    steps: Vec<f64>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let bits: u32 = args.first().map_or(Ok(4), |a| a.parse())?;
    let space = Space::new(1 << bits)?;
    let chains = args.get(1).map_or("both", |a| a);
    let rounds: usize = args.get(2).map_or(Ok(3), |a| a.parse())?;
    let size = match args.get(3).map(String::as_str) {
        Some("large") => BootstrapKeySize::Large,
        _ => BootstrapKeySize::Medium,
    };
    let general = if bits < 6 { ParamsLiteral::bootstrap() } else { ParamsLiteral::high_precision() };
    let both = [
        ("general", general, BootstrapKind::Lossy),
        ("made", ParamsLiteral::bootstrap().for_tables(space, LEVEL), BootstrapKind::First),
    ];
    let wanted = both.into_iter().filter(|(name, ..)| chains == "both" || chains == *name);
    let mut setups = wanted
        .map(|(name, literal, kind)| Setup::new(name, space, literal, kind, size))
        .collect::<Result<Vec<_>, _>>()?;
    for _ in 0..=rounds {
        for setup in &mut setups {
            setup.round()?;
        }
    }
    setups.iter().for_each(Setup::report);
    Ok(())
}

impl Setup {
    fn new(
        name: &'static str,
        space: Space,
        literal: ParamsLiteral,
        kind: BootstrapKind,
        size: BootstrapKeySize,
    ) -> Result<Self, Error> {
        let options = Options { thread_count: 1, ..Options::default() };
        let ctx = Context::with_options(Params::try_from(literal)?, options)?;
        for claim in ctx.claims()? {
            let bits = claim.security_bits.map_or(f64::NAN, |bits| bits);
            println!("{name}: {} has log2(QP) {:.0}, {bits:.1} bits", claim.key.name, claim.key.log2_qp);
        }
        let bootstrapper = Bootstrapper::new(&ctx)?;
        let secret = ctx.secret_key()?;
        let (seconds, key) =
            Clock::Process.time(|| bootstrapper.bootstrap_key_of(kind, &secret, LEVEL - 1, size, &no_progress));
        let (relinearization, conjugation) =
            (ctx.relinearization_key(&secret, &no_progress)?, ctx.conjugation_key(&secret, &no_progress)?);
        let key = key?;
        let parts = [key.nbytes(), relinearization.nbytes(), conjugation.nbytes()].map(|n| n as f64 / 1e9);
        println!(
            "{name}: keys {:.3} GB (bootstrap {:.3}, relinearization {:.3}, conjugation {:.3}), made in {seconds:.1} s",
            parts.iter().sum::<f64>(),
            parts[0],
            parts[1],
            parts[2]
        );
        for key in ctx.key_moduli()? {
            println!("{name}: {}: {} primes, {:.0} bits", key.name, key.set.len(), key.log2_qp);
        }
        let values: Vec<u64> = (0..2 * ctx.slot_count() as u64)
            .map(|i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32)
            .map(|random| random % space.size() as u64)
            .collect();
        let plain = ctx.encode_integers(&values, space, LEVEL)?;
        let x = ctx.encrypt_units(&plain, &ctx.public_key(&secret)?)?;
        let seconds = [Vec::new(), Vec::new()];
        Ok(Self {
            name,
            space,
            bootstrapper,
            secret,
            relinearization,
            conjugation,
            key,
            values,
            x,
            seconds,
            steps: Vec::new(),
            ctx,
        })
    }

    fn tables(&self) -> Vec<Vec<u64>> {
        let p = self.space.size() as u64;
        (0..11).map(|k| (0..p).map(|m| (m * m * 7 + (3 + 2 * k) * m + k) % p).collect()).collect()
    }

    fn round(&mut self) -> Result<(), Error> {
        let keys = BootstrapKeys {
            relinearization: &self.relinearization,
            conjugation: &self.conjugation,
            bootstrap: (&self.key).into(),
        };
        let circuits = Circuits::new(&self.bootstrapper, keys);
        let tables = self.tables();
        let tables: Vec<&[u64]> = tables.iter().map(Vec::as_slice).collect();
        for (at, count) in [1, tables.len()].into_iter().enumerate() {
            let steps = Mutex::new(vec![(0, Clock::Process.seconds())]);
            let progress = |done: usize, _: usize| {
                let mut steps = steps.lock().unwrap_or_else(PoisonError::into_inner);
                let (last, _) = steps[steps.len() - 1];
                let now = (done, Clock::Process.seconds());
                if done == last {
                    *steps.last_mut().expect("the start") = now
                } else {
                    steps.push(now)
                }
                ControlFlow::Continue(())
            };
            let look_up = || circuits.look_up(&self.x, (self.space, LEVEL), &tables[..count], &progress);
            let (seconds, found) = Clock::Process.time(look_up);
            let end = (usize::MAX, Clock::Process.seconds());
            let mut steps = steps.into_inner().unwrap_or_else(PoisonError::into_inner);
            steps.push(end);
            if count == 1 {
                self.steps = steps.windows(2).map(|pair| pair[1].1 - pair[0].1).collect();
            }
            self.seconds[at].push(seconds);
            let worst =
                found?.iter().zip(&tables).map(|(y, table)| self.error(y, table)).collect::<Result<Vec<_>, _>>()?;
            if self.seconds[at].len() == 1 {
                let largest = worst.iter().copied().fold(0.0, f64::max);
                let noise = TableNoise::new(&self.bootstrapper, self.space, LEVEL)?;
                let claimed = noise.after(tables[0], noise.fresh(true), noise.fresh(true))?;
                println!(
                    "{}: {count} tables, largest error 2^{:.1}, claimed 2^{:.1} of the first, allowed 2^{:.1}",
                    self.name,
                    largest.log2(),
                    claimed.log2(),
                    noise.limit().log2()
                );
            }
        }
        Ok(())
    }

    /// The largest error, in units of the distance between integers.
    fn error(&self, y: &Units<Ciphertext>, table: &[u64]) -> Result<f64, Error> {
        let mut largest = 0.0f64;
        let mut at = 0;
        for unit in y.all() {
            for z in self.ctx.decode(&self.ctx.decrypt(unit, &self.secret)?)? {
                let expected = self.space.number(table[self.values[at] as usize]);
                largest = largest.max((z.re - expected).abs() * self.space.size() as f64 / 2.0);
                at += 1;
            }
        }
        assert!(largest < 0.5, "{}: {largest} is a wrong integer", self.name);
        Ok(largest)
    }

    fn report(&self) {
        let [one, eleven] = [0, 1].map(|at| self.seconds[at][1..].iter().copied().fold(f64::INFINITY, f64::min));
        println!(
            "{}: {one:.3} s a table of {} integers, {:.1} µs each, {:.3} s each further table",
            self.name,
            self.values.len(),
            1e6 * one / self.values.len() as f64,
            (eleven - one) / 10.0
        );
        let steps: Vec<String> = self.steps.iter().map(|seconds| format!("{seconds:.3}")).collect();
        println!("{}: steps {}", self.name, steps.join(", "));
    }
}
