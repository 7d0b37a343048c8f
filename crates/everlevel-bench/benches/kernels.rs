//! Element-wise kernels on every backend at N = 2^16, in bytes read and written a second; the inner products of a
//! product with a matrix, on whole limbs, in tiles, and in tiles for several giant steps, in diagonals' residues a
//! second.
//!
//! `cargo bench -p everlevel-bench --bench kernels`
#![allow(missing_docs)]

use std::convert::Infallible;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use everlevel_bench::Aligned;
use everlevel_math::{BasisConverter, GaloisMap, Modulus, Simd, packed, primes};
use everlevel_ring::{Eval, PackedPoly, PackedTerm, Poly, PrimeSet, Ring, Symmetry};
use everlevel_testkit::sample::Sampler;

const LOG_N: u32 = 16;
const N: usize = 1 << LOG_N;
const LIMB: u64 = 8 * N as u64;

fn kernels(criterion: &mut Criterion) {
    let moduli = |simd: Simd, count: usize| -> Vec<Modulus> {
        let primes = primes::ntt_primes_below(48, LOG_N).take(count);
        primes.map(|q| Modulus::with_simd(q, simd).expect("prime")).collect()
    };
    let mut group = criterion.benchmark_group("kernels");
    for simd in Simd::available() {
        let m = moduli(simd, 1)[0];
        let mut sampler = Sampler::new(1);
        let mut limb = || Aligned::new(&sampler.limb(N, m.q()));
        let (mut a, b, c) = (limb(), limb(), limb());
        let mut d = [limb(), limb(), limb()];
        let x: Vec<Aligned> = (0..3).map(|_| limb()).collect();
        let xs: Vec<&[u64]> = x.iter().map(Aligned::get).collect();
        let mut bytes = vec![0; packed::byte_len(N)];
        packed::pack_with(simd, &mut bytes, b.get());
        let ys: Vec<&[u8]> = vec![&bytes; 3];
        let mut bench = |name: &str, limbs: f64, f: &mut dyn FnMut()| {
            group.throughput(Throughput::Bytes((limbs * LIMB as f64) as u64));
            group.bench_function(BenchmarkId::new(name, simd.name()), |b| b.iter(&mut *f));
        };
        bench("add_assign", 3.0, &mut || m.add_assign(a.get_mut(), b.get()));
        bench("mul_assign", 3.0, &mut || m.mul_assign(a.get_mut(), b.get()));
        bench("mul_add_assign", 4.0, &mut || m.mul_add_assign(a.get_mut(), b.get(), c.get()));
        bench("mul_scalar_assign", 2.0, &mut || m.mul_scalar_assign(a.get_mut(), 12345));
        bench("sub_mul_scalar_assign", 3.0, &mut || m.sub_mul_scalar_assign(a.get_mut(), b.get(), 12345));
        let [d0, d1, d2] = &mut d;
        bench("tensor_into", 7.0, &mut || {
            m.tensor_into([d0.get_mut(), d1.get_mut(), d2.get_mut()], [a.get(), b.get()], [c.get(), xs[0]]);
        });
        bench("inner_product_packed_pair_into(3)", 2.0 + 3.0 * 2.5, &mut || {
            m.inner_product_packed_pair_into(d0.get_mut(), d1.get_mut(), &xs, &ys, &ys);
        });
        bench("unpack", 1.75, &mut || packed::unpack_with(simd, d0.get_mut(), &bytes));
        let map = GaloisMap::with_simd(LOG_N, 5, simd);
        bench("apply_into", 2.0, &mut || map.apply_into(d0.get_mut(), b.get()));
        bench("apply_add_assign", 3.0, &mut || map.apply_add_assign(&m, d0.get_mut(), b.get()));
        let basis = moduli(simd, 22);
        let converter = BasisConverter::new(&basis[..10], &basis[10..]);
        let y: Vec<Aligned> = basis[..10].iter().map(|m| Aligned::new(&sampler.limb(N, m.q()))).collect();
        let ys: Vec<&[u64]> = y.iter().map(Aligned::get).collect();
        let mut targets: Vec<Aligned> = basis[10..].iter().map(|_| Aligned::new(&vec![0; N])).collect();
        let mut outs: Vec<&mut [u64]> = targets.iter_mut().map(Aligned::get_mut).collect();
        bench("convert(10 to 12)", 22.0, &mut || converter.convert(&mut outs, &ys));
    }
    group.finish();
}

