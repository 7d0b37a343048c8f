//! CKKS over limbs: arithmetic within its noise formulas, budgets to the bit, and what is refused.

use everlevel_ckks::Complex64;
use everlevel_ckks::limbs::{Ciphertext, Context, Error, EvalKeys, Params, ParamsLiteral, SecretKey};
use everlevel_rand::{Seed, SeedSource};

const SMALL: ParamsLiteral = ParamsLiteral { log_n: 10, log2_base: 60, limbs: 6, digit_limbs: 2, precision_bits: 37 };

struct Bench {
    context: Context,
    secret: SecretKey,
    keys: EvalKeys,
}

impl Bench {
    fn new(literal: ParamsLiteral) -> Self {
        let seeds = SeedSource::insecure(Seed::from_bytes([0x1b; 32]));
        let context = Context::new(Params::insecure(literal).unwrap(), seeds).unwrap();
        let secret = context.secret_key().unwrap();
        let keys = context.eval_keys(&secret, &[1, -3], true).unwrap();
        Self { context, secret, keys }
    }

    fn encrypt(&self, values: &[Complex64]) -> Ciphertext {
        self.context.encrypt(&self.secret, values, 1.5).unwrap()
    }

    /// The measured deviation is that of the formula, or less by at most a tolerance in bits.
    fn assert_close(&self, ct: &Ciphertext, expected: &[Complex64], what: &str, tolerance: f64) {
        let found = self.context.decrypt(&self.secret, ct).unwrap();
        let squares: f64 = found.iter().zip(expected).map(|(a, b)| (a - b).norm_sqr()).sum();
        // A slot's error has n times the variance of a coefficient's.
        let measured = 0.5 * (squares / found.len() as f64 / self.context.params().n() as f64).log2();
        let distance = measured + ct.precision_bits();
        let words = format!("{what}: 2^{measured:.2}, formula 2^{:.2}", -ct.precision_bits());
        println!("{words}");
        assert!(distance < 0.2 && distance > -tolerance, "{words}");
    }
}

fn values(n: usize, phase: f64) -> Vec<Complex64> {
    (0..n).map(|i| Complex64::new((i as f64 * 0.7 + phase).sin(), (i as f64 * 1.3 - phase).cos())).collect()
}

fn zip(a: &[Complex64], b: &[Complex64], f: impl Fn(Complex64, Complex64) -> Complex64) -> Vec<Complex64> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

#[test]
fn operations_are_within_their_noise() {
    let bench = Bench::new(SMALL);
    let (context, slots) = (&bench.context, bench.context.params().slots());
    let (a, b) = (values(slots, 0.0), values(slots, 2.0));
    let (x, y) = (bench.encrypt(&a), bench.encrypt(&b));
    assert_eq!(x.budget_bits(), 360 - 37 - 16);
    let product = context.multiply(&x, &y, &bench.keys).unwrap();
    assert_eq!(product.budget_bits(), x.budget_bits() - 37);
    let of_product = zip(&a, &b, |a, b| a * b);
    // Bounds are above the root mean square of 1.
    bench.assert_close(&product, &of_product, "product", 2.0);
    let plain = context.multiply_plain(&product, &b, 1.5, 29).unwrap();
    assert_eq!(plain.budget_bits(), product.budget_bits() - 29);
    bench.assert_close(&plain, &zip(&of_product, &b, |a, b| a * b), "plain product", 2.0);
    // Of different budgets.
    let sum = context.add(&x, &plain).unwrap();
    assert_eq!(sum.budget_bits(), plain.budget_bits());
    bench.assert_close(&sum, &zip(&zip(&of_product, &b, |a, b| a * b), &a, |a, b| a + b), "sum", 2.5);
    for bits in [1, 23, 60, 131] {
        let rescaled = context.rescale(&product, bits).unwrap();
        assert_eq!(rescaled.budget_bits(), product.budget_bits() - bits);
        let scale = (-f64::from(bits)).exp2();
        let expected: Vec<Complex64> = of_product.iter().map(|z| z * scale).collect();
        bench.assert_close(&rescaled, &expected, "rescaled", 2.0);
    }
    for (amount, moved) in
        [(1, context.rotate(&product, 1, &bench.keys)), (slots - 3, context.rotate(&product, -3, &bench.keys))]
    {
        let mut expected = of_product.clone();
        expected.rotate_left(amount);
        bench.assert_close(&moved.unwrap(), &expected, "rotation", 2.0);
    }
    let conjugate = context.conjugate(&product, &bench.keys).unwrap();
    bench.assert_close(&conjugate, &zip(&of_product, &of_product, |a, _| a.conj()), "conjugate", 2.0);
}

