//! Exact arithmetic at real parameters, claims, noise beside its formulas, and what is refused.

use std::ops::ControlFlow;

use everlevel_bfv::{Ciphertext, Context, Error, EvalKeys, ObjectError, Params, ParamsLiteral, SETS, SecretKey, named};
use everlevel_io::{Access, Container, Stored, kinds};
use everlevel_rand::{Seed, SeedSource};
use everlevel_ring::{LimbGadget, no_progress};
use everlevel_testkit::sample::Sampler;
use everlevel_testkit::stored::{StoredFiles, with_fingerprint};

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

const T: i64 = 786_433;

/// The largest modulus below `2^40` that slots up to `n = 2^12` can have.
const WIDE: u64 = 1_099_511_480_321;

/// Encrypts, computes and decrypts, for tests whose operations are right.
struct Bench {
    context: Context,
    secret: SecretKey,
    keys: EvalKeys,
}

impl Bench {
    fn new(name: &str, rotations: &[i64], swap_rows: bool) -> Self {
        Self::of(Params::try_from(named(name).unwrap().literal).unwrap(), rotations, swap_rows)
    }

    fn of(params: Params, rotations: &[i64], swap_rows: bool) -> Self {
        let context = Context::with_seeds(params, SeedSource::insecure(Seed::from_bytes([0xb5; 32]))).unwrap();
        let secret = context.secret_key().unwrap();
        let keys = context.eval_keys(&secret, rotations, swap_rows, &no_progress).unwrap();
        Self { context, secret, keys }
    }

    fn t(&self) -> i64 {
        self.context.params().plain_modulus() as i64
    }

    /// Integers for every slot, the largest in some.
    fn values(&self, sampler: &mut Sampler) -> Vec<i64> {
        let (n, t) = (self.context.params().n(), self.t());
        (0..n).map(|i| if i % 9 == 0 { t / 2 } else { (sampler.word() % t as u64) as i64 - t / 2 }).collect()
    }

    /// The representative nearest to zero.
    fn centred(&self, x: i128) -> i64 {
        let t = self.t();
        let r = x.rem_euclid(i128::from(t)) as i64;
        if r > t / 2 { r - t } else { r }
    }

    fn zip(&self, a: &[i64], b: &[i64], f: impl Fn(i128, i128) -> i128) -> Vec<i64> {
        a.iter().zip(b).map(|(&a, &b)| self.centred(f(a.into(), b.into()))).collect()
    }

    fn encrypt(&self, values: &[i64]) -> Ciphertext {
        self.context.encrypt(&self.secret, values).unwrap()
    }

    fn decrypt(&self, ct: &Ciphertext) -> Vec<i64> {
        self.context.decrypt(&self.secret, ct).unwrap()
    }

    /// The measured noise is at most the tracked one, and less by at most a tolerance.
    fn assert_noise(&self, ct: &Ciphertext, what: &str, tolerance: f64) {
        let measured = self.context.measured_noise(&self.secret, ct).unwrap();
        let distance = measured - ct.log2_noise();
        assert!(distance < 0.15 && distance > -tolerance, "{what}: 2^{measured:.2}, formula 2^{:.2}", ct.log2_noise());
    }
}

#[test]
fn a_million_slots_of_products_are_exact() {
    for name in ["n12", "n13"] {
        let (bench, mut sampler) = (Bench::new(name, &[], false), Sampler::new(1));
        for round in 0..(1 << 20) / bench.context.params().n() {
            let (a, b) = (bench.values(&mut sampler), bench.values(&mut sampler));
            let (x, y) = (bench.encrypt(&a), bench.encrypt(&b));
            let product = bench.context.multiply(&x, &y, &bench.keys).unwrap();
            assert!(bench.decrypt(&product) == bench.zip(&a, &b, |a, b| a * b), "{name}, round {round}");
            if round < 3 {
                bench.assert_noise(&x, "encryption", 0.15);
                // The errors of two vectors are added up as if they were one.
                bench.assert_noise(&product, "product", 0.7);
            }
        }
    }
}

