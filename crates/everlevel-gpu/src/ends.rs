//! Combinations and automorphisms done by the forward transforms that make their operands: the last steps of a key
//! switch, a division by part of the modulus and an automorphism, take two passes over memory less, and two launches
//! less.

use std::collections::HashSet;

use everlevel_ring::device::{Call, DeviceLimb, Scaling};

use crate::together::{job_count, touched};

/// The end of a forward transform with result `x`: `to` is `x`, or `x·w + other·v`, under an automorphism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    pub to: DeviceLimb,
    /// The limb `other`, and the factors `w` and `v`.
    pub combined: Option<(DeviceLimb, [u64; 2])>,
    pub galois_elt: u64,
}

/// A call, with the ends of a forward call's transforms; other calls have none.
pub(crate) type CallWithEnds = (Call, Vec<Option<End>>);

/// The calls, with combinations done by earlier forward transforms where nobody else sees the transform's result.
/// `is_free` says of a limb that nobody reads it after all calls.
pub(crate) fn with_ends(calls: Vec<Call>, is_free: impl Fn(DeviceLimb) -> bool) -> Vec<CallWithEnds> {
    let mut calls: Vec<CallWithEnds> = calls
        .into_iter()
        .map(|call| {
            let count = if let Call::Forward(all) = &call { all.len() } else { 0 };
            (call, vec![None; count])
        })
        .collect();
    join_combinations(&mut calls, &is_free);
    join_automorphisms(&mut calls, &is_free);
    calls
}

fn join_combinations(calls: &mut Vec<CallWithEnds>, is_free: &impl Fn(DeviceLimb) -> bool) {
    let touched = touched_with_ends(calls);
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
                let end = End { to: job.to, combined: Some((other, factors)), galois_elt: 1 };
                let [call, place] = maker(calls, &touched, at, (x, job.to, Some(other)), is_free)?;
                calls[call].1[place].is_none().then_some(([call, place], end))
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
}

fn join_automorphisms(calls: &mut Vec<CallWithEnds>, is_free: &impl Fn(DeviceLimb) -> bool) {
    let touched = touched_with_ends(calls);
    for at in 0..calls.len() {
        let (Call::Automorphism(all, galois_elt), _) = &mut calls[at] else { continue };
        let (all, galois_elt) = (std::mem::take(all), *galois_elt);
        let is_read_once = |x| all.iter().filter(|job| job.a == x).count() == 1;
        let mut kept = Vec::new();
        for &job in &all {
            let found =
                is_read_once(job.a).then(|| maker(calls, &touched, at, (job.a, job.to, None), is_free)).flatten();
            let end = found.map(|[call, place]| &mut calls[call].1[place]);
            match end {
                Some(end) if end.is_none_or(|end| end.galois_elt == 1) => {
                    let combined = end.and_then(|end| end.combined);
                    *end = Some(End { to: job.to, combined, galois_elt });
                }
                _ => kept.push(job),
            }
        }
        calls[at].0 = Call::Automorphism(kept, galois_elt);
    }
    calls.retain(|(call, _)| job_count(call) > 0);
}

/// The limbs that each call reads, and those that it writes: a transform writes its result's limb wherever it ends.
fn touched_with_ends(calls: &[CallWithEnds]) -> Vec<[HashSet<DeviceLimb>; 2]> {
    let of_call = |(call, ends): &CallWithEnds| {
        let mut limbs = touched(call).map(HashSet::from_iter);
        for end in ends.iter().flatten() {
            limbs[0].extend(end.combined.map(|(other, _)| other));
            limbs[1].insert(end.to);
        }
        limbs
    };
    calls.iter().map(of_call).collect()
}

/// The forward transform, by its call and its place there, that makes the limb `x`, if call `at`, which makes `to` of
/// it and of another limb, may be done with it: nobody else reads `x`, and what call `at` reads and writes isn't
/// touched in between. In call `at` itself `x` is read once.
fn maker(
    calls: &[CallWithEnds],
    touched: &[[HashSet<DeviceLimb>; 2]],
    at: usize,
    (x, to, other): (DeviceLimb, DeviceLimb, Option<DeviceLimb>),
    is_free: impl Fn(DeviceLimb) -> bool,
) -> Option<[usize; 2]> {
    let first = (0..at).rev().find(|&call| touched[call][1].contains(&x))?;
    let (Call::Forward(all), ends) = &calls[first] else { return None };
    let place = all.iter().zip(ends).position(|(transform, end)| end.map_or(transform.to, |end| end.to) == x)?;
    let are_apart = touched[first..at].iter().enumerate().all(|(later, [reads, writes])| {
        let x_is_seen = later > 0 && reads.contains(&x);
        let to_is_touched = to != x && (reads.contains(&to) || writes.contains(&to));
        !x_is_seen && !to_is_touched && !other.is_some_and(|other| writes.contains(&other))
    });
    let is_last = || {
        let later = (at + 1..calls.len()).find(|&call| touched[call].iter().any(|limbs| limbs.contains(&x)));
        later.map_or_else(|| is_free(x), |call| !touched[call][0].contains(&x))
    };
    (are_apart && (to == x || is_last())).then_some([first, place])
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
        let end = |to, other, factors| {
            Some(End { to: DeviceLimb(to), combined: Some((DeviceLimb(other), factors)), galois_elt: 1 })
        };
        assert_eq!(fused(vec![forward(5), combine([1, 2, 5])]), (1, end(1, 2, [3, 2])));
        assert_eq!(fused(vec![forward(5), combine([1, 5, 2])]), (1, end(1, 2, [2, 3])));
        assert_eq!(fused(vec![forward(5), combine([2, 2, 5])]), (1, end(2, 2, [3, 2])));
        // In place of the transform's result, which others may then read.
        assert_eq!(fused(vec![forward(1), combine([1, 2, 1]), copy(3, 1)]), (2, end(1, 2, [3, 2])));
        // Another result is there afterwards.
        assert_eq!(fused(vec![forward(1), combine([2, 2, 1]), copy(1, 3)]), (2, end(2, 2, [3, 2])));
    }

    fn automorphism(to: u32, from: u32) -> Call {
        let [to, a] = [to, from].map(DeviceLimb);
        Call::Automorphism(vec![Operands { to, a, b: a, prime: 0 }], 5)
    }

    #[test]
    fn automorphisms_join_transforms_and_their_combinations() {
        let end = |to, combined| Some(End { to: DeviceLimb(to), combined, galois_elt: 5 });
        assert_eq!(fused(vec![forward(5), automorphism(1, 5)]), (1, end(1, None)));
        let combined = Some((DeviceLimb(2), [3, 2]));
        assert_eq!(fused(vec![forward(5), combine([6, 2, 5]), automorphism(1, 6)]), (1, end(1, combined)));
        assert_eq!(fused(vec![forward(5), combine([5, 2, 5]), automorphism(1, 5)]), (1, end(1, combined)));
        // A second one stays, and so does one of what others read.
        assert_eq!(fused(vec![forward(5), automorphism(6, 5), automorphism(1, 6)]), (2, end(6, None)));
        assert_eq!(fused(vec![forward(5), automorphism(1, 5), copy(2, 5)]), (3, None));
        assert_eq!(fused(vec![forward(5), copy(1, 3), automorphism(1, 5)]), (3, None));
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
