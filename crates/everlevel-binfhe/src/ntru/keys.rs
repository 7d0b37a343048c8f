//! Plaintexts of a bootstrapping key's rows.

use std::sync::atomic::{AtomicUsize, Ordering};

use everlevel_rand::sampler::Ternary;
use everlevel_ring::{Representation, report};
use everlevel_rlwe::{Encryptor, Randomness, RowAddress};
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::buckets::Buckets;
use super::counts::Rotation;
use super::orders::{inverse, power_of_five};
use super::params::NtruLiteral;
use crate::{Error, Progress, SecretKey};

/// The plaintext of a vector ciphertext: a polynomial, and whether it is divided by the secret, for products with plain
/// polynomials and after automorphisms.
struct Message {
    coeffs: Zeroizing<Vec<i64>>,
    divided: bool,
}

/// `X^exponent`, whose place is secret: every coefficient is compared with it.
fn monomial(n: usize, exponent: i64) -> Zeroizing<Vec<i64>> {
    let exponent = exponent as usize & (2 * n - 1);
    let is = |place: usize| i64::from(place ^ exponent == 0);
    Zeroizing::new((0..n).map(|i| is(i) - is(i + n)).collect())
}

/// A constant.
fn constant(n: usize, value: i8) -> Zeroizing<Vec<i64>> {
    let mut coeffs = Zeroizing::new(vec![0; n]);
    coeffs[0] = value.into();
    coeffs
}

/// `f(X^t)`, for a public odd `t`.
fn turned(f: &[i8], t: usize) -> Zeroizing<Vec<i64>> {
    let n = f.len();
    let mut coeffs = Zeroizing::new(vec![0; n]);
    for (i, &c) in f.iter().enumerate() {
        let place = i * t % (2 * n);
        coeffs[place % n] = i64::from(c) * if place < n { 1 } else { -1 };
    }
    coeffs
}

/// The plaintexts of a key's vector ciphertexts.
struct Messages<'a> {
    literal: &'a NtruLiteral,
    secret: &'a SecretKey,
    /// For each bucket, whether its coefficients are counted in it, and at last whether none is.
    counted: Vec<Zeroizing<Vec<i8>>>,
}

impl<'a> Messages<'a> {
    fn new(literal: &'a NtruLiteral, secret: &'a SecretKey) -> Self {
        let counted = |buckets: Buckets| {
            let placed = buckets.place(secret.small()).expect("a secret that was drawn until it can be placed");
            let of_bucket = |(bucket, members): (usize, &Vec<usize>)| {
                // A vector that grew would leave a copy behind.
                let mut here = Zeroizing::new(Vec::with_capacity(members.len() + 1));
                here.extend(members.iter().map(|&i| placed[i][buckets.side(i, bucket)]));
                let none = 1 - here.iter().sum::<i8>();
                here.push(none);
                here
            };
            buckets.members.iter().enumerate().map(of_bucket).collect()
        };
        Self { literal, secret, counted: literal.shape().buckets().map(counted).unwrap_or_default() }
    }

