//! TFHE's sets of the table of *New Secret Keys for Enhanced Performance in (T)FHE* (ePrint 2023/979), which fail with
//! 2^-14: for comparisons with that table, and for nothing else.
//!
//! Ranks, degrees, digits of rotations and rings of key switches are those of the authors' artifact, but at 1 bit and
//! 3, where this library's line of security asks for errors that need another rank. Errors are on that line, which is
//! above the artifact's; dimensions and digits of key switches are those that hold 2^-14 with them.

use super::named_set::{NamedSet, tfhe as named};
use super::partial::shared;
use super::tfhe_numbers::{LandingNumbers, TfheNumbers, integer};
use crate::secrets::Secrets;

/// Integers of so many bits whose inputs have the norm `2^bits`, as in the table.
const fn often(
    bits: u32,
    lwe: (usize, f64),
    glwe: (usize, u32, f64),
    digits: (u32, u32),
    key_switch: (u32, u32, usize),
) -> TfheNumbers {
    let numbers = integer(bits, lwe, glwe, (digits, digits), key_switch, -14.0);
    TfheNumbers { squared_norm: (1u64 << (2 * bits)) as f64, ..numbers }
}

/// The numbers with so many drawn coefficients, which the small secret and an intermediate one begin with.
const fn chain(drawn: Option<usize>, landing: &'static LandingNumbers, numbers: TfheNumbers) -> TfheNumbers {
    TfheNumbers { landings: std::slice::from_ref(landing), ..transforms(drawn, numbers) }
}

/// The numbers with so many drawn coefficients, which the small secret begins with.
const fn transforms(drawn: Option<usize>, numbers: TfheNumbers) -> TfheNumbers {
    shared(TfheNumbers { secrets: Secrets { drawn, ..numbers.secrets }, ..numbers })
}

