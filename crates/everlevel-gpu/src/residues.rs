//! The limbs of a device: one arena, the tables of its ring, and transfers.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use everlevel_ring::{Eval, Poly, PrimeSet, Ring};

use crate::constants::{Prime, roots};
use crate::{Argument, Arithmetic, Device, Error};

/// Most jobs of a launch: the second dimension of a grid of CUDA.
const MOST_JOBS: usize = 65_535;

/// A limb of an arena: `n` residues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceLimb(u32);

/// The limbs of an arena that nobody holds.
type Free = Arc<Mutex<Vec<DeviceLimb>>>;

/// A polynomial in transform representation on a device: limb `k` is for prime `set.indices()[k]`. Its limbs are free
/// again when it is dropped.
pub struct DevicePoly {
    set: PrimeSet,
    limbs: Vec<DeviceLimb>,
    free: Free,
}

impl fmt::Debug for DevicePoly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DevicePoly").field("set", &self.set).field("limbs", &self.limbs).finish_non_exhaustive()
    }
}

impl Drop for DevicePoly {
    fn drop(&mut self) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.limbs);
    }
}

impl DevicePoly {
    /// The primes.
    pub fn set(&self) -> &PrimeSet {
        &self.set
    }

    /// The limbs, in the order of the set.
    pub(crate) fn limbs(&self) -> &[DeviceLimb] {
        &self.limbs
    }

    /// The limb of prime `index`.
    ///
    /// # Panics
    /// If the prime does not belong to the set.
    pub fn limb(&self, index: usize) -> DeviceLimb {
        self.limbs[self.set.position(index).expect("prime belongs to the polynomial's set")]
    }
}

/// The limbs that a device holds for a ring, and the operations on them.
///
/// *Layout.* Limb `k` is the words `k·n .. (k+1)·n` of one buffer, canonical residues in the order of
/// [`everlevel_math::Ntt`]. Limbs that nobody holds are free.
///
/// The jobs of one call run at once: none may write a limb that another one touches.
#[derive(Debug)]
pub struct Residues<'r, D: Device> {
    pub(crate) ring: &'r Ring,
    device: D,
    stream: D::Stream,
    pub(crate) arithmetic: Arithmetic,
    limbs: D::Buffer,
    limb_count: u32,
    free: Free,
    primes: D::Buffer,
    roots: D::Buffer,
    inverse_roots: D::Buffer,
}

/// An argument of a kernel after the arena.
pub(crate) enum Table<'a, B> {
    /// Constants of the ring's primes.
    Primes,
    /// Roots of forward transforms.
    Roots,
    /// Roots of inverse transforms.
    InverseRoots,
    /// The jobs of the launch.
    Jobs,
    /// Another buffer.
    Of(&'a B),
    /// A word.
    Word(u32),
}

impl<'r, D: Device> Residues<'r, D> {
    /// An arena of `limb_count` limbs on a device, with the ring's tables.
    ///
    /// # Errors
    /// [`Error::BadSize`] but for degrees from `2^10` to `2^17`; [`Error::OutOfMemory`].
    pub fn new(device: D, ring: &'r Ring, arithmetic: Arithmetic, limb_count: u32) -> Result<Self, Error> {
        if !(10..=17).contains(&ring.log_n()) {
            return Err(Error::BadSize { log_n: ring.log_n() });
        }
        let stream = device.stream()?;
        let all = ring.all_primes();
        let constants: Vec<Prime> = all.indices().iter().map(|&i| Prime::new(ring.modulus(i))).collect();
        let [forward, inverse] = roots(ring, arithmetic);
        let limbs = device.alloc(limb_count as usize * ring.n() * size_of::<u64>())?;
        let primes = filled(&device, &stream, bytemuck::cast_slice(&constants))?;
        let roots = filled(&device, &stream, &forward)?;
        let inverse_roots = filled(&device, &stream, &inverse)?;
        let free = Arc::new(Mutex::new((0..limb_count).rev().map(DeviceLimb).collect()));
        Ok(Self { ring, device, stream, arithmetic, limbs, limb_count, free, primes, roots, inverse_roots })
    }

