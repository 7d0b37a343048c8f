//! Products of digits with the rows of keys.

use everlevel_math::packed;
use everlevel_ring::{PackedPoly, PrimeSet, ResidueRows};

use crate::residues::Table;
use crate::{Device, DevicePoly, Error, Residues};

/// The rows of a key on a device, with their masks.
///
/// *Layout.* The limb of row `r`, part `c` (0 the body, 1 the mask) and the set's prime `p` is limb
/// `(2·r + c)·|set| + p` of two planes: the low 32 bits of its residues, and the 16 bits above.
#[derive(Debug)]
pub struct DeviceKey<D: Device> {
    set: PrimeSet,
    n: usize,
    row_count: usize,
    low: D::Buffer,
    high: D::Buffer,
}

impl<D: Device> Residues<'_, D> {
    /// Copies a key to the device; masks that the key has as a seed are expanded.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn upload_key(&self, rows: &ResidueRows) -> Result<DeviceKey<D>, Error> {
        let set = rows.bodies().first().map_or_else(|| PrimeSet::new([]), |body| body.set().clone());
        let expanded: Vec<PackedPoly>;
        let masks = if let Some(masks) = rows.masks() {
            masks
        } else {
            expanded = rows.expanded_masks(self.ring);
            &expanded
        };
        let (mut low, mut high): (Vec<u32>, Vec<u16>) = Default::default();
        let mut limb = vec![0; self.ring.n()];
        for poly in rows.bodies().iter().zip(masks).flat_map(|(body, mask)| [body, mask]) {
            for &prime in set.indices() {
                packed::unpack(&mut limb, poly.limb(prime));
                low.extend(limb.iter().map(|&x| x as u32));
                high.extend(limb.iter().map(|&x| (x >> 32) as u16));
            }
        }
        let low = self.table(bytemuck::cast_slice(&low))?;
        let high = self.table(bytemuck::cast_slice(&high))?;
        Ok(DeviceKey { set, n: self.ring.n(), row_count: rows.bodies().len(), low, high })
    }

    /// For each operand, the sums of its digits' products with the bodies and with the masks of a key, over the digits'
    /// primes: the half product's `multiply`.
    ///
    /// # Errors
    /// [`Error::OutOfLimbs`].
    ///
    /// # Panics
    /// If an operand has no digits, or the key lacks a row or one of their primes.
    pub fn key_products(
        &mut self,
        digits: &[&[(usize, DevicePoly)]],
        key: &DeviceKey<D>,
    ) -> Result<Vec<[DevicePoly; 2]>, Error> {
        assert_eq!(key.n, self.ring.n(), "the key is of the ring's degree");
        let (mut lists, mut jobs): (Vec<u32>, Vec<u32>) = Default::default();
        let mut sums = Vec::new();
        for digits in digits {
            let set = digits[0].1.set();
            assert!(digits.iter().all(|(k, _)| *k < key.row_count), "the key has the digits' rows");
            let sum = [self.take(set)?, self.take(set)?];
            for &prime in set.indices() {
                let at = key.set.position(prime).expect("the key has the digits' primes");
                let row = |row: usize, part: usize| ((2 * row + part) * key.set.len() + at) as u32;
                let [body, mask] = [0, 1].map(|part: usize| self.word_of(sum[part].limb(prime)));
                jobs.extend([body, mask, self.word_of_prime(prime), lists.len() as u32, digits.len() as u32]);
                let term = |(k, digit): &(usize, DevicePoly)| [self.word_of(digit.limb(prime)), row(*k, 0), row(*k, 1)];
                lists.extend(digits.iter().flat_map(term));
            }
            sums.push(sum);
        }
        let lists = self.table(bytemuck::cast_slice(&lists))?;
        let tables = [
            Table::Primes,
            Table::Jobs,
            Table::Of(&lists),
            Table::Of(&key.low),
            Table::Of(&key.high),
            Table::Word(self.ring.n() as u32),
        ];
        self.run("key_product", self.blocks(), (&jobs, 5), &tables)?;
        Ok(sums)
    }
}
