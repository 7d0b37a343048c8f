//! Measured variances against the formulas, step by step, and the tail at weak parameters. How far a variance may be
//! off follows from the number of samples: see `everlevel_testkit::noise`.
//!
//! A key's own errors, and its weight, are drawn once for all its samples, so each measurement takes several keys, the
//! same at every run.

use crate::common::{
    fixed_keys, keys, literal, over_limbs, rotation_errors_in_batches, rotation_errors_of_keys, signed, uniform,
};
use everlevel_binfhe::{
    EvalKeys, Gadget, KeySwitch, Landing, Lut, Lwe, Order, Params, ParamsLiteral, SecretKey, Secrets, SmallSecret,
    Space, Transform, noise,
};
use everlevel_testkit::noise::{Measured, assert_count};

/// The errors of several keys, `count` samples of each.
fn sample(
    literal: &ParamsLiteral,
    key_count: usize,
    count: u64,
    one: impl Fn(&SecretKey, &EvalKeys, u64) -> f64,
) -> Measured {
    let mut errors = Measured::default();
    for index in 0..key_count as u64 {
        let (secret, keys) = fixed_keys(literal.clone(), index);
        errors.extend((0..count).map(|i| one(&secret, &keys, i)));
    }
    errors
}

#[test]
fn fresh_encryptions() {
    for order in [Order::KeySwitchFirst, Order::BootstrapFirst] {
        let literal = ParamsLiteral { order, ..literal(64, Space::Bit) };
        let (secret, keys) = keys(literal);
        let bits = secret.encrypt_bits(&[true; 60_000]).unwrap();
        let error = |x: &everlevel_binfhe::Ciphertext| signed(x.lwe().phase(secret.ciphertext_secret())) - 0.125;
        let errors: Measured = bits.iter().map(error).collect();
        errors.assert_variance("fresh", keys.params().noise().fresh, &[], 0.035);
        errors.assert_centred("fresh", keys.params().noise().fresh);
        assert_eq!(bits[0].variance_torus(), keys.params().noise().fresh);
    }
}

/// A small secret of blocks with at most a single one.
const BLOCKS: Secrets = Secrets { small: SmallSecret::Blocks { block: 4 }, drawn: None, shared: 0 };
/// Secrets of which all coefficients are drawn, and others, whose coefficients that are switched make no whole blocks.
const SECRETS: [Secrets; 3] = [
    Secrets { small: SmallSecret::Binary, drawn: None, shared: 0 },
    Secrets { small: SmallSecret::Binary, drawn: Some(300), shared: 0 },
    Secrets { small: SmallSecret::Binary, drawn: Some(300), shared: 64 },
];
/// Keys of a measurement of modulus switches.
const KEYS: usize = 12;
/// Digits of bootstrapping keys that no measurement reads.
const UNREAD: Gadget = Gadget::new(7, 1);

/// Key switches to one secret or to several, one after another.
fn switch_literals() -> Vec<ParamsLiteral> {
    let [all, partial, shared] = SECRETS;
    let landing = |dim, (log2_base, digits), ring| Landing {
        dim,
        log2_std_dev: -21.0,
        key_switch: KeySwitch { gadget: Gadget::new(log2_base, digits), ring },
    };
    let literal = |log2_base, digits, ring, secrets, landings: &[Landing]| ParamsLiteral {
        mask_gadget: UNREAD,
        body_gadget: UNREAD,
        secrets,
        landings: landings.to_vec(),
        key_switch: KeySwitch { gadget: Gadget::new(log2_base, digits), ring },
        max_log2_p_fail: 0.0,
        ..literal(32, Space::Bit)
    };
    vec![
        // Once where the key's error is most of it, once where the rounding is.
        literal(3, 5, 32, all, &[]),
        literal(3, 5, 1, all, &[]),
        literal(2, 3, 64, all, &[]),
        literal(1, 9, 16, all, &[]),
        literal(2, 3, 64, partial, &[]),
        literal(3, 5, 1, shared, &[]),
        literal(2, 3, 32, shared, &[]),
        // The small secret is an eighth of a polynomial.
        literal(1, 9, 512, shared, &[]),
        literal(1, 9, 2048, shared, &[]),
        literal(3, 5, 32, shared, &[landing(150, (4, 4), 64)]),
        literal(2, 3, 1, shared, &[landing(250, (2, 3), 32), landing(100, (2, 3), 128)]),
    ]
}

