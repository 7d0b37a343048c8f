//! Refusals of objects that don't belong together, and of work for which there is no memory.

everlevel_io::errors! {
    /// The refusals that all schemes share. Every refusal comes before any work and leaves the arguments as they were,
    /// but for memory that others took during it.
    pub enum Error: "object"
    nested {}
    opaque {}

    /// An object of other parameters.
    #[error(
        "{op}: {what} belongs to parameters {found:#018x}, this context has {expected:#018x}; make all keys and ciphertexts with one context"
    )]
    OtherParameters {
        /// The refused operation.
        op: &'static str,
        /// The refused argument.
        what: &'static str,
        /// Fingerprint of the argument's parameters.
        found: u64,
        /// Fingerprint of the context's parameters.
        expected: u64,
    }
    /// An object of another secret.
    #[error(
        "{op}: {what} belongs to secret {found:#018x}, and {expected:#018x} is needed; use keys and ciphertexts of one secret key"
    )]
    OtherSecret {
        /// The refused operation.
        op: &'static str,
        /// The refused argument.
        what: &'static str,
        /// Id of the argument's secret.
        found: u64,
        /// Id of the other operands' secret.
        expected: u64,
    }
    /// Vectors of different numbers of units.
    #[error(
        "{op}: one operand has {left} units and the other has {right}; make both of vectors that fill equally many ciphertexts"
    )]
    UnitCount {
        /// The refused operation.
        op: &'static str,
        /// Units of the one.
        left: usize,
        /// Units of the other.
        right: usize,
    }
    /// Less memory than the work needs.
    #[error(
        "{op}: {needed} bytes of memory are needed, and {available} are left of the {limit}; free some, or take smaller keys or fewer values at once"
    )]
    OutOfMemory {
        /// The refused operation.
        op: &'static str,
        /// Bytes needed, with the margin that is kept.
        needed: u64,
        /// Bytes left.
        available: u64,
        /// The limit that leaves them.
        limit: &'static str,
    }
    /// An error of a device in the midst of work. What was there before is unchanged.
    #[error("{op}: {message}")]
    Device {
        /// The operation.
        op: &'static str,
        /// The device's message, which says what to do.
        message: String,
    }
}

impl Error {
    /// The lack of memory of an operation.
    pub fn out_of_memory(op: &'static str, lack: everlevel_process::OutOfMemory) -> Self {
        let everlevel_process::OutOfMemory { needed, available, limit } = lack;
        Self::OutOfMemory { op, needed, available, limit: limit.name() }
    }

    /// The error of an operation's device.
    pub fn of_device(op: &'static str, error: &everlevel_process::DeviceError) -> Self {
        match error {
            everlevel_process::DeviceError::Memory(lack) => Self::out_of_memory(op, *lack),
            everlevel_process::DeviceError::Other(error) => Self::Device { op, message: error.to_string() },
        }
    }
}
