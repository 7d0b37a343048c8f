//! Objects as containers, and back; objects at a path have `write` and `read`.
//!
//! Every file names its set (`parameters`), has the literal for people (`params`), and a fingerprint by which another
//! set is refused. Ciphertexts of a named set have no literal: the name and the fingerprint tell it ([`add_literal`]).
//! Words are little-endian. A secret key is its seed; other keys are seeds and bodies. Ciphertexts that
//! nothing was done to are seeds, or masks of lists, and bodies (`fresh`). Others have a row for each in `ciphertexts`:
//! its words, the largest value that it may hold, and the number of its rows in `noise`, which are names, factors and
//! variances of errors. In `history` each has the number of names that are kept of the bootstraps that led to it, the
//! largest probability that one of them failed, and the names. Files without a history are read; of their ciphertexts'
//! failures nothing is known.

use std::collections::BTreeMap;
use std::sync::Arc;

use everlevel_io::schema::{number_from_text, refuse, require};
use everlevel_io::{ALIGNMENT, Builder, Container, Stored, kinds};
use everlevel_objects::{require_memory, require_secret};
use everlevel_rand::Seed;
use everlevel_rand::secrecy::erase_stack;
use everlevel_rlwe::SecretId;
use serde::{Deserialize, Serialize};

use crate::params::Params;
use crate::sets::NamedSet;
use crate::uint::{BoolArray, Radix, UintArray, Width};
use crate::{
    Ciphertext, Error, FailureBound, KeptCircuitKey, KeptCompressionKey, KeptEvalKeys, KeptPackingKey,
    KeptRingSwitchKey, Lwe, NoiseSum, NoiseTerm, PublicKey, SecretKey, SeededBootstrapKey, SeededCircuitKey,
    SeededCompressionKey, SeededEvalKeys, SeededKeySwitchKey, SeededPackingKey, SeededRingSwitchKey, SwitchStep, sets,
};

mod circuit;
mod compression;
mod fresh;
mod packed;
mod packing_key;
mod paths;
mod ring_switch;

use fresh::Run;

/// The name that files say of parameters without a name.
pub const UNNAMED: &str = "unnamed";

/// Parameters, and their name in files.
#[derive(Debug, Clone, Copy)]
pub struct NamedParams<'p> {
    /// The parameters.
    pub params: &'p Arc<Params>,
    /// The name of their set, or [`UNNAMED`].
    pub name: &'p str,
    /// The largest array of ciphertexts that is read, in bytes of memory: it may be a hundred times as large as its
    /// file. `None` for any.
    pub max_bytes: Option<u64>,
}

impl<'p> From<&'p Arc<Params>> for NamedParams<'p> {
    fn from(params: &'p Arc<Params>) -> Self {
        Self { params, name: UNNAMED, max_bytes: None }
    }
}

impl Stored<NamedParams<'_>> for SecretKey {
    const KIND: &'static str = kinds::TFHE_SECRET_KEY;
    type Error = Error;

    /// The key as its seed, in a file that only its owner may read.
    fn to_container<'a>(&self, NamedParams { name, .. }: &NamedParams<'_>) -> Result<Builder<'a>, Error> {
        let mut builder = begin(Self::KIND, name, self.params(), self.id());
        builder.tensor("seed", &[32], self.seed().as_bytes().to_vec());
        builder.keep_secret();
        erase_stack();
        Ok(builder)
    }

    fn from_container(NamedParams { params, .. }: &NamedParams<'_>, container: &Container) -> Result<Self, Error> {
        let id = check(params, container, Self::KIND)?;
        let key = Self::from_seed(Arc::clone(params), &Seed::copy_of(container.bytes_of_len("seed", 32)?))?;
        require("secret_id", key.id().0, id.0, id.0)?;
        Ok(key)
    }
}

/// The seed of a public key's masks.
const PUBLIC_MASK_SEED: &str = "mask_seed";

