//! The ring's operations on polynomials of a device, composed of the device's.
//!
//! Operations on several polynomials are one call of the device for all of them, and so few launches: what the host
//! does giant step by giant step, since its caches are small, a device does for all of them at once.

use std::borrow::Cow;
use std::sync::Arc;

use everlevel_math::Modulus;
use zeroize::Zeroize;

use crate::device::{
    Conversion, DeviceLimb, DeviceMemory, DeviceRing, DiagonalSums, DiagonalTerm, Halves, KeyProduct, Lift, OnDevice,
    Operands, Plain, Pointwise, Recorder, Recording, Recordings, Scaling, Tensor, Transform, Turn, device_for,
    device_of, there,
};
use crate::held::{DeviceLimbs, done};
use crate::{BabySteps, Basis, Coeff, Diagonal, Eval, GiantSteps, PackedTerm, Poly, PrimeSet, ResidueRows, Ring};

type Device = Arc<dyn DeviceRing>;

/// Digits of a polynomial, each with its row's index.
type Digits = Vec<(usize, Poly<Eval>)>;

/// An operand of products with the rows of keys: [`KeyProduct`] without its results.
struct KeyOperand<'a> {
    digits: &'a Digits,
    rows: &'a ResidueRows,
    addends: Option<([Option<&'a Poly<Eval>>; 2], &'a PrimeSet)>,
}

impl<R: Basis> Poly<R> {
    fn uninit_there(device: &Device, set: &PrimeSet) -> Self {
        let memory: Arc<dyn DeviceMemory> = Arc::clone(device) as _;
        Self::from_device(set.clone(), DeviceLimbs::take(&memory, set.len()))
    }

    /// The zero polynomial on the device of another one.
    pub(crate) fn zero_there(other: &Self, set: &PrimeSet) -> Self {
        let mut zero = Self::uninit_there(&device(other), set);
        zero.zeroize();
        zero
    }
}

/// The device of a polynomial that has one.
fn device<R: Basis>(poly: &Poly<R>) -> Device {
    device_of([poly]).unwrap_or_else(|| unreachable!("the polynomial is on a device"))
}

/// Transforms in place.
fn in_place(a: OnDevice<'_>) -> impl Iterator<Item = Transform> {
    a.each().map(|(prime, limb)| Transform { from: limb, to: limb, prime })
}

impl Ring {
    /// The results of work on polynomials over one set of primes or several. A device records it at the first time,
    /// under this name, and does later what it recorded: work of one name is the same operations with the same keys and
    /// plaintexts, and touches no polynomial but its operands and what it makes itself.
    ///
    /// # Errors
    /// The work's.
    pub fn repeated<E>(
        &self,
        recordings: &Recordings,
        name: impl FnOnce() -> String,
        operands: Vec<Poly<Eval>>,
        work: impl FnOnce(Vec<Poly<Eval>>) -> Result<Vec<Poly<Eval>>, E>,
    ) -> Result<Vec<Poly<Eval>>, E> {
        let Some(device) = &device_of(&operands) else { return work(operands) };
        let operands: Vec<_> = operands.iter().map(|operand| there(self, device, operand)).collect();
        let _turn = Turn::of(device);
        let recording = recordings.of((device.id(), name()), || {
            let recorder = Recorder::begin(device);
            let inside = operands.iter().map(|operand| Poly::uninit_there(device, operand.set()));
            let inside: Vec<Poly<Eval>> = inside.collect();
            let inputs = inside.iter().map(|poly| poly.on_device().limbs.to_vec()).collect();
            let results = work(inside)?;
            let outputs = results.iter().map(|poly| (poly.set().clone(), poly.on_device().limbs.to_vec())).collect();
            Ok(Recording { inputs, outputs, calls: recorder.end() })
        })?;
        let pairs = |to: &[DeviceLimb], from: &[DeviceLimb]| -> Vec<[DeviceLimb; 2]> {
            to.iter().zip(from).map(|(&to, &from)| [to, from]).collect()
        };
        let given = operands.iter().zip(&recording.inputs);
        let given: Vec<_> = given.flat_map(|(poly, limbs)| pairs(limbs, poly.on_device().limbs)).collect();
        done(device.copy(&given));
        done(device.replay(&*recording.calls));
        let results: Vec<Poly<Eval>> =
            recording.outputs.iter().map(|(set, _)| Poly::uninit_there(device, set)).collect();
        let taken = results.iter().zip(&recording.outputs);
        let taken: Vec<_> = taken.flat_map(|(poly, (_, limbs))| pairs(poly.on_device().limbs, limbs)).collect();
        done(device.copy(&taken));
        Ok(results)
    }

