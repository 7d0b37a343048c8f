//! CKKS over limbs: arithmetic at real parameters within its noise formulas, budgets to the bit, files, and what is
//! refused.

use std::ops::ControlFlow;

use crate::common::{Party, depth};
use everlevel_ckks::ParamsLiteral as ParamsOfLevels;
use everlevel_ckks::io::{Access, Container, Error as FileError, Stored, kinds};
use everlevel_ckks::limbs::{Ciphertext, Context, Error, EvalKeys, Params, ParamsLiteral, SETS, SecretKey, named};
use everlevel_ckks::{Basis, Complex64, ObjectError};
use everlevel_rand::{Seed, SeedSource};
use everlevel_ring::{LimbGadget, no_progress};
use everlevel_testkit::stored::{StoredFiles, with_fingerprint};

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

/// Encrypts, computes and decrypts, for tests whose operations are right.
struct Bench {
    context: Context,
    secret: SecretKey,
    keys: EvalKeys,
}

impl Bench {
    fn new(params: Params, rotations: &[i64], conjugation: bool) -> Self {
        let seeds = SeedSource::insecure(Seed::from_bytes([0x1b; 32]));
        let context = Context::with_seeds(params, seeds).unwrap();
        let secret = context.secret_key().unwrap();
        let keys = context.eval_keys(&secret, rotations, conjugation, &no_progress).unwrap();
        Self { context, secret, keys }
    }

    fn of_set(name: &str, rotations: &[i64], conjugation: bool) -> Self {
        Self::new(Params::try_from(named(name).unwrap().literal).unwrap(), rotations, conjugation)
    }

    /// A ring without security, quick enough for all keys.
    fn small(rotations: &[i64], conjugation: bool) -> Self {
        Self::new(Params::of_set("n14", None, Some(8)).unwrap(), rotations, conjugation)
    }

    fn slots(&self) -> usize {
        self.context.params().slots()
    }

    fn encrypt(&self, values: &[Complex64], bound: f64) -> Ciphertext {
        self.context.encrypt(&self.secret, values, bound).unwrap()
    }

    fn decrypt(&self, ct: &Ciphertext) -> Vec<Complex64> {
        self.context.decrypt(&self.secret, ct).unwrap()
    }

    /// The measured error of slots is that of the formula, or less by at most a tolerance in bits.
    fn assert_close(&self, ct: &Ciphertext, expected: &[Complex64], what: &str, tolerance: f64) {
        let found = self.decrypt(ct);
        let squares: f64 = found.iter().zip(expected).map(|(a, b)| (a - b).norm_sqr()).sum();
        let measured = 0.5 * (squares / found.len() as f64).log2();
        let distance = measured - ct.log2_error();
        let words = format!("{what}: 2^{measured:.2}, formula 2^{:.2}", ct.log2_error());
        println!("{words}");
        assert!(distance < 0.2 && distance > -tolerance, "{words}");
    }
}

/// Values of size 1, nearly.
fn values(n: usize, phase: f64) -> Vec<Complex64> {
    (0..n).map(|i| Complex64::cis((i * i) as f64 * 0.7 + phase) * (1.0 - 1e-9)).collect()
}

fn zip(a: &[Complex64], b: &[Complex64], f: impl Fn(Complex64, Complex64) -> Complex64) -> Vec<Complex64> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

fn map(a: &[Complex64], f: impl Fn(Complex64) -> Complex64) -> Vec<Complex64> {
    a.iter().map(|&a| f(a)).collect()
}

