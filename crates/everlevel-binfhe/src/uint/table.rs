//! Look-up tables of blocks, the only bootstraps that operations on integers do: many inputs, each with its own table,
//! in one pass over the key.
//!
//! **Mirrored** tables have a condition `c ∈ {0, 1}`, which takes no room among the messages: outcomes are `f(x)` for 0
//! and `K − f(x)` for 1, for a sum `K` of the table. The condition is encrypted as half a turn of the torus, a **half**
//! that a table gives ([`Integers::half_table`]), and is added to the input ([`Integers::mirrored`]). Half a turn more
//! makes a blind rotation give the opposite of what it gives otherwise; entries are `f(x) − K/2`, and `K/2` is added to
//! what comes out. Halves add up to the exclusive or of their conditions.
//!
//! **Signed** inputs are sums that may be below zero ([`Integers::signed_sum`]), by less than the number of messages:
//! `−x` is half a turn, and as much less than the number of messages. A mirrored table gives one outcome above zero,
//! another below, and any at zero; an **odd** one gives `f(x)`, and `−f` below zero, as a signed input of the next.

use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Integers, UintArray};
use everlevel_rlwe::lwe::DIGEST_DIM;

use crate::{Ciphertext, Error, Lut, Lwe, NoiseSum, NoiseTerm};

/// A function of a message, as the list of its values.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Table {
    entries: Vec<u64>,
    form: Form,
}

/// The form of a table's outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Form {
    /// Messages.
    Plain,
    /// Half a turn of the torus for 1.
    Half,
    /// Messages `f(x)`, or this sum less `f(x)`.
    Mirrored { sum: u64 },
    /// Messages `f(x)`, and their negatives for inputs below zero.
    Odd,
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

