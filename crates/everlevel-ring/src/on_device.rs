//! The ring's operations on polynomials of a device, composed of the device's calls.
//!
//! Operations on several polynomials are one call of the device for all of them, and so few launches: what the host
//! does giant step by giant step, since its caches are small, a device does for all of them at once.

use std::borrow::Cow;
use std::sync::Arc;

use everlevel_math::Modulus;
use zeroize::Zeroize;

use crate::device::{
    Call, Conversion, DeviceLimb, DeviceRing, Halves, KeyProduct, Lift, Operands, Pointwise, Scaling, Tensor,
    Transform, done, run,
};
use crate::residues::Digits;
use crate::{Basis, Coeff, Eval, OnDevice, Poly, PrimeSet, ResidueRows, Ring};

pub(crate) type Device = Arc<dyn DeviceRing>;

/// The digits of a polynomial that are multiplied with a key, and polynomials whose products with a set of primes are
/// added to the sums, where they have the prime.
pub(crate) struct KeyOperand<'a> {
    pub digits: &'a Digits,
    pub rows: &'a ResidueRows,
    pub addends: Option<([Option<&'a Poly<Eval>>; 2], &'a PrimeSet)>,
}

impl Ring {
    /// Whether a device was made for this ring, or an equal one.
    pub fn is_of(&self, device: &dyn DeviceRing) -> bool {
        let moduli = (0..self.all_primes().len()).map(|i| self.modulus(i).q());
        self.log_n() == device.log_n() && moduli.eq(device.moduli().iter().map(Modulus::q))
    }
}

impl<R: Basis> Poly<R> {
    /// A copy on a device.
    ///
    /// # Panics
    /// If it is on a device, or the device is another ring's.
    #[must_use]
    pub fn to_device(&self, ring: &Ring, device: &Arc<dyn DeviceRing>) -> Self {
        assert!(ring.is_of(&**device), "the device was made for this ring");
        let copy = Self::uninit_there(device, self.set());
        for ((_, to), limb) in copy.on_device().each().zip(self.limbs()) {
            done(device.write(to, limb));
        }
        copy
    }

    /// A copy on the host.
    #[must_use]
    pub fn to_host(&self, ring: &Ring) -> Self {
        let Some(device) = self.device() else { return self.clone() };
        let mut copy = ring.uninit(self.set());
        for (out, (_, from)) in copy.limbs_mut().iter_mut().zip(self.on_device().each()) {
            done(device.read(out, from));
        }
        copy
    }

    /// The zero polynomial on the device of another one.
    pub(crate) fn zero_there(other: &Self, set: &PrimeSet) -> Self {
        let mut zero = Self::uninit_there(&device([other]), set);
        zero.zeroize();
        zero
    }
}

/// This polynomial on a device: itself, or a copy.
pub(crate) fn there<'p, R: Basis>(ring: &Ring, device: &Device, poly: &'p Poly<R>) -> Cow<'p, Poly<R>> {
    match poly.device() {
        Some(_) => Cow::Borrowed(poly),
        None => Cow::Owned(poly.to_device(ring, device)),
    }
}

/// The device of the first polynomial that has one.
pub(crate) fn device_of<'p, R: Basis>(polys: impl IntoIterator<Item = &'p Poly<R>>) -> Option<Device> {
    polys.into_iter().find_map(Poly::device).cloned()
}

/// The device of polynomials of which one has one.
pub(crate) fn device<'p, R: Basis>(polys: impl IntoIterator<Item = &'p Poly<R>>) -> Device {
    device_of(polys).unwrap_or_else(|| unreachable!("a polynomial is on a device"))
}

/// The device of a result and its operands, of which one has one; the result is brought there.
fn device_for<'p, R: Basis>(
    ring: &Ring,
    result: &mut Poly<R>,
    operands: impl IntoIterator<Item = &'p Poly<R>>,
) -> Device {
    let device = device_of([&*result]).unwrap_or_else(|| device(operands));
    if !result.is_there() {
        *result = result.to_device(ring, &device);
    }
    device
}

/// Transforms in place.
fn in_place(a: OnDevice<'_>) -> impl Iterator<Item = Transform> {
    a.each().map(|(prime, limb)| Transform { from: limb, to: limb, prime })
}

impl Ring {
    pub(crate) fn forward_there<R: Basis>(&self, a: &Poly<R>) {
        run(&device([a]), Call::Forward(in_place(a.on_device()).collect()));
    }

    pub(crate) fn inverse_there<R: Basis>(&self, a: &Poly<R>) {
        let transforms: Vec<Transform> = in_place(a.on_device()).collect();
        let ones = vec![1; transforms.len()];
        run(&device([a]), Call::InverseScaled(transforms, ones));
    }

