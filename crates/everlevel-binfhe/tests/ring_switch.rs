//! Ring switches: phases against their definition, the noise against its formula, spaces, named sets, files, bad input.

use crate::common;

use std::sync::Arc;

use common::{digits_literal, fixed_secret, fixed_seed, literal, signed};
use everlevel_binfhe::{
    Ciphertext, Context, Error, EvalKeys, Gate, KeptRingSwitchKey, Literal, ObjectError, Order, Params, ParamsLiteral,
    RingClaims, RingSwitchKey, RingSwitchParams, SecretKey, SeededRingSwitchKey, Space, noise, sets,
};
use everlevel_io::{Builder, Container, Stored};
use everlevel_rand::{Domain, sampler};
use everlevel_rlwe::SecretId;

/// A secret of a large ring, its name, and its weight.
pub(crate) const SOURCE: SecretId = SecretId(77);
pub(crate) const WEIGHT: usize = 100;

pub(crate) fn source(log_n: u32) -> Vec<i8> {
    let mut coeffs = vec![0; 1 << log_n];
    sampler::fixed_weight(&mut fixed_seed(5).stream(Domain::Test, 0), &mut coeffs, WEIGHT).unwrap();
    coeffs
}

/// `c0 + c1·s` modulo `X^N + 1`, by the definition.
pub(crate) fn phases([c0, c1]: [&[u64]; 2], s: &[i8]) -> Vec<u64> {
    let n = s.len();
    let mut out = c0.to_vec();
    for (j, &s) in s.iter().enumerate().filter(|(_, s)| **s != 0) {
        for (i, &c) in c1.iter().enumerate() {
            let term = if i + j < n { c } else { c.wrapping_neg() };
            out[(i + j) % n] = out[(i + j) % n].wrapping_add(term.wrapping_mul(s as u64));
        }
    }
    out
}

fn uniform(n: usize, index: u64) -> Vec<u64> {
    let mut words = vec![0; n];
    fixed_seed(index).stream(Domain::Test, 1).fill_u64(&mut words);
    words
}

fn key(secret: &SecretKey, log_n: u32, index: u64) -> RingSwitchKey {
    SeededRingSwitchKey::from_seed((SOURCE, &source(log_n)), WEIGHT, secret, &fixed_seed(index)).unwrap().prepare()
}

/// Variance that a switch adds, by the formula.
fn formula(secret: &SecretKey, log_n: u32) -> f64 {
    RingSwitchParams::of(secret.params(), log_n, WEIGHT).unwrap().mean_variance()
}

pub(crate) fn bits() -> ParamsLiteral {
    ParamsLiteral { rank: 3, glwe_log2_std_dev: -35.0, ..literal(64, Space::Bit) }
}

pub(crate) fn each() -> [Literal; 3] {
    [digits_literal(4).into(), bits().into(), sets::find("ntru-integer-4-64").unwrap().insecure_literal(10)]
}

/// Errors of the phases of all coefficients of a ciphertext.
fn errors(secret: &SecretKey, key: &RingSwitchKey, log_n: u32, index: u64) -> Vec<f64> {
    let [c0, c1] = [0, 1].map(|part| uniform(1 << log_n, 1000 * index + part));
    let expected = phases([&c0, &c1], &source(log_n));
    let (parts, n) = (key.switch([&c0, &c1]), secret.params().n());
    assert_eq!(parts.len(), expected.len() / n);
    let error = |(place, &phase): (usize, &u64)| {
        let glwe = &parts[place % parts.len()];
        let lwe = everlevel_rlwe::lwe::extract(glwe, n, place / parts.len(), secret.params().big_dim);
        signed(lwe.phase(secret.big()).wrapping_sub(phase))
    };
    expected.iter().enumerate().map(error).collect()
}

/// In rings as large as the set's own and eight times as large.
#[test]
fn phases_are_those_of_the_large_ring_with_the_noise_of_the_formula() {
    for (literal, more) in each().into_iter().flat_map(|literal| [(literal.clone(), 0), (literal, 3)]) {
        let mut of_keys = Vec::new();
        for index in 0..4 {
            let secret = fixed_secret(literal.clone(), 90 + index);
            let log_n = secret.params().log_n + more;
            let key = key(&secret, log_n, index);
            let all: Vec<f64> = (0..4).flat_map(|i| errors(&secret, &key, log_n, 10 * index + i)).collect();
            let found = all.iter().map(|e| e * e).sum::<f64>() / all.len() as f64;
            of_keys.push((found / formula(&secret, log_n)).sqrt());
        }
        let mean = of_keys.iter().sum::<f64>() / of_keys.len() as f64;
        println!("deviation over the formula's: {mean:.3}, by key {of_keys:.3?}");
        assert!((0.8..1.2).contains(&mean), "{of_keys:?}");
    }
}

