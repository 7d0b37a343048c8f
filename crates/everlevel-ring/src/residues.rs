//! Residues modulo word primes as a representation of key material, and the half product's inner loop on them.

use std::borrow::{Borrow, Cow};
use std::ops::Deref;
use std::sync::Arc;

use everlevel_math::{Modulus, packed};
use everlevel_rand::{Domain, Seed, Stream, sampler};
use rayon::prelude::*;
use zeroize::{Zeroize, Zeroizing};

use crate::device::{DeviceRing, Held, PACKED_NBYTES};
use crate::{Copies, Eval, HalfProduct, Limb, PackedPoly, Poly, PrimeSet, Representation, Ring, RnsGadget, SampleRing};

/// Residues that are drawn before they are packed: 4 KiB.
const UNIFORM_BLOCK: usize = 512;
/// Residues of a block, which several products pass while it is in cache.
const BLOCK: usize = 8192;

/// The rows of a key: a body and a mask for each digit, packed.
///
/// *Seeded*: only the bodies are held, and the masks expand from the seed. *Expanded*: both are held. Every evaluation
/// works with either; a seeded key expands its masks at each use.
#[derive(Debug)]
pub struct ResidueRows {
    mask_seed: Seed,
    bodies: Arc<[PackedPoly]>,
    masks: Option<Vec<PackedPoly>>,
    copies: Copies,
}

impl ResidueRows {
    /// Rows from a seed, which is public, and bodies, with the seed's masks or without them.
    ///
    /// # Panics
    /// If there are masks, but not one for each body.
    pub fn new(mask_seed: Seed, bodies: Vec<PackedPoly>, masks: Option<Vec<PackedPoly>>) -> Self {
        assert!(masks.as_ref().is_none_or(|masks| masks.len() == bodies.len()), "one mask for each body");
        Self { mask_seed, bodies: bodies.into(), masks, copies: Copies::default() }
    }

    /// The seed that the masks expand from. It is public.
    pub fn mask_seed(&self) -> &Seed {
        &self.mask_seed
    }

    /// The bodies, one for each digit.
    pub fn bodies(&self) -> &[PackedPoly] {
        &self.bodies
    }

    /// The masks, where they are held.
    pub fn masks(&self) -> Option<&[PackedPoly]> {
        self.masks.as_deref()
    }

    /// The copies that devices hold of them.
    pub fn copies(&self) -> &Copies {
        &self.copies
    }

    /// Copies the rows to a device that hasn't got them.
    pub fn hold_on(&self, ring: &Ring, device: &dyn DeviceRing) {
        self.on_device(ring, device);
    }

    /// Bytes that a device's copy takes.
    pub fn device_nbytes(&self, ring: &Ring) -> u64 {
        let limbs: usize = self.bodies.iter().map(|body| body.set().len()).sum();
        (2 * limbs * ring.n()) as u64 * PACKED_NBYTES
    }

    /// The copy on a device, with the masks: polynomial `2·row` is a body, `2·row + 1` a mask.
    pub(crate) fn on_device(&self, ring: &Ring, device: &dyn DeviceRing) -> Arc<Held> {
        let set = self.bodies.first().map_or_else(|| PrimeSet::new([]), |body| body.set().clone());
        self.copies.on(device, &set, || {
            let held = Held::new(device, &set, 2 * self.bodies.len(), 0);
            for (row, body) in self.bodies.iter().enumerate() {
                let mask = match &self.masks {
                    Some(masks) => masks[row].unpack(ring),
                    None => ring.uniform_poly(&set, &self.mask_seed, row as u64),
                };
                for (part, poly) in [body.unpack(ring), mask].iter().enumerate() {
                    held.fill(device, 2 * row + part, poly.limbs().iter().map(|limb| &limb[..]));
                }
            }
            held
        })
    }

    /// The masks, expanded from the seed.
    pub fn expanded_masks(&self, ring: &Ring) -> Vec<PackedPoly> {
        let mask = |(row, body): (usize, &PackedPoly)| {
            PackedPoly::new(&ring.uniform_poly(body.set(), &self.mask_seed, row as u64))
        };
        self.bodies.iter().enumerate().map(mask).collect()
    }

