//! TFHE's errors as classes of `everlevel.errors`.

use everlevel_binfhe::Error;

use crate::error::{Field, Raise, Translation, int, text, translate_files};

impl Raise for Error {
    fn translate(&self) -> Translation {
        use Translation as T;
        let wide = |value: u64| Field::Int(i128::from(value));
        match self {
            Error::Parameter { what, found, needed } => {
                let value = found.parse().map_or_else(|_| text(found), Field::Int);
                T::new("ParameterError", [("option", text(what)), ("value", value), ("allowed", text(needed))])
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
            // Lengths are the façade's to match, and the system's randomness is nobody's to mend. A cancellation has
            // its cause raised in its place.
            _ => T::new("InternalError", []),
        }
    }

    fn sentence(&mut self) -> String {
        if let Some(op) = self.op_mut() {
            *op = front_name(op);
        }
        match self {
            Error::WidthMismatch { op, left, right } => {
                let width = (*left).max(*right);
                format!(
                    "{op}: the operands have {left} and {right} bits; convert one without a bootstrap: \
                     x.astype(numpy.uint{width})"
                )
            }
            Error::NoiseExhausted { op: "decrypt", log2_p_fail, max_log2_p_fail } => format!(
                "decrypt: the answer would be wrong with probability 2^{log2_p_fail:.1}, allowed is \
                 2^{max_log2_p_fail:.1}; bootstrap the ciphertext first"
            ),
            error => {
                let sentence = error.to_string();
                let same = |rest| format!("Engine: {rest}");
                sentence.strip_prefix("parameters: ").map(same).unwrap_or(sentence)
            }
        }
    }
}

/// What the façade calls an operation of the core.
fn front_name(op: &'static str) -> &'static str {
    match op {
        "encrypt_bits" | "encrypt_integers" => "encrypt",
        "encrypt_uints" => "encrypt_uint",
        "encrypt_bools" => "encrypt_bool",
        "decrypt_bits" | "decrypt_integers" | "decrypt_uints" | "decrypt_bools" => "decrypt",
        "lut" | "tables" | "bivariate" => "bootstrap",
        "gates" => "gate",
        "sub" => "subtract",
        "mul" => "multiply",
        "neg" => "negate",
        "not" | "not_bools" => "invert",
        "eq" => "equal",
        "ne" => "not_equal",
        "lt" => "less",
        "le" => "less_equal",
        "gt" => "greater",
        "ge" => "greater_equal",
        "bitand" => "and",
        "bitor" => "or",
        "bitxor" => "xor",
        "combine_bools" => "and, or, xor",
        "min" => "minimum",
        "max" => "maximum",
        "shl" | "shl_by" => "left_shift",
        "shr" | "shr_by" => "right_shift",
        "rotate_left_by" => "rotate_left",
        "rotate_right_by" => "rotate_right",
        "div" => "floor_divide",
        "rem" => "remainder",
        "div_rem" => "divmod",
        "checked_div" => "checked_floor_divide",
        "checked_rem" => "checked_remainder",
        "checked_sub" => "checked_subtract",
        "checked_mul" => "checked_multiply",
        "sum_rows" => "sum",
        "extreme_row" => "min, max",
        "place_of_extreme" => "argmin, argmax",
        "any_row" => "any, all",
        "with_width" | "uints_from_bools" => "astype",
        "join" => "concatenate",
        same => same,
    }
}
