//! Combinations done by the forward transforms that make one of their operands: the last step of a division by part of
//! the modulus takes a pass over memory less, and a launch less.

use std::collections::HashSet;

use everlevel_ring::device::{Call, DeviceLimb, Scaling};

use crate::together::{job_count, touched};

/// What becomes of a forward transform's result `x`: `to = x·factors[0] + other·factors[1]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    pub to: DeviceLimb,
    pub other: DeviceLimb,
    pub factors: [u64; 2],
}

/// A call, with the ends of a forward call's transforms; other calls have none.
pub(crate) type CallWithEnds = (Call, Vec<Option<End>>);

/// The calls, with combinations done by earlier forward transforms where nobody else sees the transform's result.
/// `is_free` says of a limb that nobody reads it after all calls.
pub(crate) fn with_ends(calls: Vec<Call>, is_free: impl Fn(DeviceLimb) -> bool) -> Vec<CallWithEnds> {
    let touched: Vec<[HashSet<DeviceLimb>; 2]> =
        calls.iter().map(|call| touched(call).map(|limbs| limbs.into_iter().collect())).collect();
    let mut calls: Vec<CallWithEnds> = calls
        .into_iter()
        .map(|call| {
            let count = if let Call::Forward(all) = &call { all.len() } else { 0 };
            (call, vec![None; count])
        })
        .collect();
    for at in 0..calls.len() {
        let (Call::Scaling(Scaling::Combine, all, factors), _) = &mut calls[at] else { continue };
        let (all, factors) = (std::mem::take(all), std::mem::take(factors));
        let operands: Vec<DeviceLimb> = all.iter().flat_map(|job| [job.a, job.b]).collect();
        let is_read_once = |x| operands.iter().filter(|&&limb| limb == x).count() == 1;
        let (mut kept, mut kept_factors) = (Vec::new(), Vec::new());
        for (job, factors) in all.into_iter().zip(factors.chunks_exact(2)) {
            // The transform's result is either operand, and its factor is first.
            let either = [(job.b, job.a, [factors[1], factors[0]]), (job.a, job.b, [factors[0], factors[1]])];
            let found = either.into_iter().filter(|(x, ..)| is_read_once(*x)).find_map(|(x, other, factors)| {
                let end = End { to: job.to, other, factors };
                Some((maker(&calls, &touched, at, (x, end), &is_free)?, end))
            });
            match found {
                Some(([call, place], end)) => calls[call].1[place] = Some(end),
                None => {
                    kept.push(job);
                    kept_factors.extend_from_slice(factors);
                }
            }
        }
        calls[at].0 = Call::Scaling(Scaling::Combine, kept, kept_factors);
    }
    calls.retain(|(call, _)| job_count(call) > 0);
    calls
}

/// The forward transform, by its call and its place there, whose result `x` the combination of call `at` may be done
/// with, which alone in its call reads it: nobody else does, and what the combination reads and writes isn't touched in between.
fn maker(
    calls: &[CallWithEnds],
    touched: &[[HashSet<DeviceLimb>; 2]],
    at: usize,
    (x, End { to, other, .. }): (DeviceLimb, End),
    is_free: impl Fn(DeviceLimb) -> bool,
) -> Option<[usize; 2]> {
    let first = (0..at).rev().find(|&call| touched[call][1].contains(&x))?;
    let (Call::Forward(all), ends) = &calls[first] else { return None };
    let place = all.iter().position(|transform| transform.to == x)?;
    let others_are_apart = touched[first..at].iter().enumerate().all(|(later, [reads, writes])| {
        let is_maker = later == 0;
        let x_is_seen = !is_maker && reads.contains(&x);
        let to_is_touched = to != x && (reads.contains(&to) || writes.contains(&to));
        !x_is_seen && !to_is_touched && !writes.contains(&other)
    });
    let is_last = || {
        let later = (at + 1..calls.len()).find(|&call| touched[call].iter().any(|limbs| limbs.contains(&x)));
        later.map_or_else(|| is_free(x), |call| !touched[call][0].contains(&x))
    };
    (others_are_apart && ends[place].is_none() && (to == x || is_last())).then_some([first, place])
}

#[cfg(test)]
mod tests {
    use everlevel_ring::device::{Operands, Transform};

    use super::*;

    fn forward(limb: u32) -> Call {
        let limb = DeviceLimb(limb);
        Call::Forward(vec![Transform { from: limb, to: limb, prime: 0 }])
    }

    fn combine([to, a, b]: [u32; 3]) -> Call {
        let [to, a, b] = [to, a, b].map(DeviceLimb);
        Call::Scaling(Scaling::Combine, vec![Operands { to, a, b, prime: 0 }], vec![2, 3])
    }

    fn copy(to: u32, from: u32) -> Call {
        Call::Copy(vec![[DeviceLimb(to), DeviceLimb(from)]])
    }

    /// Calls left, and the first end that is there.
    fn fused(calls: Vec<Call>) -> (usize, Option<End>) {
        let all = with_ends(calls, |limb| limb.0 >= 5);
        (all.len(), all.iter().flat_map(|(_, ends)| ends.iter().flatten()).next().copied())
    }

    #[test]
    fn combinations_join_the_transform_of_either_operand() {
        let end = |to, other, factors| Some(End { to: DeviceLimb(to), other: DeviceLimb(other), factors });
        assert_eq!(fused(vec![forward(5), combine([1, 2, 5])]), (1, end(1, 2, [3, 2])));
        assert_eq!(fused(vec![forward(5), combine([1, 5, 2])]), (1, end(1, 2, [2, 3])));
        assert_eq!(fused(vec![forward(5), combine([2, 2, 5])]), (1, end(2, 2, [3, 2])));
        // In place of the transform's result, which others may then read.
        assert_eq!(fused(vec![forward(1), combine([1, 2, 1]), copy(3, 1)]), (2, end(1, 2, [3, 2])));
        // Another result is there afterwards.
        assert_eq!(fused(vec![forward(1), combine([2, 2, 1]), copy(1, 3)]), (2, end(2, 2, [3, 2])));
    }

    #[test]
    fn combinations_stay_where_somebody_sees_the_difference() {
        for calls in [
            // The transform's result is read later, or kept.
            vec![forward(5), combine([1, 2, 5]), copy(3, 5)],
            vec![forward(1), combine([2, 2, 1])],
            // It is read in between; the result's limb is; the other operand changes.
            vec![forward(5), copy(3, 5), combine([1, 2, 5])],
            vec![forward(5), copy(3, 1), combine([1, 2, 5])],
            vec![forward(5), copy(1, 3), combine([1, 2, 5])],
            vec![forward(5), copy(2, 3), combine([1, 2, 5])],
            // Both operands are one, or two combinations have it; the other operand is transformed at once.
            vec![forward(5), combine([1, 5, 5])],
            vec![
                forward(5),
                Call::Scaling(
                    Scaling::Combine,
                    [1, 2]
                        .map(|to| Operands { to: DeviceLimb(to), a: DeviceLimb(3), b: DeviceLimb(5), prime: 0 })
                        .into(),
                    vec![2, 3, 2, 3],
                ),
            ],
            vec![
                Call::Forward([5, 2].map(|l| Transform { from: DeviceLimb(l), to: DeviceLimb(l), prime: 0 }).into()),
                combine([1, 2, 5]),
            ],
            // No transform made it.
            vec![copy(5, 3), combine([1, 2, 5])],
        ] {
            let count = calls.len();
            assert_eq!(fused(calls), (count, None));
        }
    }
}