impl Integers<'_> {
    /// The table of `f`, whose values must be messages for every message, reachable or not.
    pub(super) fn table(&self, f: impl Fn(u64) -> u64) -> Table {
        Table { entries: (0..=self.radix.max()).map(f).collect(), form: Form::Plain }
    }

    /// The table of a condition as half a turn of the torus.
    pub(super) fn half_table(&self, f: impl Fn(u64) -> bool) -> Table {
        Table { form: Form::Half, ..self.table(|x| u64::from(f(x))) }
    }

    /// The table of `f`, and of `sum − f` for inputs with a half whose condition is 1.
    pub(super) fn mirrored_table(&self, sum: u64, f: impl Fn(u64) -> u64) -> Table {
        Table { form: Form::Mirrored { sum }, ..self.table(f) }
    }

    /// The table of `f`, and of `−f` for signed inputs below zero and for inputs with a half whose condition is 1.
    pub(super) fn odd_table(&self, f: impl Fn(u64) -> u64) -> Table {
        Table { form: Form::Odd, ..self.table(f) }
    }

    /// The table of a signed input's sign, times a weight.
    pub(super) fn sign_table(&self, weight: u64) -> Table {
        self.odd_table(|x| if x == 0 { 0 } else { weight })
    }

    /// The table of what an order with zero comes to, for signed inputs.
    pub(super) fn order_table(&self, outcome: impl Fn(Ordering) -> u64) -> Table {
        let (zero, above) = (outcome(Ordering::Equal), outcome(Ordering::Greater));
        self.mirrored_table(above + outcome(Ordering::Less), |x| if x == 0 { zero } else { above })
    }

    /// `Σ factor·x + constant`, which may be below zero. All that it can be is to be smaller in size than the number of
    /// messages, by what the caller knows of the terms.
    pub(super) fn signed_sum(&self, terms: &[(i64, &Ciphertext)], constant: i64) -> Result<Ciphertext, Error> {
        let free: Vec<Ciphertext> = terms.iter().map(|&(_, x)| Ciphertext { max_value: 0, ..x.clone() }).collect();
        let factors = terms.iter().map(|&(factor, _)| factor);
        let mut sum = self.linear(&factors.zip(&free).collect::<Vec<_>>(), 0)?;
        sum.lwe.add_plain((constant as u64).wrapping_mul(self.keys.params().space.encode(1)));
        Ok(Ciphertext { max_value: self.radix.max(), ..sum })
    }

    /// The input of a mirrored table.
    pub(super) fn mirrored<'a>(
        &self,
        x: &'a Ciphertext,
        halves: impl IntoIterator<Item = &'a Ciphertext>,
    ) -> Result<Ciphertext, Error> {
        Ok(Ciphertext { max_value: x.max_value, ..self.sum([x].into_iter().chain(halves))? })
    }

    /// A half in the clear.
    pub(super) fn half(&self, condition: u64) -> Ciphertext {
        let mut half = self.plain(0);
        half.lwe.add_plain(condition << 63);
        Ciphertext { max_value: 1, ..half }
    }

    /// The table of `f(a, b)` for inputs that [`Integers::pair`] makes.
    pub(super) fn table2(&self, f: impl Fn(u64, u64) -> u64) -> Table {
        let base = self.radix.base();
        self.table(|x| if x < base * base { f(x / base, x % base) } else { 0 })
    }

    /// Looks each input up in its table. Outputs know the largest value that their input can give. A job takes no
    /// bootstrap if its input is public, or if its table gives the same for every value that the input may have.
    /// Neighbouring jobs of the same input share a bootstrap where their tables fit side by side.
    pub(super) fn look_up(&self, op: &'static str, jobs: &[(Ciphertext, &Table)]) -> Result<Vec<Ciphertext>, Error> {
        for (x, _) in jobs {
            self.keys.check_noise(op, x.variance_torus(), 0)?;
        }
        let mut out: Vec<Option<Ciphertext>> = jobs.iter().map(|job| self.known(job)).collect();
        let mut rotations: Vec<Vec<usize>> = Vec::new();
        for i in (0..jobs.len()).filter(|&i| out[i].is_none()) {
            let len = jobs[i].0.max_value as usize + 1;
            match rotations.last_mut() {
                Some(last)
                    if (last.len() + 1) * len <= self.radix.size() && self.are_equal(&jobs[last[0]].0, &jobs[i].0) =>
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
            let bits = self.radix.space_bits;
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
            lwe.add_plain(table.words(self.radix.space_bits).1);
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

    /// `constant + Σ factor·x`, without a bootstrap: [`crate::EvalKeys::linear`]. In a dry run, masks are only as long
    /// as it takes to tell them apart.
    pub(super) fn linear(&self, terms: &[(i64, &Ciphertext)], constant: i64) -> Result<Ciphertext, Error> {
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

    /// Whether two inputs are the same ciphertext.
    fn are_equal(&self, a: &Ciphertext, b: &Ciphertext) -> bool {
        if self.meter.dry { a.lwe.digest() == b.lwe.digest() } else { a.lwe == b.lwe }
    }

    /// One table for every input.
    pub(super) fn map(
        &self,
        op: &'static str,
        inputs: Vec<Ciphertext>,
        table: &Table,
    ) -> Result<Vec<Ciphertext>, Error> {
        self.look_up(op, &inputs.into_iter().map(|x| (x, table)).collect::<Vec<_>>())
    }

    /// Every table's outcome for each input, table by table: those that fit side by side share a bootstrap.
    pub(super) fn map_all<const N: usize>(
        &self,
        op: &'static str,
        inputs: &[Ciphertext],
        tables: [&Table; N],
    ) -> Result<[Vec<Ciphertext>; N], Error> {
        let jobs: Vec<_> = inputs.iter().flat_map(|x| tables.map(|table| (x.clone(), table))).collect();
        let found = self.look_up(op, &jobs)?;
        Ok(std::array::from_fn(|place| found.iter().skip(place).step_by(N).cloned().collect()))
    }

    /// `M·a + b`.
    pub(super) fn pair(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.linear(&[(self.radix.base() as i64, a), (1, b)], 0)
    }

    /// `M·a + b` of all blocks.
    pub(super) fn pairs(&self, op: &'static str, a: &UintArray, b: &UintArray) -> Result<Vec<Ciphertext>, Error> {
        self.settled(op, &a.blocks, self.radix.base())?.iter().zip(&b.blocks).map(|(a, b)| self.pair(a, b)).collect()
    }

    /// `Σ x`.
    pub(super) fn sum<'a>(&self, terms: impl IntoIterator<Item = &'a Ciphertext>) -> Result<Ciphertext, Error> {
        self.linear(&terms.into_iter().map(|x| (1, x)).collect::<Vec<_>>(), 0)
    }

    /// A sum that is known to be a digit.
    pub(super) fn digit_sum(&self, terms: &[Ciphertext]) -> Result<Ciphertext, Error> {
        Ok(Ciphertext { max_value: self.radix.base() - 1, ..self.sum(terms)? })
    }

    /// Whether a table fails no more often than it may, for an input of this variance plus that of a bootstrap's
    /// output.
    pub(super) fn is_quiet(&self, variance: f64) -> bool {
        let one = self.keys.params().noise().bootstrapped;
        self.keys.check_noise("is_quiet", variance + one, 0).is_ok()
    }

    /// The terms in groups whose sums are messages and have no more noise than a table takes.
    pub(super) fn groups(&self, terms: Vec<Ciphertext>) -> Vec<Vec<Ciphertext>> {
        let mut groups: Vec<(Vec<Ciphertext>, u64, NoiseSum)> = Vec::new();
        for term in terms {
            if let Some((group, max_value, noise)) = groups.last_mut() {
                let sum = NoiseSum::combination([(1.0, &*noise), (1.0, term.noise())]);
                if *max_value + term.max_value <= self.radix.max()
                    && self.keys.check_noise("groups", sum.variance_torus(), 0).is_ok()
                {
                    (*max_value, *noise) = (*max_value + term.max_value, sum);
                    group.push(term);
                    continue;
                }
            }
            groups.push((vec![term.clone()], term.max_value, term.noise().clone()));
        }
        groups.into_iter().map(|(group, ..)| group).collect()
    }

    /// The blocks, after bootstraps of those whose noise, multiplied by `factor`, would be too much beside another
    /// block's.
    pub(super) fn settled(
        &self,
        op: &'static str,
        blocks: &[Ciphertext],
        factor: u64,
    ) -> Result<Vec<Ciphertext>, Error> {
        let (square, one) = ((factor as f64).powi(2), self.keys.params().noise().bootstrapped);
        let noisy = |x: &Ciphertext| {
            let variance = x.variance_torus();
            variance > one && !self.is_quiet(square * variance + one)
        };
        let which: Vec<usize> = (0..blocks.len()).filter(|&i| noisy(&blocks[i])).collect();
        let mut blocks = blocks.to_vec();
        let fresh = self.map(op, which.iter().map(|&i| blocks[i].clone()).collect(), &self.table(|x| x))?;
        which.into_iter().zip(fresh).for_each(|(i, block)| blocks[i] = block);
        Ok(blocks)
    }
}
