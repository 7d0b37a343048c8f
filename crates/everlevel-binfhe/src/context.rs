//! A set of parameters with threads of its own: the calls on whole arrays that an application makes.
//!
//! The methods of [`EvalKeys`] and [`Integers`] run on the current rayon pool, and do an array's bootstraps all at
//! once. A [`Context`] runs them on its threads, slice by slice, and reports progress.

use std::ops::Range;
use std::sync::Arc;

use everlevel_objects::with_memory;
use everlevel_ring::{Footprint, Pool, report};
use everlevel_rlwe::SecretId;

use crate::common::Space;
use crate::files::{self, NamedParams};
use crate::params::Params;
use crate::sets::{self, NamedSet};
use crate::slices::Joined;
use crate::{
    AnyArray, Ciphertext, CircuitKey, CircuitParams, CompressedList, CompressionKey, CompressionParams, Error,
    EvalKeys, Gate, Indices, Integers, Lwe, NoiseSum, Progress, SecretKey, SeededCircuitKey, SeededCompressionKey,
    SeededEvalKeys, SeededPackingKey, SeededRingSwitchKey, UintArray, Width, noise,
};

/// The largest log2 of the degree of a ring without security.
const MAX_INSECURE_LOG_N: u32 = 15;

/// Parameters and threads.
#[derive(Debug)]
pub struct Context {
    set: Option<&'static NamedSet>,
    params: Arc<Params>,
    pool: Pool,
}

impl Context {
    /// Rotations that an element of a product has in a round, where sums and comparisons have one: a product's slices
    /// are as much shorter.
    pub const PRODUCT_ROTATIONS: usize = 4;

    /// The context of any parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the system doesn't give that many threads.
    pub fn new(params: Params, thread_count: usize) -> Result<Self, Error> {
        let pool = Pool::new(thread_count).map_err(|error| Error::Parameter {
            what: "thread_count",
            found: format!("{thread_count} ({error})"),
            needed: "as many threads as the system gives".into(),
        })?;
        Ok(Self { set: None, params: Arc::new(params), pool })
    }

    /// The context of a named set.
    ///
    /// # Errors
    /// [`Error::UnknownSet`]; as [`Context::new`].
    pub fn named(name: &str, thread_count: usize) -> Result<Self, Error> {
        let set = sets::find(name)?;
        Ok(Self { set: Some(set), ..Self::new(set.params()?, thread_count)? })
    }

    /// The context of a named set's messages at a ring of degree `2^insecure_log_n`, **without any security**.
    ///
    /// # Errors
    /// [`Error::UnknownSet`], [`Error::Parameter`] where the ring is too small for the messages and which one is large
    /// enough; as [`Context::new`].
    pub fn insecure(name: &str, insecure_log_n: u32, thread_count: usize) -> Result<Self, Error> {
        let set = sets::find(name)?;
        let params = |log_n: u32| Params::try_from(set.insecure_literal(log_n));
        let params = params(insecure_log_n).map_err(|error| {
            match (insecure_log_n..=MAX_INSECURE_LOG_N).find(|&log_n| params(log_n).is_ok()) {
                Some(enough) => Error::Parameter {
                    what: "insecure_log_n",
                    found: insecure_log_n.to_string(),
                    needed: format!("{enough} or more for the messages of {}", set.name),
                },
                None => error,
            }
        })?;
        Ok(Self { set: Some(set), ..Self::new(params, thread_count)? })
    }

