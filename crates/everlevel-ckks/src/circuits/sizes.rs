//! The sizes of all that a polynomial's evaluation computes on the way: [`super::elements`] on bounds, without
//! ciphertexts.
//!
//! A polynomial's value may be small where its terms are large, and so may those of an argument that is far from the
//! interval that it was fitted for. What is computed at a level has to fit its modulus all the same, or it wraps around
//! and takes every slot with it.

use std::cell::Cell;

use super::elements::{Arithmetic, BasisElements, Role};
use crate::checks::SLACK;
use crate::core::Core;
use crate::series::{Basis, Series};

/// The bound of a value at a level.
#[derive(Clone, Copy)]
struct Sized {
    level: usize,
    size: f64,
}

/// A bound that a level's modulus has no room for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TooLarge {
    pub size: f64,
    pub level: usize,
    pub room: f64,
}

/// The arithmetic of bounds, which remembers the bound that exceeds its level's room by most.
struct OfSizes<'a, F> {
    core: &'a Core,
    /// The bound of a basis element.
    element: F,
    worst: &'a Cell<Option<TooLarge>>,
}

impl<F> OfSizes<'_, F> {
    fn noted(&self, x: Sized) -> Sized {
        let room = self.core.modulus_room(x.level);
        let ratio = |found: TooLarge| found.size / found.room;
        let exceeds = x.size * (1.0 + SLACK) >= room || x.size.is_nan();
        if exceeds && self.worst.get().is_none_or(|worst| x.size / room > ratio(worst)) {
            self.worst.set(Some(TooLarge { size: x.size, level: x.level, room }));
        }
        x
    }
}

impl<F: Fn(Basis, usize) -> f64> Arithmetic for OfSizes<'_, F> {
    type Value = Sized;
    type Sum = Sized;

    fn level(&self, x: &Sized) -> usize {
        x.level
    }

    fn empty(&self, target: usize) -> Sized {
        Sized { level: target, size: 0.0 }
    }

    fn add_product(&self, sum: &mut Sized, a: &Sized, b: &Sized, times: u8) {
        sum.size += f64::from(times) * a.size * b.size;
    }

    fn add_terms(&self, sum: &mut Sized, terms: &[(&Sized, f64)]) {
        sum.size += terms.iter().map(|(x, c)| x.size * c.abs()).sum::<f64>();
    }

    fn finish(&self, sum: Sized) -> Sized {
        sum
    }

    fn add_constant(&self, x: &mut Sized, c: f64) {
        x.size += c.abs();
    }

    fn zero(&self, x: &Sized) -> Sized {
        Sized { level: x.level, size: 0.0 }
    }

    fn has_role(&self, x: &mut Sized, role: Role) {
        let size = match role {
            Role::Element(basis, k) => x.size.min((self.element)(basis, k)),
            Role::Part => x.size,
        };
        *x = self.noted(Sized { size, ..*x });
    }
}

impl Core {
    /// The size that values at a level stay below, whichever of its primes they are read from.
    fn modulus_room(&self, level: usize) -> f64 {
        (self.ring.log2(&self.ladder.sets[level]) - 1.0).exp2() / self.ladder.scales[level]
    }

    /// The parts that are too large for their level in the evaluation of polynomials of an argument at a level, whose
    /// basis elements have these bounds.
    pub(crate) fn too_large(
        &self,
        level: usize,
        series: &[Series<'_>],
        element: impl Fn(Basis, usize) -> f64,
    ) -> Option<TooLarge> {
        let worst = Cell::new(None);
        let basis = series.first()?.basis;
        let x = Sized { level, size: element(basis, 1) };
        let arithmetic = OfSizes { core: self, element, worst: &worst };
        let polynomials: Vec<&[f64]> = series.iter().map(|series| series.coefficients).collect();
        BasisElements::new(arithmetic, basis, x).polynomials(&polynomials);
        worst.get()
    }
}
