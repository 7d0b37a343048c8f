//! TFHE's parameters: an unchecked literal ([`ParamsLiteral`]) and the validated parameters that are made of it
//! ([`Params`]). They are numbers only; tables and keys are made from them elsewhere.

use everlevel_math::fft::Digits;
use everlevel_ring::WordGadget as Gadget;
use everlevel_rlwe::lwe::SwitchShape;
use everlevel_security::torus;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::noise::{self, Noise};

/// How a large LWE ciphertext becomes a small one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KeySwitch {
    /// The gadget of the key switch.
    pub gadget: Gadget,
    /// Degree `N'` of the ring in which the small secret lives, so that one key row serves `N'` coefficients: the key
    /// is `N'` times smaller, and the small secret is one of GLWE over that ring. 1 is plain LWE. Divides both the
    /// small and the large dimension.
    pub ring: usize,
}

/// Whether the key switch comes first or last in a bootstrap, and so under which secret ciphertexts are between two
/// bootstraps: under the large one if the key switch comes first, under the small one if it comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Order {
    /// Ciphertexts of `rank·N` coefficients: less noise enters a bootstrap.
    KeySwitchFirst,
    /// Ciphertexts of `lwe_dim` coefficients: smaller ones.
    BootstrapFirst,
}

/// The messages that a ciphertext may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Space {
    /// One bit, at ±1/8 of the torus.
    Bit,
    /// An integer below `2^bits`, with one bit of padding above it: `m` is at `m/2^(bits+1)`.
    Integer {
        /// Number of bits, message and carry together.
        bits: u32,
    },
}

impl Space {
    /// The largest message.
    pub fn max(self) -> u64 {
        match self {
            Self::Bit => 1,
            Self::Integer { bits } => (1 << bits) - 1,
        }
    }

    /// Where a message is on the torus.
    pub fn encode(self, message: u64) -> u64 {
        match self {
            Self::Bit => EIGHTH.wrapping_mul(message.wrapping_mul(2).wrapping_sub(1)),
            Self::Integer { bits } => message.wrapping_shl(63 - bits),
        }
    }
}

/// A bit is at `±1/8`.
pub(crate) const EIGHTH: u64 = 1 << 61;

/// Unchecked parameters. Standard deviations are log2 of parts of the torus.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParamsLiteral {
    /// Bits of the word that stands for the torus during blind rotation: 32 or 64.
    pub torus_bits: u32,
    /// Dimension `n` of the small secret.
    pub lwe_dim: usize,
    /// Standard deviation of the errors of the small secret's samples.
    pub lwe_log2_std_dev: f64,
    /// Rank `k` of the GLWE secret.
    pub rank: usize,
    /// log2 of the GLWE ring's degree `N`.
    pub log_n: u32,
    /// log2 of the extension `E`: tables have `E·N` coefficients, and the modulus switch goes to `2EN`; an accumulator
    /// is `E` GLWE ciphertexts of degree `N` (Lee and Yoon, PKC 2023). 0 stands for no extension.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub log2_extension: u32,
    /// Standard deviation of the errors of the GLWE secret's samples.
    pub glwe_log2_std_dev: f64,
    /// Bits of the small secret that one step of a blind rotation takes: 1, or 2 with three encryptions for each pair
    /// instead of two, half the transforms and more noise (unrolled; Bourse, Minelli, Minihold and Paillier, CRYPTO
    /// 2018).
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub bits_per_step: usize,
    /// Gadget of the masks in an external product.
    pub mask_gadget: Gadget,
    /// Gadget of the body in an external product.
    pub body_gadget: Gadget,
    /// The key switch.
    pub key_switch: KeySwitch,
    /// The order of key switch and bootstrap.
    pub order: Order,
    /// The messages that ciphertexts hold.
    pub space: Space,
    /// Largest accepted sum of squares of the coefficients with which bootstrapped ciphertexts are combined between two
    /// bootstraps.
    #[serde(rename = "norm2")]
    pub squared_norm: f64,
    /// log2 of the largest accepted failure probability of one bootstrap.
    pub max_log2_p_fail: f64,
    /// Whether noise below the 128-bit line is accepted.
    pub insecure: bool,
}

