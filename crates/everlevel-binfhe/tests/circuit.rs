//! Circuit bootstraps and look-ups in large tables: their results beside the tables, and their noise beside formulas.

use std::sync::Arc;

use everlevel_binfhe::{
    CircuitKey, CircuitParams, Error, EvalKeys, Indices, Literal, ObjectError, Params, ParamsLiteral, SecretKey,
    SeededCircuitKey, SeededEvalKeys, Space, Width, noise, sets,
};
use everlevel_rlwe::Lwe;
use everlevel_security::torus;
use everlevel_testkit::noise::{DEVIATIONS, part_between};

use crate::common::{digits_literal, fixed_secret, fixed_seed, keys, literal, secret, signed};

/// Small rings whose look-ups have room for what follows them.
fn small(bits: u32) -> ParamsLiteral {
    let log2_extension = if bits < 6 { 0 } else { 4 };
    let (glwe_log2_std_dev, max_log2_p_fail) = (-55.0, -64.0);
    ParamsLiteral { glwe_log2_std_dev, log_n: 9, log2_extension, max_log2_p_fail, ..digits_literal(bits) }
}

fn make(literal: ParamsLiteral) -> (SecretKey, EvalKeys, CircuitKey) {
    let (secret, keys) = keys(literal);
    let circuit = SeededCircuitKey::generate(&secret).unwrap().prepare();
    (secret, keys, circuit)
}

fn table(bits: u32, max: u64) -> Vec<u64> {
    (0..1u64 << bits).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7) & max).collect()
}

#[test]
fn bits_select() {
    let (secret, _, circuit) = make(small(4));
    let n = circuit.outer().n();
    let bits = secret.encrypt_integers(&[0, 1, 1, 0], 1).unwrap();
    let (zero, one) = ((0..n as u64).map(|i| i << 55).collect::<Vec<_>>(), vec![3 << 60; n]);
    let all: Vec<usize> = (0..n).collect();
    let bound = 12.0 * circuit.noise().output(1).sqrt();
    for (bit, encrypted) in [0, 1, 1, 0].into_iter().zip(circuit.circuit_bootstrap(&bits).unwrap()) {
        let expected = if bit == 1 { &one } else { &zero };
        for (lwe, &expected) in circuit.select(&encrypted, [&zero, &one], &all).iter().zip(expected) {
            let error = signed(lwe.phase(secret.big()).wrapping_sub(expected));
            assert!(error.abs() < bound, "{bit}: {error:e}, {bound:e}");
        }
    }
}

/// Every value of small indices, and values at both ends and between of large ones; with messages and integers on both
/// sides, in spaces whose digits have two bits and four.
#[test]
fn every_index_gives_its_entry() {
    for bits in [4, 5, 8] {
        let (secret, keys, circuit) = make(small(bits));
        let max = (1 << bits) - 1;
        let values: Vec<u64> = if bits < 8 { (0..=max).collect() } else { (0..=max).step_by(23).collect() };
        let x = secret.encrypt_integers(&values, max).unwrap();
        let messages = table(bits, max);
        let found = circuit.lookup_messages(&keys, Indices::Messages(&x), bits, &messages).unwrap();
        let expected: Vec<u64> = values.iter().map(|&x| messages[x as usize]).collect();
        assert_eq!(secret.decrypt_integers(&found).unwrap(), expected, "{bits} bits");
        let wide = table(bits, u64::MAX >> 32);
        let found = circuit.lookup_uints(&keys, Indices::Messages(&x), bits, &wide, Width::U32).unwrap();
        let expected: Vec<u64> = values.iter().map(|&x| wide[x as usize]).collect();
        assert_eq!(secret.decrypt_uints(&found).unwrap(), expected, "{bits} bits to 32");

        let long = if bits == 4 { 16 } else { 10 };
        for (width, in_bits) in [(Width::U8, 8), (Width::U16, long), (Width::U16, 11), (Width::U32, 3)] {
            let mask = (1u64 << in_bits) - 1;
            let values = [0, 1, 2, 3, 0x5a, 0xa7, mask, mask / 3, 0xffff_ffff & width.max()];
            let entries = table(in_bits, 0xffff);
            let x = secret.encrypt_uints(width, &values).unwrap();
            let found = circuit.lookup_uints(&keys, Indices::Uints(&x), in_bits, &entries, Width::U16).unwrap();
            let expected = values.map(|x| entries[(x & mask) as usize]);
            assert_eq!(secret.decrypt_uints(&found).unwrap(), expected, "{width:?} by {in_bits} bits");
        }
    }
}

