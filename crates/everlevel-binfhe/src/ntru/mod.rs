//! NTRU: accumulators of one polynomial, and the ways to rotate them.
//!
//! A *scalar* ciphertext is `c = (g + m)/f` modulo a prime `Q`: one polynomial, whose product with the secret `f` is
//! the message `m` and a small error `g`. A *vector* ciphertext of a small polynomial `v` has a row for each digit of a
//! gadget, `g_r/f + u_r·v`, with `u_r` the row's unit; the product of a scalar one with it, digits times rows, is a
//! scalar ciphertext of `v·m`. With `v/f` as the message it takes plain polynomials to ciphertexts, and with `f(X^t)/f`
//! ciphertexts under `f(X^t)` to those under `f`. (Reference: Li and others, TCHES 2024(3); XZD+23, ePrint 2023/1564;
//! FINAL, ePrint 2022/074.)
//!
//! *Map.* `params` the literal · `counts` the ways to rotate, their keys and steps · `buckets` of sparse secrets ·
//! `orders` of automorphisms · `noise` the formulas · `keys` what the rows of a bootstrapping key hide · `rotation` the
//! accumulators, and `exact` the same stage by stage · `torus` residues as torus words.

mod buckets;
mod counts;
mod exact;
mod keys;
mod noise;
mod orders;
mod params;
mod rotation;
mod torus;

use crate::blind_rotation::{BlindRotate, BlindRotation, SeededBootstrapKey};

pub use counts::Rotation;
pub use exact::ExactRotation;
pub(crate) use keys::bodies;
pub use params::NtruLiteral;
pub(crate) use torus::widened;

/// A stored key made ready for use.
pub(crate) fn prepare(params: &NtruLiteral, stored: &SeededBootstrapKey) -> Box<dyn BlindRotate> {
    if params.is_narrow() {
        Box::new(BlindRotation::from(rotation::Prepared::<f32>::new(stored, params)))
    } else {
        Box::new(BlindRotation::from(rotation::Prepared::<f64>::new(stored, params)))
    }
}
