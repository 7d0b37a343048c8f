//! EvalMod: `t = I + ε ↦ sin(2πt) ≈ 2πε`, for integers `|I| ≤ 16`.
//!
//! `sin(2πt) = cos(2π(t − 1/4))`. A polynomial approximates `cos(2π(t − 1/4)/8)`, and three doublings `y ↦ 2y² − 1`
//! give the cosine of eight times the angle. The cosine is even in `u = (t − 1/4)/K`, so the polynomial is one of
//! degree 15 in `z = T_2(u) = 2u² − 1`: twelve products and eleven key switches in all, eight levels.
//!
//! The integers that appear are sums of 33 uniform numbers, far from uniform themselves: the fit is by least squares,
//! weighted with their probability and with how much the doublings magnify an error at that point. For the same degree
//! that is 2^-41 instead of the 2^-28 of a minimax fit.

use everlevel_ring::Ring;

use crate::Error;
use crate::chain::ENCAPSULATION_WEIGHT;
use crate::circuits::elements::{Arithmetic, BasisElements, OfLevels, baby_count, polynomial_depth};
use crate::keys::KeyPair;
use crate::ladder::{self, Batch, Ladder, Tensor};
use crate::series::Basis;

/// Levels, of products one after another.
pub(crate) const EVAL_MOD_DEPTH: usize = 1 + polynomial_depth(DEGREE) + DOUBLINGS as usize;
/// Degree in `z`: half the degree in `u`.
const DEGREE: usize = 15;
/// Number of doublings.
pub const DOUBLINGS: u32 = 3;
/// Bound of `|t − 1/4|`: the integer bound `(h + 1)/2` of the encapsulated secret, a quarter, and room for the message.
pub const EVAL_MOD_INTERVAL: f64 = (ENCAPSULATION_WEIGHT as f64 + 1.0) / 2.0 + 0.25 + 0.0625;

/// The places of messages beside the integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Messages {
    /// Near zero: the sine is their value.
    Small,
    /// At ±1/4, where the sine is flat: signs.
    Signs,
    /// Anywhere between −1/4 and 1/4, and some more: tables of integers.
    Tables,
}

/// The fitted polynomial: Chebyshev coefficients in `z`, for `u = (t − 1/4)/interval`.
#[derive(Debug, Clone)]
pub struct Fit {
    interval: f64,
    coeffs: Vec<f64>,
}

/// The largest integer part that bootstraps have, but for a probability of 2^-89 in a coefficient: the sum of 33
/// uniforms is above 29/2 with a probability of `(2^33 − 33)/33!` at most.
const LARGEST: i32 = 14;

/// Weight of an integer part in the fit: its density, by the normal approximation, relative to that of zero. Those that
/// hardly come up have more, so that the sine is of some use there as well; it costs the mean error a bit, which is a
/// tenth of a bit beside the roundings.
fn weight(k: i32) -> f64 {
    let variance = (ENCAPSULATION_WEIGHT as f64 + 1.0) / 12.0;
    let least = if k.abs() <= LARGEST { 1e-9 } else { 1e-15 };
    (-0.5 * f64::from(k * k) / variance).exp().max(least)
}

/// Probability of an integer part of size `k` or more, for `k` above 2: that the sum of `h + 1` uniforms on
/// (−1/2, 1/2) is beyond `k − 1/2` on either side, by Irwin and Hall's formula.
fn tail(k: i32) -> f64 {
    let count = ENCAPSULATION_WEIGHT as i32 + 1;
    // (y − j)^count/(j!·(count − j)!), as a product of factors near one.
    let term = |y: i32, j: i32| {
        let below: f64 = (1..=j).map(|i| f64::from(y - j) / f64::from(i)).product();
        let above: f64 = (1..=count - j).map(|i| f64::from(y - j) / f64::from(i)).product();
        if j % 2 == 0 { below * above } else { -below * above }
    };
    let y = count / 2 + 1 - k;
    2.0 * (0..y).map(|j| term(y, j)).sum::<f64>()
}

fn chebyshev(z: f64, count: usize) -> Vec<f64> {
    let mut t = vec![1.0, z];
    while t.len() < count {
        t.push(2.0 * z * t[t.len() - 1] - t[t.len() - 2]);
    }
    t.truncate(count);
    t
}

