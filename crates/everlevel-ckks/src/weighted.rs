//! Weighted sums of ciphertexts, with one rescaling for all terms.

use std::borrow::Cow;

use everlevel_objects::require_units;
use everlevel_ring::{Eval, Poly};
use num_complex::Complex64;

use crate::claims::{Claims, Estimate};
use crate::core::Core;
use crate::{Ciphertext, Context, Error, Plaintext, Units};

/// Factor of a ciphertext in a weighted sum: of one unit, or with [`Units`] of plaintexts, of a vector.
#[derive(Debug)]
pub enum Factor<'a, P = Plaintext> {
    /// A number for all slots.
    Number(Complex64),
    /// A number for each slot.
    Plain(&'a P),
}

/// Term of a sum before it is added.
struct Term<'a> {
    ciphertext: Cow<'a, Ciphertext>,
    by: By<'a>,
}

/// Factor of a ciphertext's polynomials: the integers of a number, or a plaintext at the sum's level.
enum By<'a> {
    Integers([i128; 2]),
    Plain(Box<Cow<'a, Plaintext>>),
}

impl Context {
    /// The sum of one unit's terms.
    fn sum_of_products(&self, terms: &[(&Ciphertext, Factor<'_>)]) -> Result<Ciphertext, Error> {
        let op = "weighted_sum";
        let &(first, _) = terms.first().ok_or_else(no_terms)?;
        let mut level = first.level();
        for (a, factor) in terms {
            self.check_pair(op, first, a)?;
            self.check_depth(op, a, 1)?;
            level = level.min(a.level());
            if let Factor::Plain(plaintext) = factor {
                self.check_plaintext(op, plaintext)?;
                self.check_encoded_above(plaintext)?;
                level = level.min(plaintext.level);
            }
        }
        let (mut found, mut total) = (Vec::with_capacity(terms.len()), None);
        for (a, factor) in terms {
            let (term, own) = self.term(op, a, factor, level)?;
            found.push(term);
            total = Some(total.map_or_else(|| own.clone(), |total: Estimate| total.sum(&own, 1.0)));
        }
        let total = total.unwrap_or_else(|| first.estimate().clone());
        self.check_range(op, total.bound(), total.worst(), level - 1)?;
        Ok(self.install(|core| core.weighted_sum(first, &found, total, level)))
    }

    /// `Σ factor·a`, one level below the lowest of all ciphertexts and plaintexts. Products are added up before they
    /// are rescaled, so that all have one rounding.
    ///
    /// # Errors
    /// No terms; other numbers of units; operands of other parameters or different secrets; level 0; as
    /// [`Context::multiply_scalar`] and [`Context::multiply_plain`].
    pub fn weighted_sum(
        &self,
        terms: &[(&Units<Ciphertext>, Factor<'_, Units<Plaintext>>)],
    ) -> Result<Units<Ciphertext>, Error> {
        let op = "weighted_sum";
        let count = terms.first().map_or(1, |(first, _)| first.count());
        for (a, factor) in terms {
            require_units(op, count, a.count())?;
            if let Factor::Plain(plaintext) = factor {
                require_units(op, count, plaintext.count())?;
            }
        }
        let mut units = Vec::with_capacity(count);
        for k in 0..count {
            let mut of_unit = Vec::with_capacity(terms.len());
            for (a, factor) in terms {
                let factor = match factor {
                    Factor::Number(c) => Factor::Number(*c),
                    Factor::Plain(plaintext) => Factor::Plain(&plaintext.all()[k]),
                };
                of_unit.push((&a.all()[k], factor));
            }
            units.push(self.sum_of_products(&of_unit)?);
        }
        Units::new(units).ok_or_else(no_terms)
    }

    /// A term of a sum of products at a level, and the estimate of its product before the rescaling.
    fn term<'a>(
        &self,
        op: &'static str,
        a: &'a Ciphertext,
        factor: &Factor<'a>,
        level: usize,
    ) -> Result<(Term<'a>, Estimate), Error> {
        Ok(match factor {
            &Factor::Number(c) => {
                self.check_number(op, c, level - 1)?;
                let (integers, estimate) = self.core.nearly(a, c, level - 1);
                (Term { ciphertext: Cow::Borrowed(a), by: By::Integers(integers) }, estimate)
            }
            Factor::Plain(plaintext) => {
                let plaintext = self.plain_at(plaintext, level)?;
                let values = self.values(&plaintext)?;
                self.check_factor(op, values, level)?;
                let ciphertext = self.install(|core| core.lowered(a, level));
                let product = ciphertext.estimate().times_plain(values, self.core.encoding_error(plaintext.scale));
                let product = product.drifted(self.core.drift());
                (Term { ciphertext, by: By::Plain(Box::new(plaintext)) }, product)
            }
        })
    }
}

fn no_terms() -> Error {
    Error::Parameter { what: "number of ciphertexts", found: "0".into(), needed: "at least 1 for a sum".into() }
}

impl Core {
    /// The sum of all terms' products at a level, rescaled to the one below it.
    fn weighted_sum(&self, first: &Ciphertext, terms: &[Term<'_>], total: Estimate, level: usize) -> Ciphertext {
        let (target, scale) = (&self.ladder.sets[level - 1], self.ladder.scales[level - 1]);
        let part = |of: fn(&Ciphertext) -> Option<&Poly<Eval>>| {
            let sum = terms.iter().fold(None, |sum, term| match of(&term.ciphertext) {
                Some(p) => Some(term.add_to(self, sum, p, level)),
                None => sum,
            });
            sum.map(|sum| self.ring.rescale(sum, target))
        };
        let [c0, c1] = [part(|a| Some(&a.rlwe().c0)), part(|a| Some(&a.rlwe().c1))]
            .map(|part| part.unwrap_or_else(|| self.ring.zero(target)));
        let c2 = part(Ciphertext::c2);
        let estimate = self.with_rescaling(total, 2 + usize::from(c2.is_some()), scale);
        let claims = Claims::new(level - 1, scale, estimate);
        Ciphertext::new(everlevel_rlwe::Rlwe { c0, c1 }, c2, claims, first.identity())
    }
}

impl Term<'_> {
    /// A sum, if there is one yet, plus the product of one of the ciphertext's polynomials.
    fn add_to(&self, core: &Core, sum: Option<Poly<Eval>>, p: &Poly<Eval>, level: usize) -> Poly<Eval> {
        let ring = &core.ring;
        match (sum, &self.by) {
            (Some(mut sum), By::Plain(plaintext)) => {
                ring.mul_add_assign(&mut sum, p, &plaintext.poly);
                sum
            }
            (Some(mut sum), &By::Integers([re, 0])) => {
                ring.mul_residues_add_assign(&mut sum, p, |m| m.reduce_i128(re));
                sum
            }
            (sum, _) => {
                let mut product = p.restricted(&core.ladder.sets[level]);
                match &self.by {
                    By::Plain(plaintext) => ring.mul_assign(&mut product, &plaintext.poly),
                    By::Integers([re, im]) => ring.mul_gaussian_assign(&mut product, *re, *im),
                }
                if let Some(sum) = sum {
                    ring.add_assign(&mut product, &sum);
                }
                product
            }
        }
    }
}
