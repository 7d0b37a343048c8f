//! Sums and products of doubles that are rounded outwards: exact ones stay what they are.

/// The least size below which the error of a product may not be a double.
pub(crate) const LEAST_EXACT: f64 = 1e-290;

/// The error that a sum of doubles is rounded by (Knuth's TwoSum).
pub(crate) fn sum_error(a: f64, b: f64, sum: f64) -> f64 {
    let second = sum - a;
    (a - (sum - second)) + (b - second)
}

/// At least `a + b`.
pub(crate) fn add_up(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if sum.is_finite() && sum_error(a, b, sum) > 0.0 { sum.next_up() } else { sum }
}

/// At most `a + b`.
pub(crate) fn add_down(a: f64, b: f64) -> f64 {
    -add_up(-a, -b)
}

/// At least `a·b`.
pub(crate) fn mul_up(a: f64, b: f64) -> f64 {
    let product = a * b;
    let is_tiny = product.abs() < LEAST_EXACT && a != 0.0 && b != 0.0;
    if product.is_finite() && (is_tiny || a.mul_add(b, -product) > 0.0) { product.next_up() } else { product }
}

/// At most `a·b`.
pub(crate) fn mul_down(a: f64, b: f64) -> f64 {
    -mul_up(-a, b)
}

#[cfg(test)]
mod tests {
    use everlevel_math::DoubleDouble;

    use super::*;

    #[test]
    fn results_enclose_the_exact_ones_and_exact_ones_stay() {
        let numbers = [0.0, 1.0, -3.0, 0.1, -0.7, 1e-17, 1e9 + 0.3, -1.0 / 3.0, 2f64.powi(60) + 4096.0];
        for a in numbers {
            for b in numbers {
                let exact = DoubleDouble::from(a) + DoubleDouble::from(b);
                let off = |x: f64| (DoubleDouble::from(x) - exact).high();
                assert!(off(add_up(a, b)) >= 0.0 && off(add_down(a, b)) <= 0.0, "{a} + {b}");
                assert!(add_up(a, b) <= add_down(a, b).next_up(), "{a} + {b}");
                let exact = DoubleDouble::from(a) * DoubleDouble::from(b);
                let off = |x: f64| (DoubleDouble::from(x) - exact).high();
                assert!(off(mul_up(a, b)) >= 0.0 && off(mul_down(a, b)) <= 0.0, "{a} · {b}");
                assert!(mul_up(a, b) <= mul_down(a, b).next_up(), "{a} · {b}");
            }
        }
        assert_eq!((add_up(0.5, 0.25), mul_up(0.5, 3.0), add_down(1.0, -1.0)), (0.75, 1.5, 0.0));
    }
}
