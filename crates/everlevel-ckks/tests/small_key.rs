//! Bootstraps with a small key and a rotation key, on small insecure rings (or at `EVERLEVEL_TEST_LOG_N`): every
//! method, stage count and slot count, against the message and against what full keys reach.

use crate::common::{self, Party, Precision, bootstrap_params, log_n, precision, uniform};
use everlevel_ckks::DEEP_MESSAGE_LEVELS;
use everlevel_ckks::{
    BootstrapKeyRef, BootstrapKeySize, Bootstrapper, Ciphertext, Complex64, Error, Method, ObjectError, Params,
    ParamsLiteral, RotationKey, SlotType, SmallBootstrapKey, no_progress,
};

/// A party with the two keys.
struct Small {
    party: Party,
    key: SmallBootstrapKey,
    rotation: RotationKey,
}

impl Small {
    fn new(params: Params, slots: Option<usize>) -> Self {
        let party = Party::of(common::context(params, slots, 2));
        Self { key: party.small_key(), rotation: party.rotation_key(), party }
    }

    fn with(&self, stage_count: usize) -> BootstrapKeyRef<'_> {
        BootstrapKeyRef::Small { key: &self.key, rotation: &self.rotation, stage_count }
    }

    fn bootstrap(&self, ct: &Ciphertext, with: BootstrapKeyRef) -> Ciphertext {
        let Party { relinearization, conjugation, .. } = &self.party;
        self.party.bootstrapper().bootstrap(ct, relinearization, conjugation, with, &no_progress).unwrap()
    }

    fn precision(&self, ct: &Ciphertext, message: &[Complex64]) -> Precision {
        precision(&self.party.decrypt(ct), message)
    }
}

fn real(message: &[Complex64]) -> Vec<Complex64> {
    message.iter().map(|z| Complex64::new(z.re, 0.0)).collect()
}

#[test]
fn one_small_key_serves_every_stage_count_as_precisely_as_full_keys() {
    let small = Small::new(bootstrap_params(log_n()), None);
    let message = uniform(small.party.ctx.slot_count(), 1);
    let ct = small.party.encrypt(&message, 0);
    for stages in small.party.ctx.stage_counts() {
        let full = small.party.bootstrap_key(stages, BootstrapKeySize::Medium);
        let [ours, theirs] = [small.with(stages), (&full).into()].map(|with| {
            let out = small.bootstrap(&ct, with);
            assert_eq!(out.level(), 13 - stages);
            assert_eq!(Some(out.scale()), small.party.ctx.scale_at(13 - stages));
            small.precision(&out, &message)
        });
        println!("stages {stages}: small {ours:?}, full {theirs:?}");
        assert!(ours.mean_bits > theirs.mean_bits - 0.5 && ours.worst_bits > theirs.worst_bits - 1.5, "{stages}");
    }
}

#[test]
fn lossy_and_sign_bootstraps_work_at_every_stage_count() {
    let small = Small::new(bootstrap_params(log_n()), None);
    let slots = small.party.ctx.slot_count();
    let message = uniform(slots, 2);
    let signs: Vec<Complex64> = message.iter().map(|z| Complex64::new(z.re.signum(), z.im.signum())).collect();
    for stages in small.party.ctx.stage_counts() {
        let keys = small.party.keys(small.with(stages));
        let ct = small.party.encrypt(&message, stages);
        let out =
            small.party.bootstrapper().bootstrap_by(Method::Lossy, &ct, keys, SlotType::Complex, &no_progress).unwrap();
        assert_eq!(out.level(), 13);
        let p = small.precision(&out, &message);
        assert!(p.worst_bits >= 15.0, "{stages}: {p:?}");

        let out =
            small.party.bootstrapper().bootstrap_by(Method::Lossy, &ct, keys, SlotType::Real, &no_progress).unwrap();
        assert!(small.precision(&out, &real(&message)).worst_bits >= 15.0);

        let ct = small.party.encrypt(&signs, stages + 1);
        let out =
            small.party.bootstrapper().bootstrap_by(Method::Sign, &ct, keys, SlotType::Complex, &no_progress).unwrap();
        assert_eq!(out.level(), 13);
        let p = small.precision(&out, &signs);
        println!("stages {stages}: sign {p:?}");
        assert!(p.mean_bits > 29.0 && p.worst_bits > 25.0, "{stages}: {p:?}");

        // Below the stage count, the regular order.
        let out = small
            .party
            .bootstrapper()
            .bootstrap_by(
                Method::Lossy,
                &small.party.encrypt(&message, stages - 1),
                keys,
                SlotType::Complex,
                &no_progress,
            )
            .unwrap();
        assert_eq!(out.level(), 13 - stages);
        assert!(small.precision(&out, &message).mean_bits > 22.0);
    }
}

#[test]
fn many_together_are_bit_for_bit_the_single_ones() {
    let small = Small::new(bootstrap_params(log_n()), None);
    let slots = small.party.ctx.slot_count();
    let cts: Vec<Ciphertext> = (1..=3).map(|k| small.party.encrypt(&uniform(slots, k), 0)).collect();
    let keys = small.party.keys(small.with(3));
    let all: Vec<&Ciphertext> = cts.iter().collect();
    let together = small
        .party
        .bootstrapper()
        .bootstrap_many(Method::Regular, &all, keys, SlotType::Complex, &no_progress)
        .unwrap();
    assert_eq!(together.len(), 3);
    for (ct, out) in cts.iter().zip(&together) {
        let alone = small.bootstrap(ct, small.with(3));
        assert_eq!(small.party.decrypt(&alone), small.party.decrypt(out));
    }
}

