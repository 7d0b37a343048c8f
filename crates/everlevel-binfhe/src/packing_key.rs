//! LWE ciphertexts as one ciphertext of a large ring, under another secret: the way back of `ring_switch`
//! (`docs/notes/ways.md`).
//!
//! *Map.* [`PackingParams`] the gadgets and the noise · [`SeededPackingKey`] for files · [`PackingKey`] packs ·
//! [`PackedClaims`] of integers that go.

use std::sync::Arc;

use everlevel_math::fft::{Digits, ExternalProduct};
use everlevel_objects::{require_memory, require_secret};
use everlevel_rand::secrecy::erase_stack;
use everlevel_rand::{Domain, Seed};
use everlevel_ring::{Footprint, Representation, TorusRing, WordBuffer, WordGadget as Gadget, report};
use everlevel_rlwe::{Lwe, Randomness, RowAddress, SIGMA, SecretId, encryptor};
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::automorphisms::{self, Automorphisms, prepare};
use crate::common::{EIGHTH, Space, digit_square};
use crate::compression::{Packing, gadget_of_packing, packing_variance, places};
use crate::gates::same_length;
use crate::key_noise::RARE;
use crate::ring_switch::{best_base, check_rings, in_subring, too_wide};
use crate::{Ciphertext, Error, Params, Progress, SecretKey, noise};

/// Part of a bootstrap's variance that packing and the ring switch are to add at most, each.
const SHARE: f64 = 1.0 / 16.0;
/// Digits of the ring switch, at most.
const MAX_DIGITS: u32 = 4;

/// The numbers of a packing key: from the large secret of parameters to secrets of so many ones and degree `2^log_n`.
#[derive(Debug, Clone, PartialEq)]
pub struct PackingParams {
    outer: Arc<Params>,
    log_n: u32,
    weight: usize,
    packing: Gadget,
    switch: Gadget,
}

impl PackingParams {
    /// The numbers with the fewest digits with which packing and the ring switch add little to a bootstrap's noise.
    ///
    /// # Errors
    /// [`Error::NoRingSwitch`] where bootstraps come before key switches, the ring is smaller than the parameters' own
    /// or larger than the transform, and where errors are too wide.
    pub fn of(outer: &Arc<Params>, log_n: u32, weight: usize) -> Result<Self, Error> {
        let op = "create_packing_key";
        check_rings(op, outer, (log_n, weight))?;
        let bootstrapped = outer.noise().bootstrapped;
        let packing = gadget_of_packing(outer, SHARE * bootstrapped);
        let of_gadget = |switch| Self { outer: Arc::clone(outer), log_n, weight, packing, switch };
        let best = |digits| best_base(digits, of_gadget, |params| params.switch_variance(RARE));
        // A product's two columns take the place of its digits.
        let mut all = (2..=MAX_DIGITS).filter_map(best);
        let found = all.find(|params| params.switch_variance(RARE) <= SHARE * bootstrapped);
        found.filter(|params| params.variance(RARE) <= bootstrapped).ok_or(too_wide(op))
    }

    /// The parameters of the large secret.
    pub fn outer(&self) -> &Arc<Params> {
        &self.outer
    }

    /// log2 of the degree of the ring that ciphertexts go to.
    pub fn log_n(&self) -> u32 {
        self.log_n
    }

    /// Ones, of either sign, of the secret that ciphertexts go to.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// Digits of the half products of packing, and of the ring switch.
    pub fn gadgets(&self) -> [Gadget; 2] {
        [self.packing, self.switch]
    }

    /// Variance that the way adds on average over keys, as a part of the torus squared.
    pub fn mean_variance(&self) -> f64 {
        self.variance(0.0)
    }

    fn variance(&self, deviations: f64) -> f64 {
        packing_variance(&self.outer, self.packing, deviations) + self.switch_variance(deviations)
    }