impl Stored<NamedParams<'_>> for PublicKey {
    const KIND: &'static str = kinds::TFHE_PUBLIC_KEY;
    type Error = Error;

    fn to_container<'a>(&self, NamedParams { name, .. }: &NamedParams<'_>) -> Result<Builder<'a>, Error> {
        let mut builder = begin(Self::KIND, name, self.params(), self.id());
        add_public_key(&mut builder, self);
        Ok(builder)
    }

    /// # Errors
    /// [`Error::NoPublicKey`] for parameters that have none.
    fn from_container(NamedParams { params, .. }: &NamedParams<'_>, container: &Container) -> Result<Self, Error> {
        read_public_key(params, check(params, container, Self::KIND)?, container)
    }
}

/// Adds a public key: its bodies, and the seed of its masks.
fn add_public_key(builder: &mut Builder<'_>, public: &PublicKey) {
    let (params, key) = (public.params(), public.key());
    builder.describe_seed(PUBLIC_MASK_SEED, key.mask_seed().as_bytes());
    let bodies = key.bodies().iter().flatten().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    builder.tensor("bodies", &[params.rank(), 8 * params.n()], bodies);
}

/// Reads the public key of a secret, from wherever it stands.
fn read_public_key(params: &Arc<Params>, id: SecretId, container: &Container) -> Result<PublicKey, Error> {
    let bodies = words(container.bytes_of_len("bodies", 8 * params.rank() * params.n())?);
    let mask_seed = Seed::from_bytes(container.seed(PUBLIC_MASK_SEED)?);
    PublicKey::from_parts(Arc::clone(params), id, mask_seed, &bodies)
}

impl Stored<NamedParams<'_>> for SeededEvalKeys {
    const KIND: &'static str = kinds::TFHE_EVALUATION_KEY;
    type Error = Error;

    fn to_container<'a>(&self, NamedParams { name, .. }: &NamedParams<'_>) -> Result<Builder<'a>, Error> {
        let mut builder = begin(Self::KIND, name, self.params(), self.id());
        put_eval_keys(&mut builder, self);
        Ok(builder)
    }

    fn from_container(NamedParams { params, .. }: &NamedParams<'_>, container: &Container) -> Result<Self, Error> {
        let id = check(params, container, Self::KIND)?;
        take_eval_keys(params, id, container)
    }
}

/// Keys that are ready for use are stored as the seeds and bodies that they are made of.
macro_rules! stored_as_seeded {
    ($($kept:ty: $seeded:ty),*) => {$(
        impl Stored<NamedParams<'_>> for $kept {
            const KIND: &'static str = <$seeded>::KIND;
            type Error = Error;

            fn to_container<'a>(&self, params: &NamedParams<'_>) -> Result<Builder<'a>, Error> {
                self.seeded().to_container(params)
            }

            fn from_container(params: &NamedParams<'_>, container: &Container) -> Result<Self, Error> {
                <$seeded>::from_container(params, container).map(Self::new)
            }
        }
    )*};
}

stored_as_seeded!(
    KeptEvalKeys: SeededEvalKeys, KeptCircuitKey: SeededCircuitKey, KeptCompressionKey: SeededCompressionKey,
    KeptPackingKey: SeededPackingKey, KeptRingSwitchKey: SeededRingSwitchKey
);

/// Bits, or integers of a few bits, of one secret.
impl Stored<NamedParams<'_>> for Vec<Ciphertext> {
    const KIND: &'static str = kinds::TFHE_CIPHERTEXT;
    type Error = Error;

    /// # Errors
    /// [`crate::ObjectError::OtherSecret`] for ciphertexts of different secrets.
    fn to_container<'a>(&self, NamedParams { params, name, .. }: &NamedParams<'_>) -> Result<Builder<'a>, Error> {
        rows_to_container(Self::KIND, params, self, name)
    }

    fn from_container(named: &NamedParams<'_>, container: &Container) -> Result<Self, Error> {
        rows_from_container(Self::KIND, named.into(), container)
    }
}

