//! Gates on small, insecure parameters of both orders and both words.

use crate::common;

use everlevel_binfhe::{Gate, KeySwitch, Order, Params, ParamsLiteral, Space};

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
            // A gate's result goes into the next one.
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

/// Results of multiplexers that share a half have too much noise together: they are bootstrapped first, and the answer
/// is right.
#[test]
fn operands_that_share_noise() {
    for order in [Order::KeySwitchFirst, Order::BootstrapFirst] {
        let base = common::literal(32, Space::Bit);
        let noise = Params::try_from(ParamsLiteral { order, ..base.clone() }).unwrap();
        // As much as four bootstraps give is allowed, by little.
        let max_log2_p_fail = noise.log2_p_fail(4.0) + 1e-3;
        let (secret, keys) = common::keys(ParamsLiteral { order, squared_norm: 4.0, max_log2_p_fail, ..base });
        let bits = secret.encrypt_bits(&[true, false, true, true]).unwrap();
        let refreshed = keys.gates(&[Gate::And], &bits, &bits).unwrap();
        let [s, a, b, c] = &refreshed.iter().map(std::slice::from_ref).collect::<Vec<_>>()[..] else { panic!() };
        let (p, q) = (keys.mux(s, a, b).unwrap(), keys.mux(s, a, c).unwrap());
        let one = keys.params().noise().bootstrapped;
        assert!(p[0].variance_torus() > keys.params().noise().blind_rotation);
        let half = keys.gates(&[Gate::And], s, a).unwrap();
        for (x, y, expected) in [(&p[..], &q[..], false), (&p, &p, false), (&p, &half, false), (&p, *s, true)] {
            let out = keys.gates(&[Gate::Xor], x, y).unwrap();
            assert_eq!(secret.decrypt_bits(&out).unwrap(), [expected], "{order:?}");
            assert_eq!(out[0].variance_torus(), one, "{order:?}");
        }
        let nested = keys.mux(&p, &q, &half).unwrap();
        assert_eq!(secret.decrypt_bits(&nested).unwrap(), [false]);
    }
}
