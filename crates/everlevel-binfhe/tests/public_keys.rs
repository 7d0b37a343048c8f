//! Public keys: what they encrypt decrypts and computes, with the noise that is claimed, within a key and between keys.

use crate::common::uints::OF_ONE_WORD;
use crate::common::{self, fixed_secret, fixed_seed, keys, literal, signed};

use std::collections::HashMap;
use std::f64::consts::PI;
use std::sync::Arc;

use everlevel_binfhe::{
    Ciphertext, EncryptionKey, Error, EvalKeys, Gadget, Gate, KeySwitch, Lwe, NoiseSum, NoiseTerm, ObjectError, Order,
    Params, ParamsLiteral, PublicKey, SecretKey, Secrets, Space, Width, noise, sets,
};
use everlevel_io::{Builder, Container, Error as FileError, Stored, kinds};
use everlevel_security::{SecretDistribution, torus};
use everlevel_testkit::noise::{DEVIATIONS, Measured, part_between};

/// Bits that repeat with no small period.
fn bits(len: usize) -> Vec<bool> {
    (0..len).map(|i| (i * i + i / 3) % 3 == 1).collect()
}

#[test]
fn thousands_of_bits_go_through_gates() {
    let small = |name: &str, log_n| sets::find(name).unwrap().insecure_literal(log_n);
    let (ntru, limbs) = (small("ntru-gate-64", 9), small("gate-64-limbs-baseline", 10));
    for (literal, len) in [(literal(64, Space::Bit).into(), 2000), (ntru, 2000), (limbs, 100)] {
        let (secret, keys) = keys(literal);
        let public = PublicKey::generate(&secret).unwrap();
        let (a, b) = (bits(len), bits(len + 1));
        let (x, y) = (public.encrypt_bits(&a).unwrap(), public.encrypt_bits(&b[1..]).unwrap());
        assert_eq!(secret.decrypt_bits(&x).unwrap(), a);
        let out = keys.gates(&[Gate::Nand], &x, &y).unwrap();
        let expected: Vec<bool> = a.iter().zip(&b[1..]).map(|(a, b)| !(a & b)).collect();
        assert_eq!(secret.decrypt_bits(&out).unwrap(), expected);
        // Beside ciphertexts of the secret key, re-randomised and not.
        let y = public.rerandomize(&secret.encrypt_bits(&b[1..]).unwrap()).unwrap();
        let out = keys.gates(&[Gate::Nand], &x, &y).unwrap();
        assert_eq!(secret.decrypt_bits(&public.rerandomize(&out).unwrap()).unwrap(), expected);
    }
}

#[test]
fn many_integers_go_through_tables_and_sums() {
    let (secret, keys) = common::two_bits();
    let public = PublicKey::generate(secret).unwrap();
    let values: Vec<u64> = (0..1000).map(|i| i * i % 16).collect();
    let x = public.encrypt_integers(&values, 15).unwrap();
    let table: Vec<u64> = (0..16).map(|m| (7 * m + 3) % 16).collect();
    let out = keys.table(&x, &table).unwrap();
    let expected: Vec<u64> = values.iter().map(|&m| table[m as usize]).collect();
    assert_eq!(secret.decrypt_integers(&out).unwrap(), expected);
    for width in OF_ONE_WORD {
        let integers = keys.integers().unwrap();
        let value = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) & width.max();
        let (a, b): (Vec<u64>, Vec<u64>) = ((0..60).map(value).collect(), (500..560).map(value).collect());
        let (x, y) = (public.encrypt_uints(width, &a).unwrap(), secret.encrypt_uints(width, &b).unwrap());
        assert_eq!((x.width(), x.len()), (width, 60));
        let sum = integers.add(&x, &public.rerandomize_uints(&y).unwrap()).unwrap();
        let expected: Vec<u64> = a.iter().zip(&b).map(|(a, b)| a.wrapping_add(*b) & width.max()).collect();
        assert_eq!(secret.decrypt_uints(&public.rerandomize_uints(&sum).unwrap()).unwrap(), expected);
        let condition = public.rerandomize_bools(&public.encrypt_bools(&bits(60)).unwrap()).unwrap();
        let chosen = integers.select(&condition, &x, &y).unwrap();
        let expected: Vec<u64> = (0..60).map(|i| if bits(60)[i] { a[i] } else { b[i] }).collect();
        assert_eq!(secret.decrypt_uints(&chosen).unwrap(), expected);
    }
}

