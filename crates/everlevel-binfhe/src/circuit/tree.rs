//! Vertical packing: CMux trees over polynomials of public entries, and rotations by encrypted bits.

use everlevel_math::fft::ExternalProduct;

use super::ggsw::EncryptedBits;
use crate::automorphisms::add_each;

/// Entries of a table as polynomials: those of a block's values side by side, as many as there are values of the bits
/// that rotate.
#[derive(Debug)]
pub(super) struct Packed {
    /// Polynomials by the upper bits of the index.
    leaves: Vec<Vec<u64>>,
    /// Bits of the index that rotate, the lower ones.
    rotating: usize,
}

impl Packed {
    /// The polynomials of degree `n` of a table with `2^bits` values of an index, where `value(index, block)` is the
    /// torus element of one of `blocks` blocks.
    pub(super) fn new(n: usize, bits: usize, blocks: usize, value: impl Fn(usize, usize) -> u64) -> Self {
        let rotating = bits.min((n / blocks.next_power_of_two()).ilog2() as usize);
        let size = 1 << rotating;
        let leaf = |upper: usize| {
            let mut leaf = vec![0; n];
            for block in 0..blocks {
                (0..size).for_each(|lower| leaf[block * size + lower] = value(upper * size + lower, block));
            }
            leaf
        };
        Self { leaves: (0..1 << (bits - rotating)).map(leaf).collect(), rotating }
    }

    /// The coefficient where a block's entry comes out.
    pub(super) fn place(&self, block: usize) -> usize {
        block << self.rotating
    }

    /// The table's entries at an encrypted index, in a ciphertext of all blocks: bits are from the least significant.
    pub(super) fn select(&self, product: &ExternalProduct, bits: &EncryptedBits, scratch: &mut [f64]) -> Vec<u64> {
        let n = product.fft().n();
        let body = |leaf: &[u64]| [&vec![0; n], leaf].concat();
        let mut level: Vec<Vec<u64>> = self.leaves.iter().map(|leaf| body(leaf)).collect();
        for bit in self.rotating..bits.len() {
            let (mut low, high): (Vec<_>, Vec<_>) = split(level);
            let differences: Vec<Vec<u64>> = low
                .iter()
                .zip(&high)
                .map(|(a, b)| b.iter().zip(a).map(|(b, a)| b.wrapping_sub(*a)).collect())
                .collect();
            add_each(product, &mut low, &differences, bits.matrix(bit), scratch);
            level = low;
        }
        let mut selected = level.swap_remove(0);
        for bit in 0..self.rotating {
            let exponent = 2 * n - (1 << bit);
            let scratch = &mut scratch[..product.scratch_len()];
            product.rotate_add([(&mut selected, exponent)], bits.matrix(bit), scratch, &[]);
        }
        selected
    }
}

/// Elements of even places, and those of odd ones.
fn split<T>(all: Vec<T>) -> (Vec<T>, Vec<T>) {
    let (mut even, mut odd) = (Vec::new(), Vec::new());
    for (i, x) in all.into_iter().enumerate() {
        if i % 2 == 0 { even.push(x) } else { odd.push(x) }
    }
    (even, odd)
}
