//! The context: everything that is derived from parameters, and the checks that calls begin with.

use std::sync::Arc;

use everlevel_rand::SeedSource;
use everlevel_ring::{Pool, PrimeSet, Ring};
use everlevel_rlwe::{Gadget, noise};

use crate::bootstrap::BootstrapTables;
use crate::keys::KeyInfo;
use crate::params::HEADROOM_BITS;
use crate::working::Ladder;
use crate::{Ciphertext, Encoder, Error, Params, Plaintext};

/// Parameters with their tables. Cheap to clone, shared between threads; every call runs on the context's own [`Pool`].
#[derive(Debug, Clone)]
pub struct Context(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub params: Params,
    pub ring: Ring,
    pub encoder: Encoder,
    /// The message levels.
    pub ladder: Ladder,
    pub bootstrap: Option<BootstrapTables>,
    pub fingerprint: u64,
    pub message_gadget: Gadget,
    pub seeded_keys: bool,
    /// Where the seeds of keys and encryptions come from.
    pub seeds: SeedSource,
    pool: Pool,
}

/// How a context works; none of this changes what it computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Slots of a ciphertext: a power of two up to half the degree, which is the default.
    pub slot_count: Option<usize>,
    /// Threads that calls run on.
    pub thread_count: usize,
    /// Whether keys hold the seeds of their uniform halves instead of the halves: half the memory, at the price of
    /// expanding them at each use.
    pub seeded_keys: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { slot_count: None, thread_count: 1, seeded_keys: false }
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
        let Options { slot_count, thread_count, seeded_keys } = options;
        if !(1..=MAX_THREADS).contains(&thread_count) {
            let needed = format!("between 1 and {MAX_THREADS}");
            return Err(Error::Parameter { what: "thread_count", found: thread_count.to_string(), needed });
        }
        let slots = slot_count.unwrap_or(params.max_slots());
        if !slots.is_power_of_two() || slots > params.max_slots() {
            let needed = format!("a power of two up to {}", params.max_slots());
            return Err(Error::Parameter { what: "slot_count", found: slots.to_string(), needed });
        }
        let pool = Pool::new(thread_count).map_err(|e| Error::Parameter {
            what: "thread_count",
            found: format!("{thread_count} ({e})"),
            needed: "a number of threads that the system can start".into(),
        })?;
        pool.install(|| Self::build(params, slots, seeded_keys)).map(|mut inner| {
            inner.pool = Some(pool);
            Self(Arc::new(inner.finish(seeds)))
        })
    }

    fn build(params: Params, slots: usize, seeded_keys: bool) -> Result<Unfinished, Error> {
        let ring = Ring::new(params.literal().log_n, params.primes())?;
        let encoder = Encoder::new(ring.n(), slots);
        let max_level = params.literal().max_level;
        let sets = params.levels[..=max_level].iter().map(|l| l.set.clone()).collect();
        let ladder = Ladder::new(&ring, sets, params.log2_lowest_scale(slots).exp2());
        let message_gadget = best_gadget(&params, &ring, &ladder.sets[max_level], Gadget::consecutive)?;
        let bootstrap = match &params.bootstrap {
            Some(chain) => Some(BootstrapTables::new(&params, &ring, chain, &ladder, slots)?),
            None => None,
        };
        Ok(Unfinished { params, ring, encoder, ladder, bootstrap, message_gadget, seeded_keys, pool: None })
    }

    /// The parameters.
    pub fn params(&self) -> &Params {
        &self.0.params
    }

    /// The ring.
    pub fn ring(&self) -> &Ring {
        &self.0.ring
    }

    /// Slots of a ciphertext.
    pub fn slot_count(&self) -> usize {
        self.0.encoder.slots()
    }

    /// The highest level.
    pub fn max_level(&self) -> usize {
        self.0.params.literal().max_level
    }

    /// The canonical scale of a level.
    pub fn scale_at(&self, level: usize) -> Option<f64> {
        self.0.ladder.scales.get(level).copied()
    }

    /// Threads that calls run on.
    pub fn thread_count(&self) -> usize {
        self.0.pool.thread_count()
    }

    /// Whether keys hold the seeds of their uniform halves instead of the halves.
    pub fn seeded_keys(&self) -> bool {
        self.0.seeded_keys
    }

    /// Runs `f` on the context's threads.
    pub(crate) fn install<T: Send>(&self, f: impl FnOnce(&Inner) -> T + Send) -> T {
        let inner = &*self.0;
        inner.pool.install(|| f(inner))
    }

    /// The left rotation of a rotation to the right, without overflow.
    pub(crate) fn left(&self, delta: i64) -> i64 {
        let slots = self.slot_count() as i64;
        (slots - delta.rem_euclid(slots)) % slots
    }

    /// Refuses keys of other parameters.
    pub(crate) fn check(&self, op: &'static str, what: &'static str, info: KeyInfo) -> Result<(), Error> {
        self.check_fingerprint(op, what, info.fingerprint)
    }

    pub(crate) fn check_fingerprint(&self, op: &'static str, what: &'static str, found: u64) -> Result<(), Error> {
        let expected = self.0.fingerprint;
        if found == expected { Ok(()) } else { Err(Error::ForeignObject { op, what, found, expected }) }
    }

    pub(crate) fn check_ciphertext(&self, op: &'static str, ciphertext: &Ciphertext) -> Result<(), Error> {
        self.check_fingerprint(op, "ciphertext", ciphertext.origin().fingerprint)?;
        self.check_slots("slot_count of the ciphertext", ciphertext.slot_count())
    }

    pub(crate) fn check_plaintext(&self, op: &'static str, plaintext: &Plaintext) -> Result<(), Error> {
        self.check_fingerprint(op, "plaintext", plaintext.fingerprint)?;
        self.check_slots("slot_count of the plaintext", plaintext.slot_count)
    }

    pub(crate) fn check_slots(&self, what: &'static str, slot_count: usize) -> Result<(), Error> {
        if slot_count == self.slot_count() {
            return Ok(());
        }
        let needed = format!("{}, this engine's; make keys and ciphertexts with one engine", self.slot_count());
        Err(Error::Parameter { what, found: slot_count.to_string(), needed })
    }

    /// Refuses keys of another secret than the ciphertext's.
    pub(crate) fn check_secret(
        &self,
        op: &'static str,
        what: &'static str,
        info: KeyInfo,
        ciphertext: &Ciphertext,
    ) -> Result<(), Error> {
        self.check(op, what, info)?;
        if info.secret_id == ciphertext.secret_id() {
            return Ok(());
        }
        Err(Error::WrongSecret { op, what, found: info.secret_id, expected: ciphertext.secret_id() })
    }

    pub(crate) fn check_level(&self, op: &'static str, level: usize) -> Result<(), Error> {
        let max_level = self.max_level();
        if level <= max_level { Ok(()) } else { Err(Error::LevelOutOfRange { op, level, max_level }) }
    }

    /// Refuses ciphertexts with fewer than `needed` levels.
    pub(crate) fn check_depth(&self, op: &'static str, ciphertext: &Ciphertext, needed: usize) -> Result<(), Error> {
        let (level, max_level) = (ciphertext.level(), self.max_level());
        if level >= needed { Ok(()) } else { Err(Error::LevelExhausted { op, needed, level, max_level }) }
    }
}

