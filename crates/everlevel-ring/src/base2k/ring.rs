//! Limbs as a representation of key material.

use std::sync::Arc;

use everlevel_math::base2k::Base;
use everlevel_rand::{Domain, Seed};
use rayon::prelude::*;
use zeroize::{Zeroize, Zeroizing};

use super::{Error, Limbs, Module, Operands, Transform, coefficients};
use crate::{Limb, Representation, SampleRing};

/// Limbs of a sum beyond those of the result: what is left out of them is below a unit of the last limb that is kept.
pub(super) const GUARD: usize = 2;

/// Elements of `T[X]/(X^n + 1)` as limbs of one base. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LimbRing {
    module: Arc<Module>,
    base: Base,
    max_limbs: usize,
}

/// How elements are cut for half products, and the shape of a key: digits of several limbs each, from the most
/// significant one downwards.
///
/// A digit of `D` limbs makes keys `D` times smaller, and takes `D·K` bits of the key's precision for its noise: keys
/// have `D` limbs more than what they are multiplied with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimbGadget {
    /// Limbs of a digit, `D`.
    pub digit_limbs: usize,
    /// Digits, and so rows of a key.
    pub digits: usize,
    /// Limbs of a key: the modulus that a security claim is about is `2^(K·limbs)`.
    pub limbs: usize,
}

impl LimbGadget {
    /// The gadget for elements of `limbs` limbs, with `D` limbs more in the key.
    ///
    /// # Panics
    /// If a digit has no limbs.
    pub fn new(limbs: usize, digit_limbs: usize) -> Self {
        assert!(digit_limbs > 0, "a digit has limbs");
        Self { digit_limbs, digits: limbs.div_ceil(digit_limbs), limbs: limbs + digit_limbs }
    }
}

/// The polynomials of a secret, transformed.
#[derive(Debug)]
pub struct LimbSecret(pub(super) Vec<Vec<Limb>>);

/// The parts of a product of ciphertexts, as transforms whose limbs aren't carried yet.
#[derive(Debug)]
pub struct LimbTensor {
    pub(super) limbs: usize,
    /// Products of limbs in a sum, at most.
    pub(super) terms: usize,
    pub(super) sums: [Vec<Limb>; 3],
}

