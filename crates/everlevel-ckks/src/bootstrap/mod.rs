#![doc = include_str!("../../../../docs/notes/bootstrap.md")]
//!
//! *Map.* [`mod@dft`] the factored Fourier transform as linear maps · [`mod@eval_mod`] the sine and its fit · `tables`
//! what belongs to the parameters · `maps` the plaintexts · `key_set`, [`mod@key`], [`mod@small`] · `stages` maps with
//! keys · `run` the pipeline · this file: the calls.

pub mod dft;
pub mod eval_mod;
pub mod key;
pub(crate) mod key_set;
pub(crate) mod maps;
pub mod small;
pub(crate) mod tables;

mod run;
mod stages;

use everlevel_rlwe::Rlwe;
use num_complex::Complex64;

use crate::claims::Claims;
use crate::context::Inner;
use crate::keys::{ConjugationKey, RelinearizationKey};
use crate::params::Precision;
use crate::{Ciphertext, Context, Error, Progress};
use run::{Halves, Run};

pub use key::{BootstrapKey, BootstrapKeySize, BootstrapKind};
pub use small::SmallBootstrapKey;
pub use stages::BootstrapKeyRef;
pub(crate) use tables::BootstrapTables;

/// Ways to bootstrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// SlotsToCoeffs last: any level in, `max_level − stage_count` out (10 of 13, with three stages), the most precise.
    Regular,
    /// SlotsToCoeffs first, on the lowest levels: level ≥ stage_count in, `max_level` out. The sine's error is that of
    /// the values themselves, `6.3e-6·|m|³`, since it is not spread over coefficients.
    Lossy,
    /// As lossy, for values ±1, which the sine's extrema clean: an input error δ leaves 1.24·δ².
    Sign,
    /// Two regular bootstraps, the second of what the first left out: one level lower, with errors 2^14 times smaller.
    /// For chains of high precision ([`crate::ParamsLiteral::high_precision`]), whose scales can hold the result.
    Precise,
}

impl Method {
    /// Whether SlotsToCoeffs comes first.
    fn is_first(self) -> bool {
        matches!(self, Method::Lossy | Method::Sign)
    }
}

/// Which parts of the values a bootstrap keeps, where SlotsToCoeffs comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// Real and imaginary parts.
    Complex,
    /// Real parts only, for half of EvalMod; the imaginary parts come out as zero.
    Real,
}

/// The keys of a bootstrap.
#[derive(Debug, Clone, Copy)]
pub struct BootstrapKeys<'a> {
    /// For EvalMod's products.
    pub relinearization: &'a RelinearizationKey,
    /// To separate real and imaginary parts.
    pub conjugation: &'a ConjugationKey,
    /// For everything else.
    pub bootstrap: BootstrapKeyRef<'a>,
}

/// What is asked for.
#[derive(Clone, Copy)]
struct Call<'a> {
    op: &'static str,
    method: Method,
    keys: BootstrapKeys<'a>,
    parts: Parts,
}

/// Where SlotsToCoeffs goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Last,
    First,
}

impl Order {
    /// The level that a bootstrap starts from.
    fn start(self, call: Call) -> usize {
        match self {
            Order::Last => 0,
            Order::First => call.keys.bootstrap.stage_count(),
        }
    }
}

/// In which order the transforms go: a lossy bootstrap without the levels for SlotsToCoeffs is a regular one.
fn order(call: Call, a: &Ciphertext) -> Order {
    let first = call.method.is_first() && a.level() >= call.keys.bootstrap.stage_count();
    if first { Order::First } else { Order::Last }
}

/// Ciphertexts that go through a bootstrap together: enough to hide the keys' traffic, few enough that what is in
/// flight (about half a gigabyte each) fits in memory.
const GROUP: usize = 4;

/// The one result of one input.
fn only<T>(mut results: Vec<T>) -> T {
    results.pop().unwrap_or_else(|| unreachable!("one ciphertext in, one out"))
}

