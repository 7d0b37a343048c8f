//! Operations on limbs against big integers, with operands of different counts and digits at the edges.

use everlevel_math::base2k::Base;
use everlevel_ring::base2k::{Module, Operands, Transform, coefficients};
use everlevel_ring::{Limb, LimbRing};
use everlevel_testkit::base2k::{digit, value, wrapped};
use everlevel_testkit::sample::Sampler;
use num_bigint::BigInt;

const ALL: [Transform; 3] = [Transform::Doubles, Transform::TwoPrimes, Transform::ThreePrimes];

fn views(limbs: &[Vec<i64>]) -> Vec<&[i64]> {
    limbs.iter().map(Vec::as_slice).collect()
}

fn views_mut(limbs: &mut [Vec<i64>]) -> Vec<&mut [i64]> {
    limbs.iter_mut().map(Vec::as_mut_slice).collect()
}

fn digits(sampler: &mut Sampler, log2_base: u32, (count, n): (usize, usize)) -> Vec<Vec<i64>> {
    (0..count).map(|_| (0..n).map(|_| digit(sampler, log2_base)).collect()).collect()
}

fn balanced(limbs: &[Vec<i64>], log2_base: u32) -> bool {
    let half = 1i64 << (log2_base - 1);
    limbs.iter().flatten().all(|x| (-half..half).contains(x))
}

/// Whether a distance is at most half of `2^bits`, and the part of a half that balanced digits below it are worth.
fn is_rounded(distance: &BigInt, bits: u32) -> bool {
    let quarters: BigInt = BigInt::from(3) << bits;
    distance.magnitude() * 4u32 <= *quarters.magnitude()
}

#[test]
fn shifts_and_carries_are_those_of_integers() {
    let (n, mut sampler) = (600, Sampler::new(1));
    for log2_base in [2u32, 7, 19, 37, 60, 62] {
        let base = Base::new(log2_base).expect("base");
        let k = i64::from(log2_base);
        for (from, to) in [(3usize, 3usize), (1, 4), (4, 2), (2, 3)] {
            // Words far beyond the digits, within what a shift takes.
            let mut a = digits(&mut sampler, log2_base, (from, n));
            a[from - 1].iter_mut().for_each(|x| *x = sampler.word().cast_signed() >> 1);
            for factor in [0, 1, k - 1, k, k + 1, -1, -k, -k - 3, 2 * k + 1, -3 * k] {
                let mut out = vec![vec![77; n]; to];
                coefficients::shift_into(base, &mut views_mut(&mut out), &views(&a), factor);
                assert!(balanced(&out, log2_base), "K = {log2_base}, {from} to {to}, 2^{factor}");
                for i in (0..n).step_by(13) {
                    // In units of 2^(−from·K − 200).
                    let exact = (value(&views(&a), log2_base, i) << 400) >> (200 - factor) as usize;
                    let found = value(&views(&out), log2_base, i);
                    let bits = 200 + (from as i64 - to as i64) * k;
                    let total = (to as i64 * k + bits) as u32;
                    // Modulo 1: the nearest representative.
                    let distance = wrapped(&((found << bits as usize) - exact), total);
                    assert!(is_rounded(&distance, bits as u32), "K = {log2_base}, 2^{factor}: {distance}");
                    assert!(from > to || factor < 0 || distance == BigInt::ZERO, "exact, K = {log2_base}, 2^{factor}");
                }
            }
        }
    }
}

