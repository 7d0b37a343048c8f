//! Conformance of the transform on floats with evaluation, and of its products with exact integers.

use everlevel_math::small_ntt::{Float, Gadget, KeyWord, NtruProduct, SmallNtt};
use everlevel_math::{Modulus, Ntt, Simd};

use crate::ntru::NtruModel;
use crate::oracle::bit_reverse;
use crate::sample::{Sampler, edge_limbs};

fn centred(x: u64, q: u64) -> i64 {
    if x > q / 2 { x as i64 - q as i64 } else { x as i64 }
}

fn floats<F: Float>(x: &[i64]) -> Vec<F> {
    x.iter().map(|&x| F::from_i64(x)).collect()
}

fn integers<F: Float>(x: &[F]) -> Vec<i64> {
    x.iter().map(|x| x.to_i64()).collect()
}

/// Polynomials that push ranges: those of [`edge_limbs`], and both extremes in all places and in alternation.
fn edge_polynomials(n: usize, q: u64, seed: u64) -> Vec<Vec<i64>> {
    let half = (q / 2) as i64;
    let mut all: Vec<Vec<i64>> =
        edge_limbs(n, q, seed).iter().map(|limb| limb.iter().map(|&x| centred(x, q)).collect()).collect();
    all.extend([half, -half].map(|x| vec![x; n]));
    for bit in 0..n.ilog2() {
        all.push((0..n).map(|i| if i >> bit & 1 == 0 { half } else { -half }).collect());
    }
    let mut sampler = Sampler::new(seed + 1);
    all.push((0..n).map(|_| if sampler.word() & 1 == 0 { half } else { -half }).collect());
    all
}

/// The transform is evaluation at the powers of `ψ` that it names, which the transform on words does at others; the
/// inverse undoes it.
pub fn forward_is_evaluation<F: Float>(simd: Simd, log_n: u32, q: u64) {
    let n = 1usize << log_n;
    let ntt = SmallNtt::<F>::with_simd(q, log_n, simd).expect("friendly prime");
    let words = Ntt::new(log_n, Modulus::with_simd(q, Simd::SCALAR).expect("prime")).expect("friendly prime");
    // The place of each of these powers in the other order.
    let places = ntt.exponents().into_iter().map(|e| bit_reverse((e - 1) / 2, log_n));
    let places: Vec<usize> = places.collect();
    for a in edge_polynomials(n, q, 7) {
        let mut expected: Vec<u64> = a.iter().map(|&x| x.rem_euclid(q as i64) as u64).collect();
        words.forward(&mut expected);
        let mut got = floats::<F>(&a);
        ntt.forward(&mut got);
        let same = places.iter().zip(&got).all(|(&i, x)| x.to_i64() == centred(expected[i], q));
        assert!(same, "{}: forward, n = {n}, q = {q}", simd.name());
        ntt.inverse(&mut got);
        assert!(integers(&got) == a, "{}: inverse, n = {n}, q = {q}", simd.name());
    }
}