/// `real + i·imaginary`, with the claims of each.
fn joined(inner: &Inner, halves: Halves<Ciphertext>) -> Ciphertext {
    let (claims, origin) =
        (Claims::new(halves.real.level(), halves.real.scale(), halves.real.error()), halves.real.origin());
    let joined = halves.map(|half| half.into_polynomials().0).joined(&inner.ring);
    Ciphertext::new(joined, None, claims, origin)
}

/// A point in the pipeline where the state can be looked at, for tests and for learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Coefficients hold `m + q0·I`.
    ModRaise,
    /// Slots hold the coefficients, in bit-reversed order, one half.
    CoeffsToSlots,
    /// Slots hold the sines of the lower half.
    EvalMod,
    /// Slots hold the message.
    SlotsToCoeffs,
}

/// What an observer sees: the stage, the ciphertext and its scale.
pub type Observer<'a> = &'a mut (dyn FnMut(Stage, &Rlwe, f64) + Send);

impl Context {
    /// A ciphertext of the same message, at `max_level − stage_count`: level 10, 9 or 8 of 13 for stage counts 3, 4 and
    /// 5, which the key was made for.
    ///
    /// The input may be at any level, and is first brought to level 0; its values may be up to about 1 in size
    /// (the error grows with the cube: `|m|³·6.3e-6` for coefficients of size `m`).
    ///
    /// # Errors
    /// Keys of other parameters or another secret, three polynomials, parameters without a bootstrap; a cancellation.
    pub fn bootstrap<'a>(
        &self,
        a: &Ciphertext,
        relinearization_key: &'a RelinearizationKey,
        conjugation_key: &'a ConjugationKey,
        bootstrap_key: impl Into<BootstrapKeyRef<'a>>,
        progress: Progress,
    ) -> Result<Ciphertext, Error> {
        let keys = BootstrapKeys {
            relinearization: relinearization_key,
            conjugation: conjugation_key,
            bootstrap: bootstrap_key.into(),
        };
        self.bootstrap_observed(a, keys, progress, &mut |_, _, _| {})
    }

    /// As [`Context::bootstrap`], showing the state between the stages.
    ///
    /// # Errors
    /// As [`Context::bootstrap`].
    pub fn bootstrap_observed(
        &self,
        a: &Ciphertext,
        keys: BootstrapKeys,
        progress: Progress,
        observer: Observer,
    ) -> Result<Ciphertext, Error> {
        let call = Call { op: "bootstrap", method: Method::Regular, keys, parts: Parts::Complex };
        self.run(call, &[a], progress, observer).map(only)
    }

    /// An iterated bootstrap, one level below a regular one's, with an error 2^14 times smaller: for about two
    /// bootstraps' time, in chains of high precision ([`crate::ParamsLiteral::high_precision`]).
    ///
    /// # Errors
    /// As [`Context::bootstrap`]; parameters of standard precision, whose scales could not hold the result.
    pub fn precise_bootstrap(
        &self,
        a: &Ciphertext,
        keys: BootstrapKeys,
        progress: Progress,
    ) -> Result<Ciphertext, Error> {
        let call = Call { op: "precise_bootstrap", method: Method::Precise, keys, parts: Parts::Complex };
        self.run(call, &[a], progress, &mut |_, _, _| {}).map(only)
    }

    /// A lossy bootstrap, to `max_level`; below level `stage_count` a regular one with the same keys, to
    /// `max_level − stage_count`.
    ///
    /// # Errors
    /// As [`Context::bootstrap`]; a key of another kind.
    pub fn lossy_bootstrap(
        &self,
        a: &Ciphertext,
        keys: BootstrapKeys,
        parts: Parts,
        progress: Progress,
    ) -> Result<Ciphertext, Error> {
        let call = Call { op: "lossy_bootstrap", method: Method::Lossy, keys, parts };
        self.run(call, &[a], progress, &mut |_, _, _| {}).map(only)
    }

    /// A bootstrap of values ±1 (each part, for complex values), to `max_level`, that squares their errors.
    ///
    /// # Errors
    /// As [`Context::lossy_bootstrap`]; a level below `stage_count`.
    pub fn sign_bootstrap(
        &self,
        a: &Ciphertext,
        keys: BootstrapKeys,
        parts: Parts,
        progress: Progress,
    ) -> Result<Ciphertext, Error> {
        let call = Call { op: "sign_bootstrap", method: Method::Sign, keys, parts };
        self.run(call, &[a], progress, &mut |_, _, _| {}).map(only)
    }

    /// Many ciphertexts, each as by the bootstrap of the method, in groups that read the keys together.
    ///
    /// # Errors
    /// As the bootstrap of the method, for any of the ciphertexts; then none is bootstrapped.
    pub fn bootstrap_many(
        &self,
        method: Method,
        cts: &[&Ciphertext],
        keys: BootstrapKeys,
        parts: Parts,
        progress: Progress,
    ) -> Result<Vec<Ciphertext>, Error> {
        let op = match method {
            Method::Regular => "bootstrap",
            Method::Lossy => "lossy_bootstrap",
            Method::Sign => "sign_bootstrap",
            Method::Precise => "precise_bootstrap",
        };
        let call = Call { op, method, keys, parts };
        self.run(call, cts, progress, &mut |_, _, _| {})
    }

    /// Two ciphertexts with real values in one bootstrap.
    ///
    /// # Errors
    /// As the bootstrap of the method; ciphertexts of different secrets.
    pub fn merge_bootstrap(
        &self,
        method: Method,
        a: &Ciphertext,
        b: &Ciphertext,
        keys: BootstrapKeys,
        progress: Progress,
    ) -> Result<[Ciphertext; 2], Error> {
        let op = match method {
            Method::Regular => "merge_bootstrap",
            Method::Lossy => "lossy_merge_bootstrap",
            Method::Sign => "sign_merge_bootstrap",
            Method::Precise => {
                let needed = "regular, lossy or sign; or bootstrap them one by one".into();
                return Err(Error::Parameter { what: "method of merge_bootstrap", found: "precise".into(), needed });
            }
        };
        self.check_pair(op, a, b)?;
        self.check_relinearized(op, b)?;
        let call = Call { op, method, keys, parts: Parts::Complex };
        let merged = self.add(a, &self.multiply_scalar(b, Complex64::i())?)?;
        let tables = self.check_call(call, &merged)?;
        let order = order(call, &merged);
        let lowered = [self.level_down(&merged, order.start(call))?];
        let halves = self.install(|inner| {
            let observer: Observer = &mut |_, _, _| {};
            let mut run = Run::new(op, inner, tables, keys, progress, observer);
            match order {
                Order::Last => run.regular_halves(&lowered),
                Order::First => run.first(&lowered, method, Parts::Complex),
            }
        })?;
        let Halves { real, imaginary } = only(halves);
        Ok([real, imaginary.unwrap_or_else(|| unreachable!("both parts were asked for"))])
    }

    /// All checks, and then the bootstraps, group by group.
    fn run(
        &self,
        call: Call,
        cts: &[&Ciphertext],
        progress: Progress,
        observer: Observer,
    ) -> Result<Vec<Ciphertext>, Error> {
        let tables = match cts.first() {
            Some(first) => self.check_call(call, first)?,
            None => return Ok(Vec::new()),
        };
        cts[1..].iter().try_for_each(|ct| self.check_call(call, ct).map(|_| ()))?;
        // Ciphertexts of one order and one secret's keys go together.
        let orders: Vec<Order> = cts.iter().map(|ct| order(call, ct)).collect();
        let (first, last): (Vec<usize>, Vec<usize>) = (0..cts.len()).partition(|&i| orders[i] == Order::First);
        let groups: Vec<&[usize]> = first.chunks(GROUP).chain(last.chunks(GROUP)).collect();
        self.install(|inner| {
            let rounds = if call.method == Method::Precise { 2 } else { 1 };
            let rounds = rounds * groups.len();
            let mut run = Run::new(call.op, inner, tables, call.keys, progress, observer).groups(rounds);
            let mut done: Vec<Option<Ciphertext>> = vec![None; cts.len()];
            for group in groups {
                let order = orders[group[0]];
                let lowered: Vec<Ciphertext> =
                    group.iter().map(|&i| self.level_down(cts[i], order.start(call))).collect::<Result<_, _>>()?;
                let results: Vec<Ciphertext> = match (order, call.parts) {
                    (Order::Last, _) if call.method == Method::Precise => run.precise(&lowered)?,
                    (Order::First, parts) => {
                        run.first(&lowered, call.method, parts)?.into_iter().map(|h| joined(inner, h)).collect()
                    }
                    (Order::Last, Parts::Complex) => run.regular(&lowered)?,
                    (Order::Last, Parts::Real) => run.regular_halves(&lowered)?.into_iter().map(|h| h.real).collect(),
                };
                group.iter().zip(results).for_each(|(&i, result)| done[i] = Some(result));
            }
            Ok(done.into_iter().flatten().collect())
        })
    }

    /// Refuses a ciphertext or keys that a call can't take.
    fn check_call(&self, call: Call, a: &Ciphertext) -> Result<&BootstrapTables, Error> {
        let tables = self.check_bootstrap(call.op, a, call.keys)?;
        if call.method.is_first() {
            self.check_first(call.op, call.keys)?;
        }
        if call.method == Method::Precise && self.0.params.literal().precision == Precision::Standard {
            return Err(Error::Parameter {
                what: "precision of the parameters",
                found: "standard, whose scales of 2^40 hold 29 bits".into(),
                needed: "high".into(),
            });
        }
        if call.method == Method::Sign {
            self.check_depth(call.op, a, call.keys.bootstrap.stage_count())?;
        }
        Ok(tables)
    }

    /// Refuses arguments that do not belong together.
    fn check_bootstrap(
        &self,
        op: &'static str,
        a: &Ciphertext,
        keys: BootstrapKeys,
    ) -> Result<&BootstrapTables, Error> {
        let Some(tables) = &self.0.bootstrap else {
            return Err(Error::NoBootstrap { op });
        };
        self.check_ciphertext(op, a)?;
        self.check_relinearized(op, a)?;
        self.check_secret(op, "relinearization key", keys.relinearization.info, a)?;
        self.check_secret(op, "conjugation key", keys.conjugation.info, a)?;
        match keys.bootstrap {
            BootstrapKeyRef::Full(key) => self.check_secret(op, "bootstrap key", key.info, a)?,
            BootstrapKeyRef::Small { key, rotation, stage_count } => {
                self.check_secret(op, "rotation key", rotation.info, a)?;
                self.check_secret(op, "small bootstrap key", key.info, a)?;
                self.check_stage_count(op, stage_count)?;
            }
        }
        if keys.bootstrap.slot_count() != self.slot_count() {
            return Err(Error::Parameter {
                what: "slot_count of the bootstrap key",
                found: keys.bootstrap.slot_count().to_string(),
                needed: format!("{}, this engine's; make the key with this engine", self.slot_count()),
            });
        }
        Ok(tables)
    }

    /// Refuses keys without the transforms that come first.
    fn check_first(&self, op: &'static str, keys: BootstrapKeys) -> Result<(), Error> {
        match keys.bootstrap {
            BootstrapKeyRef::Full(key) if key.kind() == BootstrapKind::Regular => {
                Err(Error::BootstrapKind { op, found: key.kind(), needed: BootstrapKind::Lossy })
            }
            _ => Ok(()),
        }
    }
}