#[test]
fn rounding_of_few_bits_has_no_mean() {
    let (log_n, k, from) = (12, 30, 3);
    let ring = LimbRing::new(log_n, Transform::ThreePrimes, k, 4).expect("ring");
    let mut sampler = Sampler::new(7);
    let mut a = ring.zero(from);
    a.views_mut()
        .into_iter()
        .for_each(|limb| limb.iter_mut().for_each(|x| *x = sampler.word().cast_signed() >> (64 - k)));
    for (factor, to, zeros) in
        [(-1, 3, 0), (-2, 3, 0), (29, 2, 0), (-9, 3, 0), (0, 3, 1), (-1, 3, 2), (28, 2, 1), (0, 2, 3), (-40, 3, 2)]
    {
        let found = ring.shifted_with_zeros(&a, factor, to, zeros);
        let dropped = ((from - to) * k as usize + zeros as usize) as i64 - factor;
        // In units of the last bit that is kept, beside 2^200 for what is below.
        let (mut moments, unit) = ([0.0; 2], 200 + dropped);
        for i in 0..1 << log_n {
            let exact = value(&a.views(), k, i) << 200;
            let total = (to as i64 * i64::from(k) + unit) as u32 - zeros;
            let distance =
                wrapped(&((value(&found.views(), k, i) << (unit - i64::from(zeros)) as usize) - exact), total);
            let distance = (distance >> (unit - 30)).to_string().parse::<f64>().expect("number") / f64::from(1 << 30);
            assert!(distance.abs() <= 0.5 + 1e-8, "2^{factor} to {to} limbs, {zeros} zeros: {distance}");
            let units = value(&found.views(), k, i) >> zeros as usize;
            let is_even = (&units >> 1usize << 1usize) == units;
            assert!(distance.abs() < 0.5 || is_even || dropped > i64::from(k), "ties to even, 2^{factor}: {units}");
            moments = [moments[0] + distance, moments[1] + distance * distance];
        }
        let count = f64::from(1 << log_n);
        let variance = (1.0 + 2.0 * 0.25f64.powf(dropped as f64)) / 12.0;
        let [mean, found] = moments.map(|moment| moment / count);
        assert!(mean.abs() < 5.0 * (variance / count).sqrt(), "2^{factor} to {to}, {zeros} zeros: mean {mean}");
        assert!((found / variance - 1.0).abs() < 0.08, "2^{factor} to {to}, {zeros} zeros: {found}, {variance}");
    }
}

#[test]
fn bases_convert_to_each_other() {
    let (n, mut sampler) = (90, Sampler::new(2));
    for (from, to) in [(19u32, 60u32), (60, 19), (52, 37), (7, 62), (30, 60), (60, 30), (13, 13)] {
        let [base, target] = [from, to].map(|k| Base::new(k).expect("base"));
        for (count, kept) in [(3usize, 8usize), (5, 2), (1, 1)] {
            let mut a = digits(&mut sampler, from, (count, n));
            a[count - 1].iter_mut().step_by(3).for_each(|x| *x = x.wrapping_mul(3) >> 1);
            let mut out = vec![vec![77; n]; kept];
            coefficients::convert_base_into(target, &mut views_mut(&mut out), base, &views(&a));
            assert!(balanced(&out, to), "{from} to {to}");
            for i in 0..n {
                let (a_bits, out_bits) = (count as u32 * from, kept as u32 * to);
                let exact = value(&views(&a), from, i) << out_bits;
                let found = value(&views(&out), to, i) << a_bits;
                let distance = wrapped(&(found - exact), a_bits + out_bits);
                assert!(is_rounded(&distance, a_bits), "{from} to {to}, {count} to {kept}: {distance}");
                assert!(out_bits < a_bits || distance == BigInt::ZERO, "exact, {from} to {to}");
            }
        }
    }
}

#[test]
fn sums_take_limbs_of_different_counts() {
    let (n, mut sampler) = (16, Sampler::new(3));
    let (a, b) = (digits(&mut sampler, 40, (3, n)), digits(&mut sampler, 40, (2, n)));
    let (mut sum, mut difference) = (vec![vec![77; n]; 4], vec![vec![77; n]; 2]);
    coefficients::add_into(&mut views_mut(&mut sum), &views(&a), &views(&b));
    coefficients::sub_into(&mut views_mut(&mut difference), &views(&b), &views(&a));
    for i in 0..n {
        assert_eq!([sum[0][i], sum[1][i], sum[2][i], sum[3][i]], [a[0][i] + b[0][i], a[1][i] + b[1][i], a[2][i], 0]);
        assert_eq!([difference[0][i], difference[1][i]], [b[0][i] - a[0][i], b[1][i] - a[1][i]]);
    }
}

