//! Statistical tests on fixed seeds, hence deterministic. Each statistic is turned into a standard normal `z` and
//! refused beyond |z| = 4.5: a right sampler fails one test for 1 in 150,000 choices of the seed. Sample sizes stand in
//! the tests.

use everlevel_rand::sampler::Gaussian;
use everlevel_rand::{Domain, Error, Seed, Stream, sampler};

const LIMIT: f64 = 4.5;

fn stream(index: u64) -> Stream {
    Seed::from_bytes([42; 32]).stream(Domain::Test, index)
}

#[track_caller]
fn assert_normal(z: f64, what: &str) {
    assert!(z.abs() < LIMIT, "{what}: z = {z:.2}");
}

/// Pearson's statistic against `probabilities`, refused at `LIMIT` on either side (Wilson and Hilferty's cube root).
#[track_caller]
fn assert_chi_square(counts: &[u64], probabilities: &[f64], what: &str) {
    let n = counts.iter().sum::<u64>() as f64;
    let terms = counts.iter().zip(probabilities).map(|(&c, p)| (c as f64 - n * p).powi(2) / (n * p));
    assert_cube_root(terms.sum(), counts.len() as f64 - 1.0, what);
    assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{what}: probabilities");
    assert!(probabilities.iter().all(|p| n * p >= 5.0), "{what}: cells too small");
}

#[track_caller]
fn assert_cube_root(chi_square: f64, degrees: f64, what: &str) {
    let spread = 2.0 / (9.0 * degrees);
    assert_normal(((chi_square / degrees).cbrt() - 1.0 + spread) / spread.sqrt(), what);
}

fn uniform(cells: usize) -> Vec<f64> {
    vec![1.0 / cells as f64; cells]
}

fn histogram(cells: usize, values: impl Iterator<Item = usize>) -> Vec<u64> {
    let mut counts = vec![0; cells];
    values.for_each(|v| counts[v] += 1);
    counts
}

/// 2^20 residues: frequencies, and pairs of neighbours.
#[test]
fn uniform_mod_small_modulus() {
    for q in [2, 3, 31, 97] {
        let mut x = vec![0; 1 << 20];
        sampler::uniform_mod(&mut stream(q), &mut x, q);
        let cells = q as usize;
        let singles = histogram(cells, x.iter().map(|&v| v as usize));
        assert_chi_square(&singles, &uniform(cells), &format!("q = {q}"));
        let pairs = histogram(cells * cells, x.chunks_exact(2).map(|v| (v[0] * q + v[1]) as usize));
        assert_chi_square(&pairs, &uniform(cells * cells), &format!("q = {q}, pairs"));
    }
}

/// 2^20 residues of 48 bits: the top 10 bits (the last cell is cut by `q`), and the low 10.
#[test]
fn uniform_mod_48_bits() {
    for q in [(1u64 << 48) - 59, 0xb123_4567_89ab] {
        let mut x = vec![0; 1 << 20];
        sampler::uniform_mod(&mut stream(q), &mut x, q);
        assert!(x.iter().all(|&v| v < q));
        let cells = ((q - 1) >> 38) as usize + 1;
        let cell = 1u64 << 38;
        let exact: Vec<f64> = (0..cells as u64).map(|i| (q - i * cell).min(cell) as f64 / q as f64).collect();
        assert_chi_square(&histogram(cells, x.iter().map(|v| (v >> 38) as usize)), &exact, "top bits");
        assert_chi_square(&histogram(1024, x.iter().map(|v| (v & 1023) as usize)), &uniform(1024), "low bits");
    }
}

/// Streams that differ in one bit of seed, domain or index, or are parent and child: 2^22 bits of each pair's XOR.
#[test]
fn streams_are_independent() {
    let seed = |bit: usize| {
        let mut bytes = [42; 32];
        bytes[bit / 8] ^= 1 << (bit % 8);
        Seed::from_bytes(bytes)
    };
    let mut streams = [
        seed(0).stream(Domain::Mask, 0),
        seed(255).stream(Domain::Mask, 0),
        seed(0).stream(Domain::KeyNoise, 0),
        seed(0).stream(Domain::Mask, 1),
        seed(0).stream(Domain::Mask, 1 << 63),
        seed(0).derive(Domain::Mask, 0).stream(Domain::Mask, 0),
        seed(0).derive(Domain::Mask, 1).stream(Domain::Mask, 0),
    ];
    let words: Vec<Vec<u64>> = streams
        .iter_mut()
        .map(|s| {
            let mut words = vec![0; 1 << 16];
            s.fill_u64(&mut words);
            words
        })
        .collect();
    for i in 0..words.len() {
        for j in 0..i {
            let differing: u32 = words[i].iter().zip(&words[j]).map(|(a, b)| (a ^ b).count_ones()).sum();
            let n = (64 * words[i].len()) as f64;
            assert_normal((differing as f64 - n / 2.0) / (n / 4.0).sqrt(), &format!("streams {i} and {j}"));
        }
    }
}

