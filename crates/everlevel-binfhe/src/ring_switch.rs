#![doc = include_str!("../notes/ways.md")]
//!
//! *Map.* [`RingSwitchParams`] the gadget and the noise · [`SeededRingSwitchKey`] for files · [`RingSwitchKey`]
//! switches · [`RingClaims`] of integers that come in.

use std::sync::Arc;

use everlevel_math::fft::{Digits, ExternalProduct};
use everlevel_objects::{require_memory, require_secret};
use everlevel_rand::Seed;
use everlevel_rand::secrecy::erase_stack;
use everlevel_ring::{Footprint, Representation, TorusRing, WordBuffer, WordGadget as Gadget};
use everlevel_rlwe::{Encryptor, Randomness, RowAddress, SecretId, lwe};
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::automorphisms::prepare;
use crate::common::{EIGHTH, Order, Space, digit_square, gaussian};
use crate::gates::same_length;
use crate::key_noise::RARE;
use crate::{Ciphertext, Error, FailureBound, NoiseSum, Params, SecretKey, half_products, noise, noise_sum};

/// log2 of the degrees that the transform has, at most.
const MAX_LOG_N: u32 = 16;
/// Digits beside as many as columns, at most.
const MORE_DIGITS: u32 = 2;
/// Bits of a gadget's base, at most.
const MAX_BASE: u32 = 30;

/// The numbers of a switch by gadgets of so many digits with the smallest variance.
pub(crate) fn best_base<T>(digits: u32, of: impl Fn(Gadget) -> T, variance: impl Fn(&T) -> f64) -> Option<T> {
    let all = (1..=MAX_BASE.min(62 / digits)).map(|log2_base| of(Gadget::new(log2_base, digits)));
    all.min_by(|a, b| variance(a).total_cmp(&variance(b)))
}

/// Refuses parameters without a way to a ring of degree `2^log_n` and a secret of so many ones, or back.
pub(crate) fn check_rings(op: &'static str, outer: &Params, (log_n, weight): (u32, usize)) -> Result<(), Error> {
    let refuse = |found: String, needed: String| Err(Error::NoRingSwitch { op, found, needed });
    if outer.order != Order::KeySwitchFirst {
        return refuse("bootstraps before key switches".into(), "key switches first".into());
    }
    if !(outer.log_n..=MAX_LOG_N).contains(&log_n) {
        let needed = format!("one of degree 2^{} at least, and 2^{MAX_LOG_N} at most", outer.log_n);
        return refuse(format!("a ring of degree 2^{} beside one of 2^{log_n}", outer.log_n), needed);
    }
    if !(1..=1 << log_n).contains(&weight) {
        return refuse(format!("a switch beside a secret of {weight} ones"), format!("1 to {}", 1u64 << log_n));
    }
    Ok(())
}

/// The refusal of errors that a way would add too much to.
pub(crate) fn too_wide(op: &'static str) -> Error {
    Error::NoRingSwitch { op, found: "errors too wide for a ring switch".into(), needed: "narrower ones".into() }
}

/// Polynomials of the subring of degree-`degree` ones: each of the large secret's, `S(X^(N/n))`, one after another.
pub(crate) fn in_subring(secret: &SecretKey, degree: usize) -> Zeroizing<Vec<i8>> {
    let (n, rank) = (secret.params().n(), secret.params().rank());
    let mut spread = Zeroizing::new(vec![0i8; rank * degree]);
    let polynomials = secret.big_key().coeffs().chunks_exact(n);
    for (out, polynomial) in spread.chunks_exact_mut(degree).zip(polynomials) {
        out.iter_mut().step_by(degree / n).zip(polynomial).for_each(|(out, &s)| *out = s);
    }
    spread
}

/// The numbers of a ring switch: from secrets of so many ones and degree `2^log_n` to the large secret of parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct RingSwitchParams {
    outer: Arc<Params>,
    log_n: u32,
    weight: usize,
    gadget: Gadget,
}