    pub(crate) fn forward_there<R: Basis>(&self, a: &Poly<R>) {
        done(device(a).forward(self, &in_place(a.on_device()).collect::<Vec<_>>()));
    }

    pub(crate) fn inverse_there<R: Basis>(&self, a: &Poly<R>) {
        let transforms: Vec<Transform> = in_place(a.on_device()).collect();
        done(device(a).inverse_scaled(self, &transforms, &vec![1; transforms.len()]));
    }

    /// `acc = f(a, b)`, with `acc` in the place of an `a` that isn't given; whether it is a device's work.
    pub(crate) fn pointwise_there<R: Basis>(
        &self,
        operation: Pointwise,
        acc: &mut Poly<R>,
        a: Option<&Poly<R>>,
        b: &Poly<R>,
    ) -> bool {
        let Some(device) = device_for(self, acc, a.into_iter().chain([b])) else { return false };
        let (a, b) = (a.map(|a| there(self, &device, a)), there(self, &device, b));
        let (to, b) = (acc.on_device(), b.on_device());
        let a = a.as_ref().map_or(to, |a| a.on_device());
        let operands = |(prime, to)| Operands { to, a: a.limb(prime), b: b.limb(prime), prime };
        done(device.pointwise(self, operation, &to.each().map(operands).collect::<Vec<_>>()));
        true
    }

    /// `a *= c` for an integer given by its residues; whether it is a device's work.
    pub(crate) fn scale_there<R: Basis>(&self, a: &mut Poly<R>, c: impl Fn(&Modulus) -> u64) -> bool {
        let Some(device) = device_of([&*a]) else { return false };
        let operands = |(prime, to)| Operands { to, a: to, b: to, prime };
        let all: Vec<Operands> = a.on_device().each().map(operands).collect();
        done(device.scaling(self, Scaling::Scale, &all, &self.factors(&all, |i| c(self.modulus(i)))));
        true
    }

    /// `acc += a·c` at the primes of `a`, for an integer given by its residues at primes; whether it is a device's
    /// work.
    pub(crate) fn scale_add_there<R: Basis>(&self, acc: &mut Poly<R>, a: &Poly<R>, c: impl Fn(usize) -> u64) -> bool {
        let Some(device) = device_for(self, acc, [a]) else { return false };
        let a = there(self, &device, a);
        let a = a.on_device();
        let operands = |(prime, to)| a.set.contains(prime).then(|| Operands { to, a: a.limb(prime), b: to, prime });
        let all: Vec<Operands> = acc.on_device().each().filter_map(operands).collect();
        done(device.scaling(self, Scaling::ScaleAdd, &all, &self.factors(&all, c)));
        true
    }

    fn factors(&self, all: &[Operands], c: impl Fn(usize) -> u64) -> Vec<u64> {
        all.iter().map(|operands| c(operands.prime)).collect()
    }

    /// An operation with a residue for each half of a limb; whether it is a device's work.
    pub(crate) fn halves_there(
        &self,
        operation: Halves,
        p: &mut Poly<Eval>,
        residues: impl Fn(&Modulus, usize) -> [u64; 2],
    ) -> bool {
        let Some(device) = device_of([&*p]) else { return false };
        let all: Vec<(usize, DeviceLimb)> = p.on_device().each().collect();
        let residues: Vec<[u64; 2]> = all.iter().map(|&(prime, _)| residues(self.modulus(prime), prime)).collect();
        done(device.halves(self, operation, &all, &residues));
        true
    }

