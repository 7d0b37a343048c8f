//! Code that is generic over representations, instantiated for each: rows of keys, half products, masks given from
//! outside.

use crate::common;

use crate::common::{ring, seed};
use everlevel_math::fft::{Digits, ExternalProduct};
use everlevel_rand::sampler::{self, Gaussian};
use everlevel_rand::{Domain, Seed};
use everlevel_ring::base2k::Transform;
use everlevel_ring::{
    HalfProduct, LimbGadget, LimbRing, Limbs, Representation, Ring, RnsGadget, SmallTorusRing, TorusRing, TorusWord,
    WordGadget,
};
use everlevel_rlwe::lwe::SeededKeySwitchKey;
use everlevel_rlwe::{Encryptor, Randomness, Rlwe, RowAddress, SecretId, SecretKey, SwitchingKey};

/// Ternary coefficients.
fn small(len: usize, index: u64) -> Vec<i8> {
    let mut coeffs = vec![0; len];
    sampler::ternary(&mut seed(index).stream(Domain::Test, index), &mut coeffs);
    coeffs
}

/// Integers of a representation's elements, for tests.
trait Integers: Representation {
    /// Whether the masks' part of a body is the product, or its negation.
    const MASKS_ADD: bool;

    fn zero(&self, modulus: &Self::Modulus) -> Self::Poly {
        self.small(modulus, &vec![0; self.degree()])
    }

    /// `a − b`, nearest to zero.
    fn difference(&self, a: &Self::Poly, b: &Self::Poly) -> Vec<f64>;

    /// `−a`.
    fn negated(&self, a: &Self::Poly) -> Self::Poly;

    /// `a·m` for small `m`.
    fn product(&self, modulus: &Self::Modulus, a: &Self::Poly, m: &[i8]) -> Self::Poly {
        let mut out = self.zero(modulus);
        self.mask_body(&mut out, std::slice::from_ref(a), &self.secret(m));
        if Self::MASKS_ADD { out } else { self.negated(&out) }
    }

    /// The distance of a sample's phase from a value.
    fn phase_error(
        &self,
        (masks, body): (&[Self::Poly], &Self::Poly),
        secret: &Self::Secret,
        value: &Self::Poly,
    ) -> Vec<f64> {
        let mut expected = value.clone();
        self.mask_body(&mut expected, masks, secret);
        self.difference(body, &expected)
    }
}

impl Integers for Ring {
    const MASKS_ADD: bool = false;
    fn difference(&self, a: &Self::Poly, b: &Self::Poly) -> Vec<f64> {
        common::difference(self, a, b)
    }
    fn negated(&self, a: &Self::Poly) -> Self::Poly {
        let mut out = a.clone();
        self.neg_assign(&mut out);
        out
    }
}

impl<T: TorusWord> Integers for TorusRing<T> {
    const MASKS_ADD: bool = true;
    fn difference(&self, a: &Vec<T>, b: &Vec<T>) -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| a.sub(*b).to_integer() as f64).collect()
    }
    fn negated(&self, a: &Vec<T>) -> Vec<T> {
        a.iter().map(|x| x.neg()).collect()
    }
}

/// In units of the last limb.
impl Integers for LimbRing {
    const MASKS_ADD: bool = false;
    fn difference(&self, a: &Limbs, b: &Limbs) -> Vec<f64> {
        common::limb_difference(self, a, b)
    }
    fn negated(&self, a: &Limbs) -> Limbs {
        let mut out = self.zero(a.count());
        self.sub_assign(&mut out, a);
        out
    }
}

impl Integers for SmallTorusRing {
    const MASKS_ADD: bool = true;
    fn difference(&self, a: &Vec<u32>, b: &Vec<u32>) -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| f64::from(a.wrapping_sub(*b) as i32)).collect()
    }
    fn negated(&self, a: &Vec<u32>) -> Vec<u32> {
        a.iter().map(|x| x.wrapping_neg()).collect()
    }
}

