//! Bootstraps on small, insecure rings.

use everlevel_ckks::bootstrap::Stage;
use everlevel_ckks::{BootstrapKeySize, Complex64, Context, Params, ParamsLiteral, no_progress};

fn message(n: usize) -> Vec<Complex64> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..n).map(|_| Complex64::new(next(), next())).collect()
}

fn precision(a: &[Complex64], b: &[Complex64]) -> (f64, f64) {
    let errors: Vec<f64> = a.iter().zip(b).map(|(a, b)| (a - b).norm()).collect();
    let mean = errors.iter().map(|e| -e.log2()).sum::<f64>() / errors.len() as f64;
    let worst = -errors.iter().fold(0.0f64, |m, e| m.max(*e)).log2();
    (mean, worst)
}

#[test]
fn bootstrap_refreshes_levels() {
    let log_n: u32 = std::env::var("LOG_N").ok().and_then(|s| s.parse().ok()).unwrap_or(11);
    let threads = 2;
    let literal = if log_n == 16 { ParamsLiteral::bootstrap() } else { ParamsLiteral::insecure_bootstrap(log_n) };
    let ctx = Context::new(Params::try_from(literal).unwrap(), None, threads).unwrap();
    let sk = ctx.secret_key().unwrap();
    let pk = ctx.public_key(&sk).unwrap();
    let rlk = ctx.relinearization_key(&sk, &no_progress).unwrap();
    let cjk = ctx.conjugation_key(&sk, &no_progress).unwrap();
    for stages in [3, 4, 5] {
        let start = std::time::Instant::now();
        let bsk = ctx.bootstrap_key(&sk, stages, BootstrapKeySize::Medium, &no_progress).unwrap();
        println!("stages {stages}: key {:?}, {} bytes, seeded {}, tables {}", start.elapsed(), bsk.nbytes(), bsk.seeded_nbytes(), bsk.table_nbytes());
        let m = message(ctx.slot_count());
        let ct = ctx.encrypt(&ctx.encode(&m, 0).unwrap(), &pk).unwrap();
        let (mean, worst) = precision(&ctx.decode(&ctx.decrypt(&ct, &sk).unwrap()).unwrap(), &m);
        println!("fresh: {mean:.2} {worst:.2}");
        let start = std::time::Instant::now();
        let mut last = start;
        let out = ctx
            .bootstrap_observed(&ct, &rlk, &cjk, &bsk, &|i, n| println!("  step {i}/{n} at {:?}", start.elapsed()), &mut |stage: Stage, _, scale| {
                println!("  {stage:?} scale 2^{:.2} after {:?}", scale.log2(), last.elapsed());
                last = std::time::Instant::now();
            })
            .unwrap();
        println!("bootstrap {:?}", start.elapsed());
        let back = ctx.decode(&ctx.decrypt(&out, &sk).unwrap()).unwrap();
        let (mean, worst) = precision(&back, &m);
        println!("level {} mean {mean:.2} worst {worst:.2}", out.level());
        assert_eq!(out.level(), 13 - stages);
        assert!(mean > 20.0);
    }
}