    /// The rows with their masks held, for uses that follow one another: none where these rows hold theirs.
    #[must_use]
    pub fn expanded(&self, ring: &Ring) -> Option<Self> {
        let Self { mask_seed, bodies, masks, .. } = self;
        let masks = masks.is_none().then(|| self.expanded_masks(ring))?;
        Some(Self {
            mask_seed: mask_seed.clone(),
            bodies: bodies.clone(),
            masks: Some(masks),
            copies: Copies::default(),
        })
    }

    /// The first rows over some of their primes, in memory of their own. Masks are those of the same seed: each row has
    /// a stream for every prime.
    ///
    /// # Panics
    /// If there are fewer rows, or they lack one of the primes.
    #[must_use]
    pub fn restricted(&self, row_count: usize, set: &PrimeSet) -> Self {
        let restricted = |rows: &[PackedPoly]| rows[..row_count].iter().map(|row| row.restricted(set)).collect();
        Self::new(self.mask_seed.clone(), restricted(&self.bodies), self.masks().map(restricted))
    }

    /// The packed body of a row at one prime.
    pub(crate) fn body_limb(&self, row: usize, prime: usize) -> &[u8] {
        self.bodies[row].limb(prime)
    }

    /// The packed mask of a row at one prime: as held, or expanded from the seed.
    pub(crate) fn mask_limb(&self, ring: &Ring, row: usize, prime: usize) -> PackedLimb<'_> {
        if let Some(masks) = &self.masks {
            return PackedLimb::Held(masks[row].limb(prime));
        }
        let mut expanded = ring.scratch_limb();
        let bytes = &mut bytemuck::cast_slice_mut(&mut expanded[..])[..packed::byte_len(ring.n())];
        packed_uniform_limb(bytes, ring.modulus(prime), &self.mask_seed, row as u64, prime);
        PackedLimb::Expanded(expanded)
    }
}

/// A packed limb: of a key, or expanded for a product, in the space of a limb that isn't packed.
pub(crate) enum PackedLimb<'a> {
    Held(&'a [u8]),
    Expanded(Limb),
}

impl Deref for PackedLimb<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Held(bytes) => bytes,
            Self::Expanded(limb) => &bytemuck::cast_slice(&limb[..])[..packed::byte_len(limb.len())],
        }
    }
}

/// One limb of a uniform polynomial: a stream for each prime, so that any subset of primes can be expanded alone.
fn uniform_limb(limb: &mut [u64], m: &Modulus, seed: &Seed, row: u64, prime: usize) {
    sampler::uniform_mod(&mut mask_stream(seed, row, prime), limb, m.q());
}

/// The limb, packed as it comes, so that no more than its packed form leaves the first cache.
fn packed_uniform_limb(bytes: &mut [u8], m: &Modulus, seed: &Seed, row: u64, prime: usize) {
    let mut stream = mask_stream(seed, row, prime);
    let mut block = [0; UNIFORM_BLOCK];
    let count = (bytes.len() - packed::byte_len(0)) / 6;
    for at in (0..count).step_by(UNIFORM_BLOCK) {
        let residues = &mut block[..UNIFORM_BLOCK.min(count - at)];
        sampler::uniform_mod(&mut stream, residues, m.q());
        // What a block writes beyond its residues is where the next one goes.
        packed::pack(&mut bytes[6 * at..][..packed::byte_len(residues.len())], residues);
    }
}

fn mask_stream(seed: &Seed, row: u64, prime: usize) -> Stream {
    seed.stream(Domain::Mask, row << 32 | prime as u64)
}

impl Ring {
    /// The uniform polynomial of (seed, row).
    pub fn uniform_poly(&self, set: &PrimeSet, seed: &Seed, row: u64) -> Poly<Eval> {
        let mut poly = self.uninit(set);
        self.each_limb(&mut poly, |m, limb, i| uniform_limb(limb, m, seed, row, i));
        poly
    }
}

