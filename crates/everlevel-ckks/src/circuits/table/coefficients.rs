//! Integers as coefficients on the torus, for TFHE and from it (`docs/notes/ways.md`).

use everlevel_objects::Origin;
use everlevel_ring::{Coeff, Eval, Poly};
use everlevel_rlwe::{Rlwe, SecretId};

use super::noise::{TableNoise, numbers_on_torus};
use super::space::Space;
use crate::ciphertext::Identity;
use crate::circuits::evaluator::Circuits;
use crate::claims::{Bound, Certainty, Claims, Estimate};
use crate::{Ciphertext, Context, Error, Method, Progress, Units};

/// A ciphertext of the ring's degree on the torus, 64-bit words whose phase is `c0 + c1·s`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TorusCiphertext {
    /// The part without the secret.
    pub c0: Vec<u64>,
    /// The part that is multiplied by it.
    pub c1: Vec<u64>,
}

/// Integers on the torus: ciphertexts, the id of their secret, and the number of units, of which each has two.
#[derive(Debug, Clone, Copy)]
pub struct TorusSource<'a> {
    /// The ciphertexts.
    pub all: &'a [TorusCiphertext],
    /// The id of their secret.
    pub secret_id: SecretId,
    /// Units of integers.
    pub units: usize,
}

impl Context {
    /// The coefficients of a ciphertext on the torus that hold the integers of two units, in their order.
    pub fn torus_places(&self) -> Vec<usize> {
        let (slots, half) = (self.slot_count(), self.core.ring.n() / 2);
        let unused = usize::BITS - slots.ilog2();
        let place = |slot: usize| slot.reverse_bits().checked_shr(unused).unwrap_or(0) * (half / slots);
        (0..2 * slots).map(|at| at / slots * half + place(at % slots)).collect()
    }
}

/// Bits of integers that numbers are spread over, at most.
const MAX_BITS: u32 = 8;
/// Probability that an error of a unit is beyond its certain bound.
const LEFT_OUT: f64 = 1.0 / (1u128 << 64) as f64;

/// Word of the torus that zero of a number is at, half of `p − 1`.
fn offset(size: usize) -> u64 {
    (1u64 << 62).wrapping_sub((1u64 << 62) / size as u64)
}

