//! Bootstraps over limbs: values within what is claimed, bits that come back, files, and what is refused.

use std::ops::ControlFlow;
use std::sync::Mutex;

use everlevel_ckks::io::{Container, Stored};
use everlevel_ckks::limbs::{BootstrapKey, Ciphertext, Context, Error, Params, SecretKey};
use everlevel_ckks::{BootstrapKeySize, Complex64, ENCAPSULATION_WEIGHT, EVAL_MOD_INTERVAL, ObjectError};
use everlevel_rand::{Seed, SeedSource};
use everlevel_ring::{Pool, no_progress};

use crate::common::{self, Party, bootstrap_params, uniform};

struct Bench {
    context: Context,
    secret: SecretKey,
    key: BootstrapKey,
}

impl Bench {
    fn new(log_n: Option<u32>) -> Self {
        let params = Params::of_set("n16", None, log_n).unwrap();
        let context = Context::with_seeds(params, SeedSource::insecure(Seed::from_bytes([0x5a; 32]))).unwrap();
        let secret = context.secret_key().unwrap();
        let key = context.bootstrap_key(&secret, &no_progress).unwrap();
        Self { context, secret, key }
    }

    fn small() -> Self {
        Self::new(Some(9))
    }

    fn slots(&self) -> usize {
        self.context.params().slots()
    }

    /// A ciphertext with few bits of budget.
    fn used_up(&self, values: &[Complex64], bound: f64, budget_bits: u32) -> Ciphertext {
        let fresh = self.context.encrypt(&self.secret, values, bound).unwrap();
        self.context.lower(&fresh, budget_bits).unwrap()
    }

    fn bootstrap(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.context.bootstrap(a, &self.key, &no_progress)
    }

    /// log2 of the root mean square distance of slots, and of the largest.
    fn distance(&self, a: &Ciphertext, expected: &[Complex64]) -> [f64; 2] {
        let found = self.context.decrypt(&self.secret, a).unwrap();
        let squares = || found.iter().zip(expected).map(|(a, b)| (a - b).norm_sqr());
        [squares().sum::<f64>() / found.len() as f64, squares().fold(0.0, f64::max)].map(|x| 0.5 * x.log2())
    }
}

#[test]
fn values_come_back_with_bits_and_the_claimed_precision() {
    let bench = Bench::small();
    let slots = bench.slots();
    let half = |z: Vec<Complex64>| z.into_iter().map(|z| z / 2f64.sqrt()).collect::<Vec<_>>();
    let ones = vec![Complex64::from(1.0); slots];
    let imaginary = vec![Complex64::i(); slots];
    let real: Vec<Complex64> = uniform(slots, 2).into_iter().map(|z| z.re.into()).collect();
    for (what, values) in [("random", half(uniform(slots, 1))), ("real", real), ("ones", ones), ("i", imaginary)] {
        for budget in [12, 40, 250] {
            let a = bench.used_up(&values, 1.0, budget);
            let result = bench.bootstrap(&a).unwrap();
            assert_eq!((result.budget_bits(), result.bound()), (297, 1.0));
            assert_eq!(result.limbs(), (297usize + 40 + 6).div_ceil(60));
            let [rms, worst] = bench.distance(&result, &values);
            let claim = result.log2_error();
            println!("{what} from {budget} bits: 2^{rms:.2}, worst 2^{worst:.2}, claimed 2^{claim:.2}");
            assert!(rms < claim + 0.2, "{what} from {budget} bits: 2^{rms:.2}, claimed 2^{claim:.2}");
        }
    }
}

#[test]
fn results_are_ciphertexts_like_others() {
    let bench = Bench::small();
    let (context, values) = (&bench.context, uniform(bench.slots(), 3));
    let keys = context.eval_keys(&bench.secret, &[1], false, &no_progress).unwrap();
    let result = bench.bootstrap(&bench.used_up(&values, 1.5, 20)).unwrap();
    // A bound of 2 is a bit more.
    assert_eq!(result.budget_bits(), 298);
    let square = context.square(&result, &keys).unwrap();
    let expected: Vec<Complex64> = values.iter().map(|z| z * z).collect();
    let [rms, _] = bench.distance(&square, &expected);
    assert!(rms < square.log2_error() + 0.2, "2^{rms:.2}, claimed 2^{:.2}", square.log2_error());
    // Again, from the last bits that products left.
    let low = context.lower(&square, 14).unwrap();
    let again = bench.bootstrap(&low).unwrap();
    let [rms, _] = bench.distance(&again, &expected);
    assert!(rms < again.log2_error() + 0.2, "2^{rms:.2}, claimed 2^{:.2}", again.log2_error());
    let rotated = context.rotate(&again, 1, &keys).unwrap();
    let [rms, _] = bench.distance(&rotated, &[&expected[1..], &expected[..1]].concat());
    assert!(rms < rotated.log2_error() + 0.2);
}

