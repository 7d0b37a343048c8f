//! Fresh ciphertexts in files: seeds or lists, and bodies, beside rows of those that something was done to.

use crate::common::{self, keys, literal};

use std::sync::Arc;

use everlevel_binfhe::files::{NamedParams, UNNAMED, add_literal};
use everlevel_binfhe::{Ciphertext, Error, Gate, Literal, Params, PublicKey, SecretKey, Space, UintArray, Width, sets};
use everlevel_io::{Builder, Container, Error as FileError, Stored, kinds};

/// Bytes of a container's tensors.
fn data_nbytes<T: for<'p> Stored<NamedParams<'p>, Error = Error>>(object: &T, params: &Arc<Params>) -> usize {
    object.to_container(&params.into()).unwrap().data_nbytes() as usize
}

fn through(all: &[Ciphertext], params: &Arc<Params>) -> Vec<Ciphertext> {
    let bytes = all.to_vec().to_container(&params.into()).unwrap().to_bytes();
    let read = Vec::<Ciphertext>::from_container(&params.into(), &Container::from_bytes(bytes).unwrap()).unwrap();
    assert_eq!(read, all);
    read
}

#[test]
fn fresh_integers_are_a_seed_and_bodies() {
    let (secret, _) = common::two_bits();
    let params = secret.params();
    let x = secret.encrypt_uints(Width::U32, &[0xdead_beef]).unwrap();
    // A head of three words, the counts, the seed and sixteen bodies.
    assert_eq!(data_nbytes(&x, params), 8 * (3 + 1 + 4 + 16));
    let many = secret.encrypt_uints(Width::U32, &(0..1000).collect::<Vec<_>>()).unwrap();
    assert_eq!(data_nbytes(&many, params), 8 * (3 + 1 + 4 + 16_000));
    let read = through(many.blocks(), params);
    assert!(read.iter().all(|x| x.lwe().address().is_some()));
    // They are as small when they are written again, and so is a part of them.
    assert_eq!(data_nbytes(&read[32..48].to_vec(), params), 8 * (3 + 1 + 4 + 16));
}

/// An integer of a named set in a file, and its secret.
fn of_set(name: &str) -> (SecretKey, UintArray, Vec<u8>) {
    let secret = SecretKey::generate(Arc::new(sets::find(name).unwrap().params().unwrap())).unwrap();
    let x = secret.encrypt_uints(Width::U32, &[0xdead_beef]).unwrap();
    let file = x.to_container(&NamedParams { params: secret.params(), name, max_bytes: None }).unwrap().to_bytes();
    (secret, x, file)
}

#[test]
fn ciphertexts_of_named_sets_have_no_literal() {
    for name in ["integer-4-128", "integer-6-64", "ntru-integer-4-64"] {
        let (secret, x, file) = of_set(name);
        let bodies = 8 * x.blocks().len();
        // The header is two blocks of 256 bytes.
        assert_eq!(file.len(), 2 * 256 + 8 * (3 + 1 + 4) + bodies, "{name}");
        let container = Container::from_bytes(file).unwrap();
        assert_eq!(UintArray::from_container(&secret.params().into(), &container).unwrap(), x);
        let mut metadata = container.header().metadata.clone();
        assert!(!metadata.contains_key("params"), "{name}");
        add_literal(&mut metadata);
        let literal: Literal = serde_json::from_str(&metadata["params"]).unwrap();
        assert_eq!(&literal, secret.params().literal());
        let whole = metadata.clone();
        add_literal(&mut metadata);
        assert_eq!(metadata, whole);
    }
}

#[test]
fn literals_are_written_unless_a_set_has_them() {
    let (secret, x, _) = of_set("integer-4-128");
    for name in [UNNAMED, "integer-4-64", "integer-99"] {
        let file = x.to_container(&NamedParams { params: secret.params(), name, max_bytes: None }).unwrap().to_bytes();
        let container = Container::from_bytes(file).unwrap();
        assert_eq!(&container.json::<Literal>("params").unwrap(), secret.params().literal(), "{name}");
        // As earlier versions wrote files of every set.
        assert_eq!(UintArray::from_container(&secret.params().into(), &container).unwrap(), x);
    }
    let metadata = |entries: &[(&str, &str)]| entries.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    let own = format!("{:#018x}", secret.params().fingerprint());
    for (entries, added) in [
        (vec![("parameters", "integer-4-128"), ("fingerprint", &*own)], true),
        (vec![("parameters", "integer-4-64"), ("fingerprint", &*own)], false),
        (vec![("parameters", "integer-99"), ("fingerprint", &*own)], false),
        (vec![("parameters", "integer-4-128"), ("fingerprint", "0x0123456789abcdef")], false),
        (vec![("parameters", "integer-4-128"), ("fingerprint", "none")], false),
        (vec![("parameters", "integer-4-128")], false),
        (vec![("fingerprint", &*own)], false),
        (vec![], false),
    ] {
        let mut all = metadata(&entries);
        add_literal(&mut all);
        assert_eq!(all.contains_key("params"), added, "{entries:?}");
    }
}

#[test]
fn every_byte_of_a_small_file_counts() {
    let (secret, _, file) = of_set("integer-4-128");
    let read = |bytes: Vec<u8>| -> Result<UintArray, Error> {
        UintArray::from_container(&secret.params().into(), &Container::from_bytes(bytes)?)
    };
    assert!(read(file.clone()).is_ok());
    for at in 0..file.len() {
        assert!(matches!(read(file[..at].to_vec()), Err(Error::Io(_))), "cut at {at}");
        let mut damaged = file.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(matches!(read(damaged), Err(Error::Io(_))), "changed at {at}");
    }
}

