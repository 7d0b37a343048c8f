//! From what an application needs to the parameters that have it.

use crate::{Error, ParamsLiteral, Precision};

/// The needs of an application, which parameters are to meet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// Levels of messages: [`Needs::DEFAULT_MAX_LEVEL`] where neither this nor a bootstrap says how many.
    pub max_level: Option<usize>,
    /// Values of a ciphertext, where small rings might have too few.
    pub slot_count: Option<usize>,
    /// Where bootstraps are needed: the level at which regular ones of three stages end, 10 unless `max_level` says
    /// how many levels there are.
    pub bootstrap_to: Option<usize>,
    /// How precise messages are. High precision needs bootstraps, double precision knows none.
    pub precision: Precision,
    /// log2 of the degree of a ring **without any security**.
    pub insecure_log_n: Option<u32>,
}

impl Needs {
    /// Levels of messages where nothing else is asked for.
    pub const DEFAULT_MAX_LEVEL: usize = 7;

    /// Where bootstraps end that are to end anywhere.
    const BOOTSTRAP_TO: usize = 10;

    /// The literal. A level count that no chain has is refused when parameters are made of it.
    ///
    /// # Errors
    /// As [`ParamsLiteral::for_depth_and_slots`]; levels that bootstraps to the given level don't have.
    pub fn literal(&self) -> Result<ParamsLiteral, Error> {
        let depth = self.max_level.unwrap_or(Self::DEFAULT_MAX_LEVEL);
        let precision = self.precision;
        let Some(level) = self.bootstrap_to else {
            return match (self.insecure_log_n, precision) {
                (Some(log_n), _) => Ok(ParamsLiteral { precision, ..ParamsLiteral::insecure_depth(log_n, depth) }),
                (None, Precision::Double) => {
                    ParamsLiteral::double_precision(depth)?.with_slots(self.slot_count.unwrap_or(1))
                }
                (None, _) => {
                    let literal = ParamsLiteral::for_depth_and_slots(depth, self.slot_count.unwrap_or(1))?;
                    Ok(ParamsLiteral { precision, ..literal })
                }
            };
        };
        let chain = match precision {
            Precision::High => ParamsLiteral::high_precision(),
            Precision::Standard | Precision::Double => ParamsLiteral::bootstrap_to(level),
        };
        let max_level = self.max_level.unwrap_or(chain.max_level);
        if level != Self::BOOTSTRAP_TO && max_level != chain.max_level {
            let needed = format!("{} with bootstraps to level {level}; leave one of the two out", chain.max_level);
            return Err(Error::parameter("max_level", max_level, needed));
        }
        let ring = self.insecure_log_n.map_or_else(ParamsLiteral::bootstrap, ParamsLiteral::insecure_bootstrap);
        Ok(ParamsLiteral { max_level, precision, ..ring })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_asked_for_is_seven_levels() {
        assert_eq!(Needs::default().literal().unwrap(), ParamsLiteral::for_depth(7).unwrap());
        let insecure = Needs { insecure_log_n: Some(9), ..Needs::default() };
        assert_eq!(insecure.literal().unwrap(), ParamsLiteral::insecure_depth(9, 7));
    }

    #[test]
    fn slots_choose_the_ring_where_levels_would_take_a_smaller_one() {
        let needs = Needs { max_level: Some(2), slot_count: Some(1 << 14), ..Needs::default() };
        assert_eq!(needs.literal().unwrap(), ParamsLiteral::for_depth_and_slots(2, 1 << 14).unwrap());
        assert_eq!(needs.literal().unwrap().log_n, 15);
        Needs { max_level: Some(78), ..Needs::default() }.literal().unwrap_err();
    }

    #[test]
    fn bootstraps_say_how_many_levels_there_are_unless_asked_otherwise() {
        let to = |level, precision| Needs { bootstrap_to: Some(level), precision, ..Needs::default() };
        assert_eq!(to(10, Precision::Standard).literal().unwrap(), ParamsLiteral::bootstrap());
        assert_eq!(to(14, Precision::Standard).literal().unwrap(), ParamsLiteral::bootstrap_to(14));
        assert_eq!(to(10, Precision::High).literal().unwrap(), ParamsLiteral::high_precision());
        let asked = Needs { max_level: Some(3), ..to(10, Precision::Standard) };
        assert_eq!(asked.literal().unwrap().max_level, 3);
        Needs { max_level: Some(7), ..to(14, Precision::Standard) }.literal().unwrap_err();
        assert_eq!(Needs { max_level: Some(17), ..to(14, Precision::Standard) }.literal().unwrap().max_level, 17);
        let small = Needs { insecure_log_n: Some(8), ..to(17, Precision::Standard) }.literal().unwrap();
        assert_eq!((small.log_n, small.insecure), (8, true));
        assert_eq!(small.max_level, ParamsLiteral::bootstrap_to(17).max_level);
        let precise = Needs { insecure_log_n: Some(8), ..to(10, Precision::High) }.literal().unwrap();
        assert_eq!(
            (precise.precision, precise.max_level),
            (Precision::High, ParamsLiteral::high_precision().max_level)
        );
    }

    #[test]
    fn double_precision_is_for_chains_without_bootstraps() {
        let needs = Needs { max_level: Some(2), precision: Precision::Double, ..Needs::default() };
        assert_eq!(needs.literal().unwrap(), ParamsLiteral::double_precision(2).unwrap());
        let wide = Needs { slot_count: Some(1 << 14), ..needs }.literal().unwrap();
        assert_eq!((wide.log_n, wide.precision), (15, Precision::Double));
        let small = Needs { insecure_log_n: Some(9), ..needs }.literal().unwrap();
        assert_eq!((small.log_n, small.precision, small.insecure), (9, Precision::Double, true));
        for refused in [Needs { bootstrap_to: Some(10), ..needs }, Needs { precision: Precision::High, ..needs }] {
            crate::Params::try_from(refused.literal().unwrap()).unwrap_err();
        }
        Needs { max_level: Some(42), ..needs }.literal().unwrap_err();
    }
}
