//! Conformance of the negacyclic transform in doubles with exact products, and with the portable backend.

use everlevel_math::fft::{Digits, ExternalProduct, Factor, Fft, KeyWord, Together};
use everlevel_math::{Simd, monomial};

use crate::oracle::negacyclic_product_torus;
use crate::sample::Sampler;

/// A torus word, and how the oracle sees it.
pub trait Word: Factor + PartialEq + core::fmt::Debug {
    /// The leading bits of a random word.
    fn from_word(x: u64) -> Self;
    /// The word in the low bits.
    fn to_word(self) -> u64;
    /// `self − other`, signed.
    fn signed_difference(self, other: Self) -> i64;
    /// Bits that a small integer is shifted by for a matrix, so that its transform, rounded to words of the matrix, has
    /// an error that is small beside it.
    const KEY_SHIFT: u32;
    /// A value of a transform, rounded to a word of a matrix.
    fn key_word(x: f64) -> Self::Key;
}

impl Word for u32 {
    fn from_word(x: u64) -> Self {
        (x >> 32) as u32
    }
    fn to_word(self) -> u64 {
        u64::from(self)
    }
    fn signed_difference(self, other: Self) -> i64 {
        i64::from(self.wrapping_sub(other) as i32)
    }
    const KEY_SHIFT: u32 = 16;
    fn key_word(x: f64) -> i32 {
        x.round() as i32
    }
}

impl Word for u64 {
    fn from_word(x: u64) -> Self {
        x
    }
    fn to_word(self) -> u64 {
        self
    }
    fn signed_difference(self, other: Self) -> i64 {
        self.wrapping_sub(other) as i64
    }
    const KEY_SHIFT: u32 = 0;
    fn key_word(x: f64) -> f64 {
        x
    }
}

/// The low `BITS` bits of a word.
fn low<T: Word>(x: u64) -> T {
    T::from_word(x << (64 - T::BITS))
}

/// Signed digits of one word by their definition: each is the word rounded to its level's unit, upwards at ties, less
/// what the level above has of it.
pub fn digits_of<T: Word>(x: T, digits: Digits) -> Vec<i64> {
    let Digits { log2_base, levels } = digits;
    let rounded = |level: u32| {
        let unit = 1i128 << (T::BITS - log2_base * level);
        (2 * i128::from(x.to_word()) + unit).div_euclid(2 * unit)
    };
    (1..=levels).map(|level| (rounded(level) - (rounded(level - 1) << log2_base)) as i64).collect()
}

/// The errors of an external product, `Σ_j digit_j(x)·key_j` against exact arithmetic, in units of `2^-BITS`. `word`
/// gives the words of `x`, then of the keys, then of the polynomial that the product is added to; `to_key` rounds the
/// prepared key.
pub fn product_errors<T: Word, K: KeyWord>(
    fft: &Fft,
    digits: Digits,
    mut word: impl FnMut() -> u64,
    to_key: impl Fn(f64) -> K,
) -> Vec<i64> {
    let (n, levels) = (fft.n(), digits.levels as usize);
    let mut words = |len: usize| -> Vec<T> { (0..len).map(|_| T::from_word(word())).collect() };
    let (x, key, start) = (words(n), words(levels * n), words(n));
    let (mut prepared, mut transform) = (vec![to_key(0.0); levels * n], vec![0.0; n]);
    for (row, key) in key.chunks(n).enumerate() {
        fft.forward_torus(&mut transform, key);
        fft.interleave(&mut prepared, (row, 0), (levels, 1), transform.iter().map(|&x| to_key(x)));
    }
    let (mut transforms, mut sum, mut got) = (vec![0.0; levels * n], vec![0.0; n], start.clone());
    fft.forward_digits(&mut transforms, &x, digits);
    fft.multiply(&mut sum, &transforms, &prepared);
    fft.inverse_add(&mut got, &mut sum);
    let by_word: Vec<Vec<i64>> = x.iter().map(|&x| digits_of(x, digits)).collect();
    let mut expected: Vec<u64> = start.iter().map(|&x| x.to_word()).collect();
    for (j, key) in key.chunks(n).enumerate() {
        let digit: Vec<i64> = by_word.iter().map(|d| d[j]).collect();
        let key: Vec<u64> = key.iter().map(|&k| k.to_word()).collect();
        for (sum, p) in expected.iter_mut().zip(negacyclic_product_torus(&digit, &key)) {
            *sum = sum.wrapping_add(p);
        }
    }
    got.iter().zip(expected).map(|(&got, expected)| got.signed_difference(low(expected))).collect()
}

