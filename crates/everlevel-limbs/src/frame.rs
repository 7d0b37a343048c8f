//! The tables of a shape, key generation, and the checks that every operation makes.

use std::collections::BTreeMap;

use everlevel_objects::{Fingerprints, Origin, fnv1a, require_parameters, with_memory};
use everlevel_rand::secrecy::{declassified, erase_stack};
use everlevel_rand::{Domain, Seed, SeedSource, sampler};
use everlevel_ring::{Footprint, LimbGadget, LimbRing, Progress, Representation, report};
use everlevel_rlwe::{Rlwe, SecretId, SwitchingKey};
use zeroize::Zeroizing;

use crate::files::ParametersEntry;
use crate::{EncryptionKey, Error, EvalKeys, PublicKey, SecretKey, Shape};

/// A shape's tables, what its parameters are called, and fresh seeds.
#[derive(Debug)]
pub struct Frame {
    shape: Shape,
    ring: LimbRing,
    seeds: SeedSource,
    fingerprints: Fingerprints,
    pub(crate) entry: ParametersEntry,
    /// Whether keys are held as seeds and bodies: less memory, slower use.
    seeded_keys: bool,
}

impl Frame {
    /// The tables of a shape, for parameters whose numbers are this text: their fingerprint of version 1 is made of it,
    /// and that of version 2 of the entry.
    ///
    /// # Errors
    /// A base whose products would be wrong at this degree.
    pub fn new(shape: Shape, numbers: &str, entry: ParametersEntry, seeds: SeedSource) -> Result<Self, Error> {
        let fingerprints = Fingerprints::new(fnv1a(numbers.bytes()), entry.scheme, &entry.numbers());
        Ok(Self { ring: shape.ring()?, shape, seeds, fingerprints, entry, seeded_keys: false })
    }

    /// Frame whose keys are held as seeds and bodies, or not.
    #[must_use]
    pub fn with_seeded_keys(self, seeded_keys: bool) -> Self {
        Self { seeded_keys, ..self }
    }

    /// Whether keys are held as seeds and bodies.
    pub fn seeded_keys(&self) -> bool {
        self.seeded_keys
    }

    /// Bytes of a key of a gadget.
    pub fn key_nbytes(&self, gadget: &LimbGadget) -> usize {
        if self.seeded_keys { self.ring.seeded_key_nbytes(gadget) } else { self.ring.key_nbytes(gadget) }
    }

    /// The memory of so many keys, of products and of rotations.
    pub fn keys_footprint(&self, count: usize) -> Footprint {
        // Mask, body and product of a row, and their transforms.
        let work = 8 * 8 * self.shape.n() * self.shape.gadget().limbs;
        Footprint { held: (count * self.key_nbytes(&self.shape.gadget())) as u64, work: work as u64 }
    }

    /// The sizes.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The ring.
    pub fn ring(&self) -> &LimbRing {
        &self.ring
    }

