//! The memory of a device for one ring: limbs, planes of packed residues, and the tables of the ring.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use everlevel_math::Modulus;
use everlevel_ring::Ring;
use everlevel_ring::device::{Call, DeviceLimb, DevicePacked};

use crate::constants::{Prime, roots};
use crate::ends::with_ends;
use crate::free::Free;
use crate::planes::Planes;
use crate::together::{together, with_folded_scales, without_copies};
use crate::turn::{self, Turn};
use crate::{Argument, Arithmetic, Device, Error};

/// Most jobs of a launch: the second dimension of a grid of CUDA.
const MOST_JOBS: usize = 65_535;

/// The sizes of an [`Arena`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Limbs.
    pub limb_count: u32,
    /// Packed residues, for the copies of keys and plaintexts: six bytes each.
    pub packed_count: u64,
}

/// The limbs that a device holds for a ring, packed residues, and the ring's tables.
///
/// *Layout.* Limb `k` is the words `k·n .. (k+1)·n` of one buffer, canonical residues in the order of
/// [`everlevel_math::Ntt`]. Limbs that nobody holds are free.
pub struct Arena<D: Device> {
    id: u64,
    place: String,
    log_n: u32,
    moduli: Vec<Modulus>,
    /// At each prime, `ψ^(-n/2)` for the transforms' root `ψ`: the root of the inverse's last level.
    pub(crate) last_roots: Vec<u64>,
    device: D,
    stream: D::Stream,
    pub(crate) arithmetic: Arithmetic,
    limb_count: u32,
    limbs: Mutex<D::Buffer>,
    free: Mutex<Free>,
    turn: Turn,
    /// The calls of the recording under way, if there is one.
    calls: Mutex<Option<Vec<Call>>>,
    /// Owners of the packed residues that the recording under way reads.
    kept: Mutex<Vec<Arc<dyn Any + Send + Sync>>>,
    /// The fewest limbs that were free at once.
    fewest: AtomicUsize,
    pub(crate) planes: Planes<D>,
    primes: D::Buffer,
    roots: D::Buffer,
    inverse_roots: D::Buffer,
}

impl<D: Device> fmt::Debug for Arena<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, limb_count, .. } = self;
        f.debug_struct("Arena").field("id", id).field("limb_count", limb_count).finish_non_exhaustive()
    }
}

/// Work that was recorded.
pub(crate) struct Recorded<D: Device> {
    graph: D::Graph,
    /// Owners of the packed residues that it reads.
    _kept: Vec<Arc<dyn Any + Send + Sync>>,
}

/// An argument of a kernel after the limbs.
pub(crate) enum Table<'a, B> {
    /// Constants of the ring's primes.
    Primes,
    /// Roots of forward transforms.
    Roots,
    /// Roots of inverse transforms.
    InverseRoots,
    /// The jobs of the launch.
    Jobs,
    /// The low and the high plane of packed residues.
    Low,
    High,
    /// Another buffer.
    Of(&'a B),
    /// A word.
    Word(u32),
}

