//! Small, insecure parameters and what the tests share.
#![allow(dead_code)]

pub mod rotations;
pub mod uints;

use std::sync::{Arc, OnceLock};

use everlevel_binfhe::{
    EvalKeys, Gadget, KeySwitch, LimbsLiteral, Literal, Order, Params, ParamsLiteral, SecretKey, Secrets, Space,
    Transform,
};
use everlevel_rand::{Seed, SeedSource};
#[allow(unused_imports)]
pub use rotations::{
    fixed_keys, fixed_secret, fixed_seed, rotation_errors, rotation_errors_in_batches, rotation_errors_of_keys,
    rotation_inputs, signed, uniform,
};

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
        secrets: Secrets::default(),
        landings: Vec::new(),
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

/// A secret key within its limits, whose keys and ciphertexts are the same at every run as well.
pub fn secret(literal: impl Into<Literal>) -> SecretKey {
    let seeds = SeedSource::insecure(Seed::from_bytes(everlevel_testkit::seeds::next()));
    SecretKey::with_seeds(Arc::new(Params::try_from(literal.into()).unwrap()), seeds).unwrap()
}

/// A [`secret`] and its evaluation keys.
pub fn keys(literal: impl Into<Literal>) -> (SecretKey, EvalKeys) {
    let secret = secret(literal);
    let keys = EvalKeys::generate(&secret).unwrap();
    (secret, keys)
}

/// For integers of 8 bits or more: a bootstrap in a tenth of a millisecond, with `norm2` as in the named sets.
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

/// Numbers of words over limbs.
pub fn over_limbs(words: ParamsLiteral, transform: Transform) -> LimbsLiteral {
    LimbsLiteral { words, transform }
}
