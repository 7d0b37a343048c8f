//! Recorded calls, put together into few launches.
//!
//! Polynomials and ciphertexts are computed one after another above the ring, and each of them does the same calls on
//! limbs of its own. What touches no limbs in common may be done at once: a call joins an earlier one of its operation
//! where nothing from there on writes what it reads, or touches what it writes.

use std::collections::{HashMap, HashSet};
use std::mem::discriminant;

use everlevel_math::Modulus;
use everlevel_ring::device::{Call, DeviceLimb, Pointwise, Scaling};

/// Most jobs of a call that another one has joined: far below the most of a launch, since a conversion's are several.
const MOST_JOINED_JOBS: usize = 1 << 13;

/// Where calls touch a limb for the last time.
#[derive(Default, Clone, Copy)]
struct Last {
    written: Option<usize>,
    read: Option<usize>,
}

/// Calls that do the work of these, put together into few.
pub(crate) fn together(calls: Vec<Call>) -> Vec<Call> {
    let mut all: Vec<Call> = Vec::new();
    let mut limbs: HashMap<DeviceLimb, Last> = HashMap::new();
    for call in calls {
        let [reads, writes] = touched(&call);
        let last = |limb| limbs.get(limb).copied().unwrap_or_default();
        let of_reads = reads.iter().filter_map(|limb| last(limb).written);
        let of_writes = writes.iter().flat_map(|limb| [last(limb).written, last(limb).read]).flatten();
        let first = of_reads.chain(of_writes).max().map_or(0, |last| last + 1);
        let joins =
            |earlier: &Call| is_one_launch(earlier, &call) && job_count(earlier) + job_count(&call) <= MOST_JOINED_JOBS;
        let at = all[first..].iter().position(joins).map_or(all.len(), |place| first + place);
        match all.get_mut(at) {
            Some(earlier) => join(earlier, call),
            None => all.push(call),
        }
        for limb in reads {
            let last = limbs.entry(limb).or_default();
            last.read = last.read.max(Some(at));
        }
        for limb in writes {
            limbs.entry(limb).or_default().written = Some(at);
        }
    }
    all
}

/// Calls without the copies that only products with keys read, which read the copied limb. `is_free` says of a limb
/// that nobody reads it after all calls.
pub(crate) fn without_copies(mut calls: Vec<Call>, is_free: impl Fn(DeviceLimb) -> bool) -> Vec<Call> {
    let touched: Vec<[HashSet<DeviceLimb>; 2]> =
        calls.iter().map(|call| touched(call).map(|limbs| limbs.into_iter().collect())).collect();
    for at in 0..calls.len() {
        let Call::Copy(pairs) = &mut calls[at] else { continue };
        let pairs = std::mem::take(pairs);
        let mut kept = Vec::new();
        for [copy, original] in pairs {
            match readers_of_copy(&calls, &touched, at + 1, [copy, original], &is_free) {
                Some(readers) => {
                    readers.into_iter().for_each(|reader| read_another(&mut calls[reader], copy, original))
                }
                None => kept.push([copy, original]),
            }
        }
        calls[at] = Call::Copy(kept);
    }
    calls.retain(|call| job_count(call) > 0);
    calls
}

/// Calls with products with constants taken into the factors of the combinations that they multiply in place,
/// as where a product is doubled after its rescaling.
pub(crate) fn with_folded_scales(mut calls: Vec<Call>, moduli: &[Modulus]) -> Vec<Call> {
    // The limbs that a combination was the last to touch: its call, and its job in it.
    let mut combined: HashMap<DeviceLimb, [usize; 2]> = HashMap::new();
    for at in 0..calls.len() {
        if let Call::Scaling(Scaling::Scale, all, factors) = &mut calls[at] {
            let (all, factors) = (std::mem::take(all), std::mem::take(factors));
            let (mut kept, mut kept_factors) = (Vec::new(), Vec::new());
            for (job, factor) in all.into_iter().zip(factors) {
                let earlier = combined.get(&job.to).filter(|_| job.a == job.to).copied();
                match earlier.map(|[call, place]| (&mut calls[call], place)) {
                    Some((Call::Scaling(_, _, factors), place)) => {
                        let m = &moduli[job.prime];
                        factors[2 * place..][..2].iter_mut().for_each(|w| *w = m.mul(*w, factor));
                    }
                    _ => {
                        kept.push(job);
                        kept_factors.push(factor);
                    }
                }
            }
            calls[at] = Call::Scaling(Scaling::Scale, kept, kept_factors);
        }
        for limb in touched(&calls[at]).iter().flatten() {
            combined.remove(limb);
        }
        if let Call::Scaling(Scaling::Combine, all, _) = &calls[at] {
            combined.extend(all.iter().enumerate().map(|(place, job)| (job.to, [at, place])));
        }
    }
    calls.retain(|call| job_count(call) > 0);
    calls
}

/// The calls from `first` on that read a copy, if they are products with keys which can read the original instead.
fn readers_of_copy(
    calls: &[Call],
    touched: &[[HashSet<DeviceLimb>; 2]],
    first: usize,
    [copy, original]: [DeviceLimb; 2],
    is_free: impl Fn(DeviceLimb) -> bool,
) -> Option<Vec<usize>> {
    let (mut readers, mut is_stale) = (Vec::new(), false);
    for at in first..calls.len() {
        let [reads, writes] = &touched[at];
        is_stale |= writes.contains(&original);
        if reads.contains(&copy) {
            if is_stale || !matches!(calls[at], Call::KeyProducts(_)) {
                return None;
            }
            readers.push(at);
        }
        if writes.contains(&copy) {
            return Some(readers);
        }
    }
    is_free(copy).then_some(readers)
}