#[test]
fn rotations_and_other_degrees_move_coefficients() {
    let n = 32;
    let a: Vec<Vec<i64>> = vec![(1..=n as i64).collect()];
    for exponent in [0, 1, 31, 32, 63, -1, -40] {
        let mut out = vec![vec![0; n]; 2];
        coefficients::rotate_into(&mut views_mut(&mut out), &views(&a), exponent);
        for j in 0..n {
            let k = (j as i64 + exponent).rem_euclid(2 * n as i64) as usize;
            assert_eq!(out[0][k % n], if k < n { a[0][j] } else { -a[0][j] }, "X^{exponent}");
        }
        assert!(out[1].iter().all(|&x| x == 0));
    }
    let (mut parts, mut back) = (vec![vec![0; n / 4]; 4], vec![0; n]);
    coefficients::split_into(&mut views_mut(&mut parts), &a[0]);
    assert!((0..n).all(|j| parts[j % 4][j / 4] == a[0][j]));
    coefficients::merge_into(&mut back, &views(&parts));
    assert_eq!(back, a[0]);
}

fn words(limbs: &[Limb]) -> Vec<&[u64]> {
    limbs.iter().map(|limb| &limb[..]).collect()
}

fn words_mut(limbs: &mut [Limb]) -> Vec<&mut [u64]> {
    limbs.iter_mut().map(|limb| &mut limb[..]).collect()
}

fn transformed(module: &Module, a: &[Vec<i64>]) -> Vec<Limb> {
    let mut out = module.scratch(a.len() * module.width());
    module.forward(&mut words_mut(&mut out), &views(a));
    out
}

/// The limbs of transforms.
fn carried(module: &Module, base: Base, mut sum: Vec<Limb>, count: usize) -> Vec<Vec<i64>> {
    module.inverse(&mut words_mut(&mut sum));
    let mut out = vec![vec![77; module.n()]; count];
    module.normalize(base, &mut views_mut(&mut out), &words(&sum));
    out
}

/// `a·b` in `Z[X]/(X^n + 1)`.
fn product(a: &[i64], b: &[i64]) -> Vec<BigInt> {
    let n = a.len();
    let mut c = vec![BigInt::ZERO; n];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let p = i128::from(x) * i128::from(y);
            c[(i + j) % n] += if i + j < n { p } else { -p };
        }
    }
    c
}

/// Whether limbs are the columns' sums, carried, modulo what is above the first.
fn assert_carried(found: &[Vec<i64>], columns: &[Vec<BigInt>], log2_base: u32, about: &str) {
    assert!(balanced(found, log2_base), "{about}");
    let (kept, bits) = (found.len(), (columns.len() - found.len()) as u32 * log2_base);
    for i in 0..found[0].len() {
        let exact = columns.iter().fold(BigInt::ZERO, |sum, column| (sum << log2_base) + &column[i]);
        let found = value(&views(found), log2_base, i) << bits;
        let distance = wrapped(&(found - exact), kept as u32 * log2_base + bits);
        assert!(is_rounded(&distance, bits), "{about}, coefficient {i}: {distance}");
        assert!(bits > 0 || distance == BigInt::ZERO, "{about}, coefficient {i}");
    }
}

