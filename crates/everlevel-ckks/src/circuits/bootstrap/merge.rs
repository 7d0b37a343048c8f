//! Bootstraps of two ciphertexts with real values as one of complex values.

use std::borrow::Cow;

use everlevel_rlwe::Rlwe;
use num_complex::Complex64;

use crate::circuits::bootstrap::bootstrapper::{Bootstrapper, only};
use crate::circuits::bootstrap::key::BootstrapKeys;
use crate::circuits::bootstrap::method::{Method, SlotType, SlotsToCoeffs};
use crate::circuits::bootstrap::request::Request;
use crate::circuits::bootstrap::run::{ComplexParts, Run};
use crate::claims::Bound;
use crate::{Ciphertext, Error, Progress, Units};

/// Two ciphertexts, or fractions of them.
type HalvedPair<'a> = [Cow<'a, Ciphertext>; 2];

impl Bootstrapper {
    /// Two ciphertexts with real values in one bootstrap.
    ///
    /// # Errors
    /// As the bootstrap of the method; ciphertexts of different secrets.
    pub fn merge_bootstrap(
        &self,
        method: Method,
        a: &Ciphertext,
        b: &Ciphertext,
        keys: BootstrapKeys,
        progress: Progress,
    ) -> Result<[Ciphertext; 2], Error> {
        self.merge_bootstraps(method, &[[a, b]], keys, progress).map(only)
    }

    /// [`Bootstrapper::merge_bootstrap`] of many pairs, in groups that read the keys together.
    ///
    /// # Errors
    /// As [`Bootstrapper::merge_bootstrap`], for any of the pairs; then none is bootstrapped.
    pub fn merge_bootstraps(
        &self,
        method: Method,
        pairs: &[[&Ciphertext; 2]],
        keys: BootstrapKeys,
        progress: Progress,
    ) -> Result<Vec<[Ciphertext; 2]>, Error> {
        let op = method.merge_operation();
        let request = Request { method, keys, slot_type: SlotType::Complex };
        let halved: Vec<_> = pairs.iter().map(|pair| self.halved_pair(request, *pair)).collect::<Result<_, _>>()?;
        let merged: Vec<Ciphertext> =
            halved.iter().map(|pair| self.merged(op, request, pair)).collect::<Result<_, _>>()?;
        let merged: Vec<&Ciphertext> = merged.iter().collect();
        let parts =
            self.in_groups(op, request, (&merged, 1), progress, &mut |_, _, _| {}, &mut |run, place, lowered| {
                match place {
                    SlotsToCoeffs::Last => run.regular_parts(lowered),
                    SlotsToCoeffs::First => run.first_parts(lowered, request.first_method()),
                }
            })?;
        // Each part has the bound that it brought, where sines in place of the identity keep it.
        let size = |part: &Ciphertext| if method.fills_the_sine() { 1.0 } else { part.bound_or_assumed().size() };
        let finished = |result: Ciphertext, part: &Ciphertext| {
            let result = result.within(size(part)).vouched(part.bound().kind());
            if method.fills_the_sine() || !part.bound().is_declared() { result } else { result.valued_as(part) }
        };
        let whole = |part, halvings| self.times(Cow::Owned(part), halvings).map(Cow::into_owned);
        let pair = |(ComplexParts { real, imaginary }, ([a, b], halvings)): (_, &(HalvedPair, i32))| {
            Ok([whole(finished(real, a), *halvings)?, whole(finished(imaginary, b), *halvings)?])
        };
        parts.into_iter().zip(&halved).map(pair).collect()
    }

    /// Coefficients over the base prime of real values, two ciphertexts in each result and an odd one by itself: where
    /// a bootstrap with SlotsToCoeffs first takes its sines, or a share of that. Those of the first ciphertext of a
    /// pair are the lower half.
    ///
    /// # Errors
    /// As [`Bootstrapper::merge_bootstraps`].
    pub(crate) fn coefficients(
        &self,
        op: &'static str,
        (method, share): (Method, f64),
        all: &[&Ciphertext],
        keys: BootstrapKeys,
        progress: Progress,
    ) -> Result<Vec<Rlwe>, Error> {
        let request = Request { method, keys, slot_type: SlotType::Complex };
        let joined = |part: &[&Ciphertext]| match *part {
            [a, b] => self.merged(op, request, &([Cow::Borrowed(a), Cow::Borrowed(b)], 0)),
            [a] => {
                self.check_request(op, request, a, a.bound().on_reals(true))?;
                Ok(a.clone())
            }
            _ => unreachable!("chunks of two"),
        };
        let joined = all.chunks(2).map(joined).collect::<Result<Vec<_>, Error>>()?;
        let joined: Vec<&Ciphertext> = joined.iter().collect();
        // The other steps of a bootstrap are left out.
        let stages = keys.bootstrap.stage_count();
        let steps = keys.bootstrap.all_stages() + 3;
        let of_stages = |done: usize, total: usize| progress(done, total / steps * stages);
        self.in_groups(op, request, (&joined, 1), &of_stages, &mut |_, _, _| {}, &mut |run, _, lowered| {
            run.first_coefficients(lowered, method, share)
        })
    }