/// Transforms of real coefficients are those of the same integers, and their inverse gives `n/2` times what it had.
pub fn transforms_of_coefficients(simd: Simd, n: usize) {
    let fft = Fft::with_simd(n, simd).expect("size");
    let mut sampler = Sampler::new(n as u64);
    let words: Vec<u32> = (0..n).map(|_| u32::from_word(sampler.word())).collect();
    let doubles: Vec<f64> = words.iter().map(|&x| f64::from(x.cast_signed())).collect();
    let (mut expected, mut got, mut back) = (vec![0.0; n], vec![1.0; n], vec![1.0; n]);
    fft.forward_torus(&mut expected, &words);
    fft.forward(&mut got, &doubles);
    assert!(bits(&got) == bits(&expected), "{}: n = {n}", simd.name());
    fft.inverse_unscaled(&mut back, &mut got);
    let m = (n / 2) as f64;
    let error = back.iter().zip(&doubles).map(|(y, x)| (y / m - x).abs()).fold(0.0, f64::max);
    assert!(error < 2f64.powi(31 - 53) * 8.0 * f64::from(n.ilog2()), "{}: n = {n}, error {error:e}", simd.name());
}

/// Every entry point gives the bits of the portable backend.
pub fn matches_portable(simd: Simd, n: usize) {
    let plans = [Simd::SCALAR, simd].map(|simd| Fft::with_simd(n, simd).expect("size"));
    let same = |what: &str, f: &dyn Fn(&Fft) -> Vec<u64>| {
        let [expected, got] = [f(&plans[0]), f(&plans[1])];
        assert!(expected == got, "{}: {what}, n = {n}", simd.name());
    };
    let mut sampler = Sampler::new(n as u64);
    words_match::<u32>(&same, n, &mut sampler);
    words_match::<u64>(&same, n, &mut sampler);
    for (rows, cols) in [(1, 1), (2, 3), (6, 2), (3, 5), (0, 2)] {
        let mut doubles = |len: usize| -> Vec<f64> { (0..len).map(|_| sampler.word() as i64 as f64).collect() };
        let (x, key) = (doubles(rows * n), doubles(rows * cols * n));
        let short: Vec<f32> = key.iter().map(|&k| k as f32).collect();
        same(&format!("multiply {rows}×{cols}"), &|fft| {
            let mut out = [vec![1.0; cols * n], vec![1.0; cols * n]];
            fft.multiply(&mut out[0], &x, &key);
            fft.multiply(&mut out[1], &x, &short);
            bits(&out.concat())
        });
    }
}

