//! Polynomials and bases against the plain computation.

use crate::common::{depth, uniform};
use everlevel_ckks::Complex64;
use everlevel_ckks::{Basis, polynomial_depth};

const MAX_LEVEL: usize = 7;

/// Elements 0 to `degree` of a basis at a number.
fn elements(basis: Basis, x: Complex64, degree: usize) -> Vec<Complex64> {
    let mut all = vec![Complex64::new(1.0, 0.0), x];
    while all.len() <= degree {
        let last = all[all.len() - 1];
        all.push(match basis {
            Basis::Power => last * x,
            Basis::Chebyshev => 2.0 * x * last - all[all.len() - 2],
        });
    }
    all
}

fn value(basis: Basis, p: &[f64], x: Complex64) -> Complex64 {
    elements(basis, x, p.len()).iter().zip(p).map(|(e, c)| e * c).sum()
}

/// Points where no element exceeds one: the disc for powers, the segment for Chebyshev polynomials.
fn points(basis: Basis, count: usize) -> Vec<Complex64> {
    let points = uniform(count, 1);
    match basis {
        Basis::Power => points.iter().map(|z| z / z.norm().max(1.0)).collect(),
        Basis::Chebyshev => points.iter().map(|z| Complex64::new(z.re, 0.0)).collect(),
    }
}

/// Coefficients whose sizes sum to one.
fn coefficients(degree: usize, keep: impl Fn(usize) -> bool) -> Vec<f64> {
    let mut p: Vec<f64> =
        uniform(degree + 1, degree as u64).iter().enumerate().map(|(k, z)| if keep(k) { z.re } else { 0.0 }).collect();
    p[degree] = 0.7;
    let norm = p.iter().map(|c| c.abs()).sum::<f64>();
    p.iter().map(|c| c / norm).collect()
}

/// Precision of a worst slot where a rounding is 2^-31 in it: products add up errors about with the degree.
fn bits(basis: Basis, degree: usize, level: usize) -> f64 {
    let growth = if basis == Basis::Power { 0.5 } else { 1.0 } * (degree as f64).log2();
    27.0 - growth - if level == 0 { 1.0 } else { 0.0 }
}

const BASES: [Basis; 2] = [Basis::Power, Basis::Chebyshev];

#[test]
fn the_depth_is_the_logarithm_of_the_degree_plus_one_rounded_up() {
    for degree in 0usize..200 {
        assert_eq!(polynomial_depth(degree), ((degree + 1) as f64).log2().ceil() as usize, "degree {degree}");
    }
}

/// Every shape at every degree, from a level that leaves nothing and from one that leaves something.
#[test]
fn polynomials_of_degrees_1_to_40_cost_their_depth_and_are_right() {
    let party = depth(9, MAX_LEVEL);
    for basis in BASES {
        let x = points(basis, 256);
        for degree in 1..=40 {
            let cost = polynomial_depth(degree);
            let shapes: [(&str, Vec<f64>); 4] = [
                ("dense", coefficients(degree, |_| true)),
                ("of one parity", coefficients(degree, |k| k % 2 == degree % 2)),
                ("sparse", coefficients(degree, |k| k % 7 == 3 || k == 0)),
                ("of one term", coefficients(degree, |_| false)),
            ];
            for (shape, p) in shapes {
                let expected: Vec<_> = x.iter().map(|&x| value(basis, &p, x)).collect();
                let start = if degree % 2 == 0 { cost } else { MAX_LEVEL };
                let a = party.encrypt(&x, start);
                let out = party.ctx.evaluate_polynomial(&a, basis, &p, &party.relinearization).unwrap();
                let what = format!("{basis:?}, degree {degree}, {shape}, from level {start}");
                party.assert_holds(&what, &out, &expected, start - cost, bits(basis, degree, start - cost));
            }
        }
    }
}

#[test]
fn constants_and_leading_zeros_cost_what_is_left_of_them() {
    let party = depth(9, MAX_LEVEL);
    for basis in BASES {
        let x = points(basis, 256);
        for (p, degree) in [
            (vec![0.25], 0),
            (vec![0.0], 0),
            (vec![-0.5, 0.0, 0.0, 0.0, 0.0], 0),
            (vec![0.1, 0.5, 0.0, 0.0], 1),
            (vec![0.0, 0.0, 1.0, 0.0], 2),
        ] {
            for level in [polynomial_depth(degree), MAX_LEVEL] {
                let a = party.encrypt(&x, level);
                let out = party.ctx.evaluate_polynomial(&a, basis, &p, &party.relinearization).unwrap();
                let expected: Vec<_> = x.iter().map(|&x| value(basis, &p, x)).collect();
                party.assert_holds(
                    &format!("{basis:?} {p:?}"),
                    &out,
                    &expected,
                    level - polynomial_depth(degree),
                    25.0,
                );
            }
        }
    }
}

