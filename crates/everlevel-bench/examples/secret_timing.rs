//! A test of times for dependence on secrets:
//! `cargo run --release -p everlevel-bench --example secret_timing [-- SECONDS]`.
//!
//! As dudect does it (Reparaz, Balasch and Verbauwhede, ePrint 2016/1123): an operation runs on inputs of two classes
//! in random order, one secret again and again and fresh secrets, and Welch's t tells whether the two have the same
//! mean time. Values above 4.5 are suspect, values above 10 are findings. The largest of several crops is shown, since
//! what other processes take is in the slow tail. The last line is a plant, which must be found.
//!
//! This is for AVX-512, which Valgrind does not run; with `EVERLEVEL_SIMD` it looks at the other kernels.

use std::hint::black_box;
use std::time::Instant;

use everlevel_math::{Simd, primes::ntt_primes_below};
use everlevel_rand::sampler::{self, Gaussian};
use everlevel_rand::{Domain, Seed};
use everlevel_ring::{PrimeSet, Representation, Ring, SmallTorusRing, TorusRing};
use everlevel_rlwe::{Lwe, Randomness, Rlwe, SecretKey};

const LOG_N: u32 = 11;
const N: usize = 1 << LOG_N;
/// Inputs of each class: copies of one, or so many others, so that both have the same places in memory.
const POOL: usize = 32;
const SUSPECT: f64 = 4.5;
const FOUND: f64 = 10.0;
/// Parts of the measurements that crops keep.
const CROPS: [f64; 6] = [1.0, 0.99, 0.95, 0.9, 0.75, 0.5];

/// Mean and sum of squared deviations, as they grow (Welford).
#[derive(Default, Clone, Copy)]
struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, x: f64) {
        self.count += 1.0;
        let delta = x - self.mean;
        self.mean += delta / self.count;
        self.squares += delta * (x - self.mean);
    }

    fn variance_of_mean(self) -> f64 {
        self.squares / (self.count - 1.0) / self.count
    }
}

/// Welch's t of the measurements below a limit.
fn welch(times: &[(bool, f64)], limit: f64) -> f64 {
    let mut classes = [Moments::default(); 2];
    times.iter().filter(|(_, time)| *time <= limit).for_each(|&(fresh, time)| classes[usize::from(fresh)].add(time));
    let [fixed, fresh] = classes;
    (fixed.mean - fresh.mean) / (fixed.variance_of_mean() + fresh.variance_of_mean()).sqrt()
}

/// Runs an operation on secrets of both classes for a time, and gives the largest |t| of the crops.
fn measure<S>(name: &str, seconds: f64, secret: impl Fn(u8) -> S, mut run: impl FnMut(&S)) -> f64 {
    let fixed: Vec<S> = (0..POOL).map(|_| secret(0)).collect();
    let fresh: Vec<S> = (0..POOL).map(|i| secret(i as u8 + 1)).collect();
    let mut order = Seed::from_bytes([0x74; 32]).stream(Domain::Test, 0);
    let (mut times, begin) = (Vec::new(), Instant::now());
    while begin.elapsed().as_secs_f64() < seconds {
        let word = order.next_u64();
        for k in 0..8 {
            let is_fresh = word >> k & 1 == 1;
            let input = &(if is_fresh { &fresh } else { &fixed })[(word >> (8 + 5 * k)) as usize % POOL];
            let start = Instant::now();
            run(black_box(input));
            times.push((is_fresh, start.elapsed().as_nanos() as f64));
        }
    }
    let mut sorted: Vec<f64> = times.iter().map(|&(_, time)| time).collect();
    sorted.sort_by(f64::total_cmp);
    let limit = |part: f64| sorted[((sorted.len() - 1) as f64 * part) as usize];
    let t = CROPS.iter().map(|&part| welch(&times, limit(part)).abs()).fold(0.0, f64::max);
    let verdict = if t > FOUND {
        "FOUND"
    } else if t > SUSPECT {
        "suspect"
    } else {
        ""
    };
    println!("{name:<44} {:>9} calls {:>9.2} µs  |t| = {t:>7.2} {verdict}", times.len(), limit(0.5) / 1e3);
    t
}