/// At full size, of a set of each shape.
#[test]
fn named_sets_have_the_noise_of_the_formula() {
    for name in ["gate-128", "integer-2-128", "integer-4-128"] {
        let secret = fixed_secret(sets::find(name).unwrap().literal(), 7);
        let key = key(&secret, 16, 3);
        let all = errors(&secret, &key, 16, 2);
        let found = (all.iter().map(|e| e * e).sum::<f64>() / all.len() as f64).sqrt();
        let formula = formula(&secret, 16).sqrt();
        println!("{name}: 2^{:.2}, formula 2^{:.2}", found.log2(), formula.log2());
        assert!((0.8..1.2).contains(&(found / formula)), "{name}");
    }
}

/// A ciphertext whose coefficients hold integers of so many bits, with an error of so large a part of their distance.
fn ring_ciphertext(values: &[u64], bits: u32, error: f64, log_n: u32) -> [Vec<u64>; 2] {
    let c1 = uniform(1 << log_n, 3);
    let zero = vec![0; 1 << log_n];
    let masked = phases([&zero, &c1], &source(log_n));
    let off = (error * (63.0 - f64::from(bits)).exp2()) as i64;
    let phase = |at: usize| {
        (values[at % values.len()] << (63 - bits)).wrapping_add_signed(if at.is_multiple_of(2) { off } else { -off })
    };
    let c0 = (0..1 << log_n).map(|at| phase(at).wrapping_sub(masked[at])).collect();
    [c0, c1]
}

fn claims(bits: u32, max_value: u64) -> RingClaims {
    let (error, failure_probability) = (2f64.powi(-9), 2f64.powi(-100));
    RingClaims { op: "from_bulk", secret: SOURCE, bits, max_value, error, failure_probability }
}

fn taken(
    key: &RingSwitchKey,
    [c0, c1]: &[Vec<u64>; 2],
    places: &[usize],
    claims: &RingClaims,
) -> Result<Vec<Ciphertext>, Error> {
    key.integers([c0, c1], places, claims)
}

/// Integers of as many bits and of more, at any places in any order; tables and sums of them are right, and failures
/// count those before.
#[test]
fn integers_come_in_and_are_computed_on() {
    let secret = fixed_secret(digits_literal(4), 5);
    let keys = EvalKeys::generate(&secret).unwrap();
    let (log_n, values) = (11, [3, 0, 15, 7, 1, 2, 9]);
    let key = key(&secret, log_n, 1);
    for (bits, values, max_value) in [(4, &values[..], 15), (6, &[3, 0, 15, 1, 9], 15), (5, &[3, 1, 0], 3)] {
        let places: Vec<usize> = (0..40).map(|i| (i * 731 + 5) % (1 << log_n)).collect();
        let expected: Vec<u64> = places.iter().map(|place| values[place % values.len()]).collect();
        let ring = ring_ciphertext(values, bits, 2f64.powi(-9), log_n);
        let x = taken(&key, &ring, &places, &claims(bits, max_value)).unwrap();
        assert_eq!(secret.decrypt_integers(&x).unwrap(), expected, "{bits}");
        assert!(x.iter().all(|x| x.max_value() == max_value && x.key() == secret.id()));
        let own = Ciphertext::failure_probability(&x, secret.params());
        assert!((2f64.powi(-100)..2f64.powi(-30)).contains(&own), "{own:e}");
        assert!(x.iter().all(|x| x.noise().failures().probability() == 2f64.powi(-100)));
        let table: Vec<u64> = (0..16).map(|m| (5 * m + 3) % 16).collect();
        let looked_up = keys.table(&x, &table).unwrap();
        let entries: Vec<u64> = expected.iter().map(|&m| table[m as usize]).collect();
        assert_eq!(secret.decrypt_integers(&looked_up).unwrap(), entries);
        if max_value == 3 {
            let sum = keys.linear(&[(2, &x[0]), (3, &x[1])], 0).unwrap();
            assert_eq!(secret.decrypt_integers(&[sum]).unwrap(), [2 * expected[0] + 3 * expected[1]]);
        }
    }
}

