//! Diagonals of linear transforms: held as integers, lifted to one prime at a time where they are used.
//!
//! A table of residues over a bootstrap's thirty-odd primes is two hundred bytes a coefficient; the integer is eight. Lifting costs one
//! transform of the diagonal's length for each prime, next to the key traffic of a stage a few percent, and tables then belong to no
//! modulus and no key.

use everlevel_math::Modulus;
use everlevel_ring::{Limb, Ring};

/// Most terms of an inner product.
const MAX_TERMS: usize = 64;
/// Length of the shortest transform.
const MIN_LEN: usize = 8;

/// The plaintext of one diagonal: `coeffs[k]` belongs to `X^(k·n/len)`. Those of all but one stage of a factored Fourier transform are
/// short.
#[derive(Debug)]
pub struct Diagonal {
    coeffs: Vec<i64>,
}

/// A diagonal at one prime, in transform representation: each value stands for an aligned run of `run` equal ones.
pub(crate) struct Lifted {
    run: usize,
    values: Values,
}

enum Values {
    Whole(Limb),
    Short(Vec<u64>),
}

impl Diagonal {
    /// A plaintext in powers of `X^(n/len)`, of a length that is a power of two.
    ///
    /// # Panics
    /// If the length is none.
    pub fn new(mut coeffs: Vec<i64>) -> Self {
        let len = coeffs.len();
        assert!(len.is_power_of_two(), "diagonals have a power of two of coefficients");
        if len < MIN_LEN {
            let stretched = |k: usize| if k.is_multiple_of(MIN_LEN / len) { coeffs[k * len / MIN_LEN] } else { 0 };
            coeffs = (0..MIN_LEN).map(stretched).collect();
        }
        Self { coeffs }
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        8 * self.coeffs.len()
    }

    /// Its values modulo one prime.
    pub(crate) fn lift(&self, ring: &Ring, prime: usize) -> Lifted {
        let (len, n) = (self.coeffs.len(), ring.n());
        let transform = |values: &mut [u64]| {
            ring.modulus(prime).reduce_i64_into(values, &self.coeffs);
            ring.forward_short(prime, values);
        };
        let values = if len == n {
            let mut limb = ring.scratch_limb();
            transform(&mut limb);
            Values::Whole(limb)
        } else {
            let mut values = vec![0; len];
            transform(&mut values);
            Values::Short(values)
        };
        Lifted { run: n / len, values }
    }
}

impl Lifted {
    fn values(&self) -> &[u64] {
        match &self.values {
            Values::Whole(limb) => limb,
            Values::Short(values) => values,
        }
    }
}

/// Space for [`inner_products`], kept from block to block.
#[derive(Default)]
pub(crate) struct Scratch(Vec<u64>);

/// For both parts `p`: `out[p] = Σ_k diagonal_k ⊙ x_k[p]` on the block from `at`.
pub(crate) fn inner_products(
    m: &Modulus,
    at: usize,
    outs: [&mut [u64]; 2],
    terms: &[(&Lifted, [&[u64]; 2])],
    Scratch(scratch): &mut Scratch,
) {
    assert!(terms.len() <= MAX_TERMS, "at most 64 baby steps");
    let len = outs[0].len();
    let short = terms.iter().filter(|(lifted, _)| lifted.run > 1).count();
    scratch.resize(short * len, 0);
    let mut space = scratch.chunks_exact_mut(len);
    let y: Vec<&[u64]> = terms
        .iter()
        .map(|(lifted, _)| {
            if lifted.run == 1 {
                return &lifted.values()[at..at + len];
            }
            let Some(expanded) = space.next() else { unreachable!("a piece for each short diagonal") };
            for (piece, value) in expanded.chunks_mut(lifted.run).zip(&lifted.values()[at / lifted.run..]) {
                piece.fill(*value);
            }
            &*expanded
        })
        .collect();
    for (part, out) in outs.into_iter().enumerate() {
        let x: Vec<&[u64]> = terms.iter().map(|(_, x)| x[part]).collect();
        m.inner_product_into(out, &x, &y);
    }
}
