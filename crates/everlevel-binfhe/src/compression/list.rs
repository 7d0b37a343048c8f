//! Compressed lists: words of few bits, what comes out of them, and decompression.
//!
//! *Layout.* For each `N` ciphertexts, and at last for those that are left, a ciphertext of a polynomial: `k·N` words
//! of its masks, and of its body those at the places of [`places`], one bit behind the other.
//!
//! *Rounding.* What the roundings `E_j` of the masks do to the phase, `−Σ_j E_j·S_j`, has the mean `−µ·Σ_j E_j·J` over
//! secrets whose coefficients have the mean `µ`, ½ for bits, with `J` the polynomial of ones. The body is corrected by
//! that before it is rounded, which halves the deviation of bits' roundings.

use std::ops::Range;

use everlevel_objects::require_secret;
use everlevel_rlwe::{SecretId, lwe};

use super::array::{AnyArray, Kind};
use super::packing::places;
use super::params::ListWidths;
use crate::bits::{Reader, Writer};
use crate::common::{Common, Space};
use crate::eval_keys::map;
use crate::{Ciphertext, Error, EvalKeys, FailureBound, Lwe, NoiseSum, Params, SecretKey, Width};

/// The words of a list, packed.
#[derive(Debug)]
pub(super) struct PackedList {
    widths: ListWidths,
    len: usize,
    writer: Writer,
}

impl PackedList {
    pub(super) fn new(widths: ListWidths) -> Self {
        Self { widths, len: 0, writer: Writer::default() }
    }

    /// The number of ciphertexts.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds a packed ciphertext that holds so many, rounded.
    pub(super) fn push(&mut self, glwe: &[u64], c: &Params, count: usize) {
        let ListWidths { mask_bits, body_bits } = self.widths;
        let (masks, body) = glwe.split_at(glwe.len() - c.n());
        masks.iter().for_each(|&word| self.writer.push(rounded(word, mask_bits), mask_bits));
        let mean = c.scheme().secret_distribution().mean(masks.len());
        let means = means(masks, c.n(), mask_bits, mean);
        for place in places(c.n(), count) {
            self.writer.push(rounded(body[place].wrapping_add(means[place]), body_bits), body_bits);
        }
        self.len += count;
    }
}

/// The leading bits of a word, rounded.
fn rounded(word: u64, bits: u32) -> u32 {
    (word.wrapping_add(1 << (63 - bits)) >> (64 - bits)) as u32
}

/// `µ·Σ_j E_j·J` with the roundings `E_j` of masks, and `J = 1 + X + … + X^(N−1)`: coefficient `i` of a product with
/// `J` is the sum of those up to `i`, less the sum of those behind. The mean `µ` is a numerator and a denominator.
fn means(masks: &[u64], n: usize, bits: u32, (numerator, denominator): (u32, u32)) -> Vec<u64> {
    let mut errors = vec![0i64; n];
    for mask in masks.chunks_exact(n) {
        for (sum, &word) in errors.iter_mut().zip(mask) {
            let error = (u64::from(rounded(word, bits)) << (64 - bits)).wrapping_sub(word) as i64;
            *sum = sum.wrapping_add(error / i64::from(denominator) * i64::from(numerator));
        }
    }
    let mut sum = errors.iter().fold(0i64, |sum, &error| sum.wrapping_sub(error));
    let coefficient = |&error: &i64| {
        sum = sum.wrapping_add(error.wrapping_mul(2));
        sum as u64
    };
    errors.iter().map(coefficient).collect()
}

/// An array of ciphertexts of one secret, compressed.
#[derive(Debug, Clone, PartialEq)]
pub struct CompressedList {
    pub(crate) kind: Kind,
    /// Ciphertexts of an element.
    pub(crate) per: usize,
    pub(crate) key: SecretId,
    pub(crate) widths: ListWidths,
    /// Ciphertexts: messages, or blocks.
    pub(crate) len: usize,
    /// The largest value that any of them may hold.
    pub(crate) max_value: u64,
    /// Variance of each one's noise, at most.
    pub(crate) variance: f64,
    /// The bootstraps that led to any of them.
    pub(crate) failures: FailureBound,
    pub(crate) bytes: Vec<u8>,
}