    /// The plaintext of vector ciphertext `index`.
    fn of(&self, index: usize) -> Message {
        let (l, s) = (self.literal, self.secret.small());
        let (n, two_n) = (l.n(), 2 * l.n());
        let sum: i64 = s.iter().map(|&s| i64::from(s)).sum();
        let one = || Message { coeffs: constant(n, 1), divided: true };
        let bit = |bit: i8| Message { coeffs: constant(n, bit), divided: false };
        let power = |exponent: i64| Message { coeffs: monomial(n, exponent), divided: false };
        let divided = |message: Message| Message { divided: true, ..message };
        let automorphism = |t: usize| Message { coeffs: turned(self.secret.big(), t), divided: true };
        // The correction by the sum of all bits, seen from the first class `w`.
        let correction = |w: usize| divided(power(-sum * inverse(w, two_n) as i64));
        match l.rotation {
            Rotation::Sequential | Rotation::ThreeKeys if index == 0 => one(),
            // 1 where the coefficient is 1; then 1 where it is −1.
            Rotation::Sequential if l.shape().is_signed() => {
                let s = s[(index - 1) / 2];
                bit([(s + 1) >> 1, (s >> 1) & 1][(index - 1) % 2])
            }
            Rotation::Sequential => bit(s[index - 1]),
            Rotation::ThreeKeys | Rotation::FourKeys | Rotation::EightKeys => {
                let (bits, ones) = l.shape().value(index);
                let first = bits.start == 0 && l.rotation != Rotation::ThreeKeys;
                let is_value = bits.fold(1, |all, i| all & if ones.contains(&i) { s[i] } else { 1 - s[i] });
                if first { divided(bit(is_value)) } else { bit(is_value) }
            }
            Rotation::Blocks if index < l.shape().keys_per_step() => divided(bit(s[index])),
            Rotation::Blocks => bit(s[index]),
            Rotation::Buckets { .. } => {
                let mut before = 0;
                let holds = |here: &&Zeroizing<Vec<i8>>| {
                    before += here.len();
                    index < before
                };
                let bucket = self.counted.iter().find(holds).expect("a key of a bucket");
                let bit = bit(bucket[index + bucket.len() - before]);
                if before == bucket.len() { divided(bit) } else { bit }
            }
            Rotation::Automorphisms => match index {
                0 => divided(power(s[0].into())),
                _ if index < s.len() => power(s[index].into()),
                _ if index == s.len() => power(-sum),
                _ => automorphism(2 * (index - s.len()) + 1),
            },
            Rotation::TwoSweeps { window } => {
                let automorphisms = s.len() + 1;
                match index {
                    0 => correction(two_n - power_of_five(n / 2 - 1, two_n)),
                    _ if index < automorphisms => power(s[index - 1].into()),
                    _ if index < automorphisms + window => {
                        automorphism(power_of_five(index - automorphisms + 1, two_n))
                    }
                    _ => automorphism(two_n - 5),
                }
            }
            Rotation::OneSweep { .. } => match index {
                0 => correction(power_of_five(n / 2 - 1, two_n)),
                _ if index <= s.len() => power(s[index - 1].into()),
                _ if index <= 2 * s.len() => power(-i64::from(s[index - 1 - s.len()])),
                _ => automorphism(power_of_five(index - 2 * s.len(), two_n)),
            },
        }
    }
}

/// The rows of the key, as residues in the leading halves of words.
pub(crate) fn bodies(
    l: &NtruLiteral,
    secret: &SecretKey,
    randomness: &Randomness,
    progress: Progress<'_>,
) -> Result<Vec<u64>, Error> {
    let (ring, digits, n) = (l.ring(), l.gadget.digits as usize, l.n());
    let inverse = everlevel_rlwe::SecretKey::from_coeffs(&ring, secret.id(), secret.big().to_vec());
    let encryptor = Encryptor { ring: &ring, secret: inverse.prepared(), error: &Ternary };
    let messages = Messages::new(l, secret);
    let mut bodies = vec![0; l.keys() * digits * n];
    let (total, done) = (l.keys() * digits, AtomicUsize::new(0));
    bodies.par_chunks_mut(digits * n).enumerate().try_for_each(|(index, rows)| {
        let message = messages.of(index);
        let mut poly = Zeroizing::new(ring.small(&(), &message.coeffs));
        if message.divided {
            ring.mask_body(&mut poly, &[], inverse.prepared());
        }
        for (digit, out) in rows.chunks_exact_mut(n).enumerate() {
            let at = RowAddress { gadget: &l.gadget, digit, index: (index * digits + digit) as u64 };
            let (_, row) = encryptor.row(at, &poly, randomness);
            out.iter_mut().zip(&row).for_each(|(out, &x)| *out = x << 32);
            report("generate", progress, done.fetch_add(1, Ordering::Relaxed) + 1, total)?;
        }
        Ok::<_, Error>(())
    })?;
    Ok(bodies)
}
