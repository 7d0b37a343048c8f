//! NTRU's sets.

use super::named_set::{NamedSet, ntru as named};
use super::ntru_numbers::{NtruNumbers, by, gate, in_blocks, in_buckets, of_integers};
use crate::ntru::Rotation;
use crate::secrets::SmallSecret;

/// NTRU's sets, all of them.
pub(super) const ALL: &[NamedSet] = &[
    named(
        "ntru-gate-64",
        (125.6, -64.0),
        "Gates; any gate on what any gate or MUX gives.",
        gate((640, -13.15), (1_320_961, 10, -22.83), (3, 5, 5), (1, 12, 32), -64.0),
    ),
    named(
        "ntru-gate-128",
        (125.6, -132.8),
        "Gates that fail more rarely.",
        gate((704, -14.81), (1_320_961, 10, -22.83), (3, 6, 3), (2, 6, 32), -128.0),
    ),
    named(
        "ntru-gate-64-conservative",
        (128.1, -64.0),
        "Gates over a ring of twice the degree: core-SVP of 128 bits for NTRU, too.",
        gate((640, -13.15), (134_176_769, 11, -48.32), (8, 2, 10), (1, 11, 32), -64.0),
    ),
    named(
        "ntru-gate-64-solinas",
        (128.2, -81.0),
        "Gates over the accelerator's prime, 2^20 − 2^14 + 1.",
        gate((672, -13.98), (1_032_193, 10, -22.83), (3, 6, 2), (1, 12, 32), -64.0),
    ),
    named(
        "ntru-gate-128-solinas",
        (128.2, -128.0),
        "Gates over the accelerator's prime that fail more rarely.",
        gate((672, -13.98), (1_032_193, 10, -22.83), (2, 8, 4), (1, 13, 32), -128.0),
    ),
    named(
        "ntru-integer-1-64",
        (125.6, -64.0),
        "Integers of 1 bit, carries among them.",
        of_integers(1, gate((672, -13.98), (1_320_961, 10, -22.83), (3, 6, 3), (1, 11, 32), -64.0)),
    ),
    named(
        "ntru-integer-2-64",
        (128.1, -64.0),
        "Integers of 2 bits, carries among them.",
        of_integers(2, gate((704, -14.81), (268_369_921, 11, -48.32), (9, 2, 10), (2, 6, 32), -64.0)),
    ),
    named(
        "ntru-integer-3-64",
        (128.2, -67.5),
        "Integers of 3 bits, carries among them.",
        of_integers(3, gate((736, -15.64), (268_369_921, 11, -48.32), (7, 3, 7), (1, 13, 32), -64.0)),
    ),
    named(
        "ntru-integer-4-64",
        (128.4, -66.5),
        "Integers of 4 bits, carries among them.",
        of_integers(4, gate((800, -17.25), (268_369_921, 11, -48.32), (5, 4, 7), (2, 8, 32), -64.0)),
    ),
    named(
        "ntru-gate-64-eight-keys",
        (125.6, -73.3),
        "Gates with eight keys for three bits of the small secret: fewer products, and a larger key.",
        by(Rotation::EightKeys, gate((672, -13.98), (1_320_961, 10, -22.83), (3, 5, 5), (2, 6, 32), -64.0)),
    ),
    named(
        "ntru-gate-64-three-keys",
        (125.6, -64.0),
        "Gates with three keys for two bits of the small secret: a smaller key.",
        by(Rotation::ThreeKeys, gate((704, -14.81), (1_320_961, 10, -22.83), (3, 5, 5), (1, 12, 32), -64.0)),
    ),
    named(
        "ntru-gate-64-sequential",
        (125.6, -73.7),
        "Gates with a key for each bit of the small secret: the smallest key.",
        by(Rotation::Sequential, gate((672, -13.98), (1_320_961, 10, -22.83), (4, 4, 4), (2, 6, 32), -64.0)),
    ),
    named(
        "ntru-gate-64-ternary-baseline",
        (125.6, -70.5),
        "Gates with a ternary small secret, a product for each coefficient (FINAL): for comparisons.",
        NtruNumbers {
            secret: SmallSecret::Ternary,
            ..by(Rotation::Sequential, gate((608, -13.97), (1_320_961, 10, -22.83), (3, 5, 5), (2, 6, 32), -64.0))
        },
    ),
    named(
        "ntru-gate-64-two-sweeps-baseline",
        (125.6, -73.9),
        "Gates by automorphisms in two sweeps (LMKCDEY), steps of up to 10: for comparisons.",
        by(
            Rotation::TwoSweeps { window: 10 },
            gate((640, -13.15), (1_320_961, 10, -22.83), (3, 6, 3), (1, 11, 32), -64.0),
        ),
    ),
    named(
        "ntru-gate-64-hybrid-window-baseline",
        (125.6, -65.3),
        "Gates by automorphisms in one sweep, our reading of the hybrid window size: for comparisons.",
        by(
            Rotation::OneSweep { window: 10 },
            gate((704, -14.81), (1_320_961, 10, -22.83), (4, 5, 2), (2, 6, 32), -64.0),
        ),
    ),
    named(
        "ntru-gate-64-blocks-experimental",
        (125.6, -76.5),
        "Gates with a small secret of one-hot blocks.",
        in_blocks(8, gate((896, -14.12), (1_320_961, 10, -22.83), (4, 4, 5), (2, 6, 32), -64.0)),
    ),
    named(
        "ntru-gate-64-sparse-experimental",
        (125.6, -77.7),
        "Gates with a small secret of few ones.",
        in_buckets(80, 192, gate((768, -13.98), (1_320_961, 10, -22.83), (3, 5, 5), (2, 6, 32), -64.0)),
    ),
    named(
        "ntru-integer-2-64-blocks-experimental",
        (127.5, -71.2),
        "Integers of 2 bits, with a small secret of one-hot blocks.",
        of_integers(2, in_blocks(8, gate((1024, -17.09), (134_176_769, 11, -48.32), (8, 2, 10), (4, 3, 32), -64.0))),
    ),
    named(
        "ntru-integer-4-64-blocks-experimental",
        (127.5, -73.7),
        "Integers of 4 bits, with a small secret of one-hot blocks.",
        of_integers(4, in_blocks(8, gate((1024, -17.09), (268_369_921, 11, -48.32), (5, 4, 7), (2, 7, 32), -64.0))),
    ),
    named(
        "ntru-insecure-xzd-p128t",
        (121.0, -22.4),
        "XZD+23's ternary set with this library's key switch: below 128 bits today, for comparisons only.",
        NtruNumbers {
            rotation: Rotation::Automorphisms,
            secret: SmallSecret::Ternary,
            insecure: true,
            ..gate((512, -12.33), (995_329, 10, -22.83), (4, 5, 0), (1, 12, 32), -20.0)
        },
    ),
    named(
        "ntru-insecure-final",
        (114.7, -54.0),
        "FINAL's LWE set with a ternary f, the nearest prime and this library's key switch: likewise.",
        NtruNumbers {
            rotation: Rotation::Sequential,
            insecure: true,
            ..gate((610, -14.37), (921_601, 10, -22.83), (4, 5, 0), (1, 12, 1), -50.0)
        },
    ),
];
