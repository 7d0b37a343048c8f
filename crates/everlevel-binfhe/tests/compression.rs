//! Compressed lists: what comes back, the noise against its formulas, claims of the named sets, files, bad input.

use crate::common;

use std::ops::ControlFlow;
use std::sync::Arc;

use common::{digits_literal, fixed_secret, fixed_seed, keys, literal, secret, signed};
use everlevel_binfhe::files::NamedParams;
use everlevel_binfhe::{
    AnyArray, Ciphertext, CompressedList, CompressionParams, Context, Error, EvalKeys, Gate, ListWidths, Literal, Lwe,
    NoiseSum, ObjectError, Order, Params, ParamsLiteral, SecretKey, SeededCompressionKey, Space, Width, no_progress,
    noise, sets,
};
use everlevel_io::{Builder, Container, Stored, kinds};

/// Parameters whose integers have two digits of radix 4.
fn integers() -> ParamsLiteral {
    digits_literal(4)
}

fn bits() -> ParamsLiteral {
    ParamsLiteral { rank: 3, glwe_log2_std_dev: -35.0, ..literal(64, Space::Bit) }
}

/// Parameters of each kind: integers, bits of rank 3, and NTRU's, whose secrets are ternary.
fn each() -> [Literal; 3] {
    [integers().into(), bits().into(), sets::find("ntru-integer-4-64").unwrap().insecure_literal(10)]
}

fn make(literal: impl Into<Literal>) -> (SecretKey, EvalKeys, SeededCompressionKey) {
    let (secret, keys) = keys(literal);
    let key = SeededCompressionKey::generate(&secret).unwrap();
    (secret, keys, key)
}

/// Messages come out as they went in, compressed and again as ciphertexts that circuits take, whatever the number of
/// ciphertexts: one, a part of a polynomial, all of it, and more.
#[test]
fn arrays_of_every_kind_come_back() {
    let [_, _, ntru] = each();
    [integers().into(), ntru].into_iter().for_each(arrays_come_back);
}

fn arrays_come_back(literal: Literal) {
    let (secret, keys, key) = make(literal);
    let (key, n) = (key.prepare(), keys.params().n());
    for len in [0, 1, 3, n / 16, n / 16 + 1] {
        let values: Vec<u64> = (0..len as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).collect();
        let x = AnyArray::Uints(secret.encrypt_uints(Width::U32, &values).unwrap());
        let list = key.compress(&x).unwrap();
        assert_eq!(secret.decrypt_list(&list).unwrap(), values, "{len}");
        assert_eq!((list.len(), list.elements()), (16 * len, len));
        let AnyArray::Uints(again) = keys.decompress(&list).unwrap() else { panic!("integers") };
        assert_eq!((secret.decrypt_uints(&again).unwrap(), again.width()), (values.clone(), Width::U32));
        let sums = keys.integers().unwrap().add(&again, &again).unwrap();
        let doubled: Vec<u64> = values.iter().map(|x| (2 * x) & 0xffff_ffff).collect();
        assert!(len > 3 || secret.decrypt_uints(&sums).unwrap() == doubled);
    }
    let bools = [true, false, false, true, true];
    let list = key.compress(&AnyArray::Bools(secret.encrypt_bools(&bools).unwrap())).unwrap();
    assert_eq!(secret.decrypt_list(&list).unwrap(), bools.map(u64::from));
    let AnyArray::Bools(again) = keys.decompress(&list).unwrap() else { panic!("truth values") };
    assert_eq!(secret.decrypt_bools(&again).unwrap(), bools);
    let messages: Vec<u64> = (0..n as u64 + 7).map(|i| i % 16).collect();
    let list = key.compress(&AnyArray::Messages(secret.encrypt_integers(&messages, 15).unwrap())).unwrap();
    assert_eq!(secret.decrypt_list(&list).unwrap(), messages);
    let AnyArray::Messages(again) = keys.decompress(&list).unwrap() else { panic!("messages") };
    assert_eq!(secret.decrypt_integers(&again).unwrap(), messages);
    assert!(again.iter().all(|x| x.max_value() == 15 && x.dim_and_noise_are_of_a_bootstrap(&keys)));
}

