//! TFHE's sets with block-binary secrets: a step of a blind rotation takes the four bits of a block, of which one at
//! most is set.

use super::named_set::{NamedSet, tfhe as named};
use super::tfhe_numbers::{TfheNumbers, extended, gate, integer};
use crate::secrets::{Secrets, SmallSecret};

/// Coefficients of a block.
const BLOCK: usize = 4;

/// The numbers with a small secret of blocks.
const fn blocks(numbers: TfheNumbers) -> TfheNumbers {
    let secrets = Secrets { small: SmallSecret::Blocks { block: BLOCK }, ..numbers.secrets };
    TfheNumbers { secrets, bits_per_step: BLOCK, ..numbers }
}

/// The sets with block-binary secrets, all of them.
pub(super) const ALL: &[NamedSet] = &[
    named(
        "gate-64-blocks-experimental",
        (128.0, -77.5),
        "Gates, with block-binary secrets.",
        blocks(gate((768, -14.88), (3, 9, -35.57), ((16, 1), (14, 1)), (4, 3, 32), -64.0)),
    ),
    named(
        "gate-128-blocks-experimental",
        (128.0, -152.1),
        "Gates that fail more rarely, with block-binary secrets.",
        blocks(gate((768, -14.88), (3, 9, -35.57), ((16, 1), (14, 1)), (3, 4, 32), -128.0)),
    ),
    named(
        "integer-1-64-blocks-experimental",
        (128.0, -65.9),
        "Integers of 1 bit, with block-binary secrets.",
        blocks(integer(1, (768, -14.88), (3, 9, -35.57), ((16, 1), (14, 1)), (4, 3, 32), -64.0)),
    ),
    named(
        "integer-2-64-blocks-experimental",
        (128.0, -64.0),
        "Integers of 2 bits, with block-binary secrets.",
        blocks(integer(2, (768, -14.88), (3, 9, -35.57), ((17, 1), (15, 1)), (1, 12, 32), -64.0)),
    ),
    named(
        "integer-3-64-blocks-experimental",
        (128.0, -69.5),
        "Integers of 3 bits, with block-binary secrets.",
        blocks(integer(3, (896, -18.24), (2, 10, -48.32), ((20, 1), (18, 1)), (4, 3, 32), -64.0)),
    ),
    named(
        "integer-4-64-blocks-experimental",
        (128.0, -64.0),
        "Integers of 4 bits, with block-binary secrets.",
        blocks(integer(4, (896, -18.24), (1, 11, -48.32), ((21, 1), (19, 1)), (4, 4, 32), -64.0)),
    ),
    named(
        "integer-5-64-blocks-experimental",
        (128.0, -70.9),
        "Integers of 5 bits, with block-binary secrets.",
        extended(1, blocks(integer(5, (896, -18.24), (1, 11, -48.32), ((22, 1), (21, 1)), (2, 8, 32), -64.0))),
    ),
    named(
        "integer-6-64-blocks-experimental",
        (128.0, -64.0),
        "Integers of 6 bits, with block-binary secrets.",
        extended(2, blocks(integer(6, (960, -19.89), (1, 11, -48.32), ((23, 1), (21, 1)), (2, 9, 32), -64.0))),
    ),
    named(
        "integer-7-64-blocks-experimental",
        (128.0, -64.0),
        "Integers of 7 bits, with block-binary secrets.",
        extended(3, blocks(integer(7, (960, -19.89), (1, 11, -48.32), ((16, 2), (20, 1)), (1, 18, 32), -64.0))),
    ),
    named(
        "integer-8-64-blocks-experimental",
        (128.0, -64.0),
        "Integers of 8 bits, with block-binary secrets.",
        extended(4, blocks(integer(8, (1024, -21.57), (1, 11, -48.32), ((15, 2), (14, 2)), (3, 7, 32), -64.0))),
    ),
    named(
        "integer-1-128-blocks-experimental",
        (128.0, -149.3),
        "Integers of 1 bit, with block-binary secrets.",
        blocks(integer(1, (768, -14.88), (3, 9, -35.57), ((17, 1), (15, 1)), (3, 4, 32), -128.0)),
    ),
    named(
        "integer-2-128-blocks-experimental",
        (128.0, -128.0),
        "Integers of 2 bits, with block-binary secrets.",
        blocks(integer(2, (768, -14.88), (2, 10, -48.32), ((19, 1), (17, 1)), (1, 12, 32), -128.0)),
    ),
    named(
        "integer-3-128-blocks-experimental",
        (128.0, -128.0),
        "Integers of 3 bits, with block-binary secrets.",
        blocks(integer(3, (896, -18.24), (2, 10, -48.32), ((20, 1), (18, 1)), (4, 4, 32), -128.0)),
    ),
    named(
        "integer-4-128-blocks-experimental",
        (128.0, -128.0),
        "Integers of 4 bits, with block-binary secrets.",
        blocks(integer(4, (896, -18.24), (1, 11, -48.32), ((23, 1), (21, 1)), (3, 5, 32), -128.0)),
    ),
    named(
        "integer-5-128-blocks-experimental",
        (128.0, -128.0),
        "Integers of 5 bits, with block-binary secrets.",
        extended(1, blocks(integer(5, (960, -19.89), (1, 11, -48.32), ((23, 1), (21, 1)), (2, 8, 32), -128.0))),
    ),
    named(
        "integer-6-128-blocks-experimental",
        (128.0, -131.3),
        "Integers of 6 bits, with block-binary secrets.",
        extended(2, blocks(integer(6, (960, -19.89), (1, 11, -48.32), ((16, 2), (20, 1)), (2, 9, 32), -128.0))),
    ),
    named(
        "integer-7-128-blocks-experimental",
        (128.0, -128.0),
        "Integers of 7 bits, with block-binary secrets.",
        extended(3, blocks(integer(7, (1024, -21.57), (1, 11, -48.32), ((14, 2), (13, 2)), (3, 6, 32), -128.0))),
    ),
    named(
        "integer-8-128-blocks-experimental",
        (128.0, -128.0),
        "Integers of 8 bits, with block-binary secrets.",
        extended(4, blocks(integer(8, (1024, -21.57), (1, 11, -48.32), ((15, 2), (14, 2)), (1, 19, 32), -128.0))),
    ),
];
