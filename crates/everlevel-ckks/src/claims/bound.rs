//! Bounds of the sizes of slots, how they are known, whether the values are real, and the interval that they lie in.

use num_complex::Complex64;

use super::outward::{add_down, add_up, mul_down, mul_up};
use crate::Error;

/// The one who vouches for a bound, from the weakest word to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BoundKind {
    /// Nobody: nothing was said when the values were encrypted.
    Assumed,
    /// The caller of an operation, as of values that a polynomial is fitted for.
    Claimed,
    /// The encryptor.
    Declared,
}

impl BoundKind {
    /// The kind in one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Assumed => "assumed",
            Self::Claimed => "claimed",
            Self::Declared => "declared",
        }
    }
}

/// A bound of `|z|` of every slot of a message, and whether all of them are real numbers. It is public, and so never
/// taken from encrypted values: it is declared by whoever encrypts, claimed by whoever computes, or assumed where
/// nothing was said. A result's bound is of the weakest kind of its operands'. Real values have an interval besides;
/// that of others is that of their parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    size: f64,
    low: f64,
    high: f64,
    kind: BoundKind,
    is_real: bool,
}

impl Bound {
    /// The bound of a message of which nothing was said: 1, of complex values.
    pub const ASSUMED: Self = Self { size: 1.0, low: -1.0, high: 1.0, kind: BoundKind::Assumed, is_real: false };

    /// A bound that the encryptor vouches for, of complex values.
    ///
    /// # Errors
    /// A size that is negative, NaN or infinite.
    pub fn declared(size: f64) -> Result<Self, Error> {
        if size.is_finite() && size >= 0.0 {
            return Ok(Self::read(size, BoundKind::Declared));
        }
        Err(Error::parameter("bound", size, "a finite number, at least 0: the largest size of a value"))
    }

    /// The interval of real values that the encryptor vouches for.
    ///
    /// # Errors
    /// As [`Bound::claimed_between`].
    pub fn declared_between(low: f64, high: f64) -> Result<Self, Error> {
        Ok(Self { kind: BoundKind::Declared, ..Self::claimed_between(low, high)? })
    }

    /// The bound that the caller of an operation vouches for.
    ///
    /// # Errors
    /// As [`Bound::declared`].
    pub fn claimed(size: f64) -> Result<Self, Error> {
        Ok(Self { kind: BoundKind::Claimed, ..Self::declared(size)? })
    }

    /// The interval of real values that the caller of an operation vouches for.
    ///
    /// # Errors
    /// Ends that are no finite numbers, or in the wrong order.
    pub fn claimed_between(low: f64, high: f64) -> Result<Self, Error> {
        if low.is_finite() && high.is_finite() && low <= high {
            let claimed = Self::read(0.0, BoundKind::Claimed);
            return Ok(Self { low, high, size: low.abs().max(high.abs()), is_real: true, ..claimed });
        }
        Err(Error::parameter("interval", low, "two finite numbers, the smaller first"))
    }

    /// This bound of values that are real, or that may not be.
    #[must_use]
    pub fn on_reals(self, is_real: bool) -> Self {
        if is_real == self.is_real { self } else { Self { is_real, ..self.resized(self.size) } }
    }

    /// The bound of real values that the caller of an operation vouches for, where nobody stronger declared less.
    pub(crate) fn claimed_within(self, size: f64) -> Self {
        let claimed = Self { kind: self.kind.min(BoundKind::Claimed), ..self.on_reals(true) };
        claimed.capped(size)
    }

    /// This bound on another word.
    pub(crate) fn vouched(self, kind: BoundKind) -> Self {
        Self { kind, ..self }
    }

    /// As it stands in a file.
    pub(crate) fn read(size: f64, kind: BoundKind) -> Self {
        Self { size, low: -size, high: size, kind, is_real: false }
    }

