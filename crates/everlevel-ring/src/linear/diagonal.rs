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

impl Lifted<'_> {
    /// The packed residues from `at` on.
    fn packed(&self, at: usize, len: usize) -> Option<&[u8]> {
        match self {
            Self::Packed(limb) => Some(packed::block(limb, at, len)),
            _ => None,
        }
    }

    /// The length of runs, and their values from `at` on.
    fn short(&self, at: usize) -> Option<(usize, &[u64])> {
        match self {
            Self::Short { run, values } => Some((*run, &values[at / run..])),
            _ => None,
        }
    }
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
///
/// Diagonals of one form, as those of a stage are, are read in it; those of several are expanded first.
pub(crate) fn inner_products(
    m: &Modulus,
    at: usize,
    outs: [&mut [u64]; 2],
    terms: &[(&Lifted<'_>, [&[u64]; 2])],
    scratch: &mut Scratch,
) {
    assert!(terms.len() <= MOST_TERMS, "at most 64 baby steps");
    let len = outs[0].len();
    let [x0, x1]: [Vec<&[u64]>; 2] = [0, 1].map(|part| terms.iter().map(|(_, x)| x[part]).collect());
    let x = [&x0[..], &x1[..]];
    let packed: Option<Vec<&[u8]>> = terms.iter().map(|(lifted, _)| lifted.packed(at, len)).collect();
    if let Some(y) = packed {
        return m.inner_product_pair_by_packed_into(outs, x, &y);
    }
    let runs: Option<Vec<(usize, &[u64])>> = terms.iter().map(|(lifted, _)| lifted.short(at)).collect();
    if let Some((run, y)) = runs.and_then(|all| {
        let (runs, y): (Vec<usize>, Vec<&[u64]>) = all.into_iter().unzip();
        let first = *runs.first()?;
        runs.iter().all(|run| *run == first).then_some((first, y))
    }) {
        return m.inner_product_pair_by_runs_into(outs, x, &y, run.ilog2());
    }
    let y = expanded(at, len, terms, scratch);
    for (out, x) in outs.into_iter().zip(x) {
        m.inner_product_into(out, x, &y);
    }
}
/// The residues of every diagonal on the block from `at`.
fn expanded<'a>(
    at: usize,
    len: usize,
    terms: &[(&'a Lifted<'_>, [&[u64]; 2])],
    Scratch(scratch): &'a mut Scratch,
) -> Vec<&'a [u64]> {
    let count = terms.iter().filter(|(lifted, _)| !matches!(lifted, Lifted::Whole(_))).count();
    scratch.resize(count * len, 0);
    let mut space = scratch.chunks_exact_mut(len);
    let mut space = || space.next().unwrap_or_else(|| unreachable!("a piece for each that is not whole"));
    terms
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
        .collect()
}
