//! Deterministic inputs for tests and benches, with the edges of each range among them.

/// A generator of test values (SplitMix64: no cryptographic claim).
#[derive(Debug, Clone)]
pub struct Sampler(u64);

impl Sampler {
    /// A stream for one seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A canonical residue; one in eight is at an edge: 0, 1, q − 1 or q/2.
    pub fn residue(&mut self, q: u64) -> u64 {
        let w = self.word();
        match w % 32 {
            0 => 0,
            1 => 1,
            2 => q - 1,
            3 => q / 2,
            _ => (w >> 5) % q,
        }
    }

    /// A limb of [`Sampler::residue`].
    pub fn limb(&mut self, n: usize, q: u64) -> Vec<u64> {
        (0..n).map(|_| self.residue(q)).collect()
    }
}

/// The limbs that push lazy ranges: all `q − 1`, all `0`, all `1`, alternating `0` and `q − 1` at every power-of-two
/// distance, then random.
pub fn edge_limbs(n: usize, q: u64, seed: u64) -> Vec<Vec<u64>> {
    let mut all = vec![vec![q - 1; n], vec![0; n], vec![1; n]];
    for bit in 0..n.ilog2() {
        all.push((0..n).map(|i| if i >> bit & 1 == 0 { q - 1 } else { 0 }).collect());
    }
    let mut sampler = Sampler::new(seed);
    all.extend((0..3).map(|_| sampler.limb(n, q)));
    all
}
