//! Word-size modular arithmetic: slices in, slices out.
//!
//! *Vocabulary.* A **modulus** is a prime `q < 2^48`; a **limb** is a slice of `n` residues; a value is **canonical**
//! when it lies in `[0, q)`. Every public kernel takes and returns canonical values unless its name ends in `_lazy`;
//! lazy ranges live inside kernels and are documented there. All backends give the same bits.
//!
//! *Map.* Each family of kernels is a module, with its portable code, that in four lanes (AVX2, NEON) and AVX-512's
//! beside each other: [`Ntt`] the negacyclic transform over a prime · [`SmallNtt`] that over a small prime, on floats ·
//! [`fft`] the negacyclic transform in doubles, for torus words · `elementwise` and `inner_product`, methods of
//! [`Modulus`] on limbs · [`BasisConverter`] from one residue basis to another · [`GaloisMap`] automorphisms as
//! permutations of the transform domain · [`packed`] 48-bit storage · [`lwe_rows`] the LWE key switch · [`mod@base2k`]
//! digits and carries of limbs · [`monomial`] products with monomials, automorphisms. Below them: [`Modulus`] one prime
//! and single residues · [`primes`] NTT-friendly primes · [`DoubleDouble`] numbers of 106 bits · `lanes` residues in
//! vectors · `prefetch` hints to the caches · [`PastCaches`] · [`Simd`] the run-time choice of kernels.
//!
//! *Backends.* A family's kernels are chosen once per slice. `unsafe` is confined to loads, stores and the calls of
//! vector kernels: a `Simd` above scalar exists only after the CPU's features were detected. Limbs that start on a
//! 64-byte boundary are a tenth faster to transform. A new transform is a new folder beside `ntt` and `fft`; a new
//! instruction set is a new file in each.
//!
//! *Non-goals.* Polynomials, keys, randomness: see the crates above.

pub mod base2k;
pub mod fft;
pub mod lwe_rows;
pub mod monomial;
pub mod packed;
pub mod primes;
pub mod small_ntt;

mod convert;
mod double_double;
mod elementwise;
mod error;
mod galois;
mod inner_product;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod lanes;
mod modulus;
mod ntt;
mod past_caches;
mod prefetch;
mod simd;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use convert::{BasisConverter, CONVERSION_BLOCK};
pub use double_double::{DoubleDouble, Real};
pub use error::Error;
pub use galois::GaloisMap;
pub use inner_product::sliding::{Factors, SLIDING_OUTPUTS, Slide, Slides, sliding_words};
pub use modulus::Modulus;
pub use ntt::Ntt;
pub use past_caches::PastCaches;
pub use simd::Simd;
pub use small_ntt::SmallNtt;

/// Largest supported bit length of a modulus: four spare bits below the 52-bit multiplier for lazy ranges.
pub(crate) const MAX_MODULUS_BITS: u32 = 48;