fn arithmetic_is_within_its_noise(name: &str) {
    let bench = Bench::of_set(name, &[1, -3], true);
    let (context, slots) = (&bench.context, bench.slots());
    let (a, b) = (values(slots, 0.0), values(slots, 2.0));
    let (x, y) = (bench.encrypt(&a, 1.0), bench.encrypt(&b, 1.0));
    let (budget, precision) = (context.params().max_budget_bits(), context.params().precision_bits());
    assert_eq!(x.budget_bits(), budget);
    bench.assert_close(&x, &a, "encryption", 2.0);
    let product = context.multiply(&x, &y, &bench.keys).unwrap();
    assert_eq!((product.budget_bits(), product.bound()), (budget - precision, 1.0));
    let of_product = zip(&a, &b, |a, b| a * b);
    // Deviations of both operands add up, as if they were one.
    bench.assert_close(&product, &of_product, "product", 0.7);
    let square = context.square(&product, &bench.keys).unwrap();
    let of_square = map(&of_product, |z| z * z);
    bench.assert_close(&square, &of_square, "square", 0.5);
    // Any number of bits, in products too.
    for bits in [precision - 1, 17, 11] {
        let coarse = context.multiply_to(&product, &y, bits, &bench.keys).unwrap();
        assert_eq!(coarse.budget_bits(), product.budget_bits() - bits);
        bench.assert_close(&coarse, &zip(&of_product, &b, |a, b| a * b), "coarse product", 1.0);
    }
    for bits in [1, 23, precision] {
        let rescaled = context.rescale(&product, bits).unwrap();
        assert_eq!(rescaled.budget_bits(), product.budget_bits() - bits);
        bench.assert_close(&rescaled, &map(&of_product, |z| z * (-f64::from(bits)).exp2()), "rescaled", 0.7);
    }
    let lowered = context.lower(&product, product.budget_bits() - 13).unwrap();
    assert_eq!(lowered.budget_bits(), product.budget_bits() - 13);
    bench.assert_close(&lowered, &of_product, "lowered", 0.7);
    let plain = context.multiply_plain(&product, &b, 1.0, 29).unwrap();
    assert_eq!(plain.budget_bits(), product.budget_bits() - 29);
    bench.assert_close(&plain, &zip(&of_product, &b, |a, b| a * b), "plain product", 1.0);
    // Of different budgets.
    let of_plain = zip(&of_product, &b, |a, b| a * b);
    let sum = context.add(&x, &plain).unwrap();
    assert_eq!((sum.budget_bits(), sum.bound()), (plain.budget_bits(), 2.0));
    bench.assert_close(&sum, &zip(&of_plain, &a, |a, b| a + b), "sum", 1.0);
    bench.assert_close(&context.subtract(&plain, &x).unwrap(), &zip(&of_plain, &a, |a, b| a - b), "difference", 1.0);
    bench.assert_close(&context.negate(&product).unwrap(), &map(&of_product, |z| -z), "negative", 0.7);
    let moved = context.add_plain(&product, &b, 1.0).unwrap();
    bench.assert_close(&moved, &zip(&of_product, &b, |a, b| a + b), "plain sum", 0.7);
    let number = Complex64::new(-0.3, 1.7);
    let moved = context.add_constant(&product, number).unwrap();
    bench.assert_close(&moved, &map(&of_product, |z| z + number), "sum with a number", 0.7);
    for (number, bits, spent) in [
        (Complex64::new(3.0, 0.0), 29, 0),
        (Complex64::new(-0.5, 2.75), 29, 2),
        (Complex64::new(1.0 / 3.0, 0.0), 20, 20),
        (Complex64::new(0.1, -0.7), 31, 31),
    ] {
        let scaled = context.multiply_constant(&product, number, bits).unwrap();
        assert_eq!(scaled.budget_bits(), product.budget_bits() - spent);
        bench.assert_close(&scaled, &map(&of_product, |z| z * number), "product with a number", 0.7);
    }
    for (amount, moved) in [(1, 1), (-3, slots - 3), (0, 0)] {
        let mut expected = of_product.clone();
        expected.rotate_left(moved);
        let rotated = context.rotate(&product, amount, &bench.keys).unwrap();
        bench.assert_close(&rotated, &expected, "rotation", 0.7);
        let hoisted = context.rotate_many(&product, &[1, amount], &bench.keys).unwrap();
        bench.assert_close(&hoisted[1], &expected, "hoisted rotation", 0.7);
    }
    let conjugate = context.conjugate(&product, &bench.keys).unwrap();
    bench.assert_close(&conjugate, &map(&of_product, |z| z.conj()), "conjugate", 0.7);
}

