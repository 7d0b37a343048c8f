//! Blocks of TFHE, with the keys of one secret: what all operations on integers are made of here.
//!
//! Bootstraps are done in one pass over the key.
//!
//! **Mirrored** tables have a condition `c ∈ {0, 1}`, which takes no room among the messages: outcomes are `f(x)` for 0
//! and `K − f(x)` for 1, for a sum `K` of the table. The condition is encrypted as half a turn of the torus, a **half**
//! that a table gives, and is added to the input ([`Blocks::mirrored`]). Half a turn more
//! makes a blind rotation give the opposite of what it gives otherwise; entries are `f(x) − K/2`, and `K/2` is added to
//! what comes out. Halves add up to the exclusive or of their conditions.
//!
//! **Signed** inputs are the same: `−x` is half a turn, and as much less than the number of messages.

use std::hash::{DefaultHasher, Hash, Hasher};

use everlevel_rlwe::lwe::DIGEST_DIM;

use super::blocks::{Block, Blocks, Form, Table};
use super::meter::Meter;
use crate::{Ciphertext, Error, EvalKeys, Lut, Lwe, NoiseSum, NoiseTerm};

/// The time that the first bootstrap of a pass over the key takes longer than each later one, as a part of the later
/// one's.
const FIRST_OF_A_PASS: f64 = 0.4;
/// Digits that are compared one after the other: so many signs are left that groups of these are done together.
const CHAIN: usize = 4;

/// The keys of a secret, which bootstrap blocks of integers of so many bits, and a count of what is done.
#[derive(Debug)]
pub struct KeyedBlocks<'k> {
    pub(super) keys: &'k EvalKeys,
    pub(super) space_bits: u32,
    pub(super) meter: Meter<'k>,
}

impl Block for Ciphertext {
    fn max_value(&self) -> u64 {
        self.max_value
    }

    fn at_most(self, max_value: u64) -> Self {
        Self { max_value, ..self }
    }
}

