//! Signed digits of torus words, and the constants that kernels extract them with.

/// A signed decomposition: `levels` digits in base `B = 2^log2_base` of the `levels·log2_base` leading bits of a torus
/// word.
///
/// The word is first rounded to the closest multiple of `2^(BITS − levels·log2_base)` (upwards at ties); its digits
/// `d_1, …, d_levels`, each in `[−B/2, B/2)`, are the only ones with `Σ_j d_j·2^(BITS − j·log2_base) ≡` that multiple
/// modulo `2^BITS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digits {
    /// log2 of the base.
    pub log2_base: u32,
    /// The number of digits.
    pub levels: u32,
}

impl Digits {
    /// Widest digits supported: they are exact in a double with room for the transform.
    const MAX_LOG2_BASE: u32 = 40;

    /// True if a word of so many bits has these digits: `1 ≤ log2_base ≤ 40`, `levels ≥ 1`, `levels·log2_base ≤ bits`.
    pub(super) fn fit(self, bits: u32) -> bool {
        let Self { log2_base, levels } = self;
        let widths = 1..=Self::MAX_LOG2_BASE;
        widths.contains(&log2_base) && levels >= 1 && u64::from(log2_base) * u64::from(levels) <= u64::from(bits)
    }

    /// The word that makes bit fields of digits plus `B/2` when it is added: half a unit of the last place kept,
    /// and `B/2` in each place.
    fn offset(self, bits: u32) -> u64 {
        let unit = |level: u32| 1u64 << (bits - level * self.log2_base);
        let centres = (1..=self.levels).map(|level| unit(level) << (self.log2_base - 1));
        centres.fold(unit(self.levels) >> 1, u64::wrapping_add)
    }

    /// The constants that extract digit `level` of words of so many bits, from 1 (the most significant) to `levels`.
    pub(super) fn extraction(self, bits: u32, level: u32) -> Extraction {
        let base = 1u64 << self.log2_base;
        Extraction {
            offset: self.offset(bits),
            shift: bits - level * self.log2_base,
            mask: base - 1,
            centre: INTEGER_BIT as f64 + (base / 2) as f64,
        }
    }
}

/// `2^52`: doubles from here to its double are the integers.
pub(super) const INTEGER_BIT: u64 = 1 << 52;

/// The constants of one digit: `((x + offset) >> shift & mask) − B/2`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extraction {
    pub offset: u64,
    pub shift: u32,
    pub mask: u64,
    /// `2^52 + B/2`.
    pub centre: f64,
}

impl Extraction {
    /// The bits of `2^52`, into whose mantissa a field is put.
    pub(super) const EXPONENT: u64 = (INTEGER_BIT as f64).to_bits();

    /// The digit of a word to which the offset was added.
    #[inline(always)]
    pub(super) fn digit(&self, x: u64) -> f64 {
        f64::from_bits(x >> self.shift & self.mask | Self::EXPONENT) - self.centre
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recompose(digits: Digits, bits: u32, x: u64) -> (u64, Vec<i64>) {
        let values: Vec<i64> = (1..=digits.levels)
            .map(|level| {
                let e = digits.extraction(bits, level);
                let word = x.wrapping_add(e.offset);
                e.digit(if bits == 32 { word & 0xffff_ffff } else { word }) as i64
            })
            .collect();
        let sum = values
            .iter()
            .zip(1..)
            .fold(0u64, |sum, (&d, level)| sum.wrapping_add((d as u64).wrapping_shl(bits - level * digits.log2_base)));
        (if bits == 32 { sum & 0xffff_ffff } else { sum }, values)
    }

    fn check(bits: u32, log2_base: u32, levels: u32) {
        let digits = Digits { log2_base, levels };
        assert!(digits.fit(bits));
        let (unit, half) = (bits - log2_base * levels, 1i64 << (log2_base - 1));
        let mask = u64::MAX >> (64 - bits);
        let mut x = 1u64;
        for i in 0..10_000u64 {
            x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(i | 1);
            // Edges too: around multiples of half a unit.
            let x = (if i % 3 == 0 { (x >> (unit / 2)) << (unit / 2) } else { x }) & mask;
            let (sum, values) = recompose(digits, bits, x);
            let round = if unit == 0 { x } else { x.wrapping_add(1 << (unit - 1)) & mask & !((1 << unit) - 1) };
            assert_eq!(sum, round, "{digits:?} {x:x}");
            assert!(values.iter().all(|&d| -half <= d && d < half));
        }
    }

    #[test]
    fn digits_recompose_to_the_closest_multiple() {
        for (log2_base, levels) in [(7, 3), (8, 4), (10, 2), (1, 32), (16, 2), (23, 1), (32, 1)] {
            check(32, log2_base, levels);
            check(64, log2_base, levels);
        }
        check(64, 3, 21);
        check(64, 8, 8);
        assert!(!Digits { log2_base: 8, levels: 5 }.fit(32));
        assert!(!Digits { log2_base: 0, levels: 5 }.fit(32));
        assert!(!Digits { log2_base: 41, levels: 1 }.fit(64));
    }
}
