//! Transforms of one degree, and the carries of what they leave.

use std::sync::Arc;

use everlevel_math::base2k::{Base, ResidueCarry, ResidueDigits};
use everlevel_math::fft::Fft;
use everlevel_math::primes::ntt_primes_below;
use everlevel_math::{Error, Modulus, Ntt, PastCaches, Simd};
use rayon::prelude::*;

use super::layout::{BLOCK, blocks, blocks_mut, items_of_a_task};
use super::{Limbs, Transform};
use crate::Limb;
use crate::buffer::Pool;

/// Transforms of more bytes than these are written past the caches, which wouldn't hold them until they are read.
const CACHED_NBYTES: usize = 8 << 20;

/// The transforms of polynomials of one degree, and buffers of their size.
#[derive(Debug)]
pub struct Module {
    log_n: u32,
    transform: Transform,
    pub(super) kind: Kind,
    pool: Arc<Pool>,
}

#[derive(Debug)]
pub(super) enum Kind {
    Doubles(Fft),
    Primes { ntts: Vec<Ntt>, digits: ResidueDigits },
}

impl Module {
    /// The transforms of degree `2^log_n`.
    ///
    /// # Errors
    /// If there is none of this size: in doubles from `2^8` to `2^16`, modulo primes from `2^3` to `2^17`.
    pub fn new(log_n: u32, transform: Transform) -> Result<Self, Error> {
        let primes = |count: usize| -> Result<Kind, Error> {
            if !(3..=17).contains(&log_n) {
                return Err(Error::BadSize { log_n });
            }
            let primes = ntt_primes_below(48, log_n).take(count);
            let ntts = primes.map(|q| Ntt::new(log_n, Modulus::new(q)?)).collect::<Result<Vec<_>, _>>()?;
            let moduli: Vec<Modulus> = ntts.iter().map(|ntt| *ntt.modulus()).collect();
            Ok(Kind::Primes { digits: ResidueDigits::new(&moduli), ntts })
        };
        let kind = match transform {
            Transform::Doubles => {
                let n = 1usize.checked_shl(log_n).unwrap_or(0);
                Kind::Doubles(Fft::new(n)?)
            }
            Transform::TwoPrimes => primes(2)?,
            Transform::ThreePrimes => primes(3)?,
        };
        Ok(Self { log_n, transform, kind, pool: Pool::new(1 << log_n) })
    }

    /// The degree.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// The transform.
    pub fn transform(&self) -> Transform {
        self.transform
    }

    /// Slices of `n` words for each transformed polynomial, and for its big coefficients: one, or one for each prime.
    pub fn width(&self) -> usize {
        match &self.kind {
            Kind::Doubles(_) => 1,
            Kind::Primes { ntts, .. } => ntts.len(),
        }
    }

    /// Prime `index` of a number theoretic transform.
    ///
    /// # Panics
    /// If there is none.
    pub fn modulus(&self, index: usize) -> &Modulus {
        match &self.kind {
            Kind::Primes { ntts, .. } => ntts[index].modulus(),
            Kind::Doubles(_) => panic!("doubles have no primes"),
        }
    }

    /// Buffers of `n` words, with arbitrary contents.
    pub fn scratch(&self, count: usize) -> Vec<Limb> {
        (0..count).map(|_| self.pool.take()).collect()
    }

    /// An element of 0.
    pub fn zero(&self, count: usize) -> Limbs {
        let mut limbs = self.scratch(count);
        limbs.iter_mut().for_each(|limb| limb.fill(0));
        Limbs::new(limbs)
    }

    /// An element with arbitrary contents, to be overwritten.
    pub(super) fn uninit(&self, count: usize) -> Limbs {
        Limbs::new(self.scratch(count))
    }

    /// A run of copies for the transforms of so many polynomials, where these outlast the caches.
    pub(super) fn past_caches(&self, count: usize) -> Option<PastCaches> {
        (count * self.width() * self.n() * 8 > CACHED_NBYTES).then(|| PastCaches::new(Simd::best()))
    }

    /// The transforms of limbs, of as many as `out` has places for.
    ///
    /// # Panics
    /// If `out` isn't slices of `n` words, [`Module::width`] for each limb; likewise in the other operations.
    pub fn forward(&self, out: &mut [&mut [u64]], a: &[&[i64]]) {
        let width = self.width();
        assert!(out.len().is_multiple_of(width));
        let each = out.par_iter_mut().enumerate().with_min_len(items_of_a_task(self.n()));
        each.for_each(|(at, out)| match (a.get(at / width), &self.kind) {
            (None, _) => out.fill(0),
            (Some(a), Kind::Doubles(fft)) => {
                fft.forward_torus(bytemuck::cast_slice_mut(&mut out[..]), bytemuck::cast_slice::<i64, u64>(a));
            }
            (Some(a), Kind::Primes { ntts, .. }) => {
                let ntt = &ntts[at % width];
                ntt.modulus().reduce_i64_into(out, a);
                ntt.forward(out);
            }
        });
    }

