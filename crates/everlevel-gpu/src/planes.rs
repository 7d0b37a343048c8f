//! Packed residues on a device, for copies of keys and plaintexts: the low 32 bits of each in one plane, the 16 above
//! in another.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use everlevel_ring::OutOfMemory;
use everlevel_ring::device::{DevicePacked, HeldPieces, PACKED_NBYTES};
use everlevel_ring::memory::Limit;

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

/// Pieces of so many units each, free again when they are dropped.
pub(crate) struct Pieces {
    first: u64,
    each: u64,
    count: u64,
    free: Arc<Mutex<Free>>,
}

impl HeldPieces for Pieces {
    fn piece(&self, index: usize) -> DevicePacked {
        assert!((index as u64) < self.count, "there are as many pieces");
        DevicePacked((self.first + index as u64 * self.each) as u32)
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        locked(&self.free).give(self.first, self.count * self.each);
    }
}

/// Bytes of units in both planes.
fn nbytes(units: u64) -> u64 {
    units * UNIT as u64 * PACKED_NBYTES
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
        // Jobs name units by words of 32 bits, the two largest of which name none.
        let units = (packed_count / UNIT as u64).min(u64::from(u32::MAX - 1));
        let residues = units as usize * UNIT;
        let buffers = Buffers { low: device.alloc(4 * residues)?, high: device.alloc(2 * residues)? };
        let free = if units == 0 { Free::default() } else { Free(BTreeMap::from([(0, units)])) };
        Ok(Self { buffers: Mutex::new(buffers), units, free: Arc::new(Mutex::new(free)) })
    }

    pub fn lock(&self) -> MutexGuard<'_, Buffers<D>> {
        locked(&self.buffers)
    }

    /// Room for `count` pieces of `len` residues each, or the lack of it.
    pub fn take(&self, count: usize, len: usize) -> Result<Pieces, OutOfMemory> {
        let (count, each) = (count as u64, len.div_ceil(UNIT) as u64);
        let mut free = locked(&self.free);
        let first = free.take(count * each).ok_or_else(|| OutOfMemory {
            needed: nbytes(count * each),
            available: nbytes(free.0.values().copied().max().unwrap_or(0)),
            limit: Limit::DeviceCopies,
        })?;
        Ok(Pieces { first, each, count, free: Arc::clone(&self.free) })
    }

    /// Copies residues to a piece, in halves.
    pub fn fill(&self, device: &D, stream: &D::Stream, to: DevicePacked, residues: &[u64]) -> Result<(), Error> {
        let low: Vec<u32> = residues.iter().map(|&x| x as u32).collect();
        let high: Vec<u16> = residues.iter().map(|&x| (x >> 32) as u16).collect();
        let at = to.0 as usize * UNIT;
        let mut buffers = self.lock();
        device.upload(stream, &mut buffers.low, 4 * at, bytemuck::cast_slice(&low))?;
        device.upload(stream, &mut buffers.high, 2 * at, bytemuck::cast_slice(&high))
    }

    /// Whether `len` residues from a piece's first one on lie in the planes.
    pub fn has(&self, piece: DevicePacked, len: usize) -> bool {
        u64::from(piece.0) + len.div_ceil(UNIT) as u64 <= self.units
    }

    /// Residues that are in use.
    pub(crate) fn held_count(&self) -> u64 {
        self.held_units() * UNIT as u64
    }

    /// Bytes that are in use, and all.
    pub(crate) fn held_nbytes(&self) -> [u64; 2] {
        [self.held_units(), self.units].map(nbytes)
    }

    fn held_units(&self) -> u64 {
        self.units - locked(&self.free).0.values().sum::<u64>()
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
