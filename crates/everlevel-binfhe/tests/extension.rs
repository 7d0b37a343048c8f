//! Tables with more coefficients than the ring's degree.

use crate::common;

use everlevel_binfhe::{Gadget, Lut, Lwe, ParamsLiteral, Secrets, SmallSecret, Space};

fn literal(torus_bits: u32, rank: usize, log2_extension: u32) -> ParamsLiteral {
    let base = common::literal(torus_bits, Space::Integer { bits: 3 });
    ParamsLiteral {
        log2_extension,
        rank,
        mask_gadget: Gadget::new(7, 3),
        body_gadget: Gadget::new(7, 3),
        lwe_log2_std_dev: -26.0,
        max_log2_p_fail: 0.0,
        squared_norm: 1.0,
        ..base
    }
}

/// The literal with several bits a step; four are those of a block.
fn in_steps(literal: ParamsLiteral, bits_per_step: usize) -> ParamsLiteral {
    let small = if bits_per_step == 4 { SmallSecret::Blocks { block: 4 } } else { SmallSecret::Binary };
    ParamsLiteral { bits_per_step, secrets: Secrets { small, ..Secrets::default() }, ..literal }
}

/// Exponents of the body, every third or fewer, with a random mask: the table's coefficient at the place that the phase
/// names, with its sign.
#[test]
fn places_are_reached() {
    for (torus_bits, rank, log2_extension, bits_per_step) in
        [(32, 1, 1, 1), (64, 2, 2, 1), (64, 1, 5, 1), (32, 1, 2, 2), (64, 2, 1, 2), (64, 1, 4, 2), (64, 1, 3, 4)]
    {
        let literal = in_steps(literal(torus_bits, rank, log2_extension), bits_per_step);
        let (secret, keys) = common::fixed_keys(literal, 7);
        let n = keys.params().table_len();
        let table: Vec<u64> = (0..n as u64 / 2).map(|i| (i % 7) << 60).collect();
        let lut = Lut::from_torus(keys.params(), keys.params().log_table_len() - 1, &[table]).unwrap();
        let inputs: Vec<Vec<u32>> = (0..2 * n as u32)
            .step_by(if n > 1024 { 37 } else { 3 })
            .map(|b| {
                let mask = (0..keys.params().lwe_dim as u32).map(|i| (i * i * 31 + b * 17 + i) % (2 * n as u32));
                mask.chain([b]).collect()
            })
            .collect();
        let out = keys.bootstrap_key().blind_rotate(&inputs, &vec![&lut; inputs.len()], 2);
        for (input, out) in inputs.iter().zip(&out) {
            let (body, mask) = input.split_last().unwrap();
            let sum: usize = mask.iter().zip(secret.small()).map(|(&a, &s)| a as usize * s as usize).sum();
            let place = (*body as usize + 2 * n * mask.len() - sum) % (2 * n);
            let expected = if place < n { lut.coeffs()[place] } else { lut.coeffs()[place - n].wrapping_neg() };
            let error = common::signed(out[0].phase(secret.big()).wrapping_sub(expected));
            assert!(error.abs() < 1.0 / 64.0, "E = 2^{log2_extension}, {bits_per_step} bits, place {place}: {error}");
        }
    }
}

#[test]
fn messages_and_several_tables() {
    for (log2_extension, bits_per_step) in [(1, 1), (3, 1), (1, 2), (2, 4)] {
        let literal = ParamsLiteral { max_log2_p_fail: -40.0, ..literal(64, 1, log2_extension) };
        let (secret, keys) = common::keys(in_steps(literal, bits_per_step));
        let values: Vec<u64> = (0..8).collect();
        let x = secret.encrypt_integers(&values, 7).unwrap();
        for count in [1, 2, 3] {
            let tables: Vec<Vec<u64>> =
                (0..count).map(|t| values.iter().map(|m| (m * (t + 2) + t) % 8).collect()).collect();
            for (m, out) in keys.tables(&x, &tables).unwrap().into_iter().enumerate() {
                let expected: Vec<u64> = tables.iter().map(|table| table[m]).collect();
                assert_eq!(secret.decrypt_integers(&out).unwrap(), expected, "{count} tables of {m}");
            }
        }
    }
}

/// One input by itself and in a batch, on one thread and on two: the same words.
#[test]
fn batches_change_nothing() {
    for bits_per_step in [1, 2, 4] {
        let (secret, keys) = common::fixed_keys(in_steps(literal(64, 1, 2), bits_per_step), 3);
        let values: Vec<u64> = (0..40).map(|i| i % 8).collect();
        let x: Vec<Lwe> = secret.encrypt_integers(&values, 7).unwrap().iter().map(|x| x.lwe().clone()).collect();
        let lut = Lut::from_messages(keys.params(), &[(0..8).map(|m| 7 - m).collect()]).unwrap();
        let exponents: Vec<Vec<u32>> = x.iter().map(|x| keys.exponents(x, 0)).collect();
        let all = keys.bootstrap_key().blind_rotate(&exponents, &vec![&lut; 40], 1);
        assert_eq!(keys.bootstrap_key().blind_rotate(&exponents, &vec![&lut; 40], 2), all);
        assert_eq!(keys.bootstrap_key().blind_rotate(&exponents[11..12], &[&lut], 1)[0], all[11]);
    }
}

/// Rotations of real size. The share of the transforms' rounding has an upper bound for a formula, so that the noise
/// may be below it.
#[test]
#[ignore = "slow: 400 rotations of up to 0.14 s"]
fn named_sets_have_the_noise_of_their_formulas() {
    for name in ["integer-5-64", "integer-8-128"] {
        let literal = everlevel_binfhe::sets::find(name).unwrap().literal().tfhe().unwrap();
        let formula = literal.lwe_dim as f64 * everlevel_binfhe::noise::external_product(&literal);
        let errors = common::rotation_errors_of_keys(&literal, 2, 100);
        let measured = errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64;
        println!("{name}: log2 deviation {:.2}, formula {:.2}", 0.5 * measured.log2(), 0.5 * formula.log2());
        assert!((0.5..1.3).contains(&(measured / formula)), "{name}: {measured:e} is not {formula:e}");
    }
}
