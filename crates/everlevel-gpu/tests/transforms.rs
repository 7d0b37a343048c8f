//! Transforms beside the CPU's, in both arithmetics.

use everlevel_gpu::{Arena, Arithmetic, Capacity, Device, Error, FaultKind, Host, Memory, Order};
use everlevel_ring::Ring;
use everlevel_ring::device::Transform;
use everlevel_testkit::sample::edge_limbs;

use crate::ptx::interpreters;
use crate::setup::{arena, hosts, ring_of, ring_of_all_sizes};

/// For a prime of each size, limbs at the edges of lazy ranges, and random ones.
fn operands(ring: &Ring, few: bool) -> Vec<(usize, Vec<u64>)> {
    let of_prime = |&prime: &usize| {
        let limbs = edge_limbs(ring.n(), ring.modulus(prime).q(), prime as u64);
        let chosen = limbs.iter().rev().step_by(if few { 9 } else { 3 }).chain(&limbs[..1]);
        chosen.map(|limb| (prime, limb.clone())).collect::<Vec<_>>()
    };
    ring.all_primes().indices().iter().flat_map(of_prime).collect()
}

/// Forward and inverse transforms of a batch give the bits of the CPU's, in place and not.
fn transforms_match<D: Device>(ring: &Ring, host: D, arithmetic: Arithmetic) {
    let operands = operands(ring, ring.log_n() > 13);
    let context = format!("{host:?}, {arithmetic:?}, log_n = {}", ring.log_n());
    let count = operands.len() as u32;
    let arena = arena(host, ring, arithmetic, 2 * count);
    let [sources, results] = [0, 1].map(|_| arena.take(operands.len()).expect("limbs"));
    let mut jobs = Vec::new();
    for (((prime, limb), &from), &to) in operands.iter().zip(&sources).zip(&results) {
        arena.write(from, limb).expect("an upload");
        jobs.push(Transform { from, to, prime: *prime });
    }
    let mut got = vec![0; ring.n()];

    arena.forward(&jobs).expect("a launch");
    for (job, (prime, limb)) in jobs.iter().zip(&operands) {
        let mut expected = limb.clone();
        ring.ntt(*prime).forward(&mut expected);
        arena.read(&mut got, job.to).expect("a download");
        assert!(got == expected, "forward, {context}, prime {prime}, a = {:?}…", &limb[..4]);
        arena.read(&mut got, job.from).expect("a download");
        assert!(&got == limb, "the operand stays, {context}");
    }

    let in_place: Vec<Transform> = jobs.iter().map(|job| Transform { from: job.to, ..*job }).collect();
    arena.inverse_scaled(&in_place, &vec![1; jobs.len()]).expect("a launch");
    for (job, (prime, limb)) in jobs.iter().zip(&operands) {
        arena.read(&mut got, job.to).expect("a download");
        assert!(&got == limb, "inverse of forward, {context}, prime {prime}, a = {:?}…", &limb[..4]);
    }

    let constant = |(k, job): (usize, &Transform)| {
        let q = ring.modulus(job.prime).q();
        [0, q - 1, q / 3][k % 3]
    };
    let constants: Vec<u64> = jobs.iter().enumerate().map(constant).collect();
    arena.inverse_scaled(&jobs, &constants).expect("a launch");
    for ((job, (prime, limb)), &constant) in jobs.iter().zip(&operands).zip(&constants) {
        let mut expected = limb.clone();
        ring.ntt(*prime).inverse_scaled(&mut expected, constant);
        arena.read(&mut got, job.to).expect("a download");
        assert!(got == expected, "inverse times {constant}, {context}, prime {prime}, a = {:?}…", &limb[..4]);
    }
}

fn transforms_match_at(log_n: u32) {
    let ring = if log_n > 13 { ring_of(log_n, &[(48, 1), (22, 1)]) } else { ring_of_all_sizes(log_n) };
    for arithmetic in [Arithmetic::Integers, Arithmetic::Doubles] {
        hosts().for_each(|host| transforms_match(&ring, host, arithmetic));
        interpreters().into_iter().for_each(|device| transforms_match(&ring, device, arithmetic));
    }
}

#[test]
fn small_transforms_have_the_bits_of_the_cpus() {
    (10..=13).for_each(transforms_match_at);
}

#[test]
fn large_transforms_have_the_bits_of_the_cpus() {
    (14..=16).for_each(transforms_match_at);
}

#[test]
fn the_largest_transforms_have_the_bits_of_the_cpus() {
    transforms_match_at(17);
}

/// Every kernel that has several phases needs the barriers between them, and checked memory says so.
#[test]
fn missing_barriers_of_transforms_are_found() {
    for arithmetic in [Arithmetic::Integers, Arithmetic::Doubles] {
        for log_n in 12..=17 {
            let ring = ring_of(log_n, &[(40, 1)]);
            let columns = |direction: &str| format!("{direction}_columns_{}", log_n - 8);
            let both = |direction: &str| [format!("{direction}_rows"), columns(direction)];
            for kernel in both("forward").into_iter().chain(both("inverse")) {
                // The names are few.
                let name: &'static str = format!("{kernel}_{arithmetic:?}").to_lowercase().leak();
                let device = Host::new(Memory::CheckedWithoutBarriers, Order::Forward).only(name);
                let arena = arena(device, &ring, arithmetic, 1);
                let limb = arena.take(1).expect("a limb")[0];
                arena.write(limb, &vec![1; ring.n()]).expect("an upload");
                let jobs = [Transform { from: limb, to: limb, prime: 0 }];
                let outcome = arena.forward(&jobs).and_then(|()| arena.inverse_scaled(&jobs, &[1]));
                match outcome {
                    Err(Error::Fault { name: found, fault }) => {
                        assert_eq!(found, name);
                        assert_eq!((fault.kind, fault.memory.as_str()), (FaultKind::Race, "tile"), "{fault}");
                    }
                    // A tile of four levels passes through registers alone.
                    Ok(()) => assert_eq!((log_n, kernel.contains("columns")), (12, true), "{name}"),
                    other => panic!("{name}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn other_degrees_are_refused() {
    let ring = ring_of(9, &[(40, 1)]);
    let host = Host::new(Memory::Plain, Order::Forward);
    let capacity = Capacity { limb_count: 1, packed_count: 0 };
    let refused = Arena::new(host, &ring, Arithmetic::Integers, capacity).expect_err("a small ring");
    assert_eq!(refused, Error::BadSize { log_n: 9 });
}