#[test]
fn products_are_those_of_integers_at_the_largest_base() {
    for transform in ALL {
        let module = Module::new(8, transform).expect("degree");
        let (n, mut sampler) = (module.n(), Sampler::new(4));
        let log2_base = module.max_log2_base(3, Operands::Chosen);
        let base = Base::new(log2_base).expect("base");
        let (a, b) = (digits(&mut sampler, log2_base, (3, n)), digits(&mut sampler, log2_base, (2, n)));
        let width = module.width();
        let (x, y) = (transformed(&module, &a), transformed(&module, &b));
        let about = |what: &str| format!("{transform:?}, K = {log2_base}, {what}");

        // Convolutions: all coefficients, from the second on, and of two pairs.
        let column = |k: usize| -> Vec<BigInt> {
            let mut sum = vec![BigInt::ZERO; n];
            for (i, a) in a.iter().enumerate().filter(|(i, _)| *i <= k && k - i < b.len()) {
                product(a, &b[k - i]).into_iter().zip(&mut sum).for_each(|(p, sum)| *sum += p);
            }
            sum
        };
        let columns: Vec<Vec<BigInt>> = (0..4).map(column).collect();
        for (offset, count, kept) in [(0, 4, 4), (1, 3, 3), (0, 4, 2), (2, 4, 3)] {
            let mut sum = module.scratch(count * width);
            module.convolve(&mut words_mut(&mut sum), offset, &[[&words(&x), &words(&y)]]);
            let mut expected = columns[offset..].to_vec();
            expected.resize(count, vec![BigInt::ZERO; n]);
            let found = carried(&module, base, sum, kept);
            assert_carried(&found, &expected, log2_base, &about(&format!("convolution from {offset}")));
        }
        let twice: Vec<Vec<BigInt>> = columns.iter().map(|c| c.iter().map(|x| x * 2).collect()).collect();
        if module.max_log2_base(6, Operands::Chosen) >= log2_base {
            let mut sum = module.scratch(4 * width);
            module.convolve(&mut words_mut(&mut sum), 0, &[[&words(&x), &words(&y)], [&words(&y), &words(&x)]]);
            assert_carried(&carried(&module, base, sum, 4), &twice, log2_base, &about("two pairs"));
        }

        // Scalars: a missing limb is 0.
        let mut sum = module.scratch(4 * width);
        module.multiply_scalar(&mut words_mut(&mut sum), &words(&y[..width]), &words(&x));
        let mut expected: Vec<Vec<BigInt>> = a.iter().map(|a| product(a, &b[0])).collect();
        expected.push(vec![BigInt::ZERO; n]);
        assert_carried(&carried(&module, base, sum, 4), &expected, log2_base, &about("scalar"));

        // Matrices, with operands of fewer rows, and results of fewer and of more columns.
        let (rows, columns) = (3, 4);
        let entries: Vec<Vec<i64>> = digits(&mut sampler, log2_base, (rows * columns, n));
        let mut matrix = module.zero_matrix(rows, columns);
        for (at, entry) in entries.iter().enumerate() {
            module.prepare(&mut matrix, (at / columns, at % columns), entry);
        }
        for (used, kept) in [(3, 4), (2, 3), (3, 5), (0, 4)] {
            let mut sum = module.scratch(kept * width);
            module.multiply_matrix(&mut words_mut(&mut sum), &words(&x[..used * width]), &matrix);
            let mut expected = vec![vec![BigInt::ZERO; n]; kept];
            for (row, a) in a.iter().take(used).enumerate() {
                for (column, expected) in expected.iter_mut().take(columns).enumerate() {
                    let p = product(a, &entries[row * columns + column]);
                    p.into_iter().zip(expected).for_each(|(p, sum)| *sum += p);
                }
            }
            let about = about(&format!("{used} rows, {kept} columns"));
            assert_carried(&carried(&module, base, sum, kept), &expected, log2_base, &about);
        }
    }
}

/// Large results go past the caches, in many blocks.
#[test]
fn large_products_are_those_of_their_parts() {
    let (log_n, rows, count) = (15, 2, 12);
    for transform in ALL {
        let module = Module::new(log_n, transform).expect("degree");
        let (width, mut sampler) = (module.width(), Sampler::new(11));
        let log2_base = module.max_log2_base(4, Operands::Chosen);
        let a = transformed(&module, &digits(&mut sampler, log2_base, (rows, module.n())));
        let entries = digits(&mut sampler, log2_base, (rows * count, module.n()));
        let b = transformed(&module, &entries);
        let about = |what: &str, k: usize| format!("{transform:?}, {what}, {k}");

        let mut all = module.scratch(count * width);
        module.convolve(&mut words_mut(&mut all), 0, &[[&words(&a), &words(&b)]]);
        for (k, found) in all.chunks_exact(width).enumerate() {
            let mut one = module.scratch(width);
            module.convolve(&mut words_mut(&mut one), k, &[[&words(&a), &words(&b)]]);
            assert!(words(found) == words(&one), "{}", about("convolution", k));
        }

        let matrix = |columns: std::ops::Range<usize>| {
            let mut matrix = module.zero_matrix(rows, columns.len());
            for row in 0..rows {
                for (at, column) in columns.clone().enumerate() {
                    module.prepare(&mut matrix, (row, at), &entries[row * count + column]);
                }
            }
            matrix
        };
        module.multiply_matrix(&mut words_mut(&mut all), &words(&a), &matrix(0..count));
        for (k, found) in all.chunks_exact(width).enumerate() {
            let [mut one, mut sum] = [(); 2].map(|()| module.scratch(width));
            module.multiply_matrix(&mut words_mut(&mut one), &words(&a), &matrix(k..k + 1));
            assert!(words(found) == words(&one), "{}", about("matrix", k));
            if transform == Transform::Doubles {
                // Sums in another order are rounded otherwise.
                continue;
            }
            // A matrix of one column is a sum of products.
            let b = words(&b);
            let column: Vec<&[u64]> =
                (0..rows).rev().flat_map(|row| &b[(row * count + k) * width..][..width]).copied().collect();
            module.convolve(&mut words_mut(&mut sum), rows - 1, &[[&words(&a), &column]]);
            assert!(words(found) == words(&sum), "{}", about("sums of products", k));
        }
    }
}