#[test]
fn bits_come_in_for_gates() {
    let secret = fixed_secret(bits(), 5);
    let keys = EvalKeys::generate(&secret).unwrap();
    let key = key(&secret, 10, 1);
    let places: Vec<usize> = (0..32).collect();
    for bits in [1, 2, 4] {
        let ring = ring_ciphertext(&[1, 0, 0, 1, 1], bits, 2f64.powi(-9), 10);
        let x = taken(&key, &ring, &places, &claims(bits, 1)).unwrap();
        let expected: Vec<bool> = places.iter().map(|place| [1, 0, 0, 1, 1][place % 5] == 1).collect();
        assert_eq!(secret.decrypt_bits(&x).unwrap(), expected);
        for gate in [Gate::Xor, Gate::And] {
            let found = keys.gates(&[gate], &x[1..], &x[..31]).unwrap();
            let gate = |(a, b): (&bool, &bool)| if gate == Gate::Xor { a ^ b } else { a & b };
            let pairs = expected[1..].iter().zip(&expected);
            assert_eq!(secret.decrypt_bits(&found).unwrap(), pairs.map(gate).collect::<Vec<_>>());
        }
    }
}

/// With a bound `b` of an error from elsewhere a failure is no more likely than is told: `4·(b/µ)·V_max` stands for it.
#[test]
fn bounds_of_errors_count_as_variances() {
    let (margin, log2_p_fail) = (2f64.powi(-6), -128.0);
    let most = noise::variance_at(margin, log2_p_fail);
    for part in (1..1000).map(|i| f64::from(i) / 4000.0) {
        let told = 4.0 * part * most;
        for own in (0..=20).map(|i| f64::from(i) / 20.0 * (most - told)) {
            let real = noise::log2_p_fail(margin * (1.0 - part), own);
            assert!(real <= noise::log2_p_fail(margin, own + told) + 1e-6, "{part} {own:e}");
        }
    }
}

/// A switch adds no more than a bootstrap does, and the note tells what it adds.
#[test]
fn named_sets_take_ciphertexts_of_bulk() {
    let note = include_str!("../../../docs/notes/ways.md");
    let (mut without, mut untold) = (Vec::new(), Vec::new());
    for set in sets::ALL {
        let params = Arc::new(set.params().unwrap());
        let own = match RingSwitchParams::of(&params, 16, 1024) {
            Ok(own) => own,
            Err(Error::NoRingSwitch { .. }) => {
                without.push(set.name);
                continue;
            }
            Err(error) => panic!("{}: {error}", set.name),
        };
        assert!(own.mean_variance() <= params.noise().bootstrapped, "{}", set.name);
        // Rows are samples of the set's large secret with the set's errors, whose estimate is part of the claim.
        assert!(set.security_bits >= 127.5 || set.is_ntru() || set.name.contains("insecure"), "{}", set.name);
        let [added, bootstrapped] =
            [own.mean_variance(), params.noise().bootstrapped].map(|variance| variance.log2() / 2.0);
        let gadget = own.gadget();
        let megabytes = own.key_footprint().held as f64 / (2 + params.rank()) as f64 / 1e6;
        let told = format!(
            "| `{}` | {} of {} | 2^{added:.1} | 2^{bootstrapped:.1} | {megabytes:.1} MB |",
            set.name, gadget.digits, gadget.log2_base
        );
        println!("{told}");
        let is_usual = ["experimental", "baseline", "insecure", "-14"].iter().all(|word| !set.name.contains(word));
        if is_usual && !note.contains(&told) {
            untold.push(told);
        }
    }
    println!("without: {without:?}");
    assert!(untold.is_empty(), "{untold:#?}");
    assert!(
        without.iter().all(|name| name.starts_with("ntru-") || name.starts_with("insecure-tfhe-lib")),
        "{without:?}"
    );
}

