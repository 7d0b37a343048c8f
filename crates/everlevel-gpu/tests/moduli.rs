//! Conversions, digits, products with keys and divisions beside the ring's.

use std::sync::Arc;

use everlevel_gpu::{Arithmetic, Device, Error, FaultKind, Host, Memory, Order};
use everlevel_rand::Seed;
use everlevel_ring::device::{Call, Conversion, DeviceLimb, DeviceRing};
use everlevel_ring::{Eval, HalfProduct, PackedPoly, Poly, PrimeSet, ResidueRows, Ring, RnsGadget};

use crate::ptx::interpreters;
use crate::setup::{arena, assert_same, devices, hosts, largest, random, ring_of};

/// The conversion of limbs from one set to another, on the CPU.
fn converted(ring: &Ring, from: &PrimeSet, to: &PrimeSet, sources: &Poly<Eval>) -> Poly<Eval> {
    let mut out = ring.zero::<Eval>(to);
    let sources: Vec<&[u64]> = from.indices().iter().map(|&i| sources.limb(i)).collect();
    let mut outs: Vec<&mut [u64]> = out.limbs_mut().iter_mut().map(|limb| &mut limb[..]).collect();
    ring.converter(from, to).convert(&mut outs, &sources);
    out
}

#[test]
fn conversions_have_the_bits_of_the_cpus() {
    // Sixty sources are the most that a conversion has.
    let ring = ring_of(12, &[(48, 60), (47, 3), (36, 2), (24, 2)]);
    let sets = |from: std::ops::Range<usize>, to: &[usize]| [PrimeSet::new(from), PrimeSet::new(to.to_vec())];
    let cases = [
        sets(0..1, &[1]),
        sets(0..3, &[0, 10, 60, 65]),
        sets(60..67, &[1, 2, 3, 4, 5]),
        sets(0..60, &[60, 61, 62, 63, 64, 65, 66]),
    ];
    let all = ring.all_primes();
    let operands = [random(&ring, &all, 10), largest(&ring, &all)];
    for (name, device) in devices(&ring, 200) {
        for operand in &operands {
            // One launch has conversions of different shapes.
            let source = operand.to_device(&ring, &device);
            let zero = |[_, to]: &[PrimeSet; 2]| ring.zero::<Eval>(to).to_device(&ring, &device);
            let outs: Vec<Poly<Eval>> = cases.iter().map(zero).collect();
            let conversions: Vec<Conversion> = cases
                .iter()
                .zip(&outs)
                .map(|([from, to], out)| {
                    let sources = from.indices().iter().map(|&i| source.on_device().limb(i)).collect();
                    Conversion { from: from.clone(), to: to.clone(), sources, targets: out.on_device().limbs.to_vec() }
                })
                .collect();
            device.run(Call::Convert(conversions)).expect("a launch");
            for ([from, to], out) in cases.iter().zip(&outs) {
                let expected = converted(&ring, from, to, operand);
                assert_same(&out.to_host(&ring), &expected, &name);
            }
        }
    }
}

/// Where the sum of quotients is next to a half, its last bits decide: they are those of products and sums that are
/// rounded one by one, in order.
#[test]
fn quotients_next_to_a_half_are_rounded_as_on_the_cpu() {
    let ring = ring_of(10, &[(48, 3), (40, 1)]);
    let [from, to] = [PrimeSet::new([0, 1]), PrimeSet::new([2, 3])];
    let [d0, d1] = [0, 1].map(|i| ring.modulus(i).q());
    let mut operand = random(&ring, &from, 13);
    let first = operand.limb(0).to_vec();
    for (second, &first) in operand.limbs_mut()[1].iter_mut().zip(&first) {
        // The integer nearest to d1·(1/2 − first/d0 mod 1).
        let twice_d0 = 2 * u128::from(d0);
        let part = (u128::from(d0) + twice_d0 - 2 * u128::from(first)) % twice_d0;
        *second = ((part * u128::from(d1) + u128::from(d0)) / twice_d0 % u128::from(d1)) as u64;
    }
    let fused = |i: usize| {
        let terms = [(operand.limb(0)[i], d0), (operand.limb(1)[i], d1)];
        terms.iter().fold(0.5, |sum, &(y, d)| (y as f64).mul_add(1.0 / d as f64, sum)) as u64
    };
    let mut quotients = vec![0; ring.n()];
    ring.converter(&from, &to).quotients_into(&mut quotients, &[operand.limb(0), operand.limb(1)]);
    let different = (0..ring.n()).filter(|&i| fused(i) != quotients[i]).count();
    assert!(different > 10, "{different} of the quotients show how they are rounded");
    let expected = converted(&ring, &from, &to, &operand);
    for (name, device) in devices(&ring, 4) {
        let source = operand.to_device(&ring, &device);
        let out = ring.zero::<Eval>(&to).to_device(&ring, &device);
        let [sources, targets] = [&source, &out].map(|poly| poly.on_device().limbs.to_vec());
        device
            .run(Call::Convert(vec![Conversion { from: from.clone(), to: to.clone(), sources, targets }]))
            .expect("a launch");
        assert_same(&out.to_host(&ring), &expected, &name);
    }
}

#[test]
fn a_missing_barrier_of_conversions_is_found() {
    let ring = ring_of(10, &[(40, 3)]);
    let host = Host::new(Memory::CheckedWithoutBarriers, Order::Forward);
    let arena = arena(host, &ring, Arithmetic::Integers, 3);
    let limbs = arena.take(3).expect("limbs");
    limbs.iter().for_each(|&limb| arena.write(limb, &vec![1; ring.n()]).expect("an upload"));
    let [from, to] = [PrimeSet::new([0, 1]), PrimeSet::new([2])];
    let (sources, targets): (Vec<DeviceLimb>, _) = (limbs[..2].to_vec(), limbs[2..].to_vec());
    let fault = arena.convert(&[Conversion { from, to, sources, targets }]);
    match fault {
        Err(Error::Fault { name, fault }) => {
            assert_eq!((name.as_str(), fault.kind, fault.memory.as_str()), ("convert", FaultKind::Race, "from"));
        }
        other => panic!("{other:?}"),
    }
}