/// Bits of the words of so many ciphertexts.
fn packed_bits(c: &Common, widths: ListWidths, len: usize) -> usize {
    let masks = len.div_ceil(c.n()) * c.rank() * c.n();
    masks * widths.mask_bits as usize + len * widths.body_bits as usize
}

/// Bytes of the words of so many ciphertexts.
pub(crate) fn packed_len(c: &Common, widths: ListWidths, len: usize) -> usize {
    packed_bits(c, widths, len).div_ceil(8)
}

impl CompressedList {
    pub(super) fn new(
        packed: PackedList,
        (kind, per): (Kind, usize),
        key: SecretId,
        (max_value, variance, failures): (u64, f64, FailureBound),
    ) -> Self {
        let PackedList { widths, len, writer } = packed;
        Self { kind, per, key, widths, len, max_value, variance, failures, bytes: writer.finish() }
    }

    /// Whether there are other bits than zeros behind the words.
    pub(crate) fn has_more_bits(&self, c: &Common) -> bool {
        let bits = packed_bits(c, self.widths, self.len);
        self.bytes.last().is_some_and(|&last| !bits.is_multiple_of(8) && last >> (bits % 8) != 0)
    }

    /// The secret that the ciphertexts belong to.
    pub fn key(&self) -> SecretId {
        self.key
    }

    /// The number of ciphertexts: messages, or blocks of integers.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no ciphertexts.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of the packed words.
    pub fn nbytes(&self) -> usize {
        self.bytes.len()
    }

    /// Variance of each ciphertext's noise, as a part of the torus squared, at most.
    pub fn variance_torus(&self) -> f64 {
        self.variance
    }

    /// Elements: messages, integers, or truth values.
    pub fn elements(&self) -> usize {
        self.len / self.per
    }

    /// The width of integers, where they are such.
    pub fn width(&self) -> Option<Width> {
        match self.kind {
            Kind::Uints(width) => Some(width),
            Kind::Messages | Kind::Bools => None,
        }
    }

    /// Whether the elements are truth values.
    pub fn holds_bools(&self) -> bool {
        self.kind == Kind::Bools
    }

    /// Bytes of the words of the array that decompression gives.
    pub fn expanded_nbytes(&self, params: &Params) -> usize {
        8 * self.len * (params.ciphertext_dim() + 1)
    }

    /// An upper bound of the probability that any of them decrypts to a wrong value.
    pub fn failure_probability(&self, params: &Params) -> f64 {
        let decryption = crate::noise::log2_p_fail(params.margin_torus(), self.variance).exp2();
        (self.failures.probability() + self.len as f64 * decryption).min(1.0)
    }

    /// The LWE ciphertexts, with the list's noise.
    pub fn lwes(&self, params: &Params) -> Vec<Lwe> {
        self.extract(params, 0..self.len).into_iter().map(|x| x.lwe).collect()
    }

    /// The ciphertexts at neighbouring places, with the list's noise: two of them may have parts of it in common, so
    /// that they are for decryption and for bootstraps alone.
    pub(crate) fn extract(&self, c: &Common, range: Range<usize>) -> Vec<Ciphertext> {
        let ListWidths { mask_bits, body_bits } = self.widths;
        let (n, masks_len) = (c.n(), c.rank() * c.n());
        let mut all = Vec::with_capacity(range.len());
        for part in range.start / n..range.end.div_ceil(n) {
            let first = part * n;
            let count = n.min(self.len - first);
            let start = part * (masks_len * mask_bits as usize + n * body_bits as usize);
            let mut reader = Reader::at(&self.bytes, start);
            let mut glwe: Vec<u64> =
                (0..masks_len).map(|_| u64::from(reader.next(mask_bits)) << (64 - mask_bits)).collect();
            glwe.resize(masks_len + n, 0);
            let wanted = range.start.max(first)..range.end.min(first + count);
            for (i, place) in (first..).zip(places(n, count)) {
                let body = u64::from(reader.next(body_bits)) << (64 - body_bits);
                if !wanted.contains(&i) {
                    continue;
                }
                glwe[masks_len + place] = body;
                let lwe = lwe::extract(&glwe, n, place, c.big_dim);
                let noise = NoiseSum::of(&lwe, self.variance).after(self.failures.clone());
                all.push(Ciphertext::from_parts(lwe, self.key, noise, self.max_value));
            }
        }
        all
    }
}

