//! Giant steps: the rotations of baby sums, added up before they are divided.

use crate::{Eval, HalfProduct, Poly, PrimeSet, ResidueRows, Ring, RnsGadget};

/// The giant steps of a linear transform, for [`Ring::giant_sums`].
#[derive(Debug)]
pub struct GiantSteps<'a> {
    /// The primes of the ciphertexts.
    pub source: &'a PrimeSet,
    /// The shape of the rotation keys.
    pub gadget: &'a RnsGadget,
    /// The left rotation of each step, with its key's rows but for the step that doesn't rotate.
    pub rotations: Vec<(i64, Option<&'a ResidueRows>)>,
}

impl Ring {
    /// For each ciphertext, the sum of its baby sums' images under their giant steps, over the source and the keys'
    /// special primes: masks are divided by these for the keys' digits, bodies are not, nor is the sum.
    ///
    /// `sums` are [`Ring::baby_sums`]: of each ciphertext, one for each giant step.
    pub fn giant_sums(&self, steps: &GiantSteps<'_>, sums: Vec<Vec<[Poly<Eval>; 2]>>) -> Vec<[Poly<Eval>; 2]> {
        let GiantSteps { source, gadget, rotations } = steps;
        if sums.iter().flatten().flatten().any(Poly::is_there) {
            return self.giant_sums_there(steps, sums);
        }
        let full = source.union(&gadget.special);
        let mut accs: Vec<[Poly<Eval>; 2]> = sums.iter().map(|_| [self.zero(&full), self.zero(&full)]).collect();
        let mut sums: Vec<_> = sums.into_iter().map(Vec::into_iter).collect();
        for (rotation, rows) in rotations {
            let sums = sums.iter_mut().filter_map(Iterator::next);
            let Some(rows) = rows else {
                for ([acc0, acc1], [c0, c1]) in accs.iter_mut().zip(sums) {
                    self.add_assign(acc0, &c0);
                    self.add_assign(acc1, &c1);
                }
                continue;
            };
            let (bodies, masks): (Vec<_>, Vec<_>) = sums.map(|[c0, c1]| (c0, c1)).unzip();
            let masks = self.rescale_many(masks, source);
            let digits = self.digits(gadget, &masks.iter().collect::<Vec<_>>());
            let products = self.multiply(&digits.iter().collect::<Vec<_>>(), rows);
            drop((digits, masks));
            let elt = self.rotation_elt(*rotation);
            for (([acc0, acc1], [mut c0, c1]), body) in accs.iter_mut().zip(products).zip(&bodies) {
                self.add_assign(&mut c0, body);
                self.automorphism_add_assign(acc0, &c0, elt);
                self.automorphism_add_assign(acc1, &c1, elt);
            }
        }
        accs
    }
}
