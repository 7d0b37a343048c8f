//! Estimates for sparse binary secrets, uniform and in one-hot blocks, and for the secrets of NTRU's LWE side.

use everlevel_security::SecretDistribution::{self, BinaryWeight, BlockBinary, OneHot, Ternary};
use everlevel_security::estimate::{Attack, CostModel, Lwe, cheapest, estimate};
use everlevel_security::torus;

const SIGMA: f64 = 3.2;

fn lwe(dim: usize, log2_q: f64, secret: SecretDistribution) -> Lwe {
    Lwe::with_dim(dim, log2_q, secret, SIGMA).unwrap()
}

fn bits(lwe: &Lwe, attack: Attack) -> f64 {
    estimate(lwe, attack, CostModel::Matzov).unwrap().log2_cost
}

/// Outputs of the lattice-estimator 27a581b under MATZOV: `primal_hybrid` without and with a meet in the middle. The
/// former counts the chance that the larger sieve's result is lifted, and doesn't try nearest planes: it is up to 4
/// bits above the cheaper of both here.
#[test]
fn uniform_secrets_cost_what_the_lattice_estimator_says() {
    for (dim, log2_q, plain, halves) in
        [(1024, 9.0, 197.8, 170.3), (1024, 12.0, 169.1, 151.4), (576, 9.0, 156.3, 139.4), (576, 12.0, 127.6, 120.1)]
    {
        let lwe = lwe(dim, log2_q, BinaryWeight(64));
        let found = bits(&lwe, Attack::HybridMeetInTheMiddle);
        let [sieve, plane] = [Attack::HybridSieve, Attack::HybridNearestPlane].map(|attack| bits(&lwe, attack));
        println!("{dim}, 2^{log2_q}: {sieve:.1}, {plane:.1}, {found:.1}, {:.1}", bits(&lwe, Attack::DualHybrid));
        assert!((found - halves).abs() < 1.6, "{dim}, 2^{log2_q}: {found:.1}, expected {halves}");
        assert!((-4.5..0.5).contains(&(sieve.min(plane) - plain)), "{dim}, 2^{log2_q}: {sieve:.1}, {plane:.1}");
    }
}

/// log2 of the costs of the better of sieve and nearest plane, of the meet in the middle, and of the dual hybrid: those
/// of docs/notes/ntru-security.md.
const TABLE: [(usize, f64, [f64; 3], [f64; 3]); 8] = [
    (1024, 9.0, [194.0, 171.7, 208.0], [168.9, 141.2, 177.0]),
    (1024, 10.0, [184.5, 164.6, 198.4], [162.1, 137.7, 169.3]),
    (1024, 12.0, [168.3, 151.7, 180.5], [150.1, 130.0, 155.2]),
    (1024, 14.0, [155.0, 141.2, 164.9], [139.8, 122.7, 142.7]),
    (1024, 20.0, [125.9, 117.6, 129.6], [115.6, 105.0, 114.3]),
    (1024, 32.0, [92.0, 89.4, 90.3], [84.9, 80.9, 81.7]),
    (576, 9.0, [152.4, 140.5, 142.4], [126.7, 111.6, 120.5]),
    (576, 12.0, [126.8, 120.3, 119.5], [108.3, 98.9, 102.0]),
];

#[test]
fn one_hot_blocks_cost_less() {
    let note = include_str!("../../../docs/notes/ntru-security.md");
    let mut wrong = Vec::new();
    for (dim, log2_q, uniform, one_hot) in TABLE {
        for (secret, expected) in [(BinaryWeight(64), uniform), (OneHot(64), one_hot)] {
            let lwe = lwe(dim, log2_q, secret);
            let plain = bits(&lwe, Attack::HybridSieve).min(bits(&lwe, Attack::HybridNearestPlane));
            let found = [plain, bits(&lwe, Attack::HybridMeetInTheMiddle), bits(&lwe, Attack::DualHybrid)];
            println!("{dim}, 2^{log2_q}, {secret}: {found:.2?}");
            if found.iter().zip(expected).any(|(x, y)| (x - y).abs() >= 0.1) {
                wrong.push(format!("{dim}, 2^{log2_q}, {secret}: {found:.1?}"));
            }
        }
        let cells = |x: [f64; 3]| x.map(|bits| format!("{bits:.1}")).join(" | ");
        let line = format!("| {dim} | {log2_q} | {} | {} |", cells(uniform), cells(one_hot));
        assert!(note.contains(&line), "docs/notes/ntru-security.md lacks the line {line}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Uniform ternary secrets of NTRU's dimensions, as secrets of ciphertexts on a torus of 32-bit words: the line of
/// binary secrets serves them, and 128 bits need less.
#[test]
fn ternary_secrets_of_ciphertexts() {
    use everlevel_security::torus::min_log2_std_dev;
    let cost = |dim, log2_std_dev: f64| {
        let lwe = Lwe::with_dim(dim, 32.0, Ternary, (32.0 + log2_std_dev).exp2()).unwrap();
        cheapest(&lwe, CostModel::Matzov).unwrap().log2_cost
    };
    for (dim, log2_std_dev, expected) in [(1024, -22.83, 137.9), (1024, -24.6, 128.9), (2048, -30.0, 219.2)] {
        let found = cost(dim, log2_std_dev);
        println!("{dim}, 2^{log2_std_dev}: {found:.2}");
        assert!((found - expected).abs() < 0.2, "{dim}, 2^{log2_std_dev}: {found}");
    }
    for (dim, line) in [(1024, -22.83), (2048, -30.0)] {
        assert!((min_log2_std_dev(dim, 32).unwrap() - line).abs() < 0.01);
    }
}

/// One coefficient of each one-hot block is known by the others: an attacker is free to leave it out, and no claim may
/// be above what that costs.
#[test]
fn one_hot_blocks_are_no_harder_than_blocks_without_a_coefficient() {
    for (dim, blocks, log2_std_dev) in [(896, 112, -14.12), (1024, 128, -17.09)] {
        let bits = |secret, dim| torus::estimate_of(secret, dim, log2_std_dev).unwrap().unwrap().log2_cost;
        let (whole, open) = (bits(OneHot(blocks), dim), bits(BlockBinary(blocks), dim - blocks));
        println!("{blocks} blocks: {whole:.2}, without a coefficient of each {open:.2}");
        assert!(whole <= open && whole < 128.0, "{blocks} blocks: {whole}, {open}");
    }
}

/// Every row of the lines of structured secrets is where 128 bits begin; for one-hot blocks a little below.
#[test]
fn lines_are_at_128_bits() {
    for &(secret, dim, log2_std_dev) in torus::LINES {
        let found = torus::estimate_of(secret, dim, log2_std_dev).unwrap().expect("within reach");
        println!("{secret}, {dim}: {:.2} by {:?}", found.log2_cost, found.attack);
        let least = if matches!(secret, OneHot(_)) { 127.4 } else { 128.0 };
        assert!((least..129.0).contains(&found.log2_cost), "{secret}, {dim}: {}", found.log2_cost);
        assert_eq!(torus::min_log2_std_dev_of(secret, dim, 32), Some(log2_std_dev));
        assert_eq!(torus::min_log2_std_dev_of(secret, dim + 1, 32), None);
    }
}
