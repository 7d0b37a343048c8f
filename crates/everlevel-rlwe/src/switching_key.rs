//! Switching keys and the half external product.

use everlevel_math::monomial::inverse_mod_power_of_two;
use everlevel_rand::Seed;
use everlevel_ring::{Eval, Footprint, HalfProduct, PackedPoly, Poly, PrimeSet, ResidueRows, Ring, RnsGadget};
use zeroize::Zeroizing;

use crate::encryptor::RowAddress;
use crate::{Randomness, Rlwe, SecretId, encrypt};

/// The key of a half product: prepared rows that hide a message in the units of a gadget.
///
/// *Over residues*: for each digit `k`, `(b_k, a_k)` with `b_k + a_k·s' = P·T_k·s + e_k` modulo `Q·P`, where `T_k` is 1
/// modulo the digit's primes and 0 modulo the others; packed, in transform representation, seeded or expanded (see
/// [`ResidueRows`]).
#[derive(Debug)]
pub struct SwitchingKey<R: HalfProduct = Ring> {
    secret_id: SecretId,
    gadget: R::Gadget,
    rows: R::Rows,
}

impl<R: HalfProduct> SwitchingKey<R> {
    /// A key of prepared rows.
    pub fn from_rows(secret_id: SecretId, gadget: R::Gadget, rows: R::Rows) -> Self {
        Self { secret_id, gadget, rows }
    }

    /// The secret that results are under (or an automorphic image of it, see [`SwitchingKey::generate_galois`]).
    pub fn secret_id(&self) -> SecretId {
        self.secret_id
    }

    /// The shape.
    pub fn gadget(&self) -> &R::Gadget {
        &self.gadget
    }

    /// The rows.
    pub fn rows(&self) -> &R::Rows {
        &self.rows
    }

    /// The half external products of public polynomials over `modulus`, masks and then body of each: digits,
    /// transforms, products, inverse transforms and carries.
    pub fn half_products(&self, ring: &R, polys: &[&R::Poly], modulus: &R::Modulus) -> Vec<Vec<R::Poly>> {
        let digits = ring.digits(&self.gadget, polys);
        let sums = ring.multiply(&digits.iter().collect::<Vec<_>>(), &self.rows);
        drop(digits);
        ring.finish(sums, &self.gadget, modulus)
    }
}

impl SwitchingKey {
    /// A key that turns products by `from` into ciphertexts under `to`.
    pub fn generate(
        ring: &Ring,
        secret_id: SecretId,
        [from, to]: [&Poly<Eval>; 2],
        gadget: RnsGadget,
        randomness: impl Into<Randomness>,
        expanded: bool,
    ) -> Self {
        let (encryptor, randomness) = (encrypt::encryptor(ring, to), randomness.into());
        let row = |digit: usize| {
            let at = RowAddress { gadget: &gadget, digit, index: digit as u64 };
            let (masks, body) = encryptor.row(at, from, &randomness);
            (PackedPoly::new(&body), expanded.then(|| PackedPoly::new(&masks[0])))
        };
        let (bodies, masks): (Vec<_>, Vec<_>) = (0..gadget.digits.len()).map(row).unzip();
        let masks = masks.into_iter().collect();
        let rows = ResidueRows::new(randomness.masks().clone(), bodies, masks);
        Self { secret_id, gadget, rows }
    }

    /// A key from what [`SwitchingKey::bodies`] and its neighbours give. Masks are the seed's, or left out.
    ///
    /// # Panics
    /// If there is not one body, and one mask if there are any, for each digit, over the gadget's primes.
    pub fn from_parts(
        secret_id: SecretId,
        gadget: RnsGadget,
        mask_seed: Seed,
        bodies: Vec<PackedPoly>,
        masks: Option<Vec<PackedPoly>>,
    ) -> Self {
        let set = gadget.full_set();
        for polys in [Some(&bodies), masks.as_ref()].into_iter().flatten() {
            assert_eq!(polys.len(), gadget.digits.len(), "one row for each digit");
            assert!(polys.iter().all(|p| *p.set() == set), "rows are over the gadget's primes");
        }
        Self { secret_id, gadget, rows: ResidueRows::new(mask_seed, bodies, masks) }
    }

    /// The bodies, a row for each digit.
    pub fn bodies(&self) -> &[PackedPoly] {
        self.rows.bodies()
    }

    /// The masks, where they are held.
    pub fn masks(&self) -> Option<&[PackedPoly]> {
        self.rows.masks()
    }

    /// The seed that the masks expand from. It is public.
    pub fn mask_seed(&self) -> &Seed {
        self.rows.mask_seed()
    }

    /// The memory of a key of this shape, and of making it ([`SwitchingKey::generate_galois`]).
    pub fn footprint(ring: &Ring, gadget: &RnsGadget, expanded: bool) -> Footprint {
        let (n, limbs) = (ring.n(), gadget.full_set().len());
        let polys = gadget.digits.len() * if expanded { 2 } else { 1 };
        // Mask and body of a row, the image of the secret, and the coefficients of an error.
        let work = 2 * limbs + ring.all_primes().len() + 1;
        Footprint { held: (polys * PackedPoly::nbytes_of(n, limbs)) as u64, work: (8 * n * work) as u64 }
    }

    /// Bytes held in memory.
    pub fn nbytes(&self) -> usize {
        self.bodies().iter().chain(self.masks().into_iter().flatten()).map(PackedPoly::nbytes).sum()
    }

    /// Bytes of the seeded form.
    pub fn seeded_nbytes(&self) -> usize {
        self.bodies().iter().map(PackedPoly::nbytes).sum::<usize>() + 32
    }

    /// Whether the masks are held.
    pub fn is_expanded(&self) -> bool {
        self.masks().is_some()
    }

    /// Holds the masks from now on.
    pub fn expand(&mut self, ring: &Ring) {
        self.rows.expand(ring);
    }

    /// The half external product before the division by `P`: `Σ_k digit_k·(b_k, a_k)` over the digits' primes.
    pub fn product(&self, ring: &Ring, digits: &[(usize, Poly<Eval>)]) -> Rlwe {
        let mut one = self.product_many(ring, &[digits]);
        one.pop().unwrap_or_else(|| unreachable!("one polynomial in, one product out"))
    }

    /// As [`SwitchingKey::product`], for the digits of several polynomials over the same primes: each block of the key
    /// is read from memory once.
    fn product_many(&self, ring: &Ring, inputs: &[&[(usize, Poly<Eval>)]]) -> Vec<Rlwe> {
        self.product_many_with(ring, inputs, self.masks())
    }

    /// With masks from [`ResidueRows::expanded_masks`], where the key is used often enough to keep them for a while.
    fn product_many_with(
        &self,
        ring: &Ring,
        inputs: &[&[(usize, Poly<Eval>)]],
        held: Option<&[PackedPoly]>,
    ) -> Vec<Rlwe> {
        ring.multiply_rows(inputs, &self.rows, held).into_iter().map(|[c0, c1]| Rlwe { c0, c1 }).collect()
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
        switched.moved(ring, galois_elt)
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
        gadget: RnsGadget,
        randomness: impl Into<Randomness>,
        expanded: bool,
    ) -> Self {
        let two_n = 2 * ring.n() as u64;
        let inverse = inverse_mod_power_of_two(galois_elt, two_n);
        let moved = Zeroizing::new(ring.automorphism(secret.eval(), inverse));
        Self::generate(ring, secret.id(), [secret.eval(), &moved], gadget, randomness, expanded)
    }
}
