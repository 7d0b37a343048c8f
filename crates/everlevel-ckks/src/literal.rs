//! Parameter literals: what may be asked of parameters, unchecked.

use everlevel_security::SecretDistribution;

use crate::Error;
use crate::chain::{
    BOOTSTRAP_MESSAGE_LEVELS, BOOTSTRAP_MESSAGE_LEVELS_RANGE, HIGH_PRECISION_MESSAGE_LEVELS, MAX_DEEP_STAGES,
    MAX_DOUBLE_PRECISION_LEVELS, MAX_LOG_N, MAX_MESSAGE_LEVELS, MIN_LOG_N, TableWidths,
};

/// The precision of a bootstrapping chain's messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// Scales of 2^40: rounding errors of 2^-29, a single bootstrap's 2^-25.
    #[default]
    Standard,
    /// Scales of 2^46, and two primes at level 0, so that iterated bootstraps leave errors of 2^-34.
    High,
    /// Scales of 2^80, and two primes at every level, without bootstrapping: for results that are flooded with noise
    /// before they are given away. Values round to doubles when they are decoded.
    Double,
}

impl Precision {
    /// Every precision.
    pub const ALL: [Self; 3] = [Self::Standard, Self::High, Self::Double];

    /// The precision of a name.
    ///
    /// # Errors
    /// [`Error::Parameter`] for any other name.
    pub fn named(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|precision| precision.name() == name).ok_or_else(|| {
            let needed = format!("one of {}", Self::ALL.map(Self::name).join(", "));
            Error::parameter("precision", name, needed)
        })
    }

    /// Name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::High => "high",
            Self::Double => "double",
        }
    }
}

/// Unchecked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct ParamsLiteral {
    /// log2 of the ring degree.
    pub log_n: u32,
    /// Highest message level.
    pub max_level: usize,
    /// Whether the chain has bootstrapping's levels above the message levels.
    pub bootstrap: bool,
    /// The precision of messages.
    pub precision: Precision,
    /// Distribution of the secret.
    pub secret: SecretDistribution,
    /// Widths of a chain whose bootstraps are for look-up tables alone; none are those for messages of the precision.
    pub tables: Option<TableWidths>,
    /// Accepts parameters without 128 bits of security.
    pub insecure: bool,
}

impl ParamsLiteral {
    /// The smallest 128-bit secure ring for a depth, as in the 1.x API: levels 0–2 → 2^13, 3–7 → 2^14, 8–17 → 2^15,
    /// 18–36 → 2^16, 37–77 → 2^17.
    ///
    /// # Errors
    /// [`Error::Parameter`] above 77 levels.
    pub fn for_depth(max_level: usize) -> Result<Self, Error> {
        let log_n = match max_level {
            0..=2 => 13,
            3..=7 => 14,
            8..=17 => 15,
            18..=36 => 16,
            37..=MAX_MESSAGE_LEVELS => 17,
            _ => return Err(too_deep(max_level, Precision::Standard)),
        };
        Ok(Self::without_bootstrap(log_n, max_level, default_secret(log_n)))
    }

    /// The smallest 128-bit secure ring for a depth that also has `slot_count` slots.
    ///
    /// # Errors
    /// [`Error::Parameter`] above 77 levels or 65536 slots.
    pub fn for_depth_and_slots(max_level: usize, slot_count: usize) -> Result<Self, Error> {
        Self::for_depth(max_level)?.with_slots(slot_count)
    }

    /// The smallest 128-bit secure ring for a depth of double precision: level 0 → 2^13, 1–2 → 2^14, 3–8 → 2^15,
    /// 9–19 → 2^16, 20–41 → 2^17.
    ///
    /// # Errors
    /// [`Error::Parameter`] above 41 levels.
    pub fn double_precision(max_level: usize) -> Result<Self, Error> {
        let log_n = match max_level {
            0 => 13,
            1..=2 => 14,
            3..=8 => 15,
            9..=19 => 16,
            20..=MAX_DOUBLE_PRECISION_LEVELS => 17,
            _ => return Err(too_deep(max_level, Precision::Double)),
        };
        let secret = default_secret(log_n);
        Ok(Self {
            log_n,
            max_level,
            bootstrap: false,
            precision: Precision::Double,
            secret,
            tables: None,
            insecure: false,
        })
    }

    /// This depth in a ring that also has `slot_count` slots.
    ///
    /// # Errors
    /// [`Error::Parameter`] above 65536 slots.
    pub fn with_slots(self, slot_count: usize) -> Result<Self, Error> {
        let most = 1 << (MAX_LOG_N - 1);
        if slot_count > most {
            let needed = format!("a power of two up to {most}; split the message between several ciphertexts");
            return Err(Error::parameter("slot_count", slot_count, needed));
        }
        let log_n = self.log_n.max(slot_count.next_power_of_two().trailing_zeros() + 1);
        Ok(Self { log_n, secret: default_secret(log_n), ..self })
    }

