//! Polynomials in six bytes a residue, for keys and fixed plaintexts: the largest things that are held, read once a
//! use.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use everlevel_math::packed;
use rayon::prelude::*;

use crate::buffer::{Limb, Slab};
use crate::device::{DeviceRing, Held};
use crate::{Eval, Poly, PrimeSet, Ring};

/// Bytes that others hold as well, such as a mapped file's.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A polynomial in transform representation, packed: limb `k` is `byte_len(r)` bytes at `k·stride(r)`, of the `r`
/// residues that are held of each. Its bytes are its own, or part of something shared, which stays alive as long as the
/// polynomial does.
pub struct PackedPoly {
    set: PrimeSet,
    n: usize,
    symmetry: Symmetry,
    backing: Backing,
    copies: Copies,
}

/// A relation between residues, of which those that follow from others need not be held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symmetry {
    /// None that is made use of: all residues are held.
    None,
    /// `a(X) = a(X^-1)`, as of plaintexts of real slots: residue `n − 1 − i` is residue `i`, and the first half is
    /// held. Residue `i` is the value at an odd power of a root of unity, and residue `n − 1 − i` at its inverse.
    Conjugate,
}

impl Symmetry {
    /// The symmetry of plaintexts whose slots are real numbers, or may not be.
    pub const fn of_slots(are_real: bool) -> Self {
        if are_real { Self::Conjugate } else { Self::None }
    }

    /// The residues of a polynomial of `n` that are held of each limb.
    pub const fn held(self, n: usize) -> usize {
        match self {
            Self::None => n,
            Self::Conjugate => n / 2,
        }
    }
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

/// The second half of a limb of conjugate symmetry from its first; nothing, where all residues are held.
fn mirror(rest: &mut [u64], held: &[u64]) {
    rest.iter_mut().zip(held.iter().rev()).for_each(|(out, &x)| *out = x);
}

/// Whether residues have the symmetry.
fn has_symmetry(poly: &Poly<Eval>, symmetry: Symmetry) -> bool {
    let is_mirrored = |limb: &Limb| {
        let (held, rest) = limb.split_at(symmetry.held(limb.len()));
        rest.iter().zip(held.iter().rev()).all(|(x, y)| x == y)
    };
    poly.limbs().iter().all(is_mirrored)
}

impl fmt::Debug for PackedPoly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shared = matches!(self.backing, Backing::Shared { .. });
        let mut debug = f.debug_struct("PackedPoly");
        debug.field("set", &self.set).field("n", &self.n).field("symmetry", &self.symmetry);
        debug.field("shared", &shared).finish_non_exhaustive()
    }
}

impl PackedPoly {
    /// Packs a polynomial.
    pub fn new(poly: &Poly<Eval>) -> Self {
        let n = poly.limbs().first().map_or(0, |l| l.len());
        let mut slab = Slab::new(stride(n) * poly.set.len());
        Self::pack_into(poly, slab.bytes_mut());
        let backing = Backing::Owned(slab);
        Self { set: poly.set.clone(), n, symmetry: Symmetry::None, backing, copies: Copies::default() }
    }

    /// Packs a polynomial into zeros, [`stride`] of them for each limb, on the threads of the pool that the
    /// caller runs in, or on the caller's alone.
    pub fn pack_into(poly: &Poly<Eval>, out: &mut [u8]) {
        Self::pack_held_into(poly, Symmetry::None, out);
    }

    /// [`PackedPoly::pack_into`] of the residues that are held of a polynomial of some symmetry.
    fn pack_held_into(poly: &Poly<Eval>, symmetry: Symmetry, out: &mut [u8]) {
        let held = symmetry.held(poly.limbs().first().map_or(0, |l| l.len()));
        let pack = |(out, limb): (&mut [u8], &Limb)| packed::pack(&mut out[..packed::byte_len(held)], &limb[..held]);
        match rayon::current_thread_index() {
            Some(_) => out.par_chunks_mut(stride(held).max(1)).zip(poly.limbs()).for_each(pack),
            None => out.chunks_mut(stride(held).max(1)).zip(poly.limbs()).for_each(pack),
        }
    }

    /// Packs many polynomials over one set into one piece of memory, which lives as long as any of them: for so many
    /// that a piece for each would waste the rest of its last page.
    ///
    /// # Errors
    /// The first that `poly` returns.
    ///
    /// # Panics
    /// If one is over another set, or lacks the symmetry.
    pub fn many<E>(
        ring: &Ring,
        set: &PrimeSet,
        symmetry: Symmetry,
        count: usize,
        mut poly: impl FnMut(usize) -> Result<Poly<Eval>, E>,
    ) -> Result<Vec<Self>, E> {
        let (n, each) = (ring.n(), stride(symmetry.held(ring.n())) * set.len());
        let mut slab = Slab::new(count * each);
        for (k, out) in slab.bytes_mut().chunks_exact_mut(each.max(1)).take(count).enumerate() {
            let poly = poly(k)?;
            assert_eq!(poly.set(), set, "polynomials are over the set");
            assert!(has_symmetry(&poly, symmetry), "polynomials have the symmetry");
            Self::pack_held_into(&poly, symmetry, out);
        }
        let bytes: SharedBytes = Arc::new(slab);
        Ok((0..count).map(|k| Self::shared(set, (n, symmetry), bytes.clone(), k * each)).collect())
    }

