//! Integers with padding: combinations, tables of one, two and several, and what is refused.

use crate::common;

use everlevel_binfhe::{Ciphertext, Error, Gadget, Gate, Lut, ObjectError, ParamsLiteral, Space};

fn literal(bits: u32) -> ParamsLiteral {
    let base = common::literal(64, Space::Integer { bits });
    ParamsLiteral {
        log_n: 10,
        rank: 1,
        glwe_log2_std_dev: -40.0,
        mask_gadget: Gadget::new(9, 3),
        body_gadget: Gadget::new(9, 2),
        lwe_log2_std_dev: -24.0,
        max_log2_p_fail: -40.0,
        squared_norm: 25.0,
        ..base
    }
}

#[test]
fn tables_of_every_value() {
    for bits in 1..=4 {
        let (secret, keys) = common::keys(literal(bits));
        let size = 1u64 << bits;
        let values: Vec<u64> = (0..size).collect();
        let x = secret.encrypt_integers(&values, size - 1).unwrap();
        assert_eq!(secret.decrypt_integers(&x).unwrap(), values);
        let table: Vec<u64> = values.iter().map(|m| (m * 5 + 3) % size).collect();
        let out = keys.table(&x, &table).unwrap();
        assert_eq!(secret.decrypt_integers(&out).unwrap(), table);
        // Twice: what a table gives goes into the next.
        let again: Vec<u64> = table.iter().map(|&m| table[m as usize]).collect();
        assert_eq!(secret.decrypt_integers(&keys.table(&out, &table).unwrap()).unwrap(), again);
    }
}

#[test]
fn several_tables_from_one_rotation() {
    let (secret, keys) = common::keys(literal(3));
    let values: Vec<u64> = (0..8).collect();
    let x = secret.encrypt_integers(&values, 7).unwrap();
    for count in [1, 2, 3, 4] {
        let tables: Vec<Vec<u64>> =
            (0..count).map(|t| values.iter().map(|m| (m * (t + 2) + t) % 8).collect()).collect();
        for (m, out) in keys.tables(&x, &tables).unwrap().into_iter().enumerate() {
            let expected: Vec<u64> = tables.iter().map(|table| table[m]).collect();
            assert_eq!(secret.decrypt_integers(&out).unwrap(), expected, "{count} tables of {m}");
        }
    }
}

/// Small messages leave room for several tables in one rotation, whose outputs have the noise of one table's.
#[test]
fn tables_side_by_side() {
    let (secret, keys) = common::keys(literal(4));
    for (largest, count, rotations) in [(3u64, 4, 1), (4, 3, 1), (7, 2, 1), (0, 16, 1), (3, 5, 2), (7, 3, 2)] {
        let values: Vec<u64> = (0..=largest).collect();
        let x = secret.encrypt_integers(&values, largest).unwrap();
        let tables: Vec<Vec<u64>> =
            (0..count).map(|t| (0..16).map(|m| (m * (t + 2) + 5 * t + 1) % 16).collect()).collect();
        let out = keys.tables(&x, &tables).unwrap();
        for (m, out) in out.iter().enumerate() {
            let expected: Vec<u64> = tables.iter().map(|table| table[m]).collect();
            assert_eq!(secret.decrypt_integers(out).unwrap(), expected, "{count} tables of {m}");
            assert!(out.iter().all(|out| out.variance_torus() <= keys.params().noise().bootstrapped));
        }
        let largest_entry = |t: usize| tables[t][..values.len()].iter().copied().max().unwrap();
        assert!((0..count as usize).all(|t| out[0][t].max_value() == largest_entry(t)));
        let together = Lut::side_by_side(keys.params(), &tables, values.len());
        assert_eq!(together.is_ok(), rotations == 1);
        let Ok(lut) = together else { continue };
        assert_eq!((lut.count(), lut.log2_stride()), (count as usize, 0));
        for (t, table) in tables.iter().enumerate() {
            // The worst noise on both sides of every message.
            for (m, noise) in values.iter().flat_map(|&m| [(m, -1), (m, 0), (m, 1)]) {
                let phase = (m << 59).wrapping_add_signed(noise * ((1 << 58) - (1 << 55)));
                assert_eq!(lut.at(t, phase), table[m as usize] << 59, "{m} {noise}");
            }
        }
    }
}

#[test]
fn sums_and_pairs() {
    let (secret, keys) = common::keys(literal(4));
    let x = secret.encrypt_integers(&[3, 1, 0], 3).unwrap();
    let y = secret.encrypt_integers(&[2, 3, 1], 3).unwrap();
    let sum = keys.add(&x[0], &y[0]).unwrap();
    assert_eq!(sum.max_value(), 6);
    assert_eq!(sum.variance_torus(), x[0].variance_torus() + y[0].variance_torus());
    let combination = keys.linear(&[(2, &sum), (-1, &x[1])], 3).unwrap();
    assert_eq!(secret.decrypt_integers(&[sum, combination]).unwrap(), [5, 12]);
    let products = keys.bivariate(&x, &y, |a, b| (a * b) % 4).unwrap();
    assert_eq!(secret.decrypt_integers(&products).unwrap(), [2, 3, 0]);
    assert_eq!(products[0].max_value(), 3);
}

