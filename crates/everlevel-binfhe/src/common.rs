//! The numbers of a bootstrap that every scheme has: switches, orders, messages.

use std::ops::RangeInclusive;

use everlevel_rand::sampler::Gaussian;
use everlevel_ring::WordGadget as Gadget;
use everlevel_rlwe::lwe::SwitchShape;
use everlevel_security::SecretDistribution;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::secrets::Secrets;

/// The sampler of an error of `2^log2_std_dev` of the torus, in units of `2^-bits`.
pub(crate) fn gaussian(log2_std_dev: f64, bits: u32) -> Result<Gaussian, Error> {
    Ok(Gaussian::new((log2_std_dev + f64::from(bits)).exp2())?)
}

/// Mean square of a digit of mean zero in `[−B/2, B/2]` ([`everlevel_math::fft::Digits`]): `(B² + 2)/12`.
pub(crate) fn digit_square(gadget: Gadget) -> f64 {
    ((2.0 * f64::from(gadget.log2_base)).exp2() + 2.0) / 12.0
}

/// The key switch from a large LWE ciphertext to a small one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KeySwitch {
    /// The gadget of the key switch.
    pub gadget: Gadget,
    /// Degree `N'` of the ring in which the small secret lives, so that one key row serves `N'` coefficients: the key
    /// is `N'` times smaller, and the small secret is one of GLWE over that ring. 1 is plain LWE. Where it doesn't
    /// divide the small dimension, the small secret's last polynomial ends with zeros.
    pub ring: usize,
}

/// An intermediate secret of a key-switch chain from the large one to the small one: the large one's first
/// coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Landing {
    /// The secret's dimension.
    pub dim: usize,
    /// Standard deviation of the errors of samples under the secret.
    pub log2_std_dev: f64,
    /// The key switch that ends at the secret.
    pub key_switch: KeySwitch,
}

/// One of the key switches that lead from the large secret to the small one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SwitchStep {
    /// The key switch's shape.
    pub shape: SwitchShape,
    /// Standard deviation of the errors of the switch's key, whose samples are under the secret that the switch ends
    /// at.
    pub log2_std_dev: f64,
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

    /// The torus element of a message.
    pub fn encode(self, message: u64) -> u64 {
        match self {
            Self::Bit => EIGHTH.wrapping_mul(message.wrapping_mul(2).wrapping_sub(1)),
            Self::Integer { bits } => message.wrapping_shl(63 - bits),
        }
    }
}

/// A bit is at `±1/8`.
pub(crate) const EIGHTH: u64 = 1 << 61;

/// The numbers that gates, tables and the switches of LWE ciphertexts know of a scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct Common {
    /// Dimension `n` of the small secret.
    pub lwe_dim: usize,
    /// The structure of both secrets.
    pub secrets: Secrets,
    /// Standard deviation of the errors of the small secret's samples.
    pub lwe_log2_std_dev: f64,
    /// log2 of the degree `N` of the accumulators' ring.
    pub log_n: u32,
    /// log2 of the extension `E`: tables have `E·N` coefficients.
    pub log2_extension: u32,
    /// log2 of what the exponents of a rotation are multiples of: 1 where automorphisms take them, else 0.
    pub log2_exponent_step: u32,
    /// Coefficients of the large secret that are drawn: the dimension of extracted ciphertexts.
    pub big_dim: usize,
    /// Standard deviation of the errors of fresh LWE ciphertexts under the large secret.
    pub big_log2_std_dev: f64,
    /// The secrets between the large one and the small one, from large to small.
    pub landings: Vec<Landing>,
    /// The key switch, the last of a chain where there are intermediate secrets.
    pub key_switch: KeySwitch,
    /// The order of key switch and bootstrap.
    pub order: Order,
    /// The messages that ciphertexts hold.
    pub space: Space,
    /// Largest accepted sum of squares of the coefficients with which bootstrapped ciphertexts are combined between two
    /// bootstraps.
    pub squared_norm: f64,
    /// log2 of the largest accepted failure probability of one bootstrap.
    pub max_log2_p_fail: f64,
    /// Whether parameters below 128 bits are accepted.
    pub insecure: bool,
}

