//! Rings, polynomials and devices that the tests share.

use std::sync::Arc;

use everlevel_gpu::{Arena, Arithmetic, Capacity, Device, Host, Memory, Order};
use everlevel_math::primes::{ntt_primes_below, ntt_primes_near};
use everlevel_ring::device::DeviceRing;
use everlevel_ring::{Eval, Poly, PrimeSet, Ring};
use everlevel_testkit::sample::Sampler;

use crate::ptx::interpreters;

/// The largest primes of each of these bit lengths, which differ.
pub fn ring_of(log_n: u32, sizes: &[(u32, usize)]) -> Ring {
    let largest = |&(bits, count): &(u32, usize)| ntt_primes_below(bits, log_n).take(count).collect::<Vec<_>>();
    Ring::new(log_n, &sizes.iter().flat_map(largest).collect::<Vec<_>>()).expect("primes of a ring")
}

/// A prime of each size that the library uses, and both ends of the largest one.
pub fn ring_of_all_sizes(log_n: u32) -> Ring {
    let bits = [21, 24, 28, 32, 33, 36, 40, 44, 47, 48];
    let mut primes: Vec<u64> = bits.iter().filter_map(|&bits| ntt_primes_below(bits, log_n).next()).collect();
    primes.extend(ntt_primes_near((1u64 << 47) as f64, log_n).find(|&q| q >> 47 == 1));
    Ring::new(log_n, &primes).expect("primes of a ring")
}

/// Residues with the edges of their range among them.
pub fn random(ring: &Ring, set: &PrimeSet, seed: u64) -> Poly<Eval> {
    let mut sampler = Sampler::new(seed);
    let mut poly = ring.zero(set);
    for (limb, &i) in poly.limbs_mut().iter_mut().zip(set.indices()) {
        limb.copy_from_slice(&sampler.limb(ring.n(), ring.modulus(i).q()));
    }
    poly
}

/// The largest residue everywhere.
pub fn largest(ring: &Ring, set: &PrimeSet) -> Poly<Eval> {
    let mut poly = ring.zero(set);
    for (limb, &i) in poly.limbs_mut().iter_mut().zip(set.indices()) {
        limb.fill(ring.modulus(i).q() - 1);
    }
    poly
}

#[track_caller]
pub fn assert_same(got: &Poly<Eval>, expected: &Poly<Eval>, context: &str) {
    assert_eq!(got.set(), expected.set(), "{context}");
    for (k, (got, expected)) in got.limbs().iter().zip(expected.limbs()).enumerate() {
        assert!(got[..] == expected[..], "{context}: limb {k}");
    }
}

/// Every host device: plain memory in three orders of threads, and checked memory.
pub fn hosts() -> impl Iterator<Item = Host> {
    let plain = Order::ALL.map(|order| Host::new(Memory::Plain, order));
    plain.into_iter().chain([Host::new(Memory::Checked, Order::Shuffled)])
}

/// Room for the packed residues that tests have.
pub const PACKED: u64 = 1 << 23;

/// An arena on a device.
pub fn arena<D: Device>(device: D, ring: &Ring, arithmetic: Arithmetic, limb_count: u32) -> Arc<Arena<D>> {
    Arena::new(device, ring, arithmetic, Capacity { limb_count, packed_count: PACKED }).expect("an arena")
}

/// An arena on each device, the host's and those that interpret PTX, with a name for messages.
pub fn devices(ring: &Ring, limb_count: u32) -> impl Iterator<Item = (String, Arc<dyn DeviceRing>)> {
    fn named<D: Device>(device: D, ring: &Ring, limb_count: u32) -> (String, Arc<dyn DeviceRing>) {
        (format!("{device:?}"), arena(device, ring, Arithmetic::Integers, limb_count))
    }
    let interpreters = interpreters().into_iter().map(move |device| named(device, ring, limb_count));
    hosts().map(move |host| named(host, ring, limb_count)).chain(interpreters)
}