/// Whether a set's ciphertexts are under the large secret.
fn has_public_key(params: &Params) -> bool {
    params.order == Order::KeySwitchFirst
}

/// Every named set of that order has public keys, with which its claim of failures holds as with bootstrapped inputs.
#[test]
fn every_named_set_keeps_its_failure_probability() {
    let mut without = Vec::new();
    for set in sets::ALL {
        let params = Arc::new(set.params().unwrap());
        if !has_public_key(&params) {
            without.push(set.name);
            let secret = SecretKey::generate(params).unwrap();
            let refused = PublicKey::generate(&secret).unwrap_err();
            assert!(matches!(refused, Error::NoPublicKey { op: "create_public_key", .. }), "{refused}");
            continue;
        }
        let variance = params.public_key_variance("test").unwrap();
        assert!(variance <= params.noise().bootstrapped, "{}", set.name);
        let at_table = params.noise().at_table(params.squared_norm * variance);
        let log2_p_fail = noise::log2_p_fail(params.margin_torus(), at_table);
        println!("{}: σ 2^{:.1}, p_fail 2^{log2_p_fail:.1}", set.name, variance.log2() / 2.0);
        assert!(log2_p_fail <= set.log2_p_fail + 0.051, "{}: 2^{log2_p_fail}", set.name);
        let secret = SecretKey::generate(params).unwrap();
        let public = PublicKey::generate(&secret).unwrap();
        assert_eq!(public.nbytes() as u64, secret.params().public_key_footprint().held, "{}", set.name);
        match secret.params().space {
            Space::Bit => {
                let x = public.rerandomize(&public.encrypt_bits(&bits(40)).unwrap()).unwrap();
                assert_eq!(secret.decrypt_bits(&x).unwrap(), bits(40), "{}", set.name);
            }
            Space::Integer { bits } => {
                let max = (1 << bits) - 1;
                let values: Vec<u64> = (0..40).map(|i| i * 7 % (max + 1)).collect();
                let x = public.rerandomize(&public.encrypt_integers(&values, max).unwrap()).unwrap();
                assert_eq!(secret.decrypt_integers(&x).unwrap(), values, "{}", set.name);
            }
        }
    }
    assert_eq!(without, ["insecure-tfhe-lib", "insecure-tfhe-lib-seven", "insecure-tfhe-lib-full"]);
}

/// A public key is samples under the large secret, which the set's claim counts; its lists are such under a ternary
/// secret of their own, which are no easier to attack.
#[test]
fn public_keys_lower_no_claim_of_security() {
    let mut counted = HashMap::new();
    for set in sets::ALL {
        let params = set.params().unwrap();
        if !has_public_key(&params) {
            continue;
        }
        let (dim, log2_std_dev) = (params.rank() * params.n(), params.big_log2_std_dev);
        let count = || {
            let found = torus::estimate_of(SecretDistribution::Ternary, dim, log2_std_dev).unwrap();
            let bits = found.map_or(512.0, |best| best.log2_cost);
            println!("lists of dimension {dim}, σ 2^{log2_std_dev}: {bits:.1} bits");
            bits
        };
        let bits = *counted.entry((dim, log2_std_dev.to_bits())).or_insert_with(count);
        assert!(bits >= set.security_bits - 0.05, "{}: {bits:.1}, {} claimed", set.name, set.security_bits);
    }
    assert!(counted.len() >= 8, "{counted:?}");
}