fn largest(errors: &[f64]) -> f64 {
    errors.iter().fold(0.0, |max, e| e.abs().max(max))
}

/// Every row hides the message in its unit, with an error of the distribution's size, and not less.
fn rows_hide_messages_in_their_units<R: Integers>(
    name: &str,
    ring: &R,
    (gadget, rows): (&R::Gadget, usize),
    rank: usize,
) {
    let n = ring.degree();
    let secret = SecretKey::from_coeffs(ring, SecretId(1), small(rank * n, 1));
    let error = Gaussian::new(3.2).unwrap();
    let encryptor = Encryptor { ring, secret: secret.prepared(), error: &error };
    let modulus = ring.key_modulus(gadget);
    let message = ring.small(&modulus, &small(n, 2).iter().map(|&c| i64::from(c)).collect::<Vec<_>>());
    let randomness = Randomness::from(&seed(3));
    let mut squares = 0.0;
    for digit in 0..rows {
        let at = RowAddress { gadget, digit, index: 5 + digit as u64 };
        let (masks, body) = encryptor.row(at, &message, &randomness);
        assert_eq!(masks.len(), rank, "{name}");
        let mut expected = ring.zero(&modulus);
        ring.add_message(&mut expected, gadget, digit, &message);
        let errors = ring.phase_error((&masks, &body), secret.prepared(), &expected);
        assert!(largest(&errors) <= 9.0 * 3.2, "{name}, digit {digit}: {}", largest(&errors));
        squares += errors.iter().map(|e| e * e).sum::<f64>();
    }
    let count = (n * rows) as f64;
    let ratio = squares / count / 3.2f64.powi(2);
    assert!((ratio - 1.0).abs() < 6.0 * (2.0 / count).sqrt(), "{name}: variance over the distribution's {ratio}");
}

#[test]
fn rows_of_every_representation_hide_messages_in_their_units() {
    let residues = ring(8, 4);
    let gadget = residue_gadget(&residues);
    rows_hide_messages_in_their_units("residues", &residues, (&gadget, gadget.digits.len()), 1);
    let (torus, gadget) = (TorusRing::<u64>::new(8).unwrap(), WordGadget::new(7, 4));
    rows_hide_messages_in_their_units("64-bit torus", &torus, (&gadget, 4), 2);
    rows_hide_messages_in_their_units("32-bit torus", &torus.with_words::<u32>(), (&gadget, 4), 1);
    for (transform, log2_base) in LIMBS {
        let gadget = LimbGadget::new(5, 2);
        let ring = LimbRing::new(8, transform, log2_base, gadget.limbs).unwrap();
        rows_hide_messages_in_their_units(&format!("limbs, {transform:?}"), &ring, (&gadget, gadget.digits), 2);
    }
    for degree in [1, 2, 32] {
        let many = WordGadget::new(1, 24);
        rows_hide_messages_in_their_units("small torus", &SmallTorusRing::new(degree), (&many, 24), 256 / degree);
    }
}

const LIMBS: [(Transform, u32); 3] =
    [(Transform::Doubles, 19), (Transform::TwoPrimes, 40), (Transform::ThreePrimes, 60)];

fn residue_gadget(ring: &Ring) -> RnsGadget {
    let (set, special) = (everlevel_ring::PrimeSet::new([0, 1, 2]), everlevel_ring::PrimeSet::new([3]));
    RnsGadget::consecutive(ring, &set, &special, 0.0)
}

