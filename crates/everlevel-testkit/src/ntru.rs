//! The exact model of NTRU's arithmetic, on plain integers: the reference of `everlevel_math::small_ntt`, and of any
//! other machine that does the same steps, such as a circuit.
//!
//! Residues modulo an odd `q` are integers in `(−q/2, q/2)`; polynomials have `n` of them, modulo `X^n + 1`.

use everlevel_math::small_ntt::Gadget;

/// A ring and a decomposition.
#[derive(Debug, Clone, Copy)]
pub struct NtruModel {
    /// The modulus.
    pub q: i64,
    /// The digits of its residues.
    pub gadget: Gadget,
}

impl NtruModel {
    /// The residue in `(−q/2, q/2)`.
    pub fn centred(&self, x: i64) -> i64 {
        let r = x.rem_euclid(self.q);
        if r > self.q / 2 { r - self.q } else { r }
    }

    /// The digits of a residue, that of the smallest unit first: with `y_i` the residue divided by the unit of digit
    /// `i` and rounded, upwards at ties, the last digit is its `y_i`, each other one `y_i − B·y_(i+1)`.
    pub fn digits(&self, x: i64) -> Vec<i64> {
        let Gadget { log2_base, digits, .. } = self.gadget;
        let rounded = |i: u32| {
            let unit = 1i64 << self.gadget.log2_unit(i);
            (2 * x + unit).div_euclid(2 * unit)
        };
        (0..digits).map(|i| rounded(i) - if i + 1 < digits { rounded(i + 1) << log2_base } else { 0 }).collect()
    }

    /// `digits·b`, by the schoolbook; sums of products must fit a word.
    pub fn product(&self, digits: &[i64], b: &[i64]) -> Vec<i64> {
        let n = b.len();
        let mut out = vec![0i64; n];
        for (i, &x) in digits.iter().enumerate() {
            let (low, high) = b.split_at(n - i);
            for (out, &y) in out[i..].iter_mut().zip(low) {
                *out = out.wrapping_add(x.wrapping_mul(y));
            }
            for (out, &y) in out.iter_mut().zip(high) {
                *out = out.wrapping_sub(x.wrapping_mul(y));
            }
        }
        out.into_iter().map(|x| self.centred(x)).collect()
    }

    /// `X^e·a`, for `e` in `0..2n`.
    pub fn turned(&self, a: &[i64], e: usize) -> Vec<i64> {
        let n = a.len();
        let mut out = vec![0; n];
        for (j, &x) in a.iter().enumerate() {
            let k = (j + e) % (2 * n);
            out[k % n] = if k < n { x } else { -x };
        }
        out
    }

    /// `a + b`, or `a − b`.
    fn combined(&self, a: &[i64], b: &[i64], sign: i64) -> Vec<i64> {
        a.iter().zip(b).map(|(&a, &b)| self.centred(a + sign * b)).collect()
    }

    /// `x ⊡ k`: the sum of the digits' products with the polynomials of a key.
    pub fn external_product(&self, x: &[i64], key: &[Vec<i64>]) -> Vec<i64> {
        let digits: Vec<Vec<i64>> = x.iter().map(|&x| self.digits(x)).collect();
        let mut sum = vec![0; x.len()];
        for (i, polynomial) in key.iter().enumerate() {
            let digit: Vec<i64> = digits.iter().map(|d| d[i]).collect();
            sum = self.combined(&sum, &self.product(&digit, polynomial), 1);
        }
        sum
    }

    /// `acc + ((X^e − 1)·acc) ⊡ k`: a step of a rotation, bit by bit.
    pub fn rotate_add(&self, acc: &[i64], e: usize, key: &[Vec<i64>]) -> Vec<i64> {
        let difference = self.combined(&self.turned(acc, e), acc, -1);
        self.combined(acc, &self.external_product(&difference, key), 1)
    }

    /// `acc ⊡ Σ_j X^(e_j)·k_j`: a step with a key for each value of some bits.
    pub fn multiply_bundle(&self, acc: &[i64], terms: &[(usize, &[Vec<i64>])]) -> Vec<i64> {
        terms.iter().fold(vec![0; acc.len()], |sum, &(e, key)| {
            self.combined(&sum, &self.turned(&self.external_product(acc, key), e), 1)
        })
    }

    /// `acc + acc ⊡ Σ_j (X^(e_j) − 1)·k_j`: a step without a key for bits that are all zero.
    pub fn add_bundle(&self, acc: &[i64], terms: &[(usize, &[Vec<i64>])]) -> Vec<i64> {
        terms.iter().fold(acc.to_vec(), |sum, &(e, key)| {
            let product = self.external_product(acc, key);
            self.combined(&sum, &self.combined(&self.turned(&product, e), &product, -1), 1)
        })
    }
}
