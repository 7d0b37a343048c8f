//! Messages of 1 to 8 bits: linear combinations for free, tables by bootstrapping.

use crate::ciphertext::wrong_space;
use crate::gates::same_length;
use crate::params::Space;
use crate::{Ciphertext, Error, EvalKeys, Lut, Lwe, NoiseSum};

impl EvalKeys {
    /// The largest integer of the space.
    ///
    /// # Errors
    /// [`Error::WrongSpace`] for parameters of bits.
    pub fn max_integer(&self) -> Result<u64, Error> {
        match self.params().space {
            Space::Integer { bits } => Ok((1 << bits) - 1),
            Space::Bit => Err(wrong_space("max_integer", Space::Bit, "integers")),
        }
    }

    /// `constant + Σ factor·x`, without a bootstrap. The variances of independent errors add with the squares of their factors.
    ///
    /// # Errors
    /// [`Error::WrongSpace`], [`Error::ForeignObject`], [`Error::SpaceExhausted`] where a value that the operands may hold gives a result outside the
    /// space, above or below zero.
    pub fn linear(&self, terms: &[(i64, &Ciphertext)], constant: i64) -> Result<Ciphertext, Error> {
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
        let mut lwe = Lwe::trivial(self.params().ciphertext_dim(), self.encode(constant as u64));
        terms.iter().for_each(|&(factor, x)| lwe.add_multiple(&x.lwe, factor));
        let noise = NoiseSum::combination(terms.iter().map(|&(factor, x)| (factor as f64, &x.noise)));
        Ok(Ciphertext { lwe, key: self.id(), noise, max_value: high as u64 })
    }

    /// `a + b`.
    ///
    /// # Errors
    /// As [`EvalKeys::linear`].
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.linear(&[(1, a), (1, b)], 0)
    }

    /// A table of each element: entry `m` is what `m` becomes.
    ///
    /// # Errors
    /// As [`EvalKeys::tables`].
    pub fn table(&self, x: &[Ciphertext], table: &[u64]) -> Result<Vec<Ciphertext>, Error> {
        let out = self.tables(x, std::slice::from_ref(&table.to_vec()))?;
        Ok(out.into_iter().flatten().collect())
    }

    /// Several tables of each element, from one rotation: output `[i][t]` is table `t` of element `i`.
    ///
    /// # Errors
    /// [`Error::WrongSpace`], [`Error::TableLength`] unless every table has an entry for each integer of the space, [`Error::TableCount`],
    /// [`Error::ValueOutOfSpace`], [`Error::ForeignObject`], and [`Error::NoiseExhausted`] where an element's noise is too large for a bootstrap with
    /// so many tables: the more of them, the coarser the modulus switch.
    pub fn tables(&self, x: &[Ciphertext], tables: &[Vec<u64>]) -> Result<Vec<Vec<Ciphertext>>, Error> {
        let op = "tables";
        self.max_integer()?;
        let lut = Lut::from_messages(self.params(), tables)?;
        for x in x {
            self.check(op, "operand", x)?;
            self.check_noise(op, x.variance_torus(), lut.log2_stride())?;
        }
        let inputs: Vec<Lwe> = x.iter().map(|x| x.lwe.clone()).collect();
        let out = self.bootstrap(&inputs, &vec![&lut; x.len()]);
        let wrap = |((lwe, noise), table): ((Lwe, NoiseSum), &Vec<u64>)| {
            let max_value = table.iter().copied().max().unwrap_or(0);
            Ciphertext { lwe, key: self.id(), noise, max_value }
        };
        Ok(out.into_iter().map(|all| all.into_iter().zip(tables).map(wrap).collect()).collect())
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

    fn encode(&self, value: u64) -> u64 {
        match self.params().space {
            Space::Integer { bits } => value.wrapping_shl(63 - bits),
            Space::Bit => unreachable!("integers are checked for first"),
        }
    }
}