/// Two lists of one array have nothing in common but what they hold, and are equal where they aren't re-randomised: no
/// word of a mask is as it was, but for as many as uniform words would be.
#[test]
fn lists_are_rerandomised() {
    for literal in each() {
        let (secret, _, key) = make(literal);
        let (params, key) = (secret.params(), key.prepare());
        let count = params.n() + 3;
        let messages = match params.space {
            Space::Bit => secret.encrypt_bits(&vec![true; count]).unwrap(),
            Space::Integer { .. } => secret.encrypt_integers(&vec![1; count], 1).unwrap(),
        };
        let x = AnyArray::Messages(messages);
        let bare = || key.compress_reporting(&x, false, &no_progress).unwrap();
        let lists = [key.compress(&x).unwrap(), key.compress(&x).unwrap(), bare()];
        assert_eq!(lists[2], bare());
        let masks = lists.each_ref().map(|list| {
            assert_eq!(secret.decrypt_list(list).unwrap(), vec![1; count]);
            let [first, last] = [0, count - 1].map(|i| list.lwes(params)[i].words().to_vec());
            [first, last].map(|words| words[..words.len() - 1].to_vec()).concat()
        });
        let expected = masks[0].len() as f64 / f64::from(key.params().widths().mask_bits).exp2();
        for (one, other) in [(0, 1), (0, 2), (1, 2)] {
            let equal = std::iter::zip(&masks[one], &masks[other]).filter(|(x, y)| x == y).count() as f64;
            // A Poisson number, which is above that once in 10^12 runs at most, whatever is expected.
            let most = expected + 7.0 * expected.sqrt() + 10.0;
            assert!(equal < most, "{equal} equal words, {expected} expected");
        }
    }
}

trait Again {
    fn dim_and_noise_are_of_a_bootstrap(&self, keys: &EvalKeys) -> bool;
}

impl Again for Ciphertext {
    fn dim_and_noise_are_of_a_bootstrap(&self, keys: &EvalKeys) -> bool {
        self.lwe().dim() == keys.params().ciphertext_dim()
            && self.variance_torus() == keys.params().noise().bootstrapped
            && self.noise().failures().bootstraps() >= 1.0
    }
}

/// Bits at rank 3, results of gates and values in the clear among them.
#[test]
fn bits_come_back() {
    let (secret, keys, key) = make(bits());
    let (key, n) = (key.prepare(), keys.params().n());
    for len in [1, 2, 100, n, n + 1] {
        let values: Vec<bool> = (0..len).map(|i| i * i % 7 < 3).collect();
        let fresh = secret.encrypt_bits(&values).unwrap();
        let results = keys.gates(&[Gate::Nand], &fresh, &fresh).unwrap();
        let negated: Vec<bool> = values.iter().map(|bit| !bit).collect();
        let list = key.compress(&AnyArray::Messages(results)).unwrap();
        assert_eq!(secret.decrypt_list(&list).unwrap(), negated.iter().map(|&bit| u64::from(bit)).collect::<Vec<_>>());
        let AnyArray::Messages(again) = keys.decompress(&list).unwrap() else { panic!("bits") };
        assert_eq!(secret.decrypt_bits(&again).unwrap(), negated, "{len}");
        let again = keys.gates(&[Gate::Nand], &again, &fresh).unwrap();
        assert_eq!(secret.decrypt_bits(&again).unwrap(), vec![true; len]);
    }
    let plain: Vec<Ciphertext> = [EIGHTH, EIGHTH.wrapping_neg()]
        .map(|phase| {
            let lwe = Lwe::trivial(keys.params().ciphertext_dim(), phase);
            Ciphertext::from_parts(lwe, secret.id(), Default::default(), 1)
        })
        .to_vec();
    let list = key.compress(&AnyArray::Messages(plain)).unwrap();
    assert_eq!(secret.decrypt_list(&list).unwrap(), [1, 0]);
}

const EIGHTH: u64 = 1 << 61;

