//! TFHE's numbers.

use everlevel_math::fft::Together;
use everlevel_ring::WordGadget as Gadget;
use serde::{Deserialize, Serialize};

use crate::common::{KeySwitch, Landing, Order, Space};
use crate::secrets::{Secrets, SmallSecret};

/// Unchecked parameters of TFHE. Standard deviations are log2 of parts of the torus.
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
    /// The structure of both secrets.
    #[serde(default, skip_serializing_if = "Secrets::is_default")]
    pub secrets: Secrets,
    /// Bits of the small secret that one step of a blind rotation takes: 1, or 2 with three encryptions for each pair
    /// instead of two, half the transforms and more noise (unrolled; Bourse, Minelli, Minihold and Paillier, CRYPTO
    /// 2018). Where the small secret has blocks, those of a block.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub bits_per_step: usize,
    /// Gadget of the masks in an external product.
    pub mask_gadget: Gadget,
    /// Gadget of the body in an external product.
    pub body_gadget: Gadget,
    /// Secrets between the large one and the small one, from large to small, where key switches are a chain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub landings: Vec<Landing>,
    /// The key switch, the last of a chain where there are intermediate secrets.
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

impl ParamsLiteral {
    /// Ring degree `N`.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// Extension `E`: GLWE ciphertexts of an accumulator.
    pub fn extension(&self) -> usize {
        1 << self.log2_extension
    }

    /// Coefficients of the GLWE secret's polynomials, `kN`.
    pub fn glwe_dim(&self) -> usize {
        self.rank * self.n()
    }

    /// Dimension `φ` of the large secret: those of the `kN` coefficients that are drawn.
    pub fn big_dim(&self) -> usize {
        self.secrets.drawn.unwrap_or_else(|| self.glwe_dim())
    }

    /// GGSW ciphertexts of a bootstrapping key: one for each bit, or three for each two where both may be set.
    pub fn ggsws(&self) -> usize {
        self.steps() * self.together().map_or(1, Together::matrices)
    }

    /// The bits that a step takes at once, if it takes several.
    pub(crate) fn together(&self) -> Option<Together> {
        match (self.secrets.small, self.bits_per_step) {
            (_, 1) => None,
            (SmallSecret::Blocks { .. }, _) => Some(Together::Block),
            _ => Some(Together::Pair),
        }
    }

    /// Steps of a blind rotation.
    pub fn steps(&self) -> usize {
        self.lwe_dim / self.bits_per_step
    }

    /// Digits of one GLWE ciphertext in an external product: rows of a GGSW matrix, and forward transforms.
    pub fn rows(&self) -> usize {
        self.rank * self.mask_gadget.digits as usize + self.body_gadget.digits as usize
    }

    /// Transforms of one external product, forward and inverse.
    pub fn transforms(&self) -> usize {
        self.rows() + self.rank + 1
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
