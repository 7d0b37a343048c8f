//! The steps that a polynomial's evaluation takes at each level: [`super::elements`] on levels alone.

use std::cell::RefCell;

use super::elements::{Arithmetic, BasisElements, polynomial_depth};
use crate::series::Basis;

/// Steps whose operands are at one level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PolynomialSteps {
    /// Relinearizations, each with a rescaling.
    pub switches: usize,
    /// Products of two ciphertexts, which may share a relinearization.
    pub products: usize,
    /// Products with numbers, of both polynomials of a ciphertext.
    pub multiples: usize,
    /// Rescalings of sums of such products alone.
    pub rescalings: usize,
}

/// The arithmetic of levels, which counts steps by the levels of what they give.
struct Levels {
    steps: RefCell<Vec<PolynomialSteps>>,
}

impl Levels {
    fn count(&self, target: usize, count: impl FnOnce(&mut PolynomialSteps)) {
        count(&mut self.steps.borrow_mut()[target]);
    }

    /// Brings an operand down to a level.
    fn at_level(&self, level: usize, target: usize) {
        if level > target {
            self.linear_combination(&[(&level, 1.0)], target);
        }
    }
}

impl Arithmetic for &Levels {
    type Value = usize;
    /// The level, and whether there is a product.
    type Sum = (usize, bool);

    fn level(&self, level: &usize) -> usize {
        *level
    }

    fn linear_combination(&self, terms: &[(&usize, f64)], target: usize) -> usize {
        self.add_terms(&mut (target, false), terms);
        self.count(target, |steps| steps.rescalings += 1);
        target
    }

    fn empty(&self, target: usize) -> (usize, bool) {
        (target, false)
    }

    fn add_product(&self, (target, has_product): &mut (usize, bool), a: &usize, b: &usize, _: u8) {
        *has_product = true;
        self.at_level(*a, *target + 1);
        if !std::ptr::eq(a, b) {
            self.at_level(*b, *target + 1);
        }
        self.count(*target, |steps| steps.products += 1);
    }

    fn add_terms(&self, (target, _): &mut (usize, bool), terms: &[(&usize, f64)]) {
        self.count(*target, |steps| steps.multiples += terms.len());
    }

    fn finish(&self, (target, has_product): (usize, bool)) -> usize {
        debug_assert!(has_product, "a sum without a product is a linear combination");
        self.count(target, |steps| steps.switches += 1);
        target
    }

    fn add_constant(&self, _: &mut usize, _: f64) {}

    fn zero(&self, level: &usize) -> usize {
        *level
    }
}

/// The steps of a Chebyshev series on nested levels: those of operands at its argument's level first, and of operands
/// at each level below it.
pub fn polynomial_steps(coefficients: &[f64]) -> Vec<PolynomialSteps> {
    let depth = polynomial_depth(coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0));
    let levels = Levels { steps: RefCell::new(vec![PolynomialSteps::default(); depth]) };
    BasisElements::new(&levels, Basis::Chebyshev, depth).polynomials(&[coefficients]);
    let mut steps = levels.steps.into_inner();
    steps.reverse();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn switches(coefficients: &[f64]) -> usize {
        polynomial_steps(coefficients).iter().map(|steps| steps.switches).sum()
    }

    #[test]
    fn remainders_share_their_key_switch() {
        // T_2, T_3, T_4, T_8, the three quotients' products, and one more where a coefficient has no level left.
        let dense: Vec<f64> = (0..16).map(|k| 1.0 + f64::from(k)).collect();
        let all = polynomial_steps(&dense);
        assert_eq!(all.iter().map(|steps| steps.products).sum::<usize>(), 8);
        assert_eq!(switches(&dense), 7);
        // An even function and a multiple of x: T_3 isn't needed.
        let even: Vec<f64> =
            dense.iter().enumerate().map(|(k, c)| if k % 2 == 0 || k == 1 { *c } else { 0.0 }).collect();
        assert_eq!(switches(&even), 5);
        assert_eq!(switches(&[0.5, 0.0, 0.5]), 1);
        assert!(polynomial_steps(&[1.0]).is_empty());
    }

    #[test]
    fn sums_of_any_terms_have_products_or_are_linear_combinations() {
        for pattern in 0u32..1 << 12 {
            let coefficients: Vec<f64> = (0..12).map(|k| f64::from(pattern >> k & 1)).collect();
            let steps = polynomial_steps(&coefficients);
            assert!(steps.iter().all(|steps| steps.switches <= steps.products));
        }
    }

    #[test]
    fn steps_are_counted_where_their_operands_are() {
        // T_2 is a square of x at the top; the sum of both is a combination one level below.
        let steps = polynomial_steps(&[0.0, 1.0, 1.0]);
        let square = PolynomialSteps { switches: 1, products: 1, ..PolynomialSteps::default() };
        let sum = PolynomialSteps { multiples: 2, rescalings: 1, ..PolynomialSteps::default() };
        assert_eq!(steps, [square, sum]);
    }
}
