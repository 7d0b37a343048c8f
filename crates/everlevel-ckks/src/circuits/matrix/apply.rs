//! The product.

use std::collections::BTreeMap;
use std::ops::Range;

use everlevel_objects::Origin;
use everlevel_ring::{Eval, PackedPoly, PackedTerm, Poly};
use everlevel_rlwe::{Rlwe, SwitchingKey};

use crate::circuits::matrix::footprint::MatrixForm;
use crate::circuits::matrix::plan::Steps;
use crate::circuits::matrix::steps::{Horner, baby_steps};
use crate::circuits::matrix::{Entries, LightPlainMatrix, PlainMatrix, Shape};
use crate::claims::{Claims, EntryRounding, Estimate, Padding};
use crate::core::{Core, powers_of_two};
use crate::encoder::Coefficients;
use crate::keys::{FixedRotationKey, LevelKey, MatrixMultiplicationKey, RotationKey};
use crate::{Ciphertext, Context, Error, Units};

/// Giant steps whose sums are made together, of packed diagonals: baby steps are read from memory once for so many.
pub(super) const GIANTS_TOGETHER: usize = 8;

/// Vectors that are multiplied together by diagonals that are unpacked, each of which is made once for all.
pub(super) const VECTORS_TOGETHER: usize = 4;

/// Keys of rotations, of any kind: powers of two, these and every baby step, or those of some amounts alone.
#[derive(Debug, Clone)]
pub struct RotationKeys<'k> {
    origins: Vec<Origin>,
    /// Kind of the key or the keys.
    name: &'static str,
    /// By left rotation, modulo the slots.
    keys: BTreeMap<i64, &'k SwitchingKey>,
}

impl<'k> From<&'k RotationKey> for RotationKeys<'k> {
    fn from(key: &'k RotationKey) -> Self {
        let keys = key.keys.iter().map(|(&left, key)| (left, key)).collect();
        Self { origins: vec![key.origin], name: RotationKey::NAME, keys }
    }
}

impl<'k> From<&'k MatrixMultiplicationKey> for RotationKeys<'k> {
    fn from(key: &'k MatrixMultiplicationKey) -> Self {
        let keys = key.keys.iter().map(|(&left, key)| (left, key)).collect();
        Self { origins: vec![key.origin], name: MatrixMultiplicationKey::NAME, keys }
    }
}

impl<'k> From<&RotationKeys<'k>> for RotationKeys<'k> {
    fn from(keys: &RotationKeys<'k>) -> Self {
        keys.clone()
    }
}

impl Context {
    /// Fixed rotation keys as keys of a product: of its matrix's [`rotations`], at its level or above. Of two for one
    /// amount, the one for the lower level is taken that serves.
    ///
    /// [`rotations`]: PlainMatrix::rotations
    pub fn fixed_rotations<'k>(&self, keys: &[&'k FixedRotationKey], level: usize) -> RotationKeys<'k> {
        let mut all: Vec<&FixedRotationKey> = keys.to_vec();
        let serves = |key: &&FixedRotationKey| self.core.ladder.sets.get(level).is_some_and(|set| key.key.serves(set));
        all.retain(serves);
        all.sort_by_key(|key| std::cmp::Reverse(key.key.gadget().ciphertext_set().len()));
        let by_left = all.iter().map(|key| (self.left(key.delta), &key.key)).collect();
        RotationKeys {
            origins: keys.iter().map(|key| key.origin).collect(),
            name: FixedRotationKey::NAME,
            keys: by_left,
        }
    }
}

/// A diagonal at the product's level.
enum Diagonal<'m> {
    Packed(&'m PackedPoly),
    Unpacked(Poly<Eval>),
}

/// A function that gives a block's diagonals at some positions and a level.
trait Diagonals<'m>: Fn(&Core, usize, Range<usize>, usize) -> Result<Vec<Diagonal<'m>>, Error> + Send + Sync {}

