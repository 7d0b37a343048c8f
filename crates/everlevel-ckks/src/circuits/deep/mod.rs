//! Polynomials that are deeper than a bootstrap's levels: evaluated in pieces, which are bootstrapped and put together.
//!
//! A polynomial of degree below `2^(inner + outer)` is `2^outer` pieces of degree below `m = 2^inner`. Halving it from
//! the top, `p = q·B_k + r` with `k = 2^j` for `B_k = x^k` or `T_k(x)`, gives pieces in an order in which neighbours
//! belong together. So with all pieces and `B_m` bootstrapped, `outer` levels put them together:
//! `c_i ← c_2i + c_(2i+1)·B_m`, then the same with `B_2m = B_m²` or `2·B_m² − 1`, and so on. (It is the division that a
//! polynomial of fewer levels goes by, see Paterson, Stockmeyer, "On the number of nonscalar multiplications necessary
//! to evaluate polynomials", SIAM J. Comput. 2, 1973.)
//!
//! Bootstrapped values are of size up to 1: those of `B_m` by themselves, where `x` is, and those of the pieces since
//! they are divided by a power of two, which the result is multiplied with again. So the pieces' errors are multiplied,
//! too.
//!
//! Two real ciphertexts are bootstrapped as one, whose imaginary parts go into each other. The noise that a real `x`
//! has in its imaginary parts comes out of `B_m` amplified `m` times and more, and so a real `x` is made real first: by
//! the merged bootstrap that it needs anyway, or as `(x + conjugate(x))/2`, for a level. Imaginary noise that comes in
//! later is taken away from the pieces, which are halves for that purpose. The real noise of `x` does no harm: all
//! pieces are of one `x`, right or not.
//!
//! *Map.* `pieces` the division, on plain numbers · this file: the evaluation.

mod pieces;

use super::evaluator::{Circuits, Run};
use crate::checks::SLACK;
use crate::circuits::elements::polynomial_depth;
use crate::series::Basis;
use crate::{Ciphertext, Error, Method, Progress, SlotType, Units};
use pieces::degree_of;

pub use pieces::{First, Split, power_of_two_above, size_bound};

/// The role of a ciphertext's imaginary parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Imaginary {
    /// Part of the message.
    Message,
    /// Noise: the message is real.
    Noise,
    /// Nothing, as after a merged bootstrap or a sum with the conjugate.
    Zero,
}

/// A piece's value: many pieces of an even or odd polynomial are constants.
#[derive(Clone)]
enum Term {
    Constant(f64),
    Ciphertext(Units<Ciphertext>),
}

impl Circuits<'_> {
    /// `Σ coefficients[k]·B_k(x)` of several polynomials, which share the powers and their bootstraps, for real
    /// coefficients and any levels: from as few bootstraps as possible. Without one it costs `⌈log2(degree + 1)⌉`
    /// levels; in pieces, the results are at [`Circuits::level_out`], less one level for each halving.
    ///
    /// For Chebyshev series, and for powers in pieces, values of `x` are in [−1, 1].
    ///
    /// # Errors
    /// No coefficients, NaN or infinity among them; more levels than pieces can take; keys of another secret; a
    /// cancellation.
    pub fn evaluate_polynomials(
        &self,
        x: &Units<Ciphertext>,
        imaginary: Imaginary,
        basis: Basis,
        polynomials: &[&[f64]],
        progress: Progress,
    ) -> Result<Vec<Units<Ciphertext>>, Error> {
        let op = match basis {
            Basis::Power => "evaluate_polynomial",
            Basis::Chebyshev => "evaluate_chebyshev_polynomial",
        };
        let run = self.run(op, 1, progress);
        run.check(x)?;
        let coefficients = || polynomials.iter().flat_map(|p| p.iter().enumerate());
        if polynomials.iter().any(|p| p.is_empty()) {
            return Err(Error::Parameter { what: "coefficients", found: "none".into(), needed: "at least one".into() });
        }
        if let Some((index, value)) = coefficients().find(|(_, c)| !c.is_finite()) {
            return Err(Error::NotFinite { op, index, value: value.to_string() });
        }
        let needed = polynomials.iter().map(|p| polynomial_depth(degree_of(p))).max().unwrap_or(0);
        let x = &x.clone().on_reals(imaginary != Imaginary::Message);
        match needed {
            _ if needed <= x.first().level() => run.polynomials(x, basis, polynomials),
            _ if needed <= self.level_out() => run.polynomials(&run.refreshed(x, imaginary)?, basis, polynomials),
            _ => run.deep(x, imaginary, basis, polynomials, needed),
        }
    }
}

