//! Ciphertexts of bulk as those of TFHE: the key, and the context's methods.

use everlevel_binfhe::{self as tfhe, RingClaims};
use everlevel_ckks::circuits::Circuits;
use everlevel_ckks::circuits::table::{Space, TableNoise, TorusCiphertext};
use everlevel_ckks::{self as ckks, Progress};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::call::{Report, run_any, run_reporting};
use crate::context::{Context, Keys, bootstrap_keys};
use crate::objects::{Ciphertext, SecretKey};
use crate::tfhe::arrays::TfheCiphertext;
use crate::tfhe::context::TfheContext;
use crate::tfhe::keys::{TfheEvaluationKey, TfheRingSwitchKey, TfheSecretKey};

/// Integers of bulk: a context, a ciphertext, keys, and the claims: bits, level, largest value, a bound of errors in
/// units of the integers' distance, and the probability that one is wrong.
type Integers<'py> = (PyRef<'py, Context>, PyRef<'py, Ciphertext>, Keys<'py>, (u32, usize, u64, f64, f64));

/// Real numbers of CKKS: a context, a ciphertext, keys, and the bits that they are rounded to.
type Numbers<'py> = (PyRef<'py, Context>, PyRef<'py, Ciphertext>, Keys<'py>, u32);

#[pymethods]
impl TfheContext {
    /// The key of ring switches from a secret of a context.
    fn ring_switch_key(
        &self,
        context: &Context,
        bulk_secret_key: &SecretKey,
        secret_key: &TfheSecretKey,
    ) -> PyResult<TfheRingSwitchKey> {
        let (from, weight) = (&bulk_secret_key.0, context.0.params().secret_weight());
        run_any(|| {
            let seeded = self.0.ring_switch_key((from.secret_id(), from.coeffs()), weight, &secret_key.0)?;
            Ok::<_, tfhe::Error>(self.0.install(|| TfheRingSwitchKey(tfhe::KeptRingSwitchKey::new(seeded))))
        })
    }

    /// The integers of bulk at some places, in their order.
    fn take_from_bulk(
        &self,
        key: &TfheRingSwitchKey,
        integers: Integers<'_>,
        places: PyReadonlyArray1<'_, u64>,
        report: Report,
    ) -> PyResult<TfheCiphertext> {
        let (context, x, keys, (bits, level, max_value, error, failure_probability)) = &integers;
        let (context, keys, x) = (&**context, bootstrap_keys(keys), &x.0);
        let (bits, level, max_value, error) = (*bits, *level, *max_value, *error);
        let failure_probability = *failure_probability;
        let wanted: Vec<usize> = places.as_slice()?.iter().map(|&place| place as usize).collect();
        let (op, key) = ("from_bulk", key.0.ready());
        let (bootstrapper, error) = run_any(|| {
            let (bootstrapper, space) = (context.bootstrapper(op)?, Space::new(1 << bits)?);
            Ok::<_, ckks::Error>((bootstrapper, TableNoise::new(bootstrapper, space, level)?.on_torus(error)))
        })?;
        let claims = RingClaims { op, secret: x.first().secret_id(), bits, max_value, error, failure_probability };
        let circuits = Circuits::new(bootstrapper, keys);
        let to_torus = |progress: Progress<'_>| circuits.to_torus(x, Space::new(1 << bits)?, progress);
        self.taken(key, &claims, (&context.0.torus_places(), &wanted), report, to_torus)
    }

    /// Real numbers of CKKS at some places as integers of so many bits that aren't rounded: for a bootstrap at once.
    fn take_from_ckks(
        &self,
        key: &TfheRingSwitchKey,
        numbers: Numbers<'_>,
        places: PyReadonlyArray1<'_, u64>,
        report: Report,
    ) -> PyResult<TfheCiphertext> {
        let (context, x, keys, bits) = &numbers;
        let (context, keys, x, bits) = (&**context, bootstrap_keys(keys), &x.0, *bits);
        let wanted: Vec<usize> = places.as_slice()?.iter().map(|&place| place as usize).collect();
        let (op, key) = ("from_ckks", key.0.ready());
        let (circuits, (error, failure_probability)) = run_any(|| {
            let circuits = Circuits::new(context.bootstrapper(op)?, keys);
            let claimed = circuits.error_of_numbers(x, bits);
            Ok::<_, ckks::Error>((circuits, claimed))
        })?;
        let (secret, max_value) = (x.first().secret_id(), (1 << bits) - 1);
        let claims = RingClaims { op, secret, bits, max_value, error, failure_probability };
        let to_torus = |progress: Progress<'_>| circuits.numbers_to_torus(x, bits, progress);
        self.taken(key, &claims, (&context.0.torus_places(), &wanted), report, to_torus)
    }

    /// Bits again, each by a bootstrap.
    fn signs(&self, key: &TfheEvaluationKey, bits: &TfheCiphertext, report: Report) -> PyResult<TfheCiphertext> {
        run_reporting(report, |progress| self.0.signs(key.ready(), &bits.0, progress)).map(TfheCiphertext)
    }
}

impl TfheContext {
    /// The integers at the wanted places, of those whose coefficients are told, once these are on the torus.
    fn taken(
        &self,
        key: &tfhe::RingSwitchKey,
        claims: &RingClaims,
        (coefficients, wanted): (&[usize], &[usize]),
        report: Report,
        to_torus: impl FnOnce(Progress<'_>) -> Result<Vec<TorusCiphertext>, ckks::Error> + Send,
    ) -> PyResult<TfheCiphertext> {
        run_any(|| key.check(claims, wanted.len()))?;
        let all = run_reporting(report, to_torus)?;
        let mut taken: Vec<Option<tfhe::Ciphertext>> = vec![None; wanted.len()];
        for (at, torus) in all.iter().enumerate() {
            let here: Vec<usize> = (0..wanted.len()).filter(|&i| wanted[i] / coefficients.len() == at).collect();
            let places: Vec<usize> = here.iter().map(|&i| coefficients[wanted[i] % coefficients.len()]).collect();
            let found = run_any(|| self.0.install(|| key.integers([&torus.c0, &torus.c1], &places, claims)))?;
            here.iter().zip(found).for_each(|(&i, ciphertext)| taken[i] = Some(ciphertext));
        }
        Ok(TfheCiphertext(taken.into_iter().flatten().collect()))
    }
}
