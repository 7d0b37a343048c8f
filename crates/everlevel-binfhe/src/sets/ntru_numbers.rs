//! NTRU's literals in short form, and how most of them are made.

use everlevel_ring::PrimeGadget;

use super::tfhe_numbers::{INSECURE_DIM, INSECURE_SWITCH, integers_norm, key_switch};
use crate::common::{Order, Space};
use crate::ntru::{NtruLiteral, Rotation};
use crate::secrets::SmallSecret;

/// A literal of NTRU's in short form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NtruNumbers {
    /// Small dimension and its deviation.
    pub(super) lwe: (usize, f64),
    /// The prime, log2 of the degree, deviation of LWE samples under the secret's coefficients.
    pub(super) ring: (u32, u32, f64),
    /// Base, digits and dropped bits of the products.
    pub(super) gadget: (u32, u32, u32),
    pub(super) rotation: Rotation,
    pub(super) secret: SmallSecret,
    /// Base, digits and ring of the key switch.
    pub(super) key_switch: (u32, u32, usize),
    pub(super) space: Space,
    pub(super) squared_norm: f64,
    pub(super) max_log2_p_fail: f64,
    pub(super) insecure: bool,
}

impl NtruNumbers {
    pub(super) fn literal(&self) -> NtruLiteral {
        let x = self;
        NtruLiteral {
            modulus: x.ring.0,
            log_n: x.ring.1,
            lwe_dim: x.lwe.0,
            lwe_log2_std_dev: x.lwe.1,
            big_log2_std_dev: x.ring.2,
            gadget: PrimeGadget::new(x.gadget.0, x.gadget.1, x.gadget.2),
            rotation: x.rotation,
            secret: x.secret,
            key_switch: key_switch(x.key_switch),
            order: Order::KeySwitchFirst,
            space: x.space,
            squared_norm: x.squared_norm,
            max_log2_p_fail: x.max_log2_p_fail,
            insecure: x.insecure,
        }
    }

    pub(super) fn insecure_literal(&self, log_n: u32) -> NtruLiteral {
        let (secret, rotation) = match (self.secret, self.rotation) {
            (SmallSecret::OneHot { .. }, rotation) => (SmallSecret::OneHot { block: 8 }, rotation),
            (SmallSecret::Sparse { .. }, _) => (SmallSecret::Sparse { weight: 4 }, Rotation::Buckets { count: 16 }),
            both => both,
        };
        NtruLiteral {
            lwe_dim: INSECURE_DIM,
            secret,
            rotation,
            lwe_log2_std_dev: -28.0,
            log_n,
            key_switch: INSECURE_SWITCH,
            insecure: true,
            ..self.literal()
        }
    }
}

/// A set of gates of NTRU, by four keys.
pub(super) const fn gate(
    lwe: (usize, f64),
    ring: (u32, u32, f64),
    gadget: (u32, u32, u32),
    key_switch: (u32, u32, usize),
    max_log2_p_fail: f64,
) -> NtruNumbers {
    NtruNumbers {
        lwe,
        ring,
        gadget,
        rotation: Rotation::FourKeys,
        secret: SmallSecret::Binary,
        key_switch,
        space: Space::Bit,
        squared_norm: 4.0,
        max_log2_p_fail,
        insecure: false,
    }
}

/// The numbers with another rotation.
pub(super) const fn by(rotation: Rotation, numbers: NtruNumbers) -> NtruNumbers {
    NtruNumbers { rotation, ..numbers }
}

/// The numbers for integers.
pub(super) const fn of_integers(bits: u32, numbers: NtruNumbers) -> NtruNumbers {
    NtruNumbers { space: Space::Integer { bits }, squared_norm: integers_norm(bits), ..numbers }
}

/// The numbers for one-hot blocks.
pub(super) const fn in_blocks(block: usize, numbers: NtruNumbers) -> NtruNumbers {
    NtruNumbers { rotation: Rotation::Blocks, secret: SmallSecret::OneHot { block }, ..numbers }
}

/// The numbers for few ones, in buckets.
pub(super) const fn in_buckets(weight: usize, count: usize, numbers: NtruNumbers) -> NtruNumbers {
    NtruNumbers { rotation: Rotation::Buckets { count }, secret: SmallSecret::Sparse { weight }, ..numbers }
}
