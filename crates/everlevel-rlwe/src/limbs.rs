//! Ciphertexts and keys over limbs in base `2^K`.
//!
//! Key switches, automorphisms and relinearisations are one half product each. A key is made for elements of the most
//! limbs, and serves all that have fewer: their products use a corner of it.

use everlevel_math::monomial::inverse_mod_power_of_two;
use everlevel_ring::base2k::{LimbDigits, LimbTensor, coefficients};
use everlevel_ring::{HalfProduct, LimbGadget, LimbRing, Limbs, Representation};
use zeroize::Zeroizing;

use crate::encrypt::gaussian;
use crate::encryptor::RowAddress;
use crate::{Encryptor, Randomness, Rlwe, SecretKey, SwitchingKey};

/// The encryptor of a secret of limbs, whose errors have deviation [`SIGMA`](crate::SIGMA) in units of the last limb.
fn encryptor<'a>(ring: &'a LimbRing, secret: &'a SecretKey<LimbRing>) -> Encryptor<'a, LimbRing> {
    Encryptor { ring, secret: secret.prepared(), error: gaussian() }
}

impl Rlwe<LimbRing> {
    /// Limbs of either part.
    pub fn limbs(&self) -> usize {
        self.c0.count()
    }

    /// The ciphertext rounded to its first limbs.
    pub fn truncate(&mut self, limbs: usize) {
        self.c0.truncate(limbs);
        self.c1.truncate(limbs);
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
    ) -> Self {
        let (encryptor, randomness) = (encryptor(ring, secret), randomness.into());
        // As many limbs as its integers take.
        let message = Zeroizing::new(ring.small(&64usize.div_ceil(ring.base().log2() as usize), message));
        let mut rows = ring.zero_rows(&gadget, 1);
        for digit in 0..gadget.digits {
            let at = RowAddress { gadget: &gadget, digit, index: digit as u64 };
            let (masks, body) = encryptor.row(at, &message, &randomness);
            ring.prepare_row(&mut rows, digit, &[&masks[0], &body]);
        }
        Self::from_rows(secret.id(), gadget, rows)
    }

    /// The key for the automorphism `σ: X ↦ X^galois_elt`, stored moved back by it, as
    /// [`SwitchingKey::generate_galois`] does for residues.
    pub fn of_limbs_galois(
        ring: &LimbRing,
        secret: &SecretKey<LimbRing>,
        galois_elt: u64,
        gadget: LimbGadget,
        randomness: impl Into<Randomness>,
    ) -> Self {
        let n = ring.degree();
        let inverse = inverse_mod_power_of_two(galois_elt, 2 * n as u64);
        let wide = Zeroizing::new(secret.coeffs().iter().map(|&c| i64::from(c)).collect::<Vec<_>>());
        let mut moved = Zeroizing::new(vec![0; n]);
        coefficients::automorphism_into(&mut [&mut moved], &[&wide], inverse);
        let moved = SecretKey::from_coeffs(ring, secret.id(), moved.iter().map(|&c| c as i8).collect());
        Self::of_limbs(ring, &moved, &wide, gadget, randomness)
    }

    /// The ciphertext under another secret, the one that this is a key of: `(c0, 0) + c1·key`.
    pub fn switched(&self, ring: &LimbRing, ct: &Rlwe<LimbRing>) -> Rlwe<LimbRing> {
        self.times_onto(ring, &ct.c1, [Some(&ct.c0), None])
    }

    /// `polynomial·key`: a ciphertext whose phase is the polynomial times the key's message.
    pub fn times(&self, ring: &LimbRing, polynomial: &Limbs) -> Rlwe<LimbRing> {
        self.times_onto(ring, polynomial, [None; 2])
    }

    /// A product of ciphertexts as one of the secret, where this is a key of the secret's square.
    pub fn relinearized(&self, ring: &LimbRing, tensor: LimbTensor) -> Rlwe<LimbRing> {
        let [c1, c0] = ring.relinearize(tensor, self.rows());
        Rlwe { c0, c1 }
    }

    /// `polynomial·key` plus a body and a mask, in one pass of carries.
    fn times_onto(&self, ring: &LimbRing, polynomial: &Limbs, [c0, c1]: [Option<&Limbs>; 2]) -> Rlwe<LimbRing> {
        let digits = ring.digits(self.gadget(), &[polynomial]);
        self.times_digits(ring, &digits[0], polynomial.count(), [c0, c1])
    }

    /// The same with the digits of a polynomial of so many limbs.
    fn times_digits(
        &self,
        ring: &LimbRing,
        digits: &LimbDigits,
        limbs: usize,
        [c0, c1]: [Option<&Limbs>; 2],
    ) -> Rlwe<LimbRing> {
        let sum = ring.multiply(&[digits], self.rows()).remove(0);
        let parts = <[Limbs; 2]>::try_from(ring.finish_onto(sum, limbs, &[c1, c0]));
        let [c1, c0] = parts.unwrap_or_else(|_| unreachable!("rows of a mask and a body"));
        Rlwe { c0, c1 }
    }

    /// `σ(ct)`, for the automorphism that this is the key of.
    pub fn moved_limbs(&self, ring: &LimbRing, ct: &Rlwe<LimbRing>, galois_elt: u64) -> Rlwe<LimbRing> {
        self.switched(ring, ct).moved(ring, galois_elt)
    }

    /// Several automorphisms of one ciphertext, whose transforms they share; none leaves it as it is.
    pub fn moved_limbs_many(
        ring: &LimbRing,
        ct: &Rlwe<LimbRing>,
        moves: &[Option<(u64, &Self)>],
    ) -> Vec<Rlwe<LimbRing>> {
        let digits = moves.iter().flatten().next().map(|(_, key)| ring.digits(key.gadget(), &[&ct.c1]));
        let one = |one: &Option<(u64, &Self)>| match (one, &digits) {
            (Some((element, key)), Some(digits)) => {
                let switched = key.times_digits(ring, &digits[0], ct.limbs(), [Some(&ct.c0), None]);
                switched.moved(ring, *element)
            }
            _ => ct.clone(),
        };
        moves.iter().map(one).collect()
    }
}
