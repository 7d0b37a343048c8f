//! TFHE's sets.
//!
//! The cost model counts vector operations and bytes of the key; its constants are fitted to the example `gates` on the
//! machine named in docs/notes/performance.md. Printed are milliseconds of one bootstrap alone, and in a batch.

use std::collections::HashMap;

use everlevel_binfhe::{
    Gadget, KeySwitch, Landing, Order, Params, ParamsLiteral, Secrets, SmallSecret, SwitchStep, noise,
};
use everlevel_security::torus::{min_log2_std_dev, min_log2_std_dev_of};

use crate::{Wanted, key_switches, margin};

/// Degree of the key switches' ring, for which their costs were measured.
const SWITCH_RING: usize = 32;

/// Vector operations of a transform of 1024 coefficients.
const TRANSFORM: f64 = 2700.0;
/// Digits of 1024 coefficients, or their rounding: 32- and 64-bit words.
const CONVERSION: [f64; 2] = [750.0, 1100.0];
/// One row times one column of 1024 coefficients: 32-bit keys are converted.
const PRODUCT: [f64; 2] = [384.0, 256.0];
/// Rotation and subtraction of one polynomial of 1024 coefficients.
const ROTATION: f64 = 150.0;
/// Turning one product of 1024 coefficients by a monomial.
const TURN: f64 = 300.0;
/// Making a monomial at the points of 1024 coefficients.
const MONOMIAL: f64 = 450.0;
/// Operations of a nanosecond.
const RATE: f64 = 9.4;
/// One digit of the key switch times one output coefficient.
const KEY_SWITCH_NS: f64 = 0.009;
/// One byte of the bootstrap key from memory.
const KEY_BYTE_NS: f64 = 1.0 / 35.0;

/// Nanoseconds of one bootstrap alone and in a batch. Alone, a quarter of the wait for the key isn't hidden.
fn costs_ns(params: &Params) -> (f64, f64) {
    let l = &tfhe(params);
    let wide = usize::from(l.torus_bits == 64);
    let (size, levels) = (l.n() as f64 / 1024.0, f64::from(l.log_n) / 10.0);
    let (rows, columns) = (l.rows() as f64, (l.rank + 1) as f64);
    let transforms = l.transforms() as f64 * (levels * TRANSFORM + CONVERSION[wide]);
    let matrices = (l.ggsws() / l.steps()) as f64;
    let products = matrices * rows * columns;
    let turns = match l.bits_per_step {
        1 => ROTATION * columns,
        bits => TURN * matrices * columns + MONOMIAL * bits as f64,
    };
    let operations = size * (transforms + products * PRODUCT[wide] + turns);
    let arithmetic = l.extension() as f64 * operations / RATE;
    let memory = products * l.n() as f64 * [4.0, 8.0][wide] * KEY_BYTE_NS;
    let key_switch: f64 = params.switches().iter().map(switch_ns).sum();
    let all = |step: f64| l.steps() as f64 * step + key_switch;
    (all(arithmetic.max(memory) + memory / 4.0), all(arithmetic))
}

fn switch_ns(step: &SwitchStep) -> f64 {
    let digits = step.shape.switched_dim() as f64 * f64::from(step.shape.gadget.digits);
    digits * step.shape.to_dim as f64 * KEY_SWITCH_NS
}

/// The numbers of parameters that are TFHE's, as all here are.
fn tfhe(params: &Params) -> ParamsLiteral {
    params.literal().clone().tfhe().expect("parameters of TFHE")
}

/// The geometric mean: both are wanted.
fn cost_ns(params: &Params) -> f64 {
    let (alone, batch) = costs_ns(params);
    (alone * batch).sqrt()
}

/// The structure of the secrets that are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structure {
    /// All coefficients are drawn, each by itself.
    Usual,
    /// The large secret is partial, and the small one and at most one intermediate secret are prefixes of it.
    Shared,
    /// Secrets with at most one set of each four coefficients of the small one.
    Blocks,
}

/// Coefficients of a block.
const BLOCK: usize = 4;

impl Structure {
    fn small(self) -> SmallSecret {
        if self == Self::Blocks { SmallSecret::Blocks { block: BLOCK } } else { SmallSecret::Binary }
    }

    /// The narrowest deviation of a small secret.
    fn small_deviation(self, lwe_dim: usize) -> Option<f64> {
        let line = min_log2_std_dev_of(self.small().distribution(lwe_dim), lwe_dim, 32)?;
        Some((line * 100.0 - 1e-6).ceil() / 100.0)
    }

