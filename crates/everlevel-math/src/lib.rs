//! Word-size modular arithmetic: slices in, slices out.
//!
//! *Vocabulary.* A **modulus** is a prime `q < 2^48`; a **limb** is a slice of `n` residues; a value is **canonical**
//! when it lies in `[0, q)`. Every public kernel takes and returns canonical values unless its name ends in `_lazy`;
//! lazy ranges live inside kernels and are documented there. All backends give the same bits.
//!
//! *Map.* [`modulus`] one prime and its element-wise kernels · [`primes`] NTT-friendly primes · [`ntt`] the negacyclic
//! transform · [`fft`] the negacyclic transform in doubles, for torus words · [`galois`] automorphisms as permutations
//! of the transform domain · [`rns`] basis conversion · [`packed`] 48-bit storage · [`lwe_rows`] the LWE key switch ·
//! [`monomial`] · [`prefetch`] · [`simd`] run-time choice of kernels.
//!
//! *Backends.* Portable code is here; `avx2` and `avx512` hold the vector kernels, dispatched once per slice. `unsafe`
//! is confined to them, to loads, stores and the calls into them: a `Simd` above scalar exists only after the CPU's
//! features were detected. Limbs that start on a 64-byte boundary are a tenth faster to transform.
//!
//! *Non-goals.* Polynomials, keys, randomness: see the crates above.

pub mod fft;
pub mod galois;
pub mod lwe_rows;
pub mod modulus;
pub mod monomial;
pub mod ntt;
pub mod packed;
pub mod prefetch;
pub mod primes;
pub mod rns;
pub mod simd;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod error;
#[cfg(target_arch = "x86_64")]
mod pairs;

pub use error::Error;
pub use fft::Fft;
pub use galois::GaloisMap;
pub use modulus::Modulus;
pub use ntt::Ntt;
pub use rns::{BasisConverter, CONVERSION_BLOCK};
pub use simd::Simd;

/// Largest supported bit length of a modulus: four spare bits below the 52-bit multiplier for lazy ranges.
pub const MAX_MODULUS_BITS: u32 = 48;