/// Minimises `|A·x − b|` by Householder reflections; rows of `a` hold the row of `A` and then the entry of `b`.
fn least_squares(mut a: Vec<Vec<f64>>, columns: usize) -> Vec<f64> {
    for c in 0..columns {
        let norm = a[c..].iter().map(|row| row[c] * row[c]).sum::<f64>().sqrt();
        let pivot = if a[c][c] > 0.0 { -norm } else { norm };
        let mut v: Vec<f64> = a[c..].iter().map(|row| row[c]).collect();
        v[0] -= pivot;
        let square = v.iter().map(|x| x * x).sum::<f64>();
        if square == 0.0 {
            continue;
        }
        for column in c..=columns {
            let dot: f64 = v.iter().zip(&a[c..]).map(|(x, row)| x * row[column]).sum();
            for (x, row) in v.iter().zip(&mut a[c..]) {
                row[column] -= 2.0 * dot / square * x;
            }
        }
    }
    let mut x = vec![0.0; columns];
    for c in (0..columns).rev() {
        let rest: f64 = (c + 1..columns).map(|k| a[c][k] * x[k]).sum();
        x[c] = (a[c][columns] - rest) / a[c][c];
    }
    x
}

impl Fit {
    /// The fit for the encapsulated secret's integer parts, on an interval of about [`EVAL_MOD_INTERVAL`] or more.
    pub fn new(interval: f64, messages: Messages) -> Self {
        let offsets: Vec<f64> = match messages {
            Messages::Small => (-4..=4).map(|k| f64::from(k) / 1024.0).collect(),
            Messages::Signs => (-2..=2).flat_map(|k| [-0.25, 0.25].map(|x| x + f64::from(k) / 64.0)).collect(),
            Messages::Tables => (-18..=18).map(|k| f64::from(k) / 64.0).collect(),
        };
        let scale = 2f64.powi(DOUBLINGS as i32);
        let mut rows = Vec::new();
        let bound = (ENCAPSULATION_WEIGHT / 2) as i32;
        for k in -bound..=bound {
            for offset in &offsets {
                let t = f64::from(k) + offset;
                let u = (t - 0.25) / interval;
                let angle = 2.0 * std::f64::consts::PI * (t - 0.25) / scale;
                // dy/dp = scale·sin(scale·θ)/sin θ, of which the numerator is 1 near integers and small at signs.
                // Tables are exact, and have no integer part that may err more than others.
                let weight = if messages == Messages::Tables { 1.0 } else { weight(k) };
                let w = weight.sqrt() * scale / angle.sin().abs().max(0.05);
                let mut row = chebyshev(2.0 * u * u - 1.0, DEGREE + 1);
                row.push(angle.cos());
                row.iter_mut().for_each(|x| *x *= w);
                rows.push(row);
            }
        }
        Self { interval, coeffs: least_squares(rows, DEGREE + 1) }
    }

    /// Half the interval that it is made for.
    pub(crate) fn interval(&self) -> f64 {
        self.interval
    }

    /// Bound of the sum of the errors of so many sines of small numbers near integers, but for a probability: the fit
    /// is least accurate near the integers that come up least. Those that fewer bootstraps than one in 2^8 have are
    /// counted, each as often as it may come up; the errors of the others are random numbers, and small.
    pub fn rare_error(&self, count: usize, probability_of_more: f64) -> f64 {
        let expected = |k: i32| count as f64 * tail(k);
        // No more coefficients have integer parts of this size or beyond.
        let most = |k: i32| (0..).find(|&n| expected(k).powi(n + 1) < probability_of_more).unwrap_or(i32::MAX);
        let rare = (3..=LARGEST).filter(|&k| expected(k) < 1.0 / 256.0);
        rare.map(|k| f64::from(most(k) - if k < LARGEST { most(k + 1) } else { 0 }) * self.error_near(k)).sum()
    }

    /// The largest error of one sine of a small number near an integer, among so many, but for a probability.
    pub fn rarest_error(&self, count: usize, probability_of_more: f64) -> f64 {
        let comes_up = |k: &i32| *k < 3 || count as f64 * tail(*k) > probability_of_more;
        (0..=LARGEST).take_while(comes_up).map(|k| self.error_near(k)).fold(0.0, f64::max)
    }

