//! NTRU: every way of rotation at a small ring: gates, tables, noise beside its formulas, files.

use crate::common::{fixed_keys, keys, rotation_errors, rotation_inputs, signed, uniform};
use everlevel_binfhe::{
    ExactRotation, Gadget, Gate, KeptEvalKeys, KeySwitch, NtruLiteral, Order, Params, PrimeGadget, Rotation,
    SeededEvalKeys, SmallSecret, Space, noise,
};
use everlevel_io::Stored;
use everlevel_testkit::noise::{Measured, assert_count};

/// Every rotation, by every kind of secret that it takes.
const ROTATIONS: [(Rotation, SmallSecret); 13] = [
    (Rotation::Sequential, SmallSecret::Binary),
    (Rotation::Sequential, SmallSecret::Ternary),
    (Rotation::ThreeKeys, SmallSecret::Binary),
    (Rotation::FourKeys, SmallSecret::Binary),
    (Rotation::EightKeys, SmallSecret::Binary),
    (Rotation::Blocks, SmallSecret::OneHot { block: 8 }),
    (Rotation::Buckets { count: 16 }, SmallSecret::Sparse { weight: 6 }),
    (Rotation::Automorphisms, SmallSecret::Binary),
    (Rotation::Automorphisms, SmallSecret::Ternary),
    (Rotation::TwoSweeps { window: 10 }, SmallSecret::Binary),
    (Rotation::TwoSweeps { window: 10 }, SmallSecret::Ternary),
    (Rotation::OneSweep { window: 10 }, SmallSecret::Binary),
    (Rotation::OneSweep { window: 10 }, SmallSecret::Ternary),
];

const FOUR_KEYS: (Rotation, SmallSecret) = (Rotation::FourKeys, SmallSecret::Binary);

/// A ring of degree 256, without security.
fn literal((rotation, secret): (Rotation, SmallSecret), space: Space) -> NtruLiteral {
    NtruLiteral {
        modulus: 1_032_193,
        log_n: 8,
        lwe_dim: 64,
        lwe_log2_std_dev: -24.0,
        big_log2_std_dev: -28.0,
        gadget: PrimeGadget::new(4, 4, 4),
        rotation,
        secret,
        key_switch: KeySwitch { gadget: Gadget::new(3, 6), ring: 32 },
        order: Order::KeySwitchFirst,
        space,
        squared_norm: 4.0,
        max_log2_p_fail: -40.0,
        insecure: true,
    }
}

#[test]
fn gates_have_their_truth_tables_with_every_rotation() {
    for rotation in ROTATIONS {
        let (secret, keys) = fixed_keys(literal(rotation, Space::Bit), 0);
        let (a, b) = ([false, false, true, true], [false, true, false, true]);
        let (x, y) = (secret.encrypt_bits(&a).unwrap(), secret.encrypt_bits(&b).unwrap());
        for gate in Gate::ALL {
            let out = secret.decrypt_bits(&keys.gates(&[gate], &x, &y).unwrap()).unwrap();
            let expected: Vec<bool> = a.iter().zip(b).map(|(&a, b)| gate.of(a, b)).collect();
            assert_eq!(out, expected, "{rotation:?} {gate:?}");
        }
        // One after the other: what a gate gives is an input of the next.
        let mut bit = x[2].clone();
        let mut expected = true;
        for i in 0..40 {
            bit = keys.gate(Gate::Nand, &bit, &x[i % 4]).unwrap();
            expected = !(expected & a[i % 4]);
            assert_eq!(secret.decrypt_bits(std::slice::from_ref(&bit)).unwrap(), [expected], "{rotation:?} {i}");
        }
    }
}

#[test]
fn tables_of_two_bits() {
    for rotation in ROTATIONS {
        let (secret, keys) = fixed_keys(literal(rotation, Space::Integer { bits: 2 }), 0);
        let x = secret.encrypt_integers(&[0, 1, 2, 3], 3).unwrap();
        let out = keys.table(&x, &[3, 1, 0, 2]).unwrap();
        assert_eq!(secret.decrypt_integers(&out).unwrap(), [3, 1, 0, 2], "{rotation:?}");
    }
}

fn assert_noise(gadget: PrimeGadget, samples: u64, widest: f64) {
    const KEYS: u64 = 24;
    // Automorphisms have the noise of bits for ternary secrets, too.
    for rotation in ROTATIONS.into_iter().filter(|(r, s)| *r == Rotation::Sequential || *s != SmallSecret::Ternary) {
        let literal = NtruLiteral { gadget, max_log2_p_fail: 0.0, ..literal(rotation, Space::Bit) };
        let (mut errors, mut formula) = (Vec::new(), 0.0);
        for index in 0..KEYS {
            let (secret, keys) = fixed_keys(literal.clone(), index);
            formula = keys.params().mean_noise().blind_rotation;
            errors.extend(rotation_errors(&secret, &keys, samples / KEYS));
        }
        let (what, deviation) = (format!("{gadget:?} {rotation:?}"), f64::sqrt(formula));
        // Tails as a normal distribution has them.
        for (deviations, chance) in [(2.0, 0.0455), (3.0, 0.0027)] {
            let beyond = errors.iter().filter(|error| error.abs() > deviations * deviation).count();
            let ratio = beyond as f64 / (chance * errors.len() as f64);
            let apart = 0.1 + 4.0 / (chance * errors.len() as f64).sqrt();
            assert!((ratio - 1.0).abs() < apart, "{what}: {ratio} of {chance} beyond {deviations}");
        }
        let errors: Measured = errors.into_iter().collect();
        errors.assert_variance(&what, formula, &[], widest);
        errors.assert_centred(&what, formula);
    }
}

