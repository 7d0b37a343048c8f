//! CKKS over limbs in base `2^K`: approximate arithmetic whose rescaling is by any number of bits.
//!
//! *Vocabulary.* A ciphertext's phase is `m·2^−B + e` modulo 1, for the polynomial `m` of its slots and its **budget**
//! `B` in bits, which products and rescalings spend. The context's **precision** `Δ` says which bits of values are
//! kept, `2^−Δ` and above, before noise: ciphertexts are rounded to `B + Δ` bits and a guard, in whole limbs, and a
//! product spends `Δ` bits of the smaller budget, or fewer where fewer are asked for. Values have a **bound**, which
//! operations compute, and which has to stay below `2^(B−2)`.
//!
//! *Products.* `2^k·φ_a·φ_b` for phases rounded to `k` bits: what wraps around a phase is an integer, which `2^k` times
//! the other phase, an integer too, makes vanish modulo 1. The product has `m_a·m_b·2^(k − B_a − B_b)`; both are
//! brought to the smaller budget `B` first, and `k` is `B + Δ`.
//!
//! *Keys.* One for every precision and budget: ciphertexts of fewer limbs use a corner of it.
//!
//! *Map.* `params` · `ciphertext` · `context` keys and messages · `arithmetic` sums, products, rescaling · `rotations`
//! · `polynomials` · `matrix` products with matrices · `bootstrap` · `files`. Keys and errors are those of every scheme
//! over limbs ([`everlevel_limbs`]).

mod arithmetic;
mod bootstrap;
mod bridge;
mod ciphertext;
mod context;
mod files;
mod matrix;
mod params;
mod polynomials;
mod rotations;

pub use bootstrap::BootstrapKey;
pub use bridge::Bridge;
pub use ciphertext::Ciphertext;
pub use context::Context;
pub use everlevel_limbs::{EncryptionKey, Error, EvalKeys, PublicKey, SecretKey};
pub use params::{Named, Params, ParamsLiteral, SETS, named};
