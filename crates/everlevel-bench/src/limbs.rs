//! Keys over limbs.

use std::convert::Infallible;

use everlevel_rand::Seed;
use everlevel_ring::{HalfProduct, LimbGadget, LimbRing, Representation};
use everlevel_rlwe::SwitchingKey;

/// A key of uniform rows, which takes the time of one that encrypts something.
pub fn uniform_key(ring: &LimbRing, gadget: &LimbGadget) -> SwitchingKey<LimbRing> {
    let masks = Seed::from_bytes([1; 32]);
    let row = |row: usize| {
        let [mask, body] = [0, 1].map(|part| ring.uniform(&gadget.limbs, 1, &masks, 2 * row as u64 + part).remove(0));
        Ok::<_, Infallible>([mask, body])
    };
    let Ok(rows) = ring.rows(gadget, &masks, true, row);
    SwitchingKey::from_rows(*gadget, rows)
}