    /// The set that the parameters, or the messages of insecure ones, are of.
    pub fn set(&self) -> Option<&'static NamedSet> {
        self.set
    }

    /// The parameters.
    pub fn params(&self) -> &Arc<Params> {
        &self.params
    }

    /// The number of threads.
    pub fn thread_count(&self) -> usize {
        self.pool.thread_count()
    }

    /// Runs `f`, and all that it does in parallel, on the context's threads.
    pub fn install<T: Send>(&self, f: impl FnOnce() -> T + Send) -> T {
        self.pool.install(f)
    }

    /// log2 of the probability that a bootstrap of a ciphertext with this variance fails.
    pub fn log2_p_fail(&self, variance_torus: f64) -> f64 {
        noise::log2_p_fail(self.params.margin_torus(), self.params.noise().at_table(variance_torus))
    }

    /// A secret key.
    ///
    /// # Errors
    /// [`Error::Random`].
    pub fn secret_key(&self) -> Result<SecretKey, Error> {
        SecretKey::generate(Arc::clone(&self.params))
    }

    /// The evaluation keys of a secret, as seeds and bodies, where there is memory for these and for
    /// [`SeededEvalKeys::prepare`].
    ///
    /// # Errors
    /// [`Error::Random`], [`Error::Cancelled`], [`crate::ObjectError::OutOfMemory`].
    pub fn eval_keys(&self, secret: &SecretKey, progress: Progress) -> Result<SeededEvalKeys, Error> {
        let all = self.params.eval_keys_footprint();
        with_memory("create_evaluation_key", all, || {
            self.install(|| SeededEvalKeys::generate_reporting(secret, progress))
        })
    }

    /// The key of look-ups in large tables of a secret, where there is memory for it as seeds and bodies, and ready.
    ///
    /// # Errors
    /// As [`CircuitParams::of`]; as [`Context::eval_keys`].
    pub fn lookup_key(&self, secret: &SecretKey, progress: Progress) -> Result<SeededCircuitKey, Error> {
        let footprint = CircuitParams::of(&self.params)?.key_footprint();
        with_memory("create_lookup_key", footprint, || {
            self.install(|| SeededCircuitKey::generate_reporting(secret, progress))
        })
    }

    /// Messages from a large table, one for each index.
    ///
    /// # Errors
    /// As [`CircuitKey::lookup_messages`]; [`Error::Cancelled`].
    pub fn lookup_messages(
        &self,
        keys: (&EvalKeys, &CircuitKey),
        indices: Indices<'_>,
        (in_bits, table): (u32, &[u64]),
        progress: Progress,
    ) -> Result<Vec<Ciphertext>, Error> {
        let rotations = in_bits.div_ceil(2) as usize;
        self.batched("lookup", keys.0, (indices.len(), rotations), progress, |places| {
            indices.at(places, |part| keys.1.lookup_messages(keys.0, part, in_bits, table))
        })
    }

    /// Integers of a width from a large table, one for each index.
    ///
    /// # Errors
    /// As [`CircuitKey::lookup_uints`]; [`Error::Cancelled`].
    pub fn lookup_uints(
        &self,
        keys: (&EvalKeys, &CircuitKey),
        indices: Indices<'_>,
        (in_bits, table, width): (u32, &[u64], Width),
        progress: Progress,
    ) -> Result<UintArray, Error> {
        let rotations = in_bits.div_ceil(2) as usize;
        self.batched("lookup", keys.0, (indices.len(), rotations), progress, |places| {
            indices.at(places, |part| keys.1.lookup_uints(keys.0, part, in_bits, table, width))
        })
    }

    /// The key of compression of a secret, as a seed and bodies, where there is memory for it, and ready.
    ///
    /// # Errors
    /// As [`CompressionParams::of`]; [`Error::Random`], [`crate::ObjectError::OutOfMemory`].
    pub fn compression_key(&self, secret: &SecretKey) -> Result<SeededCompressionKey, Error> {
        let footprint = CompressionParams::of(&self.params)?.key_footprint();
        with_memory("create_compression_key", footprint, || self.install(|| SeededCompressionKey::generate(secret)))
    }

    /// The key of ring switches from a secret polynomial of a public weight to a secret, as a seed and bodies, where
    /// there is memory for it, and ready.
    ///
    /// # Errors
    /// As [`SeededRingSwitchKey::generate`].
    pub fn ring_switch_key(
        &self,
        from: (SecretId, &[i8]),
        weight: usize,
        to: &SecretKey,
    ) -> Result<SeededRingSwitchKey, Error> {
        self.install(|| SeededRingSwitchKey::generate(from, weight, to))
    }

    /// A packing key to a secret polynomial of so many ones.
    ///
    /// # Errors
    /// As [`SeededPackingKey::generate`].
    pub fn packing_key(
        &self,
        from: &SecretKey,
        to: (SecretId, &[i8]),
        weight: usize,
    ) -> Result<SeededPackingKey, Error> {
        self.install(|| SeededPackingKey::generate(from, to, weight))
    }

    /// A compressed list of an array's ciphertexts, re-randomised or not.
    ///
    /// # Errors
    /// As [`CompressionKey::compress`]; [`Error::Cancelled`].
    pub fn compress(
        &self,
        key: &CompressionKey,
        array: &AnyArray,
        rerandomizes: bool,
        progress: Progress,
    ) -> Result<CompressedList, Error> {
        let work = key.params().work(self.thread_count());
        with_memory("compress", work, || self.install(|| key.compress_reporting(array, rerandomizes, progress)))
    }

    /// The array of a compressed list, by a bootstrap of each ciphertext.
    ///
    /// # Errors
    /// As [`EvalKeys::decompress`]; [`Error::Cancelled`].
    pub fn decompress(&self, keys: &EvalKeys, list: &CompressedList, progress: Progress) -> Result<AnyArray, Error> {
        let op = "decompress";
        let all = self.batched(op, keys, (list.len(), 1), progress, |places| keys.refreshed(list, places))?;
        list.kind.array(op, &self.params, all)
    }

    /// Messages in the clear, 0 or 1 for bits, as operands beside ciphertexts of a secret: they have no noise and no
    /// mask, and anybody can read them.
    ///
    /// # Errors
    /// [`Error::ValueOutOfSpace`].
    pub fn constants(&self, values: &[u64], secret: SecretId) -> Result<Vec<Ciphertext>, Error> {
        let (space, dim) = (self.params.space, self.params.ciphertext_dim());
        let (max, is_bit) = (space.max(), space == Space::Bit);
        let one = |(index, &value): (usize, &u64)| {
            if value > max {
                return Err(Error::ValueOutOfSpace { op: "constants", index, value, max });
            }
            let max_value = if is_bit { 1 } else { value };
            Ok(Ciphertext::from_parts(Lwe::trivial(dim, space.encode(value)), secret, NoiseSum::default(), max_value))
        };
        values.iter().enumerate().map(one).collect()
    }

    /// A gate of each pair.
    ///
    /// # Errors
    /// As [`EvalKeys::gates`]; [`Error::Cancelled`].
    pub fn gate(
        &self,
        keys: &EvalKeys,
        gate: Gate,
        [a, b]: [&[Ciphertext]; 2],
        progress: Progress,
    ) -> Result<Vec<Ciphertext>, Error> {
        self.batched(gate.name(), keys, (a.len(), 1), progress, |places| {
            keys.gates(&[gate], &a[places.clone()], &b[places])
        })
    }

    /// Bits again, each by a bootstrap: the signs of their phases.
    ///
    /// # Errors
    /// [`Error::WrongSpace`] for parameters of integers, [`Error::Cancelled`].
    pub fn signs(&self, keys: &EvalKeys, bits: &[Ciphertext], progress: Progress) -> Result<Vec<Ciphertext>, Error> {
        self.batched("signs", keys, (bits.len(), 1), progress, |places| keys.signs(&bits[places]))
    }

    /// `a` where the selector is set and `b` elsewhere, element by element.
    ///
    /// # Errors
    /// As [`EvalKeys::mux`]; [`Error::Cancelled`].
    pub fn mux(
        &self,
        keys: &EvalKeys,
        [selector, a, b]: [&[Ciphertext]; 3],
        progress: Progress,
    ) -> Result<Vec<Ciphertext>, Error> {
        self.batched("mux", keys, (a.len(), 2), progress, |places| {
            keys.mux(&selector[places.clone()], &a[places.clone()], &b[places])
        })
    }

    /// Several tables of each element: for each table the array of its entries.
    ///
    /// # Errors
    /// As [`EvalKeys::tables`]; [`Error::Cancelled`].
    pub fn tables(
        &self,
        keys: &EvalKeys,
        x: &[Ciphertext],
        tables: &[Vec<u64>],
        progress: Progress,
    ) -> Result<Vec<Vec<Ciphertext>>, Error> {
        let rows = self.batched("tables", keys, (x.len(), 1), progress, |places| keys.tables(&x[places], tables))?;
        let mut columns = vec![Vec::with_capacity(x.len()); tables.len()];
        for row in rows {
            columns.iter_mut().zip(row).for_each(|(column, entry)| column.push(entry));
        }
        Ok(columns)
    }

    /// An operation on integers of 8 to 64 bits, slice by slice: `operation` is given the places of a slice, and is
    /// done for each twice, first to count its bootstraps. An element has `rotations` of them in a round.
    ///
    /// # Errors
    /// As [`EvalKeys::integers`]; the operation's; [`Error::Cancelled`].
    pub fn integers<T: Joined>(
        &self,
        keys: &EvalKeys,
        (len, rotations): (usize, usize),
        progress: Progress,
        operation: impl Fn(&Integers<'_>, Range<usize>) -> Result<T, Error> + Sync,
    ) -> Result<T, Error> {
        with_memory("integers", Footprint::default(), || {
            self.install(|| {
                let all =
                    |int: &Integers<'_>| keys.slices(len, rotations).map(|places| operation(int, places)).collect();
                T::joined(keys.integers()?.reporting(progress, all)?)
            })
        })
    }

    /// The parameters, and the name of their set in files.
    pub fn named_params(&self) -> NamedParams<'_> {
        NamedParams { params: &self.params, name: self.set().map_or(files::UNNAMED, |set| set.name), max_bytes: None }
    }

    /// Elements slice by slice, with a step for each element.
    fn batched<T: Joined>(
        &self,
        op: &'static str,
        keys: &EvalKeys,
        (len, rotations): (usize, usize),
        progress: Progress,
        step: impl Fn(Range<usize>) -> Result<T, Error> + Sync,
    ) -> Result<T, Error> {
        let reported = |places: Range<usize>| {
            let done = places.end;
            let part = step(places)?;
            report(op, progress, done, len)?;
            Ok(part)
        };
        with_memory(op, self.params.ciphertexts_footprint(len), || {
            self.install(|| T::joined(keys.slices(len, rotations).map(reported).collect::<Result<_, Error>>()?))
        })
    }
}