    /// The largest error of the sine at a part of its period, beside any integer.
    pub fn largest_error(&self, offset: f64) -> f64 {
        let bound = (ENCAPSULATION_WEIGHT / 2) as i32;
        let exact = (2.0 * std::f64::consts::PI * offset).sin();
        (-bound..=bound).map(|k| (self.sine(f64::from(k) + offset) - exact).abs()).fold(0.0, f64::max)
    }

    /// The largest error of sines of small numbers near an integer or its negative.
    fn error_near(&self, k: i32) -> f64 {
        let error = |k: i32, j: i32| {
            let offset = f64::from(j) / 1024.0;
            (self.sine(f64::from(k) + offset) - (2.0 * std::f64::consts::PI * offset).sin()).abs()
        };
        (-4..=4).map(|j| error(k, j).max(error(-k, j))).fold(0.0, f64::max)
    }

    /// `sin(2πt)` from `t/interval`, in any arithmetic, eight levels lower. `check` is called between products, and
    /// ends the work by an error.
    pub fn eval_mod<A: Arithmetic + Copy, E>(
        &self,
        arithmetic: A,
        u: A::Value,
        check: &dyn Fn() -> Result<(), E>,
    ) -> Result<A::Value, E> {
        let y = self.before_the_last_doubling(arithmetic, u, check)?;
        doubled(arithmetic, &y, check)
    }

    /// The cosine of half of the angle: what the last doubling takes.
    fn before_the_last_doubling<A: Arithmetic + Copy, E>(
        &self,
        arithmetic: A,
        mut u: A::Value,
        check: &dyn Fn() -> Result<(), E>,
    ) -> Result<A::Value, E> {
        arithmetic.add_constant(&mut u, -0.25 / self.interval);
        let z = doubled(arithmetic, &u, check)?;
        drop(u);
        let mut elements = BasisElements::new(arithmetic, Basis::Chebyshev, z);
        for k in 2..baby_count(DEGREE) {
            elements.get(k);
            check()?;
        }
        let mut y = elements.polynomials(&[&self.coeffs]).swap_remove(0);
        check()?;
        for _ in 1..DOUBLINGS {
            y = doubled(arithmetic, &y, check)?;
        }
        Ok(y)
    }

    /// The approximated sine on a number: the oracle of the encrypted one.
    pub fn sine(&self, t: f64) -> f64 {
        let u = (t - 0.25) / self.interval;
        let basis = chebyshev(2.0 * u * u - 1.0, DEGREE + 1);
        let cosine = self.coeffs.iter().zip(&basis).map(|(c, t)| c * t).sum::<f64>();
        (0..DOUBLINGS).fold(cosine, |y, _| 2.0 * y * y - 1.0)
    }
}

/// A ladder of EvalMod levels, whose lowest scale is what the result is to have, and the fit for its inputs.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub ladder: Ladder,
    pub fit: Fit,
}

/// The form of EvalMod's results, for a batch of first halves and then of as many second ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sines {
    /// Whether the two halves make one result, `first + i·second`: joined before the last product is relinearized and
    /// rescaled, so that both share one key switch and one rounding.
    pub are_joined: bool,
    /// Whether they are divided by two.
    pub are_halved: bool,
}

impl Plan {
    /// The plan on a ladder, after maps whose output for `t = 1` is the integer `unit`.
    pub fn new(ladder: Ladder, unit: f64, messages: Messages) -> Self {
        let fit = Fit::new(ladder.top_scale() / unit, messages);
        Self { ladder: ladder.roomy(), fit }
    }

    /// `sin(2πt)` at the ladder's lowest level, from `t/interval` at its top, for all of `u` side by side. `check` is
    /// called between products, and ends the work by an error.
    pub fn eval_mod(
        &self,
        ring: &Ring,
        key: &KeyPair,
        u: Batch,
        results: Sines,
        check: &dyn Fn() -> Result<(), Error>,
    ) -> Result<Batch, Error> {
        let Self { ladder, fit } = self;
        let y = fit.before_the_last_doubling(OfLevels { ring, ladder, key }, u, check)?;
        // y² − 1/2 is half of 2y² − 1.
        let (mut squares, constant) = match results.are_halved {
            true => (ladder::squares(ring, &y, 1), -0.5),
            false => (ladder::squares(ring, &y, 2), -1.0),
        };
        if results.are_joined {
            let seconds = squares.split_off(squares.len() / 2);
            squares.iter_mut().zip(seconds).for_each(|(first, second)| add_i_times(ring, first, second));
        }
        let mut sines = ladder.relinearized(ring, squares, y.level, key);
        let real = ladder.integer(constant, sines.level);
        let imaginary = if results.are_joined { real } else { 0 };
        sines.cts.iter_mut().for_each(|ct| ring.add_gaussian_assign(&mut ct.c0, real, imaginary));
        check().map(|()| sines)
    }

