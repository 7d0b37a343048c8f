//! The ways to bootstrap, and the kinds of keys for them.

/// Ways to bootstrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// SlotsToCoeffs last: any level in, `max_level − stage_count` out (10 of 13, with three stages), the most precise.
    Regular,
    /// SlotsToCoeffs first, on the lowest levels: level ≥ stage_count in, `max_level` out. The sine's error is that of
    /// the values themselves, `6.3e-6·|m|³`, since it is not spread over coefficients.
    Lossy,
    /// As lossy, for values ±1, which the sine's extrema clean: an input error δ leaves 1.24·δ².
    Sign,
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
    /// Regular bootstraps.
    Regular,
    /// Also lossy and sign bootstraps, in which SlotsToCoeffs comes first.
    Lossy,
}

impl BootstrapKind {
    /// Its name in files and errors.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Regular => "regular",
            Self::Lossy => "lossy",
        }
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
            Method::Regular => "bootstrap",
            Method::Lossy => "lossy_bootstrap",
            Method::Sign => "sign_bootstrap",
            Method::Precise => "precise_bootstrap",
        }
    }

    /// The operation that errors of this method's merged bootstraps name.
    pub fn merge_operation(self) -> &'static str {
        match self {
            Method::Regular | Method::Precise => "merge_bootstrap",
            Method::Lossy => "lossy_merge_bootstrap",
            Method::Sign => "sign_merge_bootstrap",
        }
    }

    /// Whether SlotsToCoeffs comes first.
    pub(crate) fn is_first(self) -> bool {
        matches!(self, Method::Lossy | Method::Sign)
    }

    /// The kind that a key which serves every method has for this one.
    pub(crate) fn kind(self) -> BootstrapKind {
        match self {
            Method::Regular | Method::Precise => BootstrapKind::Regular,
            Method::Lossy | Method::Sign => BootstrapKind::Lossy,
        }
    }
}

impl BootstrapKind {
    /// The operation that errors of making such a key name.
    pub fn operation(self) -> &'static str {
        match self {
            BootstrapKind::Regular => "create_bootstrap_key",
            BootstrapKind::Lossy => "create_lossy_bootstrap_key",
        }
    }
}