fn check_key_switches(literals: &[ParamsLiteral], key_count: usize, count: u64, widest: f64) {
    for literal in literals {
        let errors = sample(literal, key_count, count, |secret, keys, i| {
            let big = uniform(keys.params().big_dim, i);
            signed(keys.key_switch_lwe(&big).phase(secret.small()).wrapping_sub(big.phase(secret.big())))
        });
        let steps = Params::try_from(literal.clone()).unwrap().switches();
        let formula = noise::stair(&steps, 0.5);
        // The key's errors, and how many bits of the large secret are set: a binomial number, of half its mean squared.
        let switched = literal.big_dim() - literal.secrets.shared;
        let rows: usize = steps.iter().map(|step| step.shape.switched_dim() * step.shape.gadget.digits as usize).sum();
        let what = format!("{:?}, {:?}, {:?}", literal.key_switch, literal.secrets, literal.landings);
        errors.assert_variance(&what, formula, &[key_count * rows, 2 * key_count * switched], widest);
    }
}

#[test]
fn key_switches() {
    let every_second: Vec<_> = switch_literals().into_iter().step_by(2).collect();
    check_key_switches(&every_second, 16, 750, 0.15);
}

#[test]
#[ignore = "slow: 108,000 key switches a case"]
fn key_switches_within_five_percent() {
    check_key_switches(&switch_literals(), 144, 750, 0.05);
}

#[test]
fn modulus_switches() {
    let [all, ..] = SECRETS;
    for (log2_stride, log2_extension, secrets) in [(0, 0, all), (2, 0, all), (0, 3, all), (1, 3, all), (0, 0, BLOCKS)] {
        let base = ParamsLiteral { mask_gadget: UNREAD, body_gadget: UNREAD, ..literal(32, Space::Bit) };
        let (order, max_log2_p_fail) = (Order::BootstrapFirst, 0.0);
        let bits_per_step = if secrets == BLOCKS { 4 } else { 1 };
        let literal = ParamsLiteral { order, log2_extension, bits_per_step, secrets, max_log2_p_fail, ..base };
        let errors = sample(&literal, KEYS, 6000, |secret, keys, i| {
            let small = uniform(keys.params().lwe_dim, i);
            let exponents = keys.exponents(&small, log2_stride);
            let two_n = 2.0 * keys.params().table_len() as f64;
            let phase = exponents.iter().zip(secret.small()).map(|(&a, &s)| f64::from(a) * f64::from(s)).sum::<f64>();
            let error = (f64::from(exponents[small.dim()]) - phase) / two_n - signed(small.phase(secret.small()));
            error - error.round()
        });
        let n = literal.n() << log2_extension >> log2_stride;
        // How many blocks are empty: a fifth on average, and `Σ (s_i − µ)²` a fourth of what others have.
        let (shared, widest) = if secrets == BLOCKS { (&[2_500][..], 0.2) } else { (&[][..], 0.04) };
        let formula = noise::mod_switch(secrets.small.centred_square(literal.lwe_dim), n);
        errors.assert_variance("modulus switch", formula, shared, widest);
    }
}

/// The errors of rotations with several keys made by `literal`, each over the deviation that the formula of `steps`
/// gives its key: how many bits of both secrets are set decides what is rounded, and differs too much from key to key.
fn relative_rotation_errors(
    literal: &ParamsLiteral,
    steps: &ParamsLiteral,
    key_count: u64,
    count: u64,
    batch: usize,
) -> Measured {
    relative_errors_with(literal, steps, key_count, count, batch, |key| fixed_keys(literal.clone(), key))
}

/// [`relative_errors`] with keys of any kind.
fn relative_errors_with(
    literal: &ParamsLiteral,
    steps: &ParamsLiteral,
    key_count: u64,
    count: u64,
    batch: usize,
    keys_of: impl Fn(u64) -> (SecretKey, EvalKeys),
) -> Measured {
    let rounding = |gadget: Gadget| (-2.0 * f64::from(gadget.bits())).exp2() / 12.0;
    let (mask, body) = (rounding(steps.mask_gadget), rounding(steps.body_gadget));
    // Roundings of a step whose bits aren't all zero, and of a step on average over the bits; products' errors of a
    // bit.
    let (of_step, mean, products) = [(1.0, 0.5, 1.0), (2.0, 1.5, 4.0), (2.0, 1.6, 2.0)][steps.bits_per_step / 2];
    // A table has no masks yet, so that the first step has no digits of them, and no roundings.
    let digits = steps.rank as f64
        * f64::from(steps.mask_gadget.digits)
        * ((2.0 * f64::from(steps.mask_gadget.log2_base)).exp2() + 2.0)
        / 12.0;
    let key_error = (2.0 * steps.glwe_log2_std_dev).exp2() + noise::stored_key(steps);
    let first_digits = (steps.bits_per_step * steps.n()) as f64 * products * key_error * digits;
    let mut errors = Measured::default();
    for key in 0..key_count {
        let (secret, keys) = keys_of(key);
        let rounds = |bits: &&[i8]| bits.iter().any(|&bit| bit != 0);
        let rounded = of_step * secret.small().chunks(steps.bits_per_step).filter(rounds).count() as f64;
        let first = of_step * secret.small().chunks(steps.bits_per_step).take(1).filter(rounds).count() as f64;
        let expected = mean * secret.small().chunks(steps.bits_per_step).count() as f64;
        let set = secret.big().iter().filter(|&&bit| bit != 0).count() as f64;
        let variance = literal.lwe_dim as f64 * noise::external_product(steps) + rounded * (set * mask + body)
            - expected * (literal.big_dim() as f64 / 2.0 * mask + body)
            - (first_digits + first * set * mask);
        errors.extend(rotation_errors_in_batches(&secret, &keys, count, batch).iter().map(|e| e / variance.sqrt()));
    }
    errors
}

