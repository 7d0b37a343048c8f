//! Random programs of TFHE, encrypted and in the clear: gates, small integers, and integers of 8 bits.

use std::sync::{Arc, LazyLock};

use arbitrary::Unstructured;
use everlevel_binfhe::{
    Ciphertext, Error, EvalKeys, Gadget, Gate, KeySwitch, Order, Params, ParamsLiteral, SecretKey, Secrets, Space,
    UintArray, Width,
};
use everlevel_rand::{Seed, SeedSource};

const REGISTERS: usize = 4;
const MAX_STEPS: usize = 16;
/// An operation on integers is hundreds of bootstraps.
const MAX_UINT_STEPS: usize = 3;

type Keys = (SecretKey, EvalKeys);

/// Small keys, without security, whose failures are as rare as those of the named sets.
fn keys(space: Space) -> Keys {
    let literal = ParamsLiteral {
        torus_bits: 64,
        lwe_dim: 8,
        lwe_log2_std_dev: -26.0,
        rank: 1,
        log_n: 9,
        log2_extension: 0,
        bits_per_step: 1,
        glwe_log2_std_dev: -45.0,
        secrets: Secrets::default(),
        landings: Vec::new(),
        mask_gadget: Gadget::new(10, 3),
        body_gadget: Gadget::new(10, 2),
        key_switch: KeySwitch { gadget: Gadget::new(4, 5), ring: 8 },
        order: Order::KeySwitchFirst,
        space,
        squared_norm: 25.0,
        max_log2_p_fail: -64.0,
        insecure: true,
    };
    let seeds = SeedSource::insecure(Seed::from_bytes([0x66; 32]));
    let secret = SecretKey::with_seeds(Arc::new(Params::try_from(literal).expect("parameters")), seeds).expect("a key");
    let keys = EvalKeys::generate(&secret).expect("keys");
    (secret, keys)
}

static BITS: LazyLock<Keys> = LazyLock::new(|| keys(Space::Bit));
static INTEGERS: LazyLock<Keys> = LazyLock::new(|| keys(Space::Integer { bits: 4 }));

/// Runs a program that the bytes say, and compares every register at its end.
///
/// # Panics
/// At a fault.
pub fn tfhe_circuits(data: &[u8]) {
    let u = &mut Unstructured::new(data);
    let _ = match u.int_in_range(0..=2) {
        Ok(0) => gates(u),
        Ok(1) => integers(u),
        _ => uints(u),
    };
}

fn gates(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let (secret, keys) = &*BITS;
    let mut clear = [false; REGISTERS];
    for bit in &mut clear {
        *bit = u.arbitrary()?;
    }
    let mut bits = secret.encrypt_bits(&clear).expect("bits");
    for _ in 0..MAX_STEPS {
        if u.is_empty() {
            break;
        }
        let [a, b, c, out] = [(); 4].map(|()| u.choose_index(REGISTERS));
        let (a, b, c, out) = (a?, b?, c?, out?);
        let one = std::slice::from_ref::<Ciphertext>;
        (bits[out], clear[out]) = match u.int_in_range(0..=11)? {
            10 => (keys.not(&bits[a]).expect("one bit"), !clear[a]),
            11 => {
                let all = keys.mux(one(&bits[a]), one(&bits[b]), one(&bits[c])).expect("three bits");
                (all.into_iter().next().expect("one answer"), if clear[a] { clear[b] } else { clear[c] })
            }
            i => {
                let gate = Gate::ALL[i];
                (keys.gate(gate, &bits[a], &bits[b]).expect("two bits"), gate.of(clear[a], clear[b]))
            }
        };
    }
    assert_eq!(secret.decrypt_bits(&bits).expect("our secret"), clear);
    Ok(())
}

/// Refusals of what has no room are answers too; all else is a fault.
fn accepted<T>(result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Error::SpaceExhausted { .. } | Error::NoiseExhausted { .. }) => None,
        Err(error) => panic!("refused: {error}"),
    }
}