    /// `acc = f(a, b)`, with `acc` in the place of an `a` that isn't given.
    pub(crate) fn pointwise_there<R: Basis>(
        &self,
        operation: Pointwise,
        acc: &mut Poly<R>,
        a: Option<&Poly<R>>,
        b: &Poly<R>,
    ) {
        let device = &device_for(self, acc, a.into_iter().chain([b]));
        let (a, b) = (a.map(|a| there(self, device, a)), there(self, device, b));
        let (to, b) = (acc.on_device(), b.on_device());
        let a = a.as_ref().map_or(to, |a| a.on_device());
        let operands = |(prime, to)| Operands { to, a: a.limb(prime), b: b.limb(prime), prime };
        run(device, Call::Pointwise(operation, to.each().map(operands).collect()));
    }

    /// `a *= c` for an integer given by its residues.
    pub(crate) fn scale_there<R: Basis>(&self, a: &mut Poly<R>, c: impl Fn(&Modulus) -> u64) {
        let device = &device([&*a]);
        let operands = |(prime, to)| Operands { to, a: to, b: to, prime };
        let all: Vec<Operands> = a.on_device().each().map(operands).collect();
        let factors = self.factors(&all, |i| c(self.modulus(i)));
        run(device, Call::Scaling(Scaling::Scale, all, factors));
    }

    /// `acc += a·c` at the primes of `a`, for an integer given by its residues at primes.
    pub(crate) fn scale_add_there<R: Basis>(&self, acc: &mut Poly<R>, a: &Poly<R>, c: impl Fn(usize) -> u64) {
        let device = &device_for(self, acc, [a]);
        let a = there(self, device, a);
        let a = a.on_device();
        let operands = |(prime, to)| a.set.contains(prime).then(|| Operands { to, a: a.limb(prime), b: to, prime });
        let all: Vec<Operands> = acc.on_device().each().filter_map(operands).collect();
        let factors = self.factors(&all, c);
        run(device, Call::Scaling(Scaling::ScaleAdd, all, factors));
    }

    fn factors(&self, all: &[Operands], c: impl Fn(usize) -> u64) -> Vec<u64> {
        all.iter().map(|operands| c(operands.prime)).collect()
    }

    /// An operation with a residue for each half of a limb.
    pub(crate) fn halves_there(
        &self,
        operation: Halves,
        p: &mut Poly<Eval>,
        residues: impl Fn(&Modulus, usize) -> [u64; 2],
    ) {
        let device = &device([&*p]);
        let all: Vec<(usize, DeviceLimb)> = p.on_device().each().collect();
        let residues: Vec<[u64; 2]> = all.iter().map(|&(prime, _)| residues(self.modulus(prime), prime)).collect();
        run(device, Call::Halves(operation, all, residues));
    }

    pub(crate) fn automorphism_there(&self, a: &Poly<Eval>, galois_elt: u64) -> Poly<Eval> {
        let device = &device([a]);
        let out = Poly::uninit_there(device, a.set());
        let from = a.on_device();
        let operands = |(prime, to)| Operands { to, a: from.limb(prime), b: to, prime };
        run(device, Call::Automorphism(out.on_device().each().map(operands).collect(), galois_elt));
        out
    }

    pub(crate) fn lift_there(&self, a: &Poly<Coeff>, target: &PrimeSet) -> Poly<Coeff> {
        let device = &device([a]);
        let out = Poly::uninit_there(device, target);
        let (from_prime, from) =
            a.on_device().each().next().unwrap_or_else(|| unreachable!("a lift is from one prime"));
        let lift = |(to_prime, to)| Lift { from, from_prime, to, to_prime };
        run(device, Call::Lift(out.on_device().each().map(lift).collect()));
        out
    }

    pub(crate) fn tensor_there(&self, a: [&Poly<Eval>; 2], b: [&Poly<Eval>; 2]) -> [Poly<Eval>; 3] {
        let device = &device(a.into_iter().chain(b));
        let set = a[0].set();
        let out: [Poly<Eval>; 3] = std::array::from_fn(|_| Poly::uninit_there(device, set));
        let (a, b) = (a.map(|x| there(self, device, x)), b.map(|x| there(self, device, x)));
        let (a, b) = (a.each_ref().map(|x| x.on_device()), b.each_ref().map(|x| x.on_device()));
        let one = |&prime: &usize| Tensor {
            to: out.each_ref().map(|part| part.on_device().limb(prime)),
            a: a.map(|part| part.limb(prime)),
            b: b.map(|part| part.limb(prime)),
            prime,
        };
        run(device, Call::Tensor(set.indices().iter().map(one).collect()));
        out
    }