#[test]
fn arithmetic_of_the_smallest_set_is_within_its_noise() {
    arithmetic_is_within_its_noise("n13");
}

#[test]
fn arithmetic_of_a_set_of_three_primes_is_within_its_noise() {
    arithmetic_is_within_its_noise("n14");
}

#[test]
#[ignore = "slow: N = 2^15 and 2^16, about 40 s on two cores, 5 GB"]
fn arithmetic_of_the_largest_sets_is_within_its_noise() {
    arithmetic_is_within_its_noise("n15");
    arithmetic_is_within_its_noise("n16");
}

#[test]
fn one_key_serves_every_budget_down_to_the_last_bit() {
    let bench = Bench::of_set("n14", &[1], false);
    let (precision, depth) = (bench.context.params().precision_bits(), named("n14").unwrap().depth);
    let mut expected = values(bench.slots(), 1.0);
    let mut x = bench.encrypt(&expected, 1.0);
    for level in 1..=depth {
        x = bench.context.square(&x, &bench.keys).unwrap();
        expected = map(&expected, |z| z * z);
        let left = bench.context.params().max_budget_bits() - precision * level as u32;
        assert_eq!((x.budget_bits(), x.limbs()), (left, (left as usize + 40 + 9).div_ceil(61)));
        bench.assert_close(&x, &expected, &format!("square {level}"), 0.7);
        let rotated = bench.context.rotate(&x, 1, &bench.keys).unwrap();
        bench.assert_close(&rotated, &[&expected[1..], &expected[..1]].concat(), "rotation", 0.7);
    }
    let error = bench.context.square(&x, &bench.keys).unwrap_err();
    let left = i64::from(x.budget_bits()) - i64::from(precision);
    assert_eq!(
        error.to_string(),
        format!(
            "multiply: the result would have {left} bits of budget, and its values need 2; the operands have {}: choose a \
             larger parameter set, a lower precision, or fewer products one after another",
            x.budget_bits()
        )
    );
    // What is left serves coarser products.
    let bits = x.budget_bits() - 2;
    let last = bench.context.multiply_to(&x, &x, bits, &bench.keys).unwrap();
    assert_eq!(last.budget_bits(), 2);
    bench.assert_close(&last, &map(&expected, |z| z * z), "the last", 0.7);
}

#[test]
fn polynomials_are_those_of_levels() {
    let bench = Bench::of_set("n14", &[], false);
    let (context, precision) = (&bench.context, bench.context.params().precision_bits());
    let evaluate = |x: &Ciphertext, basis, p: &[f64]| {
        context.evaluate_polynomial((x, true), basis, p, &bench.keys, &no_progress).unwrap()
    };
    let real: Vec<Complex64> = (0..bench.slots()).map(|i| Complex64::new((i as f64 * 0.7).sin(), 0.0)).collect();
    let x = bench.encrypt(&real, 1.0);
    // Σ 2^−k·T_k, of 16 terms: four levels.
    let series: Vec<f64> = (0..16).map(|k| (-f64::from(k)).exp2()).collect();
    let chebyshev = evaluate(&x, Basis::Chebyshev, &series);
    assert_eq!(chebyshev.budget_bits(), x.budget_bits() - 4 * precision);
    assert!((chebyshev.bound() - 2.0).abs() < 1e-4);
    let element = |k: usize, x: f64| (k as f64 * x.acos()).cos();
    let of_chebyshev = map(&real, |z| series.iter().enumerate().map(|(k, c)| c * element(k, z.re)).sum::<f64>().into());
    bench.assert_close(&chebyshev, &of_chebyshev, "Chebyshev series", 3.0);
    let last = [vec![0.0; 15], vec![1.0]].concat();
    bench.assert_close(&evaluate(&x, Basis::Chebyshev, &last), &map(&real, |z| element(15, z.re).into()), "T_15", 4.5);
    let a = values(bench.slots(), 0.0);
    let powers = [0.25, -1.0, 0.0, 3.0, 0.5];
    let x = bench.encrypt(&a, 1.0);
    let of_powers = evaluate(&x, Basis::Power, &powers);
    assert_eq!(of_powers.budget_bits(), x.budget_bits() - 3 * precision);
    let horner = map(&a, |z| powers.iter().rev().fold(Complex64::default(), |sum, c| sum * z + c));
    bench.assert_close(&of_powers, &horner, "powers", 2.0);
    let constant = evaluate(&x, Basis::Power, &[1.5]);
    assert_eq!(constant.budget_bits(), x.budget_bits());
    assert!(bench.decrypt(&constant).iter().all(|z| (z - 1.5).norm() < constant.log2_error().exp2()));
    let refused =
        |p: &[f64]| context.evaluate_polynomial((&x, true), Basis::Power, p, &bench.keys, &no_progress).unwrap_err();
    assert!(matches!(refused(&[]), Error::Parameter { what: "coefficients", .. }));
    assert!(matches!(refused(&[0.0, f64::NAN]), Error::NotFinite { index: 1, .. }));
    assert!(matches!(refused(&[0.0, 1e8]), Error::TooFine { .. }));
    assert!(matches!(refused(&[1.0; 256]), Error::BudgetShort { .. }));
}

