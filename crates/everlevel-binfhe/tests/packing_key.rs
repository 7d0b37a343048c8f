//! Packing keys: phases against their definition, the noise against its formula, claims, named sets, files, bad input.

use crate::common::{digits_literal, fixed_secret, fixed_seed, signed};
use crate::ring_switch::{SOURCE as TARGET, WEIGHT, bits, each, phases, source as target};

use std::ops::ControlFlow;
use std::sync::Arc;

use everlevel_binfhe::{
    Ciphertext, Context, Error, KeptPackingKey, Literal, ObjectError, Order, PackingKey, PackingParams, Params,
    ParamsLiteral, SecretKey, SeededPackingKey, Space, no_progress, sets,
};
use everlevel_io::{Builder, Container, Stored};

fn seeded(secret: &SecretKey, log_n: u32, index: u64) -> SeededPackingKey {
    SeededPackingKey::from_seed(secret, (TARGET, &target(log_n)), WEIGHT, &fixed_seed(index)).unwrap()
}

fn key(secret: &SecretKey, log_n: u32, index: u64) -> PackingKey {
    seeded(secret, log_n, index).prepare()
}

/// Fresh encryptions, of bits or of integers of up to three bits.
fn fresh(secret: &SecretKey, count: usize) -> Vec<Ciphertext> {
    match secret.params().space {
        Space::Bit => secret.encrypt_bits(&(0..count).map(|i| i % 3 == 0).collect::<Vec<_>>()).unwrap(),
        Space::Integer { .. } => {
            secret.encrypt_integers(&(0..count as u64).map(|i| i * 5 % 8).collect::<Vec<_>>(), 7).unwrap()
        }
    }
}

/// Errors that packing adds to the phases of ciphertexts at some places, and the phases at all others.
fn errors(secret: &SecretKey, log_n: u32, key: &PackingKey, at: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let all = fresh(secret, at.len());
    let (space_bits, up) = match secret.params().space {
        Space::Bit => (1, 1 << 61),
        Space::Integer { bits } => (bits, 0),
    };
    let [c0, c1] = key.pack("from_tfhe", &all, (at, space_bits), &no_progress).unwrap();
    let found = phases([&c0, &c1], &target(log_n));
    let error = |(x, &place): (&Ciphertext, &usize)| {
        let own = x.lwe().phase(secret.big()).wrapping_add(up);
        signed(found[place].wrapping_sub(own))
    };
    let others = (0..found.len()).filter(|place| !at.contains(place)).map(|place| signed(found[place]));
    (all.iter().zip(at).map(error).collect(), others.collect())
}

