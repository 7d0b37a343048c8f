//! Methods of `Context` that encode, encrypt, decrypt and decode.

use everlevel_ckks as ckks;
use numpy::{Complex64, PyArray1};
use pyo3::prelude::*;

use super::Context;
use crate::call::{Slots, run, values};
use crate::objects::{Ciphertext, Plaintext, PublicKey, SecretKey};

/// A declaration of values by their encryptor.
#[derive(FromPyObject)]
enum Declared {
    /// Where real ones lie.
    Ends(f64, f64),
    /// Their largest size.
    Size(f64),
}

impl Declared {
    fn bound(self) -> Result<ckks::Bound, ckks::Error> {
        match self {
            Self::Ends(low, high) => ckks::Bound::declared_between(low, high),
            Self::Size(size) => ckks::Bound::declared(size),
        }
    }
}

#[pymethods]
impl Context {
    #[pyo3(signature = (slots, level, bound, is_real))]
    fn encode(&self, slots: Slots<'_>, level: usize, bound: Option<Declared>, is_real: bool) -> PyResult<Plaintext> {
        let slots = values(&slots)?;
        run(|| {
            let plaintext = self.0.encode_units(slots, level)?.on_reals(is_real);
            match bound {
                Some(bound) => self.0.declare_units(plaintext, bound.bound()?),
                None => Ok(plaintext),
            }
        })
        .map(Plaintext)
    }

    /// This plaintext with a declared bound.
    fn declare(&self, plaintext: &Plaintext, bound: Declared) -> PyResult<Plaintext> {
        run(|| self.0.declare_units(plaintext.0.clone(), bound.bound()?)).map(Plaintext)
    }

    /// These values, of which the caller claims a bound.
    fn assume_bound(&self, ciphertext: &Ciphertext, bound: f64) -> PyResult<Ciphertext> {
        let bound = || ckks::Bound::claimed(bound);
        run(|| ciphertext.0.try_map(|unit| self.0.assume_bound(unit, bound()?))).map(Ciphertext)
    }

    /// These values, of which the caller claims an interval.
    fn assume_between(&self, ciphertext: &Ciphertext, low: f64, high: f64) -> PyResult<Ciphertext> {
        let bound = || ckks::Bound::claimed_between(low, high);
        run(|| ciphertext.0.try_map(|unit| self.0.assume_bound(unit, bound()?))).map(Ciphertext)
    }

    /// These values, which are known to be within a bound where their operands were.
    fn within(&self, ciphertext: &Ciphertext, bound: f64) -> PyResult<Ciphertext> {
        run(|| Ok(ciphertext.0.clone().within(bound))).map(Ciphertext)
    }

    /// These values, which are known to lie in an interval where their operands were in theirs.
    fn between(&self, ciphertext: &Ciphertext, low: f64, high: f64) -> PyResult<Ciphertext> {
        run(|| Ok(ciphertext.0.clone().between(low, high))).map(Ciphertext)
    }

    /// Ciphertext of one unit, whose slots from a place on are known to hold zeros.
    fn zero_from(&self, ciphertext: &Ciphertext, place: usize) -> PyResult<Ciphertext> {
        run(|| Ok(ciphertext.0.first().clone().zero_from(place).into())).map(Ciphertext)
    }

    /// Ciphertext of one unit, in whose first slots are the values of another.
    fn valued_up_to(&self, ciphertext: &Ciphertext, count: usize, other: &Ciphertext) -> PyResult<Ciphertext> {
        run(|| Ok(ciphertext.0.first().clone().valued_up_to(count, other.0.first()).into())).map(Ciphertext)
    }

    /// Ciphertext with a further error in its estimate, at worst and in root mean square.
    fn deviating(&self, ciphertext: &Ciphertext, worst: f64, typical: f64) -> PyResult<Ciphertext> {
        run(|| Ok(ciphertext.0.clone().deviating(worst, typical))).map(Ciphertext)
    }

    /// These values, of which the caller claims that they are real numbers of a size, whatever the padding is.
    fn claim_within(&self, ciphertext: &Ciphertext, bound: f64) -> PyResult<Ciphertext> {
        run(|| Ok(ciphertext.0.clone().claimed_within(bound))).map(Ciphertext)
    }

    /// Values on a grid that may be given away, unit after unit, and log2 of the failure probability.
    fn release_on_grid<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Ciphertext,
        secret_key: &SecretKey,
        step: f64,
    ) -> PyResult<(Bound<'py, PyArray1<Complex64>>, f64)> {
        let released = run(|| ciphertext.0.try_map(|unit| self.0.release_on_grid(unit, &secret_key.0, step)))?;
        Ok((together(py, &released), released.first().log2_failure.unwrap_or(0.0)))
    }

    /// Flooded values that may be given away, unit after unit, and their precision.
    fn release_flooded<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Ciphertext,
        secret_key: &SecretKey,
        statistical_bits: f64,
    ) -> PyResult<(Bound<'py, PyArray1<Complex64>>, f64)> {
        let release = |unit: &_| self.0.release_flooded(unit, &secret_key.0, statistical_bits);
        let released = run(|| ciphertext.0.try_map(release))?;
        Ok((together(py, &released), released.first().precision_bits.unwrap_or(0.0)))
    }

    /// The size that values at a level stay below.
    fn room_at(&self, level: usize) -> Option<f64> {
        self.0.room_at(level)
    }

    fn decode<'py>(&self, py: Python<'py>, plaintext: &Plaintext) -> PyResult<Bound<'py, PyArray1<Complex64>>> {
        let slots = run(|| self.0.decode_units(&plaintext.0))?;
        Ok(PyArray1::from_vec(py, slots))
    }

    fn encrypt_public(&self, plaintext: &Plaintext, public_key: &PublicKey) -> PyResult<Ciphertext> {
        run(|| self.0.encrypt_units(&plaintext.0, &public_key.0)).map(Ciphertext)
    }

    fn encrypt_secret(&self, plaintext: &Plaintext, secret_key: &SecretKey) -> PyResult<Ciphertext> {
        run(|| self.0.encrypt_units_with_secret(&plaintext.0, &secret_key.0)).map(Ciphertext)
    }

    fn decrypt(&self, ciphertext: &Ciphertext, secret_key: &SecretKey) -> PyResult<Plaintext> {
        run(|| ciphertext.0.try_map(|unit| self.0.decrypt(unit, &secret_key.0))).map(Plaintext)
    }
}

/// The values of every unit, one after the other.
fn together<'py>(py: Python<'py>, released: &ckks::Units<ckks::Released>) -> Bound<'py, PyArray1<Complex64>> {
    let values: Vec<Complex64> = released.all().iter().flat_map(|unit| unit.values.iter().copied()).collect();
    PyArray1::from_vec(py, values)
}
