//! Keys through files, and files that are not what they should be.

mod common;

use everlevel_tfhe::{Error, SecretKey, SeededEvalKeys, Space};

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
        let out = same.prepare().gate(everlevel_tfhe::Gate::Or, &x[0], &x[1]).unwrap();
        assert_eq!(secret.decrypt_bits(&[out]).unwrap(), [true]);
    }
}

#[test]
fn bad_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    let (secret, _) = common::keys(common::literal(32, Space::Bit));
    secret.write(&path).unwrap();
    let error = SeededEvalKeys::read(&path).unwrap_err();
    assert!(error.to_string().contains("tfhe-secret-key") && error.to_string().contains("tfhe-evaluation-keys"));
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