    /// A polynomial with arbitrary contents.
    ///
    /// # Errors
    /// [`Error::OutOfLimbs`].
    pub fn take(&self, set: &PrimeSet) -> Result<DevicePoly, Error> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(left) = free.len().checked_sub(set.len()) else {
            return Err(Error::OutOfLimbs { wanted: set.len(), free: free.len() });
        };
        Ok(DevicePoly { set: set.clone(), limbs: free.split_off(left), free: Arc::clone(&self.free) })
    }

    /// Limbs that nobody holds.
    pub fn free_limb_count(&self) -> usize {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Copies a polynomial to the device.
    ///
    /// # Errors
    /// [`Error::OutOfLimbs`].
    pub fn upload(&mut self, poly: &Poly<Eval>) -> Result<DevicePoly, Error> {
        let copy = self.take(poly.set())?;
        for (&to, limb) in copy.limbs.iter().zip(poly.limbs()) {
            self.write(to, limb)?;
        }
        Ok(copy)
    }

    /// Copies a polynomial from the device.
    ///
    /// # Errors
    /// That of the device.
    pub fn download(&self, poly: &DevicePoly) -> Result<Poly<Eval>, Error> {
        let mut copy = self.ring.zero(&poly.set);
        for (&from, limb) in poly.limbs.iter().zip(copy.limbs_mut()) {
            self.read(limb, from)?;
        }
        Ok(copy)
    }

    /// Writes a limb's residues.
    ///
    /// # Errors
    /// That of the device.
    ///
    /// # Panics
    /// If there aren't `n` residues.
    pub fn write(&mut self, to: DeviceLimb, residues: &[u64]) -> Result<(), Error> {
        assert_eq!(residues.len(), self.ring.n());
        let at = self.byte_of(to);
        self.device.upload(&self.stream, &mut self.limbs, at, bytemuck::cast_slice(residues))
    }

    /// Reads a limb's residues.
    ///
    /// # Errors
    /// That of the device.
    ///
    /// # Panics
    /// If there isn't a place for `n` residues.
    pub fn read(&self, out: &mut [u64], from: DeviceLimb) -> Result<(), Error> {
        assert_eq!(out.len(), self.ring.n());
        self.device.download(&self.stream, bytemuck::cast_slice_mut(out), &self.limbs, self.byte_of(from))
    }

    fn byte_of(&self, limb: DeviceLimb) -> usize {
        self.word_of(limb) as usize * self.ring.n() * size_of::<u64>()
    }

    /// The limb in a job.
    ///
    /// # Panics
    /// If it is one of another, larger arena.
    pub(crate) fn word_of(&self, limb: DeviceLimb) -> u32 {
        assert!(limb.0 < self.limb_count, "the limb lies in the arena");
        limb.0
    }

    /// The prime in a job.
    ///
    /// # Panics
    /// If the ring lacks it.
    pub(crate) fn word_of_prime(&self, prime: usize) -> u32 {
        assert!(self.ring.all_primes().contains(prime), "the prime is one of the ring's");
        prime as u32
    }

    /// A buffer with these bytes, for the length of a launch or longer.
    pub(crate) fn table(&self, bytes: &[u8]) -> Result<D::Buffer, Error> {
        filled(&self.device, &self.stream, bytes)
    }

    /// Runs a kernel on jobs of `words` words each, `blocks` blocks for each job: its arguments are the arena and these
    /// tables.
    ///
    /// The jobs' limbs and primes are from [`Residues::word_of`] and [`Residues::word_of_prime`].
    ///
    /// # Panics
    /// For more jobs than a grid has places.
    pub(crate) fn run(
        &mut self,
        kernel: &str,
        blocks: usize,
        (jobs, words): (&[u32], usize),
        tables: &[Table<'_, D::Buffer>],
    ) -> Result<(), Error> {
        let count = jobs.len() / words;
        assert!(count <= MOST_JOBS, "a launch has at most {MOST_JOBS} jobs");
        if count == 0 {
            return Ok(());
        }
        let jobs = self.table(bytemuck::cast_slice(jobs))?;
        let mut arguments = vec![Argument::Written(&mut self.limbs)];
        arguments.extend(tables.iter().map(|table| match *table {
            Table::Primes => Argument::Read(&self.primes),
            Table::Roots => Argument::Read(&self.roots),
            Table::InverseRoots => Argument::Read(&self.inverse_roots),
            Table::Jobs => Argument::Read(&jobs),
            Table::Of(buffer) => Argument::Read(buffer),
            Table::Word(word) => Argument::Word(word),
        }));
        // SAFETY: each operation gives the tables of its kernel, made for these jobs, whose limbs lie in the arena.
        unsafe { self.device.launch(&self.stream, kernel, [blocks as u32, count as u32], &mut arguments) }
    }

    /// Blocks of a kernel with one residue a thread.
    pub(crate) fn blocks(&self) -> usize {
        self.ring.n() / 256
    }
}

fn filled<D: Device>(device: &D, stream: &D::Stream, bytes: &[u8]) -> Result<D::Buffer, Error> {
    let mut buffer = device.alloc(bytes.len())?;
    device.upload(stream, &mut buffer, 0, bytes)?;
    Ok(buffer)
}