#[test]
fn rotations_have_the_noise_of_their_formulas() {
    assert_noise(PrimeGadget::new(4, 4, 4), 3_600, 0.15);
}

#[test]
#[ignore = "slow: 810,000 rotations at a small ring"]
fn rotations_have_the_noise_of_their_formulas_to_five_percent() {
    for gadget in [PrimeGadget::new(4, 4, 4), PrimeGadget::new(3, 7, 0), PrimeGadget::new(5, 3, 5)] {
        assert_noise(gadget, 30_000, 0.05);
    }
}

#[test]
fn modulus_switches_have_the_noise_of_each_secret() {
    for (rotation, secret) in [
        FOUR_KEYS,
        (Rotation::Sequential, SmallSecret::Ternary),
        (Rotation::Blocks, SmallSecret::OneHot { block: 8 }),
        (Rotation::Buckets { count: 16 }, SmallSecret::Sparse { weight: 6 }),
        (Rotation::OneSweep { window: 10 }, SmallSecret::Ternary),
    ] {
        let literal = literal((rotation, secret), Space::Bit);
        let literal = NtruLiteral { order: Order::BootstrapFirst, max_log2_p_fail: 0.0, ..literal };
        let (mut errors, mut formula) = (Measured::default(), 0.0);
        for index in 0..20 {
            let (secret_key, keys) = fixed_keys(literal.clone(), index);
            let params = keys.params();
            let two_n = 2.0 * params.n() as f64;
            formula = params.mean_noise().mod_switch;
            let steps = params.n() >> params.log2_exponent_step;
            assert_eq!(formula, noise::mod_switch(secret.centred_square(params.lwe_dim), steps));
            errors.extend((0..1500).map(|i| {
                let small = uniform(params.lwe_dim, i);
                let exponents = keys.exponents(&small, 0);
                let masked = exponents.iter().zip(secret_key.small());
                let masked: f64 = masked.map(|(&a, &s)| f64::from(a) * f64::from(s)).sum();
                let body = f64::from(exponents[small.dim()]);
                let error = (body - masked) / two_n - signed(small.phase(secret_key.small()));
                error - error.round()
            }));
        }
        // Ternary secrets have a weight of their own each: binomial numbers, whose variance is half their mean over n.
        let shared = [4 * 20 * literal.lwe_dim];
        let shared = if secret == SmallSecret::Ternary { &shared[..] } else { &[] };
        errors.assert_variance(&format!("{rotation:?} {secret:?}"), formula, shared, 0.2);
        errors.assert_centred(&format!("{rotation:?} {secret:?}"), formula);
    }
}

/// The fused steps have the bits of the stages.
#[test]
fn rotations_are_those_of_the_exact_model() {
    for (modulus, gadget) in [(1_032_193, PrimeGadget::new(4, 4, 4)), (134_176_769, PrimeGadget::new(8, 2, 10))] {
        for rotation in ROTATIONS {
            let literal = NtruLiteral { modulus, gadget, max_log2_p_fail: 0.0, ..literal(rotation, Space::Bit) };
            let (secret, _) = fixed_keys(literal.clone(), 1);
            let stored = SeededEvalKeys::generate(&secret).unwrap();
            let kept = KeptEvalKeys::new(stored.clone());
            let (model, fused) = (ExactRotation::new(&stored.bootstrap, &literal), kept.ready());
            // The ready key gives its bodies back to the bit, so that only the key switch's stored form is held
            // besides.
            assert!(kept.seeded().bootstrap.bodies == stored.bootstrap.bodies, "{modulus} {rotation:?}");
            assert_eq!(kept.nbytes(), fused.nbytes() + size_of_val(&stored.key_switch.bodies[..]));
            // Buffers are whole pages.
            let told = secret.params().eval_keys_footprint().held as usize;
            assert!((kept.nbytes()..=kept.nbytes() + (2 << 20)).contains(&told), "{told} of {}", kept.nbytes());
            let (inputs, luts) = rotation_inputs(secret.params(), 3);
            let out = fused.bootstrap_key().blind_rotate(&inputs, &luts.iter().collect::<Vec<_>>(), 1);
            for ((input, lut), out) in inputs.iter().zip(&luts).zip(&out) {
                assert_eq!(model.extract(&model.rotate(input, lut), 0), out[0], "{modulus} {rotation:?}");
            }
        }
    }
}

