//! Random programs: what is claimed of their results holds. The bound is never exceeded; the precision of values
//! without structure is the claimed one, within 2 bits; and no slot of any values within the bound errs by more than
//! the floor.

use crate::common;

use crate::common::{Party, depth, log_n};
use everlevel_ckks::{
    Basis, BootstrapKeySize, Bound, Ciphertext, Complex64, ConjugationKey, RelinearizationKey, RotationKey, no_progress,
};

/// A small generator of test programs and data.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() * count as f64) as usize
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

/// Data of one bound, with and without structure.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Data {
    Uniform,
    Constant,
    Signs,
    OneSlot,
}

impl Data {
    fn draw(self, count: usize, bound: f64, random: &mut Random) -> Vec<Complex64> {
        let value = |at: usize| match self {
            Data::Uniform => random.between(-bound, bound),
            Data::Constant => bound,
            Data::Signs => bound * (1.0 - 2.0 * random.below(2) as f64),
            Data::OneSlot => bound * f64::from(at == 3),
        };
        (0..count).map(value).map(|x| Complex64::new(x, 0.0)).collect()
    }
}

/// An encrypted vector beside its plain values.
#[derive(Clone)]
struct Value {
    ct: Ciphertext,
    plain: Vec<Complex64>,
}

struct Keys {
    relinearization: RelinearizationKey,
    rotation: RotationKey,
    conjugation: ConjugationKey,
}

/// Interpreter of random programs.
struct Machine<'a> {
    party: &'a Party,
    keys: &'a Keys,
    random: Random,
    data: Data,
    pool: Vec<Value>,
}

/// Bounds grow no further than this, so that values keep clear of the modulus.
const LARGEST: f64 = 4096.0;

impl Machine<'_> {
    /// A random operation on random values; false where the choice does not go with their levels or bounds.
    fn step(&mut self) -> bool {
        let (ctx, keys, random) = (&self.party.ctx, self.keys, &mut self.random);
        let recent = self.pool.len().min(5);
        let mut pick = || self.pool[self.pool.len() - 1 - random.below(recent)].clone();
        let (a, b) = (pick(), pick());
        let slots = ctx.slot_count();
        let (sa, sb) = (a.ct.bound().size(), b.ct.bound().size());
        let c = random.between(-1.5, 1.5);
        let each = |f: &dyn Fn(Complex64) -> Complex64| a.plain.iter().map(|z| f(*z)).collect::<Vec<_>>();
        let both = |f: &dyn Fn(Complex64, Complex64) -> Complex64| {
            a.plain.iter().zip(&b.plain).map(|(x, y)| f(*x, *y)).collect::<Vec<_>>()
        };
        let has = |level: usize| a.ct.level() > level && b.ct.level() > level;
        let (ct, plain) = match random.below(12) {
            0 if sa + sb < LARGEST => (ctx.add(&a.ct, &b.ct).unwrap(), both(&|x, y| x + y)),
            1 if sa + sb < LARGEST => (ctx.subtract(&a.ct, &b.ct).unwrap(), both(&|x, y| x - y)),
            2 => (ctx.negate(&a.ct).unwrap(), each(&|x| -x)),
            3 => (ctx.add_scalar(&a.ct, c.into()).unwrap(), each(&|x| x + c)),
            4 if has(1) && sa * sb < LARGEST => {
                (ctx.multiply(&a.ct, &b.ct, &keys.relinearization).unwrap(), both(&|x, y| x * y))
            }
            5 if has(1) && sa * sa < LARGEST => {
                (ctx.square(&a.ct, Some(&keys.relinearization)).unwrap(), each(&|x| x * x))
            }
            6 if has(1) => (ctx.multiply_scalar(&a.ct, c.into()).unwrap(), each(&|x| x * c)),
            7 if 2.0 * sa < LARGEST => (ctx.multiply_scalar(&a.ct, 2.0.into()).unwrap(), each(&|x| x * 2.0)),
            8 if has(1) => {
                let mask = Data::Uniform.draw(slots, 1.0, random);
                let plain = a.plain.iter().zip(&mask).map(|(x, y)| x * y).collect();
                (ctx.multiply_array(&a.ct, &mask).unwrap(), plain)
            }
            9 => {
                let delta = 1 << random.below(4);
                let mut plain = a.plain.clone();
                plain.rotate_right(delta);
                (ctx.rotate(&a.ct, &keys.rotation, delta as i64).unwrap(), plain)
            }
            10 => (ctx.conjugate(&a.ct, &keys.conjugation).unwrap(), each(&|x| x.conj())),
            11 if has(2) && sa <= 1.0 => {
                let p = [0.1, -0.7, 0.0, 0.4];
                let t = move |x: Complex64| p[0] + p[1] * x + p[3] * (4.0 * x * x * x - 3.0 * x);
                let value = ctx.evaluate_polynomial(&a.ct, Basis::Chebyshev, &p, &keys.relinearization).unwrap();
                (value, each(&t))
            }
            _ => return false,
        };
        // The difference of a value and itself encrypts nothing: programs go on with others.
        let varies = self.data != Data::Uniform || spread(&plain) > 1e-3;
        if varies {
            self.pool.push(Value { ct, plain });
        }
        varies
    }
}

#[derive(Debug, Default)]
struct Seen {
    off: Vec<f64>,
    slack: Vec<f64>,
}