/// Constant digits of the largest size, whose products are known: coefficient `i` of the square of `c·Σ X^i` is
/// `c²·(2i + 2 − n)`.
#[test]
fn adversarial_digits_are_right_at_the_largest_base_and_degree() {
    for (transform, terms) in [(Transform::Doubles, 3), (Transform::TwoPrimes, 3), (Transform::ThreePrimes, 4)] {
        let module = Module::new(16, transform).expect("degree");
        let log2_base = module.max_log2_base(terms, Operands::Chosen);
        let base = Base::new(log2_base).expect("base");
        let (n, c) = (module.n(), -(1i64 << (log2_base - 1)));
        let a = transformed(&module, &vec![vec![c; n]; terms]);
        let mut sum = module.scratch(module.width());
        module.convolve(&mut words_mut(&mut sum), terms - 1, &[[&words(&a), &words(&a)]]);
        // All digits of the sum: it has fewer than 160 bits.
        let places = 160usize.div_ceil(log2_base as usize);
        let zeros = module.scratch((places - 1) * module.width());
        module.inverse(&mut words_mut(&mut sum));
        let mut big: Vec<Limb> = zeros;
        big.iter_mut().for_each(|limb| limb.fill(0));
        big.extend(sum);
        let mut out = vec![vec![0; n]; places];
        module.normalize(base, &mut views_mut(&mut out), &words(&big));
        let square = BigInt::from(c) * c * terms;
        for i in (0..n).step_by(997).chain([n - 1]) {
            let expected = &square * (2 * i as i64 + 2 - n as i64);
            assert_eq!(value(&views(&out), log2_base, i), expected, "{transform:?}, K = {log2_base}, {i}");
        }
    }
}

/// At bases that are right for uniform operands alone, doubles have the limbs that primes have.
#[test]
fn doubles_are_right_for_uniform_digits() {
    let (log_n, terms) = (14, 23);
    let [doubles, primes] = [Transform::Doubles, Transform::TwoPrimes].map(|t| Module::new(log_n, t).expect("degree"));
    let log2_base = doubles.max_log2_base(terms, Operands::Uniform);
    assert!(log2_base == 20 && log2_base <= primes.max_log2_base(terms, Operands::Chosen));
    let (base, mut sampler) = (Base::new(log2_base).expect("base"), Sampler::new(5));
    let mut uniform = || -> Vec<Vec<i64>> {
        let mut limb = || (0..1 << log_n).map(|_| sampler.word().cast_signed() >> (64 - log2_base)).collect();
        (0..terms).map(|_| limb()).collect()
    };
    let (a, b) = (uniform(), uniform());
    let run = |module: &Module| {
        let (x, y) = (transformed(module, &a), transformed(module, &b));
        let mut sum = module.scratch(4 * module.width());
        module.convolve(&mut words_mut(&mut sum), terms - 1, &[[&words(&x), &words(&y)]]);
        carried(module, base, sum, 4)
    };
    assert_eq!(run(&doubles), run(&primes));
}