/// Steps of a blind rotation, with any keys, are those of the model; two accumulators at a time are as one each.
pub fn steps_are_the_models<F: Float + KeyWord<F>>(simd: Simd, log_n: u32, q: u64, gadget: Gadget) {
    let n = 1usize << log_n;
    let model = NtruModel { q: q as i64, gadget };
    let ntt = SmallNtt::<F>::with_simd(q, log_n, simd).expect("friendly prime");
    // Sums of nine products are not exact for the largest moduli.
    let fitting = |max_keys| Some((NtruProduct::new(ntt.clone(), gadget, max_keys).ok()?, max_keys));
    let (product, max_keys) = [KEYS, 5].into_iter().find_map(fitting).expect("digits with exact products");
    let about = |what: &str| format!("{}: {what}, n = {n}, q = {q}, {gadget:?}", simd.name());
    let mut sampler = Sampler::new(n as u64 + q);
    let mut edges = edge_polynomials(n, q, 5);
    // Keys at the extremes, then any.
    let extremes = edges.len() - 1;
    let mut keys: Vec<Vec<Vec<i64>>> = Vec::new();
    for j in 0..KEYS {
        let mut row = || (0..n).map(|_| centred(sampler.residue(q), q)).collect::<Vec<i64>>();
        keys.push((0..gadget.digits).map(|_| if j == 0 { edges[extremes].clone() } else { row() }).collect());
    }
    let prepare = |keys: &[Vec<Vec<i64>>]| {
        let mut bundle = vec![0; keys.len() * product.key_len()];
        for (j, key) in keys.iter().enumerate() {
            for (digit, row) in key.iter().enumerate() {
                product.prepare_row(&mut bundle, (j, digit), &mut floats(row));
            }
        }
        bundle
    };
    let [first, second] = [prepare(&keys[..1]), prepare(&keys[1..2])];
    let bundle = prepare(&keys);
    for (j, digit, row) in keys.iter().enumerate().flat_map(|(j, key)| (0..).zip(key).map(move |(i, row)| (j, i, row)))
    {
        let mut restored = vec![F::from_i64(1); n];
        product.restore_row(&bundle, (j, digit), &mut restored);
        assert!(integers(&restored) == *row, "{}", about("restore_row"));
    }
    // Digits at half a base, either way: multiples of half a unit, and their neighbours.
    let mut half_units = || {
        let digit = sampler.word() as u32 % gadget.digits;
        let unit = 1i64 << gadget.log2_unit(digit);
        model.centred((sampler.word() as i64 >> 40) * unit + unit / 2 + sampler.word() as i64 % 2)
    };
    edges.push((0..n).map(|_| half_units()).collect());
    let mut scratch = vec![F::from_i64(1); product.scratch_len()];
    let exponents = [
        [0, n + 3, 1, 2 * n - 1, n, 2, n - 1, n / 2, n + 1],
        [5, 0, 2 * n - 1, n - 1, n + n / 2 + 1, n, 3, 1, 2 * n - 2],
    ];
    let step = if n > 256 { 9 } else { 2 };
    for (x, y) in edges.iter().rev().step_by(step).zip(edges.iter().step_by(step)) {
        let (mut one, mut two) = (floats::<F>(x), [floats::<F>(x), floats::<F>(y)]);
        product.multiply([&mut one], &first, &mut scratch, &second);
        assert!(integers(&one) == model.external_product(x, &keys[0]), "{}", about("multiply"));
        let [a, b] = &mut two;
        product.multiply([a, b], &first, &mut scratch, &[]);
        assert!(integers(&two[0]) == integers(&one), "{}", about("multiply two"));
        assert!(integers(&two[1]) == model.external_product(y, &keys[0]), "{}", about("multiply two"));

        let (e, f) = (exponents[0][3], exponents[1][4]);
        let (mut one, mut two) = (floats::<F>(x), [floats::<F>(x), floats::<F>(y)]);
        product.rotate_add([(&mut one, e)], &second, &mut scratch, &first[..n]);
        assert!(integers(&one) == model.rotate_add(x, e, &keys[1]), "{}", about("rotate_add"));
        let [a, b] = &mut two;
        product.rotate_add([(a, e), (b, f)], &second, &mut scratch, &[]);
        assert!(integers(&two[0]) == integers(&one), "{}", about("rotate_add two"));
        assert!(integers(&two[1]) == model.rotate_add(y, f, &keys[1]), "{}", about("rotate_add two"));
    }
    let terms = |exponents: &[usize]| -> Vec<(usize, &[Vec<i64>])> {
        exponents.iter().copied().zip(keys.iter().map(|key| &key[..])).collect()
    };
    let [x, y] = [&edges[edges.len() - 1], &edges[edges.len() - 2]];
    // The last key is turned for one accumulator at least, or for none.
    let counts = [(1, false), (3, false), (4, false), (4, true), (5, true), (8, false), (8, true), (9, true)];
    for (count, plain) in counts.into_iter().filter(|&(count, _)| count <= max_keys) {
        let [mut e, mut f] = exponents;
        if plain {
            (e[count - 1], f[count - 1]) = (0, 0);
        }
        let [e, f] = [&e[..count], &f[..count]];
        let (packed, mut one) = (prepare(&keys[..count]), [floats::<F>(x), floats::<F>(x)]);
        let mut bundle = vec![F::from_i64(0); count * product.words()];
        product.expand(&packed, &mut bundle);
        product.multiply_bundle([(&mut one[0], e)], &packed, &mut scratch, &[]);
        product.add_bundle([(&mut one[1], e)], &packed, &mut scratch, &[]);
        assert!(integers(&one[0]) == model.multiply_bundle(x, &terms(e)), "{}", about("multiply_bundle"));
        assert!(integers(&one[1]) == model.add_bundle(x, &terms(e)), "{}", about("add_bundle"));
        let mut two = [floats::<F>(x), floats::<F>(y), floats::<F>(x), floats::<F>(y)];
        let [a, b, c, d] = &mut two;
        product.multiply_bundle([(a, e), (b, f)], &bundle, &mut scratch, &[]);
        product.add_bundle([(c, e), (d, f)], &bundle, &mut scratch, &[]);
        assert!(two[0] == one[0] && two[2] == one[1], "{}", about("bundles, two"));
        assert!(integers(&two[1]) == model.multiply_bundle(y, &terms(f)), "{}", about("multiply_bundle two"));
        assert!(integers(&two[3]) == model.add_bundle(y, &terms(f)), "{}", about("add_bundle two"));
    }
}

/// The number of keys of the largest bundle.
const KEYS: usize = 9;