    fn bits_per_step(self, log2_extension: u32) -> std::ops::RangeInclusive<usize> {
        match (self, log2_extension) {
            (Self::Blocks, _) => BLOCK..=BLOCK,
            (_, ..=4) => 1..=2,
            _ => 1..=1,
        }
    }
}

/// Lists the cheapest sets.
pub fn search(wanted: Wanted, structure: Structure) {
    let Wanted { space, max_log2_p_fail, .. } = wanted;
    let margin_torus = margin(space);
    let mut ways = Ways { structure, found: HashMap::new() };
    let mut best: Vec<(f64, Params)> = Vec::new();
    for &torus_bits in if structure == Structure::Usual { &[64, 32][..] } else { &[64] } {
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
                // Extended by more, tables take their bits one at a time.
                if structure == Structure::Blocks && log2_extension > 4 {
                    continue;
                }
                for bits_per_step in structure.bits_per_step(log2_extension) {
                    let ring = (log_n, log2_extension, bits_per_step);
                    for (mask, body) in gadgets(torus_bits) {
                        for drawn in drawn_dims(structure, dim) {
                            let found = smallest(torus_bits, ring, (rank, drawn), (mask, body), wanted, &mut ways);
                            best.extend(found.map(|params| (cost_ns(&params), params)));
                        }
                    }
                }
            }
        }
    }
    // Among sets of equal cost the one that fails least: gadgets often differ in bases alone.
    let log2_p_fail = |params: &Params| params.log2_p_fail(params.squared_norm);
    best.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| log2_p_fail(&a.1).total_cmp(&log2_p_fail(&b.1))));
    best.dedup_by_key(|(cost, _)| *cost);
    for (_, params) in best.iter().take(6) {
        let l = &tfhe(params);
        let switches = params.switches().into_iter().map(|step| {
            let (gadget, shape) = (step.shape.gadget, step.shape);
            let numbers = (gadget.log2_base, gadget.digits, shape.degree);
            format!("to ({}, {:.2}) by {numbers:?}", shape.to_dim, step.log2_std_dev)
        });
        println!(
            "{:.2} / {:.2} ms, 2^{:.1}, {} transforms: torus {}, glwe ({}, {}, {:.2}), {} drawn, {} shared, extension {}, {} bits a step, ({}, {}), ({}, {}), {}",
            costs_ns(params).0 / 1e6,
            costs_ns(params).1 / 1e6,
            log2_p_fail(params),
            params.transforms(),
            l.torus_bits,
            l.rank,
            l.log_n,
            l.glwe_log2_std_dev,
            l.big_dim(),
            l.secrets.shared,
            l.log2_extension,
            l.bits_per_step,
            l.mask_gadget.log2_base,
            l.mask_gadget.digits,
            l.body_gadget.log2_base,
            l.body_gadget.digits,
            switches.collect::<Vec<_>>().join(", "),
        );
    }
}

/// Coefficients that may be drawn of so many.
fn drawn_dims(structure: Structure, dim: usize) -> Vec<usize> {
    match structure {
        Structure::Usual | Structure::Blocks => vec![dim],
        // From 2600 on the deviation is as narrow as the word allows.
        Structure::Shared => (1024..dim.min(2624)).step_by(128).chain((dim <= 4096).then_some(dim)).collect(),
    }
}

/// The narrowest deviation, rounded up to what is printed.
fn deviation(dim: usize, torus_bits: u32) -> Option<f64> {
    Some((min_log2_std_dev(dim, torus_bits)? * 100.0).ceil() / 100.0)
}

/// A way from the large secret to the small one.
#[derive(Debug, Clone)]
struct Way {
    cost_ns: f64,
    variance: f64,
    landings: Vec<Landing>,
    key_switch: KeySwitch,
}

/// Ways that are cheaper than all others of as little noise, from cheap to dear, by both dimensions.
struct Ways {
    structure: Structure,
    found: HashMap<(usize, usize), Vec<Way>>,
}

impl Ways {
    fn of(&mut self, big_dim: usize, lwe_dim: usize) -> &[Way] {
        let structure = self.structure;
        self.found.entry((big_dim, lwe_dim)).or_insert_with(|| {
            let mut all = ways(structure, big_dim, lwe_dim).unwrap_or_default();
            all.sort_by(|a, b| a.cost_ns.total_cmp(&b.cost_ns));
            let mut least = f64::INFINITY;
            all.retain(|way| {
                let quieter = way.variance < least;
                least = least.min(way.variance);
                quieter
            });
            all.shrink_to_fit();
            all
        })
    }
}