/// A set at work with its real parameters, tens of values.
fn at_work(name: &str) {
    let secret = common::secret(sets::find(name).unwrap().literal());
    let (keys, public) = (EvalKeys::generate(&secret).unwrap(), PublicKey::generate(&secret).unwrap());
    match secret.params().space {
        Space::Bit => {
            let (x, y) = (public.encrypt_bits(&bits(32)).unwrap(), public.encrypt_bits(&[true; 32]).unwrap());
            let out = keys.gates(&[Gate::Xor], &x, &public.rerandomize(&y).unwrap()).unwrap();
            let expected: Vec<bool> = bits(32).iter().map(|bit| !bit).collect();
            assert_eq!(secret.decrypt_bits(&out).unwrap(), expected, "{name}");
        }
        Space::Integer { .. } => {
            let (a, b) = ([0xffff_ffff, 3, 0x1234_5678], [1, 0xdead_beef, 0x8765_4321]);
            let (x, y) = (public.encrypt_uints(Width::U32, &a), public.encrypt_uints(Width::U32, &b));
            let count = keys.bootstrap_count();
            let sum = keys.integers().unwrap().add(&x.unwrap(), &y.unwrap()).unwrap();
            assert!(keys.bootstrap_count() > count);
            let expected: Vec<u64> = (0..3).map(|i| (a[i] + b[i]) & 0xffff_ffff).collect();
            assert_eq!(secret.decrypt_uints(&public.rerandomize_uints(&sum).unwrap()).unwrap(), expected, "{name}");
        }
    }
}

#[test]
fn sets_of_both_schemes_compute_with_what_public_keys_encrypt() {
    let partial = "integer-4-64-partial-experimental";
    ["gate-128", "integer-4-128", partial, "ntru-gate-64", "ntru-integer-4-64"].into_iter().for_each(at_work);
}

/// A list's mean variance of one coefficient, over keys: `σ²·(1 + S·φ + 2/3·kN)`.
fn mean_variance(params: &Params, secret_square: f64) -> f64 {
    let (of_secret, of_key) = (secret_square * params.big_dim as f64, 2.0 / 3.0 * (params.rank() * params.n()) as f64);
    (2.0 * params.big_log2_std_dev).exp2() * (1.0 + of_secret + of_key)
}

/// The errors of one coefficient of so many lists, encrypted with one of the keys that are the same at every run; the
/// lists are drawn anew.
fn errors(literal: &ParamsLiteral, index: u64, lists: usize, place: impl Fn(usize) -> usize) -> Vec<f64> {
    let secret = fixed_secret(literal.clone(), index);
    let public = PublicKey::from_seed(&secret, &fixed_seed(3000 + index)).unwrap();
    let one = |i| {
        let list = public.encrypt_bits(&vec![true; place(i) + 1]).unwrap();
        signed(list[place(i)].lwe().phase(secret.big())) - 0.125
    };
    (0..lists).map(one).collect()
}

/// Secrets of all coefficients, and where the secret's last ones are zero.
#[test]
fn noise_of_lists_is_the_formulas() {
    let partial = Secrets { drawn: Some(300), ..Secrets::default() };
    for secrets in [Secrets::default(), partial] {
        let literal = ParamsLiteral { secrets, ..literal(64, Space::Bit) };
        let params = Params::try_from(literal.clone()).unwrap();
        let (key_count, n) = (24, params.n());
        let place = |i: usize| if i.is_multiple_of(8) { n - 1 - i % 5 } else { i % 16 };
        let all: Measured = (0..key_count).flat_map(|key| errors(&literal, key, 200, place)).collect();
        let shared = [key_count as usize * params.rank() * n, 2 * key_count as usize * params.big_dim];
        let variance = mean_variance(&params, 0.5);
        all.assert_variance(&format!("lists, {secrets:?}"), variance, &shared, 0.17);
        all.assert_centred("lists", variance);
        // What is claimed is more, since errors of a list depend on each other.
        assert!(params.public_key_variance("test").unwrap() > 8.0 * variance);
    }
}

