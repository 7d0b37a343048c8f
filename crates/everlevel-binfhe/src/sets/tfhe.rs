//! TFHE's usual sets.

use super::named_set::{NamedSet, tfhe as named};
use super::tfhe_numbers::{extended, gate, in_twos, integer, tfhe_lib, toy};

/// TFHE's usual sets, all of them.
pub(super) const ALL: &[NamedSet] = &[
    named(
        "insecure-tfhe-lib",
        (114.3, -77.7),
        "The 2016 library's default set with half products: below 128 bits today, for comparisons only.",
        tfhe_lib((8, 2), (7, 2)),
    ),
    named(
        "insecure-tfhe-lib-seven",
        (114.3, -97.3),
        "The same, three digits for the mask and two for the body.",
        tfhe_lib((7, 3), (7, 2)),
    ),
    named(
        "insecure-tfhe-lib-full",
        (114.3, -95.0),
        "The same with full products, three digits for each.",
        tfhe_lib((7, 3), (7, 3)),
    ),
    named(
        "insecure-integer-4-64",
        (0.0, -64.0),
        "Integers of 4 bits at a ring of degree 512, WITHOUT ANY SECURITY: for tests by the thousand.",
        in_twos(toy(4, 16, 9, -64.0)),
    ),
    named(
        "gate-64",
        (128.1, -64.0),
        "Gates; any gate on what any gate or MUX gives.",
        in_twos(gate((640, -13.15), (3, 9, -35.57), ((17, 1), (16, 1)), (1, 10, 32), -64.0)),
    ),
    named(
        "gate-128",
        (128.2, -128.0),
        "Gates that fail more rarely.",
        in_twos(gate((672, -13.98), (3, 9, -35.57), ((17, 1), (16, 1)), (2, 6, 32), -128.0)),
    ),
    named(
        "integer-1-64",
        (128.1, -68.3),
        "Integers of 1 bit, carries among them.",
        in_twos(integer(1, (640, -13.15), (3, 9, -35.57), ((17, 1), (16, 1)), (1, 11, 32), -64.0)),
    ),
    named(
        "integer-2-64",
        (128.1, -64.0),
        "Integers of 2 bits, carries among them.",
        integer(2, (704, -14.81), (3, 9, -35.57), ((17, 1), (16, 1)), (1, 13, 32), -64.0),
    ),
    named(
        "integer-3-64",
        (128.2, -65.1),
        "Integers of 3 bits, carries among them.",
        in_twos(integer(3, (736, -15.64), (2, 10, -48.32), ((20, 1), (19, 1)), (1, 13, 32), -64.0)),
    ),
    named(
        "integer-4-64",
        (128.4, -72.2),
        "Integers of 4 bits, carries among them.",
        in_twos(integer(4, (800, -17.25), (1, 11, -48.32), ((21, 1), (20, 1)), (2, 7, 32), -64.0)),
    ),
    named(
        "integer-5-64",
        (128.6, -64.0),
        "Integers of 5 bits, carries among them.",
        extended(1, in_twos(integer(5, (832, -18.05), (1, 11, -48.32), ((23, 1), (21, 1)), (1, 15, 32), -64.0))),
    ),
    named(
        "integer-6-64",
        (128.8, -68.2),
        "Integers of 6 bits, carries among them.",
        extended(2, in_twos(integer(6, (864, -18.84), (1, 11, -48.32), ((16, 2), (20, 1)), (1, 16, 32), -64.0))),
    ),
    named(
        "integer-7-64",
        (129.2, -64.0),
        "Integers of 7 bits, carries among them.",
        extended(3, in_twos(integer(7, (960, -21.23), (1, 11, -48.32), ((16, 2), (20, 1)), (1, 18, 32), -64.0))),
    ),
    named(
        "integer-8-64",
        (129.2, -67.9),
        "Integers of 8 bits, carries among them.",
        extended(4, in_twos(integer(8, (960, -21.23), (1, 11, -48.32), ((15, 2), (14, 2)), (2, 9, 32), -64.0))),
    ),
    named(
        "integer-1-128",
        (128.2, -128.0),
        "Integers of 1 bit, carries among them.",
        in_twos(integer(1, (672, -13.98), (3, 9, -35.57), ((17, 1), (15, 1)), (1, 12, 32), -128.0)),
    ),
    named(
        "integer-2-128",
        (128.1, -134.8),
        "Integers of 2 bits, carries among them.",
        in_twos(integer(2, (704, -14.81), (2, 10, -48.32), ((21, 1), (20, 1)), (1, 13, 32), -128.0)),
    ),
    named(
        "integer-3-128",
        (128.4, -130.7),
        "Integers of 3 bits, carries among them.",
        in_twos(integer(3, (800, -17.25), (2, 10, -48.32), ((21, 1), (20, 1)), (2, 7, 32), -128.0)),
    ),
    named(
        "integer-4-128",
        (128.6, -128.0),
        "Integers of 4 bits, carries among them.",
        in_twos(integer(4, (832, -18.05), (1, 11, -48.32), ((22, 1), (21, 1)), (1, 15, 32), -128.0)),
    ),
    named(
        "integer-5-128",
        (128.9, -132.0),
        "Integers of 5 bits, carries among them.",
        extended(1, in_twos(integer(5, (896, -19.64), (1, 11, -48.32), ((16, 2), (20, 1)), (2, 8, 32), -128.0))),
    ),
    named(
        "integer-6-128",
        (129.0, -128.0),
        "Integers of 6 bits, carries among them.",
        extended(2, in_twos(integer(6, (928, -20.44), (1, 11, -48.32), ((16, 2), (20, 1)), (1, 18, 32), -128.0))),
    ),
    named(
        "integer-7-128",
        (129.2, -128.0),
        "Integers of 7 bits, carries among them.",
        extended(3, in_twos(integer(7, (960, -21.23), (1, 11, -48.32), ((15, 2), (14, 2)), (1, 20, 32), -128.0))),
    ),
    named(
        "integer-8-128",
        (129.4, -129.6),
        "Integers of 8 bits, carries among them.",
        extended(4, in_twos(integer(8, (1024, -22.83), (1, 11, -48.32), ((15, 2), (14, 2)), (1, 20, 32), -128.0))),
    ),
];
