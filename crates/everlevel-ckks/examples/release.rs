//! Precision that a flooded release leaves: precision for statistical bits, budgets, parameters and products.
//!
//! `cargo run --release -p everlevel-ckks --example release` prints the table of `docs/notes/release.md`. Every
//! figure is what a release states, and is compared with the error that it has.

use everlevel_ckks::{
    Bound, Ciphertext, Complex64, Context, Error, Options, Params, ParamsLiteral, Precision, SecretKey, no_progress,
};

const STATISTICAL_BITS: [f64; 7] = [16.0, 24.0, 32.0, 40.0, 48.0, 56.0, 64.0];
const BUDGETS: [u64; 2] = [1, 1024];
const MOST_PRODUCTS: usize = 3;

/// The chains with their names: of standard and double precision in each ring, and the precise one with bootstraps.
fn chains() -> Result<Vec<(String, ParamsLiteral)>, Error> {
    let mut all = Vec::new();
    for (log_n, standard, double) in [(13, 2, 0), (14, 3, 2), (15, 3, 3), (16, 3, 3)] {
        let slots = 1 << (log_n - 1);
        let standard = ParamsLiteral::for_depth(standard)?.with_slots(slots)?;
        let double = ParamsLiteral::double_precision(double)?.with_slots(slots)?;
        all.push((format!("2^{log_n}, standard"), standard));
        if log_n == 16 {
            all.push((format!("2^{log_n}, high"), ParamsLiteral::high_precision()));
        }
        all.push((format!("2^{log_n}, double"), double));
    }
    Ok(all)
}

/// Bits that are left, or a dash where a release is refused.
fn left(ctx: &Context, ct: &Ciphertext, exact: &[Complex64], key: &SecretKey, bits: f64) -> Result<String, Error> {
    match ctx.release_flooded(ct, key, bits) {
        Err(Error::NothingLeft { .. }) => Ok("–".into()),
        Err(other) => Err(other),
        Ok(released) => {
            let squares = released.values.iter().zip(exact).map(|(a, b)| (a - b).norm_sqr()).sum::<f64>();
            let measured = -(squares / exact.len() as f64).sqrt().log2();
            let printed = released.precision_bits.unwrap_or(f64::NAN);
            assert!((measured - printed).abs() < 0.2, "{measured} bits measured, {printed} printed");
            Ok(format!("{printed:.0}"))
        }
    }
}

fn main() -> Result<(), Error> {
    let columns: Vec<String> = STATISTICAL_BITS.iter().map(|bits| format!("{bits}")).collect();
    println!("| N, precision | products | budget | {} |", columns.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(columns.len()));
    for (name, literal) in chains()? {
        let products = literal.max_level.min(MOST_PRODUCTS);
        let is_high = literal.precision == Precision::High;
        let options = Options { thread_count: 2, ..Options::default() };
        let ctx = Context::with_options(Params::try_from(literal)?, options)?;
        let mut key = ctx.secret_key()?;
        let public = ctx.public_key(&key)?;
        let relinearization = ctx.relinearization_key(&key, &no_progress)?;
        let mut exact: Vec<Complex64> =
            (0..ctx.slot_count()).map(|i| Complex64::new((i as f64 * 0.7).sin(), 0.0)).collect();
        // The highest level has the widest scale, of which a bootstrap's chain has one.
        let level = if is_high { MOST_PRODUCTS } else { ctx.max_level() };
        let plaintext = ctx.declare(ctx.encode(&exact, level)?, Bound::declared(1.0)?)?;
        let mut ct = ctx.encrypt(&plaintext, &public)?;
        for product in 0..=products {
            if product > 0 {
                ct = ctx.multiply(&ct, &ct, &relinearization)?;
                exact.iter_mut().for_each(|x| *x *= *x);
            }
            for budget in BUDGETS {
                let mut cells = Vec::new();
                for bits in STATISTICAL_BITS {
                    key = key.with_release_budget(budget);
                    cells.push(left(&ctx, &ct, &exact, &key, bits)?);
                }
                println!("| {name} | {product} | {budget} | {} |", cells.join(" | "));
            }
        }
    }
    Ok(())
}
