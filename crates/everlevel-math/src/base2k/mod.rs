//! Digits in base `2^K` with their carries: the kernels of numbers that are held as limbs.
//!
//! A number is `Σ_j x_j·2^(−jK)`, its most significant limb first; limbs are signed words, and **balanced** when they
//! lie in `[−2^(K−1), 2^(K−1))`. A pass from the least significant limb upwards makes them so: each step takes a limb
//! and the carry of the limb below it, and leaves the balanced digit and its own carry.
//!
//! *Map.* `words` steps on signed words, of limbs that were added up or shifted · `residues` steps on residues modulo
//! two or three primes, of limbs that come out of a number theoretic transform (`avx512`: eight at a time).
//!
#![doc = include_str!("../../notes/base2k.md")]

#[cfg(target_arch = "x86_64")]
mod avx512;
mod residues;
mod words;

pub use residues::{ResidueCarry, ResidueDigits};
pub use words::{Base, split_wide};