#[test]
fn large_bounds_take_a_larger_budget_and_give_one() {
    let bench = Bench::small();
    let values: Vec<Complex64> = uniform(bench.slots(), 4).into_iter().map(|z| z * 700.0).collect();
    let result = bench.bootstrap(&bench.used_up(&values, 1000.0, 22)).unwrap();
    assert_eq!(result.budget_bits(), 307);
    let [rms, _] = bench.distance(&result, &values);
    assert!(rms < result.log2_error() + 0.2, "2^{rms:.2}, claimed 2^{:.2}", result.log2_error());
    let huge: Vec<Complex64> = values.iter().map(|z| z * 2f64.powi(40)).collect();
    let result = bench.bootstrap(&bench.used_up(&huge, 1000.0 * 2f64.powi(40), 200)).unwrap();
    let [rms, _] = bench.distance(&result, &huge);
    assert!(rms < result.log2_error() + 0.2, "2^{rms:.2}, claimed 2^{:.2}", result.log2_error());
}

#[test]
fn bootstraps_that_cannot_be_are_refused() {
    let bench = Bench::small();
    let values = uniform(bench.slots(), 5);
    let words = |result: Result<Ciphertext, Error>| result.unwrap_err().to_string();
    let low = bench.used_up(&values, 1.5, 12);
    assert!(words(bench.bootstrap(&low)).contains("2 bits of budget, and its values need 3; the operands have 12"));
    let other = bench.context.secret_key().unwrap();
    let foreign = bench.context.encrypt(&other, &values, 1.5).unwrap();
    assert!(matches!(bench.bootstrap(&foreign), Err(Error::Object(ObjectError::OtherSecret { .. }))));
    // Parameters of a key, and of a secret; sets without a bootstrap.
    let context = Context::new(Params::of_set("n16", None, Some(8)).unwrap()).unwrap();
    let refused = context.bootstrap(&low, &bench.key, &no_progress);
    assert!(matches!(refused, Err(Error::Object(ObjectError::OtherParameters { .. }))));
    let refused = context.bootstrap_key(&bench.secret, &no_progress);
    assert!(matches!(refused, Err(Error::Object(ObjectError::OtherParameters { .. }))));
    let small = Context::new(Params::of_set("n14", None, Some(8)).unwrap()).unwrap();
    let secret = small.secret_key().unwrap();
    let refused = small.bootstrap_key(&secret, &no_progress).unwrap_err().to_string();
    assert!(refused.contains("limbs of keys is 7") && refused.contains("take the set n16"), "{refused}");
    // Somebody who doesn't want to wait.
    let stop = |done: usize, _: usize| if done == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let stopped = bench.context.bootstrap_key(&bench.secret, &stop);
    assert!(matches!(stopped, Err(Error::Cancelled(_))));
    let a = bench.used_up(&values, 1.5, 20);
    assert!(matches!(bench.context.bootstrap(&a, &bench.key, &stop), Err(Error::Cancelled(_))));
}

/// The notes' bounds of integers in a raised ciphertext: `(h + 1)/2` at most, and beyond 14 hardly ever.
#[test]
fn integers_beyond_the_fit_have_the_stated_probability() {
    let terms = ENCAPSULATION_WEIGHT as f64 + 1.0;
    // Below the interval's bound with the message and the quarter beside it.
    assert!(terms / 2.0 + 0.25 + 2f64.powi(-12) < EVAL_MOD_INTERVAL);
    // A sum of 33 uniforms is beyond 29/2 with a probability of 2·2^33/33!/2 at most, by Irwin and Hall.
    let log2_factorial: f64 = (1..=ENCAPSULATION_WEIGHT + 1).map(|k| (k as f64).log2()).sum();
    let log2_coefficient = terms - log2_factorial;
    assert!(log2_coefficient < -89.0 && log2_coefficient + 16.0 < -73.0, "2^{log2_coefficient:.1}");
}