impl RingSwitchParams {
    /// The numbers with the fewest digits with which a switch adds no more noise than a bootstrap.
    ///
    /// # Errors
    /// [`Error::NoRingSwitch`] where bootstraps come before key switches, the ring is smaller than the parameters' own
    /// or larger than the transform, and where errors are too wide.
    pub fn of(outer: &Arc<Params>, log_n: u32, weight: usize) -> Result<Self, Error> {
        let op = "create_ring_switch_key";
        check_rings(op, outer, (log_n, weight))?;
        let of_gadget = |gadget| Self { outer: Arc::clone(outer), log_n, weight, gadget };
        let best = |digits| best_base(digits, of_gadget, |params| params.switch_variance(RARE));
        // A product's columns take the place of its digits.
        let least = outer.rank() as u32 + 1;
        let mut all = (least..=least + MORE_DIGITS).filter_map(best);
        let bootstrapped = outer.noise().bootstrapped;
        match all.find(|params| params.switch_variance(RARE) <= bootstrapped) {
            Some(params) => Ok(params),
            None => Err(too_wide(op)),
        }
    }

    /// The parameters of the large secret.
    pub fn outer(&self) -> &Arc<Params> {
        &self.outer
    }

    /// log2 of the degree of the ring that ciphertexts come from.
    pub fn log_n(&self) -> u32 {
        self.log_n
    }

    /// Ones, of either sign, of the secret that ciphertexts come from.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// Digits of the half product.
    pub fn gadget(&self) -> Gadget {
        self.gadget
    }

    /// Variance that a switch adds on average over keys, as a part of the torus squared.
    pub fn mean_variance(&self) -> f64 {
        self.switch_variance(0.0)
    }

    fn switch_variance(&self, deviations: f64) -> f64 {
        let squares = f64::from(self.gadget.digits) * digit_square(self.gadget);
        let sums = (squares, self.weight as f64);
        half_products::variance_in(self.log_n, &self.outer, (1, self.gadget), sums, deviations)
    }

    /// The memory of a key, as a seed and bodies and ready for use.
    pub fn key_footprint(&self) -> Footprint {
        let bodies = 8 * self.bodies_len() as u64;
        Footprint { held: bodies * (2 + self.outer.rank() as u64), work: bodies }
    }

    /// Words of the key's bodies.
    pub(crate) fn bodies_len(&self) -> usize {
        (self.gadget.digits as usize) << self.log_n
    }

    fn ring(&self) -> TorusRing<u64> {
        TorusRing::new(self.log_n).expect("the degree was checked to be one of the transform")
    }
}

/// The key of a ring switch as a seed and bodies, for files and for sending.
#[derive(Debug, Clone)]
pub struct SeededRingSwitchKey {
    params: RingSwitchParams,
    from: SecretId,
    to: SecretId,
    /// The seed of the rows' masks.
    pub mask_seed: Seed,
    /// Bodies of the rows.
    pub bodies: Vec<u64>,
}

impl SeededRingSwitchKey {
    /// The key from a secret polynomial of small coefficients and a weight that is public, with a seed from the source
    /// of the secret that it is to.
    ///
    /// # Errors
    /// As [`RingSwitchParams::of`], for as many coefficients as a degree; [`Error::Random`],
    /// [`crate::ObjectError::OutOfMemory`].
    pub fn generate(from: (SecretId, &[i8]), weight: usize, to: &SecretKey) -> Result<Self, Error> {
        Self::from_seed(from, weight, to, &to.seeds.next()?)
    }

    /// [`SeededRingSwitchKey::generate`] from a seed that must be secret and fresh.
    ///
    /// # Errors
    /// As [`SeededRingSwitchKey::generate`].
    pub fn from_seed(
        (from, coeffs): (SecretId, &[i8]),
        weight: usize,
        to: &SecretKey,
        seed: &Seed,
    ) -> Result<Self, Error> {
        let params = RingSwitchParams::of(to.params(), coeffs.len().ilog2(), weight)?;
        require_memory("create_ring_switch_key", params.key_footprint())?;
        let (ring, gadget, outer) = (params.ring(), params.gadget, to.params());
        let degree = ring.degree();
        let mut spread = in_subring(to, degree);
        let secret = everlevel_rlwe::SecretKey::from_coeffs(&ring, to.id(), std::mem::take(&mut *spread));
        let wide: Zeroizing<Vec<i64>> = Zeroizing::new(coeffs.iter().map(|&s| i64::from(s)).collect());
        let message = Zeroizing::new(ring.small(&(), &wide));
        let error = gaussian(outer.big_log2_std_dev, u64::BITS)?;
        let encryptor = Encryptor { ring: &ring, secret: secret.prepared(), error: &error };
        let randomness = Randomness::from(seed);
        let mut bodies = vec![0; params.bodies_len()];
        bodies.par_chunks_mut(degree).enumerate().for_each(|(digit, body)| {
            let at = RowAddress { gadget: &gadget, digit, index: digit as u64 };
            let (_, row) = encryptor.row(at, &message, &randomness);
            body.copy_from_slice(&row);
        });
        erase_stack();
        Ok(Self { params, from, to: to.id(), mask_seed: randomness.masks().clone(), bodies })
    }