/// The half product of a uniform polynomial with a key is the polynomial times the key's message, up to `bound`.
fn half_products_multiply<R: Integers>(
    name: &str,
    ring: &R,
    (secret, message): (&SecretKey<R>, &[i8]),
    (to, bound): (&R::Modulus, f64),
    products: impl Fn(&[R::Poly]) -> Vec<Vec<R::Poly>>,
) {
    let public: Vec<R::Poly> = (0..3).map(|i| ring.uniform(to, 1, &seed(70 + i), 0).remove(0)).collect();
    let products = products(&public);
    assert_eq!(products.len(), public.len(), "{name}");
    for (c, product) in public.iter().zip(&products) {
        let (body, masks) = product.split_last().unwrap();
        let errors = ring.phase_error((masks, body), secret.prepared(), &ring.product(to, c, message));
        assert!(largest(&errors) < bound, "{name}: {} beyond {bound}", largest(&errors));
        assert!(largest(&errors) > bound / 1e3, "{name}: noise of {} under a bound of {bound}", largest(&errors));
    }
}

/// Masks and body of the products of polynomials with a key.
fn switched<'a, R: HalfProduct + Integers>(
    ring: &'a R,
    key: &'a SwitchingKey<R>,
    to: &'a R::Modulus,
) -> impl Fn(&[R::Poly]) -> Vec<Vec<R::Poly>> + 'a {
    |polys| {
        let cts: Vec<_> = polys.iter().map(|c1| Rlwe { c0: ring.zero(to), c1: c1.clone() }).collect();
        key.switch_many(ring, &cts).into_iter().map(|ct| vec![ct.c1, ct.c0]).collect()
    }
}

/// The transformed matrix of rows, each its masks and then its body.
fn matrix<T: TorusWord<Key: Default>>(ring: &TorusRing<T>, rows: &[Vec<Vec<T>>]) -> Vec<T::Key> {
    let place = (rows.len(), rows[0].len());
    let mut matrix = vec![T::Key::default(); place.0 * place.1 * ring.degree()];
    for (r, row) in rows.iter().enumerate() {
        row.iter().enumerate().for_each(|(c, poly)| ring.prepare_column(&mut matrix, (r, c), place, poly));
    }
    matrix
}

/// A product with such a matrix, stage by stage: digits of each polynomial, products, inverse transforms.
fn composed<T: TorusWord>(
    ring: &TorusRing<T>,
    polys: &[(&Vec<T>, WordGadget)],
    matrix: &[T::Key],
    columns: usize,
) -> Vec<Vec<T>> {
    let (fft, n) = (ring.fft(), ring.degree());
    let digits = |(poly, gadget): &(&Vec<T>, WordGadget)| {
        let mut out = vec![0.0; gadget.digits as usize * n];
        fft.forward_digits(&mut out, poly, Digits::from(*gadget));
        out
    };
    let digits: Vec<f64> = polys.iter().flat_map(digits).collect();
    let mut sums = vec![0.0; columns * n];
    fft.multiply(&mut sums, &digits, matrix);
    let finished = |x: &mut [f64]| {
        let mut out = vec![T::default(); n];
        fft.inverse_add_scaled(&mut out, x, T::log2_key_unit(n));
        out
    };
    sums.chunks_exact_mut(n).map(finished).collect()
}

/// The rows of a torus key under one secret, masks and then body.
fn torus_rows<T: TorusWord>(
    ring: &TorusRing<T>,
    secret: &SecretKey<TorusRing<T>>,
    (gadget, first): (&WordGadget, u64),
    message: &[i8],
) -> Vec<Vec<Vec<T>>> {
    let error = Gaussian::new(3.2).unwrap();
    let encryptor = Encryptor { ring, secret: secret.prepared(), error: &error };
    let message = ring.small(&(), &message.iter().map(|&c| i64::from(c)).collect::<Vec<_>>());
    let row = |digit: usize| {
        let at = RowAddress { gadget, digit, index: first + digit as u64 };
        let (mut row, body) = encryptor.row(at, &message, &Randomness::from(&seed(8)));
        row.push(body);
        row
    };
    (0..gadget.digits as usize).map(row).collect()
}