impl Blocks for KeyedBlocks<'_> {
    type Block = Ciphertext;
    type Error = Error;

    const HAS_PRODUCTS: bool = false;

    fn space_bits(&self) -> u32 {
        self.space_bits
    }

    fn check(&self, op: &'static str, what: &'static str, block: &Ciphertext) -> Result<(), Error> {
        self.keys.check(op, what, block)
    }

    fn plain(&self, value: u64) -> Ciphertext {
        let dim = if self.meter.dry { DIGEST_DIM } else { self.keys.params().ciphertext_dim() };
        let lwe = Lwe::trivial(dim, self.keys.params().space.encode(value));
        Ciphertext { lwe, key: self.keys.id(), noise: NoiseSum::default(), max_value: value }
    }

    fn public(&self, block: &Ciphertext) -> Option<u64> {
        let (lwe, shift) = (block.lwe(), 63 - self.space_bits);
        let value = lwe.body() >> shift;
        // Files may hold any body.
        let is_message = value << shift == lwe.body() && value <= block.max_value;
        (is_message && lwe.mask().iter().all(|&word| word == 0)).then_some(value)
    }

    /// [`EvalKeys::linear`]. In a dry run, masks are only as long as it takes to tell them apart.
    fn linear(&self, terms: &[(i64, &Ciphertext)], constant: i64) -> Result<Ciphertext, Error> {
        if !self.meter.dry {
            return self.keys.linear(terms, constant);
        }
        self.keys.linear_as(terms, constant, || {
            let mut sum = Lwe::trivial(DIGEST_DIM, self.keys.params().space.encode(constant as u64)).digest();
            for (factor, x) in terms {
                let digest = x.lwe.digest();
                sum.iter_mut().zip(digest).for_each(|(x, y)| *x = x.wrapping_add(y.wrapping_mul(*factor as u64)));
            }
            Lwe::from_words(sum.to_vec())
        })
    }

    fn signed_sum(&self, terms: &[(i64, &Ciphertext)], constant: i64) -> Result<Ciphertext, Error> {
        let free: Vec<Ciphertext> = terms.iter().map(|&(_, x)| Ciphertext { max_value: 0, ..x.clone() }).collect();
        let factors = terms.iter().map(|&(factor, _)| factor);
        let mut sum = self.linear(&factors.zip(&free).collect::<Vec<_>>(), 0)?;
        sum.lwe.add_plain((constant as u64).wrapping_mul(self.keys.params().space.encode(1)));
        Ok(Ciphertext { max_value: self.max_signed(), ..sum })
    }

    fn max_signed(&self) -> u64 {
        (1 << self.space_bits) - 1
    }

    /// Neighbouring jobs of the same input share a bootstrap where their tables fit side by side.
    fn look_up(&self, op: &'static str, jobs: &[(Ciphertext, &Table)]) -> Result<Vec<Ciphertext>, Error> {
        for (x, _) in jobs {
            self.keys.check_noise(op, x.variance_torus(), 0)?;
        }
        let mut out: Vec<Option<Ciphertext>> = jobs.iter().map(|job| self.known(job)).collect();
        let mut rotations: Vec<Vec<usize>> = Vec::new();
        for i in (0..jobs.len()).filter(|&i| out[i].is_none()) {
            let len = jobs[i].0.max_value as usize + 1;
            match rotations.last_mut() {
                Some(last)
                    if (last.len() + 1) * len <= 1 << self.space_bits
                        && self.are_equal(&jobs[last[0]].0, &jobs[i].0) =>
                {
                    last.push(i);
                }
                _ => rotations.push(vec![i]),
            }
        }
        if !rotations.is_empty() {
            self.meter.start_round();
        }
        // Equal steps of whole passes over the key on every thread.
        let step = rotations.len().div_ceil(rotations.len().div_ceil(self.slice_len()).max(1)).max(1);
        for rotations in rotations.chunks(step) {
            let results = self.bootstrap(jobs, rotations)?;
            rotations.iter().flatten().zip(results).for_each(|(&i, result)| out[i] = Some(result));
            self.meter.add(op, rotations.len())?;
        }
        Ok(out.into_iter().flatten().collect())
    }

    fn takes(&self, terms: &[&Ciphertext], fresh: u32) -> bool {
        let noise = NoiseSum::combination(terms.iter().map(|term| (1.0, term.noise())));
        let one = self.keys.params().noise().bootstrapped;
        self.keys.check_noise("takes", noise.variance_torus() + f64::from(fresh) * one, 0).is_ok()
    }

    fn is_settled(&self, block: &Ciphertext, factor: u64) -> bool {
        let (square, one) = ((factor as f64).powi(2), self.keys.params().noise().bootstrapped);
        let variance = block.variance_torus();
        variance <= one || self.keys.check_noise("is_settled", square * variance + one + one, 0).is_ok()
    }

    fn choose(&self, _: &'static str, _: &Ciphertext, _: [&Ciphertext; 2]) -> Result<Ciphertext, Error> {
        unreachable!("no products")
    }

    fn mirrored(&self, x: &Ciphertext, halves: &[&Ciphertext]) -> Result<Ciphertext, Error> {
        let terms: Vec<_> = [x].iter().chain(halves).map(|&term| (1, term)).collect();
        Ok(Ciphertext { max_value: x.max_value, ..self.linear(&terms, 0)? })
    }

    fn slice_len(&self) -> usize {
        self.keys.slice_len(1)
    }

    fn round_time(&self, jobs: usize) -> f64 {
        let each = jobs.div_ceil(rayon::current_num_threads());
        each as f64 + FIRST_OF_A_PASS * each.div_ceil(self.keys.bootstrap_key().batch_len()) as f64
    }

    fn chain_len(&self, _: usize) -> usize {
        CHAIN
    }
}

impl Table {
    /// The largest outcome for inputs of at most `max_value`.
    fn max(&self, max_value: u64) -> u64 {
        let largest = |&entry: &u64| match self.form {
            Form::Plain | Form::Half | Form::Odd => entry,
            Form::Mirrored { sum } => entry.max(sum.saturating_sub(entry)),
        };
        self.entries.iter().take(max_value as usize + 1).map(largest).max().unwrap_or(0)
    }

    /// Entries as torus elements, and what is added to the outcomes, for messages of so many bits.
    fn words(&self, space_bits: u32) -> (Vec<u64>, u64) {
        let half_message = |halves: u64| halves.wrapping_shl(62 - space_bits);
        let word = |&entry: &u64| match self.form {
            Form::Plain | Form::Odd => half_message(2 * entry),
            Form::Half => entry << 63,
            Form::Mirrored { sum } => half_message((2 * entry).wrapping_sub(sum)),
        };
        let added = if let Form::Mirrored { sum } = self.form { half_message(sum) } else { 0 };
        (self.entries.iter().map(word).collect(), added)
    }
}