    pub(crate) fn automorphism_there(&self, a: &Poly<Eval>, galois_elt: u64) -> Poly<Eval> {
        let device = &device(a);
        let out = Poly::uninit_there(device, a.set());
        let from = a.on_device();
        let operands = |(prime, to)| Operands { to, a: from.limb(prime), b: to, prime };
        done(device.automorphism(self, &out.on_device().each().map(operands).collect::<Vec<_>>(), galois_elt));
        out
    }

    pub(crate) fn lift_there(&self, a: &Poly<Coeff>, target: &PrimeSet) -> Poly<Coeff> {
        let device = &device(a);
        let out = Poly::uninit_there(device, target);
        let (from_prime, from) =
            a.on_device().each().next().unwrap_or_else(|| unreachable!("a lift is from one prime"));
        let lift = |(to_prime, to)| Lift { from, from_prime, to, to_prime };
        done(device.lift(self, &out.on_device().each().map(lift).collect::<Vec<_>>()));
        out
    }

    pub(crate) fn tensor_there(&self, a: [&Poly<Eval>; 2], b: [&Poly<Eval>; 2]) -> [Poly<Eval>; 3] {
        let device = &device_of(a.into_iter().chain(b)).unwrap_or_else(|| unreachable!("an operand is there"));
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
        done(device.tensor(self, &set.indices().iter().map(one).collect::<Vec<_>>()));
        out
    }

