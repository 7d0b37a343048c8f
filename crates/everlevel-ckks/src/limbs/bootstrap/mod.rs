//! Bootstraps over limbs: a ciphertext of a few bits of budget becomes one of the same values with hundreds.
//!
//! *Raising.* `c0 + c1·s` of numbers in (−1/2, 1/2) is the phase plus an integer: the same limbs, read as a number
//! instead of modulo 1, are an encryption of `m·2^−12 + I` with as large a budget as there are limbs above it.
//!
//! *Then* as with levels ([`crate::circuits::bootstrap`], whose maps and sine these are): CoeffsToSlots, the sine of
//! both halves, SlotsToCoeffs. Over limbs a key switch costs nearly as much hoisted as not, so that a stage has one key
//! for its baby steps. Giant steps have one each, whose products go back from transforms together. The keys of
//! SlotsToCoeffs are for the few limbs that are left there.
//!
//! *Map.* `plan` bits, gadgets and maps · `key` · `run` the pipeline · `docs/notes/base2k.md` its precision and bits.

mod key;
mod plan;
mod purpose;
mod run;

pub use key::BootstrapKey;
pub(super) use plan::Plan;
