//! The refusals of CKKS over limbs.

/// The refusals of calls. Every refusal comes before any work and leaves the arguments as they were.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number in a parameter set that can't be.
    #[error("parameters: {what} is {found}; it must be {needed}")]
    Parameter {
        /// The field.
        what: &'static str,
        /// Its value.
        found: String,
        /// The values that would do.
        needed: &'static str,
    },
    /// More values than slots.
    #[error("{op}: {found} values, a ciphertext has {slots} slots; cut the vector into several")]
    TooManyValues {
        /// The refused operation.
        op: &'static str,
        /// Values given.
        found: usize,
        /// Slots.
        slots: usize,
    },
    /// A value that isn't finite, or above the bound.
    #[error("{op}: value {index} has size {size}, and the bound is {bound}; give a larger bound, or scale the values")]
    BeyondBound {
        /// The refused operation.
        op: &'static str,
        /// Its index.
        index: usize,
        /// Its absolute value.
        size: f64,
        /// The bound.
        bound: f64,
    },
    /// Values that don't fit a word.
    #[error("{op}: values take {needed_bits:.1} bits, and {most_bits} fit a limb; take fewer bits, or a smaller bound")]
    TooFine {
        /// The refused operation.
        op: &'static str,
        /// Bits of the bound, and below the point.
        needed_bits: f64,
        /// Bits that there are.
        most_bits: u32,
    },
    /// Too little budget.
    #[error(
        "{op}: the result would have {left_bits} bits of budget, and its values need {needed_bits}; take parameters of more limbs"
    )]
    BudgetUsedUp {
        /// The refused operation.
        op: &'static str,
        /// Bits that the result would have.
        left_bits: i64,
        /// Bits that its values take.
        needed_bits: u32,
    },
    /// A key or a ciphertext of another secret.
    #[error("{op}: the {what} has secret {found:#018x}, the ciphertext {expected:#018x}; use objects of one secret")]
    ForeignKey {
        /// The refused operation.
        op: &'static str,
        /// The argument.
        what: &'static str,
        /// Its secret.
        found: u64,
        /// The secret asked for.
        expected: u64,
    },
    /// There is no key for an automorphism.
    #[error("{op}: there is no key for the automorphism {element}; name it when the keys are made")]
    MissingKey {
        /// The refused operation.
        op: &'static str,
        /// The Galois element.
        element: u64,
    },
    /// The base is refused at this degree.
    #[error(transparent)]
    Limbs(#[from] everlevel_ring::base2k::Error),
    /// The key modulus is above the security cap.
    #[error(transparent)]
    Security(#[from] everlevel_security::Error),
    /// Randomness failed.
    #[error(transparent)]
    Random(#[from] everlevel_rand::Error),
}
