//! TFHE's sets with partial secrets: the large secret ends with zeros, and the key switch is one by transforms, in a
//! ring whose degree would be that of several small secrets of the usual sets. Alone, and with a small secret that the
//! large one begins with.

use super::named_set::{NamedSet, tfhe as named};
use super::tfhe_numbers::{TfheNumbers, in_twos, integer};
use crate::secrets::Secrets;

/// The numbers with so many drawn coefficients of the large secret.
const fn partial(drawn: usize, numbers: TfheNumbers) -> TfheNumbers {
    TfheNumbers { secrets: Secrets { drawn: Some(drawn), ..numbers.secrets }, ..numbers }
}

/// The numbers with a small secret that the large one begins with.
pub(super) const fn shared(numbers: TfheNumbers) -> TfheNumbers {
    TfheNumbers { secrets: Secrets { shared: numbers.lwe.0, ..numbers.secrets }, ..numbers }
}

/// The sets with partial secrets, all of them.
pub(super) const ALL: &[NamedSet] = &[
    named(
        "integer-4-64-partial-experimental",
        (128.4, -73.4),
        "Integers of 4 bits, with a partial secret and a key switch by transforms.",
        in_twos(partial(1920, integer(4, (800, -17.25), (1, 11, -45.13), ((21, 1), (20, 1)), (2, 7, 256), -64.0))),
    ),
    named(
        "integer-4-64-partial-shared-experimental",
        (128.2, -78.3),
        "Integers of 4 bits, with a partial secret that is shared, and a key switch by transforms.",
        in_twos(shared(partial(
            1984,
            integer(4, (768, -16.45), (1, 11, -46.72), ((22, 1), (21, 1)), (1, 14, 256), -64.0),
        ))),
    ),
    named(
        "integer-5-64-partial-experimental",
        (128.8, -64.0),
        "Integers of 5 bits, with a partial secret and a key switch by transforms: for comparisons.",
        in_twos(partial(2176, integer(5, (864, -18.84), (1, 12, -51.50), ((23, 1), (22, 1)), (2, 8, 256), -64.0))),
    ),
    named(
        "integer-5-64-partial-shared-experimental",
        (128.6, -64.0),
        "Integers of 5 bits, with a partial secret that is shared, and a switch by transforms: for comparisons.",
        in_twos(shared(partial(
            2176,
            integer(5, (832, -18.05), (1, 12, -51.50), ((23, 1), (22, 1)), (1, 16, 256), -64.0),
        ))),
    ),
];