fn bridges_there_and_back(party: &Party, bench: &Bench) {
    let (levels, context) = (&party.ctx, &bench.context);
    let bridge = context.bridge(&bench.secret, levels, &party.secret).unwrap();
    assert!(bridge.nbytes() > 0);
    let a = values(bench.slots(), 3.0);
    let top = levels.max_level();
    let x = party.encrypt(&a, top);
    let y = context.from_levels(&x, levels, &bridge).unwrap();
    bench.assert_close(&y, &a, "to limbs", 1.0);
    let square = context.square(&y, &bench.keys).unwrap();
    let expected = map(&a, |z| z * z);
    bench.assert_close(&square, &expected, "square over limbs", 1.0);
    for level in 0..=top {
        let Ok(back) = context.to_levels(&square, level, levels, &bridge) else {
            // Both bridges and the square spend a level's bits each.
            assert!(level + 3 > top, "level {level} of {top}");
            continue;
        };
        assert_eq!((back.level(), back.bound().size()), (level, 1.0));
        let found = party.decrypt(&back);
        let mean = found.iter().zip(&expected).map(|(a, b)| (a - b).norm_sqr()).sum::<f64>() / found.len() as f64;
        let measured = -0.5 * mean.log2();
        println!("level {level}: {measured:.2} bits, estimated {:.2}", back.precision_bits());
        assert!((measured - back.precision_bits()).abs() < 0.3, "level {level}: {measured}");
        if level > 0 {
            let product = levels.multiply(&back, &back, &party.relinearization).unwrap();
            let fourth = map(&expected, |z| z * z);
            let found = party.decrypt(&product);
            assert!(found.iter().zip(&fourth).all(|(a, b)| (a - b).norm() < 1e-4), "level {level}");
        }
    }
    let refused = |result: Result<Ciphertext, Error>| result.unwrap_err();
    let unlinear = levels.multiply_without_key(&x, &x).unwrap();
    let error = refused(context.from_levels(&unlinear, levels, &bridge)).to_string();
    assert!(error.contains("3; it must be 2; relinearize it first"), "{error}");
    let other = context.secret_key().unwrap();
    let foreign = context.encrypt(&other, &a, 1.0).unwrap();
    let error = context.to_levels(&foreign, 0, levels, &bridge).unwrap_err();
    assert!(matches!(error, Error::Object(ObjectError::OtherSecret { what: "bridge", .. })), "{error}");
    let error = context.to_levels(&y, top + 1, levels, &bridge).unwrap_err();
    assert!(matches!(error, Error::Parameter { what: "level", .. }), "{error}");
    let error = context.to_levels(&context.lower(&y, 20).unwrap(), 1, levels, &bridge).unwrap_err();
    assert!(matches!(error, Error::BudgetShort { op: "to_levels", operand_bits: 20, .. }), "{error}");
}