    /// The big coefficients of transforms, in their place.
    pub fn inverse(&self, all: &mut [&mut [u64]]) {
        let width = self.width();
        assert!(all.len().is_multiple_of(width));
        let each = all.par_iter_mut().enumerate().with_min_len(items_of_a_task(self.n()));
        each.for_each(|(at, words)| match &self.kind {
            Kind::Doubles(fft) => {
                let mut transform = self.pool.take();
                transform.copy_from_slice(words);
                words.fill(0);
                fft.inverse_add::<u64>(words, bytemuck::cast_slice_mut(&mut transform[..]));
            }
            Kind::Primes { ntts, .. } => ntts[at % width].inverse(words),
        });
    }

    /// The limbs of big coefficients in base `2^K`, normalised, and rounded where `out` has fewer.
    pub fn normalize(&self, base: Base, out: &mut [&mut [i64]], big: &[&[u64]]) {
        let (width, count) = (self.width(), big.len() / self.width());
        assert!(big.len().is_multiple_of(width));
        if !self.begins(out, count) {
            return;
        }
        let sources = blocks(big.iter().copied(), BLOCK);
        let targets = blocks_mut(out.iter_mut().take(count).map(|limb| &mut **limb), BLOCK);
        let each = sources.into_par_iter().zip(targets).with_min_len(items_of_a_task(BLOCK * big.len()));
        each.for_each(|(big, mut out)| {
            let mut carry = self.no_carry(out[0].len());
            for (j, x) in big.chunks_exact(width).enumerate().rev() {
                self.step(base, out.get_mut(j).map(|out| &mut **out), x, None, &mut carry);
            }
        });
    }

    /// The limbs of transforms, plus those of other transforms modulo primes, as many or fewer, plus those of `onto`,
    /// normalised, and rounded where `out` has fewer. The first transforms are used up: each limb's inverse is carried
    /// on while it is in a cache.
    pub fn carry(
        &self,
        base: Base,
        out: &mut [&mut [i64]],
        transforms: &mut [&mut [u64]],
        plus: &[&[u64]],
        onto: &[&[i64]],
    ) {
        let (width, count) = (self.width(), transforms.len() / self.width());
        assert!(transforms.len().is_multiple_of(width) && onto.len() <= count && plus.len() <= transforms.len());
        if !self.begins(out, count) {
            return;
        }
        let mut carries: Vec<Carry> =
            (0..self.n().div_ceil(BLOCK)).map(|_| self.no_carry(BLOCK.min(self.n()))).collect();
        for j in (0..count).rev() {
            let words = &mut transforms[j * width..][..width];
            let others = plus.iter().skip(j * width);
            words.iter_mut().zip(others).enumerate().for_each(|(part, (a, b))| self.modulus(part).add_assign(a, b));
            self.inverse(words);
            let words: Vec<&[u64]> = words.iter().map(|words| &**words).collect();
            let onto = onto.get(j);
            let targets: Vec<Option<&mut [i64]>> = match out.get_mut(j) {
                Some(limb) => limb.chunks_mut(BLOCK).map(Some).collect(),
                None => carries.iter().map(|_| None).collect(),
            };
            let each = carries.par_iter_mut().zip(targets).enumerate();
            each.with_min_len(items_of_a_task(BLOCK * width)).for_each(|(block, (carry, target))| {
                let place = block * BLOCK..((block + 1) * BLOCK).min(self.n());
                let mut x: [&[u64]; 3] = [&[]; 3];
                x.iter_mut().zip(&words).for_each(|(x, words)| *x = &words[place.clone()]);
                self.step(base, target, &x[..width], onto.map(|onto| &onto[place.clone()]), carry);
            });
        }
    }

    /// Fills the limbs that a result has beyond `count`; whether there are others.
    fn begins(&self, out: &mut [&mut [i64]], count: usize) -> bool {
        out.iter_mut().skip(count).for_each(|limb| limb.fill(0));
        count > 0 && !out.is_empty()
    }

    fn no_carry(&self, len: usize) -> Carry {
        match &self.kind {
            Kind::Doubles(_) => Carry::Words(vec![0; len]),
            Kind::Primes { .. } => Carry::Residues(ResidueCarry::zero(len)),
        }
    }

    /// One limb of a stretch of at most [`BLOCK`] coefficients: the digits of `x + onto + carry`.
    fn step(&self, base: Base, out: Option<&mut [i64]>, x: &[&[u64]], onto: Option<&[i64]>, carry: &mut Carry) {
        let mut surplus = [0; BLOCK];
        let out = out.unwrap_or(&mut surplus[..x[0].len()]);
        match (&self.kind, carry) {
            (Kind::Doubles(_), Carry::Words(carry)) => {
                let x = bytemuck::cast_slice::<u64, i64>(x[0]);
                if let Some(onto) = onto {
                    carry.iter_mut().zip(onto).for_each(|(carry, &onto)| *carry += onto);
                }
                base.step(out, x, carry, 0);
            }
            (Kind::Primes { digits, .. }, Carry::Residues(carry)) => {
                if let Some(onto) = onto {
                    carry.add_assign(onto);
                }
                digits.step(base, out, x, carry);
            }
            _ => unreachable!("carries of the module"),
        }
    }
}

/// The carries of a stretch of coefficients.
enum Carry {
    Words(Vec<i64>),
    Residues(ResidueCarry),
}