impl<'m, F> Diagonals<'m> for F where
    F: Fn(&Core, usize, Range<usize>, usize) -> Result<Vec<Diagonal<'m>>, Error> + Send + Sync
{
}

/// Baby steps of a vector, those of each of its units by their amounts.
type Babies = Vec<BTreeMap<i64, Rlwe>>;

/// A product whose rotations are known to have keys.
struct Product<'a> {
    core: &'a Core,
    shape: &'a Shape,
    keys: &'a BTreeMap<i64, &'a SwitchingKey>,
    /// The ciphertext's and the diagonals'.
    level: usize,
    /// Standard deviation of the real part of an entry's rounding.
    entry_error: f64,
    /// Giant steps whose sums are made together.
    giants_together: usize,
}

impl Context {
    /// `matrix·a`, one level below the lower of the two. The units of `a` are taken as many at a time as the matrix's
    /// columns fill.
    ///
    /// # Errors
    /// Operands or keys of other parameters or another secret; level 0; three polynomials; keys for lower levels; units
    /// that the columns do not fill.
    pub fn multiply_matrix<'k>(
        &self,
        matrix: &PlainMatrix,
        a: &Units<Ciphertext>,
        keys: impl Into<RotationKeys<'k>>,
    ) -> Result<Units<Ciphertext>, Error> {
        let from = matrix.shape.level;
        // Brought to a lower level, diagonals are in memory as light ones are.
        let form = if a.first().level() < from { MatrixForm::Light } else { MatrixForm::Plain };
        self.product((&matrix.shape, form), a, keys.into(), |core, _, positions, level| {
            let diagonal = |diagonal| match level == from {
                true => Diagonal::Packed(diagonal),
                false => Diagonal::Unpacked(core.rescaled_plain(diagonal, from, level)),
            };
            Ok(matrix.diagonals[positions].iter().map(diagonal).collect())
        })
    }

    /// `matrix·a`, one level below the lower of the two.
    ///
    /// # Errors
    /// As [`Context::multiply_matrix`].
    pub fn multiply_light_matrix<'k>(
        &self,
        matrix: &LightPlainMatrix,
        a: &Units<Ciphertext>,
        keys: impl Into<RotationKeys<'k>>,
    ) -> Result<Units<Ciphertext>, Error> {
        self.product((&matrix.shape, MatrixForm::Light), a, keys.into(), |core, _, positions, level| {
            core.expanded(&matrix.diagonals[positions], level)
        })
    }

    /// `matrix·a` for entries that are encoded on the way, one level below `a`'s.
    ///
    /// # Errors
    /// As [`Context::multiply_matrix`] and [`Context::encode_matrix`].
    pub fn multiply_entries<'k>(
        &self,
        entries: Entries,
        dimensions: (usize, usize),
        a: &Units<Ciphertext>,
        keys: impl Into<RotationKeys<'k>>,
    ) -> Result<Units<Ciphertext>, Error> {
        let op = "multiply_matrix";
        self.check_ciphertext(op, a.first())?;
        self.check_depth(op, a.first(), 1)?;
        let shape = self.matrix_shape(op, entries, dimensions, a.first().level(), None)?;
        self.product((&shape, MatrixForm::Entries), a, keys.into(), |core, block, positions, level| {
            core.expanded(&core.diagonal_coeffs(entries, &shape, block, positions), level)
        })
    }

    fn product<'m>(
        &self,
        (shape, form): (&Shape, MatrixForm),
        a: &Units<Ciphertext>,
        RotationKeys { origins, name, keys }: RotationKeys<'_>,
        diagonals: impl Diagonals<'m>,
    ) -> Result<Units<Ciphertext>, Error> {
        let op = "multiply_matrix";
        for unit in a.all() {
            self.check_ciphertext(op, unit)?;
            self.check_relinearized(op, unit)?;
        }
        self.check_matrix(op, shape)?;
        self.check_depth(op, a.first(), 1)?;
        for origin in origins {
            self.check_secret(op, name, origin, a.first())?;
        }
        let block_columns = shape.plan.block_columns;
        if !a.count().is_multiple_of(block_columns) {
            let (columns, slot_count) = (shape.columns, shape.slot_count);
            return Err(Error::MatrixUnits { op, columns, slot_count, needed: block_columns, found: a.count() });
        }
        let level = shape.level.min(a.first().level());
        self.check_size(op, shape.mean_size, level - 1)?;
        let bound = a.bound();
        let worst = a.all().iter().map(|unit| unit.estimate().worst()).fold(0.0, f64::max);
        self.check_range(op, bound.resized(bound.size() * shape.row_sum), worst * shape.row_sum, level - 1)?;
        if let Some(key) = keys.values().find(|key| !key.serves(&self.core.ladder.sets[level])) {
            let served = self.core.level_of(key.gadget()).unwrap_or_default();
            return Err(Error::KeyLevel { op, key: name, level, served });
        }
        let gadget = keys.values().next().map_or(&self.core.message_gadget, |key| key.gadget());
        let footprint = self.core.product_footprint((&shape.plan, level), (gadget, a.count()), form);
        self.install_large(op, footprint, |core| {
            let rounding = |level: usize| core.encoding_error(core.ladder.scales[level]);
            // Diagonals of a higher level are rounded there, too.
            let before = if level < shape.level { rounding(shape.level) } else { 0.0 };
            let entry_error = rounding(level).hypot(before);
            // Unpacked diagonals are in memory for one giant step at a time.
            let (giants_together, together) =
                if form == MatrixForm::Plain { (GIANTS_TOGETHER, 1) } else { (1, VECTORS_TOGETHER) };
            let product = Product { core, shape, keys: &keys, level, entry_error, giants_together };
            let vectors = a.all().chunks(together * block_columns).map(|units| product.apply(units, &diagonals));
            let units = vectors.collect::<Result<Vec<_>, _>>()?.concat();
            Ok(Units::new(units).expect("a row of blocks for each"))
        })
    }
}