/// A result is an operand like any other, whose noise and history are known.
#[test]
fn results_are_ordinary_ciphertexts() {
    let (secret, keys, circuit) = make(small(4));
    let x = secret.encrypt_uints(Width::U8, &[7, 200]).unwrap();
    let square: Vec<u64> = (0..256).map(|x| x * x).collect();
    let found = circuit.lookup_uints(&keys, Indices::Uints(&x), 8, &square, Width::U16).unwrap();
    let integers = keys.integers().unwrap();
    let sum = integers.add(&found, &found).unwrap();
    assert_eq!(secret.decrypt_uints(&sum).unwrap(), [98, 80_000 - 65_536]);
    let again = circuit.lookup_uints(&keys, Indices::Uints(&found), 8, &square, Width::U16).unwrap();
    assert_eq!(secret.decrypt_uints(&again).unwrap(), [49 * 49, 64 * 64]);
    let probability = everlevel_binfhe::Ciphertext::failure_probability(found.blocks(), keys.params());
    assert!(probability > 0.0 && probability < 2f64.powi(-64), "{probability:e}");
    assert_eq!(circuit.rotation_count(), 16);
}

#[test]
fn bad_input_is_refused() {
    let (secret, keys, circuit) = make(small(4));
    let (other, other_keys, _) = make(small(4));
    let x = secret.encrypt_integers(&[3], 15).unwrap();
    let uints = secret.encrypt_uints(Width::U8, &[3]).unwrap();
    let four = table(4, 15);
    let look = |x: Indices<'_>, bits, table: &[u64]| circuit.lookup_messages(&keys, x, bits, table).unwrap_err();
    let (messages, integers) = (Indices::Messages(&x), Indices::Uints(&uints));
    assert!(matches!(look(messages, 4, &four[1..]), Error::TableLength { found: 15, needed: 16, .. }));
    assert!(matches!(look(messages, 5, &table(5, 15)), Error::Parameter { what: "in_bits", .. }));
    assert!(matches!(look(integers, 9, &table(9, 15)), Error::Parameter { what: "in_bits", .. }));
    assert!(matches!(look(messages, 3, &table(3, 15)), Error::ValueOutOfSpace { value: 15, max: 7, .. }));
    assert!(matches!(look(messages, 4, &[16; 16]), Error::ValueOutOfSpace { value: 16, max: 15, index: 0, .. }));
    let error = circuit.lookup_uints(&keys, messages, 4, &[256; 16], Width::U8).unwrap_err();
    assert!(matches!(error, Error::ValueTooLarge { value: 256, bits: 8, .. }));
    let theirs = other.encrypt_integers(&[3], 15).unwrap();
    let others = [
        look(Indices::Messages(&theirs), 4, &four),
        circuit.lookup_messages(&other_keys, Indices::Messages(&theirs), 4, &four).unwrap_err(),
        circuit.circuit_bootstrap(&theirs).unwrap_err(),
    ];
    assert!(others.iter().all(|error| matches!(error, Error::Object(ObjectError::OtherSecret { .. }))), "{others:?}");
    assert!(matches!(circuit.circuit_bootstrap(&x), Err(Error::ValueOutOfSpace { value: 15, max: 1, .. })));
    assert!(circuit.lookup_messages(&keys, Indices::Messages(&[]), 4, &four).unwrap().is_empty());
    assert_eq!(circuit.rotation_count(), 0);
    let noisy = keys.linear(&[(4, &secret.encrypt_integers(&[1], 1).unwrap()[0])], 0);
    assert!(noisy.is_ok());

    let of = |literal: ParamsLiteral| CircuitParams::of(&Arc::new(Params::try_from(literal).unwrap()));
    assert!(matches!(of(literal(64, Space::Bit)), Err(Error::WrongSpace { .. })));
    let shape = ParamsLiteral { rank: 2, log_n: 8, ..small(4) };
    assert!(matches!(of(shape), Err(Error::NoLookUps { found, .. }) if found == "samples of rank 2"));
    let ntru = sets::find("ntru-integer-4-64").unwrap().params().unwrap();
    assert!(
        matches!(CircuitParams::of(&Arc::new(ntru)), Err(Error::NoLookUps { found, .. }) if found == "NTRU's keys")
    );
}

