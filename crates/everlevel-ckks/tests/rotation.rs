//! Rotations and conjugation against `rotate_right` of a vector, which is `numpy.roll`.

use crate::common::{self, Party, depth, uniform};
use everlevel_ckks::circuits::Rotations;
use everlevel_ckks::{Ciphertext, Complex64, Error, Params, ParamsLiteral, Units, no_progress};

const LEVELS: usize = 3;

fn rolled(x: &[Complex64], delta: i64) -> Vec<Complex64> {
    let mut y = x.to_vec();
    y.rotate_right(delta.rem_euclid(x.len() as i64) as usize);
    y
}

/// A composed rotation adds a key switch for each term of the amount's non-adjacent form.
const BITS: f64 = 26.0;

fn bits(level: usize) -> f64 {
    if level == 0 { BITS - 2.0 } else { BITS }
}

/// Equal bits: the same integers at the same level.
#[track_caller]
fn assert_same(party: &Party, what: &str, a: &Ciphertext, b: &Ciphertext) {
    assert_eq!(a.level(), b.level());
    assert!(party.decrypt(a) == party.decrypt(b), "{what}: bits differ");
}

#[test]
fn composed_rotations_move_slots_right_by_any_amount() {
    let party = depth(10, LEVELS);
    let key = party.ctx.rotation_key(&party.secret, &no_progress).unwrap();
    let x = uniform(512, 1);
    let a = party.encrypt(&x, LEVELS);
    let amounts = [
        0,
        1,
        -1,
        2,
        3,
        -5,
        100,
        255,
        256,
        257,
        341,
        -341,
        511,
        512,
        513,
        -512,
        -513,
        12_345,
        -98_765,
        1 << 40,
        i64::MAX,
        i64::MIN,
    ];
    for delta in amounts {
        let out = party.ctx.rotate(&a, &key, delta).unwrap();
        party.assert_holds(&format!("rotation by {delta}"), &out, &rolled(&x, delta), LEVELS, BITS);
    }
    // A turn that moves nothing is a copy.
    assert_same(&party, "by a whole turn", &party.ctx.rotate(&a, &key, 1024).unwrap(), &a);
    for level in 0..LEVELS {
        let out = party.ctx.rotate(&party.encrypt(&x, level), &key, 171).unwrap();
        party.assert_holds("at each level", &out, &rolled(&x, 171), level, bits(level));
    }
}

#[test]
fn many_rotations_at_once_are_bit_for_bit_the_single_ones() {
    let party = depth(10, LEVELS);
    let key = party.ctx.rotation_key(&party.secret, &no_progress).unwrap();
    let a = party.encrypt(&uniform(512, 1), 2);
    let deltas = [5, 0, -3, 300, 5, 1, 512, -777];
    let many = party.ctx.rotate_many(&a, &key, &deltas).unwrap();
    assert_eq!(many.len(), deltas.len());
    for (delta, out) in deltas.iter().zip(&many) {
        assert_same(&party, &format!("rotation by {delta}"), out, &party.ctx.rotate(&a, &key, *delta).unwrap());
    }
    assert!(party.ctx.rotate_many(&a, &key, &[]).unwrap().is_empty());
}

#[test]
fn fixed_rotations_move_slots_right_by_their_amount() {
    let party = depth(10, LEVELS);
    let x = uniform(512, 2);
    for delta in [0, 1, -1, 7, -200, 511, 512, 1000, -4097, i64::MIN, i64::MAX] {
        let key = party.ctx.fixed_rotation_key(&party.secret, delta, LEVELS).unwrap();
        assert_eq!(key.delta(), delta);
        for level in 0..=LEVELS {
            let out = party.ctx.rotate_fixed(&party.encrypt(&x, level), &key).unwrap();
            party.assert_holds(&format!("rotation by {delta}"), &out, &rolled(&x, delta), level, bits(level));
        }
    }
}

#[test]
fn many_fixed_rotations_at_once_are_bit_for_bit_the_single_ones() {
    let party = depth(10, LEVELS);
    let x = uniform(512, 3);
    let a = party.encrypt(&x, 1);
    // Keys of one shape and of others: digits are shared only where they can be.
    let keys: Vec<_> = [(3, 3), (-8, 1), (100, 2), (5, 3), (3, 1)]
        .into_iter()
        .map(|(delta, level)| party.ctx.fixed_rotation_key(&party.secret, delta, level).unwrap())
        .collect();
    let many = party.ctx.rotate_fixed_many(&a, &keys.iter().collect::<Vec<_>>()).unwrap();
    for (key, out) in keys.iter().zip(&many) {
        assert_same(&party, &format!("rotation by {}", key.delta()), out, &party.ctx.rotate_fixed(&a, key).unwrap());
        party.assert_holds("rotation", out, &rolled(&x, key.delta()), 1, BITS);
    }
    assert!(party.ctx.rotate_fixed_many(&a, &[]).unwrap().is_empty());
}

