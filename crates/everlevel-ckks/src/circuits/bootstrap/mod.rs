#![doc = include_str!("../../../notes/bootstrap.md")]
//!
//! *Map.* `dft` the factored Fourier transform as linear maps · `eval_mod` the sine and its fit · `method` the ways to
//! bootstrap · `stages` their moduli, gadgets and switching keys · `key` the keys, and transforms with them · `keygen`
//! · `tables` constants and plans · `maps` the plaintexts of the transforms · `run` the pipeline · `request` what calls
//! ask for and what is refused · `bootstrapper` the calls · `merge` those of two ciphertexts as one, or their
//! coefficients alone · `prepare`
//! plaintexts and memory ahead of a first call · `footprint` their memory · `noise` errors before tables.

pub(crate) mod bootstrapper;
pub(crate) mod dft;
pub(crate) mod eval_mod;
pub(crate) mod footprint;
pub(crate) mod key;
pub(crate) mod maps;
pub(crate) mod method;
pub(crate) mod noise;
pub(crate) mod prepare;
mod request;
pub(crate) mod run;
pub(crate) mod stages;
pub(crate) mod tables;

mod keygen;
mod merge;
