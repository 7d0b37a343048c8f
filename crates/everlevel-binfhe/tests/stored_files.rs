//! Files of every kind that this version or an earlier one wrote are read, and compute what they did.

use crate::common;
use crate::ring_switch::phases;

use std::sync::Arc;

use everlevel_binfhe::{
    AnyArray, BoolArray, Ciphertext, CompressedList, Gadget, Gate, Indices, KeySwitch, Literal, NtruLiteral, Params,
    ParamsLiteral, PrimeGadget, PublicKey, RingClaims, Rotation, SecretKey, SeededCircuitKey, SeededCompressionKey,
    SeededEvalKeys, SeededPackingKey, SeededRingSwitchKey, SmallSecret, Space, UintArray, Width, no_progress,
};
use everlevel_io::kinds;
use everlevel_rlwe::SecretId;
use everlevel_testkit::stored::{StoredFiles, kind_of};

const CRATE: &str = env!("CARGO_MANIFEST_DIR");
const BITS: [bool; 3] = [true, false, true];
const INTEGERS: [u64; 3] = [5, 0, 15];
const UINTS: [u64; 2] = [50_000, 7];

const RING_WEIGHT: usize = 100;

/// The secret of a ring of degree 512, of ones.
fn ring_secret() -> Vec<i8> {
    (0..512).map(|i| i8::from(i % 5 == 0 && i < 5 * RING_WEIGHT)).collect()
}

/// The parameters of files: TFHE's for bits, and the others, whose files' names end with a word of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Of {
    Bits,
    Integers,
    /// Integers whose tables fail seldom enough for look-ups.
    LookUps,
    Ntru,
}

impl Of {
    const ALL: [Self; 4] = [Self::Bits, Self::Integers, Self::LookUps, Self::Ntru];

    /// The end of a file's name.
    fn ending(self) -> &'static str {
        match self {
            Self::Bits => "",
            Self::Integers => ".integers",
            Self::LookUps => ".lookups",
            Self::Ntru => ".ntru",
        }
    }

    fn named(name: &str) -> Self {
        let found = Self::ALL.into_iter().find(|of| !of.ending().is_empty() && name.ends_with(of.ending()));
        found.unwrap_or(Self::Bits)
    }

    /// The smallest keys: no security at all.
    fn params(self) -> Arc<Params> {
        let bits = ParamsLiteral {
            lwe_dim: 16,
            rank: 1,
            key_switch: KeySwitch { gadget: Gadget::new(3, 5), ring: 16 },
            max_log2_p_fail: -40.0,
            ..common::literal(32, Space::Bit)
        };
        let literal: Literal = match self {
            Self::Bits => bits.into(),
            Self::Integers | Self::LookUps => ParamsLiteral {
                torus_bits: 64,
                lwe_dim: 8,
                lwe_log2_std_dev: -26.0,
                log_n: 9,
                glwe_log2_std_dev: -45.0,
                mask_gadget: Gadget::new(14, 2),
                body_gadget: Gadget::new(14, 1),
                key_switch: KeySwitch { gadget: Gadget::new(4, 5), ring: 8 },
                space: Space::Integer { bits: 4 },
                squared_norm: 25.0,
                max_log2_p_fail: if self == Self::LookUps { -64.0 } else { bits.max_log2_p_fail },
                ..bits
            }
            .into(),
            Self::Ntru => NtruLiteral {
                modulus: 1_032_193,
                log_n: 8,
                lwe_dim: 16,
                secret: SmallSecret::OneHot { block: 4 },
                lwe_log2_std_dev: bits.lwe_log2_std_dev,
                big_log2_std_dev: -28.0,
                gadget: PrimeGadget::new(5, 3, 5),
                rotation: Rotation::Blocks,
                key_switch: bits.key_switch,
                order: bits.order,
                space: Space::Bit,
                squared_norm: 4.0,
                max_log2_p_fail: bits.max_log2_p_fail,
                insecure: true,
            }
            .into(),
        };
        Arc::new(Params::try_from(literal).unwrap())
    }
}

fn name(kind: &str, of: Of) -> String {
    format!("{kind}{}", of.ending())
}

fn secret(files: &StoredFiles, of: Of) -> SecretKey {
    SecretKey::read(&files.path(&name(kinds::TFHE_SECRET_KEY, of))).unwrap()
}

