//! The noise that a key fixes: its spread over keys is what the formulas say, and all keys but one in `2^40` hold their
//! set's claim.

use std::sync::Arc;

use everlevel_binfhe::key_noise::{OverKeys, RARE, of_key_switch, of_secrets};
use everlevel_binfhe::{
    Error, Gadget, KeySwitch, Landing, Params, ParamsLiteral, SecretKey, Secrets, SeededEvalKeys, SeededKeySwitchKey,
    Space, SwitchStep, noise, sets,
};
use everlevel_rand::sampler::{self, Gaussian};
use everlevel_rand::{Domain, Seed, SeedSource};
use everlevel_ring::{Representation, SmallTorusRing};
use everlevel_rlwe::Randomness;
use everlevel_security::torus;
use everlevel_testkit::noise::DEVIATIONS;

use crate::between_keys::error_at_table;
use crate::common::{fixed_secret, fixed_seed, literal, signed, uniform};

fn params(name: &str) -> Params {
    sets::find(name).unwrap().params().unwrap()
}

/// log2 of the probability that a normal number is so many deviations above its mean, or more.
fn log2_above(deviations: f64) -> f64 {
    let log2_erfc = noise::log2_erfc(deviations.abs() / std::f64::consts::SQRT_2);
    if deviations < 0.0 { (1.0 - log2_erfc.exp2() / 2.0).log2() } else { log2_erfc - 1.0 }
}

/// The variance at the table of a bootstrap of the largest norm: of each part over keys, and of parts that are given.
fn at_table(params: &Params, products: f64, rotation: f64, mod_switch: f64, key_switch: f64) -> f64 {
    let norm = params.squared_norm;
    match params.order {
        everlevel_binfhe::Order::KeySwitchFirst => norm * (products + rotation) + mod_switch + key_switch,
        everlevel_binfhe::Order::BootstrapFirst => norm * (products + rotation + key_switch) + mod_switch,
    }
}

/// The share of keys that would be above a set's limit if none were drawn again, and the key in a million.
fn without_draws(params: &Params) -> (f64, f64) {
    let parts = params.key_parts();
    let of = |f: fn(&OverKeys) -> f64| [&parts.products, &parts.rotation, &parts.mod_switch, &parts.key_switch].map(f);
    let [products, rotation, mod_switch, key_switch] = of(|part| part.mean);
    let mean = at_table(params, products, rotation, mod_switch, key_switch);
    let [products, rotation, mod_switch, key_switch] = of(|part| part.deviation);
    let norm = params.squared_norm;
    // Secrets of few ones have less of both parts.
    let deviation = (norm * products).hypot(norm * rotation + mod_switch).hypot(key_switch);
    let limit = noise::variance_at(params.margin_torus(), params.max_log2_p_fail);
    let one_in_a_million = noise::log2_p_fail(params.margin_torus(), mean + 4.753 * deviation);
    (log2_above((limit - mean) / deviation).exp2(), one_in_a_million)
}

/// The share of secrets that were never drawn again for which 128 draws of a key switch don't suffice.
fn refused_without_draws(params: &Params) -> f64 {
    let (parts, limits) = (params.key_parts(), params.limits());
    let norm = params.squared_norm;
    let above = |part: OverKeys, limit: f64, deviations: f64| (part.at(deviations) - limit).max(0.0);
    let steps = (-600..600).map(|i| (f64::from(i) + 0.5) / 100.0);
    let at = |deviations: f64| {
        // Secrets of few ones have less of both parts.
        let secrets = norm * above(parts.rotation, limits.rotation, deviations)
            + above(parts.mod_switch, limits.mod_switch, deviations);
        let room = (limits.key_switch - secrets - parts.key_switch.mean) / parts.key_switch.deviation;
        let density = (-deviations * deviations / 2.0).exp() / std::f64::consts::TAU.sqrt();
        density / 100.0 * log2_above(room).exp2().powi(128)
    };
    steps.map(at).sum()
}