/// Ephemeral secrets have the mean zero: with bits in their place, a fifth of the variance would lie between keys. What
/// 40 keys and lists that are drawn anew tell of it has the tail of a chi-square of 39 degrees of freedom: twelve
/// deviations are exceeded once in 10^11 runs, and six once in 10^5.
#[test]
fn no_noise_lies_between_keys() {
    let (literal, lists) = (literal(64, Space::Bit), 160);
    let groups: Vec<Vec<f64>> = (0..40).map(|key| errors(&literal, key, lists, |_| 100)).collect();
    let resolution = 2.0 * DEVIATIONS * (2.0 / 39f64).sqrt() / lists as f64;
    let part = part_between(&groups);
    println!("{part:+.5} ± {resolution:.5} of the variance between keys");
    assert!(resolution < 0.02 && part.abs() < resolution, "{part}");
}

/// The errors of a list depend on each other: sums of all have many times the variance of independent ones, and stay
/// below what is claimed for each.
#[test]
fn combinations_of_a_list_stay_below_the_claim() {
    let literal = literal(64, Space::Bit);
    let params = Params::try_from(literal.clone()).unwrap();
    let (n, claimed) = (params.n(), params.public_key_variance("test").unwrap());
    let factors: [fn(f64) -> f64; 3] = [|_| 1.0, |x| (PI * x).cos(), |x| if x < 0.5 { 1.0 } else { -1.0 }];
    for factor in factors {
        let factors: Vec<f64> = (0..n).map(|i| factor(i as f64 / n as f64)).collect();
        let squared_norm: f64 = factors.iter().map(|factor| factor * factor).sum();
        let mut sums = Measured::default();
        for key in 0..8 {
            let secret = fixed_secret(literal.clone(), key);
            let public = PublicKey::from_seed(&secret, &fixed_seed(3000 + key)).unwrap();
            sums.extend((0..50).map(|_| {
                let list = public.encrypt_bits(&vec![true; n]).unwrap();
                let error = |x: &Ciphertext| signed(x.lwe().phase(secret.big())) - 0.125;
                list.iter().zip(&factors).map(|(x, factor)| factor * error(x)).sum::<f64>()
            }));
        }
        let (found, alone) = (sums.mean_square() / squared_norm, mean_variance(&params, 0.5));
        println!("{:.1} times the variance of independent errors, {:.3} of the claim", found / alone, found / claimed);
        assert!(found > 4.0 * alone && found < 0.5 * claimed);
    }
}

#[test]
fn noise_is_tracked_and_rerandomisation_adds_to_it() {
    let (secret, keys) = keys(literal(64, Space::Bit));
    let public = PublicKey::generate(&secret).unwrap();
    let own = public.params().public_key_variance("test").unwrap();
    let x = public.encrypt_bits(&[true, false]).unwrap();
    assert_eq!(x[0].variance_torus(), own);
    let out = keys.gates(&[Gate::Or], &x[..1], &x[1..]).unwrap();
    let again = public.rerandomize(&[out[0].clone(), out[0].clone()]).unwrap();
    let variance = out[0].variance_torus();
    assert_eq!(again[0].variance_torus(), variance + own);
    assert_eq!(again[0].noise().failures(), out[0].noise().failures());
    // Both are of one error of a bootstrap, and each of one of its own.
    let sum = NoiseSum::combination(again.iter().map(|x| (1.0, x.noise())));
    assert!((sum.variance_torus() / (4.0 * variance + 2.0 * own) - 1.0).abs() < 1e-12);
    let same = again[0].lwe().mask().iter().zip(out[0].lwe().mask()).filter(|(a, b)| a == b).count();
    assert_eq!((same, again[0].max_value()), (0, 1));
    assert_ne!(again[0].lwe(), again[1].lwe());
    // A value in the clear is encrypted.
    let clear = Ciphertext::from_parts(
        Lwe::trivial(public.params().ciphertext_dim(), Space::Bit.encode(1)),
        secret.id(),
        NoiseSum::default(),
        1,
    );
    let hidden = public.rerandomize(&[clear]).unwrap();
    assert!(hidden[0].lwe().mask().iter().all(|&word| word != 0));
    assert_eq!(secret.decrypt_bits(&hidden).unwrap(), [true]);
    assert!(public.rerandomize(&[]).unwrap().is_empty());
}

