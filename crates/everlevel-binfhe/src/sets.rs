//! Named sets: parameters with claims, each of which a test recomputes (`tests/claims.rs`).

mod blocks;
mod limbs;
mod named_set;
mod ntru;
mod ntru_numbers;
mod often;
mod partial;
mod shared;
mod tfhe;
mod tfhe_numbers;

use crate::Error;

pub use named_set::NamedSet;

/// The beginning of names of sets below 128 bits.
const INSECURE: &str = "insecure-";
/// The end of names of sets that rest on assumptions of their own.
const EXPERIMENTAL: &str = "-experimental";

/// The set that has this name.
///
/// # Errors
/// [`Error::InsecureSet`] and [`Error::ExperimentalSet`] where a set's name says that it is such, and this one doesn't;
/// [`Error::UnknownSet`] with the names that its scheme has.
pub fn find(name: &str) -> Result<&'static NamedSet, Error> {
    if let Some(set) = ALL.iter().find(|set| set.name == name) {
        return Ok(set);
    }
    let short = |set: &&NamedSet| {
        let secure = set.name.replacen(INSECURE, "", 1);
        [set.name.replacen(EXPERIMENTAL, "", 1), secure.replacen(EXPERIMENTAL, "", 1), secure].contains(&name.into())
    };
    Err(match ALL.iter().find(short) {
        Some(&NamedSet { name: spelled, security_bits, .. }) if spelled.contains(INSECURE) => {
            Error::InsecureSet { name: name.into(), security_bits, spelled }
        }
        Some(&NamedSet { name: spelled, .. }) => Error::ExperimentalSet { name: name.into(), spelled },
        None => {
            let scheme = |set: &&NamedSet| set.is_ntru() == name.starts_with("ntru-");
            let known = ALL.iter().filter(scheme).map(|set| set.name).collect();
            Error::UnknownSet { name: name.into(), known }
        }
    })
}

/// Every named set: TFHE's, its experimental ones, those over limbs, and then NTRU's.
pub const ALL: &[NamedSet] = &joined::<{ len_of(GROUPS) }>(GROUPS);

const GROUPS: &[&[NamedSet]] = &[tfhe::ALL, shared::ALL, blocks::ALL, partial::ALL, often::ALL, limbs::ALL, ntru::ALL];

const fn len_of(groups: &[&[NamedSet]]) -> usize {
    let (mut len, mut i) = (0, 0);
    while i < groups.len() {
        len += groups[i].len();
        i += 1;
    }
    len
}

const fn joined<const COUNT: usize>(groups: &[&[NamedSet]]) -> [NamedSet; COUNT] {
    let mut all = [tfhe::ALL[0]; COUNT];
    let (mut group, mut first, mut i) = (0, 0, 0);
    while i < COUNT {
        if i == first + groups[group].len() {
            first = i;
            group += 1;
        } else {
            all[i] = groups[group][i - first];
            i += 1;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::Space;
    use crate::params::Params;

    #[test]
    fn every_set_has_insecure_parameters_of_degrees_that_hold_its_messages() {
        for set in ALL {
            let log_n = if matches!(set.params().unwrap().space, Space::Integer { bits: 6.. }) { 13 } else { 10 };
            let params = Params::try_from(set.insecure_literal(log_n)).unwrap();
            assert!(params.insecure && params.space == set.params().unwrap().space, "{}", set.name);
        }
    }
}
