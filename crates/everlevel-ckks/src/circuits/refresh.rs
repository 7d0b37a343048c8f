//! Automatic bootstrapping: operands of an operation that lacks levels are bootstrapped before it is called again.
//!
//! An operation refuses operands that are too low before any work, with the level that it needs. Whoever calls it can
//! bootstrap them by [`Circuits::refresh`], remember the results beside the originals, and call it again: there is
//! nothing else to know of an operation.

use super::evaluator::Circuits;
use crate::{Ciphertext, Error, Method, Progress, SlotType, Units};

/// An operand of an operation that lacks levels.
#[derive(Debug, Clone, Copy)]
pub struct RefreshOperand<'a> {
    /// The operand, of two polynomials or three.
    pub ciphertext: &'a Units<Ciphertext>,
    /// Whether its imaginary parts are noise: two real operands share a bootstrap.
    pub is_real: bool,
    /// Whether it was bootstrapped before.
    pub is_remembered: bool,
}

impl Circuits<'_> {
    /// Bootstraps operands of an operation that needs a level: those below it that were not bootstrapped before, and
    /// those of the others that gain by it. Gives the places of the operands that were bootstrapped, with the results.
    ///
    /// # Errors
    /// A level that no bootstrap reaches; keys of another secret; values that are too large; a cancellation.
    pub fn refresh(
        &self,
        op: &'static str,
        operands: &[RefreshOperand],
        needed: usize,
        progress: Progress,
    ) -> Result<Vec<(usize, Units<Ciphertext>)>, Error> {
        let shapes: Vec<Shape> = operands.iter().map(Shape::of).collect();
        let (level_out, stage_count) = (self.level_out(), self.keys().bootstrap.stage_count());
        let level = shapes.iter().map(|shape| shape.level).min().unwrap_or(0);
        let slot_type = if shapes.iter().all(|shape| shape.is_real) { SlotType::Real } else { SlotType::Complex };
        let most = self.level_after(level, slot_type);
        if needed > most {
            return Err(Error::BeyondBootstrap { op, needed, level, level_out: most, stage_count });
        }
        let groups = due(&shapes, needed, level_out);
        let run = self.run(op, groups.len(), progress);
        let ready = |&at: &usize| run.relinearized(operands[at].ciphertext);
        let mut all = Vec::new();
        for group in groups {
            let fresh = match &group.iter().map(ready).collect::<Result<Vec<_>, _>>()?[..] {
                [a, b] => run.merge_bootstrap(Method::Usual, a, b)?.into(),
                alone => {
                    let slot_type = if operands[group[0]].is_real { SlotType::Real } else { SlotType::Complex };
                    vec![run.bootstrap(Method::Usual, slot_type, &alone[0])?]
                }
            };
            all.extend(group.into_iter().zip(fresh));
        }
        Ok(all)
    }
}

/// The properties of an operand that decide whether and with which other one it is bootstrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    level: usize,
    is_real: bool,
    unit_count: usize,
    is_remembered: bool,
}

impl Shape {
    fn of(operand: &RefreshOperand) -> Self {
        let RefreshOperand { ciphertext, is_real, is_remembered } = *operand;
        Self { level: ciphertext.first().level(), is_real, unit_count: ciphertext.count(), is_remembered }
    }
}

/// Which operands of an operation that needs a level are bootstrapped, two real ones together: those below the level,
/// and those of the others that gain by it. Of two real ciphertexts in one bootstrap, the second is free; an operand
/// that is low is due soon, and is due once.
fn due(operands: &[Shape], needed: usize, level_out: usize) -> Vec<Vec<usize>> {
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

/// Real operands of as many units two by two, in their order; the others alone, before them.
fn pairs(operands: &[Shape], which: &[usize]) -> Vec<Vec<usize>> {
    let (mut rest, complex): (Vec<usize>, Vec<usize>) = which.iter().partition(|&&at| operands[at].is_real);
    let mut groups: Vec<Vec<usize>> = complex.into_iter().map(|at| vec![at]).collect();
    while let Some(&first) = rest.first() {
        let is_alike = |&&at: &&usize| operands[at].unit_count == operands[first].unit_count;
        let (alike, others): (Vec<usize>, Vec<usize>) = rest.iter().partition(is_alike);
        groups.extend(alike.chunks(2).map(<[usize]>::to_vec));
        rest = others;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(level: usize, is_real: bool) -> Shape {
        Shape { level, is_real, unit_count: 1, is_remembered: false }
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
    fn pairs_are_of_as_many_units() {
        let other = Shape { unit_count: 2, ..shape(0, true) };
        let all = [shape(0, true), other, shape(0, false), shape(0, true), other];
        assert_eq!(pairs(&all, &[0, 1, 2, 3, 4]), [vec![2], vec![0, 3], vec![1, 4]]);
    }
}
