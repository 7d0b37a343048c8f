//! The properties of each type beside its polynomials, as JSON.

use everlevel_io::schema::{refuse, seed_from_text, seed_to_text};
use everlevel_rand::{Cipher, Seed};
use everlevel_ring::PrimeSet;
use everlevel_rlwe::Gadget;
use serde::{Deserialize, Serialize};

use crate::Error;

/// The text of a seed of masks: its bytes, after its cipher's name and a colon where that isn't ChaCha20.
pub fn mask_seed_to_text(seed: &Seed) -> String {
    let bytes = seed_to_text(seed.as_bytes());
    match seed.cipher() {
        Cipher::ChaCha20 => bytes,
        cipher => format!("{}:{bytes}", cipher.name()),
    }
}

/// The seed of a text that [`mask_seed_to_text`] wrote.
pub fn mask_seed_from_text(text: &str) -> Result<Seed, Error> {
    let (name, bytes) = text.split_once(':').unwrap_or((Cipher::default().name(), text));
    match Cipher::named(name) {
        Some(cipher) => Ok(Seed::from_bytes(seed_from_text("mask_seed", bytes)?).of_cipher(cipher)),
        None => refuse("cipher of masks", format!("{name:.70}"), Cipher::ALL.map(Cipher::name).join(" or ")),
    }
}

/// A ciphertext's or a plaintext's.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    pub level: usize,
    pub scale: f64,
    /// JSON has no infinity: an error beyond all bounds is left out.
    pub error: Option<f64>,
    /// The bound of the values, whether it was declared, and the largest error: a ciphertext's, of version 0.2 on. A
    /// bound or an error beyond all bounds is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// The interval of real values, where it is not that of the bound: of version 0.2 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_bound_declared: bool,
    /// Whether a caller vouches for the bound, and not the encryptor.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_bound_claimed: bool,
    /// Whether all values are real numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_real: bool,
    /// The units with slots that hold no value of the message; left out in files that don't know of such slots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub padding: Option<Vec<UnitPadding>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_error: Option<f64>,
    /// The largest error that a release counts on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certain_error: Option<f64>,
    /// The root mean square of the values that the error was estimated with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled_size: Option<f64>,
    pub slot_count: usize,
    pub polynomial_count: usize,
    pub primes: Vec<usize>,
    /// Vectors of one unit don't say so.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub units: usize,
}

/// The slots of a unit that hold no value of the message.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitPadding {
    pub unit: usize,
    /// Slots in a row: each first one, and their number.
    pub runs: Vec<[usize; 2]>,
    /// Real and imaginary part of the number that all of them hold, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<[f64; 2]>,
    pub bound: f64,
    pub error: f64,
    pub worst_error: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certain_error: Option<f64>,
}

fn one() -> usize {
    1
}

fn is_one(count: &usize) -> bool {
    *count == 1
}

/// A light plaintext's.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Light {
    pub level: usize,
    pub slot_count: usize,
    pub units: usize,
}

/// A matrix's, light or not.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub level: usize,
    pub slot_count: usize,
    /// Diagonals are stored moved back by their giant steps, the multiples of this.
    pub baby_count: i64,
    /// Left rotations, of one block after the other.
    pub diagonals: Vec<i64>,
    /// The number of diagonals that each block of `slot_count` rows and columns has, row by row. Left out where there
    /// is one block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub block_sizes: Vec<usize>,
    pub row_norm: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_sum: Option<f64>,
    pub mean_size: f64,
    /// The largest number of equal entries in a row; left out in files that don't know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_repeats: Option<usize>,
    /// Whether all entries are real numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_real: bool,
    /// Whether diagonals are stored by the first half of their residues or coefficients; not in files of before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_half: bool,
}

/// A matrix multiplication key's.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatrixRotations {
    pub slot_count: usize,
    pub level: usize,
    /// The amounts of its keys, to the left.
    pub left: Vec<i64>,
}

/// A public key's.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Public {
    pub mask_seed: String,
    pub primes: Vec<usize>,
}

/// A secret key's.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Secret {
    pub weight: usize,
}

/// A relinearization or conjugation key's.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The highest level that it serves, unless that is the parameters'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
}

/// A rotation key's.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rotations {
    pub slot_count: usize,
    /// The amounts of its keys, to the left.
    pub left: Vec<i64>,
    /// The highest level that it serves, unless that is the parameters'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
}

/// A fixed rotation key's.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedRotation {
    pub slot_count: usize,
    pub delta: i64,
    pub level: usize,
}

/// A bootstrap key's.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bootstrap {
    pub slot_count: usize,
    /// Stages of SlotsToCoeffs.
    pub stage_count: usize,
    /// Stages of CoeffsToSlots, where it hasn't as many as SlotsToCoeffs: files before it have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coeffs_to_slots_count: Option<usize>,
    /// The bootstraps that it is for.
    pub variant: String,
    pub size: String,
}

/// A small bootstrap key's.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmallBootstrap {
    pub slot_count: usize,
}

/// Entry of several keys in one container: their kinds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    pub keys: Vec<String>,
}

/// A switching key's.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switching {
    pub digits: Vec<Vec<usize>>,
    pub special: Vec<usize>,
    pub mask_seed: String,
}

impl Switching {
    /// Whether it has a gadget's shape.
    pub fn has_shape(&self, gadget: &Gadget) -> bool {
        let digits = gadget.digits.iter().map(PrimeSet::indices);
        self.digits.iter().map(Vec::as_slice).eq(digits) && self.special == gadget.special.indices()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_of_masks_say_their_cipher() {
        for cipher in Cipher::ALL {
            let seed = Seed::from_bytes([0xa5; 32]).of_cipher(cipher);
            let text = mask_seed_to_text(&seed);
            assert_eq!(text.len(), if cipher == Cipher::ChaCha20 { 64 } else { 71 });
            assert!(mask_seed_from_text(&text).unwrap() == seed);
        }
        let hex = "a5".repeat(32);
        for refused in [format!("aes256:{hex}"), format!(":{hex}"), format!("aes128:{}", &hex[2..]), hex[1..].into()] {
            let error = mask_seed_from_text(&refused).unwrap_err().to_string();
            assert!(error.contains("mask"), "{error}");
        }
    }
}
