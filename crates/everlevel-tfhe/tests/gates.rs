//! Gates on small, insecure parameters of both orders and both words.

use std::sync::Arc;

use everlevel_tfhe::{EvalKeys, Gadget, Gate, KeySwitch, Order, Params, ParamsLiteral, SecretKey, Space};

fn literal(torus_bits: u32, order: Order) -> ParamsLiteral {
    ParamsLiteral {
        torus_bits,
        lwe_dim: 64,
        lwe_log2_std_dev: -20.0,
        rank: 2,
        log_n: 8,
        glwe_log2_std_dev: -28.0,
        mask_gadget: Gadget::new(7, 3),
        body_gadget: Gadget::new(7, 2),
        key_switch: KeySwitch { gadget: Gadget::new(3, 5), ring: if torus_bits == 32 { 32 } else { 1 } },
        order,
        space: Space::Bit,
        norm2: 4.0,
        max_log2_p_fail: -60.0,
        insecure: true,
    }
}

#[test]
fn every_gate_gives_its_table() {
    for torus_bits in [32, 64] {
        for order in [Order::KeySwitchFirst, Order::BootstrapFirst] {
            let params = Arc::new(Params::try_from(literal(torus_bits, order)).unwrap());
            let secret = SecretKey::generate(params).unwrap();
            let keys = EvalKeys::generate(&secret).unwrap();
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
