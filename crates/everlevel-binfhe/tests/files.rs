//! Keys through files, and files that are not what they should be.

use crate::common;

use std::sync::Arc;

use everlevel_binfhe::{
    BoolArray, Ciphertext, Error, Gate, ObjectError, Params, SecretKey, SeededEvalKeys, Space, UintArray, Width, sets,
};
use everlevel_rand::Seed;

#[test]
fn keys_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let (secret_path, keys_path) = (folder.path().join("secret"), folder.path().join("keys"));
    for torus_bits in [32, 64] {
        let (secret, _) = common::keys(common::literal(torus_bits, Space::Bit));
        let keys = SeededEvalKeys::generate(&secret).unwrap();
        assert_eq!(secret.write(&secret_path).unwrap(), std::fs::metadata(&secret_path).unwrap().len());
        keys.write(&keys_path).unwrap();
        let (again, same) = (SecretKey::read(&secret_path).unwrap(), SeededEvalKeys::read(&keys_path).unwrap());
        assert_eq!((again.id(), again.small(), again.big()), (secret.id(), secret.small(), secret.big()));
        assert_eq!(same.bootstrap.bodies, keys.bootstrap.bodies);
        let x = again.encrypt_bits(&[true, false]).unwrap();
        let out = same.prepare().gate(Gate::Or, &x[0], &x[1]).unwrap();
        assert_eq!(secret.decrypt_bits(&[out]).unwrap(), [true]);
    }
}

#[test]
fn bits_come_back_and_compute() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bits");
    for torus_bits in [32, 64] {
        let (secret, keys) = common::keys(common::literal(torus_bits, Space::Bit));
        let fresh = secret.encrypt_bits(&[true, false, true]).unwrap();
        let bits = [fresh.clone(), keys.gates(&[Gate::Xor], &fresh[..2], &fresh[1..]).unwrap()].concat();
        let size = Ciphertext::write_all(&bits, secret.params(), &path).unwrap();
        assert_eq!(size, std::fs::metadata(&path).unwrap().len());
        let read = Ciphertext::read_all(keys.params(), &path).unwrap();
        assert_eq!(read, bits);
        let out = keys.gates(&[Gate::And], &read[3..], &read[..2]).unwrap();
        assert_eq!(secret.decrypt_bits(&out).unwrap(), [true, false]);
    }
}

#[test]
fn integers_and_truth_values_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let (uints_path, bools_path) = (folder.path().join("uints"), folder.path().join("bools"));
    let literal = sets::find("integer-4-64").unwrap().insecure_literal(10);
    let secret = SecretKey::generate(Arc::new(Params::try_from(literal).unwrap())).unwrap();
    let params = secret.params();
    let uints = secret.encrypt_uints(Width::U16, &[50_000, 7]).unwrap();
    let bools = secret.encrypt_bools(&[true, false]).unwrap();
    uints.write(params, &uints_path).unwrap();
    bools.write(params, &bools_path).unwrap();
    assert_eq!(UintArray::read(params, &uints_path).unwrap(), uints);
    assert_eq!(BoolArray::read(params, &bools_path).unwrap(), bools);
    let error = UintArray::read(params, &bools_path).unwrap_err();
    assert!(error.to_string().contains("tfhe_bool_array") && error.to_string().contains("tfhe_uint_array"), "{error}");
}

#[test]
fn arrays_that_make_no_file_leave_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bits");
    let (secret, _) = common::keys(common::literal(32, Space::Bit));
    let other = SecretKey::from_seed(Arc::clone(secret.params()), &Seed::from_bytes([7; 32])).unwrap();
    let bits = secret.encrypt_bits(&[true]).unwrap();
    Ciphertext::write_all(&bits, secret.params(), &path).unwrap();
    let mixed = [bits.clone(), other.encrypt_bits(&[true]).unwrap()].concat();
    let refused = Ciphertext::write_all(&mixed, secret.params(), &path).unwrap_err();
    assert!(matches!(refused, Error::Object(ObjectError::OtherSecret { .. })), "{refused}");
    assert_eq!(Ciphertext::read_all(secret.params(), &path).unwrap(), bits);
    Ciphertext::write_all(&[], secret.params(), &path).unwrap();
    assert_eq!(Ciphertext::read_all(secret.params(), &path).unwrap(), []);
    let params = Params::try_from(common::literal(64, Space::Bit)).unwrap();
    let refused = Ciphertext::read_all(&params, &path).unwrap_err();
    assert!(matches!(refused, Error::Io(everlevel_io::Error::WrongParameters { .. })), "{refused}");
}

#[test]
fn bad_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    let (secret, _) = common::keys(common::literal(32, Space::Bit));
    secret.write(&path).unwrap();
    let error = SeededEvalKeys::read(&path).unwrap_err();
    assert!(error.to_string().contains("tfhe_secret_key") && error.to_string().contains("tfhe_evaluation_key"));
    SeededEvalKeys::generate(&secret).unwrap().write(&path).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(SeededEvalKeys::read(&path), Err(Error::Io(everlevel_io::Error::Checksum { .. }))));
    std::fs::write(&path, &bytes[..last]).unwrap();
    assert!(matches!(SeededEvalKeys::read(&path), Err(Error::Io(_))));
    assert!(matches!(SecretKey::read(&folder.path().join("none")), Err(Error::Io(_))));
}
