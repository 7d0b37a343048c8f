//! Noise holds for each key, and not on average over keys alone: what a key's own errors shift all its samples by is no
//! part of the noise that counts.

use crate::common::{fixed_keys, literal, rotation_errors, signed, uniform};
use everlevel_binfhe::{EvalKeys, Gadget, Gate, KeySwitch, Literal, Lwe, ParamsLiteral, SecretKey, Space, sets};
use everlevel_testkit::noise::{DEVIATIONS, part_between};

/// The largest part of a variance that may lie between keys.
const LARGEST: f64 = 0.01;

/// Measures with several keys, and asserts that their means differ by no more than their samples say. The samples must
/// be as many as it takes to tell [`LARGEST`] from nothing.
fn assert_keys_are_alike(what: &str, groups: &[Vec<f64>]) {
    let resolution = DEVIATIONS * (2.0 / (groups.len() - 1) as f64).sqrt() / groups[0].len() as f64;
    assert!(resolution <= LARGEST, "{what}: {resolution:.4} is all that so many samples tell");
    let part = part_between(groups);
    println!(
        "{what}: {part:+.5} ± {resolution:.5} of the variance between {} keys, {} samples each",
        groups.len(),
        groups[0].len()
    );
    assert!(part.abs() <= LARGEST, "{what}: {part:.4} of the variance lies between keys");
}

/// The errors of several keys, a group for each.
fn groups<L: Clone + Into<Literal>>(
    literal: &L,
    count: u64,
    of_one: impl Fn(&SecretKey, &EvalKeys) -> Vec<f64>,
) -> Vec<Vec<f64>> {
    let of_key = |index| {
        let (secret, keys) = fixed_keys(literal.clone(), index);
        of_one(&secret, &keys)
    };
    (0..count).map(of_key).collect()
}

/// The error of the exponents that select a table's entry, beside an exact phase.
pub fn error_at_table(secret: &SecretKey, keys: &EvalKeys, input: &Lwe, phase: u64) -> f64 {
    let exponents = keys.exponents(input, 0);
    let dim = secret.small().len();
    let selected = exponents[..dim].iter().zip(secret.small());
    let selected = f64::from(exponents[dim]) - selected.map(|(&a, &s)| f64::from(a) * f64::from(s)).sum::<f64>();
    let error = selected / (2.0 * keys.params().table_len() as f64) - signed(phase);
    error - error.round()
}

/// Nearly all is the key's errors, which digits of mean −½ would give a seventh or more of the variance between keys.
#[test]
fn key_switches_and_modulus_switches() {
    for (gadget, ring) in [(Gadget::new(2, 6), 32), (Gadget::new(1, 11), 32), (Gadget::new(3, 4), 1)] {
        let base = ParamsLiteral { lwe_log2_std_dev: -13.0, ..literal(64, Space::Bit) };
        // Nothing reads the bootstrapping key.
        let (mask_gadget, body_gadget, key_switch) = (Gadget::new(7, 1), Gadget::new(7, 1), KeySwitch { gadget, ring });
        let literal = ParamsLiteral { mask_gadget, body_gadget, key_switch, max_log2_p_fail: 0.0, ..base };
        let of_one = |secret: &SecretKey, keys: &EvalKeys| {
            let input = |i| uniform(keys.params().big_dim, i);
            (0..140).map(|i| error_at_table(secret, keys, &input(i), input(i).phase(secret.big()))).collect()
        };
        assert_keys_are_alike(&format!("switches, {gadget:?} R = {ring}"), &groups(&literal, 40, of_one));
    }
}

#[test]
fn blind_rotations() {
    for (torus_bits, bits_per_step, mask, body) in [(32, 1, (5, 3), (4, 2)), (64, 2, (10, 1), (9, 1))] {
        let (mask_gadget, body_gadget) = (Gadget::new(mask.0, mask.1), Gadget::new(body.0, body.1));
        let base = ParamsLiteral { bits_per_step, mask_gadget, body_gadget, ..literal(torus_bits, Space::Bit) };
        let literal = ParamsLiteral { max_log2_p_fail: 0.0, ..base };
        let what = format!("rotations, {torus_bits} bits, {bits_per_step} bits a step, {mask:?} {body:?}");
        let groups = groups(&literal, 40, |secret, keys| rotation_errors(secret, keys, 140));
        assert_keys_are_alike(&what, &groups);
    }
}

/// Whole bootstraps of named sets after one another: the error at the second one's table.
#[test]
#[ignore = "slow: 100 keys of full size for each set"]
fn named_sets() {
    let sets = [("gate-64", &[1, 1, 1, 1][..]), ("integer-4-128", &[4, 1]), ("ntru-gate-64", &[1, 1, 1, 1])];
    for (name, factors) in sets {
        let set = sets::find(name).unwrap();
        let of_one = |secret: &SecretKey, keys: &EvalKeys| {
            let terms = bootstrapped(secret, keys, 100 * factors.len());
            let sample = |terms: &[(Lwe, u64)]| {
                let (mut input, mut phase) = (Lwe::trivial(keys.params().ciphertext_dim(), 0), 0u64);
                for ((lwe, message), &factor) in terms.iter().zip(factors) {
                    input.add_multiple(lwe, factor);
                    phase = phase.wrapping_add(message.wrapping_mul(factor as u64));
                }
                error_at_table(secret, keys, &input, phase)
            };
            terms.chunks_exact(factors.len()).map(sample).collect::<Vec<_>>()
        };
        let groups = groups(&set.literal(), 100, of_one);
        assert_keys_are_alike(name, &groups);
        let noise = set.params().unwrap().mean_noise();
        let squared_norm: f64 = factors.iter().map(|&factor| (factor * factor) as f64).sum();
        let all: Vec<f64> = groups.concat();
        let measured = all.iter().map(|x| x * x).sum::<f64>() / all.len() as f64;
        let ratio = measured / noise.at_table(squared_norm * noise.bootstrapped);
        println!("{name}: variance over formula {ratio:.3}, {} samples", all.len());
        assert!((0.9..1.08).contains(&ratio), "{name}: {ratio}");
    }
}

/// Outputs of bootstraps, and their messages as parts of the torus.
fn bootstrapped(secret: &SecretKey, keys: &EvalKeys, count: usize) -> Vec<(Lwe, u64)> {
    let space = keys.params().space;
    let outputs = match space {
        Space::Bit => {
            let bits: Vec<bool> = (0..count).map(|i| i % 3 == 0).collect();
            // Inputs of their own for each gate: two gates of the same sum have the same error.
            let [x, y] = [&bits, &bits].map(|bits| secret.encrypt_bits(bits).unwrap());
            keys.gates(&[Gate::And], &x, &y).unwrap()
        }
        Space::Integer { .. } => {
            let max = space.max();
            let x =
                secret.encrypt_integers(&(0..count as u64).map(|i| i % (max + 1)).collect::<Vec<_>>(), max).unwrap();
            keys.table(&x, &(0..=max).map(|m| m / 4).collect::<Vec<_>>()).unwrap()
        }
    };
    let messages: Vec<u64> = match space {
        Space::Bit => secret.decrypt_bits(&outputs).unwrap().into_iter().map(u64::from).collect(),
        Space::Integer { .. } => secret.decrypt_integers(&outputs).unwrap(),
    };
    outputs.iter().zip(messages).map(|(x, message)| (x.lwe().clone(), space.encode(message))).collect()
}