impl Run<'_> {
    /// `x` bootstrapped; a real one to a ciphertext without imaginary part.
    pub fn refreshed(&self, x: &Units<Ciphertext>, imaginary: Imaginary) -> Result<Units<Ciphertext>, Error> {
        match imaginary {
            Imaginary::Message => self.bootstrap(Method::Regular, SlotType::Complex, x),
            _ => self.merge_bootstrap(Method::Regular, x, x).map(|[real, _]| real),
        }
    }

    fn deep(
        &self,
        x: &Units<Ciphertext>,
        imaginary: Imaginary,
        basis: Basis,
        polynomials: &[&[f64]],
        depth: usize,
    ) -> Result<Vec<Units<Ciphertext>>, Error> {
        let (level, level_out) = (x.first().level(), self.circuits.level_out());
        let Some(split) = Split::plan(depth, level, level_out, imaginary == Imaginary::Noise) else {
            let most = level_out + level.max(level_out);
            return Err(Error::PolynomialDepth { op: self.op, depth, most, level, level_out });
        };
        self.check_padding(x)?;
        let is_real = imaginary != Imaginary::Message;
        let of_one = if is_real { split.bootstrapped().div_ceil(2) } else { split.bootstrapped() };
        self.expect(of_one * polynomials.len());
        let first = match split.first {
            First::Nothing => None,
            First::Conjugation => Some(self.with_conjugate(&self.multiply_scalar(x, 0.5)?)?),
            First::Bootstrap => Some(self.refreshed(x, imaginary)?),
        };
        let x = first.as_ref().unwrap_or(x);
        if split.outer == 0 {
            return self.polynomials(x, basis, polynomials);
        }
        let parts: Vec<_> = polynomials.iter().map(|p| split.pieces(basis, p)).collect();
        let size = |part: &Vec<Vec<f64>>| part.iter().map(|c| size_bound(basis, c)).fold(0.0, f64::max);
        let factors: Vec<f64> = parts.iter().map(|part| power_of_two_above(size(part))).collect();
        let divided = |(part, factor): (Vec<Vec<f64>>, &f64)| -> Vec<Vec<f64>> {
            part.into_iter().map(|piece| piece.iter().map(|c| c / factor).collect()).collect()
        };
        let scaled: Vec<Vec<f64>> = parts.into_iter().zip(&factors).flat_map(divided).collect();
        let (terms, giant) = self.fresh_pieces(x, is_real, basis, &scaled, split.inner)?;
        let (terms, giant) = self.put_together(split.outer, terms, giant, basis)?;
        let finished = |(term, factor): (Term, f64)| match term {
            Term::Ciphertext(value) => self.multiply_scalar(&value, factor),
            Term::Constant(c) => self.add_scalar(&self.multiply_scalar(&giant, 0.0)?, c * factor),
        };
        terms.into_iter().zip(factors).map(finished).collect()
    }

    /// Refuses an argument whose padding is beyond [−1, 1], where pieces are not of size up to 1.
    fn check_padding(&self, x: &Units<Ciphertext>) -> Result<(), Error> {
        let largest = 1.0 + SLACK;
        let sizes = x.all().iter().filter_map(|unit| unit.estimate().padding()).map(|p| p.values().bound().size());
        match sizes.max_by(f64::total_cmp) {
            Some(size) if size > largest => {
                let (level, slot_count) = (x.first().level(), self.ctx().slot_count());
                Err(Error::PaddingOutOfRange { op: self.op, value: size, size, room: largest, level, slot_count })
            }
            _ => Ok(()),
        }
    }

    /// The pieces, bootstrapped but for constants, and `B_m`.
    fn fresh_pieces(
        &self,
        x: &Units<Ciphertext>,
        is_real: bool,
        basis: Basis,
        scaled: &[Vec<f64>],
        inner: usize,
    ) -> Result<(Vec<Term>, Units<Ciphertext>), Error> {
        let half = if is_real { 0.5 } else { 1.0 };
        let halved = |piece: &Vec<f64>| piece.iter().map(|c| c * half).collect();
        let varied: Vec<Vec<f64>> = scaled.iter().filter(|piece| degree_of(piece) > 0).map(halved).collect();
        let varied: Vec<&[f64]> = varied.iter().map(Vec::as_slice).collect();
        let mut all = Vec::new();
        let giant = self.basis_element(x, basis, 1 << (inner - 1))?;
        all.push(match (is_real, basis) {
            (true, Basis::Chebyshev) => self
                .with_conjugate(&self.add_scalar(&self.square(&giant)?, -0.5)?)?
                .within(giant.bound().size().max(1.0)),
            _ => self.doubled(&giant, basis)?,
        });
        for piece in self.polynomials(x, basis, &varied)? {
            all.push(if is_real { self.with_conjugate(&piece)? } else { piece });
        }
        let mut fresh = Vec::new();
        for pair in all.chunks(if is_real { 2 } else { 1 }) {
            match pair {
                [a, b] => fresh.extend(self.merge_bootstrap(Method::Regular, a, b)?),
                alone => fresh.push(self.bootstrap(Method::Regular, SlotType::Complex, &alone[0])?),
            }
        }
        let mut fresh = fresh.into_iter();
        let mut next = || fresh.next().unwrap_or_else(|| unreachable!("as many come out as went in"));
        let giant = next();
        let term = |piece: &Vec<f64>| match degree_of(piece) {
            0 => Term::Constant(piece[0]),
            _ => Term::Ciphertext(next()),
        };
        Ok((scaled.iter().map(term).collect(), giant))
    }

    fn put_together(
        &self,
        outer: usize,
        mut terms: Vec<Term>,
        mut giant: Units<Ciphertext>,
        basis: Basis,
    ) -> Result<(Vec<Term>, Units<Ciphertext>), Error> {
        for step in 0..outer {
            if step > 0 {
                giant = self.doubled(&giant, basis)?;
            }
            terms = terms.chunks(2).map(|pair| self.combined(&pair[0], &pair[1], &giant)).collect::<Result<_, _>>()?;
        }
        Ok((terms, giant))
    }

    /// `q·B + r`.
    fn combined(&self, remainder: &Term, quotient: &Term, giant: &Units<Ciphertext>) -> Result<Term, Error> {
        let product = match quotient {
            Term::Ciphertext(quotient) => self.multiply(quotient, giant)?,
            Term::Constant(0.0) => return Ok(remainder.clone()),
            Term::Constant(quotient) => self.multiply_scalar(giant, *quotient)?,
        };
        match remainder {
            Term::Ciphertext(remainder) => self.add(&product, remainder),
            Term::Constant(c) => self.add_scalar(&product, *c),
        }
        .map(Term::Ciphertext)
    }

    /// `B_2k` of `B_k`.
    fn doubled(&self, b: &Units<Ciphertext>, basis: Basis) -> Result<Units<Ciphertext>, Error> {
        let square = self.square(b)?;
        match basis {
            Basis::Power => Ok(square),
            Basis::Chebyshev => {
                let doubled = self.add_scalar(&self.multiply_scalar(&square, 2.0)?, -1.0)?;
                // An element of the basis is of size up to 1 where one of half the degree is.
                Ok(if b.bound().size() <= 1.0 { doubled.within(1.0) } else { doubled })
            }
        }
    }

    /// Twice the real part, without the imaginary one.
    fn with_conjugate(&self, half: &Units<Ciphertext>) -> Result<Units<Ciphertext>, Error> {
        self.add(half, &self.conjugate(half)?)
    }
}