#[test]
fn products_reach_the_claimed_depth_and_no_further() {
    for name in ["n12", "n13"] {
        let (bench, mut sampler) = (Bench::new(name, &[], false), Sampler::new(2));
        let mut a = bench.values(&mut sampler);
        let mut x = bench.encrypt(&a);
        for level in 0..named(name).unwrap().depth {
            x = bench.context.multiply(&x, &x, &bench.keys).unwrap();
            a = bench.zip(&a, &a, |a, b| a * b);
            assert!(bench.decrypt(&x) == a, "{name}, level {level}");
            assert!(x.budget_bits() > 0.0);
            bench.assert_noise(&x, &format!("{name}, level {level}"), 0.5);
        }
        let error = bench.context.multiply(&x, &x, &bench.keys).unwrap_err();
        let used_up = |bits: f64| bits <= 0.0;
        assert!(
            matches!(error, Error::BudgetUsedUp { op: "multiply", budget_bits, .. } if used_up(budget_bits)),
            "{error}"
        );
    }
}

/// Between keys too: each round has a secret and a public key of its own.
#[test]
fn public_keys_encrypt_with_the_noise_of_their_formula() {
    for name in ["n12", "n13"] {
        let (mut bench, mut sampler) = (Bench::new(name, &[], false), Sampler::new(26));
        for round in 0..6 {
            bench.secret = bench.context.secret_key().unwrap();
            bench.keys = bench.context.eval_keys(&bench.secret, &[], false, &no_progress).unwrap();
            let public = bench.context.public_key(&bench.secret).unwrap();
            let mut a = bench.values(&mut sampler);
            let mut x = bench.context.encrypt(&public, &a).unwrap();
            assert!(bench.decrypt(&x) == a, "{name}, round {round}");
            bench.assert_noise(&x, &format!("{name}, round {round}"), 0.15);
            for level in 0..bench.context.params().public_depth() {
                x = bench.context.multiply(&x, &x, &bench.keys).unwrap();
                a = bench.zip(&a, &a, |a, b| a * b);
                assert!(bench.decrypt(&x) == a, "{name}, round {round}, level {level}");
                bench.assert_noise(&x, &format!("{name}, round {round}, level {level}"), 0.7);
            }
        }
    }
}

#[test]
fn squares_have_the_bits_of_products_of_equal_operands() {
    let bench = small(&[], false);
    let x = bench.encrypt(&bench.values(&mut Sampler::new(5)));
    let [square, product] = [&x, &x.clone()].map(|y| {
        let ct = bench.context.multiply(&x, y, &bench.keys).unwrap();
        ct.to_container(&bench.context).unwrap().to_bytes()
    });
    assert!(square == product);
}

/// Every base from the smallest to the largest, with the smallest and the largest of moduli: limbs of fewer bits than
/// the modulus too.
#[test]
fn every_base_computes_with_every_modulus() {
    for log2_base in [16, 21, 36, 37, 42, 62] {
        for plain_modulus in [7681, 65_537, WIDE] {
            let limbs = 200usize.div_ceil(log2_base as usize);
            let literal = ParamsLiteral { log_n: 8, plain_modulus, log2_base, limbs, digit_limbs: 1 };
            let (bench, mut sampler) =
                (Bench::of(Params::insecure(literal).unwrap(), &[1], false), Sampler::new(log2_base.into()));
            let (a, b) = (bench.values(&mut sampler), bench.values(&mut sampler));
            let (x, y) = (bench.encrypt(&a), bench.encrypt(&b));
            let what = format!("K = {log2_base}, t = {plain_modulus}");
            assert!(bench.decrypt(&x) == a, "{what}");
            let product = bench.context.multiply(&x, &y, &bench.keys).unwrap();
            assert!(bench.decrypt(&product) == bench.zip(&a, &b, |a, b| a * b), "{what}");
            bench.assert_noise(&product, &what, 1.0);
            let plain = bench.context.multiply_plain(&product, &b).unwrap();
            assert!(bench.decrypt(&plain) == bench.zip(&bench.decrypt(&product), &b, |a, b| a * b), "{what}");
            bench.assert_noise(&plain, &what, 1.0);
            let moved = bench.context.rotate(&x, 1, &bench.keys).unwrap();
            assert_eq!(bench.decrypt(&moved)[..127], a[1..128], "{what}");
            bench.assert_noise(&moved, &what, 0.4);
        }
    }
}