/// One seed, one key; and other keys of the secret are what they were.
#[test]
fn keys_follow_from_seeds() {
    let secret = fixed_secret(small(4), 5);
    let [a, b] = [1, 1].map(|i| SeededCircuitKey::from_seed(&secret, &fixed_seed(i)).unwrap());
    assert_eq!((&a.bodies, &a.rotations.bootstrap.bodies), (&b.bodies, &b.rotations.bootstrap.bodies));
    let other = SeededCircuitKey::from_seed(&secret, &fixed_seed(2)).unwrap();
    assert!(a.bodies != other.bodies && a.id() == secret.id());
}

#[test]
fn keys_come_back_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    let secret = fixed_secret(small(4), 5);
    let key = SeededCircuitKey::from_seed(&secret, &fixed_seed(1)).unwrap();
    assert_eq!(key.write(&path).unwrap(), std::fs::metadata(&path).unwrap().len());
    let again = SeededCircuitKey::read(&path).unwrap();
    assert_eq!((&again.bodies, again.params(), again.id()), (&key.bodies, key.params(), key.id()));
    assert_eq!(again.rotations.bootstrap.bodies, key.rotations.bootstrap.bodies);
    let keys = SeededEvalKeys::from_seed(&secret, &fixed_seed(3)).unwrap().prepare();
    let x = secret.encrypt_integers(&[9], 15).unwrap();
    let found = again.prepare().lookup_messages(&keys, Indices::Messages(&x), 4, &table(4, 15)).unwrap();
    assert_eq!(secret.decrypt_integers(&found).unwrap(), [table(4, 15)[9]]);
    assert!(matches!(SeededEvalKeys::read(&path), Err(Error::Io(_))));
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(SeededCircuitKey::read(&path), Err(Error::Io(_))));
}

/// The errors of look-ups in tables of entries that fill the circle, in units of the formula's deviation.
fn errors(secret: &SecretKey, circuit: &CircuitKey, values: &[u64]) -> Vec<f64> {
    let n = circuit.outer().n();
    let x = secret.encrypt_integers(values, 1).unwrap();
    let word = |i: usize| {
        let x = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    };
    let [zero, one] = [0, n].map(|first| (first..first + n).map(word).collect::<Vec<u64>>());
    let each = circuit.circuit_bootstrap(&x).unwrap();
    let of_one = |(bit, &value): (_, &u64)| -> Vec<f64> {
        // The coefficients of one look-up have its rows' errors in common: a few of many look-ups tell more.
        let places: Vec<usize> = (0..n).step_by(n / 16).collect();
        let found: Vec<Lwe> = circuit.select(bit, [&zero, &one], &places);
        let expected = if value == 1 { &one } else { &zero };
        let error = |(lwe, &h): (&Lwe, &usize)| signed(lwe.phase(secret.big()).wrapping_sub(expected[h]));
        found.iter().zip(&places).map(error).collect()
    };
    each.iter().zip(values).flat_map(of_one).collect()
}

/// The parameters of noise measurements: at this size every term of the formula is a part of the sum.
fn measured() -> ParamsLiteral {
    ParamsLiteral { glwe_log2_std_dev: -48.0, lwe_dim: 128, log_n: 10, ..small(4) }
}

