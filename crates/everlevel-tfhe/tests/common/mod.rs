//! Small, insecure parameters and what the tests share.
#![allow(dead_code)]

use std::sync::Arc;

use everlevel_rand::{Domain, Seed};
use everlevel_tfhe::{EvalKeys, Gadget, KeySwitch, Order, Params, ParamsLiteral, SecretKey, SeededEvalKeys, Space};

/// Parameters on which a bootstrap takes a tenth of a millisecond. Nothing is refused.
pub fn literal(torus_bits: u32, space: Space) -> ParamsLiteral {
    ParamsLiteral {
        torus_bits,
        lwe_dim: 64,
        lwe_log2_std_dev: -20.0,
        rank: 2,
        log_n: 8,
        log2_extension: 0,
        glwe_log2_std_dev: -28.0,
        mask_gadget: Gadget::new(7, 3),
        body_gadget: Gadget::new(7, 2),
        key_switch: KeySwitch { gadget: Gadget::new(3, 5), ring: 32 },
        order: Order::KeySwitchFirst,
        space,
        norm2: 4.0,
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
