//! The ways to bootstrap, and the kinds of keys for them.

/// Ways to bootstrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The faster order for a ciphertext and its keys: SlotsToCoeffs first, to `max_level`, wherever the ciphertext has
    /// the levels and the keys have the transform, and else last, to `max_level − stage_count`. With few slots, whose
    /// halves lie side by side where SlotsToCoeffs is last, complex values keep that order.
    Usual,
    /// SlotsToCoeffs last: any level in, `max_level − stage_count` out (10 of 13, with three stages).
    Regular,
    /// SlotsToCoeffs first, on the lowest levels: level ≥ stage_count in, `max_level` out. The sine's error is that of
    /// the values themselves, `2.5e-8·|m|³`, since it is not spread over coefficients.
    Lossy,
    /// As lossy, for values ±1, which the sine's extrema clean: an input error δ leaves 1.24·δ².
    Sign,
    /// As sign, for any values in [−1, 1], which come out as `sin(πx/2)`: for tables of integers
    /// ([`crate::circuits::table`]), of which polynomials of that sine are made.
    Table,
    /// Two regular bootstraps, the second of what the first left out: one level lower, with errors 2^14 times smaller.
    /// For chains of high precision ([`crate::ParamsLiteral::high_precision`]), whose scales can hold the result.
    Precise,
}

/// The type of the slots' values, where SlotsToCoeffs comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotType {
    /// Complex numbers.
    Complex,
    /// Real numbers, for half of EvalMod; imaginary parts come out as zero.
    Real,
}

/// The number of baby steps, for fewer keys or for speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BootstrapKeySize {
    /// As few keys as possible: as many baby steps as giant steps.
    Medium,
    /// More baby steps, which share their digits, for speed.
    Large,
}

/// The methods that a bootstrap key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BootstrapKind {
    /// Bootstraps with SlotsToCoeffs last, alone.
    Regular,
    /// Bootstraps with SlotsToCoeffs first, alone.
    First,
    /// Every method: also those in which SlotsToCoeffs comes first. With few slots, halves of coefficients are two
    /// ciphertexts in either order.
    Lossy,
    /// Every method. With few slots, halves lie side by side where SlotsToCoeffs comes last.
    Both,
}

impl BootstrapKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Regular, Self::First, Self::Lossy, Self::Both];

    /// Name in files and errors.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Regular => "regular",
            Self::First => "first",
            Self::Lossy => "lossy",
            Self::Both => "both",
        }
    }

    /// Whether its keys have the transform that comes first.
    pub(crate) fn has_first(self) -> bool {
        self != Self::Regular
    }

    /// Whether its keys have the transform that comes last.
    pub(crate) fn has_last(self) -> bool {
        self != Self::First
    }
}

impl From<&BootstrapKind> for everlevel_io::Value {
    fn from(kind: &BootstrapKind) -> Self {
        Self::Text(kind.name().into())
    }
}

impl Method {
    /// The operation that errors of this method's bootstraps name.
    pub fn operation(self) -> &'static str {
        match self {
            Method::Usual | Method::Regular => "bootstrap",
            Method::Lossy => "lossy_bootstrap",
            Method::Sign => "sign_bootstrap",
            Method::Table => "table_bootstrap",
            Method::Precise => "precise_bootstrap",
        }
    }

    /// The operation that errors of this method's merged bootstraps name.
    pub fn merge_operation(self) -> &'static str {
        match self {
            Method::Usual | Method::Regular | Method::Precise => "merge_bootstrap",
            Method::Lossy => "lossy_merge_bootstrap",
            Method::Sign => "sign_merge_bootstrap",
            Method::Table => "table_merge_bootstrap",
        }
    }

    /// Whether it needs keys with SlotsToCoeffs first.
    pub(crate) fn is_first(self) -> bool {
        self.place() == SlotsToCoeffs::First
    }

    /// Whether values up to one fill the sine from one extremum to the other, and come out as what it is there.
    pub(crate) fn fills_the_sine(self) -> bool {
        matches!(self, Method::Sign | Method::Table)
    }

    /// The place of SlotsToCoeffs in a pipeline of this method.
    pub(crate) fn place(self) -> SlotsToCoeffs {
        match self {
            Method::Lossy | Method::Sign | Method::Table => SlotsToCoeffs::First,
            Method::Usual | Method::Regular | Method::Precise => SlotsToCoeffs::Last,
        }
    }
}

/// The place of SlotsToCoeffs among the transforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SlotsToCoeffs {
    Last,
    First,
}

impl BootstrapKind {
    /// The operation that errors of making such a key name.
    pub fn operation(self) -> &'static str {
        match self {
            BootstrapKind::Regular | BootstrapKind::Both => "create_bootstrap_key",
            BootstrapKind::First => "create_evaluation_key",
            BootstrapKind::Lossy => "create_lossy_bootstrap_key",
        }
    }
}
