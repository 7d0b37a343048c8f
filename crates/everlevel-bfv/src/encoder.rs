//! Vectors of integers modulo `t` as polynomials.

use everlevel_math::{Error, Modulus, Ntt};

/// The map between slots and coefficients.
///
/// Slot `i` of the first row is the value at `ψ^(5^i)`, of the second at `ψ^(−5^i)`, for a root of unity `ψ` of order
/// `2n` modulo `t`: `X ↦ X^5` moves both rows by one.
#[derive(Debug)]
pub(crate) struct Encoder {
    ntt: Ntt,
    /// The index of each slot in the transform.
    places: Vec<usize>,
}

impl Encoder {
    pub(crate) fn new(log_n: u32, plain_modulus: u64) -> Result<Self, Error> {
        let ntt = Ntt::new(log_n, Modulus::new(plain_modulus)?)?;
        let (n, two_n) = (1usize << log_n, 2usize << log_n);
        let mut places = vec![0; n];
        let mut exponent = 1;
        // The transform has the value at ψ^(2·brv(k) + 1) at index k.
        let place = |exponent: usize| ((exponent - 1) / 2).reverse_bits() >> (usize::BITS - log_n);
        for i in 0..n / 2 {
            places[i] = place(exponent);
            places[n / 2 + i] = place(two_n - exponent);
            exponent = exponent * 5 % two_n;
        }
        Ok(Self { ntt, places })
    }

    pub(crate) fn modulus(&self) -> &Modulus {
        self.ntt.modulus()
    }

    /// The coefficients, in `[0, t)`, of the polynomial with these values; those that are missing are 0.
    pub(crate) fn encode(&self, values: &[i64]) -> Vec<u64> {
        let mut coeffs = vec![0; self.places.len()];
        for (&place, &value) in self.places.iter().zip(values) {
            coeffs[place] = self.modulus().reduce_i64(value);
        }
        self.ntt.inverse(&mut coeffs);
        coeffs
    }

    /// The values of a polynomial with coefficients in `[0, t)`, nearest to zero.
    pub(crate) fn decode(&self, mut coeffs: Vec<u64>) -> Vec<i64> {
        self.ntt.forward(&mut coeffs);
        self.places.iter().map(|&place| self.centred(coeffs[place])).collect()
    }

    /// The representative nearest to zero.
    pub(crate) fn centred(&self, x: u64) -> i64 {
        let t = self.modulus().q();
        x as i64 - if x > t / 2 { t as i64 } else { 0 }
    }
}