/// No two lists have anything in common, in one call or in several.
#[test]
fn lists_are_fresh() {
    let secret = SecretKey::generate(Arc::new(Params::try_from(literal(64, Space::Bit)).unwrap())).unwrap();
    let public = PublicKey::generate(&secret).unwrap();
    let n = secret.params().n();
    let all = [public.encrypt_bits(&vec![true; 2 * n + 1]).unwrap(), public.encrypt_bits(&[true; 2]).unwrap()].concat();
    let mut first: Vec<u64> = all.iter().map(|x| x.lwe().mask()[0]).collect();
    first.sort_unstable();
    first.dedup();
    assert_eq!(first.len(), all.len());
    // Within a list the masks turn: it comes from one sample.
    assert_eq!(all[1].lwe().mask()[1..n], all[0].lwe().mask()[..n - 1]);
    assert_ne!(all[n].lwe().mask()[1..n], all[n - 1].lwe().mask()[..n - 1]);
}

#[test]
fn wrong_messages_and_keys_are_refused() {
    let (secret, keys) = keys(literal(64, Space::Bit));
    let public = PublicKey::generate(&secret).unwrap();
    assert_eq!(public.id(), secret.id());
    let wrong = |error: Error| assert!(matches!(error, Error::WrongSpace { .. }), "{error}");
    wrong(public.encrypt_integers(&[1], 1).unwrap_err());
    wrong(public.encrypt_uints(Width::U8, &[1]).unwrap_err());
    wrong(public.encrypt_bools(&[true]).unwrap_err());
    let other = SecretKey::generate(Arc::clone(secret.params())).unwrap();
    let x = other.encrypt_bits(&[true]).unwrap();
    let foreign = |error: Error| assert!(matches!(error, Error::Object(ObjectError::OtherSecret { .. })), "{error}");
    foreign(public.rerandomize(&x).unwrap_err());
    foreign(keys.gates(&[Gate::And], &x, &public.encrypt_bits(&[true]).unwrap()).unwrap_err());
    foreign(other.decrypt_bits(&public.encrypt_bits(&[true]).unwrap()).unwrap_err());

    let (secret, _) = common::two_bits();
    let public = PublicKey::generate(secret).unwrap();
    wrong(public.encrypt_bits(&[true]).unwrap_err());
    for (values, max_value) in [([16], 15), ([3], 2), ([0], 16)] {
        let refused = EncryptionKey::from(&public).encrypt_integers(&values, max_value).unwrap_err();
        assert!(matches!(refused, Error::ValueOutOfSpace { .. }), "{refused}");
    }
    let refused = public.encrypt_uints(Width::U8, &[256]).unwrap_err();
    assert!(matches!(refused, Error::ValueTooLarge { value: 256, .. }), "{refused}");
    // As noisy as a decryption allows.
    let noisy = secret.encrypt_integers(&[1], 15).unwrap().remove(0);
    let terms = noisy.noise().terms().iter().map(|&term| NoiseTerm { variance: 1e-3, ..term });
    let noisy = Ciphertext::from_parts(noisy.lwe().clone(), secret.id(), NoiseSum::from_terms(terms), 15);
    let refused = public.rerandomize(&[noisy]).unwrap_err();
    assert!(matches!(refused, Error::NoiseExhausted { op: "rerandomize", .. }), "{refused}");
}

#[test]
fn parameters_without_public_keys_are_refused_with_both_values() {
    let small = ParamsLiteral { order: Order::BootstrapFirst, ..literal(64, Space::Bit) };
    // Steps are few, and digits small, so that a bootstrap adds less than a list has.
    let quiet = ParamsLiteral {
        lwe_dim: 2,
        glwe_log2_std_dev: -18.0,
        mask_gadget: Gadget::new(1, 20),
        body_gadget: Gadget::new(1, 20),
        key_switch: KeySwitch { gadget: Gadget::new(3, 5), ring: 1 },
        max_log2_p_fail: 0.0,
        ..literal(64, Space::Bit)
    };
    let mut messages = Vec::new();
    for literal in [small, quiet] {
        let secret = SecretKey::generate(Arc::new(Params::try_from(literal).unwrap())).unwrap();
        messages.push(PublicKey::generate(&secret).unwrap_err().to_string());
    }
    assert_eq!(
        messages[0],
        "create_public_key: the parameters have ciphertexts under the small secret, and public keys need the key \
         switch first in bootstraps; choose a set such as integer-4-128, or encrypt with the secret key"
    );
    assert!(messages[1].starts_with("create_public_key: the parameters have 2^-10."), "{}", messages[1]);
    assert!(messages[1].contains(" of the torus as noise of public encryption, and public keys need 2^-"));
}

