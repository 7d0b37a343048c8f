//! The rounding of an inverse transform's doubles to torus words.

use super::digits::INTEGER_BIT;

/// The constants of the rounding of `y/m` to an integer modulo `2^BITS`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounding {
    /// `2^-BITS/m`.
    pub inv_modulus: f64,
    /// `2^BITS·m`.
    pub modulus: f64,
    /// `1/m`.
    pub inv_m: f64,
}

impl Rounding {
    /// Added to `|y| < 2^51`, rounds to the nearest integer, ties to even, which the low bits of the sum hold modulo
    /// `2^52`.
    pub(super) const MAGIC: f64 = 1.5 * INTEGER_BIT as f64;
    /// `2^32`.
    pub(super) const TWO_32: f64 = 4_294_967_296.0;

    pub(super) fn new(bits: u32, m: usize) -> Self {
        Self::in_units(bits, m, 0)
    }

    /// The rounding of `y` in units of `2^log2_unit`.
    pub(super) fn in_units(bits: u32, m: usize, log2_unit: u32) -> Self {
        let (bits, m) = (bits as i32, m as f64 * 0.5f64.powi(log2_unit as i32));
        // Powers of two: exact.
        Self { inv_modulus: 0.5f64.powi(bits) / m, modulus: 2f64.powi(bits) * m, inv_m: 1.0 / m }
    }

    /// `y − m·2^BITS·k`, exactly, with `k` the nearest integer to `y/(m·2^BITS)`.
    #[inline(always)]
    fn reduce(&self, y: f64) -> f64 {
        let k = y.mul_add(self.inv_modulus, Self::MAGIC) - Self::MAGIC;
        (-k).mul_add(self.modulus, y)
    }

    #[inline(always)]
    pub(super) fn to_integer_32(self, y: f64) -> u32 {
        self.reduce(y).mul_add(self.inv_m, Self::MAGIC).to_bits() as u32
    }

    #[cfg(test)]
    fn to_integer_64(self, y: f64) -> u64 {
        Self::nearest_64(self.reduce(y) * self.inv_m)
    }

    /// The nearest integer to `|y| ≤ 2^63`, modulo `2^64`.
    #[inline(always)]
    pub(super) fn nearest_64(y: f64) -> u64 {
        // Two halves of 32 bits, the second signed; the sum rounds as y would.
        let high = y.mul_add(1.0 / Self::TWO_32, Self::MAGIC);
        let low = (high - Self::MAGIC).mul_add(-Self::TWO_32, y) + Self::MAGIC;
        (high.to_bits() << 32).wrapping_add(low.to_bits().wrapping_sub(Self::MAGIC.to_bits()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_modulo_the_torus() {
        let (r32, r64) = (Rounding::new(32, 8), Rounding::new(64, 8));
        for (value, times) in [(5i64, 0i64), (-5, 3), (i64::from(i32::MAX), -7), (-(1 << 31), 1), (0, 1 << 30)] {
            let y = 8.0 * (value as f64 + times as f64 * 2f64.powi(32));
            assert_eq!(r32.to_integer_32(y), value as u32);
        }
        for (value, times) in [(5i64, 0i64), (-5, 0), (1 << 62, -7), (i64::MIN, 1), (-(1 << 61) - (1 << 20), 12)] {
            let y = 8.0 * (value as f64 + times as f64 * 2f64.powi(64));
            assert_eq!(r64.to_integer_64(y), value as u64);
        }
        // Nearest, ties to even.
        for (y, nearest) in
            [(2.5, 2i64), (3.5, 4), (-2.5, -2), (2.49, 2), (-2.51, -3), (4_294_967_297.5, 4_294_967_298)]
        {
            assert_eq!(r32.to_integer_32(8.0 * y), nearest as u32);
            assert_eq!(r64.to_integer_64(8.0 * y), nearest as u64);
        }
    }
}
