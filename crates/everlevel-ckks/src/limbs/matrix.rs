//! Products of matrices in the clear with encrypted vectors: [`crate::circuits::matrix`] over limbs.
//!
//! A diagonal is one polynomial of integers, whatever the budget, and its transform stands for it at every limb. The
//! transforms of baby steps are the large operands: they are read once for a few giant steps.

use everlevel_limbs::{Error, EvalKeys, Shape, log2_hypot};
use everlevel_objects::with_memory;
use everlevel_ring::base2k::{ClearPoly, ClearSum, LimbDigits};
use everlevel_ring::{Footprint, LimbRing, Limbs, Progress, report};
use everlevel_rlwe::Rlwe;
use rayon::prelude::*;

use super::{Ciphertext, Context};
use crate::circuits::matrix::Entries;
use crate::circuits::matrix::plan::{Plan, Steps};
use crate::circuits::matrix::scan::{Layout, NoNumber, Scan, Side};
use crate::circuits::matrix::steps::{Horner, Turn, baby_steps};

/// Giant steps whose sums are made together.
const GIANTS_TOGETHER: usize = 4;

/// The transforms of a ciphertext's parts.
pub(super) type Operands = [LimbDigits; 2];

/// The transforms of both parts.
pub(super) fn operands(ring: &LimbRing, ct: &Rlwe<LimbRing>) -> Operands {
    [ring.operand(&ct.c0), ring.operand(&ct.c1)]
}

/// The sums of both parts of a row, whose limbs aren't carried yet.
pub(super) struct RowSum(pub [ClearSum; 2]);

impl RowSum {
    /// The ciphertext, added to another one.
    pub fn finish(self, ring: &LimbRing, onto: Option<&Rlwe<LimbRing>>) -> Rlwe<LimbRing> {
        let [body, mask] = self.0;
        Rlwe { c0: ring.finish_clear(body, onto.map(|ct| &ct.c0)), c1: ring.finish_clear(mask, onto.map(|ct| &ct.c1)) }
    }
}

/// Sums of products of ciphertexts with polynomials in the clear, for each row.
pub(super) fn clear_sums(ring: &LimbRing, x: &[&Operands], rows: &[Vec<Option<&ClearPoly>>]) -> Vec<RowSum> {
    let part = |part: usize| ring.clear_sums(&x.iter().map(|x| &x[part]).collect::<Vec<_>>(), rows);
    let [bodies, masks] = [0, 1].map(part);
    bodies.into_iter().zip(masks).map(|(body, mask)| RowSum([body, mask])).collect()
}

impl Context {
    /// `matrix·a`, for entries that are rounded to multiples of `2^−bits`: it spends as many bits of budget. Slots of
    /// `a` beyond the columns don't matter, and slots of the product beyond the rows are 0. Giant steps are the steps
    /// of the progress.
    ///
    /// # Errors
    /// No entries, or as many as the dimensions don't say, or more rows or columns than slots; NaN or infinity; entries
    /// too large for a word; too little budget or memory; keys that lack a rotation, or of another secret or of other
    /// parameters; [`Error::Cancelled`].
    pub fn multiply_matrix(
        &self,
        (entries, (rows, columns)): (Entries, (usize, usize)),
        a: &Ciphertext,
        bits: u32,
        keys: &EvalKeys,
        progress: Progress,
    ) -> Result<Ciphertext, Error> {
        let (op, slots) = ("multiply_matrix", self.params.slots());
        self.require_same(op, ("keys", keys.origin()), a.origin)?;
        Shape::check_range("bits", bits, 1..=self.params.precision_bits())?;
        let fits = (1..=slots).contains(&rows) && (1..=slots).contains(&columns);
        let misshapen = |needed| {
            let found = format!("{rows}×{columns}");
            Error::Parameter { what: "shape of the matrix", found, needed }
        };
        if !fits {
            return Err(misshapen(format!("1 to {slots} rows and columns")));
        }
        entries.check((rows, columns), slots).map_err(misshapen)?;
        // Keys of powers of two may be to the right alone.
        let has_key = |left: i64| self.rotation_turn(left, keys).is_some();
        let side = if has_key(-1) && !has_key(1) { Side::Right } else { Side::Left };
        let scan = Scan::new(entries, (rows, columns), (slots, side), None)
            .map_err(|NoNumber(index)| Error::NotFinite { op, index, value: entries.get(index).to_string() })?;
        self.require_word(op, scan.largest, bits)?;
        let bound = a.bound * scan.row_sum;
        let left = self.room(op, i64::from(a.budget_bits) - i64::from(bits), bound, a.budget_bits)?;
        let layout = Layout { rows, columns, slots, plan: &scan.plan, side };
        let product = with_memory(op, self.matrix_footprint(&scan.plan, a.limbs()), || {
            self.matrix_product((entries, layout), a, bits, keys, progress)
        })?;
        let (ct, turns) = product.unwrap_or_else(|| {
            let zero = || self.ring().zero(a.limbs());
            (Rlwe { c0: zero(), c1: zero() }, 0)
        });
        let log2_noise = self.matrix_noise(a, &scan, bits, turns);
        Ok(self.trimmed(Ciphertext { origin: a.origin, ct, budget_bits: left, bound, log2_noise }))
    }

    /// The memory of a product: the transforms of baby steps, and the sums and diagonals of a few giant steps.
    fn matrix_footprint(&self, plan: &Plan, limbs: usize) -> Footprint {
        let ciphertext = 2 * self.ring().operand_nbytes(limbs);
        let (babies, at_once) = (plan.babies(0, |_| false).len(), GIANTS_TOGETHER);
        // Slots, coefficients and transforms of diagonals.
        let diagonal = 16 * self.params.slots() + 8 * self.params.n() + self.ring().operand_nbytes(1);
        let work = ciphertext * (babies + at_once + 2) + diagonal * babies * at_once;
        Footprint { held: (16 * self.params.n() * limbs) as u64, work: work as u64 }
    }

