//! Rings of polynomials: `Z_Q[X]/(X^n + 1)` for any `Q` that is a product of word primes, and the torus; and the
//! interface that keys over both are generic over.
//!
//! *Vocabulary.* A [`Ring`] owns the degree and a table of primes; a [`PrimeSet`] names some of them, and stands for
//! the modulus that is their product; a [`Poly`] is one limb for each prime of its set, in the [`Coeff`] or the
//! [`Eval`] (transform) representation, which is part of its type. A level of a scheme is a modulus, so any set can
//! follow any other: [`Ring::rescale`] divides and rounds from one set to another.
//!
//! *Threads.* Every operation runs its limbs in parallel on the current rayon pool; a pool of one thread runs them in
//! place. A [`Pool`] has threads in every process that it comes to by a fork.
//!
//! *Map.* [`mod@prime_set`] · [`mod@buffer`] pooled limbs and huge pages · [`mod@poly`] layouts · [`mod@ring`] the
//! context and element-wise operations · [`mod@convert`] mod_up, rescale, lifts · [`mod@packed`] 48-bit storage for
//! keys · [`mod@linear`] the inner loops of linear transforms · [`mod@pool`] threads · [`mod@representation`] the
//! interface that key material is generic over, with [`mod@gadget`] · its implementations [`mod@residues`] and
//! [`mod@torus`], words of the torus with [`mod@word_buffer`].
//!
//! *Non-goals.* Ciphertexts, keys, randomness.

pub mod buffer;
pub mod convert;
pub mod gadget;
pub mod linear;
pub mod packed;
pub mod poly;
pub mod pool;
pub mod prime_set;
pub mod representation;
pub mod residues;
pub mod ring;
pub mod torus;
pub mod word_buffer;

pub use buffer::{Limb, Slab};
pub use gadget::{RnsGadget, WordGadget};
pub use linear::{BabySteps, Diagonal};
pub use packed::{PackedPoly, SharedBytes};
pub use poly::{Basis, Coeff, Eval, Poly};
pub use pool::Pool;
pub use prime_set::PrimeSet;
pub use representation::{HalfProduct, Representation};
pub use residues::ResidueRows;
pub use ring::{Error, Ring};
pub use torus::{SmallTorusRing, TorusRing, TorusRows, TorusSecret, TorusWord};
pub use word_buffer::WordBuffer;
