//! Plain matrices and light plaintexts, against plain arithmetic.

use crate::common;

use crate::common::{Party, assert_close, assert_headers_are_refused, depth, header, round_trip, uniform};
use everlevel_ckks::RotationKeys;
use everlevel_ckks::{
    Ciphertext, Complex64, Entries, Error, Loading, ObjectError, Options, Params, ParamsLiteral, PlainMatrix, Units,
    io, no_progress,
};

const LOG_N: u32 = 9;
const SLOTS: usize = 256;
const LEVELS: usize = 3;
const BITS: f64 = 20.0;

fn times(m: &[Complex64], (rows, columns): (usize, usize), x: &[Complex64]) -> Vec<Complex64> {
    let row = |i: usize| (0..columns).map(|j| m[i * columns + j] * x[j]).sum();
    (0..SLOTS).map(|i| if i < rows { row(i) } else { Complex64::default() }).collect()
}

fn encrypted(p: &Party, values: &[Complex64], level: usize) -> Units<Ciphertext> {
    p.ctx.per_unit(values).try_map(|part| Ok(p.encrypt(part, level))).unwrap()
}

fn decrypted(p: &Party, a: &Units<Ciphertext>) -> Vec<Complex64> {
    a.all().iter().flat_map(|unit| p.decrypt(unit)).collect()
}

fn real(values: &[Complex64]) -> Vec<f64> {
    values.iter().map(|z| z.re).collect()
}

#[test]
fn products_of_every_shape_and_kind() {
    let p = depth(LOG_N, LEVELS);
    let x = uniform(SLOTS, 1);
    let a = encrypted(&p, &x, LEVELS);
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    let key = p.ctx.matrix_multiplication_key(&p.secret, LEVELS, &no_progress).unwrap();
    for shape in [(SLOTS, SLOTS), (5, 7), (1, SLOTS), (SLOTS, 1), (64, 128), (256, 3), (1, 1), (100, 100)] {
        let m = uniform(shape.0 * shape.1, 2);
        let expected = times(&m, shape, &x);
        let entries = Entries::Complex(&m);
        let matrix = p.ctx.encode_matrix(entries, shape, LEVELS, None).unwrap();
        let light = p.ctx.encode_light_matrix(entries, shape, LEVELS, None).unwrap();
        assert_eq!((matrix.dimensions(), light.dimensions()), (shape, shape));
        assert_eq!(matrix.diagonal_count(), (shape.0 + shape.1 - 1).min(SLOTS));
        for keys in [RotationKeys::from(&rotation), RotationKeys::from(&key)] {
            let products = [
                p.ctx.multiply_matrix(&matrix, &a, &keys).unwrap(),
                p.ctx.multiply_light_matrix(&light, &a, &keys).unwrap(),
                p.ctx.multiply_entries(entries, shape, &a, &keys).unwrap(),
            ];
            for product in &products {
                assert_eq!(product.first().level(), LEVELS - 1);
                assert_eq!(Some(product.first().scale()), p.ctx.scale_at(LEVELS - 1));
                assert_close(&format!("{shape:?}"), &decrypted(&p, product), &expected, BITS);
                // All three have the same integers.
                assert_eq!(decrypted(&p, product), decrypted(&p, &products[0]));
            }
        }
        let plain: Vec<f64> = real(&m);
        let expected = times(&plain.iter().map(|&x| x.into()).collect::<Vec<_>>(), shape, &x);
        let product = p.ctx.multiply_entries(Entries::Real(&plain), shape, &a, &rotation).unwrap();
        assert_close("real", &decrypted(&p, &product), &expected, BITS);
    }
}