/// Errors of packing, of ciphertexts without noise of their own, by one key.
fn packing_errors(secret: &SecretKey, key: &SeededCompressionKey, count: usize, times: u64) -> Vec<f64> {
    let (params, key) = (secret.params(), key.prepare());
    let n = params.n();
    let mut errors = Vec::new();
    for i in 0..times {
        let all: Vec<Lwe> = (0..count).map(|j| common::uniform(params.ciphertext_dim(), i << 20 | j as u64)).collect();
        let packed = key.pack(&all.iter().collect::<Vec<_>>());
        let stride = n / count.next_power_of_two();
        for (j, lwe) in all.iter().enumerate() {
            let out = everlevel_rlwe::lwe::extract(&packed, n, j * stride, params.big_dim);
            errors.push(signed(out.phase(secret.big()).wrapping_sub(lwe.phase(secret.big()))));
        }
    }
    errors
}

fn mean_square(errors: &[f64]) -> f64 {
    errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64
}

/// Packing's noise is that of the formula, over keys on average and by one key nearly so, whatever the number of
/// ciphertexts; and a fifth less where transforms make most of it, as they do with the narrow errors of NTRU here.
#[test]
fn packing_has_the_noise_of_the_formula() {
    for literal in each() {
        let mut of_keys = Vec::new();
        for index in 0..8 {
            let secret = fixed_secret(literal.clone(), 40 + index);
            let key = SeededCompressionKey::from_seed(&secret, &fixed_seed(index)).unwrap();
            let (mean, _) = key.params().mean_variances();
            let n = secret.params().n();
            for (count, times) in [(n, 4), (n / 4 + 3, 8), (1, 200)] {
                let errors = packing_errors(&secret, &key, count, times);
                let found = mean_square(&errors);
                // Six deviations of as many errors, and what errors of one key have in common.
                let spread = 6.0 * (2.0 / errors.len() as f64).sqrt() + 0.1;
                assert!(
                    (0.8 - spread..1.0 + spread).contains(&(found / mean)),
                    "{count} ciphertexts: {found:e}, {mean:e}"
                );
                if count == n {
                    of_keys.push(found / mean);
                }
            }
        }
        let mean = of_keys.iter().sum::<f64>() / of_keys.len() as f64;
        println!("packing: {mean:.3} of the formula, by key {of_keys:.3?}");
        assert!((0.78..1.05).contains(&mean), "{of_keys:?}");
    }
}

/// Mean square of the errors of lists by one key, as a part of the formula's. They are the same at every run, and one
/// more that is re-randomised is as noisy, to nine deviations of its coefficients' mean square.
fn list_noise(literal: Literal, index: u64, lists: usize) -> f64 {
    let secret = secret(literal);
    let seeded = SeededCompressionKey::from_seed(&secret, &fixed_seed(index)).unwrap();
    let (packing, rounding) = seeded.params().mean_variances();
    let (key, params) = (seeded.prepare(), secret.params());
    let count = params.n() + 5;
    let errors_of = |rerandomizes: bool| -> Vec<f64> {
        let (all, phase) = match params.space {
            Space::Bit => (secret.encrypt_bits(&vec![true; count]).unwrap(), EIGHTH),
            space @ Space::Integer { .. } => (secret.encrypt_integers(&vec![1; count], 1).unwrap(), space.encode(1)),
        };
        let list = key.compress_reporting(&AnyArray::Messages(all), rerandomizes, &no_progress).unwrap();
        list.lwes(params).iter().map(|x| signed(x.phase(secret.big()).wrapping_sub(phase))).collect()
    };
    let errors: Vec<f64> = (0..lists).flat_map(|_| errors_of(false)).collect();
    let formula = packing + rounding + params.noise().fresh;
    let rerandomized = mean_square(&errors_of(true)) / formula;
    assert!((rerandomized - 1.0).abs() < 9.0 * (2.0 / count as f64).sqrt(), "{rerandomized}");
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert!(mean.abs() < 6.0 * (formula / errors.len() as f64).sqrt(), "{mean:e}");
    mean_square(&errors) / formula
}

