//! Diagonals of linear transforms: held as integers, lifted to one prime at a time where they are used, or once and for
//! all.
//!
//! A table of residues over a bootstrap's thirty-odd primes is two hundred bytes a coefficient; the integer is eight,
//! and belongs to no modulus and no key. Lifting costs one transform of the diagonal's length for each prime: little
//! for short ones, but for those of full length as much as a twentieth of a bootstrap, so that there may be reason to
//! hold these lifted.

use std::sync::Arc;

use everlevel_math::{Modulus, packed};

use crate::device::{DeviceRing, Held};
use crate::fused::MOST_TERMS;
use crate::{Copies, Limb, PackedPoly, PrimeSet, Ring};

/// Length of the shortest transform.
const MIN_LEN: usize = 8;

/// The plaintext of one diagonal: `coeffs[k]` belongs to `X^(k·n/len)`. Those of all but one stage of a factored
/// Fourier transform are short.
#[derive(Debug, Clone)]
pub struct Diagonal {
    form: Form,
    copies: Copies,
}

#[derive(Debug, Clone)]
enum Form {
    Integers(Vec<i64>),
    /// In transform representation, over the primes that it will be used at.
    Lifted(Arc<PackedPoly>),
}

/// A diagonal at one prime, in transform representation.
pub(crate) enum Lifted<'a> {
    Whole(Limb),
    Packed(&'a [u8]),
    /// Each value stands for an aligned run of `run` equal ones.
    Short {
        run: usize,
        values: Vec<u64>,
    },
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
        Self::of(Form::Integers(coeffs))
    }

    fn of(form: Form) -> Self {
        Self { form, copies: Copies::default() }
    }

    /// The copy on a device at primes of a set.
    pub(crate) fn on_device(&self, ring: &Ring, device: &dyn DeviceRing, set: &PrimeSet) -> Arc<Held> {
        let len = match &self.form {
            Form::Integers(coeffs) => coeffs.len(),
            Form::Lifted(poly) => return poly.on_device(ring, device),
        };
        self.copies.on(device, set, || {
            let held = Held::new(device, set, 1, (ring.n() / len).ilog2());
            let values = |&prime: &usize| match self.lift(ring, prime) {
                Lifted::Whole(limb) => limb.to_vec(),
                Lifted::Short { values, .. } => values,
                Lifted::Packed(_) => unreachable!("integers are lifted"),
            };
            held.fill(device, 0, set.indices().iter().map(values));
            held
        })
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        match &self.form {
            Form::Integers(coeffs) => 8 * coeffs.len(),
            Form::Lifted(poly) => poly.nbytes(),
        }
    }

    /// Whether its integers are of the ring's full length.
    pub fn is_whole(&self, ring: &Ring) -> bool {
        matches!(&self.form, Form::Integers(coeffs) if coeffs.len() == ring.n())
    }

    /// This diagonal held lifted, for use at the primes of `set` only; a short one, or one that is lifted, as it is.
    pub fn lifted(&self, ring: &Ring, set: &PrimeSet) -> Self {
        match &self.form {
            Form::Integers(coeffs) if self.is_whole(ring) => {
                let lifted = ring.to_eval(ring.from_i64(set, coeffs));
                Self::of(Form::Lifted(Arc::new(PackedPoly::new(&lifted))))
            }
            _ => self.clone(),
        }
    }

    /// Values modulo one prime.
    ///
    /// # Panics
    /// If it is held lifted, to other primes.
    pub(crate) fn lift(&self, ring: &Ring, prime: usize) -> Lifted<'_> {
        let coeffs = match &self.form {
            Form::Integers(coeffs) => coeffs,
            Form::Lifted(poly) => return Lifted::Packed(poly.limb(prime)),
        };
        let transform = |values: &mut [u64]| {
            ring.modulus(prime).reduce_i64_into(values, coeffs);
            ring.forward_short(prime, values);
        };
        if coeffs.len() == ring.n() {
            let mut limb = ring.scratch_limb();
            transform(&mut limb);
            Lifted::Whole(limb)
        } else {
            let mut values = vec![0; coeffs.len()];
            transform(&mut values);
            Lifted::Short { run: ring.n() / coeffs.len(), values }
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
    terms: &[(&Lifted<'_>, [&[u64]; 2])],
    Scratch(scratch): &mut Scratch,
) {
    assert!(terms.len() <= MOST_TERMS, "at most 64 baby steps");
    let len = outs[0].len();
    let expanded = terms.iter().filter(|(lifted, _)| !matches!(lifted, Lifted::Whole(_))).count();
    scratch.resize(expanded * len, 0);
    let mut space = scratch.chunks_exact_mut(len);
    let mut space = || space.next().unwrap_or_else(|| unreachable!("a piece for each that is not whole"));
    let y: Vec<&[u64]> = terms
        .iter()
        .map(|(lifted, _)| match lifted {
            Lifted::Whole(limb) => &limb[at..at + len],
            Lifted::Packed(limb) => {
                let expanded = space();
                packed::unpack(expanded, packed::block(limb, at, len));
                &*expanded
            }
            Lifted::Short { run, values } => {
                let expanded = space();
                for (piece, value) in expanded.chunks_mut(*run).zip(&values[at / run..]) {
                    piece.fill(*value);
                }
                &*expanded
            }
        })
        .collect();
    for (part, out) in outs.into_iter().enumerate() {
        let x: Vec<&[u64]> = terms.iter().map(|(_, x)| x[part]).collect();
        m.inner_product_into(out, &x, &y);
    }
}