/// A step of a blind rotation is the bits of its parts: difference, digits, products, inverse transforms.
pub fn external_products_are_their_parts<T: Word>(simd: Simd, n: usize, gadgets: &[Digits]) {
    let fft = Fft::with_simd(n, simd).expect("size");
    let log2_unit = 5;
    let product = ExternalProduct::new::<T>(fft.clone(), gadgets, log2_unit);
    let (rows, columns) = (product.rows(), gadgets.len());
    let mut sampler = Sampler::new(n as u64 + 1);
    let mut words = |len: usize| -> Vec<T> { (0..len).map(|_| T::from_word(sampler.word())).collect() };
    let start = words(columns * n);
    let mut key_word = || T::key_word(f64::from(sampler.word() as i32));
    let key: Vec<T::Key> = (0..product.matrix_len()).map(|_| key_word()).collect();
    // The multiplied words and the result for each exponent.
    let by_parts = |exponent: usize| {
        let (mut transforms, mut all) = (vec![0.0; rows * n], start.clone());
        let mut rest = &mut transforms[..];
        for ((a, x), &digits) in start.chunks(n).zip(all.chunks_mut(n)).zip(gadgets) {
            let (out, after) = rest.split_at_mut(digits.levels as usize * n);
            monomial::rotate_sub(x, a, exponent);
            fft.forward_digits(out, x, digits);
            rest = after;
        }
        let (mut sums, mut expected) = (vec![0.0; columns * n], start.clone());
        fft.multiply(&mut sums, &transforms, &key);
        for (acc, sum) in expected.chunks_mut(n).zip(sums.chunks_mut(n)) {
            fft.inverse_add_scaled(acc, sum, log2_unit);
        }
        assert!(exponent == 0 || expected != start);
        (exponent, all, expected)
    };
    let cases = [0, 1, n - 9, n, n + 24, 2 * n - 1].map(by_parts);
    let mut scratch = vec![1.0; product.scratch_len()];
    for (i, (exponent, x, expected)) in cases.iter().enumerate() {
        let ahead = [&key[..0], &key[..n / 2 + 3], &key[..]][i % 3];
        let about = format!("{}: n = {n}, X^{exponent}, {gadgets:?}, {} bits", simd.name(), T::BITS);
        let (exponent_2, x_2, expected_2) = &cases[(i + 1) % cases.len()];
        let (mut got, mut pair) = (start.clone(), [start.clone(), start.clone()]);
        product.rotate_add([(&mut got, *exponent)], &key, &mut scratch, ahead);
        assert!(got == *expected, "{about}");
        let [a, b] = &mut pair;
        product.rotate_add([(a, *exponent), (b, *exponent_2)], &key, &mut scratch, ahead);
        assert!(pair[0] == *expected && pair[1] == *expected_2, "two, {about}");
        let (mut got, mut pair) = (start.clone(), [start.clone(), start.clone()]);
        product.add([(&mut got, x)], &key, &mut scratch, ahead);
        assert!(got == *expected, "words, {about}");
        let [a, b] = &mut pair;
        product.add([(a, x), (b, x_2)], &key, &mut scratch, ahead);
        assert!(pair[0] == *expected && pair[1] == *expected_2, "two of words, {about}");
    }
}

/// A half product is the bits of its parts: digits of each polynomial, products, inverse transforms.
pub fn half_products_are_their_parts<T: Word>(simd: Simd, n: usize, gadgets: &[Digits], columns: usize) {
    let fft = Fft::with_simd(n, simd).expect("size");
    let product = ExternalProduct::half::<T>(fft.clone(), gadgets, columns, 3);
    let (inputs, mut sampler) = (gadgets.len(), Sampler::new(n as u64 + 3));
    let rows = gadgets.iter().map(|digits| digits.levels as usize).sum();
    assert_eq!((product.rows(), product.columns()), (rows, columns));
    let mut words = |len: usize| -> Vec<T> { (0..len).map(|_| T::from_word(sampler.word())).collect() };
    let (starts, x) = ([words(columns * n), words(columns * n)], [words(inputs * n), words(inputs * n)]);
    let key: Vec<T::Key> = (0..product.matrix_len()).map(|_| T::key_word(f64::from(sampler.word() as i32))).collect();
    let by_parts = |i: usize| {
        let (mut transforms, mut sums, mut expected) = (vec![0.0; rows * n], vec![0.0; columns * n], starts[i].clone());
        let mut rest = &mut transforms[..];
        for (x, &digits) in x[i].chunks_exact(n).zip(gadgets) {
            let (own, others) = rest.split_at_mut(digits.levels as usize * n);
            fft.forward_digits(own, x, digits);
            rest = others;
        }
        fft.multiply(&mut sums, &transforms, &key);
        for (acc, sum) in expected.chunks_mut(n).zip(sums.chunks_mut(n)) {
            fft.inverse_add_scaled(acc, sum, 3);
        }
        expected
    };
    let (expected, mut scratch) = ([0, 1].map(by_parts), vec![1.0; product.scratch_len()]);
    let (mut got, mut pair) = (starts[0].clone(), starts.clone());
    product.add([(&mut got, &x[0])], &key, &mut scratch, &key[..]);
    assert!(got == expected[0], "{}: n = {n}, {gadgets:?}, {columns} columns", simd.name());
    let [a, b] = &mut pair;
    product.add([(a, &x[0]), (b, &x[1])], &key, &mut scratch, &[]);
    assert!(pair == expected, "two, {}: n = {n}, {gadgets:?}, {columns} columns", simd.name());
}

