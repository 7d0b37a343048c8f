//! Plaintexts and ciphertexts.

use std::sync::OnceLock;

use everlevel_objects::Origin;
use everlevel_ring::{Eval, Poly};
use everlevel_rlwe::{Rlwe, SecretId};

use crate::claims::{Bound, BoundKind, Claims, Estimate, Padding, TAIL, Values, doubles};

/// An encoded message: a polynomial whose slots are the message times the level's scale.
#[derive(Debug, Clone)]
pub struct Plaintext {
    pub(crate) poly: Poly<Eval>,
    pub(crate) level: usize,
    pub(crate) scale: f64,
    pub(crate) slot_count: usize,
    pub(crate) fingerprint: u64,
    /// Values, where they are known without decoding.
    pub(crate) values: OnceLock<Values>,
    /// The bound that was declared for it, or that of the ciphertext it was decrypted from.
    pub(crate) bound: Option<Bound>,
    /// Whether all values are real numbers, as far as its maker said so.
    pub(crate) is_real: bool,
    /// The slots after the values of a message that doesn't fill them.
    pub(crate) padding: Option<Padding>,
    /// The ciphertext's estimate, of a decryption.
    pub(crate) estimate: Option<Box<Estimate>>,
}

/// The origin and the number of slots of a ciphertext, which results take from their operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    pub origin: Origin,
    pub slot_count: usize,
}

/// An encrypted vector of `slot_count` complex numbers.
#[derive(Debug, Clone)]
pub struct Ciphertext {
    rlwe: Rlwe,
    /// The coefficient of `s²`, for a product that was not relinearized.
    c2: Option<Poly<Eval>>,
    claims: Claims,
    identity: Identity,
}

impl Plaintext {
    /// The level.
    pub fn level(&self) -> usize {
        self.level
    }

    /// The scale.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.poly.nbytes()
    }

    /// This plaintext, whose values are known.
    pub(crate) fn with_values(self, values: Values) -> Self {
        Self { values: values.into(), ..self }
    }

    /// The bound of an encryption of it: the declared one, or the assumed one.
    pub fn bound(&self) -> Bound {
        self.bound.unwrap_or(Bound::ASSUMED).on_reals(self.is_real)
    }

    /// This plaintext, whose values are real numbers, as Chebyshev series need to know; or may not be.
    #[must_use]
    pub fn on_reals(self, is_real: bool) -> Self {
        Self { is_real, ..self }
    }
}

impl Ciphertext {
    pub(crate) fn new(rlwe: Rlwe, c2: Option<Poly<Eval>>, claims: Claims, identity: Identity) -> Self {
        Self { rlwe, c2, claims, identity }
    }

    /// The ciphertext whose polynomials are `f` of these, with claims of its own.
    pub(crate) fn map(self, claims: Claims, mut f: impl FnMut(Poly<Eval>) -> Poly<Eval>) -> Self {
        let Rlwe { c0, c1 } = self.rlwe;
        Self { rlwe: Rlwe { c0: f(c0), c1: f(c1) }, c2: self.c2.map(f), claims, identity: self.identity }
    }

    /// A ciphertext whose polynomials are `f` of these, of the same values.
    pub(crate) fn map_polynomials(&self, f: impl Fn(&Poly<Eval>) -> Poly<Eval>) -> Self {
        let rlwe = self.rlwe.map(&f);
        Self { rlwe, c2: self.c2.as_ref().map(f), claims: self.claims.clone(), identity: self.identity }
    }

    /// The two polynomials of a phase `c0 + c1·s + c2·s²`, and the third where there is one.
    pub(crate) fn into_polynomials(self) -> (Rlwe, Option<Poly<Eval>>) {
        (self.rlwe, self.c2)
    }

    /// The polynomials that belong to `1` and `s`.
    pub(crate) fn rlwe(&self) -> &Rlwe {
        &self.rlwe
    }

    /// The polynomial that belongs to `s²`, for a product that was not relinearized.
    pub(crate) fn c2(&self) -> Option<&Poly<Eval>> {
        self.c2.as_ref()
    }

    /// The parameters, the slots and the secret that it belongs to.
    pub(crate) fn identity(&self) -> Identity {
        self.identity
    }

    /// The parameters and the secret.
    pub(crate) fn origin(&self) -> Origin {
        self.identity.origin
    }

    /// Claims about the values and their errors.
    pub(crate) fn estimate(&self) -> &Estimate {
        self.claims.estimate()
    }

    /// This ciphertext with other claims.
    pub(crate) fn with_estimate(self, estimate: Estimate) -> Self {
        Self { claims: Claims::new(self.claims.level(), self.claims.scale(), estimate), ..self }
    }

    /// This ciphertext, of which a circuit knows a bound by what it computes.
    pub(crate) fn within(self, size: f64) -> Self {
        let estimate = self.estimate().restated(size);
        self.with_estimate(estimate)
    }

    /// This ciphertext, of which the caller claims that its encrypted values are real numbers of a size: those that
    /// a polynomial is meant for. Padding stays what it is.
    #[must_use]
    pub fn claimed_within(self, size: f64) -> Self {
        let estimate = self.estimate().claimed(self.estimate().bound_of_values().claimed_within(size));
        self.with_estimate(estimate)
    }