fn torus_half_products<T: TorusWord>(name: &str, gadget: WordGadget)
where
    T::Key: Default,
{
    let ring = TorusRing::<T>::new(10).unwrap();
    let (n, message) = (ring.degree(), small(ring.degree(), 20));
    let secret = SecretKey::from_coeffs(&ring, SecretId(2), small(2 * n, 21));
    let rows = matrix(&ring, &torus_rows(&ring, &secret, (&gadget, 0), &message));
    // Ten deviations: digits times errors, and digits' rounding times the message.
    let base = f64::from(gadget.log2_base).exp2();
    let of_errors = f64::from(gadget.digits) * n as f64 * (base * base + 2.0) / 12.0 * 3.2f64.powi(2);
    let unit = f64::from(T::BITS - gadget.bits()).exp2();
    let of_rounding = 2.0 / 3.0 * n as f64 * unit * unit / 12.0;
    // The transforms round to 53 bits, once a level, sums of digits times words, and the secret multiplies that.
    let level = 2.0 * (2.0 * f64::from(T::BITS) - 106.0).exp2() * 10.0;
    let of_transforms = level * of_errors / 3.2f64.powi(2) / 12.0 * (1.0 + 2.0 / 3.0 * 2.0 * n as f64);
    // Keys of 32-bit words are stored in units of their transforms.
    let stored = if T::BITS == 32 { f64::from(T::log2_key_unit(n)).exp2().powi(2) / 6.0 / n as f64 } else { 0.0 };
    let of_storage = stored * (1.0 + 2.0 / 3.0 * 2.0 * n as f64) * of_errors / 3.2f64.powi(2);
    let bound = 10.0 * (of_errors + of_rounding + of_transforms + of_storage).sqrt();
    let products = |polys: &[Vec<T>]| polys.iter().map(|poly| composed(&ring, &[(poly, gadget)], &rows, 3)).collect();
    half_products_multiply(name, &ring, (&secret, &message), (&(), bound), products);
}

#[test]
fn half_products_of_every_representation_multiply_by_the_message() {
    let ring = ring(10, 4);
    let gadget = residue_gadget(&ring);
    let to = gadget.ciphertext_set();
    let (secret, from) = (small(ring.n(), 30), small(ring.n(), 31));
    let (secret, message) = (SecretKey::from_coeffs(&ring, SecretId(3), secret), from);
    let factor = ring.secret(&message);
    let key = SwitchingKey::generate(&ring, (&factor, secret.eval()), gadget.clone(), &seed(9), true);
    let deviation = everlevel_rlwe::key_switch_std_dev(ring.n(), 3, 48.0, 48.0)
        .hypot(everlevel_rlwe::rounding_std_dev(secret.weight()));
    let products = switched(&ring, &key, &to);
    half_products_multiply("residues", &ring, (&secret, &message), (&to, 10.0 * deviation), products);
    torus_half_products::<u64>("64-bit torus", WordGadget::new(12, 4));
    torus_half_products::<u32>("32-bit torus", WordGadget::new(7, 3));
}

#[test]
fn half_products_of_limbs_multiply_by_the_message() {
    for (transform, log2_base) in LIMBS {
        for digit_limbs in [1, 2, 3] {
            let gadget = LimbGadget::new(4, digit_limbs);
            let ring = LimbRing::new(10, transform, log2_base, gadget.limbs).unwrap();
            let (secret, message) = (small(ring.degree(), 32), small(ring.degree(), 33));
            let secret = SecretKey::from_coeffs(&ring, SecretId(4), secret);
            let wide: Vec<i64> = message.iter().map(|&c| i64::from(c)).collect();
            let key = SwitchingKey::of_limbs(&ring, &secret, &wide, gadget, &seed(10), true);
            let deviation = everlevel_rlwe::key_switch_std_dev(ring.degree(), gadget.digits, 0.0, 0.0)
                .hypot(everlevel_rlwe::rounding_std_dev(secret.weight()));
            let name = format!("limbs, {transform:?}, digits of {digit_limbs}");
            let products = switched(&ring, &key, &4);
            half_products_multiply(&name, &ring, (&secret, &message), (&4, 10.0 * deviation), products);
        }
    }
}

