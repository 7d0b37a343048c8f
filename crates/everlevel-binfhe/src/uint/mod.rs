//! Encrypted integers of 8 to 256 bits, for whoever computes with [`EvalKeys::integers`]: arrays of
//! integers in blocks of a few bits, with room for carries.
//!
//! *Representation.* With messages of `p` bits a **block** holds a digit in radix `M = 2^m`, where `m` is the largest
//! power of two that is at most `p/2`: two digits fit one table as `M·a + b`. An integer is its blocks, least
//! significant first. Between operations every block is below `M`; carries are propagated before an operation returns,
//! so that operations may follow one another in any number.
//!
//! *Noise.* Blocks are fresh or come out of one bootstrap, or are a sum of two where a selection made them; an
//! operation that multiplies such a sum bootstraps it first. Combinations are checked before each bootstrap, as
//! everywhere: one whose bootstrap would fail more often than the parameter set allows is refused.
//!
//! *Overflow* wraps, as in Rust's `wrapping_add`. The `checked_` forms also give an encrypted flag.
//!
//! *Signs.* Arrays are unsigned. [`Integers::signed`] has the operations that take the same blocks as signed integers
//! in two's complement; all others, sums and products among them, are the same for both.
//!
//! *Schemes.* Circuits know nothing of a block but what [`Blocks`] has: TFHE's are [`KeyedBlocks`], and a scheme whose
//! blocks are vectors of digits has the same circuits, for many integers at once.
//!
//! *Map.* `array` integers and truth values · `encryption` · `blocks` what circuits are made of · `keyed` TFHE's, with
//! bootstraps of many blocks in one pass over the key · `table` look-up tables · `meter` the cost of operations, and
//! their progress · `carry` · `arith` add, subtract, negate · `columns` sums of many terms · `mul` · `div`,
//! `div_public`, `long_division`, `divided` · `compare` · `bits` · `shift` · `reduce` sum and maximum of an array ·
//! `counts` of bits · `signed`, `signed_division`, `signed_product` · `saturating` results · `random` integers from a
//! public seed.
//!
//! ```
//! use std::sync::Arc;
//! use everlevel_binfhe::{EvalKeys, SecretKey, Width};
//! # use everlevel_binfhe::{Gadget, KeySwitch, Order, Params, ParamsLiteral, Secrets, Space};
//!
//! # fn main() -> Result<(), everlevel_binfhe::Error> {
//! // In earnest: `sets::find("integer-4-128")?.params()?`.
//! # let toy = ParamsLiteral {
//! #     torus_bits: 64, lwe_dim: 32, lwe_log2_std_dev: -24.0, rank: 1, log_n: 9, log2_extension: 0, bits_per_step: 1, glwe_log2_std_dev: -40.0, secrets: Secrets::default(), landings: vec![], mask_gadget: Gadget::new(9, 3),
//! #     body_gadget: Gadget::new(9, 2), key_switch: KeySwitch { gadget: Gadget::new(3, 5), ring: 32 }, order: Order::KeySwitchFirst,
//! #     space: Space::Integer { bits: 4 }, squared_norm: 25.0, max_log2_p_fail: -40.0, insecure: true };
//! # let params = Params::try_from(toy)?;
//! let secret = SecretKey::generate(Arc::new(params))?;
//! let keys = EvalKeys::generate(&secret)?;
//! let integers = keys.integers()?;
//! let a = secret.encrypt_uints(Width::U16, &[50_000, 1])?;
//! let b = secret.encrypt_uints(Width::U16, &[20_000, 2])?;
//! let (sum, overflow) = integers.checked_add(&a, &b)?;
//! assert_eq!(secret.decrypt_uints(&sum)?, [70_000 - 65_536, 3]);
//! assert_eq!(secret.decrypt_bools(&overflow)?, [true, false]);
//! assert_eq!(secret.decrypt_uints(&integers.max(&a, &b)?)?, [50_000, 2]);
//! # Ok(())
//! # }
//! ```

mod arith;
mod array;
mod bits;
mod blocks;
mod carry;
mod columns;
mod compare;
mod counts;
mod div;
mod div_public;
mod divided;
mod encryption;
mod integers;
mod keyed;
mod long_division;
mod meter;
mod mul;
mod random;
mod reduce;
mod saturating;
mod shift;
mod signed;
mod signed_division;
mod signed_product;
mod table;

pub use array::{BoolArray, UintArray};
pub use blocks::{Block, Blocks, Table};
pub(crate) use integers::Radix;
pub use integers::{Arithmetic, Integers, Width};
pub use keyed::KeyedBlocks;
pub use meter::Cost;
pub use reduce::Extreme;
pub use signed::Signed;
