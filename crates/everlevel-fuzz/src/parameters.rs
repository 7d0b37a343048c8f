//! Literals of parameters, as files and pickles have them.

use everlevel_binfhe::{Params as TfheParams, ParamsLiteral as TfheLiteral};
use everlevel_ckks::{Params, ParamsLiteral};

/// Reads a literal of either scheme, and makes parameters of it: what is accepted is the same after a round trip.
///
/// # Panics
/// At a fault.
pub fn parameters(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    if let Ok(literal) = ParamsLiteral::from_json(text) {
        let again = ParamsLiteral::from_json(&literal.to_json()).expect("what was written");
        assert_eq!(again, literal);
        if let Ok(params) = Params::try_from(literal) {
            assert_eq!(Params::try_from(again).expect("the same literal").primes(), params.primes());
        }
    }
    if let Ok(literal) = serde_json::from_str::<TfheLiteral>(text)
        && let Ok(params) = TfheParams::try_from(literal)
    {
        let text = serde_json::to_string(params.literal()).expect("numbers and names are JSON");
        let again: TfheLiteral = serde_json::from_str(&text).expect("what was written");
        let again = TfheParams::try_from(again).expect("the same literal");
        assert_eq!((again.literal(), again.fingerprint()), (params.literal(), params.fingerprint()));
    }
}
