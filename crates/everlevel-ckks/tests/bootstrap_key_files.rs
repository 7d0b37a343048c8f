//! Files of bootstrap keys: what comes back bootstraps the same, and what they say is checked.

use everlevel_ckks::{BootstrapKey, BootstrapKeySize, BootstrapKind, Form, Params, ParamsLiteral, no_progress};

use crate::common::{self, Party, assert_headers_are_refused, uniform};
use crate::files::{DEEP, from_bytes, round_trip};

#[test]
fn bootstrap_keys_come_back_and_bootstrap_the_same() {
    let p = &*DEEP;
    let values = uniform(p.ctx.slot_count(), 4);
    let exhausted = p.encrypt(&values, 0);
    // CoeffsToSlots has two stages here, and as many as SlotsToCoeffs in files of version 0.1.
    for (kind, size, stages) in [
        (BootstrapKind::Regular, BootstrapKeySize::Large, (5, 2)),
        (BootstrapKind::Lossy, BootstrapKeySize::Medium, (5, 5)),
        (BootstrapKind::Regular, BootstrapKeySize::Medium, (1, 2)),
    ] {
        let key = p.bootstrapper().bootstrap_key_with(kind, &p.secret, stages, size, &no_progress).unwrap();
        let back = round_trip(&p.ctx, &key);
        assert_eq!((back.kind(), back.size(), back.stage_count()), (kind, size, stages.0));
        assert_eq!(back.moduli(), key.moduli());
        let relinearization = round_trip(&p.ctx, &p.relinearization);
        let conjugation = round_trip(&p.ctx, &p.conjugation);
        let run = |relinearization, conjugation, bootstrap| {
            p.bootstrapper().bootstrap(&exhausted, relinearization, conjugation, bootstrap, &no_progress).unwrap()
        };
        let refreshed = run(&relinearization, &conjugation, &back);
        assert_eq!(p.decrypt(&refreshed), p.decrypt(&run(&p.relinearization, &p.conjugation, &key)));
    }
}

#[test]
fn stages_that_a_bootstrap_key_has_not_are_refused() {
    let p = &*DEEP;
    let size = BootstrapKeySize::Medium;
    let key = p.bootstrapper().bootstrap_key_of(BootstrapKind::Regular, &p.secret, 1, size, &no_progress).unwrap();
    let said = "\"coeffs_to_slots_count\":2";
    let cases = [
        (said, "\"coeffs_to_slots_count\":9", "coeffs_to_slots_count is 9"),
        (said, "\"coeffs_to_slots_count\":-1", "object"),
        (said, "\"coeffs_to_slots_count\":3", "coeffs_to_slots"),
        ("\"coeffs_to_slots_count\":2,", "", "coeffs_to_slots"),
    ];
    assert_headers_are_refused(&p.ctx, &key, &cases);
}

#[test]
fn sparse_bootstrap_keys_too() {
    let params = Params::try_from(ParamsLiteral::insecure_bootstrap(9)).unwrap();
    let p = Party::of(common::context(params, Some(32), 2));
    for kind in [BootstrapKind::Regular, BootstrapKind::Lossy, BootstrapKind::Both] {
        let key =
            p.bootstrapper().bootstrap_key_of(kind, &p.secret, 2, BootstrapKeySize::Medium, &no_progress).unwrap();
        let back = round_trip(&p.ctx, &key);
        assert_eq!((back.kind(), back.slot_count(), back.moduli()), (kind, 32, key.moduli()));
        let exhausted = p.encrypt(&uniform(32, 10), 0);
        let run = |key| {
            p.bootstrapper().bootstrap(&exhausted, &p.relinearization, &p.conjugation, key, &no_progress).unwrap()
        };
        assert_eq!(p.decrypt(&run(&back)), p.decrypt(&run(&key)));
        let bytes = p.ctx.to_container(&key, Form::Seeded).unwrap().to_bytes();
        let error = from_bytes::<BootstrapKey>(&DEEP.ctx, bytes).unwrap_err();
        assert!(error.to_string().contains("slot_count is 32, and should be 256"), "{error}");
    }
}
