//! The context: parameters with their tables and threads, which every operation is a call of.

use std::sync::Arc;

use everlevel_objects::{require_memory, with_memory_found};
use everlevel_rand::{Cipher, SeedSource};
use everlevel_ring::{Footprint, OutOfMemory, Pool, Ring, memory};

use crate::core::Core;
use crate::{Error, Params};

/// Parameters with their tables. Cheap to clone, shared between threads; every call runs on the context's own [`Pool`].
#[derive(Debug, Clone)]
pub struct Context {
    pub(crate) core: Arc<Core>,
    pool: Arc<Pool>,
}

/// The options of a context; none of them changes a result's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Slots of a ciphertext: a power of two up to half the degree, which is the default.
    pub slot_count: Option<usize>,
    /// Threads that calls run on.
    pub thread_count: usize,
    /// Whether keys hold the seeds of their uniform halves instead of the halves: half the memory, at the price of
    /// expanding them at each use.
    pub seeded_keys: bool,
    /// The cipher that the uniform halves of evaluation keys are streams of; keys say it of themselves.
    pub mask_cipher: Cipher,
    /// Whether results whose *assumed* bound is beyond their level's room are refused, as those of declared bounds are.
    pub refuse_assumed: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            slot_count: None,
            thread_count: 1,
            seeded_keys: false,
            mask_cipher: Cipher::ChaCha20,
            refuse_assumed: false,
        }
    }
}

/// More threads than any limb count can use.
const MAX_THREADS: usize = 256;

impl Context {
    /// Builds the tables, with keys held expanded.
    ///
    /// # Errors
    /// As [`Context::with_options`].
    pub fn new(params: Params, slot_count: Option<usize>, thread_count: usize) -> Result<Self, Error> {
        Self::with_options(params, Options { slot_count, thread_count, ..Options::default() })
    }

    /// Builds the tables.
    ///
    /// # Errors
    /// A slot count that is no power of two up to half the degree, a thread count of zero, or a key modulus above the
    /// security cap.
    pub fn with_options(params: Params, options: Options) -> Result<Self, Error> {
        Self::with_seeds(params, options, SeedSource::os())
    }

    /// Builds the tables of a context whose keys and encryptions take their seeds from `seeds`: golden tests have one
    /// that repeats itself.
    ///
    /// # Errors
    /// As [`Context::with_options`].
    pub fn with_seeds(params: Params, options: Options, seeds: SeedSource) -> Result<Self, Error> {
        let Options { slot_count, thread_count, .. } = options;
        if !(1..=MAX_THREADS).contains(&thread_count) {
            let needed = format!("between 1 and {MAX_THREADS}");
            return Err(Error::Parameter { what: "thread_count", found: thread_count.to_string(), needed });
        }
        let slots = slot_count.unwrap_or(params.max_slots());
        if !slots.is_power_of_two() || slots > params.max_slots() {
            let needed = format!("a power of two up to {}", params.max_slots());
            return Err(Error::Parameter { what: "slot_count", found: slots.to_string(), needed });
        }
        Self::require("Engine", params.context_footprint())?;
        let pool = Pool::new(thread_count).map_err(|e| Error::Parameter {
            what: "thread_count",
            found: format!("{thread_count} ({e})"),
            needed: "a number of threads that the system can start".into(),
        })?;
        let core = pool.install(|| Core::new(params, slots, options, seeds))?;
        Ok(Self { core: Arc::new(core), pool: Arc::new(pool) })
    }

    /// The parameters.
    pub fn params(&self) -> &Params {
        &self.core.params
    }

    /// The ring.
    pub fn ring(&self) -> &Ring {
        &self.core.ring
    }

    /// Slots of a ciphertext.
    pub fn slot_count(&self) -> usize {
        self.core.encoder.slots()
    }

    /// The highest level.
    pub fn max_level(&self) -> usize {
        self.core.params.literal().max_level
    }

    /// The canonical scale of a level.
    pub fn scale_at(&self, level: usize) -> Option<f64> {
        self.core.ladder.scales.get(level).copied()
    }

    /// Threads that calls run on.
    pub fn thread_count(&self) -> usize {
        self.pool.thread_count()
    }

    /// Whether keys hold the seeds of their uniform halves instead of the halves.
    pub fn seeded_keys(&self) -> bool {
        self.core.seeded_keys
    }

    /// The cipher that the uniform halves of evaluation keys are streams of.
    pub fn mask_cipher(&self) -> Cipher {
        self.core.mask_cipher
    }

    /// Whether results are refused whose assumed bound is beyond their level's room.
    pub fn refuses_assumed(&self) -> bool {
        self.core.refuses_assumed
    }

    /// The stage counts of bootstraps in this context.
    pub fn stage_counts(&self) -> Vec<usize> {
        self.core.params.stage_counts(self.slot_count())
    }

    /// Runs `f` on the context's threads.
    pub(crate) fn install<T: Send>(&self, f: impl FnOnce(&Core) -> T + Send) -> T {
        self.pool.install(|| f(&self.core))
    }

    /// Refuses work for which there is no memory.
    ///
    /// # Errors
    /// [`everlevel_objects::Error::OutOfMemory`].
    pub fn require(op: &'static str, footprint: Footprint) -> Result<(), Error> {
        Ok(require_memory(op, footprint)?)
    }

    /// Runs work whose memory is looked for first, on the context's threads.
    ///
    /// # Errors
    /// As [`Context::with_limbs`].
    pub(crate) fn install_large<T: Send>(
        &self,
        op: &'static str,
        footprint: Footprint,
        work: impl FnOnce(&Core) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        self.with_limbs(op, footprint, || self.install(work))
    }

    /// Runs calls whose memory is looked for first.
    ///
    /// # Errors
    /// [`everlevel_objects::Error::OutOfMemory`] before the work, or during it if others took the memory meanwhile; the
    /// work's own.
    pub(crate) fn with_limbs<T>(
        &self,
        op: &'static str,
        footprint: Footprint,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        with_memory_found(op, || self.find_memory(footprint), work)
    }

    fn find_memory(&self, Footprint { held, work }: Footprint) -> Result<(), OutOfMemory> {
        let ring = &self.core.ring;
        let there = self.core.limbs(ring.free_limb_count());
        memory::require(held + work.saturating_sub(there))?;
        ring.reserve((work / self.core.limbs(1)) as usize)
    }

    /// The left rotation of a rotation to the right, without overflow.
    pub(crate) fn left(&self, delta: i64) -> i64 {
        let slots = self.slot_count() as i64;
        (slots - delta.rem_euclid(slots)) % slots
    }
}
