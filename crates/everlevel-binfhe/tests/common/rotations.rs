//! Keys from fixed seeds, and the errors of blind rotations with them.

use std::sync::Arc;

use everlevel_binfhe::{Error, EvalKeys, Literal, Lut, Lwe, Params, ParamsLiteral, SecretKey, SeededEvalKeys};
use everlevel_rand::{Domain, Seed};

/// Seeds that are the same at every run.
pub fn fixed_seed(index: u64) -> Seed {
    Seed::from_bytes([0x5e; 32]).derive(Domain::Test, index)
}

/// A secret key, the same at every run.
pub fn fixed_secret(literal: impl Into<Literal>, index: u64) -> SecretKey {
    let params = Arc::new(Params::try_from(literal.into()).unwrap());
    SecretKey::from_seed(params, &fixed_seed(2 * index)).unwrap()
}

/// A secret key and its evaluation keys, the same at every run. Where a seed's secret leaves no room for a key switch,
/// which is little beside rotations in some of these parameters, a later one is taken.
pub fn fixed_keys(literal: impl Into<Literal>, index: u64) -> (SecretKey, EvalKeys) {
    let literal = literal.into();
    for later in 0..4 {
        let secret = fixed_secret(literal.clone(), index + 1000 * later);
        match SeededEvalKeys::from_seed(&secret, &fixed_seed(2 * index + 1)) {
            Err(Error::UnluckySecret { .. }) => {}
            keys => return (secret, keys.unwrap().prepare()),
        }
    }
    panic!("four unlucky secrets");
}

/// A torus element as a number in `[−½, ½)`.
pub fn signed(x: u64) -> f64 {
    x as i64 as f64 * (-64.0f64).exp2()
}

/// A uniform ciphertext: a random mask, and any body.
pub fn uniform(dim: usize, seed: u64) -> Lwe {
    let mut words = vec![0; dim + 1];
    Seed::from_bytes([seed as u8; 32]).stream(Domain::Test, seed).fill_u64(&mut words);
    Lwe::from_words(words)
}

/// The errors of blind rotations of uniform ciphertexts, one each.
///
/// Tables are white, as accumulators are after a few steps: a smooth table's first steps meet the mean of the secret's
/// bits.
pub fn rotation_errors(secret: &SecretKey, keys: &EvalKeys, count: u64) -> Vec<f64> {
    rotation_errors_in_batches(secret, keys, count, count as usize)
}

/// Uniform exponents, of those that the parameters' rotations take, and white tables.
pub fn rotation_inputs(params: &Params, count: u64) -> (Vec<Vec<u32>>, Vec<Lut>) {
    let (n, dim, step) = (params.table_len(), params.lwe_dim, params.log2_exponent_step);
    let word = |x: u64| (((x >> 32) as usize % (2 * n)) >> step) << step;
    let exponents = |i| uniform(dim, i).words().iter().map(|&x| word(x) as u32).collect();
    let table = |i| {
        let words = uniform(n / 2 - 1, i + 1000).words().to_vec();
        Lut::from_torus(params, params.log_table_len() - 1, &[words]).unwrap()
    };
    ((0..count).map(exponents).collect(), (0..count).map(table).collect())
}

/// [`rotation_errors`] with so many rotations at a time.
pub fn rotation_errors_in_batches(secret: &SecretKey, keys: &EvalKeys, count: u64, batch: usize) -> Vec<f64> {
    let (n, dim) = (keys.params().table_len(), keys.params().lwe_dim);
    let (exponents, luts) = rotation_inputs(keys.params(), count);
    let threads = rayon::current_num_threads();
    let luts_of = luts.iter().collect::<Vec<_>>();
    let batches = exponents.chunks(batch).zip(luts_of.chunks(batch));
    let rotate = |(exponents, luts)| keys.bootstrap_key().blind_rotate(exponents, luts, threads);
    let out: Vec<Vec<Lwe>> = batches.flat_map(rotate).collect();
    let error = |((exponents, lut), out): ((&Vec<u32>, &Lut), &Vec<Lwe>)| {
        let masked: i64 = exponents.iter().zip(secret.small()).map(|(&a, &s)| i64::from(a) * i64::from(s)).sum();
        let place = (i64::from(exponents[dim]) - masked).rem_euclid(2 * n as i64) as usize;
        let coefficient = lut.coeffs()[place % n];
        let expected = if place < n { coefficient } else { coefficient.wrapping_neg() };
        signed(out[0].phase(secret.big()).wrapping_sub(expected))
    };
    exponents.iter().zip(&luts).zip(&out).map(error).collect()
}

/// The errors of `count` rotations with each of some keys, the same at every run: a key's own errors, and its weight,
/// are drawn once for all of its samples.
pub fn rotation_errors_of_keys(literal: &ParamsLiteral, key_count: u64, count: u64) -> Vec<f64> {
    let of_one = |index| {
        let (secret, keys) = fixed_keys(literal.clone(), index);
        rotation_errors(&secret, &keys, count)
    };
    (0..key_count).flat_map(of_one).collect()
}
