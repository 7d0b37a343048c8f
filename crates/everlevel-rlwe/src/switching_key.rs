//! Switching keys and the half external product.

use std::borrow::Cow;

use everlevel_math::packed;
use everlevel_rand::{Domain, Seed};
use everlevel_ring::{Eval, PackedPoly, Poly, PrimeSet, Ring};
use rayon::prelude::*;

use crate::{Gadget, Rlwe, SecretId, encrypt};

/// Residues of a block, which several products pass while it is in cache.
const BLOCK: usize = 8192;

/// For each digit `k`, `(b_k, a_k)` with `b_k + a_k·s' = P·T_k·s + e_k` modulo `Q·P`, where `T_k` is 1 modulo the
/// digit's primes and 0 modulo the others; packed, in transform representation.
///
/// *Seeded*: only the bodies `b_k` are held, and the masks `a_k` expand from the seed. *Expanded*: both are held. Every
/// evaluation works with either; a seeded key expands its masks at each use.
#[derive(Debug)]
pub struct SwitchingKey {
    secret_id: SecretId,
    gadget: Gadget,
    mask_seed: Seed,
    bodies: Vec<PackedPoly>,
    masks: Option<Vec<PackedPoly>>,
}

impl SwitchingKey {
    /// A key that turns products by `from` into ciphertexts under `to`. `seed` must be secret and fresh.
    pub fn generate(
        ring: &Ring,
        secret_id: SecretId,
        [from, to]: [&Poly<Eval>; 2],
        gadget: Gadget,
        seed: &Seed,
        expanded: bool,
    ) -> Self {
        let mask_seed = seed.derive(Domain::Mask, 0);
        let set = gadget.full_set();
        let rows: Vec<(PackedPoly, Option<PackedPoly>)> = gadget
            .digits
            .iter()
            .enumerate()
            .map(|(row, digit)| {
                let mask = encrypt::uniform(ring, &set, &mask_seed, row as u64);
                let mut body = encrypt::error(ring, &set, seed, Domain::KeyNoise, row as u64);
                ring.each_limb(&mut body, |m, limb, i| {
                    if digit.contains(i) {
                        let factor = ring.product_mod(&gadget.special, i);
                        m.mul_scalar_add_assign(limb, from.limb(i), factor);
                    }
                });
                ring.each_limb(&mut body, |m, limb, i| {
                    m.neg_assign(limb);
                    m.mul_add_assign(limb, mask.limb(i), to.limb(i));
                    m.neg_assign(limb);
                });
                (PackedPoly::new(&body), expanded.then(|| PackedPoly::new(&mask)))
            })
            .collect();
        let (bodies, masks): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        Self { secret_id, gadget, mask_seed, bodies, masks: masks.into_iter().collect() }
    }

    /// A key from what [`SwitchingKey::bodies`] and its neighbours give. Masks are the seed's, or left out.
    ///
    /// # Panics
    /// If there is not one body, and one mask if there are any, for each digit, over the gadget's primes.
    pub fn from_parts(
        secret_id: SecretId,
        gadget: Gadget,
        mask_seed: Seed,
        bodies: Vec<PackedPoly>,
        masks: Option<Vec<PackedPoly>>,
    ) -> Self {
        let set = gadget.full_set();
        for polys in [Some(&bodies), masks.as_ref()].into_iter().flatten() {
            assert_eq!(polys.len(), gadget.digits.len(), "one row for each digit");
            assert!(polys.iter().all(|p| *p.set() == set), "rows are over the gadget's primes");
        }
        Self { secret_id, gadget, mask_seed, bodies, masks }
    }

    /// The bodies, a row for each digit.
    pub fn bodies(&self) -> &[PackedPoly] {
        &self.bodies
    }

    /// The masks, where they are held.
    pub fn masks(&self) -> Option<&[PackedPoly]> {
        self.masks.as_deref()
    }

    /// The seed that the masks expand from. It is public.
    pub fn mask_seed(&self) -> &Seed {
        &self.mask_seed
    }

    /// The secret that results are under (or an automorphic image of it, see [`SwitchingKey::generate_galois`]).
    pub fn secret_id(&self) -> SecretId {
        self.secret_id
    }

    /// The shape.
    pub fn gadget(&self) -> &Gadget {
        &self.gadget
    }

