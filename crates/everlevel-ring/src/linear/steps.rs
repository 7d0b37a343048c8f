//! The steps of a linear transform: baby steps, which stream keys, and giant steps, the rotations of their sums, which
//! are added up before they are divided.
//!
//! *Order of the work.* Everything before the giant steps is independent for each prime, and for each aligned block of
//! the transform domain up to where the block is read from (see [`everlevel_math::GaloisMap`]). So the outer loop runs
//! over primes, the next over blocks, and the rotated ciphertexts of one block stay in cache while all giant steps read
//! them: keys are streamed once, and nothing else leaves the cache but the sums.

use std::borrow::Cow;
use std::sync::Arc;

use everlevel_math::GaloisMap;
use rayon::prelude::*;

use super::diagonal::{Lifted, Scratch, inner_products};
use crate::residues::{Digits, KeyLimbs, limbs_by_prime};
use crate::{Diagonal, Eval, HalfProduct, Limb, Poly, PrimeSet, ResidueRows, Ring, RnsGadget};

/// Residues of a block: two rotated parts of sixteen baby steps, or the expanded blocks of sixteen terms, fill half a
/// mebibyte.
const BLOCK: usize = 2048;

/// Residues of a block of a product that is turned.
const TURNED_BLOCK: usize = 4096;

/// A ciphertext, body and mask, and the digits of its mask.
struct Input<'a> {
    ct: &'a [&'a Poly<Eval>; 2],
    digits: Digits,
}

/// The baby steps of a linear transform, for [`Ring::baby_sums`].
#[derive(Debug)]
pub struct BabySteps<'a> {
    /// The primes of the ciphertexts.
    pub source: &'a PrimeSet,
    /// The shape of the rotation keys.
    pub gadget: &'a RnsGadget,
    /// The left rotation of each step, with its key's rows but for the step that doesn't rotate.
    pub rotations: Vec<(i64, Option<&'a ResidueRows>)>,
    /// For each giant step, the diagonal of each baby step that has one.
    pub diagonals: &'a [Vec<Option<Diagonal>>],
}

impl BabySteps<'_> {
    /// The digits of ciphertexts' masks, where a step rotates them.
    pub(super) fn digits(&self, ring: &Ring, cts: &[[&Poly<Eval>; 2]]) -> Vec<Digits> {
        if self.rotations.iter().all(|(_, rows)| rows.is_none()) {
            return vec![Vec::new(); cts.len()];
        }
        let masks: Vec<&Poly<Eval>> = cts.iter().map(|[_, mask]| *mask).collect();
        ring.digits(self.gadget, &masks)
    }
}

/// The state that all primes share.
struct Work<'a> {
    ring: &'a Ring,
    steps: &'a BabySteps<'a>,
    inputs: Vec<Input<'a>>,
    maps: Vec<Arc<GaloisMap>>,
}

/// A ciphertext to be rotated, at one prime: the digits of its mask, its body times `P`, and the key.
struct Source<'a> {
    digits: &'a Digits,
    body: &'a [u64],
    key: &'a KeyLimbs<'a>,
}

/// One prime of the sums: for each giant step, its two parts.
pub(super) type Outputs<'a> = Vec<[&'a mut [u64]; 2]>;

impl Ring {
    /// For each ciphertext, body and mask, and for each giant step, `Σ_baby diag' ⊙ rot_baby(ct)·P` over the source and
    /// the keys' special primes.
    ///
    /// All ciphertexts pass a block of the keys and the diagonals while it is in cache.
    pub fn baby_sums(&self, steps: &BabySteps<'_>, cts: &[[&Poly<Eval>; 2]]) -> Vec<Vec<[Poly<Eval>; 2]>> {
        if cts.iter().flatten().any(|part| part.is_there()) {
            return self.baby_sums_there(steps, cts);
        }
        let special = &steps.gadget.special;
        let full = steps.source.union(special);
        let digits = steps.digits(self, cts);
        let inputs = cts.iter().zip(digits).map(|(ct, digits)| Input { ct, digits }).collect();
        let maps = steps.rotations.iter().map(|(r, _)| self.galois_map(self.rotation_elt(*r))).collect();
        let work = Work { ring: self, steps, inputs, maps };

        let sum = || [self.uninit(&full), self.uninit(&full)];
        let mut sums: Vec<Vec<[Poly<Eval>; 2]>> =
            cts.iter().map(|_| steps.diagonals.iter().map(|_| sum()).collect()).collect();
        split_by_prime(&mut sums, &full)
            .into_par_iter()
            .zip(full.indices())
            .for_each(|(outputs, &prime)| work.one_prime(prime, outputs));
        sums
    }
}

