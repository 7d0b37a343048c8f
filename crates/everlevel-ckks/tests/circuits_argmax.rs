//! Places of extrema by real bootstraps, against plain numbers, on small insecure rings.

use crate::common::{Party, log_n, uniform};
use everlevel_ckks::circuits::Circuits;
use everlevel_ckks::circuits::argmax::{Place, PlaceKeys};
use everlevel_ckks::circuits::extrema::Extremum;
use everlevel_ckks::circuits::sign::SignPrecision;
use everlevel_ckks::{Ciphertext, Complex64, Error, ObjectError, Units, no_progress};

/// Values in [0, 1] that differ by 1/128 at least, in a shuffled order.
fn apart(count: usize, seed: u64) -> Vec<f64> {
    let mut order: Vec<(u64, usize)> = uniform(count, seed).iter().map(|z| z.re.to_bits()).zip(0..).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, place)| place as f64 / 127.0).collect()
}

#[test]
fn the_places_of_the_largest_and_smallest_of_few_and_of_many() {
    let party = Party::bootstrap(log_n());
    let key = party.lossy_key(3);
    let (rotation, matrices) =
        (party.rotation_key(), party.ctx.matrix_multiplication_key(&party.secret, 13, &no_progress).unwrap());
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    let precision = SignPrecision { gap: 1.0 / 128.0, error: 1.0 / 1_048_576.0, bound: 1.0 };
    let slots = party.ctx.slot_count();
    for (count, level) in [(1, 0), (5, 13), (5, 2), (100, 10)] {
        let values = apart(count, 7 + count as u64);
        let mut message: Vec<Complex64> = values.iter().map(|v| Complex64::new(*v, 0.0)).collect();
        message.resize(slots, Complex64::new(0.5, 0.0));
        let x: Units<Ciphertext> = party.encrypt(&message, level).into();
        let place = |largest: bool| {
            let better = |a: &usize, b: &usize| values[*a].total_cmp(&values[*b]);
            if largest { (0..count).max_by(better) } else { (0..count).min_by(better) }.unwrap()
        };
        let keys = PlaceKeys { rotation: &rotation, matrices: (level != 2).then_some(&matrices) };
        let found = circuits
            .argument_of_slots(Extremum::Max, &x, keys, (count, Place::Index), precision, &no_progress)
            .unwrap();
        let expected = place(true) as f64;
        for z in party.decrypt(found.first()) {
            assert!((z.re - expected).abs() < 0.05, "largest of {count} from level {level}: {z}, {expected}");
        }
        let found = circuits
            .argument_of_slots(Extremum::Min, &x, keys, (count, Place::OneHot), precision, &no_progress)
            .unwrap();
        for (at, z) in party.decrypt(found.first()).iter().enumerate() {
            let expected = if at == place(false) { 1.0 } else { 0.0 };
            assert!((z.re - expected).abs() < 1e-4, "smallest of {count} from level {level}, slot {at}: {z}");
        }
    }
    let x: Units<Ciphertext> = party.encrypt(&[Complex64::new(0.5, 0.0)], 13).into();
    let keys = PlaceKeys { rotation: &rotation, matrices: None };
    let error =
        circuits.argument_of_slots(Extremum::Max, &x, keys, (0, Place::Index), precision, &no_progress).unwrap_err();
    assert!(matches!(error, Error::SlotCount { op: "argmax_of_slots", count: 0, .. }), "{error}");
    let stranger = Party::of(party.ctx.clone()).rotation_key();
    let keys = PlaceKeys { rotation: &stranger, matrices: None };
    let error =
        circuits.argument_of_slots(Extremum::Min, &x, keys, (4, Place::Index), precision, &no_progress).unwrap_err();
    assert!(matches!(error, Error::Object(ObjectError::OtherSecret { op: "argmin_of_slots", .. })), "{error}");
}
