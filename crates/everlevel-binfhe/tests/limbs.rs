//! Gates whose rotations are over limbs.

use crate::common::{self, fixed_keys, literal, over_limbs, rotation_inputs, signed};
use everlevel_binfhe::{
    Ciphertext, Error, EvalKeys, Gadget, Gate, Literal, Params, ParamsLiteral, SecretKey, SeededEvalKeys, Space,
    Transform, noise, sets,
};
use everlevel_io::{Container, Stored};
use everlevel_testkit::noise::Measured;

/// NAND's whole table, many times, at 128 bits, and the variance of what it gives.
fn nand(name: &str, count: usize) {
    let (secret, keys) = common::keys(sets::find(name).unwrap().literal());
    let a: Vec<bool> = (0..count).map(|i| i & 1 == 1).collect();
    let b: Vec<bool> = (0..count).map(|i| i & 2 == 2).collect();
    let [x, y] = [&a, &b].map(|bits| secret.encrypt_bits(bits).unwrap());
    let once = keys.gates(&[Gate::Nand], &x, &y).unwrap();
    // NAND of NANDs: of bootstrapped bits.
    let twice = keys.gates(&[Gate::Nand], &once, &y).unwrap();
    let expected: Vec<bool> = a.iter().zip(&b).map(|(a, b)| !(a & b)).collect();
    assert_eq!(secret.decrypt_bits(&once).unwrap(), expected);
    let expected: Vec<bool> = expected.iter().zip(&b).map(|(a, b)| !(a & b)).collect();
    assert_eq!(secret.decrypt_bits(&twice).unwrap(), expected);
    let error = |(out, &bit): (&Ciphertext, &bool)| {
        signed(out.lwe().phase(secret.ciphertext_secret())) - if bit { 0.125 } else { -0.125 }
    };
    let errors: Measured = twice.iter().zip(&expected).map(error).collect();
    let ratio = errors.mean_square() / keys.params().mean_noise().bootstrapped;
    println!("{name}: {ratio:.3} of the formula's variance, keys of {} bytes", keys.bootstrap_key().nbytes());
    assert!((0.4..1.8).contains(&ratio), "{ratio}");
}

#[test]
fn nand_gives_its_table() {
    nand("gate-64-limbs-baseline", 32);
}

#[test]
#[ignore = "slow: two thousand gates at 128 bits, and every transform"]
fn nand_gives_its_table_many_times() {
    nand("gate-64-limbs-baseline", 1024);
    nand("gate-64-limbs-two-primes-baseline", 128);
    nand("gate-64-limbs-three-primes-baseline", 64);
}

/// Two limbs of the masks and one of the body.
fn short_digits() -> ParamsLiteral {
    ParamsLiteral { mask_gadget: Gadget::new(10, 2), body_gadget: Gadget::new(10, 1), ..literal(64, Space::Bit) }
}

/// Products are exact, so that every transform gives the same words.
#[test]
fn transforms_agree() {
    let rotated = |transform| {
        let (_, keys) = fixed_keys(over_limbs(short_digits(), transform), 0);
        let (exponents, luts) = rotation_inputs(keys.params(), 3);
        keys.bootstrap_key().blind_rotate(&exponents, &luts.iter().collect::<Vec<_>>(), 1)
    };
    let doubles = rotated(Transform::Doubles);
    assert!(doubles == rotated(Transform::TwoPrimes) && doubles == rotated(Transform::ThreePrimes));
}

/// Stored keys are words, whose leading bits are all limbs: through a file, they are the same.
#[test]
fn keys_are_files() {
    let (secret, keys) = fixed_keys(over_limbs(short_digits(), Transform::TwoPrimes), 3);
    let seeded = SeededEvalKeys::generate(&secret).unwrap();
    let bits = 64 - 3 * 10;
    assert!(seeded.bootstrap.bodies.iter().all(|word| word & ((1 << bits) - 1) == 0));
    assert!(seeded.bootstrap.bodies.iter().any(|word| word >> bits & 1 == 1));
    let bytes = seeded.to_container(&seeded.params().into()).unwrap().to_bytes();
    let container = Container::from_bytes(bytes.clone()).unwrap();
    let again = SeededEvalKeys::from_container(&secret.params().into(), &container).unwrap();
    assert_eq!(again.to_container(&again.params().into()).unwrap().to_bytes(), bytes);
    let (exponents, luts) = rotation_inputs(secret.params(), 2);
    let luts: Vec<_> = luts.iter().collect();
    let rotated = |keys: &EvalKeys| keys.bootstrap_key().blind_rotate(&exponents, &luts, 1);
    assert!(rotated(&again.prepare()) == rotated(&seeded.prepare()));
    // What it holds is told before.
    let told = secret.params().eval_keys_footprint().held as usize;
    assert!((keys.nbytes() + seeded.nbytes()..=told + 4096).contains(&told), "{told}");
    // Parameters that files say are read with their transform.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret");
    secret.write(&path).unwrap();
    assert_eq!(SecretKey::read(&path).unwrap().params(), secret.params());
}

