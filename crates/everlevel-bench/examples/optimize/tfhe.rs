//! TFHE's sets.
//!
//! The cost model counts vector operations and bytes of the key; its constants are fitted to the example `gates` on the
//! machine named in docs/notes/performance.md. Printed are milliseconds of one bootstrap alone, and in a batch.

use everlevel_binfhe::{Gadget, KeySwitch, Order, Params, ParamsLiteral, Secrets, Space, noise};
use everlevel_security::torus::min_log2_std_dev;

use crate::{Wanted, key_switches, margin};

/// Vector operations of a transform of 1024 coefficients.
const TRANSFORM: f64 = 2700.0;
/// Digits of 1024 coefficients, or their rounding: 32- and 64-bit words.
const CONVERSION: [f64; 2] = [750.0, 1100.0];
/// One row times one column of 1024 coefficients: 32-bit keys are converted.
const PRODUCT: [f64; 2] = [384.0, 256.0];
/// Rotation and subtraction of one polynomial of 1024 coefficients.
const ROTATION: f64 = 150.0;
/// Turning one column of 1024 coefficients by monomials, and making these.
const TURNS: f64 = 900.0;
/// Operations of a nanosecond.
const RATE: f64 = 9.4;
/// One digit of the key switch times one output coefficient.
const KEY_SWITCH_NS: f64 = 0.009;
/// One byte of the bootstrap key from memory.
const KEY_BYTE_NS: f64 = 1.0 / 35.0;

/// Of one bootstrap alone and in a batch. Alone, a quarter of the wait for the key isn't hidden.
fn costs_ns(l: &ParamsLiteral) -> (f64, f64) {
    let wide = usize::from(l.torus_bits == 64);
    let (size, levels) = (l.n() as f64 / 1024.0, f64::from(l.log_n) / 10.0);
    let (rows, columns) = (l.rows() as f64, (l.rank + 1) as f64);
    let transforms = l.transforms() as f64 * (levels * TRANSFORM + CONVERSION[wide]);
    let products = (l.ggsws() / l.steps()) as f64 * rows * columns;
    let turns = if l.bits_per_step == 2 { TURNS * (columns + 1.0) } else { ROTATION * columns };
    let operations = size * (transforms + products * PRODUCT[wide] + turns);
    let arithmetic = l.extension() as f64 * operations / RATE;
    let memory = products * l.n() as f64 * [4.0, 8.0][wide] * KEY_BYTE_NS;
    let key_switch = l.big_dim() as f64 * f64::from(l.key_switch.gadget.digits) * l.lwe_dim as f64 * KEY_SWITCH_NS;
    let all = |step: f64| l.steps() as f64 * step + key_switch;
    (all(arithmetic.max(memory) + memory / 4.0), all(arithmetic))
}

/// The numbers of parameters that are TFHE's, as all here are.
fn tfhe(params: &Params) -> ParamsLiteral {
    params.literal().clone().tfhe().expect("parameters of TFHE")
}

/// The geometric mean: both are wanted.
fn cost_ns(params: &Params) -> f64 {
    let (alone, batch) = costs_ns(&tfhe(params));
    (alone * batch).sqrt()
}

