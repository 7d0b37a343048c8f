//! Parameter claims, recomputed: no key's modulus is above its cap, every depth of the 1.x table builds, scales and
//! sizes are as said.

use crate::common;

use crate::common::{Party, depth};
use everlevel_ckks::circuits::table::Space;
use everlevel_ckks::{
    BootstrapKeySize, BootstrapKind, Context, Error, KeyModulus, Options, Params, ParamsLiteral, Precision,
    TableWidths, no_progress,
};
use everlevel_ckks::{ENCAPSULATION_WEIGHT, stage_counts};
use everlevel_ring::PrimeSet;
use everlevel_security::SecretDistribution::{FixedWeight, Ternary};
use everlevel_security::{SecretDistribution, max_log2_qp};

/// log2 of a product of primes, from the primes themselves.
fn log2(params: &Params, set: &PrimeSet) -> f64 {
    set.indices().iter().map(|&i| (params.primes()[i] as f64).log2()).sum()
}

fn assert_within_caps(params: &Params, keys: &[KeyModulus]) {
    for key in keys {
        let bits = log2(params, &key.set);
        assert!((bits - key.log2_qp).abs() < 1e-6, "{}: {} bits, recomputed {bits}", key.name, key.log2_qp);
        let cap = max_log2_qp(params.literal().log_n, key.secret).expect("a row of the table");
        println!("{}: {bits:.1} of {cap} bits, {} primes, {} secret", key.name, key.set.len(), key.secret);
        assert!(bits <= cap, "{}: {bits} bits, cap {cap}", key.name);
    }
}

#[test]
fn every_key_of_the_bootstrapping_parameters_is_within_its_cap() {
    for (literal, max_level, counts) in [
        (ParamsLiteral::bootstrap(), 13, vec![3, 4, 5]),
        (ParamsLiteral::bootstrap_to(14), 17, vec![3]),
        (ParamsLiteral::bootstrap_to(17), 20, vec![3]),
        (ParamsLiteral::high_precision(), 11, vec![3, 4, 5]),
    ] {
        let params = Params::try_from(literal).unwrap();
        assert_eq!(
            (params.literal().log_n, params.literal().secret, params.literal().insecure),
            (16, FixedWeight(1024), false)
        );
        assert_eq!((params.literal().max_level, params.max_log2_qp()), (max_level, Some(1717.0)));
        let ctx = common::context(params.clone(), None, 2);
        assert_eq!(ctx.stage_counts(), counts);
        let keys = ctx.key_moduli().unwrap();
        assert_within_caps(&params, &keys);
        // The sparse secret meets one key, of at most 121 bits.
        let sparse: Vec<_> = keys.iter().filter(|k| k.secret == FixedWeight(ENCAPSULATION_WEIGHT)).collect();
        assert_eq!((sparse.len(), ENCAPSULATION_WEIGHT), (1, 32));
        assert!(sparse[0].log2_qp <= 121.0, "{}", sparse[0].log2_qp);
        assert!(keys.iter().all(|k| k.secret == FixedWeight(1024) || k.secret == FixedWeight(32)));
        // A key for every stage of CoeffsToSlots, one back from the sparse secret for each of its stage counts, and two
        // for every stage of SlotsToCoeffs. CoeffsToSlots has four stages, or as many, and three in the deeper chains.
        let stages = counts.len() + 3 * counts.iter().sum::<usize>();
        // Older files have other special primes in some of these.
        let older = keys.iter().filter(|key| key.name.ends_with("of older files")).count();
        assert!(older <= stages);
        assert_eq!(keys.len() - older, 2 + (max_level + 1) + 3 + stages);

        // Fewer slots have other transforms.
        for slots in [2, 64, 1024, 1 << 14] {
            let ctx = common::context(params.clone(), Some(slots), 2);
            assert_within_caps(&params, &ctx.key_moduli().unwrap());
        }
    }
    let refusal = Params::try_from(ParamsLiteral::bootstrap_to(18)).unwrap_err();
    assert!(refusal.to_string().starts_with("max_level = 21: must be 4 to 20 with bootstrapping"), "{refusal}");
}

