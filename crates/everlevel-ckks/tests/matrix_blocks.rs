//! Matrices of more rows or columns than slots, against plain arithmetic.

use crate::common;

use crate::common::{Party, assert_close, assert_headers_are_refused, round_trip, uniform};
use everlevel_ckks::RotationKeys;
use everlevel_ckks::{Ciphertext, Complex64, Entries, Error, Params, ParamsLiteral, Units, no_progress};

const SLOTS: usize = 64;
const LEVEL: usize = 2;
const BITS: f64 = 20.0;

/// A product with a matrix in one of its forms.
type Product<'a> = &'a dyn Fn(&Units<Ciphertext>) -> Units<Ciphertext>;

fn party() -> Party {
    let params = Params::try_from(ParamsLiteral::insecure_depth(9, LEVEL)).unwrap();
    Party::of(common::context(params, Some(SLOTS), 1))
}

fn encrypted(p: &Party, values: &[Complex64]) -> Units<Ciphertext> {
    p.ctx.per_unit(values).try_map(|part| Ok(p.encrypt(part, LEVEL))).unwrap()
}

fn decrypted(p: &Party, a: &Units<Ciphertext>) -> Vec<Complex64> {
    a.all().iter().flat_map(|unit| p.decrypt(unit)).collect()
}

/// The product, filled up to whole units.
fn times(m: &[Complex64], (rows, columns): (usize, usize), x: &[Complex64]) -> Vec<Complex64> {
    let row = |i: usize| (0..columns).map(|j| m[i * columns + j] * x[j]).sum();
    (0..rows.next_multiple_of(SLOTS)).map(|i| if i < rows { row(i) } else { Complex64::default() }).collect()
}

#[test]
fn products_of_every_grid_of_blocks() {
    let p = party();
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    let key = p.ctx.matrix_multiplication_key(&p.secret, LEVEL, &no_progress).unwrap();
    for shape in [(65, 64), (64, 65), (128, 128), (200, 3), (3, 200), (150, 150), (1, 129), (129, 1)] {
        let (m, x) = (uniform(shape.0 * shape.1, 1), uniform(shape.1, 2));
        let (expected, a) = (times(&m, shape, &x), encrypted(&p, &x));
        let entries = Entries::Complex(&m);
        let matrix = p.ctx.encode_matrix(entries, shape, LEVEL, None).unwrap();
        let light = p.ctx.encode_light_matrix(entries, shape, LEVEL, None).unwrap();
        let lowered = p.ctx.level_down_matrix(&matrix, 1).unwrap();
        assert_eq!((matrix.dimensions(), light.dimensions()), (shape, shape));
        for keys in [RotationKeys::from(&rotation), RotationKeys::from(&key)] {
            let products = [
                p.ctx.multiply_matrix(&matrix, &a, &keys).unwrap(),
                p.ctx.multiply_light_matrix(&light, &a, &keys).unwrap(),
                p.ctx.multiply_entries(entries, shape, &a, &keys).unwrap(),
            ];
            for product in &products {
                assert_eq!((product.count(), product.first().level()), (shape.0.div_ceil(SLOTS), LEVEL - 1));
                assert_close(&format!("{shape:?}"), &decrypted(&p, product), &expected, BITS);
                // All three have the same integers.
                assert_eq!(decrypted(&p, product), decrypted(&p, &products[0]));
            }
            let product = p.ctx.multiply_matrix(&lowered, &a, &keys).unwrap();
            assert_eq!(product.first().level(), 0);
            assert_close("a level lower", &decrypted(&p, &product), &expected, BITS - 2.0);
        }
    }
}

#[test]
fn sparse_blocks_cost_their_diagonals_alone() {
    let p = party();
    let n = 3 * SLOTS;
    let mut m = vec![0.0; n * n];
    // A band of two diagonals, which crosses from block to block at the corners.
    (0..n).for_each(|i| m[i * n + i] = 0.5);
    (0..n - 1).for_each(|i| m[i * n + i + 1] = -0.25);
    let complex: Vec<Complex64> = m.iter().map(|&x| x.into()).collect();
    let matrix = p.ctx.encode_matrix(Entries::Real(&m), (n, n), LEVEL, None).unwrap();
    assert_eq!(matrix.diagonal_count(), 3 * 2 + 2);
    let x = uniform(n, 3);
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    let product = p.ctx.multiply_matrix(&matrix, &encrypted(&p, &x), &rotation).unwrap();
    assert_close("a band", &decrypted(&p, &product), &times(&complex, (n, n), &x), BITS);
    // The same diagonals, modulo the slots, of a matrix that has all.
    let dense = uniform(n * n, 4);
    let kept = |at: usize| matches!((at % n + n - at / n) % SLOTS, 0 | 1);
    let banded: Vec<Complex64> = (0..n * n).map(|at| if kept(at) { dense[at] } else { Complex64::default() }).collect();
    let chosen = p.ctx.encode_matrix(Entries::Complex(&dense), (n, n), LEVEL, Some(&[0, 1])).unwrap();
    assert_eq!(chosen.diagonal_count(), 9 * 2);
    let product = p.ctx.multiply_matrix(&chosen, &encrypted(&p, &x), &rotation).unwrap();
    assert_close("chosen diagonals", &decrypted(&p, &product), &times(&banded, (n, n), &x), BITS);
    // A row of blocks without entries.
    m[SLOTS * n..2 * SLOTS * n].fill(0.0);
    let complex: Vec<Complex64> = m.iter().map(|&x| x.into()).collect();
    let product = p.ctx.multiply_entries(Entries::Real(&m), (n, n), &encrypted(&p, &x), &rotation).unwrap();
    assert_close("an empty row of blocks", &decrypted(&p, &product), &times(&complex, (n, n), &x), BITS);
}