#[test]
fn files_come_back_and_bad_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("public");
    for literal in [literal(64, Space::Bit).into(), sets::find("ntru-gate-64").unwrap().insecure_literal(9)] {
        let (secret, keys) = keys(literal);
        let public = PublicKey::generate(&secret).unwrap();
        let size = public.write(&path).unwrap();
        assert_eq!(size, std::fs::metadata(&path).unwrap().len());
        let read = PublicKey::read(&path).unwrap();
        assert_eq!((read.id(), read.params()), (secret.id(), secret.params()));
        let bytes = |key: &PublicKey| key.to_container(&key.params().into()).unwrap().to_bytes();
        assert_eq!(bytes(&read), bytes(&public));
        // Of a key alone that came from elsewhere, and without the owner's objects.
        let x = read.encrypt_bits(&bits(50)).unwrap();
        let out = keys.gates(&[Gate::And], &x, &read.rerandomize(&x).unwrap()).unwrap();
        assert_eq!(secret.decrypt_bits(&out).unwrap(), bits(50));

        let whole = std::fs::read(&path).unwrap();
        for len in [0, 7, 100, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&path, &whole[..len]).unwrap();
            assert!(matches!(PublicKey::read(&path), Err(Error::Io(_))), "{len} bytes");
        }
        let mut changed = whole.clone();
        *changed.last_mut().unwrap() ^= 1;
        std::fs::write(&path, &changed).unwrap();
        assert!(matches!(PublicKey::read(&path), Err(Error::Io(FileError::Checksum { .. }))));
        secret.write(&path).unwrap();
        assert!(matches!(PublicKey::read(&path), Err(Error::Io(FileError::WrongKind { .. }))));
        std::fs::write(&path, &whole).unwrap();
        assert!(matches!(SecretKey::read(&path), Err(Error::Io(FileError::WrongKind { .. }))));
        let other = Arc::new(Params::try_from(common::literal(32, Space::Bit)).unwrap());
        let refused = PublicKey::from_container(&(&other).into(), &Container::from_bytes(whole).unwrap()).unwrap_err();
        assert!(matches!(refused, Error::Io(FileError::WrongParameters { .. })), "{refused}");
    }
}

/// Right checksums around bodies of another length, and parameters that have no public keys.
#[test]
fn files_of_other_lengths_are_refused() {
    let secret = SecretKey::generate(Arc::new(Params::try_from(literal(64, Space::Bit)).unwrap())).unwrap();
    let params = secret.params();
    let container = |params: &Params, len: usize| {
        let mut builder = Builder::new(kinds::TFHE_PUBLIC_KEY);
        builder.describe("parameters", "unnamed");
        builder.describe_json("params", params.literal());
        builder.describe_number("fingerprint", params.fingerprint());
        builder.describe_number("secret_id", 7);
        builder.describe_seed("mask_seed", &[3; 32]);
        builder.tensor("bodies", &[len], vec![1; len]);
        Container::from_bytes(builder.to_bytes()).unwrap()
    };
    let right = 8 * params.rank() * params.n();
    let read = |params: &Arc<Params>, len| PublicKey::from_container(&params.into(), &container(params, len));
    assert!(read(params, right).is_ok());
    for len in [0, 8, right - 8, right + 8] {
        assert!(matches!(read(params, len), Err(Error::Io(_))), "{len} bytes");
    }
    let small = ParamsLiteral { order: Order::BootstrapFirst, ..literal(64, Space::Bit) };
    let small = Arc::new(Params::try_from(small).unwrap());
    assert!(matches!(read(&small, right), Err(Error::NoPublicKey { .. })));
}