#[test]
fn keys_come_back_from_files() {
    let context = Context::insecure("integer-4-64", 9, 2).unwrap();
    let (secret, log_n) = (context.secret_key().unwrap(), 10);
    let key = context.ring_switch_key((SOURCE, &source(log_n)), WEIGHT, &secret).unwrap();
    assert_eq!((key.nbytes() + key.prepare().nbytes()) as u64, key.params().key_footprint().held);
    let named = context.named_params();
    let bytes = key.to_container(&named).unwrap().to_bytes();
    let file = Container::from_bytes(bytes.clone()).unwrap();
    let again = SeededRingSwitchKey::from_container(&named, &file).unwrap();
    assert_eq!((&again.bodies, again.params(), again.id()), (&key.bodies, key.params(), secret.id()));
    assert_eq!(again.from(), SOURCE);
    let kept = KeptRingSwitchKey::from_container(&named, &file).unwrap();
    assert!(kept.to_container(&named).unwrap().to_bytes() == bytes);
    let ring = ring_ciphertext(&[5, 9], 4, 0.0, log_n);
    let x = taken(kept.ready(), &ring, &[0, 1], &claims(4, 15)).unwrap();
    assert_eq!(secret.decrypt_integers(&x).unwrap(), [5, 9]);
    // A stranger's numbers, and rows cut off.
    let numbers = file.metadata("ring_switch").unwrap().to_string();
    let rows = file.bytes("rows").unwrap().to_vec();
    let read = |numbers: &str, rows: &[u8]| {
        let mut builder = Builder::new(SeededRingSwitchKey::KIND);
        for (name, value) in &file.header().metadata {
            if !["ring_switch", "kind", "format"].contains(&name.as_str()) {
                builder.describe(name, value.clone());
            }
        }
        builder.describe("ring_switch", numbers);
        builder.tensor("rows", &[rows.len()], rows.to_vec());
        SeededRingSwitchKey::from_container(&named, &Container::from_bytes(builder.to_bytes()).unwrap())
    };
    assert!(read(&numbers, &rows).is_ok());
    assert!(matches!(read(&numbers, &rows[8..]), Err(Error::Io(_))));
    for (from, to) in [
        ("\"log_n\":10", "\"log_n\":11"),
        ("\"log_n\":10", "\"log_n\":8"),
        ("\"log_n\":10", "\"log_n\":17"),
        ("\"log_n\":10", "\"log_n\":64"),
        ("\"weight\":100", "\"weight\":0"),
        ("\"weight\":100", "\"weight\":18446744073709551615"),
        ("\"digits\":", "\"digits\":1"),
        ("{", ""),
    ] {
        let changed = numbers.replacen(from, to, 1);
        assert_ne!(changed, numbers, "{from}");
        assert!(matches!(read(&changed, &rows), Err(Error::Io(_) | Error::NoRingSwitch { .. })), "{changed}");
    }
    let other = Context::insecure("integer-4-64", 10, 1).unwrap();
    assert!(SeededRingSwitchKey::from_container(&other.named_params(), &file).is_err());
}

#[test]
fn bad_input_is_refused() {
    let secret = fixed_secret(digits_literal(4), 5);
    let key = key(&secret, 10, 1);
    let ring = ring_ciphertext(&[1], 4, 0.0, 10);
    let good = claims(4, 15);
    assert!(taken(&key, &ring, &[0], &good).is_ok() && key.check(&good, 1).is_ok());
    let refused = |x: RingClaims| {
        let error = taken(&key, &ring, &[0], &x).unwrap_err();
        assert_eq!(key.check(&x, 1).unwrap_err().to_string(), error.to_string());
        error
    };
    let other = refused(RingClaims { secret: SecretId(78), ..good });
    assert!(matches!(other, Error::Object(ObjectError::OtherSecret { op: "from_bulk", .. })), "{other}");
    let large = refused(RingClaims { bits: 5, max_value: 16, ..good });
    assert!(matches!(large, Error::SpaceExhausted { max_value: 16, max: 15, .. }), "{large}");
    let few = refused(RingClaims { bits: 3, max_value: 7, ..good });
    assert!(matches!(few, Error::WrongSpace { .. }), "{few}");
    for error in [0.2, 0.5, f64::INFINITY, f64::NAN] {
        let noisy = refused(RingClaims { error, ..good });
        assert!(matches!(noisy, Error::NoiseExhausted { op: "from_bulk", .. }), "{noisy}");
    }
    let many = key.check(&good, usize::MAX >> 20).unwrap_err();
    assert!(matches!(many, Error::Object(ObjectError::OutOfMemory { .. })), "{many}");
    let short = ring.each_ref().map(|part| part[..512].to_vec());
    let short = taken(&key, &short, &[0], &good).unwrap_err();
    assert!(matches!(short, Error::LengthMismatch { left: 512, right: 1024, .. }), "{short}");
    let of =
        |literal: ParamsLiteral, log_n| RingSwitchParams::of(&Arc::new(Params::try_from(literal).unwrap()), log_n, 9);
    for (literal, log_n, what) in [
        (ParamsLiteral { order: Order::BootstrapFirst, ..digits_literal(4) }, 10, "bootstraps before key switches"),
        (digits_literal(4), 8, "a ring of degree 2^9 beside one of 2^8"),
        (digits_literal(4), 17, "a ring of degree 2^9 beside one of 2^17"),
    ] {
        let error = of(literal, log_n).unwrap_err();
        assert!(matches!(error, Error::NoRingSwitch { .. }) && error.to_string().contains(what), "{error}");
    }
}
