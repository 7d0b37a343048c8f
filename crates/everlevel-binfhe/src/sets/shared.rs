//! TFHE's sets with shared secrets: the small secret and one between both are the large secret's first coefficients, so
//! that two key switches, a chain, switch only what is not shared. Deviations are those of other sets.

use super::named_set::{NamedSet, tfhe as named};
use super::tfhe_numbers::{LandingNumbers, TfheNumbers, extended, gate, in_twos, integer};
use crate::secrets::Secrets;

/// The numbers with a small secret that the large one begins with, and with an intermediate secret.
const fn stair(landing: &'static LandingNumbers, numbers: TfheNumbers) -> TfheNumbers {
    let secrets = Secrets { shared: numbers.lwe.0, ..numbers.secrets };
    TfheNumbers { secrets, landings: std::slice::from_ref(landing), ..numbers }
}

/// The sets with shared secrets, all of them.
pub(super) const ALL: &[NamedSet] = &[
    named(
        "gate-64-experimental",
        (128.0, -64.0),
        "Gates, with shared secrets.",
        in_twos(stair(
            &LandingNumbers(704, -14.81, (4, 3, 32)),
            gate((576, -11.49), (3, 9, -35.57), ((17, 1), (16, 1)), (1, 9, 32), -64.0),
        )),
    ),
    named(
        "gate-128-experimental",
        (128.1, -128.0),
        "Gates that fail more rarely, with shared secrets.",
        in_twos(stair(
            &LandingNumbers(768, -16.45, (4, 3, 32)),
            gate((608, -12.32), (3, 9, -35.57), ((17, 1), (16, 1)), (2, 5, 32), -128.0),
        )),
    ),
    named(
        "integer-1-64-experimental",
        (128.0, -64.0),
        "Integers of 1 bit, with shared secrets.",
        in_twos(stair(
            &LandingNumbers(768, -16.45, (4, 3, 32)),
            integer(1, (576, -11.49), (3, 9, -35.57), ((17, 1), (15, 1)), (1, 10, 32), -64.0),
        )),
    ),
    named(
        "integer-2-64-experimental",
        (128.1, -64.0),
        "Integers of 2 bits, with shared secrets.",
        stair(
            &LandingNumbers(768, -16.45, (4, 3, 32)),
            integer(2, (640, -13.15), (3, 9, -35.57), ((17, 1), (16, 1)), (1, 12, 32), -64.0),
        ),
    ),
    named(
        "integer-3-64-experimental",
        (128.2, -64.0),
        "Integers of 3 bits, with shared secrets.",
        in_twos(stair(
            &LandingNumbers(832, -18.05, (4, 3, 32)),
            integer(3, (672, -13.98), (2, 10, -48.32), ((22, 1), (21, 1)), (1, 12, 32), -64.0),
        )),
    ),
    named(
        "integer-4-64-experimental",
        (128.2, -64.0),
        "Integers of 4 bits, with shared secrets.",
        in_twos(stair(
            &LandingNumbers(960, -21.23, (7, 2, 32)),
            integer(4, (736, -15.64), (1, 11, -48.32), ((21, 1), (20, 1)), (2, 7, 32), -64.0),
        )),
    ),
    named(
        "integer-5-64-experimental",
        (128.2, -65.2),
        "Integers of 5 bits, with shared secrets.",
        extended(
            1,
            in_twos(stair(
                &LandingNumbers(960, -21.23, (5, 3, 32)),
                integer(5, (768, -16.45), (1, 11, -48.32), ((23, 1), (21, 1)), (1, 14, 32), -64.0),
            )),
        ),
    ),
    named(
        "integer-6-64-experimental",
        (128.4, -67.6),
        "Integers of 6 bits, with shared secrets.",
        extended(
            2,
            in_twos(stair(
                &LandingNumbers(1024, -22.83, (6, 3, 32)),
                integer(6, (800, -17.25), (1, 11, -48.32), ((16, 2), (20, 1)), (1, 15, 32), -64.0),
            )),
        ),
    ),
    named(
        "integer-7-64-experimental",
        (128.9, -64.0),
        "Integers of 7 bits, with shared secrets.",
        extended(
            3,
            in_twos(stair(
                &LandingNumbers(1088, -24.42, (6, 3, 32)),
                integer(7, (896, -19.64), (1, 11, -48.32), ((16, 2), (20, 1)), (2, 9, 32), -64.0),
            )),
        ),
    ),
    named(
        "integer-8-64-experimental",
        (128.9, -64.0),
        "Integers of 8 bits, with shared secrets.",
        extended(
            4,
            in_twos(stair(
                &LandingNumbers(1088, -24.42, (6, 3, 32)),
                integer(8, (896, -19.64), (1, 11, -48.32), ((15, 2), (14, 2)), (2, 9, 32), -64.0),
            )),
        ),
    ),
    named(
        "integer-1-128-experimental",
        (128.1, -128.0),
        "Integers of 1 bit, with shared secrets.",
        in_twos(stair(
            &LandingNumbers(768, -16.45, (4, 3, 32)),
            integer(1, (608, -12.32), (3, 9, -35.57), ((17, 1), (15, 1)), (1, 11, 32), -128.0),
        )),
    ),
    named(
        "integer-2-128-experimental",
        (128.1, -128.0),
        "Integers of 2 bits, with shared secrets.",
        in_twos(stair(
            &LandingNumbers(832, -18.05, (4, 3, 32)),
            integer(2, (640, -13.15), (2, 10, -48.32), ((20, 1), (19, 1)), (1, 11, 32), -128.0),
        )),
    ),
    named(
        "integer-3-128-experimental",
        (128.1, -128.0),
        "Integers of 3 bits, with shared secrets.",
        in_twos(stair(
            &LandingNumbers(896, -19.64, (5, 3, 32)),
            integer(3, (704, -14.81), (2, 10, -48.32), ((23, 1), (22, 1)), (1, 13, 32), -128.0),
        )),
    ),
    named(
        "integer-4-128-experimental",
        (128.2, -128.0),
        "Integers of 4 bits, with shared secrets.",
        in_twos(stair(
            &LandingNumbers(960, -21.23, (5, 3, 32)),
            integer(4, (768, -16.45), (1, 11, -48.32), ((22, 1), (21, 1)), (2, 7, 32), -128.0),
        )),
    ),
    named(
        "integer-5-128-experimental",
        (128.4, -128.0),
        "Integers of 5 bits, with shared secrets.",
        extended(
            1,
            in_twos(stair(
                &LandingNumbers(1024, -22.83, (6, 3, 32)),
                integer(5, (800, -17.25), (1, 11, -48.32), ((16, 2), (20, 1)), (1, 15, 32), -128.0),
            )),
        ),
    ),
    named(
        "integer-6-128-experimental",
        (128.8, -130.4),
        "Integers of 6 bits, with shared secrets.",
        extended(
            2,
            in_twos(stair(
                &LandingNumbers(1088, -24.42, (6, 3, 32)),
                integer(6, (864, -18.84), (1, 11, -48.32), ((16, 2), (20, 1)), (1, 16, 32), -128.0),
            )),
        ),
    ),
    named(
        "integer-7-128-experimental",
        (128.9, -128.0),
        "Integers of 7 bits, with shared secrets.",
        extended(
            3,
            in_twos(stair(
                &LandingNumbers(1152, -26.01, (6, 3, 32)),
                integer(7, (896, -19.64), (1, 11, -48.32), ((15, 2), (14, 2)), (1, 17, 32), -128.0),
            )),
        ),
    ),
    named(
        "integer-8-128-experimental",
        (129.2, -128.0),
        "Integers of 8 bits, with shared secrets.",
        extended(
            4,
            in_twos(stair(
                &LandingNumbers(1216, -27.61, (7, 3, 32)),
                integer(8, (960, -21.23), (1, 11, -48.32), ((15, 2), (14, 2)), (2, 9, 32), -128.0),
            )),
        ),
    ),
];