/// The key's error, the masks' rounding, the body's, and halves of different shape, on both words, for every case or
/// one of so many.
fn check_blind_rotations(one_of: usize, key_count: u64, count: u64, widest: f64) {
    let [all, partial, shared] = SECRETS;
    for (torus_bits, log2_extension, bits_per_step, mask, body, secrets) in [
        (32, 0, 1, (7, 3), (7, 3), all),
        (32, 0, 1, (7, 3), (7, 2), all),
        (32, 0, 1, (5, 3), (4, 2), all),
        (32, 1, 1, (5, 3), (4, 2), all),
        (32, 0, 2, (7, 3), (7, 2), all),
        (32, 0, 2, (5, 3), (4, 2), all),
        (32, 0, 1, (5, 3), (4, 2), shared),
        (64, 0, 1, (8, 3), (10, 2), all),
        (64, 0, 1, (6, 3), (9, 2), all),
        (64, 2, 1, (6, 3), (9, 2), all),
        (64, 0, 2, (8, 3), (10, 2), all),
        (64, 0, 2, (6, 3), (9, 2), all),
        (64, 0, 1, (6, 3), (9, 2), partial),
        (64, 0, 2, (6, 3), (9, 2), shared),
        (64, 2, 1, (6, 3), (9, 2), shared),
        (32, 0, 4, (7, 3), (7, 2), BLOCKS),
        (32, 0, 4, (5, 3), (4, 2), BLOCKS),
        (64, 0, 4, (8, 3), (10, 2), BLOCKS),
        (64, 0, 4, (6, 3), (9, 2), BLOCKS),
        (32, 1, 2, (7, 3), (7, 2), all),
        (64, 2, 2, (6, 3), (9, 2), all),
        (64, 1, 2, (6, 3), (9, 2), shared),
        (64, 2, 4, (8, 3), (10, 2), BLOCKS),
    ]
    .into_iter()
    .step_by(one_of)
    {
        let (mask_gadget, body_gadget) = (Gadget::new(mask.0, mask.1), Gadget::new(body.0, body.1));
        let literal = ParamsLiteral {
            log2_extension,
            bits_per_step,
            mask_gadget,
            body_gadget,
            secrets,
            max_log2_p_fail: 0.0,
            ..literal(torus_bits, Space::Bit)
        };
        let what = format!(
            "blind rotation, {torus_bits} bits, E = 2^{log2_extension}, {bits_per_step} bits a step, {mask:?} {body:?}, {secrets:?}"
        );
        let errors = relative_rotation_errors(&literal, &literal, key_count, count, count as usize);
        // The key's errors.
        let shared = key_count as usize * literal.lwe_dim * literal.rows() * literal.n();
        errors.assert_variance(&what, 1.0, &[shared], widest);
    }
}

/// Keys of 32-bit words in 32-bit integers: here that is most of the noise.
fn check_stored_keys(key_count: u64, count: u64, widest: f64) {
    let base = ParamsLiteral { glwe_log2_std_dev: -30.0, log_n: 11, rank: 1, lwe_dim: 32, ..literal(32, Space::Bit) };
    let literal = ParamsLiteral { mask_gadget: Gadget::new(7, 4), body_gadget: Gadget::new(7, 4), ..base };
    assert!(noise::stored_key(&literal) > 20.0 * (-60.0f64).exp2());
    let errors = relative_rotation_errors(&literal, &literal, key_count, count, count as usize);
    // How many coefficients of the large secret are set: a binomial number, of half its mean squared.
    errors.assert_variance("stored key", 1.0, &[2 * key_count as usize * literal.big_dim()], widest);
}

