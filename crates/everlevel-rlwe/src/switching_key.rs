//! Switching keys and the half external product.

use std::convert::Infallible;

use everlevel_math::monomial::inverse_mod_power_of_two;
use everlevel_rand::Seed;
use everlevel_ring::base2k::coefficients;
use everlevel_ring::{
    Footprint, HalfProduct, LimbGadget, LimbRing, PackedPoly, PrimeSet, Representation, Ring, RnsGadget,
};
use zeroize::Zeroizing;

use crate::encryptor::{RowAddress, encryptor};
use crate::{Randomness, Rlwe, SIGMA, SecretKey};

/// The key of a half product: prepared rows that hide a message in the units of a gadget.
///
/// *Over residues*: for each digit `k`, `(b_k, a_k)` with `b_k + a_k·s' = P·T_k·s + e_k` modulo `Q·P`, where `T_k` is 1
/// modulo the digit's primes and 0 modulo the others; packed, in transform representation, seeded or expanded (see
/// [`everlevel_ring::ResidueRows`]).
///
/// *Over limbs*: a key for elements of the most limbs serves all that have fewer, whose products use a corner of it.
#[derive(Debug)]
pub struct SwitchingKey<R: HalfProduct = Ring> {
    gadget: R::Gadget,
    rows: R::Rows,
}

impl<R: HalfProduct> SwitchingKey<R> {
    /// A key that turns products by a message into ciphertexts under the secret `to`. A seeded key holds the seed of
    /// its masks, where the representation can do without them.
    pub fn generate(
        ring: &R,
        (message, to): (&R::Poly, &R::Secret),
        gadget: R::Gadget,
        randomness: impl Into<Randomness>,
        expanded: bool,
    ) -> Self {
        let randomness = randomness.into();
        let encryptor = encryptor(ring, to);
        let row = |digit: usize| {
            let at = RowAddress { gadget: &gadget, digit, index: digit as u64 };
            let (mut masks, body) = encryptor.row(at, message, &randomness);
            let mask = masks.pop().unwrap_or_else(|| unreachable!("one mask"));
            Ok::<_, Infallible>([mask, body])
        };
        let Ok(rows) = ring.rows(&gadget, randomness.masks(), expanded, row);
        Self { gadget, rows }
    }

    /// A key of prepared rows.
    pub fn from_rows(gadget: R::Gadget, rows: R::Rows) -> Self {
        Self { gadget, rows }
    }

    /// The shape.
    pub fn gadget(&self) -> &R::Gadget {
        &self.gadget
    }

    /// The rows.
    pub fn rows(&self) -> &R::Rows {
        &self.rows
    }

    /// The seed that the masks expand from. It is public.
    pub fn mask_seed(&self) -> &Seed {
        R::mask_seed(&self.rows)
    }

    /// Bytes held in memory.
    pub fn nbytes(&self) -> usize {
        R::rows_nbytes(&self.rows)
    }

    /// The ciphertext under the key's secret, where the key's message is the secret that it was under:
    /// `(c0, 0) + c1·key`.
    pub fn switch(&self, ring: &R, ct: &Rlwe<R>) -> Rlwe<R> {
        self.switch_many(ring, std::slice::from_ref(ct)).remove(0)
    }

    /// [`SwitchingKey::switch`] of several ciphertexts over one modulus, which share the traffic of the key.
    pub fn switch_many(&self, ring: &R, cts: &[Rlwe<R>]) -> Vec<Rlwe<R>> {
        let (bodies, masks): (Vec<_>, Vec<_>) = cts.iter().map(|ct| (&ct.c0, &ct.c1)).unzip();
        let digits = ring.digits(&self.gadget, &masks);
        let all = ring.switch(digits, &self.gadget, &self.rows, &bodies);
        all.into_iter().map(Rlwe::from).collect()
    }

    /// [`SwitchingKey::switch`] of a body and a mask's digits, over the body's modulus.
    pub fn switch_digits(&self, ring: &R, body: &R::Poly, digits: &R::Digits) -> Rlwe<R> {
        ring.switch(vec![digits], &self.gadget, &self.rows, &[body]).remove(0).into()
    }

    /// `σ(ct)` over `ct`'s modulus, for the automorphism that this is the key of.
    pub fn automorphism(&self, ring: &R, ct: &Rlwe<R>, galois_elt: u64) -> Rlwe<R> {
        self.switch(ring, ct).moved(ring, galois_elt)
    }