    /// The ends of the interval of real values.
    pub fn interval(self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// The largest size that a slot may have.
    pub fn size(self) -> f64 {
        self.size
    }

    /// The one who vouches for it.
    pub fn kind(self) -> BoundKind {
        self.kind
    }

    /// Whether somebody vouches for it: it was declared or claimed, and not assumed.
    pub fn is_declared(self) -> bool {
        self.kind != BoundKind::Assumed
    }

    /// Whether all values are real numbers.
    pub fn is_real(self) -> bool {
        self.is_real
    }

    /// This bound of values that are known to lie in an interval as well, if they are real. One that has nothing in
    /// common with this one is left out: some claim is false.
    pub(crate) fn between(self, (low, high): (f64, f64)) -> Self {
        let (low, high) = (self.low.max(low), self.high.min(high));
        if !self.is_real || low > high || low.is_nan() || high.is_nan() {
            return self;
        }
        Self { low, high, size: low.abs().max(high.abs()).min(self.size), ..self }
    }

    /// This bound of values that are known to be no larger than a size.
    pub(crate) fn capped(self, size: f64) -> Self {
        if size >= self.size {
            return self;
        }
        // An interval beyond the size is that of a false claim.
        let is_within = self.is_real && self.low <= size && self.high >= -size;
        if is_within { self.between((-size, size)) } else { self.resized(size) }
    }

    /// Whether both say the same of values, whoever vouches for it.
    pub(crate) fn is_alike(self, other: Self) -> bool {
        self.is_real == other.is_real && self.size == other.size && self.interval() == other.interval()
    }

    /// Bound of values made of both operands' values, with a size, or an interval if they are real.
    fn joined(self, other: Self, size: f64, (low, high): (f64, f64)) -> Self {
        let joined = Self { kind: self.kind.min(other.kind), is_real: self.is_real && other.is_real, ..self };
        let joined = joined.resized(size);
        if joined.is_real { joined.between((low, high)) } else { joined }
    }

    /// Bound of values of either operand.
    pub(crate) fn largest(self, other: Self) -> Self {
        let ends = (self.low.min(other.low), self.high.max(other.high));
        self.joined(other, self.size.max(other.size), ends)
    }

    /// Bound of `a + factor·b`, for a factor of 1 or −1.
    pub(crate) fn sum(self, other: Self, factor: f64) -> Self {
        let (low, high) = if factor < 0.0 { (-other.high, -other.low) } else { other.interval() };
        self.joined(other, add_up(self.size, other.size), (add_down(self.low, low), add_up(self.high, high)))
    }

    /// Bound of `a·b`.
    pub(crate) fn product(self, other: Self) -> Self {
        let ends = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        let low = ends.iter().map(|&(a, b)| mul_down(a, b)).fold(f64::INFINITY, f64::min);
        let high = ends.iter().map(|&(a, b)| mul_up(a, b)).fold(f64::NEG_INFINITY, f64::max);
        self.joined(other, mul_up(self.size, other.size), (low, high))
    }

    /// Bound of squares.
    pub(crate) fn square(self) -> Self {
        self.product(self).between((0.0, f64::INFINITY))
    }

    /// Bound of `c·a`.
    pub(crate) fn scaled(self, c: Complex64) -> Self {
        let by = Self { is_real: c.im == 0.0, kind: self.kind, ..self.resized(c.norm()) };
        self.product(if by.is_real { Self { low: c.re, high: c.re, ..by } } else { by })
    }

    /// Bound of `a + c`.
    pub(crate) fn shifted(self, c: Complex64) -> Self {
        let by = Self { is_real: c.im == 0.0, kind: self.kind, ..self.resized(c.norm()) };
        self.sum(if by.is_real { Self { low: c.re, high: c.re, ..by } } else { by }, 1.0)
    }

    /// Bound of a plaintext's values: of a size, and real numbers in an interval if they are real.
    pub(crate) fn of_plain(size: f64, is_real: bool, ends: (f64, f64)) -> Self {
        Self::read(size, BoundKind::Declared).on_reals(is_real).between(ends)
    }

    /// Bound of values made of these by real numbers, with this size.
    pub(crate) fn resized(self, size: f64) -> Self {
        Self { size, low: -size, high: size, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(low: f64, high: f64) -> Bound {
        Bound::claimed_between(low, high).unwrap()
    }

    #[test]
    fn intervals_are_those_of_the_operations() {
        let (x, y) = (real(-1.0, 3.0), real(2.0, 5.0));
        assert_eq!(x.sum(y, 1.0).interval(), (1.0, 8.0));
        assert_eq!(x.sum(y, -1.0).interval(), (-6.0, 1.0));
        assert_eq!(x.product(y).interval(), (-5.0, 15.0));
        assert_eq!(x.square().interval(), (0.0, 9.0));
        assert_eq!(x.scaled(Complex64::new(-2.0, 0.0)).interval(), (-6.0, 2.0));
        assert_eq!(x.shifted(Complex64::new(-2.0, 0.0)).interval(), (-3.0, 1.0));
        assert_eq!(x.capped(2.0).interval(), (-1.0, 2.0));
        assert_eq!(y.capped(1.0).interval(), (-1.0, 1.0));
        assert_eq!((x.scaled(Complex64::i()).size(), x.scaled(Complex64::i()).is_real()), (3.0, false));
        assert_eq!(x.shifted(Complex64::i()).size(), 4.0);
        assert_eq!(x.largest(real(-4.0, -2.0)).interval(), (-4.0, 3.0));
        assert!(Bound::claimed_between(1.0, 0.0).is_err() && Bound::claimed_between(0.0, f64::NAN).is_err());
    }
}
