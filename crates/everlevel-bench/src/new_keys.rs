//! The sets of the artifact of ePrint 2023/979 as parameters of this library.

use everlevel_binfhe::{Gadget, KeySwitch, Landing, Order, Params, ParamsLiteral, Secrets, Space, noise};
use everlevel_testkit::artifact::{Kind, Set};

/// The most bits of a message.
const MOST_BITS: u32 = 8;
/// log2 of the narrowest error of a small word.
const NARROWEST: f64 = -30.0;

/// A set as this library runs it, with the artifact's key switches. Small words have 32 bits, and errors of `2^-30` at
/// least: two secrets between the others would have narrower ones. For one of them, base 2^16 would then make too much
/// noise of the errors. Messages have 8 bits at most: sets for more run, and fail, as rarely as with those.
pub fn literal(set: &Set) -> ParamsLiteral {
    let gadget = |(log2_base, digits)| Gadget::new(log2_base, digits);
    let mut switches: Vec<Landing> = Vec::new();
    for (switch, dim) in set.switches.iter().zip(set.ends()) {
        let log2_std_dev = switch.log2_std_dev.max(NARROWEST);
        let widest = if log2_std_dev > switch.log2_std_dev { 15 } else { 31 };
        let (log2_base, digits) = switch.digits;
        let key_switch = KeySwitch { gadget: gadget((log2_base.min(widest), digits)), ring: switch.degree };
        switches.push(Landing { dim, log2_std_dev, key_switch });
    }
    let last = switches.pop().expect("a switch at least");
    ParamsLiteral {
        torus_bits: 64,
        lwe_dim: set.lwe_dim,
        lwe_log2_std_dev: last.log2_std_dev,
        rank: set.rank,
        log_n: set.log_n,
        log2_extension: 0,
        glwe_log2_std_dev: set.log2_std_dev,
        secrets: Secrets {
            drawn: (set.drawn < set.rank << set.log_n).then_some(set.drawn),
            shared: if set.kind == Kind::Classic { 0 } else { set.lwe_dim },
            ..Secrets::default()
        },
        bits_per_step: 1,
        mask_gadget: gadget(set.digits),
        body_gadget: gadget(set.digits),
        landings: switches,
        key_switch: last.key_switch,
        order: Order::KeySwitchFirst,
        space: Space::Integer { bits: set.bits.min(MOST_BITS) },
        squared_norm: 4f64.powi(set.bits as i32),
        max_log2_p_fail: -13.9,
        insecure: true,
    }
}

/// log2 of the failure probability with messages of as many bits as the set is for.
pub fn log2_p_fail(set: &Set, params: &Params) -> f64 {
    let variance = params.noise().at_table(params.squared_norm * params.noise().bootstrapped);
    noise::log2_p_fail((-f64::from(set.bits) - 2.0).exp2(), variance)
}
