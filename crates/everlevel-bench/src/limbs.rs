//! Keys over limbs.

use everlevel_rand::Seed;
use everlevel_ring::{LimbGadget, LimbRing, Limbs, Representation};
use everlevel_rlwe::{SecretId, SwitchingKey};

/// A key of uniform rows, which takes the time of one that encrypts something.
pub fn uniform_key(ring: &LimbRing, gadget: &LimbGadget) -> SwitchingKey<LimbRing> {
    let mut rows = ring.zero_rows(gadget, 1);
    for row in 0..gadget.digits {
        let sample = ring.uniform(&gadget.limbs, 2, &Seed::from_bytes([1; 32]), row as u64);
        ring.prepare_row(&mut rows, row, &sample.iter().collect::<Vec<&Limbs>>());
    }
    SwitchingKey::from_rows(SecretId(1), *gadget, rows)
}
