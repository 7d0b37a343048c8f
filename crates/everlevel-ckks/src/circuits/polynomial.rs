//! Polynomials of ciphertexts, in the power and the Chebyshev basis.

use super::elements::{BasisElements, OfLevels, polynomial_depth};
use super::sizes::TooLarge;

use crate::claims::{Claims, Padding};
use crate::core::Core;
use crate::keys::RelinearizationKey;
use crate::ladder::Batch;
use crate::series::{Basis, Series};
use crate::{Ciphertext, Context, Error};

/// log2 of the largest coefficient of a linear combination: with [`crate::ladder`]'s constants, its integer fits 127
/// bits.
const MAX_LOG2_COEFFICIENT: f64 = 42.0;

/// The name of a polynomial's evaluation.
fn operation(basis: Basis) -> &'static str {
    match basis {
        Basis::Power => "evaluate_polynomial",
        Basis::Chebyshev => "evaluate_chebyshev_polynomial",
    }
}

impl Context {
    fn check_polynomial(
        &self,
        op: &'static str,
        a: &Ciphertext,
        degree: usize,
        key: &RelinearizationKey,
    ) -> Result<(), Error> {
        self.check_ciphertext(op, a)?;
        self.check_relinearized(op, a)?;
        self.check_depth(op, a, polynomial_depth(degree))?;
        self.check_key(op, key, a, a.level())
    }

    /// `Σ coefficients[k]·B_k(a)`: costs `⌈log2(degree + 1)⌉` levels.
    ///
    /// # Errors
    /// No coefficients, NaN or infinity among them, too few levels, a key of another secret.
    pub fn evaluate_polynomial(
        &self,
        a: &Ciphertext,
        basis: Basis,
        coefficients: &[f64],
        key: &RelinearizationKey,
    ) -> Result<Ciphertext, Error> {
        Ok(self.evaluate_polynomials(a, basis, &[coefficients], key)?.swap_remove(0))
    }

    /// [`Context::evaluate_polynomial`] of several polynomials, which share the basis elements. Each costs its own
    /// levels.
    ///
    /// # Errors
    /// As [`Context::evaluate_polynomial`], of any of them.
    pub fn evaluate_polynomials(
        &self,
        a: &Ciphertext,
        basis: Basis,
        polynomials: &[&[f64]],
        key: &RelinearizationKey,
    ) -> Result<Vec<Ciphertext>, Error> {
        let series = polynomials
            .iter()
            .map(|coefficients| Series { basis, coefficients, is_real: a.bound().is_real() })
            .collect::<Vec<_>>();
        series.iter().try_for_each(|series| self.check_series(a, series, key))?;
        self.check_on_the_way(a, &series)?;
        Ok(self.install(|core| {
            let x = Batch { cts: vec![a.rlwe().clone()], level: a.level() };
            let arithmetic = OfLevels { ring: &core.ring, ladder: &core.ladder, key: &key.keys };
            let elements = BasisElements::new(arithmetic, basis, x);
            let values = elements.polynomials(polynomials).into_iter().zip(&series);
            values.map(|(value, series)| core.evaluated(a, value, series)).collect()
        }))
    }

