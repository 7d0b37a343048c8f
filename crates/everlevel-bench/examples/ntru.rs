//! NTRU beside TFHE, one line for each set and each way of rotation: `cargo run --release -p everlevel-bench --example
//! ntru -- [part of a name …]` (all lines without an argument; TFHE's `gate-64` is always among them).
//!
//! One thread, minima of its CPU time, of single gates and of batches of 64, in turns: each round times every line
//! once, so that what the machine does meanwhile is the same for all. A ratio is to TFHE's `gate-64` in the same run.
//! Lines `name/alone seconds` and `name/each seconds` with a tab between them follow the table.

use std::sync::Arc;

use everlevel_bench::timing::Times;
use everlevel_binfhe::{Ciphertext, Error, EvalKeys, Gate, Literal, NtruLiteral, Params, Rotation, SecretKey, sets};
use everlevel_binfhe::{Gadget, KeySwitch, PrimeGadget, SmallSecret};
use everlevel_security::estimate::CostModel;

/// Rounds of the measurement.
const ROUNDS: usize = 15;

struct Line {
    name: String,
    params: Arc<Params>,
    keys: EvalKeys,
    bits: Vec<Ciphertext>,
    security: f64,
    alone: f64,
    each: f64,
}

impl Line {
    fn new(name: impl Into<String>, literal: impl Into<Literal>) -> Result<Self, Error> {
        let literal = literal.into();
        let security = literal.clone().ntru().map_or(f64::INFINITY, |ntru| ntru.security_bits(CostModel::Bdgl16));
        let params = Arc::new(Params::try_from(literal)?);
        let secret = SecretKey::generate(Arc::clone(&params))?;
        let keys = EvalKeys::generate(&secret)?;
        let bits = secret.encrypt_bits(&[true; 64])?;
        let out = keys.gates(&[Gate::Nand], &bits, &bits)?;
        assert!(secret.decrypt_bits(&out)?.iter().all(|&bit| !bit));
        let (alone, each) = (f64::INFINITY, f64::INFINITY);
        Ok(Self { name: name.into(), params, keys, bits, security, alone, each })
    }

    fn time(&mut self) {
        let run = |count: usize| self.keys.gates(&[Gate::Nand], &self.bits[..count], &self.bits[..count]);
        self.alone = self.alone.min(Times::of_calls(3, || run(1)).least * 1e3);
        self.each = self.each.min(Times::of_calls(1, || run(64)).least * 1e3 / 64.0);
    }
}

fn main() -> Result<(), Error> {
    let gate = |name: &str| sets::find(name).map(|set| set.literal());
    let base = gate("ntru-gate-64")?.ntru().expect("a set of NTRU's");
    let parts: Vec<String> = std::env::args().skip(1).collect();
    let mut lines = Vec::new();
    let mut add = |name: &str, literal: Literal| {
        if lines.is_empty() || parts.is_empty() || parts.iter().any(|part| name.contains(part)) {
            lines.push(Line::new(name, literal)?);
        }
        Ok::<_, Error>(())
    };
    let ntrus = sets::ALL.iter().filter(|set| set.is_ntru() && set.name.contains("gate-")).map(|set| set.name);
    for name in ["gate-64", "gate-128"].into_iter().chain(ntrus) {
        add(name, gate(name)?)?;
    }
    let variant = |rotation, gadget| NtruLiteral {
        rotation,
        gadget,
        max_log2_p_fail: 0.0,
        insecure: true,
        key_switch: KeySwitch { ..base.key_switch },
        ..base.clone()
    };
    // Without the noise of dropped bits, the key switch may have more: about as many failures.
    let key_switch = KeySwitch { gadget: Gadget::new(2, 6), ..base.key_switch };
    let exact = NtruLiteral { key_switch, ..variant(Rotation::FourKeys, PrimeGadget::new(3, 7, 0)) };
    add("four keys, exact digits", exact.into())?;
    let ways = [
        ("eight keys", Rotation::EightKeys),
        ("three keys", Rotation::ThreeKeys),
        ("sequential", Rotation::Sequential),
        ("one by one (XZD+23)", Rotation::Automorphisms),
        ("two sweeps, window 10", Rotation::TwoSweeps { window: 10 }),
        ("one sweep, window 10", Rotation::OneSweep { window: 10 }),
    ];
    for (name, rotation) in ways {
        add(name, variant(rotation, base.gadget).into())?;
    }
    let ternary = NtruLiteral { secret: SmallSecret::Ternary, ..variant(Rotation::Sequential, base.gadget) };
    add("sequential, ternary", ternary.into())?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    for _ in 0..ROUNDS {
        pool.install(|| lines.iter_mut().for_each(Line::time));
    }
    let (alone, each) = (lines[0].alone, lines[0].each);
    println!("| | transforms | key, MB | p_fail | NTRU, bits | alone, ms | each of 64, ms | to TFHE's |");
    println!("|---|---|---|---|---|---|---|---|");
    for line in &lines {
        let key = line.keys.bootstrap_key().nbytes() as f64 / 1e6;
        println!(
            "| {} | {} | {key:.1} | 2^{:.1} | {} | {:.3} | {:.3} | {:.2}, {:.2} |",
            line.name,
            line.params.rotation_transforms().round(),
            line.params.log2_p_fail(line.params.squared_norm),
            if line.security.is_finite() { format!("{:.1}", line.security) } else { "–".into() },
            line.alone,
            line.each,
            line.alone / alone,
            line.each / each,
        );
    }
    println!();
    for line in &lines {
        println!("{}/alone\t{}\n{}/each\t{}", line.name, 1e-3 * line.alone, line.name, 1e-3 * line.each);
    }
    Ok(())
}