    /// A key from its parts, for files.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] where there are fewer bodies than the parameters have, or more.
    pub(crate) fn from_parts(
        params: RingSwitchParams,
        [from, to]: [SecretId; 2],
        mask_seed: Seed,
        bodies: Vec<u64>,
    ) -> Result<Self, Error> {
        same_length("from_parts", bodies.len(), params.bodies_len())?;
        Ok(Self { params, from, to, mask_seed, bodies })
    }

    /// The numbers.
    pub fn params(&self) -> &RingSwitchParams {
        &self.params
    }

    /// The secret of ciphertexts that come in.
    pub fn from(&self) -> SecretId {
        self.from
    }

    /// The secret of ciphertexts that come out.
    pub fn id(&self) -> SecretId {
        self.to
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        size_of_val(&self.bodies[..])
    }

    /// The key ready for use.
    pub fn prepare(&self) -> RingSwitchKey {
        let (params, ring) = (self.params.clone(), self.params.ring());
        let columns = params.outer.rank() + 1;
        let product = ExternalProduct::half::<u64>(ring.fft().clone(), &[Digits::from(params.gadget)], columns, 0);
        let mut matrix = WordBuffer::zeroed(product.matrix_len());
        prepare(&ring, &product, &mut matrix, (&self.mask_seed, &self.bodies, 0));
        RingSwitchKey { params, from: self.from, to: self.to, product, matrix }
    }
}

/// Claims of integers in coefficients of ciphertexts of a large ring on the torus.
#[derive(Debug, Clone, Copy)]
pub struct RingClaims {
    /// The operation that errors name.
    pub op: &'static str,
    /// The secret `s` of phases `c0 + c1·s`.
    pub secret: SecretId,
    /// Bits of an integer `m`, whose phase is `m/2^(bits+1)`.
    pub bits: u32,
    /// The largest integer that there may be.
    pub max_value: u64,
    /// A bound of each phase's error, in units of the distance between integers.
    pub error: f64,
    /// Probability that any of the integers is wrong, or an error is beyond the bound.
    pub failure_probability: f64,
}

/// The way of integers to the parameters' messages.
struct Fitted {
    log2_factor: u32,
    /// Torus element that is added to a multiple.
    shift: u64,
    variance: f64,
}

/// The key of a ring switch, ready for use. It holds nothing secret.
#[derive(Debug)]
pub struct RingSwitchKey {
    params: RingSwitchParams,
    from: SecretId,
    to: SecretId,
    product: ExternalProduct,
    matrix: WordBuffer<f64>,
}

impl RingSwitchKey {
    /// The secret of ciphertexts that come in.
    pub fn from(&self) -> SecretId {
        self.from
    }

    /// The secret of ciphertexts that come out.
    pub fn id(&self) -> SecretId {
        self.to
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        size_of_val(&self.matrix[..])
    }

    /// The GLWE ciphertexts, masks and body of each, whose coefficients have the phases of a ciphertext of the large
    /// ring, `c0 + c1·s`: coefficient `j` of the `i`-th that of coefficient `i + j·N/n`.
    ///
    /// # Panics
    /// If there are not as many words as the ring's degree.
    pub fn switch(&self, [c0, c1]: [&[u64]; 2]) -> Vec<Vec<u64>> {
        let (degree, columns) = (1 << self.params.log_n, self.product.columns());
        assert_eq!([c0.len(), c1.len()], [degree; 2], "words of a polynomial");
        let mut wide = vec![0; columns * degree];
        wide[(columns - 1) * degree..].copy_from_slice(c0);
        let mut scratch = vec![0.0; self.product.scratch_len()];
        self.product.add([(&mut wide, c1)], &self.matrix, &mut scratch, &[]);
        let count = degree / self.params.outer.n();
        let part = |i: usize| {
            let column = |column: &[u64]| column[i..].iter().step_by(count).copied().collect::<Vec<u64>>();
            wide.chunks_exact(degree).flat_map(column).collect()
        };
        (0..count).map(part).collect()
    }

