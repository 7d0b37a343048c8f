//! The two widths of lanes, and the constants of a modulus in lanes.

/// The float that a residue is: what kernels know of it.
pub(crate) trait Number: Copy + Default + PartialEq + Send + Sync + std::fmt::Debug + 'static {
    /// The bound of a transform's values, within which all are exact.
    const LIMIT: f64;
    /// The largest quotient that is rounded to the nearest integer; larger ones go to an even neighbour at worst.
    const QUOTIENTS: f64;
    /// Set where a transform needs reductions on its way.
    const NARROW: bool;
    /// Bytes of a residue of a key: an integer, the low byte first.
    const KEY_BYTES: usize;

    fn from_integer(x: i64) -> Self;
    fn to_integer(self) -> i64;
    fn from_f64(x: f64) -> Self;
    fn to_f64(self) -> f64;
    /// An integer as the bits of a float.
    fn from_word(x: i64) -> Self;
}

macro_rules! number {
    ($float:ident, $bits:ident, [$limit:literal, $quotients:literal], $narrow:literal, $key_bytes:literal) => {
        impl Number for $float {
            const LIMIT: f64 = (1u64 << $limit) as f64;
            const QUOTIENTS: f64 = (1u64 << $quotients) as f64;
            const NARROW: bool = $narrow;
            const KEY_BYTES: usize = $key_bytes;

            #[inline(always)]
            fn from_integer(x: i64) -> Self {
                x as $float
            }
            #[inline(always)]
            fn to_integer(self) -> i64 {
                self as i64
            }
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $float
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn from_word(x: i64) -> Self {
                Self::from_bits(x as $bits)
            }
        }
    };
}
number!(f32, u32, [24, 22], true, 3);
number!(f64, u64, [38, 51], false, 4);

/// A modulus in every lane.
#[derive(Clone, Copy)]
pub(crate) struct Consts<V> {
    pub(super) q: V,
    /// `fl(1/q)`.
    pub(super) inv_q: V,
    /// Added to and taken from a value, it leaves the nearest integer.
    pub(super) magic: V,
}