    /// [`Ring::mod_up`].
    pub(crate) fn mod_up_there(
        &self,
        all: &[&Poly<Eval>],
        digits: &[PrimeSet],
        special: &PrimeSet,
    ) -> Vec<Vec<(usize, Poly<Eval>)>> {
        let device = &device([all[0]]);
        let all: Vec<_> = all.iter().map(|a| there(self, device, a)).collect();
        let full = all[0].set().union(special);
        let parts: Vec<(usize, PrimeSet, PrimeSet)> = digits
            .iter()
            .enumerate()
            .map(|(k, digit)| (k, digit.intersection(all[0].set())))
            .filter(|(_, own)| !own.is_empty())
            .map(|(k, own)| {
                let others = full.difference(&own);
                (k, own, others)
            })
            .collect();
        let part_of_each = || all.iter().flat_map(|a| parts.iter().map(move |part| (a, part)));
        let ups: Vec<Poly<Eval>> = part_of_each().map(|_| Poly::uninit_there(device, &full)).collect();
        let sources: Vec<_> = part_of_each().map(|(a, (_, own, others))| (a.on_device(), own, others)).collect();
        let scaled = self.scaled_sources_there(device, &sources, |_| 1);

        let (mut conversions, mut transforms, mut copies) = (Vec::new(), Vec::new(), Vec::new());
        for ((out, (a, (_, own, others))), scaled) in ups.iter().zip(part_of_each()).zip(&scaled) {
            let (a, out) = (a.on_device(), out.on_device());
            let targets: Vec<DeviceLimb> = others.indices().iter().map(|&i| out.limb(i)).collect();
            transforms.extend(in_place(OnDevice { set: others, limbs: &targets }));
            copies.extend(own.indices().iter().map(|&i| [out.limb(i), a.limb(i)]));
            let sources = scaled.on_device().limbs.to_vec();
            conversions.push(Conversion { from: own.clone(), to: others.clone(), sources, targets });
        }
        run(device, Call::Convert(conversions));
        run(device, Call::Forward(transforms));
        run(device, Call::Copy(copies));
        let mut ups = ups.into_iter();
        let mut digit = |(k, _, _): &(usize, _, _)| Some((*k, ups.next()?));
        all.iter().map(|_| parts.iter().filter_map(&mut digit).collect()).collect()
    }

    /// [`Ring::rescale_many`].
    pub(crate) fn rescale_many_there(&self, all: Vec<Poly<Eval>>, target: &PrimeSet) -> Vec<Poly<Eval>> {
        let device = &device([&all[0]]);
        let all: Vec<_> = all.iter().map(|a| there(self, device, a)).collect();
        let old = all[0].set().clone();
        let (dropped, gained) = (old.difference(target), target.difference(&old));
        let results: Vec<Poly<Eval>> = all.iter().map(|_| Poly::uninit_there(device, target)).collect();
        if dropped.is_empty() {
            // Without a division: primes that are gained have zeros.
            let (mut kept, mut new) = (Vec::new(), Vec::new());
            for (a, out) in all.iter().zip(&results) {
                for (prime, to) in out.on_device().each() {
                    match old.contains(prime).then(|| a.on_device().limb(prime)) {
                        Some(a) => kept.push(Operands { to, a, b: a, prime }),
                        None => new.push(to),
                    }
                }
            }
            let factors = self.factors(&kept, |i| self.product_mod(&gained, i));
            run(device, Call::Scaling(Scaling::Scale, kept, factors));
            run(device, Call::Clear(new));
            return results;
        }
        let sources: Vec<_> = all.iter().map(|a| (a.on_device(), &dropped, target)).collect();
        let scaled = self.scaled_sources_there(device, &sources, |i| self.product_mod(&gained, i));
        let (mut transforms, mut conversions) = (Vec::new(), Vec::new());
        for (out, scaled) in results.iter().zip(&scaled) {
            let (sources, targets) = (scaled.on_device().limbs.to_vec(), out.on_device().limbs.to_vec());
            transforms.extend(in_place(out.on_device()));
            conversions.push(Conversion { from: dropped.clone(), to: target.clone(), sources, targets });
        }
        run(device, Call::Convert(conversions));
        run(device, Call::Forward(transforms));
        // (a·N − r)/D where the prime stays, −r/D where it is new.
        let inverse = |i: usize| self.modulus(i).inv(self.product_mod(&dropped, i));
        let (mut combined, mut factors) = (Vec::new(), Vec::new());
        for (a, out) in all.iter().zip(&results) {
            for (prime, to) in out.on_device().each() {
                let (m, inverse) = (self.modulus(prime), inverse(prime));
                let (a, w) = match old.contains(prime) {
                    true => (a.on_device().limb(prime), m.mul(self.product_mod(&gained, prime), inverse)),
                    false => (to, 0),
                };
                combined.push(Operands { to, a, b: to, prime });
                factors.extend([w, m.neg(inverse)]);
            }
        }
        run(device, Call::Scaling(Scaling::Combine, combined, factors));
        results
    }

