#![doc = include_str!("../../../../docs/notes/bootstrap.md")]
//!
//! *Map.* [`mod@dft`] the factored Fourier transform as linear maps · [`mod@eval_mod`] the sine and its fit · [`mod@key`] tables and keys ·
//! this file: the pipeline.

pub mod dft;
pub mod eval_mod;
pub mod key;

use everlevel_ring::PrimeSet;
use everlevel_rlwe::Rlwe;

use crate::context::Inner;
use crate::keys::{ConjugationKey, RelinearizationKey};
use crate::working::{self, Working};
use crate::{Ciphertext, Context, Error, Progress, arithmetic, report};

pub(crate) use key::BootstrapTables;
pub use key::{BootstrapKey, BootstrapKeySize};

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
    pub fn bootstrap(
        &self,
        a: &Ciphertext,
        relinearization_key: &RelinearizationKey,
        conjugation_key: &ConjugationKey,
        bootstrap_key: &BootstrapKey,
        progress: Progress,
    ) -> Result<Ciphertext, Error> {
        self.bootstrap_observed(a, relinearization_key, conjugation_key, bootstrap_key, progress, &mut |_, _, _| {})
    }

    /// As [`Context::bootstrap`], showing the state between the stages.
    ///
    /// # Errors
    /// As [`Context::bootstrap`].
    pub fn bootstrap_observed(
        &self,
        a: &Ciphertext,
        relinearization_key: &RelinearizationKey,
        conjugation_key: &ConjugationKey,
        bootstrap_key: &BootstrapKey,
        progress: Progress,
        observer: Observer,
    ) -> Result<Ciphertext, Error> {
        let op = "bootstrap";
        let Some(tables) = &self.0.bootstrap else {
            return Err(Error::NoBootstrap { op });
        };
        self.check_ciphertext(op, a)?;
        self.check_relinearized(op, a)?;
        self.check_secret(op, "relinearization key", relinearization_key.info, a)?;
        self.check_secret(op, "conjugation key", conjugation_key.info, a)?;
        self.check_secret(op, "bootstrap key", bootstrap_key.info, a)?;
        let lowered = self.level_down(a, 0)?;
        self.install(|inner| {
            let run = Run { inner, tables, relinearization_key, conjugation_key, key: bootstrap_key };
            run.bootstrap(&lowered, progress, observer)
        })
    }
}

/// One bootstrap's surroundings.
struct Run<'a> {
    inner: &'a Inner,
    tables: &'a BootstrapTables,
    relinearization_key: &'a RelinearizationKey,
    conjugation_key: &'a ConjugationKey,
    key: &'a BootstrapKey,
}

impl Run<'_> {
    fn bootstrap(&self, a: &Ciphertext, progress: Progress, observer: Observer) -> Result<Ciphertext, Error> {
        let stages = self.key.stage_count();
        let total = 2 * stages + 4;
        let mut done = 0;
        let mut step = || {
            done += 1;
            report("bootstrap", progress, done, total)
        };
        let ring = &self.inner.ring;
        let ladder = &self.tables.ladder;

        let mut ct = self.mod_raise(&a.rlwe);
        observer(Stage::ModRaise, &ct, self.tables.raise_factor as f64 * a.scale);
        step()?;

        for stage in &self.key.coeffs_to_slots {
            ct = stage.apply(ring, &ct);
            step()?;
        }
        let [real, imaginary] = self.split(ct);
        let top = ladder.scales.len() - 1;
        observer(Stage::CoeffsToSlots, &real, ladder.scales[top]);
        step()?;

        let sine = |ct: Rlwe| {
            eval_mod::eval_mod(
                ring,
                ladder,
                &self.relinearization_key.keys,
                &self.tables.fit,
                Working { ct, level: top },
            )
        };
        let real = sine(real).ct;
        observer(Stage::EvalMod, &real, ladder.scales[0]);
        step()?;
        let mut imaginary = sine(imaginary).ct;
        arithmetic::mul_i_assign(ring, &mut imaginary);
        let mut ct = real;
        ring.add_assign(&mut ct.c0, &imaginary.c0);
        ring.add_assign(&mut ct.c1, &imaginary.c1);
        step()?;

        for stage in &self.key.slots_to_coeffs {
            ct = stage.apply(ring, &ct);
            step()?;
        }
        let level = self.inner.ladder.sets.len() - 1 - stages;
        let scale = self.inner.ladder.scales[level];
        observer(Stage::SlotsToCoeffs, &ct, scale);
        let error = a.error.hypot(self.tables.error);
        Ok(Ciphertext { rlwe: ct, c2: None, level, scale, error, ..*a })
    }

    /// From the base prime to the raised modulus, by way of the encapsulated sparse secret: the phase becomes `factor·(m + q0·I)` with
    /// `|I| ≤ 16`.
    fn mod_raise(&self, ct: &Rlwe) -> Rlwe {
        let ring = &self.inner.ring;
        let base = self.inner.ladder.sets[0].clone();
        let raised = &self.key.raised;

        // To the sparse secret, at the smallest modulus.
        let mut sparse = self.key.to_sparse.switch(ring, &ct.c1).rescale(ring, &base);
        ring.add_assign(&mut sparse.c0, &ct.c0);

        // The same integers over the raised modulus, and over the special primes for the digit that is all of c1.
        let special = &self.key.to_dense.gadget().special;
        let with_special = raised.union(special);
        let lift = |part, target: &PrimeSet| {
            let mut lifted = ring.lift(&ring.to_coeff(part), target);
            ring.mul_residues_assign(&mut lifted, |m| m.reduce(self.tables.raise_factor));
            ring.to_eval(lifted)
        };
        let c1 = lift(sparse.c1, &with_special);
        let c0 = lift(sparse.c0, raised);
        let mut dense = self.key.to_dense.product(ring, &[(0, c1)]).rescale(ring, raised);
        ring.add_assign(&mut dense.c0, &c0);
        dense
    }

    /// `w + conj(w)` and `−i·(w − conj(w))`: twice the real and the imaginary parts.
    fn split(&self, w: Rlwe) -> [Rlwe; 2] {
        let ring = &self.inner.ring;
        let key = self.conjugation_key.keys.for_set(w.set());
        let conjugate = working::automorphism(ring, &w, ring.conjugation_elt(), key);
        let mut real = w.clone();
        let mut imaginary = conjugate.clone();
        for (r, c) in [(&mut real.c0, &conjugate.c0), (&mut real.c1, &conjugate.c1)] {
            ring.add_assign(r, c);
        }
        // −i·(w − w̄) = i·(w̄ − w).
        ring.sub_assign(&mut imaginary.c0, &w.c0);
        ring.sub_assign(&mut imaginary.c1, &w.c1);
        arithmetic::mul_i_assign(ring, &mut imaginary);
        [real, imaginary]
    }
}