#[test]
fn ciphertexts_of_levels_become_those_of_limbs_and_come_back() {
    let small = Params::of_set("n14", None, Some(10)).unwrap();
    let (party, bench) = (depth(10, 5), Bench::new(small, &[], false));
    bridges_there_and_back(&party, &bench);
    // Another degree, and another secret of levels.
    let bench = Bench::small(&[], false);
    let error = bench.context.bridge(&bench.secret, &party.ctx, &party.secret).unwrap_err();
    assert!(matches!(error, Error::Parameter { what: "slots of levels", .. }), "{error}");
}

#[test]
fn bridges_of_real_parameters_keep_their_noise() {
    // Of degree 2^14, with the security of both.
    let party = Party::new(ParamsOfLevels::for_depth(5).unwrap());
    let bench = Bench::of_set("n14", &[], false);
    bridges_there_and_back(&party, &bench);
}

#[test]
fn claims_of_the_named_sets_are_recomputed() {
    for set in SETS {
        let params = Params::try_from(set.literal).unwrap();
        assert!(!params.is_insecure());
        assert_eq!(params.depth(), set.depth, "{}", set.name);
        assert_eq!(params.shape().key_bits(), set.key_bits, "{}", set.name);
        let ParamsLiteral { limbs, digit_limbs, .. } = set.literal;
        let ring = params.shape().ring().unwrap();
        assert_eq!(ring.key_nbytes(&LimbGadget::new(limbs, digit_limbs)), set.key_nbytes, "{}", set.name);
        let context = Context::new(params).unwrap();
        assert_eq!(context.keys_footprint(1).held, set.key_nbytes as u64, "{}", set.name);
        let seeded = context.with_seeded_keys(true).keys_footprint(1).held as f64 / set.key_nbytes as f64;
        assert!((0.22..0.34).contains(&seeded), "{}: {seeded}", set.name);
        // One limb more is above the cap.
        let more = ParamsLiteral { limbs: limbs + 1, ..set.literal };
        assert!(matches!(Params::try_from(more), Err(Error::Security(_))), "{}", set.name);
    }
}

#[test]
fn sums_over_slots_are_made_of_powers_of_two() {
    for side in [1i64, -1] {
        let powers: Vec<i64> = (0..7).map(|i| side << i).collect();
        let bench = Bench::small(&powers, false);
        let a = values(bench.slots(), 0.5);
        let x = bench.encrypt(&a, 1.0);
        let total: Complex64 = a.iter().sum();
        let sum = bench.context.sum(&x, &bench.keys, &no_progress).unwrap();
        assert_eq!(sum.bound(), bench.slots() as f64);
        // Errors are added up as if all slots had the same.
        bench.assert_close(&sum, &vec![total; bench.slots()], "sum", 5.0);
        let moved = bench.context.rotate(&x, 5, &bench.keys).unwrap();
        bench.assert_close(&moved, &[&a[5..], &a[..5]].concat(), "rotation", 0.7);
    }
}

/// An object of one context, through a file, as one of another.
fn through<T: Stored<Context, Error = Error>>(object: &T, from: &Context, to: &Context) -> T {
    T::from_container(to, &Container::from_bytes(object.to_container(from).unwrap().to_bytes()).unwrap()).unwrap()
}