    /// `N·σ²·k·d + W_S·B^(−2l)/12 + V_fft`, whose transforms' errors are seen through the secret of the large ring.
    fn switch_variance(&self, deviations: f64) -> f64 {
        let (n, rows) = (f64::from(self.log_n).exp2(), self.rows() as f64);
        let digits = rows * digit_square(self.switch);
        let error = (SIGMA * (-64.0f64).exp2()).powi(2) * (1.0 + deviations * (2.0 / (n * rows)).sqrt());
        let rounded = self.outer.big_weight(deviations) * noise::rounding(self.switch);
        n * error * digits + rounded + noise::of_transforms(self.log_n, digits, self.weight as f64)
    }

    /// Rows of the ring switch.
    fn rows(&self) -> usize {
        self.outer.rank() * self.switch.digits as usize
    }

    /// The memory of a key, as seeds and bodies and ready for use.
    pub fn key_footprint(&self) -> Footprint {
        let [packing, switch] = self.bodies_lens().map(|len| 8 * len as u64);
        Footprint { held: packing * (2 + self.outer.rank() as u64) + 3 * switch, work: switch }
    }

    /// Words of the bodies of packing, and of the ring switch.
    pub(crate) fn bodies_lens(&self) -> [usize; 2] {
        [automorphisms::rows(&self.outer, self.packing) * self.outer.n(), self.rows() << self.log_n]
    }

    fn ring(&self) -> TorusRing<u64> {
        TorusRing::new(self.log_n).expect("the degree was checked to be one of the transform")
    }
}

/// A packing key as seeds and bodies, for files and for sending.
#[derive(Debug, Clone)]
pub struct SeededPackingKey {
    params: PackingParams,
    from: SecretId,
    to: SecretId,
    /// Seeds of the masks of packing's rows, and of the ring switch's.
    pub mask_seeds: [Seed; 2],
    /// Bodies of these rows.
    pub bodies: [Vec<u64>; 2],
}

impl SeededPackingKey {
    /// The key to a secret polynomial of small coefficients and a weight that is public, with a seed from the source of
    /// the secret that it is from.
    ///
    /// # Errors
    /// As [`PackingParams::of`], for as many coefficients as a degree; [`Error::Random`],
    /// [`crate::ObjectError::OutOfMemory`].
    pub fn generate(from: &SecretKey, to: (SecretId, &[i8]), weight: usize) -> Result<Self, Error> {
        Self::from_seed(from, to, weight, &from.seeds.next()?)
    }

    /// [`SeededPackingKey::generate`] from a seed that must be secret and fresh.
    ///
    /// # Errors
    /// As [`SeededPackingKey::generate`].
    pub fn from_seed(
        from: &SecretKey,
        (to, coeffs): (SecretId, &[i8]),
        weight: usize,
        seed: &Seed,
    ) -> Result<Self, Error> {
        let params = PackingParams::of(from.params(), coeffs.len().ilog2(), weight)?;
        require_memory("create_packing_key", params.key_footprint())?;
        let seeds = [seed.clone(), seed.derive(Domain::Derive, 0)];
        let [of_packing, of_switch] = seeds.each_ref().map(Randomness::from);
        let packing = automorphisms::bodies(from, params.packing, &of_packing)?;
        let (ring, gadget) = (params.ring(), params.switch);
        let degree = ring.degree();
        let secret = everlevel_rlwe::SecretKey::from_coeffs(&ring, to, coeffs.to_vec());
        let encryptor = encryptor(&ring, secret.prepared());
        let spread = in_subring(from, degree);
        let mut switch = vec![0; params.bodies_lens()[1]];
        switch.par_chunks_mut(degree).enumerate().for_each(|(index, body)| {
            let (part, digit) = (index / gadget.digits as usize, index % gadget.digits as usize);
            // A phase is the body less the product.
            let negated = spread[part * degree..][..degree].iter().map(|&s| -i64::from(s));
            let negated: Zeroizing<Vec<i64>> = Zeroizing::new(negated.collect());
            let message = Zeroizing::new(ring.small(&(), &negated));
            let at = RowAddress { gadget: &gadget, digit, index: index as u64 };
            let (_, row) = encryptor.row(at, &message, &of_switch);
            body.copy_from_slice(&row);
        });
        erase_stack();
        let mask_seeds = [of_packing, of_switch].map(|randomness| randomness.masks().clone());
        Ok(Self { params, from: from.id(), to, mask_seeds, bodies: [packing, switch] })
    }

