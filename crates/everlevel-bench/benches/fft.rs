//! The negacyclic FFT on every backend: forward with digit extraction, inverse with rounding to the torus, and a
//! product of 6 rows and 2 columns; beside the bare FFT of the crate `tfhe-fft`, of n/2 points without twist and
//! conversions, whose plan is chosen by timing.
//!
//! `cargo bench -p everlevel-bench --features tfhe-rs --bench fft`; without the feature, ours alone.
#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use everlevel_bench::Aligned;
use everlevel_math::Simd;
use everlevel_math::fft::{Digits, Fft};
use everlevel_testkit::sample::Sampler;

fn transforms(criterion: &mut Criterion) {
    for log_n in 8..=16 {
        let n = 1usize << log_n;
        let mut group = criterion.benchmark_group(format!("fft/2^{log_n}"));
        let mut sampler = Sampler::new(1);
        let words: Vec<u64> = (0..n).map(|_| sampler.word()).collect();
        let halves: Vec<u32> = words.iter().map(|&x| (x >> 32) as u32).collect();
        let digits = Digits { log2_base: 7, levels: 1 };
        for simd in Simd::available() {
            let fft = Fft::with_simd(n, simd).expect("size");
            let id = |what: &str| BenchmarkId::new(what, simd.name());
            let (mut x32, mut x64) = (Aligned::new(&halves), Aligned::new(&words));
            let mut out = Aligned::new(&vec![0.0; n]);
            group
                .bench_function(id("forward u32"), |b| b.iter(|| fft.forward_digits(out.get_mut(), x32.get(), digits)));
            group
                .bench_function(id("forward u64"), |b| b.iter(|| fft.forward_digits(out.get_mut(), x64.get(), digits)));
            // The inverse leaves its input larger, and the time doesn't depend on it: zeros stay finite.
            let mut out = Aligned::new(&vec![0.0; n]);
            group.bench_function(id("inverse u32"), |b| b.iter(|| fft.inverse_add(x32.get_mut(), out.get_mut())));
            group.bench_function(id("inverse u64"), |b| b.iter(|| fft.inverse_add(x64.get_mut(), out.get_mut())));
            if log_n <= 11 {
                let (x, mut sum) = (Aligned::new(&vec![1.0; 6 * n]), Aligned::new(&vec![0.0; 2 * n]));
                let (key, short) = (Aligned::new(&vec![0.5; 12 * n]), Aligned::new(&vec![0.5f32; 12 * n]));
                group.bench_function(id("multiply 6x2"), |b| {
                    b.iter(|| fft.multiply(sum.get_mut(), x.get(), key.get()));
                });
                group.bench_function(id("multiply 6x2 f32"), |b| {
                    b.iter(|| fft.multiply(sum.get_mut(), x.get(), short.get()));
                });
            }
        }
        #[cfg(feature = "tfhe-rs")]
        peer(&mut group, n);
        group.finish();
    }
}

/// The bare transform of the crate `tfhe-fft`.
#[cfg(feature = "tfhe-rs")]
fn peer(group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>, n: usize) {
    use dyn_stack::{PodBuffer, PodStack};
    use tfhe_fft::unordered::{Method, Plan};

    let plan = Plan::new(n / 2, Method::Measure(std::time::Duration::from_millis(30)));
    let mut scratch = PodBuffer::new(plan.fft_scratch());
    let mut x = Aligned::new(&vec![tfhe_fft::c64::default(); n / 2]);
    group.bench_function(BenchmarkId::new("forward", "tfhe-fft"), |b| {
        b.iter(|| plan.fwd(x.get_mut(), PodStack::new(&mut scratch)));
    });
    group.bench_function(BenchmarkId::new("inverse", "tfhe-fft"), |b| {
        b.iter(|| plan.inv(x.get_mut(), PodStack::new(&mut scratch)));
    });
}

criterion_group!(benches, transforms);
criterion_main!(benches);
