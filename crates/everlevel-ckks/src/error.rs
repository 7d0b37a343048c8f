//! The errors of this crate.

use crate::BootstrapKind;

everlevel_io::errors! {
    /// The refusals of CKKS calls. Every refusal comes before any work (a cancellation, between two steps of it), and
    /// leaves the arguments as they were.
    pub enum Error: "ckks"
    nested {
        /// A file, or bytes, that are not what they should be; or no room for them.
        Files(everlevel_io::Error)
        /// An object of other parameters or of another secret; too little memory.
        Object(everlevel_objects::Error)
    }
    opaque {
        /// A [progress callback](crate::Progress) said to stop.
        Cancelled(crate::Cancelled)
        /// Parameters below 128 bits of security.
        Security(everlevel_security::Error)
        /// The ring was refused.
        Ring(everlevel_ring::Error)
        /// The operating system gave no randomness, or a sampler's parameters are off.
        Rand(everlevel_rand::Error)
    }

    /// More values than slots.
    #[error("{op}: message has {len} values, a ciphertext has {slot_count} slots; split the message")]
    MessageTooLong {
        /// The refused operation.
        op: &'static str,
        /// Number of values.
        len: usize,
        /// Number of slots.
        slot_count: usize,
    }
    /// No values.
    #[error("{op}: message is empty; give between 1 and {slot_count} values")]
    EmptyMessage {
        /// The refused operation.
        op: &'static str,
        /// Number of slots.
        slot_count: usize,
    }
    /// NaN or infinity.
    #[error("{op}: value {index} of the message is {value}; only finite numbers can be encrypted, replace it first")]
    NotFinite {
        /// The refused operation.
        op: &'static str,
        /// Index.
        index: usize,
        /// Value, as text.
        value: String,
    }
    /// A message too large for the modulus.
    #[error(
        "{op}: message at scale 2^{log2_scale:.1} needs 2^{log2_needed:.1}, level {level} holds less than 2^{log2_available:.1}; divide the message{}",
        higher.first().map_or(String::new(), |level| format!(" or take level {level}"))
    )]
    ScaleOverflow {
        /// The refused operation.
        op: &'static str,
        /// log2 of the largest coefficient; of the largest double, where it is beyond.
        log2_needed: f64,
        /// log2 of half the modulus.
        log2_available: f64,
        /// log2 of the scale.
        log2_scale: f64,
        /// The level.
        level: usize,
        /// The higher levels that hold it.
        higher: Vec<usize>,
    }
    /// A bound that the modulus has no room for.
    #[error(
        "{op}: values may be as large as {bound:.6e}, level {level} holds less than {room:.6e}; divide the operands,{} or claim a smaller bound with `assume_bound`",
        higher.first().map_or(String::new(), |level| format!(" take level {level},"))
    )]
    OutOfRange {
        /// The refused operation.
        op: &'static str,
        /// The result's bound.
        bound: f64,
        /// The size that values at the level stay below.
        room: f64,
        /// The result's level.
        level: usize,
        /// The higher levels that have room.
        higher: Vec<usize>,
    }
    /// A polynomial that is too large where slots hold no encrypted value.
    #[error(
        "{op}: the slots without an encrypted value hold {value:.6e} here, a part of the polynomial is {size:.3e} there, and level {level} holds less than {room:.3e}; encrypt {slot_count} values, as many as there are slots, or take a lower degree or an interval that has zero in it"
    )]
    PaddingOutOfRange {
        /// The refused operation.
        op: &'static str,
        /// Values in the slots: the size of the polynomial's argument.
        value: f64,
        /// The size of the part.
        size: f64,
        /// The size that numbers at the level stay below.
        room: f64,
        /// The part's level.
        level: usize,
        /// The number of slots.
        slot_count: usize,
    }
    /// A value beyond the bound that was declared for it.
    #[error("{op}: value {index} has size {size:e}, the declared bound is {bound:e}; declare {size:e} or more")]
    BeyondBound {
        /// The refused operation.
        op: &'static str,
        /// The value's index.
        index: usize,
        /// Size.
        size: f64,
        /// The bound.
        bound: f64,
    }
    /// A value outside of the interval that was declared for it.
    #[error("{op}: value {index} is {value:e}, the declared interval is [{low:e}, {high:e}]; declare a wider one")]
    BeyondInterval {
        /// The refused operation.
        op: &'static str,
        /// The value's index.
        index: usize,
        /// The value's real part.
        value: f64,
        /// The interval's lower end.
        low: f64,
        /// The interval's upper end.
        high: f64,
    }
    /// A result that is to be given away, of which nobody declared a bound.
    #[error(
        "{op}: the ciphertext's bound, {bound}, is assumed, and errors are bounded for declared ones; declare bounds at encryption, or claim one with `assume_bound`"
    )]
    UndeclaredBound {
        /// The refused operation.
        op: &'static str,
        /// The assumed bound.
        bound: f64,
    }
    /// A grid that errors blur.
    #[error(
        "{op}: the grid's step is {step:e}, and errors leave steps from {least:e} on; take a coarser grid, or a more precise computation"
    )]
    GridTooFine {
        /// The refused operation.
        op: &'static str,
        /// The step.
        step: f64,
        /// The least step.
        least: f64,
    }
    /// Values that do not lie on the grid that they were declared to lie on.
    #[error("{op}: a value is further than {error:e} from the grid of step {step:e}; the values are not on this grid")]
    OffGrid {
        /// The refused operation.
        op: &'static str,
        /// The step.
        step: f64,
        /// The largest error.
        error: f64,
    }
    /// Flooding that leaves nothing of the values.
    #[error(
        "{op}: flooding for {statistical_bits} statistical bits leaves {precision_bits:.1} bits of precision; ask for {most_bits:.0} or fewer, or release on a grid"
    )]
    NothingLeft {
        /// The refused operation.
        op: &'static str,
        /// The bits asked for.
        statistical_bits: f64,
        /// The precision left.
        precision_bits: f64,
        /// The most statistical bits that leave a result.
        most_bits: f64,
    }
    /// A key that has given away as many decryptions as it may.
    #[error("{op}: the key has released {used} decryptions, of {limit} that its budget holds; make a new key")]
    BudgetSpent {
        /// The refused operation.
        op: &'static str,
        /// Releases so far.
        used: u64,
        /// Releases in all.
        limit: u64,
    }
    /// A level that does not exist.
    #[error("{op}: level {level} is outside 0..={max_level}; choose one of these")]
    LevelOutOfRange {
        /// The refused operation.
        op: &'static str,
        /// The level asked for.
        level: usize,
        /// The highest level allowed here.
        max_level: usize,
    }
    /// A key for lower levels.
    #[error(
        "{op}: the {key} serves levels up to {served}, and the ciphertext is at level {level}; take a key for all levels, make one for level {level}, or bring the ciphertext down with `level_down`"
    )]
    KeyLevel {
        /// The refused operation.
        op: &'static str,
        /// Kind of the key.
        key: &'static str,
        /// The ciphertext's level, where the key is needed.
        level: usize,
        /// The highest level that the key serves.
        served: usize,
    }
    /// A key for some levels, where all are needed.
    #[error(
        "{op}: the {key} serves levels up to {served}, and bootstraps take one for levels up to {max_level}; take the key that it was cut from, or make one for all levels"
    )]
    CutKey {
        /// The refused operation.
        op: &'static str,
        /// Kind of the key.
        key: &'static str,
        /// The highest level that the key serves.
        served: usize,
        /// The highest level.
        max_level: usize,
    }
    /// Too few levels left.
    #[error("{op}: needs level ≥ {needed}, ciphertext is at level {level} of {max_level}; bootstrap it first")]
    LevelExhausted {
        /// The refused operation.
        op: &'static str,
        /// Levels that it consumes.
        needed: usize,
        /// The ciphertext's level.
        level: usize,
        /// The highest level.
        max_level: usize,
    }
    /// A vector of units that the columns of a matrix do not fill.
    #[error(
        "{op}: the matrix has {columns} columns, which fill {needed} units of {slot_count} slots, and the vector has {found}; encrypt a vector that fills {needed}, or several such vectors in a row"
    )]
    MatrixUnits {
        /// The refused operation.
        op: &'static str,
        /// Columns of the matrix.
        columns: usize,
        /// Slots of a unit.
        slot_count: usize,
        /// Units that the columns fill.
        needed: usize,
        /// Units of the vector.
        found: usize,
    }
    /// A rotation that the key does not hold.
    #[error("{op}: no key for a rotation by {rotation}, and there are keys for {available:?}; make one with this context")]
    MissingRotation {
        /// The refused operation.
        op: &'static str,
        /// The amount.
        rotation: i64,
        /// Amounts that are there.
        available: Vec<i64>,
    }
    /// Three polynomials where two are needed.
    #[error("{op}: ciphertext has {found} polynomials, this operation needs 2; relinearize it first")]
    NotRelinearized {
        /// The refused operation.
        op: &'static str,
        /// Number of polynomials.
        found: usize,
    }
    /// Operands in different places.
    #[error("{op}: one operand is on {left} and another on {right}; move one of them to the other's place first")]
    OtherDevice {
        /// The refused operation.
        op: &'static str,
        /// Place of the one.
        left: String,
        /// Place of the other.
        right: String,
    }
    /// A bootstrap on parameters without one.
    #[error("{op}: these parameters have no bootstrap; take some that do, such as ParamsLiteral::bootstrap")]
    NoBootstrap {
        /// The refused operation.
        op: &'static str,
    }
    /// A bootstrap key of the wrong kind.
    #[error(
        "{op}: bootstrap key is for {found:?} bootstraps, this needs one for {needed:?}; make it with Bootstrapper::bootstrap_key_of"
    )]
    BootstrapKind {
        /// The refused operation.
        op: &'static str,
        /// The key's kind.
        found: BootstrapKind,
        /// The kind that would do.
        needed: BootstrapKind,
    }
    /// A stage count outside the supported ones.
    #[error(
        "{op}: stage_count = {stage_count} is not one of {supported:?}, which {slot_count} slots allow; choose one of them"
    )]
    StageCount {
        /// The refused operation.
        op: &'static str,
        /// The stage count asked for.
        stage_count: usize,
        /// Number of slots.
        slot_count: usize,
        /// The stage counts that there are.
        supported: Vec<usize>,
    }
    /// An object of another number of slots.
    #[error("{what} = {found}: must be {expected}, this context's; make keys and ciphertexts with one context")]
    ForeignSlots {
        /// Whose number of slots.
        what: &'static str,
        /// The object's.
        found: usize,
        /// The context's.
        expected: usize,
    }
    /// A number of message levels that no chain with bootstrapping has.
    #[error("max_level = {found}: must be {least} to {most} with bootstrapping; encrypt at a lower level")]
    BootstrapLevels {
        /// The number asked for.
        found: usize,
        /// The fewest that there may be.
        least: usize,
        /// The most.
        most: usize,
    }
    /// A parameter outside its range.
    #[error("{what} = {found}: must be {needed}")]
    Parameter {
        /// The parameter's name.
        what: &'static str,
        /// Value.
        found: String,
        /// The values that would do.
        needed: String,
    }
    /// A precision of signs that can't be had.
    #[error(
        "{op}: {what} is {found:e}, and at least {least:e} and less than {limit:e} is offered; choose it so, or scale the values"
    )]
    SignPrecision {
        /// The refused operation.
        op: &'static str,
        /// Gap, error or bound.
        what: &'static str,
        /// Value.
        found: f64,
        /// The least that is offered.
        least: f64,
        /// The limit that it must be less than.
        limit: f64,
    }
    /// Values that may be larger than a sign was asked for.
    #[error(
        "{op}: values may be as large as {found:.6e}, and the precision's bound is {bound:.6e}; take a larger bound, or claim a smaller one of the values with `assume_bound`"
    )]
    SignBound {
        /// The refused operation.
        op: &'static str,
        /// The bound of the values.
        found: f64,
        /// The bound that the precision is for.
        bound: f64,
        /// The level of the values.
        level: usize,
    }
    /// Too few levels for the polynomials of a sign.
    #[error(
        "{op}: {available} levels are left for polynomials, and {needed} are needed; bootstrap the ciphertext first"
    )]
    SignLevels {
        /// The refused operation.
        op: &'static str,
        /// Levels above those of the bootstrap that follows.
        available: usize,
        /// Levels of the shallowest polynomial.
        needed: usize,
    }
    /// A sign that takes too many bootstraps.
    #[error(
        "{op}: gap {gap:.2e} and error {error:.2e} would take more than {most} sign bootstraps; take a larger gap, or a key of fewer stages"
    )]
    SignRounds {
        /// The refused operation.
        op: &'static str,
        /// The gap asked for.
        gap: f64,
        /// The error asked for.
        error: f64,
        /// The most bootstraps that a sign may take.
        most: usize,
    }
    /// A polynomial that is too deep even in pieces.
    #[error(
        "{op}: the polynomial takes {depth} levels, and in pieces {most} are there, as a bootstrap ends at level {level_out}; take a degree below 2^{most}, or parameters of more levels"
    )]
    PolynomialDepth {
        /// The refused operation.
        op: &'static str,
        /// Levels of the polynomial.
        depth: usize,
        /// Levels that pieces can take together.
        most: usize,
        /// The ciphertext's level.
        level: usize,
        /// The level after a bootstrap.
        level_out: usize,
    }
    /// An operation of more levels than a bootstrap gives.
    #[error(
        "{op}: needs level ≥ {needed}, and a bootstrap of stage_count {stage_count} ends at level {level_out}; split the operation into steps of at most {level_out} levels each"
    )]
    BeyondBootstrap {
        /// The refused operation.
        op: &'static str,
        /// The level that it needs.
        needed: usize,
        /// The ciphertext's level.
        level: usize,
        /// The level after a bootstrap.
        level_out: usize,
        /// Stages of the bootstrap.
        stage_count: usize,
    }
    /// More or fewer slots than there are.
    #[error("{op}: count is {count}, and 1 to {slot_count} slots are there; choose one of these")]
    SlotCount {
        /// The refused operation.
        op: &'static str,
        /// Slots asked for.
        count: usize,
        /// Slots of a ciphertext.
        slot_count: usize,
    }
}

impl Error {
    /// [`Error::Parameter`] of a parameter.
    pub(crate) fn parameter(what: &'static str, found: impl ToString, needed: impl Into<String>) -> Self {
        Self::Parameter { what, found: found.to_string(), needed: needed.into() }
    }
}