    /// A key from its parts, for files.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] where there are fewer bodies than the parameters have, or more.
    pub(crate) fn from_parts(
        params: PackingParams,
        [from, to]: [SecretId; 2],
        mask_seeds: [Seed; 2],
        bodies: [Vec<u64>; 2],
    ) -> Result<Self, Error> {
        let lens = params.bodies_lens();
        bodies.iter().zip(lens).try_for_each(|(bodies, len)| same_length("from_parts", bodies.len(), len))?;
        Ok(Self { params, from, to, mask_seeds, bodies })
    }

    /// The numbers.
    pub fn params(&self) -> &PackingParams {
        &self.params
    }

    /// The secret of ciphertexts that are packed.
    pub fn id(&self) -> SecretId {
        self.from
    }

    /// The secret of packed ones.
    pub fn to(&self) -> SecretId {
        self.to
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.bodies.iter().map(|bodies| size_of_val(&bodies[..])).sum()
    }

    /// The key ready for use.
    pub fn prepare(&self) -> PackingKey {
        let (params, ring) = (self.params.clone(), self.params.ring());
        let outer = Arc::clone(&params.outer);
        let small = TorusRing::<u64>::new(outer.log_n).expect("parameters hold the transform's sizes");
        let [packing, switch] = &self.mask_seeds;
        let automorphisms = Automorphisms::new(&small, &outer, params.packing, packing, &self.bodies[0]);
        let product = ExternalProduct::half::<u64>(ring.fft().clone(), &[Digits::from(params.switch)], 2, 0);
        let mut matrices = WordBuffer::zeroed(outer.rank() * product.matrix_len());
        for (part, matrix) in matrices.chunks_exact_mut(product.matrix_len()).enumerate() {
            prepare(&ring, &product, matrix, (switch, &self.bodies[1], part * product.rows()));
        }
        PackingKey { params, from: self.from, to: self.to, automorphisms, product, matrices }
    }
}

/// Claims of packed integers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PackedClaims {
    /// Standard deviation of an error, in units of the distance between integers.
    pub std_dev: f64,
    /// Probability that any of them was wrong before.
    pub failure_probability: f64,
}

/// A packing key, ready for use. It holds nothing secret.
#[derive(Debug)]
pub struct PackingKey {
    params: PackingParams,
    from: SecretId,
    to: SecretId,
    automorphisms: Automorphisms,
    /// Products of one polynomial, by a matrix for each of the secret's.
    product: ExternalProduct,
    matrices: WordBuffer<f64>,
}

impl PackingKey {
    /// The secret of ciphertexts that are packed.
    pub fn id(&self) -> SecretId {
        self.from
    }

    /// The secret of packed ones.
    pub fn to(&self) -> SecretId {
        self.to
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.automorphisms.nbytes() + size_of_val(&self.matrices[..])
    }

    /// Claims of ciphertexts that are packed as integers of so many bits, `m` at `m/2^(bits+1)`; where the parameters'
    /// integers have `t` bits, fewer than these, at multiples of `2^(bits−t)`.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`]; [`Error::SpaceExhausted`] for integers that may have more bits.
    pub fn claims(&self, op: &'static str, all: &[Ciphertext], bits: u32) -> Result<PackedClaims, Error> {
        all.iter().try_for_each(|x| require_secret(op, "ciphertext", x.key(), self.from))?;
        let (most, found) = ((1 << bits) - 1, all.iter().map(Ciphertext::max_value).max().unwrap_or(0));
        if found > most {
            return Err(Error::SpaceExhausted { op, max_value: found, max: most });
        }
        let factor = f64::from(self.log2_factor(bits)).exp2();
        let packed = Ciphertext::max_variance_torus(all) + packing_variance(self.outer(), self.params.packing, RARE);
        let variance = factor * factor * packed + self.params.switch_variance(RARE);
        let failure = |x: &Ciphertext| x.noise().failures().probability();
        let failure_probability = all.iter().map(failure).fold(0.0, f64::max);
        Ok(PackedClaims { std_dev: variance.sqrt() * f64::from(bits + 1).exp2(), failure_probability })
    }

