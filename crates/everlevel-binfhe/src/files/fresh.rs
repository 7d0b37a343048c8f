//! Fresh ciphertexts in files, as a seed, or the first one's mask, and bodies.
//!
//! *Runs.* An array is cut into runs of neighbours: rows, which are told in full; ciphertexts at neighbouring places of
//! one seed; and those whose masks turn, `X` times each the next, as a public key's list has them. A run of the last
//! two kinds has one largest value and one variance, and no bootstraps behind it: noise that is a single error.
//!
//! *Words.* The number of runs, and above 32 bits that of seeds; for each run its kind, largest value (from bit 8) and
//! seed (from bit 32), its first place and length (from bit 32), and its variance; the seeds, of four words each; and
//! for each run the mask that turns, and bodies. Zeros follow where other tensors do.

use std::sync::Arc;

use everlevel_io::ALIGNMENT;
use everlevel_io::schema::refuse;
use everlevel_rand::Seed;
use everlevel_rlwe::SecretId;
use everlevel_rlwe::lwe::MaskAddress;

use super::Reading;
use crate::noise_sum::name;
use crate::{Ciphertext, Error, Lwe, NoiseSum};

/// Origin of a run's masks.
#[derive(Debug, Clone)]
enum Source {
    /// Nothing: rows.
    Rows,
    /// A seed, and the first one's place.
    Seed(MaskAddress),
    /// The first one's mask, which turns.
    List,
}

/// Neighbours in an array.
#[derive(Debug, Clone)]
pub(super) struct Run {
    source: Source,
    /// The first one's place in the array.
    start: usize,
    len: usize,
    max_value: u64,
    variance: f64,
}

/// The variance of a ciphertext whose noise is the single error that came with its mask.
fn fresh_variance(x: &Ciphertext) -> Option<f64> {
    let [term] = x.noise().terms() else { return None };
    let is_own = term.factor == 1.0 && term.source == name(x.lwe().mask());
    (is_own && x.noise().failures().parts().1.is_empty()).then_some(term.variance)
}

/// A mask of whole polynomials times `X`.
fn turned(mask: &[u64], n: usize) -> Vec<u64> {
    let times_x = |poly: &[u64]| [&[poly[n - 1].wrapping_neg()][..], &poly[..n - 1]].concat();
    mask.chunks_exact(n).flat_map(times_x).collect()
}

/// Whether a mask of whole polynomials is another one times `X`.
fn turns(mask: &[u64], next: &[u64], n: usize) -> bool {
    let mut polys = mask.chunks_exact(n).zip(next.chunks_exact(n));
    mask.len().is_multiple_of(n)
        && polys.all(|(poly, next)| next[0] == poly[n - 1].wrapping_neg() && next[1..] == poly[..n - 1])
}

impl Run {
    fn of(start: usize, x: &Ciphertext) -> Self {
        let variance = fresh_variance(x);
        let source = match (variance, x.lwe().address()) {
            (None, _) => Source::Rows,
            (_, Some(address)) => Source::Seed(address.clone()),
            _ => Source::List,
        };
        Self { source, start, len: 1, max_value: x.max_value(), variance: variance.unwrap_or_default() }
    }

    /// Whether the run that begins with the ciphertext behind it goes on this one.
    fn goes_on(&self, next: &Self, all: &[Ciphertext], n: usize) -> bool {
        let alike = self.max_value == next.max_value && self.variance.to_bits() == next.variance.to_bits();
        match (&self.source, &next.source) {
            (Source::Rows, Source::Rows) => true,
            (Source::Seed(a), Source::Seed(b)) => {
                let same = Arc::ptr_eq(&a.seed, &b.seed) || a.seed.as_bytes() == b.seed.as_bytes();
                alike && same && a.place.checked_add(self.len as u64) == Some(b.place)
            }
            (Source::List, Source::List) => {
                alike && turns(all[next.start - 1].lwe().mask(), all[next.start].lwe().mask(), n)
            }
            _ => false,
        }
    }

    /// The runs of an array.
    pub(super) fn all(all: &[Ciphertext], n: usize) -> Vec<Self> {
        let mut runs: Vec<Self> = Vec::new();
        for next in all.iter().enumerate().map(|(i, x)| Self::of(i, x)) {
            match runs.last_mut() {
                Some(run) if run.len < u32::MAX as usize && run.goes_on(&next, all, n) => run.len += 1,
                _ => runs.push(next),
            }
        }
        for run in &mut runs {
            let far = matches!(&run.source, Source::Seed(address) if address.place > u32::MAX.into());
            // A mask alone is a row.
            if far || (matches!(run.source, Source::List) && run.len == 1) {
                run.source = Source::Rows;
            }
        }
        runs
    }

    /// Whether the run is rows.
    pub(super) fn is_rows(&self) -> bool {
        matches!(self.source, Source::Rows)
    }

    /// The run's ciphertexts.
    pub(super) fn of_array<'c>(&self, all: &'c [Ciphertext]) -> &'c [Ciphertext] {
        &all[self.start..self.start + self.len]
    }
}

