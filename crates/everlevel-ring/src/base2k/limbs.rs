//! The layout of limbs.

use zeroize::Zeroize;

use crate::Limb;

/// An element of `T[X]/(X^n + 1)`: limb `j` has the multiples of `2^(−(j+1)·K)`, as `n` signed words.
#[derive(Debug, Clone)]
pub struct Limbs(Vec<Limb>);

/// The transforms of an element's limbs.
#[derive(Debug)]
pub struct LimbDigits {
    pub(super) count: usize,
    pub(super) transforms: Vec<Limb>,
}

impl Limbs {
    pub(super) fn new(limbs: Vec<Limb>) -> Self {
        Self(limbs)
    }

    /// How many limbs there are: the precision.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Limb `j`.
    pub fn limb(&self, j: usize) -> &[i64] {
        bytemuck::cast_slice(&self.0[j])
    }

    /// All limbs.
    pub fn views(&self) -> Vec<&[i64]> {
        self.0.iter().map(|limb| bytemuck::cast_slice(limb)).collect()
    }

    /// All limbs, to write to.
    pub fn views_mut(&mut self) -> Vec<&mut [i64]> {
        self.0.iter_mut().map(|limb| bytemuck::cast_slice_mut(limb)).collect()
    }

    /// Keeps the first limbs: a normalised element rounded to lower precision.
    pub fn truncate(&mut self, count: usize) {
        self.0.truncate(count);
    }

    /// Bytes of the limbs.
    pub fn nbytes(&self) -> usize {
        self.0.iter().map(|limb| 8 * limb.len()).sum()
    }
}

impl Zeroize for Limbs {
    fn zeroize(&mut self) {
        self.0.iter_mut().for_each(|limb| limb[..].zeroize());
    }
}