/// The rows of their blocks, and their width.
impl Stored<NamedParams<'_>> for UintArray {
    const KIND: &'static str = kinds::TFHE_UINT_ARRAY;
    type Error = Error;

    fn to_container<'a>(&self, NamedParams { params, name, .. }: &NamedParams<'_>) -> Result<Builder<'a>, Error> {
        let mut builder = rows_to_container(Self::KIND, params, self.blocks(), name)?;
        builder.describe_json("object", &UintEntry { width_bits: self.width().bits() });
        Ok(builder)
    }

    /// # Errors
    /// [`Error::WrongSpace`] for parameters without integers of 8 to 64 bits.
    fn from_container(named: &NamedParams<'_>, container: &Container) -> Result<Self, Error> {
        let (op, params) = ("read", named.params);
        let blocks = rows_from_container(Self::KIND, named.into(), container)?;
        let text = container.metadata("object")?;
        let width =
            serde_json::from_str(text).ok().and_then(|entry: UintEntry| Width::from_bits(entry.width_bits).ok());
        let Some(width) = width else { return refuse("object", text, "a width of 8, 16, 32, 64, 128 or 256 bits") };
        let array = Self::from_blocks(op, Radix::of(op, params.space)?, width, blocks);
        array.or_else(|error| refuse("blocks", error, "digits of whole integers"))
    }
}

/// The rows of their blocks.
impl Stored<NamedParams<'_>> for BoolArray {
    const KIND: &'static str = kinds::TFHE_BOOL_ARRAY;
    type Error = Error;

    fn to_container<'a>(&self, NamedParams { params, name, .. }: &NamedParams<'_>) -> Result<Builder<'a>, Error> {
        rows_to_container(Self::KIND, params, self.blocks(), name)
    }

    /// # Errors
    /// [`Error::WrongSpace`] for parameters without integers of 8 to 64 bits.
    fn from_container(named: &NamedParams<'_>, container: &Container) -> Result<Self, Error> {
        let (op, params) = ("read", named.params);
        let blocks = rows_from_container(Self::KIND, named.into(), container)?;
        Radix::of(op, params.space)?;
        Self::from_blocks(op, blocks).or_else(|error| refuse("blocks", error, "0 or 1"))
    }
}

/// Adds evaluation keys to a container, whose last tensor theirs is.
fn put_eval_keys(builder: &mut Builder<'_>, keys: &SeededEvalKeys) {
    let params = keys.params();
    builder.describe_seed("bootstrap_mask_seed", keys.bootstrap.mask_seed.as_bytes());
    for (key, name) in keys.key_switches().zip(key_switch_names(params)) {
        builder.describe_seed(&mask_seed_of(&name), key.mask_seed.as_bytes());
    }
    let mut bodies = packed::to_bytes(params.scheme(), &keys.bootstrap.bodies);
    bodies.resize(bodies.len().next_multiple_of(ALIGNMENT), 0);
    builder.tensor("bootstrap", &[bodies.len()], bodies);
    for (key, name) in keys.key_switches().zip(key_switch_names(params)) {
        let mut bodies: Vec<u8> = key.bodies.iter().flat_map(|word| word.to_le_bytes()).collect();
        bodies.resize(stored_len(&name, bodies.len()), 0);
        builder.tensor(name, &[bodies.len()], bodies);
    }
}