/// The gain of lattice attacks from the smaller errors of key switches that were drawn again is a part of a bit.
#[test]
fn known_attacks_gain_little_from_draws() {
    let mut more = Vec::new();
    for set in sets::ALL {
        let params = set.params().unwrap();
        let (part, (_, accepted)) = (params.key_parts().key_switch, params.limits().accepted());
        if accepted > 0.9 {
            continue;
        }
        let limit = (params.limits().key_switch - part.mean) / part.deviation;
        // The mean of a normal number that is below its limit, of a variance, and so half of that of a deviation.
        let density = (-limit * limit / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let smaller = part.deviation * density / accepted / part.mean / 2.0;
        let bits = |log2_std_dev: f64| {
            let secret = params.secrets.small.distribution(params.lwe_dim);
            torus::estimate_of(secret, params.lwe_dim, log2_std_dev).unwrap().unwrap().log2_cost
        };
        let lost = bits(params.lwe_log2_std_dev) - bits(params.lwe_log2_std_dev + (1.0 - smaller).log2());
        println!("{}: deviations smaller by {:.2} %, {lost:.2} bits", set.name, 100.0 * smaller);
        if lost >= 0.15 {
            more.push((set.name, lost));
        }
    }
    assert!(more.is_empty(), "{more:?}");
}

/// By formula: what draws leave, and products with more errors than all keys but one in `2^40` have.
#[test]
fn every_set_holds_its_claim_for_all_keys_but_one_in_two_to_forty() {
    assert!(log2_above(RARE) < -40.0);
    for set in sets::ALL {
        let params = set.params().unwrap();
        let (parts, limits) = (params.key_parts(), params.limits());
        let products = parts.products.at(RARE);
        let variance = at_table(&params, products, limits.rotation, limits.mod_switch, limits.key_switch);
        let log2_p_fail = noise::log2_p_fail(params.margin_torus(), variance);
        let (secrets, switches) = limits.accepted();
        let (above, one_in_a_million) = without_draws(&params);
        println!(
            "{}: 2^{log2_p_fail:.2}, {:.1} % of secrets and {:.1} % of key switches are taken, {:.2} bits; \
             without draws {:.1} % above, in a million 2^{one_in_a_million:.1}; refused of older secrets {:.2} %",
            set.name,
            100.0 * secrets,
            100.0 * switches,
            -(secrets * switches).log2(),
            100.0 * above,
            100.0 * refused_without_draws(&params)
        );
        assert!(log2_p_fail <= params.max_log2_p_fail + 1e-6, "{}: 2^{log2_p_fail}", set.name);
        // Ciphertexts track this noise.
        let tracked = params.noise().at_table(params.squared_norm * params.noise().bootstrapped);
        assert!((tracked / variance - 1.0).abs() < 1e-9, "{}", set.name);
        // Ciphertexts of earlier versions have the mean of rotations, and are taken as before.
        assert!(params.noise().blind_rotation >= params.mean_noise().blind_rotation, "{}", set.name);
        // Draws take two bits at most from the cost of any attack.
        assert!(secrets * switches >= 0.24, "{}: {secrets} {switches}", set.name);
    }
}

/// Why keys are drawn again: the sets that a review found above their claims.
#[test]
fn without_draws_many_keys_are_above_their_claims() {
    for (name, least, most) in [
        ("gate-64", 0.05, 0.1),
        ("gate-128-experimental", 0.12, 0.18),
        ("integer-8-128-blocks-experimental", 0.38, 0.45),
        ("integer-1-128", 0.34, 0.41),
    ] {
        let (above, _) = without_draws(&params(name));
        assert!((least..most).contains(&above), "{name}: {above}");
    }
}

/// Mean and deviation of what keys fix, of as many keys, within a tenth of the model's deviation and of its share of
/// the mean.
fn assert_spread(what: &str, own: &[f64], model: OverKeys) {
    let count = own.len() as f64;
    let mean = own.iter().sum::<f64>() / count;
    let deviation = (own.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
    let (of_mean, of_deviation) = (mean / model.mean, deviation / model.deviation);
    println!("{what}: mean {of_mean:.4}, deviation {of_deviation:.3} of the model's, {count} keys");
    assert!((mean - model.mean).abs() < DEVIATIONS * model.deviation / count.sqrt(), "{what}: mean {of_mean}");
    assert!((of_deviation - 1.0).abs() < 0.1, "{what}: deviation {of_deviation}");
}

/// Key switches of so many keys, with errors and secrets as they are drawn first.
fn check_key_switches(count: u64, names: &[&str]) {
    for name in names {
        let params = params(name);
        let switches = params.switches();
        let errors: Vec<Gaussian> =
            switches.iter().map(|step| Gaussian::new((step.log2_std_dev + 32.0).exp2()).unwrap()).collect();
        let own = |key: u64| {
            let seed = fixed_seed(key);
            let mut from = vec![0; params.big_dim];
            let stream = &mut seed.stream(Domain::Test, 0);
            if params.key_parts().key_switch.mean > 0.0 && name.starts_with("ntru") {
                sampler::ternary(stream, &mut from);
            } else {
                sampler::binary(stream, &mut from);
            }
            let of_step = |(i, (step, error)): (usize, (&SwitchStep, &Gaussian))| {
                let randomness = Randomness::from(&seed.derive(Domain::Test, i as u64));
                let errors = SeededKeySwitchKey::errors(step.shape, error, &randomness);
                of_key_switch(step.shape, &from[step.shape.shared..step.shape.from_dim], &errors)
            };
            switches.iter().zip(&errors).enumerate().map(of_step).sum()
        };
        let own: Vec<f64> = (0..count).map(own).collect();
        assert_spread(name, &own, params.key_parts().key_switch);
    }
}

#[test]
fn key_switches_spread_as_the_model_says() {
    check_key_switches(400, &["gate-64", "gate-128-experimental", "ntru-gate-64"]);
}

#[test]
#[ignore = "slow: 1000 keys of every set"]
fn key_switches_of_every_set_spread_as_the_model_says() {
    let names: Vec<&str> = sets::ALL.iter().map(|set| set.name).collect();
    check_key_switches(1000, &names);
}

/// Secrets as they are drawn first.
fn check_secrets(count: u64, names: &[&str]) {
    for name in names {
        let set = sets::find(name).unwrap();
        let own: Vec<(f64, f64)> = (0..count).map(|key| of_secrets(&fixed_secret(set.literal(), key))).collect();
        let parts = *set.params().unwrap().key_parts();
        let rotation: Vec<f64> = own.iter().map(|own| own.0).collect();
        assert_spread(&format!("{name}, rotations"), &rotation, parts.rotation);
        if parts.mod_switch.deviation > 0.0 {
            let mod_switch: Vec<f64> = own.iter().map(|own| own.1).collect();
            assert_spread(&format!("{name}, modulus switch"), &mod_switch, parts.mod_switch);
        } else {
            let all_alike = own.iter().all(|own| (own.1 / parts.mod_switch.mean - 1.0).abs() < 1e-9);
            assert!(all_alike, "{name}");
        }
    }
}

#[test]
fn secrets_spread_as_the_model_says() {
    let names = ["integer-1-128", "integer-2-64-experimental", "gate-64-blocks-experimental", "ntru-gate-64"];
    check_secrets(300, &names);
}

#[test]
#[ignore = "slow: 1000 secrets of every set"]
fn secrets_of_every_set_spread_as_the_model_says() {
    let rounds = |set: &&sets::NamedSet| set.params().unwrap().key_parts().rotation.deviation > 0.0;
    let names: Vec<&str> = sets::ALL.iter().filter(rounds).map(|set| set.name).collect();
    check_secrets(1000, &names);
}

/// Products with errors of the bootstrapping key, at sizes at which they can be counted: those of each step's keys by
/// the digits' moments.
#[test]
fn products_spread_as_the_model_says() {
    for (bits_per_step, factors, mask, body) in [(1, &[1.0][..], (5, 3), (7, 2)), (2, &[2.0, 2.0, 4.0], (4, 2), (3, 3))]
    {
        let (mask_gadget, body_gadget) = (Gadget::new(mask.0, mask.1), Gadget::new(body.0, body.1));
        let base = ParamsLiteral { lwe_dim: 4, bits_per_step, mask_gadget, body_gadget, ..literal(64, Space::Bit) };
        // Errors that are drawn fast.
        let literal = ParamsLiteral { glwe_log2_std_dev: -60.0, max_log2_p_fail: 0.0, ..base };
        let error = Gaussian::new((literal.glwe_log2_std_dev + 64.0).exp2()).unwrap();
        let polynomial = |seed: &Seed, index: u64| {
            let mut errors = vec![0; literal.n()];
            error.sample(&mut seed.stream(Domain::Test, index), &mut errors);
            errors.iter().map(|&e| e as f64 * (-64.0f64).exp2()).collect::<Vec<f64>>()
        };
        let own = |key: u64| {
            let (seed, mut index, mut sum) = (fixed_seed(key), 0, 0.0);
            for factor in factors.iter().cycle().take(literal.ggsws()) {
                for gadget in [vec![mask_gadget; literal.rank], vec![body_gadget]].concat() {
                    let base = f64::from(gadget.log2_base).exp2();
                    let rows: Vec<Vec<f64>> =
                        (0..u64::from(gadget.digits)).map(|r| polynomial(&seed, index + r)).collect();
                    index += u64::from(gadget.digits);
                    let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
                    let squares: f64 = rows.iter().map(|row| inner(row, row)).sum();
                    let neighbours: f64 = rows.windows(2).map(|pair| inner(&pair[0], &pair[1])).sum();
                    sum += factor * ((base * base + 2.0) / 12.0 * squares - base / 4.0 * neighbours);
                }
            }
            sum
        };
        let own: Vec<f64> = (0..600).map(own).collect();
        assert_spread(
            &format!("{bits_per_step} bits a step"),
            &own,
            Params::try_from(literal.clone()).unwrap().key_parts().products,
        );
    }
}

/// The errors of a made key's rows, found with both secrets; words of a row's message are digits' units times bits.
fn errors_of_made(step: &SwitchStep, key: &SeededKeySwitchKey, to: &[i8], from: &[i8]) -> Vec<i64> {
    let (degree, digits) = (step.shape.degree, step.shape.gadget.digits as usize);
    let ring = SmallTorusRing::new(degree);
    let mut padded = to.to_vec();
    padded.resize(to.len().next_multiple_of(degree), 0);
    let secret = ring.secret(&padded);
    let of_row = |(row, body): (usize, &[u32])| {
        let mut masked = vec![0; degree];
        ring.mask_body(&mut masked, &ring.uniform(&(), secret.len(), &key.mask_seed, row as u64), &secret);
        let block = from[row / digits * degree..].iter().chain(std::iter::repeat(&0));
        let unit = 32 - step.shape.gadget.log2_unit(row % digits);
        let error = |((body, masked), &s): ((&u32, u32), &i8)| {
            i64::from(body.wrapping_sub(masked).wrapping_sub((s as u32) << unit) as i32)
        };
        body.iter().zip(masked).zip(block).map(error).collect::<Vec<i64>>()
    };
    key.bodies.chunks_exact(degree).enumerate().flat_map(of_row).collect()
}

/// The variance of key switches with made keys, from their rows.
fn key_switch_of_made(secret: &SecretKey, keys: &SeededEvalKeys) -> f64 {
    let of_step = |(step, key): (SwitchStep, &SeededKeySwitchKey)| {
        let (shape, last) = (step.shape, step.shape.to_dim == secret.params().lwe_dim);
        let to = if last { secret.small() } else { &secret.big()[..shape.to_dim] };
        let from = &secret.big()[shape.shared..shape.from_dim];
        of_key_switch(shape, from, &errors_of_made(&step, key, to, from))
    };
    secret.params().switches().into_iter().zip(keys.landings.iter().chain([&keys.key_switch])).map(of_step).sum()
}

/// The variance at the table of a bootstrap of the largest norm with made keys.
fn variance_of_made(secret: &SecretKey, keys: &SeededEvalKeys) -> f64 {
    let (rotation, mod_switch) = of_secrets(secret);
    let products = secret.params().key_parts().products.at(RARE);
    at_table(secret.params(), products, rotation, mod_switch, key_switch_of_made(secret, keys))
}

/// Keys as users make them, of sets of which a third to a half of the keys were above their claims before they were
/// checked and drawn again.
#[test]
fn made_keys_are_within_their_claims() {
    for (name, count) in [("gate-64", 4), ("gate-128-experimental", 5)] {
        let params = Arc::new(params(name));
        let limit = noise::variance_at(params.margin_torus(), params.max_log2_p_fail);
        let log2_p_fail = |index: u64| {
            let secret = SecretKey::with_seeds(Arc::clone(&params), SeedSource::insecure(fixed_seed(index))).unwrap();
            let variance = variance_of_made(&secret, &SeededEvalKeys::generate(&secret).unwrap());
            assert!(variance <= limit * (1.0 + 1e-6), "{name}, key {index}: {:.4} of the limit", variance / limit);
            format!("{:.1}", noise::log2_p_fail(params.margin_torus(), variance))
        };
        let all: Vec<String> = (0..count).map(log2_p_fail).collect();
        println!("{name}: 2^ {}", all.join(" "));
    }
}

/// The computed noise of one key is that which its key switches measure: few rows, so that keys differ by a third.
fn check_measured(keys: u64, count: u64) {
    let shared = Secrets { shared: 64, ..Secrets::default() };
    let landing =
        Landing { dim: 96, log2_std_dev: -21.0, key_switch: KeySwitch { gadget: Gadget::new(4, 4), ring: 32 } };
    let base = ParamsLiteral {
        mask_gadget: Gadget::new(7, 1),
        body_gadget: Gadget::new(7, 1),
        secrets: shared,
        landings: vec![landing],
        key_switch: KeySwitch { gadget: Gadget::new(2, 4), ring: 32 },
        lwe_log2_std_dev: -9.0,
        ..literal(32, Space::Bit)
    };
    let literal = ParamsLiteral { max_log2_p_fail: 0.0, ..base };
    let (mut sum, mut all) = (0.0, Vec::new());
    for index in 0..keys {
        let secret = fixed_secret(literal.clone(), index);
        let seeded = SeededEvalKeys::from_seed(&secret, &fixed_seed(2 * index + 1)).unwrap();
        let keys = seeded.prepare();
        let error = |i: u64| {
            let big = uniform(keys.params().big_dim, i);
            signed(keys.key_switch_lwe(&big).phase(secret.small()).wrapping_sub(big.phase(secret.big())))
        };
        let measured = (0..count).map(|i| error(i).powi(2)).sum::<f64>() / count as f64;
        let own = key_switch_of_made(&secret, &seeded);
        let ratio = measured / own;
        assert!((ratio - 1.0).abs() < DEVIATIONS * (2.0 / count as f64).sqrt(), "key {index}: {ratio:.3}");
        sum += ratio;
        all.push(own / secret.params().key_parts().key_switch.mean);
    }
    println!("measured over computed {:.4}, computed over the mean {all:.2?}", sum / keys as f64);
    let spread = all.iter().copied().fold(0.0, f64::max) / all.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(spread > 1.3, "keys that differ tell most: {spread}");
}

#[test]
fn key_switches_measure_what_is_computed_of_their_key() {
    check_measured(12, 1500);
}

#[test]
#[ignore = "slow: 100 keys"]
fn key_switches_of_a_hundred_keys_measure_what_is_computed_of_each() {
    check_measured(100, 6000);
}

/// Key switches and modulus switches of made keys, as a bootstrap does them, beside what is computed of each key.
#[test]
#[ignore = "slow: 320,000 key switches of full size"]
fn made_keys_measure_what_is_computed_of_each() {
    for (name, count) in [("gate-64", 8), ("gate-128-experimental", 8)] {
        let params = Arc::new(params(name));
        let samples = 20_000;
        let mut sum = 0.0;
        for index in 0..count {
            let secret = SecretKey::with_seeds(Arc::clone(&params), SeedSource::insecure(fixed_seed(index))).unwrap();
            let seeded = SeededEvalKeys::generate(&secret).unwrap();
            let (rotation, _) = of_secrets(&secret);
            let rotations = params.squared_norm * (params.key_parts().products.at(RARE) + rotation);
            let own = variance_of_made(&secret, &seeded) - rotations;
            let keys = seeded.prepare();
            let error = |i: u64| {
                let input = uniform(params.big_dim, i);
                error_at_table(&secret, &keys, &input, input.phase(secret.big()))
            };
            let measured = (0..samples).map(|i| error(i).powi(2)).sum::<f64>() / samples as f64;
            let log2_p_fail = noise::log2_p_fail(params.margin_torus(), measured + rotations);
            println!("{name}, key {index}: measured over computed {:.4}, 2^{log2_p_fail:.1}", measured / own);
            assert!((measured / own - 1.0).abs() < DEVIATIONS * (2.0 / samples as f64).sqrt(), "{name}, key {index}");
            sum += measured / own;
        }
        let (mean, resolution) = (sum / count as f64, (2.0 / (samples * count) as f64).sqrt());
        assert!((mean - 1.0).abs() < DEVIATIONS * resolution, "{name}: {mean:.4} ± {resolution:.4}");
    }
}

/// Parameters without room: a set's, with its limit at the mean and a margin.
fn tight() -> ParamsLiteral {
    let base = ParamsLiteral {
        lwe_log2_std_dev: -12.4,
        mask_gadget: Gadget::new(6, 2),
        body_gadget: Gadget::new(7, 2),
        max_log2_p_fail: 0.0,
        ..literal(64, Space::Bit)
    };
    let free = Params::try_from(base.clone()).unwrap();
    let (parts, mean) = (free.key_parts(), free.mean_noise());
    let margin = free.squared_norm * RARE * parts.products.deviation;
    let variance = mean.at_table(free.squared_norm * mean.bootstrapped) + margin;
    let some = 0.2 * (free.squared_norm * parts.rotation.deviation + parts.key_switch.deviation);
    ParamsLiteral { max_log2_p_fail: noise::log2_p_fail(free.margin_torus(), variance + some), ..base }
}

#[test]
fn unlucky_keys_are_drawn_again_and_the_same_seed_gives_the_same() {
    let params = Arc::new(Params::try_from(tight()).unwrap());
    let limits = params.limits();
    let (mut again, mut secrets_again) = (0, 0);
    for index in 0..20 {
        let source = || SeedSource::insecure(fixed_seed(index));
        let secret = SecretKey::with_seeds(Arc::clone(&params), source()).unwrap();
        let first = SecretKey::from_seed(Arc::clone(&params), &source().next().unwrap()).unwrap();
        let unlucky = of_secrets(&first).0 > limits.rotation * (1.0 + 1e-9);
        assert_eq!(unlucky, secret.id() != first.id());
        assert!(of_secrets(&secret).0 <= limits.rotation * (1.0 + 1e-9));
        secrets_again += u32::from(unlucky);
        let seed = fixed_seed(1000 + index);
        let keys = SeededEvalKeys::from_seed(&secret, &seed).unwrap();
        let same = SeededEvalKeys::from_seed(&secret, &seed).unwrap();
        assert_eq!(keys.key_switch.bodies, same.key_switch.bodies);
        let step = params.switches().remove(0);
        let error = Gaussian::new((step.log2_std_dev + 32.0).exp2()).unwrap();
        let randomness = Randomness::from(&seed.derive(Domain::Derive, 1));
        let own = |errors: &[i64]| of_key_switch(step.shape, secret.big(), errors);
        let first = own(&SeededKeySwitchKey::errors(step.shape, &error, &randomness));
        let unlucky = first > limits.key_switch * (1.0 + 1e-9);
        assert_eq!(unlucky, keys.key_switch.mask_seed.as_bytes() != randomness.masks().as_bytes());
        let made = own(&errors_of_made(&step, &keys.key_switch, secret.small(), secret.big()));
        assert!(made <= limits.key_switch * (1.0 + 1e-9));
        again += u32::from(unlucky);
    }
    println!("{secrets_again} secrets and {again} key switches of 20 were drawn again");
    assert!((2..18).contains(&again) && (2..18).contains(&secrets_again));
}

/// Where roundings are most of a key switch's noise, draws of its errors change little, and the secret decides.
#[test]
fn secrets_whose_key_switches_have_too_much_noise_are_drawn_again() {
    let coarse = ParamsLiteral {
        lwe_log2_std_dev: -24.0,
        rank: 1,
        log_n: 10,
        glwe_log2_std_dev: -40.0,
        mask_gadget: Gadget::new(9, 3),
        body_gadget: Gadget::new(9, 2),
        ..tight()
    };
    let free = Params::try_from(ParamsLiteral { max_log2_p_fail: 0.0, ..coarse.clone() }).unwrap();
    let parts = free.key_parts();
    let [rotation, mod_switch] = [parts.rotation, parts.mod_switch].map(|part| part.at(3.0));
    let variance = at_table(&free, parts.products.at(RARE), rotation, mod_switch, parts.key_switch.at(1.0));
    let max_log2_p_fail = noise::log2_p_fail(free.margin_torus(), variance);
    let params = Arc::new(Params::try_from(ParamsLiteral { max_log2_p_fail, ..coarse }).unwrap());
    let mut refused = 0;
    for index in 0..20 {
        let undrawn = SecretKey::from_seed(Arc::clone(&params), &fixed_seed(index)).unwrap();
        refused += u32::from(SeededEvalKeys::from_seed(&undrawn, &fixed_seed(1000 + index)).is_err());
        let drawn = SecretKey::with_seeds(Arc::clone(&params), SeedSource::insecure(fixed_seed(index))).unwrap();
        SeededEvalKeys::from_seed(&drawn, &fixed_seed(1000 + index)).unwrap();
    }
    println!("{refused} of 20 secrets have no key switch within the limits");
    assert!(refused > 0);
}

/// A secret from a seed is what it is. The key switch makes up for what is above, or is refused.
#[test]
fn secrets_that_no_key_switch_makes_up_for_are_refused() {
    let params = Arc::new(Params::try_from(tight()).unwrap());
    let limits = params.limits();
    let (mut made_up, mut refused) = (0, 0);
    for index in 0..200 {
        if made_up > 1 && refused > 1 {
            break;
        }
        let secret = SecretKey::from_seed(Arc::clone(&params), &fixed_seed(index)).unwrap();
        let above =
            params.squared_norm * (of_secrets(&secret).0 - limits.rotation) / params.key_parts().key_switch.deviation;
        if above < 0.5 {
            continue;
        }
        match SeededEvalKeys::from_seed(&secret, &fixed_seed(1000 + index)) {
            Ok(keys) => {
                made_up += 1;
                let limit = noise::variance_at(params.margin_torus(), params.max_log2_p_fail);
                assert!(variance_of_made(&secret, &keys) <= limit * (1.0 + 1e-6), "{index}");
            }
            Err(Error::UnluckySecret { draws, max_log2_p_fail }) => {
                refused += 1;
                assert!(above > 1.5 && draws == 128 && max_log2_p_fail == params.max_log2_p_fail, "{above}");
            }
            Err(other) => panic!("{other}"),
        }
    }
    println!("{made_up} secrets were made up for, {refused} refused");
    assert!(made_up > 1 && refused > 1);
}