    /// This ciphertext, of which the caller knows whether its values are real numbers.
    #[must_use]
    pub fn on_reals(self, is_real: bool) -> Self {
        let bound = self.estimate().bound_of_values().on_reals(is_real);
        let estimate = self.estimate().claimed(bound);
        self.with_estimate(estimate)
    }

    /// This ciphertext as a quotient: a product with an inverse that is rounded to a double.
    #[must_use]
    pub fn quotient(self) -> Self {
        let estimate = self.estimate().clone().drifted(doubles::ROUNDING);
        self.with_estimate(estimate)
    }

    /// Ciphertext with a further error in its estimate: up to `worst`, with a root mean square of `typical`.
    #[must_use]
    pub fn deviating(self, worst: f64, typical: f64) -> Self {
        let estimate = self.estimate().deviating(worst, typical);
        self.with_estimate(estimate)
    }

    /// This ciphertext, with a bound of the values that a circuit knows, whatever the operands' was.
    pub(crate) fn claimed_as(self, bound: Bound) -> Self {
        let estimate = self.estimate().claimed(bound);
        self.with_estimate(estimate)
    }

    /// This ciphertext, of whose values a circuit knows where they lie, by what it computes; padding stays what it is.
    #[must_use]
    pub fn between(self, low: f64, high: f64) -> Self {
        let estimate = self.estimate().between((low, high));
        self.with_estimate(estimate)
    }

    /// This ciphertext, whose slots from a place on hold zeros, by what a circuit computes.
    #[must_use]
    pub fn zero_from(self, place: usize) -> Self {
        let estimate = self.estimate().zero_from(place, self.slot_count());
        self.with_estimate(estimate)
    }

    /// This ciphertext, in whose first slots are the values of another; or of the size of these, where the slots after
    /// them aren't known to be padding.
    #[must_use]
    pub fn valued_up_to(self, count: usize, other: &Self) -> Self {
        let within = self.within(other.bound().size());
        let estimate = within.estimate().valued_up_to(count, other.estimate());
        within.with_estimate(estimate)
    }

    /// This ciphertext, whose values are those of another.
    pub(crate) fn valued_as(self, other: &Self) -> Self {
        let estimate = self.estimate().valued_as(other.estimate());
        self.with_estimate(estimate)
    }

    /// This ciphertext, whose bound stands on another word.
    pub(crate) fn vouched(self, kind: BoundKind) -> Self {
        let estimate = self.estimate().vouched(kind);
        self.with_estimate(estimate)
    }

    /// The bound of its slots, and 1 where nobody declared one, as bootstraps assume.
    pub(crate) fn bound_or_assumed(&self) -> Bound {
        if self.bound().is_declared() { self.bound() } else { Bound::ASSUMED.on_reals(self.bound().is_real()) }
    }

    /// Estimated standard deviation of the error of a slot's real part, in units of the message, for values without
    /// structure.
    pub(crate) fn error(&self) -> f64 {
        self.estimate().error() / std::f64::consts::SQRT_2
    }

    /// The bound of its slots.
    pub fn bound(&self) -> Bound {
        self.estimate().bound()
    }

    /// Multiplications left before a bootstrap.
    pub fn level(&self) -> usize {
        self.claims.level()
    }

    /// The scale.
    pub fn scale(&self) -> f64 {
        self.claims.scale()
    }

    /// Number of slots.
    pub fn slot_count(&self) -> usize {
        self.identity.slot_count
    }

    /// 2, or 3 for a product that was not relinearized.
    pub fn polynomial_count(&self) -> usize {
        2 + usize::from(self.c2.is_some())
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.rlwe.nbytes() + self.c2.as_ref().map_or(0, Poly::nbytes)
    }

    /// Estimated precision: `−log2` of the root-mean-square error of a decrypted slot, for values without structure
    /// within the bound (see [`Ciphertext::precision_floor`] for any others). NaN where the estimate says nothing: the
    /// sampled values left all bounds, or the errors swallowed them.
    pub fn precision_bits(&self) -> f64 {
        let (error, size) = (self.estimate().error(), self.estimate().sample().size());
        let leaving = doubles::typical(self.slot_count(), self.scale(), self.bound().size(), size);
        if error.is_finite() { -error.hypot(leaving).log2() } else { f64::NAN }
    }

    /// `−log2` of the largest error that a decrypted slot has for any values within the bound: a constant message,
    /// whose coefficients are not spread, has a larger error after a bootstrap than a varied one. NaN where no bound of
    /// the error is known that is smaller than the values.
    pub fn precision_floor(&self) -> f64 {
        let size = self.bound().size();
        let worst = self.estimate().worst() + doubles::largest(self.slot_count(), self.scale(), size, TAIL);
        if worst <= size.max(1.0) { -worst.log2() } else { f64::NAN }
    }

    /// The secret that it is encrypted under.
    pub fn secret_id(&self) -> SecretId {
        self.identity.origin.secret_id
    }
}
