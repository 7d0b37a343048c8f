//! TFHE's literals in short form, and how most of them are made.

use everlevel_ring::WordGadget as Gadget;

use crate::common::{KeySwitch, Landing, Order, Space};
use crate::secrets::{Secrets, SmallSecret};
use crate::tfhe::ParamsLiteral;

/// A literal of TFHE's in short form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TfheNumbers {
    pub(super) torus_bits: u32,
    /// Small dimension and its deviation.
    pub(super) lwe: (usize, f64),
    /// Rank, log2 of the degree, deviation.
    pub(super) glwe: (usize, u32, f64),
    pub(super) secrets: Secrets,
    pub(super) landings: &'static [LandingNumbers],
    pub(super) log2_extension: u32,
    pub(super) bits_per_step: usize,
    /// Base and digits of the masks' gadget.
    pub(super) mask: (u32, u32),
    /// Base and digits of the body's gadget.
    pub(super) body: (u32, u32),
    /// Base, digits and ring of the key switch.
    pub(super) key_switch: (u32, u32, usize),
    pub(super) order: Order,
    pub(super) space: Space,
    pub(super) squared_norm: f64,
    pub(super) max_log2_p_fail: f64,
    pub(super) insecure: bool,
}

/// An intermediate secret of a key-switch chain: dimension, deviation; base, digits and ring of the switch to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LandingNumbers(pub usize, pub f64, pub (u32, u32, usize));

impl LandingNumbers {
    fn landing(&self) -> Landing {
        Landing { dim: self.0, log2_std_dev: self.1, key_switch: key_switch(self.2) }
    }
}

pub(super) fn key_switch((log2_base, digits, ring): (u32, u32, usize)) -> KeySwitch {
    KeySwitch { gadget: Gadget::new(log2_base, digits), ring }
}

impl TfheNumbers {
    pub(super) fn literal(&self) -> ParamsLiteral {
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

    /// Secrets of the literal's structure, for the insecure literal's dimensions.
    fn insecure_secrets(&self, log_n: u32) -> Secrets {
        let drawn = self.secrets.drawn.map(|_| (3 << log_n) / 4);
        Secrets { drawn, shared: self.secrets.shared.min(INSECURE_DIM), ..self.secrets }
    }

    fn insecure_landings(&self, log_n: u32) -> Vec<Landing> {
        let dim = |i: usize| INSECURE_DIM + (1 << log_n) / (4 << i);
        let landing = |i| Landing { dim: dim(i), log2_std_dev: -28.0, key_switch: INSECURE_SWITCH };
        (0..self.landings.len()).map(landing).collect()
    }

    pub(super) fn insecure_literal(&self, log_n: u32) -> ParamsLiteral {
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

/// The small dimension without any security.
pub(super) const INSECURE_DIM: usize = 32;
/// The key switch to the small secret without any security.
pub(super) const INSECURE_SWITCH: KeySwitch = KeySwitch { gadget: Gadget::new(4, 6), ring: 32 };

/// Secrets of which all coefficients are drawn.
const USUAL: Secrets = Secrets { small: SmallSecret::Binary, drawn: None, shared: 0 };

/// The default set of the 2016 library, in its order, with our key switch and either gadget.
pub(super) const fn tfhe_lib(mask: (u32, u32), body: (u32, u32)) -> TfheNumbers {
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

pub(super) const fn gate(
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
        order: Order::KeySwitchFirst,
        space: Space::Bit,
        squared_norm: 4.0,
        max_log2_p_fail,
        insecure: false,
    }
}

/// The squared norm of `2^⌈bits/2⌉·x + y`, generously rounded.
pub(super) const fn integers_norm(bits: u32) -> f64 {
    let norm = (1u32 << bits.div_ceil(2)) as f64 + 1.0;
    norm * norm
}

/// A set of integers: `squared_norm` allows `2^⌈bits/2⌉·x + y` of bootstrapped ciphertexts.
pub(super) const fn integer(
    bits: u32,
    lwe: (usize, f64),
    glwe: (usize, u32, f64),
    gadgets: ((u32, u32), (u32, u32)),
    key_switch: (u32, u32, usize),
    max_log2_p_fail: f64,
) -> TfheNumbers {
    let gates = gate(lwe, glwe, gadgets, key_switch, max_log2_p_fail);
    TfheNumbers { space: Space::Integer { bits }, squared_norm: integers_norm(bits), ..gates }
}

/// A set of integers **without any security**: a small secret of `dim` coefficients, and one digit wherever there are
/// digits, so that a table takes microseconds. Its failure probability is by the formulas, as everywhere.
pub(super) const fn toy(bits: u32, dim: usize, log_n: u32, max_log2_p_fail: f64) -> TfheNumbers {
    let gadgets = ((16, 1), (16, 1));
    let numbers = integer(bits, (dim, -30.0), (1, log_n, -56.0), gadgets, (14, 1, dim), max_log2_p_fail);
    TfheNumbers { insecure: true, ..numbers }
}

/// The numbers with a step of a blind rotation for each two bits.
pub(super) const fn in_twos(numbers: TfheNumbers) -> TfheNumbers {
    TfheNumbers { bits_per_step: 2, ..numbers }
}

/// The numbers with tables of `2^log2_extension` times as many coefficients.
pub(super) const fn extended(log2_extension: u32, numbers: TfheNumbers) -> TfheNumbers {
    TfheNumbers { log2_extension, ..numbers }
}