    /// Refuses a polynomial that can't be evaluated.
    fn check_series(&self, a: &Ciphertext, series: &Series<'_>, key: &RelinearizationKey) -> Result<(), Error> {
        let Series { basis, coefficients, .. } = *series;
        let op = operation(basis);
        if coefficients.is_empty() {
            return Err(Error::Parameter { what: "coefficients", found: "none".into(), needed: "at least one".into() });
        }
        if let Some(index) = coefficients.iter().position(|c| !c.is_finite()) {
            return Err(Error::NotFinite { op, index, value: coefficients[index].to_string() });
        }
        let degree = coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0);
        self.check_polynomial(op, a, degree, key)?;
        let norm = coefficients.iter().fold(0.0f64, |sum, c| sum + c.abs());
        self.check_size(op, norm, a.level() - polynomial_depth(degree))?;
        // Divisions double coefficients, and their integers carry two primes of the scale: both fit 128 bits.
        let log2_limit = MAX_LOG2_COEFFICIENT - polynomial_depth(degree) as f64;
        if norm.log2() > log2_limit {
            return Err(Error::Parameter {
                what: "sum of the coefficients' sizes",
                found: format!("{norm:e}"),
                needed: format!("at most 2^{log2_limit}; divide the polynomial, and multiply its value"),
            });
        }
        let (bound, worst) = (a.estimate().bound_of_values(), a.estimate().worst());
        let level = a.level() - polynomial_depth(degree);
        let largest = a.estimate().bound_of_polynomial(series);
        self.check_range(op, largest, worst * series.steepest(bound.size()), level)?;
        // Padding is one number, whose polynomial is small where its terms cancel.
        let of_padding = |padding: &Padding| match padding.constant() {
            Some(x) => series.at(x).0.norm(),
            None => series.on(padding.values().bound()).largest(padding.values().bound().size()),
        };
        let (size, room) = (a.estimate().padding().map_or(0.0, of_padding), self.core.room(level));
        match a.estimate().padding() {
            Some(padding) if size >= room || size.is_nan() => {
                Err(self.padding_out_of_range(op, padding, (size, level, room)))
            }
            _ => Ok(()),
        }
    }

    fn padding_out_of_range(&self, op: &'static str, padding: &Padding, found: (f64, usize, f64)) -> Error {
        let ((size, level, room), slot_count) = (found, self.slot_count());
        let value = padding.constant().map_or(padding.values().bound().size(), |x| x.norm());
        Error::PaddingOutOfRange { op, value, size, room, level, slot_count }
    }

    /// Refuses polynomials parts of which are too large for a level on the way: of the encrypted values by their bound,
    /// and of the padding by what it is.
    fn check_on_the_way(&self, a: &Ciphertext, series: &[Series<'_>]) -> Result<(), Error> {
        let op = operation(series.first().map_or(Basis::Power, |series| series.basis));
        let bound = a.estimate().bound_of_values();
        let of_values = |basis: Basis, k: usize| Series::element(basis, k, bound.size(), bound.is_real());
        if let Some(TooLarge { size, level, room }) = self.core.too_large(a.level(), series, of_values) {
            self.check_room(op, bound.resized(size), (level, room), Vec::new)?;
        }
        let Some(padding) = a.estimate().padding() else { return Ok(()) };
        let (constant, bound) = (padding.constant(), padding.values().bound());
        let of_padding = |basis: Basis, k: usize| match constant {
            Some(x) => Series::element_at(basis, k, x),
            None => Series::element(basis, k, bound.size(), bound.is_real()),
        };
        match self.core.too_large(a.level(), series, of_padding) {
            None => Ok(()),
            Some(TooLarge { size, level, room }) => Err(self.padding_out_of_range(op, padding, (size, level, room))),
        }
    }

    /// The basis elements 1 to `max_power` of `a`: element `k` costs `⌈log2 k⌉` levels.
    ///
    /// # Errors
    /// `max_power = 0`, too few levels, a key of another secret.
    pub fn basis(
        &self,
        a: &Ciphertext,
        basis: Basis,
        max_power: usize,
        key: &RelinearizationKey,
    ) -> Result<Vec<Ciphertext>, Error> {
        self.elements(a, basis, 1, max_power, key)
    }

    /// The basis element `k` of `a` alone: costs `⌈log2 k⌉` levels and, for a power of two, as many squares.
    ///
    /// # Errors
    /// As [`Context::basis`].
    pub fn basis_element(
        &self,
        a: &Ciphertext,
        basis: Basis,
        k: usize,
        key: &RelinearizationKey,
    ) -> Result<Ciphertext, Error> {
        Ok(self.elements(a, basis, k, k, key)?.swap_remove(0))
    }

    fn elements(
        &self,
        a: &Ciphertext,
        basis: Basis,
        first: usize,
        max_power: usize,
        key: &RelinearizationKey,
    ) -> Result<Vec<Ciphertext>, Error> {
        let op = match basis {
            Basis::Power => "make_power_basis",
            Basis::Chebyshev => "make_chebyshev_basis",
        };
        if max_power == 0 {
            return Err(Error::Parameter { what: "max_power", found: "0".into(), needed: "at least 1".into() });
        }
        self.check_polynomial(op, a, max_power - 1, key)?;
        for k in first..=max_power {
            let coefficients = [vec![0.0; k], vec![1.0]].concat();
            let largest = a.estimate().bound_of_polynomial(&Series::of_reals(basis, &coefficients));
            let steepest = Series::of_reals(basis, &coefficients).on(a.bound()).steepest(a.bound().size());
            let worst = a.estimate().worst() * steepest;
            self.check_range(op, largest, worst, a.level() - polynomial_depth(k - 1))?;
        }
        Ok(self.install(|core| {
            let x = Batch { cts: vec![a.rlwe().clone()], level: a.level() };
            let arithmetic = OfLevels { ring: &core.ring, ladder: &core.ladder, key: &key.keys };
            let mut elements = BasisElements::new(arithmetic, basis, x);
            let element = |k: usize| {
                let coefficients = [vec![0.0; k], vec![1.0]].concat();
                core.evaluated(a, elements.get(k).clone(), &Series::of_reals(basis, &coefficients))
            };
            (first..=max_power).map(element).collect()
        }))
    }
}

impl Core {
    /// The ciphertext of a polynomial's values.
    fn evaluated(&self, a: &Ciphertext, mut w: Batch, series: &Series<'_>) -> Ciphertext {
        let rlwe = w.cts.swap_remove(0);
        let scale = self.ladder.scales[w.level];
        // Coefficients are multiplied by the ratio of the level above, at least, and rounded.
        let coefficient = self.ladder.ratios.get(w.level + 1).map_or(0.0, |ratio| 1.0 / ratio);
        let mut estimate = a.estimate().polynomial(series, self.rounding_error(scale), coefficient);
        let steps = polynomial_depth(series.coefficients.len()) as f64;
        if self.is_wide() && series.basis == Basis::Chebyshev {
            // Divisions add coefficients up in doubles.
            let norm = series.coefficients.iter().map(|c| c.abs()).sum::<f64>();
            estimate = estimate.with_noise(f64::EPSILON * steps * norm);
        }
        // Each step's product has a scale that is the level's up to a rounding.
        estimate = estimate.drifted(self.drift() * steps);
        Ciphertext::new(rlwe, None, Claims::new(w.level, scale, estimate), a.identity())
    }
}