/// Validated parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    literal: ParamsLiteral,
    noise: Noise,
}

impl ParamsLiteral {
    /// Ring degree `N`.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// Extension `E`: GLWE ciphertexts of an accumulator.
    pub fn extension(&self) -> usize {
        1 << self.log2_extension
    }

    /// Coefficients `E·N` of a table.
    pub fn table_len(&self) -> usize {
        1 << self.log_table_len()
    }

    /// log2 of [`ParamsLiteral::table_len`].
    pub fn log_table_len(&self) -> u32 {
        self.log_n + self.log2_extension
    }

    /// Dimension `kN` of the large secret.
    pub fn big_dim(&self) -> usize {
        self.rank * self.n()
    }

    /// GGSW ciphertexts of a bootstrapping key: one for each bit, or three for each two.
    pub fn ggsws(&self) -> usize {
        self.steps() * ((1 << self.bits_per_step) - 1)
    }

    /// Steps of a blind rotation.
    pub fn steps(&self) -> usize {
        self.lwe_dim / self.bits_per_step
    }

    /// The shape of the key switch.
    pub fn switch_shape(&self) -> SwitchShape {
        let KeySwitch { gadget, ring } = self.key_switch;
        SwitchShape { gadget, degree: ring, from_dim: self.big_dim(), to_dim: self.lwe_dim }
    }

    /// Digits of one GLWE ciphertext in an external product: rows of a GGSW matrix, and forward transforms.
    pub fn rows(&self) -> usize {
        self.rank * self.mask_gadget.digits as usize + self.body_gadget.digits as usize
    }

    /// Transforms of one external product, forward and inverse.
    pub fn transforms(&self) -> usize {
        self.rows() + self.rank + 1
    }