    /// For each polynomial and pair of sets, its limbs over the first in coefficient representation, times the scales
    /// of the conversion to the second and `factor(prime)`.
    fn scaled_sources_there(
        &self,
        device: &Device,
        sources: &[(OnDevice<'_>, &PrimeSet, &PrimeSet)],
        factor: impl Fn(usize) -> u64,
    ) -> Vec<Poly<Coeff>> {
        let (mut transforms, mut constants, mut scaled) = (Vec::new(), Vec::new(), Vec::new());
        for (a, from, others) in sources {
            let out = Poly::uninit_there(device, from);
            let converter = self.converter(from, others);
            for ((prime, to), &scale) in out.on_device().each().zip(converter.scale()) {
                transforms.push(Transform { from: a.limb(prime), to, prime });
                constants.push(self.modulus(prime).mul(scale, factor(prime)));
            }
            scaled.push(out);
        }
        run(device, Call::InverseScaled(transforms, constants));
        scaled
    }

    /// The products of digits with a key.
    pub(crate) fn multiply_there(&self, all: &[&Digits], rows: &ResidueRows) -> Vec<[Poly<Eval>; 2]> {
        let operands: Vec<KeyOperand> = all.iter().map(|digits| KeyOperand { digits, rows, addends: None }).collect();
        self.key_products_there(&device([&all[0][0].1]), &operands)
    }

    /// The products of digits with a key, and added to them polynomials times the product of a set of primes.
    pub(crate) fn multiply_onto_there(
        &self,
        all: &[&Digits],
        rows: &ResidueRows,
        (addends, factor): (&[[Option<&Poly<Eval>>; 2]], &PrimeSet),
    ) -> Vec<[Poly<Eval>; 2]> {
        let device = &device([&all[0][0].1]);
        let addends: Vec<_> = addends.iter().map(|pair| pair.map(|x| x.map(|x| there(self, device, x)))).collect();
        let mut operands = Vec::new();
        for (&digits, addend) in all.iter().zip(&addends) {
            let addend = addend.each_ref().map(Option::as_deref);
            operands.push(KeyOperand { digits, rows, addends: Some((addend, factor)) });
        }
        self.key_products_there(device, &operands)
    }

    /// The products of digits with keys, all at once.
    pub(crate) fn key_products_there(&self, device: &Device, operands: &[KeyOperand<'_>]) -> Vec<[Poly<Eval>; 2]> {
        let sums: Vec<[Poly<Eval>; 2]> = operands
            .iter()
            .map(|operand| std::array::from_fn(|_| Poly::uninit_there(device, operand.digits[0].1.set())))
            .collect();
        let mut products = Vec::new();
        for (KeyOperand { digits, rows, addends }, [body, mask]) in operands.iter().zip(&sums) {
            let held = rows.on_device(self, &**device);
            for (prime, to) in body.on_device().each() {
                let term = |digit: &Poly<Eval>, row: usize| {
                    (digit.on_device().limb(prime), [0, 1].map(|part| held.at(2 * row + part, prime)))
                };
                let terms = digits.iter().flat_map(|(rows, digit)| rows.iter().map(move |&row| term(digit, row)));
                let at_prime = |poly: &Poly<Eval>| poly.set().contains(prime).then(|| poly.on_device().limb(prime));
                products.push(KeyProduct {
                    to: [to, mask.on_device().limb(prime)],
                    prime,
                    terms: terms.collect(),
                    addends: addends.map_or([None; 2], |(polys, _)| polys.map(|poly| poly.and_then(at_prime))),
                    factor: addends.map_or(0, |(_, factor)| self.product_mod(factor, prime)),
                });
            }
        }
        run(device, Call::KeyProducts(products));
        sums
    }

    /// `a·∏factor`, over the primes of `a`.
    pub(crate) fn times_product_there(&self, device: &Device, a: &Poly<Eval>, factor: &PrimeSet) -> Poly<Eval> {
        let out = Poly::uninit_there(device, a.set());
        let from = a.on_device();
        let operands = |(prime, to)| Operands { to, a: from.limb(prime), b: to, prime };
        let all: Vec<Operands> = out.on_device().each().map(operands).collect();
        let factors = self.factors(&all, |i| self.product_mod(factor, i));
        run(device, Call::Scaling(Scaling::Scale, all, factors));
        out
    }
}
