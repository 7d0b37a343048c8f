//! The parameter sets of the artifact of ACM CCS 2024: the formulas of this library give their failure probabilities.

use crate::common;

use everlevel_binfhe::{Gadget, ParamsLiteral, Secrets, Space, noise};
use everlevel_security::torus;
use everlevel_testkit::artifact::{Set, TYPED, sets};

fn literal(set: &Set) -> ParamsLiteral {
    let gadget = Gadget::new(set.digits.0, set.digits.1);
    ParamsLiteral {
        lwe_dim: set.lwe_dim,
        rank: set.rank,
        log_n: set.log_n,
        glwe_log2_std_dev: set.log2_std_dev,
        secrets: Secrets { drawn: Some(set.drawn), ..Secrets::default() },
        mask_gadget: gadget,
        body_gadget: gadget,
        ..common::literal(64, Space::Bit)
    }
}

/// log2 of the failure probability of a table of an input whose norm is `2^bits`, with a modulus switch whose mean is
/// not corrected.
fn log2_p_fail(set: &Set) -> f64 {
    let literal = literal(set);
    let rotation = set.lwe_dim as f64 * noise::external_product(&literal);
    let switches = set.switches.iter().map(|switch| {
        let gadget = Gadget::new(switch.digits.0, switch.digits.1);
        noise::key_switch(switch.switched, gadget, (2.0 * switch.log2_std_dev).exp2(), 0.5)
    });
    let rounded = noise::mod_switch(set.lwe_dim as f64 / 2.0, literal.n());
    let margin = (-f64::from(set.bits) - 2.0).exp2();
    noise::log2_p_fail(margin, 4f64.powi(set.bits as i32) * rotation + switches.sum::<f64>() + rounded)
}

/// Each secret's dimension and deviation.
fn secrets(set: &Set) -> Vec<(usize, f64)> {
    let deviations = set.switches.iter().map(|switch| switch.log2_std_dev);
    [(set.drawn, set.log2_std_dev)].into_iter().chain(set.ends().into_iter().zip(deviations)).collect()
}

#[test]
fn failure_probabilities_come_out() {
    let found: Vec<f64> = sets().iter().map(log2_p_fail).collect();
    for (kind, found) in ["classic", "stair", "transforms"].iter().zip(found.chunks(11)) {
        println!("{kind}: {found:.1?}");
    }
    assert!(found.iter().all(|p| (-18.6..-13.9).contains(p)));
    let (rarest, median) = (found.iter().fold(0.0f64, |a, &b| a.min(b)), {
        let mut sorted = found.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    });
    assert!(rarest < -18.5 && (-15.0..-14.0).contains(&median), "{rarest} {median}");
}

/// The artifact's line, `log2 σ = 2.98 − 0.026597·n`, not below −62, has all deviations but the one that was mistyped:
/// so narrow an error would be found out.
#[test]
fn deviations_are_on_one_line_but_for_a_typing_error() {
    let line = |dim: usize| (2.98 - 0.026_597 * dim as f64).max(-62.0);
    for set in sets() {
        for (dim, deviation) in secrets(&set) {
            assert!((deviation - line(dim)).abs() < 0.01, "{} bits, {dim}: {deviation}", set.bits);
        }
    }
    let cost = |deviation| torus::direct_estimate(904, deviation).unwrap().unwrap();
    println!("direct attack on 904 coefficients: 2^{:.0}, mistyped 2^{:.0}", cost(-21.06), cost(TYPED.log2()));
    assert!((TYPED.log2() - line(904)).abs() > 23.0 && cost(-21.06) > 120.0 && cost(TYPED.log2()) < 70.0);
}

/// Ratios of the artifact's listed costs of classic sets to those with key-switch chains, and for switches by
/// transforms those of its model. The formula has each listed cost within 2 %.
#[test]
fn the_model_of_its_costs_has_its_ratios() {
    let all = sets();
    let ratio = |kind: usize, i: usize| all[i].cost() / all[11 * kind + i].cost();
    let stair = [1.18, 1.21, 1.48, 1.21, 1.25, 1.23, 1.30, 1.31, 1.30, 1.34, 1.93];
    let transforms = [1.27, 1.30, 1.57, 1.32, 1.31, 1.22, 1.25, 1.25, 1.24, 1.29, 1.73];
    for (kind, published) in [stair, transforms].iter().enumerate() {
        let found: Vec<f64> = (0..11).map(|i| ratio(kind + 1, i)).collect();
        println!("{found:.2?}");
        assert!(found.iter().zip(published).all(|(found, published)| (found / published - 1.0).abs() < 0.035));
    }
}

/// Keys of classic sets over those with key-switch chains and with switches by transforms, as counted for the artifact.
#[test]
fn keys_are_as_much_smaller_as_published() {
    let all = sets();
    let published = [
        [1.34, 1.30, 1.79, 1.33, 1.66, 1.52, 1.69, 1.67, 1.67, 1.81, 2.23],
        [1.55, 1.53, 2.42, 1.88, 2.67, 1.76, 1.91, 1.70, 1.63, 1.74, 1.98],
    ];
    for (kind, published) in published.iter().enumerate() {
        let ratio = |i: usize| all[i].key_words() as f64 / all[11 * (kind + 1) + i].key_words() as f64;
        let found: Vec<f64> = (0..11).map(ratio).collect();
        println!("{found:.2?}");
        assert!(found.iter().zip(published).all(|(found, published)| (found / published - 1.0).abs() < 0.02));
    }
}