/// 2^20 trits, 2^20 bits: frequencies of runs of six.
#[test]
fn ternary_and_binary() {
    let mut x = vec![0i8; 1 << 20];
    sampler::ternary(&mut stream(0), &mut x);
    let runs = x.chunks_exact(6).map(|t| t.iter().fold(0, |run, &v| 3 * run + (v + 1) as usize));
    assert_chi_square(&histogram(729, runs), &uniform(729), "ternary");
    sampler::binary(&mut stream(1), &mut x);
    let runs = x.chunks_exact(6).map(|t| t.iter().fold(0, |run, &v| 2 * run + v as usize));
    assert_chi_square(&histogram(64, runs), &uniform(64), "binary");
}

#[test]
fn fixed_weight_is_exact() {
    for (len, weight) in
        [(0, 0), (1, 0), (1, 1), (64, 1), (65, 64), (1000, 0), (1000, 1000), (4096, 192), (65536, 1024)]
    {
        let mut x = vec![7i8; len];
        sampler::fixed_weight(&mut stream(len as u64), &mut x, weight).expect("weight fits");
        assert!(x.iter().all(|v| (-1..=1).contains(v)));
        assert_eq!(x.iter().filter(|&&v| v != 0).count(), weight, "length {len}");
    }
}

/// All C(6,3)·2³ = 160 signed supports, 200,000 draws.
#[test]
fn fixed_weight_signed_supports() {
    let mut stream = stream(2);
    let mut counts = vec![0u64; 729];
    for _ in 0..200_000 {
        let mut x = [0i8; 6];
        sampler::fixed_weight(&mut stream, &mut x, 3).expect("3 of 6");
        counts[x.iter().fold(0, |key, &v| 3 * key + (v + 1) as usize)] += 1;
    }
    counts.retain(|&c| c > 0);
    assert_eq!(counts.len(), 160);
    assert_chi_square(&counts, &uniform(160), "signed supports");
}

/// 64 of 1000 positions, 10,000 draws: the position counts of draws without replacement, and the signs.
#[test]
fn fixed_weight_positions() {
    let (len, weight, draws) = (1000, 64, 10_000);
    let mut stream = stream(3);
    let (mut counts, mut sum) = (vec![0u64; len], 0i64);
    for _ in 0..draws {
        let mut x = vec![0i8; len];
        sampler::fixed_weight(&mut stream, &mut x, weight).expect("weight fits");
        for (count, v) in counts.iter_mut().zip(x) {
            *count += v.unsigned_abs() as u64;
            sum += v as i64;
        }
    }
    let (n, p) = (len as f64, weight as f64 / len as f64);
    // Covariance of the counts: draws·p(1−p)·n/(n−1)·(I − J/n).
    let variance = draws as f64 * p * (1.0 - p) * n / (n - 1.0);
    let chi_square = counts.iter().map(|&c| (c as f64 - draws as f64 * p).powi(2) / variance).sum();
    assert_cube_root(chi_square, n - 1.0, "positions");
    assert_normal(sum as f64 / ((weight * draws) as f64).sqrt(), "signs");
}

/// The positions of fixed weights, without their signs.
#[test]
fn binary_weights_are_fixed_weights_positions() {
    let (mut signed, mut bits) = (vec![0i8; 1000], vec![0i8; 1000]);
    sampler::fixed_weight(&mut stream(7), &mut signed, 64).expect("weight fits");
    sampler::binary_weight(&mut stream(7), &mut bits, 64).expect("weight fits");
    assert!(signed.iter().zip(&bits).all(|(x, y)| x.abs() == *y));
    assert_eq!(bits.iter().map(|&x| i64::from(x)).sum::<i64>(), 64);
}

#[test]
fn one_hot_positions() {
    let (block, draws) = (12, 20_000);
    let mut x = vec![0i8; block * draws];
    sampler::one_hot(&mut stream(8), &mut x, block);
    let position = |entries: &[i8]| {
        assert_eq!(entries.iter().filter(|&&v| v == 1).count(), 1);
        assert!(entries.iter().all(|&v| v == 0 || v == 1));
        entries.iter().position(|&v| v == 1).expect("a one")
    };
    let counts = histogram(block, x.chunks_exact(block).map(position));
    assert_chi_square(&counts, &uniform(block), "positions");
    // A shorter last block has a one as well.
    let mut short = [0i8; 13];
    sampler::one_hot(&mut stream(9), &mut short, 12);
    assert_eq!(short[12], 1);
}