/// Runs one program on data of one kind, and checks what is claimed of its last value.
fn check(party: &Party, keys: &Keys, seed: u64, data: Data, operations: usize, seen: &mut Seen) {
    let ctx = &party.ctx;
    let mut random = Random(seed);
    let mut pool = Vec::new();
    // The program's seed is the same for all data, the data's is not.
    let mut values = Random(seed ^ 0x5555_0000 ^ data as u64);
    for bound in [1.0, 0.5, 1.0, 2.0] {
        let plain = data.draw(ctx.slot_count(), bound, &mut values);
        let bound = Bound::declared(bound).unwrap().on_reals(plain.iter().all(|z| z.im == 0.0));
        let plaintext = ctx.declare(ctx.encode(&plain, ctx.max_level()).unwrap(), bound);
        let ct = ctx.encrypt_with_secret(&plaintext.unwrap(), &party.secret).unwrap();
        pool.push(Value { ct, plain });
    }
    random.next();
    let mut machine = Machine { party, keys, random, data, pool };
    let mut done = 0;
    while done < operations {
        done += usize::from(machine.step());
    }
    let Value { ct, plain } = machine.pool.pop().unwrap();
    let found = party.decrypt(&ct);
    let errors: Vec<f64> = found.iter().zip(&plain).map(|(x, y)| (x - y).norm()).collect();
    let largest = plain.iter().map(|z| z.norm()).fold(0.0, f64::max);
    assert!(largest <= ct.bound().size() * (1.0 + 1e-9), "{seed} {data:?}: {largest} {:?}", ct.bound());
    assert!(ct.bound().is_declared());
    let worst = -errors.iter().copied().fold(0.0, f64::max).log2();
    if !ct.precision_floor().is_nan() {
        assert!(worst >= ct.precision_floor(), "{seed} {data:?}: worst {worst}, floor {}", ct.precision_floor());
        seen.slack.push(worst - ct.precision_floor());
    }
    if data == Data::Uniform {
        let rms = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
        let off = -rms.log2() - ct.precision_bits();
        assert!(off.abs() < 3.0, "{seed}: measured {}, claimed {}", -rms.log2(), ct.precision_bits());
        seen.off.push(off);
    }
}

/// Standard deviation of the slots around their mean.
fn spread(values: &[Complex64]) -> f64 {
    let mean = values.iter().sum::<Complex64>() / values.len() as f64;
    (values.iter().map(|z| (z - mean).norm_sqr()).sum::<f64>() / values.len() as f64).sqrt()
}

fn keys(party: &Party) -> Keys {
    let ctx = &party.ctx;
    Keys {
        relinearization: ctx.relinearization_key(&party.secret, &no_progress).unwrap(),
        rotation: party.rotation_key(),
        conjugation: ctx.conjugation_key(&party.secret, &no_progress).unwrap(),
    }
}

#[test]
fn claims_hold_for_random_programs() {
    let party = depth(11, 10);
    let keys = keys(&party);
    let mut seen = Seen::default();
    for seed in 0..240 {
        check(&party, &keys, seed, Data::Uniform, 24, &mut seen);
    }
    let party = depth(10, 10);
    let keys = self::keys(&party);
    for seed in 0..200 {
        for data in [Data::Constant, Data::Signs, Data::OneSlot] {
            check(&party, &keys, seed, data, 24, &mut seen);
        }
    }
    assert!(seen.off.len() >= 200 && seen.slack.len() >= 600, "{} {}", seen.off.len(), seen.slack.len());
    // Products of many values have few large ones, which the sample and the data have by chance.
    let far = seen.off.iter().filter(|off| off.abs() > 2.0).count();
    assert!(50 * far <= seen.off.len(), "{far} of {}", seen.off.len());
    seen.off.sort_by(f64::total_cmp);
    seen.slack.sort_by(f64::total_cmp);
    println!("{far} of {} beyond 2 bits", seen.off.len());
    println!("measured less claimed: {:.2} to {:.2}", seen.off[0], seen.off[seen.off.len() - 1]);
    println!("worst less floor: {:.2}, median {:.2}", seen.slack[0], seen.slack[seen.slack.len() / 2]);
}

/// The worst message of a bootstrap is a constant one of the bound's size.
#[test]
fn claims_hold_for_bootstraps() {
    let party = Party::bootstrap(log_n());
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    for bound in [1.0, 4.0] {
        for data in [Data::Uniform, Data::Constant, Data::Signs, Data::OneSlot] {
            let plain = data.draw(party.ctx.slot_count(), bound, &mut Random(7));
            let plaintext = party.ctx.encode(&plain, 1).unwrap();
            let plaintext = party.ctx.declare(plaintext, Bound::declared(bound).unwrap()).unwrap();
            let ct = party.ctx.encrypt_with_secret(&plaintext, &party.secret).unwrap();
            let out = party
                .bootstrapper()
                .bootstrap(&ct, &party.relinearization, &party.conjugation, &key, &no_progress)
                .unwrap();
            let p = common::precision(&party.decrypt(&out), &plain);
            assert_eq!(out.bound(), ct.bound());
            assert!(p.worst_bits >= out.precision_floor(), "{bound} {data:?}: {p:?}, {}", out.precision_floor());
            if data == Data::Constant {
                // The floor is this message's precision, up to noise.
                assert!(p.worst_bits < out.precision_floor() + 1.0, "{bound}: {p:?}, {}", out.precision_floor());
            }
            if data == Data::Uniform {
                let off = -p.rms.log2() - out.precision_bits();
                assert!(off.abs() < 2.0, "{bound}: {p:?}, {}", out.precision_bits());
            }
        }
    }
}