/// Over limbs, where samples have as few as hold the errors.
fn check_limb_rotations(key_count: u64, count: u64, widest: f64) {
    for (mask, body) in [((8, 2), (8, 2)), ((10, 2), (10, 1))] {
        let (mask_gadget, body_gadget) = (Gadget::new(mask.0, mask.1), Gadget::new(body.0, body.1));
        let literal = ParamsLiteral { mask_gadget, body_gadget, max_log2_p_fail: 0.0, ..literal(64, Space::Bit) };
        let keys_of = |key| fixed_keys(over_limbs(literal.clone(), Transform::Doubles), key);
        let errors = relative_errors_with(&literal, &literal, key_count, count, count as usize, keys_of);
        let shared = key_count as usize * literal.lwe_dim * literal.rows() * literal.n();
        errors.assert_variance(&format!("over limbs, {mask:?} {body:?}"), 1.0, &[shared], widest);
    }
}

#[test]
fn limb_rotations() {
    check_limb_rotations(6, 100, 0.36);
}

#[test]
#[ignore = "slow: 30,000 rotations a case"]
fn limb_rotations_within_five_percent() {
    check_limb_rotations(20, 1500, 0.05);
}

/// A lone rotation may take two bits one after the other: then it has the noise of such steps, and else that of two
/// bits.
#[test]
fn lone_rotations() {
    for (rank, steps_of_one) in [(2, true), (1, false)] {
        let (mask_gadget, body_gadget) = (Gadget::new(10, 1), Gadget::new(10, 1));
        let one = ParamsLiteral { rank, mask_gadget, body_gadget, max_log2_p_fail: 0.0, ..literal(64, Space::Bit) };
        let two = ParamsLiteral { bits_per_step: 2, ..one.clone() };
        let steps = if steps_of_one { &one } else { &two };
        let errors = relative_rotation_errors(&two, steps, 10, 300, 1);
        errors.assert_variance(&format!("lone rotation, rank {rank}"), 1.0, &[], 0.16);
        assert!(noise::external_product(&two) > 1.4 * noise::external_product(&one));
    }
}

#[test]
fn blind_rotations() {
    check_blind_rotations(2, 6, 160, 0.29);
}

#[test]
#[ignore = "slow: 30,000 rotations a case"]
fn blind_rotations_within_five_percent() {
    check_blind_rotations(1, 20, 1500, 0.05);
}

#[test]
fn stored_keys() {
    check_stored_keys(10, 150, 0.23);
}

#[test]
#[ignore = "slow: 42,000 rotations"]
fn stored_keys_within_five_percent() {
    check_stored_keys(30, 1400, 0.05);
}

/// The transforms' rounding, where it is nearly all of the noise. Its formula is an upper bound, and no more than twice
/// what is measured.
#[test]
fn transforms_of_64_bit_words() {
    for log_n in [9, 11] {
        let base = ParamsLiteral { glwe_log2_std_dev: -61.0, log_n, rank: 1, lwe_dim: 32, ..literal(64, Space::Bit) };
        let literal = ParamsLiteral { mask_gadget: Gadget::new(22, 2), body_gadget: Gadget::new(22, 2), ..base };
        assert!(noise::transforms(&literal) > 0.9 * noise::external_product(&literal));
        let formula = literal.lwe_dim as f64 * noise::external_product(&literal);
        let errors: Measured = rotation_errors_of_keys(&literal, 5, 400).into_iter().collect();
        let ratio = errors.mean_square() / formula;
        println!("transforms, N = 2^{log_n}: {ratio:.3} of the formula");
        assert!((0.5..1.0).contains(&ratio), "{ratio}");
    }
}

/// Failures as often as `erfc` says, where they can be counted.
#[test]
fn the_tail_at_weak_parameters() {
    let base = ParamsLiteral { max_log2_p_fail: 0.0, squared_norm: 1.0, ..literal(32, Space::Integer { bits: 2 }) };
    for lwe_log2_std_dev in [-11.5, -11.0] {
        let (secret, keys) = keys(ParamsLiteral { lwe_log2_std_dev, ..base.clone() });
        let values: Vec<u64> = (0..10_000).map(|i| i % 4).collect();
        let x = secret.encrypt_integers(&values, 3).unwrap();
        let variance = keys.params().mean_noise().at_table(x[0].variance_torus());
        let predicted = noise::log2_p_fail(keys.params().margin_torus(), variance).exp2();
        let lut = Lut::from_messages(keys.params(), &[vec![0, 1, 2, 3]]).unwrap();
        let inputs: Vec<Lwe> = x.iter().map(|x| x.lwe().clone()).collect();
        let out = keys.bootstrap_lwe(&inputs, &vec![&lut; inputs.len()], true);
        let near = |out: &Lwe, value: u64| signed(out.phase(secret.big()).wrapping_sub(value << 61)).abs() < 0.0625;
        let failures = out.iter().zip(&values).filter(|(out, value)| !near(&out[0], **value)).count();
        // One key: its own errors move the variance by some percent, the tail by more.
        let what = format!("failures at 2^{lwe_log2_std_dev}");
        assert_count(&what, failures, predicted * values.len() as f64, 0.2, 0.5);
    }
}
