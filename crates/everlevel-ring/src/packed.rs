//! Polynomials in six bytes a residue, for keys and fixed plaintexts: the largest things that are held, read once a
//! use.

use std::fmt;
use std::sync::Arc;

use everlevel_math::packed;
use rayon::prelude::*;

use crate::buffer::{Limb, Slab};
use crate::device::DeviceRing;
use crate::held::{Copies, Held};
use crate::{Eval, Poly, PrimeSet, Ring};

/// Bytes that others hold as well, such as a mapped file's.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A polynomial in transform representation, packed: limb `k` is `byte_len(n)` bytes at `k·stride(n)`. Its bytes are
/// its own, or part of something shared, which stays alive as long as the polynomial does.
pub struct PackedPoly {
    set: PrimeSet,
    n: usize,
    backing: Backing,
    copies: Copies,
}

enum Backing {
    Owned(Slab),
    Shared { bytes: SharedBytes, offset: usize },
}

/// Bytes from one limb to the next: `byte_len(n)` rounded up to 256, so that limbs are aligned wherever the first one
/// is.
pub const fn stride(n: usize) -> usize {
    packed::byte_len(n).next_multiple_of(256)
}

/// Residues that are looked at while they are in the first-level cache.
const BLOCK: usize = 1024;

/// A residue that is not below its modulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotCanonical {
    /// Position among the residues of all primes.
    pub index: usize,
    /// The residue.
    pub value: u64,
    /// Modulus.
    pub modulus: u64,
}

/// The first residue that is not below a modulus, and where.
fn not_below(residues: &[u64], modulus: u64) -> Option<(usize, u64)> {
    // Without an exit, so that it is vector code.
    if !residues.iter().fold(false, |found, &x| found | (x >= modulus)) {
        return None;
    }
    residues.iter().copied().enumerate().find(|&(_, x)| x >= modulus)
}

impl fmt::Debug for PackedPoly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shared = matches!(self.backing, Backing::Shared { .. });
        let mut debug = f.debug_struct("PackedPoly");
        debug.field("set", &self.set).field("n", &self.n).field("shared", &shared).finish_non_exhaustive()
    }
}

impl PackedPoly {
    /// Packs a polynomial.
    pub fn new(poly: &Poly<Eval>) -> Self {
        let n = poly.limbs().first().map_or(0, |l| l.len());
        let mut slab = Slab::new(stride(n) * poly.set.len());
        Self::pack_into(poly, slab.bytes_mut());
        Self { set: poly.set.clone(), n, backing: Backing::Owned(slab), copies: Copies::default() }
    }

    /// Packs a polynomial into zeros, [`stride`] of them for each limb, on the threads of the pool that the
    /// caller runs in, or on the caller's alone.
    pub fn pack_into(poly: &Poly<Eval>, out: &mut [u8]) {
        let n = poly.limbs().first().map_or(0, |l| l.len());
        let pack = |(out, limb): (&mut [u8], &Limb)| packed::pack(&mut out[..packed::byte_len(n)], limb);
        match rayon::current_thread_index() {
            Some(_) => out.par_chunks_mut(stride(n).max(1)).zip(poly.limbs()).for_each(pack),
            None => out.chunks_mut(stride(n).max(1)).zip(poly.limbs()).for_each(pack),
        }
    }

    /// Packs many polynomials over one set into one piece of memory, which lives as long as any of them: for so many
    /// that a piece for each would waste the rest of its last page.
    ///
    /// # Errors
    /// The first that `poly` returns.
    pub fn many<E>(
        ring: &Ring,
        set: &PrimeSet,
        count: usize,
        mut poly: impl FnMut(usize) -> Result<Poly<Eval>, E>,
    ) -> Result<Vec<Self>, E> {
        let (n, each) = (ring.n(), stride(ring.n()) * set.len());
        let mut slab = Slab::new(count * each);
        for (k, out) in slab.bytes_mut().chunks_exact_mut(each.max(1)).take(count).enumerate() {
            let poly = poly(k)?;
            assert_eq!(poly.set(), set, "polynomials are over the set");
            Self::pack_into(&poly, out);
        }
        let bytes: SharedBytes = Arc::new(slab);
        Ok((0..count).map(|k| Self::shared(set, n, bytes.clone(), k * each)).collect())
    }

    /// A polynomial of degree below `n` whose limbs lie in shared bytes from `offset` on. Residues should be canonical:
    /// see [`PackedPoly::first_not_canonical`].
    ///
    /// # Panics
    /// If there are fewer bytes.
    pub fn shared(set: &PrimeSet, n: usize, bytes: SharedBytes, offset: usize) -> Self {
        let end = offset.checked_add(stride(n) * set.len());
        assert!(end.is_some_and(|end| end <= (*bytes).as_ref().len()), "shared bytes hold every limb");
        Self { set: set.clone(), n, backing: Backing::Shared { bytes, offset }, copies: Copies::default() }
    }

