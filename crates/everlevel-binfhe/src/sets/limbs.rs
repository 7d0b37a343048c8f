//! TFHE's sets over limbs: baselines, since gates are faster on words.

use everlevel_ring::base2k::Transform;

use super::named_set::{NamedSet, over_limbs as named};
use super::tfhe_numbers::{TfheNumbers, gate};

/// The secrets and errors of `gate-64`: limbs of 19 bits, of which a digit is one and a sample has two, as few as hold
/// its errors.
const GATE_64: TfheNumbers = gate((640, -13.15), (3, 9, -35.57), ((19, 1), (19, 1)), (1, 12, 32), -64.0);

/// The sets over limbs, all of them.
pub(super) const ALL: &[NamedSet] = &[
    named(
        "gate-64-limbs-baseline",
        (128.1, -66.4),
        "Gates over limbs, in doubles: exact products, slower than words: for comparisons.",
        GATE_64,
        Transform::Doubles,
    ),
    named(
        "gate-64-limbs-two-primes-baseline",
        (128.1, -66.4),
        "Gates over limbs modulo two primes: for comparisons.",
        GATE_64,
        Transform::TwoPrimes,
    ),
    named(
        "gate-64-limbs-three-primes-baseline",
        (128.1, -66.4),
        "Gates over limbs modulo three primes: for comparisons.",
        GATE_64,
        Transform::ThreePrimes,
    ),
];
