//! How the levels of a transform are grouped into passes: fixed for each size, never chosen by timing.

/// The passes of a transform of `m = 2^log_m` complex points.
///
/// The first pass has radix `2^log_first` over the whole; for each of its blocks, the second, where there is one, has radix `2^log_second`;
/// then groups of 64 points take the last six levels. Blocks of the second pass are at most 2^10 points (16 KiB).
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub log_m: u32,
    pub log_first: u32,
    pub log_second: u32,
}

impl Plan {
    /// `n = 2^8 … 2^15` coefficients.
    pub(super) fn new(n: usize) -> Option<Self> {
        if !n.is_power_of_two() {
            return None;
        }
        let (log_first, log_second) = match n.ilog2() {
            8 => (1, 0),
            9 => (2, 0),
            10 => (3, 0),
            11 => (4, 0),
            12 => (2, 3),
            13 => (3, 3),
            14 => (3, 4),
            15 => (4, 4),
            _ => return None,
        };
        Some(Self { log_m: n.ilog2() - 1, log_first, log_second })
    }
}
