//! Sums of products: of digits with the rows of keys, and of ciphertexts' images with plaintexts.

use std::sync::Arc;

use everlevel_math::packed;
use everlevel_ring::device::{DiagonalSums, DiagonalTerm, KeyProduct, OnDevice, Plain};
use everlevel_ring::{Diagonal, PackedPoly, PrimeSet, ResidueRows};

use crate::arena::Table;
use crate::planes::{Halves, Range};
use crate::{Device, Error, Residues};

/// In place of a limb or a unit that a job doesn't need, and of a plaintext that is zero: as in words.h.
const NONE: u32 = u32::MAX;
const ABSENT: u32 = u32::MAX - 1;

/// Most terms of a sum.
const MOST_TERMS: usize = 1 << 14;

/// The rows of a key on a device, with their masks: row `r`, part `c` (0 the body, 1 the mask) and the set's prime `p`
/// is packed limb `(2·r + c)·|set| + p` of the range.
#[derive(Debug)]
pub(crate) struct HeldRows {
    set: PrimeSet,
    row_count: usize,
    range: Range,
}

/// A plaintext on a device: a packed limb, or a shorter table, for each prime.
#[derive(Debug)]
pub(crate) struct HeldPlain {
    set: PrimeSet,
    /// Each value stands for `2^log2_run` indices.
    log2_run: u32,
    /// Packed residues from one prime's to the next one's.
    stride: usize,
    range: Range,
}

/// The factor of a term.
enum HeldFactor {
    Zero,
    One,
    Plain(Arc<HeldPlain>),
}

impl HeldPlain {
    fn serves(&self, set: &PrimeSet) -> bool {
        set.is_subset(&self.set)
    }
}