#[test]
fn keys_are_files() {
    let (secret, _) = fixed_keys(literal(FOUR_KEYS, Space::Bit), 3);
    let seeded = SeededEvalKeys::generate(&secret).unwrap();
    let bytes = seeded.to_container(&seeded.params().into()).unwrap().to_bytes();
    // A residue has as many bits as the prime.
    let residues = seeded.bootstrap.bodies.len() * 20 / 8 + size_of_val(&seeded.key_switch.bodies[..]);
    assert!((residues..residues + 4096).contains(&bytes.len()), "{} bytes, {residues} of residues", bytes.len());
    let container = everlevel_io::Container::from_bytes(bytes.clone()).unwrap();
    let again = SeededEvalKeys::from_container(&secret.params().into(), &container).unwrap();
    assert_eq!(again.to_container(&again.params().into()).unwrap().to_bytes(), bytes);
    assert!(again.bootstrap.bodies == seeded.bootstrap.bodies);
    let keys = again.prepare();
    let x = secret.encrypt_bits(&[true, false]).unwrap();
    let out = keys.gate(Gate::Xor, &x[0], &x[1]).unwrap();
    assert_eq!(secret.decrypt_bits(&[out]).unwrap(), [true]);
}

#[test]
fn unsound_numbers_are_refused_with_both_values() {
    let sound = literal(FOUR_KEYS, Space::Bit);
    let refused = |literal: NtruLiteral| Params::try_from(literal).unwrap_err().to_string();
    assert_eq!(
        refused(NtruLiteral { modulus: 1_032_191, ..sound.clone() }),
        "parameters: modulus is 1032191; it must be a prime of 13 to 28 bits that is 1 modulo 512"
    );
    assert_eq!(
        refused(NtruLiteral { gadget: PrimeGadget::new(4, 3, 4), ..sound.clone() }),
        "parameters: gadget is 3 digits of 4 bits above 4; it must be digits that reach the prime's 20 bits"
    );
    for literal in [
        NtruLiteral { log_n: 12, ..sound.clone() },
        NtruLiteral { log_n: 100, ..sound.clone() },
        NtruLiteral { lwe_dim: usize::MAX - 1, ..sound.clone() },
        NtruLiteral { rotation: Rotation::OneSweep { window: usize::MAX }, ..sound.clone() },
        NtruLiteral { gadget: PrimeGadget::new(1 << 31, 1 << 31, 1 << 31), ..sound.clone() },
        NtruLiteral { gadget: PrimeGadget::new(3, 7, 1), ..sound.clone() },
        NtruLiteral { gadget: PrimeGadget::new(1, 19, 1), ..sound.clone() },
        NtruLiteral { lwe_dim: 63, key_switch: KeySwitch { ring: 1, ..sound.key_switch }, ..sound.clone() },
        NtruLiteral { rotation: Rotation::OneSweep { window: 0 }, ..sound.clone() },
        NtruLiteral { rotation: Rotation::TwoSweeps { window: 128 }, ..sound.clone() },
        NtruLiteral { squared_norm: f64::NAN, ..sound.clone() },
    ] {
        refused(literal);
    }
}

/// At a prime so small that a rotation's noise is near the margin, gates fail as often as the formulas say.
#[test]
fn gates_fail_as_often_as_predicted_at_weak_parameters() {
    for (rotation, gates) in [
        ((Rotation::FourKeys, SmallSecret::Binary), 1500),
        ((Rotation::EightKeys, SmallSecret::Binary), 1500),
        ((Rotation::Sequential, SmallSecret::Ternary), 1500),
        ((Rotation::Blocks, SmallSecret::OneHot { block: 8 }), 5500),
        ((Rotation::Buckets { count: 16 }, SmallSecret::Sparse { weight: 6 }), 1500),
    ] {
        let (modulus, gadget) = (12_289, PrimeGadget::new(3, 4, 1));
        let literal = NtruLiteral { modulus, gadget, max_log2_p_fail: 0.0, ..literal(rotation, Space::Bit) };
        let (mut failures, mut expected) = (0, 0.0);
        for _ in 0..2 {
            let (secret, keys) = keys(literal.clone());
            let bits: Vec<bool> = (0..2 * gates).map(|i| i % 3 == 0).collect();
            let fresh = secret.encrypt_bits(&bits).unwrap();
            let once = keys.gates(&[Gate::And], &fresh, &fresh).unwrap();
            let out = keys.gates(&[Gate::Nand], &once[..gates], &once[gates..]).unwrap();
            let found = secret.decrypt_bits(&out).unwrap();
            failures += (0..gates).filter(|&i| found[i] == (bits[i] & bits[gates + i])).count();
            // An error to one side is wrong: at the second gate's table, whose input is made of two outputs, or when
            // its output is decrypted.
            let (noise, margin_torus) = (keys.params().mean_noise(), keys.params().margin_torus());
            let one_side = |variance| noise::log2_p_fail(margin_torus, variance).exp2() / 2.0;
            let decrypted = one_side(noise.bootstrapped);
            let table = one_side(noise.at_table(2.0 * noise.bootstrapped));
            expected += gates as f64 * (table + decrypted - 2.0 * table * decrypted);
        }
        assert_count(&format!("{rotation:?}, {} gates", 2 * gates), failures, expected, 0.1, 0.45);
    }
}
