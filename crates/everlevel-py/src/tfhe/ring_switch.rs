//! Ciphertexts of bulk and of CKKS as those of TFHE, and back: the keys, and the context's methods.

use everlevel_binfhe::{self as tfhe, RingClaims};
use everlevel_ckks::circuits::Circuits;
use everlevel_ckks::circuits::table::{Space, TableNoise, TorusCiphertext, TorusSource};
use everlevel_ckks::{self as ckks, Bootstrapper, Progress, Units};
use everlevel_rlwe::SecretId;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::call::{Report, run, run_any, run_reporting};
use crate::context::{Context, Keys, bootstrap_keys};
use crate::objects::{Ciphertext, SecretKey};
use crate::tfhe::arrays::TfheCiphertext;
use crate::tfhe::context::TfheContext;
use crate::tfhe::keys::{TfheEvaluationKey, TfhePackingKey, TfheRingSwitchKey, TfheSecretKey};

/// A ciphertext of another scheme: a context, the ciphertext, keys, and what is claimed of it.
type Source<'py, C> = (PyRef<'py, Context>, PyRef<'py, Ciphertext>, Keys<'py>, C);

/// Claims of bulk: bits, level, largest value, a bound of errors in units of the integers' distance, and the
/// probability that one is wrong.
type Integers = (u32, usize, u64, f64, f64);

/// Where integers of TFHE go: a context, keys, the bits that they have and the size of the space of tables' entries,
/// and the level of results.
type Target<'py> = (PyRef<'py, Context>, Keys<'py>, (u32, usize), usize);

/// The operation of the way back.
const GIVING: &str = "from_tfhe";

/// Integers that are packed into coefficients.
struct Packed {
    all: Vec<TorusCiphertext>,
    secret_id: SecretId,
    units: usize,
}

impl Packed {
    fn source(&self) -> TorusSource<'_> {
        TorusSource { all: &self.all, secret_id: self.secret_id, units: self.units }
    }
}

/// Claims of numbers that become integers of so many bits.
fn claims_of_numbers(circuits: &Circuits<'_>, x: &Units<ckks::Ciphertext>, bits: u32) -> RingClaims {
    let (error, failure_probability) = circuits.error_of_numbers(x, bits);
    let (secret, max_value) = (x.first().secret_id(), (1 << bits) - 1);
    RingClaims { op: "from_ckks", secret, bits, max_value, error, failure_probability }
}

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

    /// The packing key to a secret of a context.
    fn packing_key(
        &self,
        secret_key: &TfheSecretKey,
        context: &Context,
        to_secret_key: &SecretKey,
    ) -> PyResult<TfhePackingKey> {
        let (to, weight) = (&to_secret_key.0, context.0.params().secret_weight());
        run_any(|| {
            let seeded = self.0.packing_key(&secret_key.0, (to.secret_id(), to.coeffs()), weight)?;
            Ok::<_, tfhe::Error>(self.0.install(|| TfhePackingKey(tfhe::KeptPackingKey::new(seeded))))
        })
    }

    /// The integers of bulk at some places, in their order.
    fn take_from_bulk(
        &self,
        key: &TfheRingSwitchKey,
        integers: Source<'_, Integers>,
        places: PyReadonlyArray1<'_, u64>,
        report: Report,
    ) -> PyResult<TfheCiphertext> {
        let (op, (bits, level, max_value, error, failure_probability)) = ("from_bulk", integers.3);
        let secret = integers.1.0.first().secret_id();
        let claims = |bootstrapper: &Bootstrapper, _: &Circuits<'_>| {
            let error = TableNoise::new(bootstrapper, Space::new(1 << bits)?, level)?.on_torus(error);
            Ok(RingClaims { op, secret, bits, max_value, error, failure_probability })
        };
        let x = &integers.1.0;
        let to_torus = |circuits: &Circuits<'_>, p: Progress<'_>| circuits.to_torus(x, Space::new(1 << bits)?, p);
        self.taken(key, (op, &integers), (claims, to_torus), places, report)
    }

    /// Real numbers of CKKS at some places as integers of so many bits that aren't rounded: for a bootstrap at once.
    fn take_from_ckks(
        &self,
        key: &TfheRingSwitchKey,
        numbers: Source<'_, u32>,
        places: PyReadonlyArray1<'_, u64>,
        report: Report,
    ) -> PyResult<TfheCiphertext> {
        let (op, x, bits) = ("from_ckks", &numbers.1.0, numbers.3);
        let claims = |_: &Bootstrapper, circuits: &Circuits<'_>| Ok(claims_of_numbers(circuits, x, bits));
        let to_torus = |circuits: &Circuits<'_>, p: Progress<'_>| circuits.numbers_to_torus(x, bits, p);
        self.taken(key, (op, &numbers), (claims, to_torus), places, report)
    }

    /// An upper bound of the probability that a number is rounded to the other side of where integers change over that
    /// it is so far away from, in units of their distance.
    fn misrounding(&self, key: &TfheRingSwitchKey, numbers: Source<'_, u32>, distance: f64) -> PyResult<f64> {
        let (context, x, keys, bits) = &numbers;
        let (context, x, keys, bits) = (&**context, &x.0, bootstrap_keys(keys), *bits);
        run(|| {
            let circuits = Circuits::new(context.bootstrapper("rounding_failure")?, keys);
            Ok(key.0.ready().misrounding(&claims_of_numbers(&circuits, x, bits), distance))
        })
    }

    /// Standard deviation of the errors of packed integers, in units of the distance of those of so many bits, and the
    /// probability that one was wrong before.
    fn packed_claims(&self, key: &TfhePackingKey, x: &TfheCiphertext, bits: u32) -> PyResult<(f64, f64)> {
        run_any(|| key.0.ready().claims(GIVING, &x.0, bits)).map(|claims| (claims.std_dev, claims.failure_probability))
    }

    /// Integers as those of bulk, from tables: for each a ciphertext.
    fn give_to_bulk(
        &self,
        key: &TfhePackingKey,
        x: &TfheCiphertext,
        target: Target<'_>,
        tables: Vec<Vec<u64>>,
        report: Report,
    ) -> PyResult<Vec<Ciphertext>> {
        let (context, keys, (bits, size), level) = (&*target.0, bootstrap_keys(&target.1), target.2, target.3);
        let packed = self.packed(key, x, context, bits)?;
        let tables: Vec<&[u64]> = tables.iter().map(Vec::as_slice).collect();
        let found = run_reporting(report, |p| {
            let circuits = Circuits::new(context.bootstrapper(GIVING)?, keys);
            let spaces = [Space::new(1 << bits)?, Space::new(size)?];
            circuits.look_up_torus(GIVING, packed.source(), (spaces, level), &tables, p)
        })?;
        Ok(found.into_iter().map(Ciphertext).collect())
    }

    /// Integers as real numbers of CKKS, from a table.
    fn give_to_ckks(
        &self,
        key: &TfhePackingKey,
        x: &TfheCiphertext,
        target: (PyRef<'_, Context>, Keys<'_>, u32),
        numbers: Vec<f64>,
        report: Report,
    ) -> PyResult<Ciphertext> {
        let (context, keys, bits) = (&*target.0, bootstrap_keys(&target.1), target.2);
        let std_dev = run_any(|| key.0.ready().claims(GIVING, &x.0, bits))?.std_dev;
        let packed = self.packed(key, x, context, bits)?;
        let found = run_reporting(report, |p| {
            let circuits = Circuits::new(context.bootstrapper(GIVING)?, keys);
            circuits.numbers_of_torus(GIVING, packed.source(), (Space::new(1 << bits)?, std_dev), &numbers, p)
        })?;
        Ok(Ciphertext(found))
    }

    /// Bits again, each by a bootstrap.
    fn signs(&self, key: &TfheEvaluationKey, bits: &TfheCiphertext, report: Report) -> PyResult<TfheCiphertext> {
        run_reporting(report, |progress| self.0.signs(key.ready(), &bits.0, progress)).map(TfheCiphertext)
    }
}