/// The evaluation keys in a container.
fn take_eval_keys(params: &Arc<Params>, id: SecretId, container: &Container) -> Result<SeededEvalKeys, Error> {
    let (scheme, count) = (params.scheme(), params.scheme().body_count() * params.n());
    let stored = [scheme.stored_bits(), scheme.body_bits()].map(|bits| packed::stored_len(count, bits));
    // Earlier versions wrote words of NTRU's as they are in memory.
    let is_whole = container.bytes("bootstrap")?.len() == stored[1];
    let bits = if is_whole { scheme.body_bits() } else { scheme.stored_bits() };
    let bytes = container.bytes_of_len("bootstrap", packed::stored_len(count, bits))?;
    let bodies = packed::from_bytes(scheme, bits, &bytes[..(count * bits as usize).div_ceil(8)], count)?;
    let key_switch = |(name, step): (String, SwitchStep)| -> Result<_, Error> {
        let len = step.shape.body_len();
        let bytes = container.bytes_of_len(&name, stored_len(&name, len * 4))?;
        let bodies = bytes.as_chunks().0.iter().take(len).map(|&word| u32::from_le_bytes(word)).collect();
        Ok(SeededKeySwitchKey { mask_seed: Seed::from_bytes(container.seed(&mask_seed_of(&name))?), bodies })
    };
    let key_switches = key_switch_names(params).zip(params.switches()).map(key_switch);
    let mut landings = key_switches.collect::<Result<Vec<_>, _>>()?;
    let key_switch = landings.pop().expect("one key switch at least");
    let mask_seed = Seed::from_bytes(container.seed("bootstrap_mask_seed")?);
    let bootstrap = SeededBootstrapKey { mask_seed, bodies };
    SeededEvalKeys::from_parts(Arc::clone(params), id, bootstrap, landings, key_switch)
}

/// The last of the key-switch keys.
const LAST_SWITCH: &str = "key_switch";

/// Bytes of a key-switch key in a file. What follows another tensor is aligned, so zeros fill up all but the last.
fn stored_len(name: &str, len: usize) -> usize {
    if name == LAST_SWITCH { len } else { len.next_multiple_of(ALIGNMENT) }
}

/// The names of key-switch keys in files, in the keys' order.
fn key_switch_names(params: &Params) -> impl Iterator<Item = String> {
    let landings = (0..params.landings.len()).map(|i| format!("key_switch_to_landing_{i}"));
    landings.chain([LAST_SWITCH.to_string()])
}

fn mask_seed_of(key: &str) -> String {
    format!("{key}_mask_seed")
}

/// The tensor of fresh ciphertexts.
const FRESH: &str = "fresh";

/// The entry of a file of integers: their width.
#[derive(Serialize, Deserialize)]
struct UintEntry {
    width_bits: u32,
}

fn rows_to_container<'a>(kind: &str, params: &Params, all: &[Ciphertext], name: &str) -> Result<Builder<'a>, Error> {
    // An empty array belongs to no secret.
    let id = all.first().map_or(SecretId(0), Ciphertext::key);
    all.iter().try_for_each(|ciphertext| require_secret("save", "ciphertext", ciphertext.key(), id))?;
    let mut builder = begin_ciphertexts(kind, name, params, id);
    let runs = Run::all(all, params.n());
    let rows: Vec<&Ciphertext> = runs.iter().filter(|run| run.is_rows()).flat_map(|run| run.of_array(all)).collect();
    if rows.len() < all.len() || all.is_empty() {
        let bytes = fresh::to_bytes(&runs, all, !rows.is_empty());
        builder.tensor(FRESH, &[bytes.len()], bytes);
        if rows.is_empty() {
            return Ok(builder);
        }
    }
    let mut bytes = Vec::with_capacity(rows.len() * row_len(params));
    let (mut noise, mut history) = (Vec::new(), Vec::new());
    for ciphertext in &rows {
        let (worst, names) = ciphertext.noise().failures().parts();
        let words = [names.len() as u64, worst.to_bits()];
        words.iter().chain(names).for_each(|word| history.extend(word.to_le_bytes()));
        let terms = ciphertext.noise().terms();
        let ends = [ciphertext.max_value(), terms.len() as u64];
        ciphertext.lwe().words().iter().chain(&ends).for_each(|word| bytes.extend(word.to_le_bytes()));
        for term in terms {
            let words = [term.source, term.factor.to_bits(), term.variance.to_bits()];
            words.iter().for_each(|word| noise.extend(word.to_le_bytes()));
        }
    }
    // Tensors are aligned: rows of zeros fill up.
    noise.resize(noise.len().next_multiple_of(ALIGNMENT / 8 * NOISE_ROW), 0);
    history.resize(history.len().next_multiple_of(ALIGNMENT), 0);
    builder.tensor("noise", &[noise.len() / NOISE_ROW, NOISE_ROW], noise);
    builder.tensor("history", &[history.len()], history);
    builder.tensor("ciphertexts", &[rows.len(), row_len(params)], bytes);
    Ok(builder)
}

