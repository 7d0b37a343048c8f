//! Sums, products, scalings and automorphisms beside the CPU's.

use everlevel_math::Modulus;
use everlevel_ring::device::{Call, DeviceLimb, Operands, Pointwise, Scaling, Transform};
use everlevel_ring::{Eval, Poly, PrimeSet, Ring};

use crate::setup::{assert_same, devices, largest, random, ring_of_all_sizes};

/// Pairs of operands: random ones, and the largest.
fn pairs(ring: &Ring) -> Vec<[Poly<Eval>; 3]> {
    let set = ring.all_primes();
    let most = || largest(ring, &set);
    vec![[1, 2, 3].map(|seed| random(ring, &set, seed)), [most(), most(), most()]]
}

/// An operation `f(modulus, to, a, b)` on limbs.
type OnCpu<'a> = &'a dyn Fn(&Modulus, &mut [u64], &[u64], &[u64]);

/// The results of an operation on the CPU.
fn on_cpu(ring: &Ring, [a, b, to]: &[Poly<Eval>; 3], f: OnCpu<'_>) -> Poly<Eval> {
    let mut out = to.clone();
    for (limb, &i) in out.limbs_mut().iter_mut().zip(to.set().indices()) {
        f(ring.modulus(i), limb, a.limb(i), b.limb(i));
    }
    out
}

#[test]
fn sums_and_products_have_the_bits_of_the_cpus() {
    let ring = ring_of_all_sizes(12);
    let copied = |f: fn(&Modulus, &mut [u64], &[u64])| {
        move |m: &Modulus, to: &mut [u64], a: &[u64], b: &[u64]| {
            to.copy_from_slice(a);
            f(m, to, b);
        }
    };
    let operations: [(Pointwise, OnCpu); 4] = [
        (Pointwise::Add, &copied(Modulus::add_assign)),
        (Pointwise::Subtract, &copied(Modulus::sub_assign)),
        (Pointwise::Multiply, &copied(Modulus::mul_assign)),
        (Pointwise::MultiplyAdd, &|m, to, a, b| m.mul_add_assign(to, a, b)),
    ];
    for operands in pairs(&ring) {
        for (name, device) in devices(&ring, 33) {
            for (operation, f) in operations {
                let [a, b, to] = operands.each_ref().map(|poly| poly.to_device(&ring, &device));
                let [a_limbs, b_limbs] = [&a, &b].map(Poly::on_device);
                let job = |(prime, to)| Operands { to, a: a_limbs.limb(prime), b: b_limbs.limb(prime), prime };
                let jobs: Vec<Operands> = to.on_device().each().map(job).collect();
                device.run(Call::Pointwise(operation, jobs)).expect("a launch");
                let expected = on_cpu(&ring, &operands, f);
                assert_same(&to.to_host(&ring), &expected, &format!("{operation:?}, {name}"));
            }
        }
    }
}

#[test]
fn scalings_have_the_bits_of_the_cpus() {
    let ring = ring_of_all_sizes(12);
    let factors = |m: &Modulus| [0, 1, m.q() - 1, m.q() / 3];
    let expected = |operation, m: &Modulus, a: u64, b: u64, w: u64| match operation {
        Scaling::Scale => m.mul(a, w),
        Scaling::ScaleAdd => m.add(m.mul(a, w), b),
        Scaling::Combine => m.add(m.mul(a, w), m.mul(b, m.neg(w))),
    };
    for operands in pairs(&ring) {
        for (name, device) in devices(&ring, 33) {
            for operation in [Scaling::Scale, Scaling::ScaleAdd, Scaling::Combine] {
                for which in 0..4 {
                    let [a, b, to] = operands.each_ref().map(|poly| poly.to_device(&ring, &device));
                    let [a_limbs, b_limbs] = [&a, &b].map(Poly::on_device);
                    let job = |(prime, to)| Operands { to, a: a_limbs.limb(prime), b: b_limbs.limb(prime), prime };
                    let jobs: Vec<Operands> = to.on_device().each().map(job).collect();
                    let of_job = |o: &Operands| {
                        let m = ring.modulus(o.prime);
                        let w = factors(m)[which];
                        if operation == Scaling::Combine { vec![w, m.neg(w)] } else { vec![w] }
                    };
                    let words: Vec<u64> = jobs.iter().flat_map(of_job).collect();
                    device.run(Call::Scaling(operation, jobs, words)).expect("a launch");
                    let on_words = |m: &Modulus, to: &mut [u64], a: &[u64], b: &[u64]| {
                        let w = factors(m)[which];
                        to.iter_mut().zip(a).zip(b).for_each(|((to, &a), &b)| *to = expected(operation, m, a, b, w));
                    };
                    let got = to.to_host(&ring);
                    assert_same(&got, &on_cpu(&ring, &operands, &on_words), &format!("{operation:?}, {name}"));
                }
            }
        }
    }
}

