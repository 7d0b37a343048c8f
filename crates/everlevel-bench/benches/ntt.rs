//! Forward and inverse transforms on every backend, beside the crate `tfhe-ntt` on a 50-bit prime.
//!
//! `cargo bench -p everlevel-bench --features tfhe-rs --bench ntt`; without the feature, ours alone.
#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use everlevel_bench::Aligned;
use everlevel_math::{Modulus, Ntt, Simd, primes};
use everlevel_testkit::sample::Sampler;

fn transforms(criterion: &mut Criterion) {
    for log_n in 10..=17 {
        let n = 1usize << log_n;
        let mut group = criterion.benchmark_group(format!("ntt/2^{log_n}"));
        group.throughput(Throughput::Elements(n as u64 / 2 * u64::from(log_n)));
        let q = primes::ntt_primes_below(48, log_n).next().expect("prime");
        for simd in Simd::available() {
            let ntt = Ntt::new(log_n, Modulus::with_simd(q, simd).expect("prime")).expect("plan");
            let mut a = Aligned::new(&Sampler::new(1).limb(n, q));
            group.bench_function(BenchmarkId::new("forward", simd.name()), |b| b.iter(|| ntt.forward(a.get_mut())));
            group.bench_function(BenchmarkId::new("inverse", simd.name()), |b| b.iter(|| ntt.inverse(a.get_mut())));
        }
        #[cfg(feature = "tfhe-rs")]
        {
            let q = primes::ntt_primes_below(50, log_n).next().expect("prime");
            let plan = tfhe_ntt::prime64::Plan::try_new(n, q).expect("plan");
            let mut a = Aligned::new(&Sampler::new(1).limb(n, q));
            group.bench_function(BenchmarkId::new("forward", "tfhe-ntt"), |b| b.iter(|| plan.fwd(a.get_mut())));
            group.bench_function(BenchmarkId::new("inverse", "tfhe-ntt"), |b| b.iter(|| plan.inv(a.get_mut())));
        }
        group.finish();
    }
}

criterion_group!(benches, transforms);
criterion_main!(benches);
