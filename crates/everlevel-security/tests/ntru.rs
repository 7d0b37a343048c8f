//! Holds the estimates of attacks on NTRU against those of Ducas and van Woerden's estimator (eprint 2021/999).

use everlevel_security::Error;
use everlevel_security::SecretDistribution::Ternary;
use everlevel_security::estimate::{self as lwe, CostModel, Lwe};
use everlevel_security::ntru::{Attack, Ntru, TERNARY_STD_DEV, cheapest, estimate};

const TERNARY: f64 = 2.0 / 3.0;

/// One sample, `f` and `g` of one variance.
fn ntru(log_n: u32, log2_q: f64, variance: f64) -> Ntru {
    Ntru::new(log_n, log2_q, variance.sqrt(), variance.sqrt(), 1).unwrap()
}

fn beta(ntru: &Ntru, attack: Attack) -> f64 {
    estimate(ntru, attack).unwrap().beta
}

/// The largest log2 of the modulus, within 0.01, whose cheapest attack costs `bits` by some count.
fn largest_log2_q(log_n: u32, variance: f64, bits: f64, count: impl Fn(&Ntru) -> f64) -> f64 {
    let (mut low, mut high) = (14.0, 46.0);
    while high - low > 0.01 {
        let middle = 0.5 * (low + high);
        if count(&ntru(log_n, middle, variance)) >= bits { low = middle } else { high = middle }
    }
    low
}

fn classic(ntru: &Ntru) -> f64 {
    cheapest(ntru).map_or(f64::INFINITY, |found| found.log2_cost(CostModel::Bdgl16))
}

fn core_svp(ntru: &Ntru) -> f64 {
    cheapest(ntru).map_or(f64::INFINITY, |found| found.log2_core_svp())
}

/// log2 of the degree, log2 of the modulus, variance; block sizes of both attacks; bits in core-SVP and classic count
/// of the cheaper one. Moduli among them are those of FINAL (19.80), XZD+23 (19.92), CHIFHE (20.97), PRIMUS and others.
const ROWS: [(u32, f64, f64, f64, f64, f64, f64); 22] = [
    (10, 17.0, TERNARY, 545.0, 543.0, 159.0, 189.0),
    (10, 18.0, TERNARY, 510.0, 469.0, 137.0, 167.0),
    (10, 19.0, TERNARY, 479.0, 407.0, 119.0, 149.0),
    (10, 19.80, TERNARY, 456.0, 363.0, 106.0, 136.0),
    (10, 19.92, TERNARY, 452.0, 357.0, 104.0, 135.0),
    (10, 19.98, TERNARY, 451.0, 355.0, 104.0, 134.0),
    (10, 20.97, TERNARY, 425.0, 309.0, 90.0, 120.6),
    (10, 27.0, 48.0, 430.0, 346.0, 101.0, 131.0),
    (10, 23.0, TERNARY, 378.0, 236.0, 69.0, 99.0),
    (10, 25.0, TERNARY, 340.0, 182.0, 53.0, 84.0),
    (10, 27.0, TERNARY, 307.0, 140.0, 41.0, 71.0),
    (11, 25.0, TERNARY, 842.0, 595.0, 174.0, 205.0),
    (11, 25.4, TERNARY, 827.0, 570.0, 166.0, 198.0),
    (11, 26.0, TERNARY, 805.0, 536.0, 157.0, 188.0),
    (11, 27.0, TERNARY, 771.0, 484.0, 141.0, 173.0),
    (11, 27.0, 0.33, 736.0, 410.0, 120.0, 151.0),
    (11, 29.0, TERNARY, 708.0, 397.0, 116.0, 147.0),
    (11, 31.0, TERNARY, 654.0, 329.0, 96.0, 128.0),
    (11, 33.0, TERNARY, 606.0, 273.0, 80.0, 111.0),
    (11, 36.0, TERNARY, 543.0, 209.0, 61.0, 92.0),
    (11, 45.0, TERNARY, 406.0, 94.0, 27.0, 59.0),
    (11, 45.0, 529.0, 556.0, 322.0, 94.0, 125.0),
];

#[test]
fn block_sizes_are_those_of_the_published_estimator() {
    for (log_n, log2_q, variance, key, sublattice, log2_core_svp, log2_classic) in ROWS {
        let ntru = ntru(log_n, log2_q, variance);
        let found = (beta(&ntru, Attack::SecretKey), beta(&ntru, Attack::DenseSublattice));
        let best = cheapest(&ntru).unwrap();
        println!("2^{log_n}, 2^{log2_q}, {variance:.2}: {found:?}, expected {key} and {sublattice}; {best:?}");
        assert!((found.0 - key).abs() <= 1.0 && (found.1 - sublattice).abs() <= 1.0, "{ntru:?}: {found:?}");
        assert_eq!((best.attack, best.beta), (Attack::DenseSublattice, found.1), "{ntru:?}");
        assert!((core_svp(&ntru) - log2_core_svp).abs() <= 0.6, "{ntru:?}: {}", core_svp(&ntru));
        assert!((classic(&ntru) - log2_classic).abs() <= 0.6, "{ntru:?}: {}", classic(&ntru));
    }
}