/// Digits of a polynomial, each with the rows that it is multiplied with.
pub(crate) type Digits = Vec<(Vec<usize>, Poly<Eval>)>;

/// The rows of keys that digits are multiplied with, each with its digit.
pub(crate) fn each_row(digits: &[(Vec<usize>, Poly<Eval>)]) -> impl Iterator<Item = (usize, &Poly<Eval>)> {
    digits.iter().flat_map(|(rows, digit)| rows.iter().map(move |&row| (row, digit)))
}

/// For each row that digits are multiplied with, the packed body and mask of a key at one prime.
pub(crate) type KeyLimbs<'a> = Vec<[PackedLimb<'a>; 2]>;

/// The limbs of pairs over the same primes, prime by prime.
pub(crate) fn limbs_by_prime(all: &mut [[Poly<Eval>; 2]]) -> Vec<Vec<[&mut [u64]; 2]>> {
    let primes = all.first().map_or(0, |[first, _]| first.set().len());
    let mut by_prime: Vec<Vec<[&mut [u64]; 2]>> = (0..primes).map(|_| Vec::with_capacity(all.len())).collect();
    for [p0, p1] in all {
        for ((limbs, l0), l1) in by_prime.iter_mut().zip(p0.limbs_mut()).zip(p1.limbs_mut()) {
            limbs.push([&mut l0[..], &mut l1[..]]);
        }
    }
    by_prime
}

/// Polynomials in transform representation over a set of primes; messages and secrets over any superset.
impl Representation for Ring {
    type Modulus = PrimeSet;
    type Poly = Poly<Eval>;
    type Secret = Poly<Eval>;
    type Gadget = RnsGadget;

    fn degree(&self) -> usize {
        self.n()
    }

    fn key_modulus(&self, gadget: &RnsGadget) -> PrimeSet {
        gadget.full_set()
    }

    fn uniform(&self, modulus: &PrimeSet, rank: usize, masks: &Seed, row: u64) -> Vec<Poly<Eval>> {
        debug_assert_eq!(rank, 1, "secrets of residues are one polynomial");
        vec![self.uniform_poly(modulus, masks, row)]
    }

    fn small(&self, modulus: &PrimeSet, coeffs: &[i64]) -> Poly<Eval> {
        self.to_eval(self.from_i64(modulus, coeffs))
    }

    /// Over every prime of the ring.
    fn secret(&self, coeffs: &[i8]) -> Poly<Eval> {
        let wide: zeroize::Zeroizing<Vec<i64>> = zeroize::Zeroizing::new(coeffs.iter().map(|&c| c.into()).collect());
        self.small(&self.all_primes(), &wide)
    }

    fn erase(secret: &mut Poly<Eval>) {
        secret.zeroize();
    }

    fn rank(_: &Poly<Eval>) -> usize {
        1
    }

    /// `body −= a·s`: the phase is the body plus the mask times the secret.
    fn mask_body(&self, body: &mut Poly<Eval>, masks: &[Poly<Eval>], secret: &Poly<Eval>) {
        self.each_limb(body, |m, limb, i| {
            m.neg_assign(limb);
            m.mul_add_assign(limb, masks[0].limb(i), secret.limb(i));
            m.neg_assign(limb);
        });
    }

    /// The unit of a digit is the product `P` of the special primes, modulo the digit's primes, and 0 modulo others.
    fn add_message(&self, body: &mut Poly<Eval>, gadget: &RnsGadget, row: usize, message: &Poly<Eval>) {
        self.each_limb(body, |m, limb, i| {
            if gadget.digits[row].contains(i) {
                m.mul_scalar_add_assign(limb, message.limb(i), self.product_mod(&gadget.special, i));
            }
        });
    }
}

impl SampleRing for Ring {
    fn add_assign(&self, a: &mut Poly<Eval>, b: &Poly<Eval>) {
        self.add_assign(a, b);
    }

    fn sub_assign(&self, a: &mut Poly<Eval>, b: &Poly<Eval>) {
        self.sub_assign(a, b);
    }

