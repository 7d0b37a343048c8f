//! The transform on floats, beside the library's complex transform and the transform on words, of the same degree; and
//! each step of a blind rotation with it, with keys in a cache. A digit costs what a step of five digits takes more
//! than one of four.
//!
//! `cargo bench -p everlevel-bench --bench small_ntt`
#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use everlevel_bench::Aligned;
use everlevel_math::fft::{Digits, Fft};
use everlevel_math::small_ntt::{Float, Gadget, NtruProduct, SmallNtt};
use everlevel_math::{Modulus, Ntt, Simd, primes};
use everlevel_testkit::sample::Sampler;

#[cfg(target_arch = "x86_64")]
#[path = "candidates/fft32.rs"]
mod fft32;

fn residues<F: Float>(len: usize, q: u64) -> Aligned<F> {
    let mut sampler = Sampler::new(1);
    let values: Vec<F> = (0..len).map(|_| F::from_i64(sampler.residue(q) as i64 - (q / 2) as i64)).collect();
    Aligned::new(&values)
}

fn bench_ring<F: Float>(criterion: &mut Criterion, name: &str, log_n: u32, q: u64, gadgets: &[Gadget]) {
    let n = 1usize << log_n;
    let mut group = criterion.benchmark_group(format!("small_ntt/{name}/2^{log_n}"));
    for simd in Simd::available() {
        let id = |what: &str| BenchmarkId::new(what, simd.name());
        let fft = Fft::with_simd(n, simd).expect("size");
        let mut words: Aligned<u32> = Aligned::new(&vec![1 << 20; n]);
        let (digits, mut out) = (Digits { log2_base: 7, levels: 1 }, Aligned::new(&vec![0.0f64; n]));
        group.bench_function(id("fft forward"), |b| b.iter(|| fft.forward_digits(out.get_mut(), words.get(), digits)));
        let mut out = Aligned::new(&vec![0.0f64; n]);
        group.bench_function(id("fft inverse"), |b| b.iter(|| fft.inverse_add(words.get_mut(), out.get_mut())));

        let words = Ntt::new(log_n, Modulus::with_simd(q, simd).expect("prime")).expect("size");
        let mut residue = Aligned::new(&vec![1u64; n]);
        group.bench_function(id("ntt on words forward"), |b| b.iter(|| words.forward(residue.get_mut())));
        let ntt = SmallNtt::<F>::with_simd(q, log_n, simd).expect("prime");
        let mut x = residues::<F>(n, q);
        group.bench_function(id("forward"), |b| b.iter(|| ntt.forward(x.get_mut())));
        group.bench_function(id("inverse"), |b| b.iter(|| ntt.inverse(x.get_mut())));
        for &gadget in gadgets {
            let Gadget { log2_base, digits, .. } = gadget;
            let id = |what: &str| BenchmarkId::new(format!("{what}, {digits} digits of {log2_base}"), simd.name());
            let product = NtruProduct::new(ntt.clone(), gadget, 4).expect("digits");
            let mut scratch = residues::<F>(product.scratch_len(), q);
            let mut key = Aligned::new(&vec![0u8; 4 * product.key_len()]);
            for (j, digit) in (0..4).flat_map(|j| (0..digits as usize).map(move |digit| (j, digit))) {
                product.prepare_row(key.get_mut(), (j, digit), residues::<F>(n, q).get_mut());
            }
            let mut y = residues::<F>(n, q);
            let len = product.key_len();
            let (e, f) = ([0, 333, 555, 888], [0, 444, 666, n + 86]);
            group.bench_function(id("multiply"), |b| {
                b.iter(|| product.multiply([x.get_mut()], &key.get()[..len], scratch.get_mut(), &[]));
            });
            group.bench_function(id("rotate_add"), |b| {
                b.iter(|| product.rotate_add([(x.get_mut(), 333)], &key.get()[..len], scratch.get_mut(), &[]));
            });
            group.bench_function(id("add_bundle of 3"), |b| {
                let keys = &key.get()[..3 * len];
                b.iter(|| product.add_bundle([(x.get_mut(), &e[1..])], keys, scratch.get_mut(), &[]));
            });
            group.bench_function(id("multiply_bundle of 4"), |b| {
                b.iter(|| product.multiply_bundle([(x.get_mut(), &e)], key.get(), scratch.get_mut(), &[]));
            });
            group.bench_function(id("rotate_add, two"), |b| {
                b.iter(|| {
                    let accs = [(x.get_mut(), 333), (y.get_mut(), 444)];
                    product.rotate_add(accs, &key.get()[..len], scratch.get_mut(), &[]);
                });
            });
            group.bench_function(id("multiply_bundle of 4, two"), |b| {
                b.iter(|| {
                    let accs = [(x.get_mut(), &e[..]), (y.get_mut(), &f[..])];
                    product.multiply_bundle(accs, key.get(), scratch.get_mut(), &[]);
                });
            });
        }
    }
    group.finish();
}

/// The complex transform in single precision, with its error for digits of three bits.
#[cfg(target_arch = "x86_64")]
fn bench_fft32(criterion: &mut Criterion) {
    if Simd::available().last().map(|simd| simd.name()) != Some("avx512") {
        return;
    }
    let fft = fft32::Fft32::new();
    let mut sampler = Sampler::new(1);
    let digits: [f32; 1024] = std::array::from_fn(|_| sampler.residue(9) as f32 - 4.0);
    println!("complex, single precision: relative error {:.1e}", fft.relative_error(&digits));
    let mut x = digits;
    criterion.bench_function("small_ntt/complex in f32/2^10", |b| {
        b.iter(|| {
            x.copy_from_slice(&digits);
            // SAFETY: `Simd::available` has the backend with AVX-512, as was asked before.
            unsafe { fft.forward(&mut x) }
        });
    });
}

fn all(criterion: &mut Criterion) {
    #[cfg(target_arch = "x86_64")]
    bench_fft32(criterion);
    let gadget = |log2_base, digits, dropped| Gadget { log2_base, digits, dropped };
    let near = |target: f64, log_n| primes::ntt_primes_near(target.exp2(), log_n).next().expect("prime");
    bench_ring::<f32>(criterion, "f32", 10, near(20.4, 10), &[gadget(3, 5, 5), gadget(3, 4, 8), gadget(4, 4, 4)]);
    bench_ring::<f64>(criterion, "f64", 10, near(20.4, 10), &[gadget(4, 4, 4)]);
    bench_ring::<f64>(criterion, "f64", 11, near(27.0, 11), &[gadget(9, 2, 9)]);
}

criterion_group!(benches, all);
criterion_main!(benches);
