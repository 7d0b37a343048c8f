//! The noise of NTRU's products and rotations.

use super::counts::Rotation;
use super::params::NtruLiteral;
use crate::over_keys::OverKeys;

/// Mean square of the coefficients of `f`, uniform ternary ones.
pub(super) const SECRET_SQUARE: f64 = 2.0 / 3.0;
/// Mean square of the errors `g` of keys' rows, uniform ternary ones.
const ERROR_SQUARE: f64 = 2.0 / 3.0;

/// Mean squares of the digits: `(B² + 2)/12`, but of the last, which is uniform on what the others leave.
fn digit_squares(l: &NtruLiteral) -> impl Iterator<Item = f64> {
    let base = f64::from(l.gadget.log2_base).exp2();
    let last = f64::from(l.modulus) / f64::from(l.gadget.log2_unit(l.gadget.digits as usize - 1)).exp2();
    let others = std::iter::repeat_n((base * base + 2.0) / 12.0, l.gadget.digits as usize - 1);
    // A uniform real number that is rounded to integers.
    others.chain([(last * last + 1.0) / 12.0])
}

/// The variance that one key adds in a product, in units of `1/Q`: `N·σ_g²·Σ d_r²`; and over keys
/// `Σ_r d_r²·‖g_r‖² − B/4·Σ_r g_r·g_(r+1)`, where squares of ternary errors have the variance ⅔·⅓, and the last digit
/// goes with no other.
fn product(l: &NtruLiteral) -> OverKeys {
    let n = l.n() as f64;
    let neighbours = f64::from(l.gadget.digits.saturating_sub(2));
    let squares: f64 =
        digit_squares(l).map(|square| square * square).sum::<f64>() * ERROR_SQUARE * (1.0 - ERROR_SQUARE);
    let products = neighbours * (f64::from(l.gadget.log2_base).exp2() / 4.0 * ERROR_SQUARE).powi(2);
    OverKeys { mean: n * ERROR_SQUARE * digit_squares(l).sum::<f64>(), deviation: (n * (squares + products)).sqrt() }
}

/// Products with the errors of the bootstrapping key, in a rotation, as a part of the torus squared. Where keys are
/// used more than once, by automorphisms, the deviation is that of as many uses of each.
pub(super) fn products(l: &NtruLiteral) -> OverKeys {
    let (products, automorphisms) = l.shape().mean_steps();
    let uses = match l.rotation {
        Rotation::Sequential if !l.shape().is_signed() => products,
        // At most three differences of monomials, each of which doubles a variance.
        Rotation::ThreeKeys => 6.0 * (products - 1.0) + 1.0,
        Rotation::Automorphisms | Rotation::TwoSweeps { .. } | Rotation::OneSweep { .. } => products + automorphisms,
        // Every key is in one product, turned.
        _ => l.keys() as f64,
    };
    let (one, square) = (product(l), f64::from(l.modulus).powi(2));
    OverKeys { mean: uses * one.mean / square, deviation: uses / (l.keys() as f64).sqrt() * one.deviation / square }
}

/// The variance of what a rotation's decompositions drop, times a secret of so many coefficients that aren't zero,
/// where `turns` steps have bits that aren't all zero: `weight·(4^k + 2)/12` for each of `k > 0` bits.
fn of_weights(l: &NtruLiteral, turns: f64, weight: f64) -> f64 {
    if l.gadget.dropped == 0 {
        return 0.0;
    }
    let (products, automorphisms) = l.shape().mean_steps();
    // The first product takes the plain table, whose rounding is not multiplied by the secret.
    let rounded = match l.rotation {
        Rotation::Sequential => turns,
        Rotation::ThreeKeys => 2.0 * turns,
        Rotation::FourKeys | Rotation::EightKeys | Rotation::Blocks | Rotation::Buckets { .. } => products - 1.0,
        Rotation::Automorphisms | Rotation::TwoSweeps { .. } | Rotation::OneSweep { .. } => {
            products - 1.0 + automorphisms
        }
    };
    let unit = f64::from(l.gadget.dropped).exp2();
    rounded * weight * (unit * unit + 2.0) / 12.0 / f64::from(l.modulus).powi(2)
}

/// The variance of products with secrets in a rotation, over keys.
pub(super) fn secrets(l: &NtruLiteral) -> OverKeys {
    // The probability that a step's bits aren't all zero: two thirds of ternary coefficients aren't, and half of the
    // bits.
    let p = match l.rotation {
        Rotation::ThreeKeys => 0.75,
        _ if l.shape().is_signed() => 2.0 / 3.0,
        _ => 0.5,
    };
    let (steps, n) = (l.lwe_dim as f64 / l.rotation.per_step() as f64, l.n() as f64);
    let (turns, weight) = (steps * p, n * SECRET_SQUARE);
    let mean = of_weights(l, turns, weight);
    // It is linear in each.
    let (by_turn, by_one) = (of_weights(l, turns + 1.0, weight) - mean, of_weights(l, turns, weight + 1.0) - mean);
    let variance =
        by_turn * by_turn * steps * p * (1.0 - p) + by_one * by_one * n * SECRET_SQUARE * (1.0 - SECRET_SQUARE);
    OverKeys { mean, deviation: variance.sqrt() }
}

/// The variance of a rotation's products with the secrets of one key.
pub(super) fn of_secrets(l: &NtruLiteral, small: &[i8], big: &[i8]) -> f64 {
    let any = |coeffs: &[i8]| u32::from(coeffs.iter().fold(0u8, |any, &s| any | s as u8) & 1);
    let turns: u32 = small.chunks(l.rotation.per_step()).map(any).sum();
    let weight: u32 = big.iter().map(|&s| u32::from(s as u8 & 1)).sum();
    of_weights(l, f64::from(turns), f64::from(weight))
}