#[test]
fn sums_plain_operands_and_rotations_act_slot_by_slot() {
    let (bench, mut sampler) = (Bench::new("n13", &[1, -3], true), Sampler::new(3));
    let (context, n) = (&bench.context, bench.context.params().n());
    let (a, b) = (bench.values(&mut sampler), bench.values(&mut sampler));
    let (x, y) = (bench.encrypt(&a), bench.encrypt(&b));
    assert!(bench.decrypt(&x) == a);
    assert!(bench.decrypt(&context.add(&x, &y).unwrap()) == bench.zip(&a, &b, |a, b| a + b));
    assert!(bench.decrypt(&context.subtract(&x, &y).unwrap()) == bench.zip(&a, &b, |a, b| a - b));
    assert!(bench.decrypt(&context.add_plain(&x, &b).unwrap()) == bench.zip(&a, &b, |a, b| a + b));
    let product = context.multiply_plain(&x, &b).unwrap();
    assert!(bench.decrypt(&product) == bench.zip(&a, &b, |a, b| a * b));
    bench.assert_noise(&product, "plain product", 0.2);
    assert!(bench.decrypt(&context.negate(&x).unwrap()) == bench.zip(&a, &b, |a, _| -a));
    // Slots that are left out hold 0.
    assert!(bench.decrypt(&bench.encrypt(&[5, -7]))[..3] == [5, -7, 0]);
    for amount in [1i64, -3, 0] {
        let moved = context.rotate(&x, amount, &bench.keys).unwrap();
        let row = n / 2;
        let source = |i: usize| i / row * row + (i as i64 % row as i64 + amount).rem_euclid(row as i64) as usize;
        assert!(bench.decrypt(&moved) == (0..n).map(|i| a[source(i)]).collect::<Vec<_>>(), "by {amount}");
        bench.assert_noise(&moved, "rotation", 0.2);
    }
    let swapped = context.swap_rows(&x, &bench.keys).unwrap();
    assert!(bench.decrypt(&swapped) == [&a[n / 2..], &a[..n / 2]].concat());
}

#[test]
fn claims_of_the_named_sets_are_recomputed() {
    for set in SETS {
        let params = Params::try_from(set.literal).unwrap();
        assert_eq!(params.depth(), set.depth, "{}", set.name);
        let by_public_keys = set.depth - usize::from(matches!(set.name, "n13" | "n14"));
        assert_eq!(params.public_depth(), by_public_keys, "{}", set.name);
        let ParamsLiteral { log2_base, limbs, digit_limbs, .. } = set.literal;
        assert_eq!(log2_base * (limbs + digit_limbs) as u32, set.key_bits, "{}", set.name);
        let ring = params.shape().ring().unwrap();
        assert_eq!(ring.key_nbytes(&LimbGadget::new(limbs, digit_limbs)), set.key_nbytes, "{}", set.name);
        if set.name.ends_with("depth-30") {
            continue;
        }
        // The largest set of its degree: one limb more is above the cap.
        let more = ParamsLiteral { limbs: limbs + 1, ..set.literal };
        assert!(matches!(Params::try_from(more), Err(Error::Security(_))), "{}", set.name);
    }
}

/// A ring without security, quick enough for all keys.
fn small(rotations: &[i64], swap_rows: bool) -> Bench {
    let params = Params::of_set("n14", None, Some(8)).unwrap();
    assert!(params.is_insecure() && params.set() == Some("n14"));
    Bench::of(params, rotations, swap_rows)
}

#[test]
fn sums_and_rotations_are_made_of_powers_of_two() {
    for side in [1i64, -1] {
        let powers: Vec<i64> = (0..7).map(|i| side << i).collect();
        let (bench, mut sampler) = (small(&powers, true), Sampler::new(4));
        let n = bench.context.params().n();
        let a = bench.values(&mut sampler);
        let x = bench.encrypt(&a);
        let total = bench.centred(a.iter().map(|&a| i128::from(a)).sum());
        let sum = bench.context.sum(&x, &bench.keys, &no_progress).unwrap();
        assert!(bench.decrypt(&sum) == vec![total; n], "side {side}");
        assert!(bench.context.measured_noise(&bench.secret, &sum).unwrap() < sum.log2_noise() + 0.15);
        for amount in [5i64, -9, 127, i64::MIN + 3] {
            let moved = bench.decrypt(&bench.context.rotate(&x, amount, &bench.keys).unwrap());
            let from = amount.rem_euclid(n as i64 / 2) as usize;
            assert_eq!(moved[..n / 2 - from], a[from..n / 2], "by {amount}");
        }
    }
    let few = small(&[1, 2], false);
    let x = few.encrypt(&[1]);
    assert!(few.context.rotate(&x, 3, &few.keys).is_ok());
    assert!(matches!(few.context.rotate(&x, 4, &few.keys), Err(Error::MissingRotation { amount: 4, .. })));
    assert!(matches!(few.context.sum(&x, &few.keys, &no_progress), Err(Error::MissingRotation { amount: 4, .. })));
    assert!(matches!(few.context.swap_rows(&x, &few.keys), Err(Error::MissingInversion { op: "swap_rows" })));
}