#[test]
fn tensor_products_and_combinations_have_the_bits_of_the_cpus() {
    let ring = ring_of_all_sizes(12);
    let set = ring.all_primes();
    let random_ones: [Poly<Eval>; 4] = [4, 5, 6, 7].map(|seed| random(&ring, &set, seed));
    let largest_ones: [Poly<Eval>; 4] = [0; 4].map(|_| largest(&ring, &set));
    for factors in [random_ones, largest_ones] {
        let [a0, a1, b0, b1] = &factors;
        let expected = ring.tensor([a0, a1], [b0, b1], 1);
        let square = ring.tensor_square([a0, a1], 2);
        let terms = [[a0, a1], [b0, b1]];
        let combined = ring.combine(&set, &terms, |k, m| m.q() - 1 - k as u64);
        for (name, device) in devices(&ring, 132) {
            let [a0, a1, b0, b1] = factors.each_ref().map(|poly| poly.to_device(&ring, &device));
            let got = ring.tensor([&a0, &a1], [&b0, &b1], 1).into_iter().chain(ring.tensor_square([&a0, &a1], 2));
            let terms = [[&a0, &a1], [&b0, &b1]];
            let got = got.chain(ring.combine(&set, &terms, |k, m| m.q() - 1 - k as u64));
            for (got, expected) in got.zip(expected.iter().chain(&square).chain(&combined)) {
                assert_same(&got.to_host(&ring), expected, &name);
            }
        }
    }
}

#[test]
fn automorphisms_have_the_bits_of_the_cpus() {
    for log_n in [10, 13] {
        let ring = ring_of_all_sizes(log_n);
        let set = ring.all_primes();
        let (a, acc) = (random(&ring, &set, 8), random(&ring, &set, 9));
        let rotations = [1, -1, 7, 100].map(|amount| ring.rotation_elt(amount));
        for elt in [1, 3, ring.conjugation_elt()].into_iter().chain(rotations) {
            let moved = ring.automorphism(&a, elt);
            let mut sum = acc.clone();
            ring.automorphism_add_assign(&mut sum, &a, elt);
            for (name, device) in devices(&ring, 33) {
                let [a, mut acc] = [&a, &acc].map(|poly| poly.to_device(&ring, &device));
                let got = ring.automorphism(&a, elt);
                assert_same(&got.to_host(&ring), &moved, &format!("{elt}, {name}"));
                drop(got);
                ring.automorphism_add_assign(&mut acc, &a, elt);
                assert_same(&acc.to_host(&ring), &sum, &format!("sum, {elt}, {name}"));
            }
        }
    }
}

/// An operation `f(acc, a, b)` on polynomials.
type OnPolys<'a> = &'a dyn Fn(&mut Poly<Eval>, &Poly<Eval>, &Poly<Eval>);

/// Every operation of the ring that no other test has, on limbs of a device and of the host.
#[test]
fn operations_of_the_ring_have_the_bits_of_the_cpus() {
    let ring = ring_of_all_sizes(12);
    let set = ring.all_primes();
    let few = PrimeSet::new([1, 4, 7]);
    for [a, b, acc] in pairs(&ring) {
        let operations: [(&str, OnPolys); 13] = [
            ("add", &|acc, a, _| ring.add_assign(acc, a)),
            ("sub", &|acc, a, _| ring.sub_assign(acc, a)),
            ("neg", &|acc, _, _| ring.neg_assign(acc)),
            ("mul", &|acc, a, _| ring.mul_assign(acc, a)),
            ("mul_add", &|acc, a, b| ring.mul_add_assign(acc, a, b)),
            ("mul_residues", &|acc, _, _| ring.mul_residues_assign(acc, |m| m.q() / 3)),
            ("mul_residues_add", &|acc, a, _| ring.mul_residues_add_assign(acc, a, |m| m.q() - 1)),
            ("mul_gaussian", &|acc, _, _| ring.mul_gaussian_assign(acc, -(1 << 90), 12345)),
            ("add_gaussian", &|acc, _, _| ring.add_gaussian_assign(acc, 1 << 80, -7)),
            ("add_gaussian of a real number", &|acc, _, _| ring.add_gaussian_assign(acc, -3, 0)),
            ("inner_product", &|acc, a, b| *acc = ring.inner_product(&set, &[a, b, a], &[b, b, a])),
            ("restricted", &|acc, a, _| *acc = a.restricted(&few)),
            ("zero", &|acc, a, _| *acc = ring.zero_beside(a, &few)),
        ];
        for (operation, f) in operations {
            let mut expected = acc.clone();
            f(&mut expected, &a, &b);
            for (name, device) in devices(&ring, 66) {
                let [a, b, mut acc] = [&a, &b, &acc].map(|poly| poly.to_device(&ring, &device));
                f(&mut acc, &a, &b);
                assert_same(&acc.to_host(&ring), &expected, &format!("{operation}, {name}"));
            }
        }
    }
}

