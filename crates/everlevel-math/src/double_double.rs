//! Numbers of 106 bits: sums of two doubles.
//!
//! A [`DoubleDouble`] is `high + low` with `|low| ≤ ulp(high)/2`. Sums and products are those of Dekker (1971) and
//! Knuth, with relative errors of a few 2^-104 (Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic
//! building blocks of double-word arithmetic", 2017); products of two doubles are split by fused multiply-add.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A real number that an algorithm computes with: a double, or two.
pub trait Real:
    Copy
    + Send
    + Sync
    + From<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The nearest double.
    fn to_f64(self) -> f64;

    /// A nearest integer; that of the end of the range for numbers beyond it.
    fn round_to_integer(self) -> i128;

    /// The number nearest to an integer.
    fn from_integer(integer: i128) -> Self;

    /// `[cos, sin]` of `2π·power/order`, for an order that is a power of two from 4 up.
    fn root_of_unity(power: usize, order: usize) -> [Self; 2];
}

impl Real for f64 {
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }

    #[inline(always)]
    fn round_to_integer(self) -> i128 {
        self.round() as i128
    }

    #[inline(always)]
    fn from_integer(integer: i128) -> Self {
        integer as f64
    }

    fn root_of_unity(power: usize, order: usize) -> [Self; 2] {
        let angle = 2.0 * std::f64::consts::PI * power as f64 / order as f64;
        [angle.cos(), angle.sin()]
    }
}

/// `high + low`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct DoubleDouble {
    high: f64,
    low: f64,
}

/// `a + b` and its rounding error, for `|a| ≥ |b|`.
#[inline(always)]
fn ordered_sum(a: f64, b: f64) -> DoubleDouble {
    let high = a + b;
    DoubleDouble { high, low: b - (high - a) }
}

/// `a + b` and its rounding error.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> DoubleDouble {
    let high = a + b;
    let from_b = high - a;
    DoubleDouble { high, low: (a - (high - from_b)) + (b - from_b) }
}

/// `a·b` and its rounding error.
#[inline(always)]
fn two_product(a: f64, b: f64) -> DoubleDouble {
    let high = a * b;
    DoubleDouble { high, low: a.mul_add(b, -high) }
}

impl DoubleDouble {
    /// One.
    pub const ONE: Self = Self { high: 1.0, low: 0.0 };

    /// `high + low`, for any two doubles.
    pub fn new(high: f64, low: f64) -> Self {
        two_sum(high, low)
    }

    /// The nearest double.
    pub fn high(self) -> f64 {
        self.high
    }

    /// The remainder: the number less the nearest double.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The square root of a number that is not negative.
    pub fn sqrt(self) -> Self {
        if self.high == 0.0 {
            return self;
        }
        // A step of Newton's from the root of the nearest double.
        let root = self.high.sqrt();
        let rest = self - two_product(root, root);
        ordered_sum(root, rest.high / (2.0 * root))
    }
}

impl From<f64> for DoubleDouble {
    #[inline(always)]
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Add for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (highs, lows) = (two_sum(self.high, other.high), two_sum(self.low, other.low));
        let sum = ordered_sum(highs.high, highs.low + lows.high);
        ordered_sum(sum.high, sum.low + lows.low)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let product = two_product(self.high, other.high);
        ordered_sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for DoubleDouble {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        // Long division, of three digits.
        let first = self.high / other.high;
        let rest = self - other * first.into();
        let second = rest.high / other.high;
        let third = (rest - other * second.into()).high / other.high;
        ordered_sum(first, second) + third.into()
    }
}

impl Real for DoubleDouble {
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.high
    }

    fn round_to_integer(self) -> i128 {
        let whole = self.high.round();
        let rest = (self.high - whole) + self.low;
        (whole as i128).saturating_add(rest.round() as i128)
    }

    fn from_integer(integer: i128) -> Self {
        let high = integer as f64;
        ordered_sum(high, integer.saturating_sub(high as i128) as f64)
    }

    fn root_of_unity(power: usize, order: usize) -> [Self; 2] {
        // The roots of orders 4, 8, … by half angles; the power is a product of those at its binary digits.
        let multiply = |[a, b]: [Self; 2], [c, d]: [Self; 2]| [a * c - b * d, a * d + b * c];
        let quarters = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
        let mut result = quarters[power / (order / 4) % 4].map(Self::from);
        let mut primitive = quarters[1].map(Self::from);
        let mut bit = order / 8;
        while bit > 0 {
            let cos = ((Self::ONE + primitive[0]) * 0.5.into()).sqrt();
            primitive = [cos, primitive[1] / (cos + cos)];
            if power & bit != 0 {
                result = multiply(result, primitive);
            }
            bit /= 2;
        }
        result
    }
}