/// Limbs, baby steps, giant steps.
const MATRICES: [(usize, usize, usize); 3] = [(2, 16, 8), (6, 16, 16), (13, 16, 8)];

/// The sums of giant steps, each of products of all baby steps' ciphertexts with diagonals of its own.
fn terms<'a>(cts: &'a [[Poly<Eval>; 2]], diagonals: &'a [PackedPoly]) -> Vec<Vec<PackedTerm<'a>>> {
    let rows = diagonals.chunks(cts.len());
    rows.map(|row| cts.iter().map(<[_; 2]>::each_ref).zip(row).collect()).collect()
}

fn giant_steps(criterion: &mut Criterion) {
    let primes: Vec<u64> = primes::ntt_primes_below(48, LOG_N).take(13).collect();
    let ring = Ring::new(LOG_N, &primes).expect("primes");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    let mut group = criterion.benchmark_group("giant_steps");
    for (limbs, babies, giants) in MATRICES {
        let set = PrimeSet::new(0..limbs);
        let mut sampler = Sampler::new(2);
        let mut poly = || {
            let mut poly: Poly<Eval> = ring.zero(&set);
            for (limb, q) in poly.limbs_mut().iter_mut().zip(&primes) {
                limb.copy_from_slice(&sampler.limb(N, *q));
            }
            poly
        };
        let cts: Vec<[Poly<Eval>; 2]> = (0..babies).map(|_| [poly(), poly()]).collect();
        let diagonals: Vec<PackedPoly> = (0..babies * giants).map(|_| PackedPoly::new(&poly())).collect();
        let sums = terms(&cts, &diagonals);
        group.throughput(Throughput::Elements((limbs * babies * giants * N) as u64));
        let mut out = Aligned::new(&vec![0; N]);
        group.bench_function(BenchmarkId::new("whole limbs", format!("{limbs} limbs, {babies} by {giants}")), |b| {
            b.iter(|| {
                for (sum, part) in sums.iter().flat_map(|sum| [(sum, 0), (sum, 1)]) {
                    for prime in 0..limbs {
                        let x: Vec<&[u64]> = sum.iter().map(|(x, _)| x[part].limb(prime)).collect();
                        let y: Vec<&[u8]> = sum.iter().map(|(_, y)| y.limb(prime)).collect();
                        ring.modulus(prime).inner_product_packed_into(out.get_mut(), &x, &y);
                    }
                }
            });
        });
        for (name, together) in [("one by one", 1), ("eight together", 8)] {
            group.bench_function(BenchmarkId::new(name, format!("{limbs} limbs, {babies} by {giants}")), |b| {
                let products = || sums.chunks(together).map(|sums| ring.inner_products_packed(&set, sums)).collect();
                b.iter(|| pool.install(|| -> Vec<_> { products() }));
            });
        }
        let symmetric = |_| {
            let a = poly();
            let mut sum = ring.automorphism(&a, ring.conjugation_elt());
            ring.add_assign(&mut sum, &a);
            Ok::<_, Infallible>(sum)
        };
        let halves = PackedPoly::many(&ring, &set, Symmetry::Conjugate, diagonals.len(), symmetric);
        let halves = halves.unwrap_or_else(|never| match never {});
        let sums = terms(&cts, &halves);
        group.bench_function(BenchmarkId::new("by half", format!("{limbs} limbs, {babies} by {giants}")), |b| {
            let products = || sums.chunks(8).map(|sums| ring.inner_products_packed(&set, sums)).collect();
            b.iter(|| pool.install(|| -> Vec<_> { products() }));
        });
    }
    group.finish();
}

criterion_group!(benches, kernels, giant_steps);
criterion_main!(benches);
