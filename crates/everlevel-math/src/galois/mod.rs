//! Automorphisms of limbs, on coefficients and as permutations of the transform domain.

use crate::Modulus;
#[cfg(target_arch = "x86_64")]
use crate::simd::Level;
use crate::simd::Simd;

#[cfg(target_arch = "x86_64")]
mod avx512;

/// The automorphism `X ↦ X^g` of `Z[X]/(X^n + 1)`, in both domains.
///
/// In the transform domain, index `i` holds the value at `ψ^(2·brv(i)+1)`, so `X ↦ X^g` permutes indices. An aligned
/// block of `2^k` indices shares the low bits of its exponents and therefore comes from one aligned block of the same
/// size: kernels can work block by block, down to one vector of eight, inside which the permutation is one of 32
/// (`j ↦ g·j + c mod 8` on bit-reversed lanes).
#[derive(Debug, Clone)]
pub struct GaloisMap {
    log_n: u32,
    simd: Simd,
    /// The source of each group of eight destinations: `source_group · 32 + lane permutation`.
    groups: Vec<u32>,
}

/// `LANES[p][lane]`: the source lane, for permutation `p = (g mod 8)/2·8 + c`.
static LANES: [[u64; 8]; 32] = lane_table();

const fn brv3(x: u64) -> u64 {
    (x & 1) << 2 | (x & 2) | (x & 4) >> 2
}

const fn lane_table() -> [[u64; 8]; 32] {
    let mut table = [[0; 8]; 32];
    let mut p = 0;
    while p < 32 {
        let (g, c) = ((p as u64 / 8) * 2 + 1, p as u64 % 8);
        let mut lane = 0;
        while lane < 8 {
            table[p][lane] = brv3((g * brv3(lane as u64) + c) % 8);
            lane += 1;
        }
        p += 1;
    }
    table
}

fn bit_reverse(i: u64, bits: u32) -> u64 {
    if bits == 0 { 0 } else { i.reverse_bits() >> (64 - bits) }
}

impl GaloisMap {
    /// The map of the odd element `galois_elt` modulo `2n`, on the best backend of this CPU.
    ///
    /// # Panics
    /// If `galois_elt` is even or `log_n < 3`.
    pub fn new(log_n: u32, galois_elt: u64) -> Self {
        Self::with_simd(log_n, galois_elt, Simd::best())
    }

    /// [`GaloisMap::new`] on a chosen backend.
    ///
    /// # Panics
    /// As [`GaloisMap::new`].
    pub fn with_simd(log_n: u32, galois_elt: u64, simd: Simd) -> Self {
        assert!(galois_elt % 2 == 1 && log_n >= 3);
        let two_n = 2u64 << log_n;
        let galois_elt = galois_elt % two_n;
        let group_bits = log_n - 3;
        let groups = (0..1u64 << group_bits)
            .map(|group| {
                // Exponents of this group: low + (2n/8)·j for j = brv3(lane), with low < 2n/8.
                let low = 2 * bit_reverse(group, group_bits) + 1;
                let image = low * galois_elt % two_n;
                let source_low = image % (two_n / 8);
                let carry = image / (two_n / 8);
                let source_group = bit_reverse((source_low - 1) / 2, group_bits);
                (source_group * 32 + (galois_elt % 8) / 2 * 8 + carry) as u32
            })
            .collect();
        Self { log_n, simd, groups }
    }

    /// The aligned block that the block `block` of `block_len` destinations is read from.
    pub fn source_block(&self, block: usize, block_len: usize) -> usize {
        (self.groups[block * (block_len / 8)] / 32) as usize * 8 / block_len
    }

    /// `out = σ(a)` in the transform domain, for a whole limb.
    pub fn apply_into(&self, out: &mut [u64], a: &[u64]) {
        assert_eq!(a.len(), 1 << self.log_n);
        self.apply_block_into(out, a, 0);
    }

    /// Block `block` of `σ(a)`, of length `out.len()`, from the block `source` of `a` that it is read from.
    pub fn apply_block_into(&self, out: &mut [u64], source: &[u64], block: usize) {
        let groups = self.block_groups(out.len(), source.len(), block);
        match self.simd.0 {
            // SAFETY: the kernel needs AVX-512, which `Simd::available` detected before it made a `Simd` of this level;
            // its slices are checked by bounds.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Ifma => unsafe { avx512::apply(out, source, groups) },
            _ => for_each_source(groups, source.len(), |i, s| out[i] = source[s]),
        }
    }

    /// `acc += σ(a)` in the transform domain, for a whole limb.
    pub fn apply_add_assign(&self, m: &Modulus, acc: &mut [u64], a: &[u64]) {
        assert_eq!(a.len(), 1 << self.log_n);
        self.apply_block_add_assign(m, acc, a, 0);
    }

    /// Adds block `block` of `σ(a)`, of length `acc.len()`, from the block `source` of `a` that it is read from.
    pub fn apply_block_add_assign(&self, m: &Modulus, acc: &mut [u64], source: &[u64], block: usize) {
        let groups = self.block_groups(acc.len(), source.len(), block);
        match self.simd.0 {
            // SAFETY: the kernel needs AVX-512, which `Simd::available` detected before it made a `Simd` of this level;
            // its slices are checked by bounds.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Ifma => unsafe { avx512::apply_add(m.q(), acc, source, groups) },
            _ => for_each_source(groups, source.len(), |i, s| acc[i] = m.add(acc[i], source[s])),
        }
    }

    /// The entries of a block of `len` destinations.
    fn block_groups(&self, len: usize, source_len: usize, block: usize) -> &[u32] {
        assert!(len == source_len && len.is_power_of_two() && len >= 8 && (block + 1) * len <= 1 << self.log_n);
        &self.groups[block * (len / 8)..(block + 1) * (len / 8)]
    }
}

/// Calls `f(destination, source)` for each index of a block, both relative to their block.
#[inline]
fn for_each_source(groups: &[u32], len: usize, mut f: impl FnMut(usize, usize)) {
    for (i, &entry) in groups.iter().enumerate() {
        let s = ((entry / 32) as usize * 8) & (len - 1);
        for (lane, &source) in LANES[entry as usize % 32].iter().enumerate() {
            f(8 * i + lane, s + source as usize);
        }
    }
}