/// [`Inner`] before its pool moves in.
struct Unfinished {
    params: Params,
    ring: Ring,
    encoder: Encoder,
    ladder: Ladder,
    bootstrap: Option<BootstrapTables>,
    message_gadget: Gadget,
    seeded_keys: bool,
    pool: Option<Pool>,
}

impl Unfinished {
    fn finish(self, seeds: SeedSource) -> Inner {
        let fingerprint = self.params.fingerprint();
        let Some(pool) = self.pool else { unreachable!("the pool is set right after the tables are built") };
        Inner {
            params: self.params,
            ring: self.ring,
            encoder: self.encoder,
            ladder: self.ladder,
            bootstrap: self.bootstrap,
            fingerprint,
            message_gadget: self.message_gadget,
            seeded_keys: self.seeded_keys,
            seeds,
            pool,
        }
    }
}

/// The primes that messages are read from: the first two hold any message that is accepted.
pub(crate) fn readable(set: &PrimeSet) -> PrimeSet {
    PrimeSet::new(set.indices().iter().copied().take(2))
}

impl Inner {
    /// log2 of what a coefficient of a message at `level` must stay below: half of what it is read from.
    pub fn log2_available(&self, level: usize) -> f64 {
        self.ring.log2(&readable(&self.ladder.sets[level])) - 1.0
    }

