//! The error that a matrix's entries bring as plaintexts.

/// The rounding of a matrix's entries: each diagonal is a plaintext with roundings of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryRounding {
    /// Standard deviation of a rounding's real part.
    pub std_dev: f64,
    /// The largest number of diagonals that a slot of the result is a sum over.
    pub diagonals: f64,
    /// The largest number of diagonals whose roundings are the same: those of equal entries in one row.
    pub repeats: f64,
}

impl EntryRounding {
    /// The mean size of a rounding, in units of the standard deviation of its real part: `√(π/2)`.
    const MEAN_SIZE: f64 = 1.2534;

    /// Bound of the sum of the sizes of a slot's roundings: their mean, and so many standard deviations of what is
    /// beside it.
    pub fn worst(self, tail: f64) -> f64 {
        self.std_dev * (Self::MEAN_SIZE * self.diagonals + tail * (self.diagonals * self.repeats).sqrt())
    }

    /// Standard deviation of the real part of the roundings' sum, times values of size one. Groups of the same rounding
    /// add up, and each may be twice as large as most are.
    pub fn typical(self) -> f64 {
        let share = if self.repeats > 1.0 { 2.0 } else { 1.0 };
        share * self.std_dev * (self.diagonals * self.repeats).sqrt()
    }
}