#[test]
fn rotations_compose_and_undo_each_other() {
    let party = depth(10, LEVELS);
    let key = party.ctx.rotation_key(&party.secret, &no_progress).unwrap();
    let x = uniform(512, 4);
    let a = party.encrypt(&x, LEVELS);
    let there = party.ctx.rotate(&a, &key, 77).unwrap();
    party.assert_holds("there and back", &party.ctx.rotate(&there, &key, -77).unwrap(), &x, LEVELS, BITS - 0.5);
    party.assert_holds("77 + 40", &party.ctx.rotate(&there, &key, 40).unwrap(), &rolled(&x, 117), LEVELS, BITS - 0.5);
}

#[test]
fn conjugation_negates_imaginary_parts_at_every_level() {
    let party = depth(10, LEVELS);
    let x = uniform(512, 5);
    let conjugate: Vec<_> = x.iter().map(Complex64::conj).collect();
    for level in 0..=LEVELS {
        let a = party.encrypt(&x, level);
        let out = party.ctx.conjugate(&a, &party.conjugation).unwrap();
        party.assert_holds("conjugate", &out, &conjugate, level, bits(level));
        let twice = party.ctx.conjugate(&out, &party.conjugation).unwrap();
        party.assert_holds("conjugate twice", &twice, &x, level, bits(level));
    }
}

#[test]
fn sparse_slots_turn_around_among_themselves() {
    for slots in [1usize, 2, 8, 128] {
        let params = Params::try_from(ParamsLiteral::insecure_depth(9, 2)).unwrap();
        let party = Party::of(common::context(params, Some(slots), 2));
        let key = party.ctx.rotation_key(&party.secret, &no_progress).unwrap();
        let x = uniform(slots, 6);
        let a = party.encrypt(&x, 2);
        for delta in [0, 1, -1, 3, slots as i64 / 2, slots as i64 - 1, slots as i64, 1000, i64::MIN] {
            let what = format!("{delta} of {slots}");
            party.assert_holds(&what, &party.ctx.rotate(&a, &key, delta).unwrap(), &rolled(&x, delta), 2, BITS);
            let fixed = party.ctx.fixed_rotation_key(&party.secret, delta, 2).unwrap();
            party.assert_holds(&what, &party.ctx.rotate_fixed(&a, &fixed).unwrap(), &rolled(&x, delta), 2, BITS);
        }
    }
}

#[test]
fn sums_of_slots_take_the_fastest_keys_and_name_those_that_are_missing() {
    let party = depth(10, LEVELS);
    let (slots, any) = (512, party.ctx.rotation_key(&party.secret, &no_progress).unwrap());
    let fixed = [-1, 511 - 513, -4].map(|delta| party.ctx.fixed_rotation_key(&party.secret, delta, LEVELS).unwrap());
    let low = [-1, -2, -4].map(|delta| party.ctx.fixed_rotation_key(&party.secret, delta, 1).unwrap());
    let (fixed, low): (Vec<_>, Vec<_>) = (fixed.iter().collect(), low.iter().collect());
    let x = uniform(slots, 2);
    let a = Units::from(party.encrypt(&x, LEVELS));
    for (rotations, counts) in [
        (Rotations::from(&any), [1, 2, 3, 100, 511, 512].as_slice()),
        (Rotations { any: None, fixed: &fixed }, &[1, 2, 3, 5, 7, 8]),
        (Rotations { any: Some(&any), fixed: &low }, &[7, 8, 16]),
    ] {
        for &count in counts {
            let sums = party.ctx.sum_range(&a, rotations, count).unwrap();
            let expected: Vec<Complex64> =
                (0..slots).map(|at| (0..count).map(|step| x[(at + step) % slots]).sum()).collect();
            party.assert_holds(&format!("sums of {count}"), sums.first(), &expected, LEVELS, BITS - 6.0);
        }
    }
    let refused = |rotations, count| party.ctx.sum_range(&a, rotations, count).unwrap_err();
    let few = Rotations { any: None, fixed: &fixed };
    assert!(matches!(refused(few, 16), Error::MissingRotation { op: "sum_range", rotation: -8, .. }));
    assert!(matches!(refused(Rotations::default(), 2), Error::MissingRotation { rotation: -1, .. }));
    for count in [0, slots + 1] {
        assert!(matches!(refused(few, count), Error::SlotCount { op: "sum_range", .. }));
    }
}
