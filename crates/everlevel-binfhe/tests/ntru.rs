//! NTRU: every way of rotation at a small ring: gates, tables, noise beside its formulas, files.

use crate::common::{fixed_keys, rotation_errors, rotation_inputs};
use everlevel_binfhe::{
    ExactRotation, Gadget, Gate, KeySwitch, NtruLiteral, Order, Params, PrimeGadget, Rotation, SeededEvalKeys, Space,
    files,
};
use everlevel_testkit::noise::Measured;

const ROTATIONS: [Rotation; 6] = [
    Rotation::Sequential,
    Rotation::ThreeKeys,
    Rotation::FourKeys,
    Rotation::Automorphisms,
    Rotation::TwoSweeps { window: 10 },
    Rotation::OneSweep { window: 10 },
];

/// A ring of degree 256, without security.
fn literal(rotation: Rotation, space: Space) -> NtruLiteral {
    NtruLiteral {
        modulus: 1_032_193,
        log_n: 8,
        lwe_dim: 64,
        lwe_log2_std_dev: -24.0,
        big_log2_std_dev: -28.0,
        gadget: PrimeGadget::new(4, 4, 4),
        rotation,
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

fn assert_noise(gadget: PrimeGadget) {
    const KEYS: u64 = 24;
    for rotation in ROTATIONS {
        let literal = NtruLiteral { gadget, max_log2_p_fail: 0.0, ..literal(rotation, Space::Bit) };
        let (mut errors, mut formula) = (Measured::default(), 0.0);
        for index in 0..KEYS {
            let (secret, keys) = fixed_keys(literal.clone(), index);
            formula = keys.params().noise().blind_rotation;
            errors.extend(rotation_errors(&secret, &keys, 1250));
        }
        errors.assert_variance(&format!("{gadget:?} {rotation:?}"), formula, &[], 0.05);
        errors.assert_centred(&format!("{gadget:?} {rotation:?}"), formula);
    }
}

#[test]
fn rotations_have_the_noise_of_their_formulas() {
    assert_noise(PrimeGadget::new(4, 4, 4));
}

#[test]
#[ignore = "slow: 1,080,000 rotations at a small ring"]
fn rotations_have_the_noise_of_their_formulas_for_exact_and_coarse_digits() {
    assert_noise(PrimeGadget::new(3, 7, 0));
    assert_noise(PrimeGadget::new(5, 3, 5));
}

/// The fused steps have the bits of the stages.
#[test]
fn rotations_are_those_of_the_exact_model() {
    for (modulus, gadget) in [(1_032_193, PrimeGadget::new(4, 4, 4)), (134_176_769, PrimeGadget::new(8, 2, 10))] {
        for rotation in ROTATIONS {
            let literal = NtruLiteral { modulus, gadget, max_log2_p_fail: 0.0, ..literal(rotation, Space::Bit) };
            let (secret, _) = fixed_keys(literal.clone(), 1);
            let stored = SeededEvalKeys::generate(&secret).unwrap();
            let (model, fused) = (ExactRotation::new(&stored.bootstrap, &literal), stored.prepare());
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
    let (secret, _) = fixed_keys(literal(Rotation::FourKeys, Space::Bit), 3);
    let seeded = SeededEvalKeys::generate(&secret).unwrap();
    let bytes = files::eval_keys_to_container(&seeded, "ntru").to_bytes();
    let container = everlevel_io::Container::from_bytes(bytes.clone()).unwrap();
    let again = files::eval_keys_from_container(secret.params(), &container).unwrap();
    assert_eq!(files::eval_keys_to_container(&again, "ntru").to_bytes(), bytes);
    let keys = again.prepare();
    let x = secret.encrypt_bits(&[true, false]).unwrap();
    let out = keys.gate(Gate::Xor, &x[0], &x[1]).unwrap();
    assert_eq!(secret.decrypt_bits(&[out]).unwrap(), [true]);
}

#[test]
fn unsound_numbers_are_refused_with_both_values() {
    let sound = literal(Rotation::FourKeys, Space::Bit);
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