/// Moduli from which on the dense sublattice is found first: `Q = 0.004·N^2.484` for ternary secrets, after Ducas and
/// van Woerden.
#[test]
fn fatigue_points_are_the_published_ones() {
    for (log_n, expected) in [(9, 14.4), (10, 16.9), (11, 19.4)] {
        let (mut low, mut high) = (expected - 1.0, expected + 1.0);
        while high - low > 0.01 {
            let middle = 0.5 * (low + high);
            let ntru = ntru(log_n, middle, TERNARY);
            let tired = beta(&ntru, Attack::DenseSublattice) < beta(&ntru, Attack::SecretKey);
            if tired { high = middle } else { low = middle }
        }
        let formula = 0.004f64.log2() + 2.484 * f64::from(log_n);
        println!("2^{log_n}: 2^{low:.2}, by the formula 2^{formula:.2}");
        assert!((low - expected).abs() < 0.15 && (low - formula).abs() < 0.15, "2^{log_n}: 2^{low:.2}, 2^{formula:.2}");
    }
}

/// The largest moduli whose cheapest attack has β of 334 (classic, about 128 bits at N = 1024) and 438 (core-SVP).
#[test]
fn largest_moduli_are_the_published_ones() {
    for (variance, expected) in [
        (0.5, [19.8, 18.0, 30.1, 27.3]),
        (TERNARY, [20.4, 18.4, 30.8, 28.0]),
        (0.81, [20.7, 18.8, 31.2, 28.4]),
        (1.0, [21.1, 19.1, 31.8, 28.9]),
        (10.2, [25.0, 22.7, 37.0, 33.6]),
        (64.0, [27.7, 25.3, 40.6, 36.9]),
    ] {
        let beta = |ntru: &Ntru| cheapest(ntru).map_or(f64::INFINITY, |found| found.beta);
        let found = [(10, 334.0), (10, 438.0), (11, 334.0), (11, 438.0)];
        let found = found.map(|(log_n, wanted)| largest_log2_q(log_n, variance, wanted, beta));
        println!("{variance:.2}: {found:.2?}");
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.13), "{found:?}");
    }
    for (log_n, expected) in [(10, [20.4, 18.45]), (11, [30.9, 28.0])] {
        let found = [largest_log2_q(log_n, TERNARY, 128.0, classic), largest_log2_q(log_n, TERNARY, 128.0, core_svp)];
        println!("2^{log_n}: {found:.2?}");
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.1), "{found:?}");
    }
}

/// However many samples of one key there are, the attacks gain a bit.
#[test]
fn samples_hardly_matter() {
    for (log_n, log2_q) in [(10, 18.0), (10, 20.4), (11, 28.0), (11, 30.8)] {
        let with = |samples| Ntru::new(log_n, log2_q, TERNARY_STD_DEV, TERNARY_STD_DEV, samples).unwrap();
        for attack in [Attack::SecretKey, Attack::DenseSublattice] {
            let found = [1, 2, 32, 1 << 14].map(|samples| beta(&with(samples), attack));
            println!("2^{log_n}, 2^{log2_q}, {attack:?}: {found:?}");
            assert!(found.windows(2).all(|pair| pair[1] <= pair[0]), "{found:?}");
            assert!(found[0] - found[3] <= 4.0, "{found:?}");
        }
    }
}

/// Either may be the narrower one, and costs fall with it faster than they rise with the other.
#[test]
fn either_deviation_counts() {
    let of = |f: f64, g: f64| cheapest(&Ntru::new(10, 20.0, f, g, 1).unwrap()).unwrap().beta;
    for (f, g) in [(0.5, 2.0), (0.9, 1.1)] {
        assert_eq!(of(f, g), of(g, f));
    }
    println!("{} {} {} {} {}", of(1.0, 1.0), of(0.8, 1.25), of(0.5, 2.0), of(1.0, 2.0), of(2.0, 1.0));
    assert!(of(0.5, 2.0) < of(0.8, 1.25) && of(0.8, 1.25) < of(1.0, 1.0) && of(1.0, 1.0) < of(1.0, 2.0));
}

/// Taken as LWE with the secret `f` and the error `g`, the instance is no easier: guessing hybrids and dual attacks
/// cost more than the dense sublattice, from a bit above the fatigue point on.
#[test]
fn attacks_on_lwe_are_no_cheaper() {
    for (log_n, log2_q) in [(10, 18.4), (10, 20.4), (11, 28.0)] {
        let generic = Lwe::new(log_n, log2_q, Ternary, TERNARY_STD_DEV).unwrap();
        let generic = lwe::cheapest(&generic, CostModel::Matzov).unwrap();
        let special = cheapest(&ntru(log_n, log2_q, TERNARY)).unwrap();
        println!("2^{log_n}, 2^{log2_q}: {generic:?}, {special:?}, {:.1}", special.log2_cost(CostModel::Matzov));
        assert!(generic.log2_cost > special.log2_cost(CostModel::Matzov) + 3.0);
    }
}

#[test]
fn nonsense_is_refused() {
    for (log_n, log2_q, f, g, samples) in [
        (6, 20.0, 1.0, 1.0, 1),
        (16, 20.0, 1.0, 1.0, 1),
        (10, f64::NAN, 1.0, 1.0, 1),
        (10, 20.0, 0.0, 1.0, 1),
        (10, 20.0, 1.0, -1.0, 1),
        (10, 2.0, 1.0, 5.0, 1),
        (10, 20.0, 1.0, 1.0, 0),
    ] {
        assert!(matches!(Ntru::new(log_n, log2_q, f, g, samples), Err(Error::BadNtru { .. })));
    }
    assert_eq!(
        Ntru::new(10, 20.0, 1.0, 1.0, 0).unwrap_err().to_string(),
        "estimate: degree 2^10, log2(Q) = 20.0, deviations 1 and 1, 0 samples are no NTRU instance; needs a degree in \
         2^7..=2^15, at least one sample and 0 < deviations < Q"
    );
    // A modulus so small that no block size up to N is enough.
    assert_eq!(cheapest(&Ntru::new(7, 5.0, 8.0, 8.0, 1).unwrap()), None);
}