#[test]
fn every_key_of_the_chains_for_tables_is_within_its_cap() {
    for bits in 1..=8 {
        let space = Space::new(1 << bits).unwrap();
        let params = Params::try_from(ParamsLiteral::bootstrap().for_tables(space, 4)).unwrap();
        let ctx = common::context(params.clone(), None, 2);
        let keys = ctx.key_moduli().unwrap();
        assert_within_caps(&params, &keys);
        let sparse: Vec<_> = keys.iter().filter(|k| k.secret == FixedWeight(ENCAPSULATION_WEIGHT)).collect();
        assert!(matches!(sparse[..], [key] if key.log2_qp <= 121.0));
        let json = params.literal().to_json();
        assert_eq!(ParamsLiteral::from_json(&json).unwrap(), *params.literal(), "{json}");

        // Keys that are made, on a small ring.
        let party = Party::new(ParamsLiteral::insecure_bootstrap(9).for_tables(space, 4));
        let listed = party.ctx.key_moduli().unwrap();
        let made = [
            party.relinearization.moduli(),
            party.conjugation.moduli(),
            party.key_of(BootstrapKind::First, 3).moduli(),
        ];
        for set in made.concat() {
            assert!(listed.iter().any(|k| k.set == set), "{bits} bits: {set:?}");
        }
    }
    let tables = |widths| ParamsLiteral { tables: Some(widths), ..ParamsLiteral::bootstrap() };
    let widths = TableWidths { base: 36, message: 36, highest: None, eval_mod: [48; 8], coeffs_to_slots: 36 };
    for (refused, what) in [
        (tables(TableWidths { base: 23, ..widths }), "base prime = 23"),
        (tables(TableWidths { message: 49, ..widths }), "message levels = 49"),
        (tables(TableWidths { highest: Some([36, 36, 73, 36]), ..widths }), "highest message levels = 73"),
        (tables(TableWidths { eval_mod: [40; 8], ..widths }), "EvalMod level = 40"),
        (tables(TableWidths { coeffs_to_slots: 84, ..widths }), "stages = 84"),
        (ParamsLiteral { bootstrap: false, ..tables(widths) }, "chain with bootstrapping"),
        (ParamsLiteral { precision: Precision::High, ..tables(widths) }, "of standard precision"),
    ] {
        let error = Params::try_from(refused).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

/// A key's modulus does not say how its primes are used; but each key of this small context is made by the functions
/// that the list above is made by, and no key has a modulus outside the list.
#[test]
fn generated_keys_have_the_listed_moduli_and_no_others() {
    let party = Party::bootstrap(9);
    let listed = party.ctx.key_moduli().unwrap();
    let find = |what: &str, moduli: Vec<PrimeSet>| {
        assert!(!moduli.is_empty());
        for set in moduli {
            let names: Vec<_> = listed.iter().filter(|k| k.set == set).map(|k| &k.name[..]).collect();
            assert!(names.iter().any(|name| name.contains(what)), "{what}: {set:?} is listed as {names:?}");
        }
    };
    find("public", party.public.moduli());
    find("relinearization", party.relinearization.moduli());
    find("conjugation", party.conjugation.moduli());
    find("rotation", party.ctx.rotation_key(&party.secret, &no_progress).unwrap().moduli());
    for level in 0..=13 {
        find(&format!("up to level {level}"), party.ctx.fixed_rotation_key(&party.secret, 1, level).unwrap().moduli());
    }
    for set in party.small_key().moduli() {
        assert!(listed.iter().any(|k| k.set == set), "small key: {set:?}");
    }
    for stages in stage_counts(party.ctx.slot_count()) {
        for size in [BootstrapKeySize::Medium, BootstrapKeySize::Large] {
            let kinds = [BootstrapKind::Regular, BootstrapKind::Lossy, BootstrapKind::Both];
            let keys = kinds.map(|kind| {
                party.bootstrapper().bootstrap_key_of(kind, &party.secret, stages, size, &no_progress).unwrap()
            });
            let moduli = keys.iter().flat_map(|key| key.moduli());
            let suffix = |k: &&KeyModulus| {
                // Stages of CoeffsToSlots merge up to four of the eight layers.
                let count = if k.name.starts_with("CoeffsToSlots") { 2 } else { stages };
                k.name.ends_with(&format!("of {count}")) || k.name.contains("the sparse secret")
            };
            for set in moduli {
                assert!(listed.iter().filter(suffix).any(|k| k.set == set), "{stages} stages: {set:?}");
            }
        }
    }
}

/// Sizes at the real parameters, from the keys themselves.
#[test]
#[ignore = "slow: N = 2^16, about 20 s on two cores, 4 GB"]
fn generated_keys_of_the_real_parameters_are_within_their_caps() {
    let options = Options { thread_count: 2, seeded_keys: true, ..Options::default() };
    let ctx = common::context_with(Params::try_from(ParamsLiteral::bootstrap()).unwrap(), options);
    let party = Party::of(ctx);
    let mut sparse = 0;
    let mut check = |moduli: Vec<PrimeSet>| {
        for set in moduli {
            let bits = log2(party.ctx.params(), &set);
            let listed = party.ctx.key_moduli().unwrap();
            let key = listed.iter().find(|k| k.set == set).expect("a listed modulus");
            assert!(bits <= max_log2_qp(16, key.secret).unwrap(), "{}: {bits} bits", key.name);
            sparse += usize::from(key.secret == FixedWeight(ENCAPSULATION_WEIGHT));
        }
    };
    check(party.public.moduli());
    check(party.relinearization.moduli());
    check(party.conjugation.moduli());
    check(party.ctx.fixed_rotation_key(&party.secret, 1, 13).unwrap().moduli());
    check(party.bootstrap_key(3, BootstrapKeySize::Large).moduli());
    check(party.small_key().moduli());
    assert_eq!(sparse, 2);
}

#[test]
fn every_depth_of_the_table_builds_within_its_cap() {
    for max_level in 0..=77 {
        let literal = ParamsLiteral::for_depth(max_level).unwrap();
        let log_n = match max_level {
            0..=2 => 13,
            3..=7 => 14,
            8..=17 => 15,
            18..=36 => 16,
            _ => 17,
        };
        assert_eq!(
            (literal.log_n, literal.max_level, literal.bootstrap, literal.insecure),
            (log_n, max_level, false, false)
        );
        let params = Params::try_from(literal).unwrap();
        assert_eq!(params.max_slots(), 1 << (log_n - 1));
        let cap = params.max_log2_qp().expect("a row of the table");
        // The smallest key that a level can have: the modulus and one special prime, as the public key has.
        let q = log2(&params, &PrimeSet::new(0..=max_level));
        assert!(q + 48.0 <= cap, "{max_level} levels: {q} + 48 bits, cap {cap}");
        // A base prime of 48 bits, a first step of 42, then 40 bits a level.
        let expected = 48.0 + if max_level > 0 { 2.0 } else { 0.0 } + 40.0 * max_level as f64;
        assert!((q - expected).abs() < 0.1, "{max_level} levels: {q} bits");
        assert!(params.primes().iter().all(|p| *p < 1 << 48 && (p - 1) % (2 << log_n) == 0));
    }
}

#[test]
fn small_secure_contexts_compute() {
    for max_level in [0, 1, 2] {
        let party = Party::new(ParamsLiteral::for_depth(max_level).unwrap());
        assert_within_caps(party.ctx.params(), &party.ctx.key_moduli().unwrap());
        let x = common::uniform(4096, 1);
        let mut expected = x.clone();
        let mut ct = party.encrypt(&x, max_level);
        party.assert_holds("fresh", &ct, &expected, max_level, 20.0);
        for level in (0..max_level).rev() {
            ct = party.ctx.multiply(&ct, &ct, &party.relinearization).unwrap();
            expected = common::zip(&expected, &expected, |x, y| x * y);
            party.assert_holds("square", &ct, &expected, level, 18.0);
        }
    }
}

#[test]
fn parameters_outside_their_range_are_refused() {
    let good = ParamsLiteral::insecure_depth(9, 3);
    let bad = [
        ("log_n", ParamsLiteral { log_n: 8, ..good.clone() }),
        ("log_n", ParamsLiteral { log_n: 18, ..good.clone() }),
        ("log_n", ParamsLiteral { log_n: u32::MAX, ..good.clone() }),
        ("max_level", ParamsLiteral { max_level: 78, ..good.clone() }),
        ("max_level", ParamsLiteral { max_level: usize::MAX, ..good.clone() }),
        ("max_level", ParamsLiteral { bootstrap: true, ..good.clone() }),
        ("max_level", ParamsLiteral { max_level: usize::MAX, bootstrap: true, ..good.clone() }),
        ("weight of the secret", ParamsLiteral { secret: FixedWeight(0), ..good.clone() }),
        ("weight of the secret", ParamsLiteral { secret: FixedWeight(513), ..good.clone() }),
        ("weight of the secret", ParamsLiteral { secret: FixedWeight(usize::MAX), ..good.clone() }),
    ];
    for (expected, literal) in bad {
        match Params::try_from(literal.clone()) {
            Err(Error::Parameter { what, needed, .. }) => {
                assert!(what == expected && !needed.is_empty(), "{literal:?}: {what}")
            }
            Err(Error::BootstrapLevels { found, least, most }) => {
                assert!(expected == "max_level" && !(least..=most).contains(&found), "{literal:?}: {least} to {most}")
            }
            other => panic!("{literal:?}: {other:?}"),
        }
    }
    assert!(matches!(ParamsLiteral::for_depth(78), Err(Error::Parameter { what: "max_level", .. })));
    assert!(Params::try_from(ParamsLiteral { secret: FixedWeight(512), ..good }).is_ok());
}

#[test]
fn parameters_above_the_cap_or_without_one_are_refused_unless_insecure_is_spelled_out() {
    let secure = |log_n, max_level, secret: SecretDistribution| ParamsLiteral {
        log_n,
        max_level,
        bootstrap: false,
        precision: Precision::Standard,
        secret,
        tables: None,
        insecure: false,
    };
    for (literal, reason) in [
        (secure(13, 4, Ternary), "above 214.0"),
        (secure(14, 10, Ternary), "above 430.0"),
        (secure(13, 2, FixedWeight(64)), "no 128-bit cap is listed"),
        (secure(10, 1, Ternary), "no 128-bit cap is listed"),
        (ParamsLiteral { insecure: false, ..ParamsLiteral::insecure_bootstrap(9) }, "no 128-bit cap is listed"),
    ] {
        let error = Context::new(Params::try_from(literal.clone()).unwrap(), None, 1).unwrap_err();
        assert!(matches!(error, Error::Security(_)), "{literal:?}: {error}");
        let text = error.to_string();
        assert!(text.contains(reason) && text.contains("spell out `insecure`"), "{text}");
        assert!(Context::new(Params::try_from(ParamsLiteral { insecure: true, ..literal }).unwrap(), None, 1).is_ok());
    }
}

#[test]
fn options_outside_their_range_are_refused() {
    let params = || Params::try_from(ParamsLiteral::insecure_depth(9, 1)).unwrap();
    for slots in [0, 3, 257, 512, usize::MAX] {
        let error = Context::new(params(), Some(slots), 1).unwrap_err();
        assert_eq!(error.to_string(), format!("slot_count = {slots}: must be a power of two up to 256"));
    }
    for threads in [0, 257, usize::MAX] {
        let error = Context::new(params(), None, threads).unwrap_err();
        assert_eq!(error.to_string(), format!("thread_count = {threads}: must be between 1 and 256"));
    }
}

#[test]
fn fingerprints_tell_parameters_apart() {
    let literals = [
        ParamsLiteral::insecure_depth(9, 1),
        ParamsLiteral::insecure_depth(9, 2),
        ParamsLiteral::insecure_depth(10, 1),
        ParamsLiteral::insecure_bootstrap(9),
        ParamsLiteral { secret: FixedWeight(16), ..ParamsLiteral::insecure_depth(9, 1) },
        ParamsLiteral { secret: Ternary, ..ParamsLiteral::insecure_depth(9, 1) },
    ];
    let prints: Vec<u64> = literals.iter().map(|l| Params::try_from(l.clone()).unwrap().fingerprint()).collect();
    for (i, a) in prints.iter().enumerate() {
        assert!(prints[..i].iter().all(|b| a != b), "{:?}", literals[i]);
    }
    let again = Params::try_from(literals[0].clone()).unwrap();
    assert_eq!((again.fingerprint(), again.literal()), (prints[0], &literals[0]));
    assert_eq!(depth(9, 1).ctx.params().fingerprint(), prints[0]);
}