impl<D: Device> Residues<'_, D> {
    fn hold(&self, Halves { low, high }: &Halves) -> Result<Range, Error> {
        let arena = self.arena;
        arena.planes.hold(arena.device(), arena.stream(), low, high)
    }

    /// The device's copy of a key; masks that the key has as a seed are expanded.
    pub(crate) fn rows(&self, rows: &ResidueRows) -> Result<Arc<HeldRows>, Error> {
        let held = rows.copies().on(
            self.arena.id(),
            |_| true,
            || {
                let set = rows.bodies().first().map_or_else(|| PrimeSet::new([]), |body| body.set().clone());
                let expanded: Vec<PackedPoly>;
                let masks = if let Some(masks) = rows.masks() {
                    masks
                } else {
                    expanded = rows.expanded_masks(self.ring);
                    &expanded
                };
                let (mut all, mut limb) = (Halves::default(), vec![0; self.ring.n()]);
                for poly in rows.bodies().iter().zip(masks).flat_map(|(body, mask)| [body, mask]) {
                    for &prime in set.indices() {
                        packed::unpack(&mut limb, poly.limb(prime));
                        all.extend(&limb);
                    }
                }
                Ok(HeldRows { set, row_count: rows.bodies().len(), range: self.hold(&all)? })
            },
        )?;
        self.arena.use_copy(Arc::clone(&held) as _);
        Ok(held)
    }

    fn diagonal(&self, diagonal: &Diagonal, set: &PrimeSet) -> Result<Arc<HeldPlain>, Error> {
        diagonal.copies().on(
            self.arena.id(),
            |held: &HeldPlain| held.serves(set),
            || {
                let (mut all, mut shape) = (Halves::default(), (0, 0));
                for &prime in set.indices() {
                    let (log2_run, values) = diagonal.values(self.ring, prime);
                    all.extend(&values);
                    shape = (log2_run, all.low.len());
                }
                let stride = shape.1 / set.len().max(1);
                Ok(HeldPlain { set: set.clone(), log2_run: shape.0, stride, range: self.hold(&all)? })
            },
        )
    }

    fn packed(&self, poly: &PackedPoly) -> Result<Arc<HeldPlain>, Error> {
        poly.copies().on(
            self.arena.id(),
            |_| true,
            || {
                let (mut all, mut limb) = (Halves::default(), vec![0; self.ring.n()]);
                for &prime in poly.set().indices() {
                    packed::unpack(&mut limb, poly.limb(prime));
                    all.extend(&limb);
                }
                Ok(HeldPlain { set: poly.set().clone(), log2_run: 0, stride: limb.len(), range: self.hold(&all)? })
            },
        )
    }

    fn plain(&self, plain: Option<Plain<'_>>) -> Result<HeldFactor, Error> {
        let held = match plain {
            None => return Ok(HeldFactor::Zero),
            Some(Plain::One) => return Ok(HeldFactor::One),
            Some(Plain::Diagonal(diagonal, set)) => self.diagonal(diagonal, set)?,
            Some(Plain::Packed(poly)) => self.packed(poly)?,
        };
        self.arena.use_copy(Arc::clone(&held) as _);
        Ok(HeldFactor::Plain(held))
    }

    /// For each product, the sums of its digits' products with the bodies and with the masks of its key.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] for a key that isn't on the device yet.
    ///
    /// # Panics
    /// If a product has no digits, or its key lacks a row or one of their primes.
    pub fn key_products(&self, products: &[KeyProduct<'_>]) -> Result<(), Error> {
        let arena = self.arena;
        let (mut lists, mut jobs, mut factors): (Vec<u32>, Vec<u32>, Vec<u64>) = Default::default();
        let keys = products.iter().map(|product| self.rows(product.rows)).collect::<Result<Vec<_>, _>>()?;
        for (KeyProduct { to, digits, addends, .. }, key) in products.iter().zip(&keys) {
            let digits: Vec<_> = digits.iter().map(|(k, digit)| (*k, digit.on_device())).collect();
            assert!(!digits.is_empty() && digits.len() <= MOST_TERMS / 2, "a product has digits");
            assert!(digits.iter().all(|(k, _)| *k < key.row_count), "the key has the digits' rows");
            for (prime, body) in to[0].each() {
                let at = key.set.position(prime).expect("the key has the digits' primes");
                let row =
                    |row: usize, part: usize| key.range.unit(((2 * row + part) * key.set.len() + at) * self.ring.n());
                let addend = |part: usize| {
                    let poly = addends.and_then(|(polys, _)| polys[part]).filter(|poly| poly.set.contains(prime));
                    poly.map_or(NONE, |poly| arena.word_of(poly.limb(prime)))
                };
                factors.push(addends.map_or(0, |(_, factor)| self.ring.product_mod(factor, prime)));
                jobs.extend([arena.word_of(body), arena.word_of(to[1].limb(prime)), arena.word_of_prime(prime)]);
                jobs.extend([lists.len() as u32, digits.len() as u32, addend(0), addend(1)]);
                let term = |(k, digit): &(usize, OnDevice)| [arena.word_of(digit.limb(prime)), row(*k, 0), row(*k, 1)];
                lists.extend(digits.iter().flat_map(term));
            }
        }
        let lists = arena.table(bytemuck::cast_slice(&lists))?;
        let factors = arena.table(bytemuck::cast_slice(&factors))?;
        let tables = [
            Table::Primes,
            Table::Jobs,
            Table::Of(&lists),
            Table::Of(&factors),
            Table::Low,
            Table::High,
            Table::Word(self.ring.n() as u32),
        ];
        arena.run("key_product", arena.blocks(), (&jobs, 7), &tables)
    }

    /// Sums of ciphertexts' images times plaintexts.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] for a plaintext that isn't on the device yet.
    ///
    /// # Panics
    /// If a plaintext lacks a prime.
    pub fn diagonal_sums(&self, sums: &[DiagonalSums<'_>]) -> Result<(), Error> {
        let (few, many): (Vec<_>, Vec<_>) = sums.iter().partition(|sum| sum.to.len() == 1);
        self.sums_of::<1>(&few)?;
        self.sums_of::<4>(&many)
    }

    /// The same, for `SUMS` sums a thread.
    fn sums_of<const SUMS: usize>(&self, all: &[&DiagonalSums<'_>]) -> Result<(), Error> {
        let arena = self.arena;
        let (mut lists, mut jobs): (Vec<u32>, Vec<u32>) = Default::default();
        let mut plains: Vec<Vec<Vec<_>>> = Vec::new();
        for sums in all {
            assert!(sums.terms.len() <= MOST_TERMS, "a sum has at most {MOST_TERMS} terms");
            let of_term = |term: &DiagonalTerm<'_>| term.y.iter().map(|&y| self.plain(y)).collect();
            plains.push(sums.terms.iter().map(of_term).collect::<Result<_, Error>>()?);
        }
        let set = all.first().map_or_else(|| PrimeSet::new([]), |sums| sums.to[0][0].set.clone());
        // Sums at one prime follow one another, since they read the same ciphertexts.
        for &prime in set.indices() {
            for (sums, plains) in all.iter().zip(&plains) {
                for (at, to) in sums.to.chunks(SUMS).enumerate() {
                    let first = lists.len() / (3 + 2 * SUMS);
                    for (term, plains) in sums.terms.iter().zip(plains) {
                        if !term.x[0].set.contains(prime) {
                            continue;
                        }
                        lists.extend(term.x.map(|part| arena.word_of(part.limb(prime))));
                        lists.push((term.galois_elt % (2 * self.ring.n() as u64)) as u32);
                        lists.extend((0..SUMS).flat_map(|k| match plains.get(at * SUMS + k) {
                            None | Some(HeldFactor::Zero) => [ABSENT, 0],
                            Some(HeldFactor::One) => [NONE, 0],
                            Some(HeldFactor::Plain(held)) => {
                                let at = held.set.position(prime).expect("the plaintext has the sum's primes");
                                [held.range.unit(at * held.stride), held.log2_run]
                            }
                        }));
                    }
                    let count = lists.len() / (3 + 2 * SUMS) - first;
                    jobs.extend([arena.word_of_prime(prime), first as u32, count as u32, to.len() as u32]);
                    let limbs = to.iter().flatten().map(|part| arena.word_of(part.limb(prime)));
                    jobs.extend(limbs.chain(std::iter::repeat(NONE)).take(2 * SUMS));
                }
            }
        }
        if jobs.is_empty() {
            return Ok(());
        }
        let lists = arena.table(bytemuck::cast_slice(&lists))?;
        let tables =
            [Table::Primes, Table::Jobs, Table::Of(&lists), Table::Low, Table::High, Table::Word(self.ring.log_n())];
        arena.run(&format!("diagonal_sums_{SUMS}"), arena.blocks(), (&jobs, 4 + 2 * SUMS), &tables)
    }
}
