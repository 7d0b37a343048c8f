//! Ciphertexts of bulk as those of TFHE: the key, and the context's methods.

use everlevel_binfhe::{self as tfhe, RingClaims};
use everlevel_ckks as ckks;
use everlevel_ckks::circuits::Circuits;
use everlevel_ckks::circuits::table::{Space, TableNoise};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::call::{Report, run_any, run_reporting};
use crate::context::{Context, Keys, bootstrap_keys};
use crate::objects::{Ciphertext, SecretKey};
use crate::tfhe::arrays::TfheCiphertext;
use crate::tfhe::context::TfheContext;
use crate::tfhe::keys::{TfheRingSwitchKey, TfheSecretKey};

/// Integers of bulk: a context, a ciphertext, keys, and the claims: bits, level, largest value, a bound of errors in
/// units of the integers' distance, and the probability that one is wrong.
type Integers<'py> = (PyRef<'py, Context>, PyRef<'py, Ciphertext>, Keys<'py>, (u32, usize, u64, f64, f64));

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
        let claims = RingClaims { secret: x.first().secret_id(), bits, max_value, error, failure_probability };
        run_any(|| key.check(&claims, wanted.len()))?;
        let all = run_reporting(report, |progress| {
            Circuits::new(bootstrapper, keys).to_torus(x, Space::new(1 << bits)?, progress)
        })?;
        let coefficients = context.0.torus_places();
        let mut taken: Vec<Option<tfhe::Ciphertext>> = vec![None; wanted.len()];
        for (at, torus) in all.iter().enumerate() {
            let here: Vec<usize> = (0..wanted.len()).filter(|&i| wanted[i] / coefficients.len() == at).collect();
            let places: Vec<usize> = here.iter().map(|&i| coefficients[wanted[i] % coefficients.len()]).collect();
            let found = run_any(|| self.0.install(|| key.integers([&torus.c0, &torus.c1], &places, &claims)))?;
            here.iter().zip(found).for_each(|(&i, ciphertext)| taken[i] = Some(ciphertext));
        }
        Ok(TfheCiphertext(taken.into_iter().flatten().collect()))
    }
}
