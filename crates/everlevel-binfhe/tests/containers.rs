//! Objects come back out of containers, and changed ones are refused.

use crate::common;

use std::ops::ControlFlow;
use std::sync::Arc;

use everlevel_binfhe::files::NamedParams;
use everlevel_binfhe::{
    BoolArray, Ciphertext, Error, Gate, Lwe, ObjectError, Params, ParamsLiteral, SecretKey, SeededEvalKeys, Space,
    UintArray, Width, sets,
};
use everlevel_io::{Builder, Container, Error as FileError, Stored, kinds};
use everlevel_rand::Seed;
use everlevel_testkit::stored::with_fingerprint;

fn secret(torus_bits: u32, space: Space) -> SecretKey {
    SecretKey::generate(Arc::new(Params::try_from(common::literal(torus_bits, space)).unwrap())).unwrap()
}

#[test]
fn keys_and_ciphertexts_come_back() {
    for torus_bits in [32, 64] {
        let secret = secret(torus_bits, Space::Bit);
        let keys = SeededEvalKeys::generate(&secret).unwrap();
        let bits = secret.encrypt_bits(&[true, false, true]).unwrap();
        let through = |bytes| Container::from_bytes(bytes).unwrap();
        let params = secret.params();

        let secret_file = through(secret.to_container(&secret.params().into()).unwrap().to_bytes());
        let secret = SecretKey::from_container(&params.into(), &secret_file).unwrap();
        let keys_file = through(keys.to_container(&keys.params().into()).unwrap().to_bytes());
        let read = SeededEvalKeys::from_container(&params.into(), &keys_file).unwrap();
        assert_eq!(read.bootstrap.bodies, keys.bootstrap.bodies);
        assert_eq!(read.key_switch.bodies, keys.key_switch.bodies);
        let bits_file = through(bits.to_container(&params.into()).unwrap().to_bytes());
        let read_bits = Vec::<Ciphertext>::from_container(&params.into(), &bits_file).unwrap();
        assert_eq!(read_bits, bits);

        let keys = read.prepare();
        let out = keys.gates(&[Gate::Nand], &read_bits, &bits).unwrap();
        assert_eq!(secret.decrypt_bits(&out).unwrap(), [false, true, false]);
    }
}

#[test]
fn other_kinds_other_parameters_and_damage_are_refused() {
    let secret = secret(32, Space::Bit);
    let bits = secret.encrypt_bits(&[true]).unwrap();
    let mut bytes = bits.to_container(&secret.params().into()).unwrap().to_bytes();
    let container = Container::from_bytes(bytes.clone()).unwrap();
    let refused = SecretKey::from_container(&secret.params().into(), &container).unwrap_err();
    assert!(matches!(refused, Error::Io(FileError::WrongKind { .. })), "{refused}");
    let other = Arc::new(Params::try_from(common::literal(64, Space::Bit)).unwrap());
    let refused = Vec::<Ciphertext>::from_container(&(&other).into(), &container).unwrap_err();
    assert!(matches!(refused, Error::Io(FileError::WrongParameters { .. })), "{refused}");
    *bytes.last_mut().unwrap() ^= 1;
    let container = Container::from_bytes(bytes).unwrap();
    let refused = Vec::<Ciphertext>::from_container(&secret.params().into(), &container).unwrap_err();
    assert!(matches!(refused, Error::Io(FileError::Checksum { .. })), "{refused}");
}

/// A set whose numbers changed keeps its name: what the former numbers made is refused, with both fingerprints.
#[test]
fn what_a_named_set_was_before_is_refused() {
    let name = "integer-6-64";
    let today = Arc::new(Params::try_from(sets::find(name).unwrap().insecure_literal(10)).unwrap());
    let literal = ParamsLiteral { bits_per_step: 1, ..today.literal().clone().tfhe().unwrap() };
    let before = Arc::new(Params::try_from(literal).unwrap());
    let secret = SecretKey::generate(Arc::clone(&before)).unwrap();
    let keys = SeededEvalKeys::generate(&secret).unwrap();
    let integers = secret.encrypt_integers(&[0, 63], 63).unwrap();
    refused_by_others(&secret, name, [&before, &today]);
    refused_by_others(&keys, name, [&before, &today]);
    refused_by_others(&integers, name, [&before, &today]);
}

fn refused_by_others<T: for<'p> Stored<NamedParams<'p>, Error = Error>>(
    object: &T,
    name: &str,
    [own, other]: [&Arc<Params>; 2],
) {
    let file = object.to_container(&NamedParams { params: own, name, max_bytes: None }).unwrap();
    let container = Container::from_bytes(file.to_bytes()).unwrap();
    let refused = T::from_container(&other.into(), &container).err().unwrap();
    let Error::Io(FileError::WrongParameters { found, expected, .. }) = refused else { panic!("{refused}") };
    assert_eq!((found, expected), (own.fingerprint(), other.fingerprint()));
    T::from_container(&own.into(), &container).unwrap_or_else(|error| panic!("{error}"));
}