fn rms(errors: &[f64]) -> f64 {
    (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt()
}

/// In rings as large as the set's own and eight times as large, at some places and at all.
#[test]
fn phases_are_packed_with_the_noise_of_the_formula() {
    for (literal, more) in each().into_iter().flat_map(|literal| [(literal.clone(), 0), (literal, 3)]) {
        let mut of_keys = Vec::new();
        for index in 0..2 {
            let secret = fixed_secret(literal.clone(), 90 + index);
            let log_n = secret.params().log_n + more;
            let key = key(&secret, log_n, index);
            let formula = PackingParams::of(secret.params(), log_n, WEIGHT).unwrap().mean_variance().sqrt();
            let all: Vec<usize> = (0..1 << log_n).rev().collect();
            let (found, none) = errors(&secret, log_n, &key, &all);
            assert!(none.is_empty());
            of_keys.push(rms(&found) / formula);
            let (some, others) = errors(&secret, log_n, &key, &[1, 2, 40, 41]);
            let worst = some.iter().chain(&others).fold(0.0f64, |most, e| most.max(e.abs()));
            assert!(worst < 10.0 * formula, "{worst:e}, {formula:e}");
        }
        let mean = of_keys.iter().sum::<f64>() / of_keys.len() as f64;
        println!("deviation over the formula's: {mean:.3}, by key {of_keys:.3?}");
        assert!((0.7..1.2).contains(&mean), "{of_keys:?}");
    }
}

/// At full size, of a set of each shape: one of the polynomials that make a ciphertext of the large ring.
#[test]
fn named_sets_have_the_noise_of_the_formula() {
    for name in ["gate-128", "integer-4-128"] {
        let secret = fixed_secret(sets::find(name).unwrap().literal(), 7);
        let key = key(&secret, 16, 3);
        let n = secret.params().n();
        let at: Vec<usize> = (0..n).map(|i| i * (65_536 / n)).collect();
        let (found, _) = errors(&secret, 16, &key, &at);
        let formula = PackingParams::of(secret.params(), 16, WEIGHT).unwrap().mean_variance().sqrt();
        println!("{name}: 2^{:.2}, formula 2^{:.2}", rms(&found).log2(), formula.log2());
        assert!((0.7..1.2).contains(&(rms(&found) / formula)), "{name}");
    }
}

/// Packing and the switch add less than a bootstrap does, and the note tells what they add.
#[test]
fn named_sets_go_to_bulk() {
    let note = include_str!("../../../docs/notes/ways.md");
    let (mut without, mut untold) = (Vec::new(), Vec::new());
    for set in sets::ALL {
        let params = Arc::new(set.params().unwrap());
        let own = match PackingParams::of(&params, 16, 1024) {
            Ok(own) => own,
            Err(Error::NoRingSwitch { op: "create_packing_key", .. }) => {
                without.push(set.name);
                continue;
            }
            Err(error) => panic!("{}: {error}", set.name),
        };
        assert!(own.mean_variance() <= params.noise().bootstrapped, "{}", set.name);
        let [added, bootstrapped] =
            [own.mean_variance(), params.noise().bootstrapped].map(|variance| variance.log2() / 2.0);
        let [packing, switch] = own.gadgets();
        let held = megabytes(&own);
        let told = format!(
            "| `{}` | {} of {}, {} of {} | 2^{added:.1} | 2^{bootstrapped:.1} | {held:.1} MB |",
            set.name, packing.digits, packing.log2_base, switch.digits, switch.log2_base
        );
        println!("{told}");
        if is_usual(set.name) && !note.contains(&told) {
            untold.push(told);
        }
    }
    println!("without: {without:?}");
    assert!(untold.is_empty(), "{untold:#?}");
    assert!(without.iter().all(|name| name.starts_with("ntru-") || !is_usual(name)), "{without:?}");
}

/// Whether a set is for use, and not for comparison.
fn is_usual(name: &str) -> bool {
    ["experimental", "baseline", "insecure", "-14"].iter().all(|word| !name.contains(word))
}

/// Megabytes of a key's bodies.
fn megabytes(own: &PackingParams) -> f64 {
    let outer = own.outer();
    let [packing, switch] = own.gadgets().map(|gadget| gadget.digits as usize);
    let of_packing = packing * outer.log_n as usize * outer.rank() * outer.n();
    8e-6 * (of_packing + ((switch * outer.rank()) << own.log_n())) as f64
}

/// Integers of as many bits, of fewer and of more, with the deviation in units of the distance that they then have.
#[test]
fn claims_are_in_units_of_the_target() {
    let (secret, log_n) = (fixed_secret(digits_literal(4), 5), 10);
    let key = key(&secret, log_n, 1);
    let at: Vec<usize> = (0..200).map(|i| (i * 731 + 5) % (1 << log_n)).collect();
    let all = fresh(&secret, at.len());
    let values = secret.decrypt_integers(&all).unwrap();
    let of_four = key.claims("from_tfhe", &all, 4).unwrap();
    assert_eq!(of_four.failure_probability, 0.0);
    for (bits, factor) in [(3, 1.0), (4, 1.0), (6, 4.0)] {
        let claims = key.claims("from_tfhe", &all, bits).unwrap();
        assert!((claims.std_dev / of_four.std_dev / factor - 1.0).abs() < 0.01, "{bits}: {claims:?}");
        let [c0, c1] = key.pack("from_tfhe", &all, (&at, bits), &no_progress).unwrap();
        let phases = phases([&c0, &c1], &target(log_n));
        for (&place, &value) in at.iter().zip(&values) {
            let exact = value << if bits == 6 { 59 } else { 63 - bits };
            let error = signed(phases[place].wrapping_sub(exact)) * f64::from(bits + 1).exp2();
            assert!(error.abs() < 8.0 * claims.std_dev && error.abs() < 0.1, "{bits}: {error}");
        }
    }
}

#[test]
fn keys_come_back_from_files() {
    let context = Context::insecure("integer-4-64", 9, 2).unwrap();
    let (secret, log_n) = (context.secret_key().unwrap(), 10);
    let key = context.packing_key(&secret, (TARGET, &target(log_n)), WEIGHT).unwrap();
    assert_eq!((key.nbytes() + key.prepare().nbytes()) as u64, key.params().key_footprint().held);
    let named = context.named_params();
    let bytes = key.to_container(&named).unwrap().to_bytes();
    let file = Container::from_bytes(bytes.clone()).unwrap();
    let again = SeededPackingKey::from_container(&named, &file).unwrap();
    assert_eq!((&again.bodies, again.params(), again.id()), (&key.bodies, key.params(), secret.id()));
    assert_eq!(again.to(), TARGET);
    let kept = KeptPackingKey::from_container(&named, &file).unwrap();
    assert!(kept.to_container(&named).unwrap().to_bytes() == bytes);
    assert_eq!((kept.ready().id(), kept.ready().to()), (secret.id(), TARGET));
    // A stranger's numbers, and rows cut off.
    let numbers = file.metadata("packing").unwrap().to_string();
    let rows = ["packing_rows", "switch_rows"].map(|name| file.bytes(name).unwrap().to_vec());
    let read = |numbers: &str, rows: [&[u8]; 2]| {
        let mut builder = Builder::new(SeededPackingKey::KIND);
        for (name, value) in &file.header().metadata {
            if !["packing", "kind", "format"].contains(&name.as_str()) {
                builder.describe(name, value.clone());
            }
        }
        builder.describe("packing", numbers);
        for (name, rows) in ["packing_rows", "switch_rows"].iter().zip(rows) {
            builder.tensor(*name, &[rows.len()], rows.to_vec());
        }
        SeededPackingKey::from_container(&named, &Container::from_bytes(builder.to_bytes()).unwrap())
    };
    let whole = rows.each_ref().map(|rows| &rows[..]);
    assert!(read(&numbers, whole).is_ok());
    for short in [[&whole[0][256..], whole[1]], [whole[0], &whole[1][8..]]] {
        assert!(matches!(read(&numbers, short), Err(Error::Io(_))));
    }
    for (from, to) in [
        ("\"log_n\":10", "\"log_n\":11"),
        ("\"log_n\":10", "\"log_n\":8"),
        ("\"log_n\":10", "\"log_n\":64"),
        ("\"weight\":100", "\"weight\":0"),
        ("\"weight\":100", "\"weight\":18446744073709551615"),
        ("\"digits\":", "\"digits\":1"),
        ("{", ""),
    ] {
        let changed = numbers.replacen(from, to, 1);
        assert_ne!(changed, numbers, "{from}");
        assert!(matches!(read(&changed, whole), Err(Error::Io(_) | Error::NoRingSwitch { .. })), "{changed}");
    }
    let other = Context::insecure("integer-4-64", 10, 1).unwrap();
    assert!(SeededPackingKey::from_container(&other.named_params(), &file).is_err());
}

#[test]
fn bad_input_is_refused() {
    let secret = fixed_secret(digits_literal(4), 5);
    let key = key(&secret, 10, 1);
    let all = fresh(&secret, 3);
    let pack = |all: &[Ciphertext], at: &[usize], bits| key.pack("from_tfhe", all, (at, bits), &no_progress);
    assert!(pack(&all, &[0, 1, 2], 4).is_ok());
    let large = pack(&all, &[0, 1, 2], 2).unwrap_err();
    assert!(matches!(large, Error::SpaceExhausted { op: "from_tfhe", max_value: 7, max: 3 }), "{large}");
    let short = pack(&all, &[0, 1], 4).unwrap_err();
    assert!(matches!(short, Error::LengthMismatch { left: 2, right: 3, .. }), "{short}");
    let stranger = fresh(&fixed_secret(digits_literal(4), 6), 1);
    let other = pack(&stranger, &[0], 4).unwrap_err();
    assert!(matches!(other, Error::Object(ObjectError::OtherSecret { op: "from_tfhe", .. })), "{other}");
    let stopped = key.pack("from_tfhe", &all, (&[0, 1, 2], 4), &|_, _| ControlFlow::Break(())).unwrap_err();
    assert!(matches!(stopped, Error::Cancelled(_)), "{stopped}");
    let small_first = ParamsLiteral { order: Order::BootstrapFirst, ..digits_literal(4) };
    let of = |literal: Literal, log_n| PackingParams::of(&Arc::new(Params::try_from(literal).unwrap()), log_n, 9);
    for (literal, log_n, what) in [
        (small_first.into(), 10, "bootstraps before key switches"),
        (digits_literal(4).into(), 8, "a ring of degree 2^9 beside one of 2^8"),
        (digits_literal(4).into(), 17, "a ring of degree 2^9 beside one of 2^17"),
        (sets::find("ntru-gate-64").unwrap().literal(), 16, "errors too wide"),
    ] {
        let error = of(literal, log_n).unwrap_err();
        assert!(matches!(error, Error::NoRingSwitch { .. }) && error.to_string().contains(what), "{error}");
    }
    assert!(of(bits().into(), 10).is_ok());
}