/// A host's operand is copied to the device, and so is a host's accumulator.
#[test]
fn operands_of_the_host_are_copied() {
    let ring = ring_of_all_sizes(12);
    let set = ring.all_primes();
    let [a, b] = [1, 2].map(|seed| random(&ring, &set, seed));
    let mut expected = a.clone();
    ring.add_assign(&mut expected, &b);
    for (name, device) in devices(&ring, 33) {
        for (mut acc, operand) in [(a.to_device(&ring, &device), b.clone()), (a.clone(), b.to_device(&ring, &device))] {
            ring.add_assign(&mut acc, &operand);
            assert!(acc.device().is_some());
            assert_same(&acc.to_host(&ring), &expected, &name);
        }
    }
}

#[test]
fn lifts_and_transforms_have_the_bits_of_the_ring() {
    let ring = ring_of_all_sizes(12);
    let set = ring.all_primes();
    for from in 0..set.len() {
        for a in [random(&ring, &PrimeSet::new([from]), 3), largest(&ring, &PrimeSet::new([from]))] {
            let lifted = |a: Poly<Eval>| ring.to_eval(ring.lift(&ring.to_coeff(a), &set));
            let expected = lifted(a.clone());
            for (name, device) in devices(&ring, 33) {
                assert_same(&lifted(a.to_device(&ring, &device)).to_host(&ring), &expected, &name);
            }
        }
    }
}

/// Recorded transforms whose results are combined with other limbs and permuted, which their second kernel does at its
/// end: of each three limbs, the first one is transformed, the second one added, and the third one the result.
#[test]
fn recorded_ends_of_transforms_have_the_bits_of_the_cpus() {
    for log_n in [10, 13] {
        let ring = ring_of_all_sizes(log_n);
        let set = ring.all_primes();
        let (a, b, elt) = (random(&ring, &set, 10), random(&ring, &set, 11), ring.rotation_elt(5));
        let mut combined = a.clone();
        for (limb, &i) in combined.limbs_mut().iter_mut().zip(set.indices()) {
            ring.ntt(i).forward(limb);
            let m = ring.modulus(i);
            limb.iter_mut().zip(b.limb(i)).for_each(|(x, &y)| *x = m.add(m.mul(*x, 3), m.mul(y, m.q() - 2)));
        }
        let expected = ring.automorphism(&combined, elt);
        for (name, device) in devices(&ring, 3 * set.len() as u32) {
            device.begin_recording().expect("a recording");
            let limbs = device.take(3 * set.len()).expect("limbs");
            let of_each = |f: &dyn Fn(&[DeviceLimb], usize) -> Operands| -> Vec<Operands> {
                limbs.chunks(3).zip(set.indices()).map(|(limbs, &prime)| f(limbs, prime)).collect()
            };
            let transform = |o: &Operands| Transform { from: o.to, to: o.to, prime: o.prime };
            let in_place = of_each(&|l, prime| Operands { to: l[0], a: l[1], b: l[0], prime });
            let moved = of_each(&|l, prime| Operands { to: l[2], a: l[0], b: l[0], prime });
            let factors = in_place.iter().flat_map(|o| [ring.modulus(o.prime).q() - 2, 3]).collect();
            let dead = in_place.iter().map(|o| o.to).collect();
            for call in [
                Call::Forward(in_place.iter().map(transform).collect()),
                Call::Scaling(Scaling::Combine, in_place, factors),
                Call::Automorphism(moved, elt),
                Call::Clear(dead),
            ] {
                device.run(call).expect("a call");
            }
            let recording = device.end_recording().expect("a graph");
            for (limbs, &prime) in limbs.chunks(3).zip(set.indices()) {
                device.write(limbs[0], a.limb(prime)).expect("an upload");
                device.write(limbs[1], b.limb(prime)).expect("an upload");
            }
            device.replay(&*recording).expect("a replay");
            let mut got = vec![0; ring.n()];
            for (limbs, &prime) in limbs.chunks(3).zip(set.indices()) {
                device.read(&mut got, limbs[2]).expect("a download");
                assert!(got == expected.limb(prime), "{name}, 2^{log_n}, prime {prime}");
            }
            device.release(&limbs);
        }
    }
}
