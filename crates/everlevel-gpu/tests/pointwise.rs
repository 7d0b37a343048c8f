//! Sums, products, scalings and automorphisms beside the CPU's.

use everlevel_gpu::{Operands, Pointwise, Scaling, Tensor};
use everlevel_math::Modulus;
use everlevel_ring::{Eval, Poly, Ring};

use crate::setup::{arenas, assert_same, largest, random, ring_of_all_sizes};

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
    let ring = ring_of_all_sizes(10);
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
        for (name, mut residues) in arenas(&ring, 33) {
            for (operation, f) in operations {
                let [a, b, to] = operands.each_ref().map(|poly| residues.upload(poly).expect("limbs"));
                let job = |&i: &usize| Operands { to: to.limb(i), a: a.limb(i), b: b.limb(i), prime: i };
                let jobs: Vec<Operands> = to.set().indices().iter().map(job).collect();
                residues.pointwise(operation, &jobs).expect("a launch");
                let expected = on_cpu(&ring, &operands, f);
                assert_same(&residues.download(&to).expect("a download"), &expected, &format!("{operation:?}, {name}"));
            }
        }
    }
}

#[test]
fn scalings_have_the_bits_of_the_cpus() {
    let ring = ring_of_all_sizes(10);
    let factors = |m: &Modulus| [0, 1, m.q() - 1, m.q() / 3];
    let expected = |operation, m: &Modulus, a: u64, b: u64, w: u64| match operation {
        Scaling::Scale => m.mul(a, w),
        Scaling::ScaleAdd => m.add(m.mul(a, w), b),
        Scaling::SubtractScale => m.mul(m.sub(a, b), w),
    };
    for operands in pairs(&ring) {
        for (name, mut residues) in arenas(&ring, 33) {
            for operation in [Scaling::Scale, Scaling::ScaleAdd, Scaling::SubtractScale] {
                for which in 0..4 {
                    let [a, b, to] = operands.each_ref().map(|poly| residues.upload(poly).expect("limbs"));
                    let job = |&i: &usize| Operands { to: to.limb(i), a: a.limb(i), b: b.limb(i), prime: i };
                    let jobs: Vec<Operands> = to.set().indices().iter().map(job).collect();
                    let words: Vec<u64> = jobs.iter().map(|o| factors(ring.modulus(o.prime))[which]).collect();
                    residues.scaling(operation, &jobs, &words).expect("a launch");
                    let on_words = |m: &Modulus, to: &mut [u64], a: &[u64], b: &[u64]| {
                        let w = factors(m)[which];
                        to.iter_mut().zip(a).zip(b).for_each(|((to, &a), &b)| *to = expected(operation, m, a, b, w));
                    };
                    let got = residues.download(&to).expect("a download");
                    assert_same(&got, &on_cpu(&ring, &operands, &on_words), &format!("{operation:?}, {name}"));
                }
            }
        }
    }
}

#[test]
fn tensor_products_have_the_bits_of_the_cpus() {
    let ring = ring_of_all_sizes(10);
    let set = ring.all_primes();
    let random_ones: [Poly<Eval>; 4] = [4, 5, 6, 7].map(|seed| random(&ring, &set, seed));
    let largest_ones: [Poly<Eval>; 4] = [0; 4].map(|_| largest(&ring, &set));
    for factors in [random_ones, largest_ones] {
        let [a0, a1, b0, b1] = &factors;
        let expected = ring.tensor([a0, a1], [b0, b1]);
        for (name, mut residues) in arenas(&ring, 77) {
            let [a0, a1, b0, b1] = factors.each_ref().map(|poly| residues.upload(poly).expect("limbs"));
            let to = [0; 3].map(|_| residues.take(&set).expect("limbs"));
            let job = |&i: &usize| Tensor {
                to: to.each_ref().map(|poly| poly.limb(i)),
                a: [a0.limb(i), a1.limb(i)],
                b: [b0.limb(i), b1.limb(i)],
                prime: i,
            };
            residues.tensor(&set.indices().iter().map(job).collect::<Vec<_>>()).expect("a launch");
            for (got, expected) in to.iter().zip(&expected) {
                assert_same(&residues.download(got).expect("a download"), expected, &name);
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
            for (name, mut residues) in arenas(&ring, 33) {
                let [a, acc] = [&a, &acc].map(|poly| residues.upload(poly).expect("limbs"));
                let got = residues.automorphism(&a, elt).expect("a launch");
                assert_same(&residues.download(&got).expect("a download"), &moved, &format!("{elt}, {name}"));
                residues.automorphism_add_assign(&acc, &a, elt).expect("a launch");
                assert_same(&residues.download(&acc).expect("a download"), &sum, &format!("sum, {elt}, {name}"));
            }
        }
    }
}