#[test]
fn the_error_estimate_is_that_of_the_error() {
    let p = depth(LOG_N, LEVELS);
    let x = uniform(SLOTS, 3);
    let m = uniform(SLOTS * SLOTS, 4);
    let expected = times(&m, (SLOTS, SLOTS), &x);
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    for level in [1, LEVELS] {
        let product =
            p.ctx.multiply_entries(Entries::Complex(&m), (SLOTS, SLOTS), &encrypted(&p, &x, level), &rotation).unwrap();
        let actual = -common::precision(&decrypted(&p, &product), &expected).rms.log2();
        let estimate = product.first().precision_bits();
        assert!((actual - estimate).abs() < 2.0, "level {level}: {actual:.2} bits, estimated {estimate:.2}");
    }
}

#[test]
fn levels_are_the_lower_of_both() {
    let p = depth(LOG_N, LEVELS);
    let x = uniform(SLOTS, 5);
    let (shape, m) = ((20, 30), uniform(600, 6));
    let expected = times(&m, shape, &x);
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    let matrix = p.ctx.encode_matrix(Entries::Complex(&m), shape, LEVELS, None).unwrap();
    let light = p.ctx.encode_light_matrix(Entries::Complex(&m), shape, LEVELS, None).unwrap();
    for level in 1..=LEVELS {
        let a = encrypted(&p, &x, level);
        let lowered = p.ctx.level_down_matrix(&matrix, level).unwrap();
        let changed = p.ctx.change_matrix_level(&light, level).unwrap();
        assert_eq!((lowered.level(), changed.level()), (level, level));
        let high = encrypted(&p, &x, LEVELS);
        for product in [
            p.ctx.multiply_matrix(&matrix, &a, &rotation).unwrap(),
            p.ctx.multiply_light_matrix(&light, &a, &rotation).unwrap(),
            p.ctx.multiply_matrix(&lowered, &high, &rotation).unwrap(),
            p.ctx.multiply_light_matrix(&changed, &high, &rotation).unwrap(),
        ] {
            assert_eq!(product.first().level(), level - 1);
            assert_close("at a lower level", &decrypted(&p, &product), &expected, BITS - 2.0);
        }
    }
    assert!(lowered_bytes(&p, &matrix) < matrix.nbytes());
    assert_eq!(light.nbytes(), light.diagonal_count() * 8 * 2 * SLOTS);
}

fn lowered_bytes(p: &Party, matrix: &everlevel_ckks::PlainMatrix) -> usize {
    p.ctx.level_down_matrix(matrix, 1).unwrap().nbytes()
}

#[test]
fn chosen_diagonals_alone_are_taken() {
    let p = depth(LOG_N, LEVELS);
    let x = uniform(SLOTS, 7);
    let m = uniform(SLOTS * SLOTS, 8);
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    for chosen in [vec![0], vec![0, 1, -1], vec![255, 128, -128, 3], vec![256, 1000, -1]] {
        let kept =
            |i: usize, j: usize| chosen.iter().any(|d: &i64| (j as i64 - i as i64 - d).rem_euclid(SLOTS as i64) == 0);
        let banded: Vec<Complex64> = (0..SLOTS * SLOTS)
            .map(|at| if kept(at / SLOTS, at % SLOTS) { m[at] } else { Complex64::default() })
            .collect();
        let expected = times(&banded, (SLOTS, SLOTS), &x);
        let matrix = p.ctx.encode_matrix(Entries::Complex(&m), (SLOTS, SLOTS), LEVELS, Some(&chosen)).unwrap();
        let product = p.ctx.multiply_matrix(&matrix, &encrypted(&p, &x, LEVELS), &rotation).unwrap();
        assert_close(&format!("{chosen:?}"), &decrypted(&p, &product), &expected, BITS);
    }
    // Nothing but zeros.
    let zeros = vec![0.0; SLOTS * SLOTS];
    let product =
        p.ctx.multiply_entries(Entries::Real(&zeros), (SLOTS, SLOTS), &encrypted(&p, &x, LEVELS), &rotation).unwrap();
    assert_close("zero", &decrypted(&p, &product), &[Complex64::default(); SLOTS], BITS);
}

