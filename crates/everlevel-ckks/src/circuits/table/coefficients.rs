//! Integers as coefficients on the torus, for TFHE (`docs/notes/ways.md`).

use everlevel_ring::{Eval, Poly};

use super::space::Space;
use crate::circuits::evaluator::Circuits;
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
        let op = "from_bulk";
        self.run(op, 1, progress).check_lossy(x)?;
        let x = x.clone().on_reals(true).within(1.0);
        let units: Vec<&Ciphertext> = x.all().iter().collect();
        let bases = self.bootstrapper().coefficients(op, Method::Table, &units, self.keys(), progress)?;
        // A number x = (2m + 1)/p − 1 is at x/4.
        let offset = (1u64 << 62).wrapping_sub((1u64 << 62) / space.size() as u64);
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
