//! The parts of a blind rotation's noise that keys fix, over keys and of one key: those of
//! [`external_product`](crate::noise::external_product).

use everlevel_math::fft::Together;
use everlevel_ring::WordGadget as Gadget;

use crate::ParamsLiteral;
use crate::common::digit_square;
use crate::noise;
use crate::over_keys::OverKeys;
use crate::secrets::SmallSecret;

/// Products of digits with the errors of the bootstrapping key. Each of a step's keys has the variance
/// `f·(Σ_r d_r²·‖E_r‖² − B/4·Σ_r E_r·E_(r+1))`, where `f` is that of the factors that multiply it.
pub(super) fn products(l: &ParamsLiteral) -> OverKeys {
    let (n, k) = (l.n() as f64, l.rank as f64);
    let error = (2.0 * l.glwe_log2_std_dev).exp2();
    let digits = |gadget: Gadget| f64::from(gadget.digits) * digit_square(gadget);
    let squares = |gadget: Gadget| {
        let (count, base) = (f64::from(gadget.digits), f64::from(gadget.log2_base).exp2());
        2.0 * count * digit_square(gadget).powi(2) + (count - 1.0) * (base / 4.0).powi(2)
    };
    let (a, b) = (l.mask_gadget, l.body_gadget);
    // The factors of a step's keys.
    let factors: &[f64] = match l.together() {
        None => &[1.0],
        Some(Together::Pair) => &[2.0, 2.0, 4.0],
        Some(Together::Block) => &[2.0; 4],
    };
    let (sum, sum_of_squares) =
        factors.iter().fold((0.0, 0.0), |(sum, squares), factor| (sum + factor, squares + factor * factor));
    let steps = l.steps() as f64;
    OverKeys {
        mean: steps * sum * n * error * (k * digits(a) + digits(b)),
        deviation: (steps * sum_of_squares * n * (k * squares(a) + squares(b))).sqrt() * error,
    }
}

/// The variance of a rotation whose secrets have `turns` steps that aren't zero, and `weight` coefficients that aren't:
/// these multiply roundings, the errors of the masks of stored keys, and those of transforms.
fn of_weights(l: &ParamsLiteral, turns: f64, weight: f64) -> f64 {
    let (a, b) = (l.mask_gadget, l.body_gadget);
    let digits = l.rank as f64 * f64::from(a.digits) * digit_square(a) + f64::from(b.digits) * digit_square(b);
    let stored = noise::errors_per_bit(l).0 * l.n() as f64 * noise::stored_key_of(l, weight) * digits;
    roundings_of_weights(l, turns, weight) + l.lwe_dim as f64 * (stored + noise::transforms_of(l, weight))
}

/// The part of [`of_weights`] that exact products have, too: roundings.
pub(super) fn roundings_of_weights(l: &ParamsLiteral, turns: f64, weight: f64) -> f64 {
    turns * roundings(l) * (weight * noise::rounding(l.mask_gadget) + noise::rounding(l.body_gadget))
}

/// Roundings of a step whose bits aren't all zero.
fn roundings(l: &ParamsLiteral) -> f64 {
    if l.bits_per_step == 1 { 1.0 } else { 2.0 }
}

/// The probability that the bits of a step aren't all zero.
fn turning(l: &ParamsLiteral) -> f64 {
    match l.secrets.small {
        SmallSecret::Blocks { block } => block as f64 / (block as f64 + 1.0),
        _ => 1.0 - (-(l.bits_per_step as f64)).exp2(),
    }
}

/// The variance of products with secrets, over keys.
pub(super) fn secrets(l: &ParamsLiteral) -> OverKeys {
    over_secrets(l, |turns, weight| of_weights(l, turns, weight))
}

/// The variance of roundings times secrets, over keys.
pub(super) fn roundings_of_secrets(l: &ParamsLiteral) -> OverKeys {
    over_secrets(l, |turns, weight| roundings_of_weights(l, turns, weight))
}

/// A variance that is linear in the steps that turn and in the secret's weight, over keys.
fn over_secrets(l: &ParamsLiteral, of_weights: impl Fn(f64, f64) -> f64) -> OverKeys {
    let (steps, dim, p) = (l.steps() as f64, l.big_dim() as f64, turning(l));
    let (turns, weight) = (steps * p, dim / 2.0);
    let mean = of_weights(turns, weight);
    let (by_turn, by_one) = (of_weights(turns + 1.0, weight) - mean, of_weights(turns, weight + 1.0) - mean);
    // Bits that both secrets have are counted in both.
    let together = l.secrets.shared as f64 * (1.0 - p) / 2.0;
    let variance = by_turn * by_turn * steps * p * (1.0 - p) + by_one * by_one * dim / 4.0;
    OverKeys { mean, deviation: (variance + 2.0 * by_turn * by_one * together).sqrt() }
}

/// The variance of products with the secrets of one key.
pub(super) fn of_secrets(l: &ParamsLiteral, small: &[i8], big: &[i8]) -> f64 {
    let (turns, weight) = turns_and_weight(l, small, big);
    of_weights(l, turns, weight)
}

/// The steps of one small secret that turn, and the ones of a large secret.
pub(super) fn turns_and_weight(l: &ParamsLiteral, small: &[i8], big: &[i8]) -> (f64, f64) {
    let turns: u32 =
        small.chunks(l.bits_per_step).map(|bits| u32::from(bits.iter().fold(0, |any, &bit| any | bit) as u8)).sum();
    let weight: u32 = big.iter().map(|&bit| u32::from(bit as u8)).sum();
    (f64::from(turns), f64::from(weight))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets;

    /// Both parts together are the formula of a rotation.
    #[test]
    fn parts_add_up() {
        for set in sets::ALL {
            let Some(l) = set.literal().tfhe() else { continue };
            let (sum, formula) = (products(&l).mean + secrets(&l).mean, l.lwe_dim as f64 * noise::external_product(&l));
            assert!((sum / formula - 1.0).abs() < 1e-9, "{}: {sum:e} {formula:e}", set.name);
        }
    }
}