    fn secret_over(&self, modulus: &PrimeSet, coeffs: &[i8]) -> Poly<Eval> {
        let wide: Zeroizing<Vec<i64>> = Zeroizing::new(coeffs.iter().map(|&c| i64::from(c)).collect());
        self.to_eval(self.from_i64(modulus, &wide))
    }

    fn add_masked(&self, body: &mut Poly<Eval>, mask: &Poly<Eval>, secret: &Poly<Eval>) {
        self.mul_add_assign(body, mask, secret);
    }

    fn automorphism(&self, a: &Poly<Eval>, galois_elt: u64) -> Poly<Eval> {
        self.automorphism(a, galois_elt)
    }

    fn poly_nbytes(a: &Poly<Eval>) -> usize {
        a.nbytes()
    }
}

impl HalfProduct for Ring {
    /// Each digit that the polynomial has, with the rows that it is multiplied with.
    type Digits = Digits;
    type Rows = ResidueRows;
    /// Body and mask, times the special primes.
    type Sum = [Poly<Eval>; 2];
    type Tensor = [Poly<Eval>; 3];

    fn rows<E>(
        &self,
        gadget: &RnsGadget,
        masks: &Seed,
        expanded: bool,
        mut row: impl FnMut(usize) -> Result<[Poly<Eval>; 2], E>,
    ) -> Result<ResidueRows, E> {
        let packed = |digit: usize| {
            let [mask, body] = row(digit)?;
            Ok((PackedPoly::new(&body), expanded.then(|| PackedPoly::new(&mask))))
        };
        let rows = (0..gadget.digits.len()).map(packed).collect::<Result<Vec<_>, E>>()?;
        let (bodies, held): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        Ok(ResidueRows::new(masks.clone(), bodies, held.into_iter().collect()))
    }

    fn mask_seed(rows: &ResidueRows) -> &Seed {
        rows.mask_seed()
    }

    fn rows_nbytes(rows: &ResidueRows) -> usize {
        rows.bodies().iter().chain(rows.masks().into_iter().flatten()).map(PackedPoly::nbytes).sum()
    }

    fn digits(&self, gadget: &RnsGadget, polys: &[&Poly<Eval>]) -> Vec<Self::Digits> {
        self.digits_of(gadget, polys.iter().map(|a| Cow::Borrowed(*a)).collect())
    }

    /// Over the digits' primes; each block of the key is read from memory once.
    fn multiply(&self, digits: &[&Self::Digits], rows: &ResidueRows) -> Vec<[Poly<Eval>; 2]> {
        if digits.first().is_some_and(|first| first[0].1.is_there()) {
            return self.multiply_there(digits, rows);
        }
        self.multiply_onto(digits, rows, (&vec![[None; 2]; digits.len()], &PrimeSet::new([])))
    }

    fn finish_onto(&self, sums: Vec<[Poly<Eval>; 2]>, bodies: &[&Poly<Eval>]) -> Vec<[Poly<Eval>; 2]> {
        let Some(first) = bodies.first() else { return Vec::new() };
        let mut finished = self.rescale_pairs(sums, first.set());
        finished.iter_mut().zip(bodies).for_each(|([c0, _], body)| self.add_assign(c0, body));
        finished
    }

    /// A body, times the special primes, is added to the products, which spares another pass over sums and bodies.
    fn switch<D: Borrow<Self::Digits>>(
        &self,
        digits: Vec<D>,
        gadget: &RnsGadget,
        rows: &ResidueRows,
        bodies: &[&Poly<Eval>],
    ) -> Vec<[Poly<Eval>; 2]> {
        let Some(first) = bodies.first() else { return Vec::new() };
        let addends: Vec<_> = bodies.iter().map(|&body| [Some(body), None]).collect();
        let of_each: Vec<&Self::Digits> = digits.iter().map(D::borrow).collect();
        let sums = self.multiply_onto(&of_each, rows, (&addends, &gadget.special));
        drop(digits);
        self.rescale_pairs(sums, first.set())
    }