impl Product<'_> {
    /// The products with some vectors, each of a unit for each column of blocks.
    fn apply<'m>(&self, units: &[Ciphertext], diagonals: &impl Diagonals<'m>) -> Result<Vec<Ciphertext>, Error> {
        let plan = &self.shape.plan;
        let units: Vec<Ciphertext> =
            units.iter().map(|unit| self.core.lowered(unit, self.level).into_owned()).collect();
        let babies_of = |(column, unit): (usize, &Ciphertext)| {
            let ring = &self.core.ring;
            let turn = |left: i64| self.keys.get(&left).map(|&key| (ring.rotation_elt(left), key));
            let born = |rlwe: &Rlwe, turns: &[_]| SwitchingKey::automorphisms(ring, rlwe, turns);
            let needed = plan.babies(column, |baby| self.keys.contains_key(&baby));
            baby_steps(unit.rlwe().clone(), &needed, &turn, &born).map_err(|left| self.missing(left))
        };
        let vectors: Vec<&[Ciphertext]> = units.chunks(plan.block_columns).collect();
        let babies_of = |vector: &&[Ciphertext]| vector.iter().enumerate().map(babies_of).collect();
        let babies = vectors.iter().map(babies_of).collect::<Result<Vec<Babies>, Error>>()?;
        let mut results = vec![Vec::new(); vectors.len()];
        for row in 0..plan.block_rows() {
            let sums = self.row(row, &babies, diagonals)?;
            for ((vector, sum), results) in vectors.iter().zip(sums).zip(&mut results) {
                let all: Vec<Estimate> = vector.iter().map(|unit| unit.estimate().of_all()).collect();
                let values = Estimate::largest(all.iter()).unwrap_or_else(|| unreachable!("a unit at least"));
                results.push(self.finished(&vector[0], &values, row, sum));
            }
        }
        Ok(results.concat())
    }

    /// For each vector, the sum of a row of blocks, from the outermost giant step inwards.
    fn row<'m>(&self, row: usize, vectors: &[Babies], diagonals: &impl Diagonals<'m>) -> Result<Vec<Rlwe>, Error> {
        let (ring, plan) = (&self.core.ring, &self.shape.plan);
        let mut sums: Vec<Horner<Rlwe>> = vectors.iter().map(|_| Horner::new()).collect();
        let turn = |sum: Rlwe, left: i64| self.rotated(sum, left);
        let giants: Vec<(i64, Vec<Steps>)> = plan.by_giant(row).into_iter().rev().collect();
        for together in giants.chunks(self.giants_together) {
            let terms_of = |(_, blocks): &(i64, Vec<Steps>)| {
                let terms = |steps: &Steps| diagonals(self.core, steps.block, steps.positions.clone(), self.level);
                Ok(blocks.iter().map(terms).collect::<Result<Vec<_>, Error>>()?.into_iter().flatten().collect())
            };
            let terms = together.iter().map(terms_of).collect::<Result<Vec<Vec<Diagonal>>, Error>>()?;
            for (sum, babies) in sums.iter_mut().zip(vectors) {
                let vectors_of = |(_, blocks): &(i64, Vec<Steps>)| {
                    let of = |steps: &Steps| &babies[steps.block % plan.block_columns];
                    blocks.iter().flat_map(|steps| steps.babies.iter().map(move |baby| &of(steps)[baby])).collect()
                };
                let factors: Vec<(Vec<&Rlwe>, &[Diagonal])> =
                    together.iter().map(vectors_of).zip(terms.iter().map(Vec::as_slice)).collect();
                for ((giant, _), mut inner_sum) in together.iter().zip(self.inner_products(&factors)) {
                    sum.step(*giant, turn, |turned| {
                        turned.iter().for_each(|turned| inner_sum.add_assign(ring, turned));
                        Ok(inner_sum)
                    })?;
                }
            }
        }
        let set = &self.core.ladder.sets[self.level];
        let finish = |(sum, babies): (Horner<Rlwe>, &Babies)| {
            let some = || babies.iter().flat_map(BTreeMap::values).next().expect("products have vectors");
            Ok(sum.finish(turn)?.unwrap_or_else(|| some().zero_beside(ring, set)))
        };
        sums.into_iter().zip(vectors).map(finish).collect()
    }

    /// The ciphertext of a row of blocks, of operands of these values.
    fn finished(&self, a: &Ciphertext, values: &Estimate, row: usize, total: Rlwe) -> Ciphertext {
        let ladder = &self.core.ladder;
        let (level, scale) = (self.level - 1, ladder.scales[self.level - 1]);
        let switches = f64::from(self.shape.plan.longest_way());
        let turned = values.clone().with_noise(self.core.rounding_error(a.scale()) * switches.sqrt());
        let (shape, rounding) = (self.shape, self.core.rounding_error(scale));
        let entries = EntryRounding {
            std_dev: self.entry_error,
            diagonals: shape.plan.by_giant(row).values().flatten().map(|steps| steps.babies.len()).sum::<usize>()
                as f64,
            repeats: shape.row_repeats as f64,
        };
        let image = turned.image((shape.row_norm, shape.row_sum), shape.is_real, entries, rounding);
        let zeros = turned.image((0.0, 0.0), true, entries, rounding);
        let is_below = |slot: usize| row * shape.slot_count + slot >= shape.rows;
        let estimate = image.padded(Padding::zeros(shape.slot_count, is_below, zeros));
        let rlwe = total.rescale(&self.core.ring, &ladder.sets[level]);
        Ciphertext::new(rlwe, None, Claims::new(level, scale, estimate), a.identity())
    }

    fn rotated(&self, rlwe: Rlwe, left: i64) -> Result<Rlwe, Error> {
        let slots = self.shape.slot_count as i64;
        let left = left.rem_euclid(slots);
        let direct = self.keys.get(&left).map(|&key| vec![(left, key)]);
        let steps = match direct {
            Some(step) => step,
            None => powers_of_two(left, slots)
                .into_iter()
                .map(|left| self.keys.get(&left).map(|&key| (left, key)).ok_or_else(|| self.missing(left)))
                .collect::<Result<_, _>>()?,
        };
        let ring = &self.core.ring;
        Ok(steps.iter().fold(rlwe, |r, (left, key)| key.automorphism(ring, &r, ring.rotation_elt(*left))))
    }

    fn missing(&self, left: i64) -> Error {
        let available = self.keys.keys().map(|l| -l).collect();
        Error::MissingRotation { op: "multiply_matrix", rotation: -left, available }
    }

    /// For each sum, `Σ_k diagonal_k ⊙ vector_k`.
    fn inner_products(&self, sums: &[(Vec<&Rlwe>, &[Diagonal<'_>])]) -> Vec<Rlwe> {
        let (ring, set) = (&self.core.ring, &self.core.ladder.sets[self.level]);
        let packed: Option<Vec<_>> = sums.iter().map(|(vectors, diagonals)| packed_terms(vectors, diagonals)).collect();
        match packed {
            Some(sums) => ring.inner_products_packed(set, &sums).into_iter().map(Rlwe::from).collect(),
            None => sums.iter().map(|(vectors, diagonals)| self.unpacked_product(vectors, diagonals)).collect(),
        }
    }

    fn unpacked_product(&self, vectors: &[&Rlwe], diagonals: &[Diagonal<'_>]) -> Rlwe {
        let (ring, set) = (&self.core.ring, &self.core.ladder.sets[self.level]);
        let bodies: Vec<&Poly<Eval>> = vectors.iter().map(|v| &v.c0).collect();
        let masks: Vec<&Poly<Eval>> = vectors.iter().map(|v| &v.c1).collect();
        let y = unpacked(diagonals);
        Rlwe { c0: ring.inner_product(set, &bodies, &y), c1: ring.inner_product(set, &masks, &y) }
    }
}

/// The terms of a sum whose diagonals are all packed.
fn packed_terms<'a>(vectors: &[&'a Rlwe], diagonals: &[Diagonal<'a>]) -> Option<Vec<PackedTerm<'a>>> {
    let term = |(vector, diagonal): (&&'a Rlwe, &Diagonal<'a>)| match *diagonal {
        Diagonal::Packed(poly) => Some(([&vector.c0, &vector.c1], poly)),
        Diagonal::Unpacked(_) => None,
    };
    vectors.iter().zip(diagonals).map(term).collect()
}

/// The polynomials of diagonals that are all unpacked.
fn unpacked<'d>(diagonals: &'d [Diagonal]) -> Vec<&'d Poly<Eval>> {
    let poly = |d: &'d Diagonal| match d {
        Diagonal::Packed(_) => unreachable!("the diagonals of one matrix are of one kind"),
        Diagonal::Unpacked(poly) => poly,
    };
    diagonals.iter().map(poly).collect()
}

impl Core {
    fn expanded<'m>(&self, coeffs: &[Coefficients], level: usize) -> Result<Vec<Diagonal<'m>>, Error> {
        let one = |coeffs: &Coefficients| Ok(Diagonal::Unpacked(self.expand("multiply_matrix", coeffs, level)?.poly));
        coeffs.iter().map(one).collect()
    }

    /// A plaintext of one level at a lower one: its integers, scaled and rounded anew.
    pub(crate) fn rescaled_plain(&self, poly: &PackedPoly, from: usize, level: usize) -> Poly<Eval> {
        let few = crate::core::readable(&self.ladder.sets[from]);
        let integers = self.ring.to_i128(&self.ring.to_coeff(poly.unpack(&self.ring).restricted(&few)));
        self.transformed(&self.ladder.rescaled_integers(&integers, from, level), level)
    }
}
