//! Blind rotation: the interface that schemes implement, and the driver that they share.

use std::fmt::Debug;

use everlevel_rlwe::Lwe;
use rayon::prelude::*;

use crate::lut::Lut;

/// A bootstrapping key ready for use: a scheme's accumulators and products.
pub(crate) trait BlindRotate: Debug + Send + Sync {
    /// Bytes of the key.
    fn nbytes(&self) -> usize;

    /// Inputs that one pass over the key serves: their accumulators fit a cache together.
    fn tile(&self) -> usize;

    /// For each input of a tile, `Y^(−phase)` times its table, of which the extracted LWE ciphertexts, one for each
    /// table of the input's [`Lut`], are returned. Inputs are whole vectors of exponents, mask and then body, since the
    /// order of automorphisms depends on them all; `alone` says that no other input is waiting for the key.
    fn rotate(&self, inputs: &[Vec<u32>], luts: &[&Lut], alone: bool) -> Vec<Vec<Lwe>>;
}

/// A bootstrapping key ready for use: transformed, on huge pages.
#[derive(Debug)]
pub struct BootstrapKey(pub(crate) Box<dyn BlindRotate>);

impl BootstrapKey {
    /// Bytes of the transformed key.
    pub fn nbytes(&self) -> usize {
        self.0.nbytes()
    }

    /// Inputs that one pass over the key serves.
    pub fn batch_len(&self) -> usize {
        self.0.tile()
    }

    /// For each input, `Y^(−phase)` times its table, of which the extracted LWE ciphertexts, one for each table of the
    /// input's [`Lut`], are returned.
    ///
    /// `inputs` are exponents modulo `2EN`, mask and then body. One pass over the key serves all of them that fit the
    /// second-level cache together; `threads` of the current rayon pool take equal parts.
    ///
    /// # Panics
    /// Unless there is one table for each input.
    pub fn blind_rotate(&self, inputs: &[Vec<u32>], luts: &[&Lut], threads: usize) -> Vec<Vec<Lwe>> {
        assert_eq!(inputs.len(), luts.len(), "one table for each input");
        let tile = self.0.tile().min(inputs.len().div_ceil(threads.max(1))).max(1);
        let alone = inputs.len() == 1;
        let work = |(inputs, luts): (&[Vec<u32>], &[&Lut])| self.0.rotate(inputs, luts, alone);
        if threads > 1 && !alone {
            inputs.par_chunks(tile).zip(luts.par_chunks(tile)).flat_map_iter(work).collect()
        } else {
            inputs.chunks(tile).zip(luts.chunks(tile)).flat_map(work).collect()
        }
    }
}