    /// Full-slot bootstrapping at N = 2^16 with 128-bit security.
    pub fn bootstrap() -> Self {
        Self {
            log_n: 16,
            max_level: BOOTSTRAP_MESSAGE_LEVELS,
            bootstrap: true,
            precision: Precision::Standard,
            secret: default_secret(16),
            tables: None,
            insecure: false,
        }
    }

    /// As [`ParamsLiteral::bootstrap`], for bootstraps of three stages that end at a level of 1 to 17 with
    /// SlotsToCoeffs last. Other levels are refused when the parameters are made.
    pub fn bootstrap_to(level: usize) -> Self {
        Self { max_level: level.saturating_add(MAX_DEEP_STAGES), ..Self::bootstrap() }
    }

    /// As [`ParamsLiteral::bootstrap`], with fewer levels and more precise messages.
    pub fn high_precision() -> Self {
        Self { max_level: HIGH_PRECISION_MESSAGE_LEVELS, precision: Precision::High, ..Self::bootstrap() }
    }

    /// The bootstrapping chain on a small ring, for tests: **no security at all**.
    pub fn insecure_bootstrap(log_n: u32) -> Self {
        let secret = SecretDistribution::FixedWeight(insecure_weight(log_n));
        Self { log_n, insecure: true, secret, ..Self::bootstrap() }
    }

    /// A chain without bootstrapping on a ring of any size, for tests: **no security at all**.
    pub fn insecure_depth(log_n: u32, max_level: usize) -> Self {
        let secret = SecretDistribution::FixedWeight(insecure_weight(log_n));
        Self { insecure: true, ..Self::without_bootstrap(log_n, max_level, secret) }
    }
}

impl ParamsLiteral {
    /// A chain of standard precision without bootstrapping.
    fn without_bootstrap(log_n: u32, max_level: usize, secret: SecretDistribution) -> Self {
        let (bootstrap, precision, tables) = (false, Precision::Standard, None);
        Self { log_n, max_level, bootstrap, precision, secret, tables, insecure: false }
    }

    /// Refuses numbers that there is no chain for.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let log_n = self.log_n;
        if !(MIN_LOG_N..=MAX_LOG_N).contains(&log_n) {
            return Err(Error::parameter("log_n", log_n, format!("between {MIN_LOG_N} and {MAX_LOG_N}")));
        }
        if !self.bootstrap && self.max_level > most_levels(self.precision) {
            return Err(too_deep(self.max_level, self.precision));
        }
        if let SecretDistribution::FixedWeight(weight) = self.secret
            && !(1..=1 << log_n).contains(&weight)
        {
            let needed = format!("between 1 and the ring degree, {}", 1 << log_n);
            return Err(Error::parameter("weight of the secret", weight, needed));
        }
        let high = self.precision == Precision::High;
        if high && !self.bootstrap {
            let needed = "a chain with bootstrapping; other chains have one precision";
            return Err(Error::parameter("precision", "high", needed));
        }
        let double = self.precision == Precision::Double;
        if double && self.bootstrap {
            let needed = "a chain without bootstrapping; those with it have standard and high precision";
            return Err(Error::parameter("precision", "double", needed));
        }
        if let Some(widths) = &self.tables {
            widths.check()?;
            if !self.bootstrap || self.precision != Precision::Standard {
                let needed = "a chain with bootstrapping, of standard precision";
                return Err(Error::parameter("widths for tables", "another chain", needed));
            }
        }
        if high && self.max_level != HIGH_PRECISION_MESSAGE_LEVELS {
            let needed = format!("{HIGH_PRECISION_MESSAGE_LEVELS} with high precision");
            return Err(Error::parameter("max_level", self.max_level, needed));
        }
        let allowed = BOOTSTRAP_MESSAGE_LEVELS_RANGE;
        if self.bootstrap && !high && !allowed.contains(&self.max_level) {
            let (least, most) = allowed.into_inner();
            return Err(Error::BootstrapLevels { found: self.max_level, least, most });
        }
        Ok(())
    }
}

/// A quarter of the degree; of degrees that will be refused, too.
fn insecure_weight(log_n: u32) -> usize {
    1usize.unbounded_shl(log_n) / 4
}

/// Weight 1024 at N = 2^16, where it has been estimated; dense elsewhere.
pub(crate) fn default_secret(log_n: u32) -> SecretDistribution {
    if log_n == 16 { SecretDistribution::FixedWeight(1024) } else { SecretDistribution::Ternary }
}

/// Most message levels of a chain without bootstrapping.
fn most_levels(precision: Precision) -> usize {
    if precision == Precision::Double { MAX_DOUBLE_PRECISION_LEVELS } else { MAX_MESSAGE_LEVELS }
}

fn too_deep(max_level: usize, precision: Precision) -> Error {
    let next = match precision {
        Precision::Double => "for deeper computations use standard precision",
        _ => "for deeper computations use bootstrapping",
    };
    let needed = format!("at most {}; {next}", most_levels(precision));
    Error::parameter("max_level", max_level, needed)
}