/// Ciphertexts that are decrypted together.
const DECRYPTED_TOGETHER: usize = 256;

impl SecretKey {
    /// The messages of a list's ciphertexts, or the digits of its integers; 0 or 1 for bits.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`Error::NoiseExhausted`].
    fn decrypt_listed(&self, list: &CompressedList) -> Result<Vec<u64>, Error> {
        let mut values = Vec::with_capacity(list.len);
        for start in (0..list.len).step_by(DECRYPTED_TOGETHER) {
            let part = list.extract(self.params(), start..list.len.min(start + DECRYPTED_TOGETHER));
            match self.params().space {
                Space::Bit => values.extend(self.decrypt_bits(&part)?.into_iter().map(u64::from)),
                Space::Integer { .. } => values.extend(self.decrypt_integers(&part)?),
            }
        }
        Ok(values)
    }

    /// Decrypts a list as it is: messages, 0 or 1 for bits and truth values, and integers of [`crate::Width::words`]
    /// words each.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`Error::WrongSpace`], [`Error::NoiseExhausted`].
    pub fn decrypt_list(&self, list: &CompressedList) -> Result<Vec<u64>, Error> {
        let op = "decrypt";
        require_secret(op, "list", list.key, self.id())?;
        let values = self.decrypt_listed(list)?;
        match list.kind {
            Kind::Messages | Kind::Bools => Ok(values),
            Kind::Uints(width) => crate::uint::Radix::of(op, self.params().space)?.words(op, width, &values),
        }
    }
}

impl EvalKeys {
    /// The array of a list: a bootstrap of each ciphertext.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`Error::NoiseExhausted`] for more noise than a bootstrap takes.
    pub fn decompress(&self, list: &CompressedList) -> Result<AnyArray, Error> {
        let op = "decompress";
        list.kind.array(op, self.params(), self.refreshed(list, 0..list.len)?)
    }

    /// The ciphertexts at neighbouring places of a list, with the noise of a bootstrap's output.
    pub(crate) fn refreshed(&self, list: &CompressedList, range: Range<usize>) -> Result<Vec<Ciphertext>, Error> {
        let op = "decompress";
        require_secret(op, "list", list.key, self.id())?;
        self.check_noise(op, list.variance, 0)?;
        let threads = rayon::current_num_threads();
        let step = range.len().div_ceil(threads).max(1);
        let parts: Vec<Range<usize>> =
            range.clone().step_by(step).map(|start| start..range.end.min(start + step)).collect();
        let all: Vec<Ciphertext> = map(threads, parts.len(), |i| list.extract(self.params(), parts[i].clone()))
            .into_iter()
            .flatten()
            .collect();
        match self.params().space {
            Space::Bit => Ok(self.bits_again(&all)),
            space @ Space::Integer { .. } => self.table(&all, &(0..=space.max()).collect::<Vec<u64>>()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The oracle: the product with the polynomial of ones by its definition.
    #[test]
    fn means_are_half_of_roundings_times_ones() {
        let (n, bits) = (16, 9);
        let masks: Vec<u64> = (0..3 * n as u64).map(|i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let found = means(&masks, n, bits, (1, 2));
        assert!(means(&masks, n, bits, (0, 1)).iter().all(|&mean| mean == 0));
        for (i, &mean) in found.iter().enumerate() {
            let mut sum = 0i64;
            for mask in masks.chunks_exact(n) {
                for (j, &word) in mask.iter().enumerate() {
                    let error = (u64::from(rounded(word, bits)) << (64 - bits)).wrapping_sub(word) as i64 / 2;
                    sum += if j <= i { error } else { -error };
                }
            }
            assert_eq!(mean, sum as u64);
        }
    }

    #[test]
    fn words_are_rounded_to_the_nearest_and_wrap() {
        for (word, bits, expected) in [(1 << 63, 1, 1), (u64::MAX, 8, 0), (0x00ff << 48, 8, 1), (0x007f << 48, 8, 0)] {
            assert_eq!(rounded(word, bits), expected);
        }
        assert_eq!(rounded(0x1234_5678_9abc_def0, 32), 0x1234_5679);
    }
}
