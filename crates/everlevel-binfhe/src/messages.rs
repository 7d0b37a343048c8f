//! Arithmetic on encrypted messages of 1 to 8 bits, with [`EvalKeys`]: linear combinations for free, tables by
//! bootstrapping.

use crate::ciphertext::wrong_space;
use crate::common::Space;
use crate::gates::same_length;
use crate::{Ciphertext, Error, EvalKeys, Lut, Lwe, NoiseSum};

impl EvalKeys {
    /// The largest integer of the space.
    ///
    /// # Errors
    /// [`Error::WrongSpace`] for parameters of bits.
    pub fn max_integer(&self) -> Result<u64, Error> {
        match self.params().space {
            space @ Space::Integer { .. } => Ok(space.max()),
            Space::Bit => Err(wrong_space("max_integer", Space::Bit, "integers")),
        }
    }

    /// `constant + Σ factor·x`, without a bootstrap. The variances of independent errors add with the squares of their
    /// factors.
    ///
    /// # Errors
    /// [`Error::WrongSpace`], [`crate::ObjectError::OtherSecret`], [`Error::SpaceExhausted`] where a value that the
    /// operands may hold gives a result outside the space, above or below zero.
    pub fn linear(&self, terms: &[(i64, &Ciphertext)], constant: i64) -> Result<Ciphertext, Error> {
        self.linear_as(terms, constant, || {
            let mut lwe = Lwe::trivial(self.params().ciphertext_dim(), self.params().space.encode(constant as u64));
            terms.iter().for_each(|&(factor, x)| lwe.add_multiple(&x.lwe, factor));
            lwe
        })
    }

    /// [`EvalKeys::linear`] with an LWE ciphertext that the caller makes.
    pub(crate) fn linear_as(
        &self,
        terms: &[(i64, &Ciphertext)],
        constant: i64,
        lwe: impl FnOnce() -> Lwe,
    ) -> Result<Ciphertext, Error> {
        let op = "linear";
        let max = self.max_integer()?;
        let (mut low, mut high) = (i128::from(constant), i128::from(constant));
        for &(factor, x) in terms {
            self.check(op, "operand", x)?;
            let reach = i128::from(factor) * i128::from(x.max_value);
            (low, high) = (low + reach.min(0), high + reach.max(0));
        }
        if low < 0 || high > i128::from(max) {
            let max_value = if low < 0 { low.rem_euclid(i128::from(2 * max + 2)) } else { high };
            return Err(Error::SpaceExhausted { op, max_value: u64::try_from(max_value).unwrap_or(u64::MAX), max });
        }
        let noise = NoiseSum::combination(terms.iter().map(|&(factor, x)| (factor as f64, &x.noise)));
        Ok(Ciphertext { lwe: lwe(), key: self.id(), noise, max_value: high as u64 })
    }

    /// [`EvalKeys::linear`] of arrays, element by element.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`]; as [`EvalKeys::linear`].
    pub fn linear_all(&self, terms: &[(i64, &[Ciphertext])], constant: i64) -> Result<Vec<Ciphertext>, Error> {
        let len = terms.first().map_or(0, |(_, x)| x.len());
        terms.iter().try_for_each(|(_, x)| same_length("linear", len, x.len()))?;
        let at = |i: usize| terms.iter().map(|&(factor, x)| (factor, &x[i])).collect::<Vec<_>>();
        (0..len).map(|i| self.linear(&at(i), constant)).collect()
    }

    /// `factors·x + constants`, element by element, without a bootstrap.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`]; as [`EvalKeys::linear`].
    pub fn scale(&self, x: &[Ciphertext], factors: &[i64], constants: &[i64]) -> Result<Vec<Ciphertext>, Error> {
        same_length("linear", x.len(), factors.len())?;
        same_length("linear", x.len(), constants.len())?;
        x.iter().zip(factors).zip(constants).map(|((x, &f), &c)| self.linear(&[(f, x)], c)).collect()
    }

