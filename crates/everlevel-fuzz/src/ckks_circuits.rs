//! Random programs of CKKS, encrypted and in the clear.

use std::sync::LazyLock;

use arbitrary::Unstructured;
use everlevel_ckks::{
    Ciphertext, Complex64, ConjugationKey, Context, Error, Options, Params, ParamsLiteral, RelinearizationKey,
    RotationKey, SecretKey, no_progress,
};
use everlevel_rand::{Seed, SeedSource};

const SLOTS: usize = 8;
const TOP: usize = 4;
/// Programs keep to this size, which every level has room for.
const LARGEST: f64 = 4.0;
const TOLERANCE: f64 = 1.0 / 4096.0;
const MAX_STEPS: usize = 24;
const REGISTERS: usize = 4;

struct World {
    ctx: Context,
    secret: SecretKey,
    relinearization: RelinearizationKey,
    conjugation: ConjugationKey,
    rotation: RotationKey,
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let params = Params::try_from(ParamsLiteral::insecure_depth(9, TOP)).expect("parameters");
    let options = Options { slot_count: Some(SLOTS), ..Options::default() };
    let seeds = SeedSource::insecure(Seed::from_bytes([0x66; 32]));
    let ctx = Context::with_seeds(params, options, seeds).expect("a context");
    let secret = ctx.secret_key().expect("a key");
    World {
        relinearization: ctx.relinearization_key(&secret, &no_progress).expect("a key"),
        conjugation: ctx.conjugation_key(&secret, &no_progress).expect("a key"),
        rotation: ctx.rotation_key(&secret, &no_progress).expect("a key"),
        secret,
        ctx,
    }
});

/// A value, encrypted and in the clear.
#[derive(Clone)]
struct Register {
    encrypted: Ciphertext,
    clear: Vec<Complex64>,
}

/// Runs a program that the bytes say, and compares every register at its end.
///
/// # Panics
/// At a fault.
pub fn ckks_circuits(data: &[u8]) {
    let _ = run(&mut Unstructured::new(data));
}

/// A number in [−1, 1], in steps of 1/64.
fn number(u: &mut Unstructured<'_>) -> arbitrary::Result<f64> {
    Ok(f64::from(u.int_in_range(-64..=64)?) / 64.0)
}

fn numbers(u: &mut Unstructured<'_>) -> arbitrary::Result<Vec<Complex64>> {
    (0..SLOTS).map(|_| Ok(Complex64::new(number(u)?, number(u)?))).collect()
}

fn run(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let World { ctx, secret, .. } = &*WORLD;
    let encrypt = |clear: Vec<Complex64>, level: usize| {
        let encrypted = ctx.encrypt_with_secret(&ctx.encode(&clear, level).expect("small values"), secret);
        Register { encrypted: encrypted.expect("fresh seeds"), clear }
    };
    let mut registers = Vec::new();
    for _ in 0..REGISTERS {
        let clear = numbers(u)?;
        registers.push(encrypt(clear, u.int_in_range(0..=TOP)?));
    }
    for _ in 0..MAX_STEPS {
        if u.is_empty() {
            break;
        }
        let [a, b, out] = [(); 3].map(|()| u.choose_index(REGISTERS));
        let (out, next) = (out?, step(u, &registers[a?], &registers[b?])?);
        // A program that leaves the range is another program.
        if next.clear.iter().all(|z| z.norm() <= LARGEST) {
            registers[out] = next;
        }
    }
    for Register { encrypted, clear } in &registers {
        let found = ctx.decode(&ctx.decrypt(encrypted, secret).expect("our secret")).expect("our parameters");
        for (found, expected) in found.iter().zip(clear) {
            assert!((found - expected).norm() < TOLERANCE, "{found} and {expected}, at level {}", encrypted.level());
        }
    }
    Ok(())
}

/// One operation. Where it needs a level and there is none, the operand.
fn step(u: &mut Unstructured<'_>, a: &Register, b: &Register) -> arbitrary::Result<Register> {
    let World { ctx, relinearization, conjugation, rotation, .. } = &*WORLD;
    let (x, y) = (&a.encrypted, &b.encrypted);
    let zip = |f: fn(Complex64, Complex64) -> Complex64| -> Vec<Complex64> {
        a.clear.iter().zip(&b.clear).map(|(&p, &q)| f(p, q)).collect()
    };
    let map = |f: &dyn Fn(Complex64) -> Complex64| -> Vec<Complex64> { a.clear.iter().map(|&p| f(p)).collect() };
    let (encrypted, clear): (Result<Ciphertext, Error>, _) = match u.int_in_range(0..=13)? {
        0 => (ctx.add(x, y), zip(|p, q| p + q)),
        1 => (ctx.subtract(x, y), zip(|p, q| p - q)),
        2 => (ctx.negate(x), map(&|p| -p)),
        3 => (ctx.multiply(x, y, relinearization), zip(|p, q| p * q)),
        4 => {
            let product = ctx.multiply_without_key(x, y);
            (product.and_then(|product| ctx.relinearize(&product, relinearization)), zip(|p, q| p * q))
        }
        5 => (ctx.square(x, Some(relinearization)), map(&|p| p * p)),
        6 => {
            let values = numbers(u)?;
            let clear = a.clear.iter().zip(&values).map(|(p, q)| p * q).collect();
            (ctx.multiply_array(x, &values), clear)
        }
        7 => {
            let values = numbers(u)?;
            let clear = a.clear.iter().zip(&values).map(|(p, q)| p + q).collect();
            (ctx.add_array(x, &values), clear)
        }
        8 => {
            let c = Complex64::new(number(u)?, number(u)?);
            (ctx.multiply_scalar(x, c), map(&|p| p * c))
        }
        9 => {
            let c = Complex64::new(number(u)?, number(u)?);
            (ctx.add_scalar(x, c), map(&|p| p + c))
        }
        10 => (ctx.conjugate(x, conjugation), map(&|p| p.conj())),
        11 => {
            let delta: i64 = u.int_in_range(-20..=20)?;
            let mut clear = a.clear.clone();
            clear.rotate_right(delta.rem_euclid(SLOTS as i64) as usize);
            (ctx.rotate(x, rotation, delta), clear)
        }
        12 => (ctx.level_down(x, u.int_in_range(0..=x.level())?), a.clear.clone()),
        _ => {
            let c = Complex64::new(f64::from(u.int_in_range(-3..=3)?), f64::from(u.int_in_range(-3..=3)?));
            (ctx.multiply_scalar(x, c), map(&|p| p * c))
        }
    };
    Ok(match encrypted {
        Ok(encrypted) => Register { encrypted, clear },
        Err(Error::LevelExhausted { .. }) => a.clone(),
        Err(error) => panic!("refused: {error}"),
    })
}
