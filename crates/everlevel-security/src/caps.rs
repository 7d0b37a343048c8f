//! The table of caps, for whoever makes parameters: one row per ring degree and secret, each with its claim.

use crate::{Error, SecretDistribution, estimate::Attack};

/// One row: the largest accepted modulus and what is claimed about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cap {
    /// log2 of the ring degree.
    pub log_n: u32,
    /// Distribution of the secret.
    pub secret: SecretDistribution,
    /// Largest accepted log2 of the whole modulus, key-switching primes included.
    pub max_log2_qp: f64,
    /// Classical security at the cap: the cheapest attack of [`crate::estimate`] under MATZOV, which the tests
    /// recompute.
    pub security_bits: f64,
    /// The cheapest attack.
    pub attack: Attack,
    /// Frozen output of the full estimator at this very row, where it was run.
    pub frozen: Option<Frozen>,
    /// The publication that the cap is from.
    pub source: &'static str,
}

/// An output of the lattice-estimator (<https://github.com/malb/lattice-estimator>) under MATZOV, error deviation 3.19.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frozen {
    /// Classical security, in bits.
    pub security_bits: f64,
    /// The cheapest attack among those run.
    pub attack: Attack,
    /// Commit of the estimator.
    pub estimator: &'static str,
}

const GUIDELINES: &str = "Security Guidelines for Implementing Homomorphic Encryption, eprint 2024/463, Table 5.2";
const OPENFHE: &str = "OpenFHE, table of the standard lattice parameters";
const LATTIGO: &str = "Lattigo 6 default bootstrapping parameters, after eprint 2022/024";
const RUN: &str = "lattice-estimator runs frozen in docs/notes/security.md";

const fn row(
    log_n: u32,
    secret: SecretDistribution,
    max_log2_qp: f64,
    (security_bits, attack): (f64, Attack),
    frozen: Option<(f64, Attack)>,
    source: &'static str,
) -> Cap {
    let frozen = match frozen {
        Some((security_bits, attack)) => Some(Frozen { security_bits, attack, estimator: "27a581b" }),
        None => None,
    };
    Cap { log_n, secret, max_log2_qp, security_bits, attack, frozen, source }
}

/// Every accepted pair of ring degree and secret.
pub const CAPS: &[Cap] = {
    use crate::SecretDistribution::{FixedWeight, Ternary};
    use Attack::{Bdd, HybridMeetInTheMiddle, HybridSieve, Usvp};
    &[
        row(12, Ternary, 106.0, (129.0, HybridSieve), None, GUIDELINES),
        row(13, Ternary, 214.0, (128.3, Bdd), None, GUIDELINES),
        row(14, Ternary, 430.0, (128.4, Bdd), Some((128.4, Usvp)), GUIDELINES),
        row(15, Ternary, 868.0, (128.1, Usvp), Some((128.0, Usvp)), GUIDELINES),
        row(16, Ternary, 1747.0, (128.0, Bdd), Some((128.0, Bdd)), GUIDELINES),
        row(17, Ternary, 3523.0, (127.9, Bdd), None, OPENFHE),
        row(15, FixedWeight(192), 768.0, (134.0, HybridMeetInTheMiddle), None, LATTIGO),
        row(16, FixedWeight(32), 121.0, (172.3, HybridMeetInTheMiddle), Some((171.9, HybridMeetInTheMiddle)), LATTIGO),
        row(16, FixedWeight(192), 1550.0, (134.2, HybridMeetInTheMiddle), None, RUN),
        row(16, FixedWeight(1024), 1717.0, (129.7, HybridSieve), Some((130.2, Bdd)), RUN),
    ]
};

/// The row for this ring degree and secret, or `None`; weights are not interpolated.
pub fn cap(log_n: u32, secret: SecretDistribution) -> Option<&'static Cap> {
    CAPS.iter().find(|cap| cap.log_n == log_n && cap.secret == secret)
}

/// Largest `log2(QP)` accepted as 128-bit secure.
pub fn max_log2_qp(log_n: u32, secret: SecretDistribution) -> Option<f64> {
    cap(log_n, secret).map(|cap| cap.max_log2_qp)
}

/// Accepts a modulus at or below the cap of its row.
///
/// # Errors
/// [`Error::ModulusTooLarge`] above the cap, [`Error::NoCap`] where the table has no row.
pub fn check(log_n: u32, secret: SecretDistribution, log2_qp: f64) -> Result<(), Error> {
    let max_log2_qp = max_log2_qp(log_n, secret).ok_or(Error::NoCap { log_n, secret, log2_qp })?;
    if log2_qp.is_nan() || log2_qp > max_log2_qp {
        return Err(Error::ModulusTooLarge { log_n, secret, log2_qp, max_log2_qp });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::SecretDistribution::{FixedWeight, Ternary};
    use super::*;

    #[test]
    fn caps_are_accepted_and_the_next_bit_is_refused() {
        for cap in CAPS {
            assert_eq!(check(cap.log_n, cap.secret, cap.max_log2_qp), Ok(()));
            assert!(check(cap.log_n, cap.secret, cap.max_log2_qp + 1.0).is_err());
            let rows = CAPS.iter().filter(|c| c.log_n == cap.log_n && c.secret == cap.secret);
            assert_eq!(rows.count(), 1);
        }
    }

    /// The note is the table in words; neither may change alone.
    #[test]
    fn note_lists_every_row() {
        let note = include_str!("../notes/security.md");
        for c in CAPS {
            let frozen = c.frozen.map_or("not run".to_owned(), |f| format!("{:.1} {:?}", f.security_bits, f.attack));
            let (n, bits) = (format!("2^{} | {}", c.log_n, c.secret), c.security_bits);
            let line = format!("| {n} | {} | {bits:.1} | {:?} | {frozen} |", c.max_log2_qp, c.attack);
            assert!(note.contains(&line), "docs/notes/security.md lacks the line {line}");
        }
    }

    #[test]
    fn messages_name_both_values_and_the_next_step() {
        assert_eq!(
            check(16, FixedWeight(192), 1717.0).unwrap_err().to_string(),
            "check: log2(QP) = 1717.0 is above 1550.0, the 128-bit cap for N = 2^16 and a weight-192 secret; \
             drop primes, take a larger ring, or spell out `insecure`"
        );
        assert_eq!(
            check(11, Ternary, 50.0).unwrap_err().to_string(),
            "check: no 128-bit cap is listed for N = 2^11 and a dense ternary secret, so log2(QP) = 50.0 is \
             unjudged; take a pair listed in `caps::CAPS`, or spell out `insecure`"
        );
    }

    #[test]
    fn odd_requests_are_refused() {
        assert!(matches!(check(16, Ternary, f64::NAN), Err(Error::ModulusTooLarge { .. })));
        assert!(matches!(check(16, Ternary, f64::INFINITY), Err(Error::ModulusTooLarge { .. })));
        assert!(matches!(check(16, FixedWeight(512), 1000.0), Err(Error::NoCap { .. })));
        assert_eq!(max_log2_qp(18, Ternary), None);
    }
}
