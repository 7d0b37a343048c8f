//! Conformance of the element-wise kernels with one-word oracles.

use everlevel_math::{Factors, Modulus, SLIDING_OUTPUTS, Simd, Slide, Slides, packed};

use crate::oracle::mul_mod;
use crate::sample::Sampler;

/// Compares a kernel's results, word by word.
fn check(what: &str, q: u64, got: &[u64], expected: impl Fn(usize) -> u64) {
    for (i, &g) in got.iter().enumerate() {
        assert_eq!(g, expected(i), "{what}: q = {q}, i = {i} of {}", got.len());
    }
}

/// Sums, products and scalings, for limbs of length `n` (whole vectors or not).
pub fn arithmetic(simd: Simd, q: u64, n: usize) {
    let m = Modulus::with_simd(q, simd).expect("prime");
    let mut sampler = Sampler::new(q ^ n as u64);
    let [a, b, c] = [0; 3].map(|_| sampler.limb(n, q));
    let run = |f: &dyn Fn(&mut [u64])| {
        let mut x = a.clone();
        f(&mut x);
        x
    };
    check("add", q, &run(&|x| m.add_assign(x, &b)), |i| (a[i] + b[i]) % q);
    check("sub", q, &run(&|x| m.sub_assign(x, &b)), |i| (a[i] + q - b[i]) % q);
    check("neg", q, &run(&|x| m.neg_assign(x)), |i| (q - a[i]) % q);
    check("mul", q, &run(&|x| m.mul_assign(x, &b)), |i| mul_mod(a[i], b[i], q));
    check("mul_add", q, &run(&|x| m.mul_add_assign(x, &b, &c)), |i| (a[i] + mul_mod(b[i], c[i], q)) % q);
    for w in [0, 1, q - 1, sampler.residue(q)] {
        check("add_scalar", q, &run(&|x| m.add_scalar_assign(x, w)), |i| (a[i] + w) % q);
        check("mul_scalar", q, &run(&|x| m.mul_scalar_assign(x, w)), |i| mul_mod(a[i], w, q));
        check("mul_scalar_add", q, &run(&|x| m.mul_scalar_add_assign(x, &b, w)), |i| (a[i] + mul_mod(b[i], w, q)) % q);
        check("mul_scalar_into", q, &run(&|x| m.mul_scalar_into(x, &b, w)), |i| mul_mod(b[i], w, q));
        for v in [0, 1, q - 1, sampler.residue(q)] {
            check("mul_scalars_add", q, &run(&|x| m.mul_scalars_add_assign(x, &b, [v, w])), |i| {
                (mul_mod(a[i], v, q) + mul_mod(b[i], w, q)) % q
            });
        }
        check("sub_mul_scalar", q, &run(&|x| m.sub_mul_scalar_assign(x, &b, w)), |i| {
            mul_mod((a[i] + q - b[i]) % q, w, q)
        });
    }
}

/// The tensor products.
pub fn tensor(simd: Simd, q: u64, n: usize) {
    let m = Modulus::with_simd(q, simd).expect("prime");
    let mut sampler = Sampler::new(q ^ n as u64);
    let [a0, a1, b0, b1] = [0; 4].map(|_| sampler.limb(n, q));
    let mul = |x: u64, y: u64| mul_mod(x, y, q);
    let mut d = [vec![0; n], vec![0; n], vec![0; n]];
    let [d0, d1, d2] = &mut d;
    m.tensor_into([d0, d1, d2], [&a0, &a1], [&b0, &b1]);
    check("tensor 0", q, &d[0], |i| mul(a0[i], b0[i]));
    check("tensor 1", q, &d[1], |i| (mul(a0[i], b1[i]) + mul(a1[i], b0[i])) % q);
    check("tensor 2", q, &d[2], |i| mul(a1[i], b1[i]));
    let [d0, d1, d2] = &mut d;
    m.tensor_square_into([d0, d1, d2], [&a0, &a1]);
    check("square 0", q, &d[0], |i| mul(a0[i], a0[i]));
    check("square 1", q, &d[1], |i| 2 * mul(a0[i], a1[i]) % q);
    check("square 2", q, &d[2], |i| mul(a1[i], a1[i]));
}