#[test]
fn objects_come_back_from_containers() {
    let (bench, context) = (Bench::small(&[1, -3], true), Bench::small(&[], false).context);
    let a = values(bench.slots(), 0.0);
    let x = bench.context.square(&bench.encrypt(&a, 1.0), &bench.keys).unwrap();
    let (secret, keys) =
        (through(&bench.secret, &bench.context, &context), through(&bench.keys, &bench.context, &context));
    let y = through(&x, &bench.context, &context);
    assert_eq!((secret.id(), keys.secret_id(), y.secret_id()), (bench.secret.id(), bench.secret.id(), x.secret_id()));
    assert_eq!((keys.rotations(), keys.has_inversion(), keys.nbytes()), (vec![-3, 1], true, bench.keys.nbytes()));
    assert_eq!((y.log2_error(), y.budget_bits(), y.bound()), (x.log2_error(), x.budget_bits(), x.bound()));
    // The keys are the same to the bit: so are their products.
    for (a, b) in [
        (bench.context.multiply(&x, &x, &bench.keys), context.multiply(&y, &y, &keys)),
        (bench.context.rotate(&x, -3, &bench.keys), context.rotate(&y, -3, &keys)),
        (bench.context.conjugate(&x, &bench.keys), context.conjugate(&y, &keys)),
    ] {
        let [a, b] = [a, b].map(|ct| ct.unwrap().to_container(&bench.context).unwrap().to_bytes());
        assert!(a == b);
    }
    assert!((context.decrypt(&secret, &y).unwrap()[3] - a[3] * a[3]).norm() < 1e-6);
    let other = Context::new(Params::of_set("n14", Some(30), Some(8)).unwrap()).unwrap();
    let container = Container::from_bytes(x.to_container(&bench.context).unwrap().to_bytes()).unwrap();
    let prints = bench.context.fingerprints();
    assert_eq!(prints.v2, 0x87b3_a35e_fa71_6dd1);
    let later = with_fingerprint(&x.to_container(&bench.context).unwrap().to_bytes(), prints.v2);
    Ciphertext::from_container(&bench.context, &Container::from_bytes(later).unwrap()).unwrap();
    let refused = Ciphertext::from_container(&other, &container).unwrap_err();
    assert!(matches!(refused, Error::Io(FileError::WrongParameters { .. })), "{refused}");
}

/// Files of the smallest degree, without security: the fuzz targets read them with the same parameters.
#[test]
fn stored_files_are_read_and_compute_what_they_did() {
    let params = Params::of_set("n13", None, Some(5)).unwrap();
    let stored = [Complex64::new(0.5, -0.25), Complex64::new(0.0, 0.75)];
    if let Some(files) = StoredFiles::to_be_written(CRATE) {
        let bench = Bench::new(params.clone(), &[1, -3], true);
        let (context, x) = (&bench.context, bench.encrypt(&stored, 1.0));
        let square = context.square(&x, &bench.keys).unwrap();
        for (name, builder) in [
            ("limbs_secret_key", bench.secret.to_container(context)),
            ("limbs_evaluation_key", bench.keys.to_container(context)),
            ("limbs_ciphertext", x.to_container(context)),
            ("limbs_ciphertext.square", square.to_container(context)),
        ] {
            files.add(name, &builder.unwrap().to_bytes());
        }
    }
    let context = Context::new(params).unwrap();
    for files in StoredFiles::of_each_version(CRATE) {
        files.of_every_kind([kinds::LIMBS_SECRET_KEY, kinds::LIMBS_EVALUATION_KEY, kinds::LIMBS_CIPHERTEXT]);
        let open = |name: &str| Container::open(&files.path(name), Access::Read).unwrap();
        let secret = SecretKey::from_container(&context, &open("limbs_secret_key")).unwrap();
        let keys = EvalKeys::from_container(&context, &open("limbs_evaluation_key")).unwrap();
        let near = |ct: &Ciphertext, expected: Complex64| {
            let found = context.decrypt(&secret, ct).unwrap();
            assert!((found[0] - expected).norm() < 1e-5, "{found:?}");
        };
        for (name, power) in [("limbs_ciphertext", 1), ("limbs_ciphertext.square", 2)] {
            let x = Ciphertext::from_container(&context, &open(name)).unwrap();
            near(&x, stored[0].powi(power));
            near(&context.square(&x, &keys).unwrap(), stored[0].powi(2 * power));
            near(&context.rotate(&x, 1, &keys).unwrap(), stored[1].powi(power));
            near(&context.conjugate(&x, &keys).unwrap(), stored[0].powi(power).conj());
        }
    }
}