#[test]
fn keys_in_files_are_the_same() {
    let bench = Bench::new(Some(8));
    let bytes = bench.key.to_container(&bench.context).unwrap().to_bytes();
    let container = Container::from_bytes(bytes).unwrap();
    let key = BootstrapKey::from_container(&bench.context, &container).unwrap();
    assert_eq!((key.nbytes(), key.secret_id()), (bench.key.nbytes(), bench.key.secret_id()));
    let a = bench.used_up(&uniform(bench.slots(), 6), 1.5, 20);
    let decrypted = |key| {
        let result = bench.context.bootstrap(&a, key, &no_progress).unwrap();
        bench.context.decrypt(&bench.secret, &result).unwrap()
    };
    let expected = decrypted(&bench.key);
    assert_eq!(decrypted(&key), expected);
    // Seeds and bodies, as the file has them.
    let seeding = Context::new(Params::of_set("n16", None, Some(8)).unwrap()).unwrap().with_seeded_keys(true);
    let seeded = BootstrapKey::from_container(&seeding, &container).unwrap();
    assert_eq!([&key, &seeded].map(BootstrapKey::is_seeded), [false, true]);
    assert_eq!(seeded.nbytes() as u64, seeding.bootstrap_key_footprint().unwrap().held);
    assert!(10 * seeded.nbytes() < 3 * key.nbytes(), "{} of {}", seeded.nbytes(), key.nbytes());
    assert!(seeding.bootstrap_footprint().unwrap().work > bench.context.bootstrap_footprint().unwrap().work);
    assert_eq!(decrypted(&seeded), expected);
    assert_eq!(
        seeded.to_container(&seeding).unwrap().to_bytes(),
        bench.key.to_container(&bench.context).unwrap().to_bytes()
    );
    let context = Context::new(Params::of_set("n16", Some(30), Some(8)).unwrap()).unwrap();
    assert!(BootstrapKey::from_container(&context, &container).is_err());
}

#[test]
fn the_key_takes_the_memory_that_was_told() {
    let bench = Bench::new(Some(8));
    let told = bench.context.bootstrap_key_footprint().unwrap();
    assert_eq!(told.held, bench.key.nbytes() as u64);
    let of_set = Context::new(Params::of_set("n16", None, None).unwrap()).unwrap().bootstrap_key_footprint().unwrap();
    println!("n16: {:.2} GB", of_set.held as f64 / 1e9);
    assert!(of_set.held < 8_000_000_000);
}

/// Seconds of CPU time of the process.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

#[test]
#[ignore = "slow: N = 2^16, minutes, 8 GB; prints time, memory and precision"]
fn a_bootstrap_at_full_size() {
    Pool::new(1).unwrap().install(|| {
        let start = cpu();
        let bench = Bench::new(None);
        println!("keys: {:.1} s, {:.2} GB", cpu() - start, bench.key.nbytes() as f64 / 1e9);
        let values: Vec<Complex64> = uniform(bench.slots(), 1).into_iter().map(|z| z / 2f64.sqrt()).collect();
        let a = bench.used_up(&values, 1.0, 12);
        let of_limbs = || {
            let start = cpu();
            let times = Mutex::new(vec![start]);
            let progress = |done: usize, _: usize| {
                let mut times = times.lock().unwrap();
                if times.len() == done {
                    times.push(cpu());
                }
                ControlFlow::Continue(())
            };
            let result = bench.context.bootstrap(&a, &bench.key, &progress).unwrap();
            let seconds = cpu() - start;
            let steps: Vec<String> =
                times.into_inner().unwrap().windows(2).map(|pair| format!("{:.2}", pair[1] - pair[0])).collect();
            println!("seconds of each step: {}", steps.join(", "));
            let [rms, worst] = bench.distance(&result, &values);
            let (budget, claim) = (result.budget_bits(), result.log2_error());
            println!("{seconds:.2} s, {budget} bits, 2^{rms:.2}, worst 2^{worst:.2}, claimed 2^{claim:.2}");
            assert!(rms < claim + 0.2 && claim < -20.0);
            seconds
        };
        println!("the first:");
        of_limbs();
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap());
        // Residues beside them, with one thread, too.
        let p = Party::of(common::context(bootstrap_params(16), None, 1));
        let key = p.bootstrap_key(3, BootstrapKeySize::Large);
        let x = p.encrypt(&values, 0);
        let of_residues = || {
            let start = cpu();
            p.bootstrapper().bootstrap(&x, &p.relinearization, &p.conjugation, &key, &no_progress).unwrap();
            cpu() - start
        };
        of_residues();
        for _ in 0..2 {
            let [limbs, residues] = [of_limbs(), of_residues()];
            println!("limbs {limbs:.2} s, residues {residues:.2} s, ratio {:.2}", limbs / residues);
        }
    });
}