/// The fingerprint of version 2 depends on the literal as files have it, and files with it are read.
#[test]
fn files_with_fingerprints_of_version_2_are_read() {
    for (name, v2) in [
        ("gate-64", 0x11f0_f4a4_609f_63e0),
        ("integer-6-64", 0xde2a_bb3d_3cb3_1533),
        ("ntru-gate-64", 0x51d5_f24d_487c_88ab),
    ] {
        let params = Arc::new(Params::try_from(sets::find(name).unwrap().literal()).unwrap());
        let secret = SecretKey::generate(Arc::clone(&params)).unwrap();
        let prints = params.fingerprints();
        assert_eq!(prints.all(), [params.fingerprint(), v2], "{name}");
        let bytes = secret.to_container(&secret.params().into()).unwrap().to_bytes();
        let container = Container::from_bytes(with_fingerprint(&bytes, prints.v2)).unwrap();
        let read = SecretKey::from_container(&(&params).into(), &container).unwrap();
        assert_eq!(read.to_container(&(&params).into()).unwrap().to_bytes(), bytes, "{name}");
    }
}

#[test]
fn ciphertexts_of_two_secrets_make_no_file() {
    let secret = secret(32, Space::Bit);
    let other = SecretKey::from_seed(Arc::clone(secret.params()), &Seed::from_bytes([7; 32])).unwrap();
    let mut bits = secret.encrypt_bits(&[true]).unwrap();
    bits.extend(other.encrypt_bits(&[true]).unwrap());
    let refused = bits.to_container(&secret.params().into()).unwrap_err();
    assert!(matches!(refused, Error::Object(ObjectError::OtherSecret { .. })), "{refused}");
}

#[test]
fn key_generation_stops_when_told_to() {
    let secret = secret(32, Space::Bit);
    let refused = SeededEvalKeys::generate_reporting(&secret, &|_, _| ControlFlow::Break(())).unwrap_err();
    assert!(matches!(refused, Error::Cancelled { .. }), "{refused}");
}

#[test]
fn integers_come_back_and_blocks_that_are_none_are_refused() {
    let literal = sets::find("integer-4-64").unwrap().insecure_literal(10);
    let secret = SecretKey::generate(Arc::new(Params::try_from(literal).unwrap())).unwrap();
    let params = secret.params();
    let uints = secret.encrypt_uints(Width::U16, &[50_000, 7]).unwrap();
    let bools = secret.encrypt_bools(&[true, false, true]).unwrap();
    let open = |bytes| Container::from_bytes(bytes).unwrap();
    let uints_file = open(uints.to_container(&params.into()).unwrap().to_bytes());
    assert_eq!(UintArray::from_container(&params.into(), &uints_file).unwrap(), uints);
    let bools_file = open(bools.to_container(&params.into()).unwrap().to_bytes());
    assert_eq!(BoolArray::from_container(&params.into(), &bools_file).unwrap(), bools);
    let refused = UintArray::from_container(&params.into(), &bools_file).unwrap_err();
    assert!(matches!(refused, Error::Io(FileError::WrongKind { .. })), "{refused}");

    // Half an integer, a digit too large, a width that is none, a truth value of 2.
    let file = |kind: &str, width: &str, max_value: u64, len: usize| {
        let fresh = secret.encrypt_integers(&vec![1; len], max_value).unwrap();
        // Of no seed that is known: rows.
        let row = |x: &Ciphertext| {
            let words = Lwe::from_words(x.lwe().words().to_vec());
            Ciphertext::from_parts(words, x.key(), x.noise().clone(), x.max_value())
        };
        let blocks: Vec<Ciphertext> = fresh.iter().map(row).collect();
        let rows = open(blocks.to_container(&params.into()).unwrap().to_bytes());
        let mut builder = Builder::new(kind);
        for name in ["parameters", "params", "fingerprint", "secret_id"] {
            builder.describe(name, rows.metadata(name).unwrap());
        }
        builder.describe("object", format!("{{\"width_bits\":{width}}}"));
        for name in ["noise", "ciphertexts"] {
            let bytes = rows.bytes(name).unwrap().to_vec();
            builder.tensor(name, &[bytes.len()], bytes);
        }
        open(builder.to_bytes())
    };
    let read = UintArray::from_container(&params.into(), &file(kinds::TFHE_UINT_ARRAY, "8", 3, 8)).unwrap();
    assert_eq!(read.len(), 2);
    // A file without a history, as earlier versions wrote them: nothing is known of failures.
    assert_eq!(Ciphertext::failure_probability(read.blocks(), params), 1.0);
    for (width, max_value, len) in [("8", 3, 7), ("8", 4, 8), ("24", 3, 12), ("\"a\"", 3, 8)] {
        let refused = UintArray::from_container(&params.into(), &file(kinds::TFHE_UINT_ARRAY, width, max_value, len))
            .unwrap_err();
        assert!(matches!(refused, Error::Io(FileError::Header { .. })), "{refused}");
    }
    let refused = BoolArray::from_container(&params.into(), &file(kinds::TFHE_BOOL_ARRAY, "8", 2, 1)).unwrap_err();
    assert!(matches!(refused, Error::Io(FileError::Header { .. })), "{refused}");
}
