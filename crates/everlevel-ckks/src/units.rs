//! Vectors longer than the slots: several plaintexts or ciphertexts that are computed on as one.
//!
//! Unit `k` of a vector holds its values `k·slot_count ..`. Every operation on [`Units`] is the operation on each unit:
//! rotations act inside units, and two operands have equally many. The units of a ciphertext have one level, scale,
//! secret, error estimate and number of polynomials, which operations keep and [`Units::stack`] establishes.

use std::ops::ControlFlow;

use everlevel_objects::require_units;
use num_complex::Complex64;

use crate::checks::require_one_place;
use crate::claims::{Bound, Estimate};
use crate::{Ciphertext, Context, Error, Plaintext, Progress, PublicKey, SecretKey};

/// At least one plaintext or ciphertext.
#[derive(Debug, Clone)]
pub struct Units<T>(Vec<T>);

impl<T> From<T> for Units<T> {
    fn from(unit: T) -> Self {
        Self(vec![unit])
    }
}

impl<T> Units<T> {
    /// The units of a vector, or `None` if there are none.
    pub(crate) fn new(units: Vec<T>) -> Option<Self> {
        (!units.is_empty()).then_some(Self(units))
    }

    /// Every unit, in order.
    pub fn all(&self) -> &[T] {
        &self.0
    }

    /// The first unit, whose level, scale and secret are every unit's.
    pub fn first(&self) -> &T {
        &self.0[0]
    }

    /// The number of units: at least 1.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// `f` of each unit.
    ///
    /// # Errors
    /// The first that `f` returns.
    pub fn try_map<U>(&self, f: impl FnMut(&T) -> Result<U, Error>) -> Result<Units<U>, Error> {
        self.0.iter().map(f).collect::<Result<_, _>>().map(Units)
    }

    /// `f` of each unit, whose progress is part of the whole's.
    ///
    /// # Errors
    /// The first that `f` returns.
    pub fn try_map_reporting<U>(
        &self,
        progress: Progress,
        f: impl Fn(&T, Progress) -> Result<U, Error>,
    ) -> Result<Units<U>, Error> {
        let count = self.count();
        let unit = |(at, unit): (usize, &T)| {
            let of_all = |done: usize, total: usize| -> ControlFlow<()> { progress(at * total + done, count * total) };
            f(unit, &of_all)
        };
        self.0.iter().enumerate().map(unit).collect::<Result<_, _>>().map(Units)
    }

    /// `f` of all units at once, whose results are as many.
    ///
    /// # Errors
    /// That which `f` returns.
    ///
    /// # Panics
    /// If `f` returns another number of results.
    pub fn try_together<U>(&self, f: impl FnOnce(&[&T]) -> Result<Vec<U>, Error>) -> Result<Units<U>, Error> {
        let all: Vec<&T> = self.0.iter().collect();
        let results = f(&all)?;
        assert_eq!(results.len(), self.count(), "a result for each unit");
        Ok(Units(results))
    }

    /// Each unit with the other vector's.
    ///
    /// # Errors
    /// Another number of units.
    pub fn zip<'a, V>(&'a self, op: &'static str, other: &'a Units<V>) -> Result<Units<(&'a T, &'a V)>, Error> {
        require_units(op, self.count(), other.count())?;
        Ok(Units(self.0.iter().zip(&other.0).collect()))
    }

    /// `f` of each unit and the other vector's.
    ///
    /// # Errors
    /// Another number of units, and the first error that `f` returns.
    pub fn try_zip<U, V>(
        &self,
        op: &'static str,
        other: &Units<V>,
        mut f: impl FnMut(&T, &V) -> Result<U, Error>,
    ) -> Result<Units<U>, Error> {
        self.zip(op, other)?.try_map(|(a, b)| f(a, b))
    }

    /// Each unit as a vector of its own.
    pub fn split(&self) -> Vec<Self>
    where
        T: Clone,
    {
        self.0.iter().cloned().map(Self::from).collect()
    }
}

