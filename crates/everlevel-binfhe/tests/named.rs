//! Named sets at work.

use std::sync::Arc;

use everlevel_binfhe::{EvalKeys, Gate, SecretKey, Space, sets};

fn works(set: &sets::NamedSet) {
    let secret = SecretKey::generate(Arc::new(set.params().unwrap())).unwrap();
    let keys = EvalKeys::generate(&secret).unwrap();
    match keys.params().space {
        Space::Bit => {
            let (a, b) = ([false, false, true, true], [false, true, false, true]);
            let (x, y) = (secret.encrypt_bits(&a).unwrap(), secret.encrypt_bits(&b).unwrap());
            // The largest noise that the set takes: gates of what MUX gives.
            let mux = keys.mux(&x, &y, &x).unwrap();
            let out = keys.gates(&[Gate::Xor], &mux, &mux).unwrap();
            assert_eq!(secret.decrypt_bits(&mux).unwrap(), [false, false, false, true], "{}", set.name);
            assert_eq!(secret.decrypt_bits(&out).unwrap(), [false; 4], "{}", set.name);
        }
        Space::Integer { bits } => {
            let max = (1u64 << bits) - 1;
            let values = [0, 1, max / 2, max];
            let x = secret.encrypt_integers(&values, max).unwrap();
            let table: Vec<u64> = (0..=max).map(|m| m * m % (max + 1)).collect();
            let out = secret.decrypt_integers(&keys.table(&x, &table).unwrap()).unwrap();
            assert_eq!(out, values.map(|m| table[m as usize]), "{}", set.name);
        }
    }
}

#[test]
fn gates_and_four_bits() {
    for name in [
        "insecure-tfhe-lib",
        "gate-64",
        "gate-128",
        "integer-4-128",
        "gate-64-blocks-experimental",
        "integer-4-128-blocks-experimental",
        "integer-5-64-blocks-experimental",
        "integer-4-64-partial-shared-experimental",
        "integer-3-14-chain-experimental",
        "gate-64-limbs-baseline",
        "ntru-gate-64",
        "ntru-gate-64-eight-keys",
        "ntru-gate-64-three-keys",
        "ntru-gate-64-sequential",
        "ntru-gate-64-hybrid-window-baseline",
    ] {
        works(sets::find(name).unwrap());
    }
}

#[test]
#[ignore = "slow: a key of every set"]
fn every_set() {
    sets::ALL.iter().for_each(works);
}
