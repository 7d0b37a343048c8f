//! Slow, obvious oracles, and the conformance suite that every kernel backend passes.
//!
//! *Map.* [`oracle`] word and big-integer references · [`ntru`] the model of NTRU's steps · [`sample`] deterministic
//! inputs with the edges of the range in them · [`seeds`] those of keys and ciphertexts · [`ntt`], [`small_ntt`],
//! [`fft`], [`elementwise`], [`convert`], [`base2k`], [`layout`] the conformance functions: each takes a `Simd` and
//! panics at the first difference from the oracle, or from the portable backend where the oracle is too slow ·
//! [`golden`] digests of keys, ciphertexts and files from fixed seeds · [`stored`] files that versions wrote ·
//! [`noise`] measured variances beside formulas · [`ptx`] an interpreter of what a compiler for GPUs writes.
#![forbid(unsafe_code)]

pub mod artifact;
pub mod base2k;
pub mod convert;
pub mod elementwise;
pub mod fft;
pub mod golden;
pub mod layout;
pub mod noise;
pub mod ntru;
pub mod ntt;
pub mod oracle;
pub mod ptx;
pub mod sample;
pub mod seeds;
pub mod small_ntt;
pub mod stored;