/// The noise of lists, rounding included, is that of the formula, within one key and between keys.
#[test]
fn lists_have_the_noise_of_the_formula() {
    for literal in each() {
        let of_keys: Vec<f64> = (0..6).map(|index| list_noise(literal.clone(), index, 6)).collect();
        assert!(of_keys.iter().all(|found| (0.85..1.15).contains(found)), "{of_keys:?}");
        let mean = of_keys.iter().sum::<f64>() / of_keys.len() as f64;
        assert!((0.95..1.05).contains(&mean), "{of_keys:?}");
    }
}

/// Noise of lists beside its formula, of sets as they are.
#[test]
fn lists_of_named_sets_have_the_noise_of_the_formula() {
    for name in ["gate-64", "gate-128", "integer-2-128", "integer-4-64", "integer-4-128", "ntru-integer-4-64"] {
        let of_keys: Vec<f64> = (0..3).map(|i| list_noise(sets::find(name).unwrap().literal(), i, 2)).collect();
        println!("lists of {name}: {of_keys:.3?} of the formula by key");
        assert!(of_keys.iter().all(|found| (0.85..1.15).contains(found)), "{name}: {of_keys:?}");
    }
}

/// Sets that have lists keep their failure probability, and the note tells the usual ones' numbers. Those without lists
/// have small rings, whose errors are wide, or ciphertexts under the small secret.
#[test]
fn named_sets_keep_their_claims() {
    let (mut without, mut untold) = (Vec::new(), Vec::new());
    let note = include_str!("../../../docs/notes/compression.md");
    for set in sets::ALL {
        let params = Arc::new(set.params().unwrap());
        let own = match CompressionParams::of(&params) {
            Ok(own) => own,
            Err(error @ Error::NoLists { .. }) => {
                let last = error.to_string();
                assert!(last.ends_with("choose a set such as integer-4-128"), "{last}");
                assert!(params.order == Order::BootstrapFirst || set.is_ntru() && params.n() <= 1024, "{}", set.name);
                without.push(set.name);
                continue;
            }
            Err(error) => panic!("{}: {error}", set.name),
        };
        let variance = own.variance() + params.noise().bootstrapped * 2f64.max(params.squared_norm / 2.0);
        let log2_p_fail = noise::log2_p_fail(params.margin_torus(), params.noise().at_table(variance));
        assert!(log2_p_fail <= params.max_log2_p_fail + 1e-9, "{}: {log2_p_fail}", set.name);
        let (packing, rounding) = own.mean_variances();
        assert!(packing < rounding / 4.0, "{}: {packing:e} {rounding:e}", set.name);
        let (ListWidths { mask_bits, body_bits }, bits) = (own.widths(), own.bits().0 + own.bits().1);
        assert_eq!(bits, params.rank() as u32 * mask_bits + body_bits);
        let public = params.public_key_footprint().held;
        let key =
            (own.key_footprint().held - public) / (2 + params.rank() as u64) + public / (1 + params.rank() as u64);
        let told = format!(
            "| `{}` | {mask_bits} + {body_bits} | {bits} | {:.2} MB | 2^−{:.1} |",
            set.name,
            key as f64 / 1e6,
            -log2_p_fail
        );
        println!("{told}");
        let is_usual = ["experimental", "baseline", "insecure", "-14"].iter().all(|word| !set.name.contains(word));
        if is_usual && !note.contains(&told) {
            untold.push(told);
        }
    }
    assert!(untold.is_empty(), "{untold:#?}");
    assert!(
        without.iter().all(|name| name.starts_with("ntru-") || name.starts_with("insecure-tfhe-lib")),
        "{without:?}"
    );
}