fn seed(tag: u8) -> Seed {
    Seed::from_bytes([tag; 32])
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).map_or(20.0, |text| text.parse().expect("seconds for each line"));
    println!("backend {}, {seconds} s each", Simd::best().name());
    let stream = |seed: &Seed| seed.stream(Domain::Test, 0);
    let (mut small, mut wide) = (vec![0i8; N], vec![0i64; N]);
    let mut worst: f64 = 0.0;
    let mut note = |t: f64| worst = worst.max(t);

    let gaussian = Gaussian::new(3.2).expect("in range");
    note(measure("sampler: Gaussian", seconds, seed, |s| gaussian.sample(&mut stream(s), black_box(&mut wide))));
    note(measure("sampler: ternary", seconds, seed, |s| sampler::ternary(&mut stream(s), black_box(&mut small))));
    note(measure("sampler: binary", seconds, seed, |s| sampler::binary(&mut stream(s), black_box(&mut small))));
    note(measure("sampler: fixed weight", seconds, seed, |s| {
        sampler::fixed_weight(&mut stream(s), black_box(&mut small), N / 4).expect("a weight below the length");
    }));

    let primes: Vec<u64> = ntt_primes_below(48, LOG_N).take(2).collect();
    let (ring, set) = (Ring::new(LOG_N, &primes).expect("primes of this degree"), PrimeSet::new(0..2));
    let key = |tag: u8| SecretKey::sample(&ring, &seed(tag), 0, Some(N / 4)).expect("a weight below the degree");
    note(measure("residues: secret key from a seed", seconds, seed, |s| {
        black_box(SecretKey::sample(&ring, s, 0, Some(N / 4)).expect("a weight below the degree"));
    }));
    let public = |noise: &Seed| Randomness::new(seed(0xaa), noise.clone());
    let one = key(0);
    note(measure("residues: encryption, by the noise", seconds, seed, |noise| {
        black_box(Rlwe::encrypt_zero(&ring, &set, &one, public(noise)));
    }));
    note(measure("residues: encryption, by the key", seconds, key, |key| {
        black_box(Rlwe::encrypt_zero(&ring, &set, key, public(&seed(0xbb))));
    }));
    let zero = Rlwe::encrypt_zero(&ring, &set, &one, &seed(0xcc));
    note(measure("residues: phase, by the key", seconds, key, |key| {
        black_box(zero.phase(&ring, key));
    }));

    let torus = TorusRing::<u64>::new(LOG_N).expect("a size");
    let bits = |tag: u8, len: usize| {
        let mut bits = vec![0i8; len];
        sampler::binary(&mut seed(tag).stream(Domain::SecretKey, 0), &mut bits);
        bits
    };
    let masks = torus.uniform(&(), 1, &seed(0xdd), 0);
    let mut body = vec![0u64; N];
    note(measure(
        "torus: body of a row, by the key",
        seconds,
        |tag| torus.secret(&bits(tag, N)),
        |secret| {
            torus.mask_body(black_box(&mut body), &masks, secret);
        },
    ));
    let ring_32 = SmallTorusRing::new(32);
    let masks = ring_32.uniform(&(), 24, &seed(0xee), 0);
    let mut body = vec![0u32; 32];
    note(measure(
        "small ring: body of a row, by the key",
        seconds,
        |tag| ring_32.secret(&bits(tag, 24 * 32)),
        |secret| {
            ring_32.mask_body(black_box(&mut body), &masks, secret);
        },
    ));
    note(measure(
        "LWE: encryption, by the key",
        seconds,
        |tag| bits(tag, N),
        |secret| {
            black_box(Lwe::encrypt(secret, &gaussian, 0, &public(&seed(0xbb)), 0));
        },
    ));
    let lwe = Lwe::encrypt(&bits(0, N), &gaussian, 0, &public(&seed(0xcc)), 0);
    note(measure(
        "LWE: phase, by the key",
        seconds,
        |tag| bits(tag, N),
        |secret| {
            black_box(lwe.phase(secret));
        },
    ));
    let plant = measure(
        "planted: work for each nonzero coefficient",
        seconds,
        |tag| bits(tag, N),
        |secret| {
            secret.iter().filter(|&&s| s != 0).for_each(|s| {
                black_box(s);
            });
        },
    );
    println!("largest |t| = {worst:.2}; the plant's {plant:.2}");
    assert!(plant > FOUND, "the plant was not found: measure for longer, or on a calmer machine");
    assert!(worst < FOUND, "a time that tells of a secret");
}