    /// Half the distance between neighbouring messages, as a part of the torus: noise must not exceed it.
    pub fn margin_torus(&self) -> f64 {
        match self.space {
            Space::Bit => 0.125,
            Space::Integer { bits } => (-f64::from(bits) - 2.0).exp2(),
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
fn is_zero(x: &u32) -> bool {
    *x == 0
}

fn one() -> usize {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
fn is_one(x: &usize) -> bool {
    *x == 1
}

fn refuse<T>(what: &'static str, found: impl ToString, needed: impl Into<String>) -> Result<T, Error> {
    Err(Error::Parameter { what, found: found.to_string(), needed: needed.into() })
}

impl TryFrom<ParamsLiteral> for Params {
    type Error = Error;

    fn try_from(literal: ParamsLiteral) -> Result<Self, Error> {
        Self::above(literal, torus::min_log2_std_dev)
    }
}

impl Params {
    /// The parameters of keys that exist: those made by earlier versions have the published line's noise.
    pub(crate) fn of_keys(literal: ParamsLiteral) -> Result<Self, Error> {
        Self::above(literal, torus::published_log2_std_dev)
    }

    /// Validated parameters, with noise above a security line.
    fn above(literal: ParamsLiteral, line: fn(usize, u32) -> Option<f64>) -> Result<Self, Error> {
        let l = &literal;
        if !matches!(l.torus_bits, 32 | 64) {
            return refuse("torus_bits", l.torus_bits, "32 or 64");
        }
        if !(8..=16).contains(&l.log_n) {
            return refuse("log_n", l.log_n, "8 to 16");
        }
        if l.log2_extension > 20 - l.log_n {
            return refuse("log2_extension", l.log2_extension, format!("0 to {}", 20 - l.log_n));
        }
        if !(1..=8).contains(&l.rank) {
            return refuse("rank", l.rank, "1 to 8");
        }
        if !(1..=4096).contains(&l.lwe_dim) {
            return refuse("lwe_dim", l.lwe_dim, "1 to 4096");
        }
        if !(1..=2).contains(&l.bits_per_step) || !l.lwe_dim.is_multiple_of(l.bits_per_step) {
            return refuse("bits_per_step", l.bits_per_step, format!("1, or 2 if lwe_dim = {} is even", l.lwe_dim));
        }
        if l.bits_per_step > 1 && l.log2_extension > 0 {
            return refuse("bits_per_step", l.bits_per_step, "1 where tables are extended");
        }
        for (what, gadget, bits) in [
            ("mask_gadget", l.mask_gadget, l.torus_bits - Digits::LOW_BITS),
            ("body_gadget", l.body_gadget, l.torus_bits - Digits::LOW_BITS),
            ("key_switch.gadget", l.key_switch.gadget, 31),
        ] {
            if gadget.log2_base == 0 || gadget.digits == 0 || gadget.bits() > bits || gadget.log2_base > 30 {
                let found = format!("{} digits of {} bits", gadget.digits, gadget.log2_base);
                return refuse(what, found, format!("1 or more digits of 1 to 30 bits, {bits} bits together"));
            }
        }
        let ring = l.key_switch.ring;
        if !ring.is_power_of_two() || !l.lwe_dim.is_multiple_of(ring) || !l.n().is_multiple_of(ring) {
            let needed = format!("a power of two that divides lwe_dim = {} and N = {}", l.lwe_dim, l.n());
            return refuse("key_switch.ring", ring, needed);
        }
        if let Space::Integer { bits } = l.space
            && !(1..=8.min(l.log_table_len() - 1)).contains(&bits)
        {
            return refuse("space bits", bits, format!("1 to {}", 8.min(l.log_table_len() - 1)));
        }
        for (what, dim, found, bits) in [
            ("lwe_log2_std_dev", l.lwe_dim, l.lwe_log2_std_dev, 32),
            ("glwe_log2_std_dev", l.big_dim(), l.glwe_log2_std_dev, l.torus_bits),
        ] {
            if !(2.0 - f64::from(bits)..=-4.0).contains(&found) {
                return refuse(what, found, format!("{} to -4", 2 - bits as i32));
            }
            match line(dim, bits) {
                // Published deviations are rounded to two decimals.
                Some(line) if found >= line - 0.005 => {}
                _ if l.insecure => {}
                Some(line) => {
                    return Err(Error::NoiseTooNarrow { what, dim, log2_std_dev: found, min_log2_std_dev: line });
                }
                None => {
                    return refuse(
                        what,
                        format!("dimension {dim}"),
                        "a dimension of 500 or more, or `insecure` spelled out",
                    );
                }
            }
        }
        if !(l.squared_norm >= 1.0 && l.squared_norm.is_finite()) {
            return refuse("squared_norm", l.squared_norm, "1 or more");
        }
        let noise = Noise::new(l);
        let log2_p_fail = noise::log2_p_fail(l.margin_torus(), noise.at_table(l.squared_norm * noise.bootstrapped));
        if log2_p_fail.is_nan() || l.max_log2_p_fail.is_nan() || log2_p_fail > l.max_log2_p_fail {
            return Err(Error::FailureTooLikely { log2_p_fail, max_log2_p_fail: l.max_log2_p_fail });
        }
        Ok(Self { literal, noise })
    }

    /// The literal, with every number as it was given.
    pub fn literal(&self) -> &ParamsLiteral {
        &self.literal
    }

    /// Noise of every step, by the formulas of [`crate::noise`].
    pub fn noise(&self) -> &Noise {
        &self.noise
    }

    /// Dimension of ciphertexts between bootstraps.
    pub fn ciphertext_dim(&self) -> usize {
        match self.literal.order {
            Order::KeySwitchFirst => self.literal.big_dim(),
            Order::BootstrapFirst => self.literal.lwe_dim,
        }
    }

    /// log2 of the probability that a bootstrap fails whose input is a combination with coefficients of sum of squares
    /// `squared_norm`.
    pub fn log2_p_fail(&self, squared_norm: f64) -> f64 {
        let variance = self.noise.at_table(squared_norm * self.noise.bootstrapped);
        noise::log2_p_fail(self.literal.margin_torus(), variance)
    }

    /// Names parameters in keys and ciphertexts: a hash of every number.
    pub fn fingerprint(&self) -> u64 {
        // FNV-1a over the text, not for security, only for telling sets apart. The text has the names that fields had
        // when the first keys were written.
        let text = format!("{:?}", self.literal)
            .replace("WordGadget { log2_base", "Gadget { base_log2")
            .replace("squared_norm", "norm2");
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }
}

impl std::ops::Deref for Params {
    type Target = ParamsLiteral;
    fn deref(&self) -> &ParamsLiteral {
        &self.literal
    }
}
