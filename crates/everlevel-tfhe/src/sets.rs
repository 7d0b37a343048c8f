//! Named sets: parameters with claims, each of which a test recomputes (`tests/claims.rs`).

use crate::Error;
use crate::params::{Gadget, KeySwitch, Order, Params, ParamsLiteral, Space};

/// A set and what is claimed about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NamedSet {
    /// Its name: `gate` or `integer-BITS`, then log2 of the failure probability that it stays below.
    pub name: &'static str,
    /// Cheapest primal attack on either secret under MATZOV ([`everlevel_params::torus`]); dual hybrids cost some bits less.
    pub security_bits: f64,
    /// log2 of the failure probability of a bootstrap whose input has the largest accepted `norm2`.
    pub log2_p_fail: f64,
    /// One sentence for people.
    pub about: &'static str,
    numbers: Numbers,
}

/// A literal in short.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Numbers {
    torus_bits: u32,
    /// Small dimension and its deviation.
    lwe: (usize, f64),
    /// Rank, log2 of the degree, deviation.
    glwe: (usize, u32, f64),
    /// Base and digits of the masks' gadget.
    mask: (u32, u32),
    /// Base and digits of the body's gadget.
    body: (u32, u32),
    /// Base, digits and ring of the key switch.
    key_switch: (u32, u32, usize),
    order: Order,
    space: Space,
    norm2: f64,
    max_log2_p_fail: f64,
    insecure: bool,
}

impl NamedSet {
    /// The unchecked parameters, for variations.
    pub fn literal(&self) -> ParamsLiteral {
        let x = &self.numbers;
        ParamsLiteral {
            torus_bits: x.torus_bits,
            lwe_dim: x.lwe.0,
            lwe_log2_std_dev: x.lwe.1,
            rank: x.glwe.0,
            log_n: x.glwe.1,
            glwe_log2_std_dev: x.glwe.2,
            mask_gadget: Gadget::new(x.mask.0, x.mask.1),
            body_gadget: Gadget::new(x.body.0, x.body.1),
            key_switch: KeySwitch { gadget: Gadget::new(x.key_switch.0, x.key_switch.1), ring: x.key_switch.2 },
            order: x.order,
            space: x.space,
            norm2: x.norm2,
            max_log2_p_fail: x.max_log2_p_fail,
            insecure: x.insecure,
        }
    }

    /// The parameters.
    ///
    /// # Errors
    /// None for the sets of [`ALL`]: a test makes each.
    pub fn params(&self) -> Result<Params, Error> {
        Params::try_from(self.literal())
    }
}

/// The set of a name.
///
/// # Errors
/// [`Error::UnknownSet`] with the names there are.
pub fn find(name: &str) -> Result<&'static NamedSet, Error> {
    let unknown = || Error::UnknownSet { name: name.into(), known: ALL.iter().map(|set| set.name).collect() };
    ALL.iter().find(|set| set.name == name).ok_or_else(unknown)
}

const KEY_SWITCH_FIRST: Order = Order::KeySwitchFirst;

/// The default set of the 2016 library, in its order, with our key switch and either gadget.
const fn tfhe_lib(mask: (u32, u32), body: (u32, u32)) -> Numbers {
    Numbers {
        torus_bits: 32,
        lwe: (630, -15.0),
        glwe: (1, 10, -25.0),
        mask,
        body,
        key_switch: (3, 4, 1),
        order: Order::BootstrapFirst,
        space: Space::Bit,
        norm2: 4.0,
        max_log2_p_fail: -64.0,
        insecure: true,
    }
}

const fn gate(
    lwe: (usize, f64),
    glwe: (usize, u32, f64),
    (mask, body): ((u32, u32), (u32, u32)),
    key_switch: (u32, u32, usize),
    max_log2_p_fail: f64,
) -> Numbers {
    Numbers {
        torus_bits: 32,
        lwe,
        glwe,
        mask,
        body,
        key_switch,
        order: KEY_SWITCH_FIRST,
        space: Space::Bit,
        norm2: 4.0,
        max_log2_p_fail,
        insecure: false,
    }
}

/// A set of integers: `norm2` allows `2^⌈bits/2⌉·x + y` of bootstrapped ciphertexts, generously rounded.
const fn integer(
    bits: u32,
    lwe: (usize, f64),
    glwe: (usize, u32, f64),
    (mask, body): ((u32, u32), (u32, u32)),
    key_switch: (u32, u32, usize),
    max_log2_p_fail: f64,
) -> Numbers {
    let norm = (1u32 << bits.div_ceil(2)) as f64 + 1.0;
    Numbers {
        torus_bits: 64,
        lwe,
        glwe,
        mask,
        body,
        key_switch,
        order: KEY_SWITCH_FIRST,
        space: Space::Integer { bits },
        norm2: norm * norm,
        max_log2_p_fail,
        insecure: false,
    }
}

const fn named(
    name: &'static str,
    (security_bits, log2_p_fail): (f64, f64),
    about: &'static str,
    numbers: Numbers,
) -> NamedSet {
    NamedSet { name, security_bits, log2_p_fail, about, numbers }
}

/// Every set.
pub const ALL: &[NamedSet] = &[
    named(
        "tfhe-lib",
        (121.7, -130.0),
        "The 2016 library's default set, half products: below 128 bits today, for comparisons only.",
        tfhe_lib((8, 2), (7, 2)),
    ),
    named(
        "tfhe-lib-full",
        (121.7, -170.0),
        "The same with full products, three digits each.",
        tfhe_lib((7, 3), (7, 3)),
    ),
    named("tfhe-lib-seven", (121.7, -170.0), "The same with one digit fewer for the body.", tfhe_lib((7, 3), (7, 2))),
    named(
        "gate-64",
        (136.0, -64.0),
        "Gates.",
        gate((672, -14.06), (2, 9, -22.83), ((6, 3), (6, 2)), (2, 6, 32), -64.0),
    ),
    named(
        "gate-128",
        (136.0, -64.0),
        "Gates.",
        gate((704, -14.86), (2, 9, -22.83), ((6, 3), (6, 2)), (2, 6, 32), -64.0),
    ),
    named(
        "gate-64-1024",
        (136.0, -64.0),
        "Gates.",
        gate((672, -14.06), (1, 10, -22.83), ((6, 3), (6, 2)), (2, 6, 32), -64.0),
    ),
    named(
        "integer-4-128",
        (136.0, -64.0),
        "2_2.",
        integer(4, (832, -18.05), (1, 11, -48.32), ((23, 1), (23, 1)), (2, 8, 32), -128.0),
    ),
];