    /// [`Ring::mod_up`].
    pub(crate) fn mod_up_there(&self, all: &[&Poly<Eval>], digits: &[PrimeSet], special: &PrimeSet) -> Vec<Digits> {
        let device = &device(all[0]);
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
            conversions.push(Conversion { from: own, to: others, sources: scaled.on_device().limbs.to_vec(), targets });
        }
        done(device.convert(self, &conversions));
        done(device.forward(self, &transforms));
        done(device.copy(&copies));
        let mut ups = ups.into_iter();
        let mut digit = |(k, _, _): &(usize, _, _)| Some((*k, ups.next()?));
        all.iter().map(|_| parts.iter().filter_map(&mut digit).collect()).collect()
    }

    /// [`Ring::rescale_many`].
    pub(crate) fn rescale_many_there(&self, all: Vec<Poly<Eval>>, target: &PrimeSet) -> Vec<Poly<Eval>> {
        let device = &device(&all[0]);
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
            done(device.scaling(self, Scaling::Scale, &kept, &factors));
            done(device.clear(&new));
            return results;
        }
        let sources: Vec<_> = all.iter().map(|a| (a.on_device(), &dropped, target)).collect();
        let scaled = self.scaled_sources_there(device, &sources, |i| self.product_mod(&gained, i));
        let (mut transforms, mut conversions) = (Vec::new(), Vec::new());
        for (out, scaled) in results.iter().zip(&scaled) {
            let (sources, targets) = (scaled.on_device().limbs.to_vec(), out.on_device().limbs.to_vec());
            transforms.extend(in_place(out.on_device()));
            conversions.push(Conversion { from: &dropped, to: target, sources, targets });
        }
        done(device.convert(self, &conversions));
        done(device.forward(self, &transforms));
        // (a·N − r)/D where the prime stays, −r/D where it is new.
        let inverse = |i: usize| self.modulus(i).inv(self.product_mod(&dropped, i));
        let (mut kept, mut new) = (Vec::new(), Vec::new());
        for (a, out) in all.iter().zip(&results) {
            for (prime, to) in out.on_device().each() {
                match old.contains(prime) {
                    true => kept.push(Operands { to, a: a.on_device().limb(prime), b: to, prime }),
                    false => new.push(Operands { to, a: to, b: to, prime }),
                }
            }
        }
        let both = |o: &Operands| {
            let m = self.modulus(o.prime);
            [m.mul(self.product_mod(&gained, o.prime), inverse(o.prime)), m.neg(inverse(o.prime))]
        };
        let factors: Vec<u64> = kept.iter().flat_map(both).collect();
        done(device.scaling(self, Scaling::Combine, &kept, &factors));
        done(device.scaling(self, Scaling::Scale, &new, &self.factors(&new, |i| self.modulus(i).neg(inverse(i)))));
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
        done(device.inverse_scaled(self, &transforms, &constants));
        scaled
    }

    /// The products of digits with a key.
    pub(crate) fn multiply_there(&self, all: &[&Digits], rows: &ResidueRows) -> Vec<[Poly<Eval>; 2]> {
        let operands: Vec<KeyOperand> = all.iter().map(|digits| KeyOperand { digits, rows, addends: None }).collect();
        self.key_products_there(&device(&all[0][0].1), &operands)
    }

    /// The products of digits with a key, and added to them polynomials times the product of a set of primes.
    pub(crate) fn multiply_onto_there(
        &self,
        all: &[Digits],
        rows: &ResidueRows,
        (addends, factor): (&[[Poly<Eval>; 2]], &PrimeSet),
    ) -> Vec<[Poly<Eval>; 2]> {
        let operand = |(digits, addend)| {
            let addend: &[Poly<Eval>; 2] = addend;
            KeyOperand { digits, rows, addends: Some((addend.each_ref().map(Some), factor)) }
        };
        let operands: Vec<KeyOperand> = all.iter().zip(addends).map(operand).collect();
        self.key_products_there(&device(&all[0][0].1), &operands)
    }

    /// The products of digits with keys, all at once.
    fn key_products_there(&self, device: &Device, operands: &[KeyOperand<'_>]) -> Vec<[Poly<Eval>; 2]> {
        let sums: Vec<[Poly<Eval>; 2]> = operands
            .iter()
            .map(|operand| std::array::from_fn(|_| Poly::uninit_there(device, operand.digits[0].1.set())))
            .collect();
        let products: Vec<KeyProduct> = operands
            .iter()
            .zip(&sums)
            .map(|(KeyOperand { digits, rows, addends }, sum)| KeyProduct {
                to: sum.each_ref().map(Poly::on_device),
                digits,
                rows,
                addends: addends.map(|(polys, factor)| (polys.map(|poly| poly.map(Poly::on_device)), factor)),
            })
            .collect();
        done(device.key_products(self, &products));
        drop(products);
        sums
    }

    /// [`Ring::inner_products_packed`].
    pub(crate) fn inner_products_there(&self, set: &PrimeSet, sums: &[Vec<PackedTerm<'_>>]) -> Vec<[Poly<Eval>; 2]> {
        let device = &device_of(sums.iter().flatten().flat_map(|(ct, _)| ct).copied())
            .unwrap_or_else(|| unreachable!("an operand is there"));
        let cts: Vec<Vec<[Cow<'_, Poly<Eval>>; 2]>> = sums
            .iter()
            .map(|terms| terms.iter().map(|(x, _)| x.map(|part| there(self, device, part))).collect())
            .collect();
        let terms: Vec<Vec<Term>> = cts
            .iter()
            .zip(sums)
            .map(|(cts, terms)| {
                let each = cts.iter().zip(terms);
                each.map(|(x, (_, y))| (x.each_ref().map(|part| &**part), 1, vec![Some(Plain::Packed(y))])).collect()
            })
            .collect();
        self.diagonal_sums_there(device, set, &terms)
    }

    /// [`Ring::row_sums`].
    pub(crate) fn row_sums_there(
        &self,
        source: &PrimeSet,
        row: &[Option<Diagonal>],
        rotated: &[Vec<[&Poly<Eval>; 2]>],
    ) -> Vec<[Poly<Eval>; 2]> {
        let device =
            &device_of(rotated[0].iter().flatten().copied()).unwrap_or_else(|| unreachable!("an operand is there"));
        let of_ct = |ct: usize| {
            let each = row.iter().zip(rotated);
            each.filter_map(|(d, cts)| Some((cts[ct], 1, vec![Some(Plain::Diagonal(d.as_ref()?, source))]))).collect()
        };
        let terms: Vec<Vec<Term>> = (0..rotated[0].len()).map(of_ct).collect();
        self.diagonal_sums_there(device, source, &terms)
    }

    /// [`Ring::baby_sums`].
    pub(crate) fn baby_sums_there(&self, steps: &BabySteps<'_>, cts: &[[&Poly<Eval>; 2]]) -> Vec<Vec<[Poly<Eval>; 2]>> {
        let device = &device_of(cts.iter().flatten().copied()).unwrap_or_else(|| unreachable!("an operand is there"));
        let special = &steps.gadget.special;
        let full = steps.source.union(special);
        let cts: Vec<_> = cts.iter().map(|ct| ct.map(|part| there(self, device, part))).collect();
        let cts: Vec<[&Poly<Eval>; 2]> = cts.iter().map(|ct| ct.each_ref().map(|part| &**part)).collect();
        let rotates = steps.rotations.iter().any(|(_, rows)| rows.is_some());
        let digits = match rotates {
            true => self.mod_up_there(&cts.iter().map(|ct| ct[1]).collect::<Vec<_>>(), &steps.gadget.digits, special),
            false => cts.iter().map(|_| Vec::new()).collect(),
        };
        // By ciphertext and rotation: <digits, key> + (P·c0, 0), or (P·c0, P·c1) over the source's primes.
        let mut operands = Vec::new();
        for (ct, digits) in cts.iter().zip(&digits) {
            let rows = steps.rotations.iter().filter_map(|(_, rows)| *rows);
            operands.extend(rows.map(|rows| KeyOperand {
                digits,
                rows,
                addends: Some(([Some(ct[0]), None], special)),
            }));
        }
        let mut products = self.key_products_there(device, &operands).into_iter();
        drop(operands);
        drop(digits);
        let rotated: Vec<Vec<[Poly<Eval>; 2]>> = cts
            .iter()
            .map(|ct| {
                let one = |(_, rows): &(i64, Option<&ResidueRows>)| match rows {
                    Some(_) => products.next().unwrap_or_else(|| unreachable!("a product for each key")),
                    None => ct.map(|part| self.times_product_there(device, part, special)),
                };
                steps.rotations.iter().map(one).collect()
            })
            .collect();
        let terms: Vec<Vec<Term>> = rotated
            .iter()
            .map(|rotated| {
                let each = rotated.iter().zip(&steps.rotations).enumerate();
                each.map(|(baby, (x, (r, _)))| {
                    let plain = |diagonal| Plain::Diagonal(diagonal, &full);
                    let y = steps.diagonals.iter().map(|row| row[baby].as_ref().map(plain)).collect();
                    (x.each_ref(), self.rotation_elt(*r), y)
                })
                .collect()
            })
            .collect();
        self.shared_sums_there(device, (&full, steps.diagonals.len()), &terms)
    }

    /// `a·∏factor`, over the primes of `a`.
    fn times_product_there(&self, device: &Device, a: &Poly<Eval>, factor: &PrimeSet) -> Poly<Eval> {
        let out = Poly::uninit_there(device, a.set());
        let from = a.on_device();
        let operands = |(prime, to)| Operands { to, a: from.limb(prime), b: to, prime };
        let all: Vec<Operands> = out.on_device().each().map(operands).collect();
        done(device.scaling(self, Scaling::Scale, &all, &self.factors(&all, |i| self.product_mod(factor, i))));
        out
    }

    /// [`Ring::giant_sums`], for all giant steps at once.
    pub(crate) fn giant_sums_there(
        &self,
        GiantSteps { source, gadget, rotations: giants }: &GiantSteps<'_>,
        sums: Vec<Vec<[Poly<Eval>; 2]>>,
    ) -> Vec<[Poly<Eval>; 2]> {
        let device = &device_of(sums.iter().flatten().flatten()).unwrap_or_else(|| unreachable!("an operand is there"));
        let full = source.union(&gadget.special);
        let one = PrimeSet::new([]);
        let (mut bodies, mut masks, mut unmoved) = (Vec::new(), Vec::new(), Vec::new());
        for sums in sums {
            let mut still = Vec::new();
            for ((_, rows), [c0, c1]) in giants.iter().zip(sums) {
                match rows {
                    Some(_) => {
                        bodies.push(c0);
                        masks.push(c1);
                    }
                    None => still.push([c0, c1]),
                }
            }
            unmoved.push(still);
        }
        let masks = match masks.is_empty() {
            true => masks,
            false => self.rescale_many_there(masks, source),
        };
        let digits = match masks.is_empty() {
            true => Vec::new(),
            false => self.mod_up_there(&masks.iter().collect::<Vec<_>>(), &gadget.digits, &gadget.special),
        };
        drop(masks);
        let rows = || giants.iter().filter_map(|(_, rows)| *rows);
        let each = digits.iter().zip(&bodies).zip(unmoved.iter().flat_map(|_| rows()));
        let operands: Vec<KeyOperand> = each
            .map(|((digits, body), rows)| KeyOperand { digits, rows, addends: Some(([Some(body), None], &one)) })
            .collect();
        let products = match operands.is_empty() {
            true => Vec::new(),
            false => self.key_products_there(device, &operands),
        };
        drop(operands);
        drop((digits, bodies));
        let moved_count = rows().count();
        let terms: Vec<Vec<Term>> = unmoved
            .iter()
            .enumerate()
            .map(|(ct, still)| {
                let moved = &products[ct * moved_count..][..moved_count];
                let elts = giants.iter().filter(|(_, rows)| rows.is_some()).map(|(r, _)| self.rotation_elt(*r));
                let still = still.iter().map(|x| (x.each_ref(), 1, vec![Some(Plain::One)]));
                still
                    .chain(moved.iter().zip(elts).map(|(x, elt)| (x.each_ref(), elt, vec![Some(Plain::One)])))
                    .collect()
            })
            .collect();
        self.diagonal_sums_there(device, &full, &terms)
    }

    /// One sum for each list of terms.
    fn diagonal_sums_there(&self, device: &Device, set: &PrimeSet, terms: &[Vec<Term<'_>>]) -> Vec<[Poly<Eval>; 2]> {
        self.shared_sums_there(device, (set, 1), terms).into_iter().flatten().collect()
    }

    /// For each list of terms, so many sums over a set.
    fn shared_sums_there(
        &self,
        device: &Device,
        (set, count): (&PrimeSet, usize),
        terms: &[Vec<Term<'_>>],
    ) -> Vec<Vec<[Poly<Eval>; 2]>> {
        let sum = |_| std::array::from_fn(|_| Poly::uninit_there(device, set));
        let outs: Vec<Vec<[Poly<Eval>; 2]>> = terms.iter().map(|_| (0..count).map(sum).collect()).collect();
        let all: Vec<DiagonalSums> = outs
            .iter()
            .zip(terms)
            .map(|(outs, terms)| DiagonalSums {
                to: outs.iter().map(|out| out.each_ref().map(Poly::on_device)).collect(),
                terms: terms
                    .iter()
                    .map(|(x, elt, y)| DiagonalTerm { x: x.map(Poly::on_device), galois_elt: *elt, y: y.clone() })
                    .collect(),
            })
            .collect();
        done(device.diagonal_sums(self, &all));
        drop(all);
        outs
    }
}

/// A term of sums: both parts of a ciphertext, the automorphism's element, and the plaintext of each sum.
type Term<'a> = ([&'a Poly<Eval>; 2], u64, Vec<Option<Plain<'a>>>);