    fn outer(&self) -> &Params {
        &self.params.outer
    }

    /// log2 of what brings integers to those of fewer bits.
    fn log2_factor(&self, bits: u32) -> u32 {
        bits_of(self.outer().space).saturating_sub(bits)
    }

    /// The ciphertext of the large ring, `(c0, c1)` of phases `c0 + c1·s`, whose coefficients at some places have the
    /// integers of these ciphertexts, in their order, and zeros elsewhere. Else as [`PackingKey::claims`].
    ///
    /// # Errors
    /// As [`PackingKey::claims`]; [`Error::LengthMismatch`] for other numbers of places than of ciphertexts;
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If a place isn't below the degree.
    pub fn pack(
        &self,
        op: &'static str,
        all: &[Ciphertext],
        (at, bits): (&[usize], u32),
        progress: Progress<'_>,
    ) -> Result<[Vec<u64>; 2], Error> {
        self.claims(op, all, bits)?;
        same_length(op, at.len(), all.len())?;
        let (outer, degree) = (self.outer(), 1usize << self.params.log_n);
        let (n, masks_len) = (outer.n(), outer.rank() * degree);
        let (count, log2_factor) = (degree / n, self.log2_factor(bits));
        let shift = if outer.space == Space::Bit { EIGHTH } else { 0 };
        let zero = Lwe::trivial(outer.big_dim, 0);
        let mut wide = vec![0; masks_len + degree];
        for part in 0..count {
            let mut packed: Vec<&Lwe> = vec![&zero; n];
            let mut wanted = vec![0; n];
            for (x, &place) in all.iter().zip(at).filter(|(_, place)| *place % count == part) {
                packed[place / count] = x.lwe();
                wanted[place / count] = shift;
            }
            if packed.iter().all(|&lwe| std::ptr::eq(lwe, &raw const zero)) {
                continue;
            }
            let glwe = Packing { automorphisms: &self.automorphisms, all: &packed }.pack();
            debug_assert!(places(n, n).eq(0..n), "the places of a whole polynomial");
            let (masks, body) = glwe.split_at(glwe.len() - n);
            let shifted = body.iter().zip(&wanted).map(|(word, shift)| word.wrapping_add(*shift));
            let words = masks.iter().copied().chain(shifted).map(|word| word << log2_factor);
            for (j, word) in words.enumerate() {
                wide[j * count + part] = word;
            }
            report(op, progress, part + 1, count)?;
        }
        let (masks, body) = wide.split_at(masks_len);
        let mut out = vec![0; 2 * degree];
        out[degree..].copy_from_slice(body);
        let mut scratch = vec![0.0; self.product.scratch_len()];
        let matrices = self.matrices.chunks_exact(self.product.matrix_len());
        for (mask, matrix) in masks.chunks_exact(degree).zip(matrices) {
            self.product.add([(&mut out, mask)], matrix, &mut scratch, &[]);
        }
        let c0 = out.split_off(degree);
        out.iter_mut().for_each(|word| *word = word.wrapping_neg());
        Ok([c0, out])
    }
}

/// Bits of the integers `m` that are at `m/2^(bits+1)`, for bits after a shift.
fn bits_of(space: Space) -> u32 {
    match space {
        Space::Bit => 1,
        Space::Integer { bits } => bits,
    }
}
