//! NTRU's numbers.

use everlevel_math::primes::is_prime;
use everlevel_math::small_ntt::{Float, Gadget, NtruProduct, SmallNtt};
use everlevel_rand::{Stream, sampler};
use everlevel_ring::{PrimeGadget, PrimeRing, WordBuffer};
use everlevel_security::estimate::CostModel;
use everlevel_security::ntru::{self, Estimate, Ntru, TERNARY_STD_DEV};
use serde::{Deserialize, Serialize};

use super::counts::{Rotation, Shape};
use super::noise;
use crate::Error;
use crate::common::{Common, KeySwitch, Order, Space, check_sizes, refuse};
use crate::over_keys::OverKeys;
use crate::scheme::Scheme;
use crate::secrets::{Secrets, SmallSecret};

/// The security that parameters must have, in bits.
const MIN_SECURITY_BITS: f64 = 128.0;
/// The claim, in bits, for attacks that no estimate reaches.
const BEYOND_ESTIMATES: f64 = 512.0;

/// Unchecked parameters of NTRU. Standard deviations are log2 of parts of the torus.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NtruLiteral {
    /// The prime `Q`, 1 modulo `2N`.
    pub modulus: u32,
    /// log2 of the ring's degree `N`.
    pub log_n: u32,
    /// Dimension `n` of the small secret.
    pub lwe_dim: usize,
    /// The distribution of the small secret.
    #[serde(default)]
    pub secret: SmallSecret,
    /// Standard deviation of the errors of the small secret's samples.
    pub lwe_log2_std_dev: f64,
    /// Standard deviation of the errors of LWE ciphertexts under the coefficients of `f`.
    pub big_log2_std_dev: f64,
    /// Gadget of the products.
    pub gadget: PrimeGadget,
    /// The rotation of accumulators.
    pub rotation: Rotation,
    /// The key switch.
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

impl NtruLiteral {
    /// Ring degree `N`.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// Whether residues fit single precision.
    pub(super) fn is_narrow(&self) -> bool {
        self.modulus >> f32::MAX_MODULUS_BITS == 0
    }

    /// Vector ciphertexts of a bootstrapping key.
    pub(super) fn keys(&self) -> usize {
        self.shape().keys()
    }

    /// The numbers that the counts of a rotation depend on.
    pub(super) fn shape(&self) -> Shape {
        Shape { rotation: self.rotation, secret: self.secret, dim: self.lwe_dim, n: self.n() }
    }

    /// The cheapest attack on the keys' rows, for an attacker who has all of them; `None` if none is within reach.
    fn attack(&self) -> Option<Estimate> {
        let (log2_q, samples) = (f64::from(self.modulus).log2(), self.body_count());
        let ntru = Ntru::new(self.log_n, log2_q, TERNARY_STD_DEV, TERNARY_STD_DEV, samples).expect("a ring of NTRU");
        ntru::cheapest(&ntru)
    }

    /// Bits of the cheapest attack on the keys' rows under a model: [`CostModel::Bdgl16`] is the classical count of the
    /// literature.
    ///
    /// # Panics
    /// If the estimator has no such ring: checked parameters are such.
    pub fn security_bits(&self, model: CostModel) -> f64 {
        self.attack().map_or(BEYOND_ESTIMATES, |best| best.log2_cost(model))
    }

    /// Bits of the cheapest attack on the keys' rows by the core-SVP count.
    ///
    /// # Panics
    /// As [`NtruLiteral::security_bits`].
    pub fn core_svp_bits(&self) -> f64 {
        self.attack().map_or(BEYOND_ESTIMATES, |best| best.log2_core_svp())
    }

    /// The products of rotations.
    ///
    /// # Errors
    /// If floats hold no such products exactly.
    pub(super) fn product<F: Float>(&self) -> Result<NtruProduct<F>, everlevel_math::Error> {
        let PrimeGadget { log2_base, digits, dropped } = self.gadget;
        let ntt = SmallNtt::new(self.modulus.into(), self.log_n)?;
        NtruProduct::new(ntt, Gadget { log2_base, digits, dropped }, self.shape().keys_per_step())
    }

    /// The ring, of checked parameters.
    pub(super) fn ring(&self) -> PrimeRing {
        PrimeRing::new(self.log_n, self.modulus.into()).expect("parameters hold the transform's sizes")
    }
}

impl Scheme for NtruLiteral {
    fn common(&self) -> Common {
        Common {
            lwe_dim: self.lwe_dim,
            secrets: Secrets { small: self.secret, ..Secrets::default() },
            lwe_log2_std_dev: self.lwe_log2_std_dev,
            log_n: self.log_n,
            log2_extension: 0,
            log2_exponent_step: self.rotation.log2_exponent_step(),
            big_dim: self.n(),
            big_log2_std_dev: self.big_log2_std_dev,
            landings: Vec::new(),
            key_switch: self.key_switch,
            order: self.order,
            space: self.space,
            squared_norm: self.squared_norm,
            max_log2_p_fail: self.max_log2_p_fail,
            insecure: self.insecure,
        }
    }

