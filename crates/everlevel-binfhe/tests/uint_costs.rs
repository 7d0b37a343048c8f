//! The costs of operations on integers of 8 to 64 bits, their progress, and their refusals.

use crate::common;
use crate::common::uints::OF_ONE_WORD;

use std::ops::ControlFlow;

use crate::common::{four_bits, on_threads, two_bits};
use everlevel_binfhe::{BoolArray, Cancelled, Error, Extreme, Integers, ObjectError, Space, UintArray, Width};

/// The table of the notes: bootstraps, and rounds of them, of one integer.
#[test]
fn costs_are_those_of_the_notes() {
    let notes = include_str!("../../../docs/notes/tfhe.md");
    type Operation = fn(&Integers<'_>, [&UintArray; 3], &BoolArray) -> Result<(), Error>;
    let operations: [(&str, Operation); 22] = [
        ("add, subtract, negate", |int, [x, y, _], _| int.sub(x, y).map(drop)),
        ("`checked_add`, `checked_sub`", |int, [x, y, _], _| int.checked_sub(x, y).map(drop)),
        ("eq, ne", |int, [x, y, _], _| int.eq(x, y).map(drop)),
        ("lt, le, gt, ge", |int, [x, y, _], _| int.lt(x, y).map(drop)),
        ("min, max", |int, [x, y, _], _| int.max(x, y).map(drop)),
        ("select", |int, [x, y, _], c| int.select(c, x, y).map(drop)),
        ("select, one of them the constant 10", |int, [x, ..], c| {
            int.select(c, x, &int.constants(x.width(), &[10])?).map(drop)
        }),
        ("and, or, xor; rotations", |int, [x, y, _], _| {
            int.bitxor(x, y).and_then(|x| int.rotate_left(&x, 2)).map(drop)
        }),
        ("`shl_by`", |int, [x, y, _], _| int.shl_by(x, y).map(drop)),
        ("`rotate_left_by`", |int, [x, y, _], _| int.rotate_left_by(x, y).map(drop)),
        ("multiply", |int, [x, y, _], _| int.mul(x, y).map(drop)),
        ("multiply by the constant 10", |int, [x, ..], _| int.mul(x, &int.constants(x.width(), &[10])?).map(drop)),
        ("`checked_mul`", |int, [x, y, _], _| int.checked_mul(x, y).map(drop)),
        ("divide", |int, [x, y, _], _| int.div(x, y).map(drop)),
        ("remainder", |int, [x, y, _], _| int.rem(x, y).map(drop)),
        ("divide with remainder", |int, [x, y, _], _| int.div_rem(x, y).map(drop)),
        ("divide by the constant 10", |int, [x, ..], _| int.div(x, &int.constants(x.width(), &[10])?).map(drop)),
        ("remainder by the constant 10", |int, [x, ..], _| int.rem(x, &int.constants(x.width(), &[10])?).map(drop)),
        ("divide by the constant 100", |int, [x, ..], _| int.div(x, &int.constants(x.width(), &[100])?).map(drop)),
        ("remainder by the constant 100", |int, [x, ..], _| int.rem(x, &int.constants(x.width(), &[100])?).map(drop)),
        ("divide by the constant 229", |int, [x, ..], _| int.div(x, &int.constants(x.width(), &[229])?).map(drop)),
        ("sum of 16", |int, [.., many], _| int.sum_rows(many, 16).map(drop)),
    ];
    let (secret, keys) = two_bits();
    let int = keys.integers().unwrap();
    let mut rows = Vec::new();
    for (name, operation) in operations {
        let mut row = format!("| {name} |");
        for width in OF_ONE_WORD {
            let [x, y] = [5, 6].map(|value| secret.encrypt_uints(width, &[value]).unwrap());
            let many = secret.encrypt_uints(width, &[7; 16]).unwrap();
            let condition = secret.encrypt_bools(&[true]).unwrap();
            let cost =
                |threads| on_threads(threads, || int.cost(|int| operation(int, [&x, &y, &many], &condition)).unwrap());
            let [blocks, prefix] = [cost(1), cost(8)].map(|cost| format!("{} ({})", cost.bootstraps, cost.rounds));
            row += &if blocks == prefix { format!(" {blocks} |") } else { format!(" {blocks}, {prefix} |") };
        }
        rows.push(row);
    }
    let missing: Vec<String> = rows.into_iter().filter(|row| !notes.contains(row)).collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// A round's bootstraps are all elements'; and on few threads a batch is carried block by block, on many by prefix.
#[test]
fn rounds_are_shared_by_the_elements() {
    let (secret, keys) = two_bits();
    let int = keys.integers().unwrap();
    let cost = |len: usize, threads| {
        let x = secret.encrypt_uints(Width::U32, &vec![7; len]).unwrap();
        on_threads(threads, || int.cost(|int| int.add(&x, &x)).unwrap())
    };
    assert_eq!((cost(1, 1).bootstraps, cost(1, 1).rounds), (16, 16));
    assert_eq!((cost(20, 1).bootstraps, cost(20, 1).rounds), (320, 16));
    assert_eq!((cost(1, 8).bootstraps, cost(1, 8).rounds), (50, 6));
    assert_eq!(cost(20, 8), cost(20, 1));
    let x = secret.encrypt_uints(Width::U16, &[]).unwrap();
    assert_eq!(int.cost(|int| int.mul(&x, &int.shl_by(&x, &x)?)).unwrap().rounds, 0);
    assert!(int.checked_mul(&x, &x).unwrap().1.is_empty());
}

/// Long arrays are reduced in slices: a round is no longer than what a slice takes, and all rounds together are as many
/// bootstraps as without slices.
#[test]
fn reductions_are_done_in_slices() {
    let (secret, keys) = two_bits();
    let int = keys.integers().unwrap();
    let all = secret.encrypt_uints(Width::U16, &[7; 5000]).unwrap();
    for threads in [1, 3] {
        on_threads(threads, || {
            let slice = int.slice_len();
            for (rows, len) in [(3 * slice + 1, 1), (300, 7), (5, 2 * slice + 3)] {
                let many = all.slice(0..rows * len);
                let max = int.cost(|int| int.extreme_row(&many, rows, Extreme::Max)).unwrap();
                assert_eq!(max.bootstraps, 25 * (rows - 1) * len);
                let sum = int.cost(|int| int.sum_rows(&many, rows)).unwrap();
                // Five terms make a digit and a carry.
                assert!(sum.bootstraps < rows * len * 8, "{sum:?}");
                // A comparison takes two bootstraps a block at most; sums take those of four times as many rows.
                for (cost, rows_at_once) in [(max, 1), (sum, 4)] {
                    let held = 2 * 8 * rows_at_once * slice.max(len.min(slice));
                    assert!(cost.bootstraps <= cost.rounds * held, "{cost:?} in rounds of {held}");
                }
            }
        });
    }
    let none = all.take(&[]);
    for reduced in [int.sum_rows(&none, 3), int.extreme_row(&none, 3, Extreme::Min)] {
        assert!(reduced.unwrap().is_empty());
    }
    assert_eq!(int.place_of_extreme(&none, 300, Extreme::Min).unwrap().width(), Width::U16);
}

/// The bootstraps counted beforehand are those that are done.
#[test]
fn costs_are_paid() {
    let keys = common::keys(common::digits_literal(4));
    let [x, y] = [[0xf0f0, 7], [9, 0xffff]].map(|values| keys.0.encrypt_uints(Width::U16, &values).unwrap());
    let int = &keys.1.integers().unwrap();
    let least = int.min(&x, &y).unwrap();
    type Operation<'a> = &'a dyn Fn(&Integers<'_>) -> Result<UintArray, Error>;
    let operations: [Operation<'_>; 7] = [
        &|int| int.sum_rows(&x.take(&[0; 9]), 9),
        &|int| int.sum_rows(&least.take(&[0; 9]), 9),
        &|int| Ok(int.checked_mul(&least, &x)?.0),
        &|int| int.place_of_extreme(&int.bitxor(&x, &least)?, 2, Extreme::Max),
        &|int| int.mul(&least, &int.constants(Width::U16, &[10, 0])?),
        &|int| int.div(&least, &x),
        &|int| int.rem(&least, &int.constants(Width::U16, &[10, 77])?),
    ];
    for (i, operation) in operations.into_iter().enumerate() {
        let (cost, before) = (int.cost(operation).unwrap(), keys.1.bootstrap_count());
        operation(int).unwrap();
        assert_eq!(keys.1.bootstrap_count() - before, cost.bootstraps, "operation {i}");
    }
}

/// Every bootstrap is reported; a refusal comes before the first; a call that is stopped says how far it was.
#[test]
fn progress_is_reported() {
    let (secret, keys) = two_bits();
    let int = keys.integers().unwrap();
    let x = secret.encrypt_uints(Width::U8, &[200; 50]).unwrap();
    let steps = std::sync::Mutex::new(Vec::new());
    let report = |done, total| {
        steps.lock().unwrap().push((done, total));
        ControlFlow::Continue(())
    };
    let sum = int.reporting(&report, |int| int.add(&int.mul(&x, &x)?, &x)).unwrap();
    assert_eq!(secret.decrypt_uints(&sum).unwrap(), [(200 * 200 + 200) % 256; 50]);
    let steps = steps.into_inner().unwrap();
    assert!(steps.len() > 10 && steps.is_sorted());
    assert_eq!(steps.last(), Some(&(30 * 50, 30 * 50)));
    let (counted, steps) = steps.split_at(steps.iter().position(|(done, _)| *done > 0).unwrap());
    assert_eq!(counted.last(), Some(&(0, 30 * 50)));
    assert!(steps.iter().all(|(_, total)| *total == 30 * 50));
    let stop = |done, _| if done < 300 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let Err(Error::Cancelled(Cancelled { op: "mul", done, total })) = int.reporting(&stop, |int| int.mul(&x, &x))
    else {
        panic!("not stopped")
    };
    assert!((300..total).contains(&done), "{done} {total}");
    let y = secret.encrypt_uints(Width::U16, &[0; 50]).unwrap();
    let begun = |done, _| if done > 0 { panic!("begun") } else { ControlFlow::Continue(()) };
    let refused = int.reporting(&begun, |int| int.add(&int.add(&x, &x)?, &y));
    assert!(matches!(refused, Err(Error::WidthMismatch { .. })));
}

#[test]
fn refusals_carry_both_values() {
    let (secret, keys) = two_bits();
    let int = keys.integers().unwrap();
    let (others, _) = four_bits();
    let (a, b) = (secret.encrypt_uints(Width::U8, &[200]).unwrap(), secret.encrypt_uints(Width::U16, &[200]).unwrap());
    let foreign = others.encrypt_uints(Width::U8, &[1]).unwrap();
    assert!(matches!(int.add(&a, &a.take(&[0, 0])), Err(Error::LengthMismatch { left: 1, right: 2, .. })));
    assert!(matches!(int.sum_rows(&a, 2), Err(Error::LengthMismatch { left: 1, right: 0, .. })));
    assert!(matches!(UintArray::join(&[&a, &b]), Err(Error::WidthMismatch { left: 8, right: 16, .. })));
    assert!(matches!(UintArray::join(&[&a, &foreign]), Err(Error::Object(ObjectError::OtherSecret { .. }))));
    assert_eq!(
        int.add(&a, &b).unwrap_err().to_string(),
        "add: operands have 8 and 16 bits; encrypt both with one width"
    );
    assert!(matches!(int.lt(&a, &b), Err(Error::WidthMismatch { op: "lt", left: 8, right: 16 })));
    assert!(matches!(int.mul(&a, &foreign), Err(Error::Object(ObjectError::OtherSecret { op: "mul", .. }))));
    assert!(matches!(int.shl_by(&a, &foreign), Err(Error::Object(ObjectError::OtherSecret { op: "shl_by", .. }))));
    assert!(matches!(others.decrypt_uints(&a), Err(Error::Object(ObjectError::OtherSecret { .. }))));
    let (ours, theirs) = (secret.encrypt_bools(&[true]).unwrap(), others.encrypt_bools(&[true]).unwrap());
    assert!(matches!(int.select(&theirs, &a, &a), Err(Error::Object(ObjectError::OtherSecret { op: "select", .. }))));
    let refused = int.combine_bools(&ours, &theirs, |p, q| p & q);
    assert!(matches!(refused, Err(Error::Object(ObjectError::OtherSecret { op: "combine_bools", .. }))));
    // A zero that everybody can see is divided by as one that nobody can.
    let (quotient, remainder) = int.div_rem(&a, &int.constants(Width::U8, &[0]).unwrap()).unwrap();
    assert_eq!(secret.decrypt_uints(&quotient).unwrap(), [255]);
    assert_eq!(secret.decrypt_uints(&remainder).unwrap(), [200]);
    assert!(matches!(int.rem(&a, &b), Err(Error::WidthMismatch { op: "rem", left: 8, right: 16 })));
    assert!(matches!(int.div_rem(&a, &foreign), Err(Error::Object(ObjectError::OtherSecret { op: "div_rem", .. }))));
    assert_eq!(
        int.shr(&a, 8).unwrap_err().to_string(),
        "shr: the amount is 8, an integer of 8 bits is shifted by 0 to 7; reduce it"
    );
    assert_eq!(
        secret.encrypt_uints(Width::U8, &[1, 256]).unwrap_err().to_string(),
        "encrypt_uints: 256 is not below 2^8; reduce it or choose a larger width"
    );
    assert!(matches!(int.constants(Width::U32, &[1 << 32]), Err(Error::ValueTooLarge { bits: 32, .. })));
    assert!(matches!(Width::from_bits(24), Err(Error::UnknownWidth { bits: 24 })));
    let blocks = a.blocks().to_vec();
    assert_eq!(int.uints_from_blocks(Width::U8, blocks.clone()).unwrap(), a);
    assert!(matches!(int.uints_from_blocks(Width::U16, blocks), Err(Error::LengthMismatch { left: 4, right: 8, .. })));
    let full = secret.encrypt_integers(&[9; 4], 15).unwrap();
    assert!(matches!(int.bools_from_blocks(full.clone()), Err(Error::ValueOutOfSpace { value: 15, max: 1, .. })));
    assert!(matches!(int.uints_from_blocks(Width::U8, full), Err(Error::ValueOutOfSpace { value: 15, max: 3, .. })));
    let (small, keys) = common::keys(common::literal(64, Space::Bit));
    assert!(matches!(keys.integers(), Err(Error::WrongSpace { .. })));
    assert!(matches!(small.encrypt_uints(Width::U8, &[1]), Err(Error::WrongSpace { .. })));
}