    /// The product, and how many automorphisms it took after the products with diagonals; none of a matrix of zeros.
    #[allow(clippy::type_complexity)]
    fn matrix_product(
        &self,
        (entries, layout): (Entries, Layout<'_>),
        a: &Ciphertext,
        bits: u32,
        keys: &EvalKeys,
        progress: Progress,
    ) -> Result<Option<(Rlwe<LimbRing>, usize)>, Error> {
        let (op, ring, plan) = ("multiply_matrix", self.ring(), layout.plan);
        let giants: Vec<(i64, Vec<Steps>)> = plan.by_giant(0).into_iter().rev().collect();
        report(op, progress, 0, giants.len())?;
        let turn_of = |amount: i64| self.rotation_turn(layout.side.left(amount), keys);
        // A mask's transforms as an operand are its digits.
        let with_operands = |ct: Rlwe<LimbRing>| (operands(ring, &ct), ct.c0);
        let born = |([_, digits], body): &(Operands, Limbs), turns: &[Turn<'_, LimbRing>]| {
            let one = |&(element, key): &Turn<'_, LimbRing>| key.automorphism_digits(ring, body, digits, element);
            turns.iter().map(|turn| with_operands(one(turn))).collect()
        };
        let needed = plan.babies(0, |baby| turn_of(baby).is_some());
        let babies = baby_steps(with_operands(a.ct.clone()), &needed, &turn_of, &born)
            .map_err(|amount| self.missing_rotation(op, layout.side.left(amount), keys))?;
        let babies: Vec<(i64, Operands)> = babies.into_iter().map(|(baby, (operands, _))| (baby, operands)).collect();
        let vectors: Vec<&Operands> = babies.iter().map(|(_, operands)| operands).collect();
        let mut turns = 0;
        let mut turn = |ct: Rlwe<LimbRing>, amount: i64| -> Result<_, Error> {
            let moves = self.rotation_moves(op, layout.side.left(amount), keys)?;
            turns += moves.len();
            Ok(moves.moved(ring, &ct))
        };
        let mut sum = Horner::new();
        let mut done = 0;
        for together in giants.chunks(GIANTS_TOGETHER) {
            let diagonals = together.iter().map(|(_, steps)| self.clear_diagonals(entries, layout, steps, bits));
            let diagonals: Vec<Vec<(i64, ClearPoly)>> = diagonals.collect();
            let row = |diagonals: &'_ Vec<(i64, ClearPoly)>| {
                let of_baby = |(baby, _): &(i64, Operands)| diagonals.iter().position(|(step, _)| step == baby);
                babies.iter().map(of_baby).collect::<Vec<_>>()
            };
            let rows: Vec<Vec<Option<&ClearPoly>>> = diagonals
                .iter()
                .map(|of_giant| row(of_giant).into_iter().map(|at| Some(&of_giant[at?].1)).collect())
                .collect();
            for ((giant, _), of_row) in together.iter().zip(clear_sums(ring, &vectors, &rows)) {
                sum.step(*giant, &mut turn, |turned| Ok(of_row.finish(ring, turned.as_ref())))?;
                done += 1;
                report(op, progress, done, giants.len())?;
            }
        }
        let total = sum.finish(&mut turn)?;
        Ok(total.map(|ct| (ct, turns)))
    }

    /// The diagonals of a giant step, by baby step, as transforms of multiples of `2^−bits`.
    fn clear_diagonals(
        &self,
        entries: Entries,
        layout: Layout<'_>,
        steps: &[Steps],
        bits: u32,
    ) -> Vec<(i64, ClearPoly)> {
        let scale = f64::from(bits).exp2();
        let of_steps = |steps: &Steps| {
            let values = entries.diagonals(layout, steps.block, &layout.plan.diagonals[steps.positions.clone()]);
            let all: Vec<_> = steps.babies.iter().copied().zip(values).collect();
            let encoded = all.into_par_iter().map(|(baby, values)| {
                let coeffs = self.encoder.to_coeffs(&values).into_iter();
                let words: Vec<i64> = coeffs.map(|c: f64| (c * scale).round() as i64).collect();
                (baby, self.ring().clear_poly(&words))
            });
            encoded.collect::<Vec<_>>()
        };
        steps.iter().flat_map(of_steps).collect()
    }

    /// The noise of a product: that of the vector and of the baby steps times the norm of a row, the largest; the
    /// roundings of entries times the values; and the automorphisms of giant steps.
    fn matrix_noise(&self, a: &Ciphertext, scan: &Scan, bits: u32, turns: usize) -> f64 {
        let switched = self.params.shape().switch_noise(a.limbs());
        let count = |k: usize| 0.5 * (k as f64).log2();
        let of_babies = switched + count(scan.plan.longest_way() as usize);
        let turned = log2_hypot(a.log2_noise, of_babies) + f64::from(bits);
        let of_entries = -0.5 * 12f64.log2() + a.bound.max(f64::MIN_POSITIVE).log2() - f64::from(a.budget_bits);
        let of_entries = of_entries + count(scan.plan.diagonals.len());
        let of_vector = turned + scan.row_norm.max(f64::MIN_POSITIVE).log2();
        let least = self.params.shape().log2_unit(2 * a.limbs() + 2);
        log2_hypot(log2_hypot(of_vector, of_entries), switched + count(turns)).max(least)
    }
}
