//! The largest errors that are claimed, how sure the claims are, and the errors of bootstraps' sines.

/// How sure a bound of errors is.
///
/// A rounding is multiplied by the secret, whose slots are as normal as its own: the product of two normal numbers
/// exceeds `k` root mean squares with a probability of about `e^(−2k)`, far more often than a normal number does. Where
/// three polynomials are rounded, one rounding is multiplied by the secret's square, and exceeds `k/√2` root mean
/// squares with a probability of about `e^(−3·(k/2)^(2/3))`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// For all slots but one in 10^14, and all bootstraps but one in 2^20: what a ciphertext's floor claims.
    Usual,
    /// But for a probability of 2^-64 over all slots: what a release claims.
    Certain,
}

/// Standard deviations of a slot's real part that no error exceeds, but for one slot in 10^14.
pub(crate) const TAIL: f64 = 24.0;

impl Certainty {
    /// The standard deviations of a slot's real part that no error exceeds.
    pub fn tail(self) -> f64 {
        match self {
            Self::Usual => TAIL,
            // e^(−√2·tail) is 2^−80, for 2^16 slots.
            Self::Certain => 39.25,
        }
    }

    /// [`Certainty::tail`] of roundings that are multiplied by the secret's square: of the same probabilities.
    pub fn tail_of_squares(self) -> f64 {
        match self {
            Self::Usual => 76.5,
            Self::Certain => 159.0,
        }
    }
}

/// Bounds of an error, of either certainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Worst {
    usual: f64,
    certain: f64,
}

impl Worst {
    /// Bounds of an error that is none.
    pub const NONE: Self = Self { usual: 0.0, certain: 0.0 };

    /// The bound for each certainty.
    pub fn of(bound: impl Fn(Certainty) -> f64) -> Self {
        Self { usual: bound(Certainty::Usual), certain: bound(Certainty::Certain) }
    }

    /// Both bounds as they stand in a file, or as what is known of them.
    pub fn read(usual: f64, certain: f64) -> Self {
        Self { usual, certain: certain.max(usual) }
    }

    /// The bound of a certainty.
    pub fn at(self, certainty: Certainty) -> f64 {
        match certainty {
            Certainty::Usual => self.usual,
            Certainty::Certain => self.certain,
        }
    }

    /// Applies `f` to the bound of each certainty.
    pub fn map(self, f: impl Fn(f64, Certainty) -> f64) -> Self {
        Self::of(|certainty| f(self.at(certainty), certainty))
    }

    /// Applies `f` to both bounds of each certainty.
    pub fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self::of(|certainty| f(self.at(certainty), other.at(certainty)))
    }

    /// The larger one of either certainty.
    pub fn largest(self, other: Self) -> Self {
        self.zip(other, f64::max)
    }
}

/// The error of a sine in place of the identity, for a number of a size: less than `cubic·size³`, up to where the sine
/// falls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SineError {
    cubic: f64,
    /// The size where the sine falls.
    pub peak: f64,
    /// The factor of a second bootstrap of what the first one left out.
    residual: Option<f64>,
    /// Bounds of what the approximation of the sine errs by.
    approximation: Worst,
}

/// Accurate sines err by less than this share of their argument.
const ACCURATE: f64 = 1.0 / 1024.0;

impl SineError {
    /// The sine of a period of `message_ratio`, up to an error of its own, with a second one of what the first left out
    /// where it has a factor.
    pub fn new(message_ratio: f64, residual: Option<f64>, rare_error: Worst) -> Self {
        let cubic = (2.0 * std::f64::consts::PI / message_ratio).powi(2) / 6.0;
        let gain = message_ratio / (2.0 * std::f64::consts::PI) / residual.unwrap_or(1.0);
        let approximation = rare_error.map(|error, _| error * gain);
        Self { cubic, peak: message_ratio / 4.0, residual, approximation }
    }

    /// The error of a number.
    pub fn at(self, x: f64) -> f64 {
        let error = self.cubic * x.powi(3);
        self.residual.map_or(error, |gain| self.cubic * (gain * error).powi(3) / gain)
    }

    /// The bound of the errors of numbers up to a size.
    pub fn largest(self, size: f64, certainty: Certainty) -> f64 {
        if size < self.peak { self.at(size) + self.approximation.at(certainty) } else { f64::INFINITY }
    }

    /// The largest size of accurate results.
    pub fn accurate(self) -> f64 {
        let one = (ACCURATE / self.cubic).sqrt();
        // Where the error is the residual's: cubic⁴·gain²·size⁸ of the size.
        self.residual.map_or(one, |gain| (ACCURATE / (self.cubic.powi(4) * gain * gain)).powf(0.125)).min(self.peak)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// log2 of the probability that a complex normal number of mean square 1, times `square` of one, exceeds `k`: the
    /// squared sizes of both have exponential distributions.
    fn log2_beyond(k: f64, size_of_other: impl Fn(f64) -> f64) -> f64 {
        let step = 1e-4;
        // ∫ e^(−x)·e^(−(k/size(x))²) dx, where x is the other number's squared size.
        let sum: f64 =
            (1..1_000_000).map(|i| f64::from(i) * step).map(|x| (-x - (k / size_of_other(x)).powi(2)).exp()).sum();
        (sum * step).log2()
    }

    #[test]
    fn tails_have_their_probabilities() {
        let sqrt_2 = std::f64::consts::SQRT_2;
        for (certainty, most) in [(Certainty::Usual, -46.0), (Certainty::Certain, -76.0)] {
            // The product of both has a mean square of 1, and √2 standard deviations of its real part.
            let of_secret = log2_beyond(certainty.tail() / sqrt_2, f64::sqrt);
            // The square of a size has a mean square of 2.
            let of_square = log2_beyond(certainty.tail_of_squares() / sqrt_2, |x| x / sqrt_2);
            println!("{certainty:?}: 2^{of_secret:.2}, squares 2^{of_square:.2}");
            assert!(of_secret < most && of_secret > most - 2.0, "{of_secret}");
            assert!(of_square < most && of_square > most - 2.0, "{of_square}");
        }
    }
}
