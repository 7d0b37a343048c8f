//! Vectors longer than the slots.

use crate::common;

use std::ops::ControlFlow;
use std::sync::Mutex;

use crate::common::{assert_close, depth, uniform};
use everlevel_ckks::{Ciphertext, Complex64, Error, Form, Loading, ObjectError, Plaintext, Units, io};

fn encrypted(p: &common::Party, values: &[Complex64], level: usize) -> Units<Ciphertext> {
    p.ctx.encode_units(values, level).unwrap().try_map(|unit| p.ctx.encrypt(unit, &p.public)).unwrap()
}

fn decrypted(p: &common::Party, ct: &Units<Ciphertext>) -> Vec<Complex64> {
    p.ctx.decode_units(&ct.try_map(|unit| p.ctx.decrypt(unit, &p.secret)).unwrap()).unwrap()
}

#[test]
fn values_fill_units_and_come_back() {
    let p = depth(9, 2);
    for count in [1, 256, 257, 512, 700] {
        let values = uniform(count, 1);
        let ct = encrypted(&p, &values, 2);
        assert_eq!(ct.count(), count.div_ceil(256));
        let mut padded = values.clone();
        padded.resize(256 * ct.count(), Complex64::default());
        assert_close("units", &decrypted(&p, &ct), &padded, 20.0);
        assert_eq!(ct.nbytes(), ct.count() * ct.first().nbytes());
    }
    assert!(matches!(p.ctx.encode_units(&[], 2), Err(Error::EmptyMessage { .. })));
}

#[test]
fn pairs_need_equally_many_units() {
    let p = depth(9, 2);
    let (a, b) = (encrypted(&p, &uniform(700, 1), 2), encrypted(&p, &uniform(500, 2), 2));
    let error = a.try_zip("add", &b, |x, y| p.ctx.add(x, y)).unwrap_err();
    assert!(matches!(error, Error::Object(ObjectError::UnitCount { left: 3, right: 2, .. })));
    assert_eq!(
        error.to_string(),
        "add: one operand has 3 units and the other has 2; make both of vectors that fill equally many ciphertexts"
    );
}

#[test]
fn stacks_have_one_level_and_one_error_estimate() {
    let p = depth(9, 2);
    let a = encrypted(&p, &uniform(256, 1), 2);
    let noisier = a.try_map(|unit| p.ctx.multiply_scalar(unit, Complex64::new(8.0, 0.0))).unwrap();
    let both = Units::stack(&[&a, &noisier]).unwrap();
    for unit in both.all() {
        assert_eq!(unit.precision_bits().to_bits(), noisier.first().precision_bits().to_bits());
    }
    let lower = encrypted(&p, &uniform(256, 1), 1);
    let error = Units::stack(&[&a, &lower]).unwrap_err();
    assert!(error.to_string().contains("256 slots at level 1: must be 256 slots at level 2"), "{error}");
    assert!(matches!(Units::stack(&[]), Err(Error::Parameter { .. })));
}

#[test]
fn several_results_of_each_unit_are_vectors() {
    let p = depth(9, 2);
    let a = encrypted(&p, &uniform(700, 1), 2);
    let pairs = a.try_map(|unit| Ok(vec![p.ctx.level_down(unit, 1)?, p.ctx.negate(unit)?])).unwrap();
    let columns = pairs.transposed();
    let levels: Vec<_> = columns.iter().map(|c| (c.count(), c.first().level())).collect();
    assert_eq!(levels, [(3, 1), (3, 2)]);
}

#[test]
fn progress_runs_over_all_units() {
    let seen = Mutex::new(Vec::new());
    let report = |done, total| {
        seen.lock().unwrap().push((done, total));
        ControlFlow::Continue(())
    };
    let p = depth(9, 1);
    let three = encrypted(&p, &uniform(700, 1), 1);
    let step = |_: &Ciphertext, progress: everlevel_ckks::Progress| {
        for done in 1..=2 {
            let _ = progress(done, 2);
        }
        Ok(())
    };
    three.try_map_reporting(&report, step).unwrap();
    assert_eq!(*seen.lock().unwrap(), [(1, 6), (2, 6), (3, 6), (4, 6), (5, 6), (6, 6)]);
}

#[test]
fn files_hold_every_unit() {
    let p = depth(9, 2);
    let values = uniform(700, 3);
    let ct = encrypted(&p, &values, 2);
    let bytes = p.ctx.to_container(&ct, Form::Seeded).unwrap().to_bytes();
    let container = io::Container::from_bytes(bytes.clone()).unwrap();
    let back: Units<Ciphertext> = p.ctx.from_container(&container, Loading::default()).unwrap();
    assert_eq!(decrypted(&p, &back), decrypted(&p, &ct));
    assert_eq!(p.ctx.to_container(&back, Form::Seeded).unwrap().to_bytes(), bytes);
    // Where one ciphertext is wanted, three are refused.
    let error = p.ctx.from_container::<Ciphertext>(&container, Loading::default()).unwrap_err();
    assert!(error.to_string().contains("units is 3, and should be 1"), "{error}");
    // A vector of one unit has the file of its unit.
    let one = encrypted(&p, &values[..9], 2);
    let alone = p.ctx.to_container(one.first(), Form::Seeded).unwrap().to_bytes();
    assert_eq!(p.ctx.to_container(&one, Form::Seeded).unwrap().to_bytes(), alone);
    let plain = p.ctx.encode_units(&values, 1).unwrap();
    let bytes = p.ctx.to_container(&plain, Form::Seeded).unwrap().to_bytes();
    let container = io::Container::from_bytes(bytes).unwrap();
    let back: Units<Plaintext> = p.ctx.from_container(&container, Loading::default()).unwrap();
    assert_eq!(p.ctx.decode_units(&back).unwrap(), p.ctx.decode_units(&plain).unwrap());
}
