//! Minimum and median time of a transform on each backend.
use everlevel_math::{Modulus, Ntt, Simd, primes};
use std::time::Instant;
fn stats(mut f: impl FnMut()) -> (f64, f64) {
    let mut t: Vec<f64> = (0..400)
        .map(|_| {
            let s = Instant::now();
            f();
            s.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    t.sort_by(f64::total_cmp);
    (t[0], t[200])
}
fn main() {
    for log_n in [10u32, 12, 13, 14, 15, 16, 17] {
        let n = 1usize << log_n;
        let q = primes::ntt_primes_below(48, log_n).next().expect("prime");
        for simd in Simd::available() {
            let ntt = Ntt::new(log_n, Modulus::with_simd(q, simd).expect("m")).expect("ntt");
            for off in [0usize, 2] {
                let mut buf: Vec<u64> = (0..n as u64 + 16).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % q).collect();
                let s = (64 - buf.as_ptr() as usize % 64) / 8 % 8 + off;
                let a = &mut buf[s..s + n];
                let f = stats(|| ntt.forward(a));
                let i = stats(|| ntt.inverse(a));
                println!(
                    "2^{log_n} {:7} off {off} fwd min {:8.2} med {:8.2}  inv min {:8.2} med {:8.2} µs",
                    simd.name(),
                    f.0,
                    f.1,
                    i.0,
                    i.1
                );
            }
        }
    }
}