/// The bootstraps by all ways; `None` where a dimension is below what security needs.
fn ways(structure: Structure, big_dim: usize, lwe_dim: usize) -> Option<Vec<Way>> {
    let shared = if structure == Structure::Shared { lwe_dim } else { 0 };
    let of = |landings: Vec<Landing>, key_switch: KeySwitch, error: f64| {
        let dims = landings.iter().map(|to| (to.dim, to.dim, to.log2_std_dev, to.key_switch));
        let mut from_dim = big_dim;
        let steps = dims.chain([(lwe_dim, shared, error, key_switch)]).map(|(to_dim, shared, log2_std_dev, switch)| {
            let (gadget, degree) = (switch.gadget, switch.ring);
            let shape = everlevel_rlwe::lwe::SwitchShape { gadget, degree, from_dim, to_dim, shared };
            from_dim = to_dim;
            SwitchStep { shape, log2_std_dev }
        });
        let steps: Vec<_> = steps.collect();
        let (cost_ns, variance) = (steps.iter().map(switch_ns).sum(), noise::stair(&steps, 0.5));
        Way { cost_ns, variance, landings, key_switch }
    };
    let error = structure.small_deviation(lwe_dim)?;
    let mut all: Vec<Way> = key_switches(SWITCH_RING).map(|last| of(Vec::new(), last, error)).collect();
    if structure == Structure::Shared {
        for dim in (lwe_dim.next_multiple_of(64) + 64..big_dim.min(1344)).step_by(64) {
            let log2_std_dev = deviation(dim, 32)?;
            let first = (3..=10).flat_map(|log2_base| (1..=3).map(move |digits| Gadget::new(log2_base, digits)));
            for gadget in first {
                let to = Landing { dim, log2_std_dev, key_switch: KeySwitch { gadget, ring: SWITCH_RING } };
                all.extend(key_switches(SWITCH_RING).map(|last| of(vec![to], last, error)));
            }
        }
    }
    Some(all)
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
fn smallest(
    torus_bits: u32,
    (log_n, log2_extension, bits_per_step): (u32, u32, usize),
    (rank, drawn): (usize, usize),
    (mask_gadget, body_gadget): (Gadget, Gadget),
    Wanted { space, squared_norm, max_log2_p_fail }: Wanted,
    ways: &mut Ways,
) -> Option<Params> {
    let glwe_log2_std_dev = deviation(drawn, torus_bits)?;
    let structure = ways.structure;
    let shared = structure == Structure::Shared;
    for lwe_dim in (512..1281usize.min(drawn - 1)).step_by(SWITCH_RING) {
        let Some(lwe_log2_std_dev) = structure.small_deviation(lwe_dim) else { continue };
        let partial = (drawn < rank << log_n).then_some(drawn);
        let literal = ParamsLiteral {
            torus_bits,
            lwe_dim,
            lwe_log2_std_dev,
            rank,
            log_n,
            log2_extension,
            bits_per_step,
            glwe_log2_std_dev,
            secrets: Secrets { small: structure.small(), drawn: partial, shared: if shared { lwe_dim } else { 0 } },
            landings: Vec::new(),
            mask_gadget,
            body_gadget,
            key_switch: KeySwitch { gadget: Gadget::new(1, 1), ring: SWITCH_RING },
            order: Order::KeySwitchFirst,
            space,
            squared_norm,
            max_log2_p_fail,
            insecure: false,
        };
        let rotation = lwe_dim as f64 * noise::external_product(&literal);
        let centred_square = structure.small().centred_square(lwe_dim);
        let before = squared_norm * rotation + noise::mod_switch(centred_square, literal.n() << log2_extension);
        let holds = |variance| noise::log2_p_fail(margin(space), variance) <= max_log2_p_fail;
        // Larger dimensions have more noise of rotations alone; these are with a key switch that adds nothing.
        if !holds(squared_norm * rotation) {
            return None;
        }
        if !holds(before) {
            continue;
        }
        // The cheapest way comes first.
        let found = ways.of(drawn, lwe_dim).iter().find(|way| holds(before + way.variance));
        let params = found.and_then(|Way { landings, key_switch, .. }| {
            let (landings, key_switch) = (landings.clone(), *key_switch);
            Params::try_from(ParamsLiteral { landings, key_switch, ..literal.clone() }).ok()
        });
        if params.is_some() {
            return params;
        }
    }
    None
}