    /// `a + b`.
    ///
    /// # Errors
    /// As [`EvalKeys::linear`].
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.linear(&[(1, a), (1, b)], 0)
    }

    /// Looks each element up in a table: message `m` becomes entry `m`.
    ///
    /// # Errors
    /// As [`EvalKeys::tables`].
    pub fn table(&self, x: &[Ciphertext], table: &[u64]) -> Result<Vec<Ciphertext>, Error> {
        let out = self.tables(x, std::slice::from_ref(&table.to_vec()))?;
        Ok(out.into_iter().flatten().collect())
    }

    /// Several tables of each element, by as few rotations as the elements' largest value and their noise allow
    /// ([`Lut`] says how): output `[i][t]` is table `t` of element `i`.
    ///
    /// # Errors
    /// [`Error::WrongSpace`], [`Error::TableLength`] unless every table has an entry for each integer of the space,
    /// [`Error::TableCount`] for none, [`Error::ValueOutOfSpace`], [`crate::ObjectError::OtherSecret`], and
    /// [`Error::NoiseExhausted`] where an element's noise is too large for a bootstrap.
    pub fn tables(&self, x: &[Ciphertext], tables: &[Vec<u64>]) -> Result<Vec<Vec<Ciphertext>>, Error> {
        let op = "tables";
        self.max_integer()?;
        x.iter().try_for_each(|x| self.check(op, "operand", x))?;
        let variance = Ciphertext::max_variance_torus(x);
        let len = x.iter().map(|x| x.max_value as usize + 1).max().unwrap_or(1);
        let luts = self.luts(op, (variance, len), tables)?;
        let inputs: Vec<_> = x.iter().flat_map(|x| luts.iter().map(|_| (x.lwe.clone(), x.noise.clone()))).collect();
        let each: Vec<&Lut> = x.iter().flat_map(|_| &luts).collect();
        let mut out = self.bootstrap(&inputs, &each).into_iter();
        let wrap = |((lwe, noise), table): ((Lwe, NoiseSum), &Vec<u64>)| {
            let max_value = table.iter().take(len).copied().max().unwrap_or(0);
            Ciphertext { lwe, key: self.id(), noise, max_value }
        };
        let row = |_| out.by_ref().take(luts.len()).flatten().zip(tables).map(wrap).collect();
        Ok(x.iter().map(row).collect())
    }

    /// The tables for messages below `len`, in as few rotations as inputs of this variance have room for.
    fn luts(&self, op: &'static str, input: (f64, usize), tables: &[Vec<u64>]) -> Result<Vec<Lut>, Error> {
        let (variance, len) = input;
        let together = match Lut::side_by_side(self.params(), tables, len) {
            Err(Error::TableCount { .. }) => Lut::from_messages(self.params(), tables),
            lut => lut,
        };
        let checked = together.and_then(|lut| self.check_noise(op, variance, lut.log2_stride()).map(|()| lut));
        match checked {
            Err(Error::NoiseExhausted { .. } | Error::TableCount { .. }) if tables.len() > 1 => {
                let (left, right) = tables.split_at(tables.len() / 2);
                let mut luts = self.luts(op, input, left)?;
                luts.extend(self.luts(op, input, right)?);
                Ok(luts)
            }
            checked => Ok(vec![checked?]),
        }
    }

    /// `f(a, b)` of each pair, by a table of `a·(1 + max b) + b`, which must stay inside the space.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`]; as [`EvalKeys::linear`] and [`EvalKeys::tables`].
    pub fn bivariate(
        &self,
        a: &[Ciphertext],
        b: &[Ciphertext],
        f: impl Fn(u64, u64) -> u64,
    ) -> Result<Vec<Ciphertext>, Error> {
        same_length("bivariate", a.len(), b.len())?;
        let max = self.max_integer()?;
        let radix = b.iter().map(|b| b.max_value).max().unwrap_or(0) + 1;
        let top = a.iter().map(|a| a.max_value).max().unwrap_or(0);
        let pairs = a.iter().zip(b).map(|(a, b)| self.linear(&[(radix as i64, a), (1, b)], 0));
        let pairs: Vec<Ciphertext> = pairs.collect::<Result<_, _>>()?;
        // Pairs that can't occur give 0.
        let entry = |m: u64| if m / radix <= top { f(m / radix, m % radix) } else { 0 };
        self.table(&pairs, &(0..=max).map(entry).collect::<Vec<u64>>())
    }
}
