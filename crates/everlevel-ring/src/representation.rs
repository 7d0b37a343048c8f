//! The interface that key material and half products are generic over.
//!
//! How a large modulus is held (residues of word primes, one torus word, a small prime, limbs) and how
//! `Z[X]/(X^n + 1)` is multiplied are a representation's own affair. What every scheme does with keys is the same: rows
//! that hide a message in the units of a gadget, whose masks are uniform and whose bodies are all that has to be
//! stored; and, where samples are ciphertexts, one product, *digits → transforms → vector × matrix → inverse → carry*,
//! whose stages are values, so that a scheme can share digits among keys and sum products before it finishes them.
//!
//! Blind rotations fuse the stages (digits in a transform's first pass, rounding in its last): their products are
//! `everlevel-math`'s, and their accumulators no values of a representation.

use std::borrow::Borrow;
use std::fmt::Debug;

use everlevel_rand::Seed;

/// A ring of polynomials in which keys are made: what `rlwe` needs to encrypt.
///
/// *Convention.* A sample of rank `k` is `k` masks `A_i` and a body `B`; its phase is `B` with the masks' part taken
/// away, which [`Representation::mask_body`] puts there. The sign of that part is the representation's.
pub trait Representation: Send + Sync {
    /// The modulus of ring elements, where there is a choice.
    type Modulus: Clone + PartialEq + Debug + Send + Sync;
    /// A ring element: a mask, a body, a message.
    type Poly: Clone + Send + Sync;
    /// The polynomials of a secret, ready for exact products.
    type Secret: Send + Sync;
    /// How elements are cut into digits, and so which multiples of a message the rows of a key hide.
    type Gadget: Clone + PartialEq + Debug + Send + Sync;

    /// Coefficients of a polynomial.
    fn degree(&self) -> usize;

    /// The modulus that a key of this gadget is over.
    fn key_modulus(&self, gadget: &Self::Gadget) -> Self::Modulus;

    /// The `rank` uniform masks of (seed, row), the same on every machine.
    fn uniform(&self, modulus: &Self::Modulus, rank: usize, masks: &Seed, row: u64) -> Vec<Self::Poly>;

    /// The polynomial with small signed coefficients.
    fn small(&self, modulus: &Self::Modulus, coeffs: &[i64]) -> Self::Poly;

    /// A secret of one polynomial or several, whose coefficients come one polynomial after another.
    fn secret(&self, coeffs: &[i8]) -> Self::Secret;

    /// Overwrites a secret.
    fn erase(secret: &mut Self::Secret);

    /// Number of a secret's polynomials.
    fn rank(secret: &Self::Secret) -> usize;

    /// Hides a body: adds the masks' part, exactly, `±Σ A_i·S_i`; of rank 0, where there are no masks, the body is
    /// divided by the secret.
    fn mask_body(&self, body: &mut Self::Poly, masks: &[Self::Poly], secret: &Self::Secret);

    /// Adds to the body of a row the message in the row's unit.
    fn add_message(&self, body: &mut Self::Poly, gadget: &Self::Gadget, row: usize, message: &Self::Poly);
}

/// A representation whose samples of rank 1 are ciphertexts: their sums, automorphisms and phases.
pub trait SampleRing: Representation {
    /// `a += b`, where `b` may have more precision or primes.
    fn add_assign(&self, a: &mut Self::Poly, b: &Self::Poly);

    /// `a −= b`, where `b` may have more precision or primes.
    fn sub_assign(&self, a: &mut Self::Poly, b: &Self::Poly);

    /// A secret of one polynomial for products over this modulus alone, such as that of one encryption.
    fn secret_over(&self, modulus: &Self::Modulus, coeffs: &[i8]) -> Self::Secret;

    /// `body += mask·S`, for a secret of one polynomial.
    fn add_masked(&self, body: &mut Self::Poly, mask: &Self::Poly, secret: &Self::Secret);

    /// `a(X^galois_elt)`.
    fn automorphism(&self, a: &Self::Poly, galois_elt: u64) -> Self::Poly;

    /// Bytes of an element.
    fn poly_nbytes(a: &Self::Poly) -> usize;
}

/// A representation with half external products: of public polynomials with rows of a mask and a body each.
pub trait HalfProduct: SampleRing {
    /// The digits of one polynomial, transformed: made once, multiplied by any number of keys.
    type Digits: Send + Sync;
    /// The rows of one key, prepared.
    type Rows: Send + Sync;
    /// A product that is not yet divided, rounded or carried.
    type Sum: Send;
    /// The product `(d0, d1, d2)` of two ciphertexts, with phase `d0 + d1·s + d2·s²`.
    type Tensor: Send;

    /// Prepares the rows of a key, from mask and body of each. Where the seed of the masks may stand for them, they are
    /// held only if the key is to be expanded.
    ///
    /// # Errors
    /// The first that `row` returns.
    fn rows<E>(
        &self,
        gadget: &Self::Gadget,
        masks: &Seed,
        expanded: bool,
        row: impl FnMut(usize) -> Result<[Self::Poly; 2], E>,
    ) -> Result<Self::Rows, E>;

    /// The seed that the masks of a key expand from. It is public.
    fn mask_seed(rows: &Self::Rows) -> &Seed;

    /// Bytes of the rows in memory.
    fn rows_nbytes(rows: &Self::Rows) -> usize;

    /// The digits of several polynomials over one modulus.
    fn digits(&self, gadget: &Self::Gadget, polys: &[&Self::Poly]) -> Vec<Self::Digits>;

    /// `Σ digit_r·row_r` for each polynomial's digits: a key is read once for all of them.
    fn multiply(&self, digits: &[&Self::Digits], rows: &Self::Rows) -> Vec<Self::Sum>;

    /// Body and mask of each sum, divided, rounded or carried to the modulus of the polynomial that is added to the
    /// body.
    fn finish_onto(&self, sums: Vec<Self::Sum>, bodies: &[&Self::Poly]) -> Vec<[Self::Poly; 2]>;

    /// Key switches of ciphertexts: [`HalfProduct::finish_onto`] the bodies of the products of the masks' digits, which
    /// are given up as soon as they are multiplied.
    fn switch<D: Borrow<Self::Digits>>(
        &self,
        digits: Vec<D>,
        _gadget: &Self::Gadget,
        rows: &Self::Rows,
        bodies: &[&Self::Poly],
    ) -> Vec<[Self::Poly; 2]> {
        switch(self, digits, rows, bodies)
    }

    /// Body and mask over a modulus of each product of ciphertexts, with the rows of a key of `s²`.
    fn relinearize(
        &self,
        tensors: Vec<Self::Tensor>,
        gadget: &Self::Gadget,
        rows: &Self::Rows,
        to: &Self::Modulus,
    ) -> Vec<[Self::Poly; 2]>;
}

/// [`HalfProduct::switch`] by its parts, one after the other.
pub(crate) fn switch<R: HalfProduct + ?Sized, D: Borrow<R::Digits>>(
    ring: &R,
    digits: Vec<D>,
    rows: &R::Rows,
    bodies: &[&R::Poly],
) -> Vec<[R::Poly; 2]> {
    let sums = ring.multiply(&digits.iter().map(D::borrow).collect::<Vec<_>>(), rows);
    drop(digits);
    ring.finish_onto(sums, bodies)
}
