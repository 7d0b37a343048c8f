//! Gates on small, insecure parameters of both orders and both words.

mod common;

use everlevel_tfhe::{Gate, KeySwitch, Order, ParamsLiteral, Space};

#[test]
fn every_gate_gives_its_table() {
    for torus_bits in [32, 64] {
        for order in [Order::KeySwitchFirst, Order::BootstrapFirst] {
            let base = common::literal(torus_bits, Space::Bit);
            let key_switch = KeySwitch { ring: if torus_bits == 32 { 32 } else { 1 }, ..base.key_switch };
            let (secret, keys) = common::keys(ParamsLiteral { order, key_switch, ..base });
            let (a, b) = ([false, false, true, true], [false, true, false, true]);
            let (x, y) = (secret.encrypt_bits(&a).unwrap(), secret.encrypt_bits(&b).unwrap());
            for gate in Gate::ALL {
                let out = secret.decrypt_bits(&keys.gates(&[gate], &x, &y).unwrap()).unwrap();
                let expected: Vec<bool> = a.iter().zip(&b).map(|(&a, &b)| gate.of(a, b)).collect();
                assert_eq!(out, expected, "{gate:?} {torus_bits} {order:?}");
            }
            let not = keys.not(&x[2]).unwrap();
            assert_eq!(secret.decrypt_bits(&[not]).unwrap(), [false]);
            let selectors = secret.encrypt_bits(&[false, true, true, false]).unwrap();
            let mux = keys.mux(&selectors, &x, &y).unwrap();
            assert_eq!(secret.decrypt_bits(&mux).unwrap(), [false, false, true, true]);
            // What a gate gives goes into the next.
            let again = keys.gates(&[Gate::Xor, Gate::And, Gate::Or, Gate::Nand], &mux, &mux).unwrap();
            assert_eq!(secret.decrypt_bits(&again).unwrap(), [false, false, true, false]);
        }
    }
}

/// Arrays longer than a tile, shorter than one, of one element and of none; on two threads.
#[test]
fn batches_are_gates_one_by_one() {
    let (secret, keys) = common::keys(common::literal(32, Space::Bit));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for len in [0, 1, 2, 190] {
        let bits: Vec<bool> = (0..len).map(|i| i % 3 == 0).collect();
        let others: Vec<bool> = (0..len).map(|i| i % 5 < 2).collect();
        let gates: Vec<Gate> = (0..len).map(|i| Gate::ALL[i % 10]).collect();
        let (x, y) = (secret.encrypt_bits(&bits).unwrap(), secret.encrypt_bits(&others).unwrap());
        if len == 1 {
            let one = keys.gate(gates[0], &x[0], &y[0]).unwrap();
            assert_eq!(secret.decrypt_bits(&[one]).unwrap(), [gates[0].of(bits[0], others[0])]);
        }
        let out = pool.install(|| keys.gates(&gates, &x, &y)).unwrap();
        let expected: Vec<bool> = (0..len).map(|i| gates[i].of(bits[i], others[i])).collect();
        assert_eq!(secret.decrypt_bits(&out).unwrap(), expected);
        // Deterministic: threads and tiles change nothing.
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(alone.install(|| keys.gates(&gates, &x, &y)).unwrap(), out);
    }
}
