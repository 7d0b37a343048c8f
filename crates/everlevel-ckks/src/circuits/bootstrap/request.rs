//! Requests of bootstraps: a method with its keys, the levels that it starts from and ends at, and what it refuses.
//!
//! *Values beyond the size that their sines are accurate for* are bootstrapped as fractions of them. A ciphertext that
//! is above the level where its bootstrap starts is multiplied by `2^−k` on the way down, which takes one of the levels
//! that are dropped anyway, and its result by the integer `2^k`, which takes none. The errors of the bootstrap are
//! `2^k` times as large: `k` bits less, for the least `k` that brings the bound into the accurate range.

use std::borrow::Cow;

use num_complex::Complex64;

use crate::checks::{self, RangeNotice};
use crate::circuits::bootstrap::bootstrapper::Bootstrapper;
use crate::circuits::bootstrap::key::{BootstrapKeyRef, BootstrapKeys};
use crate::circuits::bootstrap::method::{Method, SlotType, SlotsToCoeffs};
use crate::circuits::bootstrap::run::RESIDUAL_GAIN;
use crate::claims::{Bound, Certainty, SineError};
use crate::core::Core;
use crate::{Ciphertext, Error, Precision};

/// A method with its keys.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub method: Method,
    pub keys: BootstrapKeys<'a>,
    pub slot_type: SlotType,
}

impl Request<'_> {
    /// The place of SlotsToCoeffs for a ciphertext.
    pub fn place(self, core: &Core, a: &Ciphertext) -> SlotsToCoeffs {
        self.keys.bootstrap.place(core, self.method, self.slot_type, a.level())
    }

    /// The method that a ciphertext is bootstrapped by where SlotsToCoeffs comes first.
    pub fn first_method(self) -> Method {
        if self.method.fills_the_sine() { self.method } else { Method::Lossy }
    }

    /// The level that a bootstrap starts from.
    pub fn start(self, place: SlotsToCoeffs) -> usize {
        match place {
            SlotsToCoeffs::Last => 0,
            SlotsToCoeffs::First => self.keys.bootstrap.stage_count(),
        }
    }

    /// A result with the bound that it has by the method: whole sines of both parts are of size `√2`; sines in place of
    /// the identity leave the size of `a`.
    pub fn bounded(self, result: Ciphertext, a: &Ciphertext) -> Ciphertext {
        let size = match self.method.fills_the_sine() {
            true if !a.bound().is_real() => result.bound().size(),
            true => 1.0,
            false => a.bound_or_assumed().size(),
        };
        result.within(size).on_reals(self.slot_type == SlotType::Real || a.bound().is_real())
    }
}

/// Signs are told from values of up to this size: see `docs/notes/bootstrap.md`.
const LARGEST_SIGN: f64 = 1.25;
/// Largest values that the sine's fit for tables is made for, with room for their errors.
const LARGEST_IN_TABLES: f64 = 1.125;
/// The size of a part that a sign bootstrap has room for: half of the sine's period.
const SIGN_ROOM: f64 = 2.0;

/// The refusal of what chains for tables have no levels for.
pub(super) fn for_tables(what: &'static str, found: &str) -> Error {
    Error::parameter(what, found, "one for tables, as the parameters are")
}

impl Bootstrapper {
    /// The highest level that a request ends at.
    fn highest(&self, request: Request, place: SlotsToCoeffs) -> usize {
        let top = self.context().max_level();
        match place {
            SlotsToCoeffs::First => top,
            SlotsToCoeffs::Last => {
                top - request.keys.bootstrap.stage_count() - usize::from(request.method == Method::Precise)
            }
        }
    }

    /// The level that a request ends at.
    pub(super) fn level_out(&self, request: Request, place: SlotsToCoeffs) -> usize {
        self.highest(request, place) - self.spared(request, place)
    }