/// By prime and ciphertext.
pub(super) fn split_by_prime<'a>(sums: &'a mut [Vec<[Poly<Eval>; 2]>], set: &PrimeSet) -> Vec<Vec<Outputs<'a>>> {
    let mut by_prime: Vec<Vec<Outputs>> =
        set.indices().iter().map(|_| sums.iter().map(|_| Vec::new()).collect()).collect();
    for (input, sums) in sums.iter_mut().enumerate() {
        for [c0, c1] in sums {
            for ((outputs, l0), l1) in by_prime.iter_mut().zip(c0.limbs_mut()).zip(c1.limbs_mut()) {
                outputs[input].push([&mut l0[..], &mut l1[..]]);
            }
        }
    }
    by_prime
}

impl<'a> Work<'a> {
    fn one_prime(&self, prime: usize, mut outputs: Vec<Outputs>) {
        let block_len = BLOCK.min(self.ring.n());
        let parts: Vec<[Limb; 2]> =
            self.inputs.iter().map(|input| input.ct.map(|c| self.times_special(c, prime))).collect();
        // All ciphertexts have the same digits.
        let digits = self.inputs.first().map(|input| &input.digits);
        let key = |rows: Option<&'a ResidueRows>| Some(self.ring.key_limbs(rows?, digits?, prime));
        let keys: Vec<Option<KeyLimbs>> = self.steps.rotations.iter().map(|(_, rows)| key(*rows)).collect();
        let lift = |d: &'a Option<Diagonal>| d.as_ref().map(|d| d.lift(self.ring, prime));
        let diagonals: Vec<Vec<Option<Lifted>>> =
            self.steps.diagonals.iter().map(|row| row.iter().map(lift).collect()).collect();
        let mut scratch = Scratch::default();
        let mut rotated = vec![0u64; 2 * keys.len() * block_len];
        // A product with a key, before it is turned.
        let mut product = vec![0u64; 2 * block_len];
        for block in 0..self.ring.n() / block_len {
            let at = block * block_len;
            for ((input, parts), outputs) in self.inputs.iter().zip(&parts).zip(&mut outputs) {
                let each = self.maps.iter().zip(&keys).zip(rotated.chunks_exact_mut(2 * block_len));
                for ((map, key), out) in each {
                    let (r0, r1) = out.split_at_mut(block_len);
                    let Some(key) = key else { continue };
                    let from = Source { digits: &input.digits, body: &parts[0], key };
                    self.rotate_block((prime, block), map, from, ([r0, r1], &mut product));
                }
                let rotated = |baby: usize| match keys[baby] {
                    Some(_) => [0, 1].map(|part| &rotated[(2 * baby + part) * block_len..][..block_len]),
                    None => parts.each_ref().map(|part| &part[at..at + block_len]),
                };
                for (outs, row) in outputs.iter_mut().zip(&diagonals) {
                    let outs = outs.each_mut().map(|o| &mut o[at..at + block_len]);
                    let terms: Vec<_> =
                        row.iter().enumerate().filter_map(|(baby, d)| Some((d.as_ref()?, rotated(baby)))).collect();
                    inner_products(self.ring.modulus(prime), at, outs, &terms, &mut scratch);
                }
            }
        }
    }

    /// `P·c` at one prime: zero at special primes.
    fn times_special(&self, c: &Poly<Eval>, prime: usize) -> Limb {
        let mut limb = self.ring.scratch_limb();
        if self.steps.source.contains(prime) {
            let p = self.ring.product_mod(&self.steps.gadget.special, prime);
            self.ring.modulus(prime).mul_scalar_into(&mut limb, c.limb(prime), p);
        } else {
            limb.fill(0);
        }
        limb
    }