    /// A polynomial of degree below `n` and some symmetry, whose limbs lie in shared bytes from `offset` on. Residues
    /// should be canonical: see [`PackedPoly::first_not_canonical`].
    ///
    /// # Panics
    /// If there are fewer bytes.
    pub fn shared(set: &PrimeSet, (n, symmetry): (usize, Symmetry), bytes: SharedBytes, offset: usize) -> Self {
        let end = offset.checked_add(stride(symmetry.held(n)) * set.len());
        assert!(end.is_some_and(|end| end <= (*bytes).as_ref().len()), "shared bytes hold every limb");
        Self { set: set.clone(), n, symmetry, backing: Backing::Shared { bytes, offset }, copies: Copies::default() }
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
        let backing = Backing::Owned(self.limbs_over(set));
        Self { set: set.clone(), n: self.n, symmetry: self.symmetry, backing, copies: Copies::default() }
    }

    /// Copies of the limbs of some of its primes.
    fn limbs_over(&self, set: &PrimeSet) -> Slab {
        let mut slab = Slab::new(stride(self.held()) * set.len());
        let limbs = slab.bytes_mut().par_chunks_mut(stride(self.held()).max(1)).zip(set.indices());
        limbs.for_each(|(out, &index)| {
            let limb = self.limb(index);
            out[..limb.len()].copy_from_slice(limb);
        });
        slab
    }

    /// Residues that are held of each limb.
    pub fn held(&self) -> usize {
        self.symmetry.held(self.n)
    }

    /// The relation between residues that are held and those that aren't.
    pub fn symmetry(&self) -> Symmetry {
        self.symmetry
    }

    /// Every limb, with what is between them: [`stride`] of the residues that are held, for each prime.
    pub fn bytes(&self) -> &[u8] {
        let len = stride(self.held()) * self.set.len();
        match &self.backing {
            Backing::Owned(slab) => &slab.bytes()[..len],
            Backing::Shared { bytes, offset } => &(**bytes).as_ref()[*offset..][..len],
        }
    }

    /// The first residue that is held and is not below its modulus.
    pub fn first_not_canonical(&self, ring: &Ring) -> Option<NotCanonical> {
        let limbs: Vec<_> = self.set.indices().iter().enumerate().collect();
        limbs.into_par_iter().find_map_first(|(k, &index)| {
            let (limb, modulus) = (self.limb(index), ring.modulus(index).q());
            let (mut unpacked, held) = ([0; BLOCK], self.held());
            (0..held).step_by(BLOCK).find_map(|first| {
                let len = BLOCK.min(held - first);
                packed::unpack(&mut unpacked[..len], packed::block(limb, first, len));
                let (at, value) = not_below(&unpacked[..len], modulus)?;
                Some(NotCanonical { index: k * held + first + at, value, modulus })
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

    /// The packed limb of prime `index`: the residues that are held.
    ///
    /// # Panics
    /// If the prime does not belong to the set.
    pub fn limb(&self, index: usize) -> &[u8] {
        let at = self.set.position(index).expect("prime belongs to the packed polynomial's set");
        &self.bytes()[at * stride(self.held())..][..packed::byte_len(self.held())]
    }

    /// The polynomial, unpacked.
    pub fn unpack(&self, ring: &Ring) -> Poly<Eval> {
        let mut poly = ring.uninit(&self.set);
        poly.limbs_mut().par_iter_mut().zip(self.set.indices()).for_each(|(out, &i)| {
            let (held, rest) = out.split_at_mut(self.held());
            packed::unpack(held, self.limb(i));
            mirror(rest, held);
        });
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
            let (held, rest) = out.split_at_mut(self.held());
            let fault = held.chunks_mut(BLOCK).enumerate().find_map(|(b, out)| {
                packed::unpack(out, packed::block(limb, b * BLOCK, out.len()));
                let (at, value) = not_below(out, modulus)?;
                Some(NotCanonical { index: k * self.held() + b * BLOCK + at, value, modulus })
            });
            mirror(rest, held);
            fault
        });
        fault.map_or(Ok(poly), Err)
    }

    /// Bytes that a polynomial of so many limbs takes in memory of its own, `held` residues of each.
    pub const fn nbytes_of(held: usize, limb_count: usize) -> usize {
        Slab::rounded(stride(held) * limb_count)
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

/// Copies that devices hold of something on the host, and its identity.
pub struct Copies {
    id: u64,
    all: Mutex<Vec<(u64, Arc<Held>)>>,
}

impl Default for Copies {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), all: Mutex::default() }
    }
}

impl fmt::Debug for Copies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Copies").finish_non_exhaustive()
    }
}

/// A clone is on the host alone.
impl Clone for Copies {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Copies {
    /// Whether a device has a copy.
    pub fn are_on(&self, device_id: u64) -> bool {
        self.lock().iter().any(|(id, _)| *id == device_id)
    }

    /// Drops a device's copies.
    pub fn forget(&self, device_id: u64) {
        self.lock().retain(|(id, _)| *id != device_id);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(u64, Arc<Held>)>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number that nothing else with copies has in this process.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The copy on a device at primes of a set, made if there is none yet. A recording under way keeps it.
    pub(crate) fn on(&self, device: &dyn DeviceRing, set: &PrimeSet, make: impl FnOnce() -> Held) -> Arc<Held> {
        let mut all = self.lock();
        let serves = |(id, held): &&(u64, Arc<Held>)| *id == device.id() && held.serves(set);
        let held = match all.iter().find(serves) {
            Some((_, held)) => Arc::clone(held),
            None => {
                let held = Arc::new(make());
                all.push((device.id(), Arc::clone(&held)));
                held
            }
        };
        device.keep(Arc::clone(&held) as _);
        held
    }
}