impl KeyedBlocks<'_> {
    /// A half in the clear.
    fn half(&self, condition: u64) -> Ciphertext {
        let mut half = self.plain(0);
        half.lwe.add_plain(condition << 63);
        Ciphertext { max_value: 1, ..half }
    }

    /// The table's outcome, if it is known without a bootstrap.
    fn known(&self, (x, table): &(Ciphertext, &Table)) -> Option<Ciphertext> {
        let reachable = &table.entries[..=x.max_value as usize];
        let is_constant = reachable.iter().all(|entry| *entry == reachable[0]);
        let entry = |x: &Ciphertext| self.public(x).map(|value| table.entries[value as usize]);
        // That of the input half a turn on.
        let opposite = || {
            let mut turned = x.clone();
            turned.lwe.add_plain(1 << 63);
            entry(&turned)
        };
        match table.form {
            Form::Plain if is_constant => Some(self.plain(reachable[0])),
            Form::Half if is_constant => Some(self.half(reachable[0])),
            Form::Plain => entry(x).map(|found| self.plain(found)),
            Form::Half => entry(x).map(|found| self.half(found)),
            Form::Mirrored { sum } if is_constant && 2 * reachable[0] == sum => Some(self.plain(reachable[0])),
            Form::Mirrored { sum } => {
                entry(x).or_else(|| opposite().map(|found| sum - found)).map(|found| self.plain(found))
            }
            Form::Odd => {
                let below = || self.signed_sum(&[(-1, &self.plain(opposite()?))], 0).ok();
                entry(x).map(|found| self.plain(found)).or_else(below)
            }
        }
    }

    /// The outputs of some rotations, each of which serves jobs of one input.
    fn bootstrap(&self, jobs: &[(Ciphertext, &Table)], rotations: &[Vec<usize>]) -> Result<Vec<Ciphertext>, Error> {
        let places = || rotations.iter().flatten();
        let rotated = if self.meter.dry {
            places().map(|&i| self.pretended(&jobs[i].0, jobs[i].1)).collect()
        } else {
            let input = |x: &Ciphertext| (x.lwe.clone(), x.noise.clone());
            let inputs: Vec<_> = rotations.iter().map(|places| input(&jobs[places[0]].0)).collect();
            let bits = self.space_bits;
            let lut = |places: &Vec<usize>| {
                let tables: Vec<Vec<u64>> = places.iter().map(|&i| jobs[i].1.words(bits).0).collect();
                let len = jobs[places[0]].0.max_value as usize + 1;
                Lut::torus_side_by_side(self.keys.params(), bits, &tables, len)
            };
            let luts: Vec<Lut> = rotations.iter().map(lut).collect::<Result<_, _>>()?;
            let rotated = self.keys.bootstrap(&inputs, &luts.iter().collect::<Vec<_>>());
            rotated.into_iter().flatten().collect::<Vec<_>>()
        };
        let wrap = |((mut lwe, noise), &i): ((Lwe, NoiseSum), &usize)| {
            let (x, table) = &jobs[i];
            lwe.add_plain(table.words(self.space_bits).1);
            Ciphertext { lwe, key: self.keys.id(), noise, max_value: table.max(x.max_value) }
        };
        Ok(rotated.into_iter().zip(places()).map(wrap).collect())
    }

    /// A stand-in for a bootstrap's output in a dry run: its mask isn't zero, and equal inputs with equal tables have
    /// equal stand-ins.
    fn pretended(&self, x: &Ciphertext, table: &Table) -> (Lwe, NoiseSum) {
        let mut hasher = DefaultHasher::new();
        (x.lwe.digest(), table).hash(&mut hasher);
        let source = hasher.finish();
        let mut words = vec![0; DIGEST_DIM + 1];
        words[0] = source | 1;
        let variance = self.keys.params().noise().bootstrapped;
        (Lwe::from_words(words), NoiseSum::from_terms([NoiseTerm { source, factor: 1.0, variance }]))
    }

    /// Whether two inputs are the same ciphertext.
    fn are_equal(&self, a: &Ciphertext, b: &Ciphertext) -> bool {
        if self.meter.dry { a.lwe.digest() == b.lwe.digest() } else { a.lwe == b.lwe }
    }
}
