//! The failure probability of the circuits that led to values.

use crate::common;

use crate::common::{digits_literal, keys, literal};
use everlevel_binfhe::{Ciphertext, FailureBound, Gate, Integers, Space, Width, noise};

#[test]
fn each_bootstrap_counts_once() {
    let (secret, keys) = keys(literal(64, Space::Bit));
    let bits = secret.encrypt_bits(&[true, false]).unwrap();
    let count = |x: &Ciphertext| x.noise().failures().bootstraps();
    assert_eq!(count(&bits[0]), 0.0);
    let and = keys.gate(Gate::And, &bits[0], &bits[1]).unwrap();
    let or = keys.gate(Gate::Or, &bits[0], &bits[1]).unwrap();
    assert_eq!((count(&and), count(&keys.not(&and).unwrap())), (1.0, 1.0));
    // A gate repeated on its bits is one bootstrap, not two.
    let again = keys.gate(Gate::And, &bits[0], &bits[1]).unwrap();
    assert_eq!(count(&keys.gate(Gate::Xor, &and, &again).unwrap()), 2.0);
    // And so is that of OR: it rotates by the same mask, with the same error.
    let xor = keys.gate(Gate::Xor, &and, &or).unwrap();
    assert_eq!(count(&xor), 2.0);
    let third = keys.gate(Gate::And, &xor, &or).unwrap();
    assert_eq!(count(&third), 3.0);
    assert_eq!(count(&keys.mux(&[xor], &[and], &[third]).unwrap()[0]), 5.0);
}

/// The probability of one bootstrap is that of its input's noise, and a value's the sum of its history's and of its own
/// decryption's.
#[test]
fn probabilities_are_those_of_the_formulas() {
    let (secret, keys) = keys(common::literal(64, Space::Integer { bits: 2 }));
    let params = keys.params();
    let table = |x: &Ciphertext| keys.table(std::slice::from_ref(x), &[3, 2, 1, 0]).unwrap().swap_remove(0);
    let fresh = secret.encrypt_integers(&[1], 1).unwrap().swap_remove(0);
    let of_noise = |variance: f64| noise::log2_p_fail(params.margin_torus(), variance).exp2();
    let decryption = |x: &Ciphertext| of_noise(x.variance_torus());
    let once = table(&fresh);
    let first = of_noise(params.noise().at_table(fresh.variance_torus()));
    assert_eq!(once.noise().failures().probability(), first.max(f64::MIN_POSITIVE));
    let twice = table(&once);
    let second = of_noise(params.noise().at_table(once.variance_torus()));
    assert!(second > first && second > 0.0);
    assert_eq!(twice.noise().failures().probability(), 2.0 * second);
    let all = [twice.clone(), once.clone()];
    let expected = 2.0 * second + decryption(&twice) + decryption(&once);
    let found = Ciphertext::failure_probability(&all, params);
    assert!((found / expected - 1.0).abs() < 1e-9, "{found:e} {expected:e}");
}

/// An operation on integers has as many bootstraps behind it as its cost says, within what is told of many.
#[test]
fn integers_know_all_their_bootstraps() {
    let (secret, keys) = keys(digits_literal(4));
    let int = keys.integers().unwrap();
    let [a, b] = [200, 77].map(|value| secret.encrypt_uints(Width::U8, &[value]).unwrap());
    for (what, rounds) in [("once", 1), ("five times", 5)] {
        let run = |int: &Integers<'_>| (0..rounds).try_fold(a.clone(), |x, _| int.mul(&x, &b));
        let (cost, product) = (int.cost(run).unwrap().bootstraps as f64, run(&int).unwrap());
        let all = product.blocks().iter().map(|block| block.noise().failures());
        let counted = FailureBound::union(all).bootstraps();
        println!("{what}: {counted} of {cost}");
        assert!(counted <= 4.0 * cost && counted >= 0.5 * cost, "{what}: {counted} of {cost}");
    }
}
