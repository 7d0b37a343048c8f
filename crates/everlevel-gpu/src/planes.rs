//! Packed residues on a device, for copies of keys and plaintexts: the low 32 bits of each in one plane, the 16 above
//! in another.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Device, Error};

/// Residues of a unit, in which ranges are counted.
pub(crate) const UNIT: usize = 64;

/// Both planes.
pub(crate) struct Buffers<D: Device> {
    pub low: D::Buffer,
    pub high: D::Buffer,
}

/// The planes of a device, and what of them is free.
pub(crate) struct Planes<D: Device> {
    buffers: Mutex<Buffers<D>>,
    units: u64,
    free: Arc<Mutex<Free>>,
}

/// Free ranges of units, by where they begin; no two of them touch.
#[derive(Debug, Default)]
struct Free(BTreeMap<u64, u64>);

/// A range of units, free again when it is dropped.
pub(crate) struct Range {
    first: u64,
    count: u64,
    free: Arc<Mutex<Free>>,
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Range").field("first", &self.first).field("count", &self.count).finish_non_exhaustive()
    }
}

impl Range {
    /// The unit at residue `at` of the range, as a job names it.
    pub fn unit(&self, at: usize) -> u32 {
        (self.first + (at / UNIT) as u64) as u32
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        locked(&self.free).give(self.first, self.count);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Free {
    /// The first range that is large enough.
    fn take(&mut self, count: u64) -> Option<u64> {
        let (&first, &free) = self.0.iter().find(|&(_, &free)| free >= count)?;
        self.0.remove(&first);
        if free > count {
            self.0.insert(first + count, free - count);
        }
        Some(first)
    }

    fn give(&mut self, mut first: u64, mut count: u64) {
        if let Some(next) = self.0.remove(&(first + count)) {
            count += next;
        }
        if let Some((&before, &free)) = self.0.range(..first).next_back()
            && before + free == first
        {
            (first, count) = (before, free + count);
        }
        self.0.insert(first, count);
    }
}

impl<D: Device> Planes<D> {
    pub fn new(device: &D, packed_count: u64) -> Result<Self, Error> {
        // Jobs name units by words of 32 bits.
        let units = (packed_count / UNIT as u64).min(u64::from(u32::MAX));
        let residues = units as usize * UNIT;
        let buffers = Buffers { low: device.alloc(4 * residues)?, high: device.alloc(2 * residues)? };
        let free = if units == 0 { Free::default() } else { Free(BTreeMap::from([(0, units)])) };
        Ok(Self { buffers: Mutex::new(buffers), units, free: Arc::new(Mutex::new(free)) })
    }

    pub fn lock(&self) -> MutexGuard<'_, Buffers<D>> {
        locked(&self.buffers)
    }

    /// Packed residues in a range of their own.
    pub fn hold(&self, device: &D, stream: &D::Stream, low: &[u32], high: &[u16]) -> Result<Range, Error> {
        let count = low.len().div_ceil(UNIT) as u64;
        let first = locked(&self.free).take(count).ok_or(Error::OutOfMemory { nbytes: 6 * low.len(), free: None })?;
        let range = Range { first, count, free: Arc::clone(&self.free) };
        let at = first as usize * UNIT;
        let mut buffers = self.lock();
        device.upload(stream, &mut buffers.low, 4 * at, bytemuck::cast_slice(low))?;
        device.upload(stream, &mut buffers.high, 2 * at, bytemuck::cast_slice(high))?;
        Ok(range)
    }

    /// Residues that are in use.
    pub(crate) fn held_count(&self) -> u64 {
        (self.units - locked(&self.free).0.values().sum::<u64>()) * UNIT as u64
    }
}

/// The halves of residues, for the planes.
#[derive(Default)]
pub(crate) struct Halves {
    pub low: Vec<u32>,
    pub high: Vec<u16>,
}

impl Halves {
    /// Appends residues, filled up to a whole unit.
    pub fn extend(&mut self, residues: &[u64]) {
        self.low.extend(residues.iter().map(|&x| x as u32));
        self.high.extend(residues.iter().map(|&x| (x >> 32) as u16));
        self.low.resize(self.low.len().next_multiple_of(UNIT), 0);
        self.high.resize(self.low.len(), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_are_given_back_join_their_neighbours() {
        let mut free = Free(BTreeMap::from([(0, 10)]));
        let taken: Vec<u64> = [3, 4, 3].map(|count| free.take(count).expect("a range")).to_vec();
        assert_eq!(taken, [0, 3, 7]);
        assert_eq!(free.take(1), None);
        free.give(0, 3);
        free.give(7, 3);
        assert_eq!(free.take(4), None);
        free.give(3, 4);
        assert_eq!(free.0, BTreeMap::from([(0, 10)]));
    }
}