impl TfheContext {
    /// Integers of so many bits in the coefficients that look-ups of a context start from.
    fn packed(&self, key: &TfhePackingKey, x: &TfheCiphertext, context: &Context, bits: u32) -> PyResult<Packed> {
        let (key, at) = (key.0.ready(), context.0.torus_places());
        let all = run_reporting(None, |p| {
            let pack = |part: &[tfhe::Ciphertext]| {
                let [c0, c1] = key.pack(GIVING, part, (&at[..part.len()], bits), p)?;
                Ok::<_, tfhe::Error>(TorusCiphertext { c0, c1 })
            };
            self.0.install(|| x.0.chunks(at.len()).map(pack).collect::<Result<Vec<_>, _>>())
        })?;
        Ok(Packed { all, secret_id: key.to(), units: x.0.len().div_ceil(context.0.slot_count()) })
    }

    /// The elements at the wanted places, by what is claimed of all and the way of all to the torus.
    fn taken<C>(
        &self,
        key: &TfheRingSwitchKey,
        (op, (context, _, keys, _)): (&'static str, &Source<'_, C>),
        (claims, to_torus): (
            impl FnOnce(&Bootstrapper, &Circuits<'_>) -> Result<RingClaims, ckks::Error> + Send,
            impl FnOnce(&Circuits<'_>, Progress<'_>) -> Result<Vec<TorusCiphertext>, ckks::Error> + Send,
        ),
        places: PyReadonlyArray1<'_, u64>,
        report: Report,
    ) -> PyResult<TfheCiphertext> {
        let (context, keys, key) = (&**context, bootstrap_keys(keys), key.0.ready());
        let wanted: Vec<usize> = places.as_slice()?.iter().map(|&place| place as usize).collect();
        let (circuits, claims) = run_any(|| {
            let bootstrapper = context.bootstrapper(op)?;
            let circuits = Circuits::new(bootstrapper, keys);
            let claims = claims(bootstrapper, &circuits)?;
            Ok::<_, ckks::Error>((circuits, claims))
        })?;
        run_any(|| key.check(&claims, wanted.len()))?;
        let all = run_reporting(report, |progress| to_torus(&circuits, progress))?;
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
