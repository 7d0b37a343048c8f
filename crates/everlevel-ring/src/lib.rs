//! Rings of polynomials, in every representation that schemes compute in.
//!
//! *Vocabulary.* A [`Representation`] is how elements of `Z_Q[X]/(X^n + 1)` are held and multiplied; key material is
//! generic over it. Where its samples of rank 1 are ciphertexts it is a [`SampleRing`], and [`HalfProduct`] is its one
//! product with keys, stage by stage.
//!
//! *Residues.* A [`Ring`] owns the degree and a table of word primes; a [`PrimeSet`] names some of them, and stands for
//! the modulus that is their product; a [`Poly`] is one limb for each prime of its set, in the basis [`Coeff`] or
//! [`Eval`] (transformed), which is part of its type. A level of a scheme is a modulus, so any set can follow any
//! other: [`Ring::rescale`] divides and rounds from one set to another.
//!
//! *Torus words.* [`TorusRing`] has one word of 32 or 64 bits a coefficient, [`SmallTorusRing`] the degrees from 1 to
//! 32 of key switches.
//!
//! *Limbs.* A [`LimbRing`] has torus elements of any precision, as limbs in base `2^K` ([`mod@base2k`]).
//!
//! *One prime.* [`PrimeRing`] has the residues of a small prime, and samples without masks, for NTRU.
//!
//! *Buffers.* Limbs and words belong to a ring and come from its pools. Crates above this one call operations on whole
//! polynomials, so that another backend's buffers, which can't be sliced, may take their place.
//!
//! *Threads.* Every operation runs its limbs in parallel on the current rayon pool; a pool of one thread runs them in
//! place. `everlevel-process` has pools, limits of memory, and progress; their names are exported here, too.
//!
//! *Map.* `representation` the interface · `gadget` digits of residues and of words · `ring` the context of residues
//! and its element-wise operations · `fused` compositions of them in one pass · `convert` mod_up, rescale, lifts ·
//! [`mod@device`] what computes on a device, its calls, and its copies of keys; `on_device` the ring's operations,
//! `recordings` work that is repeated · `residues` rows of keys and their products · `linear` the inner loops of linear
//! transforms · [`mod@torus`] · [`mod@base2k`] · `poly` sets of primes, and polynomials · [`mod@packed`] 48-bit storage
//! for keys · `buffer` memory on huge pages.
//!
//! *Non-goals.* Ciphertexts, messages, secrets' distributions.

pub mod base2k;
mod buffer;
mod convert;
pub mod device;
mod fused;
mod gadget;
mod linear;
mod on_device;
pub mod packed;
mod poly;
mod prime;
mod recordings;
mod representation;
mod residues;
mod ring;
pub mod torus;

// The names of long calls and of what they take and refuse are those of every crate above, too.
pub use everlevel_process::{
    Cancelled, DeviceError, Footprint, OutOfMemory, Pool, Progress, memory, no_progress, report,
};

pub use base2k::{LimbGadget, LimbRing, Limbs};
pub use buffer::{Limb, WordBuffer};
pub use gadget::{PrimeGadget, RnsGadget, WordGadget};
pub use linear::{BabySteps, Diagonal, GiantSteps, PackedTerm};
pub use packed::{Copies, NotCanonical, PackedPoly, SharedBytes, Symmetry};
pub use poly::{Basis, Coeff, Eval, OnDevice, Poly, PrimeSet};
pub use prime::{PrimeRing, PrimeSecret};
pub use recordings::Recordings;
pub use representation::{HalfProduct, Representation, SampleRing};
pub use residues::ResidueRows;
pub use ring::{Error, Ring};
pub use torus::{SmallTorusRing, TorusRing, TorusSecret, TorusWord};