    /// [`SwitchingKey::automorphism`] of a body and a mask's digits.
    pub fn automorphism_digits(&self, ring: &R, body: &R::Poly, digits: &R::Digits, galois_elt: u64) -> Rlwe<R> {
        self.switch_digits(ring, body, digits).moved(ring, galois_elt)
    }

    /// [`SwitchingKey::automorphism`] of several ciphertexts over one modulus, which share the traffic of the key.
    pub(crate) fn automorphism_many(&self, ring: &R, cts: &[Rlwe<R>], galois_elt: u64) -> Vec<Rlwe<R>> {
        self.switch_many(ring, cts).into_iter().map(|ct| ct.moved(ring, galois_elt)).collect()
    }

    /// Automorphisms of one ciphertext, each with its key. Keys of one gadget after another share the ciphertext's
    /// digits (hoisting).
    pub fn automorphisms(ring: &R, ct: &Rlwe<R>, moves: &[(u64, &Self)]) -> Vec<Rlwe<R>> {
        let mut hoisted: Option<(&R::Gadget, R::Digits)> = None;
        let mut all = Vec::with_capacity(moves.len());
        for &(galois_elt, key) in moves {
            let digits = match hoisted.take() {
                Some((gadget, digits)) if gadget == &key.gadget => digits,
                _ => ring.digits(&key.gadget, &[&ct.c1]).remove(0),
            };
            all.push(key.automorphism_digits(ring, &ct.c0, &digits, galois_elt));
            hoisted = Some((&key.gadget, digits));
        }
        all
    }

    /// Products of ciphertexts as ciphertexts over a modulus, where this is a key of the secret's square.
    pub fn relinearize_many(&self, ring: &R, tensors: Vec<R::Tensor>, to: &R::Modulus) -> Vec<Rlwe<R>> {
        ring.relinearize(tensors, &self.gadget, &self.rows, to).into_iter().map(Rlwe::from).collect()
    }

    /// [`SwitchingKey::relinearize_many`] of one product.
    pub fn relinearize(&self, ring: &R, tensor: R::Tensor, to: &R::Modulus) -> Rlwe<R> {
        self.relinearize_many(ring, vec![tensor], to).remove(0)
    }
}

impl SwitchingKey {
    /// The memory of a key of this shape, and of making it ([`SwitchingKey::generate_galois`]).
    pub fn footprint(ring: &Ring, gadget: &RnsGadget, expanded: bool) -> Footprint {
        let (n, limbs) = (ring.n(), gadget.full_set().len());
        let polys = gadget.digits.len() * if expanded { 2 } else { 1 };
        // Mask and body of a row, the image of the secret, and the coefficients of an error.
        let work = 2 * limbs + ring.all_primes().len() + 1;
        Footprint { held: (polys * PackedPoly::nbytes_of(n, limbs)) as u64, work: (8 * n * work) as u64 }
    }

    /// Limbs of a key switch of a polynomial over a set: digits and their product with the key, or this and what it is
    /// divided with.
    pub fn switch_limbs(gadget: &RnsGadget, set: &PrimeSet) -> usize {
        let full = set.len() + gadget.special.len();
        (gadget.digit_count(set) * full + 2 * full).max(4 * full)
    }

    /// Bytes of the seeded form.
    pub fn seeded_nbytes(&self) -> usize {
        self.rows.bodies().iter().map(PackedPoly::nbytes).sum::<usize>() + 32
    }

    /// Whether the masks are held.
    pub fn is_expanded(&self) -> bool {
        self.rows.masks().is_some()
    }

    /// The key with its masks held, for uses that follow one another: none where this key holds them.
    #[must_use]
    pub fn expanded(&self, ring: &Ring) -> Option<Self> {
        let rows = self.rows.expanded(ring)?;
        Some(Self { gadget: self.gadget.clone(), rows })
    }

    /// The key for ciphertexts over `set` and fewer primes, in memory of its own: what it needs of this key, with the
    /// same results.
    #[must_use]
    pub fn restricted(&self, set: &PrimeSet) -> Self {
        let gadget = self.gadget.restricted(set);
        let rows = self.rows.restricted(gadget.digits.len(), &gadget.full_set());
        Self { gadget, rows }
    }