/// The sets that fail with 2^-14, all of them.
pub(super) const ALL: &[NamedSet] = &[
    named(
        "integer-1-14-baseline",
        (128.1, -14.0),
        "Integers of 1 bit that fail with 2^-14, with usual secrets: for comparisons.",
        often(1, (580, -11.59), (6, 8, -35.57), (16, 1), (1, 10, 1)),
    ),
    named(
        "integer-2-14-baseline",
        (128.1, -15.3),
        "Integers of 2 bits that fail with 2^-14, with usual secrets: for comparisons.",
        often(2, (668, -13.88), (6, 8, -35.57), (18, 1), (2, 5, 1)),
    ),
    named(
        "integer-3-14-baseline",
        (128.0, -16.1),
        "Integers of 3 bits that fail with 2^-14, with usual secrets: for comparisons.",
        often(3, (720, -15.23), (4, 9, -48.32), (21, 1), (3, 4, 1)),
    ),
    named(
        "integer-4-14-baseline",
        (128.3, -16.7),
        "Integers of 4 bits that fail with 2^-14, with usual secrets: for comparisons.",
        often(4, (788, -16.95), (2, 10, -48.32), (23, 1), (3, 4, 1)),
    ),
    named(
        "integer-5-14-baseline",
        (128.7, -17.3),
        "Integers of 5 bits that fail with 2^-14, with usual secrets: for comparisons.",
        often(5, (840, -18.25), (1, 11, -48.32), (23, 1), (3, 5, 1)),
    ),
    named(
        "integer-6-14-baseline",
        (128.7, -15.8),
        "Integers of 6 bits that fail with 2^-14, with usual secrets: for comparisons.",
        often(6, (840, -18.25), (1, 12, -62.00), (14, 2), (2, 8, 1)),
    ),
    named(
        "integer-7-14-baseline",
        (128.9, -16.1),
        "Integers of 7 bits that fail with 2^-14, with usual secrets: for comparisons.",
        often(7, (896, -19.64), (1, 13, -62.00), (15, 2), (1, 17, 1)),
    ),
    named(
        "integer-8-14-baseline",
        (129.2, -14.3),
        "Integers of 8 bits that fail with 2^-14, with usual secrets: for comparisons.",
        often(8, (968, -21.43), (1, 14, -62.00), (11, 3), (2, 9, 1)),
    ),
    named(
        "integer-1-14-chain-experimental",
        (128.1, -15.6),
        "Integers of 1 bit that fail with 2^-14, with shared secrets and a key-switch chain.",
        chain(
            None,
            &LandingNumbers(773, -16.58, (5, 2, 1)),
            often(1, (532, -10.34), (6, 8, -35.57), (16, 1), (1, 9, 1)),
        ),
    ),
    named(
        "integer-2-14-chain-experimental",
        (128.1, -14.0),
        "Integers of 2 bits that fail with 2^-14, with shared secrets and a key-switch chain.",
        chain(
            None,
            &LandingNumbers(911, -20.01, (6, 2, 1)),
            often(2, (586, -11.75), (6, 8, -35.57), (18, 1), (1, 10, 1)),
        ),
    ),
    named(
        "integer-3-14-chain-experimental",
        (128.1, -14.0),
        "Integers of 3 bits that fail with 2^-14, with shared secrets and a key-switch chain.",
        chain(
            None,
            &LandingNumbers(1125, -25.34, (7, 2, 1)),
            often(3, (634, -12.99), (4, 9, -48.32), (20, 1), (1, 11, 1)),
        ),
    ),
    named(
        "integer-4-14-chain-experimental",
        (128.2, -14.0),
        "Integers of 4 bits that fail with 2^-14, with shared secrets and a key-switch chain.",
        chain(
            None,
            &LandingNumbers(1142, -25.76, (7, 2, 1)),
            often(4, (674, -14.03), (2, 10, -48.32), (22, 1), (1, 12, 1)),
        ),
    ),
    named(
        "integer-5-14-chain-experimental",
        (128.2, -14.0),
        "Integers of 5 bits that fail with 2^-14, with shared secrets and a key-switch chain.",
        chain(
            None,
            &LandingNumbers(1158, -26.16, (8, 2, 1)),
            often(5, (724, -15.33), (1, 11, -48.32), (23, 1), (1, 14, 1)),
        ),
    ),
    named(
        "integer-6-14-chain-experimental",
        (128.2, -14.0),
        "Integers of 6 bits that fail with 2^-14, with shared secrets and a key-switch chain.",
        chain(
            Some(2443),
            &LandingNumbers(1337, -30.0, (9, 2, 1)),
            often(6, (762, -16.30), (1, 12, -58.14), (14, 2), (1, 14, 1)),
        ),
    ),
    named(
        "integer-7-14-chain-experimental",
        (128.4, -14.0),
        "Integers of 7 bits that fail with 2^-14, with shared secrets and a key-switch chain.",
        chain(
            Some(2443),
            &LandingNumbers(1380, -30.0, (9, 2, 1)),
            often(7, (804, -17.35), (1, 13, -58.14), (15, 2), (1, 16, 1)),
        ),
    ),
    named(
        "integer-8-14-chain-experimental",
        (128.7, -14.0),
        "Integers of 8 bits that fail with 2^-14, with shared secrets and a key-switch chain.",
        chain(
            Some(2443),
            &LandingNumbers(1408, -30.0, (9, 2, 1)),
            often(8, (846, -18.40), (1, 14, -58.14), (11, 3), (1, 17, 1)),
        ),
    ),
    named(
        "integer-1-14-experimental",
        (128.1, -14.0),
        "Integers of 1 bit that fail with 2^-14, with shared secrets and a key switch by transforms.",
        transforms(None, often(1, (566, -11.23), (6, 8, -35.57), (16, 1), (1, 10, 256))),
    ),
    named(
        "integer-2-14-experimental",
        (128.1, -14.0),
        "Integers of 2 bits that fail with 2^-14, with shared secrets and a key switch by transforms.",
        transforms(None, often(2, (618, -12.58), (6, 8, -35.57), (18, 1), (1, 11, 1024))),
    ),
    named(
        "integer-3-14-experimental",
        (128.2, -14.2),
        "Integers of 3 bits that fail with 2^-14, with shared secrets and a key switch by transforms.",
        transforms(None, often(3, (666, -13.82), (4, 9, -48.32), (20, 1), (1, 12, 1024))),
    ),
    named(
        "integer-4-14-experimental",
        (128.1, -14.0),
        "Integers of 4 bits that fail with 2^-14, with shared secrets and a key switch by transforms.",
        transforms(None, often(4, (704, -14.81), (2, 10, -48.32), (23, 1), (1, 13, 512))),
    ),
    named(
        "integer-5-14-experimental",
        (128.1, -14.0),
        "Integers of 5 bits that fail with 2^-14, with shared secrets and a key switch by transforms.",
        transforms(None, often(5, (758, -16.21), (1, 11, -48.32), (23, 1), (1, 14, 512))),
    ),
    named(
        "integer-6-14-experimental",
        (128.4, -14.0),
        "Integers of 6 bits that fail with 2^-14, with shared secrets and a key switch by transforms.",
        transforms(Some(2443), often(6, (794, -17.10), (1, 12, -58.14), (14, 2), (1, 15, 2048))),
    ),
    named(
        "integer-7-14-experimental",
        (128.7, -14.0),
        "Integers of 7 bits that fail with 2^-14, with shared secrets and a key switch by transforms.",
        transforms(Some(2443), often(7, (838, -18.20), (1, 13, -58.14), (14, 2), (1, 16, 2048))),
    ),
    named(
        "integer-8-14-experimental",
        (128.8, -14.0),
        "Integers of 8 bits that fail with 2^-14, with shared secrets and a key switch by transforms.",
        transforms(Some(2443), often(8, (878, -19.19), (1, 14, -58.14), (11, 3), (1, 17, 2048))),
    ),
];
