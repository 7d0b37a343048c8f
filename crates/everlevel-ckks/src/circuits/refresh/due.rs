//! Which operands of an operation are bootstrapped, and which of them together.

use everlevel_rlwe::SecretId;

/// The properties of an operand that decide whether and with which other one it is bootstrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Its level.
    pub level: usize,
    /// Whether its imaginary parts are noise.
    pub is_real: bool,
    /// Ciphertexts in it.
    pub unit_count: usize,
    /// Its secret.
    pub secret_id: SecretId,
    /// Whether it was bootstrapped before.
    pub is_remembered: bool,
}

/// Which operands of an operation that needs a level are bootstrapped, two real ones together: those below the level,
/// and those of the others that gain by it. Of two real ciphertexts in one bootstrap, the second is free; an operand
/// that is low is due soon, and is due once.
pub fn due(operands: &[Shape], needed: usize, level_out: usize) -> Vec<Vec<usize>> {
    let (low, others): (Vec<usize>, Vec<usize>) = (0..operands.len()).partition(|&at| operands[at].level < needed);
    let mut low: Vec<usize> = low.into_iter().filter(|&at| !operands[at].is_remembered).collect();
    match low[..] {
        [] => {}
        [one] if operands[one].is_real => {
            let fits = |other: &Shape| other.is_real && other.unit_count == operands[one].unit_count;
            low.extend(others.into_iter().find(|&at| fits(&operands[at]) && operands[at].level < level_out));
        }
        _ => low.extend(others.into_iter().filter(|&at| 2 * operands[at].level < level_out)),
    }
    pairs(operands, &low)
}

/// Real operands of one secret and as many units two by two, in their order; the others alone, before them.
fn pairs(operands: &[Shape], which: &[usize]) -> Vec<Vec<usize>> {
    let (real, complex): (Vec<usize>, Vec<usize>) = which.iter().partition(|&&at| operands[at].is_real);
    let mut groups: Vec<Vec<usize>> = complex.into_iter().map(|at| vec![at]).collect();
    let kind = |at: usize| (operands[at].secret_id, operands[at].unit_count);
    let mut rest = real;
    while let Some(&first) = rest.first() {
        let (alike, others): (Vec<usize>, Vec<usize>) = rest.iter().partition(|&&at| kind(at) == kind(first));
        groups.extend(alike.chunks(2).map(<[usize]>::to_vec));
        rest = others;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(level: usize, is_real: bool) -> Shape {
        Shape { level, is_real, unit_count: 1, secret_id: SecretId(7), is_remembered: false }
    }

    #[test]
    fn a_real_operand_takes_the_next_one_along() {
        assert_eq!(due(&[shape(0, true), shape(9, true)], 1, 10), [vec![0, 1]]);
        assert_eq!(due(&[shape(0, true), shape(10, true)], 1, 10), [vec![0]]);
        assert_eq!(due(&[shape(0, true), shape(9, false)], 1, 10), [vec![0]]);
        assert_eq!(due(&[shape(0, true), Shape { unit_count: 2, ..shape(3, true) }], 1, 10), [vec![0]]);
    }

    #[test]
    fn others_go_along_if_they_gain_more_than_they_have() {
        assert_eq!(due(&[shape(0, false), shape(4, false)], 1, 10), [vec![0], vec![1]]);
        assert_eq!(due(&[shape(0, false), shape(5, false)], 1, 10), [vec![0]]);
        assert_eq!(due(&[shape(0, true), shape(0, true), shape(2, true)], 1, 10), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn what_is_remembered_is_not_due_again() {
        let remembered = Shape { is_remembered: true, ..shape(0, true) };
        assert!(due(&[remembered], 1, 10).is_empty());
        assert_eq!(due(&[remembered, shape(0, true)], 1, 10), [vec![1]]);
    }

    #[test]
    fn pairs_are_of_one_secret() {
        let other = Shape { secret_id: SecretId(8), ..shape(0, true) };
        let all = [shape(0, true), other, shape(0, false), shape(0, true), other];
        assert_eq!(pairs(&all, &[0, 1, 2, 3, 4]), [vec![2], vec![0, 3], vec![1, 4]]);
    }
}