#[test]
fn refusals_carry_both_values() {
    let (secret, keys) = common::keys(literal(4));
    let (_, others) = common::keys(literal(4));
    let x = secret.encrypt_integers(&[9, 15], 15).unwrap();
    let message = |error: Error| error.to_string();
    assert_eq!(
        message(secret.encrypt_integers(&[1, 16], 15).unwrap_err()),
        "encrypt_integers: value 16 at index 1 is outside 0..=15; reduce it or choose a set of more bits"
    );
    assert_eq!(
        message(keys.add(&x[0], &x[1]).unwrap_err()),
        "linear: the result may be as large as 30, the space ends at 15; bootstrap or reduce an operand first"
    );
    assert!(matches!(keys.linear(&[(-1, &x[0])], 0), Err(Error::SpaceExhausted { .. })));
    assert_eq!(
        message(keys.table(&x, &[0; 15]).unwrap_err()),
        "tables: table 0 has 15 entries, this operation needs 16; give one entry for each value"
            .replace("tables", "lut")
    );
    assert!(matches!(keys.table(&x, &[16; 16]), Err(Error::ValueOutOfSpace { value: 16, max: 15, .. })));
    assert!(matches!(keys.tables(&x, &[]), Err(Error::TableCount { found: 0, .. })));
    assert!(matches!(others.table(&x, &[0; 16]), Err(Error::Object(ObjectError::OtherSecret { .. }))));
    assert!(matches!(keys.gate(Gate::And, &x[0], &x[1]), Err(Error::WrongSpace { .. })));
    assert!(matches!(secret.encrypt_bits(&[true]), Err(Error::WrongSpace { .. })));
    assert!(matches!(keys.bivariate(&x, &x[..1], |a, _| a), Err(Error::LengthMismatch { left: 2, right: 1, .. })));
    // Noise: each doubling of a small value doubles its deviation, until a table would fail.
    let mut noisy: Ciphertext = secret.encrypt_integers(&[0], 0).unwrap().remove(0);
    let refused = loop {
        match keys.table(std::slice::from_ref(&noisy), &[0; 16]) {
            Ok(_) => noisy = keys.linear(&[(2, &noisy)], 0).unwrap(),
            Err(error) => break error,
        }
    };
    let Error::NoiseExhausted { op: "tables", log2_p_fail, max_log2_p_fail } = refused else { panic!("{refused}") };
    assert!(log2_p_fail > max_log2_p_fail && max_log2_p_fail == -40.0);
    while secret.decrypt_integers(std::slice::from_ref(&noisy)).is_ok() {
        noisy = keys.linear(&[(2, &noisy)], 0).unwrap();
    }
    assert!(matches!(secret.decrypt_integers(&[noisy]), Err(Error::NoiseExhausted { .. })));
}

/// A seed is a key: the same from one machine to the next, and its evaluation keys too.
#[test]
fn seeds_give_the_same_keys() {
    use everlevel_binfhe::{Params, SecretKey, SeededEvalKeys};
    use everlevel_rand::Seed;
    let params = std::sync::Arc::new(Params::try_from(literal(2)).unwrap());
    let make = |byte: u8| {
        let secret = SecretKey::from_seed(params.clone(), &Seed::from_bytes([byte; 32])).unwrap();
        let keys = SeededEvalKeys::from_seed(&secret, &Seed::from_bytes([byte + 1; 32])).unwrap();
        (secret, keys)
    };
    let ((secret, keys), (again, same), (other, _)) = (make(1), make(1), make(3));
    assert_eq!((secret.id(), secret.small(), secret.big()), (again.id(), again.small(), again.big()));
    assert_ne!(secret.id(), other.id());
    assert_eq!(keys.bootstrap.bodies, same.bootstrap.bodies);
    assert_eq!(keys.key_switch.bodies, same.key_switch.bodies);
    let x = secret.encrypt_integers(&[2], 3).unwrap();
    let out = same.prepare().table(&x, &[3, 2, 1, 0]).unwrap();
    assert_eq!(out, keys.prepare().table(&x, &[3, 2, 1, 0]).unwrap());
    assert_eq!(secret.decrypt_integers(&out).unwrap(), [1]);
}

/// Combinations that share errors have the variance that is tracked, by measurement: the mean square of 60,000
/// errors is off by more than 5 % for one seed in 10^15.
#[test]
fn shared_noise_is_tracked() {
    let (secret, keys) = common::keys(literal(4));
    let count = 60_000;
    let x = secret.encrypt_integers(&vec![1; count], 1).unwrap();
    let z = secret.encrypt_integers(&vec![1; count], 1).unwrap();
    let sums: Vec<Ciphertext> = x.iter().zip(&z).map(|(x, z)| keys.add(x, z).unwrap()).collect();
    let fresh = keys.params().noise().fresh;
    for (what, factors, expected) in [("x + z + x", (1, 1), 5.0), ("3(x + z) − 2x", (3, -2), 10.0)] {
        let squares = sums.iter().zip(&x).map(|(sum, x)| {
            let y = keys.linear(&[(factors.0, sum), (factors.1, x)], 3).unwrap();
            assert!((y.variance_torus() / (expected * fresh) - 1.0).abs() < 1e-12, "{what}");
            let message = (3 + 2 * factors.0 + factors.1) as u64;
            let error = y.lwe().phase(secret.ciphertext_secret()).wrapping_sub(message << 59) as i64;
            (error as f64 * (-64.0f64).exp2()).powi(2)
        });
        let measured = squares.sum::<f64>() / count as f64;
        assert!((measured / (expected * fresh) - 1.0).abs() < 0.05, "{what}: {measured:e}, {:e}", expected * fresh);
    }
    // A bootstrap repeated has one error, whichever call made it.
    let entries: Vec<u64> = (0..16).map(|m| m % 2).collect();
    let (once, twice) = (keys.table(&sums[..1], &entries).unwrap(), keys.table(&sums[..1], &entries).unwrap());
    let both = keys.add(&once[0], &twice[0]).unwrap();
    assert_eq!(both.variance_torus(), 4.0 * keys.params().noise().bootstrapped);
}