#[test]
fn keys_and_lists_come_back_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let (key_path, list_path) = (folder.path().join("key"), folder.path().join("list"));
    let (secret, keys, key) = make(integers());
    assert_eq!(key.write(&key_path).unwrap(), std::fs::metadata(&key_path).unwrap().len());
    let again = SeededCompressionKey::read(&key_path).unwrap();
    assert_eq!((&again.bodies, again.params(), again.id()), (&key.bodies, key.params(), key.id()));
    let public = |key: &SeededCompressionKey| {
        let named = NamedParams::from(secret.params());
        key.public_key().to_container(&named).unwrap().to_bytes()
    };
    assert!(public(&again) == public(&key));
    let x = keys.integers().unwrap();
    let values = [1u64, 2, 60_000];
    let fresh = secret.encrypt_uints(Width::U16, &values).unwrap();
    let sums = x.add(&fresh, &fresh).unwrap();
    let list = again.prepare().compress(&AnyArray::Uints(sums)).unwrap();
    let params = secret.params();
    assert_eq!(list.write(params, &list_path).unwrap(), std::fs::metadata(&list_path).unwrap().len());
    let read = CompressedList::read(params, &list_path).unwrap();
    assert_eq!(read, list);
    assert_eq!(read.failure_probability(params), list.failure_probability(params));
    assert!(read.failure_probability(params) > 0.0 && read.failure_probability(params) < 1.0);
    assert_eq!(secret.decrypt_list(&read).unwrap(), [2, 4, 120_000 - 65_536]);
    assert!(matches!(SeededCompressionKey::read(&list_path), Err(Error::Io(_))));
    assert!(matches!(CompressedList::read(params, &key_path), Err(Error::Io(_))));
    let other = Arc::new(Params::try_from(digits_literal(5)).unwrap());
    assert!(matches!(CompressedList::read(&other, &list_path), Err(Error::Io(_))));
    for path in [&key_path, &list_path] {
        let mut bytes = std::fs::read(path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(path, &bytes).unwrap();
    }
    assert!(matches!(SeededCompressionKey::read(&key_path), Err(Error::Io(_))));
    assert!(matches!(CompressedList::read(params, &list_path), Err(Error::Io(_))));
    let empty = key.prepare().compress(&AnyArray::Messages(Vec::new())).unwrap();
    empty.write(params, &list_path).unwrap();
    assert_eq!(CompressedList::read(params, &list_path).unwrap(), empty);
}

/// A stranger's list: every number of its head, wrong in some way, and its words cut off.
#[test]
fn false_lists_are_refused() {
    let (secret, _, key) = make(integers());
    let x = secret.encrypt_uints(Width::U16, &[7, 8]).unwrap();
    let list = key.prepare().compress(&AnyArray::Uints(x)).unwrap();
    let named = NamedParams::from(secret.params());
    let file = Container::from_bytes(list.to_container(&named).unwrap().to_bytes()).unwrap();
    let (object, bytes) = (file.metadata("object").unwrap().to_string(), file.bytes("list").unwrap().to_vec());
    let read = |object: &str, bytes: &[u8]| {
        let mut builder = Builder::new(kinds::TFHE_COMPRESSED_LIST);
        for (name, value) in &file.header().metadata {
            if !["object", "kind", "format"].contains(&name.as_str()) {
                builder.describe(name, value.clone());
            }
        }
        builder.describe("object", object);
        builder.tensor("list", &[bytes.len()], bytes.to_vec());
        CompressedList::from_container(&named, &Container::from_bytes(builder.to_bytes()).unwrap())
    };
    assert_eq!(read(&object, &bytes).unwrap(), list);
    let word = |place: usize, value: u64| {
        let mut changed = bytes.clone();
        changed[8 * place..8 * (place + 1)].copy_from_slice(&value.to_le_bytes());
        changed
    };
    for changed in [
        word(0, 17),
        word(0, 15),
        word(0, 0),
        word(0, u64::MAX),
        word(1, 4),
        word(1, u64::MAX),
        word(2, f64::NAN.to_bits()),
        word(2, (-1.0f64).to_bits()),
        word(3, 1),
        word(3, 65),
        word(3, u64::MAX),
        word(4, 0.5f64.to_bits()),
        bytes[..bytes.len() - 1].to_vec(),
        bytes[..39].to_vec(),
        Vec::new(),
        [&bytes[..], &[0]].concat(),
    ] {
        assert!(matches!(read(&object, &changed), Err(Error::Io(_))), "{:?}", &changed[..changed.len().min(40)]);
    }
    for (from, to) in [
        ("uints", "bools"),
        ("uints", "strings"),
        ("\"width_bits\":16", "\"width_bits\":17"),
        ("\"mask_bits\":", "\"mask_bits\":0,\"other\":"),
        ("\"mask_bits\":", "\"mask_bits\":33,\"other\":"),
        ("\"mask_bits\":", "\"mask_bits\":1,\"other\":"),
        ("{", ""),
    ] {
        let changed = object.replacen(from, to, 1);
        assert_ne!(changed, object);
        assert!(matches!(read(&changed, &bytes), Err(Error::Io(_))), "{changed}");
    }
}