impl<T> Units<Vec<T>> {
    /// From several results for each unit to vectors of each result.
    pub fn transposed(self) -> Vec<Units<T>> {
        let mut columns: Vec<Vec<T>> = Vec::new();
        for unit in self.0 {
            columns.resize_with(unit.len(), Vec::new);
            columns.iter_mut().zip(unit).for_each(|(column, x)| column.push(x));
        }
        columns.into_iter().map(Units).collect()
    }
}

impl Units<Plaintext> {
    /// This vector, whose values are real numbers, or may not be.
    #[must_use]
    pub fn on_reals(self, is_real: bool) -> Self {
        Self(self.0.into_iter().map(|unit| unit.on_reals(is_real)).collect())
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.0.iter().map(Plaintext::nbytes).sum()
    }
}

impl Units<Ciphertext> {
    /// The bound of all units: the largest, since their padding differs.
    pub fn bound(&self) -> Bound {
        self.0.iter().fold(self.first().bound(), |most, unit| most.largest(unit.bound()))
    }

    /// The bound of the encrypted values, without padding.
    pub fn bound_of_values(&self) -> Bound {
        self.first().estimate().bound_of_values()
    }

    /// The least of the units' [`Ciphertext::precision_bits`]; NaN where one is unknown.
    pub fn precision_bits(&self) -> f64 {
        self.least(Ciphertext::precision_bits)
    }

    /// The least of the units' [`Ciphertext::precision_floor`]; NaN where one is unknown.
    pub fn precision_floor(&self) -> f64 {
        self.least(Ciphertext::precision_floor)
    }

    fn least(&self, bits: impl Fn(&Ciphertext) -> f64) -> f64 {
        let all = self.0.iter().map(bits);
        all.fold(f64::INFINITY, |least, bits| if bits.is_nan() || least.is_nan() { f64::NAN } else { least.min(bits) })
    }

    /// This vector, of which a circuit knows a smaller bound by what it computes.
    pub fn within(self, size: f64) -> Self {
        Self(self.0.into_iter().map(|unit| unit.within(size)).collect())
    }

    /// This vector, of whose values a circuit knows where they lie, by what it computes.
    #[must_use]
    pub fn between(self, low: f64, high: f64) -> Self {
        Self(self.0.into_iter().map(|unit| unit.between(low, high)).collect())
    }

    /// This vector as a quotient: a product with an inverse that is rounded to a double.
    #[must_use]
    pub fn quotient(self) -> Self {
        Self(self.0.into_iter().map(Ciphertext::quotient).collect())
    }

    /// Vector with a further error in its estimates: up to `worst`, with a root mean square of `typical`.
    #[must_use]
    pub fn deviating(self, worst: f64, typical: f64) -> Self {
        Self(self.0.into_iter().map(|unit| unit.deviating(worst, typical)).collect())
    }

    /// This vector, of which the caller knows whether its values are real numbers.
    #[must_use]
    pub fn on_reals(self, is_real: bool) -> Self {
        Self(self.0.into_iter().map(|unit| unit.on_reals(is_real)).collect())
    }

    /// This vector, of which the caller claims that its values are real numbers of a size, whatever the padding is.
    #[must_use]
    pub fn claimed_within(self, size: f64) -> Self {
        Self(self.0.into_iter().map(|unit| unit.claimed_within(size)).collect())
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.0.iter().map(Ciphertext::nbytes).sum()
    }