#[test]
fn several_vectors_at_once() {
    let p = party();
    let (shape, m) = ((100, 70), uniform(7000, 5));
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    let x = uniform(3 * 2 * SLOTS, 6);
    let product = p.ctx.multiply_entries(Entries::Complex(&m), shape, &encrypted(&p, &x), &rotation).unwrap();
    let expected: Vec<Complex64> = x.chunks(2 * SLOTS).flat_map(|x| times(&m, shape, x)).collect();
    assert_eq!(product.count(), 3 * 2);
    assert_close("three vectors", &decrypted(&p, &product), &expected, BITS);
}

#[test]
fn vectors_together_have_the_bits_of_each() {
    let p = party();
    let (shape, m) = ((100, 70), uniform(7000, 12));
    let entries = Entries::Complex(&m);
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    let plain = p.ctx.encode_matrix(entries, shape, LEVEL, None).unwrap();
    let light = p.ctx.encode_light_matrix(entries, shape, LEVEL, None).unwrap();
    let products: [(&str, Product); 3] = [
        ("plain", &|a| p.ctx.multiply_matrix(&plain, a, &rotation).unwrap()),
        ("light", &|a| p.ctx.multiply_light_matrix(&light, a, &rotation).unwrap()),
        ("entries", &|a| p.ctx.multiply_entries(entries, shape, a, &rotation).unwrap()),
    ];
    // More vectors than are multiplied together, of two units each.
    let all = encrypted(&p, &uniform(6 * 2 * SLOTS, 13));
    for (form, product) in products {
        let units = all.split();
        let pair = |units: &[Units<Ciphertext>]| Units::stack(&units.iter().collect::<Vec<_>>()).unwrap();
        let each: Vec<_> = units.chunks(2).map(|units| product(&pair(units))).collect();
        let (each, together) = (pair(&each), product(&all));
        assert_eq!(decrypted(&p, &together), decrypted(&p, &each), "{form}");
        assert_eq!(together.precision_bits(), each.precision_bits(), "{form}");
    }
}

#[test]
fn the_error_estimate_is_that_of_the_error() {
    let p = party();
    let (shape, m) = ((150, 200), uniform(150 * 200, 7));
    let x = uniform(200, 8);
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    let product = p.ctx.multiply_entries(Entries::Complex(&m), shape, &encrypted(&p, &x), &rotation).unwrap();
    let got = &decrypted(&p, &product)[..150];
    let actual = -common::precision(got, &times(&m, shape, &x)[..150]).rms.log2();
    let estimate = product.first().precision_bits();
    assert!((actual - estimate).abs() < 2.0, "{actual:.2} bits, estimated {estimate:.2}");
}

#[test]
fn units_that_the_columns_do_not_fill_are_refused() {
    let p = party();
    let m = p.ctx.encode_matrix(Entries::Real(&[1.0; 2 * 130]), (2, 130), 1, None).unwrap();
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    for (len, found) in [(1, 1), (2 * SLOTS, 2), (4 * SLOTS, 4)] {
        let error = p.ctx.multiply_matrix(&m, &encrypted(&p, &uniform(len, 9)), &rotation).unwrap_err();
        assert!(matches!(error, Error::MatrixUnits { columns: 130, needed: 3, found: f, .. } if f == found), "{error}");
    }
    // Entries that are too large for the level, in one row of blocks alone.
    let mut large = vec![0.0; 130 * 2];
    large[259] = 1e12;
    let error = p.ctx.encode_matrix(Entries::Real(&large), (130, 2), 1, None).unwrap_err();
    assert!(matches!(error, Error::ScaleOverflow { .. }), "{error}");
}

#[test]
fn matrices_of_blocks_come_back_from_files() {
    let p = party();
    let (shape, m) = ((100, 70), uniform(7000, 10));
    let a = encrypted(&p, &uniform(70, 11));
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    let entries = Entries::Complex(&m);
    let expected = decrypted(&p, &p.ctx.multiply_entries(entries, shape, &a, &rotation).unwrap());
    let (matrix, _) = round_trip(&p.ctx, &p.ctx.encode_matrix(entries, shape, LEVEL, None).unwrap());
    let (light, _) = round_trip(&p.ctx, &p.ctx.encode_light_matrix(entries, shape, LEVEL, None).unwrap());
    assert_eq!(decrypted(&p, &p.ctx.multiply_matrix(&matrix, &a, &rotation).unwrap()), expected);
    assert_eq!(decrypted(&p, &p.ctx.multiply_light_matrix(&light, &a, &rotation).unwrap()), expected);
}

#[test]
fn headers_of_blocks_that_no_writer_writes_are_refused() {
    let p = party();
    let ones = vec![1.0; 65 * 2];
    let matrix = p.ctx.encode_light_matrix(Entries::Real(&ones), (65, 2), LEVEL, None).unwrap();
    let largest = format!("[{},3]", usize::MAX);
    let cases = [
        ("\"block_sizes\":[64,2]", "\"block_sizes\":[64]", "number of blocks is 1"),
        ("\"block_sizes\":[64,2]", "\"block_sizes\":[64,3]", "block_sizes is [64, 3]"),
        ("\"block_sizes\":[64,2]", "\"block_sizes\":[65,1]", "diagonals is"),
        ("[64,2]", &largest, "block_sizes is"),
        ("\"rows\":65", "\"rows\":64", "number of blocks is 2"),
        ("\"rows\":65", "\"rows\":18446744073709551615", "number of blocks is 2"),
    ];
    assert_headers_are_refused(&p.ctx, &matrix, &cases);
}
