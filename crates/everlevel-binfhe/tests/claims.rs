//! Recomputes every claim of the named sets, and holds the noise formulas against published sets.

use everlevel_binfhe::{
    Error, Gadget, KeySwitch, Landing, Order, Params, ParamsLiteral, Secrets, SmallSecret, Space, noise, sets,
};
use everlevel_rlwe::lwe::KeySwitchKey;
use everlevel_security::SecretDistribution;
use everlevel_security::estimate::{CostModel, Estimate};
use everlevel_security::torus;

#[test]
fn every_claim_is_what_the_formulas_give() {
    let page = include_str!("../../../docs/ntru.md");
    let mut wrong = Vec::new();
    for set in sets::ALL {
        let params = set.params().unwrap();
        let log2_p_fail = params.log2_p_fail(params.squared_norm);
        // Limits are found by halving.
        assert!(log2_p_fail <= params.max_log2_p_fail + 1e-6);
        if set.security_bits == 0.0 {
            println!("{}: no security, {log2_p_fail:.1}", set.name);
            assert!((set.log2_p_fail - log2_p_fail).abs() < 0.051, "{}: {log2_p_fail}", set.name);
            assert!(params.insecure && set.name.starts_with("insecure-"), "{}", set.name);
            assert!(set.about.contains("WITHOUT ANY SECURITY") && set.core_svp_bits() == 0.0, "{}", set.name);
            assert!(params.lwe_dim < 100, "{} is large enough to count attacks", set.name);
            continue;
        }
        let cost = |found: Result<Option<Estimate>, _>| found.unwrap().map_or(512.0, |best| best.log2_cost);
        let small = params.secrets.small.distribution(params.lwe_dim);
        let bits = [
            cost(torus::estimate_of(small, params.lwe_dim, params.lwe_log2_std_dev)),
            cost(torus::estimate(params.big_dim, params.big_log2_std_dev)),
        ];
        let ntru = set.literal().ntru().map_or(f64::INFINITY, |literal| literal.security_bits(CostModel::Matzov));
        let landings = params.landings.iter().map(|to| cost(torus::estimate(to.dim, to.log2_std_dev)));
        let landings: Vec<f64> = landings.collect();
        let lwe_bits = landings.into_iter().chain(bits).fold(f64::INFINITY, f64::min);
        let security_bits = lwe_bits.min(ntru);
        println!("{}: ({security_bits:.1}, {log2_p_fail:.1}), core-SVP {:.1}", set.name, set.core_svp_bits());
        if (set.security_bits - security_bits).abs() > 0.051 || (set.log2_p_fail - log2_p_fail).abs() > 0.051 {
            wrong.push(set.name.to_string());
        }
        // NTRU's keys have 128 bits by the classical count of the literature, and one-hot blocks a little less than
        // 128 by every count.
        let one_hot = matches!(params.secrets.small, SmallSecret::OneHot { .. });
        let least = if one_hot { 127.4 } else { 128.0 };
        if let Some(literal) = set.literal().ntru().filter(|literal| !literal.insecure) {
            let large = (SecretDistribution::Binary, params.big_dim, params.big_log2_std_dev);
            let direct = [(small, params.lwe_dim, params.lwe_log2_std_dev), large]
                .map(|(secret, dim, log2_std_dev)| torus::core_svp_of(secret, dim, log2_std_dev).unwrap())
                .map(|bits| bits.unwrap_or(f64::INFINITY));
            let direct = direct[0].min(direct[1]);
            let cells = format!("| {:.1}, {direct:.1} | {ntru:.1}, {lwe_bits:.1} |", literal.core_svp_bits());
            // The page's cells hold all that the set's claim is made of.
            assert_eq!(set.core_svp_bits(), literal.core_svp_bits().min(direct), "{}", set.name);
            let start = format!("| `{}` |", set.name.trim_start_matches("ntru-"));
            let listed = page.lines().any(|line| line.starts_with(&start) && line.contains(&cells));
            if !listed {
                wrong.push(format!("docs/ntru.md lacks {start} … {cells}"));
            }
        }
        assert!(params.insecure || lwe_bits >= least, "{}", set.name);
        let classical = set.literal().ntru().map_or(f64::INFINITY, |literal| literal.security_bits(CostModel::Bdgl16));
        assert!(params.insecure || classical >= 128.0, "{}", set.name);
        // Attacks that guess are cheaper than the direct one where the small secret has structure.
        let structured = !params.assumptions().is_empty() && set.is_ntru();
        assert!(structured || set.core_svp_bits() < set.security_bits, "{}", set.name);
        assert_eq!(params.insecure, set.name.trim_start_matches("ntru-").starts_with("insecure-"));
        assert_eq!(!params.assumptions().is_empty(), set.name.ends_with("-experimental"), "{}", set.name);
        assert!(!set.name.ends_with("-baseline") || set.about.ends_with("for comparisons."), "{}", set.name);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Megabytes of both keys, ready for use.
fn megabytes(name: &str) -> f64 {
    let params = sets::find(name).unwrap().params().unwrap();
    let key_switches: usize = params.switches().iter().map(|step| KeySwitchKey::nbytes_of(step.shape)).sum();
    let literal = params.literal().clone().tfhe().unwrap();
    let words = literal.ggsws() * literal.rows() * (literal.rank + 1) * literal.n();
    (8 * words + key_switches) as f64 / 1e6
}

/// Columns behind a set's name: the usual set that it is compared with, what it assumes, and its key in those of the
/// usual one at most.
type Experimental = (&'static str, &'static str, &'static [&'static str], f64);

const PARTIAL: &str = "large secrets that end with zeros (partial)";
const SHARED: &str = "small secrets that begin as the large one does (shared)";
const PADDED: &str = "small secrets whose last polynomial ends with zeros";

/// The longer endings first.
const EXPERIMENTAL: &[Experimental] = &[
    ("-blocks-experimental", "", &["small secrets with at most a single one in each block"], 0.92),
    // Of a ring of twice the degree.
    ("integer-5-64-partial-shared-experimental", "integer-5-64", &[PARTIAL, SHARED, PADDED], 2.0),
    ("integer-5-64-partial-experimental", "integer-5-64", &[PARTIAL, PADDED], 2.0),
    ("-partial-shared-experimental", "", &[PARTIAL, SHARED], 0.98),
    ("-partial-experimental", "", &[PARTIAL, PADDED], 0.98),
    ("-14-chain-experimental", "-14-baseline", &[SHARED], 0.9),
    ("-14-experimental", "-14-baseline", &[SHARED, PADDED], 0.9),
    ("-experimental", "", &[SHARED], 0.92),
];

/// Experimental sets have smaller keys than those that they are compared with, and say what they assume.
#[test]
fn experimental_sets_have_smaller_keys() {
    let names = sets::ALL.iter().filter(|set| !set.is_ntru()).map(|set| set.name);
    let mut counts = [0; EXPERIMENTAL.len()];
    for name in names.filter(|name| name.ends_with("-experimental")) {
        let of = |(end, ..): &Experimental| name.ends_with(end);
        let (kind, (end, to, assumptions, most)) =
            EXPERIMENTAL.iter().enumerate().find(|(_, kind)| of(kind)).expect("a kind of sets");
        let usual = name.replace(end, to);
        let found = sets::find(name).unwrap().assumptions();
        // From 6 bits on, sets at 2^-14 have partial secrets, too.
        let expected = [&[PARTIAL][..], assumptions].concat();
        assert!(found == *assumptions || (end.starts_with("-14") && found == expected), "{name}: {found:?}");
        let (key, usual_key) = (megabytes(name), megabytes(&usual));
        println!("{name}: {key:.1} MB, {usual_key:.1} MB without, {:.2}", key / usual_key);
        let most = match name {
            "integer-4-128-blocks-experimental" => 0.7,
            // The usual set takes one bit a step, and fewer of them.
            "integer-2-64-blocks-experimental" => 1.1,
            _ => *most,
        };
        assert!(key <= most * usual_key, "{name}");
        counts[kind] += 1;
    }
    assert_eq!(counts, [18, 1, 1, 1, 1, 8, 8, 18]);
}

#[test]
fn names_are_unique_and_unknown_ones_are_refused() {
    for (i, set) in sets::ALL.iter().enumerate() {
        assert_eq!(sets::ALL.iter().position(|other| other.name == set.name), Some(i));
        assert_eq!(sets::find(set.name).unwrap(), set);
    }
    let error = sets::find("gate").unwrap_err();
    assert!(
        error.to_string().starts_with("parameters: there is no set named \"gate\"; choose one of insecure-tfhe-lib, ")
    );
    assert_eq!(
        sets::find("tfhe-lib").unwrap_err().to_string(),
        "parameters: tfhe-lib has 114.3 bits of security, and 128 are needed; \
         choose another set, or spell it out: insecure-tfhe-lib"
    );
}

/// Sets published with their failure probabilities by tfhe-rs and by the CCS 2024 artifact: the same formulas give the
/// same, with the plain modulus switch that they have.
#[test]
fn published_failure_probabilities_come_out() {
    for (bits, n, rank, log_n, std_devs, pbs, ks, norm, expected) in [
        (2, 750, 3, 9, (-16.01, -35.58), (17, 1), (4, 3), 3.0, -40.0),
        (4, 796, 1, 11, (-17.16, -48.3), (23, 1), (3, 5), 5.0, -40.5),
        (4, 833, 1, 11, (-18.1, -48.3), (23, 1), (3, 5), 5.0, -64.0),
        (4, 788, 2, 10, (-17.98, -51.49), (23, 1), (4, 3), 16.0, -14.0),
    ] {
        let literal = ParamsLiteral {
            torus_bits: 64,
            lwe_dim: n,
            lwe_log2_std_dev: std_devs.0,
            rank,
            log_n,
            log2_extension: 0,
            bits_per_step: 1,
            glwe_log2_std_dev: std_devs.1,
            secrets: Secrets::default(),
            landings: Vec::new(),
            mask_gadget: Gadget::new(pbs.0, pbs.1),
            body_gadget: Gadget::new(pbs.0, pbs.1),
            key_switch: KeySwitch { gadget: Gadget::new(ks.0, ks.1), ring: 1 },
            order: Order::KeySwitchFirst,
            space: Space::Integer { bits },
            squared_norm: norm * norm,
            max_log2_p_fail: 0.0,
            insecure: true,
        };
        let params = Params::try_from(literal).unwrap();
        let noise = params.mean_noise();
        let centred = noise.at_table(params.squared_norm * noise.bootstrapped);
        let plain = (n as f64 / 2.0 + 1.0) / (12.0 * (2.0 * params.n() as f64).powi(2));
        let variance = centred - noise.mod_switch + plain;
        let found = noise::log2_p_fail(params.margin_torus(), variance);
        println!("{bits} bits, n = {n}: {found:.1}, published {expected}");
        assert!((found - expected).abs() < 1.5, "{found} is not {expected}");
    }
}

const BLOCKS: Secrets = Secrets { small: SmallSecret::Blocks { block: 4 }, drawn: None, shared: 0 };

#[test]
fn unsound_numbers_are_refused_with_both_values() {
    let sound = sets::find("gate-64").unwrap().literal().tfhe().unwrap();
    let refused = |literal: ParamsLiteral| Params::try_from(literal).unwrap_err().to_string();
    assert_eq!(
        refused(ParamsLiteral { torus_bits: 48, ..sound.clone() }),
        "parameters: torus_bits is 48; it must be 32 or 64"
    );
    assert_eq!(
        refused(ParamsLiteral { mask_gadget: Gadget::new(13, 5), ..sound.clone() }),
        "parameters: mask_gadget is 5 digits of 13 bits; it must be 1 or more digits of 1 to 30 bits, 62 bits together"
    );
    assert_eq!(
        refused(ParamsLiteral { lwe_log2_std_dev: -14.0, ..sound.clone() }),
        "parameters: lwe_log2_std_dev is 2^-14.00 of the torus, the security line for 640 binary coefficients is 2^-13.15; \
         widen the noise, take a larger dimension, or spell out `insecure`"
    );
    let secrets = |drawn, shared| Secrets { drawn, shared, ..Secrets::default() };
    for (secrets, expected) in [
        (secrets(Some(1537), 0), "secrets.drawn is 1537; it must be 1 to 1536, the large secret's coefficients"),
        (secrets(Some(0), 0), "secrets.drawn is 0; it must be 1 to 1536, the large secret's coefficients"),
        (secrets(None, 641), "secrets.shared is 641; it must be 0 to 640, which is lwe_dim"),
        (secrets(Some(600), 600), "secrets.shared is 600; it must be less than the 600 drawn coefficients"),
        (
            secrets(Some(1200), 640),
            "glwe_log2_std_dev is 2^-35.57 of the torus, the security line for 1200 binary coefficients is 2^-27.21; \
             widen the noise, take a larger dimension, or spell out `insecure`",
        ),
        (
            secrets(Some(499), 0),
            "glwe_log2_std_dev is dimension 499 with a binary secret; it must be a dimension of 500 or more, or \
             `insecure` spelled out",
        ),
        (
            Secrets { small: SmallSecret::Ternary, ..Secrets::default() },
            "secrets.small is Ternary; it must be Binary, or Blocks of 4",
        ),
        (BLOCKS, "bits_per_step is 2; it must be 4, the coefficients of a block"),
        (Secrets { shared: 4, ..BLOCKS }, "secrets.shared is 4; it must be 0 where the small secret has blocks"),
    ] {
        assert_eq!(refused(ParamsLiteral { secrets, ..sound.clone() }), format!("parameters: {expected}"));
    }
    let stair = |shared, dims: &[usize], log2_std_dev| {
        let landing = |&dim| Landing { dim, log2_std_dev, key_switch: sound.key_switch };
        let secrets = Secrets { shared, ..Secrets::default() };
        refused(ParamsLiteral { secrets, landings: dims.iter().map(landing).collect(), ..sound.clone() })
    };
    let no_dim = "parameters: landings.dim is";
    assert_eq!(
        stair(600, &[960], -21.24),
        "parameters: secrets.shared is 600; it must be 640, which is lwe_dim, since landings begin with all of the small \
         secret"
    );
    for (dims, expected) in [
        (&[1536][..], "1536; it must be 641 to 1535, between the secrets before and after"),
        (&[640], "640; it must be 641 to 1535, between the secrets before and after"),
        (&[960, 961], "961; it must be 641 to 959, between the secrets before and after"),
    ] {
        assert_eq!(stair(640, dims, -21.24), format!("{no_dim} {expected}"));
    }
    assert_eq!(
        stair(640, &[960], -22.0),
        "parameters: landings.log2_std_dev is 2^-22.00 of the torus, the security line for 960 binary coefficients is \
         2^-21.24; widen the noise, take a larger dimension, or spell out `insecure`"
    );
    assert!(refused(ParamsLiteral { squared_norm: 100.0, ..sound.clone() }).contains("allowed is 2^-64.0"));
    assert_eq!(
        refused(ParamsLiteral { lwe_dim: 641, bits_per_step: 2, ..sound.clone() }),
        "parameters: bits_per_step is 2; it must be 1, or 2 if lwe_dim = 641 is even"
    );
    for literal in [
        ParamsLiteral { bits_per_step: 0, ..sound.clone() },
        ParamsLiteral { bits_per_step: 3, ..sound.clone() },
        ParamsLiteral { log2_extension: 5, ..sound.clone() },
        ParamsLiteral { log_n: 7, ..sound.clone() },
        ParamsLiteral { log_n: 100, ..sound.clone() },
        ParamsLiteral { rank: 0, ..sound.clone() },
        ParamsLiteral { lwe_dim: 0, ..sound.clone() },
        ParamsLiteral { space: Space::Integer { bits: 9 }, ..sound.clone() },
        ParamsLiteral { key_switch: KeySwitch { ring: 48, ..sound.key_switch }, ..sound.clone() },
        ParamsLiteral { glwe_log2_std_dev: f64::NAN, ..sound.clone() },
        ParamsLiteral { squared_norm: f64::NAN, ..sound.clone() },
        ParamsLiteral { key_switch: KeySwitch { gadget: Gadget::new(8, 4), ring: 32 }, ..sound.clone() },
    ] {
        assert!(matches!(Params::try_from(literal), Err(Error::Parameter { .. })));
    }
}
