//! Bootstraps without parameters, keys, or a stage count that there is.

use everlevel_ckks::{BootstrapKeySize, Bootstrapper, Error, ObjectError, Params, ParamsLiteral, no_progress};

use super::world::{World, assert_refused};
use crate::common::{self, Party, uniform};

#[test]
fn bootstraps_are_refused_without_parameters_keys_or_a_supported_stage_count() {
    let w = World::new();
    let with = Party::bootstrap(9);
    let key = with.bootstrap_key(3, BootstrapKeySize::Medium);
    let ct = with.encrypt(&uniform(256, 1), 0);
    let before = with.decrypt(&ct);

    // Parameters without a bootstrap.
    w.unchanged(|w| {
        assert_refused!(
            Bootstrapper::new(w.ctx()),
            Error::NoBootstrap { .. },
            "bootstrap: these parameters have no bootstrap",
            "ParamsLiteral::bootstrap"
        );
    });

    let allowed = everlevel_ckks::stage_counts(with.ctx.slot_count());
    for stages in [0, 6, 7, usize::MAX] {
        let result = with.bootstrapper().bootstrap_key(&with.secret, stages, BootstrapKeySize::Medium, &no_progress);
        assert_refused!(
            result,
            Error::StageCount { .. },
            &format!("stage_count = {stages} is not one of {allowed:?}, which {} slots allow", with.ctx.slot_count()),
            "choose one of them"
        );
    }

    // Another secret, in each place.
    let other = Party::of(with.ctx.clone());
    let other_key = other.bootstrap_key(3, BootstrapKeySize::Medium);
    let run = |relinearization, conjugation, key| {
        with.bootstrapper().bootstrap(&ct, relinearization, conjugation, key, &no_progress)
    };
    assert_refused!(
        run(&other.relinearization, &with.conjugation, &key),
        Error::Object(ObjectError::OtherSecret { .. }),
        "bootstrap: relinearization key belongs to secret"
    );
    assert_refused!(
        run(&with.relinearization, &other.conjugation, &key),
        Error::Object(ObjectError::OtherSecret { .. }),
        "bootstrap: conjugation key belongs to secret"
    );
    assert_refused!(
        run(&with.relinearization, &with.conjugation, &other_key),
        Error::Object(ObjectError::OtherSecret { .. }),
        "bootstrap: bootstrap key belongs to secret"
    );

    // Other parameters, in each place.
    let foreign = Party::bootstrap(10);
    let foreign_key = foreign.bootstrap_key(3, BootstrapKeySize::Medium);
    assert_refused!(
        run(&foreign.relinearization, &with.conjugation, &key),
        Error::Object(ObjectError::OtherParameters { .. }),
        "bootstrap: relinearization key"
    );
    assert_refused!(
        run(&with.relinearization, &foreign.conjugation, &key),
        Error::Object(ObjectError::OtherParameters { .. }),
        "bootstrap: conjugation key"
    );
    assert_refused!(
        run(&with.relinearization, &with.conjugation, &foreign_key),
        Error::Object(ObjectError::OtherParameters { .. }),
        "bootstrap: bootstrap key"
    );
    let theirs = foreign.encrypt(&uniform(512, 1), 0);
    let result = with.bootstrapper().bootstrap(&theirs, &with.relinearization, &with.conjugation, &key, &no_progress);
    assert_refused!(result, Error::Object(ObjectError::OtherParameters { .. }), "bootstrap: ciphertext");
    let result = with.bootstrapper().bootstrap_key(&foreign.secret, 3, BootstrapKeySize::Medium, &no_progress);
    assert_refused!(result, Error::Object(ObjectError::OtherParameters { .. }), "create_bootstrap_key: secret key");

    // Three polynomials.
    let three = with.ctx.square(&with.encrypt(&uniform(256, 2), 2), None).unwrap();
    let result = with.bootstrapper().bootstrap(&three, &with.relinearization, &with.conjugation, &key, &no_progress);
    assert_refused!(
        result,
        Error::NotRelinearized { .. },
        "bootstrap: ciphertext has 3 polynomials",
        "relinearize it first"
    );

    // Few slots allow few stages.
    let params = Params::try_from(ParamsLiteral::insecure_bootstrap(9)).unwrap();
    let sparse = common::context(params, Some(4), 1);
    let result =
        Bootstrapper::new(&sparse).unwrap().bootstrap_key(&with.secret, 3, BootstrapKeySize::Medium, &no_progress);
    assert_refused!(result, Error::StageCount { .. }, "stage_count = 3 is not one of [1, 2], which 4 slots allow");

    assert_eq!(with.decrypt(&ct), before);
    assert!(run(&with.relinearization, &with.conjugation, &key).is_ok());
}
