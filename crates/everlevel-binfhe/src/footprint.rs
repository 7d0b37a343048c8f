//! The memory of keys and of arrays, told before they are made.

use everlevel_ring::Footprint;
use everlevel_rlwe::lwe::KeySwitchKey;

use crate::params::Params;
use crate::{Ciphertext, NoiseTerm};

/// Bytes that the allocator adds to an allocation, at most.
const ALLOCATION: usize = 24;

impl Params {
    /// The memory of evaluation keys, as seeds and bodies and ready for use.
    pub fn eval_keys_footprint(&self) -> Footprint {
        let bodies = 8 * self.scheme().body_count() * self.n();
        // NTRU's key gives them back.
        let (kept, work) = if self.literal().is_ntru() { (0, bodies) } else { (bodies, 0) };
        let switches = self.switches();
        let seeded = kept + switches.iter().map(|step| 4 * step.shape.body_len()).sum::<usize>();
        let bootstrap = self.scheme().prepared_nbytes();
        let key_switch: usize = switches.iter().map(|step| KeySwitchKey::nbytes_of(step.shape)).sum();
        Footprint { held: (seeded + bootstrap + key_switch) as u64, work: work as u64 }
    }

    /// The memory of a public key.
    pub fn public_key_footprint(&self) -> Footprint {
        let polynomials = self.rank() * (self.rank() + 1);
        Footprint { held: (8 * self.n() * polynomials) as u64, work: 0 }
    }

    /// The memory of so many ciphertexts.
    pub fn ciphertexts_footprint(&self, count: usize) -> Footprint {
        let words = 8 * (self.ciphertext_dim() + 1) + ALLOCATION;
        let each = size_of::<Ciphertext>() + words + size_of::<NoiseTerm>() + ALLOCATION;
        Footprint { held: (count * each) as u64, work: 0 }
    }
}