#[test]
fn lists_of_public_keys_are_a_mask_and_bodies() {
    let (secret, _) = common::two_bits();
    let (params, public) = (secret.params(), PublicKey::generate(secret).unwrap());
    let (n, dim) = (params.n(), params.ciphertext_dim());
    let x = public.encrypt_uints(Width::U32, &[0xdead_beef]).unwrap();
    assert_eq!(data_nbytes(&x, params), 8 * (3 + 1 + dim + 16));
    // Two lists, and a ciphertext that is a row.
    let values = vec![1; 2 * n + 1];
    let all = public.encrypt_integers(&values, 15).unwrap();
    let rows = all[2 * n..].to_vec();
    assert_eq!(data_nbytes(&all[..2 * n].to_vec(), params), 8 * (2 * 3 + 1 + 2 * (dim + n)));
    assert!(data_nbytes(&rows, params) >= 8 * (dim + 3));
    through(&all, params);
    assert_eq!(secret.decrypt_integers(&through(&all, params)).unwrap(), values);
    // Of ranks above one, and of secrets whose last coefficients aren't drawn, which are rows.
    let (secret, _) = keys(literal(64, Space::Bit));
    let public = PublicKey::generate(&secret).unwrap();
    through(&public.encrypt_bits(&[true, false, true]).unwrap(), secret.params());
}

#[test]
fn mixed_arrays_keep_their_order_and_their_noise() {
    let (secret, keys) = keys(literal(64, Space::Bit));
    let (params, public) = (secret.params(), PublicKey::generate(&secret).unwrap());
    let (x, y) = (secret.encrypt_bits(&[true, false, true]).unwrap(), public.encrypt_bits(&[false; 4]).unwrap());
    let z = keys.gates(&[Gate::Or], &x, &y[..3]).unwrap();
    let turned: Vec<Ciphertext> = y.iter().rev().cloned().collect();
    let not = keys.not(&x[1]).unwrap();
    let other = secret.encrypt_bits(&[true]).unwrap();
    let again = public.rerandomize(&x).unwrap();
    let all = [&x[..2], &z, &x[2..], &y, &turned, &[not], &other, &x, &again, &y[1..2]].concat();
    let read = through(&all, params);
    assert_eq!(secret.decrypt_bits(&read).unwrap(), secret.decrypt_bits(&all).unwrap());
    let failures = |all: &[Ciphertext]| Ciphertext::failure_probability(all, params);
    assert_eq!(failures(&read), failures(&all));
    assert!(failures(&read) < 2f64.powi(-50));
}

/// Words of files that no array has, with right checksums.
#[test]
fn words_that_are_no_runs_are_refused() {
    let secret = SecretKey::generate(Arc::new(Params::try_from(literal(64, Space::Bit)).unwrap())).unwrap();
    let params = secret.params();
    let bits = secret.encrypt_bits(&[true, false]).unwrap();
    let file = Container::from_bytes(bits.to_container(&params.into()).unwrap().to_bytes()).unwrap();
    let words: Vec<u64> = file.bytes("fresh").unwrap().as_chunks().0.iter().map(|&w| u64::from_le_bytes(w)).collect();
    let read = |words: &[u64], cut: usize| {
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(bytes.len() - cut);
        let mut builder = Builder::new(kinds::TFHE_CIPHERTEXT);
        for name in ["parameters", "params", "fingerprint", "secret_id"] {
            builder.describe(name, file.metadata(name).unwrap());
        }
        builder.tensor("fresh", &[bytes.len()], bytes);
        let container = Container::from_bytes(builder.to_bytes()).unwrap();
        Vec::<Ciphertext>::from_container(&params.into(), &container)
    };
    assert_eq!(read(&words, 0).unwrap(), bits);
    let with = |place: usize, word: u64| {
        let mut words = words.clone();
        words[place] = word;
        words
    };
    for (what, words) in [
        ("no words", vec![]),
        ("more runs", with(0, 2 | 1 << 32)),
        ("more seeds", with(0, 1 | 9 << 32)),
        ("endless runs", with(0, u64::MAX)),
        ("another kind", with(1, 3 | 1 << 8)),
        ("rows that are missing", with(1, 1 << 8)),
        ("a list without a mask", with(1, 2 | 1 << 8)),
        ("a value above the space", with(1, 1 | 2 << 8)),
        ("another seed", with(1, 1 | 1 << 8 | 1 << 32)),
        ("more ciphertexts", with(2, 3 << 32)),
        ("endless ciphertexts", with(2, u64::MAX)),
        ("fewer ciphertexts", with(2, 1 << 32)),
        ("none", with(2, 0)),
        ("variance NaN", with(3, f64::NAN.to_bits())),
        ("variance below zero", with(3, (-1f64).to_bits())),
        ("a body too many", [&words[..], &[1]].concat()),
    ] {
        let refused = read(&words, 0).err().unwrap_or_else(|| panic!("{what} is read"));
        assert!(matches!(refused, Error::Io(FileError::Header { .. })), "{what}: {refused}");
    }
    assert!(matches!(read(&words, 3), Err(Error::Io(FileError::Header { .. }))));
    assert_eq!(read(&[0], 0).unwrap(), []);
    // Zeros fill up.
    assert_eq!(read(&[&words[..], &[0; 7]].concat(), 0).unwrap(), bits);
}

#[test]
fn files_of_integers_are_small() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("uint");
    let (secret, _) = common::two_bits();
    let x = secret.encrypt_uints(Width::U32, &[7]).unwrap();
    let size = x.write(secret.params(), &path).unwrap();
    println!("a file of a fresh uint32: {size} bytes");
    assert!(size < 3000, "{size}");
    assert_eq!(UintArray::read(secret.params(), &path).unwrap(), x);
}
