//! Single-core throughput of the samplers: `cargo run --release -p everlevel-bench --example samplers`.

use std::hint::black_box;
use std::time::Instant;

use everlevel_rand::{Cipher, Domain, Seed, sampler};

const N: usize = 1 << 16;

fn report(what: &str, unit: &str, per_call: f64, mut call: impl FnMut()) {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        let mut calls = 0;
        while start.elapsed().as_secs_f64() < 0.1 {
            call();
            calls += 1;
        }
        best = best.min(start.elapsed().as_secs_f64() / calls as f64);
    }
    println!("{what:<28} {:>9.2} {unit}", per_call / best);
}

fn main() {
    let seed = Seed::from_bytes([1; 32]);
    let (mut stream, mut aes) = (seed.stream(Domain::Test, 0), seed.of_cipher(Cipher::Aes128).stream(Domain::Test, 0));
    let (mut words, mut small, mut wide) = (vec![0u64; N], vec![0i8; N], vec![0i64; N]);
    let bytes = (8 * N) as f64 / 1e9;
    let samples = N as f64 / 1e6;
    report("fill_u64", "GB/s", bytes, || stream.fill_u64(black_box(&mut words)));
    report("fill_u64, AES", "GB/s", bytes, || aes.fill_u64(black_box(&mut words)));
    let q = (1 << 48) - 59;
    report("uniform_mod, AES", "GB/s", bytes, || sampler::uniform_mod(&mut aes, black_box(&mut words), q));
    for q in [(1 << 48) - 59, (1 << 47) + 5, 3] {
        let what = format!("uniform_mod q={q}");
        report(&what, "GB/s", bytes, || sampler::uniform_mod(&mut stream, black_box(&mut words), q));
    }
    report("binary", "Msamples/s", samples, || sampler::binary(&mut stream, black_box(&mut small)));
    report("ternary", "Msamples/s", samples, || sampler::ternary(&mut stream, black_box(&mut small)));
    report("fixed_weight 192", "Msamples/s", samples, || {
        sampler::fixed_weight(&mut stream, black_box(&mut small), 192).expect("weight fits")
    });
    for sigma in [3.2, 16.0, 40.0, 1_048_576.0] {
        let gaussian = sampler::Gaussian::new(sigma).expect("in range");
        let what = format!("gaussian sigma={sigma}");
        report(&what, "Msamples/s", samples, || gaussian.sample(&mut stream, black_box(&mut wide)));
    }
    report("gaussian table sigma=3.2", "ktables/s", 1e-3, || {
        black_box(sampler::Gaussian::new(3.2).expect("in range"));
    });
    report("stream + one word", "Mstreams/s", 1e-6, || {
        black_box(Seed::from_bytes([1; 32]).stream(Domain::Test, 1).next_u64());
    });
}