#[test]
fn a_cmux_has_the_noise_of_its_formula() {
    let mut sum = 0.0;
    let (keys, looks) = (6, 64);
    let mut expected = 0.0;
    for index in 0..keys {
        let secret = secret(measured());
        let circuit = SeededCircuitKey::from_seed(&secret, &fixed_seed(index)).unwrap().prepare();
        let values: Vec<u64> = (0..looks).map(|i| i % 2).collect();
        let errors = errors(&secret, &circuit, &values);
        sum += errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64;
        // Public operands have no mask: of the formula, the terms of the body are left.
        let noise = circuit.params().mean_noise();
        let (digits, bits) = (3.0 * (4f64.powi(5) + 2.0) / 12.0, 15);
        expected = digits * (noise.rotation + noise.expansion) + 0.5 * 4f64.powi(-bits) / 12.0;
    }
    let (ratio, samples) = (sum / keys as f64 / expected, (keys * looks * 16) as f64);
    println!("a CMux of public operands: {ratio:.3} of the formula");
    assert!((ratio - 1.0).abs() < DEVIATIONS * (2.0 / samples).sqrt() + 0.05, "{ratio}");
}

/// Look-ups through several CMuxes, over keys and within each of them.
#[test]
fn lookups_have_the_noise_of_their_formula() {
    let (count, looks, bits) = (6, 40u64, 8);
    let literal = measured();
    let space = literal.space;
    let entries: Vec<u64> = table(bits, 255);
    let mut groups = Vec::new();
    let mut expected = 0.0;
    for index in 0..count {
        let secret = secret(literal.clone());
        let keys = SeededEvalKeys::from_seed(&secret, &fixed_seed(100 + index)).unwrap().prepare();
        let circuit = SeededCircuitKey::from_seed(&secret, &fixed_seed(index)).unwrap().prepare();
        let values: Vec<u64> = (0..looks).map(|i| i.wrapping_mul(0x9d) & 0xff).collect();
        let x = secret.encrypt_uints(Width::U8, &values).unwrap();
        let found = circuit.lookup_uints(&keys, Indices::Uints(&x), bits, &entries, Width::U8).unwrap();
        let digits = values.iter().flat_map(|&x| (0..4).map(move |i| (x, i)));
        let error = |(block, (x, i)): (&everlevel_binfhe::Ciphertext, (u64, u32))| {
            let digit = entries[x as usize] >> (2 * i) & 3;
            signed(block.lwe().phase(secret.big()).wrapping_sub(space.encode(digit)))
        };
        groups.push(found.blocks().iter().zip(digits).map(error).collect::<Vec<f64>>());
        expected = f64::from(bits) * circuit.params().mean_noise().cmux;
    }
    let all: Vec<f64> = groups.iter().flatten().copied().collect();
    let variance = all.iter().map(|e| e * e).sum::<f64>() / all.len() as f64;
    let (ratio, between) = (variance / expected, part_between(&groups));
    println!("a look-up through 8 CMuxes: {ratio:.3} of the formula, {between:.4} of it between keys");
    assert!((0.6..1.15).contains(&ratio), "{ratio}");
    let resolution = DEVIATIONS * (2.0 / (count - 1) as f64).sqrt() / (looks * 4) as f64;
    assert!(between.abs() < 2.0 * resolution, "{between} of the variance lies between keys, {resolution}");
}

