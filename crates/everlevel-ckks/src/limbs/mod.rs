//! CKKS over limbs in base `2^K`: approximate arithmetic whose rescaling is by any number of bits.
//!
//! *Vocabulary.* A ciphertext's phase is `m·2^−B + e` modulo 1, for the polynomial `m` of its slots and its **budget**
//! `B` in bits: every operation that makes values more precise than they need be, such as a product, spends some of it.
//! The context's **precision** `Δ` says which bits of values are kept, `2^−Δ` and above, before noise: ciphertexts are
//! rounded to `B + Δ` bits and a guard, in limbs, and a product spends `Δ` bits of the smaller budget, exactly. Values
//! have a **bound**, which operations compute, and which has to stay below `2^(B−2)`.
//!
//! *Products.* `2^k·φ_a·φ_b` for phases rounded to `k` bits: what wraps around a phase is an integer, which `2^k` times
//! the other phase, an integer too, makes vanish modulo 1. The product has `m_a·m_b·2^(k − B_a − B_b)`, so that its
//! budget is `B_a + B_b − k`; `k` is the larger budget and `Δ`.
//!
//! *Keys.* One for every precision: ciphertexts of fewer limbs use a corner of it.
//!
//! *Map.* `params` · `ciphertext` · `noise` its formulas · `context` keys, messages and arithmetic · `error`.
//!
//! *Non-goals.* Bootstrapping, so far.

mod ciphertext;
mod context;
mod error;
mod noise;
mod params;

pub use ciphertext::Ciphertext;
pub use context::{Context, EvalKeys, SecretKey};
pub use error::Error;
pub use params::{Params, ParamsLiteral};