#[test]
fn a_chain_of_products_spends_the_budget_to_the_bit() {
    let bench = Bench::new(SMALL);
    let a = values(bench.context.params().slots(), 1.0);
    let a: Vec<Complex64> = a.iter().map(|z| z / z.norm() * (1.0 - 1e-9)).collect();
    let mut x = bench.context.encrypt(&bench.secret, &a, 1.0).unwrap();
    let mut expected = a;
    // One key serves every precision: 307 bits of budget are eight times 37 and 11.
    for depth in 1..=8 {
        x = bench.context.multiply(&x, &x, &bench.keys).unwrap();
        expected = zip(&expected, &expected, |a, b| a * b);
        assert_eq!(x.budget_bits(), 307 - 37 * depth);
        assert_eq!(x.limbs(), (x.budget_bits() as usize + 37 + 16).div_ceil(60));
        bench.assert_close(&x, &expected, &format!("product {depth}"), 1.0);
    }
    let error = bench.context.multiply(&x, &x, &bench.keys).unwrap_err();
    assert_eq!(
        error.to_string(),
        "multiply: the result would have -26 bits of budget, and its values need 2; take parameters of more limbs"
    );
}

#[test]
fn bad_input_is_refused() {
    let bench = Bench::new(SMALL);
    let (context, one) = (&bench.context, Complex64::new(1.0, 0.0));
    let x = bench.encrypt(&[one]);
    let refused = |result: Result<Ciphertext, Error>| result.unwrap_err().to_string();
    assert!(refused(context.encrypt(&bench.secret, &vec![one; 513], 1.0)).contains("513 values, a ciphertext has 512"));
    assert!(
        refused(context.encrypt(&bench.secret, &[2.0 * one], 1.5)).contains("value 0 has size 2, and the bound is 1.5")
    );
    assert!(refused(context.encrypt(&bench.secret, &[f64::NAN * one], 1.5)).contains("NaN"));
    assert!(refused(context.multiply_plain(&x, &[one], 1.0, 58)).contains("values take 58.0 bits, and 57 fit a limb"));
    assert!(refused(context.rotate(&x, 2, &bench.keys)).contains("no key for the automorphism 25"));
    assert!(refused(context.rescale(&x, 306)).contains("would have 1 bits of budget"));
    let other = context.secret_key().unwrap();
    assert!(matches!(context.decrypt(&other, &x), Err(Error::ForeignKey { op: "decrypt", .. })));
    let keys = context.eval_keys(&other, &[], false).unwrap();
    assert!(matches!(context.multiply(&x, &x, &keys), Err(Error::ForeignKey { what: "keys", .. })));
    assert!(matches!(Params::try_from(SMALL), Err(Error::Security(_))));
    for (what, literal) in [
        ("log_n", ParamsLiteral { log_n: 18, ..SMALL }),
        ("log2_base", ParamsLiteral { log2_base: 63, ..SMALL }),
        ("precision_bits", ParamsLiteral { precision_bits: 51, ..SMALL }),
        ("limbs", ParamsLiteral { limbs: 1, ..SMALL }),
        ("limbs", ParamsLiteral { digit_limbs: 7, ..SMALL }),
    ] {
        assert!(Params::insecure(literal).unwrap_err().to_string().starts_with(&format!("parameters: {what} is")));
    }
}