/// The bytes of runs; `padded` where other tensors follow.
pub(super) fn to_bytes(runs: &[Run], all: &[Ciphertext], padded: bool) -> Vec<u8> {
    let (mut seeds, mut heads, mut data): (Vec<&Arc<Seed>>, Vec<u64>, Vec<u64>) = Default::default();
    for run in runs {
        let of_run = run.of_array(all);
        let (kind, seed, place) = match &run.source {
            Source::Rows => (ROWS, 0, 0),
            Source::Seed(MaskAddress { seed, place }) => {
                if seeds.last().is_none_or(|last| last.as_bytes() != seed.as_bytes()) {
                    seeds.push(seed);
                }
                (SEED, seeds.len() as u64 - 1, *place)
            }
            Source::List => {
                data.extend(of_run[0].lwe().mask());
                (LIST, 0, 0)
            }
        };
        let first = kind | (run.max_value << 8) | (seed << 32);
        heads.extend([first, place | ((run.len as u64) << 32), run.variance.to_bits()]);
        if !run.is_rows() {
            data.extend(of_run.iter().map(|x| x.lwe().body()));
        }
    }
    let counts = runs.len() as u64 | ((seeds.len() as u64) << 32);
    let seeds = seeds.into_iter().flat_map(|seed| super::words(seed.as_bytes()));
    let words = [counts].into_iter().chain(heads).chain(seeds).chain(data);
    let mut bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
    if padded {
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
    }
    bytes
}

const ROWS: u64 = 0;
const SEED: u64 = 1;
const LIST: u64 = 2;

/// The array of these runs and rows.
pub(super) fn from_bytes(
    reading: Reading<'_>,
    id: SecretId,
    bytes: &[u8],
    rows: Vec<Ciphertext>,
) -> Result<Vec<Ciphertext>, Error> {
    if !bytes.len().is_multiple_of(8) {
        return refuse("length of fresh", bytes.len(), "a multiple of 8");
    }
    let words = super::words(bytes);
    let mut rest = Rest(&words);
    let (run_count, seed_count) = halves(rest.take(1)?[0]);
    let heads = rest.take(3 * run_count)?.as_chunks::<3>().0;
    let seed = |words: &[u64; 4]| {
        let mut bytes = [0; 32];
        bytes.iter_mut().zip(words.iter().flat_map(|word| word.to_le_bytes())).for_each(|(to, from)| *to = from);
        Arc::new(Seed::from_bytes(bytes))
    };
    let seeds: Vec<Arc<Seed>> = rest.take(4 * seed_count)?.as_chunks::<4>().0.iter().map(seed).collect();
    // Each has a body at least, or a row: no more are promised than the file has.
    let count: usize = heads.iter().map(|head| halves(head[1]).1).fold(0, usize::saturating_add);
    if count > rest.0.len() + rows.len() {
        return refuse("ciphertexts", count, format!("at most {}, as many as bodies", rest.0.len() + rows.len()));
    }
    reading.require_room(count)?;
    let params = reading.params;
    let (dim, n, max) = (params.ciphertext_dim(), params.n(), params.space.max());
    let (mut all, mut rows) = (Vec::with_capacity(count), rows.into_iter());
    for &[head, places, variance] in heads {
        let ((kind_and_value, seed), (place, len)) = (halves(head), halves(places));
        let (kind, max_value, variance) = (head & 0xff, (kind_and_value >> 8) as u64, f64::from_bits(variance));
        if max_value > max {
            return refuse("max_value", max_value, format!("at most {max}"));
        }
        if !(variance.is_finite() && variance >= 0.0) {
            return refuse("variance", variance, "zero or more");
        }
        let mut push = |lwe: Lwe| {
            let noise = NoiseSum::of(&lwe, variance);
            all.push(Ciphertext::from_parts(lwe, id, noise, max_value));
        };
        match kind {
            ROWS if rows.len() >= len => all.extend(rows.by_ref().take(len)),
            SEED if seed < seeds.len() => {
                for (place, &body) in (place as u64..).zip(rest.take(len)?) {
                    let address = MaskAddress { seed: Arc::clone(&seeds[seed]), place };
                    push(Lwe::expand(address, dim, body));
                }
            }
            LIST if dim.is_multiple_of(n) => {
                let mut mask = rest.take(dim)?.to_vec();
                for &body in rest.take(len)? {
                    push(Lwe::from_words([mask.as_slice(), &[body]].concat()));
                    mask = turned(&mask, n);
                }
            }
            _ => return refuse("runs", kind, "rows, seeds and lists that follow"),
        }
    }
    if rows.next().is_some() || rest.0.iter().any(|&word| word != 0) {
        return refuse("runs", "fewer ciphertexts than follow", "all of them");
    }
    if all.is_empty() && run_count > 0 {
        return refuse("runs", run_count, "none of an empty array");
    }
    Ok(all)
}

/// The lower and the upper 32 bits.
fn halves(word: u64) -> (usize, usize) {
    (word as u32 as usize, (word >> 32) as usize)
}

/// Words that are not read yet.
struct Rest<'w>(&'w [u64]);

impl<'w> Rest<'w> {
    fn take(&mut self, len: usize) -> Result<&'w [u64], Error> {
        let Some((taken, rest)) = self.0.split_at_checked(len) else {
            return refuse("words of fresh", self.0.len(), format!("{len} more"));
        };
        self.0 = rest;
        Ok(taken)
    }
}
