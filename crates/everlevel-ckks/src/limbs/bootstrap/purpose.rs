//! The purposes of the keys of bootstraps over limbs.

/// The purpose of a key in a bootstrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Purpose {
    /// To the sparse secret, at one limb.
    ToSparse,
    /// Back, of what has its values in the last limb.
    ToDense,
    Relinearization,
    Conjugation,
    /// Keys of a baby step to the next one, of a stage, those into slots first.
    Baby {
        stage: usize,
        left: i64,
    },
    /// Keys of a giant step, whose vector is moved before its product.
    Giant {
        stage: usize,
        left: i64,
    },
}

impl Purpose {
    /// The name in files.
    pub(super) fn name(self) -> String {
        match self {
            Self::ToSparse => "to_sparse".into(),
            Self::ToDense => "to_dense".into(),
            Self::Relinearization => "relinearization".into(),
            Self::Conjugation => "conjugation".into(),
            Self::Baby { stage, left } => format!("stage_{stage}.baby_{left}"),
            Self::Giant { stage, left } => format!("stage_{stage}.giant_{left}"),
        }
    }
}
