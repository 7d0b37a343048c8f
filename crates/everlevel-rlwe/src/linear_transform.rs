//! Linear maps on slots: baby steps and giant steps, hoisted twice.
//!
//! `M·z = Σ_d diag_d ⊙ rot_d(z)` with `d = giant + baby`, so `M·z = Σ_giant rot_giant(Σ_baby diag'_{giant,baby} ⊙ rot_baby(z))`, where
//! `diag'` is the diagonal moved back by the giant step. The digits of the input are computed once for all baby steps, and the
//! division by `P` is put off until a giant step needs the mask, and for the sum until the very end, where it is merged with
//! the rescaling. (Bossuat, Troncoso-Pastoriza, Hubaux, eprint 2021/1203 does both hoistings; we add the block order below.)
//!
//! *Order of the work.* Everything before the giant steps is independent for each prime, and for each aligned block of the
//! transform domain up to where the block is read from (see [`everlevel_math::galois`]). So the outer loop runs over primes, the next over
//! blocks, and the rotated ciphertexts of one block stay in cache while all giant steps read them: keys are streamed
//! once, and nothing else leaves the cache but the sums.

use everlevel_ring::{Eval, PackedPoly, Poly, PrimeSet, Ring};
use rayon::prelude::*;

use crate::{Rlwe, SwitchingKey};

/// Residues of a block: two rotated parts of sixteen baby steps fill half a mebibyte.
const BLOCK: usize = 2048;

/// One diagonal in transform representation, over the input's primes and the special ones.
#[derive(Debug)]
pub enum Diagonal {
    /// Any plaintext.
    Full(PackedPoly),
    /// A plaintext in powers of `X^run`: every aligned run of `run` transform values is one value. The diagonals of all but one stage
    /// of a factored Fourier transform are of this kind.
    Runs {
        /// Length of a run, a power of two.
        run: usize,
        /// For each prime of the set, in order, the `n/run` values.
        values: Vec<Vec<u64>>,
    },
}

impl Diagonal {
    /// Stores a plaintext whose coefficients outside the multiples of `run` are zero.
    pub fn new(poly: &Poly<Eval>, run: usize) -> Self {
        if run < 8 {
            return Self::Full(PackedPoly::new(poly));
        }
        let values = poly.limbs().iter().map(|l| l.iter().step_by(run).copied().collect()).collect();
        Self::Runs { run, values }
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        match self {
            Self::Full(poly) => poly.nbytes(),
            Self::Runs { values, .. } => values.iter().map(|v| 8 * v.len()).sum(),
        }
    }
}

/// A linear map ready to be applied at one modulus.
#[derive(Debug)]
pub struct LinearTransform {
    /// Primes of the input.
    pub source: PrimeSet,
    /// Primes of the output, after the merged rescaling.
    pub target: PrimeSet,
    /// The special primes of the keys that it uses.
    pub special: PrimeSet,
    /// Left rotations of the baby steps.
    pub babies: Vec<i64>,
    /// Left rotations of the giant steps.
    pub giants: Vec<i64>,
    /// `diagonals[giant][baby]`, over `source` and `special`.
    pub diagonals: Vec<Vec<Option<Diagonal>>>,
}

impl LinearTransform {
    /// Every nonzero rotation that needs a key.
    pub fn rotations(&self) -> Vec<i64> {
        let mut all: Vec<i64> = self.babies.iter().chain(&self.giants).copied().filter(|&r| r != 0).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Bytes of the diagonals.
    pub fn nbytes(&self) -> usize {
        self.diagonals.iter().flatten().flatten().map(Diagonal::nbytes).sum()
    }

    /// `M` applied to the slots of `ct`, divided by the ratio of `source` to `target`.
    ///
    /// `key(r)` gives the key of the rotation by `r`; all keys have the same gadget, whose special primes are
    /// `special`.
    pub fn apply<'k>(&self, ring: &Ring, ct: &Rlwe, key: impl Fn(i64) -> &'k SwitchingKey + Sync) -> Rlwe {
        debug_assert_eq!(ct.set(), &self.source);
        let sums = self.baby_sums(ring, ct, &key);
        let full = self.source.union(&self.special);
        let mut acc = Rlwe { c0: ring.zero(&full), c1: ring.zero(&full) };
        for (sum, &giant) in sums.into_iter().zip(&self.giants) {
            if giant == 0 {
                ring.add_assign(&mut acc.c0, &sum.c0);
                ring.add_assign(&mut acc.c1, &sum.c1);
                continue;
            }
            let mask = ring.rescale(sum.c1, &self.source);
            let mut product = key(giant).switch(ring, &mask);
            ring.add_assign(&mut product.c0, &sum.c0);
            let elt = ring.rotation_elt(giant);
            ring.automorphism_add_assign(&mut acc.c0, &product.c0, elt);
            ring.automorphism_add_assign(&mut acc.c1, &product.c1, elt);
        }
        acc.rescale(ring, &self.target)
    }

