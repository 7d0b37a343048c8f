//! Finds parameter sets: the cheapest by a cost model, of those whose noise formulas keep the failure probability.
//!
//! `cargo run --release -p everlevel-bench --example optimize -- [bit | 1..8] [log2 of p_fail] [tfhe | shared | blocks | ntru]`

mod ntru;
mod tfhe;

use everlevel_binfhe::{Gadget, KeySwitch, Space};
use tfhe::Structure;

/// The requirements of a set.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The messages.
    pub space: Space,
    /// The combinations between two bootstraps.
    pub squared_norm: f64,
    /// log2 of the largest failure probability.
    pub max_log2_p_fail: f64,
}

/// Half the distance between messages.
pub fn margin(space: Space) -> f64 {
    match space {
        Space::Bit => 0.125,
        Space::Integer { bits } => (-f64::from(bits) - 2.0).exp2(),
    }
}

/// Key switches worth trying.
pub fn key_switches(ring: usize) -> impl Iterator<Item = KeySwitch> {
    let gadgets = (1..=4).flat_map(|log2_base| (2..=24 / log2_base).map(move |digits| Gadget::new(log2_base, digits)));
    gadgets.map(move |gadget| KeySwitch { gadget, ring })
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let space = match arguments.next().as_deref() {
        None | Some("bit") => Space::Bit,
        Some(bits) => Space::Integer { bits: bits.parse().expect("a number of bits") },
    };
    let max_log2_p_fail = arguments.next().map_or(-64.0, |text| text.parse().expect("log2 of a probability"));
    let squared_norm = match space {
        Space::Bit => 4.0,
        Space::Integer { bits } => f64::from((1u32 << bits.div_ceil(2)) + 1).powi(2),
    };
    let wanted = Wanted { space, squared_norm, max_log2_p_fail };
    match arguments.next().as_deref() {
        None | Some("tfhe") => tfhe::search(wanted, Structure::Usual),
        Some("shared") => tfhe::search(wanted, Structure::Shared),
        Some("blocks") => tfhe::search(wanted, Structure::Blocks),
        Some("ntru") => ntru::search(wanted),
        Some(other) => panic!("tfhe, shared, blocks or ntru, not {other}"),
    }
}