/// Claims of the named sets: security of the small secret, noise, failures of a whole look-up, and keys' sizes.
#[test]
fn claims_of_the_named_sets() {
    let mut served = Vec::new();
    for set in sets::ALL.iter().filter(|set| set.security_bits > 0.0) {
        let outer = Arc::new(set.params().unwrap());
        let Ok(params) = CircuitParams::of(&outer) else { continue };
        served.push(set.name);
        let rotation = params.rotation();
        let small = torus::estimate(rotation.lwe_dim, rotation.lwe_log2_std_dev).unwrap().unwrap().log2_cost;
        assert!((small - CircuitParams::SECURITY_BITS).abs() < 0.05, "{}: {small}", set.name);
        assert!(set.security_bits >= CircuitParams::SECURITY_BITS, "{}: {}", set.name, set.security_bits);
        assert_eq!((rotation.big_dim, rotation.big_log2_std_dev), (outer.big_dim, outer.big_log2_std_dev));
        // Digits of two bits fill the circle: a quarter of it for each, an eighth on either side.
        let factor = f64::from(outer_bits(&outer) - 1).exp2();
        let input = factor * factor * outer.noise().bootstrapped;
        let coarser = 63.0 * rotation.noise().mod_switch;
        let log2_p_fail = noise::log2_p_fail(0.125, rotation.noise().at_table(input) + coarser);
        let (of_8, of_12) = (params.noise().output(8), params.noise().output(12));
        let bootstrapped = outer.noise().bootstrapped;
        let told = format!(
            "| `{}` | {small:.1} bits | 2^−{:.1} | 2^−65 | 2^−{} |",
            set.name, -log2_p_fail, -outer.max_log2_p_fail
        );
        assert!(include_str!("../../../docs/notes/circuit-bootstrap.md").contains(&told), "{told}");
        let file = SeededSizes::of(&params);
        println!(
            "{}: {small:.1} bits, rotation fails with 2^{log2_p_fail:.1}; noise of 8 bits {:.2}, of 12 {:.2} bootstraps; \
             mixtures {:.2} and {:.2}; keys {:.0} MB ready, {:.0} MB stored, {:.0} MB with the evaluation key",
            set.name,
            of_8 / bootstrapped,
            of_12 / bootstrapped,
            of_8 / (8.0 * params.noise().cmux),
            of_12 / (12.0 * params.noise().cmux),
            file.ready as f64 / 1e6,
            file.stored as f64 / 1e6,
            (file.ready + file.outer) as f64 / 1e6,
        );
        // An index as bootstraps give it, and the noisiest that is accepted; and the tables that split messages.
        let most = params.log2_p_fail();
        assert!(log2_p_fail + 3.0 <= most, "{}: {log2_p_fail}, {most}", set.name);
        assert!(most == -65.0 && outer.max_log2_p_fail <= -64.0, "{}: {most}", set.name);
        assert_eq!(params.security_bits(), CircuitParams::SECURITY_BITS);
    }
    assert_eq!(served, SERVED);
}

/// The sets that have look-ups, all of which are claimed.
const SERVED: [&str; 6] =
    ["integer-4-64", "integer-5-64", "integer-6-64", "integer-7-64", "integer-4-128", "integer-5-128"];

/// Sets of 4 bits and more that nothing is claimed of have no look-ups, and neither have their insecure counterparts.
#[test]
fn sets_without_claims_are_refused() {
    let (mut experimental, mut often) = (0, 0);
    let claimed = sets::ALL.iter().filter(|set| set.security_bits > 0.0);
    for set in claimed.filter(|set| !SERVED.contains(&set.name)) {
        let of = |literal: Literal| CircuitParams::of(&Arc::new(Params::try_from(literal).unwrap())).unwrap_err();
        let log_n = if outer_bits(&set.params().unwrap()) < 6 { 10 } else { 13 };
        for error in [of(set.literal()), of(set.insecure_literal(log_n))] {
            let Error::NoLookUps { found, .. } = &error else {
                assert!(matches!(error, Error::WrongSpace { .. }), "{}: {error}", set.name);
                continue;
            };
            let text = error.to_string();
            assert!(text.contains(found) && text.ends_with("choose a set such as integer-4-128"), "{text}");
            let is_often = found == "tables that fail with 2^-14.0";
            assert_eq!(is_often, set.name.contains("-14-"), "{}: {text}", set.name);
            often += i32::from(is_often);
            experimental += i32::from(found == "partial, shared or structured secrets");
        }
    }
    println!("{experimental} refusals of secrets, {often} of tables that fail often");
    assert!(experimental > 0 && often > 0);
    let limbs = sets::find("gate-64-limbs-baseline").unwrap().params().unwrap();
    let refused = CircuitParams::of(&Arc::new(limbs));
    assert!(matches!(refused, Err(Error::NoLookUps { found, .. }) if found == "keys over limbs"));
}

fn outer_bits(params: &Params) -> i32 {
    match params.space {
        Space::Integer { bits } => bits as i32,
        Space::Bit => 0,
    }
}

struct SeededSizes {
    ready: usize,
    stored: usize,
    outer: usize,
}

impl SeededSizes {
    fn of(params: &CircuitParams) -> Self {
        let of = |params: &Params| {
            let l = params.literal().clone().tfhe().unwrap();
            8 * l.ggsws() * l.rows() * l.n()
        };
        let rotation = of(params.rotation());
        Self { ready: 2 * rotation, stored: rotation, outer: 2 * of(params.outer()) }
    }
}
