//! The numbers of circuit bootstraps, which follow from those of the keys that they stand beside.

use std::sync::Arc;

use everlevel_ring::WordGadget as Gadget;

use crate::common::{KeySwitch, Order, Space};
use crate::params::{Literal, Params};
use crate::tfhe::ParamsLiteral;
use crate::{Error, Secrets, automorphisms, noise};

/// The numbers of circuit bootstraps beside keys of some parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct CircuitParams {
    outer: Arc<Params>,
    rotation: Arc<Params>,
}

/// log2 of the probability that one rotation of a circuit bootstrap fails, at most: sixteen of them fail with `2^-64`.
const MAX_LOG2_P_FAIL: f64 = -68.0;
/// log2 of the probability that a table of the outer parameters fails, at most: a look-up has some for its messages.
const MAX_OUTER_LOG2_P_FAIL: f64 = -64.0;
/// The dimension and log2 of the errors' standard deviation of the rotations' small secret.
const SMALL_SECRET: (usize, f64) = (672, -13.98);

impl CircuitParams {
    /// Digits of the half products of automorphisms.
    pub const EXPANSION: Gadget = Gadget::new(5, 9);
    /// Digits of the half product with the secret's square.
    pub const SQUARE: Gadget = Gadget::new(14, 3);
    /// Digits of a CMux's masks. Its base and number of digits are those of a GGSW ciphertext's levels.
    pub const TREE: Gadget = Gadget::new(5, 4);
    /// Digits of a CMux's body, the first ones of these levels.
    pub const TREE_BODY: Gadget = Gadget::new(5, 3);

    /// Bits of an index, at most.
    pub const MAX_BITS: u32 = 16;

    /// Cheapest attack on the small secret that look-ups alone have, under MATZOV ([`everlevel_security::torus`]). The
    /// key encrypts nothing else but the large secret of the outer parameters, with their errors and so their claim.
    pub const SECURITY_BITS: f64 = 128.2;

    /// The numbers beside keys of these parameters.
    ///
    /// # Errors
    /// [`Error::NoLookUps`] for NTRU, limbs, rank above 1, 32-bit words, secrets that aren't the usual ones, and where
    /// bootstraps come before key switches, tables fail with more than `2^-64` or messages have no room for a look-up's
    /// noise: for all that nothing is claimed of. [`Error::WrongSpace`] for bits and integers below 4 bits.
    pub fn of(outer: &Arc<Params>) -> Result<Self, Error> {
        let op = "create_lookup_key";
        let refuse = |found: String, needed| Err(Error::NoLookUps { op, found, needed });
        let l = match outer.literal() {
            Literal::Tfhe(l) => l,
            Literal::Limbs(_) => return refuse("keys over limbs".into(), "keys of words"),
            Literal::Ntru(_) => return refuse("NTRU's keys".into(), "TFHE's"),
        };
        crate::uint::Radix::of(op, l.space)?;
        if l.max_log2_p_fail > MAX_OUTER_LOG2_P_FAIL {
            return refuse(format!("tables that fail with 2^{:.1}", l.max_log2_p_fail), "ones with 2^-64 at most");
        }
        if l.rank != 1 {
            return refuse(format!("samples of rank {}", l.rank), "samples of rank 1");
        }
        if l.torus_bits != 64 {
            return refuse(format!("{}-bit words", l.torus_bits), "64-bit words");
        }
        if !l.secrets.is_default() || !l.landings.is_empty() {
            return refuse("partial, shared or structured secrets".into(), "usual secrets");
        }
        if l.order != Order::KeySwitchFirst {
            return refuse("bootstraps before key switches".into(), "key switches first");
        }
        let rotation = Arc::new(Params::try_from(Self::rotation_literal(l))?);
        let params = Self { outer: Arc::clone(outer), rotation };
        let variance = outer.noise().at_table(params.noise().output(Self::MAX_BITS as usize));
        if noise::log2_p_fail(outer.margin_torus(), variance) > outer.max_log2_p_fail {
            return refuse(format!("messages of {} bits", params.space_bits()), "messages of fewer bits");
        }
        Ok(params)
    }

    /// Rotations of less noise than tables have, from a smaller small secret: tables of digits have room for it.
    fn rotation_literal(outer: &ParamsLiteral) -> ParamsLiteral {
        let (lwe, key_switch) = if outer.insecure {
            ((outer.lwe_dim, outer.lwe_log2_std_dev), outer.key_switch)
        } else {
            (SMALL_SECRET, KeySwitch { gadget: Gadget::new(1, 12), ring: 32 })
        };
        ParamsLiteral {
            torus_bits: 64,
            lwe_dim: lwe.0,
            lwe_log2_std_dev: lwe.1,
            rank: 1,
            log_n: outer.log_n,
            log2_extension: 0,
            bits_per_step: 2,
            glwe_log2_std_dev: outer.glwe_log2_std_dev,
            secrets: Secrets::default(),
            mask_gadget: Gadget::new(12, 3),
            body_gadget: Gadget::new(10, 3),
            landings: Vec::new(),
            key_switch,
            order: Order::KeySwitchFirst,
            space: Space::Bit,
            squared_norm: 1.0,
            max_log2_p_fail: MAX_LOG2_P_FAIL,
            insecure: outer.insecure,
        }
    }

    /// [`Self::SECURITY_BITS`], or 0 beside keys without security.
    pub fn security_bits(&self) -> f64 {
        if self.outer.insecure { 0.0 } else { Self::SECURITY_BITS }
    }

    /// log2 of the probability that one of the rotations of a look-up of [`Self::MAX_BITS`] bits fails: at most that,
    /// whatever index is accepted, for all keys but one in `2^40`. Tables that split messages are not among these.
    pub fn log2_p_fail(&self) -> f64 {
        self.rotation.max_log2_p_fail + f64::from(Self::MAX_BITS / 2).log2()
    }

    /// The parameters of the keys that the circuit bootstraps stand beside.
    pub fn outer(&self) -> &Arc<Params> {
        &self.outer
    }

    /// The parameters of the rotations, with the small secret that is theirs alone.
    pub fn rotation(&self) -> &Arc<Params> {
        &self.rotation
    }

    /// Bits of a message of the outer parameters.
    pub(super) fn space_bits(&self) -> u32 {
        match self.outer.space {
            Space::Integer { bits } => bits,
            Space::Bit => unreachable!("refused when the parameters were made"),
        }
    }

    /// Coefficients of a polynomial.
    pub(super) fn n(&self) -> usize {
        self.outer.n()
    }

    /// Rows of the keys of half products: those of each automorphism, and those of the secret's square.
    pub(super) fn rows(&self) -> usize {
        automorphisms::rows(&self.outer, Self::EXPANSION) + Self::SQUARE.digits as usize
    }
}