/// Has the digits of products with keys read another limb.
fn read_another(call: &mut Call, old: DeviceLimb, new: DeviceLimb) {
    let Call::KeyProducts(all) = call else { unreachable!("products with keys read digits") };
    for job in all {
        let digits = job.terms.iter_mut().map(|(digit, _)| digit).chain(job.addends.iter_mut().flatten());
        digits.filter(|digit| **digit == old).for_each(|digit| *digit = new);
    }
}

/// Whether the jobs of two calls can be those of one.
fn is_one_launch(a: &Call, b: &Call) -> bool {
    match (a, b) {
        (Call::Pointwise(a, _), Call::Pointwise(b, _)) => a == b,
        (Call::Scaling(a, ..), Call::Scaling(b, ..)) => a == b,
        (Call::Halves(a, ..), Call::Halves(b, ..)) => a == b,
        (Call::Automorphism(_, a), Call::Automorphism(_, b)) => a == b,
        _ => discriminant(a) == discriminant(b),
    }
}

fn join(to: &mut Call, from: Call) {
    match (to, from) {
        (Call::Copy(to), Call::Copy(from)) => to.extend(from),
        (Call::Clear(to), Call::Clear(from)) => to.extend(from),
        (Call::Forward(to), Call::Forward(from)) => to.extend(from),
        (Call::InverseScaled(to, constants), Call::InverseScaled(from, more)) => {
            to.extend(from);
            constants.extend(more);
        }
        (Call::Pointwise(_, to), Call::Pointwise(_, from)) => to.extend(from),
        (Call::Scaling(_, to, factors), Call::Scaling(_, from, more)) => {
            to.extend(from);
            factors.extend(more);
        }
        (Call::Halves(_, to, residues), Call::Halves(_, from, more)) => {
            to.extend(from);
            residues.extend(more);
        }
        (Call::Tensor(to), Call::Tensor(from)) => to.extend(from),
        (Call::Convert(to), Call::Convert(from)) => to.extend(from),
        (Call::Lift(to), Call::Lift(from)) => to.extend(from),
        (Call::Automorphism(to, _), Call::Automorphism(from, _)) => to.extend(from),
        (Call::KeyProducts(to), Call::KeyProducts(from)) => to.extend(from),
        (Call::DiagonalSums(to), Call::DiagonalSums(from)) => to.extend(from),
        (to, from) => unreachable!("{to:?} and {from:?} are no one launch"),
    }
}

pub(crate) fn job_count(call: &Call) -> usize {
    match call {
        Call::Copy(all) => all.len(),
        Call::Clear(all) => all.len(),
        Call::Forward(all) | Call::InverseScaled(all, _) => all.len(),
        Call::Pointwise(_, all) | Call::Scaling(_, all, _) | Call::Automorphism(all, _) => all.len(),
        Call::Halves(_, all, _) => all.len(),
        Call::Tensor(all) => all.len(),
        Call::Convert(all) => all.iter().map(|conversion| conversion.targets.len()).sum(),
        Call::Lift(all) => all.len(),
        Call::KeyProducts(all) => all.len(),
        Call::DiagonalSums(all) => all.iter().map(|sums| sums.to.len()).sum(),
    }
}

/// The limbs that a call reads, and those that it writes.
pub(crate) fn touched(call: &Call) -> [Vec<DeviceLimb>; 2] {
    match call {
        Call::Copy(pairs) => [1, 0].map(|at| pairs.iter().map(|pair| pair[at]).collect()),
        Call::Clear(limbs) => [Vec::new(), limbs.clone()],
        Call::Forward(all) | Call::InverseScaled(all, _) => {
            [all.iter().map(|job| job.from).collect(), all.iter().map(|job| job.to).collect()]
        }
        Call::Pointwise(operation, all) => {
            let reads = all.iter().flat_map(|job| match operation {
                Pointwise::MultiplyAdd => vec![job.to, job.a, job.b],
                Pointwise::Add | Pointwise::Subtract | Pointwise::Multiply => vec![job.a, job.b],
            });
            [reads.collect(), all.iter().map(|job| job.to).collect()]
        }
        Call::Scaling(operation, all, _) => {
            let reads = all.iter().flat_map(|job| match operation {
                Scaling::Scale => vec![job.a],
                Scaling::ScaleAdd | Scaling::Combine => vec![job.a, job.b],
            });
            [reads.collect(), all.iter().map(|job| job.to).collect()]
        }
        Call::Halves(_, all, _) => {
            let limbs: Vec<DeviceLimb> = all.iter().map(|(_, limb)| *limb).collect();
            [limbs.clone(), limbs]
        }
        Call::Tensor(all) => [
            all.iter().flat_map(|job| job.a.into_iter().chain(job.b)).collect(),
            all.iter().flat_map(|job| job.to).collect(),
        ],
        Call::Convert(all) => [
            all.iter().flat_map(|job| job.sources.iter().copied()).collect(),
            all.iter().flat_map(|job| job.targets.iter().copied()).collect(),
        ],
        Call::Lift(all) => [all.iter().map(|job| job.from).collect(), all.iter().map(|job| job.to).collect()],
        Call::Automorphism(all, _) => [all.iter().map(|job| job.a).collect(), all.iter().map(|job| job.to).collect()],
        Call::KeyProducts(all) => [
            all.iter()
                .flat_map(|job| job.terms.iter().map(|(digit, _)| *digit).chain(job.addends.into_iter().flatten()))
                .collect(),
            all.iter().flat_map(|job| job.to).collect(),
        ],
        Call::DiagonalSums(all) => [
            all.iter().flat_map(|job| job.terms.iter().flat_map(|term| term.x)).collect(),
            all.iter().flat_map(|job| job.to.iter().copied().flatten()).collect(),
        ],
    }
}