/// Adds the files that this version's folder lacks.
fn write(files: &StoredFiles) {
    for of in Of::ALL {
        let missing = |kind| Some(files.path(&name(kind, of))).filter(|path| !path.exists());
        if let Some(path) = missing(kinds::TFHE_SECRET_KEY) {
            SecretKey::generate(of.params()).unwrap().write(&path).unwrap();
        }
        let secret = secret(files, of);
        if of == Of::LookUps {
            if let Some(path) = missing(kinds::TFHE_LOOKUP_KEY) {
                SeededCircuitKey::generate(&secret).unwrap().write(&path).unwrap();
            }
            continue;
        }
        if let Some(path) = missing(kinds::TFHE_PUBLIC_KEY) {
            PublicKey::generate(&secret).unwrap().write(&path).unwrap();
        }
        if let Some(path) = missing(kinds::TFHE_EVALUATION_KEY) {
            SeededEvalKeys::generate(&secret).unwrap().write(&path).unwrap();
        }
        if let Some(path) = missing(kinds::TFHE_CIPHERTEXT) {
            let fresh = match of {
                Of::Integers => secret.encrypt_integers(&INTEGERS, 15).unwrap(),
                Of::Bits | Of::LookUps | Of::Ntru => secret.encrypt_bits(&BITS).unwrap(),
            };
            Ciphertext::write_all(&fresh, secret.params(), &path).unwrap();
        }
        if of != Of::Integers {
            continue;
        }
        if let Some(path) = missing(kinds::TFHE_UINT_ARRAY) {
            secret.encrypt_uints(Width::U16, &UINTS).unwrap().write(secret.params(), &path).unwrap();
        }
        if let Some(path) = missing(kinds::TFHE_COMPRESSION_KEY) {
            SeededCompressionKey::generate(&secret).unwrap().write(&path).unwrap();
        }
        if let Some(path) = missing(kinds::TFHE_RING_SWITCH_KEY) {
            let key = SeededRingSwitchKey::generate((SecretId(7), &ring_secret()), RING_WEIGHT, &secret).unwrap();
            key.write(&path).unwrap();
        }
        if let Some(path) = missing(kinds::TFHE_PACKING_KEY) {
            let key = SeededPackingKey::generate(&secret, (SecretId(7), &ring_secret()), RING_WEIGHT).unwrap();
            key.write(&path).unwrap();
        }
        if let Some(path) = missing(kinds::TFHE_COMPRESSED_LIST) {
            let key = SeededCompressionKey::read(&files.path(&name(kinds::TFHE_COMPRESSION_KEY, of))).unwrap();
            let x = AnyArray::Uints(secret.encrypt_uints(Width::U16, &UINTS).unwrap());
            key.prepare().compress(&x).unwrap().write(secret.params(), &path).unwrap();
        }
        if let Some(path) = missing(kinds::TFHE_BOOL_ARRAY) {
            secret.encrypt_bools(&BITS).unwrap().write(secret.params(), &path).unwrap();
        }
    }
}

