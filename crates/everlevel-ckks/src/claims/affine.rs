//! Affine forms: the values of slots as sums of symbols that several ciphertexts share.
//!
//! The value of slot `i` is `center + Σ size·ε(i + place)` up to `slack`, for symbols `ε` of which nothing is known but
//! that each of their slots is in [−1, 1]. Every encryption has a symbol of its own, and what is no linear function of
//! the operands has a new one. So differences of what is alike cancel, and means stay where their terms are. Symbols
//! are for one process: files have the interval alone.

use std::sync::atomic::{AtomicU64, Ordering};

use super::outward::{LEAST_EXACT, add_down, add_up, mul_up, sum_error};

/// The largest number of symbols of a form. The smallest of more are put together into a new one.
const CAP: usize = 24;

/// The place of a symbol that is the same in every slot, such as the mean of another one.
const EVERYWHERE: u32 = u32::MAX;

/// Share of a product's size that all of its roundings together stay below.
const PRODUCT_ROUNDING: f64 = 1e-13;

/// A form whose width is beyond so many times that of a known interval is replaced by the interval's own.
const LOOSE: f64 = 4.0 / 3.0;

static SYMBOLS: AtomicU64 = AtomicU64::new(0);

fn new_symbol() -> u64 {
    SYMBOLS.fetch_add(1, Ordering::Relaxed)
}

/// A symbol with the slots that it was moved to the left by, and its size.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Term {
    symbol: (u64, u32),
    size: f64,
}

/// An affine form, whose terms are in the order of their symbols.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Affine {
    center: f64,
    terms: Vec<Term>,
    slack: f64,
}

impl Affine {
    /// The form of values in an interval of which nothing else is known; none of an infinite one.
    pub fn spanning(low: f64, high: f64) -> Option<Self> {
        let zero = Self { center: 0.0, terms: Vec::new(), slack: 0.0 };
        ((high - low).is_finite()).then(|| zero.widened(low, high, 0))
    }

    /// The form with values in an interval added, of a new symbol, which takes the slack with it: what values are off
    /// their other terms is one number in each slot.
    fn widened(mut self, low: f64, high: f64, place: u32) -> Self {
        let center = low + (high - low) / 2.0;
        self.shift(center);
        let radius = add_up(high, -center).max(add_up(center, -low));
        let size = add_up(radius, std::mem::take(&mut self.slack));
        if size > 0.0 {
            self.terms.push(Term { symbol: (new_symbol(), place), size });
        }
        self.condensed()
    }

    /// Adds a number.
    fn shift(&mut self, c: f64) {
        let sum = self.center + c;
        self.slack = add_up(self.slack, sum_error(self.center, c, sum).abs());
        self.center = sum;
    }

    /// The sum of the terms' sizes, which is the largest that they can be together.
    fn radius(&self) -> f64 {
        self.terms.iter().fold(0.0, |sum, term| add_up(sum, term.size.abs()))
    }

    /// The place of what is made of these values alone.
    fn place(&self) -> u32 {
        if self.terms.iter().all(|term| term.symbol.1 == EVERYWHERE) { EVERYWHERE } else { 0 }
    }

    /// The ends of the values.
    pub fn range(&self) -> (f64, f64) {
        let radius = add_up(self.radius(), self.slack);
        (add_down(self.center, -radius), add_up(self.center, radius))
    }

    /// At most so many terms: the smallest ones together are a new symbol.
    fn condensed(mut self) -> Self {
        if self.terms.len() > CAP {
            self.terms.sort_by(|a, b| b.size.abs().total_cmp(&a.size.abs()));
            let rest = Self { center: 0.0, terms: self.terms.split_off(CAP - 1), slack: 0.0 };
            self.terms.push(Term { symbol: (new_symbol(), rest.place()), size: rest.radius() });
            self.terms.sort_by_key(|term| term.symbol);
        }
        self
    }

    /// Terms of one symbol each, of sums of the sizes of those that had one.
    fn gathered(center: f64, mut terms: Vec<Term>, mut slack: f64) -> Self {
        terms.sort_by_key(|term| term.symbol);
        let mut gathered: Vec<Term> = Vec::with_capacity(terms.len());
        for term in terms {
            match gathered.last_mut() {
                Some(last) if last.symbol == term.symbol => {
                    let sum = last.size + term.size;
                    slack = add_up(slack, sum_error(last.size, term.size, sum).abs());
                    last.size = sum;
                }
                _ => gathered.push(term),
            }
        }
        gathered.retain(|term| term.size != 0.0);
        Self { center, terms: gathered, slack }.condensed()
    }

    /// `a + factor·b`, for a factor of 1 or −1.
    pub fn sum(&self, other: &Self, factor: f64) -> Self {
        let mut center = Self { slack: add_up(self.slack, other.slack), ..self.clone() };
        center.shift(factor * other.center);
        let others = other.terms.iter().map(|term| Term { size: factor * term.size, ..*term });
        Self::gathered(center.center, self.terms.iter().copied().chain(others).collect(), center.slack)
    }

    /// `c·a`.
    pub fn scaled(&self, c: f64) -> Self {
        let mut slack = mul_up(c.abs(), self.slack);
        let mut times = |x: f64| {
            let product = c * x;
            let is_tiny = product.abs() < LEAST_EXACT && c != 0.0 && x != 0.0;
            // The error of a tiny product may not be a double, but is less than the least one away from it.
            let rest = if is_tiny { f64::MIN_POSITIVE } else { 0.0 };
            slack = add_up(slack, c.mul_add(x, -product).abs() + rest);
            product
        };
        let center = times(self.center);
        let terms = self.terms.iter().map(|term| Term { size: times(term.size), ..*term }).collect();
        Self { center, terms, slack }
    }