#[test]
fn diagonals_stand_for_rows_of_entries() {
    let p = depth(LOG_N, LEVELS);
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    for (shape, places) in [
        ((SLOTS, SLOTS), vec![(0, 0), (0, 1), (0, 100), (0, SLOTS - 1)]),
        ((5, 7), vec![(0, 3), (0, SLOTS - 2)]),
        ((300, 400), vec![(0, 5), (1, 0), (1, 255), (3, 17)]),
        ((3, 3), vec![]),
    ] {
        let values = uniform(places.len() * SLOTS, 13);
        let block_columns = shape.1.div_ceil(SLOTS);
        let mut dense = vec![Complex64::default(); shape.0 * shape.1];
        for (k, &(block, amount)) in places.iter().enumerate() {
            for i in 0..SLOTS {
                let row = block / block_columns * SLOTS + i;
                let column = block % block_columns * SLOTS + (i + amount) % SLOTS;
                if row < shape.0 && column < shape.1 {
                    dense[row * shape.1 + column] = values[k * SLOTS + i];
                }
            }
        }
        let (x, plain) = (uniform(shape.1, 14), real(&values));
        let a = encrypted(&p, &x, LEVELS);
        let product = |entries| decrypted(&p, &p.ctx.multiply_entries(entries, shape, &a, &rotation).unwrap());
        let by_rows = product(Entries::Complex(&dense));
        assert_eq!(product(Entries::ComplexDiagonals(&places, &values)), by_rows);
        assert_eq!(product(Entries::RealDiagonals(&places, &plain)), product(Entries::Real(&real(&dense))));
    }
    let refused = |shape, places: &[(usize, usize)], count| {
        let values = vec![1.0; count];
        let error = p.ctx.encode_matrix(Entries::RealDiagonals(places, &values), shape, 1, None).unwrap_err();
        assert!(matches!(error, Error::Parameter { what: "shape of the matrix", .. }), "{error}");
    };
    refused((0, 4), &[], 0);
    refused((4, 4), &[(0, 0)], SLOTS - 1);
    refused((4, 4), &[(1, 0)], SLOTS);
    refused((4, 4), &[(0, SLOTS)], SLOTS);
    refused((4, 4), &[(0, 1), (0, 0)], 2 * SLOTS);
    refused((4, 4), &[(0, 1), (0, 1)], 2 * SLOTS);
    let mut values = vec![1.0; SLOTS];
    values[2] = f64::NAN;
    let nan = p.ctx.encode_matrix(Entries::RealDiagonals(&[(0, 0)], &values), (4, 4), 1, None);
    assert!(matches!(nan, Err(Error::NotFinite { index: 2, .. })));
}

#[test]
fn keys_of_its_own_rotations_are_enough_for_a_product() {
    let p = depth(LOG_N, LEVELS);
    let x = uniform(SLOTS, 15);
    let a = encrypted(&p, &x, LEVELS);
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    let places: Vec<(usize, usize)> = [0, 2, 3, 16, 18, 40, SLOTS - 7].iter().map(|&amount| (0, amount)).collect();
    let values = uniform(places.len() * SLOTS, 16);
    let matrix =
        p.ctx.encode_matrix(Entries::ComplexDiagonals(&places, &values), (SLOTS, SLOTS), LEVELS, None).unwrap();
    let light =
        p.ctx.encode_light_matrix(Entries::ComplexDiagonals(&places, &values), (SLOTS, SLOTS), LEVELS, None).unwrap();
    let needed = matrix.rotations();
    assert_eq!(light.rotations(), needed);
    let key = |left: i64, level| p.ctx.fixed_rotation_key(&p.secret, -left, level).unwrap();
    let keys: Vec<_> = needed.iter().map(|&left| key(left, LEVELS)).collect();
    let all: Vec<_> = keys.iter().collect();
    let expected = decrypted(&p, &p.ctx.multiply_matrix(&matrix, &a, &rotation).unwrap());
    let fixed = p.ctx.fixed_rotations(&all, LEVELS);
    assert_close("fixed", &decrypted(&p, &p.ctx.multiply_matrix(&matrix, &a, &fixed).unwrap()), &expected, BITS);
    // A key for a lower level is passed over at a higher one, and taken at its own.
    let low = key(needed[0], 1);
    let both: Vec<_> = all.iter().copied().chain([&low]).collect();
    for level in [LEVELS, 1] {
        let a = encrypted(&p, &x, level);
        let product = p.ctx.multiply_matrix(&matrix, &a, p.ctx.fixed_rotations(&both, level)).unwrap();
        assert_close("both", &decrypted(&p, &product), &expected, BITS);
    }
    let fewer = p.ctx.fixed_rotations(&all[1..], LEVELS);
    let lower = p.ctx.fixed_rotations(&[&low], LEVELS);
    for keys in [fewer, lower] {
        let error = p.ctx.multiply_matrix(&matrix, &a, keys).unwrap_err();
        assert!(matches!(error, Error::MissingRotation { op: "multiply_matrix", .. }), "{error}");
    }
    let stranger = p.ctx.fixed_rotation_key(&p.ctx.secret_key().unwrap(), 1, LEVELS).unwrap();
    let foreign: Vec<_> = all.iter().copied().chain([&stranger]).collect();
    assert!(matches!(
        p.ctx.multiply_matrix(&matrix, &a, p.ctx.fixed_rotations(&foreign, LEVELS)),
        Err(Error::Object(ObjectError::OtherSecret { .. }))
    ));
}