/// Lists the cheapest sets.
pub fn search(Wanted { space, squared_norm, max_log2_p_fail }: Wanted) {
    let margin_torus = margin(space);
    let mut best: Vec<(f64, Params)> = Vec::new();
    for torus_bits in [64, 32] {
        for (log_n, log2_extension) in
            (8..=16).flat_map(|log_n| (0..=17 - log_n).map(move |extension| (log_n, extension)))
        {
            for rank in 1..=6usize {
                let dim = rank << log_n;
                if !(900..=1 << 16).contains(&dim) || (rank > 1 && dim > 4096) {
                    continue;
                }
                // No use where the modulus switch alone is too coarse.
                let table_len = 1 << (log_n + log2_extension);
                if noise::log2_p_fail(margin_torus, noise::mod_switch(128.0, table_len)) > max_log2_p_fail {
                    continue;
                }
                for bits_per_step in if log2_extension > 0 { 1..=1 } else { 1..=2 } {
                    let ring = (log_n, log2_extension, bits_per_step);
                    for (mask, body) in gadgets(torus_bits) {
                        let found = smallest(torus_bits, ring, rank, mask, body, space, squared_norm, max_log2_p_fail);
                        best.extend(found.map(|params| (cost_ns(&params), params)));
                    }
                }
            }
        }
    }
    best.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, params) in best.iter().take(6) {
        let l = &tfhe(params);
        println!(
            "{:.2} / {:.2} ms, 2^{:.1}, {} transforms: torus {}, lwe ({}, {:.2}), glwe ({}, {}, {:.2}), extension {}, {} bits a step, ({}, {}), ({}, {}), ({}, {}, {})",
            costs_ns(l).0 / 1e6,
            costs_ns(l).1 / 1e6,
            params.log2_p_fail(params.squared_norm),
            params.transforms(),
            l.torus_bits,
            l.lwe_dim,
            l.lwe_log2_std_dev,
            l.rank,
            l.log_n,
            l.glwe_log2_std_dev,
            l.log2_extension,
            l.bits_per_step,
            l.mask_gadget.log2_base,
            l.mask_gadget.digits,
            l.body_gadget.log2_base,
            l.body_gadget.digits,
            l.key_switch.gadget.log2_base,
            l.key_switch.gadget.digits,
            l.key_switch.ring,
        );
    }
}

/// Mask gadgets of up to five digits, and for each the body gadgets worth trying.
fn gadgets(torus_bits: u32) -> Vec<(Gadget, Gadget)> {
    let mut all = Vec::new();
    for digits in 1..=5 {
        for log2_base in 3..=26 {
            if digits * log2_base > torus_bits {
                continue;
            }
            for body_digits in digits.saturating_sub(1).max(1)..=digits {
                for body_log2_base in log2_base.saturating_sub(2).max(2)..=log2_base + 4 {
                    if body_digits * body_log2_base <= torus_bits.min(30 * body_digits) {
                        all.push((Gadget::new(log2_base, digits), Gadget::new(body_log2_base, body_digits)));
                    }
                }
            }
        }
    }
    all
}

/// The cheapest small dimension and key switch for a choice of the rest.
#[allow(clippy::too_many_arguments)]
fn smallest(
    torus_bits: u32,
    (log_n, log2_extension, bits_per_step): (u32, u32, usize),
    rank: usize,
    mask_gadget: Gadget,
    body_gadget: Gadget,
    space: Space,
    squared_norm: f64,
    max_log2_p_fail: f64,
) -> Option<Params> {
    let glwe_log2_std_dev = (min_log2_std_dev(rank << log_n, torus_bits)? * 100.0).ceil() / 100.0;
    let ring = 32;
    for lwe_dim in (512..=1280).step_by(ring) {
        let literal = ParamsLiteral {
            torus_bits,
            lwe_dim,
            lwe_log2_std_dev: (min_log2_std_dev(lwe_dim, 32)? * 100.0).ceil() / 100.0,
            rank,
            log_n,
            log2_extension,
            bits_per_step,
            glwe_log2_std_dev,
            secrets: Secrets::default(),
            landings: Vec::new(),
            mask_gadget,
            body_gadget,
            key_switch: KeySwitch { gadget: Gadget::new(1, 1), ring },
            order: Order::KeySwitchFirst,
            space,
            squared_norm,
            max_log2_p_fail,
            insecure: false,
        };
        // With a key switch that adds nothing.
        let rotation = lwe_dim as f64 * noise::external_product(&literal);
        let variance = squared_norm * rotation + noise::mod_switch(lwe_dim as f64 / 4.0, literal.n() << log2_extension);
        if noise::log2_p_fail(margin(space), variance) > max_log2_p_fail {
            continue;
        }
        let sets = key_switches(ring)
            .filter_map(|key_switch| Params::try_from(ParamsLiteral { key_switch, ..literal.clone() }).ok());
        if let Some(best) = sets.min_by(|a, b| cost_ns(a).total_cmp(&cost_ns(b))) {
            return Some(best);
        }
    }
    None
}