/// The fused external product of a blind rotation has the bits of the composed one: digits, products, inverse.
fn fused_is_composed<T: TorusWord>(gadgets: [WordGadget; 2])
where
    T::Key: Default,
{
    let ring = TorusRing::<T>::new(9).unwrap();
    let n = ring.degree();
    let secret = SecretKey::from_coeffs(&ring, SecretId(4), small(n, 40));
    let glwe = ring.uniform(&(), 2, &seed(41), 0);
    let mut rows = torus_rows(&ring, &secret, (&gadgets[0], 0), &small(n, 42));
    rows.extend(torus_rows(&ring, &secret, (&gadgets[1], 100), &small(n, 43)));
    let (matrix, pairs) = (matrix(&ring, &rows), [0, 1].map(|i| (&glwe[i], gadgets[i])));
    let composed = composed(&ring, &pairs, &matrix, 2).concat();

    let product = ExternalProduct::new::<T>(ring.fft().clone(), &gadgets.map(Digits::from), T::log2_key_unit(n));
    assert_eq!(matrix.len(), product.matrix_len());
    let (mut acc, mut scratch) = (vec![T::default(); 2 * n], vec![0.0; product.scratch_len()]);
    product.add([(&mut acc[..], &glwe.concat()[..])], &matrix, &mut scratch, &[]);
    assert_eq!(acc, composed, "{gadgets:?}");
}

#[test]
fn fused_steps_have_the_bits_of_composed_ones() {
    fused_is_composed::<u64>([WordGadget::new(9, 3), WordGadget::new(9, 2)]);
    fused_is_composed::<u64>([WordGadget::new(18, 1), WordGadget::new(18, 1)]);
    fused_is_composed::<u32>([WordGadget::new(7, 3), WordGadget::new(8, 2)]);
}

/// Masks that are given from outside make the same keys as those that the secret's seed derives; parties that share
/// masks have rows of their own with the same masks.
#[test]
fn masks_may_come_from_outside() {
    let ring = ring(8, 4);
    let gadget = residue_gadget(&ring);
    let (s, t) = (ring.secret(&small(ring.n(), 50)), ring.secret(&small(ring.n(), 51)));
    let masks = || seed(60).derive(Domain::Mask, 0);
    let key = |randomness: Randomness| SwitchingKey::generate(&ring, (&t, &s), gadget.clone(), randomness, true);
    let bytes = |key: &SwitchingKey| -> Vec<Vec<u8>> {
        key.rows().bodies().iter().chain(key.rows().masks().unwrap()).map(|poly| poly.bytes().to_vec()).collect()
    };
    let (derived, given) = (key(Randomness::from(&seed(60))), key(Randomness::new(masks(), seed(60))));
    assert_eq!(bytes(&derived), bytes(&given));
    let other = key(Randomness::new(masks(), seed(61)));
    let rows = gadget.digits.len();
    assert_eq!(bytes(&other)[rows..], bytes(&given)[rows..], "the same masks");
    assert!((0..rows).all(|row| bytes(&other)[row] != bytes(&given)[row]), "other errors");

    let small_ring = SmallTorusRing::new(32);
    let (error, to) = (Gaussian::new(3.2).unwrap(), SecretKey::from_coeffs(&small_ring, SecretId(6), small(64, 52)));
    let switch = |randomness: Randomness| {
        let (from, gadget) = (small(256, 53), WordGadget::new(3, 5));
        SeededKeySwitchKey::generate(small_ring, &from, &to, (gadget, &error), randomness)
    };
    let outside: Seed = masks();
    let (derived, given) = (switch(Randomness::from(&seed(60))), switch(Randomness::new(outside, seed(60))));
    assert_eq!((derived.bodies, derived.mask_seed), (given.bodies, given.mask_seed));
}