#[test]
fn long_work_is_cancelled() {
    let Bench { context, secret, .. } = Bench::small(&[], false);
    let stop = |done: usize, total: usize| {
        assert_eq!(total, 4);
        if done == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let cancelled = context.eval_keys(&secret, &[0, 1, 2], true, &stop).unwrap_err();
    assert!(matches!(cancelled, Error::Cancelled(_)), "{cancelled}");
}

#[test]
fn bad_input_is_refused_with_its_values() {
    let bench = Bench::small(&[1], false);
    let (context, one) = (&bench.context, Complex64::new(1.0, 0.0));
    let x = bench.encrypt(&[one], 1.0);
    let refused = |result: Result<Ciphertext, Error>| result.unwrap_err().to_string();
    let too_many = vec![one; 129];
    assert_eq!(
        refused(context.encrypt(&bench.secret, &too_many, 1.0)),
        "encrypt: 129 values, a ciphertext has 128 slots; cut the vector into several"
    );
    assert_eq!(
        refused(context.encrypt(&bench.secret, &[one, 2.0 * one], 1.5)),
        "encrypt: value 1 has size 2, and the bound is 1.5; give a larger bound, or scale the values"
    );
    assert!(refused(context.encrypt(&bench.secret, &[f64::NAN * one], 1.5)).contains("value 0 is NaN"));
    assert!(refused(context.encrypt(&bench.secret, &[one], f64::INFINITY)).contains("bits"));
    assert_eq!(
        refused(context.multiply_plain(&x, &[one], 1.0, 59)),
        "multiply_plain: values take 61.0 bits, and 60 are held; take fewer bits, or a smaller bound"
    );
    assert!(refused(context.multiply_constant(&x, 1e30 * one, 40)).contains("values take"));
    assert!(refused(context.multiply_constant(&x, f64::INFINITY * one, 40)).contains("is no number"));
    assert_eq!(refused(context.multiply_to(&x, &x, 41, &bench.keys)), "parameters: bits is 41; it must be 1 to 40");
    assert!(refused(context.rescale(&x, x.budget_bits() - 1)).contains("would have 1 bits of budget"));
    assert!(refused(context.rescale(&x, u32::MAX)).contains("bits of budget"));
    assert_eq!(
        refused(context.lower(&x, x.budget_bits() + 1)),
        format!(
            "parameters: budget_bits is {}; it must be at most the ciphertext's {}",
            x.budget_bits() + 1,
            x.budget_bits()
        )
    );
    assert_eq!(
        refused(context.rotate(&x, 2, &bench.keys)),
        "rotate: no key for a rotation by 2; there are keys for [1]: name it when the keys are made"
    );
    assert!(matches!(context.conjugate(&x, &bench.keys), Err(Error::MissingInversion { op: "conjugate" })));
    assert!(matches!(context.rotate_many(&x, &[0, 3], &bench.keys), Err(Error::MissingRotation { amount: 3, .. })));
    let other = context.secret_key().unwrap();
    let y = context.encrypt(&other, &[one], 1.0).unwrap();
    assert!(matches!(context.decrypt(&other, &x), Err(Error::Object(ObjectError::OtherSecret { op: "decrypt", .. }))));
    assert!(matches!(context.add(&x, &y), Err(Error::Object(ObjectError::OtherSecret { op: "add", .. }))));
    assert!(matches!(
        context.multiply(&y, &y, &bench.keys),
        Err(Error::Object(ObjectError::OtherSecret { what: "keys", .. }))
    ));
    let strange = Context::new(Params::of_set("n14", Some(30), Some(8)).unwrap()).unwrap();
    assert!(matches!(strange.add(&x, &x), Err(Error::Object(ObjectError::OtherParameters { .. }))));
    assert!(matches!(
        strange.encrypt(&bench.secret, &[one], 1.0),
        Err(Error::Object(ObjectError::OtherParameters { .. }))
    ));
    let literal = named("n13").unwrap().literal;
    for (what, literal) in [
        ("log_n", ParamsLiteral { log_n: 17, ..literal }),
        ("log2_base", ParamsLiteral { log2_base: 63, ..literal }),
        ("precision_bits", ParamsLiteral { precision_bits: 51, ..literal }),
        ("limbs", ParamsLiteral { limbs: 1, ..literal }),
        ("limbs", ParamsLiteral { digit_limbs: 7, ..literal }),
    ] {
        assert!(Params::insecure(literal).unwrap_err().to_string().starts_with(&format!("parameters: {what} is")));
    }
    assert!(matches!(named("n99"), Err(Error::UnknownSet { .. })));
}