    /// The modulus of a public key.
    pub fn public_key_set(&self) -> PrimeSet {
        self.ladder.sets[self.ladder.sets.len() - 1].union(&self.encryption_special())
    }

    /// The gadget of a rotation key for levels up to `level`.
    pub fn rotation_gadget(&self, level: usize) -> Result<Gadget, Error> {
        best_gadget(&self.params, &self.ring, &self.ladder.sets[level], Gadget::consecutive)
    }

    /// The left rotations of a rotation key: powers of two in both directions, ascending.
    pub fn rotation_amounts(&self) -> Vec<i64> {
        let slots = self.encoder.slots() as i64;
        let amounts = (0..slots.trailing_zeros()).flat_map(|k| [1 << k, slots - (1 << k)]);
        amounts.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    }

    /// The message level whose primes a gadget cuts.
    pub fn level_of(&self, gadget: &Gadget) -> Option<usize> {
        let set = gadget.ciphertext_set();
        self.ladder.sets.iter().position(|of_level| *of_level == set)
    }

    /// The special prime that public-key encryption divides by.
    pub fn encryption_special(&self) -> PrimeSet {
        PrimeSet::new(self.params.special.iter().copied().take(1))
    }

    /// Standard deviation of a slot's real part, in units of the message, from that of a coefficient.
    pub fn slot_error(&self, std_dev_coeff: f64, scale: f64) -> f64 {
        (self.encoder.slots() as f64).sqrt() * std_dev_coeff / scale
    }

    /// The error that one rounding at a scale adds.
    pub fn rounding_error(&self, scale: f64) -> f64 {
        self.slot_error(noise::rounding_std_dev(self.params.secret_weight()), scale)
    }

    /// The error that rescaling two polynomials or three adds.
    pub fn rescaling_error(&self, polynomial_count: usize, scale: f64) -> f64 {
        match polynomial_count {
            2 => self.rounding_error(scale),
            _ => self.slot_error(noise::square_rounding_std_dev(self.params.secret_weight()), scale),
        }
    }
}

/// The gadget over `set` whose key switch needs the fewest transforms among those within the security cap:
/// `(digits + 2)` times the number of primes. Where the cap leaves no room for the headroom (two levels at N = 2^13),
/// key switches are noisier than a rounding.
pub(crate) fn best_gadget(
    params: &Params,
    ring: &Ring,
    set: &PrimeSet,
    cut: fn(&Ring, &PrimeSet, &PrimeSet, f64) -> Gadget,
) -> Result<Gadget, Error> {
    gadget_with_headroom(params, ring, set, cut, HEADROOM_BITS)
        .or_else(|refusal| gadget_with_headroom(params, ring, set, cut, -1e-6).map_err(|_| refusal))
}

fn gadget_with_headroom(
    params: &Params,
    ring: &Ring,
    set: &PrimeSet,
    cut: fn(&Ring, &PrimeSet, &PrimeSet, f64) -> Gadget,
    headroom_bits: f64,
) -> Result<Gadget, Error> {
    let mut best: Option<(usize, Gadget)> = None;
    let mut refusal = None;
    for count in 1..=params.special.len() {
        let special = PrimeSet::new(params.special.iter().copied().take(count));
        let gadget = cut(ring, set, &special, headroom_bits);
        if gadget.digits.iter().any(|d| ring.log2(d) > ring.log2(&special) - headroom_bits + 1e-9) {
            continue;
        }
        if let Err(error) = params.check_key(ring, &gadget.full_set()) {
            refusal = Some(error);
            continue;
        }
        let cost = (gadget.digits.len() + 2) * gadget.full_set().len();
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, gadget));
        }
    }
    best.map(|(_, gadget)| gadget).ok_or_else(|| {
        refusal.unwrap_or(Error::Parameter {
            what: "special primes",
            found: params.special.len().to_string(),
            needed: "enough to exceed one prime of the modulus by the headroom".into(),
        })
    })
}
