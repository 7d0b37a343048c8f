//! A context's calls on whole arrays: the same as the keys' own, slice by slice, on threads of its own.

use std::ops::ControlFlow;
use std::sync::Mutex;

use crate::common::literal;
use everlevel_binfhe::{
    Cancelled, Ciphertext, Context, Error, EvalKeys, Gate, Params, SecretKey, Space, Width, no_progress,
};
use everlevel_io::{Container, Stored};

const THREADS: usize = 2;

fn with_keys(space: Space) -> (Context, SecretKey, EvalKeys) {
    let context = Context::new(Params::try_from(literal(64, space)).unwrap(), THREADS).unwrap();
    let secret = context.secret_key().unwrap();
    let keys = context.eval_keys(&secret, &no_progress).unwrap().prepare();
    (context, secret, keys)
}

#[test]
fn gates_run_in_slices_and_report_elements() {
    let (context, secret, keys) = with_keys(Space::Bit);
    let len = 3 * THREADS * keys.bootstrap_key().batch_len() + 1;
    let bits = |step: usize| (0..len).map(|i| i % step == 0).collect::<Vec<_>>();
    let [s, a, b] = [bits(5), bits(2), bits(3)].map(|bits| secret.encrypt_bits(&bits).unwrap());
    let steps = Mutex::new(Vec::new());
    let progress = |done, total| {
        steps.lock().unwrap().push((done, total));
        ControlFlow::Continue(())
    };
    let out = context.gate(&keys, Gate::Xor, [&a, &b], &progress).unwrap();
    let expected: Vec<bool> = (0..len).map(|i| (i % 2 == 0) ^ (i % 3 == 0)).collect();
    assert_eq!(secret.decrypt_bits(&out).unwrap(), expected);
    let slice = THREADS * keys.bootstrap_key().batch_len();
    let expected: Vec<_> = [slice, 2 * slice, 3 * slice, len].map(|done| (done, len)).into();
    assert_eq!(steps.into_inner().unwrap(), expected);

    let out = context.mux(&keys, [&s, &a, &b], &no_progress).unwrap();
    let expected: Vec<bool> = (0..len).map(|i| i % if i % 5 == 0 { 2 } else { 3 } == 0).collect();
    assert_eq!(secret.decrypt_bits(&out).unwrap(), expected);

    let stop = |done, _| if done < len / 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let stopped = context.gate(&keys, Gate::And, [&a, &b], &stop).unwrap_err();
    assert!(matches!(stopped, Error::Cancelled(Cancelled { op: "and", done, .. }) if done == 2 * slice), "{stopped}");
}

#[test]
fn constants_are_operands() {
    let (context, secret, keys) = with_keys(Space::Bit);
    let bits = context.constants(&[0, 1], secret.id()).unwrap();
    assert_eq!(secret.decrypt_bits(&bits).unwrap(), [false, true]);
    let out = context.gate(&keys, Gate::And, [&bits, &secret.encrypt_bits(&[true, true]).unwrap()], &no_progress);
    assert_eq!(secret.decrypt_bits(&out.unwrap()).unwrap(), [false, true]);

    let (context, secret, keys) = with_keys(Space::Integer { bits: 3 });
    let constants = context.constants(&[0, 5, 7], secret.id()).unwrap();
    assert_eq!(secret.decrypt_integers(&constants).unwrap(), [0, 5, 7]);
    assert_eq!(constants.iter().map(|c| c.max_value()).collect::<Vec<_>>(), [0, 5, 7]);
    let refused = context.constants(&[1, 8], secret.id()).unwrap_err();
    assert!(matches!(refused, Error::ValueOutOfSpace { index: 1, value: 8, max: 7, .. }), "{refused}");

    let tables = [(0..8).rev().collect(), vec![1; 8]];
    let columns = context.tables(&keys, &constants, &tables, &no_progress).unwrap();
    assert_eq!(secret.decrypt_integers(&columns[0]).unwrap(), [7, 2, 0]);
    assert_eq!(secret.decrypt_integers(&columns[1]).unwrap(), [1; 3]);
    // Tables are looked at where there are no elements.
    assert_eq!(context.tables(&keys, &[], &tables, &no_progress).unwrap(), vec![Vec::new(); 2]);
    let refused = context.tables(&keys, &[], &[vec![1; 7]], &no_progress).unwrap_err();
    assert!(matches!(refused, Error::TableLength { found: 7, .. }), "{refused}");
}

#[test]
fn arrays_of_scaled_and_summed_integers() {
    let (_, secret, keys) = with_keys(Space::Integer { bits: 3 });
    let x = secret.encrypt_integers(&[1, 2, 3], 3).unwrap();
    assert_eq!(secret.decrypt_integers(&keys.scale(&x, &[2, 1, 0], &[1, 0, 7]).unwrap()).unwrap(), [3, 2, 7]);
    assert_eq!(secret.decrypt_integers(&keys.linear_all(&[(1, &x), (-1, &x)], 3).unwrap()).unwrap(), [3; 3]);
    let refused = keys.linear_all(&[(1, &x), (1, &x[..2])], 0).unwrap_err();
    assert!(matches!(refused, Error::LengthMismatch { left: 3, right: 2, .. }), "{refused}");
}

#[test]
fn integers_run_in_slices_and_are_joined() {
    let context = Context::insecure("integer-4-64", 10, THREADS).unwrap();
    let secret = context.secret_key().unwrap();
    let keys = context.eval_keys(&secret, &no_progress).unwrap().prepare();
    let len = THREADS * keys.bootstrap_key().batch_len() + 3;
    let values: Vec<u64> = (0..len as u64).map(|i| i * 7 % 256).collect();
    let a = secret.encrypt_uints(Width::U8, &values).unwrap();
    let (sum, overflow) = context
        .integers(&keys, (len, 1), &no_progress, |int, places| {
            let part = a.slice(places);
            int.checked_add(&part, &part)
        })
        .unwrap();
    let expected: Vec<u64> = values.iter().map(|x| 2 * x % 256).collect();
    assert_eq!(secret.decrypt_uints(&sum).unwrap(), expected);
    let expected: Vec<bool> = values.iter().map(|&x| 2 * x > 255).collect();
    assert_eq!(secret.decrypt_bools(&overflow).unwrap(), expected);
}

#[test]
fn a_ring_too_small_for_the_messages_is_refused_with_one_that_is_not() {
    let refused = Context::insecure("integer-8-64", 8, 1).unwrap_err();
    let Error::Parameter { what: "insecure_log_n", found, needed } = refused else { panic!("{refused}") };
    assert_eq!(found, "8");
    let enough: u32 = needed.split(' ').next().unwrap().parse().unwrap();
    Context::insecure("integer-8-64", enough, 1).unwrap();
    Context::insecure("integer-8-64", enough - 1, 1).unwrap_err();
    assert!(matches!(Context::named("no-set", 1), Err(Error::UnknownSet { .. })));
}

#[test]
fn containers_say_what_they_hold() {
    let (context, secret, _) = with_keys(Space::Bit);
    let bits = secret.encrypt_bits(&[true, false]).unwrap();
    let named = context.named_params();
    let container = Container::from_bytes(bits.to_container(&named).unwrap().to_bytes()).unwrap();
    assert_eq!(Vec::<Ciphertext>::from_container(&named, &container).unwrap(), bits);
    let other = Container::from_bytes(everlevel_io::Builder::new("sandwich").to_bytes()).unwrap();
    let refused = Vec::<Ciphertext>::from_container(&named, &other).unwrap_err();
    assert!(refused.to_string().contains("sandwich"), "{refused}");
}