    /// This polynomial in memory of its own.
    pub fn into_owned(self) -> Self {
        let slab = self.limbs_over(&self.set);
        Self { backing: Backing::Owned(slab), ..self }
    }

    /// The polynomial over some of its primes, in memory of its own.
    ///
    /// # Panics
    /// If it lacks one of them.
    #[must_use]
    pub fn restricted(&self, set: &PrimeSet) -> Self {
        let slab = self.limbs_over(set);
        Self { set: set.clone(), n: self.n, backing: Backing::Owned(slab), copies: Copies::default() }
    }

    /// Copies of the limbs of some of its primes.
    fn limbs_over(&self, set: &PrimeSet) -> Slab {
        let mut slab = Slab::new(stride(self.n) * set.len());
        let limbs = slab.bytes_mut().par_chunks_mut(stride(self.n).max(1)).zip(set.indices());
        limbs.for_each(|(out, &index)| {
            let limb = self.limb(index);
            out[..limb.len()].copy_from_slice(limb);
        });
        slab
    }

    /// Every limb, with what is between them: `stride(n)` bytes for each prime.
    pub fn bytes(&self) -> &[u8] {
        let len = stride(self.n) * self.set.len();
        match &self.backing {
            Backing::Owned(slab) => &slab.bytes()[..len],
            Backing::Shared { bytes, offset } => &(**bytes).as_ref()[*offset..][..len],
        }
    }

    /// The first residue that is not below its modulus.
    pub fn first_not_canonical(&self, ring: &Ring) -> Option<NotCanonical> {
        let limbs: Vec<_> = self.set.indices().iter().enumerate().collect();
        limbs.into_par_iter().find_map_first(|(k, &index)| {
            let (limb, modulus) = (self.limb(index), ring.modulus(index).q());
            let mut unpacked = [0; BLOCK];
            (0..self.n).step_by(BLOCK).find_map(|first| {
                let len = BLOCK.min(self.n - first);
                packed::unpack(&mut unpacked[..len], packed::block(limb, first, len));
                let (at, value) = not_below(&unpacked[..len], modulus)?;
                Some(NotCanonical { index: k * self.n + first + at, value, modulus })
            })
        })
    }

    /// The copy on a device.
    pub(crate) fn on_device(&self, ring: &Ring, device: &dyn DeviceRing) -> Arc<Held> {
        self.copies.on(device, &self.set, || {
            let held = Held::new(device, &self.set, 1, 0);
            held.fill(device, 0, self.unpack(ring).limbs().iter().map(|limb| &limb[..]));
            held
        })
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
        &self.bytes()[at * stride(self.n)..][..packed::byte_len(self.n)]
    }

    /// The polynomial, unpacked.
    pub fn unpack(&self, ring: &Ring) -> Poly<Eval> {
        let mut poly = ring.uninit(&self.set);
        poly.limbs_mut().par_iter_mut().zip(self.set.indices()).for_each(|(out, &i)| packed::unpack(out, self.limb(i)));
        poly
    }

    /// The polynomial, unpacked, if all of its residues are below their moduli.
    ///
    /// # Errors
    /// The first that isn't.
    pub fn unpack_canonical(&self, ring: &Ring) -> Result<Poly<Eval>, NotCanonical> {
        let mut poly = ring.uninit(&self.set);
        let limbs = poly.limbs_mut().par_iter_mut().zip(self.set.indices()).enumerate();
        let fault = limbs.find_map_first(|(k, (out, &i))| {
            let (limb, modulus) = (self.limb(i), ring.modulus(i).q());
            out.chunks_mut(BLOCK).enumerate().find_map(|(b, out)| {
                packed::unpack(out, packed::block(limb, b * BLOCK, out.len()));
                let (at, value) = not_below(out, modulus)?;
                Some(NotCanonical { index: k * self.n + b * BLOCK + at, value, modulus })
            })
        });
        fault.map_or(Ok(poly), Err)
    }

    /// Bytes that a polynomial of so many limbs takes in memory of its own.
    pub const fn nbytes_of(n: usize, limb_count: usize) -> usize {
        Slab::rounded(stride(n) * limb_count)
    }

    /// Bytes held, or shared.
    pub fn nbytes(&self) -> usize {
        match &self.backing {
            Backing::Owned(slab) => slab.bytes().len(),
            Backing::Shared { .. } => self.bytes().len(),
        }
    }
}

impl AsRef<[u8]> for PackedPoly {
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}
