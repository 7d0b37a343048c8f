//! Integers as coefficients on the torus, for TFHE (`docs/notes/ways.md`).

use everlevel_ring::{Eval, Poly};

use super::noise::numbers_on_torus;
use super::space::Space;
use crate::circuits::evaluator::Circuits;
use crate::claims::Certainty;
use crate::{Ciphertext, Context, Error, Method, Progress, Units};

/// A ciphertext of the ring's degree on the torus, 64-bit words whose phase is `c0 + c1·s`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TorusCiphertext {
    /// The part without the secret.
    pub c0: Vec<u64>,
    /// The part that is multiplied by it.
    pub c1: Vec<u64>,
}

impl Context {
    /// The coefficients of a ciphertext on the torus that hold the integers of two units, in their order.
    pub fn torus_places(&self) -> Vec<usize> {
        let (slots, half) = (self.slot_count(), self.core.ring.n() / 2);
        let unused = usize::BITS - slots.ilog2();
        let place = |slot: usize| slot.reverse_bits().checked_shr(unused).unwrap_or(0) * (half / slots);
        (0..2 * slots).map(|at| at / slots * half + place(at % slots)).collect()
    }
}

/// Bits of integers that numbers are spread over, at most.
const MAX_BITS: u32 = 8;
/// Probability that an error of a unit is beyond its certain bound.
const LEFT_OUT: f64 = 1.0 / (1u128 << 64) as f64;

impl Circuits<'_> {
    /// Integers of a space on the torus, where `m` of `p` is at `m/2p`: by SlotsToCoeffs alone, without a bootstrap. A
    /// ciphertext for each two units, whose integers are at [`Context::torus_places`].
    ///
    /// # Errors
    /// A level below the stage count; keys of another secret or without SlotsToCoeffs first; a cancellation.
    pub fn to_torus(
        &self,
        x: &Units<Ciphertext>,
        space: Space,
        progress: Progress,
    ) -> Result<Vec<TorusCiphertext>, Error> {
        self.coefficients("from_bulk", x, (space.size(), 1.0), progress)
    }

    /// Real numbers from −1 to 1 on the torus, spread over integers of so many bits: `x` is where an integer would be
    /// that is `(x + 1)/2·(2^bits − 1)`. Else as [`Circuits::to_torus`].
    ///
    /// # Errors
    /// As [`Circuits::to_torus`]; a declared bound above 1; other bits than 1 to 8.
    pub fn numbers_to_torus(
        &self,
        x: &Units<Ciphertext>,
        bits: u32,
        progress: Progress,
    ) -> Result<Vec<TorusCiphertext>, Error> {
        let op = "from_ckks";
        if !(1..=MAX_BITS).contains(&bits) {
            return Err(Error::parameter("bits of integers", bits, format!("between 1 and {MAX_BITS}")));
        }
        self.run(op, 1, progress).check_bound(x, 1.0)?;
        let size = 1 << bits;
        self.coefficients(op, x, (size, 1.0 - 1.0 / size as f64), progress)
    }

    /// A bound of the errors of coefficients of [`Circuits::numbers_to_torus`], in units of the distance between
    /// integers, by what is claimed of the numbers; and the probability that any is larger.
    pub fn error_of_numbers(&self, x: &Units<Ciphertext>, bits: u32) -> (f64, f64) {
        let (level, error) = (x.first().level(), x.first().estimate().worst_at(Certainty::Certain));
        let distance = 2.0 / (f64::from(bits).exp2() - 1.0);
        (numbers_on_torus(self.bootstrapper(), level, error) / distance, x.count() as f64 * LEFT_OUT)
    }

    fn coefficients(
        &self,
        op: &'static str,
        x: &Units<Ciphertext>,
        (size, share): (usize, f64),
        progress: Progress,
    ) -> Result<Vec<TorusCiphertext>, Error> {
        self.run(op, 1, progress).check_lossy(x)?;
        let x = x.clone().on_reals(true).within(1.0);
        let units: Vec<&Ciphertext> = x.all().iter().collect();
        let bases = self.bootstrapper().coefficients(op, (Method::Table, share), &units, self.keys(), progress)?;
        // Zero is in the middle, half of p − 1.
        let offset = (1u64 << 62).wrapping_sub((1u64 << 62) / size as u64);
        let core = &self.context().core;
        let words = |part: Poly<Eval>| {
            let prime = part.set().indices()[0];
            let q = u128::from(core.ring.modulus(prime).q());
            let part = core.ring.to_coeff(part);
            let word = |&residue: &u64| (((u128::from(residue) << 64) + q / 2) / q) as u64;
            part.limb(prime).iter().map(word).collect::<Vec<u64>>()
        };
        let on_torus = |base: everlevel_rlwe::Rlwe| {
            let mut c0 = words(base.c0);
            c0.iter_mut().for_each(|word| *word = word.wrapping_add(offset));
            TorusCiphertext { c0, c1: words(base.c1) }
        };
        Ok(self.context().install(|_| bases.into_iter().map(on_torus).collect()))
    }
}