/// `2^20` samples: mean, variance, kurtosis. From σ = 1 on, these moments are the continuous Gaussian's to 10^-6.
#[test]
fn gaussian_moments() {
    for (i, sigma) in [1.0, 3.2, 16.0, 16.001, 40.0, 1000.0, 1_048_576.0, 1e14].into_iter().enumerate() {
        let mut x = vec![0i64; 1 << 20];
        let gaussian = sampler::Gaussian::new(sigma).expect("supported");
        gaussian.sample(&mut stream(i as u64), &mut x);
        assert!(x.iter().all(|v| v.abs() <= gaussian.max_abs()));
        let n = x.len() as f64;
        let moment = |k: i32| x.iter().map(|&v| (v as f64 / sigma).powi(k)).sum::<f64>() / n;
        let what = |name: &str| format!("σ = {sigma}, {name}");
        assert_normal(moment(1) * n.sqrt(), &what("mean"));
        assert_normal((moment(2) - 1.0) * (n / 2.0).sqrt(), &what("variance"));
        assert_normal(moment(3) * (n / 15.0).sqrt(), &what("skewness"));
        assert_normal((moment(4) - 6.0 * moment(2) + 3.0) * (n / 24.0).sqrt(), &what("kurtosis"));
        let lag: f64 = x.windows(2).map(|v| v[0] as f64 * v[1] as f64).sum();
        assert_normal(lag / (sigma * sigma * n.sqrt()), &what("lag 1"));
    }
}

/// `2^20` samples against the formula: every value where σ is small, cells of width ~σ/8 where it is large; ±3.5σ, two
/// tails.
#[test]
fn gaussian_distribution() {
    for (i, sigma) in [0.5, 1.0, 3.2, 16.0, 16.001, 40.0, 1000.0, 1_048_576.0].into_iter().enumerate() {
        let mut x = vec![0i64; 1 << 20];
        sampler::gaussian(&mut stream(100 + i as u64), &mut x, sigma).expect("supported");
        let width = (sigma / 8.0).ceil() as i64;
        let half = (3.5 * sigma / width as f64) as i64;
        let cells = (2 * half + 1) as usize;
        let cell = |v: i64| (v + half * width).div_euclid(width).clamp(0, cells as i64 - 1) as usize;
        // Mass of [a, b): the sum of ρ, at most 4096 terms of it (then a Riemann sum, exact to 10^-12 for a smooth ρ).
        let rho = |t: f64| (-t * t / (2.0 * sigma * sigma)).exp();
        let mass = |a: i64, b: i64| {
            let step = ((b - a) as f64 / 4096.0).max(1.0);
            let terms = ((b - a) as f64 / step).round() as i64;
            (0..terms).map(|j| rho(a as f64 - 0.5 + (j as f64 + 0.5) * step)).sum::<f64>() * step
        };
        let far = (12.0 * sigma).ceil() as i64;
        let edge = |c: i64| (c - half) * width;
        let mut probabilities: Vec<f64> = (0..cells as i64).map(|c| mass(edge(c), edge(c + 1))).collect();
        probabilities[0] += mass(-far, edge(0));
        probabilities[cells - 1] += mass(edge(cells as i64), far);
        let total: f64 = probabilities.iter().sum();
        probabilities.iter_mut().for_each(|p| *p /= total);
        let counts = histogram(cells, x.into_iter().map(cell));
        assert_chi_square(&counts, &probabilities, &format!("σ = {sigma}"));
    }
}

#[test]
fn deviations_are_taken_to_their_ends_and_refused_beyond() {
    for sigma in [Gaussian::MIN_SIGMA, Gaussian::MAX_SIGMA] {
        assert!(Gaussian::new(sigma).is_ok(), "{sigma}");
    }
    for refused in [0.999 * Gaussian::MIN_SIGMA, 1.001 * Gaussian::MAX_SIGMA, -1.0, f64::NAN] {
        let Err(Error::BadSigma { sigma, min, max }) = Gaussian::new(refused) else { panic!("{refused} is taken") };
        assert_eq!((sigma.to_bits(), min, max), (refused.to_bits(), Gaussian::MIN_SIGMA, Gaussian::MAX_SIGMA));
    }
}
