//! Bootstraps of values beyond the size that their sines are accurate for, as fractions of them.
//!
//! A ciphertext that is above the level where its bootstrap starts is multiplied by `2^−k` on the way down, which takes
//! one of the levels that are dropped anyway, and its result by the integer `2^k`, which takes none. The errors of the
//! bootstrap are `2^k` times as large: `k` bits less, for the least `k` that brings the bound into the accurate range.

use std::borrow::Cow;

use num_complex::Complex64;

use crate::circuits::bootstrap::bootstrapper::{Bootstrapper, Request};
use crate::circuits::bootstrap::method::SlotsToCoeffs;
use crate::claims::Bound;
use crate::{Ciphertext, Error};

impl Bootstrapper {
    /// `k` for values of a declared bound, at a level; 0 where they are small enough, or can't be made smaller.
    pub(super) fn halvings(&self, request: Request, place: SlotsToCoeffs, level: usize, bound: Bound) -> i32 {
        let accurate = self.sine(request.method, place).accurate();
        let is_beyond = !request.method.fills_the_sine() && bound.is_declared() && bound.size() > accurate;
        if !is_beyond || level <= request.start(place) {
            return 0;
        }
        let least = (bound.size() / accurate).log2().ceil() as i32;
        // The quotient is rounded.
        if bound.size() * (-f64::from(least)).exp2() > accurate { least + 1 } else { least }
    }

    /// `2^−k·a`, and `k`, for the bootstrap of a request.
    pub(super) fn halved<'a>(&self, request: Request, a: &'a Ciphertext) -> Result<(Cow<'a, Ciphertext>, i32), Error> {
        let place = request.place(&self.context().core, a);
        let halvings = self.halvings(request, place, a.level(), a.bound());
        Ok((self.times(Cow::Borrowed(a), -halvings)?, halvings))
    }

    /// `2^k·a`.
    pub(super) fn times<'a>(&self, a: Cow<'a, Ciphertext>, exponent: i32) -> Result<Cow<'a, Ciphertext>, Error> {
        if exponent == 0 {
            return Ok(a);
        }
        self.context().multiply_scalar(&a, Complex64::from(f64::from(exponent).exp2())).map(Cow::Owned)
    }

    /// Refuses a bound that the level has no room for where a bootstrap ends, and the values are as large as before.
    pub(super) fn check_room_after(
        &self,
        op: &'static str,
        request: Request,
        (a, halvings): (&Ciphertext, i32),
    ) -> Result<(), Error> {
        if halvings == 0 {
            return Ok(());
        }
        let level = self.level_out(request, request.place(&self.context().core, a));
        let size = a.bound().size() * f64::from(halvings).exp2();
        self.context().check_range(op, Bound::declared(size)?, 0.0, level)
    }
}
