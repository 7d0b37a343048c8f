//! Automorphisms of a rotation of NTRU's, on average over inputs, by the dimension of the small secret:
//! `cargo run --release -p everlevel-bench --example automorphisms -- [dimension …]`.
//!
//! The counts are those of the library's own claims, whose products take as many transforms as automorphisms do. Beside
//! each stands what it saves of the rotation that goes from one coefficient to the next (XZD+23).

use everlevel_binfhe::{Error, KeySwitch, NtruLiteral, Params, Rotation, sets};

const DIMENSIONS: [usize; 4] = [446, 465, 512, 571];

fn main() -> Result<(), Error> {
    let asked: Vec<usize> = std::env::args().skip(1).map(|text| text.parse().expect("a dimension")).collect();
    let dimensions = if asked.is_empty() { DIMENSIONS.to_vec() } else { asked };
    let base = sets::find("ntru-gate-64")?.literal().ntru().expect("a set of NTRU's");
    let count = |lwe_dim: usize, rotation: Rotation| {
        let key_switch = KeySwitch { ring: 1, ..base.key_switch };
        let literal =
            NtruLiteral { lwe_dim, rotation, key_switch, max_log2_p_fail: 0.0, insecure: true, ..base.clone() };
        // A step's transforms: those of the digits, and the inverse one.
        let steps = Params::try_from(literal)?.rotation_transforms() / f64::from(base.gadget.digits + 1);
        Ok::<_, Error>(steps - (lwe_dim + 1) as f64)
    };
    let ways = [
        ("two sweeps, window 10", Rotation::TwoSweeps { window: 10 }),
        ("one sweep, window 2", Rotation::OneSweep { window: 2 }),
        ("one sweep, window 5", Rotation::OneSweep { window: 5 }),
        ("one sweep, window 10", Rotation::OneSweep { window: 10 }),
    ];
    let titles: Vec<String> = dimensions.iter().map(|n| format!("n = {n}")).collect();
    println!(
        "| automorphisms, N = {} | {} |\n|---|{}",
        1 << base.log_n,
        titles.join(" | "),
        "---|".repeat(titles.len())
    );
    let row = |name: &str, cells: Vec<String>| println!("| {name} | {} |", cells.join(" | "));
    let all = |rotation| dimensions.iter().map(|&n| count(n, rotation)).collect::<Result<Vec<f64>, Error>>();
    let one_by_one = all(Rotation::Automorphisms)?;
    row("one by one (XZD+23)", one_by_one.iter().map(|count| format!("{count:.1}")).collect());
    let saved = |(count, one_by_one): (&f64, &f64)| 1.0 - count / one_by_one;
    for (name, rotation) in ways {
        let counts = all(rotation)?;
        let cell = |pair: (&f64, &f64)| format!("{:.1}, −{:.0} %", pair.0, 100.0 * saved(pair));
        row(name, counts.iter().zip(&one_by_one).map(cell).collect());
    }
    println!();
    for (n, pair) in dimensions.iter().zip(all(ways[ways.len() - 1].1)?.iter().zip(&one_by_one)) {
        println!("saved/{n}\t{}", saved(pair));
    }
    Ok(())
}
