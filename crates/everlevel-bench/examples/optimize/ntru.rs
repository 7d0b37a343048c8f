//! NTRU's sets: every ring whose keys have 128 bits in the classical count, every kind of small secret on a line of
//! security, and of each the cheapest digits and key switch.
//!
//! The cost model has microseconds of a transform of degree 1024 in single precision and of the products with a key,
//! measured in docs/notes/small-ntt.md.

use everlevel_binfhe::{Gadget, KeySwitch, NtruLiteral, Order, Params, PrimeGadget, Rotation, SmallSecret, noise};
use everlevel_security::SecretDistribution::{BinaryWeight, OneHot, Ternary};
use everlevel_security::estimate::CostModel;
use everlevel_security::torus::{LINES, min_log2_std_dev};

use crate::{Wanted, key_switches, margin};

/// Primes, log2 of degrees, and deviations of samples under the secret: the largest primes for 128 bits in the
/// classical count at degree 1024, and for 128 bits of core-SVP at degree 2048, and those with sparse binary digits.
const RINGS: [(u32, u32, f64); 4] =
    [(1_320_961, 10, -22.83), (1_032_193, 10, -22.83), (268_369_921, 11, -48.32), (134_176_769, 11, -48.32)];

/// Microseconds of a transform with its digits, of a row's product with a key, and of turning a sum.
const TRANSFORM: f64 = 0.5;
const PRODUCT: f64 = 0.055;
const TURN: f64 = 0.18;
/// The cost of degree 2048 in double precision, as a factor.
const WIDE: f64 = 4.4;
/// Microseconds of one digit of the key switch times one output coefficient.
const KEY_SWITCH: f64 = 9e-6;

/// A kind of small secret, its dimension and deviation, and how it is rotated by.
#[derive(Debug, Clone, Copy)]
struct Small {
    secret: SmallSecret,
    dim: usize,
    log2_std_dev: f64,
    rotation: Rotation,
    /// Vector ciphertexts of the key, all of which are in one product or another.
    keys: usize,
}

/// The longest step of sweeps.
const WINDOW: usize = 10;

/// Degree of the key switch's ring.
const RING: usize = 32;

/// Every small secret on a line of security.
fn smalls() -> Vec<Small> {
    let mut all = Vec::new();
    for dim in (576..=1024).step_by(RING) {
        let log2_std_dev = (min_log2_std_dev(dim, 32).expect("a dimension on the line") * 100.0).ceil() / 100.0;
        let binary =
            Small { secret: SmallSecret::Binary, dim, log2_std_dev, rotation: Rotation::FourKeys, keys: 2 * dim };
        let rest = dim % 3;
        let eight = dim / 3 * 8 + if rest > 0 { 1 << rest } else { 0 };
        all.extend([
            binary,
            Small { rotation: Rotation::EightKeys, keys: eight, ..binary },
            Small { rotation: Rotation::ThreeKeys, keys: 3 * dim / 2 + 1, ..binary },
            Small { rotation: Rotation::Sequential, keys: dim + 1, ..binary },
            // A product for each coefficient, and automorphisms between, most of their keys in several.
            Small { rotation: Rotation::TwoSweeps { window: WINDOW }, keys: 2 * dim, ..binary },
            Small { rotation: Rotation::OneSweep { window: WINDOW }, keys: 2 * dim, ..binary },
        ]);
    }
    for &(secret, dim, log2_std_dev) in LINES {
        let (secret, rotation, keys) = match secret {
            OneHot(blocks) => (SmallSecret::OneHot { block: dim / blocks }, Rotation::Blocks, dim),
            BinaryWeight(weight) => {
                let count = (2 * weight).next_multiple_of(8);
                (SmallSecret::Sparse { weight }, Rotation::Buckets { count }, 2 * dim + count)
            }
            Ternary => (SmallSecret::Ternary, Rotation::Sequential, 2 * dim + 1),
            _ => continue,
        };
        all.push(Small { secret, dim, log2_std_dev, rotation, keys });
    }
    all
}