    /// The key switch's division by the special primes and the rescaling to `to` are one.
    fn relinearize(
        &self,
        tensors: Vec<[Poly<Eval>; 3]>,
        gadget: &RnsGadget,
        rows: &ResidueRows,
        to: &PrimeSet,
    ) -> Vec<[Poly<Eval>; 2]> {
        let (linear, squares): (Vec<_>, Vec<_>) = tensors.into_iter().map(|[d0, d1, d2]| ([d0, d1], d2)).unzip();
        let digits = self.digits_of(gadget, squares.into_iter().map(Cow::Owned).collect());
        let addends: Vec<_> = linear.iter().map(|pair| pair.each_ref().map(Some)).collect();
        let sums = self.multiply_onto(&digits.iter().collect::<Vec<_>>(), rows, (&addends, &gadget.special));
        drop((digits, linear));
        self.rescale_pairs(sums, to)
    }
}

impl Ring {
    /// [`HalfProduct::digits`] of polynomials that may be given up.
    pub(crate) fn digits_of(&self, gadget: &RnsGadget, polys: Vec<Cow<'_, Poly<Eval>>>) -> Vec<Digits> {
        let Some(first) = polys.first() else { return Vec::new() };
        let (rows, sets): (Vec<_>, Vec<_>) = gadget.digits_over(self, first.set()).into_iter().unzip();
        let digits = self.mod_up_of(polys, &sets, &gadget.special);
        let with_rows =
            |of_one: Vec<(usize, _)>| of_one.into_iter().map(|(k, digit)| (rows[k].clone(), digit)).collect();
        digits.into_iter().map(with_rows).collect()
    }

    /// The products of digits with a key, and added to them polynomials times the product of a set of primes, where
    /// they have the prime: each block of the key is read from memory once, and to one of a sum is added while it is in
    /// cache.
    pub(crate) fn multiply_onto(
        &self,
        digits: &[&Digits],
        rows: &ResidueRows,
        (addends, factor): (&[[Option<&Poly<Eval>>; 2]], &PrimeSet),
    ) -> Vec<[Poly<Eval>; 2]> {
        let Some(first) = digits.first() else { return Vec::new() };
        if first[0].1.is_there() {
            return self.multiply_onto_there(digits, rows, (addends, factor));
        }
        let set = first[0].1.set().clone();
        let mut products: Vec<[Poly<Eval>; 2]> =
            digits.iter().map(|_| [self.uninit(&set), self.uninit(&set)]).collect();
        let block_len = BLOCK.min(self.n());
        limbs_by_prime(&mut products).into_par_iter().zip(set.indices()).for_each(|(mut outs, &prime)| {
            let (m, factor) = (self.modulus(prime), self.product_mod(factor, prime));
            let at_prime = |a: &Poly<Eval>| a.set().contains(prime);
            let addends: Vec<[Option<&[u64]>; 2]> =
                addends.iter().map(|pair| pair.map(|a| Some(a.filter(|a| at_prime(a))?.limb(prime)))).collect();
            let key = self.key_limbs(rows, first, prime);
            for at in (0..self.n()).step_by(block_len) {
                for ((digits, outs), addends) in digits.iter().zip(&mut outs).zip(&addends) {
                    let [o0, o1] = outs.each_mut().map(|out| &mut out[at..at + block_len]);
                    self.multiply_block((prime, at), digits, &key, [&mut *o0, &mut *o1]);
                    for (out, addend) in [o0, o1].into_iter().zip(addends) {
                        if let Some(addend) = addend {
                            m.mul_scalar_add_assign(out, &addend[at..at + block_len], factor);
                        }
                    }
                }
            }
        });
        products
    }