    /// Bytes held in memory.
    pub fn nbytes(&self) -> usize {
        self.bodies.iter().chain(self.masks.iter().flatten()).map(PackedPoly::nbytes).sum()
    }

    /// Bytes of the seeded form.
    pub fn seeded_nbytes(&self) -> usize {
        self.bodies.iter().map(PackedPoly::nbytes).sum::<usize>() + 32
    }

    /// Whether the masks are held.
    pub fn is_expanded(&self) -> bool {
        self.masks.is_some()
    }

    /// Holds the masks from now on.
    pub fn expand(&mut self, ring: &Ring) {
        if self.masks.is_none() {
            self.masks = Some(self.expanded_masks(ring));
        }
    }

    /// Forgets the masks, which the seed gives back at any time.
    pub fn compress(&mut self) {
        self.masks = None;
    }

    /// The masks, expanded from the seed.
    pub fn expanded_masks(&self, ring: &Ring) -> Vec<PackedPoly> {
        let set = self.gadget.full_set();
        (0..self.bodies.len())
            .map(|row| PackedPoly::new(&encrypt::uniform(ring, &set, &self.mask_seed, row as u64)))
            .collect()
    }

    /// The packed body of a row at one prime.
    pub(crate) fn body_limb(&self, row: usize, prime: usize) -> &[u8] {
        self.bodies[row].limb(prime)
    }