    /// Whether ciphertexts over `set` can be switched.
    pub fn serves(&self, set: &PrimeSet) -> bool {
        set.is_subset(&self.gadget.ciphertext_set())
    }

    /// The key for the automorphism `σ: X ↦ X^galois_elt`, stored moved back by it: its product with the digits of `c1`
    /// encrypts `c1·s` under `σ^-1(s)`, so that one permutation of the result gives `σ(c1)·σ(s)` under `s`, and digits
    /// are shared by all automorphisms of one ciphertext.
    pub fn generate_galois(
        ring: &Ring,
        secret: &SecretKey,
        galois_elt: u64,
        gadget: RnsGadget,
        randomness: impl Into<Randomness>,
        expanded: bool,
    ) -> Self {
        let inverse = inverse_mod_power_of_two(galois_elt, 2 * ring.n() as u64);
        let moved = Zeroizing::new(ring.automorphism(secret.eval(), inverse));
        Self::generate(ring, (secret.eval(), &moved), gadget, randomness, expanded)
    }
}

impl SwitchingKey<LimbRing> {
    /// The key of half products with a polynomial of small integers, such as another secret or a square of one.
    pub fn of_limbs(
        ring: &LimbRing,
        secret: &SecretKey<LimbRing>,
        message: &[i64],
        gadget: LimbGadget,
        randomness: impl Into<Randomness>,
        expanded: bool,
    ) -> Self {
        // As many limbs as its integers take.
        let message = Zeroizing::new(ring.small(&64usize.div_ceil(ring.base().log2() as usize), message));
        Self::generate(ring, (&message, secret.prepared()), gadget, randomness, expanded)
    }

    /// The key for an automorphism, stored moved back by it, as [`SwitchingKey::generate_galois`] has it for residues.
    pub fn of_limbs_galois(
        ring: &LimbRing,
        secret: &SecretKey<LimbRing>,
        galois_elt: u64,
        gadget: LimbGadget,
        randomness: impl Into<Randomness>,
        expanded: bool,
    ) -> Self {
        let inverse = inverse_mod_power_of_two(galois_elt, 2 * ring.degree() as u64);
        let [wide, moved] = [1, inverse].map(|element| moved_coeffs(ring, secret, element));
        let moved = SecretKey::from_coeffs(ring, secret.id(), moved.iter().map(|&c| c as i8).collect());
        Self::of_limbs(ring, &moved, &wide, gadget, randomness, expanded)
    }

    /// The key of a half product with `σ(s)`: for masks that were moved before. Products with such keys of several
    /// automorphisms may be added before they are carried ([`LimbRing::finish_sum`]).
    pub fn of_limbs_moved(
        ring: &LimbRing,
        secret: &SecretKey<LimbRing>,
        galois_elt: u64,
        gadget: LimbGadget,
        randomness: impl Into<Randomness>,
        expanded: bool,
    ) -> Self {
        let moved = moved_coeffs(ring, secret, galois_elt);
        Self::of_limbs(ring, secret, &moved, gadget, randomness, expanded)
    }
}

/// Coefficients of `σ(s)`, for the automorphism `X ↦ X^galois_elt`.
fn moved_coeffs(ring: &LimbRing, secret: &SecretKey<LimbRing>, galois_elt: u64) -> Zeroizing<Vec<i64>> {
    let wide = Zeroizing::new(secret.coeffs().iter().map(|&c| i64::from(c)).collect::<Vec<_>>());
    let mut moved = Zeroizing::new(vec![0; ring.degree()]);
    coefficients::automorphism_into(&mut [&mut moved], &[&wide], galois_elt);
    moved
}

/// A half external product with digits of at most `log2_digit` bits, divided by `P`: `(D/P)·σ·√(digits·n/12)`, to which
/// the rounding of the division adds.
///
/// *Over limbs*, in units of the last of a result's `l` limbs, a digit has `D·K` bits, and the key's limbs beyond `l`
/// stand for `P`: `(limbs − l)·K` bits. The rounding is that of the result to its limbs.
pub fn key_switch_std_dev(n: usize, digits: usize, log2_digit: f64, log2_special: f64) -> f64 {
    (log2_digit - log2_special).exp2() * SIGMA * (digits as f64 * n as f64 / 12.0).sqrt()
}