#[test]
fn few_slots_of_a_large_ring() {
    let params = Params::try_from(ParamsLiteral::insecure_depth(9, 2)).unwrap();
    for slots in [1, 2, 8, 64] {
        let p = Party::of(common::context(params.clone(), Some(slots), 1));
        let (x, m) = (uniform(slots, 9), uniform(slots * slots, 10));
        let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
        let entries = Entries::Complex(&m);
        let product = p.ctx.multiply_entries(entries, (slots, slots), &encrypted(&p, &x, 2), &rotation).unwrap();
        let expected: Vec<Complex64> = (0..slots).map(|i| (0..slots).map(|j| m[i * slots + j] * x[j]).sum()).collect();
        assert_close(&format!("{slots} slots"), &decrypted(&p, &product), &expected, BITS);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let p = depth(LOG_N, LEVELS);
    let a = encrypted(&p, &uniform(SLOTS, 11), LEVELS);
    let one = [1.0];
    let encode = |entries: &[f64], shape, level, chosen: Option<&[i64]>| {
        p.ctx.encode_matrix(Entries::Real(entries), shape, level, chosen).map(|m| m.level())
    };
    assert!(matches!(encode(&[], (0, 5), 1, None), Err(Error::Parameter { what: "shape of the matrix", .. })));
    assert!(matches!(encode(&[1.0; 5], (3, 2), 1, None), Err(Error::Parameter { what: "shape of the matrix", .. })));
    assert!(matches!(encode(&[f64::NAN], (1, 1), 1, None), Err(Error::NotFinite { index: 0, .. })));
    assert!(matches!(encode(&[1e300], (1, 1), 1, None), Err(Error::ScaleOverflow { .. })));
    assert!(matches!(encode(&one, (1, 1), 0, None), Err(Error::Parameter { what: "level of the matrix", .. })));
    assert!(matches!(encode(&one, (1, 1), 9, None), Err(Error::LevelOutOfRange { .. })));
    assert!(matches!(encode(&one, (1, 1), 1, Some(&[])), Err(Error::Parameter { what: "diagonal_indices", .. })));
    let matrix = p.ctx.encode_matrix(Entries::Real(&one), (1, 1), 2, None).unwrap();
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    let low = encrypted(&p, &uniform(8, 1), 0);
    assert!(matches!(p.ctx.multiply_matrix(&matrix, &low, &rotation), Err(Error::LevelExhausted { .. })));
    assert!(matches!(p.ctx.level_down_matrix(&matrix, 3), Err(Error::LevelOutOfRange { .. })));
    assert!(matches!(p.ctx.level_down_matrix(&matrix, 0), Err(Error::Parameter { .. })));
    let three = a.try_map(|unit| p.ctx.multiply_without_key(unit, unit)).unwrap();
    assert!(matches!(p.ctx.multiply_matrix(&matrix, &three, &rotation), Err(Error::NotRelinearized { .. })));
    let stranger = p.ctx.rotation_key(&p.ctx.secret_key().unwrap(), &no_progress).unwrap();
    assert!(matches!(
        p.ctx.multiply_matrix(&matrix, &a, &stranger),
        Err(Error::Object(ObjectError::OtherSecret { .. }))
    ));
    let level_1 = p.ctx.matrix_multiplication_key(&p.secret, 1, &no_progress).unwrap();
    assert!(matches!(p.ctx.multiply_matrix(&matrix, &a, &level_1), Err(Error::KeyLevel { served: 1, .. })));
    assert_eq!(p.ctx.key_level(&level_1), 1);
    let dense = vec![1.0; SLOTS * SLOTS];
    let options = Options { slot_count: Some(8), ..Options::default() };
    let narrow = common::context_with(p.ctx.params().clone(), options);
    assert!(narrow.multiply_matrix(&matrix, &a, &rotation).is_err());
    let product = p.ctx.multiply_entries(Entries::Real(&dense), (SLOTS, SLOTS), &a, &rotation);
    assert!(product.is_ok());
}

#[test]
fn light_plaintexts_are_plaintexts_at_every_level() {
    let p = depth(LOG_N, LEVELS);
    let x = uniform(SLOTS, 12);
    let light = p.ctx.encode_light(&x, 2).unwrap();
    assert_eq!((light.level(), light.nbytes()), (2, 8 * 2 * SLOTS));
    for level in 0..=2 {
        let (expanded, encoded) = (p.ctx.expand(&light, level).unwrap(), p.ctx.encode(&x, level).unwrap());
        assert_eq!(expanded.scale().to_bits(), encoded.scale().to_bits());
        assert_eq!(p.ctx.decode(&expanded).unwrap(), p.ctx.decode(&encoded).unwrap());
    }
    assert!(matches!(p.ctx.expand(&light, 3), Err(Error::LevelOutOfRange { max_level: 2, .. })));
    let raised = p.ctx.change_level(&light, 3).unwrap();
    let (expanded, encoded) = (p.ctx.expand(&raised, 3).unwrap(), p.ctx.encode(&x, 3).unwrap());
    assert_eq!(p.ctx.decode(&expanded).unwrap(), p.ctx.decode(&encoded).unwrap());
    assert!(matches!(p.ctx.change_level(&light, 4), Err(Error::LevelOutOfRange { .. })));
    let large = p.ctx.encode_light(&[Complex64::new(1e13, 0.0); SLOTS], 3).unwrap();
    assert!(matches!(p.ctx.change_level(&large, 0), Err(Error::ScaleOverflow { .. })));
    assert!(matches!(p.ctx.encode_light(&[], 1), Err(Error::EmptyMessage { .. })));
    assert!(matches!(p.ctx.encode_light(&x, 7), Err(Error::LevelOutOfRange { .. })));
}

#[test]
fn matrices_and_their_keys_come_back_from_files() {
    let p = depth(LOG_N, 2);
    let a = encrypted(&p, &uniform(SLOTS, 1), 2);
    let (shape, m) = ((20, 30), uniform(600, 2));
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    let (matrix, _) = round_trip(&p.ctx, &p.ctx.encode_matrix(Entries::Complex(&m), shape, 2, None).unwrap());
    let (light, _) = round_trip(&p.ctx, &p.ctx.encode_light_matrix(Entries::Complex(&m), shape, 2, None).unwrap());
    let (key, _) = round_trip(&p.ctx, &p.ctx.matrix_multiplication_key(&p.secret, 2, &no_progress).unwrap());
    let expected = decrypted(&p, &p.ctx.multiply_entries(Entries::Complex(&m), shape, &a, &rotation).unwrap());
    assert_eq!(decrypted(&p, &p.ctx.multiply_matrix(&matrix, &a, &rotation).unwrap()), expected);
    assert_eq!(decrypted(&p, &p.ctx.multiply_light_matrix(&light, &a, &rotation).unwrap()), expected);
    assert_close("with the key", &decrypted(&p, &p.ctx.multiply_matrix(&matrix, &a, &key).unwrap()), &expected, BITS);
    let values = uniform(700, 3);
    let units = p.ctx.per_unit(&values).try_map(|part| p.ctx.encode_light(part, 1)).unwrap();
    let (back, bytes) = round_trip(&p.ctx, &units);
    assert_eq!((back.count(), back.nbytes()), (3, 3 * 8 * 2 * SLOTS));
    for (x, y) in back.all().iter().zip(units.all()) {
        let decoded = |light| p.ctx.decode(&p.ctx.expand(light, 1).unwrap()).unwrap();
        assert_eq!(decoded(x), decoded(y));
    }
    let container = io::Container::from_bytes(bytes).unwrap();
    assert!(p.ctx.from_container::<PlainMatrix>(&container, Loading::default()).is_err());
    // Of real entries, half is stored.
    let real: Vec<f64> = m.iter().map(|z| z.re).collect();
    let (half, _) = round_trip(&p.ctx, &p.ctx.encode_matrix(Entries::Real(&real), shape, 2, None).unwrap());
    let (light, _) = round_trip(&p.ctx, &p.ctx.encode_light_matrix(Entries::Real(&real), shape, 2, None).unwrap());
    // Limbs are aligned, so that small ones take more than half.
    assert!(5 * half.nbytes() < 3 * matrix.nbytes() && light.nbytes() == half.diagonal_count() * 8 * SLOTS);
    let expected = decrypted(&p, &p.ctx.multiply_entries(Entries::Real(&real), shape, &a, &rotation).unwrap());
    assert_eq!(decrypted(&p, &p.ctx.multiply_matrix(&half, &a, &rotation).unwrap()), expected);
    assert_eq!(decrypted(&p, &p.ctx.multiply_light_matrix(&light, &a, &rotation).unwrap()), expected);
    let low = encrypted(&p, &uniform(SLOTS, 1), 1);
    let lowered = |matrix| decrypted(&p, &p.ctx.multiply_matrix(matrix, &low, &rotation).unwrap());
    assert_eq!(lowered(&half), lowered(&p.ctx.level_down_matrix(&half, 1).unwrap()));
}

#[test]
fn headers_of_matrices_that_no_writer_writes_are_refused() {
    let p = depth(LOG_N, 2);
    let matrix = p.ctx.encode_light_matrix(Entries::Real(&[1.0; 6]), (2, 3), 2, None).unwrap();
    let object = header(&p.ctx, &matrix);
    // One block is written as it was when there was no more than one.
    assert!(!object.contains("block_sizes"), "{object}");
    let cases = [
        ("\"rows\":2", "\"rows\":0", "rows is 0"),
        ("\"columns\":3", "\"columns\":999", "number of blocks is 0"),
        ("\"level\":2", "\"level\":0", "level is 0"),
        ("\"level\":2", "\"level\":3", "level is 3"),
        ("\"baby_count\":", "\"baby_count\":1", "baby_count is 1"),
        ("\"baby_count\":", "\"baby_count\":-", "baby_count is -"),
        ("[-1,", "[-1000,", "diagonals is"),
        ("[-1,", "[1,", "diagonals is"),
        ("\"row_norm\":", "\"row_norm\":-", "norms is -"),
        ("\"slot_count\":256", "\"slot_count\":128", "slot_count is 128"),
        ("\"is_real\":true", "\"is_real\":false", "by_half is true"),
        ("\"by_half\":true", "\"by_half\":false", "length of"),
    ];
    assert_headers_are_refused(&p.ctx, &matrix, &cases);
}
