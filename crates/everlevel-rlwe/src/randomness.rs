//! Randomness of keys and ciphertexts: masks, which everybody may know, and noise, which nobody may.

use std::sync::Arc;

use everlevel_rand::sampler::Errors;
use everlevel_rand::secrecy::declassify;
use everlevel_rand::{Cipher, Domain, Seed};

/// The two seeds that a key or a ciphertext is made of.
///
/// From one secret seed the masks' is a child of it, which tells nothing of its parent. With masks of their own,
/// several parties share a common reference string, and a device expands the masks that a key was made with.
#[derive(Debug, Clone)]
pub struct Randomness {
    masks: Arc<Seed>,
    noise: Seed,
}

impl Randomness {
    /// Masks from one seed, which is public; noise from another, which must be secret and fresh.
    pub fn new(masks: Seed, noise: Seed) -> Self {
        Self { masks: Arc::new(masks), noise }
    }

    /// This randomness with masks that are streams of a cipher.
    #[must_use]
    pub fn with_masks_of(self, cipher: Cipher) -> Self {
        Self { masks: Arc::new(self.masks.of_cipher(cipher)), ..self }
    }

    /// The seed of the masks. It is public.
    pub fn masks(&self) -> &Seed {
        &self.masks
    }

    /// The seed of the masks, for whoever keeps it.
    pub(crate) fn shared_masks(&self) -> Arc<Seed> {
        Arc::clone(&self.masks)
    }

    /// Fills `out` with the errors at an address of the noise.
    pub(crate) fn errors(&self, errors: &dyn Errors, domain: Domain, index: u64, out: &mut [i64]) {
        errors.sample(&mut self.noise.stream(domain, index), out);
    }
}

/// Both from one seed, which must be secret and fresh.
impl From<&Seed> for Randomness {
    fn from(seed: &Seed) -> Self {
        let masks = seed.derive(Domain::Mask, 0);
        // A child tells nothing of its parent.
        declassify(masks.as_bytes());
        Self::new(masks, seed.clone())
    }
}
