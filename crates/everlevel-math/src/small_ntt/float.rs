//! The two widths of lanes, and the constants of a modulus in lanes.

use super::vector::Vector;

/// The float that a residue is: what kernels know of it.
pub(crate) trait Number: Copy + Default + PartialEq + Send + Sync + std::fmt::Debug + 'static {
    /// Values of a transform stay within this, and so are exact.
    const LIMIT: f64;
    /// Quotients up to this are rounded to the nearest integer; larger ones, to an even neighbour at worst.
    const QUOTIENTS: f64;
    /// Set where a transform needs reductions on its way.
    const NARROW: bool;

    fn from_integer(x: i64) -> Self;
    fn to_integer(self) -> i64;
    fn from_f64(x: f64) -> Self;
    fn to_f64(self) -> f64;
}

macro_rules! number {
    ($float:ident, [$limit:literal, $quotients:literal], $narrow:literal) => {
        impl Number for $float {
            const LIMIT: f64 = (1u64 << $limit) as f64;
            const QUOTIENTS: f64 = (1u64 << $quotients) as f64;
            const NARROW: bool = $narrow;

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
        }
    };
}
number!(f32, [24, 22], true);
number!(f64, [38, 51], false);

/// A modulus in every lane.
#[derive(Clone, Copy)]
pub(crate) struct Consts<V> {
    pub(super) q: V,
    /// `fl(1/q)`.
    pub(super) inv_q: V,
    /// Added to and taken from a value, it leaves the nearest integer.
    pub(super) magic: V,
}

impl<V: Vector> Consts<V> {
    /// # Safety
    /// That of [`Vector`].
    #[inline(always)]
    pub unsafe fn new(q: u64) -> Self {
        // SAFETY: the caller's contract.
        unsafe { Self { q: V::splat(q as f64), inv_q: V::splat(1.0 / q as f64), magic: V::splat(V::MAGIC) } }
    }
}
