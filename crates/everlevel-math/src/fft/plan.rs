//! The plan of a transform: its levels, grouped into passes. Fixed for each size, never chosen by timing.

/// The passes of a transform of `m = 2^log_m` complex points.
///
/// The first pass has radix `2^log_first` over the whole; each of its blocks then goes through the passes of
/// `log_middle`, and groups of 64 points take the last six levels. No radix above 8: sixteen complex vectors don't fit
/// 32 registers. Above 2^10 points the first is at most 4: with 8, the strides put too many lines into one set of L1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub log_m: u32,
    pub log_first: u32,
    pub log_middle: &'static [u32],
}

impl Plan {
    /// `n = 2^8 … 2^16` coefficients.
    pub(super) fn new(n: usize) -> Option<Self> {
        if !n.is_power_of_two() {
            return None;
        }
        let (log_first, log_middle): (u32, &[u32]) = match n.ilog2() {
            8 => (1, &[]),
            9 => (2, &[]),
            10 => (3, &[]),
            11 => (2, &[2]),
            12 => (2, &[3]),
            13 => (2, &[2, 2]),
            14 => (2, &[2, 3]),
            15 => (2, &[3, 3]),
            16 => (2, &[2, 2, 3]),
            _ => return None,
        };
        Some(Self { log_m: n.ilog2() - 1, log_first, log_middle })
    }

    /// The place of the groups' twiddles in the table.
    #[inline(always)]
    pub(super) fn group_table(&self) -> usize {
        let mut depth = self.log_first;
        self.log_middle.iter().fold(1 << depth, |at, log_radix| {
            depth += log_radix;
            at + (1 << depth)
        })
    }
}