    /// Refuses so many integers that [`RingSwitchKey::integers`] would, before any work.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`crate::ObjectError::OutOfMemory`]; [`Error::SpaceExhausted`] for integers
    /// that the parameters' space doesn't hold, [`Error::WrongSpace`] where it is larger than that of the integers, and
    /// [`Error::NoiseExhausted`] for more noise than a bootstrap takes.
    pub fn check(&self, claims: &RingClaims, len: usize) -> Result<(), Error> {
        self.fitted(claims, len).map(|_| ())
    }

    /// LWE ciphertexts of the integers at places of a ciphertext `(c0, c1)`, bits for gates.
    ///
    /// # Errors
    /// As [`RingSwitchKey::check`]; [`Error::LengthMismatch`] for a ciphertext of another degree.
    ///
    /// # Panics
    /// If a place isn't below the degree.
    pub fn integers(
        &self,
        parts: [&[u64]; 2],
        places: &[usize],
        claims: &RingClaims,
    ) -> Result<Vec<Ciphertext>, Error> {
        let Fitted { log2_factor, shift, variance } = self.fitted(claims, places.len())?;
        parts.iter().try_for_each(|part| same_length(claims.op, part.len(), 1 << self.params.log_n))?;
        let [c0, c1] = parts.map(|part| part.iter().map(|&word| word << log2_factor).collect::<Vec<u64>>());
        let history = FailureBound::one(noise_sum::name(&c1), claims.failure_probability);
        let (parts, n, dim) = (self.switch([&c0, &c1]), self.params.outer.n(), self.params.outer.big_dim);
        let one = |&place: &usize| {
            let mut lwe = lwe::extract(&parts[place % parts.len()], n, place / parts.len(), dim);
            lwe.add_plain(shift);
            let noise = NoiseSum::of(&lwe, variance).after(history.clone());
            Ciphertext::from_parts(lwe, self.to, noise, claims.max_value)
        };
        Ok(places.par_iter().map(one).collect())
    }

    /// An upper bound of the probability that a bootstrap rounds a number to the other side of where integers change
    /// over that it is so far away from, in units of the distance between integers.
    pub fn misrounding(&self, claims: &RingClaims, distance: f64) -> f64 {
        let outer = &*self.params.outer;
        // Half of the distance between messages is the margin.
        let margin = 2.0 * (distance - claims.error).max(0.0) * outer.margin_torus();
        let variance = outer.noise().at_table(self.params.switch_variance(RARE));
        (claims.failure_probability + noise::log2_p_fail(margin, variance).exp2()).min(1.0)
    }

    fn fitted(&self, claims: &RingClaims, len: usize) -> Result<Fitted, Error> {
        let (op, outer) = (claims.op, &*self.params.outer);
        require_secret(op, "ciphertext", claims.secret, self.from)?;
        let (bits, shift) = match outer.space {
            Space::Bit => (1, EIGHTH.wrapping_neg()),
            Space::Integer { bits } => (bits, 0),
        };
        if claims.max_value > outer.space.max() {
            return Err(Error::SpaceExhausted { op, max_value: claims.max_value, max: outer.space.max() });
        }
        let Some(log2_factor) = claims.bits.checked_sub(bits) else {
            let (found, needed) = (format!("integers of {bits} bits"), "integers of no more bits than come in");
            return Err(Error::WrongSpace { op, found, needed });
        };
        let most = noise::variance_at(outer.margin_torus(), outer.max_log2_p_fail);
        // Half of the distance between messages is the margin.
        let variance = self.params.switch_variance(RARE) + 4.0 * (2.0 * claims.error) * most;
        let log2_p_fail = noise::log2_p_fail(outer.margin_torus(), outer.noise().at_table(variance));
        if log2_p_fail.is_nan() || log2_p_fail > outer.max_log2_p_fail {
            return Err(Error::NoiseExhausted { op, log2_p_fail, max_log2_p_fail: outer.max_log2_p_fail });
        }
        require_memory(op, outer.ciphertexts_footprint(len))?;
        Ok(Fitted { log2_factor, shift, variance })
    }
}