    /// Quarter waves of so many units, of which ciphertexts over the base prime have two each in their coefficients,
    /// and the last one an odd one: what a bootstrap makes of [`Bootstrapper::coefficients`].
    ///
    /// # Errors
    /// Keys of other parameters or another secret, or without SlotsToCoeffs first; a cancellation.
    pub(crate) fn quarter_waves(
        &self,
        op: &'static str,
        (all, count): (&[Ciphertext], usize),
        keys: BootstrapKeys,
        progress: Progress,
    ) -> Result<Vec<Ciphertext>, Error> {
        let all: Vec<&Ciphertext> = all.iter().collect();
        let (pairs, odd) = all.split_at(count / 2);
        let mut waves = Vec::with_capacity(count);
        for (group, slot_type) in [(pairs, SlotType::Complex), (odd, SlotType::Real)] {
            let request = Request { method: Method::Table, keys, slot_type };
            let of_group: &mut (dyn FnMut(&mut Run, SlotsToCoeffs, &[Ciphertext]) -> _ + Send) =
                &mut |run, _, bases| run.quarter_waves(bases, slot_type);
            if !group.is_empty() {
                let found = self.in_groups(op, request, (group, 1), progress, &mut |_, _, _| {}, of_group)?;
                waves.extend(found.into_iter().flatten());
            }
        }
        Ok(waves)
    }

    /// [`Bootstrapper::merge_bootstrap`] of pairs of vectors, unit by unit.
    ///
    /// # Errors
    /// As [`Bootstrapper::merge_bootstraps`]; other numbers of units in a pair.
    pub fn merge_units(
        &self,
        method: Method,
        pairs: &[[&Units<Ciphertext>; 2]],
        keys: BootstrapKeys,
        progress: Progress,
    ) -> Result<Vec<[Units<Ciphertext>; 2]>, Error> {
        let mut all: Vec<[&Ciphertext; 2]> = Vec::new();
        for [a, b] in pairs {
            all.extend(a.zip(method.merge_operation(), b)?.all().iter().map(|(a, b)| [*a, *b]));
        }
        let mut results = self.merge_bootstraps(method, &all, keys, progress)?.into_iter();
        let of_pair = |[a, _]: &[&Units<Ciphertext>; 2]| {
            let (reals, imaginaries): (Vec<_>, Vec<_>) = results.by_ref().take(a.count()).map(<(_, _)>::from).unzip();
            [reals, imaginaries]
                .map(|units| Units::new(units).unwrap_or_else(|| unreachable!("a result for each unit")))
        };
        Ok(pairs.iter().map(of_pair).collect())
    }

    /// `2^−k` times both, and `k`, for a bound of the pair's bootstrap in the accurate range.
    fn halved_pair<'a>(&self, request: Request, [a, b]: [&'a Ciphertext; 2]) -> Result<(HalvedPair<'a>, i32), Error> {
        let level = a.level().min(b.level());
        let place = request.place(&self.context().core, if a.level() == level { a } else { b });
        let bound = Bound::declared(joint_size(place, [a, b]))?;
        let are_declared = a.bound().is_declared() && b.bound().is_declared();
        let halvings = if are_declared { self.halvings(request, place, level, bound) } else { 0 };
        let part = |part| self.times(Cow::Borrowed(part), -halvings);
        Ok(([part(a)?, part(b)?], halvings))
    }

    /// `a + i·b`, checked for its bootstrap.
    fn merged(
        &self,
        op: &'static str,
        request: Request,
        ([a, b], halvings): &(HalvedPair, i32),
    ) -> Result<Ciphertext, Error> {
        let context = self.context();
        if request.method == Method::Precise {
            let needed = "regular, lossy or sign; or bootstrap them one by one".into();
            return Err(Error::Parameter { what: "method of merge_bootstrap", found: "precise".into(), needed });
        }
        context.check_pair(op, a, b)?;
        context.check_relinearized(op, b)?;
        let merged = context.add(a, &context.multiply_scalar(b, Complex64::i())?)?;
        let place = request.place(&context.core, &merged);
        let size = joint_size(place, [a, b]);
        for part in [a, b].into_iter().filter(|part| !part.bound().is_declared()) {
            self.check_bound(op, request, place, part.bound().on_reals(true))?;
        }
        // What is known of one part is no less known beside another: kinds are those of the parts, afterwards.
        let merged = merged.claimed_as(Bound::declared(size)?);
        // The bound is one of parts, which are real.
        self.check_request(op, request, &merged, merged.bound().on_reals(true))?;
        self.check_room_after(op, request, (&merged, *halvings))?;
        Ok(merged)
    }
}

/// The size that a pair's sines are taken of: that of a part where SlotsToCoeffs comes first, and else that of
/// coefficients of the whole.
fn joint_size(place: SlotsToCoeffs, parts: [&Ciphertext; 2]) -> f64 {
    let [first, second] = parts.map(|part| part.bound_or_assumed().size());
    match place {
        SlotsToCoeffs::First => first.max(second),
        SlotsToCoeffs::Last => first.hypot(second),
    }
}
