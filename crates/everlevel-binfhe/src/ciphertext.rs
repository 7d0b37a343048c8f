//! Ciphertexts as users hold them: an LWE ciphertext, the largest value of its message, and the errors of its noise.

use everlevel_objects::{require_memory, require_secret};
use everlevel_ring::Footprint;
use everlevel_rlwe::{Randomness, SecretId};

use crate::common::Space;
use crate::params::Params;
use crate::{Error, FailureBound, Lwe, NoiseSum, NoiseTerm, SecretKey, noise};

/// Bytes that the allocator adds to an allocation, at most.
const ALLOCATION: usize = 24;

/// An encrypted bit or integer.
#[derive(Debug, Clone, PartialEq)]
pub struct Ciphertext {
    pub(crate) lwe: Lwe,
    pub(crate) key: SecretId,
    pub(crate) noise: NoiseSum,
    pub(crate) max_value: u64,
}

impl Ciphertext {
    /// A ciphertext from its parts, for files: the errors that its noise is made of, and the largest value that it may
    /// hold.
    pub fn from_parts(lwe: Lwe, key: SecretId, noise: NoiseSum, max_value: u64) -> Self {
        Self { lwe, key, noise, max_value }
    }

    /// The LWE ciphertext.
    pub fn lwe(&self) -> &Lwe {
        &self.lwe
    }

    /// The id of the secret that the ciphertext is encrypted under.
    pub fn key(&self) -> SecretId {
        self.key
    }

    /// Variance of the ciphertext's noise by the formulas, as a part of the torus squared.
    pub fn variance_torus(&self) -> f64 {
        self.noise.variance_torus()
    }

    /// The errors that the ciphertext's noise is made of.
    pub fn noise(&self) -> &NoiseSum {
        &self.noise
    }

    /// Bytes of several ciphertexts' words.
    pub fn nbytes(all: &[Self]) -> usize {
        all.iter().map(|ciphertext| size_of_val(ciphertext.lwe.words())).sum()
    }

    /// Largest variance of several ciphertexts' noise, as a part of the torus squared.
    pub fn max_variance_torus(all: &[Self]) -> f64 {
        all.iter().map(Self::variance_torus).fold(0.0, f64::max)
    }

    /// An upper bound of the probability that any of several ciphertexts decrypts to a wrong value: that a bootstrap
    /// failed which led to one of them, or that their decryption does.
    pub fn failure_probability(all: &[Self], params: &Params) -> f64 {
        let decryption = |x: &Self| noise::log2_p_fail(params.margin_torus(), x.variance_torus()).exp2();
        let bootstraps = FailureBound::union(all.iter().map(|x| x.noise.failures()));
        (bootstraps.probability() + all.iter().map(decryption).sum::<f64>()).min(1.0)
    }

    /// The largest value that the ciphertext may hold: 1 for a bit.
    pub fn max_value(&self) -> u64 {
        self.max_value
    }
}

impl Params {
    /// The memory of so many ciphertexts.
    pub fn ciphertexts_footprint(&self, count: usize) -> Footprint {
        let words = 8 * (self.ciphertext_dim() + 1) + ALLOCATION;
        let each = size_of::<Ciphertext>() + words + size_of::<NoiseTerm>() + ALLOCATION;
        Footprint { held: (count * each) as u64, work: 0 }
    }
}

impl SecretKey {
    /// Encrypts torus elements that stand for messages of at most `max_value`.
    pub(crate) fn encrypt(
        &self,
        len: usize,
        max_value: u64,
        phase: impl Fn(usize) -> u64,
    ) -> Result<Vec<Ciphertext>, Error> {
        let randomness = Randomness::from(&self.seeds.next()?);
        require_memory("encrypt", self.params().ciphertexts_footprint(len))?;
        let variance = self.params().noise().fresh;
        let one = |i: usize| {
            let lwe = Lwe::encrypt(self.ciphertext_secret(), self.error(), phase(i), &randomness, i as u64);
            let noise = NoiseSum::of(&lwe, variance);
            Ciphertext { lwe, key: self.id(), noise, max_value }
        };
        Ok((0..len).map(one).collect())
    }

    /// Decrypts bits.
    ///
    /// # Errors
    /// [`Error::WrongSpace`], [`crate::ObjectError::OtherSecret`], and [`Error::NoiseExhausted`] where the noise makes
    /// a wrong answer too likely.
    pub fn decrypt_bits(&self, bits: &[Ciphertext]) -> Result<Vec<bool>, Error> {
        let op = "decrypt_bits";
        match self.params().space {
            Space::Bit => self.phases(op, bits).map(|all| all.into_iter().map(|phase| phase >> 63 == 0).collect()),
            Space::Integer { .. } => Err(wrong_space(op, self.params().space, "bits")),
        }
    }

    /// Decrypts integers.
    ///
    /// # Errors
    /// As [`SecretKey::decrypt_bits`].
    pub fn decrypt_integers(&self, integers: &[Ciphertext]) -> Result<Vec<u64>, Error> {
        let op = "decrypt_integers";
        let Space::Integer { bits } = self.params().space else {
            return Err(wrong_space(op, self.params().space, "integers"));
        };
        let decode = |phase: u64| (phase.wrapping_add(1 << (62 - bits)) >> (63 - bits)) & ((1 << bits) - 1);
        self.phases(op, integers).map(|all| all.into_iter().map(decode).collect())
    }

    fn phases(&self, op: &'static str, all: &[Ciphertext]) -> Result<Vec<u64>, Error> {
        for ciphertext in all {
            require_secret(op, "ciphertext", ciphertext.key, self.id())?;
            let log2_p_fail = noise::log2_p_fail(self.params().margin_torus(), ciphertext.variance_torus());
            let max_log2_p_fail = self.params().max_log2_p_fail;
            if log2_p_fail > max_log2_p_fail {
                return Err(Error::NoiseExhausted { op, log2_p_fail, max_log2_p_fail });
            }
        }
        Ok(all.iter().map(|ciphertext| ciphertext.lwe.phase(self.ciphertext_secret())).collect())
    }
}

pub(crate) fn wrong_space(op: &'static str, space: Space, needed: &'static str) -> Error {
    let found = match space {
        Space::Bit => "bits".into(),
        Space::Integer { bits } => format!("integers of {bits} bits"),
    };
    Error::WrongSpace { op, found, needed }
}