impl Circuits<'_> {
    /// Integers on the torus, as [`Circuits::to_torus`] has them, looked up in tables by a bootstrap that starts behind
    /// its SlotsToCoeffs: as [`Circuits::look_up`] of so many units, of which ciphertexts have two each. Tables are of
    /// one space, and their entries of another.
    ///
    /// # Errors
    /// As [`Circuits::look_up`]; other numbers of words than the ring's degree, or of ciphertexts than units have.
    pub fn look_up_torus(
        &self,
        op: &'static str,
        source: TorusSource<'_>,
        ([from, to], level): ([Space; 2], usize),
        tables: &[&[u64]],
        progress: Progress,
    ) -> Result<Vec<Units<Ciphertext>>, Error> {
        let series = |table: &&[u64]| Ok(from.series_of(&to.numbers(table, from.size())?));
        let series = tables.iter().map(series).collect::<Result<Vec<_>, Error>>()?;
        self.entries_of_torus(op, source, (from, level), &series, progress)
    }

    /// As [`Circuits::look_up_torus`], from one table of any real numbers from −1 to 1, to the highest level that there
    /// is, for integers of a normal error of a standard deviation, in units of their distance.
    ///
    /// # Errors
    /// As [`Circuits::look_up_torus`]; numbers beyond ±1; too few levels for the space.
    pub fn numbers_of_torus(
        &self,
        op: &'static str,
        source: TorusSource<'_>,
        (space, std_dev): (Space, f64),
        numbers: &[f64],
        progress: Progress,
    ) -> Result<Units<Ciphertext>, Error> {
        if numbers.len() != space.size() {
            let needed = format!("{}, one for each integer of the space", space.size());
            return Err(Error::parameter("number of entries of the table", numbers.len(), needed));
        }
        if let Some(number) = numbers.iter().find(|number| number.is_nan() || number.abs() > 1.0) {
            return Err(Error::parameter("entry of the table", number, "between -1 and 1"));
        }
        let level = self.context().max_level().saturating_sub(space.depth());
        let noise = TableNoise::new(self.bootstrapper(), space, level)?;
        let (worst, typical) = noise.number_after_torus(numbers, std_dev);
        let series = [space.series_of(numbers)];
        let found = self.entries_of_torus(op, source, (space, level), &series, progress)?.remove(0);
        found.try_map(|unit| Ok(unit.clone().deviating(worst, typical).on_reals(true)))
    }

    fn entries_of_torus(
        &self,
        op: &'static str,
        TorusSource { all, secret_id, units }: TorusSource<'_>,
        (space, level): (Space, usize),
        series: &[Vec<f64>],
        progress: Progress,
    ) -> Result<Vec<Units<Ciphertext>>, Error> {
        let (run, core) = (self.run(op, 1, progress), &self.context().core);
        let degree = core.ring.n();
        if let Some(x) = all.iter().find(|x| [x.c0.len(), x.c1.len()] != [degree; 2]) {
            return Err(Error::parameter("words of a ciphertext on the torus", x.c0.len(), degree.to_string()));
        }
        if units == 0 || all.len() != units.div_ceil(2) {
            let needed = format!("{} for {units} units", units.div_ceil(2));
            return Err(Error::parameter("number of ciphertexts on the torus", all.len(), needed));
        }
        let base = self.bootstrapper().tables().0.base.clone();
        let (prime, down) = (base.indices()[0], offset(space.size()));
        let q = u128::from(core.ring.modulus(prime).q());
        let residues = |words: &[u64], down: u64| {
            let mut poly: Poly<Coeff> = core.ring.zero(&base);
            // A word that is rounded up to the modulus is zero.
            let residue = |word: u64| ((u128::from(word) * q + (1 << 63)) >> 64) as u64 % q as u64;
            let limb = &mut poly.limbs_mut()[0];
            limb.iter_mut().zip(words).for_each(|(out, word)| *out = residue(word.wrapping_sub(down)));
            core.ring.to_eval(poly)
        };
        let origin = Origin { fingerprint: core.params.fingerprint(), secret_id };
        let ciphertext = |x: &TorusCiphertext| {
            let rlwe = Rlwe { c0: residues(&x.c0, down), c1: residues(&x.c1, 0) };
            let estimate = Estimate::fresh(Bound::declared(1.0)?, 0.0, core.next_sample());
            let claims = Claims::new(0, core.ladder.scales[0], estimate);
            Ok(Ciphertext::new(rlwe, None, claims, Identity { origin, slot_count: core.encoder.slots() }))
        };
        let bases = self.context().install(|_| all.iter().map(ciphertext).collect::<Result<Vec<_>, Error>>())?;
        self.keys().check(op, self.context(), &bases[0])?;
        self.keys().bootstrap.check_first(op)?;
        let waves = run.quarter_waves(level + space.depth(), (&bases, units))?.on_reals(true).within(1.0);
        self.entries(&run, &waves, series, level)
    }

    /// Integers of a space on the torus, where `m` of `p` is at `m/2p`: by SlotsToCoeffs alone, without a bootstrap. A
    /// ciphertext for each two units, whose integers are at [`Context::torus_places`].
    ///
    /// # Errors
    /// A level below the stage count; keys of another secret or without SlotsToCoeffs first; a cancellation.
    pub fn to_torus(
        &self,
        x: &Units<Ciphertext>,
        space: Space,
        progress: Progress,
    ) -> Result<Vec<TorusCiphertext>, Error> {
        self.coefficients("from_bulk", x, (space.size(), 1.0), progress)
    }

    /// Real numbers from −1 to 1 on the torus, spread over integers of so many bits: `x` is where an integer would be
    /// that is `(x + 1)/2·(2^bits − 1)`. Else as [`Circuits::to_torus`].
    ///
    /// # Errors
    /// As [`Circuits::to_torus`]; a declared bound above 1; other bits than 1 to 8.
    pub fn numbers_to_torus(
        &self,
        x: &Units<Ciphertext>,
        bits: u32,
        progress: Progress,
    ) -> Result<Vec<TorusCiphertext>, Error> {
        let op = "from_ckks";
        if !(1..=MAX_BITS).contains(&bits) {
            return Err(Error::parameter("bits of integers", bits, format!("between 1 and {MAX_BITS}")));
        }
        self.run(op, 1, progress).check_bound(x, 1.0)?;
        let size = 1 << bits;
        self.coefficients(op, x, (size, 1.0 - 1.0 / size as f64), progress)
    }

    /// A bound of the errors of coefficients of [`Circuits::numbers_to_torus`], in units of the distance between
    /// integers, by what is claimed of the numbers; and the probability that any is larger.
    pub fn error_of_numbers(&self, x: &Units<Ciphertext>, bits: u32) -> (f64, f64) {
        let (level, error) = (x.first().level(), x.first().estimate().worst_at(Certainty::Certain));
        let distance = 2.0 / (f64::from(bits).exp2() - 1.0);
        (numbers_on_torus(self.bootstrapper(), level, error) / distance, x.count() as f64 * LEFT_OUT)
    }

    fn coefficients(
        &self,
        op: &'static str,
        x: &Units<Ciphertext>,
        (size, share): (usize, f64),
        progress: Progress,
    ) -> Result<Vec<TorusCiphertext>, Error> {
        self.run(op, 1, progress).check_lossy(x)?;
        let x = x.clone().on_reals(true).within(1.0);
        let units: Vec<&Ciphertext> = x.all().iter().collect();
        let bases = self.bootstrapper().coefficients(op, (Method::Table, share), &units, self.keys(), progress)?;
        let offset = offset(size);
        let core = &self.context().core;
        let words = |part: Poly<Eval>| {
            let prime = part.set().indices()[0];
            let q = u128::from(core.ring.modulus(prime).q());
            let part = core.ring.to_coeff(part);
            let word = |&residue: &u64| (((u128::from(residue) << 64) + q / 2) / q) as u64;
            part.limb(prime).iter().map(word).collect::<Vec<u64>>()
        };
        let on_torus = |base: Rlwe| {
            let mut c0 = words(base.c0);
            c0.iter_mut().for_each(|word| *word = word.wrapping_add(offset));
            TorusCiphertext { c0, c1: words(base.c1) }
        };
        Ok(self.context().install(|_| bases.into_iter().map(on_torus).collect()))
    }
}