impl Common {
    /// Ring degree `N`.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// Polynomials that hold the large secret's drawn coefficients.
    pub fn rank(&self) -> usize {
        self.big_dim.div_ceil(self.n())
    }

    /// Coefficients `E·N` of a table.
    pub fn table_len(&self) -> usize {
        1 << self.log_table_len()
    }

    /// log2 of [`Common::table_len`].
    pub fn log_table_len(&self) -> u32 {
        self.log_n + self.log2_extension
    }

    /// Coefficients of a table, as far as exponents tell them apart: the modulus switch is that to twice as many.
    pub(crate) fn switched_table_len(&self) -> usize {
        self.table_len() >> self.log2_exponent_step
    }

    /// The key switches from the large secret to the small one, in their order: one, and one more for each intermediate
    /// secret.
    pub fn switches(&self) -> Vec<SwitchStep> {
        let mut from_dim = self.big_dim;
        let mut step = |to_dim, shared, log2_std_dev, KeySwitch { gadget, ring }| {
            let shape = SwitchShape { gadget, degree: ring, from_dim, to_dim, shared };
            from_dim = to_dim;
            SwitchStep { shape, log2_std_dev }
        };
        let mut all: Vec<_> =
            self.landings.iter().map(|to| step(to.dim, to.dim, to.log2_std_dev, to.key_switch)).collect();
        all.push(step(self.lwe_dim, self.secrets.shared, self.lwe_log2_std_dev, self.key_switch));
        all
    }

    /// Assumptions besides the field's usual ones: none, but for experimental sets.
    pub fn assumptions(&self) -> Vec<&'static str> {
        let ends_with_zeros = |step: &SwitchStep| !step.shape.to_dim.is_multiple_of(step.shape.degree);
        let padded = self.switches().iter().any(ends_with_zeros);
        let padded = padded.then_some("small secrets whose last polynomial ends with zeros");
        self.secrets.assumptions().chain(padded).collect()
    }

    /// Half the distance between neighbouring messages, as a part of the torus: noise must not exceed it.
    pub fn margin_torus(&self) -> f64 {
        match self.space {
            Space::Bit => 0.125,
            Space::Integer { bits } => (-f64::from(bits) - 2.0).exp2(),
        }
    }
}

pub(crate) fn refuse<T>(what: &'static str, found: impl ToString, needed: impl Into<String>) -> Result<T, Error> {
    Err(Error::Parameter { what, found: found.to_string(), needed: needed.into() })
}

/// Refuses sizes with which no other number can be computed: each scheme asks before it makes a [`Common`].
pub(crate) fn check_sizes(log_n: u32, log_ns: RangeInclusive<u32>, lwe_dim: usize) -> Result<(), Error> {
    if !log_ns.contains(&log_n) {
        return refuse("log_n", log_n, format!("{} to {}", log_ns.start(), log_ns.end()));
    }
    if !(1..=4096).contains(&lwe_dim) {
        return refuse("lwe_dim", lwe_dim, "1 to 4096");
    }
    Ok(())
}

pub(crate) fn check_gadget(what: &'static str, gadget: Gadget, bits: u32) -> Result<(), Error> {
    if gadget.log2_base == 0 || gadget.digits == 0 || gadget.bits() > bits || gadget.log2_base > 30 {
        let found = format!("{} digits of {} bits", gadget.digits, gadget.log2_base);
        return refuse(what, found, format!("1 or more digits of 1 to 30 bits, {bits} bits together"));
    }
    Ok(())
}

/// The largest degree of a key switch's ring.
const MAX_SWITCH_RING: usize = 4096;