#[test]
fn two_real_ciphertexts_share_a_bootstrap() {
    let small = Small::new(bootstrap_params(log_n()), None);
    let slots = small.party.ctx.slot_count();
    let [a, b] = [5, 6].map(|seed| real(&uniform(slots, seed)));
    let [ct_a, ct_b] = [&a, &b].map(|m| small.party.encrypt(m, 4));
    let keys = small.party.keys(small.with(4));
    for (method, level, bits) in [(Method::Regular, 9, 22.0), (Method::Lossy, 13, 17.0)] {
        let outs = small.party.bootstrapper().merge_bootstrap(method, &ct_a, &ct_b, keys, &no_progress).unwrap();
        for (out, message) in outs.iter().zip([&a, &b]) {
            assert_eq!(out.level(), level);
            let p = small.precision(out, message);
            assert!(p.mean_bits > bits, "{method:?}: {p:?}");
        }
    }
}

/// Every number of slots and stage count.
#[test]
fn sparse_bootstraps_are_as_precise_as_full_ones() {
    let log_n = log_n();
    for log_slots in 1..log_n - 1 {
        let slots = 1usize << log_slots;
        let small = Small::new(bootstrap_params(log_n), Some(slots));
        let message = uniform(slots, u64::from(log_slots));
        for stages in small.party.ctx.stage_counts() {
            let out = small.bootstrap(&small.party.encrypt(&message, 0), small.with(stages));
            assert_eq!(out.level(), 13 - stages);
            let p = small.precision(&out, &message);
            println!("{slots} slots, {stages} stages: {p:?}");
            assert!(p.mean_bits >= 24.0 && p.worst_bits >= 20.0, "{slots} slots, {stages} stages: {p:?}");

            let keys = small.party.keys(small.with(stages));
            let ct = small.party.encrypt(&message, stages);
            let out = small
                .party
                .bootstrapper()
                .bootstrap_by(Method::Lossy, &ct, keys, SlotType::Complex, &no_progress)
                .unwrap();
            let p = small.precision(&out, &message);
            assert!(p.worst_bits >= 15.0, "{slots} slots, {stages} stages, lossy: {p:?}");
        }
    }
}

#[test]
fn the_deeper_chains_end_at_levels_14_and_17() {
    for (max_level, level) in DEEP_MESSAGE_LEVELS.into_iter().zip([14, 17]) {
        let literal = ParamsLiteral { max_level, ..ParamsLiteral::insecure_bootstrap(log_n()) };
        let small = Small::new(Params::try_from(literal).unwrap(), None);
        assert_eq!(small.party.ctx.stage_counts().last(), Some(&3));
        let message = uniform(small.party.ctx.slot_count(), 7);
        let ct = small.party.encrypt(&message, 0);
        let full = small.party.bootstrap_key(3, BootstrapKeySize::Medium);
        for with in [small.with(3), (&full).into()] {
            let out = small.bootstrap(&ct, with);
            assert_eq!(out.level(), level);
            let p = small.precision(&out, &message);
            println!("{max_level} levels: {p:?}");
            assert!(p.mean_bits > 22.0, "{p:?}");
        }
        let lossy = small.party.lossy_key(3);
        let ct = small.party.encrypt(&message, 3);
        for with in [small.with(3), (&lossy).into()] {
            let keys = small.party.keys(with);
            let out = small
                .party
                .bootstrapper()
                .bootstrap_by(Method::Lossy, &ct, keys, SlotType::Complex, &no_progress)
                .unwrap();
            assert_eq!(out.level(), max_level);
            assert!(small.precision(&out, &message).worst_bits >= 15.0);
        }
        let refusal =
            small.party.bootstrapper().bootstrap_key(&small.party.secret, 4, BootstrapKeySize::Medium, &no_progress);
        assert!(matches!(refusal, Err(Error::StageCount { stage_count: 4, .. })));
    }
}

#[test]
fn wrong_stage_counts_and_foreign_keys_are_refused() {
    let small = Small::new(bootstrap_params(log_n()), None);
    let other = small.party.ctx.secret_key().unwrap();
    let ct = small.party.encrypt(&[Complex64::new(0.5, 0.0)], 0);
    let run = |key, rotation, stage_count| {
        let Party { relinearization, conjugation, .. } = &small.party;
        let with = BootstrapKeyRef::Small { key, rotation, stage_count };
        small.party.bootstrapper().bootstrap(&ct, relinearization, conjugation, with, &no_progress).unwrap_err()
    };
    for stages in [0, 6, usize::MAX] {
        let error = run(&small.key, &small.rotation, stages);
        assert!(matches!(error, Error::StageCount { .. }), "{error}");
    }
    let theirs = small.party.bootstrapper().small_bootstrap_key(&other, &no_progress).unwrap();
    let error = run(&theirs, &small.rotation, 3);
    assert!(matches!(error, Error::Object(ObjectError::OtherSecret { what: "small bootstrap key", .. })), "{error}");
    let theirs = small.party.ctx.rotation_key(&other, &no_progress).unwrap();
    let error = run(&small.key, &theirs, 3);
    assert!(matches!(error, Error::Object(ObjectError::OtherSecret { what: "rotation key", .. })), "{error}");

    let sparse = common::context(bootstrap_params(log_n()), Some(16), 1);
    let key = Bootstrapper::new(&sparse).unwrap().small_bootstrap_key(&small.party.secret, &no_progress).unwrap();
    let error = run(&key, &small.rotation, 3);
    assert!(error.to_string().contains("slot_count"), "{error}");
}
