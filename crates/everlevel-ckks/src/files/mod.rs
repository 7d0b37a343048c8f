//! Keys, plaintexts and ciphertexts in containers (see [`everlevel_io`]).
//!
//! *What is in a file.* The metadata of every object have `kind`, `params` (the literal, JSON), `fingerprint`,
//! `primes`, `object` (what its type has beside polynomials, JSON) and, but for plaintexts, `secret_id`. A key adds
//! `seeded` and `keys`: for each switching key in it the digits, the special primes and the seed of its masks.
//!
//! *Polynomials.* A tensor of shape `[primes, stride]`: row `k` belongs to the `k`-th prime of the polynomial's set,
//! and holds `N` residues of six bytes, little-endian, in transform representation (see [`everlevel_ring::packed`]);
//! the rest of a row is zero. A switching key has one tensor for each digit's body, `NAME.body.ROW`, and
//! `NAME.mask.ROW` only where it is written [`Form::Expanded`](crate::Form::Expanded): the seed gives masks back.
//! Plaintexts and ciphertexts of several units have the tensors of each, `unit_K.NAME`. A secret key has its
//! coefficients, two bits each.
//!
//! *What is not.* The plaintexts of bootstraps belong to the parameters: each context makes them when first needed.
//!
//! *Checks.* Kind, parameters and every shape always. What is read into memory is checked whole; a mapped key is used
//! as it is unless [`Loading::verify`](crate::Loading::verify) is asked for. The residues of ciphertexts, plaintexts
//! and public keys are always compared with their primes.
//!
//! *Map.* `form` the choices of writing and reading · `literal` parameters as text · `entries` the JSON of each type ·
//! `content` the trait of what containers hold · `writer` · `reader` · `messages` plaintexts and ciphertexts, both ways
//! · `matrices` light plaintexts and matrices · `keys` and `bootstrap_keys` · `objects` the calls · `bundle` several
//! keys in one container.

pub(crate) mod bundle;
pub(crate) mod content;
pub(crate) mod form;
pub(crate) mod objects;

mod bootstrap_keys;
mod entries;
mod keys;
mod literal;
mod matrices;
mod messages;
mod reader;
mod writer;