fn check_ring(what: &'static str, ring: usize) -> Result<(), Error> {
    if !ring.is_power_of_two() || ring > MAX_SWITCH_RING {
        return refuse(what, ring, format!("a power of two up to {MAX_SWITCH_RING}"));
    }
    Ok(())
}

/// log2 of the narrowest error that is secure, for a secret of a dimension and words of so many bits.
pub(crate) type Line = fn(SecretDistribution, usize, u32) -> Option<f64>;

impl Common {
    /// Refuses key-switch chains that don't lead from the large secret down to the small one.
    fn check_landings(&self) -> Result<(), Error> {
        if !self.landings.is_empty() && self.secrets.shared != self.lwe_dim {
            let needed =
                format!("{}, which is lwe_dim, since landings begin with all of the small secret", self.lwe_dim);
            return refuse("secrets.shared", self.secrets.shared, needed);
        }
        let mut from_dim = self.big_dim;
        for to in &self.landings {
            if !(self.lwe_dim + 1..from_dim).contains(&to.dim) {
                let needed = format!("{} to {}, between the secrets before and after", self.lwe_dim + 1, from_dim - 1);
                return refuse("landings.dim", to.dim, needed);
            }
            check_gadget("landings.key_switch.gadget", to.key_switch.gadget, 31)?;
            check_ring("landings.key_switch.ring", to.key_switch.ring)?;
            from_dim = to.dim;
        }
        Ok(())
    }

    /// Refuses numbers that switches, tables and samples can't have, and noise below a security line. Samples of the
    /// large secret are on a torus of `big_bits`, and judged by the line of binary secrets, which is enough for them.
    pub(crate) fn check(&self, big_bits: u32, line: Line) -> Result<(), Error> {
        let c = self;
        c.secrets.small.check(c.lwe_dim)?;
        let small = c.secrets.small.distribution(c.lwe_dim);
        if c.log2_extension > 20 - c.log_n {
            return refuse("log2_extension", c.log2_extension, format!("0 to {}", 20 - c.log_n));
        }
        c.check_landings()?;
        check_gadget("key_switch.gadget", c.key_switch.gadget, 31)?;
        check_ring("key_switch.ring", c.key_switch.ring)?;
        if let Space::Integer { bits } = c.space
            && !(1..=8.min(c.log_table_len() - 1)).contains(&bits)
        {
            return refuse("space bits", bits, format!("1 to {}", 8.min(c.log_table_len() - 1)));
        }
        let landings = c.landings.iter();
        let binary = SecretDistribution::Binary;
        for (what, dim, secret, found, bits) in [
            ("lwe_log2_std_dev", c.lwe_dim, small, c.lwe_log2_std_dev, 32),
            ("glwe_log2_std_dev", c.big_dim, binary, c.big_log2_std_dev, big_bits),
        ]
        .into_iter()
        .chain(landings.map(|to| ("landings.log2_std_dev", to.dim, binary, to.log2_std_dev, 32)))
        {
            if !(2.0 - f64::from(bits)..=-4.0).contains(&found) {
                return refuse(what, found, format!("{} to -4", 2 - bits as i32));
            }
            match line(secret, dim, bits) {
                // Published deviations are rounded to two decimals.
                Some(line) if found >= line - 0.005 => {}
                _ if c.insecure => {}
                Some(line) => {
                    let (secret, min_log2_std_dev) = (secret.to_string(), line);
                    return Err(Error::NoiseTooNarrow { what, dim, secret, log2_std_dev: found, min_log2_std_dev });
                }
                None => {
                    let needed = match secret {
                        SecretDistribution::Binary => "a dimension of 500 or more, or `insecure` spelled out",
                        _ => "a pair of `everlevel_security::torus::LINES`, or `insecure` spelled out",
                    };
                    return refuse(what, format!("dimension {dim} with a {secret} secret"), needed);
                }
            }
        }
        if !(c.squared_norm >= 1.0 && c.squared_norm.is_finite()) {
            return refuse("squared_norm", c.squared_norm, "1 or more");
        }
        Ok(())
    }
}
