//! Sums of rotated ciphertexts times plaintexts on a device.

use std::borrow::Cow;
use std::sync::Arc;

use super::{BabySteps, Diagonal, GiantSteps, PackedTerm};
use crate::device::{Call, DiagonalSums, DiagonalTerm, Held, Plain, run};
use crate::on_device::{Device, KeyOperand, device, there};
use crate::{Eval, HalfProduct, Poly, PrimeSet, ResidueRows, Ring};

/// A term of sums.
struct Term<'a> {
    /// Both parts of a ciphertext.
    x: [&'a Poly<Eval>; 2],
    /// The automorphism under which they are multiplied.
    galois_elt: u64,
    /// The plaintext of each sum.
    y: Vec<Factor>,
}

/// A plaintext on a device.
enum Factor {
    Zero,
    One,
    Held(Arc<Held>),
}

impl Ring {
    /// [`Ring::inner_products_packed`].
    pub(crate) fn inner_products_there(&self, set: &PrimeSet, sums: &[Vec<PackedTerm<'_>>]) -> Vec<[Poly<Eval>; 2]> {
        let device = &device(sums.iter().flatten().flat_map(|(ct, _)| ct).copied());
        let cts: Vec<Vec<[Cow<'_, Poly<Eval>>; 2]>> = sums
            .iter()
            .map(|terms| terms.iter().map(|(x, _)| x.map(|part| there(self, device, part))).collect())
            .collect();
        let terms: Vec<Vec<Term>> = cts
            .iter()
            .zip(sums)
            .map(|(cts, terms)| {
                let each = cts.iter().zip(terms);
                each.map(|(x, (_, y))| Term {
                    x: x.each_ref().map(|part| &**part),
                    galois_elt: 1,
                    y: vec![Factor::Held(y.on_device(self, &**device))],
                })
                .collect()
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
        let device = &device(rotated[0].iter().flatten().copied());
        let of_ct = |ct: usize| {
            let term = |(diagonal, cts): (&Option<Diagonal>, &Vec<_>)| {
                let y = vec![Factor::Held(diagonal.as_ref()?.on_device(self, &**device, source))];
                Some(Term { x: cts[ct], galois_elt: 1, y })
            };
            row.iter().zip(rotated).filter_map(term).collect()
        };
        let terms: Vec<Vec<Term>> = (0..rotated[0].len()).map(of_ct).collect();
        self.diagonal_sums_there(device, source, &terms)
    }

    /// [`Ring::baby_sums`].
    pub(crate) fn baby_sums_there(&self, steps: &BabySteps<'_>, cts: &[[&Poly<Eval>; 2]]) -> Vec<Vec<[Poly<Eval>; 2]>> {
        let device = &device(cts.iter().flatten().copied());
        let special = &steps.gadget.special;
        let full = steps.source.union(special);
        let cts: Vec<_> = cts.iter().map(|ct| ct.map(|part| there(self, device, part))).collect();
        let cts: Vec<[&Poly<Eval>; 2]> = cts.iter().map(|ct| ct.each_ref().map(|part| &**part)).collect();
        let digits = steps.digits(self, &cts);
        // By ciphertext and rotation: <digits, key> + (P·c0, 0), or (P·c0, P·c1) over the source's primes.
        let mut operands = Vec::new();
        for (ct, digits) in cts.iter().zip(&digits) {
            let rows = steps.rotations.iter().filter_map(|(_, rows)| *rows);
            let addends = Some(([Some(ct[0]), None], special));
            operands.extend(rows.map(|rows| KeyOperand { digits, rows, addends }));
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
                    let factor = |row: &Vec<Option<Diagonal>>| match &row[baby] {
                        Some(diagonal) => Factor::Held(diagonal.on_device(self, &**device, &full)),
                        None => Factor::Zero,
                    };
                    let y = steps.diagonals.iter().map(factor).collect();
                    Term { x: x.each_ref(), galois_elt: self.rotation_elt(*r), y }
                })
                .collect()
            })
            .collect();
        self.shared_sums_there(device, (&full, steps.diagonals.len()), &terms)
    }

    /// [`Ring::giant_sums`], for all giant steps at once.
    pub(crate) fn giant_sums_there(
        &self,
        GiantSteps { source, gadget, rotations: giants }: &GiantSteps<'_>,
        sums: Vec<Vec<[Poly<Eval>; 2]>>,
    ) -> Vec<[Poly<Eval>; 2]> {
        let device = &device(sums.iter().flatten().flatten());
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
        let rows = || giants.iter().filter_map(|(_, rows)| *rows);
        let products = match masks.is_empty() {
            true => Vec::new(),
            false => {
                let masks = self.rescale_many_there(masks, source);
                let masks: Vec<&Poly<Eval>> = masks.iter().collect();
                let digits = self.digits(gadget, &masks);
                let each = digits.iter().zip(&bodies).zip(unmoved.iter().flat_map(|_| rows()));
                let operands: Vec<KeyOperand> = each
                    .map(|((digits, body), rows)| KeyOperand {
                        digits,
                        rows,
                        addends: Some(([Some(body), None], &one)),
                    })
                    .collect();
                self.key_products_there(device, &operands)
            }
        };
        drop(bodies);
        let moved_count = rows().count();
        let terms: Vec<Vec<Term>> = unmoved
            .iter()
            .enumerate()
            .map(|(ct, still)| {
                let moved = &products[ct * moved_count..][..moved_count];
                let elts = giants.iter().filter(|(_, rows)| rows.is_some()).map(|(r, _)| self.rotation_elt(*r));
                let still = still.iter().map(|x| (x, 1));
                let all = still.chain(moved.iter().zip(elts));
                all.map(|(x, galois_elt)| Term { x: x.each_ref(), galois_elt, y: vec![Factor::One] }).collect()
            })
            .collect();
        self.diagonal_sums_there(device, &full, &terms)
    }

    /// One sum for each list of terms.
    fn diagonal_sums_there(&self, device: &Device, set: &PrimeSet, terms: &[Vec<Term<'_>>]) -> Vec<[Poly<Eval>; 2]> {
        self.shared_sums_there(device, (set, 1), terms).into_iter().flatten().collect()
    }

    /// For each list of terms, so many sums over a set. At primes that it lacks, a term's ciphertext is zero.
    fn shared_sums_there(
        &self,
        device: &Device,
        (set, count): (&PrimeSet, usize),
        terms: &[Vec<Term<'_>>],
    ) -> Vec<Vec<[Poly<Eval>; 2]>> {
        let sum = |_| std::array::from_fn(|_| Poly::uninit_there(device, set));
        let sums: Vec<Vec<[Poly<Eval>; 2]>> = terms.iter().map(|_| (0..count).map(sum).collect()).collect();
        let at = |prime: usize, parts: [&Poly<Eval>; 2]| parts.map(|part| part.on_device().limb(prime));
        let term = |prime: usize, term: &Term<'_>| {
            let plain = |factor: &Factor| match factor {
                Factor::Zero => Plain::Zero,
                Factor::One => Plain::One,
                Factor::Held(held) => Plain::Packed { piece: held.at(0, prime), log2_run: held.log2_run() },
            };
            let y = term.y.iter().map(plain).collect();
            term.x[0].set().contains(prime).then(|| DiagonalTerm {
                x: at(prime, term.x),
                galois_elt: term.galois_elt,
                y,
            })
        };
        // Sums at one prime follow one another, since they read the same ciphertexts.
        let jobs = set.indices().iter().flat_map(|&prime| {
            sums.iter().zip(terms).map(move |(sums, terms)| DiagonalSums {
                to: sums.iter().map(|sum| at(prime, sum.each_ref())).collect(),
                prime,
                terms: terms.iter().filter_map(|x| term(prime, x)).collect(),
            })
        });
        run(device, Call::DiagonalSums(jobs.collect()));
        sums
    }
}
