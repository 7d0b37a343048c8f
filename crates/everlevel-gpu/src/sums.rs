//! Sums of products: of digits with the rows of keys, and of ciphertexts' images with plaintexts.

use everlevel_ring::device::{DiagonalSums, DiagonalTerm, KeyProduct, Plain};

use crate::arena::Table;
use crate::constants::{ABSENT, NONE};
use crate::{Arena, Device, Error};

/// Most terms of a sum.
const MOST_TERMS: usize = 1 << 14;

impl<D: Device> Arena<D> {
    /// For each job, the sums of its digits' products with the bodies and with the masks of a key.
    ///
    /// # Errors
    /// The device's.
    ///
    /// # Panics
    /// If a job has no digits.
    pub(crate) fn key_products(&self, products: &[KeyProduct]) -> Result<(), Error> {
        let (mut lists, mut jobs): (Vec<u32>, Vec<u32>) = Default::default();
        // Products of the same digits, as rotations of one ciphertext have, follow one another: caches have the digits.
        let mut products: Vec<&KeyProduct> = products.iter().collect();
        products.sort_by_key(|product| (product.prime, product.terms.first().map(|(digit, _)| self.word_of(*digit))));
        for KeyProduct { to, prime, terms, addends, .. } in &products {
            assert!(!terms.is_empty() && terms.len() <= MOST_TERMS / 2, "a product has digits");
            let addends = addends.map(|limb| limb.map_or(NONE, |limb| self.word_of(limb)));
            jobs.extend([self.word_of(to[0]), self.word_of(to[1]), self.word_of_prime(*prime)]);
            jobs.extend([lists.len() as u32, terms.len() as u32, addends[0], addends[1]]);
            for (digit, row) in terms {
                lists.push(self.word_of(*digit));
                lists.extend(row.map(|piece| self.word_of_packed(piece, self.n())));
            }
        }
        let factors: Vec<u64> = products.iter().map(|product| product.factor).collect();
        let lists = self.table(bytemuck::cast_slice(&lists))?;
        let factors = self.table(bytemuck::cast_slice(&factors))?;
        let tables = [
            Table::Primes,
            Table::Jobs,
            Table::Of(&lists),
            Table::Of(&factors),
            Table::Low,
            Table::High,
            Table::Word(self.n() as u32),
        ];
        self.launch("key_product", self.blocks(), (&jobs, 7), &tables)
    }

    /// Sums of ciphertexts' images times plaintexts.
    ///
    /// # Errors
    /// The device's.
    pub(crate) fn diagonal_sums(&self, all: &[DiagonalSums]) -> Result<(), Error> {
        let (few, many): (Vec<_>, Vec<_>) = all.iter().partition(|sums| sums.to.len() == 1);
        self.sums_of::<1>(&few)?;
        self.sums_of::<4>(&many)
    }

    /// Sums of ciphertexts' images times plaintexts, `SUMS` of them a thread.
    fn sums_of<const SUMS: usize>(&self, all: &[&DiagonalSums]) -> Result<(), Error> {
        let (mut lists, mut jobs): (Vec<u32>, Vec<u32>) = Default::default();
        for DiagonalSums { to, prime, terms } in all {
            assert!(terms.len() <= MOST_TERMS, "a sum has at most {MOST_TERMS} terms");
            for (at, to) in to.chunks(SUMS).enumerate() {
                let first = lists.len() / (3 + 2 * SUMS);
                for DiagonalTerm { x, galois_elt, y } in terms {
                    lists.extend(x.map(|part| self.word_of(part)));
                    lists.push((galois_elt % (2 * self.n() as u64)) as u32);
                    lists.extend((0..SUMS).flat_map(|k| match y.get(at * SUMS + k) {
                        None | Some(Plain::Zero) => [ABSENT, 0],
                        Some(Plain::One) => [NONE, 0],
                        Some(&Plain::Packed { piece, log2_run }) => {
                            [self.word_of_packed(piece, self.n() >> log2_run), log2_run]
                        }
                    }));
                }
                jobs.extend([self.word_of_prime(*prime), first as u32, terms.len() as u32, to.len() as u32]);
                let limbs = to.iter().flatten().map(|&part| self.word_of(part));
                jobs.extend(limbs.chain(std::iter::repeat(NONE)).take(2 * SUMS));
            }
        }
        if jobs.is_empty() {
            return Ok(());
        }
        let lists = self.table(bytemuck::cast_slice(&lists))?;
        let tables =
            [Table::Primes, Table::Jobs, Table::Of(&lists), Table::Low, Table::High, Table::Word(self.log_n())];
        self.launch(&format!("diagonal_sums_{SUMS}"), self.blocks(), (&jobs, 4 + 2 * SUMS), &tables)
    }
}