    fn check(&self) -> Result<(), Error> {
        check_sizes(self.log_n, 8..=11, self.lwe_dim)?;
        let (q, two_n) = (u64::from(self.modulus), 2u64 << self.log_n);
        if !(1 << 12..1 << 28).contains(&q) || q % two_n != 1 || !is_prime(q) {
            return refuse("modulus", q, format!("a prime of 13 to 28 bits that is 1 modulo {two_n}"));
        }
        self.secret.check(self.lwe_dim)?;
        if !self.rotation.takes(self.secret) {
            return refuse(
                "rotation",
                format!("{:?} of {:?}", self.rotation, self.secret),
                "one that takes such secrets",
            );
        }
        if let (Rotation::Buckets { count }, SmallSecret::Sparse { weight }) = (self.rotation, self.secret)
            && !(2 * weight..=self.lwe_dim).contains(&count)
        {
            return refuse("buckets", count, format!("{} to {}", 2 * weight, self.lwe_dim));
        }
        let PrimeGadget { log2_base, digits, dropped } = self.gadget;
        // The first digit is what is left: it has no more bits than the others.
        let (bits, most) = (u64::from(dropped) + u64::from(log2_base) * u64::from(digits), u64::from(q.ilog2()));
        let reaches = log2_base > 0 && digits > 0 && (most..=most + u64::from(log2_base)).contains(&bits);
        let exact = if self.is_narrow() { self.product::<f32>().is_ok() } else { self.product::<f64>().is_ok() };
        if !reaches || !exact {
            let found = format!("{digits} digits of {log2_base} bits above {dropped}");
            let exactly = if reaches { ", few enough for exact sums" } else { "" };
            return refuse("gadget", found, format!("digits that reach the prime's {} bits{exactly}", most + 1));
        }
        if !self.lwe_dim.is_multiple_of(self.rotation.per_step()) {
            return refuse("lwe_dim", self.lwe_dim, "even, for a rotation that takes two bits a step");
        }
        if let Rotation::TwoSweeps { window } | Rotation::OneSweep { window } = self.rotation
            && !(1..self.n() / 2).contains(&window)
        {
            return refuse("window", window, format!("1 to {}", self.n() / 2 - 1));
        }
        if self.insecure {
            return Ok(());
        }
        let bits = self.security_bits(CostModel::Bdgl16);
        if bits < MIN_SECURITY_BITS {
            let needed = format!("a prime whose attacks cost 2^{MIN_SECURITY_BITS}, or `insecure` spelled out");
            return refuse("modulus", format!("{q}, with {bits:.1} bits of security by BDGL16"), needed);
        }
        Ok(())
    }

    fn sample_bits(&self) -> u32 {
        u64::BITS
    }

    fn rotation_noise(&self) -> (OverKeys, OverKeys) {
        (noise::products(self), noise::secrets(self))
    }

    fn rotation_noise_of(&self, small: &[i8], big: &[i8]) -> f64 {
        noise::of_secrets(self, small, big)
    }

    fn secret_square(&self) -> f64 {
        noise::SECRET_SQUARE
    }

    fn secret_distribution(&self) -> SmallSecret {
        SmallSecret::Ternary
    }

    fn transforms(&self) -> usize {
        self.gadget.digits as usize + 1
    }

    fn rotation_transforms(&self) -> f64 {
        let (products, automorphisms) = self.shape().mean_steps();
        (products + automorphisms) * self.transforms() as f64
    }

    /// Secrets of few ones are drawn until buckets hold them: that all tries but the last did not fit is public.
    fn sample_small_secret(&self, stream: &mut Stream) -> Vec<i8> {
        let buckets = self.shape().buckets();
        loop {
            let coeffs = self.secret.sample(stream, self.lwe_dim);
            if buckets.as_ref().is_none_or(|buckets| buckets.place(&coeffs).is_some()) {
                return coeffs;
            }
        }
    }

    /// Uniform ternary polynomials, until one has an inverse: that all tries but the last had none is public.
    fn sample_secret(&self, stream: &mut Stream) -> Vec<i8> {
        let (ring, mut coeffs) = (self.ring(), vec![0; self.n()]);
        loop {
            sampler::ternary(stream, &mut coeffs);
            if everlevel_rand::secrecy::declassified(ring.is_invertible(&coeffs)) {
                return coeffs;
            }
        }
    }

    fn body_count(&self) -> usize {
        self.keys() * self.gadget.digits as usize
    }

    fn body_bits(&self) -> u32 {
        u32::BITS
    }

    /// Residues lie one after another, bit by bit.
    fn stored_bits(&self) -> u32 {
        self.modulus.ilog2() + 1
    }

    fn stored_limit(&self) -> u64 {
        self.modulus.into()
    }

    fn prepared_nbytes(&self) -> usize {
        let checked = "checked parameters";
        let narrow = || self.product::<f32>().expect(checked).key_len();
        let key = if self.is_narrow() { narrow() } else { self.product::<f64>().expect(checked).key_len() };
        WordBuffer::<u8>::nbytes_of(self.keys() * key)
    }
}
