//! Named sets: parameters with claims, each of which a test recomputes (`tests/claims.rs`).

mod blocks;
mod ntru;
mod shared;

use everlevel_ring::WordGadget as Gadget;

use crate::Error;
use crate::common::{KeySwitch, Landing, Order, Space};
use crate::params::{Literal, Params};
use crate::secrets::{Secrets, SmallSecret};
use crate::tfhe::ParamsLiteral;
use ntru::NtruNumbers;

/// A named set of parameters, and the claims about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NamedSet {
    /// Its name: `gate` or `integer-BITS`, then log2 of the failure probability that the set stays below. Names of
    /// NTRU's sets begin with `ntru`, and what follows with `insecure` where they are below 128 bits. Names end with
    /// `experimental` where security rests on [assumptions](NamedSet::assumptions) of their own.
    pub name: &'static str,
    /// Cheapest attack on any of the secrets under MATZOV ([`everlevel_security::torus`]).
    pub security_bits: f64,
    /// log2 of the failure probability of a bootstrap whose input has the largest accepted `squared_norm`.
    pub log2_p_fail: f64,
    /// One sentence for people.
    pub about: &'static str,
    numbers: Numbers,
}

/// A scheme's literal in short form.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Numbers {
    Tfhe(TfheNumbers),
    Ntru(NtruNumbers),
}

/// A literal of TFHE's in short form.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TfheNumbers {
    torus_bits: u32,
    /// Small dimension and its deviation.
    lwe: (usize, f64),
    /// Rank, log2 of the degree, deviation.
    glwe: (usize, u32, f64),
    secrets: Secrets,
    landings: &'static [LandingNumbers],
    log2_extension: u32,
    bits_per_step: usize,
    /// Base and digits of the masks' gadget.
    mask: (u32, u32),
    /// Base and digits of the body's gadget.
    body: (u32, u32),
    /// Base, digits and ring of the key switch.
    key_switch: (u32, u32, usize),
    order: Order,
    space: Space,
    squared_norm: f64,
    max_log2_p_fail: f64,
    insecure: bool,
}

/// A secret on the stair of key switches: dimension, deviation; base, digits and ring of the switch to it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct LandingNumbers(usize, f64, (u32, u32, usize));

impl LandingNumbers {
    fn landing(&self) -> Landing {
        Landing { dim: self.0, log2_std_dev: self.1, key_switch: key_switch(self.2) }
    }
}

fn key_switch((log2_base, digits, ring): (u32, u32, usize)) -> KeySwitch {
    KeySwitch { gadget: Gadget::new(log2_base, digits), ring }
}

impl TfheNumbers {
    fn literal(&self) -> ParamsLiteral {
        let x = self;
        ParamsLiteral {
            torus_bits: x.torus_bits,
            lwe_dim: x.lwe.0,
            lwe_log2_std_dev: x.lwe.1,
            rank: x.glwe.0,
            log_n: x.glwe.1,
            log2_extension: x.log2_extension,
            bits_per_step: x.bits_per_step,
            glwe_log2_std_dev: x.glwe.2,
            secrets: x.secrets,
            mask_gadget: Gadget::new(x.mask.0, x.mask.1),
            body_gadget: Gadget::new(x.body.0, x.body.1),
            landings: x.landings.iter().map(LandingNumbers::landing).collect(),
            key_switch: key_switch(x.key_switch),
            order: x.order,
            space: x.space,
            squared_norm: x.squared_norm,
            max_log2_p_fail: x.max_log2_p_fail,
            insecure: x.insecure,
        }
    }

    /// Of as much structure, for the insecure literal's dimensions.
    fn insecure_secrets(&self, log_n: u32) -> Secrets {
        let drawn = self.secrets.drawn.map(|_| (3 << log_n) / 4);
        Secrets { drawn, shared: self.secrets.shared.min(INSECURE_DIM), ..self.secrets }
    }

    fn insecure_landings(&self, log_n: u32) -> Vec<Landing> {
        let dim = |i: usize| INSECURE_DIM + (1 << log_n) / (4 << i);
        let landing = |i| Landing { dim: dim(i), log2_std_dev: -28.0, key_switch: INSECURE_SWITCH };
        (0..self.landings.len()).map(landing).collect()
    }