    /// The limbs of a key at one prime.
    pub(crate) fn key_limbs<'k>(&self, rows: &'k ResidueRows, digits: &Digits, prime: usize) -> KeyLimbs<'k> {
        let limbs =
            |(row, _): (usize, _)| [PackedLimb::Held(rows.body_limb(row, prime)), rows.mask_limb(self, row, prime)];
        each_row(digits).map(limbs).collect()
    }

    /// The products of digits with a key at one prime, on the block from `at`.
    pub(crate) fn multiply_block(
        &self,
        (prime, at): (usize, usize),
        digits: &Digits,
        key: &KeyLimbs<'_>,
        [out0, out1]: [&mut [u64]; 2],
    ) {
        let len = out0.len();
        let x: Vec<&[u64]> = each_row(digits).map(|(_, digit)| &digit.limb(prime)[at..at + len]).collect();
        let part = |k: usize| key.iter().map(|limbs| packed::block(&limbs[k], at, len)).collect::<Vec<_>>();
        self.modulus(prime).inner_product_packed_pair_into(out0, out1, &x, &part(0), &part(1));
    }

    /// [`Ring::rescale_many`] of pairs over the same primes.
    pub fn rescale_pairs(&self, pairs: Vec<[Poly<Eval>; 2]>, to: &PrimeSet) -> Vec<[Poly<Eval>; 2]> {
        let mut parts = self.rescale_many(pairs.into_iter().flatten().collect(), to).into_iter();
        std::iter::from_fn(|| Some([parts.next()?, parts.next()?])).collect()
    }
}

#[cfg(test)]
mod tests {
    use everlevel_math::primes::ntt_primes_below;
    use everlevel_rand::Cipher;

    use super::*;

    #[test]
    fn packed_limbs_are_the_uniform_ones() {
        let primes: Vec<u64> = ntt_primes_below(48, 11).take(1).chain(ntt_primes_below(41, 11).take(1)).collect();
        let ring = Ring::new(11, &primes).expect("ring");
        for cipher in Cipher::ALL {
            let seed = Seed::from_bytes([9; 32]).of_cipher(cipher);
            for prime in 0..primes.len() {
                let mut limb = ring.scratch_limb();
                uniform_limb(&mut limb, ring.modulus(prime), &seed, 3, prime);
                let mut expected = vec![0; packed::byte_len(limb.len())];
                packed::pack(&mut expected, &limb);
                let mut bytes = vec![0xff; expected.len()];
                packed_uniform_limb(&mut bytes, ring.modulus(prime), &seed, 3, prime);
                assert_eq!(bytes[..6 * limb.len()], expected[..6 * limb.len()], "{cipher:?}, prime {prime}");
            }
        }
    }

    #[test]
    fn sums_begun_within_products_are_those_added_after_them() {
        let primes: Vec<u64> = ntt_primes_below(48, 9).take(5).collect();
        let ring = Ring::new(9, &primes).expect("ring");
        let [own, full, special] = [PrimeSet::new(0..4), PrimeSet::new(0..5), PrimeSet::new([4])];
        let uniform = |set: &PrimeSet, row| ring.uniform_poly(set, &Seed::from_bytes([3; 32]), row);
        let gadget = RnsGadget { digits: vec![PrimeSet::new([0, 1]), PrimeSet::new([2, 3])], special: special.clone() };
        let bodies = (0..2).map(|row| PackedPoly::new(&uniform(&full, row))).collect();
        let rows = ResidueRows::new(Seed::from_bytes([4; 32]), bodies, None);
        let [mask, body] = [5, 6].map(|row| uniform(&own, row));
        let digits = ring.digits(&gadget, &[&mask]).remove(0);
        let given_up = ring.digits_of(&gadget, vec![Cow::Owned(mask)]).remove(0);
        for ((rows, digit), (expected_rows, expected)) in given_up.iter().zip(&digits) {
            assert_eq!(rows, expected_rows);
            (0..5).for_each(|i| assert_eq!(digit.limb(i), expected.limb(i)));
        }
        for factor in [PrimeSet::new([]), special] {
            let sums = ring.multiply_onto(&[&digits], &rows, (&[[Some(&body), None]], &factor)).remove(0);
            let mut expected = ring.multiply(&[&digits], &rows).remove(0);
            ring.each_limb(&mut expected[0], |m, limb, i| {
                if own.contains(i) {
                    m.mul_scalar_add_assign(limb, body.limb(i), ring.product_mod(&factor, i));
                }
            });
            for (sum, expected) in sums.iter().zip(&expected) {
                (0..5).for_each(|i| assert_eq!(sum.limb(i), expected.limb(i)));
            }
        }
    }
}
