//! Products of matrices over limbs: against plain arithmetic, the residues' products, and their noise formula.

use std::ops::ControlFlow;

use everlevel_ckks::limbs::{Ciphertext, Context, Error, EvalKeys, Params, SecretKey};
use everlevel_ckks::{Complex64, Entries, Params as LevelParams, ParamsLiteral, Units};
use everlevel_rand::{Seed, SeedSource};
use everlevel_ring::{Pool, no_progress};

use crate::common::{self, Party, depth, uniform};

struct Bench {
    context: Context,
    secret: SecretKey,
    keys: EvalKeys,
}

impl Bench {
    fn new(set: &str, log_n: u32, rotations: impl Fn(i64) -> Vec<i64>) -> Self {
        let params = Params::of_set(set, None, Some(log_n)).unwrap();
        let context = Context::with_seeds(params, SeedSource::insecure(Seed::from_bytes([0x3c; 32]))).unwrap();
        let secret = context.secret_key().unwrap();
        let keys = context.eval_keys(&secret, &rotations(1 << (log_n - 1)), false, &no_progress).unwrap();
        Self { context, secret, keys }
    }

    fn encrypt(&self, values: &[Complex64]) -> Ciphertext {
        self.context.encrypt(&self.secret, values, 2f64.sqrt()).unwrap()
    }

    fn product(&self, m: &[Complex64], shape: (usize, usize), a: &Ciphertext) -> Result<Ciphertext, Error> {
        let bits = self.context.params().precision_bits();
        self.context.multiply_matrix((Entries::Complex(m), shape), a, bits, &self.keys, &no_progress)
    }

    /// log2 of the root mean square distance of slots, and of the largest.
    fn distance(&self, a: &Ciphertext, expected: &[Complex64]) -> [f64; 2] {
        let found = self.context.decrypt(&self.secret, a).unwrap();
        let squares = || found.iter().zip(expected).map(|(a, b)| (a - b).norm_sqr());
        [squares().sum::<f64>() / found.len() as f64, squares().fold(0.0, f64::max)].map(|x| 0.5 * x.log2())
    }
}

/// Powers of two, to the left or to the right.
fn powers(side: i64) -> impl Fn(i64) -> Vec<i64> {
    move |slots| std::iter::successors(Some(1), |r| Some(2 * r)).take_while(|r| *r < slots).map(|r| side * r).collect()
}

fn times(m: &[Complex64], (rows, columns): (usize, usize), x: &[Complex64]) -> Vec<Complex64> {
    let row = |i: usize| (0..columns).map(|j| m[i * columns + j] * x[j]).sum();
    (0..x.len()).map(|i| if i < rows { row(i) } else { Complex64::default() }).collect()
}

#[test]
fn products_of_every_shape_are_those_of_plain_arithmetic() {
    // Two and three primes; keys to either side, and some of babies' own.
    let some = |slots: i64| [vec![3, 5, -7], powers(1)(slots)].concat();
    let benches = [Bench::new("n13", 8, powers(1)), Bench::new("n14", 8, powers(-1)), Bench::new("n15", 8, some)];
    for bench in &benches {
        let slots = bench.context.params().slots();
        let x = uniform(slots, 1);
        let a = bench.encrypt(&x);
        for shape in [(slots, slots), (5, 7), (1, slots), (slots, 1), (32, 64), (1, 1), (100, 100)] {
            let m = uniform(shape.0 * shape.1, 2);
            let product = bench.product(&m, shape, &a).unwrap();
            assert_eq!(product.budget_bits(), a.budget_bits() - bench.context.params().precision_bits());
            let [rms, worst] = bench.distance(&product, &times(&m, shape, &x));
            let claim = product.log2_error();
            println!("{shape:?}: 2^{rms:.2}, worst 2^{worst:.2}, formula 2^{claim:.2}");
            // Slots beyond the rows, and rows of smaller norms, have smaller errors.
            assert!(rms < claim + 0.2 && worst < claim + 2.8, "{shape:?}");
            assert!(shape != (slots, slots) || rms > claim - 1.0, "{shape:?}: 2^{rms:.2} beside 2^{claim:.2}");
        }
    }
}

#[test]
fn products_are_those_of_residues() {
    let (log_n, level) = (9, 3);
    let p = depth(log_n, level);
    let bench = Bench::new("n15", log_n, powers(1));
    let (slots, x) = (bench.context.params().slots(), uniform(256, 3));
    let m = uniform(slots * slots, 4);
    let entries = Entries::Complex(&m);
    let rotation = p.ctx.rotation_key(&p.secret, &no_progress).unwrap();
    let of_levels = p.ctx.multiply_entries(entries, (slots, slots), &Units::from(p.encrypt(&x, level)), &rotation);
    let of_levels = of_levels.unwrap();
    let expected = p.decrypt(of_levels.first());
    let product = bench.product(&m, (slots, slots), &bench.encrypt(&x)).unwrap();
    let [rms, _] = bench.distance(&product, &expected);
    // Both have their errors.
    let claims = product.log2_error().exp2().hypot((-of_levels.first().precision_bits()).exp2());
    assert!(rms < claims.log2() + 0.5, "2^{rms:.2}, claims 2^{:.2}", claims.log2());
}