/// Primes 0–5 of 48 bits, 6 and 7 of 36, 8 of 24.
fn small_ring(log_n: u32) -> Ring {
    ring_of(log_n, &[(48, 6), (36, 2), (24, 1)])
}

#[test]
fn rescaling_has_the_bits_of_the_ring() {
    let ring = small_ring(12);
    let sets =
        [vec![0, 1, 2, 3, 4], vec![0, 1, 2, 6], vec![0, 6, 8], vec![3], vec![4, 5, 6, 7, 8], vec![0, 1, 2, 3, 4, 8]];
    let sets = sets.map(PrimeSet::new);
    for (name, device) in devices(&ring, 60) {
        for from in &sets {
            for to in &sets {
                let all = vec![random(&ring, from, 11), largest(&ring, from)];
                let uploaded = all.iter().map(|a| a.to_device(&ring, &device)).collect();
                let got = ring.rescale_many(uploaded, to);
                for (got, expected) in got.iter().zip(ring.rescale_many(all, to)) {
                    let context = format!("{from:?} -> {to:?}, {name}");
                    assert_same(&got.to_host(&ring), &expected, &context);
                }
            }
        }
        assert_eq!(device.take(60).expect("every limb is free again").len(), 60);
    }
}

/// A key's rows for tests: uniform bodies, and masks from a seed, held or not.
fn rows(ring: &Ring, set: &PrimeSet, count: u64, expanded: bool) -> ResidueRows {
    let [bodies, masks] = [Seed::from_bytes([1; 32]), Seed::from_bytes([2; 32])];
    let bodies = (0..count).map(|row| PackedPoly::new(&ring.uniform_poly(set, &bodies, row))).collect();
    let rows = ResidueRows::new(masks, bodies, None);
    if expanded { rows.expanded(ring).expect("masks weren't held") } else { rows }
}

/// Digits, their products with a key, and the division by the special primes: every step of a half product of several
/// polynomials, each beside the ring's.
fn half_products_match<D: Device>(ring: &Ring, host: D, arithmetic: Arithmetic, expanded: bool) {
    let context = format!("{host:?}, {arithmetic:?}, log_n = {}", ring.log_n());
    let source = PrimeSet::new([0, 1, 2, 6, 8]);
    let gadget = RnsGadget {
        digits: vec![PrimeSet::new([0, 1]), PrimeSet::new([7]), PrimeSet::new([2, 6]), PrimeSet::new([3, 8])],
        special: PrimeSet::new([4, 5]),
    };
    let key = rows(ring, &ring.all_primes(), 4, expanded);
    let polys = [random(ring, &source, 12), largest(ring, &source)];
    let expected_digits = ring.digits(&gadget, &polys.iter().collect::<Vec<_>>());
    let expected_sums = ring.multiply(&expected_digits.iter().collect::<Vec<_>>(), &key);

    let device: Arc<dyn DeviceRing> = arena(host, ring, arithmetic, 128);
    let uploaded: Vec<Poly<Eval>> = polys.iter().map(|poly| poly.to_device(ring, &device)).collect();
    let digits = ring.digits(&gadget, &uploaded.iter().collect::<Vec<_>>());
    for (digits, expected) in digits.iter().zip(&expected_digits) {
        assert_eq!(digits.len(), expected.len());
        for ((k, digit), (expected_k, expected)) in digits.iter().zip(expected) {
            assert_eq!(k, expected_k);
            assert_same(&digit.to_host(ring), expected, &format!("digit {k:?}, {context}"));
        }
    }
    let sums = ring.multiply(&digits.iter().collect::<Vec<_>>(), &key);
    for (sum, expected) in sums.iter().zip(&expected_sums) {
        for (part, expected) in sum.iter().zip(expected) {
            assert_same(&part.to_host(ring), expected, &format!("sums, {context}"));
        }
    }
    drop(digits);
    let divided = ring.rescale_pairs(sums, &source);
    for (part, expected) in divided.iter().flatten().zip(ring.rescale_pairs(expected_sums, &source).iter().flatten()) {
        assert_same(&part.to_host(ring), expected, &format!("divided, {context}"));
    }
}

#[test]
fn half_products_have_the_bits_of_the_ring() {
    let ring = small_ring(12);
    for arithmetic in [Arithmetic::Integers, Arithmetic::Doubles] {
        for expanded in [false, true] {
            hosts().for_each(|host| half_products_match(&ring, host, arithmetic, expanded));
            interpreters().into_iter().for_each(|device| half_products_match(&ring, device, arithmetic, expanded));
        }
    }
}

#[test]
fn half_products_at_full_size_have_the_bits_of_the_ring() {
    let ring = small_ring(16);
    let host = Host::new(Memory::Plain, Order::Shuffled);
    half_products_match(&ring, host, Arithmetic::Integers, false);
}

#[test]
fn an_arena_without_limbs_says_so() {
    let ring = small_ring(12);
    let arena = arena(Host::new(Memory::Plain, Order::Forward), &ring, Arithmetic::Integers, 10);
    arena.take(9).expect("nine limbs");
    let refused = arena.take(2).expect_err("one limb is left");
    assert_eq!(refused, Error::OutOfLimbs { wanted: 2, free: 1 });
}