    fn insecure_literal(&self, log_n: u32) -> ParamsLiteral {
        let (deviation, gadget) = match self.torus_bits {
            32 => (-28.0, Gadget::new(7, 3)),
            _ => (-58.0, Gadget::new(15, 2)),
        };
        ParamsLiteral {
            lwe_dim: INSECURE_DIM,
            lwe_log2_std_dev: -28.0,
            rank: 1,
            log_n,
            log2_extension: 0,
            glwe_log2_std_dev: deviation,
            secrets: self.insecure_secrets(log_n),
            landings: self.insecure_landings(log_n),
            mask_gadget: gadget,
            body_gadget: gadget,
            key_switch: INSECURE_SWITCH,
            insecure: true,
            ..self.literal()
        }
    }
}

/// In the names of sets below 128 bits.
const INSECURE: &str = "insecure-";
/// In the names of sets that rest on assumptions of their own.
const EXPERIMENTAL: &str = "-experimental";

/// The small dimension without any security.
const INSECURE_DIM: usize = 32;
/// The key switch to it.
const INSECURE_SWITCH: KeySwitch = KeySwitch { gadget: Gadget::new(4, 6), ring: 32 };

impl NamedSet {
    /// The unchecked parameters, for variations.
    pub fn literal(&self) -> Literal {
        match &self.numbers {
            Numbers::Tfhe(numbers) => numbers.literal().into(),
            Numbers::Ntru(numbers) => numbers.literal().into(),
        }
    }

    /// The same space, order and failure probability at ring degree `2^log_n` and a small dimension, **without any
    /// security**: for tests, and for looking at how things work.
    pub fn insecure_literal(&self, log_n: u32) -> Literal {
        match &self.numbers {
            Numbers::Tfhe(numbers) => numbers.insecure_literal(log_n).into(),
            Numbers::Ntru(numbers) => numbers.insecure_literal(log_n).into(),
        }
    }

    /// What is assumed to be secure besides the field's usual assumptions: nothing, but for experimental sets.
    pub fn assumptions(&self) -> Vec<&'static str> {
        self.literal().scheme().common().assumptions()
    }

    /// Whether the set is NTRU's.
    pub fn is_ntru(&self) -> bool {
        matches!(self.numbers, Numbers::Ntru(_))
    }

    /// The parameters.
    ///
    /// # Errors
    /// None for the sets of [`ALL`]: a test makes each.
    pub fn params(&self) -> Result<Params, Error> {
        Params::try_from(self.literal())
    }
}

/// The set that has this name.
///
/// # Errors
/// [`Error::InsecureSet`] and [`Error::ExperimentalSet`] where a set's name says that it is such, and this one doesn't;
/// [`Error::UnknownSet`] with the names that its scheme has.
pub fn find(name: &str) -> Result<&'static NamedSet, Error> {
    if let Some(set) = ALL.iter().find(|set| set.name == name) {
        return Ok(set);
    }
    let short = |set: &&NamedSet| {
        let secure = set.name.replacen(INSECURE, "", 1);
        [set.name.replacen(EXPERIMENTAL, "", 1), secure.replacen(EXPERIMENTAL, "", 1), secure].contains(&name.into())
    };
    Err(match ALL.iter().find(short) {
        Some(&NamedSet { name: spelled, security_bits, .. }) if spelled.contains(INSECURE) => {
            Error::InsecureSet { name: name.into(), security_bits, spelled }
        }
        Some(&NamedSet { name: spelled, .. }) => Error::ExperimentalSet { name: name.into(), spelled },
        None => {
            let scheme = |set: &&NamedSet| set.is_ntru() == name.starts_with("ntru-");
            let known = ALL.iter().filter(scheme).map(|set| set.name).collect();
            Error::UnknownSet { name: name.into(), known }
        }
    })
}

/// Secrets of which all coefficients are drawn.
const USUAL: Secrets = Secrets { small: SmallSecret::Binary, drawn: None, shared: 0 };
const KEY_SWITCH_FIRST: Order = Order::KeySwitchFirst;