#[test]
fn a_matrix_of_zeros_and_sparse_ones() {
    let bench = Bench::new("n14", 8, powers(1));
    let (slots, x) = (bench.context.params().slots(), uniform(128, 5));
    let a = bench.encrypt(&x);
    let zero = vec![Complex64::default(); slots * slots];
    let product = bench.product(&zero, (slots, slots), &a).unwrap();
    assert!(bench.context.decrypt(&bench.secret, &product).unwrap().iter().all(|z| z.norm() == 0.0));
    let mut sparse = zero;
    (0..slots).for_each(|i| sparse[i * slots + (i + 77) % slots] = Complex64::new(0.5, -1.0));
    let product = bench.product(&sparse, (slots, slots), &a).unwrap();
    let [rms, _] = bench.distance(&product, &times(&sparse, (slots, slots), &x));
    // The entries have no roundings.
    assert!(rms < product.log2_error() + 0.2, "2^{rms:.2} beside 2^{:.2}", product.log2_error());
}

#[test]
fn products_that_cannot_be_are_refused() {
    let bench = Bench::new("n14", 8, powers(1));
    let (slots, m) = (bench.context.params().slots(), uniform(128 * 129, 6));
    let a = bench.encrypt(&m[..slots]);
    let words = |result: Result<Ciphertext, Error>| result.unwrap_err().to_string();
    let rows = "1 to 128 rows and columns";
    for (shape, count, needed) in
        [((0, 1), 0, rows), ((1, 0), 0, rows), ((129, 128), 129 * 128, rows), ((2, 2), 3, "of 3 entries")]
    {
        let words = words(bench.product(&m[..count], shape, &a));
        assert!(words.contains("shape of the matrix") && words.contains(needed), "{words}");
    }
    let mut nan = m[..4].to_vec();
    nan[3] = Complex64::new(f64::NAN, 0.0);
    assert!(words(bench.product(&nan, (2, 2), &a)).contains("value 3 is NaN"));
    let huge = [Complex64::new(2f64.powi(30), 0.0)];
    assert!(words(bench.product(&huge, (1, 1), &a)).contains("values take 72.0 bits, and 62 are held"));
    let low = bench.context.lower(&a, 20).unwrap();
    assert!(words(bench.product(&m[..4], (2, 2), &low)).contains("-20 bits of budget"));
    // No key of a rotation; keys of another secret.
    let none = bench.context.eval_keys(&bench.secret, &[], false, &no_progress).unwrap();
    let bits = bench.context.params().precision_bits();
    let dense = (Entries::Complex(&m[..slots * slots]), (slots, slots));
    let product = |keys| bench.context.multiply_matrix(dense, &a, bits, keys, &no_progress);
    assert!(words(product(&none)).contains("no key for a rotation by 1"));
    let other = bench.context.secret_key().unwrap();
    let foreign = bench.context.eval_keys(&other, &[1], false, &no_progress).unwrap();
    assert!(matches!(product(&foreign), Err(Error::Object(_))));
    // Somebody who doesn't want to wait.
    let stop = |done: usize, _: usize| if done == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let stopped = bench.context.multiply_matrix(dense, &a, bits, &bench.keys, &stop);
    assert!(matches!(stopped, Err(Error::Cancelled(_))));
}

/// Seconds of CPU time of the process.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

#[test]
#[ignore = "slow: N = 2^15, minutes; prints CPU times beside those of residues of as many levels"]
fn times_beside_residues() {
    let (log_n, level) = (15, 17);
    let pool = Pool::new(1).unwrap();
    let literal = LevelParams::try_from(ParamsLiteral::for_depth(level).unwrap()).unwrap();
    let levels = Party::of(common::context(literal, None, 1));
    let rotation = levels.ctx.rotation_key(&levels.secret, &no_progress).unwrap();
    let bench = pool.install(|| Bench::new("n15", log_n, powers(1)));
    let x = uniform(bench.context.params().slots(), 3);
    let (a, of_levels) = pool.install(|| (bench.encrypt(&x), Units::from(levels.encrypt(&x, level))));
    println!("{} bits of limbs, {} levels", bench.context.params().shape().bits(), level);
    for count in [16usize, 64, 256, 512] {
        let m = uniform(count * count, 4);
        let entries = Entries::Complex(&m);
        let mut times = [f64::INFINITY; 2];
        for _ in 0..2 {
            let start = cpu();
            pool.install(|| bench.product(&m, (count, count), &a)).unwrap();
            times[0] = times[0].min(cpu() - start);
            let start = cpu();
            levels.ctx.multiply_entries(entries, (count, count), &of_levels, &rotation).unwrap();
            times[1] = times[1].min(cpu() - start);
        }
        println!("{count}: limbs {:.2} s, residues {:.2} s, ratio {:.2}", times[0], times[1], times[0] / times[1]);
    }
}
