//! Secrets of which some coefficients are zero, and small ones that begin as the large one does.

use std::sync::Arc;

use crate::common;

use everlevel_binfhe::{
    Error, EvalKeys, Gadget, Gate, KeySwitch, Landing, Lwe, ObjectError, Order, Params, ParamsLiteral, SecretKey,
    Secrets, SeededEvalKeys, SmallSecret, Space,
};
use everlevel_io::{Builder, Container, Error as FileError, Stored};
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

/// Keys whose intermediate secret, shared prefix or drawn coefficients are others, made from the same seeds. Where
/// numbers make no chain, `claims::unsound_numbers_are_refused_with_both_values` has what is said.
#[test]
fn keys_of_another_chain_are_refused() {
    let chain = |landing, shared, drawn| {
        let key_switch = KeySwitch { gadget: Gadget::new(4, 5), ring: 32 };
        let landings: Vec<Landing> =
            Option::into_iter(landing).map(|dim| Landing { dim, log2_std_dev: -28.0, key_switch }).collect();
        let secrets = Secrets { drawn: Some(drawn), shared, ..Secrets::default() };
        ParamsLiteral { secrets, landings, ..common::literal(64, Space::Bit) }
    };
    let (secret, keys) = common::fixed_keys(chain(Some(128), 64, 300), 4);
    let own = SeededEvalKeys::generate(&secret).unwrap();
    let x = secret.encrypt_bits(&[true]).unwrap();
    for other in [chain(Some(160), 64, 300), chain(None, 64, 300), chain(None, 40, 300), chain(Some(128), 64, 350)] {
        let (other_secret, other_keys) = common::fixed_keys(other, 4);
        let (found, expected) = (secret.id().0, other_secret.id().0);
        let refused = other_keys.gates(&[Gate::And], &x, &x).unwrap_err();
        assert!(
            refused.to_string().contains(&format!("secret {found:#018x}, and {expected:#018x} is needed")),
            "{refused}"
        );
        assert!(matches!(refused, Error::Object(ObjectError::OtherSecret { .. })) && other_keys.bootstrap_count() == 0);

        let params = other_secret.params();
        let file = Container::from_bytes(own.to_container(&params.into()).unwrap().to_bytes()).unwrap();
        let refused = SeededEvalKeys::from_container(&params.into(), &file).unwrap_err();
        let prints = (secret.params().fingerprint(), params.fingerprint());
        assert!(matches!(refused, Error::Io(FileError::WrongParameters { .. })), "{refused}");
        for print in [prints.0, prints.1] {
            assert!(refused.to_string().contains(&format!("{print:#018x}")), "{refused}");
        }

        // This file under the other chain's name: lengths don't fit, or there is no such switch.
        let names = Container::from_bytes(
            SeededEvalKeys::generate(&other_secret).unwrap().to_container(&params.into()).unwrap().to_bytes(),
        );
        let (names, mut forged) = (names.unwrap(), Builder::new(file.kind().unwrap()));
        for name in ["parameters", "params", "fingerprint", "secret_id"] {
            forged.describe(name, names.metadata(name).unwrap());
        }
        for seed in ["bootstrap_mask_seed", "key_switch_mask_seed", "key_switch_to_landing_0_mask_seed"] {
            forged.describe(seed, file.metadata(seed).unwrap());
        }
        for name in ["bootstrap", "key_switch_to_landing_0", "key_switch"] {
            let bytes = file.bytes(name).unwrap().to_vec();
            forged.tensor(name, &[bytes.len()], bytes);
        }
        let forged = Container::from_bytes(forged.to_bytes()).unwrap();
        let refused = SeededEvalKeys::from_container(&params.into(), &forged).map(|_| ()).unwrap_err();
        println!("{refused}");
        assert!(matches!(refused, Error::Io(_)), "{refused}");
    }
    assert_eq!(keys.bootstrap_count(), 0);
}
