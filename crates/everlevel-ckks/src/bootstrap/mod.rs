#![doc = include_str!("../../../../docs/notes/bootstrap.md")]
//!
//! *Map.* [`mod@dft`] the factored Fourier transform as linear maps · [`mod@eval_mod`] the sine and its fit · `tables` what belongs to the parameters · `maps` the
//! plaintexts · `key_set`, [`mod@key`], [`mod@small`] · `stages` maps with keys · `run` the pipeline · this file: the calls.

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

use crate::keys::{ConjugationKey, RelinearizationKey};
use crate::{Ciphertext, Context, Error, Progress};
use run::{Halves, Run};

pub use key::{BootstrapKey, BootstrapKeySize, BootstrapKind};
pub use small::SmallBootstrapKey;
pub use stages::BootstrapKeyRef;
pub(crate) use tables::BootstrapTables;

/// Ways to bootstrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// SlotsToCoeffs last: any level in, level 13 − stage_count out, the most precise.
    Regular,
    /// SlotsToCoeffs first, on the lowest levels: level ≥ stage_count in, level 13 out. The sine's error is that of the values
    /// themselves, `6.3e-6·|m|³`, since it is not spread over coefficients.
    Lossy,
    /// As lossy, for values ±1, which the sine's extrema clean: an input error δ leaves 1.24·δ².
    Sign,
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
    /// A ciphertext of the same message, at level 10, 9 or 8 for stage counts 3, 4 and 5: what a key was made for.
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
        let op = "bootstrap";
        let tables = self.check_bootstrap(op, a, keys)?;
        let lowered = self.level_down(a, 0)?;
        self.install(|inner| Run::new(op, inner, tables, keys, progress, observer).regular(&lowered))
    }

    /// A lossy bootstrap, to level 13; below level `stage_count` a regular one with the same keys, to level 13 − stage_count.
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
        let op = "lossy_bootstrap";
        self.check_first(op, keys)?;
        if a.level < keys.bootstrap.stage_count() {
            return self.bootstrap_observed(a, keys, progress, &mut |_, _, _| {});
        }
        let halves = self.slots_to_coeffs_first(op, Method::Lossy, a, keys, parts, progress)?;
        Ok(self.joined(halves))
    }

    /// A bootstrap of values ±1 (each part, for complex values), to level 13, that squares their errors.
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
        let halves = self.slots_to_coeffs_first("sign_bootstrap", Method::Sign, a, keys, parts, progress)?;
        Ok(self.joined(halves))
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
        };
        self.check_pair(op, a, b)?;
        self.check_relinearized(op, b)?;
        let tables = self.check_bootstrap(op, a, keys)?;
        if method != Method::Regular {
            self.check_first(op, keys)?;
        }
        let i = Complex64::new(0.0, 1.0);
        let merged = self.add(a, &self.multiply_scalar(b, i)?)?;
        if method == Method::Sign || (method == Method::Lossy && merged.level >= keys.bootstrap.stage_count()) {
            let halves = self.slots_to_coeffs_first(op, method, &merged, keys, Parts::Complex, progress)?;
            let imaginary = halves.imaginary.unwrap_or_else(|| unreachable!("both parts were asked for"));
            return Ok([halves.real, imaginary]);
        }
        let lowered = self.level_down(&merged, 0)?;
        self.install(|inner| Run::new(op, inner, tables, keys, progress, &mut |_, _, _| {}).regular_halves(&lowered))
    }

    fn slots_to_coeffs_first(
        &self,
        op: &'static str,
        method: Method,
        a: &Ciphertext,
        keys: BootstrapKeys,
        parts: Parts,
        progress: Progress,
    ) -> Result<Halves<Ciphertext>, Error> {
        let tables = self.check_bootstrap(op, a, keys)?;
        self.check_first(op, keys)?;
        let stage_count = keys.bootstrap.stage_count();
        self.check_depth(op, a, stage_count)?;
        let lowered = self.level_down(a, stage_count)?;
        self.install(|inner| {
            Run::new(op, inner, tables, keys, progress, &mut |_, _, _| {}).first(&lowered, method, parts)
        })
    }

    /// `real + i·imaginary`.
    fn joined(&self, halves: Halves<Ciphertext>) -> Ciphertext {
        let Halves { mut real, imaginary } = halves;
        if let Some(imaginary) = imaginary {
            real.rlwe =
                self.install(|inner| Halves { real: real.rlwe, imaginary: Some(imaginary.rlwe) }.joined(&inner.ring));
        }
        real
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
