//! Parameters as text: the literal, JSON.

use everlevel_io::Error as FileError;
use everlevel_security::SecretDistribution;
use serde::{Deserialize, Serialize};

use crate::{Error, ParamsLiteral, Precision, TableWidths};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    log_n: u32,
    max_level: usize,
    bootstrap: bool,
    /// Left out where it is standard, as in older files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    high_precision: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    double_precision: bool,
    secret: Secret,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tables: Option<TableWidths>,
    insecure: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Secret {
    Ternary,
    FixedWeight(usize),
}

impl ParamsLiteral {
    /// The literal as JSON, on one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.numbers()).expect("numbers and names are JSON")
    }

    /// The numbers as files have them.
    pub(crate) fn numbers(&self) -> impl Serialize {
        let Self { log_n, max_level, bootstrap, precision, secret, tables, insecure } = self.clone();
        let [high_precision, double_precision] = [Precision::High, Precision::Double].map(|p| p == precision);
        let secret = match secret {
            SecretDistribution::FixedWeight(weight) => Secret::FixedWeight(weight),
            _ => Secret::Ternary,
        };
        Text { log_n, max_level, bootstrap, high_precision, double_precision, secret, tables, insecure }
    }

    /// The literal that [`ParamsLiteral::to_json`] wrote.
    ///
    /// # Errors
    /// Text that is none. Whether the parameters exist is for [`crate::Params`] to say.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let Text { log_n, max_level, bootstrap, high_precision, double_precision, secret, tables, insecure } =
            serde_json::from_str(text)
                .map_err(|e| FileError::header("params", e, "a parameter literal of this version"))?;
        let secret = match secret {
            Secret::Ternary => SecretDistribution::Ternary,
            Secret::FixedWeight(weight) => SecretDistribution::FixedWeight(weight),
        };
        let precision = match (high_precision, double_precision) {
            (false, false) => Precision::Standard,
            (true, false) => Precision::High,
            (false, true) => Precision::Double,
            (true, true) => {
                return Err(FileError::header("params", "high and double precision", "one precision").into());
            }
        };
        Ok(Self { log_n, max_level, bootstrap, precision, secret, tables, insecure })
    }
}