/// Digits that reach a prime's bits.
fn gadgets(prime: u32) -> impl Iterator<Item = PrimeGadget> {
    let bits = prime.ilog2();
    let of = move |(digits, log2_base): (u32, u32)| {
        (0..log2_base + 4)
            .filter(move |dropped| (bits..=bits + log2_base).contains(&(dropped + digits * log2_base)))
            .map(move |dropped| PrimeGadget::new(log2_base, digits, dropped))
    };
    (2..=10).flat_map(|digits| (1..=12).map(move |log2_base| (digits, log2_base))).flat_map(of)
}

/// Microseconds of one bootstrap.
fn cost_us(small: &Small, l: &NtruLiteral, transforms: f64) -> f64 {
    let rows = f64::from(l.gadget.digits);
    let wide = if l.log_n > 10 { WIDE } else { 1.0 };
    let rotation = transforms * TRANSFORM + small.keys as f64 * (rows * PRODUCT + TURN);
    let digits = f64::from(l.key_switch.gadget.digits);
    wide * rotation + l.n() as f64 * digits * l.lwe_dim as f64 * KEY_SWITCH
}

/// Lists, for each kind of secret and each ring, the cheapest sets.
pub fn search(Wanted { space, squared_norm, max_log2_p_fail }: Wanted) {
    let mut best: Vec<(f64, f64, NtruLiteral)> = Vec::new();
    for (modulus, log_n, big_log2_std_dev) in RINGS {
        for small in smalls() {
            for gadget in gadgets(modulus) {
                let literal = NtruLiteral {
                    modulus,
                    log_n,
                    lwe_dim: small.dim,
                    secret: small.secret,
                    lwe_log2_std_dev: small.log2_std_dev,
                    big_log2_std_dev,
                    gadget,
                    rotation: small.rotation,
                    key_switch: KeySwitch { gadget: Gadget::new(1, 20), ring: RING },
                    order: Order::KeySwitchFirst,
                    space,
                    squared_norm,
                    max_log2_p_fail: 0.0,
                    // Looked at below.
                    insecure: true,
                };
                let Ok(params) = Params::try_from(literal.clone()) else { continue };
                let noise = params.mean_noise();
                let others = squared_norm * noise.blind_rotation + noise.mod_switch;
                let sets = key_switches(RING).filter_map(|key_switch| {
                    let error = (2.0 * small.log2_std_dev).exp2();
                    let switch = noise::key_switch(params.big_dim, key_switch.gadget, error, 2.0 / 3.0);
                    let log2_p_fail = noise::log2_p_fail(margin(space), others + switch);
                    let literal = NtruLiteral { key_switch, ..literal.clone() };
                    let cost = cost_us(&small, &literal, params.rotation_transforms());
                    (log2_p_fail <= max_log2_p_fail).then_some((cost, log2_p_fail, literal))
                });
                best.extend(sets.min_by(|a, b| a.0.total_cmp(&b.0)));
            }
        }
    }
    best.sort_by(|a, b| a.0.total_cmp(&b.0));
    let kind = |l: &NtruLiteral| (std::mem::discriminant(&l.rotation), std::mem::discriminant(&l.secret), l.log_n);
    let mut listed = Vec::new();
    for (cost, log2_p_fail, l) in &best {
        let of_kind = listed.iter().filter(|&&other| other == kind(l)).count();
        if of_kind >= 3 {
            continue;
        }
        listed.push(kind(l));
        let secure = l.security_bits(CostModel::Bdgl16);
        let PrimeGadget { log2_base, digits, dropped } = l.gadget;
        println!(
            "{:.2} ms, 2^{log2_p_fail:.1}, {secure:.1} bits: {:?}, {:?}, lwe ({}, {:.2}), ring ({}, {}, {:.2}), \
             gadget ({log2_base}, {digits}, {dropped}), key switch ({}, {}, {RING})",
            cost / 1e3,
            l.rotation,
            l.secret,
            l.lwe_dim,
            l.lwe_log2_std_dev,
            l.modulus,
            l.log_n,
            l.big_log2_std_dev,
            l.key_switch.gadget.log2_base,
            l.key_switch.gadget.digits,
        );
    }
}