/// The inner products of `terms` terms; with `extreme`, all operands are `q − 1`.
pub fn inner_product(simd: Simd, q: u64, n: usize, terms: usize, extreme: bool) {
    let m = Modulus::with_simd(q, simd).expect("prime");
    let mut sampler = Sampler::new(q ^ (n + terms) as u64);
    let mut limbs =
        || -> Vec<Vec<u64>> { (0..terms).map(|_| if extreme { vec![q - 1; n] } else { sampler.limb(n, q) }).collect() };
    let (x, y0, y1) = (limbs(), limbs(), limbs());
    let expected = |y: &[Vec<u64>], i: usize| (0..terms).fold(0, |acc, k| (acc + mul_mod(x[k][i], y[k][i], q)) % q);
    let pack = |y: &[Vec<u64>]| -> Vec<Vec<u8>> {
        y.iter()
            .map(|y| {
                let mut bytes = vec![0xa5; packed::byte_len(n)];
                packed::pack_with(simd, &mut bytes, y);
                bytes
            })
            .collect()
    };
    let (p0, p1) = (pack(&y0), pack(&y1));
    let xs: Vec<&[u64]> = x.iter().map(|x| &x[..]).collect();
    let ys: Vec<&[u64]> = y0.iter().map(|x| &x[..]).collect();
    let ps0: Vec<&[u8]> = p0.iter().map(|x| &x[..]).collect();
    let ps1: Vec<&[u8]> = p1.iter().map(|x| &x[..]).collect();
    let (mut out0, mut out1) = (vec![1; n], vec![1; n]);
    m.inner_product_into(&mut out0, &xs, &ys);
    check("inner product", q, &out0, |i| expected(&y0, i));
    m.inner_product_packed_into(&mut out1, &xs, &ps1);
    check("packed inner product", q, &out1, |i| expected(&y1, i));
    m.inner_product_mirrored_into(&mut out1, &xs, &ps1);
    let mirrored: Vec<Vec<u64>> = y1.iter().map(|y| y.iter().rev().copied().collect()).collect();
    check("mirrored inner product", q, &out1, |i| expected(&mirrored, i));
    m.inner_product_packed_pair_into(&mut out1, &mut out0, &xs, &ps0, &ps1);
    check("first of a pair", q, &out1, |i| expected(&y0, i));
    check("second of a pair", q, &out0, |i| expected(&y1, i));
    let turned: Vec<&[u64]> = xs.iter().rev().copied().collect();
    let of_turned = |y: &dyn Fn(usize, usize) -> u64, i: usize| {
        (0..terms).fold(0, |acc, k| (acc + mul_mod(x[terms - 1 - k][i], y(k, i), q)) % q)
    };
    m.inner_product_pair_by_packed_into([&mut out0, &mut out1], [&xs, &turned], &ps1);
    check("first by packed factors", q, &out0, |i| expected(&y1, i));
    check("second by packed factors", q, &out1, |i| of_turned(&|k, i| y1[k][i], i));
    for log_run in 0..8 {
        m.inner_product_pair_by_runs_into([&mut out0, &mut out1], [&turned, &xs], &ys, log_run);
        let runs: Vec<Vec<u64>> = y0.iter().map(|y| (0..n).map(|i| y[i >> log_run]).collect()).collect();
        check("first by runs", q, &out0, |i| of_turned(&|k, i| runs[k][i], i));
        check("second by runs", q, &out1, |i| expected(&runs, i));
    }
}

/// Sums of `terms` products for each of four outputs, all of whose spans of outputs are among the slides.
pub fn sliding_sums(simd: Simd, q: u64, n: usize, terms: usize, extreme: bool) {
    let m = Modulus::with_simd(q, simd).expect("prime");
    let mut sampler = Sampler::new(q ^ (n * terms) as u64);
    let count = terms + SLIDING_OUTPUTS;
    let mut limb = |len: usize| if extreme { vec![q - 1; len] } else { sampler.limb(len, q) };
    let (x, y, mut out) = (limb(count * n), limb(count * n), limb(SLIDING_OUTPUTS * n));
    let spans: Vec<(usize, usize)> =
        (0..SLIDING_OUTPUTS).flat_map(|from| (from + 1..=SLIDING_OUTPUTS).map(move |to| (from, to))).collect();
    let mut slides: Vec<Slide> = Vec::new();
    let mut covered = [0; SLIDING_OUTPUTS];
    for (k, &(from, to)) in spans.iter().cycle().take(spans.len() * terms).enumerate() {
        let left = covered[from..to].iter().map(|covered| terms - covered).min().unwrap_or(0);
        let few = left.min(1 + k % 3);
        if few > 0 {
            covered[from..to].iter_mut().for_each(|covered| *covered += few);
            // Apart by −1, 0 or 1.
            let x_step = (k / 3) as isize % 3 - 1;
            let x = if x_step < 0 { (k % terms).max(few - 1) } else { k % terms.saturating_sub(few).max(1) };
            slides.push(Slide { x, x_step, y: (7 * k) % (count - few + 1), count: few, from, to });
        }
    }
    let mut packed_y: Vec<u8> = Vec::new();
    for y in y.chunks_exact(n) {
        let mut bytes = vec![0xa5; packed::byte_len(n)];
        packed::pack_with(simd, &mut bytes, y);
        packed_y.extend(&bytes[..6 * n]);
    }
    packed_y.extend([0xa5; packed::byte_len(0)]);
    let expected = |at: usize| {
        let (t, i) = (at / n, at % n);
        let here = slides.iter().filter(|s| (s.from..s.to).contains(&t));
        let products = here.flat_map(|s| (0..s.count).map(move |k| (s, k))).map(|(s, k)| {
            let j = (s.x + t - s.from).wrapping_add_signed(k as isize * s.x_step);
            mul_mod(x[j * n + i], y[(s.y + k) * n + i], q)
        });
        products.fold(0, |sum, product| (sum + product) % q)
    };
    let slides = Slides::new(slides.clone());
    m.sliding_sums_into(&mut out, &slides, &x, Factors::Words(&y), &[]);
    check("sliding sums", q, &out, expected);
    out.fill(1);
    m.sliding_sums_into(&mut out, &slides, &x, Factors::Packed(&packed_y), &packed_y);
    check("sliding sums of packed factors", q, &out, expected);
}

/// Residues of signed words, with both ends of their range.
pub fn reduce_signed(simd: Simd, q: u64, n: usize) {
    let m = Modulus::with_simd(q, simd).expect("prime");
    let mut sampler = Sampler::new(q);
    let edges = [0, 1, -1, i64::MAX, i64::MIN, q as i64, -(q as i64), 1 << 52, -(1 << 52)];
    let x: Vec<i64> =
        (0..n).map(|i| edges.get(i).copied().unwrap_or_else(|| sampler.word().cast_signed() >> (i % 64))).collect();
    let mut out = vec![1; n];
    m.reduce_i64_into(&mut out, &x);
    check("signed words", q, &out, |i| i128::from(x[i]).rem_euclid(i128::from(q)) as u64);
}
