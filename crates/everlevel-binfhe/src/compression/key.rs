//! The key of compression: stored as a seed and bodies, and ready for use.
//!
//! A public key is a part of it, of which a list's ciphertexts have an encryption of zero: what is packed depends on
//! its elements' masks, and anybody could tell which ciphertexts a list was made of.

use std::sync::Arc;

use everlevel_objects::require_secret;
use everlevel_rand::{Domain, Seed};
use everlevel_ring::{TorusRing, report};
use everlevel_rlwe::{Lwe, Randomness, SecretId};

use super::array::AnyArray;
use super::list::{CompressedList, PackedList};
use super::packing::Packing;
use super::params::CompressionParams;
use crate::automorphisms::{self, Automorphisms};
use crate::gates::same_length;
use crate::{Ciphertext, Error, FailureBound, Footprint, Params, Progress, PublicKey, SecretKey, no_progress, noise};

/// The key of compression as a seed and bodies, for files and for sending.
#[derive(Debug, Clone)]
pub struct SeededCompressionKey {
    params: CompressionParams,
    id: SecretId,
    /// The seed of the masks of the automorphisms' rows.
    pub mask_seed: Seed,
    /// Bodies of the rows.
    pub bodies: Vec<u64>,
    public: Arc<PublicKey>,
}

impl SeededCompressionKey {
    /// The key of a secret, with a seed from the secret's source.
    ///
    /// # Errors
    /// As [`CompressionParams::of`]; [`Error::Random`].
    pub fn generate(secret: &SecretKey) -> Result<Self, Error> {
        Self::from_seed(secret, &secret.seeds.next()?)
    }

    /// The key of a secret, from a seed that must be secret and fresh.
    ///
    /// # Errors
    /// As [`SeededCompressionKey::generate`].
    pub fn from_seed(secret: &SecretKey, seed: &Seed) -> Result<Self, Error> {
        let params = CompressionParams::of(secret.params())?;
        let randomness = Randomness::from(seed);
        let bodies = automorphisms::bodies(secret, params.gadget(), &randomness)?;
        let public = Arc::new(PublicKey::from_seed(secret, &seed.derive(Domain::Derive, 0))?);
        Ok(Self { params, id: secret.id(), mask_seed: randomness.masks().clone(), bodies, public })
    }

    /// A key from its parts, for files.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] where there are fewer bodies than the parameters have, or more.
    pub(crate) fn from_parts(
        params: CompressionParams,
        mask_seed: Seed,
        bodies: Vec<u64>,
        public: PublicKey,
    ) -> Result<Self, Error> {
        same_length("from_parts", bodies.len(), params.bodies_len())?;
        Ok(Self { params, id: public.id(), mask_seed, bodies, public: Arc::new(public) })
    }

    /// The parameters.
    pub fn params(&self) -> &CompressionParams {
        &self.params
    }

    /// The secret that the key belongs to.
    pub fn id(&self) -> SecretId {
        self.id
    }

    /// The public key that re-randomises lists.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Bytes held, beside the public key.
    pub fn nbytes(&self) -> usize {
        size_of_val(&self.bodies[..])
    }

    /// The key ready for use.
    pub fn prepare(&self) -> CompressionKey {
        let (params, id) = (self.params.clone(), self.id);
        let outer = params.outer();
        let ring = TorusRing::<u64>::new(outer.log_n).expect("parameters hold the transform's sizes");
        let automorphisms = Automorphisms::new(&ring, outer, params.gadget(), &self.mask_seed, &self.bodies);
        CompressionKey { params, id, automorphisms, public: Arc::clone(&self.public) }
    }
}

impl CompressionParams {
    /// The memory of a key, as a seed and bodies and ready for use.
    pub fn key_footprint(&self) -> Footprint {
        let (bodies, public) = (8 * self.bodies_len() as u64, self.outer().public_key_footprint().held);
        Footprint { held: bodies * (2 + self.outer().rank() as u64) + public, work: 0 }
    }

    /// The memory of compression on so many threads: for each of them a few ciphertexts in each step of automorphisms.
    pub(crate) fn work(&self, threads: usize) -> Footprint {
        let outer: &Params = self.outer();
        let glwe = 8 * (outer.rank() + 1) * outer.n();
        Footprint { held: 0, work: (threads * 4 * outer.log_n as usize * glwe) as u64 }
    }
}

/// The key of compression, ready for use. It holds nothing secret.
#[derive(Debug)]
pub struct CompressionKey {
    params: CompressionParams,
    id: SecretId,
    automorphisms: Automorphisms,
    public: Arc<PublicKey>,
}

impl CompressionKey {
    /// The parameters.
    pub fn params(&self) -> &CompressionParams {
        &self.params
    }

    /// The secret that the key belongs to.
    pub fn id(&self) -> SecretId {
        self.id
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.automorphisms.nbytes() + self.public.nbytes()
    }

    /// A list of an array's ciphertexts, re-randomised: its masks tell nothing of theirs.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`Error::NoiseExhausted`] for noise that leaves no room for a list's, and
    /// [`Error::Random`] without entropy.
    pub fn compress(&self, array: &AnyArray) -> Result<CompressedList, Error> {
        self.compress_reporting(array, true, &no_progress)
    }

    /// [`CompressionKey::compress`] with reports of progress, a step for each ciphertext; and without
    /// re-randomisation, where the same array is to give the same list.
    ///
    /// # Errors
    /// [`Error::Cancelled`] besides.
    pub fn compress_reporting(
        &self,
        array: &AnyArray,
        rerandomizes: bool,
        progress: Progress<'_>,
    ) -> Result<CompressedList, Error> {
        let (op, outer, all) = ("compress", self.params.outer(), array.ciphertexts());
        all.iter().try_for_each(|x| require_secret(op, "ciphertext", x.key(), self.id))?;
        let variance = Ciphertext::max_variance_torus(all) + self.params.variance();
        let log2_p_fail = noise::log2_p_fail(outer.margin_torus(), outer.noise().at_table(variance));
        // An input at the limit is made of sums in another order.
        if log2_p_fail > outer.max_log2_p_fail + 1e-6 {
            return Err(Error::NoiseExhausted { op, log2_p_fail, max_log2_p_fail: outer.max_log2_p_fail });
        }
        let mut packed = PackedList::new(self.params.widths());
        for part in all.chunks(outer.n()) {
            let mut glwe = self.pack(&part.iter().map(Ciphertext::lwe).collect::<Vec<_>>());
            if rerandomizes {
                glwe.iter_mut().zip(self.public.zeros()?).for_each(|(word, zero)| *word = word.wrapping_add(zero));
            }
            packed.push(&glwe, outer, part.len());
            report(op, progress, packed.len(), all.len())?;
        }
        let failures = FailureBound::union(all.iter().map(|x| x.noise().failures()));
        let max_value = all.iter().map(Ciphertext::max_value).max().unwrap_or(0);
        Ok(CompressedList::new(
            packed,
            (array.kind(), array.kind().per(op, outer)?),
            self.id,
            (max_value, variance, failures),
        ))
    }

    /// Masks and body of a ciphertext whose coefficients have the phases of up to `N` ciphertexts.
    ///
    /// # Panics
    /// If there are none, or more, or of another dimension.
    pub fn pack(&self, all: &[&Lwe]) -> Vec<u64> {
        let outer = self.params.outer();
        assert!((1..=outer.n()).contains(&all.len()), "{} ciphertexts in a polynomial", all.len());
        assert!(all.iter().all(|lwe| lwe.dim() == outer.big_dim), "the ciphertexts' dimension");
        Packing { automorphisms: &self.automorphisms, all }.pack()
    }
}