    /// Names the parameters: keys, ciphertexts and files of others are refused. It is public.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprints.v1
    }

    /// The fingerprints that files may have.
    pub fn fingerprints(&self) -> Fingerprints {
        self.fingerprints
    }

    /// A fresh seed.
    ///
    /// # Errors
    /// No randomness.
    pub fn seed(&self) -> Result<Seed, Error> {
        Ok(self.seeds.next()?)
    }

    /// Origin of a secret's objects.
    pub fn origin(&self, secret_id: SecretId) -> Origin {
        Origin { fingerprint: self.fingerprint(), secret_id }
    }

    /// Refuses an argument of other parameters.
    ///
    /// # Errors
    /// [`everlevel_objects::Error::OtherParameters`].
    pub fn require(&self, op: &'static str, what: &'static str, origin: Origin) -> Result<(), Error> {
        Ok(require_parameters(op, what, origin.fingerprint, self.fingerprint())?)
    }

    /// Refuses two arguments that aren't of these parameters, or of different secrets: the first names itself.
    ///
    /// # Errors
    /// [`everlevel_objects::Error::OtherParameters`], [`everlevel_objects::Error::OtherSecret`].
    pub fn require_same(
        &self,
        op: &'static str,
        (what, found): (&'static str, Origin),
        ciphertext: Origin,
    ) -> Result<(), Error> {
        self.require(op, "ciphertext", ciphertext)?;
        Ok(ciphertext.require(op, what, found)?)
    }

    /// A fresh secret key.
    ///
    /// # Errors
    /// No randomness.
    pub fn secret_key(&self) -> Result<SecretKey, Error> {
        Ok(self.secret_of_seed(self.seed()?))
    }

    /// The secret key that a seed stands for.
    pub(crate) fn secret_of_seed(&self, seed: Seed) -> SecretKey {
        let mut coeffs = vec![0; self.shape.n()];
        sampler::ternary(&mut seed.stream(Domain::SecretKey, 0), &mut coeffs);
        // The id comes from another stream: it is public.
        let id = SecretId(declassified(seed.stream(Domain::Derive, 0).next_u64()));
        let key = everlevel_rlwe::SecretKey::from_coeffs(&self.ring, id, coeffs);
        erase_stack();
        SecretKey { origin: self.origin(id), seed, key }
    }

    /// A public key of a secret.
    ///
    /// # Errors
    /// No randomness; a secret key of other parameters.
    pub fn public_key(&self, secret: &SecretKey) -> Result<PublicKey, Error> {
        self.require("public_key", "secret key", secret.origin)?;
        let key = everlevel_rlwe::PublicKey::generate(&self.ring, &self.shape.limbs, &secret.key, &self.seed()?);
        Ok(PublicKey { origin: secret.origin, key })
    }

    /// An encryption of zero of all limbs, by a key of these parameters.
    ///
    /// # Errors
    /// No randomness.
    pub fn encrypt_zero(&self, key: EncryptionKey<'_>) -> Result<Rlwe<LimbRing>, Error> {
        let (ring, limbs, seed) = (&self.ring, &self.shape.limbs, self.seed()?);
        Ok(match key {
            EncryptionKey::Secret(key) => Rlwe::encrypt_zero(ring, limbs, &key.key, &seed),
            EncryptionKey::Public(key) => key.key.encrypt_zero(ring, limbs, &seed),
        })
    }

    /// The key that takes the square of a secret away, of any gadget.
    ///
    /// # Errors
    /// No randomness.
    pub fn product_key(&self, secret: &SecretKey, gadget: LimbGadget) -> Result<SwitchingKey<LimbRing>, Error> {
        let (ring, key) = (&self.ring, &secret.key);
        let wide = Zeroizing::new(key.coeffs().iter().map(|&c| i64::from(c)).collect::<Vec<_>>());
        let s = Zeroizing::new(ring.small(&1, &wide));
        let square = Zeroizing::new(ring.inner_product(std::slice::from_ref(&*s), key.prepared()));
        Ok(SwitchingKey::of_limbs(ring, key, square.limb(0), gadget, &self.seed()?, !self.seeded_keys))
    }

    /// The key of an automorphism, of any gadget.
    ///
    /// # Errors
    /// No randomness.
    pub fn galois_key(
        &self,
        secret: &SecretKey,
        element: u64,
        gadget: LimbGadget,
    ) -> Result<SwitchingKey<LimbRing>, Error> {
        Ok(SwitchingKey::of_limbs_galois(&self.ring, &secret.key, element, gadget, &self.seed()?, !self.seeded_keys))
    }

    /// The key of an automorphism of what was moved already, of any gadget.
    ///
    /// # Errors
    /// No randomness.
    pub fn moved_key(
        &self,
        secret: &SecretKey,
        element: u64,
        gadget: LimbGadget,
    ) -> Result<SwitchingKey<LimbRing>, Error> {
        Ok(SwitchingKey::of_limbs_moved(&self.ring, &secret.key, element, gadget, &self.seed()?, !self.seeded_keys))
    }

    /// The keys for products, for rotations by these amounts, and for the inversion. Each is a step of the progress.
    ///
    /// # Errors
    /// No randomness; too little memory; a secret key of other parameters; [`Error::Cancelled`].
    pub fn eval_keys(
        &self,
        secret: &SecretKey,
        rotations: &[i64],
        inversion: bool,
        progress: Progress,
    ) -> Result<EvalKeys, Error> {
        let op = "eval_keys";
        self.require(op, "secret key", secret.origin)?;
        let elements: BTreeMap<u64, i64> = rotations.iter().map(|&amount| (self.rotation(amount), amount)).collect();
        let elements = || elements.iter().filter(|(element, _)| **element != 1);
        let total = 1 + elements().count() + usize::from(inversion);
        with_memory(op, self.keys_footprint(total), || {
            let gadget = self.shape.gadget();
            let galois = |element: u64| self.galois_key(secret, element, gadget);
            let relinearization = self.product_key(secret, gadget)?;
            let mut rotations = BTreeMap::new();
            for (&element, &amount) in elements() {
                report(op, progress, 1 + rotations.len(), total)?;
                rotations.insert(element, (amount, galois(element)?));
            }
            let inversion = match inversion {
                true => {
                    report(op, progress, total - 1, total)?;
                    Some(galois(self.inversion())?)
                }
                false => None,
            };
            report(op, progress, total, total)?;
            Ok(EvalKeys { origin: secret.origin, relinearization, rotations, inversion })
        })
    }
}
