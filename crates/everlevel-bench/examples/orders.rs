//! Bootstraps of every order in turns, in one process at N = 2^16: CPU time of one thread and errors.
//!
//! `cargo run --release -p everlevel-bench --example orders -- [stage_count] [medium|large|small] [rounds] [keys]
//! [slots]`
//!
//! For each of `keys` secrets: `rounds` rounds of every order, and then mean and worst bits of each on uniform,
//! constant, alternating and short-periodic vectors, and of signs.

use everlevel_bench::timing::Clock;
use everlevel_ckks::{
    BootstrapKeyRef, BootstrapKeySize, BootstrapKeys, BootstrapKind, Bootstrapper, Ciphertext, Complex64, Context,
    Error, Method, Options, Params, ParamsLiteral, SlotType, no_progress,
};

/// A vector's name, and its value in a slot.
type Message = (&'static str, fn(usize) -> Complex64);

/// Numbers spread evenly over [−1, 1].
fn uniform(i: usize) -> f64 {
    let mixed = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed ^ (mixed >> 29)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

const MESSAGES: [Message; 4] = [
    ("uniform", |i| Complex64::new(uniform(2 * i), uniform(2 * i + 1))),
    ("constant", |_| Complex64::new(1.0, 1.0)),
    ("alternating", |i| if i % 2 == 0 { Complex64::new(1.0, 1.0) } else { Complex64::new(-1.0, -1.0) }),
    ("period 8", |i| Complex64::new((i % 8) as f64 / 4.0 - 0.875, 0.875 - (i % 8) as f64 / 4.0)),
];
const SIGNS: Message = ("signs", |i| Complex64::new(uniform(2 * i).signum(), uniform(2 * i + 1).signum()));

/// An order: its name, how it is called, the level that it starts from, and the one that it ends at, where it is not
/// the highest.
type Order = (&'static str, Method, SlotType, usize, Option<usize>);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise: usize| args.get(at).map_or(Ok(otherwise), |a| a.parse());
    let (stage_count, rounds, keys) = (number(0, 3)?, number(2, 3)?, number(3, 1)?);
    let size = args.get(1).map_or("medium", |a| a);
    let slot_count = args.get(4).map(|a| a.parse()).transpose()?;
    let options = Options { thread_count: 1, slot_count, ..Options::default() };
    for _ in 0..keys {
        let ctx = Context::with_options(Params::try_from(ParamsLiteral::bootstrap())?, options)?;
        measure(&ctx, stage_count, size, rounds)?;
    }
    Ok(())
}

fn measure(ctx: &Context, stage_count: usize, size: &str, rounds: usize) -> Result<(), Error> {
    let bootstrapper = Bootstrapper::new(ctx)?;
    let secret = ctx.secret_key()?;
    let relinearization = ctx.relinearization_key(&secret, &no_progress)?;
    let conjugation = ctx.conjugation_key(&secret, &no_progress)?;
    let (small, rotation, full);
    let bootstrap = match size {
        "small" => {
            small = bootstrapper.small_bootstrap_key(&secret, &no_progress)?;
            rotation = ctx.rotation_key(&secret, &no_progress)?;
            BootstrapKeyRef::Small { key: &small, rotation: &rotation, stage_count }
        }
        _ => {
            let size = if size == "large" { BootstrapKeySize::Large } else { BootstrapKeySize::Medium };
            full = bootstrapper.bootstrap_key_of(BootstrapKind::Both, &secret, stage_count, size, &no_progress)?;
            println!("key: {:.3} GB", full.nbytes() as f64 / 1e9);
            (&full).into()
        }
    };
    let keys = BootstrapKeys { relinearization: &relinearization, conjugation: &conjugation, bootstrap };
    let orders: [Order; 8] = [
        ("last, from level 0", Method::Regular, SlotType::Complex, 0, None),
        ("last, to level 4", Method::Regular, SlotType::Complex, 0, Some(4)),
        ("first, complex", Method::Usual, SlotType::Complex, stage_count, None),
        ("first, to level 10", Method::Usual, SlotType::Complex, stage_count, Some(10)),
        ("first, to level 7", Method::Usual, SlotType::Complex, stage_count, Some(7)),
        ("first, to level 4", Method::Usual, SlotType::Complex, stage_count, Some(4)),
        ("first, real", Method::Usual, SlotType::Real, stage_count, None),
        ("sign", Method::Sign, SlotType::Complex, stage_count, None),
    ];
    let values = |(_, value): Message, (_, method, slot_type, ..): Order| -> Vec<Complex64> {
        let value = |i| match (method, slot_type) {
            (Method::Sign, _) => SIGNS.1(i),
            (_, SlotType::Real) => value(i).re.into(),
            _ => value(i),
        };
        (0..ctx.slot_count()).map(value).collect()
    };
    let run = |order: Order, ct: &Ciphertext| {
        let (_, method, slot_type, _, level) = order;
        let bootstrapper = bootstrapper.to_level(level);
        let bootstrap = || bootstrapper.bootstrap_many(method, &[ct], keys, slot_type, &no_progress);
        let (seconds, out) = Clock::Process.time(bootstrap);
        Ok::<_, Error>((seconds, out?.remove(0)))
    };
    let encrypted =
        |message, order: Order| ctx.encrypt_with_secret(&ctx.encode(&values(message, order), order.3)?, &secret);
    let mut seconds = [const { Vec::new() }; 8];
    for _ in 0..=rounds {
        for (order, seconds) in orders.into_iter().zip(&mut seconds) {
            seconds.push(run(order, &encrypted(MESSAGES[0], order)?)?.0);
        }
    }
    for (order, seconds) in orders.into_iter().zip(&seconds) {
        let later = seconds[1..].iter().copied().fold(f64::INFINITY, f64::min);
        println!("{}: {later:.3} s, the first {:.3} s", order.0, seconds[0]);
    }
    for order in orders {
        let messages = if order.1 == Method::Sign { &[SIGNS][..] } else { &MESSAGES[..] };
        for &message in messages {
            let (_, out) = run(order, &encrypted(message, order)?)?;
            let errors: Vec<Complex64> = ctx.decode(&ctx.decrypt(&out, &secret)?)?;
            let errors: Vec<Complex64> = errors.iter().zip(values(message, order)).map(|(a, b)| a - b).collect();
            let mean = |size: fn(&Complex64) -> f64| errors.iter().map(size).sum::<f64>() / errors.len() as f64;
            let bits = mean(|e| -e.norm().log2());
            let worst = -errors.iter().map(|e| e.norm()).fold(0.0, f64::max).log2();
            println!(
                "{}, {}: to level {}, {bits:.2} mean bits, {worst:.2} worst, {:.2e} mean, {:.2e} of a real part, \
                 estimates {:.1} and {:.1}",
                order.0,
                message.0,
                out.level(),
                mean(|e| e.norm()),
                mean(|e| e.re.abs()),
                out.precision_bits(),
                out.precision_floor(),
            );
        }
    }
    Ok(())
}