    /// The scale at the top: EvalMod's input.
    pub fn top_scale(&self) -> f64 {
        self.ladder.top_scale()
    }
}

/// `2y² − 1`: the cosine of twice the angle.
fn doubled<A: Arithmetic, E>(arithmetic: A, y: &A::Value, check: &dyn Fn() -> Result<(), E>) -> Result<A::Value, E> {
    let twice = arithmetic.doubled(y);
    check().map(|()| twice)
}

/// `a += i·b`.
fn add_i_times(ring: &Ring, a: &mut Tensor, b: Tensor) {
    for (a, mut b) in a.iter_mut().zip(b) {
        ring.mul_gaussian_assign(&mut b, 0, 1);
        ring.add_assign(a, &b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_reaches_40_bits_where_integers_are_likely() {
        let fit = Fit::new(EVAL_MOD_INTERVAL, Messages::Small);
        let (mut sum, mut total) = (0.0, 0.0);
        for k in -16..=16 {
            for j in -10..=10 {
                let t = f64::from(k) + f64::from(j) * 1e-4;
                let error = fit.sine(t) - (2.0 * std::f64::consts::PI * t).sin();
                sum += weight(k) * error * error;
                total += weight(k);
                assert!(error.abs() < 2f64.powi(-15), "I = {k}: {error:e}");
            }
        }
        let rms = (sum / total).sqrt();
        assert!(rms < 2f64.powi(-40), "2^{:.1}", rms.log2());
    }

    #[test]
    fn tails_are_those_of_sums_of_uniforms() {
        // Irwin and Hall's sums, in rational numbers.
        for (k, log2) in [(3, -2.92), (5, -7.31), (8, -18.26), (11, -36.52), (14, -69.40), (16, -121.71)] {
            assert!((tail(k).log2() - log2).abs() < 0.01, "{k}: {}", tail(k).log2());
        }
    }

    #[test]
    fn integers_that_hardly_come_up_have_small_errors() {
        let fit = Fit::new(EVAL_MOD_INTERVAL, Messages::Small);
        let [usual, certain] = [2f64.powi(-20), 2f64.powi(-65)].map(|p| fit.rare_error(1 << 16, p).log2());
        println!("2^{usual:.1}, 2^{certain:.1}");
        assert!(usual < -27.0 && certain < -24.5 && usual < certain);
    }

    #[test]
    fn the_fit_for_tables_has_26_bits_at_every_integer_and_offset() {
        let fit = Fit::new(EVAL_MOD_INTERVAL, Messages::Tables);
        let mut worst = 0.0f64;
        for k in -16..=16 {
            for j in -288..=288 {
                let offset = f64::from(j) / 1024.0;
                let error = fit.sine(f64::from(k) + offset) - (2.0 * std::f64::consts::PI * offset).sin();
                worst = worst.max(error.abs());
            }
        }
        println!("2^{:.2}", worst.log2());
        assert!(worst < 2f64.powi(-26), "2^{:.2}", worst.log2());
    }

    #[test]
    fn the_fit_for_signs_is_exact_to_second_order() {
        let fit = Fit::new(EVAL_MOD_INTERVAL, Messages::Signs);
        let (mut sum, mut total) = (0.0, 0.0);
        for k in -16..=16 {
            for (sign, offset) in [(-1.0, -0.25), (1.0, 0.25)] {
                let error = fit.sine(f64::from(k) + offset) - sign;
                sum += weight(k) * error.abs();
                total += weight(k);
            }
        }
        let mean = sum / total;
        assert!(mean < 2f64.powi(-40), "2^{:.1}", mean.log2());
    }
}