fn integers(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let (secret, keys) = &*INTEGERS;
    let mut clear = [0u64; REGISTERS];
    for value in &mut clear {
        *value = u.int_in_range(0..=15)?;
    }
    let each = clear.map(|value| secret.encrypt_integers(&[value], value.max(3)).expect("an integer"));
    let mut all = each.concat();
    for _ in 0..MAX_STEPS {
        if u.is_empty() {
            break;
        }
        let [a, b, out] = [(); 3].map(|()| u.choose_index(REGISTERS));
        let (a, b, out) = (a?, b?, out?);
        let one = std::slice::from_ref::<Ciphertext>;
        let (result, value) = match u.int_in_range(0..=2)? {
            0 => {
                let [f, g, c] = [(); 3].map(|()| u.int_in_range(-3..=3));
                let (f, g, c) = (f?, g?, c?);
                let value = f * clear[a] as i64 + g * clear[b] as i64 + c;
                (keys.linear(&[(f, &all[a]), (g, &all[b])], c), value as u64)
            }
            1 => {
                let mut table = vec![0; 16];
                for entry in &mut table {
                    *entry = u.int_in_range(0..=15)?;
                }
                (keys.table(one(&all[a]), &table).map(|mut out| out.remove(0)), table[clear[a] as usize])
            }
            _ => {
                let (k, m) = (u.int_in_range(0..=7)?, u.int_in_range(1..=16)?);
                let f = |a: u64, b: u64| (a * b + k * a) % m;
                let out = keys.bivariate(one(&all[a]), one(&all[b]), f);
                (out.map(|mut out| out.remove(0)), f(clear[a], clear[b]))
            }
        };
        if let Some(result) = accepted(result) {
            (all[out], clear[out]) = (result, value);
        }
    }
    // A value whose noise leaves it in doubt is refused.
    for (ciphertext, value) in all.iter().zip(clear) {
        if let Some(found) = accepted(secret.decrypt_integers(std::slice::from_ref(ciphertext))) {
            assert_eq!(found, [value]);
        }
    }
    Ok(())
}

fn uints(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let (secret, keys) = &*INTEGERS;
    let integers = keys.integers().expect("integers of four bits");
    let width = Width::U8;
    let (mut clear, mut all) = ([0u8; REGISTERS], Vec::new());
    for value in &mut clear {
        *value = u.arbitrary()?;
        // Some operands are public.
        let value = [u64::from(*value)];
        all.push(match u.arbitrary()? {
            true => integers.constants(width, &value),
            false => secret.encrypt_uints(width, &value),
        });
    }
    let mut all: Vec<UintArray> = all.into_iter().map(|one| one.expect("an integer")).collect();
    for _ in 0..MAX_UINT_STEPS {
        if u.is_empty() {
            break;
        }
        let [a, b, out] = [(); 3].map(|()| u.choose_index(REGISTERS));
        let (a, b, out) = (a?, b?, out?);
        let (x, y, p, q) = (&all[a], &all[b], clear[a], clear[b]);
        let (result, value) = match u.int_in_range(0..=15)? {
            0 => (integers.add(x, y), p.wrapping_add(q)),
            1 => (integers.sub(x, y), p.wrapping_sub(q)),
            2 => (integers.neg(x), p.wrapping_neg()),
            3 => (integers.mul(x, y), p.wrapping_mul(q)),
            4 => (integers.div(x, y), p.checked_div(q).unwrap_or(u8::MAX)),
            5 => (integers.rem(x, y), p.checked_rem(q).unwrap_or(p)),
            6 => (integers.bitand(x, y), p & q),
            7 => (integers.bitor(x, y), p | q),
            8 => (integers.bitxor(x, y), p ^ q),
            9 => (integers.not(x), !p),
            10 => (integers.min(x, y), p.min(q)),
            11 => (integers.max(x, y), p.max(q)),
            12 => (integers.lt(x, y).and_then(|c| integers.select(&c, x, y)), p.min(q)),
            13 => (integers.eq(x, y).and_then(|c| integers.select(&c, y, x)), p),
            14 => {
                let by = u.int_in_range(0..=7)?;
                (integers.shl(x, by), p << by)
            }
            _ => {
                let by = u.int_in_range(0..=7)?;
                (integers.rotate_right(x, by), p.rotate_right(by))
            }
        };
        if let Some(result) = accepted(result) {
            (all[out], clear[out]) = (result, value);
        }
    }
    for (array, value) in all.iter().zip(clear) {
        // Constants belong to no key.
        if array.key() == Some(secret.id()) {
            assert_eq!(secret.decrypt_uints(array).expect("our secret"), [u64::from(value)]);
        }
    }
    Ok(())
}
