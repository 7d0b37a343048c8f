//! The noise of NTRU's products and rotations.

use super::counts::Rotation;
use super::params::NtruLiteral;

/// Mean square of the coefficients of `f`, uniform ternary ones.
pub(super) const SECRET_SQUARE: f64 = 2.0 / 3.0;
/// Mean square of the errors `g` of keys' rows, uniform ternary ones.
const ERROR_SQUARE: f64 = 2.0 / 3.0;

/// The variance that one key adds in a product, in units of `1/Q`: `N·σ_g²·Σ d_r²`, with digits of mean square
/// `(B² + 2)/12`, and a first one that is uniform on what the others leave.
fn product(l: &NtruLiteral) -> f64 {
    let base = f64::from(l.gadget.log2_base).exp2();
    let first = f64::from(l.modulus) / f64::from(l.gadget.log2_unit(l.gadget.digits as usize - 1)).exp2();
    let others = f64::from(l.gadget.digits - 1) * (base * base + 2.0) / 12.0;
    // A uniform real number that is rounded to integers.
    let squares = others + (first * first + 1.0) / 12.0;
    l.n() as f64 * ERROR_SQUARE * squares
}

/// The variance of what a decomposition drops, times the secret: `N·σ_f²·(4^k + 2)/12` for `k > 0` bits.
fn dropped(l: &NtruLiteral) -> f64 {
    if l.gadget.dropped == 0 {
        return 0.0;
    }
    let unit = f64::from(l.gadget.dropped).exp2();
    l.n() as f64 * SECRET_SQUARE * (unit * unit + 2.0) / 12.0
}

/// The variance that a blind rotation adds, as a part of the torus squared: products' errors, and what they drop, on
/// average over the small secret's bits.
pub(super) fn blind_rotation(l: &NtruLiteral) -> f64 {
    let (products, automorphisms) = l.shape().mean_steps();
    let (key, rounding, n, keys) = (product(l), dropped(l), l.lwe_dim as f64, l.keys() as f64);
    // The first product takes the plain table, whose rounding is not multiplied by the secret.
    let sum = match l.rotation {
        // Two thirds of ternary coefficients are not zero, and half of the bits.
        Rotation::Sequential if l.shape().is_signed() => keys * key + 2.0 / 3.0 * n * rounding,
        Rotation::Sequential => products * key + n / 2.0 * rounding,
        // At most three differences of monomials, each of which doubles a variance; three of four pairs round one.
        Rotation::ThreeKeys => (6.0 * (products - 1.0) + 1.0) * key + 1.5 * (products - 1.0) * rounding,
        // Every key is in one product, turned.
        Rotation::FourKeys | Rotation::EightKeys | Rotation::Blocks | Rotation::Buckets { .. } => {
            keys * key + (products - 1.0) * rounding
        }
        Rotation::Automorphisms | Rotation::TwoSweeps { .. } | Rotation::OneSweep { .. } => {
            (products + automorphisms) * key + (products - 1.0 + automorphisms) * rounding
        }
    };
    sum / f64::from(l.modulus).powi(2)
}