impl<D: Device> Arena<D> {
    /// Memory for a ring on a device, with the ring's tables.
    ///
    /// # Errors
    /// [`Error::BadSize`] but for degrees from `2^10` to `2^17`; [`Error::OutOfMemory`].
    pub fn new(device: D, ring: &Ring, arithmetic: Arithmetic, capacity: Capacity) -> Result<Arc<Self>, Error> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        if !(10..=17).contains(&ring.log_n()) {
            return Err(Error::BadSize { log_n: ring.log_n() });
        }
        let stream = device.stream()?;
        let indices = 0..ring.all_primes().len();
        let moduli: Vec<Modulus> = indices.clone().map(|i| *ring.modulus(i)).collect();
        let last_roots = indices.map(|i| moduli[i].neg(ring.ntt(i).root_of_minus_one())).collect();
        let constants: Vec<Prime> = moduli.iter().map(Prime::new).collect();
        let [forward, inverse] = roots(ring, arithmetic);
        let limbs = device.alloc(capacity.limb_count as usize * ring.n() * size_of::<u64>())?;
        let planes = Planes::new(&device, capacity.packed_count)?;
        let primes = filled(&device, &stream, bytemuck::cast_slice(&constants))?;
        let roots = filled(&device, &stream, &forward)?;
        let inverse_roots = filled(&device, &stream, &inverse)?;
        let free = Mutex::new(Free::new(capacity.limb_count));
        Ok(Arc::new(Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            place: device.place(),
            log_n: ring.log_n(),
            moduli,
            last_roots,
            device,
            stream,
            arithmetic,
            limb_count: capacity.limb_count,
            limbs: Mutex::new(limbs),
            free,
            turn: Turn::default(),
            calls: Mutex::default(),
            kept: Mutex::default(),
            fewest: AtomicUsize::new(capacity.limb_count as usize),
            planes,
            primes,
            roots,
            inverse_roots,
        }))
    }

    /// The device.
    pub fn device(&self) -> &D {
        &self.device
    }

    /// The stream of all its work.
    pub fn stream(&self) -> &D::Stream {
        &self.stream
    }

    pub(crate) fn turn(&self) -> &Turn {
        &self.turn
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    pub(crate) fn limb_count(&self) -> usize {
        self.limb_count as usize
    }

    pub(crate) fn log_n(&self) -> u32 {
        self.log_n
    }

    /// Residues of a limb.
    pub(crate) fn n(&self) -> usize {
        1 << self.log_n
    }

    pub(crate) fn moduli(&self) -> &[Modulus] {
        &self.moduli
    }

    /// Limbs with arbitrary contents.
    ///
    /// # Errors
    /// [`Error::OutOfLimbs`].
    pub fn take(&self, count: usize) -> Result<Vec<DeviceLimb>, Error> {
        let _turn = self.turn.held();
        let limbs = self.free().take(count)?;
        self.fewest.fetch_min(self.free_limb_count(), Ordering::Relaxed);
        Ok(limbs)
    }

    /// Limbs that nobody holds.
    pub fn free_limb_count(&self) -> usize {
        self.free().general.len()
    }

    /// The most limbs that were in use at once, and the packed residues that are in use.
    pub fn usage(&self) -> Capacity {
        let limb_count = self.limb_count - self.fewest.load(Ordering::Relaxed) as u32;
        Capacity { limb_count, packed_count: self.planes.held_count() }
    }

    pub(crate) fn free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limbs(&self) -> MutexGuard<'_, D::Buffer> {
        self.limbs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies `n` residues to the device.
    ///
    /// # Errors
    /// The device's.
    ///
    /// # Panics
    /// If there aren't `n`.
    pub fn write(&self, to: DeviceLimb, residues: &[u64]) -> Result<(), Error> {
        assert_eq!(residues.len(), self.n());
        let _turn = self.turn_for_residues()?;
        let at = self.byte_of(to);
        self.device.upload(&self.stream, &mut self.limbs(), at, bytemuck::cast_slice(residues))
    }

    /// Copies `n` residues from the device.
    ///
    /// # Errors
    /// The device's.
    ///
    /// # Panics
    /// If there isn't a place for `n`.
    pub fn read(&self, out: &mut [u64], from: DeviceLimb) -> Result<(), Error> {
        assert_eq!(out.len(), self.n());
        let _turn = self.turn_for_residues()?;
        self.device.download(&self.stream, bytemuck::cast_slice_mut(out), &self.limbs(), self.byte_of(from))
    }

    /// A turn, while nothing is recorded: what would be copied now would be missing in a replay.
    fn turn_for_residues(&self) -> Result<turn::Held<'_>, Error> {
        let turn = self.turn.held();
        if self.free().is_recording() { Err(Error::Recording { operation: "a copy of residues" }) } else { Ok(turn) }
    }

    /// Keeps what owns packed residues as long as the recording under way, if there is one.
    pub(crate) fn keep(&self, held: Arc<dyn Any + Send + Sync>) {
        if self.free().is_recording() {
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(held);
        }
    }

    /// Does a call, or notes it for the recording under way.
    pub(crate) fn run(&self, call: Call) -> Result<(), Error> {
        let _turn = self.turn.held();
        match &mut *self.calls() {
            Some(calls) => {
                calls.push(call);
                Ok(())
            }
            None => self.execute(&call),
        }
    }

    fn execute(&self, call: &Call) -> Result<(), Error> {
        match call {
            Call::Copy(pairs) => self.copy(pairs),
            Call::Clear(limbs) => self.clear(limbs),
            Call::Forward(transforms) => self.forward(transforms),
            Call::InverseScaled(transforms, constants) => self.inverse_scaled(transforms, constants),
            Call::Pointwise(operation, all) => self.pointwise(*operation, all),
            Call::Scaling(operation, all, factors) => self.scaling(*operation, all, factors),
            Call::Halves(operation, all, residues) => self.halves(*operation, all, residues),
            Call::Tensor(all) => self.tensor(all),
            Call::Convert(conversions) => self.convert(conversions),
            Call::Lift(lifts) => self.lift(lifts),
            Call::Automorphism(all, galois_elt) => self.automorphism(all, *galois_elt),
            Call::KeyProducts(products) => self.key_products(products),
            Call::DiagonalSums(sums) => self.diagonal_sums(sums),
        }
    }

    fn calls(&self) -> MutexGuard<'_, Option<Vec<Call>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin_recording(&self) -> Result<(), Error> {
        self.turn.enter();
        if self.free().is_recording() {
            self.turn.leave();
            return Err(Error::Recording { operation: "another recording" });
        }
        self.free().record(true);
        *self.calls() = Some(Vec::new());
        Ok(())
    }

    /// The graph of the calls since the recording began, in few launches.
    pub(crate) fn end_recording(&self) -> Result<Recorded<D>, Error> {
        let calls = self.calls().take().ok_or(Error::NotRecording)?;
        let graph = self.graph(calls);
        self.free().record(false);
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        self.turn.leave();
        Ok(Recorded { graph: graph?, _kept: kept })
    }

    fn graph(&self, calls: Vec<Call>) -> Result<D::Graph, Error> {
        self.device.begin_recording(&self.stream)?;
        let calls = {
            let free = self.free();
            without_copies(calls, |limb| free.is_spare(limb))
        };
        let calls = with_folded_scales(calls, &self.moduli);
        let calls = {
            let free = self.free();
            with_ends(together(calls), |limb| free.is_spare(limb))
        };
        let launched = calls.iter().try_for_each(|(call, ends)| match call {
            Call::Forward(transforms) => self.forward_to_ends(transforms, ends),
            call => self.execute(call),
        });
        let graph = self.device.end_recording(&self.stream);
        launched.and(graph)
    }

    pub(crate) fn replay(&self, recorded: &Recorded<D>) -> Result<(), Error> {
        let _turn = self.turn.held();
        // SAFETY: the tables of jobs are the graph's, the limbs that they name are the workspace's, and the copies of
        // keys and plaintexts are kept; all calls of this arena have one stream, and this turn.
        unsafe { self.device.replay(&self.stream, &recorded.graph) }
    }

    /// Waits until all work is done.
    ///
    /// # Errors
    /// The device's, of work before.
    pub fn wait(&self) -> Result<(), Error> {
        let _turn = self.turn_for_residues()?;
        self.device.download(&self.stream, &mut [0; 8], &self.limbs(), 0)
    }

    fn byte_of(&self, limb: DeviceLimb) -> usize {
        (self.word_of(limb) as usize * size_of::<u64>()) << self.log_n
    }

    /// The limb in a job.
    ///
    /// # Panics
    /// If it is one of another, larger arena.
    pub(crate) fn word_of(&self, limb: DeviceLimb) -> u32 {
        assert!(limb.0 < self.limb_count, "the limb lies in the arena");
        debug_assert!(self.free().may_name(limb), "recorded work names the workspace's limbs");
        limb.0
    }

    /// The prime in a job.
    ///
    /// # Panics
    /// If the ring lacks it.
    pub(crate) fn word_of_prime(&self, prime: usize) -> u32 {
        assert!(prime < self.moduli.len(), "the prime is one of the ring's");
        prime as u32
    }

    /// The first unit of a piece of `len` packed residues in a job.
    ///
    /// # Panics
    /// If it lies beyond the planes.
    pub(crate) fn word_of_packed(&self, piece: DevicePacked, len: usize) -> u32 {
        assert!(self.planes.has(piece, len), "the piece lies in the planes");
        piece.0
    }

    /// A buffer with these bytes, for the length of a launch or longer.
    pub(crate) fn table(&self, bytes: &[u8]) -> Result<D::Buffer, Error> {
        filled(&self.device, &self.stream, bytes)
    }

    /// Runs a kernel on jobs of `words` words each, `blocks` blocks for each job: its arguments are the limbs and these
    /// tables.
    ///
    /// The jobs' limbs and primes are from [`Arena::word_of`] and [`Arena::word_of_prime`].
    ///
    /// # Panics
    /// For more jobs than a grid has places.
    pub(crate) fn launch(
        &self,
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
        let _turn = self.turn.held();
        let jobs = self.table(bytemuck::cast_slice(jobs))?;
        let (mut limbs, planes) = (self.limbs(), self.planes.lock());
        let mut arguments = vec![Argument::Written(&mut *limbs)];
        arguments.extend(tables.iter().map(|table| match *table {
            Table::Primes => Argument::Read(&self.primes),
            Table::Roots => Argument::Read(&self.roots),
            Table::InverseRoots => Argument::Read(&self.inverse_roots),
            Table::Jobs => Argument::Read(&jobs),
            Table::Low => Argument::Read(&planes.low),
            Table::High => Argument::Read(&planes.high),
            Table::Of(buffer) => Argument::Read(buffer),
            Table::Word(word) => Argument::Word(word),
        }));
        // SAFETY: each operation gives the tables of its kernel, made for these jobs, whose limbs lie in the arena.
        unsafe { self.device.launch(&self.stream, kernel, [blocks as u32, count as u32], &mut arguments) }
    }

    /// Blocks of a kernel with one residue a thread.
    pub(crate) fn blocks(&self) -> usize {
        self.n() / 256
    }
}

fn filled<D: Device>(device: &D, stream: &D::Stream, bytes: &[u8]) -> Result<D::Buffer, Error> {
    let mut buffer = device.alloc(bytes.len())?;
    device.upload(stream, &mut buffer, 0, bytes)?;
    Ok(buffer)
}
