//! Secrets of which some coefficients are zero, and small ones that begin as the large one does.

use std::sync::Arc;

use crate::common;

use everlevel_binfhe::{
    EvalKeys, Gadget, Gate, KeySwitch, Landing, Lwe, Order, Params, ParamsLiteral, SecretKey, Secrets, SeededEvalKeys,
    SmallSecret, Space,
};
use everlevel_rand::Seed;

/// 300 of 512 coefficients are drawn.
fn secrets(shared: usize) -> Secrets {
    Secrets { drawn: Some(300), shared, ..Secrets::default() }
}

fn literal(torus_bits: u32, space: Space, secrets: Secrets) -> ParamsLiteral {
    ParamsLiteral { secrets, ..common::literal(torus_bits, space) }
}

#[test]
fn coefficients_are_drawn_shared_and_zero() {
    let (of_all, _) = common::fixed_keys(common::literal(64, Space::Bit), 3);
    for shared in [0, 17, 64] {
        let (secret, keys) = common::fixed_keys(literal(64, Space::Bit, secrets(shared)), 3);
        assert_eq!((secret.big().len(), keys.params().big_dim, keys.params().ciphertext_dim()), (300, 300, 300));
        assert_eq!(secret.big(), &of_all.big()[..300]);
        assert_eq!(secret.small()[..shared], secret.big()[..shared]);
        assert_eq!(secret.small()[shared..], of_all.small()[shared..]);
        assert_eq!(keys.nbytes() as u64, keys.params().eval_keys_footprint().held - seeded_nbytes(&secret));
    }
}

/// Bytes of both keys as bodies.
fn seeded_nbytes(secret: &SecretKey) -> u64 {
    let keys = SeededEvalKeys::generate(secret).unwrap();
    let shape = secret.params().switches()[0].shape;
    assert_eq!(keys.key_switch.bodies.len(), (300 - shape.shared).div_ceil(32) * 32 * 5);
    keys.nbytes() as u64
}

/// Where nothing else is left to switch, mask and body stay as they are, but for their last 32 bits.
#[test]
fn what_is_shared_is_kept() {
    let drawn =
        ParamsLiteral { secrets: Secrets { drawn: Some(65), ..secrets(64) }, ..common::literal(64, Space::Bit) };
    let (_, keys) = common::fixed_keys(drawn, 5);
    let mut words = common::uniform(65, 8).words().to_vec();
    // A coefficient of zero has digits of zero.
    words[64] = 0;
    let small = keys.key_switch_lwe(&Lwe::from_words(words.clone()));
    let rounded = |word: &u64| word.wrapping_add(1 << 31) >> 32 << 32;
    words.remove(64);
    assert_eq!(small.words(), words.iter().map(rounded).collect::<Vec<_>>());
}

/// Gates and tables, keys through files.
#[test]
fn bootstraps_come_out() {
    let folder = tempfile::tempdir().unwrap();
    let through_files = |literal: ParamsLiteral| -> (SecretKey, EvalKeys) {
        let (secret, _) = common::keys(literal);
        let (secret_path, keys_path) = (folder.path().join("secret"), folder.path().join("keys"));
        secret.write(&secret_path).unwrap();
        SeededEvalKeys::generate(&secret).unwrap().write(&keys_path).unwrap();
        let (again, keys) = (SecretKey::read(&secret_path).unwrap(), SeededEvalKeys::read(&keys_path).unwrap());
        assert_eq!((again.id(), again.small(), again.big()), (secret.id(), secret.small(), secret.big()));
        assert_eq!(again.params(), secret.params());
        (secret, keys.prepare())
    };
    let bits = [true, true, false, false];
    for (torus_bits, bits_per_step, shared, order) in [
        (32, 1, 64, Order::KeySwitchFirst),
        (64, 2, 64, Order::KeySwitchFirst),
        (64, 1, 40, Order::BootstrapFirst),
        (64, 1, 0, Order::KeySwitchFirst),
    ] {
        let base = literal(torus_bits, Space::Bit, secrets(shared));
        let (secret, keys) = through_files(ParamsLiteral { bits_per_step, order, ..base });
        let x = secret.encrypt_bits(&bits).unwrap();
        let y: Vec<_> = [0, 2, 0, 2].map(|i: usize| x[i].clone()).into();
        let found = keys.gates(&[Gate::Nand], &x, &y).unwrap();
        assert_eq!(secret.decrypt_bits(&found).unwrap(), [false, true, true, true], "{shared} {order:?}");
        let again = keys.gates(&[Gate::Xor], &found, &x).unwrap();
        assert_eq!(secret.decrypt_bits(&again).unwrap(), [true, false, true, true], "{shared} {order:?}");
    }
    let small = |ring| KeySwitch { gadget: Gadget::new(4, 5), ring };
    let landing = |dim, ring| Landing { dim, log2_std_dev: -28.0, key_switch: small(ring) };
    for (log2_extension, ring, landings) in
        [(0, 32, vec![]), (2, 32, vec![]), (0, 256, vec![]), (0, 1, vec![landing(200, 64), landing(96, 32)])]
    {
        let base = ParamsLiteral { log2_extension, landings, key_switch: small(ring), ..common::digits_literal(4) };
        let (secret, keys) = through_files(ParamsLiteral { secrets: secrets(32), ..base });
        let values: Vec<u64> = (0..16).collect();
        let table: Vec<u64> = values.iter().map(|m| (m * m + 3) % 16).collect();
        let x = secret.encrypt_integers(&values, 15).unwrap();
        let found: Vec<_> = keys.tables(&x, std::slice::from_ref(&table)).unwrap().into_iter().flatten().collect();
        assert_eq!(secret.decrypt_integers(&found).unwrap(), table);
    }
}

/// Blocks have at most a one, and as many are empty as have a one at each place.
#[test]
fn blocks_have_at_most_a_one() {
    let small = SmallSecret::Blocks { block: 4 };
    let blocks = Secrets { small, ..Secrets::default() };
    let base = ParamsLiteral { lwe_dim: 2000, bits_per_step: 4, ..literal(64, Space::Bit, blocks) };
    let params = Arc::new(Params::try_from(base).unwrap());
    let secret = SecretKey::from_seed(params, &Seed::from_bytes([7; 32])).unwrap();
    let mut counts = [0; 5];
    for block in secret.small().chunks(4) {
        assert!(block.iter().all(|&bit| bit == 0 || bit == 1) && block.iter().sum::<i8>() <= 1, "{block:?}");
        counts[block.iter().position(|&bit| bit == 1).unwrap_or(4)] += 1;
    }
    // 100 each, to six deviations.
    assert!(counts.iter().all(|count| (46..=154).contains(count)), "{counts:?}");
}