/// An object of one context, through a file, as one of another.
fn through<T: Stored<Context, Error = Error>>(object: &T, from: &Context, to: &Context) -> T {
    T::from_container(to, &Container::from_bytes(object.to_container(from).unwrap().to_bytes()).unwrap()).unwrap()
}

#[test]
fn objects_come_back_from_containers() {
    let (bench, context) = (small(&[1, -3], true), small(&[], false).context);
    let x = bench.context.multiply(&bench.encrypt(&[3, -4]), &bench.encrypt(&[5, 6]), &bench.keys).unwrap();
    let (secret, keys) =
        (through(&bench.secret, &bench.context, &context), through(&bench.keys, &bench.context, &context));
    let y = through(&x, &bench.context, &context);
    assert_eq!((secret.id(), keys.secret_id(), y.secret_id()), (bench.secret.id(), bench.secret.id(), x.secret_id()));
    assert_eq!((keys.rotations(), keys.has_inversion(), keys.nbytes()), (vec![-3, 1], true, bench.keys.nbytes()));
    assert_eq!((y.log2_noise(), y.budget_bits()), (x.log2_noise(), x.budget_bits()));
    assert_eq!(context.decrypt(&secret, &y).unwrap()[..3], [15, -24, 0]);
    // The keys are the same to the bit: so are their products.
    for (a, b) in [
        (bench.context.multiply(&x, &x, &bench.keys), context.multiply(&y, &y, &keys)),
        (bench.context.rotate(&x, -3, &bench.keys), context.rotate(&y, -3, &keys)),
        (bench.context.swap_rows(&x, &bench.keys), context.swap_rows(&y, &keys)),
    ] {
        let [a, b] = [a, b].map(|ct| ct.unwrap().to_container(&bench.context).unwrap().to_bytes());
        assert!(a == b);
    }
    let other = Context::new(Params::of_set("n14", Some(12_289), Some(8)).unwrap()).unwrap();
    let container = Container::from_bytes(x.to_container(&bench.context).unwrap().to_bytes()).unwrap();
    let prints = bench.context.fingerprints();
    assert_eq!(prints.v2, 0xf161_95da_ab37_7cf2);
    let later = with_fingerprint(&x.to_container(&bench.context).unwrap().to_bytes(), prints.v2);
    Ciphertext::from_container(&bench.context, &Container::from_bytes(later).unwrap()).unwrap();
    let refused = Ciphertext::from_container(&other, &container).unwrap_err();
    assert!(matches!(refused, Error::Io(everlevel_io::Error::WrongParameters { .. })), "{refused}");
}

/// Stored files are of the smallest degree, without security: the fuzz targets read them with the same parameters.
#[test]
fn stored_files_are_read_and_compute_what_they_did() {
    let params = Params::of_set("n13", None, Some(5)).unwrap();
    if let Some(files) = StoredFiles::to_be_written(CRATE) {
        let seeds = SeedSource::insecure(Seed::from_bytes([0xb7; 32]));
        let context = Context::with_seeds(params.clone(), seeds).unwrap();
        let secret = context.secret_key().unwrap();
        let keys = context.eval_keys(&secret, &[1, -3], true, &no_progress).unwrap();
        let x = context.encrypt(&secret, &[300, -7]).unwrap();
        for (name, builder) in [
            ("bfv_secret_key", secret.to_container(&context)),
            ("bfv_evaluation_key", keys.to_container(&context)),
            ("bfv_ciphertext", x.to_container(&context)),
        ] {
            files.add(name, &builder.unwrap().to_bytes());
        }
    }
    let context = Context::new(params).unwrap();
    for files in StoredFiles::of_each_version(CRATE) {
        files.of_every_kind([kinds::BFV_SECRET_KEY, kinds::BFV_EVALUATION_KEY, kinds::BFV_CIPHERTEXT]);
        let open = |name: &str| Container::open(&files.path(name), Access::Read).unwrap();
        let secret = SecretKey::from_container(&context, &open("bfv_secret_key")).unwrap();
        let keys = EvalKeys::from_container(&context, &open("bfv_evaluation_key")).unwrap();
        let x = Ciphertext::from_container(&context, &open("bfv_ciphertext")).unwrap();
        let decrypt = |ct: Result<Ciphertext, Error>| context.decrypt(&secret, &ct.unwrap()).unwrap();
        assert_eq!(decrypt(Ok(x.clone()))[..3], [300, -7, 0]);
        assert_eq!(decrypt(context.multiply(&x, &x, &keys))[..3], [90_000, 49, 0]);
        assert_eq!(decrypt(context.rotate(&x, 1, &keys))[..2], [-7, 0]);
        assert_eq!(decrypt(context.swap_rows(&x, &keys))[16..19], [300, -7, 0]);
    }
}