    /// For each giant step, `Σ_baby diag' ⊙ rot_baby(ct)·P` over `source` and `special`.
    fn baby_sums<'k>(&self, ring: &Ring, ct: &Rlwe, key: &(impl Fn(i64) -> &'k SwitchingKey + Sync)) -> Vec<Rlwe> {
        let full = self.source.union(&self.special);
        let keys: Vec<Option<&SwitchingKey>> = self.babies.iter().map(|&r| (r != 0).then(|| key(r))).collect();
        let temporary: Vec<_> = keys.iter().map(|k| k.and_then(|k| k.temporary_masks(ring))).collect();
        let digits = match keys.iter().flatten().next() {
            Some(k) => ring.mod_up(&ct.c1, &k.gadget().digits, &self.special),
            None => Vec::new(),
        };
        let row_numbers: Vec<usize> = digits.iter().map(|(k, _)| *k).collect();
        let rows: Vec<Option<Vec<[&PackedPoly; 2]>>> =
            keys.iter().zip(&temporary).map(|(k, t)| k.map(|k| k.rows(&row_numbers, t.as_deref()))).collect();
        let maps: Vec<_> = self.babies.iter().map(|&r| ring.galois_map(ring.rotation_elt(r))).collect();

        let mut sums: Vec<Rlwe> =
            self.giants.iter().map(|_| Rlwe { c0: ring.uninit(&full), c1: ring.uninit(&full) }).collect();
        // One task a prime: the limbs of that prime in every sum.
        let mut tasks: Vec<Vec<[&mut [u64]; 2]>> = full.indices().iter().map(|_| Vec::new()).collect();
        for sum in &mut sums {
            for ((task, l0), l1) in tasks.iter_mut().zip(sum.c0.limbs_mut()).zip(sum.c1.limbs_mut()) {
                task.push([&mut l0[..], &mut l1[..]]);
            }
        }
        let block_len = BLOCK.min(ring.n());
        tasks.into_par_iter().zip(full.indices()).enumerate().for_each(|(limb_number, (mut outputs, &i))| {
            let m = ring.modulus(i);
            let p = ring.product_mod(&self.special, i);
            let source_limb = |c: &Poly<Eval>| {
                let mut limb = ring.scratch_limb();
                match self.source.contains(i) {
                    true => {
                        limb.copy_from_slice(c.limb(i));
                        m.mul_scalar_assign(&mut limb, p);
                    }
                    false => limb.fill(0),
                }
                limb
            };
            let (c0, c1) = (source_limb(&ct.c0), source_limb(&ct.c1));
            let digit_limbs: Vec<&[u64]> = digits.iter().map(|(_, d)| d.limb(i)).collect();
            let mut rotated = vec![0u64; 2 * self.babies.len() * block_len];
            let (mut u0, mut u1) = (vec![0u64; block_len], vec![0u64; block_len]);
            for block in 0..ring.n() / block_len {
                for ((map, rows), out) in maps.iter().zip(&rows).zip(rotated.chunks_exact_mut(2 * block_len)) {
                    let (r0, r1) = out.split_at_mut(block_len);
                    let from = map.source_block(block, block_len) * block_len;
                    let range = from..from + block_len;
                    let Some(rows) = rows else {
                        r0.copy_from_slice(&c0[range.clone()]);
                        r1.copy_from_slice(&c1[range]);
                        continue;
                    };
                    let x: Vec<&[u64]> = digit_limbs.iter().map(|d| &d[range.clone()]).collect();
                    let b: Vec<&[u8]> = rows.iter().map(|[b, _]| b.block(i, from, block_len)).collect();
                    let a: Vec<&[u8]> = rows.iter().map(|[_, a]| a.block(i, from, block_len)).collect();
                    m.inner_product_packed_pair_into(&mut u0, &mut u1, &x, &b, &a);
                    m.add_assign(&mut u0, &c0[range]);
                    map.apply_block_into(r0, &u0, block);
                    map.apply_block_into(r1, &u1, block);
                }
                let at = block * block_len;
                for (outs, row) in outputs.iter_mut().zip(&self.diagonals) {
                    let outs = outs.each_mut().map(|o| &mut o[at..at + block_len]);
                    accumulate(m, outs, row, &rotated, (i, limb_number, at));
                }
            }
        });
        sums
    }
}

/// One block of one prime of `Σ_baby diagonal ⊙ rotated_baby`, for both parts. `place` is the prime, its position in the set and the
/// first residue of the block.
fn accumulate(
    m: &everlevel_math::Modulus,
    outs: [&mut [u64]; 2],
    row: &[Option<Diagonal>],
    rotated: &[u64],
    place: (usize, usize, usize),
) {
    let (prime, limb_number, at) = place;
    let len = outs[0].len();
    let (mut packed, mut runs) = (Vec::new(), Vec::new());
    for (baby, diagonal) in row.iter().enumerate() {
        match diagonal {
            Some(Diagonal::Full(poly)) => packed.push((baby, poly.block(prime, at, len))),
            Some(Diagonal::Runs { run, values }) => runs.push((baby, *run, &values[limb_number])),
            None => {}
        }
    }
    let mut expanded = vec![0u64; runs.len() * len];
    for ((_, run, values), out) in runs.iter().zip(expanded.chunks_exact_mut(len)) {
        for (piece, value) in out.chunks_mut(*run).zip(&values[at / run..]) {
            piece.fill(*value);
        }
    }
    for (part, out) in outs.into_iter().enumerate() {
        let block = |baby: usize| &rotated[(2 * baby + part) * len..][..len];
        // A transform has diagonals of one kind, so at most one of the two sums is not empty.
        if runs.is_empty() {
            let x: Vec<&[u64]> = packed.iter().map(|(b, _)| block(*b)).collect();
            let y: Vec<&[u8]> = packed.iter().map(|(_, p)| *p).collect();
            m.inner_product_packed_into(out, &x, &y);
        } else {
            debug_assert!(packed.is_empty());
            let x: Vec<&[u64]> = runs.iter().map(|(b, _, _)| block(*b)).collect();
            let y: Vec<&[u64]> = expanded.chunks_exact(len).collect();
            m.inner_product_into(out, &x, &y);
        }
    }
}