#[test]
fn large_coefficients_lose_only_their_size() {
    let party = depth(9, MAX_LEVEL);
    for basis in BASES {
        let x = points(basis, 256);
        for size in [100.0, 1e6] {
            let p: Vec<f64> = coefficients(9, |_| true).iter().map(|c| c * size).collect();
            let out = party.ctx.evaluate_polynomial(&party.encrypt(&x, 6), basis, &p, &party.relinearization).unwrap();
            let expected: Vec<_> = x.iter().map(|&x| value(basis, &p, x)).collect();
            party.assert_holds(&format!("{basis:?}, size {size}"), &out, &expected, 2, bits(basis, 9, 2) - size.log2());
        }
    }
}

#[test]
fn smooth_functions_come_out_of_their_chebyshev_coefficients() {
    // Chebyshev coefficients of e^x on [−1, 1] by the discrete cosine transform.
    let degree = 15;
    let nodes = 64;
    let at = |j: usize| std::f64::consts::PI * (j as f64 + 0.5) / nodes as f64;
    let p: Vec<f64> = (0..=degree)
        .map(|k| {
            let sum: f64 = (0..nodes).map(|j| at(j).cos().exp() * (k as f64 * at(j)).cos()).sum();
            sum * if k == 0 { 1.0 } else { 2.0 } / nodes as f64
        })
        .collect();
    let party = depth(9, MAX_LEVEL);
    let x = points(Basis::Chebyshev, 256);
    let expected: Vec<_> = x.iter().map(|x| Complex64::new(x.re.exp(), 0.0)).collect();
    let out =
        party.ctx.evaluate_polynomial(&party.encrypt(&x, 4), Basis::Chebyshev, &p, &party.relinearization).unwrap();
    party.assert_holds("exp", &out, &expected, 0, 22.0);
}

#[test]
fn basis_elements_cost_the_logarithm_of_their_index() {
    let party = depth(9, MAX_LEVEL);
    for basis in BASES {
        let x = points(basis, 256);
        let a = party.encrypt(&x, 5);
        for max_power in [1, 2, 3, 8, 32] {
            let all = party.ctx.basis(&a, basis, max_power, &party.relinearization).unwrap();
            assert_eq!(all.len(), max_power);
            for (k, element) in (1..).zip(&all) {
                let expected: Vec<_> = x.iter().map(|&x| elements(basis, x, k)[k]).collect();
                let level = 5 - (k as f64).log2().ceil() as usize;
                let lost = if basis == Basis::Power { 0.5 } else { 2.0 } * (k as f64).log2();
                party.assert_holds(
                    &format!("{basis:?} element {k}"),
                    element,
                    &expected,
                    level,
                    27.0 - lost - f64::from(u8::from(level == 0)),
                );
            }
        }
        for k in [1, 16, 23] {
            let alone = party.ctx.basis_element(&a, basis, k, &party.relinearization).unwrap();
            let all = party.ctx.basis(&a, basis, k, &party.relinearization).unwrap();
            assert_eq!((alone.level(), party.decrypt(&alone)), (all[k - 1].level(), party.decrypt(&all[k - 1])));
        }
        assert_eq!(
            party.decrypt(&party.ctx.basis(&a, basis, 1, &party.relinearization).unwrap()[0]),
            party.decrypt(&a)
        );
    }
}

#[test]
fn several_polynomials_are_each_what_it_is_alone() {
    let party = depth(9, MAX_LEVEL);
    for basis in BASES {
        let a = party.encrypt(&points(basis, 256), MAX_LEVEL);
        let all: Vec<Vec<f64>> = [9, 0, 3, 25, 1].iter().map(|&degree| coefficients(degree, |_| true)).collect();
        let slices: Vec<&[f64]> = all.iter().map(Vec::as_slice).collect();
        let together = party.ctx.evaluate_polynomials(&a, basis, &slices, &party.relinearization).unwrap();
        assert_eq!(together.len(), all.len());
        for (p, out) in slices.iter().zip(&together) {
            let alone = party.ctx.evaluate_polynomial(&a, basis, p, &party.relinearization).unwrap();
            assert_eq!((out.level(), party.decrypt(out)), (alone.level(), party.decrypt(&alone)));
            assert_eq!(out.precision_bits().to_bits(), alone.precision_bits().to_bits());
        }
    }
}
