//! The properties of each type beside its polynomials, as JSON.

use everlevel_ring::PrimeSet;
use everlevel_rlwe::Gadget;
use serde::{Deserialize, Serialize};

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
pub struct Pair {}

/// A rotation key's.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rotations {
    pub slot_count: usize,
    /// The amounts of its keys, to the left.
    pub left: Vec<i64>,
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
    pub stage_count: usize,
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