    /// The packed mask of a row at one prime: as held, or expanded from the seed.
    pub(crate) fn mask_limb(&self, ring: &Ring, row: usize, prime: usize) -> Cow<'_, [u8]> {
        if let Some(masks) = &self.masks {
            return Cow::Borrowed(masks[row].limb(prime));
        }
        let mut limb = ring.scratch_limb();
        encrypt::uniform_limb(&mut limb, ring.modulus(prime), &self.mask_seed, row as u64, prime);
        let mut bytes = vec![0; packed::byte_len(ring.n())];
        packed::pack(&mut bytes, &limb);
        Cow::Owned(bytes)
    }

    /// The half external product before the division by `P`: `Σ_k digit_k·(b_k, a_k)` over the digits' primes.
    pub fn product(&self, ring: &Ring, digits: &[(usize, Poly<Eval>)]) -> Rlwe {
        let mut one = self.product_many(ring, &[digits]);
        one.pop().unwrap_or_else(|| unreachable!("one polynomial in, one product out"))
    }

    /// As [`SwitchingKey::product`], for the digits of several polynomials over the same primes: each block of the key
    /// is read from memory once.
    pub fn product_many(&self, ring: &Ring, inputs: &[&[(usize, Poly<Eval>)]]) -> Vec<Rlwe> {
        self.product_many_with(ring, inputs, self.masks())
    }

    /// With masks from [`SwitchingKey::expanded_masks`], where the key is used often enough to keep them for a while.
    fn product_many_with(
        &self,
        ring: &Ring,
        inputs: &[&[(usize, Poly<Eval>)]],
        held: Option<&[PackedPoly]>,
    ) -> Vec<Rlwe> {
        let Some(first) = inputs.first() else { return Vec::new() };
        let set = first[0].1.set().clone();
        let mut products: Vec<Rlwe> =
            inputs.iter().map(|_| Rlwe { c0: ring.uninit(&set), c1: ring.uninit(&set) }).collect();
        let block_len = BLOCK.min(ring.n());
        Rlwe::limbs_by_prime(&mut products).into_par_iter().zip(set.indices()).for_each(|(mut outs, &prime)| {
            let rows: Vec<usize> = first.iter().map(|(row, _)| *row).collect();
            let bodies: Vec<&[u8]> = rows.iter().map(|row| self.body_limb(*row, prime)).collect();
            let mask = |row: &usize| match held {
                Some(masks) => Cow::Borrowed(masks[*row].limb(prime)),
                None => self.mask_limb(ring, *row, prime),
            };
            let masks: Vec<Cow<[u8]>> = rows.iter().map(mask).collect();
            for at in (0..ring.n()).step_by(block_len) {
                let b: Vec<&[u8]> = bodies.iter().map(|body| packed::block(body, at, block_len)).collect();
                let a: Vec<&[u8]> = masks.iter().map(|mask| packed::block(mask, at, block_len)).collect();
                for (digits, [o0, o1]) in inputs.iter().zip(&mut outs) {
                    let x: Vec<&[u64]> = digits.iter().map(|(_, d)| &d.limb(prime)[at..at + block_len]).collect();
                    let (o0, o1) = (&mut o0[at..at + block_len], &mut o1[at..at + block_len]);
                    ring.modulus(prime).inner_product_packed_pair_into(o0, o1, &x, &b, &a);
                }
            }
        });
        products
    }

    /// `c·s` as a ciphertext times `P`, over `c`'s primes and the special ones.
    pub fn switch(&self, ring: &Ring, c: &Poly<Eval>) -> Rlwe {
        let digits = ring.mod_up(c, &self.gadget.digits, &self.gadget.special);
        self.product(ring, &digits)
    }

    /// As [`SwitchingKey::switch`], for several polynomials over the same primes.
    pub fn switch_many(&self, ring: &Ring, cs: Vec<Poly<Eval>>) -> Vec<Rlwe> {
        let digits = ring.mod_up_many(&cs.iter().collect::<Vec<_>>(), &self.gadget.digits, &self.gadget.special);
        drop(cs);
        let digits: Vec<&[(usize, Poly<Eval>)]> = digits.iter().map(|d| &d[..]).collect();
        self.product_many(ring, &digits)
    }

    /// `σ(ct)` over `ct`'s primes, for the automorphism that this is the key of.
    pub fn automorphism(&self, ring: &Ring, ct: &Rlwe, galois_elt: u64) -> Rlwe {
        let mut one = self.automorphism_many_with(ring, std::slice::from_ref(ct), galois_elt, self.masks());
        one.pop().unwrap_or_else(|| unreachable!("one ciphertext in, one out"))
    }

    /// As [`SwitchingKey::automorphism`], for several ciphertexts over the same primes, with masks from
    /// [`SwitchingKey::expanded_masks`].
    pub(crate) fn automorphism_many_with(
        &self,
        ring: &Ring,
        cts: &[Rlwe],
        galois_elt: u64,
        masks: Option<&[PackedPoly]>,
    ) -> Vec<Rlwe> {
        let Some(first) = cts.first() else { return Vec::new() };
        let c1s: Vec<&Poly<Eval>> = cts.iter().map(|ct| &ct.c1).collect();
        let digits = ring.mod_up_many(&c1s, &self.gadget.digits, &self.gadget.special);
        let each: Vec<&[(usize, Poly<Eval>)]> = digits.iter().map(|d| &d[..]).collect();
        let products = self.product_many_with(ring, &each, masks);
        drop(digits);
        let switched = Rlwe::rescale_many(products, ring, first.set());
        cts.iter().zip(switched).map(|(ct, switched)| Self::moved(ring, ct, switched, galois_elt)).collect()
    }

    /// As [`SwitchingKey::automorphism`], with the digits of `c1` given.
    pub fn automorphism_hoisted(
        &self,
        ring: &Ring,
        ct: &Rlwe,
        digits: &[(usize, Poly<Eval>)],
        galois_elt: u64,
    ) -> Rlwe {
        Self::moved(ring, ct, self.product(ring, digits).rescale(ring, ct.set()), galois_elt)
    }

    /// The product, divided by `P`, with `ct`'s body, under the automorphism.
    fn moved(ring: &Ring, ct: &Rlwe, mut switched: Rlwe, galois_elt: u64) -> Rlwe {
        ring.add_assign(&mut switched.c0, &ct.c0);
        Rlwe { c0: ring.automorphism(&switched.c0, galois_elt), c1: ring.automorphism(&switched.c1, galois_elt) }
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
        secret: &crate::SecretKey,
        galois_elt: u64,
        gadget: Gadget,
        seed: &Seed,
        expanded: bool,
    ) -> Self {
        let two_n = 2 * ring.n() as u64;
        let inverse = inverse_mod_power_of_two(galois_elt, two_n);
        let mut moved = ring.automorphism(secret.eval(), inverse);
        let key = Self::generate(ring, secret.id(), [secret.eval(), &moved], gadget, seed, expanded);
        moved.zeroize();
        key
    }
}

/// `g^-1` modulo a power of two, for odd `g`.
fn inverse_mod_power_of_two(g: u64, modulus: u64) -> u64 {
    // Newton: each step doubles the number of correct bits.
    let mut x = g;
    for _ in 0..6 {
        x = x.wrapping_mul(2u64.wrapping_sub(g.wrapping_mul(x)));
    }
    x & (modulus - 1)
}