    /// Block `block` of `σ(<digits, key> + (P·c0, 0))`.
    fn rotate_block(
        &self,
        (prime, block): (usize, usize),
        map: &GaloisMap,
        Source { digits, body, key }: Source,
        ([r0, r1], product): ([&mut [u64]; 2], &mut [u64]),
    ) {
        let len = r0.len();
        let from = map.source_block(block, len) * len;
        let (u0, u1) = product.split_at_mut(len);
        self.ring.multiply_block((prime, from), digits, key, [&mut *u0, &mut *u1]);
        self.ring.modulus(prime).add_assign(u0, &body[from..from + len]);
        map.apply_block_into(r0, u0, block);
        map.apply_block_into(r1, u1, block);
    }
}

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
        let mut sums: Vec<Vec<Option<[Poly<Eval>; 2]>>> =
            sums.into_iter().map(|sums| sums.into_iter().map(Some).collect()).collect();
        // The sums that are not rotated are what the others are added to.
        let still = rotations.iter().position(|(_, rows)| rows.is_none());
        let first = |sums: &mut Vec<Option<_>>| still.and_then(|at| sums.get_mut(at)?.take());
        let zero = || [self.zero(&full), self.zero(&full)];
        let mut accs: Vec<[Poly<Eval>; 2]> = sums.iter_mut().map(|sums| first(sums).unwrap_or_else(zero)).collect();
        for (at, (rotation, rows)) in rotations.iter().enumerate() {
            let sums = sums.iter_mut().filter_map(|sums| sums.get_mut(at)?.take());
            let Some(rows) = rows else {
                for ([acc0, acc1], [c0, c1]) in accs.iter_mut().zip(sums) {
                    self.add_assign(acc0, &c0);
                    self.add_assign(acc1, &c1);
                }
                continue;
            };
            let (bodies, masks): (Vec<_>, Vec<_>) = sums.map(|[c0, c1]| (c0, c1)).unzip();
            let masks = self.rescale_many(masks, source);
            let digits = self.digits_of(gadget, masks.into_iter().map(Cow::Owned).collect());
            let map = self.galois_map(self.rotation_elt(*rotation));
            self.add_turned(&mut accs, (&bodies, &digits), rows, &map);
        }
        accs
    }

    /// `acc += σ(<digits, key> + (body, 0))` for each of several ciphertexts over the same primes. A block of products
    /// is turned while it is in cache, and blocks are taken in the key's order.
    fn add_turned(
        &self,
        accs: &mut [[Poly<Eval>; 2]],
        (bodies, digits): (&[Poly<Eval>], &[Digits]),
        rows: &ResidueRows,
        map: &GaloisMap,
    ) {
        let (Some([first, _]), Some(any)) = (accs.first(), digits.first()) else { return };
        let set = first.set().clone();
        let len = TURNED_BLOCK.min(self.n());
        let mut blocks: Vec<[usize; 2]> =
            (0..self.n() / len).map(|block| [map.source_block(block, len), block]).collect();
        blocks.sort_unstable();
        limbs_by_prime(accs).into_par_iter().zip(set.indices()).for_each(|(mut accs, &prime)| {
            let (m, key) = (self.modulus(prime), self.key_limbs(rows, any, prime));
            let mut product = vec![0u64; 2 * len];
            let (u0, u1) = product.split_at_mut(len);
            for [source, block] in &blocks {
                let (from, to) = (source * len, block * len);
                for ((digits, body), [acc0, acc1]) in digits.iter().zip(bodies).zip(&mut accs) {
                    self.multiply_block((prime, from), digits, &key, [&mut *u0, &mut *u1]);
                    m.add_assign(u0, &body.limb(prime)[from..from + len]);
                    map.apply_block_add_assign(m, &mut acc0[to..to + len], u0, *block);
                    map.apply_block_add_assign(m, &mut acc1[to..to + len], u1, *block);
                }
            }
        });
    }
}

impl Ring {
    /// For each ciphertext, body and mask, `Σ_i diagonal_i ⊙ rotated_i`, where `rotated[i]` has all ciphertexts'
    /// rotations by baby step `i`.
    pub fn row_sums(
        &self,
        source: &PrimeSet,
        row: &[Option<Diagonal>],
        rotated: &[Vec<[&Poly<Eval>; 2]>],
    ) -> Vec<[Poly<Eval>; 2]> {
        if rotated[0].iter().flatten().any(|part| part.is_there()) {
            return self.row_sums_there(source, row, rotated);
        }
        let mut sums: Vec<[Poly<Eval>; 2]> =
            rotated[0].iter().map(|_| [self.uninit(source), self.uninit(source)]).collect();
        limbs_by_prime(&mut sums).into_par_iter().zip(source.indices()).for_each(|(outs, &prime)| {
            let lifted: Vec<(&Vec<[&Poly<Eval>; 2]>, Lifted)> =
                row.iter().zip(rotated).filter_map(|(d, cts)| Some((cts, d.as_ref()?.lift(self, prime)))).collect();
            let mut scratch = Scratch::default();
            for (ct, [o0, o1]) in outs.into_iter().enumerate() {
                for (block, (o0, o1)) in o0.chunks_mut(BLOCK).zip(o1.chunks_mut(BLOCK)).enumerate() {
                    let at = block * BLOCK;
                    let range = at..at + o0.len();
                    let terms: Vec<_> =
                        lifted.iter().map(|(cts, d)| (d, cts[ct].map(|c| &c.limb(prime)[range.clone()]))).collect();
                    inner_products(self.modulus(prime), at, [o0, o1], &terms, &mut scratch);
                }
            }
        });
        sums
    }
}