#[test]
fn what_limbs_dont_have_is_refused() {
    let refused = |words| match Params::try_from(Literal::from(over_limbs(words, Transform::Doubles))) {
        Err(Error::Parameter { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    let base = ParamsLiteral { max_log2_p_fail: 0.0, ..short_digits() };
    let wide = |log2_base| {
        let gadget = Gadget::new(log2_base, 1);
        ParamsLiteral { mask_gadget: gadget, body_gadget: gadget, ..base.clone() }
    };
    for (literal, what) in [
        (ParamsLiteral { torus_bits: 32, ..base.clone() }, "torus_bits"),
        (ParamsLiteral { body_gadget: Gadget::new(9, 1), ..base.clone() }, "body_gadget.log2_base"),
        (ParamsLiteral { bits_per_step: 2, ..base.clone() }, "bits_per_step"),
        (ParamsLiteral { log2_extension: 1, ..base.clone() }, "log2_extension"),
        (ParamsLiteral { glwe_log2_std_dev: f64::NAN, ..base.clone() }, "glwe_log2_std_dev"),
        // Products that doubles don't hold, and limbs that no word holds.
        (wide(28), "mask_gadget.log2_base"),
        (ParamsLiteral { glwe_log2_std_dev: -61.0, ..wide(20) }, "mask_gadget.log2_base"),
    ] {
        assert_eq!(refused(literal), what);
    }
}

/// The table of the note: the noise that circuit bootstrapping would have.
#[test]
fn circuit_bootstrapping_has_the_noise_of_the_note() {
    let (n, log2_std_dev) = (2048.0, -48.32f64);
    let digit_square = |log2_base: u32| ((2.0 * f64::from(log2_base)).exp2() + 2.0) / 12.0;
    let rounding = |gadget: Gadget| (-2.0 * f64::from(gadget.bits())).exp2() / 12.0;
    for (log2_base, masks, body) in [(8, 5, 5), (8, 5, 4), (10, 4, 4), (10, 4, 3), (13, 3, 3)] {
        let [mask_gadget, body_gadget] = [masks, body].map(|digits| Gadget::new(log2_base, digits));
        let base = sets::find("gate-64-limbs-baseline").unwrap().literal().limbs().unwrap().words;
        let literal = ParamsLiteral {
            rank: 1,
            log_n: 11,
            glwe_log2_std_dev: log2_std_dev,
            mask_gadget,
            body_gadget,
            max_log2_p_fail: 0.0,
            ..base
        };
        // Transforms over limbs round nothing.
        let step = noise::external_product(&literal) - noise::transforms(&literal);
        let rotation = literal.lwe_dim as f64 * step;
        let error = n * (2.0 * log2_std_dev).exp2() * digit_square(log2_base);
        let half = f64::from(masks) * error + n / 2.0 * rounding(mask_gadget);
        let of_body = rotation + 11.0 * half;
        let of_masks = n / 2.0 * of_body + half;
        let cut = rounding(Gadget::new(log2_base, 2));
        let cmux = n * digit_square(log2_base) * 2.0 * (of_masks + of_body) + 0.5 * (n / 2.0 + 1.0) * cut;
        // Noise whose sums leave a fourth of the torus with 2^-64.
        let holds = |doublings: &i32| noise::log2_p_fail(0.25, f64::from(*doublings).exp2() * cmux) <= -64.0;
        let count = (0..).take_while(holds).last().map_or("none".into(), |doublings| format!("2^{doublings}"));
        let limbs = ((2.0 - log2_std_dev) / f64::from(log2_base)).ceil();
        let bytes = literal.lwe_dim as f64 * literal.rows() as f64 * 2.0 * limbs * n * 8.0;
        let log2 = |variance: f64| 0.5 * variance.log2();
        let [rotation, of_body, of_masks, cmux] = [rotation, of_body, of_masks, cmux].map(log2);
        let line = format!(
            "| {log2_base} | {masks}, {body} | {rotation:.1} | {of_body:.1} | {of_masks:.1} | {cmux:.1} | {count} | {:.2} GB |",
            bytes / 1e9
        );
        assert!(include_str!("../../../docs/notes/base2k.md").contains(&line.replace('-', "−")), "{line}");
    }
}