/// Reads a file and uses what is in it.
fn check(files: &StoredFiles, name: &str) {
    let path = &files.path(name);
    let of = Of::named(name);
    let (secret, of_integers) = (&secret(files, of), of == Of::Integers);
    // Files are of the parameters that they name, whatever those of today's tests are.
    let params = secret.params();
    match kind_of(name) {
        kinds::TFHE_SECRET_KEY => assert_eq!(secret.small().len(), params.lwe_dim),
        kinds::TFHE_PUBLIC_KEY => {
            let key = PublicKey::read(path).unwrap();
            if of_integers {
                let x = key.encrypt_integers(&INTEGERS, 15).unwrap();
                assert_eq!(secret.decrypt_integers(&x).unwrap(), INTEGERS, "{name}");
            } else {
                let x = key.encrypt_bits(&BITS).unwrap();
                assert_eq!(secret.decrypt_bits(&x).unwrap(), BITS, "{name}");
            }
        }
        kinds::TFHE_EVALUATION_KEY => {
            let keys = SeededEvalKeys::read(path).unwrap().prepare();
            if of_integers {
                let fresh = secret.encrypt_integers(&INTEGERS, 15).unwrap();
                let table: Vec<u64> = (0..16).map(|m| (3 * m + 1) % 16).collect();
                let out = keys.table(&fresh, &table).unwrap();
                let expected: Vec<u64> = INTEGERS.iter().map(|&m| table[m as usize]).collect();
                assert_eq!(secret.decrypt_integers(&out).unwrap(), expected, "{name}");
            } else {
                let fresh = secret.encrypt_bits(&BITS).unwrap();
                let out = keys.gates(&[Gate::Nand], &fresh, &fresh).unwrap();
                assert_eq!(secret.decrypt_bits(&out).unwrap(), BITS.map(|bit| !bit), "{name}");
            }
        }
        kinds::TFHE_LOOKUP_KEY => {
            let circuit = SeededCircuitKey::read(path).unwrap().prepare();
            let keys = SeededEvalKeys::generate(secret).unwrap().prepare();
            let x = secret.encrypt_integers(&INTEGERS, 15).unwrap();
            let table: Vec<u64> = (0..16).map(|m| (5 * m + 2) % 16).collect();
            let out = circuit.lookup_messages(&keys, Indices::Messages(&x), 4, &table).unwrap();
            let expected: Vec<u64> = INTEGERS.iter().map(|&m| table[m as usize]).collect();
            assert_eq!(secret.decrypt_integers(&out).unwrap(), expected, "{name}");
        }
        kinds::TFHE_CIPHERTEXT => {
            let all = Ciphertext::read_all(params, path).unwrap();
            match of_integers {
                true => assert_eq!(secret.decrypt_integers(&all).unwrap(), INTEGERS, "{name}"),
                false => assert_eq!(secret.decrypt_bits(&all).unwrap(), BITS, "{name}"),
            }
        }
        kinds::TFHE_UINT_ARRAY => {
            assert_eq!(secret.decrypt_uints(&UintArray::read(params, path).unwrap()).unwrap(), UINTS, "{name}");
        }
        kinds::TFHE_BOOL_ARRAY => {
            assert_eq!(secret.decrypt_bools(&BoolArray::read(params, path).unwrap()).unwrap(), BITS, "{name}");
        }
        kinds::TFHE_COMPRESSION_KEY => {
            let key = SeededCompressionKey::read(path).unwrap().prepare();
            let list = key.compress(&AnyArray::Uints(secret.encrypt_uints(Width::U16, &UINTS).unwrap())).unwrap();
            assert_eq!(secret.decrypt_list(&list).unwrap(), UINTS, "{name}");
        }
        kinds::TFHE_RING_SWITCH_KEY => {
            let key = SeededRingSwitchKey::read(path).unwrap().prepare();
            // The phase of 3·X is 3·s·X, of ones as 3 of 16.
            let (zeros, mut c1) = (vec![0; 512], vec![0; 512]);
            c1[1] = 3 << 59;
            let claims = RingClaims {
                op: "read",
                secret: SecretId(7),
                bits: 4,
                max_value: 15,
                error: 0.0,
                failure_probability: 0.0,
            };
            let places: Vec<usize> = (1..512).collect();
            let x = key.integers([&zeros, &c1], &places, &claims).unwrap();
            let expected: Vec<u64> = ring_secret()[..511].iter().map(|&s| 3 * s as u64).collect();
            assert_eq!(secret.decrypt_integers(&x).unwrap(), expected, "{name}");
        }
        kinds::TFHE_PACKING_KEY => {
            let key = SeededPackingKey::read(path).unwrap();
            assert_eq!((key.id(), key.to()), (secret.id(), SecretId(7)));
            let fresh = secret.encrypt_integers(&INTEGERS, 15).unwrap();
            let [c0, c1] = key.prepare().pack("read", &fresh, (&[0, 9, 511], 4), &no_progress).unwrap();
            let phases = phases([&c0, &c1], &ring_secret());
            let found = [0, 9, 511].map(|at: usize| phases[at].wrapping_add(1 << 58) >> 59);
            assert_eq!(found, INTEGERS, "{name}");
        }
        kinds::TFHE_COMPRESSED_LIST => {
            let list = CompressedList::read(params, path).unwrap();
            assert_eq!(secret.decrypt_list(&list).unwrap(), UINTS, "{name}");
            let keys = SeededEvalKeys::generate(secret).unwrap().prepare();
            let AnyArray::Uints(again) = keys.decompress(&list).unwrap() else { panic!("{name}") };
            assert_eq!(secret.decrypt_uints(&again).unwrap(), UINTS, "{name}");
        }
        kind => panic!("{kind} is read by no test"),
    }
}

#[test]
fn files_of_every_kind_and_version_are_read() {
    if let Some(files) = StoredFiles::to_be_written(CRATE) {
        write(&files);
    }
    let own = kinds::ALL.iter().filter(|(_, scheme)| *scheme == "tfhe").map(|(kind, _)| *kind);
    for files in StoredFiles::of_each_version(CRATE) {
        for name in files.of_every_kind(own.clone()) {
            check(&files, &name);
        }
    }
}