#[test]
fn long_work_is_cancelled() {
    let Bench { context, secret, .. } = small(&[], false);
    let stop = |done: usize, total: usize| {
        assert_eq!(total, 4);
        if done == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    // Amounts of 0 and of the same rotation need no keys of their own.
    let cancelled = context.eval_keys(&secret, &[0, 1, 2, 1 - 128], true, &stop).unwrap_err();
    assert!(matches!(cancelled, Error::Cancelled(_)), "{cancelled}");
}

#[test]
fn bad_input_is_refused_with_its_values() {
    let literal = named("n13").unwrap().literal;
    let words = |literal: ParamsLiteral| Params::try_from(literal).unwrap_err().to_string();
    let even = words(ParamsLiteral { plain_modulus: 65_536, ..literal });
    let needed = "a prime below 2^40 that is 1 modulo 16384: 786433 is one";
    assert_eq!(even, format!("parameters: plain_modulus is 65536; it must be {needed}"));
    assert_eq!(words(ParamsLiteral { log_n: 2, ..literal }), "parameters: log_n is 2; it must be 5 to 17");
    assert_eq!(words(ParamsLiteral { log2_base: 63, ..literal }), "parameters: log2_base is 63; it must be 16 to 62");
    assert!(words(ParamsLiteral { digit_limbs: 0, ..literal }).contains("3 limbs, digits of 0"));
    assert_eq!(
        named("n11").unwrap_err().to_string(),
        "parameters: there is no set named \"n11\"; choose one of n12, n13, n14, n15, n16-depth-30, n16"
    );
    let bench = Bench::new("n13", &[1], false);
    let (context, n) = (&bench.context, bench.context.params().n());
    let refused = |result: Result<Ciphertext, Error>| result.unwrap_err().to_string();
    assert_eq!(
        refused(context.add_plain(&bench.encrypt(&[1]), &vec![1; n + 1])),
        "add: one operand has 1 units and the other has 2; make both of vectors that fill equally many ciphertexts"
    );
    assert_eq!(
        refused(context.encrypt(&bench.secret, &[0, T])),
        "encrypt: 786433 at slot 1 is outside of −786432 … 786432; reduce it modulo 786433 first"
    );
    let x = bench.encrypt(&[1]);
    assert_eq!(
        refused(context.rotate(&x, 2, &bench.keys)),
        "rotate: no key for a rotation by 2; there are keys for [1]: name it when the keys are made"
    );
    let other = context.secret_key().unwrap();
    assert!(matches!(context.decrypt(&other, &x), Err(Error::Object(ObjectError::OtherSecret { op: "decrypt", .. }))));
    let y = context.encrypt(&other, &[1]).unwrap();
    assert!(matches!(context.add(&x, &y), Err(Error::Object(ObjectError::OtherSecret { op: "add", .. }))));
    assert!(matches!(
        context.multiply(&y, &y, &bench.keys),
        Err(Error::Object(ObjectError::OtherSecret { what: "keys", .. }))
    ));
    let small = Params::try_from(ParamsLiteral { limbs: 2, ..literal }).unwrap();
    let small = Context::new(small).unwrap();
    assert!(matches!(small.add(&x, &x), Err(Error::Object(ObjectError::OtherParameters { .. }))));
}
