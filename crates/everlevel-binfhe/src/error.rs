//! The errors of this crate.

everlevel_io::errors! {
    /// The refusals of TFHE calls. Every refusal comes before any work and leaves the arguments as they were.
    pub enum Error: "tfhe"
    nested {
        /// A file could not be written or read.
        Io(everlevel_io::Error)
        /// An object of another secret or of other parameters; too little memory.
        Object(everlevel_objects::Error)
    }
    opaque {
        /// A [progress callback](crate::Progress) said to stop.
        Cancelled(crate::Cancelled)
        /// Randomness failed.
        Random(everlevel_rand::Error)
    }

    /// A number in a parameter set that can't be.
    #[error("parameters: {what} is {found}; it must be {needed}")]
    Parameter {
        /// The field.
        what: &'static str,
        /// The field's value.
        found: String,
        /// The values that would do.
        needed: String,
    }
    /// Less noise than 128 bits of security need.
    #[error(
        "parameters: {what} is 2^{log2_std_dev:.2} of the torus, the security line for {dim} {secret} coefficients is \
         2^{min_log2_std_dev:.2}; widen the noise, take a larger dimension, or spell out `insecure`"
    )]
    NoiseTooNarrow {
        /// The field.
        what: &'static str,
        /// Dimension of the secret.
        dim: usize,
        /// Distribution of the secret.
        secret: String,
        /// log2 of the rejected standard deviation.
        log2_std_dev: f64,
        /// log2 of the smallest accepted one.
        min_log2_std_dev: f64,
    }
    /// A bootstrap would fail more often than the set allows.
    #[error(
        "parameters: a bootstrap fails with probability 2^{log2_p_fail:.1}, allowed is 2^{max_log2_p_fail:.1}; take larger \
         dimensions, finer gadgets, a smaller squared norm, or allow more failures"
    )]
    FailureTooLikely {
        /// log2 of the probability that the noise formulas give.
        log2_p_fail: f64,
        /// log2 of the largest allowed.
        max_log2_p_fail: f64,
    }
    /// A secret whose own noise leaves no room for the key switch's.
    #[error(
        "generate: with each of {draws} key switches that were drawn for this secret key a bootstrap would fail more \
         often than 2^{max_log2_p_fail:.1}; generate another secret key"
    )]
    UnluckySecret {
        /// The number of key switches that were drawn.
        draws: u64,
        /// log2 of the largest probability that the parameters allow.
        max_log2_p_fail: f64,
    }
    /// No set of this name.
    #[error("parameters: there is no set named {name:?}; choose one of {}", known.join(", "))]
    UnknownSet {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    }
    /// A set below 128 bits of security whose name was not spelled out.
    #[error(
        "parameters: {name} has {security_bits:.1} bits of security, and 128 are needed; \
         choose another set, or spell it out: {spelled}"
    )]
    InsecureSet {
        /// The name asked for.
        name: String,
        /// Security of the set that was meant.
        security_bits: f64,
        /// The set's name.
        spelled: &'static str,
    }
    /// A set that rests on an assumption of its own, whose name was not spelled out.
    #[error(
        "parameters: the security of {name} rests on an assumption that is not the field's usual one; choose another \
         set, or spell it out: {spelled}"
    )]
    ExperimentalSet {
        /// The name asked for.
        name: String,
        /// The set's name.
        spelled: &'static str,
    }
    /// Bits where integers are needed, or the other way round.
    #[error("{op}: parameters hold {found}, this operation needs {needed}; choose a set of that kind")]
    WrongSpace {
        /// The refused operation.
        op: &'static str,
        /// The messages that the parameters hold.
        found: String,
        /// The messages that are needed.
        needed: &'static str,
    }
    /// Parameters that have no look-ups in large tables.
    #[error(
        "{op}: the parameters have {found}, and look-ups in large tables need {needed}; choose a set such as \
         integer-4-128"
    )]
    NoLookUps {
        /// The refused operation.
        op: &'static str,
        /// The parameters' own.
        found: String,
        /// The one that is needed.
        needed: &'static str,
    }
    /// Parameters whose results go to no lists.
    #[error(
        "{op}: the parameters have {found}, and compressed lists need {needed}; choose a set such as integer-4-128"
    )]
    NoLists {
        /// The refused operation.
        op: &'static str,
        /// The parameters' own.
        found: String,
        /// The one that is needed.
        needed: &'static str,
    }
    /// Parameters that take no ciphertexts of a large ring, or give none.
    #[error(
        "{op}: the parameters have {found}, and ciphertexts of bulk need {needed}; choose a set such as integer-4-128"
    )]
    NoRingSwitch {
        /// The refused operation.
        op: &'static str,
        /// The parameters' own.
        found: String,
        /// The ones that are needed.
        needed: String,
    }
    /// Parameters whose claims ciphertexts of a public key would not keep.
    #[error(
        "{op}: the parameters have {found}, and public keys need {needed}; choose a set such as integer-4-128, or \
         encrypt with the secret key"
    )]
    NoPublicKey {
        /// The refused operation.
        op: &'static str,
        /// The parameters' own.
        found: String,
        /// The one that is needed.
        needed: String,
    }
    /// A value that the space does not hold.
    #[error("{op}: value {value} at index {index} is outside 0..={max}; reduce it or choose a set of more bits")]
    ValueOutOfSpace {
        /// The refused operation.
        op: &'static str,
        /// The value's index.
        index: usize,
        /// The value.
        value: u64,
        /// The largest value.
        max: u64,
    }
    /// A result that could reach into the padding bit.
    #[error(
        "{op}: the result may be as large as {max_value}, the space ends at {max}; bootstrap or reduce an operand first"
    )]
    SpaceExhausted {
        /// The refused operation.
        op: &'static str,
        /// Largest value that the result may have.
        max_value: u64,
        /// The largest value that the space holds.
        max: u64,
    }
    /// A table of a length that fits no message.
    #[error("{op}: table {index} has {found} entries, this operation needs {needed}; give one entry for each value")]
    TableLength {
        /// The refused operation.
        op: &'static str,
        /// The table's index.
        index: usize,
        /// The table's length.
        found: usize,
        /// The length needed.
        needed: usize,
    }
    /// More tables than one rotation serves.
    #[error("{op}: {found} tables were given, one rotation serves 1 to {max} at this input; split them")]
    TableCount {
        /// The refused operation.
        op: &'static str,
        /// Number of tables.
        found: usize,
        /// Largest number.
        max: usize,
    }
    /// Arrays of different lengths.
    #[error("{op}: operands have {left} and {right} elements; make them equally long")]
    LengthMismatch {
        /// The refused operation.
        op: &'static str,
        /// Length of the first.
        left: usize,
        /// Length of the other.
        right: usize,
    }
    /// Too much noise for a bootstrap or a decryption.
    #[error(
        "{op}: the noise would make it fail with probability 2^{log2_p_fail:.1}, allowed is 2^{max_log2_p_fail:.1}; \
         bootstrap an operand first"
    )]
    NoiseExhausted {
        /// The refused operation.
        op: &'static str,
        /// log2 of the probability of failure.
        log2_p_fail: f64,
        /// log2 of the largest allowed.
        max_log2_p_fail: f64,
    }
    /// Integers of different widths.
    #[error("{op}: operands have {left} and {right} bits; encrypt both with one width")]
    WidthMismatch {
        /// The refused operation.
        op: &'static str,
        /// Bits of the first.
        left: u32,
        /// Bits of the other.
        right: u32,
    }
    /// No integers of this width.
    #[error("integers: there are none of {bits} bits; choose 8, 16, 32, 64, 128 or 256")]
    UnknownWidth {
        /// The number of bits asked for.
        bits: u32,
    }
    /// An integer that its width does not hold.
    #[error("{op}: {value} is not below 2^{bits}; reduce it or choose a larger width")]
    ValueTooLarge {
        /// The refused operation.
        op: &'static str,
        /// The value.
        value: u64,
        /// Bits of the width.
        bits: u32,
    }
    /// A shift by as many bits as there are, or more.
    #[error("{op}: the amount is {amount}, an integer of {bits} bits is shifted by 0 to {}; reduce it", bits - 1)]
    ShiftTooLarge {
        /// The refused operation.
        op: &'static str,
        /// The amount.
        amount: u32,
        /// Bits of the integer.
        bits: u32,
    }
    /// More ciphertexts in a file than the caller takes.
    #[error(
        "read: the ciphertexts take {found} bytes of memory, and {expected} at most are taken; pass a larger max_bytes if you trust who sent them"
    )]
    TooLarge {
        /// Bytes that they would take.
        found: u64,
        /// Bytes that they may take.
        expected: u64,
    }
}
