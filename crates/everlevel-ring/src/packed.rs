//! Polynomials in six bytes a residue, for keys and fixed plaintexts: the largest things that are held, read once a use.

use everlevel_math::packed;
use rayon::prelude::*;

use crate::buffer::Slab;
use crate::{Eval, Poly, PrimeSet, Ring};

/// A polynomial in transform representation, packed: limb `k` is `byte_len(n)` bytes at a stride rounded up to a cache line.
#[derive(Debug)]
pub struct PackedPoly {
    set: PrimeSet,
    n: usize,
    slab: Slab,
}

fn stride(n: usize) -> usize {
    packed::byte_len(n).next_multiple_of(64)
}

impl PackedPoly {
    /// Packs a polynomial.
    pub fn new(poly: &Poly<Eval>) -> Self {
        let n = poly.limbs.first().map_or(0, |l| l.len());
        let mut slab = Slab::new(stride(n) * poly.set.len());
        slab.bytes_mut().par_chunks_mut(stride(n).max(1)).zip(&poly.limbs).for_each(|(out, limb)| {
            packed::pack(&mut out[..packed::byte_len(n)], limb);
        });
        Self { set: poly.set.clone(), n, slab }
    }

    /// The primes.
    pub fn set(&self) -> &PrimeSet {
        &self.set
    }

    /// The packed limb of prime `index`.
    ///
    /// # Panics
    /// If the prime does not belong to the set.
    pub fn limb(&self, index: usize) -> &[u8] {
        let at = self.set.position(index).expect("prime belongs to the packed polynomial's set");
        &self.slab.bytes()[at * stride(self.n)..][..packed::byte_len(self.n)]
    }

    /// Residues `first .. first + len` of the packed limb of prime `index`, with a readable tail.
    ///
    /// # Panics
    /// As [`PackedPoly::limb`], or if the range leaves the limb.
    pub fn block(&self, index: usize, first: usize, len: usize) -> &[u8] {
        packed::block(self.limb(index), first, len)
    }

    /// The polynomial, unpacked.
    pub fn unpack(&self, ring: &Ring) -> Poly<Eval> {
        let mut poly = ring.uninit(&self.set);
        poly.limbs.par_iter_mut().zip(self.set.indices()).for_each(|(out, &i)| packed::unpack(out, self.limb(i)));
        poly
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.slab.bytes().len()
    }
}
