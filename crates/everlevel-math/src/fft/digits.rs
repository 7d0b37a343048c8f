//! Signed digits of torus words, and the constants that kernels extract them with.

/// A signed decomposition: `levels` digits in base `B = 2^log2_base` of the `levels·log2_base` leading bits of a torus
/// word.
///
/// With `u_j = 2^(BITS − j·log2_base)` the unit of level `j` and `y_j = ⌊x/u_j + ½⌋` the word rounded to it (upwards at
/// ties), digit `j` is `d_j = y_j − B·y_(j−1)`: what the level adds to the one above. So `Σ_j d_j·u_j` is the closest
/// multiple of `u_levels`, modulo `2^BITS`, and each digit is in `[−B/2, B/2]`: where it is half a base, the next lower
/// bit has decided its sign. The digits of a word's complement are the negated digits, so that uniform words have
/// digits of mean zero; their mean square is `(B² + 2)/12`.
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
    /// Bits of a word below its digits: kernels read two, of which the upper one decides ties.
    pub const LOW_BITS: u32 = 2;

    /// True if kernels find these digits in a word of so many bits: `1 ≤ log2_base ≤ 40`, `levels ≥ 1`,
    /// `levels·log2_base ≤ bits − LOW_BITS`.
    pub(super) fn fit(self, bits: u32) -> bool {
        let Self { log2_base, levels } = self;
        let widths = 1..=Self::MAX_LOG2_BASE;
        let all = u64::from(log2_base) * u64::from(levels);
        widths.contains(&log2_base) && levels >= 1 && all + u64::from(Self::LOW_BITS) <= u64::from(bits)
    }

    /// Digit `level` of the leading bits `x`, from 1 (the most significant) to `levels`: the remainder
    /// `x − y_(level−1)·u_(level−1)`, which a shift leaves, in units of the level, rounded.
    #[inline(always)]
    pub fn digit(self, x: u64, level: u32) -> i64 {
        let remainder = (x << ((level - 1) * self.log2_base)) as i64;
        ((remainder >> (63 - self.log2_base)) + 1) >> 1
    }

    /// The constants that extract digit `level` of words of so many bits.
    pub(super) fn extraction(self, bits: u32, level: u32) -> Extraction {
        let (base, above) = (1u64 << self.log2_base, bits - (level - 1) * self.log2_base);
        Extraction {
            offset: 1 << (above - 1),
            shift: above - self.log2_base - Self::LOW_BITS,
            mask: (2 * base - 1) << 1,
            centre: INTEGER_BIT as f64 + (base / 2) as f64,
        }
    }
}

/// `2^52`: doubles from here to its double are the integers.
pub(super) const INTEGER_BIT: u64 = 1 << 52;

/// The constants of one digit. A word to which half a unit of the level above was added has, in the level's bits and
/// the one below, `f = ⌊2ρ/u⌋ + B`, with `ρ` the remainder of [`Digits::digit`]. Its place in the mantissa of `2^50`,
/// above a bit that is set, makes `2^50 + f/2 + ¼`; a sum of at least `2^52` rounds that to `⌊(f + 1)/2⌋`, without
/// ties.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extraction {
    pub offset: u64,
    pub shift: u32,
    pub mask: u64,
    /// `2^52 + B/2`.
    pub centre: f64,
}

impl Extraction {
    /// The bits of `2^50 + ¼`, into whose mantissa a field is put.
    pub(super) const QUARTER: u64 = (INTEGER_BIT as f64 / 4.0 + 0.25).to_bits();
    /// The double that takes `2^50`, added, to `2^52`.
    pub(super) const ROUND: f64 = 0.75 * INTEGER_BIT as f64;

    /// The digit of a word to which the offset was added.
    #[inline(always)]
    pub(super) fn digit(&self, x: u64) -> f64 {
        f64::from_bits(x >> self.shift & self.mask | Self::QUARTER) + Self::ROUND - self.centre
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digits of a word, as the kernels' constants give them.
    fn extracted(digits: Digits, bits: u32, x: u64) -> Vec<i64> {
        let one = |level| {
            let e = digits.extraction(bits, level);
            e.digit(x.wrapping_add(e.offset)) as i64
        };
        (1..=digits.levels).map(one).collect()
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
            let values = extracted(digits, bits, x);
            let by_definition: Vec<i64> = (1..=levels).map(|level| digits.digit(x << (64 - bits), level)).collect();
            assert_eq!(values, by_definition, "{digits:?} {x:x}");
            let sum = values
                .iter()
                .zip(1..)
                .fold(0u64, |sum, (&d, level)| sum.wrapping_add((d as u64) << (bits - level * log2_base)));
            assert_eq!(sum & mask, x.wrapping_add(1 << (unit - 1)) & mask & !((1 << unit) - 1), "{digits:?} {x:x}");
            assert!(values.iter().all(|&d| -half <= d && d <= half));
            let complement = extracted(digits, bits, !x & mask);
            assert!(values.iter().zip(complement).all(|(d, other)| d + other == 0), "{digits:?} {x:x}");
        }
    }

    #[test]
    fn digits_recompose_to_the_closest_multiple_and_those_of_the_complement_are_their_negatives() {
        for (log2_base, levels) in [(7, 3), (7, 4), (10, 2), (1, 30), (15, 2), (23, 1), (30, 1)] {
            check(32, log2_base, levels);
            check(64, log2_base, levels);
        }
        check(64, 3, 20);
        check(64, 40, 1);
        assert!(!Digits { log2_base: 31, levels: 1 }.fit(32));
        assert!(!Digits { log2_base: 0, levels: 5 }.fit(32));
        assert!(!Digits { log2_base: 41, levels: 1 }.fit(64));
    }

    /// Over all words of 12 bits: mean, mean square, and covariance of neighbouring digits.
    #[test]
    fn means_are_zero_and_mean_squares_are_those_of_the_formula() {
        for (log2_base, levels) in [(1, 5), (2, 4), (3, 3), (5, 2), (10, 1)] {
            let digits = Digits { log2_base, levels };
            let of = |level: u32| (0..1u64 << 12).map(move |x| digits.digit(x << 52, level));
            let base = 1i64 << log2_base;
            for level in 1..=levels {
                assert_eq!(of(level).sum::<i64>(), 0, "{digits:?}");
                assert_eq!(12 * of(level).map(|d| d * d).sum::<i64>(), (base * base + 2) << 12, "{digits:?}");
                if level > 1 {
                    let product = of(level).zip(of(level - 1)).map(|(a, b)| a * b).sum::<i64>();
                    assert_eq!(8 * product, -base << 12, "{digits:?}");
                }
                if level > 2 {
                    assert_eq!(of(level).zip(of(level - 2)).map(|(a, b)| a * b).sum::<i64>(), 0, "{digits:?}");
                }
            }
        }
    }
}