    /// The form of `a + p`, for numbers in an interval.
    pub fn shifted(&self, low: f64, high: f64) -> Self {
        if low < high {
            return self.clone().widened(low, high, 0);
        }
        let mut form = self.clone();
        form.shift(low);
        form
    }

    /// Values moved to the left, of so many slots.
    pub fn rotated(&self, left: i64, slot_count: usize) -> Self {
        let moved = |place: u32| match place {
            EVERYWHERE => EVERYWHERE,
            place => (i64::from(place) + left).rem_euclid(slot_count as i64) as u32,
        };
        let terms = self.terms.iter().map(|term| Term { symbol: (term.symbol.0, moved(term.symbol.1)), ..*term });
        Self::gathered(self.center, terms.collect(), self.slack)
    }

    /// The mean of all slots, in every slot.
    pub fn mean(&self) -> Self {
        let terms = self.terms.iter().map(|term| Term { symbol: (term.symbol.0, EVERYWHERE), ..*term });
        Self::gathered(self.center, terms.collect(), self.slack)
    }

    /// These values, or those of an interval that they lie in where it is much narrower.
    fn tight(&self, (low, high): (f64, f64)) -> Self {
        let (least, most) = self.range();
        let is_loose = (high - low) * LOOSE < most - least;
        let zero = Self { center: 0.0, terms: Vec::new(), slack: 0.0 };
        if is_loose { zero.widened(low, high, self.place()) } else { self.clone() }
    }

    /// Whether the values of both are the same in every slot.
    pub fn is_same(&self, other: &Self) -> bool {
        self.slack == 0.0 && self == other
    }

    /// `a·b`, of values that lie in intervals.
    pub fn product(&self, other: &Self, own: (f64, f64), others: (f64, f64)) -> Self {
        let (x, y) = (self.tight(own), other.tight(others));
        let terms_of = |form: &Self, by: f64| -> Vec<Term> {
            form.terms.iter().map(|term| Term { size: term.size * by, ..*term }).collect()
        };
        let linear = [terms_of(&x, y.center), terms_of(&y, x.center)].concat();
        // Σ a_j·ε_j · Σ b_k·ε_k: squares of symbols are in [0, 1], and products of two in [−1, 1].
        let mut pairs: Vec<((u64, u32), f64, f64)> = x.terms.iter().map(|t| (t.symbol, t.size, 0.0)).collect();
        for term in &y.terms {
            match pairs.iter_mut().find(|pair| pair.0 == term.symbol) {
                Some(pair) => pair.2 = term.size,
                None => pairs.push((term.symbol, 0.0, term.size)),
            }
        }
        let (mut low, mut high) = (0.0, 0.0);
        for (at, (_, a, b)) in pairs.iter().enumerate() {
            let crossed: f64 = pairs[at + 1..].iter().map(|(_, c, d)| (a * d + b * c).abs()).sum();
            low += (a * b).min(0.0) - crossed;
            high += (a * b).max(0.0) + crossed;
        }
        let (a, b) = (x.radius(), y.radius());
        let sizes = [x.center.abs() + a + x.slack, y.center.abs() + b + y.slack];
        // What slacks add, and all roundings.
        let rest = x.slack * sizes[1] + y.slack * sizes[0] + PRODUCT_ROUNDING * sizes[0] * sizes[1];
        let (low, high) = (low.max(-a * b) - rest, high.min(a * b) + rest);
        let place = if x.place() == EVERYWHERE && y.place() == EVERYWHERE { EVERYWHERE } else { 0 };
        Self::gathered(x.center * y.center, linear, 0.0).widened(low, high, place)
    }

    /// Values that are `slope` times these, which lie in an interval, and something in another interval.
    pub fn sloped(&self, own: (f64, f64), slope: f64, (low, high): (f64, f64)) -> Self {
        let x = self.tight(own);
        x.scaled(slope).widened(low, high, x.place())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(low: f64, high: f64) -> Affine {
        Affine::spanning(low, high).unwrap()
    }

    #[test]
    fn what_is_alike_cancels() {
        let (x, y) = (form(-1.0, 3.0), form(-2.0, 2.0));
        assert_eq!(x.sum(&x, -1.0).range(), (0.0, 0.0));
        assert_eq!(x.sum(&y, 1.0).sum(&x, -1.0).range(), (-2.0, 2.0));
        assert_eq!(x.rotated(3, 8).rotated(5, 8), x);
        assert_ne!(x.rotated(3, 8), x);
        let deviation = x.rotated(1, 8).mean().sum(&x.mean(), -1.0);
        assert_eq!(deviation.range(), (0.0, 0.0));
        let negative = x.scaled(-1.0);
        assert_eq!(negative.sum(&negative, -1.0).range(), (0.0, 0.0));
        let tiny = form(0.0, 1e-200);
        assert!(tiny.scaled(1e-200).range().1 > 0.0 && tiny.scaled(0.0).range() == (0.0, 0.0));
        let (low, high) = x.sum(&x.mean(), 1.0).scaled(0.5).range();
        assert!(low <= -1.0 && high >= 3.0 && high - low < 4.0 + 1e-12);
    }

    #[test]
    fn forms_have_few_symbols() {
        let many = (0..100).fold(form(-1.0, 1.0), |sum, at| sum.sum(&form(-1.0, f64::from(at)), 1.0));
        assert!(many.terms.len() <= CAP);
        assert_eq!(many.range(), (-101.0, 4951.0));
    }
}