/// The ciphertexts in a container, which earlier versions wrote as rows, all of them.
fn rows_from_container(kind: &str, reading: Reading<'_>, container: &Container) -> Result<Vec<Ciphertext>, Error> {
    let id = check(reading.params, container, kind)?;
    let Ok(bytes) = container.bytes(FRESH) else { return rows(reading, id, container) };
    let rows = if container.bytes("ciphertexts").is_ok() { rows(reading, id, container)? } else { Vec::new() };
    fresh::from_bytes(reading, id, bytes, rows)
}

/// Parameters of ciphertexts that are read, and the bytes of memory that these may take, if there is a limit.
#[derive(Debug, Clone, Copy)]
struct Reading<'p> {
    params: &'p Params,
    max_bytes: Option<u64>,
}

impl<'p> From<&NamedParams<'p>> for Reading<'p> {
    fn from(named: &NamedParams<'p>) -> Self {
        Self { params: named.params, max_bytes: named.max_bytes }
    }
}

impl Reading<'_> {
    /// Refuses as many ciphertexts as the caller doesn't take, or as memory has no room for, before there are any.
    fn require_room(self, count: usize) -> Result<(), Error> {
        let footprint = self.params.ciphertexts_footprint(count);
        match self.max_bytes.filter(|&max| footprint.held > max) {
            Some(expected) => Err(Error::TooLarge { found: footprint.held, expected }),
            None => Ok(require_memory("load", footprint)?),
        }
    }
}

/// The rows in a container.
fn rows(reading: Reading<'_>, id: SecretId, container: &Container) -> Result<Vec<Ciphertext>, Error> {
    let params = reading.params;
    let (bytes, len) = (container.bytes("ciphertexts")?, row_len(params));
    if bytes.is_empty() || !bytes.len().is_multiple_of(len) {
        return refuse("length of ciphertexts", bytes.len(), format!("a multiple of {len}"));
    }
    reading.require_room(bytes.len() / len)?;
    let max = params.space.max();
    let mut noise = container.bytes("noise")?;
    let history = container.bytes("history").ok().map(words);
    let mut history = history.as_deref();
    let one = |row: &[u8]| -> Result<Ciphertext, Error> {
        let mut words = words(row);
        let terms = words.pop().unwrap_or_default();
        let max_value = words.pop().unwrap_or_default();
        if max_value > max {
            return refuse("max_value", max_value, format!("at most {max}"));
        }
        let rows = noise.len() / NOISE_ROW;
        let Some((own, rest)) =
            usize::try_from(terms).ok().filter(|&n| n <= rows).map(|n| noise.split_at(n * NOISE_ROW))
        else {
            return refuse("rows of noise", terms, format!("at most {rows}"));
        };
        noise = rest;
        let terms = own.chunks_exact(NOISE_ROW).map(noise_term).collect::<Result<Vec<_>, _>>()?;
        let noise = NoiseSum::from_terms(terms).after(match &mut history {
            Some(rest) => failures(rest)?,
            None => FailureBound::unknown(),
        });
        Ok(Ciphertext::from_parts(Lwe::from_words(words), id, noise, max_value))
    };
    let all = bytes.chunks_exact(len).map(one).collect::<Result<_, _>>()?;
    require("noise of no ciphertext", noise.iter().any(|&byte| byte != 0), false, false)?;
    require("history of no ciphertext", history.unwrap_or_default().iter().any(|&word| word != 0), false, false)?;
    Ok(all)
}