    /// Levels below the highest that the results of a request are wanted at.
    pub(super) fn spared(&self, request: Request, place: SlotsToCoeffs) -> usize {
        self.level.map_or(0, |level| self.highest(request, place).saturating_sub(level))
    }

    /// Refuses a level above the highest that a request ends at.
    fn check_level_out(&self, op: &'static str, request: Request, place: SlotsToCoeffs) -> Result<(), Error> {
        let max_level = self.highest(request, place);
        match self.level {
            Some(level) if level > max_level => Err(Error::LevelOutOfRange { op, level, max_level }),
            _ => Ok(()),
        }
    }

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

    /// Refuses a ciphertext or keys that a request can't take.
    pub(super) fn check_request(
        &self,
        op: &'static str,
        request: Request,
        a: &Ciphertext,
        bound: Bound,
    ) -> Result<(), Error> {
        let Request { method, keys, .. } = request;
        self.check_keys(op, a, keys)?;
        if self.context().params().literal().tables.is_some() && method != Method::Table {
            return Err(for_tables("method of a bootstrap", method.operation()));
        }
        if method.is_first() {
            keys.bootstrap.check_first(op)?;
        }
        if method == Method::Precise && self.context().params().literal().precision == Precision::Standard {
            return Err(Error::Parameter {
                what: "precision of the parameters",
                found: "standard, whose scales of 2^40 hold 29 bits".into(),
                needed: "high".into(),
            });
        }
        if method.fills_the_sine() {
            self.context().check_depth(op, a, keys.bootstrap.stage_count())?;
        }
        let place = request.place(&self.context().core, a);
        if place == SlotsToCoeffs::Last {
            keys.bootstrap.check_last(op)?;
        }
        self.check_level_out(op, request, place)?;
        self.check_bound(op, request, place, bound)
    }

    /// The sine that stands for the identity.
    pub(super) fn sine(&self, method: Method, place: SlotsToCoeffs) -> SineError {
        let residual = (method == Method::Precise).then_some(RESIDUAL_GAIN);
        match place {
            SlotsToCoeffs::Last => self.tables().0.last.sine(residual),
            SlotsToCoeffs::First => self.tables().0.first.sine(residual),
        }
    }

    /// Refuses a declared bound that a bootstrap has no room for, and gives notice of one that it isn't accurate for.
    pub(super) fn check_bound(
        &self,
        op: &'static str,
        request: Request,
        place: SlotsToCoeffs,
        bound: Bound,
    ) -> Result<(), Error> {
        let sine = self.sine(request.method, place);
        // Both parts of ±1 ± i are signs.
        let parts = if bound.is_real() { 1.0 } else { std::f64::consts::SQRT_2 };
        let (room, accurate) = match request.method {
            Method::Sign => (SIGN_ROOM, LARGEST_SIGN * parts),
            Method::Table => (SIGN_ROOM, LARGEST_IN_TABLES * parts),
            _ => (sine.peak, sine.accurate()),
        };
        self.context().check_room(op, bound, (0, room), Vec::new)?;
        if bound.is_declared() && bound.size() > accurate {
            let bound = bound.size();
            let worst = match request.method {
                // The sine of a part beyond ±1 falls below a sign: to 0 at 2, where the next period begins.
                Method::Sign | Method::Table => 1.0 - (std::f64::consts::FRAC_PI_2 * bound).sin(),
                _ => sine.largest(bound, Certainty::Usual),
            };
            checks::notice(RangeNotice::Accuracy { op, bound, accurate, worst });
        }
        Ok(())
    }

    /// Refuses arguments that do not belong together.
    fn check_keys(&self, op: &'static str, a: &Ciphertext, keys: BootstrapKeys) -> Result<(), Error> {
        let context = self.context();
        keys.check(op, context, a)?;
        if let BootstrapKeyRef::Small { stage_count, .. } = keys.bootstrap {
            self.check_stage_count(op, stage_count)?;
        }
        context.check_slots("slot_count of the bootstrap key", keys.bootstrap.slot_count())
    }
}