/// The default set of the 2016 library, in its order, with our key switch and either gadget.
const fn tfhe_lib(mask: (u32, u32), body: (u32, u32)) -> TfheNumbers {
    TfheNumbers {
        torus_bits: 32,
        lwe: (630, -15.0),
        glwe: (1, 10, -25.0),
        secrets: USUAL,
        landings: &[],
        log2_extension: 0,
        bits_per_step: 1,
        mask,
        body,
        key_switch: (3, 4, 1),
        order: Order::BootstrapFirst,
        space: Space::Bit,
        squared_norm: 4.0,
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
) -> TfheNumbers {
    TfheNumbers {
        torus_bits: 64,
        lwe,
        glwe,
        secrets: USUAL,
        landings: &[],
        log2_extension: 0,
        bits_per_step: 1,
        mask,
        body,
        key_switch,
        order: KEY_SWITCH_FIRST,
        space: Space::Bit,
        squared_norm: 4.0,
        max_log2_p_fail,
        insecure: false,
    }
}

/// The squared norm of `2^⌈bits/2⌉·x + y`, generously rounded.
const fn integers_norm(bits: u32) -> f64 {
    let norm = (1u32 << bits.div_ceil(2)) as f64 + 1.0;
    norm * norm
}

/// A set of integers: `squared_norm` allows `2^⌈bits/2⌉·x + y` of bootstrapped ciphertexts.
const fn integer(
    bits: u32,
    lwe: (usize, f64),
    glwe: (usize, u32, f64),
    (mask, body): ((u32, u32), (u32, u32)),
    key_switch: (u32, u32, usize),
    max_log2_p_fail: f64,
) -> TfheNumbers {
    TfheNumbers {
        torus_bits: 64,
        lwe,
        glwe,
        secrets: USUAL,
        landings: &[],
        log2_extension: 0,
        bits_per_step: 1,
        mask,
        body,
        key_switch,
        order: KEY_SWITCH_FIRST,
        space: Space::Integer { bits },
        squared_norm: integers_norm(bits),
        max_log2_p_fail,
        insecure: false,
    }
}

/// The same parameters with a step of a blind rotation for each two bits.
const fn in_twos(numbers: TfheNumbers) -> TfheNumbers {
    TfheNumbers { bits_per_step: 2, ..numbers }
}

/// The same parameters with tables of `2^log2_extension` times as many coefficients.
const fn extended(log2_extension: u32, numbers: TfheNumbers) -> TfheNumbers {
    TfheNumbers { log2_extension, ..numbers }
}

const fn named(
    name: &'static str,
    (security_bits, log2_p_fail): (f64, f64),
    about: &'static str,
    numbers: TfheNumbers,
) -> NamedSet {
    NamedSet { name, security_bits, log2_p_fail, about, numbers: Numbers::Tfhe(numbers) }
}

/// Every named set: TFHE's, its experimental ones, and then NTRU's.
pub const ALL: &[NamedSet] = &joined::<{ TFHE.len() + shared::ALL.len() + blocks::ALL.len() + ntru::ALL.len() }>();

const fn joined<const COUNT: usize>() -> [NamedSet; COUNT] {
    let mut all = [TFHE[0]; COUNT];
    let mut i = 0;
    while i < COUNT {
        let first = TFHE.len();
        let second = first + shared::ALL.len();
        let third = second + blocks::ALL.len();
        all[i] = match i {
            i if i < first => TFHE[i],
            i if i < second => shared::ALL[i - first],
            i if i < third => blocks::ALL[i - second],
            i => ntru::ALL[i - third],
        };
        i += 1;
    }
    all
}

/// TFHE's.
const TFHE: &[NamedSet] = &[
    named(
        "insecure-tfhe-lib",
        (114.3, -82.0),
        "The 2016 library's default set with half products: below 128 bits today, for comparisons only.",
        tfhe_lib((8, 2), (7, 2)),
    ),
    named(
        "insecure-tfhe-lib-seven",
        (114.3, -102.2),
        "The same, three digits for the mask and two for the body.",
        tfhe_lib((7, 3), (7, 2)),
    ),
    named(
        "insecure-tfhe-lib-full",
        (114.3, -99.7),
        "The same with full products, three digits for each.",
        tfhe_lib((7, 3), (7, 3)),
    ),
    named(
        "gate-64",
        (128.1, -65.0),
        "Gates; any gate on what any gate or MUX gives.",
        in_twos(gate((640, -13.15), (3, 9, -35.57), ((17, 1), (16, 1)), (1, 10, 32), -64.0)),
    ),
    named(
        "gate-128",
        (128.2, -132.8),
        "Gates that fail more rarely.",
        in_twos(gate((672, -13.98), (3, 9, -35.57), ((17, 1), (16, 1)), (2, 6, 32), -128.0)),
    ),
    named(
        "integer-1-64",
        (128.1, -70.9),
        "Integers of 1 bit, carries among them.",
        in_twos(integer(1, (640, -13.15), (3, 9, -35.57), ((17, 1), (16, 1)), (1, 11, 32), -64.0)),
    ),
    named(
        "integer-2-64",
        (128.1, -66.5),
        "Integers of 2 bits, carries among them.",
        integer(2, (704, -14.81), (3, 9, -35.57), ((17, 1), (16, 1)), (1, 13, 32), -64.0),
    ),
    named(
        "integer-3-64",
        (128.2, -66.9),
        "Integers of 3 bits, carries among them.",
        in_twos(integer(3, (736, -15.64), (2, 10, -48.32), ((20, 1), (19, 1)), (1, 13, 32), -64.0)),
    ),
    named(
        "integer-4-64",
        (128.4, -74.2),
        "Integers of 4 bits, carries among them.",
        in_twos(integer(4, (800, -17.25), (1, 11, -48.32), ((21, 1), (20, 1)), (2, 7, 32), -64.0)),
    ),
    named(
        "integer-5-64",
        (128.6, -68.2),
        "Integers of 5 bits, carries among them.",
        extended(1, integer(5, (832, -18.05), (1, 11, -48.32), ((23, 1), (21, 1)), (2, 8, 32), -64.0)),
    ),
    named(
        "integer-6-64",
        (128.9, -66.6),
        "Integers of 6 bits, carries among them.",
        extended(2, integer(6, (896, -19.64), (1, 11, -48.32), ((23, 1), (21, 1)), (1, 17, 32), -64.0)),
    ),
    named(
        "integer-7-64",
        (129.0, -69.3),
        "Integers of 7 bits, carries among them.",
        extended(3, integer(7, (928, -20.44), (1, 11, -48.32), ((17, 2), (21, 1)), (2, 9, 32), -64.0)),
    ),
    named(
        "integer-8-64",
        (129.2, -68.2),
        "Integers of 8 bits, carries among them.",
        extended(4, integer(8, (960, -21.23), (1, 11, -48.32), ((14, 2), (14, 2)), (2, 9, 32), -64.0)),
    ),
    named(
        "integer-1-128",
        (128.2, -128.4),
        "Integers of 1 bit, carries among them.",
        in_twos(integer(1, (672, -13.98), (3, 9, -35.57), ((17, 1), (15, 1)), (1, 12, 32), -128.0)),
    ),
    named(
        "integer-2-128",
        (128.1, -138.2),
        "Integers of 2 bits, carries among them.",
        in_twos(integer(2, (704, -14.81), (2, 10, -48.32), ((21, 1), (20, 1)), (1, 13, 32), -128.0)),
    ),
    named(
        "integer-3-128",
        (128.4, -132.4),
        "Integers of 3 bits, carries among them.",
        in_twos(integer(3, (800, -17.25), (2, 10, -48.32), ((21, 1), (20, 1)), (2, 7, 32), -128.0)),
    ),
    named(
        "integer-4-128",
        (128.6, -128.8),
        "Integers of 4 bits, carries among them.",
        in_twos(integer(4, (832, -18.05), (1, 11, -48.32), ((22, 1), (21, 1)), (1, 15, 32), -128.0)),
    ),
    named(
        "integer-5-128",
        (128.9, -133.9),
        "Integers of 5 bits, carries among them.",
        extended(1, integer(5, (896, -19.64), (1, 11, -48.32), ((16, 2), (20, 1)), (2, 8, 32), -128.0)),
    ),
    named(
        "integer-6-128",
        (129.0, -128.6),
        "Integers of 6 bits, carries among them.",
        extended(2, integer(6, (928, -20.44), (1, 11, -48.32), ((17, 2), (21, 1)), (1, 17, 32), -128.0)),
    ),
    named(
        "integer-7-128",
        (129.2, -128.1),
        "Integers of 7 bits, carries among them.",
        extended(3, integer(7, (960, -21.23), (1, 11, -48.32), ((15, 2), (14, 2)), (1, 20, 32), -128.0)),
    ),
    named(
        "integer-8-128",
        (129.4, -130.3),
        "Integers of 8 bits, carries among them.",
        extended(4, integer(8, (1024, -22.83), (1, 11, -48.32), ((15, 2), (14, 2)), (1, 20, 32), -128.0)),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_insecure_parameters_of_degrees_that_hold_its_messages() {
        for set in ALL {
            let log_n = if matches!(set.params().unwrap().space, Space::Integer { bits: 6.. }) { 13 } else { 10 };
            let params = Params::try_from(set.insecure_literal(log_n)).unwrap();
            assert!(params.insecure && params.space == set.params().unwrap().space, "{}", set.name);
        }
    }
}
