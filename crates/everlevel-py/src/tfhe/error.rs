//! TFHE's errors as classes of `everlevel.errors`.

use everlevel_tfhe::Error;

use crate::error::{Field, Raise, Translation, int, text, translate_files};

impl Raise for Error {
    fn translate(&self) -> Translation {
        use Translation as T;
        let wide = |value: u64| Field::Int(i128::from(value));
        match self {
            Error::Parameter { what, found, needed } => {
                T::new("ParameterError", [("option", text(what)), ("value", text(found)), ("allowed", text(needed))])
            }
            Error::NoiseTooNarrow { what, log2_std_dev, min_log2_std_dev, .. } => T::new(
                "ParameterError",
                [
                    ("option", text(what)),
                    ("value", Field::Float(*log2_std_dev)),
                    ("allowed", Field::Float(*min_log2_std_dev)),
                ],
            ),
            Error::FailureTooLikely { log2_p_fail, max_log2_p_fail } => T::new(
                "ParameterError",
                [
                    ("option", text("log2_p_fail")),
                    ("value", Field::Float(*log2_p_fail)),
                    ("allowed", Field::Float(*max_log2_p_fail)),
                ],
            ),
            Error::UnknownSet { name, known } => T::new(
                "ParameterError",
                [("option", text("parameters")), ("value", text(name)), ("allowed", text(known.join(", ")))],
            ),
            Error::ForeignObject { what, found, expected, .. } => T::new(
                "KeyMismatchError",
                [("key", text(what)), ("expected", wide(*expected)), ("actual", wide(*found))],
            ),
            Error::WrongSpace { found, needed, .. } => {
                T::new("SpaceError", [("found", text(found)), ("needed", text(needed))])
            }
            Error::SpaceExhausted { max_value, max, .. } => {
                T::new("SpaceError", [("found", wide(*max_value)), ("needed", wide(*max))])
            }
            Error::ValueOutOfSpace { op: "lut", index, value, max } => {
                T::new("TableError", [("index", int(*index)), ("found", wide(*value)), ("needed", wide(*max))])
            }
            Error::ValueOutOfSpace { index, value, .. } => {
                T::new("MessageError", [("index", int(*index)), ("value", wide(*value))])
            }
            Error::TableLength { index, found, needed, .. } => {
                T::new("TableError", [("index", int(*index)), ("found", int(*found)), ("needed", int(*needed))])
            }
            Error::TableCount { found, max, .. } => {
                T::new("TableError", [("found", int(*found)), ("needed", int(*max))])
            }
            Error::NoiseExhausted { log2_p_fail, max_log2_p_fail, .. } => T::new(
                "NoiseError",
                [("log2_p_fail", Field::Float(*log2_p_fail)), ("max_log2_p_fail", Field::Float(*max_log2_p_fail))],
            ),
            Error::WidthMismatch { left, right, .. } => {
                T::new("WidthError", [("left", wide(u64::from(*left))), ("right", wide(u64::from(*right)))])
            }
            Error::DivisionByZero { index, .. } => T::new("DivisionByZeroError", [("index", int(*index))]),
            Error::Io(error) => translate_files(error),
            // Lengths are the façade's to match, and the system's randomness is nobody's to mend. A cancellation has its cause raised in its place.
            _ => T::new("InternalError", []),
        }
    }
}