    /// One vector of the units of several. The largest of their bounds and error estimates become all units'.
    ///
    /// # Errors
    /// No ciphertexts; different levels, secrets, parameters, places or numbers of polynomials.
    pub fn stack(vectors: &[&Self]) -> Result<Self, Error> {
        let op = "vstack";
        let units: Vec<Ciphertext> = vectors.iter().flat_map(|v| v.all()).cloned().collect();
        let Some(first) = units.first().cloned() else {
            let needed = "at least 1".to_string();
            return Err(Error::Parameter { what: "number of ciphertexts", found: "0".into(), needed });
        };
        require_one_place(op, &units)?;
        for unit in &units {
            first.origin().require(op, "ciphertext", unit.origin())?;
            if unit.polynomial_count() != first.polynomial_count() {
                return Err(Error::NotRelinearized { op, found: 3 });
            }
            let shape = |c: &Ciphertext| format!("{} slots at level {}", c.slot_count(), c.level());
            if shape(unit) != shape(&first) {
                let needed = format!("{}, as the first", shape(&first));
                return Err(Error::Parameter { what: "a stacked ciphertext", found: shape(unit), needed });
            }
        }
        let estimate = Estimate::largest(units.iter().map(Ciphertext::estimate)).unwrap_or(first.estimate().clone());
        let stacked = |unit: Ciphertext| {
            let estimate = estimate.apart().padded(unit.estimate().padding().cloned());
            unit.with_estimate(estimate)
        };
        Ok(Self(units.into_iter().map(stacked).collect()))
    }
}

impl Context {
    /// Encodes any number of values, `slot_count` in each unit; the last is followed by zeros.
    ///
    /// # Errors
    /// As [`Context::encode`].
    pub fn encode_units(&self, values: &[Complex64], level: usize) -> Result<Units<Plaintext>, Error> {
        let units = self.per_unit(values);
        let footprint = self.encoding_footprint(units.count(), level)?;
        self.with_limbs("encode", footprint, || units.try_map(|part| self.encode(part, level)))
    }

    /// Encrypts every unit with a public key.
    ///
    /// # Errors
    /// As [`Context::encrypt`].
    pub fn encrypt_units(&self, units: &Units<Plaintext>, key: &PublicKey) -> Result<Units<Ciphertext>, Error> {
        self.encrypt_each(units, |unit| self.encrypt(unit, key))
    }

    /// Encrypts every unit with the secret key.
    ///
    /// # Errors
    /// As [`Context::encrypt_with_secret`].
    pub fn encrypt_units_with_secret(
        &self,
        units: &Units<Plaintext>,
        key: &SecretKey,
    ) -> Result<Units<Ciphertext>, Error> {
        self.encrypt_each(units, |unit| self.encrypt_with_secret(unit, key))
    }

    fn encrypt_each(
        &self,
        units: &Units<Plaintext>,
        encrypt: impl Fn(&Plaintext) -> Result<Ciphertext, Error>,
    ) -> Result<Units<Ciphertext>, Error> {
        let op = "encrypt";
        self.check_plaintext(op, units.first())?;
        let footprint = self.encryption_footprint(units.count(), units.first().level)?;
        self.with_limbs(op, footprint, || units.try_map(encrypt))
    }

    /// [`Context::declare`] of each unit.
    ///
    /// # Errors
    /// As [`Context::declare`].
    pub fn declare_units(&self, plaintext: Units<Plaintext>, bound: Bound) -> Result<Units<Plaintext>, Error> {
        let before = |at: usize, error: Error| match error {
            Error::BeyondBound { op, index, size, bound } => {
                Error::BeyondBound { op, index: at * self.slot_count() + index, size, bound }
            }
            Error::BeyondInterval { op, index, value, low, high } => {
                Error::BeyondInterval { op, index: at * self.slot_count() + index, value, low, high }
            }
            error => error,
        };
        let declare = |(at, unit)| self.declare(unit, bound).map_err(|error| before(at, error));
        plaintext.0.into_iter().enumerate().map(declare).collect::<Result<_, _>>().map(Units)
    }

    /// The values of each unit.
    pub fn per_unit<'v>(&self, values: &'v [Complex64]) -> Units<&'v [Complex64]> {
        // No values are one unit's, which says that it is empty.
        Units::new(values.chunks(self.slot_count()).collect()).unwrap_or_else(|| values.into())
    }

    /// The values of every unit, one after the other.
    ///
    /// # Errors
    /// As [`Context::decode`].
    pub fn decode_units(&self, plaintext: &Units<Plaintext>) -> Result<Vec<Complex64>, Error> {
        Ok(plaintext.try_map(|unit| self.decode(unit))?.0.concat())
    }
}