/// Takes the next ciphertext's failures off a history.
fn failures(history: &mut &[u64]) -> Result<FailureBound, Error> {
    let [len, worst, rest @ ..] = *history else {
        return refuse("words of history", history.len(), "two or more for each ciphertext");
    };
    let Some((names, rest)) = usize::try_from(*len).ok().and_then(|len| rest.split_at_checked(len)) else {
        return refuse("names of history", len, format!("at most {}", rest.len()));
    };
    *history = rest;
    let worst = f64::from_bits(*worst);
    let bound = FailureBound::from_parts(worst, names.to_vec());
    bound.map_or_else(|| refuse("history", format!("{worst} of {len}"), "a probability, and names in order"), Ok)
}

fn noise_term(row: &[u8]) -> Result<NoiseTerm, Error> {
    let words = words(row);
    let (source, factor, variance) = (words[0], f64::from_bits(words[1]), f64::from_bits(words[2]));
    if !factor.is_finite() {
        return refuse("factor", factor, "a number");
    }
    if !(variance.is_finite() && variance >= 0.0) {
        return refuse("variance", variance, "zero or more");
    }
    Ok(NoiseTerm { source, factor, variance })
}

fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect()
}

/// Bytes of one error: its name, factor and variance.
const NOISE_ROW: usize = 3 * 8;

/// Bytes of one ciphertext: mask, body, largest value, errors.
fn row_len(params: &Params) -> usize {
    8 * (params.ciphertext_dim() + 3)
}

/// The entry of the literal.
const LITERAL: &str = "params";

/// A container with its set's name and literal, the fingerprint, and the secret's name.
fn begin<'a>(kind: &str, name: &str, params: &Params, id: SecretId) -> Builder<'a> {
    let mut builder = begin_compact(kind, name, params, id);
    builder.describe_json(LITERAL, params.literal());
    builder
}

/// As [`begin`], without the literal of a named set: it is longer than a fresh ciphertext.
fn begin_ciphertexts<'a>(kind: &str, name: &str, params: &Params, id: SecretId) -> Builder<'a> {
    if sets::find(name).is_ok_and(|set| set.literal() == *params.literal()) {
        return begin_compact(kind, name, params, id);
    }
    begin(kind, name, params, id)
}

/// As [`begin`], without the literal.
fn begin_compact<'a>(kind: &str, name: &str, params: &Params, id: SecretId) -> Builder<'a> {
    let mut builder = Builder::new(kind);
    builder.describe("parameters", name);
    builder.describe_number("fingerprint", params.fingerprint());
    builder.describe_number("secret_id", id.0);
    builder
}

/// Adds the literal to a file's metadata without one: that of the set that they name, if it has their fingerprint.
pub fn add_literal(metadata: &mut BTreeMap<String, String>) {
    if metadata.contains_key(LITERAL) {
        return;
    }
    let literal = metadata.get("parameters").and_then(|name| sets::find(name).ok()).map(NamedSet::literal);
    let fingerprint = metadata.get("fingerprint").and_then(|text| number_from_text(text));
    if let (Some(literal), Some(fingerprint)) = (literal, fingerprint)
        && literal.fingerprints().all().contains(&fingerprint)
    {
        metadata.insert(LITERAL.into(), serde_json::to_string(&literal).expect("numbers and names are JSON"));
    }
}

/// Checks kind, parameters and every byte, and gives the secret's name.
fn check(params: &Params, container: &Container, kind: &str) -> Result<SecretId, Error> {
    container.check(kind, params.fingerprints().all())?;
    container.verify()?;
    Ok(SecretId(container.number("secret_id")?))
}
