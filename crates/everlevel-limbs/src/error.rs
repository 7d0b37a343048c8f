//! The errors of schemes over limbs.

everlevel_io::errors! {
    /// The refusals of calls, of every scheme over limbs. Every refusal comes before any work and leaves the arguments
    /// as they were.
    pub enum Error: "limbs"
    nested {
        /// A file could not be written or read.
        Io(everlevel_io::Error)
        /// An object of other parameters or of another secret; too little memory.
        Object(everlevel_objects::Error)
    }
    opaque {
        /// A [progress callback](everlevel_ring::Progress) said to stop.
        Cancelled(everlevel_ring::Cancelled)
        /// Randomness failed.
        Random(everlevel_rand::Error)
        /// The transforms of a parameter set, or its limbs, are refused.
        Base(everlevel_ring::base2k::Error)
        /// The key modulus is above the security cap.
        Security(everlevel_security::Error)
    }

    /// A number in a parameter set that can't be.
    #[error("parameters: {what} is {found}; it must be {needed}")]
    Parameter {
        /// The field.
        what: &'static str,
        /// The value.
        found: String,
        /// The values that would do.
        needed: String,
    }
    /// No set of this name.
    #[error("parameters: there is no set named {name:?}; choose one of {}", known.join(", "))]
    UnknownSet {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    }
    /// More values than slots.
    #[error("{op}: {found} values, a ciphertext has {slots} slots; cut the vector into several")]
    TooManyValues {
        /// The refused operation.
        op: &'static str,
        /// Values given.
        found: usize,
        /// Slots.
        slots: usize,
    }
    /// An integer outside of the plaintext modulus.
    #[error("{op}: {value} at slot {slot} is outside of −{largest} … {largest}; reduce it modulo {modulus} first")]
    ValueOutside {
        /// The refused operation.
        op: &'static str,
        /// The integer.
        value: i64,
        /// The slot.
        slot: usize,
        /// The largest magnitude.
        largest: i64,
        /// The plaintext modulus.
        modulus: u64,
    }
    /// The noise of a result would leave no room.
    #[error(
        "{op}: the result's budget would be {budget_bits:.1} bits, and must be positive; the operands have \
         {operand_bits:.1}: choose a deeper parameter set, or fewer products one after another"
    )]
    BudgetUsedUp {
        /// The refused operation.
        op: &'static str,
        /// The result's budget.
        budget_bits: f64,
        /// The smallest budget of the operands.
        operand_bits: f64,
    }
    /// Values that aren't finite.
    #[error("{op}: value {index} is {value}, which is no number")]
    NotFinite {
        /// The refused operation.
        op: &'static str,
        /// The index.
        index: usize,
        /// The value.
        value: String,
    }
    /// A value above its declared bound.
    #[error("{op}: value {index} has size {size}, and the bound is {bound}; give a larger bound, or scale the values")]
    BeyondBound {
        /// The refused operation.
        op: &'static str,
        /// The index.
        index: usize,
        /// The absolute value.
        size: f64,
        /// The bound.
        bound: f64,
    }
    /// Values that don't fit a word at a precision.
    #[error("{op}: values take {needed_bits:.1} bits, and {most_bits} are held; take fewer bits, or a smaller bound")]
    TooFine {
        /// The refused operation.
        op: &'static str,
        /// Bits of the bound, and below the point.
        needed_bits: f64,
        /// Bits that there are.
        most_bits: u32,
    }
    /// A result whose values its budget has no room for.
    #[error(
        "{op}: the result would have {left_bits} bits of budget, and its values need {needed_bits}; the operands have \
         {operand_bits}: choose a larger parameter set, a lower precision, or fewer products one after another"
    )]
    BudgetShort {
        /// The refused operation.
        op: &'static str,
        /// Bits that the result would have.
        left_bits: i64,
        /// Bits that its values take.
        needed_bits: u32,
        /// The smallest budget of the operands.
        operand_bits: u32,
    }
    /// There is no key for a rotation.
    #[error("{op}: no key for a rotation by {amount}; there are keys for {available:?}: name it when the keys are made")]
    MissingRotation {
        /// The refused operation.
        op: &'static str,
        /// The rotation.
        amount: i64,
        /// Rotations that have keys.
        available: Vec<i64>,
    }
    /// There is no key for the inversion `X ↦ X^−1`, which swaps BFV's rows and conjugates CKKS's values.
    #[error("{op}: no key for it; ask for one when the keys are made")]
    MissingInversion {
        /// The refused operation.
        op: &'static str,
    }
}