/// The limbs that are added where transforms become limbs.
#[derive(Debug, Clone, Copy)]
pub(super) enum Onto<'a> {
    Nothing,
    Limbs(&'a Limbs),
    /// Transforms modulo primes, of sums whose bounds leave room for both.
    Transforms(&'a [Limb]),
}

/// Slices of buffers.
pub(super) fn words(limbs: &[Limb]) -> Vec<&[u64]> {
    limbs.iter().map(|limb| &limb[..]).collect()
}

/// Slices of buffers, to write to.
pub(super) fn words_mut(limbs: &mut [Limb]) -> Vec<&mut [u64]> {
    limbs.iter_mut().map(|limb| &mut limb[..]).collect()
}

impl LimbRing {
    /// The ring of degree `2^log_n` for limbs of `log2_base` bits, whose elements and keys have at most `max_limbs`.
    ///
    /// Products with keys are right for the bound of [`Operands::Uniform`]; in doubles, products of ciphertexts need
    /// [`LimbRing::require_base`] too.
    ///
    /// # Errors
    /// A degree or base that there is not, or a base whose products would be wrong.
    pub fn new(log_n: u32, transform: Transform, log2_base: u32, max_limbs: usize) -> Result<Self, Error> {
        let (module, base) = (Module::new(log_n, transform)?, Base::new(log2_base)?);
        module.require_base(log2_base, max_limbs, Operands::Uniform)?;
        Ok(Self { module: Arc::new(module), base, max_limbs })
    }

    /// Refuses the ring where sums of `terms` products of these operands would be wrong.
    ///
    /// # Errors
    /// [`Error::BaseTooLarge`].
    pub fn require_base(&self, terms: usize, operands: Operands) -> Result<(), Error> {
        self.module.require_base(self.base.log2(), terms, operands)
    }

    /// The transforms.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The base.
    pub fn base(&self) -> Base {
        self.base
    }

    /// The most limbs of an element or a key.
    pub fn max_limbs(&self) -> usize {
        self.max_limbs
    }

    /// An element of zeros.
    pub fn zero(&self, limbs: usize) -> Limbs {
        self.module.zero(limbs)
    }

    /// The sum of both, normalised, to as many limbs as `a` has.
    pub fn add_assign(&self, a: &mut Limbs, b: &Limbs) {
        coefficients::add_assign(&mut a.views_mut(), &b.views());
        *a = self.shifted(a, 0, a.count());
    }

    /// The difference, normalised, to as many limbs as `a` has.
    pub fn sub_assign(&self, a: &mut Limbs, b: &Limbs) {
        coefficients::sub_assign(&mut a.views_mut(), &b.views());
        *a = self.shifted(a, 0, a.count());
    }

    /// Adds a multiple of `2^(−down − K)` to one coefficient of a normalised element, which stays so.
    pub fn add_to_coefficient(&self, a: &mut Limbs, index: usize, word: i64, down: i64) {
        let one = || vec![[0; 1]; a.count()];
        let (mut placed, mut out) = (one(), one());
        let mut places: Vec<&mut [i64]> = placed.iter_mut().map(|place| &mut place[..]).collect();
        coefficients::shift_into(self.base, &mut places, &[&[word]], -down);
        placed.iter_mut().zip(a.views()).for_each(|(place, limb)| place[0] += limb[index]);
        let sums: Vec<&[i64]> = placed.iter().map(|place| &place[..]).collect();
        coefficients::shift_into(self.base, &mut out.iter_mut().map(|x| &mut x[..]).collect::<Vec<_>>(), &sums, 0);
        a.views_mut().into_iter().zip(out).for_each(|(limb, x)| limb[index] = x[0]);
    }

    /// `a·2^log2_factor` modulo 1, normalised, and rounded to `limbs` limbs, to even at ties.
    pub fn shifted(&self, a: &Limbs, log2_factor: i64, limbs: usize) -> Limbs {
        self.shifted_with_zeros(a, log2_factor, limbs, 0)
    }

    /// As [`LimbRing::shifted`], rounded so that the last limb ends with as many zero bits, fewer than a limb has: with
    /// such bits a limb may be `2^(K − 1)`.
    ///
    /// Where few bits are dropped, many coefficients are ties, and ties that all went upwards would have a mean: an
    /// error that is the same in every coefficient, and so stands in few slots.
    pub fn shifted_with_zeros(&self, a: &Limbs, log2_factor: i64, limbs: usize, zeros: u32) -> Limbs {
        let k = i64::from(self.base.log2());
        let dropped = (a.count() as i64 - limbs as i64) * k - log2_factor;
        // Ties of as many bits as a limb has, or more, are too few to matter.
        let is_read = dropped > 0 && (dropped < k || zeros > 0);
        let mut out = self.module.uninit(limbs + usize::from(is_read));
        coefficients::shift_into(self.base, &mut out.views_mut(), &a.views(), log2_factor);
        if is_read || zeros > 0 {
            coefficients::round_to_even(self.base, &mut out.views_mut(), limbs, zeros);
            out.truncate(limbs);
        }
        out
    }

    /// `a(X^galois_elt)`, normalised, of a normalised element.
    pub fn automorphism(&self, a: &Limbs, galois_elt: u64) -> Limbs {
        let mut out = self.module.uninit(a.count());
        // A change of sign leaves a balanced limb unless that is the least: nearly never.
        let above = 1 << (self.base.log2() - 1);
        let moved = |(out, a): (&mut [i64], &[i64])| {
            coefficients::automorphism_into(&mut [&mut *out], &[a], galois_elt);
            out.iter().fold(false, |found, &x| found | (x == above))
        };
        let has_above = out.views_mut().into_par_iter().zip(a.views()).map(moved).reduce(|| false, |a, b| a | b);
        if has_above { self.shifted(&out, 0, a.count()) } else { out }
    }

    /// The transforms of limbs.
    pub(super) fn transformed(&self, a: &[&[i64]]) -> Vec<Limb> {
        let mut out = self.module.scratch(a.len() * self.module.width());
        self.module.forward(&mut words_mut(&mut out), a);
        out
    }

    /// The limbs of transforms, which are used up.
    pub(super) fn carried(&self, mut sum: Vec<Limb>, limbs: usize) -> Limbs {
        self.carried_onto(&mut sum, limbs, Onto::Nothing)
    }

    /// As [`LimbRing::carried`], of secret transforms.
    fn carried_secretly(&self, mut sum: Vec<Limb>, limbs: usize) -> Limbs {
        let out = self.carried_onto(&mut sum, limbs, Onto::Nothing);
        sum.iter_mut().for_each(|limb| limb[..].zeroize());
        out
    }

    /// The limbs of transforms, which are used up, plus something else.
    pub(super) fn carried_onto(&self, sum: &mut [Limb], limbs: usize, onto: Onto<'_>) -> Limbs {
        let mut out = self.module.uninit(limbs);
        let (plus, onto) = match onto {
            Onto::Nothing => (Vec::new(), Vec::new()),
            Onto::Limbs(onto) => (Vec::new(), onto.views()),
            Onto::Transforms(plus) => (words(plus), Vec::new()),
        };
        self.module.carry(self.base, &mut out.views_mut(), &mut words_mut(sum), &plus, &onto);
        out
    }

    /// `a·word` modulo 1, normalised, and rounded to `limbs` limbs.
    pub fn times_word(&self, a: &Limbs, word: i64, limbs: usize) -> Limbs {
        let mut out = self.module.uninit(limbs);
        coefficients::multiply_word_into(self.base, &mut out.views_mut(), 0, &a.views(), word);
        out
    }

    /// `a·word` as a number, of which so many limbs more stand above the point; what is above them vanishes.
    pub fn times_word_above(&self, a: &Limbs, word: i64, above: usize) -> Limbs {
        let mut out = self.module.uninit(above + a.count());
        coefficients::multiply_word_into(self.base, &mut out.views_mut(), above, &a.views(), word);
        out
    }

    /// `a·b` for a polynomial of integers, of at most as many bits as a limb, or 40 modulo primes.
    pub fn times_small(&self, a: &Limbs, b: &[i64]) -> Limbs {
        let (x, scalar) = (self.transformed(&a.views()), self.transformed(&[b]));
        let mut out = self.module.scratch(x.len());
        self.module.multiply_scalar(&mut words_mut(&mut out), &words(&scalar), &words(&x));
        self.carried_secretly(out, a.count())
    }

    /// `(x0·y0, x0·y1 + x1·y0, x1·y1)` modulo 1 to `limbs` limbs, of elements of the torus `x` and numbers `y`, of
    /// which so many limbs stand above the point, one or more: `y` is the real number that normalised limbs are, and
    /// where all of it is above the point, `x` modulo 1 is enough. For a square, `y` is `x` itself.
    pub fn tensor(&self, x: [&Limbs; 2], y: [&Limbs; 2], above: usize, limbs: usize) -> LimbTensor {
        assert!(above > 0, "limbs above the point");
        let transforms = |z: [&Limbs; 2]| z.map(|part| self.transformed(&part.views()));
        let a = transforms(x);
        let b = (!std::ptr::eq(x[0], y[0]) || !std::ptr::eq(x[1], y[1])).then(|| transforms(y));
        let b = b.as_ref().unwrap_or(&a);
        let [a, b] = [&a, b].map(|z| [words(&z[0]), words(&z[1])]);
        // Coefficient k of the product has weight 2^(−(k + 2 − above)·K): limb k + 1 − above.
        let mut sums = [(); 3].map(|()| self.module.scratch((limbs + GUARD) * self.module.width()));
        let [first, middle, last] = &mut sums;
        let out = [&mut words_mut(first)[..], &mut words_mut(middle), &mut words_mut(last)];
        self.module.tensor(out, above - 1, [&a[0], &a[1]], [&b[0], &b[1]]);
        LimbTensor { limbs, terms: 2 * x[0].count().min(y[0].count()), sums }
    }

    /// The limbs of a tensor product.
    pub fn carried_tensor(&self, LimbTensor { limbs, sums, .. }: LimbTensor) -> [Limbs; 3] {
        sums.map(|sum| self.carried(sum, limbs))
    }

    /// `Σ A_i·S_i`, exactly, to as many limbs as the first has.
    pub fn inner_product(&self, masks: &[Limbs], secret: &LimbSecret) -> Limbs {
        let count = masks.first().map_or(0, Limbs::count);
        let transforms: Vec<Vec<Limb>> = masks.iter().map(|a| self.transformed(&a.views())).collect();
        let views: Vec<[Vec<&[u64]>; 2]> =
            transforms.iter().zip(&secret.0).map(|(a, s)| [words(a), words(s)]).collect();
        let pairs: Vec<[&[&[u64]]; 2]> = views.iter().map(|[a, s]| [&a[..], &s[..]]).collect();
        let mut sum = self.module.scratch(count * self.module.width());
        self.module.convolve(&mut words_mut(&mut sum), 0, &pairs);
        self.carried_secretly(sum, count)
    }
}

impl Representation for LimbRing {
    /// Limbs.
    type Modulus = usize;
    type Poly = Limbs;
    type Secret = LimbSecret;
    type Gadget = LimbGadget;

    fn degree(&self) -> usize {
        self.module.n()
    }

    fn key_modulus(&self, gadget: &LimbGadget) -> usize {
        gadget.limbs
    }

    /// A stream for each limb, so that keys of fewer limbs are corners of larger ones.
    fn uniform(&self, modulus: &usize, rank: usize, masks: &Seed, row: u64) -> Vec<Limbs> {
        let mask = |i: usize| {
            let mut out = self.module.uninit(*modulus);
            for (j, limb) in out.views_mut().into_iter().enumerate() {
                let index = row << 32 | (i as u64) << 16 | j as u64;
                masks.stream(Domain::Mask, index).fill_u64(bytemuck::cast_slice_mut(limb));
                limb.iter_mut().for_each(|x| *x >>= 64 - self.base.log2());
            }
            out
        };
        (0..rank).map(mask).collect()
    }

    /// In units of the last limb.
    fn small(&self, modulus: &usize, coeffs: &[i64]) -> Limbs {
        let mut out = self.module.uninit(*modulus);
        let down = (*modulus as i64 - 1) * i64::from(self.base.log2());
        coefficients::shift_into(self.base, &mut out.views_mut(), &[coeffs], -down);
        out
    }

    fn secret(&self, coeffs: &[i8]) -> LimbSecret {
        let prepared = |coeffs: &[i8]| {
            let wide = Zeroizing::new(coeffs.iter().map(|&c| i64::from(c)).collect::<Vec<_>>());
            self.transformed(&[&wide])
        };
        LimbSecret(coeffs.chunks_exact(self.degree()).map(prepared).collect())
    }

    fn erase(secret: &mut LimbSecret) {
        secret.0.iter_mut().flatten().for_each(|limb| limb[..].zeroize());
    }

    fn rank(secret: &LimbSecret) -> usize {
        secret.0.len()
    }

    /// `body −= Σ A_i·S_i`: the phase is the body plus the masks times the secret.
    fn mask_body(&self, body: &mut Limbs, masks: &[Limbs], secret: &LimbSecret) {
        let product = Zeroizing::new(self.inner_product(masks, secret));
        self.sub_assign(body, &product);
    }

    /// The unit of a digit is `2^(−(row + 1)·D·K)`; the message is an integer in units of the last limb.
    fn add_message(&self, body: &mut Limbs, gadget: &LimbGadget, row: usize, message: &Limbs) {
        let up = message.count() as i64 - (gadget.digit_limbs * (row + 1)) as i64;
        let moved = Zeroizing::new(self.shifted(message, up * i64::from(self.base.log2()), body.count()));
        self.add_assign(body, &moved);
    }
}

impl SampleRing for LimbRing {
    fn add_assign(&self, a: &mut Limbs, b: &Limbs) {
        self.add_assign(a, b);
    }

    fn sub_assign(&self, a: &mut Limbs, b: &Limbs) {
        self.sub_assign(a, b);
    }

    /// Transforms are those of every precision.
    fn secret_over(&self, _: &usize, coeffs: &[i8]) -> LimbSecret {
        self.secret(coeffs)
    }

    fn add_masked(&self, body: &mut Limbs, mask: &Limbs, secret: &LimbSecret) {
        self.add_assign(body, &self.inner_product(std::slice::from_ref(mask), secret));
    }

    fn automorphism(&self, a: &Limbs, galois_elt: u64) -> Limbs {
        self.automorphism(a, galois_elt)
    }

    fn poly_nbytes(a: &Limbs) -> usize {
        a.nbytes()
    }
}
