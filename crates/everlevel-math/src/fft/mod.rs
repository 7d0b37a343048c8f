//! The negacyclic transform over the complex numbers, in doubles, for `n = 2^8 … 2^16`.
//!
//! `Z[X]/(X^n + 1)` is mapped to `n/2` complex numbers in which products are pointwise: with `m = n/2`, the
//! coefficients `a_j + i·a_{j+m}` are a polynomial of `C[X]/(X^m − i)`, split by a tree of square roots.
//!
//! *The transform domain* is `n` doubles whose order and interleaving belong to the kernels (blocks of eight real, then
//! eight imaginary parts, in permuted order). It is linear, so sums and real multiples may be taken word by word;
//! products by [`Fft::multiply`].
//!
//! *Scaling.* Forward transforms don't scale: they take integers as they are, torus words as signed integers in units
//! of `2^-BITS`. The inverse divides by `m` (a power of two, exact). So the inverse of the product of the transforms of
//! `a` and `b` is `a·b`, rounded. Only [`Fft::inverse_unscaled`], whose results are doubles, leaves `m` to its caller.
//!
//! *The same bits everywhere.* Every backend does the same IEEE 754 operations in the same order, fused where the
//! definition is fused. Where the CPU has no fused multiplication, the portable backend is right but slow.
//!
//! *Map.* `transform` the plan [`Fft`] and its transforms · `external` the step of a blind rotation,
//! [`ExternalProduct`], with `rotation` and `turns` (steps of several bits) · `rows` the key switch over a ring,
//! [`Rows`] · `torus`, `digits`, `rounding` words on the way in and out · `products`, `inner_product` sums of products
//! · `children`, `passes`, `butterflies` the transforms themselves · `plan`, `twiddles` their tables · `vector`,
//! `avx2`, `avx512`, `operation` the vectors that all of it is generic over · `variance` the error of products.
//!
#![doc = include_str!("../../notes/fft.md")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod butterflies;
mod children;
mod digits;
mod external;
mod inner_product;
mod operation;
mod passes;
mod plan;
mod products;
mod rotation;
mod rounding;
mod rows;
mod torus;
mod transform;
mod turns;
mod twiddles;
mod variance;
mod vector;

pub use digits::Digits;
pub use external::{ExternalProduct, Factor, Together};
pub use products::KeyWord;
pub use rows::Rows;
pub use torus::Torus;
pub use transform::Fft;
pub use variance::product_variance_torus;
