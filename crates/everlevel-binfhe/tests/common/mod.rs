//! Small, insecure parameters and what the tests share.
#![allow(dead_code)]

pub mod uints;

use std::sync::{Arc, OnceLock};

use everlevel_binfhe::{
    EvalKeys, Gadget, KeySwitch, Lut, Lwe, Order, Params, ParamsLiteral, SecretKey, SeededEvalKeys, Space,
};
use everlevel_rand::{Domain, Seed};

/// Parameters on which a bootstrap takes a tenth of a millisecond. Nothing is refused.
pub fn literal(torus_bits: u32, space: Space) -> ParamsLiteral {
    ParamsLiteral {
        torus_bits,
        lwe_dim: 64,
        lwe_log2_std_dev: -20.0,
        rank: 2,
        log_n: 8,
        log2_extension: 0,
        bits_per_step: 1,
        glwe_log2_std_dev: -28.0,
        mask_gadget: Gadget::new(7, 3),
        body_gadget: Gadget::new(7, 2),
        key_switch: KeySwitch { gadget: Gadget::new(3, 5), ring: 32 },
        order: Order::KeySwitchFirst,
        space,
        squared_norm: 4.0,
        max_log2_p_fail: -60.0,
        insecure: true,
    }
}

/// Both keys, from the system's randomness.
pub fn keys(literal: ParamsLiteral) -> (SecretKey, EvalKeys) {
    let secret = SecretKey::generate(Arc::new(Params::try_from(literal).unwrap())).unwrap();
    let keys = EvalKeys::generate(&secret).unwrap();
    (secret, keys)
}

/// Both keys, the same at every run.
pub fn fixed_keys(literal: ParamsLiteral, index: u64) -> (SecretKey, EvalKeys) {
    let seed = |child: u64| Seed::from_bytes([0x5e; 32]).derive(Domain::Test, 2 * index + child);
    let secret = SecretKey::from_seed(Arc::new(Params::try_from(literal).unwrap()), &seed(0)).unwrap();
    let keys = SeededEvalKeys::from_seed(&secret, &seed(1)).unwrap().prepare();
    (secret, keys)
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

/// The same with so many rotations at a time.
pub fn rotation_errors_in_batches(secret: &SecretKey, keys: &EvalKeys, count: u64, batch: usize) -> Vec<f64> {
    let (n, dim) = (keys.params().table_len(), keys.params().lwe_dim);
    let word = |x: u64| (x >> 32) as usize % (2 * n);
    let exponents: Vec<Vec<u32>> =
        (0..count).map(|i| uniform(dim, i).words().iter().map(|&x| word(x) as u32).collect()).collect();
    let table = |i| {
        let words = uniform(n / 2 - 1, i + 1000).words().to_vec();
        Lut::from_torus(keys.params(), keys.params().log_table_len() - 1, &[words]).unwrap()
    };
    let luts: Vec<Lut> = (0..count).map(table).collect();
    let threads = rayon::current_num_threads();
    let luts_of = luts.iter().collect::<Vec<_>>();
    let batches = exponents.chunks(batch).zip(luts_of.chunks(batch));
    let rotate = |(exponents, luts)| keys.bootstrap_key().blind_rotate(exponents, luts, threads);
    let out: Vec<Vec<Lwe>> = batches.flat_map(rotate).collect();
    let error = |((exponents, lut), out): ((&Vec<u32>, &Lut), &Vec<Lwe>)| {
        let rotated = exponents.iter().zip(secret.small());
        let place =
            rotated.fold(exponents[dim] as usize, |b, (&a, &s)| (b + 2 * n - a as usize * s as usize) % (2 * n));
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

/// Mean square.
pub fn variance(errors: &[f64]) -> f64 {
    errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64
}

/// For integers of 8 bits or more: a bootstrap in a tenth of a millisecond, with `squared_norm` as in the named sets.
pub fn digits_literal(bits: u32) -> ParamsLiteral {
    ParamsLiteral {
        lwe_dim: 32,
        log_n: if bits < 6 { 9 } else { 12 },
        rank: 1,
        glwe_log2_std_dev: -45.0,
        mask_gadget: Gadget::new(10, 3),
        body_gadget: Gadget::new(10, 2),
        lwe_log2_std_dev: -26.0,
        key_switch: KeySwitch { gadget: Gadget::new(4, 5), ring: 32 },
        max_log2_p_fail: -40.0,
        squared_norm: f64::from((1 << bits.div_ceil(2)) + 1).powi(2),
        ..literal(64, Space::Integer { bits })
    }
}

/// Keys with digits of 2 bits.
pub fn two_bits() -> &'static (SecretKey, EvalKeys) {
    static KEYS: OnceLock<(SecretKey, EvalKeys)> = OnceLock::new();
    KEYS.get_or_init(|| self::keys(digits_literal(4)))
}

/// Keys with digits of 4 bits.
pub fn four_bits() -> &'static (SecretKey, EvalKeys) {
    static KEYS: OnceLock<(SecretKey, EvalKeys)> = OnceLock::new();
    KEYS.get_or_init(|| self::keys(digits_literal(8)))
}

/// One thread carries block by block, four by prefix.
pub fn on_threads<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(f)
}