#[test]
fn bad_input_is_refused() {
    let (secret, keys, seeded) = make(integers());
    let (other, other_keys, _) = make(integers());
    let key = seeded.prepare();
    let theirs = other.encrypt_integers(&[3], 15).unwrap();
    let other_secret = |error: &Error| matches!(error, Error::Object(ObjectError::OtherSecret { .. }));
    let mixed = [secret.encrypt_integers(&[3], 15).unwrap(), theirs].concat();
    assert!(other_secret(&key.compress(&AnyArray::Messages(mixed)).unwrap_err()));
    let list = key.compress(&AnyArray::Messages(secret.encrypt_integers(&[3], 15).unwrap())).unwrap();
    assert!(other_secret(&other.decrypt_list(&list).unwrap_err()));
    assert!(other_secret(&other_keys.decompress(&list).unwrap_err()));
    // Noise above the limit; a result within it.
    let x = keys.table(&secret.encrypt_integers(&[1], 1).unwrap(), &(0..16).collect::<Vec<u64>>()).unwrap();
    let factor = (keys.params().squared_norm / 2.0).sqrt().floor() as i64;
    let fits = key.compress(&AnyArray::Messages(vec![keys.linear(&[(factor, &x[0])], 0).unwrap()]));
    assert_eq!(secret.decrypt_list(&fits.unwrap()).unwrap(), [factor as u64]);
    let noise = NoiseSum::of(x[0].lwe(), 2f64.powi(-13));
    let noisy = Ciphertext::from_parts(x[0].lwe().clone(), secret.id(), noise, 1);
    let refused = key.compress(&AnyArray::Messages(vec![noisy])).unwrap_err();
    assert!(matches!(refused, Error::NoiseExhausted { op: "compress", .. }), "{refused}");

    let refused = |literal: ParamsLiteral| CompressionParams::of(&Arc::new(Params::try_from(literal).unwrap()));
    let small_first = ParamsLiteral { order: Order::BootstrapFirst, ..integers() };
    let Err(Error::NoLists { found, .. }) = refused(small_first) else { panic!("refused") };
    assert_eq!(found, "bootstraps before key switches");
}

/// A context's calls report progress, and stop where they are told to.
#[test]
fn contexts_compress_and_decompress() {
    let context = Context::insecure("integer-4-64", 9, 2).unwrap();
    let secret = context.secret_key().unwrap();
    let keys = context.eval_keys(&secret, &no_progress).unwrap().prepare();
    let key = context.compression_key(&secret).unwrap();
    assert_eq!((key.nbytes() + key.prepare().nbytes()) as u64, key.params().key_footprint().held);
    let values: Vec<u64> = (0..100).collect();
    let x = AnyArray::Uints(secret.encrypt_uints(Width::U64, &values).unwrap());
    let key = key.prepare();
    let list = context.compress(&key, &x, true, &no_progress).unwrap();
    let again = context.decompress(&keys, &list, &no_progress).unwrap();
    let AnyArray::Uints(again) = again else { panic!("integers") };
    assert_eq!(secret.decrypt_uints(&again).unwrap(), values);
    let stop = |_, _| ControlFlow::Break(());
    assert!(matches!(context.compress(&key, &x, true, &stop), Err(Error::Cancelled(_))));
    assert!(matches!(context.decompress(&keys, &list, &stop), Err(Error::Cancelled(_))));
}