/// A step of several bits is the schoolbook product, if the error of the transforms is far below half a unit; for any
/// key, it is the bits of the portable backend, for each of two accumulators as for one, if they have one part.
pub fn steps_of_bits_are_right<T: Word>(
    simd: Simd,
    (n, parts): (usize, usize),
    gadgets: &[Digits],
    together: Together,
) {
    let make = |simd| {
        let fft = Fft::with_simd(n, simd).expect("size");
        ExternalProduct::new::<T>(fft, gadgets, 0).of_bits(together, parts)
    };
    let (product, portable) = (make(simd), make(Simd::SCALAR));
    let (rows, columns, matrix_len) = (product.rows(), gadgets.len(), product.matrix_len());
    let mut sampler = Sampler::new(n as u64 + 2);
    let mut accs =
        [(); 2].map(|()| -> Vec<T> { (0..parts * columns * n).map(|_| T::from_word(sampler.word())).collect() });
    let whole = parts * n;
    let all = [[whole + 9, 3, whole - 1, 1], [2 * whole - 1, 0, whole, 5]];
    let exponents = all.each_ref().map(|all| &all[..together.bits()]);
    let matrices = together.matrices();
    let run = |product: &ExternalProduct, key: &[T::Key], accs: &[Vec<T>; 2]| {
        let (mut apart, mut together) = (accs.clone(), accs.clone());
        let mut scratch = vec![1.0; product.scratch_len()];
        for (acc, exponents) in apart.iter_mut().zip(exponents) {
            product.rotate_add_bits([(acc, exponents)], key, &mut scratch, &key[..n]);
        }
        if parts > 1 {
            return apart;
        }
        let [a, b] = &mut together;
        product.rotate_add_bits([(a, exponents[0]), (b, exponents[1])], key, &mut scratch, &[]);
        assert!(apart == together, "{}: n = {n}, {gadgets:?}: one and two", simd.name());
        together
    };
    let about = format!("{}: n = {n}, {parts} parts, {gadgets:?}, {} bits", simd.name(), T::BITS);

    let any: Vec<T::Key> = (0..matrices * matrix_len).map(|_| T::key_word(f64::from(sampler.word() as i32))).collect();
    assert!(run(&product, &any, &accs) == run(&portable, &any, &accs), "{about}: any key");

    // Matrices of small words at three places each.
    let mut small = || (sampler.word() as usize % n, (sampler.word() % 255) as i64 - 127);
    let entries: Vec<[(usize, i64); 3]> = (0..matrices * rows * columns).map(|_| [(); 3].map(|()| small())).collect();
    let mut key = vec![T::key_word(0.0); matrices * matrix_len];
    for (i, entry) in entries.iter().enumerate() {
        let (matrix, row, column) = (i / (rows * columns), i / columns % rows, i % columns);
        let (mut words, mut transform) = (vec![low::<T>(0); n], vec![0.0; n]);
        entry.iter().for_each(|&(place, x)| {
            words[place] = low(words[place].to_word().wrapping_add((x << T::KEY_SHIFT) as u64));
        });
        product.fft().forward_torus(&mut transform, &words);
        let key = &mut key[matrix * matrix_len..][..matrix_len];
        product.fft().interleave(key, (row, column), (rows, columns), transform.into_iter().map(T::key_word));
    }
    let found = run(&product, &key, &accs);
    for ((acc, found), exponents) in accs.iter_mut().zip(&found).zip(exponents) {
        // (Y^e − 1)·x, words of 64 bits.
        let turn = |x: &[u64], e: usize| {
            let mut out = vec![0; whole];
            monomial::rotate_sub(&mut out, x, e);
            out
        };
        // The digits of each part, row by row.
        let digits: Vec<Vec<i64>> = acc
            .chunks(n)
            .zip(gadgets.iter().cycle())
            .flat_map(|(x, &gadget)| {
                let words: Vec<Vec<i64>> = x.iter().map(|&x| digits_of(x, gadget)).collect();
                (0..gadget.levels as usize).map(move |level| words.iter().map(|d| d[level]).collect())
            })
            .collect();
        for column in 0..columns {
            let products: Vec<Vec<u64>> = (0..matrices)
                .map(|matrix| {
                    let mut sum = vec![0u64; whole];
                    for (i, digits) in digits.iter().enumerate() {
                        let (part, row) = (i / rows, i % rows);
                        for &(place, x) in &entries[(matrix * rows + row) * columns + column] {
                            for (i, &d) in digits.iter().enumerate() {
                                let term = (if i + place < n { d * x } else { -d * x }) << T::KEY_SHIFT;
                                let at = &mut sum[(i + place) % n * parts + part];
                                *at = at.wrapping_add(term as u64);
                            }
                        }
                    }
                    sum
                })
                .collect();
            let mut terms: Vec<_> = products.iter().zip(exponents).map(|(product, &e)| turn(product, e)).collect();
            if together == Together::Pair {
                terms.push(turn(&turn(&products[2], exponents[0]), exponents[1]));
            }
            for i in 0..whole {
                let at = (i % parts * columns + column) * n + i / parts;
                let expected: T = low(terms.iter().fold(acc[at].to_word(), |sum, term| sum.wrapping_add(term[i])));
                let error = found[at].signed_difference(expected);
                assert!(2 * error.abs() < 1 << T::KEY_SHIFT, "{about}, column {column}, coefficient {i}: {error}");
            }
        }
    }
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// Compares what two backends return, under a name.
type Same<'a> = &'a dyn Fn(&str, &dyn Fn(&Fft) -> Vec<u64>);

fn words_match<T: Word>(same: Same<'_>, n: usize, sampler: &mut Sampler) {
    let name = |what: &str| format!("{what} of {} bits", T::BITS);
    // One word in four is at an edge.
    let x: Vec<T> = (0..n)
        .map(|i| {
            T::from_word(if i % 4 == 0 { [0, u64::MAX, 1 << 63, (1 << 63) - 1][i / 4 % 4] } else { sampler.word() })
        })
        .collect();
    same(&name("forward_torus"), &|fft| {
        let mut out = vec![0.0; n];
        fft.forward_torus(&mut out, &x);
        bits(&out)
    });
    for (log2_base, levels) in [(7, 3), (2, 8), (1, 30), (15, 2), (23, 1)] {
        same(&name(&format!("digits {log2_base}×{levels}")), &|fft| {
            let mut out = vec![0.0; levels as usize * n];
            fft.forward_digits(&mut out, &x, Digits { log2_base, levels });
            bits(&out)
        });
    }
    // Sums that stay in the word, that wrap, and that wrap thousands of times.
    for log2_size in [20, T::BITS + 5, T::BITS + 30] {
        let y: Vec<f64> = (0..n).map(|_| sampler.word() as i64 as f64 * 2f64.powi(log2_size as i32 - 63)).collect();
        same(&name(&format!("inverse from 2^{log2_size}")), &|fft| {
            let mut acc = x.clone();
            fft.inverse_add(&mut acc, &mut y.clone());
            acc.iter().map(|&x| x.to_word()).collect()
        });
    }
}
